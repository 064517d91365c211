"""Measure coverage, width and power of intervals; write `data/intervals.csv` and a report.

    pip download --no-deps recbole==1.2.0
    python dev/tools/interval_study.py recbole-1.2.0-py3-none-any.whl

Users of MovieLens latest-small, as the chapters split it, come with the workbook. The second data
set is MovieLens 100K (leave-one-out, so that most values are 0), which RecBole's wheel contains; it
is read and not kept. `recsys_metrics/data/intervals.csv` gets the library's intervals and
Student's, `dev/intervals.md` all methods that were compared. It takes about ten minutes.
"""

from __future__ import annotations

import argparse
import csv
import zipfile
from dataclasses import astuple
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr, ndtri, stdtrit

from recsys_metrics import baselines
from recsys_metrics._core.confidence_intervals import Ends
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leave_last_n_out
from recsys_metrics.workbook.experiments import interval_study as study

ROOT = Path(__file__).parents[2]
DATA = ROOT / "recsys_metrics" / "data" / "intervals.csv"
REPORT = ROOT / "dev" / "intervals.md"
INSIDE = "recbole/dataset_example/ml-100k/ml-100k."
Z = float(ndtri(0.975))
# The slow methods get fewer samples and sizes.
_N_RESAMPLES, _LARGEST = 999, 300
FloatArray = NDArray[np.float64]


def leave_one_out_values(wheel: Path) -> dict[str, dict[str, FloatArray]]:
    """Return the users' values on MovieLens 100K, the last rating of each user held out."""
    with zipfile.ZipFile(wheel) as archive:
        rows = archive.read(f"{INSIDE}inter").decode().splitlines()[1:]
        items = archive.read(f"{INSIDE}item").decode().splitlines()[1:]
    table = np.array([row.split("\t") for row in rows], dtype=np.float64)
    user, item = table[:, :2].astype(np.int64).T
    ratings, _, item_ids = Interactions.from_ids(
        user.tolist(), item.tolist(), table[:, 2], table[:, 3].astype(np.int64)
    )
    train, test = leave_last_n_out(ratings)
    n_users, n_items = ratings.n_users, ratings.n_items
    seen = sparse.csr_matrix(
        (np.ones(len(train.user)), (train.user, train.item)), shape=(n_users, n_items)
    )
    truth = [{item} for _, item in sorted(zip(test.user.tolist(), test.item.tolist(), strict=True))]
    counts = np.bincount(train.item, minlength=n_items)
    lists = {}
    models = {
        "popularity": baselines.Popularity(),
        "item kNN": baselines.ItemKNN(),
        "EASE": baselines.EASE(),
    }
    for name, model in models.items():
        scores = np.array(model.fit(train).scores(np.arange(n_users), train), dtype=np.float64)
        scores[seen.nonzero()] = -np.inf
        lists[name] = np.argsort(-scores, axis=1, kind="stable")[:, : study.K]
    features = _genres([row.split("\t") for row in items], item_ids)
    return {
        name: study.values_of_lists(
            lists[name], truth, lists["popularity"], counts, features, n_users
        )
        for name in ("EASE", "item kNN")
    }


def _genres(items: list[list[str]], item_ids: Any) -> FloatArray:
    of_item = {int(fields[0]): fields[-1].split() for fields in items}
    names = sorted({genre for genres in of_item.values() for genre in genres})
    features = np.zeros((len(item_ids), len(names) + 1))
    for row, item in enumerate(item_ids):
        for genre in of_item.get(int(item), []):
            features[row, names.index(genre)] = 1
    features[features.sum(axis=1) == 0, -1] = 1
    return features


# The methods that were not chosen ---------------------------------------------------------------


def hall(values: FloatArray, bounds: tuple[float, float]) -> Ends:
    """Return Hall's (1992) transformed interval, which corrects for skewness."""
    n = values.shape[1]
    mean, spread = values.mean(axis=1), np.maximum(values.std(axis=1, ddof=1), 1e-12)
    skewness = ((values - mean[:, None]) ** 3).mean(axis=1) / spread**3
    root, t = np.sqrt(n), float(stdtrit(n - 1, 0.975))

    def inverse(y: float) -> FloatArray:
        shifted = y - skewness / (6 * root)
        third = skewness / (3 * root)
        with np.errstate(all="ignore"):
            found = (np.cbrt(1 + 3 * third * shifted) - 1) / third
        return np.where(np.abs(skewness) < 1e-9, y, found)

    return mean - inverse(t) * spread / root, mean - inverse(-t) * spread / root


@cache
def _weights(n: int) -> FloatArray:
    return np.random.default_rng(5).multinomial(n, np.full(n, 1 / n), _N_RESAMPLES).astype(float)


def bootstrap_t(values: FloatArray, bounds: tuple[float, float]) -> Ends:
    """Return the bootstrap-t interval."""
    n, weights = values.shape[1], _weights(values.shape[1])
    mean, spread = values.mean(axis=1), values.std(axis=1, ddof=1)
    means = values @ weights.T / n
    variances = (values * values) @ weights.T / n - means**2
    # A resample of equal values has no spread of its own.
    variances = np.maximum(variances, (spread**2)[:, None] / (4 * n)) + 1e-18
    tails = np.quantile((means - mean[:, None]) / np.sqrt(variances / (n - 1)), [0.025, 0.975], 1)
    error = spread / np.sqrt(n)
    return mean - tails[1] * error, mean - tails[0] * error


