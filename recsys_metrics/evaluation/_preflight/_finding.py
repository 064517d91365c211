"""What a preflight reports: findings, reference values, and the table of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from recsys_metrics.evaluation._difference import format_p_value
from recsys_metrics.evaluation._rendering import RenderableTable, View
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle, names_of_measures
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Interval

Severity = Literal["fault", "note"]


@dataclass(frozen=True)
class Finding:
    """One thing that a preflight found.

    Attributes
    ----------
    check : str
        Name of the check: "history", "equal-scores", "item-ids" …
    severity : {"fault", "note"}
        A fault makes the numbers wrong or incomparable. A note is something to state with them.
    message : str
        What was found, with its numbers.
    cure : str
        What to do.
    count, total : int or None
        How many of how many are affected.
    interval : Interval or None
        Of the difference that the finding is about, where it is one.
    p_value : float or None
        Corrected for the number of tests (Holm), where the finding is the result of a test.

    Examples
    --------
    >>> from recsys_metrics import preflight
    >>> (found,) = preflight([["A", "B", "A"]], [{"B"}], measure="ndcg@3").faults
    >>> found.check, found.count, found.total, found.share
    ('repeats', 1, 1, 1.0)
    """

    check: str
    severity: Severity
    message: str
    cure: str
    count: int | None = None
    total: int | None = None
    interval: Interval | None = None
    p_value: float | None = None

    @property
    def share(self) -> float | None:
        """How large a share is affected; None where nothing is counted."""
        if self.count is None or not self.total:
            return None
        return self.count / self.total

    def __str__(self) -> str:
        return f"{self.severity}, {self.check}: {self.message} {self.cure}"


@dataclass(frozen=True)
class ReferenceValue:
    """The value of one of the recommenders that an evaluation is checked with.

    Attributes
    ----------
    name : str
        "the recommender", "random", "popularity", "oracle", or "other users' truth".
    value : float
        Mean over the users.
    interval : Interval or None
        Of the mean, over users.
    n : int
        How many users have a value.

    Examples
    --------
    >>> from recsys_metrics import preflight
    >>> result = preflight([["A", "B"], ["B", "A"]], [{"B"}, {"B"}], measure="recall@1")
    >>> [(each.name, each.value) for each in result.references if each.name == "oracle"]
    [('oracle', 1.0)]
    """

    name: str
    value: float
    interval: Interval | None
    n: int


@dataclass(frozen=True, eq=False, repr=False)
class PreflightResult(RenderableTable):
    """What `preflight` found in an evaluation.

    Attributes
    ----------
    findings : tuple of Finding
        Faults come first.
    references : tuple of ReferenceValue
        The recommender next to random lists, popularity and an oracle.
    measure : Measure
    checks : tuple of str
        The names of all checks that could be carried out with what was given.
    false_alarm_rate : float
        The probability that the statistical checks together report a fault in a sound evaluation
        is at most this.

    Examples
    --------
    >>> from recsys_metrics import preflight
    >>> lists, truth = {"ann": ["A", "B"], "bob": ["C", "A"]}, {"ann": {"B"}, "bob": {"C"}}
    >>> result = preflight(lists, truth, history={"ann": {"A"}, "bob": {"B"}})
    >>> [(found.check, found.count, found.total) for found in result.faults]
    [('history', 1, 4)]
    >>> print(result.conclusion)
    1 fault: history.
    """

    findings: tuple[Finding, ...]
    references: tuple[ReferenceValue, ...]
    measure: Measure
    checks: tuple[str, ...]
    false_alarm_rate: float

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that make the numbers wrong or incomparable."""
        return tuple(each for each in self.findings if each.severity == "fault")

    @property
    def notes(self) -> tuple[Finding, ...]:
        """The findings that should be stated with the numbers."""
        return tuple(each for each in self.findings if each.severity == "note")

    @property
    def conclusion(self) -> str:
        """The number of faults, and the checks that found them, in a sentence."""
        names = list(dict.fromkeys(each.check for each in self.faults))
        if not names:
            return f"No fault found in {len(self.checks)} checks."
        count = len(self.faults)
        return f"{count} fault{'s' if count > 1 else ''}: {', '.join(names)}."

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per finding."""
        return {
            name: [getattr(each, name) for each in self.findings]
            for name in ("check", "severity", "count", "total", "share", "p_value", "message")
        } | {"cure": [each.cure for each in self.findings]}

    def _names(self) -> list[str]:
        return names_of_measures([self.measure])

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        rows: dict[str, tuple[None, Sequence[str]]] = {}
        for each in self.references:
            ends = "none" if each.interval is None else _format_ends(each.interval)
            rows[each.name] = (None, [f"{each.value:.3f}", ends, f"{each.n:,}"])
        alarms = f"{self.false_alarm_rate:.3g}"
        return View(
            title="Preflight",
            headings=["Lists", style.rename_measure(self.measure), "95% CI", "Users"],
            rows=rows,
            legend=(
                "Random lists have no knowledge, popularity recommends what most users interacted "
                "with, and the oracle what is relevant. p-values of statistical checks are "
                f"corrected (Holm), so that all of them together report a fault in a sound "
                f"evaluation with a probability of at most {alarms}. Checks: "
                f"{', '.join(self.checks)}."
            ),
            conclusion=self.conclusion,
            warnings=[_describe(each) for each in self.findings],
        )


def _format_ends(interval: Interval) -> str:
    return f"[{interval.low:.3f}, {interval.high:.3f}]"


def _describe(finding: Finding) -> str:
    tested = ""
    if finding.p_value is not None:
        tested = f" (corrected p {format_p_value(finding.p_value)})"
    start = f"{finding.severity.capitalize()}, {finding.check}: "
    return f"{start}{finding.message}{tested} {finding.cure}"
