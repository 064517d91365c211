"""On MovieLens: sampled ranking, a paired comparison, and other cut-off times."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics._core.sorted_arrays import distinct, is_in
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.gains import ends_apart, paired, turned, unpaired
from recsys_metrics.workbook.exercises.on_films import ListMistake, by_user
from recsys_metrics.workbook.experiments.movielens import keep_liked, movielens_experiment

_THOUSANDTHS = 1000.0

# A sample of one's own -------------------------------------------------------------------------


def _draw_sample(rng: np.random.Generator) -> dict[str, Any]:
    # The chapter has the first ten of EASE and item kNN.
    return {
        "model": str(rng.choice(["popularity", "item kNN", "EASE"])),
        "k": int(rng.choice([5, 15, 20, 30])),
        "drawn": int(rng.choice([40, 80, 150, 300, 700])),
    }


# Two windows -----------------------------------------------------------------------------------


def _both(inputs: Inputs, mistake: ListMistake = "") -> tuple[Any, Any]:
    name = f"ndcg@{inputs['k']}"
    return by_user(0, name, mistake), by_user(inputs["years"], name, mistake)


def _windows(inputs: Inputs) -> dict[str, float]:
    return paired(*_both(inputs), scale=_THOUSANDTHS)


def _windows_with(mistake: ListMistake) -> Any:
    return lambda inputs: paired(*_both(inputs, mistake), scale=_THOUSANDTHS)


def _draw_windows(rng: np.random.Generator) -> dict[str, Any]:
    # Two years to twelve; the text of the chapters has lists of ten, of two and of five years.
    return {"years": int(rng.integers(2, 13)), "k": int(rng.choice([5, 8, 15, 20]))}


def _two_windows_unpaired(inputs: Inputs) -> dict[str, float]:
    return unpaired(*_both(inputs), scale=_THOUSANDTHS)


def _two_windows_ends_of_two_intervals(inputs: Inputs) -> dict[str, float]:
    return ends_apart(*_both(inputs), scale=_THOUSANDTHS)


_two_windows_leak_from_the_future = _windows_with("leak")

_two_windows_seen_again = _windows_with("seen")

_two_windows_tie_rule = _windows_with("ties")


def _two_windows_old_less_new(inputs: Inputs) -> dict[str, float]:
    return turned(_windows(inputs))


def _two_windows_k_of_the_chapter(inputs: Inputs) -> dict[str, float]:
    return _windows({**inputs, "k": 10})


def _two_windows_as_they_are(inputs: Inputs) -> dict[str, float]:
    return paired(*_both(inputs), scale=1.0)


# Another moment --------------------------------------------------------------------------------


def _who_is_tested(inputs: Inputs) -> dict[str, float]:
    cut = movielens_experiment(inputs["later"] / 100)
    likes = keep_liked(cut.hidden)
    users = distinct(likes.user)
    return {
        "users": len(users),
        "new": int(np.sum(~is_in(users, cut.train.user))),
        "cold": 100 * float(np.mean(~is_in(likes.item, cut.past.item))),
    }


def _draw_moment(rng: np.random.Generator) -> dict[str, Any]:
    # The chapter cuts at full tenths.
    return {"later": int(rng.choice([later for later in range(11, 70, 2) if later % 10]))}
