"""Pictures follow the theme, carry their finding, and are the same every time."""

from __future__ import annotations

import re

import numpy as np
import pytest

from recsys_metrics.workbook import charts as plots
from recsys_metrics.workbook.charts.ranked_lists import WIDE, describe, ranked_list
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.common.svg import break_lines
from recsys_metrics.workbook.common.tables import FormattedNumber, table
from tests.svg_text import SMALLEST, smallest_letter

GRADES = {"B": 1, "C": 1, "E": 1, "G": 1}
ALT = "Two lines that cross in the middle of the chart."


def test_a_picture_needs_an_alt_text_with_its_finding():
    with pytest.raises(ValueError, match="alt must state the finding"):
        Picture("<svg></svg>", "figure 1")
    with pytest.raises(ValueError, match="must start with <svg"):
        Picture("<div></div>", ALT)
    shown = Picture("<svg width='1'></svg>", 'She said "five < six" and stopped there.')
    assert 'aria-label="She said &quot;five &lt; six&quot;' in shown.inline()


def test_a_list_has_letters_marks_cutoff_and_missed_items():
    markup = ranked_list(list("ABCDE"), GRADES, k=5).inline()
    assert markup.count("●") == 3
    assert markup.count("○") == 2
    assert markup.count("◌") == 1
    assert "K = 5" in markup
    assert "missed" in markup
    assert "#fff" in markup
    assert "black" not in markup


def test_a_cutoff_beyond_the_list_shows_empty_ranks():
    assert ranked_list(["A"], {"A": 1}, k=4).svg.count(">empty<") == 3


def slots(picture):
    """Return the left and upper end of each slot by its item."""
    found = re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)"[^>]*rx="7"[^>]*/>(?=<text[^>]*>([^<]*)<)', picture.svg
    )
    return {item: (float(x), float(y)) for x, y, item in found}


LISTS = [
    ranked_list("MNOPQR", dict.fromkeys("OQTUV", 1), bars=True),
    ranked_list("AB", {"A": 0.5, "C": 3}, k=10, bars=True),
    ranked_list("ABCDEFGH", dict.fromkeys("BXYZ", 1)),
    ranked_list("ABCDEFGHIJKLMNOPQ", dict.fromkeys("BXYZ", 1), k=12, bars=True),
    ranked_list("ABC", dict.fromkeys("OPQRSTUVWXYZ", 1)),
    ranked_list("ABCDE", {"A": 1}),
]


@pytest.mark.parametrize("picture", LISTS)
def test_slots_have_one_legible_size_for_any_list_length(picture):
    assert smallest_letter(picture.svg) >= SMALLEST
    wide, tall = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture.svg).groups())
    assert wide == WIDE
    sizes = re.findall(r'width="([\d.]+)" height="([\d.]+)" rx="7"', picture.svg)
    assert len(set(sizes)) == 1
    side, high = map(float, sizes[0])
    places = [place for item, place in slots(picture).items() if item != "empty"]
    assert len(set(places)) == len(places) == len(sizes) - picture.svg.count(">empty<")
    assert all(0 <= x <= wide - side and 0 <= y <= tall - high for x, y in places)


def test_missed_items_are_drawn_behind_or_below_the_list():
    behind = slots(ranked_list("MNOPQR", dict.fromkeys("OQTUV", 1)))
    assert {y for _, y in behind.values()} == {behind["M"][1]}
    assert behind["R"][0] < behind["T"][0] < behind["U"][0] < behind["V"][0]
    below = slots(ranked_list("ABCDEFGH", dict.fromkeys("BXYZ", 1)))
    assert below["X"][1] == below["Y"][1] == below["Z"][1] > below["H"][1] == below["A"][1]


def test_item_names_cannot_inject_markup():
    drawn = ranked_list(["<b>"], {"<i>": 1})
    assert "<b>" not in drawn.inline()
    assert "<b>" not in drawn._repr_html_()


