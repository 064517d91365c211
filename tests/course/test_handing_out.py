"""Giving out and taking back: archive and mail table, preview, undo."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from recsys_metrics.workbook.course import (
    collect,
    export,
    handout,
    release,
    return_feedback,
    withdraw,
)
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.course.times import Worksheet
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.simulated_people import NAME

NUMBER, WORDS = "ranking.e4", "ranking.explain_ideal"
ROSTER = """\
id,first_name,last_name,email,lms_id
ann,Ann,Lee,ann@example.org,
bob,Bob_The,May,,
cleo,Cleo,Orr,cleo@example.org,17
"""
WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade
Participant 1001,Ann Lee,ann@example.org,No submission,,9.00
Participant 1002,Bob_The May,bob@example.org,No submission,,9.00
Participant 1003,Zoe Who,zoe@example.org,No submission,,9.00
"""


@pytest.fixture(scope="module")
def released(desk):
    at = desk(["ann", "bob", "cleo"], [NUMBER, WORDS])
    (at.course.root / "roster.csv").write_text(ROSTER, "utf-8")
    return at


@pytest.fixture
def at(released, tmp_path):
    root = tmp_path / "recsys"
    shutil.copytree(released.course.root, root)
    return replace(released, course=replace(released.course, root=root))


def test_an_archive_in_the_place_of_another_is_said(at, run_cli):
    first, second = at.course.root / "moodle.csv", at.course.root / "other.csv"
    first.write_text(WORKSHEET, "utf-8")
    row = "Participant 1003,Cleo Orr,cleo@example.org,No submission,,9.00"
    second.write_text(f"{WORKSHEET.splitlines()[0]}\n{row}\n", "utf-8")
    told = []
    for file in ("moodle.csv", "moodle.csv", "other.csv"):
        done = run_cli("course", "release", NAME, "--for", file, cwd=at.course.root)
        told.append(" ".join(done.stdout.split()))
    says = "in the place of an earlier archive with 2 notebooks for students that this table does"
    assert [says in one for one in told] == [False, False, True]


def test_the_same_students_in_a_table_of_another_system_are_no_others(at, run_cli):
    moodle, canvas = at.course.root / "moodle.csv", at.course.root / "canvas.csv"
    moodle.write_text(WORKSHEET, "utf-8")
    listed = [line.split(",") for line in WORKSHEET.splitlines()[1:]]
    rows = [f"{cells[1]},{at},,{cells[2]},A" for at, cells in enumerate(listed, 1)]
    head = "Student,ID,SIS User ID,SIS Login ID,Section"
    canvas.write_text("\n".join([head, *rows]) + "\n", "utf-8")
    for file in ("moodle.csv", "canvas.csv", "moodle.csv"):
        done = run_cli("course", "release", NAME, "--for", file, cwd=at.course.root)
        assert "notebooks" in done.stdout
        assert "an earlier archive" not in done.stdout


def test_nothing_is_graded_where_nobody_has_handed_anything_in(at, sandbox, run_cli):
    place = at.course.root / "feedback"
    done = run_cli("course", "grade", NAME, cwd=at.course.root)
    assert done.returncode == 1
    says = " ".join(done.stderr.split())
    assert f"nobody has handed in {NAME}, so nothing is graded; `recsys-workbook course" in says
    assert [*place.rglob("*.html")] == []
    assert at.grade("ann")["ann"].problem == "nothing was handed in"


def test_a_damaged_earlier_archive_is_replaced(at, run_cli):
    (at.course.root / "moodle.csv").write_text(WORKSHEET, "utf-8")
    for _ in range(2):
        done = run_cli("course", "release", NAME, "--for", "moodle.csv", cwd=at.course.root)
        assert (done.returncode, "2 notebooks" in done.stdout) == (0, True)
        archive = at.course.root / "handout" / f"{NAME}.zip"
        content = bytearray(archive.read_bytes())
        content[200:240] = bytes(40)  # what a notebook is packed into
        archive.write_bytes(content)


def test_a_preview_needs_no_students(at, run_cli):
    (at.course.root / "roster.csv").write_text("id,first_name,last_name,email\n", "utf-8")
    done = run_cli("course", "release", "ps2", "02_ranking", "--preview", cwd=at.course.root)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 notebooks would be written" in done.stdout


