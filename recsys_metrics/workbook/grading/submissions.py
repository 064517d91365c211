"""A notebook that was handed in, and where its answers are.

What came back is never trusted: it is read as JSON and as nothing else, its metadata only help to
find the answers, and no number in it is believed.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from symtable import SymbolTable, symtable
from typing import Any, Protocol, TypeVar

from recsys_metrics.workbook.grading import signatures
from recsys_metrics.workbook.grading import untrusted_text as border
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import PLACEHOLDER, Question

OURS = "recsys_metrics"
PAGE = "page"
SOLUTION = 99
"""What stands for the worked solution where hints are counted."""
_MOST_CELLS = 5_000
_MOST_ATTACHMENTS = 5
_LONGEST_HEAD = 10_000
# What a cell can use without having defined it, beside Python's own names.
_OF_IPYTHON = ("In", "Out", "display", "exit", "get_ipython", "quit", "__name__", "_")
_ROLES = {"prompt", "picture", "given", "answer"}
_HEADING = re.compile(r"##\s+Question\s+(\d{1,4})\b")


class Asked(Protocol):
    """What is looked for in a notebook."""

    @property
    def grade_id(self) -> str:
        """What nbgrader calls the answer."""

    @property
    def is_words(self) -> bool:
        """Whether the answer is a text."""


_Asked = TypeVar("_Asked", bound=Asked)


@dataclass(frozen=True)
class Cell:
    """A cell that came back.

    Attributes
    ----------
    is_code : bool
    source : str
    question : int
        Place of the question it stands under, from 0; -1 above the first one.
    role : str
        What it was in the notebook that was released, "title", "prompt", "picture", "given" or
        "answer", or "heading" of a prompt that has nothing but its heading left; empty if it was
        not in it.
    attachments : tuple of str
        The names of files that are attached to it.
    is_raw : bool
        Whether it is a raw cell, which Jupyter neither runs nor draws.
    """

    is_code: bool
    source: str
    question: int = -1
    role: str = ""
    attachments: tuple[str, ...] = ()
    is_raw: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether it is the cell the question's answer was asked in."""
        return self.role == "answer"

    @property
    def is_ours(self) -> bool:
        """Whether it was in the notebook that was released."""
        return bool(self.role)


