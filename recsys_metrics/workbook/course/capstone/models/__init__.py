"""Three reports about one case, weak, middling and strong, with their levels and why."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from recsys_metrics.workbook.course.capstone import frozen_test, marking
from recsys_metrics.workbook.course.capstone.expected_numbers import NUMBERS, Tables
from recsys_metrics.workbook.course.capstone.frozen_test import FrozenResult
from recsys_metrics.workbook.course.capstone.marker_page import page
from recsys_metrics.workbook.course.capstone.marking import Marked
from recsys_metrics.workbook.course.capstone.report import read_text
from recsys_metrics.workbook.course.capstone.scenario import CapstoneCase

NAMES = ("weak", "middling", "strong")

_CASE = CapstoneCase("model", ("time_leak", "reused_test", "floored_chances", "harmed_group"))
_WHEN = "the day before"
_CITED = re.compile(r"\[\[(\w+)\]\]")


@dataclass(frozen=True)
class Model:
    """A report with its levels.

    Attributes
    ----------
    name : str
    marked : Marked
    why : dict of str to str
        By criterion: the level, and why.
    """

    name: str
    marked: Marked
    why: dict[str, str]

    @property
    def levels(self) -> dict[str, int]:
        """By criterion."""
        return {name: int(text.partition(":")[0]) for name, text in self.why.items()}

    def page(self) -> str:
        """Return it as a marker's page, with the levels given."""
        return page(f"A {self.name} report", self.marked, _CASE.truth(), self.why)


def case() -> CapstoneCase:
    """Return the case that all three are about; no student gets it."""
    return _CASE


def model(name: str) -> Model:
    """Return one of the three."""
    tables = _tables()
    template = (files(__package__) / f"{name}.md").read_text(encoding="utf-8")
    said = read_text(template)
    opened = frozen_test.ask(tables, frozen_test.plan_of(said))
    opened = FrozenResult(_WHEN, opened.measure, opened.margin, opened.numbers)
    text = _CITED.sub(lambda found: _cited(found[1], tables, opened), template)
    given = tomllib.loads((files(__package__) / "levels.toml").read_text(encoding="utf-8"))
    marked = marking.mark(read_text(text), tables, _CASE.faults, opened)
    return Model(name, marked, given[name])


@cache
def _tables() -> Tables:
    return _CASE.tables()


def _cited(name: str, tables: Tables, opened: FrozenResult) -> str:
    value = opened.numbers[name] if name in opened.numbers else NUMBERS[name].of(tables)
    return f"`{name} = {value:.0f}`" if value == int(value) else f"`{name} = {value:.3g}`"
