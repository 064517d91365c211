"""ppi-python, by the authors of prediction-powered inference: means from human and machine labels.

Its interval takes the normal quantile and denominators of n. Ours takes Student's, one degree of
freedom for the weight, and the bounds of a metric, so it is a little wider.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from recsys_metrics.protocol.judges import prediction_powered_gain, prediction_powered_mean

ppi_py = pytest.importorskip("ppi_py", reason="ppi-python is not installed")


def draw(seed, n=200, more=2_000):
    rng = np.random.default_rng(seed)
    truth = rng.beta(*rng.uniform(0.5, 3, 2), n + more)
    machine = np.clip(rng.uniform(0.2, 1.5) * truth + rng.normal(0, 0.2, n + more), 0, 1)
    return truth[:n], machine[:n], machine[n:]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("weight", ["optimal", 1.0, 0.5, 0.0])
def test_estimates_agree(seed, weight):
    human, machine, others = draw(seed)
    ours = prediction_powered_mean(human, machine, others, weight=weight)
    lam = None if weight == "optimal" else weight
    theirs = ppi_py.ppi_mean_pointestimate(human, machine, others, lam=lam)
    assert ours.estimate == pytest.approx(float(np.squeeze(theirs)), rel=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_intervals_differ_by_the_degrees_of_freedom(seed):
    human, machine, others = draw(seed)
    ours = prediction_powered_mean(human, machine, others, bounds=(0, 1))
    ends = ppi_py.ppi_mean_ci(human, machine, others, alpha=0.05, lam=ours.weight)
    low, high = (float(np.squeeze(end)) for end in ends)
    # Their standard error, with the denominators of ours.
    n, more = len(human), len(others)
    left = np.var(human - ours.weight * machine, ddof=2) / n
    error = np.sqrt(left + ours.weight**2 * np.var(others, ddof=1) / more)
    assert ours.standard_error == pytest.approx(error, rel=1e-9)
    plain = np.sqrt(left * (n - 2) / n + ours.weight**2 * np.var(others) / more)
    assert (high - low) / 2 == pytest.approx(stats.norm.ppf(0.975) * plain, rel=1e-9)
    assert 1 < 2 * ours.half_width / (high - low) < 1.04


def test_the_gain_is_their_mean_of_differences():
    old, new = draw(1), draw(2)
    ours = prediction_powered_gain(old, new)
    theirs = ppi_py.ppi_mean_pointestimate(*(b - a for a, b in zip(old, new, strict=True)))
    assert ours.estimate == pytest.approx(float(np.squeeze(theirs)), rel=1e-12)
