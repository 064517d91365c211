"""The example is submitted as a user would, and prints what arrays give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.frames.engines import java_or_skip
from tests.tiers import installed

ROOT = Path(__file__).resolve().parents[2]
ON_THIS_MACHINE = (
    *("--master", "local[1]"),
    *("--conf", "spark.driver.bindAddress=127.0.0.1"),
    *("--conf", "spark.driver.host=127.0.0.1"),
    *("--conf", "spark.sql.shuffle.partitions=1"),
    *("--conf", "spark.ui.enabled=false"),
)


@installed
def test_the_example_runs_with_spark_submit(tmp_path):
    java_or_skip()
    pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")
    pl.DataFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rank": [1, 2, 1]}).write_parquet(
        tmp_path / "recs.parquet"
    )
    pl.DataFrame({"user": [1, 2], "item": [8, 7]}).write_csv(tmp_path / "truth.csv")
    submit = Path(sys.executable).parent / "spark-submit"
    done = subprocess.run(
        [
            *(str(submit), *ON_THIS_MACHINE, str(ROOT / "dev" / "examples" / "spark_evaluate.py")),
            *(str(tmp_path / "recs.parquet"), str(tmp_path / "truth.csv"), "mrr@2", "recall@2"),
        ],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    # The second item of one user and the first of the other.
    assert "reciprocal_rank" in done.stdout
    assert "0.750" in done.stdout
    assert "recall" in done.stdout
