"""What a card shows of an exercise and of a check, for the page, the lab and the Python of a page.

`frontend/card.js` draws it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises.fields import Field, Shown
from recsys_metrics.workbook.exercises.result import (
    CRITERION,
    EVIDENCE_LABELS,
    NEXT_LABELS,
    NOT_AS_USUAL,
    CheckResult,
    Line,
)

# What the card shows itself: the answer is in its fields, in order too, the code in its menu.
_ON_THE_CARD = {"You gave", "You chose", "Your guess", "Answer with", "Now mark yours", "In order"}


QUIET_CLASS = "line-quiet"
"""The class of a line that follows the cause; `frontend/card.css` shows it."""


def describe_card(exercise: Shown) -> dict[str, Any]:
    """Return what a card shows before anything was answered.

    Parameters
    ----------
    exercise : Exercise

    Returns
    -------
    dict
        Texts in HTML, except for title, effort and labels.
    """
    return {
        "id": exercise.id,
        "kind": _kind(exercise),
        "label": exercise.label,
        "title": markup.strip_markup(exercise.title),
        "effort": exercise.effort,
        "points": exercise.points,
        "question": markup.render_block(exercise.question),
        "hints": len(exercise.hints),
        "code": _describe_code(exercise),
        "fields": [
            {
                "name": field.name,
                "label": field.label,
                "kind": field.kind,
                "options": _render_options(field),
                "isCode": field.is_code,
                "note": field.note,
            }
            for field in exercise.fields
        ],
    }


def _render_options(field: Field) -> list[list[str]]:
    render = markup.escape if field.is_code else markup.render_inline
    return [[key, render(text)] for key, text in field.options.items()]


def read_form(exercise: Shown, given: Mapping[str, Any]) -> list[str] | dict[str, str]:
    """Return what the form of a card has as it is kept.

    Parameters
    ----------
    exercise : Exercise
    given : mapping
        By the names of its fields.

    Returns
    -------
    list of str or dict of str
        What is picked or put in order, or what is typed, by the name of its field.
    """
    field = exercise.fields[0]
    value = given.get(field.name)
    if field.kind == "number":
        return {name: str(text) for name, text in given.items()}
    if field.kind == "text":
        return {field.name: value or ""}
    if field.kind == "order":
        return (value or "").split()
    return [value] if isinstance(value, str) else [*(value or ())]


def describe_result(result: CheckResult) -> dict[str, Any]:
    """Return what a card shows of a check.

    Parameters
    ----------
    result : CheckResult

    Returns
    -------
    dict
        The outcome, its parts by name with the right answer where one is wrong, and the lines for
        all parts, in HTML: the cause first, then more quietly what to do, and what a function did.
    """
    return {
        "outcome": result.outcome.name,
        "noted": (NOT_AS_USUAL if result.saving else "Saved") if result.noted else "",
        "saving": markup.escape(result.saving),
        "lines": _render_lines(result.lines),
        "parts": {
            part.name: {
                "outcome": part.outcome.name,
                "pitfall": markup.escape(part.pitfall),
                "lines": _render_lines(part.lines),
                "expected": list(part.expected),
                "wrongLine": part.wrong_line,
            }
            for part in result.parts
        },
    }


def _render_lines(lines: tuple[Line, ...]) -> list[str]:
    shown = [
        line
        for line in lines
        if line.label not in _ON_THE_CARD and not line.label.startswith(CRITERION)
    ]
    evidence = [line for line in shown if line.label in EVIDENCE_LABELS]
    told = [line for line in shown if line not in evidence]
    if told and told[0].label in NEXT_LABELS:
        # Without a cause, what a function did is the first thing to read.
        happened = shown[: shown.index(told[0])]
        told = [*happened, *told]
        evidence = [line for line in evidence if line not in happened]
    rendered = [
        _render_quietly(line) if line.label in NEXT_LABELS else _render_line(line) for line in told
    ]
    return [*rendered, *map(_render_quietly, evidence)]


def _render_line(line: Line) -> str:
    return markup.adapt_for_page(line.as_html())


def _render_quietly(line: Line) -> str:
    return quieten(_render_line(line))


def quieten(html: str) -> str:
    """Return the HTML of a line as one that a card shows more quietly."""
    return f'<div class="{QUIET_CLASS}">{html}</div>'


def _kind(exercise: Shown) -> str:
    kinds = [field.kind for field in exercise.fields]
    if not kinds:
        return "function"
    return {"number": "numbers", "one": "pick", "many": "pick"}.get(kinds[0], kinds[0])


def _describe_code(exercise: Shown) -> str:
    """Return how to answer in a notebook, with the names of the options where there are some."""
    names = ""
    if _kind(exercise) == "pick":
        names = "".join(
            f"<li>{markup.render_code(key)} {markup.render_inline(text)}</li>"
            for key, text in exercise.fields[0].options.items()
        )
    return f"<p>In a notebook:</p>{markup.render_code_block(exercise.check_template)}" + (
        f"<ul>{names}</ul>" if names else ""
    )
