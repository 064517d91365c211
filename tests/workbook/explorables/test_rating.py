"""What the explorables of rating show is what plain definitions give."""

from __future__ import annotations

import math
import statistics

import pytest

from recsys_metrics.workbook.experiments.movielens import movielens_experiment
from recsys_metrics.workbook.explorables import REGISTRY
from recsys_metrics.workbook.explorables.rating import added, constant, outlier, shift
from recsys_metrics.workbook.explorables.rating.constant import ratings
from recsys_metrics.workbook.explorables.rating.shift import ACTUAL, PREDICTED


def mean(values):
    return math.fsum(values) / len(values)


def plain_mae(actual, predicted):
    return mean([abs(p - a) for a, p in zip(actual, predicted, strict=True)])


def plain_rmse(actual, predicted):
    return mean([(p - a) ** 2 for a, p in zip(actual, predicted, strict=True)]) ** 0.5


def test_the_figures_are_registered():
    assert {"rating.outlier", "rating.constant", "rating.shift"} <= set(REGISTRY)


def test_outlier_numbers_are_correct_in_every_state():
    for state in outlier.states():
        found = [state["others"]] * (state["n"] - 1) + [state["one"]]
        numbers = outlier.compute(state)
        zeros = [0.0] * len(found)
        size, square = plain_mae(zeros, found), plain_rmse(zeros, found)
        assert numbers["mae"] == pytest.approx(size, abs=1e-12)
        assert numbers["rmse"] == pytest.approx(square, abs=1e-12)
        assert numbers["median"] == pytest.approx(statistics.median(found), abs=1e-12)
        if size == 0:
            assert math.isnan(numbers["ratio"])
            assert "the ratio is undefined" in outlier.draw(state, numbers).alt
        else:
            assert numbers["ratio"] == pytest.approx(square / size, abs=1e-12)
            assert 1 - 1e-12 <= numbers["ratio"] <= numbers["most"] + 1e-12
        assert numbers["most"] == pytest.approx(state["n"] ** 0.5)


def test_the_goals_of_the_outlier_figure_can_be_reached():
    # All error in one film is the most there can be; more films make the most larger.
    tops = [outlier.compute({"one": 4.0, "others": 0.0, "n": n})["ratio"] for n in (4, 25, 100)]
    assert tops == pytest.approx([2, 5, 10])
    best = max(outlier.states(), key=lambda state: outlier.compute(state)["ratio"] or 0)
    assert best["others"] == 0
    # The worst model of all has the best ratio.
    worst = outlier.compute({"one": 4.0, "others": 4.0, "n": 10})
    assert worst["ratio"] == 1
    assert worst["mae"] == 4


def test_constant_numbers_are_correct_in_every_state():
    for state in constant.states():
        actual = [5.0, 5.0, 4.0, 4.0, state["last"]]
        numbers = constant.compute(state)
        guess = [state["guess"]] * 5
        assert ratings(state) == actual
        assert numbers["mae"] == pytest.approx(plain_mae(actual, guess), abs=1e-12)
        assert numbers["rmse"] == pytest.approx(plain_rmse(actual, guess), abs=1e-12)
        assert numbers["mean"] == pytest.approx(mean(actual), abs=1e-12)
        assert numbers["median"] == statistics.median(actual)


@pytest.mark.parametrize("last", constant.controls[1].values)
def test_the_best_constant_is_the_mean_for_rmse_and_the_median_for_mae(last):
    states = [state for state in constant.states() if state["last"] == last]
    numbers = {state["guess"]: constant.compute(state) for state in states}
    by_rmse = min(numbers, key=lambda guess: numbers[guess]["rmse"])
    by_mae = min(numbers, key=lambda guess: numbers[guess]["mae"])
    assert by_rmse == pytest.approx(numbers[by_rmse]["mean"])
    assert by_mae == numbers[by_mae]["median"]


def test_shift_numbers_are_correct_in_every_state():
    middle = mean(PREDICTED)
    spread = mean([(a - mean(ACTUAL)) ** 2 for a in ACTUAL])
    for state in shift.states():
        guess = [middle + state["stretch"] * (p - middle) + state["shift"] for p in PREDICTED]
        numbers = shift.compute(state)
        off = [g - a for a, g in zip(ACTUAL, guess, strict=True)]
        forgiven = mean([(e - mean(off)) ** 2 for e in off])
        assert numbers["mae"] == pytest.approx(plain_mae(ACTUAL, guess), abs=1e-12)
        assert numbers["rmse"] == pytest.approx(plain_rmse(ACTUAL, guess), abs=1e-12)
        assert numbers["r2"] == pytest.approx(1 - mean([e**2 for e in off]) / spread, abs=1e-9)
        assert numbers["explained"] == pytest.approx(1 - forgiven / spread, abs=1e-9)


