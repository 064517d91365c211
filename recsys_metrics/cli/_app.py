"""All commands, and what they share."""

from typing import Annotated

import typer

from recsys_metrics._core import console
from recsys_metrics.cli import version
from recsys_metrics.cli._ab_test import ab_test
from recsys_metrics.cli._check import check
from recsys_metrics.cli._command import StrictCommand
from recsys_metrics.cli._evaluate import evaluate
from recsys_metrics.cli._gate import GateCommand, gate
from recsys_metrics.cli._lab import lab
from recsys_metrics.cli._leakage import leakage
from recsys_metrics.cli._off_policy import off_policy
from recsys_metrics.cli._preflight import preflight
from recsys_metrics.cli._split import split
from recsys_metrics.workbook.course.commands import app as course

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
        console.say(version())
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
app.command(cls=StrictCommand)(split)
app.command(cls=StrictCommand)(leakage)
app.command(cls=StrictCommand)(evaluate)
app.command("ab-test", cls=StrictCommand)(ab_test)
app.command("off-policy", cls=StrictCommand)(off_policy)
app.command(cls=GateCommand)(preflight)
app.command(cls=GateCommand)(gate)
app.add_typer(course, name="course")
