"""What another library computes under a name: a measure of ours, a call, a fault, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Evidence = Literal["run", "values", "read"]


@dataclass(frozen=True)
class Reading:
    """What a library computes under one of its names.

    Exactly one of `text`, `call` and `fault` is given, or none of them where there is nothing
    of ours.

    Attributes
    ----------
    text : str
        Our measure without a cut-off.
    cut : bool
        Whether the library's measure takes a cut-off.
    note : str
        What must hold for the values to be equal, beyond what the measure says; for a call, or
        for nothing, why no measure says it.
    fault : str
        Why nothing can give the library's value, where that is so.
    proof : str
        The test that shows the fault.
    call : str
        How to compute it where it is not made from lists and what was wanted alone, or where it
        is another expression of a measure.

    Examples
    --------
    >>> from recsys_metrics.measures import LIBRARIES
    >>> LIBRARIES["rectools"].measures["ndcg"].text
    'ndcg(gain=binary, ideal=full)'
    >>> LIBRARIES["scikit-learn"].measures["roc_auc"].call
    'recsys_metrics.roc_auc(labels, scores)'
    """

    text: str = ""
    cut: bool = True
    note: str = ""
    fault: str = ""
    proof: str = ""
    call: str = ""


@dataclass(frozen=True)
class Library:
    """A library and what it computes.

    Attributes
    ----------
    title : str
        As it writes itself.
    version : str
        That was looked at.
    evidence : {"run", "values", "read"}
        How the entries were checked.
    measures : mapping
        Of the library's names, in lower case, to readings.
    nothing_relevant : str
        What a user with nothing relevant counts, as `no_relevant` says it.
    no_list : str
        What becomes of a user without a list.
    ties : str
        Which of two equal scores comes first.
    also : tuple of str
        Other names of the library.

    Examples
    --------
    >>> from recsys_metrics.measures import LIBRARIES
    >>> LIBRARIES["ranx"].nothing_relevant, LIBRARIES["rectools"].nothing_relevant
    ('zero', 'nan')
    """

    title: str
    version: str
    evidence: Evidence
    measures: Mapping[str, Reading]
    nothing_relevant: Literal["nan", "zero", "one"] = "nan"
    no_list: str = "counts 0"
    ties: str = "as given"
    also: tuple[str, ...] = ()


# Notes that several libraries share.
OF_A_ROW = "It is given one row of scored items and knows no other relevant item."
FROM_SCORES = "it is computed from scores, not from a list"
FROM_RATINGS = "it is computed from ratings, not from a list"
A_COUNT = "it is a count"
A_CURVE = "it is a curve, not a number"
OF_AN_ITEM = "it is a value of each item, not of a list"


def hits(recall: str = "recall", precision: str = "precision") -> dict[str, Reading]:
    """Return the three readings that differ only in what they divide by."""
    return {
        "hit_rate": Reading("hit_rate"),
        "precision": Reading(precision),
        "recall": Reading(recall),
    }


def rating_errors(**names: str) -> dict[str, Reading]:
    """Return readings of errors of ratings: the library's name, and our function's."""
    return {
        theirs: Reading(note=FROM_RATINGS, call=f"recsys_metrics.rating.{ours}(actual, predicted)")
        for theirs, ours in names.items()
    }
