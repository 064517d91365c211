"""What an evaluation costs as users become more: measured once, drawn on the page "Scale"."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from recsys_metrics._core.colors import CYCLE
from recsys_metrics.workbook.charts.chart import sketch, to_picture
from recsys_metrics.workbook.common.picture import Picture

# Costs that differ by less are drawn in one place.
_SIDE_BY_SIDE = 1.35


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
        found.setdefault(row["engine"], {})[row["users"]] = row[column]
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
    with sketch(title) as (figure, axes):
        for i, engine in enumerate(engines or list(costs)):
            users = sorted(costs[engine])
            values = [costs[engine][n] for n in users]
            axes.plot(users, values, styles[i % 4], marker="o", color=CYCLE[(i + 1) % len(CYCLE)])
            # One name for lines that end side by side.
            near = [
                other
                for other in engines or list(costs)
                if max(costs[other]) == users[-1]
                and max(costs[other][users[-1]], values[-1])
                < _SIDE_BY_SIDE * min(costs[other][users[-1]], values[-1])
            ]
            if engine == near[0]:
                axes.annotate(
                    ", ".join(near),
                    (users[-1], values[-1]),
                    (6, 0),
                    textcoords="offset points",
                    va="center",
                )
        for scale, name in ((axes.set_xscale, "x"), (axes.set_yscale, "y")):
            scale("log")
            # Plain numbers: an exponent is too small for a phone.
            getattr(axes, f"{name}axis").set_major_formatter("{x:,.12g}")
        axes.set_xlabel("users, lists of fifty")
        axes.set_ylabel(y_label)
    return to_picture(figure, alt)
