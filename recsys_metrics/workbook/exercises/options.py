"""Things to pick from: in which order they are shown, and which of them an answer means.

Right is right, however it is written: by its name in any case, by its number or letter, by its
text.
"""

from __future__ import annotations

import difflib
import hashlib
import operator
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import answers

# No number of an option is longer.
_LONGEST_NUMBER = 10**20
_MOST_THINGS = 1_000
_LETTERS = string.ascii_lowercase
_LONGEST_NAME = 24
# What may stand before a number or a letter: "option 2", "answer b".
_PREFIX = re.compile(r"^(?:option|answer|choice|number|no\.?|item|film|line) (?=\w{1,2}$)")


class UnknownOptionError(ValueError):
    """An answer means nothing that was shown; the message says so, in markdown."""


def split_words(text: str) -> list[str]:
    """Return what a text names, without the brackets, commas and arrows around it."""
    bare = re.sub(r"[\[\](){}\"']", " ", text)
    words = re.split(r"[\s,;→>]+", bare)
    return [word for word in words if word and _normalize(word) != "and"]


@dataclass(frozen=True)
class OptionList:
    """Things to pick from, as they are shown.

    Parameters
    ----------
    keys : tuple of str
        The declared keys, in the order in which they are shown.
    texts : mapping
        What each of them reads.
    by_letter : bool
        Whether each is called by the letter of its place, and not by its key.
    """

    keys: tuple[str, ...]
    texts: Mapping[str, str]
    by_letter: bool = False

    def label(self, key: str) -> str:
        """Return what a learner calls the thing."""
        return _LETTERS[self.keys.index(key)] if self.by_letter else key

    @property
    def labels(self) -> tuple[str, ...]:
        """What a learner calls them, in order."""
        return tuple(map(self.label, self.keys))

    def includes(self, given: Any) -> bool:
        """Whether an answer as a whole means one of the things."""
        try:
            self.find_key(given)
        except UnknownOptionError:
            return False
        return True

    def find_key(self, given: Any) -> str:
        """Return the key of the thing that is meant.

        Parameters
        ----------
        given
            Its name, number, letter or text.

        Raises
        ------
        UnknownError
            If nothing is called so.
        """
        if isinstance(given, str):
            names, plain = self._names, _normalize(given)
            found = names.get(plain) or names.get(_PREFIX.sub("", plain))
            if found is None:
                raise UnknownOptionError(self._explain_unknown(given))
            return found
        if isinstance(given, bool):
            raise UnknownOptionError(f"`{given}` is a yes or no; give {self._quoted_labels}.")
        try:
            number = operator.index(int(given) if isinstance(given, float) else given)
        except Exception:  # an object of a learner's own may raise anything
            shown = answers.format_input(given).replace("`", "'")
            raise UnknownOptionError(
                f"`{shown}` is none of them; give {self._quoted_labels}."
            ) from None
        # Python refuses to write very long numbers out.
        is_short = abs(number) < _LONGEST_NUMBER
        found = self._names.get(str(number)) if is_short and number == given else None
        if found is None:
            shown = answers.format_input(number)
            raise UnknownOptionError(f"There is no number {shown}; give {self._quoted_labels}.")
        return found

    def find_keys(self, given: Any) -> tuple[str, ...]:
        """Return the keys of several things, from a list or from one text.

        A text holds their names with blanks or commas between them; where all names are single
        letters, or numbers of one digit, nothing needs to stand between them.

        Raises
        ------
        UnknownError
            If one of them is unknown, or given twice.
        """
        if getattr(given, "ndim", None) == 0 and hasattr(given, "item"):
            given = given.item()  # an array of one value without a dimension
        if isinstance(given, str):
            return _reject_repeats(self, self._find_in_text(given))
        if isinstance(given, Iterable) and not isinstance(given, Mapping):
            return _reject_repeats(self, [self.find_key(thing) for thing in self._list(given)])
        if type(given) is int and abs(given) < _LONGEST_NUMBER and self._are_numbers(str(given)):
            return self.find_keys(str(given))
        return (self.find_key(given),)

    def _list(self, given: Iterable[Any]) -> list[Any]:
        """Return the things of a list, of a set in an order of their own; some have no end."""
        try:
            things = [*islice(given, _MOST_THINGS)]
            things = markup.sort_set({*things}) if isinstance(given, AbstractSet) else things
        except Exception:  # an object of a learner's own may raise anything
            things = []
        if not things:
            raise UnknownOptionError(f"Nothing can be read there; give {self._quoted_labels}.")
        return things

    def _find_in_text(self, text: str) -> list[str]:
        if _normalize(text) in self._names:
            return [self.find_key(text)]
        words = split_words(text)
        if len(words) == 1 and (
            all(len(label) == 1 for label in self.labels) or self._are_numbers(words[0])
        ):
            words = list(words[0])
        if words and all(self.includes(word) for word in words):
            return [self.find_key(word) for word in words]
        # Texts have blanks within: then they stand on lines of their own or between semicolons.
        lines = [line for line in re.split(r"[;\n]", text) if line.strip()]
        if len(lines) > 1 and all(self.includes(line) for line in lines):
            return [self.find_key(line) for line in lines]
        return [self.find_key(word) for word in words]

    def _are_numbers(self, word: str) -> bool:
        """Whether a text is several numbers of a digit each, written without a blank."""
        single = len(self.keys) < 10 and len(word) > 1 and word.isascii() and word.isdigit()
        return single and all(self.includes(digit) for digit in word)

    @cached_property
    def _names(self) -> dict[str, str]:
        """Every way to name each thing; where two collide the plainer one holds."""
        names: dict[str, str] = {}
        for key, label in zip(self.keys, self.labels, strict=True):
            names.setdefault(_normalize(label), key)
        numbers = not any(label.isdigit() for label in self.labels)
        letters = not any(len(label) == 1 for label in self.labels)
        for place, key in enumerate(self.keys):
            if numbers:
                names.setdefault(str(place + 1), key)
            if letters:
                names.setdefault(_LETTERS[place], key)
            if len(key) > 1:
                names.setdefault(_normalize(key), key)
        for key in self.keys:
            names.setdefault(_normalize(markup.strip_markup(self.texts[key])), key)
        return names

    @property
    def _quoted_labels(self) -> str:
        *others, last = (f"`{label}`" for label in self.labels)
        return f"{', '.join(others)} or {last}" if others else last

    def _explain_unknown(self, given: str) -> str:
        shown = given.strip().replace("`", "'")
        shown = shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"
        # A guess among letters would be no help.
        long = [label for label in self.labels if len(label) > 1]
        near = difflib.get_close_matches(
            _normalize(given), list(map(_normalize, long)), n=1, cutoff=0.6
        )
        guess = f" Did you mean `{self.label(self._names[near[0]])}`?" if near else ""
        return f"`{shown}` is none of them.{guess} Give {self._quoted_labels}."


