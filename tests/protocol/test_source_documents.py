"""Every number the source documents print about protocol, through the public functions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from recsys_metrics import hit_rate, judge
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leakage, leave_last_n_out, online, temporal_split
from recsys_metrics.protocol.candidates import expected_sampled_metric, metric_at_rank
from recsys_metrics.protocol.significance import (
    bootstrap_interval,
    paired_t_test,
    t_interval,
)

SEEDS = [0.4, 0.41, 0.42, 0.43, 0.44]
GAINS = [0.01, -0.01, 0.02, -0.01, 0.0]
EXERCISE = [0.012, -0.006, 0.011, -0.004, 0.002]


def test_seeds_mean_and_standard_deviation():
    found = t_interval(SEEDS)
    assert found.estimate == pytest.approx(0.42)
    assert found.standard_deviation == pytest.approx(0.015811388300841892)


def test_standard_error_of_seeds_uses_the_unrounded_deviation():
    found = t_interval(SEEDS)
    assert found.standard_error == pytest.approx(0.007071067811865473)
    assert round(found.standard_error, 4) == 0.0071
    assert round(0.016 / np.sqrt(5), 4) == 0.0072  # as printed


def test_seeds_interval():
    found = t_interval(SEEDS)
    assert found.degrees_of_freedom == 4
    assert found.critical == pytest.approx(2.7764451051977934)
    assert found.half_width == pytest.approx(0.019632431614775563)
    assert list(found) == pytest.approx([0.40036756838522447, 0.4396324316147756])


def test_gains_paired_t_test_and_interval():
    found = paired_t_test(np.zeros(5), GAINS)
    assert found.gain == pytest.approx(0.002)
    assert found.statistic == pytest.approx(0.3429971702850177)
    assert found.p_value == pytest.approx(0.7488684500235265)
    assert found.interval.standard_error == pytest.approx(0.0058309518948453)
    assert found.interval.standard_deviation == pytest.approx(0.013038404810405298)
    assert list(found.interval) == pytest.approx([-0.014189317847087034, 0.018189317847087036])
    assert 0 in found.interval


def test_difference_in_the_exercise():
    found = paired_t_test(np.zeros(5), EXERCISE)
    assert found.gain == pytest.approx(0.003)
    assert found.statistic == pytest.approx(0.8075728530872484)
    assert found.p_value == pytest.approx(0.46462092401545096)
    assert list(found.interval) == pytest.approx([-0.007314035797205651, 0.01331403579720565])
    assert 0 in found.interval


def test_a_single_difference_has_no_interval():
    # Exercise 10: +0.004 on sampled negatives and one seed. One value has no interval at all.
    with pytest.raises(ValueError, match="run more seeds"):
        t_interval([0.004])


def test_bootstrap_of_six_hits_among_twenty_users():
    hits = np.array([1] * 6 + [0] * 14)
    found = bootstrap_interval(hits)
    assert (found.estimate, found.low, found.high) == pytest.approx((0.3, 0.1, 0.5))
    assert found.low == stats.binom.ppf(0.025, 20, 0.3) / 20
    # The two resamples of the text: seven and five of the users drawn have a hit.
    assert np.mean(np.r_[hits[:6], hits[0], hits[6:19]]) == 0.35
    assert np.mean(np.r_[hits[:5], hits[6:], hits[6]]) == 0.25


def test_the_percentile_bootstrap_is_too_narrow_for_twenty_users_and_rare_hits():
    held = 0.0
    for hits in range(21):
        found = bootstrap_interval(np.arange(20) < hits)
        held += stats.binom.pmf(hits, 20, 0.05) * (0.05 in found)
    assert held == pytest.approx(0.6389401372568057, abs=1e-12)
    assert list(bootstrap_interval(np.zeros(20))) == [0.0, 0.0]
    assert stats.binomtest(0, 20).proportion_ci().high == pytest.approx(0.16843347098308536)


def test_a_sampled_hit_rate_is_an_upper_bound():
    def both(metric, k=None):
        sampled = expected_sampled_metric(500, 10_000, 100, metric, k=k)
        return float(metric_at_rank(500, metric, k=k, n_items=10_000)), sampled

    assert both("hit_rate", 10) == pytest.approx((0.0, 0.9728012271436183))
    assert both("ndcg", 10) == pytest.approx((0.0, 0.37272038510927663))
    # AUC is the exception: its expectation is the full value.
    assert both("auc") == pytest.approx((0.95009500950095, 0.95009500950095))


def test_sampling_reverses_the_winner():
    ranks = {"A": [1, 5000], "B": [50, 50]}
    full = {m: metric_at_rank(r, "hit_rate", k=10).mean() for m, r in ranks.items()}
    sampled = {
        m: expected_sampled_metric(r, 10_000, 100, "hit_rate", k=10).mean()
        for m, r in ranks.items()
    }
    assert full == {"A": 0.5, "B": 0.0}
    assert sampled == pytest.approx({"A": 0.5, "B": 0.9999999999623423})


def test_leave_last_n_out_leaks_and_a_global_temporal_split_does_not():
    log, users, items = Interactions.from_ids(
        ["u1", "u1", "u2", "u2"], ["a", "b", "c", "d"], timestamp=[1, 2, 10, 11]
    )
    train, test = leave_last_n_out(log)
    assert [(users[u], items[i]) for u, i in zip(test.user, test.item, strict=True)] == [
        ("u1", "b"),
        ("u2", "d"),
    ]
    found = leakage(train, test)
    assert not found.leak_free
    assert (found.later, found.later_within_user) == (1, 0)
    assert (found.pairs_across_users, found.pairs_within_user) == (1, 0)
    row = found.later_rows[0]
    assert (users[train.user[row]], items[train.item[row]]) == ("u2", "c")
    assert leakage(*temporal_split(log, at=2)).leak_free


def test_online_rates():
    assert online.click_through_rate(50, 1000) == 0.05
    assert online.clicks_per_user(50, 100) == 0.5
    assert online.conversion_rate(5, clicks=50) == 0.1
    assert online.conversion_rate(5, users=100) == 0.05


def test_durations_are_end_minus_start():
    assert online.dwell_time(10, 25) == 15
    with pytest.raises(ValueError, match="are start and end swapped"):
        online.dwell_time(25, 10)  # as the sentence of the notes has it


def test_bounce_rate_by_sessions_and_by_users():
    pages, users = [1, 4, 3, 2], ["u1", "u1", "u1", "u2"]
    assert online.bounce_rate(pages) == 0.25
    assert online.bounce_rate(pages, users=users, by="users") == 0.5


def test_the_two_hit_rates():
    assert online.click_through_probability(30, 100) == 0.3
    lists = [["a"]] * 100
    relevant = [{"a"}] * 45 + [{"b"}] * 55
    assert hit_rate(judge(lists, relevant), k=1).mean() == 0.45


def test_median_and_mean_answer_different_questions():
    a, b = np.ones(10), np.r_[np.full(9, 0.9), 10.0]
    assert b.mean() == pytest.approx(1.81)
    assert b.mean() > a.mean()
    assert np.median(b) < np.median(a)
    assert online.trimmed_mean(b) == pytest.approx(0.9)
    assert online.mann_whitney(a, b).superiority == pytest.approx(0.1)