def files_of(root):
    return {file: file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file()}


def moodle_reads(name, participants):
    """Return whose a member is and what it is called then, by the rules of Moodle's importer."""
    parts = name.split("/")
    while parts:
        fields = parts.pop(0).split("_", 4)
        if len(fields) >= 4 and fields[1].isdecimal() and fields[1] in participants:
            assert fields[2:4] == ["assignsubmission", "file"]
            return participants[fields[1]], "/".join([fields[4] if len(fields) > 4 else "", *parts])
    return None


def test_moodle_gives_each_student_the_notebook_of_their_own(at, run_cli):
    (at.course.root / "ws.csv").write_text(WORKSHEET, "utf-8")
    done = run_cli("course", "release", NAME, "--for", "ws.csv", cwd=at.course.root)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert f"{NAME}.zip: 2 notebooks, 2 of them in Moodle's folders" in told
    assert "Upload multiple feedback files in a zip" in told
    assert "not in the table, so in neither file: cleo" in told
    assert "no student of the course: Zoe Who" in told
    assert "no e-mail in roster.csv: bob" in told
    found = {}
    with zipfile.ZipFile(at.course.root / "handout" / f"{NAME}.zip") as packed:
        for name in packed.namelist():
            student, called = moodle_reads(name, {"1001": "ann", "1002": "bob"})
            assert called == f"/{NAME}.ipynb"
            found[student] = packed.read(name)
    assert found == {
        one: at.course.notebook("release", one, NAME).read_bytes() for one in ("ann", "bob")
    }
    assert found["ann"] != found["bob"]
    # The folders are also those by which submissions are recognised.
    assert json.loads(found["ann"])["metadata"]


def test_the_mail_merge_table_has_a_row_and_an_attachment_for_each_student(at, run_cli):
    with (at.course.root / "course.toml").open("a") as settings:
        settings.write(f"[deadlines.{NAME}]\ndue = 2026-11-20T23:59:00+01:00\n")
    (at.course.root / "ws.csv").write_text(WORKSHEET, "utf-8")
    run_cli("course", "release", NAME, "--for", "ws.csv", cwd=at.course.root)
    rows = list(csv.DictReader((at.course.root / "handout" / f"{NAME}_mail.csv").open()))
    assert [(one["id"], one["email"]) for one in rows] == [("ann", "ann@example.org"), ("bob", "")]
    assert rows[0]["due"] == "2026-11-20 23:59 UTC+01:00"
    assert (rows[0]["questions"], rows[0]["points"]) == ("2", "4")
    for row in rows:
        book = json.loads(Path(row["attachment"]).read_text("utf-8"))
        assert row["id"] in json.dumps(book["metadata"])


def test_a_table_without_numbers_gives_folders_named_by_id(at, run_cli):
    (at.course.root / "gradebook.csv").write_text(
        'Student,ID,SIS User ID,SIS Login ID,Section\n"Points Possible",,,,\n'
        '"Orr, Cleo",17,,cleo@example.org,A\n"Lee, Ann",4,,ann@example.org,A\n',
        "utf-8",
    )
    done = run_cli("course", "release", NAME, "--for", "gradebook.csv", cwd=at.course.root)
    assert "2 notebooks, 0 of them in Moodle's folders" in " ".join(done.stdout.split())
    assert "Upload multiple" not in done.stdout
    with zipfile.ZipFile(at.course.root / "handout" / f"{NAME}.zip") as packed:
        assert packed.namelist() == [f"ann/{NAME}.ipynb", f"cleo/{NAME}.ipynb"]


def test_a_table_of_others_is_refused(at, run_cli):
    (at.course.root / "ws.csv").write_text(
        "Identifier,Full name,Email address,Grade\nParticipant 7,Zoe Who,zoe@example.org,\n"
    )
    done = run_cli("course", "release", NAME, "--for", "ws.csv", cwd=at.course.root)
    assert done.returncode == 1
    assert f"lists no student to whom {NAME} was released; roster.csv has" in done.stderr
    assert not (at.course.root / "handout").exists()


# Preview -----------------------------------------------------------------------------------------


