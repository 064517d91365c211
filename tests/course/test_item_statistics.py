"""Item statistics and proposals: by hand, against SciPy, and on a class with planted mistakes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsys_metrics.workbook.course import item_statistics, mistake_proposals, wrong_answers
from recsys_metrics.workbook.course.item_statistics import (
    estimate_difficulty,
    estimate_discrimination,
)
from recsys_metrics.workbook.course.solution_edits import Edit, compile_bounded, list_edits
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.bank import swap_code
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course import class_of_forty as forty
from tests.course.simulated_people import NAME
from tests.exercises.simulated_learners import find_all


@pytest.fixture(scope="module")
def graded(desk):
    at, planted = forty.make(desk)
    done = at.collect()
    assert (len(done.new), done.problems) == (40, [])
    at.grade(sandboxed=False, jobs=2)
    return at, planted


@pytest.fixture(scope="module")
def items(graded):
    at, _ = graded
    return {one.exercise.id: one for one in item_statistics.of_assignment(at.course, at.assignment)}


def test_difficulty_by_hand():
    found = estimate_difficulty([1, 1, 0.5, 0])
    assert (found.value, found.n) == (0.625, 4)
    assert 0 < found.low < 0.625 < found.high < 1
    assert math.isnan(estimate_difficulty([1]).value)
    assert str(estimate_difficulty([])) == "–"


def test_discrimination_by_hand_and_with_scipy():
    item, rest = [0, 0, 1, 1, 1], [1, 2, 2, 3, 4]
    # Deviations of the item -0.6 -0.6 0.4 0.4 0.4, of the rest -1.4 -0.4 -0.4 0.6 1.6: the sum of
    # products is 1.8, the sums of squares 1.2 and 5.2.
    found = estimate_discrimination(item, rest)
    assert found.value == pytest.approx(1.8 / math.sqrt(1.2 * 5.2))
    interval = stats.pearsonr(item, rest).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 20)), min_size=4, max_size=30))
def test_discrimination_does_not_depend_on_order_or_scale(pairs):
    item, rest = (np.array(one) for one in zip(*pairs, strict=True))
    if np.ptp(item) < 1e-3 or np.ptp(rest) < 1e-3:
        return
    found = estimate_discrimination(item, rest)
    again = estimate_discrimination(item[::-1], 3 * rest[::-1] + 1)
    assert again.value == pytest.approx(found.value, abs=1e-9)
    # Where one is a line of the other there is no interval.
    assert math.isnan(found.low) or found.low <= found.value <= found.high


def test_an_exercise_that_all_solve_has_no_discrimination():
    assert math.isnan(estimate_discrimination([1, 1, 1, 1], [1, 2, 3, 4]).value)


def test_the_planted_class_has_its_difficulties(items, graded):
    _, planted = graded
    for name in (forty.AP, forty.CHOICE, forty.CODE):
        assert items[name].difficulty.value == pytest.approx(1 - len(planted[name]) / 40)
        assert items[name].difficulty.n == 40
    # The weaker students miss the numbers, and the choice tells nobody apart.
    for name in (forty.AP, forty.F1, forty.RMSE):
        assert items[name].discrimination.low > 0
    choice = items[forty.CHOICE].discrimination
    assert choice.low < 0 < choice.high
    assert choice.value < items[forty.AP].discrimination.low


def test_the_planted_mistakes_are_found(items, graded):
    _, planted = graded
    ap = items[forty.AP]
    assert ap.explained == 8
    assert len(ap.unexplained) == 9 + 4
    (found,) = ap.clusters
    assert (len(found.answers), found.shown) == (9, "found in place of found / rank")
    assert found.by_chance < 9
    (found,) = items[forty.F1].clusters
    assert len(found.answers) == 6
    (found,) = items[forty.CODE].clusters
    assert len(found.answers) == 4
    guessed = len(items[forty.CHOICE].unexplained) + items[forty.CHOICE].explained
    assert guessed == len(planted[forty.CHOICE])


def test_random_numbers_make_no_cluster():
    exercise = REGISTRY[forty.AP]
    rng = np.random.default_rng(7)
    wrong = [
        wrong_answers.WrongAnswer(exercise.variant(f"x{n}"), {"ap": round(rng.uniform(0, 1), 3)})
        for n in range(30)
    ]
    assert wrong_answers.cluster(wrong) == []


def test_a_proposal_is_an_entry_that_the_bank_takes(graded):
    at, _ = graded
    (found,) = mistake_proposals.propose(at.course, at.assignment, forty.AP)
    assert (len(found.cluster.answers), found.unexplained) == (9, 13)
    text = found.as_yaml()
    assert "It would explain 9 of 13 wrong answers without a mistake:" in text
    assert text.count("#   ap = ") == len({one.given["ap"] for one in found.cluster.answers})
    assert not any(student in text for student in forty.STUDENTS)
    ((key, entry),) = yaml.safe_load(text).items()
    exercise = REGISTRY[forty.AP]
    assert key not in {one.id for one in exercise.mistakes}
    code = "\n".join(step.code for step in exercise.steps)
    for one in found.cluster.answers:
        names = dict(one.exercise.inputs)
        exec(swap_code(code, entry["swap"]), names)
        assert names["ap"] == pytest.approx(one.given["ap"], abs=5e-5)


def test_functions_that_differ_in_names_and_comments_alone_are_alike():
    exercise = REGISTRY[forty.CODE]
    codes = [
        f'''def f{n}(a{n}, b, k):
    """Of {n}."""
    return len(a{n}) / k  # {n}'''
        for n in range(3)
    ]
    other = "def f(a, b, k):\n    return len(b) / k"
    wrong = [wrong_answers.WrongAnswer(exercise, code) for code in (*codes, other, other + "(")]
    (found,) = wrong_answers.cluster(wrong)
    assert len(found.answers) == 3
    assert found.shown == "def name0(name1, name2, name3):\n    return len(name1) / name3"


def test_a_class_without_a_common_wrong_answer_has_no_proposal(graded):
    at, _ = graded
    assert mistake_proposals.propose(at.course, at.assignment, forty.RMSE) == []
    with pytest.raises(GradingError, match=r"ps1 does not ask ranking\.e5; it asks ranking\.e4"):
        mistake_proposals.propose(at.course, at.assignment, "ranking.e5")


def test_the_page_names_the_clusters_and_no_student(items, graded):
    at, _ = graded
    text = item_statistics.page(at.course, at.assignment, [*items.values()])
    assert f"{NAME} · recsys · item statistics</title>" in text
    assert "found in place of found / rank" in text
    assert not any(student in text for student in forty.STUDENTS)


@pytest.mark.sweep("name", keep=6)
@pytest.mark.parametrize("name", find_all(Numbers))
def test_every_solution_has_edits_that_give_other_numbers(name):
    exercise = REGISTRY[name]
    if not any(step.code for step in exercise.steps):
        return
    edits = list_edits(exercise)
    assert len({(one.old, one.new) for one in edits}) == len(edits)
    for one in edits[:3]:
        assert one.run(exercise) != exercise.answer


def test_an_edit_whose_loop_never_ends_gives_no_number():
    endless = Edit("", "", compile_bounded("while True:\n    pass\n", "endless"))
    assert endless.run(REGISTRY["calibration.pools"]) is None
    assert list_edits(REGISTRY["calibration.pools"])


def test_an_edit_leaves_the_inputs_of_an_exercise_as_they_are():
    # Edits of this solution change the lists in place.
    exercise = REGISTRY["beyond_accuracy.two_tails"].variant("untouched")
    before = repr(exercise.inputs)
    for edit in list_edits(exercise):
        edit.run(exercise)
    assert repr(exercise.inputs) == before
