"""Exercises that ask for a function."""

from __future__ import annotations

import dis
import inspect
import linecache
import math
import pickle
import textwrap
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import CodeType
from typing import Any, Self

import numpy as np

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import answers, code_repairs
from recsys_metrics.workbook.exercises.answers import Reading, UnreadableError
from recsys_metrics.workbook.exercises.base import Exercise, Inputs, Mistake, render_text
from recsys_metrics.workbook.exercises.choice import read_one_answer
from recsys_metrics.workbook.exercises.code_repairs import CodeMistake
from recsys_metrics.workbook.exercises.error_messages import explain_error
from recsys_metrics.workbook.exercises.function_source import read_source
from recsys_metrics.workbook.exercises.output_patterns import (
    ABOVE_ONE,
    FunctionOutput,
    find_output_pattern,
)
from recsys_metrics.workbook.exercises.result import PERHAPS, AnswerPart, CheckResult, Line, Outcome
from recsys_metrics.workbook.exercises.time_limit import Run, run_with_limit

_LONGEST = 80

_GAP = "..."

# All that the body of an unfinished function can consist of.
_IDLE = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}


# What is said of a function that is not written yet; a page says it without running Python.
NO_BODY = "The function has no body yet."
OPEN_GAP = "There is still a `...` to fill in."


def make_completer(parameters: str, template: str) -> Callable[[str], Callable[..., Any]]:
    """Return what turns an expression into a function: the one with a gap, filled with it.

    So a mistake with a line to complete is declared by what somebody types.

    Parameters
    ----------
    parameters : str
        Those of the function, as its first line has them.
    template : str
        Its body, with one `...`.

    Examples
    --------
    >>> of = make_completer("hits, k", "return ...")
    >>> of("hits / k")(2, 5)
    0.4
    """

    def of(template_answer: str) -> Callable[..., Any]:
        scope: dict[str, Any] = {}
        body = textwrap.indent(template.replace(_GAP, template_answer), "    ")
        exec(f"def completed({parameters}):\n{body}", scope)
        completed: Callable[..., Any] = scope["completed"]
        return completed

    return of


class TemplateError(ValueError):
    """A function to complete that is declared in a way in which nobody can complete it.

    Parameters
    ----------
    message : str
    path : tuple of str
        The keys of the declaration that lead to what is wrong.
    """

    def __init__(self, message: str, path: tuple[str, ...]) -> None:
        super().__init__(message)
        self.path = path


def check_template(first_line: str, template: str, template_answer: str) -> None:
    """Raise TemplateError unless a template has one gap, and an expression to fill it.

    Parameters
    ----------
    first_line : str
        That of the function, without the colon.
    template, template_answer : str
        As `Function` takes them.
    """
    gaps = template.count(_GAP)
    if not template:
        raise TemplateError(
            "fills a gap, and there is no `template` with one", ("template_answer",)
        )
    if gaps != 1:
        many = {0: "no", 2: "two"}.get(gaps, str(gaps))
        cure = "leave one" if gaps else "put it where the student has to write something"
        raise TemplateError(f"has {many} `...`; {cure}", ("template",))
    if not template_answer:
        says = "is missing; write what belongs in the gap of `template`"
        raise TemplateError(says, ("template_answer",))
    draft = f"{first_line}:\n{textwrap.indent(template, '    ')}"
    scope: dict[str, Any] = {}
    try:
        exec(draft, scope)
    except SyntaxError as problem:
        raise TemplateError(f"is no Python: {problem.msg}", ("template",)) from None
    if _open_line(scope[first_line.removeprefix("def ").partition("(")[0]]) is None:
        value = template_answer.strip().removeprefix("return ")
        says = (
            "the gap has to be an expression, not a whole statement: write `return ...` in "
            f"`template`, and `{value}` here"
        )
        raise TemplateError(says, ("template_answer",))
    try:
        compile(draft.replace(_GAP, template_answer), "<template>", "exec")
    except SyntaxError as problem:
        says = (
            f"{template_answer!r} is no Python in the place of the `...` ({problem.msg}); write "
            "the expression alone"
        )
        raise TemplateError(says, ("template_answer",)) from None


