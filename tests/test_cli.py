"""The command line: what it prints, and what it says when the extras are not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recsys_metrics import __version__

ROOT = Path(__file__).resolve().parents[1]
# Stands before the command line in a new interpreter, as if the package were not installed.
WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {name!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from recsys_metrics.cli import main
main()
"""


def call(
    *arguments: str, without: str | None = None, **variables: str
) -> subprocess.CompletedProcess:
    code = ["-c", WITHOUT.format(name=without)] if without else ["-m", "recsys_metrics.cli"]
    return subprocess.run(
        [sys.executable, *code, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("without", [None, "typer", "rich"])
def test_version_needs_the_library_alone(without):
    done = call("--version", without=without)
    assert (done.stdout, done.stderr, done.returncode) == (
        f"recsys-metrics {__version__}\n",
        "",
        0,
    )


@pytest.mark.parametrize(
    ("missing", "arguments"),
    [
        ("typer", ["lab"]),
        ("typer", ["--help"]),
        ("typer", []),
        ("yaml", ["lab"]),
        ("jupytext", ["lab", "--no-open"]),
    ],
)
def test_anything_else_says_in_a_sentence_what_to_install(missing, arguments, tmp_path):
    done = call(*arguments, *([str(tmp_path)] if "lab" in arguments else []), without=missing)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        f"recsys-metrics: {missing} is not installed, which this command needs: "
        'pip install "recsys-metrics[workbook]"\n'
    )
    assert list(tmp_path.iterdir()) == []


def test_help_lists_the_commands_and_says_what_becomes_of_edits():
    assert "lab" in call("--help").stdout
    told = call("lab", "--help").stdout
    for word in ("--port", "--no-open", "--no-browser", "edits are kept", "deleted comes back"):
        assert word in " ".join(told.split()), told


@pytest.mark.parametrize(
    ("arguments", "variables", "value"),
    [
        (["lab", "--port", "99999"], {}, "99999"),
        (["lab", "--port", "-1"], {}, "-1"),
        (["lab"], {"PORT": "seven"}, "seven"),
    ],
)
def test_what_is_not_a_port_is_named_before_anything_is_copied(
    arguments, variables, value, tmp_path
):
    folder = tmp_path / "workbook"
    done = call(*arguments, str(folder), **variables)
    assert done.returncode == 1
    assert done.stderr == (
        f"recsys-metrics lab: port '{value}' is not a whole number from 1 to 65535; name one\n"
    )
    assert not folder.exists()


def test_a_command_that_does_not_exist_is_named():
    done = call("nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_what_goes_wrong_with_a_folder_is_said_without_a_traceback(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file, not a folder")
    done = call("lab", "--no-open", str(taken))
    assert done.returncode == 1
    assert done.stderr.startswith(f"recsys-metrics lab: cannot write the workbook to {taken}: ")
    assert "Traceback" not in done.stderr
    assert taken.read_text() == "a file, not a folder"


def test_copying_says_what_it_did_and_what_to_do_next(tmp_path):
    done = call("lab", "--no-open", str(tmp_path / "here"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f'Open it with: recsys-metrics lab "{tmp_path / "here"}"'
    assert (tmp_path / "here" / "chapters" / "02_ranking.ipynb").is_file()


def test_importing_the_package_leaves_the_command_line_alone():
    code = "import sys, recsys_metrics; print('recsys_metrics.cli' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
