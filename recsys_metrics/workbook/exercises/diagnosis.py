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
_SURE = 3
_ARITHMETIC = 2
_SMALL_DENOMINATOR = 10
_LARGEST_FRACTION = 10

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
        0 for what an exercise declares in its own words, 1 for what several share and for answers
        in each other's place, 2 for arithmetic.
    is_observation : bool
        Whether it says how the number compares with the value, and no more: that anybody did what
        it takes is not known.
    needs_digits : bool
        Whether it is not suspected of a number that is simple: half of 0.6 and twice 0.15 are.
    """

    id: str
    name: str
    cause: str
    hint: str
    values: Mapping[str, float]
    both: tuple[str, ...] = ()
    tier: int = 0
    is_observation: bool = False
    needs_digits: bool = False


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
    left = _find_unexplained(readings, right, {name: found[name] for name in open_}, carried)
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


def find_unsure(
    readings: Mapping[str, Reading],
    right: Mapping[str, float],
    found: Mapping[str, Sequence[Suspect]],
    carried: Collection[str],
) -> set[str]:
    """Return the answers whose cause is asked about, as it may be a coincidence.

    A cause is named if it leaves no wrong answer unexplained, and if what it explains has three
    digits or more, 0.667 being two thirds. A value of one or two digits can come about in many
    ways. A sign or a percentage is certain, and what else arithmetic tells is an observation.

    Parameters
    ----------
    readings : mapping
        What was answered, by name.
    right : mapping
        The right values.
    found : mapping
        What `diagnose` returned.
    carried : collection of str
        Answers that follow from other answers that are wrong.
    """
    is_open = bool(_find_unexplained(readings, right, found, carried))
    return {
        name
        for name, causes in found.items()
        if any(one.tier < _ARITHMETIC for one in causes)
        and (is_open or _count_digits(causes, readings, found, carried) < _SURE)
    }


def _find_unexplained(
    readings: Mapping[str, Reading],
    right: Mapping[str, float],
    found: Mapping[str, Sequence[Suspect]],
    carried: Collection[str],
) -> list[str]:
    """Return the answers without a cause that neither follow from others nor are nearly right."""
    return [
        name
        for name, causes in found.items()
        if not causes
        and name not in carried
        and not answers.explain_near_miss(readings[name], right[name])
    ]


def _count_digits(
    causes: Sequence[Suspect],
    readings: Mapping[str, Reading],
    found: Mapping[str, Sequence[Suspect]],
    carried: Collection[str],
) -> int:
    """Return the significant digits of the different answers that these causes explain."""
    ids = {one.id for one in causes}
    digits = {
        _digits(readings[name])
        for name, others in found.items()
        if name not in carried and any(one.id in ids for one in others)
    }
    return sum(map(len, digits))


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
    explains the most. Where several explain as much with these inputs, all are returned.
    """
    ranked: dict[str, list[tuple[tuple[int, int], Suspect]]] = {name: [] for name in names}
    for suspect in known:
        fitting = _explained(suspect, readings, [*readings], fits)
        explained = [name for name in names if name in fitting]
        rank = (len(readings) - len(fitting), -len(explained))
        for name in explained if set(suspect.both) <= set(explained) else ():
            ranked[name].append((rank, suspect))
    return {name: _once(_most_particular(_best(pairs))) for name, pairs in ranked.items()}


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
    few = {name: found if len(found) <= _AT_MOST else [] for name, found in best.items()}
    return {
        name: [one for one in found if not (one.needs_digits and _is_simple(readings[name]))]
        for name, found in few.items()
    }


def _best(ranked: Sequence[tuple[tuple[int, int], Suspect]]) -> list[Suspect]:
    return [suspect for rank, suspect in ranked if rank == min(rank for rank, _ in ranked)]


def _most_particular(suspects: list[Suspect]) -> list[Suspect]:
    """Leave out answers in each other's place where the exercise says how they got there."""
    is_explained = any(one.tier == 0 for one in suspects)
    return [one for one in suspects if not (is_explained and one.both)]


def _once(suspects: Sequence[Suspect]) -> list[Suspect]:
    """Return each mistake once: several ways to make it can lead to one value."""
    return [*{(one.id, one.cause): one for one in reversed(suspects)}.values()][::-1]


def _digits(reading: Reading) -> str:
    """Return the significant digits of a number, six at most, or of the fraction that it is."""
    digits = f"{abs(reading.value):.5e}".partition("e")[0].replace(".", "").rstrip("0")
    return min(digits, _fraction_of_small_numbers(reading) or digits, key=len)


def _fraction_of_small_numbers(reading: Reading) -> str:
    """Return the digits of numerator and denominator, 23 for 0.667; nothing for other numbers."""
    near = 0.51 * 10.0 ** -min(max(reading.places, answers.PLACES), _EXACT)
    size = abs(reading.value)
    for n in range(2, _SMALL_DENOMINATOR + 1) if size < _LARGEST_FRACTION else ():
        if abs(size * n - round(size * n)) <= near * n:
            return f"{round(size * n)}{n}"
    return ""


def _is_simple(reading: Reading) -> bool:
    """Whether many ways lead to a number, so that it tells nothing to be twice or half the value.

    It has fewer than three digits, or it is a fraction of small numbers.
    """
    return len(_digits(reading)) < _SURE or bool(_fraction_of_small_numbers(reading))


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
