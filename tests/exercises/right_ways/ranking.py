"""Right answers to the exercises that ask for a function, written by different people."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np

import recsys_metrics as rm

# Precision -----------------------------------------------------------------------------------


def precision_by_set(recommended, relevant, k):
    return len(set(recommended[:k]) & relevant) / k


def precision_by_loop(recommended, truth, cut):
    found = 0
    for place in range(min(cut, len(recommended))):
        if recommended[place] in truth:
            found = found + 1
    return found / cut


def precision_in_numpy(recommended, relevant, k):
    return np.mean(
        [1.0 if i < len(recommended) and recommended[i] in relevant else 0.0 for i in range(k)]
    )


def precision_rounded(recommended, relevant, k):
    return round(sum(map(relevant.__contains__, recommended[:k])) / k, 4)


def precision_as_fraction(recommended, relevant, k):
    return Fraction(sum(item in relevant for item in recommended[:k]), k)


def precision_of_the_library(recommended, relevant, k=10):
    return rm.precision(rm.judge(recommended, relevant), k, no_relevant="zero")


# Recall ---------------------------------------------------------------------------------------


def recall_completed(recommended, relevant, k):
    if not relevant:
        return 0.0
    hits = sum(item in relevant for item in recommended[:k])
    return hits / len(relevant)


def recall_by_loop(recommended, truth, cut):
    found = 0
    for item in truth:
        if item in recommended[:cut]:
            found += 1
    return found / len(truth) if truth else 0


def recall_by_missed(recommended, relevant, k):
    missed = relevant.difference(recommended[:k])
    return 1 - len(missed) / len(relevant) if relevant else 0.0


def recall_in_numpy(recommended, relevant, k):
    return (
        np.isin(list(relevant), recommended[:k]).mean()
        if relevant and recommended
        else np.float64(0)
    )


def recall_as_fraction(recommended, relevant, k):
    return Fraction(len(relevant & set(recommended[:k])), max(1, len(relevant)))


# Average precision ---------------------------------------------------------------------------


def ap_by_rank(recommended, relevant, k):
    if len(relevant) == 0:
        return 0
    total = 0
    for i in range(1, k + 1):
        if i <= len(recommended) and recommended[i - 1] in relevant:
            total += len([x for x in recommended[:i] if x in relevant]) / i
    return total / len(relevant)


def ap_in_numpy(recommended, relevant, k):
    hits = np.array([item in relevant for item in recommended[:k]], dtype=float)
    if not relevant or hits.size == 0:
        return np.float64(0)
    precisions = hits.cumsum() / np.arange(1, hits.size + 1)
    return (precisions * hits).sum() / len(relevant)


def ap_in_single_precision(recommended, relevant, k):
    return np.float32(ap_by_rank(recommended, relevant, k))


def ap_by_recall_steps(recommended, relevant, k):
    area = last = found = 0
    for rank, item in enumerate(recommended[:k], start=1):
        found += item in relevant
        recall = found / len(relevant) if relevant else 0
        area += (recall - last) * found / rank
        last = recall
    return area


def ap_exactly(recommended, relevant, k):
    ranks = [i + 1 for i, item in enumerate(recommended[:k]) if item in relevant]
    total = sum((Fraction(j + 1, rank) for j, rank in enumerate(ranks)), Fraction(0))
    return total / max(1, len(relevant))


# NDCG ----------------------------------------------------------------------------------------


def ndcg_by_logs(recommended, relevant, k):
    dcg = sum(1 / math.log2(i + 2) for i, item in enumerate(recommended[:k]) if item in relevant)
    ideal = sum(1 / math.log2(i + 2) for i in range(min(len(relevant), k)))
    return dcg / ideal if ideal > 0 else 0.0


def ndcg_with_natural_logs(recommended, relevant, k):
    # The base cancels, so this is right as well.
    dcg = sum(1 / math.log(i + 2) for i, item in enumerate(recommended[:k]) if item in relevant)
    ideal = sum(1 / math.log(i + 2) for i in range(min(len(relevant), k)))
    return dcg / ideal if ideal > 0 else 0.0


def ndcg_in_numpy(recommended, relevant, k):
    gains = np.zeros(k)
    top = recommended[:k]
    gains[: len(top)] = np.isin(np.array(top, dtype=object), list(relevant)) if top else 0
    best = np.zeros(k)
    best[: len(relevant)] = 1
    discount = np.log2(np.arange(2, k + 2))
    ideal = (best / discount).sum()
    return np.array((gains / discount).sum() / ideal if ideal else 0.0)


def ndcg_through_sorting(recommended, relevant, k):
    unseen = [item for item in relevant if item not in recommended]
    everything = [1 if item in relevant else 0 for item in recommended] + [1] * len(unseen)

    def dcg(gains):
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))

    best = dcg(sorted(everything, reverse=True))
    found = dcg(everything[: len(recommended)])
    return 0 if best == 0 else found / best


def ndcg_rounded(recommended, relevant, k):
    return round(ndcg_by_logs(recommended, relevant, k), 3)


def ndcg_of_the_library(recommended, relevant, k):
    value = rm.ndcg(rm.judge(recommended, relevant), k)
    return 0 if math.isnan(value) else value


def ndcg_that_prints(recommended, relevant, k):
    print("recommended:", recommended)
    return ndcg_by_logs(recommended, relevant, k)


# With one line missing ------------------------------------------------------------------------


def dcg_completed(grades, k):
    from math import log2

    total = 0
    for rank, grade in enumerate(grades[:k], 1):
        total += grade / log2(rank + 1)
    return total


def dcg_by_index(grades, k):
    return sum(grades[i] / math.log(i + 2, 2) for i in range(min(k, len(grades))))


def dcg_in_numpy(grades, k):
    top = np.array(grades[:k], dtype=float)
    return top @ (1 / np.log2(np.arange(len(top)) + 2))


def dcg_of_the_library(grades, k):
    return rm.dcg(rm.Judged.from_gains(grades), k, no_relevant="zero")


def auc_completed(relevant, other):
    right = 0
    for r in relevant:
        for o in other:
            right += (r > o) + (r == o) / 2
    return right / (len(relevant) * len(other))


def auc_by_signs(relevant, other):
    signs = [np.sign(r - o) for r in relevant for o in other]
    return (np.mean(signs) + 1) / 2


def auc_in_numpy(relevant, other):
    one, two = np.array(relevant)[:, None], np.array(other)[None, :]
    return (one > two).mean() + (one == two).mean() / 2


def auc_exactly(relevant, other):
    worth = [Fraction((r > o) + (r >= o), 2) for r in relevant for o in other]
    return sum(worth) / len(worth)


def auc_of_the_library(relevant, other):
    return rm.roc_auc([1] * len(relevant) + [0] * len(other), [*relevant, *other])


def fcp_both_ways(preference, scores):
    films = range(len(preference))
    met = [(a, b) for a in films for b in films if preference[a] > preference[b]]
    right = sum((scores[a] > scores[b]) + (scores[a] == scores[b]) / 2 for a, b in met)
    return right / len(met)


def fcp_by_products(preference, scores):
    both = zip(preference, scores, strict=True)
    agree = [(a - b) * (s - t) for (a, s), (b, t) in combinations(both, 2) if a != b]
    return (sum(np.sign(agree)) / len(agree) + 1) / 2


def fcp_in_numpy(preference, scores):
    liked, scored = np.array(preference), np.array(scores)
    better = liked[:, None] > liked[None, :]
    signs = np.sign(scored[:, None] - scored[None, :])
    return (signs[better].mean() + 1) / 2


def fcp_exactly(preference, scores):
    met = product(zip(preference, scores, strict=True), repeat=2)
    worth = [Fraction((s > t) + (s >= t), 2) for (a, s), (b, t) in met if a > b]
    return sum(worth) / len(worth)


def fcp_of_the_library(preference, scores):
    return rm.fraction_of_concordant_pairs(preference, scores, ties="average")


def full_rank_completed(scores, seen, film):
    rivals = [scores[other] for other in scores if other not in seen and other != film]
    above = 0
    for score in rivals:
        above += score >= scores[film]
    return above + 1


def full_rank_by_count(scores, seen, film):
    return sum(scores[other] >= scores[film] for other in scores if other not in seen)


def full_rank_by_sorting(scores, seen, film):
    left = [number for number in scores if number not in seen]
    left.sort(key=lambda number: (scores[number], number != film), reverse=True)
    return left.index(film) + 1


def full_rank_in_numpy(scores, seen, film):
    left = np.array([scores[number] for number in scores.keys() - seen])
    return np.count_nonzero(left >= scores[film])


# Two stages ------------------------------------------------------------------------------------


def lost_by_set(relevant, retrieved, shown):
    return len((relevant & retrieved) - shown) / len(relevant)


def lost_by_loop(truth, retrieved, shown):
    lost = 0
    for item in truth:
        if item in retrieved and item not in shown:
            lost += 1
    return lost / len(truth)


def lost_by_counts(relevant, retrieved, shown):
    return (len(relevant & retrieved) - len(relevant & shown)) / len(relevant)


def lost_as_fraction(relevant, retrieved, shown):
    return Fraction(sum(item in relevant - shown for item in retrieved), len(relevant))


def conditional_by_loop(relevant, retrieved, shown):
    total, users = 0.0, 0
    for wanted, kept, final in zip(relevant, retrieved, shown, strict=True):
        entering = [item for item in wanted if item in kept]
        if not entering:
            continue
        users += 1
        total += sum(item in final for item in entering) / len(entering)
    return total / users


def conditional_in_numpy(relevant, retrieved, shown):
    entering = np.array([len(r & kept) for r, kept in zip(relevant, retrieved, strict=True)])
    found = np.array([len(r & final) for r, final in zip(relevant, shown, strict=True)])
    some = entering > 0
    return np.mean(found[some] / entering[some])


def conditional_with_nan(relevant, retrieved, shown):
    values = [
        len(r & final) / len(r & kept) if r & kept else math.nan
        for r, kept, final in zip(relevant, retrieved, shown, strict=True)
    ]
    return np.nanmean(values)


def conditional_exactly(relevant, retrieved, shown):
    rows = [(r & k, s) for r, k, s in zip(relevant, retrieved, shown, strict=True) if r & k]
    return sum(Fraction(len(reached & s), len(reached)) for reached, s in rows) / len(rows)


def conditional_of_the_library(relevant, retrieved, shown):
    stages = {"retrieval": [*map(list, retrieved)], "ranking": [*map(list, shown)]}
    return np.nanmean(rm.stage_recall(stages, relevant).conditional_recall[1])


RIGHT_WAYS = {
    "ranking.complete_lost": [
        lost_by_set,
        lost_by_loop,
        lost_by_counts,
        lost_as_fraction,
    ],
    "ranking.mean_conditional": [
        conditional_by_loop,
        conditional_in_numpy,
        conditional_with_nan,
        conditional_exactly,
        conditional_of_the_library,
    ],
    "ranking.complete_area": [
        ap_by_rank,
        ap_in_numpy,
        ap_by_recall_steps,
        ap_exactly,
    ],
    "ranking.complete_dcg": [
        dcg_completed,
        dcg_by_index,
        dcg_in_numpy,
        dcg_of_the_library,
    ],
    "ranking.complete_auc": [
        auc_completed,
        auc_by_signs,
        auc_in_numpy,
        auc_exactly,
        auc_of_the_library,
    ],
    "ranking.write_fcp": [
        fcp_both_ways,
        fcp_by_products,
        fcp_in_numpy,
        fcp_exactly,
        fcp_of_the_library,
    ],
    "ranking.complete_full_rank": [
        full_rank_completed,
        full_rank_by_count,
        full_rank_by_sorting,
        full_rank_in_numpy,
    ],
    "ranking.write_precision": [
        precision_by_set,
        precision_by_loop,
        precision_in_numpy,
        precision_rounded,
        precision_as_fraction,
        precision_of_the_library,
    ],
    "ranking.complete_recall": [
        recall_completed,
        recall_by_loop,
        recall_by_missed,
        recall_in_numpy,
        recall_as_fraction,
    ],
    "ranking.write_average_precision": [
        ap_by_rank,
        ap_in_numpy,
        ap_in_single_precision,
        ap_by_recall_steps,
        ap_exactly,
    ],
    "ranking.write_ndcg": [
        ndcg_by_logs,
        ndcg_with_natural_logs,
        ndcg_in_numpy,
        ndcg_through_sorting,
        ndcg_rounded,
        ndcg_of_the_library,
        ndcg_that_prints,
    ],
}
