"""Live traffic: rates, durations, and the A/B test.

==============  ==================================================
file            holds
==============  ==================================================
`_rates`        click-through, conversion, clicks per user, bounce, window hit rate
`_durations`    dwell time, session length, trimmed mean
`_experiment`   Mann-Whitney, sample-ratio check, A/B test
`_sequential`   an interval and a test that stay valid however often one looks
==============  ==================================================

Stable: names and meanings stay from now on, and the changelog announces any change.
`sequential_test` and `always_valid_interval` may change.
"""

from recsys_metrics.protocol.online._durations import dwell_time, session_length, trimmed_mean
from recsys_metrics.protocol.online._experiment import (
    Experiment,
    RankComparison,
    SampleRatio,
    ab_test,
    mann_whitney,
    sample_ratio,
)
from recsys_metrics.protocol.online._rates import (
    bounce_rate,
    click_through_rate,
    clicks_per_user,
    conversion_rate,
    window_hit_rate,
)
from recsys_metrics.protocol.online._sequential import (
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


def __dir__() -> list[str]:
    return __all__
