"""How a sandbox is made: for whom, from which interpreter, and when it is refused."""

from __future__ import annotations

import os
import pickle
import platform
import pwd
import re
import subprocess
import sys
from pathlib import Path

import pytest

import recsys_metrics
from recsys_metrics.workbook.grading.limits import GradingError, Limits
from recsys_metrics.workbook.grading.sandbox import (
    Job,
    bubblewrap,
    memory,
    processes,
    run_as,
    run_submission,
    syscalls,
)
from recsys_metrics.workbook.grading.sandbox import cgroup as groups
from recsys_metrics.workbook.grading.sandbox import supervisor as box
from recsys_metrics.workbook.grading.sandbox.cgroup import ControlGroup
from recsys_metrics.workbook.grading.sandbox.run_as import Account
from tests.course.attempts_reach import CALLS

ALL, NO_ADMIN, NO_KILL = 0x1FFFFFFFFFF, 0x1FFFFDFFFFF, 0x1FFFFFFFFDF
EVERYBODY = [(0, 0, 4294967295)]


@pytest.fixture
def root(monkeypatch):
    """Somebody who is root, with some capabilities and some users."""

    def be(capabilities: int = ALL, users: list[tuple[int, int, int]] = EVERYBODY) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(run_as, "_status", lambda pid: {"CapEff": f"{capabilities:016x}"})
        monkeypatch.setattr(run_as, "_id_map", lambda: users)

    return be


def test_root_switches_to_an_unused_user(root):
    root()
    who = run_as.choose_account()
    assert who.uid == who.inside
    assert who.before is None
    assert who.uid not in {one.pw_uid for one in pwd.getpwall()} | {0, 65534}
    assert "--unshare-user" not in who.bubblewrap


def test_root_without_mount_rights_switches_user_first(root):
    root(NO_ADMIN)
    who = run_as.choose_account()
    assert (who.before, who.inside) == (who.uid, None)
    assert "--unshare-user" in who.bubblewrap


def test_an_ordinary_user_is_not_switched(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    who = run_as.choose_account()
    assert (who.uid, who.before, who.inside) == (4242, None, None)


def test_root_of_a_user_namespace_is_an_ordinary_user(root):
    root(ALL, [(0, 1000, 1)])
    who = run_as.choose_account()
    assert (who.before, who.inside) == (None, None)


def test_root_that_cannot_switch_user_raises(root):
    root(NO_KILL)
    with pytest.raises(GradingError, match=r"root without CAP_KILL.*as an ordinary user"):
        run_as.choose_account()
    root(ALL, [(0, 0, 1)])
    with pytest.raises(GradingError, match="no user id to run a submission as: none of 60706"):
        run_as.choose_account()


STATUS = {
    "Uid": "60706 60706 60706 60706", "CapPrm": "0", "CapEff": "0", "CapAmb": "0",
    "NoNewPrivs": "1", "Seccomp": "2",
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "doubt"),
    [
        ({}, ""),
        ({"Uid": "0 0 0 0"}, "it runs as user 0 and not as 60706"),
        ({"Uid": "60706 60706 0 60706"}, "it runs as user 0 and not as 60706"),
        ({"CapEff": "0000000000200000"}, "it has kept capabilities"),
        ({"CapAmb": "0000000000000080"}, "it has kept capabilities"),
        ({"NoNewPrivs": "0"}, "it can gain privileges"),
        ({"Seccomp": "0"}, "the kernel does not filter its system calls"),
    ],
)
def test_an_unexpected_process_status_is_detected(changed, doubt, monkeypatch):
    monkeypatch.setattr(run_as, "_status", lambda pid: STATUS | changed)
    assert run_as.explain_doubt(1, Account(60706, ())) == doubt


def test_a_suspicious_sandbox_runs_nothing(sandbox, monkeypatch, tmp_path):
    monkeypatch.setattr(
        run_as, "explain_doubt", lambda pid, who: "it runs as user 0 and not as 60706"
    )
    with pytest.raises(GradingError, match="it runs as user 0 and not as 60706: nothing is run"):
        box.require_sandbox(tmp_path, Limits())


def test_invisible_scratch_files_raise(sandbox, monkeypatch, tmp_path):
    monkeypatch.setattr(bubblewrap, "SCRATCH", "/not/there")
    with pytest.raises(GradingError, match="cannot be inspected"):
        box.require_sandbox(tmp_path, Limits())


