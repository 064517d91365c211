"""Cards as forms: what is typed is checked, and the feedback stands under its field."""

from __future__ import annotations

import sys

import ipywidgets as widgets
import pytest

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.interactive import VIEW
from recsys_metrics.workbook.exercises import ranking as ex
from recsys_metrics.workbook.exercises.base import render_text
from recsys_metrics.workbook.exercises.form import build_form
from tests.exercises.simulated_learners import every, fresh


class Card:
    """A form in the hands of somebody who sees what it shows."""

    def __init__(self, exercise):
        self.exercise = fresh(exercise)
        self.box = build_form(self.exercise)

    def all(self, kind):
        def walk(widget):
            yield widget
            for child in getattr(widget, "children", ()):
                yield from walk(child)

        return [widget for widget in walk(self.box) if isinstance(widget, kind)]

    def button(self, word):
        (found,) = [b for b in self.all(widgets.Button) if b.description.startswith(word)]
        return found

    def press(self, word):
        self.button(word).click()

    @property
    def text(self):
        return "\n".join(html.value for html in self.all(widgets.HTML))

    def beneath(self, entry):
        (row,) = [
            row
            for row in self.all(widgets.VBox)
            if len(row.children) == 2 and row.children[0] is entry
        ]
        return row.children[1].value


@every
def test_every_exercise_except_functions_has_fields(exercise):
    bundle = fresh(exercise)._repr_mimebundle_()
    assert bundle["text/plain"] == repr(exercise)
    assert bundle["text/html"] == exercise._repr_html_()
    assert (VIEW in bundle) == bool(exercise.fields) == (not hasattr(exercise, "cases"))


@every
def test_an_empty_form_is_not_attempted_and_reveals_nothing(exercise):
    if not exercise.fields:
        return
    card = Card(exercise)
    card.all(widgets.Button)[0].click()
    assert "Not attempted" in card.text
    assert not card.exercise.attempted
    assert not any(b.description == "Solution" and not b.disabled for b in card.all(widgets.Button))
    for mistake in exercise.mistakes:
        assert markup.render_inline(render_text(mistake.cause, exercise.inputs)) not in card.text


def test_each_number_gets_its_outcome_below_its_field():
    card = Card(ex.ndcg_from_scratch)
    dcg, idcg, ndcg = card.all(widgets.Text)
    dcg.value, idcg.value = "1.518", " 2.131 "
    card.press("Check")
    assert "✓ Pass" in card.beneath(dcg)
    assert "own-list ideal" in card.beneath(idcg)
    assert "? Not attempted" in card.beneath(ndcg)
    idcg.value, ndcg.value = "2.562", ".593"
    card.press("Check")
    assert "The base of the logarithm cancels" in card.text
    assert "own-list ideal" not in card.text


def test_pressing_enter_checks_the_answer():
    card = Card(ex.average_precision_of_list)
    (line,) = card.all(widgets.Text)
    line.value = "0.589"
    line._handle_custom_msg({"event": "submit"}, [])
    assert "hits divisor" in card.text


def test_one_option_is_chosen_by_a_radio_button():
    card = Card(ex.which_pages)
    (radio,) = card.all(widgets.RadioButtons)
    assert radio.value is None
    assert len(radio.options) == len(ex.which_pages.options)
    radio.value = next(label for label in radio.options if label.startswith("pr:"))
    card.press("Check")
    assert "swapped denominators" in card.text
    radio.value = next(label for label in radio.options if label.startswith("rp:"))
    card.press("Check")
    assert "✓ Pass" in card.text


def test_several_options_are_chosen_by_checkboxes():
    card = Card(ex.comparable)
    for box in card.all(widgets.Checkbox):
        box.value = box.description.split(":")[0] in {"gain", "ideal", "users", "nothing"}
    card.press("Check")
    assert "✓ Pass" in card.text
    card.all(widgets.Checkbox)[0].value ^= True
    card.press("Check")
    assert "✗ Not yet" in card.text


def test_an_order_is_entered_as_letters():
    card = Card(ex.order_average_precision)
    (line,) = card.all(widgets.Text)
    line.value = " ".join(card.exercise.answer["order"]).upper()
    card.press("Check")
    assert "✓ Pass" in card.text


def test_a_prediction_is_recorded_without_hint_and_solution():
    card = Card(ex.first_guess)
    assert [b.description for b in card.all(widgets.Button)] == ["Note my guess"]
    card.all(widgets.RadioButtons)[0].index = 1
    card.press("Note")
    assert "• Noted" in card.text


def test_an_open_answer_is_marked_before_the_model_answer_is_shown():
    card = Card(ex.explain_ideal)
    boxes = card.all(widgets.Checkbox)
    (area,) = card.all(widgets.Textarea)
    marks = next(row for row in card.all(widgets.VBox) if row.layout.display == "none")
    assert "A good answer" not in card.text
    area.value = "It does not see what was missed."
    card.press("Check")
    assert "A good answer" not in card.text
    assert card.button("Solution").disabled
    assert marks.layout.display == "flex"
    boxes[0].value = True
    card.press("Mark it")
    assert "A good answer" in card.text
    assert not card.button("Solution").disabled
    assert "1 of 3" in card.text or "Still to say" in card.text
    for box in boxes:
        box.value = True
    card.press("Mark it")
    assert "✓ Pass" in card.text


def test_hints_are_counted_down_and_stay_visible():
    card = Card(ex.average_precision_of_list)
    for left in (3, 2, 1):
        card.press(f"Hint ({left} left)")
    assert card.button("Hint").description == "Hint (0 left)"
    assert card.button("Hint").disabled
    assert card.text.count("<strong>Hint ") == 3


def test_the_solution_is_available_after_a_first_attempt_anywhere():
    card = Card(ex.average_precision_of_list)
    assert card.button("Solution").disabled
    card.all(widgets.Text)[0].value = "0.3"
    card.press("Check")
    card.press("Solution")
    assert "sum(at_hits) / len(relevant)" in card.text
    again = build_form(card.exercise)
    assert not next(b for b in again.children[-4].children if b.description == "Solution").disabled


def test_input_is_escaped():
    card = Card(ex.ndcg_from_scratch)
    for line in card.all(widgets.Text):
        line.value = "<img src=x onerror=alert(1)>"
    card.press("Check")
    assert "<img" not in card.text


def test_without_widgets_the_card_is_static_html(monkeypatch):
    for name in [n for n in sys.modules if n.startswith("ipywidgets")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.delitem(sys.modules, "recsys_metrics.workbook.exercises.form")
    bundle = fresh(ex.ndcg_from_scratch)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    with pytest.raises(ImportError):
        ex.ndcg_from_scratch.widget()


def test_form_fields_have_accessible_names():
    card = Card(ex.ndcg_from_scratch)
    card.press("Check")
    assert 'role="status"' in card.text
    assert [line.description for line in card.all(widgets.Text)] == ["DCG@5", "IDCG@5", "NDCG@5"]
