"""Coverage of off-policy intervals: the kept table, recomputed in part, and what it must show."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from recsys_metrics.workbook.experiments import interval_coverage
from recsys_metrics.workbook.simulator import Feed, Policy


def test_a_sample_of_the_table_is_reproduced():
    kept = {(r.sharpness, r.rounds, r.estimator): r for r in interval_coverage.read_rows()}
    for row in interval_coverage.compute_rows(3.0, 50):
        assert row == kept[row.sharpness, row.rounds, row.estimator]


def test_every_setting_is_in_the_table():
    rows = interval_coverage.read_rows()
    names = {row.estimator for row in rows}
    assert names == {"ips", "snips", "doubly_robust"}
    settings = {(row.sharpness, row.rounds) for row in rows}
    assert len(rows) == len(names) * len(settings) == 60
    assert settings == {
        (s, n) for s in interval_coverage.SHARPNESS for n in interval_coverage.ROUNDS
    }
    assert {row.logs for row in rows} == {500}


def test_the_true_value_equals_an_on_policy_simulation():
    own = interval_coverage.FEED.log(interval_coverage.TARGET, 100_000, seed=3).clicks
    assert interval_coverage.true_value() == pytest.approx(
        own.mean(), abs=4 * own.std() / own.size**0.5
    )


def test_more_rounds_increase_sample_size_and_coverage():
    for sharpness in interval_coverage.SHARPNESS:
        for name in ("ips", "snips", "doubly_robust"):
            mine = [
                r
                for r in interval_coverage.read_rows()
                if (r.sharpness, r.estimator) == (sharpness, name)
            ]
            assert np.all(np.diff([r.effective_sample_size for r in mine]) > 0)
            assert mine[-1].coverage > mine[0].coverage
            assert mine[-1].relative_error < mine[0].relative_error


def test_intervals_undercover_below_an_effective_sample_size_of_100():
    rows = interval_coverage.read_rows()
    few = [r for r in rows if r.effective_sample_size < 100]
    assert few
    assert max(r.coverage for r in few) < 0.93
    # The size alone is no licence: with little overlap it flatters the log.
    many = [r for r in rows if r.effective_sample_size >= 100 and r.estimator != "snips"]
    assert min(r.coverage for r in many) < 0.85 < max(r.coverage for r in many)


def test_marginal_slot_propensities_by_counting_and_by_hand():
    feed = Feed(pool=4)
    policy = Policy(2.0)
    log = feed.log(policy, 3, seed=5)
    first, alone = (
        feed.first_rank_propensities(policy, log),
        feed.marginal_propensities(policy, log),
    )
    for row, (p, places) in enumerate(zip(first, log.pool_indices, strict=True)):
        assert alone[row, 0] == pytest.approx(p[places[0]])
        second = sum(p[a] * p[places[1]] / (1 - p[a]) for a in range(4) if a != places[1])
        assert alone[row, 1] == pytest.approx(second)
        third = sum(
            p[a] * p[b] / (1 - p[a]) * p[places[2]] / (1 - p[a] - p[b])
            for a, b in permutations(set(range(4)) - {int(places[2])}, 2)
        )
        assert alone[row, 2] == pytest.approx(third)
