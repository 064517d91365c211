"""Which rows belong to which users: each engine sorts that out in its own way.

A small table becomes one block. A larger one is parted by a hash of the user, on disk, and read a
part at a time. Spark keeps the parts where they are, and evaluates them there.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from recsys_metrics._core.inputs.engines import engine_errors
from recsys_metrics.evaluation import Evaluation
from recsys_metrics.frames._blocks import Block, BlockEvaluator
from recsys_metrics.frames._queries import collect, engine_name

# So many rows of lists and relevant items are one block.
BLOCK_ROWS = 2_000_000
_MOST_PARTS = 250

Tables = Mapping[str, nw.LazyFrame[Any]]


def evaluate_blocks(tables: Tables, evaluator: BlockEvaluator, n_rows: int) -> Evaluation:
    """Return the evaluation of all users, in any order.

    Parameters
    ----------
    tables : mapping
        `lists`, `truth` and perhaps `lengths` and `history`, of one engine.
    evaluator : BlockEvaluator
    n_rows : int
        How many rows they have together.

    Raises
    ------
    RepeatError
        If a user has an item twice, or two items at one rank.
    EngineError
        If the engine cannot run a query.
    """
    n_parts = min(_MOST_PARTS, 1 + n_rows // BLOCK_ROWS)
    implementation = tables["lists"].implementation
    if implementation.is_pyspark():
        return _on_spark(tables, evaluator, n_parts)
    if n_parts == 1 or not (implementation.is_polars() or implementation.is_duckdb()):
        return evaluator.of([{name: collect(table).to_polars() for name, table in tables.items()}])
    with tempfile.TemporaryDirectory(prefix="recsys-") as folder:
        return evaluator.of(_parts(tables, Path(folder), n_parts))


def _parts(tables: Tables, folder: Path, n_parts: int) -> Iterator[Block]:
    """Write each table in parts, and yield one part of all after another."""
    for name, table in tables.items():
        with engine_errors(engine_name(table)):
            if table.implementation.is_polars():
                native: Any = table.to_native()
                part = (pl.col("user").hash() % n_parts).cast(pl.UInt8)
                native.with_columns(part=part).sink_parquet(
                    pl.PartitionBy(folder / name, key="part", include_key=False),
                    compression="uncompressed",
                    statistics=False,
                    mkdir=True,
                )
            else:
                columns = ", ".join(f'"{column}"' for column in table.collect_schema().names())
                table.to_native().project(
                    f'{columns}, (hash("user") % {n_parts})::UTINYINT AS part'
                ).write_parquet(
                    str(folder / name), partition_by=["part"], compression="uncompressed"
                )
    empty = {name: collect(table.head(0)).to_polars() for name, table in tables.items()}
    for part in range(n_parts):
        yield {name: _read_part(folder / name, part, empty[name]) for name in tables}


def _read_part(folder: Path, part: int, empty: pl.DataFrame) -> pl.DataFrame:
    files = sorted((folder / f"part={part}").glob("*.parquet"))
    return pl.read_parquet(files, glob=False, hive_partitioning=False) if files else empty


# Spark --------------------------------------------------------------------------------------------

_SIDE = "side of the block"


def _on_spark(tables: Tables, evaluator: BlockEvaluator, n_parts: int) -> Evaluation:
    """Evaluate each part in the worker that holds it; what an evaluation keeps comes back."""
    from pyspark.sql import functions

    columns = {name: table.collect_schema().names() for name, table in tables.items()}
    natives: dict[str, Any] = {name: table.to_native() for name, table in tables.items()}
    types = {column: kind for native in natives.values() for column, kind in native.dtypes}
    sides = [
        native.select(
            functions.lit(name).alias(_SIDE),
            *(
                functions.col(column)
                if column in columns[name]
                else functions.lit(None).cast(kind).alias(column)
                for column, kind in types.items()
            ),
        )
        for name, native in natives.items()
    ]
    rows = reduce(lambda one, other: one.unionByName(other), sides)
    n_parts = max(n_parts, rows.sparkSession.sparkContext.defaultParallelism)
    with engine_errors(engine_name(tables["lists"])):
        found = (
            rows.repartition(n_parts, "user")
            .mapInArrow(_worker(evaluator, columns), "state binary")
            .collect()
        )
    evaluation = evaluator.start()
    for row in found:
        part = pickle.loads(row["state"])
        if isinstance(part, Exception):
            raise part
        evaluation.merge(part)
    return evaluation


def _worker(evaluator: BlockEvaluator, columns: Mapping[str, list[str]]) -> Any:
    """Return what a worker does with the rows of its users."""

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        arrow: Any = import_module("pyarrow")
        arrived = [*batches]
        if not arrived:
            return
        rows = pl.from_arrow(arrow.Table.from_batches(arrived))
        assert isinstance(rows, pl.DataFrame)
        block = {
            name: rows.filter(pl.col(_SIDE) == name).select(there)
            for name, there in columns.items()
        }
        state: Evaluation | Exception
        try:
            state = evaluator.of([block])
        except (TypeError, ValueError) as problem:
            # Of the input; the driver raises it in its own words.
            state = problem
        yield arrow.RecordBatch.from_pydict({"state": [pickle.dumps(state)]})

    return work
