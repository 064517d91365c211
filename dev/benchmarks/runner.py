"""Set libraries to work side by side, check that they agree, time them in turns, keep the rows.

A task is a table of ways, one for each library (`TASKS`). Each way runs in a process of its own
that waits for "run" and says how long that took:

    python -m dev.benchmarks.runner FOLDER TASK LIBRARY

FOLDER holds the inputs as .npy files. The first answer goes to a file beside them, and the memory
that it took above the inputs and the imported library is reported with it.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SUBJECTS = (
    "forms",
    "ranking",
    "scores",
    "beyond_accuracy",
    "resampling",
    "calibration",
    "off_policy",
    "sorting",
)
"""The modules that declare tasks, in the order of the page."""

Inputs = dict[str, NDArray[Any]]
Answers = dict[str, Any]

OURS = "recsys-workbook"
ONE_PASS = "one pass over the input"


@dataclass(frozen=True)
class Call:
    """One library set to work on some inputs.

    Attributes
    ----------
    convert : callable
        Turns plain arrays into what the library takes.
    run : callable
        Takes that and returns the answers: by name, one value or one per row.
    """

    convert: Callable[[], Any]
    run: Callable[[Any], Answers]


@dataclass(frozen=True)
class Way:
    """One library's way of doing a task.

    Attributes
    ----------
    build : callable
        Imports the library and returns the `Call` on some inputs.
    environment : str
        Folder below build/peers whose Python has the library; "" for the project's own.
    share : float
        Part of the rows that it is given, where all of them would take minutes.
    package : str
        Whose version to report, where it is not called like the library.
    tolerance : float
        How far its answers may be from ours.
    """

    build: Callable[[Inputs], Call]
    environment: str = ""
    share: float = 1.0
    package: str = ""
    tolerance: float = 1e-9


@dataclass(frozen=True)
class Task:
    """One thing to compute, in several ways.

    Attributes
    ----------
    title : str
        What is computed, of how much.
    make : callable
        Returns the inputs for a scale; 1 is the full size.
    head : callable
        Returns the inputs' first part, for a way that gets a share.
    ways : dict
        By library; ours is the first.
    """

    title: str
    make: Callable[[float], Inputs]
    head: Callable[[Inputs, float], Inputs]
    ways: dict[str, Way]


def tasks() -> dict[str, Task]:
    """Return all tasks by name. A library is imported only when it is asked."""
    # Imported here, because the modules of the subjects import the types above.
    modules = [import_module(f"dev.benchmarks.{subject}") for subject in SUBJECTS]
    return {name: task for module in modules for name, task in module.TASKS.items()}


def plain(run: Callable[[], Answers]) -> Call:
    """Return a call that takes plain arrays as they are."""
    return Call(lambda: None, lambda _: run())


def one_pass(inputs: Inputs) -> Call:
    """Read every byte of the input once: the floor of any implementation."""
    words = [_as_words(array) for array in inputs.values()]

    def run() -> Answers:
        for array in words:
            np.bitwise_or.reduce(array)
        return {}

    return plain(run)


def _as_words(array: NDArray[Any]) -> NDArray[np.uint64]:
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return flat[: flat.size // 8 * 8].view(np.uint64)


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
            [str(python), "-m", "dev.benchmarks.runner", str(folder), name, library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )

    def report(self) -> dict[str, Any]:
        """Return its next line; raise with the last line of its errors if there is none."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        line = self.process.stdout.readline()
        if not line:
            lines = self.process.stderr.read().strip().splitlines() or ["without a message"]
            raise RuntimeError(f"{self.library} stopped: {lines[-1]}")
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
        if OURS not in workers:
            return  # A library that makes the inputs is not there; the line above says which.
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


def serve() -> None:
    """Load, convert, answer once, then time on request."""
    folder, task_name, library = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    warnings.simplefilter("ignore")
    inputs = _load(folder)
    task = tasks()[task_name]
    way = task.ways.get(library)
    # What a library prints must not be taken for a report.
    with contextlib.redirect_stdout(sys.stderr):
        call = one_pass(inputs) if way is None else way.build(inputs)
    _reset_peak()
    before = _memory("VmRSS")
    started = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        converted = call.convert()
    conversion = time.perf_counter() - started
    started = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        answers = call.run(converted)
    first = time.perf_counter() - started
    np.savez(folder / f"answers-{_plain(library)}.npz", **answers)
    _say(
        conversion=conversion,
        first=first,
        megabytes=max(0.0, _memory("VmHWM") - before),
        version="" if way is None else _version(way.package or library),
    )
    for line in sys.stdin:
        if line.strip() != "run":
            break
        started = time.perf_counter()
        with contextlib.redirect_stdout(sys.stderr):
            call.run(converted)
        _say(seconds=time.perf_counter() - started)


