"""The law: what holds for every exercise, whatever its subject and kind."""

from __future__ import annotations

import ast
import html
import inspect
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import REGISTRY, SUBJECTS, answers
from recsys_metrics.workbook.exercises.arithmetic_mistakes import SWAPPED
from recsys_metrics.workbook.exercises.base import INPUTS_HEADING, render_text
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.prediction import Predict
from tests.exercises.right_ways import RIGHT_WAYS
from tests.exercises.simulated_learners import (
    check_mistake,
    check_solution,
    every,
    every_choice,
    every_function,
    every_guess,
    every_judged,
    every_numbers,
    every_order,
    every_pick,
    every_text,
    find_all,
    fresh,
    list_mistakes,
    run_worked_solution,
)


def forms(value):
    """Return ways to write a value that are all right."""
    digits = f"{value:.3f}"
    written = [
        value,
        round(value, 3),
        round(value, 4),
        round(value, 6),
        np.float64(value),
        np.float32(value),
        np.float16(value),
        np.longdouble(value),
        np.float32(round(value, 4)),
        np.array(value),
        np.array([value]),
        Decimal(repr(value)),
        Decimal(digits),
        Fraction(value),
        Fraction(value).limit_denominator(1000),
        repr(value),
        f"  {digits} ",
        digits.removeprefix("0"),
        f"{value:+.5f}",
        f"{value:.8e}",
        f"{Fraction(value).limit_denominator(10**6)}",
    ]
    if value == round(value):
        whole = int(value)
        written += [whole, np.int64(whole), np.min_scalar_type(whole).type(whole), str(whole)]
    return written


# What an exercise says of itself ---------------------------------------------------------------


def test_the_registry_holds_every_exercise_once():
    assert len(REGISTRY) == sum(map(len, SUBJECTS.values()))
    assert {"ranking.e2", "ranking.e3", "ranking.e4", "ranking.e5", "ranking.e6"} <= set(REGISTRY)
    for exercise_id, exercise in REGISTRY.items():
        assert exercise.id == exercise_id


@every
def test_every_exercise_is_complete(exercise):
    assert 1 <= exercise.minutes <= 20
    assert exercise.title == exercise.title.strip(". ")
    if isinstance(exercise, Predict):
        assert exercise.points == 0
        assert exercise.observed
        return
    assert 1 <= exercise.points <= 5
    assert len(exercise.hints) == 3
    assert exercise.insight
    if isinstance(exercise, Text):
        assert len(exercise.criteria) >= 2
        return
    assert len(exercise.steps) >= (2 if isinstance(exercise, Numbers | Function) else 1)
    n_wrong = (
        len(exercise.options) - len(exercise.accepted_answers)
        if isinstance(exercise, Choice)
        else 3
    )
    assert len(exercise.own_mistakes) >= min(3, n_wrong)


@every_choice
def test_every_wrong_option_has_its_message(exercise):
    for one in (exercise, *map(exercise.variant, range(20))):
        said = {}
        for key in set(one.options) - set(one.accepted_answers):
            picked = {*one.accepted_answers, key} if one.chooses_all else key
            result = fresh(one).check(picked)
            assert result.outcome == "WRONG"
            assert result.mistake, f"{key} is wrong, and nothing says why"
            said[key] = result.mistake
        assert one.chooses_all or len(set(said.values())) >= min(3, len(said))


@every_guess
def test_every_prediction_option_has_its_own_belief(exercise):
    beliefs = [render_text(text, exercise.inputs) for text in exercise.beliefs.values()]
    assert len(set(beliefs)) == len(beliefs) >= 2
    for key in exercise.options:
        result = fresh(exercise).check(key)
        assert result.outcome == "PASS"
        assert repr(result).startswith(f"• Noted: {key}")
        page = result._repr_html_() + result.message
        for scolding in ("wrong", "Not yet", "mistake", "error", "✗", "incorrect"):
            assert scolding not in page


@every
def test_every_mistake_has_its_own_message(exercise):
    causes = [render_text(m.cause, exercise.inputs) for m in exercise.own_mistakes]
    assert len(set(causes)) == len(causes)
    for mistake in exercise.mistakes:
        assert mistake.name == mistake.name.strip(". ")
        assert render_text(mistake.hint, exercise.inputs).endswith(("?", "."))


