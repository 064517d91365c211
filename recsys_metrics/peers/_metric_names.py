"""The catalogue of metrics: the function of each here, and the libraries that have it."""

from __future__ import annotations

from dataclasses import dataclass

from recsys_metrics.peers._data import read_rows
from recsys_metrics.peers._libraries import KNOWN_LIBRARIES


@dataclass(frozen=True)
class FieldMetric:
    """A metric of the field.

    Attributes
    ----------
    subject : str
        One of the six.
    metric : str
        What the field calls it.
    ours : tuple of str
        Callables, by their path within `recsys_metrics`; none where it is left out.
    libraries : tuple of str
        Titles of those in which it was seen; that others have it, too, is possible.
    note : str
        The convention or attribute that gives it, or why it is left out.

    Examples
    --------
    >>> from recsys_metrics.peers import read_metric_catalog
    >>> read_metric_catalog()[0].metric, read_metric_catalog()[0].libraries[:3]
    ('mean absolute error', ('Cornac', 'Elliot', 'Evidently'))
    """

    subject: str
    metric: str
    ours: tuple[str, ...]
    libraries: tuple[str, ...]
    note: str


def read_metric_catalog() -> tuple[FieldMetric, ...]:
    """Return every metric of the field that was examined, by subject.

    A library is named where one of its measures is known to be the metric
    (`Equivalence.metric_names`), or where it was seen without a comparison of its values.

    Returns
    -------
    tuple of FieldMetric

    Examples
    --------
    >>> from recsys_metrics.peers import read_metric_catalog
    >>> next(entry.ours for entry in read_metric_catalog() if entry.metric == "NDPM")
    ('fraction_of_concordant_pairs',)
    """
    compared: dict[str, set[str]] = {}
    for library in KNOWN_LIBRARIES.values():
        for equivalence in library.measures.values():
            for metric in equivalence.metric_names:
                compared.setdefault(metric, set()).add(library.title)
    return tuple(
        FieldMetric(
            row["subject"],
            row["names"],
            tuple(row["functions"].split()),
            _in_order(compared.get(row["names"], set()), row["seen_in"]),
            row["note"],
        )
        for row in read_rows("metrics")
        if row["names"]
    )


def _in_order(compared: set[str], seen_in: str) -> tuple[str, ...]:
    seen = compared | set(filter(None, seen_in.split(", ")))
    return tuple(library.title for library in KNOWN_LIBRARIES.values() if library.title in seen)
