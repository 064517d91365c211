"""Judges that are models, and lists that models write: what may be concluded from them.

=======================  ==================================================
file                     holds
=======================  ==================================================
`_prediction_powered`    a metric from few human and many machine labels
`_agreement`             agreement of a judge with people
`_order`                 how much an answer depends on the order of what is judged
`_generated_lists`       items that do not exist, repeats, answers that cannot be read
`_variance_components`   the variance between users and between runs
=======================  ==================================================

No function calls a model. They take labels, choices and lists that were collected before.

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.protocol.judges._agreement import JudgeAgreement, agreement, cohen_kappa
from recsys_metrics.protocol.judges._generated_lists import (
    ListValidity,
    drop_faults,
    list_validity,
    replace_faults,
)
from recsys_metrics.protocol.judges._order import (
    OrderSensitivity,
    PlaceShares,
    list_overlap,
    order_sensitivity,
    place_shares,
)
from recsys_metrics.protocol.judges._prediction_powered import (
    PredictionPowered,
    prediction_powered_gain,
    prediction_powered_mean,
)
from recsys_metrics.protocol.judges._variance_components import (
    VarianceComponents,
    variance_components,
)

__all__ = [
    "JudgeAgreement",
    "ListValidity",
    "OrderSensitivity",
    "PlaceShares",
    "PredictionPowered",
    "VarianceComponents",
    "agreement",
    "cohen_kappa",
    "drop_faults",
    "list_overlap",
    "list_validity",
    "order_sensitivity",
    "place_shares",
    "prediction_powered_gain",
    "prediction_powered_mean",
    "replace_faults",
    "variance_components",
]


def __dir__() -> list[str]:
    return __all__
