"""Who interacted with what, when, and with which rating: what splits and baselines share.

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.inputs.arrays import as_array, as_numbers
from recsys_metrics._core.inputs.columns import check_same_rows
from recsys_metrics._core.inputs.encoded import number_ids
from recsys_metrics._core.inputs.frames import (
    entries_of,
    find_column,
    in_memory,
    is_frame,
    refuse_other_labels,
    refuse_without_columns,
)
from recsys_metrics._core.inputs.ids import kind
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics._core.inputs.times import read_times
from recsys_metrics._core.sorted_arrays import first_rows

__all__ = ["Interactions", "concatenate"]

_COLUMNS = ("user", "item", "rating", "timestamp")
# So many numbers from 0 fit into 32 bits with a sign.
_MOST_IDS = 2**31


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True, eq=False, repr=False)
class Interactions:
    """Events between users and items, one per row.

    Users and items are numbers from 0, so that they index rows and columns of a matrix;
    `Interactions.from_ids` numbers ids of any kind.

    Parameters
    ----------
    user, item : (n,) array of int
        Number of the user and of the item.
    rating : (n,) array of float, optional
        How much it was liked; None for events that say only that something happened.
    timestamp : (n,) array of int, float, datetime or str, optional
        When: seconds since 1970, datetimes of any library, or texts in ISO's form. Those with a
        time zone or an offset are converted to UTC, and those without one are read as UTC. They
        are kept as whole seconds, or as floats if one has a fraction, to the microsecond.
    n_users, n_items : int, optional
        How many there are, those without an event included. By default one more than the
        highest number.

    Raises
    ------
    ValueError
        If columns differ in length, a number is out of range, a rating is not finite, or a time is
        missing, in another form, finer than a microsecond or, in seconds, after the year 2200.
    TypeError
        If users or items are not whole numbers, or timestamps are no times.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> Interactions([0, 0, 1], [2, 0, 2], rating=[4, 1, 5], timestamp=[30, 10, 20])
    Interactions(3 events of 2 users with 3 items; rating, timestamp)
    """

    user: NDArray[np.int32]
    item: NDArray[np.int32]
    rating: NDArray[np.float64] | None
    timestamp: NDArray[np.int64 | np.float64] | None
    n_users: int
    n_items: int

    def __init__(
        self,
        user: ArrayLike,
        item: ArrayLike,
        rating: ArrayLike | None = None,
        timestamp: ArrayLike | None = None,
        *,
        n_users: int | None = None,
        n_items: int | None = None,
    ) -> None:
        columns: dict[str, Any] = {
            "user": _whole("user", user, np.int32),
            "item": _whole("item", item, np.int32),
            "rating": None if rating is None else _frozen(as_numbers(rating, "rating")),
            "timestamp": None if timestamp is None else _times(timestamp),
        }
        check_same_rows(user=user, item=item, rating=rating, timestamp=timestamp)
        for name, given in (("user", n_users), ("item", n_items)):
            column = columns[name]
            is_whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
            if given is not None and not (is_whole and 0 <= given <= _MOST_IDS):
                raise ValueError(
                    f"n_{name}s is a whole number from 0 to {_MOST_IDS:,}; got {given!r:.40}"
                )
            total = int(column.max(initial=-1)) + 1 if given is None else int(given)
            if column.size and not (column.min() >= 0 and column.max() < total):
                row = int(np.flatnonzero((column < 0) | (column >= total))[0])
                raise ValueError(
                    f"row {row} has {name} {column[row]}, but {name}s are numbered from 0 to "
                    f"{total - 1}; use Interactions.from_ids for ids that are no numbers from 0"
                )
            columns[f"n_{name}s"] = total
        liked = columns["rating"]
        if liked is not None and not np.isfinite(liked).all():
            row = int((~np.isfinite(liked)).argmax())
            raise ValueError(f"row {row} has rating {liked[row]}; a rating is a finite number")
        for name, column in columns.items():
            object.__setattr__(self, name, column)

    @classmethod
    def from_ids(
        cls,
        user: Iterable[Hashable],
        item: Iterable[Hashable],
        rating: ArrayLike | None = None,
        timestamp: ArrayLike | None = None,
        *,
        user_ids: Sequence[Hashable] = (),
        item_ids: Sequence[Hashable] = (),
    ) -> tuple[Interactions, tuple[Hashable, ...], tuple[Hashable, ...]]:
        """Give ids of any kind numbers in order of their first appearance.

        Parameters
        ----------
        user, item : iterable of hashable
            The ids.
        rating, timestamp : optional
            As for `Interactions`.
        user_ids, item_ids : sequence of hashable, optional
            The ids of another table, as this function returned them. They keep their numbers, and
            new ids get the next ones: so a training and a test table are numbered alike.

        Returns
        -------
        interactions : Interactions
        user_ids, item_ids : tuple
            The id of each number.

        Raises
        ------
        ValueError
            If an id is missing (None, NaN, NaT, pandas' NA), or as for `Interactions`.
        TypeError
            If text, bytes, booleans and numbers stand in one column: 1 and "1" would be two users.

        Examples
        --------
        >>> from recsys_metrics.interactions import Interactions
        >>> log, users, items = Interactions.from_ids(["ann", "bob", "ann"], ["x", "x", "y"])
        >>> log.user.tolist(), users, items
        ([0, 1, 0], ('ann', 'bob'), ('x', 'y'))
        """
        refuse_other_labels(user=user, item=item, rating=rating, timestamp=timestamp)
        rows, users = number_ids(user, user_ids, "user")
        columns, items = number_ids(item, item_ids, "item")
        log = cls(rows, columns, rating, timestamp, n_users=len(users), n_items=len(items))
        return log, users, items

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        user: str | None = None,
        item: str | None = None,
        rating: str | None = None,
        timestamp: str | None = None,
        user_ids: Sequence[Hashable] = (),
        item_ids: Sequence[Hashable] = (),
    ) -> tuple[Interactions, tuple[Hashable, ...], tuple[Hashable, ...]]:
        """Read a data frame of events, one row for each.

        Parameters
        ----------
        frame
            A frame of pandas, Polars, PyArrow, DuckDB or another library. A query is collected.
        user, item, rating, timestamp : str, optional
            Which column is which. By default the one with a usual name, such as ``user_id``,
            ``movieId``, ``rating`` or ``timestamp``; ratings and times may be absent.
        user_ids, item_ids : sequence of hashable, optional
            As for `from_ids`: the ids of another table, which keep their numbers.

        Returns
        -------
        interactions : Interactions
        user_ids, item_ids : tuple
            The id of each number.

        Raises
        ------
        TypeError
            If `frame` is no data frame.
        ValueError
            If a column is not there or several could be meant, or as for `from_ids`.

        Examples
        --------
        >>> import polars
        >>> from recsys_metrics.interactions import Interactions
        >>> log = polars.DataFrame({"customer": ["ann", "bob"], "sku": ["x", "x"], "stars": [4, 2]})
        >>> Interactions.from_frame(log)[0]
        Interactions(2 events of 2 users with 1 items; rating)
        """
        if not is_frame(frame):
            raise TypeError(
                f"from_frame reads a data frame, not {kind(frame)}; for columns there is "
                "Interactions.from_ids"
            )
        table = in_memory(frame)
        columns = {
            role: find_column(table, role, name, needed=False)
            for role, name in {
                "user": user,
                "item": item,
                "rating": rating,
                "timestamp": timestamp,
            }.items()
        }
        refuse_without_columns(table, [role for role in ("user", "item") if columns[role] is None])
        return cls.from_ids(
            columns["user"],
            columns["item"],
            None if columns["rating"] is None else entries_of(columns["rating"]),
            columns["timestamp"],
            user_ids=user_ids,
            item_ids=item_ids,
        )

    def take(self, rows: ArrayLike) -> Interactions:
        """Return some of the events.

        Parameters
        ----------
        rows : array of bool or int
            A mask with one entry per event, or the numbers of the rows.

        Returns
        -------
        Interactions
            With the same users and items.

        Raises
        ------
        TypeError
            If rows are neither a mask nor whole numbers.
        ValueError
            If there is no such row, or a mask has another length.
        """
        chosen = as_array(rows, "rows", fill="False")
        if chosen.size == 0:
            chosen = chosen.astype(np.intp)
        if chosen.dtype == bool and chosen.shape != self.user.shape:
            raise ValueError(
                f"the mask has {chosen.size} entries for {len(self)} events; give one per event"
            )

        if chosen.ndim != 1:
            raise ValueError(f"rows must be one column, got shape {chosen.shape}")
        if chosen.dtype.kind not in "iub":
            raise TypeError(f"rows must be a mask or the numbers of rows, got {chosen.dtype}")
        if chosen.dtype != bool and ((chosen < 0) | (chosen >= len(self))).any():
            bad = chosen[(chosen < 0) | (chosen >= len(self))][0]
            raise ValueError(
                f"rows has {bad}, and the {len(self)} events are numbered from 0 to {len(self) - 1}"
            )
        part = object.__new__(Interactions)
        # Of a table that was checked; each column is a copy, and a part in memory once.
        part.__setstate__(
            {
                name: column[chosen] if isinstance(column, np.ndarray) else column
                for name, column in vars(self).items()
            }
        )
        return part

    def of_users(self, users: ArrayLike) -> Interactions:
        """Return the events of some users, given by their numbers."""
        chosen = as_array(users, "users")
        if chosen.size == 0:
            return self.take([])
        if chosen.dtype.kind not in "iu":
            raise TypeError(f"users must be their numbers, got {chosen.dtype}")
        if chosen.min() < 0 or chosen.max() >= self.n_users:
            bad = chosen[(chosen < 0) | (chosen >= self.n_users)][0]
            raise ValueError(f"there is no user {bad}; they are numbered 0 to {self.n_users - 1}")
        wanted = np.zeros(self.n_users, dtype=bool)
        wanted[chosen] = True
        return self.take(wanted[self.user])

    def matrix(self, values: Literal["seen", "rating"] = "seen") -> Any:
        """Return the events as a sparse table.

        Parameters
        ----------
        values : {"seen", "rating"}
            1 where there is an event, or its rating; of several events the last row counts.

        Returns
        -------
        (n_users, n_items) scipy.sparse.csr_array of float64
        """
        from scipy.sparse import csr_array

        if values not in ("seen", "rating"):
            raise ValueError(f"values must be 'seen' or 'rating', got {values!r}")
        if values == "rating" and self.rating is None:
            raise ValueError("these events carry no rating; use values='seen'")
        keys = self.user.astype(np.int64) * max(self.n_items, 1) + self.item
        _, from_the_end = first_rows(keys[::-1])
        last = len(self) - 1 - from_the_end
        data = np.ones(len(last)) if values == "seen" or self.rating is None else self.rating[last]
        return csr_array(
            (data.astype(np.float64), (self.user[last], self.item[last])),
            shape=(self.n_users, self.n_items),
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        # numpy forgets, in a pickle or a deep copy, that an array is read-only.
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.user)

    def __repr__(self) -> str:
        carried = [name for name in ("rating", "timestamp") if getattr(self, name) is not None]
        extra = f"; {', '.join(carried)}" if carried else ""
        return (
            f"Interactions({len(self):,} events of {self.n_users:,} users with "
            f"{self.n_items:,} items{extra})"
        )


def concatenate(parts: Sequence[Interactions]) -> Interactions:
    """Put tables over the same users and items one below the other.

    Parameters
    ----------
    parts : sequence of Interactions
        At least one; a column is kept if all of them have it.

    Returns
    -------
    Interactions

    Examples
    --------
    >>> monday = Interactions(user=[0], item=[1], n_users=2, n_items=2)
    >>> tuesday = Interactions(user=[1, 1], item=[0, 1], n_users=2, n_items=2)
    >>> concatenate([monday, tuesday])
    Interactions(3 events of 2 users with 2 items)
    """
    parts = read_several("parts", parts, "Interactions")
    if not parts:
        raise ValueError("concatenate needs at least one table")
    for number, part in enumerate(parts):
        check_interactions(f"parts[{number}]", part)
    sizes = {(part.n_users, part.n_items) for part in parts}
    if len(sizes) > 1:
        raise ValueError(f"the tables number different users and items: {sorted(sizes)}")

    def column(name: str) -> Any:
        columns = [getattr(part, name) for part in parts]
        return None if any(c is None for c in columns) else np.concatenate(columns)

    (n_users, n_items) = sizes.pop()
    return Interactions(*map(column, _COLUMNS), n_users=n_users, n_items=n_items)


def check_interactions(name: str, given: Any) -> None:
    """Raise if an argument is no table of events."""
    if not isinstance(given, Interactions):
        raise TypeError(
            f"{name} must be Interactions; got {kind(given)}. Interactions(user, item, …) makes "
            "them of columns, and Interactions.from_frame of a data frame"
        )


def _times(given: Any) -> NDArray[Any]:
    times = read_times(given)
    if times.dtype != np.float64 or times.size == 0:
        return _whole("timestamp", times, np.int64)
    if times.ndim != 1:
        raise ValueError(f"timestamp must be one column, got shape {times.shape}")
    return _frozen(times)


def _whole(name: str, column: ArrayLike, dtype: type[np.signedinteger[Any]]) -> NDArray[Any]:
    values = as_array(column, name, fill="0")
    if values.ndim != 1:
        raise ValueError(f"{name} must be one column, got shape {values.shape}")
    # By kind, because numpy counts time differences among the integers.
    if values.size and values.dtype.kind not in "iu":
        if name == "timestamp":
            raise TypeError(
                f"timestamp must contain seconds since 1970, as whole numbers or float64, or "
                f"datetimes; got {values.dtype}"
            )
        raise TypeError(
            f"{name} must contain whole numbers, got {values.dtype}; use Interactions.from_ids for "
            "ids of any other kind"
        )
    if values.dtype == dtype:
        return _frozen(values)
    fitted: NDArray[Any] = values.astype(dtype)
    if (fitted != values).any():
        row = int((fitted != values).argmax())
        cure = "; use Interactions.from_ids for ids that are no numbers from 0"
        cure = "" if name == "timestamp" else cure
        raise ValueError(
            f"row {row} has {name} {values[row]}, which is out of the range of {fitted.dtype}{cure}"
        )
    fitted.flags.writeable = False
    return fitted


def _frozen(values: NDArray[Any]) -> NDArray[Any]:
    if values.ndim != 1:
        raise ValueError(f"each column is one row of values, got shape {values.shape}")
    # A read-only view of somebody's array could still change with that array.
    if values.flags.writeable or values.base is not None:
        values = values.copy()
    values.flags.writeable = False
    return values
