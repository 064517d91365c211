"""Collecting: whose a file is, and what is said of those that fit nobody."""

from __future__ import annotations

import json
import os
import re
import shutil
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from recsys_metrics._core import console
from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course import collect as collecting
from recsys_metrics.workbook.course import course_folder, provenance, summary, times
from recsys_metrics.workbook.course.collect import Collected
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.course.deadlines import Deadline
from recsys_metrics.workbook.course.release import release
from recsys_metrics.workbook.course.times import SubmissionTime, Worksheet
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.simulated_people import NAME

STUDENTS = ["ann", "ann-marie", "bob", "s123", "s1234", "d.e@f.org"]


@pytest.fixture(scope="module")
def made(desk):
    return desk(STUDENTS, ["ranking.e4"])


@pytest.fixture
def at(made, tmp_path, monkeypatch):
    """The desk with downloads of its own, and nothing handed in."""
    for folder in ("submitted", "submitted_earlier", "to_decide"):
        shutil.rmtree(made.course.root / folder, ignore_errors=True)
    made.course.collected(NAME).unlink(missing_ok=True)
    monkeypatch.setattr(type(made), "downloads", tmp_path)
    return made


def collected_students(at):
    return {path.parts[-3] for path in (at.course.root / "submitted").glob("*/*/*.ipynb")}


@pytest.mark.parametrize(
    "name",
    ["ann.ipynb", "ann/ps1.ipynb", "ps1_ann_late_4711.ipynb", "Lee, A (ann)/x/y.ipynb",
     "ANN.IPYNB", "whatever.ipynb", "ps1 (2).ipynb"],
)  # fmt: skip
def test_a_signed_notebook_is_recognised_under_any_name(name, at):
    at.put(name, at.answered("ann"))
    done = at.collect()
    assert (done.new, done.problems) == (["ann"], [])
    assert collected_students(at) == {"ann"}
    assert at.grade("ann", sandboxed=False)["ann"].points == at.assignment.out_of


def test_a_notebook_with_its_words_in_the_cell_of_the_question_is_answered(desk):
    at = desk(["ann"], ["ranking.explain_ideal"])
    book = at.opened("ann")
    next(one for one in book["cells"] if one["id"].endswith("-prompt"))["source"] += "\nBecause."
    # A file that is not answered would be left out beside another one.
    for name, content, time in (("a.ipynb", book, 1), ("b.ipynb", at.opened("ann"), 2)):
        os.utime(at.put(f"ann/{name}", content), (time, time))
    assert at.collect().new == ["ann"]
    submitted = at.course.notebook("submitted", "ann", NAME)
    assert json.loads(submitted.read_text()) == book


@pytest.mark.parametrize("seconds", [2.0**50, 1e300, -(2.0**50)])
def test_a_file_whose_time_is_no_date_is_named_and_not_taken(at, monkeypatch, seconds):
    real = course_folder.file_time

    def file_time(path):
        return real(SimpleNamespace(stat=lambda: SimpleNamespace(st_mtime=seconds)))

    monkeypatch.setattr(course_folder, "file_time", file_time)
    file = at.put("ann.ipynb", at.answered("ann"))
    done = at.collect()
    says = f"its time, {seconds:.0f} seconds after 1970, is no date; give the file another"
    assert [(what, says in problem) for what, problem in done.problems] == [("ann.ipynb", True)]
    assert done.new == []
    with pytest.raises(GradingError, match="is no date; give the file another"):
        collecting.collect(at.course, at.assignment, file, owner="ann")
    monkeypatch.undo()
    assert real(file).tzinfo is UTC


def quarantined_files(at, student=collecting.NOBODY):
    """Return what is kept for a person to decide."""
    return sorted(one.read_bytes() for one in at.course.to_decide(student, NAME).glob("*.ipynb"))


def read_problems(done):
    """Return what is said of each file or student, without where it is kept."""
    return {what: text.partition("; kept as to_decide/")[0] for what, text in done.problems}


def test_an_unsigned_notebook_needs_a_known_name(at):
    at.put("bob.ipynb", {**at.answered("bob"), "metadata": {}})
    nameless = at.put("x.ipynb", {**at.answered("ann"), "metadata": {}}).read_bytes()
    double = at.put("ann and s123.ipynb", {**at.answered("s123"), "metadata": {}}).read_bytes()
    done = at.collect()
    assert done.new == ["bob"]
    assert read_problems(done) == {
        "x.ipynb": "names no student, and its signature is lost; put the id into its name",
        "ann and s123.ipynb": "could be of ann or s123, and its signature is lost",
    }
    assert quarantined_files(at) == sorted([nameless, double])


def test_a_forged_signature_is_invalid(at):
    book = at.answered("ann")
    book["metadata"]["recsys_metrics"]["student"] = "bob"
    at.put("x.ipynb", book)
    assert at.collect().new == []
    book["metadata"]["recsys_metrics"] = {"student": 5, "tag": ["x"], "assignment": None}
    at.put("x.ipynb", book)
    assert at.collect().new == []


