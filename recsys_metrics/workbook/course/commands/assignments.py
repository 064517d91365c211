"""`recsys-workbook course …`: what an instructor types."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recsys_metrics._core import console
from recsys_metrics._core.console import fail
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.course.commands.grammar import (
    GIVE_BACK,
    RUN,
    SET_UP,
    app,
    command,
)

if TYPE_CHECKING:
    from recsys_metrics.workbook.course.course_folder import Course
    from recsys_metrics.workbook.course.grade import GradedStudent

# Annotations are read when a command is declared: hence no `from __future__` in this file.
Folder = Annotated[
    Path, typer.Option("--course", metavar="DIR", help="The course's folder, if it is not here.")
]

Name = Annotated[
    str, typer.Argument(metavar="ASSIGNMENT", help="Its name: ps1, say.", show_default=False)
]

Wait = Annotated[
    bool, typer.Option("--wait", help="Wait while another works on the course, not give up.")
]


@contextmanager
def named(command: str) -> Iterator[None]:
    """Say what went wrong in a sentence."""
    from recsys_metrics.workbook.checking import ExerciseNameError
    from recsys_metrics.workbook.checking.platforms.scoring import AutograderError
    from recsys_metrics.workbook.grading.limits import GradingError

    try:
        yield
    except (GradingError, AutograderError, ExerciseNameError) as problem:
        fail(f"course {command}", problem, keep="\n")
    except OSError as problem:
        # A file that is a folder, a disk, rights: its words name the file.
        fail(f"course {command}", problem)
    except KeyboardInterrupt:
        fail(f"course {command}", "interrupted; what was done is kept")


def say_unknown_deadlines(course: "Course") -> None:
    """Say which deadlines of the settings are of no assignment."""
    for says in course.list_unknown_deadlines():
        console.say(says, file=sys.stderr)


def say_left(left: Sequence[str]) -> None:
    """Say who is left out because the roster no longer lists them."""
    from recsys_metrics.workbook.course.course_folder import ROSTER

    if left:
        console.say(f"left out, because {ROSTER} no longer lists them: {', '.join(left)}")


@command(app, "new recsys-2026", panel=SET_UP)
def new(
    folder: Annotated[Path, typer.Argument(metavar="NAME", help="A folder that is not there yet.")],
) -> None:
    """Make a folder for a course: a roster to fill in, settings, and a key.

    Every student's numbers are drawn with the key. Keep the folder to yourself.
    """
    with named("new"):
        from recsys_metrics.workbook.common.state_file import real_path
        from recsys_metrics.workbook.course.course_folder import ROSTER, create
        from recsys_metrics.workbook.course.gradebook import require

        require()
        create(folder, real_path(folder).name)
        console.say(f"Made {folder}. Next: write your students into {folder / ROSTER}, then")
        console.say(f"  cd {folder}")
        console.say(f"  {COMMAND} course release ps1 02_ranking")


@command(app, "release ps1 02_ranking", panel=RUN)
def release(
    name: Name,
    chapters: Annotated[
        list[str] | None,
        typer.Argument(metavar="CHAPTER", help="ranking, or a part of it: 02_ranking."),
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
    students: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="The roster; the course's by default."),
    ] = None,
    worksheet: Annotated[
        Path | None,
        typer.Option(
            "--for",
            metavar="WORKSHEET",
            help="Moodle's grading worksheet: write an archive that Moodle distributes, and a "
            "table for a mail merge.",
        ),
    ] = None,
    page: Annotated[
        bool,
        typer.Option("--page", help="It may be answered in the book, which shows solutions."),
    ] = False,
    preview: Annotated[
        bool, typer.Option("--preview", help="Release nothing: write one notebook to look at.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take it back, while nobody has handed anything in.")
    ] = False,
    wait: Wait = False,
    course: Folder = Path(),
) -> None:
    """Write a notebook for each student, with numbers of their own.

    Run it again when students join, with the name alone: notebooks that are there stay as they
    are. A file of your own in which you corrected what students do not see, such as a solution,
    replaces the one before.
    """
    with named("release"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import handout, summary, withdraw
        from recsys_metrics.workbook.course import release as releasing
        from recsys_metrics.workbook.course.course_folder import ROSTER, enrolled, read, roster
        from recsys_metrics.workbook.grading import custom_exercises, questions
        from recsys_metrics.workbook.grading.limits import GradingError

        here = read(course)
        if undo:
            if chapters or exercises or exercises_file or worksheet or page or preview:
                raise GradingError(
                    f"--undo takes the name alone: `{COMMAND} course release {name} --undo`"
                )
            place, count = withdraw.withdraw(here, name, wait=wait)
            console.say(f"{name} is taken back; its notebooks ({count}) are in {place}")
            console.say("If somebody has one already, say so: it will not be graded")
            return
        if preview and worksheet:
            raise GradingError("--preview releases nothing, so give it without --for")
        ids = questions.list_exercise_ids(chapters or [])
        mine = custom_exercises.load_exercises(exercises_file) if exercises_file else {}
        single = [one.strip() for one in exercises.split(",") if one.strip()]
        ids += [questions.find_exercise(one, mine).id for one in single]
        if not ids and name in here.assignments():
            ids = list(assignments.load(here, name).points)
        if ids and mine and not mine.keys() & set(ids):
            raise GradingError(
                f"of {exercises_file} no exercise is named; add {', '.join(mine)} to --exercises, "
                "or leave --exercises-file out"
            )
        ids = ids or list(mine)
        if not ids:
            raise GradingError(
                f"say what {name} asks: a chapter, as in `{COMMAND} course release ps1 "
                "02_ranking`, --exercises, or --exercises-file"
            )
        # Nobody has to be there yet for a look at the questions.
        listed = (
            enrolled(here) if preview and not students else roster(students or here.root / ROSTER)
        )
        if preview:
            shown = releasing.preview(here, name, ids, listed, own=exercises_file, page=page)
            console.say(summary.of_preview(*shown))
            return
        done = releasing.release(here, name, ids, listed, own=exercises_file, page=page, wait=wait)
        console.say(summary.of_release(done, here.root))
        say_unknown_deadlines(here)
        for says in done.assignment.list_unknown_extensions(here):
            console.say(says, file=sys.stderr)
        if worksheet:
            written = handout.write(here, assignments.load(here, name), worksheet)
            console.say(summary.of_handout(written, name))


@command(app, "collect ps1 downloads.zip --times worksheet.csv", panel=RUN)
def collect(
    name: Name,
    downloads: Annotated[
        Path,
        typer.Argument(metavar="FOLDER_OR_ZIP", help="What your learning platform gave you."),
    ],
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
        typer.Option(metavar="ID", help="You name one notebook, and say that it is ID's."),
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
        which = assignments.load(here, name)
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


@command(app, "grade ps1", panel=RUN)
def grade(
    name: Name,
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
        which = assignments.load(here, name)
        say_unknown_deadlines(here)
        grading = Grading(here, which, sandboxed=not unsandboxed, jobs=jobs, wait=wait)
        if unsandboxed:
            print("Without a sandbox: each submission may do what you may.", file=sys.stderr)
        count = len(student or which.students)
        done = _with_progress(grading.run(student), count, which.name)
        _print_table(done, which.out_of)
        console.say(summary.of_grades(done, here.root))
        if matches := summary.of_matches(here, which):
            console.say(matches)


@command(app, "export grades.csv", panel=GIVE_BACK)
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="grades.csv, say.")],
    questions: Annotated[
        bool, typer.Option("--questions", help="A row for each question of each student.")
    ] = False,
    course: Folder = Path(),
) -> None:
    """Write all grades into a table, those given in nbgrader included."""
    with named("export"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import export as exporting
        from recsys_metrics.workbook.course.course_folder import list_left, read

        here = read(course)
        say_unknown_deadlines(here)
        count = exporting.export(here, file, questions=questions)
        console.say(f"{file}: {console.count(count, 'row')}")
        names = here.assignments()
        given_to = [student for name in names for student in assignments.load(here, name).asked]
        say_left(list_left(here, dict.fromkeys(given_to)))


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

    from recsys_metrics.workbook.grading.points import format_points

    table = Table("student", "points", "to be read", "seconds", "to know", box=None)
    for column in (1, 2, 3):
        table.columns[column].justify = "right"
    for one in sorted(done, key=lambda graded: graded.student):
        points = "–" if one.points is None else f"{format_points(one.points)} of {out_of}"
        know = "; ".join(filter(None, [one.problem, one.lateness, one.by_person, *one.notes]))
        table.add_row(
            *(one.student, points, str(one.waiting or ""), f"{one.seconds:.1f}"),
            # A student's file has part in it, and could hold marks of the table's own.
            console.printable(know, 2_000).replace("[", r"\["),
        )
    Console().print(table)
