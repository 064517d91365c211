"""How large the letters of a picture are where the column is narrowest."""

from __future__ import annotations

import re

# What a phone of 390 pixels leaves for a notebook's output or a page's text.
PHONE = 342
CARD = 319  # within the frame of an exercise or of a metric's card
SMALLEST = 12
_PIXELS = {"": 1.0, "px": 1.0, "pt": 96 / 72}


def smallest_letter(svg: str, column: int = PHONE) -> float:
    """Return the size of a drawing's smallest letters on a phone, in pixels.

    A picture that is wider than the column is scaled down to it, its letters too.
    """
    first = svg[svg.index("<svg") : svg.index(">", svg.index("<svg"))]
    within = float(re.search(r'viewBox="0 0 ([\d.]+)', first)[1])
    width, unit = re.search(r'\bwidth="([\d.]+)(px|pt|)"', first).groups()
    shown = min(column, float(width) * _PIXELS[unit])
    letters = re.findall(r"font-size(?:=\"|: ?)([\d.]+)|font: (?:bold )?([\d.]+)px", svg)
    return min(float(one or other) for one, other in letters) * shown / within