@every
def test_mistakes_are_distinguishable(exercise):
    assert exercise.indistinguishable_mistakes() == []


@every_function
def test_the_stub_has_the_parameters_of_the_cases(exercise):
    scope = {}
    exec(exercise.stub, scope)
    asked = list(inspect.signature(scope[exercise.function]).parameters)
    for case in exercise.cases:
        assert list(case.arguments) == asked[: len(case.arguments)]
    for shown in exercise.check_template.splitlines():
        if shown.startswith("def "):
            assert shown.startswith(f"def {exercise.function}({', '.join(asked)})")


@every_function
def test_exercises_with_a_gap_ask_for_it_and_the_solution_fills_it(exercise):
    assert ("omplete the line" in exercise.statement) == bool(exercise.template)
    if exercise.template:
        scope = {}
        exec(exercise.completed_function, scope)
        assert fresh(exercise).check(scope[exercise.function]).outcome == "PASS"
        for shown in before_a_try(exercise):
            assert exercise.completed_function not in shown
        for variant in map(exercise.variant, range(3)):
            assert variant.draft == exercise.draft
            assert variant.check(scope[exercise.function]).outcome == "PASS"


@every_numbers
def test_mistakes_declared_as_ambiguous_give_equal_answers(exercise):
    """They do with the inputs of the exercise, or with those of a variant."""
    drawn = (exercise, *map(exercise.variant, range(40)))
    for mistake in exercise.mistakes:
        for other in {*mistake.ambiguous_with} - {SWAPPED}:
            assert any(_give_equal_answers(one, mistake.id, other) for one in drawn), other


def _give_equal_answers(exercise, *ids):
    mine, theirs = (
        exercise.wrong_answers_by_way(next(m for m in exercise.mistakes if m.id == one))
        for one in ids
    )
    return any(one == pytest.approx(other) for one in mine for other in theirs)


# What it answers ---------------------------------------------------------------------------------


@every
def test_the_solution_passes(exercise):
    result = check_solution(fresh(exercise))
    assert result.outcome == "PASS"
    assert result.mistake is None


@every
def test_a_stub_is_not_attempted(exercise):
    exercise = fresh(exercise)
    stubs = [(), (...,), (None,)]
    if isinstance(exercise, Function):
        scope = {}
        exec(exercise.stub, scope)
        stubs += [(scope[exercise.function],)]
    for stub in stubs:
        assert exercise.check(*stub).outcome == "NOT ATTEMPTED"
    assert exercise.solution().title == "Try it first"


@every
def test_the_call_template_is_not_attempted(exercise):
    exercise = fresh(exercise)
    scope = {"ex": type("", (), {exercise.python_name: exercise})}
    lines = exercise.check_template.splitlines()
    exec("\n".join(lines[:-1]), scope)
    assert eval(lines[-1], scope).outcome == "NOT ATTEMPTED"


def ways_to_name(exercise, key):
    """Return ways to name an option or a line that are all right."""
    shown = exercise.option_list
    label, place, text = shown.label(key), shown.keys.index(key), shown.texts[key]
    numbers = not any(label.isdigit() for label in shown.labels)
    letters = not any(len(label) == 1 for label in shown.labels)
    return [
        label,
        label.upper(),
        label.capitalize(),
        f"  {label} ",
        f"`{label}`",
        text,
        markup.strip_markup(text).upper(),
        f" {markup.strip_markup(text)}. ",
        *([place + 1, np.int64(place + 1), str(place + 1), f"{place + 1}."] if numbers else []),
        *(
            ["abcdefghijkl"[place], "ABCDEFGHIJKL"[place], f"{'abcdefghijkl'[place]})"]
            if letters
            else []
        ),
    ]


@every_pick
def test_options_can_be_named_by_key_position_or_letter(exercise):
    for one in (exercise, exercise.variant("s1")):
        for key in one.option_list.keys:
            for way in ways_to_name(one, key):
                assert one.option_list.find_key(way) == key, way


