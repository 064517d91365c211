"""A picture of what one file of recommendations gained over another."""

from __future__ import annotations

from recsys_metrics._core.colors import BLUE, GREY
from recsys_metrics._core.plotting import in_words
from recsys_metrics.evaluation import Comparison, Difference
from recsys_metrics.workbook.common.svg import dot, line, sheet, stroke, text

# As wide as a phone shows it with letters that can be read: names stand above their intervals.
_WIDE, _ROW, _TOP, _LETTERS = 340, 40, 24, 13
_LEFT, _RIGHT = 26, 314


def draw_gains(compared: Comparison) -> str:
    """Return the gains with their intervals as a picture; nothing if no measure has one.

    Parameters
    ----------
    compared : Comparison
    """
    shown = {str(made): one for made, one in compared.differences.items() if one.interval}
    if not shown:
        return ""
    ends = [end for one in shown.values() for end in (one.interval or ())]
    low, high = min(0.0, *ends), max(0.0, *ends)
    scale = (_RIGHT - _LEFT) / ((high - low) or 1.0)

    def across(value: float) -> float:
        return _LEFT + (value - low) * scale

    bottom = _TOP + _ROW * len(shown)
    parts = [
        line(across(0.0), _TOP - 6, across(0.0), bottom, dashed=True),
        text(across(0.0), _TOP - 10, "no gain", anchor="middle"),
    ]
    for place, (name, one) in enumerate(shown.items()):
        y = _TOP + _ROW * place + 28
        assert one.interval is not None
        colour = BLUE if excludes_zero(one) else GREY
        parts += [
            text(_WIDE / 2, y - 12, name, anchor="middle"),
            stroke([(across(end), y) for end in one.interval], colour),
            dot(across(one.gain), y, colour),
        ]
    for value in (low, high):
        if value:
            parts.append(text(across(value), bottom + 16, f"{value:+.3f}", anchor="middle"))
    clear = [name for name, one in shown.items() if excludes_zero(one)]
    finding = (
        f"the interval of {', '.join(clear)} leaves out 0" if clear else "all intervals hold 0"
    )
    told = in_words(
        [*shown], [one.gain for one in shown.values()], [one.interval for one in shown.values()]
    )
    alt = f"Gains of {compared.new} over {compared.old}: {finding}. {told}."
    return sheet(_WIDE, bottom + 24, parts, alt, letters=_LETTERS).inline()


def excludes_zero(one: Difference) -> bool:
    """Whether the interval of a gain leaves out 0."""
    return one.interval is not None and 0 not in one.interval
