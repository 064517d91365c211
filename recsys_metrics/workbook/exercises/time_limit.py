"""Running a learner's function: on its own thread, for a limited time, its printing caught."""

from __future__ import annotations

import ctypes
import io
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

# How long a function that catches everything is asked to stop before it is left to itself.
_STOP_SECONDS = 0.5
_MAX_PRINTED = 400


class _TimeIsUp(SystemExit):
    """Raised within a function that has run for too long.

    No `except Exception` catches it, and a thread that ends by it says nothing.
    """


@dataclass(frozen=True)
class Run:
    """How a call ended.

    Attributes
    ----------
    value
        What came back, if it came back.
    error : BaseException or None
        What was raised.
    finished : bool
        False if time was up.
    printed : str
        The beginning of what was printed.
    """

    value: Any = None
    error: BaseException | None = None
    finished: bool = True
    printed: str = ""


def run_with_limit(
    function: Callable[..., Any], arguments: Sequence[Any], *, seconds: float
) -> Run:
    """Call a function, and stop it if it does not finish.

    Parameters
    ----------
    function : callable
    arguments : sequence
        Passed by place.
    seconds : float
        How long it may take.

    Returns
    -------
    Run

    Notes
    -----
    Signals would be simpler, but work on the main thread only and not on Windows. A loop in
    Python is interrupted; a call that stays within compiled code is left behind on its daemon
    thread, which does not keep the process alive.
    """
    ended: list[Run] = []

    def work() -> None:
        try:
            ended.append(Run(value=function(*arguments)))
        except _TimeIsUp:
            pass
        except BaseException as error:
            # A SystemExit too is the function's way to end, and not the notebook's.
            ended.append(Run(error=error))

    worker = threading.Thread(target=work, daemon=True)
    output = _Output(sys.stdout, worker)
    sys.stdout = output
    try:
        try:
            worker.start()
        except RuntimeError:
            # In a browser no thread can be started; who opened the page ends what runs too long.
            output.worker = threading.current_thread()
            work()
        else:
            worker.join(seconds)
    finally:
        # Also when the learner interrupts the kernel while this waits.
        _stop(worker)
        if worker.is_alive():
            # Still running: whatever it prints from now on must not reach the notebook.
            _abandoned_threads.append(worker)
        else:
            sys.stdout = output.before
        if _abandoned_threads:
            # CPython's print does not own the stream it writes to: were one of ours freed
            # while a thread left behind is printing to it, the process would crash.
            _live_outputs.append(output)
    if not ended:
        return Run(finished=False, printed=output.text)
    return Run(ended[0].value, ended[0].error, printed=output.text)


_abandoned_threads: list[threading.Thread] = []
_live_outputs: list[_Output] = []


def _stop(worker: threading.Thread) -> None:
    """Raise `_TimeIsUp` in the thread until it has ended, or for long enough.

    Once is not enough where the function catches everything; often enough, and one falls
    between two of its `try` blocks.
    """
    give_up = time.monotonic() + _STOP_SECONDS
    while worker.is_alive() and time.monotonic() < give_up:
        thread = ctypes.c_ulong(worker.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_TimeIsUp))
        worker.join(0.001)


class _Output(io.TextIOBase):
    """Keeps the beginning of what one thread prints, and lets other threads print."""

    def __init__(self, before: TextIO, worker: threading.Thread) -> None:
        self.before = before
        self.worker = worker
        self.text = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        thread = threading.current_thread()
        if thread is self.worker:
            self.text += text[: _MAX_PRINTED - len(self.text)]
        elif thread not in _abandoned_threads:
            self.before.write(text)
        return len(text)

    def flush(self) -> None:
        if threading.current_thread() not in (self.worker, *_abandoned_threads):
            self.before.flush()
