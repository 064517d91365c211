"""Two reports of the same users, side by side: gain, interval, verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from recsys_metrics.evaluation._aggregate import gain_of
from recsys_metrics.evaluation._views import Shown, View, say
from recsys_metrics.measures import ByMeasure, Measure
from recsys_metrics.measures._by_measure import find
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
    interval: Interval | None = None
    p_value: float = np.nan
    adjusted: float = np.nan
    better: int = 0
    worse: int = 0
    equal: int = 0


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
    tests = {each: gain_of(each, pairs, level=level) for each, pairs in paired.items()}
    p_values = {each: p for each, (_, p) in tests.items() if not np.isnan(p)}
    adjusted = adjust([*p_values.values()]).tolist() if p_values else []
    adjusted_p = dict(zip(p_values, adjusted, strict=True))
    differences = {}
    for each in shared:
        if each not in paired:
            values = new.results[each].value, old.results[each].value
            differences[each] = Difference(each, *values, values[0] - values[1])
            continue
        pairs, (interval, p_value) = paired[each], tests[each]
        differences[each] = Difference(
            each,
            pairs.new,
            pairs.old,
            pairs.gain.mean,
            interval,
            p_value,
            adjusted_p.get(each, np.nan),
            pairs.better,
            pairs.worse,
            pairs.gain.n - pairs.better - pairs.worse,
        )
    decided_on = _decisive(differences, decide_on)
    verdict = None
    if decided_on is not None:
        verdict = Verdict.of(_improvement(differences[decided_on]), worthwhile=worthwhile)
    return Comparison(new.name, old.name, differences, decided_on, verdict, level)


def _decisive(
    differences: Mapping[Measure, Difference], asked: str | Measure | None
) -> Measure | None:
    """Return the measure that the verdict is about."""
    if asked is not None:
        wanted = find(asked, differences)
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


def _improvement(difference: Difference) -> Interval:
    """Return the interval of the gain, turned round where less is better."""
    interval = difference.interval
    assert interval is not None
    if difference.measure.metric.better == "lower":
        return replace(
            interval, estimate=-interval.estimate, low=-interval.high, high=-interval.low
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
