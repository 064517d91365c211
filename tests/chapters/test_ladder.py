"""Each part fades: a line to complete, numbers of one's own, then something to do alone."""

from __future__ import annotations

import re

import pytest

from recsys_metrics.workbook.exercises import PARTS
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.text import Text

# The parts whose ladder lacks a rung. The set may only get smaller.
NOT_YET: set[str] = set()


def is_on_data(exercise: Exercise) -> bool:
    """Whether the data have to be loaded, and the answer is computed from them."""
    return bool(re.search(r"movielens_experiment|load_\w+\(|in a notebook", exercise.statement))


def is_alone(exercise: Exercise) -> bool:
    """Whether a learner begins with an empty page: a function, a task on data, words."""
    if isinstance(exercise, Function):
        return not exercise.given
    return isinstance(exercise, Text) or is_on_data(exercise)


def lacking(part: tuple[Exercise, ...]) -> list[str]:
    """Return the rungs that a part has not, in words."""
    to_complete = [n for n, one in enumerate(part) if isinstance(one, Function) and one.given]
    of_numbers = {n for n, one in enumerate(part) if isinstance(one, Numbers)}
    alone = {n for n, one in enumerate(part) if is_alone(one)}
    found = []
    if not to_complete:
        found.append("a line to complete")
    if not of_numbers:
        found.append("numbers")
    if not alone:
        found.append("something to do alone")
    elif of_numbers == alone and len(alone) == 1:
        found.append("numbers beside what is done alone")
    if to_complete and alone and to_complete[0] > max(alone):
        found.append("something to do alone after the line to complete")
    return found


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_its_ladder(part):
    lacks = lacking(PARTS[part])
    if part in NOT_YET:
        assert lacks, f"{part} has its ladder now: take it out of NOT_YET"
    else:
        assert lacks == []


def test_what_is_still_to_come_names_parts():
    assert set(PARTS) >= NOT_YET


def test_a_missing_rung_is_seen():
    whole = PARTS["02_ranking"]
    assert lacking(whole) == []
    for kind, says in (
        (lambda one: isinstance(one, Function) and one.given, ["a line to complete"]),
        (lambda one: isinstance(one, Numbers), ["numbers"]),
        (is_alone, ["something to do alone"]),
    ):
        assert lacking(tuple(one for one in whole if not kind(one))) == says
    after = "something to do alone after the line to complete"
    assert lacking(whole[::-1]) == [after]
