"""A capstone: planted faults are found and no others, the test opens once, numbers come out."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shutil
import zipfile

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from recsys_metrics.cli import _app
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course import course_folder, export, gradebook
from recsys_metrics.workbook.course.capstone import (
    diagnosis,
    expected_numbers,
    files,
    frozen_test,
    marker,
    marking,
    marks,
    models,
    report_check,
    rubric,
    student_page,
    tables,
)
from recsys_metrics.workbook.course.capstone.files import Capstone
from recsys_metrics.workbook.course.capstone.marking import ClaimedFault
from recsys_metrics.workbook.course.capstone.report import Cited, read_text
from recsys_metrics.workbook.course.capstone.scenario import FAULTS, PLANTED, CapstoneCase, deal
from recsys_metrics.workbook.course.course_folder import Student, create
from recsys_metrics.workbook.grading import signatures
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course import capstone_students as people
from tests.tiers import of_a_course

pytestmark = of_a_course

KEY = "5e" * 32
STUDENTS = ["ann", "bob", "cleo", "dan", "eve"]


@pytest.fixture(scope="module")
def given_out(tmp_path_factory):
    """Give out a capstone to five students, as it is before anybody hands in."""
    course = create(tmp_path_factory.mktemp("capstone") / "course", "recsys")
    capstone = Capstone(course, "final")
    done = dict(files.make(capstone, [Student(one) for one in STUDENTS]))
    assert done == dict.fromkeys(STUDENTS, True)
    return capstone


@pytest.fixture(scope="module")
def handed_in(given_out, tmp_path_factory):
    """Have one of each kind plan, have their test opened, and report."""
    place = tmp_path_factory.mktemp("downloads")
    for student, kind in people.by_kind(STUDENTS):
        people.write(given_out, student, kind, place / "plans")
    said = dict(files.open_tests(given_out, place / "plans"))
    for student, kind in people.by_kind(STUDENTS):
        people.write(given_out, student, kind, place / "reports")
    return given_out, place, said


# What is wrong with a case ----------------------------------------------------------------------


def test_seventy_students_get_different_faults():
    dealt = [deal(KEY, "final", place) for place in range(70)]
    assert len(set(dealt)) == 70 == math.comb(len(FAULTS), PLANTED)
    assert deal(KEY, "final", 70) == dealt[0]
    assert dealt != [deal(KEY, "other", place) for place in range(70)]
    assert dealt != [deal("5f" * 32, "final", place) for place in range(70)]


@pytest.mark.parametrize("fault", [*FAULTS, None])
def test_diagnosis_finds_exactly_the_planted_fault(fault):
    case = CapstoneCase("one", {fault} - {None})
    found = case.tables()
    assert diagnosis.found(found, case.claim(found["experiment"])) == case.faults


def test_a_case_is_reproducible_from_its_seed():
    first, again, other = (CapstoneCase(seed, {"time_leak"}).tables() for seed in ("x", "x", "y"))
    for name, table in first.items():
        assert tables.as_csv(table) == tables.as_csv(again[name])
        assert tables.as_csv(table) != tables.as_csv(other[name])


def test_without_faults_the_estimates_are_close_to_the_truth():
    case = CapstoneCase("sound", set())
    found, truth = case.tables(), case.truth()
    weights = found["feed"]["chance_b"] / found["feed"]["chance"]
    values = weights * found["feed"]["click"]
    error = values.std() / math.sqrt(len(values))
    assert abs(values.mean() - truth["feed_b"]) < 4 * error
    lift = expected_numbers.NUMBERS["lift"]
    assert (
        expected_numbers.NUMBERS["lift_low"].of(found) - 0.1 < truth["gain"] < lift.of(found) + 0.4
    )


def test_an_unknown_fault_raises():
    with pytest.raises(ValueError, match="there is no fault 'rain'; there are time_leak"):
        CapstoneCase("x", {"rain"})


def test_a_table_survives_writing_and_reading(tmp_path):
    table = {"user": np.array([3, 1]), "kind": np.array(["light", "heavy"]), "x": [0.5, 2.25]}
    table["x"] = np.array(table["x"])
    (tmp_path / "t.csv").write_text(tables.as_csv(table))
    back = tables.read(tmp_path / "t.csv")
    assert {name: values.tolist() for name, values in back.items()} == {
        "user": [3, 1],
        "kind": ["light", "heavy"],
        "x": [0.5, 2.25],
    }
    with pytest.raises(GradingError, match=r"no\.csv cannot be read"):
        tables.read(tmp_path / "no.csv")


# What a student gets ----------------------------------------------------------------------------


def test_case_texts_do_not_reveal_the_faults(given_out):
    """All texts are the same but for numbers and names; the files have the same columns."""
    texts, heads = set(), set()
    for student in STUDENTS:
        case = given_out.case(student)
        names = sorted(file.name for file in case.iterdir())
        tables_of = [name for name in names if name.endswith(".csv")]
        heads.add(str([(case / name).read_text().split("\n")[0] for name in tables_of]))
        written = (case / "brief.md").read_text()
        for name in (*files._SHOPS, *files._OWNERS):
            written = written.replace(name, "NAME")
        notebook = json.loads((case / "final.ipynb").read_text())
        about = notebook["metadata"].pop("recsys_metrics")
        assert about["student"] == student
        texts.add(re.sub(r"-?[\d.]+", "0", written) + json.dumps(notebook) + str(names))
        assert not {"test.csv", "cases.json", "test.json"} & set(names)
        for fault in FAULTS:
            assert fault not in (case / "brief.md").read_text()
    assert len(texts) == len(heads) == 1


def test_each_student_has_different_detectable_faults(given_out):
    planted = {student: given_out.given[student]["faults"] for student in STUDENTS}
    assert len(set(map(tuple, planted.values()))) == len(STUDENTS)
    for student, faults in planted.items():
        assert people.signs(given_out, student) == faults


def test_existing_cases_are_kept_and_a_new_student_gets_one(given_out, tmp_path):
    here = Capstone(given_out.course, "later")
    assert list(files.make(here, [Student("ann")])) == [("ann", True)]
    before = (here.case("ann") / "feed.csv").read_bytes()
    (here.case("ann") / "later.ipynb").write_text("mine")
    assert list(files.make(here, [Student("ann"), Student("zoe")])) == [
        ("ann", False),
        ("zoe", True),
    ]
    assert (here.case("ann") / "feed.csv").read_bytes() == before
    assert (here.case("ann") / "later.ipynb").read_text() == "mine"
    assert [here.given[one]["number"] for one in ("ann", "zoe")] == [0, 1]


def test_a_duplicate_or_unknown_capstone_name_raises(given_out):
    given_out.course.manifest("ps1").write_text("{}")
    with pytest.raises(GradingError, match="ps1 is an assignment of this course"):
        list(files.make(Capstone(given_out.course, "ps1"), [Student("ann")]))
    with pytest.raises(GradingError, match="there is no capstone 'none'; make it"):
        _ = Capstone(given_out.course, "none").given


# Numbers ----------------------------------------------------------------------------------------


def two_user_tables():
    """Two users, lists of eleven, a week from day 10; computed by hand below."""
    clicks = {
        "user": np.array([0, 0, 1]),
        "item": np.array([1, 99, 5]),
        "day": np.array([11, 10, 12]),
        "part": np.array(["tune", "tune", "compare"]),
    }
    items = np.tile(np.arange(1, 21), 2)
    lists = {
        "user": np.repeat([0, 1], 20),
        "rank": np.tile(np.arange(1, 21), 2),
        "item": items,
        "score": np.tile(np.repeat(np.arange(20, 10, -1), 2) / 2, 2),
    }
    lists["score"][9] += 0.1
    return {
        "clicks": clicks,
        "train": {"user": np.array([0, 1]), "item": np.array([5, 5]), "day": np.array([9, 12])},
        "lists_a": {**lists, "item": np.roll(items, 20)},
        "lists_b": lists,
        "feed": {
            "chance": np.array([0.5, 0.2, 0.8, 0.1]),
            "chance_b": np.array([0.25, 0.4, 0.4, 0.1]),
            "click": np.array([1, 0, 1, 0]),
        },
        "experiment": {
            "user": np.array([1, 2, 3, 4, 5, 1]),
            "group": np.array(["a", "a", "b", "b", "b", "a"]),
            "kind": np.array(["light", "heavy", "light", "usual", "heavy", "light"]),
            "impressions": np.array([10, 10, 10, 20, 20, 10]),
            "clicks": np.array([1, 2, 2, 3, 4, 1]),
        },
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall_b", (1 / 2 + 1) / 2),
        ("recall_b_tune", 1 / 2),
        ("recall_b_compare", 1),
        ("rows_after_cut", 1),
        ("sound_recall_b", 1 / 2),
        ("tied_lists_b", 0),
        ("clicks_per_slate", 0.5),
        ("mean_weight", (0.5 + 2 + 0.5 + 1) / 4),
        ("effective_slates", 16 / 5.5),
        ("value_b_ips", (0.5 + 0.5) / 4),
        ("value_b_snips", 1 / 4),
        ("doubled_users", 1),
        ("people_a", 2),
        ("people_b", 3),
        ("lift", 3 - 1.5),
    ],
)
def test_expected_numbers_computed_by_hand(name, value):
    assert expected_numbers.NUMBERS[name].of(two_user_tables()) == pytest.approx(value)


def test_ties_at_the_cut_are_counted_by_list():
    found = two_user_tables()
    found["lists_b"]["score"] = np.tile(np.repeat(np.arange(7, 0, -1), 3)[:20], 2)
    assert expected_numbers.NUMBERS["tied_lists_b"].of(found) == 2


@pytest.fixture(scope="module")
def full_of_faults():
    case = CapstoneCase("all", set(FAULTS) - {"sample_ratio"})
    return case.tables()


def test_every_number_is_finite_and_differs_from_its_mistakes(full_of_faults):
    for number in expected_numbers.NUMBERS.values():
        right = number.of(full_of_faults)
        assert math.isfinite(right), number.name
        # Nothing is wrong with the lists of a.
        mistakes = {} if number.name.endswith("recall_a") else number.mistakes(full_of_faults)
        for words, value in mistakes.items():
            assert value != pytest.approx(right, abs=1e-9), (number.name, words)


def test_each_fault_has_its_number():
    assert expected_numbers.EVIDENCE.keys() == FAULTS.keys()
    assert set(expected_numbers.EVIDENCE.values()) <= expected_numbers.NUMBERS.keys()


# What a report says -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "says"),
    [
        ("0.31", 0.3126, True),
        ("0.32", 0.3126, False),
        ("31.3 %", 0.3126, True),
        ("31 %", 0.3126, True),
        ("0.313", 0.3124, False),
        ("-0.25", -0.2519, True),
        ("\N{MINUS SIGN}0.25", -0.2519, True),
        ("1,927", 1927, True),
        ("1927", 1927, True),
        ("1926", 1927, False),
        ("2.1e-5", 2.13e-5, True),
        ("< 0.001", 1e-6, True),
        ("< 0.001", 0.01, False),
        ("0,31", 0.3126, False),
        ("0,950", 950, False),
        ("about 3", 3, False),
        ("", 0, False),
    ],
)
def test_a_cited_number_may_be_rounded(text, value, says):
    assert Cited("x", text).says(value) is says


def test_named_statements_are_parsed_from_the_report():
    said = read_text(
        "It is `recall_a = 0.31` and `recall_b=0.3`; `fault = time_leak`, `fault = time_leak`.\n"
        "`plan_measure = ndcg@5` `plan_margin = 0.01` `decision = B` and `lift = ...`, `x[0] = 1`"
    )
    assert [(one.name, one.text) for one in said.cited] == [
        ("recall_a", "0.31"),
        ("recall_b", "0.3"),
    ]
    assert said.cited[1].is_coarse
    assert (said.faults, said.decision) == (["time_leak"], "b")
    assert frozen_test.plan_of(said) == frozen_test.FrozenPlan("ndcg@5", 0.01)
    assert read_text("`decision = a` `decision = b`").decision == ""
    twice = "`plan_measure = ndcg@5` `plan_margin = 0.01` "
    twice += twice.replace("0.01", "0.010")
    assert frozen_test.plan_of(read_text(twice)) == frozen_test.FrozenPlan("ndcg@5", 0.01)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it has no plan yet"),
        ("`plan_measure = mood@10`", "it plans 'mood@10', and the test knows recall@5"),
        ("`plan_measure = recall@10`", "it has no margin"),
        ("`plan_measure = recall@10` `plan_margin = some`", "it says 'some'"),
        ("`plan_measure = recall@10` `plan_margin = 2`", "its margin is 2; give"),
        ("`plan_measure = recall@10` `plan_margin = nan`", "its margin is nan; give"),
        (
            "`plan_measure = recall@10` `plan_measure = ndcg@10` `plan_margin = 0.01`",
            "it has several plans: `plan_measure = recall@10` and `plan_measure = ndcg@10`; keep",
        ),
        (
            "`plan_measure = recall@10` `plan_margin = 0.01` `plan_margin = 0`",
            "it has several plans: `plan_margin = 0.01` and `plan_margin = 0`; keep",
        ),
    ],
)
def test_an_incomplete_plan_raises_with_a_reason(text, says):
    with pytest.raises(GradingError, match=re.escape(says)):
        frozen_test.plan_of(read_text(text))


# The test ---------------------------------------------------------------------------------------


def test_the_frozen_test_opens_once_per_plan(handed_in, tmp_path):
    capstone, _, said = handed_in
    assert said["ann"] == "opened, by recall@10 and a margin of 0.005"
    assert said["eve"].startswith("not opened: it has no plan yet")
    before = capstone.opened("ann").read_bytes()
    told = json.loads((capstone.case("ann") / "test.json").read_text())
    assert told["about"].startswith("Opened once, on ")
    people.write(capstone, "ann", "overclaiming", tmp_path)
    again = dict(files.open_tests(capstone, tmp_path))
    assert again["ann"].endswith("and is not opened again")
    assert capstone.opened("ann").read_bytes() == before
    with pytest.raises(GradingError, match="was opened, and is not opened again"):
        frozen_test.keep(capstone.opened("ann"), capstone.opened_for("ann"))
    # A result that was lost, or could not be written on a full disk, is written again.
    result = capstone.case("ann") / "test.json"
    first = result.read_bytes()
    result.unlink()
    assert dict(files.open_tests(capstone, tmp_path))["ann"].endswith("is not opened again")
    assert result.read_bytes() == first


def test_no_test_is_opened_by_one_of_several_plans_or_by_a_copy(given_out, tmp_path, monkeypatch):
    opened = tmp_path / "opened"
    monkeypatch.setattr(Capstone, "opened", lambda self, student: opened / f"{student}.json")
    place = tmp_path / "downloads"
    file = people.write(given_out, "ann", "thorough", place)
    text = file.read_text(encoding="utf-8")
    assert "plan_measure = recall@10" in text
    other = text.replace("plan_measure = recall@10", "plan_measure = ndcg@10")
    (place / "another.ipynb").write_text(other, encoding="utf-8")
    said = dict(files.open_tests(given_out, place))
    assert said["ann"].startswith("not opened: several notebooks have different plans")
    (place / "another.ipynb").unlink()
    one = "`plan_measure = recall@10`"
    file.write_text(text.replace(one, f"{one} `plan_measure = ndcg@10`"), encoding="utf-8")
    said = dict(files.open_tests(given_out, place))
    assert said["ann"].startswith("not opened: it has several plans: `plan_measure = recall@10`")
    assert not opened.exists()
    file.write_text(text, encoding="utf-8")
    for name in (".git/a.ipynb", "._a.ipynb", ".ipynb_checkpoints/a.ipynb", "__MACOSX/a.ipynb"):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(other, encoding="utf-8")
    (place / "equal.ipynb").write_text(text, encoding="utf-8")
    assert dict(files.open_tests(given_out, place))["ann"].startswith("opened, by recall@10")
    (given_out.case("ann") / "test.json").unlink()
    with pytest.raises(GradingError, match="is not there; name the folder or zip of the downloads"):
        dict(files.open_tests(given_out, tmp_path / "nowhere"))


@pytest.mark.parametrize("name", ["bob_final.ipynb", "bob/final.ipynb"])
def test_no_test_is_opened_by_the_notebook_of_another_student(
    given_out, tmp_path, monkeypatch, name
):
    opened = tmp_path / "opened"
    monkeypatch.setattr(Capstone, "opened", lambda self, student: opened / f"{student}.json")
    file = people.write(given_out, "ann", "thorough", tmp_path / "plans")
    place = tmp_path / "downloads" / name
    place.parent.mkdir(parents=True)
    file.rename(place)
    assert list(files.open_tests(given_out, tmp_path / "downloads")) == [
        (f"{name} (bob)", "it is the notebook of ann, handed in as bob's; it is not taken")
    ]
    assert not opened.exists()


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"ann": 5}', '{"ann": {"number": "x", "seed": "", "faults": [], "truth": {}}}'],
)
def test_damaged_answers_are_named(given_out, tmp_path, content, monkeypatch):
    manifest = tmp_path / "cases.json"
    manifest.write_text(content)
    monkeypatch.setattr(Capstone, "_manifest", manifest)
    with pytest.raises(GradingError, match=r"cases\.json is damaged .*; take it from a backup"):
        _ = Capstone(given_out.course, "final").given
    result = tmp_path / "opened.json"
    result.write_text(content.replace("ann", "when"))
    with pytest.raises(GradingError, match=r"opened\.json is damaged"):
        frozen_test.remembered(result)


def test_the_frozen_test_reports_the_comparison_on_the_test_split(handed_in):
    capstone = handed_in[0]
    found = capstone.tables("ann")
    wanted = expected_numbers.wanted_of(found["test"])
    lists = expected_numbers.recommended_lists(found["lists_b"])
    by_hand = np.mean([len(set(lists[u][:10]) & items) / len(items) for u, items in wanted.items()])
    assert capstone.opened_for("ann").numbers["test_b"] == pytest.approx(by_hand, abs=1e-6)


def test_files_without_a_valid_signature_are_listed(handed_in, tmp_path):
    capstone, place, _ = handed_in
    (tmp_path / "other.ipynb").write_text("{}")
    forged = json.loads((place / "reports" / "ann_final.ipynb").read_text())
    forged["metadata"]["recsys_metrics"]["student"] = "bob"
    (tmp_path / "forged.ipynb").write_text(json.dumps(forged))
    for junk in ("__MACOSX/other.ipynb", "._other.ipynb", ".ipynb_checkpoints/a.ipynb"):
        (tmp_path / junk).parent.mkdir(exist_ok=True)
        (tmp_path / junk).write_bytes(b"")
    said = {one.name: one.problem for one in capstone.submissions(tmp_path)}
    assert {*said} == {"other.ipynb", "forged.ipynb"}
    assert said["other.ipynb"].startswith("it contains no cells")
    assert said["forged.ipynb"] == "it does not carry the signature of a case of final"


def test_a_zip_of_the_platform_is_read_like_a_folder(handed_in, tmp_path):
    capstone, place, _ = handed_in
    archive = tmp_path / "submissions.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for file in sorted((place / "reports").iterdir()):
            packed.write(file, f"{file.name.partition('_')[0]}/{file.name}")
    texts = {one.student: one.report.text for one in capstone.submissions(place / "reports")}
    assert {one.student: one.report.text for one in capstone.submissions(archive)} == texts
    assert {*texts} == {*STUDENTS}


def test_a_zip_with_one_report_is_opened(given_out, tmp_path):
    file = people.write(given_out, "ann", "thorough", tmp_path / "made")
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    with zipfile.ZipFile(downloads / "ann.zip", "w") as packed:
        packed.write(file, "my case/final.ipynb")
        packed.writestr("my case/feed.csv", "a,b")
    (one,) = given_out.submissions(downloads)
    assert (one.student, one.problem) == ("ann", "")


def test_of_several_reports_the_newest_is_taken(given_out, tmp_path):
    old = people.write(given_out, "ann", "silent", tmp_path / "ann")
    new = people.write(given_out, "ann", "thorough", tmp_path / "other")
    new.rename(tmp_path / "ann" / "zz.ipynb")
    os.utime(old, (1, 1))
    assert [one.name for one in given_out.submissions(tmp_path / "ann")] == ["zz.ipynb", old.name]


def test_a_file_that_is_no_notebook_is_named_where_there_is_no_other(given_out, tmp_path):
    people.write(given_out, "ann", "thorough", tmp_path)
    for name in ("ann_notes.docx", "bob_report.docx", "bob_report.pdf", "nobody.docx"):
        (tmp_path / name).write_bytes(b"PK")
    said = {one.name: (one.student, one.problem) for one in given_out.submissions(tmp_path)}
    assert len(said) == 2
    (name,) = {*said} - {"ann_final.ipynb"}
    assert said[name] == ("bob", "it is no notebook; hand in the .ipynb")


def test_the_commands_say_whose_file_is_no_notebook(given_out, tmp_path):
    place = tmp_path / "downloads" / "bob"
    place.mkdir(parents=True)
    (place / "final.pdf").write_bytes(b"%PDF-1.7")
    people.write(given_out, "ann", "thorough", tmp_path / "downloads")
    said = ("bob/final.pdf (bob)", "it is no notebook; hand in the .ipynb")
    assert said in list(files.open_tests(given_out, tmp_path / "downloads"))
    assert said in marker.write_pages(given_out, tmp_path / "downloads", "kim").problems


# Marking ----------------------------------------------------------------------------------------


def mark_report(capstone, place, student):
    reports = {one.student: one.report for one in capstone.submissions(place / "reports")}
    given = capstone.given[student]
    return marking.mark(
        reports[student], capstone.tables(student), given["faults"], capstone.opened_for(student)
    )


def test_five_kinds_of_reports_are_marked_as_expected(handed_in):
    capstone, place, _ = handed_in
    thorough, hasty, accusing, overclaiming, silent = (
        mark_report(capstone, place, student) for student in STUDENTS
    )
    assert set(thorough.faults.values()) == {ClaimedFault.SHOWN}
    assert [one for one in thorough.numbers if not one.is_right] == []
    assert thorough.proposed() == {"data": 3, "numbers": 3, "test": 2}
    assert not thorough.notes

    (lift,) = [one for one in hasty.numbers if one.cited.name == "lift"]
    doubled = "doubled_users" in hasty.faults
    assert lift.why == ("people who are there twice count twice" if doubled else "")
    planted = "sample_ratio" in capstone.given["bob"]["faults"]
    assert hasty.faults["sample_ratio"] is (ClaimedFault.SHOWN if planted else ClaimedFault.WRONG)

    assert list(accusing.faults.values()).count(ClaimedFault.WRONG) == len(FAULTS) - PLANTED
    assert accusing.proposed()["data"] == 0
    assert overclaiming.proposed()["numbers"] == 0
    assert "The plan in the report is not the one that the test was opened by." in (
        overclaiming.notes
    )
    assert overclaiming.proposed()["test"] == 1
    assert silent.proposed() == {"data": 0, "numbers": 0, "test": 0}
    assert "The test has not been opened for this student." in silent.notes


def check(text, opened=None):
    (one,) = marking.mark(read_text(text), two_user_tables(), (), opened).numbers
    return one.is_right, one.why


@pytest.mark.parametrize(
    ("text", "value", "is_right"),
    [
        ("0.5", 0.500022, True),
        ("-0.05", -0.049998, True),
        ("300", 300.2, True),
        ("0.5", 0.512, False),
        ("0.05", 0.0512, False),
    ],
)
def test_one_digit_is_enough_where_the_next_two_are_zeros(text, value, is_right):
    checked = marking._check(Cited("mine", text), {}, {"mine": value})
    assert (checked.is_right, checked.why) == (
        is_right,
        "" if is_right else "it has one digit; two are needed",
    )


@pytest.mark.parametrize(
    ("text", "right", "why"),
    [
        ("`recall_b = 0.75`", True, ""),
        ("`recall_b = 0.150`", False, ""),
        ("`recall_b = 75`", False, "it is in percent and does not say so"),
        ("`recall_b = much`", False, "it cannot be read as a number"),
        ("`recall_b = 0.8`", False, "it has one digit; two are needed"),
        ("`recall_c = 0.75`", False, "no number has this name"),
        ("`test_a = 0.75`", False, "the test has not been opened"),
        ("`lift = -1.5`", False, "the sign is the other one"),
        ("`people_a = 3`", False, "people who are there twice count twice"),
        ("`value_b_snips = 0.25`", True, ""),
    ],
)
def test_a_wrong_number_is_explained(text, right, why):
    assert check(text) == (right, why)


def test_a_sample_ratio_may_be_tested_exactly():
    a, b = 4056, 3944
    groups = np.repeat(["a", "b"], [a, b])
    table = {"user": np.arange(a + b), "group": groups}
    number = expected_numbers.NUMBERS["split_p"]
    assert "chi-squared or an exact binomial test" in number.about
    exact = stats.binomtest(a, a + b).pvalue
    assert exact != pytest.approx(number.of({"experiment": table}), abs=1e-3)
    for p, is_right in ((exact, True), (number.of({"experiment": table}), True), (0.5, False)):
        cited = Cited("split_p", f"{p:.4f}")
        assert marking._check(cited, {"experiment": table}, {}).is_right is is_right


@pytest.mark.parametrize("name", ["recall_gain", "sound_gain"])
def test_a_limit_of_paired_users_may_be_of_students_t_or_of_a_normal_distribution(
    name, full_of_faults
):
    read = expected_numbers._recalls if name == "recall_gain" else None
    a, b = (
        list(read(full_of_faults, which).values())
        if read
        else expected_numbers._sound(full_of_faults, which)["recall@10"].per_user
        for which in "ab"
    )
    gains = np.array(b) - np.array(a)
    error = gains.std(ddof=1) / np.sqrt(len(gains))
    student = stats.ttest_rel(b, a).confidence_interval()
    for limit, sign, by_student in (("low", -1, student.low), ("high", 1, student.high)):
        number = expected_numbers.NUMBERS[f"{name}_{limit}"]
        for value, is_right in (
            (number.of(full_of_faults), True),
            (by_student, True),
            (gains.mean() + sign * 1.96 * error, True),
            (gains.mean() + sign * 1.64 * error, False),
        ):
            cited = Cited(number.name, f"{value:.6f}")
            assert marking._check(cited, full_of_faults, {}).is_right is is_right
    assert (
        "by Student's t or with 1.96 it counts, too"
        in expected_numbers.NUMBERS[f"{name}_low"].about
    )


def test_a_decimal_comma_is_named(tmp_path, given_out):
    assert "write a decimal point" in Cited("lift", "0,12").explain_unreadable()
    assert "write a decimal point" in Cited("lift", "-5902,91").explain_unreadable()
    assert "decimal" not in Cited("lift", "about 3").explain_unreadable()
    assert Cited("people_a", "4,056").is_a_number
    file = people.write(given_out, "ann", "silent", tmp_path)
    text = file.read_text().replace("### Decision", "`lift = 0,12` ### Decision")
    file.write_text(text)
    assert any("write a decimal point" in line for line in report_check.told(file))


def test_marker_pages_are_anonymous_and_in_a_different_order(handed_in):
    capstone, place, _ = handed_in
    (place / "reports" / "notes.ipynb").write_text("[]")
    first = marker.write_pages(capstone, place / "reports", "first")
    other = marker.write_pages(capstone, place / "reports", "other")
    assert [name for name, _ in first.problems] == ["notes.ipynb"]
    orders = [marker.in_order(capstone, STUDENTS, f"m{place}") for place in range(8)]
    assert len(set(map(tuple, orders))) > 1
    assert sorted(first.told) == sorted(other.told)
    pages = list(first.index.parent.glob("*.html"))
    assert len(pages) == len(STUDENTS) + 1
    for page in pages:
        text = page.read_text()
        assert "default-src 'none'" in text
        assert not [name for name in STUDENTS if re.search(rf"\b{name}\b", text)]


def test_a_report_cannot_inject_markup_into_the_marker_page():
    said = read_text("<script>1</script> [x](javascript:alert) ![y](http://z) `recall_b = <b>`")
    found = marking.mark(said, two_user_tables(), (), None)
    text = models.page("x", found, {}, {})
    assert not [sign for sign in ("<script", "<img", 'href="javascript') if sign in text]


def test_levels_become_points_and_agreement(handed_in, tmp_path):
    capstone, place, _ = handed_in
    here = Capstone(capstone.course, "final")
    shutil.rmtree(here.root / "marking", ignore_errors=True)
    with pytest.raises(GradingError, match="nobody has written levels"):
        list(marker.compare(here, tmp_path / "none.csv"))
    for who, shift in (("kim", 0), ("lee", 1)):
        done = marker.write_pages(here, place / "reports", who)
        rows = list(csv.DictReader(done.sheet.open()))
        levels = {
            marks.current_codes(here)[student]: (place + shift * (place == 0)) % 4
            for place, student in enumerate(STUDENTS)
        }
        with done.sheet.open("w", newline="") as out:
            table = csv.DictWriter(out, rows[0])
            table.writeheader()
            for row in rows:
                level = levels[row["report"]]
                table.writerow({**row, **{one.id: level for one in rubric.criteria()}})
        filled = done.sheet.read_bytes()
        assert marker.write_pages(here, place / "reports", who).sheet.read_bytes() == filled
    said = list(marker.compare(here, tmp_path / "marks.csv"))
    assert said[0].startswith("kim and lee: 5 in common, weighted kappa 0.9")
    given = {row["id"]: row for row in csv.DictReader((tmp_path / "marks.csv").open())}
    assert (given["ann"]["points"], given["dan"]["points"]) == ("4", "24")
    assert given["ann"]["maximum"] == "24"
    with pytest.raises(GradingError, match="is there already and stays as it is"):
        list(marker.compare(here, tmp_path / "marks.csv"))


# What goes back ---------------------------------------------------------------------------------


@pytest.fixture
def marked(handed_in, tmp_path):
    """The reports of all, marked by one marker, but for one of them."""
    capstone, place, _ = handed_in
    here = Capstone(capstone.course, "final")
    shutil.rmtree(here.root / "marking", ignore_errors=True)
    done = marker.write_pages(here, place / "reports", "kim")
    rows = list(csv.DictReader(done.sheet.open()))
    counted = {row["report"]: {name: row[name] for name in rubric.COUNTED} for row in rows}
    read = {one.id: "2" for one in rubric.criteria() if one.id not in rubric.COUNTED}
    with done.sheet.open("w", newline="") as out:
        table = csv.DictWriter(out, rows[0])
        table.writeheader()
        for row in rows:
            if row["report"] == marks.current_codes(here)["eve"]:
                table.writerow(row)
                continue
            more = {"test": row["test"] or "3", "comment": f"Well argued, {row['report']}."}
            table.writerow({**row, **read, **more})
    return here, place, counted


def test_the_levels_that_can_be_counted_are_filled_in(marked):
    here, place, counted = marked
    found = dict(people.by_kind(STUDENTS))
    for student in STUDENTS:
        file = place / "reports" / f"{student}_final.ipynb"
        (read,) = [one.report for one in here.submissions(file.parent) if one.name == file.name]
        case = here.given[student]
        judged = marking.mark(read, here.tables(student), case["faults"], here.opened_for(student))
        levels = counted[marks.current_codes(here)[student]]
        assert (levels["data"], levels["numbers"]) == (
            str(judged.proposed()["data"]),
            str(judged.proposed()["numbers"]),
        )
        # Whether a conclusion follows the plan, a person reads.
        page = (here.marking("kim") / f"{marks.current_codes(here)[student]}.html").read_text()
        assert page.count("(counted by the machine)") == sum(map(bool, levels.values()))
        assert page.count("(at least, and left to you)") == (levels["test"] == "")
        assert ("give 2 or 3. The cell" in page) == (levels["test"] == "")
        expected = judged.proposed()["test"]
        assert levels["test"] == ("" if expected == 2 else str(expected)), found[student]
    assert len({str(levels) for levels in counted.values()}) > 1


def test_counted_levels_alone_are_no_mark(marked):
    here, _, _ = marked
    given = marks.marks_of(here)
    assert set(given) == set(STUDENTS) - {"eve"}
    assert marks.points_of(here)["eve"] is None
    assert given["ann"].points == sum(given["ann"].levels.values())


def test_levels_do_not_count_for_a_report_that_was_handed_in_again(marked, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(marked[0].course.root, root)
    here, place = Capstone(course_folder.read(root), "final"), tmp_path / "downloads"
    before = marks.points_of(here)
    old = marks.current_codes(here)["ann"]
    shutil.copytree(marked[1] / "reports", place)
    file = place / "ann_final.ipynb"
    book = json.loads(file.read_text())
    book["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "One more reason."})
    file.write_text(json.dumps(book))
    done = marker.write_pages(here, place, "kim")
    new = marks.current_codes(here)["ann"]
    assert new != old
    assert [what for _, what in done.problems][-2:] == [f"rows were added for {new}", new]
    assert not (done.index.parent / f"{old}.html").exists()
    assert marks.points_of(here) == {**before, "ann": None}
    said = list(marker.compare(here, tmp_path / "marks.csv"))
    assert said[-2].endswith("handed in again since: ann (kim)")
    rows = done.sheet.read_text().replace(old, "x").replace(new, old).replace("x", new)
    done.sheet.write_text(rows)
    assert marks.points_of(here) == before


def test_each_student_gets_a_page_with_their_own_report(marked, tmp_path):
    here, _, _ = marked
    done = marks.hand_back(here, tmp_path / "back.zip")
    assert done.without == ["eve"]
    with zipfile.ZipFile(tmp_path / "back.zip") as archive:
        pages = {name: archive.read(name).decode() for name in archive.namelist()}
    assert set(pages) == {f"{one}/final.html" for one in STUDENTS if one != "eve"}
    mark = marks.marks_of(here)["ann"]
    page = pages["ann/final.html"]
    assert f"{mark.points:g} of 24 points" in page
    assert mark.comments[0] in page
    for one in rubric.criteria():
        assert f"{one.title}: {mark.levels[one.id]:g} of 3" in page
        assert markup.escape(one.levels[int(mark.levels[one.id])]) in page
    for fault in here.given["ann"]["faults"]:
        assert fault in page
    for other in STUDENTS:
        assert other == "ann" or not re.search(rf"\b{other}\b", page)
    before = (tmp_path / "back.zip").read_bytes()
    marks.hand_back(here, tmp_path / "back.zip")
    assert (tmp_path / "back.zip").read_bytes() == before


def test_a_student_whose_report_was_not_taken_reads_why(marked, tmp_path):
    """A file of another kind, one that is cut off, another student's: each page says it."""
    root = tmp_path / "course"
    shutil.copytree(marked[0].course.root, root)
    here, place = Capstone(course_folder.read(root), "final"), tmp_path / "downloads"
    people.write(here, "ann", "thorough", place)
    (place / "bob_report.docx").write_bytes(b"PK")
    (place / "cleo_final.ipynb").write_text('{"cells": [')
    (place / "dan_final.ipynb").write_bytes((place / "ann_final.ipynb").read_bytes())
    shutil.rmtree(here.root / "kept" / "reports")
    shutil.rmtree(here.root / "marking")
    done = marker.write_pages(here, place, "kim")
    assert len(done.told) == 1
    rows = list(csv.reader(done.sheet.open()))
    rows[1] = [rows[1][0], *["2"] * len(marks.COLUMNS), ""]
    with done.sheet.open("w", newline="") as sheet:
        csv.writer(sheet).writerows(rows)
    marks.hand_back(here, tmp_path / "pages.zip")
    says = {
        "bob": "what was handed in, bob_report.docx, was not taken: it is no notebook",
        "cleo": "it is damaged or cut off",
        "dan": "a notebook that is not yours",
    }
    for student, words in says.items():
        page = here.course.feedback(student, here.name).read_text()
        assert words in page
        assert "not marked yet" in page
        assert not re.search(r"\bann\b", page.lower())
        assert words in marks.refusals_of(here)[student]
    # A report that comes later counts.
    people.write(here, "bob", "hasty", place)
    marker.write_pages(here, place, "lee")
    assert "bob" not in marks.refusals_of(here)


