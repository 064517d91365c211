"""Right answers to the exercises that ask for a function, written by different people."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, sqrt
from operator import mul
from statistics import stdev, variance

import numpy as np

from recsys_metrics.protocol.online import mann_whitney
from recsys_metrics.protocol.significance import randomization_test, t_interval

# Leaks ---------------------------------------------------------------------------------------


def leaks_by_minimum(train, test):
    return len([time for time in train if time > min(test)])


def leaks_by_any(train, test):
    count = 0
    for trained in train:
        if any(trained > tested for tested in test):
            count += 1
    return count


def leaks_in_numpy(train, test):
    return (np.array(train)[:, None] > np.array(test)).any(axis=1).sum()


def leaks_by_sorting(train, test):
    ordered, first = sorted(train), sorted(test)[0]
    return len(ordered) - np.searchsorted(ordered, first, side="right")


def leaks_as_float(train, test):
    return float(sum(map(min(test).__lt__, train)))


# The randomization test ----------------------------------------------------------------------


def p_by_patterns(gains):
    patterns = list(product([1, -1], repeat=len(gains)))
    sums = [sum(s * g for s, g in zip(p, gains, strict=True)) for p in patterns]
    return sum(abs(s) >= abs(sum(gains)) for s in sums) / len(sums)


def p_by_bits(gains):
    extreme = 0
    for pattern in range(2 ** len(gains)):
        total = 0
        for place, gain in enumerate(gains):
            total += gain if pattern >> place & 1 else -gain
        extreme += abs(total) >= abs(sum(gains))
    return extreme / 2 ** len(gains)


def p_by_means_in_numpy(gains):
    signs = np.array(list(product([1, -1], repeat=len(gains))))
    means = np.abs(signs @ np.array(gains)) / len(gains)
    return np.mean(means >= abs(np.mean(gains)) - 1e-9)


def p_by_who_is_turned(gains):
    places = range(len(gains))
    turned = [c for size in range(len(gains) + 1) for c in combinations(places, size)]
    far = [abs(sum(gains) - 2 * sum(gains[i] for i in c)) >= abs(sum(gains)) for c in turned]
    return Fraction(sum(far), len(far))


def p_by_sums_so_far(gains):
    sums = [0]
    for gain in gains:
        sums = [s + gain for s in sums] + [s - gain for s in sums]
    return round(sum(abs(s) >= abs(sum(gains)) for s in sums) / len(sums), 4)


def p_of_the_library(gains):
    return randomization_test([0] * len(gains), gains).p_value


# With one line missing -----------------------------------------------------------------------


def first_completed(rank, n_items, n_drawn):
    below, others, chance = n_items - rank, n_items - 1, 1.0
    for i in range(n_drawn):
        chance *= (below - i) / (others - i)
    return chance


def first_by_samples(rank, n_items, n_drawn):
    return comb(n_items - rank, n_drawn) / comb(n_items - 1, n_drawn)


def first_by_recursion(rank, n_items, n_drawn):
    if not n_drawn:
        return 1
    return (n_items - rank) / (n_items - 1) * first_by_recursion(rank, n_items - 1, n_drawn - 1)


def first_as_fraction(rank, n_items, n_drawn):
    return Fraction(comb(n_items - rank, n_drawn), comb(n_items - 1, n_drawn))


def first_in_numpy(rank, n_items, n_drawn):
    gone = np.arange(n_drawn)
    return np.prod((n_items - rank - gone) / (n_items - 1 - gone))


def error_completed(runs):
    mean = sum(runs) / len(runs)
    squares = sum((run - mean) ** 2 for run in runs)
    deviation = (squares / (len(runs) - 1)) ** 0.5
    return deviation / len(runs) ** 0.5


def error_of_the_stdlib(runs):
    return stdev(runs) / sqrt(len(runs))


def error_in_numpy(runs):
    return np.std(runs, ddof=1) / np.sqrt(len(runs))


def error_by_variance(runs):
    return (variance(runs) / len(runs)) ** 0.5


def error_of_the_library(runs):
    return t_interval(runs).standard_error


def lead_completed(lead, users, films):
    total = 0
    for u, row in enumerate(lead):
        for i, hit in enumerate(row):
            total += hit * users[u] * films[i]
    return total / sum(users)


def lead_in_numpy(lead, users, films):
    return np.array(users) @ np.array(lead) @ np.array(films) / sum(users)


def lead_by_copies(lead, users, films):
    rows = [row for row, copies in zip(lead, users, strict=True) for _ in range(copies)]
    hits = [hit for row in rows for hit, n in zip(row, films, strict=True) for _ in range(n)]
    return sum(hits) / len(rows)


def lead_by_user(lead, users, films):
    own = [sum(map(mul, row, films)) for row in lead]
    return Fraction(sum(map(mul, own, users)), sum(users))


def superiority_completed(old, new):
    points = 0
    for a in old:
        for b in new:
            points += 1 if b > a else 0.5 if b == a else 0
    return points / (len(old) * len(new))


def superiority_in_numpy(old, new):
    gaps = np.subtract.outer(new, old)
    return ((gaps > 0) + (gaps == 0) / 2).mean()


def superiority_by_signs(old, new):
    signs = [(b > a) - (b < a) for a, b in product(old, new)]
    return (1 + sum(signs) / len(signs)) / 2


def superiority_of_the_library(old, new):
    return mann_whitney(old, new).superiority


def moves_completed(clicks, shown):
    n, ratio = len(clicks), sum(clicks) / sum(shown)
    moves = [(c - ratio * s) / (sum(shown) / n) for c, s in zip(clicks, shown, strict=True)]
    return (sum(m**2 for m in moves) / (n - 1) / n) ** 0.5


def moves_in_numpy(clicks, shown):
    y, x = np.array(clicks), np.array(shown)
    return np.std((y - y.sum() / x.sum() * x) / x.mean(), ddof=1) / np.sqrt(len(y))


def moves_by_rates(clicks, shown):
    n, ratio, mean = len(clicks), sum(clicks) / sum(shown), sum(shown) / len(shown)
    moves = [s / mean * (c / s - ratio) for c, s in zip(clicks, shown, strict=True)]
    return stdev(moves) / sqrt(n)


def moves_by_covariance(clicks, shown):
    ratio, n = sum(clicks) / sum(shown), len(clicks)
    (yy, yx), (_, xx) = np.cov(clicks, shown)
    return np.sqrt((yy - 2 * ratio * yx + ratio**2 * xx) / n) / np.mean(shown)


# Sequences -------------------------------------------------------------------------------------


def sessions_completed(times, gap):
    n_sessions = 1
    for earlier, later in zip(times, times[1:], strict=False):  # noqa: RUF007
        n_sessions += later - earlier > gap
    return n_sessions


def sessions_in_numpy(times, gap):
    return 1 + np.count_nonzero(np.diff(times) > gap)


def sessions_by_starts(times, gap):
    starts = [time for n, time in enumerate(times) if n == 0 or time - times[n - 1] > gap]
    return len(starts)


def sessions_by_sum(times, gap):
    return 1 + sum(later - earlier > gap for earlier, later in pairwise(times))


def future_by_parts(train, test):
    def share(user, time):
        others = [when for other, when in train if other != user]
        return sum(when > time for when in others) / len(others)

    return sum(share(*event) for event in test) / len(test)


def future_in_numpy(train, test):
    users, times = np.array([user for user, _ in train]), np.array([time for _, time in train])
    return np.mean([np.mean(times[users != user] > time) for user, time in test])


def future_by_complement(train, test):
    known = [np.mean([when <= time for o, when in train if o != user]) for user, time in test]
    return 1 - np.mean(known)


def future_exactly(train, test):
    rows = [[when > time for other, when in train if other != user] for user, time in test]
    return sum(Fraction(sum(row), len(row)) for row in rows) / len(rows)


RIGHT_WAYS = {
    "protocol.count_sessions": [
        sessions_completed,
        sessions_in_numpy,
        sessions_by_starts,
        sessions_by_sum,
    ],
    "protocol.future_share": [
        future_by_parts,
        future_in_numpy,
        future_by_complement,
        future_exactly,
    ],
    "protocol.complete_first": [
        first_completed,
        first_by_samples,
        first_by_recursion,
        first_as_fraction,
        first_in_numpy,
    ],
    "protocol.complete_error": [
        error_completed,
        error_of_the_stdlib,
        error_in_numpy,
        error_by_variance,
        error_of_the_library,
    ],
    "protocol.complete_lead": [
        lead_completed,
        lead_in_numpy,
        lead_by_copies,
        lead_by_user,
    ],
    "protocol.complete_superiority": [
        superiority_completed,
        superiority_in_numpy,
        superiority_by_signs,
        superiority_of_the_library,
    ],
    "protocol.complete_moves": [
        moves_completed,
        moves_in_numpy,
        moves_by_rates,
        moves_by_covariance,
    ],
    "protocol.write_leaks": [
        leaks_by_minimum,
        leaks_by_any,
        leaks_in_numpy,
        leaks_by_sorting,
        leaks_as_float,
    ],
    "protocol.write_randomization": [
        p_by_patterns,
        p_by_bits,
        p_by_means_in_numpy,
        p_by_who_is_turned,
        p_by_sums_so_far,
        p_of_the_library,
    ],
}
