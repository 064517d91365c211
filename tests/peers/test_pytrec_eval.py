"""trec_eval, through pytrec_eval: lists with tied scores, which it orders by id, descending."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.measures import LIBRARIES
from tests.peers.cases import Cases, agree, draw

pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")

VERSION = version("pytrec_eval-terrier")


@pytest.fixture(scope="module")
def runs():
    """Scores with many ties, and the lists that trec_eval makes of them."""
    drawn, rng = draw(), np.random.default_rng(1)
    scored = {
        user: {f"{item:02d}": int(rng.integers(0, 6)) / 4 for item in row}
        for user, row in drawn.lists.items()
    }
    lists = {
        user: [int(i) for i in sorted(run, key=lambda item, run=run: (run[item], item))[::-1]]
        for user, run in scored.items()
    }
    return scored, Cases(lists, drawn.truths)


@pytest.mark.parametrize("name", LIBRARIES["pytrec-eval"].measures)
def test_every_measure_on_lists_with_ties(runs, name):
    scored, cases = runs
    truths = {str(u): {f"{i:02d}": g for i, g in row.items()} for u, row in cases.truths.items()}
    run = {str(user): row for user, row in scored.items()}
    asks = {"p": "P", "rprec": "Rprec", "set_p": "set_P", "set_f": "set_F"}.get(name, name)

    def theirs(cases, k):
        asked = asks if k is None else f"{asks}.{k}"
        found = pytrec_eval.RelevanceEvaluator(truths, {asked}).evaluate(run)
        answer = asks if k is None else f"{asks}_{k}"
        return {int(user): values[answer] for user, values in found.items()}

    agree("pytrec-eval", VERSION, name, cases, theirs)


def test_a_user_who_is_missing_from_the_run_is_missing_from_the_mean():
    truths = {"a": {"x": 1}, "b": {"y": 1}}
    evaluator = pytrec_eval.RelevanceEvaluator(truths, {"map"})
    found = evaluator.evaluate({"a": {"x": 1.0}})
    assert np.mean([row["map"] for row in found.values()]) == 1
    ours = rm.like("trec_eval", "map")(rm.judge({"a": ["x"]}, truths))
    assert ours.tolist() == [1, 0]
