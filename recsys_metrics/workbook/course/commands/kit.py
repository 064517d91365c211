"""`recsys-workbook course …`: an exam, a plan for the weeks, notes for assistants, slides."""

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recsys_metrics._core import console
from recsys_metrics._core.windows_names import find_fault_of_name
from recsys_metrics.workbook.course.commands.assignments import named
from recsys_metrics.workbook.course.commands.grammar import command, kit

if TYPE_CHECKING:
    from recsys_metrics.workbook.common.content import ContentSource
    from recsys_metrics.workbook.course.kit.syllabus import Part

# Annotations are read when a command is declared: hence no `from __future__` in this file.
_DAY = ["%Y-%m-%d"]
Chapters = Annotated[
    list[str] | None,
    typer.Argument(metavar="CHAPTER", help="ranking, or a part of it: 02_ranking. Or all."),
]


@command(kit, 'kit exam midterm --seed "only I know" --versions 2')
def exam(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that is not there yet.")
    ],
    chapters: Chapters = None,
    questions: Annotated[int, typer.Option(help="How many.", min=1)] = 12,
    seed: Annotated[
        str, typer.Option(help="Keep it to yourself: it gives the same exam again.")
    ] = "",
    versions: Annotated[int, typer.Option(help="Versions with other numbers.", min=1, max=26)] = 1,
    name: Annotated[str, typer.Option(help="Of the course, for the head of the paper.")] = "",
    date: Annotated[
        str, typer.Option(metavar="DATE", help="For the head; without it there is a line for it.")
    ] = "",
    minutes: Annotated[
        int | None, typer.Option(min=1, help="How long students have.", show_default=False)
    ] = None,
) -> None:
    """Write an exam: a page to print, its key, Moodle XML and a QTI 2.1 package.

    Each question is a variant of an exercise, and its wrong options are what mistakes with a name
    lead to. The key is computed.
    """
    with named("kit exam"):
        from recsys_metrics.workbook.course.kit import exam as exams
        from recsys_metrics.workbook.course.kit import moodle, paper, qti
        from recsys_metrics.workbook.grading import atomic_files
        from recsys_metrics.workbook.grading import questions as of_course
        from recsys_metrics.workbook.grading.limits import GradingError

        if not seed:
            raise GradingError("say --seed WORDS: students who know it can compute the key")
        if folder.exists():
            raise GradingError(f"{folder} is there; give a folder that is not")
        if fault := find_fault_of_name(folder.name):
            raise GradingError(
                f"{folder} cannot name an exam on Windows, {fault}; give another name"
            )
        parts = of_course.list_parts(chapters or [])
        drawn = exams.draw(questions, seed=seed, versions=versions, parts=parts)
        folder.mkdir(parents=True)
        for at, asked in enumerate(drawn):
            letter = exams.letter(at).upper()
            title = f"Exam {folder.name}" + f", version {letter}" * (versions > 1)
            file_name = f"{folder.name}-{letter}" if versions > 1 else folder.name
            head = partial(paper.exam_page, course=name, date=date, minutes=minutes)
            files: dict[str, str | bytes] = {
                f"{file_name}.html": head(title, asked, key=False),
                f"{file_name}-key.html": head(f"{title}: key", asked, key=True),
                f"{file_name}-moodle.xml": moodle.to_moodle(title, asked),
                f"{file_name}-qti.zip": qti.to_qti(title, asked),
            }
            for file, content in files.items():
                atomic_files.replace_file(folder / file, content)
            console.say(
                f"{folder / file_name}.html: {len(asked)} questions; {paper.answer_row(asked)}"
            )
        for exercise, groups in exams.find_repeated(drawn).items():
            same = "; ".join(" = ".join(where) for where in groups)
            console.say(
                f"the same numbers in several versions, as {exercise} has too few variants: {same}"
            )


