"""Fairness: users and items by group, with gaps, ratios and intervals.

=============================  ==================================================
file                           holds
=============================  ==================================================
`_rates`                       demographic parity, equal opportunity, equalized odds
`_parity`                      the same of ranked lists over groups of items: RSP, REO
`_exposure`                    exposure by group, AWRF, NDKL: fairness of ranked lists
`_prefixes`                    enough protected items in every prefix: FA*IR
`_amortized`                   attention against relevance, item by item, over many lists
`_strata`                      any measure by group; head and tail of the catalogue
`_report`                      `GroupReport`
=============================  ==================================================

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.bias.fairness._amortized import AmortizedAttention, amortized_attention
from recsys_metrics.bias.fairness._by_group import by_group, head_tail, restrict_relevant
from recsys_metrics.bias.fairness._classification_parity import (
    EqualizedOdds,
    demographic_parity,
    equal_opportunity,
    equalized_odds,
)
from recsys_metrics.bias.fairness._exposure import (
    attention_weighted_rank_fairness,
    exposure_by_group,
    ndkl,
)
from recsys_metrics.bias.fairness._prefixes import FairPrefixes, fa_ir_test
from recsys_metrics.bias.fairness._ranking_parity import (
    ranking_equal_opportunity,
    ranking_statistical_parity,
)
from recsys_metrics.bias.fairness._report import GroupReport

__all__ = [
    "AmortizedAttention",
    "EqualizedOdds",
    "FairPrefixes",
    "GroupReport",
    "amortized_attention",
    "attention_weighted_rank_fairness",
    "by_group",
    "demographic_parity",
    "equal_opportunity",
    "equalized_odds",
    "exposure_by_group",
    "fa_ir_test",
    "head_tail",
    "ndkl",
    "ranking_equal_opportunity",
    "ranking_statistical_parity",
    "restrict_relevant",
]


def __dir__() -> list[str]:
    return __all__
