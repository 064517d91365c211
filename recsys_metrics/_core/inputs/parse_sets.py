"""Sets of items as they come, one for each list: which form they have.

Relevant items and histories take the same forms. Nothing is compared with the lists here; `align`
goes on from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import IntArray, as_array, is_array
from recsys_metrics._core.inputs.events import are_events
from recsys_metrics._core.inputs.frames import by_key, is_column, refuse_frame
from recsys_metrics._core.inputs.tables import row_pointers

SparseRows = tuple[IntArray, IntArray, NDArray[Any] | None]


@dataclass(frozen=True, eq=False)
class ParsedSets:
    """Sets of items of any form; what a mapping or a sequence holds is not looked at yet.

    Attributes
    ----------
    given
        What was passed.
    name : str
        What the caller named the argument.
    by_user : mapping or None
        From a mapping, or a column that has an index of users.
    sparse : tuple or None
        `(indptr, items, grades)` of arrays, of an event log, a sparse matrix or such a triple.
    table : array or None
        An array of one or two axes, of any type.
    is_log : bool
        Whether the grades are ratings of events.
    """

    given: Any
    name: str
    by_user: Mapping[Any, Any] | None = None
    sparse: SparseRows | None = None
    table: NDArray[Any] | None = None
    is_log: bool = False

    @property
    def is_nothing(self) -> bool:
        """Whether there is a sequence without an entry."""
        given = self.given
        return isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 0

    @property
    def is_plain_triple(self) -> bool:
        """Whether it is a tuple of three, which need arrays to be `(indptr, items, grades)`."""
        return self.sparse is None and isinstance(self.given, tuple) and len(self.given) == 3


def parse_sets(given: Any, name: str = "relevant") -> ParsedSets:
    """Return sets of any form.

    Raises
    ------
    TypeError
        If they are a data frame, or an array cannot be read.
    """
    refuse_frame(given, name)
    if are_events(given):
        order = np.argsort(given.user, kind="stable")
        indptr = row_pointers(np.bincount(given.user, minlength=given.n_users))
        grades = None if given.rating is None else given.rating[order]
        sparse = (indptr, given.item[order].astype(np.intp), grades)
        return ParsedSets(given, name, sparse=sparse, is_log=True)
    if hasattr(given, "tocsr"):
        table = given.tocsr()
        return ParsedSets(given, name, sparse=(table.indptr, table.indices, table.data))
    if isinstance(given, tuple) and len(given) == 3 and all(map(is_array, given)):
        indptr, items, grades = (as_array(part, name) for part in given)
        return ParsedSets(given, name, sparse=(indptr, items, grades))
    if is_array(given) and not is_column(given):
        return ParsedSets(given, name, table=as_array(given, name))
    return ParsedSets(given, name, by_user=by_key(given))


def refuse_plain_triple(parsed: ParsedSets, n_lists: int, *, single: bool) -> None:
    """Raise if three sequences may be `(indptr, items, grades)`, which come as arrays."""
    parts, name = parsed.given, parsed.name
    if any(isinstance(part, AbstractSet | Mapping | str | bytes) for part in parts):
        return
    if single and all(isinstance(part, tuple) for part in parts):
        return  # A tuple is an id.
    try:
        indptr, items, grades = (np.asarray(part) for part in parts)
    except ValueError:
        return
    whole = all(part.ndim == 1 and part.dtype.kind in "iu" for part in (indptr, items))
    if not whole or grades.ndim != 1 or grades.dtype.kind not in "biuf":
        return
    fits = (
        len(indptr) == n_lists + 1
        and indptr[0] == 0
        and (np.diff(indptr) >= 0).all()
        and indptr[-1] == len(items) == len(grades)
    )
    # Anything else is as many sets as lists, where there are three.
    if fits or (n_lists != 3 and not single):
        raise TypeError(
            f"{name} is a tuple of three sequences: are they (indptr, items, grades) of {n_lists} "
            f"list{'s' if n_lists > 1 else ''}, or the items of three lists? For the first pass "
            f"arrays, tuple(map(numpy.asarray, {name})); for the second a list, list({name})"
        )
