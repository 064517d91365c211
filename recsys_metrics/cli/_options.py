"""Checks of options and errors that the commands on files share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

from recsys_metrics._core.console import fail
from recsys_metrics.cli._list_options import check_option, name_columns, parse_pairs


def check_choice(command: str, option: str, value: str | None, choices: Iterable[str]) -> None:
    """End the command if an option has none of its values."""
    try:
        check_option(option, value, choices)
    except ValueError as problem:
        fail(command, problem)


def check_new(command: str, option: str, file: Path) -> None:
    """End the command if a file that it would write is there, or its folder is not."""
    try:
        # A link that leads nowhere is no file, and yet something is there.
        is_there = file.exists() or file.is_symlink()
        is_in_folder = file.parent.is_dir()
    except OSError as problem:  # a name may be too long to be looked for
        fail(command, f"{option} {file}: {problem.strerror}; give another name")
    if is_there:
        fail(command, f"{file} is there already and stays as it is; give {option} a new name")
    if not is_in_folder:
        fail(command, f"{option} {file}: {file.parent} is no folder; make it first")


def refuse_same_output(command: str, outputs: Mapping[str, Path | None]) -> None:
    """End the command if two of its outputs, by their options, would be written to one file."""
    named = [(option, file) for option, file in outputs.items() if file is not None]
    for (option, file), (other, another) in combinations(named, 2):
        # Some file systems do not tell upper from lower case.
        if os.path.realpath(file).casefold() == os.path.realpath(another).casefold():
            spelt = "" if str(file) == str(another) else f", which is also written {another}"
            fail(command, f"{option} and {other} both name {file}{spelt}; name a file for each")


@contextmanager
def all_or_none() -> Iterator[list[Path]]:
    """Yield a list of the new files that were written; they are removed if an error ends it."""
    written: list[Path] = []
    try:
        yield written
    except BaseException:
        for file in written:
            file.unlink(missing_ok=True)
        raise


def read_pairs(
    command: str, option: str, given: Sequence[str], form: str, keys: Sequence[str] = ()
) -> dict[str, str]:
    """Return what stands on either side of the first equals sign, of the keys that are allowed."""
    try:
        return parse_pairs(option, given, form, keys)
    except ValueError as problem:
        fail(command, problem)


@contextmanager
def reporting(command: str, *paths: Path) -> Iterator[None]:
    """End the command with a sentence where a file, or what is in it, is at fault."""
    from recsys_metrics.frames import EngineError, TableError
    from recsys_metrics.frames._text_files import FileError

    # Bad input is a ValueError of the library's; what is none is a fault in it, and shows its
    # traceback.
    try:
        yield
    except FileError as problem:
        fail(command, name_columns(str(problem), problem.roles))
    except TableError as problem:
        fail(command, name_columns(f"{paths[0]} {problem.problem}", problem.roles))
    except EngineError as problem:
        fail(command, f"{', '.join(map(str, paths))}: {problem}")
    except OSError as problem:
        fail(command, problem)
    except ValueError as problem:
        fail(command, f"{', '.join(map(str, paths))}: {problem}")
