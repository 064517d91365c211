"""What `make bench-all` measured, as tables of the page on speed."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from importlib.resources import files

from recsys_metrics._core.colors import CYCLE
from recsys_metrics._core.package_names import DISTRIBUTION
from recsys_metrics.workbook.charts.chart import THEME, sketch, to_picture
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.common.tables import FormattedNumber, Table

ONE_PASS = "one pass over the input"
OURS = DISTRIBUTION

Row = dict[str, str]


def read_results() -> dict[str, list[Row]]:
    """Return the rows of the last run, by task.

    Returns
    -------
    dict
        A row has the library, its version, seconds, ours beside it on the same rows, the seconds
        of the conversion from plain arrays, megabytes above the inputs, and the machine.

    Examples
    --------
    >>> from recsys_metrics.workbook.experiments.speed import read_results
    >>> read_results()["ranking"][1]["library"]
    'recsys-workbook'
    """
    text = files("recsys_metrics").joinpath("data/benchmarks.csv").read_text(encoding="utf-8")
    tasks: dict[str, list[Row]] = {}
    for row in csv.DictReader(text.splitlines()):
        tasks.setdefault(row["task"], []).append(row)
    return tasks


def list_machines() -> str:
    """Return on what the rows were measured."""
    return "; ".join(sorted({row["machine"] for rows in read_results().values() for row in rows}))


def compare_speed(task: str) -> Table:
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
    rows = sorted(_read_rows(task), key=_times_ours)
    return Table(
        ["Library", "Times ours", "Seconds", "Conversion", "Peak MB", "Share of rows"],
        [
            (
                f"{row['library']} {row['version']}".strip(),
                _format_number(_times_ours(row)),
                _format_number(float(row["seconds"])),
                _format_number(float(row["conversion"]))
                if float(row["conversion"]) > 1e-3
                else FormattedNumber("–"),
                FormattedNumber(f"{float(row['megabytes']):,.0f}"),
                FormattedNumber(f"{float(row['share']):.4g}"),
            )
            for row in rows
        ],
    )


def compare_forms() -> Table:
    """Return, for each form that people hold lists in, how long each way takes from there.

    Returns
    -------
    Table
        Times ours is the time over ours, beside it in one run. The clock starts where the form is
        in memory, or on disk.
    """
    rows = [
        (
            row["title"].partition(";")[0].partition(" from ")[2],
            row["library"],
            _format_number(_times_ours(row)),
            _format_number(float(row["seconds"])),
        )
        for task, found in read_results().items()
        if task.startswith("read_")
        for row in sorted(found, key=_times_ours)
        if row["library"] != ONE_PASS
    ]
    return Table(["From", "Way", "Times ours", "Seconds"], rows)


def summarize_tasks() -> Table:
    """Return a row per task: the next best beside us, our time, and that of reading the input."""
    rows = []
    for found in read_results().values():
        ours, closest = (
            next(row for row in found if row["library"] == OURS),
            _find_fastest_other(found),
        )
        rows.append(
            (
                ours["title"].partition(";")[0],
                _format_number(_times_ours(closest)),
                closest["library"],
                _format_number(float(ours["seconds"])),
                FormattedNumber(f"{float(ours['seconds']) / float(ours['one_pass']):,.0f}"),
            )
        )
    return Table(["Task", "Times ours", "Fastest other", "Seconds", "Times one pass"], rows)


def draw_fastest_alternatives() -> Picture:
    """Return a dot per task: how many times as long as ours the fastest other way takes."""
    found = {
        task.replace("_", " "): _find_fastest_other(rows) for task, rows in read_results().items()
    }
    times = {task: _times_ours(row) for task, row in found.items()}
    slower = [task for task, ratio in times.items() if ratio < 1]
    behind = f"; it is faster in {' and '.join(slower)}" if slower else ""
    return _draw_times(
        times,
        [row["library"] for row in found.values()],
        title=f"In {len(times) - len(slower)} of {len(times)} tasks every other way takes longer",
        alt="One dot a task on a scale by powers of ten, the time of the fastest other way over "
        f"ours: from {_format_number(min(times.values()))} to "
        f"{_format_number(max(times.values()))}{behind}.",
    )


def draw_speed(task: str) -> Picture:
    """Return a dot per library: how many times as long as ours it takes over a task."""
    rows = sorted(_exclude_ours(_read_rows(task)), key=_times_ours)
    times = {row["library"]: _times_ours(row) for row in rows}
    least, most = (f"{_format_number(_times_ours(row))}" for row in (rows[0], rows[-1]))
    return _draw_times(
        times,
        ["" for _ in rows],
        title=f"From {least} to {most} times as long as ours",
        alt="One dot a library on a scale by powers of ten, its time over ours without "
        f"conversion: from {least} ({rows[0]['library']}) to {most} ({rows[-1]['library']}).",
    )


def _draw_times(times: Mapping[str, float], who: Sequence[str], *, title: str, alt: str) -> Picture:
    with sketch(title, 1.1 + 0.3 * len(times)) as (figure, axes):
        for row, (ratio, name) in enumerate(zip(times.values(), who, strict=True)):
            axes.plot([1, ratio], [row, row], color=THEME, linewidth=0.6, alpha=0.5)
            axes.plot(ratio, row, "o", color=CYCLE[3 if ratio < 1 else 1], markersize=8)
            said = f"{_format_number(ratio)} {name}".strip()
            axes.annotate(
                said, (max(ratio, 1), row), (8, 0), textcoords="offset points", va="center"
            )
        axes.axvline(1, color=THEME, linestyle="--", linewidth=1)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: _format_number(value))
        axes.set_xlim(min(0.5, *times.values()) / 1.3, 14 * max(times.values()))
        axes.set_yticks(range(len(times)), list(times))
        axes.set_ylim(len(times) - 0.4, -0.6)
        axes.set_xlabel("times ours")
    return to_picture(figure, alt)


def _read_rows(task: str) -> list[Row]:
    tasks = read_results()
    if task not in tasks:
        raise ValueError(f"{task!r} was not measured; there are {', '.join(tasks)}")
    return tasks[task]


def _exclude_ours(found: Sequence[Row]) -> list[Row]:
    return [row for row in found if not row["library"].startswith((OURS, ONE_PASS))]


def _find_fastest_other(found: Sequence[Row]) -> Row:
    return min(_exclude_ours(found), key=_times_ours)


def _times_ours(row: Row) -> float:
    return float(row["seconds"]) / float(row["ours"])


def _format_number(number: float) -> FormattedNumber:
    """Return a number to three digits, without an exponent."""
    if number >= 1000:
        return FormattedNumber(f"{float(f'{number:.3g}'):,.0f}")
    return FormattedNumber(f"{number:.4f}" if number < 0.1 else f"{number:.3g}")
