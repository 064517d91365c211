"""Recomputed entries on hits, first hits and averages over hits."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np

import recsys_metrics as rm
from recsys_metrics import Judged, judge

Values = dict[str, Any]


def list_of(precision: float, recall: float) -> Judged[float]:
    """Return a list that has this precision and this recall."""
    shown, found = (Fraction(str(share)) for share in (precision, recall))
    hits = max(1, np.lcm(shown.numerator, found.numerator)) if shown and found else 0
    if not hits:
        return Judged.from_gains([0], ideal=[1])
    length, relevant = int(hits / shown), int(hits / found)
    return Judged.from_gains([1] * hits + [0] * (length - hits), ideal=[1] * relevant)


def first_hit(rank: int) -> list[int]:
    """Return marks whose first and only hit is at this rank; none for rank 0."""
    return [0] * (rank - 1) + [1] if rank else [0]


def one_list(recommended: list[str], relevant: list[str], k: int) -> Values:
    """Return what every metric of one judged list says at k."""
    judged = judge(recommended, relevant)
    marks = judged.gains[:k].astype(int).tolist()
    ranks = [rank for rank, mark in enumerate(marks, 1) if mark]
    perfect = Judged.from_gains(judged.ideal)
    own = Judged.from_gains(sorted(marks, reverse=True))
    over_hits = rm.average_precision(judged, k, denominator="hits")
    return {
        "marks": marks,
        "hit_ranks": ranks,
        "hits": len(ranks),
        "relevant": int(judged.n_relevant),
        "missed": sorted(set(relevant) - set(recommended[:k])),
        "hit_rate": rm.hit_rate(judged, k),
        "precision": rm.precision(judged, k),
        "recall": rm.recall(judged, k),
        "f1": rm.f_beta(judged, k),
        "reciprocal_rank": rm.reciprocal_rank(judged, k),
        "precisions_at_hits": [rm.precision(judged, rank) for rank in ranks],
        "ap_over_relevant": rm.average_precision(judged, k),
        "ap_over_hits": over_hits,
        "ap_over_achievable": rm.average_precision(judged, k, denominator="achievable"),
        # What the sentence asks for: an average already divides, and is divided again.
        "ap_averaged_then_divided": over_hits / len(relevant),
        "dcg": rm.dcg(judged, k),
        "idcg": rm.dcg(perfect, k),
        "ndcg": rm.ndcg(judged, k),
        "idcg_own_list": rm.dcg(own, k),
        "ndcg_own_list": rm.ndcg(judged, k, ideal="list"),
    }


def values_of_one_list(
    recommended: list[str],
    relevant: list[str],
    k: int,
    labels: list[int],
    scores: list[float],
    table: list[str],
) -> Values:
    """Return how many of the printed values come from the list, and how many there are."""
    judged = judge(recommended, relevant)
    metrics = (
        rm.hit_rate,
        rm.precision,
        rm.recall,
        rm.f_beta,
        rm.reciprocal_rank,
        rm.average_precision,
        rm.ndcg,
    )
    from_list = [metric(judged, k) for metric in metrics]
    elsewhere = rm.roc_auc(labels, scores)

    def is_printed_as(value: float) -> bool:
        return any(round(value, len(text.partition(".")[2])) == float(text) for text in table)

    return {
        "from_the_running_list": sum(is_printed_as(value) for value in from_list),
        "from_other_scores": int(is_printed_as(elsewhere)),
        "total": len(table),
    }


def at_several_cuts(recommended: list[str], relevant: list[str], ks: list[int]) -> Values:
    """Return precision, recall and hits at each cut."""
    judged = judge(recommended, relevant)
    found: Values = {"relevant": int(judged.n_relevant)}
    for k in ks:
        found[f"precision_at_{k}"] = rm.precision(judged, k)
        found[f"recall_at_{k}"] = rm.recall(judged, k)
        found[f"hits_at_{k}"] = int(judged.gains[:k].sum())
    return found


def curve(recommended: list[str], relevant: list[str]) -> Values:
    """Return precision, recall and F at every cut of a list, and which way they go."""
    judged = judge(recommended, relevant)
    ks = range(1, len(recommended) + 1)
    precision, recall, f1 = (
        [metric(judged, k) for k in ks] for metric in (rm.precision, rm.recall, rm.f_beta)
    )
    rises = sum(later > earlier for earlier, later in itertools.pairwise(precision))
    return {
        "k": list(ks),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "precision_never_rises": rises == 0,
        "times_precision_rises": rises,
        "recall_never_falls": all(b >= a for a, b in itertools.pairwise(recall)),
    }


def by_rule(
    recommended: list[str], stars: dict[str, int], relevant: list[str], threshold: int, k: int
) -> Values:
    """Return precision and recall by the listed items and by the stated rule."""
    listed = judge(recommended, relevant)
    ruled = [item for item in recommended if stars.get(item, 0) >= threshold]
    judged = judge(recommended, {*relevant, *ruled})
    missing = sorted(set(ruled) - set(relevant))
    return {
        "precision_as_listed": rm.precision(listed, k),
        "recall_as_listed": rm.recall(listed, k),
        "precision_by_rule": rm.precision(judged, k),
        "recall_by_rule": rm.recall(judged, k),
        "missing_from_the_list": missing,
        "list_follows_the_rule": not missing,
    }


def relevant_by_threshold(stars: list[int], thresholds: list[int]) -> Values:
    """Return how many items count as relevant at each threshold."""
    items = [f"film {number}" for number in range(1, len(stars) + 1)]
    grades = dict(zip(items, stars, strict=True))
    return {
        f"relevant_at_{line}": int(judge(items, grades, threshold=line).n_relevant)
        for line in thresholds
    }


def short_list(hits: int, returned: int, k: int) -> Values:
    """Return precision of a list that is shorter than k, both ways."""
    judged = Judged.from_gains([1] * hits + [0] * (returned - hits))
    return {
        "over_k": rm.precision(judged, k),
        "over_recommended": rm.precision(judged, k, denominator="recommended"),
    }


def best_recall(k: int, relevant: int) -> Values:
    """Return the recall of a list of nothing but hits."""
    highest = rm.recall(Judged.from_gains([1] * k, ideal=[1] * max(k, relevant)), k)
    return {"highest_recall": highest, "full_recall_possible": bool(highest == 1)}


def best_precision(k: int, relevant: int) -> Values:
    """Return the precision of a list that holds all there is to find."""
    return {"highest_precision": rm.precision(Judged.from_gains([1] * relevant), k)}


def f_of_lists(precision: float, recall: float, betas: list[float]) -> Values:
    """Return F for one precision and one recall, and their plain mean."""
    judged = list_of(precision, recall)
    found = {f"f_beta_{beta}": rm.f_beta(judged, beta=beta) for beta in betas}
    return {**found, "arithmetic_mean": (rm.precision(judged) + rm.recall(judged)) / 2}


def f_of_nothing(precision: float, recall: float) -> Values:
    """Return F where the formula is 0 over 0."""
    judged = list_of(precision, recall)
    return {
        "formula_defined": bool(rm.precision(judged) + rm.recall(judged) > 0),
        "f1": rm.f_beta(judged),
    }


def f_over_users(users: list[list[float]]) -> Values:
    """Return the mean of users' F, and the F of their mean precision and recall."""
    lists = [list_of(precision, recall) for precision, recall in users]
    means = [float(np.mean([m(one) for one in lists])) for m in (rm.precision, rm.recall)]
    return {
        "mean_of_f1": float(np.mean([rm.f_beta(one) for one in lists])),
        "f1_of_means": rm.f_beta(list_of(*means)),
    }