def test_the_notebook_of_another_student_is_quarantined(at):
    copy = at.put("ann/ps1.ipynb", at.answered("bob")).read_bytes()
    done = at.collect()
    assert read_problems(done) == {
        "ann/ps1.ipynb": "is the notebook of bob, handed in as ann's; it is not taken"
    }
    assert collected_students(at) == set()
    assert quarantined_files(at, "ann") == [copy]
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert graded.problem == "what was handed in is the notebook of bob; hand in your own"
    assert "a notebook that is not yours" in at.page("ann")
    assert not re.search(r"\bbob\b", at.page("ann"))


def test_the_newest_of_several_files_is_collected(at):
    old = at.put("ann_1.ipynb", at.answered("ann", {"ranking.e4": "ap = 1"}))
    new = at.put("ann_2.ipynb", at.answered("ann"))
    same = at.put("copy/ann_2.ipynb", at.answered("ann"))
    os.utime(old, (1, 1)), os.utime(new, (2, 2)), os.utime(same, (1, 1))
    done = at.collect()
    assert done.new == ["ann"]
    assert done.problems == [
        ("ann", "3 files; taken is ann_2.ipynb, not ann_1.ipynb (kept in submitted_earlier)")
    ]
    taken = at.course.notebook("submitted", "ann", NAME)
    assert taken.read_bytes() == new.read_bytes()
    assert taken.with_name("timestamp.txt").read_text() == "1970-01-01 00:00:02.000000 UTC"
    (earlier,) = at.course.earlier("ann", NAME).iterdir()
    assert earlier.read_bytes() == old.read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("ann/a/ps1.ipynb", "ann/b/ps1.ipynb", "'ann/b/ps1.ipynb', not 'ann/a/ps1.ipynb'"),
        ("ann/a/ps1.ipynb", "ann/b/PS1.IPYNB", "'ann/b/PS1.IPYNB', not 'ann/a/ps1.ipynb'"),
        ("ann/ps1.ipynb", "ann/ps1.ipynb ", "'ann/ps1.ipynb', not 'ann/ps1.ipynb '"),
        ("ann/ps1.ipynb", "ann/b\\ps1.ipynb", "b\\ps1.ipynb, not ps1.ipynb"),
        ("ann/a.ipynb", "ann/x/b.ipynb", "b.ipynb, not a.ipynb"),
    ],
)
def test_files_of_one_name_are_told_apart_by_their_folders(at, old, new, says):
    for time, name in enumerate((old, new), 1):
        content = at.answered("ann", {"ranking.e4": f"ap = {time}"})
        os.utime(at.put(name, content), (time, time))
    assert at.collect().problems == [
        ("ann", f"2 files; taken is {says} (kept in submitted_earlier)")
    ]


def test_files_of_one_name_in_a_zip_are_told_apart_by_their_folders(at):
    archive = at.downloads / "all.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for day, name in enumerate(("ann\\a\\ps1.ipynb", "ann/b/ps1.ipynb"), 1):
            content = at.answered("ann", {"ranking.e4": f"ap = {day}"})
            packed.writestr(zipfile.ZipInfo(name, (2026, 10, day, 0, 0, 0)), json.dumps(content))
    done = collecting.collect(at.course, at.assignment, archive)
    says = "2 files; taken is 'ann/b/ps1.ipynb', not 'ann/a/ps1.ipynb' (kept in submitted_earlier)"
    assert done.problems == [("ann", says)]


def write_unreadable_zip(file, content, where, value):
    """Write a zip, and set bytes in its two headers: where each has them after its signature."""
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("ann_ps1.ipynb", json.dumps(content))
    raw = bytearray(file.read_bytes())
    for signature, more in ((b"PK\3\4", 0), (b"PK\1\2", 2)):
        raw[raw.find(signature) + where + more] = value
    file.write_bytes(raw)


_FLAGS, _METHOD, _VERSION = 6, 8, 4


@pytest.mark.parametrize("kind", ["platform", "student"])
@pytest.mark.parametrize(
    ("where", "value", "says"),
    [
        (_METHOD, 9, "a method that cannot be read (Deflate64, method 9); unpack it, and zip it"),
        (_METHOD, 97, "a method that cannot be read (97); unpack it, and zip it again with the"),
        (_METHOD, 99, "it has a password; ask for it without one"),
        (_FLAGS, 0x40, "it has a password; ask for it without one"),
        (_VERSION, 99, "is a zip that cannot be read (zip file version 9.9); unpack it, and zip"),
    ],
)
def test_a_zip_that_cannot_be_read_is_not_called_damaged(at, tmp_path, kind, where, value, says):
    archive = (tmp_path if kind == "platform" else at.downloads) / "ann_ps1.zip"
    write_unreadable_zip(archive, at.answered("ann"), where, value)
    if kind == "platform" and where == _VERSION:
        with pytest.raises(GradingError, match=re.escape(says)):
            collecting.collect(at.course, at.assignment, archive)
        return
    place = archive if kind == "platform" else at.downloads
    ((_, said),) = collecting.collect(at.course, at.assignment, place).problems
    assert says in said
    assert "damaged" not in said


