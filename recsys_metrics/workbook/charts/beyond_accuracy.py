"""Charts of chapter 03: what accuracy costs, and mixes of genres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.colors import BLUE, CYCLE, GREY
from recsys_metrics.protocol.significance import Interval, t_interval
from recsys_metrics.workbook.charts.chart import THEME, sketch, to_picture
from recsys_metrics.workbook.common.picture import Picture


def trade_off(
    accuracy: Mapping[str, ArrayLike | Interval],
    beyond: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    alt: str,
    path: bool = False,
) -> Picture:
    """Draw each system as a point: its accuracy across, another quality upwards.

    Parameters
    ----------
    accuracy : mapping
        Name of each system and its values, one per user, drawn with the interval of their mean;
        or the interval itself.
    beyond : mapping
        For the same names: values per user, or one number that belongs to all of them.
    title, x_label, y_label, alt : str
        The finding, the names of the axes, and the finding for those who do not see it.
    path : bool
        Whether the points are one system at several settings, joined in their order.

    Returns
    -------
    Picture
    """
    means = {name: (_ends(values), _mean(beyond[name])) for name, values in accuracy.items()}
    furthest = max(x for (x, _, _), _ in means.values())
    with sketch(title) as (figure, axes):
        for row, (name, ((x, low, high), (y, tall))) in enumerate(means.items()):
            colour = BLUE if path else CYCLE[row % len(CYCLE)]
            axes.plot([low, high], [y, y], color=colour, linewidth=1.5)
            axes.plot([x, x], [y - tall, y + tall], color=colour, linewidth=1.5)
            axes.plot(x, y, "o", color=colour, markersize=8, zorder=3)
            # Between the origin and the most accurate, names stand on the left of the interval.
            left = not path and furthest / 2 < x < furthest
            axes.annotate(
                name,
                (low if left else high, y),
                xytext=(-8 if left else 8, 0),
                textcoords="offset points",
                ha="right" if left else "left",
                va="center",
            )
        if path:
            xs, ys = zip(*((x, y) for (x, _, _), (y, _) in means.values()), strict=True)
            axes.plot(xs, ys, color=BLUE, linewidth=1, linestyle="--", zorder=2)
            axes.axvline(0, color=THEME, linewidth=0.8)
        axes.margins(x=0.12, y=0.16)
        axes.locator_params(axis="x", nbins=5)
        if not path:
            axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
            # The name of what is next to nothing must not lie on the axis.
            lowest, highest = min(y for _, (y, _) in means.values()), axes.get_ylim()[1]
            axes.set_ylim(bottom=0 if lowest > 0.06 * highest else -0.07 * highest)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
    return to_picture(figure, alt)


def shares_before_after(
    names: Sequence[str],
    before: ArrayLike,
    after: ArrayLike,
    *,
    labels: tuple[str, str],
    title: str,
    x_label: str,
    alt: str,
) -> Picture:
    """Draw two shares of each category on one line: a hollow mark before, a filled one after.

    Parameters
    ----------
    names : sequence of str
        The categories, from the top.
    before, after : array of float
        Shares of each.
    labels : tuple of str
        What the two marks stand for.
    title, x_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    old, new = (np.asarray(shares, dtype=np.float64) for shares in (before, after))
    with sketch(title, 1.2 + 0.3 * len(names)) as (figure, axes):
        rows = np.arange(len(names))
        axes.hlines(rows, np.minimum(old, new), np.maximum(old, new), color=GREY, linewidth=2)
        axes.plot(old, rows, "o", markerfacecolor="none", markeredgecolor=THEME, markersize=8)
        axes.plot(new, rows, "o", color=BLUE, markersize=8, clip_on=False, zorder=3)
        # The marks are named where they are furthest apart and the left name has room, a letter
        # taking about a twentieth of the axis; or above the first row.
        letters = np.where(old < new, len(labels[0]), len(labels[1]))
        room = np.minimum(old, new) / max(old.max(), new.max()) > letters / 20
        row = int((np.abs(new - old) * room).argmax())
        for label, share, other in zip(labels, (old, new), (new, old), strict=True):
            right = share[row] >= other[row]
            across, up = (8, 0) if room.any() else (-6, 11)
            axes.annotate(
                label,
                (share[row], row),
                xytext=(across if right else -across, up),
                textcoords="offset points",
                ha="left" if right else "right",
                va="center" if room.any() else "baseline",
            )
        axes.set_yticks(rows, list(names))
        axes.set_ylim(len(names) - 0.5, -0.5 if room.any() else -1.1)
        axes.set_xlim(left=0)
        axes.margins(x=0.18)
        axes.set_xlabel(x_label)
    return to_picture(figure, alt)


def _ends(values: ArrayLike | Interval) -> tuple[float, float, float]:
    """Return a mean and both ends of its interval."""
    if isinstance(values, Interval):
        return values.estimate, values.low, values.high
    mean, half = _mean(values)
    return mean, mean - half, mean + half


def _mean(values: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Return a mean and half its t interval, which one number alone does not have."""
    known = np.atleast_1d(np.asarray(values, dtype=np.float64))
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return float(known.mean()), 0.0
    found = t_interval(known, level=level)
    return found.estimate, found.half_width
