"""The errata page: every corrected number once, under its document, none besides."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from recsys_metrics.workbook.source_checks import DOCUMENTS, ENTRIES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "chapters" / "errata.md").read_text(encoding="utf-8")


def sections():
    """Return the text under each heading that names a document."""
    parts = re.split(r"^## (.*)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def shown(text):
    calls = re.findall(r"compare_printed_values\(([^)]*)\)", text)
    return [name for call in calls for name in re.findall(r'"([^"]+)"', call)]


def test_every_erratum_is_listed_once_under_its_document():
    found = sections()
    for key, name in DOCUMENTS.items():
        errata = {e.id for e in ENTRIES.values() if e.status == "erratum" and e.document == key}
        listed = shown(found[name[0].upper() + name[1:]])
        assert Counter(listed) == Counter(errata), name


def test_every_erratum_has_a_proof_in_a_cell():
    for part in re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]:
        cells = re.findall(r"```\{code-cell\}.*?\n(.*?)```", part, flags=re.DOTALL)
        if any("compare_printed_values" in cell for cell in cells):
            assert any("compare_printed_values" not in cell for cell in cells), part.splitlines()[0]


def test_every_document_has_a_full_table():
    assert re.findall(r'list_entries\("(\d+)"\)', PAGE) == list(DOCUMENTS)


def test_no_document_is_quoted_at_length():
    words = re.findall(r'"([^"\n]{60,})"', PAGE)
    assert words == []


def test_the_front_page_shows_the_count_and_links_to_the_page():
    front = (ROOT / "chapters" / "index.md").read_text(encoding="utf-8")
    assert "<!-- ledger -->" in front
    # A link to a page that the book does not have yet would stop its build.
    if "chapters/errata" in (ROOT / "_toc.yml").read_text(encoding="utf-8"):
        assert "](errata.ipynb)" in front
