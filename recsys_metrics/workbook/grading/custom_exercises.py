"""A course's own exercises, kept in a file of its own and in no package.

The file is Python, and the instructor's: it is run as the instructor.
"""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import Exercise, pause_recording, render_text
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.static_page import render_page

NAME, DATA = "EXERCISES", "DATA"
TEMPLATES = Path(__file__).parent / "templates"
_PAGE_MARK = "<!-- cards of a course's own exercises -->"


def load_exercises(file: Path) -> dict[str, Exercise]:
    """Return the exercises that a file declares, by id.

    Parameters
    ----------
    file : Path
        Python, with a tuple ``EXERCISES``.

    Raises
    ------
    GradingError
        If it cannot be read or run, or holds something else.
    """
    try:
        source = file.read_bytes()
    except OSError as problem:
        raise GradingError(f"{file} cannot be read: {problem.strerror or problem}") from None
    return _declared(str(file), source)


def write_template(file: Path, kind: str) -> None:
    """Write an exercise that holds to the law, with a comment at each part.

    Parameters
    ----------
    file : Path
        One that is not there yet.
    kind : str
        numbers, choice, function or text.

    Raises
    ------
    GradingError
        If there is no such kind, or the file is there.
    """
    kinds = {template.stem: template for template in TEMPLATES.glob("*.txt")}
    if kind not in kinds:
        raise GradingError(f"no exercise is of the kind {kind!r}; {', '.join(sorted(kinds))} are")
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(kinds[kind].read_text(encoding="utf-8"))
    except FileExistsError:
        raise GradingError(f"{file} is there; give another name") from None
    except OSError as problem:
        raise GradingError(f"{file} cannot be written: {problem.strerror or problem}") from None


def write_page(file: Path, title: str, exercises: Iterable[Exercise]) -> None:
    """Write the cards of exercises, each with a variant, its worked solution and its mistakes.

    Parameters
    ----------
    file : Path
        A page of an earlier check is replaced; another file is not.
    title : str
    exercises : iterable of Exercise

    Raises
    ------
    GradingError
        If the file is there and is no such page.
    """
    if file.exists() and _PAGE_MARK not in file.read_text("utf-8", "replace")[:2_000]:
        raise GradingError(f"{file} is there and is no earlier page; give another name")
    parts = [_PAGE_MARK, f"<h1>{markup.escape(title)}</h1>"]
    for one in exercises:
        with pause_recording():
            shown = [one, one.variant("another"), replace(one).solution(show=True)]
        words = ("As it is declared", "A variant", "The worked solution")
        parts.append(f"<h2><code>{markup.escape(one.id)}</code></h2>")
        for said, each in zip(words, shown, strict=True):
            parts.append(f"<h3>{said}</h3>{each._repr_html_()}")
        parts.append(_mistakes(one))
    file.write_text(render_page(title, "\n".join(parts)), encoding="utf-8")


def _mistakes(exercise: Exercise) -> str:
    """Return what a student reads who makes one of the mistakes, and who makes none."""
    rows = [
        f"<tr><th scope=row>{markup.render_inline(one.name)}</th>"
        f"<td>{markup.render_block(render_text(one.cause, exercise.inputs))}</td>"
        f"<td>{markup.render_block(render_text(one.hint, exercise.inputs))}</td></tr>"
        for one in exercise.misconceptions
    ]
    heads = "".join(f"<th scope=col>{head}</th>" for head in ("Mistake", "Cause", "Asked back"))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    insight = markup.render_block(render_text(exercise.insight, exercise.inputs))
    return (
        f"<h3>The mistakes that are named</h3>{table}" if rows else ""
    ) + f"<h3>After a Pass</h3>{insight}"


def list_data_files(file: Path) -> list[Path]:
    """Return the files that stand beside a file of exercises, which it names in `DATA`.

    Raises
    ------
    GradingError
        If one is not there, or lies elsewhere.
    """
    named = getattr(_module(str(file), file.read_bytes()), DATA, ())
    found = []
    for name in [named] if isinstance(named, str) else named:
        if not isinstance(name, str) or Path(name).name != name:
            raise GradingError(f"{file}: {DATA} names {name!r}; name files that lie beside it")
        beside = file.with_name(name)
        if not beside.is_file():
            raise GradingError(
                f"{file}: {DATA} names {name!r}, and there is no such file beside it"
            )
        found.append(beside)
    return found


def namespace(file: str | Path) -> SimpleNamespace:
    """Return the exercises of a file as a notebook names them: `ex = namespace("mine.py")`.

    Parameters
    ----------
    file : str or Path

    Raises
    ------
    GradingError
        If it cannot be read or run, or two exercises have one name.
    """
    found: dict[str, Exercise] = {}
    for one in load_exercises(Path(file)).values():
        name = one.python_name
        if name in found:
            raise GradingError(f"{file}: {found[name].id} and {one.id} are both ex.{name}")
        found[name] = one
    return SimpleNamespace(**found)


def _declared(file: str, source: bytes) -> dict[str, Exercise]:
    found = getattr(_module(file, source), NAME, None)
    if not isinstance(found, tuple | list) or not found:
        raise GradingError(f"{file} declares no {NAME}; end it with `{NAME} = (mine, another)`")
    return _by_id(file, found)


@cache
def _module(file: str, source: bytes) -> ModuleType:
    module = ModuleType(f"own_exercises_{hashlib.sha256(source).hexdigest()[:16]}")
    module.__file__ = file
    try:
        exec(compile(source, file, "exec"), module.__dict__)
    except Exception as problem:
        raise GradingError(f"{file}{_line(file, problem)}: {_said(problem)}") from None
    return module


def _by_id(file: str, found: Any) -> dict[str, Exercise]:
    by_id: dict[str, Exercise] = {}
    for one in found:
        if not isinstance(one, Exercise) or isinstance(one, Predict):
            raise GradingError(
                f"{file}: {NAME} holds a {type(one).__name__}; it may hold Numbers, Function, "
                "Choice, Order and Text"
            )
        if one.id in REGISTRY:
            raise GradingError(
                f"{file}: {one.id} is an exercise of the workbook; give it another id"
            )
        if one.id in by_id:
            raise GradingError(f"{file}: two exercises have the id {one.id}")
        by_id[one.id] = one
    return by_id


def _line(file: str, problem: Exception) -> str:
    if isinstance(problem, SyntaxError):
        return f", line {problem.lineno}"
    lines = [at.lineno for at in traceback.extract_tb(problem.__traceback__) if at.filename == file]
    return f", line {lines[-1]}" if lines else ""


def _said(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}".partition("\n")[0]
