"""Statistical checks: whether the lists are worse than chance, reversed, or of other users."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.evaluation._preflight._finding import Finding
from recsys_metrics.evaluation._preflight._inputs import EvaluationInput

# Pairs of users are compared all with all: more of them would decide nothing that these do not.
_MOST_USERS = 2000


@dataclass(frozen=True)
class TestedFinding:
    """A finding that is reported if its p-value, corrected, is small enough."""

    finding: Finding
    p_value: float


@dataclass(frozen=True)
class HitTable:
    """Lists and relevant items as two users x items tables, and what follows from them."""

    listed: Any
    relevant: Any

    @classmethod
    def of(cls, given: EvaluationInput) -> HitTable:
        """Return the tables of users who have both a list and something relevant."""
        both = np.flatnonzero(given.has_list & given.has_truth)[:_MOST_USERS].tolist()
        number = {item: at for at, item in enumerate(sorted(given.occurring, key=repr))}
        return cls(
            _table([[number[item] for item in given.top[at]] for at in both], len(number)),
            _table([[number[item] for item in given.truth[at]] for at in both], len(number)),
        )

    @cached_property
    def hits(self) -> Any:
        """The number of hits of each list, in rows, for each user, in columns."""
        return (self.listed @ self.relevant.T).tocsr()

    @cached_property
    def own(self) -> NDArray[np.float64]:
        """The hits of each user's own list."""
        return np.asarray(self.hits.diagonal(), dtype=np.float64)


def _table(rows: list[list[int]], width: int) -> Any:
    from scipy.sparse import csr_array

    indptr = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
    items = np.array([item for row in rows for item in row], dtype=np.int64)
    return csr_array((np.ones(len(items)), items, indptr), shape=(len(rows), width))


def p_of_pairing(hits: Any, total: float) -> float:
    r"""Return the probability of a total or more, if rows and columns are paired at random.

    The sum of a random pairing of an (n, n) table :math:`a` has the mean :math:`\sum a_{uv} / n`
    and the variance :math:`\sum d_{uv}^2 / (n - 1)`, where :math:`d` is :math:`a` without its row
    and column means (Hoeffding, 1951). The larger of the normal and the Poisson tail is returned:
    few hits are skewed, and many are not.
    """
    from scipy.special import gammainc, ndtr

    n = hits.shape[0]
    if n < 2 or not hits.nnz:
        return 1.0
    whole = float(hits.sum())
    rows, columns = (np.asarray(hits.sum(axis=axis)).ravel() for axis in (1, 0))
    squares = float((hits.data**2).sum())
    spread = squares - (rows**2).sum() / n - (columns**2).sum() / n + whole**2 / n**2
    deviation = np.sqrt(max(float(spread), 0.0) / (n - 1))
    mean = whole / n
    if deviation <= 1e-12 * max(mean, 1.0) or total <= mean:
        return 1.0
    return float(max(ndtr(-(total - 0.5 - mean) / deviation), gammainc(total, mean)))


def check_chance(given: EvaluationInput, *, repeat_consumption: bool) -> Iterator[TestedFinding]:
    """Yield tests of lists that do worse than random ones, and of lists in reversed order."""
    if given.knows_pool:
        yield _test_random(given, repeat_consumption=repeat_consumption)
    yield _test_order(given)


def _test_random(given: EvaluationInput, *, repeat_consumption: bool) -> TestedFinding:
    r"""Test whether lists have fewer hits than random ones.

    The hits of a random list of :math:`k` among :math:`N` items, of which :math:`r` are relevant,
    are hypergeometric, which is a sum of independent indicators with the mean :math:`kr/N`. So is
    their sum over users, whose lower tail is at most that of a binomial distribution of the same
    number of indicators and the same mean (Hoeffding, 1956).
    """
    from scipy.special import bdtr

    excluded = not repeat_consumption and _excludes_history(given)
    pool = {*given.pool}
    hits, mean, trials = 0, 0.0, 0
    for at, (row, true) in enumerate(zip(given.top, given.truth, strict=True)):
        seen = given.history[at] & pool if excluded and given.history else set()
        size = len(pool) - len(seen)
        reachable = [item for item in true if item in pool and item not in seen]
        length = min(len(row), size)
        if not size or not length:
            continue
        hits += sum(item in true for item in row)
        mean += length * len(reachable) / size
        trials += length
    p_value = 1.0
    if trials and hits <= mean - 1:
        p_value = float(bdtr(hits, trials, min(mean / trials, 1.0)))
    return TestedFinding(
        Finding(
            "worse-than-random",
            "fault",
            f"The lists have {hits:,} hits, and random lists of the same lengths have "
            f"{mean:,.1f} on average.",
            "Check whether the lowest scores were ranked first, as distances are, and whether "
            "items have the same ids everywhere.",
            hits,
            trials,
        ),
        p_value,
    )


def _excludes_history(given: EvaluationInput) -> bool:
    if given.history is None:
        return False
    rows = zip(given.top, given.history, strict=True)
    return not any(item in own for row, own in rows for item in row)