def bca(values: FloatArray, bounds: tuple[float, float]) -> Ends:
    """Return the BCa bootstrap interval."""
    n, weights = values.shape[1], _weights(values.shape[1])
    mean = values.mean(axis=1)
    means = np.sort(values @ weights.T / n, axis=1)
    below = ((means < mean[:, None]).mean(axis=1) + (means <= mean[:, None]).mean(axis=1)) / 2
    bias = ndtri(np.clip(below, 1 / _N_RESAMPLES, 1 - 1 / _N_RESAMPLES))
    apart = values - mean[:, None]
    skew = (apart**3).sum(axis=1) / (6 * np.maximum((apart**2).sum(axis=1), 1e-18) ** 1.5)
    ends = []
    for z in (-Z, Z):
        share = ndtr(bias + (bias + z) / (1 - skew * (bias + z)))
        place = np.clip((share * _N_RESAMPLES).astype(int), 0, _N_RESAMPLES - 1)
        ends.append(means[np.arange(len(means)), place])
    return ends[0], ends[1]


def betting(values: FloatArray, bounds: tuple[float, float]) -> Ends:
    """Return Waudby-Smith and Ramdas's (2024) hedged-capital interval, on a grid."""
    least, most = (-1.0, 1.0) if values.min() < 0 else bounds
    scaled = (values - least) / (most - least)
    n = scaled.shape[1]
    sums, places = np.cumsum(scaled, axis=1), np.arange(1, n + 1)
    means = (0.5 + sums) / (places + 1)
    spread = (0.25 + np.cumsum((scaled - means) ** 2, axis=1)) / (places + 1)
    before = np.concatenate([np.full((len(scaled), 1), 0.25), spread[:, :-1]], axis=1)
    bets = np.sqrt(2 * np.log(2 / 0.05) / (n * before))
    grid = np.linspace(0.0005, 0.9995, 600)
    ends = np.empty((2, len(scaled)))
    for row, (bet, x) in enumerate(zip(bets, scaled, strict=True)):
        gain = x[:, None] - grid
        up = np.cumsum(np.log1p(np.minimum(bet[:, None], 0.5 / grid) * gain), axis=0)
        down = np.cumsum(np.log1p(-np.minimum(bet[:, None], 0.5 / (1 - grid)) * gain), axis=0)
        inside = grid[(np.maximum(up, down) + np.log(0.5)).max(axis=0) < np.log(1 / 0.05)]
        inside = inside if len(inside) else np.array([x.mean()])
        ends[:, row] = inside[0] - 1 / 600, inside[-1] + 1 / 600
    return least + (most - least) * ends[0], least + (most - least) * ends[1]


ALTERNATIVES = {"Hall": hall, "bootstrap-t": bootstrap_t, "BCa": bca}


def all_rows(data: str, values: dict[str, dict[str, FloatArray]]) -> list[study.StudyRow]:
    """Return the rows of one data set."""
    rows = []
    for of in study.CHOSEN:
        for metric in study.BOUNDS:
            for n in study.SIZES:
                compute = partial(study.compute_rows, data, values, of, metric, n)
                rows += compute(methods=ALTERNATIVES if n <= _LARGEST else None)
                # Betting needs bounds, and a loop over the samples.
                if n <= _LARGEST and metric != "novelty":
                    few = compute(methods={"betting": betting}, n_samples=150)
                    rows += [row for row in few if row.method == "betting"]
            print(f"{data}: {of} of {metric}", flush=True)
    return rows


# The report -------------------------------------------------------------------------------------


def report(rows: list[study.StudyRow]) -> str:
    """Return all methods as Markdown tables."""
    parts = [
        "# Confidence intervals that were compared",
        "Written by `dev/tools/interval_study.py`; the page on intervals shows the chosen ones. "
        "Each cell has the coverage of 95% intervals, the median width divided by that of "
        "Student's interval, and for differences the share of intervals that exclude 0 (EASE minus "
        f"item kNN), over {study.N_SAMPLES:,} samples of n users, drawn with replacement (betting: "
        "150).",
    ]
    for data in dict.fromkeys(row.data for row in rows):
        for of in study.CHOSEN:
            chosen = [row for row in rows if row.data == data and row.of == of]
            methods = list(dict.fromkeys(row.method for row in chosen))
            parts.append(f"## {data}: {of}s")
            lines = ["| metric | n | " + " | ".join(methods) + " |"]
            lines.append("| --- " * (2 + len(methods)) + "|")
            for metric in study.BOUNDS:
                for n in study.SIZES:
                    here = {r.method: r for r in chosen if (r.metric, r.n) == (metric, n)}
                    cells = [_cell(here.get(name), here["Student"], of) for name in methods]
                    lines.append(f"| {metric} | {n:,} | " + " | ".join(cells) + " |")
            parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _cell(row: study.StudyRow | None, student: study.StudyRow, of: str) -> str:
    if row is None:
        return ""
    width = f"{row.width / student.width:.2f}" if student.width else "–"
    return f"{row.coverage:.3f}, {width}" + (f", {row.power:.3f}" if of == "difference" else "")


def main() -> None:
    """Write the data file and the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path, help="recbole-1.2.0-py3-none-any.whl")
    wheel = parser.parse_args().wheel
    rows = all_rows(study.LATEST_SMALL, study.movielens_values())
    rows += all_rows(study.LEAVE_ONE_OUT, leave_one_out_values(wheel))
    with DATA.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(study.COLUMNS)
        writer.writerows(astuple(row) for row in rows if row.method in ("chosen", "Student"))
    REPORT.write_text(report(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
