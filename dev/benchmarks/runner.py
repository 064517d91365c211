"""Set libraries to work side by side, check that they agree, and time them in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dev.benchmarks.task import ONE_PASS, OURS, Inputs, Task

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "build" / "peers"

# Seconds that one way may take for all its timed runs together, after its first.
BUDGET = 2.0


@dataclass
class Timed:
    """What one way took.

    Attributes
    ----------
    seconds, ours : float
        Least time of its runs, and of ours beside it on the same rows.
    conversion : float
        From plain arrays to what the library takes; None where it takes plain arrays.
    megabytes : float
        Most memory above the inputs and the imported library.
    share : float
        Part of the rows that it was given.
    """

    library: str
    version: str
    share: float
    conversion: float
    megabytes: float
    first: float
    runs: list[float] = field(default_factory=list)
    ours: float = float("nan")
    agrees: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        return min(self.runs or [self.first])


class Worker:
    """A library in a process of its own."""

    def __init__(self, folder: Path, name: str, library: str, environment: str) -> None:
        python = PEERS / environment / "bin" / "python" if environment else Path(sys.executable)
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.folder, self.library = folder, library
        self.process = subprocess.Popen(
            [str(python), "-m", "dev.benchmarks.worker", str(folder), name, library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )

    def report(self) -> dict[str, Any]:
        """Return its next line; raise with its last words if there is none."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        line = self.process.stdout.readline()
        if not line:
            words = self.process.stderr.read().strip().splitlines() or ["without a word"]
            raise RuntimeError(f"{self.library} stopped: {words[-1]}")
        report: dict[str, Any] = json.loads(line)
        return report

    def run(self) -> float:
        """Return the seconds of one more run."""
        assert self.process.stdin is not None
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        return float(self.report()["seconds"])

    def answers(self) -> dict[str, Any]:
        with np.load(self.folder / f"answers-{self.library.replace(' ', '-')}.npz") as file:
            return dict(file)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def compare(
    name: str, task: Task, libraries: Sequence[str], scale: float, runs: int
) -> Iterator[Timed | str]:
    """Yield what each way took, ours and the pass first; or, in words, why one is missing."""
    inputs = task.make(scale)
    together = [x for x in libraries if not _apart(task, x)]
    with on_disk(inputs) as folder:
        yield from _side_by_side(name, task, [ONE_PASS, OURS, *together], folder, 1.0, runs)
    for library in libraries:
        if not _apart(task, library):
            continue
        way = task.ways[library]
        if way.environment and not (PEERS / way.environment / "bin" / "python").exists():
            yield f"{library}: build/peers/{way.environment} is missing; run make peers"
            continue
        part = inputs if way.share == 1 else task.head(inputs, way.share)
        with on_disk(part) as folder:
            for timed in _side_by_side(name, task, [OURS, library], folder, way.share, runs):
                if isinstance(timed, str) or timed.library != OURS:
                    yield timed


def _apart(task: Task, library: str) -> bool:
    """Whether a library is asked beside ours alone: its rows are fewer or its memory large."""
    return bool(task.ways[library].environment) or task.ways[library].share < 1


def _side_by_side(
    name: str, task: Task, libraries: Sequence[str], folder: Path, share: float, runs: int
) -> Iterator[Timed | str]:
    timed: dict[str, Timed] = {}
    with ExitStack() as stack:
        workers: dict[str, Worker] = {}
        for library in libraries:
            way = task.ways.get(library)
            worker = Worker(folder, name, library, way.environment if way else "")
            stack.callback(worker.stop)
            # One after another: the memory and the conversion of each are its own.
            try:
                report = worker.report()
            except RuntimeError as problem:
                yield str(problem)
                continue
            workers[library] = worker
            timed[library] = Timed(library=library, share=share, **report)
        for library, worker in workers.items():
            if library not in (ONE_PASS, OURS):
                timed[library].agrees = agree(
                    library,
                    workers[OURS].answers(),
                    worker.answers(),
                    task.ways[library].tolerance,
                )
        _take_turns(workers, timed, runs)
    for one in timed.values():
        one.ours = timed[OURS].seconds
        yield one


def _take_turns(workers: dict[str, Worker], timed: dict[str, Timed], turns: int) -> None:
    """Time all in turns; who is slow takes fewer of them, but one after its first answer.

    The first answer may hold a compilation. Many turns of whoever is quick find a moment in
    which nothing else ran on the machine.
    """
    for turn in range(turns):
        for library, worker in workers.items():
            spent = timed[library].runs
            if not turn or sum(spent) + spent[-1] <= BUDGET:
                spent.append(worker.run())


def agree(
    library: str, ours: dict[str, Any], theirs: dict[str, Any], tolerance: float
) -> tuple[str, ...]:
    """Return the names of the answers both give; raise if one differs."""
    common = tuple(name for name in theirs if name in ours)
    if not common:
        raise AssertionError(f"{library} answers {[*theirs]} and we {[*ours]}")
    for name in common:
        mine, other = np.asarray(ours[name]), np.asarray(theirs[name])
        if other.ndim < mine.ndim:
            mine = np.nanmean(mine)
        np.testing.assert_allclose(
            other, mine, rtol=tolerance, atol=tolerance, err_msg=f"{name} of {library}"
        )
    return common


@contextmanager
def on_disk(inputs: Inputs) -> Iterator[Path]:
    """Write inputs where every process can map them."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        for key, array in inputs.items():
            np.save(Path(name) / f"{key}.npy", np.ascontiguousarray(array))
        yield Path(name)
