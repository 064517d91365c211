"""The rules of a gate in a TOML file: read strictly, with errors that name the line and the key."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from recsys_metrics._core.toml_lines import find_line
from recsys_metrics.cli._config import ConfigError, read_options, read_toml
from recsys_metrics.evaluation import GateRule
from recsys_metrics.measures._text import suggest_names

CHECK = "check"
"""The array of tables with a rule in each."""
SETTINGS: Mapping[str, tuple[Any, str]] = {
    "level": ((int, float), "a number"),
    "power": ((int, float), "a number"),
    "correction": (str, "text, in quotes"),
    "users": (str, "text, in quotes"),
}
_OF_CHECK: Mapping[str, tuple[Any, str]] = {
    "metric": (str, "text, in quotes"),
    "margin": ((int, float), "a number"),
    "direction": (str, '"higher" or "lower"'),
    "groups": ((str, list), 'a list of groups, or "each"'),
}
_NEEDED = ("metric", "margin")


@dataclass(frozen=True)
class GateConfig:
    """What a file says: options of the command, settings of `gate`, and its rules."""

    options: Mapping[str, Any]
    settings: Mapping[str, Any]
    rules: list[GateRule]


def read_gate_config(file: Path, options: type[Any], *, without: tuple[str, ...]) -> GateConfig:
    """Return the options and rules in a TOML file.

    Parameters
    ----------
    file : Path
        Paths in it are relative to its folder.
    options : type
        Its fields are the options of the command.
    without : tuple of str
        Fields that no file may hold.

    Raises
    ------
    ConfigError
        If the file cannot be read or is no TOML, a key is unknown or missing, or a value has
        another type; the message names the line where it can be found.
    """
    data, text = read_toml(file)
    lines = _Lines(file, text)
    names = [each.name for each in fields(options) if each.name not in without]
    known = [*names, *SETTINGS, CHECK]
    for key in data:
        if key not in known:
            raise ConfigError(f"{lines.place(key)}: {_unknown(key, known, 'at the top level')}")
    for key in [key for key in data if key in SETTINGS]:
        _check_type(data[key], SETTINGS[key], f"{lines.place(key)}: {key}")
    checks = data.get(CHECK)
    if not isinstance(checks, list) or not checks:
        raise ConfigError(
            f"{lines.place(CHECK)}: there is no rule; write at least one table [[{CHECK}]] with "
            "metric and margin"
        )
    return GateConfig(
        options=read_options(
            file, {key: data[key] for key in data if key in names}, options, without=without
        ),
        settings={key: data[key] for key in data if key in SETTINGS},
        rules=[_read_rule(check, number, lines) for number, check in enumerate(checks)],
    )


def _read_rule(check: Any, number: int, lines: _Lines) -> GateRule:
    table = f"[[{CHECK}]]"
    if not isinstance(check, dict):
        raise ConfigError(
            f"{lines.place(CHECK, number)}: {CHECK} is {check!r:.60}; write tables {table}"
        )
    for key, value in check.items():
        place = lines.place(CHECK, number, key)
        if key not in _OF_CHECK:
            raise ConfigError(f"{place}: {_unknown(key, _OF_CHECK, f'in {table}')}")
        _check_type(value, _OF_CHECK[key], f"{place}: {key}")
    for key in _NEEDED:
        if key not in check:
            raise ConfigError(f"{lines.place(CHECK, number)}: {table} has no {key}")
    try:
        return GateRule(**check)
    except (TypeError, ValueError) as problem:
        raise ConfigError(f"{lines.place(CHECK, number)}: {problem}") from None


def _unknown(key: str, known: Collection[str], where: str) -> str:
    suggested = suggest_names(key, known, known)
    listed = "" if "there are" in suggested else f" There are {', '.join(known)}"
    return f"there is no key {key!r} {where}{suggested}{listed}"


def _check_type(value: Any, expected: tuple[Any, str], place: str) -> None:
    accepted, words = expected
    if isinstance(value, bool) or not isinstance(value, accepted):
        raise ConfigError(f"{place} is {value!r:.60}, where {words} is needed")


@dataclass(frozen=True)
class _Lines:
    """Where the keys of a TOML file are; tomllib does not say it."""

    file: Path
    text: str

    def place(self, *path: str | int) -> str:
        """Return the file, and the line of a key, or of an entry of a list, where it is found."""
        line = find_line(self.text, path)
        return str(self.file) if line is None else f"{self.file}, line {line}"
