"""The scorecard of an A/B test: rows by hand, identities with the tests it uses, its errors."""

from __future__ import annotations

import re

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import fisher_exact, ttest_ind

import recsys_metrics as rm
from recsys_metrics.protocol.online import (
    ab_test,
    cuped,
    non_inferiority_test,
    quantile_test,
    sample_ratio,
)
from recsys_metrics.protocol.significance import adjust

matplotlib.use("agg")
rng = np.random.default_rng(7)
N = 900
ARM = np.array(["A", "B", "C"])[np.arange(N) % 3]
PAST = rng.gamma(2, 10, N)
VIEWS = rng.poisson(20, N) + 1
USERS = {
    "user": np.array([f"u{i}" for i in range(N)]),
    "arm": ARM,
    "revenue": PAST + rng.normal(0, 4, N) + (ARM == "B"),
    "before": PAST,
    "views": VIEWS,
    "clicks": rng.binomial(VIEWS, 0.10 + 0.03 * (ARM == "B")),
    "converted": (rng.random(N) < 0.2).astype(int),
    "seconds": rng.lognormal(1, 0.5, N) * np.where(ARM == "C", 1.4, 1),
}
METRICS = {
    "revenue": "mean(revenue)",
    "CTR": "ratio(clicks, views)",
    "conversion": "rate(converted)",
    "p75 load": "quantile(seconds, 0.75)",
}


def card(users=USERS, metrics=METRICS, **options):
    return rm.scorecard(users, **({"arm": "arm", "control": "A", "metrics": metrics} | options))


def of(column, arm):
    return np.asarray(USERS[column])[arm == ARM]


def two_arms(**columns):
    return {"arm": ["A"] * 30 + ["B"] * 30, **columns}


def test_rows_of_the_hand_computed_case():
    # Clicks of 0 and 2 in turn against 1 and 5: means 1 and 3, variances 30/29 and 120/29.
    users = two_arms(clicks=[0, 2] * 15 + [1, 5] * 15, views=[4, 4] * 15 + [4, 12] * 15)
    found = card(users, ["clicks", "ratio(clicks, views)"])
    row = found["clicks"].experiment
    assert (row.control, row.treatment, row.gain.gain, row.lift) == (1, 3, 2, 2)
    error = np.sqrt((30 / 29 + 120 / 29) / 30)
    assert row.gain.statistic == pytest.approx(2 / error)
    # 30 clicks of 120 views against 90 of 240.
    ratio = found["ratio(clicks, views)"].experiment
    assert (ratio.control, ratio.treatment, ratio.gain.gain) == (0.25, 0.375, 0.125)
    assert found.sizes == {"A": 30, "B": 30}


def test_each_row_is_that_of_the_test_of_its_arrays():
    found = card()
    for arm in "BC":
        pairs = {
            "revenue": ab_test(of("revenue", "A"), of("revenue", arm), outcome="amounts"),
            "conversion": ab_test(of("converted", "A"), of("converted", arm), outcome="hits"),
            "CTR": ab_test(
                of("clicks", "A"),
                of("clicks", arm),
                control_per=of("views", "A"),
                treatment_per=of("views", arm),
            ),
            "p75 load": quantile_test(of("seconds", "A"), of("seconds", arm), quantile=0.75),
        }
        for name, experiment in pairs.items():
            assert found[name, arm].experiment == experiment


def test_p_values_are_corrected_over_all_metrics_and_arms():
    for method in ("holm", "benjamini-hochberg"):
        found = card(correction=method)
        raw = [row.experiment.gain.p_value for row in found.rows]
        assert [row.p_adjusted for row in found.rows] == adjust(raw, method=method).tolist()
    assert len(found.rows) == 8


def test_p_values_are_those_of_scipy_and_statsmodels():
    found = card(metrics=["revenue", "converted"], correction="holm")
    expected = [
        ttest_ind(of("revenue", arm), of("revenue", "A"), equal_var=False).pvalue for arm in "BC"
    ]
    for arm in "BC":
        table = [
            [count, len(values) - count]
            for values in (of("converted", "A"), of("converted", arm))
            for count in [values.sum()]
        ]
        # Twice the smaller tail, which is what Clopper and Pearson's interval goes with.
        tails = [fisher_exact(table, side).pvalue for side in ("less", "greater")]
        expected.append(min(1, 2 * min(tails)))
    assert [row.experiment.gain.p_value for row in found.rows] == pytest.approx(expected)
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    corrected = multitest.multipletests(expected, method="holm")[1]
    assert [row.p_adjusted for row in found.rows] == pytest.approx(corrected)


