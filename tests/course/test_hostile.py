"""Submissions that mean harm: none changes a grade, reads a hidden case, leaves a process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest

from recsys_metrics.workbook.course import processes
from recsys_metrics.workbook.course import sandbox as box
from recsys_metrics.workbook.course.folder import Limits
from tests.course.people import add_code, cell_of

NUMBER, FUNCTION, LAST = "ranking.e4", "ranking.write_precision", "ranking.comparable"
MARK = f"mark{uuid.uuid4().hex}"

# Each is put above the first answer. `won` says whether the attack got anywhere; where it did the
# right answer below is thrown away, and the grade gives it away.
HEAD = """
import builtins, ctypes, glob, os, signal, socket, subprocess, sys, threading, time
won = []
def attempt(what):
    try:
        found = what()
    except BaseException as problem:
        return problem
    if found:
        won.append(found)
"""
ATTACKS = {
    "reads_files": """
for path in [{root!r}, {root!r} + "/course.toml", {root!r} + "/assignments/ps1.json",
             {root!r} + "/gradebook.db", {repository!r} + "/solutions", "/etc/passwd",
             {repository!r} + "/tests", os.path.expanduser("~root/.ssh")]:
    attempt(lambda: os.path.exists(path) and path)
attempt(lambda: [where for top in os.listdir("/") if top not in ("proc", "usr")
                 for where, _, files in os.walk("/" + top)
                 if "course.toml" in files or "ps1.json" in files])
""",
    "writes_outside": """
for place in [{root!r}, {tmp!r}, "/", "/usr", "/etc", "/dev", {package!r}, sys.prefix,
              sys.base_prefix, os.path.dirname(os.__file__), "/proc/sys/kernel", "/lib"]:
    def write():
        with open(os.path.join(place, {mark!r}), "w") as stream:
            stream.write("x")
        return place
    attempt(write)
    attempt(lambda: (os.mkdir(os.path.join(place, {mark!r} + "d")), place)[1])
open("/tmp/" + {mark!r}, "w").write("allowed, and gone afterwards")
""",
    "opens_a_socket": """
for where in [("127.0.0.1", {port}), ("1.1.1.1", 53), ("192.0.2.1", 80)]:
    attempt(lambda: socket.create_connection(where, timeout=1))
attempt(lambda: socket.gethostbyname("example.org"))
attempt(lambda: [name for _, name in socket.if_nameindex() if name != "lo"])
""",
    "forks_without_end": """
def bomb():
    while True:
        if os.fork() and False:
            break
attempt(bomb)
attempt(lambda: subprocess.Popen(["sleep", {sleep!r}]))
attempt(lambda: subprocess.run([sys.executable, "-c", "1"], check=True))
attempt(lambda: os.posix_spawn("/bin/sleep", ["sleep", {sleep!r}], {{}}))
libc = ctypes.CDLL(None)
attempt(lambda: libc.syscall(57) > -1)
attempt(lambda: libc.unshare(0x10000000) == 0)
attempt(lambda: libc.syscall(101, 0, 0, 0, 0) == 0)
""",
    "fills_memory": """
held = []
def fill():
    while True:
        held.append(bytearray(50_000_000))
problem = attempt(fill)
attempt(lambda: not isinstance(problem, MemoryError))
held.clear()
def fill_disk():
    for number in range(10_000):
        with open(f"/tmp/{{number}}", "wb") as stream:
            stream.write(bytes(30_000_000))
    return "all of it"
attempt(fill_disk)
for name in glob.glob("/tmp/[0-9]*"):
    os.unlink(name)
""",
    "imports_the_solution": """
import importlib
for name in ["recsys_metrics.workbook.exercises.ranking", "recsys_metrics.workbook.ledger",
             "recsys_metrics.workbook.exercises.base", "recsys_metrics.workbook.checking.grade",
             "recsys_metrics.workbook.course.keys", "recsys_metrics.workbook.course.judge",
             "solutions", "tests.exercises.people"]:
    def load():
        module = importlib.import_module(name)
        return getattr(module, "__file__", None)
    attempt(load)
attempt(lambda: [path for path in glob.glob({package!r} + "/workbook/**", recursive=True)
                 if "exercises/" in path or "solutions/" in path])
