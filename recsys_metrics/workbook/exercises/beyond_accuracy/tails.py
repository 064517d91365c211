"""Head and tail: one list, two cuts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from recsys_metrics.beyond_accuracy import long_tail_share
from recsys_metrics.workbook.exercises.base import Inputs


def _tails(inputs: Inputs, *, head: float = 0.2) -> dict[str, float]:
    return dict(_cut(tuple(inputs["met"]), tuple(inputs["recommended"]), head))


# Every mistake asks for it, of many lists that are drawn and not taken.
@lru_cache(maxsize=1024)
def _cut(counts: tuple[int, ...], shown: tuple[int, ...], head: float) -> dict[str, float]:
    met = dict(enumerate(counts))
    recommended = [counts.index(count) for count in shown]
    first = sorted(counts, reverse=True)[: round(head * len(met))]
    return {
        "held": sum(first) / sum(counts),
        "items": float(long_tail_share(recommended, met, head=head, of="items")),
        "interactions": float(long_tail_share(recommended, met, head=head, of="interactions")),
    }


def _swapped(inputs: Inputs) -> dict[str, float]:
    tails = _tails(inputs)
    return {"items": tails["interactions"], "interactions": tails["items"]}


def _shares(inputs: Inputs) -> dict[str, float]:
    """Return the two shares of the list alone."""
    return {name: value for name, value in _tails(inputs).items() if name != "held"}


def _rest(inputs: Inputs) -> dict[str, float]:
    return {"held": 1 - _tails(inputs)["held"]}


def _head_share(inputs: Inputs) -> dict[str, float]:
    return _rest(inputs) | {name: 1 - tail for name, tail in _shares(inputs).items()}


def _of_the_tail(inputs: Inputs) -> dict[str, float]:
    """Return how much of the tail is on the list."""
    tail, whole = _shares(inputs), _shares({**inputs, "recommended": inputs["met"]})
    films = len(inputs["recommended"]) / len(inputs["met"])
    return {name: tail[name] * films / whole[name] for name in tail}


def _by_audience(inputs: Inputs) -> dict[str, float]:
    """Return the tail's share of the audience of the list."""
    recommended, found = sorted(inputs["recommended"]), {}
    for name, tail in _shares(inputs).items():
        found[name] = sum(recommended[: round(tail * len(recommended))]) / sum(recommended)
    return found


def _draw_tails(rng: np.random.Generator) -> Inputs:
    """Return ten films whose two cuts fall apart, and a list that has films of all three kinds."""
    while True:
        met = sorted(
            (int(n) for n in rng.choice(np.arange(1, 31), 10, replace=False)), reverse=True
        )
        met = [2 * met[0], 2 * met[0] - int(rng.integers(1, 6)), *met[2:]]
        middle = rng.choice(met[2:], int(rng.integers(2, 8)), replace=False)
        inputs = {
            "met": met,
            "recommended": [met[0], met[1], *sorted(map(int, middle), reverse=True)],
        }
        if len(set(met)) == len(met) and met[0] >= sum(met) / 5 and _lie_apart(inputs):
            return inputs


def _lie_apart(inputs: Inputs) -> bool:
    """Whether every mistake, and what is right, has a value of its own."""
    ways = (_tails, _swapped, _head_share, _half_head, _of_the_tail, _by_audience)
    values = {name: [way(inputs)[name] for way in ways] for name in ("items", "interactions")}
    values["interactions"].append(1.0)
    return all(map(_differ, values.values()))


def _differ(values: Sequence[float]) -> bool:
    return bool(np.diff(np.sort(values)).min() > 0.01)


def _half_head(inputs: Inputs) -> dict[str, float]:
    return _tails(inputs, head=0.5)


def _two_tails_no_head(inputs: Inputs) -> Any:
    return {"interactions": 1.0}