def test_a_difference_that_the_correction_takes_away_is_not_detected():
    users = two_arms(x=[0, 2] * 15 + [0, 4] * 15, **{f"y{i}": [0, 1] * 30 for i in range(9)})
    alone, many = card(users, ["x"]), card(users, ["x", *(f"y{i}" for i in range(9))])
    assert alone["x"].experiment == many["x"].experiment
    assert 0.01 < alone["x"].p_adjusted < 0.05
    assert (alone["x"].outcome, many["x"].outcome) == ("better", "no difference detected")


def test_swapping_the_arms_turns_signs_and_outcomes():
    users = {name: values[ARM != "C"] for name, values in USERS.items()}
    one, other = card(users), card(users, control="B")
    opposite = {"better": "worse", "worse": "better"}
    assert one["CTR"].outcome == "better"
    for first, second in zip(one.rows, other.rows, strict=True):
        assert first.experiment.gain.gain == pytest.approx(-second.experiment.gain.gain)
        assert [*first.experiment.gain.interval] == pytest.approx(
            [-end for end in second.experiment.gain.interval][::-1]
        )
        assert opposite.get(first.outcome, first.outcome) == second.outcome


def test_the_order_of_the_rows_of_a_table_does_not_matter():
    order = rng.permutation(N)
    shuffled = {name: values[order] for name, values in USERS.items()}
    for one, other in zip(card().rows, card(shuffled).rows, strict=True):
        assert one.experiment.gain.gain == pytest.approx(other.experiment.gain.gain)
        assert one.p_adjusted == pytest.approx(other.p_adjusted)


@pytest.mark.parametrize(
    "convert",
    [
        pd.DataFrame,
        pl.DataFrame,
        lambda users: pl.DataFrame(users).lazy(),
        pa.table,
        lambda users: pytest.importorskip("duckdb").from_arrow(pa.table(users)),
        lambda users: {name: values.tolist() for name, values in users.items()},
    ],
    ids=["pandas", "Polars", "lazy Polars", "PyArrow", "DuckDB", "lists"],
)
def test_every_kind_of_frame_gives_the_same_scorecard(convert):
    one, other = card(), card(convert(USERS))
    assert one.columns() == other.columns()
    assert (one.user, one.sizes) == (other.user, other.sizes)


def test_categories_decimals_and_numbers_as_arms_are_read():
    one = card()
    frame = pl.DataFrame(USERS).with_columns(
        pl.col("arm").cast(pl.Categorical), pl.col("views").cast(pl.Decimal(10, 2))
    )
    assert card(frame).columns() == one.columns()
    frame = pd.DataFrame(USERS).astype({"arm": "category", "views": "Int64"})
    assert card(frame).columns() == one.columns()
    table = pa.table(USERS)
    arms = table["arm"].dictionary_encode()
    assert card(table.set_column(1, "arm", arms)).columns() == one.columns()
    numbered = card(USERS | {"arm": np.arange(N) % 3}, control=0)
    assert numbered["CTR", 1].experiment == one["CTR", "B"].experiment
    assert [*numbered.sizes] == [0, 1, 2]


def test_a_pre_period_adjusts_as_cuped_does():
    found = card(before={"revenue": "before"})["revenue", "B"]
    adjusted = cuped(
        of("revenue", "A"),
        of("revenue", "B"),
        control_before=of("before", "A"),
        treatment_before=of("before", "B"),
    )
    expected = ab_test(adjusted.control, adjusted.treatment, outcome="amounts")
    assert found.experiment.gain.gain == pytest.approx(expected.gain.gain)
    assert [*found.experiment.gain.interval] == pytest.approx([*expected.gain.interval])
    assert found.variance_ratio == pytest.approx(adjusted.variance_ratio)
    plain = card()["revenue", "B"]
    assert plain.variance_ratio is None
    assert found.experiment.gain.interval.half_width < plain.experiment.gain.interval.half_width / 2


