"""A reader's own lists, evaluated on a page of the book: text in, a report in HTML out.

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
from recsys_metrics.evaluation import Comparison, Report
from recsys_metrics.workbook.browser.upload_evaluation._files import (
    UploadedData,
    read_files,
    read_float,
)
from recsys_metrics.workbook.browser.upload_evaluation._pictures import (
    draw_differences,
    draw_values,
)
from recsys_metrics.workbook.browser.upload_evaluation._readings import (
    find_readings,
    render_readings,
    tabulate_readings,
)
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
        file, whose ending says what it is, and its `text`; of Parquet the columns as JSON.
    measures : str
        The metrics, with commas between them; the first one decides.
    threshold : str
        The lowest grade that counts as relevant, or nothing.
    catalog : str
        How many items there are, for coverage and Gini, or nothing.

    Returns
    -------
    str
        JSON with `lines` in HTML (the conclusion, pictures, and tables folded away) and, where all
        could be evaluated, the `card`: the JSON of the report. What is wrong with a file is in the
        lines, and `problem` is true.
    """
    try:
        return json.dumps(_evaluate_files(files, measures, threshold, catalog))
    except (ValueError, TypeError) as problem:
        said = str(problem)
    except MemoryError:
        said = (
            "The memory of this page is not enough for these files and settings. Evaluate fewer "
            "users or a shorter list, choose a smaller cut-off, or use the command line: "
            "recsys-workbook evaluate"
        )
    return json.dumps({"problem": True, "lines": [f"<p>{markup.escape(said)}</p>"]})


def _evaluate_files(files: str, measures: str, threshold: str, catalog: str) -> dict[str, Any]:
    """Return what `evaluate_files` writes as JSON where nothing is wrong."""
    given = json.loads(files)
    lowest = _number("the lowest grade is a number such as 4", threshold)
    items = _number("how many items there are is a whole number", catalog, whole=True)
    asked = [one.strip() for one in measures.split(",") if one.strip()]
    if not asked:
        raise ValueError("no metric is chosen; choose one at least, such as ndcg@10")
    found = read_files(given)
    reports = evaluate_data(found, asked, threshold=lowest, catalog=items)
    report = reports["recommended"]
    compared = report.compare(reports["compared"]) if "compared" in reports else None
    readings = find_readings(found.lists["recommended"], found.truth, report, lowest)
    picture = draw_differences(compared) if compared else draw_values(report)
    tables = [one.to_html() for one in (compared, *reports.values()) if one is not None]
    lines = [
        render_conclusion(report, compared) + picture,
        render_readings(readings),
        "<details><summary>All numbers in tables</summary>"
        f"{''.join([*tables, tabulate_readings(readings)])}</details>",
    ]
    return {"problem": False, "lines": lines, "card": _card(report)}


def render_conclusion(report: Report, compared: Comparison | None) -> str:
    """Return in a sentence what the first metric says, with its confidence interval."""
    made, found = next(iter(report.results.items()))
    what, how = f"{made} of {report.name} is {found.value:.3f}", f"n = {found.n:,} users."
    if compared is None:
        if (interval := found.interval()) is not None:
            how = f"95% CI {interval.low:.3f} to {interval.high:.3f} ({how[:-1]})."
        elif not made.metric.per_user:
            how = "It is an aggregate over all lists, which has no confidence interval here."
    elif compared.decided_on is None:
        how = (
            "The metrics are aggregates over all lists, so there is no confidence "
            "interval to compare by."
        )
    elif compared.conclusion is None:
        what = f"Too few users to compare {compared.new} with {compared.old}"
        how = "A conclusion takes 20 users."
    else:
        outcome, _, rest = str(compared.conclusion).partition(": ")
        both = f"{compared.new} and {compared.old}"
        what = f"No difference detected between {both}, by {compared.decided_on}"
        if outcome in ("better", "worse"):
            comparison = f"{compared.new} is {outcome} than {compared.old}"
            what = f"{comparison}, by {compared.decided_on}"
        how = f"{rest[:1].upper()}{rest[1:]}."
    return (
        f'<p class="own-conclusion"><strong>{markup.escape(what)}.</strong> '
        f"{markup.escape(how)}</p>"
    )


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
        number = read_float(text)
        return int(text) if whole else number
    except ValueError:
        raise ValueError(f"{needed}, not {text!r}") from None


def _card(found: Report) -> str:
    with tempfile.TemporaryDirectory(prefix="recsys-") as folder:
        file = Path(folder) / "report.json"
        found.save(file)
        return file.read_text(encoding="utf-8")
