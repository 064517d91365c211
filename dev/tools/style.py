"""Print where pages, cards and names leave the style of the project; `make lint` runs it.

These are warnings: a reader is not harmed by a long cell, and a writer may have a reason for one.
What a test can decide (a decimal that no cell printed, a missing alternative text) is a test.

    python dev/tools/style.py
"""

from __future__ import annotations

import ast
import html
import inspect
import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import build_notebooks  # noqa: E402
import minutes  # noqa: E402

from recsys_metrics.workbook.cards import CARDS  # noqa: E402
from recsys_metrics.workbook.common.picture import inline_pictures  # noqa: E402
from recsys_metrics.workbook.exercises import PARTS  # noqa: E402
from recsys_metrics.workbook.exercises.base import Exercise  # noqa: E402
from recsys_metrics.workbook.exercises.function import Function  # noqa: E402
from recsys_metrics.workbook.exercises.numbers import Numbers  # noqa: E402
from recsys_metrics.workbook.exercises.open_answer import Text  # noqa: E402
from tests import public  # noqa: E402

Warnings = Iterator[str]

# Code cells of a part: lines in the middle one, and in all but the longest tenth.
MIDDLE, MOST = 4, 9
# A page for reference has tables more often than steps.
MOST_OF_A_REFERENCE, WIDEST = 12, 78
# Words between two things to look at or to do.
A_STRETCH = 250
# Characters that fit a notebook's cell in a window of 600 pixels: a folded cell shows its first
# line, and JupyterLab does not break it.
A_LINE = 40
# Characters of a card's columns that fit a page.
A_CARD = {"title": 22, "words": 36, "call": 62}
FILLERS = re.compile(r"\b(simply|obviously|trivially|of course)\b", re.IGNORECASE)
# Participles that say nothing of what a name stands for.
VAGUE = {"asked", "found", "given", "known", "made", "said", "told"}

PICTURE = re.compile(r'<svg role="img" aria-label="([^"]*)"')
TO_DO = re.compile(r'data-explorable=|data-exercise=|<svg role="img"')
# The card of an exercise, and the picture of it in the solutions.
OF_AN_EXERCISE = re.compile(r"ex\.\w+(\.figure)?")
ANSWERED = re.compile(r"\.(check|hint|look_back)\(")
ROW = re.compile(r"^\|.*$", re.MULTILINE)
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)


# What a notebook shows --------------------------------------------------------------------------


def pair(path: Path) -> nbformat.NotebookNode:
    """Return the notebook of a text, with its outputs."""
    return nbformat.read(path.with_suffix(".ipynb"), as_version=4)


def shown(cell: nbformat.NotebookNode) -> str:
    """Return what a cell puts out as HTML."""
    outputs = cell.get("outputs", [])
    return inline_pictures(
        "\n".join(output.get("data", {}).get("text/html", "") for output in outputs)
    )


def is_folded(cell: nbformat.NotebookNode) -> bool:
    """Return whether a page hides the source of a cell."""
    return "hide-input" in cell.metadata.get("tags", [])


def drawn(path: Path) -> list[tuple[nbformat.NotebookNode, str]]:
    """Return the cells that draw a picture of their own, with its alternative text.

    An exercise shows the list it asks about, however often, and a metric's card is the same in each
    part; an interactive figure has a picture for each state.
    """
    found = []
    for cell in pair(path).cells:
        if cell.cell_type == "code" and not OF_AN_EXERCISE.fullmatch(cell.source.strip()):
            page = shown(cell)
            if "data-explorable" not in page and "metric-card" not in page:
                found += [(cell, html.unescape(alt)) for alt in PICTURE.findall(page)]
    return found


def headings(path: Path) -> list[str]:
    """Return the headings of the second level."""
    return re.findall(r"^## (.*)$", _markdown(path), flags=re.MULTILINE)


def _markdown(path: Path) -> str:
    return "\n".join(c.source for c in pair(path).cells if c.cell_type == "markdown")


def stretches(notebook: nbformat.NotebookNode) -> list[tuple[int, str]]:
    """Return how many words stand before each next thing to look at or to do, and the first ones.

    A thing is a picture, an interactive figure, an exercise or its check, or a question to open.
    What is folded away counts for nothing, and neither do tables and code.
    """
    found, words = [], [""]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            first, *rest = FOLDED.split(ROW.sub("", cell.source))
            words[-1] += f"\n{first}"
            words += rest
        elif TO_DO.search(shown(cell)) or ANSWERED.search(cell.source):
            words.append("")
    for text in words:
        markdown = nbformat.v4.new_markdown_cell(text)
        plain = minutes.prose(nbformat.v4.new_notebook(cells=[markdown])).split()
        found.append((len(plain), " ".join(plain[:8])))
    return found


