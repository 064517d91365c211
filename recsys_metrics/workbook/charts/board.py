"""A picture drawn by hand for any width: its title on top, its letters legible on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture

WIDE, LETTERS = svg.WIDE, svg.LETTERS
_LINE = 22


def board(title: str, height: float, parts: Iterable[str], alt: str) -> Picture:
    """Put marks below a title that takes as many lines as it needs.

    Parameters
    ----------
    title : str
        The finding; none where it is the reader's to make.
    height : float
        Of what is drawn, whose upper edge is at 0.
    parts : iterable of str
        The marks.
    alt : str
        The finding in words.

    Returns
    -------
    Picture
    """
    lines = svg.break_lines(title, svg.TITLE)
    top = _LINE * len(lines) + (8 if lines else 0)
    words = [svg.text(0, 17 + _LINE * row, line, bold=True) for row, line in enumerate(lines)]
    drawn = f'<g transform="translate(0 {top})">{"".join(parts)}</g>'
    return svg.sheet(WIDE, round(top + height), [*words, drawn], alt, letters=LETTERS)


def axes(
    x: Scale,
    y: Scale,
    *,
    x_ticks: Mapping[float, str],
    y_ticks: Mapping[float, str],
    x_label: str,
    y_label: str,
) -> list[str]:
    """Draw two axes with their names: one below, the other over its upper end.

    It takes 46 pixels below the horizontal axis, 24 above the other one.
    """
    floor = y.start
    parts = [
        svg.line(x.start, floor, x.end, floor),
        svg.line(x.start, floor, x.start, y.end),
        svg.text(x.start, y.end - 9, y_label),
        svg.text(x.end, floor + 41, x_label, anchor="end"),
    ]
    for value, words in x_ticks.items():
        parts.append(svg.line(x(value), floor, x(value), floor + 4))
        parts.append(svg.text(x(value), floor + 20, words, anchor="middle"))
    for value, words in y_ticks.items():
        parts.append(svg.line(x.start - 4, y(value), x.start, y(value)))
        parts.append(svg.text(x.start - 7, y(value) + 5, words, anchor="end"))
    return parts


def slot(x: float, y: float, side: float, mark: str, fill: str = "") -> list[str]:
    """Draw one slot of a list with its mark: filled with a hit, hollow without."""
    ink = "#ffffff" if fill else ""
    return [
        svg.box(x, y, side, side, fill),
        svg.text(x + side / 2, y + side / 2 + 6, mark, anchor="middle", ink=ink),
    ]
