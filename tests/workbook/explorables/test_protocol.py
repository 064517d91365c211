"""The explorables of protocol against plain definitions, in a sweep of their states."""

from __future__ import annotations

import math
import re
from functools import cache
from statistics import mean, stdev

import numpy as np
import pytest
from scipy import stats

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leakage, leave_last_n_out, random_split, temporal_split
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.workbook.charts.protocol import (
    effect_intervals,
    interim_analyses,
    split_timelines,
)
from recsys_metrics.workbook.explorables.protocol import (
    denominator,
    held_out,
    resampled_users,
    sampled_negatives,
    ship_or_not,
    tuning,
)
from recsys_metrics.workbook.explorables.protocol import (
    peeking as looks_at_a_test,
)
from recsys_metrics.workbook.explorables.protocol.denominator import against_old
from recsys_metrics.workbook.explorables.protocol.held_out import EVENTS
from recsys_metrics.workbook.explorables.protocol.negatives import NEGATIVES, RANKS
from recsys_metrics.workbook.explorables.protocol.peeking import PLANNED, design
from recsys_metrics.workbook.explorables.protocol.seeds import gains
from recsys_metrics.workbook.explorables.protocol.tuning import rates

WORTH = {
    "hit_rate": lambda rank, n: float(rank <= 10),
    "ndcg": lambda rank, n: 1 / math.log2(rank + 1) if rank <= 10 else 0.0,
    "reciprocal_rank": lambda rank, n: 1 / rank,
    "auc": lambda rank, n: (n + 1 - rank) / n,
}


def by_hypergeometric(rank, drawn, worth):
    """Return the mean worth over all samples, term by term."""
    support = range(min(rank - 1, drawn) + 1)
    shares = stats.hypergeom(9999, rank - 1, drawn).pmf(support)
    return sum(share * worth(n + 1, drawn) for n, share in zip(support, shares, strict=True))


@pytest.mark.parametrize("metric", WORTH)
@pytest.mark.parametrize("drawn", [10, 100, 1000, 9999])
def test_sampled_values_equal_hypergeometric_expectations(metric, drawn):
    numbers = sampled_negatives.compute({"metric": metric, "negatives": drawn})
    for name, ranks in RANKS.items():
        plain = mean(by_hypergeometric(rank, drawn, WORTH[metric]) for rank in ranks)
        assert numbers[name] == pytest.approx(plain, abs=1e-9)


def test_each_recommender_wins_for_some_sample_size():
    ahead = []
    for drawn in NEGATIVES[2:]:
        numbers = sampled_negatives.compute({"metric": "hit_rate", "negatives": drawn})
        ahead.append(max(numbers, key=numbers.get))
    assert "".join(dict.fromkeys(ahead)) == "ABC"
    assert ahead == sorted(ahead)
    at = dict(zip(NEGATIVES[2:], ahead, strict=True))
    assert (at[1000], at[2000], at[3000], at[9999]) == ("A", "B", "C", "C")


def test_auc_does_not_depend_on_the_sample_size():
    states = [s for s in sampled_negatives.states() if s["metric"] == "auc"]
    values = [list(sampled_negatives.compute(state).values()) for state in states]
    assert np.ptp(values, axis=0) == pytest.approx(0, abs=1e-12)


def test_differences_have_the_chosen_mean_and_standard_deviation():
    for state in ship_or_not.states():
        runs = gains(state).tolist()
        assert len(runs) == state["runs"]
        assert mean(runs) == pytest.approx(state["gain"], abs=1e-15)
        assert stdev(runs) == pytest.approx(state["spread"], abs=1e-15)


def test_intervals_of_the_difference_follow_the_formula():
    for state in ship_or_not.states():
        numbers = ship_or_not.compute(state)
        n, error = state["runs"], state["spread"] / math.sqrt(state["runs"])
        critical = 1.96 if state["critical"] == "z" else stats.t.ppf(0.975, n - 1)
        assert numbers["low"] == pytest.approx(state["gain"] - critical * error)
        assert numbers["high"] == pytest.approx(state["gain"] + critical * error)
        p = 2 * stats.t.sf(abs(state["gain"]) / error, n - 1)
        assert numbers["p_value"] == pytest.approx(p, abs=1e-9)


