"""Progress: noted where a learner is, never lost, never in the way."""

from __future__ import annotations

import errno
import gzip
import itertools
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from recsys_metrics.workbook import checking, progress
from recsys_metrics.workbook.exercises import REGISTRY, SUBJECTS
from recsys_metrics.workbook.exercises import ranking as ex
from recsys_metrics.workbook.exercises.card import describe_result
from recsys_metrics.workbook.lab.overview import render_overview, suggest_exercises
from recsys_metrics.workbook.progress import Event, _record
from tests.exercises.simulated_learners import every, fresh

# How files are read here, and by `tests/book/test_progress_in_book.py` in the page.
SAVED = json.loads((Path(__file__).parent / "saved_progress.json").read_text("utf-8"))
# The same table is run in a page: tests/book/test_progress_in_book.py.
MOMENTS = json.loads(Path(__file__).with_name("moments.json").read_text("utf-8"))

# The order of events, here and in a page.
ORDERS = json.loads(Path(__file__).with_name("order_of_events.json").read_text("utf-8"))


@pytest.fixture
def file(tmp_path, monkeypatch):
    there = tmp_path / "deep" / "progress.json"
    monkeypatch.setenv(progress.VARIABLE, str(there))
    return there


# What is noted ---------------------------------------------------------------------------------


def test_attempts_and_passes_are_recorded(file):
    e4 = fresh(ex.average_precision_of_list)
    e4.check(0.589)
    entry = progress.load_summary()["ranking.e4"]
    assert (entry.outcome, entry.passed, entry.tries) == ("WRONG", False, 1)
    assert entry.mistake == "hits-divisor"
    e4.check(0.442)
    entry = progress.load_summary()["ranking.e4"]
    assert (entry.outcome, entry.passed, entry.tries, entry.passes) == ("PASS", True, 2, 1)
    e4.check(0.3)
    entry = progress.load_summary()["ranking.e4"]
    assert (entry.outcome, entry.passed) == ("WRONG", True)


def test_empty_answers_are_not_recorded(file):
    for stub in ((), (...,), (None,), ("",)):
        fresh(ex.average_precision_of_list).check(*stub)
    assert not file.exists()
    assert progress.load_summary() == {}


def test_predictions_and_open_answers_count_as_attempts(file):
    fresh(ex.first_guess).check("recall")
    fresh(ex.explain_ideal).check("It does not see misses.")
    known = progress.load_summary()
    assert known["ranking.first_guess"].passed
    assert not known["ranking.explain_ideal"].passed
    assert known["ranking.explain_ideal"].tries == 1


def test_variants_are_recorded_separately(file):
    variant = fresh(ex.average_precision_of_list).variant("s1")
    variant.check(**variant.answer)
    assert set(progress.load_summary()) == {"ranking.e4 s1"}


def test_passes_on_different_days_count_separately(file):
    fresh(ex.average_precision_of_list).check(0.442)
    fresh(ex.average_precision_of_list).check(0.442)
    assert progress.load_summary()["ranking.e4"].passes == 1
    kept = json.loads(file.read_text())
    for event in kept["history"]:
        event["when"] = "2020-01-01T00:00:00+00:00"
    file.write_text(json.dumps(kept))
    fresh(ex.average_precision_of_list).check(0.442)
    assert progress.load_summary()["ranking.e4"].passes == 2


def test_hints_and_solutions_are_recorded_once(file):
    e4 = fresh(ex.average_precision_of_list)
    e4.solution()
    assert not file.exists()  # it did not open
    e4.hint(1), e4.hint(2), e4.hint(1)
    e4.solution(show=True), e4.solution(show=True)
    told = [(event.what, event.number) for event in progress.load_history()]
    assert told == [("hint", 1), ("hint", 2), ("solution", 0)]
    assert progress.load_summary() == {}


def test_the_history_only_grows(file):
    fresh(ex.average_precision_of_list).check(0.589)
    (first,) = progress.load_history()
    fresh(ex.average_precision_of_list).check(0.442)
    assert progress.load_history()[0] == first
    assert [event.outcome for event in progress.load_history()] == ["WRONG", "PASS"]
    assert [event.answer for event in progress.load_history()] == [{"ap": "0.589"}, {"ap": "0.442"}]


@every
def test_the_hash_depends_only_on_the_content_of_an_exercise(exercise):
    assert progress.hash_content(exercise) == progress.hash_content(fresh(exercise))
    assert progress.hash_content(exercise) != progress.hash_content(
        replace(exercise, prompt="Other.")
    )


