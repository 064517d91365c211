"""All commands, and what they share."""

from typing import Annotated

import typer

from recsys_metrics.cli import version
from recsys_metrics.cli._check import check
from recsys_metrics.cli._evaluate import evaluate
from recsys_metrics.cli._lab import lab
from recsys_metrics.workbook.course.commands.capstone import app as course

# typer reads the annotations: hence no `from __future__ import annotations` in these files.
app = typer.Typer(
    help="Evaluate recommender systems, and learn how: the workbook and its tools.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(version())
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


app.command()(lab)
app.command()(check)
app.command()(evaluate)
app.add_typer(course, name="course")
