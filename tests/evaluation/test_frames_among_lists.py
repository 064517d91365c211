"""Data frames that come together with lists, arrays or mappings are read as those are."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import recsys_metrics as rm

LISTS = {"ann": ["x", "y", "z"], "bob": ["z", "x"], "cem": ["y"]}
GRADES = {"ann": {"y": 2.0, "w": 1.0}, "bob": {"z": 1.0}, "cem": {"x": 3.0}}
HISTORY = {"ann": {"w", "v"}, "bob": {"y"}, "cem": {"x", "z"}}
GENRES = {"v": "a|b", "w": "a", "x": "b", "y": "b|c", "z": "c"}
METRICS = ["ndcg(gain=exponential)@3", "recall@2", "unexpectedness@3", "genre_calibration@3"]

ROWS = pd.DataFrame(
    [(user, item, rank) for user, row in LISTS.items() for rank, item in enumerate(row, 1)],
    columns=["listener", "track", "rank"],
).sample(frac=1, random_state=1)
TRUTH = pd.DataFrame(
    [(user, item, grade) for user, row in GRADES.items() for item, grade in row.items()],
    columns=["listener", "track", "grade"],
)
PAST = pd.DataFrame(
    [(user, item) for user, row in HISTORY.items() for item in [*row, *row]],
    columns=["listener", "track"],
)
ITEMS = pd.DataFrame(
    [(item, genre) for item, text in GENRES.items() for genre in text.split("|")],
    columns=["track", "style"],
)
COLUMNS = {"user": "listener", "item": "track", "category": "style"}
EXPECTED = rm.evaluate(LISTS, GRADES, METRICS, history=HISTORY, features=GENRES).as_dict()

FRAMES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "duckdb": lambda frame: duckdb.from_arrow(pa.Table.from_pandas(frame, preserve_index=False)),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=[*FRAMES])
@pytest.mark.parametrize("which", ["recommended", "relevant", "history", "features", "context"])
def test_one_frame_among_lists_gives_what_lists_give(make, which):
    given = {
        "recommended": LISTS,
        "relevant": GRADES,
        "measures": METRICS,
        "history": HISTORY,
        "features": GENRES,
    }
    tables = {"recommended": ROWS, "relevant": TRUTH, "history": PAST, "features": ITEMS}
    chosen = ["history", "features"] if which == "context" else [which]
    given |= {name: make(tables[name]) for name in chosen}
    assert rm.evaluate(**given, columns=COLUMNS).as_dict() == EXPECTED


def test_scores_in_place_of_ranks_and_usual_names():
    scores = pd.DataFrame(
        [("ann", "y", 0.2), ("ann", "x", 0.9), ("bob", "z", 0.1), ("cem", "y", 1.0)],
        columns=["user_id", "item_id", "score"],
    )
    lists = {"ann": ["x", "y"], "bob": ["z"], "cem": ["y"]}
    expected = rm.evaluate(lists, GRADES, ["ndcg@2"]).as_dict()
    assert rm.evaluate(scores, GRADES, ["ndcg@2"]).as_dict() == expected


def test_repeats_among_relevant_items():
    twice = pd.concat([TRUTH, TRUTH.head(1).assign(grade=9.0)])
    with pytest.raises(ValueError, match="relevant has 1 rows with an item that its user already"):
        rm.evaluate(LISTS, twice, ["ndcg@2"], columns=COLUMNS)
    with pytest.raises(ValueError, match=r"with the grades .* and 9.0; keep the grade that counts"):
        rm.evaluate(LISTS, twice, ["ndcg@2"], columns=COLUMNS, repeats="drop")
    twice = pd.concat([TRUTH, TRUTH.head(1)])
    found = rm.evaluate(LISTS, twice, ["ndcg@2"], columns=COLUMNS, repeats="drop")
    assert (found.protocol.n_repeats, found.protocol.n_relevant_repeats) == (0, 1)
    assert found.as_dict() == rm.evaluate(LISTS, GRADES, ["ndcg@2"]).as_dict()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"relevant": TRUTH.rename(columns={"track": "what"})}, "relevant has no column that look"),
        ({"history": PAST.rename(columns={"track": "what"})}, "history has no column .* the item"),
        (
            {"relevant": TRUTH.assign(item=1, sku=2)},
            "relevant has several columns that could be the item",
        ),
    ],
)
def test_an_error_names_the_table_and_how_to_name_its_columns(given, words):
    given = {"relevant": GRADES} | given
    given = {"columns": None} | given
    with pytest.raises(ValueError, match=f"{words}.*columns={{'user': …"):
        rm.evaluate(LISTS, measures=["recall@2"], **given)


def test_columns_without_a_frame_are_an_error():
    with pytest.raises(TypeError, match="columns names those of data frames, but none was given"):
        rm.evaluate(LISTS, GRADES, ["recall@2"], columns={"user": "listener"})


def test_an_array_needs_the_ids_of_its_users():
    with pytest.raises(TypeError, match=r"convert.lists_from_array"):
        rm.evaluate(np.array([[0, 1], [1, 2]]), TRUTH, ["recall@2"], columns=COLUMNS)


def test_the_groups_of_a_column_of_pandas_are_those_of_its_index():
    report = rm.evaluate(LISTS, GRADES, ["recall@2"])
    groups = {"cem": "new", "ann": "old", "bob": "new", "dee": "old"}
    expected = str(report.by({user: groups[user] for user in LISTS}))
    assert str(report.by(pd.Series(groups))) == expected
    grouped = rm.evaluate(LISTS, GRADES, ["recall@2"], groups={"age": pd.Series(groups)})
    assert str(grouped.by("age")).partition("\n")[2] == expected.partition("\n")[2]
    # Numbers of rows are no users, so such a column is read in the order of the lists.
    of_rows = pd.Series(["old", "new", "new"], index=[7, 8, 9])
    assert str(report.by(of_rows)) == expected
    with pytest.raises(ValueError, match="has no group for user 'cem'"):
        report.by(pd.Series({"ann": "old", "bob": "new"}))


def test_a_comparison_says_how_an_array_gets_its_ids():
    array = np.array([[0, 1, 2], [2, 0, -1], [1, -1, -1]])
    truth = sparse.csr_array(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    by_user = rm.evaluate(LISTS, {"ann": {"y"}, "bob": {"z"}, "cem": {"x"}}, ["ndcg@2"])
    cure = r"convert\.lists_from_array\(array, users=…, items=…\)"
    with pytest.raises(ValueError, match=cure):
        by_user.compare(rm.evaluate(array, truth, ["ndcg@2"]))
    with pytest.raises(ValueError, match=f"one names items by their number .*{cure}"):
        by_user.compare(rm.evaluate(array, truth, ["ndcg@2"], users=[*LISTS]))
    lists = rm.convert.lists_from_array(array, users=[*LISTS], items=["x", "y", "z"])
    again = rm.evaluate(lists, {"ann": {"y"}, "bob": {"z"}, "cem": {"x"}}, ["ndcg@2"])
    assert by_user.compare(again)["ndcg@2"].gain == 0


def test_groups_by_ids_of_another_kind_name_the_cure():
    report = rm.evaluate([["x"], ["y"]], [{"x"}, {"x"}], ["recall@1"], users=[0, 1])
    with pytest.raises(ValueError, match=r"no group for user 0; its users are .*text.* users= of"):
        report.by({"ann": "old", "bob": "new"})


def test_features_of_ids_name_the_way_to_key_an_array():
    with pytest.raises(
        TypeError, match=r"not ndarray of shape \(3, 2\); pass dict\(zip\(ids, feat"
    ):
        rm.evaluate(LISTS, GRADES, ["ILD@2"], features=np.ones((3, 2)))


def test_a_table_whose_columns_have_no_options_names_no_option():
    users = pd.DataFrame({"user": ["ann"], "user_id": [1], "group": ["g"]})
    items = pd.DataFrame({"item": ["A"], "item_id": [1], "category": ["c"]})
    lists, truth = {"ann": ["A"], "bob": ["B"]}, {"ann": {"A"}, "bob": {"A"}}
    for refused in (
        lambda: rm.evaluate(lists, truth, ["recall@1"]).by(users),
        lambda: rm.evaluate(lists, truth, ["diversity"], features=items),
    ):
        with pytest.raises(ValueError, match="several columns that could be the") as caught:
            refused()
        assert "say which" not in str(caught.value)
        assert "Rename the columns" in str(caught.value)
