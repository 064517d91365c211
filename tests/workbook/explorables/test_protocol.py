"""The explorables of protocol against plain definitions, in a sweep of their states."""

from __future__ import annotations

import math
from statistics import mean, stdev

import numpy as np
import pytest
from scipy import stats

from recsys_metrics.workbook.explorables.protocol import (
    resampled_users,
    sampled_negatives,
    ship_or_not,
)
from recsys_metrics.workbook.explorables.protocol.negatives import NEGATIVES, RANKS
from recsys_metrics.workbook.explorables.protocol.seeds import gains

WORTH = {
    "hit_rate": lambda rank, n: float(rank <= 10),
    "ndcg": lambda rank, n: 1 / math.log2(rank + 1) if rank <= 10 else 0.0,
    "reciprocal_rank": lambda rank, n: 1 / rank,
    "auc": lambda rank, n: (n + 1 - rank) / n,
}


def by_hypergeometric(rank, drawn, worth):
    """Return the mean worth over all samples, term by term."""
    above = stats.hypergeom(9999, rank - 1, drawn)
    support = range(min(rank - 1, drawn) + 1)
    return sum(above.pmf(n) * worth(n + 1, drawn) for n in support)


@pytest.mark.parametrize("metric", WORTH)
@pytest.mark.parametrize("drawn", [10, 100, 1000, 9999])
def test_sampled_values_are_sums_over_the_hypergeometric_law(metric, drawn):
    numbers = sampled_negatives.compute({"metric": metric, "negatives": drawn})
    for name, ranks in RANKS.items():
        plain = mean(by_hypergeometric(rank, drawn, WORTH[metric]) for rank in ranks)
        assert numbers[name] == pytest.approx(plain, abs=1e-9)


def test_each_recommender_is_ahead_for_some_sample():
    ahead = []
    for drawn in NEGATIVES[2:]:
        numbers = sampled_negatives.compute({"metric": "hit_rate", "negatives": drawn})
        ahead.append(max(numbers, key=numbers.get))
    assert "".join(dict.fromkeys(ahead)) == "ABC"
    assert ahead == sorted(ahead)
    at = dict(zip(NEGATIVES[2:], ahead, strict=True))
    assert (at[1000], at[2000], at[3000], at[9999]) == ("A", "B", "C", "C")


def test_auc_does_not_move():
    states = [s for s in sampled_negatives.states() if s["metric"] == "auc"]
    values = [list(sampled_negatives.compute(state).values()) for state in states]
    assert np.ptp(values, axis=0) == pytest.approx(0, abs=1e-12)


def test_gains_have_the_mean_and_the_deviation_that_were_set():
    for state in ship_or_not.states():
        runs = gains(state).tolist()
        assert len(runs) == state["runs"]
        assert mean(runs) == pytest.approx(state["gain"], abs=1e-15)
        assert stdev(runs) == pytest.approx(state["spread"], abs=1e-15)


def test_intervals_of_the_gain_follow_from_its_formula():
    for state in ship_or_not.states():
        numbers = ship_or_not.compute(state)
        n, error = state["runs"], state["spread"] / math.sqrt(state["runs"])
        critical = 1.96 if state["critical"] == "z" else stats.t.ppf(0.975, n - 1)
        assert numbers["low"] == pytest.approx(state["gain"] - critical * error)
        assert numbers["high"] == pytest.approx(state["gain"] + critical * error)
        p = 2 * stats.t.sf(abs(state["gain"]) / error, n - 1)
        assert numbers["p_value"] == pytest.approx(p, abs=1e-9)


def test_what_the_chapter_says_was_to_be_found():
    start = ship_or_not.start
    ships = [
        n
        for n in ship_or_not.controls[0].values
        if ship_or_not.compute({**start, "runs": n})["low"] > 0
    ]
    assert ships == [200]
    trap = {"runs": 3, "gain": 0.006, "spread": 0.004}
    assert ship_or_not.compute({**trap, "critical": "z"})["low"] > 0
    assert ship_or_not.compute({**trap, "critical": "t"})["low"] < 0
    state = {**trap, "critical": "t"}
    assert "Do not ship" in ship_or_not.draw(state, ship_or_not.compute(state)).alt


def test_exact_intervals_are_those_of_scipy():
    for state in resampled_users.states():
        hits = state["hits"] * state["users"] // 20
        exact = stats.binomtest(hits, state["users"]).proportion_ci(method="exact")
        numbers = resampled_users.compute(state)
        assert numbers["hit_rate"] == hits / state["users"]
        assert numbers["exact_low"] == pytest.approx(exact.low, abs=1e-9)
        assert numbers["exact_high"] == pytest.approx(exact.high, abs=1e-9)


def test_bootstrap_intervals_are_binomial_quantiles():
    # Resampled hits follow a binomial law; thousands of draws may miss a quantile by one.
    for state in resampled_users.states():
        users, hits = state["users"], state["hits"] * state["users"] // 20
        law = stats.binom(users, hits / users)
        numbers = resampled_users.compute(state)
        for end, tail in (("low", 0.025), ("high", 0.975)):
            assert numbers[end] * users == pytest.approx(law.ppf(tail), abs=1.01)


def test_few_hits_reach_0_and_none_leave_no_width():
    at = {n: resampled_users.compute({"hits": n, "users": 20}) for n in range(21)}
    assert [n for n in at if at[n]["low"] == at[n]["high"]] == [0, 20]
    assert [n for n in at if at[n]["low"] == 0] == [0, 1, 2, 3]
    wide = [at[6]["high"] - at[6]["low"]]
    four = resampled_users.compute({"hits": 6, "users": 80})
    assert four["high"] - four["low"] == pytest.approx(wide[0] / 2, abs=0.02)


def test_pictures_stay_small():
    for explorable in (sampled_negatives, ship_or_not, resampled_users):
        for state in explorable.states():
            assert len(explorable.draw(state, explorable.compute(state)).svg) < 12_000
