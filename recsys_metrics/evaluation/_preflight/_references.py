"""Values of reference recommenders, and of the evaluation under test on their lists."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsys_metrics._core.confidence_intervals import UNBOUNDED
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.ties import best_first
from recsys_metrics.evaluation._preflight._finding import Finding, ReferenceValue
from recsys_metrics.evaluation._preflight._inputs import EvaluationInput
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.protocol.significance._intervals import interval_of_mean, moments
from recsys_metrics.ranking import judge

Score = Callable[[Mapping[Any, Any], Mapping[Any, Any]], Any]
Lists = list[list[Hashable]]

# References are means: with more users their intervals would say the same.
_MOST_USERS = 5000
_ALIKE = 1e-9


@dataclass(frozen=True)
class References:
    """Lists of the reference recommenders for some users, and the values of all."""

    users: list[Hashable]
    truth: list[dict[Hashable, float]]
    lists: Mapping[str, Lists]
    values: Mapping[str, FloatArray]
    bounds: tuple[float, float]

    def summarize(self) -> tuple[ReferenceValue, ...]:
        """Return the mean of each, with its interval."""
        return tuple(
            summarize_values(name, values, self.bounds) for name, values in self.values.items()
        )


def summarize_values(name: str, values: FloatArray, bounds: tuple[float, float]) -> ReferenceValue:
    """Return the mean of some users' values, with its interval."""
    there = values[~np.isnan(values)]
    interval: Interval | None = None
    if len(there) > 1:
        interval = interval_of_mean(*moments(there), bounds=bounds, level=0.95)
    mean = float(there.mean()) if len(there) else float("nan")
    return ReferenceValue(name, mean, interval, len(there))


def compute_references(
    given: EvaluationInput,
    measure: Measure,
    rng: np.random.Generator,
    *,
    repeat_consumption: bool,
) -> References:
    """Return lists and values of the recommender, random lists, popularity and an oracle."""
    chosen = np.flatnonzero(given.has_list | given.has_truth)
    if len(chosen) > _MOST_USERS:
        chosen = np.sort(rng.choice(chosen, _MOST_USERS, replace=False))
    at = chosen.tolist()
    pool = given.pool
    excluded: list[set[Hashable]] = [
        set() if given.history is None or repeat_consumption else given.history[each] for each in at
    ]
    lists: dict[str, Lists] = {
        "the recommender": [given.top[each] for each in at],
        "random": [_draw(pool, own, given.k, rng) for own in excluded],
    }
    if given.history_counts:
        counts = given.history_counts
        popular = sorted(pool, key=lambda item: (-counts.get(item, 0), repr(item)))
        lists["popularity"] = [_first(popular, own, given.k) for own in excluded]
    reachable = {*pool}
    lists["oracle"] = [
        [
            item
            for item in best_first(given.truth[each], given.truth[each], "order")
            if item in reachable
        ][: given.k]
        for each in at
    ]
    truth = [given.truth[each] for each in at]
    return References(
        [given.users[each] for each in at],
        truth,
        lists,
        {name: compute_values(rows, truth, measure) for name, rows in lists.items()},
        measure.metric.bounds,
    )


def compute_values(rows: Lists, truth: list[dict[Hashable, float]], measure: Measure) -> FloatArray:
    """Return the value of each user."""
    number: dict[Hashable, int] = {}
    for row in (*rows, *truth):
        for item in row:
            number.setdefault(item, len(number))
    width = max(map(len, rows), default=0)
    table = np.full((len(rows), max(width, 1)), -1, dtype=np.intp)
    for at, row in enumerate(rows):
        table[at, : len(row)] = [number[item] for item in row]
    indptr = np.append(0, np.cumsum([len(own) for own in truth])).astype(np.intp)
    items = np.array([number[item] for own in truth for item in own], dtype=np.intp)
    grades = np.array([grade for own in truth for grade in own.values()], dtype=np.float64)
    judged = judge(table, (indptr, items, grades))
    return np.asarray(measure(judged), dtype=np.float64)


def _draw(
    pool: list[Hashable], excluded: set[Hashable], k: int, rng: np.random.Generator
) -> list[Hashable]:
    """Return k items at random, without those that are excluded."""
    wanted = k + len(excluded)
    if 4 * wanted >= len(pool):
        order = rng.permutation(len(pool))
    else:
        order = rng.choice(len(pool), wanted, replace=False, shuffle=True)
    return _first([pool[at] for at in order.tolist()], excluded, k)


def _first(items: list[Hashable], excluded: set[Hashable], k: int) -> list[Hashable]:
    row: list[Hashable] = []
    for item in items:
        if item not in excluded:
            row.append(item)
            if len(row) == k:
                break
    return row


