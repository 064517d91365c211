"""The same evaluation from a thousand users to a million: arrays, Polars, pandas, DuckDB, Spark.

Each engine reads the same Parquet files in a process of its own, which reports its seconds, the
processor's seconds and the most memory it held. `--save` writes what was measured to the package,
where the page "Scale" draws it.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DEPTH, ITEMS = 50, 50_000
MEASURES = ("ndcg@10", "recall@10", "precision@10", "hit_rate@10", "mrr@10", "map@10")
USERS = (1_000, 10_000, 100_000, 200_000, 1_000_000)
# pandas and Spark are asked up to ten million rows; the others up to fifty million.
MOST = {
    "arrays": 1_000_000,
    "polars": 1_000_000,
    "pandas": 200_000,
    "duckdb": 1_000_000,
    "spark": 200_000,
}
SAVED = Path(__file__).resolve().parents[2] / "recsys_metrics" / "data" / "scale.csv"
COLUMNS = ("engine", "users", "rows", "seconds", "cpu_seconds", "peak_mb", "ndcg", "machine")
_CHUNK = 20_000


def write_tables(folder: Path, users: int, seed: int = 0) -> tuple[Path, Path]:
    """Write recommendations and truth, a chunk of users at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    paths = folder / f"recs_{users}.parquet", folder / f"truth_{users}.parquet"
    names = ("user", "item", "rank"), ("user", "item", "grade")
    kinds = (pa.int32(), pa.int32(), pa.int16()), (pa.int32(), pa.int32(), pa.int8())
    schemas = [pa.schema(list(zip(*pair, strict=True))) for pair in zip(names, kinds, strict=True)]
    with (
        pq.ParquetWriter(paths[0], schemas[0]) as lists,
        pq.ParquetWriter(paths[1], schemas[1]) as wanted,
    ):
        for first in range(0, users, _CHUNK):
            ids = np.arange(first, min(first + _CHUNK, users))
            for writer, schema, columns in zip(
                (lists, wanted), schemas, _chunk(ids, rng), strict=True
            ):
                arrays = [
                    pa.array(column).cast(kind)
                    for column, kind in zip(columns, schema.types, strict=True)
                ]
                writer.write_table(pa.table(arrays, schema=schema))
    return paths


