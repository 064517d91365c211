"""A report over frames is that over arrays: the same class, the same answers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import frames
from recsys_metrics.evaluation import Report
from tests.frames.engines import QUICK, in_duckdb, in_pandas, in_polars, in_spark
from tests.frames.test_equal_to_arrays import as_tables, draw
from tests.tiers import on_spark

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")

ASKED = ["ndcg@5", "hit_rate@3", "coverage@5"]
LISTS, TRUTH = draw(11)
OTHERS, _ = draw(12)
OTHERS = {user: OTHERS.get(user, [24]) for user in {**LISTS, **TRUTH}}
GROUPS = {user: ("old", "young", "middle")[user % 3] for user in {**LISTS, **TRUTH}}
EACH = pytest.mark.parametrize("engine", [*QUICK, in_spark], ids=lambda engine: engine.__name__)
SOME = pytest.mark.sweep("engine", keep=2, always=[in_polars], pools={in_spark: on_spark})


def every(test):
    return SOME(EACH(test))


def arrays(lists, name="", truth=TRUTH):
    return rm.evaluate(
        lists, truth, ASKED, catalog=range(25), groups={"age": by_user(lists)}, name=name
    )


def over(engine, lists, name="", truth=TRUTH, **more):
    shown, wanted = map(engine, as_tables(lists, truth))
    return frames.evaluate(shown, wanted, ASKED, catalog=range(25), name=name, **more)


def by_user(lists):
    return {user: GROUPS[user] for user in {**lists, **TRUTH}}


def table_of(groups):
    return {"user": [*groups], "cohort": [*groups.values()]}


@every
def test_values_by_group_equal_arrays(engine):
    report = over(engine, LISTS, groups={"age": engine(table_of(by_user(LISTS)))})
    assert isinstance(report, Report)
    expected = arrays(LISTS).by("age")
    forms = ["age", engine(table_of(GROUPS)), by_user(LISTS)]
    # To Spark each is a query to plan.
    for form in forms[:1] if engine is in_spark else forms:
        found = report.by(form)
        assert found.sizes == expected.sizes
        assert list(found) == list(expected) == ["ndcg@5", "hit_rate@3"]
        for name in found:
            one, other = found[name], expected[name]
            assert one.per_group == pytest.approx(other.per_group, abs=1e-12)
            assert one.count == other.count
            for group, ends in one.intervals.items():
                assert ends == pytest.approx(other.intervals[group], abs=1e-12)
            assert one.gap_interval == pytest.approx(other.gap_interval, abs=1e-12)


@every
def test_comparisons_equal_arrays(engine):
    expected = arrays(LISTS, "new").compare(arrays(OTHERS, "old"))
    new, old = over(engine, LISTS, "new"), over(engine, OTHERS, "old")
    found = new.compare(old)
    assert str(found.conclusion) == str(expected.conclusion)
    assert found.decided_on == expected.decided_on
    for name in expected:
        one, other = found[name], expected[name]
        for field in ("new", "old", "gain", "p_value", "p_adjusted"):
            assert getattr(one, field) == pytest.approx(
                getattr(other, field), abs=1e-12, nan_ok=True
            )
        assert (one.better, one.worse, one.equal) == (other.better, other.worse, other.equal)
        assert (one.interval is None) == (other.interval is None)
        if other.interval is not None:
            assert [*one.interval] == pytest.approx([*other.interval], abs=1e-12)


@pytest.mark.parametrize("engine", [in_polars, in_duckdb], ids=lambda engine: engine.__name__)
def test_comparisons_of_many_changed_users_equal_arrays(engine):
    lists, others, truth = (
        {user + 1000 * copy: row for copy in range(20) for user, row in rows.items()}
        for rows in (LISTS, OTHERS, TRUTH)
    )
    asked = ["ndcg@5", "dcg@5", "hit_rate@3"]
    new, old = (rm.evaluate(each, truth, asked) for each in (lists, others))
    expected = new.compare(old)
    new, old = (
        frames.evaluate(*map(engine, as_tables(each, truth)), asked) for each in (lists, others)
    )
    found = new.compare(old)
    for name in asked:
        one, other = found[name], expected[name]
        assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
        assert [*one.interval] == pytest.approx([*other.interval], abs=1e-12)


def test_equal_lists_in_two_engines_have_no_difference():
    lists, truth = (
        {user + 1000 * copy: row for copy in range(40) for user, row in rows.items()}
        for rows in (LISTS, TRUTH)
    )
    asked = ["ndcg@5", "dcg@5", "map@5"]
    tables = as_tables(lists, truth)
    there = [frames.evaluate(*map(engine, tables), asked) for engine in (in_polars, in_duckdb)]
    memory = rm.evaluate(lists, truth, asked)
    for new, old in itertools.permutations([*there, memory], 2):
        for row in new.compare(old).values():
            assert (row.gain, row.better, row.worse) == (0.0, 0, 0)


def test_reports_can_be_compared_across_engines_and_with_arrays():
    expected = arrays(LISTS).compare(arrays(OTHERS))
    polars, duckdb = over(in_polars, LISTS), over(in_duckdb, OTHERS)
    for found in (
        polars.compare(duckdb),
        polars.compare(arrays(OTHERS)),
        arrays(LISTS).compare(duckdb),
    ):
        for name in ("ndcg@5", "hit_rate@3"):
            one, other = found[name], expected[name]
            assert one.gain == pytest.approx(other.gain, abs=1e-12)
            assert one.p_value == pytest.approx(other.p_value, abs=1e-12, nan_ok=True)
            assert [*one.interval] == pytest.approx([*other.interval], abs=1e-12)


@pytest.mark.parametrize("engine", [in_polars, in_duckdb], ids=lambda engine: engine.__name__)
def test_incompatible_reports_raise(engine):
    fewer = {user: row for user, row in LISTS.items() if user not in (1, 2)}
    truth = {user: row for user, row in TRUTH.items() if user not in (1, 2)}
    new = over(engine, LISTS)
    with pytest.raises(
        ValueError, match=r"the reports are of 37 and 35 users, 2 only in this report"
    ):
        new.compare(over(engine, fewer, truth=truth))
    other = {**TRUTH, 1: {0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1}}
    with pytest.raises(ValueError, match="do not agree on what is relevant to 1 of 37 users"):
        new.compare(over(engine, LISTS, truth=other))


@every
def test_values_of_users_equal_arrays(engine):
    report, expected = over(engine, LISTS), arrays(LISTS)
    assert report.users == tuple(sorted({**LISTS, **TRUTH}))
    order = np.argsort(expected.users)
    for name in ("ndcg@5", "hit_rate@3"):
        values = report[name].per_user
        np.testing.assert_allclose(values, expected[name].per_user[order], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(report.n_relevant, expected.n_relevant[order])
    assert report["hit_rate@3"].interval(method="bootstrap").n == report["hit_rate@3"].n


@pytest.mark.parametrize("engine", [in_polars, in_pandas], ids=lambda engine: engine.__name__)
def test_output_and_exports_equal_those_of_arrays(engine):
    report, expected = over(engine, LISTS), arrays(LISTS)
    assert report.columns().keys() == expected.columns().keys()
    assert report.to_frame(backend="pandas")["measure"].tolist() == [*expected]
    assert repr(report["ndcg@5"]) == repr(expected["ndcg@5"])
    assert report.interval("ndcg@5") == report["ndcg@5"].interval()
    wide = report.to_frame(per_user=True)
    assert wide.columns == ["user", "ndcg@5", "hit_rate@3"]
    assert len(wide) == expected.protocol.n_lists
    assert report["ndcg(gain=linear)@5"].mean == report["ndcg@5"].mean


def test_invalid_groups_raise():
    report = over(in_polars, LISTS)
    for table, said in (
        (
            {"user": [1, 1], "group": ["a", "b"]},
            "groups has 1 user in several groups, user 1 in 'a'",
        ),
        ({"user": [1, None], "group": ["a", "b"]}, "groups has 1 row without a user"),
        (
            {"user": [1, 2], "group": ["a", "a "]},
            "groups has the groups 'a' and 'a ', which differ",
        ),
        ({"user": ["1"], "group": ["a"]}, "groups has text as the user"),
        ({"user": [999], "group": ["a"]}, "no user of the report is in the table of groups"),
        ({"user": [1], "kind": ["a"]}, "no column that looks like the group"),
    ):
        with pytest.raises(ValueError, match=said):
            report.by(in_polars(table))
    with pytest.raises(ValueError, match="there is no grouping 'age'; evaluate was given none"):
        report.by("age")
    with pytest.raises(ValueError, match="has no group for user"):
        report.by({1: "a"})
    labels = ["a", *["A"] * (report.protocol.n_lists - 1)]
    users = report.to_frame(per_user=True)["user"]
    for groups in (labels, dict(zip(users, labels, strict=True))):
        with pytest.raises(ValueError, match="'group' has the groups 'A' and 'a', which differ"):
            report.by(groups)
    groups = {"age": in_polars({"user": [1, 2], "group": ["a", "A"]})}
    with pytest.raises(ValueError, match="groups has the groups 'A' and 'a', which differ only"):
        over(in_polars, LISTS, groups=groups)


def test_a_catalogue_of_ids_must_contain_every_item():
    for engine in (in_polars, in_duckdb):
        shown, wanted = map(engine, as_tables({1: [3, 24]}, {1: {3: 1}}))
        with pytest.raises(ValueError, match="item 24, which is not in the catalogue of 24"):
            frames.evaluate(shown, wanted, ["coverage@5"], catalog=range(24))
