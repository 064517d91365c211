"""Where propensities come from: one line of the power of popularity."""

from __future__ import annotations

import numpy as np

from recsys_metrics.bias.propensity import popularity_propensity
from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function, make_completer


def _weight(likes: float, most: float, power: float, floor: float) -> float:
    return float(1 / popularity_propensity([likes, most], power=power, floor=floor)[0])


def _item(likes: int, most: int, power: float, floor: float, why: str = "") -> Case:
    return Case({"likes": likes, "most": most, "power": power, "floor": floor}, why)


_EDGES = (
    _item(0, 100, 0.5, 0.1, "nobody liked it before"),
    _item(80, 80, 1.5, 0.05, "it is the most liked item"),
)


def _draw_items(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for power in (0.5, 1.0, 1.5, 2.0):
        most = int(rng.integers(4, 21)) * 10
        # One that the floor holds and one that it does not.
        drawn.append(_item(int(rng.integers(1, 4)), most, power, 0.2))
        drawn.append(_item(most * int(rng.integers(6, 10)) // 10, most, power, 0.05))
    return (*drawn, *_EDGES)


_GIVEN = """
share = likes / most
chance = ...
return 1 / chance
""".strip()
_with = make_completer("likes, most, power, floor", _GIVEN)


complete_weight = Function(
    id="bias.complete_weight",
    title="From likes to a weight with one line missing",
    prompt="""
`my_weight(likes, most, power, floor)` returns what a click on an item weighs, where nobody wrote
the propensities down. They are taken to grow as a power of the popularity: an item's likes, as a
share of those of the most liked item (`most`), to the power `power`. None may lie below `floor`.

Complete the line with `...`: the propensity.
""",
    function="my_weight",
    solve=_weight,
    template=_GIVEN,
    template_answer="max(share**power, floor)",
    cases=(
        _item(25, 100, 0.5, 0.1),
        _item(4, 100, 1, 0.1, "the floor holds it"),
        _item(50, 200, 1.5, 0.05),
        _item(9, 100, 0.5, 0.25, "a power of one half and a high floor"),
        *_EDGES,
    ),
    draw=_draw_items,
    misconceptions=(
        Misconception(
            id="no-floor",
            name="no floor",
            wrong_answer=_with("share**power"),
            cause="The propensity has no floor, so a click on an item that nobody liked before "
            "weighs infinitely.",
            hint="What does your line give for an item with 0 likes?",
        ),
        Misconception(
            id="no-power",
            name="no power",
            wrong_answer=_with("max(share, floor)"),
            cause="The share itself was taken, as if exposure grew in proportion to the likes "
            "whatever the power is.",
            hint="Where in your line is the power?",
        ),
        Misconception(
            id="factor-for-power",
            name="factor for power",
            wrong_answer=_with("max(power * share, floor)"),
            cause="The share was multiplied by the power, not raised to it.",
            hint="Which propensity should the most liked item have, whatever the power?",
        ),
        Misconception(
            id="floor-first",
            name="floor before power",
            wrong_answer=_with("max(share, floor) ** power"),
            cause="The floor was laid under the share, and the power taken afterwards: the "
            "propensity can then lie elsewhere than the floor says.",
            hint="What is the smallest propensity that your line can give, with a power of 2?",
        ),
        Misconception(
            id="floor-added",
            name="floor added",
            wrong_answer=_with("share**power + floor"),
            cause="The floor was added to every propensity. It should move only those below it.",
            hint="Which propensity does the most liked item get?",
        ),
        Misconception(
            id="lower-of-two",
            name="ceiling for floor",
            wrong_answer=_with("min(share**power, floor)"),
            cause="The smaller of the two was taken, so that no propensity is above the floor.",
            hint="Should a floor make a propensity smaller or larger?",
        ),
        Misconception(
            id="zero-alone",
            name="floor for nought alone",
            wrong_answer=_with("share**power or floor"),
            cause="Only a propensity of 0 was raised to the floor. One that is nearly 0 stays, "
            "and its click weighs nearly infinitely.",
            hint="An item has a tenth of the floor. What does a click on it weigh?",
        ),
    ),
    hints=(
        "First the power of the share, then the floor.",
        "`share**power` is the propensity without a floor.",
        "`max(a, b)` is the larger of two numbers.",
    ),
    steps=(
        Step("The share to the power; where that is below the floor, the floor."),
        Step(
            "A quarter of the likes, with a power of one half: half of the exposure.",
            "my_weight(25, 100, 0.5, 0.1)",
        ),
        Step(
            "Without likes the floor decides, and nothing else.",
            "my_weight(0, 100, 0.5, 0.1)",
        ),
    ),
    insight="Two assumptions in one line, the power and the floor. Whoever reports the weight "
    "reports both.",
    minutes=3,
    points=1,
)
