"""The command line: `recsys-metrics`.

With the library alone only `--version` works; everything else says what to install.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from recsys_metrics import __version__, _text

if TYPE_CHECKING:
    import typer

_MISSING = (
    "recsys-metrics: {name} is not installed, which this command needs: "
    'pip install "recsys-metrics[{extra}]"'
)
# Which extra brings a package, where it is not the workbook's.
_EXTRAS = {
    "duckdb": "duckdb",
    "narwhals": "frames",
    "nbgrader": "course",
    "polars": "frames",
    "pyarrow": "duckdb",
    "pyspark": "spark",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the program.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands after the program's name; that of the process by default.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments == ["--version"]:
        print(f"recsys-metrics {__version__}")
        return
    try:
        _app()(arguments, prog_name="recsys-metrics")
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name == "recsys_metrics":
            raise
        sys.exit(_MISSING.format(name=name, extra=_EXTRAS.get(name, "workbook")))


# The annotations below are read by typer when a command is declared, within the function that
# imports it: hence no `from __future__ import annotations` in this file.
def _app() -> "typer.Typer":
    import typer

    app = typer.Typer(
        help="Evaluate recommender systems, and learn how: the workbook and its tools.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )

    def print_version(asked: bool) -> None:
        if asked:
            print(f"recsys-metrics {__version__}")
            raise typer.Exit

    @app.callback()
    def common(
        version: Annotated[
            bool,
            typer.Option(
                "--version", callback=print_version, is_eager=True, help="Print the version."
            ),
        ] = False,
    ) -> None:
        pass

    @app.command()
    def lab(
        folder: Annotated[
            Path, typer.Argument(metavar="DIR", help="Where the workbook is or shall be.")
        ] = Path("recsys-workbook"),
        port: Annotated[
            str | None,
            typer.Option(
                envvar="PORT", metavar="N", help="Where to serve; a free one if not given."
            ),
        ] = None,
        no_open: Annotated[
            bool, typer.Option("--no-open", help="Only copy the workbook and say what to do next.")
        ] = False,
        no_browser: Annotated[
            bool, typer.Option("--no-browser", help="Print the address and open no browser.")
        ] = False,
    ) -> None:
        """Copy the workbook into a folder and open it in JupyterLab at its first chapter.

        Your edits are kept. Run it again after an upgrade: chapters you left alone are updated,
        and beside one that you edited (saving it in JupyterLab is an edit) the newer version is
        put as NAME.new-VERSION. A chapter's .md and .ipynb are one document. What you deleted
        comes back: to start a chapter afresh, delete both of its files.

        A folder that somebody sent you runs nothing when it opens, and its outputs are not
        trusted. A cell runs with your rights: read it before you run it.

        In a clone of the project, give the clone's own folder to edit the chapters in place.
        """
        from recsys_metrics.workbook import folder as place
        from recsys_metrics.workbook import lab as room
        from recsys_metrics.workbook.record import WorkbookError

        try:
            room.run(
                place.find_source(), folder, port=port, opened=not no_open, browser=not no_browser
            )
        except WorkbookError as error:
            sys.exit(_text.for_terminal(f"recsys-metrics lab: {error}"))

    @app.command()
    def check(
        notebook: Annotated[
            Path | None,
            typer.Argument(
                metavar="[NOTEBOOK]",
                help="A notebook (.ipynb) or its text (.md, .py).",
                show_default=False,
            ),
        ] = None,
        form: Annotated[
            str, typer.Option("--format", help="text, json, junit, gradescope or classroom.")
        ] = "text",
        exercises: Annotated[
            str,
            typer.Option(
                metavar="IDS", help="What counts: ranking.e4,ranking.e5 or ranking. All by default."
            ),
        ] = "",
        watch: Annotated[
            bool, typer.Option("--watch", help="Check again whenever the notebook is saved.")
        ] = False,
        seconds: Annotated[
            float, typer.Option(min=1, metavar="S", help="How long the notebook may take.")
        ] = 300,
    ) -> None:
        """Show where you stand, or run a notebook and say what its checks say.

        Without a notebook: the exercises you have passed, by chapter, and what to review next.

        With one: its cells run up to the last check, in a process of their own, and each exercise
        is told by the last of its checks. The exit code is 0 if all of them passed, 1 if not, 2 if
        there was nothing to check. Your progress is not touched. The process may do what you may:
        this is for your own notebooks.

        A format for another program holds a score, and a notebook could write its own. So it runs
        in the sandbox of the course commands: what it hands to a check comes out as values and is
        judged outside. Without a sandbox nothing is written and the exit code is 3. Give
        --exercises to say what counts: else it is what the notebook checks.
        """
        from recsys_metrics.workbook import checking

        if notebook is None:
            if watch or exercises or form != "text":
                sys.exit("recsys-metrics check: name the notebook")
            print(checking.standing())
            return
        asked = [one.strip() for one in exercises.split(",") if one.strip()]
        sys.exit(checking.check(notebook, form=form, exercises=asked, watch=watch, seconds=seconds))

    from recsys_metrics.evaluate_files import evaluate

    app.command()(evaluate)

    from recsys_metrics.workbook.course.commands import app as course

    app.add_typer(course, name="course")
    return app


if __name__ == "__main__":
    main()
