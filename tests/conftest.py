"""What tests of several rooms share: one real browser, and nobody's progress."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

# A test may open a notebook as a learner does; what it answers there is nobody's progress.
os.environ["RECSYS_METRICS_PROGRESS"] = "off"


def chromium() -> str:
    """Return the path of a Chromium, or skip and say what was looked for."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    for name in names:
        if found := shutil.which(name):
            return found
    pytest.skip(f"no browser: none of {', '.join(names)} is on the PATH")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    with api.sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield window
        window.close()