def _load(folder: Path) -> Inputs:
    """Map the inputs, which all processes share, and read them once."""
    inputs = {}
    for file in sorted(folder.glob("*.npy")):
        mapped = np.load(file, mmap_mode="r")
        inputs[file.stem] = np.asarray(mapped)
        inputs[file.stem].sum()
    return inputs


def _reset_peak() -> None:
    """Forget the most memory so far, where the system lets us."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _memory(name: str) -> float:
    """Return megabytes of a line of the process's status."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    line = next(x for x in status.read_text(encoding="ascii").splitlines() if x.startswith(name))
    return int(line.split()[1]) * 1024 / 1e6


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _plain(library: str) -> str:
    return library.replace(" ", "-")


def _say(**report: object) -> None:
    print(json.dumps(report), flush=True)


TABLE = ROOT / "recsys_metrics" / "data" / "benchmarks.csv"
COLUMNS = (
    "task",
    "title",
    "library",
    "version",
    "share",
    "seconds",
    "ours",
    "conversion",
    "megabytes",
    "one_pass",
    "compared",
    "machine",
)


def machine() -> str:
    """Return processor, cores and the versions that matter, in one line."""
    model = platform.processor() or platform.machine()
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        lines = listing.read_text(encoding="utf-8").splitlines()
        named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = named[0] if named else model
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def rows_of(name: str, task: Task, timed: Sequence[Timed], where: str) -> list[dict[str, Any]]:
    """Return the rows of a task."""
    one_pass = next(one.seconds for one in timed if one.library == ONE_PASS)
    return [
        {
            "task": name,
            "title": task.title,
            "library": one.library,
            "version": one.version,
            "share": f"{one.share:g}",
            "seconds": f"{one.seconds:.3g}",
            "ours": f"{one.ours:.3g}",
            "conversion": f"{one.conversion:.3g}",
            "megabytes": f"{one.megabytes:.0f}",
            "one_pass": f"{one_pass * one.share:.3g}",
            "compared": len(one.agrees),
            "machine": where,
        }
        for one in timed
    ]


def show(rows: Iterable[dict[str, Any]]) -> None:
    """Print the rows of one task."""
    print(
        f"  {'':25}{'share':>7}{'seconds':>10}{'+ convert':>11}{'peak MB':>9}"
        f"{'x ours':>9}{'x fastest':>11}{'x one pass':>12}"
    )
    kept = list(rows)
    answering = [row for row in kept if row["library"] != ONE_PASS]
    # Seconds of different shares compare by how far each is from ours beside it.
    fastest = min(float(row["seconds"]) / float(row["ours"]) for row in answering)
    for row in kept:
        seconds, conversion = float(row["seconds"]), float(row["conversion"])
        ratio = seconds / float(row["ours"])
        whole = f"{seconds + conversion:.4f}" if conversion > 0.001 else "–"
        print(
            f"  {row['library']:25}{float(row['share']):>7.1%}{seconds:>10.4f}{whole:>11}"
            f"{row['megabytes']:>9}{ratio:>9.2f}{ratio / fastest:>11.2f}"
            f"{seconds / float(row['one_pass']):>12.0f}",
            flush=True,
        )


def keep(rows: Sequence[dict[str, Any]]) -> None:
    """Write rows in the place of those of the same tasks and libraries; the tasks in our order.

    Rows of a way that is no more are dropped.
    """
    kept: dict[tuple[str, str], dict[str, Any]] = {}
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as table:
            kept = {(row["task"], row["library"]): dict(row) for row in csv.DictReader(table)}
    kept |= {(row["task"], row["library"]): row for row in rows}
    ordered = [
        row
        for name, task in tasks().items()
        for (of, library), row in kept.items()
        if of == name and library in (ONE_PASS, *task.ways)
    ]
    with TABLE.open("w", encoding="utf-8", newline="") as table:
        writer = csv.DictWriter(table, COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(ordered)


if __name__ == "__main__":
    # Under its own name, so that the tasks are of the same types.
    import_module("dev.benchmarks.runner").serve()