def test_a_mean_between_two_levels_shows_both_anchors():
    given = {one.id: 1.5 for one in rubric.criteria()}
    said = marking.mark(read_text("`decision = a`"), two_user_tables(), (), None)
    page = student_page.page("final", "ann", said, given, (), {})
    for level in (1, 2):
        assert markup.escape(rubric.criteria()[0].levels[level]) in page
    assert "12 of 24 points" in page


def test_marks_reach_the_export_and_the_learning_system(marked, tmp_path, monkeypatch):
    here, _, _ = marked
    root = here.course.root
    shutil.rmtree(root / "assignments", ignore_errors=True)  # another test writes one that is none
    (root / "roster.csv").write_text(
        "id,first_name,last_name\n" + "".join(f"{one},{one.title()},Lee\n" for one in STUDENTS)
    )
    # Nothing was released: the gradebook does not know these students.
    with gradebook.opened(here.course) as book:
        assert book.students() == []
    export.export(here.course, tmp_path / "grades.csv")
    rows = {row["id"]: row for row in csv.DictReader((tmp_path / "grades.csv").open())}
    points = marks.points_of(here)
    assert rows["ann"]["final"] == f"{points['ann']:g}"
    assert rows["ann"]["final maximum"] == "24"
    assert (rows["ann"]["first_name"], rows["ann"]["last_name"]) == ("Ann", "Lee")
    assert (rows["eve"]["final"], rows["eve"]["final note"]) == ("", "not marked")
    # An earlier export of it may be replaced.
    export.export(here.course, tmp_path / "grades.csv")

    sheet = tmp_path / "worksheet.csv"
    sheet.write_text(
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed\n"
        + "".join(
            f"Participant {n},{one.title()} Lee,,Submitted,,24.00,Yes\n"
            for n, one in enumerate(STUDENTS, 1)
        )
    )
    monkeypatch.chdir(root)
    done = CliRunner().invoke(
        _app.app,
        ["course", "fill", "final", str(sheet), str(tmp_path / "up.csv")],
    )
    assert done.exit_code == 0, done.output
    up = {row["Full name"]: row for row in csv.DictReader((tmp_path / "up.csv").open())}
    assert float(up["Ann Lee"]["Grade"]) == points["ann"]
    assert up["Eve Lee"]["Grade"] == ""
    done = CliRunner().invoke(
        _app.app, ["course", "feedback", "final", str(tmp_path / "pages.zip")]
    )
    assert done.exit_code == 0, done.output
    assert "4 pages" in done.output