@every_choice
def test_the_correct_choice_passes_in_every_form(exercise):
    if exercise.chooses_all:
        right = list(exercise.accepted_answers)
        forms = [right, right[::-1], tuple(right), set(right), " ".join(right), ", ".join(right)]
        forms += [" and ".join(right).upper(), [exercise.option_list.texts[key] for key in right]]
        forms += [[exercise.option_list.keys.index(key) + 1 for key in right], "\n".join(right)]
    else:
        forms = [way for key in exercise.accepted_answers for way in ways_to_name(exercise, key)]
        forms += [[key] for key in exercise.accepted_answers]
    for form in forms:
        for result in (fresh(exercise).check(form), fresh(exercise).check(choice=form)):
            assert result.outcome == "PASS", (form, result)


@every_choice
def test_a_correct_choice_is_explained(exercise):
    for key in exercise.accepted_answers if exercise.reasons and not exercise.chooses_all else ():
        reason = render_text(exercise.reasons[key], exercise.inputs)
        assert markup.strip_markup(reason) in fresh(exercise).check(key).message


@every_order
def test_the_correct_order_passes_in_every_form(exercise):
    for order in exercise.accepted_answers:
        texts = [
            exercise.option_list.texts[exercise.option_list.find_key(letter)] for letter in order
        ]
        places = [exercise.option_list.labels.index(letter) + 1 for letter in order]
        forms = [order, list(order), "".join(order), " ".join(order), ", ".join(order)]
        forms += ["".join(order).upper(), " → ".join(order), "\n".join(order), texts, places]
        for form in forms:
            for result in (fresh(exercise).check(form), fresh(exercise).check(order=form)):
                assert result.outcome == "PASS", (form, result)
        assert fresh(exercise).check(*order).outcome == "PASS"


@every_order
def test_an_unknown_wrong_order_reports_its_correct_prefix(exercise):
    order = exercise.answer["order"]
    known = [answer["order"] for _, answer in list_mistakes(exercise)]
    for right in range(len(order)):
        rest = [
            letter for letter in exercise.option_list.labels if letter not in order[: right + 1]
        ]
        for given in (order[:right], (*order[:right], *rest[:1])):
            if given and given not in known and given not in exercise.accepted_answers:
                message = fresh(exercise).check(given).message
                assert re.search(r"Right so far|Line \d+ should not be", message)


@every_text
def test_open_answers_are_marked_by_the_learner(exercise):
    count = len(exercise.criteria)
    exercise = fresh(exercise)
    shown = exercise.check("A few words.")
    assert shown.outcome == "NOT ATTEMPTED"
    model = " ".join(markup.strip_markup(exercise.answer["text"]).split())
    assert model not in shown.message
    for criterion in exercise.criteria:
        assert markup.strip_markup(render_text(criterion, exercise.inputs)) in shown.message
    for marks in ([True] * count, [1] * count, "yes " * count, ",".join("y" * count)):
        passed = exercise.check("A few words.", marks=marks)
        assert passed.outcome == "PASS"
        assert model in passed.message
    for missing in range(count):
        marks = [i != missing for i in range(count)]
        result = exercise.check("A few words.", marks=marks)
        assert result.outcome == "WRONG"
        assert (
            markup.strip_markup(render_text(exercise.criteria[missing], exercise.inputs))
            in result.message
        )
    assert exercise.check("A few words.", marks=[True] * (count + 1)).outcome == "ERROR"
    assert exercise.check("  ").outcome == exercise.check(...).outcome == "NOT ATTEMPTED"


@every_numbers
def test_what_follows_from_right_answers_is_right(exercise):
    for variant in (exercise, *(exercise.variant(seed) for seed in range(3))):
        right = variant.answer
        given = {name: value for name, value in variant.inputs.items() if name not in right}
        for name, follows in variant.follows.items():
            others = {other: value for other, value in right.items() if other != name}
            assert follows({**given, **others}) == pytest.approx(right[name], rel=1e-9)


@every_numbers
def test_the_correct_numbers_pass_in_every_form(exercise):
    written = {name: forms(value) for name, value in exercise.answer.items()}
    assert min(map(len, written.values())) >= 10
    for name, ways in written.items():
        for way in ways:
            result = fresh(exercise).check(**{**exercise.answer, name: way})
            assert result.outcome == "PASS", (name, way, result)


