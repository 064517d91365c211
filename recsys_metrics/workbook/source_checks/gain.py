"""Recomputed entries on DCG, NDCG and their discount."""

from __future__ import annotations

import itertools
from typing import Any, Literal

import numpy as np

import recsys_metrics as rm
from recsys_metrics import Judged
from recsys_metrics.workbook.source_checks.ranking import first_hit

Values = dict[str, Any]
Kind = Literal["linear", "exponential"]
KINDS: tuple[Kind, ...] = ("linear", "exponential")


def at_rank(grade: float, rank: int, **conventions: Any) -> float:
    """Return what an item of this grade adds to the DCG at this rank."""
    return float(rm.dcg(Judged.from_gains([0] * (rank - 1) + [grade]), **conventions))


def graded_list(grades: list[float], k: int, gain: Kind = "linear") -> Values:
    """Return DCG and NDCG of a graded list, row by row; the ideal is the list's own order."""
    ideal = sorted(grades, reverse=True)

    def parts(values: list[float]) -> tuple[list[float], list[float]]:
        cut = list(enumerate(values[:k], 1))
        # At rank 1 the discount is 1, so there an item adds its gain.
        gains = [at_rank(grade, 1, gain=gain) if grade else 0.0 for _, grade in cut]
        return gains, [at_rank(grade, rank, gain=gain) if grade else 0.0 for rank, grade in cut]

    gains, rows = parts(grades)
    ideal_gains, ideal_rows = parts(ideal)
    recommended, best = Judged.from_gains(grades), Judged.from_gains(ideal)
    other: Kind = "exponential" if gain == "linear" else "linear"
    return {
        "gains": gains,
        "rows": rows,
        "ideal_gains": ideal_gains,
        "ideal_rows": ideal_rows,
        "dcg": rm.dcg(recommended, k, gain=gain),
        "idcg": rm.dcg(best, k, gain=gain),
        "ndcg": rm.ndcg(recommended, k, gain=gain),
        "discounts": rm.discounts(k).tolist(),
        "log2": (1 / rm.discounts(k)).tolist(),
        f"ndcg_{other}_gain": rm.ndcg(recommended, k, gain=other),
        f"dcg_{other}_gain": rm.dcg(recommended, k, gain=other),
        f"idcg_{other}_gain": rm.dcg(best, k, gain=other),
    }


def at_cuts(grades: list[float], ks: list[int]) -> Values:
    """Return NDCG at several cuts, against the list's own order."""
    judged = Judged.from_gains(grades)
    return {f"ndcg_at_{k}": rm.ndcg(judged, k) for k in ks}


def discount(ranks: list[int]) -> Values:
    """Return the discount and its reciprocal, the logarithm, at each rank."""
    of_rank = rm.discounts(max(ranks))[np.array(ranks) - 1]
    return {"discounts": of_rank.tolist(), "log2": (1 / of_rank).tolist()}


def discount_of_two(upper: int, lower: int) -> Values:
    """Return how much more one rank counts than another."""
    of_rank = rm.discounts(max(upper, lower))
    return {"ratio": float(of_rank[upper - 1] / of_rank[lower - 1])}


def decay(n: int) -> Values:
    """Return the ratios of neighbouring discounts, and what they say of the decay."""
    of_rank = rm.discounts(n)
    ratios = of_rank[1:] / of_rank[:-1]
    reciprocal = [rm.reciprocal_rank(Judged.from_gains(first_hit(r))) for r in range(1, n + 1)]
    return {
        "successive_ratios": ratios.tolist(),
        "exponential": bool(np.allclose(ratios, ratios[0])),
        "slower_than_reciprocal": bool((of_rank >= np.array(reciprocal)).all()),
    }


def gain_of_grades(grades: list[float]) -> Values:
    """Return both gains of each grade."""
    return {
        kind: [at_rank(grade, 1, gain=kind) if grade else 0.0 for grade in grades] for kind in KINDS
    }


def first_position(n: int) -> Values:
    """Return both discounts, and whether the usual one leaves rank 1 whole already."""
    usual, older = rm.discounts(n), rm.discounts(n, "log2-from-2")
    return {
        "rank_1_is_whole_only_in_a_variant": bool(usual[0] != 1),
        "usual": usual.tolist(),
        "older_variant": older.tolist(),
    }


def cost_of_a_place(actual: float, best: float, rank: int) -> Values:
    """Return what an item earns at a rank, and what it costs against the best one there."""
    earned, possible = at_rank(actual, rank), at_rank(best, rank)
    return {"earned": earned, "best_possible": possible, "cost": possible - earned}


