"""Metrics over the items of all lists, and means over the items of each list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import narwhals as nw

from recsys_metrics._core.checks import UndefinedMetricError
from recsys_metrics.frames._plan import Expr, QueryPlan, cutoff_suffix, divide, is_counted, total
from recsys_metrics.measures import Measure

PER_USER = ("average_popularity", "popularity_complement", "self_information", "serendipity")
GLOBAL = ("catalog_coverage", "gini", "personalization", "shannon_entropy", "user_coverage")


def list_expression(
    made: Measure, plan: QueryPlan, n_users: int | None, baseline: Any
) -> tuple[Expr, Expr]:
    """Return a measure of a list's items, and whether it is defined."""
    k = made.k
    if made.name == "serendipity":
        unexpected = ~nw.col("item").is_in(list(baseline)[:k])
        found = nw.when(unexpected).then(nw.col("hit")).otherwise(0.0)
        hits = plan.total(f"unexpected{cutoff_suffix(k)}", total(found, k))
        return hits / float(k or 1), plan.relevant() > 0
    worth, counted = _weigh_item(made, n_users)
    added = plan.total(f"worth {made.without_k}{cutoff_suffix(k)}", total(counted * worth, k))
    items = plan.total(f"counted {made.without_k}{cutoff_suffix(k)}", total(counted, k))
    return divide(added, items), items > 0


def _weigh_item(made: Measure, n_users: int | None) -> tuple[Expr, Expr]:
    """Return what an item is worth, and 1 if it counts or 0 if not."""
    met, every = nw.col("met"), nw.lit(1.0)
    if made.name == "average_popularity":
        return met, every
    users = float(n_users or 1)
    if made.name == "popularity_complement":
        return 1.0 - met / users, every
    unseen = made.conventions.get("unseen", "raise")
    base = float(made.conventions.get("base", 2))
    known = met > 0
    bits = nw.when(known).then(met).otherwise(1.0)
    surprise = (math.log(users) - bits.log()) / math.log(base)
    if unseen == "drop":
        return surprise, known.cast(nw.Float64)
    return surprise, every


def count_recommendations(
    recommendations: nw.LazyFrame[Any], ks: list[int | None]
) -> nw.LazyFrame[Any]:
    """Return how often each item is shown among the first k of the lists, for every k."""
    return recommendations.group_by("item").agg(
        **{f"shown{cutoff_suffix(k)}": is_counted(k).cast(nw.Float64).sum() for k in ks}
    )


def concentration(counts: nw.LazyFrame[Any], ks: list[int | None]) -> nw.LazyFrame[Any]:
    """Return, in one row, the sums that measures of all lists together are made of."""
    for k in ks:
        place = nw.col("item").cum_count().over(order_by=[f"shown{cutoff_suffix(k)}", "item"])
        counts = counts.with_columns(place.cast(nw.Float64).alias(f"place{cutoff_suffix(k)}"))
    sums: dict[str, Expr] = {"rows": nw.len()}
    for k in ks:
        count, place = nw.col(f"shown{cutoff_suffix(k)}"), nw.col(f"place{cutoff_suffix(k)}")
        some = count > 0
        sums |= {
            f"items{cutoff_suffix(k)}": some.cast(nw.Float64).sum(),
            f"showings{cutoff_suffix(k)}": count.sum(),
            f"placed{cutoff_suffix(k)}": (count * place).sum(),
            f"logs{cutoff_suffix(k)}": (
                count * nw.when(some).then(count).otherwise(1.0).log()
            ).sum(),
            f"pairs{cutoff_suffix(k)}": (count * (count - 1)).sum(),
        }
    return counts.select(**sums)


def global_value(
    measure: Measure, sums: Mapping[str, float], lists: Mapping[str, float], catalog: int | None
) -> float:
    """Return a measure of all lists together from its sums."""
    cut = cutoff_suffix(measure.k)
    showings = sums[f"showings{cut}"]
    if measure.name == "user_coverage":
        return lists[coverage_column(measure)] / lists["users"]
    if measure.name == "personalization":
        users, size = lists["users"], lists[f"most{cut}"]
        return 1.0 - sums[f"pairs{cut}"] / (users * (users - 1) * size)
    if catalog is None:
        raise ValueError(f"{measure} needs catalog: how many items could have been recommended")
    if sums["rows"] > catalog:
        raise ValueError(
            f"catalog is {catalog:,}, and {sums['rows']:,.0f} different items are recommended; "
            "give the number of all that could have been"
        )
    if measure.name == "catalog_coverage":
        return sums[f"items{cut}"] / catalog
    if not showings:
        raise UndefinedMetricError(f"{measure}: no item is shown, so there is nothing to compare")
    if measure.name == "shannon_entropy":
        base = float(measure.conventions.get("base", 2))
        return (math.log(showings) - sums[f"logs{cut}"] / showings) / math.log(base) + 0.0
    # Items that are in no list stand before all others, with a count of 0.
    placed = sums[f"placed{cut}"] / showings + (catalog - sums["rows"])
    unequal = 2 * placed - catalog - 1
    return max(0.0, unequal / (catalog - 1 if measure.conventions.get("normalized") else catalog))


def coverage_column(measure: Measure) -> str:
    """Return the name of the sum of users whose lists are long enough."""
    return f"covered {measure.conventions.get('at_least', 1)}{cutoff_suffix(measure.k)}"
