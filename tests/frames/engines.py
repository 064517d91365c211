"""A table in each engine."""

from __future__ import annotations

import os
import shutil
import sys
from functools import lru_cache
from typing import Any

import pytest


def in_polars(table: Any) -> Any:
    pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")
    return pl.DataFrame(table).lazy()


def in_polars_eagerly(table: Any) -> Any:
    return in_polars(table).collect()


def in_pandas(table: Any) -> Any:
    pytest.importorskip("pandas")
    return in_polars(table).collect().to_pandas()


def in_pyarrow(table: Any) -> Any:
    pytest.importorskip("pyarrow")
    return in_polars(table).collect().to_arrow()


def in_duckdb(table: Any) -> Any:
    duckdb = pytest.importorskip("duckdb", reason="the extra `duckdb` is not installed")
    return duckdb.from_arrow(in_polars(table).collect().to_arrow())


def in_spark(table: Any) -> Any:
    return spark().createDataFrame(in_polars(table).collect().to_arrow())


ENGINES = [in_polars, in_pandas, in_duckdb, in_spark]
# What costs a test little.
QUICK = [in_polars, in_polars_eagerly, in_pandas, in_pyarrow, in_duckdb]


def java_or_skip() -> None:
    """Skip, and say why, where Spark cannot run."""
    pytest.importorskip("pyspark", reason="the extra `spark` is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17 or newer, and there is no java on the PATH")


@lru_cache(maxsize=1)
def spark() -> Any:
    """Start Spark on this machine alone; the fixture `spark_stopped` stops it."""
    java_or_skip()
    # The workers import this package, as this Python does.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from recsys_metrics.frames._files import ON_THIS_MACHINE

    settings = {
        **ON_THIS_MACHINE,
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "1",
    }
    builder = SparkSession.builder.master("local[2]").appName("recsys-workbook tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    # A command that a test starts chooses its own.
    del os.environ["PYSPARK_PYTHON"]
    return session
