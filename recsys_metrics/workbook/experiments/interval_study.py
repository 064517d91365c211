"""Coverage, width and power of confidence intervals of means and of paired differences.

The users of real evaluations are resampled: their mean, or their mean difference between two
recommenders, is then the truth that an interval of n of them should contain. The program
`dev/tools/interval_study.py` writes the result into `recsys_metrics/data/intervals.csv`.
"""

from __future__ import annotations

import csv
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import beyond_accuracy, ranking
from recsys_metrics._core.confidence_intervals import Ends, of_gain, of_mean
from recsys_metrics.workbook.common.tables import FormattedNumber, Table, table
from recsys_metrics.workbook.experiments.movielens import movielens_experiment

FloatArray = NDArray[np.float64]
Method = Callable[[FloatArray, tuple[float, float]], Ends]
Of = Literal["mean", "difference"]
Figure = Literal["coverage", "width", "power"]

SIZES = (5, 10, 20, 50, 100, 300, 1000)
N_SAMPLES = 4_000
K = 10
LATEST_SMALL = "MovieLens, split by time"
LEAVE_ONE_OUT = "MovieLens 100K, leave-one-out"
BOUNDS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(
        (
            "NDCG",
            "recall",
            "precision",
            "average precision",
            "reciprocal rank",
            "hit rate",
            "serendipity",
            "tail share",
            "diversity",
        ),
        (0.0, 1.0),
    ),
    "novelty": (0.0, math.inf),
}
"""The ten metrics, all at 10, with the bounds of a user's value."""


@dataclass(frozen=True)
class StudyRow:
    """What one method did with samples of one size.

    Attributes
    ----------
    data, of, metric : str
        Whose values, of what, by which metric.
    n : int
        Users in a sample.
    method : str
        "chosen" is what the library computes.
    samples, covered, excluded : int
        Samples, those whose interval contains the truth, and those whose interval excludes 0.
    width : float
        Median width.
    """

    data: str
    of: str
    metric: str
    n: int
    method: str
    samples: int
    covered: int
    excluded: int
    width: float

    @property
    def coverage(self) -> float:
        """Share of intervals that contain the truth."""
        return self.covered / self.samples

    @property
    def power(self) -> float:
        """Share of intervals that exclude 0."""
        return self.excluded / self.samples


COLUMNS = tuple(one.name for one in fields(StudyRow))


# The values of the users ------------------------------------------------------------------------


def values_of_lists(
    lists: Any, truth: Any, popular: Any, counts: NDArray[Any], features: Any, n_users: int
) -> dict[str, FloatArray]:
    """Return each user's value by the ten metrics.

    Parameters
    ----------
    lists, popular : (n, 10) array of int
        What a recommender recommends, and what popularity does.
    truth : sparse (n, n_items) array, or sequence of sets
        What is relevant.
    counts : (n_items,) array of int
        Interactions with each item in the training data, of `n_users` users.
    features : (n_items, n_features) array
        Of the items, for their diversity.
    n_users : int
    """
    judged = ranking.judge(lists, truth)
    found: dict[str, Any] = {
        "NDCG": ranking.ndcg(judged, k=K),
        "recall": ranking.recall(judged, k=K),
        "precision": ranking.precision(judged, k=K),
        "average precision": ranking.average_precision(judged, k=K),
        "reciprocal rank": ranking.reciprocal_rank(judged, k=K),
        "hit rate": ranking.hit_rate(judged, k=K),
        "serendipity": beyond_accuracy.serendipity(lists, truth, popular, k=K),
        "tail share": beyond_accuracy.long_tail_share(lists, counts, of="interactions"),
        "diversity": beyond_accuracy.intra_list_diversity(lists, features=features),
        "novelty": beyond_accuracy.self_information(lists, counts, n_users, unseen="one"),
    }
    return {name: np.asarray(values, np.float64) for name, values in found.items()}


@cache
def movielens_values() -> dict[str, dict[str, FloatArray]]:
    """Return the users' values of EASE and of item kNN on MovieLens, as the chapters split it."""
    data = movielens_experiment()
    lists = data.lists(K)
    n_users, n_items = data.train.n_users, data.truth.shape[1]
    counts = np.bincount(data.train.item, minlength=n_items)
    return {
        name: values_of_lists(
            lists[name], data.truth, lists["popularity"], counts, data.features, n_users
        )
        for name in ("EASE", "item kNN")
    }


