"""What can be moved in an interactive figure: grips that are dragged, plates that are pressed.

All grips look alike, and so do all plates, so that a reader sees what moves without being told.
Each names the control that it moves. A grip also says where it is for each value of the control, in
the coordinates of the group that it is in; the front end takes the nearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

from recsys_metrics._core.colors import ORANGE
from recsys_metrics.workbook.charts.marks import clamp_left, group
from recsys_metrics.workbook.common import svg

Box = tuple[float, float, float, float]
"""Left, top, width and height."""

TALL = 27
"""Height of a grip."""

FINGER = 44.0
"""Side of what a finger can hit; the front end makes it larger where a picture is scaled down."""

_LETTER, _EDGE, _ARROW = 10.4, 6.0, 12.0


def grip_width(words: str) -> float:
    """Return how wide a grip with these words is."""
    return _LETTER * len(words) + 2 * (_EDGE + _ARROW) if words else float(TALL)


def drag(
    control: str,
    stops: Sequence[float],
    at: tuple[float, float],
    *,
    along: Literal["x", "y"],
    parts: Iterable[str] = (),
    words: str = "",
    wide: float = 0.0,
) -> str:
    """Return marks that are dragged along an axis by a grip.

    Parameters
    ----------
    control : str
        Name of the control that it moves.
    stops : sequence of float
        Where it is for each of the control's values, in their order.
    at : tuple of two floats
        Middle of the grip, which stays on the sheet where words make it wide.
    along : {"x", "y"}
    parts : iterable of str
        Marks that belong to it, below the grip.
    words : str
        What the grip says; without words it is round.
    wide : float
        At least so wide, so that a grip whose words change keeps its size.

    Returns
    -------
    str
    """
    wide = max(wide, grip_width(words))
    x, y = clamp_left(at[0], wide) + wide / 2, at[1]
    hit = max(wide, FINGER)
    places = " ".join(f"{stop:.4g}" for stop in stops)
    return (
        f'<g data-move="{control}" data-{along}="{places}">{"".join(parts)}'
        f"{group(_grip(wide, words, along), x=x, y=y)}"
        f"{_hit((x - hit / 2, y - FINGER / 2, hit, FINGER))}</g>"
    )


@lru_cache(maxsize=2**12)
def _grip(wide: float, words: str, along: str) -> tuple[str, ...]:
    """Draw a grip around the origin: amber with a white rim, and an arrow at either end."""
    half = wide / 2
    out = half - 5
    arrows = f"M{5 - out:.1f} -5l-4.5 5l4.5 5M{out - 5:.1f} -5l4.5 5l-4.5 5"
    if along == "y":
        at = 0.0 if not words else 14 - half
        arrows = f"M{at - 5:.1f} -3.5l5 -4.5l5 4.5M{at - 5:.1f} 3.5l5 4.5l5 -4.5"
    middle = 8 if along == "y" else 0
    return (
        f'<rect class="grip" x="{-half:.1f}" y="{-TALL / 2}" width="{wide:.1f}" height="{TALL}" '
        f'rx="{TALL / 2}" fill="{ORANGE}" stroke="#ffffff" stroke-width="2.5"/>',
        f'<path d="{arrows}" fill="none" stroke="#000000" stroke-width="2.2" '
        'stroke-linecap="round" stroke-linejoin="round"/>',
        svg.text(middle, 6, words, anchor="middle", bold=True, ink="#000000") if words else "",
    )


def press(
    control: str,
    parts: Iterable[str],
    *,
    plate: Box,
    hit: Box | None = None,
    is_slot: bool = False,
    dashed: bool = False,
) -> str:
    """Return marks on a plate that go on to the control's next value when they are pressed.

    Parameters
    ----------
    control : str
        Name of the control that it moves; its kind is ``"press"``.
    parts : iterable of str
        The marks.
    plate : tuple of four floats
        What is outlined.
    hit : tuple of four floats, optional
        What can be hit, if that is not the plate.
    is_slot : bool
        Whether the marks have a square outline of their own, which the plate's takes the place of.
    dashed : bool
        Whether that outline is dashed.

    Returns
    -------
    str
    """
    x, y, wide, tall = plate
    look = "" if is_slot else 'rx="5" '
    if dashed:
        look += 'stroke-dasharray="4 3" '
    outline = (
        f'<rect class="plate" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" '
        f'{look}fill="none"/>'
    )
    # A slot's own outline is below the plate's; words are above what a pointer fills.
    drawn = [*parts, outline] if is_slot else [outline, *parts]
    return f'<g data-move="{control}">{"".join(drawn)}{_hit(hit or plate)}</g>'


def button(control: str, words: str, box: Box, *, name: str = "") -> str:
    """Return words on a plate that is pressed, with what they are about in front.

    Parameters
    ----------
    control : str
    words : str
        The value, as it reads.
    box : tuple of four floats
    name : str
        What has this value, in plain letters.

    Returns
    -------
    str
    """
    x, y, wide, tall = box
    base = y + tall / 2 + 6
    at, anchor = (x + wide - 10, "end") if name else (x + wide / 2, "middle")
    marks = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" rx="5" '
        'fill="none" stroke="currentColor" opacity="0.45"/>',
        svg.text(x + 10, base, name),
        svg.text(at, base, words, anchor=anchor, bold=True),
    ]
    spare = max(FINGER - tall, 0.0) / 2
    return press(control, marks, plate=box, hit=(x, y - spare, wide, tall + 2 * spare))


def _hit(box: Box) -> str:
    x, y, wide, tall = box
    return (
        f'<rect class="hit" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" '
        'fill="transparent"/>'
    )