def test_a_page_without_its_report_asks_for_it(marked, tmp_path):
    here, _, _ = marked
    (here.root / "kept" / "reports" / "ann.json").unlink()
    with pytest.raises(GradingError, match="capstone mark final` the folder of the reports again"):
        marks.hand_back(here, tmp_path / "back.zip")


def test_the_student_s_texts_name_no_evidence_and_no_count(given_out):
    case = given_out.case("ann")
    notebook = json.loads((case / "final.ipynb").read_text())
    (faults,) = [
        cell["source"] for cell in notebook["cells"] if "What can be wrong:" in cell["source"]
    ]
    listed, _, _ = faults.partition("What can be wrong:")[2].partition("Some of these")
    assert all(f"`{name}`: {about}" in listed for name, about in FAULTS.items())
    # One number is called as its fault is.
    for number in set(expected_numbers.EVIDENCE.values()) - set(FAULTS):
        assert number not in faults
    for file in ("final.ipynb", "rubric.md", "peer_review.md", "brief.md"):
        text = (case / file).read_text()
        assert not re.search(r"\b(four|4) (of these|faults|shown)|of the four|all four", text, re.I)


def test_the_rubric_has_eight_criteria_with_four_levels():
    assert len(rubric.criteria()) == 8
    assert all(len(one.levels) == 4 for one in rubric.criteria())
    for text in (rubric.as_markdown(), rubric.peer_form()):
        assert all(one.title in text for one in rubric.criteria())


