"""Write tests/test_metric_types.py: what each metric returns for one list and for many.

A metric whose docstring says that it returns a float or an array is called once in either way,
each argument by the name of its parameter. mypy reads the calls, and pytest makes them.

    python dev/tools/build_type_tests.py            write the file
    python dev/tools/build_type_tests.py --check    only say whether it is in step
"""

from __future__ import annotations

import argparse
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from recsys_metrics import beyond_accuracy, ranking, rating  # noqa: E402
from recsys_metrics.bias import fairness  # noqa: E402
from recsys_metrics.protocol import candidates  # noqa: E402

FILE = ROOT / "tests" / "test_metric_types.py"
MODULES = (ranking, rating, beyond_accuracy, fairness, candidates)
ONE_OR_MANY = re.compile(r"Returns\n-+\nfloat or \(\w+,\) array\n")

# The argument of each parameter, for one list and for two.
ARGUMENTS = {
    "actual": ("ACTUAL", "ACTUAL"),
    "base": ("2", "2"),
    "baseline": ('["A"]', '["A"]'),
    "catalog": ("3", "3"),
    "categories": ("CATEGORIES", "CATEGORIES"),
    "features": ("CATEGORIES", "CATEGORIES"),
    "first": ("0.5", "[0.5, 0.2]"),
    "grades": ("LABELS", "[LABELS, LABELS]"),
    "groups": ("GROUPS", "GROUPS"),
    "history": ('{"A"}', '[{"A"}, {"B"}]'),
    "item_counts": ("COUNTS", "COUNTS"),
    "judged": ("ONE", "MANY"),
    "k": ("1", "1"),
    "labels": ("LABELS", "[LABELS, LABELS]"),
    "max_grade": ("1", "1"),
    "n_events": ("6", "6"),
    "n_items": ("50", "50"),
    "n_samples": ("5", "5"),
    "n_users": ("6", "6"),
    "one": ("LIST", "LISTS"),
    "original": ("LIST", "LISTS"),
    "other": ("LIST", "LISTS"),
    "predicted": ("PREDICTED", "PREDICTED"),
    "ranks": ("1", "[1, 2]"),
    "recommended": ("LIST", "LISTS"),
    "relevant": ('{"B"}', '[{"B"}, {"C"}]'),
    "reranked": ("LIST", "LISTS"),
    "scores": ("SCORES", "[SCORES, SCORES]"),
    "second": ("1.0", "[1.0, 0.1]"),
    "target": ("[0.7, 0.3]", "[[0.7, 0.3], [0.7, 0.3]]"),
    "unjudged": ('{"A"}', '[{"A"}, {"D"}]'),
}
# Of single functions: a parameter that means something else, or that is not required by itself.
OWN = {
    "corrected_metric": {"metric": ('"auc"', '"auc"'), "method": ('"rank"', '"rank"')},
    "expected_over_ties": {"metric": ('"ndcg"', '"ndcg"')},
    "expected_sampled_metric": {"metric": ('"auc"', '"auc"')},
    "genre_calibration": {"recommended": ("[1.0, 0.0]", "[[1.0, 0.0], [0.5, 0.5]]")},
    "intra_list_diversity": {"features": ("CATEGORIES", "CATEGORIES")},
}

HEAD = '''"""One list gives a float, and many an array. Written by dev/tools/build_type_tests.py."""

from __future__ import annotations

from typing import assert_type

import numpy as np

{imports}
from recsys_metrics._core.inputs.arrays import FloatArray

LIST, LISTS = ["A", "B"], [["A", "B"], ["B", "C"]]
ONE, MANY = ranking.judge(LIST, {{"B"}}), ranking.judge(LISTS, [{{"B"}}, {{"C"}}])
LABELS, SCORES = [1, 0, 0], [0.9, 0.5, 0.1]
COUNTS = {{"A": 3, "B": 2, "C": 1}}
CATEGORIES = {{"A": ["war"], "B": ["love"], "C": ["war"]}}
GROUPS = {{"A": "head", "B": "tail", "C": "tail"}}
# Two ratings of each of two users.
ACTUAL, PREDICTED, USERS = [1.0, 2.0, 3.0, 5.0], [2.0, 2.0, 3.0, 4.0], ["a", "a", "b", "b"]


def test_one_list_gives_a_float() -> None:
    for value in (
{one}
    ):
        assert type(value) is float


def test_many_lists_give_an_array() -> None:
    for values in (
{many}
    ):
        assert isinstance(values, np.ndarray)
        assert values.dtype == np.float64
        assert values.shape == (2,)
'''


def metrics(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Return the functions of a module that give a float for one list and an array for many."""
    for name in sorted(module.__all__):
        function = getattr(module, name)
        if inspect.isfunction(function) and ONE_OR_MANY.search(inspect.getdoc(function) or ""):
            yield name, function


def call(module: ModuleType, name: str, function: Any, many: bool) -> str:
    """Return the call of a metric as text."""
    own = OWN.get(name, {})
    required = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is inspect.Parameter.empty or parameter.name in own
    ]
    known = ARGUMENTS | own
    if unknown := [each.name for each in required if each.name not in known]:
        raise SystemExit(
            f"{name} has the parameter {unknown[0]!r}, of which dev/tools/build_type_tests.py has "
            "no argument; add it to ARGUMENTS"
        )
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    arguments = [
        # Without names for one list, where they may be left out, and with names for many.
        known[parameter.name][many]
        if not many and parameter.kind is not keyword_only
        else f"{parameter.name}={known[parameter.name][many]}"
        for parameter in required
    ]
    if many and module is rating:
        arguments.append("users=USERS")
    return f"{module.__name__.rpartition('.')[2]}.{name}({', '.join(arguments)})"


def text() -> str:
    """Return what the file should hold."""
    lines: dict[str, list[str]] = {"one": [], "many": []}
    for module in MODULES:
        for name, function in metrics(module):
            for key, of in (("one", "float"), ("many", "FloatArray")):
                made = call(module, name, function, key == "many")
                lines[key].append(f"        assert_type({made}, {of}),")
    parents: dict[str, list[str]] = {}
    for module in MODULES:
        parent, _, name = module.__name__.rpartition(".")
        parents.setdefault(parent, []).append(name)
    imports = "\n".join(
        f"from {parent} import {', '.join(sorted(names))}"
        for parent, names in sorted(parents.items())
    )
    return formatted(HEAD.format(imports=imports, **{k: "\n".join(v) for k, v in lines.items()}))


def formatted(code: str) -> str:
    """Return code as ruff sorts its imports and lays it out."""
    for arguments in (["check", "--select", "I", "--fix"], ["format"]):
        command = [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", str(FILE), "-"]
        done = subprocess.run(command, input=code, capture_output=True, text=True, check=True)
        code = done.stdout
    return code


def main() -> int:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    if parser.parse_args().check:
        if FILE.exists() and FILE.read_text(encoding="utf-8") == text():
            return 0
        print(f"{FILE.relative_to(ROOT)} is out of step; run python dev/tools/build_type_tests.py")
        return 1
    FILE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
