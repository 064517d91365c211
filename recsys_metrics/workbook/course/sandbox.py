"""Runs a submission where it can do no harm.

Bubblewrap gives it a system of its own: no network, no other process, a file system that can only
be read and holds neither the course nor the exercises, an empty home that is gone afterwards.
Around it stand limits of time, memory, processes and talk. What comes out is text that is taken
apart here and believed to be values, nothing more.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import recsys_metrics
from recsys_metrics.workbook.course import syscalls
from recsys_metrics.workbook.course.folder import CourseError, Limits

BWRAP = "bwrap"
_RUNNER = Path(__file__).with_name("runner.py")
_PACKAGE = Path(recsys_metrics.__file__).resolve().parent
# What a submission must not import: answers, and how they are judged.
_HIDDEN = ("exercises", "course", "checking", "ledger", "notebooks")
_MOST_SAID = 16_000_000
_TICK = 0.05
_MOMENT = 0.002
_PATIENCE = 5.0
_DEAD = {b"X", b"Z"}
# D is a parent whose child, stopped itself, was about to become another program.
_STOPPED = {b"D", b"T", b"t"} | _DEAD
_HOME = "/home/student"

MISSING = """\
bubblewrap is not installed, and without it a submission could do whatever you may do: read this \
course's key, change grades, use the network. Install it (Debian, Ubuntu: `apt install \
bubblewrap`; Fedora: `dnf install bubblewrap`; elsewhere grade in a Linux machine or container), \
or give --unsandboxed if you trust each submission, or the machine holds nothing else"""


@dataclass(frozen=True)
class Job:
    """What is to be run.

    Attributes
    ----------
    cells : tuple of (str, int)
        Code, and the place of the question it belongs to, or -1.
    names : tuple of tuple of str
        For each question, the names of its answers.
    functions : tuple of str
        For each question, the name of its function, or "".
    arities : tuple of int
        For each question, how many arguments its function takes.
    cases : bytes
        The arguments to call the functions with, as `runner` takes them: a pickle that is read in
        the sandbox, after the cells have run.
    """

    cells: tuple[tuple[str, int], ...]
    names: tuple[tuple[str, ...], ...]
    functions: tuple[str, ...]
    arities: tuple[int, ...]
    cases: bytes

    def as_json(self, limits: Limits) -> str:
        """Return the job as the runner reads it; it holds nothing that is secret."""
        asked = zip(self.names, self.functions, self.arities, strict=True)
        return json.dumps(
            {
                "cells": self.cells,
                "questions": [
                    {"names": names, "function": function, "arity": arity}
                    for names, function, arity in asked
                ],
                "cell_seconds": limits.cell_seconds,
                "seconds": limits.seconds,
                "memory_mb": limits.memory_mb,
            }
        )


