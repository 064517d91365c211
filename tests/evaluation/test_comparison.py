"""Reports side by side and by groups."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.evaluation._user_values import _pair_values
from recsys_metrics.protocol.significance import (
    Conclusion,
    adjust,
    gain_interval,
    mcnemar,
    proportion_interval,
    randomization_test,
)

N = 50
RNG = np.random.default_rng(11)
TABLE = np.tile(np.arange(6), (N, 1))
TRUTH = [set(RNG.choice(9, 3, replace=False).tolist()) for _ in range(N)]
ASKED = ["hit_rate@2", "ndcg@4", "gini@4", "arp@4"]
MORE = {"catalog": 9, "history": [{0, 1}] * N, "split": "x"}


def report(table, name, **more):
    return rm.evaluate(table, TRUTH, ASKED, name=name, **{**MORE, **more})


OLD = report(TABLE, "old")
NEW_TABLE = RNG.permuted(TABLE, axis=1)
NEW = report(NEW_TABLE, "new")


def test_differences_are_paired_by_user():
    compared = NEW.compare(OLD)
    one, other = NEW["ndcg@4"].per_user, OLD["ndcg@4"].per_user
    found = compared["ndcg@4"]
    assert found.gain == pytest.approx((one - other).mean(), abs=1e-15)
    assert found.interval == gain_interval(other, one, bounds=(0, 1))
    assert found.p_value == randomization_test(other, one).p_value
    hits = NEW["hit_rate@2"].per_user, OLD["hit_rate@2"].per_user
    assert compared["hit_rate@2"].interval == mcnemar(*hits[::-1]).interval
    assert compared["hit_rate@2"].p_value == mcnemar(*hits).p_value
    # Popularity has no upper bound.
    popularity = NEW["arp@4"].per_user, OLD["arp@4"].per_user
    assert compared["arp@4"].interval == gain_interval(*popularity[::-1])
    assert (found.better, found.worse) == ((one > other).sum(), (one < other).sum())
    assert found.better + found.worse + found.equal == N
    twice = np.tile(TABLE, (3, 1)), np.tile(NEW_TABLE, (3, 1))
    more = {"catalog": 9, "history": [{0, 1}] * 3 * N, "split": "x"}
    old, new = (rm.evaluate(table, TRUTH * 3, ASKED, **more) for table in twice)
    compared = new.compare(old)
    one, other = new["ndcg@4"].per_user, old["ndcg@4"].per_user
    assert compared["ndcg@4"].p_value == randomization_test(other, one).p_value
    assert compared["ndcg@4"].interval == gain_interval(other, one, bounds=(0, 1))
    tested = [compared[name].p_value for name in ("hit_rate@2", "ndcg@4", "arp@4")]
    assert compared["ndcg@4"].p_adjusted == pytest.approx(adjust(tested)[1])
    assert compared["gini@4"].interval is None
    assert np.isnan(compared["gini@4"].p_adjusted)


def test_the_conclusion_is_about_one_metric():
    compared = NEW.compare(OLD)
    assert str(compared.decided_on) == "hit_rate@2"
    assert compared.conclusion == Conclusion.of(
        compared["hit_rate@2"].interval, p_value=compared["hit_rate@2"].p_value
    )
    chosen = NEW.compare(OLD, decide_on="ndcg@4", margin=0.5, level=0.9)
    assert chosen.conclusion.margin == 0.5
    assert chosen.conclusion.interval.level == 0.9
    assert f"By ndcg@4: {chosen.conclusion.outcome}: difference" in " ".join(repr(chosen).split())
    assert "90% CI" in chosen._repr_html_()


def test_few_users_give_no_conclusion():
    few = {u: {0} for u in range(19)}
    old, new = (rm.evaluate({u: [item] for u in few}, few, ["hit_rate@1"]) for item in (1, 0))
    compared = new.compare(old)
    assert compared["hit_rate@1"].interval.low > 0
    assert compared.conclusion is None
    assert "By hit_rate@1: no conclusion, 19 users are too few (fewer than 20)." in repr(compared)


def test_a_disagreement_of_interval_and_p_value_is_explained():
    # 5 of 139 users gain the same: the sign test says p = 0.0625, the interval excludes 0.
    truth = {u: {0, 1} for u in range(139)}
    old = rm.evaluate({u: [5, 6] for u in truth}, truth, ["ndcg@2"])
    new = rm.evaluate({u: [5, 0] if u < 5 else [5, 6] for u in truth}, truth, ["ndcg@2"])
    compared = new.compare(old)
    assert compared["ndcg@2"].interval.low > 0
    assert compared["ndcg@2"].p_value == 0.0625
    assert compared.conclusion.outcome == "no difference detected"
    assert "ndcg@2: the 95% CI excludes 0 and p = 0.062: the interval depends on" in " ".join(
        repr(compared).split()
    )
    assert not [text for text in NEW.compare(NEW)._view().warnings if "random signs" in text]


def test_swapping_the_reports_reverses_the_sign():
    forth, back = NEW.compare(OLD), OLD.compare(NEW)
    for name in ASKED:
        assert forth[name].gain == pytest.approx(-back[name].gain)
        assert forth[name].better == back[name].worse


def test_for_lower_is_better_metrics_the_conclusion_is_reversed():
    lists = {u: ["A", "B"] for u in range(120)}
    kinds = {"A": {"x"}, "B": {"y"}}
    seen = {u: {"A"} if u % 2 else {"A", "B"} for u in lists}
    truth = {u: {"A"} for u in lists}
    asked = ["genre_calibration@1"]
    more = {"history": seen, "features": kinds}
    right = rm.evaluate(lists, truth, asked, **more)
    wrong = rm.evaluate({u: ["B", "A"] for u in lists}, truth, asked, **more)
    compared = right.compare(wrong)
    assert compared[asked[0]].gain < 0
    assert compared.conclusion.outcome == "better"
    assert wrong.compare(right).conclusion.outcome == "worse"


def test_users_are_paired_by_key():
    lists = {u: [u % 3] for u in range(6)}
    truth = {u: {0} for u in lists}
    one = rm.evaluate(lists, truth, ["hit_rate@1"])
    other = rm.evaluate(dict(reversed(lists.items())), truth, ["hit_rate@1"])
    compared = one.compare(other)
    assert compared["hit_rate@1"].gain == 0
    assert compared["hit_rate@1"].equal == 6
    assert compared["hit_rate@1"].p_value == 1
    # Six users without a change are no proof that nobody's list got better.
    assert compared["hit_rate@1"].interval.half_width > 0.4


def other_users():
    return rm.evaluate(TABLE[:-1], TRUTH[:-1], ASKED, **{**MORE, "history": [{0}] * (N - 1)})


def other_truth():
    return rm.evaluate(TABLE, [{0}, *TRUTH[1:]], ASKED, **MORE)


def by_key():
    return rm.evaluate(
        dict(enumerate(TABLE.tolist())), dict(enumerate(TRUTH)), ["hit_rate@2"], split="x"
    )


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (other_users, "the reports are of 50 and 49 users"),
        (other_truth, "what is relevant to 1 of 50 users, list 0 for one: 3 and 1 items"),
        (by_key, "one report is keyed by user and the other is not"),
        (lambda: rm.evaluate(TABLE, TRUTH, ["mrr@1"]), "the reports share no metric"),
    ],
)
def test_incompatible_reports_raise(other, message):
    with pytest.raises(ValueError, match=message):
        NEW.compare(other())


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("recall@1", "recall@1 is not in both reports"),
        ("arp@4", "neither side of average_popularity@4 is better by itself"),
        ("gini@4", "gini@4 has no confidence interval of its gain"),
    ],
)
def test_invalid_decide_on_raises(measure, message):
    with pytest.raises(ValueError, match=message):
        NEW.compare(OLD, decide_on=measure)


def test_comparison_by_group():
    ages = np.where(np.arange(N) < 20, "old", "young")
    grouped = report(TABLE, "old", groups={"age": ages}).by("age")
    values = OLD["ndcg@4"].per_user
    expected = rm.bias.fairness.by_group(values, ages, bounds=(0, 1))
    assert grouped["ndcg@4"].per_group == pytest.approx(expected.per_group, abs=1e-15)
    assert grouped["ndcg@4"].gap_interval == pytest.approx(expected.gap_interval, abs=1e-13)
    assert grouped.sizes == {"old": 20, "young": 30}
    assert list(grouped) == ["hit_rate@2", "ndcg@4", "arp@4"]
    assert "old (20)" in repr(grouped)
    low, high = grouped["hit_rate@2"].intervals["old"]
    hits = int(OLD["hit_rate@2"].per_user[:20].sum())
    assert [low, high] == pytest.approx(list(proportion_interval(hits, 20)))
    assert "old (20)" in grouped._repr_html_()
    assert list(OLD.by(ages)) == list(grouped)


def test_invalid_groups_raise():
    with pytest.raises(ValueError, match="there is no grouping 'sex'; evaluate was given none"):
        OLD.by("sex")
    with pytest.raises(ValueError, match=r"has shape \(1,\); give one group for each of 50 lists"):
        OLD.by(["old"])
    with pytest.raises(KeyError, match="gini@4 has no values by group"):
        OLD.by(np.arange(N) % 2)["gini@4"]
    only = rm.evaluate(TABLE, TRUTH, ["gini@4"], catalog=9)
    with pytest.raises(ValueError, match="every metric is an aggregate over all lists"):
        only.by(np.arange(N) % 2)


def test_differences_equal_up_to_rounding_have_an_exact_p_value():
    # Every user gains a tenth: 3/10 less 2/10 and 1/10 less 0 are not the same in floats.
    hits = [3, 1] * 10
    truth = [{0, 1, 2, 3, 4, 5} for _ in hits]
    ours = [[*range(n), *range(10, 20 - n)] for n in hits]
    theirs = [[*range(n - 1), *range(10, 21 - n)] for n in hits]
    one, other = (rm.evaluate(lists, truth, ["precision@10"]) for lists in (ours, theirs))
    found = one.compare(other)["precision@10"]
    assert found.gain == pytest.approx(0.1)
    assert found.p_value == pytest.approx(2 / 2**20)
    assert found.better == 20


def test_rounding_differences_between_engines_count_as_no_change():
    old = np.array([0.1, 0.7, 0.0, 0.5])
    found = _pair_values(np.nextafter(old, 1), old)
    assert (found.gain.mean, found.better, found.worse) == (0.0, 0, 0)
    found = _pair_values(old + np.array([1e-9, 0, 0, -1e-9]), old)
    assert (found.better, found.worse) == (1, 1)
