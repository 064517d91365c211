"""Tables in text files (CSV, TSV, TREC, JSON, JSON Lines), read in one way whatever the engine.

Engines differ on quotes, line ends, types and names of files. So a text file is read here once,
column by column as text, and an engine gets what was read.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recsys_metrics import convert
from recsys_metrics._core.inputs.json_text import parse_json

SEPARATED = {".csv": ",", ".tsv": "\t"}
TREC = (".run", ".qrels", ".trec")
LINES = (".jsonl", ".ndjson")
_BLOCK = 2**20
_MARK = "\ufeff".encode()


class FileError(ValueError):
    """A file that cannot be evaluated; the message names it.

    Attributes
    ----------
    roles : tuple of str
        Which columns cannot be told by their names, so that naming them is the cure.
    """

    def __init__(self, problem: str, *, roles: Sequence[str] = ()) -> None:
        super().__init__(problem)
        self.roles = tuple(roles)


def read_header(path: Path) -> list[str]:
    """Return the names of the columns of a CSV or TSV file."""
    _check_text(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return next(_records(path, file), [])


def scan_separated(path: Path, names: Sequence[str], columns: Mapping[str, str]) -> Any:
    """Return the columns of some roles of a CSV or TSV file as a lazy frame of text.

    Parameters
    ----------
    path : Path
    names : sequence of str
        Its header.
    columns : mapping
        The name of each role's column.

    Returns
    -------
    polars.LazyFrame
        With the row's number in `_row`, the header's being 1; rows without any of the values are
        left out.
    """
    import polars as pl

    # A name that stands twice is of no role; Polars needs one for each column all the same.
    first = {name: i for i, name in reversed([*enumerate(names)])}
    unique = [name if first[name] == i else f"{name} {i}" for i, name in enumerate(names)]
    frame = pl.scan_csv(
        path,
        separator=SEPARATED[path.suffix.lower()],
        infer_schema=False,
        glob=False,
        new_columns=unique,
        row_index_name="_row",
        row_index_offset=2,
    )
    text = [pl.col(name).replace("", None) for name in columns.values()]
    return frame.select("_row", *text).filter(pl.any_horizontal(pl.exclude("_row").is_not_null()))


def _records(path: Path, file: Any) -> Iterator[list[str]]:
    csv.field_size_limit(sys.maxsize)
    return csv.reader(file, delimiter=SEPARATED[path.suffix.lower()], strict=True)


def _check_text(path: Path) -> None:
    """Raise if a file is not UTF-8 text in lines, naming the line; in one pass over its bytes."""
    lines, odd_quotes = 1, False

    def fault(before: bytes, what: str) -> FileError:
        row = lines + before.count(b"\n")
        return FileError(f"{path}, row {row}: {what}")

    with path.open("rb") as file:
        for block in _blocks(file):
            if b"\0" in block:
                raise fault(
                    block[: block.index(b"\0")],
                    "a NUL byte: this is not text, or text in UTF-16; save the file in UTF-8",
                )
            if block.count(b"\r") != block.count(b"\r\n"):
                bare = block.replace(b"\r\n", b"\n\n").index(b"\r")
                raise fault(
                    block[:bare],
                    "the line ends in a carriage return alone; save the file with the line ends "
                    "of Unix or Windows",
                )
            try:
                block.decode("utf-8")
            except UnicodeDecodeError as problem:
                raise fault(
                    block[: problem.start],
                    "not UTF-8; save the file in that encoding",
                ) from None
            # The reader drops the mark at the beginning; anywhere else it becomes part of an id.
            if (mark := block.find(_MARK, lines == 1)) >= 0:
                raise fault(
                    block[:mark],
                    "a byte-order mark within the text, as where files were joined; remove it",
                )
            odd_quotes = odd_quotes or (
                b'"' in block and any(line.count(b'"') & 1 for line in block.split(b"\n"))
            )
            lines += block.count(b"\n")
    if odd_quotes:
        _check_quotes(path)


def _blocks(file: Any) -> Iterator[bytes]:
    """Yield blocks of whole lines, so that no line end is cut in two."""
    while block := file.read(_BLOCK):
        yield block + file.readline()


def _check_quotes(path: Path) -> None:
    """Raise if a quote is not closed: looked for line by line, where a line has an odd number."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        records, row = _records(path, file), 0
        try:
            for row, _ in enumerate(records, start=1):  # noqa: B007
                pass
        except csv.Error:
            raise FileError(
                f"{path}, row {row + 1}: a quote that is opened and not closed, or not doubled "
                "inside a quoted value"
            ) from None


def find_malformed_row(path: Path) -> str:
    """Return which row of a file cannot be read, in words, or nothing if none is found."""
    separator = SEPARATED[path.suffix.lower()]
    # A quote in a value that does not begin with one.
    stray = re.compile(f'(?:^|{separator})[^"{separator}][^{separator}]*"')
    with path.open(encoding="utf-8-sig", newline="") as file:
        records = _records(path, file)
        wide = len(next(records, []))
        for row, values in enumerate(records, start=2):
            if len(values) > wide:
                return f"row {row}: {len(values)} values, and the header names {wide} columns"
            if stray.search(separator.join(values)):
                return f"row {row}: a quote inside a value; quote the value and double the quote"
    return ""


# A JSON object in each line ------------------------------------------------------------------


def read_keys(path: Path, name: str) -> list[str]:
    """Return the names that the objects of a JSON Lines file have.

    Parameters
    ----------
    path : Path
    name : str
        The path with signs escaped that Polars would read as a pattern.
    """
    import polars as pl

    try:
        names: list[str] = pl.scan_ndjson(name, infer_schema_length=None).collect_schema().names()
    except pl.exceptions.PolarsError:
        # Of a fault Polars does not name the line; of values of several types there is no schema.
        names = [*dict.fromkeys(key for _, row in _iterate_objects(path) for key in row)]
    if not names:
        raise FileError(f"{path}: there is no row in it")
    _refuse_repeated_keys(path, names)
    return names


def _refuse_repeated_keys(path: Path, names: Sequence[str]) -> None:
    """Raise if a key stands twice in a line, of which Polars takes one without a word."""
    # Counted first, in one pass over the bytes: to read each line in Python takes much longer.
    keys = {
        json.dumps(name, ensure_ascii=plain).encode() for name in names for plain in (False, True)
    }
    counts, n_lines = dict.fromkeys(keys, 0), 0
    with path.open("rb") as file:
        for block in _blocks(file):
            n_lines += block.count(b"\n") + (not block.endswith(b"\n"))
            for key in counts:
                counts[key] += block.count(key)
    if max(counts.values()) > n_lines:
        for _ in _iterate_objects(path):
            pass


def scan_lines(name: str, columns: Mapping[str, str]) -> Any:
    """Return the columns of some roles of a JSON Lines file as a lazy frame of text."""
    import polars as pl

    schema = dict.fromkeys(columns.values(), pl.String)
    return pl.scan_ndjson(name, schema=schema, row_index_name="_row", row_index_offset=1)


def check_lines(path: Path, columns: Mapping[str, str] | None = None) -> None:
    """Raise if a line is no JSON object, or an id in it is neither a number nor text."""
    for place, row in _iterate_objects(path):
        for role in {"user", "item"} & set(columns or {}):
            value = row.get((columns or {})[role])
            if isinstance(value, bool | list | dict):
                raise FileError(f"{place}: {value!r:.60}, where the id of the {role} should be")


def _iterate_objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the object of each line, and where it stands."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            place = f"{path}, line {number}"
            if not line.strip():
                continue
            try:
                row = parse_json(line.decode("utf-8"))
            except UnicodeDecodeError:
                raise FileError(f"{place}: not UTF-8; save the file in that encoding") from None
            except ValueError as problem:
                raise FileError(f"{place}: not a JSON object: {problem}") from None
            if not isinstance(row, dict):
                raise FileError(
                    f'{place}: an object is needed, such as {{"user": "ann", "item": "A", '
                    '"score": 0.9}'
                )
            yield place, row


# Files that hold lists rather than rows ------------------------------------------------------


def read_trec(path: Path, table: str) -> dict[str, list[Any]]:
    """Return the columns of a TREC run, or of qrels where it holds what is relevant."""
    try:
        if table == "relevant":
            return _columns(convert.read_qrels(path), "grade")
        return _columns(convert.read_scores(path), "score")
    except ValueError as problem:
        raise FileError(str(problem)) from None


def read_json(path: Path, table: str) -> dict[str, list[Any]]:
    """Return the columns of a JSON file: items of each user in a list, or with a number each."""
    try:
        of_user = parse_json(path.read_bytes(), with_nan=True)
    except UnicodeDecodeError:
        raise FileError(f"{path}: not UTF-8; save the file in that encoding") from None
    except ValueError as problem:
        raise FileError(f"{path}: not JSON: {problem}") from None
    if not isinstance(of_user, dict) or not of_user:
        raise FileError(
            f"{path}: an object is needed with the items of each user, in a list or with a number "
            'each: {"ann": ["A", "B"], …} or {"ann": {"A": 0.9, "B": 0.5}, …}'
        )
    if table == "groups":
        for user, group in of_user.items():
            if isinstance(group, bool) or not isinstance(group, str | int):
                raise FileError(f"{path}: user {user!r} has {group!r:.60}, where a group should be")
        return {"user": [*of_user], "group": [str(group) for group in of_user.values()]}
    scored = isinstance(next(iter(of_user.values())), dict)
    rows: dict[str, dict[Any, Any]] = {}
    for user, row in of_user.items():
        if not isinstance(row, dict if scored else list):
            other = "a number for each item" if scored else "a list of items"
            raise FileError(f"{path}: user {user!r} has {row!r:.60}, where others have {other}")
        odd = [item for item in row if isinstance(item, bool) or not isinstance(item, int | str)]
        if odd:
            raise FileError(f"{path}: user {user!r} has {odd[0]!r:.60}, where an id should be")
        # Ids are compared as text, as those of a table are.
        texts = [str(item) for item in row]
        if len({*texts}) < len(texts):
            twice = next(item for i, item in enumerate(texts) if item in texts[:i])
            raise FileError(f"{path}: user {user!r} has item {twice!r} a second time")
        ranks = range(1, len(row) + 1)
        rows[user] = row if isinstance(row, dict) else dict(zip(row, ranks, strict=True))
        for item, value in rows[user].items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise FileError(
                    f"{path}: item {item!r} of user {user!r} has {value!r:.60}, no number"
                )
    if scored:
        return _columns(rows, "grade" if table == "relevant" else "score")
    return _columns(rows, "" if table in ("relevant", "history") else "rank")


def _columns(of_user: Mapping[str, Mapping[Any, float]], number: str) -> dict[str, list[Any]]:
    rows = [
        (user, str(item), value) for user, row in of_user.items() for item, value in row.items()
    ]
    columns: dict[str, list[Any]] = {
        "user": [row[0] for row in rows],
        "item": [row[1] for row in rows],
    }
    return {**columns, number: [float(row[2]) for row in rows]} if number else columns
