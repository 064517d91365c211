"""Run the quick tests with other versions than the pinned ones, in an environment of their own.

    python tools/versions.py lowest                    the lowest that pyproject.toml allows
    python tools/versions.py newest                    the newest that there are
    python tools/versions.py newest --python python3.13
    python tools/versions.py lowest -k ndcg            what is no option here goes to pytest

What is tested is what `make test-quick` tests. Only the packages that pyproject.toml names have
their lowest version: those that these need in turn have their newest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import environments

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "versions"
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
# What the quick tests and the doctests import.
EXTRAS = ("workbook", "frames", "duckdb", "course", "peers", "test-core")
# Old packages warn of one another; what the library itself says is an error in both.
OURS = "error::DeprecationWarning:recsys_metrics\nerror::RuntimeWarning:recsys_metrics"
WARNINGS = {"lowest": ("-o", f"filterwarnings={OURS}"), "newest": ()}
PYTEST = ("-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")


def main() -> int:
    """Make the environment and return how pytest ended in it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("versions", choices=RESOLUTIONS)
    parser.add_argument("--python", default=sys.executable, metavar="PROGRAM")
    options, for_pytest = parser.parse_known_args()
    python = environment(options.versions, options.python)
    where = (
        for_pytest if any(map(is_test, for_pytest)) else ["tests", "recsys_metrics", *for_pytest]
    )
    command = [
        python,
        *PYTEST,
        "-p",
        "no:cacheprovider",
        "--quick",
        *WARNINGS[options.versions],
        *where,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def is_test(argument: str) -> bool:
    """Whether an argument of pytest's names a file or a folder of tests."""
    return not argument.startswith("-") and (ROOT / argument.partition("::")[0]).exists()


def environment(versions: str, interpreter: str) -> str:
    """Return the Python of an environment with these versions, all of them looked up again."""
    release = subprocess.run(
        [interpreter, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    home = BUILD / f"{versions}-{release}"
    pins = home.with_suffix(f"{home.suffix}.txt")
    BUILD.mkdir(parents=True, exist_ok=True)
    print(f"· the {versions} versions, on Python {release}", flush=True)
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    environments.uv(
        *("pip", "compile", "--quiet", "--no-header", "--no-annotate"),
        *("--resolution", RESOLUTIONS[versions], "--python", interpreter, *extras),
        # What the clone itself holds.
        *("--no-emit-package", "recsys-workbook-content"),
        *("--upgrade", "--output-file", str(pins), "pyproject.toml"),
    )
    python = environments.create(home, interpreter)
    environments.install(python, "-r", str(pins))
    environments.install(python, "--no-deps", "--editable", str(ROOT))
    return python


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
