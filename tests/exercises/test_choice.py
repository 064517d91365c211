"""Exercises that ask to choose: what each kind of answer is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import Mistake, Step
from recsys_metrics.workbook.exercises.choice import Choice


def mistake(name, wrong):
    return Mistake(
        id=name, name=name, wrong_answer=wrong, cause=f"The cause of {name}.", hint=f"Why {name}?"
    )


def declare(**changes):
    declared = {
        "id": "test.first",
        "title": "The first suggestion",
        "prompt": "Only the first of {k} suggestions matters. Which metric?",
        "options": {
            "mrr": "the mean reciprocal rank",
            "hr@1": "the hit rate at 1",
            "map": "mean average precision",
            "ndcg": "NDCG@{k}",
        },
        "inputs": {"k": 5},
        "solve": lambda inputs: ("mrr", "hr@1"),
        "reasons": {"mrr": "It fades with the rank.", "hr@1": "It sees rank 1 alone."},
        "mistakes": (
            mistake("all hits", lambda inputs: "map"),
            mistake("whole list", lambda inputs: "ndcg"),
        ),
        "hints": ("a", "b", "c"),
        "steps": (Step("Think."),),
        "minutes": 2,
        "insight": "Both look at the top.",
    }
    return Choice(**{**declared, **changes})


def declare_all(**changes):
    return declare(
        options={"k": "K", "gain": "the gain", "base": "the base", "font": "the font"},
        solve=lambda inputs: frozenset({"k", "gain"}),
        reasons={},
        mistakes=(
            mistake("natural log", lambda inputs: "base"),
            mistake("typography", lambda inputs: "font"),
            mistake("half of it", lambda inputs: frozenset({"k"})),
        ),
        **changes,
    )


def test_either_of_two_correct_options_passes_with_its_own_reason():
    fades, sees = declare().check("mrr"), declare().check("hr@1")
    assert fades.passed
    assert sees.passed
    assert fades.message.splitlines()[1].strip() == "It fades with the rank."
    assert sees.message.splitlines()[1].strip() == "It sees rank 1 alone."
    assert "mrr is right as well. It fades with the rank." in sees.message
    assert "Both look at the top." in sees.message


def test_a_wrong_option_gets_its_explanation():
    result = declare().check("map")
    assert result.outcome == "WRONG"
    assert result.mistake == "all hits"
    assert result.message.startswith("Not yet: all hits")
    assert "You chose: map: mean average precision" in result.message
    assert "The cause of all hits." in result.message


def test_the_correct_options_are_shown_on_request():
    exercise = declare()
    assert exercise.check("map").expected == ", ".join(exercise.accepted_answers)


def test_an_option_can_be_named_by_its_displayed_position():
    exercise = declare()
    for place, key in enumerate(exercise.option_list.keys):
        for way in (place + 1, str(place + 1), f"{place + 1}.", float(place + 1), "abcd"[place]):
            assert exercise.option_list.find_key(way) == key


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("mpa", "Did you mean map?"),
        ("zzzzzz", "zzzzzz is none of them."),
        ("`x` <b>", "'x' <b> is none of them"),
        (7, "There is no number 7"),
        (0, "There is no number 0"),
        (1.5, "There is no number"),
        (True, "a yes or no"),
        (max, "is none of them"),
        ({"map": 1}, "is none of them"),
        (["mrr", "map"], "One is to be chosen, and 2 were given"),
        ("mrr map", "One is to be chosen, and 2 were given"),
    ],
    ids=repr,
)
def test_an_invalid_option_is_an_error(given, says):
    result = declare().check(given)
    assert result.outcome == "ERROR"
    assert says in result.message
    assert "ex.first.check(choice=...)" in result.message


def test_a_wrong_call_is_an_error():
    exercise = declare()
    assert "it is choice" in exercise.check(choise="mrr").message
    assert "given twice" in exercise.check("mrr", choice="mrr").message
    assert exercise.check(choice="mrr").passed


@pytest.mark.parametrize("nothing", [(), (...,), (None,), ("",), ("  ",), ([],), ({...},)])
def test_an_empty_answer_is_not_attempted(nothing):
    exercise = declare()
    assert exercise.check(*nothing).outcome == "NOT ATTEMPTED"
    assert exercise.solution().title == "Try it first"


@pytest.mark.parametrize(
    "right", ["k gain", "Gain, K", "k and gain", ["gain", "k"], {"k", "gain"}, ("the gain", "K")]
)
def test_several_options_are_accepted_in_any_form(right):
    assert declare_all().check(right).passed
    assert declare_all().check("k", "gain").passed


def test_a_superfluous_option_is_explained_in_any_combination():
    for also in ({"base", "k", "gain"}, {"base", "k"}, {"base"}):
        assert declare_all().check(also).mistake == "natural log"
    assert declare_all().check({"k"}).mistake == "half of it"


def test_feedback_counts_correct_options_without_naming_them():
    assert "2 of 3 chosen fit; nothing is missing." in declare_all().check("k gain font").message
    assert "1 of 2 chosen fit; something is missing." in declare_all().check("k font").message
    assert "it is not all that does" in declare_all().check("gain").message


def test_a_multiple_choice_without_a_known_mistake_refers_to_a_hint():
    result = declare_all().check("gain")
    assert result.mistake is None
    assert "ex.first.hint()" in result.message


def test_the_card_asks_for_all_options_only_in_multiple_choice():
    assert "Choose every one that fits." in repr(declare_all())
    assert "Choose every one" not in repr(declare())


def test_ordered_options_keep_their_order():
    exercise = declare(ordered=True)
    assert (
        exercise.option_list.keys == exercise.variant(1).option_list.keys == tuple(exercise.options)
    )
    assert {declare().variant(seed).option_list.keys for seed in range(9)} != {
        declare().option_list.keys
    }


def test_options_with_numeric_names_are_matched_by_name_only():
    exercise = declare(
        options={"3": "three", "2": "two", "1": "one"},
        solve=lambda inputs: "2",
        reasons={},
        mistakes=(mistake("more", lambda i: "3"), mistake("less", lambda i: "1")),
        ordered=True,
    )
    assert exercise.check(2).passed
    assert exercise.check("2").passed
    assert exercise.check(1).mistake == "less"
    assert "- `3`: three" in exercise.statement


def test_the_worked_solution_discusses_every_option():
    shown = repr(declare().solution(show=True))
    for text in ("It fades with the rank.", "No: all hits. The cause of all hits.", "NDCG@5"):
        assert text in shown


def test_a_mistake_may_have_no_or_several_wrong_answers():
    exercise = declare(
        solve=lambda inputs: "mrr",
        reasons={},
        mistakes=(
            mistake("never", lambda inputs: None),
            mistake("list", lambda inputs: ("map", "ndcg")),
        ),
    )
    assert exercise.check("map").mistake == exercise.check("ndcg").mistake == "list"
    assert exercise.wrong_answers(exercise.mistakes[0]) == []


def test_a_correct_mistake_and_two_equal_mistakes_are_indistinguishable():
    right = mistake("right", lambda inputs: "mrr")
    one, other = (mistake(name, lambda inputs: "map") for name in ("one", "other"))
    assert declare(mistakes=(right,)).indistinguishable_mistakes() == [("right",)]
    assert declare(mistakes=(one, other)).indistinguishable_mistakes() == [("one", "other")]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"options": {"a b": "x", "c": "y"}}, "without blanks"),
        ({"options": {"": "x", "c": "y"}}, "without blanks"),
        ({"options": {"a-b": "x", "A_b": "y"}}, "read the same"),
        ({"options": {"a": "x"}}, "there must be 2 to 26"),
        ({"reasons": {"auc": "because"}}, "'auc', which is no option"),
    ],
)
def test_an_invalid_declaration_raises(change, says):
    with pytest.raises(ValueError, match=says):
        declare(**change)


def test_a_variant_draws_new_inputs_if_it_has_a_draw_function():
    drawn = declare(draw=lambda rng: {"k": int(rng.integers(10, 99))})
    assert drawn.variant(1).inputs != drawn.inputs
    assert declare().variant(1).inputs == declare().inputs
    assert replace(drawn).variant("s").inputs == drawn.variant("s").inputs


def test_unsortable_objects_are_an_error_and_do_not_crash():
    result = declare().check({object(), object()})
    assert result.outcome == "ERROR"
    assert "none of them" in result.message or "One is to be chosen" in result.message


@pytest.fixture
def several():
    return next(
        one
        for one in REGISTRY.values()
        if isinstance(one, Choice)
        and one.chooses_all
        and not any(label.isdigit() for label in one.option_list.labels)
    )


def test_several_digits_need_no_separator(several):
    places = "".join(
        str(several.option_list.keys.index(key) + 1) for key in several.accepted_answers
    )
    assert replace(several).check(places).outcome == "PASS"
    assert replace(several).check(int(places)).outcome == "PASS"
    assert replace(several).check("98").outcome == "ERROR"


def test_a_number_may_be_prefixed_with_option(several):
    place = several.option_list.keys.index(several.accepted_answers[0]) + 1
    for said in (f"option {place}", f"Answer {place}", f"No. {place}", f"film {place}"):
        assert several.option_list.find_key(said) == several.accepted_answers[0]


def test_each_wrong_option_is_explained():
    result = REGISTRY["protocol.e10"].check("size", "loss", "interval")
    assert "loss: The training loss measures" in result.message
    assert "size: The size of a model is a cost" in result.message
    assert result.parts[0].mistake == "loss-for-rank"