def test_hashes_are_the_same_in_every_process():
    code = (
        "from recsys_metrics.workbook import progress\n"
        "from recsys_metrics.workbook.exercises import REGISTRY\n"
        "print([progress.hash_content(exercise) for exercise in REGISTRY.values()])"
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
def test_progress_can_be_switched_off(monkeypatch, off):
    monkeypatch.setenv(progress.VARIABLE, off)
    assert progress.progress_file() is None
    assert not progress.is_recording()
    fresh(ex.average_precision_of_list).check(0.442)
    assert progress.load_summary() == {}


def test_the_default_is_the_data_folder_of_the_user(monkeypatch):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    assert progress.progress_file().parts[-2:] == ("recsys-metrics", "progress.json")


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
def test_only_interactive_notebooks_record_progress(monkeypatch, ipython, noted):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    if ipython is None:
        monkeypatch.delitem(sys.modules, "IPython", raising=False)
    else:
        monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert progress.is_recording() == noted


def test_notebooks_run_by_a_program_record_nothing(tmp_path, monkeypatch):
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    monkeypatch.delenv(progress.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    lines = "from recsys_metrics.workbook.exercises import ranking as ex\n"
    lines += "ex.average_precision_of_list.check(0.442)\n"
    where = "from recsys_metrics.workbook import progress\n(progress.is_recording(), "
    where += "progress.progress_file().exists())"
    notebook = new_notebook(cells=[new_code_cell(lines), new_code_cell(where)])
    NotebookClient(notebook, kernel_name="python3", timeout=60).execute()
    assert notebook.cells[0].outputs[0]["data"]["text/plain"].startswith("✓ Correct")
    assert notebook.cells[1].outputs[0]["data"]["text/plain"] == "(False, False)"
    assert not list(tmp_path.rglob("progress.json"))


# What can go wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"{", b"[]", b"null", b'{"version": 1}', b"\xff\xfe", b'{"version": "x"}'),
        *(b'{"version": 0, "exercises": {}}', b'{"version": 1, "exercises": []}'),
        *(b'{"version": 2}', b'{"version": 2, "history": {}}', b'{"version": true}'),
        b"[" * 100_000,
    ],
    ids=lambda damage: damage[:30],
)
def test_a_damaged_file_is_backed_up_with_a_warning(file, damage):
    file.parent.mkdir(parents=True)
    file.write_bytes(damage)
    with pytest.warns(progress.ProgressWarning, match="was damaged. It is kept as"):
        fresh(ex.average_precision_of_list).check(0.442)
    (aside,) = file.parent.glob("*damaged*")
    assert aside.read_bytes() == damage
    assert progress.load_summary()["ranking.e4"].passed


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_that_an_editor_saved_in_another_encoding_is_read(file, encoding):
    fresh(ex.average_precision_of_list).check(0.442)
    file.write_bytes(file.read_text(encoding="utf-8").encode(encoding))
    assert progress.load_summary()["ranking.e4"].passed
    fresh(ex.ndcg_from_scratch).check(1, 2, 3)
    assert set(progress.load_summary()) == {"ranking.e4", "ranking.e5"}
    assert not [*file.parent.glob("*damaged*")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_saved_file_in_another_encoding_is_merged(file, tmp_path, encoding):
    fresh(ex.average_precision_of_list).check(0.442)
    saved = tmp_path / "saved.json"
    saved.write_bytes(file.read_text(encoding="utf-8").encode(encoding))
    file.unlink()
    assert progress.merge_file(saved) == (1, 0)


def test_a_file_with_a_key_twice_is_damaged_and_kept(file):
    fresh(ex.average_precision_of_list).check(0.442)
    text = file.read_text(encoding="utf-8").rstrip().removesuffix("}") + ', "history": []}'
    file.write_text(text, encoding="utf-8")
    with pytest.warns(progress.ProgressWarning, match="was damaged. It is kept as"):
        fresh(ex.ndcg_from_scratch).check(1, 2, 3)
    (aside,) = file.parent.glob("*damaged*")
    assert aside.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("case", SAVED, ids=lambda case: case["why"])
def test_saved_files_are_read_or_refused_as_the_book_does(file, tmp_path, case):
    saved = tmp_path / "saved.json"
    saved.write_text(case["text"], encoding="utf-8")
    if case["events"] is None:
        with pytest.raises(ValueError, match=r"no progress of this workbook|newer recsys-workbook"):
            progress.merge_file(saved)
        assert not file.exists()
    else:
        assert progress.merge_file(saved) == (len(case["events"]), case["unread"])
        assert [[one.id, one.outcome] for one in progress.load_history()] == case["events"]


def test_what_is_nested_as_deeply_as_may_be_can_be_written_again(file):
    (case,) = (case for case in SAVED if case["why"].startswith("nested 97 deep"))
    file.parent.mkdir(parents=True)
    file.write_text(case["text"], encoding="utf-8")
    fresh(ex.average_precision_of_list).check(0.442)
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["history"][0] == json.loads(case["text"])["history"][0]


def test_a_linked_file_is_written_where_it_is(file, tmp_path):
    synchronised = tmp_path / "synchronised" / "mine.json"
    synchronised.parent.mkdir()
    file.parent.mkdir()
    file.symlink_to(synchronised)
    fresh(ex.average_precision_of_list).check(0.442)
    fresh(ex.ndcg_from_scratch).check(1, 2, 3)
    assert file.is_symlink()
    assert len(json.loads(synchronised.read_text())["history"]) == 2
    assert set(progress.load_summary()) == {"ranking.e4", "ranking.e5"}


def test_a_file_that_is_too_large_is_backed_up(file, monkeypatch):
    monkeypatch.setattr(_record, "_MOST_BYTES", 40)
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": 1, "exercises": {}, "more": "x" * 40}))
    with pytest.warns(progress.ProgressWarning, match="was damaged. It is kept as"):
        assert progress.load_summary() == {}
    assert len(list(file.parent.glob("*damaged*"))) == 1


def test_an_unreadable_event_does_not_affect_others(file):
    fresh(ex.average_precision_of_list).check(0.442)
    kept = json.loads(file.read_text())
    kept["history"] += ["what?", {**SOUND, "when": "soon"}]
    kept["later"] = {"more": 1}
    file.write_text(json.dumps(kept))
    assert set(progress.load_summary()) == {"ranking.e4"}
    with pytest.warns(progress.ProgressWarning, match="2 of 3 entries .* cannot be read"):
        fresh(ex.ndcg_from_scratch).check(1, 2, 3)
    assert json.loads(file.read_text())["later"] == {"more": 1}
    assert set(progress.load_summary()) == {"ranking.e4", "ranking.e5"}
    # What could not be read is not lost, and is not said again.
    (aside,) = file.parent.glob("*damaged*")
    assert json.loads(aside.read_text()) == kept
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh(ex.ndcg_from_scratch).check(1, 2, 3)


def test_unknown_fields_of_an_event_are_preserved(file):
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": 2, "history": [{**SOUND, "mood": "good"}]}))
    fresh(ex.average_precision_of_list).check(0.442)
    assert json.loads(file.read_text())["history"][0]["mood"] == "good"


SOUND = {"id": "a", "exercise": "ranking.e5", "outcome": "PASS"}
SOUND["when"] = "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", 7),
        ("exercise", None),
        ("what", "cheat"),
        ("content", ["a"]),
        ("outcome", 7),
        ("outcome", None),
        ("tries", "1"),
        ("tries", -1),
        ("tries", True),
        ("tries", 10**30),
        ("passes", 1.5),
        ("passes", -5),
        ("number", "first"),
        ("seconds", -1),
        ("seconds", "long"),
        ("seconds", 10**400),
        ("answer", 0.442),
        ("answer", [1]),
        ("answer", {"ap": 1}),
        ("answer", "x" * 30_000),
        ("when", "soon"),
        ("when", ""),
        ("when", "2026-01-01T00:00:00"),
        ("when", "2026-02-30T00:00:00+00:00"),
        ("when", "20260101T000000+0000"),
        ("when", "2026-01-01T24:00:00+00:00"),
        ("when", "9999-12-31T23:59:59+00:00"),
        ("mistake", ["hits-divisor"]),
        ("mistake", []),
        ("mistake", 0),
        ("seed", []),
        ("seed", {}),
        ("seed", False),
    ],
)
def test_an_event_with_a_value_of_the_wrong_type_is_ignored(file, field, value):
    file.parent.mkdir(parents=True)
    told = [{**SOUND, "id": "b", "exercise": "ranking.e4", field: value}, SOUND]
    file.write_text(json.dumps({"version": 2, "history": told}))
    assert set(progress.load_summary()) == {"ranking.e5"}
    assert "02 Ranking" in render_overview(progress.load_history())


# A file of the old kind --------------------------------------------------------------------------

OLD = {"content": "a", "outcome": "WRONG", "tries": 5, "passes": 2, "passed": True}
OLD |= {"when": "2026-01-01T00:00:00+00:00", "misconception": "hits-divisor"}


def test_a_version_1_file_is_converted_and_backed_up(file):
    file.parent.mkdir(parents=True)
    old = {"version": 1, "exercises": {"ranking.e4": OLD, "ranking.e4 s1": OLD}}
    file.write_text(json.dumps(old))
    now = {name: value for name, value in OLD.items() if name != "misconception"}
    expected = progress.ExerciseProgress(**now, mistake="hits-divisor", answer=None)
    assert progress.load_summary() == {"ranking.e4": expected, "ranking.e4 s1": expected}
    assert [one.name for one in file.parent.iterdir()] == [file.name]  # reading changes nothing
    fresh(ex.ndcg_from_scratch).check(1, 2, 3)
    assert set(progress.load_summary()) == {"ranking.e4", "ranking.e4 s1", "ranking.e5"}
    assert json.loads(file.read_text())["version"] == 2
    (aside,) = file.parent.glob("*version-1*")
    assert json.loads(aside.read_text()) == old


def test_version_1_files_of_the_book_are_converted(file, tmp_path):
    page = tmp_path / "saved.json"
    told = {"outcome": "NOT_ATTEMPTED", "tries": 1, "answer": {"text": "It does not see misses."}}
    page.write_text(json.dumps({"version": 1, "exercises": {"ranking.explain_ideal": told}}))
    assert progress.merge_file(page) == (1, 0)
    assert progress.merge_file(page) == (0, 0)
    entry = progress.load_summary()["ranking.explain_ideal"]
    assert (entry.outcome, entry.tries, entry.passed) == ("NOT ATTEMPTED", 1, False)
    assert entry.answer == told["answer"]


