"""Checks that run the recommender again: with the same truth, and with that of other users."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.users import check_same_users
from recsys_metrics.evaluation._preflight._chance import TestedFinding
from recsys_metrics.evaluation._preflight._finding import Finding, ReferenceValue
from recsys_metrics.evaluation._preflight._inputs import EvaluationInput, read_given_lists
from recsys_metrics.evaluation._preflight._references import compute_values, summarize_values
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Interval, paired_t_test
from recsys_metrics.protocol.significance._gains import gain_interval

Recommend = Callable[[Mapping[Hashable, Mapping[Hashable, float]]], Any]


def check_second_run(
    given: EvaluationInput, again: Any, measure: Measure, columns: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield how many lists differ between two runs of one recommender, and by what."""
    other = _lists_by_user(again, columns)
    ours = dict(zip(given.users, given.top, strict=True))
    users = [user for user, there in zip(given.users, given.has_list, strict=True) if there]
    check_same_users(users, other, "recommended", "again", must_meet=False)
    absent = sum(user not in other for user in users)
    rows = [other.get(user, [])[: given.k] for user in users]
    different = sum(ours[user] != row for user, row in zip(users, rows, strict=True))
    if not different:
        return
    truth = [own for own, there in zip(given.truth, given.has_list, strict=True) if there]
    first = compute_values([ours[user] for user in users], truth, measure)
    second = compute_values(rows, truth, measure)
    interval, moved = _difference(first, second)
    yield Finding(
        "same-twice",
        "fault",
        f"{different:,} of {len(users):,} lists differ in the second run"
        f"{f', in which {absent:,} users have none' if absent else ''}: {measure} changes by "
        f"{moved}.",
        "Seed every generator, sort what has no order before it is ranked, and break ties by id. "
        "If the recommender is random by design, evaluate several runs and report their variation.",
        different,
        len(users),
        interval=interval,
    )


def _lists_by_user(recommended: Any, columns: Mapping[str, str]) -> dict[Hashable, list[Any]]:
    lists = read_given_lists(recommended, columns)
    return {user: [*dict.fromkeys(row)] for user, row in zip(lists.users, lists.rows, strict=True)}


def _difference(first: FloatArray, second: FloatArray) -> tuple[Interval | None, str]:
    """Return the interval of the second minus the first, and both in words."""
    there = ~(np.isnan(first) | np.isnan(second))
    gains = (second - first)[there]
    if len(gains) < 2 or not gains.any():
        mean = float(gains.mean()) if len(gains) else 0.0
        return None, f"{mean:+.3f} (n = {len(gains):,} users)"
    interval = gain_interval(first[there], second[there])
    return interval, (
        f"{interval.estimate:+.3f}, 95% CI {interval.low:.3f} to {interval.high:.3f} "
        f"(n = {len(gains):,} users)"
    )


def check_shuffled_truth(
    given: EvaluationInput,
    recommend: Recommend,
    measure: Measure,
    rng: np.random.Generator,
    columns: Mapping[str, str],
    *,
    sampled: int | None,
) -> tuple[ReferenceValue | None, list[Finding], list[TestedFinding]]:
    """Return the value with other users' truth, and whether the lists know what they are tested on.

    A recommender that ranks the whole catalogue does not know the truth, so its lists may not
    change with it. One that ranks sampled candidates gets other candidates with another truth; its
    value may then not exceed that of the best order that is the same for all users, which is by
    the number of users to whom an item is relevant.
    """
    at = np.flatnonzero(given.has_truth).tolist()
    if len(at) < 2:
        return None, [], []
    turned = _derangement(len(at), rng)
    shuffled = {
        given.users[one]: given.truth[at[other]] for one, other in zip(at, turned, strict=True)
    }
    other = _lists_by_user(recommend({user: dict(own) for user, own in shuffled.items()}), columns)
    users = [given.users[each] for each in at]
    whole = [other.get(user, []) for user in users]
    rows, truth = [row[: given.k] for row in whole], [shuffled[user] for user in users]
    values = compute_values(rows, truth, measure)
    reference = summarize_values("other users' truth", values, measure.metric.bounds)
    if sampled is None:
        return reference, [*_check_changed(given, at, rows)], []
    count: dict[Hashable, int] = {}
    for own in truth:
        for item in own:
            count[item] = count.get(item, 0) + 1
    popular = [
        # Without the user's own, which nothing knows that has not seen them.
        sorted(row, key=lambda item: (-(count.get(item, 0) - (item in own)), repr(item)))[: given.k]
        for row, own in zip(whole, truth, strict=True)
    ]
    bound = compute_values(popular, truth, measure)
    return reference, [], [*_test_against(values, bound, measure)]


