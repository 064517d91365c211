"""A course's own exercises, kept in files of its own and in no package.

They are declared as the workbook declares its own: `mine.yaml` has the texts, and `mine.py` beside
it what is drawn or computed, where anything is. The Python is the instructor's, and is run as the
instructor.
"""

from __future__ import annotations

import hashlib
import json
import re
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.bank import BankError, Entry, build, find_line, read_yaml
from recsys_metrics.workbook.exercises.base import Exercise, pause_recording, render_text
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.static_page import render_page

DATA = "DATA"
SUFFIX = ".yaml"
TEMPLATES = Path(__file__).parent / "templates"
_PAGE_MARK = "<!-- cards of a course's own exercises -->"
# Where a rule that is broken is kept: the rule in words, and the field of the entry.
_FIELDS = (
    (r"takes .* minutes", "minutes"),
    (r"brings .* points", "points"),
    (r"has \d+ hints", "hints"),
    (r"has no insight", "insight"),
    (r"criteria", "criteria"),
    (r"worked solution|own solution|NameError|KeyError", "solution"),
    (r"draws |right answer for|other variants", "draw"),
    (r"mistake", "mistakes"),
)


def load_exercises(file: Path) -> dict[str, Exercise]:
    """Return the exercises that a file declares, by id.

    Parameters
    ----------
    file : Path
        In YAML; its name is the first part of the ids.

    Raises
    ------
    GradingError
        If it cannot be read, or something in it is wrong; with the line.
    """
    if file.suffix != SUFFIX:
        raise GradingError(
            f"{file}: exercises are declared in YAML, in mine{SUFFIX} for instance; `new-exercise` "
            "writes one"
        )
    if not re.fullmatch("[a-z][a-z_]*", file.stem):
        raise GradingError(
            f"{file}: the ids of its exercises begin with its name, so give it one of small "
            f"letters, such as mine{SUFFIX}"
        )
    python = get_python_file(file)
    source = python.read_bytes() if python.exists() else None
    return dict(_declared(str(file), _read(file), source))


def load_kept(folder: Path) -> dict[str, Exercise]:
    """Return the exercises that are kept in a folder, with all that they need.

    Raises
    ------
    GradingError
        If there is no file of exercises, or several.
    """
    found = sorted(folder.glob(f"*{SUFFIX}"))
    if len(found) != 1:
        raise GradingError(f"{folder} has {len(found)} files of exercises, and should have one")
    return load_exercises(found[0])


def get_python_file(file: Path) -> Path:
    """Return where the Python of a file of exercises stands, if it has any."""
    return file.with_suffix(".py")


def locate(file: Path, exercise: str, fault: str) -> str:
    """Return the file and the line of what breaks a rule: `mine.yaml, line 7`.

    Parameters
    ----------
    file : Path
    exercise : str
        Its id.
    fault : str
        What is wrong, as `find_faults` says it.
    """
    if in_python := re.search(r", in line (\d+)", fault):
        return f"{get_python_file(file).name}, line {in_python[1]}"
    return f"{file.name}, line {_find_fault(_read(file), exercise.partition('.')[2], fault)}"


def _find_fault(text: str, name: str, fault: str) -> int:
    if named := re.search(r"names \{(\w+)\}", fault):
        return find_line(text, (name,), containing=f"{{{named[1]}")
    of_mistake = re.search(r"mistake (?:that [^:]*: )?([a-z0-9]+(?:-[a-z0-9]+)*)\b", fault)
    if of_mistake and find_line(text, (name, "mistakes", of_mistake[1]), exactly=True):
        return find_line(text, (name, "mistakes", of_mistake[1]))
    field = next((field for words, field in _FIELDS if re.search(words, fault)), "")
    return find_line(text, (name, field))


def write_template(file: Path, kind: str) -> list[Path]:
    """Write an exercise that keeps the rules, with a comment at each part.

    Parameters
    ----------
    file : Path
        One that is not there yet.
    kind : str
        numbers, choice, function or text.

    Returns
    -------
    list of Path
        The file, and the one in Python beside it if the exercise needs any.

    Raises
    ------
    GradingError
        If there is no such kind, or a file is there.
    """
    kinds = sorted(template.stem for template in TEMPLATES.glob(f"*{SUFFIX}"))
    if kind not in kinds:
        raise GradingError(f"no exercise is of the kind {kind!r}; {', '.join(kinds)} are")
    if file.suffix != SUFFIX:
        raise GradingError(f"{file}: give a name that ends in {SUFFIX}, mine{SUFFIX} for instance")
    texts = {file: TEMPLATES / f"{kind}{SUFFIX}"}
    if (python := TEMPLATES / f"{kind}.py.txt").exists():
        texts[get_python_file(file)] = python
    for new in texts:
        if new.exists():
            raise GradingError(f"{new} is there; give another name")
    try:
        for new, template in texts.items():
            with new.open("x", encoding="utf-8") as opened:
                opened.write(template.read_text(encoding="utf-8"))
    except OSError as problem:
        raise GradingError(f"{new} cannot be written: {problem.strerror or problem}") from None
    return [*texts]


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
        for one in exercise.mistakes
    ]
    heads = "".join(f"<th scope=col>{head}</th>" for head in ("Mistake", "Cause", "Asked back"))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    insight = markup.render_block(render_text(exercise.insight, exercise.inputs))
    return (
        f"<h3>The mistakes that are named</h3>{table}" if rows else ""
    ) + f"<h3>After a Pass</h3>{insight}"


