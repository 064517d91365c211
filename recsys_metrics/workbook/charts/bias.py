"""Charts of the chapter on bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.colors import BLUE, CYCLE, GREEN, GREY, ORANGE, VERMILION
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.chart import THEME, sketch, to_picture
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture


def estimates_with_truth(
    estimates: Mapping[str, tuple[float, float, float, float]],
    *,
    title: str,
    label: str,
    alt: str,
    mark_label: str = "observed rate",
) -> Picture:
    """Draw estimates with their intervals, and the observed value or the truth of each.

    Parameters
    ----------
    estimates : mapping
        Name of each row, and its estimate, both ends of its interval, and the truth.
    title, label, alt : str
        The finding, the name of the axis with its unit, and the finding for those who do not
        see it.
    mark_label : str
        What the diamonds are.

    Returns
    -------
    Picture
    """
    with sketch(title, 1.5 + 0.5 * len(estimates)) as (figure, axes):
        for row, (value, low, high, truth) in enumerate(estimates.values()):
            axes.plot([low, high], [row, row], color=BLUE, linewidth=4)
            axes.plot([low, high], [row, row], "|", color=BLUE, markersize=13, markeredgewidth=2)
            axes.plot(value, row, "o", color=BLUE, markersize=6)
            axes.plot(truth, row, "D", color=VERMILION, markersize=8)
            axes.annotate(
                f"{value:.1f}, ◆ {truth:.1f}",
                (max(high, truth), row),
                xytext=(9, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_yticks(range(len(estimates)), list(estimates))
        axes.set_ylim(len(estimates) - 0.5, -0.6)
        axes.margins(x=0.3)
        axes.set_xlim(left=0)
        axes.set_xlabel(label)
        figure.supxlabel(f"● estimate with 95% CI, ◆ {mark_label}")
    return to_picture(figure, alt)


def stacked_histograms(
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
        Name of each row and its values; those beyond the 0.1% at either end fall into the last
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
    with sketch(title, 1.0 + 0.5 * len(drawn)) as (figure, axes):
        for row, (name, of) in enumerate(drawn.items()):
            heights = np.histogram(np.clip(of, low, high), edges)[0]
            top = row + 0.4 - 0.8 * heights / heights.max()
            axes.fill_between(
                edges[:-1], row + 0.4, top, step="post", color=CYCLE[(row + 1) % len(CYCLE)]
            )
            axes.annotate(
                "\n".join(svg.break_lines(name, 16)),
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
        axes.set_xlabel(f"{label}\n(dashed: {mark_label})")
    return to_picture(figure, alt)


def coverage_curves(
    points: Mapping[str, tuple[ArrayLike, ArrayLike]], *, title: str, alt: str
) -> Picture:
    """Draw the coverage of 95% intervals against the effective sample size.

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
    styles, ends = ("o-", "s--", "^-.", "D:"), dict[str, tuple[float, float]]()
    with sketch(title) as (figure, axes):
        for i, (name, (worth, held)) in enumerate(points.items()):
            x, y = (np.asarray(of, dtype=np.float64) for of in (worth, held))
            axes.plot(x, y, styles[i % 4], color=CYCLE[(i + 1) % len(CYCLE)], linewidth=1.8)
            ends[name] = (float(x[-1]), float(y[-1]))
        axes.set_xscale("log")
        axes.margins(x=0.2)
        low, high = axes.get_xlim()
        ticks = [at for at in (1, 10, 100, 1_000, 10_000) if low <= at <= high]
        axes.set_xticks(ticks, [f"{at:,}" for at in ticks])
        axes.set_ylim(top=1.0)
        # The line of 95% ends before the names.
        furthest = max(at for at, _ in ends.values())
        reach = np.log(furthest / low) / np.log(high / low)
        axes.axhline(0.95, xmax=reach, color=THEME, linestyle="--", linewidth=1)
        # Each name below the end of its line, and below the name above it.
        free, line = np.inf, 0.11 * (1.0 - axes.get_ylim()[0])
        for name, (at, end) in sorted(ends.items(), key=lambda one: -one[1][1]):
            free = min(end - 0.55 * line, free - line)
            axes.annotate(name, (at, free), xytext=(7, 0), textcoords="offset points", va="center")
        axes.set_xlabel("effective sample size, mean over logs (dashed: 95%)")
        axes.set_ylabel("coverage of the confidence interval")
    return to_picture(figure, alt)


