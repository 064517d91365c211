"""Runs each cell of a notebook once more, in the kernel that has run them all."""

from __future__ import annotations

import functools
import gc
import json
import os
import re
import select
import signal
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

# A cell that waits for something will wait for ever.
PATIENCE = 120
# What a widget and a picture are called differs from run to run.
_NAMES = re.compile(r"0x[0-9a-f]+|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ASKS = re.compile(r"^ex\.|\.(?:check|hint)\(")


# In the kernel -------------------------------------------------------------------------------


class Ties:
    """Counts the lists that `rank_from_scores` cuts between equal scores, by cell."""

    def __init__(self) -> None:
        self.cell = ""
        self.found: list[tuple[str, int, int]] = []

    def next_cell(self, info: Any) -> None:
        self.cell = info.raw_cell

    def add(self, cut: int, of: int) -> None:
        self.found.append((self.cell, cut, of))

    def watch(self, rank: Any) -> Any:
        @functools.wraps(rank)
        def watched(scores: Any, k: int, **options: Any) -> Any:
            lists = rank(scores, k, **options)
            self.add(*cut_in_a_tie(np.asarray(scores), lists, options))
            return lists

        return watched

    def watch_kept(self, read: Any, write: Any) -> tuple[Any, Any]:
        """Keep with lists how they were cut; lists that do not say are ranked again."""

        def beside(file: Path) -> Path:
            return file.with_suffix(".cut")

        def watched_read(file: Path, *asked: Any) -> Any:
            if not beside(file).exists():
                return None
            lists = read(file, *asked)
            if lists is not None:
                self.add(*json.loads(beside(file).read_text()))
            return lists

        def watched_write(file: Path, lists: Any) -> None:
            file.parent.mkdir(parents=True, exist_ok=True)
            half = beside(file).with_suffix(f".{os.getpid()}")
            half.write_text(json.dumps(self.found[-1][1:]))
            half.replace(beside(file))
            write(file, lists)

        return watched_read, watched_write


def cut_in_a_tie(scores: Any, lists: Any, options: dict[str, Any]) -> tuple[int, int]:
    """Return how many lists end between equal scores, and how many there are."""
    table, lists = np.atleast_2d(scores).astype(float), np.atleast_2d(lists)
    seen, cut = options.get("exclude"), 0
    for row, (given, recommended) in enumerate(zip(table, lists, strict=True)):
        left = given.copy()
        if hasattr(seen, "indptr"):
            left[seen.indices[seen.indptr[row] : seen.indptr[row + 1]]] = -np.inf
        elif seen is not None:
            known = np.asarray(seen if np.ndim(scores) == 1 else seen[row])
            left[known if known.dtype == bool else known.astype(int)] = -np.inf
        if recommended.min(initial=0) < 0:
            continue  # all there is was listed
        last = given[recommended[-1]]
        left[recommended] = -np.inf
        cut += bool(left.max(initial=-np.inf) == last)
    return cut, len(lists)


def begin() -> None:
    """Watch this kernel from now on."""
    global _ties
    from IPython.core.getipython import get_ipython

    import recsys_metrics
    from recsys_metrics.workbook.experiments import recommendation_cache

    _ties = Ties()
    watched = _ties.watch(recsys_metrics.rank_from_scores)
    recsys_metrics.rank_from_scores = recommendation_cache.rank_from_scores = watched
    recommendation_cache._read, recommendation_cache._write = _ties.watch_kept(
        recommendation_cache._read, recommendation_cache._write
    )
    get_ipython().events.register("pre_run_cell", _ties.next_cell)


def end(cells: Sequence[str], answer: str) -> None:
    """Run each cell as the end left things; leave what they show, and all ties, in a file."""
    from IPython.core.getipython import get_ipython

    # A look for garbage would copy all that the copies of this process share.
    gc.collect()
    gc.freeze()
    gc.disable()
    found: dict[str, Any] = {"ties": _ties.found}
    try:
        # What an exercise says to an answer depends on how often it was asked.
        found["shown"] = [
            None if _ASKS.search(source) else run_again(get_ipython(), source) for source in cells
        ]
    except Exception:
        found["problem"] = traceback.format_exc()
    Path(answer).write_text(json.dumps(found))


def run_again(shell: Any, source: str) -> dict[str, Any]:
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


def run(shell: Any, source: str) -> dict[str, Any]:
    """Run a cell and return what it shows."""
    from IPython.utils.capture import capture_output

    with capture_output() as shown:
        result = shell.run_cell(source)
    error = result.error_before_exec or result.error_in_exec
    said = f"{type(error).__name__}: {error}" if error else ""
    return read_output([each.data for each in shown.outputs], shown.stdout, shown.stderr, said)


# Anywhere ------------------------------------------------------------------------------------


def read_output(
    data: Sequence[dict[str, Any]], printed: str, warned: str, error: str
) -> dict[str, Any]:
    """Return what is compared: no picture, and nothing that is called otherwise in each run."""
    found = {"printed": printed, "warned": warned, "error": error}
    for number, each in enumerate(data):
        for kind, value in each.items():
            if kind.startswith("text/"):
                found[f"{kind} {number}"] = _NAMES.sub("…", str(value))
    return found


def read_first_output(outputs: Sequence[Any]) -> dict[str, Any]:
    """Return the same of the outputs of a cell that a kernel has sent."""
    streams = {"stdout": "", "stderr": ""}
    data, error = [], ""
    for output in outputs:
        if output.output_type == "stream":
            streams[output.name] += output.text
        elif output.output_type == "error":
            error = f"{output.ename}: {output.evalue}"
        else:
            data.append(output.data)
    return read_output(data, streams["stdout"], streams["stderr"], error)


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
