"""The architecture: who may import whom, how light the package is, how it is written."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import recsys_metrics as rm

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("matplotlib", "ipywidgets", "IPython", "pandas", "scipy", "typer", "rich", "pooch")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def tool(name: str) -> str:
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_import_rules_hold():
    done = run(tool("lint-imports"), "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [("check",), ("format", "--check")], ids=" ".join)
def test_ruff_is_clean(arguments):
    done = run(tool("ruff"), *arguments, ".")
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_strict():
    done = run(tool("mypy"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_that_the_code_names_are_there():
    folders = "book|chapters|data|examples|recsys_metrics|solutions|tests|tools"
    named = re.compile(rf"`((?:{folders})/[\w./-]+\.[a-z]+)`")
    missing = {
        (file.relative_to(ROOT).as_posix(), name)
        for folder in ("recsys_metrics", "tools", "benchmarks", "book")
        for file in (ROOT / folder).rglob("*.py")
        if "_build" not in file.parts
        for name in named.findall(file.read_text(encoding="utf-8"))
        if not (ROOT / name).exists() and not (ROOT / "recsys_metrics" / name).exists()
    }
    assert missing == set()


def fresh(code: str) -> str:
    """Run code in a new interpreter and return what it prints."""
    done = run(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_pulls_in_nothing_heavy():
    loaded = json.loads(
        fresh("import json, sys, recsys_metrics; print(json.dumps(sorted(sys.modules)))")
    )
    assert [name for name in HEAVY if name in loaded] == []


def test_importing_the_package_takes_about_as_long_as_importing_numpy():
    clock = "import time; s = time.perf_counter(); import {}; print(time.perf_counter() - s)"
    names = ("numpy", "recsys_metrics")
    seconds = {name: [] for name in names}
    for _ in range(7):
        for name in names:
            seconds[name].append(float(fresh(clock.format(name))))
    ratio = statistics.median(seconds["recsys_metrics"]) / statistics.median(seconds["numpy"])
    # The package imports numpy itself, so 1 is the floor; the rest is its own few files.
    assert ratio < 1.6, f"importing recsys_metrics takes {ratio:.2f} times as long as numpy"


SUBJECTS = {
    "ranking": rm.ranking,
    "rating": rm.rating,
    "measures": rm.measures,
    "peers": rm.peers,
    "evaluation": rm.evaluation,
    "beyond_accuracy": rm.beyond_accuracy,
    "calibration": rm.calibration,
    "protocol.splits": rm.protocol.splits,
    "protocol.candidates": rm.protocol.candidates,
    "protocol.significance": rm.protocol.significance,
    "protocol.online": rm.protocol.online,
    "bias.propensity": rm.bias.propensity,
    "bias.off_policy": rm.bias.off_policy,
    "bias.feedback": rm.bias.feedback,
    "bias.fairness": rm.bias.fairness,
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_public_name_has_a_doctest(subject):
    module = SUBJECTS[subject]
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    assert names
    silent = []
    for name in names:
        documented = getattr(module, name)
        texts = [documented.__doc__ or ""]
        if isinstance(documented, type):
            texts += [getattr(member, "__doc__", "") or "" for member in vars(documented).values()]
        if callable(documented) and not any(">>>" in text for text in texts):
            silent.append(name)
    assert silent == []


def test_modules_of_the_subjects_are_found_without_an_import():
    assert fresh(
        "import recsys_metrics as rm; print(rm.protocol.temporal_split.__name__)"
    ).strip() == ("temporal_split")
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = rm.nonsense
    assert {"ndcg", "protocol", "datasets"} <= set(dir(rm))


@pytest.mark.parametrize("module", [rm.measures, rm.peers], ids=lambda module: module.__name__)
def test_tab_shows_what_a_user_may_use_and_nothing_else(module):
    assert dir(module) == sorted(module.__all__)
