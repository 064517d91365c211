"""What the parts on judges print, recomputed without the package.

The simulation is drawn once more with numpy's random numbers, in the same order; everything else
is loops and formulas.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from statistics import mean, stdev, variance

import numpy as np
import pytest

from tests.independent.test_movielens import read_printed


def logit(p):
    return math.log(p / (1 - p))


def logistic(x):
    return 1 / (1 + np.exp(-x))


@pytest.fixture(scope="module")
def told():
    return read_printed("08_judges")


@pytest.fixture(scope="module")
def told_of_lists():
    return read_printed("08_judges_generated")


def printed(lines, start):
    """Return the numbers of the first line that begins so."""
    for line in lines:
        if line.startswith(start):
            rest = line.removeprefix(start).replace(",", " ").replace("[", " ").replace("]", " ")
            return [
                float(word) for word in rest.split() if word.strip("-").replace(".", "").isdigit()
            ]
    raise AssertionError(f"no line begins with {start!r}")


# The first part ---------------------------------------------------------------------------------


@cache
def catalogue():
    """Draw the catalogue of the part: lists, and labels of people and of the judge."""
    n, pool = 20_200, 30
    rng = np.random.default_rng(1)
    share = logistic(logit(0.25) + rng.normal(0, 0.8, (n, 1)))
    human = rng.random((n, pool)) < share
    rng.normal(size=(n, pool))  # the lengths, which this judge ignores
    common = rng.normal(size=(n, pool)) * math.sqrt(0.7)
    found = []
    for quality, kin in ((1.0, 0.0), (1.2, 0.3)):
        noise = common + rng.normal(size=(n, pool)) * (1 - 0.7) ** 0.5
        lists = np.argsort(-(quality * human + noise), axis=1)[:, :10]
        odds = np.where(human, logit(0.85), logit(0.3)) + kin + rng.normal(0, 0.8, (n, 1))
        machine = rng.random((n, pool)) < logistic(odds)
        found.append(
            [np.take_along_axis(labels, lists, 1).astype(int) for labels in (human, machine)]
        )
    return found


@cache
def precisions():
    """Return the precision of each list: old and new, from people and from the judge."""
    return [[[sum(row) / 10 for row in labels.tolist()] for labels in one] for one in catalogue()]


def combine(y, f, others, weight=None):
    """Return the estimate, the standard error and the weight."""
    n, more = len(y), len(others)
    my, mf, mo = mean(y), mean(f), mean(others)
    fitted = weight is None
    if fitted:
        together = sum((a - my) * (b - mf) for a, b in zip(y, f, strict=True)) / n
        weight = min(max(together / ((1 + n / more) * variance(f + others)), 0), 1)
    left = [a - weight * b for a, b in zip(y, f, strict=True)]
    squares = sum((x - mean(left)) ** 2 for x in left) / (n - 2 if fitted else n - 1)
    error = math.sqrt(squares / n + weight**2 * variance(others) / more)
    return my + weight * (mo - mf), error, weight


def test_means_of_people_and_of_the_judge(told):
    human, machine = precisions()[1]
    assert printed(told, "people ")[0] == round(mean(human), 3)
    assert printed(told, "judge ")[0] == round(mean(machine), 3)


def test_kappa_over_lists(told):
    tables = []
    human, machine = (labels[:200].tolist() for labels in catalogue()[1])
    for h, m in zip(human, machine, strict=True):
        tables.append(
            [
                [sum((a, b) == (x, y) for a, b in zip(h, m, strict=True)) for y in (0, 1)]
                for x in (0, 1)
            ]
        )

    def kappa(counts):
        (a, b), (c, d) = counts
        n = a + b + c + d
        chance = ((a + b) * (a + c) + (c + d) * (b + d)) / n**2
        return ((a + d) / n - chance) / (1 - chance)

    total = [[sum(t[x][y] for t in tables) for y in (0, 1)] for x in (0, 1)]
    without = [kappa([[total[x][y] - t[x][y] for y in (0, 1)] for x in (0, 1)]) for t in tables]
    error = math.sqrt(199 / 200 * sum((k - mean(without)) ** 2 for k in without))
    estimate, half = kappa(total), 1.97196 * error
    shown = printed(told, "kappa, over lists:")
    assert shown[:3] == pytest.approx([estimate, estimate - half, estimate + half], abs=6e-4)
    assert any(str(total[0])[1:-1] in line for line in told)


def test_the_combined_mean(told):
    human, machine = precisions()[1]
    y, f, others = human[:200], machine[:200], machine[200:]
    estimate, error, weight = combine(y, f, others)
    shown = printed(told, "human labels and judge:")
    # The interval of a bounded mean is a little wider than Student's, and not symmetric.
    half = 1.97196 * error
    assert shown[:3] == pytest.approx([estimate, estimate - half, estimate + half], abs=2e-3)
    assert printed(told, "weight ")[0] == round(weight, 3)
    bias = mean(f) - mean(y)
    assert printed(told, "bias of the judge")[0] == pytest.approx(bias, abs=6e-4)
    assert printed(told, "corrected mean")[0] == pytest.approx(mean(others) - bias, abs=6e-4)


def test_the_combined_gain(told):
    (old_human, old_machine), (human, machine) = precisions()
    gains = [b - a for a, b in zip(old_human, human, strict=True)]
    by_judge = [b - a for a, b in zip(old_machine, machine, strict=True)]
    estimate, error, _ = combine(gains[:200], by_judge[:200], by_judge[200:])
    shown = printed(told, "combined")
    half = 1.97196 * error
    assert shown[:3] == pytest.approx([estimate, estimate - half, estimate + half], abs=1.1e-3)
    assert printed(told, "all people")[0] == pytest.approx(mean(gains), abs=6e-4)
    assert printed(told, "judge alone")[0] == pytest.approx(mean(by_judge[200:]), abs=6e-4)


# The second part --------------------------------------------------------------------------------


@cache
def requests():
    rng = np.random.default_rng(0)
    candidates = np.argsort(rng.random((300, 500)), axis=1)[:, :20]
    relevant = rng.random((300, 20)) < 0.25
    relevant[:, 0] |= ~relevant.any(axis=1)
    taste = 1.2 * relevant + rng.normal(size=(300, 20))
    return candidates, relevant, taste


@cache
def written():
    """Write the lists of the section on validity: titles as numbers, below 0 for invented ones."""
    candidates, _, taste = requests()
    rng = np.random.default_rng(1)
    rng.normal()
    scores = taste + 0.3 * rng.gumbel(size=taste.shape)
    films = np.take_along_axis(candidates, np.argsort(-scores, axis=1)[:, :10], axis=1)
    fault, which = rng.random(films.shape), rng.integers(10, size=films.shape)
    failed = rng.random(300) < 0.03
    lists = []
    for row in range(300):
        titles = []
        for place in range(10):
            if fault[row, place] < 0.1:
                titles.append(-1 - int(which[row, place]))
            elif fault[row, place] < 0.1 + 0.05 and titles:
                titles.append(titles[which[row, place] % len(titles)])
            else:
                titles.append(int(films[row, place]))
        lists.append([] if failed[row] else titles)
    return lists


def marks(titles):
    """Return of each slot whether it is valid, unknown or a repeat."""
    return [
        "unknown" if title < 0 else "repeat" if title in titles[:place] else "valid"
        for place, title in enumerate(titles)
    ]


def test_validity(told_of_lists):
    shares = {
        kind: mean(marks(titles).count(kind) / 10 for titles in written())
        for kind in ("valid", "unknown", "repeat")
    }
    shares["missing"] = mean(1 - len(titles) / 10 for titles in written())
    names = {"valid": "valid ", "unknown": "unknown ", "repeat": "repeated", "missing": "missing "}
    for kind, name in names.items():
        assert printed(told_of_lists, name)[0] == pytest.approx(shares[kind], abs=6e-4)
    faultless = mean(marks(titles).count("valid") == 10 for titles in written())
    assert printed(told_of_lists, "lists without a fault")[0] == pytest.approx(faultless, abs=6e-4)


def test_metrics_with_faults_counted(told_of_lists):
    candidates, relevant, _ = requests()
    wanted = [set(candidates[row][relevant[row]].tolist()) for row in range(300)]
    ndcg, ranks = {"miss": [], "drop": []}, {"miss": [], "drop": []}
    for titles, truth in zip(written(), wanted, strict=True):
        kinds = marks(titles)
        hits = [kind == "valid" and t in truth for kind, t in zip(kinds, titles, strict=True)]
        left = [hit for hit, kind in zip(hits, kinds, strict=True) if kind == "valid"]
        best = sum(1 / math.log2(rank + 2) for rank in range(min(len(truth), 10)))
        for how, row in (("miss", hits), ("drop", left)):
            ndcg[how].append(sum(h / math.log2(r + 2) for r, h in enumerate(row)) / best)
            ranks[how].append(1 / (row.index(True) + 1) if True in row else 0.0)
    for name, values in (("NDCG@10 ", ndcg), ("reciprocal rank", ranks)):
        shown = printed(told_of_lists, name)
        assert shown[:2] == pytest.approx([mean(values["miss"]), mean(values["drop"])], abs=6e-4)


def test_overlap_of_runs(told_of_lists):
    candidates, _, taste = requests()

    def write(order, seed):
        rng = np.random.default_rng(seed)
        rng.normal()
        place = order.argsort(axis=1)
        scores = taste + 0.3 * rng.gumbel(size=taste.shape) + 1.5 * (1 - place / 19)
        chosen = np.argsort(-scores, axis=1)[:, :10]
        return [set(row) for row in np.take_along_axis(candidates, chosen, axis=1).tolist()]

    def shuffle(seed):
        return np.random.default_rng(seed).random((300, 20)).argsort(axis=1)

    for name, orders in (("same order", [5, 5, 5]), ("shuffled ", [0, 1, 2])):
        runs = [write(shuffle(order), 10 + run) for run, order in enumerate(orders)]
        shared = [
            mean(len(a[user] & b[user]) / 10 for a, b in combinations(runs, 2))
            for user in range(300)
        ]
        assert printed(told_of_lists, name)[0] == pytest.approx(mean(shared), abs=6e-4)


def test_variance_between_runs(told_of_lists):
    _, relevant, taste = requests()
    rows = []
    for run in range(5):
        rng = np.random.default_rng(100 + run)
        scores = (1 + 0.25 * rng.normal()) * taste + 0.5 * rng.gumbel(size=taste.shape)
        chosen = np.argsort(-scores, axis=1)[:, :10]
        hits = np.take_along_axis(relevant, chosen, axis=1).tolist()
        totals = relevant.sum(axis=1).tolist()
        rows.append(
            [
                sum(h / math.log2(r + 2) for r, h in enumerate(row))
                / sum(1 / math.log2(r + 2) for r in range(min(total, 10)))
                for row, total in zip(hits, totals, strict=True)
            ]
        )
    by_user = [mean(column) for column in zip(*rows, strict=True)]
    by_run, grand = [mean(row) for row in rows], mean(by_user)
    left = sum(
        (x - by_run[r] - by_user[u] + grand) ** 2
        for r, row in enumerate(rows)
        for u, x in enumerate(row)
    ) / (4 * 299)
    user, run = (5 * variance(by_user) - left) / 5, (300 * variance(by_run) - left) / 300
    for users, runs in ((300, 5), (300, 20)):
        error = math.sqrt(user / users + run / runs + left / (users * runs))
        shown = printed(told_of_lists, f"{users} {runs} ")
        assert shown[0] == pytest.approx(error, abs=6e-4)
    shown = printed(told_of_lists, "over users alone:")
    half = 1.96793 * stdev(by_user) / math.sqrt(300)
    assert shown[:3] == pytest.approx([grand, grand - half, grand + half], abs=6e-4)
