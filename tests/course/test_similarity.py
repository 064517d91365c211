"""Wrong answers that are right for somebody else, and how likely it is by chance."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import pytest

from recsys_metrics.workbook.course import similarity, summary
from recsys_metrics.workbook.course.similarity import at_least, matches
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading import judge
from recsys_metrics.workbook.grading.copy_probability import share_equal
from recsys_metrics.workbook.grading.questions import Question, find_exercise
from recsys_metrics.workbook.grading.sandbox import Trace
from tests.course.simulated_people import WORDY

IDS = ["ranking.e4", "ranking.fcp", "ranking.wrong_cell", "ranking.order_average_precision"]


def make_questions(student):
    every = [replace(REGISTRY[one]).variant(student) for one in IDS]
    return [Question(number, one) for number, one in enumerate(every, 1)]


def to_json_value(value):
    if isinstance(value, tuple):
        return {"kind": "tuple", "items": [to_json_value(item) for item in value]}
    kind = "str" if isinstance(value, str) else "float"
    return {"kind": kind, "value": value if kind == "str" else repr(float(value))}


def store_answers(student, given):
    """Return what is kept of a student who hands in these answers, by exercise."""
    questions = make_questions(student)
    trace = Trace()
    judged_answers = []
    for place, question in enumerate(questions):
        values = given.get(question.id, {})
        trace.values[place] = {name: to_json_value(value) for name, value in values.items()}
        result = question.exercise.check(**values) if values else question.exercise.check()
        judged_answers.append(
            judge.judge_answer(question, place, trace, lambda result=result: result)
        )
    return similarity.kept(questions, judged_answers, trace)


def answer_correctly(student, ids=IDS):
    return {one.id: one.exercise.answer for one in make_questions(student) if one.id in ids}


def test_the_same_words_are_found_whatever_their_signs():
    found = similarity.find_same_words(
        {"ann": {"a.b": "1"}, "bob": {"a.b": "1", "a.c": "1"}, "cleo": {"a.b": "2", "a.c": "3"}}
    )
    assert found == [("a.b", ["ann", "bob"])]


def test_words_are_compared_without_case_blanks_and_signs(desk):
    at = desk(["ann", "bob", "cleo", "dan"], ["ranking.explain_ideal"])
    texts = {
        "ann": WORDY,
        "bob": WORDY.upper().replace(", ", " -- ").replace(" so ", "\n\nso "),
        "cleo": f"{WORDY} Not mine.",
        "dan": "It depends.",
    }
    for student, text in texts.items():
        at.hand_in(student, at.answered(student, {"ranking.explain_ideal": text}))
    at.grade(sandboxed=False)
    told = summary.of_matches(at.course, at.assignment)
    assert "ranking.explain_ideal: ann, bob" in told
    assert "cleo" not in told
    assert "dan" not in told


def test_probabilities_of_matches_computed_by_hand():
    assert at_least(2, [0.5] * 3) == (comb(3, 2) + comb(3, 3)) / 8
    assert at_least(1, [0.1, 0.2]) == pytest.approx(1 - 0.9 * 0.8)
    assert at_least(0, [0.3]) == pytest.approx(1)
    assert share_equal([1, 1, 2, 2]) == pytest.approx(2 / 6)


def test_a_complete_copy_is_reported_with_its_source():
    class_ = {
        "ann": answer_correctly("ann"),
        "bob": answer_correctly("ann"),
        "cy": answer_correctly("cy"),
        "di": {},
    }
    answers = {student: store_answers(student, given) for student, given in class_.items()}
    (match,) = matches(answers, find_exercise)
    assert (match.student, match.other) == ("bob", "ann")
    assert match.wrong == len(match.exercises) == 4
    assert match.chance < 1e-6


def test_independent_answers_are_not_reported():
    # Mistakes of one's own, some of which are others' right answers by chance.
    class_ = {}
    for number in range(12):
        student = f"s{number}"
        off = {"ap": [0.5, 0.25, 1.0, 0.7][number % 4]}
        mine = {
            **answer_correctly(student, IDS[1:2]),
            "ranking.e4": off,
            "ranking.wrong_cell": {"choice": "2"},
        }
        class_[student] = store_answers(student, mine)
    assert matches(class_, find_exercise) == []


def test_the_weight_of_a_match_depends_on_how_common_it_is():
    one = {
        "ann": store_answers("ann", answer_correctly("ann")),
        "bob": store_answers("bob", answer_correctly("ann", IDS[:1])),
    }
    (match,) = matches(one, find_exercise)
    assert match.exercises == ("ranking.e4",)
    # The share of 300 other students for whom the answer would have been right.
    wrong = one["bob"]["ranking.e4"]["wrong"]["ap"]
    others = [find_exercise("ranking.e4").variant(f"somebody {n}").answer["ap"] for n in range(300)]
    fits = sum(abs(wrong - value) < 5e-4 for value in others)
    assert match.chance == pytest.approx((fits + 1) / 301)
    # Among a hundred students the same match is nothing to speak of.
    crowd = {f"s{n}": {"ranking.e4": {"right": {"ap": 9.0 + n}}} for n in range(98)}
    assert matches({**one, **crowd}, find_exercise) == []


def test_an_option_letter_of_another_variant_is_detected():
    one = make_questions("ann")[2].exercise
    place = one.option_list.keys.index(one.accepted_answers[0])
    for name in (
        one.accepted_answers[0],
        str(place + 1),
        "abcdefgh"[place],
        f" {one.accepted_answers[0]} ".upper(),
    ):
        assert similarity._fits(similarity._picked(name, joined=False), similarity._right(one))
    order = make_questions("ann")[3].exercise
    letters = list(order.answer["order"])
    for given in (letters, tuple(letters), " ".join(letters), ",".join(letters), "".join(letters)):
        assert similarity._fits(similarity._picked(given, joined=True), similarity._right(order))


@pytest.mark.parametrize("junk", [None, float("nan"), object(), "\ud800", [[1]], 10**400, True])
def test_a_meaningless_answer_is_not_compared(junk):
    exercise = make_questions("ann")[0].exercise
    assert not similarity._wrong(exercise, {"ap": junk})
    assert not similarity._fits(similarity._wrong(exercise, {"ap": junk}), {"ap": 0.5})
