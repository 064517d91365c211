"""Run the quick tests with other versions than the pinned ones, in an environment of their own.

    python dev/tools/versions.py lowest                    the lowest that pyproject.toml allows
    python dev/tools/versions.py newest                    the newest that there are
    python dev/tools/versions.py newest --python python3.13
    python dev/tools/versions.py colab --python python3.13    what Colab has, and all chapters
    python dev/tools/versions.py lowest -k ndcg            what is no option here goes to pytest

What is tested is what `make test-quick` tests; with Colab's versions, what a front end draws, and
each chapter is run from its first cell to its last. Only the packages that pyproject.toml names
have their lowest version: those that these need in turn have their newest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import environments

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "versions"
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest", "colab": "highest"}
# What the quick tests and the doctests import.
EXTRAS = ("workbook", "frames", "duckdb", "course", "peers", "test-core")
# Colab has a JupyterLab of its own in place of the one that `workbook` asks for.
IN_COLAB = ("chapters", "test-core")
COLAB = ROOT / "dev" / "tools" / "colab.txt"
DRAWN = (
    "tests/exercises/test_form.py",
    "tests/workbook/test_explorables.py",
    "tests/workbook/test_goals.py",
    "tests/workbook/test_review_questions.py",
)
# Old packages warn of one another; what the library itself says is an error in both.
OURS = "error::DeprecationWarning:recsys_metrics\nerror::RuntimeWarning:recsys_metrics"
ONLY_OURS = ("-o", f"filterwarnings={OURS}")
WARNINGS: dict[str, tuple[str, ...]] = {"lowest": ONLY_OURS, "newest": (), "colab": ONLY_OURS}
PYTEST = ("-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")


def main() -> int:
    """Make the environment and return how pytest ended in it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("versions", choices=RESOLUTIONS)
    parser.add_argument("--python", default=sys.executable, metavar="PROGRAM")
    options, for_pytest = parser.parse_known_args()
    python = environment(options.versions, options.python)
    in_colab = options.versions == "colab"
    everything = DRAWN if in_colab else ("--quick", "tests", "recsys_metrics")
    named = any(map(is_test, for_pytest))
    where = for_pytest if named else [*everything, *for_pytest]
    command = [python, *PYTEST, "-p", "no:cacheprovider", *WARNINGS[options.versions], *where]
    failed = subprocess.run(command, cwd=ROOT, check=False).returncode
    if in_colab and not named:
        failed |= run_chapters(python)
    return failed


def run_chapters(python: str) -> int:
    """Run each chapter as a notebook, say which does not go through, and return how many."""
    failed = 0
    for chapter in sorted((ROOT / "chapters").glob("[0-9]*.ipynb")):
        print(f"· {chapter.name}", flush=True)
        program = Path(python).with_name("jupyter-execute")
        done = subprocess.run(
            [program, chapter], capture_output=True, text=True, cwd=ROOT, check=False
        )
        if done.returncode:
            failed += 1
            print(done.stderr[-3000:], file=sys.stderr)
    return failed


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
    if versions == "colab" and f"# Python {release}\n" not in COLAB.read_text(encoding="utf-8"):
        raise SystemExit(f"dev/tools/colab.txt tells the Python that Colab has; this is {release}")
    home = BUILD / f"{versions}-{release}"
    pins = home.with_suffix(f"{home.suffix}.txt")
    BUILD.mkdir(parents=True, exist_ok=True)
    print(f"· the {versions} versions, on Python {release}", flush=True)
    wanted = IN_COLAB if versions == "colab" else EXTRAS
    extras = [word for extra in wanted for word in ("--extra", extra)]
    held = ("--constraint", str(COLAB)) if versions == "colab" else ()
    environments.uv(
        *("pip", "compile", "--quiet", "--no-header", "--no-annotate"),
        *("--resolution", RESOLUTIONS[versions], "--python", interpreter, *extras, *held),
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
