"""The benchmarks compute what they say: small inputs, no seconds."""

from __future__ import annotations

import numpy as np
import pytest

from dev.benchmarks import runner
from dev.benchmarks.runner import OURS, one_pass
from dev.benchmarks.workloads import first_lists, ranked_lists
from recsys_metrics.workbook.experiments.speed import (
    compare_speed,
    draw_fastest_alternatives,
    draw_speed,
    list_machines,
    read_results,
    summarize_tasks,
)

TASKS = runner.tasks()
SMALL = {"ranking": 0.002, "ndcg": 0.0002, "ece": 0.001, "brier": 0.001, "platt": 0.001}


def small(name):
    scale = SMALL.get(name, 0.002)
    return TASKS[name].make(scale)


@pytest.mark.parametrize(
    ("name", "library"),
    [
        (name, library)
        for name, task in TASKS.items()
        for library, way in task.ways.items()
        if library != OURS and not way.environment and not name.startswith(("boot", "rand"))
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_other_libraries_compute_the_same_values(name, library):
    task = TASKS[name]
    names = {"scikit-learn": "sklearn", "pytrec-eval-terrier": "pytrec_eval"}
    package = task.ways[library].package
    if package not in ("", "recsys-workbook"):
        pytest.importorskip(names.get(package, package))
    inputs = small(name)
    answers = []
    for asked in (OURS, library):
        call = task.ways[asked].build(inputs)
        answers.append(call.run(call.convert()))
    assert runner.agree(library, *answers, task.ways[library].tolerance)


@pytest.mark.parametrize("name", [name for name in TASKS if name.startswith("read_")])
def test_each_form_gives_the_values_of_a_plain_loop(name):
    if name == "read_tensors":
        pytest.importorskip("torch")
    elif name in ("read_pandas", "read_polars"):
        pytest.importorskip(name.removeprefix("read_"))
    inputs = TASKS[name].make(0.002)
    loop = TASKS["read_lists"].ways["a plain loop"].build(inputs).run(None)
    runner.agree(name, loop, TASKS[name].ways[OURS].build(inputs).run(None), 1e-9)


def test_benchmark_inputs_are_reproducible():
    for name in TASKS:
        if name.startswith(("boot", "rand")):
            continue
        for one, other in zip(small(name).values(), small(name).values(), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_differing_value_stops_the_benchmark():
    with pytest.raises(AssertionError, match="recall of slow"):
        runner.agree("slow", {"recall": np.ones(2)}, {"recall": np.zeros(2)}, 1e-9)
    with pytest.raises(AssertionError, match="slow answers"):
        runner.agree("slow", {"recall": 1.0}, {"ndcg": 1.0}, 1e-9)


def test_means_are_compared_with_means():
    assert runner.agree("means", {"recall": np.array([0.0, 1.0])}, {"recall": 0.5}, 0) == (
        "recall",
    )


def test_a_sample_of_lists_keeps_its_relevant_items():
    inputs = ranked_lists(100).arrays
    part = first_lists(inputs, 0.1)
    assert len(part["items"]) == 10
    assert len(part["relevant"]) == part["indptr"][-1] == inputs["indptr"][10]


def test_the_baseline_pass_computes_nothing():
    assert one_pass(small("ranking")).run(None) == {}


def test_every_task_on_the_page_was_measured():
    assert set(read_results()) == set(TASKS)
    assert list_machines()
    for task in TASKS:
        assert len(compare_speed(task).rows) >= 2
    assert len(summarize_tasks().rows) == len(TASKS)


def test_pictures_and_tables_of_the_page_agree():
    table = summarize_tasks()
    behind = [row for row in table.rows if float(row[1].replace(",", "")) < 1]
    assert f"{len(TASKS) - len(behind)} of {len(TASKS)} tasks" in draw_fastest_alternatives().svg
    most = max(compare_speed("ranking").rows, key=lambda row: float(row[1].replace(",", "")))
    name = most[0].rpartition(" ")[0]
    assert draw_speed("ranking").alt.endswith(f"to {most[1]} ({name}).")
    assert all("recsys-workbook" not in row[2] for row in table.rows)


def test_rows_are_kept_in_the_order_of_the_tasks(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "TABLE", tmp_path / "rows.csv")
    first, *_, last = TASKS
    for task, seconds in ((last, 1), (first, 2), (last, 3), ("no longer asked", 4)):
        runner.keep([{"task": task, "library": OURS, "seconds": seconds}])
    runner.keep([{"task": last, "library": "a way that is no more", "seconds": 5}])
    rows = runner.TABLE.read_text().splitlines()[1:]
    assert [(row.split(",")[0], row.split(",")[5]) for row in rows] == [(first, "2"), (last, "3")]


def test_an_unmeasured_task_raises():
    for ask in (compare_speed, draw_speed):
        with pytest.raises(ValueError, match="'typing' was not measured"):
            ask("typing")
