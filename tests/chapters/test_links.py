"""Every relative link of the chapters leads to a file, and its anchor to a heading there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
PAGES = sorted(CHAPTERS.glob("*.md"))


def prose(path):
    """Return a page without its code, where brackets are no links."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"^(```+|~~~+).*?^\1|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(path):
    """Return the anchors of a page's headings, as GitHub, JupyterLab and the book make them."""
    # A notebook has the headings of the text it is made from.
    source = path.with_suffix(".md") if path.suffix == ".ipynb" else path
    found, seen = set(), Counter()
    text = re.sub(r"^(```+).*?^\1", "", source.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#{1,6} +(.*?) *$", text, flags=re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def links(path):
    targets = re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", prose(path))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_relative_links_and_anchors_exist(path):
    lost = []
    for target in links(path):
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        if not there.is_file() or (anchor and anchor not in anchors(there)):
            lost.append(target)
    assert lost == []


def test_glossary_terms_are_sorted_and_unique():
    text = (CHAPTERS / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^### (.*)$", text, flags=re.MULTILINE)
    assert len(terms) == len(set(terms)) > 100
    assert terms == sorted(terms, key=str.lower)
    letters = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert letters == sorted({term[0].upper() for term in terms})


def test_glossary_entries_are_short_and_link_to_a_chapter():
    text = (CHAPTERS / "glossary.md").read_text(encoding="utf-8")
    for entry in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        term, _, rest = entry.partition("\n")
        body = rest.split("\n## ")[0].strip().splitlines()
        if body[0].startswith("See "):
            continue
        assert 2 <= len(body) <= 5, term
        assert re.search(r"Chapter \[[^\]]+\]\(\d\d_\w+\.ipynb\)\.$", body[-1]), term
        assert 8 <= len(" ".join(body[:-1]).split()) <= 75, term