def test_the_pre_period_of_a_ratio_has_two_columns():
    users = USERS | {"clicks before": USERS["clicks"][::-1], "views before": VIEWS[::-1]}
    before = {"CTR": ("clicks before", "views before")}
    row = card(users, {"CTR": METRICS["CTR"]}, before=before)["CTR", "B"]
    assert 0.9 < row.variance_ratio <= 1
    with pytest.raises(ValueError, match="the past of a ratio has two"):
        card(users, {"CTR": METRICS["CTR"]}, before={"CTR": "clicks before"})


def test_groups_that_differed_before_are_a_warning_on_the_scorecard():
    users = USERS | {"before": PAST + 30 * (ARM == "B")}
    (note,) = card(users, before={"revenue": "before"}).warnings
    assert note.startswith(
        "metric 'revenue', arm 'B' against 'A': the values of column 'before' in both arms differ"
    )


def test_a_sample_ratio_mismatch_refuses_every_conclusion():
    kept = (ARM != "B") | (np.arange(N) < 600)
    users = {name: values[kept] for name, values in USERS.items()}
    found = card(users)
    assert found.ratio == sample_ratio([300, 200, 300])
    assert found.conclusion.startswith("No conclusion: sample ratio mismatch, the arms have 300")
    assert {row.outcome for row in found.rows} == {"no conclusion"}
    with pytest.raises(ValueError, match="nothing to decide: sample ratio mismatch"):
        found.decide("CTR", arm="C", margin=0.01)
    # No difference is shown where none may be read.
    lines = str(found).splitlines()
    rows = [line for line in lines if line.endswith("no conclusion")]
    assert len(rows) == 8
    assert not any("[" in line or "%" in line for line in rows)
    planned = {"A": 3, "B": 2, "C": 3}
    assert not card(users, expected_shares=planned).ratio.mismatch
    assert card(users, expected_shares=planned)["CTR", "B"].outcome == "better"


@pytest.mark.parametrize("shares", [(0.33, 0.33, 0.33), (33.3, 33.3, 33.4), (1, 1, 1), (300,) * 3])
def test_shares_are_parts_of_1_or_of_100_or_counts(shares):
    found = card(expected_shares=dict(zip("ABC", shares, strict=True)))
    assert found.ratio.expected == pytest.approx((300, 300, 300), rel=0.01)


def test_less_is_better_where_that_is_said():
    plain, turned = card(), card(lower_is_better=["p75 load"])
    assert plain["p75 load", "C"].experiment == turned["p75 load", "C"].experiment
    assert (plain["p75 load", "C"].outcome, turned["p75 load", "C"].outcome) == ("better", "worse")
    gain = turned["p75 load", "C"].experiment.gain.interval
    assert [*turned["p75 load", "C"].improvement] == [-gain.high, -gain.low]
    assert "p75 load (lower is better), C" in str(turned)


def test_guardrails_are_non_inferiority_tests():
    margins = {"revenue": 2.0, "CTR": 0.02, "conversion": 0.2, "p75 load": 0.1}
    found = card(guardrails=margins, lower_is_better=["p75 load"])
    rail = found["revenue", "B"].guardrail
    expected = non_inferiority_test(
        of("revenue", "A"), of("revenue", "B"), margin=2.0, alpha=0.025, outcome="amounts"
    )
    assert (rail.holds, rail.p_value, rail.low) == (
        expected.holds,
        pytest.approx(expected.p_value),
        -2.0,
    )
    assert not found["p75 load", "C"].guardrail.holds
    assert "The guardrail" in found.conclusion
    for row in found.rows:
        # A guardrail is held to the interval that is shown.
        assert row.guardrail.holds == (row.improvement.low > -margins[row.metric])


