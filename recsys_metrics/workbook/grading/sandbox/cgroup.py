"""A control group of the kernel's own, where one can be made, that holds a submission's memory.

It counts what no look from outside can: what the kernel itself keeps for a process, and what is
taken and let go of between two looks. Root has the right on a machine of its own, and a user below
the manager of their session; in most containers nobody has, and the looks from outside remain.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from recsys_metrics._core.package_names import DISTRIBUTION
from recsys_metrics.workbook.grading.limits import Limits

_ROOT = Path("/sys/fs/cgroup")
_PATIENCE = 2.0
_MOMENT = 0.01


class ControlGroup:
    """A control group for one submission.

    Parameters
    ----------
    path : Path
        A group that was made for it, with its limits set.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, limits: Limits, tasks: int, root: Path = _ROOT) -> ControlGroup | None:
        """Return a new one; None where the kernel has none or does not let us make it.

        Parameters
        ----------
        limits : Limits
        tasks : int
            How many threads there may be.
        root : Path
            Where control groups are mounted.
        """
        for parent in _parents(root):
            path = parent / f"{DISTRIBUTION}-{uuid.uuid4().hex}"
            try:
                path.mkdir()
            except OSError:
                continue
            group = cls(path)
            try:
                group._limit(limits, tasks)
                (path / "cgroup.procs").open("a").close()
                (parent / "cgroup.procs").open("a").close()
            except OSError:
                group.remove()
            else:
                return group
        return None

    def _limit(self, limits: Limits, tasks: int) -> None:
        (self.path / "memory.max").write_text(str(limits.memory_mb * 2**20))
        (self.path / "memory.oom.group").write_text("1")
        with suppress(FileNotFoundError):  # where there is no swap to count
            (self.path / "memory.swap.max").write_text("0")
        with suppress(FileNotFoundError):  # where tasks are not counted
            (self.path / "pids.max").write_text(str(tasks))

    def wrap_command(self, command: Sequence[str]) -> list[str]:
        """Return a command as one that enters the group before it does anything else."""
        enter = 'echo $$ > "$0" && exec "$@"'
        return ["/bin/sh", "-c", enter, str(self.path / "cgroup.procs"), *command]

    def is_exceeded(self) -> bool:
        """Whether the kernel has ended it for the memory that it took."""
        with suppress(OSError):
            rows = (self.path / "memory.events").read_text().splitlines()
            return any(row.startswith("oom_kill ") and row != "oom_kill 0" for row in rows)
        return False

    def remove(self) -> None:
        """Take it away, once its processes have ended."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            try:
                self.path.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(_MOMENT)  # the kernel has not yet taken leave of a process
            else:
                return


def _parents(root: Path) -> Iterator[Path]:
    """Yield the groups that a new one may lie in, from our own upwards."""
    ours = _own()
    if ours is None or not (root / "cgroup.controllers").is_file():
        return
    own = root / ours
    for path in (own, *own.parents):
        with suppress(OSError):
            if "memory" in (path / "cgroup.subtree_control").read_text().split():
                yield path
        if path == root:
            return


def _own() -> str | None:
    """Return the group of this process, below where they are mounted."""
    rows = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    return next((row.removeprefix("0::/") for row in rows if row.startswith("0::/")), None)
