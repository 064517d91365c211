"""Stands in for the exercises where a notebook is run for its answers.

Its text is sent into the sandbox as the first cell. It takes what a notebook hands to a check and
judges nothing: no exercise, no answer and no outcome is there. Whatever a notebook does to it
changes what that notebook hands in, and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

_PACKAGE = "recsys_metrics.workbook.exercises"

Taken = dict[tuple[str, str | None], tuple[list[Any], list[str], list[Any]]]


class _Later:
    """What a check returns here."""

    def __repr__(self) -> str:
        return "Taken. It is judged once the notebook has run."


class _Exercise:
    """Takes the answers of one exercise."""

    def __init__(self, name: str, seed: str | None, taken: Taken) -> None:
        self._name, self._seed, self._taken = name, seed, taken

    def __repr__(self) -> str:
        return self._name

    def __getattr__(self, asked: str) -> Any:
        raise AttributeError(
            f"`{self._name}.{asked}` cannot be read here: the exercises are not where a notebook "
            "is scored"
        )

    def check(self, *given: Any, **named: Any) -> _Later:
        """Take an answer; the last one counts."""
        self._taken[self._name, self._seed] = (list(given), list(named), list(named.values()))
        return _Later()

    def variant(self, seed: Any) -> _Exercise:
        """Return what takes the answers of a variant."""
        return _Exercise(self._name, str(seed), self._taken)

    def hint(self, *_: Any, **__: Any) -> _Later:
        """Say nothing, as all that helps a learner does here."""
        return _Later()

    solution = look_back = widget = hint


class _Subject(ModuleType):
    """Holds the exercises of a subject, whatever their names."""

    def __init__(self, name: str, taken: Taken) -> None:
        super().__init__(name)
        self._taken = taken

    def __getattr__(self, name: str) -> _Exercise:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Exercise(f"{self.__name__.rpartition('.')[2]}.{name}", None, self._taken)


class _Package(ModuleType):
    """Holds the subjects, and hands over what was taken."""

    def __init__(self, subjects: Iterable[str]) -> None:
        super().__init__(_PACKAGE)
        self.taken: Taken = {}
        for subject in subjects:
            module = _Subject(f"{_PACKAGE}.{subject}", self.taken)
            setattr(self, subject, module)
            sys.modules[module.__name__] = module

    def hand_over(
        self,
        names: dict[str, Any],
        exercise: str,
        seed: str | None,
        given: str,
        named: str,
        values: str,
    ) -> None:
        """Put what a check was last given under these names, if it was called."""
        if (exercise, seed) in self.taken:
            names[given], names[named], names[values] = self.taken[exercise, seed]
            if len(names[given]) == 1:
                names[f"{given}_alone"] = names[given][0]


def install_recorder(subjects: Iterable[str]) -> None:
    """Put this where a notebook looks for the exercises."""
    import recsys_metrics.workbook as parent

    package = _Package(subjects)
    sys.modules[_PACKAGE] = package
    setattr(parent, "exercises", package)  # noqa: B010