def shuffle_keys(keys: Iterable[str], salt: str) -> tuple[str, ...]:
    """Return keys in an order that the salt decides, the same on every machine for ever.

    >>> shuffle_keys("abcd", "ranking.x/s1") == shuffle_keys("dcba", "ranking.x/s1")
    True
    """
    return tuple(sorted(keys, key=lambda key: hashlib.sha256(f"{salt}/{key}".encode()).digest()))


def check_keys(exercise_id: str, keys: Sequence[str]) -> None:
    """Raise ValueError unless keys are short words that cannot be mixed up.

    Parameters
    ----------
    exercise_id : str
        For the message.
    keys : sequence of str
    """
    for key in keys:
        if not re.fullmatch(r"\S{1,24}", key) or set(key) & set(",;\"'`[](){}"):
            raise ValueError(f"{exercise_id}: a key is a short word without blanks, not {key!r}")
    if len({_normalize(key) for key in keys}) < len(keys):
        raise ValueError(f"{exercise_id}: two of the keys {list(keys)} read the same")
    if not 2 <= len(keys) <= len(_LETTERS):
        raise ValueError(f"{exercise_id}: {len(keys)} things to pick from; there must be 2 to 26")


@lru_cache(maxsize=4096)
def _normalize(text: str) -> str:
    """Return a text without what nobody minds: case, blanks, marks, hyphens, a full stop."""
    bare = re.sub(r"[`*\"]", "", text).casefold().replace("−", "-")
    return re.sub(r"[\s_-]+", " ", bare).strip(" .):(")


def _reject_repeats(shown: OptionList, keys: list[str]) -> tuple[str, ...]:
    twice = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if twice:
        raise UnknownOptionError(f"`{shown.label(twice[0])}` is given twice.")
    return tuple(keys)
