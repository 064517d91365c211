"""`recsys-workbook course …`: students in, answers in words, grades and pages back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from recsys_metrics._core import console
from recsys_metrics.workbook.course.commands.assignments import (
    Folder,
    Name,
    named,
    say_left,
    say_unknown_deadlines,
)
from recsys_metrics.workbook.course.commands.grammar import GIVE_BACK, SET_UP, app, command
from recsys_metrics.workbook.course.commands.grammar import words as of_words

__all__ = ["app"]

# Annotations are read when a command is declared: hence no `from __future__` in this file.


@command(app, "roster participants.csv", panel=SET_UP)
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

    Run it again when students join, or with another table: empty cells are filled, and all others
    stay as they are.
    """
    with named("roster"):
        from recsys_metrics.workbook.course import lms
        from recsys_metrics.workbook.course.course_folder import COLUMNS, ROSTER, read
        from recsys_metrics.workbook.grading.limits import GradingError

        here = read(course)
        done = lms.add_to_roster(here, lms.listed(file))
        students = console.count(len(done.added), "student")
        console.say(f"{here.root / ROSTER}: {students} added, {len(done.known)} were there")
        for one in done.added:
            console.say(f"  {one}")
        if done.completed:
            columns = [
                name for name in COLUMNS if any(name in of for of in done.completed.values())
            ]
            console.say(
                f"  empty cells filled for {console.count(len(done.completed), 'student')}: "
                f"{', '.join(columns)}"
            )
        for each in done.unlike:
            console.say(f"  {console.printable(each)}; write into {ROSTER} yourself who is right")
        if done.unlike:
            console.say(
                "  where a row is that of the student in the table, write the e-mail address or "
                "the lms_id of the table into it; where it is not, write a row of their own"
            )
        if done.without_id:
            names = ", ".join(console.printable(each) for each in done.without_id)
            raise GradingError(
                f"{console.count(len(done.without_id), 'student')} not added, because no id of "
                "letters and digits can be made of the login, e-mail address, name or ID number: "
                f"{names}. Write a row with an id for each into {ROSTER}, with the name as the "
                "table has it"
            )


