"""The table of events: columns that fit, errors that name the row, matrices."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from recsys_metrics.interactions import Interactions, concatenate

HOUR = np.array([1], dtype="timedelta64[h]")


@pytest.fixture
def log():
    return Interactions([0, 0, 2, 0], [1, 0, 1, 1], [4, 1, 5, 2], [30, 10, 20, 40])


def test_columns_and_sizes(log):
    assert (len(log), log.n_users, log.n_items) == (4, 3, 2)
    assert repr(log) == "Interactions(4 events of 3 users with 2 items; rating, timestamp)"
    wider = Interactions([0], [1], n_users=9, n_items=7)
    assert wider.matrix().shape == (9, 7)


def test_the_last_of_duplicate_events_counts(log):
    assert log.matrix().toarray().tolist() == [[1, 1], [0, 0], [0, 1]]
    assert log.matrix("rating").toarray().tolist() == [[1, 2], [0, 0], [0, 5]]


def test_take_by_mask_and_by_row(log):
    assert log.take(log.rating >= 4).timestamp.tolist() == [30, 20]
    assert log.take([2, 0]).user.tolist() == [2, 0]
    assert log.of_users([0]).item.tolist() == [1, 0, 1]
    assert log.take([]).n_users == 3
    assert len(log.of_users([])) == 0


def test_concatenate_undoes_take(log):
    parts = [log.take([0, 1]), log.take([2, 3])]
    again = concatenate(parts)
    for name in ("user", "item", "rating", "timestamp"):
        assert getattr(again, name).tolist() == getattr(log, name).tolist()
    bare = Interactions([0], [0], n_users=3, n_items=2)
    assert concatenate([log, bare]).rating is None


def test_columns_are_read_only_and_inputs_are_not_modified():
    given = np.array([0, 1])
    log = Interactions(given, [0, 1])
    with pytest.raises(ValueError, match="read-only"):
        log.user[0] = 5
    given[0] = 7
    assert log.user[0] == 0


def test_read_only_views_are_copied():
    stars = np.array([1, 2], dtype=np.float32)
    view = stars[:]
    view.flags.writeable = False
    log = Interactions([0, 1], [0, 1], view)
    stars[0] = 5
    assert log.rating.tolist() == [1, 2]


def test_ids_may_be_of_any_type():
    log, users, items = Interactions.from_ids(["b", "a", "b"], [10, 20, 30], rating=[1, 2, 3])
    assert (users, items) == (("b", "a"), (10, 20, 30))
    assert log.user.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Interactions([0, 1], [0]), ValueError, "lengths differ: user 2, item 1"),
        (lambda: Interactions([0, -1], [0, 0]), ValueError, "row 1 has user -1"),
        (lambda: Interactions([0], [3], n_items=3), ValueError, "row 0 has item 3.*0 to 2"),
        (lambda: Interactions([0], [0], [np.nan]), ValueError, "row 0 has rating nan"),
        (lambda: Interactions(["a"], [0]), TypeError, "user must contain whole numbers"),
        (
            lambda: Interactions([0], [0], timestamp=[np.inf]),
            ValueError,
            "row 0 has no timestamp",
        ),
        (lambda: Interactions([0], [0], timestamp=HOUR), TypeError, "seconds since 1970"),
        (lambda: Interactions([0, 2**32], [0, 0]), ValueError, "row 1 has user 4294967296"),
        (lambda: Interactions([0], [0], n_users=2.7), ValueError, "n_users is a whole.*2.7"),
        (lambda: Interactions([], [], n_items=-1), ValueError, "n_items is a whole.*-1"),
        (lambda: Interactions([0], [0]).of_users([-1]), ValueError, "no user -1"),
        (lambda: Interactions([0], [0]).of_users([True]), TypeError, "numbers, got bool"),
        (lambda: Interactions([[0]], [0]), ValueError, "user must be one column"),
        (lambda: Interactions([0], [0]).matrix("rating"), ValueError, "carry no rating"),
        (lambda: Interactions([0], [0]).matrix("stars"), ValueError, "'seen' or 'rating'"),
        (lambda: Interactions([0], [0]).take([True, False]), ValueError, "2 entries for 1 events"),
        (lambda: concatenate([]), ValueError, "at least one"),
        (
            lambda: concatenate([Interactions([0], [0]), Interactions([1], [0])]),
            ValueError,
            "different users and items",
        ),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call()


class NAType:
    """What pandas' missing value is like: it compares to nothing, not even itself."""

    def __ne__(self, other):
        return self

    __hash__ = object.__hash__

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


