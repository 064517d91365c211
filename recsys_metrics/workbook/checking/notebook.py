"""The code of a notebook or of its paired text, and the checks it calls."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys_metrics._core import console
from recsys_metrics.workbook import exercises
from recsys_metrics.workbook.common.state_file import refuse_device
from recsys_metrics.workbook.exercises import SUBJECTS, Exercise
from recsys_metrics.workbook.exercises.base import format_key
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.submissions import parse_notebook

_PACKAGE = "recsys_metrics.workbook.exercises"
_LARGEST = 50_000_000
_SHOWN_FILES = 5
_CHECK = re.compile(
    r"^[^#\n]*?\b(?P<subject>\w+)\.(?P<exercise>\w+)"
    r"(?:\.variant\(\s*[\"']?(?P<seed>[\w.-]+)[\"']?\s*\))?\.check\(",
    re.MULTILINE,
)


class NotebookError(Exception):
    """The file is no notebook that can be checked, in words for whoever gave it."""


@dataclass(frozen=True)
class Call:
    """A check that stands in a cell.

    Attributes
    ----------
    cell : int
        Number of the code cell, from 0.
    exercise : str
        The exercise's id.
    seed : str or None
        Of its variant.
    """

    cell: int
    exercise: str
    seed: str | None = None

    @property
    def name(self) -> str:
        """The exercise's id, with the seed of a variant."""
        return format_key(self.exercise, self.seed)


def read_cells(path: Path) -> list[str]:
    """Return the code cells of a notebook, or of a text that is paired with one.

    Parameters
    ----------
    path : Path
        Ends in .ipynb, .md or .py.

    Raises
    ------
    NotebookError
        If it is none.
    """
    import jupytext

    if path.suffix not in {".ipynb", ".md", ".py"}:
        raise NotebookError(f"{path} is no notebook: a name ends in .ipynb, .md or .py")
    try:
        if path.stat().st_size > _LARGEST:
            raise NotebookError(f"{path} is larger than {_LARGEST // 10**6} MB; clear its outputs")
        refuse_device(path)
        content = path.read_bytes()
        if path.suffix == ".ipynb":
            parse_notebook(content)
        text = content.decode(json.detect_encoding(content))
        notebook = jupytext.reads(text, fmt=path.suffix[1:])
        cells = [str(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    except FileNotFoundError:
        raise NotebookError(f"{path} is not there{_list_beside(path)}") from None
    except OSError as problem:
        raise NotebookError(f"{path} cannot be read: {problem.strerror or problem}") from None
    except NotebookError:
        raise
    except GradingError as problem:
        raise NotebookError(f"{path} is not a sound notebook: {problem}") from None
    except Exception as problem:
        # Whatever a damaged file makes of a parser, it is the file that is at fault.
        says = console.printable(str(problem).strip().partition("\n")[0] or repr(problem))
        cure = "open it in Jupyter and save it again"
        raise NotebookError(f"{path} is not a sound notebook: {says}; {cure}") from None
    if not cells:
        raise NotebookError(f"{path} has no code cells")
    return cells


def _list_beside(path: Path) -> str:
    """Return what a folder holds in which a notebook is missing: it may have another name."""
    if not path.parent.is_dir():
        return f", and neither is the folder {path.parent}"
    names = sorted(one.name for one in path.parent.iterdir() if not one.name.startswith("."))
    if not names:
        return f": {path.parent} is empty"
    shown = ", ".join(console.printable(one) for one in names[:_SHOWN_FILES])
    more = f" and {len(names) - _SHOWN_FILES} more" if len(names) > _SHOWN_FILES else ""
    return (
        f": {path.parent} holds {shown}{more}. Name one of them, or call the notebook {path.name}"
    )


def find_calls(cells: Sequence[str]) -> list[Call]:
    """Return the checks of known exercises that cells call, in order.

    The subject is known by ``ex = exercises.ranking`` after ``from recsys_metrics.workbook import
    exercises``, or by an import, ``from recsys_metrics.workbook.exercises import ranking as ex``.
    Of a cell that is no Python the text is searched, so that its student is told of the error.
    """
    subjects: dict[str, str] = {}
    packages: set[str] = set()
    found: list[Call] = []
    for number, cell in enumerate(cells):
        tree = _parsed(cell)
        if tree is None:
            found += _find_in_text(cell, subjects, number)
            continue
        for node in ast.walk(tree):
            packages |= set(_packages(node))
            subjects |= dict(_imported(node)) | dict(_assigned(node, packages))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                call = _call(node.func, subjects, number) if node.func.attr == "check" else None
                if call:
                    found.append(call)
    return found


def select_calls(cells: Sequence[str], exercises: Sequence[str]) -> list[Call]:
    """Return the checks that count: of these exercises with the workbook's numbers, or all."""
    found = find_calls(cells)
    wanted = {(one, None) for one in exercises}
    return [one for one in found if (one.exercise, one.seed) in wanted] if wanted else found


def _find_in_text(cell: str, subjects: Mapping[str, str], number: int) -> Iterator[Call]:
    """Yield the checks that a cell calls by its text, where it cannot be parsed."""
    for match in _CHECK.finditer(cell):
        if match["subject"] in subjects:
            subject = getattr(exercises, subjects[match["subject"]])
            exercise = getattr(subject, match["exercise"], None)
            if isinstance(exercise, Exercise):
                yield Call(number, exercise.id, match["seed"])


def _parsed(cell: str) -> ast.Module | None:
    from IPython.core.inputtransformer2 import TransformerManager

    try:
        source: str = TransformerManager().transform_cell(cell)
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement gives to subjects."""
    if isinstance(node, ast.ImportFrom) and node.module == _PACKAGE:
        for alias in node.names:
            if alias.name in SUBJECTS:
                yield alias.asname or alias.name, alias.name
    elif isinstance(node, ast.Import):
        for alias in node.names:
            package, _, subject = alias.name.rpartition(".")
            if package == _PACKAGE and subject in SUBJECTS and alias.asname:
                yield alias.asname, subject


def _packages(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement gives to the package of all exercises."""
    if isinstance(node, ast.ImportFrom) and node.module == _PACKAGE.rpartition(".")[0]:
        for alias in node.names:
            if alias.name == _PACKAGE.rpartition(".")[2]:
                yield alias.asname or alias.name


def _assigned(node: ast.AST, packages: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the subject of an assignment such as `ex = exercises.ranking`."""
    if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute)):
        return
    of = node.value.value
    if isinstance(of, ast.Name) and of.id in packages and node.value.attr in SUBJECTS:
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value.attr


def _call(func: ast.Attribute, subjects: dict[str, str], cell: int) -> Call | None:
    """Return the check that `ex.name.check` or `ex.name.variant(seed).check` is."""
    of, seed = func.value, None
    if isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute):
        given = [*of.args, *(word.value for word in of.keywords)]
        if of.func.attr != "variant" or not given or not isinstance(given[0], ast.Constant):
            return None
        of, seed = of.func.value, str(given[0].value)
    if not (isinstance(of, ast.Attribute) and isinstance(of.value, ast.Name)):
        return None
    if of.value.id not in subjects:
        return None
    exercise = getattr(getattr(exercises, subjects[of.value.id]), of.attr, None)
    return Call(cell, exercise.id, seed) if isinstance(exercise, Exercise) else None
