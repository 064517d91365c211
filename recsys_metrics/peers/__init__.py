"""Other libraries: what they compute under each name, and the measure of ours that gives it.

The facts stand in tables under ``recsys_metrics/data``: ``libraries.csv`` has the libraries and
the versions that were looked at, ``equivalences.csv`` what each computes under each of its names,
``metrics.csv`` which metric of the field is which function here, ``conventions.csv`` what our
conventions are in words, and ``peers.csv``, written by ``make peers``, how far the values of the
libraries that were run are from ours.

May change: names and meanings are not settled.

>>> from recsys_metrics.peers import like
>>> like("recbole", "map@10")
measure('average_precision(denominator=achievable)@10')
"""

from recsys_metrics.peers._explain import Explanation, explain_difference
from recsys_metrics.peers._libraries import (
    LIBRARIES,
    Equivalence,
    Library,
    comparisons,
    versions,
)
from recsys_metrics.peers._like import interpretations, like
from recsys_metrics.peers._metric_names import FieldMetric, read_metric_catalog

__all__ = [
    "LIBRARIES",
    "Equivalence",
    "Explanation",
    "FieldMetric",
    "Library",
    "comparisons",
    "explain_difference",
    "interpretations",
    "like",
    "read_metric_catalog",
    "versions",
]


def __dir__() -> list[str]:
    return __all__
