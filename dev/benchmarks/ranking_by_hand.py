"""Ranking metrics as an engineer would write them, without a metric library."""

from __future__ import annotations

from typing import Any

import numpy as np

from dev.benchmarks.runner import Answers, Call, Inputs, plain

K = 10

_SQL = """
WITH hits AS (
    SELECT u, rank, grade, row_number() OVER (PARTITION BY u ORDER BY rank) AS nth
    FROM recommended JOIN wanted USING (u, item) WHERE rank <= 10
), found AS (
    SELECT u, count(*) AS n, min(rank) AS first, sum(nth / rank) AS precisions,
        sum(1 / log2(rank + 1)) AS gain, sum(grade / log2(rank + 1)) AS graded
    FROM hits GROUP BY u
), best AS (
    SELECT u, count(*) AS n, sum(1 / log2(place + 1)) FILTER (place <= 10) AS gain,
        sum(grade / log2(place + 1)) FILTER (place <= 10) AS graded
    FROM (SELECT u, grade, row_number() OVER (PARTITION BY u ORDER BY grade DESC) AS place
          FROM wanted) GROUP BY u
)
SELECT coalesce(f.graded, 0) / b.graded AS ndcg, coalesce(f.gain, 0) / b.gain AS ndcg_binary,
    coalesce(f.n, 0) / b.n AS recall, coalesce(f.n, 0) / 10 AS precision,
    coalesce(1 / f.first, 0) AS rr, coalesce(f.precisions, 0) / b.n AS ap,
    coalesce(f.precisions, 0) / least(b.n, 10) AS ap_achievable,
    CAST(coalesce(f.n, 0) > 0 AS DOUBLE) AS hit_rate
FROM best b LEFT JOIN found f USING (u) ORDER BY u
"""


def with_numpy(inputs: Inputs) -> Call:
    """Look ids up in sorted keys of user and item."""
    items, indptr = inputs["items"], inputs["indptr"]
    relevant, grades = inputs["relevant"], inputs["grades"]

    def run() -> Answers:
        n_users, sizes = len(items), np.diff(indptr)
        n_items = 1 + max(int(items.max()), int(relevant.max()))
        owner = np.repeat(np.arange(n_users), sizes)
        wanted = owner * n_items + relevant
        shown = np.arange(n_users)[:, None] * n_items + items[:, :K]
        at = np.minimum(np.searchsorted(wanted, shown), len(wanted) - 1)
        hits = wanted[at] == shown
        found = hits.sum(axis=1)
        discounts = 1 / np.log2(np.arange(2, K + 2))
        best_first = np.lexsort((-grades, owner))
        place = np.arange(len(owner)) - np.repeat(indptr[:-1], sizes)
        top = place < K
        best = np.bincount(owner[top], grades[best_first][top] * discounts[place[top]], n_users)
        precisions = (hits.cumsum(axis=1) / np.arange(1, K + 1) * hits).sum(axis=1)
        totals = np.concatenate([[0], np.cumsum(discounts)])
        return {
            "ndcg": (grades[at] * hits) @ discounts / best,
            "ndcg_binary": hits @ discounts / totals[np.minimum(sizes, K)],
            "recall": found / sizes,
            "precision": found / K,
            "rr": np.where(found, 1 / (hits.argmax(axis=1) + 1), 0),
            "ap": precisions / sizes,
            "ap_achievable": precisions / np.minimum(sizes, K),
            "hit_rate": (found > 0).astype(float),
        }

    return plain(run)


def with_duckdb(inputs: Inputs) -> Call:
    """Ask in SQL; the tables are DuckDB's own."""
    import duckdb

    connection = duckdb.connect()

    def convert() -> None:
        for name, columns in _long(inputs).items():
            connection.register("columns", columns)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM columns")
            connection.unregister("columns")

    return Call(convert, lambda _: dict(connection.execute(_SQL).fetchnumpy()))


def with_polars(inputs: Inputs) -> Call:
    """Ask by expressions, lazily."""
    import polars as pl

    def convert() -> Any:
        return {
            name: pl.DataFrame({c: np.ascontiguousarray(v) for c, v in columns.items()})
            for name, columns in _long(inputs).items()
        }

    def run(frames: Any) -> Answers:
        recommended, wanted = frames["recommended"].lazy(), frames["wanted"].lazy()
        rank, place, grade = pl.col("rank").cast(float), pl.col("place"), pl.col("grade")
        found = (
            recommended.filter(pl.col("rank") <= K)
            .join(wanted, on=["u", "item"])
            .sort("u", "rank")
            .with_columns(nth=pl.int_range(1, pl.len() + 1).over("u"))
            .group_by("u")
            .agg(
                hits=pl.len(),
                first=rank.min(),
                precisions=(pl.col("nth") / rank).sum(),
                gain=(1 / (rank + 1).log(2)).sum(),
                graded=(grade / (rank + 1).log(2)).sum(),
            )
        )
        best = (
            wanted.sort("u", "grade", descending=[False, True])
            .with_columns(place=pl.int_range(1, pl.len() + 1).over("u"))
            .group_by("u")
            .agg(
                n=pl.len(),
                best=(1 / (place + 1).log(2)).filter(place <= K).sum(),
                best_graded=(grade / (place + 1).log(2)).filter(place <= K).sum(),
            )
        )
        n, hits = pl.col("n").cast(float), pl.col("hits").fill_null(0).cast(float)
        precisions = pl.col("precisions").fill_null(0)
        table = (
            best.join(found, on="u", how="left")
            .sort("u")
            .select(
                ndcg=pl.col("graded").fill_null(0) / pl.col("best_graded"),
                ndcg_binary=pl.col("gain").fill_null(0) / pl.col("best"),
                recall=hits / n,
                precision=hits / K,
                rr=(1 / pl.col("first")).fill_null(0),
                ap=precisions / n,
                ap_achievable=precisions / pl.min_horizontal(n, pl.lit(float(K))),
                hit_rate=(hits > 0).cast(float),
            )
            .collect()
        )
        return {name: table[name].to_numpy() for name in table.columns}

    return Call(convert, run)


def with_scikit_learn(inputs: Inputs) -> Call:
    """Ask for dense rows over the whole catalogue, in blocks of users."""
    from sklearn.metrics import ndcg_score

    items, indptr = inputs["items"], inputs["indptr"]

    def run() -> Answers:
        n_users, depth = items.shape
        n_items = 1 + max(int(items.max()), int(inputs["relevant"].max()))
        values = np.empty(n_users)
        for user in range(n_users):
            truth, scores = np.zeros((1, n_items)), np.zeros((1, n_items))
            here = slice(indptr[user], indptr[user + 1])
            truth[0, inputs["relevant"][here]] = inputs["grades"][here]
            scores[0, items[user]] = np.arange(depth, 0, -1)
            values[user] = ndcg_score(truth, scores, k=K, ignore_ties=True)
        return {"ndcg": values}

    return plain(run)


def _long(inputs: Inputs) -> dict[str, dict[str, Any]]:
    """Return a row per recommendation and one per relevant item."""
    items, sizes = inputs["items"], np.diff(inputs["indptr"])
    n_users, depth = items.shape
    users = np.arange(n_users, dtype=np.int32)
    return {
        "recommended": {
            "u": np.repeat(users, depth),
            "rank": np.tile(np.arange(1, depth + 1, dtype=np.int32), n_users),
            "item": items.reshape(-1),
        },
        "wanted": {
            "u": np.repeat(users, sizes),
            "item": inputs["relevant"],
            "grade": inputs["grades"],
        },
    }
