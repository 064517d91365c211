"""A reader's files, read as the command line reads them and judged without an engine."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The page's own reader has made JSON of these: from the name of each column to its values as text.
PARQUET = (".parquet", ".pq")


@dataclass(frozen=True)
class UploadedData:
    """What was recommended to whom, by the name of its file, and what was relevant.

    Attributes
    ----------
    lists : mapping of str to mapping
        By role, for each user a score of each item.
    truth : mapping
        For each user a grade of each item.
    names : mapping of str to str
        The file of each role.
    """

    lists: Mapping[str, Mapping[Any, Mapping[Any, float]]]
    truth: Mapping[Any, Mapping[Any, float]]
    names: Mapping[str, str]


def read_files(files: Mapping[str, Mapping[str, str]]) -> UploadedData:
    """Read all files.

    Parameters
    ----------
    files : mapping
        By role, the `name` and the `text` of each.

    Raises
    ------
    ValueError
        If a file cannot be read; the message names it.
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
    truth = _group_by_user(relevant, relevant.get("grade") or [1.0] * len(relevant["user"]))
    names = {role: files[role]["name"] for role in tables}
    lists = {
        role: _group_by_user(
            table, table.get("score") or [-rank for rank in table["rank"]], of=names[role]
        )
        for role, table in tables.items()
    }
    return UploadedData(lists, truth, names)


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
        if kind in PARQUET:
            columns = json.loads(path.read_text(encoding="utf-8"))
            rows = (
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            )
            return _columns(path, _tables.choose_columns([*columns], table, {}), rows, first=1)
        if kind in _text_files.LINES:
            objects = [row for _, row in _text_files.iterate_objects(path)]
            names = [*dict.fromkeys(key for row in objects for key in row)]
            roles = _tables.choose_columns(names, table, {})
            ids = {role: name for role, name in roles.items() if role in ("user", "item")}
            _text_files.check_lines(path, ids)
            texts = (
                {name: "" if row.get(name) is None else str(row[name]) for name in roles.values()}
                for row in objects
            )
            return _columns(path, roles, texts, first=1)
        if kind in _text_files.SEPARATED:
            names = _text_files.read_header(path)
            if problem := _text_files.find_malformed_row(path):
                raise _text_files.FileError(f"{path}, {problem}")
            with path.open(encoding="utf-8-sig", newline="") as file:
                given = csv.DictReader(file, delimiter=_text_files.SEPARATED[kind])
                roles = _tables.choose_columns(names, table, {})
                once = _without_repeated_header(path, roles, given)
                return _columns(path, roles, once, first=2)
    except _tables.TableError as problem:
        raise _text_files.FileError(f"{path} {problem.problem}") from None
    raise _text_files.FileError(
        f"{path}: the page reads files whose names end in .csv, .tsv, .parquet, .json, .jsonl, "
        ".run, .qrels or .trec"
    )


def _without_repeated_header(
    path: Path, roles: Mapping[str, str], rows: Iterable[Mapping[str, str]]
) -> Iterator[Mapping[str, str]]:
    """Yield the rows of a CSV or TSV file, and raise at one that repeats the header."""
    from recsys_metrics.frames import _text_files

    names = [name.strip().lower() for name in roles.values()]
    for number, row in enumerate(rows, start=2):
        if [(row.get(name) or "").strip().lower() for name in roles.values()] == names:
            raise _text_files.FileError(_text_files.explain_repeated_header(path, number))
        yield row


def _columns(
    path: Path, roles: Mapping[str, str], rows: Iterable[Mapping[str, str]], *, first: int
) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {role: [] for role in roles}
    for number, row in enumerate(rows, start=first):
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
                columns[role].append(read_float(text))
            except ValueError:
                raise ValueError(f"{path}, row {number}: {text!r} is no number") from None
    if not columns["user"]:
        raise ValueError(f"{path}: there is no row in it")
    return columns


def read_float(text: str) -> float:
    """Return the number that a text holds; `float` takes 1_0 for 10, as Python's own code has it.

    Raises
    ------
    ValueError
        If it is none.
    """
    if "_" in text:
        raise ValueError(f"{text!r} is no number")
    return float(text)


def _type_ids(columns: Sequence[list[Any]]) -> None:
    """Make ids whole numbers if all of them are, as the command line does: 9 comes before 10."""
    if all(str(one).isascii() and _is_whole(str(one)) for ids in columns for one in ids):
        for ids in columns:
            ids[:] = map(int, ids)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isdigit() and str(int(text)) == text


def _group_by_user(
    table: Mapping[str, list[Any]], values: Sequence[float], of: str = "the relevant items"
) -> dict[Any, dict[Any, float]]:
    found: dict[Any, dict[Any, float]] = {}
    for user, item, value in zip(table["user"], table["item"], values, strict=True):
        row = found.setdefault(user, {})
        if item in row:
            raise ValueError(f"{of}: user {user!r} has item {item!r} a second time; keep one row")
        row[item] = value
    return found
