"""The likely cause of each number that is wrong.

Known mistakes come first: those that an exercise declares, and two answers in each other's place.
They give values for all answers together. None is suspected that contradicts an answer: one that
is right, or one that the mistake would have changed in another way. What they leave is compared
with the values of declared mistakes to as many decimals as were given, and at last with the
mistakes of arithmetic, which concern one answer each. The page's script follows the same rules
(`book/_static/diagnosis.js`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from recsys_metrics.workbook.exercises import answers
from recsys_metrics.workbook.exercises.answers import Reading

# A mistake of arithmetic is suspected from three digits on; more than these are a coincidence.
_NEAR = 0.02
_AT_MOST = 2
_EXACT = 12

_Fits = Callable[[Reading, float], bool]


@dataclass(frozen=True)
class Suspect:
    """A mistake with the values it leads to.

    Parameters
    ----------
    id : str
    name : str
        In our own words, in markdown as `cause` and `ask`.
    cause, hint : str
        What was done, and what to try.
    values : mapping
        The values by name of the answer.
    both : tuple of str
        Answers that stand in each other's place; empty for any other mistake.
    tier : int
        Of two that explain the same, the lower is named, because it knows more: 0 for what an
        exercise declares, 1 for what several share, 2 for arithmetic.
    is_observation : bool
        Whether it says how the number compares with the value, and no more: that anybody did what
        it takes is not known.
    """

    id: str
    name: str
    cause: str
    hint: str
    values: Mapping[str, float]
    both: tuple[str, ...] = ()
    tier: int = 0
    is_observation: bool = False


def diagnose(
    readings: Mapping[str, Reading],
    right: Mapping[str, float],
    known: Sequence[Suspect],
    arithmetic: Callable[[], Sequence[Suspect]],
    carried: Collection[str] = (),
) -> dict[str, list[Suspect]]:
    """Return the likely causes of each answer that is wrong; more than one if in doubt.

    Parameters
    ----------
    readings : mapping
        What was answered, by name.
    right : mapping
        The right values.
    known : sequence of Suspect
        With a value for every answer.
    arithmetic : callable
        Returns suspects, each with a value for the answers that the mistake can be made on; asked
        only where no known mistake explains an answer.
    carried : collection of str
        Answers that follow from other answers that are wrong.

    Returns
    -------
    dict
        An empty list where nothing is known. `is_doubtful` says of a cause whether too few digits
        were given to be sure of it.
    """
    wrong = [
        name for name, given in readings.items() if not answers.agrees_roughly(given, right[name])
    ]
    # With too few decimals only a declared mistake is suspected that has no more of them.
    open_ = [name for name in wrong if not answers.is_coarse(readings[name], right[name])]
    # What a mistake would have changed speaks against it if it is changed in another way.
    firm = [name for name in open_ if name not in carried]

    def find(
        names: Sequence[str], suspects: Sequence[Suspect], fits: _Fits
    ) -> dict[str, list[Suspect]]:
        possible = [
            one for one in suspects if not _contradicts(one, readings, right, wrong, firm, fits)
        ]
        return _from_known(readings, names, possible, fits)

    found = find(open_, known, answers.resembles)
    few = [name for name in wrong if name not in open_]
    declared = [one for one in known if one.tier == 0]
    of_few = find(wrong, declared, answers.resembles) if few else {}
    found |= {name: of_few[name] for name in few}
    for name in carried:
        # What follows from a wrong answer is no mistake of its own.
        explained = [
            set(_explained(one, readings, open_, answers.resembles)) - {name}
            for one in found.get(name, ())
        ]
        if not all(explained):
            found[name] = []
    left = [
        name
        for name in open_
        if not found[name]
        and name not in carried
        and not answers.explain_near_miss(readings[name], right[name])
    ]
    rough = find(left, declared, answers.resembles_roughly) if left else {}
    for name, causes in rough.items():
        # The value of another answer is better known than a mistake with as many digits.
        others = (right[other] for other in right if other != name)
        if len(causes) <= _AT_MOST and not any(answers.agrees(readings[name], v) for v in others):
            found[name] = causes
    left = [name for name in left if not found[name]]
    if left:
        found |= _from_arithmetic(readings, right, left, arithmetic())
    return found


def is_doubtful(suspect: Suspect, name: str, reading: Reading) -> bool:
    """Whether an answer has too few digits to be sure of a declared mistake."""
    return suspect.tier == 0 and not answers.resembles(reading, suspect.values[name])


def _explained(
    suspect: Suspect, readings: Mapping[str, Reading], names: Sequence[str], fits: _Fits
) -> list[str]:
    return [name for name in names if fits(readings[name], suspect.values[name])]


def _contradicts(
    suspect: Suspect,
    readings: Mapping[str, Reading],
    right: Mapping[str, float],
    wrong: Sequence[str],
    firm: Sequence[str],
    fits: _Fits,
) -> bool:
    """Whether an answer that is right, or wrong in another way, speaks against a mistake."""
    for name, given in readings.items():
        value = suspect.values[name]
        if (name in wrong and name not in firm) or fits(given, value):
            continue
        if name not in wrong or not answers.agrees(Reading(value, _EXACT), right[name]):
            return True
    return False


def _from_known(
    readings: Mapping[str, Reading],
    names: Sequence[str],
    known: Sequence[Suspect],
    fits: _Fits,
) -> dict[str, list[Suspect]]:
    """Return the known mistakes that explain each of some answers best.

    The one that leaves the fewest of the other answers open is suspected, then the one that
    explains the most.
    """
    ranked: dict[str, list[tuple[tuple[int, int], Suspect]]] = {name: [] for name in names}
    for suspect in known:
        fitting = _explained(suspect, readings, [*readings], fits)
        explained = [name for name in names if name in fitting]
        rank = (len(readings) - len(fitting), -len(explained))
        for name in explained if set(suspect.both) <= set(explained) else ():
            ranked[name].append((rank, suspect))
    return {name: _lowest_tier(_best(pairs)) for name, pairs in ranked.items()}


def _from_arithmetic(
    readings: Mapping[str, Reading],
    right: Mapping[str, float],
    names: Sequence[str],
    arithmetic: Sequence[Suspect],
) -> dict[str, list[Suspect]]:
    """Return the mistakes of arithmetic that were made on all answers that are left.

    One that explains some of them, and leaves another, is a coincidence more often than not.
    """
    fit = {
        name: [
            one
            for one in arithmetic
            if name in one.values
            and _is_arithmetic_mistake(readings[name], one.values[name], right[name])
        ]
        for name in names
    }
    everywhere = {one.id for one in arithmetic}.intersection(
        *({one.id for one in found} for found in fit.values())
    )
    best = {name: [one for one in found if one.id in everywhere] for name, found in fit.items()}
    return {name: found if len(found) <= _AT_MOST else [] for name, found in best.items()}


def _best(ranked: Sequence[tuple[tuple[int, int], Suspect]]) -> list[Suspect]:
    return [suspect for rank, suspect in ranked if rank == min(rank for rank, _ in ranked)]


def _lowest_tier(suspects: list[Suspect]) -> list[Suspect]:
    lowest = min((one.tier for one in suspects), default=0)
    found = [one for one in suspects if one.tier == lowest]
    return found if lowest == 0 or len(found) <= _AT_MOST else []


def _is_arithmetic_mistake(reading: Reading, value: float, right: float) -> bool:
    """Whether a reading is this value, to three digits at least, and not near the right one."""
    gap = abs(reading.value - value)
    typed = reading.places + reading.zeros
    three_digits = typed < answers.PLACES and abs(reading.value) >= 10.0 ** (2 - typed)
    return (
        (answers.resembles(reading, value) or (three_digits and gap <= 0.5 * 10.0**-typed))
        and gap <= _NEAR * abs(value)
        and not answers.is_close(reading, right)
    )
