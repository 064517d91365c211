"""Files to try `recsys-workbook evaluate` on: two recommenders on MovieLens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from recsys_metrics import baselines
from recsys_metrics._distribution import COMMAND
from recsys_metrics._sorted import distinct
from recsys_metrics.datasets import load_movielens
from recsys_metrics.frames._writing import write
from recsys_metrics.interactions import concatenate
from recsys_metrics.protocol import leave_last_out, temporal_split
from recsys_metrics.ranking import rank_from_scores

LIKED = 4.0
_RUN = (
    COMMAND + " evaluate {0}/knn.parquet -t {0}/truth.csv -m ndcg@10 -m coverage@10 "
    "--catalog {1} --compare {0}/popular.csv --groups {0}/groups.csv"
)


def write_example(folder: Path) -> str:
    """Write tables of MovieLens into a folder and return a command that evaluates them.

    The events are cut by time, as in the chapters, and item kNN and popularity name ten films
    for each user. `truth.csv` holds the hidden films that were liked, with their stars,
    `history.parquet` what was liked before, and `groups.csv` who had seen many films.

    Parameters
    ----------
    folder : Path
        Made if it is not there; files of these names are replaced.

    Returns
    -------
    str
    """
    import polars as pl

    films = load_movielens()
    train, later = temporal_split(films.interactions, test_share=1 / 5)
    first_half, hidden = leave_last_out(later, share=1 / 2)
    known = concatenate([train, first_half])
    past, met, wanted = (
        part.take(np.asarray(part.rating) >= LIKED) for part in (train, known, hidden)
    )
    users = distinct(wanted.user)
    seen = known.matrix()[users]

    def lists(model: Any) -> Any:
        served = rank_from_scores(model.fit(past).scores(users, met), 10, exclude=seen)
        columns = {
            "user": np.repeat(users, 10),
            "item": served.ravel(),
            "rank": np.tile(np.arange(1, 11), len(users)),
        }
        return pl.DataFrame(columns).filter(pl.col("item") >= 0)

    rated = np.asarray(seen.sum(axis=1)).ravel()
    many = np.where(rated > np.median(rated), "knows many", "knows few")
    tables = {
        "knn.parquet": lists(baselines.ItemKNN()),
        "popular.csv": lists(baselines.Popularity()),
        "truth.csv": pl.DataFrame(
            {"user": wanted.user, "item": wanted.item, "grade": wanted.rating}
        ),
        "history.parquet": pl.DataFrame({"user": met.user, "item": met.item}),
        "groups.csv": pl.DataFrame({"user": users, "group": many}),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        write(table, folder / name)
    return _RUN.format(folder, films.interactions.n_items)
