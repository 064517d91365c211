"""Surprise, which measures predicted ratings and the order of pairs."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import rating
from tests.chapters.recipe_code import prepare_log, run_recipe
from tests.peers.cases import are_known

accuracy = pytest.importorskip("surprise.accuracy", reason="Surprise is not installed")


def draw(n=400, n_users=40, seed=0):
    """Return users, ratings and estimates of which many are equal."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_users, n), rng.integers(1, 6, n), rng.integers(2, 11, n) / 2


def ask(name, users, actual, predicted):
    rows = [(u, None, float(r), float(e), None) for u, r, e in zip(users, actual, predicted)]  # noqa: B905
    return getattr(accuracy, name)(rows, verbose=False)


@pytest.mark.parametrize("name", ["mae", "mse", "rmse"])
def test_errors_of_ratings_agree(name):
    users, actual, predicted = draw()
    ours = getattr(rating, name)(actual, predicted)
    assert ours == pytest.approx(ask(name, users, actual, predicted))


def test_fcp_divides_by_two_numbers_of_users():
    # User 0 has a concordant and a discordant pair, user 1 a concordant one.
    users, actual, predicted = [0, 0, 0, 1, 1], [1, 2, 2, 1, 2], [2, 3, 1, 1, 2]
    assert rm.fraction_of_concordant_pairs(actual, predicted, users=users) == pytest.approx(2 / 3)
    # 2 pairs over 2 users against 1 pair over 1 user.
    assert ask("fcp", users, actual, predicted) == 0.5
    # With one user there is nothing to divide by.
    one = rm.fraction_of_concordant_pairs(actual[:3], predicted[:3])
    assert ask("fcp", users[:3], actual[:3], predicted[:3]) == one == 0.5


@pytest.mark.parametrize("seed", range(20))
def test_fcp_from_ours_and_the_two_numbers_of_users(seed):
    users, actual, predicted = draw(seed=seed)
    share = rm.fraction_of_concordant_pairs(actual, predicted, users=users)
    alone = np.array(
        [
            rm.fraction_of_concordant_pairs(actual[users == user], predicted[users == user])
            for user in np.unique(users)
        ]
    )
    right, wrong = share / (alone > 0).sum(), (1 - share) / (alone < 1).sum()
    assert ask("fcp", users, actual, predicted) == pytest.approx(right / (right + wrong))


def test_public_names_are_in_the_table():
    names = {n for n in dir(accuracy) if n.islower() and n not in ("np", "defaultdict")}
    are_known("surprise", {n for n in names if not n.startswith("_")}, {})


def test_a_model_on_the_page_of_the_log():
    pandas = pytest.importorskip("pandas")
    known = {**prepare_log(), "pd": pandas}
    known["events"] = known["log"].to_frame(backend="pandas")
    found = run_recipe("Surprise: predicted", known, "your_log")
    for name in ("rmse", "mae"):
        theirs = getattr(accuracy, name)(known["predictions"], verbose=False)
        assert found[name.upper()].value == pytest.approx(theirs)
