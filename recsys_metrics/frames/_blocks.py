"""A block of users as numbered lists, added to an evaluation.

An engine sorts out which rows belong to which users; from here on all is arrays. A block holds
every row of its users, so that blocks can be added in any order and in any process.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recsys_metrics._core.duplicates import repeat_in_rows
from recsys_metrics._core.inputs.arrays import IndexArray
from recsys_metrics._core.inputs.ids import (
    Ids,
    explain_lookalikes,
    find_lookalikes,
    find_misspelt,
    may_look_alike,
)
from recsys_metrics._core.inputs.item_sets import (
    ContradictoryGradesError,
    ItemSets,
    first_repeat,
    merge_repeats,
)
from recsys_metrics._core.inputs.lists import Lists
from recsys_metrics._core.inputs.scores import ScoredTable
from recsys_metrics._core.inputs.tables import row_pointers
from recsys_metrics.evaluation import Evaluation
from recsys_metrics.evaluation._context import EvaluationContext
from recsys_metrics.evaluation._settings import EvaluationSettings
from recsys_metrics.frames._tables import TableError

Block = Mapping[str, pl.DataFrame]
"""The rows of some users: `lists`, `truth` and perhaps `lengths` and `history`."""

# A table of lists has so many cells at most; where lists are long, a block is cut in two.
_CELLS = 2**26


class RepeatError(ValueError):
    """A user has an item, a rank, or two grades of an item; which one, the whole tables tell."""


@dataclass(frozen=True)
class BlockEvaluator:
    """What is done with each block.

    Attributes
    ----------
    settings : EvaluationSettings
    background : EvaluationContext
        What is known of all lists, but for the histories.
    numbered : bool
        Whether ids of items are whole numbers of 0 or more, which stand for themselves.
    """

    settings: EvaluationSettings
    background: EvaluationContext
    numbered: bool

    def start(self) -> Evaluation:
        """Return an evaluation of no list."""
        return Evaluation._from_settings(self.settings, self.background)

    def of(self, blocks: Iterable[Block]) -> Evaluation:
        """Return the evaluation of blocks.

        Raises
        ------
        RepeatError
            If a user has an item twice, two items at one rank, or two grades of one item.
        """
        evaluation = self.start()
        for block in blocks:
            for part in _split(block):
                self._add(evaluation, part)
        return evaluation

    def _add(self, evaluation: Evaluation, block: Block) -> None:
        listed, truth = block["lists"], block["truth"]
        tables = [block[name] for name in ("lists", "truth", "lengths") if name in block]
        users = pl.concat([each["user"] for each in tables]).unique().sort()
        if not len(users):
            return
        rows, wanted = _positions(listed["user"], users), _positions(truth["user"], users)
        _refuse_lookalikes(users, rows, wanted, twins=True)
        items, truth_items, ids = self._number(listed["item"], truth["item"])
        sets = self._sets(truth, wanted, truth_items, len(users))
        lists = self._lists(block, rows, items, users, ids)
        known = self.background.for_lists(lists, evaluation._relevant(sets))
        if "history" in block:
            known = replace(known, history=self._history(block, users, ids))
        evaluation._update_aligned(lists, sets, known)

    def _sets(
        self, truth: pl.DataFrame, rows: IndexArray, items: NDArray[Any], n_users: int
    ) -> ItemSets:
        """Return what is relevant to each user."""
        order = np.argsort(rows, kind="stable")
        grades = truth["grade"].cast(pl.Float64).to_numpy() if "grade" in truth.columns else None
        sets = ItemSets(
            row_pointers(np.bincount(rows, minlength=n_users)),
            items[order],
            None if grades is None else grades[order],
        )
        if self.settings.repeats != "raise":
            try:
                return merge_repeats(sets)
            except ContradictoryGradesError:
                raise RepeatError from None
        if first_repeat(sets.indptr, sets.items) is not None:
            raise RepeatError
        return sets

    def _lists(
        self, block: Block, rows: IndexArray, items: NDArray[Any], users: pl.Series, ids: Ids
    ) -> Lists:
        """Return what was recommended to each user."""
        cut, listed, n_users = self.settings.cut, block["lists"], len(users)
        scored = whole = None
        if "rank" in listed.columns:
            ranks = listed["rank"].to_numpy()
        else:
            order, ranks, scored = _rank_scores(rows, listed["score"].to_numpy(), items)
            rows, items = rows[order], items[order]
        longest = int(ranks.max(initial=0))
        if "lengths" in block:
            lengths = block["lengths"]
            whole = np.zeros(n_users, dtype=np.intp)
            whole[_positions(lengths["user"], users)] = lengths["length"].to_numpy()
        elif cut is not None and longest > cut:
            whole = np.bincount(rows, minlength=n_users)
            rows, items, ranks = (each[ranks <= cut] for each in (rows, items, ranks))
        if cut is not None and whole is not None and int(whole.max()) > cut:
            longest = cut
        else:
            whole = None  # no list of this block is cut
        table = np.full((n_users, longest), -1, dtype=items.dtype)
        table[rows, ranks - 1] = items
        if int(np.count_nonzero(table >= 0)) != len(items):
            raise RepeatError
        lists = Lists(table, ids, tuple(users.to_list()), False, scored, whole)
        if self.settings.repeats != "raise":
            return lists.without_repeats(self.settings.repeats, self.settings.depth)
        if repeat_in_rows(table) is not None:
            raise RepeatError
        return lists

    def _number(
        self, listed: pl.Series, wanted: pl.Series
    ) -> tuple[NDArray[Any], NDArray[Any], Ids]:
        """Return the number of each item, and the ids by number."""
        if self.numbered:
            ids = Ids(None)
            ids.strict = True
            return (*(each.cast(pl.Int64).to_numpy() for each in (listed, wanted)), ids)
        labels = pl.concat([listed, wanted]).unique().sort()
        ours, theirs = _positions(listed, labels), _positions(wanted, labels)
        _refuse_lookalikes(labels, ours, theirs)
        index: dict[Hashable, int] = {label: at for at, label in enumerate(labels.to_list())}
        return ours, theirs, Ids(index)

    def _history(self, block: Block, users: pl.Series, ids: Ids) -> Any:
        """Return what each user of a block interacted with before, each item once."""
        items = pl.concat([block[name]["item"] for name in ("lists", "truth")])
        for ours, role in ((users, "user"), (items, "item")):
            _refuse_alike_in_history(ours, block["history"][role])
        whole = any("history" in measure.metric.needs for measure in self.settings.measures)
        if whole:
            seen = block["history"].filter(pl.col("user").is_in(users.implode()))
        else:
            # It is only counted how many recommended and relevant items are there.
            pairs = [block[name].select("user", "item") for name in ("lists", "truth")]
            seen = block["history"].join(pl.concat(pairs), on=["user", "item"], how="semi")
        seen = seen.unique()
        rows = _positions(seen["user"], users)
        order = np.argsort(rows, kind="stable")
        indptr = row_pointers(np.bincount(rows, minlength=len(users)))
        if whole:
            items = seen["item"].gather(order).to_list()
            return {
                user: items[start:stop]
                for user, (start, stop) in zip(users, pairwise(indptr.tolist()), strict=True)
            }
        if ids.index is None:
            return ItemSets(indptr, seen["item"].cast(pl.Int64).to_numpy()[order])
        numbers = ids.number(seen["item"].to_list(), lambda at: ("history has", ""))
        return ItemSets(indptr, numbers[order])


def _positions(ids: pl.Series, known: pl.Series) -> IndexArray:
    """Return where in `known`, ascending and without repeats, each id stands."""
    if ids.dtype.is_integer():
        return np.asarray(np.searchsorted(known.to_numpy(), ids.to_numpy()), dtype=np.intp)
    index = pl.DataFrame({"id": known}).with_row_index("at")
    joined = pl.DataFrame({"id": ids}).join(index, on="id", how="left", maintain_order="left")
    return np.asarray(joined["at"].to_numpy(), dtype=np.intp)


def _refuse_lookalikes(
    labels: pl.Series, ours: IndexArray, theirs: IndexArray, *, twins: bool = False
) -> None:
    """Raise if an id of one table only looks like one that only the other has.

    With `twins` also if both tables have the id that it looks like.
    """
    if labels.dtype != pl.String:
        return
    sides = []
    for numbers in (ours, theirs):
        there = np.zeros(len(labels), dtype=bool)
        there[numbers] = True
        sides.append(there)
    if (sides[0] == sides[1]).all():
        return
    names = [labels.filter(pl.Series(there)).to_list() for there in sides]
    found = None
    if may_look_alike(*names):
        found = find_misspelt(*names) if twins else find_lookalikes(*names)
    if found is not None:
        raise _lookalike_error(found, "relevant")


def _refuse_alike_in_history(ours: pl.Series, theirs: pl.Series) -> None:
    """Raise if an id of the history only looks like one that it does not have."""
    if ours.dtype != pl.String:
        return
    names = [each.unique().to_list() for each in (ours, theirs)]
    if may_look_alike(*names) and (found := find_lookalikes(*names)):
        raise _lookalike_error(found, "history")


def _lookalike_error(found: tuple[str, str], other: str) -> TableError:
    what = f"has {found[1]!a}: {explain_lookalikes(*found)}"
    return TableError("recommended", f"has the id {found[0]!a}", other=(other, what))


def _rank_scores(
    rows: IndexArray, scores: NDArray[Any], items: NDArray[Any]
) -> tuple[IndexArray, IndexArray, ScoredTable]:
    """Return an order of the rows, best first within each user, and the rank of each in it.

    The numbers of items rise with their ids, so the smaller id of two equal scores comes first.
    """
    # The complement of a whole number falls as it rises, and always fits.
    falling = ~scores if scores.dtype.kind in "iu" else -scores
    order = np.lexsort((items, falling, rows))
    sorted_rows, sorted_scores = rows[order], scores[order]
    lengths = np.bincount(sorted_rows) if len(rows) else np.zeros(0, dtype=np.intp)
    starts = row_pointers(lengths)[:-1]
    ranks = np.arange(len(order)) - starts[sorted_rows] + 1
    some = np.flatnonzero(lengths > 1)
    ends = starts[some] + lengths[some] - 1
    n_constant = int(np.count_nonzero(sorted_scores[starts[some]] == sorted_scores[ends]))
    return order, ranks, ScoredTable(n_constant, starts, lengths, sorted_scores)


def _split(block: Block) -> Iterator[Block]:
    """Yield a block, in parts where its table of lists would be too large for memory."""
    listed = block["lists"]
    n_users = listed["user"].n_unique()
    width = listed["rank"].max() if "rank" in listed.columns else len(listed) // max(n_users, 1)
    if n_users < 2 or n_users * int(width or 0) <= _CELLS:
        yield block
        return
    everyone = pl.concat([block["lists"]["user"], block["truth"]["user"]]).unique().sort()
    middle = everyone[len(everyone) // 2]
    for side in (pl.col("user") < middle, pl.col("user") >= middle):
        yield from _split({name: frame.filter(side) for name, frame in block.items()})
