"""Wrong answers that are right for somebody else, and how likely it is by chance."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import pytest

from recsys_metrics.workbook.course import similarity
from recsys_metrics.workbook.course.similarity import at_least, matches
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading import judge
from recsys_metrics.workbook.grading.copy_probability import alike
from recsys_metrics.workbook.grading.questions import Question, find
from recsys_metrics.workbook.grading.sandbox import Trace

IDS = ["ranking.e4", "ranking.fcp", "ranking.wrong_cell", "ranking.order_average_precision"]


def asked(student):
    every = [replace(REGISTRY[one]).variant(student) for one in IDS]
    return [Question(number, one) for number, one in enumerate(every, 1)]


def said(value):
    if isinstance(value, tuple):
        return {"kind": "tuple", "items": [said(item) for item in value]}
    kind = "str" if isinstance(value, str) else "float"
    return {"kind": kind, "value": value if kind == "str" else repr(float(value))}


def kept(student, given):
    """Return what is kept of a student who hands in these answers, by exercise."""
    questions = asked(student)
    trace = Trace()
    verdicts = []
    for place, question in enumerate(questions):
        values = given.get(question.id, {})
        trace.values[place] = {name: said(value) for name, value in values.items()}
        result = question.exercise.check(**values) if values else question.exercise.check()
        verdicts.append(judge.judged(question, place, trace, lambda result=result: result))
    return similarity.kept(questions, verdicts, trace)


def right(student, ids=IDS):
    return {one.id: one.exercise.answer for one in asked(student) if one.id in ids}


def test_by_hand_two_of_three_and_all_of_none():
    assert at_least(2, [0.5] * 3) == (comb(3, 2) + comb(3, 3)) / 8
    assert at_least(1, [0.1, 0.2]) == pytest.approx(1 - 0.9 * 0.8)
    assert at_least(0, [0.3]) == pytest.approx(1)
    assert alike([1, 1, 2, 2]) == pytest.approx(2 / 6)


def test_a_student_who_copies_everything_is_shown_with_whom():
    class_ = {"ann": right("ann"), "bob": right("ann"), "cy": right("cy"), "di": {}}
    answers = {student: kept(student, given) for student, given in class_.items()}
    (match,) = matches(answers, find)
    assert (match.student, match.other) == ("bob", "ann")
    assert match.wrong == len(match.exercises) == 4
    assert match.chance < 1e-6


def test_who_answers_alone_is_not_shown():
    # Mistakes of one's own, some of which are others' right answers by chance.
    class_ = {}
    for number in range(12):
        student = f"s{number}"
        off = {"ap": [0.5, 0.25, 1.0, 0.7][number % 4]}
        mine = {
            **right(student, IDS[1:2]),
            "ranking.e4": off,
            "ranking.wrong_cell": {"choice": "2"},
        }
        class_[student] = kept(student, mine)
    assert matches(class_, find) == []


def test_what_one_answer_shows_depends_on_how_many_could_have_it():
    one = {"ann": kept("ann", right("ann")), "bob": kept("bob", right("ann", IDS[:1]))}
    (match,) = matches(one, find)
    assert match.exercises == ("ranking.e4",)
    # The share of 300 other students for whom the answer would have been right.
    wrong = one["bob"]["ranking.e4"]["wrong"]["ap"]
    others = [find("ranking.e4").variant(f"somebody {n}").answer["ap"] for n in range(300)]
    fits = sum(abs(wrong - value) < 5e-4 for value in others)
    assert match.chance == pytest.approx((fits + 1) / 301)
    # Among a hundred students the same match is nothing to speak of.
    crowd = {f"s{n}": {"ranking.e4": {"right": {"ap": 9.0 + n}}} for n in range(98)}
    assert matches({**one, **crowd}, find) == []


def test_the_letter_that_is_right_for_another_is_seen():
    one = asked("ann")[2].exercise
    place = one.shown.keys.index(one.accepted[0])
    for name in (
        one.accepted[0],
        str(place + 1),
        "abcdefgh"[place],
        f" {one.accepted[0]} ".upper(),
    ):
        assert similarity._fits(similarity._picked(name, joined=False), similarity._right(one))
    order = asked("ann")[3].exercise
    letters = list(order.answer["order"])
    for given in (letters, tuple(letters), " ".join(letters), ",".join(letters), "".join(letters)):
        assert similarity._fits(similarity._picked(given, joined=True), similarity._right(order))


@pytest.mark.parametrize("junk", [None, float("nan"), object(), "\ud800", [[1]], 10**400, True])
def test_an_answer_that_means_nothing_is_compared_with_nobody(junk):
    exercise = asked("ann")[0].exercise
    assert not similarity._wrong(exercise, {"ap": junk})
    assert not similarity._fits(similarity._wrong(exercise, {"ap": junk}), {"ap": 0.5})
