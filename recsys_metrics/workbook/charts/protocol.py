"""Charts of chapter 04: splits, sampled negatives, gains with intervals, interim analyses.

They are drawn by hand, not by matplotlib: the explorables redraw theirs at every move.
"""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.colors import BLUE, GREEN, GREY, ORANGE, VERMILION
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import Split
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.workbook.charts.marks import spread_apart
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture


@dataclass(frozen=True)
class Scale:
    """From values to places along an axis.

    Parameters
    ----------
    low, high : float
        The values at its ends.
    start, end : float
        Where the ends are drawn.
    warp : callable
        Applied to values first; a logarithm for a logarithmic axis.
    """

    low: float
    high: float
    start: float
    end: float
    warp: Callable[[float], float] = float

    def __call__(self, value: float) -> float:
        """Return where a value is drawn."""
        low, high = self.warp(self.low), self.warp(self.high)
        return self.start + (self.warp(value) - low) / (high - low) * (self.end - self.start)


def text(
    x: float, y: float, words: str, *, anchor: str = "middle", size: int = 12, bold: bool = False
) -> str:
    """Return words at a place, in the colour of the page's text."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{weight} '
        f'fill="currentColor">{html.escape(words)}</text>'
    )


def line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    *,
    colour: str = "currentColor",
    width: float = 1.0,
    dash: str = "",
) -> str:
    """Return a straight line."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}"{dashed}/>'
    )


def x_axis(
    scale: Scale, y: float, ticks: Mapping[float, str], label: str, *, size: int = 12
) -> str:
    """Return an axis with its ticks below it and its name in the middle."""
    parts = [line(scale.start, y, scale.end, y)]
    for value, words in ticks.items():
        x = scale(value)
        parts += [line(x, y, x, y + 5), text(x, y + 6 + size, words, size=size)]
    parts.append(text((scale.start + scale.end) / 2, y + 12 + 2 * size, label, size=size))
    return "".join(parts)


_WIDE, _LETTERS = svg.WIDE, svg.LETTERS


def heading(title: str) -> tuple[list[str], int]:
    """Return a title in as many lines as it takes, and where the drawing below it begins."""
    lines = svg.break_lines(title, svg.TITLE)
    parts = [
        text(0, 18 + 22 * row, words, anchor="start", size=_LETTERS, bold=True)
        for row, words in enumerate(lines)
    ]
    return parts, 10 + 22 * len(lines)


def picture(width: int, height: int, parts: Iterable[str], alt: str) -> Picture:
    """Return the parts as one drawing."""
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="system-ui, sans-serif">'
        + "".join(parts)
        + "</svg>",
        alt,
    )


def split_timelines(splits: Mapping[str, Split], names: Sequence[str], *, alt: str) -> Picture:
    """Draw the training and test events of each split, and which training events leak the future.

    Parameters
    ----------
    splits : mapping
        Name of each split and the split; all of one small table with timestamps.
    names : sequence of str
        Of the users, by number.
    alt : str
        The finding.

    Returns
    -------
    Picture
    """
    times = [t for split in splits.values() for part in split for t in _times(part)]
    x = Scale(min(times), max(times), 96, _WIDE - 24)
    parts, top = [], 20
    for title, split in splits.items():
        parts.append(text(10, top, title, anchor="start", size=_LETTERS, bold=True))
        first = min(_times(split.test))
        for row, name in enumerate(names):
            y = top + 24 + row * 26
            parts += [
                text(10, y + 5, name, anchor="start", size=_LETTERS),
                line(x.start - 12, y, x.end + 12, y, colour=GREY, width=1),
            ]
        for part, tested in ((split.train, False), (split.test, True)):
            for user, time in zip(part.user.tolist(), _times(part), strict=True):
                y = top + 24 + user * 26
                parts.append(
                    draw_event(x(time), y, tested=tested, leaks=not tested and time > first)
                )
        top += 24 + 26 * len(names) + 18
    for left, y, words, tested, leaks in (
        (18, top - 4, "training", False, False),
        (120, top - 4, "test", True, False),
        (18, top + 22, "training, but later than a test event", False, True),
    ):
        parts += [
            draw_event(left, y, tested=tested, leaks=leaks),
            text(left + 14, y + 5, words, anchor="start", size=_LETTERS),
        ]
    return picture(_WIDE, top + 38, parts, alt)


