"""Reports in files: what comes back, what the schema allows, what is refused."""

from __future__ import annotations

import json
import pickle
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
    assert set(report) <= set(REPORT)
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
    with pytest.raises(ValueError, match=r"were not kept.* save with per_user=True"):
        back.compare(REPORT)
    assert '"ann"' not in (tmp_path / "means.json").read_text()


def test_custom_functions_are_not_loaded(tmp_path):
    REPORT.save(tmp_path / "knn.json")
    back = Report.load(tmp_path / "knn.json")
    with pytest.raises(ValueError, match="share was read from a file, which holds its name"):
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
        (("measures", 0, "users"), 10**6, "is over 1000000 users and . left out, of "),
        (("measures", 0, "value"), 7.0, "has the value 7.0, outside of its bounds"),
        (("measures", 0, "value"), True, "is True, and should be of type number or null"),
        (("measures", 0, "value"), "0.5", "is '0.5', and should be of type number or null"),
        (("measures", 0, "better"), "more", "should be one of 'higher', 'lower', None"),
        (("protocol", "lengths"), [1], r"protocol\.lengths has 1 entries"),
        (("protocol", "digest"), "x", r"protocol\.digest is 'x', and should match"),
        (("more",), 1, "more is no field of such a document"),
        (("users", "ids"), ["ann", "ann"], r"users\.ids has 'ann' 2 times"),
        (("users", "ids"), ["ann", 10**30], r"users\.ids\[1\] is 10+, and is too large"),
        (("users", "ids"), ["ann", 3], r"users\.ids has numbers and text"),
        (("users", "ids"), ["ann", "\ud83d"], r"users\.ids has '.ud83d', in which half a char"),
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
    assert found["reciprocal_rank@2"] == 0.75
    low, high = report["mrr@2"].interval()
    assert (found["reciprocal_rank@2/low"], found["reciprocal_rank@2/high"]) == (low, high)
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
        ("bounds", [None, None], "and the measure has"),
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
