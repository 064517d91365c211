"""How long each part of the workbook takes, computed from what stands in it.

A reader is taken to read every word, to look at every displayed formula, to run and look at every
cell, and to do every exercise in its declared time; the cards of metrics are folded and stay so.

    python dev/tools/minutes.py           print the minutes of each subject and its parts
    python dev/tools/minutes.py --write   write them into the opening of each part
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import jupytext
import nbformat
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from recsys_metrics.workbook.common.disclosure import ARROW  # noqa: E402
from recsys_metrics.workbook.exercises import PARTS  # noqa: E402

WORDS_A_MINUTE = 200
MINUTES_A_CELL = 0.3  # or a displayed formula
DISPLAYED = re.compile(r"\$\$.*?\$\$", re.DOTALL)
A_SITTING = 75

SAID = re.compile(r"\*\*About (\d+) minutes\.\*\*")


def subjects() -> list[list[str]]:
    """Return the parts of each subject, by the names of their files, in the order of the book."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [
        [Path(page["file"]).stem for page in (subject, *subject.get("sections", []))]
        for subject in contents["parts"][0]["chapters"]
    ]


def markdown(notebook: nbformat.NotebookNode) -> str:
    """Return the text cells of a notebook."""
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def prose(notebook: nbformat.NotebookNode) -> str:
    """Return the markdown of a notebook without code spans, links and formulas."""
    text = markdown(notebook).replace(ARROW, "")
    text = DISPLAYED.sub(" ", re.sub(r"```.*?```|`[^`]*`", " ", text, flags=re.DOTALL))
    return re.sub(r"\]\([^)]*\)|https?://\S+|\$[^$]*\$", " ", text)


def of_part(stem: str) -> float:
    """Return the minutes of a part."""
    notebook = jupytext.read(ROOT / "chapters" / f"{stem}.md")
    code = [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and "remove-cell" not in cell.metadata.get("tags", [])
    ]
    cells = sum(not source.startswith("card(") for source in code)
    words = len(prose(notebook).split())
    formulas = len(DISPLAYED.findall(markdown(notebook)))
    exercises = sum(exercise.minutes for exercise in PARTS[stem])
    return words / WORDS_A_MINUTE + (cells + formulas) * MINUTES_A_CELL + exercises


def rounded(minutes: float) -> int:
    """Return minutes as they are said: to the nearest five.

    >>> rounded(42.4), rounded(57.6)
    (40, 60)
    """
    return 5 * round(minutes / 5)


def short(heading: str) -> str:
    """Return the heading of a later part without its subject, where it has more.

    >>> short("Ranking: average precision"), short("The three questions")
    ('Average precision', 'The three questions')
    """
    own = heading.partition(": ")[2]
    return own[0].upper() + own[1:] if own else heading


def title(stem: str) -> str:
    """Return the heading of a part."""
    text = (ROOT / "chapters" / f"{stem}.md").read_text(encoding="utf-8")
    found = re.search(r"^# (.*)$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{stem}.md has no heading; begin it with '# ' and its title")
    return found[1]


def write(stem: str) -> None:
    """Write the minutes of a part into its text and its notebook."""
    for suffix in (".md", ".ipynb"):
        path = ROOT / "chapters" / f"{stem}{suffix}"
        text = path.read_text(encoding="utf-8")
        path.write_text(SAID.sub(f"**About {rounded(of_part(stem))} minutes.**", text))


def main() -> int:
    """Print the minutes, or write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write them into the parts")
    asked = parser.parse_args()
    for stems in subjects():
        minutes = {stem: of_part(stem) for stem in stems}
        print(f"{sum(minutes.values()):4.0f}  {stems[0].partition('_')[2].replace('_', ' ')}")
        for stem, takes in minutes.items():
            print(f"{takes:8.0f}  {stem}{'  (too long)' if takes > A_SITTING else ''}")
            if asked.write:
                write(stem)
    return 0


if __name__ == "__main__":
    sys.exit(main())
