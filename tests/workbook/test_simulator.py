"""The shop whose truth is known: its moments, and what each method claims, held against it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from recsys_metrics.bias import off_policy
from recsys_metrics.protocol import online
from recsys_metrics.workbook.simulator import (
    EVEN,
    Audience,
    Change,
    Effect,
    Feed,
    Policy,
    Requests,
    Shop,
    SimulatedJudge,
    Writer,
    add_bots,
    duplicate_users,
    lose_users,
    start_late,
)

RUNS = 2_000


def near(found, chance, runs=RUNS):
    """Whether a share is what a chance gives, but for the luck of so many runs."""
    return abs(found - chance) < 4 * math.sqrt(chance * (1 - chance) / runs)


# Moments --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shop():
    return Shop(n_users=40_000)


def test_users_have_the_requested_number_and_variation(shop):
    activity = shop.activity / shop.visits
    assert activity.mean() == pytest.approx(1, abs=0.03)
    assert activity.var() == pytest.approx(shop.unevenness, rel=0.1)
    rates = shop.rates / shop.click_rate
    assert (rates.mean(), rates.var()) == (pytest.approx(1, abs=0.02), pytest.approx(0.5, rel=0.1))
    assert np.unique(shop.kinds, return_counts=True)[1].tolist() == pytest.approx(
        [40_000 / 3] * 3, abs=1
    )


@pytest.mark.parametrize("what", ["sessions", "impressions", "clicks", "orders", "revenue"])
@pytest.mark.parametrize("treated", [0.0, 1.0])
def test_simulated_behaviour_matches_its_expectation(shop, what, treated):
    effect = Effect(lift=0.3, novelty=0.5, harmed=0.2, interference=0.1)
    traffic = shop.experiment(effect, share=treated, seed=3)
    found = traffic.per_user(what)
    truth = shop.expected_totals(what, effect, days=14, treated=treated)
    spread = found.std() / math.sqrt(len(found))
    assert abs(found.mean() - truth.mean()) < 4 * spread


def test_traffic_has_weekends_and_a_pre_experiment_period(shop):
    traffic = shop.experiment(Effect(lift=1.0), seed=4)
    by_day = traffic.sessions.mean(axis=0)
    # Fourteen days before, fourteen of the experiment: days 5 and 6 of each week.
    ends = np.arange(28) % 7 >= 5
    assert by_day[ends].mean() / by_day[~ends].mean() == pytest.approx(shop.weekend, rel=0.03)
    old, new = traffic.groups(traffic.per_user("clicks", first=-14, last=0))
    assert new.mean() / old.mean() == pytest.approx(1, abs=0.06)
    old, new = traffic.groups(traffic.per_user("clicks"))
    assert new.mean() / old.mean() == pytest.approx(2, abs=0.12)


def test_a_seed_reproduces_the_log():
    few = Shop(n_users=50)
    one, same, other = (few.experiment(seed=seed).clicks for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_each_fault_is_visible_in_the_log():
    traffic = Shop(n_users=6_000).experiment(seed=5)
    lost = lose_users(traffic, 0.3)
    assert online.sample_ratio([(~lost.treated).sum(), lost.treated.sum()]).mismatch
    assert set(traffic.user) - set(lost.user)
    gone = np.isin(traffic.user, lost.user, invert=True)
    assert traffic.treated[gone].all()
    assert set(traffic.kinds[gone]) == {"light"}
    twice = duplicate_users(traffic, 0.05)
    assert len(twice.user) - len(set(twice.user)) == pytest.approx(300, abs=70)
    bots = add_bots(traffic, 5, treated=True)
    assert bots.per_user("clicks")[-5:].min() > 50 * traffic.per_user("clicks").mean()
    assert len(set(bots.user)) == 6_005
    late = start_late(traffic, 2)
    before, first_two = (traffic.per_user("clicks", **days) for days in PAST_AND_TWO_DAYS)
    assert (late.per_user("clicks", first=-16, last=0) == before + first_two).all()
    assert (late.per_user("clicks") == traffic.per_user("clicks", first=2)).all()


PAST_AND_TWO_DAYS = ({"first": -14, "last": 0}, {"last": 2})


# What each method claims, in 2,000 A/A tests of 200 people --------------------------------------


@pytest.fixture(scope="module")
def a_a():
    """Return, for each run: who is treated, and the clicks and impressions of people by day."""
    small, rng = Shop(n_users=200), np.random.default_rng(6)
    return [small.experiment(days=14, seed=rng) for _ in range(RUNS)]


def share_below(p_values, alpha=0.05):
    return float((np.asarray(p_values) < alpha).mean())


def test_tests_by_user_keep_the_level_and_tests_by_impression_do_not(a_a):
    right, wrong = [], []
    for run in a_a:
        clicks, shown = run.per_user("clicks"), run.per_user("impressions")
        per = run.groups(shown)
        test = online.ab_test(*run.groups(clicks), control_per=per[0], treatment_per=per[1])
        right.append(test.gain.p_value)
        # As if each item shown were drawn by itself: z of two shares.
        hits, of = [g.sum() for g in run.groups(clicks)], [g.sum() for g in per]
        pooled = sum(hits) / sum(of)
        error = math.sqrt(pooled * (1 - pooled) * sum(1 / n for n in of))
        z = (hits[1] / of[1] - hits[0] / of[0]) / error
        wrong.append(math.erfc(abs(z) / math.sqrt(2)))
    assert near(share_below(right), 0.05)
    assert share_below(wrong) > 0.15


# At 0.001, one of so many sound experiments looks as if its groups differed before.
@pytest.mark.filterwarnings("ignore:control_before")
def test_cuped_and_strata_keep_the_level_and_increase_power(a_a):
    plain, adjusted, stratified, widths = [], [], [], []
    for run in a_a:
        old, new = run.groups(run.per_user("clicks"))
        before = run.groups(run.per_user("clicks", first=-14, last=0))
        found = online.cuped(old, new, control_before=before[0], treatment_before=before[1])
        kinds = run.groups(run.kinds)
        tests = [
            online.ab_test(old, new),
            online.ab_test(found.control, found.treatment),
            online.stratified_test(old, new, control_strata=kinds[0], treatment_strata=kinds[1]),
        ]
        for test, to in zip(tests, (plain, adjusted, stratified), strict=True):
            to.append(test.gain.p_value)
        widths.append([test.gain.interval.half_width for test in tests])
    for p_values in (plain, adjusted, stratified):
        assert near(share_below(p_values), 0.05)
    whole, of_cuped, of_strata = np.mean(widths, axis=0)
    assert of_cuped < 0.7 * whole
    assert of_strata < 0.95 * whole


def test_peeking_inflates_false_alarms_and_sequential_tests_do_not(a_a):
    design = online.group_sequential(7)
    peeked, planned = [], []
    for run in a_a:
        z = []
        for day in range(2, 15, 2):
            old, new = run.groups(run.per_user("clicks", last=day))
            error = math.sqrt(old.var(ddof=1) / len(old) + new.var(ddof=1) / len(new))
            z.append(abs(new.mean() - old.mean()) / error)
        peeked.append(max(z) > 1.96)
        planned.append((np.array(z) > design.bounds).any())
    assert np.mean(peeked) > 0.1
    # One measure of the same people, day after day: sums whose gains are not independent, which
    # only makes false alarms rarer.
    assert np.mean(planned) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / RUNS)


def test_non_inferiority_test_keeps_its_level_at_the_margin():
    small, rng = Shop(n_users=400, unevenness=0.5), np.random.default_rng(7)
    loss = Effect(lift=-0.2)
    margin = -small.true_gain("clicks", loss, days=7)
    said = sum(
        online.non_inferiority_test(
            *run.groups(run.per_user("clicks")), margin=margin, alpha=0.05
        ).holds
        for run in (small.experiment(loss, days=7, before=1, seed=rng) for _ in range(500))
    )
    # Who is treated is drawn, so that the gain of a run is not quite that of all people.
    assert said / 500 < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 500)


def test_novelty_interference_and_bots_bias_the_difference():
    big = Shop(n_users=30_000, unevenness=0.5, taste=0.1)

    def gain(effect, spoil=lambda run: run, **days):
        run = spoil(big.experiment(effect, seed=8))
        old, new = run.groups(run.per_user("clicks", **days))
        return online.ab_test(old, new).gain

    fades = Effect(lift=0.0, novelty=0.5)
    early, late = gain(fades, last=3), gain(fades, first=11)
    assert 0 not in early.interval
    assert 0 in late.interval
    shared = Effect(lift=0.1, interference=0.2)
    truth = big.true_gain("clicks", shared, days=14)
    # The control group lost what the treated took: the gain looks larger than it is for all.
    assert gain(shared).gain > truth + 2 * gain(shared).interval.half_width
    with_bots = gain(Effect(), lambda run: add_bots(run, 20, treated=True))
    assert with_bots.interval.low > -with_bots.interval.half_width
    assert with_bots.gain > 20 * abs(gain(Effect()).gain)


@pytest.mark.filterwarnings("ignore:control_before")
def test_a_covariate_affected_by_treatment_biases_cuped():
    shop, rng = Shop(n_users=2_000), np.random.default_rng(1)
    effect = Effect(lift=0.2)
    gains = {"clean": [], "leaked": []}
    for _ in range(200):
        run = shop.experiment(effect, seed=rng)
        for name, log, days in (("clean", run, 14), ("leaked", start_late(run, 7), 7)):
            old, new = log.groups(log.per_user("clicks"))
            past = log.groups(log.per_user("clicks", first=-log.starts, last=0))
            left = online.cuped(old, new, control_before=past[0], treatment_before=past[1])
            truth = shop.expected_totals(
                "clicks", effect, days=7, treated=1.0
            ) - shop.expected_totals("clicks", effect, days=7, treated=0.0)
            gain = np.mean(left.treatment) - np.mean(left.control)
            gains[name].append(gain / (truth.mean() * days / 7))
    mean, error = ({k: f(v) for k, v in gains.items()} for f in (np.mean, np.std))
    within = {name: 4 * error[name] / math.sqrt(200) for name in gains}
    assert abs(mean["clean"] - 1) < within["clean"]
    assert mean["leaked"] + within["leaked"] < 1


def test_triggered_analysis_has_more_power():
    shop, rng = Shop(n_users=4_000), np.random.default_rng(2)
    effect = Effect(lift=0.3, reach=0.1)
    reached = shop.select_reached(effect.reach)
    assert reached.sum() == 400
    new, old = (shop.expected_totals("clicks", effect, days=7, treated=all_) for all_ in (1.0, 0.0))
    assert ((new > old) == reached).all()
    truth = shop.true_gain("clicks", effect, days=7)
    widths, holds = {"all": [], "reached": []}, {"all": 0, "reached": 0}
    for _ in range(200):
        run = shop.experiment(effect, days=7, before=0, seed=rng)
        clicks = run.per_user("clicks")
        for name, who, share in (("all", slice(None), 1.0), ("reached", reached, effect.reach)):
            part, treated = clicks[who], run.treated[who]
            found = online.ab_test(part[~treated], part[treated]).gain.interval
            low, high = share * found.low, share * found.high
            widths[name].append(high - low)
            holds[name] += low <= truth <= high
    assert all(near(count / 200, 0.95, 200) for count in holds.values())
    assert np.max(np.array(widths["reached"]) / widths["all"]) < 0.6


def test_lost_users_cause_a_false_difference_and_a_sample_ratio_mismatch():
    big = Shop(n_users=30_000)
    broken = lose_users(big.experiment(seed=9), 0.5)
    test = online.ab_test(*broken.groups(broken.per_user("clicks")))
    assert test.ratio.mismatch
    assert test.gain.interval.low > 0
    assert str(test).startswith("no conclusion: sample ratio mismatch")


# Slates ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def feed():
    return Feed()


def test_logged_propensities_match_shown_items(feed):
    policy = Policy(sharpness=1.5, taste=0.5)
    log = feed.log(policy, 40_000, seed=1)
    assert np.allclose(feed.propensities(policy, log), log.propensities)
    assert np.allclose(feed.propensities(EVEN, log), 1 / (10 - np.arange(3)))
    assert (log.propensities > 0).all()
    # Which item is best by score, and how often it comes first.
    rng = np.random.default_rng(2)
    user, pool = np.zeros(40_000, int), np.tile(rng.permutation(300)[:10], (40_000, 1))
    one = feed.log(policy, 1).__class__(
        user[:1], pool[:1], pool[:1, :3], np.ones((1, 3)), np.zeros((1, 3))
    )
    chance = feed.propensities(policy, one)
    assert 0 < chance.prod() < 1


def test_slate_probabilities_sum_to_1():
    tiny = Feed(n_users=3, n_items=5, pool=4, examination=(1.0, 0.5))
    from itertools import permutations

    pool = np.array([0, 2, 3, 4])
    slates = np.array([*permutations(pool, 2)])
    n = len(slates)
    log = tiny.log(EVEN, n)
    every = type(log)(np.ones(n, int), np.tile(pool, (n, 1)), slates, log.propensities, log.clicks)
    whole = tiny.propensities(Policy(2.0, 0.7), every).prod(axis=1)
    assert whole.sum() == pytest.approx(1)


@pytest.mark.parametrize("cascade", [0.0, 0.6])
def test_clicks_match_their_expectation(cascade):
    feed = Feed(cascade=cascade)
    log = feed.log(Policy(1.0, 0.5), 60_000, seed=3)
    expected = feed.expected_clicks(log.user, log.items)
    off = (log.clicks - expected).mean(axis=0)
    assert (np.abs(off) < 4 * log.clicks.std(axis=0) / math.sqrt(60_000)).all()


def test_spread_of_tastes_and_level_change_only_what_they_name(feed):
    alike, users = Feed(taste_spread=0.0), np.arange(2_000)
    items = np.tile(np.arange(300), (2_000, 1))
    assert (alike.base == feed.base).all()
    assert (alike.item_vectors == feed.item_vectors).all()
    assert np.ptp(alike.appeal(users, items), axis=0).max() == 0
    half = Feed(taste_spread=0.5)
    assert np.allclose(half.user_vectors, feed.user_vectors / 2)
    higher = Feed(mean_log_odds=-1.5)
    assert np.allclose(higher.base, feed.base + 1)
    assert (higher.user_vectors == feed.user_vectors).all()
    # Where all people have the same taste, a policy that knows their tastes gains nothing.
    assert alike.policy_value(Policy(2.0, 1.0)) == alike.policy_value(Policy(2.0, 0.0))
    assert feed.policy_value(Policy(2.0, 1.0)) > feed.policy_value(Policy(2.0, 0.0)) + 0.05


def test_off_policy_estimates_match_the_true_policy_value(feed):
    old, new = Policy(1.0, 0.3), Policy(1.6, 0.8)
    truth = feed.policy_value(new)
    assert abs(feed.policy_value(old) - truth) > 0.05
    log = feed.log(old, 60_000, seed=4)
    top = log.propensities.cumprod(axis=1), feed.propensities(new, log).cumprod(axis=1)
    whole = top[0][:, -1], top[1][:, -1]
    for found in (
        off_policy.slate_ips(log.clicks, *whole),
        off_policy.slate_ips(log.clicks, *top),
        off_policy.ips(log.clicks.sum(axis=1), *whole),
        off_policy.snips(log.clicks.sum(axis=1), *whole),
    ):
        assert abs(found.value - truth) < 4 * found.standard_error


def off_by_one(log):
    """Return the log with each slot's probability written one slot too low."""
    return replace(log, propensities=np.roll(log.propensities, 1, axis=1))


