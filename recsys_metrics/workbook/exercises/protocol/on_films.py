"""On MovieLens: a sample of one's own, two lists user by user, who is tested when."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.sorted_arrays import distinct, is_in
from recsys_metrics.protocol import candidates
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.on_films import (
    Slip,
    as_they_are,
    by_user,
    ends_apart,
    leak_from_the_future,
    old_less_new,
    paired,
    seen_again,
    ten_films,
    tie_rule,
    turned,
    unpaired,
    unpaired_users,
)
from recsys_metrics.workbook.experiments.movielens import keep_liked, movielens_experiment

_THOUSANDTHS = 1000.0

# A sample of one's own -------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _ranks(
    model: str, *, seen: bool = False, other_held_out: Literal["include", "exclude"] = "exclude"
) -> Any:
    cut = movielens_experiment()
    exclude = None if seen else cut.seen
    return candidates.full_ranks(
        cut.scores[model], cut.truth, exclude=exclude, other_held_out=other_held_out
    )


def _sample_of(inputs: Inputs, *, pooled: bool = False, k: int = 0, **how: Any) -> dict[str, float]:
    return dict(_sampled(inputs["model"], k or inputs["k"], inputs["drawn"], pooled, **how))


# What can be drawn is little, and a variant asks for all of it by every mistake.
@lru_cache(maxsize=512)
def _sampled(model: str, k: int, drawn: int, pooled: bool, **how: Any) -> dict[str, float]:
    ranks = _ranks(model, **how)
    full = candidates.metric_at_rank(ranks.rank, "hit_rate", k=k)
    sampled = candidates.expected_sampled_metric(ranks.rank, ranks.n_items, drawn, "hit_rate", k=k)
    found = {"full": np.asarray(full), "sampled": np.asarray(sampled)}
    if pooled:
        return {name: 100 * float(values.mean()) for name, values in found.items()}
    n_films = np.bincount(ranks.user)
    own = {name: np.bincount(ranks.user, values) / n_films for name, values in found.items()}
    return {name: 100 * float(values.mean()) for name, values in own.items()}


def _any_hit(inputs: Inputs) -> dict[str, float]:
    ranks = _ranks(inputs["model"])
    hits = np.bincount(ranks.user, ranks.rank <= inputs["k"])
    return {"full": 100 * float(np.mean(hits > 0))}


def _draw_sample(rng: np.random.Generator) -> dict[str, Any]:
    # The chapter has the first ten of EASE and item kNN.
    return {
        "model": str(rng.choice(["popularity", "item kNN", "EASE"])),
        "k": int(rng.choice([5, 15, 20, 30])),
        "drawn": int(rng.choice([40, 80, 150, 300, 700])),
    }


def _your_sample_films_for_users(inputs: Inputs) -> Any:
    return _sample_of(inputs, pooled=True)


def _your_sample_others_compete(inputs: Inputs) -> Any:
    return _sample_of(inputs, other_held_out="include")


def _your_sample_seen_compete(inputs: Inputs) -> Any:
    return _sample_of(inputs, seen=True)


_your_sample_k_of_the_chapter = ten_films(lambda inputs: _sample_of(inputs, k=10)).wrong_answer

_your_sample_as_they_are = as_they_are(
    "in per cent",
    lambda inputs: {name: value / 100 for name, value in _sample_of(inputs).items()},
).wrong_answer


# Two windows -----------------------------------------------------------------------------------


def _both(inputs: Inputs, slip: Slip = "") -> tuple[Any, Any]:
    name = f"ndcg@{inputs['k']}"
    return by_user(0, name, slip), by_user(inputs["years"], name, slip)


def _windows(inputs: Inputs) -> dict[str, float]:
    return paired(*_both(inputs), scale=_THOUSANDTHS)


def _windows_with(slip: Slip) -> Any:
    return lambda inputs: paired(*_both(inputs, slip), scale=_THOUSANDTHS)


def _draw_windows(rng: np.random.Generator) -> dict[str, Any]:
    # One year to twelve; the text of the chapters has lists of ten, of two and of five years.
    return {"years": int(rng.integers(1, 13)), "k": int(rng.choice([5, 8, 15, 20]))}


_two_windows_unpaired = unpaired_users(
    lambda inputs: unpaired(*_both(inputs), scale=_THOUSANDTHS)
).wrong_answer


def _two_windows_ends_of_two_intervals(inputs: Inputs) -> Any:
    return ends_apart(*_both(inputs), scale=_THOUSANDTHS)


_two_windows_leak_from_the_future = leak_from_the_future(_windows_with("leak")).wrong_answer

_two_windows_seen_again = seen_again(_windows_with("seen")).wrong_answer

_two_windows_tie_rule = tie_rule(_windows_with("ties")).wrong_answer

_two_windows_old_less_new = old_less_new(lambda inputs: turned(_windows(inputs))).wrong_answer

_two_windows_k_of_the_chapter = ten_films(lambda inputs: _windows({**inputs, "k": 10})).wrong_answer

_two_windows_as_they_are = as_they_are(
    "in thousandths", lambda inputs: paired(*_both(inputs), scale=1.0)
).wrong_answer


# Another moment --------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _who_at(
    later: int,
    *,
    everybody: bool = False,
    known: bool = False,
    films: bool = False,
    rated: bool = False,
    events: bool = False,
) -> dict[str, float]:
    cut = movielens_experiment(later / 100)
    hidden = cut.hidden if everybody else keep_liked(cut.hidden)
    users = hidden.user if events else distinct(hidden.user)
    before = cut.known if known else cut.train
    wanted = distinct(keep_liked(cut.hidden).item) if films else keep_liked(cut.hidden).item
    met = cut.train if rated else cut.past
    return {
        "users": len(users),
        "new": int(np.sum(~is_in(users, before.user))),
        "cold": 100 * float(np.mean(~is_in(wanted, met.item))),
    }


def _the_others(inputs: Inputs) -> dict[str, float]:
    right = _who_at(inputs["later"])
    return {"new": right["users"] - right["new"], "cold": 100 - right["cold"]}


def _draw_moment(rng: np.random.Generator) -> dict[str, Any]:
    # The chapter cuts at full tenths.
    return {"later": int(rng.choice([later for later in range(11, 70, 2) if later % 10]))}


def _another_moment_solve(inputs: Inputs) -> Any:
    return _who_at(inputs["later"])


def _another_moment_ratings_for_users(inputs: Inputs) -> Any:
    return _who_at(inputs["later"], events=True)


def _another_moment_nothing_relevant_counted(inputs: Inputs) -> Any:
    return {"users": _who_at(inputs["later"], everybody=True)["users"]}


def _another_moment_known_for_trained(inputs: Inputs) -> Any:
    return {"new": _who_at(inputs["later"], known=True)["new"]}


def _another_moment_films_for_likes(inputs: Inputs) -> Any:
    return {"cold": _who_at(inputs["later"], films=True)["cold"]}


def _another_moment_ratings_for_likes(inputs: Inputs) -> Any:
    return {"cold": _who_at(inputs["later"], rated=True)["cold"]}


def _another_moment_known_for_new(inputs: Inputs) -> Any:
    return {"new": _the_others(inputs)["new"]}


def _another_moment_known_for_cold(inputs: Inputs) -> Any:
    return {"cold": _the_others(inputs)["cold"]}


_another_moment_as_they_are = as_they_are(
    "in per cent",
    lambda inputs: {"cold": _who_at(inputs["later"])["cold"] / 100},
).wrong_answer
