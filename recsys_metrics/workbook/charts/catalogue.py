"""Charts of chapter 03 of a whole catalogue: what is shown of it, how evenly, from which end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.colors import BLUE, CYCLE, GREY, ORANGE
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.beyond_accuracy import (
    gini,
    long_tail_share,
    lorenz_curve,
    recommendation_counts,
    self_information,
)
from recsys_metrics.workbook.charts.board import WIDE, axes, board
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture


def catalog_coverage(
    lists: Mapping[str, Any], items: Sequence[str], *, title: str, alt: str
) -> Picture:
    """Draw the shelf of a shop once for each recommender: a box an item for each time it is shown.

    Parameters
    ----------
    lists : mapping
        Name of each recommender, and its lists.
    items : sequence of str
        All there is; twelve at most.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    step, unit = WIDE / len(items), 18
    parts: list[str] = []
    floor = 0.0
    for name, of in lists.items():
        times = recommendation_counts(of, catalog=items)
        parts.append(
            svg.text(0, floor + 17, f"{name}: {np.count_nonzero(times)} films recommended")
        )
        floor += 32 + unit * max(int(times.max()), 1)
        for place, (item, count) in enumerate(zip(items, times, strict=True)):
            x, wide = place * step + 3, step - 6
            parts += [
                svg.box(x, floor - unit * (n + 1), wide, unit - 3, BLUE) for n in range(int(count))
            ]
            if not count:
                parts.append(svg.box(x, floor - unit, wide, unit - 3, dashed=True))
            parts.append(svg.text(x + wide / 2, floor + 18, item, anchor="middle"))
        parts.append(svg.line(0, floor, WIDE, floor))
        floor += 34
    return board(title, floor - 10, parts, alt)


