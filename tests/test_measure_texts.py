"""Every text of a measure is read, shown and computed as it was."""

from __future__ import annotations

import pytest

from dev.tools.build_measure_texts import REFUSED, changes, means, saved
from recsys_metrics.measures import measure


def test_every_text_has_the_value_on_file():
    assert len(saved()) >= 200
    assert changes() == {}, "if you meant the change, run python dev/tools/build_measure_texts.py"


def test_the_text_of_a_measure_can_be_parsed():
    for text in saved():
        assert measure(str(measure(text))) == measure(text)


@pytest.mark.parametrize(
    ("text", "by_hand"),
    [
        # Of three items: ann's B and C of 4, bob's A of 2, cleo's E of 1; dan has nothing relevant.
        ("recall@3", (2 / 4 + 1 / 2 + 1) / 3),
        ("recall(no_relevant=zero)@3", (2 / 4 + 1 / 2 + 1 + 0) / 4),
        ("recall(no_relevant=raise)@3", REFUSED),
        # A, B, C, D, E, F and H of eight.
        ("coverage@3", 7 / 8),
    ],
)
def test_values_on_the_stored_lists_by_hand(text, by_hand):
    assert means([text])[text] == (by_hand if by_hand == REFUSED else pytest.approx(by_hand))


def test_only_texts_that_request_an_error_raise():
    refused = {text for text, mean in saved().items() if mean == REFUSED}
    # An ideal of k items of gain 1 is none of a graded list.
    assert {text for text in refused if "=raise" not in text} == {"ndcg(ideal=full)@3"}