def test_an_unsupported_processor_raises(sandbox, monkeypatch, tmp_path):
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(GradingError, match=r"processor \(riscv64\).*x86_64 or aarch64"):
        box.require_sandbox(tmp_path, Limits())


READY = """
from pathlib import Path
from recsys_metrics.workbook.grading import sandbox
from recsys_metrics.workbook.grading.limits import Limits
sandbox.require_sandbox(Path.cwd(), Limits())
print("ready")
"""


@pytest.mark.parametrize("form", ["relative", "up and down", "through a symlink", "symlinked"])
def test_any_path_of_the_interpreter_works(form, sandbox, tmp_path):
    program = Path(sys.prefix, "bin", Path(sys.executable).name)
    folder = tmp_path / "here"
    folder.mkdir()
    (tmp_path / "environment").symlink_to(sys.prefix)
    path = {
        "relative": os.path.relpath(program, folder.resolve()),
        "up and down": f"{program.parent}/../bin/{program.name}",
        "through a symlink": f"{tmp_path}/environment/bin/{program.name}",
        "symlinked": f"../environment/bin/../bin/{program.name}",
    }[form]
    package = str(Path(box.__file__).parents[4])
    done = subprocess.run(
        [path, "-c", READY],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": package},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("ready\n", "")


def test_hidden_folders_are_hidden_under_all_their_paths(monkeypatch, tmp_path):
    real = tmp_path / "real" / "package"
    (real / "workbook" / "exercises").mkdir(parents=True)
    (tmp_path / "name").symlink_to(tmp_path / "real")
    monkeypatch.setattr(bubblewrap, "_PACKAGE", tmp_path / "name" / "package")
    shown = [tmp_path / "name", tmp_path / "real" / "package"]
    hidden = bubblewrap._hidden(tmp_path / "elsewhere", shown)
    assert hidden == [
        tmp_path / "name" / "package" / "workbook" / "exercises",
        real / "workbook" / "exercises",
    ]


def test_data_are_visible_and_solutions_are_hidden(monkeypatch, tmp_path):
    content = tmp_path / "site-packages" / "recsys_workbook_content"
    (content / "solutions").mkdir(parents=True)
    (content / "chapters").mkdir()
    monkeypatch.setattr(bubblewrap, "_CONTENT", content)
    shown = bubblewrap._shown()
    assert content in shown
    hidden = bubblewrap._hidden(tmp_path / "elsewhere", shown)
    assert {content / "chapters", content / "solutions"} <= set(hidden)
    assert content not in hidden


LOOK = """
import os
found = [
    os.path.join(here, name)
    for here, _, files in os.walk('/')
    for name in files
    if MARK in name
]
found = ' '.join(found) or 'nothing'
"""


def test_no_other_copy_of_the_exercises_is_shown(sandbox, monkeypatch, tmp_path):
    """Copies in an environment and in another Python, as people and programs leave them."""
    prefix = tmp_path / "environment"
    site = prefix / "lib" / "python3.11" / "site-packages"
    monkeypatch.setattr(bubblewrap, "_site_packages", lambda: [*SITES, site])
    monkeypatch.setattr(sys, "prefix", str(prefix))
    mark = "an_answer"
    for place in (
        *(site / name for name in ("copy_of_exercises", "recsys_metrics.bak", "~ecsys_metrics")),
        prefix / "src" / "recsys-workbook",
        prefix / "pkgs" / "recsys-workbook-1.0",
        prefix / "lib" / "python3.9" / "site-packages" / "recsys_metrics",
    ):
        place.mkdir(parents=True)
        (place / f"{mark}.yaml").write_text("answers")
    (site / f"{mark}.zip").write_text("answers")
    installed = site / "sound"
    installed.mkdir()
    (installed / "__init__.py").write_text("value = 5")
    information = site / "sound-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: sound\nVersion: 1.0\n")
    (information / "RECORD").write_text("sound/__init__.py,,\n")
    bubblewrap._find_strays.cache_clear()
    code = f"MARK = {mark!r}\n{LOOK}\nimport sound\nvalue = sound.value"
    job = Job(((code, 0),), (("found", "value"),), ("",), (0,), pickle.dumps([]))
    trace = run_submission(job, tmp_path / "course", Limits())
    bubblewrap._find_strays.cache_clear()
    assert trace.errors == {}
    assert trace.values[0]["value"]["value"] == "5"
    seen = trace.values[0]["found"]["value"]
    # The name of what is covered may be seen, and nothing of what is in it.
    assert seen in ("nothing", str(site / f"{mark}.zip"))


