"""Submissions that mean harm: none changes a grade, reads a hidden case, leaves a process."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from recsys_metrics.workbook.grading.limits import Limits
from recsys_metrics.workbook.grading.sandbox import processes
from recsys_metrics.workbook.grading.sandbox import supervisor as box
from tests.course.simulated_people import add_code
from tests.tiers import of_a_course

pytestmark = of_a_course

NUMBER, FUNCTION, LAST = "ranking.e4", "ranking.write_precision", "ranking.comparable"
# Told from what other tests of the same machine start.
LONG = f"98765.{os.getpid()}"
FOR_EVER = f"time.sleep({LONG})"


@pytest.fixture(scope="module")
def class_(desk, sandbox):
    """Attacks on the class handed in and graded, with somebody honest among them."""
    names = ["honest", "exits_early", "never_ends", "metadata", "spies", "kills", "talks",
             "silent_thread", "loops"]  # fmt: skip
    at = desk(names, [NUMBER, FUNCTION, LAST], seconds=25, cell_seconds=10, memory_mb=700)
    at.hand_in("honest", at.answered("honest"))
    _others(at)
    before = _processes()
    begun = time.monotonic()
    graded = at.grade(jobs=3)
    return at, graded, time.monotonic() - begun, before


def _others(at):
    early = at.answered("exits_early")
    add_code(early, "import os\nos._exit(0)", before="ranking-write_precision")
    at.hand_in("exits_early", early)
    endless = at.answered("never_ends")
    deaf = f"import signal, time\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n{FOR_EVER}"
    add_code(endless, deaf, before="ranking-write_precision")
    at.hand_in("never_ends", endless)
    loops = at.answered("loops")
    loop = f"import time\n{FOR_EVER}"
    add_code(loops, loop, before="ranking-write_precision")
    at.hand_in("loops", loops)
    hidden = at.answered("metadata", {NUMBER: "ap = 77"})
    hidden["metadata"]["points"] = hidden["metadata"]["score"] = 1000
    for cell in hidden["cells"]:
        graded = cell["metadata"].get("nbgrader")
        if graded:
            graded.update(points=1000, auto_score=1000, max_score=1, solution=False, locked=True)
        cell["metadata"]["autograder"] = {"score": 1000, "outcome": "PASS"}
        cell["outputs"] = [{"output_type": "display_data", "metadata": {},
                            "data": {"text/html": "<script>alert(1)</script>"}}]  # fmt: skip
    at.hand_in("metadata", hidden)
    spy = """
import json, os
def my_precision(recommended, relevant, k):
    seen = repr((recommended, relevant, k))
    print(seen)
    for fd in range(3, 256):
        for said in ({"cell": 0, "error": seen, "says": seen},
                     {"question": 0, "values": {"ap": {"kind": "str", "value": seen}}}):
            try:
                os.write(fd, json.dumps(said).encode() + b"\\n")
            except OSError:
                pass
    kind = "".join(c if c.isalnum() else "_" for c in "T" + seen)
    if k % 2:
        raise type(kind, (Exception,), {})(seen)
    return type(kind, (), {"__repr__": lambda self: seen})()
"""
    at.hand_in("spies", at.answered("spies", {NUMBER: at.right("spies", NUMBER), FUNCTION: spy}))
    kills = at.answered("kills")
    add_code(
        kills,
        "import os, signal\nfor pid in (os.getppid(), -1, 0, 1):\n"
        "    try: os.kill(pid, signal.SIGKILL)\n    except OSError: pass",
        before="ranking-write_precision",
    )
    at.hand_in("kills", kills)
    talks = at.answered("talks")
    add_code(
        talks,
        "import os\n"
        "for fd in range(3, 256):\n"
        "    try:\n        while True: os.write(fd, b'x' * 65536 + b'\\n')\n"
        "    except OSError: pass",
        before="ranking-write_precision",
    )
    at.hand_in("talks", talks)
    thread = at.answered("silent_thread")
    add_code(
        thread,
        f"import threading, time\nthreading.Thread(target=time.sleep, args=({LONG},)).start()",
        before="ranking-write_precision",
    )
    at.hand_in("silent_thread", thread)


def _processes() -> dict[int, str]:
    """Return the processes that an attack has started, and those of ours."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if f"sleep {LONG}" in line:
                found[int(folder.name)] = line
    return found | {one.pid: "ours" for one in processes.list_descendants(os.getpid())}


def _points(graded):
    return {one.exercise: one.points for one in graded.judged_answers}


def test_the_honest_submission_has_all_points(class_):
    at, graded, *_ = class_
    assert graded["honest"].points == at.assignment.out_of
    assert (graded["honest"].problem, graded["honest"].notes) == ("", [])


def test_answers_before_an_early_exit_count(class_):
    at, graded, *_ = class_
    for name in ("exits_early", "kills"):
        assert _points(graded[name])[NUMBER] == at.assignment.points[NUMBER]
        assert _points(graded[name])[FUNCTION] == _points(graded[name])[LAST] == 0
        (note,) = graded[name].notes
        assert note.startswith("its process ended by itself, as after os._exit or a crash, in a ")


def test_a_submission_that_never_ends_is_stopped_and_reported(class_):
    at, graded, *_ = class_
    (note,) = graded["never_ends"].notes
    assert note.startswith("it did not end within 25 s")
    assert _points(graded["never_ends"])[NUMBER] == at.assignment.points[NUMBER]
    assert graded["never_ends"].seconds < 60