@dataclass(frozen=True)
class Case:
    """Arguments to try a function on; what should come back is left to the solution.

    Parameters
    ----------
    arguments : mapping
        By name, in the order in which they are passed.
    why : str
        What is special about them: "nothing is relevant".
    """

    arguments: Mapping[str, Any]
    why: str = ""

    def copy_arguments(self) -> list[Any]:
        """Return the arguments to pass, the caller's own to change."""
        return [pickle.loads(packed) for packed in self._packed]

    # A case is passed to every declared mistake; unpacking takes a fifth of copying.
    @cached_property
    def _packed(self) -> tuple[bytes, ...]:
        return tuple(map(pickle.dumps, self.arguments.values()))


# The kind of an error, nan itself, a number as it was read, or nothing that could be read.
_Behaviour = type[BaseException] | float | Reading | None


@dataclass(frozen=True)
class _Attempt:
    """How a function fared on one case."""

    case: Case
    run: Run
    expected: float
    outcome: Outcome
    message: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Function(Exercise):
    """An exercise with a function as its answer.

    Parameters
    ----------
    function : str
        The name it is asked for by; a learner's may have any.
    solve : callable
        The right function; its parameters are those asked for.
    cases : tuple of Case
        Chosen so that every mistake changes a result, and each in its own way.
    draw : callable
        Random generator to other cases: those of a variant. An assignment tries both.
    seconds : float
        How long one case may take.
    template : str
        The body of the function with one `...` in it, where a learner has one line to complete;
        empty where the whole function is theirs to write. The first step of the worked solution
        then has no code: the completed function stands there.
    template_answer : str
        What belongs into that gap.
    """

    function: str
    solve: Callable[..., Any]
    cases: tuple[Case, ...]
    draw: Callable[[np.random.Generator], tuple[Case, ...]]
    seconds: float = 2.0
    template: str = ""
    template_answer: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seed is not None or not (self.template or self.template_answer):
            return
        check_template(self.signature, self.template, self.template_answer)
        if self.steps and self.steps[0].code:
            says = (
                "has code in its first step, where the completed template is; leave the code "
                "out, or move it to another step"
            )
            raise TemplateError(f"{self.id} {says}", ("solution", "0", "code"))

    @property
    def inputs(self) -> Inputs:
        """Nothing: the inputs are the function's arguments."""
        return {}

    @property
    def answer(self) -> dict[str, Callable[..., Any]]:
        """The right function, under its name."""
        return {self.function: self.solve}

    @property
    def signature(self) -> str:
        """The function's first line, without the colon: `def f(a, b)`."""
        return f"def {self.function}({', '.join(inspect.signature(self.solve).parameters)})"

    @property
    def stub(self) -> str:
        """The function, to be completed."""
        return self.draft if self.template else f"{self.signature}: ..."

    @property
    def draft(self) -> str:
        """The same with its body in lines of its own, as an editor has it."""
        return f"{self.signature}:\n{textwrap.indent(self.template or _GAP, '    ')}"

    @property
    def completed_function(self) -> str:
        """The function with its one gap filled; empty where the whole was to be written."""
        return self.draft.replace(_GAP, self.template_answer) if self.template else ""

    @property
    def check_template(self) -> str:
        """The function to complete, and its check."""
        return f"{self.stub}\n\n{self.final_check}"

    @property
    def final_check(self) -> str:
        """The check of the function."""
        return f"{self.access}.check({self.function})"

    def check(self, /, *given: Any, **named: Any) -> CheckResult:
        """Check a function.

        Parameters
        ----------
        *given
            The function itself, not called.
        **named
            The same by its name, ``my_rmse=my_rmse``.

        Returns
        -------
        Result
        """
        attempts = self.check_in_steps(*given, **named)
        while True:
            try:
                next(attempts)
            except StopIteration as end:
                result: CheckResult = end.value
                return result

    def check_in_steps(
        self, /, *given: Any, **named: Any
    ) -> Generator[Callable[[], CheckResult], None, CheckResult]:
        """Check a function step by step, for who can end a step that never ends.

        Parameters
        ----------
        *given, **named
            As in `check`.

        Yields
        ------
        callable
            Before each step that calls the function: what gives the outcome if it never ends.

        Returns
        -------
        Result
            What `check` returns.
        """
        if len(given) > 1:
            return self._reject_call("One function is required, and nothing else.")
        function, problem = read_one_answer(self.function, given, named)
        if problem:
            return self._reject_call(problem)
        if function is None or function is Ellipsis:
            return self._record_result(self._not_attempted("There is no function yet."))
        if not callable(function):
            shown = answers.format_input(function)
            return self._reject_call(
                "A function is required. Give it by its name, without calling it.",
                Line("You gave", shown, verbatim=True),
            )
        if _is_idle(function):
            return self._record_result(self._not_attempted(NO_BODY))
        line = _open_line(function) if self.template else None
        if line is not None:
            left = Line("Still open", line or self._gap_line, verbatim=True)
            return self._record_result(self._not_attempted(OPEN_GAP, left))
        problem = self._signature_problem(function)
        if problem:
            return self._reject_call(problem)
        self._memory.state["source"] = read_source(function, self.function)
        return self._record_result((yield from self._judge(function)))

    def format_response(self, result: CheckResult) -> str | None:
        """Return the function as it was written, with what it calls; None where that is unknown."""
        source: str | None = self._memory.state.get("source")
        return source

    def walkthrough(self) -> list[tuple[str, str]]:
        """Return the worked solution; the function that was shown with a gap stands in it whole."""
        cells = super().walkthrough()
        return [(cells[0][0], self.completed_function), *cells[1:]] if self.template else cells

    @property
    def _given_lines(self) -> frozenset[str]:
        """The lines of the function that the exercise wrote, without the one to complete."""
        return frozenset(
            line.strip() for line in self.template.splitlines() if line.strip() and _GAP not in line
        )

    @property
    def _gap_line(self) -> str:
        """The line that is to be completed."""
        return next(line.strip() for line in self.template.splitlines() if _GAP in line)

    def _indistinguishable_mistakes(self) -> Iterator[tuple[str, ...]]:
        """Yield ids of mistakes that no case tells apart, or that no case shows."""
        alike = {m.id: set(m.ambiguous_with) for m in self.own_mistakes}
        results: dict[str, list[list[_Behaviour]]] = {}
        for other, ways in self._results_of(self.own_mistakes):
            for one in results:
                declared = other in alike[one] or one in alike[other]
                if not declared and any(_behave_alike(a, b) for a in results[one] for b in ways):
                    yield one, other
            results[other] = ways
        # What is right comes from the library, which takes longest.
        right = [_behaviour(Run(value=value)) for value in self.expected]
        for name, ways in results.items():
            if any(_behave_alike(way, right) for way in ways):
                yield (name,)

    @cached_property
    def expected(self) -> tuple[float, ...]:
        """What should come back on each case."""
        return tuple(self.solve(*case.copy_arguments()) for case in self.cases)

    @cached_property
    def _mistake_results(self) -> dict[str, list[list[_Behaviour]]]:
        """What each way to make each mistake gives on the cases, by the mistake's id."""
        return dict(self._results_of(self.mistakes))

    def _results_of(
        self, mistakes: Sequence[Mistake]
    ) -> Iterator[tuple[str, list[list[_Behaviour]]]]:
        """Yield the same one by one: most draws that are not taken are known by the first few."""
        for m in mistakes:
            if m.id not in self._computed_mistakes:
                self._computed_mistakes[m.id] = [
                    [_behaviour(_run_mistake(wrong, case)) for case in self.cases]
                    for wrong in (m.wrong_answer, *m.variants)
                ]
            yield m.id, self._computed_mistakes[m.id]

    @cached_property
    def _computed_mistakes(self) -> dict[str, list[list[_Behaviour]]]:
        return {}

    def with_fixed_cases(self) -> Self:
        """Return a variant that is tried on the cases of the exercise and on its own after them."""
        both = replace(self, cases=(*self.original.cases, *self.cases))
        both._memory.original = self.original
        return both

    def _draw(self, rng: np.random.Generator, seed: str) -> Self:
        return replace(self, cases=self.draw(rng), seed=seed)

    def _judge(
        self, function: Callable[..., Any]
    ) -> Generator[Callable[[], CheckResult], None, CheckResult]:
        """Run all cases, and report the first that is not right."""
        tried: list[_Attempt] = []
        for case, expected in zip(self.cases, self.expected, strict=True):
            endless = self._unfinished(case, expected, Run(finished=False))
            yield partial(self._report, function, [*tried, endless])
            tried.append(self._try(function, case, expected))
            if not tried[-1].run.finished:
                break
        cause: Mistake | CodeMistake | None = None
        first = next((one for one in tried if one.outcome is not Outcome.PASS), None)
        if first and first.outcome is not Outcome.NOT_ATTEMPTED:
            yield partial(self._report, function, tried)
            cause = self._diagnose(tried) or self._find_code_mistake(tried, function)
        return self._report(function, tried, cause)

    def _report(
        self,
        function: Callable[..., Any],
        tried: Sequence[_Attempt],
        cause: Mistake | CodeMistake | None = None,
    ) -> CheckResult:
        """Return what is said of these attempts."""
        failed = [attempt for attempt in tried if attempt.outcome is not Outcome.PASS]
        if not failed:
            insight = (Line("", render_text(self.insight, {})),) if self.insight else ()
            return CheckResult(self.id, (AnswerPart(self.function, Outcome.PASS),), insight)
        if failed[0].outcome is Outcome.NOT_ATTEMPTED:
            return self._not_attempted(failed[0].message)
        # The one that is soonest worked out on paper; a case that never ends is the last.
        shown = [*filter(_is_above_one, failed)] if _says_above_one(cause) else failed
        first = min(shown, key=_size) if failed[-1].run.finished else failed[0]
        # A mistake that is known has been judged, also where it ends in a ZeroDivisionError.
        outcome = Outcome.WRONG if cause else first.outcome
        # Values that are all the same may agree by chance.
        is_constant = self._is_constant([attempt.run for attempt in tried])
        is_unsure = is_constant and isinstance(cause, Mistake)
        is_fact = isinstance(cause, CodeMistake) and cause.is_observation
        lines = [
            *self._what_happened(first, function),
            *self._what_to_do(
                first, cause, is_unsure=is_unsure, is_fact=is_fact, is_constant=is_constant
            ),
        ]
        if first.run.printed.strip():
            lines.append(Line("Printed", first.run.printed.strip(), verbatim=True))
        if len(tried) == len(self.cases):
            right = len(tried) - len(failed)
            lines.append(Line("Right so far", f"{right} of {len(tried)} cases"))
        elif first is not tried[-1]:
            lines.append(Line("", f"A later case did not finish within {self.seconds:g} s."))
        part = AnswerPart(
            self.function,
            outcome,
            pitfall=cause.name if cause and not (is_unsure or is_fact) else "",
            mistake=cause.id if cause else None,
            lines=tuple(lines),
            expected=(answers.format_value(first.expected),) if outcome is Outcome.WRONG else (),
        )
        return CheckResult(self.id, (part,))

    def _try(self, function: Callable[..., Any], case: Case, expected: float) -> _Attempt:
        """Run a case."""
        arguments = case.copy_arguments()
        ended = run_with_limit(function, arguments, seconds=self.seconds)
        if not ended.finished:
            return self._unfinished(case, expected, ended)
        ended = replace(ended, value=answers.make_plain(ended.value))
        before_and_after = zip(case.arguments.items(), arguments, strict=True)
        changed = (name for (name, was), now in before_and_after if not are_equal(was, now))
        return _Attempt(case, ended, expected, *_outcome_of(ended, next(changed, ""), expected))

    def _unfinished(self, case: Case, expected: float, ended: Run) -> _Attempt:
        message = f"It did not finish within {self.seconds:g} s. Does a loop never end?"
        return _Attempt(case, ended, expected, Outcome.ERROR, message)

    def _what_happened(self, first: _Attempt, function: Any) -> Iterator[Line]:
        name = _look_up(function, "__name__")
        name = name if isinstance(name, str) and name.isidentifier() else self.function
        values = ", ".join(map(markup.format_python, first.case.arguments.values()))
        yield Line("Case", f"{name}({values})", verbatim=True)
        if first.case.why:
            yield Line("Here", f"{first.case.why}.")
        if first.run.error is not None:
            code = _find_code(function)
            file = code.co_filename if code else ""
            yield Line("Raised", describe_location(first.run.error, file), verbatim=True)
            if words := explain_error(first.run.error):
                yield Line("In words", words)
        elif first.run.finished:
            yield Line("Came back", answers.format_input(first.run.value), verbatim=True)

    def _what_to_do(
        self,
        first: _Attempt,
        cause: Mistake | CodeMistake | None,
        *,
        is_unsure: bool,
        is_fact: bool,
        is_constant: bool,
    ) -> Iterator[Line]:
        if cause:
            text, hint = render_text(cause.cause, {}), render_text(cause.hint, {})
            if is_unsure:
                yield Line(f"{PERHAPS[0]} {cause.name}", f"{text} {hint}")
            else:
                yield Line("Notice" if is_fact else "Likely cause", text)
                yield Line("Try", hint)
        elif first.message:
            yield Line("", first.message)
        elif is_constant:
            yield Line("", "It returns the same on every case. Does it use its arguments?")
        elif first.run.error is not None:
            yield Line("Try", "Run this case by itself, to see the whole trace.")
        else:
            yield Line("Try", f"Work this case out on paper. A hint: `{self.access}.hint()`.")

    def _diagnose(self, tried: Sequence[_Attempt]) -> Mistake | None:
        """Return the mistake that gives what this function gave, on every case."""
        if len(tried) < len(self.cases):
            return None
        does = [_behaviour(attempt.run) for attempt in tried]
        for mistake in self.mistakes:
            if any(_behave_alike(does, way) for way in self._mistake_results[mistake.id]):
                return mistake
        return None

    def _find_code_mistake(
        self, tried: Sequence[_Attempt], function: Callable[..., Any]
    ) -> CodeMistake | None:
        """Return the mistake of writing, or what the values have in common, if anything."""
        if len(tried) < len(self.cases):
            return None
        # On a thread of its own: what is changed in a loop may never end.
        search = run_with_limit(
            code_repairs.find_repair,
            (function, self._passes, self._given_lines),
            seconds=self.seconds,
        )
        if search.value is not None:
            mistake: CodeMistake = search.value
            return mistake
        return find_output_pattern(
            [
                FunctionOutput(
                    attempt.run.value,
                    attempt.run.error,
                    attempt.expected,
                    attempt.case.arguments,
                    attempt.case.why,
                )
                for attempt in tried
            ]
        )

    def _passes(self, function: Callable[..., Any]) -> bool:
        """Whether a function is right on every case."""
        for case, expected in zip(self.cases, self.expected, strict=True):
            try:
                reading = answers.read_number(function(*case.copy_arguments()))
            except Exception:
                return False
            if not answers.agrees(reading, expected):
                return False
        return True

    def _is_constant(self, runs: list[Run]) -> bool:
        if any(ended.error is not None for ended in runs):
            return False
        values = {answers.format_input(ended.value) for ended in runs}
        return len(values) == 1 and len(runs) == len(self.cases) > 1

    def _signature_problem(self, function: Callable[..., Any]) -> str:
        if inspect.iscoroutinefunction(function):
            return f"That is an async function. Write `{self.signature}`."
        try:
            inspect.signature(function).bind(*self.cases[0].arguments.values())
        except TypeError as problem:
            return (
                f"The function is called with {len(self.cases[0].arguments)} arguments, as in "
                f"`{self.signature}`; yours does not take them: {problem}."
            )
        except Exception:
            # Some compiled functions have no signature to ask, and an object may fail when asked.
            return ""
        return ""

    def _reject_call(self, message: str, *more: Line) -> CheckResult:
        lines = (Line("", message), *more, Line("Answer with", self.final_check, verbatim=True))
        return self._record_result(CheckResult(self.id, (), lines, Outcome.ERROR))

    def _not_attempted(self, message: str, *more: Line) -> CheckResult:
        lines = (Line("", message), *more, Line("Answer with", self.check_template, verbatim=True))
        part = AnswerPart(self.function, Outcome.NOT_ATTEMPTED)
        return CheckResult(self.id, (part,), lines)


