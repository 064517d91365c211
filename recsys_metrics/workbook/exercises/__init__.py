"""The workbook's exercises: each declared once, shown, checked, explained and varied from that.

=============  ==================================================================
file           holds
=============  ==================================================================
`base`         what all kinds have: card, hints, worked solution, variants
`numbers`      exercises that ask for numbers
`function`     exercises that ask for a function
`answers`      reading what was typed, and whether it is the value asked for
`result`       the four outcomes and how a verdict reads
`timed`        running a learner's function for a limited time
`markup`       our words and a learner's, as HTML and as plain text
`ranking`      the exercises on ranked lists
=============  ==================================================================

>>> from recsys_metrics.workbook.exercises import ranking as ex
>>> ex.e4.variant("doctest").check(...).outcome.value
'NOT ATTEMPTED'
"""

from __future__ import annotations

from recsys_metrics.workbook.exercises import ranking as ranking
from recsys_metrics.workbook.exercises.base import Exercise

SUBJECTS: dict[str, tuple[Exercise, ...]] = {"ranking": ranking.EXERCISES}

REGISTRY: dict[str, Exercise] = {
    exercise.id: exercise for exercises in SUBJECTS.values() for exercise in exercises
}

__all__ = ["REGISTRY", "SUBJECTS", "Exercise", "ranking"]
