"""The composite action of the gate: its steps are run as GitHub runs them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="pyyaml is not installed")
pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "dev" / "examples" / "gate"
TEXT = (FOLDER / "action.yml").read_text(encoding="utf-8")
ACTION = yaml.safe_load(TEXT)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed"),
    pytest.mark.skipif(os.name != "posix", reason="the paths are those of POSIX"),
]

RULES = '[[check]]\nmetric = "mrr@2"\nmargin = {}\n'


def run_action(folder, **inputs):
    """Run the steps in bash, as a runner does, and return the last one and the outputs."""
    known = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
    assert set(inputs) <= set(known)
    values = known | {"package": "", "python-version": ""} | inputs
    output, summary = folder / "output.txt", folder / "summary.md"
    for file in (output, summary):
        file.write_text("")
    variables = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    done = None
    for step in ACTION["runs"]["steps"]:
        if "if" in step and not is_true(step["if"], values):
            continue
        assert step["shell"] == "bash"
        given = {name: fill(text, values) for name, text in step.get("env", {}).items()}
        (folder / "step.sh").write_text(step["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "step.sh"],
            cwd=folder,
            env=variables | given,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            break
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return done, outputs, summary.read_text(encoding="utf-8")


def fill(text, values):
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)


def is_true(condition, values):
    return values[re.fullmatch(r"inputs\.([\w-]+) != ''", condition)[1]] != ""


@pytest.fixture
def folder(tmp_path):
    users = list(range(60))

    def write(name, swapped):
        rows = [
            (user, item, place)
            for user in users
            for place, item in enumerate(("BA" if user in swapped else "AB"), start=1)
        ]
        pl.DataFrame(rows, schema=["user", "item", "rank"], orient="row").write_csv(tmp_path / name)

    write("old lists.csv", ())
    write("new.csv", (1,))
    write("bad.csv", users[::2])
    pl.DataFrame({"user": users, "item": "A"}).write_csv(tmp_path / "truth.csv")
    (tmp_path / "gate.toml").write_text(RULES.format(0.1))
    return tmp_path


FILES = {"config": "gate.toml", "baseline": "old lists.csv", "truth": "truth.csv"}


@pytest.mark.parametrize(
    ("inputs", "margin", "code", "outcome"),
    [
        ({"candidate": "new.csv"}, 0.1, 0, "pass"),
        ({"candidate": "bad.csv"}, 0.1, 1, "fail"),
        ({"candidate": "new.csv"}, 0.01, 2, "undecided"),
        ({"candidate": "new.csv", "undecided": "pass"}, 0.01, 0, "undecided"),
        ({"candidate": "bad.csv", "undecided": "pass"}, 0.1, 1, "fail"),
        ({"candidate": "none.csv"}, 0.1, 3, "error"),
    ],
)
def test_the_steps_end_with_the_outcome(folder, inputs, margin, code, outcome):
    (folder / "gate.toml").write_text(RULES.format(margin))
    done, outputs, summary = run_action(folder, **FILES, **inputs)
    assert done.returncode == code, done.stderr
    assert outputs == {"outcome": outcome}
    junit = (folder / "recsys-gate.xml").read_text(encoding="utf-8")
    if outcome == "error":
        assert "**Gate: error.**" in summary
        assert 'errors="1"' in junit
        assert "none.csv: there is no such file" in done.stderr
    else:
        assert f"**Gate: {inputs['candidate']} against old lists.csv**" in summary
        assert f"Outcome: {outcome}." in summary
        assert f"Outcome: {outcome}." in done.stdout
        assert 'errors="0"' in junit
    command = {"pass": "", "undecided": "::warning"}.get(outcome, "::error")
    assert command in done.stdout


def test_wrong_inputs_are_errors(folder):
    done, outputs, _ = run_action(folder, **FILES, candidate="new.csv", undecided="maybe")
    assert (done.returncode, outputs) == (3, {})
    assert "undecided is fail or pass, not maybe" in done.stdout
    done, outputs, _ = run_action(folder, **FILES)
    assert (done.returncode, outputs) == (3, {})
    assert "a baseline is given and no candidate" in done.stdout


def test_inputs_are_never_run_as_code(folder):
    strange = 'x"; touch broken; $(touch broken).csv'
    done, outputs, _ = run_action(folder, **FILES, candidate=strange)
    assert (done.returncode, outputs) == (3, {"outcome": "error"})
    assert not (folder / "broken").exists()
    runs = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert len(runs) == 2
    assert [run for run in runs if "${{" in run] == []


def test_options_may_be_in_the_file_of_rules(folder):
    (folder / "gate.toml").write_text(
        'candidate = "new.csv"\nbaseline = "old lists.csv"\ntruth = "truth.csv"\n'
        + RULES.format(0.1)
    )
    done, outputs, _ = run_action(folder, config="gate.toml", junit="")
    assert (done.returncode, outputs) == (0, {"outcome": "pass"})
    assert not (folder / "recsys-gate.xml").exists()


def test_the_package_is_installed_by_its_extra(folder, monkeypatch):
    pytest.importorskip("pip", reason="pip is not installed")
    # No index: what is installed already satisfies the step, and anything else fails it.
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    package = ACTION["inputs"]["package"]["default"]
    done, outputs, _ = run_action(folder, **FILES, candidate="new.csv", package=package)
    assert (done.returncode, outputs) == (0, {"outcome": "pass"}), done.stderr
    done, outputs, _ = run_action(folder, **FILES, candidate="new.csv", package="no-such-thing-x")
    assert (done.returncode, outputs) == (1, {})


def test_the_action_follows_its_schema_and_pins_what_it_uses():
    schemas = pytest.importorskip(
        "check_jsonschema.builtin_schemas", reason="check-jsonschema is not installed"
    )
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = schemas.get_builtin_schema("vendor.github-actions")
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert [error.message for error in validator.iter_errors(ACTION)] == []
    broken = {name: value for name, value in ACTION.items() if name != "runs"}
    assert [*validator.iter_errors(broken)]
    used = re.findall(r"uses: *(\S+@\S+ # .*)", TEXT)
    workflows = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")
    )
    assert used
    assert [each for each in used if f"uses: {each}" not in workflows] == []


def test_the_example_rules_can_be_run(folder):
    from recsys_metrics.frames._example import write_example

    write_example(folder / "sample")
    done, outputs, summary = run_action(
        folder,
        config=str(FOLDER / "gate.toml"),
        candidate="sample/knn.parquet",
        baseline="sample/popular.csv",
        truth="sample/truth.csv",
        groups="sample/groups.csv",
    )
    assert outputs == {"outcome": "pass"}, done.stdout + done.stderr
    assert len(re.findall(r"^\| (ndcg|recall)@10", summary, flags=re.MULTILINE)) >= 3
