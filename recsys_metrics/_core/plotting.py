"""Plots of results with matplotlib, if it is installed: points with intervals, and curves.

matplotlib is imported when something is drawn, and is no dependency.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import cleandoc
from typing import Any, TypeVar

import numpy as np

from recsys_metrics._core.colors import BLUE, GREY

Plot = TypeVar("Plot", bound=Callable[..., Any])

_SIZE = (6.4, 3.2)
_PARAMETERS = """

Parameters
----------"""
_COMMON = """
axes : matplotlib.axes.Axes, optional
    What to draw on; by default those of a new figure. It needs matplotlib.

Returns
-------
matplotlib.axes.Axes
    Its label, ``get_label()``, says in words what it shows.
"""


def plots(method: Plot) -> Plot:
    """Add to a method's docstring what holds for every plot: its axes, and what it returns."""
    told = cleandoc(method.__doc__ or "")
    method.__doc__ = told + ("" if _PARAMETERS in told else _PARAMETERS) + _COMMON
    return method


def axes_for(axes: Any, size: tuple[float, float] = _SIZE) -> Any:
    """Return axes to draw on: the caller's, or those of a new figure."""
    if axes is not None:
        return axes
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "a plot needs matplotlib, which is not installed: pip install matplotlib. The numbers "
            "are attributes of what is plotted, for any other library"
        ) from None
    _, axes = pyplot.subplots(figsize=size, layout="constrained")
    return axes


def finish(axes: Any, *, title: str, x: str, y: str = "", alt: str) -> Any:
    """Return axes with their finding, names, and what they show in words as their label."""
    axes.set_title(title, loc="left", fontsize="medium", fontweight="bold", wrap=True)
    axes.set(xlabel=x, ylabel=y, label=alt)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def draw_intervals(
    axes: Any,
    names: Sequence[str],
    values: Sequence[float],
    ends: Sequence[Any],
    *,
    zero: bool = False,
) -> Any:
    """Draw a row for each name: its value, and its interval where there is one."""
    axes = axes_for(axes, (_SIZE[0], max(_SIZE[1] / 2, 0.8 + 0.32 * len(names))))
    places = np.arange(len(names))
    for place, interval in zip(places, ends, strict=True):
        if interval is not None:
            axes.plot([*interval], [place, place], color=BLUE, linewidth=2.5)
    axes.plot(values, places, "o", color=BLUE)
    axes.set_yticks(places, names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    if zero:
        axes.axvline(0, color=GREY, linewidth=1)
    return axes


def draw_on_square(axes: Any) -> Any:
    """Return axes from 0 to 1 on both sides, with the diagonal."""
    axes = axes_for(axes, (_SIZE[1] * 1.2, _SIZE[1] * 1.2))
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--")
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return axes


def in_words(names: Sequence[str], values: Sequence[float], ends: Sequence[Any]) -> str:
    """Return rows of values and intervals as a sentence."""
    said = [
        f"{name} {value:.3f}" + ("" if interval is None else " [{:.3f}, {:.3f}]".format(*interval))
        for name, value, interval in zip(names, values, ends, strict=True)
    ]
    return "; ".join(said)
