"""Options of a command in a TOML file: read with the command line, and written for later."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from recsys_metrics._core.whole_files import write_new_file
from recsys_metrics.cli import version
from recsys_metrics.measures._text import suggest_names

_KINDS: dict[type, tuple[Any, str]] = {
    Path: (str, "the path of a file, in quotes"),
    str: (str, "text, in quotes"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    bool: (bool, "true or false"),
}


class ConfigError(ValueError):
    """A configuration that cannot be read; the message names the file."""


def read_config(file: Path, options: type, *, without: tuple[str, ...]) -> dict[str, Any]:
    """Return the options in a TOML file, by the names of a dataclass that typer reads too.

    Parameters
    ----------
    file : Path
        Paths in it are relative to its folder.
    options : type
        Its fields are the options.
    without : tuple of str
        Fields that no file may hold.

    Raises
    ------
    ConfigError
        If the file cannot be read or is no TOML, or an option is unknown, of another type or out
        of range.
    """
    return read_options(file, read_toml(file)[0], options, without=without)


def read_toml(file: Path) -> tuple[dict[str, Any], str]:
    """Return what a TOML file holds, and its text.

    Raises
    ------
    ConfigError
        If the file cannot be read or is no TOML.
    """
    # A pipe would be waited for, and a device has no end.
    if file.exists() and not file.is_file():
        raise ConfigError(f"{file}: not a file but a folder, a pipe or a device")
    try:
        text = file.read_text(encoding="utf-8-sig")
        return tomllib.loads(text), text
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: not UTF-8; save the file in that encoding") from None
    except OSError as problem:
        raise ConfigError(f"{file}: {problem.strerror}") from None
    except ValueError as problem:  # of TOML, or of a number with more than 4,300 digits
        raise ConfigError(f"{file}: not TOML: {problem}") from None
    except RecursionError:
        raise ConfigError(f"{file}: nested too deep to be read; options are plain values") from None


def read_options(
    file: Path, data: Mapping[str, Any], options: type, *, without: tuple[str, ...]
) -> dict[str, Any]:
    """Return the options in the data of a TOML file, as `read_config` does."""
    hints = get_type_hints(options, include_extras=True)
    known = {name.replace("_", "-"): hint for name, hint in hints.items() if name not in without}
    found = {}
    for key, value in data.items():
        if key not in known:
            raise ConfigError(
                f"{file}: there is no option {key!r}{suggest_names(key, known, known)}"
            )
        annotated, declared = get_args(known[key])
        (kind,) = (each for each in get_args(annotated) if each is not NoneType)
        several = get_origin(kind) is list
        if isinstance(value, list) and not several:
            raise ConfigError(f"{file}: {key} is a list, and takes one value")
        values = [
            _read(each, get_args(kind)[0] if several else kind, declared, f"{file}: {key}")
            for each in (value if isinstance(value, list) else [value])
        ]
        # By its words, as it is written: what a link leads to has another folder above it.
        there = [
            Path(os.path.normpath(file.parent / each)) if isinstance(each, Path) else each
            for each in values
        ]
        found[key.replace("-", "_")] = there if several else there[0]
    return found


def _read(value: Any, kind: Any, declared: Any, place: str) -> Any:
    accepted, words = _KINDS[kind]
    if isinstance(value, bool) != (kind is bool) or not isinstance(value, accepted):
        raise ConfigError(f"{place} is {value!r:.60}, where {words} is needed")
    low, high = declared.min, declared.max
    if (low is not None and value < low) or (high is not None and value > high):
        limits = f"{low:,} or more" if high is None else f"from {low:,} to {high:,}"
        raise ConfigError(f"{place} is {value:,}; it is {limits}")
    return kind(value)


def write_config(file: Path, options: Mapping[str, Any], command: str) -> None:
    """Write options to a new TOML file, paths relative to its folder.

    Raises
    ------
    FileExistsError
        If there is such a file; it stays as it is.
    """
    lines = [f"# {version()}: {command} --config {file.name}"]
    lines += [
        f"{name.replace('_', '-')} = {_toml(value, file)}"
        for name, value in options.items()
        if value is not None
    ]
    write_new_file(file, ["\n".join(lines), "\n"])


def _toml(value: Any, file: Path) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml(each, file) for each in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Path):
        value = Path(_relative(value, file.parent)).as_posix()
    if isinstance(value, str):
        # Text of JSON is text of TOML, but for one sign that TOML has escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _relative(path: Path, folder: Path) -> str:
    try:
        return os.path.relpath(path, folder)
    except ValueError:  # another drive of Windows
        return str(path.absolute())