def test_a_shift_does_not_change_order_and_correlation():
    for stretch in shift.controls[1].values:
        moved = [
            shift.compute({"shift": by, "stretch": stretch}) for by in shift.controls[0].values
        ]
        # Predictions that are all alike stay so, up to rounding, and have no order.
        assert len({round(numbers["explained"], 9) for numbers in moved}) == 1
        assert len({numbers["fcp"] for numbers in moved}) == 1


def test_only_reversing_or_flattening_changes_the_order():
    same = shift.compute(shift.start)["fcp"]
    for stretch in shift.controls[1].values:
        numbers = shift.compute({"shift": 0.0, "stretch": stretch})
        assert (numbers["fcp"] == same) == (stretch > 0)
    assert shift.compute({"shift": 0.0, "stretch": 0.0})["fcp"] == 0
    assert shift.compute({"shift": 0.0, "stretch": -1.0})["fcp"] == pytest.approx(1 - same)


def test_one_constant_is_best_for_both_if_mean_equals_median():
    found = [
        state
        for state in constant.states()
        if 1 in constant.goals_met(state, constant.compute(state))
    ]
    assert found == [{"guess": 4.0, "last": 2.0}]


@pytest.mark.parametrize("explorable", [outlier, constant, shift], ids=lambda e: e.id)
def test_the_pictures_are_small(explorable):
    for state in list(explorable.states())[::13]:
        assert len(explorable.draw(state, explorable.compute(state)).svg) < 12_000


def plain_values(n_added):
    train = movielens_experiment().train
    overall = mean(train.rating.tolist())
    sums, counts = {}, {}
    for film, stars in zip(train.item.tolist(), train.rating.tolist(), strict=True):
        sums[film] = sums.get(film, 0) + stars - overall
        counts[film] = counts.get(film, 0) + 1
    value = {film: overall + sums[film] / (counts[film] + n_added) for film in sums}
    return overall, value, counts


@pytest.mark.parametrize("n_added", [0, 5, 1000])
def test_errors_with_damping_computed_by_hand(n_added):
    data = movielens_experiment()
    overall, value, _ = plain_values(n_added)
    left = {}
    columns = (data.known.user, data.known.item, data.known.rating)
    known = zip(*(column.tolist() for column in columns), strict=True)
    for user, film, stars in known:
        left.setdefault(user, []).append(stars - value.get(film, overall))
    habit = {user: sum(rest) / (len(rest) + 5) for user, rest in left.items()}
    hidden = data.hidden
    by_film = [value.get(film, overall) for film in hidden.item.tolist()]
    by_both = [
        of_film + habit.get(user, 0)
        for of_film, user in zip(by_film, hidden.user.tolist(), strict=True)
    ]
    for person, predicted in ((False, by_film), (True, by_both)):
        found = added.compute({"added": n_added, "person": person})["rmse"]
        assert found == pytest.approx(plain_rmse(hidden.rating.tolist(), predicted), abs=1e-9)


@pytest.mark.parametrize("n_added", [25, 1000])
def test_lists_with_damping_computed_by_hand(n_added):
    data = movielens_experiment()
    overall, value, counts = plain_values(n_added)
    order = sorted(range(data.train.n_items), key=lambda film: -value.get(film, overall))
    each, shown = [], []
    for seen, wanted in zip(data.seen, data.truth, strict=True):
        skip, liked = set(seen.indices.tolist()), set(wanted.indices.tolist())
        films = [film for film in order[:3000] if film not in skip][:10]
        shown += films
        gain = sum(1 / math.log2(rank + 2) for rank, film in enumerate(films) if film in liked)
        each.append(gain / sum(1 / math.log2(rank + 2) for rank in range(min(10, len(liked)))))
    numbers = added.compute({"added": n_added, "person": False})
    assert numbers["ndcg"] == pytest.approx(mean(each), abs=1e-9)
    assert numbers["films"] == len(set(shown))
    assert numbers["ratings"] == statistics.median(counts[film] for film in shown)


def test_user_means_reduce_the_error_and_not_the_ranking():
    for n_added in added.controls[0].values:
        alone, both = (added.compute({"added": n_added, "person": who}) for who in (False, True))
        assert both["rmse"] < alone["rmse"]
        assert {**both, "rmse": 0} == {**alone, "rmse": 0}


def test_the_best_damping_for_ratings_is_not_best_for_rankings():
    found = {n: added.compute({"added": n, "person": False}) for n in added.controls[0].values}
    assert min(found, key=lambda n: found[n]["rmse"]) in (2, 3)
    assert max(found, key=lambda n: found[n]["ndcg"]) == 1000
    assert found[1000]["rmse"] > found[0]["rmse"]


def test_the_goals_of_the_damping_figure():
    found = {0: set(), 1: set()}
    for state in added.states():
        for goal in added.goals_met(state, added.compute(state)):
            found[goal].add((state["added"], state["person"]))
    assert found == {0: {(2, False), (3, False)}, 1: {(25, False), (25, True)}}
