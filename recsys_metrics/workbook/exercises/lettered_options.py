"""Options without names of their own: letters, which the inputs deal out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recsys_metrics.workbook.exercises.base import Inputs, TextTemplate, render_text
from recsys_metrics.workbook.exercises.options import shuffle_keys

_LETTERS = "wxyz"


@dataclass(frozen=True)
class LetteredOptions:
    """Four texts and the letters that they get, others for other inputs.

    Parameters
    ----------
    texts : mapping
        What the option reads, by a name that no learner sees.
    """

    texts: Mapping[str, TextTemplate]

    @property
    def options(self) -> dict[str, TextTemplate]:
        """The texts by letter, as a choice takes them."""

        def reads(letter: str) -> Callable[[Inputs], str]:
            return lambda inputs: render_text(self.texts[self._names(inputs)[letter]], inputs)

        return {letter: reads(letter) for letter in _LETTERS}

    def key(self, name: str) -> Callable[[Inputs], str]:
        """Return the function from inputs to the letter of this text."""

        def letter_of(inputs: Inputs) -> str:
            return next(letter for letter, of in self._names(inputs).items() if of == name)

        return letter_of

    def reasons(self, why: str) -> dict[str, TextTemplate]:
        """Return why the right one is right, whichever letter it has."""
        return dict.fromkeys(_LETTERS, why)

    def _names(self, inputs: Inputs) -> dict[str, str]:
        salt = f"letters of {sorted(inputs.items())}"
        return dict(zip(_LETTERS, shuffle_keys(self.texts, salt), strict=True))
