"""The page on confidence intervals shows what its computation gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.protocol.significance import gain_interval, mean_interval, t_interval
from recsys_metrics.workbook.experiments import interval_study as study

ROWS = {(row.data, row.of, row.metric, row.n, row.method): row for row in study.read_rows()}


def test_every_figure_is_there():
    assert len(ROWS) == 2 * 2 * len(study.BOUNDS) * len(study.SIZES) * 2
    assert {row.samples for row in ROWS.values()} == {study.N_SAMPLES}


@pytest.mark.parametrize("of", ["mean", "difference"])
@pytest.mark.parametrize("metric", study.BOUNDS)
def test_a_sample_of_the_figures_is_recomputed(of, metric):
    n = 20 if metric in ("NDCG", "novelty", "hit rate") else 50
    found = study.compute_rows(
        study.LATEST_SMALL, study.movielens_values(), of, metric, n, n_samples=1_000
    )
    for row in found:
        printed = ROWS[row.data, row.of, row.metric, row.n, row.method]
        # Five standard errors of the smaller simulation.
        assert row.coverage == pytest.approx(printed.coverage, abs=0.04)
        assert row.power == pytest.approx(printed.power, abs=0.08)
        assert row.width == pytest.approx(printed.width, rel=0.15)


def test_the_intervals_are_those_of_the_library():
    values = np.random.default_rng(0).choice([0, 0, 0.25, 1], size=(20, 30))
    low, high = study.interval_of_means(values, (0.0, 1.0))
    ends = [tuple(mean_interval(row, bounds=(0, 1))) for row in values]
    np.testing.assert_allclose(np.column_stack([low, high]), ends)
    gains = values - values[::-1]
    low, high = study.interval_of_differences(gains, (0.0, 1.0))
    ends = [
        tuple(gain_interval(b, a, bounds=(0, 1))) for a, b in zip(values, values[::-1], strict=True)
    ]
    np.testing.assert_allclose(np.column_stack([low, high]), ends)
    low, high = study.student(values, (0.0, math.inf))
    np.testing.assert_allclose(
        np.column_stack([low, high]), [tuple(t_interval(row)) for row in values]
    )


def test_what_the_documentation_says_of_coverage_and_power():
    def of(kind, data, sizes, method="chosen"):
        return {
            (row.metric, row.n): row
            for row in ROWS.values()
            if (row.of, row.data, row.method) == (kind, data, method) and row.n in sizes
        }

    many = [n for n in study.SIZES if n >= 50]
    for data in (study.LATEST_SMALL, study.LEAVE_ONE_OUT):
        first = data == study.LATEST_SMALL
        means, gains = of("mean", data, many), of("difference", data, many)
        assert min(row.coverage for row in means.values()) >= (0.93 if first else 0.91)
        assert min(row.coverage for row in of("mean", data, [20]).values()) >= 0.90
        assert min(row.coverage for row in of("difference", data, [20]).values()) >= 0.90
        low = {key for key, row in gains.items() if row.coverage < 0.93}
        assert low <= {("novelty", 50)}
    # Power of at least nine tenths of Student's, but for the hit rate, whose interval is exact, and
    # for serendipity, of which the power is hardly more than the error of a test.
    ours = of("difference", study.LATEST_SMALL, many)
    theirs = of("difference", study.LATEST_SMALL, many, "Student")
    weak = {key for key, row in ours.items() if row.power < 0.9 * theirs[key].power}
    assert weak <= {("hit rate", 50), ("hit rate", 100), ("serendipity", 50)}


def test_tables_show_both_intervals():
    shown = study.show("coverage", "mean", sizes=(20, 50))
    assert [*shown.headings] == ["Metric at 10", "n = 20", "n = 50"]
    assert len(shown.rows) == 10
    row = ROWS[study.LATEST_SMALL, "mean", "NDCG", 20, "chosen"]
    assert str(shown.rows[0][1]).startswith(f"{row.coverage:.3f} / ")
    assert "–" not in str(study.show("width", "mean").rows)
    assert "–" in str(study.show("width", "difference", study.LEAVE_ONE_OUT).rows)