def without_some(log, share, seed=0):
    """Return the log without a share of the slates that nobody clicked."""
    lost = np.random.default_rng([seed, 6]).random(len(log.user)) < share
    kept = ~(lost & ~log.clicks.any(axis=1))
    names = ("user", "pool", "items", "propensities", "clicks")
    return replace(log, **{name: getattr(log, name)[kept] for name in names})


@pytest.mark.parametrize("fault", ["floor", "missing"])
def test_corrupted_logs_bias_estimates_and_change_the_mean_weight(feed, fault):
    old, new = Policy(2.5, 0.3), Policy(1.0, 1.0)
    log = feed.log(old, 60_000, seed=5)
    spoiled = {
        "floor": lambda: log.with_floor(0.1),
        "missing": lambda: without_some(log, 0.3),
    }[fault]()
    target = feed.propensities(new, spoiled).prod(axis=1)
    logged = spoiled.propensities.prod(axis=1)
    found = off_policy.ips(spoiled.clicks.sum(axis=1), logged, target)
    assert abs(found.value - feed.policy_value(new)) > 4 * found.standard_error
    low, high = off_policy.weight_diagnostics(logged, target).mean_interval
    # What is missing was not clicked, and its weights were like all others: no weight tells.
    assert (low <= 1 <= high) == (fault == "missing")


