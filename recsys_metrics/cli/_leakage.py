"""`recsys-workbook leakage`: a file of training and one of test events in, what leaks out."""

from pathlib import Path
from typing import Annotated

import typer

from recsys_metrics._core.package_names import COMMAND

_NAME = "leakage"
_EXAMPLE = f"`{COMMAND} leakage train.parquet test.parquet --column user=customer`"


def leakage(
    train: Annotated[
        Path,
        typer.Argument(
            metavar="TRAIN",
            help="user, item, timestamp: CSV, TSV, Parquet, JSON Lines.",
            show_default=False,
        ),
    ],
    test: Annotated[
        Path,
        typer.Argument(metavar="TEST", help="The events to test on.", show_default=False),
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="A column by its name: user=who, timestamp=when."),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="text, markdown, latex, html or json.")
    ] = "text",
) -> None:
    """Count the training events that know of the time they are tested on.

    Training events that are later than a test event, test events whose user trained on the same
    item, and users and items that are tested and were never trained on. Without times in both files
    the first count is left out. Times are seconds since 1970, or dates in ISO's form,
    converted to UTC where they have an offset and read as UTC where not.
    """
    from recsys_metrics import protocol
    from recsys_metrics.cli._event_files import (
        ROLES,
        describe_leakage,
        leakage_data,
        number_parts,
        read_events,
    )
    from recsys_metrics.cli._options import check_choice, read_pairs, reporting
    from recsys_metrics.cli._printed_table import FORMATS, PrintedTable, print_table
    from recsys_metrics.evaluation._rendering import View
    from recsys_metrics.frames._whole_tables import read_table

    check_choice(_NAME, "--format", form, FORMATS)
    names = read_pairs(_NAME, "--column", column or [], "ROLE=NAME", ROLES)
    with reporting(_NAME, train, test):
        tables = [read_table(path) for path in (train, test)]
        anywhere = {name for table in tables for name in table.columns}
        parts = []
        for table in tables:
            # A name may be meant for one of the files only.
            here = {
                role: name
                for role, name in names.items()
                if name in table.columns or name not in anywhere
            }
            parts.append(read_events(table, here, timed=False))
        found = protocol.leakage(*number_parts(*parts))
    rows = describe_leakage(found)
    view = View(
        title=f"{train} and {test}",
        headings=["", "Count"],
        rows={name: (None, [text]) for name, text in rows},
        legend="An event at the same time as another is not later.",
        conclusion=str(found).partition("\n")[0],
    )
    data = {"files": {"train": str(train), "test": str(test)}, **leakage_data(found)}
    print_table(PrintedTable(view), data, form)


leakage.__doc__ = f"{leakage.__doc__}\n    Example: {_EXAMPLE}\n    "