def _chunk(ids: NDArray[Any], rng: np.random.Generator) -> tuple[Sequence[NDArray[Any]], ...]:
    """Return the rows of some users: a walk through the catalogue that never meets an item twice.

    Of what a user wants (1 to 50 items, 12 on average) some lies on the part that is shown.
    """
    n = len(ids)
    start, step = rng.integers(0, ITEMS, n), 2 * rng.integers(1, ITEMS // 200, n) + 1
    step += 2 * (step % 5 == 0)  # odd and no multiple of 5, so the walk visits all 50,000
    shown = (start[:, None] + step[:, None] * np.arange(DEPTH)) % ITEMS
    sizes = np.minimum(rng.geometric(1 / 12, n), 50)
    at = np.sort(rng.integers(0, 500, (n, 50)), axis=1) + np.arange(50)
    at = rng.permuted(at, axis=1)
    kept = np.arange(50) < sizes[:, None]
    wanted = ((start[:, None] + step[:, None] * at) % ITEMS)[kept]
    ranks = np.tile(np.arange(1, DEPTH + 1), n)
    grades = rng.integers(1, 6, len(wanted))
    return (
        (np.repeat(ids, DEPTH), shown.ravel(), ranks),
        (np.repeat(ids, sizes), wanted, grades),
    )


# In the process of one engine ----------------------------------------------------------------


def with_arrays(recommendations: Path, truth: Path) -> float:
    """Return the mean NDCG by way of arrays."""
    import polars as pl

    import recsys_metrics as rm

    shown = pl.read_parquet(recommendations, columns=["item"])["item"].to_numpy()
    wanted = pl.read_parquet(truth)
    lists = shown.reshape(-1, DEPTH)
    counts = np.bincount(wanted["user"].to_numpy(), minlength=len(lists))
    indptr = np.concatenate([[0], np.cumsum(counts)])
    relevant = indptr, wanted["item"].to_numpy(), wanted["grade"].to_numpy()
    return float(rm.evaluate(lists, relevant, MEASURES)["ndcg@10"].mean)


def with_frames(recommendations: Path, truth: Path, engine: Any) -> float:
    """Return the mean NDCG by way of an engine."""
    from recsys_metrics import frames
    from recsys_metrics.frames import _files

    if engine == "pandas":
        import pandas as pd

        tables = [pd.read_parquet(path) for path in (recommendations, truth)]
    else:
        tables = [_files.scan(path, engine) for path in (recommendations, truth)]
    return float(frames.evaluate(*tables, MEASURES)["ndcg@10"].mean)


def one(engine: str, recommendations: Path, truth: Path) -> dict[str, float]:
    """Return what one evaluation took of this process and of those it started."""
    started = time.perf_counter()
    if engine == "arrays":
        value = with_arrays(recommendations, truth)
    else:
        value = with_frames(recommendations, truth, engine)
    seconds = time.perf_counter() - started
    used = [_used(pid) for pid in _family(os.getpid())]
    return {
        "seconds": round(seconds, 2),
        "cpu_seconds": round(sum(cpu for cpu, _ in used), 2),
        "peak_mb": round(sum(peak for _, peak in used)),
        "ndcg": value,
    }


def _family(pid: int) -> list[int]:
    """Return a process and all that descend from it: Spark computes in a Java of its own."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def _used(pid: int) -> tuple[float, float]:
    """Return the seconds of processor and the peak megabytes of a process, as Linux tells."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    peak = float(status.get("VmHWM", "0 kB").split()[0]) / 1e3
    return ticks / os.sysconf("SC_CLK_TCK"), peak


# In the process that compares ----------------------------------------------------------------


def machine() -> str:
    """Return the machine in words."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores {platform.machine()}, {memory:.0f} GB, {platform.system()}"


def report(engines: Sequence[str], users: Sequence[int], save: bool) -> None:
    """Write the tables, run every engine on them in a process of its own, print what it took."""
    here = machine()
    rows: list[dict[str, Any]] = []
    print(f"{', '.join(MEASURES)}; lists of {DEPTH}; {here}\n")
    print(f"{'engine':8}{'users':>11}{'rows':>12}{'seconds':>9}{'cpu s':>8}{'peak MB':>9}")
    with tempfile.TemporaryDirectory(prefix="scale-") as name:
        for count in users:
            print(f"writing {count:,} users …", end="\r", flush=True)
            paths = write_tables(Path(name), count)
            values = {}
            for engine in (engine for engine in engines if count <= MOST[engine]):
                print(f"{engine:8}{count:11,} …", end="\r", flush=True)
                took = _in_a_process(engine, paths)
                values[engine] = took["ndcg"]
                rows.append(
                    {
                        "engine": engine,
                        "users": count,
                        "rows": count * DEPTH,
                        **took,
                        "machine": here,
                    }
                )
                print(
                    f"{engine:8}{count:11,}{count * DEPTH:12,}{took['seconds']:9.2f}"
                    f"{took['cpu_seconds']:8.1f}{took['peak_mb']:9,.0f}",
                    flush=True,
                )
            np.testing.assert_allclose([*values.values()], next(iter(values.values())), rtol=1e-12)
            for path in paths:
                path.unlink()
    print("\nall engines agree on the mean of NDCG@10 to 1e-12")
    if save:
        with SAVED.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"written to {SAVED.name}")


def _in_a_process(engine: str, paths: tuple[Path, Path]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "dev.benchmarks.scale", "--one", engine, *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{engine} failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `python -m dev.benchmarks scale`."""
    parser = argparse.ArgumentParser(prog="python -m dev.benchmarks scale", description=__doc__)
    parser.add_argument("--engines", nargs="+", choices=tuple(MOST), default=tuple(MOST))
    parser.add_argument("--users", nargs="+", type=int, default=USERS)
    parser.add_argument("--save", action="store_true", help="keep the numbers for the page")
    parser.add_argument("--one", nargs=3, metavar=("ENGINE", "RECS", "TRUTH"))
    asked = parser.parse_args(arguments)
    if asked.one:
        print(json.dumps(one(asked.one[0], *map(Path, asked.one[1:]))))
        return
    report(asked.engines, asked.users, asked.save)


if __name__ == "__main__":
    main()
