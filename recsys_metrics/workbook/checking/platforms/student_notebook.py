"""The notebook that students answer in where a platform runs `check`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading.escaped_markdown import escape_markdown

_INTRODUCTION = """\
# {count}, {points} points

Replace each `...` by your answer, run the cell, and read what the check says.
Save the notebook and hand in this file. The last check of an exercise counts.
"""


def create(exercises: Sequence[str]) -> str:
    """Return a notebook with the card and the check of each exercise.

    Parameters
    ----------
    exercises : sequence of str
        Ids, in the order of the notebook.
    """
    points = sum(REGISTRY[one].points for one in exercises)
    count = "1 exercise" if len(exercises) == 1 else f"{len(exercises)} exercises"
    cells = [_cell("markdown", _INTRODUCTION.format(count=count, points=points))]
    cells += [_cell(*one) for one in _sources(exercises)]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _sources(exercises: Sequence[str]) -> Iterator[tuple[str, str]]:
    before = ""
    for name in exercises:
        exercise, subject = REGISTRY[name], name.partition(".")[0]
        if subject != before:
            yield "code", f"from recsys_metrics.workbook.exercises import {subject} as ex"
            before = subject
        points = "1 point" if exercise.points == 1 else f"{exercise.points} points"
        yield "markdown", f"## {escape_markdown(exercise.title)}\n\n*{points}*"
        yield "code", exercise.access
        yield "code", exercise.check_template


def _cell(kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell
