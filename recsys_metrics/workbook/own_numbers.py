"""A reader's own files, evaluated on a page of the book: text in, a report in HTML out.

The files are read by the readers of the command line, and judged in this Python without an
engine. Nothing is noted, and nothing leaves the page.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from recsys_metrics.evaluation import Report, evaluate
from recsys_metrics.workbook.exercises import markup

MEASURES = (
    *("ndcg@10", "recall@10", "precision@10", "hit_rate@10"),
    *("reciprocal_rank@10", "average_precision@10", "rank_biased_precision@10"),
)
"""What is computed unless the reader asks for others."""


def answer(files: str, measures: str, threshold: str = "", catalog: str = "") -> str:
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
        reports = report(given, asked, threshold=lowest, catalog=items)
    except (ValueError, TypeError) as problem:
        said = f"<p>{markup.escape(str(problem))}</p>"
        return json.dumps({"problem": True, "lines": [said]})
    lines = [one.to_html() for one in reports.values()]
    if len(reports) == 2:
        first, other = reports.values()
        lines.append(first.compare(other).to_html())
    return json.dumps({"problem": False, "lines": lines, "card": _card(reports["recommended"])})


def report(
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
    tables = {}
    with tempfile.TemporaryDirectory(prefix="recsys-") as folder:
        for role, file in files.items():
            # A folder of its own, so that two files may have one name.
            path = Path(folder) / role / Path(file["name"]).name
            path.parent.mkdir()
            path.write_text(file["text"], encoding="utf-8", newline="")
            try:
                tables[role] = _read(path, role)
            except ValueError as problem:
                # Who has dropped a file knows it by its name.
                raise ValueError(str(problem).replace(str(path), file["name"])) from None
    for role in ("user", "item"):
        _type_ids([table[role] for table in tables.values()])
    relevant = tables.pop("relevant")
    truth = _by_user(relevant, relevant.get("grade") or [1.0] * len(relevant["user"]))
    reports = {}
    for name, table in tables.items():
        scores = table.get("score") or [-rank for rank in table["rank"]]
        lists = _by_user(table, scores, of=files[name]["name"])
        reports[name] = evaluate(
            lists,
            truth,
            measures,
            threshold=threshold,
            catalog=catalog,
            name=files[name]["name"],
        )
    return reports


def _read(path: Path, table: str) -> dict[str, list[Any]]:
    """Return the columns of a file, by what they are for."""
    from recsys_metrics.frames import _tables, _text_files

    kind = path.suffix.lower()
    if not path.stat().st_size:
        raise _text_files.FileError(f"{path}: the file is empty")
    try:
        if kind in _text_files.TREC:
            return _text_files.read_trec(path, table)
        if kind == ".json":
            return _text_files.read_json(path, table)
        if kind in _text_files.SEPARATED:
            names = _text_files.header(path)
            if problem := _text_files.odd_row(path):
                raise _text_files.FileError(f"{path}, {problem}")
            with path.open(encoding="utf-8-sig", newline="") as file:
                rows = csv.DictReader(file, delimiter=_text_files.SEPARATED[kind])
                return _columns(path, _tables.choose(names, table, {}), rows)
    except _tables.TableError as problem:
        raise _text_files.FileError(f"{path} {problem.problem}") from None
    raise _text_files.FileError(
        f"{path}: a page reads .csv, .tsv, .json, .run, .qrels and .trec; the command line reads "
        "Parquet, too"
    )


def _columns(
    path: Path, roles: Mapping[str, str], rows: Iterable[Mapping[str, str]]
) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {role: [] for role in roles}
    for number, row in enumerate(rows, start=2):
        if not any(row.get(name) for name in roles.values()):
            continue
        for role, name in roles.items():
            text = row.get(name)
            if not text:
                raise ValueError(f"{path}, row {number}: there is no {role}")
            if role in ("user", "item"):
                columns[role].append(text)
                continue
            try:
                columns[role].append(float(text))
            except ValueError:
                raise ValueError(f"{path}, row {number}: {text!r} is no number") from None
    if not columns["user"]:
        raise ValueError(f"{path}: there is no row in it")
    return columns


def _type_ids(columns: Sequence[list[Any]]) -> None:
    """Make ids whole numbers if all of them are, as the command line does: 9 comes before 10."""
    if all(str(one).isascii() and _is_whole(str(one)) for ids in columns for one in ids):
        for ids in columns:
            ids[:] = map(int, ids)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isdigit() and str(int(text)) == text


def _by_user(
    table: Mapping[str, list[Any]], values: Sequence[float], of: str = "the relevant items"
) -> dict[Any, dict[Any, float]]:
    found: dict[Any, dict[Any, float]] = {}
    for user, item, value in zip(table["user"], table["item"], values, strict=True):
        row = found.setdefault(user, {})
        if item in row:
            raise ValueError(f"{of}: user {user!r} has item {item!r} a second time; keep one row")
        row[item] = value
    return found


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
