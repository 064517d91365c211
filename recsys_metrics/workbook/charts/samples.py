"""Charts of samples: many draws, two values of each user, and what a sample could show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.colors import BLUE, CYCLE, GREEN, GREY, ORANGE, VERMILION
from recsys_metrics.protocol.significance import t_interval
from recsys_metrics.workbook.charts.chart import THEME, draw_vertical_lines, sketch, to_picture
from recsys_metrics.workbook.common.picture import Picture


def marked_histogram(
    values: ArrayLike,
    *,
    bins: ArrayLike,
    title: str,
    x_label: str,
    y_label: str,
    alt: str,
    marks: Mapping[str, float] | None = None,
    inside: tuple[float, float] | None = None,
    outside: str = "",
) -> Picture:
    """Draw how often each value occurs, with one part of the range in another colour.

    Parameters
    ----------
    values : array of float
        The draws.
    bins : array of float
        Edges of the bins.
    title, x_label, y_label, alt : str
        The finding, the names of the axes, and the finding for those who do not see it.
    marks : mapping, optional
        Name and place of upright lines, named at their tops.
    inside : tuple of float, optional
        Ends of the part that is drawn in full colour; a bin belongs to it by its middle. The
        rest is hatched.
    outside : str
        What the rest is.

    Returns
    -------
    Picture
    """
    counts, edges = np.histogram(np.asarray(values, dtype=np.float64), np.asarray(bins))
    middles = (edges[:-1] + edges[1:]) / 2
    low, high = inside or (-np.inf, np.inf)
    full = (middles >= low) & (middles <= high)
    with sketch(title) as (figure, axes):
        for chosen, look in (
            (full, {"color": BLUE}),
            (~full, {"color": "none", "edgecolor": THEME, "hatch": "////"}),
        ):
            widths = np.diff(edges)[chosen]
            axes.bar(
                edges[:-1][chosen], counts[chosen], widths, align="edge", linewidth=0.5, **look
            )
        draw_vertical_lines(axes, marks or {}, float(counts.max()))
        axes.set_xlabel(f"{x_label} (hatched: {outside})" if outside else x_label)
        axes.set_ylabel(y_label)
        axes.yaxis.set_major_formatter("{x:,g}")
        axes.margins(x=0.02)
    return to_picture(figure, alt)


def paired_values(
    across: ArrayLike,
    upwards: ArrayLike,
    *,
    names: tuple[str, str],
    title: str,
    alt: str,
) -> Picture:
    """Draw each user as a point: one recommender across, the other upwards.

    Points that lie on each other grow: the area of a dot is the number of users in it.

    Parameters
    ----------
    across, upwards : array of float of shape (n_users,)
        The value of each user with either recommender, from 0 to 1.
    names : tuple of str
        Of the two recommenders, with their measure.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    pairs = np.column_stack([np.asarray(of, dtype=np.float64) for of in (across, upwards)])
    at = Counter(map(tuple, pairs.round(2).tolist()))
    places, users = np.array(sorted(at)), np.array([at[place] for place in sorted(at)])
    # Which side a user is on is not rounded.
    above, below = (int((pairs[:, 1] > pairs[:, 0]).sum()), int((pairs[:, 1] < pairs[:, 0]).sum()))
    with sketch(title, height=4.4) as (figure, axes):
        top = 1.05 * pairs.max()
        axes.plot([0, top], [0, top], color=THEME, linestyle="--", linewidth=1)
        side = np.sign(places[:, 1] - places[:, 0]).astype(int)
        for sign, colour, marker in ((0, GREY, "o"), (1, GREEN, "^"), (-1, VERMILION, "v")):
            some = side == sign
            axes.scatter(
                *places[some].T, s=28 * users[some], color=colour, marker=marker, alpha=0.75
            )
        equal = len(pairs) - above - below
        axes.annotate(f"{above} users above", (0.04, 0.95), xycoords="axes fraction", va="top")
        axes.annotate(f"{below} below", (0.97, 0.16), xycoords="axes fraction", ha="right")
        axes.annotate(f"{equal} equal", (0.97, 0.06), xycoords="axes fraction", ha="right")
        axes.set_aspect("equal")
        axes.set_xlim(-0.09 * top, top)
        axes.set_ylim(-0.09 * top, top)
        axes.set_xlabel(names[0])
        axes.set_ylabel(names[1])
    return to_picture(figure, alt)


