"""A report as other programs read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from recsys_metrics._core import console
from recsys_metrics.workbook.checking.report import CheckReport, GradedExercise
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading.escaped_markdown import escape_markdown
from recsys_metrics.workbook.grading.points import format_points, write_points


def format_text(report: CheckReport) -> str:
    """Return a report for people: a line for each exercise, and what went wrong with it."""
    width = max(len(one.exercise) for one in report.graded)
    rows = [console.printable(report.notebook), ""]
    for one in report.graded:
        points = f"{format_points(one.points or 0)}/{one.out_of}" if one.out_of else "-"
        rows.append(
            f"{one.outcome.symbol} {one.exercise:{width}}  {one.outcome:13}  {points:>5}  "
            f"{one.title}"
        )
        if one.outcome in {Outcome.WRONG, Outcome.ERROR}:
            rows += [f"    {line}" for line in one.message.splitlines()]
    rows += ["", f"{format_points(report.points)} of {report.out_of} points"]
    rows += [f"The run was not finished: {report.problem}."] if report.problem else []
    return console.for_terminal("\n".join(rows))


def format_json(report: CheckReport) -> str:
    """Return a report as JSON."""
    return _json(
        {
            "notebook": report.notebook,
            "score": _score(report.points),
            "max_score": report.out_of,
            "passed": report.passed,
            "problem": report.problem,
            "exercises": [
                {
                    "id": one.exercise,
                    "title": one.title,
                    "outcome": _word(one),
                    "score": None if one.points is None else _score(one.points),
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
            "score": _score(report.points),
            "output": _clean(report.problem),
            "visibility": "visible",
            "tests": [
                {
                    "name": f"{one.exercise}: {one.title}",
                    "output": _clean(f"{_word(one)}\n{one.message}"),
                    "tags": [one.mistake] if one.mistake else [],
                    **({} if one.needs_marking else _points(one)),
                }
                for one in report.graded
            ],
        }
    )


def format_classroom50(report: CheckReport) -> str:
    """Return a report as the result.json of Classroom 50, without whose submission it is.

    Its scores are whole numbers, and an exercise may bring a share of its points. So a point
    counts as 100. An answer that a person has to read is listed too, out of 0.
    """
    tests: list[dict[str, Any]] = [
        {
            "test-name": f"{one.exercise}: {one.title}",
            "passed": one.outcome is Outcome.PASS,
            "score": round(100 * (one.points or 0)),
            "max-score": 0 if one.needs_marking else 100 * one.out_of,
            "message": _clean(f"{_word(one)}\n{one.message}"),
        }
        for one in report.graded
    ]
    return _json(
        {
            "schema": "classroom50/result/v1",
            "score": sum(test["score"] for test in tests),
            "max-score": 100 * report.out_of,
            "tests": tests,
        }
    )


def format_markdown(report: CheckReport) -> str:
    """Return a report as the summary that a workflow shows."""
    rows = [
        f"## {escape_markdown(report.notebook)}: "
        f"{format_points(report.points)} of {report.out_of} points",
        "",
        "| Exercise | Outcome | Points |",
        "| --- | --- | ---: |",
    ]
    for one in report.graded:
        reached = "–" if one.needs_marking else f"{format_points(one.points or 0)} of {one.out_of}"
        label = "To be read" if one.needs_marking else one.outcome.label
        rows.append(f"| {escape_markdown(one.title)} | {one.outcome.symbol} {label} | {reached} |")
    for one in report.graded:
        if one.outcome in {Outcome.WRONG, Outcome.ERROR} and not one.needs_marking:
            said = one.message.replace("```", "` ` `")
            rows += ["", f"### {escape_markdown(one.title)}", "", "```text", said, "```"]
    if report.problem:
        rows += ["", f"The run was not finished: {escape_markdown(report.problem)}."]
    return _clean("\n".join(rows))


def format_junit(report: CheckReport) -> str:
    """Return a report as JUnit XML."""
    by_outcome = {
        outcome: sum(one.outcome is outcome for one in report.graded) for outcome in Outcome
    }
    name = console.printable(report.notebook)
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(report.graded)),
        failures=str(by_outcome[Outcome.WRONG]),
        errors=str(by_outcome[Outcome.ERROR]),
        skipped=str(by_outcome[Outcome.NOT_ATTEMPTED]),
    )
    tags = {Outcome.WRONG: "failure", Outcome.ERROR: "error", Outcome.NOT_ATTEMPTED: "skipped"}
    for one in report.graded:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=one.exercise)
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
    "classroom50": format_classroom50,
    "markdown": format_markdown,
}
"""How to write a report, by the name of the format; all but the text hold a score."""


def _score(points: float) -> float:
    """Return points as a program reads them: sums of thirds have no end, and 1 is not 0.9999…"""
    return float(write_points(points))


def _points(one: GradedExercise) -> dict[str, Any]:
    return {
        "score": _score(one.points or 0),
        "max_score": one.out_of,
        "status": "passed" if one.outcome is Outcome.PASS else "failed",
    }


def _word(one: GradedExercise) -> str:
    return "TO BE READ" if one.needs_marking else str(one.outcome)


def _first_line(one: GradedExercise) -> str:
    return _clean(one.message.partition("\n")[0])


def _clean(text: str) -> str:
    """Return text with the characters written out that XML cannot hold, or that turn a line."""
    return console.for_terminal(text, keep="\t\n")


def _json(what: dict[str, Any]) -> str:
    # A lone surrogate, which a notebook may hold, can be written in no other way.
    return json.dumps(what, indent=2, ensure_ascii=True)
