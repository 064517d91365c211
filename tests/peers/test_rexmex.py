"""rexmex, list by list."""

from __future__ import annotations

import inspect
import warnings
from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from tests.peers.cases import agree, are_known, compared, draw
from tests.peers.worlds import N_USERS, agree_on_worlds

ranking = pytest.importorskip("rexmex.metrics.ranking", reason="rexmex is not installed")
coverage = pytest.importorskip("rexmex.metrics.coverage")

VERSION = version("rexmex")


def in_order(row):
    return np.arange(len(row), 0, -1, dtype=float)


THEIRS = {
    "hits": lambda row, wanted, k: ranking.hits_at_k(wanted, row, k),
    "average_precision": lambda row, wanted, k: ranking.average_precision_at_k(wanted, row, k),
    "mean_average_precision": lambda row, wanted, k: ranking.mean_average_precision_at_k(
        [wanted], [row], k
    ),
    "average_recall": lambda row, wanted, k: ranking.average_recall_at_k(wanted, row, k),
    "mean_average_recall": lambda row, wanted, k: ranking.mean_average_recall_at_k(
        [wanted], [row], k
    ),
    "mean_reciprocal_rank": lambda row, wanted, k: ranking.mean_reciprocal_rank(wanted, row),
}
OF_GRADES = {
    "discounted_cumulative_gain": ranking.discounted_cumulative_gain,
    "normalized_discounted_cumulative_gain": ranking.normalized_discounted_cumulative_gain,
}
BEYOND = {
    "personalization": (lambda world, _: ranking.personalization([*world.lists.values()]), (None,)),
    "novelty": (
        lambda world, k: {
            user: ranking.novelty([row], dict(enumerate(world.item_counts)), N_USERS, k)
            for user, row in world.lists.items()
            if len(row) >= k
        },
        (1, 2),
    ),
}


def test_every_metric_is_compared():
    assert {*THEIRS, *OF_GRADES, *BEYOND} == set(compared("rexmex"))


@pytest.mark.parametrize("name", THEIRS)
def test_every_metric_agrees(name):
    drawn = draw(1200)
    lists = drawn.lists
    if name == "mean_reciprocal_rank":
        lists = {u: [*row, *sorted(set(range(30)) - set(row))] for u, row in lists.items()}
    some = type(drawn)(lists, drawn.truths).only(drawn.with_something)

    def theirs(cases, k):
        return {u: THEIRS[name](row, [*cases.relevant[u]], k) for u, row in cases.lists.items()}

    lacks = {"nothing relevant", "no list"}
    if name == "mean_reciprocal_rank":
        lacks |= {"relevant, and not listed"}
    agree("rexmex", VERSION, name, some, theirs, lacks=lacks)


@pytest.mark.parametrize("name", OF_GRADES)
def test_every_metric_of_grades_agrees(name):
    drawn = draw(1300)
    some = drawn.only({user for user, row in drawn.lists.items() if len(row) > 1})
    some = some.only(some.with_something)

    def theirs(cases, _):
        return {u: OF_GRADES[name]([row], [in_order(row)]) for u, row in cases.rows.items()}

    agree("rexmex", VERSION, name, some, theirs, lacks={"nothing relevant", "no list"})


@pytest.mark.parametrize("name", BEYOND)
def test_every_metric_beyond_accuracy_agrees(name):
    theirs, cuts = BEYOND[name]
    # It adds a ten-billionth to each count, which shows in the tenth digit.
    agree_on_worlds(
        "rexmex",
        VERSION,
        name,
        theirs,
        cuts=cuts,
        of_one_length=True,
        met_only=True,
        at_least=2,
        tolerance=1e-9,
    )


def test_an_empty_list_is_not_a_number():
    with warnings.catch_warnings(), pytest.raises(ZeroDivisionError):
        ranking.hits_at_k([1], [], 3)
    assert rm.like("rexmex", "hits@3")(rm.judge([[]], [{1}])).tolist() == [0]


def test_coverages_are_rounded():
    pairs = [(1, "a"), (2, "b")]
    assert coverage.item_coverage(([1, 2, 3], [*"abc"]), pairs) == 0.667
    assert coverage.user_coverage(([1, 2, 3], [*"abc"]), pairs) == 0.667


def test_public_names_are_in_the_table():
    names = {
        name.removesuffix("_at_k")
        for module in (ranking, coverage)
        for name, found in vars(module).items()
        if inspect.isfunction(found) and found.__module__ == module.__name__
    }
    are_known("rexmex", names, {})
