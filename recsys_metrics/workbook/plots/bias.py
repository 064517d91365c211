"""Charts of the chapter on bias."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics.workbook.palette import BLUE, CYCLE, VERMILION
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.chart import THEME, chart, to_picture


def beside_truth(
    estimates: Mapping[str, tuple[float, float, float, float]],
    *,
    title: str,
    label: str,
    alt: str,
) -> Picture:
    """Draw estimates with their intervals, and beside each what really happened.

    Parameters
    ----------
    estimates : mapping
        Name of each row, and its estimate, both ends of its interval, and the truth.
    title, label, alt : str
        The finding, the name of the axis with its unit, and the finding for those who do not
        see it.

    Returns
    -------
    Picture
    """
    with chart(figsize=(6.4, 1.1 + 0.46 * len(estimates))) as (figure, axes):
        for row, (value, low, high, truth) in enumerate(estimates.values()):
            axes.plot([low, high], [row, row], color=BLUE, linewidth=4)
            axes.plot(value, row, "o", color=BLUE, markersize=9)
            axes.plot(truth, row, "D", color=VERMILION, markersize=8)
            axes.annotate(
                f"{value:.1f}, really {truth:.1f}",
                (high, row),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_yticks(range(len(estimates)), list(estimates))
        axes.set_ylim(len(estimates) - 0.5, -0.6)
        axes.set_xlim(left=0)
        axes.margins(x=0.3)
        axes.set_xlabel(f"{label} (● estimate with interval, ◆ what happened)")
        axes.set_title(title)
    return to_picture(figure, alt)


def spreads(
    values: Mapping[str, ArrayLike],
    mark: float,
    *,
    title: str,
    label: str,
    mark_label: str,
    alt: str,
) -> Picture:
    """Draw a histogram a row over one axis, with a line through all of them.

    Parameters
    ----------
    values : mapping
        Name of each row and its values; those beyond the 0.1 % at either end fall into the last
        bins.
    mark : float
        Where the line stands, such as the truth.
    title, label, mark_label, alt : str
        The finding, the name of the axis with its unit, what the line is, and the finding for
        those who do not see it.

    Returns
    -------
    Picture
    """
    drawn = {name: np.asarray(of, dtype=np.float64) for name, of in values.items()}
    low, high = np.quantile(np.concatenate([*drawn.values()]), [0.001, 0.999])
    low, high = min(low, mark), max(high, mark)
    edges = np.linspace(low, high, 61)
    with chart(figsize=(6.4, 0.9 + 0.42 * len(drawn))) as (figure, axes):
        for row, (name, of) in enumerate(drawn.items()):
            heights = np.histogram(np.clip(of, low, high), edges)[0]
            top = row + 0.4 - 0.8 * heights / heights.max()
            axes.fill_between(
                edges[:-1], row + 0.4, top, step="post", color=CYCLE[(row + 1) % len(CYCLE)]
            )
            axes.annotate(
                name,
                (0, row),
                xycoords=("axes fraction", "data"),
                xytext=(-6, 0),
                textcoords="offset points",
                ha="right",
                va="center",
            )
        axes.axvline(mark, color=THEME, linestyle="--", linewidth=1.2)
        axes.set_yticks([])
        axes.set_ylim(len(drawn) - 0.4, -0.6)
        axes.set_xlabel(f"{label} (dashed: {mark_label})")
        axes.set_title(title)
    return to_picture(figure, alt)


def coverage_curves(
    points: Mapping[str, tuple[ArrayLike, ArrayLike]], *, title: str, alt: str
) -> Picture:
    """Draw what share of 95 % intervals hold the truth, against the effective sample size.

    Parameters
    ----------
    points : mapping
        Name of each line, its effective sample sizes, and its shares.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    styles = ("o-", "s--", "^-.", "D:")
    with chart(figsize=(6.4, 3.2)) as (figure, axes):
        for i, (name, (worth, held)) in enumerate(points.items()):
            x, y = (np.asarray(of, dtype=np.float64) for of in (worth, held))
            axes.plot(x, y, styles[i % 4], color=CYCLE[(i + 1) % len(CYCLE)], linewidth=1.8)
            axes.annotate(
                name, (x[-1], y[-1]), xytext=(7, -2), textcoords="offset points", va="top"
            )
        axes.axhline(0.95, color=THEME, linestyle="--", linewidth=1)
        axes.set_xscale("log")
        axes.margins(x=0.2)
        axes.set_ylim(top=1.0)
        axes.set_xlabel("effective sample size, mean over logs (dashed: 95 %)")
        axes.set_ylabel("intervals that hold the truth")
        axes.set_title(title)
    return to_picture(figure, alt)
