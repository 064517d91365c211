"""The table of the page on conformance: which function of which library computes which reading."""

from __future__ import annotations

import csv
from pathlib import Path


def table(folder: Path) -> str:
    """Return the readings, each with the functions that compute it, in Markdown.

    Parameters
    ----------
    folder : Path
        Holds `readings.csv` and `results.csv`.
    """
    with (folder / "readings.csv").open(encoding="utf-8") as file:
        readings = list(dict.fromkeys(row["reading"] for row in csv.DictReader(file)))
    with (folder / "results.csv").open(encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["library"].lower())
    names: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        libraries = names.setdefault(row["reading"], {})
        libraries.setdefault(row["library"], []).append(f"`{row['name']}`")
    lines = [_row("Reading", "Functions that compute it")]
    for reading in readings:
        if libraries := names.get(reading):
            functions = (f"{library} {', '.join(of)}" for library, of in libraries.items())
            lines.append(_row(f"`{reading}`", "; ".join(functions)))
    seen = dict.fromkeys(f"{row['library']} {row['version']}" for row in rows)
    return "\n".join(
        [
            f"The versions that were run: {', '.join(seen)}.",
            "",
            "```{list-table}",
            ":header-rows: 1",
            ":class: names readings",
            "",
            *lines,
            "```",
        ]
    )


def _row(*cells: str) -> str:
    return "* - " + "\n  - ".join(cells)