def _outcome_of(ended: Run, changed: str, expected: float) -> tuple[Outcome, str]:
    """Return the outcome of a case that ended, and what to say about it."""
    if isinstance(ended.error, NotImplementedError):
        return Outcome.NOT_ATTEMPTED, "The function is not implemented yet."
    if ended.error is not None:
        if isinstance(ended.error, TypeError) and "ellipsis" in str(ended.error):
            return Outcome.NOT_ATTEMPTED, OPEN_GAP
        return Outcome.ERROR, ""
    if ended.value is Ellipsis:
        return Outcome.NOT_ATTEMPTED, OPEN_GAP
    if ended.value is None:
        return Outcome.WRONG, "Nothing came back. Did you forget `return`?"
    try:
        if isinstance(ended.value, str):
            raise UnreadableError("A text came back; a number is required.")
        reading = answers.read_number(ended.value)
    except UnreadableError as problem:
        return Outcome.WRONG, problem.message
    mutated = (
        f"It changed `{changed}`, which belongs to the caller. Work on a copy: "
        f"`list({changed})`, or `sorted(...)` for `.sort()`."
        if changed
        else ""
    )
    if not answers.agrees(reading, expected):
        return Outcome.WRONG, mutated
    return (Outcome.WRONG, f"The value is right. {mutated}") if mutated else (Outcome.PASS, "")


