"""RecTools: frames in, a value per user out."""

from __future__ import annotations

from importlib.metadata import version

import pandas
from rectools import metrics

LIBRARY, VERSION = "RecTools", version("rectools")


def asked(make):
    """Return a callable for a measure of the library."""

    def ask(lists, grades, k):
        recommended = [
            (user, item, rank)
            for user, row in lists.items()
            for rank, item in enumerate(row, start=1)
        ]
        relevant = [(u, item) for u, row in grades.items() for item, grade in row.items() if grade]
        measure = make(k=k)
        values = measure.calc_per_user(
            pandas.DataFrame(recommended, columns=["user_id", "item_id", "rank"]),
            pandas.DataFrame(relevant, columns=["user_id", "item_id"]),
        )
        return values.to_dict()

    return ask


MEASURES = {
    "HitRate": asked(metrics.HitRate),
    "Precision": asked(metrics.Precision),
    "Precision(r_precision=True)": asked(lambda k: metrics.Precision(k, r_precision=True)),
    "Recall": asked(metrics.Recall),
    "F1Beta": asked(metrics.F1Beta),
    "MAP": asked(metrics.MAP),
    "MAP(divide_by_k=True)": asked(lambda k: metrics.MAP(k, divide_by_k=True)),
    "MRR": asked(metrics.MRR),
    "NDCG": asked(metrics.NDCG),
    "NDCG(divide_by_achievable=True)": asked(lambda k: metrics.NDCG(k, divide_by_achievable=True)),
}
