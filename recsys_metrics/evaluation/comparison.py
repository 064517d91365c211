"""Two reports of the same users, side by side: gain, interval, verdict."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.evaluation.protocol import Protocol as Card
from recsys_metrics.evaluation.views import View, as_html, as_text, by_family, say
from recsys_metrics.measures import ByMeasure, Measure, measure
from recsys_metrics.protocol.significance import (
    Interval,
    Verdict,
    adjust,
)
from recsys_metrics.protocol.significance.gains import gain_and_p
from recsys_metrics.protocol.significance.intervals import moments, why_none


class Valued(Protocol):
    """What a comparison must know of one measure's result."""

    @property
    def measure(self) -> Measure:
        """What was measured."""

    @property
    def value(self) -> float:
        """What was found."""

    @property
    def values(self) -> NDArray[np.float64] | None:
        """One value per user."""


class Pairable(Protocol):
    """What a comparison must know of a report."""

    @property
    def name(self) -> str:
        """Of what was evaluated."""

    @property
    def results(self) -> Mapping[Measure, Valued]:
        """What was found, measure by measure."""

    @property
    def users(self) -> tuple[Hashable, ...] | None:
        """The users' keys in the order of the values."""

    @property
    def protocol(self) -> Card:
        """How it came about."""

    @property
    def truth(self) -> NDArray[Any]:
        """How many items are relevant to each user."""

    def __iter__(self) -> Iterator[str]: ...


@dataclass(frozen=True)
class Difference:
    """What one measure gained.

    Attributes
    ----------
    measure : Measure
    new, old : float
        The two values, over the users who have both.
    gain : float
        New less old, whichever side is better.
    interval : Interval or None
        Of the gain, paired by user (`protocol.significance.gain_interval`); None for a measure
        of all lists together, and where the users' gains allow none.
    p_value : float
        Of McNemar's exact test for hits, of the paired t test for other values; NaN where fewer
        than 50 users changed.
    adjusted : float
        The p-value corrected for all measures of the comparison, by Holm's method.
    better, worse, equal : int
        How many users have a higher, a lower and an equal value.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> old = evaluate([["A"], ["A"]], [{"A"}, {"B"}], ["hit_rate@1"])
    >>> new = evaluate([["A"], ["B"]], [{"A"}, {"B"}], ["hit_rate@1"])
    >>> found = new.compare(old)["hit_rate@1"]
    >>> found.gain, found.better, found.worse, found.equal
    (0.5, 1, 0, 1)
    """

    measure: Measure
    new: float
    old: float
    gain: float
    interval: Interval | None
    p_value: float
    adjusted: float
    better: int
    worse: int
    equal: int


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(
    ByMeasure[Difference], entries="differences", absent="is not in both reports; both have"
):
    """The gains of one report over another, measure by measure, and a verdict on one of them.

    Made by `Report.compare`. A mapping: ``comparison["ndcg@10"].interval``.

    Attributes
    ----------
    new, old : str
        Names of the two reports.
    differences : mapping from Measure to Difference
    decided_on : Measure or None
        What the verdict is about; None if no measure has values of single users.
    verdict : Verdict or None
    level : float
        Confidence of the intervals.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> truth = [{"A"}, {"B"}, {"C"}, {"A"}]
    >>> old = evaluate([["B"], ["B"], ["A"], ["B"]], truth, ["hit_rate@1"], name="old")
    >>> new = evaluate([["A"], ["B"], ["C"], ["B"]], truth, ["hit_rate@1"], name="new")
    >>> compared = new.compare(old)
    >>> compared["hit_rate@1"].gain
    0.5
    >>> print(compared.verdict)
    do not ship: the 95 % interval of the gain is [-0.242, 0.932] and holds 0
    """

    new: str
    old: str
    differences: Mapping[Measure, Difference]
    decided_on: Measure | None
    verdict: Verdict | None
    level: float

    def __repr__(self) -> str:
        return as_text(_view(self))

    def _repr_html_(self) -> str:
        return as_html(_view(self))


def compare(
    new: Pairable,
    old: Pairable,
    *,
    level: float,
    worthwhile: float,
    decide_on: str | Measure | None,
) -> Comparison:
    """Return the gains of one report over another of the same users."""
    order = _in_step(new, old)
    shared = [made for made in new.results if made in old.results]
    if not shared:
        raise ValueError(f"the reports share no measure: {', '.join(new)} against {', '.join(old)}")
    found = [_difference(new.results[made], old.results[made], order, level) for made in shared]
    differences = {difference.measure: difference for difference in corrected(found)}
    decided_on = decisive(differences, decide_on)
    verdict = None
    if decided_on is not None:
        verdict = Verdict.of(improvement(differences[decided_on]), worthwhile=worthwhile)
    return Comparison(new.name, old.name, differences, decided_on, verdict, level)


