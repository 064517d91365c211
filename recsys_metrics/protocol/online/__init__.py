"""Live traffic: rates, durations, and the A/B test.

==============  ==================================================
file            holds
==============  ==================================================
`rates`         click-through, conversion, clicks per user, bounce, window hit rate
`durations`     dwell time, session length, trimmed mean
`experiment`    Mann-Whitney, sample-ratio check, A/B test
`sequential`    an interval and a test that stay valid however often one looks
==============  ==================================================
"""

from recsys_metrics.protocol.online.durations import dwell_time, session_length, trimmed_mean
from recsys_metrics.protocol.online.experiment import (
    Experiment,
    RankComparison,
    SampleRatio,
    ab_test,
    mann_whitney,
    sample_ratio,
)
from recsys_metrics.protocol.online.rates import (
    bounce_rate,
    click_through_rate,
    clicks_per_user,
    conversion_rate,
    window_hit_rate,
)
from recsys_metrics.protocol.online.sequential import (
    AlwaysValid,
    always_valid_interval,
    sequential_test,
)

__all__ = [
    "AlwaysValid",
    "Experiment",
    "RankComparison",
    "SampleRatio",
    "ab_test",
    "always_valid_interval",
    "bounce_rate",
    "click_through_rate",
    "clicks_per_user",
    "conversion_rate",
    "dwell_time",
    "mann_whitney",
    "sample_ratio",
    "sequential_test",
    "session_length",
    "trimmed_mean",
    "window_hit_rate",
]
