"""Arguments that make no sense are refused by name; the same data in other forms is the same."""

from __future__ import annotations

import io
import math
import re
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import recsys_metrics as rm
from recsys_metrics import beyond_accuracy, calibration, convert, peers, rating
from recsys_metrics._core.checks import check_bounds, check_real, check_share, is_among, to_float
from recsys_metrics.bias import fairness, off_policy, propensity
from recsys_metrics.evaluation import Aggregate, GateRule, compare_many, evaluate_ranks, scorecard
from recsys_metrics.interactions import Interactions
from recsys_metrics.measures import Measure
from recsys_metrics.protocol import (
    candidates,
    judges,
    k_folds,
    online,
    rolling_splits,
    significance,
)


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_numbers_of_any_width_are_read_as_they_are_written():
    assert to_float(np.float32(0.7)) == to_float(np.longdouble(0.7)) == 0.7
    assert to_float(np.float16(0.1)) == 0.1
    assert check_share("share", Fraction(1, 2)) == 0.5
    assert check_real("margin", np.float32(0.1)) == 0.1
    with pytest.raises(ValueError, match="margin is larger than a float holds"):
        check_real("margin", np.finfo(np.longdouble).max)
    with pytest.raises(TypeError, match="margin is a number; got True"):
        check_real("margin", True)


@pytest.mark.parametrize("odd", [pd.NA, pd.Series([1]), [1], {}, pl.col("a"), Decimal("sNaN")])
def test_what_has_no_hash_is_among_no_keys(odd):
    assert not is_among(odd, ["a", 1])
    assert is_among("a", ["a", 1])


@pytest.mark.parametrize("odd", ["12", b"12", {0, 1}, {0: 1, 1: 2}, ["0", "1"], (False, True), 1])
def test_bounds_are_two_numbers_in_order(odd):
    with pytest.raises(TypeError, match="bounds are the least and the most a value can be"):
        check_bounds(odd)
    assert check_bounds(np.array([0, 2])) == (0.0, 2.0)


def test_a_number_wider_than_a_float_is_named():
    wide = np.array([np.finfo(np.longdouble).max, 1])
    with pytest.raises(ValueError, match=r"actual must be numbers, .* is too large for a float"):
        rating.mae(wide, [1, 2])


class WithoutArray:
    def __array__(self, *_args, **_options):
        raise RuntimeError("the array was freed")


@pytest.mark.parametrize("odd", [WithoutArray(), io.StringIO("1\n2"), [{1}, {2}]])
def test_what_is_no_column_is_named(odd):
    with pytest.raises(TypeError, match=r"^actual must be numbers"):
        rating.mae(odd, [1, 2])
    with pytest.raises(TypeError, match=r"^users "):
        off_policy.ips([1, 0], [0.5, 0.5], [0.5, 0.5], users=odd)


@pytest.mark.parametrize("odd", [True, 7])
def test_what_has_no_length_is_named(odd):
    with pytest.raises(TypeError, match=f"^timestamps must be a list, .* or a column; got {odd}"):
        calibration.calibration_split([0.2, 0.8], [0, 1], timestamps=odd)


