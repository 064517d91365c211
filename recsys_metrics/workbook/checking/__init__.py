"""Checking from the command line: where a learner stands, and what a notebook's checks say.

=============  ==================================================================
file           holds
=============  ==================================================================
`notebook`     the code cells of a notebook or its text, and the checks in them
`worker`       runs the cells of a learner's own notebook, in a process of its own
`grade`        starts that process, stops it in time, and puts together what it found
`hand_in`      what there is in a notebook that an instructor has released
`probe`        looks at its answers, in the process that runs it
`score`        runs anybody's notebook in the sandbox, and judges outside of it
`recorder`     takes the answers there; knows nothing of the exercises
`report`       what became of the checks
`platforms`    what Gradescope, Classroom 50 and GitHub need to score with this
`formats`      the report as text, Markdown, JSON, JUnit XML, for Gradescope or Classroom 50
=============  ==================================================================
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook import progress
from recsys_metrics.workbook.checking import hand_in
from recsys_metrics.workbook.checking.formats import FORMATS
from recsys_metrics.workbook.checking.grade import SECONDS, grade_notebook
from recsys_metrics.workbook.checking.notebook import NotebookError
from recsys_metrics.workbook.checking.report import (
    CheckReport,
    GradedExercise,
    NoSandboxError,
    report_unreadable,
)
from recsys_metrics.workbook.exercises import REGISTRY, SUBJECTS, Exercise, list_exercises
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.lab.overview import render_overview


class ExerciseNameError(ValueError):
    """A name that no exercise or chapter has, or that of one without points."""


PASSED, NOT_PASSED, NOTHING_TO_CHECK, NO_SANDBOX = 0, 1, 2, 3
"""Exit codes."""


def progress_report() -> str:
    """Return where the learner stands, and where that is kept."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", progress.ProgressWarning)
        text = render_overview(progress.load_history())
    for warning in caught:
        console.say(warning.message, sys.stderr)
    file = progress.progress_file()
    kept = f"Saved in {file}" if file else f"Not saved: {progress.VARIABLE} is set"
    return f"{text}\n\n{kept}"


def check_notebook(
    notebook: Path,
    *,
    form: str = "text",
    exercises: Sequence[str] = (),
    watch: bool = False,
    seconds: float = SECONDS,
) -> int:
    """Check a notebook, once or whenever it is saved, and print the report.

    Parameters
    ----------
    notebook : Path
    form : str
        How the report is written, one of `FORMATS`.
    exercises : sequence of str
        Ids or chapters of what counts; by default what the notebook checks.
    watch : bool
        Whether to go on until the user interrupts.
    seconds : float
        How long a run may take.

    Returns
    -------
    int
        The exit code of the last run.
    """
    try:
        _known(form)
        run = partial(_once, notebook, form, resolve_ids(exercises), seconds)
    except ValueError as problem:
        console.say(f"{COMMAND} check: {problem}", sys.stderr)
        return NOTHING_TO_CHECK
    code = NOT_PASSED
    saved = watch_saves(notebook) if watch else iter(())
    try:
        code = run()
        for _ in saved:
            print()
            code = run()
    except KeyboardInterrupt:
        if not watch:
            raise
    return code


def resolve_ids(exercises: Sequence[str]) -> list[str]:
    """Return the ids of the exercises with points that ids and chapters name.

    Parameters
    ----------
    exercises : sequence of str
        ``ranking.e4``; a subject, ``ranking``; or a part of one, ``02_ranking``.

    Raises
    ------
    ExerciseNameError
        If one is unknown, or a guess without points.

    Examples
    --------
    >>> resolve_ids(["ranking.e4", "ranking.e5", "ranking.e4"])
    ['ranking.e4', 'ranking.e5']
    """
    found: list[str] = []
    for name in exercises:
        if chapter := list_exercises(name):
            found += [one.id for one in chapter if one.points]
        elif name not in REGISTRY:
            raise ExerciseNameError(
                f"there is no exercise or chapter {name!r}; there are {_examples()}"
            )
        elif not REGISTRY[name].points:
            raise ExerciseNameError(f"{name} is a guess without points; it cannot be scored")
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def _examples() -> str:
    return f"{', '.join(SUBJECTS)}, and exercises such as {next(iter(REGISTRY))}"


def _known(form: str) -> None:
    if form not in FORMATS:
        raise ValueError(f"no format is called {form!r}; there are {', '.join(FORMATS)}")


