"""Cards in a notebook: what the widget answers to the module that draws it."""

from __future__ import annotations

import json
import re
import sys

import pytest

from recsys_metrics.workbook.common.interactive import VIEW
from recsys_metrics.workbook.exercises import ranking as ex
from recsys_metrics.workbook.exercises.card import QUIET_CLASS, describe_card, describe_result
from tests.exercises.simulated_learners import every, fresh


def ask(exercise, what, **more):
    return fresh(exercise).widget().answer(what, **more)


def check(widget, **answers):
    return widget.answer("check", answers=answers)["result"]


@every
def test_every_exercise_has_a_card_that_is_plain_data(exercise):
    bundle = fresh(exercise)._repr_mimebundle_()
    assert bundle["text/plain"] == repr(exercise)
    assert bundle["text/html"] == exercise._repr_html_()
    assert VIEW in bundle
    card = describe_card(exercise)
    assert json.loads(json.dumps(card)) == card
    assert [field["name"] for field in card["fields"]] == [one.name for one in exercise.fields]
    assert exercise.check_template.split("(")[0] in card["code"]


@every
def test_an_empty_card_is_not_attempted_and_reveals_nothing(exercise):
    if not exercise.fields:
        return
    empty = {"number": "", "one": None, "many": [], "order": "", "text": ""}
    widget = fresh(exercise).widget()
    fields = [field for field in exercise.fields if field.name != "marks"]
    result = check(widget, **{field.name: empty[field.kind] for field in fields})
    assert result["outcome"] == "NOT_ATTEMPTED"
    assert not result["noted"]
    assert all(part["lines"] == part["expected"] == [] for part in result["parts"].values())
    assert result["lines"] == []
    assert not widget._exercise.attempted


def test_each_number_gets_its_own_part():
    widget = fresh(ex.ndcg_from_scratch).widget()
    result = check(widget, dcg="1.518", idcg=" 2.131 ", ndcg="")
    assert [part["outcome"] for part in result["parts"].values()] == [
        "PASS",
        "WRONG",
        "NOT_ATTEMPTED",
    ]
    # Two mistakes lead to this value, so the card asks which it was.
    asked = "".join(result["parts"]["idcg"]["lines"])
    assert "own-list ideal" in asked
    assert "ideal list off by one hit" in asked
    assert result["parts"]["idcg"]["pitfall"] == ""
    assert result["parts"]["idcg"]["expected"] == ["2.562"]
    result = check(widget, dcg="1.518", idcg="2.562", ndcg=".593")
    assert result["outcome"] == "PASS"
    assert "The base of the logarithm cancels" in "".join(result["lines"])
    assert not any(part["expected"] for part in result["parts"].values())


def test_the_answer_in_the_fields_is_not_repeated_in_the_feedback():
    result = ask(ex.average_precision_of_list, "check", answers={"ap": "0.589"})["result"]
    assert result["parts"]["ap"]["pitfall"] == "hits divisor"
    assert "You gave" not in json.dumps(result)
    result = ask(ex.which_pages, "check", answers={"choice": "pr"})["result"]
    assert result["parts"]["choice"]["pitfall"] == "swapped denominators"
    assert result["parts"]["choice"]["expected"] == ["rp"]
    assert "You chose" not in json.dumps(result)


def read_lines(check):
    """Return the label of each line of a card, and whether it is quiet."""
    (part,) = describe_result(check)["parts"].values()
    labels = [re.search(r"<strong>(.*?):</strong>", line) for line in part["lines"]]
    quiet = [QUIET_CLASS in line for line in part["lines"]]
    return [(label[1] if label else "", one) for label, one in zip(labels, quiet, strict=True)]


def test_the_cause_is_read_before_what_to_do_and_what_a_function_did():
    wrong = fresh(ex.write_precision).check(lambda recommended, relevant, k: 1.0)
    known = fresh(ex.write_precision).check(
        lambda recommended, relevant, k: (
            len({*recommended[:k]} & {*relevant}) / max(len(relevant), 1)
        )
    )
    assert read_lines(known)[:3] == [("Likely cause", False), ("Try", True), ("Case", True)]
    assert all(quiet for _, quiet in read_lines(known)[1:])
    # It returns the same on every case: the sentence that says so has no label.
    assert read_lines(wrong)[0] == ("", False)

    def broken(recommended, relevant, k):
        raise KeyError(k)

    # Without a cause, what happened is what there is to read.
    raised = read_lines(fresh(ex.write_precision).check(broken))
    assert raised[0] == ("Case", False)
    assert ("Raised", False) in raised
    assert raised[-2:] == [("Try", True), ("Right so far", True)]


def test_an_order_that_is_right_is_not_written_out_below_itself():
    exercise = fresh(ex.order_average_precision)
    right = exercise.check(exercise.answer["order"])
    assert "In order" in right.message
    assert all(label != "In order" for label, _ in read_lines(right))
    assert read_lines(right)


