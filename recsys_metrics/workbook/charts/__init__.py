"""The workbook's charts.

=============  ==================================================================
file           holds
=============  ==================================================================
`chart`        the style, and how a figure becomes a picture in the page's theme
`general`      bars, lines, intervals, a histogram
`board`        what pictures drawn by hand stand on: a title, axes, letters
`ranked_lists` a ranked list as a row of numbered slots
`samples`      many draws, users as points, what could be found
=============  ==================================================================

A chart that only one subject needs stands in a file of the subject's name. All are functions of
this package, and the file of each is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_FILES = {
    "beyond_accuracy": ("mixes", "trade_off"),
    "bias": (
        "beside_truth", "coverage_curves", "grows_with", "looks_by_rank", "observed_part",
        "spreads", "stands_for", "two_by_two",
    ),
    "calibration": ("curves_on_square", "draw_curve", "outcomes", "reliability", "valley"),
    "catalogue": ("bits_by_share", "long_tail", "lorenz", "scores_of_one", "shelf", "tiles"),
    "chart": ("sketch", "to_picture"),
    "general": ("bars", "histogram", "intervals", "lines"),
    "protocol": ("drawn_samples", "effects", "looks", "timelines"),
    "ranked_lists": ("ranked_list",),
    "ranking": (
        "bar_on_scores", "each_of_them", "gain_bars", "hidden_last", "ideals", "lists_of_one",
        "stairs",
    ),
    "rating": ("errors_in_stars", "predicted_against_rated", "squares_of_errors"),
    "samples": (
        "both_sides", "changes", "draws", "findable", "risers", "side_by_side", "skyline", "tails",
        "two_of_each",
    ),
}  # fmt: skip
_FILE_OF = {name: file for file, names in _FILES.items() for name in names}

__all__ = sorted(_FILE_OF)


def __getattr__(name: str) -> Any:
    if name in _FILE_OF:
        return getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
