"""Propensities: from counts, from a click model by EM, from swapped items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.bias.propensity import (
    clip_propensities,
    empirical_propensities,
    fit_popularity_power,
    inverse_propensity_weights,
    popularity_propensity,
    position_bias_em,
    position_bias_swap,
)
from recsys_metrics.datasets import load_open_bandit
from tests.examples import examples

quick = examples(50)


def test_exposure_share():
    assert empirical_propensities([0, 0, 0, 0, 1]).tolist() == [0.8, 0.2]
    assert empirical_propensities([0, 1], n_items=3, smoothing=1).tolist() == [0.4, 0.4, 0.2]
    table = empirical_propensities([0, 1, 1, 2], positions=[1, 1, 2, 2], n_items=3)
    assert table.tolist() == [[0.5, 0.5, 0], [0, 0.5, 0.5]]


def test_the_random_policy_has_equal_exposure_shares():
    log = load_open_bandit("random", "all")
    shares = empirical_propensities(log.item, n_items=log.n_items, positions=log.position)
    assert shares.shape == (3, 80)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose(shares.mean(axis=1), log.propensity[0])
    # Within what 3,300 draws from 80 items scatter.
    assert np.abs(shares - 1 / 80).max() < 5 * np.sqrt(1 / 80 / 3200)


def test_popularity_propensity_and_its_options():
    counts = [100, 25, 4, 0]
    assert popularity_propensity(counts).tolist() == [1, 0.5, 0.2, 0]
    assert popularity_propensity(counts, floor=0.3).tolist() == [1, 0.5, 0.3, 0.3]
    assert popularity_propensity(counts, power=1, scale="total") == pytest.approx(
        np.array(counts) / 129
    )
    assert popularity_propensity(counts, power=0).tolist() == [1, 1, 1, 0]
    # Yang et al. with gamma = 2: the counts to the power of 1.5, up to scale.
    ours = popularity_propensity(counts[:3], power=1.5)
    np.testing.assert_allclose(ours / ours[2], np.array(counts[:3]) ** 1.5 / 8)


def test_fit_popularity_power():
    exact = fit_popularity_power([1, 4, 16, 100, 0], [3, 6, 12, 30, 9])
    assert exact.power == pytest.approx(0.5)
    assert exact.interval == pytest.approx((0.5, 0.5))
    assert exact.r_squared == pytest.approx(1)
    assert exact.n_items == 4


def test_fit_popularity_power_is_scipys_regression():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    counts = rng.pareto(1.2, 80) + 1
    exposures = counts**0.7 * np.exp(rng.normal(0, 0.5, 80))
    ours = fit_popularity_power(counts, exposures)
    peer = stats.linregress(np.log(counts), np.log(exposures))
    assert ours.power == pytest.approx(peer.slope)
    half = stats.t.ppf(0.975, 78) * peer.stderr
    assert ours.interval == pytest.approx((peer.slope - half, peer.slope + half))
    assert ours.r_squared == pytest.approx(peer.rvalue**2)
    assert ours.interval[0] < 0.7 < ours.interval[1]


def test_clipping_and_weights():
    assert clip_propensities([[0.8, 0.001], [0, 1]], floor=0.05).tolist() == [
        [0.8, 0.05],
        [0.05, 1],
    ]
    assert inverse_propensity_weights([0.8, 0.2]).tolist() == [1.25, 5]
    assert inverse_propensity_weights([0.8, 0.2], cap=2).tolist() == [1.25, 2]
    assert inverse_propensity_weights([0.8, 0.2], normalize=True) == pytest.approx([0.4, 1.6])


def log_of(examination, attractiveness, rows, rng):
    """Draw clicks where position k shows item i in `rows[i][k]` rows."""
    rows = np.asarray(rows)
    item = np.repeat(
        np.broadcast_to(np.arange(len(rows))[:, None], rows.shape).ravel(), rows.ravel()
    )
    place = np.repeat(np.broadcast_to(np.arange(rows.shape[1]), rows.shape).ravel(), rows.ravel())
    chance = np.asarray(examination)[place] * np.asarray(attractiveness)[item]
    return rng.random(len(item)) < chance, item, place + 1


class TestPositionBiasByEm:
    def test_em_recovers_counts_that_fit_exactly(self):
        # 40 and 20 of 100, 20 and 10 of 100: half as many looks at position 2.
        items, positions = np.repeat([0, 0, 1, 1], 100), np.repeat([1, 2, 1, 2], 100)
        clicks = np.concatenate([np.arange(100) < n for n in (40, 20, 20, 10)])
        found = position_bias_em(clicks, items, positions)
        assert found.converged
        np.testing.assert_allclose(found.examination, [1, 0.5], atol=1e-6)
        np.testing.assert_allclose(found.attractiveness, [0.4, 0.2], atol=1e-6)

    def test_better_items_at_higher_ranks_do_not_bias_the_estimate(self):
        # The better an item, the more often the old ranker puts it first: the click rates by
        # position exaggerate the bias, the model does not.
        truth, liking = np.array([1, 0.6, 0.3]), np.linspace(0.6, 0.1, 6)
        rows = 3000 * np.array([[6, 2, 1], [5, 3, 1], [4, 3, 2], [2, 3, 4], [1, 3, 5], [1, 2, 6]])
        clicks, items, positions = log_of(truth, liking, rows, np.random.default_rng(0))
        found = position_bias_em(clicks, items, positions)
        assert found.converged
        np.testing.assert_allclose(found.examination, truth, atol=0.02)
        np.testing.assert_allclose(found.attractiveness, liking, atol=0.02)
        naive = np.bincount(positions, clicks)[1:] / np.bincount(positions)[1:]
        assert naive[2] / naive[0] < 0.2

    def test_the_likelihood_never_falls_and_ends_at_its_peak(self):
        optimize = pytest.importorskip("scipy.optimize")
        rows = np.full((5, 3), 400)
        truth, liking = [0.9, 0.5, 0.4], [0.1, 0.2, 0.05, 0.3, 0.02]
        clicks, items, positions = log_of(truth, liking, rows, np.random.default_rng(3))
        found = position_bias_em(clicks, items, positions)
        assert (np.diff(found.log_likelihood) >= -1e-14).all()

        def loss(logs):
            chance = np.exp(np.append(0, logs[:2])[positions - 1] + logs[2:][items])
            return -np.where(clicks, np.log(chance), np.log1p(-chance)).mean()

        start = np.log(np.append(found.examination[1:], found.attractiveness))
        assert -loss(start) == pytest.approx(found.log_likelihood[-1], abs=1e-12)
        peer = optimize.minimize(
            loss, start + 0.05, method="Nelder-Mead", options={"maxiter": 4000, "maxfev": 4000}
        )
        assert loss(start) <= peer.fun + 1e-10

    def test_em_converges_with_rare_clicks(self):
        # Clicks in 4 of 1,000 rows: plain EM would creep for thousands of passes.
        log = load_open_bandit("random", "all")
        found = position_bias_em(log.click, log.item, log.position)
        assert found.converged
        assert len(found.log_likelihood) < 500
        # Items are placed at random, so the click rates by position are nearly the answer.
        rate = np.bincount(log.position, log.click)[1:] / np.bincount(log.position)[1:]
        np.testing.assert_allclose(found.examination, rate / rate[0], atol=0.15)

    def test_unclicked_items_and_positions(self):
        items, positions = np.repeat([0, 0, 1, 0], 100), np.repeat([1, 2, 1, 3], 100)
        clicks = np.concatenate([np.arange(100) < n for n in (40, 20, 0, 0)])
        found = position_bias_em(clicks, items, positions)
        np.testing.assert_allclose(found.examination, [1, 0.5, 0], atol=1e-6)
        np.testing.assert_allclose(found.attractiveness, [0.4, 0], atol=1e-6)

    @quick
    @given(st.integers(0, 10**6))
    def test_the_order_of_the_rows_does_not_matter(self, seed):
        rng = np.random.default_rng(seed)
        log = log_of([0.9, 0.5], [0.5, 0.2, 0.7], np.full((3, 2), 60), rng)
        one = position_bias_em(*log)
        turned = rng.permutation(len(log[0]))
        two = position_bias_em(*(column[turned] for column in log))
        np.testing.assert_array_equal(two.examination, one.examination)

    def test_positions_without_a_common_item_raise(self):
        with pytest.raises(ValueError, match="no clicked item links position 2 with position 1"):
            position_bias_em([1, 1], ["a", "b"], [1, 2])
        with pytest.raises(ValueError, match="nothing was clicked at position 1"):
            position_bias_em([0, 1], ["a", "a"], [1, 2])

    def test_too_few_steps_warn(self):
        log = load_open_bandit("random", "all")
        with pytest.warns(RuntimeWarning, match="EM did not settle in 1 steps"):
            assert not position_bias_em(log.click, log.item, log.position, max_steps=1).converged

    def test_invalid_arguments_raise(self):
        with pytest.raises(ValueError, match=r"clicks\[1\] is 2; it must be 0 or 1"):
            position_bias_em([0, 2], [0, 0], [1, 2])
        with pytest.raises(ValueError, match=r"positions\[0\] is 0; they run from 1 up"):
            position_bias_em([0, 1], [0, 0], [0, 1])
        with pytest.raises(TypeError, match="positions must be whole numbers"):
            position_bias_em([0, 1], [0, 0], [1.0, 2.0])
        with pytest.raises(ValueError, match="lengths differ: clicks 2, items 1, positions 2"):
            position_bias_em([0, 1], [0], [1, 2])
        with pytest.raises(ValueError, match="tolerance is a finite number above 0"):
            position_bias_em([0, 1], [0, 0], [1, 2], tolerance=0)
        with pytest.raises(ValueError, match="max_steps is a whole number of 1 or more"):
            position_bias_em([0, 1], [0, 0], [1, 2], max_steps=0)


class TestPositionBiasBySwaps:
    def test_two_positions_by_hand(self):
        positions = np.repeat([1, 2], 100)
        clicks = np.concatenate([np.arange(100) < 40, np.arange(100) < 20])
        found = position_bias_swap(clicks, positions, np.full(200, 2))
        assert found.examination.tolist() == [1, 0.5]
        error = 1.959964 * np.sqrt(1 / 40 - 1 / 100 + 1 / 20 - 1 / 100)
        assert found.lower[1] == pytest.approx(0.5 * np.exp(-error))
        assert found.upper[1] == pytest.approx(0.5 * np.exp(error))
        assert found.rows.tolist() == [100, 100]
        assert found.landmark == 1

    def test_only_the_pair_that_was_swapped_is_compared(self):
        # Swaps with 2 in lists of bad items, with 3 in lists of good ones; rows elsewhere in
        # those lists are no experiment.
        positions = np.repeat([1, 2, 1, 3, 2], [100] * 5)
        partners = np.repeat([2, 2, 3, 3, 3], [100] * 5)
        clicks = np.concatenate([np.arange(100) < n for n in (10, 5, 40, 10, 99)])
        found = position_bias_swap(clicks, positions, partners)
        assert found.examination.tolist() == pytest.approx([1, 0.5, 0.25])
        assert found.rows.tolist() == [200, 100, 100]

    def test_a_random_order_identifies_all_positions(self):
        log = load_open_bandit("random", "all")
        found = position_bias_swap(log.click, log.position)
        rate = np.bincount(log.position, log.click)[1:] / np.bincount(log.position)[1:]
        np.testing.assert_allclose(found.examination, rate / rate[0])
        # On this page the three positions stand side by side, and no difference shows.
        assert ((found.lower <= 1) & (found.upper >= 1)).all()

    def test_other_landmarks_and_positions_without_clicks(self):
        found = position_bias_swap([1, 0, 1, 1, 0], [1, 1, 2, 2, 4], landmark=2)
        assert found.examination[:2].tolist() == [0.5, 1]
        assert np.isnan(found.examination[2])
        assert found.examination[3] == 0
        assert np.isnan(found.lower[2:]).all()

    def test_invalid_arguments_raise(self):
        with pytest.raises(ValueError, match="nothing was shown at position 3, the landmark"):
            position_bias_swap([1, 0], [1, 2], landmark=3)
        with pytest.raises(ValueError, match="nothing was clicked at position 1, the landmark"):
            position_bias_swap([0, 1], [1, 2])
        with pytest.raises(ValueError, match="lengths differ"):
            position_bias_swap([1, 0], [1, 2], [2])
        with pytest.raises(ValueError, match="level is a confidence"):
            position_bias_swap([1, 0], [1, 2], level=2)


def test_invalid_counts_raise():
    with pytest.raises(ValueError, match=r"items\[1\] is 3; they run from 0 to 2"):
        empirical_propensities([0, 3], n_items=3)
    with pytest.raises(TypeError, match="items must be whole numbers"):
        empirical_propensities([0.5])
    with pytest.raises(ValueError, match="items is empty"):
        empirical_propensities([])
    with pytest.raises(ValueError, match="position 2 has no row"):
        empirical_propensities([0, 1], positions=[1, 3])
    assert empirical_propensities([0, 1], positions=[1, 3], smoothing=1)[1].tolist() == [0.5, 0.5]
    for smoothing in (-1, float("nan"), True):
        with pytest.raises(ValueError, match="smoothing, which is added to each count"):
            empirical_propensities([0], smoothing=smoothing)
    with pytest.raises(ValueError, match=r"counts\[1\] is -1"):
        popularity_propensity([1, -1])
    with pytest.raises(ValueError, match="all counts are 0"):
        popularity_propensity([0, 0])
    with pytest.raises(ValueError, match="power is a finite number, 0 or more"):
        popularity_propensity([1], power=-1)
    with pytest.raises(ValueError, match="scale must be one of 'max', 'total'"):
        popularity_propensity([1], scale="mean")
    with pytest.raises(ValueError, match=r"floor is a probability in \[0, 1\]"):
        popularity_propensity([1], floor=2)
    with pytest.raises(ValueError, match=r"floor is a probability in \(0, 1\]"):
        clip_propensities([0.5], floor=0)
    with pytest.raises(ValueError, match=r"propensities\[1\] is 1.5"):
        clip_propensities([0.5, 1.5], floor=0.1)
    with pytest.raises(ValueError, match="estimates of 0 a floor"):
        inverse_propensity_weights([0.5, 0])
    with pytest.raises(ValueError, match="cap is the largest weight"):
        inverse_propensity_weights([0.5], cap=0)
    with pytest.raises(ValueError, match="2 items have both interactions and exposure"):
        fit_popularity_power([1, 2, 0], [1, 2, 3])
    with pytest.raises(ValueError, match="all 3 items that can be used are equally popular"):
        fit_popularity_power([2, 2, 2], [1, 2, 3])


@pytest.mark.parametrize("missing", [None, float("nan"), np.datetime64("NaT", "s")])
def test_a_row_without_an_item_raises(missing):
    items = np.array(["a", "b", missing, missing], dtype=object)
    for shown in (items, items.tolist()):
        with pytest.raises(ValueError, match=r"items\[2\] is .*, which is no item"):
            position_bias_em([1, 0, 1, 0], shown, [1, 1, 2, 2])
    with pytest.raises(ValueError, match=r"items\[0\] is nan"):
        position_bias_em([1, 0, 1, 0], [np.nan, 1, np.nan, 2], [1, 1, 2, 2])
