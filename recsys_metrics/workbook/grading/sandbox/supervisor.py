"""Runs a submission where it can do no harm.

Bubblewrap gives it a system of its own: no network, no other process, a file system that can only
be read and holds neither the course nor the exercises, an empty home that is gone afterwards.
Around it stand limits of time, memory, processes and talk. What comes out is text that is taken
apart here and believed to be values, nothing more.
"""

from __future__ import annotations

import os
import pickle
import platform
import selectors
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.grading import atomic_files, untrusted_text
from recsys_metrics.workbook.grading.limits import GradingError, Limits
from recsys_metrics.workbook.grading.sandbox import bubblewrap, memory, processes, syscalls
from recsys_metrics.workbook.grading.sandbox import run_as as account
from recsys_metrics.workbook.grading.sandbox.cgroup import ControlGroup
from recsys_metrics.workbook.grading.sandbox.job import Job, Trace
from recsys_metrics.workbook.grading.sandbox.run_as import Account

# What a submission may say: a class of sixty questions with long lists says a hundredth of it.
_MOST_SAID = 4_000_000
_MOST_LINES = 100_000
_TICK = 0.05
_MOST_RUNS = 8
# A thread takes memory of the kernel's that no process is charged for.
_THREADS_EACH = 8

MISSING = """\
bubblewrap is not installed, and without it a submission could do whatever you may do: read this \
course's key, change grades, use the network. Install it (Debian, Ubuntu: `apt install \
bubblewrap`; Fedora: `dnf install bubblewrap`; elsewhere grade in a Linux machine or container), \
or give --unsandboxed if you trust each submission, or nothing else is on the machine"""


_CURE = """\
In a container it needs user namespaces (for Docker: `--security-opt seccomp=unconfined \
--security-opt apparmor=unconfined`); or give --unsandboxed if you trust each submission"""


class DoubtError(Exception):
    """A sandbox is not what it should be, and nothing was run in it."""


class Stop:
    """Tells all runs to end, for a user who interrupts."""

    def __init__(self) -> None:
        self._told = threading.Event()

    def request(self) -> None:
        """End them."""
        self._told.set()

    def is_requested(self) -> bool:
        """Whether they are to end."""
        return self._told.is_set()


def require_sandbox(root: Path, limits: Limits) -> None:
    """Raise GradingError, and say what to do, unless submissions can be run in a sandbox.

    Parameters
    ----------
    root : Path
        The course's folder.
    limits : Limits
    """
    if not shutil.which(bubblewrap.PROGRAM):
        raise GradingError(MISSING)
    if syscalls.compile_filter() is None:
        raise GradingError(
            f"the filter of system calls is not written for this processor "
            f"({platform.machine()}), and without it the memory of a submission cannot be limited; "
            "grade on x86_64 or aarch64, or give --unsandboxed if you trust each submission"
        )
    probe = Job(
        (("import IPython, numpy\nfound = 1", 0),), (("found",),), ("",), (0,), pickle.dumps([])
    )
    with tempfile.TemporaryFile() as words:
        try:
            trace = _run(probe, root, limits, Stop(), words.fileno())
        except DoubtError as doubt:
            raise GradingError(
                f"a sandbox was made, but {doubt}: nothing is run in it; or give --unsandboxed if "
                "you trust each submission"
            ) from None
        words.seek(0)
        said = words.read().decode(errors="replace").strip().splitlines()[-1:]
    if not trace.values:
        why = (said or [*trace.errors.values(), trace.problem or "no reason given"])[0]
        raise GradingError(f"bubblewrap is there, but a sandbox could not be made: {why}. {_CURE}")


