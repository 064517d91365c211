"""Explain why two libraries give different numbers for one list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recsys_metrics._core.checks import check_count
from recsys_metrics.measures import Measure
from recsys_metrics.peers._data import read_rows
from recsys_metrics.peers._like import explain_absence, find_key, find_library, like
from recsys_metrics.ranking import Judged

_IN_WORDS = {(row["convention"], row["value"]): row["words"] for row in read_rows("conventions")}
_NAMES = {"no_relevant": "user with nothing relevant", "k": "cut-off"}


@dataclass(frozen=True)
class Explanation:
    """What two libraries compute under one name, and where they part.

    Attributes
    ----------
    libraries : tuple of str
        Both, as they write themselves.
    measures : tuple of Measure or None
        What each computes; None where nothing of ours gives its value.
    conventions : mapping
        Each convention that differs, with both values.
    values : tuple of float or None
        What each gives for the list.
    decisive : tuple of str
        The conventions that move the number of this list, changed alone.
    refused : str
        Why one of them cannot be compared, where that is so.

    Examples
    --------
    >>> from recsys_metrics import judge
    >>> from recsys_metrics.peers import explain_difference
    >>> judged = judge([*"ABCDE"], {"B", "C", "E", "G"})
    >>> explanation = explain_difference("map", "RecBole", "RecTools", judged, k=3)
    >>> explanation.conventions, explanation.decisive
    ({'denominator': ('achievable', 'relevant')}, ('denominator',))
    """

    libraries: tuple[str, str]
    measures: tuple[Measure | None, Measure | None]
    conventions: Mapping[str, tuple[Any, Any]]
    values: tuple[float | None, float | None]
    decisive: tuple[str, ...] = ()
    refused: str = ""

    def __str__(self) -> str:
        if self.refused:
            return self.refused
        one, other = self.libraries
        first, second = (f"{value:.3f}" for value in self.values)
        if not self.conventions:
            return f"{one} and {other} read it alike: both give {first}."
        reasons = ", and ".join(self._in_words(name) for name in self.conventions)
        if first == second:
            return f"{one} and {other} both give {first} for this list, and differ in {reasons}."
        return f"{one} gives {first} and {other} {second}. They differ in {reasons}."

    def _in_words(self, name: str) -> str:
        words = (_describe_value(name, value) for value in self.conventions[name])
        both = "; ".join(map(": ".join, zip(self.libraries, words, strict=True)))
        idle = "" if name in self.decisive else ", which does not matter here"
        return f"the {_NAMES.get(name, name)} ({both}){idle}"


def explain_difference(
    metric: str, one: str, other: str, judged: Judged[float], *, k: int | None = None
) -> Explanation:
    """Return why two libraries differ about a list.

    Parameters
    ----------
    metric : str
        Its name, ours or theirs, without the cut-off; an option of a library in brackets.
    one, other : str
        The libraries.
    judged : Judged
        One list made by `judge`.
    k : int, optional
        The cut-off, for those that take one.

    Returns
    -------
    Explanation
        Printed, it says in a sentence or two what differs, and what each gives.

    Raises
    ------
    ValueError
        If there is no such library, or it has no such metric.

    Examples
    --------
    >>> from recsys_metrics import judge
    >>> from recsys_metrics.peers import explain_difference
    >>> judged = judge([*"ABCDE"], {"B", "C", "E", "G"})
    >>> print(explain_difference("map", "RecBole", "RecTools", judged, k=3))
    RecBole gives 0.389 and RecTools 0.292. They differ in the denominator (RecBole: k, or all
    relevant items if fewer; RecTools: all relevant items).
    """
    if not isinstance(metric, str):
        raise TypeError(f"metric is the name of a metric; got {metric!r:.80}")
    if k is not None:
        k = check_count("k", k)
    if not isinstance(judged, Judged) or not judged.single:
        raise TypeError(
            f"judged is one list that judge made of a list and a set of ids; got {judged!r:.80}"
        )
    titles = (find_library(one).title, find_library(other).title)
    refused = [_explain_refusal(library, metric) for library in (one, other)]
    if any(refused):
        reasons = " ".join(filter(None, refused))
        return Explanation(titles, (None, None), {}, (None, None), refused=reasons)
    first, second = (_measure_of(library, metric, k) for library in (one, other))
    if first.name != second.name:
        raise ValueError(
            f"{metric!r} is {first.name} in {titles[0]} and {second.name} in {titles[1]}; ask for "
            "a name that means one metric"
        )
    mine, theirs = ({"k": measure.k, **measure.resolved} for measure in (first, second))
    differing = {name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]}
    values = (_value(first, judged), _value(second, judged))
    decisive = tuple(name for name in differing if _changes_value(name, first, second, judged))
    return Explanation(titles, (first, second), differing, values, decisive)


def _explain_refusal(library: str, metric: str) -> str:
    peer = find_library(library)
    key = find_key(metric, peer)
    equivalence = peer.measures[key]
    return "" if equivalence.text else f"{peer.title}'s {key} {explain_absence(equivalence)}."


def _measure_of(library: str, metric: str, k: int | None) -> Measure:
    peer = find_library(library)
    key = find_key(metric, peer, cut=k is not None)
    takes_k = peer.measures[key].takes_k and k is not None
    return like(library, f"{key}@{k}" if takes_k else key)


def _value(measure: Measure, judged: Judged[float]) -> float:
    try:
        return float(measure(judged))
    except ValueError:
        # Grades above 1 have no ideal of k ones.
        return float("nan")


def _changes_value(name: str, one: Measure, other: Measure, judged: Judged[float]) -> bool:
    """Return whether the convention alone moves the number, from either side."""
    return any(
        abs(_value(measure, judged) - _value(_replace_convention(name, measure, source), judged))
        > 1e-12
        for measure, source in ((one, other), (other, one))
    )


def _replace_convention(name: str, measure: Measure, source: Measure) -> Measure:
    if name == "k":
        return measure.at(source.k)
    return measure.with_options(**{name: source.resolved[name]})


def _describe_value(name: str, value: Any) -> str:
    if name == "k":
        return "the whole list" if value is None else str(value)
    kind = "denominator" if name.endswith("denominator") else name
    return _IN_WORDS.get((kind, str(value)), str(value))
