"""Libraries that are not installed here, by what a run of each gave for three lists.

The values were printed by runs of the versions that `LIBRARIES` names, to four decimals.
A: two of four relevant items found, graded; B: the only one, at rank 2; C: a list of one.
"""

from __future__ import annotations

import pytest

import recsys_metrics as rm
from recsys_metrics.peers import LIBRARIES
from tests.peers.cases import compared

LISTS = {"A": [1, 2, 3, 4, 6], "B": [1, 2, 3], "C": [1]}
TRUTHS = {"A": {1: 2, 3: 3, 5: 1, 7: 1}, "B": {2: 1}, "C": {1: 1, 2: 1}}
JUDGED = rm.judge(LISTS, TRUTHS)

AT_K, FOUND = (0.6667, 0.3333, 0.3333), (0.5, 1, 0.5)
ACHIEVABLE, RELEVANT = (0.5556, 0.5, 0.5), (0.4167, 0.5, 0.5)
BINARY = (0.7039, 0.6309, 0.6131)

GOLDEN = {
    "cornac": {
        "ncrr@3": (0.7273, 0.5, None),
        "precision@3": AT_K,
        "recall@3": FOUND,
        "ndcg@3": BINARY,
    },
    "elliot": {
        "map@3": (0.7222, 0.2778, 0.6111),
        "mar@3": (0.3333, 0.6667, 0.5),
        "ndcgrendle2020@3": BINARY,
        "ndcg@3": (0.6920, None, None),
        "precision@3": AT_K,
        "recall@3": FOUND,
    },
    "evidently": {
        "precision@3": (0.6667, 0.3333, 1),
        "recall@3": (1, 1, 1),
    },
    "ir-measures": {
        "err@3": (0.30599, None, None),
        "ndcg(dcg=exp-log2)@3": (0.69202, None, None),
    },
    "implicit": {"map@3": ACHIEVABLE, "ndcg@3": BINARY, "precision@3": (0.6667, 1, 0.5)},
    "jurity": {
        "map@3": (None, None, 0.5),
        "ndcg@3": (0.5856, 0.6309, 0.6131),
        "precision@3": (0.6667, 0.3333, 1),
        "recall@3": FOUND,
    },
    "kaggle": {"map@3": ACHIEVABLE},
    "lenskit": {
        "ndcg@3": (0.6199, 1, 0.5),
        "ndcg(gain=rating)@3": (0.6913, None, None),
        "precision@3": (0.6667, 0.3333, 1),
        "recall@3": (0.6667, 1, 0.5),
    },
    "pytrec-eval": {"map_cut_3": RELEVANT, "ndcg_cut_3": (0.7350, None, None)},
    "ranx": {
        "map@3": RELEVANT,
        "ndcg@3": (0.7350, None, None),
        "ndcg_burges@3": (0.6920, None, None),
        "precision@3": AT_K,
        "recall@3": FOUND,
    },
    "recbole": {"map@3": ACHIEVABLE, "ndcg@3": BINARY, "precision@3": AT_K, "recall@3": FOUND},
    "recmetrics": {
        "mark@3": RELEVANT,
        "recommender_precision": (0.4, 0.3333, 1),
    },
    "recommenders": {
        "map@3": RELEVANT,
        "map_at_k@3": ACHIEVABLE,
        "ndcg_at_k@3": BINARY,
        "ndcg_at_k(score_type=raw)@3": (0.7350, None, None),
        "ndcg_at_k(score_type=exp)@3": (0.6920, None, None),
    },
    "recpack": {
        "calibratedrecall@3": (0.6667, 1, 0.5),
        "ndcg@3": BINARY,
        "precision@3": AT_K,
        "recall@3": FOUND,
    },
    "rectools": {
        "map@3": RELEVANT,
        "map(divide_by_k=true)@3": (0.5556, 0.1667, 0.3333),
        "ndcg@3": (0.7039, 0.2961, 0.4693),
        "ndcg(divide_by_achievable=true)@3": BINARY,
        "precision(r_precision=true)@3": (0.6667, 1, 0.5),
    },
    "replay": {"map@3": ACHIEVABLE, "ndcg@3": BINARY, "precision@3": AT_K, "recall@3": FOUND},
    "rexmex": {
        "hits@3": (0.6667, 0.3333, 1),
        "mean_average_precision@3": ACHIEVABLE,
        "mean_average_recall@3": RELEVANT,
    },
    "scikit-learn": {"ndcg@3": (0.8212, None, None)},
    "torchmetrics": {
        "average_precision@3": (0.8333, 0.5, 1),
        "normalized_dcg@3": (0.8212, 0.6309, 1),
        "precision(adaptive_k=true)@3": (0.6667, 0.3333, 1),
        "precision@3": AT_K,
        "recall@3": (1, 1, 1),
    },
    "warprec": {
        "map@3": ACHIEVABLE,
        "ndcgrendle2020@3": BINARY,
        "precision@3": AT_K,
        "recall@3": FOUND,
    },
}
CASES = [(library, name) for library, found in GOLDEN.items() for name in found]


@pytest.mark.parametrize(("library", "name"), CASES)
def test_stored_values_equal_our_metrics(library, name):
    ours = rm.like(library, name)(JUDGED)
    for value, printed in zip(ours, GOLDEN[library][name], strict=True):
        assert printed is None or value == pytest.approx(printed, abs=6e-5)


def test_every_library_has_stored_values_unless_only_its_source_was_read():
    read = {name for name, library in LIBRARIES.items() if library.evidence == "read"}
    assert {name for name in LIBRARIES if compared(name)} - set(GOLDEN) == read
