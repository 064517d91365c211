"""How often the gate is wrong: a short run of `dev/tools/gate_simulation.py`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev" / "tools"))
import gate_simulation
from gate_simulation import DEVIATIONS, SHAPES, USERS, Setting, faults, simulate

REPEATS = 400


@pytest.mark.parametrize("shape", SHAPES)
def test_drawn_differences_have_the_stated_mean_and_standard_deviation(shape):
    drawn = SHAPES[shape](np.random.default_rng(1), -0.01, 0.1, (100, USERS))
    assert drawn.mean() == pytest.approx(-0.01, abs=0.0007)
    assert drawn.std() == pytest.approx(0.1, rel=0.02)


def test_hits_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="no differences of hits have a mean"):
        SHAPES["hits"](np.random.default_rng(1), -0.01, 0.06, (1, 5))
    drawn = SHAPES["hits"](np.random.default_rng(1), -0.01, 0.2, (10, USERS))
    assert {*np.unique(drawn)} == {-1, 0, 1}


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["normal", "sparse", "hits"])
def test_the_gate_is_rarely_wrong_and_decides_with_its_power(shape):
    rng, totals = np.random.default_rng(0), {-1.0: Counter(), 0.0: Counter()}
    for deviation in DEVIATIONS:
        for truth, total in totals.items():
            total.update(simulate(Setting(deviation, shape, truth), REPEATS, rng))
    # Of 1,200 repeats 30 are expected at each side; at a level of 90% they would be 60.
    at_the_margin = totals[-1.0]
    assert 12 <= at_the_margin["pass"] <= 45
    assert 12 <= at_the_margin["fail"] <= 45
    # 1,080 are expected to pass, at a level of 97.5% 1,010; the exact interval of hits is wider.
    assert (1_010 if shape == "hits" else 1_045) <= totals[0.0]["pass"] <= 1_115
    assert totals[0.0]["fail"] == 0


@pytest.mark.parametrize(
    ("truth", "outcomes", "found"),
    [
        (-1, {"pass": 36, "fail": 20, "undecided": 944}, ["wrong pass"]),
        (-1, {"pass": 35, "fail": 36, "undecided": 929}, ["wrong fail"]),
        (-1, {"pass": 35, "fail": 35, "undecided": 930}, []),
        (0, {"pass": 849, "fail": 1, "undecided": 150}, ["too few decided", "wrong fail"]),
        (-2, {"fail": 850, "undecided": 150}, []),
    ],
)
def test_exceeded_bounds_are_named(truth, outcomes, found):
    assert faults(Setting(0.1, "normal", truth), Counter(outcomes), 1_000) == found


def test_the_command_prints_a_row_for_each_setting(monkeypatch, capsys):
    one = [Setting(0.1, "normal", 0.0)]
    monkeypatch.setattr(gate_simulation, "settings", lambda: one)
    monkeypatch.setattr(sys, "argv", ["gate_simulation.py", "--repeats", "20"])
    assert gate_simulation.main() == 0
    assert "| 0.10 | normal | 0 margins | 0.00458 | " in capsys.readouterr().out
