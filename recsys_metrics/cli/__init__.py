"""The command line.

With the library alone only `--version` works; everything else says what to install.

`main` is all that is imported from here. The commands are read when one is called: they need
typer, which the library itself does not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND, how_to_install
from recsys_metrics.cli._name_conflict import name_conflict_warning

__all__ = ["main"]

# Which extra brings a package, where it is not the workbook's.
_EXTRAS = {
    "duckdb": "duckdb",
    "narwhals": "frames",
    "nbgrader": "course",
    "polars": "frames",
    "pyarrow": "duckdb",
    "pyspark": "spark",
}

# Commands that read tables in files.
_ON_FILES = [
    [name]
    for name in ("evaluate", "preflight", "gate", "split", "leakage", "ab-test", "off-policy")
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the program.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands after the program's name; that of the process by default.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        with console.guard_output():
            _run(arguments)
    except SystemExit as end:
        # They end with 1 if a recommender got worse or a fault was found.
        if arguments[:1] not in (["gate"], ["preflight"]) or not isinstance(end.code, str):
            raise
        print(end.code, file=sys.stderr)
        sys.exit(3)


def _run(arguments: list[str]) -> None:
    if sentence := name_conflict_warning():
        print(f"{COMMAND}: {sentence}", file=sys.stderr)
    if arguments == ["--version"]:
        console.say(version())
        return
    try:
        from recsys_metrics.cli._app import app

        app(arguments, prog_name=COMMAND)
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name == "recsys_metrics":
            raise
        # The command line itself needs packages that several extras bring.
        extra = _EXTRAS.get(name, "frames" if arguments[:1] in _ON_FILES else "workbook")
        sys.exit(
            f"{COMMAND}: {name} is not installed, which this command needs: {how_to_install(extra)}"
        )


def version() -> str:
    """Return the command's name and version."""
    from recsys_metrics import __version__

    return f"{COMMAND} {__version__}"


def __dir__() -> list[str]:
    return __all__
