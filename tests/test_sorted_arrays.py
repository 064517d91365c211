"""Distinct values and membership are numpy's, whatever the type, and much faster."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recsys_metrics._core import sorted_arrays
from recsys_metrics._core.sorted_arrays import (
    distinct,
    factorize,
    factorize_pairs,
    first_rows,
    is_in,
)

WHOLE = st.one_of(hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(), st.just(np.dtype(bool)))
OTHER = st.one_of(hnp.floating_dtypes(), hnp.unicode_string_dtypes(max_len=3))
# Far apart, so that they are sorted, and close together, so that they are looked up.
SHAPES = hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=12)


def same(ours: Any, theirs: Any) -> None:
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype.newbyteorder("=") == theirs.dtype.newbyteorder("=")
    np.testing.assert_array_equal(ours, theirs)
    if ours.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


def test_values_computed_by_hand() -> None:
    assert distinct([7, 2, 7, 1]).tolist() == [1, 2, 7]
    names, places = factorize([7, 2, 7, 1])
    assert (names.tolist(), places.tolist()) == ([1, 2, 7], [2, 1, 2, 0])
    names, first = first_rows([7, 2, 7, 1])
    assert (names.tolist(), first.tolist()) == ([1, 2, 7], [3, 1, 0])
    assert is_in([7, 3, 1], [1, 7, 7]).tolist() == [True, False, True]
    one, other, place = factorize_pairs([2, 1, 2, 1], [5, 5, 4, 5])
    assert list(zip(one.tolist(), other.tolist(), strict=True)) == [(1, 5), (2, 4), (2, 5)]
    assert place.tolist() == [2, 0, 1, 0]


@given(st.one_of(WHOLE, OTHER).flatmap(lambda kind: hnp.arrays(kind, SHAPES)))
@example(np.array([2**64 - 1, 0, 2**63], dtype=np.uint64))
@example(np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=np.uint64))
@example(np.array([-(2**63), 2**63 - 1, 0]))
@example(np.array([-128, 127, 0, 1, -1] * 30, dtype=np.int8))
@example(np.array([np.nan, -0.0, 0.0, np.nan, np.inf]))
@example(np.array([3, 1, 2], dtype=">i4"))
@example(np.array(["b", "a", "b"], dtype=object))
@example(np.zeros(0, dtype=np.int32))
def test_results_equal_numpy(values: np.ndarray[Any, Any]) -> None:
    same(distinct(values), np.unique(values))
    names, places = np.unique(values, return_inverse=True)
    same(factorize(values)[0], names)
    same(factorize(values)[1], places.reshape(values.shape))
    names, first = np.unique(values, return_index=True)
    same(first_rows(values)[0], names)
    same(first_rows(values)[1], first)


@given(
    WHOLE.flatmap(lambda kind: hnp.arrays(kind, SHAPES)),
    st.one_of(WHOLE, hnp.floating_dtypes()).flatmap(lambda kind: hnp.arrays(kind, SHAPES)),
)
@example(np.array([-1, 5]), np.array([2**64 - 1, 5], dtype=np.uint64))
def test_membership_equals_numpy_and_python(
    values: np.ndarray[Any, Any], members: np.ndarray[Any, Any]
) -> None:
    for asked in (members, members[:1], values.ravel()[::2]):
        same(is_in(values, asked), np.isin(values, asked, kind="sort"))


@given(st.data())
def test_unique_pairs_equal_unique_rows(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 12))
    columns = [
        data.draw(hnp.arrays(np.int64, n, elements=st.one_of(st.integers(0, 3), st.just(2**62))))
        for _ in range(2)
    ]
    table, places = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    one, other, place = factorize_pairs(*columns)
    same(np.stack([one, other], axis=1), table)
    same(place, places.reshape(-1))


@pytest.mark.parametrize("spread", [1, 40, 10**6])
def test_a_column_beyond_the_hash_threshold(spread: int) -> None:
    values = np.random.default_rng(1).integers(-spread, spread, size=5000)
    test_results_equal_numpy.hypothesis.inner_test(values)  # type: ignore[attr-defined]
    same(is_in(values, values[:7] + 1), np.isin(values, values[:7] + 1))


def test_positions_have_the_index_dtype() -> None:
    """On a machine of 32 bits an index of 64 is refused."""
    for values in (np.array([3, 1, 3]), np.array([0, 10**12, 0]), np.array(["b", "a"])):
        assert factorize(values)[1].dtype == np.intp
        assert first_rows(values)[1].dtype == np.intp


SLOW = {"unique", "isin", "intersect1d", "setdiff1d", "union1d"}


def has_slow_calls(source: str) -> bool:
    """Say whether code calls a slow function of numpy; what a text shows to a reader is no call."""
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return any(
        isinstance(called, ast.Attribute)
        and called.attr in SLOW
        and isinstance(called.value, ast.Name)
        and called.value.id == "np"
        for called in calls
    )


@pytest.mark.slow
def test_the_library_does_not_call_the_slow_numpy_functions() -> None:
    assert has_slow_calls("len(np.unique(ids))")
    assert not has_slow_calls("hint = 'np.unique(ids)'")
    root = Path(sorted_arrays.__file__).parent
    callers = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if has_slow_calls(path.read_text(encoding="utf-8"))
    ]
    assert callers == ["sorted_arrays.py"]
