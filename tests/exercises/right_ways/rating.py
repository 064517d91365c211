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


# MAE --------------------------------------------------------------------------------------------


def mae_completed(actual, predicted):
    errors = [p - a for a, p in zip(actual, predicted, strict=True)]
    return sum(abs(error) for error in errors) / len(errors)


def mae_in_numpy(actual, predicted):
    return np.mean(np.abs(np.subtract(actual, predicted)))


def mae_by_roots(actual, predicted):
    errors = [p - a for a, p in zip(actual, predicted, strict=True)]
    return sum((error * error) ** 0.5 for error in errors) / len(errors)


def mae_from_both_sides(actual, predicted):
    pairs = list(zip(actual, predicted, strict=True))
    return (sum(map(max, pairs)) - sum(map(min, pairs))) / len(pairs)


def mae_of_the_library(actual, predicted):
    return rm.rating.mae(actual, predicted)


# R² ---------------------------------------------------------------------------------------------


def r2_completed(actual, predicted):
    mean = sum(actual) / len(actual)
    left = sum((a - p) ** 2 for a, p in zip(actual, predicted, strict=True))
    around = sum((a - mean) ** 2 for a in actual)
    return 1 - left / around


def r2_by_the_variance(actual, predicted):
    left = sum((a - p) ** 2 for a, p in zip(actual, predicted, strict=True))
    return 1 - left / (len(actual) * statistics.pvariance(actual))


def r2_from_squares_and_mean(actual, predicted):
    mean = statistics.fmean(actual)
    left = math.dist(actual, predicted) ** 2
    return 1 - left / (sum(a * a for a in actual) - len(actual) * mean**2)


def r2_in_numpy(actual, predicted):
    actual = np.array(actual)
    off = actual - predicted
    return 1 - (off @ off) / ((actual - actual.mean()) ** 2).sum()


def r2_of_the_library(actual, predicted):
    return rm.rating.r2(actual, predicted)


# RMSE of people ---------------------------------------------------------------------------------


def macro_by_hand(errors):
    of_each = [(sum(e**2 for e in of) / len(of)) ** 0.5 for of in errors.values()]
    return sum(of_each) / len(of_each)


def macro_by_loop(errors):
    total = 0
    for name in errors:
        squares = 0
        for error in errors[name]:
            squares += error * error
        total += math.sqrt(squares / len(errors[name]))
    return total / len(errors)


def macro_in_numpy(errors):
    return np.mean([np.sqrt(np.mean(np.square(of))) for of in errors.values()])


def macro_of_the_library(errors):
    rows = [(name, error) for name, of in errors.items() for error in of]
    names, off = zip(*rows, strict=True)
    return rm.rating.rmse(off, [0] * len(off), users=names).mean()


def macro_as_lengths(errors):
    return statistics.fmean(math.hypot(*of) / len(of) ** 0.5 for of in errors.values())


# The value of a film ----------------------------------------------------------------------------


def value_completed(ratings, overall, added):
    above = sum(rating - overall for rating in ratings)
    return overall + above / (len(ratings) + added)


def value_with_the_ratings_added(ratings, overall, added):
    return statistics.fmean([*ratings, *[overall] * added])


def value_by_weights(ratings, overall, added):
    if not ratings:
        return overall
    weight = len(ratings) / (len(ratings) + added)
    return weight * np.mean(ratings) + (1 - weight) * overall


def value_by_loop(stars, middle, more):
    total, count = more * middle, more
    for given in stars:
        total, count = total + given, count + 1
    return total / count


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
    "rating.complete_mae": [
        mae_completed,
        mae_in_numpy,
        mae_by_roots,
        mae_from_both_sides,
        mae_of_the_library,
    ],
    "rating.complete_r2": [
        r2_completed,
        r2_by_the_variance,
        r2_from_squares_and_mean,
        r2_in_numpy,
        r2_of_the_library,
    ],
    "rating.write_macro": [
        macro_by_hand,
        macro_by_loop,
        macro_in_numpy,
        macro_of_the_library,
        macro_as_lengths,
    ],
    "rating.complete_film_value": [
        value_completed,
        value_with_the_ratings_added,
        value_by_weights,
        value_by_loop,
    ],
}