@command(kit, "kit syllabus syllabus.md --weeks 10")
def syllabus(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="syllabus.md, say.")],
    chapters: Chapters = None,
    weeks: Annotated[int, typer.Option(help="How many.", min=1)] = 10,
    start: Annotated[
        datetime | None,
        typer.Option(
            metavar="DATE", formats=_DAY, help="When the first begins.", show_default=False
        ),
    ] = None,
    skip: Annotated[
        list[datetime] | None,
        typer.Option(
            metavar="DATE",
            formats=_DAY,
            help="A day of a week without teaching; once for each.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="Of the course.")] = "Evaluating recommender systems",
) -> None:
    """Write a plan: which parts in which week, for how long, and what one is able to do then."""
    with named("kit syllabus"):
        from recsys_metrics.workbook.course.kit import syllabus as plans
        from recsys_metrics.workbook.course.text_tables import check_ending
        from recsys_metrics.workbook.grading import atomic_files
        from recsys_metrics.workbook.grading import questions as of_course
        from recsys_metrics.workbook.grading.limits import GradingError

        wanted = of_course.list_parts(chapters or [])
        plan = plans.weeks_of([one for one in _parts() if one.stem in wanted], weeks)
        if skip and not start:
            raise GradingError(
                "--skip needs the day on which the course begins, --start 2026-10-05"
            )
        off = [day.date() for day in skip or ()]
        days = plans.mondays(start.date(), weeks, off) if start else None
        check_ending(file, ".md")
        if file.exists():
            raise GradingError(f"{file} is there; give another name")
        atomic_files.replace_file(file, plans.as_markdown(name, plan, days))
        console.say(f"{file}: {weeks} weeks")
        for number, week in enumerate(plan, 1):
            hours = sum(part.minutes for part in week) / 60
            console.say(f"  {number:>2}  {hours:.1f} hours  {'; '.join(one.title for one in week)}")


@command(kit, "kit notes notes.html ranking")
def notes(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="notes.html, say.")],
    chapters: Chapters = None,
) -> None:
    """Write notes for assistants: each mistake with a name, what was done, what to ask back."""
    with named("kit notes"):
        from recsys_metrics.workbook.course.kit import notes as pages
        from recsys_metrics.workbook.course.text_tables import check_ending
        from recsys_metrics.workbook.grading import atomic_files
        from recsys_metrics.workbook.grading import questions as of_course
        from recsys_metrics.workbook.grading.limits import GradingError

        wanted = of_course.list_parts(chapters or [])
        check_ending(file, ".html")
        if file.exists():
            raise GradingError(f"{file} is there; give another name")
        told = [part for part in _parts() if part.stem in wanted]
        named_parts = [(part.stem, part.title) for part in told]
        atomic_files.replace_file(file, pages.notes_page("Notes for assistants", named_parts))
        count = sum(len(one.mistakes) for part in told for one in part.exercises)
        console.say(f"{file}: {count} mistakes of {len(told)} parts")


@command(kit, "kit slides slides 02_ranking")
def slides(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that is not there yet.")
    ],
    chapters: Chapters = None,
) -> None:
    """Write slides of each part: its pictures, its prediction, its summary, and notes.

    A page a part, which needs no network; print it to get a PDF, a slide a sheet.
    """
    with named("kit slides"):
        import nbformat

        from recsys_metrics.workbook.course.kit import slides as decks
        from recsys_metrics.workbook.grading import atomic_files
        from recsys_metrics.workbook.grading import questions as of_course
        from recsys_metrics.workbook.grading.limits import GradingError

        wanted = of_course.list_parts(chapters or [])
        if folder.exists():
            raise GradingError(f"{folder} is there; give a folder that is not")
        folder.mkdir(parents=True)
        for part in _parts():
            if part.stem not in wanted:
                continue
            notebook = nbformat.read(_source().root / "chapters" / f"{part.stem}.ipynb", 4)
            shown = decks.slides_of(notebook, part.exercises)
            file = folder / f"{part.stem}.html"
            atomic_files.replace_file(file, decks.slides_page(part.title, shown))
            console.say(f"{file}: {len(shown)} slides")


def _parts() -> "list[Part]":
    from recsys_metrics.workbook.course.kit.syllabus import parts_of

    source = _source()
    return parts_of(source.root / "chapters", source.toc())


def _source() -> "ContentSource":
    from recsys_metrics.workbook.common.content import find_source
    from recsys_metrics.workbook.common.state_file import WorkbookError
    from recsys_metrics.workbook.grading.limits import GradingError

    try:
        return find_source()
    except WorkbookError as problem:
        raise GradingError(str(problem)) from None
