"""A measure as a value: a metric, its cut-off and its conventions, written as one text.

``ndcg(gain=exponential, ideal=list)@10`` says all that two people must agree on. Measures are
equal, and hash, by that text, so they can be keys.

=============  =======================================================================
file           holds
=============  =======================================================================
`_text`        `Measure`, and `measure`, which reads one from its text
`_catalogue`   the metrics that can be written so, and what each needs to be known
`_own`         metrics, gains and discounts that the caller wrote
`_adapters`    metrics of the lists themselves, with parameters that a measure can fill
`_by_measure`  a mapping with the text of a measure as key: what reports are
=============  =======================================================================

Stable: names and meanings stay from now on, and the changelog announces any change. `Metric` may
change.

>>> from recsys_metrics.measures import measure
>>> measure("ngcd@10")
Traceback (most recent call last):
ValueError: unknown metric 'ngcd'; did you mean 'ndcg'?
"""

from recsys_metrics.measures._catalogue import ALIASES, METRICS, Context, Metric
from recsys_metrics.measures._measure_mapping import MeasureMapping
from recsys_metrics.measures._text import Measure, measure, read_measures

__all__ = [
    "ALIASES",
    "METRICS",
    "Context",
    "Measure",
    "MeasureMapping",
    "Metric",
    "measure",
    "read_measures",
]


def __dir__() -> list[str]:
    return __all__
