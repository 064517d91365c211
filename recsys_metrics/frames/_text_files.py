"""Tables in text files (CSV, TSV, TREC, JSON, JSON Lines), read in one way whatever the engine.

Engines differ on quotes, line ends, types and names of files. So a text file is read here once,
column by column as text, and an engine gets what was read.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recsys_metrics import convert
from recsys_metrics._core.inputs.arrays import as_scores
from recsys_metrics._core.inputs.compression import START, find_compression
from recsys_metrics._core.inputs.json_text import find_second_value, parse_json

SEPARATED = {".csv": ",", ".tsv": "\t"}
_SEPARATORS = {",": "comma", "\t": "tab"}
TREC = (".run", ".qrels", ".trec")
LINES = (".jsonl", ".ndjson")
_BLOCK = 2**20
_MARK = "\ufeff".encode()
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")
# A key with an escape in it: "us\u0065r" is the key "user".
_ESCAPED_KEY = re.compile(rb'("[^"\\]*\\(?:[^"\\]|\\.)*")\s*:')


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


def unreadable(path: Path, problem: Exception) -> FileError:
    """Return an error that names a file that an engine cannot read, and says why in one line."""
    said = str(problem).strip().partition("\n")[0] or type(problem).__name__
    return FileError(f"{path}: cannot be read: {said}")


def read_header(path: Path) -> list[str]:
    """Return the names of the columns of a CSV or TSV file."""
    _refuse_compressed(path)
    _check_text(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(_records(path, file), None)
    if names is None:
        raise FileError(f"{path}: there is nothing in the file but a byte-order mark")
    if not any(name.strip() for name in names):
        raise FileError(
            f"{path}, row 1: the line is blank; the names of the columns stand in the first line"
        )
    if names[0].strip().lower().startswith("sep=") and len(names) <= 2:
        raise FileError(
            f"{path}, row 1: the line {','.join(names)!r:.20} is for Excel; remove it, so that "
            "the names of the columns stand in the first line"
        )
    if len(names) == 1:
        _refuse_separator(path, names[0])
    refuse_row_column(path, names)
    return names


def refuse_repeated_header(path: Path, columns: Mapping[str, str], frame: Any) -> None:
    """Raise if a row of a CSV or TSV file repeats the header: it would become a user.

    Parameters
    ----------
    path : Path
    columns : mapping
        The name of each role's column.
    frame : polars.LazyFrame or polars.DataFrame
        These columns as text, with the number of the row in `_row`.
    """
    import polars as pl

    repeated = [
        pl.nth(place).str.strip_chars().str.to_lowercase() == name.strip().lower()
        for place, name in enumerate(columns.values(), start=1)
        if name.strip()
    ]
    rows = frame.lazy().filter(pl.all_horizontal(repeated)).select("_row").head(1)
    found = rows.collect(engine="streaming")
    if len(found):
        raise FileError(explain_repeated_header(path, found.item()))


def explain_repeated_header(path: Path, row: int) -> str:
    """Return what to say of a row that repeats the header."""
    return (
        f"{path}, row {row}: the names of the columns are repeated, as where files were joined; "
        "delete the row"
    )


def refuse_row_column(path: Path, names: Sequence[str]) -> None:
    """Raise if a column has the name under which the numbers of the rows are kept."""
    if "_row" in names:
        raise FileError(
            f"{path} has a column '_row', the name under which the numbers of the rows are kept; "
            "rename it"
        )


def _refuse_separator(path: Path, header: str) -> None:
    """Raise if the one name in a header is several with another separator between them."""
    ending = path.suffix.lower()
    others = {kind: sign for kind, sign in SEPARATED.items() if sign in header and kind != ending}
    for kind, sign in others.items():
        raise FileError(
            f"{path}: the separator is a {_SEPARATORS[sign]}, and {ending} files are separated by "
            f"{_SEPARATORS[SEPARATED[ending]]}s; let the name end in {kind}"
        )
    if ";" in header:
        raise FileError(
            f"{path}: the separator is a semicolon, and {ending} files are separated by "
            f"{_SEPARATORS[SEPARATED[ending]]}s; save the file with those, or convert it in "
            'Python: polars.read_csv("old.csv", separator=";").write_csv("new.csv"), with '
            "decimal_comma=True for numbers such as 0,5"
        )


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
    # By their places, the first of which is the row's number: a name such as ^x$ is a pattern.
    text = [pl.nth(unique.index(name) + 1).replace("", None) for name in columns.values()]
    return frame.select("_row", *text).filter(pl.any_horizontal(pl.exclude("_row").is_not_null()))


def _records(path: Path, file: Any) -> Iterator[list[str]]:
    csv.field_size_limit(sys.maxsize)
    return csv.reader(file, delimiter=SEPARATED[path.suffix.lower()], strict=True)


def _check_text(path: Path) -> None:
    """Raise if a file is not UTF-8 text in lines, naming the line; in one pass over its bytes."""
    _refuse_compressed(path)
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
        records, row = _records(path, file), 1
        inside = "a quote inside a value; quote the value and double the quote"
        try:
            wide = len(next(records, []))
            for row, values in enumerate(records, start=2):
                if len(values) > wide:
                    return f"row {row}: {len(values)} values, and the header names {wide} columns"
                if stray.search(separator.join(values)):
                    return f"row {row}: {inside}"
        except csv.Error:
            return f"row {row + 1}: {inside}, or remove what is between it and the separator"
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

    _refuse_compressed(path)
    try:
        names: list[str] = pl.scan_ndjson(name, infer_schema_length=None).collect_schema().names()
    except pl.exceptions.PolarsError:
        # Of a fault Polars does not name the line; of values of several types there is no schema.
        names = [*dict.fromkeys(key for _, row in iterate_objects(path) for key in row)]
    if not names:
        raise FileError(f"{path}: there is no row in it")
    _refuse_repeated_keys(path, names)
    return names


def _refuse_compressed(path: Path) -> None:
    """Raise if a file is compressed: Polars would unpack some, and no check of bytes sees it."""
    with path.open("rb") as file:
        start = file.read(START)
    packed = find_compression(start)
    if not packed:
        return
    kind = path.suffix.lower()
    if start.startswith(b"x^") and kind in SEPARATED:
        raise FileError(
            f"{path}: the first name in its header begins with x^, as files do that zlib has "
            "compressed, and Polars takes it for one; rename that column"
        )
    # Of these a user may be called x^2.
    if start.startswith(b"x^") and kind not in LINES:
        return
    raise FileError(
        f"{path}: compressed with {packed}, although its name ends in "
        f"{path.suffix}; decompress it first"
    )


def _refuse_repeated_keys(path: Path, names: Sequence[str]) -> None:
    """Raise if a key stands twice in a line, of which Polars takes one without a word."""
    # Looked for first in the bytes: to read each line in Python takes much longer.
    keys = {
        json.dumps(name, ensure_ascii=plain).encode() for name in names for plain in (False, True)
    }
    named = [rb"%b[ \t]*:" % re.escape(key) for key in keys]
    twice = [re.compile(rb"%b[^\n]*%b" % (key, key)) for key in named]
    with path.open("rb") as file:
        is_suspect = any(
            any(pattern.search(block) for pattern in twice)
            # Of half a character Polars makes a sign that stands for any.
            or _HALF_CHARACTER.search(block)
            or any(found[1] not in keys for found in _ESCAPED_KEY.finditer(block))
            for block in _blocks(file)
        )
    if is_suspect:
        for _ in iterate_objects(path):
            pass


def scan_lines(name: str, columns: Mapping[str, str]) -> Any:
    """Return the columns of some roles of a JSON Lines file as a lazy frame of text."""
    import polars as pl

    schema = dict.fromkeys(columns.values(), pl.String)
    return pl.scan_ndjson(name, schema=schema, row_index_name="_row", row_index_offset=1)


def check_lines(path: Path, columns: Mapping[str, str] | None = None) -> None:
    """Raise if a line is no JSON object, or columns of ids are not all numbers or all text."""
    first: dict[tuple[str, type], Any] = {}
    for place, row in iterate_objects(path):
        for role, column in (columns or {}).items():
            value = row.get(column)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | str):
                what = " is a decimal" if isinstance(value, float) else ""
                should, is_one = f"the id of the {role}", "an id is a whole number or text"
                if role == "category":
                    should, is_one = "a category", "write text, and | between several"
                raise FileError(f"{place}: {value!r:.60}{what}, where {should} should be; {is_one}")
            first.setdefault((role, type(value)), value)
            if {(role, int), (role, str)} <= first.keys():
                raise FileError(
                    f"{place}: the {role} is {value!r:.60}, and in a line above "
                    f"{first[role, str if isinstance(value, int) else int]!r:.60}; write all ids "
                    "as text or all as numbers"
                )


def check_ids_of_lines(path: Path, columns: Mapping[str, str]) -> None:
    """Raise as `check_lines` does, but read the objects only where their bytes look odd."""
    if _may_have_odd_ids(path, [*columns.values()]):
        check_lines(path, columns)


def _may_have_odd_ids(path: Path, names: Sequence[str]) -> bool:
    """Whether an id of a JSON Lines file may be no id, or a number where others are text."""
    keys = {
        name: b"|".join(
            re.escape(json.dumps(name, ensure_ascii=plain).encode()) for plain in (False, True)
        )
        for name in names
    }
    texts = {name: re.compile(rb'(?:%b)\s*:\s*"' % key) for name, key in keys.items()}
    # Neither text nor nothing.
    others = {
        name: re.compile(rb'(?:%b)\s*:\s*(?!null\b)[^\s"]' % key) for name, key in keys.items()
    }
    # A decimal, true, false, a list or an object.
    odd = [re.compile(rb"(?:%b)\s*:\s*(?:-?[0-9]+[.eE]|[tf\[{])" % key) for key in keys.values()]
    has_text, has_other = dict.fromkeys(names, False), dict.fromkeys(names, False)
    with path.open("rb") as file:
        for block in _blocks(file):
            if any(pattern.search(block) for pattern in odd):
                return True
            for name in names:
                has_text[name] = has_text[name] or bool(texts[name].search(block))
                has_other[name] = has_other[name] or bool(others[name].search(block))
    return any(has_text[name] and has_other[name] for name in names)


def iterate_objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the object of each line, and where it stands."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            place = f"{path}, line {number}"
            if not line.strip():
                continue
            try:
                # Windows programs write a mark before the first line.
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                row = parse_json(text)
                _refuse_half_characters(text, row)
                _refuse_infinite(row)
            except UnicodeDecodeError:
                raise FileError(f"{place}: not UTF-8; save the file in that encoding") from None
            except ValueError as problem:
                if find_second_value(problem):
                    raise FileError(
                        f"{place}: two values in one line; put each object on a line of its own"
                    ) from None
                raise FileError(f"{place}: not a JSON object: {problem}") from None
            if not isinstance(row, dict):
                raise FileError(
                    f'{place}: an object is needed, such as {{"user": "ann", "item": "A", '
                    '"score": 0.9}'
                )
            yield place, row


def _refuse_infinite(row: Any) -> None:
    """Raise if a number of an object is larger than any float."""
    values = row.items() if isinstance(row, dict) else ()
    for name, value in values:
        if isinstance(value, float) and math.isinf(value):
            raise ValueError(f"{name!r:.60} is a number that is larger than any float")


def _refuse_half_characters(content: str, read: Any) -> None:
    """Raise if a text that was read has half a character, which no file or terminal takes."""
    if "\\ud" not in content.lower():
        return
    try:
        json.dumps(read, ensure_ascii=False).encode()
    except UnicodeEncodeError as problem:
        half = problem.object[problem.start].encode("unicode_escape").decode()
        raise ValueError(
            f"{half} is half a character; write both halves, or the character itself"
        ) from None


# Files that hold lists rather than rows ------------------------------------------------------


def read_trec(path: Path, table: str) -> dict[str, list[Any]]:
    """Return the columns of a TREC run, or of qrels where it holds what is relevant."""
    _refuse_compressed(path)
    try:
        if table == "relevant":
            return _columns(convert.read_qrels(path), "grade")
        return _columns(convert.read_scores(path), "score")
    except ValueError as problem:
        raise FileError(str(problem)) from None


def _categories_of_items(path: Path, of_item: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return a row for each category of an item."""
    rows: dict[str, list[Any]] = {"item": [], "category": []}
    kinds: set[type] = set()
    for item, given in of_item.items():
        for category in given if isinstance(given, list) else [given]:
            if isinstance(category, bool) or not isinstance(category, str | int):
                raise FileError(
                    f"{path}: item {item!r} has {category!r:.60}, where a category should be"
                )
            kinds.add(type(category))
            if len(kinds) > 1:
                raise FileError(
                    f"{path}: item {item!r} has the category {category!r:.60}, and others are of "
                    "another type; write all as text"
                )
            rows["item"].append(item)
            rows["category"].append(str(category))
    return rows


