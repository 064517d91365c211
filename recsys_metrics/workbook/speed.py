"""What `make bench-all` measured, as tables of the page on speed."""

from __future__ import annotations

import csv
from importlib.resources import files

from recsys_metrics.workbook.tables import Table, Written

ONE_PASS = "one pass over the input"
OURS = "recsys-metrics"

Row = dict[str, str]


def measured() -> dict[str, list[Row]]:
    """Return the rows of the last run, by task.

    Returns
    -------
    dict
        A row has the library, its version, seconds, ours beside it on the same rows, the seconds
        of the conversion from plain arrays, megabytes above the inputs, and the machine.

    Examples
    --------
    >>> from recsys_metrics.workbook.speed import measured
    >>> measured()["ranking"][1]["library"]
    'recsys-metrics'
    """
    text = files("recsys_metrics").joinpath("data/benchmarks.csv").read_text(encoding="utf-8")
    tasks: dict[str, list[Row]] = {}
    for row in csv.DictReader(text.splitlines()):
        tasks.setdefault(row["task"], []).append(row)
    return tasks


def machines() -> str:
    """Return on what the rows were measured."""
    return "; ".join(sorted({row["machine"] for rows in measured().values() for row in rows}))


def speed(task: str) -> Table:
    """Return the libraries of one task, the fastest first.

    Parameters
    ----------
    task : str
        Such as "ranking".

    Returns
    -------
    Table
        Times ours is the library's time over ours, beside it in one run and on the same rows.

    Raises
    ------
    ValueError
        If the task was not measured.
    """
    tasks = measured()
    if task not in tasks:
        raise ValueError(f"{task!r} was not measured; there are {', '.join(tasks)}")
    rows = sorted(tasks[task], key=_times_ours)
    return Table(
        ["Library", "Seconds", "Conversion", "Share of rows", "Peak MB", "Times ours"],
        [
            (
                f"{row['library']} {row['version']}".strip(),
                _say(float(row["seconds"])),
                _say(float(row["conversion"])) if float(row["conversion"]) > 1e-3 else Written("–"),
                Written(f"{float(row['share']):.4g}"),
                Written(f"{float(row['megabytes']):,.0f}"),
                _say(_times_ours(row)),
            )
            for row in rows
        ],
    )


def in_one_table() -> Table:
    """Return a row per task: our time, how far from reading the input once, and the next best."""
    rows = []
    for found in measured().values():
        ours = next(row for row in found if row["library"] == OURS)
        others = [row for row in found if not row["library"].startswith((OURS, ONE_PASS))]
        closest = min(others, key=_times_ours, default=None)
        rows.append(
            (
                ours["title"].partition(";")[0],
                _say(float(ours["seconds"])),
                Written(f"{float(ours['seconds']) / float(ours['one_pass']):,.0f}"),
                closest["library"] if closest else "–",
                _say(_times_ours(closest)) if closest else Written("–"),
            )
        )
    return Table(["Task", "Seconds", "Times one pass", "Fastest other", "Times ours"], rows)


def _times_ours(row: Row) -> float:
    return float(row["seconds"]) / float(row["ours"])


def _say(number: float) -> Written:
    """Return a number to three digits, without an exponent."""
    if number >= 1000:
        return Written(f"{float(f'{number:.3g}'):,.0f}")
    return Written(f"{number:.4f}" if number < 0.1 else f"{number:.3g}")
