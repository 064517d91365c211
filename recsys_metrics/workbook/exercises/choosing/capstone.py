"""Exercises around a whole evaluation: its steps, and the decision at its end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics import judge, recall
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# From goal to decision ----------------------------------------------------------------------------

_AFTER_THE_CUT = ("tune", "fit", "rank", "interval", "decide")


def _evaluation_steps(inputs: Inputs) -> list[tuple[str, ...]]:
    # Neither the goal nor the cut shows a number, so either may come first.
    return [("goal", "split", *_AFTER_THE_CUT), ("split", "goal", *_AFTER_THE_CUT)]


# For whom -----------------------------------------------------------------------------------------


def _recall_in(recommended: Sequence[str], relevant: set[str], tail: set[str]) -> float:
    return float(recall(judge(list(recommended), relevant & tail)))


def _page(recommended: str, relevant: str, tail: str, why: str = "") -> Case:
    """Return a list, what is relevant and what is rare, a letter a product."""
    return Case({"recommended": [*recommended], "relevant": {*relevant}, "tail": {*tail}}, why)


_PAGES = (
    _page("ABCD", "ABH", "HIJK", "no product of the tail is found"),
    _page("AHIB", "BHI", "HIJK", "all relevant products of the tail are found"),
    _page("ABHI", "CH", "HIJ", "the list shows another product of the tail"),
)


def _draw_pages(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lists with products of head and tail, and someone who wants some of the tail."""
    drawn = []
    for _ in range(5):
        head, tail = "ABCDEFG", "HIJKLM"
        products = [str(one) for one in rng.permutation([*head, *tail])]
        relevant = "".join(
            products[i] for i in rng.permutation(len(products))[: rng.integers(3, 7)]
        )
        relevant += "" if set(relevant) & set(tail) else "H"
        drawn.append(_page("".join(products[: rng.integers(4, 7)]), relevant, tail))
    return (*drawn, *_PAGES)


_complete_tail_recall_cases = (
    _page("ABHCI", "BCHJ", "HIJK"),
    _page("HABCDI", "AHIJKL", "HIJKLM", "most relevant products are rare"),
    *_PAGES,
)


# Several goals ------------------------------------------------------------------------------------


def _draw_goals(rng: np.random.Generator) -> Inputs:
    """Return two recommenders on the front, each better in one goal by a different amount."""
    while True:
        low, high = (int(each) for each in rng.choice(np.arange(1, 10), 2, replace=False))
        other, best = sorted(int(each) for each in rng.choice(np.arange(1, 10), 2, replace=False))
        low, high = min(low, high), max(low, high)
        if high - low != best - other:
            return {"first": [high / 10, other / 10], "second": [low / 10, best / 10]}


def _weigh_goals(inputs: Inputs) -> dict[str, float]:
    first, second = np.array(inputs["first"]), np.array(inputs["second"])
    gain, loss = first[0] - second[0], second[1] - first[1]
    return {
        "volume": float(first.prod() + second.prod() - np.minimum(first, second).prod()),
        "weight": float(loss / (gain + loss)),
    }
