"""Write tests/measure_texts.csv: every text of a measure, with its mean on three small lists.

A text stands there for each measure and alias, and for each value of each convention. A change of
a value or of a text is then seen in the diff of a change that was not meant to make one.

    python dev/tools/build_measure_texts.py            write the file
    python dev/tools/build_measure_texts.py --check    only say whether it is in step
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, get_args, get_origin

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import recsys_metrics as rm  # noqa: E402
from recsys_metrics.measures import ALIASES, METRICS, Metric, measure  # noqa: E402

FILE = ROOT / "tests" / "measure_texts.csv"
RECOMMENDED = {
    "ann": ["A", "B", "C", "D", "E"],
    "bob": ["F", "A", "C", "G", "B"],
    "cleo": ["C", "E", "H"],
    "dan": ["B", "D", "A"],
}
RELEVANT = {
    "ann": {"B": 1, "C": 3, "E": 2, "G": 2},
    "bob": {"A": 2, "H": 1},
    "cleo": {"E": 3, "D": 0},
}
# Nobody met G, which stands in one list, fourth.
HISTORY = {"ann": ["H", "A", "F"], "bob": ["A", "D", "E"], "cleo": ["B", "A"], "dan": ["A", "C"]}
GENRES = ({"a"}, {"a", "b"}, {"b"}, {"c"}, {"a", "c"}, {"c"}, {"b"}, {"a"})
FEATURES = dict(zip("ABCDEFGH", GENRES, strict=True))
# For a convention that is a number: another value than its default, to see that it is read.
NUMBERS = {
    "alpha": "0.25",
    "at_least": "2",
    "base": "3",
    "beta": "2",
    "head": "0.3",
    "max_grade": "4",
    "p": "0.7",
    "patience": "0.7",
    "recall": "0.5",
}

# What the cut at three items does not show.
UNCUT = (
    "coverage",
    "ndcg",
    "ndcg(gain=binary, ideal=full)@3",
    "precision",
    "recall@10",
    "self_information(unseen=drop)",
    "self_information(unseen=one)",
    "self_information(unseen=raise)",
)
REFUSED = "refused"


def means(texts: Iterable[str]) -> dict[str, float | str]:
    """Return what each text gives, read as `evaluate` reads it; a text may ask for an error."""

    def mean(text: str) -> float | str:
        try:
            report = rm.evaluate(
                RECOMMENDED,
                RELEVANT,
                [text],
                history=HISTORY,
                features=FEATURES,
                catalog=list("ABCDEFGH"),
                baseline=["A", "B", "C"],
            )
        except ValueError:
            measure(text)  # what cannot be read at all is no answer
            return REFUSED
        return report[text].value

    return {text: mean(text) for text in texts}


def saved() -> dict[str, float | str]:
    """Return the texts and means of the file."""
    with FILE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {row["text"]: REFUSED if row["mean"] == REFUSED else float(row["mean"]) for row in rows}


def number(metric: Metric, convention: str) -> str:
    """Return a value of a convention that is a number: one of `NUMBERS`, or its default."""
    return NUMBERS.get(convention) or str(metric.defaults[convention])


def values(metric: Metric, convention: str) -> list[str]:
    """Return the words of a convention, or a number where it takes one."""
    annotation = metric._annotations[convention]
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return ["true", "false"] if annotation is bool else [number(metric, convention)]


def text_of(name: str, conventions: dict[str, str]) -> str:
    """Return a measure with conventions as a text."""
    inside = ", ".join(f"{convention}={word}" for convention, word in sorted(conventions.items()))
    return f"{name}({inside})@3" if inside else f"{name}@3"


def texts() -> list[str]:
    """Return a text for each name, and for each word of each convention, of today."""
    all_of_them = []
    for name, metric in METRICS.items():
        must = {c: number(metric, c) for c in metric.conventions if c not in metric.defaults}
        words = [{c: word} for c in metric.conventions for word in values(metric, c)]
        all_of_them += [text_of(name, must | one) for one in ({}, *words)]
        aliases = [alias for alias, meant in ALIASES.items() if meant == name]
        all_of_them += [text_of(alias, must) for alias in aliases]
    return [*dict.fromkeys(all_of_them), *UNCUT]


def changes() -> dict[str, tuple[float | str | None, float | str | None]]:
    """Return the texts whose mean on file is not that of today, with both; None where it is new."""
    before, now = saved(), means(texts())

    def same(text: str) -> bool:
        old, new = before.get(text), now.get(text)
        if isinstance(old, float) and isinstance(new, float):
            return math.isclose(old, new, rel_tol=1e-12, abs_tol=1e-12)
        return old == new

    return {t: (before.get(t), now.get(t)) for t in {**before, **now} if not same(t)}


def main() -> int:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    if parser.parse_args().check:
        for text, (before, now) in (found := changes()).items():
            print(f"{text}: {before} on file, {now} now")
        return bool(found)
    with FILE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
        writer.writerow(("text", "mean"))
        writer.writerows(means(texts()).items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
