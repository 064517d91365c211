"""Plots: what is drawn, in which colours, what they say in words, and what they need."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics._core.colors import BLUE, GREY
from recsys_metrics.beyond_accuracy import lorenz_curve
from recsys_metrics.calibration import reliability_curve

TRUTH = [{"A"}] * 60


def report(hits, name):
    lists = [["A", "B"]] * hits + [["B", "A"]] * (60 - hits)
    return rm.evaluate(lists, TRUTH, ["hit_rate@1", "mrr@2", "coverage@1"], catalog=4, name=name)


REPORTS = [report(10, "old"), report(50, "new"), report(30, "mid")]


@pytest.fixture(autouse=True)
def closed():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    sys.modules["matplotlib.pyplot"].close("all")


def points(axes):
    return next(line for line in axes.lines if line.get_marker() == "o")


def spans(axes):
    return [line.get_xdata() for line in axes.lines if line.get_linewidth() == 2.5]


@pytest.mark.slow
def test_a_report_draws_values_and_intervals():
    axes = REPORTS[0].plot()
    drawn = points(axes)
    assert drawn.get_color() == BLUE
    np.testing.assert_allclose(drawn.get_xdata(), [r.mean for r in REPORTS[0].values()])
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["hit_rate@1", "mrr@2", "coverage@1"]
    # Coverage is of all lists together, and has no interval.
    np.testing.assert_allclose(spans(axes), [[*REPORTS[0][n].interval()] for n in names[:2]])
    assert axes.get_title("left") == "old: hit_rate@1 is 0.167 [0.083, 0.285]"
    assert "coverage@1 0.500" in axes.get_label()
    (low, high) = axes.get_ylim()
    assert low > high  # the first measure on top
    assert len(REPORTS[0].plot(["mrr@2"]).get_yticklabels()) == 1
    with pytest.raises(KeyError, match="ndcg@1 was not measured"):
        REPORTS[0].plot(["ndcg@1"])
    with pytest.raises(ValueError, match="measures is empty"):
        REPORTS[0].plot([])


@pytest.mark.slow
def test_a_comparison_draws_gains_about_zero():
    compared = REPORTS[1].compare(REPORTS[0])
    axes = compared.plot()
    np.testing.assert_allclose(points(axes).get_xdata(), [d.gain for d in compared.values()])
    zero = next(line for line in axes.lines if line.get_color() == GREY)
    assert list(zero.get_xdata()) == [0, 0]
    assert axes.get_title("left").startswith("By hit_rate@1: better: difference 0.667")
    assert axes.get_label().startswith("Gains of new over old: hit_rate@1 0.667 [")


def test_a_leaderboard_draws_differences_from_the_best():
    axes = rm.compare_many(REPORTS).plot()
    np.testing.assert_allclose(points(axes).get_xdata(), [-1 / 3, -2 / 3])
    assert all(low < high < 0 for low, high in spans(axes))
    assert axes.get_title("left") == "2 of 2 differ from new (p ≤ 0.05, holm)"
    against = rm.compare_many(REPORTS, baseline="mid").plot("mrr@2")
    np.testing.assert_allclose(points(against).get_xdata(), [1 / 6, -1 / 6])
    assert against.get_xlabel().startswith("mrr@2 minus that of mid")


def test_reliability_and_lorenz_curves():
    curve = reliability_curve([1, 1, 1, 0, 0, 1, 0, 0, 0, 0], [0.8] * 5 + [0.2] * 5)
    axes = curve.plot()
    np.testing.assert_allclose(points(axes).get_ydata(), curve.observed)
    assert axes.get_title("left") == "Largest gap: where 0.80 was predicted, 0.60 was observed"
    lorenz = lorenz_curve([8, 2, 0, 0, 0])
    axes = lorenz.plot()
    np.testing.assert_allclose(axes.lines[-1].get_ydata(), lorenz.share)
    assert "has 0 % of the exposure" in axes.get_title("left")


def test_plots_accept_existing_axes():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    for drawn in (REPORTS[0], REPORTS[1].compare(REPORTS[0]), lorenz_curve([1, 2])):
        assert drawn.plot(axes=axes) is axes


def test_without_matplotlib_an_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ModuleNotFoundError, match="a plot needs matplotlib, which is not install"):
        REPORTS[0].plot()