# Pages ------------------------------------------------------------------------------------------


def fillers(path: Path) -> Warnings:
    """Words that make a reader feel slow, and exclamation marks."""
    text = minutes.prose(pair(path))
    yield from (f"leave out {word!r}" for word in dict.fromkeys(FILLERS.findall(text)))
    if "!" in re.sub(r"<!--.*?-->|!\[", "", text):
        yield "an exclamation mark"


def steps_of_headings(path: Path) -> Warnings:
    """Headings that skip a level."""
    levels = [len(marks) for marks in re.findall(r"^(#+) ", _markdown(path), flags=re.MULTILINE)]
    if levels[:1] != [1] or levels.count(1) != 1:
        yield "does not begin with its only heading of the first level"
    if any(deeper > level + 1 for level, deeper in itertools.pairwise(levels)):
        yield "a heading skips a level"


def folded_lines(path: Path) -> Warnings:
    """First lines of folded cells that are cut off in a narrow window."""
    for cell in pair(path).cells:
        first = cell.source.partition("\n")[0]
        if is_folded(cell) and len(first) > A_LINE:
            yield f"the first line of a folded cell has {len(first)} characters: {first}"


# Parts ------------------------------------------------------------------------------------------


def sizes_of_cells(path: Path) -> Warnings:
    """Code cells that are long."""
    code = [c.source for c in pair(path).cells if c.cell_type == "code" and not is_folded(c)]
    lines = sorted(len([line for line in one.splitlines() if line.strip()]) for one in code)
    if lines[len(lines) // 2] > MIDDLE or lines[int(len(lines) * 0.9)] > MOST:
        yield "its code cells are long"


def minutes_of_a_part(path: Path) -> Warnings:
    """Minutes that are not the computed ones, and parts longer than a sitting."""
    takes = minutes.of_part(path.stem)
    if re.findall(minutes.SAID, pair(path).cells[0].source) != [str(minutes.rounded(takes))]:
        yield "its minutes are out of date: python dev/tools/minutes.py --write"
    if takes > minutes.A_SITTING:
        yield f"takes {takes:.0f} minutes, longer than a sitting of {minutes.A_SITTING}"


def has_a_finding(source: str) -> bool:
    """Return whether a cell holds the words of its picture: its title or its alternative text."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return any(word.arg in {"title", "alt"} for call in calls for word in call.keywords)


def findings_before_pictures(path: Path) -> Warnings:
    """Cells whose code tells the finding of a picture before it is seen."""
    for cell, _ in drawn(path):
        if has_a_finding(cell.source) and not is_folded(cell):
            yield f"fold the cell that tells the finding of its picture: {cell.source[:60]!r}"


def something_to_do(path: Path) -> Warnings:
    """Long stretches of text without anything to look at or to do."""
    longest, begins = max(stretches(pair(path)))
    if longest > A_STRETCH:
        yield f"{longest} words without anything to look at or to do, from: {begins}"


def is_on_data(exercise: Exercise) -> bool:
    """Return whether the data have to be loaded, and the answer is computed from them."""
    return bool(re.search(r"movielens_experiment|load_\w+\(|in a notebook", exercise.statement))


def is_alone(exercise: Exercise) -> bool:
    """Return whether a learner begins with an empty page: a function, a task on data, a text."""
    if isinstance(exercise, Function):
        return not exercise.template
    return isinstance(exercise, Text) or is_on_data(exercise)


def missing_steps(part: tuple[Exercise, ...]) -> list[str]:
    """Return what a part lacks between the first exercise and one that is solved alone."""
    to_complete = [n for n, one in enumerate(part) if isinstance(one, Function) and one.template]
    of_numbers = {n for n, one in enumerate(part) if isinstance(one, Numbers)}
    alone = {n for n, one in enumerate(part) if is_alone(one)}
    found = []
    if not to_complete:
        found.append("a line to complete")
    if not of_numbers:
        found.append("numbers")
    if not alone:
        found.append("something to do alone")
    elif of_numbers == alone and len(alone) == 1:
        found.append("numbers besides what is done alone")
    if to_complete and alone and to_complete[0] > max(alone):
        found.append("something to do alone after the line to complete")
    return found


def steps_of_exercises(path: Path) -> Warnings:
    """Parts whose exercises do not lead from help to none."""
    if lacks := missing_steps(PARTS[path.stem]):
        yield f"its exercises lack {', '.join(lacks)}"


# Other pages, and the project as a whole ---------------------------------------------------------


def openings_of_references(path: Path) -> Warnings:
    """Pages for reference that do not say what they are for, or whose code is hard to read."""
    first, *rest = pair(path).cells
    title, _, opening = first.source.partition("\n")
    if not title.startswith("# ") or len(opening.split()) < 15:
        yield "does not open with what it is for"
    cells = [cell for cell in rest if cell.cell_type == "code"]
    code = [cell.source for cell in cells]
    if "%precision 3" not in code[0].splitlines()[:2]:
        yield "its first cell does not set %precision 3"
    if any(re.search(r"^(import|from) ", source, re.MULTILINE) for source in code[1:]):
        yield "imports below its first cell"
    if wide := [line for source in code for line in source.splitlines() if len(line) > WIDEST]:
        yield f"a line of code has more than {WIDEST} characters: {wide[0]}"
    if any(len(c.source.splitlines()) > MOST_OF_A_REFERENCE for c in cells if not is_folded(c)):
        yield f"a cell has more than {MOST_OF_A_REFERENCE} lines"


def shape_of_subjects() -> Warnings:
    """Parts that do not open with a guess or end with recall questions and the way on."""
    for stems in minutes.subjects():
        asked = 0
        for stem, following in itertools.zip_longest(stems, stems[1:]):
            path = ROOT / "chapters" / f"{stem}.md"
            own = headings(path)
            if own[0] != "Predict first" or own[-1] not in {"References", "Recall", "Next"}:
                yield f"{stem}: does not open with 'Predict first' or ends with {own[-1]!r}"
            _, _, end = path.read_text(encoding="utf-8").partition("\n## Summary\n")
            recall = end.partition("\n## Recall\n")[2].partition("\n## ")[0].count("<summary>")
            if recall < 3:
                yield f"{stem}: {recall} recall questions, fewer than 3"
            asked += recall
            after = end.partition("\n## Next\n")[2].partition("\n## ")[0]
            if following and f"]({following}.ipynb)" not in after:
                yield f"{stem}: its section 'Next' does not lead to {following}"
        if asked < 5:
            yield f"{stems[0]}: its subject has {asked} recall questions, fewer than 5"
        every = {one for stem in stems for one in headings(ROOT / "chapters" / f"{stem}.md")}
        for missing in sorted({"What goes wrong", "References"} - every):
            yield f"{stems[0]}: its subject has no section {missing!r}"


def pictures_that_say_the_same() -> Warnings:
    """Pictures whose alternative text is that of another."""
    alts = Counter(alt for path in build_notebooks.texts([]) for _, alt in drawn(path))
    yield from (f"{times} pictures say: {alt}" for alt, times in alts.items() if times > 1)


def rows_of_cards() -> Warnings:
    """Cards of metrics that are too long for a page."""
    for card in CARDS.values():
        for column, most in A_CARD.items():
            if (length := len(getattr(card, column))) > most:
                yield f"card {card.title}: {column} has {length} characters, more than {most}"
        if not card.question.endswith("?"):
            yield f"card {card.title}: its question has no question mark"


def vague_names() -> Warnings:
    """Public names and parameters that are a mere participle."""
    for module in public.modules():
        for name in module.__all__:
            value = getattr(module, name)
            members = {name: value}
            if isinstance(value, type):
                members |= {own: part for own, part in inspect.getmembers(value) if own[0] != "_"}
            for own, member in members.items():
                of_python = inspect.isfunction(member) or inspect.ismethod(member)
                parameters = inspect.signature(member).parameters if of_python else ()
                for word in {own.lower(), *parameters} & VAGUE:
                    yield f"{public.path(module)}.{name}: {word!r} says nothing of what it is"


ON_EVERY_PAGE = (fillers, steps_of_headings, folded_lines)
ON_PARTS = (
    sizes_of_cells, minutes_of_a_part, findings_before_pictures, something_to_do,
    steps_of_exercises,
)  # fmt: skip
ON_REFERENCES = (openings_of_references,)
ON_THE_WHOLE = (shape_of_subjects, pictures_that_say_the_same, rows_of_cards, vague_names)


def warnings() -> Warnings:
    """Yield all warnings, each with the place that it is about."""
    for path in build_notebooks.texts([]):
        rules = list(ON_EVERY_PAGE)
        if path.parent.name == "chapters":
            rules += ON_PARTS if path.stem[0].isdigit() else ON_REFERENCES
        for rule in rules:
            yield from (f"{path.relative_to(ROOT)}: {said}" for said in rule(path))
    for rule in ON_THE_WHOLE:
        yield from rule()


def main() -> int:
    """Print all warnings and their number; they fail nothing."""
    found = list(warnings())
    for warning in found:
        print(f"warning: {warning}")
    print(f"style: {len(found)} warnings" if found else "style: no warnings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