def test_statements_of_the_chapter_on_intervals_hold():
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
    assert "The CI includes 0" in ship_or_not.draw(state, ship_or_not.compute(state)).alt


def test_a_lower_level_does_not_add_evidence():
    state = ship_or_not.start
    t, z = (ship_or_not.compute({**state, "critical": kind}) for kind in ("t", "z"))
    assert z["high"] - z["low"] < t["high"] - t["low"]
    assert z["p_value"] == t["p_value"]


def test_exact_intervals_equal_scipy():
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


def test_bootstrap_intervals_of_few_hits_are_degenerate():
    at = {n: resampled_users.compute({"hits": n, "users": 20}) for n in range(21)}
    assert [n for n in at if at[n]["low"] == at[n]["high"]] == [0, 20]
    assert [n for n in at if at[n]["low"] == 0] == [0, 1, 2, 3]
    wide = [at[6]["high"] - at[6]["low"]]
    four = resampled_users.compute({"hits": 6, "users": 80})
    assert four["high"] - four["low"] == pytest.approx(wide[0] / 2, abs=0.02)


# Settings that were tried ------------------------------------------------------------------------


def states_of_tuning(**fixed):
    return [s for s in tuning.states() if all(s[name] == fixed[name] for name in fixed)]


def test_the_optimism_of_equal_settings_is_the_expected_maximum():
    for state in states_of_tuning(chosen_on="test", settings="alike"):
        numbers, n = tuning.compute(state), state["users"]
        below = stats.binom(n, 0.3).cdf(np.arange(n)) ** state["tried"]
        assert numbers["promised"] == pytest.approx((1 - below).sum() / n, abs=1e-9)
        assert numbers["kept"] == pytest.approx(0.3)
        assert numbers["too_much"] == pytest.approx(numbers["promised"] - numbers["kept"])


@pytest.mark.parametrize("settings", ["alike", "differ"])
@pytest.mark.parametrize(("tried", "users"), [(1, 50), (5, 200), (20, 100), (100, 1_000)])
def test_validation_scores_match_simulated_selection(settings, tried, users):
    rng, n = np.random.default_rng(7), 4_000
    true = rates(settings)[:tried]
    hits, later = rng.binomial(users, true, (2, n, tried))
    winner = hits.argmax(axis=1)
    error = 4 * math.sqrt(0.25 / users / n)
    for chosen_on, reported in (("test", hits), ("validation", later)):
        state = {"tried": tried, "users": users, "chosen_on": chosen_on, "settings": settings}
        numbers = tuning.compute(state)
        told = reported[np.arange(n), winner] / users
        assert numbers["promised"] == pytest.approx(told.mean(), abs=error)
        assert numbers["kept"] == pytest.approx(true[winner].mean(), abs=0.0015)
        ends = [stats.binomtest(int(k), users) for k in range(users + 1)]
        low, high = np.array([test.proportion_ci(method="exact") for test in ends]).T
        k = np.rint(told * users).astype(int)
        held = ((low[k] <= true[winner]) & (true[winner] <= high[k])).mean()
        assert numbers["holds"] == pytest.approx(held, abs=0.032)


def test_statements_of_the_chapter_on_tuning_hold():
    def of(**changed):
        return tuning.compute({**tuning.start, **changed})

    assert of()["too_much"] > 0.08
    assert 0.64 < of()["holds"] < 0.67
    assert of(users=5_000)["too_much"] < 0.02
    assert of(users=5_000)["holds"] < 2 / 3
    assert of(tried=100, users=50)["too_much"] > 0.15
    assert of(chosen_on="validation")["too_much"] == 0
    assert 0.95 < of(chosen_on="validation")["holds"] < 0.97
    assert of(settings="differ", chosen_on="validation")["kept"] > 0.31
    for state in states_of_tuning(chosen_on="test", users=200):
        more = {**state, "tried": min(100, 5 * state["tried"])}
        assert tuning.compute(more)["too_much"] >= tuning.compute(state)["too_much"] - 1e-12


# What stands below the line ----------------------------------------------------------------------