# The three models -------------------------------------------------------------------------------


def test_the_case_of_the_model_reports_has_detectable_faults():
    found = models.case().tables()
    claim = models.case().claim(found["experiment"])
    assert diagnosis.found(found, claim) == set(models.case().faults)


def test_the_model_reports_reach_the_expected_levels():
    points = []
    for name in models.NAMES:
        model = models.model(name)
        assert model.levels.keys() == {one.id for one in rubric.criteria()}
        counted = model.marked.proposed()
        assert {one: model.levels[one] for one in ("data", "numbers")} == {
            one: counted[one] for one in ("data", "numbers")
        }
        assert model.levels["test"] in {counted["test"], counted["test"] + (counted["test"] == 2)}
        assert all(text[1] == ":" and 0 <= int(text[0]) <= 3 for text in model.why.values())
        assert model.marked.report.words < 1_000
        points.append(sum(model.levels.values()))
    assert points[0] < 8 < 12 < points[1] < 20 < points[2]


def test_the_conclusions_of_the_strong_report_are_correct():
    found = models.model("strong").marked
    assert found.opened.holds
    value = {one.cited.name: one.right for one in found.numbers}
    for kind in ("light", "usual", "heavy"):
        half = (value[f"lift_{kind}_high"] - value[f"lift_{kind}_low"]) / 2
        # 2.39 errors on each side hold 98.3 %.
        wide = half * 2.394 / 1.96
        assert abs(value[f"lift_{kind}"]) > wide
    gain = value["recall_b"] - value["recall_a"]
    assert value["sound_gain"] < gain / 2
    assert value["value_b_snips"] > value["clicks_per_slate"]


