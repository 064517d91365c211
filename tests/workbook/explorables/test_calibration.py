"""The explorables of calibration against plain definitions, in every state."""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from recsys_metrics.calibration import IsotonicCalibration, PlattScaling
from recsys_metrics.workbook.experiments.match_percent import movielens_match_percent
from recsys_metrics.workbook.explorables import REGISTRY
from recsys_metrics.workbook.explorables.calibration import bins, curve, isotonic
from recsys_metrics.workbook.explorables.calibration.badge import said

BINS = REGISTRY["calibration.reliability_bins"]
CURVE = REGISTRY["calibration.platt_curve"]
POOLING = REGISTRY["calibration.pooling"]


def equal_width(said, n_bins):
    """Return the bin of each probability; each bin holds its right end."""
    return [max(0, math.ceil(p * n_bins - 1e-12) - 1) for p in said]


def equal_mass(said, n_bins):
    inner = [float(np.quantile(said, i / n_bins)) for i in range(1, n_bins)]
    return [sum(p > edge for edge in inner) for p in said]


def gaps_and_sizes(happened, said, which):
    groups = {}
    for place, key in enumerate(which):
        groups.setdefault(key, []).append(place)
    gaps = [
        abs(sum(said[i] for i in places) - sum(happened[i] for i in places)) / len(places)
        for places in groups.values()
    ]
    return gaps, [len(places) for places in groups.values()]


def plain_log_loss(happened, said):
    return -math.fsum(
        math.log(p if y else 1 - p) for y, p in zip(happened, said, strict=True)
    ) / len(said)


def plain_auc(labels, scores):
    good = [s for s, y in zip(scores, labels, strict=True) if y]
    bad = [s for s, y in zip(scores, labels, strict=True) if not y]
    return sum((g > b) + (g == b) / 2 for g in good for b in bad) / (len(good) * len(bad))


# Reliability bins ----------------------------------------------------------------------------


@cache
def sample(model, n):
    return tuple(column[:n].tolist() for column in bins.simulated(model))


@pytest.mark.parametrize("model", ["calibrated", "over-confident", "wavy"])
@pytest.mark.parametrize("events", [50, 200, 1_000])
def test_reliability_bins_equal_the_plain_definitions(model, events):
    happened, said, true = sample(model, events)
    for state in BINS.states():
        if (state["model"], state["events"]) != (model, events):
            continue
        numbers = BINS.compute(state)
        cut = equal_width if state["binning"] == "equal-width" else equal_mass
        gaps, sizes = gaps_and_sizes(happened, said, cut(said, state["n_bins"]))
        expected = sum(g * n for g, n in zip(gaps, sizes, strict=True)) / events
        assert numbers["ece"] == pytest.approx(expected, abs=1e-12)
        assert numbers["largest"] == pytest.approx(max(gaps), abs=1e-12)
        assert numbers["log_loss"] == pytest.approx(plain_log_loss(happened, said), abs=1e-12)
        far = math.fsum(abs(p - q) for p, q in zip(said, true, strict=True)) / events
        assert numbers["true_gap"] == pytest.approx(far, abs=1e-12)


def test_the_reliability_figure_shows_the_effect_of_bins():
    def ece(model, events, n_bins):
        state = {**BINS.start, "model": model, "events": events, "n_bins": n_bins}
        return BINS.compute(state)

    few, many = ece("calibrated", 50, 50), ece("calibrated", 10_000, 10)
    assert few["true_gap"] == many["true_gap"] == 0
    assert few["ece"] > 0.1 > 0.02 > many["ece"]
    assert ece("wavy", 10_000, 2)["ece"] < ece("wavy", 10_000, 2)["true_gap"] / 3
    # Enough bins and events find the waves again.
    assert ece("wavy", 10_000, 30)["ece"] == pytest.approx(
        ece("wavy", 10_000, 30)["true_gap"], rel=0.15
    )