def effect_intervals(
    intervals: Mapping[str, Interval], *, title: str, label: str, alt: str
) -> Picture:
    """Draw gains with their intervals against the line of no gain.

    Parameters
    ----------
    intervals : mapping
        Name of each comparison, and the interval of its gain.
    title, label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    low = min(0.0, *(interval.low for interval in intervals.values()))
    high = max(0.0, *(interval.high for interval in intervals.values()))
    margin = 0.06 * (high - low)
    left = 24 + 9.6 * max(map(len, intervals))
    x = Scale(low - margin, high + margin, left, _WIDE - 20)
    parts, top = heading(title)
    floor = top + 6 + 34 * len(intervals)
    parts.append(x_axis(x, floor, _apart(x, low, high), "", size=_LETTERS))
    parts.append(line(x(0), top, x(0), floor, dash="4 3"))
    for row, (name, interval) in enumerate(intervals.items()):
        y = top + 18 + 34 * row
        colour = GREEN if interval.low > 0 else VERMILION if interval.high < 0 else ORANGE
        parts += [
            text(left - 10, y + 5, name, anchor="end", size=_LETTERS),
            draw_interval(x, interval, y, colour),
        ]
    # The name of the axis may be longer than the axis.
    lines = svg.break_lines(label, svg.LINE)
    parts += [
        text(_WIDE / 2, floor + 48 + 22 * row, words, size=_LETTERS)
        for row, words in enumerate(lines)
    ]
    return picture(_WIDE, floor + 34 + 22 * len(lines), parts, alt)


def draw_interval(x: Scale, interval: Interval, y: float, colour: str) -> str:
    """Return an interval as a thick line with ends, and its estimate as a dot."""
    ends = [x(interval.low), x(interval.high)]
    return (
        line(ends[0], y, ends[1], y, colour=colour, width=4)
        + "".join(line(end, y - 7, end, y + 7, colour=colour, width=2) for end in ends)
        + f'<circle cx="{x(interval.estimate):.1f}" cy="{y:.1f}" r="5" fill="{colour}" '
        'stroke="currentColor"/>'
    )


def interim_analyses(
    users: Sequence[int],
    gain: ArrayLike,
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    title: str,
    alt: str,
) -> Picture:
    """Draw a gain while its experiment runs, with one band or more around it.

    Parameters
    ----------
    users : sequence of int
        Users so far, at each look.
    gain : array of float
        The gain at each look.
    bands : mapping
        Name of each kind of interval and its lower and upper ends.
    title, alt : str
        The finding, in the picture and for those who do not see it.

    Returns
    -------
    Picture
    """
    middle = np.asarray(gain, dtype=np.float64)
    ends = {
        name: tuple(np.asarray(end, dtype=np.float64) for end in band)
        for name, band in bands.items()
    }
    reach = max(float(np.abs(end).max()) for band in ends.values() for end in band)
    parts, top = heading(title)
    x = Scale(users[0], users[-1], 56, _WIDE - 100)
    y = Scale(-reach, reach, top + 210, top + 16)
    steps = {float(n): f"{n:,}" for n in (users[0], users[(len(users) - 1) // 2], users[-1])}
    parts.append(x_axis(x, top + 216, steps, "users per group so far", size=_LETTERS))
    parts.append(line(x.start, y(0), x.end, y(0), dash="4 3"))
    parts.append(text(x.start - 6, y(0) + 5, "0", anchor="end", size=_LETTERS))
    parts.append(text(x.start - 6, top + 16, "gain", anchor="end", size=_LETTERS))
    labels = spread_apart((y(float(band[1][-1])) for band in ends.values()), 20)
    for (name, band), label, (colour, dash) in zip(
        ends.items(), labels, ((ORANGE, "6 3"), (BLUE, "")), strict=False
    ):
        parts += [_path(x, y, users, end, colour, 2, dash) for end in band]
        parts.append(text(x.end + 6, label + 5, name, anchor="start", size=_LETTERS))
    parts.append(_path(x, y, users, middle, "currentColor", 2.5, ""))
    return picture(_WIDE, top + 268, parts, alt)


def _path(
    x: Scale, y: Scale, at: Sequence[int], values: Any, colour: str, width: float, dash: str
) -> str:
    points = " ".join(f"{x(a):.1f},{y(float(v)):.1f}" for a, v in zip(at, values, strict=True))
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}" '
        f'stroke-width="{width:g}"{dashed}/>'
    )


def draw_event(x: float, y: float, *, tested: bool, leaks: bool) -> str:
    """Draw one event of a time line: for training, held out, or a leak."""
    if tested:
        return (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="none" stroke="currentColor" '
            'stroke-width="2" stroke-dasharray="4 3"/>'
        )
    if leaks:
        # A square on its corner: told from the round ones without colour.
        corners = f"{x:.1f},{y - 9:.1f} {x + 9:.1f},{y:.1f} {x:.1f},{y + 9:.1f} {x - 9:.1f},{y:.1f}"
        return f'<polygon points="{corners}" fill="{VERMILION}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{BLUE}"/>'


def _times(part: Interactions) -> list[float]:
    if part.timestamp is None:
        raise ValueError("a time line needs timestamps, and these interactions have none")
    times: list[float] = part.timestamp.tolist()
    return times


def _ticks(low: float, high: float) -> dict[float, str]:
    """Return three to six round values between two ends, 0 among them."""
    step = 10.0 ** np.floor(np.log10((high - low) / 2))
    for factor in (1, 2, 5, 10):
        if (high - low) / (step * factor) <= 6:
            step *= factor
            break
    places = max(0, -int(np.floor(np.log10(step))))
    multiples = range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)
    return {n * step: f"{n * step:.{places}f}".replace("-", "−") for n in multiples}


def _apart(x: Scale, low: float, high: float) -> dict[float, str]:
    """Return round values between two ends, so few that their numbers do not touch."""
    ticks = _ticks(low, high)
    wide = 0.6 * _LETTERS * (max(map(len, ticks.values())) + 1)
    step = min(np.diff([*ticks]), default=high - low)
    if x(step) - x(0) >= wide:
        return ticks
    places = len(next(iter(ticks.values())).partition(".")[2])
    unit = 10.0**-places
    room = next(n * unit for n in itertools.count(1) if x(n * unit) - x(0) >= wide)
    multiples = range(int(np.ceil(low / room)), int(np.floor(high / room)) + 1)
    return {n * room: f"{n * room:.{places}f}".replace("-", "−") for n in multiples}


def negative_samples(rank: int, n_items: int, n_samples: int, *, title: str, alt: str) -> Picture:
    """Draw every sample of negatives for a held-out item, those in which it ranks first on top.

    Parameters
    ----------
    rank, n_items : int
        Rank of the held-out item, and the number of items.
    n_samples : int
        How many negatives are sampled.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    others = [place for place in range(1, n_items + 1) if place != rank]
    samples = sorted(
        itertools.combinations(others, n_samples), key=lambda drawn: sum(at < rank for at in drawn)
    )
    parts, top = heading(title)
    slot = 26
    parts += [
        text(24 + slot * place, top + 14, f"{place}", size=_LETTERS)
        for place in range(1, n_items + 1)
    ]
    for row, drawn in enumerate(samples):
        y = top + 22 + 24 * row
        for place in range(1, n_items + 1):
            fill = ORANGE if place == rank else BLUE if place in drawn else ""
            parts.append(_slot(14 + slot * place, y, fill))
        first = 1 + sum(at < rank for at in drawn)
        right, words = 30 + slot * (n_items + 1), f"rank {first} of {n_samples + 1}"
        parts.append(text(right, y + 15, words, anchor="start", size=_LETTERS, bold=first == 1))
    y = top + 34 + 24 * len(samples)
    for left, words, fill in ((40, "held-out item", ORANGE), (190, "sampled", BLUE)):
        parts += [
            _slot(left, y, fill),
            text(left + 28, y + 15, words, anchor="start", size=_LETTERS),
        ]
    return picture(_WIDE, y + 28, parts, alt)


def _slot(x: float, y: float, fill: str) -> str:
    """Return a slot of a list: filled, or pale and dashed where nothing was drawn."""
    look = f'fill="{fill}"' if fill else 'fill="none" stroke-dasharray="3 3" opacity="0.5"'
    return f'<rect x="{x}" y="{y}" width="20" height="18" rx="3" stroke="currentColor" {look}/>'
