"""`recsys-workbook course …`: students in, grades and pages back, what the class knows."""

from pathlib import Path
from typing import Annotated

import typer

from recsys_metrics._core import console
from recsys_metrics.workbook.course.commands.assignments import Folder, app, named

__all__ = ["app"]

# Annotations are read when a command is declared: hence no `from __future__` in this file.
Name = Annotated[str | None, typer.Argument(metavar="[NAME]", show_default=False)]


@app.command()
def roster(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="CSV", help="Canvas's gradebook, Moodle's grading worksheet or participants."
        ),
    ],
    course: Folder = Path(),
) -> None:
    """Write the students of a learning system's table into the roster.

    Who is there stays as they are; run it again when students join.
    """
    with named("roster"):
        from recsys_metrics.workbook.course import lms
        from recsys_metrics.workbook.course.course_folder import ROSTER, read

        here = read(course)
        added, known = lms.add_to_roster(here, lms.listed(file))
        console.say(f"{here.root / ROSTER}: {len(added)} students added, {len(known)} were there")
        for one in added:
            console.say(f"  {one}")


@app.command()
def words(
    assignment: Name = None,
    marker: Annotated[
        str, typer.Option(metavar="WHO", help="Each marker has pages in an order of their own.")
    ] = "first",
    course: Folder = Path(),
) -> None:
    """Write pages of the answers in words, without names, and a table for their levels.

    The level of an answer is how many of the statements hold that it is marked by.
    """
    with named("words"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import open_answer_marking as marking
        from recsys_metrics.workbook.course.course_folder import read

        here = read(course)
        done = marking.write_pages(here, assignments.load(here, assignment), marker)
        for exercise, count in done.answers.items():
            console.say(f"{done.folder / exercise}.html: {count} answers")
        console.say(f"Write levels into {done.sheet}")
        if done.missing:
            console.say(f"It stays as it is; add rows for {', '.join(done.missing)}")


@app.command(name="words-agree")
def words_agree(
    file: Annotated[
        Path, typer.Argument(metavar="CSV", help="A table of points that is not there yet.")
    ],
    assignment: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Needed if there is more than one.", show_default=False),
    ] = None,
    enter: Annotated[
        bool, typer.Option("--enter", help="Into the gradebook, where nobody has given points.")
    ] = False,
    course: Folder = Path(),
) -> None:
    """Say how far two markers agree about words, and write the points they give."""
    with named("words-agree"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import open_answer_marking as marking
        from recsys_metrics.workbook.course.course_folder import read

        here = read(course)
        which = assignments.load(here, assignment)
        for line in marking.compare(here, which, file, enter=enter):
            console.say(line)


@app.command()
def regrade(
    student: Annotated[str | None, typer.Argument(metavar="[STUDENT]", show_default=False)] = None,
    why: Annotated[
        str, typer.Option("--why", metavar="WORDS", help="The student asks, in these words.")
    ] = "",
    answer: Annotated[
        str, typer.Option("--answer", metavar="WORDS", help="You have looked, and answer.")
    ] = "",
    question: Annotated[
        str, typer.Option(metavar="ID", help="What it is about; all questions by default.")
    ] = "",
    assignment: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Needed if there is more than one.", show_default=False),
    ] = None,
    course: Folder = Path(),
) -> None:
    """Note that a student asks for a second look, answer, or list what was asked.

    An answer grades the submission again and notes the points before and after; correct ours in
    nbgrader first where you see it otherwise. Both stand on the student's page.
    """
    with named("regrade"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import regrade as requests
        from recsys_metrics.workbook.course.course_folder import read
        from recsys_metrics.workbook.course.grade import Grading
        from recsys_metrics.workbook.grading.limits import GradingError

        here = read(course)
        which = assignments.load(here, assignment)
        if student is None:
            found = requests.read(here, which.name)
            for one in sorted(found, key=lambda one: not one.is_open):
                console.say(
                    f"{'open' if one.is_open else 'done'}  {console.printable(str(one), 500)}"
                )
            still = sum(one.is_open for one in found)
            console.say(f"{len(found)} requests about {which.name}, {still} open")
            return
        if bool(why) == bool(answer):
            raise GradingError("say --why for what the student asks, or --answer for your answer")
        if why:
            console.say(str(requests.ask(here, which, student, question, why)))
            return
        done = requests.answer(
            *(here, which, student, question, answer),
            grade=lambda: list(Grading(here, which).run([student])),
        )
        console.say(str(done))


@app.command(name="class")
def of_class(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="class.html, say.")],
    assignment: Name = None,
    course: Folder = Path(),
) -> None:
    """Write a page on what the class knows: the commonest mistakes first, and nobody's name."""
    with named("class"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import class_report
        from recsys_metrics.workbook.course.course_folder import read
        from recsys_metrics.workbook.grading import atomic_files
        from recsys_metrics.workbook.grading.limits import GradingError

        here = read(course)
        report = class_report.of_class(here, assignments.load(here, assignment))
        if file.exists() and "the class</title>" not in file.read_text("utf-8", "replace")[:2_000]:
            raise GradingError(f"{file} is there and is no earlier page; give another name")
        atomic_files.replace_file(file, class_report.page(here, report))
        console.say(f"{file}: {len(report.points)} students of {report.assignment.name}")
        for one in report.mistakes[:3]:
            console.say(f"  {one.name}, {one.students} times, in {one.exercise.id}")


@app.command()
def feedback(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="feedback.zip, say.")],
    assignment: Name = None,
    course: Folder = Path(),
) -> None:
    """Put the students' pages into one archive, with the folders that Moodle takes back.

    In Moodle: the assignment, View all submissions, Upload multiple feedback files in a zip.
    """
    with named("feedback"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import return_feedback
        from recsys_metrics.workbook.course.course_folder import read

        here = read(course)
        done = return_feedback.archive(here, assignments.load(here, assignment), file)
        console.say(
            f"{file}: {len(done.moodle) + len(done.plain)} pages, {len(done.moodle)} of them in "
            f"folders named as Moodle names them, the others by id; {len(done.without)} students "
            "have none"
        )


@app.command()
def fill(
    table: Annotated[
        Path,
        typer.Argument(metavar="CSV", help="Canvas's gradebook or Moodle's grading worksheet."),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, to be uploaded.")],
    assignment: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Needed if there is more than one.", show_default=False),
    ] = None,
    course: Folder = Path(),
) -> None:
    """Write the grades into a learning system's own table, and nothing else.

    It is written to a new file; upload it where the table came from.
    """
    with named("fill"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import lms
        from recsys_metrics.workbook.course.course_folder import read
        from recsys_metrics.workbook.course.export import points_of
        from recsys_metrics.workbook.grading import atomic_files
        from recsys_metrics.workbook.grading.limits import GradingError

        here = read(course)
        which = assignments.load(here, assignment)
        if file.exists():
            raise GradingError(f"{file} is there already and stays as it is; give another name")
        done = lms.filled(here, which.name, table, points_of(here, which))
        atomic_files.replace_file(file, done.text)
        console.say(
            f"{file}: {len(done.graded)} grades of {which.name} written, {len(done.without)} "
            f"students without a grade, {len(done.unknown)} rows of nobody in the course"
        )
        for one in done.unknown:
            console.say(f"  not in the course: {console.printable(one)}")
