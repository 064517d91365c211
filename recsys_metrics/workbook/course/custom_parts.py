"""A course's own parts: texts with cells, their exercises and data, in a folder of their own."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recsys_metrics._core.windows_names import find_fault_of_name
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.state_file import refuse_device
from recsys_metrics.workbook.grading import atomic_files, custom_exercises, exercise_rules
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.static_page import render_page

EXERCISES = "mine.yaml"
_TEMPLATES = Path(__file__).parent / "templates"
_SECONDS = 300
_MADE = "recsys_part"
_STYLE = """\
pre { overflow-x: auto }
img, svg { max-width: 100%; height: auto }
"""


def write_template(folder: Path) -> list[Path]:
    """Write a part that can be built, with its exercises and its data.

    Parameters
    ----------
    folder : Path
        One that is not there yet.

    Raises
    ------
    GradingError
        If it is there, or cannot be written.
    """
    if folder.exists():
        raise GradingError(f"{folder} is there; give a folder that is not")
    python = (custom_exercises.TEMPLATES / "numbers.py.txt").read_text(encoding="utf-8")
    texts = {
        "part.md": (_TEMPLATES / "part" / "part.md").read_text(encoding="utf-8"),
        EXERCISES: (custom_exercises.TEMPLATES / "numbers.yaml").read_text(encoding="utf-8"),
        custom_exercises.get_python_file(Path(EXERCISES)).name: (
            f"{python}\n\n# What is next to this file and is needed with it.\n"
            'DATA = ("clicks.csv",)\n'
        ),
        "clicks.csv": (_TEMPLATES / "part" / "clicks.csv").read_text(encoding="utf-8"),
    }
    try:
        folder.mkdir(parents=True)
    except OSError as problem:
        raise atomic_files.explain_refusal(folder, problem) from None
    for name, text in texts.items():
        atomic_files.replace_file(folder / name, text)
    return [folder / name for name in texts]


def build(folder: Path) -> Iterator[tuple[Path, int]]:
    """Run the texts of a folder, and write each as a notebook and as a page.

    Parameters
    ----------
    folder : Path

    Yields
    ------
    (Path, int)
        A text, and how many cells it has.

    Raises
    ------
    GradingError
        If there is none, a cell raises an error, an exercise breaks the law, or a notebook or page
        of that name is there that was not made so, or was edited since.
    """
    texts = sorted(path for path in folder.glob("*.md") if _is_text(path))
    if not texts:
        raise GradingError(f"{folder} contains no text with cells; `course own part` writes one")
    exercises = folder / EXERCISES
    if exercises.exists():
        custom_exercises.list_data_files(exercises)
        for exercise in custom_exercises.load_exercises(exercises).values():
            python = custom_exercises.get_python_file(exercises)
            if faults := exercise_rules.find_faults(exercise, variants=40, file=python):
                line = custom_exercises.locate(exercises, exercise.id, faults[0])
                raise GradingError(f"{folder}: {line}: {exercise.id} {faults[0]}")
    for path in texts:
        _refuse_other_files(path)
        notebook = _ran(path)
        atomic_files.replace_file(path.with_suffix(".ipynb"), _written(notebook))
        page = render_page(path.stem, "\n".join(_shown(notebook)), style=_STYLE, images=True)
        atomic_files.replace_file(path.with_suffix(".html"), page)
        yield path, len(notebook.cells)


def _is_text(path: Path) -> bool:
    refuse_device(path)
    try:
        return path.read_text(encoding="utf-8").startswith("---\njupytext:")
    except UnicodeDecodeError:
        raise GradingError(f"{path} is not in UTF-8; save it in that encoding") from None


def _refuse_other_files(text: Path) -> None:
    """Raise GradingError if a notebook or page is there that was not built, or was edited since."""
    import nbformat

    if fault := find_fault_of_name(text.name):
        raise GradingError(f"{text}: no file has this name on Windows, {fault}; give another name")
    file, page = text.with_suffix(".ipynb"), text.with_suffix(".html")
    if not file.exists():
        if page.exists():
            raise GradingError(
                f"{page} is there and was not built from a text; give it another name"
            )
        return
    refuse_device(file)
    try:
        notebook = nbformat.read(file, as_version=4)
        made = notebook.metadata.get(_MADE)
    except (OSError, ValueError, AttributeError):
        made = None
    if not made:
        raise GradingError(f"{file} is there and was not built from a text; give it another name")
    if made != _hash_sources(notebook):
        raise GradingError(
            f"{file} was edited after it was built from {text.name}, and would be replaced; write "
            f"the changes into {text.name}, then delete {file.name} and {page.name}"
        )


def _hash_sources(notebook: Any) -> str:
    """Return a hash of what the cells of a notebook say, without what they printed."""
    sources = [[cell.cell_type, cell.source.rstrip()] for cell in notebook.cells]
    return hashlib.sha256(json.dumps(sources).encode()).hexdigest()


def _ran(path: Path) -> Any:
    import jupytext
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    notebook = jupytext.read(path)
    notebook.metadata[_MADE] = _hash_sources(notebook)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{path.stem[:40]}-{number:03d}"
    client = NotebookClient(
        notebook,
        timeout=_SECONDS,
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--log-level=ERROR"],  # it would warn of its own way of running
    )
    try:
        client.execute()
    except CellExecutionError as problem:
        raise GradingError(
            f"{path}: {problem.ename}: {problem.evalue}, in the cell that begins "
            f"{_first_line(problem.traceback)}"
        ) from None
    except CellTimeoutError:
        raise GradingError(f"{path}: a cell did not end within {_SECONDS} s") from None
    return notebook


def _first_line(told: str) -> str:
    lines = [line.strip() for line in told.splitlines() if line.strip(" -")]
    return repr(lines[1] if len(lines) > 1 else told[:80])


def _written(notebook: Any) -> str:
    import nbformat

    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    return str(nbformat.writes(notebook)) + "\n"


def _shown(notebook: Any) -> Iterator[str]:
    """Return each cell as HTML; it is the instructor's own, so what it shows is taken as it is."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield markup.render_block(cell.source)
            continue
        if cell.source.strip():
            yield markup.render_code_block(cell.source)
        for output in cell.get("outputs", []):
            yield _output(output)


def _output(output: Any) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        return str(data["text/html"])
    if "image/svg+xml" in data:
        return str(data["image/svg+xml"])
    if "image/png" in data:
        picture = base64.b64encode(base64.b64decode(data["image/png"])).decode()
        alt = escape_html(str(data.get("text/plain", "")))
        return f'<img src="data:image/png;base64,{picture}" alt="{alt}">'
    return markup.render_code_block(str(data.get("text/plain", output.get("text", ""))))