@dataclass(frozen=True)
class Submission:
    """A notebook that came back.

    Attributes
    ----------
    cells : tuple of Cell
    student, assignment, tag : str
        What it says of itself; empty where it says nothing. The tag shows whether it is true.
    answered_in : str
        "page" if its answers are to the variants of the book's pages.
    hints : mapping
        How many hints were opened, by exercise, as it says itself; 99 with the solution.
    head : str
        Its first cell as it was released, as it says itself; empty where it does not say.
    """

    cells: tuple[Cell, ...]
    student: str = ""
    assignment: str = ""
    tag: str = ""
    answered_in: str = ""
    hints: Mapping[str, int] = field(default_factory=dict)
    head: str = ""

    @property
    def is_from_page(self) -> bool:
        """Whether its answers are to the variants of the book's pages."""
        return self.answered_in == PAGE

    def find_owner(self, key: str) -> tuple[str, str] | None:
        """Return the student and the assignment it was released for, if that is certain."""
        return (self.student, self.assignment) if self.find_release(key) else None

    def find_release(self, key: str) -> int:
        """Return which release of its assignment it is of; 0 if that is not certain."""
        if not (self.student and self.assignment and self.tag):
            return 0
        return signatures.find_release(key, self.assignment, self.student, self.tag)

    @property
    def is_stripped(self) -> bool:
        """Whether a program has removed all that tells our cells from others."""
        return not any(cell.is_answer for cell in self.cells)

    @property
    def has_questions(self) -> bool:
        """Whether a question of those that were looked for is in it."""
        return any(cell.question >= 0 for cell in self.cells)

    def is_answered(self, questions: Sequence[Question]) -> bool:
        """Whether anything was written below a question."""
        blank = {"", PLACEHOLDER, *(question.stub.strip() for question in questions)}
        return any(
            cell.question >= 0
            and (cell.is_answer or not cell.is_ours)
            and cell.source.strip() not in blank
            for cell in self.cells
        )

    def find_missing_cells(self, questions: Sequence[_Asked]) -> list[_Asked]:
        """Return the questions whose cell is no longer there.

        Where the cells cannot be told apart any more, a question whose heading is gone too, or
        that has no cell of its kind below it.
        """
        stripped = self.is_stripped
        there = {
            cell.question
            for cell in self.cells
            if cell.is_answer
            or (
                stripped
                and not cell.is_ours
                and 0 <= cell.question < len(questions)
                and cell.is_code != questions[cell.question].is_words
            )
        }
        return [question for place, question in enumerate(questions) if place not in there]

    def find_uncoded(self, questions: Sequence[Question]) -> list[int]:
        """Return the places of questions whose code was written into a cell that holds text."""
        return [
            cell.question
            for cell in self.cells
            if cell.is_answer
            and not cell.is_code
            and not questions[cell.question].is_words
            and cell.source.strip() not in {"", questions[cell.question].stub.strip()}
        ]

    def find_changed_setup(self, questions: Sequence[Question]) -> list[Question]:
        """Return the questions whose given values are no longer as they were given."""
        return [
            question
            for place, question in enumerate(questions)
            if question.setup_code and not self.has_setup(place, hash_code(question.setup_code))
        ]

    def has_setup(self, place: int, wanted: str) -> bool:
        """Return whether the code with the given values of a question is there as it was given.

        Where a program has removed what tells these cells from others, it is taken to be there: to
        say that a student changed it would be a guess.

        Parameters
        ----------
        place : int
            Of the question.
        wanted : str
            A hash of the code.
        """
        here = [cell for cell in self.cells if cell.is_code and cell.question == place]
        return not any(cell.role in {"given", "prompt"} for cell in self.cells) or any(
            hash_code(cell.source) == wanted for cell in here if not cell.is_answer
        )

    def find_functions(self, place: int) -> list[str]:
        """Return the names of the functions that the cells of a question define."""
        return list(
            dict.fromkeys(
                name
                for cell in self.cells
                if cell.is_code and cell.question == place
                for name in _list_functions(cell.source)
            )
        )

    def find_elsewhere(self, place: int, names: Sequence[Collection[str]]) -> dict[str, list[int]]:
        """Return which names of an answer are assigned below other questions and not its own.

        Parameters
        ----------
        place : int
            Of the question.
        names : sequence of collection of str
            What each question asks for.

        Returns
        -------
        dict of str to list of int
            The places where each name is assigned, -1 above the first question. Below a question
            that asks for the same name it is that question's answer.
        """
        found: dict[str, list[int]] = {}
        for cell in self.cells:
            if cell.is_code and (cell.is_answer or not cell.is_ours):
                for name in set(_list_assigned(cell.source)) & {*names[place]}:
                    found.setdefault(name, []).append(cell.question)
        return {
            name: sorted(others)
            for name, places in sorted(found.items())
            if place not in places
            and (others := {one for one in places if one < 0 or name not in names[one]})
        }

    def is_reset(self, place: int, name: str) -> bool:
        """Whether a cell added above that of an answer assigns a name that this one resets.

        Parameters
        ----------
        place : int
            Of the question.
        name : str
            One that its answer is read from.
        """
        is_above = False
        for cell in self.cells:
            if (
                not cell.is_code
                or cell.question != place
                or name not in _list_assigned(cell.source)
            ):
                continue
            if cell.is_answer:
                return is_above
            is_above = is_above or not cell.is_ours
        return False

    def find_other_case(self, place: int, name: str) -> str:
        """Return a name below a question that differs in small and capital letters; else empty."""
        assigned = (
            other
            for cell in self.cells
            if cell.is_code and cell.question == place and (cell.is_answer or not cell.is_ours)
            for other in _list_assigned(cell.source)
        )
        return next((o for o in assigned if o != name and o.casefold() == name.casefold()), "")

    def find_undefined(self, place: int) -> list[str]:
        """Return the names that functions of a question use and that no cell defines.

        They are found in the code as it stands, and not by what was raised: what is raised on a
        hidden case can be made to say what the case is.
        """
        code = [cell for cell in self.cells if cell.is_code]
        known = {*dir(builtins), *_OF_IPYTHON}
        known.update(name for cell in code for name in _list_assigned(cell.source))
        used = [
            name
            for cell in code
            if cell.question == place
            for name in _list_globals(_read_symbols(cell.source))
        ]
        return [name for name in dict.fromkeys(used) if name not in known]

    def find_unreached(self, stopped_in: int | None, questions: Sequence[Question]) -> set[int]:
        """Return the places of questions with an answer in a cell that did not run to its end.

        Parameters
        ----------
        stopped_in : int or None
            Of the code cells, the one in which the run ended before its end.
        questions : sequence of Question
        """
        if stopped_in is None:
            return set()
        return {
            cell.question
            for cell in [cell for cell in self.cells if cell.is_code][stopped_in:]
            if cell.question >= 0
            and (cell.is_answer or not cell.is_ours)
            and cell.source.strip() not in {"", questions[cell.question].stub.strip()}
        }

    def hash_answer(self, place: int) -> str:
        """Return a hash of what was written below a question, in its cell and in cells added."""
        written = (
            cell.source
            for cell in self.cells
            if cell.question == place and (cell.is_answer or not cell.is_ours)
        )
        return hash_code("\n".join([self.answered_in, *written]))

    def is_for_words(self, cell: Cell) -> bool:
        """Whether a cell is that for an answer in words.

        Where a program has removed what tells our cells from others, any text may be it.
        """
        return cell.is_answer or (self.is_stripped and not (cell.is_code or cell.is_ours))

    def get_text(self, place: int) -> str:
        """Return what is in the cell for an answer in words; empty if that is nothing."""
        written = [
            cell.source.strip()
            for cell in self.cells
            if cell.question == place and self.is_for_words(cell)
        ]
        return "\n\n".join(text for text in written if text not in {"", PLACEHOLDER})