def observed_share(
    labels: Sequence[object],
    everybody: ArrayLike,
    observed: ArrayLike,
    *,
    title: str,
    x_label: str,
    alt: str,
) -> Picture:
    """Draw how many people have each opinion, with those who rated in full colour.

    Parameters
    ----------
    labels : sequence
        The opinions, which are numbers: stars.
    everybody, observed : array of float
        How many people have each, and how many of these rated.
    title, x_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    stars = np.asarray(labels, dtype=np.float64)
    whole, part = (np.asarray(of, dtype=np.float64) for of in (everybody, observed))
    with sketch(title) as (figure, axes):
        axes.bar(stars, whole, color="none", edgecolor=THEME, linestyle="--", width=0.72)
        axes.bar(stars, part, color=BLUE, width=0.72)
        top = float(whole.max())
        for row, (name, counts) in enumerate((("all people", whole), ("people who rated", part))):
            mean = float(np.average(stars, weights=counts))
            level = top * (1.08 + 0.13 * row)
            axes.plot([mean, mean], [0, level], color=THEME, linestyle=("--", "-")[row], lw=1.6)
            axes.annotate(
                f"{name}: {mean:.2f}",
                (mean, level),
                xytext=(-6, -4),
                textcoords="offset points",
                ha="right",
            )
        axes.set_xticks(stars, [f"{label}" for label in labels])
        axes.set_xlabel(x_label)
        axes.set_ylabel("people (filled: rated)")
        axes.yaxis.set_major_formatter("{x:,g}")
    return to_picture(figure, alt)


def inverse_propensity_weights(
    propensities: Mapping[str, float], *, title: str, alt: str
) -> Picture:
    """Draw one click on each item, with the inverse of its propensity as the area of its weight.

    Parameters
    ----------
    propensities : mapping
        Name of each item and its propensity.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    unit, gap = 70, 40
    floor = unit / min(propensities.values()) ** 0.5 + 8
    parts, x = list[str](), 1.0
    for number, (name, chance) in enumerate(propensities.items()):
        side = unit / chance**0.5
        parts += [
            svg.box(x, floor - side, side, side, dashed=True),
            svg.box(x, floor - unit, unit, unit, (BLUE, ORANGE)[number % 2]),
            svg.text(x, floor + 24, f"{name}: propensity {chance:g}"),
            svg.text(x, floor + 46, f"weight of a click {1 / chance:g}"),
        ]
        x += max(side, 200.0) + gap
    return board(title, floor + 56, parts, alt)


def estimates_by_case(
    cells: Mapping[tuple[str, str], Mapping[str, float]],
    truth: float,
    *,
    title: str,
    label: str,
    alt: str,
) -> Picture:
    """Draw estimates in four cases, two by two, each against the truth.

    Parameters
    ----------
    cells : mapping
        The name of the row and of the column of each case, and its estimates by name; the same
        names in all.
    truth : float
        Drawn as an upright line.
    title, label, alt : str
        The finding, the name of the axes, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*cells, strict=True))
    names = list(next(iter(cells.values())))
    places = [value for of in cells.values() for value in of.values()] + [truth]
    margin = 0.18 * (max(places) - min(places))
    with sketch(title, 4.0, nrows=2, ncols=2, sharex=True, sharey=True) as (figure, grid):
        for (row, column), estimates in cells.items():
            axes = grid[rows.index(row), columns.index(column)]
            axes.axvline(truth, color=THEME, linestyle="--", linewidth=1.2)
            for y, value in enumerate(estimates.values()):
                right = np.isclose(value, truth, rtol=1e-3)
                axes.plot([truth, value], [y, y], color=GREY, linewidth=2)
                axes.plot(
                    value, y, "o" if right else "X", color=GREEN if right else VERMILION, ms=10
                )
            axes.set_yticks(range(len(names)), names)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.set_xlim(min(places) - margin, max(places) + margin)
            axes.locator_params(axis="x", nbins=3)
            if rows.index(row) == 0:
                axes.set_title(column, fontweight="normal", loc="center")
            if columns.index(column) == 0:
                axes.set_ylabel(row.replace(" ", "\n", 1))
        figure.supxlabel(f"{label} (dashed: truth)")
    return to_picture(figure, alt)


def examination_by_rank(
    ranks: Sequence[int],
    curves: Mapping[str, ArrayLike],
    *,
    title: str,
    alt: str,
) -> Picture:
    """Draw how often each rank is looked at, in truth and by estimates, as shares of rank 1.

    Parameters
    ----------
    ranks : sequence of int
        From the top.
    curves : mapping
        Name and values of each curve, three at most: the truth as a line, the others as marks.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    looks = (("-", THEME, 1.6, 0), ("X", VERMILION, 0, 11), ("o", BLUE, 0, 9))
    with sketch(title) as (figure, axes):
        for (name, values), (mark, colour, width, size) in zip(curves.items(), looks, strict=False):
            axes.plot(
                ranks, np.asarray(values), mark, color=colour, linewidth=width, ms=size, label=name
            )
        axes.legend(frameon=False)
        axes.set_xticks(ranks)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("rank")
        axes.set_ylabel("examination, relative to rank 1")
    return to_picture(figure, alt)