# Resampling -------------------------------------------------------------------------------------


def interval_of_means(values: FloatArray, bounds: tuple[float, float]) -> Ends:
    """Return the library's intervals of the mean of each row."""
    return of_mean(*_moments(values), bounds, 0.95)


def interval_of_differences(values: FloatArray, bounds: tuple[float, float]) -> Ends:
    """Return the library's intervals of the mean difference of each row."""
    up, down = (values > 0).sum(axis=1), (values < 0).sum(axis=1)
    return of_gain(*_moments(values), up, down, bounds, 0.95)


def student(values: FloatArray, bounds: tuple[float, float]) -> Ends:
    """Return Student's intervals of the mean of each row."""
    return of_mean(*_moments(values), (-math.inf, math.inf), 0.95)


def _moments(values: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    # Equal numbers have no spread, whatever rounding leaves of it.
    flat = values.max(axis=1) == values.min(axis=1)
    return values.mean(axis=1), np.where(flat, 0.0, values.std(axis=1, ddof=1)), values.shape[1]


CHOSEN: Mapping[Of, Method] = {"mean": interval_of_means, "difference": interval_of_differences}


def compute_rows(
    data: str,
    values: Mapping[str, Mapping[str, FloatArray]],
    of: Of,
    metric: str,
    n: int,
    *,
    methods: Mapping[str, Method] | None = None,
    n_samples: int = N_SAMPLES,
) -> list[StudyRow]:
    """Resample n users many times, and count how often each method's interval is right."""
    new, old = (values[name][metric] for name in ("EASE", "item kNN"))
    users = new if of == "mean" else new - old
    truth = float(users.mean())
    seed = zlib.crc32(f"{data}|{of}|{metric}|{n}".encode())
    samples = np.random.default_rng(seed).choice(users, size=(n_samples, n))
    rows = []
    for method, interval in (
        {"chosen": CHOSEN[of], "Student": student} | {**(methods or {})}
    ).items():
        with np.errstate(invalid="ignore", divide="ignore"):
            low, high = interval(samples, BOUNDS[metric])
        # Values that do not vary give Student's interval no width, at their mean.
        middle = samples.mean(axis=1)
        low, high = np.where(np.isnan(low), middle, low), np.where(np.isnan(high), middle, high)
        covered = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
        excluded = (low > 0) | (high < 0)
        width = float(np.median(high - low))
        counts = int(covered.sum()), int(excluded.sum())
        rows.append(StudyRow(data, of, metric, n, method, len(samples), *counts, round(width, 6)))
    return rows


# What the page shows ----------------------------------------------------------------------------


def read_rows() -> list[StudyRow]:
    """Return the rows that `dev/tools/interval_study.py` wrote."""
    text = files("recsys_metrics").joinpath("data/intervals.csv").read_text(encoding="utf-8")
    return [
        StudyRow(
            row["data"],
            row["of"],
            row["metric"],
            int(row["n"]),
            row["method"],
            int(row["samples"]),
            int(row["covered"]),
            int(row["excluded"]),
            float(row["width"]),
        )
        for row in csv.DictReader(text.splitlines())
    ]


def show(
    figure: Figure, of: Of, data: str = LATEST_SMALL, *, sizes: Sequence[int] = SIZES
) -> Table:
    """Return a figure of the library's intervals and of Student's, a row for each metric.

    Parameters
    ----------
    figure : {"coverage", "width", "power"}
        Coverage and power are written as the library's / Student's; the width is the library's
        over Student's.
    of : {"mean", "difference"}
    data : str
    sizes : sequence of int
    """
    found = {
        (row.metric, row.n, row.method): row
        for row in read_rows()
        if row.data == data and row.of == of
    }

    def cell(metric: str, n: int) -> FormattedNumber:
        ours, theirs = (found[metric, n, method] for method in ("chosen", "Student"))
        if figure == "width":
            ratio = ours.width / theirs.width if theirs.width else math.inf
            return FormattedNumber(f"{ratio:.2f}" if math.isfinite(ratio) else "–")
        one, other = (getattr(row, figure) for row in (ours, theirs))
        return FormattedNumber(f"{one:.3f} / {other:.3f}")

    rows = [(metric, *(cell(metric, n) for n in sizes)) for metric in BOUNDS]
    return table(["Metric at 10", *(f"n = {n:,}" for n in sizes)], rows)
