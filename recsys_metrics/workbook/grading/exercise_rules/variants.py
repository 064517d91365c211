"""Rules for variants: drawn alike in every process, and seldom with the same answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.grading import copy_probability
from recsys_metrics.workbook.grading.exercise_rules.mistakes import find_misjudged_answers
from recsys_metrics.workbook.grading.exercise_rules.wording import WITH_MISTAKES
from recsys_metrics.workbook.grading.limits import GradingError


def find_variant_faults(exercise: Exercise, count: int) -> Iterator[str]:
    """Say which variant is judged wrongly, and whether too many have the same answer."""
    for seed in range(min(count, WITH_MISTAKES)):
        found = [*find_misjudged_answers(exercise.variant(seed))]
        if found:
            yield found[0]
            return
    limit = copy_probability.highest_chance(exercise)
    if limit is None or count < 2:
        return
    chance = copy_probability.copy_chance(exercise, variants=count)
    # Of few variants a pair more or less is chance itself.
    if chance > limit + (0 if count >= copy_probability.VARIANTS else limit):
        if isinstance(exercise, Choice):
            cure = "vary its case, or declare it `same_for_all: true`"
        elif isinstance(exercise, Function):
            cure = "draw several cases for each student, or cases with more different results"
        else:
            cure = "draw from more, vary how many there are, or ask for a second number"
        share = f"has one right answer for {chance:.0%} of all pairs of students"
        yield f"{share} ({limit:.0%} at most); {cure}"


def find_unsteady_draws(file: Path) -> dict[str, str]:
    """Return the exercises of a file of which one seed has several variants, each with the fault.

    What is released today is graded by another process, which has another order of its sets and
    draws the variants of other students before.
    """
    said = []
    for order in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-P", "-m", __package__, str(file)],
            env={
                **os.environ,
                "PYTHONHASHSEED": order,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            *_, said_last = done.stderr.strip().splitlines() or ["it said nothing"]
            raise GradingError(f"{file} could not be drawn from in another process: {said_last}")
        said.append([line.split("\t") for line in done.stdout.splitlines()])
    faults = {}
    for (exercise, first, again), (_, elsewhere, _) in zip(*said, strict=True):
        if again != first:
            faults[exercise] = (
                "has other variants when they are drawn again in another order; draw every random "
                "number from the `rng` that is passed to `draw`, and change nothing outside it"
            )
        elif elsewhere != first:
            faults[exercise] = (
                "has other variants in another process; draw from `rng` and sort sets"
            )
    return faults