SITES = bubblewrap._site_packages()


def test_hidden_packages_exist():
    # A package that was moved and not named again would be open to every submission.
    package = Path(recsys_metrics.__file__).parent / "workbook"
    assert [
        name for name in bubblewrap.HIDDEN if not (package / name / "__init__.py").is_file()
    ] == []


def test_a_course_inside_a_visible_folder_is_hidden(tmp_path):
    course = tmp_path / "environment" / "course"
    course.mkdir(parents=True)
    assert course in bubblewrap._hidden(course, [tmp_path / "environment"])


def test_system_call_numbers_equal_those_of_the_kernel():
    headers = {
        "x86_64": (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), 0),
        "aarch64": (Path("/usr/include/asm-generic/unistd.h"), 1),
    }
    there = {kind: file for kind, (file, _) in headers.items() if file.exists()}
    if not there:
        pytest.skip("the kernel's headers are not installed (linux-libc-dev)")
    for kind, file in there.items():
        place = headers[kind][1]
        rows = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", file.read_text())
        known = {name: int(number) for name, number in rows}
        listed = {name: row[place] for name, row in (CALLS | syscalls.ALLOWED).items()}
        listed |= {name: row[place] for name, (row, _, _) in syscalls._COMMANDS.items()}
        listed |= {"clone": syscalls._CLONE[place], "mmap": syscalls._MMAP[place]}
        assert {name: known.get(name, number) for name, number in listed.items()} == listed
        # What an older machine does not have is left out of the list, not given a wrong number.
        assert [name for name, number in listed.items() if number is None and name in known] == []


def test_no_listed_attempt_is_an_allowed_call():
    assert set(CALLS) & set(syscalls.ALLOWED) == set()