def test_options_and_orders_are_checked():
    right = ["gain", "ideal", "users", "nothing"]
    assert ask(ex.comparable, "check", answers={"choice": right})["result"]["outcome"] == "PASS"
    less = ask(ex.comparable, "check", answers={"choice": right[1:]})["result"]
    assert less["outcome"] == "WRONG"
    order = " ".join(ex.order_average_precision.answer["order"])
    widget = fresh(ex.order_average_precision).widget()
    assert check(widget, order=order)["outcome"] == "PASS"
    assert check(widget, order=order[::-1])["parts"]["order"]["expected"] == order.split()


def test_options_have_no_code_word_in_front():
    for exercise in (ex.which_pages, ex.comparable, ex.first_guess):
        (field,) = describe_card(exercise)["fields"]
        for key, text in field["options"]:
            assert not text.startswith((f"{key}:", f"<code>{key}</code>"))
    assert "<code>rp</code>" in describe_card(ex.which_pages)["code"]


def test_a_prediction_is_saved():
    widget = fresh(ex.first_guess).widget()
    assert widget.spec["points"] == 0
    assert not widget.spec["hasVariants"]
    result = check(widget, guess="ndcg")
    assert (result["outcome"], result["noted"]) == ("PASS", "Saved")


def test_an_open_answer_is_marked_before_the_model_answer_is_shown():
    widget = fresh(ex.explain_ideal).widget()
    text = "It does not depend on what was missed."
    result = check(widget, text=text)
    assert result["noted"] == "Saved"
    assert "A good answer" not in json.dumps(result)
    result = check(widget, text=text, marks=[True, False, False])
    assert result["outcome"] == "WRONG"
    assert "A good answer" in json.dumps(result)
    assert check(widget, text=text, marks=[True, True, True])["outcome"] == "PASS"


def test_hints_are_given_one_by_one():
    widget = fresh(ex.average_precision_of_list).widget()
    assert widget.spec["hints"] == 3
    for number in (1, 2, 3):
        html = widget.answer("hint", number=number)["html"]
        assert f"Hint {number} of 3" in html
        assert ".hint()" not in html


def test_the_solution_is_available_after_a_first_attempt_anywhere():
    exercise = fresh(ex.average_precision_of_list)
    widget = exercise.widget()
    assert not widget.spec["attempted"]
    assert "Try it first" in widget.answer("solution")["html"]
    exercise.check(0.3)
    assert "sum(at_hits) / len(relevant)" in widget.answer("solution")["html"]
    assert exercise.widget().spec["attempted"]


def test_other_numbers_are_those_of_a_variant():
    exercise = fresh(ex.average_precision_of_list)
    widget = exercise.widget()
    spec = widget.answer("variant")["spec"]
    assert spec["isVariant"]
    assert spec["question"] != widget.spec["question"]
    variant = exercise.variant(1)
    assert check(widget, ap=str(variant.answer["ap"]))["outcome"] == "PASS"
    assert widget.answer("variant")["spec"]["question"] != spec["question"]
    back = widget.answer("original")["spec"]
    assert back["question"] == widget.spec["question"]
    assert not back["isVariant"]


def test_what_was_entered_is_known_until_an_answer_is_saved():
    exercise = fresh(ex.ndcg_from_scratch)
    widget = exercise.widget()
    assert widget.answer("entered") == {"answers": None}
    typed = {"dcg": "1.5", "idcg": "", "ndcg": ""}
    assert widget.answer("enter", answers=typed) == {}
    assert widget.answer("entered") == {"answers": typed}
    # Other numbers are another question.
    widget.answer("variant")
    widget.answer("enter", answers=typed)
    assert widget.answer("entered") == {"answers": None}
    widget.answer("original")
    assert widget.answer("entered") == {"answers": None}
    widget.answer("enter", answers=typed)
    exercise.count_saved_answer()
    assert widget.answer("entered") == {"answers": None}


def test_input_is_escaped():
    answers = dict.fromkeys(("dcg", "idcg", "ndcg"), "<img src=x onerror=alert(1)>")
    assert "<img" not in json.dumps(ask(ex.ndcg_from_scratch, "check", answers=answers))


def test_a_question_comes_back_with_its_number():
    widget = fresh(ex.average_precision_of_list).widget()
    sent = []
    widget.send = sent.append
    widget._handle_custom_msg({"turn": 7, "what": "check", "answers": {"ap": "0.589"}}, [])
    assert sent[0]["turn"] == 7
    assert sent[0]["result"]["outcome"] == "WRONG"


def test_without_anywidget_the_card_is_static_html(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "recsys_metrics.workbook.exercises.card_widget", raising=False)
    bundle = fresh(ex.ndcg_from_scratch)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    with pytest.raises(ImportError):
        ex.ndcg_from_scratch.widget()
