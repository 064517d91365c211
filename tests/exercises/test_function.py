"""Exercises that ask for a function: what each way to go wrong is told."""

from __future__ import annotations

import asyncio
import functools
import linecache
import math
import threading
from dataclasses import replace

import numpy as np
import pytest

from recsys_metrics.workbook.common.hooks import on_check
from recsys_metrics.workbook.exercises import ranking as ex
from recsys_metrics.workbook.exercises.function import Case
from tests.exercises.right_ways.ranking import ndcg_by_logs


@pytest.fixture
def exercise():
    # Long enough for a machine that does other work, too.
    return replace(ex.write_ndcg, seconds=20.0)


def own_list_ideal(recommended, relevant, k):
    hits = [item in relevant for item in recommended[:k]]
    dcg = sum(hit / math.log2(i + 2) for i, hit in enumerate(hits))
    best = sum(hit / math.log2(i + 2) for i, hit in enumerate(sorted(hits, reverse=True)))
    return dcg / best if best else 0.0


# Not attempted -----------------------------------------------------------------------------------


def dots(recommended, relevant, k): ...


def passes(recommended, relevant, k):
    """Say what it does, and do nothing."""
    pass


def nothing(recommended, relevant, k):
    return


def not_implemented(recommended, relevant, k):
    raise NotImplementedError


def a_line_left(recommended, relevant, k):
    dcg = ...
    return dcg / 2


def dots_come_back(recommended, relevant, k):
    result = ...
    print(result)
    return result


@pytest.mark.parametrize(
    "stub",
    [dots, passes, nothing, not_implemented, a_line_left, dots_come_back, lambda s, r, k: ...],
)
def test_an_unfinished_function_is_not_attempted(exercise, stub):
    result = exercise.check(stub)
    assert result.outcome == "NOT ATTEMPTED"
    assert "def my_ndcg(recommended, relevant, k): ..." in result.message
    assert exercise.solution().title == "Try it first"


# One line missing --------------------------------------------------------------------------------

GAP = """
def my_recall(recommended, relevant, k):
    if not relevant:
        return 0.0
    hits = sum(item in relevant for item in recommended[:k])
    return ...
""".strip()


def filled_in(code, file="<cell 7>"):
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    scope = {}
    exec(compile(code, file, "exec"), scope)
    return scope["my_recall"]


def test_the_full_function_is_shown_with_its_gap():
    asked = replace(ex.complete_recall)
    assert asked.stub == asked.draft == GAP
    assert asked.check_template == f"{GAP}\n\nex.complete_recall.check(my_recall)"
    assert asked.completed_function == GAP.replace("...", "hits / len(relevant)")
    assert GAP in repr(asked)
    whole = ex.write_precision
    assert whole.stub == "def my_precision(recommended, relevant, k): ..."
    assert whole.draft == "def my_precision(recommended, relevant, k):\n    ..."
    assert whole.completed_function == ""


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (GAP, "line 5: return ..."),
        (f"k = 3\n# Mine.\n\n{GAP}", "line 8: return ..."),
        (
            GAP.replace("sum(item in relevant for item in recommended[:k])", "..."),
            "line 4: hits = ...",
        ),
        (GAP.replace("return ...", "return hits / ..."), "line 5: return hits / ..."),
        (GAP.replace("item in relevant for", "... for"), "line 4: hits = sum(... for item in"),
        (GAP.replace("...", "min(..., 1)"), "line 5: return min(..., 1)"),
        (GAP.replace("...", "max(lambda: ..., 1)"), "line 5: return max(lambda: ..., 1)"),
    ],
)
def test_an_unfilled_gap_is_not_attempted_and_its_line_is_shown(code, line):
    asked = replace(ex.complete_recall)
    result = asked.check(filled_in(code))
    assert result.outcome == "NOT ATTEMPTED"
    assert "still a ... to fill in" in result.message
    assert f"Still open: {line}" in result.message
    assert asked.solution().title == "Try it first"


def test_without_source_the_template_line_of_the_gap_is_shown():
    scope = {}
    exec(GAP, scope)
    message = replace(ex.complete_recall).check(scope["my_recall"]).message
    assert "Still open: return ..." in message


def test_ellipses_in_comments_and_strings_are_not_gaps():
    code = GAP.replace("...", "hits / len(relevant)  # ...").replace(
        "hits = ", '"..."\n    hits = '
    )
    assert replace(ex.complete_recall).check(filled_in(code)).passed


