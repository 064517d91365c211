"""Tables and counts of the ledger, as its pages show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_args

from recsys_metrics.workbook.common.tables import Table, format_value, table
from recsys_metrics.workbook.source_checks.entry import DOCUMENTS, ENTRIES, Entry, Status, agrees
from recsys_metrics.workbook.source_checks.registry import recompute

# What a status says of an entry, as a column of the page and as a part of the sentence.
NAMES: Mapping[Status, str] = MappingProxyType(
    {
        "match": "as printed",
        "convention": "by convention",
        "unprinted": "not printed",
        "erratum": "corrected",
    }
)
_MARKS: Mapping[Status, str] = MappingProxyType(
    {"match": "✓", "convention": "≈", "unprinted": "○", "erratum": "✗"}
)
_ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th")


def count_entries(document: str | None = None) -> dict[Status, int]:
    """Return how many entries have each status, in all documents or in one.

    Examples
    --------
    >>> from recsys_metrics.workbook.source_checks import count_entries
    >>> count_entries()
    {'match': 86, 'convention': 32, 'unprinted': 21, 'erratum': 59}
    """
    found = Counter(e.status for e in ENTRIES.values() if document in (None, e.document))
    return {status: found[status] for status in get_args(Status)}


def summarize_counts() -> str:
    """Return the ledger in one sentence, for the front page.

    Examples
    --------
    >>> from recsys_metrics.workbook.source_checks import summarize_counts
    >>> summarize_counts()[:54]
    'Of 198 numbers and claims in the five documents, 86 ar'
    """
    n = count_entries()
    return (
        f"Of {len(ENTRIES)} numbers and claims in the five documents, {n['match']} are as printed, "
        f"{n['convention']} depend on a convention the document leaves open, "
        f"{n['unprinted']} are requested or implied and not printed, "
        f"{n['erratum']} are corrected."
    )


def count_by_status() -> Table:
    """Return a table of the counts, a row per document."""
    rows: list[tuple[Any, ...]] = [
        (name, *count_entries(document).values(), sum(count_entries(document).values()))
        for document, name in DOCUMENTS.items()
    ]
    rows.append(("all five", *count_entries().values(), len(ENTRIES)))
    return table(["Document", *(name.capitalize() for name in NAMES.values()), "All"], rows)


def compare_printed_values(*ids: str) -> Table:
    """Return a table of what is printed and what is right, a row per number that differs.

    Parameters
    ----------
    *ids : str
        Of the entries.

    Examples
    --------
    >>> from recsys_metrics.workbook.source_checks import compare_printed_values
    >>> compare_printed_values("blog-mae", "blog-dcg-rows")
                                  Printed  Recomputed
    MAE of Alice's five ratings      0.56        0.58
    the six contributions to DCG    2.156       2.153
    """
    rows: list[tuple[str, str, str]] = []
    for name in ids:
        entry = ENTRIES[name]
        found = recompute(entry)
        differing = [
            row
            for quantity in entry.differs
            for row in _differences(quantity, entry.printed[quantity], found[quantity])
        ]
        rows += [
            # Where one number differs, what it is says enough.
            (entry.about if len(differing) == 1 else f"{entry.about}: {label}", printed, right)
            for label, printed, right in differing
        ]
    return table(["", "Printed", "Recomputed"], rows)


def list_entries(document: str) -> Table:
    """Return a table of all entries of a document, each recomputed.

    Examples
    --------
    >>> from recsys_metrics.workbook.source_checks import list_entries
    >>> len(list_entries("004").rows)
    9
    """
    return Table(
        ["Where", "What", "Printed", "Recomputed", "Status"],
        [_row(entry) for entry in ENTRIES.values() if entry.document == document],
        stacks=True,
    )


def _row(entry: Entry) -> tuple[str, str, str, str, str]:
    found = recompute(entry)
    quantities = list(entry.printed) or list(entry.values)[:3]
    # Where one number stands, what it is says enough; several carry their names.
    names = {q: f"{_label(q)} " if len(quantities) > 1 else "" for q in quantities}
    printed = "; ".join(f"{names[q]}{_text(text)}" for q, text in entry.printed.items())
    right = "; ".join(
        f"{names[q]}{_at_digits_of(entry.printed.get(q), found[q])}" for q in quantities
    )
    status = f"{_MARKS[entry.status]}\N{NO-BREAK SPACE}{NAMES[entry.status]}"
    return entry.section, entry.about, printed or "–", right, status


def _differences(quantity: str, printed: Any, value: Any) -> list[tuple[str, str, str]]:
    if not isinstance(printed, list):
        return [(_label(quantity), _text(printed), _at_digits_of(printed, value))]
    return [
        (f"{_label(quantity)}, {place}", _text(one), _at_digits_of(one, right))
        for place, one, right in zip(_ORDINALS, printed, value, strict=False)
        if not agrees(one, right)
    ]


def _label(quantity: str) -> str:
    return quantity.replace("_", " ")


def _text(value: Any) -> str:
    """Return a printed text or a value as a cell of a table has it."""
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else format_value(value)


def _at_digits_of(printed: Any, value: Any) -> str:
    """Return a value with as many digits as were printed, or three."""
    if isinstance(printed, list) and isinstance(value, list) and len(printed) == len(value):
        return ", ".join(map(_at_digits_of, printed, value))
    if isinstance(printed, str) and isinstance(value, int | float) and not isinstance(value, bool):
        # An exact tie has two roundings; where the printed one is right, it stays.
        if agrees(printed, value):
            return printed.lstrip("+~")
        digits = len(printed.partition(".")[2])
        shows_all = agrees(value, round(value, digits))
        return f"{value:.{digits if shows_all else max(digits, 3)}f}"
    return _text(value)