def list_data_files(file: Path) -> list[Path]:
    """Return the files beside a file of exercises: its Python, and what that names in `DATA`.

    Raises
    ------
    GradingError
        If one is not there, or lies elsewhere.
    """
    python = get_python_file(file)
    if not python.exists():
        return []
    named = getattr(_module(str(python), python.read_bytes()), DATA, ())
    found = [python]
    for name in [named] if isinstance(named, str) else named:
        if not isinstance(name, str) or Path(name).name != name:
            raise GradingError(f"{python}: {DATA} names {name!r}; name files that lie beside it")
        beside = file.with_name(name)
        if not beside.is_file():
            raise GradingError(
                f"{python}: {DATA} names {name!r}, and there is no such file beside it"
            )
        found.append(beside)
    return found


def namespace(file: str | Path) -> SimpleNamespace:
    """Return the exercises of a file as a notebook names them: `ex = namespace("mine.yaml")`.

    Parameters
    ----------
    file : str or Path

    Raises
    ------
    GradingError
        If it cannot be read, or something in it is wrong.
    """
    return SimpleNamespace(**{one.python_name: one for one in load_exercises(Path(file)).values()})


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise GradingError(f"{file} cannot be read: {problem.strerror or problem}") from None
    except UnicodeDecodeError as problem:
        raise GradingError(f"{file} is not in UTF-8 ({problem.reason}); save it so") from None


@cache
def _declared(file: str, text: str, source: bytes | None) -> Mapping[str, Exercise]:
    try:
        entries = read_yaml(text, file)
    except BankError as problem:
        raise GradingError(str(problem)) from None
    if not isinstance(entries, Mapping) or not entries:
        raise GradingError(f"{file} declares no exercise; `new-exercise` writes one")
    # In which notebook an exercise stands, and where, only the workbook asks.
    entries = {
        name: {"part": "own", "position": place, **entry} if isinstance(entry, Mapping) else entry
        for place, (name, entry) in enumerate(entries.items())
    }
    if fault := _find_schema_fault(entries):
        path, says = fault
        raise GradingError(f"{file}, line {find_line(text, path)}: {says}")
    python = str(get_python_file(Path(file)))
    module = ModuleType("none") if source is None else _module(python, source)
    module.__file__ = python
    by_id: dict[str, Exercise] = {}
    for name, entry in entries.items():
        one = _build(file, text, name, entry, module)
        if isinstance(one, Predict):
            raise GradingError(
                f"{file}, line {find_line(text, (name, 'kind'))}: nothing is right or wrong about "
                "a prediction; choose another kind"
            )
        if one.id in REGISTRY:
            raise GradingError(
                f"{file}, line {find_line(text, (name,))}: {one.id} is an exercise of the "
                "workbook; give the file or the exercise another name"
            )
        by_id[one.id] = one
    return by_id


def _build(file: str, text: str, name: str, entry: Entry, module: ModuleType) -> Exercise:
    try:
        return build(entry, f"{Path(file).stem}.{name}", module)
    except BankError as problem:
        line = find_line(text, (name, *problem.path), containing=problem.value)
        raise GradingError(f"{file}, line {line}: {problem}") from None
    except Exception as problem:
        raise GradingError(
            f"{file}, line {find_line(text, (name,))}: {name}: {_said(problem)}"
        ) from None


def _find_schema_fault(entries: Any) -> tuple[Sequence[str], str] | None:
    """Return where entries are not as the schema has them, and what is wrong; None if they are."""
    try:
        from jsonschema import Draft202012Validator
        from jsonschema.exceptions import best_match
    except ModuleNotFoundError:
        return None  # a reader's environment; the instructor's has it
    schema = json.loads(
        files("recsys_metrics.workbook.exercises").joinpath("schema.json").read_text("utf-8")
    )
    error = best_match(Draft202012Validator(schema).iter_errors(entries))
    if error is None:
        return None
    path = [str(key) for key in error.absolute_path]
    if extra := re.search(r"\('([^']+)' was unexpected\)", error.message):
        path.append(extra[1])
    meant = error.schema.get("description") if isinstance(error.schema, dict) else None
    says = f"{'.'.join(path)}: {error.message[:200]}"
    return path, says + (f". It is: {meant}" if meant else "")


@cache
def _module(file: str, source: bytes) -> ModuleType:
    module = ModuleType(f"own_exercises_{hashlib.sha256(source).hexdigest()[:16]}")
    module.__file__ = file
    try:
        exec(compile(source, file, "exec"), module.__dict__)
    except Exception as problem:
        raise GradingError(f"{file}{_line(file, problem)}: {_said(problem)}") from None
    return module


def _line(file: str, problem: Exception) -> str:
    if isinstance(problem, SyntaxError):
        return f", line {problem.lineno}"
    lines = [at.lineno for at in traceback.extract_tb(problem.__traceback__) if at.filename == file]
    return f", line {lines[-1]}" if lines else ""


def _said(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}".partition("\n")[0]
