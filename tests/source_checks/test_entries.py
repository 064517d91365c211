"""Every entry of the ledger, recomputed with the library; none is skipped."""

from __future__ import annotations

import ast
import functools
import json
import re
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import recsys_metrics
from recsys_metrics.workbook import source_checks
from recsys_metrics.workbook.source_checks import ENTRIES, agrees, recompute
from recsys_metrics.workbook.source_checks.pages import NAMES
from recsys_metrics.workbook.source_checks.registry import RECOMPUTATIONS

PACKAGE = Path(recsys_metrics.__file__).parent
SUBJECTS = {
    "rating",
    "ranking",
    "beyond_accuracy",
    "protocol",
    "calibration",
    "bias",
    "choosing",
}


def same(stated, found):
    """Whether a stated value is the recomputed one: exact words, numbers to nine digits."""
    if isinstance(stated, list):
        return (
            isinstance(found, list) and len(stated) == len(found) and all(map(same, stated, found))
        )
    if isinstance(stated, bool | str) or isinstance(found, bool | str):
        return type(stated) is type(found) and stated == found
    return bool(np.isclose(stated, found, rtol=1e-9, atol=1e-9))


@functools.cache
def of_library(file):
    """Whether a file is of the package, and of what it holds besides the workbook."""
    path = Path(file)
    return PACKAGE in path.parents and "workbook" not in path.relative_to(PACKAGE).parts


def library_calls(entry):
    """Return the metric functions that a recomputation enters, in the order it does."""
    entered = []

    def watch(frame, event, _):
        if event == "call" and of_library(frame.f_code.co_filename):
            entered.append(frame.f_code.co_name)

    sys.setprofile(watch)
    try:
        recompute(entry)
    finally:
        sys.setprofile(None)
    return entered


def test_all_entries_are_present():
    assert len(ENTRIES) == 198
    assert set(RECOMPUTATIONS) == set(ENTRIES)
    assert Counter(entry.document for entry in ENTRIES.values()) == {
        "000": 89,
        "001": 28,
        "002": 40,
        "003": 32,
        "004": 9,
    }
    assert source_checks.count_entries() == {
        "match": 86,
        "convention": 32,
        "unprinted": 21,
        "erratum": 59,
    }


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_stated_value_is_recomputed(entry):
    found = recompute(entry)
    assert entry.values
    wrong = {q: (v, found.get(q)) for q, v in entry.values.items() if not same(v, found.get(q))}
    assert wrong == {}


def status_of(entry):
    """Return the status that the recomputed values give, and the quantities printed otherwise."""
    found = recompute(entry)
    differing = tuple(q for q, text in entry.printed.items() if not agrees(text, found[q]))
    if differing:
        return "erratum", differing
    if entry.choice:
        return "convention", ()
    return ("match" if entry.printed else "unprinted"), ()


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_the_status_follows_from_what_is_printed_and_recomputed(entry):
    assert set(entry.printed) <= set(entry.values)
    assert status_of(entry) == (entry.status, entry.differs)


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES.values() if e.status == "erratum"], ids=lambda e: e.id
)
def test_an_erratum_differs_from_what_is_printed_and_says_why(entry):
    assert entry.differs
    assert not any(agrees(entry.printed[q], entry.values[q]) for q in entry.differs)
    assert len(entry.why) > 30


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_recomputation_uses_the_library(entry):
    assert library_calls(entry)


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_an_entry_is_readable(entry):
    assert entry.subject in SUBJECTS
    assert entry.section
    assert 8 < len(entry.about) < 90
    assert entry.about[0].isupper() or entry.about[0].islower()
    if entry.status in ("erratum", "convention"):
        assert entry.why
    assert bool(entry.choice) == (entry.status == "convention")
    # Numbers are values, so that they are recomputed; none hides in a sentence.
    assert not re.search(r"\d\.\d", entry.about + entry.why + entry.choice)


def test_no_recomputation_contains_its_result():
    """A way returns what it computes: no stated number stands in the code."""
    stated = {
        round(number, 6)
        for entry in ENTRIES.values()
        for value in entry.values.values()
        for number in (value if isinstance(value, list) else [value])
        if isinstance(number, float)
    }
    # 0, 1 and a half are also how one rounds, compares and halves.
    stated -= {0.0, 0.5, 1.0}
    for path in Path(source_checks.__file__).parent.glob("*.py"):
        typed = {
            round(node.value, 6)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, float)
        }
        assert typed & stated == set(), path.name


def test_the_data_is_read_once_and_cannot_be_changed():
    rows = json.loads(files(source_checks).joinpath("entries.json").read_text(encoding="utf-8"))
    assert [row["id"] for row in rows] == list(ENTRIES)
    with pytest.raises(TypeError):
        ENTRIES["ch02-mae"] = None  # type: ignore[index]
    with pytest.raises(AttributeError):
        ENTRIES["ch02-mae"].status = "erratum"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("printed", "value", "expected"),
    [
        ("0.667", 2 / 3, True),
        ("0.67", 2 / 3, True),
        ("0.66", 2 / 3, False),
        ("0.62", 5 / 8, True),
        ("0.63", 5 / 8, True),
        ("~3", 3.459, True),
        ("+0.018", 0.01819, True),
        ("-0.014", -0.01419, True),
        ("1", 1, True),
        ("1", True, False),
        (True, True, True),
        (True, False, False),
        (0.2, 0.25, False),
        (1.0, 1.0, True),
        (["1", "0"], [1, 0], True),
        (["1", "0"], [1], False),
        (["A"], ["A"], True),
        ("discordant", "concordant", False),
    ],
)
def test_printed_values_agree_within_rounding(printed, value, expected):
    assert agrees(printed, value) is expected


def test_the_summary_sentence_has_every_count():
    sentence = source_checks.summarize_counts()
    assert [int(n) for n in re.findall(r"\d+", sentence)] == [198, 86, 32, 21, 59]


@pytest.mark.slow
def test_the_tables_show_every_entry():
    rows = [row for d in source_checks.DOCUMENTS for row in source_checks.list_entries(d).rows]
    assert len(rows) == 198
    assert Counter(row[-1].split(maxsplit=1)[1] for row in rows) == {
        NAMES[status]: n for status, n in source_checks.count_entries().items()
    }
    assert list(source_checks.count_by_status().rows[-1]) == ["all five", 86, 32, 21, 59, 198]


def test_a_table_of_errata_shows_only_what_differs():
    shown = source_checks.compare_printed_values(
        "blog-dcg-rows", "ch11a-loo-leak", "notes-ap-multipliers"
    )
    assert [tuple(row[1:]) for row in shown.rows] == [
        ("2.156", "2.153"),
        ("yes", "no"),
        ("0", "1"),
        ("1", "0"),
    ]
