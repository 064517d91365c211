"""Marks of pictures that are moved: what a hand takes hold of, and what moves as one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import fmean

from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.svg import WIDE


def clamp_left(x: float, wide: float) -> float:
    """Return where something so wide begins that has its middle at x, or as near as the sheet has.

    A handle at the edge of a picture stays inside of it.
    """
    return min(max(x - wide / 2, 0.0), WIDE - wide)


def upright(x: float, top: float, floor: float, fill: str, *, wide: float = 2.5) -> str:
    """Draw an upright line that the front end can move to another place."""
    return group([svg.box(-wide / 2, top, wide, floor - top, fill)], x=x)


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
