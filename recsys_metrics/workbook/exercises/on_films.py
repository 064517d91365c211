"""What exercises on MovieLens compute with, kept since every mistake begins with the same lists."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import judge, measure
from recsys_metrics.protocol.online import ab_test
from recsys_metrics.protocol.significance import t_interval
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Mistake
from recsys_metrics.workbook.experiments.movielens import keep_liked, movielens_experiment

YEAR = 365 * 24 * 60 * 60
"""Seconds."""

LONGEST = 20
"""Length of a list that covers all that is asked for."""

Slip = Literal["", "leak", "seen", "ties"]

NOTEBOOK = "The data come with the package, so this one is worked out in a notebook."

SETTING = """Popularity counts the likes in `past`: all of them, or those of the last so many years
(of 365 days, back from the latest like there). No user is shown a film that stands in `seen`, and
equally popular films come in the order of their numbers. `truth` says what users came to like."""


@lru_cache(maxsize=256)
def popular(years: int, slip: Slip = "") -> NDArray[np.int64]:
    """Return what each user is shown: the most liked films of the last years, 0 for all time."""
    cut = movielens_experiment()
    past, likes = cut.past, keep_liked(cut.known) if slip == "leak" else cut.past
    if years:
        assert past.timestamp is not None
        assert likes.timestamp is not None
        likes = likes.take(likes.timestamp > past.timestamp.max() - years * YEAR)
    counts = np.bincount(likes.item, minlength=likes.n_items)
    order = np.argsort(-counts, kind="stable")
    if slip == "ties":
        order = np.argsort(counts, kind="stable")[::-1]
    if slip == "seen":
        return np.tile(order[:LONGEST], (len(cut.users), 1))
    return movielens.first_unrated(order, LONGEST, movielens.seen(1 / 5))


@lru_cache(maxsize=1024)
def by_user(years: int, name: str, slip: Slip = "") -> NDArray[np.float64]:
    """Return a measure of these lists, user by user."""
    return np.asarray(measure(name)(judge(popular(years, slip), movielens_experiment().truth)))


def paired(old: NDArray[Any], new: NDArray[Any], *, scale: float) -> dict[str, float]:
    """Return the mean gain and the ends of its interval, user by user."""
    found = t_interval(new - old)
    return {"gain": scale * found.estimate, "low": scale * found.low, "high": scale * found.high}


def unpaired(old: NDArray[Any], new: NDArray[Any], *, scale: float) -> dict[str, float]:
    """Return the same as if the rows were two groups of strangers."""
    found = ab_test(old, new, outcome="amounts").gain.interval
    assert found is not None
    return {"low": scale * found.low, "high": scale * found.high}


def ends_apart(old: NDArray[Any], new: NDArray[Any], *, scale: float) -> dict[str, float]:
    """Return the ends of one interval less those of the other."""
    one, other = t_interval(new), t_interval(old)
    return {"low": scale * (one.low - other.high), "high": scale * (one.high - other.low)}


def turned(right: dict[str, float]) -> dict[str, float]:
    """Return the old less the new."""
    return {"gain": -right["gain"], "low": -right["high"], "high": -right["low"]}


def unpaired_users(wrong: Any) -> Mistake:
    """Return the mistake of taking one row of users for two groups."""
    return Mistake(
        id="unpaired",
        name="unpaired users",
        wrong_answer=wrong,
        cause="The two lists were compared as if two groups of strangers had seen them. How much "
        "users differ from each other then drowns the gain.",
        hint="Both lists are judged on the same users. What is the gain of each of them?",
    )


def leak_from_the_future(wrong: Any) -> Mistake:
    """Return the mistake of counting what came after the cut."""
    return Mistake(
        id="leak-from-the-future",
        name="leak from the future",
        wrong_answer=wrong,
        cause="Likes from after the cut were counted: `known` holds the first half of what the "
        "tested users rated later.",
        hint="Which likes could a list know that was made at the moment of the cut?",
    )


def seen_again(wrong: Any) -> Mistake:
    """Return the mistake of showing what was rated already."""
    return Mistake(
        id="seen-again",
        name="seen films shown again",
        wrong_answer=wrong,
        cause="Films were shown that the user had rated already. They take slots and can never be "
        "hits.",
        hint="What does `exclude=` of `rank_from_scores` leave out?",
    )


def tie_rule(wrong: Any) -> Mistake:
    """Return the mistake of cutting through a tie the other way."""
    return Mistake(
        id="tie-rule",
        name="tie rule",
        wrong_answer=wrong,
        cause="Of equally popular films the last came first, as a reversed sort has them. At the "
        "cut-off this decides which film is shown.",
        hint="In which order does the text above want films with equal counts?",
    )


def as_they_are(scaled: str, wrong: Any) -> Mistake:
    """Return the mistake of leaving a unit that was asked for away."""
    return Mistake(
        id="as-they-are",
        name="unit forgotten",
        wrong_answer=wrong,
        cause=f"These are the values as they are. They were asked for {scaled}.",
        hint="By what are they to be multiplied?",
    )


def ten_films(wrong: Any) -> Mistake:
    """Return the mistake of judging as many films as the chapter does."""
    return Mistake(
        id="k-of-the-chapter",
        name="another K",
        wrong_answer=wrong,
        cause="Ten films were judged, as in the chapter.",
        hint="How many films does this question ask about?",
    )


def old_less_new(wrong: Any) -> Mistake:
    """Return the mistake of a gain with its sign turned."""
    return Mistake(
        id="old-less-new",
        name="gain turned round",
        wrong_answer=wrong,
        cause="The new list was taken from the old one.",
        hint="Which of the two has a gain above 0 to speak for?",
    )
