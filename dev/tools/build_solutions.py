"""Write the worked solutions of each subject's exercises as a text notebook.

All of it comes from the declarations in `recsys_metrics/workbook/exercises`: the prompt with its
picture, the steps with their code, and a last cell that checks what the steps found.
`build_notebooks.py` runs them.

    python dev/tools/build_solutions.py            write solutions/NN_subject.md
    python dev/tools/build_solutions.py --check    only say which are out of date
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import jupytext
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from recsys_metrics.workbook.exercises import SUBJECTS, Exercise  # noqa: E402

CHAPTERS = {
    "rating": "01",
    "ranking": "02",
    "beyond_accuracy": "03",
    "protocol": "04",
    "calibration": "05",
    "bias": "06",
    "choosing": "07",
    "judges": "08",
}
METADATA = {
    "jupytext": {
        # Repeated from pyproject.toml, which a reader's folder does not have.
        "cell_metadata_filter": "tags,mystnb,nbgrader,slideshow,-all",
        "formats": "ipynb,md:myst",
        "notebook_metadata_filter": "kernelspec,jupytext,-all",
    },
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}


def path_of(subject: str) -> Path:
    """Return where a subject's solutions are."""
    return ROOT / "solutions" / f"{CHAPTERS[subject]}_{subject}.md"


def text_of(subject: str) -> str:
    """Return a subject's solutions as a text notebook."""
    title = subject.replace("_", " ").capitalize()
    cells = [
        new_markdown_cell(
            f"# {title}: worked solutions\n\n"
            "Try each exercise before you read on: the check in the chapter names the mistake, "
            "and hints are there.\n"
            "Each solution ends with the check of what its steps found."
        ),
        # As many digits as any check reads: floats are printed like 0.20800000000000002 in full.
        new_code_cell(
            "%precision %.6g\n"
            f"from recsys_metrics.workbook import exercises\n\nex = exercises.{subject}"
        ),
    ]
    for exercise in SUBJECTS[subject]:
        cells += _cells_of(exercise)
    text: str = jupytext.writes(new_notebook(cells=cells, metadata=METADATA), fmt="md:myst")
    # The version of the tool that wrote it is no part of the text, and changes with each update.
    return re.sub(r"^ *jupytext_version: .*\n", "", text, count=1, flags=re.MULTILINE)


def _cells_of(exercise: Exercise) -> list[object]:
    heading = " · ".join(filter(None, [exercise.number, exercise.title]))
    quoted = "\n".join(f"> {line}".rstrip() for line in exercise.statement.splitlines())
    text = f"## {heading}\n\n{quoted}"
    cells: list[object] = []
    if exercise.picture:
        shown = new_code_cell(f"{exercise.access}.figure", metadata={"tags": ["hide-input"]})
        cells += [new_markdown_cell(text), shown]
        text = ""
    for more, code in exercise.walkthrough():
        text = f"{text}\n\n{_one_sentence_a_line(more)}".lstrip()
        if code:
            cells += [new_markdown_cell(text), new_code_cell(code)]
            text = ""
    if text:
        cells.append(new_markdown_cell(text))
    return [*cells, new_code_cell(exercise.final_check)] if exercise.final_check else cells


def _one_sentence_a_line(text: str) -> str:
    """Break prose between sentences; lines of lists, quotations and code stay whole."""
    return "\n".join(
        line if re.match(r"\s*(?:[-*>|]|\d+\.) | {4}", line) else _broken(line)
        for line in text.splitlines()
    )


def _broken(line: str) -> str:
    return re.sub(r"(?<=[.?!]) (?=[A-Z`])", "\n", line)


def written() -> list[str]:
    """Return the subjects that have exercises."""
    return [subject for subject, exercises in SUBJECTS.items() if exercises]


def stale() -> list[Path]:
    """Return the solutions that are not what the declarations say."""
    return [
        path_of(subject)
        for subject in written()
        if not path_of(subject).exists()
        or path_of(subject).read_text(encoding="utf-8") != text_of(subject)
    ]


def main() -> int:
    """Write or check the solutions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    if parser.parse_args().check:
        for path in stale():
            print(
                f"{path.relative_to(ROOT)} is out of date; run python dev/tools/build_solutions.py"
            )
        return 1 if stale() else 0
    for subject in written():
        path_of(subject).parent.mkdir(exist_ok=True)
        path_of(subject).write_text(text_of(subject), encoding="utf-8")
        print(path_of(subject).relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
