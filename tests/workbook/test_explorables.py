"""Every state of every explorable: numbers as the library gives them, a picture, a readout."""

from __future__ import annotations

import html
import math
import re
from dataclasses import replace

import pytest

import recsys_metrics as rm
from recsys_metrics.workbook.common import interactive
from recsys_metrics.workbook.common.interactive import VIEW
from recsys_metrics.workbook.exercises import REGISTRY as EXERCISES
from recsys_metrics.workbook.explorables import REGISTRY, Control
from recsys_metrics.workbook.explorables.handles import FINGER, drag
from recsys_metrics.workbook.progress.review_questions import review_questions
from tests.ranking import reference
from tests.svg_text import SMALLEST, smallest_letter

EXPLORABLES = REGISTRY.values()


@pytest.mark.parametrize("explorable", EXPLORABLES, ids=REGISTRY)
def test_every_state_computes_and_draws(explorable):
    n = 0
    for n, state in enumerate(explorable.states(), start=1):
        numbers = explorable.compute(state)
        assert list(numbers) == list(explorable.labels)
        for name, quantity in explorable.quantities.items():
            value, high = numbers[name], quantity.high
            assert math.isfinite(value) or math.isnan(value)
            if high is not None and not math.isnan(value):
                assert quantity.low - 1e-12 <= value <= high + 1e-12, (state, name)
        if n % 29 == 0:  # drawing all of them would take most of a minute
            panel = explorable.render_static(state)
            bars = sum(quantity.high is not None for quantity in explorable.quantities.values())
            assert panel.count("<svg") == bars
            assert panel.count("<img") == 1
            assert panel.count('scope="row"') == len(numbers)
    assert n == explorable.n_states


@pytest.mark.parametrize("explorable", EXPLORABLES, ids=REGISTRY)
def test_every_control_value_is_legible_on_a_phone(explorable):
    for control in explorable.controls:
        for value in control.values:
            state = {**explorable.start, control.name: value}
            picture = explorable.draw(state, explorable.compute(state))
            assert len(picture.alt) >= 20
            assert 'role="img"' in picture.inline()
            assert smallest_letter(picture.inline()) >= SMALLEST


def test_metric_values_equal_the_plain_definitions():
    metric_values = REGISTRY["ranking.metric_values"]
    recommended = list("ABCDE")
    plain = {
        "hit_rate": reference.hit_rate,
        "precision": reference.precision,
        "recall": reference.recall,
        "f1": reference.f_beta,
        "reciprocal_rank": reference.reciprocal_rank,
        "average_precision": reference.average_precision,
    }
    for number, state in enumerate(metric_values.states()):
        if number % 7:
            continue
        grades = {item: state[item] for item in (*recommended, "G")}
        numbers = metric_values.compute(state)
        if not any(grades.values()):
            assert all(math.isnan(value) for value in numbers.values())
            continue
        for name, metric in plain.items():
            assert numbers[name] == pytest.approx(
                metric(recommended, grades, state["k"]), abs=1e-12
            )
        expected = reference.ndcg(recommended, grades, state["k"], gain=state["gain"])
        assert numbers["ndcg"] == pytest.approx(expected, abs=1e-12)


def test_the_start_state_is_the_running_example():
    metric_values = REGISTRY["ranking.metric_values"]
    judged = rm.judge(list("ABCDE"), {"B", "C", "E", "G"})
    assert metric_values.compute(metric_values.start)["ndcg"] == rm.ndcg(judged, k=5)


def test_undefined_and_unchanged_values_are_described():
    metric_values = REGISTRY["ranking.metric_values"]
    nothing = {**metric_values.start, **dict.fromkeys("ABCDEG", 0)}
    assert metric_values.render_static(nothing).count("not defined") == len(metric_values.labels)
    first, moved = (
        metric_values.render_state(state)["numbers"]
        for state in (metric_values.start, {**metric_values.start, "k": 3})
    )
    changed = sum(old != new for old, new in zip(first, moved, strict=True))
    assert changed == 5  # hit rate and reciprocal rank stand still when K goes from 5 to 3


