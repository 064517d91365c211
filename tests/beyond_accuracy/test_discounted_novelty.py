"""Expected popularity complement and free discovery, against their plain definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.beyond_accuracy import (
    expected_free_discovery,
    expected_popularity_complement,
    popularity_complement,
)

MET = {item: 1 + item % 7 for item in range(20)}
N_USERS, N_EVENTS = 10, sum(MET.values())


def define_plainly(row, wanted, worth, discount):
    attention = [1 / math.log2(r + 1) if discount == "log2" else 1 for r in range(1, len(row) + 1)]
    total = sum(
        a * worth(item)
        for a, item in zip(attention, row, strict=True)
        if wanted is None or item in wanted
    )
    return total / sum(attention) if row else math.nan


@pytest.mark.parametrize("discount", ["log2", "none"])
@pytest.mark.parametrize("with_relevance", [True, False])
def test_both_metrics_equal_their_definitions(discount, with_relevance):
    rng = np.random.default_rng(0)
    lists = [rng.permutation(20)[: rng.integers(0, 9)].tolist() for _ in range(80)]
    wanted = [set(rng.permutation(20)[:6].tolist()) for _ in lists] if with_relevance else None
    how = {"relevant": wanted, "discount": discount}
    truths = wanted or [None] * len(lists)
    for found, worth in (
        (
            expected_popularity_complement(lists, MET, N_USERS, **how),
            lambda item: 1 - MET[item] / N_USERS,
        ),
        (
            expected_free_discovery(lists, MET, N_EVENTS, **how),
            lambda item: math.log2(N_EVENTS / MET[item]),
        ),
    ):
        expected = [
            define_plainly(row, t, worth, discount) for row, t in zip(lists, truths, strict=True)
        ]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_without_discount_and_relevance_it_is_the_popularity_complement():
    lists = [[1, 2, 3], [4, 5]]
    found = expected_popularity_complement(lists, MET, N_USERS, discount="none")
    np.testing.assert_allclose(found, popularity_complement(lists, MET, N_USERS))


def test_an_empty_slot_gets_no_attention():
    table = np.array([[1, -1, 3]])
    counts = np.array([MET[item] for item in range(20)])
    found = expected_popularity_complement(table, counts, N_USERS)
    attention = np.array([1, 1 / math.log2(4)])
    worth = np.array([1 - MET[1] / N_USERS, 1 - MET[3] / N_USERS])
    assert found == pytest.approx([attention @ worth / attention.sum()])


def test_other_log_bases_and_items_every_user_interacted_with():
    assert expected_free_discovery(["a"], {"a": 1}, 100, base=10) == 2
    assert math.copysign(1, expected_free_discovery(["a"], {"a": 5}, 5)) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: expected_popularity_complement(["a"], {"a": 9}, 5),
            "item_counts contains 9, more than the 5 users there are",
        ),
        (
            lambda: expected_free_discovery(["a"], {"a": 9}, 5),
            "item_counts contains 9, more than the 5 events",
        ),
        (
            lambda: expected_free_discovery([["b", "a"]], {"a": 0, "b": 1}, 5),
            "list 0 contains item 'a', which no user interacted with",
        ),
        (
            lambda: expected_free_discovery(["a"], {"a": 1}, 5, discount="log"),
            "discount must be one of 'log2', 'none'; got 'log'",
        ),
        (lambda: expected_free_discovery(["a"], {"a": 1}, 5, base=1), "must be above 1"),
    ],
)
def test_invalid_input_raises(call, message):
    with pytest.raises(ValueError, match=message):
        call()