@every_numbers
def test_the_correct_numbers_pass_as_positional_arguments(exercise):
    assert fresh(exercise).check(*exercise.answer.values()).outcome == "PASS"


@every_function
def test_every_correct_function_passes(exercise):
    ways = RIGHT_WAYS[exercise.id]
    assert len(ways) >= 4
    for way in ways:
        assert fresh(exercise).check(way).outcome == "PASS", way.__name__


@every
def test_every_mistake_is_named(exercise):
    for mistake, answer in list_mistakes(exercise):
        result = check_mistake(fresh(exercise), answer)
        alike = {mistake.id, *mistake.ambiguous_with}
        alike |= {m.id for m in exercise.mistakes if mistake.id in m.ambiguous_with}
        assert result.outcome == "WRONG"
        assert result.mistake in alike
        assert mistake.name in result.message
        assert markup.strip_markup(render_text(mistake.cause, exercise.inputs)) in result.message


@every_numbers
def test_every_mistake_is_named_when_it_is_rounded(exercise):
    for mistake, answer in list_mistakes(exercise):
        rounded = {name: round(value, 3) for name, value in answer.items()}
        assert mistake.name in fresh(exercise).check(**rounded).message


# All exercises read numbers with one function; `test_read_answers.py` gives it every invalid value.
@every_numbers
def test_text_instead_of_a_number_never_passes(exercise):
    for name in exercise.answer:
        assert fresh(exercise).check(**{**exercise.answer, name: "half"}).outcome != "PASS"


@every_pick
def test_an_unknown_option_is_an_error(exercise):
    result = fresh(exercise).check("zz top")
    assert result.outcome == "ERROR"
    assert markup.strip_markup(exercise.check_template) in result.message


@pytest.mark.parametrize("kind", [Choice, Order, Predict])
@pytest.mark.parametrize("invalid", [True, float("nan"), 1j, object(), 99, 0, max, b"x"])
def test_choices_and_orders_reject_invalid_values(kind, invalid):
    exercise = next(iter(find_all(kind).values()))
    result = fresh(exercise).check(invalid)
    assert result.outcome == "ERROR"
    assert markup.strip_markup(exercise.check_template) in result.message


# What it gives away ------------------------------------------------------------------------------


def visible(page):
    """Return the text and the labels of a page."""
    labels = re.findall(r'aria-label="([^"]*)"', page)
    return html.unescape(" ".join([re.sub(r"<[^>]*>", " ", page), *labels]))


def tokens(value):
    """Return the ways in which a value could be printed."""
    return {f"{value:.{n}f}" for n in range(2, 7)} | {f"{value:g}", repr(value)}


@every_numbers
def test_the_answer_is_hidden_before_an_attempt(exercise):
    exercise = fresh(exercise)
    shown = [visible(exercise._repr_html_()), repr(exercise), repr(exercise.solution())]
    shown += [repr(exercise.hint(i)) for i in (1, 2, 3)]
    given = {
        f"{float(x):g}" for x in np.ravel(next(iter(exercise.inputs.values()))) if _is_number(x)
    }
    for value in exercise.answer.values():
        if value == round(value):
            continue  # a count such as 3 stands in any text
        for token in tokens(value) - given:
            pattern = rf"(?<![\d.]){re.escape(token)}(?!\d)"
            assert not any(re.search(pattern, text) for text in shown), token


def _is_number(x):
    return np.issubdtype(np.asarray(x).dtype, np.number)


def before_a_try(exercise):
    """Return all that is shown before something was tried."""
    exercise = fresh(exercise)
    pages = [visible(exercise._repr_html_()), repr(exercise), repr(exercise.solution())]
    return [*pages, exercise.check().message, exercise.check_template]


@every
def test_explanations_are_hidden_before_an_attempt(exercise):
    told = [m.cause for m in exercise.mistakes] + [exercise.insight]
    told += [*getattr(exercise, "reasons", {}).values(), *getattr(exercise, "beliefs", {}).values()]
    told += [*getattr(exercise, "criteria", ()), getattr(exercise, "model", "")]
    told += [getattr(exercise, "observed", "")]
    texts = [markup.strip_markup(render_text(text, exercise.inputs)) for text in told]
    hints = [markup.strip_markup(repr(exercise.hint(i + 1))) for i in range(len(exercise.hints))]
    for shown in [*before_a_try(exercise), *hints]:
        assert not any(text in shown for text in texts if text)


