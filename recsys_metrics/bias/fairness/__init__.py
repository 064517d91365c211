"""Good for whom? Users and items by group, with gaps, ratios and intervals.

=============================  ==================================================
file                           holds
=============================  ==================================================
`rates`                        demographic parity, equal opportunity
`exposure`                     exposure by group, AWRF, NDKL: fairness of ranked lists
`strata`                       any measure by group; head and tail of the catalogue
`report`                       `GroupReport`
=============================  ==================================================
"""

from recsys_metrics.bias.fairness.exposure import (
    attention_weighted_rank_fairness,
    exposure_by_group,
    ndkl,
)
from recsys_metrics.bias.fairness.rates import demographic_parity, equal_opportunity
from recsys_metrics.bias.fairness.report import GroupReport
from recsys_metrics.bias.fairness.strata import by_group, head_tail, restrict_relevant

__all__ = [
    "GroupReport",
    "attention_weighted_rank_fairness",
    "by_group",
    "demographic_parity",
    "equal_opportunity",
    "exposure_by_group",
    "head_tail",
    "ndkl",
    "restrict_relevant",
]
