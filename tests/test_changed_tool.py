"""`make test-changed`: which tests a change touches."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "dev" / "tools"))

import changed  # noqa: E402
from imports import Graph  # noqa: E402

from tests import tiers  # noqa: E402


@pytest.fixture
def tree(tmp_path):
    """Write a small project and return its graph."""
    files = {
        "recsys_metrics/__init__.py": "from recsys_metrics.ranking import *\n__version__ = '1'\n"
        "_NAMES = {'measure': 'measures'}\ndef __getattr__(name): ...\n",
        "recsys_metrics/ranking/__init__.py": "from recsys_metrics.ranking._a import a\n"
        "from recsys_metrics.ranking._b import b\n__all__ = ['a', 'b']\n",
        "recsys_metrics/ranking/_a.py": "def a(): ...\n",
        "recsys_metrics/ranking/_b.py": "from recsys_metrics.ranking._c import c\nb = c\n",
        "recsys_metrics/ranking/_c.py": "c = 1\n",
        "recsys_metrics/measures.py": "from .ranking import a\ndef measure(): return a\n",
        "tests/test_a.py": "from recsys_metrics import a\n",
        "tests/test_b.py": "import recsys_metrics as rm\nrm.ranking.b\n",
        "tests/test_measure.py": "from recsys_metrics import measure\n",
        "tests/test_all.py": "import recsys_metrics as rm\nfor one in dir(rm): ...\n",
        "tests/test_gone.py": "from recsys_metrics.ranking._gone import c\n",
        "tests/test_version.py": "from recsys_metrics import __version__\n",
        "tests/test_broken.py": "def test(:\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Graph(tmp_path)


def users(graph, module):
    affected = graph.affected([f"recsys_metrics{module and '.'}{module}"])
    return {name: n for name, n in affected.items() if name.startswith("tests.")}


def test_a_changed_module_selects_users_of_its_names_only(tree):
    assert users(tree, "ranking._a") == {
        "tests.test_a": 1,
        "tests.test_measure": 2,
        "tests.test_all": 1,
    }
    assert users(tree, "ranking._b") == {"tests.test_b": 1, "tests.test_all": 1}


def test_import_distance_ignores_packages_that_re_export(tree):
    assert users(tree, "ranking._c") == {"tests.test_b": 2, "tests.test_all": 2}


def test_lazily_imported_names_are_resolved(tree):
    assert users(tree, "measures") == {"tests.test_measure": 1}


def test_names_defined_in_a_package_are_not_its_re_exports(tree):
    assert "tests.test_version" not in users(tree, "ranking._a")
    assert "tests.test_version" in users(tree, "")


def selected(*files):
    return changed.Change(files).selected


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("recsys_metrics/ranking/_dcg.py", {"tests/ranking/test_identities.py"}),
        ("recsys_metrics/frames/_checks.py", {"tests/frames/test_invalid_tables.py"}),
        (
            "chapters/02_ranking.md",
            {"tests/chapters/test_chapter_texts.py", "chapters/02_ranking.ipynb"},
        ),
        (
            "recsys_metrics/workbook/exercises/ranking/averages.py",
            {"tests/exercises/test_exercise_rules.py", "solutions/02_ranking.ipynb"},
        ),
        (
            "recsys_metrics/workbook/explorables/ranking/metric_values.py",
            {
                "tests/workbook/explorables/test_ranking.py",
                "tests/book/test_explorables_in_book.py",
            },
        ),
        ("book/_static/book.css", {"tests/book/test_every_page.py"}),
        ("recsys_metrics/data/equivalences.csv", {"tests/test_equivalences.py"}),
        ("tests/tiers.py", {"tests/test_tiers.py"}),
        ("README.md", {"tests/test_readme.py"}),
        ("recsys_metrics/data/libraries.csv", {"tests/test_equivalences.py"}),
        ("tests/exercises/natural_numbers.json", {"tests/exercises/test_natural_answers.py"}),
        ("tests/frames/conftest.py", {"tests/frames/test_invalid_tables.py"}),
        ("dev/tools/build_solutions.py", {"tests/exercises/test_solutions.py"}),
        ("recsys_metrics/_core/checks.py", {"tests/ranking/test_identities.py"}),
        ("dev/benchmarks/runner.py", {"tests/test_benchmarks.py"}),
    ],
)
def test_each_kind_of_file_selects_its_tests(file, tests):
    assert (ROOT / file).exists()
    assert tests <= set(selected(file))


def test_a_deleted_file_selects_its_importers():
    selection = selected("recsys_metrics/ranking/_no_longer_there.py")
    assert "tests/ranking/test_identities.py" in selection


def test_a_deleted_module_has_its_users(tree):
    assert users(tree, "ranking._gone") == {"tests.test_gone": 1}


def test_a_change_that_cannot_be_imported_selects_all_cases(monkeypatch):
    def fail(name):
        raise SyntaxError(name)

    monkeypatch.setattr(changed, "import_module", fail)
    change = changed.Change(["recsys_metrics/workbook/exercises/ranking/averages.py"])
    assert change.selected
    assert change.only() == {}


def test_an_empty_selection_is_reported(capsys):
    change = changed.Change(["/".join(("no", "such", "file"))])
    changed.describe(change)
    assert "No test is selected" in capsys.readouterr().out


def test_a_chapter_text_selects_only_its_notebook():
    notebooks = {test for test in selected("chapters/02_ranking.md") if test.endswith(".ipynb")}
    assert notebooks == {"chapters/02_ranking.ipynb"}


def test_only_cases_of_changed_exercises_are_selected():
    own = "recsys_metrics/workbook/exercises/ranking/averages.py"
    only = changed.Change([own]).only()["tests/exercises/test_exercise_rules.py"]
    assert "ranking.e4" in only
    assert not any(name.startswith("rating.") for name in only)
    both = changed.Change([own, "recsys_metrics/workbook/exercises/base.py"])
    assert "tests/exercises/test_exercise_rules.py" not in both.only()


def test_a_selection_excludes_tests_of_other_cases():
    def about(**params):
        callspec = type("", (), {"params": params})()
        return type("", (), {"nodeid": "tests/test_a.py::test", "callspec": callspec})()

    chosen = tiers.Selection(
        whole=frozenset(),
        only={"tests/test_a.py": frozenset({"ranking.e4", "02_ranking"})},
        cases=frozenset({"ranking.e4", "ranking.e5", "02_ranking", "03_beyond_accuracy"}),
    )
    assert chosen.takes(about(name="ranking.e4"))
    assert not chosen.takes(about(name="ranking.e5"))
    assert chosen.takes(about(path=Path("chapters/02_ranking.md")))
    assert not chosen.takes(about(visited="chapters/03_beyond_accuracy.html"))
    assert chosen.takes(about(width=390))
    assert chosen.takes(about(typed=10**5000))


def test_distant_importers_are_left_out_and_reported():
    change = changed.Change(["recsys_metrics/_core/confidence_intervals.py"])
    assert change.left_out
    assert not set(change.left_out) & set(change.selected)
    lines = []
    changed.describe(change, lines.append)
    assert any(line.startswith("left out, 3 imports away: ") for line in lines)


def test_an_unknown_commit_is_an_error():
    command = [sys.executable, "dev/tools/changed.py", "--base", "no-such-commit"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "diff --name-only --no-renames no-such-commit failed" in done.stderr