def test_propensities_shifted_by_one_slot_bias_slate_estimates(feed):
    old, new = Policy(2.5, 0.3), Policy(1.0, 1.0)
    log = feed.log(old, 60_000, seed=5)
    spoiled, target = off_by_one(log), feed.propensities(new, log)
    found = off_policy.slate_ips(log.clicks, spoiled.propensities.cumprod(1), target.cumprod(1))
    assert abs(found.value - feed.policy_value(new)) > 4 * found.standard_error
    low, high = off_policy.weight_diagnostics(
        spoiled.propensities[:, 0], target[:, 0]
    ).mean_interval
    assert not low <= 1 <= high


# A judge, and a model that writes ---------------------------------------------------------------


def test_a_simulated_judge_makes_the_errors_that_were_asked_for():
    truth = np.random.default_rng(0).random((400, 50)) < 0.3
    judge = SimulatedJudge(hits=0.8, false_alarms=0.25)
    said = judge.label(truth, seed=1)
    assert said[truth].mean() == pytest.approx(0.8, abs=0.02)
    assert said[~truth].mean() == pytest.approx(0.25, abs=0.02)
    own_kind = SimulatedJudge(self_preference=0.5).label(truth, own_kind=True, seed=1)
    assert own_kind.mean() > SimulatedJudge(self_preference=0.5).label(truth, seed=1).mean()
    varying = SimulatedJudge(list_effect=2.0).label(truth, seed=1).mean(axis=1)
    assert varying.std() > 2 * said.mean(axis=1).std()