def estimates_by_log(
    values: ArrayLike, truth: float, *, title: str, y_label: str, alt: str
) -> Picture:
    """Draw one estimate for each log, in the order of the logs, against the truth.

    Parameters
    ----------
    values : array of float
        One estimate for each log.
    truth : float
        Drawn as a level line.
    title, y_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    found = np.asarray(values, dtype=np.float64)
    with sketch(title) as (figure, axes):
        axes.axhline(truth, color=THEME, linestyle="--", linewidth=1.4)
        axes.plot(np.arange(1, len(found) + 1), found, "o", color=BLUE, markersize=8)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("log (dashed: truth)")
        axes.set_ylabel(y_label)
    return to_picture(figure, alt)


def exposure_shares(shares: ArrayLike, *, title: str, y_label: str, alt: str) -> Picture:
    """Draw the share of the impressions of each item, most shown first.

    Parameters
    ----------
    shares : array of float
        One for each item.
    title, y_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    sorted_shares = np.sort(np.asarray(shares, dtype=np.float64))[::-1]
    even = 1 / len(sorted_shares)
    with sketch(title) as (figure, axes):
        axes.bar(np.arange(1, len(sorted_shares) + 1), sorted_shares, color=BLUE)
        axes.axhline(even, color=THEME, linestyle="--", linewidth=1.4)
        axes.annotate(
            "equal exposure",
            (1, even),
            xycoords=("axes fraction", "data"),
            xytext=(0, 5),
            textcoords="offset points",
            ha="right",
        )
        axes.set_xlabel("items, most shown first")
        axes.set_ylabel(y_label)
    return to_picture(figure, alt)


def clicks_against_impressions(
    counts: ArrayLike, displays: ArrayLike, power: float, *, title: str, alt: str
) -> Picture:
    """Draw items by clicks and impressions on two logarithmic axes, with the line of a power law.

    Parameters
    ----------
    counts, displays : array of float
        Clicks before and impressions after, of each item; items without either are left out.
    power : float
        Slope of the line, which goes through the middle of the items.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    pairs = np.column_stack([np.asarray(of, dtype=np.float64) for of in (counts, displays)])
    pairs = pairs[(pairs > 0).all(axis=1)]
    middle = np.log(pairs).mean(axis=0)
    ends = np.log([pairs[:, 0].min(), pairs[:, 0].max()])
    with sketch(title) as (figure, axes):
        axes.plot(
            np.exp(ends),
            np.exp(middle[1] + power * (ends - middle[0])),
            color=ORANGE,
            linewidth=2,
            linestyle="--",
        )
        axes.plot(*pairs.T, "o", color=BLUE, markersize=8)
        axes.set_xscale("log")
        axes.set_yscale("log")
        for values, axis in zip(pairs.T, (axes.xaxis, axes.yaxis), strict=True):
            ticks = [at for at in (1, 2, 5, 10, 100, 1_000) if values.min() <= at <= values.max()]
            axis.set_ticks(ticks, [f"{at:,}" for at in ticks])
            axis.set_ticks([], minor=True)
        axes.set_xlabel("clicks in the first half")
        axes.set_ylabel("impressions in the second half")
    return to_picture(figure, alt)
