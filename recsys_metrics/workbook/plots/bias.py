"""Charts of the chapter on bias."""

from __future__ import annotations

from collections.abc import Mapping

from recsys_metrics.workbook.palette import BLUE, VERMILION
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.chart import chart, to_picture


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