def test_the_agreeing_share_counts_bins_whose_interval_contains_the_diagonal():
    for state in ({**BINS.start}, {**BINS.start, "model": "over-confident", "events": 10_000}):
        happened, said, _ = sample(state["model"], state["events"])
        which, inside = np.array(equal_width(said, 10)), []
        for key in set(which.tolist()):
            y, p = np.array(happened)[which == key], np.array(said)[which == key].mean()
            # Wilson: the rates whose own standard error reaches what was observed.
            n, rate, z = len(y), y.mean(), 1.959963984540054
            inside.append((rate - p) ** 2 <= z**2 * p * (1 - p) / n)
        assert BINS.compute(state)["agree"] == pytest.approx(np.mean(inside))


def stops(explorable, state, name):
    """Return where a handle of a picture stands for each value of its control."""
    svg = explorable.draw(state, explorable.compute(state)).svg
    (places,) = re.findall(rf'data-move="{name}" data-[xy]="([^"]*)"', svg)
    return [float(place) for place in places.split()]


@pytest.mark.parametrize("binning", ["equal-width", "equal-mass"])
def test_the_drag_handle_is_the_end_of_the_first_bin(binning):
    state = {**BINS.start, "binning": binning, "events": 1_000}
    _, said, _ = sample("calibrated", 1_000)
    found = stops(BINS, state, "n_bins")
    for n_bins, place in zip(BINS.controls[2].values, found, strict=True):
        end = 1 / n_bins if binning == "equal-width" else float(np.quantile(said, 1 / n_bins))
        # Four digits of a place; a bin of equal mass ends at an event or between two of them.
        assert place == pytest.approx(bins._X(end), abs=1.2)


# Platt's curve -------------------------------------------------------------------------------


def mapped(state):
    said = np.array(curve.SAID)
    odds = np.array([math.log(p / (1 - p)) for p in said])
    return [1 / (1 + math.exp(-(state["a"] * z + state["b"]))) for z in odds]


def test_platts_curve_equals_the_plain_definitions():
    labels = curve.CLICKED
    for state in CURVE.states():
        numbers, after = CURVE.compute(state), mapped(state)
        squares = [(p - y) ** 2 for p, y in zip(after, labels, strict=True)]
        gaps, sizes = gaps_and_sizes(labels, after, equal_width(after, curve.N_BINS))
        assert numbers["log_loss"] == pytest.approx(plain_log_loss(labels, after), abs=1e-12)
        assert numbers["brier"] == pytest.approx(sum(squares) / 20, abs=1e-12)
        assert numbers["ece"] == pytest.approx(
            sum(g * n for g, n in zip(gaps, sizes, strict=True)) / 20, abs=1e-12
        )
        assert numbers["auc"] == plain_auc(labels, after)
        assert numbers["mean"] == pytest.approx(sum(after) / 20, abs=1e-12)


def test_the_platt_figure_has_a_best_fit_away_from_the_start():
    losses = {(s["a"], s["b"]): CURVE.compute(s)["log_loss"] for s in CURVE.states()}
    fitted = PlattScaling(on="log-odds").fit(curve.SAID, curve.CLICKED)
    a, b = min(losses, key=losses.get)
    assert (a, b) == (0.5, -0.6)
    assert abs(a - fitted.slope_) < 0.125
    assert abs(b - fitted.intercept_) < 0.1
    aucs = {s["a"]: CURVE.compute(s)["auc"] for s in CURVE.states()}
    assert {round(auc, 9) for slope, auc in aucs.items() if slope > 0} == {aucs[1.0]}
    assert aucs[0.0] == 0.5
    assert aucs[-0.5] == pytest.approx(1 - aucs[1.0])
    flat = CURVE.compute({"a": 0.0, "b": -0.4})
    lowest = min((CURVE.compute(s)["ece"], s["a"]) for s in CURVE.states())
    assert lowest == (flat["ece"], 0.0)
    assert flat["ece"] < 0.002
    assert flat["log_loss"] > losses[0.5, -0.6] + 0.09


def test_drag_handles_lie_on_the_curve():
    for state in CURVE.states():
        for name, odds in (("b", 0.0), ("a", 2.0)):
            place = stops(CURVE, state, name)[list(curve_values(name)).index(state[name])]
            mapped_to = 1 / (1 + math.exp(-(state["a"] * odds + state["b"])))
            assert place == pytest.approx(curve._Y(mapped_to), abs=0.06)


