"""The groups of `recsys-workbook course`, and how a command is declared in one of them.

A command about an assignment or a capstone names it first, as in `grade ps1`, `fill ps1 TABLE
FILE` and `capstone mark final FOLDER`. Each has an example, which `--help` shows and which every
error about its arguments ends in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

from recsys_metrics._core.package_names import COMMAND

F = TypeVar("F", bound=Callable[..., None])

SET_UP = "Set up"
RUN = "Run an assignment"
GIVE_BACK = "Give back"
PREPARE = "Prepare material"

# Whichever click typer brings: an argument is missing, is too many, or makes no sense.
_UsageError: Any = typer.BadParameter.__bases__[0]


class _Command(TyperCommand):
    """A command whose errors of usage end in its example."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except _UsageError as problem:
            problem.message = f"{problem.message}\n{self.epilog}".strip()
            raise


def command(
    group: typer.Typer, example: str, *, name: str | None = None, panel: str | None = None
) -> Callable[[F], F]:
    """Return what declares a command in a group.

    Parameters
    ----------
    group : typer.Typer
    example : str
        What stands after `course`, as one would type it.
    name : str, optional
        That of the function by default.
    panel : str, optional
        The heading under which `course --help` lists it.
    """

    def declare(function: F) -> F:
        declared: F = group.command(
            name,
            cls=_Command,
            short_help=_with_example((function.__doc__ or "").partition("\n")[0], example),
            epilog=f"For example: {COMMAND} course {example}",
            rich_help_panel=panel,
        )(function)
        return declared

    return declare


def group_of(name: str, summary: str, example: str, panel: str) -> typer.Typer:
    """Return a group of commands below `course`."""
    made = typer.Typer(help=summary, no_args_is_help=True, rich_markup_mode="markdown")
    app.add_typer(
        made, name=name, short_help=_with_example(summary, example), rich_help_panel=panel
    )
    return made


def _with_example(summary: str, example: str) -> str:
    # The sign and the two spaces keep the line break: the example stands below the sentence.
    return f"\b\n{summary}  \n`{example}`"


app = typer.Typer(
    help="Run a course: own numbers for every student, graded in a sandbox, kept in nbgrader.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
words = group_of(
    "words", "Mark the answers in words, without names.", "words pages ps1 --marker kim", RUN
)
of_class = group_of(
    "class",
    "See what a class knows, and which exercises tell students apart.",
    "class report ps1 class.html",
    GIVE_BACK,
)
own = group_of("own", "Write exercises and parts of your own.", "own exercise mine.yaml", PREPARE)
kit = group_of(
    "kit",
    "Write slides, notes, a plan, an exam, an autograder for another platform.",
    'kit exam midterm --seed "only I know" --versions 2',
    PREPARE,
)
capstone = group_of(
    "capstone", "Give each student a case to decide, and mark it.", "capstone new final", PREPARE
)
