"""References: the page in step with the BibTeX file, and every cited work on it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev" / "tools"))

import build_references  # noqa: E402

ENTRIES = build_references.read(build_references.BIB)
CHAPTERS = sorted((ROOT / "chapters").glob("[0-9]*.md"))


def test_the_page_matches_the_bibtex_file():
    page = build_references.PAGE.read_text(encoding="utf-8")
    assert page == build_references.page(), "run python dev/tools/build_references.py"
    assert page.count("\n- ") == len(ENTRIES) > 80


def test_every_entry_is_complete():
    keys = [entry["key"] for entry in ENTRIES]
    assert len(set(keys)) == len(keys)
    source = build_references.BIB.read_text(encoding="utf-8")
    assert len(re.findall(r"^@", source, re.MULTILINE)) == len(ENTRIES)
    for entry in ENTRIES:
        assert {"title", "year", "keywords", "annote"} <= set(entry), entry["key"]
        assert entry.get("author") or entry.get("editor"), entry["key"]
        assert entry.get("journal") or entry.get("booktitle") or entry.get("publisher")
        assert entry["keywords"] in build_references.SUBJECTS, entry["key"]
        assert re.fullmatch(r"(19|20)\d\d", entry["year"]), entry["key"]
        assert not entry["title"].endswith("."), entry["key"]
        assert entry["key"].endswith(entry["year"]), entry["key"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_works_cited_by_chapters_are_on_the_page(path):
    listed = path.read_text(encoding="utf-8").partition("\n## References")[2]
    missing = []
    for text in re.findall(r"^- (.*)$", listed, re.MULTILINE):
        cited = re.match(r"([^()]*?)\s*\((\d{4})\)", text)
        if cited is None:
            continue
        first = re.split(r",| and ", cited[1])[0].split()[-1].lower()
        if not any(
            entry["year"] == cited[2]
            and first in (entry.get("author") or entry["editor"]).split(" and ")[0].lower()
            for entry in ENTRIES
        ):
            missing.append(text)
    assert missing == []
