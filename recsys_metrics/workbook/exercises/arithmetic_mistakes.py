"""How a wrong number compares with the value: its sign, a factor, a root, a logarithm's base.

They are worked out from the right values and the inputs alone, so that every exercise knows them
without a word of its own. Where an exercise declares a mistake with the same value, that one is
named: it knows why. These do not: a number can be a third of the value by chance, so all but a sign
and a percentage are observations, and none of those is called a likely cause.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import combinations
from typing import Any

from recsys_metrics.workbook.exercises.answers import PLACES
from recsys_metrics.workbook.exercises.diagnosis import Suspect

Values = Mapping[str, float]

SWAPPED = "exchanged-answers"
"""A declared mistake that looks like this one is named beside it."""

COMPARED_WITH = "the value asked for"
"""What each sentence says that compares a number with the right one, and so gives it away."""

# Values nearer than this cannot be told apart with three decimals.
_APART = 1.0 / 10**PLACES
_LARGEST_COUNT = 100_000
# Nothing else gives the same digits.
_CERTAIN = {"sign-turned", "percent-for-share", "percent-of-share"}
_LARGEST_SHARE = 10


def find_swapped_answers(right: Values, labels: Mapping[str, str]) -> list[Suspect]:
    """Return every two answers in each other's place.

    Parameters
    ----------
    right : mapping
        The right value of each answer.
    labels : mapping
        How each answer reads.

    Returns
    -------
    list of Suspect
    """
    return [
        Suspect(
            SWAPPED,
            "answers exchanged",
            f'The value of "{labels[one]}" is given as "{labels[other]}", and the other way round.',
            "Which of the two does each field ask for?",
            {**right, one: right[other], other: right[one]},
            both=(one, other),
            tier=1,
        )
        for one, other in combinations(right, 2)
        if abs(right[one] - right[other]) > _APART
    ]


def find_arithmetic_mistakes(
    right: Values, labels: Mapping[str, str], inputs: Mapping[str, Any], code: str
) -> list[Suspect]:
    """Return the mistakes that are made with any number, and the values that each leads to.

    Parameters
    ----------
    right : mapping
        The right value of each answer.
    labels : mapping
        How each answer reads.
    inputs : mapping
        What the answers follow from; its counts are what one multiplies or divides by.
    code : str
        The worked solution; whether it takes logarithms or roots decides which mistakes are tried.

    Returns
    -------
    list of Suspect
        Without values that are the right ones.
    """
    found = [
        *_of_one_value(right),
        *_of_other_answers(right, labels),
        *_of_counts(right, counts(inputs), roots="sqrt" in code or "** 0.5" in code),
        *(_of_logarithms(right) if "log" in code else ()),
    ]
    told_apart = (_without_right(mistake, right) for mistake in found)
    return [mistake for mistake in told_apart if mistake.values]


def find_general_mistake(mistake: str) -> Suspect | None:
    """Return a mistake that says the same of any number, without the values that it leads to.

    >>> find_general_mistake("percent-for-share").cause
    'That is the value in percent.'
    """
    found = [one for one in _of_one_value({}) if one.id == mistake]
    return found[0] if len(found) == 1 else None


def counts(inputs: Mapping[str, Any]) -> list[int]:
    """Return the counts that one may forget to divide by, or divide by once too often.

    They are whole numbers among the inputs, how many a list holds, what whole numbers in it add
    up to; and of two lists how many they hold together, and how many pairs they make.

    >>> counts({"gains": [0.1, 0.2, 0.3], "k": 5, "events": [40, 10]})
    [2, 3, 5, 6, 50]
    """
    found = set(_counts(inputs.values()))
    lengths = [len(value) for value in inputs.values() if _is_row(value)]
    if len(lengths) == 2:
        found |= {lengths[0] * lengths[1]}
    if len(lengths) == 2 and lengths[0] != lengths[1]:
        found |= {sum(lengths)}
    return sorted(n for n in found if 2 <= n <= _LARGEST_COUNT)


def _is_row(value: Any) -> bool:
    return isinstance(value, Sequence | AbstractSet | Mapping) and not isinstance(value, str)


def _counts(values: Iterable[Any]) -> Iterator[int]:
    for value in values:
        if isinstance(value, bool):
            continue
        if isinstance(value, int):
            yield value
        elif _is_row(value):
            yield len(value)
            if isinstance(value, Sequence) and all(type(item) is int for item in value):
                yield sum(value)


def _of_one_value(right: Values) -> Iterator[Suspect]:
    yield Suspect(
        "sign-turned",
        "sign reversed",
        "The size is right and the sign is not.",
        "Should the value be above or below 0?",
        {name: -v for name, v in right.items()},
    )
    yield Suspect(
        "percent-for-share",
        "percent for share",
        "That is the value in percent.",
        "Give the share, a number from 0 to 1; or write the percent sign behind it.",
        {name: 100 * v for name, v in right.items() if abs(v) <= _LARGEST_SHARE},
    )
    yield Suspect(
        "percent-of-share",
        "percent of a share",
        "That is a hundredth of the value.",
        "Is it a share already, or a percentage?",
        {name: v / 100 for name, v in right.items() if 0 < abs(v) <= 1},
    )
    yield Suspect(
        "decimal-point",
        "decimal point",
        f"Your number is ten times {COMPARED_WITH}.",
        "Is the decimal point at its place, or a division by 10 missing?",
        {name: 10 * v for name, v in right.items()},
    )
    yield Suspect(
        "decimal-point",
        "decimal point",
        f"Your number is a tenth of {COMPARED_WITH}.",
        "Is the decimal point at its place, or a division by 10 too many?",
        {name: v / 10 for name, v in right.items()},
    )
    yield Suspect(
        "one-minus",
        "one minus",
        f"Your number is 1 minus {COMPARED_WITH}.",
        "Which of the two parts does the question ask for?",
        {name: 1 - v for name, v in right.items() if 0 <= v <= 1},
    )
    yield Suspect(
        "upside-down",
        "upside down",
        f"Your number is 1 divided by {COMPARED_WITH}.",
        "What is divided by what?",
        {name: 1 / v for name, v in right.items() if v},
    )
    yield Suspect(
        "square",
        "square",
        f"Your number is the square of {COMPARED_WITH}.",
        "Is a root missing, or was something squared that is not?",
        {name: v * v for name, v in right.items()},
        needs_digits=True,
    )
    yield Suspect(
        "root",
        "root",
        f"Your number is the square root of {COMPARED_WITH}.",
        "Is there a root to take here?",
        {name: math.sqrt(v) for name, v in right.items() if v > 0},
        needs_digits=True,
    )
    whole = {name: v for name, v in right.items() if v == round(v) and abs(v) >= 1}
    yield Suspect(
        "one-too-few",
        "one too few",
        f"Your number is one less than {COMPARED_WITH}.",
        "Does the count begin at 0 or at 1, and is the last one in it?",
        {name: v - 1 for name, v in whole.items()},
    )
    yield Suspect(
        "one-too-many",
        "one too many",
        f"Your number is one more than {COMPARED_WITH}.",
        "Does the count begin at 0 or at 1, and is something in it twice?",
        {name: v + 1 for name, v in whole.items()},
    )


def _of_other_answers(right: Values, labels: Mapping[str, str]) -> Iterator[Suspect]:
    for source, value in right.items():
        others = {name: value for name in right if name != source}
        if others:
            yield Suspect(
                "other-answer",
                "another answer's value",
                f'Your number is also the value of "{labels[source]}".',
                "Did you compute that value here?",
                others,
            )


def _of_counts(right: Values, denominators: Sequence[int], *, roots: bool) -> Iterator[Suspect]:
    if 2 not in denominators:
        yield Suspect(
            "twice",
            "twice the value",
            f"Your number is twice {COMPARED_WITH}.",
            "Is something counted twice, or a half forgotten?",
            {name: 2 * v for name, v in right.items()},
            needs_digits=True,
        )
        yield Suspect(
            "half",
            "half the value",
            f"Your number is half {COMPARED_WITH}.",
            "Is something counted once that counts twice, or halved once too often?",
            {name: v / 2 for name, v in right.items()},
            needs_digits=True,
        )
    for n in denominators:
        yield Suspect(
            "not-divided",
            "sum for mean",
            f"Your number is {n} times {COMPARED_WITH}.",
            f"Is there something to divide by {n}?",
            {name: n * v for name, v in right.items()},
            needs_digits=n == 2,
        )
        yield Suspect(
            "divided-once-more",
            "divided twice",
            f"Your number is {COMPARED_WITH} divided by {n}.",
            f"If you divided by {n}: does that belong there?",
            {name: v / n for name, v in right.items()},
            needs_digits=n == 2,
        )
        if n == 2 or n > 50:
            continue  # that is twice as much; or too little to be seen in three decimals
        yield Suspect(
            "one-fewer",
            "one fewer",
            f"A division by {n - 1} in place of {n} would give this.",
            "If you divided: how many are there in all?",
            {name: v * n / (n - 1) for name, v in right.items()},
        )
        yield Suspect(
            "one-more",
            "one more",
            f"A division by {n} in place of {n - 1} would give this.",
            "If you divided: is one taken off the number here?",
            {name: v * (n - 1) / n for name, v in right.items()},
        )
        if roots:
            yield from _of_roots(right, n)


def _of_roots(right: Values, n: int) -> Iterator[Suspect]:
    yield Suspect(
        "one-fewer",
        "one fewer",
        f"A division by {n - 1} in place of {n} below the root would give this.",
        "If you divided: how many are there in all?",
        {name: v * math.sqrt(n / (n - 1)) for name, v in right.items()},
    )
    yield Suspect(
        "one-more",
        "population standard deviation",
        f"A division by {n} in place of {n - 1} below the root would give this.",
        "Is it all there is, or a sample of it?",
        {name: v * math.sqrt((n - 1) / n) for name, v in right.items()},
    )
    yield Suspect(
        "not-divided-by-root",
        "root of the number forgotten",
        f"Your number is {COMPARED_WITH} times the root of {n}.",
        f"What is divided by the root of {n}?",
        {name: v * math.sqrt(n) for name, v in right.items()},
    )
    yield Suspect(
        "divided-by-root-once-more",
        "no root",
        f"Your number is {COMPARED_WITH} divided by the root of {n}.",
        f"Is it divided by {n}, or by its root?",
        {name: v / math.sqrt(n) for name, v in right.items()},
    )


def _of_logarithms(right: Values) -> Iterator[Suspect]:
    bases = {"2": math.log(2), "e": 1.0, "10": math.log(10)}
    for (one, log_one), (other, log_other) in combinations(bases.items(), 2):
        for asked, given, factor in (
            (one, other, log_one / log_other),
            (other, one, log_other / log_one),
        ):
            yield Suspect(
                "other-base",
                "base of the logarithm",
                f"Your number is {COMPARED_WITH} with another base of the logarithm: "
                f"{asked} and {given} differ by this factor.",
                "To which base is the logarithm?",
                {name: v * factor for name, v in right.items()},
            )


def _without_right(mistake: Suspect, right: Values) -> Suspect:
    """Return a mistake without the answers that it leaves as they are."""
    values = {
        name: value
        for name, value in mistake.values.items()
        if abs(value - right[name]) > _APART / 2 and math.isfinite(value) and value
    }
    return replace(mistake, values=values, tier=2, is_observation=mistake.id not in _CERTAIN)
