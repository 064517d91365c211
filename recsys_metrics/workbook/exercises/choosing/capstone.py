"""Exercises around a whole evaluation: its steps, and the decision at its end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics import judge, recall
from recsys_metrics.workbook.exercises.function import Case

# For whom -----------------------------------------------------------------------------------------


def _recall_in(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return float(recall(judge(list(recommended), wanted & tail)))


def _page(recommended: str, wanted: str, tail: str, why: str = "") -> Case:
    """Return a list, what is wanted and what is rare, a letter a film."""
    return Case({"recommended": [*recommended], "wanted": {*wanted}, "tail": {*tail}}, why)


_PAGES = (
    _page("ABCD", "ABH", "HIJK", "no film of the tail is found"),
    _page("AHIB", "BHI", "HIJK", "all wanted films of the tail are found"),
    _page("ABHI", "CH", "HIJ", "the list shows another film of the tail"),
)


def _draw_pages(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lists with films of head and tail, and someone who wants some of the tail."""
    drawn = []
    for _ in range(5):
        head, tail = "ABCDEFG", "HIJKLM"
        films = [str(film) for film in rng.permutation([*head, *tail])]
        wanted = "".join(films[i] for i in rng.permutation(len(films))[: rng.integers(3, 7)])
        wanted += "" if set(wanted) & set(tail) else "H"
        drawn.append(_page("".join(films[: rng.integers(4, 7)]), wanted, tail))
    return (*drawn, *_PAGES)


_complete_tail_recall_cases = (
    _page("ABHCI", "BCHJ", "HIJK"),
    _page("HABCDI", "AHIJKL", "HIJKLM", "most of what is wanted is rare"),
    *_PAGES,
)
