"""The examples run, and give what one evaluation of all lists gives."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np

import recsys_metrics as rm

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


class Tensor:
    """What a tensor of torch shows of itself: it learns, and lies on another device."""

    def __init__(self, values, *, ready=False):
        self.values, self.ready, self.shape = values, ready, values.shape

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self.values, ready=True)

    def __array__(self, dtype=None, copy=None):
        assert self.ready
        return self.values if dtype is None else self.values.astype(dtype)


def test_a_loop_over_batches():
    evaluate_batches = runpy.run_path(str(EXAMPLES / "evaluate_batches.py"))["evaluate_batches"]
    rng = np.random.default_rng(0)
    lists = rng.permuted(np.tile(np.arange(40), (60, 1)), axis=1)
    top, held_out = lists[:, :10], lists[:, 9:14].copy()
    held_out[::3, 2:] = -1
    batches = (
        (Tensor(rows), Tensor(top[rows]), Tensor(held_out[rows]))
        for rows in np.array_split(rng.permutation(60), 4)
    )
    report = evaluate_batches(batches, 40)
    whole = rm.evaluate(top, held_out, list(report), catalog=40)
    assert sorted(report.users) == list(range(60))
    for text in whole:
        np.testing.assert_allclose(report[text].mean, whole[text].mean, rtol=1e-12)


def test_processes():
    done = subprocess.run(
        [sys.executable, EXAMPLES / "evaluate_processes.py"],
        cwd=EXAMPLES.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "random lists" in done.stdout
    assert "10,000, of 10 items" in done.stdout
