"""Run the text notebooks and write their .ipynb pairs, outputs included.

The MyST text is the source. Its pair is made from it and from nothing else: cell ids come from
the place of the cell, no time is recorded, and a live widget leaves its still picture, which is
what the book, GitHub and a notebook before its first run show.

    python dev/tools/build_notebooks.py              every chapter and solution
    python dev/tools/build_notebooks.py 02_ranking   those whose name holds the word
    python dev/tools/build_notebooks.py --check      only say which pairs are out of step
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("chapters", "solutions")


def texts(words: list[str]) -> list[Path]:
    """Return the text notebooks, those whose name holds one of the words if there are any."""
    found = [
        path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).glob("*.md"))
        if path.read_text(encoding="utf-8").startswith("---\njupytext:")
    ]
    return [path for path in found if not words or any(word in path.stem for word in words)]


def read(path: Path) -> nbformat.NotebookNode:
    """Return the notebook of a text, with cell ids that only depend on the cell's place."""
    notebook = jupytext.read(path)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{path.stem.replace('_', '-')[:40]}-{number:03d}"
        # The tag folds a cell in the book, and this in a notebook.
        if "hide-input" in cell.metadata.get("tags", []):
            cell.metadata["jupyter"] = {"source_hidden": True}
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Drop what changes from run to run."""
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    return notebook


def in_step(path: Path) -> bool:
    """Whether the pair of a text exists and has the same cells."""
    pair = path.with_suffix(".ipynb")
    if not pair.exists():
        return False
    mine, theirs = read(path).cells, nbformat.read(pair, as_version=4).cells
    return [_text_of(cell) for cell in mine] == [_text_of(cell) for cell in theirs]


def _text_of(cell: nbformat.NotebookNode) -> tuple[object, ...]:
    """Return what a cell takes from the text."""
    return cell.cell_type, cell.source, cell.metadata.get("tags"), cell.metadata.get("jupyter")


def main() -> int:
    """Build or check the pairs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only texts whose name holds one of these")
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    asked = parser.parse_args()
    chosen = texts(asked.words)
    if not chosen:
        sys.exit(f"no text notebook is named like {' or '.join(asked.words) or 'anything'}")
    if asked.check:
        stale = [path for path in chosen if not in_step(path)]
        for path in stale:
            print(f"{path.relative_to(ROOT)}: its .ipynb is out of step; run make notebooks")
        return 1 if stale else 0
    for path in chosen:
        print(f"{path.relative_to(ROOT)} … ", end="", flush=True)
        started = time.perf_counter()
        notebook = read(path)
        NotebookClient(
            notebook,
            timeout=300,
            kernel_name="python3",
            coalesce_streams=True,
            resources={"metadata": {"path": path.parent}},
        ).execute()
        nbformat.write(tidy(notebook), path.with_suffix(".ipynb"))
        print(f"{len(notebook.cells)} cells in {time.perf_counter() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