def test_a_preview_shows_the_questions_and_releases_nothing(at, run_cli):
    before = files_of(at.course.root)
    done = run_cli("course", "release", "ps2", "02_ranking", "--preview", cwd=at.course.root)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert re.search(r" 1\. .+ \(ranking\.\w+\), \d points?", told)
    assert "3 notebooks would be written, 0 are there already. Nothing was released" in told
    after = files_of(at.course.root)
    file = at.course.root / "preview" / "ps2.ipynb"
    assert after.keys() - before.keys() == {file}
    assert {one: after[one] for one in before} == before
    assert at.course.assignments() == [NAME]
    # It cannot be handed in for anybody.
    again = run_cli("course", "release", NAME, "--preview", cwd=at.course.root)
    assert "0 notebooks would be written, 3 are there already" in again.stdout
    at.put("x.ipynb", (at.course.root / "preview" / f"{NAME}.ipynb").read_bytes())
    ((_, says),) = at.collect().problems
    assert "_preview, who is not on the list" in says
    assert at.collect().new == []


def test_a_preview_has_other_numbers_than_any_student(at):
    roster = [Student(one) for one in ("ann", "bob", "cleo")]
    _, file, asked = release.preview(at.course, NAME, [NUMBER, WORDS], roster)
    assert [one.id for one in asked] == [NUMBER, WORDS]
    texts = {at.course.notebook("release", one.id, NAME).read_text("utf-8") for one in roster}
    assert file.read_text("utf-8") not in texts


# Undo --------------------------------------------------------------------------------------------


def test_a_release_is_undone_and_the_name_is_free_again(at, run_cli):
    released = {
        one: at.course.notebook("release", one, NAME).read_bytes() for one in ("ann", "bob", "cleo")
    }
    done = run_cli("course", "release", NAME, "--undo", cwd=at.course.root)
    assert done.returncode == 0, done.stderr
    assert f"{NAME} is taken back; its notebooks (3) are in" in " ".join(done.stdout.split())
    assert at.course.assignments() == []
    assert not list(at.course.root.glob(f"*/*/{NAME}"))
    (place,) = (at.course.root / "withdrawn").iterdir()
    for student, content in released.items():
        assert (place / "release" / student / NAME / f"{NAME}.ipynb").read_bytes() == content
    with pytest.raises(GradingError, match="nothing was released yet"):
        export.export(at.course, at.course.root / "grades.csv")
    # Other questions under the same name, which a release refuses while the first is there.
    roster = [Student("ann"), Student("bob")]
    again = release.release(at.course, NAME, ["ranking.e5"], roster).assignment
    assert list(again.points) == ["ranking.e5"]
    at.assignment, at.questions = again, {}
    at.hand_in("ann", at.answered("ann"))
    assert at.grade("ann", sandboxed=False)["ann"].points == again.out_of
    export.export(at.course, at.course.root / "grades.csv")


def test_notebooks_of_before_a_deadline_are_counted_with_the_reason(at, run_cli):
    settings = at.course.root / "course.toml"
    settings.write_text(
        f"{settings.read_text()}\n[deadlines.{NAME}]\ndue = 2100-11-05T23:59:00+01:00\n"
    )
    (at.course.root / "roster.csv").write_text(
        "id,first_name,last_name,email\nann,,,\nbob,,,\ncleo,,,\ndora,,,\n"
    )
    changed = at.course.notebook("release", "cleo", NAME)
    changed.write_text(changed.read_text().replace("ap = ...", "ap = 0.5"))
    done = run_cli("course", "release", NAME, cwd=at.course.root)
    told = " ".join(done.stdout.split())
    assert "1 notebook written, 0 were there already" in told
    assert "2 notebooks kept as handed out: only the first cell of a new one would be" in told
    assert "1 notebook kept as handed out, although a new one would ask otherwise" in told
    assert "otherwise, since the file or an exercise was changed after the release: cleo." in told
    assert "remove" not in told