def curve_values(name):
    return next(control.values for control in CURVE.controls if control.name == name)


# Pooling -------------------------------------------------------------------------------------


def rates(labels, steps):
    """Return the pools' rates after so many poolings, with plain lists."""
    pools = [[label] for label in labels]
    for _ in range(steps):
        means = [sum(pool) / len(pool) for pool in pools]
        falls = [i for i, (left, right) in enumerate(pairwise(means)) if left > right + 1e-12]
        if not falls:
            break
        i = falls[0]
        pools[i : i + 2] = [pools[i] + pools[i + 1]]
    return pools


def test_pooling_equals_the_plain_definition():
    for state in POOLING.states():
        labels, numbers = isotonic.labels_of(state), POOLING.compute(state)
        pools = rates(labels, state["step"])
        means = [sum(pool) / len(pool) for pool in pools]
        assert numbers["pools"] == len(pools)
        assert numbers["largest"] == max(map(len, pools))
        assert numbers["falling"] == sum(a > b + 1e-12 for a, b in pairwise(means))
        errors = [(y - m) ** 2 for pool, m in zip(pools, means, strict=True) for y in pool]
        assert numbers["brier"] == pytest.approx(sum(errors) / len(labels), abs=1e-12)


def test_pooling_ends_at_the_isotonic_fit_with_increasing_cost():
    orders = {isotonic.labels_of(state) for state in POOLING.states()}
    assert len(orders) == 2**8
    steps = sorted(POOLING.controls[0].values)
    for labels in orders:
        pools = isotonic.pools_after(labels, max(steps))
        assert isotonic.first_falling(pools) is None
        if len(set(labels)) == 2:
            values = [hits / n for n, hits in pools for _ in range(n)]
            scores = np.arange(len(labels))
            fitted = IsotonicCalibration().fit(scores, labels).predict(scores)
            assert values == pytest.approx(fitted.tolist(), abs=1e-12)
        names = [control.name for control in POOLING.controls[1:]]
        state = dict(zip(names, labels, strict=True))
        costs = [POOLING.compute({"step": step, **state})["brier"] for step in steps]
        assert costs[0] == 0
        assert all(later >= earlier for earlier, later in pairwise(costs))


def test_statements_of_the_chapter_on_pooling_hold():
    def fit(labels):
        return isotonic.pools_after(labels, 7)

    assert fit((1, 1, 1, 0, 0, 0, 0, 0)) == ((8, 3),)
    assert fit((0, 0, 0, 0, 1, 1, 1, 1)) == tuple((1, label) for label in (0,) * 4 + (1,) * 4)
    assert [n for n, _ in fit((1, 0, 0, 0, 1, 1, 1, 0))] == [4, 4]


def test_pictures_are_small_and_have_alt_texts():
    for explorable in (BINS, CURVE, POOLING):
        for number, state in enumerate(explorable.states()):
            if number % 17 == 0:
                picture = explorable.draw(state, explorable.compute(state))
                assert len(picture.svg) < 12_000
                assert not re.search(r"nan|inf", picture.svg)
    done = POOLING.draw({**POOLING.start, "step": 7}, {})
    assert "0 of 1, 1 of 3, 2 of 3, 1 of 1; the rates no longer decrease" in done.alt


# A badge on MovieLens -----------------------------------------------------------------------------


def test_badge_numbers_equal_those_of_the_chapter():
    badge = REGISTRY["calibration.badge"]
    promises = movielens_match_percent()
    late = promises.late
    for state in badge.states():
        numbers = badge.compute(state)
        has = said(state["map"]) >= state["cut"]
        assert numbers["badges"] == has.sum()
        assert numbers["said"] == pytest.approx(said(state["map"])[has].mean())
        assert numbers["liked"] == pytest.approx(promises.liked[late][has].mean())
        assert numbers["too_much"] == pytest.approx(numbers["said"] - numbers["liked"])
        assert numbers["low"] <= numbers["too_much"] <= numbers["high"]


def test_uncalibrated_badges_are_overconfident():
    badge = REGISTRY["calibration.badge"]
    found = [badge.compute(state) for state in badge.states() if state["map"] == "raw"]
    assert all(numbers["low"] > 0 for numbers in found)
