"""The simulated shop: its log is as documented, and off-policy estimates of it are right."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.datasets import simulate_shop_log

LOG = simulate_shop_log(seed=7)
SHOWN = LOG.impressions
CUSTOMER = np.searchsorted(LOG.customers["customer"], SHOWN["customer"])
ITEM = np.searchsorted(LOG.catalog["sku"], SHOWN["sku"])


def test_every_session_shows_each_rank_once_and_no_item_twice():
    sku = SHOWN["sku"].reshape(-1, 5)
    assert (SHOWN["rank"].reshape(-1, 5) == np.arange(1, 6)).all()
    for column in ("customer", "session", "when"):
        rows = SHOWN[column].reshape(-1, 5)
        assert (rows == rows[:, :1]).all()
    assert all(len(set(row)) == 5 for row in sku)
    assert len(np.unique(SHOWN["session"])) == len(sku)


def test_columns_are_what_a_company_has():
    assert SHOWN["customer"].dtype.kind == SHOWN["sku"].dtype.kind == "U"
    assert SHOWN["when"].dtype == np.dtype("datetime64[s]")
    assert (np.diff(SHOWN["when"]) >= np.timedelta64(0)).all()
    assert set(np.unique(SHOWN["clicked"])) == {0, 1}
    assert (SHOWN["purchased"] <= SHOWN["clicked"]).all()
    frame = LOG.to_frame(backend="pandas")
    assert frame["when"].dt.year.eq(2025).all()
    for name in ("polars", "pyarrow"):
        other = LOG.to_frame(backend=name)["when"].to_numpy()
        assert (other.astype("datetime64[s]") == SHOWN["when"]).all()
    assert LOG.to_frame("customers", backend="polars")["segment"].unique().len() == 2
    with pytest.raises(ValueError, match="table is one of impressions, catalog, customers; got"):
        LOG.to_frame("clicks")


def test_no_item_is_shown_in_a_week_before_it_is_sold():
    assert (SHOWN["when"] >= LOG.catalog["available"][ITEM]).all()
    late = LOG.catalog["available"] > np.datetime64("2025-01-06T00:00:00")
    assert 0.1 < late.mean() < 0.3


def test_propensities_are_those_of_the_draws():
    explored = SHOWN["propensity"] < 0.5
    assert np.unique(SHOWN["propensity"][~explored]) == pytest.approx([0.9])
    n, share = len(explored), explored.mean()
    assert abs(share - 0.1) < 4 * np.sqrt(0.09 / n)
    # The weights of a uniform target over all items that were sold have the mean 1.
    n_sold = 0.1 / SHOWN["propensity"][explored] + 5
    assert n_sold.max() <= 400
    assert np.allclose(n_sold, np.round(n_sold))


def test_clicks_follow_examination_and_attraction():
    expected = LOG.examination[SHOWN["rank"] - 1] * LOG.attraction[CUSTOMER, ITEM]
    for rank in range(1, 6):
        rows = SHOWN["rank"] == rank
        error = np.sqrt((expected * (1 - expected))[rows].sum()) / rows.sum()
        assert abs(SHOWN["clicked"][rows].mean() - expected[rows].mean()) < 4 * error
    assert SHOWN["purchased"].sum() / SHOWN["clicked"].sum() == pytest.approx(1 / 7, abs=0.02)


def test_an_off_policy_estimate_contains_the_true_value():
    # The target shows an item at random, of all that were sold when the week began.
    rows = np.flatnonzero(SHOWN["rank"] == 1)
    start = np.datetime64("2025-01-06T00:00:00")
    week = ((SHOWN["when"][rows] - start) / np.timedelta64(7, "D")).astype(int)
    sold = LOG.catalog["available"] <= start + (
        np.arange(9)[:, np.newaxis] * np.timedelta64(7, "D")
    )
    found = rm.bias.off_policy.ips(
        SHOWN["clicked"][rows], SHOWN["propensity"][rows], 1 / sold.sum(axis=1)[week]
    )
    of_user = (LOG.attraction @ sold.T / sold.sum(axis=1))[CUSTOMER[rows], week]
    low, high = found.interval(level=0.999)
    assert low < of_user.mean() < high


def test_the_same_seed_gives_the_same_log():
    again, other = simulate_shop_log(seed=7), simulate_shop_log(seed=8)
    assert all((again.impressions[name] == SHOWN[name]).all() for name in SHOWN)
    assert len(other.impressions["sku"]) != len(SHOWN["sku"])


def test_clicks_are_interactions_of_text_ids():
    clicks, customers, items = LOG.clicks()
    assert len(clicks) == SHOWN["clicked"].sum()
    first = int(np.flatnonzero(SHOWN["clicked"])[0])
    assert customers[clicks.user[0]] == SHOWN["customer"][first]
    assert items[clicks.item[0]] == SHOWN["sku"][first]
    train, test = rm.protocol.temporal_split(clicks, test_share=0.2)
    assert train.timestamp.max() <= test.timestamp.min()


def test_personal_history_predicts_better_than_popularity():
    clicks, _, _ = LOG.clicks()
    train, test = rm.protocol.temporal_split(clicks, test_share=0.2)
    users = np.unique(test.user)
    truth, seen = test.matrix()[users], train.matrix()[users]
    reports = {}
    for name, model in (
        ("knn", rm.baselines.ItemKNN()),
        ("random", rm.baselines.RandomScores(seed=0)),
    ):
        lists = rm.ranking.rank_from_scores(model.fit(train).scores(users, train), 10, exclude=seen)
        reports[name] = rm.evaluate(lists, truth, ["recall@10"], name=name)
    assert reports["knn"].compare(reports["random"]).conclusion.outcome == "better"


def test_the_shop_shows_more_of_a_preferred_category_the_more_it_personalizes():
    def same_first_item(weight):
        """Return the share of the most frequent item in the first slot of the last week."""
        log = simulate_shop_log(n_customers=300, n_days=28, personalization=weight, seed=1)
        shown = log.impressions
        rows = (shown["rank"] == 1) & (shown["when"] >= shown["when"].max() - 6 * 86_400)
        return np.unique(shown["sku"][rows], return_counts=True)[1].max() / rows.sum()

    # Without personalization the first item is the same for all, but for 10 % at random.
    none, half, three = map(same_first_item, (0, 0.5, 3))
    assert none == pytest.approx(0.9, abs=0.05)
    assert none > half > three


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_items": 20}, "n_items must be more than four times n_slots"),
        ({"exploration": 0.0}, "exploration lies above 0 and below 1; got 0.0"),
        ({"exploration": 1}, "exploration lies above 0 and below 1; got 1"),
        ({"personalization": -0.1}, "personalization is finite and 0 or more; got -0.1"),
        ({"personalization": float("nan")}, "personalization is finite and 0 or more; got nan"),
        ({"n_days": 0}, "n_days is a whole number of 1 or more; got 0"),
    ],
)
def test_a_shop_that_cannot_be_is_an_error(options, message):
    with pytest.raises(ValueError, match=message):
        simulate_shop_log(**options)


HASH = """
import hashlib
from recsys_metrics.datasets import simulate_shop_log
log = simulate_shop_log(n_customers=200, n_items=60, n_days=28, seed=0)
print(hashlib.sha256(repr([v.tolist() for v in log.impressions.values()]).encode()).hexdigest())
"""


def test_a_seed_gives_one_log_on_every_processor():
    # numpy sorts and selects with the widest registers that a processor has.
    with_all, with_few = (
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", HASH],
            env={**os.environ, "NPY_DISABLE_CPU_FEATURES": without},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for without in ("", "X86_V4 X86_V3 AVX512F AVX2 FMA3 ASIMDHP")
    )
    assert with_all == with_few != ""
