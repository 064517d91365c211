"""The library that these readings are written with: each under its own name."""

from __future__ import annotations

import csv
from pathlib import Path

import recsys_metrics as rm

LIBRARY, VERSION = "recsys-workbook", rm.__version__


def asked(text):
    """Return a callable for a reading."""

    def ask(lists, grades, k):
        judged = rm.judge(lists, grades)
        return dict(zip(judged.users, rm.measure(text).at(k)(judged), strict=True))

    return ask


with (Path(__file__).parents[1] / "readings.csv").open(encoding="utf-8", newline="") as _file:
    _TEXTS = dict.fromkeys(row["reading"] for row in csv.DictReader(_file))
MEASURES = {text: asked(text) for text in _TEXTS}
CLAIMS = {text: text for text in _TEXTS}
