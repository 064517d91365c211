"""A measure is its text: read, written, compared, called."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import Annotated, Literal, get_args, get_origin

import pytest

import recsys_metrics as rm
from recsys_metrics._core.parameter_domains import Domain
from recsys_metrics.measures import METRICS, Measure, MeasureMapping, Metric, measure

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
        (
            "average_precision(denominator=hits)@10",
            rm.average_precision(JUDGED, 10, denominator="hits"),
        ),
    ],
)
def test_a_measure_equals_its_metric(text, value):
    assert measure(text)(JUDGED).tolist() == value.tolist()


@pytest.mark.parametrize(
    ("texts", "own"),
    [
        ("NDCG@10 nDCG@10 Ndcg@10 ndcg_cut_10 ndcg_cut.10", "ndcg@10"),
        ("P@5 P_5 P.5 p@5 Precision@5", "precision@5"),
        ("R@10 Recall@10 recall_10", "recall@10"),
        ("Hit@10 hit@10 HR@10 success@10 Success@10 success_10 hits@10", "hit_rate@10"),
        ("recip_rank RR MRR mrr", "reciprocal_rank"),
        ("MAP@10 mAP@10 AP@10 map_cut_10", "average_precision@10"),
        ("Rprec R_precision", "r_precision"),
        ("RBP(p=0.5)", "rank_biased_precision(p=0.5)"),
    ],
)
def test_names_are_read_as_other_tools_write_them(texts, own):
    for text in texts.split():
        assert measure(text) == measure(own), text


def test_a_short_name_is_free_for_a_metric_of_the_callers_own():
    assert str(Measure.of(lambda judged: judged.gains[:, 0], name="success").at(3)) == "success@3"


def test_every_metric_of_judged_lists_has_a_text():
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
def test_equivalent_texts_give_equal_measures(text):
    made = measure(text)
    assert made == measure("ndcg(ideal=list)@10")
    assert str(made) == "ndcg(ideal=list)@10"
    assert {made: 1}[measure("ndcg(ideal=list)@10")] == 1
    assert measure(str(made)) == made == measure(made.canonical)


def test_different_options_give_different_measures():
    texts = ["ndcg", "ndcg@10", "ndcg@5", "ndcg(gain=binary)@10", "recall@10", "f_beta(beta=2)@10"]
    assert len({measure(text) for text in texts}) == len(texts)
    assert measure("f_beta(beta=1)@10") == measure("f_beta@10")
    assert repr(measure("ndcg@10")) == "measure('ndcg@10')"
    assert isinstance(measure("ndcg"), Measure)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ngcd@10", "unknown metric 'ngcd'; did you mean 'ndcg'?"),
        ("coffee", "unknown metric 'coffee'; there are alpha_ndcg, average_popularity, av"),
        ("ndcg(ideals=list)@10", "ndcg has no convention 'ideals'; did you mean 'ideal'?"),
        ("ndcg(ideal=mine)@10", "'ndcg.ideal=mine.@10': ideal must be one of 'all', 'list'"),
        ("f_beta(beta=much)", "beta is the weight of recall, a number; got 'much'"),
        ("f_beta(beta=0)", "beta is the weight of recall and must be above 0; got 0"),
        ("ndcg(ideal)@10", "'ideal' is no convention; write name=value"),
        ("ndcg(gain=linear, gain=binary)", "names 'gain' twice"),
        ("ndcg@0", "a whole number of 1 or more; got 0"),
        ("ndcg@ten", "a whole number of 1 or more; got ten"),
        ("ndcg@-3", "a whole number of 1 or more; got -3"),
        ("ndcg 10", "'ndcg 10' is no metric; write it like ndcg@10"),
        ("", "is no metric"),
        ("expected_reciprocal_rank@5", "needs max_grade; write expected_reciprocal_rank"),
    ],
)
def test_errors_suggest_valid_texts(text, message):
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        measure(text)


def test_a_measure_can_be_parsed_from_text_only():
    with pytest.raises(TypeError, match="read from a text such as 'ndcg@10'; got 10"):
        measure(10)


def refuses(
    judged,
    k=None,
    *,
    form: Literal["round", "square"] = "round",
    weight: Annotated[float, Domain("how heavy", least=0, below=2)] = 1.0,
    times: Annotated[int, Domain("how often", least=1, whole=True)] = 1,
    sharp: bool = False,
):
    raise AssertionError("a measure was taken to read its text")


def test_parsing_does_not_call_the_metric(monkeypatch):
    monkeypatch.setattr(
        "recsys_metrics.measures._text.METRICS", {"mine": Metric(refuses, "accuracy")}
    )
    read = measure("mine(form=square, weight=.5, times=2, sharp=True)@3")
    assert read.conventions == {"form": "square", "weight": 0.5, "times": 2, "sharp": True}
    for wrong, message in {
        "form=oval": "form must be one of 'round', 'square'; got 'oval'",
        "weight=2": "weight is how heavy and must be at least 0 and below 2; got 2.0",
        "weight=nan": "weight is how heavy and must be finite; got nan",
        "weight=much": "weight is how heavy, a number; got 'much'",
        "times=0": "times is how often, a whole number of 1 or more; got 0",
        "times=1.5": "times is how often, a whole number of 1 or more; got 1.5",
        "sharp=very": "sharp must be true or false; got 'very'",
    }.items():
        with pytest.raises(ValueError, match=f"{wrong}.@3': {message}"):
            measure(f"mine({wrong})@3")


CONVENTIONS = [(name, c) for name, metric in METRICS.items() for c in metric.conventions]


@pytest.mark.parametrize(("name", "convention"), CONVENTIONS)
def test_every_option_is_annotated_with_its_values(name, convention):
    metric = METRICS[name]
    needed = "".join(f"{c}=5, " for c in metric.conventions if c not in metric.defaults)
    annotation = metric._annotations[convention]
    words = get_args(annotation) if get_origin(annotation) is Literal else ()
    for word in words:
        text = f"{name}({needed}{convention}={word})"
        assert measure(text).resolved[convention] == word
    with pytest.raises(ValueError, match=rf"{convention}.* got '\?'"):
        measure(f"{name}({'' if convention in needed else needed}{convention}=?)")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("self_information(base=2.718281828)@10", 2.718281828),
        ("shannon_entropy(base=10)@10", 10),
        ("gini(normalized=true)@10", True),
        ("user_coverage(at_least=3)@10", 3),
        ("interpolated_precision(recall=0.5)", 0.5),
    ],
)
def test_numbers_are_converted_and_written_back_unchanged(text, value):
    (read,) = measure(text).conventions.values()
    assert read == value
    assert type(read) is type(value)
    assert str(measure(text)) == text.replace("true", "True")
    assert measure(str(measure(text))) == measure(text)


def test_changing_an_option_returns_a_copy():
    read = measure("ndcg(ideal=list)@10")
    assert read.with_options(gain="binary") == measure("ndcg(gain=binary, ideal=list)@10")
    assert read.with_options(ideal="all") == measure("ndcg@10")
    assert read.at(None).label == "ndcg(ideal=list)"
    assert pickle.loads(pickle.dumps(read)) == read


def test_a_measure_mapping_accepts_any_equivalent_text():
    @dataclass(frozen=True)
    class Seconds(MeasureMapping[float], entries="seconds", absent="was not timed; there are"):
        seconds: dict[Measure, float]

    timed = Seconds({measure("ndcg@10"): 0.2, measure("map@10"): 0.3})
    assert [*timed] == ["ndcg@10", "map@10"]
    assert timed["ap( denominator=relevant )@10"] == timed[measure("map@10")] == 0.3
    with pytest.raises(KeyError, match="recall@5 was not timed; there are ndcg@10, map@10"):
        timed["recall@5"]


def test_an_error_of_a_metric_names_the_measure_whatever_its_class():
    class Unreadable(dict):
        def get(self, item, default=None):
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    features = Unreadable(A={"x"}, B={"y"})
    with pytest.raises(ValueError, match=r"^intra_list_diversity@2: 'utf-8' codec can't decode"):
        rm.evaluate([["A", "B"]], [{"A"}], ["diversity@2"], features=features)
    with pytest.raises(TypeError, match=r"^intra_list_diversity@2: .* not str 'AB'"):
        rm.evaluate([["A", "B"]], [{"A"}], ["diversity@2"], features="AB")
    with pytest.raises(ValueError, match=r"^catalog_coverage@2 needs catalog: what could"):
        rm.evaluate([["A", "B"]], [{"A"}], ["coverage@2"])


def test_a_measure_keeps_the_text_that_was_requested():
    for text in (
        "MAP@10",
        "nDCG@5",
        "mrr",
        "ndcg_cut_10",
        "P_5",
        "ndcg(gain=linear)@3",
        "rbp(p=0.8)",
    ):
        assert measure(text).label == text
    assert measure(" ndcg@10 ").label == "ndcg@10"
    assert measure("mrr").at(10).label == "mrr@10"
    assert measure("MAP@10").at(5).label == "MAP@5"
    assert measure("P_5").at(10).label == "P_10"
    assert measure("P_5").at(None).label == "precision"
    assert measure("map@10").with_options(denominator="hits").label == str(
        measure("average_precision(denominator=hits)@10")
    )
    assert measure("map@10") == measure("average_precision@10")
    assert pickle.loads(pickle.dumps(measure("map@10"))).label == "map@10"


@pytest.mark.parametrize(
    "text",
    ["ndcg@\u0661", "f_beta(beta=\u0661)@5", "f_beta(beta=1_0)@5", "ndcg@1_0", "f_beta(beta=1,5)"],
)
def test_numbers_are_written_in_the_digits_0_to_9(text):
    with pytest.raises(ValueError, match=r"a whole number of 1 or more|, a number; got|'5' is no"):
        measure(text)


@pytest.mark.parametrize("k", [0, -1, True, 1.5, "3", 2**31])
def test_a_cutoff_is_a_whole_number_however_it_is_given(k):
    for make in (measure("ndcg").at, lambda k: Measure("ndcg", k)):
        with pytest.raises((TypeError, ValueError), match=r"k is the cut-off \(None for none\)"):
            make(k)


def test_the_constructor_takes_metrics_and_conventions_that_there_are():
    with pytest.raises(ValueError, match=r"unknown metric 'ndgc'; did you mean 'ndcg'\?"):
        Measure("ndgc")
    with pytest.raises(ValueError, match=r"Measure takes the name alone; measure\('ndcg@10'\)"):
        Measure("ndcg@10")
    for wrong in (None, 3, METRICS["ndcg"]):
        with pytest.raises(TypeError, match="name is that of a metric, such as 'ndcg'"):
            Measure(wrong)
    with pytest.raises(TypeError, match=r"own is a Metric; .*; Measure\.of makes a measure of a"):
        Measure("mine", own=len)
    with pytest.raises(ValueError, match="ndcg has no convention 'gian'; did you mean 'gain'"):
        Measure("ndcg", 10, {"gian": "binary"})


def test_without_docstrings_a_measure_says_why_it_has_no_question():
    code = "from recsys_metrics.measures import measure; print(measure('ndcg@5').metric.question)"
    ended = subprocess.run(
        [sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True
    )
    assert ended.stdout.startswith("Not known, because Python was started with -OO")
