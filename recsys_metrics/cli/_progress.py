"""Which step a command is at, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from recsys_metrics._core import console


@contextmanager
def show_progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Show, on a terminal, which step is under way, how many there are and for how long.

    An engine computes a step in one query and does not say how far it is.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    # Not what rich says: it believes FORCE_COLOR, which notebooks and build servers set.
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=steps, completed=-1)
        yield lambda step: bar.update(
            task, description=console.printable(step), advance=1, refresh=True
        )
