"""Every per-list metric once more, as plain as its definition: one user, Python lists, no numpy.

The library's kernels are held equal to these on random cases. Slow and obvious on purpose.
"""

from __future__ import annotations

import math

Recommended = list[int | None]
Grades = dict[int, float]


def hits(
    recommended: Recommended, grades: Grades, k: int | None, threshold: float = 1e-9
) -> list[int]:
    cut = len(recommended) if k is None else k
    padded = recommended[:cut] + [None] * (cut - len(recommended))
    return [int(grades.get(item, 0) >= threshold) for item in padded]


def n_relevant(grades: Grades, threshold: float = 1e-9) -> int:
    return sum(grade >= threshold for grade in grades.values())


def over(top: float, bottom: float) -> float:
    return top / bottom if bottom else 0.0


def hit_rate(recommended, grades, k):
    return float(any(hits(recommended, grades, k)))


def precision(recommended, grades, k, denominator="k"):
    found = hits(recommended, grades, k)
    bottom = {
        "k": len(found),
        "recommended": min(len(found), len(recommended)),
        "achievable": min(len(found), n_relevant(grades)),
    }[denominator]
    return over(sum(found), bottom)


def recall(recommended, grades, k, denominator="relevant"):
    found = hits(recommended, grades, k)
    bottom = {
        "relevant": n_relevant(grades),
        "achievable": min(len(found), n_relevant(grades)),
        "listed": sum(hits(recommended, grades, None)),
    }[denominator]
    return over(sum(found), bottom)


def f_beta(
    recommended, grades, k, beta=1.0, precision_denominator="k", recall_denominator="relevant"
):
    p = precision(recommended, grades, k, precision_denominator)
    r = recall(recommended, grades, k, recall_denominator)
    return over((1 + beta**2) * p * r, beta**2 * p + r)


def r_precision(recommended, grades, k):
    total = n_relevant(grades)
    ranks = total if k is None else min(k, total)
    return over(sum(hits(recommended, grades, ranks)), total)


def reciprocal_rank(recommended, grades, k):
    for rank, hit in enumerate(hits(recommended, grades, k), start=1):
        if hit:
            return 1 / rank
    return 0.0


def reciprocal_hit_rate(recommended, grades, k, reduce="sum"):
    found = hits(recommended, grades, k)
    total = sum(hit / rank for rank, hit in enumerate(found, start=1))
    if reduce == "ideal":
        could = n_relevant(grades) if k is None else min(k, n_relevant(grades))
        return over(total, sum(1 / rank for rank in range(1, could + 1)))
    return total if reduce == "sum" else over(total, sum(found))


def average_precision(recommended, grades, k, denominator="relevant"):
    found = hits(recommended, grades, k)
    at = [sum(found[:rank]) / rank for rank in range(1, len(found) + 1)]
    if denominator == "prefixes":
        return over(sum(at), len(found))
    bottom = {
        "relevant": n_relevant(grades),
        "achievable": min(len(found), n_relevant(grades)),
        "recommended": min(len(found), len(recommended), n_relevant(grades)),
        "k": len(found),
        "hits": sum(found),
        "listed": sum(hits(recommended, grades, None)),
    }[denominator]
    return over(sum(p for p, hit in zip(at, found, strict=True) if hit), bottom)


def average_recall(recommended, grades, k, denominator="hits"):
    found = hits(recommended, grades, k)
    at = [over(sum(found[:rank]), n_relevant(grades)) for rank in range(1, len(found) + 1)]
    if denominator == "prefixes":
        return over(sum(at), len(found))
    bottom = {"hits": sum(found), "relevant": n_relevant(grades)}[denominator]
    return over(sum(r for r, hit in zip(at, found, strict=True) if hit), bottom)


def gain_of(grade, gain):
    if gain.startswith("exponential"):
        return 2**grade - 1
    return float(grade > 0) if gain == "binary" else grade


def discounted(gains, discount):
    def factor(rank):
        if discount == "none":
            return 1.0
        return 1 / math.log2(rank + 1 if discount == "log2" else max(rank, 2))

    return sum(gain * factor(rank) for rank, gain in enumerate(gains, start=1))


