"""Say which reading of each metric a library computes: python run.py ADAPTER.py …

An adapter is described in README.md. It stands on the standard library alone.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TOLERANCE = 1e-6  # some libraries compute in 32 bits
COLUMNS = ("library", "version", "name", "reading", "values", "difference", "empty", "note")
Ask = Callable[[Mapping[str, list[str]], Mapping[str, Mapping[str, int]], int], Mapping[str, float]]
# By cut-off and user; None where nothing is relevant.
Values = Mapping[tuple[int, str], float | None]


@dataclass(frozen=True)
class Cases:
    """Lists and grades by user, and the cut-offs."""

    lists: Mapping[str, list[str]]
    grades: Mapping[str, Mapping[str, int]]
    cuts: tuple[int, ...]

    @classmethod
    def read(cls, folder: Path = HERE) -> Cases:
        """Read them from the file that lies beside this one."""
        data = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
        return cls(data["lists"], data["grades"], tuple(data["cuts"]))


def readings(folder: Path = HERE) -> dict[str, dict[tuple[int, str], float | None]]:
    """Return the value of each reading by cut-off and user."""
    found: dict[str, dict[tuple[int, str], float | None]] = {}
    with (folder / "readings.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            reading, k = row.pop("reading"), int(row.pop("k"))
            row.pop("agreed")
            found.setdefault(reading, {}).update(
                {(k, user): float(value) if value else None for user, value in row.items()}
            )
    return found


def answers(ask: Ask, cases: Cases) -> dict[tuple[int, str], float | None]:
    """Ask for every user at every cut-off; None for whom there is no number."""
    found = {}
    for k in cases.cuts:
        theirs = ask(cases.lists, cases.grades, k)
        for user in cases.lists:
            value = float(theirs.get(user, math.nan))
            found[k, user] = None if math.isnan(value) else value
    return found


@dataclass(frozen=True)
class Match:
    """How far a function is from a reading.

    Attributes
    ----------
    reading : str
    wrong : int
        How many values differ by more than the tolerance, of users with something relevant.
    difference : float
        The largest difference of these users' values.
    values : int
        How many were compared.
    empty : str
        What the function says of a user with nothing relevant: "nan" (or nothing), "zero", "one",
        "mixed" or a number.
    where : tuple of int and str
        Cut-off and user of the first value that differs; None where none does.
    """

    reading: str
    wrong: int
    difference: float
    values: int
    empty: str
    where: tuple[int, str] | None = None

    @property
    def agrees(self) -> bool:
        """Whether no value differs, and there were some."""
        return self.wrong == 0 and self.values > 0


def compare(reading: str, expected: Values, given: Values) -> Match:
    """Hold a function's answers to a reading."""
    apart, empty = {}, set()
    for place, value in expected.items():
        answer = given[place]
        if value is None:
            empty.add(answer)
        elif answer is None:
            apart[place] = math.inf
        else:
            apart[place] = abs(answer - value)
    wrong = [place for place, gap in apart.items() if gap > TOLERANCE]
    return Match(
        reading,
        len(wrong),
        max(apart.values(), default=0.0),
        len(apart),
        _word(empty),
        wrong[0] if wrong else None,
    )


def _word(answers: set[float | None]) -> str:
    if len(answers) != 1:
        return "mixed"
    (only,) = answers
    return {None: "nan", 0.0: "zero", 1.0: "one"}.get(only, str(only))


def nearest(given: Values, known: Mapping[str, Values]) -> Match:
    """Return the reading with the fewest values that differ."""
    matches = (compare(reading, expected, given) for reading, expected in known.items())
    return min(matches, key=lambda match: (match.wrong, match.difference))


def examine(adapter: Any, cases: Cases, known: Mapping[str, Values]) -> Iterator[dict[str, Any]]:
    """Yield a row of the table for each function of a library."""
    claims = getattr(adapter, "CLAIMS", {})
    for name in set(claims) - set(adapter.MEASURES):
        raise SystemExit(f"{adapter.LIBRARY}: CLAIMS names {name!r}, which MEASURES does not have")
    for name, ask in adapter.MEASURES.items():
        row: dict[str, Any] = dict.fromkeys(COLUMNS, "")
        row |= {"library": adapter.LIBRARY, "version": adapter.VERSION, "name": name}
        given = answers(ask, cases)
        claimed = claims.get(name)
        if claimed is not None and claimed not in known:
            raise SystemExit(f"{adapter.LIBRARY}: no reading is called {claimed!r}")
        match = nearest(given, known)
        row |= {"values": match.values, "difference": f"{match.difference:.0e}"}
        row |= {"empty": match.empty, "reading": match.reading if match.agrees else ""}
        if not match.agrees:
            k, user = match.where or (0, "")
            expected = known[match.reading][k, user]
            row["note"] = (
                f"nearest is {match.reading}, from which {match.wrong} of {match.values} values "
                f"differ: at {k}, user {user!r}, it gives {given[k, user]} and not {expected}"
            )
        elif claimed is not None and claimed != match.reading:
            row["note"] = f"claimed to be {claimed}"
        yield row


def load(path: Path) -> Any:
    """Import an adapter from its file."""
    spec = importlib.util.spec_from_file_location(f"adapter_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write the table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> int:
    """Examine the libraries, print what each function computes, and return whether any is off."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("adapters", nargs="+", type=Path, metavar="ADAPTER.py")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="where to write the table")
    options = parser.parse_args()
    cases, known, rows = Cases.read(), readings(), []
    for path in options.adapters:
        rows += examine(load(path), cases, known)
    for row in rows:
        says = row["reading"] or "no reading"
        print(f"{row['library']} {row['name']}: {says}{'; ' if row['note'] else ''}{row['note']}")
    if options.out:
        write(rows, options.out)
    return int(any(row["note"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
