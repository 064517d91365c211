"""Ids of any kind as whole numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterable
from itertools import chain
from numbers import Number
from typing import Any, cast

import numpy as np

from recsys_metrics._core.checks import is_missing as is_missing
from recsys_metrics._core.inputs.arrays import IntArray

Where = Callable[[int], tuple[str, str]]
"""What an error says before an id, given its position ("list 3 recommends"), and behind it."""


_PADDING = (
    "is it padding, which in an array is an empty slot, or the id of an item? Leave padding out, "
    "or pass an array; if it is an id, give all items ids of 0 or more"
)


class Ids:
    """The number of each id, in the order of their first appearance.

    `index` is None where ids are whole numbers and stand for themselves, so that they index an
    array of counts or features. The first ids decide it: lists that are all empty leave it open,
    an empty `index`. `strict` says that numbers came in an array, where nothing else can be.
    """

    def __init__(self, index: dict[Hashable, int] | None = None) -> None:
        self.index = index
        self.strict = False
        self._labels: list[Hashable] = []

    def number(self, flat: list[Any], where: Where) -> IntArray:
        """Return the numbers of ids, new ones where an id is new."""
        _refuse_booleans(flat, where)
        if not self.index and flat and whole_numbers(flat) is not None:
            self.index = None
        if self.index is None:
            numbers = whole_numbers(flat)
            if numbers is None:
                odd = next((i for i, x in enumerate(flat) if not _is_counted(x)), 0)
                before, behind = where(odd)
                if _is_whole(flat[odd]) and flat[odd] > 0:
                    raise ValueError(
                        f"{before} {flat[odd]!r:.60}{behind}, a whole number of more than 63 bits, "
                        "and other lists contain smaller ones; give all ids as text"
                    )
                if _is_whole_below_zero(flat[odd]):
                    cure = _PADDING if flat[odd] == -1 else "ids are 0 or more"
                    raise ValueError(f"{before} {flat[odd]!r}{behind}; {cure}")
                _refuse_missing(flat[odd], before, behind)
                raise ValueError(
                    f"the lists contain whole numbers but {before} {flat[odd]!r}{behind}, "
                    f"which can "
                    "never match; use the same ids on both sides"
                )
            return numbers
        index = self.index
        n_before = len(index)
        try:
            numbers = np.array([index.setdefault(x, len(index)) for x in flat], dtype=np.intp)
        except TypeError:
            odd = next(i for i, x in enumerate(flat) if not _is_hashable(x))
            before, behind = where(odd)
            raise TypeError(
                f"{before} {flat[odd]!r}{behind}, {kind(flat[odd])}, which cannot be an id; ids "
                "are strings, numbers or tuples"
            ) from None
        labels: list[Any] = list(index)
        new = labels[n_before:]
        if {*map(type, labels)} == {int} and -1 in new and min(labels) == -1:
            before, behind = where(flat.index(-1))
            raise ValueError(f"{before} -1{behind}; {_PADDING}")
        for odd, first in _two_kinds(new, index):
            _refuse_two_kinds(odd, first, *where(next(i for i, x in enumerate(flat) if x is odd)))
        for label in new:
            if is_missing(label):
                _refuse_missing(label, *where(next(i for i, x in enumerate(flat) if x is label)))
        if n_before and may_look_alike(new, labels[:n_before]):
            found = find_lookalikes(flat, labels[:n_before])
            if found is not None:
                ours, theirs = found
                before, behind = where(flat.index(ours))
                raise ValueError(
                    f"{before} {ours!a}{behind}, which looks like the id {theirs!a}: "
                    f"{explain_lookalikes(ours, theirs)}"
                )
        return numbers

    def take_numbers(self, name: str) -> None:
        """Settle on whole numbers, for ids that came as an array of them."""
        if self.index:
            raise ValueError(
                f"the lists contain ids such as {self.label(0)!r}, but {name} came as an array of "
                "numbers, which can never match; use the same ids on both sides"
            )
        self.index, self.strict = None, True

    def label(self, number: int) -> Hashable:
        """Return the id that has a number."""
        if not self.index:
            return int(number)
        if len(self._labels) != len(self.index):
            self._labels = list(self.index)
        return self._labels[number]

    def labels(self, numbers: IntArray) -> list[Hashable]:
        """Return the ids that have some numbers."""
        return [self.label(n) for n in numbers.tolist()] if self.index else numbers.tolist()


def whole_numbers(flat: list[Any]) -> IntArray | None:
    """Return ids as whole numbers of 0 or more, or None if some are something else."""
    kinds = set(map(type, flat))
    if not all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        # 3.0 is the id 3, for Python's sets and dictionaries as well.
        if not all(map(_is_whole, flat)):
            return None
        flat = [int(x) for x in flat]
    try:
        numbers = np.asarray(flat, dtype=np.intp)
    except OverflowError:
        return None
    return numbers if numbers.min(initial=0) >= 0 else None


_BLANK_AT_AN_END = re.compile(r"(?:^|\0)\s|\s(?:\0|$)")
# What no eye tells from a blank, or from nothing: other blanks, orders to a terminal or to the
# direction of writing. Joiners are seen in the letters around them.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
_OTHER_BLANK = re.compile(r"[^\S ]")


def may_look_alike(*sides: Collection[Hashable]) -> bool:
    """Whether an id of some sides can look like another: nearly always none can."""
    return any(map(_has_unusual_writing, sides))


def find_lookalikes(
    ours: Collection[Hashable], theirs: Collection[Hashable]
) -> tuple[str, str] | None:
    """Return two ids, one that only our side has and one of theirs, that look alike; or None.

    They differ in blanks, in characters that nobody sees or in their Unicode form: an e with an
    accent is one character or two. What is not text looks like nothing else.
    """
    one, other = {*ours}.difference(theirs), {*theirs}.difference(ours)
    plain = {_plain_form(each): each for each in other if isinstance(each, str)}
    texts = sorted(each for each in one if isinstance(each, str))
    return next(((each, plain[as_]) for each in texts if (as_ := _plain_form(each)) in plain), None)


def refuse_names_alike(
    names: Iterable[Any], before: str, describe: Callable[[str], str] = ascii
) -> None:
    """Raise if two names, of groups or categories for instance, look alike to a reader.

    Parameters
    ----------
    names
        Each may be there many times. What is not text looks like nothing else.
    before
        What the message says before the two names, "the grouping 'age' has the groups".
    describe
        Returns how the message writes a name.

    Raises
    ------
    ValueError
        If two names differ only in blanks, case, characters not seen or their Unicode form.
    """
    known: dict[str, str] = {}
    for name in sorted({each for each in names if isinstance(each, str)}):
        first = known.setdefault("".join(_plain_form(name).casefold().split()), name)
        if first != name:
            raise ValueError(
                f"{before} {describe(first)} and {describe(name)}, which differ only in blanks, "
                "case, characters that are not seen or their Unicode form. If they are one, write "
                "it alike everywhere; if they are two, give them names that differ to the eye"
            )


def find_ids_alike(ids: Collection[Hashable]) -> tuple[str, str] | None:
    """Return two ids of one column that look alike, as `find_lookalikes` says; or None."""
    known: dict[str, str] = {}
    for each in ids if may_look_alike(ids) else ():
        if isinstance(each, str) and (first := known.setdefault(_plain_form(each), each)) != each:
            return first, each
    return None


def refuse_types_alike(
    ours: Iterable[Any], theirs: Iterable[Any], name: str, other: str, what: str
) -> None:
    """Raise if an entry of one side reads like one of the other's that has another type.

    1 and "1", 1.0 and "1" or "a" and b"a" are never equal, and no value shows that they were not.

    Raises
    ------
    ValueError
        With both entries and what to do about them.
    """
    names = "ids" if what in ("user", "item") else f"{what}s"
    known: dict[tuple[str, str], Any] = {}
    one, other_side = dict.fromkeys(ours), dict.fromkeys(theirs)
    if len({_kind_of_label(each) for side in (one, other_side) for each in {*map(type, side)}}) < 2:
        return
    for entry in one:
        for reading in _readings(entry):
            known.setdefault((reading, _kind_of_label(type(entry))), entry)
    kinds = {kind_ for _, kind_ in known}
    for entry in (each for each in other_side if each not in one):
        others = kinds - {_kind_of_label(type(entry))}
        for key in ((reading, each) for reading in _readings(entry) for each in others):
            if (twin := known.get(key)) is not None:
                raise ValueError(
                    f"{name} has the {what} {twin!r:.60} and {other} the {what} {entry!r:.60}, "
                    f"{kind(twin)} and {kind(entry)}, which never match. If they are one {what}, "
                    f"turn the {names} of one side into the other's type; if they are two, give "
                    f"them {names} that differ as text"
                )


def _kind_of_label(kind: type) -> str:
    """Return what `id_kinds` does, and bytes, which equal no text."""
    return "bytes" if issubclass(kind, bytes) else _kind_of_ids(kind)


def _readings(value: Any) -> set[str]:
    """Return what a value of any type may be written as."""
    if isinstance(value, bytes):
        return {value.decode(errors="replace")}
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return {str(float(value)), str(int(value))}
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return {str(int(value)), f"{int(value)}.0"}
    return {str(value)}


def find_misspelt(
    ours: Collection[Hashable], theirs: Collection[Hashable]
) -> tuple[str, str] | None:
    """Return what `find_lookalikes` does, or an id of one side that looks like one of both."""
    one, other = {*ours}, {*theirs}
    return find_lookalikes(one - other, other) or find_lookalikes(one, other - one)


def explain_lookalikes(one: str, other: str) -> str:
    """Return in which way two ids differ that look alike, and the cure."""
    way, cure = "only in their Unicode form", 'unicodedata.normalize("NFC", id)'
    if one.strip() == other.strip():
        way, cure = "only in blanks at an end", "id.strip()"
    elif signs := sorted({*_UNSEEN.findall(one), *_UNSEEN.findall(other)}):
        way, cure = "only in characters that are not seen", f"id.replace({signs[0]!a}, '')"
    elif one.split() == other.split():
        way, cure = "only in the kind of blank", "' '.join(id.split())"
    return (
        f"they differ {way}, so they never match. If they are one id, write both sides alike, "
        f"{cure}; if they are two, give them ids that differ to the eye"
    )


def _has_unusual_writing(ids: Collection[Hashable]) -> bool:
    try:
        joined = "\0".join(cast(Collection[str], ids))
    except TypeError:
        ids = texts = [each for each in ids if isinstance(each, str)]
        joined = "\0".join(texts)
    if joined.count("\0") >= len(ids) > 0:
        return True  # An id has the sign that stands between them.
    plain = joined.replace("\0", "")
    # Most have no such character at all, which is seen in a fraction of the time.
    if plain.isascii() and plain.isprintable():
        return " " in plain and bool(_BLANK_AT_AN_END.search(joined))
    return (
        bool(_UNSEEN.search(plain) or _OTHER_BLANK.search(joined))
        or bool(_BLANK_AT_AN_END.search(joined))
        or not unicodedata.is_normalized("NFC", joined)
    )


def _plain_form(text: str) -> str:
    return _OTHER_BLANK.sub(" ", _UNSEEN.sub("", unicodedata.normalize("NFC", text))).strip()


def id_kinds(ids: Iterable[Any]) -> set[str]:
    """Return which kinds of ids there are: text, numbers, or another type by its name."""
    return {_kind_of_ids(kind) for kind in set(map(type, ids))}


def has_half_a_character(text: str) -> bool:
    """Whether a text has half of a character that takes two, which no file or terminal holds."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def kind(value: Any) -> str:
    """Return what an error calls the type of a value."""
    return f"{'an' if type(value).__name__[0] in 'aeiouAEIOU' else 'a'} {type(value).__name__}"