def test_the_p_value_of_a_guardrail_of_a_quantile_follows_its_interval():
    margin, alpha = 0.1, 0.025
    row = card(guardrails={"p75 load": margin})["p75 load", "B"]
    level = 1 - 2 * row.guardrail.p_value
    found = quantile_test(of("seconds", "A"), of("seconds", "B"), quantile=0.75, level=level)
    assert found.gain.interval.low == pytest.approx(-margin, abs=1e-6)
    assert row.guardrail.holds == (row.guardrail.p_value < alpha)


def test_a_decision_needs_the_margin_the_correction_and_the_guardrails():
    found = card(guardrails={"conversion": 0.2})
    assert found.decide("CTR", arm="B", margin=0.005).ship
    assert not found.decide("CTR", arm="B", margin=0.05).ship
    failed = card(guardrails={"conversion": 1e-4}).decide("CTR", arm="B", margin=0.005)
    assert (failed.ship, failed.failed) == (False, ("conversion",))
    users = two_arms(x=[0, 2] * 15 + [0, 4] * 15, **{f"y{i}": [0, 1] * 30 for i in range(9)})
    many = card(users, ["x", *(f"y{i}" for i in range(9))])
    assert card(users, ["x"]).decide("x", margin=1e-6).ship
    assert not many.decide("x", margin=1e-6).ship


def test_a_metric_is_named_by_a_column_a_text_or_a_tuple():
    users = two_arms(**{"a, b": [0, 2] * 30, "n": [2] * 60, "ratio(a, n)": [0, 1] * 30})
    found = card(users, {"one": "a, b", "two": ("mean", "a, b"), "three": ("ratio", "a, b", "n")})
    assert found["one"].experiment.control == found["two"].experiment.control == 1
    assert found["three"].experiment.control == 0.5
    # A column goes before a text that reads like a metric.
    assert card(users, ["ratio(a, n)"])["ratio(a, n)"].kind == "rate"


def test_a_column_alone_is_a_rate_of_0_and_1_and_a_mean_otherwise():
    found = card(metrics=["converted", "revenue"])
    assert [row.kind for row in found.rows] == ["rate", "rate", "mean", "mean"]
    as_bool = USERS | {"converted": USERS["converted"] == 1}
    assert card(as_bool, ["converted"])["converted", "B"] is not None
    with pytest.raises(
        ValueError, match="metric 'rate\\(revenue\\)' is a rate, which takes 0 or 1"
    ):
        card(metrics=["rate(revenue)"])


IS_NEW = np.arange(N) % 10 == 0


@pytest.mark.parametrize("gap", [np.nan, None])
def test_a_user_without_a_past_is_new(gap):
    past = [gap if new else value for new, value in zip(IS_NEW, PAST.tolist(), strict=True)]
    options = {"metrics": {"revenue": "mean(revenue)"}}
    found = card(USERS | {"before": past}, before={"revenue": "before"}, **options)
    by_hand = USERS | {"before": np.where(IS_NEW, 0, PAST), "new": IS_NEW.astype(float)}
    expected = card(by_hand, before={"revenue": ["before", "new"]}, **options)
    for row, other in zip(found.rows, expected.rows, strict=True):
        assert row.experiment.gain == other.experiment.gain
        assert row.variance_ratio == other.variance_ratio
    assert found.warnings == (
        "metric 'revenue': 90 of 900 users have no value in 'before' and count as new.",
    )
    assert not expected.warnings


def test_gaps_of_one_arm_are_a_sign_of_a_fault():
    past = np.where(IS_NEW & (ARM == "B"), np.nan, PAST)
    found = card(USERS | {"before": past}, {"revenue": "revenue"}, before={"revenue": "before"})
    assert found.warnings[0].startswith(
        "metric 'revenue', arm 'B' against 'A': the shares of users without a past in both "
        "arms differ before the experiment: their means are 0 and 0.1 (p = "
    )


def test_a_ratio_has_new_users_too():
    clicks = np.random.default_rng(1).binomial(VIEWS, 0.1)
    past = {"old clicks": np.where(IS_NEW, np.nan, clicks), "old views": VIEWS}
    before = {"CTR": ["old clicks", "old views"]}
    found = card(USERS | past, {"CTR": "ratio(clicks, views)"}, before=before)
    assert "90 of 900 users have no value in 'old clicks', 'old views'" in found.warnings[0]
    assert all(0 < row.variance_ratio < 1 for row in found.rows)