@pytest.mark.parametrize(
    ("named", "says"),
    [
        (".", "is the folder of a course"),
        ("release/..", "is the folder of a course"),
        ("..", "contains the course's own folder"),
        *((one, f"belongs to the folder {one} ") for one in ("release", "source", "assignments")),
        ("release/ann/ps1", "belongs to the folder release "),
        ("link", "belongs to the folder release "),
        ("handout/ps1.zip", "belongs to the folder handout "),
        ("to_decide", "belongs to the folder to_decide "),
        ("submitted", "belongs to the folder submitted "),
    ],
)
def test_the_folders_of_the_course_are_no_downloads(at, monkeypatch, named, says):
    monkeypatch.chdir(at.course.root)
    for folder in ("to_decide", "submitted", "handout"):
        (at.course.root / folder).mkdir(exist_ok=True)
    with zipfile.ZipFile("handout/ps1.zip", "w") as packed:
        packed.writestr("ann/ps1.ipynb", json.dumps(at.opened("ann")))
    link = at.downloads / "link"
    link.symlink_to(at.course.root / "release")
    with pytest.raises(GradingError, match=f"{says}.*; name the zip that your platform gives, or"):
        collecting.collect(at.course, at.assignment, link if named == "link" else Path(named))
    assert collected_students(at) == set()


def test_the_folders_of_a_copy_of_the_course_are_no_downloads(at):
    copy = shutil.copytree(at.course.root, at.downloads / "copy")
    for folder in (copy, copy / "release", copy / "release" / "ann"):
        with pytest.raises(GradingError, match=r"folder (release )?of a course"):
            collecting.collect(at.course, at.assignment, folder)


def test_a_folder_of_downloads_may_lie_in_the_course(at):
    place = at.course.root / "downloads" / "release" / "ann"
    place.mkdir(parents=True)
    (place / "ps1.ipynb").write_text(json.dumps(at.answered("ann")))
    try:
        done = collecting.collect(at.course, at.assignment, at.course.root / "downloads")
    finally:
        shutil.rmtree(at.course.root / "downloads")
    assert (done.new, done.problems) == (["ann"], [])


def test_a_person_takes_one_file_of_those_kept_and_none_that_was_handed_out(at):
    book = at.course.notebook("release", "ann", NAME)
    with pytest.raises(GradingError, match="belongs to the folder release of a course"):
        collecting.collect(at.course, at.assignment, book, owner="ann")
    for folder in (at.course.to_decide("ann", NAME), at.course.earlier("ann", NAME)):
        folder.mkdir(parents=True)
        (folder / "x.ipynb").write_text(json.dumps(at.answered("ann")))
        done = collecting.collect(at.course, at.assignment, folder / "x.ipynb", owner="ann")
        assert [*done.new, *done.unchanged] == ["ann"]
        assert done.problems == []


def test_a_notebook_in_which_nothing_is_answered_is_named(at):
    says = "is taken as it is, but nothing is answered in it"
    book = at.put("ann/ps1.ipynb", at.opened("ann"))
    at.put("bob/ps1.ipynb", at.answered("bob"))
    for new in (["ann", "bob"], []):
        done = at.collect()
        assert (done.new, done.problems) == (new, [("ann/ps1.ipynb", says)])
    done = collecting.collect(at.course, at.assignment, book, owner="ann")
    assert done.problems == [("ps1.ipynb", says)]


def test_the_newest_of_several_files_is_collected_with_one_time_for_all(at):
    old = at.put("ann/ps1.ipynb", at.answered("ann", {"ranking.e4": "ap = 1"}))
    new = at.put("ann/ps1 (1).ipynb", at.answered("ann"))
    os.utime(old, (1, 1)), os.utime(new, (2, 2))
    when = datetime(2026, 10, 19, 12, tzinfo=UTC)
    sheet = Worksheet(rows=[SubmissionTime("times.csv, line 2", ("", "ann"), when)])
    at.collect(worksheet=sheet)
    taken = at.course.notebook("submitted", "ann", NAME)
    assert taken.read_bytes() == new.read_bytes()
    assert taken.with_name("timestamp.txt").read_text() == "2026-10-19 12:00:00.000000 UTC"


