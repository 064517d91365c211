"""Off-policy estimators: by hand, by enumeration, and on the Open Bandit sample."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.bias.off_policy import (
    direct_method,
    doubly_robust,
    effective_sample_size,
    estimates,
    importance_weights,
    ips,
    snips,
    unbiased_dcg,
    unbiased_recall,
    weight_diagnostics,
)
from recsys_metrics.bias.propensity import empirical_propensities
from recsys_metrics.datasets import load_open_bandit
from tests.examples import examples

quick = examples(60)

# Four rounds on which the Open Bandit Pipeline was run: weights 1.2, 0.8, 6, 0.8.
REWARDS, ACTIONS = [1, 0, 1, 1], [0, 1, 0, 2]
PROPENSITIES, TARGET = [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]
POLICY, MODEL = np.tile([0.6, 0.2, 0.2], (4, 1)), np.tile([0.5, 0.2, 0.3], (4, 1))
LOG = REWARDS, PROPENSITIES, TARGET
FULL = REWARDS, ACTIONS, PROPENSITIES, POLICY, MODEL


@pytest.mark.parametrize(
    ("estimate", "value"),
    [
        (ips(*LOG), 2.0),
        (ips(*LOG, weights="clipped", cap=2), 1.0),
        (snips(*LOG), 10 / 11),
        (snips(*LOG, weights="clipped", cap=2), 5 / 6),
        (snips(*LOG, weights="clipped", cap=math.inf), 10 / 11),
        (direct_method(POLICY, MODEL), 0.4),
        (doubly_robust(*FULL), 1.4),
        (doubly_robust(*FULL, weights="self-normalized"), 0.4 + 4 / 8.8),
        (doubly_robust(*FULL, weights="switch", threshold=2), 0.65),
    ],
    ids=lambda part: getattr(part, "name", ""),
)
def test_golden_values(estimate, value):
    assert estimate.value == pytest.approx(value)
    assert float(estimate) == estimate.value
    assert estimate.n == 4
    assert estimate.name in repr(estimate)


def test_estimates_returns_all_estimators_of_a_log():
    found = estimates(*FULL, cap=2, threshold=2)
    assert {name: one.value for name, one in found.items()} == pytest.approx(
        {
            "ips": 2.0,
            "clipped_ips": 1.0,
            "snips": 10 / 11,
            "clipped_snips": 5 / 6,
            "direct_method": 0.4,
            "doubly_robust": 1.4,
            "self_normalized_doubly_robust": 0.4 + 4 / 8.8,
            "switch_doubly_robust": 0.65,
        }
    )


def test_available_estimators_depend_on_the_arguments():
    assert [*estimates(*FULL[:4])] == ["ips", "snips"]
    assert [*estimates(*FULL[:4], cap=2)] == ["ips", "clipped_ips", "snips", "clipped_snips"]
    assert "switch_doubly_robust" not in estimates(*FULL)
    assert [*estimates(*FULL, estimators=["snips", "ips"])] == ["snips", "ips"]
    assert [*estimates(*FULL, estimators="snips")] == ["snips"]


def test_doubly_robust_without_a_reward_model_raises():
    with pytest.raises(
        ValueError, match=r"reward_model must be a table of numbers; got shape \(\)"
    ):
        doubly_robust(*FULL[:4], None)


@pytest.mark.parametrize(
    ("log", "options", "message"),
    [
        (FULL, {"estimators": ["dr"]}, "no estimator 'dr'; there are ips, clipped_ips"),
        (FULL, {"estimators": []}, "estimators is empty"),
        (FULL, {"estimators": ["clipped_ips"]}, "clipped_ips needs cap"),
        (FULL, {"cap": 0}, "cap is the largest weight and must be above 0"),
        (FULL, {"estimators": ["switch_doubly_robust"]}, "robust needs threshold"),
        (FULL[:4], {"estimators": ["doubly_robust"]}, "doubly_robust needs reward_model"),
        (FULL[:4], {"estimators": ["switch_doubly_robust"], "threshold": 1}, "needs reward_model"),
        ((*FULL[:3], POLICY * 2), {}, r"policy.*1\.2"),
        ((*FULL[:3], POLICY * 0.9), {}, "row 0 of the policy sums to 0.9"),
        ((*FULL[:4], MODEL * np.nan), {}, "reward_model"),
        ((*FULL[:3], POLICY[:2]), {}, "lengths differ: rewards 4, actions 4"),
        ((*FULL[:4], MODEL[:, :2]), {}, "both need one row per round and one column per action"),
    ],
)
def test_invalid_combinations_of_estimators_raise(log, options, message):
    with pytest.raises(ValueError, match=message):
        estimates(*log, **options)


def test_weights_of_the_worked_example():
    weights = importance_weights([0.8, 0.2], 1)
    assert weights.tolist() == [1.25, 5]
    assert weights[1] / weights[0] == 4
    # Shown a quarter as often, not a fifth; and no weight is below 1.
    assert weights[0] / weights[1] == 0.25
    assert (weights >= 1).all()
    # Two clicks on A stand for 2.5, one on B for 5.
    totals = [ips([1] * 2, [0.8] * 2, 1).value * 2, ips([1], [0.2], 1).value]
    assert totals == pytest.approx([2.5, 5])


def observed(propensities):
    """Return every pattern of what can be observed, with its probability."""
    for seen in itertools.product([0, 1], repeat=len(propensities)):
        chances = [p if s else 1 - p for p, s in zip(propensities, seen, strict=True)]
        yield np.array(seen), math.prod(chances)


def test_ips_divides_by_all_rounds_and_snips_by_the_weights():
    values, propensities = np.array([1.0, 0.0]), np.array([0.8, 0.2])
    by_all = sum(
        chance * ips(seen * values, propensities, 1).value
        for seen, chance in observed(propensities)
    )
    assert by_all == pytest.approx(values.mean())
    some = [(seen == 1, chance) for seen, chance in observed(propensities) if seen.any()]
    by_weights = sum(
        chance * snips(values[seen], propensities[seen], 1).value for seen, chance in some
    ) / sum(chance for _, chance in some)
    assert by_weights == pytest.approx(0.8)


@pytest.mark.parametrize(("sign", "expected"), [(1, 0.7), (-1, -0.7)])
def test_clipping_is_biased_towards_zero(sign, expected):
    values, propensities = sign * np.ones(2), np.array([0.8, 0.2])
    mean = sum(
        chance * ips(seen * values, propensities, 1, weights="clipped", cap=2).value
        for seen, chance in observed(propensities)
    )
    assert mean == pytest.approx(expected)


@pytest.mark.parametrize("model", [[0, 0, 0], [0.9, 0.1, 0.5]])
def test_ips_and_doubly_robust_are_unbiased_over_all_possible_logs(model):
    behaviour, target = np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.3, 0.6])
    reward = np.array([0.2, 0.5, 1.0])
    truth = float(target @ reward)
    rounds = 2
    expected = np.zeros(2)
    for actions in itertools.product(range(3), repeat=rounds):
        taken = list(actions)
        chance = behaviour[taken].prod()
        log = reward[taken], behaviour[taken]
        tables = np.tile(target, (rounds, 1)), np.tile(model, (rounds, 1))
        expected += chance * np.array(
            [
                ips(*log, target[taken]).value,
                doubly_robust(log[0], taken, log[1], *tables).value,
            ]
        )
    assert expected == pytest.approx([truth, truth])


logs = st.integers(0, 10**6).map(np.random.default_rng)


def draw(rng, n=60, actions=4):
    behaviour = rng.dirichlet(np.ones(actions), n)
    policy = rng.dirichlet(np.ones(actions), n)
    done = (behaviour.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=actions - 1)
    rows = np.arange(n)
    rewards = (rng.random(n) < 0.4).astype(float)
    return rewards, done, behaviour[rows, done], policy, rng.random((n, actions))


@quick
@given(logs)
def test_estimators_coincide_where_they_should(rng):
    rewards, actions, propensities, policy, model = full = draw(rng)
    target = policy[np.arange(len(actions)), actions]
    log = rewards, propensities, target
    weights = importance_weights(propensities, target)
    near = lambda value: pytest.approx(value, rel=1e-10, abs=1e-12)  # noqa: E731
    # A cap that nothing reaches, a model of 0, a threshold at either end.
    assert ips(*log, weights="clipped", cap=1e9).value == ips(*log).value
    assert doubly_robust(*full[:4], 0 * model).value == near(ips(*log).value)
    assert doubly_robust(*full[:4], 0 * model, weights="self-normalized").value == near(
        snips(*log).value
    )
    assert (
        doubly_robust(*full, weights="switch", threshold=np.inf).value == doubly_robust(*full).value
    )
    tiny = weights[weights > 0].min() / 2
    assert doubly_robust(*full, weights="switch", threshold=tiny).value == near(
        direct_method(policy, model).value
    )
    # Clipping never raises the value of rewards that are not negative.
    caps = [ips(*log, weights="clipped", cap=cap).value for cap in (0.5, 1, 2, 5)]
    assert caps == sorted(caps)
    assert caps[-1] <= ips(*log).value
    # SNIPS is a weighted mean: it moves with the rewards, and does not mind the scale of p.
    assert snips(rewards + 3, propensities, target).value == near(snips(*log).value + 3)
    assert snips(rewards, propensities / 7, target).value == near(snips(*log).value)
    assert rewards.min() <= snips(*log).value <= rewards.max()
    # The log's own policy: the plain mean.
    assert ips(rewards, propensities, propensities).value == near(rewards.mean())
    assert 1 - 1e-12 <= effective_sample_size(weights) <= len(weights) + 1e-9


@quick
@given(logs)
def test_the_order_of_the_rounds_does_not_matter(rng):
    rewards, actions, propensities, policy, model = draw(rng)
    turned = rng.permutation(len(rewards))
    target = policy[np.arange(len(actions)), actions]
    for one, two in (
        (ips, (rewards, propensities, target)),
        (snips, (rewards, propensities, target)),
        (
            partial(doubly_robust, weights="self-normalized"),
            (rewards, actions, propensities, policy, model),
        ),
    ):
        here, there = one(*two), one(*(column[turned] for column in two))
        assert there.value == pytest.approx(here.value, rel=1e-12)
        assert there.interval(n_resamples=50) == pytest.approx(here.interval(n_resamples=50))


def test_a_seed_reproduces_the_interval():
    estimate = snips(*draw(np.random.default_rng(3))[:3:2], 0.3)
    assert estimate.interval(seed=4) == estimate.interval(seed=4)
    assert estimate.interval(seed=4) != estimate.interval(seed=5)
    wide, narrow = estimate.interval(0.99), estimate.interval(0.5)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_the_snips_interval_resamples_the_ratio():
    # All rewards are 1, so the weighted mean is 1 on every log whatever its weights. Resampling
    # terms that were already divided by the sum of weights would spread around 1.
    propensities = np.linspace(0.05, 0.9, 50)
    estimate = snips(np.ones(50), propensities, 0.3)
    assert estimate.interval() == pytest.approx((1, 1))
    assert estimate.interval(method="normal") == pytest.approx((1, 1))
    divided = ips(np.ones(50), propensities, 0.3).interval()
    assert divided[1] - divided[0] > 0.1


def test_intervals_of_a_mean_equal_the_textbook_formulas():
    rng = np.random.default_rng(0)
    rewards = rng.normal(5, 2, 400)
    estimate = ips(rewards, np.full(400, 0.5), 0.5)
    error = rewards.std(ddof=1) / 20
    assert estimate.standard_error == pytest.approx(error)
    assert estimate.interval(method="normal") == pytest.approx(
        (rewards.mean() - 1.959964 * error, rewards.mean() + 1.959964 * error)
    )
    assert estimate.interval() == pytest.approx(estimate.interval(method="normal"), abs=0.03)
    # Pooled rounds are drawn another way, and must spread the same.
    coins = ips((np.arange(400) < 100).astype(float), np.full(400, 0.5), 0.5)
    assert coins.interval() == pytest.approx(coins.interval(method="normal"), abs=0.006)


def test_standard_error_and_bootstrap_of_a_ratio_agree():
    rng = np.random.default_rng(1)
    rewards, _, propensities, policy, _ = draw(rng, n=2000)
    estimate = snips(rewards, np.maximum(propensities, 0.05), policy[:, 0])
    low, high = estimate.interval()
    assert (high - low) / (2 * 1.96) == pytest.approx(estimate.standard_error, rel=0.1)


def test_snips_interval_covers():
    target, behaviour = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])
    rate = np.array([0.3, 0.1, 0.4])
    truth, rng, inside = float(target @ rate), np.random.default_rng(11), 0
    for _ in range(200):
        actions = rng.choice(3, 400, p=behaviour)
        rewards = rng.random(400) < rate[actions]
        low, high = snips(rewards, behaviour[actions], target[actions]).interval(n_resamples=300)
        inside += low <= truth <= high
    assert 180 <= inside <= 199


def test_weight_diagnostics():
    found = weight_diagnostics([0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0])
    assert (found.n, found.zero_share) == (4, 0.25)
    assert found.mean == pytest.approx(2.0)
    assert found.largest == pytest.approx(6)
    assert found.largest_share == pytest.approx(6 / 8)
    assert found.effective_sample_size == pytest.approx(64 / (1.44 + 0.64 + 36))
    assert found.mean_interval[0] < 1 < found.mean_interval[1]
    assert effective_sample_size([0, 0]) == 0
    assert effective_sample_size([1e-200, 1e-200]) == pytest.approx(2)


class TestOpenBandit:
    """One policy's click rate from the other's log, beside its own."""

    @pytest.mark.parametrize("campaign", ["all", "men", "women"])
    def test_uniform_from_thompson(self, campaign):
        log, own = load_open_bandit("bts", campaign), load_open_bandit("random", campaign)
        estimate = snips(log.click, log.propensity, 1 / log.n_items)
        low, high = estimate.interval()
        assert low <= own.click.mean() <= high
        # Thompson sampling rarely shows most items: few rounds speak for the uniform policy.
        assert estimate.effective_sample_size < len(log) / 10

    @pytest.mark.parametrize("campaign", ["all", "men", "women"])
    def test_thompson_from_uniform(self, campaign):
        log, own = load_open_bandit("random", campaign), load_open_bandit("bts", campaign)
        shares = empirical_propensities(own.item, n_items=own.n_items, positions=own.position)
        target = shares[log.position.astype(int) - 1, log.item]
        estimate = snips(log.click, log.propensity, target)
        low, high = estimate.interval()
        assert low <= own.click.mean() <= high
        assert 2000 < estimate.effective_sample_size < 4000

    def test_logged_propensities_are_consistent_for_men_and_all_but_not_testable_for_women(self):
        means, worth = {}, {}
        for campaign in ("all", "men", "women"):
            log = load_open_bandit("bts", campaign)
            found = weight_diagnostics(log.propensity, 1 / log.n_items)
            means[campaign] = found.mean_interval
            worth[campaign] = found.effective_sample_size
        assert all(low <= 1 <= high for low, high in means.values())
        # One round in the women's log has a weight of 21,739: two rounds' worth are left.
        assert worth["women"] < 3 < 300 < worth["all"] < worth["men"]


def test_unbiased_recall_and_dcg_by_hand():
    # Ranks 1 and 3 for user 0, 2 for user 1; k = 2.
    ranks, propensities, users = [1, 3, 2], [0.8, 0.2, 0.5], [7, 7, 9]
    assert unbiased_recall(ranks, propensities, k=2, users=users) == pytest.approx([0.2, 1])
    gains = [1, 0.5, 1 / math.log2(3)]
    assert unbiased_dcg(ranks, propensities, users=users) == pytest.approx(
        [(1.25 * gains[0] + 5 * gains[1]) / 6.25, gains[2]]
    )
    assert unbiased_dcg(ranks, propensities, users=users, k=2) == pytest.approx([0.2, gains[2]])
    assert unbiased_recall([1, np.inf], [1, 1], k=10**6) == 0.5
    assert unbiased_dcg([np.inf], [1]) == 0


@quick
@given(
    st.lists(st.tuples(st.integers(1, 30), st.floats(0.01, 1), st.integers(0, 4)), min_size=1),
    st.integers(1, 30),
    st.floats(1e-3, 1e3),
)
def test_unbiased_recall_ignores_scale_and_equals_recall_for_equal_propensities(rows, k, scale):
    ranks, propensities, users = (np.array(column) for column in zip(*rows, strict=True))
    one = unbiased_recall(ranks, propensities, k=k, users=users)
    two = unbiased_recall(ranks, propensities * scale, k=k, users=users)
    np.testing.assert_allclose(two, one, rtol=1e-9, atol=1e-12)
    plain = [np.mean(ranks[users == user] <= k) for user in np.unique(users)]
    np.testing.assert_allclose(unbiased_recall(ranks, 0 * ranks + 1.0, k=k, users=users), plain)


def test_unbiased_recall_weights_popular_hits_less_than_plain_recall():
    # 1,000 users who like one popular item (observed in 9 of 10 cases) and one rare item (1 of
    # 10), and a recommender that finds the popular one only. The truth is 0.5.
    rng = np.random.default_rng(5)
    ranks, propensities, users = [], [], []
    for user in range(1000):
        for rank, chance in ((1, 0.9), (50, 0.1)):
            if rng.random() < chance:
                ranks.append(rank)
                propensities.append(chance)
                users.append(user)
    plain = np.mean(np.array(ranks) <= 10)
    pooled = unbiased_recall(ranks, propensities, k=10)
    assert plain == pytest.approx(0.9, abs=0.02)
    assert pooled == pytest.approx(0.5, abs=0.05)


def test_missing_at_random_is_repaired_by_the_groups_propensity():
    # 90 of 100 are observed of a group with mean 2, 10 of 100 of one with mean 4.
    ratings, rates = np.repeat([2.0, 4.0], [90, 10]), np.repeat([0.9, 0.1], [90, 10])
    assert ratings.mean() == pytest.approx(2.2)
    assert snips(ratings, rates, 1).value == pytest.approx(3.0)
    everyone = np.concatenate([ratings, np.zeros(100)])
    chances = np.concatenate([rates, np.repeat([0.9, 0.1], [10, 90])])
    assert ips(everyone, chances, 1).value == pytest.approx(3.0)


@pytest.mark.parametrize(
    "estimator", [ips, snips, lambda *log: ips(*log, weights="clipped", cap=2)]
)
@pytest.mark.parametrize(
    ("log", "message"),
    [
        (([1, 0], [0.5, 0.0], 1), r"propensities\[1\] is 0; it must be in \(0, 1\]"),
        (([1, 0], [0.5, 50], 1), r"propensities\[1\] is 50.*division by 100"),
        (([1, 0], [-0.5, 1], 1), r"propensities\[0\] is -0.5"),
        (([1, 0], [0.5, np.nan], 1), r"propensities\[1\] is nan"),
        (([1, np.nan], [0.5, 0.5], 1), r"rewards\[1\] is nan"),
        (([1, 0], [0.5, 0.5], 1.5), r"target\[0\] is 1.5"),
        (([1, 0], [0.5, 0.5], [0.1, -0.1]), r"target\[1\] is -0.1"),
        (([1, 0], [0.5], 1), "lengths differ: rewards 2, propensities 1"),
        (([1, 0], [0.5, 0.5], [1]), "lengths differ: rewards 2, propensities 2, target 1"),
        (([], [], 1), "propensities is empty|rewards is empty"),
        (([[1, 0]], [0.5, 0.5], 1), "rewards must be one row"),
    ],
)
def test_invalid_logs_raise(estimator, log, message):
    with pytest.raises(ValueError, match=message):
        estimator(*log)


def test_other_invalid_arguments_raise():
    with pytest.raises(TypeError, match="rewards must be numbers"):
        ips(["a"], [0.5], 1)
    with pytest.raises(ValueError, match="takes none of the logged actions"):
        snips([1, 0], [0.5, 0.5], 0)
    for cap in (0, -1, True, float("nan")):
        with pytest.raises(ValueError, match="cap is the largest weight and must be above 0"):
            ips(*LOG, weights="clipped", cap=cap)
    with pytest.raises(
        ValueError, match="weights='clipped' needs cap=, which is the largest weight"
    ):
        ips(*LOG, weights="clipped")
    with pytest.raises(ValueError, match="cap= is for weights='clipped', and weights is 'plain'"):
        ips(*LOG, cap=2)
    message = "shrinkage= is for weights='shrinkage' or 'sub-gaussian', and weights is 'switch'"
    with pytest.raises(ValueError, match=message):
        doubly_robust(*FULL, weights="switch", threshold=1, shrinkage=1)
    with pytest.raises(ValueError, match="weights must be one of 'plain', 'clipped'; got 'none'"):
        snips(*LOG, weights="none")
    with pytest.raises(ValueError, match="threshold is the largest weight"):
        doubly_robust(*FULL, weights="switch", threshold=0)
    with pytest.raises(ValueError, match=r"row 1 of the policy sums to 0\.9"):
        direct_method([[0.5, 0.5], [0.5, 0.4]], [[1, 1], [1, 1]])
    with pytest.raises(ValueError, match=r"policy has shape \(1, 2\) and reward_model \(1, 3\)"):
        direct_method([[0.5, 0.5]], [[1, 1, 1]])
    with pytest.raises(ValueError, match=r"policy\[0, 1\] is 1.5"):
        direct_method([[0.5, 1.5]], [[1, 1]])
    with pytest.raises(ValueError, match=r"actions\[3\] is 3; they run from 0 to 2"):
        doubly_robust(REWARDS, [0, 1, 0, 3], PROPENSITIES, POLICY, MODEL)
    with pytest.raises(TypeError, match="actions must be whole numbers"):
        doubly_robust(REWARDS, [0.0, 1, 0, 2], PROPENSITIES, POLICY, MODEL)
    with pytest.raises(ValueError, match=r"lengths differ: rewards 4, actions 4, .* policy 3"):
        doubly_robust(REWARDS, ACTIONS, PROPENSITIES, POLICY[:3], MODEL[:3])
    with pytest.raises(ValueError, match=r"weights\[0\] is -1"):
        effective_sample_size([-1, 1])


def test_invalid_interval_arguments_raise():
    with pytest.raises(ValueError, match="needs at least two"):
        ips([1], [0.5], 1).interval()
    assert math.isnan(ips([1], [0.5], 1).standard_error)
    with pytest.raises(ValueError, match="level is a confidence between 0 and 1"):
        ips(*LOG).interval(95)
    with pytest.raises(ValueError, match="method must be one of 'bootstrap', 'normal'"):
        ips(*LOG).interval(method="bca")
    with pytest.raises(ValueError, match="n_resamples is 1, and each tail"):
        ips(*LOG).interval(n_resamples=1)


@pytest.mark.parametrize(
    ("ranks", "propensities", "message"),
    [
        ([0, 1], [1, 1], r"ranks\[0\] is 0; ranks are whole numbers from 1"),
        ([1.5], [1], r"ranks\[0\] is 1.5"),
        ([np.nan], [1], r"ranks\[0\] is nan"),
        ([1], [0], r"propensities\[0\] is 0"),
        ([1], [1, 1], "lengths differ: ranks 1, propensities 2"),
        ([], [], "ranks is empty"),
    ],
)
def test_invalid_ranks_raise(ranks, propensities, message):
    for metric in (unbiased_recall, unbiased_dcg):
        with pytest.raises(ValueError, match=message):
            metric(ranks, propensities, k=5)
    with pytest.raises(ValueError, match="k is a whole number of 1 or more"):
        unbiased_recall([1], [1], k=0)
    with pytest.raises(TypeError, match="k is a whole number"):
        unbiased_dcg([1], [1], k=1.5)
