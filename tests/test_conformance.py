"""The readings that libraries agree on, as data that stands alone, and what runs them."""

from __future__ import annotations

import ast
import csv
import importlib.util
import math
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import pytest

from recsys_metrics.measures import measure
from recsys_metrics.peers import LIBRARIES
from tests.ranking import reference

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "dev" / "conformance"


@pytest.fixture(scope="module")
def run():
    """The runner."""
    spec = importlib.util.spec_from_file_location("conformance_run", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def cases(run):
    return run.Cases.read()


@pytest.fixture(scope="module")
def known(run):
    return run.readings()


def test_the_runner_needs_only_the_standard_library():
    tree = ast.parse((FOLDER / "run.py").read_text(encoding="utf-8"))
    names = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert names <= {*sys.stdlib_module_names, "__future__"}


def test_the_files_are_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    monkeypatch.setattr(sys, "argv", ["build_conformance.py", "--check"])
    import build_conformance

    assert build_conformance.main() == 0


def test_each_value_equals_its_plain_definition(cases, known):
    """In plain Python, which imports nothing of the library."""
    for text, values in known.items():
        asked = measure(text)
        function = getattr(reference, asked.name)
        for (k, user), value in values.items():
            grades = cases.grades[user]
            if not any(grades.values()):
                assert value is None
            else:
                expected = function(cases.lists[user], grades, k, **dict(asked.conventions))
                assert value == pytest.approx(expected, rel=1e-11), (text, k, user)


def test_a_value_computed_by_hand(known):
    """u01 was shown one item, which is the one relevant."""
    assert known["precision"][3, "u01"] == pytest.approx(1 / 3)
    assert known["precision(denominator=recommended)"][3, "u01"] == 1
    assert known["ndcg(gain=binary, ideal=full)"][3, "u01"] == pytest.approx(
        1 / (1 + 1 / math.log2(3) + 1 / 2)
    )
    assert known["average_precision(denominator=k)"][3, "u01"] == pytest.approx(1 / 3)


def test_any_two_conventions_differ_in_some_case(run, known):
    assert len(known) > 20
    same = [(a, b) for a, b in combinations(known, 2) if run.compare(a, known[a], known[b]).agrees]
    assert same == []


def test_our_metrics_match_each_convention(run, cases, known):
    ours = run.load(FOLDER / "adapters" / "recsys_metrics.py")
    rows = list(run.examine(ours, cases, known))
    assert [row["reading"] for row in rows] == list(known)
    assert {(row["note"], row["empty"]) for row in rows} == {("", "nan")}


def adapter(function, **claims):
    return SimpleNamespace(LIBRARY="a", VERSION="1", MEASURES={"f": function}, CLAIMS=claims)


def precision_of_ten(lists, grades, k):
    """Return a precision whose denominator is 10 at any cut-off."""
    return {u: sum(grades[u].get(i, 0) > 0 for i in row[:k]) / 10 for u, row in lists.items()}


def test_an_unknown_convention_reports_the_nearest_and_a_difference(run, cases, known):
    (row,) = run.examine(adapter(precision_of_ten), cases, known)
    assert row["reading"] == ""
    assert row["note"].startswith("nearest is precision, from which ")
    assert "it gives 0.1 and not 1.0" in row["note"]


def test_omitting_a_user_with_relevant_items_is_a_mismatch(run, cases, known):
    def partly(lists, grades, k):
        return {user: known["recall"][k, user] for user in lists if user not in ("u00", "u05")}

    (row,) = run.examine(adapter(partly), cases, known)
    assert "user 'u05', it gives None" in row["note"]


@pytest.mark.parametrize(
    ("empty", "word"), [(0, "zero"), (1, "one"), (math.nan, "nan"), (3, "3.0")]
)
def test_values_of_users_without_relevant_items_are_reported_separately(
    run, cases, known, empty, word
):
    def recall(lists, grades, k):
        values = {user: known["recall"][k, user] for user in lists}
        return {user: empty if value is None else value for user, value in values.items()}

    (row,) = run.examine(adapter(recall), cases, known)
    assert (row["reading"], row["empty"], row["note"]) == ("recall", word, "")


def test_claimed_conventions_are_checked(run, cases, known):
    def recall(lists, grades, k):
        return {
            u: math.nan if known["recall"][k, u] is None else known["recall"][k, u] for u in lists
        }

    (right,) = run.examine(adapter(recall, f="recall"), cases, known)
    (wrong,) = run.examine(adapter(recall, f="precision"), cases, known)
    assert (right["note"], wrong["note"]) == ("", "claimed to be precision")
    with pytest.raises(SystemExit, match="no reading is called 'recal'"):
        list(run.examine(adapter(recall, f="recal"), cases, known))
    with pytest.raises(SystemExit, match="'g', which MEASURES does not have"):
        list(run.examine(adapter(recall, g="recall"), cases, known))


def results():
    with (FOLDER / "results.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_stored_results_match_the_random_comparison():
    titles = {library.title: name for name, library in LIBRARIES.items()}
    titles |= {"pytrec-eval": "pytrec-eval"}
    agreed = {}
    with (FOLDER / "readings.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            agreed[row["reading"]] = row["agreed"].split()
    rows = results()
    assert len({row["library"] for row in rows}) == 5
    for row in rows:
        name = titles[row["library"]]
        assert row["version"] == LIBRARIES[name].version
        assert name in agreed[row["reading"]], row
        assert row["note"] == ""


def test_the_page_shows_each_metric_with_its_convention():
    spec = importlib.util.spec_from_file_location("readings", ROOT / "book" / "readings.py")
    readings = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(readings)
    versions, *entries = readings.table(FOLDER).split("\n* - ")
    shown = dict(entry.split("\n  - ") for entry in entries)
    assert shown.pop("Reading")
    assert set(shown) == {f"`{row['reading']}`" for row in results()}
    for row in results():
        assert f"{row['library']} {row['version']}" in versions
        assert row["library"] in shown[f"`{row['reading']}`"]
        assert f"`{row['name']}`" in shown[f"`{row['reading']}`"]


@pytest.mark.parametrize("name", ["ir_measures", "pytrec_eval"])
def test_the_command_reproduces_the_stored_results(tmp_path, name):
    pytest.importorskip(name, reason=f"{name} is not installed")
    if name == "ir_measures" and sys.version_info >= (3, 14):
        pytest.skip("ir_measures reads its measures by ast.Num, which Python 3.14 no longer has")
    out = tmp_path / "results.csv"
    command = [sys.executable, str(FOLDER / "run.py"), str(FOLDER / "adapters" / f"{name}.py")]
    done = subprocess.run(
        [*command, "--out", str(out)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    with out.open(encoding="utf-8") as file:
        new = list(csv.DictReader(file))
    library = new[0]["library"]
    same = ("library", "name", "reading", "values", "empty", "note")
    shown = [row for row in results() if row["library"] == library]
    assert [[row[key] for key in same] for row in new] == [
        [row[key] for key in same] for row in shown
    ]


def test_an_unknown_convention_sets_the_exit_code(tmp_path):
    (tmp_path / "own.py").write_text(
        "LIBRARY, VERSION = 'own', '1'\n"
        "MEASURES = {'half': lambda lists, grades, k: dict.fromkeys(lists, 0.5)}\n",
        encoding="utf-8",
    )
    command = [sys.executable, str(FOLDER / "run.py"), str(tmp_path / "own.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith("own half: no reading; nearest is ")
