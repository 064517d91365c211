"""Right answers to the exercises of rating that ask for a function."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np

import recsys_metrics as rm


def rmse_by_hand(actual, predicted):
    total = 0
    for a, p in zip(actual, predicted, strict=True):
        total += (a - p) * (a - p)
    return math.sqrt(total / len(actual))


def rmse_in_numpy(actual, predicted):
    return np.sqrt(np.mean(np.square(np.subtract(predicted, actual))))


def rmse_as_a_length(actual, predicted):
    return np.linalg.norm(np.array(actual) - predicted) / np.sqrt(len(predicted))


def rmse_of_the_library(y, y_hat):
    return rm.rating.rmse(y, y_hat)


def rmse_by_index(actual, predicted):
    squares = [(actual[i] - predicted[i]) ** 2 for i in range(len(actual))]
    return statistics.fmean(squares) ** 0.5


def rmse_exact_until_the_root(actual, predicted):
    squares = [(Fraction(p) - Fraction(a)) ** 2 for p, a in zip(predicted, actual, strict=True)]
    return math.sqrt(sum(squares) / len(squares))


def rmse_rounded(actual, predicted):
    return round(rmse_by_hand(actual, predicted), 4)


def rmse_from_the_distance(actual, predicted):
    return math.dist(actual, predicted) / len(actual) ** 0.5


RIGHT_WAYS: dict[str, list] = {
    "rating.write_rmse": [
        rmse_by_hand,
        rmse_in_numpy,
        rmse_as_a_length,
        rmse_of_the_library,
        rmse_by_index,
        rmse_exact_until_the_root,
        rmse_rounded,
        rmse_from_the_distance,
    ],
}
