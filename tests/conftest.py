"""What tests of several rooms share: one real browser, and nobody's progress."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

# A test may open a notebook as a learner does; what it answers there is nobody's progress.
os.environ["RECSYS_METRICS_PROGRESS"] = "off"


# The files that take longest, longest first: whatever is left then is short, and no worker ends on
# a long one while the others wait.
LONGEST = (
    "tests/book/test_every_page.py",
    "tests/frames/test_equal.py",
    "tests/book/test_cards_in_book.py",
    "tests/frames/test_installed.py",
    "tests/book/test_explorables_in_book.py",
    "tests/book/test_book.py",
    "tests/exercises/test_variants.py",
    "tests/frames/test_command.py",
    "tests/test_lab.py",
    "tests/frames/test_spark_submit.py",
    "tests/test_cli.py",
    "tests/course/test_guide.py",
    "tests/course/test_hostile.py",
    "tests/protocol/test_paired.py",
    "tests/test_house.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first; `make test` tells xdist to keep the order."""
    place = {config.rootpath / file: at for at, file in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


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