@dataclass
class Trace:
    """What came out.

    Attributes
    ----------
    values : dict
        For each question, what its names held at last, as the runner wrote it.
    functions : dict
        For each question, what there was to call.
    calls : dict
        For each question and case, what the call did.
    errors : dict
        For each cell, what it raised, in words.
    problem : str
        What kept the run from its end; empty if nothing did.
    seconds : float
    """

    values: dict[int, dict[str, Any]] = field(default_factory=dict)
    functions: dict[int, dict[str, Any]] = field(default_factory=dict)
    calls: dict[int, dict[int, dict[str, Any]]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    problem: str = ""
    seconds: float = 0.0

    def hear(self, said: Any, job: Job, *, called: bool) -> str:
        """Take in one thing that was said; return "ready" or "done" if it was that.

        Once the arguments of the functions are in there, nothing but the calls is listened to: so
        no message of a cell can carry one of them out.
        """
        if not isinstance(said, dict):
            return ""
        if said.get("ready") is True or said.get("done") is True:
            return "ready" if said.get("ready") is True else "done"
        place = _place(said.get("question"), job.names)
        if called:
            case = said.get("case")
            if place is not None and isinstance(case, int):
                self.calls.setdefault(place, {})[case] = said
        elif place is not None:
            if isinstance(said.get("values"), dict):
                names = job.names[place]
                kept = {name: value for name, value in said["values"].items() if name in names}
                self.values.setdefault(place, {}).update(kept)
            elif isinstance(said.get("function"), dict):
                self.functions[place] = said["function"]
        else:
            cell = _place(said.get("cell"), job.cells)
            if cell is not None:
                words = f"{said.get('error')}: {said.get('says')}".removesuffix(": ")
                self.errors[cell] = words[:300]
        return ""


class Stop:
    """Tells all runs to end, for a user who interrupts."""

    def __init__(self) -> None:
        self._told = threading.Event()

    def tell(self) -> None:
        """End them."""
        self._told.set()

    def is_told(self) -> bool:
        """Whether they are to end."""
        return self._told.is_set()


def make_ready(root: Path, limits: Limits) -> None:
    """Raise CourseError, and say what to do, unless submissions can be run in a sandbox.

    Parameters
    ----------
    root : Path
        The course's folder.
    limits : Limits
    """
    if not shutil.which(BWRAP):
        raise CourseError(MISSING)
    done = subprocess.run(
        [*_wrapped(root, limits, Path(os.devnull)), sys.executable, "-c", "import IPython, numpy"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=120,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise CourseError(
            f"bubblewrap is there, but a sandbox could not be made: {said[0]}. In a container it "
            "needs user namespaces (for Docker: `--security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined`); or give --unsandboxed if you trust each "
            "submission"
        )


def run(
    job: Job, root: Path, limits: Limits, *, sandboxed: bool = True, stop: Stop | None = None
) -> Trace:
    """Run a submission and return what came out of it.

    Parameters
    ----------
    job : Job
    root : Path
        The course's folder, which is kept out of the sandbox.
    limits : Limits
    sandboxed : bool
        False to run it as an ordinary process, with the limits alone.
    stop : Stop, optional
    """
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="recsys-course-") as room:
        file = Path(room, "job.json")
        file.write_text(job.as_json(limits), encoding="utf-8")
        with _started(file, root, limits, sandboxed=sandboxed) as (process, out, into):
            trace = _listen(process, out, into, job, limits, stop or Stop())
    trace.seconds = time.monotonic() - begun
    return trace


@contextmanager
def _started(
    job: Path, root: Path, limits: Limits, *, sandboxed: bool
) -> Iterator[tuple[subprocess.Popen[bytes], int, int]]:
    """Start the runner; at the end nothing of it is left."""
    out, theirs_out = os.pipe()
    theirs_in, into = os.pipe()
    handed = [theirs_out, theirs_in]
    with tempfile.TemporaryFile() as rules:
        command = [sys.executable, "-P", str(_RUNNER), str(job), str(theirs_out), str(theirs_in)]
        if sandboxed:
            calls = syscalls.program()
            rules.write(calls or b"")
            rules.seek(0)
            wrapped = _wrapped(root, limits, job)
            handed += [rules.fileno()] if calls else []
            wrapped += ["--seccomp", str(rules.fileno())] if calls else []
            command = [*wrapped, sys.executable, "-P", "/runner.py", "/job.json", *command[-2:]]
        process = subprocess.Popen(
            command,
            cwd=job.parent,
            env=_environment(str(job.parent)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=handed,
            start_new_session=True,
        )
    try:
        for theirs in (theirs_out, theirs_in):
            os.close(theirs)
        yield process, out, into
    finally:
        end(process)
        for ours in (out, into):
            os.close(ours)


def _listen(
    process: subprocess.Popen[bytes], out: int, into: int, job: Job, limits: Limits, stop: Stop
) -> Trace:
    """Hear what is said until it ends, or has to be ended."""
    trace, heard, total = Trace(), b"", 0
    until, looked = time.monotonic() + limits.seconds, 0.0
    to_send, called, ended = memoryview(job.cases), False, False
    os.set_blocking(into, False)
    while True:
        sending = [into] if called and to_send else []
        readable, writable, _ = select.select([out], sending, [], _TICK)
        if writable:
            try:
                to_send = to_send[os.write(into, to_send) :]
            except BlockingIOError:
                pass
            except OSError:
                to_send = memoryview(b"")  # nobody reads any more
        if readable:
            piece = os.read(out, 1 << 16)
            total += len(piece)
            *lines, heard = (heard + piece).split(b"\n")
            for line in lines:
                said = trace.hear(_parsed(line), job, called=called)
                called = called or said == "ready"
                ended = ended or (called and said == "done")
            if not piece or ended:
                break
        if total > _MOST_SAID:
            trace.problem = f"its answers are larger than {_MOST_SAID // 10**6} MB"
        elif time.monotonic() - looked >= _TICK:
            looked = time.monotonic()
            trace.problem = _trouble(process, limits, until, stop)
        if trace.problem:
            break
    if not (trace.problem or ended):
        trace.problem = "it ended before it was through"
    return trace


def _trouble(process: subprocess.Popen[bytes], limits: Limits, until: float, stop: Stop) -> str:
    """Return why a run has to be ended now; empty if it may go on."""
    if stop.is_told():
        return "grading was interrupted"
    if time.monotonic() > until:
        return f"it did not end within {limits.seconds} s"
    family = _family(process.pid)
    if len(family) > limits.processes:
        return f"it started more than {limits.processes} processes"
    if sum(family.values()) > limits.memory_mb * 2**20:
        return f"it took more than {limits.memory_mb} MB of memory"
    return ""


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started; once this returns none of them runs."""
    # Stopped before they are killed: who runs may start another between the look and the kill,
    # and with a parent gone nobody could tell whose it is.
    until = time.monotonic() + _PATIENCE
    family: set[int] = set()
    while True:
        found = set(_family(process.pid))
        new = found - family
        family |= new
        settled = not new and all(_states(pid) <= _STOPPED for pid in found)
        if settled or time.monotonic() > until:
            break
        _signal(new, signal.SIGSTOP)
        time.sleep(_MOMENT)  # a signal is heard once there is a core to hear it
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    # Within the sandbox all others end with the first of them, which the kernel sees to.
    _signal(family, signal.SIGKILL)
    process.wait()
    until = time.monotonic() + _PATIENCE
    while any(_states(pid) - _DEAD for pid in family) and time.monotonic() < until:
        time.sleep(_MOMENT)


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
    return Path(folder, "stat").read_bytes().rpartition(b")")[2].split()


def _family(pid: int) -> dict[int, int]:
    """Return the processes that descend from one, itself included, and the bytes each holds."""
    parents: dict[int, int] = {}
    held: dict[int, int] = {}
    page = os.sysconf("SC_PAGE_SIZE")
    for folder in os.scandir("/proc"):
        if not folder.name.isdigit():
            continue
        try:
            stat = _stat(folder.path)
        except OSError:
            continue  # it has ended meanwhile
        parents[int(folder.name)] = int(stat[1])
        held[int(folder.name)] = int(stat[21]) * page
    found = {pid} & set(parents)
    grown = True
    while grown:
        more = {child for child, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return {one: held[one] for one in found}


def _wrapped(root: Path, limits: Limits, job: Path) -> list[str]:
    """Return the command that makes the sandbox; what to run in it comes after."""
    command = [BWRAP, "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534"]
    command += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    command += ["--hostname", "sandbox", "--clearenv"]
    for name, value in _environment(_HOME).items():
        command += ["--setenv", name, value]
    command += ["--proc", "/proc", "--dev", "/dev"]
    room = max(16, limits.memory_mb // 4) * 2**20
    # First, since Python itself may be beneath one of them.
    for writable in ("/tmp", _HOME, "/dev/shm"):
        command += ["--size", str(room)] if _can_size() else []
        command += ["--tmpfs", writable]
    for folder in ("/bin", "/sbin", *map(str, sorted(Path("/").glob("lib*")))):
        path = Path(folder)
        if path.is_symlink():
            command += ["--symlink", str(path.readlink()), folder]
        elif path.is_dir():
            command += ["--ro-bind", folder, folder]
    for file in ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"):
        command += ["--ro-bind-try", file, file]
    shown = _shown()
    for path in shown:
        command += ["--ro-bind", str(path), str(path)]
    hidden = [_PACKAGE / "workbook" / name for name in _HIDDEN]
    # A course may lie within what is shown, beneath the folder of an environment for instance.
    hidden += [root.resolve()] if any(root.resolve().is_relative_to(p) for p in shown) else []
    for path in hidden:
        if path.is_dir():
            command += ["--tmpfs", str(path), "--remount-ro", str(path)]
    command += ["--ro-bind", str(_RUNNER), "/runner.py", "--ro-bind", str(job), "/job.json"]
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", _HOME]


@cache
def _can_size() -> bool:
    """Whether this bubblewrap can limit a folder in memory; those before 0.7 cannot."""
    helped = subprocess.run([BWRAP, "--help"], capture_output=True, text=True, check=False)
    return "--size" in helped.stdout + helped.stderr


def _shown() -> list[Path]:
    """Return what has to be there for Python and the library to run."""
    places = [Path("/usr"), Path(sys.base_prefix), Path(sys.prefix), *_site_packages(), _PACKAGE]
    shown: list[Path] = []
    for place in places:
        path = place.absolute()
        if path.is_dir() and not any(path.is_relative_to(other) for other in shown):
            shown.append(path)
    return shown


def _site_packages() -> list[Path]:
    names = ("site-packages", "dist-packages")
    return [Path(entry) for entry in sys.path if entry and Path(entry).name in names]


def _environment(home: str) -> dict[str, str]:
    """Return all that a submission knows of its surroundings."""
    return {
        "HOME": home,
        "IPYTHONDIR": f"{home}/.ipython",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "agg",
        # Threads of a linear algebra library would each take their share of the memory.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PATH": "/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(map(str, [_PACKAGE.parent, *_site_packages()])),
        "RECSYS_METRICS_PROGRESS": "off",
    }


def _place(number: Any, of: Sequence[Any]) -> int | None:
    """Return a number if it is a place in a sequence."""
    right = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < len(of)
    return number if right else None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
