"""A list as a row of films that are pressed, and the line that cuts it, which is dragged."""

from __future__ import annotations

from collections.abc import Sequence

from recsys_metrics._core.colors import BLUE, ORANGE
from recsys_metrics.workbook.charts import marks
from recsys_metrics.workbook.charts.board import LETTERS
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.explorables import handles

SLOT = 46
"""Side of a film's slot."""

TOP = LETTERS + 9
"""Where slots begin, below what stands over them."""

BELOW = handles.TALL + 11
"""What the name of the cut takes below the end of its line."""


def film(
    control: str,
    x: float,
    above: str,
    letter: str,
    worth: str = "",
    *,
    wanted: bool,
    shown: bool = True,
    counts: bool = True,
) -> str:
    """Draw a film that can be pressed.

    Parameters
    ----------
    control : str
        What a press changes; empty for one that cannot be pressed.
    x : float
        Its left edge.
    above : str
        Its rank, or what stands there instead.
    letter, worth : str
        Its name, and what stands behind its mark.
    wanted, shown, counts : bool
        Whether it is relevant, whether it is in the list, and whether above the cut.

    Returns
    -------
    str
    """
    missed = wanted and not shown
    filled = wanted and shown
    ink = "#ffffff" if filled else ""
    mark = ("●" if shown else "◌") if wanted else "○"
    middle = x + SLOT / 2
    parts = [
        svg.text(middle, TOP - 8, above, anchor="middle"),
        svg.box(x, TOP, SLOT, SLOT, BLUE if filled else "", dashed=missed),
        svg.text(middle, TOP + 20, letter, anchor="middle", bold=True, ink=ink),
        svg.text(
            middle,
            TOP + (39 if letter else 29),
            f"{mark} {worth}".rstrip(),
            anchor="middle",
            ink=ink,
        ),
    ]
    drawn = f'<g opacity="{1 if counts or not shown else 0.45}">{"".join(parts)}</g>'
    if not control:
        return drawn
    hit = (x - 3, 0, SLOT + 6, TOP + SLOT + 3)
    plate = (x, TOP, SLOT, SLOT)
    return handles.press(control, [drawn], plate=plate, hit=hit, is_slot=True, dashed=missed)


def cut(stops: Sequence[float], k: int, floor: float) -> str:
    """Draw the line behind rank k, down to `floor`, with its name below: it is dragged.

    Parameters
    ----------
    stops : sequence of float
        Where it stands behind each rank.
    k : int
    floor : float

    Returns
    -------
    str
    """
    x = stops[k - 1]
    line = marks.upright(x, 2, floor, ORANGE)
    at = (x, floor + handles.TALL / 2)
    return handles.drag("k", stops, at, along="x", parts=[line], words=f"K = {k}", wide=92)
