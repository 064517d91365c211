"""What an evaluation costs as users become more: measured once, drawn on the page "Scale"."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from recsys_metrics._core.colors import CYCLE
from recsys_metrics.workbook.charts.chart import sketch, to_picture
from recsys_metrics.workbook.common.picture import Picture

_NAMES = {"polars": "Polars", "duckdb": "DuckDB", "spark": "Spark"}
# In points, so that a name is never written over another.
_LINE_HEIGHT = 14


def read_results() -> list[dict[str, Any]]:
    """Return what `python -m dev.benchmarks scale --save` measured.

    Returns
    -------
    list of dict
        With the engine, users, rows, seconds, cpu_seconds (start and imports included), peak_mb
        of memory, and the machine.

    Examples
    --------
    >>> from recsys_metrics.workbook.experiments.scale import read_results
    >>> sorted({row["engine"] for row in read_results()})
    ['arrays', 'duckdb', 'pandas', 'polars', 'spark']
    """
    text = files("recsys_metrics").joinpath("data/scale.csv").read_text(encoding="utf-8")
    whole = ("users", "rows", "peak_mb")
    return [
        {**row, "cpu_seconds": float(row["cpu_seconds"]), "seconds": float(row["seconds"])}
        | {name: int(float(row[name])) for name in whole}
        for row in csv.DictReader(text.splitlines())
    ]


def read_engine_comparison() -> list[dict[str, str]]:
    """Return what engines cost that computed metrics themselves, and that hand over blocks.

    Returns
    -------
    list of dict
        With the engine, users, ids, how ("expressions" or "blocks"), runs, and the medians of
        seconds, cpu_seconds and peak_mb.

    Examples
    --------
    >>> from recsys_metrics.workbook.experiments.scale import read_engine_comparison
    >>> sorted({row["how"] for row in read_engine_comparison()})
    ['blocks', 'expressions']
    """
    text = files("recsys_metrics").joinpath("data/engines.csv").read_text(encoding="utf-8")
    return [*csv.DictReader(text.splitlines())]


def read_by_engine(column: str) -> dict[str, dict[int, float]]:
    """Return a column by engine and number of users."""
    found: dict[str, dict[int, float]] = {}
    for row in read_results():
        found.setdefault(_NAMES.get(row["engine"], row["engine"]), {})[row["users"]] = row[column]
    return found


def cost_per_million(engine: str) -> float:
    """Return the seconds of processor that each further million users costs.

    The slope between the smallest and the largest size, so that the start does not count.
    """
    costs = read_by_engine("cpu_seconds")[engine]
    few, many = min(costs), max(costs)
    return 1e6 * (costs[many] - costs[few]) / (many - few)


def draw_growth(
    costs: Mapping[str, Mapping[int, float]],
    *,
    engines: Sequence[str] | None = None,
    title: str,
    y_label: str,
    alt: str,
) -> Picture:
    """Draw a cost over the number of users, both by powers of ten.

    Parameters
    ----------
    costs : mapping
        Engine to users to cost, as from `by_engine`.
    engines : sequence of str, optional
        Those to draw; all by default.
    title, y_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    styles = ("-", "--", "-.", ":")
    drawn = engines or list(costs)
    most = max(max(costs[engine]) for engine in drawn)
    with sketch(title) as (figure, axes):
        for i, engine in enumerate(drawn):
            users = sorted(costs[engine])
            values = [costs[engine][n] for n in users]
            axes.plot(users, values, styles[i % 4], marker="o", color=CYCLE[(i + 1) % len(CYCLE)])
        for scale, name in ((axes.set_xscale, "x"), (axes.set_yscale, "y")):
            scale("log")
            # Plain numbers: an exponent is too small for a phone.
            getattr(axes, f"{name}axis").set_major_formatter("{x:,.12g}")
        figure.draw_without_rendering()
        lowest = -float("inf")
        for engine in sorted(drawn, key=lambda name: costs[name][max(costs[name])]):
            end = (max(costs[engine]), costs[engine][max(costs[engine])])
            where: dict[str, Any] = {"xytext": (-2, 7), "ha": "right"}  # over its line
            if end[0] == most:
                height = float(axes.transData.transform(end)[1]) * 72 / figure.dpi
                lowest = max(height, lowest + _LINE_HEIGHT)
                where = {"xytext": (6, lowest - height), "va": "center"}
            axes.annotate(engine, end, textcoords="offset points", **where)
        axes.set_xlabel("users, lists of fifty")
        axes.set_ylabel(y_label)
    return to_picture(figure, alt)
