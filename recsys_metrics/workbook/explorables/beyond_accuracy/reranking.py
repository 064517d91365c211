"""Eight films with scores and genres, put in another order for the sake of variety."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import judge, ndcg, precision
from recsys_metrics._core.colors import BLUE, GREEN, GREY, ORANGE
from recsys_metrics.beyond_accuracy import intra_list_diversity
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

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


def recommended(state: State) -> list[str]:
    """Return the list of a state, best first."""
    return _ordered(state)[: state["k"]]


def _ordered(state: State) -> list[str]:
    """Return all films in the order in which they are chosen."""
    names = list(FILMS)
    chosen = rerank(_SCORES, _ALIKE, len(names), state["variety"] / 10)
    return [names[place] for place in chosen]


def _compute(state: State) -> Numbers:
    listed = recommended(state)
    judged = judge(listed, WANTED)
    scores = sorted(_SCORES, reverse=True)
    return {
        "score": float(sum(FILMS[film][0] for film in listed) / sum(scores[: state["k"]])),
        "precision": precision(judged, state["k"]),
        "ndcg": ndcg(judged, state["k"]),
        "diversity": intra_list_diversity(listed, features=_ROWS),
        "genres": len({genre for film in listed for genre in FILMS[film][1]}) / len(_GENRES),
    }


# A column for each film, a row for each genre, and below them what is weighed.
_LEFT, _STEP, _SLOT, _TOP, _ROW = 74, 51, 45, 34, 22
_GENRE_TOP = _TOP + 44
_FLOOR = _GENRE_TOP + 4 * _ROW
_KS = {k: str(k) for k in range(2, 7)}
_WEIGHTS = {step: f"{step / 10:g}" for step in range(11)}
_WEIGHT = Scale(0, 10, 138, 392)


def _draw(state: State, numbers: Numbers) -> Picture:
    listed = recommended(state)
    plain = _compute({**state, "variety": 0})
    finding = _finding(numbers, plain)
    order = _ordered(state)
    parts = [svg.text(0, _GENRE_TOP + _ROW * row + 16, genre) for row, genre in enumerate(_GENRES)]
    parts.append(svg.text(0, _TOP + 18, "score"))
    for film in FILMS:
        rank = order.index(film)
        column = _column(film, inside=rank < state["k"])
        parts.append(group(column, x=_LEFT + _STEP * rank, y=_TOP))
    parts += [*_cut(state["k"]), *_scales(state["variety"])]
    alt = f"The list is {' '.join(listed)}, with λ = {state['variety'] / 10:g}. {finding}."
    return board(finding, _FLOOR + 50, parts, alt)


def _column(film: str, *, inside: bool) -> list[str]:
    """Draw a film with its mark and its score, and below it the genres it has."""
    score, genres = FILMS[film]
    wanted = film in WANTED
    hit = wanted and inside
    mark = "●" if hit else "◌" if wanted else "○"
    ink = "#ffffff" if hit else ""
    middle = _SLOT / 2
    parts = [
        svg.box(0, 0, _SLOT, 40, BLUE if hit else "", dashed=wanted and not inside),
        svg.text(middle, 17, f"{film} {mark}", anchor="middle", bold=True, ink=ink),
        svg.text(middle, 35, f"{score:.2f}", anchor="middle", ink=ink),
    ]
    for row, genre in enumerate(_GENRES):
        has = genre in genres
        look = f'fill="{GREEN}"' if has else f'fill="{GREY}" opacity="0.18"'
        y = _GENRE_TOP - _TOP + _ROW * row
        parts.append(f'<rect x="0" y="{y}" width="{_SLOT}" height="{_ROW - 3}" {look}/>')
    return [group(parts, opacity=1 if inside else 0.55)]


def _cut(k: int) -> list[str]:
    stops = [_LEFT + _STEP * value - 3 for value in _KS]
    x = _LEFT + _STEP * k - 3
    line = [upright(x, 20, _FLOOR + 2, ORANGE)]
    return [handles.drag("k", stops, (x, 13), along="x", parts=line, words=f"K = {k}")]


def _scales(variety: int) -> list[str]:
    """Draw how score and variety are weighed, as a knob between the two."""
    y = _FLOOR + 24
    stops = [_WEIGHT(step) for step in _WEIGHTS]
    x = _WEIGHT(variety)
    return [
        svg.text(stops[0] - 20, y + 6, "score only", anchor="end"),
        svg.text(stops[-1] + 20, y + 6, "variety"),
        svg.line(stops[0], y, stops[-1], y),
        handles.drag("variety", stops, (x, y), along="x"),
    ]


def _finding(numbers: Numbers, plain: Numbers) -> str:
    moved = [
        _compare(name, numbers[key] - plain[key])
        for name, key in (("Diversity", "diversity"), ("NDCG", "ndcg"))
    ]
    if all(word.endswith("unchanged") for word in moved):
        return "Diversity and NDCG are unchanged"
    return ", ".join(moved)


def _compare(name: str, change: float) -> str:
    if abs(change) < 5e-4:
        return f"{name} unchanged"
    return f"{name} {'up' if change > 0 else 'down'} {abs(change):.3f}"


reranking = Explorable(
    id="beyond_accuracy.reranking",
    question="Does diversity always cost accuracy?",
    goals=(
        Goal(
            "K = 5: find a weight that adds a relevant film.",
            lambda s, n: s["k"] == 5 and n["precision"] > 0.6,
            "A small weight on diversity brought in a relevant film that the ranking by score "
            "had missed.",
        ),
        Goal(
            "K = 5: show all 4 genres and lose a relevant film.",
            lambda s, n: s["k"] == 5 and n["genres"] == 1 and n["precision"] < 0.8,
            "Beyond a certain point, more diversity costs relevant films.",
        ),
    ),
    guess=Guess(
        "20% of the weight goes to diversity. Precision will …",
        {"variety": 2},
        "precision",
        "A film of another genre entered the top 5, and it is relevant.",
    ),
    controls=(
        Control("variety", "Trade-off λ", _WEIGHTS, 0, "slider"),
        Control("k", "K, length of the list", _KS, 5, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "score": "share of maximum score",
        "precision": "Precision",
        "ndcg": "NDCG",
        "diversity": "diversity",
        "genres": "genres covered",
    },
)
