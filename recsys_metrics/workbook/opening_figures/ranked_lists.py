"""The pictures that the parts of the first four subjects open with; see `openings`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from recsys_metrics.ranking import judge, ndcg, rank_from_scores
from recsys_metrics.workbook.charts import catalogue, general, ranking, rating, samples
from recsys_metrics.workbook.charts.board import LETTERS, WIDE
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.experiments.movielens import movielens_experiment
from recsys_metrics.workbook.experiments.shop import shop_experiment


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
        title="Alice's ratings and a model's predictions",
        alt="Five films that Alice rated, with the predictions of a model. Each prediction is "
        "within 0.2 stars of the rating.",
    )


def _steady_or_exact() -> Picture:
    alt = (
        "Two models, each with predictions for four films. One is 1 star too high every time; "
        "the other is exact three times and 4 stars too high once."
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
        title="One number for five films: which is best?",
        alt="Five films with ratings of 5, 5, 4, 4 and 1 star. A constant guess of 3 is too low "
        "for four of them and too high for one.",
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
        alt="Five films with a rating of half a star, each predicted above 4: the largest errors "
        "of all predictions.",
    )


def _turned_round() -> Picture:
    return ranking.user_lists(
        {"a list of six": [0, 0, 1, 0, 1, 0], "the same films, reversed": [0, 1, 0, 1, 0, 0]},
        title="Which metric depends on the order?",
        alt="A list of six with hits at ranks 3 and 5, and the same list in reverse order, with "
        "hits at ranks 2 and 4.",
    )


def _one_hit_more() -> Picture:
    return ranking.user_lists(
        {"one list": [1, 0, 0, 0, 0], "another list": [1, 0, 0, 0, 1]},
        title="The second list has the same hit and one more",
        alt="Two lists of five. The first has one hit, at rank 1; the second has that hit and "
        "another at rank 5.",
    )


def _top_and_bottom() -> Picture:
    return ranking.user_lists(
        {"one page": [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]},
        title="Two hits: should they count the same?",
        alt="A page of ten items with a hit at rank 1 and another at rank 10.",
    )


def _two_curves() -> Picture:
    return ranking.score_threshold(
        [1, 1, 0, 1, 0, 0, 0, 0],
        above=4,
        times=10,
        title="One list, one threshold, two curves: is it good?",
        alt="Three relevant items and 50 others, sorted by score. The ROC curve on the left is "
        "close to its ideal corner, but the precision on the right falls below a quarter.",
    )


def _another_person() -> Picture:
    data = movielens_experiment()
    lists = data.lists()
    hits = {name: judge(recommended, data.truth).gains > 0 for name, recommended in lists.items()}
    lead = hits["EASE"].sum(axis=1) - hits["popularity"].sum(axis=1)
    who = int(lead.argmax())
    return ranking.user_lists(
        {name: of[who] for name, of in hits.items()},
        title="Four recommenders, ten films each, for one user",
        alt="Four rows of ten slots for the user for whom EASE is furthest ahead of popularity, "
        "with the hits of each recommender filled.",
    )


def _narrow_retrieval() -> Picture:
    shop = shop_experiment()
    wanted = [{*row.nonzero()[0].tolist()} for row in shop.truth.toarray()]
    values = {}
    for n_retrieved in (100, 50, 20, 10):
        retrieved = rank_from_scores(shop.scores["popularity"], n_retrieved, exclude=shop.seen)
        pairs = zip(wanted, retrieved.tolist(), strict=True)
        reached = [of.intersection(items) for of, items in pairs]
        shown = shop.rank_among(retrieved, "EASE", 10)
        values[f"{n_retrieved} retrieved"] = ndcg(judge(shown, reached), k=10)
    return general.intervals(
        values,
        title="The ranking stage reports a gain. Is it one?",
        label="NDCG@10 of the ranking stage, 95% CI",
        alt="Mean NDCG at 10 of one ranking model on the retrieved products, with 100, 50, 20 and "
        "10 products retrieved for each customer. In this figure it rises with every step.",
    )


def _equal_hits() -> Picture:
    wanted = {"Bob": {*"ABF"}, "Alice": {*"ABG"}}
    lists = {
        "Bob, recommender 1": ("Bob", "ABC"),
        "Alice, recommender 1": ("Alice", "ABC"),
        "Bob, recommender 2": ("Bob", "AFC"),
        "Alice, recommender 2": ("Alice", "BGD"),
    }
    return ranking.user_lists(
        {name: judge([*films], wanted[user]).gains for name, (user, films) in lists.items()},
        title="Both recommenders have the same hits at the same ranks",
        alt="Lists of three films for two users by two recommenders. In each list the first two "
        "films are hits and the third is not.",
    )


def _by_lot() -> Picture:
    rng = np.random.default_rng(3)
    items = [*"ABCDEFGHIJKL"]
    drawn = [[items[n] for n in rng.choice(len(items), 4, replace=False)] for _ in range(2)]
    return catalogue.catalog_coverage(
        {"two random lists of four films": drawn},
        items,
        title="How many films do two random lists share?",
        alt="A catalogue of 12 films and two random lists of four. A film in both lists has two "
        "boxes.",
    )


def _two_favourites() -> Picture:
    data = movielens_experiment()
    liked = np.bincount(data.past.item, minlength=data.train.n_items)
    shown = data.lists()["popularity"]
    films = {name: data.films.titles.index(name) for name in ("Forrest Gump", "Fargo")}
    return samples.paired_bars(
        {name: int(liked[n]) for name, n in films.items()},
        {name: int((shown == n).sum()) for name, n in films.items()},
        labels=("users who liked it", "lists with the film"),
        title="Liked by more users, but recommended less. Why?",
        alt="Two films. More users liked Forrest Gump than Fargo, but the popularity baseline "
        "recommends Fargo in many more lists.",
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
    "02_ranking_stages": _narrow_retrieval,
    "03_beyond_accuracy": _equal_hits,
    "03_beyond_accuracy_variety": _by_lot,
    "03_beyond_accuracy_movielens": _two_favourites,
}
