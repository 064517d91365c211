"""What was measured: printed as a table, and kept as rows for the book."""

from __future__ import annotations

import csv
import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dev.benchmarks.runner import ROOT, Timed
from dev.benchmarks.task import ONE_PASS, Task

TABLE = ROOT / "recsys_metrics" / "data" / "benchmarks.csv"
COLUMNS = (
    "task",
    "title",
    "library",
    "version",
    "share",
    "seconds",
    "ours",
    "conversion",
    "megabytes",
    "one_pass",
    "compared",
    "machine",
)


def machine() -> str:
    """Return processor, cores and the versions that matter, in one line."""
    model = platform.processor() or platform.machine()
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        lines = listing.read_text(encoding="utf-8").splitlines()
        named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = named[0] if named else model
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def rows_of(name: str, task: Task, timed: Sequence[Timed], where: str) -> list[dict[str, Any]]:
    """Return the rows of a task."""
    one_pass = next(one.seconds for one in timed if one.library == ONE_PASS)
    return [
        {
            "task": name,
            "title": task.title,
            "library": one.library,
            "version": one.version,
            "share": f"{one.share:g}",
            "seconds": f"{one.seconds:.3g}",
            "ours": f"{one.ours:.3g}",
            "conversion": f"{one.conversion:.3g}",
            "megabytes": f"{one.megabytes:.0f}",
            "one_pass": f"{one_pass * one.share:.3g}",
            "compared": len(one.agrees),
            "machine": where,
        }
        for one in timed
    ]


def show(rows: Iterable[dict[str, Any]]) -> None:
    """Print the rows of one task."""
    print(
        f"  {'':25}{'share':>7}{'seconds':>10}{'+ convert':>11}{'peak MB':>9}"
        f"{'x ours':>9}{'x fastest':>11}{'x one pass':>12}"
    )
    kept = list(rows)
    answering = [row for row in kept if row["library"] != ONE_PASS]
    # Seconds of different shares compare by how far each is from ours beside it.
    fastest = min(float(row["seconds"]) / float(row["ours"]) for row in answering)
    for row in kept:
        seconds, conversion = float(row["seconds"]), float(row["conversion"])
        ratio = seconds / float(row["ours"])
        whole = f"{seconds + conversion:.4f}" if conversion > 0.001 else "–"
        print(
            f"  {row['library']:25}{float(row['share']):>7.1%}{seconds:>10.4f}{whole:>11}"
            f"{row['megabytes']:>9}{ratio:>9.2f}{ratio / fastest:>11.2f}"
            f"{seconds / float(row['one_pass']):>12.0f}",
            flush=True,
        )


def keep(rows: Sequence[dict[str, Any]]) -> None:
    """Write rows in the place of those of the same tasks and libraries; the tasks in our order.

    Rows of a way that is no more are dropped.
    """
    from dev.benchmarks.tasks import TASKS

    kept: dict[tuple[str, str], dict[str, Any]] = {}
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as table:
            kept = {(row["task"], row["library"]): dict(row) for row in csv.DictReader(table)}
    kept |= {(row["task"], row["library"]): row for row in rows}
    ordered = [
        row
        for name, task in TASKS.items()
        for (of, library), row in kept.items()
        if of == name and library in (ONE_PASS, *task.ways)
    ]
    with TABLE.open("w", encoding="utf-8", newline="") as table:
        writer = csv.DictWriter(table, COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(ordered)
