"""The command line: what it prints, and what it says when the extras are not installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from recsys_metrics import __version__, cli
from recsys_metrics._core import console
from recsys_metrics._core.package_names import how_to_install
from tests.tiers import another_program

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
def test_the_version_option_needs_no_extra(without):
    done = call("--version", without=without)
    assert (done.stdout, done.stderr, done.returncode) == (
        f"recsys-workbook {__version__}\n",
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
        ("typer", ["check"]),
    ],
)
def test_commands_with_missing_extras_name_them(missing, arguments, tmp_path):
    done = call(*arguments, *([str(tmp_path)] if "lab" in arguments else []), without=missing)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        f"recsys-workbook: {missing} is not installed, which this command needs: "
        f"{how_to_install('workbook')}\n"
    )
    assert list(tmp_path.iterdir()) == []


# The command line with packages of one folder, which is an environment that lacks some.
OF_ONE_FOLDER = """
import sys
sys.path[:] = [one for one in sys.path if "-packages" not in one] + sys.argv[1:3]
from recsys_metrics.cli import main
main(sys.argv[3:])
"""


@another_program
def test_the_lab_names_all_missing_packages_before_it_copies(tmp_path):
    installed, folder = tmp_path / "packages", tmp_path / "workbook"
    installed.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith(("fsrs", "jupytext", "jupyterlab_myst")):
            (installed / path.name).symlink_to(path)
    done = subprocess.run(
        [sys.executable, "-S", "-c", OF_ONE_FOLDER, ROOT, installed, "lab", folder],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "recsys-workbook lab: fsrs, jupyterlab-myst, jupytext are not installed, and the lab needs "
        f"them. Nothing was copied. Install them with {how_to_install('workbook')}\n"
    )
    assert not folder.exists()


@pytest.mark.parametrize("missing", ["typer", "polars"])
def test_evaluate_names_the_smallest_sufficient_extra(missing):
    done = call("evaluate", "a.csv", "-t", "b.csv", without=missing)
    assert done.returncode == 1
    assert done.stderr.endswith(f"this command needs: {how_to_install('frames')}\n")


@pytest.mark.parametrize(
    "arguments",
    [("gate", "a.csv", "b.csv", "-c", "gate.toml"), ("preflight", "a.csv", "-t", "b.csv")],
    ids=lambda arguments: arguments[0],
)
def test_a_command_for_builds_without_its_packages_has_an_exit_code_of_its_own(arguments):
    done = call(*arguments, without="typer")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith(f"this command needs: {how_to_install('frames')}\n")


def test_help_lists_the_commands_and_explains_edits(run_cli):
    assert "lab" in run_cli("--help").stdout
    assert "check" in run_cli("--help").stdout
    assert "gate" in run_cli("--help").stdout
    told = run_cli("lab", "--help").stdout
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
def test_an_invalid_port_is_reported_before_copying(run_cli, arguments, variables, value, tmp_path):
    folder = tmp_path / "workbook"
    done = run_cli(*arguments, str(folder), **variables)
    assert done.returncode == 1
    assert done.stderr == (
        f"recsys-workbook lab: port '{value}' is not a whole number from 1 to 65535; name one\n"
    )
    assert not folder.exists()


def test_an_unknown_command_is_reported(run_cli):
    done = run_cli("nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_folder_errors_are_reported_without_a_traceback(run_cli, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file, not a folder")
    done = run_cli("lab", "--no-open", str(taken))
    assert done.returncode == 1
    assert done.stderr.startswith(f"recsys-workbook lab: cannot write the workbook to {taken}: ")
    assert "Traceback" not in done.stderr
    assert taken.read_text() == "a file, not a folder"


def test_copying_reports_what_was_done_and_the_next_step(tmp_path):
    done = call("lab", "--no-open", str(tmp_path / "here"))
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.splitlines()[-1] == f'Open it with: recsys-workbook lab "{tmp_path / "here"}"'
    )
    assert (tmp_path / "here" / "chapters" / "02_ranking.ipynb").is_file()


def test_check_without_arguments_lists_chapters_and_the_progress_file(run_cli, tmp_path):
    kept = tmp_path / "progress.json"
    done = run_cli("check", RECSYS_METRICS_PROGRESS=str(kept))
    assert done.returncode == 0, done.stderr
    assert re.search(r"^02 Ranking +0/\d+ +0/\d+ +·+$", done.stdout, flags=re.MULTILINE)
    assert done.stdout.splitlines()[-1] == f"Saved in {kept}"
    assert not kept.exists()
    off = run_cli("check", RECSYS_METRICS_PROGRESS="off")
    assert off.stdout.splitlines()[-1].startswith("Not saved")


def test_progress_can_be_exported_and_imported(run_cli, tmp_path):
    desk, train, saved = (str(tmp_path / f"{name}.json") for name in ("desk", "train", "saved"))
    event = {"id": "a", "when": "2026-03-02T12:00:00+01:00", "exercise": "ranking.e4"}
    event |= {"outcome": "WRONG", "mistake": "hits-divisor"}
    Path(desk).write_text(json.dumps({"version": 2, "history": [event]}))
    done = run_cli("check", "--save", saved, RECSYS_METRICS_PROGRESS=desk)
    assert done.stdout.startswith(f"1 entry saved to {saved}.")
    done = run_cli("check", "--load", saved, RECSYS_METRICS_PROGRESS=train)
    assert done.stdout.startswith(f"1 entry of {saved} taken over.")
    assert "ranking.e4  Average precision: hits divisor, 1 try" in done.stdout
    again = run_cli("check", "--load", saved, RECSYS_METRICS_PROGRESS=train)
    assert again.stdout.startswith(f"0 entries of {saved} taken over.")
    there = run_cli("check", "--save", saved, RECSYS_METRICS_PROGRESS=desk)
    assert (there.returncode, "is there already; give another name" in there.stderr) == (1, True)
    none = run_cli("check", "--load", desk + "x", RECSYS_METRICS_PROGRESS=train)
    assert (none.returncode, "No such file" in none.stderr) == (1, True)


def test_a_damaged_progress_file_is_reported_and_backed_up(run_cli, tmp_path):
    kept = tmp_path / "progress.json"
    kept.write_text("{")
    done = run_cli("check", RECSYS_METRICS_PROGRESS=str(kept))
    assert done.returncode == 0
    assert "was damaged. It is kept as progress.json.damaged-" in done.stderr
    kept_aside = [path for path in tmp_path.iterdir() if path.suffix != ".lock"]
    assert [path.read_text() for path in kept_aside] == ["{"]


def test_check_names_missing_arguments(run_cli, tmp_path):
    for arguments in (["check", "--watch"], ["check", "--format", "json"]):
        done = run_cli(*arguments)
        assert (done.returncode, done.stderr) == (1, "recsys-workbook check: name the notebook\n")
    done = run_cli("check", str(tmp_path / "none.ipynb"))
    assert done.returncode == 2
    assert done.stderr.startswith("recsys-workbook check: ")
    assert "Traceback" not in done.stderr


@another_program
def test_check_grades_a_script_and_returns_an_exit_code(tmp_path):
    text = tmp_path / "mine.py"
    head = "# %%\nfrom recsys_metrics.workbook.exercises import ranking as ex\n"
    for answer, code, word in (("0.442", 0, "PASS"), ("0.589", 1, "hits divisor")):
        text.write_text(f"{head}ex.average_precision_of_list.check({answer})\n")
        done = call("check", str(text))
        assert done.returncode == code, done.stderr
        assert word in done.stdout
    kept = json.loads(call("check", str(text), "--format", "json").stdout)
    assert kept["exercises"][0]["mistake"] == "hits-divisor"


def test_importing_the_package_does_not_import_the_command_line():
    code = "import sys, recsys_metrics; print('recsys_metrics.cli' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_listing_the_commands_imports_nothing_heavy():
    code = "import json, sys, recsys_metrics.cli._app; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    parts = ("evaluation", "frames", "measures", "workbook.exercises", "workbook.grading")
    heavy = {"narwhals", "nbgrader", "polars", "rich", *(f"recsys_metrics.{x}" for x in parts)}
    assert heavy & set(json.loads(done.stdout)) == set()


def test_folder_names_are_escaped_on_a_terminal(run_cli, tmp_path):
    done = run_cli("lab", "--no-open", str(tmp_path / "a\x1b[31mb"))
    assert done.returncode == 0, done.stderr
    assert "a\\x1b[31mb" in done.stdout
    assert "\x1b" not in done.stdout


@another_program
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["course", "new", "recsys"]])
def test_a_reader_that_has_gone_stops_no_command(arguments, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "recsys_metrics.cli", *arguments]
    done = subprocess.run(
        command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
    assert "new" not in arguments or (tmp_path / "recsys" / "course.toml").is_file()


def test_output_for_a_reader_that_has_gone_disappears():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        console.say("one", stream)
        console.say("two", stream)


def list_help_pages(command, words=()):
    yield [*words, "--help"]
    for name, one in getattr(command, "commands", {}).items():
        yield from list_help_pages(one, (*words, name))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk_is_one_sentence_whatever_is_printed(monkeypatch, tmp_path):
    typer = pytest.importorskip("typer", reason="the extra `workbook` is not installed")
    from recsys_metrics.cli._app import app

    monkeypatch.setenv("RECSYS_METRICS_PROGRESS", str(tmp_path / "progress.json"))
    pages = [*list_help_pages(typer.main.get_command(app))]
    assert ["course", "kit", "gradescope", "--help"] in pages
    for arguments in (*pages, [], ["course"], ["check"], ["--version"]):
        with Path("/dev/full").open("w") as full:
            monkeypatch.setattr(sys, "stdout", full)
            with pytest.raises(SystemExit) as ended:
                cli.main(arguments)
        # An error of these two is no outcome, which have the other numbers.
        if arguments[:1] in (["gate"], ["preflight"]):
            assert ended.value.code == 3, arguments
        else:
            assert ended.value.code == (
                "recsys-workbook: the output cannot be written: No space left on device"
            ), arguments
        assert sys.stdout is full
