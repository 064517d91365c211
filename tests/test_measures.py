"""A measure is its text: read, written, compared, called."""

from __future__ import annotations

import pytest

import recsys_metrics as rm
from recsys_metrics.measures import Measure, measure

JUDGED = rm.judge([["A", "B", "C", "D", "E"], ["G"]], [{"B": 1, "C": 3, "G": 2}, {"G": 1}])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ndcg@5", rm.ndcg(JUDGED, 5)),
        (
            "ndcg(gain=exponential, ideal=list)@3",
            rm.ndcg(JUDGED, 3, gain="exponential", ideal="list"),
        ),
        ("recall", rm.recall(JUDGED)),
        ("f_beta(beta=2)@4", rm.f_beta(JUDGED, 4, beta=2)),
        ("rank_biased_precision(p=0.5)", rm.rank_biased_precision(JUDGED, p=0.5)),
        (
            "expected_reciprocal_rank(max_grade=5)@2",
            rm.expected_reciprocal_rank(JUDGED, 2, max_grade=5),
        ),
        ("average_precision(divisor=hits)@10", rm.average_precision(JUDGED, 10, divisor="hits")),
    ],
)
def test_a_measure_gives_what_the_metric_gives(text, value):
    assert measure(text)(JUDGED).tolist() == value.tolist()


def test_every_metric_of_judged_lists_can_be_written():
    for name in ("bpref", "dcg", "hit_rate", "precision", "r_precision", "reciprocal_hit_rate"):
        assert str(measure(f"{name}@7")) == f"{name}@7"


@pytest.mark.parametrize(
    "text",
    [
        "ndcg(ideal=list)@10",
        " ndcg ( ideal = list )@10 ",
        "ndcg(ideal=list, gain=linear)@10",
        "ndcg(discount=log2,ideal=list,no_relevant=nan)@10",
    ],
)
def test_one_meaning_has_one_text(text):
    made = measure(text)
    assert made == measure("ndcg(ideal=list)@10")
    assert str(made) == "ndcg(ideal=list)@10"
    assert {made: 1}[measure("ndcg(ideal=list)@10")] == 1
    assert measure(str(made)) == made == measure(made.everything)


def test_another_meaning_is_another_measure():
    texts = ["ndcg", "ndcg@10", "ndcg@5", "ndcg(gain=binary)@10", "recall@10", "f_beta(beta=2)@10"]
    assert len({measure(text) for text in texts}) == len(texts)
    assert measure("f_beta(beta=1)@10") == measure("f_beta@10")
    assert repr(measure("ndcg@10")) == "measure('ndcg@10')"
    assert isinstance(measure("ndcg"), Measure)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ngcd@10", "unknown measure 'ngcd'; did you mean 'ndcg'?"),
        ("coffee", "unknown measure 'coffee'; there are alpha_ndcg, average_popularity, av"),
        ("ndcg(ideals=list)@10", "ndcg has no convention 'ideals'; did you mean 'ideal'?"),
        ("ndcg(ideal=mine)@10", "'ndcg.ideal=mine.@10': ideal must be one of 'all', 'list'"),
        ("f_beta(beta=much)", "beta is the weight of recall, a number; got 'much'"),
        ("f_beta(beta=0)", "beta is the weight of recall and must be above 0; got 0"),
        ("ndcg(ideal)@10", "'ideal' is no convention; write name=value"),
        ("ndcg(gain=linear, gain=binary)", "names 'gain' twice"),
        ("ndcg@0", "a whole number of 1 or more; got 0"),
        ("ndcg@ten", "a whole number of 1 or more; got ten"),
        ("ndcg@-3", "a whole number of 1 or more; got -3"),
        ("ndcg 10", "'ndcg 10' is no measure; write it like ndcg@10"),
        ("", "is no measure"),
        ("expected_reciprocal_rank@5", "needs max_grade; write expected_reciprocal_rank"),
    ],
)
def test_errors_offer_what_to_write(text, message):
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        measure(text)


def test_a_measure_is_read_from_text_only():
    with pytest.raises(TypeError, match="read from a text such as 'ndcg@10'; got 10"):
        measure(10)