def flatten(rows: Collection[Any]) -> list[Any]:
    """Return the ids of all rows, those of arrays as Python's own numbers and strings."""
    if any(issubclass(kind, np.ndarray) for kind in {*map(type, rows)}):
        rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in rows]
    flat = list(chain.from_iterable(rows))
    refuse_arrays(flat)
    return flat


def refuse_arrays(ids: Iterable[Any], what: str = "an id") -> None:
    """Raise if an id is an array or a tensor of one number, which equals no other by its hash."""
    kinds = {*map(type, ids)}
    if all(kind in (int, str) or not _holds_array(kind) for kind in kinds):
        return
    odd = next(each for each in ids if _holds_array(type(each)))
    raise TypeError(
        f"{what} is {odd!r}, {kind(odd)}: an array or tensor of one number, which never equals "
        "another id. Pass the whole column as an array, or its numbers, .tolist() or .item()"
    )


def _holds_array(kind: type) -> bool:
    if issubclass(kind, np.generic):
        return False
    return hasattr(kind, "__array__") or hasattr(kind, "__dlpack__")


def _refuse_booleans(flat: list[Any], where: Where) -> None:
    """Raise if an id is True or False, which Python takes for 1 and 0."""
    if {bool, np.bool_}.isdisjoint(map(type, flat)):
        return
    odd = next(i for i, x in enumerate(flat) if isinstance(x, bool | np.bool_))
    before, behind = where(odd)
    raise TypeError(
        f"{before} {flat[odd]!r}{behind}, and True and False are no ids. If they say which items "
        "were hits, pass the ids of the items"
    )


