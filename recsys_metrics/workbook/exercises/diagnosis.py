"""The likely cause of each number that is wrong.

Known mistakes come first: those that an exercise declares, and two answers in each other's place.
They give values for all answers together, and none is suspected that contradicts an answer that
is right. What they leave is compared with the general slips, which concern one answer each. The
page's script follows the same rules (`book/_static/diagnosis.js`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from recsys_metrics.workbook.exercises import answers
from recsys_metrics.workbook.exercises.answers import Reading

# A slip is suspected from three digits on; more candidates than these are a coincidence.
_NEAR = 0.02
_AT_MOST = 2


@dataclass(frozen=True)
class Suspect:
    """A mistake with the values it leads to.

    Parameters
    ----------
    id : str
    name : str
        In our own words, in markdown as `cause` and `ask`.
    cause, ask : str
        What was done, and what to try.
    values : mapping
        The values by name of the answer.
    both : tuple of str
        Answers that stand in each other's place; empty for any other mistake.
    """

    id: str
    name: str
    cause: str
    ask: str
    values: Mapping[str, float]
    both: tuple[str, ...] = ()


def diagnose(
    readings: Mapping[str, Reading],
    right: Mapping[str, float],
    known: Sequence[Suspect],
    slips: Sequence[Suspect],
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
    slips : sequence of Suspect
        With a value for each answer that the slip can be made on.
    carried : collection of str
        Answers that follow from other answers that are wrong.

    Returns
    -------
    dict
        An empty list where nothing is known.
    """
    wrong = [name for name, given in readings.items() if not _fits(given, right[name])]
    # Too few decimals are said first: a mistake looks the same with as few.
    open_ = [name for name in wrong if not answers.is_coarse(readings[name], right[name])]
    found = _from_known(readings, right, wrong, open_, known)
    left = [name for name in open_ if not found[name] and name not in carried]
    return found | _from_slips(readings, right, left, slips)


def _from_known(
    readings: Mapping[str, Reading],
    right: Mapping[str, float],
    wrong: Sequence[str],
    open_: Sequence[str],
    known: Sequence[Suspect],
) -> dict[str, list[Suspect]]:
    """Return the known mistakes that explain each answer best.

    The one that leaves the fewest of the other answers open is suspected, then the one that
    explains the most.
    """
    ranked: dict[str, list[tuple[tuple[int, int], Suspect]]] = {name: [] for name in wrong}
    for suspect in known if open_ else ():
        fits = {name for name, given in readings.items() if _fits(given, suspect.values[name])}
        explained = [name for name in open_ if name in fits]
        contradicts = any(name not in fits for name in readings if name not in wrong)
        if contradicts or not set(suspect.both) <= set(explained):
            continue
        rank = (len(readings) - len(fits), -len(explained))
        for name in explained:
            ranked[name].append((rank, suspect))
    return {name: _declared_first(_best(pairs)) for name, pairs in ranked.items()}


def _from_slips(
    readings: Mapping[str, Reading],
    right: Mapping[str, float],
    names: Sequence[str],
    slips: Sequence[Suspect],
) -> dict[str, list[Suspect]]:
    ranked: dict[str, list[tuple[tuple[int, int], Suspect]]] = {name: [] for name in names}
    for slip in slips:
        explained = [
            name
            for name in names
            if name in slip.values and _is_slip(readings[name], slip.values[name], right[name])
        ]
        for name in explained:
            ranked[name].append(((0, -len(explained)), slip))
    best = {name: _best(pairs) for name, pairs in ranked.items()}
    return {name: found if len(found) <= _AT_MOST else [] for name, found in best.items()}


def _best(ranked: Sequence[tuple[tuple[int, int], Suspect]]) -> list[Suspect]:
    return [suspect for rank, suspect in ranked if rank == min(rank for rank, _ in ranked)]


def _declared_first(suspects: list[Suspect]) -> list[Suspect]:
    """Leave out an exchange where a declared mistake says the same with its reason."""
    return [one for one in suspects if not one.both] or suspects


def _fits(reading: Reading, value: float) -> bool:
    return answers.agrees_roughly(reading, value)


def _is_slip(reading: Reading, value: float, right: float) -> bool:
    """Whether a reading is this value and neither the right one nor near to it."""
    return (
        _fits(reading, value)
        and abs(reading.value - value) <= _NEAR * abs(value)
        and not answers.is_close(reading, right)
    )
