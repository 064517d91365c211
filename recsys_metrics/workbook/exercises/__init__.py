"""The workbook's exercises: each declared once, shown, checked, explained and varied from that.

=============  ==================================================================
file           holds
=============  ==================================================================
`base`         what all kinds have: card, hints, worked solution, variants
`numbers`      exercises that ask for numbers
`function`     exercises that ask for a function
`choice`       exercises that ask to choose, one option or all that fit
`order`        exercises that ask to put lines of code or sentences in order
`predict`      a guess before the result shows: no points, and never wrong
`text`         exercises that ask for a few words, marked by the learner
`answers`      reading what was typed, and whether it is the value asked for
`picking`      reading which option or line is meant, and the order they are shown in
`result`       the four outcomes and how a verdict reads
`timed`        running a learner's function for a limited time
`fields`       what a card asks for, and what a form must know of an exercise
`form`         a card as a form in Jupyter: fields, buttons, the verdict under its field
`markup`       our words and a learner's, as HTML and as plain text
`rating` …     a package for each subject: its exercises, by part, in the order of the text
=============  ==================================================================

>>> from recsys_metrics.workbook.exercises import ranking as ex
>>> ex.e4.variant("doctest").check(...).outcome.value
'NOT ATTEMPTED'
"""

from __future__ import annotations

from recsys_metrics.workbook.exercises import (
    beyond_accuracy,
    bias,
    calibration,
    choosing,
    protocol,
    ranking,
    rating,
)
from recsys_metrics.workbook.exercises.base import (
    Exercise,
    help_listeners,
    listeners,
    recallers,
)
from recsys_metrics.workbook.exercises.result import Result

_PACKAGES = (rating, ranking, beyond_accuracy, protocol, calibration, bias, choosing)

SUBJECTS: dict[str, tuple[Exercise, ...]] = {
    package.__name__.rpartition(".")[2]: package.EXERCISES for package in _PACKAGES
}

PARTS: dict[str, tuple[Exercise, ...]] = dict(
    # By the number of their subject; its parts stay as they are read.
    sorted(
        (part for package in _PACKAGES for part in package.PARTS.items()),
        key=lambda part: part[0][:2],
    )
)
"""The exercises of each notebook of the workbook, by its name without a suffix."""

REGISTRY: dict[str, Exercise] = {
    exercise.id: exercise for exercises in SUBJECTS.values() for exercise in exercises
}


def of_chapter(name: str) -> tuple[Exercise, ...]:
    """Return the exercises of a subject or of one of its parts; none if nothing has the name.

    Parameters
    ----------
    name : str
        A subject, ``ranking``; or a part, ``02_ranking`` or ``02_ranking.ipynb``.

    Examples
    --------
    >>> [exercise.id for exercise in of_chapter("02_ranking.md")][:2]
    ['ranking.first_guess', 'ranking.e2']
    """
    stem = name.removesuffix(".ipynb").removesuffix(".md")
    return SUBJECTS.get(stem) or PARTS.get(stem, ())


# The file of a learner's progress knows the exercises, so they meet it only here.


def _note(exercise: Exercise, result: Result) -> None:
    from recsys_metrics.workbook import progress

    progress.note(exercise, result)


def _note_help(exercise: Exercise, what: str, number: int) -> None:
    from recsys_metrics.workbook import progress

    progress.note_help(exercise, what, number)


def _recall(exercise: Exercise) -> object:
    from recsys_metrics.workbook import progress

    return progress.last_answer(exercise)


listeners.append(_note)
help_listeners.append(_note_help)
recallers.append(_recall)

__all__ = ["PARTS", "REGISTRY", "SUBJECTS", "Exercise", "of_chapter", *SUBJECTS]