def _derangement(n: int, rng: np.random.Generator) -> list[int]:
    """Return an order in which nothing is at its own place: a cycle through all, at random."""
    order = rng.permutation(n)
    turned = np.empty(n, dtype=np.intp)
    turned[order] = np.roll(order, 1)
    return [int(each) for each in turned]


def _check_changed(
    given: EvaluationInput, at: list[int], rows: list[list[Any]]
) -> Iterator[Finding]:
    changed = sum(given.top[each] != row for each, row in zip(at, rows, strict=True))
    if changed:
        yield Finding(
            "shuffled-truth",
            "fault",
            f"{changed:,} of {len(at):,} lists change if the users' relevant items are exchanged, "
            "so the recommender knows what it is tested on.",
            "Keep the test data out of training, of features and of tie-breaking. If candidates "
            "are sampled with the relevant items among them, say sampled=.",
            changed,
            len(at),
        )


def _test_against(
    values: FloatArray, bound: FloatArray, measure: Measure
) -> Iterator[TestedFinding]:
    there = ~(np.isnan(values) | np.isnan(bound))
    ours, best = values[there], bound[there]
    if len(ours) < 2 or not (ours != best).any():
        return
    test = paired_t_test(best, ours, alternative="greater")
    interval = gain_interval(best, ours)
    yield TestedFinding(
        Finding(
            "shuffled-truth",
            "fault",
            f"With the relevant items of other users {measure} is {ours.mean():.3f}, and the best "
            f"order that is the same for all users reaches {best.mean():.3f}: the difference is "
            f"{interval.estimate:.3f}, 95% CI {interval.low:.3f} to {interval.high:.3f} "
            f"(n = {len(ours):,} users).",
            "Look for relevant items that come first among equal scores, and for test data in "
            "training and in features.",
            interval=interval,
        ),
        float(test.p_value),
    )


def check_candidates(given: EvaluationInput, sampled: int | None) -> Iterator[Finding]:
    """Yield sampled candidates that lack relevant items, or that are not the number stated."""
    rows = [
        (len(row), sum(item in true for item in row), len(true))
        for row, true in zip(given.lists, given.truth, strict=True)
        if row and true
    ]
    if not rows:
        return
    if sampled is None:
        if _look_sampled(rows, given):
            yield Finding(
                "candidates",
                "note",
                f"Each of {len(rows):,} lists contains everything that is relevant to its user, "
                "among few other items: the candidates seem to be a sample.",
                "If they are, say sampled=: values are higher than among the whole catalogue, and "
                "the order of two recommenders may be another.",
                len(rows),
                len(rows),
            )
        return
    # Lists that were cut after ranking do not show their candidates.
    whole = [each for each in rows if each[0] > sampled]
    lacking = sum(found < relevant for _, found, relevant in whole)
    if lacking:
        yield Finding(
            "candidates",
            "fault",
            f"In {lacking:,} of {len(whole):,} lists of candidates a relevant item is missing.",
            "Add all relevant items of a user to the sampled ones before ranking.",
            lacking,
            len(whole),
        )
    uneven = sum(length - found != sampled for length, found, _ in whole)
    if uneven:
        yield Finding(
            "candidates",
            "fault",
            f"{uneven:,} of {len(whole):,} lists of candidates have another number of items that "
            f"are not relevant than sampled={sampled:,}.",
            "Sample the same number for each user, without relevant items and without repeats, or "
            "state the number that was sampled.",
            uneven,
            len(whole),
        )


def _look_sampled(rows: list[tuple[int, int, int]], given: EvaluationInput) -> bool:
    longer = all(length > given.k for length, _, _ in rows)
    full = all(found == relevant for _, found, relevant in rows)
    return len(rows) > 1 and longer and full and 2 * max(n for n, _, _ in rows) < len(given.pool)
