"""The protocol as a whole: its order, and a paragraph that states it."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.order import Order

_RIGHT = ("measure", "cut", "tune", "rank", "gain", "live")


def _right(inputs: Inputs) -> list[tuple[str, ...]]:
    return [_RIGHT, ("cut", "measure", "tune", "rank", "gain", "live")]


def _orders(*orders: tuple[str, ...]) -> Any:
    def put(inputs: Inputs) -> list[tuple[str, ...]]:
        return list(orders)

    return put


honest_order = Order(
    id="protocol.honest_order",
    title="In which order",
    code=False,
    prompt="""
You want to know whether a new recommender is better than the old one.

Put the steps in order. Three of them have no place in an honest evaluation: leave them out.
""",
    lines={
        "measure": "Write down the measure, its K, and the smallest gain that is worth it.",
        "cut": "Cut the log at one moment; what comes later is tested.",
        "tune": "Tune both recommenders on the last stretch of the training time.",
        "rank": "Rank the whole catalogue for each test user.",
        "gain": "Take each user's gain, and the interval of the mean gain.",
        "live": "If it lies above what is worth it, test the new one on live users.",
        "sample": "Rank each hidden item among a hundred others, to save time.",
        "test-tune": "Tune the new recommender on the tested events.",
        "best": "Pick the measure by which the new recommender gains most.",
    },
    solve=_right,
    misconceptions=(
        Misconception(
            id="tuned-on-test",
            name="tuned on the test",
            wrong_answer=_orders(
                ("measure", "cut", "test-tune", "rank", "gain", "live"),
                ("cut", "measure", "test-tune", "rank", "gain", "live"),
            ),
            cause="What was tuned on the tested events has seen the answers.",
            hint="Which events can be used up for tuning before the test begins?",
        ),
        Misconception(
            id="sampled",
            name="sampled optimism",
            wrong_answer=_orders(
                ("measure", "cut", "tune", "sample", "gain", "live"),
                ("cut", "measure", "tune", "sample", "gain", "live"),
            ),
            cause="Among a hundred others the order of the two may be the reverse of the one "
            "that users would see.",
            hint="Among how many items does the live system choose?",
        ),
        Misconception(
            id="picked-measure",
            name="many looks",
            wrong_answer=_orders(
                ("cut", "tune", "rank", "best", "gain", "live"),
                ("cut", "tune", "rank", "gain", "best", "live"),
            ),
            cause="Of many measures one will show a gain by chance. Chosen afterwards it proves "
            "nothing.",
            hint="When must the measure be written down?",
        ),
        Misconception(
            id="live-first",
            name="live test before filter",
            wrong_answer=_orders(
                ("measure", "live", "cut", "tune", "rank", "gain"),
                ("measure", "cut", "tune", "live", "rank", "gain"),
            ),
            cause="Live users are the dearest test there is; the cheap filter comes before it.",
            hint="What is the offline evaluation for, if the live test has been run?",
        ),
        Misconception(
            id="tuned-before-cut",
            name="leak from the future",
            wrong_answer=_orders(
                ("measure", "tune", "cut", "rank", "gain", "live"),
                ("tune", "measure", "cut", "rank", "gain", "live"),
            ),
            cause="Tuned before the cut, both recommenders have seen what is tested later.",
            hint="What is the last stretch of the training time before there is a cut?",
        ),
    ),
    hints=(
        "What could be bent to please you must be written down before there are results.",
        "The three that have no place each let something in: the answers, easy opponents, chance.",
        "Measure and cut first, in either order; then tune, rank, compare; live users last.",
    ),
    steps=(
        Step("Measure and cut come first: they are decisions, and results must not move them."),
        Step(
            "Tuning uses up the end of the training time, so that the test is seen once. Then "
            "all items are ranked, the gain gets its interval, and only what survives meets live "
            "users."
        ),
    ),
    insight="Offline evaluation is the filter, and the live test decides; decisions come "
    "before results in both.",
    minutes=3,
    points=2,
)


def _numbers(rng: np.random.Generator) -> dict[str, Any]:
    return {"k": int(rng.choice([5, 10, 20])), "users": f"{int(rng.integers(2, 40)) * 100:,}"}


protocol_paragraph = Text(
    id="protocol.protocol_paragraph",
    title="State a protocol",
    prompt="""
You compared two recommenders on {users} users by NDCG@{k}.

Write the paragraph that stands under your table, so that a stranger could repeat the number and
would know what to make of it. Three or four sentences.
""",
    model="""
All events up to one stated moment trained, and later ones were tested; both models were tuned on
the last month before it. For each of {users} users with a relevant event (four stars or more)
the whole catalogue was ranked, without what they had already rated, and NDCG@{k} taken with
linear gain. We give the mean gain over the same users with its 95 % interval, for five seeds, and
how many users were left out. Beside it stand coverage and the Gini index; no live test was run.
""",
    criteria=(
        "It says how the events were split, and by which moment.",
        "It says what each hidden item was ranked against.",
        "It gives an interval, or a test, of the gain, over named users or seeds.",
        "It states K and what counted as relevant.",
        "It says that both models were tuned, and on what.",
    ),
    inputs={"k": 10, "users": "1,400"},
    draw=_numbers,
    hints=(
        "Four things: the split, the candidates, the evidence, the baseline.",
        "Each section of the chapter gives one sentence.",
        "Start with: all events up to …",
    ),
    insight="A number without its protocol cannot be repeated, and so cannot be compared.",
    minutes=4,
)