def _kind_of_ids(kind: type) -> str:
    if issubclass(kind, str | bytes):
        return "text"
    return "numbers" if issubclass(kind, Number | np.number) else f"{kind.__name__} ids"


def _is_counted(value: Any) -> bool:
    """Whether an id is a whole number that an array holds and that can index another."""
    return _is_whole(value) and 0 <= value <= np.iinfo(np.intp).max


def _is_whole(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return float(value).is_integer() and float(value) >= 0
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and int(value) >= 0


def _is_whole_below_zero(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) < 0


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _two_kinds(new: list[Any], index: dict[Hashable, int]) -> list[tuple[Any, Any]]:
    """Return the first new id that is bytes, or text where others are numbers, with another id."""
    kinds = {*map(type, index)}
    numbers = tuple(each for each in kinds if issubclass(each, Number | np.number))
    if bytes not in kinds and not (numbers and any(issubclass(each, str) for each in kinds)):
        return []
    first = next((label for label in index if isinstance(label, (str, *numbers))), b"")
    if is_missing(first):
        return []
    others: Any = (bytes, *numbers) if isinstance(first, str) else (bytes, str)
    odd = next((label for label in new if isinstance(label, others)), None)
    return [] if odd is None or is_missing(odd) else [(odd, first)]


def _refuse_two_kinds(odd: Any, first: Any, before: str, behind: str) -> None:
    """Raise for ids of which some can never be equal to others that look like them."""
    if isinstance(odd, bytes):
        raise TypeError(
            f"{before} {odd!r}{behind}, which is bytes and never equals the text "
            f"{odd.decode(errors='replace')!r}; decode the ids, item.decode()"
        )
    raise ValueError(
        f"{before} {odd!r}{behind}, {kind(odd)}, and another id is {first!r}, {kind(first)}. If "
        "they are ids of one catalogue, turn all into one type"
    )


def _refuse_missing(value: Any, before: str, behind: str) -> None:
    if is_missing(value):
        raise ValueError(f"{before} {value!r}{behind}, which is no id; leave missing items out")
