"""A corpus of hostile submissions: how each one ends, and that nothing around it has changed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pickle
import platform
import re
import socket
import sys
import tempfile
import textwrap
import threading
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recsys_metrics.workbook.grading import judge, submissions
from recsys_metrics.workbook.grading.limits import Limits
from recsys_metrics.workbook.grading.sandbox import Job, Trace, memory, processes, syscalls
from recsys_metrics.workbook.grading.sandbox import supervisor as box
from tests.course.attempts_exhaust import CELL, CELLS, ENDLESS, GREEDY
from tests.course.attempts_forge import FORGED
from tests.course.attempts_forge import HEAD as FORGING
from tests.course.attempts_reach import ARGUMENTS, CALLS, GROUPS, KERNEL
from tests.course.simulated_people import Desk, add_code
from tests.tiers import of_a_course

pytestmark = of_a_course

REFUSED, WRONG, IN_TIME = "refused", "wrong", "ended in time"
NUMBER, FUNCTION, LAST = "ranking.e4", "ranking.write_precision", "ranking.comparable"
SECRET = f"the words of another student {uuid.uuid4().hex}"
MARK = f"mark{uuid.uuid4().hex}"
# Told from what other tests of the same machine start.
LONG = f"98765.{os.getpid()}"
SETTINGS = [path for path in KERNEL if path.startswith("/proc/sys/")]

MACHINE = ["x86_64", "aarch64"].index(platform.machine()) if syscalls.compile_filter() else 0
NUMBERS = {name: row[MACHINE] for name, row in CALLS.items() if row[MACHINE] is not None}
REACH = {
    **GROUPS,
    "arguments": ARGUMENTS,
    "calls": {name: f"return call({name!r}, 0, 0, 0, 0, 0, 0)" for name in NUMBERS},
}

# What a refusal is: an error of the system's. Another one would be a mistake in the attempt.
HEAD = """
import ctypes, glob, importlib, os, shutil, socket, sqlite3, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    found = libc.syscall(N[name], *arguments)
    if found == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f'{name} gave {found}'
def write(folder):
    with open(os.path.join(folder, MARK), 'w') as stream:
        stream.write('x')
    return folder
def everything(kept=[]):
    if not kept:
        kept.extend((where, set(files)) for where, _, files in os.walk('/'))
    return kept
def outcome(attempt):
    try:
        found = attempt()
    except (OSError, ImportError, MemoryError, sqlite3.Error) as problem:
        return f'refused: {type(problem).__name__}: {problem}'[:300]
    except ValueError as problem:
        return ('refused: ' if 'maximum limit' in str(problem) else 'broken: ') + str(problem)
    except BaseException as problem:
        return f'broken: {type(problem).__name__}: {problem}'[:300]
    return f'reached: {found!r}'[:300] if found else 'refused: there is nothing'
