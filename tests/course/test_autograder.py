"""What other systems run: the scripts themselves, in a folder laid out as theirs, offline."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from recsys_metrics import __version__, cli
from recsys_metrics.workbook.checking.autograder import (
    AutograderError,
    Scoring,
    write_classroom,
    write_gradescope,
)
from tests.course.test_score import START, write_notebook

ROOT = Path(__file__).resolve().parents[2]
IDS = ["ranking.e4", "ranking.e5"]
ANSWERED = (
    START,
    "ex.average_precision_of_list.check(0.442)",
    "ex.ndcg_from_scratch.check(**ex.ndcg_from_scratch.answer)",
)


def program(place, name, body):
    """Put a program of our own on the path."""
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(f"#!/bin/bash\n{body}\n")
    (place / name).chmod(0o755)


def tool(place):
    program(place, "recsys-workbook", f'exec "{sys.executable}" -m recsys_metrics.cli "$@"')


def run(script, here, path, **more):
    return subprocess.run(
        ["bash", *script],
        cwd=here,
        env={"PATH": f"{path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), **more},
        capture_output=True,
        text=True,
        check=False,
    )


# Gradescope --------------------------------------------------------------------------------------


@pytest.fixture
def autograder(tmp_path):
    """The folders of gradescope/autograder_samples, docs/specs.md ("File hierarchy")."""
    root = tmp_path / "autograder"
    wheel = tmp_path / "recsys_workbook-9.9-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    archive = write_gradescope(tmp_path / "ps1", Scoring(IDS, "ps1.ipynb", 60, wheel))
    assert archive == tmp_path / "ps1.zip"
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
        packed.extractall(root / "source")
        # "zip the files, and not the folder"; the script is run, so its mode is kept.
        assert sorted(names) == [
            "recsys_workbook-9.9-py3-none-any.whl",
            "run_autograder",
            "setup.sh",
        ]
        assert packed.getinfo("run_autograder").external_attr >> 16 & 0o111
    shutil.copy(root / "source" / "run_autograder", root)
    for name in ("submission", "results"):
        (root / name).mkdir()
    return root


def test_the_gradescope_setup_installs_the_bundled_wheel(autograder, tmp_path):
    log, place = tmp_path / "log", tmp_path / "programs"
    program(place, "apt-get", f'echo "apt-get $*" >> {log}')
    made = 'mkdir -p "$3/bin"; printf "#!/bin/bash\\necho pip \\$* >> ' + f'{log}" > "$3/bin/pip"'
    program(
        place,
        "python3",
        f'if [ "$2" = venv ]; then {made}; chmod +x "$3/bin/pip"; else "{sys.executable}" "$@"; fi',
    )
    done = run(["source/setup.sh"], autograder, place, AUTOGRADER_ROOT=str(autograder))
    assert done.returncode == 0, done.stderr
    said = log.read_text()
    assert "apt-get install -y --no-install-recommends bubblewrap python3 python3-venv" in said
    assert "pip install ./recsys_workbook-9.9-py3-none-any.whl[workbook]" in said
    assert "python3.11" not in said


def test_gradescope_gets_the_score_of_the_sandbox(sandbox, autograder, tmp_path):
    tool(autograder / "venv" / "bin")
    write_notebook(autograder / "submission", ANSWERED, "handed in.ipynb")
    done = run(["run_autograder"], autograder, "", AUTOGRADER_ROOT=str(autograder))
    assert done.returncode == 0, done.stderr
    said = json.loads((autograder / "results" / "results.json").read_text())
    assert [(test["score"], test["max_score"]) for test in said["tests"]] == [(2, 2), (0, 3)]
    assert said["score"] == 2
    assert [file.name for file in (autograder / "results").iterdir()] == ["results.json"]


def test_without_a_sandbox_gradescope_gets_no_result(autograder, tmp_path):
    place = autograder / "venv" / "bin"
    program(place, "recsys-workbook", "echo half a score; exit 3")
    write_notebook(autograder / "submission", ANSWERED)
    done = run(["run_autograder"], autograder, "", AUTOGRADER_ROOT=str(autograder))
    assert done.returncode == 3
    assert not list((autograder / "results").iterdir())


# GitHub Classroom --------------------------------------------------------------------------------


def test_the_workflow_follows_the_format_of_github_classroom(sandbox, tmp_path):
    repository = tmp_path / "template"
    file = write_classroom(repository, Scoring(IDS, "ps1.ipynb", 60))
    workflow = yaml.safe_load(file.read_text())
    # The readme of classroom-resources/autograding-grading-reporter: these names, one job.
    assert workflow["name"] == "Autograding Tests"
    (job,) = workflow["jobs"].items()
    assert job[0] == "run-autograding-tests"
    steps = {step["name"]: step for step in job[1]["steps"]}
    report = steps["Autograding Reporter"]
    assert report["with"]["runners"] == steps["Check the notebook"]["id"] == "check"
    assert report["env"] == {"CHECK_RESULTS": "${{ steps.check.outputs.result }}"}
    installed = steps["The checker and its sandbox"]["run"]
    assert f"pip install 'recsys-workbook[workbook]=={__version__}'" in installed
    assert run(["-n", "-c", installed], tmp_path, "").returncode == 0

    tool(tmp_path / "bin")
    write_notebook(repository, ANSWERED, "ps1.ipynb")
    output = tmp_path / "output"
    done = run(
        ["-e", "-o", "pipefail", "-c", steps["Check the notebook"]["run"]],
        repository,
        tmp_path / "bin",
        GITHUB_OUTPUT=str(output),
        RUNNER_TEMP=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    name, _, value = output.read_text().strip().partition("=")
    said = json.loads(base64.b64decode(value))
    assert (name, said["max_score"], [test["score"] for test in said["tests"]]) == (
        "result",
        5,
        [2, 0],
    )


# From the command line ---------------------------------------------------------------------------


def test_each_autograder_is_written_by_one_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("gradescope", "classroom"):
        for line in (f"course {name} {name} 02_ranking", f"course {name} {name} ranking"):
            with pytest.raises(SystemExit) as ended:
                cli.main(line.split())
        # The second time something is there, and nothing is overwritten.
        assert "is there already" in str(ended.value)
    assert "Upload" in capsys.readouterr().out
    assert "ranking.e2" in (tmp_path / "gradescope" / "run_autograder").read_text()


@pytest.mark.parametrize(
    ("scoring", "says"),
    [
        (Scoring([], "a.ipynb"), "name a chapter or exercises"),
        (Scoring(IDS, "a b; rm -rf.ipynb"), "cannot name the notebook"),
        (Scoring(IDS, "../a.ipynb"), "cannot name the notebook"),
        (Scoring(IDS, "a.ipynb", package=Path("a.zip")), "is no wheel"),
    ],
)
def test_invalid_autograder_settings_raise(scoring, says, tmp_path):
    with pytest.raises(AutograderError, match=says):
        write_gradescope(tmp_path / "new", scoring)
    assert not (tmp_path / "new").exists()
