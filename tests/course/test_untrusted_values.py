"""What comes out of the sandbox is believed to be values, whatever it claims to be."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import nbformat
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from recsys_metrics.workbook.course import release_notebook
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.answers import UnreadableError, read_number
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading import judge as judge_module
from recsys_metrics.workbook.grading import recorded_function, submissions, untrusted_values
from recsys_metrics.workbook.grading.judge import judge_submission
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import create_questions
from recsys_metrics.workbook.grading.recorded_function import RecordedFunction
from recsys_metrics.workbook.grading.sandbox import Job, Trace, in_sandbox
from recsys_metrics.workbook.grading.submissions import Submission

KEY = "ab" * 32
HAS_LONG_DOUBLES = bool(np.finfo(np.longdouble).max > np.finfo(float).max)
EXERCISES = ["ranking.e4", "ranking.order_average_precision", "ranking.write_average_precision",
             "ranking.comparable", "ranking.explain_ideal"]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["kind", "value", "type", "items", "dtype", "float", "size", "callable",
                         "question", "case", "values", "function", "cell", "error", "ap",
                         "ready", "changed", "problem", "late", "ellipsis"]) | st.text(max_size=5),
        inner | st.sampled_from(["int", "float", "fraction", "decimal", "list", "set", "scalar",
                                 "array", "other", "idle", "function", "str", "float32", "int8"]),
        max_size=6,
    ),
    max_leaves=20,
)  # fmt: skip


def transfer(value):
    """Return a value as it comes out of the sandbox."""
    return untrusted_values.read_value(json.loads(json.dumps(in_sandbox.encode_value(value))))


@pytest.mark.parametrize(
    "value",
    [None, ..., True, 0, -7, 10**300, 0.1, 1e-300, "a b", "", Fraction(53, 120), Decimal("0.442"),
     ["b", "a"], ("a", 1), {"a", "b"}, [], [[1, 2], ["x"]]],
)  # fmt: skip
def test_values_survive_the_transfer(value):
    assert transfer(value) == value
    assert type(transfer(value)) is type(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_non_finite_numbers_survive_the_transfer(value):
    assert repr(transfer(value)) == repr(value)


@pytest.mark.parametrize(
    "value",
    [np.float32(0.442), np.float64(1 / 3), np.int8(-3), np.uint64(2**63), np.bool_(True),
     np.float16(0.5)],
)  # fmt: skip
def test_numpy_scalars_keep_their_precision(value):
    assert transfer(value) == value
    assert type(transfer(value)) is type(value)
    assert transfer(np.array(value)) == value
    assert transfer(np.array([value])) == value


@pytest.mark.parametrize(
    "value", [np.longdouble("0.4417"), np.array(np.longdouble("0.4417")), np.str_("0.4417"),
              np.array([np.longdouble("0.4417")])],
)  # fmt: skip
def test_an_answer_of_an_unusual_numpy_type_is_judged_as_in_the_notebook(value):
    exercise = REGISTRY["ranking.e4"]
    assert exercise.check(value).outcome == exercise.check(transfer(value)).outcome == "PASS"


def test_a_function_that_returns_longdouble_is_judged_as_in_the_notebook(alarm):
    exercise = REGISTRY["ranking.write_average_precision"]

    def solve(*values):
        return np.longdouble(exercise.solve(*values))

    assert exercise.check(record_and_replay(exercise, solve)).outcome == "PASS"


def test_of_unsupported_objects_only_the_type_is_transferred():
    class Score:
        pass

    class Seven:
        def __float__(self):
            return 7.0

    class Liar:
        def __class_getitem__(cls, item):
            raise RuntimeError

        def __float__(self):
            raise KeyError

        def __getattr__(self, name):
            raise SystemError

    assert type(transfer(Score())).__name__ == "Score"
    assert float(transfer(Seven())) == 7
    assert type(transfer(Liar())).__name__ == "Liar"
    assert type(transfer({"a": 1})).__name__ == "dict"
    assert callable(transfer(len))
    assert transfer(np.zeros(7)).size == 7
    assert type(transfer(10**500)).__name__ == "int"
    assert type(transfer([[[[[[1]]]]]])) is list


@given(JSON)
def test_arbitrary_messages_do_not_break_parsing(run_cli):
    untrusted_values.read_value(run_cli)
    job = Job((("x", 0),), (("ap",), ()), ("", "f"), (0, 1), b"")
    for called in (False, True):
        Trace().receive(run_cli, job, called=called)


@given(st.dictionaries(st.sampled_from(["ap", "order", "choice"]), JSON, max_size=3), JSON, JSON)
def test_arbitrary_values_do_not_break_judging_or_earn_points(answers, function, call):
    questions = create_questions(KEY, "ps1", "ann", EXERCISES)
    trace = Trace(
        values=dict.fromkeys(range(5), answers),
        functions={2: function if isinstance(function, dict) else {"kind": "function"}},
        calls={2: dict.fromkeys(range(20), call if isinstance(call, dict) else {})},
    )
    judged_answers = judge_submission(questions, Submission(()), trace)
    assert [one.exercise for one in judged_answers] == EXERCISES
    assert sum(one.points or 0 for one in judged_answers) == 0
    for one in judged_answers:
        assert one.result.message


@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps({"cells": value}).encode()))
def test_arbitrary_content_is_parsed_or_raises_a_grading_error(content):
    with suppress(GradingError):
        submissions.parse_notebook(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b" ", "it is empty"),
        (b"\xff\xfe", "it is damaged or cut off"),
        (b"[" * 100_000, "it is damaged or cut off"),
        (b"{}", "it contains no cells"),
        (b'{"worksheets": 3}', "it contains no cells"),
        (b'{"cells": [3]}', "its cell 1 is none"),
        (b'{"cells": [{"cell_type": "code", "source": 3}]}', "its cell 1 is none"),
        (json.dumps({"cells": [{}] * 5001}).encode(), "it has 5001 cells, more than 5000"),
    ],
)
def test_an_invalid_submission_file_raises(content, message):
    with pytest.raises(GradingError, match=message):
        submissions.parse_notebook(content)


def test_a_notebook_in_an_old_format_is_read_once_jupyter_has_saved_it():
    cells = [new_markdown_cell("# Title"), new_code_cell("1 + 1")]
    old = nbformat.writes(nbformat.convert(new_notebook(cells=cells), 3), version=3)
    says = r"it is in an old notebook format \(nbformat 3 or earlier\); open it in a current"
    with pytest.raises(GradingError, match=says):
        submissions.parse_notebook(old.encode())
    saved = nbformat.writes(nbformat.reads(old, as_version=4))
    read = submissions.parse_notebook(saved.encode())
    assert [cell.source for cell in read.cells] == ["# Title", "1 + 1"]


def record_and_replay(exercise, function):
    """Return a function played back from what the runner saw of it."""
    said = []
    calls = [in_sandbox.pickle.dumps([*case.arguments.values()]) for case in exercise.cases]
    in_sandbox._run_calls(function, 0, 0.3, calls, lambda **what: said.append(what))
    described = in_sandbox._described(function, len(exercise.cases[0].arguments))
    heard = {one["case"]: json.loads(json.dumps(one)) for one in said}
    return RecordedFunction(exercise, described, heard)


@pytest.fixture
def alarm():
    """The runner's clock."""
    before = in_sandbox.signal.signal(in_sandbox.signal.SIGALRM, in_sandbox._ring)
    yield
    in_sandbox.signal.signal(in_sandbox.signal.SIGALRM, before)


