"""Runs a notebook in one process, and then each of its cells once more, as the end left things."""

from __future__ import annotations

import gc
import json
import os
import re
import select
import signal
import sys
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

IMPORTED = ("IPython.core.interactiveshell", "IPython.utils.capture", "nbformat")
# A cell that waits for something will wait for ever.
PATIENCE = 120
# What a widget and a picture are called differs from run to run.
_NAMES = re.compile(r"0x[0-9a-f]+|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ASKS = re.compile(r"^ex\.|\.(?:check|hint)\(")


def cells_of(path: Path) -> list[str]:
    """Return the code of a notebook that is run, cell by cell."""
    cells = nbformat.read(path, as_version=4).cells
    skipped = {"nbval-skip", "skip-execution", "raises-exception"}
    return [
        cell.source
        for cell in cells
        if cell.cell_type == "code" and not skipped & set(cell.metadata.get("tags", []))
    ]


def run(shell: Any, source: str) -> dict[str, Any]:
    """Run a cell and return what it shows."""
    from IPython.core.displayhook import CapturingDisplayHook
    from IPython.utils.capture import capture_output

    last: list[dict[str, Any]] = []
    shell.display_trap.hook = CapturingDisplayHook(shell=shell, outputs=last)
    with capture_output() as shown:
        result = shell.run_cell(source)
    error = result.error_before_exec or result.error_in_exec
    found: dict[str, Any] = {"printed": shown.stdout, "warned": shown.stderr}
    found["error"] = f"{type(error).__name__}: {error}" if error else ""
    for number, data in enumerate(
        [each.data for each in shown.outputs] + [each["data"] for each in last]
    ):
        for kind, value in data.items():
            if kind.startswith("text/"):
                found[f"{kind} {number}"] = _NAMES.sub("…", str(value))
    return found


def again(shell: Any, source: str) -> dict[str, Any]:
    """Run a cell in a copy of this process, which changes nothing here."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = json.dumps(run(shell, source)).encode()
        except BaseException as error:
            answer = json.dumps({"error": repr(error)}).encode()
        with os.fdopen(theirs, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(theirs)
    said = b""
    try:
        while select.select([ours], [], [], PATIENCE)[0]:
            if not (part := os.read(ours, 1 << 20)):
                return dict(json.loads(said))
            said += part
        return {"error": f"it has not ended after {PATIENCE} seconds"}
    finally:
        os.close(ours)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def first_difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Return what is not the same in two runs of a cell; empty if nothing is."""
    if other["error"]:
        return str(other["error"])
    for kind in one.keys() | other.keys():
        before, after = one.get(kind, ""), other.get(kind, "")
        if before != after:
            lines = zip((before + "\n").splitlines(), (after + "\n").splitlines(), strict=False)
            changed = [f"{a!r} became {b!r}" for a, b in lines if a != b]
            return f"{kind}: {changed[0] if changed else 'other lines'}"
    return ""


class Ties:
    """Counts the lists that `rank_from_scores` cuts between equal scores, by cell."""

    def __init__(self) -> None:
        self.cell = 0
        self.found: list[tuple[int, int, int]] = []

    def watch(self, rank: Any) -> Any:
        def watched(scores: Any, k: int, **options: Any) -> Any:
            lists = rank(scores, k, **options)
            self.found.append((self.cell, *cut_in_a_tie(np.asarray(scores), lists, options)))
            return lists

        return watched


def cut_in_a_tie(scores: Any, lists: Any, options: dict[str, Any]) -> tuple[int, int]:
    """Return how many lists end between equal scores, and how many there are."""
    table, lists = np.atleast_2d(scores).astype(float), np.atleast_2d(lists)
    seen, cut = options.get("exclude"), 0
    for row, (given, served) in enumerate(zip(table, lists, strict=True)):
        left = given.copy()
        if hasattr(seen, "indptr"):
            left[seen.indices[seen.indptr[row] : seen.indptr[row + 1]]] = -np.inf
        elif seen is not None:
            known = np.asarray(seen if np.ndim(scores) == 1 else seen[row])
            left[known if known.dtype == bool else known.astype(int)] = -np.inf
        if served.min(initial=0) < 0:
            continue  # all there is was listed
        last = given[served[-1]]
        left[served] = -np.inf
        cut += bool(left.max(initial=-np.inf) == last)
    return cut, len(lists)


def work(path: Path, answer: Connection) -> None:
    """Run a notebook twice and say which cells differ and which lists were cut in a tie."""
    # Lists that were kept before would be cut by nobody; those of the first run serve the second.
    with tempfile.TemporaryDirectory() as cache:
        os.environ["RECSYS_METRICS_CACHE"] = cache
        _work(path, answer)


def _work(path: Path, answer: Connection) -> None:
    # Cells look for nothing in this folder, but figures and messages name it.
    os.chdir(path.parent)
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    # What a figure is drawn with is a terminal's; nobody is there to be asked.
    sys.stdin = Path(os.devnull).open()  # noqa: SIM115
    from IPython.core.interactiveshell import InteractiveShell

    import recsys_metrics
    from recsys_metrics.workbook import kept

    ties = Ties()
    watched = ties.watch(recsys_metrics.rank_from_scores)
    recsys_metrics.rank_from_scores = kept.rank_from_scores = watched
    shell = InteractiveShell.instance()
    cells = cells_of(path)
    first = []
    for ties.cell, source in enumerate(cells):
        first.append(run(shell, source))
    # A look for garbage would copy all that the copies of this process share.
    gc.collect()
    gc.freeze()
    gc.disable()
    differ = []
    for number, (source, before) in enumerate(zip(cells, first, strict=True)):
        # What an exercise says to an answer depends on how often it was asked.
        if _ASKS.search(source) and not before["error"]:
            continue
        after = again(shell, source)
        if said := before["error"] or first_difference(before, after):
            differ.append((number, source, said))
    seconds = sum(os.times()[:4])
    answer.send({"differ": differ, "ties": ties.found, "seconds": seconds})
