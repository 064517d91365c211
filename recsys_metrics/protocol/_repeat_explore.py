"""Split relevant items into those in the user's history (repeat) and new ones (explore)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, NamedTuple

from recsys_metrics._core.inputs.ids import kind, refuse_types_alike
from recsys_metrics._core.inputs.users import check_same_users


class RepeatExplore(NamedTuple):
    """What is relevant, in two parts.

    Attributes
    ----------
    repeat, explore : mapping, list or set
        Earlier items of the user, and what was new to them; each as `relevant` was given.

    Examples
    --------
    >>> from recsys_metrics.protocol import repeat_explore
    >>> repeat_explore({"ann": {"A": 3, "B": 1}}, {"ann": ["B"]}).explore
    {'ann': {'A': 3}}
    """

    repeat: Any
    explore: Any


def repeat_explore(relevant: Any, history: Any) -> RepeatExplore:
    """Which relevant items had the user interacted with before, and which are new?

    Any metric is then computed of each part: of what people come back for, and of what they
    discover.

    Parameters
    ----------
    relevant
        What each user wanted: a mapping from user to ids, or a sequence of those; or what one user
        wanted. Ids come as a set, as a sequence, or as a mapping from id to grade.
    history
        Each user's earlier items, in the same form; a user who is missing from a mapping has
        none.

    Returns
    -------
    RepeatExplore
        Two of what `relevant` is, with the same users: a part may be empty for a user, whom most
        metrics then leave out.

    Raises
    ------
    ValueError
        If two sequences differ in length, or users of the two sides differ in their type alone.
    TypeError
        If the sides differ in form, a side is none of the forms, or it is a sequence of tuples,
        which could be ids of several parts or users' items.

    References
    ----------
    Li, Jullien, Ariannezhad and de Rijke (2023), A next basket recommendation reality check, ACM
    Transactions on Information Systems 41(4).

    Examples
    --------
    Of four relevant items the user had bought two before:

    >>> from recsys_metrics import evaluate
    >>> from recsys_metrics.protocol import repeat_explore
    >>> again, new = repeat_explore({"B", "C", "E", "G"}, {"B", "E", "Z"})
    >>> sorted(again), sorted(new)
    (['B', 'E'], ['C', 'G'])
    >>> [evaluate(list("ABCDE"), part, ["recall@5"])["recall@5"].mean for part in (again, new)]
    [1.0, 0.5]
    """
    _check_form(relevant, "relevant")
    _check_form(history, "history")
    forms = {_is_single_user(side) for side in (relevant, history) if side}
    if len(forms) == 2:
        raise TypeError(
            "relevant and history must have one form: one user's items, one entry for each user in "
            "order, or both keyed by user"
        )
    if forms != {False}:
        met = set(history)
        refuse_types_alike(relevant, met, "relevant", "history", "item")
        return RepeatExplore(*(_select_known(relevant, met, known) for known in (True, False)))
    if isinstance(relevant, Mapping) != isinstance(history, Mapping):
        raise TypeError(
            "one of relevant and history is keyed by user and the other is not; key both, or give "
            "both in the order of the lists"
        )
    if isinstance(relevant, Mapping):
        check_same_users(relevant, history, "relevant", "history", must_meet=False)
        met_by = {user: set(history.get(user, ())) for user in relevant}
        _check_items(relevant.values(), met_by.values())
        return RepeatExplore(
            *(
                {
                    user: _select_known(items, met_by[user], known)
                    for user, items in relevant.items()
                }
                for known in (True, False)
            )
        )
    if len(relevant) != len(history):
        raise ValueError(
            f"relevant has {len(relevant)} entries and history {len(history)}; give one of each "
            "for each user, in the same order"
        )
    pairs = list(zip(relevant, map(set, history), strict=True))
    _check_items(relevant, (met for _, met in pairs))
    return RepeatExplore(
        *([_select_known(*pair, known) for pair in pairs] for known in (True, False))
    )


def _check_items(relevant: Iterable[Any], history: Iterable[Any]) -> None:
    """Raise if an item of one side reads like one of the other's that has another type."""
    refuse_types_alike(chain(*relevant), chain(*history), "relevant", "history", "item")


def _check_form(given: Any, name: str) -> None:
    if not isinstance(given, Mapping | AbstractSet | Sequence) or isinstance(given, str | bytes):
        raise TypeError(
            f"{name} must be a set, a list or a mapping of ids, or one of these for each user, not "
            f"{kind(given)}; of two sparse tables, relevant.multiply(history > 0) has the repeats"
        )
    if isinstance(given, Sequence) and any(isinstance(entry, tuple) for entry in given):
        raise TypeError(
            f"{name} contains tuples: is each one user's items, or an id of several "
            f"parts? For items "
            f"write [set(row) for row in {name}], for ids set({name})"
        )


def _is_single_user(given: Any) -> bool:
    """Whether these are the items of one user."""
    if isinstance(given, AbstractSet):
        return True
    entries: Iterable[Any] = given.values() if isinstance(given, Mapping) else given
    return not any(
        isinstance(entry, Mapping | AbstractSet | Sequence) and not isinstance(entry, str | bytes)
        for entry in entries
    )


def _select_known(items: Any, met: set[Hashable], known: bool) -> Any:
    """Return the items that were met, or the others, in the form they came in."""
    if isinstance(items, Mapping):
        return {item: grade for item, grade in items.items() if (item in met) == known}
    if isinstance(items, AbstractSet):
        return {item for item in items if (item in met) == known}
    return [item for item in items if (item in met) == known]
