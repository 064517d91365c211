"""The command from a fresh install: the wheel, its extras, nothing of the clone."""

from __future__ import annotations

import json

import pytest

from tests.frames.engines import java_or_skip
from tests.test_wheel import elsewhere, wheel

__all__ = ["elsewhere", "wheel"]
pytestmark = pytest.mark.wheel


@pytest.mark.parametrize("engine", ["polars", "spark"])
def test_the_example_is_evaluated(elsewhere, wheel, engine):
    if engine == "spark":
        java_or_skip()
    elsewhere.install(wheel, "frames" if engine == "polars" else engine)
    said = elsewhere.out("recsys-workbook", "evaluate", "--example", "films")
    command = said.splitlines()[-1].split()
    if engine == "spark":
        # It plans each measure for seconds; what it gives for all of them is asked of one Spark.
        command = [*command[:5], "-m", "ndcg@10", *command[command.index("--compare") :][:2]]
    data = json.loads(elsewhere.out(*command, "--engine", engine, "--format", "json"))
    assert data["measures"]["ndcg@10"]["users"] > 100
    assert 0 < data["measures"]["ndcg@10"]["value"] < 1
    assert data["comparison"]["decided_on"] == "ndcg@10"
