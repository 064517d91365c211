"""Two graders, a full disk, a folder that can only be read: nothing is lost, and it is said."""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from recsys_metrics.workbook.course import course_folder, locking, release
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.course.grade import Grading
from recsys_metrics.workbook.course.grading_report import read_report
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.simulated_people import NAME
from tests.tiers import of_a_course

pytestmark = of_a_course

ROOT = Path(__file__).resolve().parents[2]
STUDENTS = ["ann", "bob", "cy"]
EXERCISE = "ranking.e4"


@pytest.fixture(scope="module")
def handed_in(desk):
    at = desk(STUDENTS, [EXERCISE])
    for student in STUDENTS:
        at.hand_in(student, at.answered(student))
    return at


@pytest.fixture
def course_copy(handed_in, tmp_path):
    from dataclasses import replace

    root = tmp_path / "recsys"
    shutil.copytree(handed_in.course.root, root)
    return replace(handed_in, course=replace(handed_in.course, root=root))


def command(*arguments):
    return [sys.executable, "-m", "recsys_metrics.cli", "course", *map(str, arguments)]


def test_a_second_grader_waits_or_reports_the_lock(course_copy):
    first = Grading(course_copy.course, course_copy.assignment, sandboxed=False).run()
    next(first)  # one student is graded, and two are to come
    asked = command(
        "grade", NAME, "--unsandboxed", "--student", "ann", "--course", course_copy.course.root
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    options = {
        "env": environment,
        "stderr": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "text": True,
    }
    told = subprocess.run(asked, check=False, **options)
    who = (
        f"{course_copy.course.root} is locked by process {os.getpid()} of {getpass.getuser()} on "
        f"{platform.node()} since "
    )
    assert told.returncode == 1
    assert f"recsys-workbook course grade: {who}" in told.stderr
    assert "UTC (course grade ps1); give the command again when that has ended, or --wait" in (
        told.stderr
    )
    with subprocess.Popen([*asked, "--wait"], **options) as waiting:
        said = [waiting.stderr.readline(), waiting.stderr.readline()]
        assert any(line.startswith(who) and "waiting until" in line for line in said)
        assert waiting.poll() is None
        assert [one.points for one in first] == [2, 2]
        out, _ = waiting.communicate(timeout=300)
    assert waiting.returncode == 0
    assert "1 graded, 0 not" in out


def test_collecting_and_releasing_lock_the_course(course_copy):
    course_copy.put("ann.ipynb", course_copy.answered("ann"))
    with locking.held(course_copy.course, "grade ps1"):
        with pytest.raises(locking.HeldError):
            course_copy.collect()
        with pytest.raises(locking.HeldError):
            release.release(course_copy.course, "ps2", [EXERCISE], [Student("ann")])
        with pytest.raises(locking.HeldError):
            course_copy.grade(sandboxed=False)
    assert course_copy.collect().unchanged == ["ann"]
    # Who held it and was killed leaves a name behind, and holds nothing any more.
    (course_copy.course.root / ".lock.json").write_text("{")
    assert course_copy.collect().unchanged == ["ann"]
    assert not (course_copy.course.root / ".lock.json").exists()


def test_files_of_a_killed_grader_are_removed_by_the_next(course_copy, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    Path(tempfile.gettempdir()).mkdir()
    left = Path(tempfile.mkdtemp(prefix="recsys-course-"))
    (left / "job.json").write_text("{}")
    other = Path(tempfile.mkdtemp(prefix="somebody-elses-"))
    file = course_copy.course.notebook("submitted", "ann", NAME)
    unfinished = file.with_name(f".{file.name}.0123456789ab.new")
    unfinished.write_text("half")
    students_own = file.with_name(".mine.new")
    students_own.write_text("kept")
    with atomic_files.create_scratch() as used:
        with locking.held(course_copy.course, "grade ps1"):
            assert used.is_dir()
        assert not left.exists()
        assert other.is_dir()
        assert not unfinished.exists()
        assert students_own.exists()
    assert not used.exists()


@pytest.mark.parametrize("limit", [0, 10])
def test_files_are_replaced_atomically(limit, tmp_path):
    """A limit on the size of files stands for a disk that ends within a file."""
    file = tmp_path / "x.json"
    file.write_text("old")
    code = (
        "import resource, signal\n"
        "from pathlib import Path\n"
        "from recsys_metrics.workbook.grading import atomic_files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "try:\n"
        f"    atomic_files.replace_file(Path({str(file)!r}), 'new' * 1000)\n"
        "except atomic_files.StorageError as problem:\n"
        "    print(problem)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout == (
        f"{file} could not be written: the file would be larger than is allowed here; raise the "
        "limit (`ulimit -f`), and give the same command again. What was done is kept\n"
    )
    assert [one.name for one in tmp_path.iterdir()] == ["x.json"]
    assert file.read_text() == "old"


# Runs where a small disk or a read-only one is mounted; what it finds is printed as JSON.
HARNESS = """
import json, os, sqlite3, sys, tempfile
from pathlib import Path
from recsys_metrics.workbook.course import assignment, collect, course_folder, export, release
from recsys_metrics.workbook.course.grade import Grading
from recsys_metrics.workbook.course.grading_report import read_report
from recsys_metrics.workbook.grading.limits import GradingError

disk, readonly, downloads = map(Path, sys.argv[1:])
course = course_folder.read(disk / "recsys")
which = assignment.load(course, "ps1")

def said(act):
    try:
        return act()
    except GradingError as problem:
        return str(problem)

def grade(course=course):
    return {one.student: one.points for one in Grading(course, which, sandboxed=False).run()}

def fill(leave):
    "Fill the disk but for so many blocks."
    with open(disk / "filler", "wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            filler.truncate(max(0, filler.tell() - leave * 4096))

def integrity():
    database = sqlite3.connect(course.gradebook)
    return database.execute("pragma integrity_check").fetchone()[0]

found = {"full": []}
for leave in (0, 2, 4, 8, 16, 40):
    fill(leave)
    before = read_report(course, which.name)
    told = said(grade)
    os.unlink(disk / "filler")
    after = read_report(course, which.name)
    found["full"].append([leave, told, integrity(), before.keys() <= after.keys()])
fill(0)
tempfile.tempdir, usual = str(disk), tempfile.gettempdir()
os.makedirs(course.root / "spare", exist_ok=True)
found["no_space_for_temporary_files"] = said(grade)
tempfile.tempdir = usual
os.unlink(disk / "filler")
found["again"] = said(grade)
found["left"] = [str(one) for one in disk.rglob("*.new")] + [
    str(one) for one in Path(usual).glob("recsys-course-*")
]
fixed = course_folder.read(readonly)
found["readonly"] = [
    said(lambda: grade(fixed)),
    said(lambda: collect.collect(fixed, which, downloads)),
    said(lambda: release.release(fixed, "ps2", ["ranking.e4"], [course_folder.Student("ann")])),
    said(lambda: export.export(fixed, readonly / "grades.csv")),
]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def on_small_and_fixed_disks(handed_in, tmp_path_factory):
    """What grading said on a full disk, and in a folder that can only be read."""
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed, by which a small disk is mounted")
    here = tmp_path_factory.mktemp("disks")
    for name in ("small", "fixed", "tmp"):
        (here / name).mkdir()
    shutil.copytree(handed_in.course.root, here / "original")
    (here / "harness.py").write_text(HARNESS)
    mounts = ["--dev-bind", "/", "/", "--size", str(3 * 2**20), "--tmpfs", here / "small"]
    mounts += ["--ro-bind", here / "original", here / "fixed", "--setenv", "TMPDIR", here / "tmp"]
    run = f'cp -r "{here}/original" "{here}/small/recsys" && exec "$@"'
    arguments = [here / "harness.py", here / "small", here / "fixed", handed_in.downloads]
    done = subprocess.run(
        ["bwrap", *mounts, "sh", "-c", run, "sh", sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "bwrap:" in done.stderr:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


GRADES = dict.fromkeys(STUDENTS, 2.0)


def test_a_full_disk_is_reported_without_data_loss(on_small_and_fixed_disks):
    found = on_small_and_fixed_disks
    stopped = 0
    for leave, told, integrity, kept in found["full"]:
        assert integrity == "ok", leave
        assert kept, leave
        if told != GRADES:
            stopped += 1
            assert "could not be written" in told
            assert "free some space" in told
            assert told.endswith("give the same command again. What was done is kept")
    assert stopped >= 3
    assert found["full"][0][1].startswith(os.sep)
    assert "the disk is full; free some space" in found["no_space_for_temporary_files"]
    assert found["again"] == GRADES
    assert found["left"] == []


def test_a_read_only_folder_is_reported(on_small_and_fixed_disks):
    for told in on_small_and_fixed_disks["readonly"]:
        assert "could not be written" in told
        assert "copy the course to where you may write" in told


def test_a_course_that_cannot_be_created_raises(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(GradingError, match="cannot be written"):
        course_folder.create(tmp_path / "file" / "course", "course")


def test_the_report_is_always_complete_on_disk(course_copy):
    grading = Grading(course_copy.course, course_copy.assignment, sandboxed=False)
    for count, _ in enumerate(grading.run(), 1):
        assert len(read_report(course_copy.course, NAME)) == count


@pytest.mark.parametrize("name", [".lock", ".lock.json"])
def test_what_is_in_the_way_of_a_lock_is_named(tmp_path, name):
    course = course_folder.create(tmp_path / "course", "recsys")
    (course.root / name).mkdir()
    with (
        pytest.raises(GradingError, match=rf"/{re.escape(name)} could not be written: something"),
        locking.held(course, "grade ps1"),
    ):
        pass
