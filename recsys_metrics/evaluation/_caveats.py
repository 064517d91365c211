"""Warnings that a reader of a report should know."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from recsys_metrics.evaluation._protocol import NOT_STATED, Protocol
from recsys_metrics.evaluation._result import Result
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance._intervals import explain_missing_interval

_FEW = 30
# With fewer items on a side it is no sign if hardly one is on the other.
_FEW_ITEMS = 20
# The share of the smaller side below which ids are likelier to differ than to miss each other.
_OVERLAP = 0.05
# A share of users below this is stated in the protocol and moves a mean by no more than itself.
_SMALL = 0.01
# From here on several grades are likelier to be stars than degrees of relevance.
_STARS = 4


def explain_sampling(sampled: int) -> str:
    """Return what to keep in mind if ranks are those among a sample of the items."""
    return (
        f"Ranks were taken among {sampled:,} sampled items, not the whole catalogue: values are "
        "higher, and the order of two models may be reversed. See "
        "protocol.candidates.expected_sampled_metric and protocol.candidates.corrected_metric."
    )


def list_caveats(
    results: Mapping[Measure, Result],
    protocol: Protocol,
    sampled: int | None,
    *,
    n_shared: int | None = None,
    sums: bool = False,
    items: tuple[int, int, int] | None = None,
    n_with_hit: int | None = None,
    n_constant: int | None = None,
    n_relevant_in_history: int | None = None,
    undefined: Sequence[str] = (),
    threshold: float | None = None,
    grades: tuple[float | None, float] = (None, 1.0),
) -> tuple[str, ...]:
    """Return what to keep in mind, given what was measured and how.

    Parameters
    ----------
    results : mapping from Measure to Result
    protocol : Protocol
    sampled : int or None
        How many other items each relevant one was ranked against.
    n_shared : int or None
        How many users have both a list and something relevant.
    sums : bool
        Whether only sums of users' values were kept.
    items : tuple of int, optional
        How many different items are recommended, how many are relevant to anybody, and how many
        are both; None if that is not known.
    n_with_hit : int, optional
        How many lists hold an item that is relevant to their user.
    n_constant : int or None
        How many lists came as scores that are all equal; None where none came as scores.
    n_relevant_in_history : int or None
        How many relevant items are in the history of the same user.
    undefined : sequence of str
        Why a measure has no value, for each that has none.
    threshold : float, optional
        The lowest grade that counts as relevant.
    grades : tuple of float
        The lowest grade above 0, None if only the highest is known; and the highest.
    """
    sentences = [*_grade_caveats(results, threshold, *grades)]
    if items is not None and min(items[:2]) >= _FEW_ITEMS and items[2] < _OVERLAP * min(items[:2]):
        sentences.append(
            f"{items[0]:,} different items are recommended and {items[1]:,} are relevant to some "
            f"user, but only {items[2]:,} are both: check that items have the same ids on both "
            "sides, written alike."
        )
    elif n_with_hit == 0 and n_shared is not None and n_shared >= _FEW_ITEMS:
        sentences.append(
            f"No item is relevant to the user it was recommended to, in {n_shared:,} lists: check "
            "that items have the same ids on both sides, written alike."
        )
    sentences += [f"No value for {problem}." for problem in undefined]
    if n_constant:
        sentences.append(
            f"In {n_constant:,} of {protocol.n_lists:,} lists all scores are equal, so their order "
            "is that of the item ids and says nothing about the recommender."
        )
    if n_shared == 0:
        sentences.append(
            "No user has both a list and something relevant, so there is no hit: check whether "
            "user ids are written alike in both."
        )
    sentences += _preflight_caveats(protocol, n_shared, n_relevant_in_history)
    if {measure.metric.family for measure in results} == {"accuracy"}:
        sentences.append(
            "Only accuracy was measured. Add a metric of another kind, such as coverage or "
            "self_information: accurate lists can show everybody the same few items."
        )
    if sampled is not None:
        sentences.append(explain_sampling(sampled))
    if protocol.split == NOT_STATED:
        sentences.append(
            "The split was not stated (split=…): a random one lets the future leak in."
        )
    if protocol.n_short:
        sentences.append(
            f"{protocol.n_short:,} of {protocol.n_lists:,} lists are shorter than the largest "
            "cut-off; their missing ranks count as misses."
        )
    of_users = {measure: result for measure, result in results.items() if measure.metric.per_user}
    few = min((result.n for result in of_users.values()), default=_FEW)
    if few < _FEW:
        sentences.append(
            f"A mean over {few} user{'s' if few != 1 else ''} says little about others: use its "
            "confidence interval, where there is one."
        )
    without: dict[str, list[str]] = {}
    for measure, result in of_users.items():
        # Between two bounds any two users allow an interval.
        bounded = all(math.isfinite(bound) for bound in measure.metric.bounds)
        if (not bounded or result.n < 2) and result.interval() is None:
            varies = result.n < 2 or not math.isnan(result.aggregate.standard_deviation)
            why = (
                explain_missing_interval(result.n)
                if varies
                else "sums do not show how the users vary"
            )
            without.setdefault(why, []).append(measure.label)
    sentences += [
        f"No confidence interval for {', '.join(names)}: {why}." for why, names in without.items()
    ]
    if sums:
        sentences.append(
            "Only sums were stored, not users' values (keep='sums'): confidence intervals "
            "of means are those "
            "of all users, but there are none of groups, of comparisons or of resamples, and "
            "a user in two batches is not noticed."
        )
    return tuple(sentences)


def _preflight_caveats(
    protocol: Protocol, n_shared: int | None, n_relevant_in_history: int | None
) -> Iterator[str]:
    """Yield those faults that `preflight` looks for and that were counted anyway."""
    if protocol.n_in_history and protocol.n_recommended:
        yield (
            f"{protocol.n_in_history:,} of {protocol.n_recommended:,} recommended items are in the "
            "history of the user they were recommended to: exclude them before ranking, unless "
            "users take items again."
        )
    if n_relevant_in_history:
        yield (
            f"{n_relevant_in_history:,} relevant items are in the history of the same user: the "
            "recommender was trained on what it is tested on, unless users take items again."
        )
    if protocol.n_without_relevant > _SMALL * protocol.n_lists:
        yield (
            f"{protocol.n_without_relevant:,} of {protocol.n_lists:,} users have nothing relevant: "
            "no_relevant= of each metric says whether they count."
        )
    if n_shared:
        without = protocol.n_lists - protocol.n_without_relevant - n_shared
        if without > _SMALL * protocol.n_lists:
            yield (
                f"{without:,} of {protocol.n_lists:,} users have something relevant and no list: "
                "they count as 0."
            )
    if protocol.n_tied and protocol.n_tied > _SMALL * protocol.n_lists:
        yield (
            f"In {protocol.n_tied:,} of {protocol.n_lists:,} lists a cut-off falls between equal "
            "scores: preflight says by how much their order moves the value."
        )


def _grade_caveats(
    results: Mapping[Measure, Result],
    threshold: float | None,
    lowest: float | None,
    highest: float,
) -> Iterator[str]:
    """Yield what to keep in mind of grades and the threshold."""
    if threshold is not None and highest < threshold:
        yield (
            f"No grade reaches threshold={threshold:g}, since the highest is {highest:g}: nothing "
            "counts as relevant."
        )
    # Where the lowest is 4 already, someone has left out what is not liked.
    if threshold is None and highest >= _STARS and lowest is not None and lowest < _STARS:
        yield (
            f"Grades from {lowest:g} to {highest:g} came without threshold=, so an item with "
            f"{lowest:g} counts as relevant. If these are stars, say which are enough: threshold=4."
        )
    graded = [measure.label for measure in results if _uses_grades(measure)]
    if threshold is not None and graded and lowest is not None and lowest < threshold:
        yield (
            f"{', '.join(graded)} counts grades below threshold={threshold:g} as smaller gains, "
            "and the other metrics do not count them at all; gain=binary makes them agree."
        )


def _uses_grades(measure: Measure) -> bool:
    """Whether a measure looks at the grades themselves, so that no threshold changes it."""
    if measure.name == "expected_reciprocal_rank":
        return True
    return measure.name in ("dcg", "ndcg") and measure.resolved["gain"] in ("linear", "exponential")
