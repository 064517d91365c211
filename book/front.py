"""The front page: a question, what is special, the course, and what its script must know.

Where a reader stands, what is due and what comes next is worked out in the page, from the history
that the browser keeps: the script has the rules of `workbook/progress`, and Python's parameters.
"""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import api
import minutes
import numpy as np
import own_numbers
from fsrs import Scheduler

import recsys_metrics
from recsys_metrics._core.package_names import DISTRIBUTION
from recsys_metrics.measures import METRICS, Measure
from recsys_metrics.peers import LIBRARIES, interpretations
from recsys_metrics.ranking import judge, ndcg, precision, recall, reciprocal_rank
from recsys_metrics.workbook.charts.ranked_lists import WIDE, ranked_list
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises import PARTS, REGISTRY
from recsys_metrics.workbook.exercises.base import BOOK_SEEDS
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.explorables import REGISTRY as EXPLORABLES
from recsys_metrics.workbook.progress import hash_content
from recsys_metrics.workbook.progress._reviews import CORRECTED, ENOUGH, SLOWEST_QUICK
from recsys_metrics.workbook.progress.review_questions import RECALL_MINUTES, read_questions

K = 5
LISTS = {"first": "ABCDE", "second": "FGHIJ"}
WANTED = "AHIJ"
_WIDE = 216  # five slots
_MEASURES = {
    "reciprocal rank": reciprocal_rank,
    "precision": precision,
    "recall": recall,
    "NDCG": ndcg,
}
_WORDS = Path(recsys_metrics.__file__).parent / "data" / "conventions.csv"
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
# What a reader needs first: hits, NDCG, a sound split, evidence, and which metric decides.
SHORT_PATH = (
    "00_three_questions",
    "02_ranking",
    "02_ranking_gains",
    "04_protocol",
    "04_protocol_evidence",
    "07_choosing",
)
_CAPTION = re.compile(
    r'<p aria-level="2" class="caption" role="heading">'
    r'<span class="caption-text">([^<]+)</span></p>'
)
MARK = '<span class="short-path" title="On the short path">●</span>'
QUESTIONS = {
    "00_three_questions": "What can a metric tell you, and what does it leave out?",
    "01_rating": "How far are predicted ratings from the ones that users gave?",
    "02_ranking": "How good is the order of a list, and how much of it counts?",
    "03_beyond_accuracy": "Are the lists varied and new, or always the same?",
    "04_protocol": "Is the difference real, or chance, or a leak in the split?",
    "05_calibration": "Does a predicted 0.8 happen in 8 of 10 cases?",
    "06_bias": "What do clicks show about items that were never shown?",
    "07_choosing": "Which metrics decide, and should the new model ship?",
    "08_judges": "May a model label the lists, or write them?",
}


def numbers() -> dict[str, dict[str, float]]:
    """Return what each measure says of each of the two lists."""
    found: dict[str, dict[str, float]] = {}
    for name, films in LISTS.items():
        judged = judge(list(films), set(WANTED))
        found[name] = {measure: float(of(judged, K)) for measure, of in _MEASURES.items()}
    return found


def project_name() -> str:
    """Return what the project is called, which stands above the title of the book."""
    return f'<p class="front-name">{DISTRIBUTION}</p>'


def guess() -> str:
    """Return the guess: two lists, three answers to pick from, and what the metrics say."""
    found = numbers()
    pictures = "".join(
        f"<div><p>{name.capitalize()} list</p>{_picture(name, films)}</div>"
        for name, films in LISTS.items()
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
        '<section class="guess" aria-label="A question to begin with">'
        f"<p><strong>Alice likes {_NUMBERS[len(WANTED)]} films: {_listed([*WANTED])}. "
        "Which list is better for her?</strong></p>"
        f'<div class="guess-lists">{pictures}</div>'
        f'<div class="guess-buttons pst-js-only">{buttons}</div>'
        '<details><summary>What the metrics say</summary><div role="status">'
        f'<p><span class="guess-said"></span> By {_listed(ahead["first"])} the first list is '
        f"better, by {_listed(ahead['second'])} the second.</p>"
        '<div class="pst-scrollable-table-container"><table>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        "<p>Each metric measures another goal: one good film at once, or as many as possible.</p>"
        "</div></details></section>"
    )


