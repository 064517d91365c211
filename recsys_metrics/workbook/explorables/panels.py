"""Panels of an interactive figure, one below the other, and the marks that they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recsys_metrics._core.colors import BLUE
from recsys_metrics.workbook.charts.marks import group
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg

HEADING, _GAP = 25.0, 10.0


@dataclass(frozen=True)
class Panel:
    """One panel.

    Parameters
    ----------
    heading : str
        What it shows.
    value : str
        Its number, in bold at the right end of the heading.
    height : float
        Of what is drawn.
    parts : sequence of str
        The marks, whose upper edge is at 0.
    """

    heading: str
    value: str
    height: float
    parts: Sequence[str]


def stack(panels: Iterable[Panel]) -> tuple[list[str], float]:
    """Return panels one below the other, and the height that they take."""
    drawn, y = [], 0.0
    for panel in panels:
        drawn += [
            svg.text(0, y + 17, panel.heading),
            svg.text(svg.WIDE, y + 17, panel.value, anchor="end", bold=True),
            group(panel.parts, y=y + HEADING),
        ]
        y += HEADING + panel.height + _GAP
    return drawn, y - _GAP


def value_row(
    y: float, name: str, share: float, words: str, *, scale: Scale, bold: bool = False
) -> list[str]:
    """Draw a name, a bar from 0 to a share of its scale, and the value behind it.

    Parameters
    ----------
    y : float
        Middle of the row.
    name : str
    share : float
        Where the bar ends.
    words : str
        The value, as it reads.
    scale : Scale
        Its start is where bars begin.
    bold : bool
        Whether it is the row that is taken.
    """
    wide = scale(share) - scale(0)
    return [
        svg.text(scale(0) - 8, y + 6, name, anchor="end", bold=bold),
        group([svg.box(0, -6, wide, 12, BLUE)], x=scale(0), y=y, opacity=1 if bold else 0.45),
        svg.text(scale(0) + wide + 7, y + 6, words, bold=bold),
    ]


def ruler(scale: Scale, y: float, ticks: dict[float, str]) -> list[str]:
    """Draw a horizontal axis with its ticks and their words."""
    parts = [svg.line(scale.start, y, scale.end, y)]
    for value, words in ticks.items():
        parts.append(svg.line(scale(value), y, scale(value), y + 4))
        parts.append(svg.text(scale(value), y + 20, words, anchor="middle"))
    return parts