def dcg(recommended, grades, k, gain="linear", discount="log2"):
    cut = recommended if k is None else recommended[:k]
    return discounted([gain_of(grades.get(item, 0), gain) for item in cut], discount)


def ndcg(recommended, grades, k, gain="linear", discount="log2", ideal="all"):
    listed = [
        gain_of(grades.get(item, 0), gain)
        for item in (recommended if k is None else recommended[:k])
    ]
    everything = sorted((gain_of(grade, gain) for grade in grades.values()), reverse=True)
    best = {
        "all": everything if k is None else everything[:k],
        "uncut": everything,
        "list": sorted(listed, reverse=True),
        "listed": sorted((gain_of(grades.get(i, 0), gain) for i in recommended), reverse=True)[:k],
        "full": [1.0] * (len(recommended) if k is None else k),
    }[ideal]
    return over(dcg(recommended, grades, k, gain, discount), discounted(best, discount))


def rank_biased_precision(recommended, grades, k, p=0.8):
    found = hits(recommended, grades, k)
    return (1 - p) * sum(p ** (rank - 1) * hit for rank, hit in enumerate(found, start=1))


def expected_reciprocal_rank(recommended, grades, k, max_grade):
    value, reading = 0.0, 1.0
    for rank, item in enumerate(recommended if k is None else recommended[:k], start=1):
        satisfied = (2 ** grades.get(item, 0) - 1) / 2**max_grade
        value += reading * satisfied / rank
        reading *= 1 - satisfied
    return value


def bpref(recommended, grades, k):
    total = n_relevant(grades)
    rejected = len(grades) - total
    value, above = 0.0, 0
    for item in recommended if k is None else recommended[:k]:
        if item not in grades:
            continue
        if grades[item] == 0:
            above += 1
        else:
            value += 1 - (min(above, total) / min(rejected, total) if above else 0)
    return over(value, total)


def interpolated_precision(recommended, grades, k, recall=None):
    levels = [tenth / 10 for tenth in range(11)] if recall is None else [recall]
    total, found, points = n_relevant(grades), 0, []
    for rank, item in enumerate(recommended if k is None else recommended[:k], start=1):
        found += grades.get(item, 0) > 0
        points.append((found / total, found / rank))
    best = [max((p for r, p in points if r >= level - 1e-9), default=0.0) for level in levels]
    return sum(best) / len(best)


def fall_out(recommended, grades, k, n_items):
    shown = recommended if k is None else recommended[:k]
    wrong = sum(grades.get(item, 0) == 0 for item in shown)
    return over(wrong, n_items - n_relevant(grades))


def matthews_correlation(recommended, grades, k, n_items):
    shown = recommended if k is None else recommended[:k]
    tp = sum(grades.get(item, 0) > 0 for item in shown)
    fp, fn = len(shown) - tp, n_relevant(grades) - tp
    tn = n_items - tp - fp - fn
    return over(tp * tn - fp * fn, math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def roc_auc(labels, scores):
    pairs = [
        1.0 if good > bad else 0.5 if good == bad else 0.0
        for good, label in zip(scores, labels, strict=True)
        if label
        for bad, other in zip(scores, labels, strict=True)
        if not other
    ]
    return sum(pairs) / len(pairs) if pairs else math.nan


def fraction_of_concordant_pairs(preference, scores, users, pooling, ties, count_tied):
    shares, right, counted = [], 0.0, 0
    for user in sorted(set(users)):
        mine = [i for i, u in enumerate(users) if u == user]
        pairs = [(i, j) for i in mine for j in mine if preference[i] > preference[j]]
        tied = sum(scores[i] == scores[j] for i, j in pairs)
        worth = {"worst": 0, "average": 0.5, "best": 1}[ties] * count_tied
        good = sum(scores[i] > scores[j] for i, j in pairs) + worth * tied
        total = len(pairs) - (0 if count_tied else tied)
        right, counted = right + good, counted + total
        if total:
            shares.append(good / total)
    if pooling == "pairs":
        return right / counted if counted else math.nan
    return sum(shares) / len(shares) if shares else math.nan