# Two machines ------------------------------------------------------------------------------------


def test_two_histories_merge_without_loss_in_any_order(tmp_path, monkeypatch):
    files = [tmp_path / name for name in ("desk.json", "train.json")]
    for file, answers in zip(files, ([0.589, 0.442], [0.3]), strict=True):
        monkeypatch.setenv(progress.VARIABLE, str(file))
        for answer in answers:
            fresh(ex.average_precision_of_list).check(answer)
    (tmp_path / "copy.json").write_bytes(files[1].read_bytes())
    assert progress.merge_file(files[0]) == (2, 0)
    here = progress.load_history()
    monkeypatch.setenv(progress.VARIABLE, str(files[0]))
    assert progress.merge_file(tmp_path / "copy.json") == (1, 0)
    assert progress.load_history() == here
    assert progress.load_summary()["ranking.e4"].tries == 3
    assert progress.merge_file(files[1]) == (0, 0)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2}', '{"version": 3, "history": []}']
)
def test_a_file_without_progress_is_rejected(file, tmp_path, text):
    other = tmp_path / "other.json"
    other.write_text(text)
    with pytest.raises(ValueError, match=r"other.json was not taken: it (contains no|was written)"):
        progress.merge_file(other)
    assert not file.exists()


# A new kernel ------------------------------------------------------------------------------------


@every
def test_a_card_restores_the_last_answer(file, exercise):
    if not exercise.fields:
        return
    first = fresh(exercise)
    said = first.check(**first.answer)
    assert fresh(exercise).load_previous_answer() is not None
    spec = fresh(exercise).widget().spec
    saved = spec["earlier"]
    field = exercise.fields[0]
    picked = saved[0] if field.kind == "one" else saved
    given = saved if isinstance(saved, dict) else {field.name: picked}
    again = fresh(exercise).check_quietly(**given)
    # The ticks of a text are not saved: it is compared with the good answer again.
    assert again.noted or again.outcome is said.outcome
    assert spec["result"] == describe_result(again)
    assert spec["attempted"] or not exercise.points or again.noted
    # To look is not to try.
    assert len(progress.load_history()) == 1


def test_a_card_in_another_kernel_restores_the_feedback(file):
    fresh(ex.average_precision_of_list).check(0.589)
    spec = fresh(ex.average_precision_of_list).widget().spec
    assert spec["result"]["parts"]["ap"]["pitfall"] == "hits divisor"
    assert spec["earlier"] == {"ap": "0.589"}
    assert spec["attempted"]


def test_an_answer_to_a_changed_question_is_not_restored(file):
    fresh(ex.average_precision_of_list).check(0.589)
    assert (
        replace(fresh(ex.average_precision_of_list), prompt="Other.").load_previous_answer() is None
    )


def test_a_prediction_is_available_in_another_kernel(file):
    fresh(ex.first_guess).check("recall")
    assert "You guessed" in fresh(ex.first_guess).look_back().text


