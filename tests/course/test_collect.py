"""Collecting: whose a file is, and what is said of those that fit nobody."""

from __future__ import annotations

import os
import shutil

import pytest

from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course import collect as collecting
from recsys_metrics.workbook.course.collect import Collected, _named
from recsys_metrics.workbook.course.folder import CourseError, Student
from recsys_metrics.workbook.course.release import release
from tests.course.people import NAME

STUDENTS = ["ann", "ann-marie", "bob", "s123", "s1234", "d.e@f.org"]


@pytest.fixture(scope="module")
def made(desk):
    return desk(STUDENTS, ["ranking.e4"])


@pytest.fixture
def at(made, tmp_path, monkeypatch):
    """The desk with downloads of its own, and nothing handed in."""
    for folder in ("submitted", "submitted_earlier"):
        shutil.rmtree(made.course.root / folder, ignore_errors=True)
    monkeypatch.setattr(type(made), "downloads", tmp_path)
    return made


def there(at):
    return {path.parts[-3] for path in (at.course.root / "submitted").glob("*/*/*.ipynb")}


@pytest.mark.parametrize(
    "name",
    ["ann.ipynb", "ann/ps1.ipynb", "ps1_ann_late_4711.ipynb", "Lee, A (ann)/x/y.ipynb",
     "ANN.IPYNB", "whatever.ipynb", "ps1 (2).ipynb"],
)  # fmt: skip
def test_a_signed_notebook_is_known_whatever_it_is_called(name, at):
    at.put(name, at.answered("ann"))
    done = at.collect()
    assert (done.new, done.problems) == (["ann"], [])
    assert there(at) == {"ann"}
    assert at.grade("ann", sandboxed=False)["ann"].points == at.assignment.out_of


@pytest.mark.parametrize(
    ("path", "whose"),
    [
        ("ann.ipynb", ["ann"]),
        ("x/ann-marie.ipynb", ["ann-marie"]),
        ("hann.ipynb", []),
        ("s1234_ps1.ipynb", ["s1234"]),
        ("s123/s1234.ipynb", ["s1234"]),
        ("ann and bob.ipynb", ["ann", "bob"]),
        ("d.e@f.org_ps1.ipynb", ["d.e@f.org"]),
        ("dxe@f.org.ipynb", []),
    ],
)
def test_a_path_names_a_student_by_the_id_as_a_word(path, whose, tmp_path):
    assert _named(type(tmp_path)(path), STUDENTS) == whose


def test_what_is_not_signed_needs_a_name(at):
    at.put("bob.ipynb", {**at.answered("bob"), "metadata": {}})
    at.put("x.ipynb", {**at.answered("ann"), "metadata": {}})
    at.put("ann and s123.ipynb", {**at.answered("ann"), "metadata": {}})
    done = at.collect()
    assert done.new == ["bob"]
    assert dict(done.problems) == {
        "x.ipynb": "names no student, and its signature is lost; put the id into its name",
        "ann and s123.ipynb": "could be of ann or s123, and its signature is lost; put the id "
        "into its name",
    }


def test_a_forged_signature_is_none(at):
    book = at.answered("ann")
    book["metadata"]["recsys_metrics"]["student"] = "bob"
    at.put("x.ipynb", book)
    assert at.collect().new == []
    book["metadata"]["recsys_metrics"] = {"student": 5, "tag": ["x"], "assignment": None}
    at.put("x.ipynb", book)
    assert at.collect().new == []


def test_a_notebook_of_somebody_else_is_named_and_not_taken(at):
    at.put("ann/ps1.ipynb", at.answered("bob"))
    done = at.collect()
    assert done.problems == [
        ("ann/ps1.ipynb", "is the notebook of bob, handed in as ann's; it is not taken")
    ]
    assert there(at) == set()


def test_of_several_the_newest_is_taken_and_the_others_named(at):
    old = at.put("ann_1.ipynb", at.answered("ann", {"ranking.e4": "ap = 1"}))
    new = at.put("ann_2.ipynb", at.answered("ann"))
    same = at.put("copy/ann_2.ipynb", at.answered("ann"))
    os.utime(old, (1, 1)), os.utime(new, (2, 2)), os.utime(same, (1, 1))
    done = at.collect()
    assert done.new == ["ann"]
    assert done.problems == [("ann", "3 files; taken is ann_2.ipynb, not ann_1.ipynb")]
    taken = at.course.notebook("submitted", "ann", NAME)
    assert taken.read_bytes() == new.read_bytes()
    assert taken.with_name("timestamp.txt").read_text() == "1970-01-01 00:00:02.000000 UTC"


def test_what_was_handed_in_before_is_kept(at):
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


def test_links_are_never_followed(at, tmp_path):
    secret = at.course.root / "course.toml"
    (tmp_path / "ann.ipynb").symlink_to(secret)
    (tmp_path / "bob").symlink_to(at.course.root)
    (tmp_path / "s123.ipynb").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "s1234.ipynb")
    done = at.collect()
    assert dict(done.problems) == {
        "ann.ipynb": "is a symbolic link, which is never followed",
        "bob": "is a symbolic link, which is never followed",
        "s123.ipynb": "is a symbolic link, which is never followed",
        "s1234.ipynb": "is no plain file",
    }
    assert there(at) == set()


def test_links_where_submissions_are_kept_are_not_followed_either(at, tmp_path):
    file = at.course.notebook("submitted", "ann", NAME)
    file.parent.mkdir(parents=True)
    file.symlink_to(at.course.root / "course.toml")
    before = (at.course.root / "course.toml").read_bytes()
    at.put("ann.ipynb", at.answered("ann"))
    assert at.collect().problems == [("ann", f"{file} is no plain file; remove it")]
    assert (at.course.root / "course.toml").read_bytes() == before
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert graded.problem == "it is a symbolic link, which is never followed"


def test_the_downloads_are_only_read(at):
    for name in ("ann.ipynb", "bob.pdf", "deep/er/bob.ipynb"):
        at.put(name, at.answered("ann" if name.startswith("ann") else "bob"))
    at.put("odd\nname.ipynb", b"x")
    before = {p: p.read_bytes() for p in at.downloads.rglob("*") if p.is_file()}
    done = at.collect()
    assert {p: p.read_bytes() for p in at.downloads.rglob("*") if p.is_file()} == before
    assert done.new == ["ann", "bob"]
    assert ("bob.pdf", "is no notebook; bob should hand in the .ipynb") in done.problems
    assert any(what == "odd\\nname.ipynb" for what, _ in done.problems)


def test_a_notebook_of_another_assignment_is_named(at):
    done = release(at.course, "ps2", ["ranking.e3"], [Student("ann")])
    try:
        at.put("ann.ipynb", at.answered("ann"))
        found = collecting.collect(at.course, done.assignment, at.downloads)
        assert found.problems == [("ann.ipynb", "is a notebook of ps1, not of ps2")]
        with pytest.raises(CourseError, match="name the assignment; there are: ps1, ps2"):
            assignments.load(at.course)
    finally:
        at.course.manifest("ps2").unlink()


def test_a_folder_that_is_not_there_is_named(at):
    with pytest.raises(CourseError, match="is no folder; unpack the downloads"):
        collecting.collect(at.course, at.assignment, at.downloads / "nowhere")
    with pytest.raises(CourseError, match="no assignment 'ps9' was released; there are: ps1"):
        assignments.load(at.course, "ps9")
