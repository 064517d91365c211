"""What can be taken hold of in an explorable's picture: a part that is dragged or pressed.

A handle names the control that it moves. One that is dragged says where it stands for each value
of the control, in the coordinates of the group that it stands in; the front end takes the nearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

Grip = tuple[float, float, float, float]
"""Left, top, width and height of what a finger can hit; 40 to 44 pixels or more to each side."""


def drag(
    control: str,
    stops: Sequence[float],
    parts: Iterable[str],
    *,
    along: Literal["x", "y"],
    grip: Grip,
) -> str:
    """Return marks that are dragged along an axis; the keyboard has the control's slider.

    Parameters
    ----------
    control : str
        Name of the control that it moves.
    stops : sequence of float
        Where it stands for each of the control's values, in their order.
    parts : iterable of str
        The marks.
    along : {"x", "y"}
    grip : tuple of four floats
        Left, top, width and height of what can be hit.

    Returns
    -------
    str
    """
    places = " ".join(f"{stop:.4g}" for stop in stops)
    return f'<g data-move="{control}" data-{along}="{places}">{"".join(parts)}{_hit(grip)}</g>'


def press(control: str, parts: Iterable[str], *, grip: Grip) -> str:
    """Return marks that go on to the control's next value when they are pressed.

    Parameters
    ----------
    control : str
        Name of the control that it moves; its kind is ``"press"``.
    parts : iterable of str
        The marks.
    grip : tuple of four floats
        Left, top, width and height of what can be hit.

    Returns
    -------
    str
    """
    return f'<g data-move="{control}">{"".join(parts)}{_hit(grip)}</g>'


def _hit(grip: Grip) -> str:
    x, y, wide, tall = grip
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" fill="transparent"/>'
    )
