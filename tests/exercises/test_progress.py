"""Progress: noted where a learner is, never lost, never in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import warnings
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.checking.overview import overview, review
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises import ranking as ex
from tests.exercises.people import every, fresh


@pytest.fixture
def file(tmp_path, monkeypatch):
    there = tmp_path / "deep" / "progress.json"
    monkeypatch.setenv(progress.VARIABLE, str(there))
    return there


# What is noted ---------------------------------------------------------------------------------


def test_tries_and_passes_are_noted(file):
    e4 = fresh(ex.e4)
    e4.check(0.589)
    entry = progress.load()["ranking.e4"]
    assert (entry.outcome, entry.passed, entry.tries) == ("WRONG", False, 1)
    assert entry.misconception == "hits-divisor"
    e4.check(0.442)
    entry = progress.load()["ranking.e4"]
    assert (entry.outcome, entry.passed, entry.tries, entry.passes) == ("PASS", True, 2, 1)
    e4.check(0.3)
    entry = progress.load()["ranking.e4"]
    assert (entry.outcome, entry.passed) == ("WRONG", True)


def test_nothing_tried_is_nothing_noted(file):
    for stub in ((), (...,), (None,), ("",)):
        fresh(ex.e4).check(*stub)
    assert not file.exists()
    assert progress.load() == {}


def test_a_guess_and_a_text_count_as_tried(file):
    fresh(ex.first_guess).check("recall")
    fresh(ex.explain_ideal).check("It does not see misses.")
    known = progress.load()
    assert known["ranking.first_guess"].passed
    assert not known["ranking.explain_ideal"].passed
    assert known["ranking.explain_ideal"].tries == 1


def test_a_variant_is_kept_apart(file):
    variant = fresh(ex.e4).variant("s1")
    variant.check(**variant.answer)
    assert set(progress.load()) == {"ranking.e4 s1"}


def test_a_pass_on_another_day_counts_anew(file):
    fresh(ex.e4).check(0.442)
    fresh(ex.e4).check(0.442)
    assert progress.load()["ranking.e4"].passes == 1
    kept = json.loads(file.read_text())
    kept["exercises"]["ranking.e4"]["when"] = "2020-01-01T00:00:00+00:00"
    file.write_text(json.dumps(kept))
    fresh(ex.e4).check(0.442)
    assert progress.load()["ranking.e4"].passes == 2


@every
def test_what_an_exercise_asks_has_one_hash(exercise):
    assert progress.content_of(exercise) == progress.content_of(fresh(exercise))
    assert progress.content_of(exercise) != progress.content_of(replace(exercise, prompt="Other."))


def test_hashes_are_the_same_in_every_process():
    code = (
        "from recsys_metrics.workbook import progress\n"
        "from recsys_metrics.workbook.exercises import REGISTRY\n"
        "print([progress.content_of(exercise) for exercise in REGISTRY.values()])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


# Where it is noted -----------------------------------------------------------------------------


@pytest.mark.parametrize("off", ["off", "OFF", "", "0", "no"])
def test_it_can_be_switched_off(monkeypatch, off):
    monkeypatch.setenv(progress.VARIABLE, off)
    assert progress.path() is None
    assert not progress.is_noted_here()
    fresh(ex.e4).check(0.442)
    assert progress.load() == {}


def test_by_default_it_is_in_the_users_data_folder(monkeypatch):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    assert progress.path().parts[-2:] == ("recsys-metrics", "progress.json")


def shell(kind="execute_request", **content):
    parent = {"header": {"msg_type": kind}, "content": content}
    return SimpleNamespace(get_ipython=lambda: SimpleNamespace(get_parent=lambda: parent))


@pytest.mark.parametrize(
    ("ipython", "noted"),
    [
        (None, False),
        (SimpleNamespace(get_ipython=lambda: None), False),
        (SimpleNamespace(get_ipython=lambda: SimpleNamespace()), False),
        (shell(allow_stdin=True), True),
        (shell(allow_stdin=False), False),
        (shell(), False),
        (shell("comm_msg"), True),
        (SimpleNamespace(get_ipython=lambda: SimpleNamespace(get_parent=lambda: 7)), False),
    ],
)
def test_only_a_live_notebook_is_a_learners(monkeypatch, ipython, noted):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    if ipython is None:
        monkeypatch.delitem(sys.modules, "IPython", raising=False)
    else:
        monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert progress.is_noted_here() == noted


def test_a_notebook_that_a_program_runs_notes_nothing(tmp_path, monkeypatch):
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    monkeypatch.delenv(progress.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    lines = "from recsys_metrics.workbook.exercises import ranking as ex\nex.e4.check(0.442)\n"
    where = "from recsys_metrics.workbook import progress\n(progress.is_noted_here(), "
    where += "progress.path().exists())"
    notebook = new_notebook(cells=[new_code_cell(lines), new_code_cell(where)])
    NotebookClient(notebook, kernel_name="python3", timeout=60).execute()
    assert notebook.cells[0].outputs[0]["data"]["text/plain"].startswith("✓ Pass")
    assert notebook.cells[1].outputs[0]["data"]["text/plain"] == "(False, False)"
    assert not list(tmp_path.rglob("progress.json"))


# What can go wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"{", b"[]", b"null", b'{"version": 1}', b"\xff\xfe", b'{"version": "x"}'),
        *(b'{"version": 0, "exercises": {}}', b'{"version": 1, "exercises": []}'),
        b"[" * 100_000,
    ],
    ids=lambda damage: damage[:30],
)
def test_a_damaged_file_is_kept_aside_with_a_word(file, damage):
    file.parent.mkdir(parents=True)
    file.write_bytes(damage)
    with pytest.warns(progress.ProgressWarning, match="was damaged. It is kept as"):
        fresh(ex.e4).check(0.442)
    (aside,) = file.parent.glob("*damaged*")
    assert aside.read_bytes() == damage
    assert progress.load()["ranking.e4"].passed


def test_a_file_that_is_larger_than_any_of_ours_is_kept_aside(file, monkeypatch):
    monkeypatch.setattr(progress, "_MOST_BYTES", 40)
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": 1, "exercises": {}, "more": "x" * 40}))
    with pytest.warns(progress.ProgressWarning, match="was damaged. It is kept as"):
        assert progress.load() == {}
    assert len(list(file.parent.glob("*damaged*"))) == 1


def test_an_entry_that_cannot_be_read_costs_no_other(file):
    fresh(ex.e4).check(0.442)
    kept = json.loads(file.read_text())
    kept["exercises"]["ranking.e5"] = "what?"
    kept["exercises"]["ranking.e6"] = {"outcome": "PASS", "passed": True, "when": "soon"}
    kept["later"] = {"more": 1}
    file.write_text(json.dumps(kept))
    assert set(progress.load()) == {"ranking.e4"}
    with pytest.warns(progress.ProgressWarning, match="2 of 3 entries .* cannot be read"):
        fresh(ex.e5).check(1, 2, 3)
    assert json.loads(file.read_text())["later"] == {"more": 1}
    assert set(progress.load()) == {"ranking.e4", "ranking.e5"}
    # What could not be read is not lost, and is not said again.
    (aside,) = file.parent.glob("*damaged*")
    assert json.loads(aside.read_text()) == kept
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh(ex.e5).check(1, 2, 3)


SOUND = {"content": "a", "outcome": "PASS", "tries": 1, "passes": 1, "passed": True}
SOUND["when"] = "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content", ["a"]),
        ("outcome", 7),
        ("outcome", None),
        ("tries", "1"),
        ("tries", -1),
        ("tries", True),
        ("tries", 10**30),
        ("passes", 1.5),
        ("passes", -5),
        ("passed", "yes"),
        ("when", "soon"),
        ("when", ""),
        ("when", "2026-01-01T00:00:00"),
        ("when", "9999-12-31T23:59:59+00:00"),
        ("misconception", ["hits-divisor"]),
    ],
)
def test_an_entry_with_a_value_of_another_kind_is_not_read(file, field, value):
    file.parent.mkdir(parents=True)
    entries = {"ranking.e4": {**SOUND, field: value}, "ranking.e5": SOUND}
    file.write_text(json.dumps({"version": 1, "exercises": entries}))
    assert set(progress.load()) == {"ranking.e5"}
    assert "02 Ranking" in overview(progress.load())


def test_a_file_that_cannot_be_opened_does_not_stop_the_overview(file, monkeypatch):
    fresh(ex.e4).check(0.442)
    before = file.read_bytes()

    def refuses(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(progress, "_read", refuses)
    with pytest.warns(progress.ProgressWarning, match="could not be read: .*Permission denied"):
        assert progress.load() == {}
    assert file.read_bytes() == before


def test_a_lock_that_cannot_be_taken_over_ends_the_wait(file, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    file.with_name("progress.json.lock").mkdir(parents=True)
    with pytest.warns(progress.ProgressWarning, match="another program holds .*lock"):
        assert fresh(ex.e4).check(0.442).passed


def test_a_file_from_the_future_is_left_alone(file):
    file.parent.mkdir(parents=True)
    text = json.dumps({"version": 99, "exercises": {}})
    file.write_text(text)
    with pytest.warns(progress.ProgressWarning, match="newer"):
        fresh(ex.e4).check(0.442)
    assert file.read_text() == text


def test_a_place_that_cannot_be_written_does_not_stop_a_check(tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "taken" / "progress.json"))
    with pytest.warns(progress.ProgressWarning, match="could not be written"):
        assert fresh(ex.e4).check(0.442).passed


def test_a_write_that_fails_leaves_the_file_as_it_was(file, monkeypatch):
    fresh(ex.e4).check(0.442)
    before = file.read_text()

    def fails(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.warns(progress.ProgressWarning, match="disk full"):
        fresh(ex.e5).check(1, 2, 3)
    assert file.read_text() == before
    assert [path.name for path in file.parent.iterdir()] == ["progress.json"]


def test_two_kernels_at_a_time_lose_nothing(file):
    exercises = [e for e in REGISTRY.values() if e.id.startswith("ranking.")]

    def tries(exercise):
        fresh(exercise).check(object())

    threads = [threading.Thread(target=tries, args=(e,)) for e in exercises]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(progress.load()) == {exercise.id for exercise in exercises}


def test_a_lock_left_behind_is_taken_over(file, monkeypatch):
    monkeypatch.setattr(progress, "_LEFT_BEHIND", 0.0)
    file.parent.mkdir(parents=True)
    file.with_name("progress.json.lock").touch()
    fresh(ex.e4).check(0.442)
    assert progress.load()["ranking.e4"].passed


# The overview ------------------------------------------------------------------------------------


def entry(exercise, **changes):
    now = datetime.now(UTC).isoformat()
    known = {"content": progress.content_of(exercise), "outcome": "PASS", "tries": 1}
    return progress.Entry(**{**known, "passes": 1, "passed": True, "when": now, **changes})


def line(text, chapter):
    return next(row for row in text.splitlines() if row.startswith(chapter))


def test_an_overview_has_a_line_for_each_chapter():
    known = {
        "ranking.e2": entry(ex.e2),
        "ranking.e3": entry(ex.e3, passed=False, outcome="WRONG"),
        "ranking.e4": entry(ex.e4, passed=False, outcome="ERROR"),
        "ranking.e5": entry(ex.e5, content="older"),
    }
    row = line(overview(known), "02 Ranking")
    marks = dict(zip((e.id for e in ex.EXERCISES), row.split()[-1], strict=True))
    assert [marks[f"ranking.e{i}"] for i in (2, 3, 4, 5, 6)] == ["✓", "✗", "!", "*", "·"]
    points = ex.e2.points + ex.e5.points
    assert f"2/{len(ex.EXERCISES)}" in row
    assert f"{points}/{sum(e.points for e in ex.EXERCISES)}" in row


def test_what_to_review_comes_in_order_of_need():
    now = datetime.now(UTC)
    long_ago = (now - timedelta(days=30)).isoformat()
    known = {
        "ranking.e2": entry(ex.e2, when=long_ago),
        "ranking.e3": entry(ex.e3, content="older"),
        "ranking.e4": entry(
            ex.e4, passed=False, outcome="WRONG", misconception="hits-divisor", tries=2
        ),
        "ranking.e5": entry(ex.e5),
        "ranking.e4 s1": entry(ex.e4, when=long_ago),
        "gone.exercise": entry(ex.e4, when=long_ago),
    }
    asked = list(review(known, now=now))
    assert [key for key, _ in asked][:3] == ["ranking.e4", "ranking.e3", "ranking.e2"]
    assert asked[0][1] == "Average precision: hits divisor, 2 tries"
    assert "has changed" in asked[1][1]
    assert "30 days ago" in asked[2][1]
    assert asked[3][1].endswith("not attempted yet")
    assert len(asked) == 4


@pytest.mark.parametrize(("passes", "days"), [(1, 2), (2, 7), (3, 21), (4, 60), (9, 60)])
def test_each_pass_puts_the_next_review_further_off(passes, days):
    one = entry(ex.e4, passes=passes)
    assert one.due - datetime.fromisoformat(one.when) == timedelta(days=days)
    assert entry(ex.e4, passed=False).due is None
