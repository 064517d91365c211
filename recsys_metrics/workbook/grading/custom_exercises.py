"""A course's own exercises, kept in files of its own and in no package.

They are declared as the workbook declares its own: `mine.yaml` has the texts, and `mine.py` beside
it what is drawn or computed, where anything is. The Python is the instructor's, and is run as the
instructor.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cache, partial, wraps
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

from recsys_metrics._core.whole_files import write_new_file
from recsys_metrics._core.windows_names import find_fault_of_name
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.state_file import refuse_device
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.bank import (
    BankError,
    Entry,
    MissingNameError,
    build,
    find_line,
    locate_problem,
    name_exercise,
    read_yaml,
)
from recsys_metrics.workbook.exercises.base import (
    Exercise,
    Mistake,
    Step,
    pause_recording,
    render_text,
)
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.exercises.time_limit import run_with_limit
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.schema_faults import (
    SchemaFault,
    find_schema_fault,
    list_fields,
)
from recsys_metrics.workbook.grading.static_page import render_page
from recsys_metrics.workbook.grading.watchdog import watched
from recsys_metrics.workbook.grading.yaml_faults import explain_yaml_fault, find_layout_fault

DATA = "DATA"
# What an own exercise may take for one call; a loop without an end takes longer.
_CALL_SECONDS = 20.0
# What only defines functions is done at once; a table may be computed.
_MOST_SECONDS = 60
SUFFIX = ".yaml"
TEMPLATES = Path(__file__).parent / "templates"
_PAGE_MARK = "<!-- cards of a course's own exercises -->"
_PAGE_STYLE = "th, td { padding: .2em 1.2em .2em 0 }\ntd p { margin: 0 0 .4em }\n"
# Where a rule that is broken is kept: the rule in words, and the field of the entry.
_FIELDS = (
    (r"takes .* minutes", "minutes"),
    (r"brings .* points", "points"),
    (r"has \d+ hints", "hints"),
    (r"in its `solve`", "solve"),
    (r"has no insight", "insight"),
    (r"criteria", "criteria"),
    (r"worked solution|own solution|in its solution|NameError|KeyError", "solution"),
    (r"draws |in its draw|right answer for|other variants", "draw"),
    (r"mistake", "mistakes"),
)


class ExerciseFault(str):
    """What is wrong with an exercise, in words, with the fields that lead to it.

    Parameters
    ----------
    says : str
    path : sequence of str
        The keys and places within the exercise; nothing where the words alone tell the line.
    """

    path: tuple[str, ...]

    def __new__(cls, says: str, path: Sequence[str] = ()) -> Self:
        """Return the words with their path."""
        made = super().__new__(cls, says)
        made.path = (*path,)
        return made


class EndlessError(GradingError):
    """A function of a course's own exercise that does not come to an end.

    Parameters
    ----------
    exercise, what : str
        The exercise's id, and which of its functions.
    path : sequence of str
        The keys within the exercise that lead to it.
    """

    def __init__(self, exercise: str, what: str, path: Sequence[str]) -> None:
        self.says = (
            f"did not end within {_CALL_SECONDS:.0f} seconds in its {what}; look for an endless "
            "loop"
        )
        self.path = (*path,)
        super().__init__(f"{exercise} {self.says}")


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
        cure = (
            f"rename it to {file.stem}{SUFFIX}"
            if file.suffix in {".yml", ".YAML", ".YML"}
            else f"name a file that ends in {SUFFIX}, which `course own exercise` writes"
        )
        raise GradingError(f"{file}: exercises are declared in YAML; {cure}")
    if not re.fullmatch("[a-z][a-z0-9_]*", file.stem):
        plain = re.sub(r"[^a-z0-9]+", "_", file.stem.lower()).strip("_0123456789") or "mine"
        raise GradingError(
            f"{file}: the ids of its exercises begin with its name, so give it one of small "
            "letters, digits and underscores, with a letter first, such as "
            f"{plain}{SUFFIX}; rename a file in Python beside it, too"
        )
    _refuse_name(file)
    python = get_python_file(file)
    refuse_device(python)
    source = python.read_bytes() if python.exists() else None
    return dict(_declared(str(file), _read(file), source))


def _refuse_name(file: Path) -> None:
    if fault := find_fault_of_name(file.name):
        raise GradingError(f"{file}: no file has this name on Windows, {fault}; give another name")


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
    name = exercise.partition(".")[2]
    if path := getattr(fault, "path", ()):
        return f"{file.name}, line {_find_path(_read(file), name, path, fault)}"
    if in_python := re.search(r", in line (\d+)", fault):
        return f"{get_python_file(file).name}, line {in_python[1]}"
    return f"{file.name}, line {_find_fault(_read(file), name, fault)}"


def _find_path(text: str, name: str, path: Sequence[str], fault: str) -> int:
    """Return the line of a field, or the one within its text that has the braces it is about."""
    braces = re.search(r"names (\{.+?\}), which is no input", fault)
    return find_line(text, (name, *path), containing=braces[1] if braces else "")


def _find_fault(text: str, name: str, fault: str) -> int:
    if named := re.search(r"names \{(\w+)\}", fault):
        return find_line(text, (name,), containing=f"{{{named[1]}")
    if swapped := re.search(r"in the solution with the swap of '([\w-]+)'", fault):
        return find_line(text, (name, "mistakes", swapped[1], "swap"))
    if in_solution := re.search(r"in the solution: (.+)", fault):
        return find_line(text, (name, "solution"), containing=in_solution[1])
    if revealed := re.search(r"shows the right `\w+`, ([\d.]+), before", fault):
        return find_line(text, (name,), containing=revealed[1])
    if follows := re.search(r"says that `(\w+)` follows", fault):
        return find_line(text, (name, "follows", follows[1]))
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
    _refuse_name(file)
    texts = {file: TEMPLATES / f"{kind}{SUFFIX}"}
    if (python := TEMPLATES / f"{kind}.py.txt").exists():
        texts[get_python_file(file)] = python
    for new in texts:
        if new.exists():
            raise GradingError(f"{new} is there; give another name")
    try:
        for new, template in texts.items():
            write_new_file(new, [template.read_text(encoding="utf-8")])
    except OSError as problem:
        says = str(problem.strerror or problem).removeprefix(f"{new}: ")
        raise GradingError(f"{new} cannot be written: {says}") from None
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
    refuse_device(file)
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
    atomic_files.replace_file(file, render_page(title, "\n".join(parts), style=_PAGE_STYLE))


def _mistakes(exercise: Exercise) -> str:
    """Return what a student reads who makes one of the mistakes, and who makes none."""
    rows = [
        f"<tr><th scope=row>{markup.render_inline(one.name)}</th>"
        f"<td>{markup.render_block(render_text(one.cause, exercise.inputs))}</td>"
        f"<td>{markup.render_block(render_text(one.hint, exercise.inputs))}</td></tr>"
        for one in exercise.mistakes
    ]
    heads = "".join(f"<th scope=col>{head}</th>" for head in ("Mistake", "Cause", "Asked back"))
    table = (
        f"<div class='scroll'><table><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    insight = markup.render_block(render_text(exercise.insight, exercise.inputs))
    return (
        f"<h3>The mistakes that are named</h3>{table}" if rows else ""
    ) + f"<h3>After a correct answer</h3>{insight}"


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
            raise GradingError(f"{python}: {DATA} names {name!r}; name files that lie next to it")
        beside = file.with_name(name)
        _refuse_name(beside)
        if not beside.is_file():
            raise GradingError(
                f"{python}: {DATA} names {name!r}, and there is no such file next to it"
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
        refuse_device(file)
        return file.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise GradingError(f"{file} cannot be read: {problem.strerror or problem}") from None
    except UnicodeDecodeError as problem:
        before = problem.object[: problem.start].decode("utf-8", "replace")
        line = before.count("\n") + 1
        raise GradingError(
            f"{file}, line {line}: {name_exercise(before, line)}a character is not in UTF-8 "
            f"({problem.reason}); save the file as UTF-8 in your editor"
        ) from None


@cache
def _declared(file: str, text: str, source: bytes | None) -> Mapping[str, Exercise]:
    try:
        entries = read_yaml(text, file)
    except BankError as problem:
        raise GradingError(_explain_yaml(file, text, str(problem))) from None
    if isinstance(entries, list):
        raise GradingError(
            f"{file}, line 1: this is a list; begin with the name of an exercise and a colon, and "
            "indent its fields below it by two blanks"
        )
    if not isinstance(entries, Mapping) or not entries:
        raise GradingError(f"{file} declares no exercise; `course own exercise` writes one")
    for name, entry in entries.items():
        for field in ("part", "position"):
            if isinstance(entry, Mapping) and field in entry:
                raise GradingError(
                    f"{file}, line {find_line(text, (name, field))}: {name}: `{field}` belongs to "
                    "exercises of the workbook; leave it out, a course asks in the order of a file"
                )
    if fault := find_schema_fault(entries):
        raise GradingError(_explain_schema_fault(file, text, fault))
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
        if one.id in by_id:
            raise GradingError(
                f"{file}, line {find_line(text, (name, 'id'))}: {one.id} is another exercise of "
                "this file; give one of them another name or `id`"
            )
        by_id[one.id] = _with_limits(one)
    return by_id


def _with_limits(exercise: Exercise) -> Exercise:
    """Return an exercise each of whose functions ends in an error where it does not end.

    A function may come to an end for some students and for others not.
    """
    is_solved_in_yaml = isinstance(exercise, Numbers)
    called = {
        "solve": ("solution", "solution") if is_solved_in_yaml else ("`solve`", "solve"),
        "steps": ("solution", "solution"),
    }
    limited = {}
    for one in fields(exercise):
        if one.init and one.name not in {"inputs", "cases", "asks"}:
            what, key = called.get(one.name, (one.name, one.name))
            limited[one.name] = _limited(getattr(exercise, one.name), exercise.id, what, (key,))
    return replace(exercise, **limited)


def _limited(value: Any, exercise: str, what: str, path: tuple[str, ...]) -> Any:
    """Return a part of an exercise with limits on the functions in it."""
    if isinstance(value, Mistake | Step):
        if isinstance(value, Mistake):
            what, path = f"mistake {value.id}", (*path, value.id)
        parts = {one.name: getattr(value, one.name) for one in fields(value)}
        return replace(
            value, **{key: _limited(part, exercise, what, path) for key, part in parts.items()}
        )
    if isinstance(value, tuple):
        return tuple(_limited(one, exercise, what, path) for one in value)
    if isinstance(value, dict):
        return {key: _limited(one, exercise, what, path) for key, one in value.items()}
    return _limit_call(value, exercise, what, path) if callable(value) else value


def _limit_call(
    function: Callable[..., Any], exercise: str, what: str, path: tuple[str, ...]
) -> Callable[..., Any]:
    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        run = run_with_limit(partial(function, **named), arguments, seconds=_CALL_SECONDS)
        if run.error is not None:
            raise run.error
        if not run.finished:
            raise EndlessError(exercise, what, path)
        return run.value

    return call


def _explain_yaml(file: str, text: str, problem: str) -> str:
    """Return what is wrong with a text that is not valid YAML, with its line and the cure."""
    at = re.search(r", line (\d+): .*not valid YAML", problem)
    layout = find_layout_fault(text, int(at[1]), list_fields()) if at else None
    if layout is None or "quotation mark is not closed" in problem:
        return f"{problem}{explain_yaml_fault(problem)}"
    line, says = layout
    above = "\n".join(text.splitlines()[: line - 1])
    return f"{file}, line {line}: {name_exercise(above, line)}{says}"


def _explain_schema_fault(file: str, text: str, fault: SchemaFault) -> str:
    """Return what is wrong with a field, with its line."""
    line = find_line(text, fault.path)
    says = fault.message
    if "has nothing in it" in says and re.search(r"[:-] +#", text.splitlines()[line - 1]):
        where = says.partition(": has nothing")[0]
        says = f"{where}: is empty, because # begins a comment; put the text in quotation marks"
    return f"{file}, line {line}: {says}"


def _build(file: str, text: str, name: str, entry: Entry, module: ModuleType) -> Exercise:
    try:
        return build(entry, f"{Path(file).stem}.{name}", module)
    except BankError as problem:
        line = locate_problem(text, name, problem)
        is_name = isinstance(problem, MissingNameError)
        hint = _find_similar_name(problem.value, module) if is_name else ""
        raise GradingError(f"{file}, line {line}: {problem}{hint}") from None
    except Exception as problem:
        raise GradingError(
            f"{file}, line {find_line(text, (name,))}: {name}: {_said(problem)}"
        ) from None


def _find_similar_name(name: str, module: ModuleType) -> str:
    """Return what to say of a name that is not in the Python of a file."""
    if not (python := Path(str(module.__file__))).exists():
        return (
            f", and there is no such file next to it; define {name!r} in a file {python.name}, or "
            "give your file in Python this name"
        )
    known = [key for key, value in vars(module).items() if key[0] != "_" and callable(value)]
    words = {" ".join(sorted(key.split("_"))): key for key in known}
    # Words in another order are the same name; then a name that is written alike.
    same = words.get(" ".join(sorted(name.split("_"))))
    near = [same] if same else difflib.get_close_matches(name, vars(module), n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; define {name!r} there"


@cache
def _module(file: str, source: bytes) -> ModuleType:
    module = ModuleType(f"own_exercises_{hashlib.sha256(source).hexdigest()[:16]}")
    module.__file__ = file
    try:
        code = compile(source, file, "exec")
    except Exception as problem:
        raise GradingError(f"{file}{_line(file, problem)}: {_said(problem)}") from None
    with watched(file):
        run = run_with_limit(exec, (code, module.__dict__), seconds=_MOST_SECONDS)
    if isinstance(run.error, KeyboardInterrupt):
        raise run.error
    if run.error is not None:
        raise GradingError(f"{file}{_line(file, run.error)}: {_said(run.error)}") from None
    if not run.finished:
        raise GradingError(
            f"{file} was still running after {_MOST_SECONDS} seconds; it should only define what "
            "the exercises draw and compute. Is there a loop without an end?"
        )
    return module


@contextmanager
def refuse_exit(file: Path) -> Iterator[None]:
    """Turn an end of the program by a file's functions into an error that names the file."""
    try:
        yield
    except SystemExit as problem:
        says = _said(problem)
        raise GradingError(
            f"{file}{_line(str(file), problem)}: {says}; an exercise may not end the program"
        ) from None


def _line(file: str, problem: BaseException) -> str:
    if isinstance(problem, SyntaxError):
        return f", line {problem.lineno}"
    lines = [at.lineno for at in traceback.extract_tb(problem.__traceback__) if at.filename == file]
    return f", line {lines[-1]}" if lines else ""


def _said(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}".partition("\n")[0]
