"""Prediction-powered intervals contain the truth as often as they say, and are narrower."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook.experiments import judge_study as study
from recsys_metrics.workbook.simulator import METRICS

ROWS = {(row.of, row.metric, row.n_human): row for row in study.read_rows()}


def test_every_row_is_there():
    assert len(ROWS) == 2 * len(METRICS) * len(study.HUMAN)
    assert {row.catalogues for row in ROWS.values()} == {study.N_CATALOGUES}
    assert {row.n_machine for row in ROWS.values()} == {study.MACHINE}


def test_coverage_with_200_labels_is_between_94_and_97_percent():
    means, gains = (
        [ROWS[of, metric, 200].covered / study.N_CATALOGUES for metric in METRICS]
        for of in ("mean", "difference")
    )
    assert all(0.94 <= share <= 0.97 for share in means)
    # Few hit rates differ, and the interval of so few is wider than it must be.
    assert sum(0.94 <= share <= 0.97 for share in gains) >= 9
    assert all(share >= 0.94 for share in gains)


def test_the_judge_narrows_the_interval_and_is_wrong_alone():
    for of in ("mean", "difference"):
        for metric in METRICS:
            row = ROWS[of, metric, 200]
            assert row.machine_covered < 0.5 * row.catalogues
            if metric == "hit rate":
                # Nearly every list has a hit, so that the judge has no weight in most catalogues.
                assert (row.width, row.weight) == (1, 0)
                continue
            assert row.width < 1
            assert row.narrower > 0.7 * row.catalogues


def test_a_sample_of_the_figures_is_recomputed():
    found = study.compute_rows(120, seed=9)
    assert len(found) == len(ROWS)
    for row in found:
        printed = ROWS[row.of, row.metric, row.n_human]
        # Five standard errors of the smaller simulation.
        for name in ("covered", "human_covered"):
            share = getattr(printed, name) / printed.catalogues
            assert getattr(row, name) / row.catalogues == pytest.approx(share, abs=0.1)
        assert row.width == pytest.approx(printed.width, abs=0.09)


def test_the_design_of_precise_saves_what_was_published():
    found = study.precise_case(1_000)
    # 4.45 and 3.50 points there; the standard error of each ratio here is about 2%.
    assert found.combined / found.human == pytest.approx(3.50 / 4.45, abs=0.05)
    assert found.human == pytest.approx(4.45, rel=0.1)
    # What the weight that is estimated from 30 labels costs is small.
    implied = (1 - found.correlation**2 * study.MACHINE / (study.MACHINE + 30)) ** 0.5
    assert found.combined / found.human == pytest.approx(implied, abs=0.06)


def test_the_table_has_a_row_for_each_metric():
    shown = study.show("mean")
    assert [row[0] for row in shown.rows] == [*METRICS]
