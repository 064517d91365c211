"""The page of recipes: every task in at most five lines, and each of them run.

That the lines run, and print what stands below them, `make test` sees by the page's notebook. Where
they need a package that is not among those of the tests, tests/peers runs them beside it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

PAGE = Path(__file__).resolve().parents[2] / "chapters" / "recipes.ipynb"
LINES = 5
# A heading, or code that is shown and not run.
SHOWN = re.compile(r"^(#{1,6} [^\n]*)$|^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What people come with, by the word in a heading that answers it.
TASKS = {
    "a table": "in pandas",
    "a log of events": "training and test data",
    "scores, with items left out": "matrix of scores",
    "an array without ids": "whose a row of an array",
    "users who are new": "not in the training data",
    "batches": "torch loop",
    "processes": "joblib",
    "five models": "compare five models",
    "groups of users": "by groups of users",
    "an interval of coverage": "how sure a coverage is",
    "off-policy, from a table": "policy from a table",
    "off-policy, of slates": "several items at once",
    "the command line": "without Python",
    "the next item": "prediction of the next item",
    "the stages of a pipeline": "each stage loses",
    "a RAG system": "RAG system",
    "25 million rows": "25 million rows",
    "a logger": "experiment logger",
    "a record": "what a number rests on",
    "a picture": "draw a report",
    "a paper's table": "table of a paper",
    "folds": "scikit-learn",
    "several goals": "several goals",
    "labels of a judge": "200 human and 20,000 machine labels",
    "sensitivity": "depends on an assumption",
    "a preflight": "look for faults",
    "a gate": "fail a build",
    "a gate in Python": "test in Python",
    "an A/B test": "read out an A/B test?",
    "an A/B test from a file": "A/B test from a file",
    "a sample size": "how many users",
    "a split from a file": "split a log in a file",
    "a configuration": "run the same evaluation again",
    "a metric of one's own": "metric of my own",
    "implicit": "implicit recommends",
    "RecTools": "RecTools recommends",
    "LensKit": "LensKit recommends",
    "RePlay": "RePlay recommends",
    "RecBole": "RecBole recommends",
}


def recipes():
    """Return the shown code under each heading that asks for something, run or not."""
    found, heading = {}, None
    for cell in nbformat.read(PAGE, as_version=4).cells:
        if cell.cell_type == "markdown":
            for line, code in SHOWN.findall(cell.source):
                if line:
                    heading = line.removeprefix("### … ") if line.startswith("### …") else None
                else:
                    found.setdefault(heading, []).append(NotebookNode(source=code, outputs=[]))
        elif heading and "hide-input" not in cell.metadata.get("tags", []):
            found.setdefault(heading, []).append(cell)
    return found


def test_each_task_has_its_recipe():
    asked = [*recipes()]
    assert all(heading.endswith("?") for heading in asked)
    for task, words in TASKS.items():
        assert len([heading for heading in asked if words in heading]) == 1, task


def test_a_recipe_is_one_cell_of_few_lines():
    for heading, cells in recipes().items():
        assert len(cells) == 1, heading
        lines = [line for line in cells[0].source.splitlines() if line and line[:2] != "%%"]
        assert len(lines) <= LINES, heading
        # Not several statements to a line.
        if not cells[0].source.startswith("%%"):
            starts = [node.lineno for node in ast.walk(ast.parse(cells[0].source)) if is_one(node)]
            assert len(starts) == len({*starts}), heading


def is_one(node):
    return isinstance(node, ast.stmt)


def test_recipes_have_outputs():
    silent = [heading for heading, (cell,) in recipes().items() if not cell.outputs]
    assert silent == [
        "evaluate in a torch loop, batch by batch?",  # run in tests/peers
        "test in Python that a model got no worse?",
    ]


def test_recipes_of_all_libraries_give_the_same_number():
    """The sample of each library holds the same lists, so the numbers are those of the arrays."""
    found = {
        heading: re.search(r"ndcg@10: (\S+ \[.*?\])", str(cell.outputs))
        for heading, (cell,) in recipes().items()
    }
    same = ("matrix of scores", "joblib", "RecTools", "LensKit", "RePlay", "RecBole")
    numbers = {found[heading][1] for heading in found if any(word in heading for word in same)}
    assert len(numbers) == 1
