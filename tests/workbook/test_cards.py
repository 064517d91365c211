"""A card says what its metric is, from where each fact stands, and shows it everywhere."""

from __future__ import annotations

import base64
import re

import pytest
from docutils.utils.math.latex2mathml import tex2mathml

from recsys_metrics.workbook.cards import CARDS, card

SHOWN = sorted(name for name, each in CARDS.items() if each.user_model or each.misleads_when)


def test_a_card_has_every_section():
    shown = card("precision")._repr_html_()
    assert "Of the items recommended, what fraction is relevant?</summary>" in shown
    assert r'<div class="math">\[\mathrm{P@}K = \frac{|R \cap L_{\le K}|}{K}\]</div>' in shown
    assert r'<p><span class="math">\(K\)</span> is the cut-off' in shown
    assert "i &lt; j" in card("intra_list_diversity")._repr_html_()
    assert "<code>precision(judged, k=5)</code>" in shown
    heads = re.findall(r"<th [^>]*>(.*?)</th>", shown)
    assert heads == [
        *("In words", "Range", "In code", "User model", "Misleads when", "Choose it when"),
        *("State with it", "Other libraries", "Different conventions"),
    ]
    assert "`p` (ir-measures, pytrec_eval)" in card("precision").elsewhere
    assert "`denominator=recommended` in Evidently" in card("precision").conventions
    assert "`rmse` (Cornac" in card("rmse").elsewhere
    assert "Open Bandit Pipeline" in card("ips").elsewhere


def test_the_picture_shows_what_one_hit_is_worth():
    assert card("ndcg").picture.startswith(
        '<img alt="A list with hits at ranks 3 and 5. The value for a single hit, '
        "by rank: 1.00, 0.63, 0.50, 0.43, 0.39."
    )
    assert "by rank: 0.20, 0.20, 0.20, 0.20, 0.20." in card("precision").picture
    assert "by rank: 0.50, 0.25, 0.17, 0.12, 0.10." in card("expected_reciprocal_rank").picture
    assert card("gini").picture == ""
    svg = base64.b64decode(re.search(r"base64,([^\"]*)", card("ndcg").picture)[1]).decode()
    assert "prefers-color-scheme:dark" in svg
    assert svg.endswith("</svg>")


def test_every_metric_has_a_pitfall_and_a_use():
    for each in CARDS.values():
        if each.subject != "protocol":
            assert each.misleads_when, each.key
            assert each.choose_when, each.key
        for text in (each.user_model, each.misleads_when, each.choose_when):
            assert not re.search(r"[.!]$|  ", text), (each.key, text)
            assert len(text) <= 110, (each.key, text)


def test_every_formula_can_be_converted_to_mathml():
    for each in CARDS.values():
        if each.formula:
            assert "<merror" not in tex2mathml(each.formula, as_block=True)


def test_an_unknown_metric_suggests_similar_names():
    with pytest.raises(KeyError, match="no card of 'ndgc'; there is one of ndcg"):
        card("ndgc")


def test_letters_inside_names_are_not_explained_as_symbols():
    shown = [symbol for metric in ("r2", "correlation") for symbol, _ in card(metric).symbols]
    assert not {"R", "r_i"} & set(shown)
    assert "P" not in dict(card("interpolated_precision").symbols)


def test_symbols_are_read_from_the_sentence_below_the_formula():
    assert card("recall").symbols == [
        ("K", "the cut-off, the number of ranks that count"),
        (r"L_{\le K}", "the first $K$ items of the list"),
        ("R", "the set of relevant items"),
    ]
    assert card("group_auc").symbols == []