def macro_and_micro(users: list[list[int]]) -> Values:
    """Return recall as a mean over users, and pooled over their relevant items."""
    lists = [
        judge([f"hit {n}" for n in range(hits)], [f"hit {n}" for n in range(relevant)])
        for hits, relevant in users
    ]
    recalls, sizes = [rm.recall(one) for one in lists], [one.n_relevant for one in lists]
    return {
        "macro": float(np.mean(recalls)),
        "micro": float(np.average(recalls, weights=np.ravel(sizes))),
    }


def nothing_relevant(recalls: list[float | None]) -> Values:
    """Return the mean with a user who has nothing relevant left out, and counted as 0."""
    lists, relevant = [], []
    for number, recall in enumerate(recalls):
        share = Fraction(str(recall or 0))
        lists.append([f"{number}.{i}" for i in range(share.numerator)] or [f"{number}.x"])
        wanted = share.denominator if recall is not None else 0
        relevant.append({f"{number}.{i}" for i in range(wanted)})
    judged = judge(lists, relevant)
    return {
        "left_out": float(np.nanmean(rm.recall(judged))),
        "counted_as_zero": float(rm.recall(judged, no_relevant="zero").mean()),
    }


def growth_of_hit_rate(first_hits: list[int], ks: list[int]) -> Values:
    """Return the share of users with a hit at each cut."""
    marks = [([0] * (r - 1) + [1] if r else [0]) for r in first_hits]
    judged = Judged.from_gains(
        [row + [0] * (max(ks) - len(row)) for row in marks], ideal=[[1]] * len(marks)
    )
    rates = [float(rm.hit_rate(judged, k).mean()) for k in ks]
    return {
        "hit_rate": rates,
        "never_falls": all(b >= a for a, b in itertools.pairwise(rates)),
    }