@pytest.mark.parametrize("missing", [None, float("nan"), NAType(), np.datetime64("NaT", "s")])
def test_missing_ids_raise(missing):
    with pytest.raises(ValueError, match=r"row 2 has the user .*, which is no id"):
        Interactions.from_ids(["ann", "bob", missing, missing], [1, 2, 3, 4])
    with pytest.raises(ValueError, match=r"row 1 has the item .*, which is no id"):
        Interactions.from_ids(["ann", "bob"], [1, missing])


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda log: pickle.loads(pickle.dumps(log))]
)
def test_copies_are_read_only(log, again):
    twin = again(log)
    for name in ("user", "item", "rating", "timestamp"):
        column = getattr(twin, name)
        assert column.tolist() == getattr(log, name).tolist()
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
    assert (twin.n_users, twin.n_items, repr(twin)) == (log.n_users, log.n_items, repr(log))
    assert again(Interactions([0], [0])).rating is None


def test_ratings_are_stored_without_loss():
    plays = [16_777_217, 4.1, 1e300]
    log = Interactions([0, 0, 1], [0, 1, 2], plays)
    assert log.rating.tolist() == plays
    assert log.take([0, 1, 2]).matrix("rating").toarray().max() == 1e300


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([-1], ValueError, "rows has -1, and the 4 events are numbered from 0 to 3"),
        ([0, 4], ValueError, "rows has 4"),
        ([0.0], TypeError, "rows must be a mask or the numbers of rows, got float64"),
        (["0"], TypeError, "rows must be a mask or the numbers of rows"),
    ],
)
def test_rows_that_are_not_there_are_refused(log, rows, error, words):
    with pytest.raises(error, match=words):
        log.take(rows)


def test_no_more_users_than_numbers():
    with pytest.raises(ValueError, match="n_users is a whole number from 0 to 2,147,483,648"):
        Interactions([0], [0], n_users=2**40)


def test_dates_without_their_dashes_are_no_seconds():
    with pytest.raises(
        ValueError, match="row 0 has the timestamp 20240301: is it the date 2024-03"
    ):
        Interactions([0, 0], [0, 1], timestamp=[20240301, 20240302])
    # Seconds of August 1970 that cannot be dates.
    Interactions([0, 0], [0, 1], timestamp=[20240301, 20249999])


@pytest.mark.parametrize("column", ["user", "item"])
@pytest.mark.parametrize("number", [2**31, 2**40, 2**62, -(2**40)])
def test_ids_that_are_no_numbers_of_32_bits_name_the_cure(column, number):
    given = {"user": [0, 1], "item": [0, 1]} | {column: [number, 1]}
    with pytest.raises(ValueError, match=r"use Interactions\.from_ids for ids"):
        Interactions(**given)
    with pytest.raises(ValueError, match=r"row 0 has .*use Interactions\.from_ids for ids"):
        Interactions(**{name: np.array(ids) for name, ids in given.items()})


@pytest.mark.parametrize("odd", [[1], {"a": 1}])
def test_lists_and_mappings_are_no_ids_in_any_library(odd):
    pd, pl, pa = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    for library in (pd.DataFrame, pl.DataFrame, pa.table):
        table = library({"user": ["u", "v"], "item": [odd, odd]})
        with pytest.raises(TypeError, match=r"row 0 has the item .* which is no id; ids are str"):
            Interactions.from_frame(table)
    with pytest.raises(TypeError, match=r"row 1 has the item .* which is no id; ids are strings"):
        Interactions.from_ids(["u", "v"], ["a", odd])
