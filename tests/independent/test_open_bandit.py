"""What chapter 06 prints of the Open Bandit sample, recomputed without the package."""

from __future__ import annotations

import io
import lzma
import math
from collections import Counter
from functools import cache

import numpy as np
import pytest

from tests.independent.plain import DATA, mean, share_ends
from tests.independent.test_movielens import format_row, read_printed

CAMPAIGNS = ("all", "men", "women")


@cache
def sample():
    packed = (DATA / "open_bandit_sample.npz.xz").read_bytes()
    return dict(np.load(io.BytesIO(lzma.decompress(packed))))


@cache
def log(policy, campaign):
    """Return the rounds of a log: (item, place, clicked, propensity)."""
    names = ("item_id", "position", "click", "propensity")
    columns = (sample()[f"{policy}_{campaign}_{name}"].tolist() for name in names)
    return list(zip(*columns, strict=True))


def n_items(campaign):
    return max(item for item, *_ in log("bts", campaign)) + 1


def snips(clicks, weights):
    return sum(w * c for w, c in zip(weights, clicks, strict=True)) / sum(weights)


def effective_sample_size(weights):
    return sum(weights) ** 2 / sum(w * w for w in weights)


def standard_error(clicks, weights):
    """By linearisation: each round moves the ratio by its weight times what it is off."""
    value, n, usual = snips(clicks, weights), len(clicks), mean(weights)
    off = [w * (c - value) / usual for w, c in zip(weights, clicks, strict=True)]
    return math.sqrt(sum(each * each for each in off) / (n - 1) / n)


def evenly(campaign, *, least=0.0):
    """Return clicks and weights of the learned log, for the policy that shows all items alike."""
    uniform = 1 / n_items(campaign)
    rounds = [(c, uniform / p) for *_, c, p in log("bts", campaign) if p > least]
    return [c for c, _ in rounds], [w for _, w in rounds]


def format_estimate(value, error, n, size):
    return (
        f"SNIPS {value:.5g} ± {error:.2g} (standard error) from {n:,} rounds, effective sample "
        f"size {size:,.0f}"
    )


def test_value_of_the_random_policy_from_the_learned_log():
    clicks, weights = evenly("all")
    rounds = (
        snips(clicks, weights),
        standard_error(clicks, weights),
        len(clicks),
        effective_sample_size(weights),
    )
    assert format_estimate(*rounds) in read_printed("06_bias_open_bandit")


def test_value_of_the_learned_policy_from_the_random_log():
    shown = Counter((place, item) for item, place, *_ in log("bts", "all"))
    at = Counter(place for _, place, *_ in log("bts", "all"))
    rounds = [(c, shown[place, item] / at[place] / p) for item, place, c, p in log("random", "all")]
    clicks, weights = [c for c, _ in rounds], [w for _, w in rounds]
    found = (
        snips(clicks, weights),
        standard_error(clicks, weights),
        len(clicks),
        effective_sample_size(weights),
    )
    assert format_estimate(*found) in read_printed("06_bias_open_bandit")


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_estimates_of_three_campaigns_and_observed_rates(campaign):
    clicks, weights = evenly(campaign)
    came = [c for *_, c, _ in log("random", campaign)]
    (line,) = (
        each.split()
        for each in read_printed("06_bias_open_bandit")
        if each.startswith(f"{campaign} ") and len(each.split()) == 8
    )
    assert line[1] == f"{1_000 * snips(clicks, weights):.3f}"
    assert line[4] == f"{1_000 * mean(came):.3f}"
    ends = [f"{1_000 * end:.3f}" for end in share_ends(sum(came), len(came))]
    assert line[5:7] == ends
    assert line[7] == str(round(effective_sample_size(weights)))


@pytest.mark.parametrize("campaign", ["all", "women"])
def test_bootstrap_intervals_with_other_resamples(campaign):
    clicks, weights = evenly(campaign)
    hit, weight, n = np.array(clicks), np.array(weights), len(clicks)
    rng, ratios = np.random.default_rng(11), []
    for _ in range(2_000):
        drawn = rng.integers(n, size=n)
        ratios.append(1_000 * (hit[drawn] @ weight[drawn]) / weight[drawn].sum())
    (line,) = (
        each.split()
        for each in read_printed("06_bias_open_bandit")
        if each.startswith(f"{campaign} ") and len(each.split()) == 8
    )
    # What is printed comes from two thousand others: so far may a share of them be off.
    off = 4 * math.sqrt(0.025 * 0.975 * (1 / 2_000 + 1 / 2_000))
    for end, share in zip(map(float, line[2:4]), (0.025, 0.975), strict=True):
        low, high = np.quantile(ratios, [max(share - off, 0), min(share + off, 1)])
        assert low < end < high


def test_importance_weights_of_the_women_campaign():
    _, weights = evenly("women")
    heaviest = max(weights)
    lines = read_printed("06_bias_open_bandit")
    assert f"mean {mean(weights):.3f}" in lines
    assert f"largest {heaviest:,.3f}" in lines
    assert f"its share {heaviest / sum(weights):.3f}" in lines
    assert f"effective sample size {effective_sample_size(weights):.3f}" in lines
    odd = Counter(
        p for *_, p in log("bts", "women") if abs(p * 200_000 - round(p * 200_000)) > 1e-6
    )
    assert len(odd) == 2
    for propensity, times in odd.items():
        assert f"{times} {round(1 / propensity):,}" in lines
    clicks, others = evenly("women", least=1e-5)
    found = (
        snips(clicks, others),
        standard_error(clicks, others),
        len(clicks),
        effective_sample_size(others),
    )
    assert format_estimate(*found) in lines


def test_examination_by_position():
    shown = Counter(place for _, place, *_ in log("random", "all"))
    clicked = Counter(place for _, place, c, _ in log("random", "all") if c)
    rates = {place: clicked[place] / shown[place] for place in (1, 2, 3)}
    for place in (2, 3):
        ratio = rates[place] / rates[1]
        assert any(
            line.startswith(f"{place} {ratio:.3f} ") for line in read_printed("06_bias_open_bandit")
        ), format_row(str(place), ratio)
