"""Categories of items come as sets, as texts that name several, and as tables of both libraries."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.beyond_accuracy import (
    category_shares,
    genre_calibration,
    intra_list_diversity,
)

LISTS = {"ann": ["A", "B", "C"], "bob": ["B", "C", "D"]}
TRUTH = {"ann": {"B", "C"}, "bob": {"D"}}
SETS = {"A": {"Action", "Comedy"}, "B": {"Action"}, "C": {"Drama"}, "D": {"Drama"}}
TEXTS = {"A": "Action|Comedy", "B": "Action", "C": "Drama", "D": "Drama"}
MEASURES = ["intra_list_diversity@3", "genre_calibration@3", "subtopic_recall@3"]
SEEN = {"ann": {"A", "D"}, "bob": {"A"}}


def values(features, lists=LISTS, truth=TRUTH, history=SEEN):
    report = rm.evaluate(lists, truth, MEASURES, features=features, history=history)
    return {name: report[name].per_user.tolist() for name in report}


def _diversity(features):
    return intra_list_diversity([["A", "B"], ["A", "C"]], features=features).tolist()


def tables(library):
    frame = pytest.importorskip(library)
    make = frame.table if library == "pyarrow" else frame.DataFrame
    long = [(item, kind) for item, kinds in SETS.items() for kind in sorted(kinds)]
    yield make({"sku": [*TEXTS], "genres": [*TEXTS.values()]})
    yield make(dict(zip(("item", "category"), map(list, zip(*long, strict=True)), strict=True)))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_table_of_categories_equals_sets_also_where_lists_are_a_mapping(library):
    for table in tables(library):
        assert values(table) == values(SETS)
        assert _diversity(table) == _diversity(SETS)


def test_texts_equal_sets_by_id_and_by_number():
    pandas = pytest.importorskip("pandas")
    assert values(TEXTS) == values(SETS)
    assert values(pandas.Series(TEXTS)) == values(SETS)
    assert values(TEXTS | {"A": {"Action", "Comedy"}}) == values(SETS)
    number = {item: at for at, item in enumerate("ABCD")}
    lists = [[number[item] for item in row] for row in LISTS.values()]
    truth = [{number[item] for item in row} for row in TRUTH.values()]
    seen = [{number[item] for item in row} for row in SEEN.values()]
    texts = [*TEXTS.values()]
    for given in (texts, tuple(texts), np.array(texts), pandas.Series(texts)):
        assert values(given, lists, truth, seen) == values(SETS)


def test_tables_of_lists_take_a_mapping_of_texts():
    pl = pytest.importorskip("polars")
    rows = [(user, item, at) for user, row in LISTS.items() for at, item in enumerate(row, 1)]
    lists = pl.DataFrame(rows, schema=["user", "item", "rank"], orient="row")
    wanted = [(user, item) for user, items in TRUTH.items() for item in sorted(items)]
    truth = pl.DataFrame(wanted, schema=["user", "item"], orient="row")
    seen = [(user, item) for user, items in SEEN.items() for item in sorted(items)]
    history = pl.DataFrame(seen, schema=["user", "item"], orient="row")
    assert values(TEXTS, lists, truth, history) == values(SETS)


def test_what_is_no_category_is_an_error_with_a_cure():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"a column of items and .* looks like the category; .*Re"):
        values(pandas.DataFrame({"sku": list("ABCD"), "width": [1, 2, 3, 4]}))
    with pytest.raises(ValueError, match="row 1 of features has no category; leave such rows out"):
        values(pandas.DataFrame({"sku": list("AB"), "genre": ["Action", None]}))
    with pytest.raises(ValueError, match="item 'A' has no feature other than 0"):
        values(TEXTS | {"A": ""})
    with pytest.raises(TypeError, match="features mixes sets and vectors"):
        values(TEXTS | {"A": [1.0, 0.0]})


@pytest.mark.parametrize("other", ["drama", "Dra ma", "Drama\u200b"])
def test_categories_that_look_alike_raise(other):
    message = r"have the (categories|genres) '.+' and '.+', which differ only in blanks, case"
    texts = TEXTS | {"C": other}
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"sku": [*texts], "genres": [*texts.values()]})
    for features in (texts, SETS | {"C": {other}}, table):
        with pytest.raises(ValueError, match=message):
            values(features)
    with pytest.raises(ValueError, match=message):
        category_shares([["C", "D"]], ["A"], texts)
    with pytest.raises(ValueError, match=message):
        genre_calibration({"Drama": 1.0}, {other: 1.0})


def test_users_of_items_may_differ_in_case_alone():
    seen = {"A": {"u1", "U1"}, "B": {"u1"}}
    assert intra_list_diversity(
        [["A", "B"]], features=seen, metric="co-occurrence"
    ) == pytest.approx([1 - 1 / np.sqrt(2)])