def clicks_nothing(shown, patience):
    """Return how likely a visit is without a click, film by film from the end of the page."""
    rest = 1.0
    for _ in range(shown):
        rest = 0.9 * ((1 - patience) + patience * rest)
    # The first film is always looked at, and after the last there is none.
    return rest


def test_click_rates_are_consistent():
    for state in denominator.states():
        numbers, shown = denominator.compute(state), state["shown"]
        looked = sum(state["patience"] ** place for place in range(shown))
        assert numbers["visit"] == pytest.approx(0.1 * looked)
        assert numbers["impression"] == pytest.approx(numbers["visit"] / shown)
        assert numbers["user"] == pytest.approx(numbers["visit"] * state["visits"])
        nothing = clicks_nothing(shown, state["patience"])
        assert numbers["clickers"] == pytest.approx(1 - nothing ** state["visits"])


def test_a_longer_page_adds_impressions_and_clicks():
    for patience in denominator.controls[2].values:
        days = [
            denominator.compute({"shown": n, "visits": 4, "patience": patience})
            for n in range(1, 21)
        ]
        assert np.all(np.diff([day["impression"] for day in days]) < 0)
        assert np.all(np.diff([day["user"] for day in days]) > 0)
    old = {"shown": 10, "visits": 4, "patience": 0.85}
    assert [against_old(old, name) for name in ("impression", "visit", "user")] == [1, 1, 1]
    rare = {"shown": 20, "visits": 3, "patience": 0.85}
    assert against_old(rare, "visit") > 1 > against_old(rare, "user")


def test_pictures_stay_small():
    for explorable in (sampled_negatives, ship_or_not, resampled_users, tuning):
        for state in explorable.states():
            assert len(explorable.draw(state, explorable.compute(state)).svg) < 12_000


# The charts they share their scale with ----------------------------------------------------------

LOG = Interactions(
    [0, 0, 0, 1, 1, 1, 2, 2, 2],
    [0, 1, 2, 0, 1, 3, 0, 2, 3],
    timestamp=[1, 2, 4, 3, 6, 9, 5, 8, 10],
)
ALT = "Events of three users on a line."


@pytest.mark.parametrize(
    "split",
    [random_split(LOG, seed=2), leave_last_n_out(LOG), temporal_split(LOG)],
    ids=["random", "last", "moment"],
)
def test_a_timeline_marks_every_leak(split):
    svg = split_timelines({"": split}, ["Ann", "Bob", "Cem"], alt=ALT).svg
    in_the_key = 1
    assert svg.count("<polygon") - in_the_key == leakage(*split).later
    assert svg.count('stroke-dasharray="4 3"') - in_the_key == len(split.test)


def test_a_timeline_needs_timestamps():
    bare = random_split(Interactions([0, 0, 1], [0, 1, 0]), test_share=0.5)
    with pytest.raises(ValueError, match="needs timestamps, and these interactions have none"):
        split_timelines({"": bare}, ["Ann", "Bob"], alt=ALT)


def test_effects_are_drawn_on_their_side_of_zero():
    found = {
        "up": Interval(0.02, 0.01, 0.03, level=0.95, n=9),
        "down": Interval(-0.02, -0.03, -0.01, level=0.95, n=9),
    }
    svg = effect_intervals(found, title="", label="gain", alt=ALT).svg
    up, down = (float(x.split('"')[0]) for x in svg.split('<circle cx="')[1:])
    zero = float(svg.split('stroke-dasharray="4 3"')[0].rsplit('x1="', 1)[1].split('"')[0])
    assert down < zero < up
    assert up - zero == pytest.approx(zero - down, abs=0.2)


def test_labels_of_boundaries_do_not_overlap():
    band = np.array([-1.0, -0.5]), np.array([1.0, 0.5])
    svg = interim_analyses(
        [10, 20], [0.1, 0.2], {"one": band, "other": band}, title="", alt=ALT
    ).svg
    assert svg.count("<polyline") == 5
    names = [re.search(rf' y="([\d.]+)"[^>]*>{name}<', svg)[1] for name in ("one", "other")]
    assert abs(float(names[0]) - float(names[1])) == 20