def accuracy_and_share(
    accuracy: Mapping[str, ArrayLike],
    beyond: Mapping[str, float],
    *,
    labels: tuple[str, str],
    title: str,
    alt: str,
) -> Picture:
    """Draw a row for each recommender: its mean over users with an interval, and a proportion.

    Parameters
    ----------
    accuracy : mapping
        Name of each recommender and its values, one per user.
    beyond : mapping
        For the same names, one number that belongs to all lists together, drawn as a bar.
    labels : tuple of str
        Names of the two axes.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    rows = range(len(accuracy))
    height = 1.5 + 0.4 * len(accuracy)
    with sketch(title, height, ncols=2, sharey=True) as (figure, (left, right)):
        for row, (name, values) in enumerate(accuracy.items()):
            found = t_interval(values, missing="omit")
            colour = CYCLE[row % len(CYCLE)]
            left.plot([found.low, found.high], [row, row], color=colour, linewidth=4)
            left.plot(found.estimate, row, "o", color=colour, markersize=9)
            right.barh(row, beyond[name], color=colour, height=0.6)
            right.annotate(
                f"{beyond[name]:.3f}",
                (beyond[name], row),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        left.set_yticks(rows, list(accuracy))
        left.set_ylim(len(accuracy) - 0.5, -0.5)
        # A mean of 0 is a dot on the edge.
        left.set_xlim(left=-0.06 * left.get_xlim()[1])
        right.margins(x=0.35)
        for axes, label in zip((left, right), labels, strict=True):
            axes.locator_params(axis="x", nbins=3)
            axes.set_xlabel(label)
    return to_picture(figure, alt)


def minimum_detectable_effect(
    gain_at: Callable[[int], float],
    sizes: Sequence[int],
    *,
    marks: Mapping[str, float],
    here: int,
    title: str,
    y_label: str,
    alt: str,
    unit: str = "users",
) -> Picture:
    """Draw the minimum detectable effect of a test of each size, and gains to compare with it.

    Parameters
    ----------
    gain_at : callable
        From a number of users to the minimum detectable effect.
    sizes : sequence of int
        Numbers of users, drawn on a logarithmic axis.
    marks : mapping
        Name and size of gains, drawn as level lines.
    here : int
        The number of users there are, marked on the curve.
    title, y_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.
    unit : str
        What is counted.

    Returns
    -------
    Picture
    """
    with sketch(title) as (figure, axes):
        axes.plot(sizes, [gain_at(n) for n in sizes], color=BLUE, linewidth=2.4)
        axes.plot(here, gain_at(here), "o", color=BLUE, markersize=9)
        axes.annotate(
            f"{here:,} {unit}: {gain_at(here):.3f}",
            (here, gain_at(here)),
            xytext=(10, 4),
            textcoords="offset points",
        )
        highest = gain_at(sizes[0])
        for name, gain in marks.items():
            axes.axhline(gain, color=ORANGE, linestyle="--", linewidth=1.6)
            # On the left the curve is far above; a low line leaves no room below it.
            low = gain < 0.2 * highest
            axes.annotate(
                name,
                (0, gain),
                xycoords=("axes fraction", "data"),
                xytext=(4, 3 if low else -3),
                textcoords="offset points",
                va="bottom" if low else "top",
            )
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        ticks = [size for size in (10, 100, 1_000, 10_000) if sizes[0] <= size <= sizes[-1]]
        axes.set_xticks(ticks, [f"{size:,}" for size in ticks])
        axes.set_xlabel(unit)
        axes.set_ylabel(y_label)
    return to_picture(figure, alt)


def heavy_tails(
    groups: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    alt: str,
) -> Picture:
    """Draw two heavy-tailed samples over a logarithmic axis, each with its median and its mean.

    Parameters
    ----------
    groups : mapping
        Name of each group and its values, all above 0.
    title, x_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    drawn = {name: np.asarray(of, dtype=np.float64) for name, of in groups.items()}
    everything = np.concatenate([*drawn.values()])
    edges = np.geomspace(everything.min(), everything.max(), 41)
    tallest = max(np.histogram(of, edges)[0].max() for of in drawn.values())
    with sketch(title, 3.6, nrows=len(drawn), sharex=True, sharey=True) as (figure, rows):
        for row, (axes, (name, of)) in enumerate(zip(rows, drawn.items(), strict=True)):
            counts, _ = np.histogram(of, edges)
            axes.stairs(counts, edges, fill=True, color=CYCLE[row + 1])
            for place, words, side in (
                (np.median(of), "median", -1),
                (of.mean(), "mean", 1),
            ):
                axes.axvline(place, color=THEME, linestyle="--" if side < 0 else "-", linewidth=1.4)
                axes.annotate(
                    f"{words} {place:.1f}",
                    (place, 1),
                    xycoords=("data", "axes fraction"),
                    xytext=(4 * side, -2),
                    textcoords="offset points",
                    ha="right" if side < 0 else "left",
                    va="top",
                )
            axes.set_xscale("log")
            axes.set_ylabel(f"{name}, users")
        rows[0].set_ylim(top=1.35 * tallest)
        ticks = [at for at in (1, 10, 100, 1_000) if edges[0] <= at <= edges[-1]]
        rows[-1].set_xticks(ticks, [f"{at:,}" for at in ticks])
        rows[-1].set_xlabel(x_label)
    return to_picture(figure, alt)


