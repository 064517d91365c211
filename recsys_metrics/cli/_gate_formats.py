"""The result of a gate as text, Markdown, JSON and JUnit XML."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from xml.etree import ElementTree

from recsys_metrics._core import console
from recsys_metrics.evaluation import GateCheck, GateResult

SUITE = "recsys-workbook gate"
"""The name of the test suite, and the class of its tests, which GitLab shows as the suite."""


def format_json(result: GateResult) -> str:
    """Return a result as JSON, without NaN."""
    data = {
        "outcome": result.outcome,
        "conclusion": result.conclusion,
        "candidate": result.candidate,
        "baseline": result.baseline,
        "level": result.level,
        "correction": result.correction,
        "power": result.power,
        "checks": [
            {
                "name": check.name,
                "measure": check.measure.label,
                "group": None if check.group is None else str(check.group),
                "direction": check.direction,
                "margin": check.margin,
                "candidate": _number(check.candidate),
                "baseline": _number(check.baseline),
                "estimate": _number(check.estimate),
                "interval": None if check.interval is None else [*check.interval],
                "level": None if check.interval is None else check.interval.level,
                "users": check.n,
                "standard_deviation": _number(check.standard_deviation),
                "outcome": check.outcome,
                "users_to_decide": check.users_to_decide,
                "explanation": result.explain(check),
            }
            for check in result.checks
        ],
        "warnings": list(result.warnings),
    }
    return json.dumps(data, indent=2, allow_nan=False)


def format_junit(result: GateResult) -> str:
    """Return a result as JUnit XML: a test for each check.

    A check that failed is a failure, and one that is undecided is skipped: what reads these files
    shows skipped tests apart from those that passed, and an error would be counted as a failure,
    as if the candidate were known to be worse. Whether the build fails is a matter of the exit
    code. The explanation of a skipped test is its text, because not all schemas allow an attribute.
    """
    outcomes = [check.outcome for check in result.checks]
    suite = _suite(
        tests=len(outcomes),
        failures=outcomes.count("fail"),
        errors=0,
        skipped=outcomes.count("undecided"),
    )
    properties = ElementTree.SubElement(suite, "properties")
    settings: Mapping[str, object] = {
        "candidate": result.candidate,
        "baseline": result.baseline,
        "level": f"{result.level:g}",
        "correction": result.correction,
        "power": f"{result.power:g}",
        "outcome": result.outcome,
    }
    for name, value in settings.items():
        ElementTree.SubElement(properties, "property", name=name, value=_clean(str(value)))
    for check in result.checks:
        case = ElementTree.SubElement(suite, "testcase", classname=SUITE, name=_clean(check.name))
        explanation = _clean(result.explain(check))
        if check.outcome == "fail":
            failure = ElementTree.SubElement(
                case, "failure", type="worse", message=_clean(_summary(check))
            )
            failure.text = explanation
        elif check.outcome == "undecided":
            ElementTree.SubElement(case, "skipped").text = explanation
        else:
            ElementTree.SubElement(case, "system-out").text = explanation
    return _xml(suite)


def junit_of_error(message: str) -> str:
    """Return JUnit XML with one test, which could not be carried out."""
    suite = _suite(tests=1, failures=0, errors=1, skipped=0)
    case = ElementTree.SubElement(suite, "testcase", classname=SUITE, name="gate")
    error = ElementTree.SubElement(case, "error", type="error", message=_clean(message))
    error.text = _clean(message)
    return _xml(suite)


FORMATS: Mapping[str, Callable[[GateResult], str]] = {
    "text": str,
    "markdown": lambda result: result.to_markdown().strip(),
    "json": format_json,
    "junit": format_junit,
}
"""How to write a result, by the name of the format."""


def _suite(**counts: int) -> ElementTree.Element:
    texts = {name: str(count) for name, count in counts.items()}
    return ElementTree.Element("testsuite", {"name": SUITE, **texts})


def _xml(suite: ElementTree.Element) -> str:
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _summary(check: GateCheck) -> str:
    return f"{check.name}: {check.estimate:+.4g}, below the margin of -{check.margin:g}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _clean(text: str) -> str:
    """Return text in which signs that XML cannot hold, or that turn a line, are written out."""
    return console.for_terminal(text, keep="\t\n")