""",
    "leaves_a_symlink": """
for place in [os.path.expanduser("~"), "/tmp"]:
    os.symlink({root!r} + "/course.toml", place + "/ps1.ipynb")
    attempt(lambda: open(place + "/ps1.ipynb").read())
attempt(lambda: (os.symlink("/etc", {package!r} + "/link"), "link")[1])
""",
    "reads_the_parent": """
mine = os.getpid()
for number in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
    for file in ["environ", "cmdline", "maps", "mem", "root", "cwd", "fd"]:
        def look():
            path = f"/proc/{{number}}/{{file}}"
            text = "".join(os.listdir(path)) if os.path.isdir(path) else open(path, "rb").read()
            return (str(text).count({root!r}) or str(text).count("gradebook")) and path
        attempt(look)
attempt(lambda: len([name for name in os.listdir("/proc") if name.isdigit()]) > 3)
attempt(lambda: [name for name in os.environ if "KEY" in name or "TOKEN" in name])
attempt(lambda: os.getppid() > 1)
""",
}

# What these do to the answers is told by the grade they are to have.
SPOILERS = {
    "patches_the_checker": (
        """
import builtins, json, sys
import recsys_metrics, numpy
recsys_metrics.precision = lambda *a, **k: 1.0
recsys_metrics.average_precision = lambda *a, **k: 1.0
numpy.isclose = numpy.allclose = lambda *a, **k: True
builtins.abs = lambda x: 0
main = sys.modules["__main__"]
for name in ("written", "_written", "_equal", "_described"):
    setattr(main, name, lambda *a, **k: {"kind": "pass", "outcome": "PASS", "points": 99})