def test_other_implementations_pass():
    assert (
        replace(ex.complete_recall)
        .check(
            lambda recommended, relevant, k: (
                len(relevant & {*recommended[:k]}) / max(1, len(relevant))
            )
        )
        .passed
    )


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"template": "return 1"}, "has no `...`"),
        ({"template": "a = ...\nreturn ..."}, "has two `...`; leave one"),
        ({"template_answer": ""}, "is missing; write what belongs in the gap"),
        ({"template": ""}, "there is no `template` with one"),
        ({"template": "hits = 0\n...\nreturn hits"}, "has to be an expression"),
        ({"template": "if ...:\n    return 0\nreturn 1"}, "has to be an expression"),
        ({"steps": ex.write_precision.steps}, "code in its first step"),
    ],
)
def test_an_ambiguous_gap_declaration_raises(wrong, says):
    with pytest.raises(ValueError, match=says):
        replace(ex.complete_recall, **wrong)


def test_one_check_notifies_listeners_once(exercise):
    heard = []
    on_check.append(lambda _, result: heard.append(result.outcome.name))
    try:
        for function in (not_implemented, dots, ndcg_by_logs, own_list_ideal):
            exercise.check(function)
    finally:
        on_check.pop()
    assert heard == ["NOT_ATTEMPTED", "NOT_ATTEMPTED", "PASS", "WRONG"]


# Errors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [0.593, "my_ndcg", [ndcg_by_logs]])
def test_a_value_that_is_not_a_function_is_an_error(exercise, given):
    result = exercise.check(given)
    assert result.outcome == "ERROR"
    assert "without calling it" in result.message
    assert "ex.write_ndcg.check(my_ndcg)" in result.message


@pytest.mark.parametrize(
    "function",
    [
        lambda: 0,
        lambda recommended, relevant: 0,
        lambda a, b, c, d: 0,
        lambda *, recommended: 0,
        len,
    ],
)
def test_a_wrong_signature_shows_the_expected_one(exercise, function):
    result = exercise.check(function)
    assert result.outcome == "ERROR"
    assert "def my_ndcg(recommended, relevant, k)" in result.message


def test_more_than_one_argument_is_an_error(exercise):
    assert exercise.check(ndcg_by_logs, ndcg_by_logs).outcome == "ERROR"
    assert exercise.check(ndcg_by_logs, my_ndcg=ndcg_by_logs).outcome == "ERROR"
    assert "it is my_ndcg" in exercise.check(ndcg=ndcg_by_logs).message


def test_a_function_can_be_passed_by_keyword(exercise):
    assert exercise.check(my_ndcg=ndcg_by_logs).outcome == "PASS"
    assert exercise.check(**exercise.answer).outcome == "PASS"


def test_an_async_function_is_an_error(exercise):
    async def later(recommended, relevant, k):
        await asyncio.sleep(0)

    assert "async" in exercise.check(later).message


def divides_by_zero(recommended, relevant, k):
    n_recommended = len(recommended)
    return 1 / (n_recommended - n_recommended)


def test_an_exception_is_reported_with_its_line(exercise):
    result = exercise.check(divides_by_zero)
    line = divides_by_zero.__code__.co_firstlineno + 2
    assert result.outcome == "ERROR"
    assert f"ZeroDivisionError: division by zero, in line {line}" in result.message
    assert "return 1 / (n_recommended - n_recommended)" in result.message
    assert 'divides_by_zero(["A", "B"' in result.message


def test_an_exception_in_a_library_is_reported_at_the_line_of_the_learner(exercise):
    def asks_numpy(recommended, relevant, k):
        return np.reshape([1, 2, 3], (2, 2))

    assert "return np.reshape([1, 2, 3], (2, 2))" in exercise.check(asks_numpy).message


def test_sys_exit_is_reported_as_an_exception(exercise):
    def leaves(recommended, relevant, k):
        raise SystemExit(3)

    result = exercise.check(leaves)
    assert result.outcome == "ERROR"
    assert "SystemExit: 3" in result.message


def test_an_exception_without_a_readable_message_is_named(exercise):
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    def mute(recommended, relevant, k):
        raise Mute

    assert "Mute" in exercise.check(mute).message


def test_an_endless_loop_is_stopped(exercise):
    def loops(recommended, relevant, k):
        while True:
            k += 1

    before = threading.active_count()
    result = replace(exercise, seconds=0.2).check(loops)
    assert result.outcome == "ERROR"
    assert "did not finish within 0.2 s" in result.message
    assert 'loops(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, 5)' in result.message
    assert threading.active_count() == before


def test_a_check_works_outside_the_main_thread(exercise):
    found = []

    def work():
        found.append(exercise.check(ndcg_by_logs))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found[0].outcome == "PASS"


# Wrong -------------------------------------------------------------------------------------------


def test_a_known_mistake_is_named_with_the_first_case_that_shows_it(exercise):
    result = exercise.check(own_list_ideal)
    assert result.outcome == "WRONG"
    assert result.mistake == "own-list-ideal"
    assert 'Case: own_list_ideal(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, 5)' in (
        result.message
    )
    assert "Came back: 0.712" in result.message
    assert "6 of 11 cases" in result.message
    assert "0.593" not in result.message
    assert result.expected == "0.593"