def two_users(alice: list[int], bob: list[int], alice_wants: int, bob_wants: int) -> Values:
    """Return the DCG of a user with many relevant items and of one with few."""
    many = rm.dcg(Judged.from_gains(alice, ideal=[1] * alice_wants))
    few = rm.dcg(Judged.from_gains(bob, ideal=[1] * bob_wants))
    return {"dcg_alice": many, "dcg_bob": few, "more_relevant_always_higher": bool(many > few)}


def own_and_whole_ideal(grades: list[float], all_grades: list[float], k: int) -> Values:
    """Return NDCG against the list's own order and against all that is relevant."""
    judged = Judged.from_gains(grades, ideal=all_grades)
    return {
        "ndcg_own_list": rm.ndcg(judged, k, ideal="list"),
        "ndcg_all_relevant": rm.ndcg(judged, k),
    }


def influence_of_users(relevant_counts: list[int], k: int) -> Values:
    """Return by how much the mean falls when one user's perfect list loses all its hits."""
    users = range(len(relevant_counts))
    ideal = [[1] * count for count in relevant_counts]

    def mean(metric: Any, emptied: int | None) -> float:
        lists = [
            Judged.from_gains(
                [0] * k if user == emptied else [1] * min(k, relevant_counts[user]),
                ideal=ideal[user],
            )
            for user in users
        ]
        return float(np.mean([metric(one, k) for one in lists]))

    falls = {
        metric.__name__: [mean(metric, None) - mean(metric, user) for user in users]
        for metric in (rm.ndcg, rm.dcg)
    }
    return {
        "fall_of_mean_ndcg": falls["ndcg"],
        "fall_of_mean_dcg": falls["dcg"],
        "users_with_many_dominate": not np.allclose(falls["ndcg"], falls["ndcg"][0]),
    }


def floor(grades: list[float], k: int) -> Values:
    """Return the lowest NDCG any order of these items has, and the mean over all orders."""
    orders = np.array(list(itertools.permutations(grades)))
    scores = rm.ndcg(Judged.from_gains(orders), k)
    return {"worst": float(scores.min()), "mean_over_all_orders": float(scores.mean())}


def good_and_poor_items(good: list[float], poor: list[float], k: int) -> Values:
    """Return both lists against their own order, and the poor one against the good one's."""
    better, worse = Judged.from_gains(good), Judged.from_gains(poor)
    ideal = Judged.from_gains(sorted(good, reverse=True))
    return {
        "ndcg_good": rm.ndcg(better, k),
        "ndcg_poor": rm.ndcg(worse, k),
        "dcg_good": rm.dcg(better, k),
        "dcg_poor": rm.dcg(worse, k),
        "poor_against_the_good_ideal": rm.dcg(worse, k) / rm.dcg(ideal, k),
        "better_items_score_higher": bool(rm.ndcg(better, k) > rm.ndcg(worse, k)),
    }


def one_hidden_item(ranks_from_zero: list[int]) -> Values:
    """Return NDCG of a list whose only relevant item stands at a rank counted from 0."""
    return {"ndcg": [rm.ndcg(Judged.from_gains(first_hit(r + 1))) for r in ranks_from_zero]}


def both_gains(grades: list[float], k: int) -> Values:
    """Return NDCG with both gains."""
    judged = Judged.from_gains(grades)
    return {kind: rm.ndcg(judged, k, gain=kind) for kind in KINDS}


WAYS = {
    graded_list: (
        "ch07-graded-rows ch07-graded-dcg ch07-graded-idcg ch07-graded-ndcg blog-intuition "
        "blog-dcg-rows blog-dcg blog-idcg-rows blog-idcg blog-ndcg notes-logs notes-dcg-rows "
        "notes-dcg notes-idcg-rows notes-idcg notes-ndcg"
    ),
    at_cuts: "blog-ndcg-ks blog-ndcg-perfect blog-own-ideal-flat",
    discount: "ch07-discounts ch14-e5-logs blog-discounts",
    discount_of_two: "notes-rank1-rank10",
    decay: "ch07-log-gentler blog-exponential-decay",
    gain_of_grades: "ch07-graded-gain-map",
    first_position: "blog-position1-variant",
    cost_of_a_place: "blog-insight-contribution blog-insight-cost blog-insight-first",
    two_users: "blog-alice-bob",
    own_and_whole_ideal: "blog-own-ideal",
    influence_of_users: "blog-ndcg-dominated",
    floor: "blog-ndcg-floor",
    good_and_poor_items: "notes-ndcg-correct-items",
    one_hidden_item: "book-ndcg-ranks book-ndcg-denominator",
    both_gains: "x-gain",
}
