"""A chart in the workbook's style: drawn by matplotlib, shown in the reader's theme."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture

# Text and axes are drawn in this colour, which no palette holds, and take the page's in the SVG.
THEME = "#010203"

# Of all pictures of the workbook, in inches and in points: 96 and 72 of their pixels.
_WIDE, _LETTERS = svg.WIDE / 96, svg.LETTERS * 72 / 96

_STYLE = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.edgecolor": THEME,
    "axes.labelcolor": THEME,
    "axes.titlecolor": THEME,
    "text.color": THEME,
    "xtick.color": THEME,
    "ytick.color": THEME,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": _LETTERS,
    "figure.labelsize": _LETTERS,
    "font.family": "sans-serif",
    "font.size": _LETTERS,
    "svg.fonttype": "none",
    "svg.hashsalt": "recsys-metrics",
}


@contextmanager
def sketch(title: str, height: float = 3.2, **grid: Any) -> Iterator[tuple[Any, Any]]:
    """Open a figure whose letters can be read on a phone, with its title over the whole width.

    Parameters
    ----------
    title : str
        The finding; a long one is broken into lines.
    height : float
        In inches.
    **grid
        Passed to `matplotlib.figure.Figure.subplots`, ``ncols`` for instance.

    Yields
    ------
    figure, axes
        Axes alone, or an array of them.
    """
    import matplotlib as mpl
    import numpy as np
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(layout="constrained", figsize=(_WIDE, height))
        lines = svg.break_lines(title, svg.TITLE)
        figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=_LETTERS, fontweight="bold")
        axes = figure.subplots(**grid)
        for each in np.ravel(axes):
            each.locator_params(steps=[1, 2, 5, 10])  # numbers that are short
        yield figure, axes
        _break_labels(figure, list(np.ravel(axes)))


def _break_labels(figure: Any, panels: list[Any]) -> None:
    """Break names of axes that are longer than there is room for, measured as they stand."""
    names = [axis for axes in panels for axis in (axes.xaxis, axes.yaxis) if axis.get_label_text()]
    words = {axis: axis.get_label_text() for axis in names}
    for _ in range(3):  # a broken name takes room from its axes, and another may not fit then
        figure.draw_without_rendering()
        too_long = False
        for axis, said in words.items():
            label = axis.label.get_window_extent()
            long, room = max(label.width, label.height), _label_room(figure, axis, len(panels))
            if long > room:
                most = max(map(len, axis.get_label_text().split("\n")))
                longest = max(int(most * room / long), 8)
                lines = [
                    line for part in said.split("\n") for line in svg.break_lines(part, longest)
                ]
                too_long |= axis.get_label_text() != "\n".join(lines)
                axis.set_label_text("\n".join(lines))
        if not too_long:
            return


def _label_room(figure: Any, axis: Any, n_panels: int) -> float:
    """Return how long the name of an axis may be."""
    box = axis.axes.get_window_extent()
    if axis is axis.axes.yaxis:
        return float(1.04 * box.height)
    if n_panels > 1:
        return float(box.width)
    # It stands below the middle of its axis, and may be longer than that.
    middle = (box.x0 + box.x1) / 2
    return float(2 * min(middle, figure.bbox.width - middle) - 6)


def draw_vertical_lines(axes: Any, marks: Mapping[str, float], top: float) -> None:
    """Draw named upright lines, each name on a line of its own above what reaches up to the top.

    A name stands on the left if another line is on the right of it, but where there is room.
    """
    low, high = axes.get_xlim()
    for row, (name, at) in enumerate(marks.items()):
        level = top * (1.07 + 0.14 * row)
        axes.plot([at, at], [0, level], color=THEME, linestyle=("--", "-", ":")[row % 3], lw=1.4)
        # A letter takes about a fortieth of the axis.
        left, right = (
            room / (high - low) > 0.026 * len(name) + 0.02 for room in (at - low, high - at)
        )
        if left and right:
            left = any(other > at for other in marks.values())
        axes.annotate(
            name,
            (at, level),
            xytext=(-5 if left else 5, -4),
            textcoords="offset points",
            ha="right" if left else "left",
        )


def to_picture(figure: Any, alt: str) -> Picture:
    """Turn a figure into a picture in the reader's theme.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn within `sketch`.
    alt : str
        The finding in words.

    Returns
    -------
    Picture
    """
    import matplotlib as mpl

    buffer = io.StringIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    markup = buffer.getvalue()
    markup = markup[markup.index("<svg") :]
    markup = re.sub(r"<metadata>.*?</metadata>\s*", "", markup, flags=re.DOTALL)
    # In a page a style of one picture is every picture's, and would take the round ends from dots.
    markup = re.sub(r"<style[^>]*>\*\{[^}]*\}</style>", "", markup)
    markup = markup.replace("<svg", '<svg stroke-linejoin="round"', 1)
    markup = markup.replace(THEME, "currentColor")
    # The page's own fonts, so that the text of a chart reads like the text around it.
    markup = re.sub(r"font-family: [^;\"]*", "font-family: system-ui, sans-serif", markup)
    # Older releases of matplotlib write size and family as one property.
    markup = re.sub(r"font: ([^;'\"]*?)'[^']*'[^;\"]*", r"font: \1system-ui, sans-serif", markup)
    return Picture(_rename_ids(_round_coordinates(markup.strip())), alt)


def _round_coordinates(markup: str) -> str:
    """Write places in hundredths of a pixel, which nobody sees.

    matplotlib writes six decimals, whose last one differs between processors.
    """

    def shorter(tag: re.Match[str]) -> str:
        return re.sub(r"-?\b\d+\.\d{3,}\b", lambda number: f"{float(number[0]):.2f}", tag[0])

    return re.sub(r"<[^>]*>", shorter, markup)


def _rename_ids(markup: str) -> str:
    """Give shared shapes ids that depend on the drawing alone.

    matplotlib hashes the unrounded coordinates, so that a last bit, which differs between
    processors, gives the same drawing other ids.
    """
    ids = list(dict.fromkeys(re.findall(r'\bid="([A-Za-z]\w*?[0-9a-f]{10})"', markup)))
    for number, name in enumerate(ids):
        markup = re.sub(rf"\b{name}\b", f"shape-{number}-", markup)
    digest = hashlib.sha256(markup.encode()).hexdigest()[:8]
    return re.sub(r"\bshape-(\d+)-", rf"shape-{digest}-\1", markup)