def long_tail(
    audience: ArrayLike | Mapping[str, int],
    lists: Mapping[str, Any],
    *,
    title: str,
    alt: str,
) -> Picture:
    """Draw the interactions of each film, most first, and below them what recommenders show.

    The head, films that hold a fifth of all that people did, is cut off by a line. The films
    stand on a logarithmic axis, or the head would be a hair's breadth.

    Parameters
    ----------
    audience : array of int of shape (n_items,), or mapping
        How many users interacted with each item; with names, which a short axis shows.
    lists : mapping
        Name of each recommender and its lists of items, all of one length.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    named = isinstance(audience, Mapping)
    names = list(audience) if isinstance(audience, Mapping) else list(range(np.size(audience)))
    met = np.asarray([*audience.values()] if isinstance(audience, Mapping) else audience)
    order = np.argsort(-met, kind="stable")
    n_items = len(met)
    in_tail = long_tail_share([[item] for item in names], audience, of="interactions") > 0
    head = int((~in_tail).sum())
    x = Scale(1, n_items + 1, 0, WIDE, math.log)
    y = Scale(0, float(met.max()), 150, 30)
    ranks = distinct(np.geomspace(1, n_items, 200).astype(np.intp))
    curve = [
        (x(int(at)), y(float(met[order[rank - 1]])))
        for rank, end in zip(ranks, [*ranks[1:], n_items + 1], strict=True)
        for at in (rank, end)
    ]
    cut = x(head + 1)
    highest = max(y(float(met[order[min(head, n_items - 1)]])), 48.0)  # of the tail
    parts = [
        _area([point for point in curve if point[0] <= cut], y(0), ORANGE),
        _area([point for point in curve if point[0] >= cut], y(0), GREY),
        svg.text(0, 17, f"users who interacted with the film, maximum {met.max():,}"),
        svg.text(cut - 8, y(0) - 10, f"head: {head}", anchor="end", ink="#000000"),
        svg.text(cut + 8, highest - 8, f"tail: {n_items - head:,} films"),
        svg.line(0, y(0), WIDE, y(0)),
    ]
    # As many bins as the axis has room for; the first ranks are wider than one.
    edges = distinct(np.geomspace(1, n_items + 1, 48).astype(np.intp))
    floor = y(0)
    for name, of in lists.items():
        times = recommendation_counts(of, catalog=names if named else n_items)[order]
        share = float(np.mean(long_tail_share(of, audience, of="interactions")))
        parts.append(svg.text(0, floor + 21, f"{name}: {100 * share:.0f}% from the tail"))
        floor += 56
        bins = np.add.reduceat(times, edges[:-1] - 1) / times.sum()
        for left, right, part in zip(edges[:-1], edges[1:], bins, strict=True):
            if part:
                start, tall = x(int(left)), max(28 * part / bins.max(), 1.5)
                end = x(int(right))
                fill = ORANGE if int(left) <= head else GREY  # as above
                parts.append(svg.box(start, floor - tall, max(end - start - 1, 1.5), tall, fill))
        parts.append(svg.line(0, floor, WIDE, floor))
        # Not through the words above the bars.
        parts.append(svg.line(cut, floor - 30, cut, floor, wide=2, dashed=True))
    parts.append(svg.line(cut, 24, cut, y(0), wide=2, dashed=True))
    if named:
        ticks = {x(place + 1.5): str(names[item]) for place, item in enumerate(order)}
    else:
        ticks = {
            x(10**power) + 6: f"{10**power:,}" for power in range(int(math.log10(n_items)) + 1)
        }
    parts += [svg.text(at, floor + 20, words, anchor="middle") for at, words in ticks.items()]
    parts.append(svg.text(WIDE, floor + 42, "films, most popular first", anchor="end"))
    return board(title, floor + 50, parts, alt)


def _area(points: Sequence[tuple[float, float]], floor: float, fill: str) -> str:
    """Fill what lies between a line and the floor."""
    outline = [(points[0][0], floor), *points, (points[-1][0], floor)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)
    return f'<polygon points="{path}" fill="{fill}"/>'


def lorenz_curves(
    times: Mapping[str, ArrayLike],
    n_places: int,
    *,
    title: str,
    alt: str,
    start: float = 0.0,
) -> Picture:
    """Draw the Lorenz curves of several recommenders, and the most even that can be.

    Parameters
    ----------
    times : mapping
        Name of each recommender, and how often it shows each item of the catalogue.
    n_places : int
        How many places there were to fill: with fewer than there are items, some must get none.
    title, alt : str
        The finding, and the finding for those who do not see it.
    start : float
        The share of the items where the horizontal axis begins: what lies before it is shown
        hardly at all.

    Returns
    -------
    Picture
    """
    n_items = len(np.asarray(next(iter(times.values()))))
    each, more = divmod(n_places, n_items)
    even = np.full(n_items, each) + (np.arange(n_items) < more)
    grid = np.linspace(start, 1, 161)
    x, y = Scale(start, 1, 44, WIDE - 30), Scale(0, 1, 300, 30)
    dashes = ("7 4", "2 3", "9 3 2 3", "")
    parts = []
    for row, (name, of) in enumerate({"most even": even, **times}.items()):
        curve = lorenz_curve(of)
        held = np.interp(grid, curve.items, curve.share)
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in zip(grid, held, strict=True))
        colour = CYCLE[row - 1] if row else "currentColor"
        dash = dashes[(row - 1) % 4] if row else "3 3"
        look = f'stroke="{colour}" stroke-width="{2.6 if row else 1.4}" stroke-dasharray="{dash}"'
        parts.append(f'<polyline points="{path}" fill="none" {look}/>')
        line = 52 + 24 * row
        parts.append(
            f'<line x1="56" y1="{line - 5}" x2="92" y2="{line - 5}" {look}/>'
            + svg.text(100, line, f"{name}: Gini {gini(of):.3f}")
        )
    ticks = np.linspace(start, 1, 5)
    parts += axes(
        x,
        y,
        x_ticks={float(at): f"{100 * at:.0f}%" for at in ticks},
        y_ticks={0.0: "0", 0.5: "½", 1.0: "1"},
        x_label="share of films, least shown first",
        y_label="share of impressions",
    )
    return board(title, 350, parts, alt)


def self_information_curve(
    audience: Mapping[str, int], n_people: int, *, title: str, alt: str
) -> Picture:
    """Draw the bits of each film over the share of people who know it.

    Parameters
    ----------
    audience : mapping
        How many people know each film, none of them 0.
    n_people : int
        How many people there are.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    bits = self_information([[film] for film in audience], audience, n_people)
    x, y = Scale(0, 1, 30, WIDE - 30), Scale(0, math.ceil(bits.max()), 240, 30)
    grid = np.geomspace(1 / n_people, 1, 80)
    parts = [svg.stroke([(x(share), y(-math.log2(share))) for share in grid], GREY)]
    for place, ((film, people), value) in enumerate(zip(audience.items(), bits, strict=True)):
        at = x(people / n_people), y(float(value))
        parts.append(svg.dot(*at, BLUE, size=6))
        # Names stand on both sides of the curve, or those of rare films would lie on each other.
        # Left of the upright axis they would lie among its ticks.
        above = place % 2 or at[1] > y(0) - 24 or at[0] - 18 < x(0)
        side = (9, -5) if above else (-18, 17)
        parts.append(svg.text(at[0] + side[0], at[1] + side[1], film))
    parts += axes(
        x,
        y,
        x_ticks={n / 4: f"{25 * n}%" for n in range(5)},
        y_ticks={float(n): str(n) for n in range(0, math.ceil(bits.max()) + 1, 2)},
        x_label="share of users who know the film",
        y_label="bits",
    )
    return board(title, 290, parts, alt)


