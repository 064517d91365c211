"""Running a learner's function for a limited time."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time

import pytest

from recsys_metrics.workbook.exercises.time_limit import run_with_limit


def test_the_value_is_returned():
    assert run_with_limit(max, [3, 4], seconds=30).value == 4


def test_an_exception_is_returned():
    ended = run_with_limit(int, ["x"], seconds=30)
    assert isinstance(ended.error, ValueError)
    assert ended.finished


def test_an_endless_loop_is_stopped_near_the_limit():
    def loop():
        while True:
            pass

    started = time.perf_counter()
    ended = run_with_limit(loop, [], seconds=0.1)
    assert not ended.finished
    assert time.perf_counter() - started < 2


def test_a_loop_that_catches_exceptions_is_stopped():
    stopped = threading.Event()

    def loop():
        try:
            while True:
                with contextlib.suppress(Exception):
                    sum(range(100))
        finally:
            stopped.set()

    assert not run_with_limit(loop, [], seconds=0.1).finished
    assert stopped.is_set()


def test_printed_output_is_captured_and_truncated():
    ended = run_with_limit(lambda: [print("x" * 50) for _ in range(100)], [], seconds=30)
    assert ended.printed.startswith("xxx")
    assert len(ended.printed) == 400


def test_other_threads_can_still_print(capsys):
    go, done = threading.Event(), threading.Event()

    def elsewhere():
        go.wait()
        print("from elsewhere", flush=True)
        done.set()

    def function():
        go.set()
        done.wait()
        print("from the function", flush=True)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    ended = run_with_limit(function, [], seconds=30)
    thread.join()
    assert ended.printed == "from the function\n"
    assert capsys.readouterr().out == "from elsewhere\n"


def test_standard_output_is_restored():
    before = sys.stdout
    run_with_limit(print, ["x"], seconds=30)
    run_with_limit(int, ["x"], seconds=30)
    assert sys.stdout is before


LEFT_BEHIND = """
import sys, time
from recsys_metrics.workbook.exercises.time_limit import run_with_limit

def sleeps_and_prints():
    time.sleep(2.0)         # compiled code cannot be interrupted
    while True:
        try:
            print("from the thread left behind")
        except BaseException:
            pass

assert not run_with_limit(sleeps_and_prints, [], seconds=0.05).finished
for _ in range(2_000):
    assert run_with_limit(max, [1, 2], seconds=30).value == 2
time.sleep(0.3)
print("still here")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.implementation.name != "cpython", reason="about CPython's threads")
def test_a_remaining_thread_prints_nothing_and_does_not_crash():
    done = subprocess.run(
        [sys.executable, "-c", LEFT_BEHIND.replace("2.0", "0.8")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "still here\n"


def test_without_threads_the_function_runs_without_a_limit(monkeypatch, capsys):
    def cannot(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", cannot)

    def speaks(x):
        print("working")
        return x + 1

    done = run_with_limit(speaks, [1], seconds=30)
    assert (done.value, done.error, done.finished, done.printed) == (2, None, True, "working\n")
    failed = run_with_limit(lambda: 1 / 0, [], seconds=30)
    assert isinstance(failed.error, ZeroDivisionError)
    print("afterwards")
    assert capsys.readouterr().out == "afterwards\n"