def _test_order(given: EvaluationInput) -> TestedFinding:
    r"""Test whether hits are at the end of the lists rather than at their beginning.

    If :math:`h` of the :math:`k` items of a list are relevant and their order is random, the sum of
    their ranks has the mean :math:`h(k + 1)/2` and the variance :math:`h(k - h)(k + 1)/12`
    (Wilcoxon's rank sum).
    """
    from scipy.special import ndtr

    ranks, mean, variance, users = 0, 0.0, 0.0, 0
    for row, true in zip(given.lists, given.truth, strict=True):
        at = [rank for rank, item in enumerate(row, start=1) if item in true]
        hits, length = len(at), len(row)
        if not 0 < hits < length:
            continue
        ranks += sum(at)
        mean += hits * (length + 1) / 2
        variance += hits * (length - hits) * (length + 1) / 12
        users += 1
    p_value = float(ndtr(-(ranks - 0.5 - mean) / np.sqrt(variance))) if variance else 1.0
    return TestedFinding(
        Finding(
            "order",
            "fault",
            f"Relevant items are at the end of the lists: the sum of their ranks is {ranks:,}, and "
            f"{mean:,.0f} in lists of random order ({users:,} users).",
            "Rank by descending scores, and by ascending ones if they are distances.",
            users,
            int(given.has_list.sum()),
        ),
        p_value if users >= 2 else 1.0,
    )


def check_pairing(given: EvaluationInput, table: HitTable) -> Iterator[TestedFinding]:
    """Yield tests of lists that belong to another user than the one they are judged for."""
    n = table.hits.shape[0]
    if n < 4:
        return
    places = np.arange(n)
    orders = {
        "the next row": np.roll(places, -1),
        "the row before": np.roll(places, 1),
        "the same row from the other end": places[::-1],
    }
    both = np.flatnonzero(given.has_list & given.has_truth)[:_MOST_USERS].tolist()
    users = [given.users[at] for at in both]
    for words, key in (("text", str), ("number", _number)):
        ordered = np.array(sorted(range(n), key=lambda at: key(users[at])), dtype=np.intp)
        if (ordered != places).any():
            orders[f"the user of the same place, if users are sorted as {words}"] = ordered
            orders[f"the place of the same user, if users are sorted as {words}"] = np.argsort(
                ordered
            )
    for where, order in orders.items():
        other = np.asarray(table.hits[places, order], dtype=np.float64).ravel()
        yield TestedFinding(
            Finding(
                "pairing",
                "fault",
                f"The lists have {int(other.sum()):,} hits if each is judged by what is relevant "
                f"to {where}, and {int(table.own.sum()):,} by that of its own user ({n:,} users).",
                "Lists and truths are in different orders: key both by user.",
                int((other > table.own).sum()),
                n,
            ),
            _p_of_other(table, table.hits, other),
        )


def _number(user: Any) -> tuple[float, str]:
    found = re.search(r"(\d+)\D*$", str(user))
    return (float(found[1]) if found else -1.0, str(user))


def _p_of_other(table: HitTable, hits: Any, other: NDArray[np.float64]) -> float:
    """Return the p-value of another reading, which has to be related, and more than ours."""
    from scipy.special import bdtrc

    better, worse = int((other > table.own).sum()), int((other < table.own).sum())
    if better <= worse:
        return 1.0
    more = float(bdtrc(better - 1, better + worse, 0.5))
    return max(p_of_pairing(hits, float(other.sum())), more)


def check_shifted_items(given: EvaluationInput, table: HitTable) -> Iterator[TestedFinding]:
    """Yield tests of item numbers that start from 0 on one side and from 1 on the other."""
    numbers: dict[Any, tuple[str, int]] = {}
    for each in given.occurring:
        if (found := _item_number(each)) is not None:
            numbers[each] = found
    if len(numbers) < len(given.occurring):
        return
    items = {number: item for item, number in numbers.items()}
    if len({prefix for prefix, _ in items}) > 1:
        return
    if table.hits.shape[0] < 4:
        return
    order = sorted(given.occurring, key=repr)
    column = {item: at for at, item in enumerate(order)}
    for step in (-1, 1):
        moved = np.full(len(order), -1, dtype=np.intp)
        for item, (prefix, number) in numbers.items():
            target = items.get((prefix, number + step))
            if target is not None:
                moved[column[item]] = column[target]
        shifted = _moved(table.listed, moved)
        hits = (shifted @ table.relevant.T).tocsr()
        other = np.asarray(hits.diagonal(), dtype=np.float64)
        yield TestedFinding(
            Finding(
                "shifted-items",
                "fault",
                f"The lists have {int(other.sum()):,} hits if {step:+d} is added to the number of "
                f"each recommended item, and {int(table.own.sum()):,} as they are "
                f"({len(other):,} users).",
                "One side numbers items from 0 and the other from 1: number both alike.",
                int((other > table.own).sum()),
                len(other),
            ),
            _p_of_other(table, hits, other),
        )


def _item_number(item: Any) -> tuple[str, int] | None:
    found = re.fullmatch(r"(\D*)(\d{1,18})", str(item))
    return (found[1], int(found[2])) if found else None


def _moved(table: Any, columns: NDArray[np.intp]) -> Any:
    """Return a table whose columns have moved; those that have no new place are left out."""
    from scipy.sparse import csr_array

    coo = table.tocoo()
    target = columns[coo.col]
    there = target >= 0
    return csr_array((coo.data[there], (coo.row[there], target[there])), shape=table.shape)
