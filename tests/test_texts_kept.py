"""A measure's text is a key in other people's databases: what it meant, it means.

`tests/measure_texts.csv` holds every text that an edition could read, with the mean that it gave
on the lists below. A line is never changed and never taken away; a new convention adds its lines,
which the last test prints.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

import recsys_metrics as rm
from recsys_metrics.measures import ALIASES, METRICS, Metric, measure

FILE = Path(__file__).with_name("measure_texts.csv")
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
# For a convention that is a number and has no default, or to see that it is read.
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


def kept() -> dict[str, float | str]:
    with FILE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len({row["text"] for row in rows}) == len(rows)
    return {row["text"]: REFUSED if row["mean"] == REFUSED else float(row["mean"]) for row in rows}


def values(metric: Metric, convention: str) -> list[str]:
    """Return the words of a convention, or a number where it takes one."""
    annotation = metric._annotations[convention]
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return ["true", "false"] if annotation is bool else [NUMBERS[convention]]


def written(name: str, conventions: dict[str, str]) -> str:
    inside = ", ".join(f"{convention}={word}" for convention, word in sorted(conventions.items()))
    return f"{name}({inside})@3" if inside else f"{name}@3"


def texts() -> list[str]:
    """Return a text for each name, and for each word of each convention, of today."""
    all_of_them = []
    for name, metric in METRICS.items():
        must = {c: NUMBERS[c] for c in metric.conventions if c not in metric.defaults}
        words = [{c: word} for c in metric.conventions for word in values(metric, c)]
        all_of_them += [written(name, must | one) for one in ({}, *words)]
        aliases = [alias for alias, meant in ALIASES.items() if meant == name]
        all_of_them += [written(alias, must) for alias in aliases]
    return [*dict.fromkeys(all_of_them), *UNCUT]


def test_a_text_of_an_earlier_edition_means_what_it_meant():
    before = kept()
    assert len(before) >= 200
    now = means(before)
    for text, mean in before.items():
        wanted = mean if mean == REFUSED else pytest.approx(mean, rel=1e-12, abs=1e-12)
        assert now[text] == wanted, text


def test_the_text_that_a_measure_shows_is_one_that_can_be_read_again():
    for text in kept():
        assert measure(str(measure(text))) == measure(text)


@pytest.mark.parametrize(
    ("text", "by_hand"),
    [
        # Of three items: ann's B and C of 4, bob's A of 2, cleo's E of 1; dan has nothing relevant.
        ("recall@3", (2 / 4 + 1 / 2 + 1) / 3),
        ("recall(no_relevant=zero)@3", (2 / 4 + 1 / 2 + 1 + 0) / 4),
        ("recall(no_relevant=raise)@3", REFUSED),
        # A, B, C, D, E, F and H of eight.
        ("coverage@3", 7 / 8),
    ],
)
def test_the_lists_give_what_one_computes_by_hand(text, by_hand):
    assert means([text])[text] == (by_hand if by_hand == REFUSED else pytest.approx(by_hand))


def test_every_convention_of_today_is_kept_for_tomorrow():
    before = kept()
    new = means(text for text in texts() if text not in before)
    lines = [f'"{text}",{mean}' for text, mean in new.items()]
    assert lines == [], "add these lines to tests/measure_texts.csv:\n" + "\n".join(lines)


def test_only_what_asks_for_an_error_is_refused():
    refused = {text for text, mean in kept().items() if mean == REFUSED}
    # An ideal of k items of gain 1 is none of a graded list.
    assert {text for text in refused if "=raise" not in text} == {"ndcg(ideal=full)@3"}
