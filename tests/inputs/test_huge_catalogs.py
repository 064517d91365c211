"""A catalogue of 10**12 items is counted, or refused before anything of its size is made."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics import beyond_accuracy as ba
from recsys_metrics import evaluate
from recsys_metrics.baselines import EASE, ItemKNN, Popularity, RandomScores
from recsys_metrics.bias import propensity
from recsys_metrics.interactions import Interactions

HUGE = 10**12
LISTS = np.array([[0, 1], [2, 3]])
RELEVANT = [{0}, {1}]


def test_what_needs_no_number_for_each_item_is_counted():
    assert ba.catalog_coverage(LISTS, HUGE) == ba.catalog_coverage(LISTS, range(HUGE)) == 4e-12
    measures = ["coverage@2", "gini@2", "shannon_entropy@2"]
    report = evaluate(LISTS, RELEVANT, measures, catalog=HUGE)
    assert report["coverage@2"].value == 4e-12
    assert report["gini@2"].value == pytest.approx(1)
    assert report["shannon_entropy@2"].value == 2


@pytest.mark.parametrize("catalog", [HUGE, range(HUGE)], ids=["number", "range"])
@pytest.mark.parametrize("function", [ba.recommendation_counts, ba.exposure_of_items])
def test_a_number_for_each_item_is_refused(function, catalog):
    with pytest.raises(ValueError, match="catalog has 1,000,000,000,000 items, and the result has"):
        function(LISTS, catalog)


@pytest.mark.parametrize("history", [None, {"u": [1], "v": [2]}])
def test_a_report_reads_each_item_of_a_range(history):
    lists, relevant = {"u": [0, 1], "v": [2, 3]}, {"u": {0}, "v": {1}}
    with pytest.raises(ValueError, match="each of its items is read, at most 100,000,000; pass"):
        evaluate(lists, relevant, ["gini@2"], catalog=range(HUGE), history=history)


def test_a_range_is_a_catalogue_like_a_list():
    for catalog in (range(4), range(3, -1, -1), range(0, 10, 1)):
        counts = ba.recommendation_counts(LISTS, catalog)
        assert counts.tolist() == ba.recommendation_counts(LISTS, [*catalog]).tolist()
    assert ba.recommendation_counts([[4, 2]], range(0, 6, 2)).tolist() == [0, 1, 1]
    for lists, catalog in ((LISTS, range(3)), ([["A"]], range(HUGE)), ([[3]], range(0, 6, 2))):
        with pytest.raises(ValueError, match="which is not in the catalogue of"):
            ba.catalog_coverage(lists, catalog)
    with pytest.raises(ValueError, match="the catalogue is empty"):
        ba.catalog_coverage(LISTS, range(0))
    with pytest.raises(ValueError, match="the number of items in catalog is a whole number of at"):
        ba.catalog_coverage(LISTS, range(10**30))


def test_ids_far_beyond_the_counts_are_refused():
    with pytest.raises(ValueError, match="far beyond the 3 entries of item_counts"):
        ba.popularity_serendipity([[0, HUGE]], [{0}], [1, 2, 3], HUGE + 1, k=2)
    counts = {0: 1, 1: 2, 2: 3}
    assert ba.popularity_serendipity([[0, HUGE]], [{0}], counts, HUGE + 1, k=2) >= 0


def test_positions_far_down_are_refused():
    for function in (
        lambda: propensity.position_bias_em([1, 0, 1, 1], [0, 0, 1, 1], [1, 2, 1, HUGE]),
        lambda: propensity.position_bias_swap([1, 0, 1, 1], [1, 2, 1, HUGE]),
    ):
        with pytest.raises(ValueError, match="positions are so high that a table"):
            function()


@pytest.mark.parametrize(
    "model", [EASE(), ItemKNN(), Popularity(), RandomScores(1)], ids=lambda m: type(m).__name__
)
def test_recommenders_refuse_to_score_so_many_items(model):
    train = Interactions([0, 1], [0, 1], n_items=2**31)
    with pytest.raises(ValueError, match="interactions has 2,147,483,648 items, and a user's scor"):
        model.fit(train)
