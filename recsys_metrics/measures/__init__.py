"""A measure as a value: a metric, its cut-off and its conventions, written as one text.

``ndcg(gain=exponential, ideal=list)@10`` says all that two people must agree on. Measures are
equal, and hash, by that text, so they can be keys.

=============  ==================================================================
file           holds
=============  ==================================================================
`text`         `Measure`, and `measure`, which reads one from its text
`catalogue`    the metrics that can be written so, and what each needs to be known
`of_lists`     those that look at the lists themselves, not at what was wanted
`by_measure`   a mapping asked by a measure's text: what reports are
`presets`      `like`, the measure that gives another library's number
`reading`      what another library computes under a name
`toolkits`     those of retrieval, machine learning and monitoring libraries
`frameworks`   those of recommender frameworks and of libraries for judging them
`differences`  `why`, what makes two libraries give two numbers for one list
`libraries`    all of them by the library's name, and what was compared
=============  ==================================================================

>>> from recsys_metrics.measures import measure
>>> measure("ngcd@10")
Traceback (most recent call last):
ValueError: unknown measure 'ngcd'; did you mean 'ndcg'?
"""

from recsys_metrics.measures.catalogue import ALIASES, METRICS, Known, Metric
from recsys_metrics.measures.differences import Difference, why
from recsys_metrics.measures.libraries import LIBRARIES, comparisons
from recsys_metrics.measures.presets import like, opinions
from recsys_metrics.measures.reading import Library, Reading
from recsys_metrics.measures.text import Measure, measure, read_measures

__all__ = [
    "ALIASES",
    "LIBRARIES",
    "METRICS",
    "Difference",
    "Known",
    "Library",
    "Measure",
    "Metric",
    "Reading",
    "comparisons",
    "like",
    "measure",
    "opinions",
    "read_measures",
    "why",
]