def test_the_widget_moves_and_resets():
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    metric_values = REGISTRY["ranking.metric_values"]
    form = metric_values.widget()
    assert form.shown == metric_values.render_state(metric_values.start)
    form.move({"k": 3, "G": 3})
    moved = {**metric_values.start, "k": 3, "G": 3}
    assert form.state == metric_values.indices(moved)
    assert form.shown == metric_values.render_state(moved)
    said = [text for text, _ in form.shown["numbers"]]
    assert f"{metric_values.compute(moved)['ndcg']:.3f}" in said
    form.reset()
    assert form.shown == metric_values.render_state(metric_values.start)


def test_each_move_computes_and_draws_once():
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    metric_values = REGISTRY["ranking.metric_values"]
    calls: list[str] = []

    def compute(state):
        calls.append("compute")
        return metric_values.compute(state)

    def draw(state, numbers):
        calls.append("draw")
        return metric_values.draw(state, numbers)

    form = replace(metric_values, compute=compute, draw=draw).widget()
    for moved in ({"k": 3, "A": 3}, {"gain": "exponential"}):
        calls.clear()
        form.move(moved)
        assert calls == ["compute", "draw"]
    calls.clear()
    form.reset()
    assert calls == ["compute", "draw"]
    calls.clear()
    form.reset()  # where it is already, nothing is drawn
    assert calls == []


def test_without_a_kernel_the_first_state_is_shown():
    for explorable in EXPLORABLES:
        bundle = explorable._repr_mimebundle_()
        assert html.escape(explorable.question) in bundle["text/html"]
        assert f'data-explorable="{explorable.id}"' in bundle["text/html"]
        assert VIEW in bundle


@pytest.mark.parametrize(
    ("request_", "variables", "alive"),
    [
        ({"allow_stdin": True}, {}, True),
        ({"allow_stdin": False}, {}, False),
        ({"allow_stdin": False}, {"SERVER_SOFTWARE": "voila/0.5.8"}, True),
        ({"allow_stdin": False}, {"VOILA_PREHEAT": "True"}, True),
    ],
    ids=["somebody", "a program", "Voila", "Voila ahead of time"],
)
def test_widgets_are_shown_in_interactive_sessions_only(monkeypatch, request_, variables, alive):
    asked = {"header": {"msg_type": "execute_request"}, "content": request_}
    monkeypatch.setattr(interactive, "_request", lambda: asked)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for shown in (
        REGISTRY["ranking.metric_values"],
        EXERCISES["ranking.e4"],
        review_questions("02_ranking"),
    ):
        bundle = shown._repr_mimebundle_()
        assert bundle["text/html"] == shown._repr_html_()
        assert (VIEW in bundle) == alive


def test_a_control_must_start_at_one_of_its_values():
    with pytest.raises(ValueError, match="control 'k' starts at 11, which is none of its values"):
        Control("k", "K", {1: "1", 2: "2"}, 11)


def test_control_values_have_unique_names_in_addresses():
    control = Control("x", "X", {-0.5: "−0.5", (1, 5): "1 and 5", "a@5": "A"}, -0.5)
    assert list(control.keys.values()) == ["-0.5", "1_5", "a_5"]
    with pytest.raises(ValueError, match="control 'x' has two values that read the same"):
        Control("x", "X", {"a 1": "one", "a_1": "another"}, "a 1")


def handles(explorable, state):
    """Return what is taken hold of in the picture of a state: control, axis, stops."""
    svg = explorable.draw(state, explorable.compute(state)).svg
    return re.findall(r'<g data-move="(\w+)"(?: data-([xy])="([^"]*)")?>', svg)


