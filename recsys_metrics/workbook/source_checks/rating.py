"""Recomputed entries on rating errors."""

from __future__ import annotations

from typing import Any

from recsys_metrics.rating import error_ratio, mae, median_absolute_error, mse, rmse

Values = dict[str, Any]


def errors(predicted: list[float], actual: list[float]) -> Values:
    """Return the errors and every measure of them."""
    squared = [mse([a], [p]) for a, p in zip(actual, predicted, strict=True)]
    absolute = [mae([a], [p]) for a, p in zip(actual, predicted, strict=True)]
    return {
        "errors": [p - a for a, p in zip(actual, predicted, strict=True)],
        "absolute_errors": absolute,
        "mae": mae(actual, predicted),
        "mse": mse(actual, predicted),
        "rmse": rmse(actual, predicted),
        "ratio": error_ratio(actual, predicted),
        "rmse_above_mae": bool(rmse(actual, predicted) > mae(actual, predicted)),
        "largest_share_of_squared_error": max(squared) / sum(squared) if any(squared) else 0.0,
        "largest_at": 1 + absolute.index(max(absolute)),
    }


def constant_mean(actual: list[float]) -> Values:
    """Return the errors of always predicting the user's mean."""
    mean = sum(actual) / len(actual)
    constant = [mean] * len(actual)
    return {"mean": mean, "mae": mae(actual, constant), "rmse": rmse(actual, constant)}


def weight_of_errors(sizes: list[float]) -> Values:
    """Return what single errors contribute to MAE and to MSE."""
    absolute, squared = ([measure([0], [e]) for e in sizes] for measure in (mae, mse))
    return {
        "contributions": absolute,
        "ratio_of_contributions": max(absolute) / min(absolute),
        "ratio_under_squares": max(squared) / min(squared),
    }


def ratio_bands(cases: dict[str, dict[str, list[float]]], bands: list[float]) -> Values:
    """Return the ratio of two cases, the post's name for it, and how many errors are large."""
    found: Values = {}
    counts_large_errors = True
    for name, case in cases.items():
        ratio = error_ratio(case["actual"], case["predicted"])
        large = sum(
            mae([a], [p]) >= 1 for a, p in zip(case["actual"], case["predicted"], strict=True)
        )
        above_all_bands = bool(ratio > bands[-1])
        found[f"{name}_ratio"] = ratio
        found[f"{name}_median_error"] = median_absolute_error(case["actual"], case["predicted"])
        found[f"{name}_large_errors"] = large
        found[f"{name}_in_top_band"] = above_all_bands
        counts_large_errors &= above_all_bands == (large > 1)
    return {**found, "top_band_means_many_large_errors": counts_large_errors}


WAYS = {
    errors: (
        "ch02-errors ch02-mae ch02-mse ch02-rmse ch14-e1 blog-mae-intro blog-mae blog-rmse "
        "blog-ratio blog-ratio-consistent blog-ratio-outlier"
    ),
    constant_mean: "blog-constant-mean",
    weight_of_errors: "blog-mae-weights",
    ratio_bands: "blog-ratio-label",
}
