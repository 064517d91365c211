"""`recsys-workbook lab`: a copy of the workbook in the reader's folder, opened in JupyterLab."""

from pathlib import Path
from typing import Annotated

import typer

from recsys_metrics._core.console import fail
from recsys_metrics._core.package_names import DISTRIBUTION


def lab(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where the workbook is or shall be.")
    ] = Path(DISTRIBUTION),
    port: Annotated[
        str | None,
        typer.Option(envvar="PORT", metavar="N", help="Where to serve; a free one if not given."),
    ] = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Only copy the workbook and say what to do next.")
    ] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address and open no browser.")
    ] = False,
) -> None:
    """Copy the workbook into a folder and open it in JupyterLab.

    It opens at home.ipynb, which says where to begin or to go on, what is due today and what you
    passed.

    Your edits are kept. Run it again after an upgrade: chapters you left alone are updated,
    and beside one that you edited (saving it in JupyterLab is an edit) the newer version is
    put as NAME.new-VERSION. A chapter's .md and .ipynb are one document. What you deleted
    comes back: to start a chapter afresh, delete both of its files.

    A folder that somebody sent you runs nothing when it opens, and its outputs are not
    trusted. A cell runs with your rights: read it before you run it.

    In a clone of the project, give the clone's own folder to edit the chapters in place.
    """
    from recsys_metrics.workbook.common.content import find_source
    from recsys_metrics.workbook.common.state_file import WorkbookError
    from recsys_metrics.workbook.lab.requirements import require_packages

    try:
        require_packages()
        # It imports what may be missing.
        from recsys_metrics.workbook.lab.server import run_lab

        run_lab(find_source(), folder, port=port, opened=not no_open, browser=not no_browser)
    except WorkbookError as error:
        fail("lab", error, keep="\n")
