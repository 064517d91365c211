"""What other systems run: the scripts themselves, in a folder laid out as theirs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
import yaml

from recsys_metrics import __version__, cli
from recsys_metrics.workbook.checking.notebook import find_calls, read_cells
from recsys_metrics.workbook.checking.platforms import (
    classroom50,
    github_workflow,
    gradescope,
    student_notebook,
)
from recsys_metrics.workbook.checking.platforms.scoring import AutograderError, Scoring
from recsys_metrics.workbook.exercises import REGISTRY
from tests.conftest import make_once
from tests.course.test_score import START, write_notebook
from tests.test_wheel import asked_for, build
from tests.tiers import installed

ROOT = Path(__file__).resolve().parents[2]
IDS = ["ranking.e4", "ranking.e5"]
ANSWERED = (
    START,
    "ex.average_precision_of_list.check(0.442)",
    "ex.ndcg_from_scratch.check(**ex.ndcg_from_scratch.answer)",
)
IDENTITY = {
    "CLASSROOM": "recsys",
    "ASSIGNMENT": "ps1",
    "SUBMISSION_TAG": "submit/2026-12-01T10-00-00Z-a1b2c3d",
    "COMMIT_URL": "https://github.com/o/r/commit/abc",
    "RELEASE_URL": "https://github.com/o/r/releases/tag/submit",
}


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


def empty_wheel(place, name, version="9.9"):
    wheel = place / f"{name}-{version}-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    return wheel


@pytest.fixture
def both(tmp_path):
    """Two files that are called as the project's wheels are."""
    return [empty_wheel(tmp_path, f"recsys_workbook{more}") for more in ("", "_content")]


# The notebook that students answer in -------------------------------------------------------------


def test_a_student_notebook_has_a_check_of_each_exercise(tmp_path):
    ids = [name for name, one in REGISTRY.items() if one.points]
    file = tmp_path / "every.ipynb"
    file.write_text(student_notebook.create(ids), encoding="utf-8")
    nbformat.validate(nbformat.read(file, 4))
    calls = find_calls(read_cells(file))
    assert [call.exercise for call in calls] == ids
    assert {call.seed for call in calls} == {None}


def test_a_student_notebook_scores_nothing_before_it_is_answered(sandbox, tmp_path):
    from recsys_metrics.workbook.checking.score import score_notebook

    ids = ["ranking.e4", "rating.e1", "ranking.write_precision"]
    file = tmp_path / "a.ipynb"
    file.write_text(student_notebook.create(ids), encoding="utf-8")
    report = score_notebook(file, exercises=ids, seconds=60)
    assert [(one.exercise, one.points) for one in report.graded] == [(name, 0) for name in ids]
    assert {str(one.outcome) for one in report.graded} == {"NOT ATTEMPTED"}


# Gradescope ---------------------------------------------------------------------------------------


@pytest.fixture
def autograder(tmp_path, both):
    """The folders of gradescope/autograder_samples, docs/specs.md ("File hierarchy")."""
    return unpacked(tmp_path, both)


def unpacked(place, wheels):
    root = place / "autograder"
    archive = gradescope.write(place / "ps1", Scoring(IDS, "ps1.ipynb", 60, wheels))
    assert archive == place / "ps1.zip"
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
        packed.extractall(root / "source")
        # "zip the files, and not the folder"; the script is run, so its mode is kept.
        expected = ["run_autograder", "setup.sh", *(wheel.name for wheel in wheels)]
        assert sorted(names) == sorted(expected)
        assert packed.getinfo("run_autograder").external_attr >> 16 & 0o111
    shutil.copy(root / "source" / "run_autograder", root)
    for name in ("submission", "results"):
        (root / name).mkdir()
    return root


def test_the_gradescope_setup_installs_the_bundled_wheels(autograder, tmp_path):
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
    assert (
        "pip install ./recsys_workbook-9.9-py3-none-any.whl[workbook] "
        "./recsys_workbook_content-9.9-py3-none-any.whl" in said
    )
    assert "python3.11" not in said


