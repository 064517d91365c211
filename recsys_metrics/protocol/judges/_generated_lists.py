"""Lists that a model wrote: items that do not exist, repeats, slots that are missing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from recsys_metrics._core.checks import check_count, check_level
from recsys_metrics._core.inputs.arrays import FloatArray, refuse_mask
from recsys_metrics._core.inputs.catalog import catalog_ids
from recsys_metrics._core.inputs.frames import by_key, entries_of, is_column
from recsys_metrics._core.inputs.ids import kind
from recsys_metrics.protocol.significance._intervals import mean_interval, proportion_interval
from recsys_metrics.protocol.significance._results import Interval

Answer: TypeAlias = Sequence[Hashable] | None
Answers: TypeAlias = Sequence[Answer] | Mapping[Any, Answer]


@dataclass(frozen=True, eq=False)
class ListValidity:
    """How many of the slots of generated lists hold an item that can be recommended.

    Attributes
    ----------
    valid : Interval
        Share of the K slots that hold an item of the catalogue for the first time.
    unknown : Interval
        Share of slots with an item that is not in the catalogue.
    repeated : Interval
        Share of slots with an item that the list has already.
    missing : Interval
        Share of slots without an item: lists that end early, and all slots of answers that could
        not be read.
    unreadable : Interval
        Share of answers that could not be read as a list.
    faultless : Interval
        Share of lists in which all K slots are valid.
    per_list : (n, 4) array of float
        For each list the shares of valid, unknown, repeated and missing slots.

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import list_validity
    >>> found = list_validity([["A", "B", "A"], ["A", "Z"], None], catalog=[*"ABC"], k=3)
    >>> found.per_list.round(2).tolist()
    [[0.67, 0.0, 0.33, 0.0], [0.33, 0.33, 0.0, 0.33], [0.0, 0.0, 0.0, 1.0]]
    """

    valid: Interval
    unknown: Interval
    repeated: Interval
    missing: Interval
    unreadable: Interval
    faultless: Interval
    per_list: FloatArray


def list_validity(
    recommended: Answers, catalog: Iterable[Hashable], *, k: int, level: float = 0.95
) -> ListValidity:
    r"""How many of the recommended items exist, are new in their list, and are there at all?

    Parameters
    ----------
    recommended : sequence or mapping of lists
        The items that a model recommends to each user, best first; at least two lists. None is an
        answer that could not be read as a list.
    catalog : collection of ids
        The items that can be recommended.
    k : int
        How many items were asked for; what a list has beyond them is ignored.
    level : float
        Confidence, between 0 and 1.

    Returns
    -------
    ListValidity

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two lists, a list is none, or catalog is no collection of ids.

    Notes
    -----
    Every slot of a list is one of four: valid, unknown, repeated or missing, so that their shares
    have the sum 1. An unknown item that is repeated counts as unknown. The intervals are
    `mean_interval` over lists, because faults of one list are not independent.

    References
    ----------
    Di Palma and others (2023), Evaluating ChatGPT as a recommender system: a rigorous approach,
    arXiv:2309.03613. Jiang and others (2025), Beyond utility: evaluating LLM as recommender, WWW.

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import list_validity
    >>> lists = [["A", "B"], ["B", "C"], ["C", "Q"], ["A", "A"]]
    >>> found = list_validity(lists, catalog=["A", "B", "C"], k=2)
    >>> found.valid.estimate, found.unknown.estimate, found.repeated.estimate
    (0.75, 0.125, 0.125)
    """
    level = check_level(level)
    top = check_count("k", k)
    items = frozenset(catalog_ids(catalog))
    answers = list(_answers(recommended))
    counts = np.array([_count(answer, items, top) for answer in answers]).reshape(-1, 3)
    shares = np.column_stack([counts, top - counts.sum(axis=1)]) / top
    valid, unknown, repeated, missing = (
        mean_interval(column, bounds=(0.0, 1.0), level=level) for column in shares.T
    )
    n = len(answers)
    unreadable = sum(answer is None for answer in answers)
    faultless = int((shares[:, 0] == 1).sum())
    return ListValidity(
        valid,
        unknown,
        repeated,
        missing,
        proportion_interval(unreadable, n, level=level),
        proportion_interval(faultless, n, level=level),
        shares,
    )


def replace_faults(recommended: Answers, catalog: Iterable[Hashable], *, k: int) -> Any:
    """How good are generated lists if every fault counts as a miss at its rank?

    An item that does not exist, or that the list has already, is replaced by an id that is
    relevant to nobody. The other items keep their ranks, so a metric counts each fault as a slot
    that was wasted. An answer that could not be read becomes an empty list.

    Parameters
    ----------
    recommended, catalog, k
        As `list_validity` takes them.

    Returns
    -------
    list or dict
        Lists of ids of one type without a repeat, in the form of `recommended`.

    Raises
    ------
    TypeError, ValueError
        If a list is none, or the ids of the catalogue are neither all texts nor all whole numbers.

    See Also
    --------
    drop_faults : lets the items behind a fault move up.

    Examples
    --------
    >>> import recsys_metrics as rm
    >>> from recsys_metrics.protocol.judges import replace_faults
    >>> lists = replace_faults([["B", "Zorro 9", "B", "C"]], catalog=[*"ABCDEFG"], k=4)
    >>> lists
    [['B', 'fault at 2', 'fault at 3', 'C']]
    >>> rm.precision(rm.judge(lists, [{"B", "C", "E", "G"}]), k=4).tolist()
    [0.5]
    """
    top = check_count("k", k)
    ids = catalog_ids(catalog)
    items = frozenset(ids)
    name = _names_of_faults(items)

    def repair(answer: Answer) -> list[Hashable]:
        fresh = _first_times(answer, items, top)
        return [item if ok else name(rank) for rank, (item, ok) in enumerate(fresh, 1)]

    return _for_each(recommended, repair)


def drop_faults(recommended: Answers, catalog: Iterable[Hashable], *, k: int) -> Any:
    """How good are generated lists if the items behind a fault move up?

    This is what a site does that filters what a model wrote. Each list keeps the valid ones of its
    first k items, so it may be shorter than k.

    Parameters
    ----------
    recommended, catalog, k
        As `list_validity` takes them.

    Returns
    -------
    list or dict
        Lists of items of the catalogue without a repeat, in the form of `recommended`.

    Raises
    ------
    TypeError, ValueError
        If a list is none.

    See Also
    --------
    replace_faults : counts a fault as a miss at its rank.

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import drop_faults
    >>> drop_faults({"ann": ["B", "Zorro 9", "B", "C"], "bob": None}, catalog=[*"ABC"], k=4)
    {'ann': ['B', 'C'], 'bob': []}
    """
    top = check_count("k", k)
    items = frozenset(catalog_ids(catalog))
    return _for_each(
        recommended,
        lambda answer: [item for item, ok in _first_times(answer, items, top) if ok],
    )


def _answers(recommended: Answers) -> Iterator[Answer]:
    """Return the answers one by one, checked."""
    refuse_mask(recommended, "recommended")
    if isinstance(recommended, str | bytes) or not isinstance(recommended, Mapping | Iterable):
        raise TypeError(
            f"recommended is a list of lists, or a mapping from user to list; got "
            f"{kind(recommended)}"
        )
    keyed = by_key(recommended)
    rows: Iterable[Any] = entries_of(recommended) if is_column(recommended) else recommended
    whose: Any = enumerate(rows) if keyed is None else keyed.items()
    for user, each in whose:
        answer: Answer = each
        if answer is not None and (
            isinstance(answer, str | bytes | Mapping) or not isinstance(answer, Iterable)
        ):
            raise TypeError(
                f"the answer for {user!r} is {kind(answer)}, {answer!r:.60}; read a text into a "
                "list of items first, and give None where that is impossible"
            )
        yield answer


def _first_times(
    answer: Answer, items: frozenset[Hashable], k: int
) -> Iterator[tuple[Hashable, bool]]:
    """Return the first k items, each with whether it exists and is new in the list."""
    seen: set[Hashable] = set()
    for item in _plain(answer)[:k]:
        yield item, item in items and item not in seen
        seen.add(item)


def _plain(answer: Answer) -> list[Hashable]:
    if answer is None:
        return []
    return entries_of(answer)


def _count(answer: Answer, items: frozenset[Hashable], k: int) -> tuple[int, int, int]:
    """Return how many slots are valid, unknown and repeated."""
    fresh = list(_first_times(answer, items, k))
    valid = sum(ok for _, ok in fresh)
    unknown = sum(item not in items for item, _ in fresh)
    return valid, unknown, len(fresh) - valid - unknown


def _names_of_faults(items: frozenset[Hashable]) -> Callable[[int], Hashable]:
    """Return what gives a fault at a rank an id that is not in the catalogue, of the same type."""
    if all(isinstance(item, str) for item in items):
        text = "fault at "
        while any(str(item).startswith(text) for item in items):
            text = f"_{text}"
        return lambda rank: f"{text}{rank}"
    if all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in items):
        most = max(int(item) for item in items)  # type: ignore[call-overload]
        return lambda rank: most + rank
    raise TypeError(
        "the ids of the catalogue are neither all texts nor all whole numbers, so that a fault "
        "has no id of the same type; write the ids as texts"
    )


def _for_each(recommended: Answers, repair: Callable[[Answer], list[Hashable]]) -> Any:
    answers = [repair(answer) for answer in _answers(recommended)]
    keyed = by_key(recommended)
    return answers if keyed is None else dict(zip(keyed, answers, strict=True))
