"""Reports in files: what comes back, what the schema allows, what is refused."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics import Report
from recsys_metrics.measures import METRICS, Measure, measure

HERE = Path(__file__).parent
SCHEMA = json.loads((Path(rm.__file__).parent / "data" / "report.schema.json").read_text())

USERS = ["ann", "bob", "cem", "dee"]
LISTS = {"ann": ["A", "B", "C"], "bob": ["B", "D", "A"], "cem": ["C", "A", "E"], "dee": list("DEB")}
WANTED = {"ann": {"B": 1, "E": 3}, "bob": {"D": 2}, "cem": {}, "dee": {"A": 1}}
SEEN = {"ann": {"D"}, "bob": {"C"}, "cem": {"A", "B", "D"}, "fay": {"A", "B", "E"}}
KINDS = {item: {"war"} if item in "ACE" else {"war", "love"} for item in "ABCDE"}
CONTEXT = {"history": SEEN, "features": KINDS, "catalog": list("ABCDE"), "split": "x", "seed": 3}
TOLD = {"expected_reciprocal_rank": "(max_grade=3)", "self_information": "(unseen=one)"}


def squared(grades):
    return grades**2


def share(recommended, relevant, *, weight=1.0):
    """Which share is wanted?"""
    return weight * len(relevant.intersection(recommended)) / 3


MEASURES = [
    *(f"{name}{TOLD.get(name, '')}@2" for name in METRICS),
    "ndcg(ideal=list)",
    measure("ndcg@3").with_options(gain=squared, discount=[1, 2, 2.5]),
    Measure.of(share, bounds=(0, 2)).at(2),
    Measure.of(share, name="heavy", better=None).with_options(weight=2.0),
    Measure.of(lambda recommended: len(recommended), name="lists", per="all"),
]
AGES = dict(zip(USERS, ["old", "new", "old", "new"], strict=True))


def evaluated(lists=LISTS, **more):
    return rm.evaluate(lists, WANTED, MEASURES, name="knn", groups={"age": AGES}, **CONTEXT, **more)


REPORT = evaluated()


def same(one, other):
    assert list(one) == list(other)
    assert str(one) == str(other)
    assert (one.name, one.protocol, one.warnings) == (other.name, other.protocol, other.warnings)
    for text in one:
        ours, theirs = one[text], other[text]
        assert ours.measure == theirs.measure
        assert (ours.n, ours.n_skipped) == (theirs.n, theirs.n_skipped)
        np.testing.assert_array_equal(ours.value, theirs.value)
        np.testing.assert_array_equal(
            ours.aggregate.standard_deviation, theirs.aggregate.standard_deviation
        )
        if ours.measure.metric.per_user:
            np.testing.assert_array_equal(ours.per_user, theirs.per_user)


def test_a_loaded_report_equals_the_saved_one(tmp_path):
    REPORT.save(tmp_path / "knn.json")
    back = Report.load(tmp_path / "knn.json")
    same(back, REPORT)
    assert back.users == REPORT.users
    assert str(back.by("age")) == str(REPORT.by("age"))
    other = evaluated({user: row[::-1] for user, row in LISTS.items()})
    assert str(other.compare(back)) == str(other.compare(REPORT))
    assert str(back.compare(other, decide_on="share@2")) == str(
        REPORT.compare(other, decide_on="share@2")
    )
    same(pickle.loads(pickle.dumps(back)), REPORT)
    back.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "knn.json").read_text()


def test_saved_files_follow_the_schema(tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(SCHEMA)
    check.check_schema(SCHEMA)
    pl = pytest.importorskip("polars")
    shown = pl.DataFrame({"user": [1, 1, 2], "item": ["A", "B", "A"], "rank": [1, 2, 1]})
    framed = rm.evaluate(shown, shown.select("user", "item"), ["ndcg@1"])
    single = rm.evaluate(["A"], {"B"}, ["ndcg@1"])
    sums = rm.Evaluation(["ndcg@1"], keep="sums").update([["A"]], [{"A"}]).report()
    for number, report in enumerate([REPORT, framed, single, sums]):
        path = tmp_path / f"{number}.json"
        report.save(path)
        check.validate(json.loads(path.read_text()))
        assert str(Report.load(path)) == str(report)
    assert framed.protocol.digest is not None
    assert json.loads((tmp_path / "1.json").read_text())["users"]["ids"] == [1, 2]
    assert json.loads((tmp_path / "3.json").read_text())["users"] is None


def test_a_stored_report_of_format_1_can_be_read():
    report = Report.load(HERE / "report_1.json")
    assert report.name == "knn"
    assert report.protocol.digest == REPORT.protocol.digest
    assert report.protocol.version == "0.1.0"
    assert report.users == tuple(USERS)
    # A metric that is added later is not in it.
    assert len(report) >= 40
    assert set(report.results) <= set(REPORT.results)
    for text in report:
        assert report[text].value == pytest.approx(REPORT[text].value, abs=1e-12, nan_ok=True)
        if report[text].measure.metric.per_user:
            np.testing.assert_allclose(report[text].per_user, REPORT[text].per_user, atol=1e-12)
    assert report.by("age")["recall@2"].per_group == REPORT.by("age")["recall@2"].per_group


def test_per_user_values_can_be_left_out(tmp_path):
    REPORT.save(tmp_path / "means.json", per_user=False)
    back = Report.load(tmp_path / "means.json")
    assert back["ndcg@2"].mean == REPORT["ndcg@2"].mean
    assert repr(back["ndcg@2"]) == repr(REPORT["ndcg@2"])
    with pytest.raises(ValueError, match=r"were not stored.* save with per_user=True"):
        back.compare(REPORT)
    assert '"ann"' not in (tmp_path / "means.json").read_text()


def test_custom_functions_are_not_loaded(tmp_path):
    REPORT.save(tmp_path / "knn.json")
    back = Report.load(tmp_path / "knn.json")
    with pytest.raises(ValueError, match="share was read from a file, which contains its name"):
        rm.evaluate(LISTS, WANTED, [back["share@2"].measure])
    gained = next(m for m in back.results if "squared" in str(m))
    with pytest.raises(ValueError, match="squared was read from a file"):
        rm.evaluate(LISTS, WANTED, [gained])


# The digest -------------------------------------------------------------------------------------


@given(st.permutations(USERS))
def test_the_digest_does_not_depend_on_the_order_of_users(order):
    lists = {user: LISTS[user] for user in order}
    wanted = {user: dict(reversed(WANTED[user].items())) for user in reversed(order)}
    assert rm.evaluate(lists, wanted, ["ndcg"]).protocol.digest == REPORT.protocol.digest


@pytest.mark.parametrize(
    "change",
    [
        {"ann": {"B": 2, "E": 3}},
        {"ann": {"B": 1, "E": 3, "C": 0}},
        {"ann": {"B": 1}},
        {"cem": {"B": 1}},
        {"ann": WANTED["bob"], "bob": WANTED["ann"]},
    ],
)
@pytest.mark.parametrize("measure", ["ndcg", "ndcg@2"])
def test_the_digest_knows_users_what_is_relevant_to_them_and_the_grades(measure, change):
    before = rm.evaluate(LISTS, WANTED, [measure]).protocol.digest
    assert rm.evaluate(LISTS, {**WANTED, **change}, [measure]).protocol.digest != before


def test_the_digest_of_two_models_on_the_same_users_is_one():
    other = {user: [*items[::-1], "Z"] for user, items in LISTS.items()}
    for measures in (["ndcg"], ["ndcg@2", "recall@1"], ["coverage@2"]):
        report = rm.evaluate(other, WANTED, measures, catalog=list("ABCDEFZ"))
        assert report.protocol.digest == REPORT.protocol.digest


def test_without_digests_a_report_can_be_saved_and_not_be_compared(tmp_path):
    fast = rm.evaluate(LISTS, WANTED, ["ndcg@2"], digests=False)
    fast.save(tmp_path / "fast.json")
    assert fast.protocol.digest is None
    for report in (fast, Report.load(tmp_path / "fast.json")):
        with pytest.raises(ValueError, match="evaluate with digests=True to compare"):
            report.compare(rm.evaluate(LISTS, WANTED, ["ndcg@2"]))


def test_a_report_that_was_loaded_knows_what_was_relevant(tmp_path):
    rm.evaluate(LISTS, WANTED, ["ndcg@2"], name="old").save(tmp_path / "old.json")
    old = Report.load(tmp_path / "old.json")
    new = rm.evaluate(LISTS, WANTED, ["ndcg@2"], name="new")
    assert new.compare(old)["ndcg@2"].gain == 0
    swapped = {**WANTED, "ann": {"E": 1, "B": 3}}
    changed = rm.evaluate(LISTS, swapped, ["ndcg@2"])
    message = "what is relevant to 1 of 4 users, user 'ann' for one: 2 items, not the same"
    with pytest.raises(ValueError, match=message):
        changed.compare(old)


def test_the_digest_of_numeric_ids_does_not_depend_on_the_form():
    rows = [[3, 1, 2], [2, 5, 0]]
    wanted = [[1, 5], [0, 7]]
    forms = [
        (np.array(rows), np.array(wanted)),
        (rows, [set(row) for row in wanted]),
        (np.array(rows, dtype=np.int32), [dict.fromkeys(row, 1) for row in wanted]),
    ]
    assert len({rm.evaluate(*form, ["ndcg@2"]).protocol.digest for form in forms}) == 1


def test_a_file_is_replaced_on_request(tmp_path):
    path, link = tmp_path / "knn.json", tmp_path / "link.json"
    path.write_text("mine")
    link.symlink_to(path)
    for place in (path, link):
        path.write_text("mine")
        REPORT.save(place, overwrite=True)
        assert rm.Report.load(path).as_dict() == REPORT.as_dict()
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [path, link]
    REPORT.save(tmp_path / "new.json", overwrite=True)
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file in it"):
        REPORT.save(tmp_path, overwrite=True)
    with pytest.raises(FileNotFoundError, match="none is no folder; make it first"):
        REPORT.save(tmp_path / "none" / "a.json", overwrite=True)


def test_a_report_that_cannot_be_replaced_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "knn.json"
    REPORT.save(path)
    before = path.read_bytes()

    def fail(self, target):
        raise OSError("no space left")

    monkeypatch.setattr(type(path), "replace", fail)
    with pytest.raises(OSError, match="no space left"):
        REPORT.save(path, overwrite=True)
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


# Refused ----------------------------------------------------------------------------------------


def test_an_existing_file_is_not_overwritten(tmp_path):
    path = tmp_path / "knn.json"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="is there already and stays as it is; give the rep"):
        REPORT.save(path)
    assert path.read_text() == "mine"
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError, match="is there already"):
        REPORT.save(link)


def test_ids_without_a_json_form(tmp_path):
    report = rm.evaluate({("a", 1): ["A"]}, {("a", 1): {"A"}}, ["ndcg@1"])
    with pytest.raises(TypeError, match=r"\('a', 1\) is no text and no whole number"):
        report.save(tmp_path / "odd.json")
    assert not (tmp_path / "odd.json").exists()
    report.save(tmp_path / "odd.json", per_user=False)


@pytest.mark.parametrize("users", [(2**63, 2**64 - 1), (1, 2**63 + 1), (-(2**63), 2**63 - 1)])
def test_whole_numbers_of_64_bits_are_saved_without_loss(tmp_path, users):
    truth = {user: {"A"} for user in users}
    report = rm.evaluate({user: ["A"] for user in users}, truth, ["ndcg@1"])
    report.save(tmp_path / "report.json")
    again = Report.load(tmp_path / "report.json")
    assert again.users == users
    assert again.compare(report)["ndcg@1"].gain == 0
    assert again.to_frame(per_user=True, backend="pandas")["user"].tolist() == [*users]
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(json.loads((tmp_path / "report.json").read_text()), SCHEMA)


@pytest.mark.parametrize(
    ("users", "fault"),
    [
        ((1, 2**64), f"has {2**64}, and an unsigned 64-bit number does not hold it"),
        ((1, -(2**63) - 1), f"has {-(2**63) - 1}, and a signed 64-bit number does not hold it"),
        ((-1, 2**63), f"has both -1 and {2**63}, and no kind of 64-bit number holds both"),
    ],
)
def test_numbers_that_no_64_bits_hold_are_named(tmp_path, users, fault):
    report = rm.evaluate({u: ["A"] for u in users}, {u: {"A"} for u in users}, ["ndcg@1"])
    with pytest.raises(ValueError, match=rf"users\.ids {fault}; give .* as text for example"):
        report.save(tmp_path / "odd.json")


@pytest.mark.parametrize("users", [(1, "x"), (10**30, 1), ("\ud83d", "x")])
def test_what_could_not_be_loaded_is_not_saved(tmp_path, users):
    report = rm.evaluate({u: ["A"] for u in users}, {u: {"A"} for u in users}, ["ndcg@1"])
    file = tmp_path / "odd.json"
    with pytest.raises(ValueError, match=r"users\.ids has .* give users and groups other ids"):
        report.save(file)
    assert not file.exists()
    report.save(file, per_user=False)
    assert Report.load(file)["ndcg@1"].mean == 1


@pytest.mark.parametrize("path", [None, 3])
def test_a_path_that_is_none_raises(path):
    with pytest.raises(TypeError, match=r"path must be that of a file, not an? "):
        Report.load(path)
    with pytest.raises(TypeError, match=r"path must be that of a file, not an? "):
        rm.evaluate([["A"]], [{"A"}], ["ndcg@1"]).save(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: "no json", "is no JSON, so it is no saved report"),
        (lambda data: "[1]", "is no report that Report.save wrote"),
        (lambda data: {**data, "format": "x"}, "is no report that Report.save wrote"),
        (lambda data: {**data, "version": 2}, "of version 2, and this library reads version 1"),
        (lambda data: {**data, "measures": 3}, "is no report as data/report.schema.json has it"),
        (
            lambda data: {k: v for k, v in data.items() if k != "users"},
            "the document has no 'users'",
        ),
        (lambda data: {**data, "protocol": {"x": 1}}, "protocol has no 'n_lists'"),
    ],
)
def test_files_that_are_not_reports_raise(tmp_path, change, message):
    changed = change(json.loads((HERE / "report_1.json").read_text()))
    path = tmp_path / "odd.json"
    path.write_text(changed if isinstance(changed, str) else json.dumps(changed))
    with pytest.raises(ValueError, match=message):
        Report.load(path)


def changed_at(*path, to):
    """Return a saved report with another value somewhere."""
    data = json.loads((HERE / "report_1.json").read_text())
    there = data
    for step in path[:-1]:
        there = there[step]
    there[path[-1]] = to
    return data


@pytest.mark.parametrize(
    ("path", "to", "says"),
    [
        (("users", "ids"), ["ann"], r"users\.ids has 1 entries, and users\.n_relevant "),
        (("users", "n_relevant"), [-1], r"users\.n_relevant\[0\] is -1, and should be 0 or more"),
        (("users", "values", "no such metric"), [], "'no such metric', which is none of its"),
        (("measures", 0, "users"), -5, r"measures\[0\]\.users is -5, and should be 0 or more"),
        (("measures", 0, "users"), 10**6, "is over 1000000 users, and 3 have a value"),
        (("measures", 0, "value"), 7.0, "has the value 7.0, outside of its bounds"),
        (("measures", 0, "value"), True, "is True, and should be of type number or null"),
        (("measures", 0, "value"), "0.5", "is '0.5', and should be of type number or null"),
        (("measures", 0, "better"), "more", "should be one of 'higher', 'lower', None"),
        (("protocol", "lengths"), [1], r"protocol\.lengths has 1 entries"),
        (("protocol", "digest"), "x", r"protocol\.digest is 'x', and should match"),
        (("more",), 1, "more is no field of such a document"),
        (("protocol", "n_repeats"), 2, "n_repeats is 2, and protocol.repeats None"),
        (("users", "values"), {}, "users.values has nothing of "),
        (("users", "ids"), ["ann", "ann"], r"users\.ids has 'ann' 2 times"),
        (("users", "ids"), ["ann", 10**30], r"users\.ids\[1\] is 10+, and is too large"),
        (("users", "ids"), ["ann", 3], r"users\.ids has numbers and text"),
        (
            ("users", "ids"),
            ["ann", "\ud83d"],
            r"users\.ids has '.ud83d', which contains half a char",
        ),
    ],
)
def test_a_report_whose_fields_contradict_the_schema_or_each_other_raises(tmp_path, path, to, says):
    file = tmp_path / "odd.json"
    file.write_text(json.dumps(changed_at(*path, to=to)))
    with pytest.raises(ValueError, match=rf"as data/report\.schema\.json has it: .*{says}"):
        Report.load(file)


def test_a_number_beyond_the_floats_is_no_value(tmp_path):
    file = tmp_path / "odd.json"
    data = changed_at("measures", 0, "value", to="here")
    file.write_text(json.dumps(data).replace('"here"', "1e999"))
    with pytest.raises(ValueError, match="value is inf, which no number of JSON is"):
        Report.load(file)


def test_report_values_can_be_passed_to_a_logger():
    report = rm.evaluate([["A", "B"], ["B", "A"]], [{"A"}, {"A"}], ["ndcg(ideal=list)@1", "mrr@2"])
    found = report.as_dict()
    assert found["mrr@2"] == 0.75
    low, high = report["mrr@2"].interval()
    assert (found["mrr@2/low"], found["mrr@2/high"]) == (low, high)
    plain = report.as_dict(plain=True)
    name = "ndcg__ideal__list_at_1"
    assert [*plain][:3] == [name, f"{name}_low", f"{name}_high"]
    assert list(plain.values()) == list(found.values())


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("value", 0.1, "its users' mean is 0.5"),
        ("users", 0, "is over 0 users, and 2 have a value"),
        ("standard_deviation", -1, "below 0"),
        ("bounds", [None, None], "and the metric has"),
        ("standard_deviation", 9 * 10**308, "is too large"),
    ],
)
def test_a_report_that_contradicts_itself_is_refused(field, value, says, tmp_path):
    file = tmp_path / "report.json"
    wanted = {"a": {"x"}, "b": {"x"}}
    rm.evaluate({"a": ["x"], "b": ["y"]}, wanted, ["ndcg@1"]).save(file)
    assert rm.Report.load(file)["ndcg@1"].mean == 0.5
    data = json.loads(file.read_text())
    data["measures"][0][field] = value
    file.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=says):
        rm.Report.load(file)


FOUR = ["ndcg@2", "recall@2", "catalog_coverage@2", "gini@2", "shannon_entropy@2"]


def altered(tmp_path, change, *, per_user=True):
    """Return the file of a report of all kinds of measures, of which something was changed."""
    report = rm.evaluate(LISTS, WANTED, FOUR, catalog=list("ABCDE"), history=SEEN)
    file = tmp_path / "report.json"
    report.save(file, per_user=per_user)
    data = json.loads(file.read_text())
    change({each["text"]: each for each in data["measures"]}, data["protocol"])
    file.write_text(json.dumps(data))
    return file


@pytest.mark.parametrize(
    ("text", "change", "says"),
    [
        ("ndcg@2", {"per_user": False, "value": 7.0}, "has per_user False, and the metric has Tr"),
        ("ndcg@2", {"value": 7.0}, r"the value 7.0, outside of its bounds \[0.0, 1.0\]"),
        ("catalog_coverage@2", {"value": 7.0}, "the value 7.0, outside of its bounds"),
        ("catalog_coverage@2", {"value": 7.0, "bounds": [0, 9]}, "outside of its bounds"),
        ("gini@2", {"value": -3.0}, "the value -3.0, outside of its bounds"),
        ("shannon_entropy@2", {"value": -3.0}, "the value -3.0, outside of its bounds"),
        ("ndcg@2", {"k": 50}, "the text 'ndcg@2' has the name, cut-off and conventions of 'ndcg@5"),
        ("ndcg@2", {"name": "dcg"}, "the text 'ndcg@2' has the name"),
        ("recall@2", {"conventions": {"denominator": "min"}}, "the text 'recall@2' has the name"),
    ],
)
@pytest.mark.parametrize("per_user", [True, False])
def test_a_measure_that_is_not_the_one_of_its_text_is_refused(
    tmp_path, text, change, says, per_user
):
    file = altered(tmp_path, lambda found, _: found[text].update(change), per_user=per_user)
    with pytest.raises(ValueError, match=says):
        Report.load(file)


def test_the_bounds_that_earlier_releases_wrote_for_aggregates_are_no_contradiction(tmp_path):
    name = "shannon_entropy@2"
    file = altered(tmp_path, lambda found, _: found[name].update(bounds=[0.0, 1.0]))
    assert Report.load(file)[name].value > 1


@pytest.mark.parametrize("deviation", [1e-9, None, 0.3])
def test_a_standard_deviation_that_is_not_that_of_the_users_is_refused(tmp_path, deviation):
    file = altered(tmp_path, lambda found, _: found["ndcg@2"].update(standard_deviation=deviation))
    with pytest.raises(ValueError, match=r"has the standard deviation .*, and its users' is 0"):
        Report.load(file)


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ({"n_short": 99}, "n_short is 99, and protocol.n_lists 4"),
        ({"n_without_relevant": 99}, "n_without_relevant is 99, and protocol.n_lists 4"),
        ({"n_tied": 5}, "n_tied is 5, and protocol.n_lists 4"),
        ({"n_tied": -7}, "n_tied is -7, and should be 0 or more"),
        ({"sampled": -3}, "sampled is -3, and should be 0 or more"),
        ({"n_in_history": 50, "n_recommended": 2}, "n_in_history is 50, and protocol.n_recom"),
        ({"lengths": [5, 2]}, "a shortest list of 5 and a longest of 2"),
    ],
)
def test_counts_that_contradict_each_other_are_refused(tmp_path, counts, says):
    with pytest.raises(ValueError, match=says):
        Report.load(altered(tmp_path, lambda _, protocol: protocol.update(counts)))


@pytest.mark.parametrize("per_user", [True, False])
@pytest.mark.parametrize(
    ("text", "change", "says"),
    [
        ("ndcg@2", {"better": "lower"}, "has better lower, and the metric has higher"),
        ("gini@2", {"better": None}, "has better None, and the metric has lower"),
        ("ndcg@2", {"family": "beyond accuracy"}, "has family beyond accuracy, and the metric"),
        # Three of four users have a value.
        ("ndcg@2", {"n_skipped": 0}, "over 3 users and 0 left out, of 4 lists: each list has a va"),
        ("gini@2", {"users": 4}, "over 4 users and 0 left out, and it has one value of all lists"),
        ("gini@2", {"n_skipped": 1}, "over 0 users and 1 left out, and it has one value of all"),
        ("gini@2", {"standard_deviation": 0.1}, "has the standard deviation 0.1 over 0 users"),
        ("ndcg@2", {"interval": [0.9, 0.95]}, "outside of its interval"),
        ("ndcg@2", {"interval": None}, "has the interval None and the level 0.95"),
        ("ndcg@2", {"level": 95}, "has the level 95, which is between 0 and 1"),
    ],
)
def test_a_measure_that_contradicts_the_registered_one_or_itself_is_refused(
    tmp_path, text, change, says, per_user
):
    file = altered(tmp_path, lambda found, _: found[text].update(change), per_user=per_user)
    with pytest.raises(ValueError, match=says):
        Report.load(file)


@pytest.mark.parametrize("per_user", [True, False])
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"n_lists": 4000}, "ndcg@2 is over 3 users and 1 left out, of 4000 lists"),
        ({"n_recommended": 99, "n_in_history": 3}, "and 4 lists of at most 3 items have 12"),
        ({"measures": ["ndcg()@2"]}, r"has no further measure, where the values are of recall@2"),
        ({"measures": ["ndcg(x=a@b)@3"]}, r"has ndcg\(x=a@b\)@3, where the values are of ndcg@2"),
    ],
)
def test_a_protocol_that_is_not_of_its_measures_is_refused(tmp_path, changes, says, per_user):
    file = altered(tmp_path, lambda _, protocol: protocol.update(changes), per_user=per_user)
    with pytest.raises(ValueError, match=says):
        Report.load(file)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"n_without_relevant": 0}, r"n_without_relevant is 0, and users\.n_relevant has 1 zeros"),
        ({"digest": "0" * 16}, "digest is 0000000000000000, and that of the users is "),
    ],
)
def test_a_protocol_that_is_not_of_its_users_is_refused(tmp_path, changes, says):
    with pytest.raises(ValueError, match=says):
        Report.load(altered(tmp_path, lambda _, protocol: protocol.update(changes)))


@pytest.mark.parametrize(
    ("mean", "deviation", "fits"),
    [
        # Two values between 0 and 1 vary most as 0 and 1, whose standard deviation is sqrt(0.5);
        # with the mean 0.1 at most sqrt(0.9 * 0.1 * 2), by Bhatia and Davis.
        (0.5, math.sqrt(0.5), True),
        (0.5, 0.71, False),
        (0.1, 0.4242, True),
        (0.1, 0.43, False),
        (None, 0.1, False),
        (1.0, 0.0, True),
    ],
)
def test_the_standard_deviation_of_values_within_bounds_is_limited(tmp_path, mean, deviation, fits):
    file = tmp_path / "report.json"
    rm.evaluate([["x"], ["y"]], [{"x"}, {"x"}], ["ndcg@1"]).save(file, per_user=False)
    data = json.loads(file.read_text())
    change = {"value": mean, "standard_deviation": deviation, "interval": None, "level": None}
    data["measures"][0].update(change)
    file.write_text(json.dumps(data))
    if fits:
        assert Report.load(file)["ndcg@1"].aggregate.standard_deviation == deviation
    else:
        with pytest.raises(ValueError, match=r"has the standard deviation|has the value None over"):
            Report.load(file)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_report_that_an_editor_saved_in_another_encoding_is_loaded(tmp_path, encoding):
    REPORT.save(tmp_path / "knn.json")
    file = tmp_path / "edited.json"
    file.write_text((tmp_path / "knn.json").read_text("utf-8"), encoding)
    same(Report.load(file), REPORT)


def test_requested_names_are_saved(tmp_path):
    report = rm.evaluate([["A", "B"], ["B", "A"]], [{"A"}, {"A"}], ["MAP@2", "ndcg_cut_2"])
    report.save(tmp_path / "a.json")
    assert [*rm.Report.load(tmp_path / "a.json")] == ["MAP@2", "ndcg_cut_2"]
    data = json.loads((tmp_path / "a.json").read_text())
    data["measures"][0]["requested"] = "MRR@2"
    (tmp_path / "b.json").write_text(json.dumps(data))
    with pytest.raises(ValueError, match="was requested as 'MRR@2', which means reciprocal_rank@2"):
        rm.Report.load(tmp_path / "b.json")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of processes")
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_full_disk_leaves_no_part_of_a_report(tmp_path, overwrite):
    path = tmp_path / "report.json"
    if overwrite:
        REPORT.save(path)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    code = (
        "import resource, sys, recsys_metrics as rm\n"
        "report = rm.evaluate([['A']], [{'A'}], ['recall@1'])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "report.save(sys.argv[1], overwrite=sys.argv[2] == 'True')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path, str(overwrite)], capture_output=True, text=True
    )
    assert f"OSError: {path}: File too large" in done.stderr
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_a_report_has_one_writer(tmp_path):
    path = tmp_path / "report.json"
    done = []

    def save():
        try:
            REPORT.save(path)
            done.append(True)
        except FileExistsError:
            done.append(False)

    threads = [threading.Thread(target=save) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False] * 7 + [True]
    assert [*tmp_path.iterdir()] == [path]
    assert str(Report.load(path)) == str(REPORT)


def test_paths_and_flags_that_are_none(tmp_path):
    for path in ("a\0b", tmp_path / "a\0b"):
        with pytest.raises(ValueError, match="path contains a NUL character"):
            REPORT.save(path)
        with pytest.raises(ValueError, match="path contains a NUL character"):
            Report.load(path)
    with pytest.raises(TypeError, match="overwrite is True or False; got 'no'"):
        REPORT.save(tmp_path / "report.json", overwrite="no")
    with pytest.raises(TypeError, match="per_user is True or False; got 'no'"):
        REPORT.save(tmp_path / "report.json", per_user="no")
    path = tmp_path / "report.json"
    REPORT.save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": True}))
    with pytest.raises(ValueError, match="a report of version True"):
        Report.load(path)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_groups_of_a_table_are_saved_and_users_without_a_row_are_in_none(tmp_path, library):
    make = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    frame = getattr(pytest.importorskip(library), make)
    some = USERS[:3]
    table = frame({"user": some, "group": [AGES[user] for user in some]})
    report = rm.evaluate(LISTS, WANTED, ["ndcg@2"], groups={"age": table, "all": AGES})
    report.save(tmp_path / "report.json")
    again = Report.load(tmp_path / "report.json")
    assert again.by("age").sizes == report.by("age").sizes == {"new": 1, "old": 2}
    assert again.by("all").sizes == {"new": 2, "old": 2}
    for grouping in ("age", "all"):
        ours, theirs = (each.by(grouping)["ndcg@2"].per_group for each in (report, again))
        assert ours == pytest.approx(theirs, nan_ok=True)
        assert again.compare(report).by(grouping).sizes == report.by(grouping).sizes
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "report.json").read_text()
    shared = again.compare(report, users="shared").by("age")
    assert shared.sizes == {"new": 1, "old": 2}


@pytest.mark.parametrize("lacking", [0, 1])
def test_groups_of_a_file_that_look_alike_are_an_error(tmp_path, lacking):
    path = tmp_path / "report.json"
    table = pytest.importorskip("pandas").DataFrame(
        {"user": USERS[lacking:], "group": [AGES[user] for user in USERS[lacking:]]}
    )
    rm.evaluate(LISTS, WANTED, ["ndcg@2"], groups={"age": table}).save(path)
    path.write_text(path.read_text().replace('"old"', '"New"'))
    with pytest.raises(ValueError, match="grouping 'age' has the groups 'New' and 'new', which"):
        Report.load(path)


def test_groups_of_a_table_that_no_file_holds_are_an_error(tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"user": USERS, "group": [0.5, 1.5, 0.5, 1.5]})
    report = rm.evaluate(LISTS, WANTED, ["ndcg@2"], groups={"age": table})
    with pytest.raises(TypeError, match=r"0\.5 is no text and no whole number, and a file"):
        report.save(tmp_path / "report.json")
    report.save(tmp_path / "report.json", per_user=False)


@pytest.mark.parametrize("values", [[1e308] * 4, [-1.7e308] * 4, [1e140, 2e140, 0.0, -1e140]])
def test_values_at_the_ends_of_floats_come_back(tmp_path, values):
    def own(recommended, relevant):
        return values[USERS.index(recommended[0])]

    metric = Measure.of(own, better="lower").at(1)
    report = rm.evaluate(
        {user: [user] for user in USERS}, {user: {user} for user in USERS}, [metric]
    )
    report.save(tmp_path / "report.json")
    again = Report.load(tmp_path / "report.json")
    assert again[metric].per_user.tolist() == values
    assert again[metric].mean == report[metric].mean