def test_places_and_lengths_bias_a_pairwise_judge():
    equal = np.full(4_000, 0.5)
    first = SimulatedJudge(position=1.0)
    share = 1 / (1 + math.exp(-1.0))
    assert (first.prefer(equal, equal, seed=0) == -1).mean() == pytest.approx(share, abs=0.03)
    swapped = first.prefer(equal, equal, swapped=True, seed=0)
    assert (swapped == 1).mean() == pytest.approx(share, abs=0.03)
    longer = SimulatedJudge(verbosity=1.0).prefer(equal, equal, length_b=1, seed=0)
    assert (longer == 1).mean() == pytest.approx(share, abs=0.03)


def test_a_writer_makes_the_faults_that_were_asked_for():
    requests = Requests.draw(2_000, seed=0)
    catalog = set(requests.catalog)
    clean = Writer().write(requests, seed=1)
    assert all(len(set(row)) == 10 and catalog.issuperset(row) for row in clean)
    found = Writer(invented=0.2, unreadable=0.1).write(requests, seed=1)
    read = [row for row in found if row is not None]
    assert 1 - len(read) / 2_000 == pytest.approx(0.1, abs=0.03)
    unknown = np.mean([title not in catalog for row in read for title in row])
    assert unknown == pytest.approx(0.2, abs=0.02)
    assert Writer(temperature=0.5).write(requests, seed=1) != clean
    assert Writer(position=2.0).write(requests, seed=1) != clean
    known = np.ones_like(requests.relevant)
    remembered = Writer(memory=5.0).write(requests, known=known, seed=1)
    hits = [
        sum(title in wanted for title in row)
        for row, wanted in zip(remembered, requests.truth, strict=True)
    ]
    assert hits == [min(10, len(wanted)) for wanted in requests.truth]


