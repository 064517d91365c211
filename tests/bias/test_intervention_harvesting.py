"""Intervention harvesting: by hand, by the paper's likelihood, and on the platform's own curve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from recsys_metrics.bias.propensity import position_bias_harvest, position_bias_swap
from recsys_metrics.workbook.simulator import Feed, Policy


def rows_of(table):
    """Return clicks, items and positions from (item, position, clicks, displays)."""
    clicks = np.concatenate([np.arange(n) < c for _, _, c, n in table])
    items, positions = (
        np.repeat([row[at] for row in table], [r[3] for r in table]) for at in (0, 1)
    )
    return clicks, items, positions


def test_examination_by_hand_weights_items_equally():
    # a came 100 times at rank 1 and 10 times at rank 2; b the other way round; c at rank 1 alone.
    table = [
        ("a", 1, 40, 100),
        ("a", 2, 2, 10),
        ("b", 1, 3, 10),
        ("b", 2, 10, 100),
        ("c", 1, 9, 10),
    ]
    found = position_bias_harvest(*rows_of(table))
    assert found.examination == pytest.approx([1, (2 / 10 + 10 / 100) / (40 / 100 + 3 / 10)])
    assert found.rows.tolist() == [110, 110]
    assert np.isnan(found.lower[1])
    assert (found.lower[0], found.upper[0]) == (1, 1)


def draw_log(seed=0, n=4_000, n_items=60):
    """Return the rows of two rankers, which chance takes in turn, and the looks."""
    rng = np.random.default_rng(seed)
    looks, appeal = np.array([1.0, 0.6, 0.4, 0.25]), rng.uniform(0.2, 0.9, n_items)
    scores = np.log(appeal) + rng.normal(0, 1, (2, n_items))
    pools = rng.random((n, n_items)).argsort(axis=1)[:, :6]
    of = rng.integers(2, size=n)[:, None]
    order = (-scores[of, pools]).argsort(axis=1)[:, :4]
    pages = np.take_along_axis(pools, order, axis=1)
    clicks = rng.random(pages.shape) < looks * appeal[pages]
    return clicks.ravel(), pages.ravel(), np.tile(np.arange(1, 5), n), looks


def maximise_likelihood_of_the_paper(clicks, items, positions):
    """All-pairs estimator: the likelihood of Agarwal and others, climbed by scipy."""
    n = positions.max()
    rate, at = {}, {}
    for item in np.unique(items):
        for k in range(1, n + 1):
            mine = (items == item) & (positions == k)
            if mine.any():
                rate[item, k] = clicks[mine].mean()
                at.setdefault(item, []).append(k)
    pairs = [(k, m) for k in range(1, n + 1) for m in range(k + 1, n + 1)]
    counts = []
    for at_pair, (k, m) in enumerate(pairs):
        both = [i for i, ks in at.items() if k in ks and m in ks]
        for one in (k, m):
            hits = sum(rate[i, one] for i in both)
            counts.append((one - 1, at_pair, hits, len(both) - hits))
    place, pair, hits, misses = (np.array(c) for c in zip(*counts, strict=True))

    def loss(x):
        p = 1 / (1 + np.exp(-x))
        chance = p[:n][place] * p[n:][pair]
        return -(hits @ np.log(chance) + misses @ np.log1p(-chance))

    found = minimize(loss, np.zeros(n + len(pairs)), method="BFGS", options={"gtol": 1e-8}).x
    theta = 1 / (1 + np.exp(-found[:n]))
    return theta / theta[0]


def test_all_pairs_maximise_the_likelihood_of_the_paper():
    *log, _ = draw_log(n=400)
    assert position_bias_harvest(*log).examination == pytest.approx(
        maximise_likelihood_of_the_paper(*log), abs=1e-3
    )


def test_with_the_landmark_only_it_is_a_ratio_of_click_rates():
    *log, _ = draw_log(n=400)
    clicks, items, positions = log
    found = position_bias_harvest(*log, pairs="landmark", landmark=2).examination
    for k in (1, 3, 4):
        both = np.intersect1d(items[positions == 2], items[positions == k])
        here, there = (
            sum(clicks[(items == i) & (positions == p)].mean() for i in both) for p in (k, 2)
        )
        assert found[k - 1] == pytest.approx(here / there, rel=1e-5)


@pytest.mark.parametrize("pairs", ["all", "landmark"])
def test_raw_rates_are_biased_and_harvested_estimates_are_not(pairs):
    *log, looks = draw_log(seed=3, n=20_000)
    found = position_bias_harvest(*log, pairs=pairs)
    raw = np.array([log[0][log[2] == k].mean() for k in range(1, 5)])
    error = np.abs(found.examination - looks / looks[0])
    assert error.max() < 0.03 < np.abs(raw / raw[0] - looks / looks[0]).max()
    assert ((found.lower <= looks) & (looks <= found.upper)).all()


def test_intervals_cover_the_truth():
    held = []
    for seed in range(60):
        *log, looks = draw_log(seed, n=1_500)
        found = position_bias_harvest(*log, pairs="landmark")
        held.append((found.lower <= looks) & (looks <= found.upper))
    assert 0.88 < np.mean(held, axis=0)[1:].mean() <= 0.99


@pytest.mark.parametrize("pairs", ["all", "landmark"])
def test_it_recovers_the_examination_of_the_simulated_feed(pairs):
    feed = Feed(examination=(1.0, 0.6, 0.4))
    # Popularity alone: where an item stands has nothing to do with who looks.
    log = feed.log(Policy(1.0, taste=0.0), 60_000, seed=1)
    places = np.broadcast_to([1, 2, 3], log.items.shape)
    found = position_bias_harvest(
        log.clicks.ravel(), log.items.ravel(), places.ravel(), pairs=pairs
    )
    assert np.abs(found.examination - feed.examination).max() < 0.05
    assert ((found.lower <= feed.examination) & (feed.examination <= found.upper)).all()
    # The plain rates are those of the items, too.
    assert position_bias_swap(log.clicks.ravel(), places.ravel()).upper[2] < feed.examination[2]


def test_missing_landmark_and_invalid_logs_raise():
    with pytest.raises(ValueError, match="no clicked item was shown at position 1, the landmark"):
        position_bias_harvest([1, 1], ["a", "b"], [1, 2])
    with pytest.raises(ValueError, match="pairs"):
        position_bias_harvest([1, 1], ["a", "a"], [1, 2], pairs="some")
    apart = [("a", 1, 5, 9), ("a", 2, 5, 9), ("b", 3, 5, 9), ("b", 4, 5, 9)]
    with pytest.raises(ValueError, match="no clicked item links position 3 with position 1"):
        position_bias_harvest(*rows_of(apart))
    # A position that shares no item is not known; one that shares some without a click is 0.
    table = [("a", 1, 5, 9), ("a", 2, 4, 9), ("a", 4, 0, 9), ("b", 3, 5, 9)]
    found = position_bias_harvest(*rows_of(table)).examination
    assert np.isnan(found[2])
    assert found[3] == 0