def reciprocal_ranks(ranks: list[int]) -> Values:
    """Return the reciprocal rank of each user, by first hit (0 for none), and their mean."""
    each = [rm.reciprocal_rank(Judged.from_gains(first_hit(r), ideal=[1])) for r in ranks]
    return {"reciprocal_ranks": each, "mrr": float(np.mean(each))}


def reciprocal_hits(ranks: list[int]) -> Values:
    """Return the reciprocal hit rate of one list, added up and averaged, and its first term."""
    judged = Judged.from_gains([int(rank in ranks) for rank in range(1, max(ranks) + 1)])
    added = rm.reciprocal_hit_rate(judged)
    averaged = rm.reciprocal_hit_rate(judged, reduce="mean")
    first = rm.reciprocal_rank(judged)
    return {
        "sum": added,
        "average": averaged,
        "first_only": first,
        "sum_is_average": bool(np.isclose(added, averaged)),
        "sum_is_first": bool(np.isclose(added, first)),
    }


def average_precision(marks: list[int], relevant: int) -> Values:
    """Return average precision with both denominators, from the marks of a list."""
    judged = Judged.from_gains(marks, ideal=[1] * relevant)
    hits = [rank for rank, mark in enumerate(marks, 1) if mark]
    over_relevant = rm.average_precision(judged)
    over_hits = rm.average_precision(judged, denominator="hits")
    return {
        "positions": hits,
        "precisions": [rm.precision(judged, rank) for rank in hits],
        "ap_over_relevant": over_relevant,
        "ap_over_hits": over_hits,
        "prose_equals_code": bool(np.isclose(over_relevant, over_hits)),
    }


def one_hit_more(fewer: list[int], more: list[int], relevant: int) -> Values:
    """Return average precision before and after one more hit, with both denominators."""
    before, after = (Judged.from_gains(marks, ideal=[1] * relevant) for marks in (fewer, more))
    over_hits = [rm.average_precision(judged, denominator="hits") for judged in (before, after)]
    over_relevant = [rm.average_precision(judged) for judged in (before, after)]
    return {
        "ap_over_hits": over_hits,
        "ap_over_relevant": over_relevant,
        "a_hit_never_lowers_it": bool(over_hits[1] >= over_hits[0]),
    }


