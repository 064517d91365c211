"""The page on architecture shows the rules and the code as they are."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def architecture(monkeypatch):
    """The part of the book that draws the layers."""
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    monkeypatch.delitem(sys.modules, "architecture", raising=False)
    import architecture

    return architecture


@pytest.mark.parametrize("package", ["recsys_metrics", "recsys_metrics.workbook"])
def test_every_module_has_one_box_inside_the_picture(architecture, package):
    svg = architecture.picture(package).svg
    modules = {
        path.stem
        for path in (ROOT / package.replace(".", "/")).iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.stem != "__init__"
    }
    assert sorted(re.findall(r">([a-z_]+)</text>", svg)) == sorted(modules)
    boxes = {
        tuple(map(float, found))
        for found in re.findall(
            r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"[^>]*stroke=', svg
        )
    }
    assert len(boxes) == len(modules)
    assert max(x + wide for x, _, wide in boxes) <= architecture.WIDTH
    for x, y, wide in boxes:
        beside = {other for other in boxes if other[1] == y and other[0] > x}
        assert all(other[0] > x + wide for other in beside)


def test_imported_modules_are_drawn_below_their_importers(architecture):
    rank = {name: at for at, layer in enumerate(architecture.layers()) for name in layer}
    for name in rank:
        assert all(rank[other] > rank[name] for other in architecture.taken(name)), name
    assert architecture.taken("rating") == []
    assert architecture.taken("datasets") == ["interactions"]
    assert {"measures", "ranking", "protocol"} <= set(architecture.taken("evaluation"))


def test_the_table_has_a_row_for_each_public_module(architecture):
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", architecture.table(), flags=re.MULTILINE)
    public = [name for layer in architecture.layers() for name in layer if name[0] != "_"]
    assert [name for name, _ in rows] == public
    assert dict(rows)["ranking"] == "Ranking metrics: judge lists once, then compute any metric."


def test_the_page_shows_the_picture_and_describes_it(book):
    page = (book.folder / "chapters" / "architecture.html").read_text(encoding="utf-8")
    assert page.count('<svg role="img" aria-label="A module of recsys_metrics imports') == 1
    assert "<li><p>No subject imports another.</p></li>" in page
    assert "<!--" not in re.search(r"<article.*?</article>", page, re.DOTALL)[0]