def test_the_arm_is_found_by_its_name():
    users = {("variant" if name == "arm" else name): column for name, column in USERS.items()}
    named = {"control": "A", "metrics": METRICS}
    assert str(rm.scorecard(users, **named)) == str(rm.scorecard(users, arm="variant", **named))
    with pytest.raises(ValueError, match=r"several columns could have the arms, .*arm=…"):
        rm.scorecard(users | {"bucket": ARM}, **named)
    del users["variant"]
    with pytest.raises(ValueError, match=r"no column looks like the arm; there are .*arm=…"):
        rm.scorecard(users, **named)


def test_equal_shares_that_nobody_stated_are_named_with_a_mismatch():
    users = {name: np.asarray(column)[(ARM != "B") | IS_NEW] for name, column in USERS.items()}
    assert "or give the shares if the arms were not meant to be" in card(users).conclusion
    planned = {"A": 0.5, "B": 0.2, "C": 0.3}
    assert "expected_shares=" not in card(users, expected_shares=planned).conclusion


WITH_GAP = np.where(np.arange(N) == 5, np.nan, USERS["revenue"])


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({"revenue": WITH_GAP}, {}, "is missing in 1 rows, row 5 (user 'u5', arm 'C') first. A"),
        (
            {"before": WITH_GAP * np.inf},
            {"before": {"revenue": "before"}},
            "column 'before' (metric 'revenue') is inf",
        ),
        (
            {"before": [None] * N},
            {"before": {"revenue": "before"}},
            "no user has a past in 'before'; leave it out of before",
        ),
        (
            {"before": WITH_GAP},
            {"before": {"revenue": "before"}, "metrics": ["revenue", "before"]},
            "column 'before' (metric 'revenue') is missing in 1 rows",
        ),
        ({"revenue": [*"abc"] * 300}, {}, "holds text, 'a' in row 0; a metric is computed from"),
        ({"revenue": WITH_GAP * np.inf}, {}, "column 'revenue' (metric 'revenue') is inf"),
        ({"arm": [None, "A", "B"] * 300}, {}, "column 'arm' is empty in 300 rows, row 0 for one"),
        ({"arm": ["A"] * N}, {}, "holds the arm 'A' only, for all 900 users"),
        ({}, {"control": "old"}, "control='old' is no arm in column 'arm'; there are 'A', 'B'"),
        ({"user": ["u0", "u1", "u2", "u0"] + [f"w{i}" for i in range(N - 4)]}, {}, "several rows"),
        (
            {"user": ["u0", "u0"] + [f"w{i}" for i in range(N - 2)]},
            {},
            "there is 1 user in several arms: user 'u0' is in 'A' and 'B' (rows 0 and 1,",
        ),
        ({"user": [None] * N}, {}, "column 'user' is empty in 900 rows, row 0 for one. Every user"),
        ({}, {"expected_shares": {"A": 1, "B": 1}}, "'C', which expected_shares does not name"),
        (
            {},
            {"expected_shares": dict.fromkeys("ABCD", 1)},
            "has the arm 'D', and no user is in it",
        ),
        (
            {"arm": np.where(np.arange(N) < 29, "B ", ARM)},
            {},
            "has the arms 'B' (290 users) and 'B ' (29 users), which differ only in blanks, case",
        ),
        (
            {"arm": np.where(np.arange(N) < 9, "a", ARM)},
            {},
            " users) and 'a' (9 users), which",
        ),
        (
            {},
            {"expected_shares": {"A": 0.9, "B": 0.2, "C": 0.1}},
            "expected_shares sum to 1.2 ('A': 0.9, 'B': 0.2, 'C': 0.1); shares of the users",
        ),
        (
            {},
            {"metrics": ["rate(revenue)"]},
            "metric 'rate(revenue)' is a rate, which takes 0 or 1 of each user, and column 'reven",
        ),
        ({}, {"metrics": [("rate", "clicks")]}, "; use mean(clicks), or the name of the column"),
        ({}, {"metrics": ["revnue", "clics"]}, "no column 'revnue' for metric 'revnue' and 'clic"),
        ({}, {"metrics": ["revnue"]}, "did you mean 'revenue'?"),
        ({}, {"metrics": ["median(seconds)"]}, "median(seconds) is not a column of the table, and"),
        ({}, {"metrics": ["quantile(seconds, half)"]}, "is 'half'; write a number from 0 to 1"),
        ({}, {"metrics": ["revenue", "revenue"]}, "has 'revenue' twice"),
        ({}, {"metrics": []}, "metrics is empty"),
        ({}, {"before": {"income": "before"}}, "before has 'income', which is no metric"),
        ({}, {"before": {"p75 load": "before"}}, "CUPED adjusts means, rates and ratios"),
        ({}, {"guardrails": {"income": 1}}, "guardrails has 'income', which is no metric"),
        ({}, {"guardrails": {"revenue": 0}}, "margin of guardrail 'revenue' is a finite number"),
        ({}, {"lower_is_better": ["income"]}, "lower_is_better has 'income'"),
        ({}, {"correction": "tukey"}, "correction must be one of 'holm'"),
        ({"revenue": [1.0] * N}, {}, "column 'revenue' of arm 'A': all 300 users have the same"),
    ],
)
def test_what_is_wrong_is_named_with_its_cure(change, options, words):
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        card(USERS | change, **options)


