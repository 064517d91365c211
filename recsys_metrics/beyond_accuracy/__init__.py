"""Beyond accuracy: what lists are like, whether or not they hold what was wanted.

A measure takes what was served: one list of ids, a sequence of lists, a mapping from user to
list, or an array of whole numbers of shape (n, K) with -1 for an empty slot. Measures of a
list give a float for one list and an array for many; measures of the whole give a float.

=============================  ==================================================
file                           holds
=============================  ==================================================
`coverage`                     share of the catalogue and of the users reached
`diversity`                    how different the items of a list are
`novelty`                      how little known they are
`discovery`                    the same, as a reader meets it from the top
`subtopics`                    relevant and varied: alpha-NDCG, intent-aware measures
`attention`                    exposure of items, entropy of what is looked at
`popularity`                   how much more popular than the user's own, long tail
`serendipity`                  hits that a baseline misses, distance from the history
`personalization`              how different the lists of two users are
`concentration`                Gini, Lorenz curve, entropies
`shares`                       mix of categories, and its distance from the user's
=============================  ==================================================
"""

from recsys_metrics.beyond_accuracy.attention import exposure_of_items, rank_biased_entropy
from recsys_metrics.beyond_accuracy.concentration import (
    LorenzCurve,
    gini,
    lorenz_curve,
    score_entropy,
    shannon_entropy,
)
from recsys_metrics.beyond_accuracy.coverage import (
    catalog_coverage,
    times_recommended,
    user_coverage,
)
from recsys_metrics.beyond_accuracy.discovery import (
    expected_free_discovery,
    expected_popularity_complement,
)
from recsys_metrics.beyond_accuracy.diversity import intra_list_diversity
from recsys_metrics.beyond_accuracy.novelty import (
    average_popularity,
    exposure_novelty,
    popularity_complement,
    self_information,
)
from recsys_metrics.beyond_accuracy.personalization import personalization
from recsys_metrics.beyond_accuracy.popularity import long_tail_share, popularity_lift
from recsys_metrics.beyond_accuracy.serendipity import serendipity, unexpectedness
from recsys_metrics.beyond_accuracy.shares import (
    CategoryShares,
    category_shares,
    genre_calibration,
)
from recsys_metrics.beyond_accuracy.subtopics import (
    alpha_ndcg,
    intent_aware_average_precision,
    intent_aware_precision,
    intent_aware_reciprocal_rank,
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
    "genre_calibration",
    "gini",
    "intent_aware_average_precision",
    "intent_aware_precision",
    "intent_aware_reciprocal_rank",
    "intra_list_diversity",
    "long_tail_share",
    "lorenz_curve",
    "personalization",
    "popularity_complement",
    "popularity_lift",
    "rank_biased_entropy",
    "score_entropy",
    "self_information",
    "serendipity",
    "shannon_entropy",
    "subtopic_recall",
    "times_recommended",
    "unexpectedness",
    "user_coverage",
]