def run_submission(
    job: Job, root: Path, limits: Limits, *, sandboxed: bool = True, stop: Stop | None = None
) -> Trace:
    """Run a submission and return what came out of it.

    Where a run ends before its end, another one calls the functions that it did not come to.

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
    begun, stop = time.monotonic(), stop or Stop()
    trace = _run_once(job, root, limits, stop, sandboxed=sandboxed)
    rest, runs = trace.find_rest(job), 1
    while rest and runs < _MOST_RUNS and not stop.is_requested():
        # However often it ends, it takes no more than twice the time of one run.
        left = round(begun + 2 * limits.seconds - time.monotonic())
        if left < 1:
            break
        shorter = replace(limits, seconds=min(left, limits.seconds))
        again = _run_once(rest, root, shorter, stop, sandboxed=sandboxed)
        rest, runs = again.find_rest(rest), runs + 1
        trace.add_calls(again)
    trace.seconds = time.monotonic() - begun
    return trace


def _run_once(job: Job, root: Path, limits: Limits, stop: Stop, *, sandboxed: bool) -> Trace:
    if sandboxed:
        return _run(job, root, limits, stop, subprocess.DEVNULL)
    with atomic_files.create_scratch() as home:
        command, around = bubblewrap.python_command(), bubblewrap.build_environment(str(home))
        command.append(str(bubblewrap.RUNNER))
        with _started(command, cwd=str(home), env=around, stderr=subprocess.DEVNULL) as running:
            return _listen(running, job, limits, stop)


def _run(job: Job, root: Path, limits: Limits, stop: Stop, stderr: int) -> Trace:
    """Run a submission in a sandbox."""
    who = account.choose_account()
    wrapped = bubblewrap.build_command(root, limits, who)
    # Who becomes somebody else first cannot enter a group of ours.
    mine = who.before is None
    group = ControlGroup.create(limits, limits.processes * _THREADS_EACH) if mine else None
    rules, filled = os.pipe()
    try:
        os.write(filled, syscalls.compile_filter() or b"")
        os.close(filled)
        command = [*wrapped, "--seccomp", str(rules), *bubblewrap.python_command(), "/runner.py"]
        command = group.wrap_command(command) if group else command
        with _started(
            command, (rules,), who, env={"PATH": os.environ.get("PATH", os.defpath)}, stderr=stderr
        ) as running:
            trace = _listen(running, job, limits, stop)
        if group and group.is_exceeded():
            trace.problem = _too_much(limits)
    finally:
        os.close(rules)
        if group:
            group.remove()
    return trace


@dataclass
class _Running:
    """A runner that was started.

    Attributes
    ----------
    process : Popen
        The first of its processes.
    out, into : int
        The pipes to it.
    account : Account or None
        Who it has to be; None outside of a sandbox.
    scratch : Scratch or None
        What it writes, once there is a sandbox.
    """

    process: subprocess.Popen[bytes]
    out: int
    into: int
    account: Account | None
    scratch: memory.Scratch | None = None

    def check(self) -> None:
        """Look from outside, before the job is there, whether the sandbox is what it should be."""
        if self.account is None:
            return
        runner = processes.list_descendants(self.process.pid)[-1].pid
        try:
            doubt = account.explain_doubt(runner, self.account)
            self.scratch = memory.Scratch(runner, bubblewrap.SCRATCH)
        except OSError as problem:
            doubt = f"cannot be inspected ({problem})"
        if doubt:
            raise DoubtError(doubt)


@contextmanager
def _started(
    command: list[str],
    handed: Sequence[int] = (),
    who: Account | None = None,
    **options: Any,
) -> Iterator[_Running]:
    """Start the runner; at the end nothing of it is left."""
    out, theirs_out = os.pipe()
    theirs_in, into = os.pipe()
    user = [] if who is None or who.inside is None else [str(who.inside)]
    if who is not None and who.before is not None:
        options |= {"user": who.before, "group": who.before, "extra_groups": ()}
    try:
        process = subprocess.Popen(
            [*command, str(theirs_out), str(theirs_in), *user],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs_out, theirs_in, *handed],
            start_new_session=True,
            **options,
        )
    except OSError:
        for ours in (out, into):
            os.close(ours)
        raise
    finally:
        for theirs in (theirs_out, theirs_in):
            os.close(theirs)
    running = _Running(process, out, into, who)
    try:
        yield running
    finally:
        processes.end_process(process)
        if running.scratch:
            running.scratch.close()
        for ours in (out, into):
            os.close(ours)


def _listen(running: _Running, job: Job, limits: Limits, stop: Stop) -> Trace:
    """Hear what is said until it ends, or has to be ended."""
    trace, heard, total, n_lines, n_values = Trace(), [b""], 0, 0, 0
    until, looked = time.monotonic() + limits.seconds, 0.0
    to_send, stage = memoryview(b""), ""
    os.set_blocking(running.into, False)
    while stage != "done":
        ready = _wait(running, sending=bool(to_send))
        if running.into in ready:
            to_send = _sent(running.into, to_send)
        if running.out in ready:
            piece = os.read(running.out, 1 << 16)
            total += len(piece)
            # A line may be as long as all that is allowed: so it is joined once, at its end.
            first, *more = piece.split(b"\n")
            heard.append(first)
            lines = [b"".join(heard), *more[:-1]] if more else []
            heard = more[-1:] or heard
            n_lines += len(lines)
            n_values += sum(map(untrusted_text.count_values, lines))
            trace.problem = _too_much_said(total, n_lines, n_values)
            for line in [] if trace.problem else lines:
                now = trace.receive(_parsed(line), job, called=stage == "ready")
                if (stage, now) == ("", "begun"):
                    running.check()
                    to_send = memoryview(job.as_json(limits).encode() + b"\n")
                elif (stage, now) == ("begun", "ready"):
                    to_send = memoryview(job.cases)
                    trace.is_calling = True
                elif (stage, now) != ("ready", "done"):
                    continue
                stage = now
            if not piece:
                break
        if not trace.problem and time.monotonic() - looked >= _TICK:
            looked = time.monotonic()
            trace.problem = _trouble(running, limits, until, stop)
        if trace.problem:
            break
    if not trace.problem and stage != "done":
        trace.problem = "its process ended by itself, as after os._exit or a crash"
    return trace


def _wait(running: _Running, *, sending: bool) -> set[int]:
    """Return which of the two pipes can be used without waiting, after a while at the latest."""
    # Unlike select, it takes any number of an open file.
    with selectors.DefaultSelector() as pipes:
        pipes.register(running.out, selectors.EVENT_READ)
        if sending:
            pipes.register(running.into, selectors.EVENT_WRITE)
        return {key.fd for key, _ in pipes.select(_TICK)}


def _sent(into: int, content: memoryview) -> memoryview:
    """Return what is left to send."""
    try:
        return content[os.write(into, content) :]
    except BlockingIOError:
        return content
    except OSError:
        return memoryview(b"")  # nobody reads any more


def _trouble(running: _Running, limits: Limits, until: float, stop: Stop) -> str:
    """Return why a run has to be ended now; empty if it may go on."""
    if stop.is_requested():
        return "grading was interrupted"
    if time.monotonic() > until:
        return f"it did not end within {limits.seconds} s"
    family = processes.list_descendants(running.process.pid)
    if len(family) > limits.processes:
        return f"it started more than {limits.processes} processes"
    threads = limits.processes * _THREADS_EACH
    if sum(one.threads for one in family) > threads:
        return f"it started more than {threads} threads"
    if memory.hold_submission(family, running.scratch) > limits.memory_mb * 2**20:
        return _too_much(limits)
    return ""


def _too_much_said(n_bytes: int, n_lines: int, n_values: int) -> str:
    """Return why nothing more is listened to; empty if it is not too much."""
    if n_bytes > _MOST_SAID:
        return f"its answers are larger than {_MOST_SAID // 10**6} MB"
    if n_lines > _MOST_LINES:
        return f"its answers have more than {_MOST_LINES:,} lines"
    if n_values > untrusted_text.MOST_VALUES:
        return f"its answers contain more than {untrusted_text.MOST_VALUES:,} values"
    return ""


def _too_much(limits: Limits) -> str:
    return f"it took more than {limits.memory_mb} MB of memory"


def _parsed(line: bytes) -> Any:
    try:
        return untrusted_text.read_json(line)
    except (ValueError, RecursionError):
        return None
