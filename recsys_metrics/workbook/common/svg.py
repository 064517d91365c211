"""The few marks that pictures written by hand are made of; text and axes in the page's colour."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable
from functools import lru_cache

from recsys_metrics.workbook.common.picture import Picture

# A phone's column is 342 pixels wide. A picture of this width is shown on it at seven tenths, and
# letters of this size as 12 pixels, which is the least that one can read there.
WIDE, LETTERS = 480, 17
# So many letters of a title, and of plain words, fit into a line.
TITLE, LINE = 44, 50


@lru_cache(maxsize=2**12)
def _lines(words: str, longest: int) -> tuple[str, ...]:
    whole = words.replace(" %", "\N{NO-BREAK SPACE}%")
    fewest = len(textwrap.wrap(whole, longest))
    for width in range(max(len(whole) // max(fewest, 1), 1), longest + 1):
        lines = textwrap.wrap(whole, width)
        if len(lines) <= fewest:
            return tuple(line.replace("\N{NO-BREAK SPACE}", " ") for line in lines)
    return ()


def break_lines(words: str, longest: int) -> list[str]:
    """Break words into as few lines as they need, all of about one length.

    >>> break_lines("Even the truth has an error, and more bins raise it", 48)
    ['Even the truth has an error,', 'and more bins raise it']
    """
    return list(_lines(words, longest))


def sheet(
    width: float, height: float, parts: Iterable[str], alt: str, *, letters: int = 12
) -> Picture:
    """Put marks on a sheet of that size, with letters of that many pixels."""
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="system-ui, sans-serif" '
        f'font-size="{letters}" '
        f'fill="currentColor">{"".join(parts)}</svg>',
        alt,
    )


def text(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "start",
    bold: bool = False,
    ink: str = "",
    size: int = 0,
) -> str:
    """Write words, in the page's colour or in ink; y is the line they stand on."""
    return _text(x, y, words, anchor, bold, ink, size)


# The states of an interactive figure show the same marks again and again: each is written once.
# A zero has no sign, since a negative one is found in the place of the other.
@lru_cache(maxsize=2**15)
def _text(x: float, y: float, words: str, anchor: str, bold: bool, ink: str, size: int) -> str:
    look = "" if anchor == "start" else f' text-anchor="{anchor}"'
    look += f' font-size="{size}"' if size else ""
    look += ' font-weight="700"' if bold else ""
    look += f' fill="{ink}"' if ink else ""
    return f'<text x="{x + 0:.4g}" y="{y + 0:.4g}"{look}>{html.escape(words)}</text>'


def box(
    x: float, y: float, wide: float, tall: float, fill: str = "", *, dashed: bool = False
) -> str:
    """Draw a rectangle: filled, or hollow in the page's colour."""
    return _box(x, y, wide, tall, fill, dashed)


@lru_cache(maxsize=2**15)
def _box(x: float, y: float, wide: float, tall: float, fill: str, dashed: bool) -> str:
    look = f'fill="{fill}"' if fill else 'fill="none" stroke="currentColor" stroke-width="1.3"'
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<rect x="{x + 0:.1f}" y="{y + 0:.1f}" width="{wide + 0:.1f}" height="{tall + 0:.1f}" '
        f"{look}{dash}/>"
    )


def line(
    x1: float, y1: float, x2: float, y2: float, *, wide: float = 1, dashed: bool = False
) -> str:
    """Draw a straight line in the page's colour."""
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" '
        f'stroke-width="{wide:g}"{dash}/>'
    )


def stroke(points: Iterable[tuple[float, float]], colour: str, *, dashed: bool = False) -> str:
    """Draw a coloured line through points."""
    dash = ' stroke-dasharray="5 3"' if dashed else ""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2"{dash}/>'


def dot(x: float, y: float, fill: str = "", *, size: float = 4) -> str:
    """Draw a dot: filled, or hollow in the page's colour."""
    look = f'fill="{fill}"' if fill else 'fill="none" stroke="currentColor" stroke-width="1.5"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" {look}/>'
