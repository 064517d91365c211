"""A reader's own files, evaluated on a page of the book: text in, a report in HTML out.

The files are read by the readers of the command line, and judged in this Python without an
engine. Nothing is noted, and nothing leaves the page.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recsys_metrics import evaluate
from recsys_metrics.evaluation import Report
from recsys_metrics.workbook.browser.upload_evaluation._files import UploadedData, read_files
from recsys_metrics.workbook.browser.upload_evaluation._gains import draw_gains
from recsys_metrics.workbook.browser.upload_evaluation._readings import render_readings
from recsys_metrics.workbook.common import markup

MEASURES = (
    *("ndcg@10", "recall@10", "precision@10", "hit_rate@10"),
    *("reciprocal_rank@10", "average_precision@10", "rank_biased_precision@10"),
)
"""What is computed unless the reader asks for others."""


def evaluate_files(files: str, measures: str, threshold: str = "", catalog: str = "") -> str:
    """Evaluate one or two files of recommendations against one of what is relevant.

    Parameters
    ----------
    files : str
        JSON: of ``recommended``, ``compared`` (may be missing) and ``relevant`` the `name` of the
        file, whose ending says what it is, and its `text`.
    measures : str
        Their texts, with commas between them.
    threshold : str
        The lowest grade that counts as relevant, or nothing.
    catalog : str
        How many items there are, for coverage and Gini, or nothing.

    Returns
    -------
    str
        JSON with `lines` in HTML and, where all could be evaluated, the `card`: the JSON of the
        report. What is wrong with a file is in the lines, and `problem` is true.
    """
    try:
        given = json.loads(files)
        lowest = _number("the lowest grade is a number such as 4", threshold)
        items = _number("how many items there are is a whole number", catalog, whole=True)
        asked = [one.strip() for one in measures.split(",") if one.strip()]
        if not asked:
            raise ValueError("name a measure at least, such as ndcg@10")
        found = read_files(given)
        reports = evaluate_data(found, asked, threshold=lowest, catalog=items)
    except (ValueError, TypeError) as problem:
        said = f"<p>{markup.escape(str(problem))}</p>"
        return json.dumps({"problem": True, "lines": [said]})
    lines = [one.to_html() for one in reports.values()]
    if len(reports) == 2:
        first, other = reports.values()
        compared = first.compare(other)
        lines += [compared.to_html(), draw_gains(compared)]
    lines.append(
        render_readings(found.lists["recommended"], found.truth, reports["recommended"], lowest)
    )
    return json.dumps({"problem": False, "lines": lines, "card": _card(reports["recommended"])})


def create_reports(
    files: Mapping[str, Mapping[str, str]],
    measures: Sequence[str],
    *,
    threshold: float | None = None,
    catalog: int | None = None,
) -> dict[str, Report]:
    """Return the report of each file of recommendations.

    Parameters
    ----------
    files : mapping
        As `answer` has them.
    measures : sequence of str
    threshold : float, optional
    catalog : int, optional

    Raises
    ------
    ValueError
        If a file cannot be read or judged; the message names it.
    """
    return evaluate_data(read_files(files), measures, threshold=threshold, catalog=catalog)


def evaluate_data(
    given: UploadedData, measures: Sequence[str], *, threshold: float | None, catalog: int | None
) -> dict[str, Report]:
    """Return the report of each file of recommendations, once all are read."""
    return {
        role: evaluate(
            lists,
            given.truth,
            measures,
            threshold=threshold,
            catalog=catalog,
            name=given.names[role],
        )
        for role, lists in given.lists.items()
    }


def _number(needed: str, text: str, *, whole: bool = False) -> Any:
    if not text.strip():
        return None
    try:
        return int(text) if whole else float(text)
    except ValueError:
        raise ValueError(f"{needed}, not {text!r}") from None


def _card(found: Report) -> str:
    with tempfile.TemporaryDirectory(prefix="recsys-") as folder:
        file = Path(folder) / "report.json"
        found.save(file)
        return file.read_text(encoding="utf-8")