TEST = online.ab_test([0, 1, 0, 2, 1, 0] * 20, [1, 2, 1, 3, 1, 2] * 20)
LOG = Interactions([0, 0, 1], [0, 1, 2], timestamp=[1, 2, 3])
RANKS = candidates.full_ranks([[0.1, 0.9]], [[0]])
HITS = [rm.evaluate([[item]] * 30, [{"A"}] * 30, ["hit_rate@1"], name=item) for item in "AB"]
REFUSED = {
    "users": lambda: off_policy.ips([1, 0], [0.5] * 2, 0.5, users=pd.DataFrame({"u": [1, 2]})),
    "name": lambda: evaluate_ranks(RANKS, ["mrr"], name=3),  # type: ignore[arg-type]
    "plain": lambda: HITS[0].as_dict(plain="no"),  # type: ignore[arg-type]
    "groups": lambda: rm.Evaluation(["mrr"]).update([["A"]], [{"A"}]).report(groups=[]),
    "interactions": lambda: k_folds("abc", n_folds=2),  # type: ignore[arg-type]
    "at": lambda: [*rolling_splits(LOG, at=5)],  # type: ignore[arg-type]
    "guardrails": lambda: TEST.decide(margin=0.5, guardrails={"visits": 3}),
    "margin": lambda: TEST.decide(margin=True, guardrails={}),
    "n_resamples": lambda: fairness.by_group([1.0, 2], ["a", "b"], n_resamples=0),
    "n_samples": lambda: significance.friedman({"a": [1, 2], "b": [2, 3]}, n_samples=0),
    "omnibus": lambda: compare_many(HITS, omnibus="t"),  # type: ignore[arg-type]
    "baseline": lambda: compare_many(HITS, baseline=pd.Series(["A"])),  # type: ignore[arg-type]
    "seed": lambda: HITS[0]["hit_rate@1"].interval(seed=-1),
    "method": lambda: HITS[0]["hit_rate@1"].interval(method=pd.Series(["bounded"])),
    "metric": lambda: GateRule(7, 0.1),  # type: ignore[arg-type]
    "values": lambda: Aggregate.from_values(np.zeros((2, 2))),
    "k": lambda: peers.explain_difference(
        "map", "RecBole", "RecTools", rm.judge(["A"], {"A"}), k=""),  # type: ignore[arg-type]
    "relevant": lambda: fairness.restrict_relevant(None, {"A": "head"}, "head"),
    "estimates": lambda: off_policy.evaluate_estimators(None, 0.5),
    "truth": lambda: off_policy.evaluate_estimators([{"ips": 1.0}], "0.5"),
    "cap": lambda: off_policy.estimates([1, 0], [0, 1], [0.5] * 2, np.eye(2), cap="x"),
    "user_ids": lambda: Interactions.from_ids(["a"], ["x"], user_ids=[None]),
    "item_ids": lambda: Interactions.from_ids(["a"], ["x"], item_ids=5),
    "user": lambda: Interactions.from_ids(pd.Series([1, "a"], dtype=object), ["x", "y"]),
    "held_out": lambda: candidates.full_ranks([[0.1, 0.9]], [[np.datetime64("2020-01-01")]]),
    "progress": lambda: candidates.full_ranks([[0.1, 0.9]], [[0]], progress=pd.NA),
    "prior": lambda: candidates.correction_table(10, 5, "hit_rate", k=3, method="rank", prior=[1]),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_arguments_that_make_no_sense_are_named(name):
    with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b"):
        REFUSED[name]()


def test_a_name_that_is_on_no_scorecard():
    rows = {"arm": ["old", "new"] * 30, "clicks": [0, 1, 1, 1, 0, 0] * 10}
    card = scorecard(pd.DataFrame(rows), control="old", metrics=["clicks"], arm="arm")
    for odd in ("click", pd.NA, ["clicks"], pl.col("clicks")):
        with pytest.raises(KeyError, match=r"metric=.* is not on the scorecard"):
            card.decide(odd, margin=1)
        with pytest.raises(KeyError, match=r"arm=.* is no arm"):
            card.decide("clicks", arm=odd, margin=1)
    with pytest.raises(ValueError, match="'C' is no report; there are A, B"):
        compare_many(HITS).better_than("C", "hit_rate@1")


def test_frames_are_asked_for_columns_by_name():
    frame = pd.DataFrame({"who": ["a"], "what": [1]})
    for odd in (pd.NA, frame, np.zeros(0), ["who"]):
        with pytest.raises(ValueError, match="there is no column"):
            convert.lists_from_frame(frame, user=odd, item="what")
        with pytest.raises(ValueError, match="is no column of the frame"):
            Interactions.from_frame(frame, user=odd, item="what")


def test_a_level_is_stored_as_a_float():
    compared = HITS[0].compare(HITS[1], level=Fraction(9, 10))
    assert "90% CI" in repr(compared)


def test_columns_of_pyarrow_hold_ids_and_no_scalars():
    lists = pa.array([["B", "Z"], ["C"]])
    # B and C of the two times two slots are in the catalogue.
    assert judges.list_validity(lists, [*"ABC"], k=2).valid.estimate == 0.5
    assert judges.drop_faults(lists, [*"ABC"], k=2) == [["B"], ["C"]]
    rows = [[0, 1]]
    named = convert.lists_from_array(rows, users=pa.array(["u"]), items=pa.array(["x", "y"]))
    assert named == {"u": ["x", "y"]}
    by_user = pd.Series({"ann": ["B", "Z"]})
    assert judges.drop_faults(by_user, [*"ABC"], k=2) == {"ann": ["B"]}


def test_fractions_that_one_float_stands_for_are_no_ties():
    one = [Fraction(1, 3)] * 3
    other = [each + Fraction(1, 10**30) for each in one]
    for test in (significance.sign_test, significance.wilcoxon, significance.win_tie_loss):
        with pytest.raises(ValueError, match=r"^a and b have 1/3 and .* one as a float"):
            test(one, other)
    with pytest.raises(ValueError, match=r"^values\['a'\] and values\['b'\] have 1/3 and"):
        significance.friedman({"a": one, "b": other})
    assert significance.sign_test(one, [Fraction(2, 3)] * 3).statistic == 3


@pytest.mark.parametrize("unit", [1.0, 2.0**-60, 2.0**-400, 2.0**60, 2.0**400])
def test_tests_do_not_depend_on_the_unit(unit):
    one, other, third = unit * np.array([[1.0, 2, 1, 0], [3, 4, 9, 1], [0, 1, 0, 2]])
    won = significance.win_tie_loss(one, third)
    assert (won.wins, won.ties, won.losses) == (1, 0, 3)
    ranks = significance.friedman({"a": one, "b": other, "c": third}, method="chi-square")
    # Sums of ranks 7, 11 and 6 of 4 users, mean 8: 12 (1 + 9 + 4) / (4 * 3 * 4).
    assert ranks.statistic == pytest.approx(3.5)
    report = fairness.by_group(np.append(one, other), list("aaaabbbb"), bounds=(0, math.inf))
    assert report.gap == pytest.approx(3.25 * unit)
    assert report.gap_interval[0] / unit == pytest.approx(-1.3, abs=0.5)
    parts = judges.variance_components(unit * np.array([[0.0, 0.4], [0.2, 0.6]]))
    assert parts.user == pytest.approx(0.08 * unit**2)
    assert parts.mean.high == pytest.approx(1.683704566014212 * unit)
    films = np.tile([0.0, 1, 2, 3], 26)
    paid = 0.1 * films + np.repeat([0, 0.2], 52)
    found = online.surrogate_index(unit * films, paid, unit * films, unit * (films + 0.5))
    assert found.statistic == pytest.approx(3.0870886139378624)
    found = online.surrogate_index(films, unit * paid, films, films + 0.5)
    assert (found.gain / unit, found.p_value) == pytest.approx((0.05, 0.002021273319941771))
    errors = off_policy.evaluate_estimators([{"ips": unit}, {"ips": 3 * unit}], 2 * unit)["ips"]
    assert errors.standard_deviation / unit == pytest.approx(math.sqrt(2))
    assert errors.mean_squared_error / unit**2 == pytest.approx(1)
    assert errors.mean_squared_error_interval[0] / unit**2 == pytest.approx(1)


def test_a_report_by_group_in_a_tiny_unit():
    def tiny(unit):
        def met(items, relevant):
            return unit * len({*items} & {*relevant})

        return Measure.of(met, bounds=(0, math.inf))

    lists, truth = [[*"AB"], [*"AC"], [*"CD"], [*"AB"]] * 15, [{"A", "B"}] * 60
    gaps = []
    for unit in (1.0, 1e-200):
        report = rm.evaluate(lists, truth, [tiny(unit)])
        gap = report.by([*"xxyy"] * 15)["met"].gap_interval
        gaps.append([end / unit for end in gap])
    assert gaps[1] == pytest.approx(gaps[0])


def test_surrogates_of_another_size_than_the_past_are_refused():
    films = np.tile([0.0, 1, 2, 3], 26)
    with pytest.raises(ValueError, match="of another size than past_surrogates"):
        online.surrogate_index(1e-100 * films, films, 1e100 * films, 1e100 * (films + 1))


def test_quotients_beyond_the_floats():
    # ln(1 / 1e-320) / ln 2, where the ratio itself is no float.
    assert beyond_accuracy.genre_calibration([1, 0], [0, 1], alpha=1e-320) == pytest.approx(
        320 * math.log2(10), rel=1e-5
    )
    assert beyond_accuracy.genre_calibration([1, 0], [0, 1], alpha=0) == math.inf
    with pytest.raises(ValueError, match=r"^users\[1\] is 1e-320, so close to 0"):
        online.clicks_per_user([1, 5], [2, 1e-320])
    with pytest.raises(ValueError, match=r"^propensities\[0, 0\] is 1e-320, so close to 0"):
        off_policy.slate_ips([[1, 0]] * 2, [[1e-320, 0.5]] * 2, [[0.5, 0.5]] * 2)
    gains = significance.wilcoxon([0] * 4, [1.5e308, -1e308, 1.2e308, 1.5e308])
    assert gains.gain == pytest.approx(1.35e308)
    with pytest.raises(ValueError, match=r"^the error of ips\[0\] is 1e\+200, too large"):
        off_policy.evaluate_estimators([{"ips": 1e200}], 1)
    with pytest.raises(ValueError, match=r"^truth\[0\] is 1e-320, so close to 0"):
        off_policy.evaluate_estimators([{"ips": 1.0}], 1e-320)


def test_features_and_ratings_near_the_largest_float():
    with pytest.raises(ValueError, match=r"^features\[0, 0\] is 1e\+308, too large to square"):
        propensity.fit_logging_policy([[1e308], [1], [2], [3], [4]], [0, 1, 0, 1, 0])
    assert rating.explained_variance([1e308, 0], [1e308, 0]) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: rm.ranking.judge_scores({"u": {"b": 1}}, {"u": {"b": 0.5}}),
            "grades must be an array or a list, and is a mapping, 'u': {'b': 1} for one: "
            "recsys_metrics.evaluate takes mappings",
        ),
        (
            lambda: rm.ranking.roc_auc({"a": 1}, {"a": 0.2}),
            "labels must be an array or a list, and is a mapping, 'a': 1 for one: give its values",
        ),
        (
            lambda: rm.protocol.significance.t_interval({"a": 1, "b": 2}),
            "values must be an array or a list, and is a mapping",
        ),
    ],
)
def test_a_mapping_where_an_array_is_needed_is_refused_with_the_cure(call, words):
    with pytest.raises(TypeError, match=re.escape(words)):
        call()
