"""Work in blocks and on several cores: the same answers, to the last digit, and the same errors."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics._core import blocks, threads
from recsys_metrics.beyond_accuracy import intra_list_diversity
from recsys_metrics.bias import off_policy
from recsys_metrics.calibration import (
    PlattScaling,
    brier_score,
    expected_calibration_error,
    log_loss,
)

N = 3 * blocks._CELLS_OF_A_THREAD


@pytest.fixture
def cores(monkeypatch):
    def use(n):
        monkeypatch.setenv("RECSYS_METRICS_THREADS", str(n))

    return use


def test_blocks_cover_all_rows_once():
    seen = [row for block in blocks.row_blocks(10, 3, cells=7) for row in range(10)[block]]
    assert seen == list(range(10))


@pytest.mark.parametrize("n_cores", [1, 2, 3, 8])
def test_results_are_in_the_order_of_the_rows(cores, n_cores):
    cores(n_cores)
    starts = blocks.over_blocks(lambda block: block.start, N, 1, cells=2**16)
    assert starts == list(range(0, N, 2**16))


def test_each_thread_gets_adjacent_blocks(cores):
    cores(3)
    shares = blocks.on_threads(lambda blocks: (blocks[0].start, blocks[-1].stop), N, 1)
    assert len(shares) == 3
    assert [stop for _, stop in shares[:-1]] == [start for start, _ in shares[1:]]
    assert (shares[0][0], shares[-1][1]) == (0, N)


def test_small_work_starts_no_thread(cores):
    cores(8)
    names = blocks.over_blocks(lambda _: threading.current_thread().name, 1000, 10, cells=100)
    assert set(names) == {threading.current_thread().name}


def test_large_work_starts_threads(cores):
    cores(2)
    names = blocks.over_blocks(lambda _: threading.current_thread().name, N, 1)
    assert len(set(names)) == 2


def test_the_error_of_the_earliest_row_is_raised(cores):
    def fail(block):
        raise ValueError(f"row {block.start}")

    cores(4)
    with pytest.raises(ValueError, match=r"row 0$"):
        blocks.over_blocks(fail, N, 1)


# Of an older numpy, another core may have come to the same place first.
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_threads_inherit_the_errstate_of_numpy(cores):
    cores(2)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        blocks.over_blocks(lambda block: np.ones(1) / (block.start == 0), N, 1)


def test_without_threads_the_work_is_still_done(cores, monkeypatch):
    def none_left(thread):
        raise RuntimeError("can't start new thread")

    cores(2)
    monkeypatch.setattr(threading.Thread, "start", none_left)
    assert sum(blocks.over_blocks(lambda block: block.stop - block.start, N, 1)) == N


def test_if_no_thread_can_be_started_rows_are_written_once(cores, monkeypatch):
    start, started, at_work, met = threading.Thread.start, [], set(), []

    def one_left(thread):
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    def work(block):
        met.extend({block.start} & at_work)
        at_work.add(block.start)
        time.sleep(0.001)
        at_work.discard(block.start)
        return block.stop - block.start

    cores(4)
    monkeypatch.setattr(threading.Thread, "start", one_left)
    assert sum(blocks.over_blocks(work, N, 1)) == N
    assert (len(started), met) == (1, [])


# macOS and Windows tell no more than how many cores there are.
ALLOWED = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
CORES = min(8, ALLOWED or 1)


@pytest.fixture
def no_variables(monkeypatch):
    for name in ("RECSYS_METRICS_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [("3", "", 3), ("", "1", 1), ("2", "5", 2), (" 6 ", "", 6), ("", "4,2", 4), ("", "", CORES)],
)
def test_an_environment_variable_sets_the_number_of_threads(monkeypatch, ours, theirs, expected):
    monkeypatch.setenv("RECSYS_METRICS_THREADS", ours)
    monkeypatch.setenv("OMP_NUM_THREADS", theirs)
    assert threads.n_threads() == expected


@pytest.mark.parametrize("name", ["RECSYS_METRICS_THREADS", "OMP_NUM_THREADS"])
@pytest.mark.parametrize("value", ["two", "-1", "0", "1.5"])
def test_an_invalid_environment_variable_raises(no_variables, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=f"the environment's {name} is '{value}'"):
        rm.rank_from_scores(np.zeros((400, 5_000), dtype=np.float32), 5)


def test_set_threads_overrides_the_environment_and_is_restored(no_variables, monkeypatch):
    monkeypatch.setenv("RECSYS_METRICS_THREADS", "3")
    with rm.set_threads(5):
        assert threads.n_threads() == 5
        with rm.set_threads(2):
            assert threads.n_threads() == 2
        assert threads.n_threads() == 5
        with pytest.raises(ZeroDivisionError), rm.set_threads(2):
            _ = 1 / 0
        assert threads.n_threads() == 5
        rm.set_threads(None)
        assert threads.n_threads() == 3
    assert threads.n_threads() == 3
    rm.set_threads(4)
    try:
        assert threads.n_threads() == 4
    finally:
        rm.set_threads(None)


@pytest.mark.parametrize(("n", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError)])
def test_invalid_numbers_of_threads_raise(n, error):
    with pytest.raises(error, match="n is threads, a whole number of 1 or more"):
        rm.set_threads(n)
    assert threads._chosen is None


def test_a_thread_pool_worker_uses_one_thread(no_variables, monkeypatch):
    monkeypatch.setattr(threads, "_cores", lambda: 8)
    assert threads.n_threads() == 8
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads.n_threads).result() == 1
        # OpenMP's number is each process's; ours is meant.
        monkeypatch.setenv("OMP_NUM_THREADS", "4")
        assert pool.submit(threads.n_threads).result() == 1
        monkeypatch.setenv("RECSYS_METRICS_THREADS", "3")
        assert pool.submit(threads.n_threads).result() == 3


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_process_uses_one_thread(no_variables, method):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        assert pool.submit(threads.n_threads).result() == 1


@pytest.mark.slow
def test_a_joblib_worker_uses_its_share_of_the_cores(no_variables):
    joblib = pytest.importorskip("joblib")
    ask = joblib.delayed(threads.n_threads)
    with joblib.parallel_config("loky", n_jobs=2, inner_max_num_threads=3):
        assert joblib.Parallel()([ask(), ask()]) == [3, 3]
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


def test_a_spark_task_uses_one_thread(no_variables, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    for task, expected in ((object(), 1), (None, 8)):
        context = SimpleNamespace(TaskContext=SimpleNamespace(get=lambda task=task: task))
        monkeypatch.setitem(sys.modules, "pyspark.taskcontext", context)
        assert threads.n_threads() == expected


def test_a_platform_without_threads_uses_one(no_variables, monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert threads.n_threads() == 1


def test_importing_the_library_imports_no_thread_pool():
    code = "import sys, recsys_metrics; print('concurrent.futures.thread' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def _judged(rng):
    items = np.argsort(rng.random((20_000, 60)), axis=1)
    wanted = np.arange(20_001) * 5, rng.permuted(np.tile(np.arange(60), (20_000, 1)), axis=1)[:, :5]
    judged = rm.judge(items, (wanted[0], wanted[1].ravel(), rng.integers(1, 6, 100_000)))
    return [rm.ndcg(judged, 10), rm.ndcg(judged, 60), rm.average_precision(judged, 10)]


def _ranked(rng):
    scores = rng.integers(0, 5_000, (300, 6_000)).astype(np.float32)
    scores[scores == 7] = -0.0
    seen = np.sort(np.argsort(rng.random((300, 100)), axis=1)[:, :5], axis=1)
    return [
        rm.rank_from_scores(scores.astype(kind), 20, exclude=seen, ties=ties)
        for kind in (np.float32, np.float64)
        for ties in ("id", "random")
    ]


def _calibrated(rng):
    said = rng.random(N)
    happened = rng.random(N) < 0.2 + 0.5 * said
    platt = PlattScaling().fit(said, happened)
    weights = rng.random(N)
    return [
        brier_score(happened, said),
        log_loss(happened, said, weights=weights),
        expected_calibration_error(happened, said),
        platt.slope_,
        platt.intercept_,
    ]


def _estimated(rng):
    n = N // 8
    policy = rng.dirichlet(np.ones(8), n)
    actions = rng.integers(0, 8, n)
    log = rng.random(n), actions, np.full(n, 1 / 8), policy, rng.random((n, 8))
    robust = off_policy.doubly_robust(*log)
    return [robust.value, robust.standard_error, robust.effective_sample_size]


def _diverse(rng):
    items = np.argsort(rng.random((30_000, 50)), axis=1)[:, :10]
    return [intra_list_diversity(items, features=rng.standard_normal((50, 32)))]


@pytest.mark.parametrize("ask", [_judged, _ranked, _calibrated, _estimated, _diverse])
def test_results_are_identical_on_one_core_and_three(cores, ask):
    cores(1)
    alone = ask(np.random.default_rng(5))
    cores(3)
    together = ask(np.random.default_rng(5))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_first_duplicate_is_reported(cores):
    items = np.tile(np.arange(40, dtype=np.int32), (60_000, 1))
    items[50_000, 7] = 3
    items[20_000, 30] = 12
    cores(3)
    with pytest.raises(ValueError, match=r"list 20000 recommends item 12 twice, at ranks 13 and"):
        rm.judge(items, (np.arange(60_001), np.zeros(60_000, int), np.ones(60_000, int)))


def test_the_first_nan_score_is_reported(cores):
    scores = np.zeros((400, 5_000), dtype=np.float32)
    scores[390, 1] = scores[3, 2] = np.nan
    cores(2)
    with pytest.raises(ValueError, match="score of item 2 for user 3 is nan"):
        rm.rank_from_scores(scores, 5)
