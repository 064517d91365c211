"""The tests run as `make mutants` runs them: one process, nothing kept, no workers."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_mutmut_runs_with_its_configured_options(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    import mutants

    settings = tomllib.loads(mutants.SETTINGS.format(subject="rating"))["tool"]["mutmut"]
    options = settings["pytest_add_cli_args"]
    file = "tests/test_sorted_arrays.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--collect-only", "-q", file],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{file}::" in done.stdout
