"""A chart in the workbook's style: drawn by matplotlib, shown in the reader's theme."""

from __future__ import annotations

import hashlib
import io
import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from recsys_metrics.workbook.picture import Picture

# Text and axes are drawn in this colour, which no palette holds, and take the page's in the SVG.
THEME = "#010203"

# On a phone a picture of this width, in inches, keeps letters of this size, in points, legible:
# 480 pixels with letters of 16 become 360 with letters of 12.
_WIDE, _LETTERS = 5.0, 12

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
        figure.suptitle(
            textwrap.fill(title, 46), x=0.01, ha="left", fontsize=_LETTERS, fontweight="bold"
        )
        axes = figure.subplots(**grid)
        yield figure, axes
        for each in np.ravel(axes):
            # Names that would be longer than their axes.
            if "\n" not in each.get_xlabel():
                each.set_xlabel(textwrap.fill(each.get_xlabel(), 42))
            if "\n" not in each.get_ylabel():
                each.set_ylabel(textwrap.fill(each.get_ylabel(), 26))


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
    markup = markup.replace(THEME, "currentColor")
    # The page's own fonts, so that the text of a chart reads like the text around it.
    markup = re.sub(r"font-family: [^;\"]*", "font-family: system-ui, sans-serif", markup)
    # Older releases of matplotlib write size and family as one property.
    markup = re.sub(r"font: ([^;'\"]*?)'[^']*'[^;\"]*", r"font: \1system-ui, sans-serif", markup)
    return Picture(_named_by_what_is_drawn(_rounded(markup.strip())), alt)


def _rounded(markup: str) -> str:
    """Write places in hundredths of a pixel, which nobody sees.

    matplotlib writes six decimals, whose last one differs between processors.
    """

    def shorter(tag: re.Match[str]) -> str:
        return re.sub(r"-?\b\d+\.\d{3,}\b", lambda number: f"{float(number[0]):.2f}", tag[0])

    return re.sub(r"<[^>]*>", shorter, markup)


def _named_by_what_is_drawn(markup: str) -> str:
    """Give shared shapes ids that depend on the drawing alone.

    matplotlib hashes the unrounded coordinates, so that a last bit, which differs between
    processors, gives the same drawing other ids.
    """
    ids = list(dict.fromkeys(re.findall(r'\bid="([A-Za-z]\w*?[0-9a-f]{10})"', markup)))
    for number, name in enumerate(ids):
        markup = re.sub(rf"\b{name}\b", f"shape-{number}-", markup)
    digest = hashlib.sha256(markup.encode()).hexdigest()[:8]
    return re.sub(r"\bshape-(\d+)-", rf"shape-{digest}-\1", markup)