def _picture(name: str, films: str) -> str:
    grades = {film: 1.0 for film in films if film in WANTED}
    ranks = [str(films.index(film) + 1) for film in grades]
    at = f"one hit, at rank {ranks[0]}" if len(ranks) == 1 else f"hits at ranks {_listed(ranks)}"
    alt = f"The {name} list of {_NUMBERS[K]} films: {at}."
    drawn = ranked_list(list(films), grades, k=K, shows_cut=False, alt=alt).svg
    # Nothing stands behind the list, and two of them beside each other need that room.
    for size in ('viewBox="0 0 {} ', 'width="{}"'):
        drawn = drawn.replace(size.format(WIDE), size.format(_WIDE), 1)
    return Picture(drawn, alt).inline()


def _shown(value: float, found: dict[str, dict[str, float]], measure: str) -> str:
    text = f"{value:.3f}"
    return f"<strong>{text}</strong>" if value == max(n[measure] for n in found.values()) else text


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def ndcg_values() -> dict[float, dict[str, Measure]]:
    """Return the values of NDCG@10 of the sample lists, and who computes each, the highest first.

    The lists are those that *Evaluate my own lists* offers as a sample.
    """
    files = {name: file["text"].split("\n")[1:] for name, file in own_numbers.sample().items()}
    lists: dict[str, list[str]] = {}
    for user, item, _ in (row.split(",") for row in files["recommended"]):
        lists.setdefault(user, []).append(item)
    relevant: dict[str, set[str]] = {}
    for user, item in (row.split(",") for row in files["relevant"]):
        relevant.setdefault(user, set()).add(item)
    judged = judge(lists, relevant)
    titles = {one.title for one in LIBRARIES.values()}
    found: dict[float, dict[str, Measure]] = {}
    for name, measure in interpretations("ndcg", 10).items():
        if "(" in name:  # an option, and not what the library does by default
            continue
        value = round(float(np.nanmean(measure(judged))), 3)
        title = max((t for t in titles if name.startswith(t)), key=len)
        found.setdefault(value, {})[title] = measure
    return {value: found[value] for value in sorted(found, reverse=True)}


def libraries() -> str:
    """Return the section on one set of lists that libraries evaluate differently, in Markdown."""
    found = ndcg_values()
    rows = []
    for value, measures in found.items():
        named = sorted(measures, key=str.lower)
        rows.append(
            f'<li style="--value: {value}"><strong>{value:.3f}</strong><span>'
            f"{html.escape(_listed(named))}<small>{_differs([*measures.values()])}</small></span>"
            "</li>"
        )
    return (
        f"## One set of lists, {_NUMBERS[len(found)]} values of NDCG@10\n\n"
        "Each library below computes NDCG@10 for the same recommendations. None of them has a bug: "
        "they compare with another ideal list or use another discount, and few papers say which. "
        "In `recsys_metrics` each difference is a keyword.\n\n"
        f'<ul class="ndcg-values">{"".join(rows)}</ul>\n\n'
        "[Compare the libraries](conformance.md) or [evaluate my own lists](your_numbers.md) to "
        "see which number each of them reports.\n"
    )


def _differs(measures: Sequence[Measure]) -> str:
    """Return in words the conventions that all of these share and that move these lists."""
    with _WORDS.open(encoding="utf-8", newline="") as table:
        words = {(row["convention"], row["value"]): row["words"] for row in csv.DictReader(table)}
    usual = METRICS["ndcg"].conventions
    shared = []
    for name in ("ideal", "discount"):
        values = {str(one.conventions.get(name, usual[name])) for one in measures}
        if len(values) == 1 and (value := values.pop()) != usual[name]:
            shared.append(f"{name}: {words[name, value]}")
    default = words["ideal", str(usual["ideal"])]
    return html.escape("; ".join(shared) or f"ideal: {default}")


def counts() -> str:
    """Return how much there is of what a reader may look for, each counted in the code."""
    checked = sum(not isinstance(one, Predict | Text) for one in REGISTRY.values())
    told = {
        "exercises that explain your mistake": checked,
        "interactive figures": len(EXPLORABLES),
        "libraries compared": sum(bool(library.measures) for library in LIBRARIES.values()),
        "documented functions": len(api.functions()),
    }
    each = _listed([f"{number} {what}" for what, number in told.items()])
    return f'<p class="front-counts">{each}</p>'