@every_order
def test_the_correct_order_is_hidden_before_an_attempt(exercise):
    for one in (exercise, *map(exercise.variant, range(50))):
        for order in one.accepted_answers:
            assert sorted(order) != list(order)
            shown = "\n".join([*before_a_try(one), *(repr(one.hint(i)) for i in (1, 2, 3))])
            for glue in (" ", ", ", ""):
                assert glue.join(order) not in shown


@every_choice
def test_hints_do_not_name_the_correct_option(exercise):
    for one in (exercise, *map(exercise.variant, range(20))):
        for hint in one.hints:
            assert not any(
                f"`{key}`" in render_text(hint, one.inputs) for key in one.accepted_answers
            )


@every_choice
def test_the_correct_option_appears_at_every_position(exercise):
    if not exercise.ordered and not exercise.chooses_all:
        drawn = [exercise.variant(seed) for seed in range(60)]
        places = {one.option_list.keys.index(key) for one in drawn for key in one.accepted_answers}
        assert places == set(range(len(exercise.options)))


@every_judged
def test_the_answer_is_shown_on_request_only(exercise):
    for _, answer in list(list_mistakes(exercise))[:1]:
        result = check_mistake(fresh(exercise), answer)
        assert result.expected
        assert "The attribute `expected` of this result has the answer." in result.message
        assert "Show the answer</summary>" in result._repr_html_()


@every_numbers
def test_the_answer_to_each_wrong_value_is_shown_on_request_only(exercise):
    # A value that is no part's and no mistake's.
    off = dict.fromkeys(exercise.answer, 98.7654)
    result = fresh(exercise).check(**off)
    right = {name: answers.format_value(value) for name, value in exercise.answer.items()}
    assert {part.name: ", ".join(part.expected) for part in result.parts} == right
    assert not any(f": {value}" in result.message for value in right.values() if len(value) > 4)


# The worked solution -----------------------------------------------------------------------------


@every
def test_the_worked_solution_computes_the_answer_and_passes(exercise):
    names = run_worked_solution(exercise)
    if isinstance(exercise, Function):
        assert fresh(exercise).check(names[exercise.function]).outcome == "PASS"
    elif isinstance(exercise, Numbers):
        found = {name: names[name] for name in exercise.answer}
        assert found == pytest.approx(exercise.answer, abs=1e-12)
    else:
        # Its last cell has the answer; steps may find it, too.
        found = {name: names[name] for name in exercise.answer if name in names}
        assert not found or fresh(exercise).check(**found).outcome == "PASS"
    scope = {"ex": type("", (), {exercise.python_name: fresh(exercise)}), **names}
    if ".check(" in exercise.final_check:
        assert eval(exercise.final_check, scope).outcome == "PASS"
    else:
        assert isinstance(exercise, Predict | Text)


@every
def test_worked_solutions_start_from_their_inputs_and_use_displayed_letters(exercise):
    given, *rest = exercise.walkthrough()
    if given[0] != INPUTS_HEADING:
        assert all(text != INPUTS_HEADING for text, _ in rest)
        return
    code = "\n".join(code for _, code in rest)
    for line in ast.parse(given[1]).body:
        assert isinstance(line, ast.Assign)
        assert re.search(rf"\b{ast.unparse(line.targets[0])}\b", code)
        words = [n.value for n in ast.walk(line.value) if isinstance(n, ast.Constant)]
        assert not set(words) & set(getattr(exercise, "options", ()))


@every
def test_the_worked_solution_is_available_after_an_attempt(exercise):
    exercise = fresh(exercise)
    assert exercise.solution().title == "Try it first"
    check_solution(exercise)
    shown = visible(exercise.solution()._repr_html_())
    shown = " ".join(shown.split())
    for text, code in exercise.walkthrough():
        assert " ".join(code.split()) in shown
        assert " ".join(visible(markup.render_block(text)).split()) in shown
