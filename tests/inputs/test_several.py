"""A list of metrics, reports or tables was expected: one text says so everywhere."""

from __future__ import annotations

import pytest

from recsys_metrics import (
    compare_goals,
    compare_many,
    evaluate,
    evaluate_predictions,
    interactions,
)
from recsys_metrics.bias.off_policy import estimates

LISTS, RELEVANT = [["A", "B"], ["C", "D"]], [{"A"}, {"D"}]
REPORT = evaluate(LISTS, RELEVANT, ["hit_rate@1", "ndcg@2"])
PAIR = {"a": REPORT, "b": REPORT}
TABLE = interactions.Interactions([0], [0], n_users=1, n_items=1)

METRICS = {
    "evaluate": lambda given: evaluate(LISTS, RELEVANT, given),
    "compare_many": lambda given: compare_many(PAIR, measures=given),
    "plot": lambda given: REPORT.plot(given),
}

LISTS_OF = {
    **{name: (call, "measures must be a list of metrics") for name, call in METRICS.items()},
    "evaluate_predictions": (
        lambda given: evaluate_predictions([1.0, 2.0], [1.0, 2.5], given),
        "metrics must be a list of metrics",
    ),
    "estimates": (
        lambda given: estimates([1], [0], [0.5], [[0.5, 0.5]], estimators=given),
        "estimators must be a list of names",
    ),
    "compare_goals": (compare_goals, "reports must be a list of reports"),
    "compare_many, reports": (compare_many, "reports must be a list of reports"),
    "concatenate": (interactions.concatenate, "parts must be a list of Interactions"),
}


@pytest.mark.parametrize("given", [3, b"ndcg@2"], ids=["number", "bytes"])
@pytest.mark.parametrize("name", LISTS_OF)
def test_what_is_no_list_is_an_error_in_the_same_words(name, given):
    call, words = LISTS_OF[name]
    with pytest.raises(TypeError, match=rf"{words}.*; got (an int|a bytes)"):
        call(given)


@pytest.mark.parametrize("name", METRICS)
def test_one_metric_need_not_stand_in_a_list(name):
    pytest.importorskip("matplotlib")
    METRICS[name]("ndcg@2")


def test_one_report_and_one_table_are_no_list():
    for compare in (compare_many, compare_goals):
        with pytest.raises(TypeError, match=r"reports must be a list of .*; got one report"):
            compare(REPORT)
    with pytest.raises(TypeError, match="parts must be a list of Interactions; got"):
        interactions.concatenate(TABLE)
    pd = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="parts must be a list of Interactions; got"):
        interactions.concatenate(pd.DataFrame({"user": [1], "item": [2]}))
