"""`recsys-workbook course class …`: which exercises teach, and what a class has learned."""

from pathlib import Path
from typing import Annotated

import typer

from recsys_metrics._core import console
from recsys_metrics.workbook.course.commands.assignments import Folder, Name, named, say_left
from recsys_metrics.workbook.course.commands.grammar import command, of_class

# Annotations are read when a command is declared: hence no `from __future__` in this file.


def _write_page(file: Path, text: str, mark: str) -> None:
    """Write a page in the place of an earlier one, and of nothing else."""
    from recsys_metrics.workbook.common.state_file import refuse_device
    from recsys_metrics.workbook.course.text_tables import check_ending
    from recsys_metrics.workbook.grading import atomic_files
    from recsys_metrics.workbook.grading.limits import GradingError

    check_ending(file, ".html")
    refuse_device(file)
    if file.exists() and mark not in file.read_text("utf-8", "replace")[:2_000]:
        raise GradingError(f"{file} is there and is no earlier page; give another name")
    atomic_files.replace_file(file, text)


@command(of_class, "class report ps1 class.html")
def report(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="class.html, say.")],
    course: Folder = Path(),
) -> None:
    """Write a page on what the class knows: the commonest mistakes first, and nobody's name."""
    with named("class report"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import class_report
        from recsys_metrics.workbook.course.course_folder import read

        here = read(course)
        which = assignments.load_enrolled(here, name)
        found = class_report.of_class(here, which)
        _write_page(file, class_report.page(here, found), "the class</title>")
        console.say(
            f"{file}: {console.count(len(found.points), 'student')} of {found.assignment.name}"
        )
        say_left(which.left)
        for one in found.mistakes[:3]:
            console.say(
                f"  {one.name} in {one.exercise.id}: {console.count(one.students, 'student')}"
            )


@command(of_class, "class statistics ps1 statistics.html")
def statistics(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="statistics.html, say.")],
    course: Folder = Path(),
) -> None:
    """Write a page on the exercises: difficulty, discrimination, hints, unexplained answers.

    No student is named there.
    """
    with named("class statistics"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course import item_statistics
        from recsys_metrics.workbook.course.course_folder import read

        here = read(course)
        which = assignments.load_enrolled(here, name)
        items = item_statistics.of_assignment(here, which)
        _write_page(file, item_statistics.page(here, which, items), "item statistics</title>")
        console.say(f"{file}: {console.count(len(items), 'exercise')} of {which.name}")
        say_left(which.left)
        for one in items:
            for remark in one.remarks:
                console.say(f"  {one.exercise.id}: {remark}")
            for found in one.clusters[:1]:
                shown = console.printable(found.shown, 80)
                console.say(f"  {one.exercise.id}: {len(found.answers)} students gave {shown}")


@command(of_class, "class propose-mistake ps1 ranking.e4", name="propose-mistake")
def propose_mistake(
    name: Name,
    exercise: Annotated[str, typer.Argument(metavar="EXERCISE", help="ranking.e4, say.")],
    course: Folder = Path(),
) -> None:
    """Print common mistakes that would explain wrong answers of the class, as YAML for the bank.

    Of numbers it is the edit of the worked solution that gives most of them. Read each before you
    use it: the numbers say what was computed, and not why.
    """
    with named("class propose-mistake"):
        from recsys_metrics.workbook.course import assignment as assignments
        from recsys_metrics.workbook.course.course_folder import read
        from recsys_metrics.workbook.course.mistake_proposals import propose

        here = read(course)
        found = propose(here, assignments.load(here, name), exercise)
        for one in found:
            console.say(one.as_yaml())
        if not found:
            console.say(f"# {exercise}: no two wrong answers without a mistake are alike")


@command(of_class, "class inventory before.html")
def inventory(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="before.html, say.")],
    after: Annotated[
        bool, typer.Option("--after", help="The test after the course, in another order.")
    ] = False,
) -> None:
    """Write a test of 25 questions, to be taken before and after a course.

    Its wrong options are common mistakes. The page saves a file and sends nothing anywhere.
    """
    with named("class inventory"):
        from recsys_metrics.workbook.course import concept_inventory

        text = concept_inventory.write_test("after" if after else "before")
        _write_page(file, text, "What do you know about evaluation?")
        console.say(f"{file}: {len(concept_inventory.load_questions())} questions")


@command(of_class, "class gain gain.html --before first --after second", name="gain")
def inventory_gain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="gain.html, say.")],
    before: Annotated[Path, typer.Option(metavar="DIR", help="The files of the first test.")],
    after: Annotated[Path, typer.Option(metavar="DIR", help="The files of the second test.")],
) -> None:
    """Write a page on what a class has learned between two tests: the normalised gain.

    Those who took both are compared, by the code names that they chose.
    """
    with named("class gain"):
        from recsys_metrics.workbook.course import concept_inventory

        report = concept_inventory.compare(before, after)
        _write_page(file, concept_inventory.page(report), "Concept inventory</title>")
        gain = report.gain
        console.say(f"{file}: normalised gain {gain.value:.2f} ({gain.precision})")
        for name, says in report.problems:
            console.say(f"  {name} {says}")