def averages_of_positions(k: int, hits: list[int], relevant: int) -> Values:
    """Return average precision and average recall of a list with hits at these ranks."""
    judged = Judged.from_gains(
        [int(rank in hits) for rank in range(1, k + 1)], ideal=[1] * relevant
    )
    return {
        "precisions": [rm.precision(judged, rank) for rank in hits],
        "recalls": [rm.recall(judged, rank) for rank in hits],
        "ap": rm.average_precision(judged, k, denominator="hits"),
        "ar": rm.average_recall(judged, k),
    }


def average_recall_of_orders(lists: list[list[int]], relevant: int) -> Values:
    """Return average recall of lists with as many hits at different ranks."""
    each = [rm.average_recall(Judged.from_gains(marks, ideal=[1] * relevant)) for marks in lists]
    return {
        "ar": each,
        "closed_form": [(sum(marks) + 1) / (2 * relevant) for marks in lists],
        "order_matters": not np.allclose(each, each[0]),
    }


def highest_average_recall(relevant: int) -> Values:
    """Return average recall of a list that finds everything at once."""
    return {"maximum": rm.average_recall(Judged.from_gains([1] * relevant))}


def precision_recall_curve(marks: list[int], relevant: int) -> Values:
    """Return the columns of an AP table and the areas that go by the name of AP."""
    judged = Judged.from_gains(marks, ideal=[1] * relevant)
    ks = range(1, len(marks) + 1)
    precision = np.array([rm.precision(judged, k) for k in ks])
    recall = np.array([rm.recall(judged, k) for k in ks])
    # The areas are the claim itself: the best precision further right, then the step widths.
    lifted = np.maximum.accumulate(precision[::-1])[::-1]
    # The curve starts at recall 0 with the first precision.
    before = np.concatenate([precision[:1], precision[:-1]])
    levels = [
        max([p for p, r in zip(precision, recall, strict=True) if r >= level / 10 - 1e-12])
        for level in range(11)
    ]
    return {
        "precision": precision.tolist(),
        "recall": recall.tolist(),
        "multiplier": judged.gains.astype(int).tolist(),
        "ap": rm.average_precision(judged),
        "ar": rm.average_recall(judged, denominator="relevant"),
        "ap_interpolated": float(np.diff(recall, prepend=0) @ lifted),
        "ap_eleven_points": float(np.mean(levels)),
        "area_trapezoid": float(np.diff(recall, prepend=0) @ (precision + before) / 2),
    }


def ap_from_multipliers(marks: list[int], multiplier: list[int], relevant: int) -> Values:
    """Return what a table of precisions adds up to with the multipliers as printed."""
    judged = Judged.from_gains(marks, ideal=[1] * relevant)
    precisions = [rm.precision(judged, k) for k in range(1, len(marks) + 1)]
    return {"ap": float(np.dot(precisions, multiplier) / relevant)}


def leave_last_n_out_code(
    truth: dict[str, int], recommended: dict[str, list[int]], k: int
) -> Values:
    """Return the metrics of users with one held-out item each."""
    judged = judge(recommended, {user: {item} for user, item in truth.items()})
    first = [
        recommended[u][:k].index(i) + 1 if i in recommended[u][:k] else 0 for u, i in truth.items()
    ]
    return {
        "ranks": first,
        "recall": float(rm.recall(judged, k).mean()),
        "hit_rate": float(rm.hit_rate(judged, k).mean()),
        "ndcg": float(rm.ndcg(judged, k).mean()),
        "map": float(rm.average_precision(judged, k).mean()),
        "mrr": float(rm.reciprocal_rank(judged, k).mean()),
        # 1 / (rank + 1) is the reciprocal rank of a list that starts one rank lower.
        "map_by_printed_formula": float(
            np.mean(
                [
                    rm.reciprocal_rank(Judged.from_gains([0, *first_hit(r)], ideal=[1]))
                    for r in first
                ]
            )
        ),
    }