@cache
def walks(n_looks, drift=0.0, n=20_000, seed=1):
    """Return the statistic at each of the looks, for many tests at once."""
    steps = np.random.default_rng(seed).normal(drift / n_looks, n_looks**-0.5, (n, n_looks))
    return steps.cumsum(axis=1) / np.sqrt(np.arange(1, n_looks + 1) / n_looks)


@pytest.mark.parametrize("rule", ["peeking", "pocock", "obrien-fleming", "always-valid"])
def test_error_rate_and_power_match_simulated_tests(rule):
    for n_looks in looks_at_a_test.controls[0].values:
        numbers = looks_at_a_test.compute({"looks": n_looks, "rule": rule})
        bounds = np.asarray(design(n_looks, rule).bounds)
        for name, drift in (("alarms", 0.0), ("finds", PLANNED)):
            stopped = (np.abs(walks(n_looks, drift)) > bounds).any(axis=1).mean()
            # Three standard errors of a share of 20,000 near one half.
            assert numbers[name] == pytest.approx(stopped, abs=0.0106), (n_looks, name)


def test_the_error_rate_of_peeking_equals_a_normal_integral():
    for n_looks in (1, 2, 3):
        fractions = np.arange(1, n_looks + 1) / n_looks
        covariance = np.sqrt(
            np.minimum.outer(fractions, fractions) / np.maximum.outer(fractions, fractions)
        )
        inside = stats.multivariate_normal(np.zeros(n_looks), covariance).cdf(
            np.full(n_looks, 1.959964), lower_limit=np.full(n_looks, -1.959964)
        )
        numbers = looks_at_a_test.compute({"looks": n_looks, "rule": "peeking"})
        assert numbers["alarms"] == pytest.approx(1 - inside, abs=1e-4)


def test_always_valid_bounds_follow_the_formula():
    bounds = design(5, "always-valid").bounds
    for look, bound in enumerate(bounds, 1):
        variance, tau = 5 / look, PLANNED**2
        half = math.sqrt(
            2 * variance * (variance + tau) / tau * math.log(math.sqrt(1 + tau / variance) / 0.05)
        )
        assert bound == pytest.approx(half / math.sqrt(variance), abs=1e-9)


def test_statements_of_the_chapter_on_peeking_hold():
    def of(looks, rule):
        return looks_at_a_test.compute({"looks": looks, "rule": rule})

    assert 0.18 < of(10, "peeking")["alarms"] < 0.2 < of(20, "peeking")["alarms"]
    assert 0.3 < of(50, "peeking")["alarms"] < 1 / 3
    assert of(1, "peeking")["finds"] == pytest.approx(0.8, abs=1e-4)
    for n_looks in (2, 3, 5, 10, 20, 50):
        late, evenly, always = (
            of(n_looks, rule) for rule in ("obrien-fleming", "pocock", "always-valid")
        )
        assert late["alarms"] == pytest.approx(0.05)
        assert evenly["alarms"] == pytest.approx(0.05)
        assert always["alarms"] < 0.05
        assert 0.77 < late["finds"] < 0.8
        assert late["finds"] > evenly["finds"] > always["finds"]


def test_held_out_events_are_counted_in_every_state():
    every = {(name, day) for name, days in EVENTS.items() for day in days}
    last = {(name, max(days)) for name, days in EVENTS.items()}
    # Pauses of more than a day divide a user's days into sessions.
    last_sessions = {("Alice", 5), ("Alice", 6), ("Bob", 9), ("Bob", 10), ("Cem", 11), ("Cem", 12)}
    for state in held_out.states():
        end = state["end"]
        test = {"event": last, "session": last_sessions}.get(
            state["split"], {event for event in every if event[1] > end}
        )
        train = {event for event in every - test if event[1] <= end}
        first = min((day for _, day in test), default=math.inf)
        numbers = held_out.compute(state)
        assert numbers["train"] == len(train)
        assert numbers["test"] == len(test)
        assert numbers["users"] == len({name for name, _ in test})
        assert numbers["leaks"] == sum(day > first for _, day in train)
        assert numbers["leaks"] == 0 or state["split"] != "time"
