"""Spark is started by the first test that needs it, and stopped after the last."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.frames.engines import spark


@pytest.fixture(scope="session", autouse=True)
def spark_stopped() -> Iterator[None]:
    yield
    if spark.cache_info().currsize:
        spark().stop()
