"""One library in a process of its own: it waits for "run" and says how long that took.

    python -m dev.benchmarks.worker FOLDER TASK LIBRARY

FOLDER holds the inputs as .npy files. The first answer goes to answers.npz beside them, and the
memory that it took above the inputs and the imported library is reported with it.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from dev.benchmarks.task import Inputs, one_pass
from dev.benchmarks.tasks import TASKS


def main() -> None:
    """Load, convert, answer once, then time on request."""
    folder, task_name, library = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    warnings.simplefilter("ignore")
    inputs = _load(folder)
    task = TASKS[task_name]
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


if __name__ == "__main__":
    main()
