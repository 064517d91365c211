"""What engines of data frames raise, as one error that says which table could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class EngineError(RuntimeError):
    """A query that an engine could not run; the message holds the first line of its own."""


def engine_of(frame: Any) -> str:
    """Return the library of a frame, as an error calls it."""
    return type(frame).__module__.partition(".")[0].lstrip("_")


@contextmanager
def engine_errors(
    engine: str, table: str = "", *, passing: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Turn what an engine raises into an `EngineError`, which names the table that it reads.

    Errors of `passing` are left as they are, for a caller who knows better what they mean.
    """
    try:
        yield
    except passing:
        raise
    except Exception as problem:  # each engine has errors of its own
        if type(problem).__name__ == "InterruptException":  # DuckDB's, of Ctrl-C
            raise KeyboardInterrupt from None
        of = f"{table} could not be read: " if table else ""
        raise EngineError(f"{of}{engine} says: {_first_line(problem)}") from problem


def _first_line(problem: Exception) -> str:
    """Return what an engine says in one line; of a worker's traceback what it ends with."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"\w*(\.\w+)*Error: ", line)]
    if not lines:
        return type(problem).__name__
    if "Python worker" not in lines[0] or not errors:
        return lines[0]
    if errors[-1].startswith("ModuleNotFoundError"):
        return (
            f"{errors[-1]} on a worker. The workers need recsys-workbook[frames], pandas and "
            "pyarrow: the page Scale shows how to send them an environment"
        )
    return f"{errors[-1]} (on a worker)"
