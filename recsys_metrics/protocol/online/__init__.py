"""Online experiments: rates, durations and A/B tests.

===================  ==================================================
file                 holds
===================  ==================================================
`_rates`             click-through, conversion, clicks per user, bounce, click-through probability
`_time_metrics`      dwell time, session length, trimmed mean
`_sample_size`       how many users an experiment takes
`_experiment`        Mann-Whitney, sample-ratio check, A/B test
`_quantiles`         the test of a median or another quantile
`_covariates`        less noise: CUPED, post-stratification
`_equivalence`       non-inferiority and equivalence
`_sequential`        an interval and a test that stay valid however often one looks
`_group_sequential`  bounds for a few planned looks, and a test at each
`_switchback`        a treatment switched on and off for all
`_surrogate`         the effect on a late outcome, from early metrics
`_interleaving`      two recommenders in one list
===================  ==================================================

`recsys_metrics.scorecard` makes one table of all metrics and arms from a table of users.

Stable: names and meanings stay from now on, and the changelog announces any change.
`sequential_test`, `always_valid_interval`, the group-sequential tests, interleaving,
`switchback_test` and `surrogate_index` may change.
"""

from recsys_metrics.protocol.online._covariates import Adjusted, cuped, stratified_test
from recsys_metrics.protocol.online._equivalence import (
    EquivalenceResult,
    equivalence_test,
    non_inferiority_test,
)
from recsys_metrics.protocol.online._experiment import (
    Experiment,
    RankComparison,
    SampleRatio,
    ShipDecision,
    ab_test,
    mann_whitney,
    sample_ratio,
)
from recsys_metrics.protocol.online._group_sequential import (
    GroupSequential,
    group_sequential,
    group_sequential_test,
)
from recsys_metrics.protocol.online._interleaving import Interleaved, interleave
from recsys_metrics.protocol.online._quantiles import quantile_test
from recsys_metrics.protocol.online._rates import (
    bounce_rate,
    click_through_probability,
    click_through_rate,
    clicks_per_user,
    conversion_rate,
)
from recsys_metrics.protocol.online._sample_size import (
    GroupSizes,
    ratio_sd,
    sample_size,
)
from recsys_metrics.protocol.online._sequential import (
    AlwaysValid,
    always_valid_interval,
    sequential_test,
)
from recsys_metrics.protocol.online._surrogate import surrogate_index
from recsys_metrics.protocol.online._switchback import switchback_test
from recsys_metrics.protocol.online._time_metrics import dwell_time, trimmed_mean

__all__ = [
    "Adjusted",
    "AlwaysValid",
    "EquivalenceResult",
    "Experiment",
    "GroupSequential",
    "GroupSizes",
    "Interleaved",
    "RankComparison",
    "SampleRatio",
    "ShipDecision",
    "ab_test",
    "always_valid_interval",
    "bounce_rate",
    "click_through_probability",
    "click_through_rate",
    "clicks_per_user",
    "conversion_rate",
    "cuped",
    "dwell_time",
    "equivalence_test",
    "group_sequential",
    "group_sequential_test",
    "interleave",
    "mann_whitney",
    "non_inferiority_test",
    "quantile_test",
    "ratio_sd",
    "sample_ratio",
    "sample_size",
    "sequential_test",
    "stratified_test",
    "surrogate_index",
    "switchback_test",
    "trimmed_mean",
]


def __dir__() -> list[str]:
    return __all__
