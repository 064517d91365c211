"""Tables on a narrow screen: one of many words stacks its rows, one of numbers scrolls."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
# A phone shows about as many letters side by side, each column with its space.
_ROOM, _GAP = 40, 2
# More letters than a value has are words; of fewer several stand in a line.
_WORDY, _BRIEF = 24, 28
_NUMBER = re.compile(r"[\d\s.,±−–+\-<>=%×/\[\]()]*")
# After these a long name may go on in the next line.
_BREAKS = re.compile(r"(?<=[_.,=(/])(?=\w)")
_LONG = 12


def lay_out(body: str) -> str:
    """Return a page with its tables made ready for a narrow screen.

    A table whose words do not fit side by side gets the class ``stacks``, and its cells the
    headings that they then stand behind (and ``packs``, if several of them fit in a line); one of
    numbers gets the class ``scrolls``, and keeps its
    first column in view. Long names may break after their signs.

    Examples
    --------
    >>> row = "<th>LensKit</th><td>log2_from_2</td><td>the ranks 1 and 2 whole</td><td>0.3</td>"
    >>> head = "<th>Library</th><th>Discount</th><th>Explanation of it</th><th>Normalised</th>"
    >>> page = f"<table><thead><tr>{head}</tr></thead><tbody><tr>{row}</tr></tbody></table>"
    >>> laid_out = lay_out(page)
    >>> laid_out[:28], laid_out.count("data-heading")
    ('<table class="stacks packs">', 3)
    """
    return _TABLE.sub(lambda found: _mark(found[0]), body)


def _mark(table: str) -> str:
    if table.count("<table") > 1 or "<thead" not in table:
        return table
    soup = BeautifulSoup(table, "html.parser")
    top = soup.table
    assert top is not None
    classes = [*top.get_attribute_list("class")]
    heads = [*top.select("thead tr:last-child > *")]
    headings = [*map(_text, heads)]
    rows = [row.find_all(["th", "td"], recursive=False) for row in top.select("tbody > tr")]
    if "conventions" in classes:
        _name_cells(headings, rows)
        return str(soup)
    if {"stacks", "names", "dataframe"} & {*classes}:
        return table
    _break_names(top)
    if more := _classes(heads, rows):
        top["class"] = " ".join([*filter(None, classes), *more])
    if "stacks" in more:
        _name_cells(headings, rows)
    return str(soup)


def _classes(heads: Sequence[Tag], rows: Sequence[Sequence[Tag]]) -> list[str]:
    if any(len(row) != len(heads) for row in rows):
        return ["scrolls"] if len(heads) > 4 else []  # some rows are headings themselves
    columns = [[head, *cells] for head, *cells in zip(heads, *rows, strict=True)]
    if sum(max(map(_unbroken, column)) + _GAP for column in columns) <= _ROOM:
        return []
    texts = [_text(cell) for column in columns[1:] for cell in column[1:]]
    if len(heads) == 2 or not _are_words(texts):
        return ["scrolls"]
    return ["stacks", "packs"] if max(map(len, texts)) <= _BRIEF else ["stacks"]


def _name_cells(headings: Sequence[str], rows: Sequence[Sequence[Tag]]) -> None:
    for row in rows:
        for heading, cell in zip(headings[1:], row[1:], strict=True):
            if heading:
                cell["data-heading"] = heading


def _text(cell: Tag) -> str:
    return cell.get_text(" ", strip=True)


def _unbroken(cell: Tag) -> int:
    """Return the letters of the longest part that stays in one line."""
    parts = re.split(r"\s+|(?<=[-–—_.,=(/])(?=\w)", _text(cell))
    code = [word for one in cell.select("code") for word in one.get_text().split()]
    return max(map(len, [*parts, *code]))


def _are_words(texts: Sequence[str]) -> bool:
    """Whether a table says sentences, or names, rather than numbers."""
    words = [text for text in texts if not _NUMBER.fullmatch(text)]
    return len(words) > len(texts) / 2 or any(len(text) > _WORDY for text in words)


def _break_names(table: Tag) -> None:
    for cell in table.select("td, th"):
        for text in [*cell.find_all(string=True)]:
            if text.find_parent(["code", "a", "svg", "math"]):
                continue
            pieces = [
                piece
                for word in re.split(r"(\s+)", str(text))
                for piece in (_with_breaks(word) if len(word) > _LONG else [word])
            ]
            if len(pieces) > 1 and None in pieces:
                text.replace_with(
                    *(
                        BeautifulSoup("<wbr/>", "html.parser") if p is None else NavigableString(p)
                        for p in pieces
                    )
                )


def _with_breaks(word: str) -> list[str | None]:
    first, *rest = _BREAKS.split(word)
    return [first, *(one for part in rest for one in (None, part))]
