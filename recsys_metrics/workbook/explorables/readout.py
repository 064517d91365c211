"""The numbers beside a picture: a table with bars, as a still page and a live form show it."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping

from recsys_metrics._core.colors import BLUE
from recsys_metrics.workbook.explorables.control import Numbers, Quantity

# Length of a full bar in pixels; half a pixel of frame stands before it.
_WIDE, _TALL = 110, 12
_CELL = "padding:2px 10px 2px 0;background:none"


def render_readout(quantities: Mapping[str, Quantity], numbers: Numbers) -> str:
    """Return numbers as a table with bars."""
    rows = []
    for name, quantity in quantities.items():
        value = numbers[name]
        rows.append(
            f'<tr><th scope="row" style="text-align:left;font-weight:500;{_CELL}">'
            f"{html.escape(quantity.label)}</th>"
            f'<td style="text-align:right;font-variant-numeric:tabular-nums;{_CELL}">'
            f"{html.escape(quantity.format_value(value))}</td>"
            f'<td style="padding:2px 0;background:none" aria-hidden="true">'
            f"{_bar(quantity, value)}</td></tr>"
        )
    ends = {(q.low, q.high) for q in quantities.values() if q.high is not None}
    scale = " to ".join(f"{end:g}" for end in ends.pop()) if len(ends) == 1 else ""
    return (
        '<table style="border-collapse:collapse;margin:0;color:inherit">'
        '<thead><tr><th scope="col" style="text-align:left;background:none">Number</th>'
        '<th scope="col" style="text-align:right;padding-right:10px;background:none">Value</th>'
        f'<th scope="col" style="text-align:left;background:none">{scale}</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def bar_position(quantity: Quantity, value: float) -> float | None:
    """Return where on its bar a value ends, from 0 to 1; None where it has no place."""
    if quantity.high is None or math.isnan(value):
        return None
    share = (value - quantity.low) / (quantity.high - quantity.low)
    return round(float(min(1.0, max(0.0, share))), 3)


def _bar(quantity: Quantity, value: float) -> str:
    if quantity.high is None:
        return ""
    parts = [
        f'<rect x="0.5" y="0.5" width="{_WIDE}" height="{_TALL - 1}" fill="none" '
        'stroke="currentColor" opacity="0.35"/>'
    ]
    zero, here = bar_position(quantity, 0.0), bar_position(quantity, value)
    if here is not None and zero is not None:
        # A bar starts at zero, wherever the scale begins.
        start, end = (0.5 + share * _WIDE for share in sorted((zero, here)))
        parts.append(
            f'<rect x="{start:.1f}" y="0.5" width="{end - start:.1f}" height="{_TALL - 1}" '
            f'fill="{BLUE}"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE + 1}" height="{_TALL}" '
        f'viewBox="0 0 {_WIDE + 1} {_TALL}">{"".join(parts)}</svg>'
    )
