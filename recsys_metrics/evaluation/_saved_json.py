"""JSON files of reports: written whole or not at all, and read with what is wrong in them."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from recsys_metrics._core.checks import check_flag
from recsys_metrics._core.inputs.compression import find_compression
from recsys_metrics._core.inputs.ids import has_half_a_character, id_kinds
from recsys_metrics._core.inputs.ids import kind as kind_of
from recsys_metrics._core.inputs.json_schema import find_faults
from recsys_metrics._core.inputs.json_text import parse_json
from recsys_metrics._core.whole_files import replace_file, write_new_file

R = TypeVar("R")


class Format(NamedTuple):
    """A kind of file.

    Attributes
    ----------
    name : str
        What its field `format` has.
    version : int
    schema : str
        The name of its JSON schema in the folder `data`.
    method : str
        What writes it, up to ``.save``.
    """

    name: str
    version: int
    schema: str
    method: str


RANKING = Format("recsys_metrics report", 1, "report.schema.json", "Report")
PREDICTIONS = Format(
    "recsys_metrics report of predictions", 1, "prediction_report.schema.json", "PredictionReport"
)


def write(
    path: str | PathLike[str],
    make_data: Callable[[], Mapping[str, Any]],
    *,
    overwrite: bool,
    indent: int | None,
) -> None:
    """Write what a function makes of a report to a file, whole or not at all."""
    file = _as_path(path)
    check_flag("overwrite", overwrite)
    text = json.dumps(make_data(), indent=indent, allow_nan=False)
    if overwrite:
        replace_file(file, [text, "\n"])
        return
    try:
        write_new_file(file, [text, "\n"])
    except FileExistsError:
        raise FileExistsError(
            f"{file} is there already and stays as it is; give the report a new name, or pass "
            "overwrite=True to replace it"
        ) from None


def read(
    path: str | PathLike[str],
    kind: Format,
    contradictions: Callable[[dict[str, Any]], Iterator[str]],
    build: Callable[[dict[str, Any]], R],
) -> R:
    """Return what a function builds of the data of a file, if nothing is wrong with them."""
    file = _as_path(path)
    if file.exists() and not file.is_file():
        # A pipe would be waited for, and a device has no end.
        raise ValueError(
            f"{path} is no file with an end; name the file that {kind.method}.save wrote"
        )
    try:
        content = file.read_bytes()
        if packed := find_compression(content):
            raise ValueError(f"it is compressed with {packed}; decompress it first")
        # Editors save JSON with a byte-order mark, or in UTF-16.
        data = parse_json(content.decode(json.detect_encoding(content)))
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not text in UTF-8, so it is no saved report; name the file that "
            f"{kind.method}.save wrote"
        ) from None
    except ValueError as problem:
        raise ValueError(f"{path} is no JSON, so it is no saved report ({problem})") from None
    if not isinstance(data, dict) or data.get("format") != kind.name:
        raise ValueError(f"{path} is no report that {kind.method}.save wrote{_other_kind(data)}")
    if data.get("version") != kind.version or data["version"] is True:
        raise ValueError(
            f"{path} is a report of version {data.get('version')!r}, and this library reads "
            f"version {kind.version}; read it with the library that wrote it, or a later one"
        )
    fault = next(find_faults(data, _schema(kind)), None)
    try:
        fault = fault or next(contradictions(data), None)
        if fault is None:
            return build(data)
    except (KeyError, IndexError, TypeError, AttributeError, OverflowError) as problem:
        raise ValueError(
            f"{path} is no report as data/{kind.schema} has it: {type(problem).__name__} {problem}"
        ) from problem
    raise ValueError(f"{path} is no report as data/{kind.schema} has it: {fault}")


def written_with() -> dict[str, str]:
    """Return the versions of what computes and writes a report."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": version("scipy"),
    }


def id_to_data(value: Any) -> str | int:
    """Return an id of a user or a group as a file has it.

    Raises
    ------
    TypeError
        If it is no text and no whole number.
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str | int) and not isinstance(plain, bool):
        return plain
    raise TypeError(
        f"{value!r:.60} is no text and no whole number, and a file holds no other ids of users "
        "and groups; evaluate with such ids, as text for example"
    )


def faults_of_ids(
    columns: Mapping[str, list[Any]], *, unsigned: str | None = None
) -> Iterator[str]:
    """Yield which columns hold what cannot be an id, or what no frame holds.

    The whole numbers of the column `unsigned` may have 64 bits without a sign.
    """
    for name, column in columns.items():
        kinds = id_kinds([each for each in column if each is not None])
        if len(kinds) > 1:
            yield f"{name} has {' and '.join(sorted(kinds))}"
        for each in column:
            if isinstance(each, str) and not each.isascii() and has_half_a_character(each):
                yield f"{name} has {each!a:.80}, which contains half a character"
        numbers = [each for each in column if isinstance(each, int)]
        low, high = min(numbers, default=0), max(numbers, default=0)
        if low < -(2**63) or high >= (2**64 if name == unsigned else 2**63):
            odd = low if low < -(2**63) else high
            kind = "n unsigned" if name == unsigned and odd > 0 else " signed"
            yield f"{name} has {odd!r:.40}, and a{kind} 64-bit number does not hold it"
        elif low < 0 and high >= 2**63:
            yield f"{name} has both {low} and {high}, and no kind of 64-bit number holds both"


def _other_kind(data: Any) -> str:
    """Return what reads a file of the other kind."""
    name = data.get("format") if isinstance(data, dict) else None
    other = next((each for each in (RANKING, PREDICTIONS) if each.name == name), None)
    if other is None:
        return ""
    return f"; {other.method}.save wrote it, so {other.method}.load reads it"


def _as_path(path: str | PathLike[str]) -> Path:
    if not isinstance(path, str | PathLike):
        raise TypeError(f"path must be that of a file, not {kind_of(path)}")
    if "\0" in os.fspath(path):
        raise ValueError(f"path contains a NUL character, {os.fspath(path)!r:.80}; no file has one")
    return Path(path)


@cache
def _schema(kind: Format) -> dict[str, Any]:
    file = files("recsys_metrics").joinpath("data", kind.schema)
    schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return schema
