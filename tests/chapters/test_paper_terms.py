"""The short path teaches the evaluation terms of papers: `paper_terms.csv` names the sentences.

A row is a term, the papers of `dev/paper_terms.md` whose experimental section uses it, and the part
and the sentence that teach it. A term without a sentence is not taught.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "book"), str(ROOT / "dev" / "tools")]

from front import SHORT_PATH  # noqa: E402

with (HERE / "paper_terms.csv").open(encoding="utf-8", newline="") as lines:
    ROWS = list(csv.DictReader(lines))
TAUGHT = [row for row in ROWS if row["sentence"]]
with (HERE / "drawn_papers.csv").open(encoding="utf-8", newline="") as lines:
    TAUGHT += [row for row in csv.DictReader(lines) if row["verdict"] == "taught"]
*_, TABLE = (ROOT / "dev" / "paper_terms.md").read_text("utf-8").partition("| title |")
PAPERS = re.findall(r"^\| (\S+) \|", TABLE, flags=re.MULTILINE)[1:]

CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def plain(text: str) -> str:
    """Return a text without code cells, links, emphasis and line breaks."""
    return " ".join(LINK.sub(r"\1", CODE.sub("", text)).replace("*", "").split())


def shares(rows: list[dict[str, str]]) -> dict[str, float]:
    """Return the share of the terms of each paper that are taught."""
    found = {}
    for paper in sorted({paper for row in rows for paper in row["papers"].split()}):
        terms = [row for row in rows if paper in row["papers"].split()]
        found[paper] = sum(bool(row["sentence"]) for row in terms) / len(terms)
    return found


@pytest.mark.parametrize("row", TAUGHT, ids=lambda row: row["term"])
def test_the_sentence_that_teaches_a_term_is_in_its_part(row):
    assert row["part"] in SHORT_PATH
    text = plain((ROOT / "chapters" / f"{row['part']}.md").read_text(encoding="utf-8"))
    assert plain(row["sentence"]) in text


def test_nine_tenths_of_the_terms_of_each_paper_are_taught():
    found = shares(ROWS)
    assert set(found) == set(PAPERS)
    assert min(found.values()) >= 0.9


def test_each_term_has_one_row():
    terms = [row["term"] for row in ROWS]
    assert terms == sorted(set(terms), key=str.lower)


def test_a_term_without_a_sentence_lowers_the_share_of_its_papers():
    rows = [
        {"term": "hit rate", "papers": "A B", "sentence": "The hit rate is …"},
        {"term": "SNIPS", "papers": "B", "sentence": ""},
    ]
    assert shares(rows) == {"A": 1, "B": 0.5}
