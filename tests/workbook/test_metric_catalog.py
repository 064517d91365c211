"""Ours and theirs: names that resolve, nothing of ours left out, libraries known by name."""

from __future__ import annotations

import inspect

import pytest

from recsys_metrics import beyond_accuracy, bias, calibration, protocol, ranking, rating
from recsys_metrics.peers import read_metric_catalog
from recsys_metrics.workbook.cards.metric_catalog import metric_table, resolve
from tests import public

SUBJECTS = (rating, ranking, beyond_accuracy, protocol, calibration, bias)
MODULES = [
    module
    for subject in SUBJECTS
    for module in public.modules(subject)
    if any(inspect.isfunction(getattr(module, name)) for name in module.__all__)
]
NAMED = {path: resolve(path) for entry in read_metric_catalog() for path in entry.ours}


@pytest.mark.parametrize("module", MODULES, ids=public.path)
def test_every_public_function_is_in_the_catalog(module):
    functions = {
        name: value for name in module.__all__ if inspect.isfunction(value := getattr(module, name))
    }
    assert {name for name, value in functions.items() if value not in NAMED.values()} == set()


def test_rows_are_complete():
    entries = read_metric_catalog()
    assert len({(entry.subject, entry.metric) for entry in entries}) == len(entries) > 100
    for entry in entries:
        assert entry.ours or entry.note.startswith("left out: "), entry
        assert entry.ours or entry.libraries, entry


def test_every_subject_has_a_table():
    subjects = list(dict.fromkeys(entry.subject for entry in read_metric_catalog()))
    assert len(subjects) == 6
    assert sum(len(metric_table(subject).rows) for subject in subjects) == len(
        read_metric_catalog()
    )
    with pytest.raises(KeyError, match="there is no subject 'taste'; there are rating"):
        metric_table("taste")


def test_an_unknown_name_raises():
    with pytest.raises(LookupError, match=r"names rating\.mean, and recsys_metrics\.rating has no"):
        resolve("rating.mean")
