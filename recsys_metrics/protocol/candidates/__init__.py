"""Candidate sets: a held-out item is ranked against the whole catalogue or a sample.

===============  ==================================================
file             holds
===============  ==================================================
`_ranks`         `full_ranks`, `sampled_ranks`
`_expected`      what a sampled metric is on average, in closed form
`_corrected`     estimates of the full metric from sampled ranks
`_one_item`      metrics of a single relevant item, by its rank
===============  ==================================================

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.protocol.candidates._corrected import corrected_metric, correction_table
from recsys_metrics.protocol.candidates._expected import (
    expected_sampled_metric,
    sampled_rank_distribution,
)
from recsys_metrics.protocol.candidates._one_item import metric_at_rank
from recsys_metrics.protocol.candidates._ranks import Ranks, full_ranks, sampled_ranks

__all__ = [
    "Ranks",
    "corrected_metric",
    "correction_table",
    "expected_sampled_metric",
    "full_ranks",
    "metric_at_rank",
    "sampled_rank_distribution",
    "sampled_ranks",
]


def __dir__() -> list[str]:
    return __all__
