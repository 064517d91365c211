"""Files to try `recsys-workbook evaluate` on: two recommenders of a simulated shop."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from recsys_metrics import baselines
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.datasets import simulate_shop_log
from recsys_metrics.frames._writing import write_table
from recsys_metrics.protocol import temporal_split
from recsys_metrics.ranking import rank_from_scores

_RUN = (
    COMMAND + " evaluate {0}/knn.parquet -t {0}/truth.csv -m ndcg@10 -m coverage@10 "
    "-m diversity@10 --catalog {1} --features {0}/categories.csv --compare {0}/popular.csv "
    "--groups {0}/groups.csv"
)


def write_example(folder: Path) -> tuple[str, str]:
    """Write tables into a folder and return where they come from and a command to evaluate them.

    The clicks are those of a simulated shop (`datasets.simulate_shop_log`), which is free for any
    use, and they are split by time. Item kNN and popularity recommend ten items to each customer.
    `truth.csv` holds the items that a customer clicked (grade 1) or bought (grade 2) for the first
    time in the test period, `history.parquet` the clicks before it, `categories.csv` the
    categories of the items, and `groups.csv` the segments of the customers.

    Parameters
    ----------
    folder : Path
        Made if it is not there; files of these names are replaced.

    Returns
    -------
    source, command : str
    """
    import polars as pl

    log = simulate_shop_log(n_customers=1_000, n_slots=10, personalization=2.0, seed=0)
    clicks, customers, items = log.clicks()
    past, later = temporal_split(clicks, test_share=1 / 4)
    met = past.matrix()
    hidden = later.take(np.asarray(met[later.user, later.item]).ravel() == 0)
    users = distinct(hidden.user)
    user_ids, item_ids = np.array(customers), np.array(items)

    def lists(model: Any) -> Any:
        recommended = rank_from_scores(model.fit(past).scores(users, past), 10, exclude=met[users])
        columns = {
            "customer": np.repeat(user_ids[users], 10),
            "sku": item_ids[recommended.ravel()],
            "rank": np.tile(np.arange(1, 11), len(users)),
        }
        return pl.DataFrame(columns)

    shown = log.to_frame(backend="polars").filter(pl.col("clicked") == 1)
    test = pl.DataFrame({"customer": user_ids[hidden.user], "sku": item_ids[hidden.item]}).unique()
    start = np.datetime64(int(np.asarray(hidden.timestamp).min()), "s")
    grades = shown.filter(pl.col("when") >= start).group_by("customer", "sku")
    grades = grades.agg(grade=pl.col("purchased").max() + 1)
    tables = {
        "knn.parquet": lists(baselines.ItemKNN()),
        "popular.csv": lists(baselines.Popularity()),
        "truth.csv": grades.join(test, on=["customer", "sku"]).sort("customer", "sku"),
        "history.parquet": shown.filter(pl.col("when") < start).select("customer", "sku", "when"),
        "categories.csv": log.to_frame("catalog", backend="polars").select("sku", "category"),
        "groups.csv": pl.DataFrame(
            {"customer": user_ids[users], "group": log.customers["segment"][users]}
        ),
    }
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".example.", dir=folder) as drafts:
        written = {folder / name: Path(drafts, name) for name in tables}
        for name, table in tables.items():
            write_table(table, Path(drafts, name))
        there = [each for each in written if each.exists() and not each.is_symlink()]
        # All of them are an example that was written earlier; some are files of the user's.
        if there and (len(there) < len(written) or any(each.is_dir() for each in there)):
            raise FileExistsError(
                f"{there[0]} is there already and stays as it is; name another folder"
            )
        for target, draft in written.items():
            draft.replace(target)
    return "clicks of a simulated shop", _RUN.format(folder, clicks.n_items)