def are_equal(one: Any, other: Any) -> bool:
    """Whether an argument is as it was: of the same type, and alike."""
    if type(one) is not type(other):
        return False
    try:
        return bool(np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other)
    except Exception:
        # What a function has put into its arguments may refuse to be compared.
        return False


def _run_mistake(function: Callable[..., Any], case: Case) -> Run:
    """Run one of our own functions on a case."""
    try:
        return Run(value=function(*case.copy_arguments()))
    except Exception as error:
        return Run(error=error)


def _behaviour(run: Run) -> _Behaviour:
    """Return what a call is compared by: the kind of its error, or the number that came back."""
    if run.error is not None:
        return type(run.error)
    if _is_nan(run.value):
        return math.nan
    try:
        return answers.read_number(run.value)
    except UnreadableError:
        return None


def _behave_alike(one: list[_Behaviour], other: list[_Behaviour]) -> bool:
    """Whether two functions did the same on every case."""
    return len(one) == len(other) and all(map(_same, one, other))


def _same(one: _Behaviour, other: _Behaviour) -> bool:
    if isinstance(one, Reading) and isinstance(other, Reading):
        return answers.agrees(one, other.value)
    return one is other and one is not None


def _is_nan(value: Any) -> bool:
    return isinstance(value, float | np.floating) and bool(value != value)