def check_references(given: EvaluationInput, references: References) -> Iterator[Finding]:
    """Yield whether the oracle, popularity or the recommender are where they cannot be."""
    values = references.values
    oracle, ours, chance = (values[name] for name in ("oracle", "the recommender", "random"))
    there = ~np.isnan(oracle) & ~np.isnan(ours)
    if not there.any():
        return
    best, mean = float(oracle[there].mean()), float(ours[there].mean())
    perfect = np.abs(ours - oracle)[there] <= _ALIKE
    if (
        there.sum() >= 20
        and best > 0
        and mean >= 0.99 * best
        and float(np.nanmean(chance)) < 0.5 * best
    ):
        yield Finding(
            "oracle-like",
            "fault",
            f"The recommender reaches {mean:.3f} and an oracle {best:.3f}: {int(perfect.sum()):,} "
            f"of {int(there.sum()):,} users have a perfect list.",
            "Look for what is relevant in the training data, in the features, or in the order of "
            "the candidates.",
            int(perfect.sum()),
            int(there.sum()),
        )
    gain = (ours - chance)[there]
    interval = interval_of_mean(*moments(gain), bounds=UNBOUNDED, level=0.95)
    if interval is not None and 0 in interval:
        yield Finding(
            "no-better-than-random",
            "note",
            f"The difference from random lists is {interval.estimate:.3f}, 95% CI "
            f"{interval.low:.3f} to {interval.high:.3f} (n = {len(gain):,} users).",
            "If the recommender was expected to be better, check which item each of its numbers "
            "stands for, and which user each list is for.",
            interval=interval,
        )
    if "popularity" in values:
        gain = (values["popularity"] - chance)[there]
        interval = interval_of_mean(*moments(gain), bounds=UNBOUNDED, level=0.95)
        if interval is not None and interval.high < 0:
            yield Finding(
                "popularity",
                "note",
                f"What most users interacted with before is less relevant than random items: the "
                f"difference is {interval.estimate:.3f}, 95% CI {interval.low:.3f} to "
                f"{interval.high:.3f} (n = {len(gain):,} users).",
                "Check that history and truth have the same item ids, unless items are "
                "short-lived, "
                "as news.",
                interval=interval,
            )


def check_score(references: References, score: Score, measure: Measure) -> Iterator[Finding]:
    """Yield where the evaluation under test differs from the metric on the same lists."""
    truth = {
        user: dict(own) for user, own in zip(references.users, references.truth, strict=True) if own
    }
    found, wrong = {}, []
    for name, rows in references.lists.items():
        lists = {
            user: [*row] for user, row in zip(references.users, rows, strict=True) if user in truth
        }
        # First: a function that changes the lists in place would change what it is compared with.
        wanted = compute_values([*lists.values()], [truth[user] for user in lists], measure)
        found[name] = _mean_of(score(lists, {user: dict(own) for user, own in truth.items()}))
        ours = float(np.nanmean(wanted)) if len(wanted) else float("nan")
        if not abs(found[name] - ours) <= max(_ALIKE, _ALIKE * abs(ours)):
            wrong.append(f"{found[name]:.6g} for {name} ({measure} is {ours:.6g})")
    if wrong:
        yield Finding(
            "score",
            "fault",
            f"On the same lists of {len(truth):,} users, score= gives {'; '.join(wrong)}.",
            "Compare the two on one user by hand; explain_difference of recsys_metrics.peers names "
            "conventions that differ. If score= is another metric, name it: measure=.",
            len(wrong),
            len(found),
        )
    if "oracle" in found and any(value > found["oracle"] + _ALIKE for value in found.values()):
        best = max(found, key=lambda name: found[name])
        yield Finding(
            "score",
            "fault",
            f"score= gives {found[best]:.6g} for {best} and {found['oracle']:.6g} for an oracle, "
            "which nothing can exceed.",
            "Check that it does not count an item twice, and that it divides by what is relevant.",
        )


def _mean_of(value: Any) -> float:
    """Return the mean of what an evaluation returned: a number, an array, or values by user."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    values = as_numbers(
        value, "what score= returns", what="the mean of the metric, or the value of each user"
    )
    if value is None or not values.size:
        raise ValueError("score= returned no value; it returns a mean, or the value of each user")
    return float(np.nanmean(values))


def bounds_of_ties(
    given: EvaluationInput, measure: Measure
) -> tuple[FloatArray, FloatArray] | tuple[None, None]:
    """Return users' values if relevant items come first, and last, among equal scores."""
    if given.scores is None:
        return None, None
    sides = []
    for turn in (1, -1):
        rows = []
        for own, true in zip(given.scores, given.truth, strict=True):
            gain = {item: turn * true.get(item, 0.0) for item in own if np.isfinite(own[item])}
            rows.append(best_first(best_first(gain, gain, "order"), own, "order")[: given.k])
        sides.append(compute_values(rows, given.truth, measure))
    return sides[0], sides[1]