"""


@dataclass
class Outside:
    """What lies around the sandbox, and has to stay as it is."""

    desk: Desk
    heard: list[object]
    names: dict[str, object]
    peaks: list[int] = field(default_factory=list)
    last: dict[str, object] = field(default_factory=dict)

    def state(self) -> dict[str, object]:
        """Return all of it that an attempt could have changed."""
        package = Path(str(self.names["PACKAGE"]))
        folders = ["/", "/tmp", "/dev/shm", "/usr", "/etc", sys.prefix, sys.base_prefix]
        folders += [str(self.names[one]) for one in ("TMP", "HOME", "PACKAGE", "REPOSITORY")]
        return {
            "course": _contents(self.desk.course.root),
            "package": {str(p): p.stat().st_mtime_ns for p in package.rglob("*.py")},
            "marks": [f for f in folders if Path(f).is_dir() and MARK in _listed(f)],
            "kernel": {path: _content(path) for path in SETTINGS},
            "host": (socket.gethostname(), os.getpriority(os.PRIO_PROCESS, 0)),
            "processes": _ours(),
            "heard": list(self.heard),
            "acted": Path("/tmp/acted").exists(),
        }


@dataclass(frozen=True)
class Run:
    """An attempt that was made."""

    kind: str
    name: str
    expected: str
    ended: str
    said: str
    changed: list[str]


def _listed(folder: str) -> list[str]:
    try:
        return [path.name for path in Path(folder).iterdir()]
    except PermissionError:
        return []


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _contents(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _ours() -> list[str]:
    """Return what runs of ours that should have ended: a child, or what an attempt has started."""
    family = [f"child {one.pid}" for one in processes.list_descendants(os.getpid())]
    lines = (_content(f"{path}/cmdline") for path in Path("/proc").iterdir() if path.name.isdigit())
    return family + [str(line) for line in lines if LONG.encode() in line]


@pytest.fixture(scope="module")
def listening() -> Iterator[tuple[int, str, list[object]]]:
    """Somebody on this machine who would answer, in each way that there is."""
    heard: list[object] = []
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/socket"
        servers = [socket.create_server(("127.0.0.1", 0))]
        for address in (path, f"\0{MARK}"):
            servers.append(socket.socket(socket.AF_UNIX))
            servers[-1].bind(address)
            servers[-1].listen()
        stopped = threading.Event()

        def serve() -> None:
            while not stopped.is_set():
                for server in servers:
                    server.settimeout(0.05)
                    try:
                        heard.append(server.accept()[0])
                    except OSError:
                        continue

        thread = threading.Thread(target=serve)
        thread.start()
        Path(path).chmod(0o777)
        yield servers[0].getsockname()[1], path, heard
        stopped.set()
        thread.join()
        for server in servers:
            server.close()


@pytest.fixture(scope="module")
def outside(desk, sandbox, listening, tmp_path_factory) -> Outside:
    at = desk(["mallory", "ann"], [NUMBER, FUNCTION, LAST])
    theirs = at.answered("ann")
    add_code(theirs, f"# {SECRET}", before="ranking-e4")
    at.hand_in("ann", theirs)
    port, path, heard = listening
    package = Path(judge.__file__).resolve().parents[2]
    names: dict[str, object] = {
        "ROOT": str(at.course.root.resolve()),
        "ANN": str(at.course.notebook("submitted", "ann", "ps1").resolve()),
        "REPOSITORY": str(package.parent),
        "PACKAGE": str(package),
        "TMP": str(tmp_path_factory.getbasetemp().resolve()),
        "HOME": str(Path.home()),
        "MARK": MARK,
        "PORT": port,
        "SOCKET": path,
        "GRADER": os.getpid(),
        "N": NUMBERS | {"clone": [56, 220][MACHINE], "exit": [60, 93][MACHINE], "close_range": 436},
    }
    box.require_sandbox(at.course.root, Limits(memory_mb=700))
    return Outside(at, heard, names)


def _head(outside: Outside) -> str:
    return "\n".join(f"{name} = {value!r}" for name, value in outside.names.items()) + HEAD


def _reaching(outside: Outside, attempts: dict[str, str]) -> Job:
    cells = [(_head(outside), -1)]
    for place, code in enumerate(attempts.values()):
        body = textwrap.indent(code.strip(), "    ")
        cells.append((f"def attempt():\n{body}\nfound = outcome(attempt)", place))
    count = len(attempts)
    return Job(tuple(cells), (("found",),) * count, ("",) * count, (0,) * count, pickle.dumps([]))


def _changes(before: dict[str, object], after: dict[str, object], trace: Trace) -> list[str]:
    """Return what an attempt has changed or found out; empty if it was as it should be."""
    changed = [name for name in before if before[name] != after[name]]
    told = json.dumps(dataclasses.asdict(trace))
    return changed + [f"knows {secret!r}" for secret in (SECRET,) if secret in told]


def _surely(
    outside: Outside, asked: Sequence[tuple[Job, Limits]], *, at_once: int = 1
) -> list[tuple[Trace, list[str]]]:
    """Run submissions; what has changed around several that ran at once is held against each."""

    def run(one: tuple[Job, Limits]) -> Trace:
        job, limits = one
        cells = tuple((code.replace("98765", LONG), place) for code, place in job.cells)
        return box.run_submission(
            dataclasses.replace(job, cells=cells), outside.desk.course.root, limits
        )

    found = []
    with ThreadPoolExecutor(at_once) as pool:
        for first in range(0, len(asked), at_once):
            before = outside.last or outside.state()
            traces = list(pool.map(run, asked[first : first + at_once]))
            outside.last = outside.state()
            for trace in traces:
                changed = _changes(before, outside.last, trace)
                if outside.desk.course.key in json.dumps(dataclasses.asdict(trace)):
                    changed.append("knows the key")
                found.append((trace, changed))
    return found


@pytest.fixture(scope="module")
def reach_runs(outside) -> dict[str, Run]:
    runs = {}
    for kind, attempts in REACH.items():
        limits = Limits(seconds=300, cell_seconds=120, memory_mb=700)
        ((trace, changed),) = _surely(outside, [(_reaching(outside, attempts), limits)])
        for place, name in enumerate(attempts):
            value = trace.values.get(place, {}).get("found", {"value": f"lost: {trace.problem}"})
            said = value["value"]
            runs[f"{kind}: {name}"] = Run(
                kind, name, REFUSED, said.partition(":")[0], said.partition(": ")[2], changed
            )
    return runs


@pytest.fixture(scope="module")
def forge_runs(outside) -> dict[str, Run]:
    at = outside.desk
    cases = at.asked("mallory")[FUNCTION].exercise.cases
    long = [
        repr(case.arguments["recommended"])
        for case in cases
        if len(case.arguments["recommended"]) > 1
    ]
    asked, handed_in = [], []
    for code in FORGED.values():
        # A hostile cell in place of the first answer.
        answers = {NUMBER: FORGING + code, LAST: at.right("mallory", LAST)}
        book = at.answered("mallory", answers)
        questions = at.assignment.questions(at.course, "mallory")
        submission = submissions.parse_notebook(json.dumps(book).encode(), questions)
        limits = Limits(seconds=20, cell_seconds=10, memory_mb=700)
        asked.append((judge.create_job(questions, submission), limits))
        handed_in.append((questions, submission))
    found = _surely(outside, asked, at_once=4)
    runs = {}
    for name, theirs, (trace, changed) in zip(FORGED, handed_in, found, strict=True):
        judged_answers = {one.exercise: one for one in judge.judge_submission(*theirs, trace)}
        points = {one: judged_answers[one].points for one in (NUMBER, FUNCTION)}
        said = ", ".join(f"{one} {judged_answers[one].outcome}" for one in (NUMBER, FUNCTION))
        told = " ".join(one.result.message for one in judged_answers.values())
        changed += [f"tells the case {one}" for one in long if one in told]
        ended = WRONG if set(points.values()) == {0} else f"points: {points}"
        said += f"; {trace.problem}" if trace.problem else ""
        runs[f"forges: {name}"] = Run("forges", name, WRONG, ended, said, changed)
    return runs


def _exhausting(code: str) -> Job:
    cells = (("ap = 1", 0), (code, -1), ("last = 2", 1))
    return Job(cells, (("ap",), ("last",)), ("", ""), (0, 0), pickle.dumps([]))


@pytest.fixture(scope="module")
def exhaust_runs(outside) -> dict[str, Run]:
    runs = {}
    held, peaks = memory.hold_submission, outside.peaks

    def watched(*arguments):
        peaks.append(held(*arguments))
        return peaks[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "hold_submission", watched)
        # None of the endless comes to an end, however many there are; the greedy hold all that
        # they may.
        for kind, attempts, seconds, at_once in (
            ("endless", ENDLESS, 4, len(ENDLESS)),
            ("greedy", GREEDY, 120, 2),
        ):
            limits = Limits(seconds=seconds, cell_seconds=60, memory_mb=400)
            asked = [(_exhausting(code), limits) for _, code in attempts.values()]
            found = _surely(outside, asked, at_once=at_once)
            for (name, (pattern, _)), (trace, changed) in zip(attempts.items(), found, strict=True):
                ended = IN_TIME if re.fullmatch(pattern, trace.problem) else "otherwise"
                # What was there before counts, unless a busy machine had not come to it.
                if kind == "greedy" and trace.values.get(0, {}).get("ap", {}).get("value") != "1":
                    changed.append("the answer above it is lost")
                said = trace.problem or trace.errors.get(1, "it went through")
                runs[f"{kind}: {name}"] = Run(kind, name, IN_TIME, ended, said, changed)
        runs |= _cell_by_cell(outside)
    return runs


def _cell_by_cell(outside: Outside) -> dict[str, Run]:
    """Return how cells end that a submission goes on after."""
    count = len(CELLS)
    cells = [cell for at, code in enumerate(CELLS.values()) for cell in ((code, -1), ("n = 1", at))]
    names = (("n",),) * count
    job = Job(tuple(cells), names, ("",) * count, (0,) * count, pickle.dumps([]))
    limits = Limits(seconds=300, cell_seconds=1, memory_mb=400)
    ((trace, changed),) = _surely(outside, [(job, limits)])
    runs = {}
    for at, name in enumerate(CELLS):
        said = trace.errors.get(2 * at, "it went through")
        went_on = trace.values.get(at, {}).get("n", {}).get("value") == "1"
        ended = IN_TIME if went_on and (CELL in said or "Recursion" in said) else "otherwise"
        runs[f"cells: {name}"] = Run("cells", name, IN_TIME, ended, said, changed)
    return runs


def _held(run: Run) -> None:
    assert (run.ended, run.changed) == (run.expected, []), run.said


@pytest.mark.parametrize("name", [f"{k}: {name}" for k, group in REACH.items() for name in group])
def test_protected_resources_cannot_be_reached(name, reach_runs):
    _held(reach_runs[name])


@pytest.mark.parametrize("name", NUMBERS)
def test_a_listed_system_call_is_blocked(name, reach_runs):
    # The C library takes a newer call for one that this kernel does not have.
    error = "OSError: [Errno 38]" if NUMBERS[name] >= 424 else "PermissionError: [Errno 1]"
    assert reach_runs[f"calls: {name}"].said.startswith(error)


@pytest.mark.parametrize("name", FORGED)
def test_forged_results_earn_no_points(name, forge_runs):
    _held(forge_runs[f"forges: {name}"])


EXHAUSTING = {"endless": ENDLESS, "greedy": GREEDY, "cells": CELLS}


@pytest.mark.parametrize("name", [f"{k}: {n}" for k, group in EXHAUSTING.items() for n in group])
def test_resource_exhaustion_is_stopped_in_time(name, exhaust_runs):
    _held(exhaust_runs[name])


def test_memory_stays_within_the_limit(exhaust_runs, outside):
    # Between two looks a submission can fill its files; their folder has a size of its own.
    assert outside.peaks
    assert max(outside.peaks) <= 400 * 2**20 * 5 / 4


def test_the_protected_kernel_files_exist():
    there = {path for path in SETTINGS if Path(path).exists()}
    asked = ("kernel/core_pattern", "vm/drop_caches", "vm/overcommit_memory", "fs/file-max",
             "kernel/pid_max")  # fmt: skip
    assert {f"/proc/sys/{name}" for name in asked} <= there


# Where nothing keeps it from them, a submission reaches these; so an attempt at one can succeed.
REACHABLE = {
    "reads": ["key_of_the_course", "gradebook", "gradebook_by_sqlite", "roster", "passwords",
              "another_students_work", "folder_of_the_course", "course_through_a_symlink",
              "other_processes", "mounts", "sys", "files_of_the_judge",
              "environment_of_the_grader", "maps_of_the_grader", "run", "var"],
    "network": ["listener", "path_socket", "abstract_socket", "server", "netlink"],
    "processes": ["shell", "python"],
    "memory": ["memory_file", "pages_given_to_a_pipe"],
    "imports": ["ranking_0", "signatures_6", "judge_7", "registry"],
}  # fmt: skip


def test_without_a_sandbox_the_attempts_succeed(outside, tmp_path):
    picked = {
        f"{kind}: {name}": GROUPS[kind][name] for kind, names in REACHABLE.items() for name in names
    }
    prepared = {name: code.replace("/tmp/", f"{tmp_path}/") for name, code in picked.items()}
    limits = Limits(seconds=300, cell_seconds=60)
    trace = box.run_submission(_reaching(outside, prepared), tmp_path, limits, sandboxed=False)
    said = {name: trace.values[place]["found"]["value"] for place, name in enumerate(prepared)}
    assert {name: words for name, words in said.items() if not words.startswith("reached")} == {}
    outside.heard.clear()


def test_the_summary_table_is_complete(reach_runs, forge_runs, exhaust_runs, record_property):
    runs = [*reach_runs.values(), *forge_runs.values(), *exhaust_runs.values()]
    rows = [f"{one.kind:10} {one.name:58} {one.ended:14} {one.said[:70]!r}" for one in runs]
    ended = Counter(one.ended for one in runs)
    rows.append(f"{len(runs)} hostile attempts as user {os.getuid()}: {dict(ended)}")
    record_property("table", "\n".join(rows))
    assert len(runs) >= 150
    assert {one.ended for one in runs} == {REFUSED, WRONG, IN_TIME}