def parse_notebook(content: bytes, questions: Sequence[Asked] = ()) -> Submission:
    """Read a notebook that came back.

    Parameters
    ----------
    content : bytes
    questions : sequence of Asked
        What to look for.

    Raises
    ------
    GradingError
        If it is no notebook; the message goes on from "it".
    """
    if not content.strip():
        raise GradingError("it is empty")
    try:
        raw = border.read_json(content)
    except border.TooManyValuesError as problem:
        raise GradingError(f"{problem}; clear the outputs of all cells and save it again") from None
    except border.RepeatedKeyError as problem:
        raise GradingError(f"{problem}; one is lost, so save it again from Jupyter") from None
    except (ValueError, RecursionError) as problem:
        says = str(problem).partition(":")[0] or type(problem).__name__
        raise GradingError(f"it is damaged or cut off, and no notebook any more ({says})") from None
    cells = raw.get("cells") if isinstance(raw, dict) else None
    if not isinstance(cells, list):
        if isinstance(raw, dict) and isinstance(raw.get("worksheets"), list):
            raise GradingError(
                "it is in an old notebook format (nbformat 3 or earlier); open it in a current "
                "version of Jupyter and save it there"
            )
        raise GradingError("it contains no cells; save it again from Jupyter as a notebook")
    if len(cells) > _MOST_CELLS:
        raise GradingError(f"it has {len(cells)} cells, more than {_MOST_CELLS}")
    about = _mapping(_mapping(raw.get("metadata")).get(OURS))
    said = {
        name: _text(about.get(name))[:200]
        for name in ("student", "assignment", "tag", "answered_in")
    }
    hints = {
        name: count
        for name, count in _mapping(about.get("hints")).items()
        if type(count) is int and 0 <= count <= SOLUTION
    }
    head = _text(about.get("head"))[:_LONGEST_HEAD]
    return Submission(tuple(_cells(cells, questions)), **said, hints=hints, head=head)


def _cells(cells: list[Any], questions: Sequence[Asked]) -> Iterator[Cell]:
    by_grade_id = {question.grade_id: place for place, question in enumerate(questions)}
    here, has_title = -1, False
    for number, raw in enumerate(cells, 1):
        cell = _mapping(raw)
        source = cell.get("source", "")
        if isinstance(source, list):
            source = "".join(map(_text, source))
        if not isinstance(source, str) or _text(cell.get("cell_type")) not in {
            "code",
            "markdown",
            "raw",
        }:
            raise GradingError(f"its cell {number} is none; save it again from Jupyter")
        is_code = cell["cell_type"] == "code"
        place, role = _place(cell, source, is_code, by_grade_id)
        here = here if place is None else place
        if not (has_title or role or is_code) and here < 0 and source.startswith("# "):
            has_title, role = True, "title"
        attached = tuple(_mapping(cell.get("attachments")))[:_MOST_ATTACHMENTS]
        yield Cell(is_code, source, here, role, attached, cell["cell_type"] == "raw")


def _place(
    cell: dict[str, Any], source: str, is_code: bool, by_grade_id: dict[str, int]
) -> tuple[int | None, str]:
    """Return the question a cell of ours belongs to and what it is there, or None and nothing.

    Editors may lose the metadata, or the id, or both: any of them is enough, and for the start of
    a question its heading is.
    """
    metadata = _mapping(cell.get("metadata"))
    graded = _text(_mapping(metadata.get("nbgrader")).get("grade_id"))
    if graded in by_grade_id:
        return by_grade_id[graded], "answer"
    ours = _mapping(metadata.get(OURS))
    if _text(ours.get("question")) in by_grade_id:
        return by_grade_id[ours["question"]], _text(ours.get("role")) or "prompt"
    question, _, role = _text(cell.get("id")).rpartition("-")
    if question in by_grade_id and role in _ROLES:
        return by_grade_id[question], role
    heading = None if is_code else _HEADING.match(source.lstrip())
    if heading and 0 < int(heading[1]) <= len(by_grade_id):
        return int(heading[1]) - 1, "heading"
    return None, ""


def _list_functions(source: str) -> list[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node.name[:60] for node in tree.body if isinstance(node, ast.FunctionDef)]


def _read_symbols(source: str) -> SymbolTable | None:
    try:
        return symtable(source, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _list_assigned(source: str) -> list[str]:
    """Return the names that a cell assigns, imports or defines outside of its functions."""
    table = _read_symbols(source)
    symbols = table.get_symbols() if table else ()
    return [one.get_name() for one in symbols if one.is_assigned() or one.is_imported()]


def _list_globals(table: SymbolTable | None) -> Iterator[str]:
    """Yield the names that functions use and that are none of their own."""
    for below in table.get_children() if table else ():
        for one in below.get_symbols():
            if one.is_global() and one.is_referenced() and not one.is_declared_global():
                yield one.get_name()
        yield from _list_globals(below)


def hash_code(source: str) -> str:
    r"""Return a hash of code that does not see what editors change: blanks and empty lines at ends.

    >>> hash_code("k = 5\n\nn = 2 \n") == hash_code("k = 5\nn = 2")
    True
    """
    lines = [line.rstrip() for line in source.splitlines() if line.strip()]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
