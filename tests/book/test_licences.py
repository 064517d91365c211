"""What others published and the site holds is listed there, with the texts of its licences."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="sphinx is not installed")
ROOT = Path(__file__).resolve().parents[2]
PAGE = "chapters/licences.html"


@pytest.fixture
def licences(monkeypatch):
    """The part of the book that lists them."""
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    monkeypatch.delitem(sys.modules, "licences", raising=False)
    import licences

    return licences


def test_each_licence_text_has_copyright_and_terms(licences):
    for part in licences.PARTS:
        text = part.text()
        assert re.search(r"copyright", text, re.IGNORECASE), part.name
        for licence, words in (
            ("MIT", "without restriction"),
            ("BSD", "Redistributions in binary form"),
            ("OFL", "SIL OPEN FONT LICENSE Version 1.1"),
        ):
            assert (licence in part.licence) <= (words in " ".join(text.split())), part.name


def test_a_file_without_a_licence_entry_is_reported(licences, tmp_path):
    (tmp_path / "scripts").mkdir()
    for name in ("book.js", "scripts/bootstrap.js", "scripts/another.min.css", "jquery.js"):
        (tmp_path / name).touch()
    assert list(licences.unnamed(tmp_path)) == ["jquery.js", "scripts/another.min.css"]


def test_the_page_lists_exactly_the_third_party_files_of_the_site(licences, book):
    page = (book.folder / PAGE).read_text(encoding="utf-8")
    static = book.folder / "_static"
    names = [path.relative_to(static).as_posix() for path in static.rglob("*") if path.is_file()]
    for part in licences.PARTS:
        assert any(re.fullmatch(part.files, name) for name in names), part.name
        assert f'href="../{licences.PLACE}/{part.page}"' in page
        assert (static / "licences" / part.page).read_text(encoding="utf-8") == part.text()
    for name, text in licences.of_ours().items():
        assert f'href="../{licences.PLACE}/{name}"' in page
        assert (static / "licences" / name).read_text(encoding="utf-8") == text


def test_with_a_bundled_runtime_its_licences_are_listed(licences, monkeypatch):
    names = {part.name for part in licences.RUNTIME}
    assert len(names) == len(licences.RUNTIME) == 5
    assert {"Pyodide", "CPython", "NumPy"} < names
    assert names.isdisjoint(part.name for part in licences.parts())
    monkeypatch.setenv("PYODIDE", "build/wasm/runtime")
    assert names <= {part.name for part in licences.parts()}
    assert "| Pyodide |" in licences.table()
    for part in licences.RUNTIME:
        assert re.search(r"copyright", part.text(), re.IGNORECASE), part.name
    monkeypatch.setenv("PYODIDE", "https://example.org/")
    assert names.isdisjoint(part.name for part in licences.parts())


@pytest.mark.parametrize(
    ("lite", "address"),
    [
        ("lite/", "../lite/licences.txt"),
        ("https://example.org/lite/", "https://example.org/lite/licences.txt"),
    ],
)
def test_with_jupyterlite_its_licences_are_linked(licences, lite, address):
    assert f'href="{address}"' in licences.of_lite(lite)
    assert licences.of_lite("") == ""