@pytest.fixture(scope="session")
def wheels(shared):
    """The two wheels of this clone."""
    return sorted(make_once(shared / "wheels", build).glob("*.whl"))


@pytest.mark.wheel
@installed
def test_the_gradescope_scripts_score_in_an_empty_environment(sandbox, tmp_path, wheels):
    """Both scripts run as they are, with no index: only apt-get and the downloads are ours.

    The environment is new and empty. What the wheels ask for beyond each other is lent to it, which
    takes seconds where an index takes a minute.
    """
    root, place = unpacked(tmp_path, wheels), tmp_path / "programs"
    program(place, "apt-get", "exit 0")
    body = f'''"{sys.executable}" "$@"
if [ "$2" = venv ]; then exec "{sys.executable}" "{__file__}" "$3" "{wheels[0]}"; fi'''
    program(place, "python3", body)
    done = run(
        ["source/setup.sh"],
        root,
        place,
        AUTOGRADER_ROOT=str(root),
        PIP_NO_INDEX="1",
        PYTHONPATH=str(ROOT),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = subprocess.run(
        [root / "venv" / "bin" / "python", "-c", "import recsys_metrics as r; print(r.__file__)"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert found.startswith(str(root))
    write_notebook(root / "submission", ANSWERED, "handed in.ipynb")
    done = run(["run_autograder"], root, "", AUTOGRADER_ROOT=str(root), PYTHONPATH="")
    assert done.returncode == 0, done.stderr
    said = json.loads((root / "results" / "results.json").read_text())
    assert [(test["score"], test["max_score"]) for test in said["tests"]] == [(2, 2), (0, 3)]


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


# Classroom 50 -------------------------------------------------------------------------------------


def run_classroom50(place, wheels, checkout, programs):
    """Run the autograder as the runner does: in the checkout, with its variables."""
    return subprocess.run(
        [sys.executable, str(place / "autograder" / "autograder.py")],
        cwd=checkout,
        env={**IDENTITY, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def assignment(tmp_path, both, monkeypatch):
    """The files of an assignment, whose environment has our command instead of the wheels."""
    classroom50.write(tmp_path / "ps1", Scoring(IDS, "ps1.ipynb", 60, both))
    programs = tmp_path / "ps1" / "autograder" / "venv" / "bin"
    tool(programs)
    program(programs, "pip", f'echo "$PWD $*" > {tmp_path}/pip')
    program(tmp_path / "programs", "sudo", f'echo "$*" >> {tmp_path}/sudo')
    script = tmp_path / "ps1" / "autograder" / "autograder.py"
    # The environment is there already; to make one takes seconds, and the test of Gradescope does.
    script.write_text(script.read_text().replace('"-m", "venv"', '"-c", "pass"'))
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    return tmp_path, checkout


def test_classroom50_gets_a_result_of_its_contract(sandbox, assignment):
    place, checkout = assignment
    write_notebook(checkout, ANSWERED, "ps1.ipynb")
    # A student's files that are called like modules of Python change nothing.
    for name in ("json.py", "pip.py", "recsys_metrics.py"):
        (checkout / name).write_text("raise SystemExit(9)")
    done = run_classroom50(place / "ps1", [], checkout, place / "programs")
    assert done.returncode == 0, done.stderr
    said = json.loads((checkout / "result.json").read_text())
    assert [(test["score"], test["max-score"]) for test in said["tests"]] == [(200, 200), (0, 300)]
    assert {said[name] for name in ("classroom", "assignment", "submission")} == {
        IDENTITY[name] for name in ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG")
    }
    assert said["review"] == said["commit"] == IDENTITY["COMMIT_URL"]
    # The schema of result/v1 has no other names, and this form of a moment alone.
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", said["datetime"])
    assert set(said) == {
        *("schema", "classroom", "assignment", "submission", "commit", "release", "review"),
        *("datetime", "score", "max-score", "tests"),
    }
    here, _, asked = (place / "pip").read_text().partition(" ")
    assert here == str(place / "ps1" / "autograder")
    assert "./recsys_workbook-9.9-py3-none-any.whl[workbook]" in asked


def test_a_missing_notebook_scores_0_in_classroom50(sandbox, assignment):
    place, checkout = assignment
    done = run_classroom50(place / "ps1", [], checkout, place / "programs")
    assert done.returncode == 0, done.stderr
    said = json.loads((checkout / "result.json").read_text())
    assert (said["score"], said["max-score"]) == (0, 500)


def test_without_a_sandbox_classroom50_gets_an_error(assignment):
    place, checkout = assignment
    program(place / "ps1" / "autograder" / "venv" / "bin", "recsys-workbook", "echo {}; exit 3")
    done = run_classroom50(place / "ps1", [], checkout, place / "programs")
    assert done.returncode == 3
    assert not (checkout / "result.json").exists()


@pytest.mark.parametrize("kind", ["link", "dangling link", "folder", "file"])
@pytest.mark.parametrize("code", [0, 3])
def test_a_result_that_a_student_committed_gives_way(kind, code, assignment):
    place, checkout = assignment
    outside, answer = place / "outside.json", checkout / "result.json"
    if kind == "folder":
        (answer / "inner").mkdir(parents=True)
    elif kind == "file":
        answer.write_text('{"score": 500}')
    else:
        answer.symlink_to(outside)
    if kind == "link":
        outside.write_text("theirs")
    program(
        place / "ps1" / "autograder" / "venv" / "bin",
        "recsys-workbook",
        f"""echo '{{"score": 0}}'; exit {code}""",
    )
    done = run_classroom50(place / "ps1", [], checkout, place / "programs")
    assert done.returncode == code, done.stderr
    if code:
        assert not os.path.lexists(answer)
    else:
        assert not answer.is_symlink()
        assert json.loads(answer.read_text())["score"] == 0
    assert outside.exists() == (kind == "link")
    assert kind != "link" or outside.read_text() == "theirs"


def test_classroom50_installs_what_its_sandbox_needs(assignment):
    place, _ = assignment
    runtime = json.loads((place / "ps1" / "runtime.json").read_text())
    # wiki, "The runtime block": these fields and no others.
    allowed = {"runs-on", "python", "node", "java", "go", "rust", "apt", "container"}
    assert set(runtime) <= allowed
    assert runtime["apt"] == ["bubblewrap"]
    assert (place / "ps1" / "template" / "ps1.ipynb").is_file()


def test_wheels_that_classroom50_does_not_take_are_refused(tmp_path, both):
    with both[0].open("wb") as file:
        file.truncate(11 * 1024**2)
    with pytest.raises(AutograderError, match=r"11\.0 MB, and Classroom 50 takes at most 10 MB"):
        classroom50.write(tmp_path / "ps1", Scoring(IDS, "ps1.ipynb", 60, both))
    assert not (tmp_path / "ps1").exists()


# A workflow of GitHub -----------------------------------------------------------------------------


def test_the_workflow_shows_the_report_and_fails_where_something_is_wrong(sandbox, tmp_path, both):
    repository = tmp_path / "template"
    file = github_workflow.write(repository, Scoring(IDS, "ps1.ipynb", 60, both))
    workflow = yaml.safe_load(file.read_text())
    assert workflow["name"] == "Check the notebook"
    steps = {
        step.get("name", step.get("uses")): step for step in workflow["jobs"]["check"]["steps"]
    }
    setup = steps["Install the checker and its sandbox"]["run"]
    assert "cd .github/wheels && python -m pip " in setup
    assert run(["-n", "-c", setup], tmp_path, "").returncode == 0
    # The setting is looked for where the kernel has it.
    (assigned,) = re.findall(r"^setting=\S+", setup, re.MULTILINE)
    (tested,) = re.findall(r'\[ -e ("[^"]+")', setup)
    named = run(["-c", f"{assigned}; echo {tested}"], tmp_path, "").stdout
    assert named == "/proc/sys/kernel/apparmor_restrict_unprivileged_userns\n"

    tool(tmp_path / "bin")
    files = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "RUNNER_TEMP": str(tmp_path)}
    check = ["-e", "-o", "pipefail", "-c", steps["Check"]["run"]]
    assert (repository / "ps1.ipynb").is_file()
    write_notebook(repository, ANSWERED, "ps1.ipynb")
    done = run(check, repository, tmp_path / "bin", **files)
    assert done.returncode == 1, done.stderr
    summary = (tmp_path / "summary").read_text()
    assert r"ps1\.ipynb: 2 of 5 points" in summary
    assert "| ✓ Correct | 2 of 2 |" in summary


def test_a_fault_of_the_checker_is_no_report(tmp_path):
    workflow = yaml.safe_load(
        github_workflow.write(tmp_path / "t", Scoring(IDS, "ps1.ipynb")).read_text()
    )
    step = workflow["jobs"]["check"]["steps"][-1]["run"]
    program(tmp_path / "bin", "recsys-workbook", "echo half; exit 3")
    summary = tmp_path / "summary"
    files = {"GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(tmp_path)}
    done = run(["-e", "-c", step], tmp_path, tmp_path / "bin", **files)
    assert done.returncode == 3
    assert not summary.exists()


# From the command line ----------------------------------------------------------------------------


def test_each_platform_has_one_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("gradescope", "classroom50", "github-workflow"):
        for line in (f"course kit {name} {name} 02_ranking", f"course kit {name} {name} ranking"):
            with pytest.raises(SystemExit) as ended:
                cli.main(line.split())
        # The second time something is there, and nothing is overwritten.
        assert "is there already" in str(ended.value)
    assert "upload it to Gradescope" in capsys.readouterr().out
    assert "ranking.e2" in (tmp_path / "gradescope" / "run_autograder").read_text()
    assert (
        f"'recsys-workbook[workbook]=={__version__}'"
        in (
            tmp_path / "github-workflow" / ".github" / "workflows" / "check-notebook.yml"
        ).read_text()
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"exercises": []}, "name a chapter or exercises"),
        ({"notebook": "a b; rm -rf.ipynb"}, "cannot name the notebook"),
        ({"notebook": "../a.ipynb"}, "cannot name the notebook"),
        ({"notebook": "con.ipynb"}, "cannot name the notebook of a student on Windows"),
        ({"notebook": "aux/a.ipynb"}, "on Windows, which keeps the name for a device"),
        ({"notebook": "a./b.ipynb"}, "on Windows, which drops a dot or blank at the end"),
        ({"wheels": [Path("a.zip")]}, "is no wheel"),
        (
            {"wheels": [Path("recsys_workbook-1.0-py3-none-any.whl")]},
            "no wheel of recsys-workbook-c",
        ),
        (
            {"wheels": [Path("recsys_workbook_content-1.0-py3-none-any.whl")]},
            "no wheel of recsys-w",
        ),
        (
            {
                "wheels": [
                    Path("recsys_workbook-1.0-py3-none-any.whl"),
                    Path("recsys_workbook_content-1.1-py3-none-any.whl"),
                ]
            },
            "of two versions",
        ),
    ],
)
def test_invalid_settings_raise_and_write_nothing(change, says, tmp_path):
    scoring = Scoring(**{"exercises": IDS, "notebook": "a.ipynb", **change})
    for platform in (gradescope, classroom50, github_workflow):
        with pytest.raises(AutograderError, match=says):
            platform.write(tmp_path / "new", scoring)
        assert not list(tmp_path.iterdir())


def link(here, there):
    try:
        os.link(here, there)
    except OSError:  # another file system
        shutil.copy2(here, there)


if __name__ == "__main__":
    # Started by the test's own `python3 -m venv`: lends what the library asks for. A sandbox sees
    # the environment and no other, so nothing in it may be a link to one.
    environment, own_wheel = map(Path, sys.argv[1:])
    (theirs,) = environment.glob("lib/python*/site-packages")
    for name in asked_for(own_wheel, ["workbook"]) - {"recsys-workbook-content"}:
        for file in metadata.distribution(name).files or ():
            if file.parts[0] not in ("..", "/") and not (theirs / file).exists():
                (theirs / file).parent.mkdir(parents=True, exist_ok=True)
                link(file.locate(), theirs / file)
