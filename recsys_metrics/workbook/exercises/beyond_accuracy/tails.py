"""Head and tail: one list, two cuts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from recsys_metrics.beyond_accuracy import long_tail_share
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers


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
        middle = rng.choice(met[2:], int(rng.integers(3, 5)), replace=False)
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


two_tails = Numbers(
    id="beyond_accuracy.two_tails",
    title="One list, two tails",
    prompt="""
Ten films, by how many people met each in training: {met}.
A list shows the films that {recommended} people met.

Which share of all these meetings does the most popular fifth *of the films* have? Which share of
the list is from the tail, if that fifth is the head? And if the head is the fewest films that have
a fifth *of all meetings*?
""",
    asks={
        "held": "share of the meetings",
        "items": "tail, by items",
        "interactions": "tail, by interactions",
    },
    inputs={"met": [60, 50, 40, 30, 20, 15, 10, 8, 5, 2], "recommended": [60, 50, 15, 8, 2]},
    solve=_tails,
    draw=_draw_tails,
    misconceptions=(
        Misconception(
            id="cuts-swapped",
            name="cuts swapped",
            wrong_answer=_swapped,
            cause="That is the share by the other cut.",
            hint="Which of the two heads is a number of films, and which a number of meetings?",
        ),
        Misconception(
            id="head-for-tail",
            name="head for tail",
            wrong_answer=_head_share,
            cause="Head and tail have changed places.",
            hint="Which films are the tail: those that many people met, or the others?",
        ),
        Misconception(
            id="half-head",
            name="half for a fifth",
            wrong_answer=_half_head,
            cause="The head was cut at a half. Here it ends at a fifth.",
            hint="How much is a fifth of the films, and how much a fifth of the meetings?",
        ),
        Misconception(
            id="no-head",
            name="no head",
            wrong_answer=lambda inputs: {"interactions": 1.0},
            cause="By that, every film of the list is from the tail. But the most popular film has "
            "a fifth of all meetings alone, so it is the head.",
            hint="How many of all meetings has the first film?",
        ),
        Misconception(
            id="share-of-the-tail",
            name="share of the tail",
            wrong_answer=_of_the_tail,
            cause="The films were divided by those of the whole tail. That says how much of the "
            "tail is shown.",
            hint="How many films has the list?",
        ),
        Misconception(
            id="meetings-for-films",
            name="meetings for films",
            wrong_answer=_by_audience,
            cause="The meetings of the films were added up. The share asked for is one of films: "
            "each counts once.",
            hint="How many films has the list, and how many of them are from the tail?",
        ),
    ),
    hints=(
        "First find the head in the whole catalogue, then look at the list.",
        "A fifth of ten films are two. A fifth of the meetings is their sum over five; go down "
        "from the most popular film until you have it.",
        "Count the films of the list that are not in the head. Divide by the films of the list.",
    ),
    steps=(
        Step(
            "By items: the two most popular of ten films are the head.",
            "head = sorted(met, reverse=True)[: len(met) // 5]\n"
            "held = sum(head) / sum(met)\nround(held, 3)",
        ),
        Step(
            "The films of the list that are not among them.",
            "items = sum(count not in head for count in recommended) / "
            "len(recommended)\nround(items, 3)",
        ),
        Step(
            "By interactions: go down until a fifth of the meetings is reached.",
            "head, gathered = [], 0\n"
            "for count in sorted(met, reverse=True):\n"
            "    if gathered < sum(met) / 5:\n"
            "        head.append(count)\n"
            "        gathered += count\nhead",
        ),
        Step(
            "The same count with this head.",
            "interactions = sum(count not in head for count in recommended) / len(recommended)\n"
            "round(interactions, 3)",
        ),
    ),
    insight="The list is the same, and the share is not: a tail share is quoted with its cut.",
    minutes=4,
    points=2,
)
