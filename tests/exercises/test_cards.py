"""Cards and feedback as pages: they read without colour, and nobody's text is markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.disclosure import ARROW
from recsys_metrics.workbook.common.picture import inline_pictures
from recsys_metrics.workbook.exercises import ranking as ex
from recsys_metrics.workbook.exercises.result import CheckResult, Outcome, combine_outcomes
from tests.exercises.simulated_learners import every, fresh

EVIL = "<img src=x onerror=alert(1)>**bold** [link](javascript:alert(1)) `code` $x$"


class Elements(HTMLParser):
    """Collects elements and attributes, and fails where they do not nest."""

    VOID = frozenset({"br", "line", "rect", "path", "circle"})

    def __init__(self, page):
        super().__init__()
        self.stack, self.names, self.attributes = [], set(), set()
        # A picture of ours is an image; whatever else is one was not to be there.
        self.feed(inline_pictures(page))
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.stack.pop() == tag


def results():
    """Return one result of each shape."""
    e4, e5, function = (
        fresh(ex.average_precision_of_list),
        fresh(ex.ndcg_from_scratch),
        fresh(ex.write_ndcg),
    )
    return [
        e4.check(0.442),
        e4.check(0.589),
        e4.check(EVIL),
        e5.check(1.518, 2.131, "x"),
        e5.check(),
        e5.check(**{EVIL: 1}),
        function.check(lambda s, r, k: 0),
        function.check(...),
        function.check(0.5),
        function.check(lambda s, r, k: 1 / 0),
        fresh(ex.which_pages).check("rp"),
        fresh(ex.which_pages).check("pr"),
        fresh(ex.comparable).check("base gain"),
        fresh(ex.wrong_cell).check(EVIL),
        fresh(ex.order_average_precision).check("ab"),
        fresh(ex.order_average_precision).check(EVIL),
        fresh(ex.explain_ideal).check(EVIL, "yes no no"),
        fresh(ex.explain_ideal).check(EVIL, EVIL),
    ]


@every
def test_a_card_has_title_minutes_statement_and_call(exercise):
    page = exercise._repr_html_()
    elements = Elements(page)
    assert markup.escape(exercise.title) in page
    assert f"{exercise.minutes} minute" in page
    assert markup.escape(exercise.check_template) in page
    assert page.count("<details") == page.count(f"<summary>{ARROW}Hint") == len(exercise.hints)
    assert not elements.names & {"script", "style", "button", "h1", "h2", "h3", "img", "a"}


@every
def test_a_card_in_plain_text_has_the_call(exercise):
    assert exercise.check_template in repr(exercise)
    assert exercise.title in repr(exercise)
    assert "<" not in repr(exercise)


@every
def test_cards_are_reproducible(exercise):
    assert fresh(exercise)._repr_html_() == fresh(exercise)._repr_html_()


@pytest.mark.parametrize("number", range(18))
def test_an_outcome_has_a_symbol_and_a_word(number):
    result = results()[number]
    page = result._repr_html_()
    Elements(page)
    for text in (page, repr(result)):
        assert f"{result.outcome.symbol} {result.outcome.label}" in text
    assert f'aria-label="Outcome: {result.outcome.value}"' in page


def test_recorded_answers_have_no_outcome():
    for result in (
        fresh(ex.first_guess).check("recall"),
        fresh(ex.explain_ideal).check("A text of mine."),
    ):
        page = result._repr_html_()
        Elements(page)
        assert 'aria-label="Noted"' in page
        assert "• Noted" in page
        assert repr(result).startswith("• Noted")


def test_text_has_no_colour_of_its_own():
    shown = [
        *results(),
        ex.ndcg_from_scratch,
        ex.write_ndcg,
        ex.average_precision_of_list.hint(),
        fresh(ex.average_precision_of_list).solution(show=True),
    ]
    for page in (thing._repr_html_() for thing in shown):
        outside = re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)
        assert not re.search(r'[";\s]color\s*:', outside)


def test_user_text_is_escaped():
    function = fresh(ex.write_ndcg)

    def evil(recommended, relevant, k):
        print(EVIL)
        raise ValueError(EVIL)

    def evil_value(recommended, relevant, k):
        return EVIL

    evil.__name__ = evil_value.__name__ = EVIL
    shown = [
        fresh(ex.average_precision_of_list).check(EVIL),
        fresh(ex.average_precision_of_list).check(**{EVIL: EVIL}),
        fresh(ex.ndcg_from_scratch).check(EVIL, EVIL, EVIL),
        function.check(evil),
        function.check(evil_value),
        function.check(EVIL),
        *results()[-5:],
        fresh(ex.first_guess).check(EVIL),
        fresh(ex.first_guess).check("recall"),
        fresh(ex.explain_ideal).check(EVIL),
        fresh(ex.average_precision_of_list).variant(EVIL),
        fresh(ex.average_precision_of_list).variant(EVIL).hint(),
        fresh(ex.average_precision_of_list).variant(EVIL).solution(),
        fresh(ex.average_precision_of_list).variant(EVIL).solution(show=True),
    ]
    for thing in shown:
        elements = Elements(thing._repr_html_())
        assert "img" not in elements.names
        assert "a" not in elements.names
        assert "onerror" not in elements.attributes


def test_outcomes_are_the_four_words():
    assert [o.value for o in Outcome] == ["PASS", "WRONG", "NOT ATTEMPTED", "ERROR"]
    assert len({o.symbol for o in Outcome}) == len({o.colour for o in Outcome}) == 4


def test_the_overall_outcome_is_the_most_severe():
    order = [Outcome.PASS, Outcome.NOT_ATTEMPTED, Outcome.WRONG, Outcome.ERROR]
    for i, outcome in enumerate(order):
        assert combine_outcomes(order[: i + 1]) is outcome
    assert combine_outcomes([]) is Outcome.NOT_ATTEMPTED


def test_the_message_equals_the_text_of_the_page():
    result = fresh(ex.average_precision_of_list).check(0.589)
    assert repr(result) == f"✗ {result.message}"
    assert isinstance(result, CheckResult)
    assert "*" not in result.message


def test_emphasis_marks_are_removed_outside_code():
    assert markup.strip_markup("*hits divisor* and **K**, `2**k * 3`, 2 * 3 * 4") == (
        "hits divisor and K, 2**k * 3, 2 * 3 * 4"
    )


def test_a_number_and_its_percent_sign_are_not_separated():
    shown = markup.render_inline("30 % of `7 % 3`")
    assert shown == "30\N{NO-BREAK SPACE}% of <code>7 % 3</code>"


def test_formulas_are_not_broken():
    assert "log₂(rank\N{NO-BREAK SPACE}+\N{NO-BREAK SPACE}1)" in markup.render_inline(
        "log₂(rank + 1)"
    )


@pytest.mark.parametrize(
    "value",
    [{"B", "A"}, set(), [1, "x"], (1,), (), {"a": [0.5]}, 'quote " and \\', 0.1, None, {3, 1}],
)
def test_displayed_values_can_be_pasted(value):
    assert eval(markup.format_python(value)) == value


def test_a_card_shows_the_seed_of_its_variant():
    variant = replace(ex.ndcg_from_scratch).variant("s123")
    assert "Exercise E5, variant s123" in variant._repr_html_()
    assert 'ex.ndcg_from_scratch.variant("s123").check(dcg=..., idcg=..., ndcg=...)' in repr(
        variant
    )