def read_json(path: Path, table: str) -> dict[str, list[Any]]:
    """Return the columns of a JSON file: items of each user in a list, or with a number each."""
    _refuse_compressed(path)
    try:
        content = path.read_bytes()
        # Editors save JSON with a byte-order mark, or in UTF-16.
        text = content.decode(json.detect_encoding(content))
        of_user = parse_json(text, with_nan=True)
        _refuse_half_characters(text, of_user)
    except UnicodeDecodeError:
        raise FileError(f"{path}: not UTF-8; save the file in that encoding") from None
    except ValueError as problem:
        if second := find_second_value(problem):
            raise FileError(
                f"{path}: {second}, and a file of JSON has one. Put all users into one object; or "
                "put the object of each row on a line of its own, and name the file .jsonl (JSON "
                "Lines)"
            ) from None
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
        if len({*map(type, of_user.values())}) > 1:
            raise FileError(f"{path}: some groups are numbers and others text; write all as text")
        return {"user": [*of_user], "group": [str(group) for group in of_user.values()]}
    if table == "features":
        return _categories_of_items(path, of_user)
    scored = isinstance(next(iter(of_user.values())), dict)
    rows: dict[str, dict[Any, Any]] = {}
    first: dict[type, Any] = {}
    for user, row in of_user.items():
        if not isinstance(row, dict if scored else list):
            other = "a number for each item" if scored else "a list of items"
            raise FileError(f"{path}: user {user!r} has {row!r:.60}, where others have {other}")
        odd = [item for item in row if isinstance(item, bool) or not isinstance(item, int | str)]
        if odd:
            raise FileError(f"{path}: user {user!r} has {odd[0]!r:.60}, where an id should be")
        for item in row:
            first.setdefault(type(item), item)
            if len(first) > 1:
                other = next(each for kind, each in first.items() if kind is not type(item))
                raise FileError(
                    f"{path}: user {user!r} has the item {item!r:.60}, and there is the item "
                    f"{other!r:.60}; write all ids as text or all as numbers"
                )
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
        try:
            return _columns(rows, "grade" if table == "relevant" else "score", str(path))
        except ValueError as problem:
            raise FileError(str(problem)) from None
    return _columns(rows, "" if table in ("relevant", "history") else "rank")


def _columns(
    of_user: Mapping[str, Mapping[Any, float]], number: str, where: str = "the file"
) -> dict[str, list[Any]]:
    rows = [
        (user, str(item), value) for user, row in of_user.items() for item, value in row.items()
    ]
    columns: dict[str, list[Any]] = {
        "user": [row[0] for row in rows],
        "item": [row[1] for row in rows],
    }
    if not number:
        return columns
    numbers = [row[2] for row in rows]
    if number == "score" and any(abs(one) > 2**53 for one in numbers):
        # Whole numbers stay what they are: they may have more digits than a float holds.
        whole = all(isinstance(one, int) and abs(one) < 2**63 for one in numbers)
        return {**columns, number: numbers if whole else as_scores(numbers, where).tolist()}
    return {**columns, number: [float(one) for one in numbers]}
