"""Eight criteria, four levels each, and what a machine can say about three of them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

MOST = 3
COUNTED = ("data", "numbers", "test")
"""What can be counted without reading; of the test only that it was not reported as planned."""


@dataclass(frozen=True)
class Criterion:
    """What a report is marked by.

    Attributes
    ----------
    id, title : str
    look : str
        Where a marker looks.
    levels : tuple of str
        Anchors of the levels 0 to 3.
    """

    id: str
    title: str
    look: str
    levels: tuple[str, ...]


@cache
def criteria() -> tuple[Criterion, ...]:
    """Return the criteria, in order."""
    text = (files(__package__) / "rubric.toml").read_text(encoding="utf-8")
    return tuple(
        Criterion(one["id"], one["title"], one["look"], tuple(one["levels"]))
        for one in tomllib.loads(text)["criterion"]
    )


def as_markdown() -> str:
    """Return the rubric for students."""
    lines = ["# How a report is marked", "", "Eight criteria, 0 to 3 points each.", ""]
    for one in criteria():
        lines += [f"## {one.title}", ""]
        lines += [f"{level}. {anchor}" for level, anchor in enumerate(one.levels)] + [""]
    return "\n".join(lines).rstrip() + "\n"


def peer_form() -> str:
    """Return the form that one student fills in about another's report."""
    lines = [
        "# Review of a report",
        "",
        "Read the report once without a pen. Then fill this in, and give it to its author.",
        "",
        "- The report's decision, in your own words:",
        "- The number that convinced you most, and why:",
        "- The number that you recomputed yourself, and its value:",
        "- One conclusion that goes further than its confidence interval, or *none found*:",
        "- A fault in the data that you would look for next:",
        "- One sentence that you had to read twice:",
        "",
        "| Criterion | Level, 0 to 3 | The sentence or number that says so |",
        "| --- | --- | --- |",
        *(f"| {one.title} | | |" for one in criteria()),
        "",
        "A level without a sentence or a number next to it does not count.",
    ]
    return "\n".join(lines) + "\n"