@command(of_words, "words pages ps1 --marker kim", name="pages")
def words(
    name: Name,
    marker: Annotated[
        str, typer.Option(metavar="WHO", help="Each marker has pages in an order of their own.")
    ] = "first",
    course: Folder = Path(),
) -> None:
    """Write pages of the answers in words, without names, and a table for their levels.

    The level of an answer is how many of the statements hold that it is marked by.
    """
    with named("words pages"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import open_answer_marking as marking
        from recsys_metrics.workbook.course.course_folder import read

        here = read(course)
        which = assignments.load_enrolled(here, name)
        done = marking.write_pages(here, which, marker)
        for exercise, count in done.answers.items():
            console.say(f"{done.folder / exercise}.html: {console.count(count, 'answer')}")
        console.say(f"Write levels into {done.sheet}")
        if done.added:
            console.say(f"Rows were added below the others for {', '.join(done.added)}")
        if done.again:
            again = ", ".join(done.again)
            console.say(f"Handed in again since you gave levels, to be read anew: {again}")
        say_left(which.left)


@command(of_words, "words agree ps1 points.csv --enter", name="agree")
def words_agree(
    name: Name,
    file: Annotated[
        Path, typer.Argument(metavar="CSV", help="A table of points; an earlier one is replaced.")
    ],
    enter: Annotated[
        bool, typer.Option("--enter", help="Into the gradebook, where no person gave others.")
    ] = False,
    course: Folder = Path(),
) -> None:
    """Say how far two markers agree about words, and write the points they give."""
    with named("words agree"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import open_answer_marking as marking
        from recsys_metrics.workbook.course.course_folder import read

        here = read(course)
        which = assignments.load(here, name)
        for line in marking.compare(here, which, file, enter=enter):
            console.say(line)


@command(app, 'request ps1 ann --question ranking.e4 --why "My list is reversed."', panel=GIVE_BACK)
def request(
    name: Name,
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
    course: Folder = Path(),
) -> None:
    """Note that a student asks for a second look, answer, or list what was asked.

    An answer grades the submission again and notes the points before and after; correct ours in
    nbgrader first where you see it otherwise. Both stand on the student's page.
    """
    with named("request"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import regrade as requests
        from recsys_metrics.workbook.course.course_folder import read
        from recsys_metrics.workbook.course.grade import Grading
        from recsys_metrics.workbook.grading.limits import GradingError

        here = read(course)
        which = assignments.load(here, name)
        if student is None:
            found = requests.read(here, which.name)
            for one in sorted(found, key=lambda one: not one.is_open):
                console.say(
                    f"{'open' if one.is_open else 'done'}  {console.printable(str(one), 500)}"
                )
            still = sum(one.is_open for one in found)
            console.say(f"{console.count(len(found), 'request')} about {which.name}, {still} open")
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


@command(app, "feedback ps1 feedback.zip", panel=GIVE_BACK)
def feedback(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="feedback.zip, say.")],
    course: Folder = Path(),
) -> None:
    """Put the students' pages into one archive, with the folders that Moodle takes back.

    An earlier archive of the same assignment is replaced.

    In Moodle: the assignment, View all submissions, Upload multiple feedback files in a zip.
    """
    with named("feedback"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import return_feedback
        from recsys_metrics.workbook.course.capstone import marks
        from recsys_metrics.workbook.course.course_folder import read

        here = read(course)
        say_unknown_deadlines(here)
        left: Sequence[str] = ()
        if capstone := marks.find_capstone(here, name):
            done = marks.hand_back(capstone, file)
        else:
            which = assignments.load_enrolled(here, name)
            done = return_feedback.archive(here, which, file)
            left = which.left
        console.say(
            f"{file}: {console.count(len(done.moodle) + len(done.plain), 'page')}, "
            f"{len(done.moodle)} of them in folders named as Moodle names them, the others by id; "
            f"without a page: {len(done.without)}"
        )
        if done.moodle and done.plain:
            console.say(
                f"  in folders that Moodle does not take, because it is not certain which one is "
                f"theirs: {', '.join(done.plain)}. Collect what they handed in again with --times "
                "and Moodle's grading worksheet, and make the archive anew"
            )
        say_left(left)


@command(app, "fill ps1 worksheet.csv to-upload.csv", panel=GIVE_BACK)
def fill(
    name: Name,
    table: Annotated[
        Path,
        typer.Argument(metavar="CSV", help="Canvas's gradebook or Moodle's grading worksheet."),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, to be uploaded.")],
    scale: Annotated[
        bool, typer.Option("--scale", help="Scale points to the maximum that the table has.")
    ] = False,
    unread: Annotated[
        bool,
        typer.Option("--unread", help="Write sums of those whose answers are to be read, too."),
    ] = False,
    course: Folder = Path(),
) -> None:
    """Write the grades into a learning system's own table, and nothing else.

    It is written to a new file; upload it where the table came from.
    """
    with named("fill"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import lms
        from recsys_metrics.workbook.course.capstone import marks
        from recsys_metrics.workbook.course.course_folder import list_left, read
        from recsys_metrics.workbook.course.text_tables import check_ending
        from recsys_metrics.workbook.course.totals import totals_of
        from recsys_metrics.workbook.grading import atomic_files
        from recsys_metrics.workbook.grading.limits import GradingError

        here = read(course)
        say_unknown_deadlines(here)
        check_ending(file)
        waiting: dict[str, int] = {}
        if capstone := marks.find_capstone(here, name):
            points, out_of = marks.points_of(capstone), float(marks.OUT_OF)
            left: Sequence[str] = list_left(here, points)
            points = {student: mark for student, mark in points.items() if student not in left}
        else:
            which = assignments.load_enrolled(here, name)
            left = which.left
            totals = totals_of(here, which)
            points = {student: one.points for student, one in totals.items()}
            waiting = {student: one.waits for student, one in totals.items() if one.waits}
            out_of = which.out_of
        if file.exists():
            raise GradingError(f"{file} is there already and stays as it is; give another name")
        done = lms.filled(
            *(here, name, table, points),
            out_of=out_of,
            scale=scale,
            unread=() if unread else waiting,
        )
        atomic_files.replace_file(file, done.text)
        console.say(
            f"{file}: {console.count(len(done.graded), 'grade')} of {name} written, "
            f"{console.count(len(done.without), 'student')} without a grade, "
            f"{console.count(len(done.unknown), 'row')} without a student of the course"
        )
        say_left(left)
        if done.unread:
            who = ", ".join(f"{one} ({waiting[one]})" for one in done.unread)
            console.say(
                f"  left out, with how many answers of theirs are to be read: {who}. Give points "
                "in nbgrader, or click Resolve there to leave those that an answer has, and fill "
                "the table again; or give --unread to write their sums as they are"
            )
        if done.locked:
            console.say(
                f"  left as they are, for Moodle says that the grade cannot be changed: "
                f"{', '.join(done.locked)}"
            )
        for one in done.unknown:
            console.say(f"  no student of the course: {console.printable(one)}")