@pytest.mark.parametrize("explorable", EXPLORABLES, ids=REGISTRY)
def test_drag_handles_exist_in_every_state(explorable):
    controls = {control.name: control for control in explorable.controls}
    pressed = {name for name, control in controls.items() if control.kind == "press"}
    first = handles(explorable, explorable.start)
    assert len({name for name, _, _ in first}) == len(first)
    for control in explorable.controls:
        for value in control.values:
            found = handles(explorable, {**explorable.start, control.name: value})
            assert {name for name, axis, _ in found if not axis} == pressed
            assert [name for name, _, _ in found] == [name for name, _, _ in first]
            for name, axis, stops in found:
                if axis:
                    assert controls[name].kind == "slider"
                    assert len(set(stops.split())) == len(controls[name].values)


@pytest.mark.parametrize("explorable", EXPLORABLES, ids=REGISTRY)
def test_what_is_dragged_has_a_grip_and_what_is_pressed_a_plate(explorable):
    svg = explorable.render_state(explorable.start)["svg"]
    axes = [axis for _, axis, _ in handles(explorable, explorable.start)]
    assert svg.count('class="grip"') == sum(map(bool, axes))
    assert svg.count('class="plate"') == axes.count("")
    assert svg.count('class="hit"') == len(axes)


def test_a_grip_stays_on_the_sheet_and_keeps_its_size():
    for x in (0.0, 240.0, 480.0):
        svg = drag("k", [0, 480], (x, 20), along="x", words="K = 10", wide=150)
        left, wide = map(
            float, re.search(r'class="hit" x="([\d.]+)".*?width="([\d.]+)"', svg).groups()
        )
        assert left >= 0
        assert left + wide <= 480
        assert wide == 150
    plain = drag("k", [0, 480], (240, 20), along="y")
    assert f'width="{FINGER}" height="{FINGER}"' in plain


@pytest.mark.parametrize("explorable", EXPLORABLES, ids=REGISTRY)
def test_a_title_is_a_short_question(explorable):
    assert explorable.question.endswith("?")
    assert len(explorable.question.split()) <= 10
    assert set(explorable.in_picture) <= set(explorable.labels)


GUESSED = [one for one in EXPLORABLES if one.guess]


@pytest.mark.parametrize("explorable", GUESSED, ids=[one.id for one in GUESSED])
def test_a_prediction_is_answered_with_the_numbers(explorable):
    guess, facts = explorable.guess, explorable.describe()["guess"]
    before = explorable.compute(explorable.start)[guess.number]
    after = explorable.compute({**explorable.start, **guess.move})[guess.number]
    say = explorable.quantities[guess.number].format_value
    right = [way for way, words in facts["told"].items() if words.startswith("✓")]
    rose, fell = after > before, after < before
    moved = say(before) != say(after)
    assert right == ["rise" if moved and rose else "fall" if moved and fell else "stay"]
    assert guess.text.endswith("…")
    assert guess.reason.endswith(".")
    assert explorable.state_from_indices(facts["state"]) == {**explorable.start, **guess.move}
    assert list(facts["told"]) == ["", "rise", "fall", "stay"]
    for way, words in facts["told"].items():
        assert (f"Your guess was: {way}." in words) is bool(way)
        assert say(before) in words
        assert say(after) in words


def test_a_prediction_about_an_undefined_value_raises():
    metric_values = REGISTRY["ranking.metric_values"]
    nothing = replace(metric_values.guess, move=dict.fromkeys("ABCDEG", 0))
    with pytest.raises(ValueError, match="asks about 'precision', which is not defined there"):
        replace(metric_values, guess=nothing).describe()


def test_a_walk_step_is_a_static_state():
    metric_values = REGISTRY["ranking.metric_values"]
    step = metric_values.at(k=3)
    places = " ".join(map(str, metric_values.indices({**metric_values.start, "k": 3})))
    shown = step._repr_html_()
    assert f'data-step="ranking.metric_values" data-state="{places}"' in shown
    assert "data-explorable" not in shown
    assert "Cut-off K: 3" in repr(step)
    with pytest.raises(ValueError, match=r"ranking.metric_values has no state k=99"):
        metric_values.at(k=99)
    with pytest.raises(ValueError, match="has no state colour='red'"):
        metric_values.at(colour="red")
