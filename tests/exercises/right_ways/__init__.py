"""Right answers to the exercises that ask for a function, written by different people."""

from __future__ import annotations

from tests.exercises.right_ways import (
    beyond_accuracy,
    bias,
    calibration,
    choosing,
    judges,
    protocol,
    ranking,
    rating,
)

RIGHT_WAYS = {
    exercise: ways
    for subject in (rating, ranking, beyond_accuracy, protocol, calibration, bias, choosing, judges)
    for exercise, ways in subject.RIGHT_WAYS.items()
}