def paired_lines(
    before: ArrayLike,
    after: ArrayLike,
    *,
    names: tuple[str, str],
    title: str,
    y_label: str,
    alt: str,
) -> Picture:
    """Draw two values of each run on two uprights, joined by a line.

    Parameters
    ----------
    before, after : array of float
        The value of each run on either upright.
    names : tuple of str
        Of the two uprights.
    title, y_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    pairs = np.column_stack([np.asarray(of, dtype=np.float64) for of in (before, after)])
    with sketch(title) as (figure, axes):
        for low, high in pairs:
            axes.plot([0, 1], [low, high], color=GREEN if high > low else VERMILION, linewidth=2)
        for place, colour in ((0, ORANGE), (1, BLUE)):
            axes.plot(np.full(len(pairs), place), pairs[:, place], "o", color=colour, markersize=9)
        axes.set_xticks([0, 1], names)
        axes.set_xlim(-0.35, 1.35)
        axes.set_ylabel(y_label)
    return to_picture(figure, alt)


def sorted_gains(values: ArrayLike, *, title: str, y_label: str, alt: str) -> Picture:
    """Draw a bar for each user, from the one who loses most to the one who gains most.

    Parameters
    ----------
    values : array of float
        The gain of each user.
    title, y_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    gains = np.sort(np.asarray(values, dtype=np.float64))
    with sketch(title) as (figure, axes):
        for some, colour in ((gains < 0, VERMILION), (gains > 0, GREEN)):
            axes.bar(np.flatnonzero(some), gains[some], width=1.0, color=colour)
        axes.axhline(0, color=THEME, linewidth=0.8)
        lost, gained = int((gains < 0).sum()), int((gains > 0).sum())
        for x, y, words, side in (
            (0, 19, f"{lost} lose", "left"),
            (lost, 2, f"{len(gains) - lost - gained} unchanged", "left"),
            (len(gains) - 0.5, -18, f"{gained} gain", "right"),
        ):
            axes.annotate(words, (x, 0), xytext=(0, y), textcoords="offset points", ha=side)
        axes.set_xlabel(f"{len(gains)} users, sorted by gain")
        axes.set_ylabel(y_label)
    return to_picture(figure, alt)


def paired_bars(
    left: Mapping[str, float],
    right: Mapping[str, float],
    *,
    labels: tuple[str, str],
    title: str,
    alt: str,
) -> Picture:
    """Draw two numbers of each thing as bars from 0, on rows of two panels.

    Parameters
    ----------
    left, right : mapping
        Name of each thing and its number, for the same names.
    labels : tuple of str
        Names of the two axes.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    with sketch(title, 1.3 + 0.4 * len(left), ncols=2, sharey=True) as (figure, panels):
        for axes, values, label in zip(panels, (left, right), labels, strict=True):
            for row, name in enumerate(left):
                axes.barh(row, values[name], color=CYCLE[(row + 1) % len(CYCLE)], height=0.6)
                axes.annotate(
                    f"{values[name]:,g}",
                    (values[name], row),
                    xytext=(4, 0),
                    textcoords="offset points",
                    va="center",
                )
            axes.margins(x=0.3)
            axes.set_xlim(left=0)
            axes.xaxis.set_major_formatter("{x:,g}")
            longest = max(values.values())  # its digits decide how many numbers an axis holds
            axes.locator_params(axis="x", nbins=3 if 0.1 <= longest < 10_000 else 2)
            axes.set_xlabel(label)
        panels[0].set_yticks(range(len(left)), list(left))
        panels[0].set_ylim(len(left) - 0.5, -0.5)
    return to_picture(figure, alt)


def relative_changes(values: Mapping[str, float], *, title: str, label: str, alt: str) -> Picture:
    """Draw the relative change of each number, to the left and the right of 0.

    Parameters
    ----------
    values : mapping
        Name of each number and its change, as a share of what it was.
    title, label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    with sketch(title, 1.2 + 0.42 * len(values)) as (figure, axes):
        for row, change in enumerate(values.values()):
            axes.barh(row, 100 * change, color=GREEN if change > 0 else VERMILION, height=0.6)
            # The number of a loss stands on the side of the gains, away from the name of its row.
            axes.annotate(
                f"{100 * change:+.0f}%".replace("-", "−"),
                (max(100 * change, 0), row),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
            )
        axes.axvline(0, color=THEME, linewidth=0.8)
        axes.set_yticks(range(len(values)), list(values))
        axes.set_ylim(len(values) - 0.5, -0.5)
        axes.margins(x=0.2)
        axes.set_xlabel(label)
    return to_picture(figure, alt)
