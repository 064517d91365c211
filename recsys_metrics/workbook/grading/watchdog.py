"""Ends a check that Python itself cannot interrupt.

A thread can be stopped between two steps of Python. `9 ** 9 ** 9` or the largest of an endless
`itertools.count()` is one step, in which no other thread runs either: so another process listens
for a sign of life.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_SECONDS = 60.0
_BEAT = 1.0
_LISTEN = """
import os, signal, sys, threading, time
pid, seconds, says = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
heard = [time.monotonic()]
def listen():
    while os.read(0, 1):
        heard[0] = time.monotonic()
    os._exit(0)
threading.Thread(target=listen, daemon=True).start()
while time.monotonic() - heard[0] < seconds:
    time.sleep(0.1)
print(says, file=sys.stderr, flush=True)
os.kill(pid, getattr(signal, 'SIGKILL', signal.SIGTERM))
"""


@contextmanager
def watched(about: str) -> Iterator[None]:
    """End this process, with a sentence, where it shows no sign of life for a minute.

    Parameters
    ----------
    about : str
        What is done here; the sentence begins with it.
    """
    if sys.platform == "emscripten":  # no second process; who opened the page ends it
        yield
        return
    says = (
        f"{about} was still in one step of Python after {_SECONDS:.0f} seconds, which only its end "
        "interrupts; look for a power of large numbers, or a `max` or `list` of something endless"
    )
    done = threading.Event()
    command = [sys.executable, "-I", "-S", "-c", _LISTEN, str(os.getpid()), str(_SECONDS), says]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as listener:
        assert listener.stdin is not None
        pipe = listener.stdin.fileno()

        def beat() -> None:
            with suppress(OSError):  # the listener was ended by somebody else
                while not done.wait(_BEAT):
                    os.write(pipe, b".")

        beating = threading.Thread(target=beat, daemon=True)
        beating.start()
        try:
            yield
        finally:
            done.set()
            beating.join()
