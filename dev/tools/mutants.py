"""Change the library a little, thousands of times, and see whether the tests notice.

A mutant that no test notices is a line whose meaning nothing holds. mutmut makes the mutants and
runs, for each, the tests that reach it; here it gets a copy of the checkout for every subject.

    python dev/tools/mutants.py                 the six subjects
    python dev/tools/mutants.py rating bias     some of them

The survivors of a subject are listed in build/mutants/<subject>.txt, each with its change.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"
SUBJECTS = ("rating", "ranking", "beyond_accuracy", "protocol", "calibration", "bias")
COPIED = ("recsys_metrics", "tests", "dev", "pyproject.toml")
SETTINGS = """
[tool.mutmut]
source_paths = ["recsys_metrics"]
only_mutate = ["recsys_metrics/{subject}/*"]
also_copy = ["recsys_metrics", "tests", "dev"]
pytest_add_cli_args = [
  "-p", "no:cacheprovider", "-p", "no:xdist", "-x", "-o", "addopts=--import-mode=importlib",
]
pytest_add_cli_args_test_selection = ["tests/{subject}"]
use_git_change_detection = false
"""
# mutmut passes over functions with a decorator; these change nothing but a type.
TYPED = re.compile(r"^@(of_lists|of_rows|of_ranks|_of_grades|per_user)\n", re.MULTILINE)
# What mutmut writes down of a mutant is the exit code of its tests: they passed, there were none,
# or it was never tried.
SURVIVED = {0, 5, 33, None}


def prepare(subject: str) -> Path:
    """Copy the checkout to where a subject's mutants are made."""
    place = BUILD / subject
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, place / name, ignore=ignored)
        else:
            shutil.copyfile(source, place / name)
    for module in (place / "recsys_metrics" / subject).rglob("*.py"):
        module.write_text(TYPED.sub("", module.read_text(encoding="utf-8")), encoding="utf-8")
    with (place / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS.format(subject=subject))
    return place


def mutmut(place: Path, *arguments: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run mutmut where a subject's mutants are."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=place,
        env={**os.environ, "PATH": path},
        text=True,
        check=False,
        **how,
    )


def run(place: Path, names: list[str]) -> None:
    """Make all mutants and try those that are named, or all; mutmut shows how far it is."""
    done = mutmut(place, "run", "--max-children", str(os.cpu_count() or 1), *names)
    if done.returncode:
        sys.exit(f"mutmut ended with {done.returncode} in {place.relative_to(ROOT)}")


def outcomes(place: Path) -> dict[str, int | None]:
    """Return the exit code of the tests for every mutant."""
    found: dict[str, int | None] = {}
    for notes in sorted((place / "mutants").rglob("*.meta")):
        found |= json.loads(notes.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


def draw(place: Path, share: float) -> list[str]:
    """Return the names of some of the mutants, the same ones every time."""
    # It has no way to make mutants and try none, but it makes them before it looks for a name.
    mutmut(place, "run", "none.of.them", capture_output=True)
    names = sorted(outcomes(place))
    return random.Random(0).sample(names, round(share * len(names)))


def show(place: Path, mutants: list[str]) -> str:
    """Return the changes that no test noticed."""
    shown = []
    for mutant in mutants:
        done = mutmut(place, "show", mutant, capture_output=True)
        changed = [line for line in done.stdout.splitlines() if line[:2] in ("- ", "+ ")]
        shown.append("\n".join([mutant, *changed]))
    return "\n\n".join(shown) + "\n"


def main() -> int:
    """Try the mutants of some subjects and print the scores."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("subjects", nargs="*", help=f"of {', '.join(SUBJECTS)}; all by default")
    parser.add_argument("--least", type=float, default=0.85, help="share that must be noticed")
    parser.add_argument("--share", type=float, default=1.0, help="try only so many, at random")
    asked = parser.parse_args()
    unknown = sorted(set(asked.subjects) - set(SUBJECTS))
    if unknown:
        parser.error(f"there is no subject {unknown[0]!r}; there are {', '.join(SUBJECTS)}")
    scores = {}
    for subject in asked.subjects or SUBJECTS:
        place = prepare(subject)
        names = draw(place, asked.share) if asked.share < 1 else []
        run(place, names)
        codes = outcomes(place)
        codes = {name: codes[name] for name in names or codes}
        survivors = [name for name, code in codes.items() if code in SURVIVED]
        (BUILD / f"{subject}.txt").write_text(show(place, survivors), encoding="utf-8")
        scores[subject] = (len(codes) - len(survivors), len(codes))
    print(f"\n{'subject':<16} {'noticed':>8} {'mutants':>8} {'share':>7}")
    for subject, (noticed, made) in scores.items():
        print(f"{subject:<16} {noticed:>8,} {made:>8,} {noticed / made:>7.1%}")
    noticed, made = (sum(column) for column in zip(*scores.values(), strict=True))
    print(f"{'together':<16} {noticed:>8,} {made:>8,} {noticed / made:>7.1%}")
    return 0 if noticed / made >= asked.least else 1


if __name__ == "__main__":
    sys.exit(main())
