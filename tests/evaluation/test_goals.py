"""Several goals: the front, the hypervolume, distances, and the weights that change the winner."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from recsys_metrics import Measure, compare_many, evaluate
from recsys_metrics.evaluation import compare_goals, hypervolume, pareto_front
from recsys_metrics.evaluation._goals import _crossings, _envelope

numbers = st.floats(0, 1, width=32)
shape = st.shared(st.tuples(st.integers(1, 5), st.integers(1, 4)), key="shape")
tables = shape.flatmap(
    lambda size: st.lists(
        st.lists(numbers, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0]
    )
).map(lambda rows: np.array(rows, dtype=float))


def by_inclusion_and_exclusion(points, reference):
    """The volume of a union of boxes: those of single boxes less those of pairs, and so on."""
    above = np.maximum(points - reference, 0)
    return sum(
        (-1) ** (size + 1) * np.prod(np.min(above[list(chosen)], axis=0))
        for size in range(1, len(points) + 1)
        for chosen in combinations(range(len(points)), size)
    )


# Front and volume --------------------------------------------------------------------------------


def test_three_rectangles_by_hand():
    # 0.4 x 0.1 + 0.3 x 0.5 - 0.3 x 0.1; the third lies within the second.
    points = [[0.4, 0.1], [0.3, 0.5], [0.2, 0.4]]
    assert pareto_front(points).tolist() == [True, True, False]
    assert hypervolume(points, reference=[0, 0]) == pytest.approx(0.16)
    assert hypervolume(points, reference=[0.1, 0.1]) == pytest.approx(0.2 * 0.4)
    assert hypervolume(points, reference=[0.5, 0]) == 0


def test_two_boxes_by_hand():
    # 1 x 2 x 3 + 2 x 1 x 1 - 1 x 1 x 1
    assert hypervolume([[1, 2, 3], [2, 1, 1]], reference=[0, 0, 0]) == pytest.approx(7)


def test_equal_points_are_on_the_front_together():
    assert pareto_front([[1, 2], [1, 2], [1, 1]]).tolist() == [True, True, False]


@settings(max_examples=80, deadline=None)
@given(tables)
def test_the_volume_is_that_of_inclusion_and_exclusion(points):
    reference = np.full(points.shape[1], 0.1)
    expected = by_inclusion_and_exclusion(points, reference)
    assert hypervolume(points, reference=reference) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(tables, st.randoms())
def test_what_changes_the_volume_and_what_does_not(points, random):
    reference = np.zeros(points.shape[1])
    volume = hypervolume(points, reference=reference)
    rows, columns = [*range(len(points))], [*range(points.shape[1])]
    random.shuffle(rows)
    random.shuffle(columns)
    turned = points[rows][:, columns]
    assert hypervolume(turned, reference=reference) == pytest.approx(volume)
    front = pareto_front(points)
    assert front.any()
    assert hypervolume(points[front], reference=reference) == pytest.approx(volume)
    assert hypervolume(3 * points, reference=reference) == pytest.approx(
        3 ** points.shape[1] * volume
    )
    more = np.vstack([points, np.full(points.shape[1], 0.5)])
    assert hypervolume(more, reference=reference) >= volume - 1e-12
    assert volume <= 1 + 1e-12


@settings(max_examples=80, deadline=None)
@given(tables)
def test_a_point_is_on_the_front_if_no_other_dominates_it(points):
    expected = [
        not any((b >= a).all() and (b > a).any() for b in points) for a in points
    ]  # fmt: skip
    assert pareto_front(points).tolist() == expected


def test_pymoo_computes_the_same_volume():
    indicator = pytest.importorskip("pymoo.indicators.hv", reason="pymoo is not installed")
    rng = np.random.default_rng(0)
    for goals in (2, 3, 4):
        for _ in range(10):
            points = rng.random((6, goals))
            # It minimises.
            theirs = indicator.HV(ref_point=np.zeros(goals))(-points)
            assert hypervolume(points, reference=np.zeros(goals)) == pytest.approx(theirs)


# Weights -----------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=6))
def test_between_two_changes_the_winner_is_the_highest_line(lines):
    at_0, at_1 = np.array(lines).T
    changes = _envelope(at_0, at_1)
    ends = [0.0, *(where for where, *_ in changes), 1.0]
    assert ends == sorted(ends)
    first = max(range(len(lines)), key=lambda line: (at_0[line], at_1[line] - at_0[line]))
    winners = [first, *(after for *_, after in changes)]
    if not changes:
        # A change at 0 itself is none: the winner is that of the weights just above 0.
        winners = [int(np.argmax(at_0 + 0.5 * (at_1 - at_0)))]
    for low, high, winner in zip(ends, ends[1:], winners, strict=False):
        assume(high - low > 1e-9)
        middle = (low + high) / 2
        values = at_0 + middle * (at_1 - at_0)
        assert values[winner] == pytest.approx(values.max(), abs=1e-6)


def test_a_crossing_by_hand():
    # Lines 0.6 -> 0.2 and 0.2 -> 0.4 cross where 0.4 = 0.6 w.
    at_0, at_1 = np.array([[0.6, 0.2]]), np.array([[0.2, 0.4]])
    ((where, before, after),) = _envelope(at_0[0], at_1[0])
    assert (before, after) == (0, 1)
    assert where == pytest.approx(2 / 3)
    assert _crossings(at_0, at_1, 0, 1)[0] == pytest.approx(2 / 3)
    assert _crossings(at_0, np.array([[0.7, 0.4]]), 0, 1)[0] == 1
    assert _crossings(np.array([[0.1, 0.2]]), at_1, 0, 1)[0] == 0
    assert np.isnan(_crossings(np.array([[0.1, 0.2]]), np.array([[0.5, 0.4]]), 0, 1)[0])


# Reports -----------------------------------------------------------------------------------------

TRUTH = [{"A", "C"}] * 80
LISTS = {
    "early": [["A", "B", "D"]] * 80,
    "both": [["B", "A", "C"]] * 80,
    "neither": [["B", "D", "A"]] * 80,
}
GOALS = ["mrr@3", "recall@3"]


def reports(lists=LISTS, goals=GOALS, truth=TRUTH):
    return [evaluate(rows, truth, goals, name=name) for name, rows in lists.items()]


def test_three_recommenders_by_hand():
    # MRR 1, 1/2, 1/3; recall 1/2, 1, 1/2: boxes 1 x 1/2 and 1/2 x 1.
    found = compare_goals(reports(), n_resamples=200)
    assert found.front == ("early", "both")
    assert found.hypervolume.estimate == pytest.approx(0.75)
    assert {n: round(each.estimate, 3) for n, each in found.contributions.items()} == {
        "early": 0.25,
        "both": 0.25,
        "neither": 0.0,
    }
    assert found.distances["early"].estimate == pytest.approx(np.sqrt(0.25 / 2))
    (change,) = found.changes
    assert (change.weight, change.before, change.after) == (pytest.approx(0.5), "both", "early")
    assert found.dominated_by == {"early": (), "both": (), "neither": ("both",)}
    assert found.winner({found.goals[0]: 0.6, found.goals[1]: 0.4}) == "early"
    assert "The winner depends on the weights" in found.conclusion


def noisy(seed=0, n=200):
    rng = np.random.default_rng(seed)
    lists = {"early": [], "both": []}
    for _ in range(n):
        lists["early"].append(["A", "B", "D"] if rng.random() < 0.8 else ["D", "B", "A"])
        lists["both"].append(["B", "A", "C"] if rng.random() < 0.8 else ["A", "D", "B"])
    return reports(lists, truth=[{"A", "C"}] * n)


def test_intervals_contain_their_estimates_and_shrink_with_more_users():
    few, many = compare_goals(noisy(n=100)), compare_goals(noisy(n=1600))
    for found in (few, many):
        for each in (*found.distances.values(), *found.contributions.values(), found.hypervolume):
            assert each.estimate in each
    assert many.hypervolume.half_width < 0.5 * few.hypervolume.half_width
    assert many.changes[0].interval.half_width < 0.5 * few.changes[0].interval.half_width


def test_the_interval_of_the_changing_weight_covers_the_truth():
    """An interval of 95% misses the true weight in about 3 of 60 samples of users."""
    # By the probabilities of noisy: MRR 13/15 and 3/5, recall 1/2 and 9/10, so 4w/15 = 2(1 - w)/5.
    missed = sum(
        0.6 not in compare_goals(noisy(seed, 150), n_resamples=400).changes[0].interval
        for seed in range(60)
    )
    assert missed <= 9  # 3 are expected, and 10 or more have a probability of 0.1%


def test_two_recommenders_that_are_equal_are_both_on_the_front():
    one = evaluate(LISTS["early"], TRUTH, GOALS, name="one")
    two = evaluate(LISTS["early"], TRUTH, GOALS, name="two")
    found = compare_goals([one, two], n_resamples=100)
    assert found.front == ("one", "two")
    assert found.changes == ()
    assert found.contributions["one"].estimate == 0


def with_d(recommended):
    """Whether a list contains D, which is to be avoided."""
    return float("D" in recommended)


def test_lower_is_better_for_some_goals():
    # MRR 1, 1/2, 1/3; D in the list 1, 0, 1: scaled, the boxes are 1 x 0 and 1/2 x 1.
    avoid = Measure.of(with_d, better="lower", bounds=(0, 1))
    found = compare_goals(reports(goals=["mrr@3", avoid]), n_resamples=100)
    assert found.front == ("early", "both")
    assert found.hypervolume.estimate == pytest.approx(0.5)
    assert found.values["both"][found.goals[1]].estimate == 0
    assert found.dominated_by["neither"] == ("both",)


def test_a_goal_without_a_better_side_needs_both_ends():
    history = {user: {"A", "B"} if user % 2 else {"B", "D"} for user in range(80)}
    made = [
        evaluate(dict(enumerate(rows)), dict(enumerate(TRUTH)), ["mrr@3", "epc@3"], history=history,
                 name=name)
        for name, rows in LISTS.items()
    ]  # fmt: skip
    with pytest.raises(ValueError, match="neither side of it is better by itself"):
        compare_goals(made)
    ends = {"reference": {"epc@3": 0}, "ideal": {"epc@3": 1}}
    found = compare_goals(made, n_resamples=100, **ends)
    turned = {"reference": ends["ideal"], "ideal": ends["reference"]}
    opposite = compare_goals(made, n_resamples=100, **turned)
    assert "both" in found.front
    assert opposite.ideal[opposite.goals[1]] == 0
    for goal in found.goals:
        one, other = found.values["both"][goal], opposite.values["both"][goal]
        assert [*one] == pytest.approx([*other])


def test_three_goals_sweep_the_weight_of_each():
    goals = [*GOALS, "precision@1"]
    found = compare_goals(reports(goals=goals), goals, n_resamples=100)
    assert {change.goal.label for change in found.changes} <= {goal.label for goal in found.goals}
    again = compare_goals(reports(goals=goals), goals, weights={"precision@1": 0}, n_resamples=100)
    assert again.weights[again.goals[2]] == 0


def test_the_result_does_not_depend_on_the_order_of_reports():
    one, two = noisy(), noisy()[::-1]
    first, second = compare_goals(one, seed=1), compare_goals(two, seed=1)
    assert first.hypervolume == second.hypervolume
    assert first.changes == second.changes


def test_the_result_is_shown():
    pytest.importorskip("matplotlib")
    found = compare_goals(noisy())
    text = str(found)
    assert "weight of mrr@3" in text
    assert "hypervolume" in text
    assert found.columns()["on the front"] == [True, True]
    axes = found.plot()
    assert "On the Pareto front" in axes.get_title(loc="left")
    assert "early" in axes.get_label()


def test_a_leaderboard_names_the_front():
    board = compare_many(reports())
    assert set(board.front) == {"early", "both"}
    assert "Pareto front" in str(board)
    assert "Pareto front" not in str(compare_many(reports(), measures=["mrr@3"]))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"goals": ["mrr@3"]}, "two goals or more"),
        ({"weights": {"mrr@3": 0, "recall@3": 0}}, "not all 0"),
        ({"weights": {"mrr@3": -1}}, "0 or more"),
        ({"ideal": {"mrr@3": 0}}, "no worse"),
        ({"reference": {"mrr@3": 1.5}}, "no worse"),
        ({"reference": {"mrr@3": np.inf}}, "no worst and best value"),
        ({"weights": {"ndcg@3": 1}}, "is no goal"),
        ({"n_resamples": 10}, "100 or more"),
    ],
)
def test_options_that_cannot_be(options, says):
    with pytest.raises(ValueError, match=says):
        compare_goals(reports(), **options)


def test_goals_need_values_of_users():
    goals = ["mrr@3", "coverage@3"]
    made = [evaluate(rows, TRUTH, goals, name=n, catalog=10) for n, rows in LISTS.items()]
    with pytest.raises(ValueError, match="no per-user values"):
        compare_goals(made)
    short = {n: rows[:10] for n, rows in LISTS.items()}
    with pytest.raises(ValueError, match="10 users have a value"):
        compare_goals(reports(short, truth=TRUTH[:10]))


def test_a_goal_without_a_finite_value_is_named():
    for odd in (np.nan, np.inf):
        with pytest.raises(ValueError, match=rf"points\[1, 0\] is {odd}; every goal has a finite"):
            pareto_front([[1, 2], [odd, 2]])
        with pytest.raises(ValueError, match=rf"reference\[1\] is {odd}; every goal has a finite"):
            hypervolume([[1, 2]], reference=[0, odd])


@pytest.mark.parametrize("points", [[], [1, 2]])
def test_points_that_are_none(points):
    with pytest.raises(ValueError, match="points must be a table"):
        pareto_front(points)


def test_a_reference_of_other_goals():
    with pytest.raises(ValueError, match="reference has the shape"):
        hypervolume([[1, 2]], reference=[0])


def test_a_goal_that_is_named_twice():
    for twice in (["recall@3", "recall@3"], ["recall@3", "mrr@3", "Recall@3"]):
        with pytest.raises(ValueError, match=r"^goals names recall@3 twice; name each metric once"):
            compare_goals(reports(), twice)
