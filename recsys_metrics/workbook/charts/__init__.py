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
    "beyond_accuracy": ("shares_before_after", "trade_off"),
    "bias": (
        "clicks_against_impressions", "coverage_curves", "estimates_by_case",
        "estimates_with_truth", "examination_by_rank", "inverse_propensity_weights",
        "observed_share", "stacked_histograms",
    ),
    "calibration": (
        "calibration_maps", "draw_curve", "loss_contours", "outcomes_by_prediction",
        "reliability_diagram",
    ),
    "catalogue": (
        "catalog_coverage", "heatmap", "long_tail", "lorenz_curves", "self_information_curve",
        "user_scores",
    ),
    "chart": ("sketch", "to_picture"),
    "general": ("bars", "histogram", "intervals", "lines"),
    "protocol": ("effect_intervals", "interim_analyses", "negative_samples", "split_timelines"),
    "ranked_lists": ("ranked_list",),
    "ranking": (
        "dcg_contributions", "ideal_lists", "leave_one_out", "precision_recall_steps",
        "repeat_negatives", "score_threshold", "user_lists",
    ),
    "rating": ("predictions_by_rating", "rating_errors", "squared_errors"),
    "samples": (
        "accuracy_and_share", "heavy_tails", "marked_histogram", "minimum_detectable_effect",
        "paired_bars", "paired_lines", "paired_values", "relative_changes", "sorted_gains",
    ),
}  # fmt: skip
_FILE_OF = {name: file for file, names in _FILES.items() for name in names}

__all__ = sorted(_FILE_OF)


def __getattr__(name: str) -> Any:
    if name in _FILE_OF:
        return getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
