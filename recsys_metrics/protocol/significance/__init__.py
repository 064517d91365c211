"""Significance: confidence intervals, tests and conclusions about a gain.

=============  ====================================================================
file           holds
=============  ====================================================================
`_intervals`   `proportion_interval`, `mean_interval`, `t_interval`, `bootstrap_interval`
`_gains`       `gain_interval`: of the mean gain over the same users
`_paired`      tests for two recommenders on the same users or seeds
`_several`     who wins how often; several recommenders at once, and all pairs
`_multiple`    `adjust`, for many comparisons
`_power`       `minimum_detectable_effect`
`_conclusion`  `Conclusion`
`_results`     what they answer with
=============  ====================================================================

A gain is always the new less the old: `b - a` for a function of `a` and `b`.

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.protocol.significance._conclusion import Conclusion
from recsys_metrics.protocol.significance._gains import gain_interval
from recsys_metrics.protocol.significance._intervals import (
    bootstrap_interval,
    mean_interval,
    proportion_interval,
    t_interval,
)
from recsys_metrics.protocol.significance._multiple import adjust
from recsys_metrics.protocol.significance._paired import (
    mcnemar,
    paired_t_test,
    randomization_test,
    sign_test,
    wilcoxon,
)
from recsys_metrics.protocol.significance._power import minimum_detectable_effect
from recsys_metrics.protocol.significance._results import Interval, Significance, TInterval
from recsys_metrics.protocol.significance._several import (
    PairOfSeveral,
    WinTieLoss,
    friedman,
    tukey_hsd,
    win_tie_loss,
)

__all__ = [
    "Conclusion",
    "Interval",
    "PairOfSeveral",
    "Significance",
    "TInterval",
    "WinTieLoss",
    "adjust",
    "bootstrap_interval",
    "friedman",
    "gain_interval",
    "mcnemar",
    "mean_interval",
    "minimum_detectable_effect",
    "paired_t_test",
    "proportion_interval",
    "randomization_test",
    "sign_test",
    "t_interval",
    "tukey_hsd",
    "wilcoxon",
    "win_tie_loss",
]


def __dir__() -> list[str]:
    return __all__
