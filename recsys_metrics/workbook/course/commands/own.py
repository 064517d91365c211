"""`recsys-workbook course own …`: exercises and parts of an instructor's own."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.course.commands.assignments import named
from recsys_metrics.workbook.course.commands.grammar import command, own

# Annotations are read when a command is declared: hence no `from __future__` in this file.


@command(own, "own exercise mine.yaml --kind choice", name="exercise")
def new_exercise(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="mine.yaml, say.")],
    kind: Annotated[
        str, typer.Option(metavar="KIND", help="numbers, choice, function or text.")
    ] = "numbers",
) -> None:
    """Write an exercise of your own that keeps the rules, to be changed."""
    with named("own exercise"):
        from recsys_metrics.workbook.grading import custom_exercises

        written = custom_exercises.write_template(file, kind)
        console.say(f"{' and '.join(map(str, written))}: change what is in there, then")
        console.say(f"  {COMMAND} course own check {file}")


@command(own, "own part week11", name="part")
def new_part(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that is not there yet.")
    ],
) -> None:
    """Write a part of your own: a text with cells, its exercises, its data, to be changed."""
    with named("own part"):
        from recsys_metrics.workbook.course import custom_parts

        for file in custom_parts.write_template(folder):
            console.say(f"{file}")
        console.say(f"Change them, then: {COMMAND} course own build {folder}")


@command(own, "own build week11", name="build")
def build_part(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `own part` wrote.")],
) -> None:
    """Run the texts of a part of your own, and write each as a notebook and as a page.

    An error in a cell, or an exercise that breaks the law, ends it and is told.
    """
    with named("own build"):
        from recsys_metrics.workbook.course import custom_parts

        for file, cells in custom_parts.build(folder):
            console.say(f"{file.with_suffix('.ipynb')}, {file.with_suffix('.html')}: {cells} cells")


@command(own, "own check mine.yaml --page mine.html", name="check")
def check_exercises(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `own exercise` wrote.")],
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="HTML", help="Write their cards, as students see them.", show_default=False
        ),
    ] = None,
) -> None:
    """Check a file of your own exercises by the rules that the workbook's keep.

    Their solutions pass, their mistakes are told apart and named, their variants differ: the chance
    that two students share the right answer is said of each. Of a function, the cases are counted,
    and one thing after another is changed in the solution: what its fixed cases do not notice is
    listed.
    """
    with named("own check"):
        from recsys_metrics.workbook.exercises.function import Function
        from recsys_metrics.workbook.grading import (
            copy_probability,
            custom_exercises,
            exercise_rules,
        )

        python = custom_exercises.get_python_file(file)
        with custom_exercises.refuse_exit(python):
            found = custom_exercises.load_exercises(file)
            said = {one.id: exercise_rules.find_faults(one, file=python) for one in found.values()}
        # What breaks here breaks in another process, too, and says less.
        if not any(said.values()):
            for other, fault in exercise_rules.find_unsteady_draws(file).items():
                said[other].append(fault)
        for one in found.values():
            faults = said[one.id]
            kind = f"{type(one).__name__}, {one.points} point{'s' * (one.points > 1)}"
            limit = copy_probability.highest_chance(one)
            if not faults and isinstance(one, Function):
                drawn = copy_probability.count_drawn_cases(one)
                kind += (
                    f"; tried on {console.count(len(one.cases), 'fixed case')} and {drawn} drawn"
                )
            if not faults and limit is not None:
                chance = copy_probability.copy_chance(one)
                kind += f"; two students share the right answer: {chance:.1%}"
            elif one.same_for_all:
                kind += "; one right answer for all students"
            console.say(f"{one.id}: {kind}")
            for fault in faults:
                console.say(f"  {custom_exercises.locate(file, one.id, fault)}: {one.id} {fault}")
            for change in [] if faults else exercise_rules.find_unnoticed_changes(one):
                console.say(
                    f"  no fixed case notices this change in {change}; add one if it should matter"
                )
        bad = sum(map(bool, said.values()))
        console.say(f"{len(found)} exercise{'s' * (len(found) > 1)}, {bad} to be mended")
        if page is not None:
            custom_exercises.write_page(
                page, file.name, [one for one in found.values() if not said[one.id]]
            )
            console.say(
                f"{page}: the cards of the valid ones"
                if bad < len(found)
                else f"{page}: no card, as no exercise holds"
            )
        if bad:
            sys.exit(1)
