"""`recsys-workbook course capstone …`: a case for each student, its test, its marking."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.course.commands.assignments import Folder, named
from recsys_metrics.workbook.course.commands.grammar import capstone, command

if TYPE_CHECKING:
    from recsys_metrics.workbook.course.capstone.files import Capstone

T = TypeVar("T")

# Annotations are read when a command is declared: hence no `from __future__` in this file.
Name = Annotated[str, typer.Argument(metavar="CAPSTONE", help="Its name: final, say.")]
Downloads = Annotated[
    Path, typer.Argument(metavar="FOLDER_OR_ZIP", help="What your learning platform gave you.")
]


@command(capstone, "capstone new final", name="new")
def capstone_new(name: Name, course: Folder = Path()) -> None:
    """Write a case for each student: a brief, three logs, two recommenders, planted faults.

    Everything is drawn with the course's key, and so is what is wrong. Run it again when students
    join: cases that are there stay as they are.
    """
    with named("capstone new"):
        from recsys_metrics.workbook.course.capstone import files
        from recsys_metrics.workbook.course.course_folder import ROSTER, roster

        here = _of(course, name)
        students = roster(here.course.root / ROSTER)
        done = list(_with_bar(files.make(here, students), len(students), name))
        written = sum(new for _, new in done)
        cases = console.count(written, "case")
        console.say(f"{name}: {cases} written, {len(done) - written} were there already")
        console.say(f"{here.root / 'cases'}: a folder to hand out to each student")
        console.say(f"{here.root / 'models'}: three reports with their levels, and why")
        console.say(f"{here.root / 'kept'}: keep it; it says what is wrong with each case")


@command(capstone, "capstone open final plans", name="open")
def capstone_open(name: Name, downloads: Downloads, course: Folder = Path()) -> None:
    """Open the frozen test for each plan that was handed in: once, and never again.

    Each student whose test was opened gets back `test.json`, which lies in their case's folder.
    """
    with named("capstone open"):
        from recsys_metrics.workbook.course.capstone import files

        here = _of(course, name)
        for who, what in files.open_tests(here, downloads):
            console.say(console.printable(f"{who}: {what}", 300))
        still = [one for one in here.given if here.opened_for(one) is None]
        console.say(f"tests: {len(here.given) - len(still)} open, {len(still)} closed")


@command(capstone, "capstone read final.ipynb", name="read")
def capstone_read(
    file: Annotated[Path, typer.Argument(metavar="NOTEBOOK", help="Your report.")],
) -> None:
    """Say what can be read of a report by name; not whether it is right."""
    with named("capstone read"):
        from recsys_metrics.workbook.course.capstone import report_check

        for line in report_check.told(file):
            console.say(console.printable(line, 300))


@command(capstone, "capstone mark final reports --marker kim", name="mark")
def capstone_mark(
    name: Name,
    downloads: Downloads,
    marker: Annotated[
        str, typer.Option(metavar="WHO", help="Each marker has pages in an order of their own.")
    ] = "first",
    course: Folder = Path(),
) -> None:
    """Compute each cited number again, and write the pages that a marker reads.

    No page has a name on it. The levels go into `levels.csv`, which has those that can be counted
    and is never overwritten. Then `course feedback CAPSTONE FILE` writes the students' pages, and
    `export` and `fill` have the marks.
    """
    with named("capstone mark"):
        from recsys_metrics.workbook.course.capstone import marker as marking

        here = _of(course, name)
        done = marking.write_pages(here, downloads, marker)
        for who, what in done.problems:
            console.say(console.printable(f"{who}: {what}", 300))
        for line in done.told:
            console.say(console.printable(line, 300))
        reports = console.count(len(done.told), "report")
        console.say(f"{done.index}: {reports}; write levels into {done.sheet}")


@command(capstone, "capstone agree final marks.csv", name="agree")
def capstone_agree(
    name: Name,
    file: Annotated[
        Path, typer.Argument(metavar="CSV", help="A table of marks that is not there yet.")
    ],
    course: Folder = Path(),
) -> None:
    """Say how far two markers agree, and write the marks: the mean of their levels."""
    with named("capstone agree"):
        from recsys_metrics.workbook.course.capstone import marker as marking

        for line in marking.compare(_of(course, name), file):
            console.say(line)


def _of(course: Path, name: str) -> "Capstone":
    from recsys_metrics.workbook.course.capstone.files import Capstone
    from recsys_metrics.workbook.course.course_folder import check_name, read

    return Capstone(read(course), check_name(name, "a capstone"))


def _with_bar(steps: Iterable[T], total: int, name: str) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return iter(track(steps, f"{COMMAND} {name}", total, console=console, transient=True))