def watch_saves(file: Path, *, pause: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Yield each time a file was saved since this was called.

    Parameters
    ----------
    file : Path
        It may be away for a moment while it is saved.
    pause : callable
        Waits for so many seconds.
    """
    # Taken now, and not when the first one is asked for: a check may lie between.
    first = _state(file)

    def watch() -> Iterator[None]:
        before = first
        while True:
            now = _state(file)
            if now is not None and now != before:
                before = now
                yield
            pause(0.5)

    return watch()


def _state(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _once(notebook: Path, form: str, exercises: Sequence[str], seconds: float) -> int:
    try:
        if form == "text" and not exercises and (questions := hand_in.read_expected(notebook)):
            return _before_handing_in(notebook, questions, seconds)
        report = _report(notebook, exercises, seconds, scored=form != "text")
    except NotebookError as problem:
        console.say(f"{COMMAND} check: {problem}", sys.stderr)
        return NOTHING_TO_CHECK
    except NoSandboxError as problem:
        console.say(f"{COMMAND} check: {problem}", sys.stderr)
        return NO_SANDBOX
    print(FORMATS[form](report), flush=True)
    return PASSED if report.passed else NOT_PASSED


def _before_handing_in(
    notebook: Path, questions: Sequence[hand_in.Expected], seconds: float
) -> int:
    """Say what there is in a notebook that an instructor has released."""
    try:
        found = hand_in.inspect(notebook, questions, seconds)
    except GradingError as problem:
        raise NotebookError(f"{notebook} is not a sound notebook: {problem}") from None
    print(console.for_terminal(hand_in.report(notebook, found)), flush=True)
    return PASSED if all(one.is_there for one in found) else NOT_PASSED


def add_card_answers(report: CheckReport) -> CheckReport:
    """Return a report that also knows what was answered in the cards, where a cell says nothing.

    Parameters
    ----------
    report : Report
        Of one's own notebook.
    """
    known = progress.load_summary()
    return replace(report, graded=tuple(_add_card_answer(one, known) for one in report.graded))


def _add_card_answer(
    graded: GradedExercise, known: Mapping[str, progress.ExerciseProgress]
) -> GradedExercise:
    entry = known.get(graded.exercise)
    exercise = _named(graded.exercise)
    if graded.outcome is not Outcome.NOT_ATTEMPTED or not (entry and entry.matches(exercise)):
        return graded
    # A file from elsewhere may hold any word, or that of a recall question.
    if entry.outcome not in [*Outcome]:
        return graded
    outcome = Outcome.PASS if entry.passed else Outcome(entry.outcome)
    return replace(
        graded,
        outcome=outcome,
        points=exercise.points if outcome is Outcome.PASS else 0,
        mistake=None if entry.passed else entry.mistake,
        message=f"{outcome.label}: answered in its card, {entry.when[:10]}",
    )


def _named(name: str) -> Exercise:
    """Return an exercise by its id, or a variant by its id and seed."""
    key, _, seed = name.partition(" ")
    return REGISTRY[key].variant(seed) if seed else REGISTRY[key]


def load_progress(file: Path) -> str:
    """Take over saved progress, and return what of it was new, in words.

    Raises
    ------
    ValueError
        If the file holds none, or progress is switched off.
    OSError
        If one of the two files cannot be read or written.
    """
    new, unread = progress.merge_file(file)
    told = f"{new} {'entry' if new == 1 else 'entries'} of {console.one_line(str(file))} taken over"
    return f"{told}; {unread} could not be read.\n" if unread else f"{told}.\n"


def save_progress(file: Path) -> str:
    """Write all that is known of the learner to a new file, and return what was written, in words.

    Raises
    ------
    ValueError
        If the file is there already, or the workbook would remove it.
    OSError
        If it cannot be written.
    """
    if progress.is_own_name(file):
        raise ValueError(
            f"{file} has a name of the workbook's own files, which it takes over and removes; give "
            "another name, such as my-progress.json"
        )
    events = progress.load_history()
    is_new = False
    try:
        with file.open("xb") as new:
            is_new = True
            new.write(progress.format_history(events))
    except FileExistsError:
        raise ValueError(f"{file} is there already; give another name") from None
    except OSError as problem:
        # What is half written cannot be loaded, and would be in the way of the next try. A file
        # that could not even be opened is somebody else's: with too many open files the system
        # does not look whether there is one.
        if is_new:
            with suppress(OSError):
                file.unlink()
        left = ", and nothing is left of it" if is_new else ""
        says = f"{file} could not be written{left}"
        raise OSError(f"{says}: {problem.strerror or problem}") from None
    count = f"{len(events)} {'entry' if len(events) == 1 else 'entries'}"
    return f"{count} saved to {console.one_line(str(file))}.\n"


def _report(
    notebook: Path, exercises: Sequence[str], seconds: float, *, scored: bool
) -> CheckReport:
    if not scored:
        return add_card_answers(grade_notebook(notebook, exercises=exercises, seconds=seconds))
    # The sandbox is Linux's; one's own notebook is checked on any system.
    from recsys_metrics.workbook.checking.score import score_notebook

    try:
        return score_notebook(notebook, exercises=exercises, seconds=seconds)
    except NotebookError as problem:
        if not exercises:
            raise
        # What was handed in is no notebook, and what counts is known: that is a score, too.
        return report_unreadable(notebook, exercises, str(problem))
