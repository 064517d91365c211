"""LensKit, whose discount leaves ranks 1 and 2 whole."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from lenskit.data import ItemList
from lenskit.metrics import ranking

LIBRARY, VERSION = "LensKit", version("lenskit")


def asked(make):
    """Return a callable for a measure of the library."""

    def ask(lists, grades, k):
        values = {}
        for user, row in lists.items():
            relevant = {item: grade for item, grade in grades[user].items() if grade}
            if relevant:
                stars = np.array(list(relevant.values()), dtype=float)
                truth = ItemList(item_ids=list(relevant), rating=stars)
                values[user] = make(n=k).measure_list(ItemList(item_ids=row, ordered=True), truth)
        return values

    return ask


MEASURES = {
    "Hit": asked(ranking.Hit),
    "Precision": asked(ranking.Precision),
    "Recall": asked(ranking.Recall),
    "AveragePrecision": asked(ranking.AveragePrecision),
    "RecipRank": asked(ranking.RecipRank),
    "NDCG": asked(ranking.NDCG),
    "NDCG(gain='rating')": asked(lambda n: ranking.NDCG(n, gain="rating")),
    "DCG": asked(ranking.DCG),
    "DCG(gain='rating')": asked(lambda n: ranking.DCG(n, gain="rating")),
    "RBP": asked(ranking.RBP),
}
