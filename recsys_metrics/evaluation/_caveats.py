"""What a reader of a report should keep in mind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol as Form

from recsys_metrics.evaluation.protocol import NOT_STATED, Protocol
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.protocol.significance.intervals import why_none

_FEW = 30


class Counted(Form):
    """What a caveat must know of one measure's result."""

    @property
    def n(self) -> int:
        """How many users the mean is over."""

    def interval(self) -> Interval | None:
        """Return between which values it lies."""


def caveats(
    results: Mapping[Measure, Counted], protocol: Protocol, sampled: int | None
) -> tuple[str, ...]:
    """Return what to keep in mind, given what was measured and how.

    Parameters
    ----------
    results : mapping from Measure to its result
    protocol : Protocol
    sampled : int or None
        How many other items each relevant one was ranked against.
    """
    sentences = []
    if {made.metric.family for made in results} == {"accuracy"}:
        sentences.append(
            "Only accuracy was measured. Add a measure of another kind, such as coverage or "
            "self_information: accurate lists can show everybody the same few items."
        )
    if sampled is not None:
        sentences.append(
            f"Ranks were taken among {sampled:,} sampled items, not the whole catalogue: values "
            "are higher, and the order of two models may turn round. See "
            "protocol.expected_sampled_metric and protocol.corrected_metric."
        )
    if protocol.split == NOT_STATED:
        sentences.append(
            "The split was not stated (split=…): a random one lets the future leak in."
        )
    if protocol.n_short:
        sentences.append(
            f"{protocol.n_short:,} of {protocol.n_lists:,} lists are shorter than the largest "
            "cut-off; their missing ranks count as misses."
        )
    of_users = {made: result for made, result in results.items() if made.metric.per_user}
    few = min((result.n for result in of_users.values()), default=_FEW)
    if few < _FEW:
        sentences.append(
            f"A mean over {few} user{'s' if few != 1 else ''} says little about others: read its "
            "interval, where there is one."
        )
    without: dict[str, list[str]] = {}
    for made, result in of_users.items():
        # Between two bounds any two users allow an interval.
        bounded = all(math.isfinite(bound) for bound in made.metric.bounds)
        if (not bounded or result.n < 2) and result.interval() is None:
            without.setdefault(why_none(result.n), []).append(str(made))
    sentences += [f"No interval for {', '.join(names)}: {why}." for why, names in without.items()]
    return tuple(sentences)
