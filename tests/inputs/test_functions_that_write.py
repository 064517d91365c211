"""A caller's function that changes its argument in place changes no other result."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics import Measure, evaluate, judge, ndcg, preflight, recall
from recsys_metrics.bias.fairness import by_group
from recsys_metrics.protocol import candidates
from recsys_metrics.protocol.significance import bootstrap_interval

VALUES = np.array([1.0, 2.0, 4.0, 8.0])


def spoils(function):
    """Return the function with a side effect: what it was given is zeros afterwards."""

    def changed(given):
        result = function(given)
        given[...] = 0
        return result

    return changed


def mean(given):
    return float(np.mean(given))


def mean_of_cases(rows):
    return float(VALUES[rows].mean())


def as_metric(ranks):
    return 1 / np.asarray(ranks, dtype=float)


SCORES = np.array([[0.1, 0.9, 0.4, 0.7], [0.8, 0.2, 0.6, 0.3], [0.5, 0.4, 0.3, 0.2]])
HELD_OUT = [[0], [1, 2], [3]]

CASES = {
    "bootstrap_interval": (
        mean,
        lambda own: bootstrap_interval(VALUES, statistic=own, n_resamples=50, seed=1),
    ),
    "bootstrap_interval, BCa": (
        mean,
        lambda own: bootstrap_interval(VALUES, statistic=own, n_resamples=50, seed=1, method="bca"),
    ),
    "by_group": (
        mean_of_cases,
        lambda own: by_group(own, list("aabb"), n_resamples=40, seed=1).intervals,
    ),
    "metric_at_rank": (
        as_metric,
        lambda own: candidates.metric_at_rank(np.array([1, 2, 3]), own).tolist(),
    ),
    "expected_sampled_metric": (
        as_metric,
        lambda own: candidates.expected_sampled_metric([1, 2, 3], 9, 4, own).tolist(),
    ),
    "corrected_metric": (
        as_metric,
        lambda own: candidates.corrected_metric(
            [1, 2, 3], 9, 4, own, method="bias-variance"
        ).tolist(),
    ),
    "full_ranks": (
        lambda users: SCORES[users],
        lambda own: candidates.full_ranks(own, HELD_OUT, block_bytes=1).rank.tolist(),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_function_that_changes_its_argument_gives_what_another_gives(name):
    function, run = CASES[name]
    assert run(spoils(function)) == run(function)


def test_ranks_stay_as_they_are():
    ranks = np.array([1, 2, 3])
    candidates.metric_at_rank(ranks, spoils(as_metric))
    assert ranks.tolist() == [1, 2, 3]


def test_counts_of_judged_lists_are_only_read():
    judged = judge([["A"], ["B"]], [{"A"}, {"C"}])
    for counts in (judged.n_relevant, judged.n_returned, judged.n_nonrelevant):
        with pytest.raises(ValueError, match="read-only"):
            counts[...] = 0
    judged.gains[...] = 0
    judged.ideal[...] = 0
    assert recall(judged).tolist() == ndcg(judged).tolist() == [1, 0]


def test_a_metric_of_my_own_changes_no_other():
    features = {"A": {"x"}, "B": {"y"}, "C": {"x"}, "D": {"x"}}
    catalog = ["A", "B", "C", "D"]

    def greedy(recommended, item_counts, features, catalog, history, relevant):
        number = len(catalog) + sum(map(len, features.values())) + sum(item_counts.values())
        number += len(history) + len(relevant)
        recommended.clear()
        history.clear()
        relevant.clear()
        item_counts.clear()
        features["A"].clear()
        catalog.clear()
        return float(number)

    def report(measures):
        return evaluate(
            {"u": ["B", "D"], "v": ["B", "A"]},
            {"u": {"B"}, "v": {"A"}},
            measures,
            history={"u": ["C", "A"], "v": ["D"]},
            features=features,
            catalog=catalog,
        )

    others = ["average_popularity@2", "alpha_ndcg@2", "coverage@2", "ndcg@2"]
    expected = report(others).as_dict()
    mine = Measure.of(greedy).at(2)
    assert {**report([mine, *others]).as_dict()}.items() >= expected.items()
    assert len(catalog) == 4
    assert features["A"] == {"x"}


def test_a_score_and_a_pipeline_that_write_change_no_finding():
    lists = {f"u{i}": ["A", "B", "C"] for i in range(30)}
    relevant = {f"u{i}": {"ABC"[i % 3]} for i in range(30)}

    def score(shown, truth):
        value = np.mean(ndcg(judge(shown, truth), 10))
        for user in shown:
            shown[user].clear()
            truth[user].clear()
        return value

    findings = preflight(lists, relevant, score=score, measure="ndcg@10").findings
    assert "score" not in {finding.check for finding in findings}

    def pipeline(truth):
        answer = {user: [*lists[user]] for user in truth}
        for user in truth:
            truth[user].clear()
        return answer

    preflight(pipeline, relevant)
    assert all(relevant.values())
