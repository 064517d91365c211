"""Rules for the texts of every kind of exercise: each can be shown with its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recsys_metrics.workbook.exercises.base import Exercise, TextTemplate, render_text
from recsys_metrics.workbook.grading.exercise_rules.wording import (
    find_wrong_parameters,
    name_function,
    shorten,
)
from recsys_metrics.workbook.grading.hidden_signs import describe_hidden_sign


def list_texts(exercise: Exercise) -> Iterator[tuple[tuple[str, ...], TextTemplate]]:
    """Yield each text with inputs in it, with the fields that lead to it."""
    yield ("prompt",), exercise.prompt
    for place, hint in enumerate(exercise.hints):
        yield ("hints", str(place)), hint
    for place, step in enumerate(exercise.steps):
        yield ("solution", str(place), "text"), step.text
    for mistake in exercise.mistakes:
        yield ("mistakes", mistake.id, "cause"), mistake.cause
        yield ("mistakes", mistake.id, "hint"), mistake.hint
    yield ("insight",), exercise.insight


def _name_field(path: tuple[str, ...]) -> str:
    return ", ".join(str(int(one) + 1) if one.isdigit() else one for one in path)


def _describe_hidden_sign(shown: str, where: str) -> str:
    says = describe_hidden_sign(shown)
    return f"has a text, {where}, that {says}" if says else ""


def find_text_fault(text: TextTemplate, exercise: Exercise, path: tuple[str, ...]) -> str:
    """Return what breaks in a text when the inputs are written in."""
    where = _name_field(path)
    if not callable(text):
        try:
            shown = render_text(text, exercise.inputs)
        except (ValueError, IndexError, AttributeError) as problem:
            said = f"{problem}".partition("\n")[0]
            cure = "" if "{{" in said else ". Write {{ and }} for braces that are meant"
            return f"has a text that cannot be shown, {where}: {said}{cure}"
        return _describe_hidden_sign(shown, where)
    if says := find_wrong_parameters(text):
        return f"has a function for {where} that cannot be called: {says}"
    try:
        given: Any = text(exercise.inputs)
    except Exception as problem:
        problem.add_note(f"in {name_function(text)}, the function for {where}")
        raise
    if isinstance(given, str):
        return _describe_hidden_sign(given, where)
    cure = "is `return` missing?" if given is None else "it has to return a text in Markdown"
    return (
        f"has a function for {where}, {name_function(text)}, that returned {shorten(given)}; {cure}"
    )
