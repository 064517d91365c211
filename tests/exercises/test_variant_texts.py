"""What forty variants of an exercise say: words fit their numbers, and the answers vary."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

from recsys_metrics.workbook.common.markup import strip_markup
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.numbers import Numbers

VARIANTS = 40
NOUNS = (
    *("bins", "clicks", "days", "events", "films", "groups", "hits", "impressions", "items"),
    *("lists", "men", "orders", "pairs", "people", "points", "ranks", "ratings", "rounds"),
    *("sessions", "slots", "stars", "times", "users", "weeks", "women"),
)
FAULTS = {
    # Not at the end of a row of numbers, and not as an end of a decimal.
    "a plural after 1": rf"(?<![\d.,−-])(?<!, )(?<!and )\b1 (?:[a-z]+ )?(?:{'|'.join(NOUNS)})\b",
    "a word twice": r"\b([a-z]{2,}) \1\b",
    "no number": r"\b(?:nan|inf|NaN)\b",
    "a number of many digits": r"\d\.\d{7,}",
}


def faults(text):
    """Return which faults a text has."""
    return [name for name, pattern in FAULTS.items() if re.search(pattern, text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It was clicked 1 times.", ["a plural after 1"]),
        ("They gave 4, 2, 1 stars, and 0.1 stars more; found 2 and 1 films.", []),
        ("The the list has nan.", ["no number"]),
        ("So so is the the list.", ["a word twice"]),
        ("It is 0.30000000000000004.", ["a number of many digits"]),
    ],
)
def test_faults_of_a_text_are_found(text, found):
    assert faults(text) == found


@pytest.mark.sweep("name", keep=40)
@pytest.mark.parametrize("name", REGISTRY)
def test_variants_say_what_is_true_of_their_numbers(name):
    exercise = REGISTRY[name]
    answers, wrong = defaultdict(Counter), set()
    for seed in range(VARIANTS):
        variant = exercise.variant(f"of forty {seed}")
        wrong |= {(fault, seed) for fault in faults(strip_markup(variant.statement))}
        if isinstance(variant, Numbers):
            for of, value in variant.answer.items():
                answers[of][round(value, 3)] += 1
    assert wrong == set()
    if not exercise.same_for_all:
        assert [of for of, values in answers.items() if len(values) == 1] == []
