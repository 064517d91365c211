"""What can be read of a report, for the one who writes it: never whether it is right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recsys_metrics.workbook.course.capstone import frozen_test, report
from recsys_metrics.workbook.course.capstone.expected_numbers import NUMBERS
from recsys_metrics.workbook.course.capstone.files import own_cells
from recsys_metrics.workbook.course.capstone.scenario import FAULTS
from recsys_metrics.workbook.course.course_folder import read_bounded
from recsys_metrics.workbook.grading import submissions
from recsys_metrics.workbook.grading.limits import GradingError


def told(file: Path) -> Iterator[str]:
    """Say what a notebook says by name, and what nobody could read.

    Raises
    ------
    GradingError
        If it is no notebook.
    """
    try:
        came = submissions.parse_notebook(read_bounded(file, 10))
    except GradingError as problem:
        raise GradingError(f"{file}: {problem}") from None
    said = report.read(came, own_cells())
    yield f"{said.words} words; two pages are about a thousand"
    yield f"Decision: {said.decision or 'none that can be read; a, b or neither'}"
    try:
        plan = frozen_test.plan_of(said)
        yield f"Plan: {plan.measure}, b better by {plan.margin:g} at the least"
    except GradingError as problem:
        yield f"Plan: {problem}"
    known = [one for one in said.cited if one.name in NUMBERS or one.name in frozen_test.NUMBERS]
    yield f"Numbers: {len({one.name for one in known})} by name"
    for one in said.cited:
        if one not in known:
            yield f"  {one.name}: no number has this name"
        elif not one.is_a_number:
            yield f"  {one.name} = {one.text}: {one.explain_unreadable()}"
    yield f"Faults: {', '.join(said.faults) or 'none'}"
    for fault in said.faults:
        if fault not in FAULTS:
            yield f"  {fault}: there is no such fault; there are {', '.join(FAULTS)}"
