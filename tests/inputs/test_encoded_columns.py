"""Columns that a library holds encoded are numbered by their codes, as their entries would be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.interactions import Interactions
from tests.examples import examples

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

LABELS = st.lists(st.sampled_from(["a", "b", "ä", ""]), min_size=1, max_size=9)


def encoded_forms(ids):
    """Return one column of ids as other libraries hold it, encoded or not."""
    arrow = pa.chunked_array([ids[:2], ids[2:]], type=pa.string())
    categories = ["unused", *sorted({*ids} - {None}, reverse=True)]
    return {
        "a list": ids,
        "an array": np.array(ids, dtype=object),
        "pandas": pd.Series(ids),
        "pandas, objects": pd.Series(ids, dtype=object),
        "pandas, categories": pd.Series(pd.Categorical(ids, categories=categories)),
        "Polars": pl.Series(ids, dtype=pl.String),
        "Polars, Categorical": pl.Series(ids, dtype=pl.Categorical),
        "Polars, Enum": pl.Series(ids, dtype=pl.Enum(categories)),
        "Arrow": arrow,
        "Arrow, dictionary": arrow.dictionary_encode(),
        "Arrow, in one piece": arrow.combine_chunks(),
    }


@examples(50)
@given(ids=LABELS)
def test_encoded_columns_get_the_numbers_of_a_list(ids):
    _, users, items = Interactions.from_ids(ids, ids, user_ids=["z"])
    for form, column in encoded_forms(ids).items():
        log, *known = Interactions.from_ids(column, column, user_ids=["z"])
        assert known == [users, items], form
        assert log.user.tolist() == [users.index(each) for each in ids], form
        assert log.item.tolist() == [items.index(each) for each in ids], form


@pytest.mark.parametrize("form", encoded_forms(["a", "b"]))
def test_a_missing_id_of_an_encoded_column_is_an_error_that_names_the_row(form):
    column = encoded_forms(["a", None, "b"])[form]
    with pytest.raises(ValueError, match=r"row 1 has the user (None|nan|<NA>), which is no id"):
        Interactions.from_ids(column, ["x", "y", "z"])


def test_numbers_of_any_width_are_ids():
    for dtype in (np.int8, np.uint64, np.int64):
        log, users, _ = Interactions.from_ids(np.array([7, 3, 7], dtype=dtype), [1, 2, 3])
        assert (log.user.tolist(), users) == ([0, 1, 0], (7, 3))
        assert {*map(type, users)} == {int}