# An outcome that only time shows ---------------------------------------------------------------

AUDIENCE = Audience(n_users=4_000)
CHANGES = {
    "nothing": Change(),
    "better lists": Change(clicks=0.1, finishes=0.3),
    "clickbait": Change(clicks=0.4, finishes=-0.6),
}


def test_users_come_back_as_the_audience_says():
    log = Audience(n_users=200_000).experiment(Change(clicks=0.4, finishes=-0.6, leaving=0.05))
    expected = 0.45 + 0.05 * log.finished - 0.03 * (log.clicks - log.finished) - 0.05 * log.treated
    for group in (log.treated, ~log.treated):
        left = (log.returned - expected)[group]
        assert abs(left.mean()) < 4 * left.std() / math.sqrt(len(left))
    assert (log.finished <= log.clicks).all()
    assert log.surrogates.tolist()[:2] == [
        [int(log.clicks[n]), int(log.finished[n])] for n in range(2)
    ]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_interval_of_a_surrogate_index_contains_the_true_gain(change):
    runs, truth, covered = 400, AUDIENCE.true_gain(change), 0
    rng = np.random.default_rng(11)
    for _ in range(runs):
        past, log = (AUDIENCE.experiment(one, seed=rng) for one in (Change(), change))
        groups = log.groups(log.surrogates)
        covered += truth in online.surrogate_index(past.surrogates, past.returned, *groups).interval
    assert near(covered / runs, 0.95, runs)


def test_a_surrogate_index_misses_what_goes_past_the_surrogates():
    change = Change(clicks=0.3, leaving=0.05)
    past, log = Audience().experiment(seed=0), Audience().experiment(change, seed=1)
    groups = log.groups(log.surrogates)
    found = online.surrogate_index(past.surrogates, past.returned, *groups).interval
    assert found.low > 0 > Audience().true_gain(change)
    assert found.estimate == pytest.approx(Audience().true_gain(Change(clicks=0.3)), abs=0.01)
