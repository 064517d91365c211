"""The frozen test: it stays with the course, which opens it once for each plan and remembers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from recsys_metrics._core.inputs.json_text import parse_json
from recsys_metrics.workbook.common.state_file import refuse_device
from recsys_metrics.workbook.course.capstone.expected_numbers import Tables, judged, wanted_of
from recsys_metrics.workbook.course.capstone.report import (
    PLAN_MARGIN,
    PLAN_MEASURE,
    CapstoneReport,
)
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError

MEASURES = tuple(
    f"{name}@{k}"
    for name in ("recall", "precision", "ndcg", "hit_rate", "mrr")
    for k in (5, 10, 20)
)
"""What a plan may name."""

NUMBERS = ("test_a", "test_b", "test_gain", "test_gain_low", "test_gain_high")
"""What the test says of the two recommenders and of their difference."""


@dataclass(frozen=True)
class FrozenPlan:
    """What was fixed before the test was opened.

    Attributes
    ----------
    measure : str
        One of `MEASURES`.
    margin : float
        By how much b has to be better at the least.
    """

    measure: str
    margin: float


@dataclass(frozen=True)
class FrozenResult:
    """What the test said, once.

    Attributes
    ----------
    when : str
        In UTC.
    measure : str
    margin : float
    numbers : mapping
        `test_a`, `test_b`, `test_gain`, and the limits of its 95 % interval.
    """

    when: str
    measure: str
    margin: float
    numbers: Mapping[str, float]

    @property
    def plan(self) -> FrozenPlan:
        """The plan that opened it."""
        return FrozenPlan(self.measure, self.margin)

    @property
    def holds(self) -> bool:
        """Whether the whole interval lies above the margin."""
        return self.numbers["test_gain_low"] > self.margin

    def to_json(self) -> str:
        """Return it as the file that the student gets."""
        sentence = (
            "the whole confidence interval lies"
            if self.holds
            else "the confidence interval does not lie"
        )
        about = {
            "about": f"Opened once, on {self.when}, by the plan below; it is not opened again. "
            f"{sentence[0].upper()}{sentence[1:]} above the margin.",
            "when": self.when,
            PLAN_MEASURE: self.measure,
            PLAN_MARGIN: self.margin,
            **self.numbers,
        }
        return json.dumps(about, indent=1) + "\n"


def plan_of(report: CapstoneReport) -> FrozenPlan:
    """Return the plan in a report.

    Raises
    ------
    GradingError
        If there is none that the test could be opened by; the message goes on from "it".
    """
    measures = report.plan.get(PLAN_MEASURE)
    if not measures:
        raise GradingError(f"it has no plan yet: `{PLAN_MEASURE} = recall@10`, say")
    if unknown := [one for one in measures if one not in MEASURES]:
        raise GradingError(f"it plans {unknown[0]!r}, and the test knows {', '.join(MEASURES)}")
    written = report.plan.get(PLAN_MARGIN, [""])
    margins = [_margin(one) for one in written]
    for name, values, texts in (
        (PLAN_MEASURE, measures, measures),
        (PLAN_MARGIN, margins, written),
    ):
        if len(set(values)) > 1:
            said = " and ".join(f"`{name} = {text}`" for text in dict.fromkeys(texts))
            raise GradingError(f"it has several plans: {said}; keep the one that counts")
    return FrozenPlan(measures[0], margins[0])


def _margin(text: str) -> float:
    try:
        margin = float(text)
    except ValueError:
        raise GradingError(
            f"it has no margin: `{PLAN_MARGIN} = 0.01`, say; it says {text!r}"
        ) from None
    if not 0 <= margin < 1:
        raise GradingError(f"its margin is {text}; give a number from 0 to below 1")
    return margin


def ask(tables: Tables, plan: FrozenPlan, *, when: datetime | None = None) -> FrozenResult:
    """Return what the test says of a plan; nothing is remembered here."""
    wanted = wanted_of(tables["test"])
    a, b = (judged(tables, which, wanted, measure=plan.measure, by_score=False) for which in "ab")
    compared = b.compare(a)[plan.measure]
    assert compared.interval is not None
    numbers = {
        "test_a": a[plan.measure].value,
        "test_b": b[plan.measure].value,
        "test_gain": compared.gain,
        "test_gain_low": compared.interval.low,
        "test_gain_high": compared.interval.high,
    }
    moment = (when or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
    rounded = {name: float(np.round(value, 6)) for name, value in numbers.items()}
    return FrozenResult(moment, plan.measure, plan.margin, rounded)


def keep(file: Path, opened: FrozenResult) -> None:
    """Remember that a test was opened; one that is there stays.

    Raises
    ------
    GradingError
        If it was opened before.
    """
    if file.exists():
        raise GradingError(f"{file} is there: the test was opened, and is not opened again")
    atomic_files.replace_file(file, opened.to_json())


def remembered(file: Path) -> FrozenResult | None:
    """Return what a test said when it was opened, or None if it is closed."""
    if not file.exists():
        return None
    try:
        refuse_device(file)
        said: dict[str, Any] = parse_json(file.read_text(encoding="utf-8"), with_nan=True)
        numbers = {name: float(said[name]) for name in NUMBERS}
        measure = said[PLAN_MEASURE]
        if measure not in MEASURES:
            raise ValueError(measure)
        return FrozenResult(str(said["when"]), measure, float(said[PLAN_MARGIN]), numbers)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise GradingError(f"{file} is damaged; take it from a backup") from None