def course() -> str:
    """Return the subjects with their question, their minutes and their parts, in Markdown."""
    takes_of = {
        stem: minutes.rounded(minutes.of_part(stem))
        for stems in minutes.subjects()
        for stem in stems
    }
    lines = [_paths(takes_of)]
    for number, stems in enumerate(minutes.subjects()):
        takes = [takes_of[stem] for stem in stems]
        first, *others = (minutes.title(stem) for stem in stems)
        named = zip(map(minutes.short, others), stems[1:], strict=True)
        more = "".join(f"  - [{title}]({stem}.ipynb){_mark(stem)}\n" for title, stem in named)
        subject = first.partition(":")[0]
        lines.append(
            f"- [{number}. {subject}]({stems[0]}.ipynb){_mark(stems[0])}\n\n"
            f"  {QUESTIONS[stems[0]]}\n\n"
            f"  {_hours(sum(takes))}\n\n{more}"
        )
    return "\n".join(lines)


def _hours(taken: int) -> str:
    """Return minutes as hours, to the nearest half of one."""
    halves = round(taken / 30)
    if halves < 2:
        return f"{taken} minutes"
    return f"{halves / 2:g} hour{'s' * (halves > 2)}"


def _mark(stem: str) -> str:
    return f"&nbsp;{MARK}" if stem in SHORT_PATH else ""  # never alone in a line


def _paths(takes: Mapping[str, int]) -> str:
    """Return what each path through the course is for, and its hours by our model."""
    short = sum(takes[stem] for stem in SHORT_PATH)
    return (
        f"**The short path** {MARK} has {_NUMBERS[len(SHORT_PATH)]} parts and takes about "
        f"{short / 60:.0f} hours. After it you can evaluate your own recommender and read the "
        f"experiments of a paper. **The whole course** has {len(takes)} parts and takes about "
        f"{sum(takes.values()) / 60:.0f} hours. It adds rating prediction, beyond-accuracy "
        "metrics, A/B tests, calibration, biased logs and fairness. "
        "<small>All times are estimates.</small>\n"
    )


def mark_short_path(contents: str, page: str) -> str:
    """Return the navigation with a mark at each part of the short path, and the key to it.

    Parameters
    ----------
    contents : str
        In HTML.
    page : str
        The page that it stands on, which it links without a name.
    """
    contents = fold_groups(contents)
    legend = f'<p class="short-path-key">{MARK} short path</p>'
    contents = contents.replace("Learn</span></summary>", f"Learn</span></summary>{legend}", 1)
    for stem in SHORT_PATH:
        href = "#" if page == f"chapters/{stem}" else rf"[^\"]*\b{stem}\.html"
        contents = re.sub(
            rf'(<a class="[^"]*" href="{href}">)(.*?)</a>', rf"\1\2 {MARK}</a>", contents, count=1
        )
    return contents


def fold_groups(contents: str) -> str:
    r"""Return the navigation with its groups folded, but for the one that holds the page.

    Where none does, as on the front page, the first is open.

    >>> head = '<p aria-level="2" class="caption" role="heading"><span class="caption-text">'
    >>> groups = [f'{head}Learn</span></p>\n<ul class="nav"></ul>',
    ...           f'{head}Use</span></p>\n<ul class="current nav"></ul>']
    >>> [line[:32] for line in fold_groups("\n".join(groups)).split("\n")[::3]]
    ['<details class="page-group"><sum', '<details class="page-group" open']
    """
    before, *groups = _CAPTION.split(contents)
    pairs = list(zip(groups[::2], groups[1::2], strict=True))
    here = next((at for at, (_, pages) in enumerate(pairs) if '<ul class="current' in pages), 0)
    folded = [
        f'<details class="page-group"{" open" * (at == here)}>'
        f'<summary><span role="heading" aria-level="2">{name}</span></summary>\n'
        f"{pages.strip()}\n</details>"
        for at, (name, pages) in enumerate(pairs)
    ]
    return before + "\n".join(folded)


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
        "enough": ENOUGH,
        "slowestQuick": SLOWEST_QUICK,
        "corrected": CORRECTED.total_seconds() * 1000,
        "seeds": list(BOOK_SEEDS),
        "parts": [
            {
                "page": f"{stem}.html",
                "title": minutes.title(stem),
                "exercises": [
                    {
                        "id": one.id,
                        "title": one.title,
                        "minutes": one.minutes,
                        "reviewed": one.has_variants,
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
    """Put what is computed where a page names it in a comment."""
    parts = {
        "name": project_name,
        "guess": guess,
        "libraries": libraries,
        "counts": counts,
        "course": course,
    }
    for name, write in parts.items():
        if (comment := f"<!-- {name} -->") in source[0]:
            source[0] = source[0].replace(comment, write())
