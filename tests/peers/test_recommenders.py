"""Microsoft's recommenders gives means only, so every user is asked for alone."""

from __future__ import annotations

import inspect
from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest

from recsys_metrics.beyond_accuracy import expected_free_discovery
from tests.peers.cases import N_CASES, agree, are_known, compared, draw
from tests.peers.worlds import agree_on_worlds, worlds

theirs_of = pytest.importorskip(
    "recommenders.evaluation.python_evaluation", reason="recommenders is not installed"
)
pandas = pytest.importorskip("pandas")

VERSION = version("recommenders")
BEYOND = ("catalog_coverage", "distributional_coverage", "diversity", "user_diversity")
BEYOND += ("serendipity", "user_serendipity")
NAMES = [name for name in compared("recommenders") if name not in BEYOND]


def tables(lists, truths):
    rows = [(u, i, -float(r)) for u, row in lists.items() for r, i in enumerate(row)]
    met = [(u, i, float(g)) for u, row in truths.items() for i, g in row.items()]
    return (
        pandas.DataFrame(met, columns=["userID", "itemID", "rating"]),
        pandas.DataFrame(rows, columns=["userID", "itemID", "prediction"]),
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_agrees(name):
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
    lacks = {"nothing relevant", "no list"}
    agree("recommenders", VERSION, name, some, theirs, spread=True, lacks=lacks)


def of_training(world):
    return pandas.DataFrame(world.events, columns=["userID", "itemID"])


def of_lists(world):
    wanted = [(u, i, float(i in world.relevant[u])) for u, i, _ in world.ranked()]
    return pandas.DataFrame(wanted, columns=["userID", "itemID", "relevance"])


@pytest.mark.parametrize("name", BEYOND)
@pytest.mark.filterwarnings("ignore")
def test_every_metric_beyond_accuracy_agrees(name):
    options = {"col_relevance": "relevance"} if name.endswith("serendipity") else {}

    def theirs(world, _):
        # It compares items that somebody met, and keeps the last tables that it was given.
        table = of_lists(world)
        table = table if options else table[["userID", "itemID"]]
        found = getattr(theirs_of, name)(of_training(world), table, **options)
        if not isinstance(found, pandas.DataFrame):
            return float(found)
        return dict(zip(found["userID"], found[name], strict=True))

    def known(world):
        met = sorted({item for _, item in world.events})
        return replace(world.known, catalog=met, features=world.users_as_features)

    agree_on_worlds(
        "recommenders",
        VERSION,
        name,
        theirs,
        known=known,
        mean=name in ("diversity", "serendipity"),
        cuts=(None,),
        at_least=2 if "diversity" in name else 1,
        met_only=True,
        unmet_by_user=True,
        n_worlds=350 if name.startswith("user") else N_CASES + 50,
    )


def test_novelty_divides_by_events():
    for world in worlds(200, of_one_length=True, met_only=True, unmet_by_user=True):
        table = of_lists(world)[["userID", "itemID"]]
        theirs = theirs_of.novelty(of_training(world), table)
        ours = expected_free_discovery(
            [*world.lists.values()], world.item_counts, world.n_events, discount="none"
        )
        assert ours.mean() == pytest.approx(theirs, abs=1e-9)


def test_public_names_are_in_the_table():
    names = {
        name
        for name, found in vars(theirs_of).items()
        if inspect.isfunction(found) and found.__module__ == theirs_of.__name__
        if not name.startswith("_")
    }
    tables = "makes tables for the measures"
    left_out = dict.fromkeys(("merge_rating_true_pred", "merge_ranking_true_pred"), tables)
    are_known("recommenders", names, {**left_out, "get_top_k_items": tables})


def test_r_precision_excludes_users_without_a_hit():
    both = tables({1: [10], 2: [20]}, {1: {10: 1}, 2: {21: 1}})
    assert theirs_of.r_precision_at_k(*both, k=1) == 1
    assert theirs_of.precision_at_k(*both, k=1) == 0.5


def test_a_user_without_a_list_counts_in_ndcg_only():
    both = tables({1: [10]}, {1: {10: 1}, 2: {20: 1}})
    asked = ("precision_at_k", "recall_at_k", "map_at_k", "ndcg_at_k")
    found = [getattr(theirs_of, name)(*both, k=1) for name in asked]
    np.testing.assert_allclose(found, [1, 1, 1, 0.5])