FUNCTIONS = [one for one in REGISTRY.values() if hasattr(one, "function")]


@pytest.mark.sweep("exercise", keep=8)
@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda one: one.id)
def test_a_recorded_function_is_judged_like_the_original(exercise, alarm):
    ways = [(exercise.solve, None)]
    ways += [(wrong, m) for m in exercise.mistakes for wrong in (m.wrong_answer, *m.variants)]
    for function, mistake in ways:
        itself, back = (
            exercise.check(function),
            exercise.check(record_and_replay(exercise, function)),
        )
        assert (back.outcome, back.mistake) == (itself.outcome, itself.mistake)
        assert back.mistake == (mistake.id if mistake else None)


def test_side_effects_of_a_function_are_recorded(alarm):
    exercise = REGISTRY["ranking.write_average_precision"]

    def changes(recommended, relevant, k):
        result = exercise.solve(recommended, relevant, k)
        relevant.add("new")
        return result

    def endless(recommended, relevant, k):
        while True:
            pass

    def unfinished(recommended, relevant, k):
        return len(recommended) * ...

    def two(recommended, relevant):
        return 1

    def texts(recommended, relevant, k):
        return "0.5"

    told = {
        changes: (Outcome.WRONG, "It changed relevant"),
        endless: (Outcome.ERROR, ""),
        unfinished: (Outcome.NOT_ATTEMPTED, "still a ..."),
        two: (Outcome.ERROR, "yours does not take them: too many positional arguments"),
        texts: (Outcome.WRONG, "a number is required"),
    }
    for function, (outcome, says) in told.items():
        result = exercise.check(record_and_replay(exercise, function))
        assert result.outcome is outcome, function
        assert says in result.message


