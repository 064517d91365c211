"""Recomputed entries on propensities, off-policy estimates and fairness."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from recsys_metrics.bias.fairness import equal_opportunity, exposure_by_group
from recsys_metrics.bias.off_policy import ips, snips
from recsys_metrics.bias.propensity import inverse_propensity_weights

Values = dict[str, Any]


def weights(propensities: dict[str, float]) -> Values:
    """Return the weight of a click on each item, and how they compare."""
    each = inverse_propensity_weights(list(propensities.values()))
    first, second = propensities.values()
    return {
        "weights": each.tolist(),
        "ratio": float(each[1] / each[0]),
        "relative_exposure": second / first,
        "no_weight_below_1": bool((each >= 1).all()),
    }


def totals(propensities: dict[str, float], clicks: dict[str, int]) -> Values:
    """Return the weighted total of each item's clicks."""
    each = inverse_propensity_weights(list(propensities.values()))
    summed = [w * clicks[item] for w, item in zip(each.tolist(), propensities, strict=True)]
    return {"totals": summed, "second_exceeds_first": summed[1] > summed[0]}


def expectation(values: list[float], propensities: list[float]) -> Values:
    """Return the mean of both estimators over every set of items that may be observed."""
    truth = float(np.mean(values))
    whole, average, observed_any = 0.0, 0.0, 0.0
    certain = np.ones(len(values))
    for observed in itertools.product([False, True], repeat=len(values)):
        seen = np.array(observed)
        chance = float(np.prod(np.where(seen, propensities, 1 - np.array(propensities))))
        whole += chance * ips(seen * np.array(values), propensities, certain).value
        if seen.any():
            kept = [np.asarray(part)[seen] for part in (values, propensities, certain)]
            average += chance * snips(*kept).value
            observed_any += chance
    return {
        "truth": truth,
        "expected_ips": whole,
        "expected_weighted_average": average / observed_any,
        "weighted_average_is_unbiased": bool(np.isclose(average / observed_any, truth)),
    }


def clipping(values: list[float], propensities: list[float], cap: float) -> Values:
    """Return the mean of clipped IPS over every set of items that may be observed."""
    expected = 0.0
    for observed in itertools.product([False, True], repeat=len(values)):
        seen = np.array(observed)
        chance = float(np.prod(np.where(seen, propensities, 1 - np.array(propensities))))
        rewards = seen * np.array(values)
        clipped = ips(rewards, propensities, np.ones(len(values)), weights="clipped", cap=cap)
        expected += chance * clipped.value
    return {"truth": float(np.mean(values)), "expected_clipped": expected}


def missing_at_random(groups: list[dict[str, float]]) -> Values:
    """Return the mean rating of what is observed, plain and weighted by each group's rate."""
    rates = [group["observed"] / group["all"] for group in groups]
    ratings = np.concatenate([np.full(int(g["observed"]), g["mean"]) for g in groups])
    chance = np.concatenate(
        [np.full(int(g["observed"]), rate) for g, rate in zip(groups, rates, strict=True)]
    )
    ones = np.ones(len(ratings))
    truth = float(np.average([g["mean"] for g in groups], weights=[g["all"] for g in groups]))
    # As if everything had the same propensity: that is what a plain mean assumes.
    plain = snips(ratings, np.full(len(ratings), 0.5), ones).value
    return {
        "true_mean": truth,
        "plain_mean": plain,
        "weighted_mean": snips(ratings, chance, ones).value,
        "rates": rates,
        "plain_mean_is_unbiased": bool(np.isclose(plain, truth)),
    }


def parity(slots: dict[str, int], catalog: dict[str, int]) -> Values:
    """Return the shares of two groups in the slots, and those in relation to their size."""
    groups = {f"{group}{n}": group for group, size in catalog.items() for n in range(size)}
    lists = [[f"{group}{n % catalog[group]}"] for group, held in slots.items() for n in range(held)]
    share = exposure_by_group(lists, groups, per="share")
    rate = exposure_by_group(lists, groups, per="rate")
    size = sum(catalog.values())
    return {
        "shares": [share.per_group[group] for group in slots],
        "gap": share.gap,
        "target": [count / size for count in catalog.values()],
        "relative_rates": [rate.per_group[group] for group in slots],
        "rate_ratio": rate.ratio,
    }


def opportunity(groups: list[list[int]]) -> Values:
    """Return the share of those who would like it that get it, by group."""
    selected: list[bool] = []
    members: list[str] = []
    for number, (found, relevant) in enumerate(groups, 1):
        selected += [True] * found + [False] * (relevant - found)
        members += [f"group {number}"] * relevant
    report = equal_opportunity([1] * len(selected), selected, members)
    return {"true_positive_rates": list(report.per_group.values()), "gap": report.gap}


WAYS = {
    weights: "ch12-ips ch12-ips-fifth ch12-ips-downweight ch14-e7a",
    totals: "ch14-e7b",
    expectation: "ch12-ips-average",
    clipping: "ch12-ips-clip",
    missing_at_random: "ch12-mar",
    parity: "ch12-parity ch12-parity-unequal",
    opportunity: "ch12-equal-opportunity",
}
