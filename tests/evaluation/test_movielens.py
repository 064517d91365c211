"""Ten measures at three cuts, two recommenders, real data: a report a stranger understands."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.workbook.experiments.movielens import keep_liked, movielens_experiment

pytest.importorskip("lzma", reason="MovieLens is packed with xz")

MEASURES = [
    "ndcg",
    "recall",
    "precision",
    "map",
    "mrr",
    "hit_rate",
    "coverage",
    "gini",
    "diversity",
    "novelty(unseen=one)",
]
KS = [5, 10, 20]


@pytest.fixture(scope="module")
def reports():
    data = movielens_experiment()
    many = np.asarray(data.seen.sum(axis=1)).ravel() > 60
    return {
        name: rm.evaluate(
            recommended,
            data.truth,
            MEASURES,
            ks=KS,
            history=keep_liked(data.known),
            history_rows=data.users,
            features=data.features,
            groups={"activity": np.where(many, "many films", "few films")},
            split="by time, then half of each user's later films",
            seed=0,
            name=name,
        )
        for name, recommended in data.lists(20).items()
        if name in ("popularity", "EASE")
    }


def test_every_metric_has_a_value_in_its_bounds_and_an_interval(reports):
    report = reports["EASE"]
    assert len(report) == 30
    for name, result in report.items():
        if result.values is None:
            assert result.interval() is None
            assert 0 <= result.value <= 1
        else:
            assert result.n == 145
            low, high = result.interval()
            assert low < result.mean < high, name
            least, most = result.measure.metric.bounds
            assert least <= np.nanmin(result.values) <= np.nanmax(result.values) <= most, name
            assert least <= low < high <= most, name
    assert report.warnings == ()
    # What must hold between measures and cuts, whatever the model.
    for smaller, larger in ((5, 10), (10, 20)):
        for grows in ("recall", "hit_rate", "mrr", "coverage"):
            assert report[f"{grows}@{smaller}"].mean <= report[f"{grows}@{larger}"].mean
    for k in KS:
        assert report[f"map@{k}"].mean <= report[f"hit_rate@{k}"].mean


def test_repr_has_headings_questions_and_short_lines(reports):
    text = repr(reports["EASE"])
    for said in (
        "Accuracy",
        "Beyond accuracy",
        "@5",
        "@20",
        "How close is the list to the best possible order?",
        "145, of 20 items",
        "by time, then half of each user's later films",
        "a catalogue of 9,066 items; the history of 671 users; features of the items",
    ):
        assert said in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_comparison_decides_on_one_metric_and_shows_all(reports):
    compared = reports["EASE"].compare(reports["popularity"], decide_on="ndcg@10")
    assert len(compared) == 30
    assert compared.conclusion.outcome == "better"
    text = repr(compared)
    assert "EASE against popularity" in text
    assert "By ndcg@10: better: difference 0." in text
    for difference in compared.values():
        if difference.interval is not None:
            assert difference.better + difference.worse + difference.equal == 145
            assert difference.p_adjusted >= difference.p_value


def test_groups_partition_all_users(reports):
    grouped = reports["EASE"].by("activity")
    assert sum(grouped.sizes.values()) == 145
    found = grouped["ndcg@10"]
    mean = sum(found.per_group[g] * n for g, n in grouped.sizes.items()) / 145
    assert mean == pytest.approx(reports["EASE"]["ndcg@10"].mean)