def _in_step(new: Pairable, old: Pairable) -> Any:
    """Return where each user of the new report stands in the old one."""
    if (new.users is None) != (old.users is None):
        raise ValueError(
            "one report is keyed by user and the other is not, so users cannot be paired; "
            "evaluate both in one form"
        )
    n, m = new.protocol.n_lists, old.protocol.n_lists
    if n != m:
        raise ValueError(f"the reports are of {n} and {m} users; compare on the same users")
    order: Any = np.arange(n)
    if new.users is not None and old.users is not None and new.users != old.users:
        place = {user: i for i, user in enumerate(old.users)}
        missing = [user for user in new.users if user not in place]
        if missing:
            raise ValueError(
                f"user {missing[0]!r} is in one report only; compare on the same users"
            )
        order = np.array([place[user] for user in new.users])
    if not np.array_equal(new.truth, old.truth[order]):
        row = int((new.truth != old.truth[order]).argmax())
        who = f"user {new.users[row]!r}" if new.users is not None else f"list {row}"
        raise ValueError(
            f"the reports do not agree on what is relevant to {who}: {new.truth[row]} and "
            f"{old.truth[order][row]} items; a gain over another truth means nothing"
        )
    return order


def corrected(found: list[Difference]) -> list[Difference]:
    """Return differences with their p-values corrected for how many there are."""
    tested = [i for i, difference in enumerate(found) if not np.isnan(difference.p_value)]
    if not tested:
        return found
    adjusted = adjust([found[i].p_value for i in tested])
    corrected = list(found)
    for i, p in zip(tested, adjusted.tolist(), strict=True):
        corrected[i] = replace(found[i], adjusted=p)
    return corrected


def _difference(new: Valued, old: Valued, order: Any, level: float) -> Difference:
    """Return what a measure gained, before any correction of its p-value."""
    if new.values is None or old.values is None:
        ends = (new.value, old.value, new.value - old.value)
        return _made(new.measure, ends, np.zeros(0))
    ours, theirs = new.values, old.values[order]
    both = ~(np.isnan(ours) | np.isnan(theirs))
    ours, theirs = ours[both], theirs[both]
    gains = ours - theirs
    if not len(gains):
        return _made(new.measure, (np.nan, np.nan, np.nan), gains)
    ends = (float(ours.mean()), float(theirs.mean()), float(gains.mean()))
    up, down = int(np.count_nonzero(gains > 0)), int(np.count_nonzero(gains < 0))
    interval, p = gain_and_p(
        *moments(gains), up, down, bounds=new.measure.metric.bounds, level=level
    )
    return _made(new.measure, ends, gains, interval, p)


def _made(
    made: Measure,
    ends: tuple[float, float, float],
    gains: NDArray[np.float64],
    interval: Interval | None = None,
    p: float = np.nan,
) -> Difference:
    better, worse, equal = (int(np.count_nonzero(np.sign(gains) == sign)) for sign in (1, -1, 0))
    return Difference(made, *ends, interval, p, np.nan, better, worse, equal)


def decisive(
    differences: Mapping[Measure, Difference], asked: str | Measure | None
) -> Measure | None:
    """Return the measure that the verdict is about."""
    if asked is not None:
        wanted = measure(asked) if isinstance(asked, str) else asked
        if wanted not in differences:
            raise ValueError(
                f"{wanted} is not in both reports; there are {', '.join(map(str, differences))}"
            )
        if wanted.metric.better is None:
            raise ValueError(f"neither side of {wanted} is better by itself; decide on another")
        if differences[wanted].interval is None:
            raise ValueError(f"{wanted} has no interval of its gain; decide on another")
        return wanted
    can = [m for m, d in differences.items() if d.interval is not None and m.metric.better]
    return next((m for m in can if m.metric.family == "accuracy"), next(iter(can), None))


def improvement(difference: Difference) -> Interval:
    """Return the interval of the gain, turned round where less is better."""
    interval = difference.interval
    assert interval is not None
    if difference.measure.metric.better == "lower":
        return Interval(
            -interval.estimate, -interval.high, -interval.low, interval.level, interval.n
        )
    return interval


def _view(comparison: Comparison) -> View:
    level = f"{100 * comparison.level:g} %"
    lead = ""
    if comparison.verdict is not None:
        lead = f"By {comparison.decided_on}: {comparison.verdict}."
    rows = {
        str(made): (made, _cells(difference)) for made, difference in comparison.differences.items()
    }
    return View(
        title=f"{comparison.new} against {comparison.old}",
        headings=[
            "Measure",
            comparison.new,
            comparison.old,
            "Gain",
            f"{level} interval",
            "p (Holm)",
            "Users up / down / equal",
        ],
        sections=by_family(rows),
        questions={},
        legend="Gains are paired: each user's value less the same user's other value. p is that "
        "of a paired t test, or McNemar's where all is hit or miss, corrected for all rows. The "
        "verdict is about one measure, chosen beforehand.",
        lead=lead,
        care=[
            f"No interval for {made}: {why_none(difference.better + difference.worse)}."
            for made, difference in comparison.differences.items()
            if made.metric.per_user and difference.interval is None
        ],
    )


def _cells(difference: Difference) -> list[str]:
    interval = difference.interval
    counts = (difference.better, difference.worse, difference.equal)
    return [
        say(difference.new),
        say(difference.old),
        say(difference.gain, signed=True),
        "" if interval is None else f"[{say(interval.low)}, {say(interval.high)}]",
        "" if np.isnan(difference.adjusted) else _p(difference.adjusted),
        " / ".join(f"{n:,}" for n in counts) if any(counts) else "",
    ]


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
