"""How much memory a submission holds, in its processes and in what it has written.

Its files lie in memory too, and no process is charged for them. So what counts is the sum: what
its processes hold, and what the one file system that it can write to has taken.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from recsys_metrics.workbook.grading.sandbox.processes import Process

# What the kernel reckons with for a file without content, its name and attributes included.
_FILE = 2048


class Scratch:
    """The files that a submission writes, looked at from outside.

    Parameters
    ----------
    pid : int
        A process in the sandbox.
    place : str
        Where it writes.

    Raises
    ------
    OSError
        If it cannot be looked at.
    """

    def __init__(self, pid: int, place: str) -> None:
        self._folder = os.open(f"/proc/{pid}/root{place}", os.O_RDONLY | os.O_DIRECTORY)
        if os.fstat(self._folder).st_dev == os.stat(place).st_dev:  # noqa: PTH116
            self.close()
            raise OSError(f"{place} is the same inside and outside of the sandbox")

    def used_bytes(self) -> int:
        """Return the bytes that its files take."""
        state = os.fstatvfs(self._folder)
        files = (state.f_files - state.f_ffree) * _FILE
        return (state.f_blocks - state.f_bfree) * state.f_frsize + files

    def close(self) -> None:
        """Let go of it, so that it can be gone with its sandbox."""
        os.close(self._folder)


def hold_submission(processes: Sequence[Process], scratch: Scratch | None) -> int:
    """Return the bytes that a submission holds."""
    return sum(one.resident for one in processes) + (scratch.used_bytes() if scratch else 0)
