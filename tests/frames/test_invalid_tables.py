"""Odd tables: every engine refuses them in the same words, and ties are broken alike."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import convert, frames
from recsys_metrics.interactions import Interactions
from tests.frames.engines import QUICK, in_duckdb, in_pandas, in_polars, in_spark
from tests.tiers import on_spark

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")

SHOWN = {"user": [1, 1], "item": [5, 6], "rank": [1, 2]}
SCORED = {"user": [1, 1], "item": [5, 6], "score": [0.9, 0.1]}
WANTED = {"user": [1, 1], "item": [5, 6], "grade": [1, 2]}

quick = pytest.mark.parametrize("engine", QUICK, ids=lambda engine: engine.__name__)


def quick_and_one_on_spark(test):
    each = pytest.mark.parametrize("engine", [*QUICK, in_spark], ids=lambda engine: engine.__name__)
    return pytest.mark.sweep("engine", keep=0, always=QUICK, pools={in_spark: on_spark})(each(test))


NULL = "has 1 row without"
FAULTS = [
    (SHOWN, {"user": [1, None]}, f"recommended {NULL} a user; leave them out"),
    (SHOWN, {"item": [5, None]}, f"recommended {NULL} an item"),
    (SHOWN, {"rank": [1, None]}, f"recommended {NULL} a rank"),
    (SCORED, {"score": [1.0, None]}, f"recommended {NULL} a score"),
    (WANTED, {"user": [1, None]}, f"relevant {NULL} a user"),
    (WANTED, {"item": [5, None]}, f"relevant {NULL} an item"),
    (WANTED, {"grade": [1, None]}, f"relevant {NULL} a grade"),
    (SHOWN, {"item": [5, 5]}, "has 1 user with an item twice; it would count twice"),
    (SHOWN, {"rank": [1, 1]}, "has 1 user with two items at one rank"),
    (SHOWN, {"rank": [0, 1]}, "has 1 row with a rank below 1; ranks start at 1"),
    (SHOWN, {"rank": [1.5, 1]}, "has 1 row with a rank that is no whole number"),
    (SHOWN, {"rank": [2**31, 1]}, "has 1 row with a rank that is no whole number up to 2,147"),
    (SCORED, {"score": [0.1, np.inf]}, "has 1 row with a score that is no finite number"),
    (SCORED, {"score": [-np.inf, 0.1]}, "has 1 row with a score that is no finite number"),
    (WANTED, {"item": [5, 5]}, "relevant has 1 user with an item twice"),
    (WANTED, {"grade": [1, -2]}, "has 1 row with a grade below 0; a grade is 0 or more"),
]


def evaluate_broken(engine, table, change):
    broken = {**table, **change}
    pair = (SHOWN, broken) if table is WANTED else (broken, WANTED)
    return frames.evaluate(*map(engine, pair), ["ndcg@5"])


@pytest.mark.parametrize(
    "engine", [in_polars, in_pandas, in_duckdb], ids=lambda engine: engine.__name__
)
@pytest.mark.parametrize(("table", "change", "said"), FAULTS, ids=range(len(FAULTS)))
def test_invalid_rows_raise(engine, table, change, said):
    if engine is in_pandas and None in (change.get("user") or change.get("item") or ()):
        said = "has decimals .*an empty cell makes decimals of whole numbers in pandas"
    with pytest.raises(frames.TableError, match=said):
        evaluate_broken(engine, table, change)


# What Spark gets wrong by itself: nulls and what is not finite.
@on_spark
@pytest.mark.parametrize("at", [0, 1, 6, 12], ids=lambda at: FAULTS[at][2])
def test_invalid_rows_raise_in_spark(at):
    table, change, said = FAULTS[at]
    with pytest.raises(frames.TableError, match=said):
        evaluate_broken(in_spark, table, change)


TYPES = [
    ({"user": ["1", "1"]}, r"relevant has whole numbers as the user .*recommended has text"),
    ({"item": ["5", "6"]}, r"relevant has whole numbers as the item .*recommended has text"),
    ({"user": [1.0, 1.0]}, r"recommended has decimals \(Float64\) as the user in 'user'"),
    ({"item": [5.0, 6.0]}, r"recommended has decimals \(Float64\) as the item"),
    ({"item": [[5], [6]]}, r"recommended has nested values \(List"),
    ({"rank": ["1", "2"]}, "recommended has text in 'rank', where the rank should be a number"),
    ({"rank": [True, False]}, "has values of type Boolean in 'rank'"),
    ({"rank": [datetime.date(2020, 1, 1)] * 2}, "has values of type Date.* in 'rank'"),
]


@quick_and_one_on_spark
@pytest.mark.parametrize(("change", "said"), TYPES, ids=range(len(TYPES)))
def test_columns_of_invalid_types_raise(engine, change, said):
    if engine is in_pandas and "item" in change and isinstance(change["item"][0], list):
        pytest.skip("pandas has no type of lists")
    with pytest.raises(frames.TableError, match=said):
        evaluate_broken(engine, SHOWN, change)


@quick
def test_integers_of_different_widths_match(engine):
    narrow = pl.DataFrame(SHOWN, schema_overrides={"user": pl.Int16, "item": pl.UInt8})
    wide = frames.evaluate(engine(SHOWN), engine(WANTED), ["ndcg@5"])
    assert frames.evaluate(engine(narrow), engine(WANTED), ["ndcg@5"])["ndcg@5"].mean == (
        wide["ndcg@5"].mean
    )


@quick
def test_a_boolean_column_is_a_grade(engine):
    wanted = {**WANTED, "grade": [True, False]}
    assert frames.evaluate(engine(SHOWN), engine(wanted), ["recall@1"])["recall@1"].mean == 1


@quick
def test_empty_tables_raise(engine):
    nothing = {name: [] for name in SHOWN}
    report = frames.evaluate(engine(nothing), engine(WANTED), ["recall@1"])
    assert (report["recall@1"].mean, report["recall@1"].n) == (0, 1)
    assert np.isnan(frames.evaluate(engine(SHOWN), engine(nothing), ["recall@1"])["recall@1"].mean)
    with pytest.raises(ValueError, match="there is no list to evaluate: both tables are empty"):
        frames.evaluate(engine(nothing), engine(nothing), ["recall@1"])


def test_duplicate_column_names_raise():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame([[1, 1, 5, 1]], columns=["user", "user", "item", "rank"])
    with pytest.raises(frames.TableError, match="recommended has two columns 'user'; rename one"):
        frames.evaluate(table, pd.DataFrame(WANTED), ["mrr"])
    mixed = pd.DataFrame({"user": np.array(["a", 1], dtype=object), "item": [1, 2], "rank": [1, 1]})
    with pytest.raises(frames.TableError, match="values of several types in 'user': int, str"):
        frames.evaluate(mixed, pd.DataFrame(WANTED), ["mrr"])
    wide = pd.DataFrame({"user": np.array([10**40], dtype=object), "item": [1], "rank": [1]})
    with pytest.raises(frames.TableError, match="a whole number in 'user' of more than 128 bits"):
        frames.evaluate(wide, pd.DataFrame(WANTED), ["mrr"])


def test_ambiguous_columns_raise():
    both = {**SHOWN, "user_id": [1, 2]}
    with pytest.raises(frames.TableError, match="several columns for the user: 'user', 'user_id'"):
        frames.evaluate(in_polars(both), in_polars(WANTED), ["mrr"])
    found = frames.evaluate(
        in_polars(both), in_polars(WANTED), ["recall@1"], columns={"user": "user"}
    )
    assert found["recall@1"].n == 1


def test_users_in_one_table_only_are_reported():
    report = frames.evaluate(in_polars(SHOWN), in_polars({**WANTED, "user": [7, 7]}), ["mrr"])
    assert report["mrr"].mean == 0
    assert "No user has both a list and something relevant" in report.warnings[0]


@quick
@pytest.mark.parametrize("gain", ["exponential", "exponential-from-threshold"])
def test_a_gain_beyond_the_float_range_raises(engine, gain):
    shown, wanted = {1: [5, 6]}, {1: {5: 5000, 6: 4200}}
    tables = engine(SHOWN), engine({**WANTED, "grade": [5000, 4200]})
    for call, pair in ((rm.evaluate, (shown, wanted)), (frames.evaluate, tables)):
        with pytest.raises(ValueError, match="the grade 5000 is too high for that"):
            call(*pair, ["mrr@1", f"ndcg(gain={gain})@2"], threshold=4000)
    # From this threshold the powers are 801 and 1.
    asked = ["ndcg(gain=exponential-from-threshold)@2"]
    arrays = rm.evaluate(shown, wanted, asked, threshold=4200)
    found = frames.evaluate(*tables, asked, threshold=4200)
    assert found[asked[0]].mean == pytest.approx(arrays[asked[0]].mean, abs=1e-12)
    assert frames.evaluate(*tables, ["ndcg(gain=binary)@2"]).protocol.n_lists == 1


# Ties ---------------------------------------------------------------------------------------------


@quick
def test_ties_are_broken_by_item(engine):
    shown = {"user": [1, 1, 1, 2, 2], "item": [10, 9, 7, 1, 2], "score": [0.5, 0.5, 0.9, 1, 0]}
    wanted = {"user": [1, 2], "item": [10, 2]}
    report = frames.evaluate(engine(shown), engine(wanted), ["mrr", "recall@2", "recall@1"])
    assert report["mrr"].per_user.tolist() == [1 / 3, 1 / 2]
    lists = convert.lists_from_scores({1: {10: 0.5, 9: 0.5, 7: 0.9}, 2: {1: 1, 2: 0}})
    assert rm.evaluate(lists, {1: {10}, 2: {2}}, ["mrr"])["mrr"].mean == report["mrr"].mean
    # Two of the three of user 1 are equal, at ranks 2 and 3.
    assert report.protocol.n_tied == 1
    said = dict(report.protocol.lines())["equal scores"]
    assert said == "the smaller item id first; a cut-off falls between two of them in 1 list"


@quick_and_one_on_spark
def test_text_ids_are_ordered_by_code_point(engine):
    # In UTF-16, which Java sorts by, the last would come before the one above it.
    items = ["Z", "a", "é", "\uffff", "\U00010000"]
    shown = {"user": [1] * 5, "item": items[::-1], "score": [0.0, -0.0, 0.0, -0.0, 0.0]}
    wanted = engine({"user": [1], "item": ["\U00010000"]})
    scored = frames.evaluate(engine(shown), wanted, ["mrr", "recall@2"])
    assert scored["mrr"].mean == 1 / 5
    assert scored.protocol.n_tied == 1
    assert convert.lists_from_scores({1: dict.fromkeys(items[::-1], 0.0)}) == {1: items}
    table = {"user": [1] * 5, "item": items[::-1], "score": [0.0] * 5}
    named = {"user": "user", "item": "item", "score": "score"}
    assert convert.lists_from_frame(table, **named) == {1: items}


def test_random_tables_with_ties_agree_in_all_engines():
    rng = np.random.default_rng(0)
    n = 400
    pairs = {(int(u), int(i)) for u, i in rng.integers(0, 30, (n, 2))}
    users, items = zip(*rng.permutation([*pairs]).tolist(), strict=True)
    scores = (rng.integers(0, 3, len(users)) / 2).tolist()
    shown = {"user": [*users], "item": [*items], "score": scores}
    wanted = {"user": [*users][::3], "item": [*items][::3], "grade": [1.0] * len(users[::3])}
    asked = ["ndcg@5", "mrr", "map@10", "precision@3"]
    lists = convert.lists_from_frame(shown, user="user", item="item", score="score")
    truth = convert.relevant_from_frame(wanted, user="user", item="item")
    arrays = rm.evaluate(lists, truth, asked)
    run = {user: {} for user in users}
    for user, item, score in zip(users, items, scores, strict=True):
        run[user][item] = score
    tied = rm.evaluate(run, truth, asked).protocol
    assert 0 < tied.n_tied < tied.n_lists
    for engine in (in_polars, in_pandas, in_duckdb):
        found = frames.evaluate(engine(shown), engine(wanted), asked)
        assert found.protocol.n_tied == tied.n_tied
        for name in asked:
            assert found[name].mean == pytest.approx(arrays[name].mean, abs=1e-12)


def test_pandas_tables_are_read_without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = frames.evaluate(in_pandas(SCORED), in_pandas(WANTED), ["ndcg@5", "bpref", "map"])
    assert len(report.to_frame(per_user=True, backend="polars")) == report.protocol.n_lists


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_pandas_tables_need_no_pyarrow(monkeypatch, missing):
    pd = pytest.importorskip("pandas")
    shown = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "rank": [1, 1]}).astype(
        {"user": object, "item": object}
    )
    wanted = shown[["user", "item"]]

    def refuse(*_, **__):
        raise ModuleNotFoundError("pyarrow is required")

    monkeypatch.setattr(pl, "from_pandas", refuse)
    assert frames.evaluate(shown, wanted, ["mrr"])["mrr"].mean == 1
    shown.loc[1, "user"] = missing
    with pytest.raises(frames.TableError, match="has 1 row without a user"):
        frames.evaluate(shown, wanted, ["mrr"])


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), 0, -1])
def test_the_threshold_must_be_positive(threshold):
    with pytest.raises(ValueError, match=r"threshold is the lowest grade .* must be"):
        frames.evaluate(in_polars(SHOWN), in_polars(WANTED), ["ndcg@5"], threshold=threshold)


@pytest.mark.parametrize("missing", ["grade", "item"])
def test_a_row_at_fault_is_named(missing):
    shown = pl.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "rank": [1, 1]})
    liked = pl.DataFrame({"user": ["b", "a", "a"], "item": ["y", "z", "x"], "grade": [1, 2, 3]})
    gap = pl.when(pl.col("user") == "a").then(None).otherwise(pl.col(missing))
    where = "user 'a', item 'x'" if missing == "grade" else "user 'a'"
    said = rf"has 2 rows without an? {missing}.*first: {where}"
    with pytest.raises(frames.TableError, match=said):
        frames.evaluate(shown, liked.with_columns(gap.alias(missing)), ["ndcg@5"])


@pytest.mark.parametrize("in_batches", [False, True])
def test_decimals_of_256_bits_raise_instead_of_a_panic_of_polars(in_batches):
    pa = pytest.importorskip("pyarrow")
    scores = pa.array([Decimal(1)], pa.decimal256(50, 2))
    lists = pa.table({"user": ["u"], "item": ["a"], "score": scores})
    truth = in_polars({"user": ["u"], "item": ["a"]})
    with pytest.raises(
        frames.TableError, match="decimals of 256 bits in 'score', and engines hold"
    ):
        frames.evaluate(lists.to_batches()[0] if in_batches else lists, truth, ["mrr"])


def test_groups_are_no_lists():
    groups = in_polars({"user": [1, 2], "group": [["a"], ["b"]]})
    with pytest.raises(frames.TableError, match=r"nested values \(List\(String\)\) as the group"):
        frames.evaluate(in_polars(SHOWN), in_polars(WANTED), ["mrr"], groups={"g": groups})
    lists = pytest.importorskip("pandas").Series([["a"], ["b"]])
    with pytest.raises(TypeError, match=r"the grouping 'g' has \['a'\], a list, which is no label"):
        rm.evaluate([["A"], ["B"]], [["A"], ["B"]], ["mrr"], groups={"g": lists})


READERS = {
    "frames.evaluate": ("recommended", lambda x: frames.evaluate(x, x, ["recall@1"])),
    "evaluate": ("recommended", lambda x: rm.evaluate(x, x, ["recall@1"])),
    "evaluate with lists": ("relevant", lambda x: rm.evaluate({1: [5]}, x, ["recall@1"])),
    "history": ("history", lambda x: rm.evaluate({1: [5]}, {1: [5]}, ["mrr"], history=x)),
    "groups": ("groups", lambda x: rm.evaluate({1: [5]}, {1: [5]}, ["mrr"]).by(x)),
    "preflight": ("recommended", lambda x: rm.preflight(x, x)),
    "off_policy": ("log", lambda x: frames.off_policy(x)),
    "scorecard": ("frame", lambda x: rm.scorecard(x, control="a", metrics=["reward"])),
    "lists_from_frame": (
        "frame",
        lambda x: convert.lists_from_frame(x, user="user", item="item"),
    ),
    "relevant_from_frame": (
        "frame",
        lambda x: convert.relevant_from_frame(x, user="user", item="item"),
    ),
    "from_frame": ("frame", Interactions.from_frame),
}


def _failing_cast_of_duckdb():
    return pytest.importorskip("duckdb").sql(
        "select ('x' || range)::int as user, 5 as item, 1 as rank, ('x' || range)::int as reward, "
        "0.5 as propensity, 0.5 as target, 'a' as arm from range(3)"
    )


def _closed_connection():
    connection = pytest.importorskip("duckdb").connect()
    table = connection.sql("select 1 as user, 5 as item, 1 as rank")
    connection.close()
    return table


def _failing_cast_of_polars():
    columns = {"user": ["x"], "item": [5], "rank": [1], "reward": ["x"], "arm": ["a"]}
    return pl.LazyFrame(columns | {"propensity": [0.5], "target": [0.5]}).with_columns(
        pl.col("user", "reward").cast(pl.Int64)
    )


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("build", "says"),
    [
        (_failing_cast_of_duckdb, "duckdb says: Conversion Error: Could not convert string 'x0'"),
        (_closed_connection, "duckdb says: Connection Error: Connection has already been closed"),
        (_failing_cast_of_polars, "polars says: conversion from `str` to `i64` failed"),
        (lambda: pl.scan_parquet("no.parquet"), "polars says: No such file or directory"),
    ],
    ids=["cast of DuckDB", "closed connection", "cast of Polars", "missing file"],
)
def test_what_an_engine_raises_names_the_table(reader, build, says):
    table, read = READERS[reader]
    with pytest.raises(frames.EngineError, match=f"^{table} could not be read: {says}"):
        read(build())