def test_a_mistake_is_recognised_although_one_case_raises(exercise):
    def unguarded(recommended, relevant, k):
        hits = [item in relevant for item in recommended[:k]]
        dcg = sum(hit / math.log2(i + 2) for i, hit in enumerate(hits))
        return dcg / sum(1 / math.log2(i + 2) for i in range(sum(hits)))

    assert exercise.check(unguarded).mistake == "own-list-ideal"


def test_a_mistake_must_fit_every_case(exercise):
    def nearly(recommended, relevant, k):
        return own_list_ideal(recommended, relevant, k) if k == 5 else 0.3

    result = exercise.check(nearly)
    assert result.mistake is None
    assert "on paper" in result.message


def test_the_failing_case_can_be_pasted(exercise):
    result = exercise.check(own_list_ideal)
    line = next(line for line in result.parts[0].lines if line.label == "Case")
    assert eval(line.text) == own_list_ideal(list("ABCDE"), set("BCEG"), 5)


def test_the_case_of_a_lambda_has_a_placeholder_name(exercise):
    assert "my_ndcg([" in exercise.check(lambda s, r, k: len(s)).message


def test_a_failing_case_is_described(exercise):
    def nan_for_nothing(recommended, relevant, k):
        return ndcg_by_logs(recommended, relevant, k) if relevant else float("nan")

    result = exercise.check(nan_for_nothing)
    assert result.mistake == "nan-for-nothing"
    assert "nothing is relevant" in result.message
    assert "10 of 11 cases" in result.message


def test_returning_none_has_its_own_message(exercise):
    def forgets(recommended, relevant, k):
        ndcg_by_logs(recommended, relevant, k)

    result = exercise.check(forgets)
    assert result.outcome == "WRONG"
    assert "forget `return`" in result._repr_html_().replace("<code>", "`").replace("</code>", "`")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (float("nan"), "not a number"),
        (True, "yes or no"),
        ("0.593", "A text came back"),
        (np.array([1, 2]), "array of 2 values"),
        ([0.593, 1], "list of 2"),
        (ndcg_by_logs, "call it"),
    ],
)
def test_returning_a_non_number_has_its_own_message(exercise, value, says):
    result = exercise.check(lambda recommended, relevant, k: value)
    assert result.outcome == "WRONG"
    assert says in result.message


def test_a_constant_function_is_detected(exercise):
    assert "same on every case" in exercise.check(lambda s, r, k: 0.5925).message


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda recommended, relevant: recommended.sort(reverse=True), "recommended"),
        (lambda recommended, relevant: relevant.clear(), "relevant"),
        (lambda recommended, relevant: recommended.append(np.ones(2)), "recommended"),
    ],
)
def test_modified_arguments_are_wrong_although_the_value_is_correct(exercise, change, name):
    def changes(recommended, relevant, k):
        value = ndcg_by_logs(recommended, relevant, k)
        change(recommended, relevant)
        return value

    result = exercise.check(changes)
    assert result.outcome == "WRONG"
    assert f"The value is right. It changed {name}, which belongs to the caller" in result.message


def test_a_function_that_modifies_its_arguments_does_not_change_the_cases(exercise):
    exercise.check(lambda recommended, relevant, k: recommended.clear())
    assert exercise.check(ndcg_by_logs).outcome == "PASS"


def test_printed_output_is_shown_with_the_case_only(exercise, capsys):
    def prints(recommended, relevant, k):
        print("looking at", recommended)
        return 0.3

    result = exercise.check(prints)
    assert "Printed: looking at ['A', 'B', 'C', 'D', 'E']" in result.message
    assert capsys.readouterr().out == ""


# Right -------------------------------------------------------------------------------------------


def test_parameters_may_have_other_names_and_defaults(exercise):
    assert exercise.check(lambda *args: ndcg_by_logs(*args)).passed
    assert exercise.check(lambda a, b, c, verbose=False: ndcg_by_logs(a, b, c)).passed
    assert exercise.check(functools.partial(ndcg_by_logs)).passed

    class Metric:
        def __call__(self, recommended, relevant, k):
            return ndcg_by_logs(recommended, relevant, k)

    assert exercise.check(Metric()).passed
    assert exercise.check(Metric().__call__).passed


def test_an_instructor_can_replace_the_cases(exercise):
    hidden = replace(exercise, cases=(Case({"recommended": [1], "relevant": {1}, "k": 1}),))
    assert hidden.check(lambda recommended, relevant, k: 1.0).passed
    assert not exercise.check(lambda recommended, relevant, k: 1.0).passed


def test_a_value_rounded_too_far_is_wrong(exercise):
    rounded = exercise.check(lambda s, r, k: round(ndcg_by_logs(s, r, k), 2))
    assert rounded.outcome == "WRONG"
