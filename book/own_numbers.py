"""The form of the page *Evaluate my own lists*, and what the sample gives there.

The page runs `workbook/browser/upload_evaluation`. What that makes of the sample is written when
the book is built, so that a reader sees it before any Python is there.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from typing import Any

import numpy as np

from recsys_metrics.workbook.browser.upload_evaluation import MEASURES, evaluate_files

COMMENT = "<!-- own lists -->"
_FILES = (
    ("recommended", "Recommended", "a rank or score of each item"),
    ("relevant", "Relevant", "the relevant items of each user"),
    ("compared", "Baseline", "another model's lists, optional"),
)
_TYPES = ".csv,.tsv,.parquet,.pq,.json,.jsonl,.ndjson,.run,.qrels,.trec"
_NAMES = {
    "ndcg": "NDCG",
    "recall": "Recall",
    "precision": "Precision",
    "hit_rate": "Hit rate",
    "reciprocal_rank": "MRR",
    "average_precision": "MAP",
    "rank_biased_precision": "RBP",
}
_PLACEHOLDERS = {
    "recommended": "user,item,rank&#10;ann,A,1&#10;ann,B,2",
    "relevant": "user,item&#10;ann,B&#10;bob,C",
    "compared": "user,item,rank&#10;ann,B,1&#10;ann,A,2",
}
_USERS, _ITEMS, _K = 60, 200, 10


def sample() -> dict[str, dict[str, str]]:
    """Return two recommenders' lists and what was relevant, drawn by a seed.

    The new model recommends a relevant item a little more often.
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
        "recommended": {"name": "new_model.csv", "text": lists(0.16)},
        "relevant": {"name": "relevant.csv", "text": "\n".join(["user,item", *truth])},
        "compared": {"name": "baseline.csv", "text": lists(0.12)},
    }


@cache
def evaluated_sample() -> str:
    """Return the report on the sample in HTML, in lines that no reader of Markdown breaks."""
    reply = json.loads(evaluate_files(json.dumps(sample()), ", ".join(MEASURES)))
    return "".join(reply["lines"]).replace("\n", " ")


def form() -> str:
    """Return the form, which is hidden where no script runs, and the report on the sample."""
    files = "".join(
        f'<div class="own-file" data-role="{role}"><div><strong id="own-{role}-name">{name}'
        f'</strong><small>{words}</small><span data-held role="status"></span></div>'
        f'<label class="own-choose">Choose a file<input type="file" name="{role}" '
        f'accept="{_TYPES}" aria-describedby="own-{role}-name"></label>'
        f'<details><summary>Paste</summary><textarea rows="5" spellcheck="false" '
        f'aria-labelledby="own-{role}-name" placeholder="{_PLACEHOLDERS[role]}"></textarea>'
        "</details></div>"
        for role, name, words in _FILES
    )
    chips = "".join(
        f'<label><input type="checkbox" name="metric" value="{name}" checked>{_NAMES[name]}</label>'
        for name, _, _ in (one.partition("@") for one in MEASURES)
    )
    settings = "".join(
        f'<div class="own-field"><label for="own-{name}">{words}</label><input '
        f'id="own-{name}" name="{name}" inputmode="{mode}" autocomplete="off" '
        'spellcheck="false"></div>'
        for name, words, mode in (
            ("others", "Other metrics, such as recall@50, coverage@10", "text"),
            ("threshold", "Lowest grade that counts as relevant", "decimal"),
            ("catalog", "Number of items in the catalogue, for coverage and Gini", "numeric"),
        )
    )
    # In letters that no reader of Markdown changes.
    coded = base64.b64encode(json.dumps(sample()).encode()).decode()
    return (
        "<noscript><p>To evaluate files of your own, this page needs JavaScript. Below is what it "
        'shows for a sample.</p></noscript><form class="own-form" hidden>'
        f'<div class="own-files">{files}</div>'
        f'<fieldset class="own-chips"><legend>Metrics</legend>{chips}<label class="own-k">'
        '<span>at K =</span><input name="k" inputmode="numeric" value="10" size="3" '
        'autocomplete="off"></label></fieldset>'
        f"<details><summary>More settings</summary>{settings}</details>"
        '<div class="exercise-buttons"><button type="submit">Evaluate</button>'
        '<button type="button" data-do="sample">Use the sample</button>'
        '<button type="button" data-do="stop" hidden>Stop</button></div></form>'
        '<div class="own-shown" tabindex="-1" role="region" aria-label="Report">'
        f'<div class="own-report">{evaluated_sample()}</div></div>'
        f'<template id="own-sample" data-files="{coded}"></template>'
    )


def place(app: Any, docname: str, source: list[str]) -> None:
    """Put the form where a page has the comment for it."""
    if COMMENT in source[0]:
        source[0] = source[0].replace(COMMENT, form())