def test_a_notebook_of_a_release_that_was_taken_back_is_not_graded(at):
    before = at.answered("ann")
    withdraw.withdraw(at.course, NAME)
    # The same question is asked again, with the same numbers, beside another.
    at.assignment = release.release(
        at.course, NAME, [NUMBER, "ranking.e5"], [Student("ann"), Student("bob")]
    ).assignment
    at.questions = {}
    at.put("ann.ipynb", before)
    says = f"it is of a release of {NAME} that was taken back, and is not graded; answer the"
    done = at.collect()
    assert says in dict(done.problems)["ann.ipynb"]
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert graded.points is None
    assert says in graded.problem
    assert says in " ".join(at.page("ann").split())
    export.export(at.course, at.course.root / "grades.csv")
    assert says in (at.course.root / "grades.csv").read_text()
    # The notebook that was released last counts, and the older one does not replace it.
    at.put("ann.ipynb", at.answered("ann"))
    assert at.collect().replaced == ["ann"]
    at.put("ann.ipynb", before)
    assert "The notebook collected before stays" in dict(at.collect().problems)["ann.ipynb"]
    assert at.grade("ann", sandboxed=False)["ann"].points == at.assignment.out_of


@pytest.mark.parametrize("where", ["collected", "graded", "refused", "to_decide"])
def test_nothing_is_undone_once_somebody_has_handed_something_in(where, at, run_cli):
    if where == "collected":
        at.put("ann.ipynb", at.answered("ann"))
        at.collect()
    elif where == "graded":
        at.hand_in("ann", at.answered("ann"))
        at.grade(sandboxed=False)
    elif where == "refused":
        at.put("ann/ann.pdf", b"%PDF")
        at.collect()
    else:
        at.put("ann/ps1.ipynb", at.answered("bob"))
        at.collect()
    before = files_of(at.course.root)
    done = run_cli("course", "release", NAME, "--undo", cwd=at.course.root)
    assert done.returncode == 1
    assert f"{NAME} stays: ann handed in something for it. Release the next one" in done.stderr
    assert files_of(at.course.root) == before


def test_grading_who_handed_in_nothing_does_not_keep_a_release(at):
    at.grade("ann", sandboxed=False)
    withdraw.withdraw(at.course, NAME)
    assert at.course.assignments() == []


def test_undo_takes_the_name_alone(at, run_cli):
    done = run_cli("course", "release", NAME, "02_ranking", "--undo", cwd=at.course.root)
    assert "--undo takes the name alone" in done.stderr
    done = run_cli("course", "release", "ps7", "--undo", cwd=at.course.root)
    assert "no assignment 'ps7' was released" in done.stderr
    assert at.course.assignments() == [NAME]


# Archives ----------------------------------------------------------------------------------------


