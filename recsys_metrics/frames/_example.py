"""Files to try `recsys-workbook evaluate` on: two recommenders, on MovieLens or a simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from recsys_metrics import baselines
from recsys_metrics._core.package_names import COMMAND, content_folder
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.datasets import load_movielens
from recsys_metrics.frames._writing import write_table
from recsys_metrics.interactions import Interactions, concatenate
from recsys_metrics.protocol import leave_last_n_out, temporal_split
from recsys_metrics.ranking import rank_from_scores

LIKED = 4.0
_RUN = (
    COMMAND + " evaluate {0}/knn.parquet -t {0}/truth.csv -m ndcg@10 -m coverage@10 "
    "--catalog {1} --compare {0}/popular.csv --groups {0}/groups.csv"
)


def write_example(folder: Path) -> tuple[str, str]:
    """Write tables into a folder and return where they come from and a command to evaluate them.

    The ratings are those of MovieLens, or simulated ones where the package with the data is not
    installed. They are split by time, as in the chapters, and item kNN and popularity recommend ten
    films to each user. `truth.csv` holds the held-out films that were liked, with their ratings,
    `history.parquet` what was liked before, and `groups.csv` who had seen many films.

    Parameters
    ----------
    folder : Path
        Made if it is not there; files of these names are replaced.

    Returns
    -------
    source, command : str
    """
    import polars as pl

    if content_folder() is None:
        source, ratings = "ratings that were simulated", simulated_ratings(seed=0)
    else:
        source, ratings = "ratings of MovieLens", load_movielens().interactions
    train, later = temporal_split(ratings, test_share=1 / 5)
    first_half, hidden = leave_last_n_out(later, share=1 / 2)
    known = concatenate([train, first_half])
    past, met, wanted = (
        part.take(np.asarray(part.rating) >= LIKED) for part in (train, known, hidden)
    )
    users = distinct(wanted.user)
    seen = known.matrix()[users]

    def lists(model: Any) -> Any:
        recommended = rank_from_scores(model.fit(past).scores(users, met), 10, exclude=seen)
        columns = {
            "user": np.repeat(users, 10),
            "item": recommended.ravel(),
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
        write_table(table, folder / name)
    return source, _RUN.format(folder, ratings.n_items)


def simulated_ratings(*, seed: int, n_users: int = 600, n_items: int = 400) -> Interactions:
    """Return ratings of users who prefer one of eight genres, and see popular films more often.

    Parameters
    ----------
    seed : int
    n_users, n_items : int

    Returns
    -------
    Interactions
        About 40 ratings for each user, at times in a year.
    """
    rng = np.random.default_rng(seed)
    genre, favourite = rng.integers(8, size=n_items), rng.integers(8, size=n_users)
    likes = genre == favourite[:, np.newaxis]
    popularity = 1 / np.arange(1, n_items + 1) ** 0.6
    expected = popularity * np.where(likes, 4, 1)
    expected *= 40 / expected.sum(axis=1, keepdims=True)
    user, item = np.nonzero(rng.random(likes.shape) < expected)
    rating = 2.5 + 1.5 * likes[user, item] + rng.normal(0, 0.8, len(user))
    stars = np.clip(np.round(2 * rating) / 2, 0.5, 5)
    when = rng.integers(1_577_836_800, 1_609_459_200, len(user))  # 2020
    return Interactions(user, item, stars, when, n_users=n_users, n_items=n_items)
