"""Numbers of bins, draws and rounds that no machine holds are refused by the argument's name."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import calibration
from recsys_metrics.bias import feedback, off_policy, propensity
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import candidates, online, rolling_splits, significance

LABELS, SAID = [0, 1, 0, 1], [0.1, 0.9, 0.4, 0.6]
EVENTS = Interactions([0, 0, 1, 1], [0, 1, 0, 1], timestamp=[1, 2, 3, 4])
RUNS = {"a": [1, 2, 3, 4], "b": [2, 3, 4, 1], "c": [3, 1, 2, 2]}
LOG = off_policy.ips([1, 0, 1], [0.5] * 3, [0.5] * 3)
TABLE = partial(candidates.correction_table, metric="hit_rate", k=1, method="monotone")
CALLS = {
    "n_bins ece": lambda n: calibration.expected_calibration_error(LABELS, SAID, n_bins=n),
    "n_bins ace": lambda n: calibration.average_calibration_error(LABELS, SAID, n_bins=n),
    "n_bins histogram": lambda n: calibration.HistogramBinning(n_bins=n),
    "n_resamples bootstrap": lambda n: significance.bootstrap_interval([1, 2, 3], n_resamples=n),
    "n_resamples test": lambda n: significance.randomization_test(
        [1, 2, 3], [2, 2, 2], n_resamples=n
    ),
    "n_resamples ips": lambda n: LOG.interval(method="bootstrap", n_resamples=n),
    "n_samples friedman": lambda n: significance.friedman(
        RUNS, method="randomization", n_samples=n
    ),
    "n interleave": lambda n: online.interleave(["A", "B"], ["B", "A"], k=2, n=n),
    "n_ranks": lambda n: rm.discounts(n),
    "n_items table": lambda n: TABLE(n, 10),
    "n_samples table": lambda n: TABLE(10**8, n),
    "n_samples distribution": lambda n: candidates.sampled_rank_distribution(5, 10**13, n),
    "n_samples value": lambda n: candidates.expected_sampled_metric(5, 10**13, n, "hit_rate", k=1),
    "n_rounds": lambda n: feedback.simulate_feedback_loop(np.full((2, 3), 0.5), k=1, n_rounds=n),
    "n_splits": lambda n: rolling_splits(EVENTS, n_splits=n),
    "n_items propensity": lambda n: propensity.empirical_propensities([0, 1], n_items=n),
    "looks": online.group_sequential,
}


@pytest.mark.parametrize("size", [10**9, 10**12, 10**30])
@pytest.mark.parametrize("name", CALLS)
def test_a_size_that_no_machine_holds_is_refused_by_name(name, size):
    with pytest.raises(ValueError, match=rf"^{name.split()[0]} is .* of at most [\d,]+; got 1000"):
        CALLS[name](size)


def test_sizes_of_several_arguments_have_one_limit():
    with pytest.raises(ValueError, match=r"^n_samples is .* of at most 1,000,000; got 2000000"):
        candidates.sampled_rank_distribution([5] * 100, 10**9, 2 * 10**6)
    assert calibration.expected_calibration_error(LABELS, SAID, n_bins=10**6) > 0
