"""The architecture: who may import whom, how light the package is, how it is written."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import recsys_metrics as rm
from recsys_metrics._core.inputs import ties
from tests import public
from tests.conftest import TOGETHER

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("matplotlib", "ipywidgets", "IPython", "pandas", "scipy", "typer", "rich", "pooch")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_files_named_in_the_code_exist():
    folders = "book|chapters|data|dev|recsys_metrics|solutions|tests"
    named = re.compile(rf"`((?:{folders})/[\w./-]+\.[a-z]+)`")
    missing = {
        (file.relative_to(ROOT).as_posix(), name)
        for folder in ("recsys_metrics", "dev", "book")
        for file in (ROOT / folder).rglob("*.py")
        if "_build" not in file.parts
        for name in named.findall(file.read_text(encoding="utf-8"))
        if not (ROOT / name).exists() and not (ROOT / "recsys_metrics" / name).exists()
    }
    assert missing == set()


def test_test_files_that_use_spark_share_one_worker():
    asks = re.compile(r"^from tests\.frames\.engines import .*\b(ENGINES|in_spark|spark)\b", re.M)
    on_spark = {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "tests").rglob("test_*.py")
        if asks.search(file.read_text(encoding="utf-8"))
    }
    assert on_spark == {file for file, what in TOGETHER.items() if what == "on one Spark"}


def run_in_new_interpreter(code: str) -> str:
    """Run code in a new interpreter and return what it prints."""
    done = run(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    return done.stdout


# The exercises are imported by every kernel, every grader and every command of the workbook.
@pytest.mark.parametrize("name", ["recsys_metrics", "recsys_metrics.workbook.exercises"])
def test_importing_the_package_imports_nothing_heavy(name):
    loaded = json.loads(
        run_in_new_interpreter(f"import json, sys, {name}; print(json.dumps(sorted(sys.modules)))")
    )
    assert [name for name in HEAVY if name in loaded] == []


def test_importing_the_package_takes_about_as_long_as_importing_numpy():
    # Of the processor, and the least of several: what else runs here is none of their business.
    clock = "import time; s = time.process_time(); import {}; print(time.process_time() - s)"
    names = ("numpy", "recsys_metrics")
    seconds = {name: [] for name in names}
    for _ in range(7):
        for name in names:
            seconds[name].append(float(run_in_new_interpreter(clock.format(name))))
    ratio = min(seconds["recsys_metrics"]) / min(seconds["numpy"])
    # The package imports numpy itself, so 1 is the floor; the rest is its own few files.
    assert ratio < 1.6, f"importing recsys_metrics takes {ratio:.2f} times as long as numpy"


MODULES = list(public.modules())
every_module = pytest.mark.parametrize("module", MODULES, ids=public.path)


def documented(value: object) -> Iterator[str]:
    """Yield the texts of a function, or of a class and its members."""
    yield getattr(value, "__doc__", None) or ""
    if isinstance(value, type):
        for member in vars(value).values():
            yield getattr(member, "__doc__", None) or ""


@every_module
def test_every_public_name_has_a_summary_and_an_example(module):
    own = [value for name in module.__all__ if callable(value := getattr(module, name))]
    silent = [value.__name__ for value in own if not (inspect.getdoc(value) or "").strip()]
    unshown = [
        value.__name__
        for value in own
        if not (isinstance(value, type) and issubclass(value, Exception))
        if not any(">>>" in text for text in documented(value))
    ]
    assert (silent, unshown) == ([], [])


@every_module
def test_every_public_member_of_a_class_has_a_docstring(module):
    silent = [
        f"{name}.{member}"
        for name in module.__all__
        if isinstance(found := getattr(module, name), type)
        for member, value in vars(found).items()
        if not member.startswith("_") and (callable(value) or isinstance(value, property))
        if not (inspect.getdoc(getattr(found, member)) or "").strip()
    ]
    assert silent == []


def test_no_code_depends_on_error_messages():
    # What an error says may be reworded; what decides is its class or a predicate.
    readers = []
    for file in (ROOT / "recsys_metrics").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ExceptHandler) or node.name is None:
                continue
            text = rf"(str\({node.name}\)|{node.name}\.args)"
            for part in ast.walk(node):
                if isinstance(part, ast.Compare) and re.search(text, ast.unparse(part)):
                    readers.append(f"{file.name}:{part.lineno}")
                if isinstance(part, ast.Call) and re.match(
                    rf"{text}.*\.(startswith|endswith|find|index|count)\(", ast.unparse(part)
                ):
                    readers.append(f"{file.name}:{part.lineno}")
    assert readers == []


# A file that no earlier one can be cut by: it is new, in a folder that was made for it, or the
# system's own.
WRITTEN_IN_PLACE = {
    "_core/whole_files.py",  # pipes and devices
    "cli/_gate.py",  # adds to a file of the platform
    "frames/_files.py",
    "workbook/browser/upload_evaluation/_files.py",
    "workbook/checking/__init__.py",
    "workbook/checking/grade.py",
    "workbook/checking/platforms/classroom50.py",
    "workbook/checking/platforms/scoring.py",
    "workbook/checking/probe.py",
    "workbook/checking/worker.py",
    "workbook/course/archives.py",
    "workbook/course/course_folder.py",
    "workbook/grading/sandbox/cgroup.py",
    "workbook/lab/server.py",
}


def test_files_of_users_are_replaced_whole():
    # An interrupted `write_text` leaves half of the new file, and nothing of the earlier one.
    writers = set()
    for file in (ROOT / "recsys_metrics").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            call = ast.unparse(node.func)
            given = [one.value for one in node.args if isinstance(one, ast.Constant)]
            opened = re.search(r"(^|\.)open$", call) and any(
                isinstance(mode, str) and re.fullmatch("[rwax]b?[+]?b?", mode) and mode[0] in "wax"
                for mode in given
            )
            if re.search(r"\.write_(text|bytes)$", call) or opened:
                writers.add(file.relative_to(ROOT / "recsys_metrics").as_posix())
    assert writers == WRITTEN_IN_PLACE


def test_no_two_functions_have_the_same_summary():
    asked: dict[str, set[str]] = {}
    for module in public.modules():
        for name in module.__all__:
            if inspect.isfunction(function := getattr(module, name)):
                question = inspect.getdoc(function).partition("\n\n")[0]
                asked.setdefault(question, set()).add(f"{function.__module__}.{name}")
    assert len(asked) > 150
    assert [names for names in asked.values() if len(names) > 1] == []


# Items by how often people took them, which is no score of theirs.
OF_COUNTS = {"evaluation/_context.py"}


def own_rules_for_ties(source: str) -> list[int]:
    """Return the lines that say anew which of two equal scores comes first.

    A vocabulary that is not part of the common one, a check of `ties` that is not the common one,
    and an order of items by falling score.
    """
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
            words = (
                set(ast.literal_eval(node.slice)) if isinstance(node.slice, ast.Tuple) else set()
            )
            if words & {"best", "worst", "id"} and not words <= set(get_args(ties.Ties)):
                lines.append(node.lineno)
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.args[0]) == "'ties'":
            lines.append(node.lineno)
        if isinstance(node, ast.Lambda):
            first = node.body.elts[0] if isinstance(node.body, ast.Tuple) else node.body
            if re.fullmatch(r"-\w+\[.*\]", ast.unparse(first)):
                lines.append(node.lineno)
    return lines


@pytest.mark.parametrize(
    "planted",
    [
        'Ties = Literal["best", "worst", "coin"]',
        'check_choice("ties", ties, Ties)',
        "ranked = sorted(run, key=lambda item: (-run[item], item))",
    ],
)
def test_other_tie_breaking_code_is_detected(planted):
    assert own_rules_for_ties(f"import numpy\n{planted}") == [2]


def test_tie_breaking_is_implemented_once():
    library = ROOT / "recsys_metrics"
    found = {}
    for file in library.rglob("*.py"):
        name = file.relative_to(library).as_posix()
        if not name.startswith("workbook/") and name not in OF_COUNTS:
            found[name] = own_rules_for_ties(file.read_text(encoding="utf-8"))
    assert len(found.pop("_core/inputs/ties.py")) == 1
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_subject_modules_are_attributes_of_the_package():
    assert run_in_new_interpreter(
        "import recsys_metrics as rm; print(rm.protocol.temporal_split.__name__)"
    ).strip() == ("temporal_split")
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = rm.nonsense


def test_a_misspelt_attribute_gets_a_suggestion():
    done = run(sys.executable, "-c", "import recsys_metrics as rm; rm.precison")
    assert "Did you mean: 'precision'?" in done.stderr


@every_module
def test_dir_lists_only_public_names(module):
    assert dir(module) == sorted(module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)


def test_private_modules_have_a_leading_underscore():
    known = {module.__name__ for module in MODULES}
    root = ROOT / "recsys_metrics"
    unmarked = set()
    for file in root.rglob("*.py"):
        parts = file.relative_to(root).with_suffix("").parts
        own = [part for part in parts if part != "__init__"]
        if not {"cli", "workbook"} & set(own) and not any(part.startswith("_") for part in own):
            unmarked.add(".".join(["recsys_metrics", *own]))
    assert unmarked == known