def test_an_unreadable_file_does_not_stop_the_overview(file, monkeypatch):
    fresh(ex.average_precision_of_list).check(0.442)
    before = file.read_bytes()

    def refuses(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(_record, "_parse_file", refuses)
    with pytest.warns(progress.ProgressWarning, match="could not be read: .*Permission denied"):
        assert progress.load_summary() == {}
    assert file.read_bytes() == before


def test_a_lock_that_cannot_be_opened_ends_with_a_warning(file):
    lock = file.with_name("progress.json.lock")
    lock.mkdir(parents=True)
    with pytest.warns(progress.ProgressWarning, match="could not be written .* is kept as long as"):
        assert fresh(ex.average_precision_of_list).check(0.442).passed
    assert progress.load_summary()["ranking.e4"].passed
    lock.rmdir()
    fresh(ex.ndcg_from_scratch).check(1, 2, 3)
    assert [event.exercise for event in _record.read_history(file)] == ["ranking.e4", "ranking.e5"]


HOLD = """
import sys, time
from pathlib import Path
from recsys_metrics.workbook.progress import _record

def stop(*_):
    print("held", flush=True)
    time.sleep(1)
    return write(*_, mode=0o600)

write = _record.write_atomically
_record.write_atomically = lambda path, content, mode: stop(path, content)
_record.append_events(Path(sys.argv[1]), [_record.create_event(exercise="ranking.e2")])
"""


@pytest.mark.skipif(os.name != "posix", reason="a process is stopped by a signal of Unix")
def test_a_kernel_that_was_stopped_in_the_middle_loses_no_event(file, monkeypatch):
    """It has read the file, sleeps, and writes when it wakes what it had read."""
    monkeypatch.setattr(_record, "_PATIENCE", 0.2)
    fresh(ex.average_precision_of_list).check(0.442)
    asleep = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert asleep.stdout.readline() == "held\n"
        asleep.send_signal(signal.SIGSTOP)
        fresh(ex.ndcg_from_scratch).check(1, 2, 3)
        fresh(ex.two_betas).check(1, 2)
        awake = [event.exercise for event in progress.load_history()]
        assert awake == ["ranking.e4", "ranking.e5", "ranking.two_betas"]
    finally:
        asleep.send_signal(signal.SIGCONT)
        assert asleep.wait(30) == 0
    fresh(ex.which_denominator).check(1, 2, 3)
    noted = {event.exercise for event in _record.read_history(file)}
    assert noted == {f"ranking.{e}" for e in ("e2", "e4", "e5", "two_betas", "which_denominator")}
    assert {path.name for path in file.parent.iterdir()} <= {file.name, f"{file.name}.lock"}


def test_half_a_character_and_a_nested_answer_stop_no_check(file):
    nested = "x"
    for _ in range(900):
        nested = {"a": nested}
    for answer in ("half \ud83d", {"a\ud83d": "\udc00"}, nested, [nested]):
        _record.append_events(file, [_record.create_event(exercise="ranking.e2", answer=answer)])
    assert [e.answer for e in _record.read_history(file)] == ["half ?", {"a?": "?"}, None, None]
    # As another program may have written it.
    deep = '{"a":' * 900 + '"x"' + "}" * 900
    event = {"id": "1", "when": "2026-03-02T12:00:00+00:00", "exercise": "ranking.e2"}
    for answer in ('"half \\ud83d"', deep):
        raw = json.dumps({**event, "answer": 0}).replace(": 0", f": {answer}")
        file.write_text('{"version": 2, "history": [' + raw + "]}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", progress.ProgressWarning)
            assert fresh(ex.average_precision_of_list).check(0.442).passed
        assert "ranking.e4" in progress.load_summary()


@pytest.mark.parametrize(
    "known",
    [{"answer": ["word"] * 201}, {"answer": "\U0001f600" * 10_001}, {"answer": {"ap": ["0.5"]}},
     {"answer": {"a" * 20_001: "1"}}, {"seed": "9" * 20_001}],
    ids=["words", "emoji", "nested", "name", "seed"],
)  # fmt: skip
def test_nothing_is_noted_that_the_page_would_refuse(known, file):
    for each in ({}, known, {}):
        event = _record.create_event(exercise="ranking.e4", outcome="WRONG", **each)
        _record.append_events(file, [event])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = _record.read_history(file)
    assert len(read) == 2 + ("answer" in known)
    assert {event.answer for event in read} == {None}
    assert len(json.loads(file.read_text())["history"]) == len(read)


def test_a_reader_of_a_damaged_file_puts_nothing_aside_that_came_in_its_place(file, monkeypatch):
    file.parent.mkdir(parents=True)
    file.write_text("damaged")
    parse, mended = _record._parse_file, []

    def parse_slowly(path):
        found = parse(path)
        if not mended:
            mended.append(True)
            with pytest.warns(progress.ProgressWarning, match="was damaged"):
                _record.append_events(path, [_record.create_event(exercise="ranking.e4")])
        return found

    monkeypatch.setattr(_record, "_parse_file", parse_slowly)
    assert len(progress.load_history()) == 1
    assert len(list(file.parent.glob("*damaged*"))) == 1
    monkeypatch.undo()
    assert len(_record.read_history(file)) == 1


@pytest.mark.parametrize(("when", "is_taken"), MOMENTS)
def test_a_moment_is_taken_as_the_page_takes_it(when, is_taken):
    event = {"id": "1", "when": when, "exercise": "ranking.e4", "outcome": "WRONG"}
    assert (_record.parse_event(event) is not None) == is_taken


def test_an_event_of_the_far_future_is_of_today(file):
    event = {"id": "1", "when": "8999-01-01T00:00:00+00:00", "exercise": "ranking.e4"}
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": 2, "history": [{**event, "outcome": "PASS"}]}))
    (read,) = progress.load_history()
    assert abs((read.moment - datetime.now(UTC)).total_seconds()) < 60


def test_checks_after_an_event_of_the_future_count_and_its_time_stays_as_written(file):
    event = {"id": "1", "when": "2032-01-01T00:00:00+00:00", "exercise": "ranking.e4"}
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": 2, "history": [{**event, "outcome": "PASS"}]}))
    fresh(ex.average_precision_of_list).check(0.3)
    future, check = progress.load_history()
    assert (future.outcome, check.outcome) == ("PASS", "WRONG")
    fresh(ex.average_precision_of_list).check(0.3)
    read = progress.load_history()
    assert read[:2] == [future, check]
    assert json.loads(file.read_text())["history"][0]["when"] == event["when"]
    saved = json.loads(progress.format_history(read))
    assert saved["history"][0]["when"] == event["when"]
    assert "written" not in saved["history"][0]


def at_clock(monkeypatch, when):
    """Let the clock show another time."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            if when is None:
                raise OverflowError("date value out of range")
            return when.astimezone(tz) if tz else when

    monkeypatch.setattr(_record, "datetime", Clock)
    seconds = (
        253_402_300_800
        if when is None
        else (when - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    )
    monkeypatch.setattr(_record.time, "time_ns", lambda: int(seconds * 10**9))


def test_a_check_while_the_clock_is_behind_changes_no_other_event(file, monkeypatch):
    days = [datetime(2026, 3, day, 12, tzinfo=UTC) for day in (1, 5, 9)]
    for day in days:
        at_clock(monkeypatch, day)
        fresh(ex.average_precision_of_list).check(0.442)
    before = json.loads(file.read_text())["history"]
    at_clock(monkeypatch, datetime(2020, 1, 1, tzinfo=UTC))
    fresh(ex.two_recalls).check(0.1)
    assert [one.exercise for one in progress.load_history()] == ["ranking.e4"] * 3 + [
        ex.two_recalls.id
    ]
    progress.merge_file(file)
    at_clock(monkeypatch, days[-1] + timedelta(days=1))
    fresh(ex.two_recalls).check(0.2)
    after = json.loads(file.read_text())["history"]
    assert after[:3] == before
    entry = progress.load_summary()["ranking.e4"]
    assert (entry.passes, entry.when[:10]) == (3, "2026-03-09")


@pytest.mark.parametrize("case", ORDERS, ids=lambda case: case["why"])
def test_events_are_ordered_as_the_page_orders_them(file, case):
    history = [{**SOUND, "id": name, "when": when, "clock": clock}
               for name, when, clock in case["events"]]  # fmt: skip
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": 2, "history": history}))
    assert [event.id for event in progress.load_history()] == case["order"]


def test_an_answer_counts_after_an_event_with_the_largest_clock_was_loaded(file, tmp_path):
    poison = {**SOUND, "id": "zzzz", "exercise": "ranking.e4", "answer": {"ap": "0.9"}}
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps({"version": 2, "history": [{**poison, "clock": 10**15}]}))
    assert progress.merge_file(saved) == (1, 0)
    for answer in ("0.3", "0.442"):
        fresh(ex.average_precision_of_list).check(float(answer))
        assert progress.load_summary()["ranking.e4"].answer == {"ap": answer}


@pytest.mark.parametrize("back", [timedelta(minutes=1), timedelta(days=2), timedelta(days=3000)])
def test_the_last_check_counts_last_when_the_clock_was_set_back(file, monkeypatch, back):
    ahead = datetime(2026, 3, 9, 12, tzinfo=UTC)
    for when, answer in ((ahead, 0.442), (ahead - back, 0.3)):
        at_clock(monkeypatch, when)
        fresh(ex.average_precision_of_list).check(answer)
    for now in (ahead - back, ahead + timedelta(days=1)):
        at_clock(monkeypatch, now)
        _record._collect_events.cache_clear()
        assert progress.load_summary()["ranking.e4"].answer == {"ap": "0.3"}
        assert [event.outcome for event in progress.load_history()] == ["PASS", "WRONG"]


def test_what_was_known_when_a_check_was_noted_is_before_it_on_every_machine(tmp_path, monkeypatch):
    desk, train = tmp_path / "desk.json", tmp_path / "train.json"
    noon = datetime(2026, 3, 9, 12, tzinfo=UTC)
    monkeypatch.setenv(progress.VARIABLE, str(desk))
    at_clock(monkeypatch, noon + timedelta(hours=20))
    fresh(ex.average_precision_of_list).check(0.3)
    monkeypatch.setenv(progress.VARIABLE, str(train))
    at_clock(monkeypatch, noon)
    progress.merge_file(desk)
    fresh(ex.average_precision_of_list).check(0.442)
    assert progress.load_summary()["ranking.e4"].answer == {"ap": "0.442"}
    monkeypatch.setenv(progress.VARIABLE, str(desk))
    progress.merge_file(train)
    assert progress.load_summary()["ranking.e4"].answer == {"ap": "0.442"}


def test_checks_that_wait_for_the_disk_keep_their_order(file, monkeypatch):
    def fails(*_, **__):
        raise OSError("disk full")

    for when, answer in ((9, 0.3), (2, 0.442)):
        at_clock(monkeypatch, datetime(2026, 3, when, tzinfo=UTC))
        with monkeypatch.context() as full:
            full.setattr(os, "fsync", fails)
            with pytest.warns(progress.ProgressWarning, match="disk full"):
                fresh(ex.average_precision_of_list).check(answer)
    fresh(ex.two_betas).check(1, 2)
    known = [event.exercise for event in _record.read_history(file)]
    assert known == ["ranking.e4", "ranking.e4", "ranking.two_betas"]
    assert progress.load_summary()["ranking.e4"].answer == {"ap": "0.442"}


@pytest.mark.parametrize("length", [20_000, 20_001])
def test_an_answer_that_is_too_long_to_be_saved_says_so(file, length):
    text = "word " * (length // 5) + "x" * (length % 5)
    text = text[: length - 1] + "."
    result = fresh(ex.explain_ideal).check(text)
    is_long = length > 20_000
    saving = "Your answer was not saved, only its outcome: an answer may have 20,000 characters"
    for said in (result.message, result._repr_html_(), describe_result(result)["saving"]):
        assert (saving in said) == is_long
    assert describe_result(result)["noted"] == ("Not saved as usual" if is_long else "Saved")
    assert ("Noted." in result.message) != is_long
    (event,) = progress.load_history()
    assert (event.answer is None, event.unsaved) == (is_long, is_long)


def test_a_seed_that_is_too_long_to_be_saved_is_reported(file):
    variant = fresh(ex.average_precision_of_list).variant("9" * 20_001)
    assert "seed of a variant may have 20,000 characters" in variant.check(0.3).message
    assert progress.load_history() == []


def test_a_check_that_could_not_be_written_says_so_on_its_card(tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "taken" / "progress.json"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", progress.ProgressWarning)
        answer = fresh(ex.average_precision_of_list).widget().answer("check", answers={"ap": "0.3"})
    assert "could not be written to" in answer["result"]["saving"]


def make_link_loop(file):
    file.symlink_to(file)


def make_link_to_a_folder(file):
    file.symlink_to(file.parent)


IN_THE_WAY = [Path.mkdir, os.mkfifo, make_link_loop, make_link_to_a_folder]


@pytest.mark.parametrize("make", IN_THE_WAY, ids=lambda make: make.__name__)
def test_what_is_in_the_way_of_the_file_stays_and_checks_wait_for_its_end(file, make):
    file.parent.mkdir(parents=True)
    make(file)
    for answer in (0.3, 0.442):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", progress.ProgressWarning)
            result = fresh(ex.average_precision_of_list).check(answer)
            known = progress.load_history()
        assert "could not be written to" in result.saving
    assert [event.outcome for event in known] == ["WRONG", "PASS"]
    assert not stat.S_ISREG(file.lstat().st_mode)
    file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
    assert fresh(ex.two_betas).check(1, 2).saving == ""
    noted = [event.exercise for event in _record.read_history(file)]
    assert noted == ["ranking.e4", "ranking.e4", "ranking.two_betas"]


AT_THE_END = """
import os, warnings
from pathlib import Path
from recsys_metrics.workbook import progress
from recsys_metrics.workbook.exercises import ranking as ex

warnings.simplefilter("ignore")
file = progress.progress_file()
file.mkdir(parents=True)
ex.average_precision_of_list.check(0.3)
file.rmdir()
"""


def test_what_could_not_be_written_is_written_when_the_program_ends(file):
    subprocess.run([sys.executable, "-c", AT_THE_END], check=True)
    assert [event.outcome for event in _record.read_history(file)] == ["WRONG"]


AS_ANOTHER_USER = """
import os, sys, warnings
from recsys_metrics.workbook import progress
from recsys_metrics.workbook.exercises import ranking as ex

warnings.simplefilter("ignore")
ex.average_precision_of_list.check(0.3)  # imports what the other user may not read
os.environ[progress.VARIABLE] = sys.argv[1]
os.setuid(65534)
print(ex.average_precision_of_list.check(0.442).saving)
print(*(event.outcome for event in progress.load_history()))
"""


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can be another user")
def test_a_folder_that_may_not_be_written_is_named_and_nothing_is_lost(file, tmp_path):
    place = tmp_path / "place"
    place.mkdir(mode=0o755)
    done = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER_USER, str(place / "progress.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    saving, known = done.stdout.splitlines()
    assert "could not be written to" in saving
    assert "Permission denied" in saving
    assert known == "PASS"
    assert [*place.iterdir()] == []


def test_a_relative_file_is_one_file_in_whatever_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(progress.VARIABLE, f"{tmp_path.name}.json")
    fresh(ex.average_precision_of_list).check(0.3)
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path / "data")
    fresh(ex.average_precision_of_list).check(0.442)
    assert [event.outcome for event in progress.load_history()] == ["WRONG", "PASS"]
    assert [path.name for path in tmp_path.rglob("*.json")] == [f"{tmp_path.name}.json"]


def test_no_file_is_written_that_is_too_large_to_be_read(file, tmp_path, monkeypatch):
    fresh(ex.average_precision_of_list).check(0.3)
    saved = tmp_path / "saved.json"
    more = [{**SOUND, "id": str(at), "answer": "x" * 1000} for at in range(3)]
    saved.write_text(json.dumps({"version": 2, "history": more}))
    before = file.read_bytes()
    monkeypatch.setattr(_record, "_MOST_BYTES", saved.stat().st_size)
    with pytest.raises(OSError, match="it would be larger than"):
        progress.merge_file(saved)
    assert file.read_bytes() == before


def test_two_damaged_files_of_one_moment_are_both_kept(file, monkeypatch):
    at_clock(monkeypatch, datetime(2026, 3, 9, 12, tzinfo=UTC))
    file.parent.mkdir(parents=True)
    for damage in ("{", "[", "7"):
        file.write_text(damage)
        with pytest.warns(progress.ProgressWarning, match="was damaged"):
            fresh(ex.average_precision_of_list).check(0.3)
    assert {path.read_text() for path in file.parent.glob("*damaged*")} == {"{", "[", "7"}


@pytest.mark.skipif(os.name != "posix", reason="such names are Unix's")
def test_a_file_name_that_is_no_text_is_told_to_a_card(tmp_path, monkeypatch):
    place = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json"))
    place.mkdir()
    monkeypatch.setenv(progress.VARIABLE, str(place))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", progress.ProgressWarning)
        answer = fresh(ex.average_precision_of_list).widget().answer("check", answers={"ap": "0.3"})
    assert "could not be written to" in answer["result"]["saving"]
    assert answer["result"]["saving"].encode()


@pytest.fixture
def zone(monkeypatch):
    """Return what sets the time zone of this process."""
    yield lambda name: (monkeypatch.setenv("TZ", name), time.tzset())
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("name", ["Pacific/Kiritimati", "Africa/Monrovia", "Asia/Kolkata"])
@pytest.mark.parametrize(
    "when",
    [datetime(1970, 1, 1, 0, 0, 30, tzinfo=UTC), datetime(1965, 1, 1, tzinfo=UTC),
     datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC), None],
)  # fmt: skip
def test_what_is_noted_at_any_time_of_the_clock_is_read_again(when, name, file, zone, monkeypatch):
    zone(name)  # of some, old distances from UTC have seconds
    at_clock(monkeypatch, when)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            fresh(ex.average_precision_of_list).check(0.442)
        noted = progress.load_history()
    assert len(noted) == 3
    assert len(json.loads(file.read_text())["history"]) == 3
    assert all(len(one.id) >= 24 and int(one.id, 16) >= 0 for one in noted)
    monkeypatch.undo()
    assert len(_record.read_history(file)) == 3


def test_checks_beside_a_file_of_a_newer_version_are_saved_and_taken_over(file):
    file.parent.mkdir(parents=True)
    text = json.dumps({"version": 3, "history": [{**SOUND, "id": "newer"}], "more": 1})
    file.write_text(text)
    for exercise, answer in ((ex.average_precision_of_list, 0.3), (ex.two_recalls, 0.1)) * 2:
        with pytest.warns(progress.ProgressWarning, match=r"newer .* saved in .*waiting-newer"):
            result = fresh(exercise).check(answer)
        assert "waiting-newer.json beside it. Upgrade" in describe_result(result)["saving"]
    assert file.read_text() == text
    waiting = [one.exercise for one in progress.load_history()]
    assert waiting == ["ranking.e4", "ranking.two_recalls"] * 2
    assert len([*file.parent.glob("*waiting*")]) == 1
    # A version that can read the file takes over what waits beside it.
    file.write_text(text.replace('"version": 3', '"version": 2'))
    fresh(ex.ndcg_from_scratch).check(1, 2, 3)
    kept = json.loads(file.read_text())
    assert (kept["more"], kept["history"][0]["id"]) == (1, "newer")
    waited = [one["exercise"] for one in kept["history"][1:]]
    assert waited == [*["ranking.e4", "ranking.two_recalls"] * 2, "ranking.e5"]
    assert not [*file.parent.glob("*waiting*")]


def test_a_damaged_file_that_waits_for_a_newer_version_is_not_overwritten(file):
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": 3, "history": []}))
    damaged = file.with_name("progress.json.waiting-newer.json")
    damaged.write_text("{")
    with pytest.warns(progress.ProgressWarning, match="newer"):
        fresh(ex.average_precision_of_list).check(0.3)
    assert len(progress.load_history()) == 1
    (aside,) = file.parent.glob("*.damaged-*")
    assert aside.read_text() == "{"


def test_an_unwritable_folder_does_not_stop_a_check(tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "taken" / "progress.json"))
    with pytest.warns(progress.ProgressWarning, match="could not be written"):
        assert fresh(ex.average_precision_of_list).check(0.442).passed


def test_a_failed_write_leaves_the_file_unchanged(file, monkeypatch):
    fresh(ex.average_precision_of_list).check(0.442)
    before = file.read_text()

    def fails(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.warns(progress.ProgressWarning, match="disk full"):
        fresh(ex.ndcg_from_scratch).check(1, 2, 3)
    assert file.read_text() == before
    assert {path.name for path in file.parent.iterdir()} <= {file.name, f"{file.name}.lock"}
    monkeypatch.undo()
    monkeypatch.setenv(progress.VARIABLE, str(file))
    fresh(ex.two_betas).check(1, 2)
    noted = [event.exercise for event in _record.read_history(file)]
    assert noted == ["ranking.e4", "ranking.e5", "ranking.two_betas"]


def test_concurrent_kernels_lose_no_events(file):
    exercises = [e for e in REGISTRY.values() if e.id.startswith("ranking.")]

    def tries(exercise):
        fresh(exercise).check(object())

    threads = [threading.Thread(target=tries, args=(e,)) for e in exercises]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(progress.load_summary()) == {exercise.id for exercise in exercises}


def test_a_lock_that_was_left_behind_holds_nothing(file):
    file.parent.mkdir(parents=True)
    file.with_name("progress.json.lock").touch()
    fresh(ex.average_precision_of_list).check(0.442)
    assert progress.load_summary()["ranking.e4"].passed


# The overview ------------------------------------------------------------------------------------

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def check(exercise, day=0, outcome="PASS", **known):
    """Return a check on a day, the first of March 2026 being day -1."""
    when = NOON + timedelta(days=day, seconds=next(SECONDS))
    known = {"content": progress.hash_content(exercise), **known}
    return Event(
        id=when.isoformat(),
        when=when.isoformat(),
        exercise=exercise.id,
        seed=exercise.seed,
        outcome=outcome,
        **known,
    )


SECONDS = itertools.count()


def line(text, chapter):
    return next(row for row in text.splitlines() if row.startswith(chapter))


def test_an_overview_has_a_line_for_each_chapter():
    events = [
        check(ex.precision_recall_f1),
        check(ex.reciprocal_rank_and_mean, outcome="WRONG"),
        check(ex.average_precision_of_list, outcome="ERROR"),
        check(ex.ndcg_from_scratch, content="older"),
    ]
    row = line(render_overview(events), "02 Ranking")
    marks = dict(zip((e.id for e in SUBJECTS["ranking"]), row.split()[-1], strict=True))
    assert [marks[f"ranking.e{i}"] for i in (2, 3, 4, 5, 6)] == ["✓", "✗", "!", "*", "·"]
    points = ex.precision_recall_f1.points + ex.ndcg_from_scratch.points
    assert f"2/{len(SUBJECTS['ranking'])}" in row
    assert f"{points}/{sum(e.points for e in SUBJECTS['ranking'])}" in row


def test_every_exercise_counts_for_its_chapter():
    told = render_overview([check(REGISTRY["choosing.how_useful"])])
    assert "1/" in line(told, "00 Three questions")
    assert "0/" in line(told, "07 Choosing")
    rows = [row.split()[-3] for row in told.splitlines() if row[:2].isdigit()]
    assert sum(int(row.partition("/")[2]) for row in rows) == len(REGISTRY)


def test_next_exercises_are_ordered_by_urgency():
    events = [
        check(ex.precision_recall_f1, -30),
        check(ex.reciprocal_rank_and_mean, content="older"),
        check(ex.average_precision_of_list, outcome="WRONG", mistake="hits-divisor"),
        check(ex.average_precision_of_list, outcome="WRONG", mistake="hits-divisor"),
        check(ex.ndcg_from_scratch),
    ]
    asked = list(suggest_exercises(events, now=NOON))
    assert [key for key, _ in asked][:3] == ["ranking.e4", "ranking.e3", "ranking.e2"]
    assert asked[0][1] == "Average precision: hits divisor, 2 tries"
    assert "has changed" in asked[1][1]
    assert asked[2][1].endswith('last tried 30 days ago; try `.variant("1")`')
    assert asked[3][1].endswith("not attempted yet")
    assert len(asked) == 4


def test_the_next_exercise_follows_the_reading_order():
    order = [exercise.id for exercise in SUBJECTS["bias"]]
    asked = list(suggest_exercises([check(REGISTRY[order[1]])], now=NOON))
    assert asked[-1][0] == order[2]
    everything = [check(exercise) for exercise in REGISTRY.values()]
    assert list(suggest_exercises(everything, now=NOON)) == []
    assert [key for key, _ in suggest_exercises(everything[1:], now=NOON)] == [next(iter(REGISTRY))]


def test_repeated_mistakes_are_listed():
    events = [
        check(ex.average_precision_of_list, outcome="WRONG", mistake="hits-divisor"),
        check(ex.average_precision_of_list.variant("1"), outcome="WRONG", mistake="hits-divisor"),
        check(ex.ndcg_from_scratch, outcome="WRONG", mistake="off-by-one-rank"),
    ]
    told = render_overview(events, now=NOON).split("Made most often:")[1].strip()
    assert told == "hits divisor: 2 times, last in ranking.e4"


# Spaced review -----------------------------------------------------------------------------------


def test_predictions_open_answers_and_exercises_without_variants_are_not_reviewed():
    asked = [REGISTRY[key] for key in ("ranking.first_guess", "ranking.explain_ideal")]
    asked.append(next(e for e in REGISTRY.values() if e.same_for_all))
    assert progress.schedule_reviews([check(exercise, -100) for exercise in asked]) == {}


def test_a_passed_variant_counts_as_a_review():
    events = [check(ex.average_precision_of_list, -20)]
    review = progress.schedule_reviews(events)["ranking.e4"]
    assert (review.reviews, review.seed) == (1, "1")
    assert review.due <= NOON.date()
    again = progress.schedule_reviews(
        [*events, check(ex.average_precision_of_list.variant("1"), 0)]
    )["ranking.e4"]
    assert (again.reviews, again.seed) == (2, "2")
    assert again.interval > review.interval


def test_a_wrong_answer_shortens_the_review_interval():
    events = [
        check(ex.average_precision_of_list, -60),
        check(ex.average_precision_of_list.variant("1"), -40),
    ]
    kept = progress.schedule_reviews(
        [*events, check(ex.average_precision_of_list.variant("2"), 0)]
    )["ranking.e4"]
    lapse = check(ex.average_precision_of_list.variant("2"), 0, "WRONG")
    lost = progress.schedule_reviews([*events, lapse])["ranking.e4"]
    assert lost.interval < kept.interval
    assert lost.due > NOON.date()


def test_help_and_mistakes_shorten_the_interval_and_speed_extends_it():
    def interval(*events):
        return progress.schedule_reviews([check(ex.average_precision_of_list, -20), *events])[
            "ranking.e4"
        ].interval

    variant = ex.average_precision_of_list.variant("1")
    right = check(variant, 0)
    hint = replace(right, id="h", what="hint", outcome="", number=1)
    opened = replace(hint, id="s", what="solution")
    wrong = replace(right, id="w", outcome="WRONG")
    clean = interval(right)
    assert interval(hint, right) == interval(wrong, right) < clean
    assert interval(opened, right) < interval(hint, right)
    # Another variant on the same day is practice; what came first says what was known.
    other = check(ex.average_precision_of_list.variant("2"), 0)
    assert interval(wrong, other) == interval(opened, right)
    slow = [check(ex.ndcg_from_scratch, -90 + day, seconds=60.0 + day) for day in range(8)]
    assert interval(*slow, replace(right, seconds=30.0)) > clean
    assert interval(*slow, replace(right, seconds=90.0)) == clean


def test_review_intervals_equal_those_of_fsrs():
    # Three passes at the first try, when due: 2, 11 and 46 days by the scheduler's own defaults.
    from fsrs import Card, Rating, Scheduler

    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    card, events, day = Card(card_id=1), [], 0
    for n in range(3):
        events.append(check(ex.average_precision_of_list.variant(str(n)), day))
        card, _ = scheduler.review_card(card, Rating.Good, NOON + timedelta(days=day))
        review = progress.schedule_reviews(events)["ranking.e4"]
        assert review.due == card.due.date()
        day += review.interval
    assert review.interval > 30


def test_late_events_are_sorted_into_the_history():
    events = [
        check(ex.average_precision_of_list, -30),
        check(ex.average_precision_of_list.variant("1"), -20),
        check(ex.average_precision_of_list.variant("2"), 0),
    ]
    late = _record.sort_events([events[0], events[2], events[1]])
    assert progress.schedule_reviews(late) == progress.schedule_reviews(events)


def test_two_simulated_months_of_reviews():
    """Who passes sees an exercise ever less often, who fails sees it the next day."""
    rng = random.Random(7)
    learnt = [e for e in REGISTRY.values() if e.points and not e.same_for_all][:30]
    events, intervals, lapses = [], {e.id: [] for e in learnt}, Counter()

    def tries(exercise, day, seed, right):
        one = check(exercise, day, "PASS" if right else "WRONG")
        events.append(replace(one, seed=seed, id=f"{one.id}{len(events)}"))
        review = progress.schedule_reviews(events).get(exercise.id)
        return review and review.interval  # None for a text

    for day in range(60):
        today = NOON.date() + timedelta(days=day)
        for review in progress.schedule_reviews(events).values():
            if review.due > today:
                continue
            right = rng.random() < 0.85
            before = intervals[review.exercise]
            after = tries(REGISTRY[review.exercise], day, review.seed, right)
            if right:
                assert after >= before[-1]
                # After two lapses on end the first pass may still bring it back the next day.
                assert len(before) < 3 or after > before[-3]
                before.append(after)
            else:
                lapses[review.exercise] += 1
                assert after <= before[-1]
                intervals[review.exercise] = [after]
        if day % 2 == 0:
            exercise = learnt[day // 2]
            intervals[exercise.id].append(tries(exercise, day, None, True))
    asked = Counter(event.exercise for event in events)
    early = [exercise.id for exercise in learnt[:20]]
    often = [asked[key] for key in early if lapses[key]]
    seldom = [asked[key] for key in early if not lapses[key]]
    assert sum(often) / len(often) > sum(seldom) / len(seldom)


def test_no_pipe_or_device_is_read_or_replaced(tmp_path):
    pipe = tmp_path / "progress.json"
    os.mkfifo(pipe)
    event = _record.create_event(exercise="ranking.e4", what="check", outcome="PASS")
    for act in (lambda: _record.append_events(pipe, [event]), lambda: _record.read_history(pipe)):
        with pytest.raises(OSError, match="is no plain file"):
            act()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_no_pipe_or_device_is_merged(file, tmp_path):
    pipe = tmp_path / "saved.json"
    os.mkfifo(pipe)
    for endless in (pipe, Path("/dev/zero")):
        with pytest.raises(OSError, match="is no plain file"):
            progress.merge_file(endless)


def test_a_saved_file_that_is_too_large_is_not_merged(file, tmp_path, monkeypatch):
    monkeypatch.setattr(_record, "_MOST_BYTES", 10)
    saved = tmp_path / "saved.json"
    saved.write_bytes(progress.format_history([]))
    with pytest.raises(ValueError, match="larger than"):
        progress.merge_file(saved)


@pytest.mark.parametrize("other", ["mine.bak", "mine", "mine.json.json", "mine.json.waiting-a"])
def test_files_of_one_folder_keep_their_own_waiting_events(tmp_path, monkeypatch, other):
    monkeypatch.setattr(_record, "_PATIENCE", 0.1)
    first, second = tmp_path / "mine.json", tmp_path / other
    events = [_record.create_event(exercise="ranking.e4", answer=name) for name in ("a", "b")]
    with _record._file_lock(first):
        _record.append_events(first, events[:1])
    _record.append_events(second, events[1:])
    assert _record.read_history(first) == events[:1]
    assert _record.read_history(second) == events[1:]


@pytest.mark.parametrize("other", ["mine.bak", "mine", "mine.json.json"])
def test_files_of_one_folder_keep_what_waits_for_a_newer_version(tmp_path, other):
    events = [_record.create_event(exercise="ranking.e4", answer=name) for name in ("a", "b")]
    for name, event in zip(("mine.json", other), events, strict=True):
        (tmp_path / name).write_text(json.dumps({"version": _record.VERSION + 1, "history": []}))
        with pytest.warns(progress.ProgressWarning, match=f"saved in {name}.waiting-newer"):
            _record.append_events(tmp_path / name, [event])
    with pytest.warns(progress.ProgressWarning, match="newer"):
        assert _record.read_history(tmp_path / "mine.json") == events[:1]


@pytest.mark.parametrize(
    "name",
    [
        *("progress.waiting-home.json", "progress.json.waiting-home.json"),
        *("progress.json.waiting-.json", "progress.json.waiting-newer.json.json"),
        *("progress.json.waiting-newer-2.json", "progress.json.waiting-abc.json"),
        *("progress.json.waiting-0123456789ABCDEF.json", "progress.waiting-newer.json"),
    ],
)
@pytest.mark.parametrize("content", [None, b"no progress"])
def test_a_file_of_the_learner_that_is_named_like_a_waiting_one_stays(file, name, content):
    fresh(ex.average_precision_of_list).check(0.3)
    own = file.with_name(name)
    own.write_bytes(content or file.read_bytes().replace(b'"id": "', b'"id": "other'))
    before = own.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh(ex.average_precision_of_list).check(0.442)
        assert len(progress.load_history()) == 2
    assert own.read_bytes() == before


def test_the_draft_of_another_file_of_the_folder_stays(tmp_path):
    drafts = [tmp_path / f".{name}.0123456789ab.new" for name in ("mine", "mine.json")]
    for draft in drafts:
        draft.touch()
    _record.append_events(tmp_path / "mine", [_record.create_event(exercise="ranking.e4")])
    assert [draft.exists() for draft in drafts] == [False, True]


def test_what_is_put_aside_has_the_whole_name_of_its_file(tmp_path):
    for name in ("mine.json", "mine"):
        (tmp_path / name).write_text("cut")
        with pytest.warns(progress.ProgressWarning, match=f"kept as {name}.damaged-"):
            _record.read_history(tmp_path / name)


def test_a_file_with_nan_is_written_as_json(file):
    file.parent.mkdir(parents=True)
    odd = json.dumps({"version": 2, "history": [{**SOUND, "later": float("nan")}], "x": [1e999]})
    file.write_text(odd)
    fresh(ex.average_precision_of_list).check(0.3)

    def refuse(constant):
        raise AssertionError(constant)

    assert len(json.loads(file.read_text(), parse_constant=refuse)["history"]) == 2


def test_a_waiting_file_that_cannot_be_read_stays(tmp_path):
    file = tmp_path / "progress.json"
    newer = tmp_path / f"{file.name}.waiting-{1:016x}.json"
    newer.write_text(json.dumps({"version": _record.VERSION + 1, "history": []}))
    os.mkfifo(tmp_path / f"{file.name}.waiting-{3:016x}.json")
    event = _record.create_event(exercise="ranking.e4", what="check", outcome="PASS")
    assert _record.append_events(file, [event]) == 1
    assert [one.exercise for one in _record.read_history(file)] == ["ranking.e4"]
    assert newer.exists()


@pytest.mark.parametrize("main", [None, _record.VERSION, _record.VERSION + 1])
@pytest.mark.parametrize(
    "look", [lambda: REGISTRY["ranking.e4"].check(0.442), progress.load_history]
)
@pytest.mark.parametrize("damage", [b"", b'{"version": 2, "his', b"\0" * 99, b"[]"])
def test_a_damaged_waiting_file_is_put_aside_with_a_warning(file, damage, look, main):
    file.parent.mkdir(parents=True)
    if main:
        file.write_text(json.dumps({"version": main, "history": []}))
    waiting = file.with_name(f"{file.name}.waiting-{0:016x}.json")
    waiting.write_bytes(damage)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        look()
    (said,) = [str(one.message) for one in caught if waiting.name in str(one.message)]
    (aside,) = file.parent.glob("*.damaged-*")
    assert f"It is kept as {aside.name}; what is in the others stays." in said
    assert (aside.read_bytes(), waiting.exists()) == (damage, False)


def test_a_damaged_waiting_file_that_may_not_be_moved_hides_nothing(file, monkeypatch):
    fresh(ex.average_precision_of_list).check(0.442)
    file.with_name(f"{file.name}.waiting-{0:016x}.json").write_text("cut")

    def refuse(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "replace", refuse)
    assert [event.exercise for event in progress.load_history()] == ["ranking.e4"]


def test_a_waiting_file_that_is_partly_unreadable_is_kept_with_a_warning(file):
    file.parent.mkdir(parents=True)
    waiting = file.with_name("progress.json.waiting-0123456789abcdef.json")
    text = json.dumps({"version": 2, "history": [SOUND, {**SOUND, "id": "b", "what": "note"}]})
    waiting.write_text(text)
    with pytest.warns(
        progress.ProgressWarning, match=r"1 of 2 .*waiting-0123456789abcdef\.json cannot"
    ):
        fresh(ex.average_precision_of_list).check(0.442)
    assert set(progress.load_summary()) == {"ranking.e4", "ranking.e5"}
    (aside,) = file.parent.glob("*damaged*")
    assert (aside.read_text(), waiting.exists()) == (text, False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh(ex.average_precision_of_list).check(0.442)


def test_a_copy_that_could_not_be_written_is_removed_and_named(file, tmp_path, monkeypatch):
    fresh(ex.average_precision_of_list).check(0.442)
    copy = tmp_path / "copy.json"
    before = Path.open

    class Full:
        def __init__(self, there):
            self.there = there

        def __enter__(self):
            return self

        def write(self, content):
            self.there.write(content[:10])
            raise OSError(28, "No space left on device")

        def __exit__(self, *_):
            self.there.close()

    def opened(path, mode="r", **options):
        there = before(path, mode, **options)
        return Full(there) if path == copy else there

    monkeypatch.setattr(Path, "open", opened)
    with pytest.raises(OSError, match=r"copy\.json could not be written.*: No space left"):
        checking.save_progress(copy)
    assert not copy.exists()


@pytest.mark.parametrize("end", ["waiting-newer", "waiting-0123456789abcdef"])
def test_progress_is_not_saved_under_a_name_that_is_removed(file, end):
    fresh(ex.average_precision_of_list).check(0.3)
    own = file.with_name(f"{file.name}.{end}.json")
    with pytest.raises(ValueError, match=r"own files, which it takes over and removes; give anoth"):
        checking.save_progress(own)
    assert not own.exists()
    # In another folder, or with another name, it is the learner's.
    for mine in (file.parent / "copies" / own.name, file.with_name("progress.json.mine.json")):
        mine.parent.mkdir(exist_ok=True)
        assert checking.save_progress(mine).startswith("1 entry saved")


@pytest.mark.parametrize(
    ("pack", "says"),
    [
        (gzip.compress, "it is compressed with gzip; decompress it, and give the file in it"),
        (lambda content: b"PK\x03\x04" + content, "it is compressed with zip; decompress it"),
        (lambda _: b"\x89PNG\r\n\x1a\n", "it is not text in UTF-8, as progress is saved; give a"),
        (lambda _: b"\xff\xfea", "it is not text in UTF-8"),
    ],
)
def test_a_file_that_is_no_text_is_refused_with_what_to_do(file, tmp_path, pack, says):
    saved = tmp_path / "a.json.gz"
    saved.write_bytes(pack(b'{"version": 2, "history": []}'))
    with pytest.raises(ValueError, match=re.escape(f"{saved} was not taken: {says}")):
        checking.load_progress(saved)


def test_a_saved_file_survives_when_too_many_files_are_open(file, tmp_path, monkeypatch):
    # The system then refuses before it looks whether there is such a file.
    copy = tmp_path / "saved.json"
    copy.write_text("kept")

    def refuse(*_, **__):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(OSError, match="could not be written: Too many open files"):
        checking.save_progress(copy)
    monkeypatch.undo()
    assert copy.read_text() == "kept"


def test_drafts_of_killed_kernels_are_removed(file):
    file.parent.mkdir(parents=True, exist_ok=True)
    draft, others = ".progress.json.0123456789ab.new", [".progress.json.mine.new", ".x.new"]
    draft = draft.replace("progress.json", file.name)
    for name in (draft, *others):
        (file.parent / name).write_text("half")
    REGISTRY["ranking.e4"].check(0.5)
    assert json.loads(file.read_text())["history"]
    assert not (file.parent / draft).exists()
    assert all((file.parent / name).exists() for name in others)


def test_the_home_of_a_user_who_is_not_there_becomes_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(progress.VARIABLE, "~nosuchuser/progress.json")
    with pytest.warns(UserWarning, match="there is no such user, so ~ stands for no home"):
        progress.record_goal("explorable", 0)
    assert [*tmp_path.iterdir()] == []