def _says_above_one(cause: Mistake | CodeMistake | None) -> bool:
    return isinstance(cause, CodeMistake) and cause.id == ABOVE_ONE


def _is_above_one(attempt: _Attempt) -> bool:
    """Whether the value of a case is above 1, so that it shows what is said of it."""
    does = _behaviour(attempt.run)
    return isinstance(does, Reading) and does.value > 1


def _size(attempt: _Attempt) -> tuple[bool, int]:
    """Return whether a case is a special one, and how much there is to read of it."""
    return bool(attempt.case.why), len(repr(list(attempt.case.arguments.values())))


def _look_up(function: Any, name: str) -> Any:
    """Return what a callable has under a name: any object may be one, and fail when it is asked."""
    try:
        return getattr(function, name, None)
    except Exception:
        return None


def _find_code(function: Any) -> CodeType | None:
    """Return the code of a function, also of a decorated one; None of what is no function."""
    try:
        code = _look_up(inspect.unwrap(function), "__code__")
    except Exception:  # it says that it wraps itself, for instance
        return None
    return code if isinstance(code, CodeType) else None


def _is_idle(function: Any) -> bool:
    """Whether a function's body is `...`, `pass`, a docstring, or nothing but `return`."""
    code = _find_code(function)
    if code is None:
        return False
    # The first step that does something ends the look: an idle body is short, others are not.
    return all(
        step.opname in _IDLE
        and ("CONST" not in step.opname or step.argval is None or step.argval is Ellipsis)
        for step in dis.get_instructions(code)
    )


