"""A page with one of everything a chapter may hold, whether or not a chapter holds it yet."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from recsys_metrics.workbook import charts
from recsys_metrics.workbook.cards import card
from recsys_metrics.workbook.charts.ranked_lists import ranked_list
from recsys_metrics.workbook.common.tables import table
from recsys_metrics.workbook.exercises import REGISTRY as EXERCISES
from recsys_metrics.workbook.explorables import REGISTRY

ROOT = Path(__file__).resolve().parents[2]

TEXT = r"""
# One of everything

Words with `code`, a formula $\frac{1}{\log_2(i + 1)}$ in the line, a guess
$\hat y_i$, [a link](index.md) and a [hit rate](glossary.md#hit-rate).

## A formula

$$\mathrm{DCG@}K = \sum_{i=1}^{K} \frac{g_i}{\log_2(i + 1)}$$

### A table in the text

| Metric | Value | What it asks, in a sentence that is rather long for a narrow screen |
| --- | ---: | --- |
| recall | three of four | Of all relevant items, what share is among the first K? |

## Asides

:::{admonition} Pitfall: hits divisor
:class: warning

A missed item becomes free, `denominator="hits"`.
:::

:::{note}
A note with [a link](index.md).
:::

:::{margin}
The name comes from signal detection.
:::

<details>
<summary>Open this when you have chosen</summary>

Recall is *highest*, see `recall`.

</details>

## Outputs
"""

CARD = """
<section aria-label="Exercise E4"><h3>E4 · Average precision</h3>
<p><small>3 minutes · 2 points</small></p><p>Give AP@5.</p>
<details><summary>Hint 1</summary><p>Count the hits first.</p></details>
<p><strong>✗ Not yet:</strong> <em>hits divisor</em>. A missed item becomes free.</p></section>
"""

FRAME = (
    '<div><table border="1" class="dataframe"><thead><tr style="text-align: right;"><th></th>'
    + "".join(f"<th>a long column name {i}</th>" for i in range(12))
    + "</tr></thead><tbody><tr><th>0</th>"
    + "".join(f"<td>{i / 7}</td>" for i in range(12))
    + "</tr></tbody></table></div>"
)

SOURCE = "name = 'a line of code that is far too long for any screen' + str(sum(range(1_000_000)))"


GLOSSARY = """
# Glossary

## H

### hit rate

The share of users with at least one hit, at *K*.
Averaged over users.
"""


def _shown(source: str, html: str, text: str = "shown above") -> nbformat.NotebookNode:
    data = {"text/plain": text, "text/html": html}
    return new_code_cell(
        source,
        execution_count=1,
        outputs=[new_output("execute_result", data=data, execution_count=1)],
    )


def notebook() -> nbformat.NotebookNode:
    """Return the page as a notebook with outputs."""
    picture = ranked_list(["A", "B", "C"], {"B": 1, "G": 1}, bars=True)
    chart = charts.lines(
        [1, 2, 3],
        {"precision": [1, 0.5, 0.67]},
        title="Precision falls and rises again",
        x_label="K",
        y_label="value",
        alt="Precision falls from K 1 to 2 and rises again at K 3.",
    )
    feedback = REGISTRY["ranking.metric_values"]
    cells = [
        new_markdown_cell(TEXT.strip()),
        _shown(SOURCE, picture._repr_html_()),
        _shown("chart", chart._repr_html_()),
        _shown("rows", table(["Metric", "Value"], {"recall": 0.75, "users": 671})._repr_html_()),
        _shown("feedback", feedback._repr_html_()),
        _shown('card("ndcg")', card("ndcg")._repr_html_()),
        _shown("ex.average_precision_of_list.check(ap=0.589)", CARD),
        _shown("frame", FRAME),
        new_code_cell(
            "print(judged)\n1 / 0",
            execution_count=2,
            outputs=[
                new_output("stream", name="stdout", text="list 17 is fine, " * 20),
                new_output("stream", name="stderr", text="UserWarning: look out\n"),
                new_output(
                    "error",
                    ename="ZeroDivisionError",
                    evalue="division by zero",
                    traceback=[
                        "\x1b[31mZeroDivisionError\x1b[39m  Traceback (most recent call last)",
                        "\x1b[32m----> 2\x1b[39m \x1b[32m1\x1b[39m / \x1b[32m0\x1b[39m",
                        "\x1b[31mZeroDivisionError\x1b[39m: division by zero",
                    ],
                ),
            ],
        ),
        _shown("1 / 3", "", "0.3333333333333333"),
    ]
    cells[-1].outputs[0].data.pop("text/html")
    return _page(cells, "sampler")


def shown(title: str, things: dict[str, Any]) -> nbformat.NotebookNode:
    """Return a page with things as they show themselves in a notebook, each with its check."""
    cells = [new_markdown_cell(f"# {title}")]
    for name, thing in things.items():
        cells.append(new_markdown_cell(f"## {re.sub('[._]', ' ', name)}"))
        short = getattr(thing, "python_name", name.partition(".")[2])
        cells.append(_shown(f"ex.{short}", thing._repr_html_(), repr(thing)))
        if call := getattr(thing, "call", ""):
            cells.append(_shown(call, thing.variant("sampler").check(...)._repr_html_()))
    return _page(cells, title.lower().replace(" ", "-"))


def _page(cells: list[nbformat.NotebookNode], stem: str) -> nbformat.NotebookNode:
    for number, cell in enumerate(cells):
        cell["id"] = f"{stem}-{number:03d}"
    return new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})


# A page for each subject: with all on one page, every press has that page laid out again, and who
# is sent to one thing loads all of them.
KINDS = {"explorables": REGISTRY, "exercises": EXERCISES}
BY_SUBJECT = {
    f"{kind}_{subject}": {
        name: one for name, one in things.items() if name.startswith(f"{subject}.")
    }
    for kind, things in KINDS.items()
    for subject in dict.fromkeys(name.partition(".")[0] for name in things)
}
PAGES = ("sampler", *BY_SUBJECT, "glossary", "hand_in")


def write(tree: Path) -> None:
    """Lay out a book of these pages and the front page, with the real book's configuration."""
    shutil.copytree(
        ROOT / "book", tree / "book", ignore=shutil.ignore_patterns("_build", "node_modules")
    )
    pages = tree / "chapters"
    pages.mkdir()
    files = "".join(f"- file: chapters/{page}\n" for page in PAGES)
    (tree / "_toc.yml").write_text(
        f"format: jb-book\nroot: chapters/index\nchapters:\n{files}", encoding="utf-8"
    )
    (pages / "index.md").write_text(
        "# Front\n\n<!-- explorable: ranking.metric_values -->\n\nTo [it](sampler.ipynb).\n",
        encoding="utf-8",
    )
    (pages / "glossary.md").write_text(GLOSSARY, encoding="utf-8")
    shutil.copy(ROOT / "chapters" / "hand_in.md", pages)
    nbformat.write(notebook(), pages / "sampler.ipynb")
    for page, things in BY_SUBJECT.items():
        title = page.replace("_", " ").capitalize()
        nbformat.write(shown(title, things), pages / f"{page}.ipynb")
    # The text half of a pair; the book must take the half with outputs.
    (pages / "sampler.md").write_text("# The text half\n", encoding="utf-8")