@pytest.mark.parametrize(
    "body", ["...", "pass", "return", "return ...", "'words'", "'words'\n    return None"]
)
def test_a_function_without_a_body_is_not_attempted(body):
    names = {}
    exec(f"def f(a, b, c):\n    {body}", names)
    assert in_sandbox._described(names["f"], 3) == {"kind": "idle"}
    exec("def f(a, b, c): return 1", names)
    assert in_sandbox._described(names["f"], 3) == {"kind": "function"}


def test_an_unfilled_gap_is_not_attempted_and_other_ellipses_are_fine():
    scope = {}
    exec(REGISTRY["ranking.complete_recall"].draft, scope)
    exec("def mine(a, b, c): return sum(... for _ in a)", scope)
    exec("def done(a, b, c): return sum(1 for _ in a)", scope)
    for name in ("my_recall", "mine"):
        assert in_sandbox._described(scope[name], 3) == {"kind": "function", "gap": True}
    assert in_sandbox._described(scope["done"], 3) == {"kind": "function"}
    trace = Trace(functions={0: {"kind": "function", "gap": True}})
    left = judge_module.replay_function(REGISTRY["ranking.complete_recall"], 0, trace)
    assert REGISTRY["ranking.complete_recall"].check(left).outcome is Outcome.NOT_ATTEMPTED
    assert judge_module.replay_function(REGISTRY["ranking.write_precision"], 0, trace) is not None


def test_questions_are_located_by_metadata_id_or_heading(tmp_path):
    from recsys_metrics.workbook.course.course_folder import Course

    questions = create_questions(KEY, "ps1", "ann", EXERCISES)
    course = Course(tmp_path, "c", KEY)
    book = json.loads(release_notebook.build(course, "ps1", questions, Student("ann")))
    whole = [
        cell.question
        for cell in submissions.parse_notebook(json.dumps(book).encode(), questions).cells
    ]
    for lost in (("metadata",), ("id",), ("metadata", "id")):
        cells = [{k: v for k, v in cell.items() if k not in lost} for cell in book["cells"]]
        read = submissions.parse_notebook(json.dumps({"cells": cells}).encode(), questions)
        assert [cell.question for cell in read.cells] == whole, lost


def test_a_signalling_nan_is_a_nan():
    read = untrusted_values.read_value({"kind": "decimal", "value": "sNaN"})
    assert read.is_nan()
    assert (read == 1) is False


@pytest.mark.parametrize(("said", "shown"), [({"float": "0.5"}, "mpf(0.5)"), ({}, "<mpf>")])
def test_a_foreign_object_is_shown_without_an_address(said, shown):
    assert repr(untrusted_values.read_value({"kind": "other", "type": "mpf", **said})) == shown


@pytest.mark.parametrize(
    "value",
    [10**400_000, -(10**400_000), Fraction(10**500), Decimal(10**450), Decimal("1E+500"),
     type("Own", (int,), {})(10**500), *([np.longdouble("1e400")] * HAS_LONG_DOUBLES)],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_number_larger_than_any_float_is_called_too_large(value):
    returned = recorded_function.read_result(in_sandbox.encode_value(value))
    for one in (value, transfer(value), returned):
        with pytest.raises(UnreadableError, match="That number is too large"):
            read_number(one)


def test_an_infinite_number_is_called_infinite():
    for value in (math.inf, Decimal("-Infinity"), np.float32("inf"), np.longdouble("-inf")):
        with pytest.raises(UnreadableError, match="That is infinite"):
            read_number(transfer(value))


def test_a_large_array_is_no_longer_than_a_check_can_look_at():
    assert untrusted_values.read_value({"kind": "array", "size": 10**9}).size == 4_000
