"""`recsys-workbook course kit …`: what Gradescope, Classroom 50 and GitHub need to run a check."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recsys_metrics._core import console
from recsys_metrics.workbook.course.commands.assignments import named
from recsys_metrics.workbook.course.commands.grammar import command, kit

if TYPE_CHECKING:
    from recsys_metrics.workbook.checking.platforms.scoring import Scoring

# Annotations are read when a command is declared: hence no `from __future__` in this file.
NewFolder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet.")]
Wheels = Annotated[
    list[Path] | None,
    typer.Option(
        "--package",
        metavar="WHEEL",
        help="What to install, once for each wheel; the release of this version by default.",
    ),
]
Ids = Annotated[str, typer.Option(metavar="IDS", help="Single ones: ranking.e4,ranking.e5.")]
Chapters = Annotated[
    list[str] | None,
    typer.Argument(metavar="CHAPTER", help="ranking, or a part of it: 02_ranking."),
]
HandedIn = Annotated[
    str, typer.Option(metavar="NAME", help="What the file that is handed in is called.")
]
Seconds = Annotated[int, typer.Option(min=1, metavar="S", help="How long a notebook may take.")]


@command(kit, "kit gradescope on-gradescope 02_ranking --notebook ps1.ipynb")
def gradescope(
    folder: NewFolder,
    chapters: Chapters = None,
    exercises: Ids = "",
    notebook: HandedIn = "assignment.ipynb",
    seconds: Seconds = 120,
    package: Wheels = None,
) -> None:
    """Write a Gradescope autograder, DIR.zip, and the notebook that students answer in."""
    with named("kit gradescope"):
        from recsys_metrics.workbook.checking.platforms import gradescope as platform

        scoring = _scoring(chapters, exercises, notebook, seconds, package)
        archive = platform.write(folder, scoring)
        console.say(f"{archive}: upload it to Gradescope as the autograder")
        console.say(f"{folder / notebook}: hand it out to students")


@command(kit, "kit classroom50 on-classroom50 02_ranking --notebook ps1.ipynb")
def classroom50(
    folder: NewFolder,
    chapters: Chapters = None,
    exercises: Ids = "",
    notebook: HandedIn = "assignment.ipynb",
    seconds: Seconds = 120,
    package: Wheels = None,
) -> None:
    """Write the autograder of a Classroom 50 assignment, its runtime, and its template."""
    with named("kit classroom50"):
        from recsys_metrics.workbook.checking.platforms import classroom50 as platform

        scoring = _scoring(chapters, exercises, notebook, seconds, package)
        autograder = platform.write(folder, scoring)
        console.say(f"{autograder}: copy its files to CLASSROOM/autograders/ASSIGNMENT")
        console.say(
            f"{folder / 'runtime.json'}: name it with `gh teacher assignment add --runtime`"
        )
        console.say(f"{folder / 'template'}: put it into the template repository")


@command(
    kit, "kit github-workflow on-github 02_ranking --notebook ps1.ipynb", name="github-workflow"
)
def github_workflow(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The repository that students copy.")
    ],
    chapters: Chapters = None,
    exercises: Ids = "",
    notebook: HandedIn = "assignment.ipynb",
    seconds: Seconds = 120,
    package: Wheels = None,
) -> None:
    """Write a workflow of GitHub that checks the notebook at each push."""
    with named("kit github-workflow"):
        from recsys_metrics.workbook.checking.platforms import github_workflow as platform

        scoring = _scoring(chapters, exercises, notebook, seconds, package)
        console.say(f"{platform.write(folder, scoring)}: commit it to the repository")
        console.say(f"{folder / notebook}: the notebook that students answer in")


def _scoring(
    chapters: list[str] | None,
    exercises: str,
    notebook: str,
    seconds: int,
    package: list[Path] | None,
) -> "Scoring":
    from recsys_metrics.workbook import checking
    from recsys_metrics.workbook.checking.platforms.scoring import Scoring

    wanted = [*(chapters or []), *(one.strip() for one in exercises.split(",") if one.strip())]
    return Scoring(checking.resolve_ids(wanted), notebook, seconds, tuple(package or ()))