def zipped(members, *, when=(2026, 11, 20, 12, 0, 0)):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in members.items():
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name, when)
            data = text if isinstance(text, bytes | str) else json.dumps(text)
            packed.writestr(info, data, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def collect_zip(at, members, **options):
    file = at.course.root.with_name("downloads.zip")
    file.write_bytes(members if isinstance(members, bytes) else zipped(members, **options))
    return collect.collect(
        at.course, at.assignment, file, roster=[Student("ann", "Ann", "Lee"), Student("bob")]
    )


def submitted(at, student):
    return at.course.notebook("submitted", student, NAME)


def test_the_zip_of_a_platform_is_collected_as_its_folder_is(at):
    ann, bob = at.answered("ann"), at.answered("bob")
    done = collect_zip(
        at,
        {
            "Ann Lee_1001_assignsubmission_file/final (1).ipynb": ann,
            "bob_ps1.ipynb": bob,
            "__MACOSX/._bob_ps1.ipynb": b"x",
        },
    )
    assert (done.new, done.missing, done.problems) == (["ann", "bob"], ["cleo"], [])
    assert json.loads(submitted(at, "ann").read_text("utf-8")) == ann
    stamp = submitted(at, "ann").with_name("timestamp.txt").read_text()
    assert stamp.startswith("2026-11-20") or stamp.startswith("2026-11-19")
    # The same zip once more changes nothing.
    assert collect_zip(at, at.course.root.with_name("downloads.zip").read_bytes()).unchanged == [
        "ann",
        "bob",
    ]


def test_names_of_members_that_mean_harm_write_nowhere(at, tmp_path):
    link = zipfile.ZipInfo("ann/link.ipynb")
    link.external_attr = 0o120777 << 16
    outside = tmp_path / "outside"
    before = files_of(tmp_path)
    done = collect_zip(
        at,
        {
            "../outside/ps1.ipynb": b"{}",
            f"{outside}/ps1.ipynb": b"{}",
            "ann\\..\\..\\x.ipynb": b"{}",
            link: b"/etc/passwd",
            f"bob/{'x' * 300}.ipynb": b"{}",
        },
    )
    told = dict(done.problems)
    assert told["../outside/ps1.ipynb"] == "is not unpacked: its name leads out of the archive"
    assert told["ann/link.ipynb"] == "is a symbolic link, which is never followed"
    assert any("too long" in says for says in told.values())
    assert done.new == []
    assert not outside.exists()
    assert {file for file in files_of(tmp_path) if file not in before} <= {
        at.course.root.with_name("downloads.zip"),
        at.course.collected(NAME),
    }


def test_a_member_that_unpacks_to_gigabytes_is_cut_off(at):
    big = b"{" + b" " * (at.course.limits.notebook_mb * 1_000_000 + 10)
    done = collect_zip(at, {"ann/ps1.ipynb": big})
    ((shown, says),) = done.problems
    assert shown == "ann/ps1.ipynb"
    assert "is larger than" in says
    assert done.new == []


@pytest.mark.parametrize("content", [b"", b"PK\3\4 cut off", b"no zip"])
def test_a_damaged_zip_is_refused(content, at):
    with pytest.raises(GradingError, match=r"downloads\.zip is damaged or no zip archive"):
        collect_zip(at, content)


@pytest.mark.parametrize(
    "beside", [{}, {"__MACOSX/._ps1.ipynb": b"x"}, {".ipynb_checkpoints/p-checkpoint.ipynb": b"{}"},
               {"data.csv": b"a,b"}],
)  # fmt: skip
@pytest.mark.parametrize("name", ["ann/hw.zip", "hw.zip"])
def test_a_zip_with_one_notebook_is_opened(name, beside, at):
    at.put(name, zipped({"work/my homework.ipynb": at.answered("ann"), **beside}))
    done = at.collect()
    assert (done.new, done.problems) == (["ann"], [])
    assert at.grade("ann", sandboxed=False)["ann"].points == 2


def test_a_zip_with_several_notebooks_is_named_with_what_is_in_it(at):
    at.put("ann/hw.zip", zipped({"a.ipynb": at.answered("ann"), "b.ipynb": at.answered("ann")}))
    at.put("all.zip", zipped({"ann_a.ipynb": b"{}", "bob_b.ipynb": b"{}"}))
    done = at.collect()
    told = dict(done.problems)
    assert told["ann/hw.zip"] == (
        "is not taken: it is a zip with 2 notebooks (a.ipynb, b.ipynb); hand in the one file, not "
        "packed"
    )
    assert f"`recsys-workbook course collect {NAME} all.zip`" in told["all.zip"]
    assert done.new == []


def test_a_persons_decision_may_be_a_zip(at):
    file = at.course.root.with_name("hw.zip")
    file.write_bytes(zipped({"x.ipynb": at.answered("bob")}))
    collect.collect(at.course, at.assignment, file, owner="ann")
    assert json.loads(submitted(at, "ann").read_text("utf-8")) == at.answered("bob")


# What was handed in ------------------------------------------------------------------------------


def test_no_name_of_a_folder_turns_a_line(at):
    odd = "Ann \u202e\u2066\x9bLee"
    table = at.course.root / "ws.csv"
    table.write_text(WORKSHEET.replace("Ann Lee", odd), "utf-8")
    done = handout.write(at.course, at.assignment, table)
    with zipfile.ZipFile(done.archive) as packed:
        assert f"Ann Lee_1001_assignsubmission_file/{NAME}.ipynb" in packed.namelist()
    # Moodle has given the name in the download of the submissions, too.
    at.put(f"{odd}_1001_assignsubmission_file/{NAME}.ipynb", at.answered("ann"))
    assert at.collect(roster=[Student("ann", "Ann", "Lee")]).new == ["ann"]
    at.grade("ann", sandboxed=False)
    file = at.course.root / "back.zip"
    assert return_feedback.archive(at.course, at.assignment, file).moodle == ["ann"]
    with zipfile.ZipFile(file) as pages:
        (name,) = pages.namelist()
    assert name.isprintable()
    assert name.endswith(f"_1001_assignsubmission_file/{NAME}.html")


def test_a_number_of_moodle_that_was_told_once_tells_namesakes_apart(at, run_cli):
    namesakes = [
        Student("ann", "Anna", "Lee", "ann@example.org"),
        Student("bob", "Anna", "Lee", "bob@example.org"),
    ]
    folders = {
        "ann": "Anna Lee_1001_assignsubmission_file",
        "bob": "Anna Lee_1002_assignsubmission_file",
    }
    table = Worksheet({"1001": ("ann@example.org",)})
    for student, folder in folders.items():
        at.put(f"{folder}/ps1.ipynb", at.answered(student))
    assert at.collect(roster=namesakes, worksheet=table).new == ["ann", "bob"]
    # The second time without the table: the number of ann is known, that of bob never was.
    for student, folder in folders.items():
        at.put(f"{folder}/ps1.ipynb", at.answered(student, {"ranking.e4": "ap = 1"}))
    assert at.collect(roster=namesakes).replaced == ["ann", "bob"]
    at.grade(sandboxed=False)
    (at.course.root / "roster.csv").unlink()
    said = " ".join(
        run_cli("course", "feedback", NAME, "back.zip", cwd=at.course.root).stdout.split()
    )
    assert "2 pages, 1 of them in folders named as Moodle names them" in said
    assert "not certain which one is theirs: bob. Collect" in said
    with zipfile.ZipFile(at.course.root / "back.zip") as pages:
        assert pages.namelist() == [f"{folders['ann']}/{NAME}.html", f"bob/{NAME}.html"]
    # A notebook that is known to lie in the folder of another student is not taken.
    at.put(f"{folders['ann']}/ps1.ipynb", at.answered("bob"))
    says = dict(at.collect(roster=namesakes).problems)[f"{folders['ann']}/ps1.ipynb"]
    assert says.startswith("is the notebook of bob, handed in as ann's; it is not taken")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("hw.py", b"ap = 1", "hw.py, is no notebook; hand in the .ipynb"),
        ("hw.html", b"<html>", "hw.html, is no notebook; hand in the .ipynb"),
        ("hw.pdf", b"%PDF-1.7", "hw.pdf, is no notebook; hand in the .ipynb"),
        ("hw.rar", b"Rar!", "hw.rar, is an archive that is not a zip"),
        ("hw.zip", b"PK\3\4", "hw.zip, cannot be taken: hw.zip is damaged"),
        ("hw.zip", zipped({"hw.py": "x"}), "it is a zip with no notebooks (hw.py)"),
    ],
)
def test_the_gradebook_says_what_was_handed_in(name, content, says, at):
    folder = "Ann Lee_1001_assignsubmission_file"
    at.put(f"{folder}/{name}", content)
    done = at.collect(roster=[Student("ann", "Ann", "Lee")])
    assert done.missing == ["bob", "cleo"]
    assert says in done.refused["ann"]
    graded = at.grade(sandboxed=False)
    assert says in graded["ann"].problem
    assert graded["bob"].problem == "nothing was handed in"
    notes = {one["id"]: one[f"{NAME} note"] for one in csv.DictReader(at.export().open())}
    assert says in notes["ann"]
    assert says.replace("'", "&#x27;") in at.page("ann")
    assert "not graded yet" in at.page("ann")
    # Moodle takes the page back: it is in the folder that Moodle named.
    file = at.course.root / "back.zip"
    done = return_feedback.archive(at.course, at.assignment, file)
    assert (done.moodle, done.without) == (["ann"], ["bob", "cleo"])
    with zipfile.ZipFile(file) as pages:
        assert pages.namelist() == [f"{folder}/{NAME}.html"]
    # Then the notebook comes, and all of that is over.
    at.put(f"{folder}/ps1.ipynb", at.answered("ann"))
    done = at.collect(roster=[Student("ann", "Ann", "Lee")])
    assert (done.new, done.refused) == (["ann"], {})
    assert at.grade("ann", sandboxed=False)["ann"].problem == ""
