"""Beyond accuracy: coverage, diversity, novelty, serendipity and concentration of lists.

A measure takes what was recommended: one list of ids, a sequence of lists, a mapping from user to
list, or an array of whole numbers of shape (n, K) with -1 for an empty slot. Measures of a
list give a float for one list and an array for many; measures of the whole give a float.

=============================  ==================================================
file                           holds
=============================  ==================================================
`_coverage`                    share of the catalogue and of the users reached
`_diversity`                   how different the items of a list are
`_novelty`                     how little known they are
`_discovery`                   the same, as a reader meets it from the top
`_subtopics`                   relevant and varied: alpha-NDCG, intent-aware measures
`_attention`                   exposure of items, entropy of what is looked at
`_popularity`                  how much more popular than the user's own, long tail
`_serendipity`                 hits that a baseline misses or ranks lower, distance from the history
`_personalization`             how different the lists of two users are
`_concentration`               Gini, Lorenz curve, entropies
`_shares`                      mix of categories, and its distance from the user's
`_trade_off`                   F-beta of any two measures
=============================  ==================================================

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.beyond_accuracy._attention import exposure_of_items, rank_biased_entropy
from recsys_metrics.beyond_accuracy._category_shares import (
    CategoryShares,
    category_shares,
    genre_calibration,
    unique_category_share,
)
from recsys_metrics.beyond_accuracy._concentration import (
    LorenzCurve,
    gini,
    lorenz_curve,
    score_entropy,
    shannon_entropy,
)
from recsys_metrics.beyond_accuracy._coverage import (
    catalog_coverage,
    recommendation_counts,
    user_coverage,
)
from recsys_metrics.beyond_accuracy._discounted_novelty import (
    expected_free_discovery,
    expected_popularity_complement,
)
from recsys_metrics.beyond_accuracy._diversity import intra_list_diversity
from recsys_metrics.beyond_accuracy._f_beta_score import f_beta_score
from recsys_metrics.beyond_accuracy._novelty import (
    average_popularity,
    exposure_novelty,
    popularity_complement,
    self_information,
    unseen_share,
)
from recsys_metrics.beyond_accuracy._personalization import personalization
from recsys_metrics.beyond_accuracy._popularity import long_tail_share, popularity_lift
from recsys_metrics.beyond_accuracy._serendipity import (
    popularity_serendipity,
    serendipity,
    unexpectedness,
)
from recsys_metrics.beyond_accuracy._subtopics import (
    alpha_ndcg,
    intent_aware_average_precision,
    intent_aware_expected_reciprocal_rank,
    intent_aware_precision,
    subtopic_recall,
)

__all__ = [
    "CategoryShares",
    "LorenzCurve",
    "alpha_ndcg",
    "average_popularity",
    "catalog_coverage",
    "category_shares",
    "expected_free_discovery",
    "expected_popularity_complement",
    "exposure_novelty",
    "exposure_of_items",
    "f_beta_score",
    "genre_calibration",
    "gini",
    "intent_aware_average_precision",
    "intent_aware_expected_reciprocal_rank",
    "intent_aware_precision",
    "intra_list_diversity",
    "long_tail_share",
    "lorenz_curve",
    "personalization",
    "popularity_complement",
    "popularity_lift",
    "popularity_serendipity",
    "rank_biased_entropy",
    "recommendation_counts",
    "score_entropy",
    "self_information",
    "serendipity",
    "shannon_entropy",
    "subtopic_recall",
    "unexpectedness",
    "unique_category_share",
    "unseen_share",
    "user_coverage",
]


def __dir__() -> list[str]:
    return __all__