@pytest.mark.parametrize(
    "junk",
    ["__MACOSX/._ann_ps1.ipynb", "__MACOSX/ann/ps1.ipynb", "ann/._ps1.ipynb", "~$ann_ps1.ipynb",
     "~$n_ann.ipynb", "ann/.ipynb_checkpoints/ps1-checkpoint.ipynb", "ann/.git/ps1.ipynb",
     "ann/.venv/lib/ps1.ipynb", "ann/.AppleDouble/ps1.ipynb", "ann/@eaDir/ps1.ipynb",
     "ann/$RECYCLE.BIN/ps1.ipynb", "ann/lost+found/ps1.ipynb", "ann/__pycache__/ps1.ipynb",
     "ann/node_modules/ps1.ipynb", "ann/.DS_Store", "ann/Thumbs.db", "ann/Icon\r"],
)  # fmt: skip
def test_files_that_programs_write_beside_notebooks_are_left_out(junk, at):
    whole = at.put("ann_ps1.ipynb", at.answered("ann"))
    beside = at.put(junk, b"")
    os.utime(whole, (1, 1)), os.utime(beside, (2, 2))
    done = at.collect()
    assert (done.new, done.problems) == (["ann"], [])
    assert at.course.notebook("submitted", "ann", NAME).read_bytes() == whole.read_bytes()
    (left_out,) = done.left_out
    assert f"left out: {left_out}, which macOS" in summary.of_collection(done, NAME)
    whole.unlink()
    assert "ann" not in at.collect().missing


BLANK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
SCRATCH = {**BLANK, "cells": [{"cell_type": "code", "metadata": {}, "source": "1 + 1"}]}


@pytest.mark.parametrize(
    ("name", "content"),
    [("ann/ps1-checkpoint.ipynb", "old"), ("ann/.~ps1.ipynb", "old"), ("ann/.nfs01.ipynb", "old"),
     ("ann/ps1.ipynb.bak", "old"), ("ann/ps1.ipynb~", "old"), ("ann/#ps1.ipynb#", "old"),
     ("ann/Untitled.ipynb", SCRATCH), ("ann/Untitled1.ipynb", BLANK),
     ("ann/again.ipynb", "unanswered")],
)  # fmt: skip
@pytest.mark.parametrize("is_first", [True, False])
def test_a_later_copy_or_blank_notebook_replaces_no_answers(name, content, is_first, at):
    notebooks = {
        "old": at.answered("ann", {"ranking.e4": "ap = 1"}),
        "unanswered": at.opened("ann"),
    }
    whole = at.put("ann/ps1.ipynb", at.answered("ann"))
    if not is_first:
        at.collect()
        whole.unlink()
    beside = at.put(name, notebooks[content] if isinstance(content, str) else content)
    if is_first:
        os.utime(whole, (1, 1)), os.utime(beside, (2, 2))
    elif content == "old":
        return  # a copy alone may be all that a student hands in
    done = at.collect()
    taken = at.course.notebook("submitted", "ann", NAME).read_bytes()
    assert taken == json.dumps(at.answered("ann")).encode()
    says = " ".join(says for _, says in done.problems)
    assert "is not taken: " in says or "files; taken is ps1.ipynb" in says
    place = at.course.earlier("ann", NAME) if is_first else at.course.to_decide("ann", NAME)
    (kept,) = place.iterdir()
    assert kept.read_bytes() == beside.read_bytes()


