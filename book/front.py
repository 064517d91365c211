"""The front page: a guess before anything else, and what its script must know to go on from it.

Where a reader stands, what is due and what comes next is worked out in the page, from the history
that the browser keeps: the script has the rules of `workbook/progress`, and Python's parameters.
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import minutes
from cards import SEEDS
from fsrs import Scheduler

from recsys_metrics.ranking import judge, ndcg, precision, recall, reciprocal_rank
from recsys_metrics.workbook.charts.ranked_lists import WIDE, ranked_list
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises import PARTS
from recsys_metrics.workbook.progress import hash_content
from recsys_metrics.workbook.progress._reviews import is_reviewed
from recsys_metrics.workbook.progress.review_questions import RECALL_MINUTES, read_questions

K = 5
LISTS = {"first": ((1,), "one hit, at rank 1"), "second": ((3, 4, 5), "hits at ranks 3, 4 and 5")}
WANTED = 4
_LETTERS = {"first": "ABCDE", "second": "FGHIJ"}
_WIDE = 290  # five slots, and the name of the cut
_OTHERS = ("P", "Q", "R")
_MEASURES = {
    "reciprocal rank": reciprocal_rank,
    "precision": precision,
    "recall": recall,
    "NDCG": ndcg,
}


def numbers() -> dict[str, dict[str, float]]:
    """Return what each measure says of each of the two lists."""
    found: dict[str, dict[str, float]] = {}
    for name, (ranks, _) in LISTS.items():
        judged = judge(list(_LETTERS[name]), _wanted(name, ranks))
        found[name] = {measure: float(of(judged, K)) for measure, of in _MEASURES.items()}
    return found


def _wanted(name: str, ranks: tuple[int, ...]) -> set[str]:
    hits = {_LETTERS[name][rank - 1] for rank in ranks}
    return hits | set(_OTHERS[: WANTED - len(hits)])


def guess() -> str:
    """Return the guess: two lists, three answers to pick from, and what the numbers say."""
    found = numbers()
    pictures = "".join(
        f"<div><p>The {name} list</p>{_picture(name, ranks)}</div>"
        for name, (ranks, _) in LISTS.items()
    )
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in _MEASURES)
    rows = "".join(
        f'<tr><th scope="row">{name.capitalize()}</th>'
        + "".join(
            f"<td>{_shown(value, found, measure)}</td>" for measure, value in found[name].items()
        )
        + "</tr>"
        for name in LISTS
    )
    ahead = {
        name: [m for m in _MEASURES if found[name][m] == max(one[m] for one in found.values())]
        for name in LISTS
    }
    answers = {"first": "The first", "second": "The second", "depends": "It depends"}
    buttons = "".join(
        f'<button type="button" data-guess="{key}">{text}</button>' for key, text in answers.items()
    )
    return (
        '<section class="guess" aria-label="A guess to begin with">'
        "<p><strong>Somebody wants four films. Two recommenders show five each; filled is what "
        "was wanted. Which list is better?</strong></p>"
        f'<div class="guess-lists">{pictures}</div>'
        f'<div class="guess-buttons" hidden>{buttons}</div>'
        '<details><summary>What the numbers say</summary><div role="status">'
        '<p class="guess-said"></p>'
        '<div class="pst-scrollable-table-container"><table>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        f"<p>By {_listed(ahead['first'])} the first list is better, by {_listed(ahead['second'])} "
        "the second. Each number is somebody's goal: one good film at once, or as many as can be "
        "had. Which goal is yours, and what a number cannot see, is what this workbook is about."
        "</p></div></details></section>"
    )


def _picture(name: str, ranks: tuple[int, ...]) -> str:
    grades = {_LETTERS[name][rank - 1]: 1.0 for rank in ranks}
    alt = f"The {name} list of five films: {LISTS[name][1]}."
    drawn = ranked_list(list(_LETTERS[name]), grades, k=K, alt=alt).svg
    # Nothing stands behind the list, and two of them beside each other need that room.
    for size in ('viewBox="0 0 {} ', 'width="{}"'):
        drawn = drawn.replace(size.format(WIDE), size.format(_WIDE), 1)
    return Picture(drawn, alt).inline()


def _shown(value: float, found: dict[str, dict[str, float]], measure: str) -> str:
    text = f"{value:.3f}"
    return f"<strong>{text}</strong>" if value == max(n[measure] for n in found.values()) else text


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def table() -> dict[str, Any]:
    """Return what the page's script must know: the parts in reading order, and FSRS' parameters."""
    scheduler = Scheduler(enable_fuzzing=False)
    return {
        "fsrs": {
            "parameters": list(scheduler.parameters),
            "retention": scheduler.desired_retention,
            "longest": scheduler.maximum_interval,
        },
        "recallMinutes": RECALL_MINUTES,
        "seeds": list(SEEDS),
        "parts": [
            {
                "page": f"{stem}.html",
                "title": minutes.title(stem),
                "exercises": [
                    {
                        "id": one.id,
                        "title": one.title,
                        "minutes": one.minutes,
                        "reviewed": is_reviewed(one),
                        "content": hash_content(one),
                    }
                    for one in PARTS[stem]
                ],
                "recall": [one.id for one in read_questions(stem)],
            }
            for stems in minutes.subjects()
            for stem in stems
        ],
    }


def as_script() -> str:
    """Return the table as a script that hands it over to the page."""
    return f'recsysBook.opened("front",{json.dumps(table(), ensure_ascii=True)});\n'


def on_build(app: Any) -> None:
    """Write the table beside the pages; it is read by the front page alone."""
    static = Path(app.outdir) / "_static"
    static.mkdir(parents=True, exist_ok=True)
    (static / "front.js").write_text(as_script(), encoding="ascii")


def place(app: Any, docname: str, source: list[str]) -> None:
    """Put the guess where a page names it in a comment."""
    if (comment := "<!-- guess -->") in source[0]:
        source[0] = source[0].replace(comment, guess())
