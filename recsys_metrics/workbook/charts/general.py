"""Charts that any chapter may need: bars, lines, intervals, a histogram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.colors import CYCLE
from recsys_metrics.protocol.significance import t_interval
from recsys_metrics.workbook.charts.chart import THEME, draw_vertical_lines, sketch, to_picture
from recsys_metrics.workbook.charts.marks import spread_apart
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture


def bars(
    values: Mapping[str, float], *, title: str, label: str, alt: str, places: int = 3
) -> Picture:
    """Draw a bar for each value, from zero, with the value at its end.

    Parameters
    ----------
    values : mapping
        Name of each bar and its length.
    title, label, alt : str
        The finding, the name of the axis with its unit, and the finding for those who do not
        see it.
    places : int
        Decimals of the written values.

    Returns
    -------
    Picture
    """
    with sketch(title, 1.1 + 0.4 * len(values)) as (figure, axes):
        for row, value in enumerate(values.values()):
            axes.barh(row, value, color=CYCLE[row % len(CYCLE)], height=0.62)
            axes.annotate(
                f"{value:,.{places}f}",
                (max(value, 0), row),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_yticks(range(len(values)), list(values))
        axes.set_ylim(len(values) - 0.3, -0.6)
        axes.margins(x=0.2)
        axes.axvline(0, color=THEME, linewidth=0.8)
        axes.set_xlabel(label)
    return to_picture(figure, alt)


def intervals(
    values: Mapping[str, ArrayLike],
    *,
    title: str,
    label: str,
    alt: str,
    level: float = 0.95,
) -> Picture:
    """Draw each model's mean over users with its interval.

    Parameters
    ----------
    values : mapping
        Name of each model and its per-user values; NaN marks users that are left out.
    title, label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.
    level : float
        Confidence of the interval: mean ± t standard errors over users.

    Returns
    -------
    Picture
    """
    with sketch(title, 1.0 + 0.46 * len(values)) as (figure, axes):
        for row, per_user in enumerate(values.values()):
            found = t_interval(per_user, level=level, missing="omit")
            colour = CYCLE[row % len(CYCLE)]
            axes.plot([found.low, found.high], [row, row], color=colour, linewidth=4)
            axes.plot(found.estimate, row, "o", color=colour, markersize=9, clip_on=False)
            axes.annotate(
                f"{found.estimate:.3f}",
                (found.high, row),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_yticks(range(len(values)), list(values))
        axes.set_ylim(len(values) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.margins(x=0.15)
        axes.set_xlabel(label)
    return to_picture(figure, alt)


def lines(
    x: Sequence[float],
    series: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    alt: str,
    powers: bool = False,
    bottom: float = 0.0,
) -> Picture:
    """Draw values over a common axis, each line named at its end.

    Parameters
    ----------
    x : sequence of float
        Common to all lines.
    series : mapping
        Name of each line and its values.
    title, x_label, y_label, alt : str
        The finding, the names of the axes, and the finding for those who do not see it.
    powers : bool
        Whether the horizontal axis is logarithmic, with a tick at each x.
    bottom : float
        Where the upright axis begins; where it is not 0, its name should say so.

    Returns
    -------
    Picture
    """
    styles, ends = ("-", "--", "-.", ":"), dict[str, float]()
    with sketch(title) as (figure, axes):
        for i, (name, y) in enumerate(series.items()):
            drawn = np.asarray(y, dtype=np.float64)
            axes.plot(x, drawn, styles[i % 4], color=CYCLE[(i + 1) % len(CYCLE)], linewidth=2.2)
            ends[name] = float(drawn[-1])
        axes.set_ylim(bottom=bottom)
        # Names at the ends of lines, moved apart where the lines end together.
        low, high = axes.get_ylim()
        margin = 0.11 * (high - low) * (1 + max("\n" in _break_name(name) for name in series))
        places = spread_apart((-end for end in ends.values()), margin)
        # Written from the top down, whatever the order of the lines.
        for place, name in sorted(zip(places, ends, strict=True)):
            axes.annotate(
                _break_name(name),
                (1, -place),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        axes.margins(x=0.02)
        if powers:
            axes.set_xscale("log")
            axes.set_xticks(x, [f"{at:,}" for at in x])
            axes.minorticks_off()
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
    return to_picture(figure, alt)


def histogram(values: ArrayLike, *, bins: ArrayLike, title: str, x_label: str, alt: str) -> Picture:
    """Draw how many users have which value, and where the mean stands.

    Parameters
    ----------
    values : array of float
        One per user; NaN is left out.
    bins : array of float
        Edges of the bins.
    title, x_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    with sketch(title) as (figure, axes):
        counts, edges = np.histogram(known, bins=np.asarray(bins))
        axes.bar(
            edges[:-1], counts, width=np.diff(edges), align="edge", color=CYCLE[3], edgecolor=THEME
        )
        draw_vertical_lines(
            axes, {f"mean {known.mean():.3f}": float(known.mean())}, float(counts.max())
        )
        axes.yaxis.set_major_formatter("{x:,g}")
        axes.set_xlabel(x_label)
        axes.set_ylabel("users")
    return to_picture(figure, alt)


def _break_name(name: str) -> str:
    """Return the name of a line in lines that leave room for the chart."""
    return "\n".join(svg.break_lines(name, 15))