@pytest.mark.parametrize(
    "name", ["ann/ps1.ipynb.txt", "ann/ps1.json", "ann/ps1", "ps1.ipynb.txt", ".ps1.ipynb",
             "ann/ps1-checkpoint.ipynb", "ann/ps1.ipynb.", "ann/ps1.ipynb "],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_notebook_under_another_ending_or_encoding_is_taken(name, encoding, at):
    at.put(name, json.dumps(at.answered("ann")).encode(encoding))
    done = at.collect()
    assert (done.new, done.problems) == (["ann"], [])
    assert at.grade("ann", sandboxed=False)["ann"].points == at.assignment.out_of


@pytest.mark.parametrize("name", ["ann/ps1.rar", "x/all.tar.gz", "ps1.ipynb.7z"])
def test_an_archive_that_is_no_zip_is_named_and_not_opened(name, at):
    at.put(name, b"PK\3\4")
    ((shown, says),) = at.collect().problems
    assert shown == name
    assert says.startswith("is an archive that is not a zip, and is not opened; ")
    assert ("ann should hand in" if name.startswith("ann") else "collect again") in says


def test_a_checkpoint_alone_is_nothing_handed_in(at):
    at.put("ann/.ipynb_checkpoints/ps1-checkpoint.ipynb", at.answered("ann"))
    assert "ann" in at.collect().missing


@pytest.mark.parametrize("content", [b"", b"no JSON", b"[]", b"\0\5\x16\7Mac OS X"])
def test_a_newer_file_that_is_no_notebook_is_not_collected(content, at):
    whole = at.put("ann_1.ipynb", at.answered("ann"))
    content_of_whole = whole.read_bytes()
    broken = at.put("ann_2.ipynb", content)
    os.utime(whole, (1, 1)), os.utime(broken, (2, 2))
    done = at.collect()
    assert at.course.notebook("submitted", "ann", NAME).read_bytes() == whole.read_bytes()
    said = dict(done.problems)
    assert said["ann_2.ipynb"].startswith("is not taken: it ")
    assert said["ann"].startswith("2 files; taken is ann_1.ipynb, not ann_2.ipynb")
    # Nor in a later download, in which only the last file is.
    whole.unlink()
    done = at.collect()
    assert at.course.notebook("submitted", "ann", NAME).read_bytes() == content_of_whole
    assert done.unchanged == ["ann"]
    assert "The notebook collected before stays" in dict(done.problems)["ann_2.ipynb"]
    assert quarantined_files(at, "ann") == [broken.read_bytes()]


ROSTER = [Student("ann", "Ann", "Lee"), Student("bob", "Bob", "May", "", "18")]
ANNS, BOBS = "Ann Lee_1001_assignsubmission_file", "Bob May_1002_assignsubmission_file"
STRANGERS = "Malory Ory_1003_assignsubmission_file"


@pytest.mark.parametrize("copied_to", [BOBS, STRANGERS])
def test_a_newer_copy_in_another_folder_does_not_replace_the_original(copied_to, at):
    """What a review did: Malory hands in Ann's signed notebook with her answer changed."""
    own = at.put(f"{ANNS}/ps1.ipynb", at.answered("ann"))
    copy = at.put(f"{copied_to}/ps1.ipynb", at.answered("ann", {"ranking.e4": "ap = 99"}))
    os.utime(own, (1, 1)), os.utime(copy, (2, 2))
    for again in range(2):
        done = at.collect(roster=ROSTER)
        assert (done.new, done.unchanged) == (([], ["ann"]) if again else (["ann"], []))
        assert at.course.notebook("submitted", "ann", NAME).read_bytes() == own.read_bytes()
        (said,) = done.problems
        assert said[0] == f"{copied_to}/ps1.ipynb"
        assert "ann" in said[1]
        assert "for you to decide" in said[1]
        assert quarantined_files(at, "bob" if copied_to == BOBS else "ann") == [copy.read_bytes()]
    own.unlink()
    assert at.collect(roster=ROSTER).replaced == []
    assert at.course.notebook("submitted", "ann", NAME).read_bytes() != copy.read_bytes()


def test_two_accounts_of_one_student_are_quarantined(at):
    twins = [Student("ann", "Twin", "Same")]
    first = at.put("Twin Same_1_assignsubmission_file/a.ipynb", at.answered("ann"))
    second = at.put("Twin Same_2_assignsubmission_file/a.ipynb",
                    at.answered("ann", {"ranking.e4": "ap = 9"}))  # fmt: skip
    done = at.collect(roster=twins)
    assert collected_students(at) == set()
    assert set(read_problems(done).values()) == {"is one of 2 that claim to be ann's"}
    assert quarantined_files(at, "ann") == sorted([first.read_bytes(), second.read_bytes()])
    # A person decides, and is not asked again.
    chosen = next(
        one for one in at.course.to_decide("ann", NAME).iterdir()
        if one.read_bytes() == first.read_bytes()
    )  # fmt: skip
    done = collecting.collect(at.course, at.assignment, chosen, owner="ann")
    assert done.new == ["ann"]
    done = at.collect(roster=twins)
    assert (done.unchanged, done.problems) == (["ann"], [])
    # The account itself may hand in anew.
    first.write_bytes(second.read_bytes() + b" ")
    second.unlink()
    assert at.collect(roster=twins).replaced == ["ann"]


def test_what_a_person_decides_has_the_time_and_the_folder_it_was_handed_in_with(at):
    known = [Student("ann", "Ann", "Lee")]
    at.put("Ann Lee_1_assignsubmission_file/a.ipynb", at.answered("ann", {"ranking.e4": "ap = 9"}))
    at.collect(roster=known)
    for one in at.downloads.rglob("*.ipynb"):
        one.unlink()
    later = at.put("ann_ps1.ipynb", at.answered("ann"))
    os.utime(later, (2, 2))
    at.collect(roster=known)
    (kept,) = at.course.to_decide("ann", NAME).iterdir()
    assert collecting.collect(at.course, at.assignment, kept, owner="ann").replaced == ["ann"]
    stamp = at.course.notebook("submitted", "ann", NAME).with_name("timestamp.txt")
    assert stamp.read_text() == "1970-01-01 00:00:02.000000 UTC"
    origin = provenance.read(at.course, NAME)["ann"]
    assert origin.path == "Ann Lee_1_assignsubmission_file/a.ipynb"


def test_two_files_known_only_by_signature_are_quarantined(at):
    at.put("Notebook (3).ipynb", at.answered("ann"))
    at.put("Notebook (7).ipynb", at.answered("ann", {"ranking.e4": "ap = 9"}))
    assert set(read_problems(at.collect()).values()) == {"is one of 2 that claim to be ann's"}
    assert collected_students(at) == set()
    assert len(quarantined_files(at, "ann")) == 2


def test_a_stray_copy_of_a_collected_file_is_quarantined(at):
    at.put("ann.ipynb", at.answered("ann"))
    at.put("Notebook (7).ipynb", at.answered("ann", {"ranking.e4": "ap = 9"}))
    done = at.collect()
    assert done.new == ["ann"]
    assert read_problems(done) == {
        "Notebook (7).ipynb": "has the signature of ann, who handed in ann.ipynb"
    }


def test_a_later_file_of_unknown_origin_does_not_replace(at):
    first = at.put("Notebook (3).ipynb", at.answered("ann"))
    assert at.collect().new == ["ann"]
    first.rename(first.with_name("Notebook (8).ipynb"))
    at.put("Notebook (8).ipynb", at.answered("ann", {"ranking.e4": "ap = 9"}))
    done = at.collect()
    assert (done.replaced, done.new) == ([], [])
    assert read_problems(done) == {
        "Notebook (8).ipynb": "comes from the file Notebook (8).ipynb, what is there from the "
        "file Notebook (3).ipynb"
    }


def test_canvas_resubmissions_are_ordered_by_number(at):
    roster = [Student("ann", lms_id="17")]
    new = at.put("leeann_LATE_17_4712_ps1-1.ipynb", at.answered("ann"))
    old = at.put("leeann_17_4711_ps1.ipynb", at.answered("ann", {"ranking.e4": "ap = 9"}))
    # In Canvas's zip the times are those of the making of the zip, in any order.
    os.utime(old, (9, 9)), os.utime(new, (2, 2))
    done = at.collect(roster=roster)
    assert done.new == ["ann"]
    assert at.course.notebook("submitted", "ann", NAME).read_bytes() == new.read_bytes()
    assert provenance.read(at.course, NAME)["ann"].is_late


def test_a_file_of_an_unknown_lms_account_is_quarantined(at):
    at.put("orymalory_1002_77_ps1.ipynb", at.answered("ann"))
    at.put(f"{STRANGERS}/ps1.ipynb", {**at.answered("bob"), "metadata": {}})
    done = at.collect(roster=ROSTER)
    assert collected_students(at) == set()
    assert read_problems(done) == {
        "orymalory_1002_77_ps1.ipynb": "was handed in as Canvas's orymalory (1002), whom the "
        "roster does not know, and its signature says it is ann's; write the number into the "
        "column lms_id of roster.csv, or the name",
        f"{STRANGERS}/ps1.ipynb": "was handed in as Moodle's Malory Ory (1003), whom the roster "
        "does not know; write the number into the column lms_id of roster.csv, or the name",
    }


def test_a_download_counter_is_not_a_student_id(desk):
    """Student 17 hands in `ps1 (3).ipynb`, and there is a student 3."""
    at = desk(["3", "17"], ["ranking.e4"])
    at.put("ps1 (3).ipynb", at.answered("17"))
    done = at.collect()
    assert (done.new, done.missing, done.problems) == (["17"], ["3"], [])


def test_a_time_in_the_future_is_reported(at):
    file = at.put("ann.ipynb", at.answered("ann"))
    os.utime(file, (4_000_000_000, 4_000_000_000))
    (said,) = at.collect().problems
    assert said == ("ann", "its time, 2096-10-02 07:06 UTC by the file, has not come yet")
    assert at.grade("ann", sandboxed=False)["ann"].notes == [
        "its time has not come yet: 2096-10-02 07:06"
    ]


def test_the_time_of_the_lms_precedes_the_file_time(at):
    at.put("ann.ipynb", at.answered("ann"))
    when = datetime(2026, 11, 20, 12, tzinfo=UTC)
    sheet = Worksheet(rows=[SubmissionTime("times.csv, line 2", ("", "ann"), when)])
    at.collect(worksheet=sheet)
    stamp = at.course.notebook("submitted", "ann", NAME).with_name("timestamp.txt")
    assert stamp.read_text() == "2026-11-20 12:00:00.000000 UTC"
    at.collect()
    assert stamp.read_text() == "2026-11-20 12:00:00.000000 UTC"
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert (graded.handed_in, graded.time_from) == (
        datetime(2026, 11, 20, 12, tzinfo=UTC), "the learning system"
    )  # fmt: skip


def test_two_students_of_one_name_keep_their_accounts(desk, tmp_path):
    """The worksheet tells them apart, or their signatures do: the accounts are the same."""
    at = desk(["ann1", "ann2"], ["ranking.e4"])
    roster = [Student(one, "Ann", "Lee", f"{one}@example.org") for one in at.assignment.students]
    for number, student in enumerate(at.assignment.students, 1001):
        at.put(f"Ann Lee_{number}_assignsubmission_file/ps1.ipynb", at.answered(student))
    sheet = tmp_path / "worksheet.csv"
    head = "Identifier,Full name,Email address,Status,Grade,Last modified (submission)"
    rows = [
        f'Participant {number},Ann Lee,{student}@example.org,Submitted,,"Friday, 20 November 2026, '
        '9:00 PM"'
        for number, student in enumerate(at.assignment.students, 1001)
    ]
    sheet.write_text("\n".join([head, *rows, ""]))
    settings = at.course.root / course_folder.SETTINGS
    settings.write_text(f'time_zone = "Europe/Berlin"\n{settings.read_text()}')
    course = course_folder.read(at.course.root)
    for worksheet in (None, times.read(course, sheet), None):
        done = at.collect(roster=roster, worksheet=worksheet)
        assert done.problems == []
        assert len([*done.new, *done.unchanged]) == 2
    # Another account that has the signature of one of them is still for a person to decide.
    at.put("Ann Lee_1003_assignsubmission_file/ps1.ipynb", at.answered("ann1"))
    assert "ann1" in at.collect(roster=roster).refused or at.collect(roster=roster).problems


def test_the_same_file_uploaded_later_is_said_where_that_costs_points(desk):
    at = desk(["ann", "bob"], ["ranking.e4"])
    due = datetime(2026, 11, 5, 12, tzinfo=UTC)
    deadline = Deadline(due, percent=10)
    at.course = replace(at.course, deadlines={NAME: deadline})
    for one in ("ann", "bob"):
        at.put(f"{one}_ps1.ipynb", at.answered(one))

    def collect(ann, bob):
        given = {"ann": ann, "bob": bob}
        rows = [
            SubmissionTime(f"times.csv, line {line}", ("", one), due + timedelta(hours=hours))
            for line, (one, hours) in enumerate(given.items(), 2)
        ]
        return at.collect(worksheet=Worksheet(rows=rows))

    assert collect(-2, -2).problems == []
    done = collect(1, -1)
    assert done.unchanged == ["ann", "bob"]
    ((who, says),) = done.problems
    assert who == "ann"
    assert "from 2026-11-05 10:00 UTC to 2026-11-05 13:00 UTC: lateness now costs 10%" in says
    assert collect(1, -1).problems == []


def test_the_report_says_what_the_times_come_from(desk, tmp_path):
    at = desk(["ann", "bob"], ["ranking.e4"])
    for student in at.assignment.students:
        at.put(f"{student}.ipynb", at.answered(student))
    sheet = tmp_path / "times.csv"
    sheet.write_text("id,submitted\nann,2026-11-20T12:00Z\n")
    done = at.collect(worksheet=times.read(at.course, sheet))
    told = summary.of_collection(done, "ps1")
    assert "times of handing in: 1 by the file and 1 by the learning system" in told


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "neither the columns `id` and `submitted`.* its first line is blank"),
        ("id,when\n", "neither the columns `id` and `submitted`.* its first line is id,when"),
        (
            "id,submitted\nann,-\nID,Submitted\n",
            "line 3: the names of the columns of line 1 are rep",
        ),
    ],
)
def test_a_table_without_columns_of_times_raises(text, says, at, tmp_path):
    sheet = tmp_path / "times.csv"
    sheet.write_text(text)
    with pytest.raises(GradingError, match=says):
        times.read(at.course, sheet)


