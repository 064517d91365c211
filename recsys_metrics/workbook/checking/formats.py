"""A report as other programs read it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from recsys_metrics.workbook.checking.report import CheckReport, GradedExercise
from recsys_metrics.workbook.exercises.result import Outcome


def format_text(report: CheckReport) -> str:
    """Return a report for people: a line for each exercise, and what went wrong with it."""
    width = max(len(one.exercise) for one in report.graded)
    rows = [report.notebook, ""]
    for one in report.graded:
        points = f"{one.points or 0:g}/{one.out_of}" if one.out_of else "-"
        rows.append(
            f"{one.outcome.symbol} {one.exercise:{width}}  {one.outcome:13}  {points:>5}  "
            f"{one.title}"
        )
        if one.outcome in {Outcome.WRONG, Outcome.ERROR}:
            rows += [f"    {line}" for line in one.message.splitlines()]
    rows += ["", f"{report.points:g} of {report.out_of} points"]
    rows += [f"The run did not end: {report.problem}."] if report.problem else []
    return "\n".join(rows)


def format_json(report: CheckReport) -> str:
    """Return a report as JSON."""
    return _json(
        {
            "notebook": report.notebook,
            "score": report.points,
            "max_score": report.out_of,
            "passed": report.passed,
            "problem": report.problem,
            "exercises": [
                {
                    "id": one.exercise,
                    "title": one.title,
                    "outcome": _word(one),
                    "score": one.points,
                    "max_score": one.out_of,
                    "mistake": one.mistake,
                    "message": one.message,
                }
                for one in report.graded
            ],
        }
    )


def format_gradescope(report: CheckReport) -> str:
    """Return a report as the results.json of a Gradescope autograder.

    What a person has to read is shown without points: a question that is graded by hand has them.
    """
    return _json(
        {
            "score": report.points,
            "output": report.problem,
            "visibility": "visible",
            "tests": [
                {
                    "name": f"{one.exercise}: {one.title}",
                    "output": f"{_word(one)}\n{one.message}",
                    "tags": [one.mistake] if one.mistake else [],
                    **({} if one.needs_marking else _points(one)),
                }
                for one in report.graded
            ],
        }
    )


def format_classroom(report: CheckReport) -> str:
    """Return a report as the result of a runner for GitHub Classroom's reporter."""
    scored = [one for one in report.graded if not one.needs_marking]
    status = "pass" if report.passed else "error" if report.problem else "fail"
    result = {
        "version": 1,
        "status": status,
        "max_score": report.out_of,
        "tests": [
            {
                "name": f"{one.exercise}: {one.title}",
                "status": {Outcome.PASS: "pass", Outcome.ERROR: "error"}.get(one.outcome, "fail"),
                "score": one.points,
                "message": f"{_word(one)}\n{one.message}",
                "test_code": "",
                "filename": report.notebook,
                # The reporter prints any other number as the line of a file.
                "line_no": 0,
            }
            for one in scored
        ],
    }
    return base64.b64encode(json.dumps(result).encode()).decode()


def format_junit(report: CheckReport) -> str:
    """Return a report as JUnit XML."""
    by_outcome = {
        outcome: sum(one.outcome is outcome for one in report.graded) for outcome in Outcome
    }
    suite = ElementTree.Element(
        "testsuite",
        name=report.notebook,
        tests=str(len(report.graded)),
        failures=str(by_outcome[Outcome.WRONG]),
        errors=str(by_outcome[Outcome.ERROR]),
        skipped=str(by_outcome[Outcome.NOT_ATTEMPTED]),
    )
    tags = {Outcome.WRONG: "failure", Outcome.ERROR: "error", Outcome.NOT_ATTEMPTED: "skipped"}
    for one in report.graded:
        case = ElementTree.SubElement(
            suite, "testcase", classname=report.notebook, name=one.exercise
        )
        if one.outcome in tags:
            told = ElementTree.SubElement(case, tags[one.outcome], message=_first_line(one))
            told.text = _clean(one.message)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


FORMATS: dict[str, Callable[[CheckReport], str]] = {
    "text": format_text,
    "json": format_json,
    "junit": format_junit,
    "gradescope": format_gradescope,
    "classroom": format_classroom,
}
"""How to write a report, by the name of the format; all but the text hold a score."""


def _points(one: GradedExercise) -> dict[str, Any]:
    return {
        "score": one.points,
        "max_score": one.out_of,
        "status": "passed" if one.outcome is Outcome.PASS else "failed",
    }


def _word(one: GradedExercise) -> str:
    return "TO BE READ" if one.needs_marking else str(one.outcome)


def _first_line(one: GradedExercise) -> str:
    return _clean(one.message.partition("\n")[0])


def _clean(text: str) -> str:
    """Return text without the signs that XML cannot hold."""
    return "".join(sign for sign in text if sign in "\t\n" or _is_of_xml(sign))


def _is_of_xml(sign: str) -> bool:
    return " " <= sign < "\ud800" or "\ue000" <= sign <= "\ufffd" or sign > "\uffff"


def _json(what: dict[str, Any]) -> str:
    # A lone surrogate, which a notebook may hold, can be written in no other way.
    return json.dumps(what, indent=2, ensure_ascii=True)
