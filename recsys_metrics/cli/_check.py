"""`recsys-workbook check`: the progress of a learner, or the outcomes of a notebook."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from recsys_metrics._core.console import fail


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
        str,
        typer.Option("--format", help="text, markdown, json, junit, gradescope or classroom50."),
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
    load: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Take over progress that was saved on another machine or in the book.",
            show_default=False,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Save your progress for another machine or the book.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show where you stand, or run a notebook and say what its checks say.

    Without a notebook: the exercises you have passed, by chapter, what to review and what comes
    next, and the mistakes you made most. Progress of two machines is merged; nothing is lost.

    With one: its cells run up to the last check, in a process of their own, and each exercise
    is told by the last of its checks, or by its card where no cell has an answer. The exit code
    is 0 if all of them passed, 1 if not, 2 if there was nothing to check. Your progress is not
    touched. The process may do what you may: this is for your own notebooks.

    Of a notebook that an instructor has released it says which answers are there and can be read,
    before you hand it in. It says nothing about right or wrong. The exit code is 0 if all are
    there.

    A format for another program holds a score, and a notebook could write its own. So it runs
    in the sandbox of the course commands: what it hands to a check comes out as values and is
    judged outside. Without a sandbox nothing is written and the exit code is 3. Give
    --exercises to say what counts: else it is what the notebook checks.
    """
    from recsys_metrics.workbook import checking

    if notebook is None:
        if watch or exercises or form != "text":
            fail("check", "name the notebook")
        try:
            if load is not None:
                print(checking.load_progress(load))
            if save is not None:
                print(checking.save_progress(save))
        except (OSError, ValueError) as problem:
            fail("check", str(problem))
        print(checking.progress_report())
        return
    if load is not None or save is not None:
        fail("check", "--load and --save are for your progress; leave out the notebook")
    ids = [one.strip() for one in exercises.split(",") if one.strip()]
    sys.exit(
        checking.check_notebook(notebook, form=form, exercises=ids, watch=watch, seconds=seconds)
    )