@pytest.mark.parametrize("none", [None, np.nan, pd.NA])
@pytest.mark.parametrize("convert", [dict, lambda users: pd.DataFrame(users).convert_dtypes()])
def test_a_gap_is_one_in_every_library(none, convert):
    values = USERS["revenue"].astype(object)
    values[4] = none
    with pytest.raises(ValueError, match="is missing in 1 rows, row 4"):
        card(convert(USERS | {"revenue": values}))


def test_a_table_without_users_says_that_repeats_were_not_looked_for():
    users = {name: values for name, values in USERS.items() if name != "user"}
    assert card().user == "user"
    assert card(users).user is None
    assert "repeats were not looked for" in " ".join(str(card(users)).split())
    twice = users | {"who": ["x"] * N}
    assert card(twice).user is None
    with pytest.raises(ValueError, match="in several arms"):
        card(twice, user="who")


def test_few_users_get_an_estimate_and_no_conclusion():
    users = {"arm": [*"AB"] * 6, "x": [0, 1, 1, 3, 0, 2] * 2}
    found = card(users, ["x"])
    assert found["x"].outcome == "no conclusion"
    assert found["x"].experiment.gain.interval is not None
    with pytest.raises(ValueError, match="12 users are too few"):
        found.decide("x", margin=0.1)


def test_a_quantile_within_many_equal_values_is_no_conclusion():
    users = two_arms(x=[0.0] * 25 + [1.0, 2, 3, 4, 5] + [0.0] * 25 + [1.0, 2, 3, 4, 6])
    found = card(users, ["quantile(x, 0.5)"])
    assert found.rows[0].outcome == "no conclusion"
    with pytest.raises(ValueError, match="the interval has no width"):
        found.decide("quantile(x, 0.5)", margin=0.1)


def test_rows_are_found_by_metric_and_arm():
    found = card()
    assert found["CTR", "C"].arm == "C"
    with pytest.raises(ValueError, match="2 arms beside the control; name one of 'B', 'C'"):
        found["CTR"]
    with pytest.raises(KeyError, match="did you mean 'CTR'"):
        found["ctr"]
    with pytest.raises(KeyError, match="'D' is no arm"):
        found["CTR", "D"]


def test_columns_and_frames_have_a_row_per_metric_and_arm():
    found = card(guardrails={"revenue": 2})
    columns = found.columns()
    assert columns["metric"] == [each for each in METRICS for _ in "BC"]
    assert columns["arm"] == ["B", "C"] * 4
    assert columns["difference"][0] == found["revenue", "B"].experiment.gain.gain
    assert columns["margin"] == [2.0, 2.0, *[None] * 6]
    for backend, library in (("polars", pl.DataFrame), ("pandas", pd.DataFrame)):
        frame = found.to_frame(backend=backend)
        assert isinstance(frame, library)
        assert frame.shape == (8, len(columns))


