"""Two reports of the same users, side by side: gain, interval, verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from recsys_metrics.evaluation._aggregate import Paired, gain_of
from recsys_metrics.evaluation._views import Shown, View, say
from recsys_metrics.measures import ByMeasure, Measure, measure
from recsys_metrics.protocol.significance import Interval, Verdict, adjust
from recsys_metrics.protocol.significance._intervals import why_none

if TYPE_CHECKING:
    from recsys_metrics.evaluation._report import Report


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
    ByMeasure[Difference], Shown, entries="differences", absent="is not in both reports; both have"
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

    def _view(self) -> View:
        interval, users = f"{100 * self.level:g} % interval", "Users up / down / equal"
        return View(
            title=f"{self.new} against {self.old}",
            headings=["Measure", self.new, self.old, "Gain", interval, "p (Holm)", users],
            rows={str(made): (made, _cells(gain)) for made, gain in self.differences.items()},
            legend="Gains are paired: each user's value less the same user's other value. p is "
            "that of a paired t test, or McNemar's where all is hit or miss, corrected for all "
            "rows. The verdict is about one measure, chosen beforehand.",
            lead="" if self.verdict is None else f"By {self.decided_on}: {self.verdict}.",
            care=[
                f"No interval for {made}: {why_none(difference.better + difference.worse)}."
                for made, difference in self.differences.items()
                if made.metric.per_user and difference.interval is None
            ],
        )


def compare(
    new: Report,
    old: Report,
    *,
    level: float,
    worthwhile: float,
    decide_on: str | Measure | None,
) -> Comparison:
    """Return the gains of one report over another of the same users."""
    shared = [measure for measure in new.results if measure in old.results]
    if not shared:
        raise ValueError(f"the reports share no measure: {', '.join(new)} against {', '.join(old)}")
    paired = new.user_values.paired(
        old.user_values, [measure for measure in shared if measure.metric.per_user]
    )
    found = [
        _paired_difference(measure, paired[measure], level)
        if measure in paired
        else _plain_difference(measure, new.results[measure].value, old.results[measure].value)
        for measure in shared
    ]
    differences = {difference.measure: difference for difference in corrected(found)}
    decided_on = decisive(differences, decide_on)
    verdict = None
    if decided_on is not None:
        verdict = Verdict.of(improvement(differences[decided_on]), worthwhile=worthwhile)
    return Comparison(new.name, old.name, differences, decided_on, verdict, level)


def _plain_difference(measure: Measure, new: float, old: float) -> Difference:
    return Difference(measure, new, old, new - old, None, np.nan, np.nan, 0, 0, 0)


def _paired_difference(measure: Measure, paired: Paired, level: float) -> Difference:
    """Return what a measure gained, before any correction of its p-value."""
    interval, p_value = gain_of(measure, paired, level=level)
    return Difference(
        measure,
        paired.new,
        paired.old,
        paired.gain.mean,
        interval,
        p_value,
        np.nan,
        paired.better,
        paired.worse,
        paired.gain.n - paired.better - paired.worse,
    )


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
