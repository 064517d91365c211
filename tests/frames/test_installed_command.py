"""The command from a fresh install: the wheel, its extras, nothing of the clone."""

from __future__ import annotations

import json

import pytest

from tests.frames.engines import java_or_skip
from tests.test_wheel import elsewhere, wheel, wheels
from tests.tiers import installed

__all__ = ["elsewhere", "wheel", "wheels"]
pytestmark = pytest.mark.wheel


@installed
@pytest.mark.parametrize("engine", ["polars", "spark"])
def test_the_example_runs_in_a_fresh_environment(elsewhere, wheel, engine):
    if engine == "spark":
        java_or_skip()
    elsewhere.install(wheel, "frames" if engine == "polars" else engine)
    said = elsewhere.out("recsys-workbook", "evaluate", "--example")
    assert "clicks of a simulated shop" in said
    command = said.splitlines()[-1].split()
    if engine == "spark":
        # Each run starts Spark anew; the comparison is tested on one that is running.
        command = [*command[:5], "-m", "ndcg@10"]
    data = json.loads(elsewhere.out(*command, "--engine", engine, "--format", "json"))
    assert data["measures"]["ndcg@10"]["users"] > 100
    assert 0 < data["measures"]["ndcg@10"]["value"] < 1
    if engine == "polars":
        assert data["comparison"]["decided_on"] == "ndcg@10"
