"""Evaluation protocol: splits, candidates, significance and online experiments.

================  ==================================================
module            holds
================  ==================================================
this one          splits at random, by fold and by time, what leaks across them; k-cores
`candidates`      full and sampled ranks, and what sampling does to a metric
`significance`    intervals, paired tests, many comparisons, conclusions
`online`          rates of live traffic, A/B tests, tests one may peek at
`judges`          judges that are models, and lists that models write
================  ==================================================

The modules are used by their name: `protocol.candidates.full_ranks`.

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.protocol import candidates, judges, online, significance
from recsys_metrics.protocol._data_leakage import Leakage, leakage
from recsys_metrics.protocol._k_core import k_core
from recsys_metrics.protocol._popularity_sampling import down_sample_popular
from recsys_metrics.protocol._repeat_explore import RepeatExplore, repeat_explore
from recsys_metrics.protocol._sessions import leave_last_session_out, sessions
from recsys_metrics.protocol._splits import (
    Folds,
    Split,
    k_folds,
    leave_last_n_out,
    random_split,
    rolling_splits,
    temporal_split,
)

__all__ = [
    "Folds",
    "Leakage",
    "RepeatExplore",
    "Split",
    "candidates",
    "down_sample_popular",
    "judges",
    "k_core",
    "k_folds",
    "leakage",
    "leave_last_n_out",
    "leave_last_session_out",
    "online",
    "random_split",
    "repeat_explore",
    "rolling_splits",
    "sessions",
    "significance",
    "temporal_split",
]


def __dir__() -> list[str]:
    return __all__