def test_a_table_shows_the_numbers_in_every_format():
    found = card(guardrails={"revenue": 2})
    gain = found["CTR", "B"].experiment.gain
    # Two digits of half the width of about 0.01.
    assert 0.01 < gain.interval.half_width < 0.1
    shown = f"{gain.gain:+.3f} [{gain.interval.low:.3f}, {gain.interval.high:.3f}]"
    assert shown in str(found)
    for text in (str(found), found.to_markdown(), found.to_html(), found.to_latex()):
        assert "CTR, B" in text.replace("<wbr>", "")
        assert "B against A: better by" in text
        assert "holds, margin 2" in text
    assert "| Metric, arm | A | Arm | Difference, 95% CI |" in found.to_markdown()
    renamed = found.to_markdown(names={"CTR": "Click-through", "A": "old"}, digits=1)
    assert "Click-through, B" in renamed
    assert "B against old: better by Click-through" in renamed
    assert f"| {gain.gain:.1f} \\[" in renamed


def test_a_plot_has_an_interval_for_each_metric_and_arm():
    found = card()
    axes = found.plot()
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == [
        "revenue, B",
        "revenue, C",
    ]
    lift = found["revenue", "B"].experiment.lift_interval
    drawn = [line for line in axes.get_lines() if len(line.get_xdata()) == 2]
    assert [*drawn[0].get_xdata()] == pytest.approx([100 * lift.low, 100 * lift.high])
    assert "in percent" in axes.get_xlabel()
    absolute = found.plot(relative=False)
    gain = found["revenue", "B"].experiment.gain.interval
    assert [*absolute.get_lines()[0].get_xdata()] == pytest.approx([gain.low, gain.high])
    assert "revenue, B" in absolute.get_label()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"control": pd.NA}, r"^control=<NA> is no arm in column 'arm'"),
        ({"control": pd.Series(["a", "b"])}, r"is no arm in column 'arm'"),
        ({"arm": pd.NA}, r"^a column is named by a text; got <NA> for"),
        ({"user": pd.NA}, r"^a column is named by a text; got <NA> for"),
        ({"before": {"x": "x"}}, r"^before\['x'\] has the column 'x' of the metric itself"),
    ],
)
def test_what_names_no_arm_and_no_column_is_refused(options, says):
    table = {"arm": [*"aaabbb"], "x": [1, 2, 3, 2, 3, 5], "u": [*"abcdef"]}
    with pytest.raises((TypeError, ValueError), match=says):
        rm.scorecard(table, metrics=["x"], **{"arm": "arm", "control": "a", **options})


@pytest.mark.parametrize("other", ["u1 ", "u1\u200b", "\u00e9", "u1"])
def test_users_that_look_alike_are_no_two_users(other):
    first = "e\u0301" if other == "\u00e9" else "u1"
    users = {"user": [first, other, *map(str, range(40))], "arm": ["A", "B"] * 21}
    users["x"] = [*range(42)]
    words = "in several arms" if other == first else "which differ only in blanks at an end"
    with pytest.raises(ValueError, match=words):
        rm.scorecard(users, arm="arm", control="A", metrics=["x"], user="user")


def test_users_whose_ids_differ_in_case_are_two():
    users = {"user": ["u1", "U1", *map(str, range(40))], "arm": ["A", "B"] * 21, "x": [*range(42)]}
    rm.scorecard(users, arm="arm", control="A", metrics=["x"], user="user")


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": ["x" * 5000]},
        {"metrics": [f"ratio(x, {'y' * 5000})"]},
        {"metrics": [f"quantile(x, {'9' * 5000}x)"]},
        {"metrics": ["x"], "guardrails": {"y" * 5000: 1}},
        {"metrics": ["x"], "before": {"y" * 5000: "x"}},
        {"metrics": ["x"], "expected_shares": {"y" * 5000: 1}},
    ],
)
def test_an_error_quotes_the_beginning_of_what_is_long(options):
    with pytest.raises(ValueError, match=r".") as caught:
        rm.scorecard({"arm": [*"aabb"], "x": [1, 2, 3, 4]}, control="a", **options)
    assert len(str(caught.value)) < 500
