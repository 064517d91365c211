"""One comparison: by hand, the other way round, and as the library's own tests have it."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from recsys_metrics import evaluate
from recsys_metrics.protocol.significance import (
    Interval,
    bootstrap_interval,
    gain_interval,
    mcnemar,
    paired_t_test,
    randomization_test,
)
from recsys_metrics.workbook.experiments.comparison_table import (
    Comparisons,
    ValueComparison,
    compare_values,
)

NAMES = ("EASE", "item kNN")
HEADINGS = ["Comparison", "Difference", "95% CI", "p", "Result"]
RNG = np.random.default_rng(7)
KNN = RNG.random(145)
EASE = np.clip(KNN + RNG.normal(0.02, 0.1, 145), 0, 1)
WHO = RNG.integers(0, 60, 900)
FIRST, SECOND = RNG.random((2, 900))


def cells(found: ValueComparison | Comparisons) -> list[list[str]]:
    """Return what stands in the table that a notebook shows."""
    rows = re.findall(r"<tr>(.*?)</tr>", found._repr_html_())
    plain = [row.replace("\N{NO-BREAK SPACE}", " ") for row in rows]
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in plain]


def cells_of(row: str) -> list[str]:
    return row.split("|")


def test_several_comparisons_share_a_table_without_empty_columns():
    ahead = ValueComparison(NAMES, Interval(0.019, 0.001, 0.036, 0.95, 145), 0.0356, measure="MAP")
    behind = ValueComparison(("1", "2"), Interval(-0.5, -1.0, 0.0, 0.95, 20), unit="person")
    both = Comparisons([ahead, behind])
    assert cells(both) == [
        ["Comparison", "Metric", "Difference", "95% CI", "p", "p (Holm)", "Result", "n"],
        cells_of("EASE − item kNN|MAP|0.019|[0.001, 0.036]|0.036|0.036|CI excludes 0|145 users"),
        ["1 − 2", "", "-0.500", "[-1.000, 0.000]", "–", "–", "CI includes 0", "20 people"],
    ]
    assert Comparisons([ahead])._repr_html_().endswith("<p>MAP, 145 users</p>")
    assert repr(both) == "\n".join(map(repr, both))


def test_several_comparisons_are_corrected_together():
    def one(p):
        return ValueComparison(NAMES, Interval(0.019, 0.001, 0.036, 0.95, 145), p)

    both = Comparisons([one(0.036), one(0.001)])
    assert [each.p_adjusted for each in both] == pytest.approx([0.036, 0.002])
    assert [each.detected for each in both] == [True, True]
    three = Comparisons([one(0.036), one(0.03), one(0.001)])
    assert [each.p_adjusted for each in three] == pytest.approx([0.06, 0.06, 0.003])
    assert [each.detected for each in three] == [False, False, True]
    assert three[0].result == "CI excludes 0, corrected p ≥ 0.05"
    assert one(0.07).result == "CI excludes 0, p ≥ 0.05"
    assert np.isnan(Comparisons([one(0.036)])[0].p_adjusted)
    few = ValueComparison(NAMES, Interval(0.019, 0.001, 0.036, 0.95, 19), 0.001)
    assert (few.result, few.detected) == ("too few users", False)


def test_comparison_computed_by_hand():
    # 64 users whose gains are 3 and 1, half each: mean 2, variance 64/63, and 2² / 64 more.
    gains = np.tile([3.0, 1.0], 32)
    found = compare_values(gains, np.zeros(64), names=NAMES)
    reach = stats.t.ppf(0.975, 63) * math.sqrt((64 / 63 + 4 / 64) / 64)
    assert found.difference == 2
    assert tuple(found.interval) == pytest.approx((2 - reach, 2 + reach))
    assert repr(found) == "EASE - item kNN: 2.000 [1.741, 2.259], p < 0.001: CI excludes 0"
    assert cells(found) == [
        HEADINGS,
        ["EASE − item kNN", "2.000", "[1.741, 2.259]", "&lt; 0.001", "CI excludes 0"],
    ]
    assert found._repr_html_().endswith("<p>64 users</p>")


def test_clustered_comparison_computed_by_hand():
    # Each of 50 people has three events that all differ by 1, or all by -1, half and half.
    who, side = np.repeat(np.arange(50), 3), np.repeat([1.0, -1.0], 75)
    found = compare_values(side, np.zeros(150), people=who, unit="person")
    # As single events the interval would be a third of 1.96 * 2 / sqrt(150) narrower.
    assert found.difference == 0
    assert found.p_value == 1
    assert found.interval.half_width == pytest.approx(1.96 / math.sqrt(50), rel=0.1)
    assert found.interval.n == 50
    assert found._repr_html_().endswith("<p>50 people</p>")


@pytest.mark.parametrize("bounds", [(0, 1), (-math.inf, math.inf)])
def test_interval_and_test_equal_those_of_the_library(bounds):
    found = compare_values(EASE, KNN, bounds=bounds)
    test = paired_t_test(KNN, EASE)
    assert found.interval == gain_interval(KNN, EASE, bounds=bounds)
    assert found.p_value == randomization_test(KNN, EASE).p_value
    assert found.p_value == pytest.approx(test.p_value, abs=0.01)
    assert tuple(found.interval) == pytest.approx(tuple(test.interval), rel=0.01)
    assert found.excludes_zero is (0 not in test.interval) is (found.p_value < 0.05)


def test_binary_values_use_mcnemar():
    new, old = np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], [40, 30, 12, 63], axis=1)
    found, test = compare_values(new, old, bounds=(0, 1)), mcnemar(old, new)
    assert (found.interval, found.p_value) == (test.interval, pytest.approx(test.p_value))


def test_reports_give_the_same_comparison():
    truth = [{"A"}, {"B"}, {"C"}, {"A"}]
    lists = {"old": [["B"], ["B"], ["A"], ["B"]], "new": [["A"], ["B"], ["C"], ["B"]]}
    asked = ["hit_rate@1", "coverage@1"]
    old, new = (
        evaluate(lists[name], truth, asked, catalog=["A", "B", "C"], name=name)
        for name in ("old", "new")
    )
    found = compare_values(new, old, measure="hit_rate@1")
    gain = new.compare(old)["hit_rate@1"]
    assert (found.interval, found.p_value) == (gain.interval, gain.p_value)
    assert repr(found).startswith("new - old (hit_rate@1): 0.500 [")
    values = [report["hit_rate@1"].per_user for report in (new, old)]
    assert compare_values(*values, bounds=(0, 1)).interval == found.interval
    with pytest.raises(ValueError, match=r"say by which measure=… to compare them; there are hit"):
        compare_values(new, old)
    with pytest.raises(ValueError, match="coverage@1 has no confidence interval of its gain"):
        compare_values(new, old, measure="coverage@1")
    with pytest.raises(TypeError, match="a report is compared with a report"):
        compare_values(new, values[1], measure="hit_rate@1")


def test_events_are_resampled_by_user():
    found = compare_values(FIRST, SECOND, people=WHO, n_resamples=20_000)
    n = np.bincount(WHO, minlength=60)
    one, two = (np.bincount(WHO, each, minlength=60) for each in (FIRST, SECOND))
    assert found.difference == pytest.approx((FIRST - SECOND).mean())
    sign = np.sign((one - two).sum())
    assert found.p_value == randomization_test(np.zeros(60), sign * (one - two)).p_value
    expected = bootstrap_interval(
        np.column_stack([one - two, n]),
        statistic=lambda rows: rows[:, 0].sum() / rows[:, 1].sum(),
        n_resamples=20_000,
    )
    assert tuple(found.interval) == pytest.approx(tuple(expected), abs=2e-3)


def test_duplicated_events_of_a_user_do_not_narrow_the_interval():
    # Every event twice: the same people, the same means, the same answer to the last digit.
    once = compare_values(FIRST, SECOND, people=WHO)
    twice = compare_values(np.tile(FIRST, 2), np.tile(SECOND, 2), people=np.tile(WHO, 2))
    assert tuple(twice.interval) == pytest.approx(tuple(once.interval), rel=1e-12)
    assert twice.p_value == once.p_value
    # Taken for users the copies would count.
    as_users = compare_values(np.tile(FIRST, 2), np.tile(SECOND, 2)).interval
    assert as_users.half_width < 0.8 * compare_values(FIRST, SECOND).interval.half_width


def test_a_statistic_of_rows_can_be_compared():
    def of_rows(rows):
        return abs(rows.sum(axis=0)).max() / len(rows)

    a, b = RNG.normal(size=(2, 80, 3))
    found = compare_values(a, b, statistic=of_rows)
    pairs = (b, a) if of_rows(a) < of_rows(b) else (a, b)
    expected = bootstrap_interval(
        np.hstack(pairs),
        statistic=lambda rows: of_rows(rows[:, :3]) - of_rows(rows[:, 3:]),
        n_resamples=2_000,
    )
    sign = -1 if pairs[0] is b else 1
    assert sorted(found.interval) == pytest.approx(sorted(sign * end for end in expected))
    assert math.isnan(found.p_value)
    assert ", p " not in repr(found)
    # A statistic of single numbers gets single numbers.
    means = compare_values(EASE, KNN, statistic=np.mean, n_resamples=9_999)
    assert tuple(means.interval) == pytest.approx(
        tuple(compare_values(EASE, KNN).interval), abs=2e-3
    )


@pytest.mark.parametrize(
    ("a", "b", "how"),
    [
        (EASE, KNN, {"bounds": (0, 1)}),
        (EASE, KNN, {"statistic": np.median}),
        (FIRST, SECOND, {"people": WHO}),
        ((EASE > 0.5).astype(int), (KNN > 0.5).astype(int), {"bounds": (0, 1)}),
    ],
    ids=["values", "rows", "events", "hits"],
)
def test_swapping_the_sides_reverses_the_sign(a, b, how):
    there, back = compare_values(a, b, **how), compare_values(b, a, **how)
    low, high = back.interval
    assert (there.difference, *there.interval) == pytest.approx((-back.difference, -high, -low))
    assert there.result == back.result
    if not math.isnan(there.p_value):
        assert there.p_value == pytest.approx(back.p_value)


@pytest.mark.parametrize("how", [{}, {"people": WHO}])
def test_the_order_of_the_units_does_not_matter(how):
    order = RNG.permutation(len(FIRST))
    moved = {name: each[order] for name, each in how.items()}
    found = compare_values(FIRST[order], SECOND[order], **moved)
    assert tuple(found.interval) == pytest.approx(
        tuple(compare_values(FIRST, SECOND, **how).interval)
    )


@given(
    st.floats(-1, 1).filter(lambda x: abs(x) > 1e-9), st.floats(1e-6, 1), st.floats(0.001, 0.999)
)
def test_the_conclusion_agrees_with_the_printed_interval(middle, half, p):
    # An end nearer to 0 than any decimals that are printed.
    assume(min(abs(middle - half), abs(middle + half)) > 1e-9)
    found = ValueComparison(NAMES, Interval(middle, middle - half, middle + half, 0.95, 145), p)
    low, high = (float(end) for end in repr(found).split("[")[1].split("]")[0].split(", "))
    assert found.excludes_zero is ("CI excludes 0" in found.result) is (low > 0 or high < 0)


def test_level_and_metric_are_printed():
    found = compare_values(EASE, KNN, level=0.9, names=NAMES, measure="NDCG@10", bounds=(0, 1))
    assert repr(found).startswith("EASE - item kNN (NDCG@10): ")
    assert "] (90%), p " in repr(found)


def test_invalid_arguments_raise():
    with pytest.raises(ValueError, match="a has 3 values and b 2"):
        compare_values([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="all 3 users have the same value in both"):
        compare_values([1.0, 2, 4], [1.0, 2, 4])
    with pytest.raises(ValueError, match="bootstrap confidence interval of 2 units is too narrow"):
        compare_values([3, 2, 2, 5], [1, 1, 1, 1], people=["Ann", "Ann", "Ben", "Ben"])
    with pytest.raises(ValueError, match="people names 2 events' people, and a has 3"):
        compare_values([1, 2, 3], [3, 2, 1], people=["Ann", "Ben"])
    with pytest.raises(ValueError, match=r"their shapes are \(60, 2\) and \(60, 3\)"):
        compare_values(np.ones((60, 2)), np.ones((60, 3)), statistic=np.sum)
    with pytest.raises(ValueError, match="all resamples differ by 1: nothing was seen to vary"):
        compare_values(np.full(60, 2.0), np.ones(60), statistic=np.mean)
    with pytest.raises(ValueError, match="not a finite number"):
        compare_values([1.0, np.nan], [1.0, 2.0])


def test_users_without_a_value_are_omitted_on_request():
    gap = np.r_[EASE, np.nan], np.r_[KNN, 0.5]
    assert compare_values(*gap, missing="omit").interval == compare_values(EASE, KNN).interval


def test_independent_groups_are_compared_by_welchs_test():
    few, many = KNN[:41], EASE[41:]
    found = compare_values(many, few, names=("many", "few"), measure="gain", paired=False)
    test = stats.ttest_ind(many, few, equal_var=False)
    assert found.difference == pytest.approx(many.mean() - few.mean())
    assert found.p_value == pytest.approx(test.pvalue)
    assert tuple(found.interval) == pytest.approx(tuple(test.confidence_interval()))
    assert (found.interval.n, found.measure) == (145, "gain")
    turned = compare_values(few, many, names=("few", "many"), measure="gain", paired=False)
    assert turned.difference == pytest.approx(-found.difference)
    for given_ in ({"people": WHO[:41]}, {"statistic": np.mean}):
        with pytest.raises(TypeError, match="leave people and statistic"):
            compare_values(few, few, paired=False, **given_)
