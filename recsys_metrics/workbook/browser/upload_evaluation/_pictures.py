"""Pictures of numbers as dots on one axis, in HTML that fits a phone and a wide screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from recsys_metrics.evaluation import Comparison, Difference, Report
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.workbook.common.markup import escape


@dataclass(frozen=True)
class PlottedValue:
    """One number of a picture.

    Attributes
    ----------
    name : str
        Whose number it is.
    value : float
    interval : Interval or None
        Its 95% confidence interval.
    note : str
        What stands below the name.
    hollow : bool
        Whether the dot is drawn as a ring.
    signed : bool
        Whether the value has a sign, since it is a difference.
    """

    name: str
    value: float
    interval: Interval | None = None
    note: str = ""
    hollow: bool = False
    signed: bool = False

    @property
    def written(self) -> str:
        """The value and its interval in digits."""
        value = DEFAULT_STYLE.number(self.value, signed=self.signed)
        if self.interval is None:
            return value
        return f"{value} [{', '.join(map(DEFAULT_STYLE.number, self.interval))}]"


def draw_dots(title: str, rows: Sequence[PlottedValue], legend: str = "") -> str:
    """Return rows of dots on one axis under a title that states the finding."""
    ends = [end for row in rows for end in (row.value, *(row.interval or ()))]
    ticks = choose_ticks(min(0.0, *ends), max(0.0, *ends))
    first, last = ticks[0], ticks[-1]

    def across(value: float) -> str:
        return f"{100 * (value - first) / (last - first):.2f}%"

    drawn = "".join(
        f'<div class="own-row"><span>{escape(row.name)}'
        + (f"<small>{escape(row.note)}</small>" if row.note else "")
        + f'</span><span class="own-track" style="--zero:{across(0.0)}">'
        + (
            f'<i class="own-interval" style="left:{across(row.interval.low)};'
            f'right:calc(100% - {across(row.interval.high)})"></i>'
            if row.interval
            else ""
        )
        + f'<i class="own-dot{" own-ring" * row.hollow}" style="left:{across(row.value)}"></i>'
        + f'</span><span class="own-value">{row.written}</span></div>'
        for row in rows
    )
    axis = "".join(
        f'<span style="left:{across(tick)}">{_write_tick(tick, ticks[1] - first)}</span>'
        for tick in ticks
    )
    alt = f"{title}. {'; '.join(f'{row.name} {row.written}' for row in rows)}."
    small = f"<small>{escape(legend)}</small>" if legend else ""
    return (
        f'<figure class="own-picture"><figcaption><strong>{escape(title)}</strong>{small}'
        f'</figcaption><div role="img" aria-label="{escape(alt)}">{drawn}'
        f'<div class="own-row"><span></span><span class="own-axis">{axis}</span></div></div>'
        "</figure>"
    )


def choose_ticks(low: float, high: float) -> list[float]:
    """Return three to six round numbers from below one number to above another.

    >>> choose_ticks(0, 0.49), choose_ticks(-0.034, 0.237)
    ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], [-0.1, 0.0, 0.1, 0.2, 0.3])
    """
    wide = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(wide / 4))
    step = next(power * one for one in (1, 2, 5, 10) if wide / (power * one) <= 5)
    ends = math.floor(round(low / step, 9)), math.ceil(round(high / step, 9))
    return [round(number * step, 12) for number in range(ends[0], max(ends[1], ends[0] + 1) + 1)]


def _write_tick(value: float, step: float) -> str:
    return f"{value:.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"


def draw_values(report: Report) -> str:
    """Return each metric of one report with its confidence interval; nothing if there is none."""
    rows = [
        PlottedValue(str(made), found.value, found.interval())
        for made, found in report.results.items()
        if not math.isnan(found.value)
    ]
    title = f"{report.name}: each metric with its 95% confidence interval"
    return draw_dots(title, rows) if rows else ""


def draw_differences(compared: Comparison) -> str:
    """Return the difference in each metric with its interval; nothing if no metric has one."""
    rows = [
        PlottedValue(
            str(made),
            one.gain,
            one.interval,
            hollow=not is_detected(one, compared.level),
            signed=True,
        )
        for made, one in compared.differences.items()
        if one.interval is not None
    ]
    if not rows:
        return ""
    detected = [row.name for row in rows if not row.hollow]
    many = f" after the Holm correction for {len(rows)} metrics" if len(rows) > 1 else ""
    finding = f"a difference is detected in {len(detected)} of {len(rows)} metrics"
    if len(detected) < 3:
        finding = (
            f"a difference is detected in {' and '.join(detected)}"
            if detected
            else "no difference is detected"
        )
    return draw_dots(
        f"{compared.new} minus {compared.old}: {finding}",
        rows,
        f"Lines are 95% confidence intervals. A dot is filled where p < 0.05{many}.",
    )


def is_detected(one: Difference, level: float) -> bool:
    """Whether a difference is detected by its interval and, corrected for all, by its p-value."""
    return one.interval is not None and 0 not in one.interval and one.p_adjusted < 1 - level
