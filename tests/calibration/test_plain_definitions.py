"""The fast ways give what the plain definitions give, on random input and at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics.calibration import IsotonicCalibration, PlattScaling
from recsys_metrics.calibration._calibrator import check_overlap
from recsys_metrics.calibration._isotonic import _in_order, _in_order_one_by_one
from recsys_metrics.calibration._reliability import _find_even_bins, _sum_bins


@pytest.mark.parametrize("n_bins", [1, 2, 3, 7, 10, 15, 100, 1000])
def test_equal_width_bins_equal_a_binary_search(n_bins):
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    on_edges = np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)])
    tenths = np.arange(1001) / 1000
    said = np.clip(np.concatenate([on_edges, tenths, np.random.default_rng(0).random(5_000)]), 0, 1)
    scratch, which = np.empty((3, len(said))), np.empty(len(said), dtype=np.intp)
    _find_even_bins(said, edges, scratch, which)
    assert (which == np.searchsorted(edges[1:-1], said)).all()


@pytest.mark.parametrize("even", [True, False])
def test_bin_counts_in_blocks_equal_counts_event_by_event(even):
    rng = np.random.default_rng(1)
    said, edges = rng.random(40_000), np.linspace(0.0, 1.0, 8)
    happened = rng.random(40_000) < said
    count, total, hits = _sum_bins(said, happened, edges, even=even)
    which = np.searchsorted(edges[1:-1], said)
    for one in range(7):
        inside = which == one
        assert (count[one], hits[one]) == (inside.sum(), happened[inside].sum())
        assert total[one] == pytest.approx(said[inside].sum(), rel=1e-12)


def test_separated_labels_are_detected_among_many_rows():
    scores = np.linspace(0, 1, 300_000)
    with pytest.raises(ValueError, match="splits the labels"):
        check_overlap(scores, scores > 0.6, "")
    # Of one kind only at first: the rest decides.
    with pytest.raises(ValueError, match="splits the labels"):
        check_overlap(scores, scores > 0.1, "")
    mixed = scores > 0.6
    mixed[:3] = True
    check_overlap(scores, mixed, "")
    mixed = np.random.default_rng(0).random(300_000) < 0.5
    check_overlap(scores, mixed, "")


def test_a_fit_to_booleans_is_a_fit_to_numbers():
    rng = np.random.default_rng(2)
    scores = rng.random(2_000)
    happened = rng.random(2_000) < scores
    one, other = (PlattScaling().fit(scores, y) for y in (happened, happened.astype(float)))
    assert (one.slope_, one.intercept_) == (other.slope_, other.intercept_)


def pooled(ascending, happened):
    """Return each score with its count of events and of hits."""
    each, where = np.unique(ascending, return_inverse=True)
    return each.tolist(), np.bincount(where).tolist(), np.bincount(where, happened).tolist()


NEAR = [1.0, np.nextafter(1.0, 2), np.nextafter(1.0, 0)]


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(3).random(500),
        np.random.default_rng(3).normal(0, 1e3, 500),
        [0.25, 0.5, 0.5, 0.75],
        NEAR,
        [-x for x in NEAR],
        [0.0, -0.0, 5e-324, -5e-324],
        [0.0, 5e-324],
        [np.finfo(float).max, np.finfo(float).min, np.finfo(float).tiny],
        [0.3],
    ],
)
def test_sorting_keeps_labels_with_their_scores(values):
    rng = np.random.default_rng(4)
    scores = rng.choice(values, 2_000)
    happened = rng.random(2_000) < 0.4
    fast, plain = _in_order(scores, happened), _in_order_one_by_one(scores, happened)
    assert (np.diff(fast[0]) >= 0).all()
    assert pooled(*fast) == pooled(*plain)


def test_isotonic_fit_of_distinct_scores_equals_the_fit_with_counts_of_one():
    rng = np.random.default_rng(5)
    scores = rng.permutation(3_000) / 3_000
    happened = rng.random(3_000) < scores
    alone = IsotonicCalibration().fit(scores, happened)
    twice = IsotonicCalibration().fit(np.tile(scores, 2), np.tile(happened, 2))
    np.testing.assert_allclose(alone.predict(scores), twice.predict(scores), rtol=1e-12)