@pytest.mark.parametrize("other", ["ann", "ANN", "ann@example.org"])
def test_two_times_of_one_student_raise(other, at, tmp_path):
    sheet = tmp_path / "times.csv"
    roster = [Student("ann", email="ann@example.org")]
    sheet.write_text(f"id,submitted\nann,2026-11-20T12:00Z\n{other},2026-11-22T12:00Z\n")
    with pytest.raises(GradingError, match=rf"times: .*line 2 \(ann\) and .*line 3 \({other}\)"):
        at.collect(worksheet=times.read(at.course, sheet), roster=roster)
    sheet.write_text(f"id,submitted\nann,2026-11-20T12:00Z\n{other},2026-11-20T13:00+01:00\n")
    at.collect(worksheet=times.read(at.course, sheet), roster=roster)


def test_a_time_of_an_unknown_student_is_reported(at, tmp_path):
    sheet = tmp_path / "elsewhere" / "times.csv"
    sheet.parent.mkdir()
    sheet.write_text("id,submitted\nann,2026-11-20T12:00Z\nbobb,2026-11-20T12:00Z\n")
    at.put("bob.ipynb", at.answered("bob"))
    done = at.collect(worksheet=times.read(at.course, sheet))
    assert done.problems[0] == (
        f"{sheet}, line 3 (bobb)",
        "does not name one student of ps1; its time is not used. Correct the id, or the roster",
    )


