"""The broken experiments: each fault is met, and its log shows that fault and no other."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics.workbook.exercises import protocol as ex
from recsys_metrics.workbook.exercises.protocol import live


@pytest.mark.parametrize("fault", list(ex.broken_experiment.options))
def test_the_log_of_each_fault_shows_only_that_fault(fault):
    report = live._report(live._broken_log(fault, np.random.default_rng(1)))
    assert live._signs(report) == [fault]


@pytest.mark.slow
def test_variants_cover_all_five_faults():
    drawn = {next(iter(ex.broken_experiment.variant(seed).answer.values())) for seed in range(20)}
    assert drawn == set(ex.broken_experiment.options)


@pytest.mark.parametrize("fault", list(ex.broken_experiment.options))
def test_only_the_number_of_the_fault_exceeds_its_bound(fault):
    report = live._report(live._broken_log(fault, np.random.default_rng(1)))
    surplus, daily, split, weeks, kinds = live._proofs(report).values()
    beyond = {
        "twice": surplus > 0,
        "bots": daily > 140,
        "missing": split > 3.3,
        "novelty": weeks > 0,
        "harmed": kinds > 0,
    }
    assert [name for name, is_beyond in beyond.items() if is_beyond] == [fault]


def test_the_numbers_of_the_log_in_the_chapter_computed_by_hand():
    answer = ex.broken_signs.answer
    assert answer["split"] == pytest.approx(440 / 5490**0.5)
    assert answer["daily"] == 4
    assert answer["weeks"] == pytest.approx(10.7 - 34.9)
    assert answer["kinds"] == pytest.approx(-4.9 - 71.9)
    assert answer["surplus"] == 0


@pytest.mark.slow
def test_variants_of_the_signs_exercise_cover_all_five_faults():
    drawn = {live._fault(ex.broken_signs.variant(seed).inputs) for seed in range(20)}
    assert drawn == set(ex.broken_experiment.options)