# The commands -----------------------------------------------------------------------------------


def test_capstone_read_lists_what_is_parsed(handed_in):
    capstone, place, _ = handed_in
    said = CliRunner().invoke(
        _app.app, ["course", "capstone", "read", str(place / "reports" / "ann_final.ipynb")]
    )
    assert said.exit_code == 0
    assert "Decision: neither" in said.output
    assert "Plan: recall@10" in said.output
    for word in ("right", "missed", "shown"):
        assert word not in said.output
    untouched = capstone.case("eve") / "final.ipynb"
    told = list(report_check.told(untouched))
    assert "Decision: none that can be read; a, b or neither" in told
    assert {"Numbers: 0 by name", "Faults: none"} <= set(told)


def test_the_notebook_of_a_case_runs(given_out, monkeypatch):
    notebook = json.loads((given_out.case("bob") / "final.ipynb").read_text())
    monkeypatch.chdir(given_out.case("bob"))
    space: dict[str, object] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(cell["source"], space)
    assert set(space["tables"]) == set(files.NAMES) - {"test"}
    assert space["tables"]["feed"]["click"].mean() > 0


def test_missing_reports_raise(given_out, tmp_path):
    with pytest.raises(GradingError, match="no report of final is in"):
        marker.write_pages(given_out, tmp_path, "first")
    with pytest.raises(GradingError, match=r"x\.ipynb: there is no such file"):
        list(report_check.told(tmp_path / "x.ipynb"))


def test_report_codes_do_not_reveal_names(given_out):
    codes = {given_out.code(student) for student in STUDENTS}
    assert len(codes) == len(STUDENTS)
    assert all(re.fullmatch(r"[0-9a-f]{6}", code) for code in codes)
    assert (
        given_out.code("ann") != signatures.sign_notebook(given_out.course.key, "final", "ann")[:6]
    )


def test_template_cells_are_not_part_of_the_report(given_out):
    own = files.own_cells()
    assert len(own) == 2
    assert not [one for one in own if "decision = ..." in one]
