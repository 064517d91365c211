"""`recsys-workbook course …`: what an instructor types."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recsys_metrics._core import console
from recsys_metrics._core.console import fail
from recsys_metrics._core.package_names import COMMAND

if TYPE_CHECKING:
    from recsys_metrics.workbook.checking.autograder import Scoring
    from recsys_metrics.workbook.course.grade import GradedStudent

app = typer.Typer(
    help="Run a course: own numbers for every student, graded in a sandbox, kept in nbgrader.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

# Annotations are read when a command is declared: hence no `from __future__` in this file.
Folder = Annotated[
    Path, typer.Option("--course", metavar="DIR", help="The course's folder, if it is not here.")
]

Wait = Annotated[
    bool, typer.Option("--wait", help="Wait while another works on the course, not give up.")
]


@contextmanager
def named(command: str) -> Iterator[None]:
    """Say what went wrong in a sentence."""
    from recsys_metrics.workbook.checking import ExerciseNameError
    from recsys_metrics.workbook.checking.autograder import AutograderError
    from recsys_metrics.workbook.grading.limits import GradingError

    try:
        yield
    except (GradingError, AutograderError, ExerciseNameError) as problem:
        fail(f"course {command}", problem)
    except KeyboardInterrupt:
        fail(f"course {command}", "interrupted; what was done is kept")


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(metavar="NAME", help="A folder that is not there yet.")],
) -> None:
    """Make a folder for a course: a roster to fill in, settings, and a key.

    Every student's numbers are drawn with the key. Keep the folder to yourself.
    """
    with named("new"):
        from recsys_metrics.workbook.course.course_folder import ROSTER, create
        from recsys_metrics.workbook.course.gradebook import require

        require()
        create(folder, folder.resolve().name)
        console.say(f"Made {folder}. Next: write your students into {folder / ROSTER}, then")
        console.say(f"  cd {folder}")
        console.say(f"  {COMMAND} course release 02_ranking --name ps1")


@app.command()
def release(
    chapters: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CHAPTER]...", help="ranking, or a part of it: 02_ranking."),
    ] = None,
    exercises: Annotated[
        str, typer.Option(metavar="IDS", help="Single ones: ranking.e4,ranking.e5.")
    ] = "",
    exercises_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Exercises of your own; all of it if no others are named."
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Of the assignment; the chapter's by default.")
    ] = "",
    students: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="The roster; the course's by default."),
    ] = None,
    wait: Wait = False,
    course: Folder = Path(),
) -> None:
    """Write a notebook for each student, with numbers of their own.

    Run it again when students join: notebooks that are there stay as they are.
    """
    with named("release"):
        from recsys_metrics.workbook.course import release as releasing
        from recsys_metrics.workbook.course import summary
        from recsys_metrics.workbook.course.course_folder import ROSTER, read, roster
        from recsys_metrics.workbook.grading import custom_exercises, questions
        from recsys_metrics.workbook.grading.limits import GradingError

        here = read(course)
        ids = questions.list_exercise_ids(chapters or [])
        mine = custom_exercises.load_exercises(exercises_file) if exercises_file else {}
        single = [one.strip() for one in exercises.split(",") if one.strip()]
        ids += [questions.find_exercise(one, mine).id for one in single]
        ids = ids or list(mine)
        if not name and len(chapters or []) != 1:
            raise GradingError("give the assignment a name: --name ps1")
        called = name or Path((chapters or [""])[0]).stem
        listed = roster(students or here.root / ROSTER)
        done = releasing.release(here, called, ids, listed, own=exercises_file, wait=wait)
        console.say(summary.of_release(done, here.root))


@app.command(name="new-exercise")
def new_exercise(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="mine.yaml, say.")],
    kind: Annotated[
        str, typer.Option(metavar="KIND", help="numbers, choice, function or text.")
    ] = "numbers",
) -> None:
    """Write an exercise of your own that keeps the rules, to be changed."""
    with named("new-exercise"):
        from recsys_metrics.workbook.grading import custom_exercises

        written = custom_exercises.write_template(file, kind)
        console.say(f"{' and '.join(map(str, written))}: change what is in there, then")
        console.say(f"  {COMMAND} course check-exercises {file}")


@app.command(name="new-part")
def new_part(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that is not there yet.")
    ],
) -> None:
    """Write a part of your own: a text with cells, its exercises, its data, to be changed."""
    with named("new-part"):
        from recsys_metrics.workbook.course import custom_parts

        for file in custom_parts.write_template(folder):
            console.say(f"{file}")
        console.say(f"Change them, then: {COMMAND} course build-part {folder}")


@app.command(name="build-part")
def build_part(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What new-part wrote.")],
) -> None:
    """Run the texts of a part of your own, and write each as a notebook and as a page.

    An error in a cell, or an exercise that breaks the law, ends it and is told.
    """
    with named("build-part"):
        from recsys_metrics.workbook.course import custom_parts

        for file, cells in custom_parts.build(folder):
            console.say(f"{file.with_suffix('.ipynb')}, {file.with_suffix('.html')}: {cells} cells")


@app.command(name="check-exercises")
def check_exercises(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What new-exercise wrote.")],
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="HTML", help="Write their cards, as students see them.", show_default=False
        ),
    ] = None,
) -> None:
    """Check a file of your own exercises by the rules that the workbook's keep.

    Their solutions pass, their mistakes are told apart and named, their variants differ: the chance
    that two students share the right answer is said of each. Of a function, one thing after another
    is changed in the solution: what its cases do not notice is listed.
    """
    with named("check-exercises"):
        from recsys_metrics.workbook.grading import (
            copy_probability,
            custom_exercises,
            exercise_rules,
        )

        found = custom_exercises.load_exercises(file)
        python = custom_exercises.get_python_file(file)
        said = {one.id: exercise_rules.find_faults(one, file=python) for one in found.values()}
        # What breaks here breaks in another process, too, and says less.
        for other in exercise_rules.find_faults_elsewhere(file) if not any(said.values()) else ():
            said[other].append(
                "has other variants in another process; draw from `rng` and sort sets"
            )
        for one in found.values():
            faults = said[one.id]
            kind = f"{type(one).__name__}, {one.points} point{'s' * (one.points > 1)}"
            limit = copy_probability.highest_chance(one)
            if not faults and limit is not None:
                chance = copy_probability.copy_chance(one)
                kind += f"; two students share the right answer: {chance:.1%}"
            elif one.same_for_all:
                kind += "; one right answer for all students"
            console.say(f"{one.id}: {kind}")
            for fault in faults:
                console.say(f"  {custom_exercises.locate(file, one.id, fault)}: {one.id} {fault}")
            for change in [] if faults else exercise_rules.find_unnoticed_changes(one):
                console.say(f"  its cases do not notice {change}; add one where it matters, if any")
        bad = sum(map(bool, said.values()))
        console.say(f"{len(found)} exercise{'s' * (len(found) > 1)}, {bad} to be mended")
        if page is not None:
            custom_exercises.write_page(
                page, file.name, [one for one in found.values() if not said[one.id]]
            )
            console.say(f"{page}: the cards of those that hold")
        if bad:
            sys.exit(1)


@app.command()
def collect(
    downloads: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="What your learning platform gave you.")
    ],
    assignment: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Needed if there is more than one.", show_default=False),
    ] = None,
    times: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="When each handed in: Moodle's grading worksheet, or columns id and submitted.",
        ),
    ] = None,
    students: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="The roster; the course's by default."),
    ] = None,
    owner: Annotated[
        str,
        typer.Option(metavar="ID", help="FOLDER is one notebook, and you say that it is ID's."),
    ] = "",
    wait: Wait = False,
    course: Folder = Path(),
) -> None:
    """Bring what was handed in into the course.

    Whose a notebook is says the folder or the name that Moodle, Canvas or you gave it, by the
    roster; its signature has to agree. What does not fit is kept in `to_decide`. The downloads are
    only read.
    """
    with named("collect"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import collect as collecting
        from recsys_metrics.workbook.course import summary
        from recsys_metrics.workbook.course import times as moments
        from recsys_metrics.workbook.course.course_folder import enrolled, read, roster

        here = read(course)
        which = assignments.load(here, assignment)
        done = collecting.collect(
            here,
            which,
            downloads,
            roster=roster(students) if students else enrolled(here),
            worksheet=moments.read(here, times) if times else None,
            owner=owner,
            wait=wait,
        )
        console.say(summary.of_collection(done, which.name))


@app.command()
def grade(
    assignment: Annotated[str | None, typer.Argument(metavar="[NAME]", show_default=False)] = None,
    student: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Only this one; may be given again."),
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=1, max=64, metavar="N", help="How many to run at a time.")
    ] = min(4, os.cpu_count() or 1),
    unsandboxed: Annotated[
        bool,
        typer.Option("--unsandboxed", help="Run submissions as you: they may do what you may."),
    ] = False,
    wait: Wait = False,
    course: Folder = Path(),
) -> None:
    """Run each submission in a sandbox, judge its answers, and enter them into the gradebook.

    Run it again at any time: the same submission has the same grade, and what you gave in nbgrader
    stays.
    """
    with named("grade"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import summary
        from recsys_metrics.workbook.course.course_folder import read
        from recsys_metrics.workbook.course.grade import Grading

        here = read(course)
        which = assignments.load(here, assignment)
        grading = Grading(here, which, sandboxed=not unsandboxed, jobs=jobs, wait=wait)
        if unsandboxed:
            print("Without a sandbox: each submission may do what you may.", file=sys.stderr)
        wanted = student or which.students
        done = _with_progress(grading.run(wanted), len(wanted), which.name)
        _print_table(done, which.out_of)
        console.say(summary.of_grades(done, here.root))
        if matches := summary.of_matches(here, which):
            console.say(matches)


@app.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="grades.csv, say.")],
    questions: Annotated[
        bool, typer.Option("--questions", help="A row for each question of each student.")
    ] = False,
    course: Folder = Path(),
) -> None:
    """Write all grades into a table, those given in nbgrader included."""
    with named("export"):
        from recsys_metrics.workbook.course import export as exporting
        from recsys_metrics.workbook.course.course_folder import read

        count = exporting.export(read(course), file, questions=questions)
        console.say(f"{file}: {count} rows")


Package = Annotated[
    Path | None,
    typer.Option(metavar="WHEEL", help="What to install; the release of this version by default."),
]
Ids = Annotated[str, typer.Option(metavar="IDS", help="Single ones: ranking.e4,ranking.e5.")]
Chapters = Annotated[
    list[str] | None,
    typer.Argument(metavar="[CHAPTER]...", help="ranking, or a part of it: 02_ranking."),
]
HandedIn = Annotated[
    str, typer.Option(metavar="NAME", help="What the file that is handed in is called.")
]
Seconds = Annotated[int, typer.Option(min=1, metavar="S", help="How long a notebook may take.")]


@app.command()
def gradescope(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet.")],
    chapters: Chapters = None,
    exercises: Ids = "",
    notebook: HandedIn = "assignment.ipynb",
    seconds: Seconds = 120,
    package: Package = None,
) -> None:
    """Write a Gradescope autograder that scores notebooks of the workbook: DIR and DIR.zip."""
    with named("gradescope"):
        from recsys_metrics.workbook.checking import autograder

        scoring = _scoring(chapters, exercises, notebook, seconds, package)
        console.say(
            f"Upload {autograder.write_gradescope(folder, scoring)} as the autograder's file"
        )


@app.command()
def classroom(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The template repository.")],
    chapters: Chapters = None,
    exercises: Ids = "",
    notebook: HandedIn = "assignment.ipynb",
    seconds: Seconds = 120,
    package: Package = None,
) -> None:
    """Write a GitHub workflow that scores notebooks of the workbook for GitHub Classroom."""
    with named("classroom"):
        from recsys_metrics.workbook.checking import autograder

        scoring = _scoring(chapters, exercises, notebook, seconds, package)
        console.say(
            f"Commit {autograder.write_classroom(folder, scoring)} to the template repository"
        )


def _scoring(
    chapters: list[str] | None, exercises: str, notebook: str, seconds: int, package: Path | None
) -> "Scoring":
    from recsys_metrics.workbook import checking
    from recsys_metrics.workbook.checking.autograder import Scoring

    wanted = [*(chapters or []), *(one.strip() for one in exercises.split(",") if one.strip())]
    return Scoring(checking.resolve_ids(wanted), notebook, seconds, package)


def _with_progress(
    grading: Iterator["GradedStudent"], total: int, name: str
) -> list["GradedStudent"]:
    from rich.console import Console
    from rich.progress import Progress

    done = []
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=total)
        for graded in grading:
            done.append(graded)
            bar.update(task, advance=1, description=f"{name} {graded.student}")
    return done


def _print_table(done: list["GradedStudent"], out_of: int) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("student", "points", "to be read", "seconds", "to know", box=None)
    for column in (1, 2, 3):
        table.columns[column].justify = "right"
    for one in sorted(done, key=lambda graded: graded.student):
        points = "–" if one.points is None else f"{one.points:g} of {out_of}"
        know = "; ".join(filter(None, [one.problem, one.lateness, *one.notes]))
        table.add_row(
            *(one.student, points, str(one.waiting or ""), f"{one.seconds:.1f}"),
            # A student's file has part in it, and could hold marks of the table's own.
            console.printable(know, 2_000).replace("[", r"\["),
        )
    Console().print(table)
