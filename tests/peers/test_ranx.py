"""ranx, which compiles itself for two minutes before its first answer."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from tests.peers.cases import agree, are_known, compared, draw

ranx = pytest.importorskip("ranx", reason="ranx is not installed")
pytest.importorskip("ranx.metrics")

NAMES = compared("ranx")


def ask(lists, truths, name):
    """Return ranx's value of each user."""
    run = ranx.Run(
        {
            f"u{user:04d}": {f"{item:02d}": -float(rank) for rank, item in enumerate(row)}
            for user, row in lists.items()
        }
    )
    qrels = ranx.Qrels(
        {f"u{u:04d}": {f"{i:02d}": g for i, g in row.items()} for u, row in truths.items()}
    )
    ranx.evaluate(qrels, run, name)
    return {int(user[1:]): value for user, value in run.scores[name].items()}


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_agrees(name):
    def theirs(cases, k):
        return ask(cases.lists, cases.truths, name if k is None else f"{name}@{k}")

    agree("ranx", version("ranx"), name, draw(), theirs, whole=True, lacks={"no list"})


def test_public_names_are_in_the_table():
    names = set(ranx.metrics.__all__) - {"average_precision", "reciprocal_rank"}
    spelled = {"rank_biased_precision": "rbp", "r_precision": "r-precision"}
    # What `evaluate` calls map and mrr.
    names = {spelled.get(name, name) for name in names} | {"map", "mrr"}
    are_known("ranx", names, {"get_hit_lists": "lists the hits, for a picture"})


def test_bpref_needs_a_rejected_item():
    lists, truths = {0: [1, 2]}, {0: {1: 1}}
    assert np.isnan(ask(lists, truths, "bpref")[0])
    assert rm.bpref(rm.judge(lists, truths)).tolist() == [1]


def test_rank_biased_precision_adds_grades():
    lists, truths = {0: [1, 2, 3]}, {0: {1: 3, 2: 3, 3: 3}}
    assert ask(lists, truths, "rbp.80")[0] == pytest.approx(3 * (1 - 0.8**3))
    ours = rm.rank_biased_precision(rm.judge(lists, truths), p=0.8)
    assert ours == pytest.approx([1 - 0.8**3])
