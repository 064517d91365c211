"""The workbook's charts: drawn by matplotlib, shown in the reader's theme."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics.workbook.palette import CYCLE
from recsys_metrics.workbook.picture import Picture

# Text and axes are drawn in this colour, which no palette holds, and take the page's in the SVG.
_THEME = "#010203"

_STYLE = {
    "figure.figsize": (6.4, 3.2),
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.edgecolor": _THEME,
    "axes.labelcolor": _THEME,
    "axes.titlecolor": _THEME,
    "text.color": _THEME,
    "xtick.color": _THEME,
    "ytick.color": _THEME,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "font.family": "sans-serif",
    "font.size": 10,
    "svg.fonttype": "none",
    "svg.hashsalt": "recsys-metrics",
}


@contextmanager
def chart(**size: Any) -> Iterator[tuple[Any, Any]]:
    """Open a figure in the workbook's style and close it afterwards.

    Parameters
    ----------
    **size
        Passed to `matplotlib.figure.Figure`, ``figsize`` for instance.

    Yields
    ------
    figure, axes
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(layout="constrained", **size)
        yield figure, figure.subplots()


def to_picture(figure: Any, alt: str) -> Picture:
    """Turn a figure into a picture in the reader's theme.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn within `chart`.
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
    markup = markup.replace(_THEME, "currentColor")
    # The page's own fonts, so that the text of a chart reads like the text around it.
    markup = re.sub(
        r"font: ([^;']*?)'[^']*'[^;']*?(?=[;\"'])", r"font: \1system-ui, sans-serif", markup
    )
    return Picture(markup.strip(), alt)


def intervals(
    values: Mapping[str, ArrayLike],
    *,
    title: str,
    label: str,
    alt: str,
    level: float = 0.95,
) -> Picture:
    """Draw each model's mean over users with its interval.

    Parameters
    ----------
    values : mapping
        Name of each model and its per-user values; NaN marks users that are left out.
    title, label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.
    level : float
        Confidence of the interval: mean ± t standard errors over users.

    Returns
    -------
    Picture
    """
    from scipy.stats import t

    with chart(figsize=(6.4, 0.7 + 0.42 * len(values))) as (figure, axes):
        for row, per_user in enumerate(values.values()):
            known = np.asarray(per_user, dtype=np.float64)
            known = known[~np.isnan(known)]
            mean = known.mean()
            half = t.ppf((1 + level) / 2, len(known) - 1) * known.std(ddof=1) / np.sqrt(len(known))
            colour = CYCLE[row % len(CYCLE)]
            axes.plot([mean - half, mean + half], [row, row], color=colour, linewidth=4)
            axes.plot(mean, row, "o", color=colour, markersize=9)
            axes.annotate(
                f"{mean:.3f}",
                (mean + half, row),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_yticks(range(len(values)), list(values))
        axes.set_ylim(len(values) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.margins(x=0.15)
        axes.set_xlabel(label)
        axes.set_title(title)
    return to_picture(figure, alt)


def lines(
    x: Sequence[float],
    series: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    alt: str,
) -> Picture:
    """Draw values over a common axis, each line named at its end.

    Parameters
    ----------
    x : sequence of float
        Common to all lines.
    series : mapping
        Name of each line and its values.
    title, x_label, y_label, alt : str
        The finding, the names of the axes, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    styles = ("-", "--", "-.", ":")
    with chart() as (figure, axes):
        for i, (name, y) in enumerate(series.items()):
            drawn = np.asarray(y, dtype=np.float64)
            axes.plot(x, drawn, styles[i % 4], color=CYCLE[(i + 1) % len(CYCLE)], linewidth=2.2)
            axes.annotate(
                name, (x[-1], drawn[-1]), xytext=(6, 0), textcoords="offset points", va="center"
            )
        axes.set_ylim(bottom=0)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.set_title(title)
    return to_picture(figure, alt)


def histogram(values: ArrayLike, *, bins: ArrayLike, title: str, x_label: str, alt: str) -> Picture:
    """Draw how many users have which value, and where the mean stands.

    Parameters
    ----------
    values : array of float
        One per user; NaN is left out.
    bins : array of float
        Edges of the bins.
    title, x_label, alt : str
        The finding, the name of the axis, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    with chart() as (figure, axes):
        counts, edges = np.histogram(known, bins=np.asarray(bins))
        axes.bar(
            edges[:-1], counts, width=np.diff(edges), align="edge", color=CYCLE[3], edgecolor=_THEME
        )
        axes.axvline(known.mean(), color=_THEME, linestyle="--")
        axes.annotate(
            f"mean {known.mean():.3f}",
            (known.mean(), counts.max()),
            xytext=(5, -4),
            textcoords="offset points",
        )
        axes.set_xlabel(x_label)
        axes.set_ylabel("users")
        axes.set_title(title)
    return to_picture(figure, alt)
