"""How likely was this to be shown, or looked at?

=============================  ==================================================
file                           holds
=============================  ==================================================
`exposure`                     from counts: exposure share, power of popularity; clipping
`position`                     position-based model: by EM, by swapping items
=============================  ==================================================
"""

from recsys_metrics.bias.propensity.exposure import (
    PopularityPower,
    clip_propensities,
    exposure_share,
    fit_popularity_power,
    inverse_propensity_weights,
    popularity_propensity,
)
from recsys_metrics.bias.propensity.position import (
    PositionBias,
    SwapBias,
    position_bias_em,
    position_bias_swap,
)

__all__ = [
    "PopularityPower",
    "PositionBias",
    "SwapBias",
    "clip_propensities",
    "exposure_share",
    "fit_popularity_power",
    "inverse_propensity_weights",
    "popularity_propensity",
    "position_bias_em",
    "position_bias_swap",
]
