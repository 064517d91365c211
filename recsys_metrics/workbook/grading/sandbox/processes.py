"""The processes of a submission: which there are, what they hold, and how all of them are ended."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

_MOMENT = 0.002
_PATIENCE = 5.0
_DEAD = {b"X", b"Z"}
# D is a parent whose child, stopped itself, was about to become another program.
_STOPPED = {b"D", b"T", b"t"} | _DEAD
# Places in /proc/PID/stat, counted from the state on.
_PARENT, _THREADS, _PAGES = 1, 17, 21


@dataclass(frozen=True)
class Process:
    """A process at one moment.

    Attributes
    ----------
    pid, parent : int
    threads : int
    resident : int
        Bytes that it holds, shared ones included.
    """

    pid: int
    parent: int
    threads: int
    resident: int


def list_descendants(pid: int) -> list[Process]:
    """Return the processes that descend from one, itself first."""
    everyone = _everyone()
    children: dict[int, list[int]] = {}
    for process in everyone.values():
        children.setdefault(process.parent, []).append(process.pid)
    order = [pid] if pid in everyone else []
    for one in order:
        order += children.get(one, [])
    return [everyone[one] for one in order]


def end_process(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started; once this returns none of them runs."""
    # Stopped before they are killed: who runs may start another between the look and the kill,
    # and with a parent gone nobody could tell whose it is.
    until = time.monotonic() + _PATIENCE
    seen: set[int] = set()
    while True:
        found = {one.pid for one in list_descendants(process.pid)}
        new = found - seen
        seen |= new
        settled = not new and all(_states(pid) <= _STOPPED for pid in found)
        if settled or time.monotonic() > until:
            break
        _signal(new, signal.SIGSTOP)
        time.sleep(_MOMENT)  # a signal is heard once there is a core to hear it
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    # Within the sandbox all others end with the first of them, which the kernel sees to.
    _signal(seen, signal.SIGKILL)
    process.wait()
    until = time.monotonic() + _PATIENCE
    while any(_states(pid) - _DEAD for pid in seen) and time.monotonic() < until:
        time.sleep(_MOMENT)


def _everyone() -> dict[int, Process]:
    page = os.sysconf("SC_PAGE_SIZE")
    found: dict[int, Process] = {}
    for folder in os.scandir("/proc"):
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                stat, pid = _stat(folder.path), int(folder.name)
                threads = int(stat[_THREADS])
                if threads > 1 and stat[0] in _DEAD:
                    # The first thread has ended, and only the others know what they hold.
                    stat[_PAGES] = _pages_of_threads(folder.path)
                found[pid] = Process(pid, int(stat[_PARENT]), threads, int(stat[_PAGES]) * page)
    return found


def _pages_of_threads(folder: str) -> bytes:
    """Return how many pages the threads of a process hold together, which each of them says."""
    held = b"0"
    for thread in os.scandir(f"{folder}/task"):
        with suppress(OSError):  # it has ended meanwhile
            held = max(held, _stat(thread.path)[_PAGES], key=int)
    return held


def _signal(pids: Collection[int], which: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, which)


def _states(pid: int) -> set[bytes]:
    """Return what the threads of a process do, in the letters of /proc; none if it is gone."""
    states = set()
    with suppress(OSError):
        for thread in os.scandir(f"/proc/{pid}/task"):
            with suppress(OSError):  # it has ended meanwhile
                states.add(_stat(thread.path)[0])
    return states


def _stat(folder: str) -> list[bytes]:
    """Return what /proc says of a process or a thread, from its state on."""
    # Read twenty times a second for each process there is: so without the comforts of a file.
    file = os.open(f"{folder}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, 4096).rpartition(b")")[2].split()
    finally:
        os.close(file)
