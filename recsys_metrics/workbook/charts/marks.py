"""Marks of pictures that are moved: what a hand takes hold of, and what moves as one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import fmean

from recsys_metrics._core.colors import ORANGE
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.svg import WIDE

TALL = 27
_LETTER, _EDGE = 10.4, 7.0


def tag_width(words: str) -> float:
    """Return how wide a tag with these words is."""
    return _LETTER * len(words) + 2 * _EDGE


def clamp_left(x: float, wide: float) -> float:
    """Return where something so wide begins that has its middle at x, or as near as the sheet has.

    A handle at the edge of a picture stays inside of it.
    """
    return min(max(x - wide / 2, 0.0), WIDE - wide)


def tag(x: float, y: float, words: str, *, wide: float = 0.0, fill: str = ORANGE) -> list[str]:
    """Draw a tag with its middle at x, its upper edge at y.

    Parameters
    ----------
    x, y : float
    words : str
    wide : float
        At least so wide, so that a tag whose words change keeps its size.
    fill : str
        Its ground; black letters are legible on it.

    Returns
    -------
    list of str
    """
    wide = max(wide, tag_width(words))
    start = clamp_left(x, wide)
    return [
        svg.box(start, y, wide, TALL, fill),
        svg.text(start + wide / 2, y + 19, words, anchor="middle", bold=True, ink="#000000"),
    ]


def line_with_tag(
    x: float, top: float, floor: float, words: str, *, wide: float, fill: str = ORANGE
) -> str:
    """Draw an upright line with its tag below, which move as one; the tag stays on the sheet."""
    start = clamp_left(x, wide) - x
    return group(
        [
            svg.box(-1.25, top, 2.5, floor - top, fill),
            svg.box(start, floor, wide, TALL, fill),
            svg.text(
                start + wide / 2, floor + 19, words, anchor="middle", bold=True, ink="#000000"
            ),
        ],
        x=x,
    )


def knob(x: float, y: float, fill: str) -> str:
    """Draw a round knob with a rim, to be taken hold of."""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{fill}" stroke="currentColor" '
        'stroke-width="1.5"/>'
    )


def group(
    parts: Iterable[str], *, x: float = 0, y: float = 0, opacity: float = 1, turn: float = 0
) -> str:
    """Put marks together: moved to a place, turned around it, and faded."""
    turned = f" rotate({turn:g})" if turn else ""
    return (
        f'<g transform="translate({x:.1f} {y:.1f}){turned}" opacity="{opacity:g}">'
        f"{''.join(parts)}</g>"
    )


def path(points: Iterable[tuple[float, float]], look: str, *, closed: bool = False) -> str:
    """Draw a line through points that the front end can move to other points."""
    through = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{through}{"Z" if closed else ""}" {look}/>'


def spread_apart(
    places: Iterable[float], gap: float, low: float = -math.inf, high: float = math.inf
) -> list[float]:
    """Return places moved so that each is a gap from the next, as little as can be, within bounds.

    Examples
    --------
    >>> spread_apart([50, 56, 100], 20)
    [43.0, 63.0, 100.0]
    >>> spread_apart([58, 59], 20, 0, 60)
    [40.0, 60.0]
    """
    given = [float(place) for place in places]
    order = sorted(range(len(given)), key=given.__getitem__)
    # Less what each must stand behind the first, places may not fall: those that do are pooled.
    pools: list[list[float]] = []
    for behind, at in enumerate(order):
        pools.append([given[at] - gap * behind])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    level = (fmean(pool) for pool in pools for _ in pool)
    last_of_all, found = float(high) - gap * (len(given) - 1), [0.0] * len(given)
    for behind, (at, place) in enumerate(zip(order, level, strict=True)):
        found[at] = min(max(place, float(low)), last_of_all) + gap * behind
    return found
