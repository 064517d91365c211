"""Which of the first k recommended items are relevant, of lists and sets of Python's own types.

Most people hold lists, sets and dictionaries of text. A metric of hits needs neither numbers for
their items nor what stands below its cut-off, so none are made here: an item is looked up in the
set of its user. Where anything is unusual (a repeat, a missing id, two types of ids), `align_hits`
returns None, and `align` numbers both sides and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import FloatArray, IndexArray
from recsys_metrics._core.inputs.fingerprint import Digests, hash_ids, truth_digests
from recsys_metrics._core.inputs.ids import find_lookalikes, id_kinds, may_look_alike
from recsys_metrics._core.inputs.parse_lists import ParsedLists
from recsys_metrics._core.inputs.parse_sets import ParsedSets
from recsys_metrics._core.inputs.scores import TopRows, top_rows
from recsys_metrics._core.inputs.tables import row_pointers
from recsys_metrics._core.inputs.ties import ListTies
from recsys_metrics._core.inputs.users import check_same_users

_SETS = {set, frozenset}
_KEYS = {str, int}


@dataclass(frozen=True, eq=False)
class Hits:
    """What was found of each list, down to a cut-off.

    Attributes
    ----------
    grades : (n, K) array
        The grade of the item at each rank; where sets came, 1 or 0. An item that was not judged
        has the grade -1 if mappings came.
    lengths : (n,) array of int
        How many items each list holds, those below the cut-off among them.
    indptr : (n + 1,) array of int
        The relevant items of list i are those from `indptr[i]` to `indptr[i + 1]`.
    relevant_grades : (m,) array of float, or None
        Their grades; None where every one is 1.
    users : tuple or None
        Whose list each is, where both sides came keyed by user.
    scored : TopRows or None
        Where scores by item came in place of lists.
    item_overlap : tuple of int
        How many different items were recommended, how many are relevant to anybody, and how many
        are in both.
    item_kinds : set of str
        Whether they are text or numbers.
    digests : (n,) array of uint64 or None
        Of what is relevant to each user.
    """

    grades: NDArray[Any]
    lengths: IndexArray
    indptr: IndexArray
    relevant_grades: FloatArray | None
    users: tuple[Hashable, ...] | None
    scored: TopRows | None
    item_overlap: tuple[int, int, int]
    item_kinds: set[str]
    digests: Digests | None

    @property
    def n_constant(self) -> int:
        """How many lists came as scores that are all equal."""
        return 0 if self.scored is None else self.scored.n_constant

    def n_tied(self, cuts: Iterable[int]) -> int | None:
        """Return how many lists have equal scores on both sides of one of the cuts."""
        return None if self.scored is None else self.scored.n_tied(cuts)


def align_hits(
    recommended: ParsedLists,
    relevant: ParsedSets,
    k: int,
    ties: ListTies,
    *,
    digests: bool = True,
) -> Hits | None:
    """Return which of the first k items of each list are relevant; None if `align` has to."""
    paired = _paired(recommended, relevant)
    if paired is None:
        return None
    lists, truths, users = paired
    kinds = {*map(type, truths)}
    if kinds == {list}:
        truths = _as_sets(truths)
        kinds = {*map(type, truths)}
    graded = kinds == {dict}
    if not truths or (not graded and not kinds <= _SETS):
        return None
    scored = None
    tops: Iterable[Sequence[Any]] = (row[:k] for row in lists)
    lengths = np.fromiter(map(len, lists), np.intp, len(lists))
    if type(lists[0]) is dict:
        scored = top_rows(lists, k, ties)
        if scored is None:
            return None
        tops = scored.rows()
    sizes = np.fromiter(map(len, truths), np.intp, len(truths))
    width = min(k, int(lengths.max(initial=0)))
    relevant_grades = _grades(truths, int(sizes.sum())) if graded else None
    if graded and relevant_grades is None:
        return None
    try:
        grades, recommended_items, has_repeats = _look_up(tops, truths, width, graded)
        relevant_items = set().union(*truths)
    except TypeError:
        return None
    if has_repeats:
        return None
    if not _are_of_one_kind(recommended_items, relevant_items):
        return None
    indptr = row_pointers(sizes)
    shared = len(recommended_items & relevant_items)
    both = relevant_items, recommended_items
    if may_look_alike(*both) and find_lookalikes(*both):
        return None
    return Hits(
        grades,
        lengths,
        indptr,
        relevant_grades,
        users,
        scored,
        (len(recommended_items), len(relevant_items), shared),
        # All are of one kind, so one of them tells.
        id_kinds(islice(chain(recommended_items, relevant_items), 1)),
        _digests(truths, relevant_items, relevant_grades, indptr) if digests else None,
    )


def _paired(
    recommended: ParsedLists, relevant: ParsedSets
) -> tuple[list[Any], list[Any], tuple[Hashable, ...] | None] | None:
    """Return the lists, what is relevant to each, and the users; None for other forms."""
    lists, users = recommended.rows, recommended.users
    if not isinstance(lists, list) or recommended.single or not _are_lists(lists):
        return None
    if users is None:
        # Not a tuple: one of three parts may also be a sparse matrix, which `align` decides.
        if type(relevant.given) is not list or len(lists) != len(relevant.given):
            return None
        return lists, relevant.given, None
    by_user = relevant.by_user
    if type(by_user) is not dict or not {*map(type, users), *map(type, by_user)} <= _KEYS:
        return None
    if len(users) == len(by_user) and all(map(by_user.__contains__, users)):
        return lists, [by_user[user] for user in users], users
    check_same_users(users, by_user, recommended.name, relevant.name)
    kinds = {*map(type, by_user.values())}
    nothing: Any = {} if kinds == {dict} else [] if kinds == {list} else frozenset()
    truths = [by_user.get(user, nothing) for user in users]
    retrieved = {*users}
    without_list = [user for user in by_user if user not in retrieved]
    empty: Any = {} if type(lists[0]) is dict else []
    lists = [*lists, *[empty] * len(without_list)]
    truths += [by_user[user] for user in without_list]
    return lists, truths, (*users, *without_list)


def _as_sets(truths: list[Any]) -> list[Any]:
    """Return lists of relevant items as sets; nothing if one repeats an item or holds a list."""
    try:
        sets = [*map(set, truths)]
    except TypeError:
        return []
    return sets if sum(map(len, sets)) == sum(map(len, truths)) else []


def _are_lists(rows: Sequence[Any]) -> bool:
    """Whether there are rows, and all are lists or all are mappings from item to score."""
    return {*map(type, rows)} in ({list}, {dict})


def _are_of_one_kind(recommended: set[Any], relevant: set[Any]) -> bool:
    """Whether all items are text, or all are whole numbers of 0 or more."""
    kinds = {*map(type, recommended), *map(type, relevant)}
    if kinds == {int}:
        return min(min(recommended, default=0), min(relevant, default=0)) >= 0
    return kinds == {str}


def _look_up(
    tops: Iterable[Sequence[Any]],
    truths: Sequence[Any],
    width: int,
    graded: bool,
) -> tuple[NDArray[Any], set[Any], bool]:
    """Return the grade of each item, all different items, and whether a list repeats one."""
    n_items = n_different = 0
    items: set[Any] = set()
    grades: list[float] = []
    found: list[bytes] = []
    nothing = bytes(width)
    for row, truth in zip(tops, truths, strict=True):
        different = {*row}
        items |= different
        n_items += len(row)
        n_different += len(different)
        if graded:
            grades += map(truth.get, row, repeat(-1.0))
            grades += repeat(-1.0, width - len(row))
        elif truth.isdisjoint(different):
            found.append(nothing)
        else:
            # A byte for each answer: nothing takes longer here than making Python objects.
            found.append(bytes(map(truth.__contains__, row)).ljust(width, b"\0"))
    if graded:
        table: NDArray[Any] = np.array(grades)
    else:
        table = np.frombuffer(b"".join(found), dtype=np.uint8)
    return table.reshape(len(truths), width), items, n_different != n_items


def _grades(truths: Sequence[dict[Any, Any]], total: int) -> FloatArray | None:
    """Return all grades, if they are numbers of 0 or more."""
    values = [*chain.from_iterable(map(dict.values, truths))]
    if not {*map(type, values)} <= {int, float}:
        return None
    grades = np.fromiter(values, np.float64, total)
    return grades if np.isfinite(grades).all() and (grades >= 0).all() else None


def _digests(
    truths: Sequence[Any],
    items: set[Any],
    grades: FloatArray | None,
    indptr: IndexArray,
) -> Digests:
    """Return a digest of what is relevant to each user."""
    known = [*items]
    number = dict(zip(known, range(len(known)), strict=True))
    places = np.zeros(0, np.intp)
    if known:
        # One call for all takes two thirds of the time; two more, as of one it returns no tuple.
        look_up = itemgetter(*chain.from_iterable(truths), known[0], known[0])
        places = np.array(look_up(number), np.intp)[: indptr[-1]]
    return truth_digests(hash_ids(known)[places], grades, indptr)
