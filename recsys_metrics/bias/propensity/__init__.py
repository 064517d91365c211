"""Propensities: probabilities that an item was shown, or examined.

=============================  ==================================================
file                           holds
=============================  ==================================================
`_exposure`                    from counts: exposure share, power of popularity; clipping
`_position`                    position-based model: by EM, by swapping items
`_harvest`                     the same from rankers that disagreed: intervention harvesting
`_cascade`                     a reader who goes down the list: cascade, DBN
`_model`                       a logging policy fitted from what it did
=============================  ==================================================

Stable: names and meanings stay from now on, and the changelog announces any change. The click
models and `ClickModel`, which they return, may change.
"""

from recsys_metrics.bias.propensity._cascade import (
    ClickModel,
    cascade_model,
    dynamic_bayesian_network,
    simplified_dbn,
)
from recsys_metrics.bias.propensity._exposure import (
    PopularityPower,
    clip_propensities,
    empirical_propensities,
    fit_popularity_power,
    inverse_propensity_weights,
    popularity_propensity,
)
from recsys_metrics.bias.propensity._harvest import position_bias_harvest
from recsys_metrics.bias.propensity._model import fit_logging_policy
from recsys_metrics.bias.propensity._position import (
    PositionBias,
    SwapBias,
    position_bias_em,
    position_bias_swap,
)

__all__ = [
    "ClickModel",
    "PopularityPower",
    "PositionBias",
    "SwapBias",
    "cascade_model",
    "clip_propensities",
    "dynamic_bayesian_network",
    "empirical_propensities",
    "fit_logging_policy",
    "fit_popularity_power",
    "inverse_propensity_weights",
    "popularity_propensity",
    "position_bias_em",
    "position_bias_harvest",
    "position_bias_swap",
    "simplified_dbn",
]


def __dir__() -> list[str]:
    return __all__
