"""Microsoft's recommenders gives means only, so every user is asked for alone."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

from recsys_metrics.measures import LIBRARIES
from tests.peers.cases import agree, draw

theirs_of = pytest.importorskip(
    "recommenders.evaluation.python_evaluation", reason="recommenders is not installed"
)
pandas = pytest.importorskip("pandas")

READINGS = LIBRARIES["recommenders"].measures
NAMES = [name for name, reading in READINGS.items() if not reading.fault]


def tables(lists, truths):
    rows = [(u, i, -float(r)) for u, row in lists.items() for r, i in enumerate(row)]
    met = [(u, i, float(g)) for u, row in truths.items() for i, g in row.items()]
    return (
        pandas.DataFrame(met, columns=["userID", "itemID", "rating"]),
        pandas.DataFrame(rows, columns=["userID", "itemID", "prediction"]),
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_measure(name):
    drawn = draw(1200)
    function, _, option = name.partition("(score_type=")
    options = {"score_type": option.rstrip(")")} if option else {}
    pairs = {
        user: tables({user: drawn.lists[user]}, {user: drawn.relevant[user]})
        for user in drawn.with_something
    }

    def theirs(cases, k):
        return {
            user: getattr(theirs_of, function)(*pairs[user], k=k, **options) for user in cases.lists
        }

    some = drawn.only(set(pairs))
    agree("recommenders", version("recommenders"), name, some, theirs, spread=True)


def test_r_precision_leaves_out_who_has_no_hit():
    both = tables({1: [10], 2: [20]}, {1: {10: 1}, 2: {21: 1}})
    assert theirs_of.r_precision_at_k(*both, k=1) == 1
    assert theirs_of.precision_at_k(*both, k=1) == 0.5


def test_a_user_without_a_list_counts_in_ndcg_only():
    both = tables({1: [10]}, {1: {10: 1}, 2: {20: 1}})
    asked = ("precision_at_k", "recall_at_k", "map_at_k", "ndcg_at_k")
    found = [getattr(theirs_of, name)(*both, k=1) for name in asked]
    np.testing.assert_allclose(found, [1, 1, 1, 0.5])
