"""What every kind of exercise has: a card, hints, a worked solution, variants."""

from __future__ import annotations

import ast
import functools
import hashlib
import re
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from recsys_metrics._core.colors import BLUE, GREY
from recsys_metrics.workbook.common import hooks, markup
from recsys_metrics.workbook.common.disclosure import ARROW
from recsys_metrics.workbook.common.interactive import create_bundle
from recsys_metrics.workbook.common.note import Note
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises.fields import Field
from recsys_metrics.workbook.exercises.result import CheckResult, Outcome

Inputs = Mapping[str, Any]
_T = TypeVar("_T")
TextTemplate = str | Callable[[Inputs], str]

_is_quiet = ContextVar("is_quiet", default=False)


@contextmanager
def pause_recording() -> Iterator[None]:
    """Keep what is checked inside out of everybody's record."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def format_key(exercise: str, seed: str | None) -> str:
    """Return what an exercise is kept under: its id, and the seed of a variant."""
    return exercise if seed is None else f"{exercise} {seed}"


BOOK_SEEDS = ("1", "2", "3")
"""The seeds of the variants that the pages of the book have, which no kernel draws there."""

INPUTS_HEADING = "What is given:"
"""Stands above the inputs with which a worked solution begins."""

# A draw that cannot tell its mistakes apart this often is a fault of the declaration.
_DRAWS = 2_000


def render_text(text: TextTemplate, inputs: Inputs) -> str:
    """Return a text with the inputs written in: `{recommended}` becomes "A, B, C".

    A text that needs more than the inputs themselves is a function of them.
    """
    if callable(text):
        return text(inputs)
    return text.format_map(_InputTexts(inputs))


class _InputTexts(dict[str, str]):
    """Inputs in words, each where a text names it."""

    def __init__(self, inputs: Inputs) -> None:
        super().__init__()
        self.inputs = inputs

    def __missing__(self, name: str) -> str:
        if name not in self.inputs:
            known = (
                f"the inputs are {', '.join(self.inputs)}"
                if self.inputs
                else "this exercise has no inputs"
            )
            raise ValueError(
                f"a text names {{{name}}}, which is no input; {known}. Write {{{{ and }}}} for "
                "braces that are meant"
            )
        return _WholeInput(markup.describe_value(self.inputs[name]))


class _WholeInput(str):
    """An input in words, of which no part can be named: a place in it would be a letter."""

    def __getitem__(self, place: Any) -> str:
        raise ValueError(
            f"a text names a part of an input, {place!r}; only a whole one has words. Make the "
            "text a function of the inputs, which returns Markdown"
        )


def cache_latest(function: Callable[[Inputs], _T]) -> Callable[[Inputs], _T]:
    """Return a function that keeps what it gave for the latest inputs.

    The mistakes of an exercise are worked out one after another from the same inputs, and most
    begin with what is right.
    """
    latest: tuple[Inputs, _T] | None = None

    @functools.wraps(function)
    def of(inputs: Inputs) -> _T:
        nonlocal latest
        known = latest
        if known is None or known[0] is not inputs:
            known = latest = (inputs, function(inputs))
        return known[1]

    return of


@dataclass(frozen=True)
class Mistake:
    """A mistake that is made often enough to be known by its result.

    Parameters
    ----------
    id : str
        Stays the same for ever; grade books keep it.
    name : str
        The pitfall's name, as the chapter has it.
    wrong_answer : callable
        The mistake itself. For numbers: inputs to the wrong values, by name, of the answers
        it changes (or to the one value where there is one answer). For a function: the wrong
        implementation. For things to pick from: inputs to what is picked, or None where the
        mistake cannot be made.
    cause : str or callable
        What was done, in a sentence or two.
    hint : str or callable
        What to try next, best as a question that the learner can answer.
    variants : tuple of callable
        Further ways to make the same mistake, for numbers or a function.
    ambiguous_with : tuple of str
        Ids of mistakes that may lead to the same values; the message then names them all.
    shared : bool
        Whether its words are those of `shared_mistakes.yaml`. What it leads to need not differ from
        what is right or from other mistakes; where the inputs make it equal to one of the
        exercise's own, the message names both.
    """

    id: str
    name: str
    wrong_answer: Callable[..., Any]
    cause: TextTemplate
    hint: TextTemplate
    variants: tuple[Callable[..., Any], ...] = ()
    ambiguous_with: tuple[str, ...] = ()
    shared: bool = False


@dataclass(frozen=True)
class Step:
    """A step of a worked solution.

    Parameters
    ----------
    text : str or callable
        The reasoning, in markdown.
    code : str
        Lines that compute it from what came before; the value of the last one is shown. May be
        empty where there is nothing to compute.
    """

    text: TextTemplate
    code: str = ""


@dataclass(frozen=True, repr=False)
class WorkedSolution:
    """A worked solution with what each step gives.

    Parameters
    ----------
    title : str
    steps : tuple of (str, str, str)
        The reasoning in markdown, the code, and what the code shows.
    """

    title: str
    steps: tuple[tuple[str, str, str], ...]

    def __repr__(self) -> str:
        rows = [self.title]
        for text, code, shown in self.steps:
            rows += [
                "",
                markup.strip_markup(text),
                *(f"    {line}".rstrip() for line in code.splitlines()),
            ]
            rows += [f"    # {shown}"] if shown else []
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        body = f'<p style="margin:.2em 0"><strong>{markup.escape(self.title)}</strong></p>'
        for text, code, shown in self.steps:
            body += markup.render_block(text)
            body += (
                markup.render_code_block(f"{code}\n# {shown}" if shown else code) if code else ""
            )
        return markup.render_box(body, edge=GREY, label=self.title)


class NarrowDrawError(RuntimeError):
    """A draw that never gives inputs on which the mistakes can be told apart.

    Parameters
    ----------
    exercise : str
        The id.
    alike : list of tuple of str
        The mistakes that lead to the same answer in the last draw; one alone is right there.
    """

    def __init__(self, exercise: str, alike: Sequence[Sequence[str]]) -> None:
        self.says = f"gives no usable inputs in {_DRAWS} draws, "
        ids = min(map(list, alike), key=len, default=[])
        if len(ids) == 1:
            self.says += f"since the mistake {ids[0]} does not change the answer"
        elif ids:
            self.says += f"since the mistakes {' and '.join(ids)} lead to the same answer"
        else:
            self.says += "since it always gives the inputs that are declared"
        self.says += "; draw from a wider range"
        super().__init__(f"{exercise}: its draw {self.says}")


@dataclass
class Memory:
    """What an exercise remembers of one learner, for as long as the kernel lives.

    Attributes
    ----------
    attempted : bool
        Whether anything was checked yet; the solution is shown from then on.
    hints : int
        How many were seen.
    solution_opened : bool
        Whether the solution was seen.
    first_shown_at : float or None
        When the card was first shown, by a clock that only runs forward.
    variants : dict
        The variants handed out, so that each has its own memory.
    original : Exercise or None
        The exercise that this is a variant of.
    draw_number : int
        Which of the draws of its seed a variant is, from 0.
    state : dict
        What a kind of exercise stores of an answer for later.
    saved_answers : int
        How many answers were saved: what a card shows may be older than the last of them.
    """

    attempted: bool = False
    hints: int = 0
    solution_opened: bool = False
    first_shown_at: float | None = None
    variants: dict[str, Any] = field(default_factory=dict)
    original: Any = None
    draw_number: int = 0
    state: dict[str, Any] = field(default_factory=dict)
    saved_answers: int = 0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Exercise(ABC):
    """An exercise: declared once, shown, checked, explained and varied from that.

    Parameters
    ----------
    id : str
        Subject and name, ``"ranking.e5"``, which grade books keep.
    attribute : str
        Its name in Python, where that is not the name in the id.
    title : str
    prompt : str or callable
        What to do, in markdown.
    mistakes : tuple of Mistake
        In the order in which they are suspected, shared ones last.
    hints : tuple of str or callable
        From gentle to nearly there; none holds a value that is asked for.
    steps : tuple of Step
        The worked solution; its code ends with the answers under their names.
    minutes, points : int
    insight : str or callable
        What is worth keeping, said after a PASS.
    picture : callable, optional
        Inputs to a picture for the card.
    seed : str, optional
        Of a variant.
    same_for_all : bool
        Whether a variant has other numbers or words and still the same right answer, so that an
        answer that was copied is right.
    """

    id: str
    title: str
    prompt: TextTemplate
    mistakes: tuple[Mistake, ...]
    hints: tuple[TextTemplate, ...]
    steps: tuple[Step, ...]
    minutes: int
    points: int = 1
    insight: TextTemplate = ""
    picture: Callable[[Inputs], Picture] | None = None
    seed: str | None = None
    same_for_all: bool = False
    attribute: str = ""
    _memory: Memory = field(default_factory=Memory, init=False)

    def __post_init__(self) -> None:
        if self.seed is not None:
            return  # a variant has the id and the mistakes of what it varies
        if not re.fullmatch(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*", self.id):
            raise ValueError(f"an exercise's id is subject.name in small letters, not {self.id!r}")
        repeated = [i for i, n in Counter(m.id for m in self.mistakes).items() if n > 1]
        if repeated:
            raise ValueError(f"{self.id} declares the mistake {repeated[0]!r} twice")

    # What differs between the kinds ---------------------------------------------------------

    @abstractmethod
    def check(self, /, *given: Any, **named: Any) -> CheckResult:
        """Check an answer."""

    @property
    @abstractmethod
    def check_template(self) -> str:
        """The lines to copy and complete."""

    @property
    @abstractmethod
    def final_check(self) -> str:
        """The line that checks what the worked solution found."""

    if TYPE_CHECKING:
        # Most kinds declare it as a field, which would take a property here as its default.
        @property
        def inputs(self) -> Inputs:
            """What texts may name, and the worked solution starts from."""

    @abstractmethod
    def _indistinguishable_mistakes(self) -> Iterator[tuple[str, ...]]:
        """Yield what `indistinguishable_mistakes` returns, the quickest to find first."""

    @abstractmethod
    def _draw(self, rng: np.random.Generator, seed: str) -> Self:
        """Return a variant."""

    # What they have in common ---------------------------------------------------------------

    @property
    def name(self) -> str:
        """The id without the subject: `e5`."""
        return self.id.partition(".")[2]

    @property
    def python_name(self) -> str:
        """Its name in the module of its subject: `ndcg_from_scratch`."""
        return self.attribute or self.name

    @property
    def number(self) -> str:
        """`E5` or `E9a` for an exercise of the documents' numbered row, nothing for others."""
        return f"E{self.name[1:]}" if re.fullmatch(r"e\d+[a-z]?", self.name) else ""

    @property
    def key(self) -> str:
        """What it is kept under: its id, and the seed of a variant."""
        return format_key(self.id, self.seed)

    @property
    def label(self) -> str:
        """How the exercise is called on its card."""
        variant = "" if self.seed is None else f", variant {self.seed}"
        return f"Exercise {self.number}".rstrip() + variant

    @property
    def own_mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes that have words of their own here, and lead to answers of their own."""
        return tuple(one for one in self.mistakes if not one.shared)

    @property
    def question(self) -> str:
        """What is asked, in markdown."""
        return render_text(self.prompt, self.inputs).strip()

    @property
    def statement(self) -> str:
        """What is asked, in markdown, with all there is to pick from."""
        return self.question

    @property
    def figure(self) -> Picture | None:
        """The picture of the card."""
        return self.picture(self.inputs) if self.picture else None

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the card's form; none where the answer is code."""
        return ()

    @property
    def access(self) -> str:
        """How a learner names the exercise in a notebook."""
        variant = "" if self.seed is None else f".variant({markup.format_python(self.seed)})"
        return f"ex.{self.python_name}{variant}"

    @property
    def has_variants(self) -> bool:
        """Whether a variant has another answer.

        Guesses have no points, a text is marked by the learner, and where the answer is the same
        for all variants it is recalled and not worked out.
        """
        is_marked = any(field.name == "marks" for field in self.fields)
        return bool(self.points) and not self.same_for_all and not is_marked

    @property
    def varies_in_page(self) -> bool:
        """Whether an assignment that is answered in the book's pages asks for one of its variants.

        A function has the same words in every variant, so the one of the chapter is asked for.
        """
        return self.has_variants and bool(self.fields)

    def indistinguishable_mistakes(self) -> list[tuple[str, ...]]:
        """Return ids of mistakes that this exercise cannot tell apart.

        A single id gives the right result; a pair of ids gives the same result although neither
        is declared to look like the other.
        """
        return sorted(self._indistinguishable_mistakes(), key=len)

    def variant(self, seed: str | int) -> Self:
        """Return the same exercise with other numbers.

        Parameters
        ----------
        seed : str or int
            A student's id, say. The same seed gives the same numbers on every machine.

        Returns
        -------
        Exercise
            Of the same kind, with the same idea and other inputs. Every mistake of the exercise's
            own has a result of its own there, as it has here.
        """
        original: Self | None = self._memory.original
        if original is not None:
            return original.variant(seed)
        key = str(seed)
        if key not in self._memory.variants:
            draws_inputs = bool(self.inputs) and getattr(self, "draw", None) is not None
            for drawn in self._list_draws(key):
                # A variant with the inputs of the exercise would have its answer, too.
                repeated = draws_inputs and drawn.inputs == self.inputs
                if not repeated and next(drawn._indistinguishable_mistakes(), None) is None:
                    break
            else:
                raise NarrowDrawError(self.id, drawn.indistinguishable_mistakes())
            self._memory.variants[key] = drawn
        variant: Self = self._memory.variants[key]
        return variant

    def take_draw(self, seed: str, number: int) -> Self:
        """Return one of the draws of a seed, also if its mistakes cannot be told apart.

        Which draw a variant is depends on the solution and on the mistakes. An exercise in which
        these were corrected asks for the same as before with the number from before.

        Parameters
        ----------
        seed : str
        number : int
            The `draw_number` of a variant.
        """
        return next(islice(self._list_draws(seed), number, None))

    @property
    def draw_number(self) -> int:
        """Which of the draws of its seed a variant is, from 0: those before it were not usable."""
        return self._memory.draw_number

    def _list_draws(self, seed: str) -> Iterator[Self]:
        digest = hashlib.sha256(f"{self.id}/{seed}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest, "big"))
        for number in range(_DRAWS):
            drawn = self._draw(rng, seed)
            drawn._memory.original = self
            drawn._memory.draw_number = number
            yield drawn

    @property
    def original(self) -> Self:
        """The exercise that this one is a variant of, or this one."""
        original: Self | None = self._memory.original
        return self if original is None else original

    @property
    def attempted(self) -> bool:
        """Whether anything was tried in this kernel."""
        return self._memory.attempted

    @property
    def saved_answers(self) -> int:
        """How many answers were saved in this kernel."""
        return self._memory.saved_answers

    def count_saved_answer(self) -> None:
        """Note that an answer was saved."""
        self._memory.saved_answers += 1

    def hint(self, number: int | None = None) -> Note:
        """Return a hint.

        Parameters
        ----------
        number : int, optional
            From 1, gentle, to the last, nearly there; by default the next one, and after the last
            one the last again.

        Returns
        -------
        Note
        """
        count = len(self.hints)
        if not count:
            return Note("Hint", "There are no hints here; every answer is taken.")
        if number is None:
            number = min(self._memory.hints + 1, count)
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= count:
            return Note("Hint", f"There are {count} hints: `hint(1)` to `hint({count})`.")
        left = count - number
        return Note(
            f"Hint {number} of {count}",
            self.open_hint(number) + (f"\n\n{left} more: `{self.access}.hint()`." if left else ""),
        )

    def open_hint(self, number: int) -> str:
        """Return a hint in markdown, and count it.

        Parameters
        ----------
        number : int
            From 1.
        """
        if number > self._memory.hints:
            self._memory.hints = number
            self._report_help("hint", number)
        return render_text(self.hints[number - 1], self.inputs)

    def solution(self, *, show: bool = False) -> Note | WorkedSolution:
        """Return the worked solution, once something was tried.

        Parameters
        ----------
        show : bool
            Whether to show it without a try.

        Returns
        -------
        Note or Worked
        """
        if not (show or self._memory.attempted):
            return Note(
                "Try it first",
                f"One check opens the solution: `{self.access}.check(...)`. "
                + (f"Or take a hint: `{self.access}.hint()`. " if self.hints else "")
                + f"To see the solution now: `{self.access}.solution(show=True)`.",
            )
        if not self._memory.solution_opened:
            self._memory.solution_opened = True
            self._report_help("solution", 0)
        cells = self.walkthrough()
        shown = run_cells([code for _, code in cells])[0]
        return WorkedSolution(
            f"{self.label}: {self.title}",
            tuple((text, code, out) for (text, code), out in zip(cells, shown, strict=True)),
        )

    def walkthrough(self) -> list[tuple[str, str]]:
        """Return the worked solution as pairs of text and code, what the code reads first.

        Other inputs stay out: they choose the case, and one of them may be the answer.
        """
        read = {name for step in self.steps for name in _find_names_read(step.code)}
        given = [f"{n} = {markup.format_python(v)}" for n, v in self.inputs.items() if n in read]
        cells = [(INPUTS_HEADING, "\n".join(given))] if given else []
        return cells + [(render_text(step.text, self.inputs), step.code) for step in self.steps]

    def _record_result(self, result: CheckResult) -> CheckResult:
        if result.outcome is not Outcome.NOT_ATTEMPTED or result.noted:
            self._memory.attempted = True
        if not _is_quiet.get():
            told = [said for listener in hooks.on_check if (said := listener(self, result))]
            if told:
                return replace(result, saving=" ".join(told))
        return result

    def _report_help(self, what: str, number: int) -> None:
        for listener in hooks.on_help:
            listener(self, what, number)

    # What is kept of an answer --------------------------------------------------------------

    def format_response(self, result: CheckResult) -> Any:
        """Return what was answered, as a card can show it again; None for code.

        Parameters
        ----------
        result : Result
            Of the check of that answer.

        Returns
        -------
        list of str, dict of str, optional
            What was picked, or what was typed by the name of its field.
        """
        picked = " ".join(part.response.replace(",", " ") for part in result.parts)
        return picked.split() or None

    def load_previous_answer(self) -> Any:
        """Return what a learner answered last, in this kernel or before it; None if nothing."""
        return next(
            (known for ask in hooks.load_previous_answer if (known := ask(self)) is not None), None
        )

    def check_quietly(self, **named: Any) -> CheckResult:
        """Check an answer that was noted before, and note nothing."""
        with pause_recording():
            return self.check(**named)

    def seconds_shown(self) -> float | None:
        """Return how many seconds ago the card was first shown; None if it never was."""
        shown = self._memory.first_shown_at
        return None if shown is None else round(time.monotonic() - shown, 1)

    # How it shows itself --------------------------------------------------------------------

    def __repr__(self) -> str:
        rows = [f"{self.label}: {self.title} ({self.effort})"]
        rows += ["", markup.strip_markup(self.statement), "", self.check_template]
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        hints = "".join(
            f'<details style="margin:.3em 0"><summary>{ARROW}'
            f"Hint {i} of {len(self.hints)}</summary>"
            f"{markup.render_block(render_text(hint, self.inputs))}</details>"
            for i, hint in enumerate(self.hints, 1)
        )
        figure = self.figure
        picture = figure._repr_html_() if figure else ""
        return markup.render_box(
            f'<p style="margin:.2em 0"><strong>{markup.escape(self.label)} · '
            f"{markup.escape(self.title)}</strong><br><small>{self.effort}</small></p>"
            f"{picture}{markup.render_block(self.statement)}"
            f"{markup.render_code_block(self.check_template)}{hints}",
            edge=BLUE,
            label=f"{self.label}: {self.title}",
            exercise=self.id if self.seed is None else "",
        )

    def widget(self, *, offers_variants: bool = True) -> Any:
        """Return the card as a widget for Jupyter.

        Parameters
        ----------
        offers_variants : bool
            Whether the card may be replaced by one with other numbers.

        Raises
        ------
        ImportError
            Without anywidget.
        """
        from recsys_metrics.workbook.exercises.card_widget import CardWidget

        self._memory.first_shown_at = self._memory.first_shown_at or time.monotonic()
        return CardWidget(self, offers_variants=offers_variants)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return create_bundle(self, self.widget)

    @property
    def effort(self) -> str:
        """What it takes and brings: minutes and points."""
        minutes = f"{self.minutes} minute{'s' if self.minutes > 1 else ''}"
        points = f"{self.points} point{'s' if self.points > 1 else ''}" if self.points else ""
        return " · ".join(filter(None, [minutes, points or "no points"]))


def _find_names_read(code: str) -> set[str]:
    nodes = ast.walk(ast.parse(code))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def run_cells(cells: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Run the code of a worked solution as a notebook would.

    Parameters
    ----------
    cells : list of str
        Code that we wrote; a learner's never comes here.

    Returns
    -------
    shown : list of str
        What each cell shows: the value of its last line, if that is an expression.
    names : dict
        What the cells defined.
    """
    names: dict[str, Any] = {}
    shown = []
    for cell in cells:
        tree = ast.parse(cell)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<solution>", "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<solution>", "eval"), names)
        shown.append("" if value is None else repr(value))
    return shown, names
