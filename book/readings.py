"""The table of the page on conformance: which function of which library computes which reading."""

from __future__ import annotations

import csv
from pathlib import Path


def table(folder: Path) -> str:
    """Return readings by libraries, in Markdown.

    Parameters
    ----------
    folder : Path
        Holds `readings.csv` and `results.csv`.
    """
    with (folder / "readings.csv").open(encoding="utf-8") as file:
        readings = list(dict.fromkeys(row["reading"] for row in csv.DictReader(file)))
    with (folder / "results.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    libraries = sorted({(row["library"], row["version"]) for row in rows}, key=str)
    names: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        names.setdefault((row["reading"], row["library"]), []).append(f"`{row['name']}`")
    head = ["reading", *(f"{library} {version}" for library, version in libraries)]
    lines = [head, ["---"] * len(head)]
    for reading in readings:
        cells = [", ".join(names.get((reading, library), ["–"])) for library, _ in libraries]
        if set(cells) != {"–"}:
            lines.append([f"`{reading}`", *cells])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