def user_scores(
    scores: Mapping[str, tuple[ArrayLike, ArrayLike]], *, title: str, alt: str
) -> Picture:
    """Draw the scores that each model gives one user's films, and which of them make the list.

    Parameters
    ----------
    scores : mapping
        Name of each model; all its scores for the user, and those of the list. Each model has an
        axis of its own, from its lowest score to its highest.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    parts: list[str] = []
    floor = 0.0
    for name, (everything, top) in scores.items():
        values, best = (np.asarray(of, dtype=np.float64) for of in (everything, top))
        low, high = float(values.min()), float(values.max())
        counts, edges = np.histogram(values, np.linspace(low, high, 49))
        x = Scale(low, high, 4, WIDE - 4)
        says = f"{name}: {low:.3g} to {high:.3g}".replace("-", "\N{MINUS SIGN}")
        parts.append(svg.text(0, floor + 17, says))
        floor += 92
        # On a scale of counts the few high scores would not be seen beside thousands.
        tallest = math.log1p(counts.max())
        for count, left, right in zip(counts, edges[:-1], edges[1:], strict=True):
            if count:
                tall = 52 * math.log1p(count) / tallest
                start, wide = x(float(left)), x(float(right)) - x(float(left)) - 1
                parts.append(svg.box(start, floor - tall, wide, tall, GREY))
        for value in distinct(best):
            at = x(float(value))
            parts.append(svg.stroke([(at, floor), (at, floor - 62)], ORANGE))
        parts.append(svg.line(0, floor, WIDE, floor))
        floor += 6
    parts.append(svg.text(WIDE, floor + 18, "films by score; lines: the top ten", anchor="end"))
    return board(title, floor + 26, parts, alt)


def heatmap(matrix: ArrayLike, names: Sequence[object], *, title: str, alt: str) -> Picture:
    """Draw a table of pairs as tiles, the larger the value the stronger in colour.

    Parameters
    ----------
    matrix : array of float of shape (n, n)
        A value for each pair, none below 0; seven rows at most.
    names : sequence
        Of the rows, and of the columns.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    values = np.asarray(matrix, dtype=np.float64)
    top = values.max()
    step = 56
    parts = []
    for row, (name, of) in enumerate(zip(names, values, strict=True)):
        y = 26 + row * step
        parts.append(svg.text(30, y + step / 2 + 5, str(name), anchor="end"))
        parts.append(svg.text(44 + row * step + step / 2, 17, str(name), anchor="middle"))
        for column, value in enumerate(of):
            x = 44 + column * step
            parts.append(svg.box(x, y, step - 3, step - 3))
            if value:
                depth = f"{0.2 + 0.8 * value / top:.2f}"
                parts.append(f'<g opacity="{depth}">{svg.box(x, y, step - 3, step - 3, BLUE)}</g>')
            # On a pale tile only the page's own ink is legible.
            dark = value > 0.6 * top
            middle, base = x + (step - 3) / 2, y + step / 2 + 5
            ink = "#ffffff" if dark else ""
            parts.append(svg.text(middle, base, f"{value:.2g}", anchor="middle", ink=ink))
    return board(title, 30 + step * len(values), parts, alt)