def question_of_precision(recommended: list[str], relevant: list[str], k: int) -> Values:
    """Return precision, recall, and what the plain-words line about precision asks for."""
    judged = judge(recommended, relevant)
    # The line asks which share of the items the user would go for they would go for.
    literal = rm.precision(judge(relevant, relevant))
    return {
        "precision": rm.precision(judged, k),
        "recall": rm.recall(judged, k),
        "literal_reading": literal,
        "asks_for_precision": bool(np.isclose(literal, rm.precision(judged, k))),
    }


def duplicates(recommended: list[str], relevant: list[str], k: int) -> Values:
    """Return recall and AP of a list that counts a repeat again, and whether `judge` refuses."""
    each = [judge([item], relevant) for item in recommended[:k]]
    hits = np.cumsum([one.gains.sum() for one in each])
    try:
        judge(recommended, relevant)
        refused = False
    except ValueError:
        refused = True
    recall = float(sum(rm.recall(one) for one in each))
    return {
        "recall": recall,
        "ap": float((hits / np.arange(1, k + 1)).sum() / len(relevant)),
        "within_0_and_1": recall <= 1,
        "refused_by_the_library": refused,
    }


def three_goals(first_hit_at: int, relevant: int, k: int, counts: list[int]) -> Values:
    """Return what tells the metrics of three goals apart."""
    second = Judged.from_gains(first_hit(first_hit_at))
    early = Judged.from_gains([1] * relevant + [0] * (k - relevant))
    late = Judged.from_gains([0] * (k - relevant) + [1] * relevant)
    one_item = [sum(counts)] + [0] * (len(counts) - 1)
    gini = rm.beyond_accuracy.gini
    return {
        "mrr_pays_for_rank_2": rm.reciprocal_rank(second),
        "hit_rate_at_1_pays_for_rank_2": rm.hit_rate(second, 1),
        "recall_wherever_they_stand": [rm.recall(one, k) for one in (early, late)],
        "gini_rises_on_collapse": bool(gini(one_item) > gini(counts)),
    }


WAYS = {
    one_list: (
        "ch03-setup ch04-hr ch04-precision ch04-recall ch04-f1 ch05-rr ch06-precisions ch06-ap "
        "ch06-ap-recipe ch16-ap-glossary ch07-dcg ch07-idcg ch07-ndcg ch09-table ch14-e2 ch14-e4 "
        "ch14-e5 ref-ap-hits ref-ndcg notes-recall5 x-ap-denominator x-ap-minkr x-idcg"
    ),
    values_of_one_list: "ch09-eight",
    at_several_cuts: "blog-pr5 blog-p10 blog-r10",
    curve: "blog-curve blog-precision-decreases blog-recall-increases",
    by_rule: "blog-threshold",
    relevant_by_threshold: "blog-three-star",
    short_list: "x-short-list",
    best_recall: "ref-recall-ceiling",
    best_precision: "notes-precision-ceiling",
    f_of_lists: "ch04-f1-lopsided ref-fbeta",
    f_of_nothing: "ref-fbeta-zero",
    f_over_users: "ref-f1-averaging",
    macro_and_micro: "x-macro-micro",
    nothing_relevant: "notes-no-relevant",
    growth_of_hit_rate: "ref-hr-growth",
    reciprocal_ranks: "ch05-rr-ladder ch14-e3 ref-rr notes-mrr notes-rr-pos2",
    reciprocal_hits: "notes-rhr-single notes-arhr",
    average_precision: "blog-ap-simple blog-ap-prose blog-ap-alice",
    one_hit_more: "ref-ap-hits-nonmonotone",
    averages_of_positions: "ref-ap10 ref-ar10",
    average_recall_of_orders: "ref-ar-order",
    highest_average_recall: "ref-ar-range",
    precision_recall_curve: (
        "notes-pk notes-ap-multipliers notes-ap6 notes-ap-interpolated notes-mar"
    ),
    ap_from_multipliers: "notes-ap-literal",
    leave_last_n_out_code: (
        "book-recall book-ndcg book-map book-map-formula book-recall-is-hr book-two-of-three"
    ),
    question_of_precision: "notes-precision-eli5",
    duplicates: "blog-duplicates",
    three_goals: "ch14-e9",
}
