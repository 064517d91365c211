"""The tables of other libraries that come with the package."""

from __future__ import annotations

import csv
from importlib.resources import files


def read_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of one of the package's tables."""
    text = files("recsys_metrics").joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
