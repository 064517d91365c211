"""The broken experiments: each fault is met, and its log shows that fault and no other."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics.workbook.exercises.protocol import live


@pytest.mark.parametrize("fault", list(live.broken_experiment.options))
def test_the_log_of_each_fault_shows_it_alone(fault):
    report = live._report(live._broken_log(fault, np.random.default_rng(1)))
    assert live._signs(report) == [fault]


def test_variants_meet_all_five_faults():
    drawn = {next(iter(live.broken_experiment.variant(seed).answer.values())) for seed in range(20)}
    assert drawn == set(live.broken_experiment.options)