def test_file_names_are_printed_without_control_characters(at, capsys):
    """A name that a shell of a terminal obeys, twice over so that both are named."""
    at.put("ann_a\x1b[31mRED\n\u202e.ipynb", at.answered("ann", {"ranking.e4": "ap = 9"}))
    at.put("ann_b.ipynb", at.answered("ann"))
    at.put("é\x9b_\x1b]0;title\x07.ipynb", b"x")
    os.mkdir(os.fsencode(at.downloads) + b"/bad\xff\xfe")  # noqa: PTH102
    at.put("bad\udcff\udcfe/\x1b.ipynb", b"y")
    console.say(summary.of_collection(at.collect(), NAME))
    told = capsys.readouterr().out
    assert told.replace("\n", "").isprintable()
    assert "\\x1b[31mRED\\n\\u202e" in told
    assert "é\\x9b" in told


def test_earlier_submissions_are_archived(at):
    first = at.put("ann.ipynb", at.answered("ann", {"ranking.e4": "ap = 1"})).read_bytes()
    assert at.collect().new == ["ann"]
    assert at.collect().unchanged == ["ann"]
    at.put("ann.ipynb", at.answered("ann"))
    done = at.collect()
    assert (done.new, done.replaced, done.unchanged) == ([], ["ann"], [])
    (earlier,) = at.course.earlier("ann", NAME).iterdir()
    assert earlier.read_bytes() == first
    (at.downloads / "ann.ipynb").unlink()
    assert at.collect() == Collected(missing=STUDENTS[1:])


