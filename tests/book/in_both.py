"""What two Pythons have to agree on: every check, and a sample of what interactive figures show.

A page runs this file as a cell and calls `results`, a test calls it here, and both are compared.
"""

from __future__ import annotations

import json
import random
import re

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.explorables import REGISTRY as EXPLORABLES

STATES = 3
# The last digits of a number that was computed are the processor's.
LONG = re.compile(r"\d+\.\d{9,}")


def answers(exercise):
    """Yield the right answer of an exercise, and those of each known mistake."""
    if isinstance(exercise, Function):
        yield {"function": exercise.solve}
        for mistake in exercise.mistakes:
            yield {"function": mistake.wrong_answer}
        return
    yield exercise.answer
    if hasattr(exercise, "wrong_answers"):
        for mistake in exercise.mistakes:
            wrong = exercise.wrong_answers(mistake)
            yield from wrong if isinstance(wrong, list) else [wrong]


def heard(exercise, given):
    """Return what is said of an answer: the outcome, the likely cause, and all words.

    Which case is told of a function that reads a set depends on the order of sets, which each
    start has of its own.
    """
    if isinstance(exercise, Function):
        found = exercise.check(given["function"])
        return [str(found.outcome), found.mistake]
    found = exercise.check(**given)
    said = LONG.sub(lambda digits: f"{float(digits[0]):.6g}", str(found))
    return [str(found.outcome), found.mistake, said.splitlines()]


def states(explorable):
    """Yield the numbers of some states, the same in every process."""
    rng = random.Random(explorable.id)
    for _ in range(STATES):
        state = {one.name: rng.choice([*one.values]) for one in explorable.controls}
        yield {name: float(value) for name, value in explorable.compute(state).items()}


def results(subject):
    """Return the checks and the states of a subject as JSON."""

    def own(registry):
        return {name: one for name, one in registry.items() if name.startswith(f"{subject}.")}

    checks = {
        name: [heard(one, given) for given in answers(one)] for name, one in own(REGISTRY).items()
    }
    return json.dumps(
        {
            "subject": subject,
            "checks": checks,
            "states": {name: [*states(one)] for name, one in own(EXPLORABLES).items()},
        }
    )