TRY_ALL = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
found = []
for number in NUMBERS:
    ctypes.set_errno(0)
    if libc.syscall(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() not in (1, 38):
        found.append(number)
last = ctypes.get_errno()
"""


def test_every_unlisted_system_call_is_refused(sandbox, tmp_path):
    place = ["x86_64", "aarch64"].index(platform.machine())
    rows = [*syscalls.ALLOWED.values(), *(row for row, _, _ in syscalls._COMMANDS.values())]
    allowed = {row[place] for row in (*rows, syscalls._CLONE, syscalls._MMAP)}
    # Newer kernels ask no filter about the two calls that their own probes of a program make, and
    # end a program that makes one itself.
    allowed |= {335, 336} if platform.machine() == "x86_64" else set()
    # The kernel has fewer than 480; the last of these are of no kernel yet.
    numbers = [number for number in range(520) if number not in allowed]
    cell = f"NUMBERS = {numbers}{TRY_ALL}"
    job = Job(((cell, 0),), (("found", "last"),), ("",), (0,), pickle.dumps([]))
    trace = run_submission(job, tmp_path, Limits())
    assert (trace.problem, trace.errors) == ("", {})
    assert trace.values[0]["found"] == {"kind": "list", "items": []}
    assert trace.values[0]["last"] == {"kind": "int", "value": "38"}


USES = """
import asyncio, concurrent.futures, json, pathlib, shutil, sys, tempfile, threading, time
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy.optimize, scipy.sparse.linalg
folder = pathlib.Path(tempfile.mkdtemp())
table = pd.DataFrame({"user": [1, 1, 2], "item": list("abc"), "day": pd.to_datetime("2026-01-01")})
table.to_csv(folder / "table.csv")
table.groupby("user").item.count().plot()
for kind in ("png", "svg", "pdf"):
    plt.savefig(folder / f"figure.{kind}")
np.save(folder / "numbers.npy", np.arange(9))
mapped = np.memmap(folder / "mapped", mode="w+", shape=(100,))
mapped[:] = 1
mapped.flush()
shutil.copytree(folder, f"{folder}-copy")
shutil.move(folder / "table.csv", folder / "moved.csv")
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    sizes = list(pool.map(lambda n: len(np.linalg.svd(np.eye(n))[1]), range(1, 20)))
async def wait():
    await asyncio.sleep(0.01)
    return "waited"
timer = threading.Timer(0.01, sizes.append, [7])
timer.start()
timer.join()
found = [asyncio.run(wait()), len(pd.read_csv(folder / "moved.csv")), sizes[-1]]
found.append(int(np.load(folder / "numbers.npy", mmap_mode="r").sum()))
found.append(round(scipy.optimize.minimize(lambda x: (x - 2) ** 2, 0.0).x[0]))
"""


def test_no_device_can_be_mapped(sandbox, tmp_path):
    # What is mapped from one stays when it is unmapped, and no process is charged for it.
    code = """
import mmap, os
mapped = []
for name in os.listdir('/dev'):
    try:
        with open(f'/dev/{name}', 'r+b', buffering=0) as stream:
            mmap.mmap(stream.fileno(), 4096)
    except (OSError, ValueError):
        continue
    mapped.append(name)
found = ' '.join(mapped) or 'none'
"""
    job = Job(((code, 0),), (("found",),), ("",), (0,), pickle.dumps([]))
    trace = run_submission(job, tmp_path, Limits(seconds=60))
    assert trace.values[0]["found"]["value"] == "none"


def test_usual_python_runs_in_the_sandbox(sandbox, tmp_path):
    job = Job(((USES, 0),), (("found",),), ("",), (0,), pickle.dumps([]))
    trace = run_submission(job, tmp_path, Limits())
    assert (trace.problem, trace.errors) == ("", {})
    values = [item["value"] for item in trace.values[0]["found"]["items"]]
    assert values == ["waited", "3", "7", "36", "2"]


def test_a_process_family_includes_all_descendants(tmp_path):
    code = (
        "import subprocess; one = subprocess.Popen(['sleep', '98765']); print(one.pid, flush=True)"
    )
    code += "; one.wait()"
    with subprocess.Popen(
        [sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, start_new_session=True
    ) as parent:
        child = int(parent.stdout.readline())
        family = processes.list_descendants(parent.pid)
        assert [one.pid for one in family] == [parent.pid, child]
        assert family[1].parent == parent.pid
        assert family[0].threads == 1
        assert memory.hold_submission(family, None) == sum(one.resident for one in family) > 10**6
        processes.end_process(parent)
    assert processes.list_descendants(parent.pid) == []


def test_host_files_are_not_sandbox_files():
    with pytest.raises(OSError, match="the same inside and outside"):
        memory.Scratch(os.getpid(), "/tmp")


@pytest.fixture
def controlled(tmp_path, monkeypatch):
    """A folder with the files that the kernel's control groups have, and our place in it."""
    own = tmp_path / "user.slice" / "session.scope"
    own.mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    for folder, controllers in (
        (tmp_path, "memory pids"),
        (tmp_path / "user.slice", "memory pids"),
    ):
        (folder / "cgroup.subtree_control").write_text(f"{controllers}\n")
        (folder / "cgroup.procs").write_text("")
    (own / "cgroup.subtree_control").write_text("\n")
    monkeypatch.setattr(groups, "_own", lambda: "user.slice/session.scope")
    return tmp_path


def test_a_control_group_limits_the_memory_of_all_processes(controlled):
    group = ControlGroup.create(Limits(memory_mb=100), 50, controlled)
    assert group.path.parent == controlled / "user.slice"  # ours has no controllers to give
    assert (group.path / "memory.max").read_text() == str(100 * 2**20)
    assert (group.path / "memory.oom.group").read_text() == "1"
    assert (group.path / "pids.max").read_text() == "50"
    done = subprocess.run(
        group.wrap_command(["echo", "a b"]), capture_output=True, text=True, check=True
    )
    assert done.stdout == "a b\n"
    assert int((group.path / "cgroup.procs").read_text()) > 1
    assert not group.is_exceeded()
    (group.path / "memory.events").write_text("oom 1\noom_kill 0\n")
    assert not group.is_exceeded()
    (group.path / "memory.events").write_text("oom 1\noom_kill 2\noom_group_kill 1\n")
    assert group.is_exceeded()


def test_without_control_groups_none_is_created(tmp_path):
    assert ControlGroup.create(Limits(), 50, tmp_path) is None


def test_the_kernel_stops_processes_beyond_the_group_limit(sandbox, tmp_path):
    group = ControlGroup.create(Limits(memory_mb=100), 50)
    if group is None:
        pytest.skip("no control group (version 2, with its memory controller) can be made here")
    code = "held = bytearray(b'x') * 300_000_000"
    done = subprocess.run(group.wrap_command([sys.executable, "-c", code]), check=False)
    assert done.returncode != 0
    assert group.is_exceeded()
    group.remove()
    assert not group.path.exists()
