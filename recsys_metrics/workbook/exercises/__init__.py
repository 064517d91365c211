"""The workbook's exercises: each declared once, shown, checked, explained and varied from that.

=============  ==================================================================
file           holds
=============  ==================================================================
`base`         what all kinds have: card, hints, worked solution, variants
`bank`         reading exercises from `SUBJECT/THEME.yaml`, described by `schema.json`
`numbers`      exercises that ask for numbers
`function`     exercises that ask for a function
`choice`       exercises that ask to choose, one option or all that fit
`order`        exercises that ask to put lines of code or sentences in order
`prediction`   a guess before the result shows: no points, and never wrong
`open_answer`  exercises that ask for a few words, marked by the learner
`answers`      reading what was typed, and whether it is the value asked for
`options`      reading which option or line is meant, and the order they are shown in
`result`       the four outcomes and how feedback reads
`time_limit`   running a learner's function for a limited time
`fields`       what a card asks for, and what a form must know of an exercise
`card_widget`  a card as a form in Jupyter: fields, buttons, the feedback under its field
`card`         a card as HTML, and our words and a learner's in it
`rating` …     a folder for each subject: its exercises as data, and what they draw and compute
=============  ==================================================================

>>> from recsys_metrics.workbook.exercises import ranking as ex
>>> ex.average_precision_of_list.variant("doctest").check(...).outcome.value
'NOT ATTEMPTED'
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import TypeVar

from recsys_metrics.workbook.exercises.bank import Subject, open_subject
from recsys_metrics.workbook.exercises.base import Exercise

_T = TypeVar("_T")
# Each subject is a package of its exercises. It is imported when one of them is first asked for.
_PACKAGES = (
    "rating", "ranking", "beyond_accuracy", "protocol", "calibration", "bias", "choosing", "judges",
)  # fmt: skip


def _open(subject: str) -> Subject:
    if subject not in _PACKAGES:
        raise KeyError(subject)
    return open_subject(f"{__name__}.{subject}")


class _Lazy(Mapping[str, _T]):
    """A mapping that is loaded when it is first used.

    With `find`, one key imports its own subject only.
    """

    def __init__(
        self, load: Callable[[], dict[str, _T]], find: Callable[[str], _T] | None = None
    ) -> None:
        self._load = functools.cache(load)
        self._find = find

    def __getitem__(self, key: str) -> _T:
        return self._load()[key] if self._find is None else self._find(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())


def _exercise(key: str) -> Exercise:
    subject, _, own = key.partition(".")
    try:
        return _open(subject).find(own)
    except KeyError:
        raise KeyError(key) from None


def _parts() -> dict[str, tuple[Exercise, ...]]:
    parts = (part for subject in _PACKAGES for part in _open(subject).parts.items())
    # By the number of their subject; its parts stay as they are read.
    return dict(sorted(parts, key=lambda part: part[0][:2]))


SUBJECTS: Mapping[str, tuple[Exercise, ...]] = _Lazy(
    lambda: {subject: tuple(_open(subject).values()) for subject in _PACKAGES},
    lambda subject: tuple(_open(subject).values()),
)
"""The exercises of each subject, by its name."""

PARTS: Mapping[str, tuple[Exercise, ...]] = _Lazy(_parts)
"""The exercises of each notebook of the workbook, by its name without a suffix."""

REGISTRY: Mapping[str, Exercise] = _Lazy(
    lambda: {one.id: one for subject in _PACKAGES for one in _open(subject).values()}, _exercise
)
"""Every exercise, by its id."""


def list_exercises(name: str) -> tuple[Exercise, ...]:
    """Return the exercises of a subject or of one of its parts; none if nothing has the name.

    Parameters
    ----------
    name : str
        A subject, ``ranking``; or a part, ``02_ranking`` or ``02_ranking.ipynb``.

    Examples
    --------
    >>> [exercise.id for exercise in list_exercises("02_ranking.md")][:2]
    ['ranking.first_guess', 'ranking.e2']
    """
    stem = name.removesuffix(".ipynb").removesuffix(".md")
    return SUBJECTS.get(stem) or PARTS.get(stem, ())


__all__ = ["PARTS", "REGISTRY", "SUBJECTS", "Exercise", "list_exercises", *_PACKAGES]


def __getattr__(name: str) -> ModuleType:
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