class Yes(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
    def __hash__(self): return 0
ap = Yes(0.123)
def my_precision(*a): return Yes(0.5)
""",
        0,
    ),
    "forges_a_score": (
        """
import json, os
forged = [
    {"question": 0, "values": {"ap": {"kind": "pass"}}, "points": 99, "outcome": "PASS"},
    {"question": 0, "points": 99, "auto_score": 99, "passed": True},
    {"question": 99, "values": {"ap": 1}}, {"question": -1, "values": []}, {"question": True},
    {"cell": 10**9, "error": 5}, [], 3, None, {"question": 1, "case": "x"},
    {"question": 1, "function": {"kind": "function", "problem": {}}},
    {"question": 0, "values": {"ap": {"kind": "scalar", "dtype": "void", "value": "x" * 9999}}},
    {"question": 0, "values": {"ap": {"kind": "list", "items": [[[[{}]]]]}}},
    {"ready": True}, {"question": 1, "case": 0, "value": {"kind": "float", "value": "1"}},
    {"question": 1, "case": [], "changed": "x"}, {"question": 1, "case": -5, "changed": [9**9]},
    {"done": True},
]
print(json.dumps({"score": 100, "tests": [{"status": "passed"}]}))
for fd in range(3, 256):
    for line in [*map(json.dumps, forged), "[" * 100000, "x" * 5000, "\\x00", '{"a": 1']:
        try:
            os.write(fd, line.encode() + b"\\n")
        except OSError:
            break
ap = 100
""",
        0,
    ),
}


@pytest.fixture(scope="module")
def listener():
    """Somebody on this machine who would answer."""
    server = socket.create_server(("127.0.0.1", 0))
    heard = []
    server.settimeout(0.2)

    def serve():
        while not done:
            try:
                heard.append(server.accept())
            except TimeoutError:
                continue
            except OSError:
                return

    done = []
    thread = threading.Thread(target=serve)
    thread.start()
    yield server.getsockname()[1], heard
    done.append(True)
    thread.join()
    server.close()


@pytest.fixture(scope="module")
def class_(desk, sandbox, listener, tmp_path_factory):
    """Every attack handed in and graded, with somebody honest among them."""
    names = [*ATTACKS, *SPOILERS, "honest", "exits_early", "never_ends", "metadata", "spies",
             "kills", "talks", "silent_thread", "loops"]  # fmt: skip
    at = desk(names, [NUMBER, FUNCTION, LAST], seconds=15, cell_seconds=4, memory_mb=700)
    port, heard = listener
    package = Path(box.__file__).resolve().parents[2]
    told = {
        "root": str(at.course.root.resolve()),
        "repository": str(package.parent),
        "package": str(package),
        "tmp": str(tmp_path_factory.getbasetemp()),
        "mark": MARK,
        "sleep": "98765",
        "port": port,
    }
    for name, code in ATTACKS.items():
        book = at.answered(name)
        add_code(book, HEAD + code.format(**told), before="ranking-e4")
        cell = cell_of(book, "ranking-e4")
        cell["source"] += "\nap = ap if not won else 77"
        at.hand_in(name, book)
    for name, (code, _) in SPOILERS.items():
        book = at.answered(name, {NUMBER: code, LAST: at.right(name, LAST)})
        at.hand_in(name, book)
    at.hand_in("honest", at.answered("honest"))
    _others(at)
    before = _processes()
    begun = time.monotonic()
    graded = at.grade(jobs=2)
    return at, graded, time.monotonic() - begun, before, heard


def _others(at):
    early = at.answered("exits_early")
    add_code(early, "import os\nos._exit(0)", before="ranking-write_precision")
    at.hand_in("exits_early", early)
    endless = at.answered("never_ends")
    deaf = "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass"
    add_code(endless, deaf, before="ranking-write_precision")
    at.hand_in("never_ends", endless)
    loops = at.answered("loops")
    loop = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
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
def my_precision(served, relevant, k):
    seen = repr((served, relevant, k))
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
        "import threading, time\nthreading.Thread(target=time.sleep, args=(98765,)).start()",
        before="ranking-write_precision",
    )
    at.hand_in("silent_thread", thread)


def _processes() -> dict[int, str]:
    """Return the processes that run ours: the runner, a sandbox, what an attack starts."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if any(word in line for word in ("runner.py", "recsys-course-", "sleep 98765")):
                found[int(folder.name)] = line
    return found


def _points(graded):
    return {one.exercise: one.points for one in graded.verdicts}


def test_the_honest_one_has_all_points(class_):
    at, graded, *_ = class_
    assert graded["honest"].points == at.assignment.out_of
    assert (graded["honest"].problem, graded["honest"].notes) == ("", [])


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_reaches_nothing_and_costs_nothing(name, class_):
    at, graded, *_ = class_
    assert graded[name].notes == []
    assert graded[name].points == at.assignment.out_of, at.page(name)


@pytest.mark.parametrize("name", SPOILERS)
def test_no_forged_verdict_brings_a_point(name, class_):
    _, graded, *_ = class_
    points = _points(graded[name])
    assert points[NUMBER] == points[FUNCTION] == SPOILERS[name][1]


def test_what_was_answered_before_an_early_exit_counts(class_):
    at, graded, *_ = class_
    for name in ("exits_early", "kills"):
        assert _points(graded[name])[NUMBER] == at.assignment.points[NUMBER]
        assert _points(graded[name])[FUNCTION] == _points(graded[name])[LAST] == 0
        assert graded[name].notes == ["it ended before it was through"]


def test_what_never_ends_is_ended_and_named(class_):
    at, graded, *_ = class_
    assert graded["never_ends"].notes == ["it did not end within 15 s"]
    assert _points(graded["never_ends"])[NUMBER] == at.assignment.points[NUMBER]
    assert graded["never_ends"].seconds < 20


def test_a_cell_that_never_ends_costs_no_other_its_answer(class_):
    at, graded, *_ = class_
    assert graded["loops"].points == at.assignment.out_of
    assert "it took too long" in at.page("loops")


def test_what_talks_without_end_is_ended_and_named(class_):
    _, graded, *_ = class_
    assert graded["talks"].notes == ["its answers are larger than 16 MB"]


def test_a_thread_that_stays_holds_nobody_up(class_):
    at, graded, *_ = class_
    assert graded["silent_thread"].points == at.assignment.out_of
    assert graded["silent_thread"].seconds < 12


def test_metadata_brings_no_points_and_no_script_to_the_instructor(class_):
    at, graded, *_ = class_
    assert graded["metadata"].points == 0
    shown = at.course.notebook("autograded", "metadata", "ps1").read_text()
    assert "1000" not in shown
    assert "<script" not in shown
    assert "<script" not in at.page("metadata")


def test_no_hidden_case_comes_back(class_):
    at, graded, *_ = class_
    cases = at.asked("spies")[FUNCTION].exercise.cases
    assert _points(graded["spies"])[FUNCTION] == 0
    assert _points(graded["spies"])[NUMBER] == at.assignment.points[NUMBER]
    told = [
        at.page("spies"),
        at.course.notebook("autograded", "spies", "ps1").read_text(),
        at.course.report("ps1").read_text(),
        at.export(questions=True).read_text(),
        *(one.result.message for one in graded["spies"].verdicts),
    ]
    for case in cases:
        for text in told:
            served = repr(case.arguments["served"])
            assert len(case.arguments["served"]) < 2 or served not in text
            assert "T__" not in text


def test_no_process_is_left(class_):
    *_, before, _ = class_
    left = {pid: line for pid, line in _processes().items() if pid not in before}
    assert left == {}


def test_nobody_was_called(class_):
    *_, heard = class_
    assert heard == []


def test_nothing_was_written_outside(class_, tmp_path_factory):
    at, *_ = class_
    places = [at.course.root, Path("/tmp"), Path(sys.prefix), tmp_path_factory.getbasetemp()]
    assert [place for place in places for _ in place.glob(f"{MARK}*")] == []


def test_the_time_of_each_is_told(class_, capsys):
    _, graded, seconds, *_ = class_
    with capsys.disabled():
        print(f"\n{len(graded)} hostile submissions in {seconds:.1f} s:", end=" ")
        print(", ".join(f"{name} {one.seconds:.1f}" for name, one in sorted(graded.items())))
    assert all(one.seconds > 0 for one in graded.values())


def test_processes_are_counted_where_they_can_be_started(tmp_path):
    # Without a sandbox nothing keeps a submission from starting some.
    code = """
import subprocess, threading, time

def go_on():
    while True:
        subprocess.Popen(["sleep", "98765"], start_new_session=True)

for _ in range(3):
    threading.Thread(target=go_on, daemon=True).start()
time.sleep(30)
"""
    job = box.Job(((code, 0),), (("ap",),), ("",), (0,), b"")
    begun = time.monotonic()
    trace = box.run(job, tmp_path, Limits(seconds=20, processes=8), sandboxed=False)
    assert trace.problem == "it started more than 8 processes"
    assert time.monotonic() - begun < 15
    assert [line for line in _processes().values() if "sleep 98765" in line] == []


def test_what_was_ended_is_gone(monkeypatch):
    # A busy system ends a process when it comes to it; to have asked for that is not enough.
    code = "import subprocess; print(subprocess.Popen(['sleep', '98765']).pid, flush=True); input()"
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
        processes.end(parent)
    assert late.is_set()
    assert child not in _processes()


def test_without_bubblewrap_nothing_is_run(desk, monkeypatch):
    at = desk(["ann"], [NUMBER])
    at.hand_in("ann", at.answered("ann"))
    monkeypatch.setenv("PATH", str(at.downloads))
    with pytest.raises(box.CourseError, match=r"apt install bubblewrap.*--unsandboxed"):
        at.grade()
    assert not at.course.report("ps1").exists()
    monkeypatch.undo()
    assert at.grade(sandboxed=False)["ann"].points == at.assignment.out_of


def test_the_filter_is_what_the_kernel_reads():
    from recsys_metrics.workbook.course import syscalls

    for machine in ("x86_64", "aarch64"):
        program = syscalls.program(machine)
        assert len(program) % 8 == 0
        assert program[-8:] == bytes.fromhex("060000000000ff7f")
    assert syscalls.program("pdp11") is None


def test_a_sandbox_that_cannot_be_made_says_why(desk, sandbox, monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: no permissions to create a namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(box.CourseError, match="no permissions to create a namespace"):
        box.make_ready(tmp_path, Limits())


def test_the_runner_imports_nothing_of_the_project():
    source = Path(box.__file__).with_name("runner.py").read_text(encoding="utf-8")
    assert "recsys_metrics" not in source
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import ast; ast.parse({source!r})"], check=False
    )
    assert done.returncode == 0
