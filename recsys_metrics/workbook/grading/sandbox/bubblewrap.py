"""The command that makes a sandbox: what a submission finds there, and what it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

import recsys_metrics
from recsys_metrics._core.package_names import content_folder
from recsys_metrics.workbook.grading.limits import GradingError, Limits
from recsys_metrics.workbook.grading.sandbox.run_as import Account

PROGRAM = "bwrap"
RUNNER = Path(__file__).with_name("in_sandbox.py")
# The one place that can be written, and that its memory is counted by.
SCRATCH = "/tmp"
_HOME = f"{SCRATCH}/student"
_PACKAGE = Path(recsys_metrics.__file__).parent
# What a submission must not import: answers, and how they are judged.
HIDDEN = ("checking", "course", "exercises", "grading", "source_checks")
# What of a system and of an environment Python needs; they may hold sources and packages besides.
_PARTS = (
    "bin",
    "sbin",
    "lib*",
    "ssl",
    "etc/fonts",
    "share/fonts",
    "share/locale",
    "share/zoneinfo",
)
_PACKAGES = "python3*/*-packages"
# Its data sets a submission may read.
_CONTENT = content_folder()


def build_command(root: Path, limits: Limits, account: Account) -> list[str]:
    """Return the command that makes the sandbox; what to run in it comes after.

    There is no /proc and no /sys: so no setting of the kernel, no other process and no path of
    this machine is there to be read, whoever grades.

    Parameters
    ----------
    root : Path
        The course's folder, which is kept out of it.
    limits : Limits
    account : Account
        Who the submission is run as.
    """
    made = [PROGRAM, *account.bubblewrap]
    made += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    made += ["--unshare-cgroup-try"]
    made += ["--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    for name, value in build_environment(_HOME).items():
        made += ["--setenv", name, value]
    # Memory that is mapped from /dev/zero and shared stays when most of it is unmapped, and is in
    # no process and no file system that could be looked at; it cannot be opened here.
    made += ["--dev", "/dev", "--ro-bind", "/dev/null", "/dev/zero"]
    # First, since Python itself may be beneath it.
    made += ["--size", str(max(16, limits.memory_mb // 4) * 2**20)] if _can_size() else []
    made += ["--perms", "1777", "--tmpfs", SCRATCH, "--perms", "0777", "--dir", _HOME]
    for folder in ("/bin", "/sbin", *map(str, sorted(Path("/").glob("lib*")))):
        path = Path(folder)
        if path.is_symlink():
            made += ["--symlink", str(path.readlink()), folder]
        elif path.is_dir():
            made += ["--ro-bind", folder, folder]
    for file in ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"):
        made += ["--ro-bind-try", file, file]
    shown = _shown()
    for path in shown:
        # Without these, folders above are for their owner alone.
        for above in reversed(path.parents[:-1]):
            made += ["--perms", "0755", "--dir", str(above)]
        made += ["--ro-bind", str(path), str(path)]
    for path in _hidden(root, shown):
        if path.is_dir():
            made += ["--tmpfs", str(path), "--remount-ro", str(path)]
        else:
            made += ["--ro-bind", "/dev/null", str(path)]
    made += ["--ro-bind", str(RUNNER), "/runner.py"]
    return [*made, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", _HOME]


def python_command() -> list[str]:
    """Return how to start Python: without what an environment would run of its own accord."""
    if not sys.executable:
        raise GradingError("Python does not know its own program; run it by its path")
    return [os.path.realpath(sys.executable), "-P", "-S"]


def build_environment(home: str) -> dict[str, str]:
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
        "PYTHONPATH": os.pathsep.join(map(str, [_PACKAGE.parent.absolute(), *_site_packages()])),
        "RECSYS_METRICS_PROGRESS": "off",
    }


@cache
def _can_size() -> bool:
    """Whether this bubblewrap can limit a folder in memory; those before 0.7 cannot."""
    helped = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=False)
    return "--size" in helped.stdout + helped.stderr


def _shown() -> list[Path]:
    """Return what has to be there for Python and the library to run, under each of its names."""
    prefixes = {Path("/usr"), Path("/usr/local"), Path(sys.base_prefix), Path(sys.prefix)}
    places = [part for prefix in prefixes for name in _PARTS for part in prefix.glob(name)]
    places += [*_site_packages(), _PACKAGE]
    places += [_CONTENT] if _CONTENT else []
    names = (name for place in places for name in _names(place))
    shown: list[Path] = []
    for path in sorted({path for path in names if path.is_dir()}, key=lambda path: path.parts):
        if not any(path.is_relative_to(other) for other in shown):
            shown.append(path)
    return shown


def _names(place: Path) -> Iterator[Path]:
    """Yield a folder's path as it was given, without its `..`, and as the system has it."""
    yield Path(os.path.abspath(place))  # noqa: PTH100
    yield place.resolve()


def _hidden(root: Path, shown: Sequence[Path]) -> list[Path]:
    """Return what has to be covered, wherever it is shown."""
    package = _PACKAGE.resolve() / "workbook"
    # A course may lie within what is shown, beneath the folder of an environment for instance.
    secret = [root.resolve(), *(package / name for name in HIDDEN)]
    secret += [_CONTENT.resolve() / name for name in ("chapters", "solutions") if _CONTENT]
    secret = [one for one in secret if one.is_dir()]
    # Another copy of the exercises: in another Python, or beside the packages that are installed.
    ours = {site.resolve() for site in _site_packages()}
    sites = {site.resolve() for path in shown for site in path.glob(_PACKAGES) if site.is_dir()}
    secret += sorted(sites - ours)
    secret += [one for site in sorted(ours) for one in _find_strays(site)]
    return [
        path / one.relative_to(path.resolve())
        for path in shown
        for one in secret
        if one.is_relative_to(path.resolve())
    ]


@cache
def _find_strays(site: Path) -> tuple[Path, ...]:
    """Return what lies among the installed packages and belongs to none of them.

    So a copy of a package that somebody has kept there is not shown. Where one is installed that
    does not say what belongs to it, as those of a system may be, nothing is known to be a stray.
    """
    owned = set()
    for package in distributions(path=[str(site)]):
        names = {file.parts[0] for file in package.files or ()}
        names |= {*(package.read_text("top_level.txt") or "").split()}
        if not names:
            return ()
        owned |= names
    owned |= {"__pycache__"} | {name.partition(".")[0] for name in owned}
    return tuple(
        one
        for one in sorted(site.iterdir())
        if one.name not in owned
        and not (one.is_file() and one.name.partition(".")[0] in owned)
        and one.suffix not in {".dist-info", ".egg-info", ".pth", ".virtualenv"}
        and not one.is_symlink()
    )


def _site_packages() -> list[Path]:
    names = ("site-packages", "dist-packages")
    return [Path(entry).absolute() for entry in sys.path if entry and Path(entry).name in names]
