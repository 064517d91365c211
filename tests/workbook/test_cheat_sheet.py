"""The cheat sheet: every metric has a row with a value."""

from __future__ import annotations

import re

import pytest

from recsys_metrics import beyond_accuracy, calibration, protocol, ranking, rating
from recsys_metrics.bias import fairness
from recsys_metrics.workbook.cards import CARDS
from recsys_metrics.workbook.cards.cheat_sheet import cheat_sheet

CALLS = " ".join(card.call for card in CARDS.values())
# What makes lists, tables, curves or maps rather than a number, or takes values of metrics.
NO_METRICS = {
    "judge judge_scores discounts rank_from_scores stage_recall",
    "category_shares f_beta_score exposure_of_items lorenz_curve recommendation_counts",
    "calibration_split reliability_curve score_decomposition cross_fit correct_negative_sampling",
    "ab_test always_valid_interval sample_ratio sequential_test",
    "cuped equivalence_test group_sequential group_sequential_test interleave",
    "non_inferiority_test quantile_test ratio_sd sample_size stratified_test surrogate_index",
    "switchback_test",
    "by_group fa_ir_test head_tail restrict_relevant",
}


def metrics():
    others = {name for line in NO_METRICS for name in line.split()}
    for module in (rating, ranking, beyond_accuracy, calibration, protocol.online, fairness):
        for name in module.__all__:
            if name.islower() and name not in others:
                yield name


@pytest.mark.parametrize("name", sorted(metrics()))
def test_every_metric_has_a_row(name):
    assert re.search(rf"\b{name}\(", CALLS)


def test_metric_names_are_unique():
    names = [card.title for card in CARDS.values()]
    assert len(names) == len(set(names))


def test_values_equal_their_calls():
    assert cheat_sheet("rating", actual=[5, 2], predicted=[4, 4]).rows[0][-1] == rating.mae(
        [5, 2], [4, 4]
    )
    with pytest.raises(NameError, match="predicted"):
        cheat_sheet("rating", actual=[5, 2])
    with pytest.raises(KeyError, match="there are rating, ranking"):
        cheat_sheet("ratings")