def _open_line(function: Any) -> str | None:
    """Return the first line of a function that uses a `...`; empty if it cannot be read."""
    code = _find_code(function)
    if code is None:
        return None
    numbers = sorted(_gaps(code))
    if not numbers:
        return None
    names = _look_up(function, "__globals__")
    source = linecache.getline(code.co_filename, numbers[0], names).strip()
    return f"line {numbers[0]}: {_shorten(source)}" if source else ""


def _gaps(code: CodeType) -> Iterator[int]:
    """Yield the lines in which a function, or one within it, loads a `...`."""
    # Most have none, which is known without reading their steps.
    steps = dis.get_instructions(code) if any(c is ... for c in code.co_consts) else ()
    for step in steps:
        if "CONST" in step.opname and step.argval is Ellipsis and step.positions:
            yield step.positions.lineno or code.co_firstlineno
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _gaps(inner)


def _shorten(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def describe_location(error: BaseException, *files: str) -> str:
    """Return an exception with the line of the learner's code that raised it."""
    try:
        says = str(error)[: 2 * _LONGEST]
    except Exception:
        says = ""  # a learner's own exception may be unable to say anything
    file, number, names = "", None, None
    if isinstance(error, SyntaxError) and error.filename in files:
        says, file, number = error.msg, error.filename, error.lineno
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_filename in files:
            file, number, names = frame.f_code.co_filename, trace.tb_lineno, frame.f_globals
        trace = trace.tb_next
    text = f"{type(error).__name__}: {says}" if says else type(error).__name__
    if number is None:
        return text
    source = _shorten(linecache.getline(file, number, names).strip())
    return f"{text}, in line {number}" + (f": {source}" if source else "")
