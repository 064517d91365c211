"""The ranking measures as expressions over a plan; each equals its function in `ranking`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import narwhals as nw
import numpy as np

from recsys_metrics.frames._plan import (
    WORST_FIRST,
    Expr,
    QueryPlan,
    cutoff_suffix,
    divide,
    is_counted,
    minimum,
    total,
    values_in_list,
)
from recsys_metrics.measures import Measure
from recsys_metrics.measures._custom import format_convention
from recsys_metrics.ranking import discounts
from recsys_metrics.ranking._dcg import Discount, Own

# Down to here a sum per rank is kept; below, hits are counted along each list, for which an engine
# must hold every row at once: at 50 million rows that is gigabytes.
_BY_RANK = 20
# Up to here the harmonic numbers are looked up; beyond, their series is exact to 1e-14.
_LOOKED_UP = 12


def expression(made: Measure, plan: QueryPlan) -> tuple[Expr, Expr]:
    """Return a measure as an expression over the sums of a user, and whether it is defined.

    Parameters
    ----------
    made : Measure
        Of the accuracy family.
    plan : Plan
        Where the measure asks for what it needs.

    Returns
    -------
    value, defined : narwhals.Expr
        Of one row per user. `defined` is False where the user has nothing relevant.
    """
    conventions = made.resolved
    conventions.pop("no_relevant", None)
    return _MEASURES[made.name](plan, made.k, **conventions), _has_relevant(made, plan)


def _has_relevant(made: Measure, plan: QueryPlan) -> Expr:
    """Return whether a user has something relevant, as the measure understands it."""
    if made.name == "expected_reciprocal_rank" or (
        made.name in ("dcg", "ndcg") and made.resolved["gain"] in ("linear", "exponential")
    ):
        return nw.col("ideal gain") > 0
    return plan.relevant() > 0


def _hit_rate(plan: QueryPlan, k: int | None) -> Expr:
    return (plan.hits(k) > 0).cast(nw.Float64)


def _precision(plan: QueryPlan, k: int | None, denominator: str) -> Expr:
    over = plan.counted(k)
    if denominator == "recommended":
        over = minimum(over, plan.list_length())
    elif denominator == "achievable":
        over = minimum(over, plan.relevant())
    return divide(plan.hits(k), over)


def _recall(plan: QueryPlan, k: int | None, denominator: str) -> Expr:
    over = plan.relevant()
    if denominator == "achievable":
        over = minimum(plan.counted(k), over)
    elif denominator == "listed":
        over = plan.hits(None)
    return divide(plan.hits(k), over)


def _f_beta(
    plan: QueryPlan, k: int | None, beta: float, precision_denominator: str, recall_denominator: str
) -> Expr:
    precision, recall = (
        _precision(plan, k, precision_denominator),
        _recall(plan, k, recall_denominator),
    )
    good = plan.number(f"precision {precision_denominator}{cutoff_suffix(k)}", precision)
    found = plan.number(f"recall {recall_denominator}{cutoff_suffix(k)}", recall)
    weight = float(beta) ** 2
    return divide((1 + weight) * good * found, weight * good + found)


def _reciprocal_rank(plan: QueryPlan, k: int | None) -> Expr:
    hit = (nw.col("hit") > 0) & is_counted(k)
    nearest = nw.when(hit).then(1.0 / nw.col("rank")).otherwise(0.0).max()
    return plan.total(f"nearest{cutoff_suffix(k)}", nearest)


def _reciprocal_hit_rate(plan: QueryPlan, k: int | None, reduce: str) -> Expr:
    added = plan.total(f"reciprocals{cutoff_suffix(k)}", total(nw.col("hit") / nw.col("rank"), k))
    if reduce == "ideal":
        could = plan.relevant() if k is None else minimum(nw.lit(float(k)), plan.relevant())
        could = plan.number(f"could be hit{cutoff_suffix(k)}", could)
        best = plan.number(f"best reciprocals{cutoff_suffix(k)}", _harmonic(could), of_numbers=True)
        return divide(added, best)
    return divide(added, plan.hits(k)) if reduce == "mean" else added


def _average_precision(plan: QueryPlan, k: int | None, denominator: str) -> Expr:
    if denominator == "prefixes":
        above = plan.row("harmonic above", _harmonic(nw.col("rank") - 1))
        # A hit at rank i counts 1/j in the precision of every rank j from i on.
        before = plan.total(f"harmonic before{cutoff_suffix(k)}", total(nw.col("hit") * above, k))
        counted = plan.counted(k)
        every = nw.lit(_exact_harmonic(k)) if k is not None else _harmonic(counted)
        return divide(plan.hits(k) * every - before, counted)
    added = _precisions(plan, k)
    if denominator == "relevant":
        return divide(added, plan.relevant())
    if denominator == "achievable":
        return divide(added, minimum(plan.counted(k), plan.relevant()))
    if denominator == "recommended":
        return divide(added, minimum(minimum(plan.counted(k), plan.list_length()), plan.relevant()))
    if denominator == "k":
        return divide(added, plan.counted(k))
    return divide(added, plan.hits(None if denominator == "listed" else k))


def _precisions(plan: QueryPlan, k: int | None) -> Expr:
    """Return the sum of the precisions at each hit."""
    if k is None or k > _BY_RANK:
        found = plan.cumulative("hit")
        return plan.total(
            f"precisions{cutoff_suffix(k)}", total(nw.col("hit") * found / nw.col("rank"), k)
        )
    found = added = nw.lit(0.0)
    for rank in range(1, k + 1):
        hit = plan.hit_at(rank)
        found = found + hit
        added = added + hit * found * (1.0 / rank)
    return plan.number(f"precisions{cutoff_suffix(k)}", added)


def _average_recall(plan: QueryPlan, k: int | None, denominator: str) -> Expr:
    hits, relevant = plan.hits(k), plan.relevant()
    if denominator == "hits":
        some = nw.when(hits > 0).then(hits + 1).otherwise(0.0)
        return divide(some, 2 * relevant)
    if denominator == "relevant":
        return divide(hits * (hits + 1), 2 * relevant * relevant)
    waited = plan.total(f"waited{cutoff_suffix(k)}", total(nw.col("hit") * (nw.col("rank") - 1), k))
    counted = plan.counted(k)
    return divide(hits * counted - waited, relevant * counted)


def _dcg(plan: QueryPlan, k: int | None, gain: str, discount: Discount | Own) -> Expr:
    worth = _gain(plan, gain) * _discount(plan, "rank", discount, k)
    return plan.total(
        f"dcg {gain} {format_convention(discount)}{cutoff_suffix(k)}", total(worth, k)
    )


def _ndcg(plan: QueryPlan, k: int | None, gain: str, discount: Discount | Own, ideal: str) -> Expr:
    found = _dcg(plan, k, gain, discount)
    if ideal in ("list", "listed"):
        # The items that count, best first; the others are ranked apart and left out.
        looks_at = k if ideal == "list" else None
        place = f"place in list{cutoff_suffix(looks_at)}"
        plan.row(f"counts{cutoff_suffix(looks_at)}", values_in_list(nw.lit(1.0), looks_at))
        plan.row("worst in list", -1.0 * nw.col("grade"))
        order = (
            nw.col("rank")
            .cum_count()
            .over("user", f"counts{cutoff_suffix(looks_at)}", order_by=["worst in list", "rank"])
        )
        plan.row(place, order.cast(nw.Int64))
        worth = _gain(plan, gain) * _discount(plan, place, discount, k)
        if ideal == "listed" and k is not None:
            worth = nw.when(nw.col(place) <= k).then(worth).otherwise(0.0)
        name = f"own ideal {ideal} {gain} {format_convention(discount)}{cutoff_suffix(k)}"
        return divide(found, plan.total(name, total(worth, looks_at)))
    if ideal == "full":
        if k is None:
            raise ValueError(
                "on frames, ideal=full needs a cut-off; write ndcg(ideal=full)@10, for instance"
            )
        plan.total("highest", nw.col("grade").max())
        everything: Expr = found / float(discounts(k, discount).sum())
        return everything
    place = "place"
    plan.relevant_row(WORST_FIRST, -1.0 * nw.col("grade"))
    plan.relevant_row(
        place,
        nw.col("item").cum_count().over("user", order_by=[WORST_FIRST, "item"]).cast(nw.Int32),
    )
    worth = _gain(plan, gain) * _discount(plan, place, discount, k)
    cut = None if ideal == "uncut" else k
    best = worth if cut is None else nw.when(nw.col(place) <= cut).then(worth).otherwise(0.0)
    return divide(
        found,
        plan.total(f"ideal {gain} {format_convention(discount)}{cutoff_suffix(cut)}", best.sum()),
    )


def _r_precision(plan: QueryPlan, k: int | None) -> Expr:
    relevant = plan.relevant()
    first = is_counted(k) & (nw.col("rank") <= plan.each_relevant())
    hits = nw.when(first).then(nw.col("hit")).otherwise(0.0).sum()
    return divide(plan.total(f"hits in R{cutoff_suffix(k)}", hits), relevant)


def _rank_biased_precision(plan: QueryPlan, k: int | None, p: float) -> Expr:
    reads = math.log(p) * (nw.col("rank") - 1)
    seen = plan.total(f"rbp {p}{cutoff_suffix(k)}", total(nw.col("hit") * reads.exp(), k))
    return (1 - p) * seen


def _expected_reciprocal_rank(plan: QueryPlan, k: int | None, max_grade: float) -> Expr:
    satisfied = plan.row(
        f"satisfied {max_grade:g}", values_in_list(_power_of_two(nw.col("grade")) / 2.0**max_grade)
    )
    # A product over the ranks above is a sum of logarithms; the rank's own is taken out again.
    stays = plan.row(f"stays {max_grade:g}", (1.0 - satisfied).log())
    stayed = plan.row(f"stayed {max_grade:g}", stays.cum_sum().over("user", order_by="rank"))
    stops = satisfied * (stayed - stays).exp() / nw.col("rank")
    plan.total("highest", nw.col("grade").max())
    return plan.total(f"err {max_grade:g}{cutoff_suffix(k)}", total(stops, k))


def _interpolated_precision(plan: QueryPlan, k: int | None, recall: float | None) -> Expr:
    levels = [share / 10 for share in range(11)] if recall is None else [float(recall)]
    if not all(0 <= level <= 1 for level in levels):
        raise ValueError(f"recall is a share from 0 to 1; got {recall!r}")
    found, relevant = plan.cumulative("hit"), plan.each_relevant()
    hit = (nw.col("hit") > 0) & is_counted(k)
    added = nw.lit(0.0)
    for level in levels:
        reached = hit & (found >= relevant * level - 1e-9)
        best = nw.when(reached).then(found / nw.col("rank")).otherwise(0.0).max()
        added = added + plan.total(f"precision at recall {level!r}{cutoff_suffix(k)}", best)
    return added * (1.0 / len(levels))


def _bpref(plan: QueryPlan, k: int | None) -> Expr:
    relevant, above = plan.each_relevant(), plan.cumulative("rejected")
    cost = divide(minimum(above, relevant), minimum(relevant, plan.each_nonrelevant()))
    credit = plan.total(f"bpref{cutoff_suffix(k)}", total(nw.col("hit") * (1.0 - cost), k))
    return divide(credit, plan.relevant())


_MEASURES: Mapping[str, Callable[..., Expr]] = MappingProxyType(
    {
        "average_precision": _average_precision,
        "average_recall": _average_recall,
        "bpref": _bpref,
        "dcg": _dcg,
        "expected_reciprocal_rank": _expected_reciprocal_rank,
        "f_beta": _f_beta,
        "hit_rate": _hit_rate,
        "interpolated_precision": _interpolated_precision,
        "ndcg": _ndcg,
        "precision": _precision,
        "r_precision": _r_precision,
        "rank_biased_precision": _rank_biased_precision,
        "recall": _recall,
        "reciprocal_hit_rate": _reciprocal_hit_rate,
        "reciprocal_rank": _reciprocal_rank,
    }
)


def _gain(plan: QueryPlan, gain: str) -> Expr:
    if gain == "binary":
        return nw.col("hit")
    if gain == "exponential-from-threshold":
        lowest = 1.0 if plan.threshold is None else plan.threshold
        return nw.col("hit") * _power_of_two(nw.col("grade") - lowest + 1.0)
    return _power_of_two(nw.col("grade")) if gain == "exponential" else nw.col("grade")


def _power_of_two(grade: Expr) -> Expr:
    """Return two to the grade, less one."""
    return (grade * math.log(2.0)).exp() - 1.0


def _discount(plan: QueryPlan, place: str, discount: Discount | Own, k: int | None) -> Expr:
    """Return the discount of a column of ranks, as a column that all measures share."""
    if not isinstance(discount, str):
        # The caller's is known rank by rank, down to the cut.
        factor = nw.lit(0.0)
        for counted, value in enumerate(discounts(k or 0, discount).tolist(), 1):
            factor = nw.when(nw.col(place) == counted).then(value).otherwise(factor)
        return plan.row(f"{format_convention(discount)} of {place}{cutoff_suffix(k)}", factor)
    if discount == "none":
        return nw.lit(1.0)
    rank = nw.col(place).cast(nw.Float64)
    beyond = rank + 1.0 if discount == "log2" else nw.when(rank <= 2).then(2.0).otherwise(rank)
    return plan.row(f"{discount} of {place}", math.log(2.0) / beyond.log())


def _harmonic(n: Expr) -> Expr:
    """Return 1 + 1/2 + … + 1/n."""
    value = nw.when(n > 0).then(n.cast(nw.Float64)).otherwise(1.0)
    inverse = 1.0 / (value * value)
    series = (
        value.log()
        + np.euler_gamma
        + 0.5 / value
        - inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse / 240)))
    )
    for small in range(_LOOKED_UP, -1, -1):
        series = nw.when(n == small).then(nw.lit(_exact_harmonic(small))).otherwise(series)
    return series


def _exact_harmonic(n: int) -> float:
    return float(np.sum(1.0 / np.arange(1, n + 1)))


def supports(name: str) -> bool:
    """Return whether a measure is one of these."""
    return name in _MEASURES


def highest_allowed_grade(made: Measure) -> float | None:
    """Return the highest grade that a measure can take, None if there is no limit."""
    given = made.resolved
    if made.name == "expected_reciprocal_rank":
        return float(given["max_grade"])
    if made.name == "ndcg" and given["ideal"] == "full" and given["gain"] != "binary":
        return 1.0
    return None
