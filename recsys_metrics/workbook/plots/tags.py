"""A few words on a ground of their own, which say that a thing can be taken hold of."""

from __future__ import annotations

from recsys_metrics.workbook import svg
from recsys_metrics.workbook.palette import ORANGE
from recsys_metrics.workbook.plots.board import WIDE

TALL = 27
_LETTER, _EDGE = 9.6, 7.0


def width(words: str) -> float:
    """Return how wide a tag with these words is."""
    return _LETTER * len(words) + 2 * _EDGE


def left(x: float, wide: float) -> float:
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
    wide = max(wide, width(words))
    start = left(x, wide)
    return [
        svg.box(start, y, wide, TALL, fill),
        svg.text(start + wide / 2, y + 19, words, anchor="middle", bold=True, ink="#000000"),
    ]