def test_symbolic_links_are_not_followed(at, tmp_path):
    secret = at.course.root / "course.toml"
    (tmp_path / "ann.ipynb").symlink_to(secret)
    (tmp_path / "bob").symlink_to(at.course.root)
    (tmp_path / "s123.ipynb").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "s1234.ipynb")
    done = at.collect()
    assert dict(done.problems) == {
        "ann.ipynb": "is a symbolic link, which is never followed; put the file itself there",
        "bob": "is a symbolic link, which is never followed; put the file itself there",
        "s123.ipynb": "is a symbolic link, which is never followed; put the file itself there",
        "s1234.ipynb": "is no plain file; put a copy of the file there",
    }
    assert collected_students(at) == set()


def test_symbolic_links_in_the_submission_folder_are_not_followed(at, tmp_path):
    file = at.course.notebook("submitted", "ann", NAME)
    file.parent.mkdir(parents=True)
    file.symlink_to(at.course.root / "course.toml")
    before = (at.course.root / "course.toml").read_bytes()
    at.put("ann.ipynb", at.answered("ann"))
    assert at.collect().problems == [("ann", f"{file} is no plain file; remove it")]
    assert (at.course.root / "course.toml").read_bytes() == before
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert graded.problem == "it is a symbolic link, which is never followed"


@pytest.mark.parametrize("link", ["ann", f"ann/{NAME}"])
def test_a_linked_submission_folder_is_not_written_to(link, at, tmp_path):
    outside = tmp_path.with_name(f"{tmp_path.name}-outside")
    outside.mkdir()
    place = at.course.root / "submitted" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(outside)
    at.put("ann.ipynb", at.answered("ann"))
    done = at.collect()
    assert done.problems == [("ann", f"{place} is a symbolic link; replace it by a folder")]
    assert list(outside.iterdir()) == []


def test_the_downloads_are_not_modified(at):
    at.put("ann.ipynb", at.answered("ann"))
    at.put("deep/er/bob.ipynb", at.answered("bob"))
    at.put("bob.pdf", b"%PDF-1.7")
    at.put("odd\nname.ipynb", b"x")
    before = {p: p.read_bytes() for p in at.downloads.rglob("*") if p.is_file()}
    done = at.collect()
    assert {p: p.read_bytes() for p in at.downloads.rglob("*") if p.is_file()} == before
    assert done.new == ["ann", "bob"]
    assert ("bob.pdf", "is no notebook; bob should hand in the .ipynb") in done.problems
    assert any(what == "odd\\nname.ipynb" for what, _ in done.problems)


def test_a_notebook_of_another_assignment_is_reported(at):
    done = release(at.course, "ps2", ["ranking.e3"], [Student("ann")])
    try:
        at.put("ann.ipynb", at.answered("ann"))
        found = collecting.collect(at.course, done.assignment, at.downloads)
        assert found.problems == [("ann.ipynb", "is a notebook of ps1, not of ps2")]
        with pytest.raises(GradingError, match=r"there are: ps1, ps2\. Each command begins with"):
            assignments.load(at.course, "downloads.zip")
    finally:
        at.course.manifest("ps2").unlink()


def test_a_missing_folder_raises(at):
    with pytest.raises(GradingError, match="is not there; name the zip that your platform gives"):
        collecting.collect(at.course, at.assignment, at.downloads / "nowhere")
    with pytest.raises(GradingError, match="no assignment 'ps9' was released; there are: ps1"):
        assignments.load(at.course, "ps9")


@pytest.mark.parametrize("place", ["submitted/ann", "submitted/ann/ps1", "timestamp.txt"])
def test_what_stands_in_the_way_of_one_student_stops_no_other(place, at):
    way = at.course.root / (place if "/" in place else f"submitted/ann/ps1/{place}")
    way.parent.mkdir(parents=True)
    way.mkdir() if place == "timestamp.txt" else way.write_text("x")
    at.put("ann.ipynb", at.answered("ann")), at.put("bob.ipynb", at.answered("bob"))
    done = at.collect()
    assert done.new == ["bob"]
    ((student, says),) = done.problems
    assert (student, says.endswith("; remove it")) == ("ann", True)
    way.rmdir() if way.is_dir() else way.unlink()
    assert at.collect().new == ["ann"]
