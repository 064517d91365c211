"""The form of the page *Your own numbers*; it runs `workbook/browser/upload_evaluation` there."""

from __future__ import annotations

import base64
import html
import json
from typing import Any

import numpy as np

from recsys_metrics.workbook.browser.upload_evaluation import MEASURES

COMMENT = "<!-- your numbers -->"
_FILES = (
    ("recommended", "What was recommended"),
    ("relevant", "What was relevant"),
    ("compared", "What another model recommended, to compare it with (may be left out)"),
)
_TYPES = ".csv,.tsv,.json,.run,.qrels,.trec"
_USERS, _ITEMS, _K = 60, 200, 10


def sample() -> dict[str, dict[str, str]]:
    """Return two recommenders' lists and what was relevant, drawn by a seed.

    The candidate meets a relevant item a little more often.
    """
    rng = np.random.default_rng(20)
    wanted = [rng.choice(_ITEMS, 5, replace=False) for _ in range(_USERS)]

    def lists(chance: float) -> str:
        rows = ["user,item,rank"]
        for user, own in enumerate(wanted, start=1):
            others = np.setdiff1d(np.arange(_ITEMS), own)
            recommended = rng.choice(others, _K, replace=False)
            hit = np.flatnonzero(rng.random(_K) < chance)[: own.size]
            recommended[hit] = own[: hit.size]
            rows += [f"u{user},{item},{rank}" for rank, item in enumerate(recommended, start=1)]
        return "\n".join(rows)

    truth = [f"u{user},{item}" for user, own in enumerate(wanted, start=1) for item in own]
    return {
        "recommended": {"name": "candidate.csv", "text": lists(0.16)},
        "relevant": {"name": "liked.csv", "text": "\n".join(["user,item", *truth])},
        "compared": {"name": "today.csv", "text": lists(0.14)},
    }


def form() -> str:
    """Return the form, which is hidden where no script runs."""
    fields = "".join(
        f'<div class="exercise-field"><label for="own-{name}">{html.escape(label)}</label>'
        f'<input type="file" id="own-{name}" name="{name}" accept="{_TYPES}">'
        f'<span data-held="{name}"></span></div>'
        for name, label in _FILES
    )
    said = html.escape(", ".join(MEASURES))
    # In letters that no reader of Markdown changes.
    coded = base64.b64encode(json.dumps(sample()).encode()).decode()
    return (
        '<noscript><p>The form of this page needs JavaScript.</p></noscript><form class="own-form"'
        f' hidden>{fields}<div class="exercise-field"><label for="own-measures">Measures</label>'
        f'<input id="own-measures" name="measures" value="{said}" autocomplete="off" '
        'spellcheck="false"></div><div class="exercise-field"><label for="own-threshold">Lowest '
        'grade that counts as relevant (may be left out)</label><input id="own-threshold" '
        'name="threshold" inputmode="decimal" autocomplete="off"></div>'
        '<div class="exercise-field"><label for="own-catalog">How many items there are, for '
        'coverage and Gini (may be left out)</label><input id="own-catalog" name="catalog" '
        'inputmode="numeric" autocomplete="off"></div>'
        '<div class="exercise-buttons"><button type="submit">Evaluate</button>'
        '<button type="button" data-do="sample">Try a sample</button>'
        '<button type="button" data-do="stop" hidden>Stop</button></div></form>'
        '<div class="own-shown" tabindex="-1"></div>'
        f'<template id="own-sample" data-files="{coded}"></template>'
    )


def place(app: Any, docname: str, source: list[str]) -> None:
    """Put the form where a page has the comment for it."""
    if COMMENT in source[0]:
        source[0] = source[0].replace(COMMENT, form())
