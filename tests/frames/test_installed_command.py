"""The command from a fresh install: the wheel, its extras, nothing of the clone."""

from __future__ import annotations

import json

import pytest

from tests.frames.engines import java_or_skip
from tests.test_wheel import content, elsewhere, wheel, wheels
from tests.tiers import installed

__all__ = ["content", "elsewhere", "wheel", "wheels"]
pytestmark = pytest.mark.wheel


@installed
@pytest.mark.parametrize("engine", ["polars", "spark"])
def test_the_example_runs_in_a_fresh_environment(elsewhere, wheel, content, engine):
    if engine == "spark":
        java_or_skip()
    elsewhere.install(wheel, "frames" if engine == "polars" else engine)
    source = "simulated"
    if engine == "spark":
        source = "of MovieLens"
        elsewhere.install(content)
    said = elsewhere.out("recsys-workbook", "evaluate", "--example")
    assert source in said
    command = said.splitlines()[-1].split()
    if engine == "spark":
        # It plans each measure for seconds; all of them, and comparisons, are asked of one Spark.
        command = [*command[:5], "-m", "ndcg@10"]
    data = json.loads(elsewhere.out(*command, "--engine", engine, "--format", "json"))
    assert data["measures"]["ndcg@10"]["users"] > 100
    assert 0 < data["measures"]["ndcg@10"]["value"] < 1
    if engine == "polars":
        assert data["comparison"]["decided_on"] == "ndcg@10"