def test_an_endless_cell_does_not_affect_other_answers(class_):
    at, graded, *_ = class_
    assert graded["loops"].points == at.assignment.out_of
    assert "took too long and was stopped" in at.page("loops")


def test_endless_output_is_stopped_and_reported(class_):
    _, graded, *_ = class_
    (note,) = graded["talks"].notes
    assert note.startswith("its answers are larger than 4 MB")


def test_a_background_thread_does_not_delay_grading(class_):
    at, graded, *_ = class_
    assert graded["silent_thread"].points == at.assignment.out_of
    assert graded["silent_thread"].notes == []


def test_forged_metadata_earns_no_points_and_injects_no_script(class_):
    at, graded, *_ = class_
    assert graded["metadata"].points == 0
    shown = at.course.notebook("autograded", "metadata", "ps1").read_text()
    assert "1000" not in shown
    assert "<script" not in shown
    assert "<script" not in at.page("metadata")


def test_hidden_cases_are_not_revealed(class_):
    at, graded, *_ = class_
    cases = at.asked("spies")[FUNCTION].exercise.cases
    assert _points(graded["spies"])[FUNCTION] == 0
    assert _points(graded["spies"])[NUMBER] == at.assignment.points[NUMBER]
    told = [
        at.page("spies"),
        at.course.notebook("autograded", "spies", "ps1").read_text(),
        at.course.report("ps1").read_text(),
        at.export(questions=True).read_text(),
        *(one.result.message for one in graded["spies"].judged_answers),
    ]
    for case in cases:
        for text in told:
            recommended = repr(case.arguments["recommended"])
            assert len(case.arguments["recommended"]) < 2 or recommended not in text
            assert "T__" not in text


def test_no_process_is_left_running(class_):
    *_, before = class_
    left = {pid: line for pid, line in _processes().items() if pid not in before}
    assert left == {}


def test_the_grading_time_of_each_is_recorded(class_, capsys):
    _, graded, seconds, *_ = class_
    with capsys.disabled():
        print(f"\n{len(graded)} hostile submissions in {seconds:.1f} s:", end=" ")
        print(", ".join(f"{name} {one.seconds:.1f}" for name, one in sorted(graded.items())))
    assert all(one.seconds > 0 for one in graded.values())


def test_the_process_count_detects_started_processes(tmp_path):
    # Without a sandbox nothing keeps a submission from starting some.
    code = f"""
import subprocess, threading, time

def go_on():
    while True:
        subprocess.Popen(["sleep", "{LONG}"], start_new_session=True)

for _ in range(3):
    threading.Thread(target=go_on, daemon=True).start()
time.sleep(30)
"""
    job = box.Job(((code, 0),), (("ap",),), ("",), (0,), pickle.dumps([]))
    begun = time.monotonic()
    trace = box.run_submission(job, tmp_path, Limits(seconds=20, processes=8), sandboxed=False)
    assert trace.problem == "it started more than 8 processes"
    assert time.monotonic() - begun < 15
    assert [line for line in _processes().values() if LONG in line] == []


def test_stopped_processes_are_gone(monkeypatch):
    # A busy system ends a process when it comes to it; to have asked for that is not enough.
    code = f"import subprocess; one = subprocess.Popen(['sleep', '{LONG}'])"
    code += "; print(one.pid, flush=True); input()"
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with parent:
        child = int(parent.stdout.readline())
        signal_now, late = os.kill, threading.Event()

        def signal_later(pid, which):
            if pid == child and which == signal.SIGKILL:
                late.set()
                threading.Timer(0.3, signal_now, (pid, which)).start()
            else:
                signal_now(pid, which)

        monkeypatch.setattr(os, "killpg", signal_later)
        monkeypatch.setattr(os, "kill", signal_later)
        processes.end_process(parent)
    assert late.is_set()
    assert child not in _processes()


def test_without_bubblewrap_no_submission_is_run(desk, monkeypatch):
    at = desk(["ann"], [NUMBER])
    at.hand_in("ann", at.answered("ann"))
    monkeypatch.setenv("PATH", str(at.downloads))
    with pytest.raises(box.GradingError, match=r"apt install bubblewrap.*--unsandboxed"):
        at.grade()
    assert not at.course.report("ps1").exists()
    monkeypatch.undo()
    assert at.grade(sandboxed=False)["ann"].points == at.assignment.out_of


def test_the_system_call_filter_has_the_kernel_format():
    from recsys_metrics.workbook.grading.sandbox import syscalls

    for machine in ("x86_64", "aarch64"):
        program = syscalls.compile_filter(machine)
        assert len(program) % 8 == 0
        # What nothing before has allowed is refused, with EPERM.
        assert program[-8:] == bytes.fromhex("0600000001000500")
    assert syscalls.compile_filter("pdp11") is None


def test_a_failing_sandbox_reports_the_reason(desk, sandbox, monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: no permissions to create a namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(box.GradingError, match="no permissions to create a namespace"):
        box.require_sandbox(tmp_path, Limits())


def test_the_runner_imports_nothing_from_the_project():
    source = Path(box.__file__).with_name("in_sandbox.py").read_text(encoding="utf-8")
    assert "recsys_metrics" not in source
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import ast; ast.parse({source!r})"], check=False
    )
    assert done.returncode == 0