def test_a_list_is_described_in_words():
    assert describe(list("ABCDE"), GRADES, 5) == (
        "The list A B C D E cut off at K = 5: hits at ranks 2, 3 and 5; "
        "G relevant but not in the top 5."
    )
    assert "no hit; B, C, E and G relevant" in describe(list("ABCDE"), GRADES, 1)


def charts():
    yield plots.lines(
        [1, 2, 3],
        {"up": [0, 1, 2], "down": [2, 1, 0]},
        title="They cross",
        x_label="x",
        y_label="y",
        alt=ALT,
    )
    rng = np.random.default_rng(0)
    values = {"one": rng.random(50), "two": np.append(rng.random(49), np.nan)}
    yield plots.intervals(values, title="Alike", label="NDCG@10", alt=ALT)
    yield plots.histogram(
        values["two"], bins=np.linspace(0, 1, 6), title="Flat", x_label="value", alt=ALT
    )


@pytest.mark.parametrize("number", range(3))
def test_charts_follow_the_theme_and_are_reproducible(number):
    first, second = (list(charts())[number] for _ in range(2))
    assert first.svg == second.svg
    assert "currentColor" in first.svg
    assert "#010203" not in first.svg
    assert "<metadata>" not in first.svg
    assert "<text" in first.svg


def test_rounding_differences_do_not_change_the_drawing():
    def drawn(values):
        return plots.lines(
            [1, 2, 3], {"up": values}, title="Up", x_label="x", y_label="y", alt=ALT
        ).svg

    values = np.array([0.1, 0.2, 0.3])
    assert drawn(values) == drawn(np.nextafter(values, 1))
    assert drawn(values) != drawn(values + np.array([0, 0.05, 0]))
    ids = set(re.findall(r'id="(shape-[^"]*)"', drawn(values)))
    assert ids
    used = set(re.findall(r"#(shape-[^)\"]*)", drawn(values)))
    assert used
    assert used <= ids
    assert not ids & set(re.findall(r'id="(shape-[^"]*)"', drawn(values + np.array([0, 0.05, 0]))))


def test_tables_have_text_and_html_forms():
    shown = table(["Metric", "Value", "Users"], [("NDCG@10", 0.59251, 1234), ("<none>", np.nan, 7)])
    assert repr(shown).splitlines() == [
        "Metric   Value  Users",
        "NDCG@10  0.593  1,234",
        "<none>       –      7",
    ]
    markup = shown._repr_html_()
    assert markup.count('scope="col"') == 3
    assert markup.count('scope="row"') == 2
    assert "&lt;none&gt;" in markup
    with pytest.raises(ValueError, match="has 1 entries for 2 headings"):
        table(["a", "b"], [("only",)])


def test_formatted_numbers_are_right_aligned():
    shown = table(["way", "seconds", "who"], [("ours", FormattedNumber("0.0456"), "we")])
    assert '<td style="text-align:right">0.0456</td>' in shown._repr_html_()
    assert '<th scope="col" style="text-align:right">seconds</th>' in shown._repr_html_()
    assert '<td style="text-align:left">we</td>' in shown._repr_html_()


def test_text_is_wrapped_into_balanced_lines():
    words = "Even the truth has an error, and more bins raise it"
    assert break_lines(words, 99) == [words]
    first, second = break_lines(words, 48)
    assert f"{first} {second}" == words
    assert abs(len(first) - len(second)) < 10
    share = "the mean over users with its 95% CI"
    for longest in range(8, 40):
        assert " ".join(break_lines(share, longest)) == share
        assert not any(line.startswith("%") for line in break_lines(share, longest))
    assert max(map(len, break_lines("averyveryverylongword", 8))) <= 8
    assert break_lines("", 8) == []


def test_charts_declare_their_size():
    shown = next(charts())._repr_html_()
    assert 'width="480" height="307"' in shown
