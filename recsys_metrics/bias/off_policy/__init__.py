"""Off-policy evaluation: the value of a target policy, from the log of another policy.

==================================  =======================================================
question                            names
==================================  =======================================================
weighing what was logged            `ips`, `snips`, each also with clipped `weights`
correcting a model of the rewards   `direct_method`, `doubly_robust`; its `weights` may be
                                    self-normalized, switch, or shrink
slates, and very many actions       `slate_ips`, `cascade_doubly_robust`, `pseudo_inverse`,
                                    `marginalized_ips`
all of them, from one reading       `estimates`; each returns an `Estimate`
how far off, over many logs?        `evaluate_estimators`
can this log speak for the policy?  `weight_diagnostics`, `importance_weights`,
                                    `effective_sample_size`
held-out items seen by popularity   `unbiased_recall`, `unbiased_dcg`
==================================  =======================================================

The formula of every estimator stands once, for arrays and for tables.

Stable: names and meanings stay from now on, and the changelog announces any change. The
estimators for slates and embeddings may change.
"""

from recsys_metrics.bias.off_policy._all_estimators import estimates
from recsys_metrics.bias.off_policy._estimate import Estimate
from recsys_metrics.bias.off_policy._estimator_errors import EstimatorErrors, evaluate_estimators
from recsys_metrics.bias.off_policy._importance_weights import (
    WeightDiagnostics,
    effective_sample_size,
    importance_weights,
    weight_diagnostics,
)
from recsys_metrics.bias.off_policy._inverse_propensity import (
    ips,
    snips,
)
from recsys_metrics.bias.off_policy._model_based import (
    direct_method,
    doubly_robust,
)
from recsys_metrics.bias.off_policy._slates import (
    cascade_doubly_robust,
    marginalized_ips,
    pseudo_inverse,
    slate_ips,
)
from recsys_metrics.bias.off_policy._unbiased_ranking import unbiased_dcg, unbiased_recall

__all__ = [
    "Estimate",
    "EstimatorErrors",
    "WeightDiagnostics",
    "cascade_doubly_robust",
    "direct_method",
    "doubly_robust",
    "effective_sample_size",
    "estimates",
    "evaluate_estimators",
    "importance_weights",
    "ips",
    "marginalized_ips",
    "pseudo_inverse",
    "slate_ips",
    "snips",
    "unbiased_dcg",
    "unbiased_recall",
    "weight_diagnostics",
]


def __dir__() -> list[str]:
    return sorted(__all__)
