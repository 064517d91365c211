"""Eight films with scores and genres, put in another order for the sake of variety."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import judge, ndcg, precision
from recsys_metrics.beyond_accuracy import intra_list_diversity
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE
from recsys_metrics.workbook.picture import Picture

FILMS: dict[str, tuple[float, tuple[str, ...]]] = {
    "A": (1.00, ("space",)),
    "B": (0.95, ("space",)),
    "C": (0.90, ("space", "comedy")),
    "D": (0.85, ("space",)),
    "E": (0.70, ("comedy",)),
    "F": (0.60, ("war",)),
    "G": (0.45, ("comedy", "war")),
    "H": (0.30, ("song",)),
}
WANTED = {"A", "C", "D", "F"}
_GENRES = sorted({genre for _, genres in FILMS.values() for genre in genres})
_ROWS = {film: [float(genre in genres) for genre in _GENRES] for film, (_, genres) in FILMS.items()}


def _similarities() -> NDArray[np.float64]:
    rows = np.array(list(_ROWS.values()))
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    table: NDArray[np.float64] = units @ units.T
    return table


_ALIKE = _similarities()
_SCORES = np.array([score for score, _ in FILMS.values()])


def rerank(
    scores: NDArray[np.float64], alike: NDArray[np.float64], k: int, variety: float
) -> list[int]:
    """Choose k items one after another, each by its score and by how new it is to the list.

    Parameters
    ----------
    scores : (n,) array
        What the ranking stage thinks of each candidate, from 0 to 1.
    alike : (n, n) array
        Similarity of every two candidates.
    k : int
        How many to choose.
    variety : float
        From 0, the score alone, to 1, the distance alone. An item's distance is that from the
        nearest item chosen so far: maximal marginal relevance (Carbonell and Goldstein, 1998).

    Returns
    -------
    list of int
        Places of the chosen candidates, in the order of choice.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([1.0, 0.9, 0.5])
    >>> alike = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    >>> rerank(scores, alike, 2, 0.0), rerank(scores, alike, 2, 0.5)
    ([0, 1], [0, 2])
    """
    chosen: list[int] = []
    for _ in range(k):
        nearest = alike[:, chosen].max(axis=1, initial=0)
        worth = (1 - variety) * scores - variety * nearest
        worth[chosen] = -np.inf
        chosen.append(int(worth.argmax()))
    return chosen


def served(state: State) -> list[str]:
    """Return the list of a state, best first."""
    names = list(FILMS)
    chosen = rerank(_SCORES, _ALIKE, state["k"], state["variety"] / 10)
    return [names[place] for place in chosen]


def _compute(state: State) -> Numbers:
    listed = served(state)
    judged = judge(listed, WANTED)
    scores = sorted(_SCORES, reverse=True)
    return {
        "score": float(sum(FILMS[film][0] for film in listed) / sum(scores[: state["k"]])),
        "precision": precision(judged, state["k"]),
        "ndcg": ndcg(judged, state["k"]),
        "diversity": intra_list_diversity(listed, features=_ROWS),
        "genres": len({genre for film in listed for genre in FILMS[film][1]}) / len(_GENRES),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    listed = served(state)
    plain = _compute({**state, "variety": 0})
    finding = _finding(numbers, plain)
    parts = [svg.text(0, 14, finding, bold=True)]
    for rank, film in enumerate(listed):
        parts += _slot(film, 74 * rank, 44, str(rank + 1))
    parts.append(svg.text(0, 140, "● wanted, ○ not wanted; the number is the score"))
    left = [film for film in FILMS if film not in listed]
    parts.append(svg.text(0, 174, "left out, ◌ wanted"))
    for place, film in enumerate(left):
        parts += _slot(film, 74 * place, 186, "", out=True)
    alt = (
        f"The list is {' '.join(listed)}, with weight {state['variety'] / 10:g} on variety. "
        f"{finding}."
    )
    return svg.sheet(452, 262, parts, alt)


def _finding(numbers: Numbers, plain: Numbers) -> str:
    moved = [
        _compare(name, numbers[key] - plain[key])
        for name, key in (("diversity", "diversity"), ("NDCG", "ndcg"))
    ]
    if all(word.endswith("as before") for word in moved):
        return "By score alone, or as good as that"
    return f"Against the order by score: {moved[0]}, {moved[1]}"


def _compare(name: str, change: float) -> str:
    if abs(change) < 5e-4:
        return f"{name} as before"
    return f"{name} {'up' if change > 0 else 'down'} {abs(change):.3f}"


def _slot(film: str, x: int, y: int, rank: str, *, out: bool = False) -> list[str]:
    """Draw a film with its mark, score and genres."""
    score, genres = FILMS[film]
    wanted = film in WANTED
    shown = wanted and not out
    mark = "●" if shown else "◌" if wanted else "○"
    ink = "#ffffff" if shown else ""
    return [
        svg.text(x + 33, y - 6, rank, anchor="middle"),
        svg.box(x + 1, y, 66, 44, BLUE if shown else "", dashed=wanted and out),
        svg.text(x + 34, y + 19, f"{film} {mark}", anchor="middle", bold=True, ink=ink),
        svg.text(x + 34, y + 36, f"{score:.2f}", anchor="middle", ink=ink),
        *_lines(genres, x + 34, y + 59),
    ]


def _lines(genres: Sequence[str], x: int, y: int) -> list[str]:
    return [svg.text(x, y + 13 * row, genre, anchor="middle") for row, genre in enumerate(genres)]


reranking = Explorable(
    id="beyond_accuracy.reranking",
    question="Which weight on variety finds the most wanted films, and what does the list win "
    "and lose beyond it?",
    goals=(
        Goal(
            "With five films to show, find a weight that adds a wanted film.",
            lambda s, n: s["k"] == 5 and n["precision"] > 0.6,
            "A little variety found what the best scores alone had missed.",
        ),
        Goal(
            "Show all four genres, and fewer wanted films than another weight finds.",
            lambda s, n: s["k"] == 5 and n["genres"] == 1 and n["precision"] < 0.8,
            "Beyond a point variety is paid for with what people wanted.",
        ),
    ),
    controls=(
        Control(
            "variety",
            "Weight on variety",
            {step: f"{step / 10:g}" for step in range(11)},
            0,
            "slider",
        ),
        Control("k", "K, films to show", {k: str(k) for k in range(2, 7)}, 5, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "score": "score kept, of the best there is",
        "precision": "Precision",
        "ndcg": "NDCG",
        "diversity": "diversity",
        "genres": "genres shown, of four",
    },
)
