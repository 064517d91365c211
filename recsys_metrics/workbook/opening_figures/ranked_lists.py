"""The pictures that the parts of the first four subjects open with; see `openings`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from recsys_metrics.ranking import judge
from recsys_metrics.workbook.charts import catalogue, ranking, rating, samples
from recsys_metrics.workbook.charts.board import LETTERS, WIDE
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.experiments.movielens import movielens_experiment


def _below_each_other(first: Picture, second: Picture, alt: str) -> Picture:
    tall, more = (
        float(re.findall(r'viewBox="0 0 [\d.]+ ([\d.]+)"', picture.svg)[0])
        for picture in (first, second)
    )
    lower = second.svg.replace("<svg ", f'<svg y="{tall + 16:g}" ', 1)
    return svg.sheet(WIDE, round(tall + 16 + more), [first.svg, lower], alt, letters=LETTERS)


def _close_on_each() -> Picture:
    return rating.rating_errors(
        [5, 4, 5, 3, 4],
        [4.8, 4.1, 4.9, 3.2, 4.0],
        names=["Brief Encounter", "Gilda", "Ikiru", "High Noon", "East of Eden"],
        title="What Alice gave, and what a model had said",
        alt="Five films that Alice rated, and what a model had predicted. Each prediction lies "
        "within two tenths of a star.",
    )


def _steady_or_exact() -> Picture:
    alt = (
        "Two models of four films each. One is a star too high every time; the other is exact "
        "three times and four stars too high once."
    )
    steady = rating.rating_errors(
        [3, 3, 3, 3], [4, 4, 4, 4], title="Off by one star, four times", alt=alt
    )
    exact = rating.rating_errors(
        [3, 3, 3, 1], [3, 3, 3, 5], title="Exact three times, off by four once", alt=alt
    )
    return _below_each_other(steady, exact, alt)


def _one_number() -> Picture:
    return rating.rating_errors(
        [5, 5, 4, 4, 1],
        [3] * 5,
        title="One number for five films: which would be best?",
        alt="Five films with five, five, four, four and one star. A guess of three for each is too "
        "low for four of them and too high for one.",
    )


def _worst_five() -> Picture:
    data = movielens_experiment()
    train, known, hidden = data.train, data.known, data.hidden
    given, known_stars, stars = (np.asarray(of.rating) for of in (train, known, hidden))
    overall = given.mean()
    count = np.bincount(train.item, minlength=train.n_items)
    film = overall + np.bincount(train.item, given - overall, train.n_items) / (count + 5)
    left = known_stars - film[known.item]
    rated = np.bincount(known.user, minlength=known.n_users)
    habit = np.bincount(known.user, left, known.n_users) / (rated + 5)
    guesses = film[hidden.item] + habit[hidden.user]
    worst = np.argsort(-np.abs(guesses - stars), kind="stable")[:5]
    return rating.rating_errors(
        stars[worst],
        guesses[worst],
        names=[data.films.titles[item] for item in hidden.item[worst]],
        title="Five predictions of the best of three models",
        alt="Five films to which somebody gave half a star, each predicted above four: the worst "
        "of all predictions.",
    )


def _turned_round() -> Picture:
    return ranking.user_lists(
        {"a list of six": [0, 0, 1, 0, 1, 0], "the same films, turned round": [0, 1, 0, 1, 0, 0]},
        title="Which number sees the difference?",
        alt="A list of six with hits at ranks 3 and 5, and the same list from end to end, with "
        "hits at ranks 2 and 4.",
    )


def _one_hit_more() -> Picture:
    return ranking.user_lists(
        {"one list": [1, 0, 0, 0, 0], "another list": [1, 0, 0, 0, 1]},
        title="All that the first one has, and a hit more",
        alt="Two lists of five. The first has one hit, at rank 1; the second has that hit and "
        "another one at rank 5.",
    )


def _top_and_bottom() -> Picture:
    return ranking.user_lists(
        {"one page": [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]},
        title="Two hits. Are they worth the same?",
        alt="A page of ten with a hit at rank 1 and another one at rank 10.",
    )


def _two_curves() -> Picture:
    return ranking.score_threshold(
        [1, 1, 0, 1, 0, 0, 0, 0],
        above=4,
        times=10,
        title="One list, one bar, two curves: good, or not?",
        alt="Three relevant items among fifty others, by score. The ROC curve on the left runs "
        "near its best corner; precision on the right falls below a quarter.",
    )


def _another_person() -> Picture:
    data = movielens_experiment()
    lists = data.lists()
    hits = {name: judge(recommended, data.truth).gains > 0 for name, recommended in lists.items()}
    lead = hits["EASE"].sum(axis=1) - hits["popularity"].sum(axis=1)
    who = int(lead.argmax())
    return ranking.user_lists(
        {name: of[who] for name, of in hits.items()},
        title="Four recommenders, ten films each, one person",
        alt="Four rows of ten slots for the person for whom EASE is furthest ahead of popularity, "
        "with the hits of each recommender filled.",
    )


def _equal_hits() -> Picture:
    wanted = {"Bob": {*"ABF"}, "Alice": {*"ABG"}}
    lists = {
        "Bob, by the first": ("Bob", "ABC"),
        "Alice, by the first": ("Alice", "ABC"),
        "Bob, by the second": ("Bob", "AFC"),
        "Alice, by the second": ("Alice", "BGD"),
    }
    return ranking.user_lists(
        {name: judge([*films], wanted[user]).gains for name, (user, films) in lists.items()},
        title="As many hits, at the same ranks, by both recommenders",
        alt="Lists of three for two people by two recommenders. In each the first two are hits and "
        "the third is not.",
    )


def _by_lot() -> Picture:
    rng = np.random.default_rng(3)
    items = [*"ABCDEFGHIJKL"]
    drawn = [[items[n] for n in rng.choice(len(items), 4, replace=False)] for _ in range(2)]
    return catalogue.catalog_coverage(
        {"two people, four films each, by lot": drawn},
        items,
        title="How many films do two such lists share?",
        alt="A shelf of twelve films and two lists of four, drawn by lot. A film that both lists "
        "show carries two boxes.",
    )


def _two_favourites() -> Picture:
    data = movielens_experiment()
    liked = np.bincount(data.past.item, minlength=data.train.n_items)
    shown = data.lists()["popularity"]
    films = {name: data.films.titles.index(name) for name in ("Forrest Gump", "Fargo")}
    return samples.paired_bars(
        {name: int(liked[n]) for name, n in films.items()},
        {name: int((shown == n).sum()) for name, n in films.items()},
        labels=("people who liked it", "lists of popularity"),
        title="Liked by more people, and shown less. Why?",
        alt="Two films. More people liked Forrest Gump than Fargo, and popularity shows Fargo in "
        "many more lists.",
    )


OPENINGS_OF_LISTS: Final[dict[str, Callable[[], Picture]]] = {
    "00_three_questions": _close_on_each,
    "01_rating": _steady_or_exact,
    "01_rating_guess": _one_number,
    "01_rating_movielens": _worst_five,
    "02_ranking": _turned_round,
    "02_ranking_averages": _one_hit_more,
    "02_ranking_gains": _top_and_bottom,
    "02_ranking_pairs": _two_curves,
    "02_ranking_movielens": _another_person,
    "03_beyond_accuracy": _equal_hits,
    "03_beyond_accuracy_variety": _by_lot,
    "03_beyond_accuracy_movielens": _two_favourites,
}
