"""What would another policy have earned? Estimates from a log that one policy made.

=============================  ==================================================
file                           holds
=============================  ==================================================
`weighting`                    IPS, clipped IPS, SNIPS
`modelled`                     direct method, doubly robust, and their kin
`together`                     all of them, from one reading of the log
`shrinkage`                    DRos, sub-Gaussian: large weights made smaller, smoothly
`estimate`                     `Estimate`, weights and their diagnostics
`missing`                      unbiased recall and DCG
=============================  ==================================================
"""

from recsys_metrics.bias.off_policy.estimate import (
    Estimate,
    WeightDiagnostics,
    effective_sample_size,
    importance_weights,
    weight_diagnostics,
)
from recsys_metrics.bias.off_policy.missing import unbiased_dcg, unbiased_recall
from recsys_metrics.bias.off_policy.modelled import (
    direct_method,
    doubly_robust,
    self_normalized_doubly_robust,
    switch_doubly_robust,
)
from recsys_metrics.bias.off_policy.shrinkage import (
    shrinkage_doubly_robust,
    subgaussian_doubly_robust,
    subgaussian_ips,
)
from recsys_metrics.bias.off_policy.together import estimates
from recsys_metrics.bias.off_policy.weighting import clipped_ips, ips, snips

__all__ = [
    "Estimate",
    "WeightDiagnostics",
    "clipped_ips",
    "direct_method",
    "doubly_robust",
    "effective_sample_size",
    "estimates",
    "importance_weights",
    "ips",
    "self_normalized_doubly_robust",
    "shrinkage_doubly_robust",
    "snips",
    "subgaussian_doubly_robust",
    "subgaussian_ips",
    "switch_doubly_robust",
    "unbiased_dcg",
    "unbiased_recall",
    "weight_diagnostics",
]
