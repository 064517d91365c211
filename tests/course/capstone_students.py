"""Five kinds of student who write a report: what each cites, claims, plans and says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from recsys_metrics.workbook.course.capstone.diagnosis import found
from recsys_metrics.workbook.course.capstone.expected_numbers import EVIDENCE, NUMBERS, Tables
from recsys_metrics.workbook.course.capstone.files import Capstone
from recsys_metrics.workbook.course.capstone.frozen_test import FrozenResult

KINDS = ("thorough", "hasty", "accusing", "overclaiming", "silent")

_MAIN = (
    *("recall_a", "recall_b", "recall_gain", "recall_gain_low", "recall_gain_high"),
    *("sound_recall_a", "sound_recall_b", "value_b_snips", "effective_slates"),
    *("lift", "lift_low", "lift_high", "lift_light", "lift_light_low", "lift_light_high"),
    *("lift_usual", "lift_heavy"),
)


def write(capstone: Capstone, student: str, kind: str, place: Path) -> Path:
    """Write the notebook that a student of a kind hands in, with their plan."""
    case = capstone.case(student)
    notebook = json.loads((case / f"{capstone.name}.ipynb").read_text(encoding="utf-8"))
    opened = capstone.opened_for(student)
    said = _SAID[kind](capstone, student, opened)
    plan, report = (cell for cell in notebook["cells"] if "..." in cell["source"])
    if kind != "silent":
        measure = "ndcg@10" if kind == "overclaiming" and opened else "recall@10"
        plan["source"] = plan["source"].replace("measure = ...", f"measure = {measure}")
        plan["source"] = plan["source"].replace("margin = ...", "margin = 0.005")
        report["source"] = said
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"{student}_{capstone.name}.ipynb"
    file.write_text(json.dumps(notebook), encoding="utf-8")
    return file


def signs(capstone: Capstone, student: str) -> list[str]:
    """Return what a careful reading finds, from the student's own folder."""
    tables = capstone.tables(student)
    return sorted(found(tables, claim_of(capstone.case(student) / "brief.md")))


def claim_of(brief: Path) -> tuple[float, float, float]:
    """Return the analyst's claim as the brief says it."""
    sentence = brief.read_text(encoding="utf-8").partition("rose by ")[2]
    gain, low, high = sentence.replace("(95 %:", "").replace("to", "").split(")")[0].split()
    return float(gain), float(low), float(high)


def _cite(tables: Tables, names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{name} = {_written(NUMBERS[name].of(tables))}`" for name in names)


def _written(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"


def _test(opened: FrozenResult | None) -> str:
    if opened is None:
        return "The test has not been opened yet."
    numbers = ", ".join(f"`{name} = {value:.4g}`" for name, value in opened.numbers.items())
    reached = "reached" if opened.holds else "not reached"
    return f"By the plan: {numbers}. The margin of {opened.margin:g} is {reached}."


def _thorough(capstone: Capstone, student: str, opened: FrozenResult | None) -> str:
    tables = capstone.tables(student)
    faults = signs(capstone, student)
    shown = "\n".join(f"- `fault = {one}`: {_cite(tables, [EVIDENCE[one]])}." for one in faults)
    return (
        "## Report\n\n### Decision\n\n`decision = neither` yet. What decided is recall on users "
        "whose clicks trained nothing, and the live test by person. If we are wrong we lose two "
        "weeks; a live test without these faults whose interval lies above zero for every kind "
        f"of visitor would turn it.\n\n### What is wrong with the data\n\n{shown}\n\n"
        f"### What the lists and logs say\n\n{_cite(tables, _MAIN)}. Each interval is one of "
        "several that were looked at, and people are the unit in all of them.\n\n"
        "### Who gains, who loses\n\nThe light visitors' interval decides about them; b is not "
        "for them until it lies above zero.\n\n### What the test says\n\n"
        f"{_test(opened)}\n\n### What this cannot say\n\nWhat happens after two weeks."
    )


def _hasty(capstone: Capstone, student: str, opened: FrozenResult | None) -> str:
    tables = capstone.tables(student)
    twice = NUMBERS["lift"].mistakes(tables)
    lift = next(iter(twice.values()))
    return (
        "## Report\n\n`decision = b`\n\n"
        f"b is better: {_cite(tables, ['recall_a', 'recall_b', 'recall_gain', 'clicks_per_slate'])}"
        f", and `lift = {lift:.6g}` clicks a person. One fault: `fault = sample_ratio`, "
        f"{_cite(tables, ['split_p'])}.\n\n{_test(opened)}"
    )


def _accusing(capstone: Capstone, student: str, opened: FrozenResult | None) -> str:
    tables = capstone.tables(student)
    claims = " ".join(f"`fault = {name}`" for name in EVIDENCE)
    return (
        f"## Report\n\n`decision = neither`\n\nNothing can be trusted: {claims}.\n\n"
        f"{_cite(tables, list(EVIDENCE.values()))}\n\n{_test(opened)}"
    )


def _overclaiming(capstone: Capstone, student: str, opened: FrozenResult | None) -> str:
    tables = capstone.tables(student)
    wrong = ", ".join(
        f"`{name} = {NUMBERS[name].of(tables) * 1.07 + 0.03:.4g}`" for name in _MAIN[:9]
    )
    return (
        "## Report\n\n`decision = b`\n\nb is far better for everybody, without any doubt: "
        f"{wrong}.\n\n{_test(opened)}"
    )


def _silent(capstone: Capstone, student: str, opened: FrozenResult | None) -> str:
    return ""


_SAID: Mapping[str, Callable[[Capstone, str, FrozenResult | None], str]] = {
    "thorough": _thorough,
    "hasty": _hasty,
    "accusing": _accusing,
    "overclaiming": _overclaiming,
    "silent": _silent,
}


def by_kind(students: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each student and a kind, the kinds in turn."""
    for place, student in enumerate(students):
        yield student, KINDS[place % len(KINDS)]
