"""The gate: a candidate fails if it lost more than the margin, and passes if that is excluded."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy import stats

import recsys_metrics as rm
from recsys_metrics._core import confidence_intervals
from recsys_metrics.evaluation import GateRule, gate

# The rank of the one relevant item for four users, 0 if it is not recommended.
OLD, NEW = (2, 2, 2, 2), (1, 2, 4, 0)
# By hand, as reciprocal ranks: 1/2 for each, and 1, 1/2, 1/4 and 0.
DIFFERENCES = (0.5, 0.0, -0.25, -0.5)
MEAN, SQUARES = -0.0625, 0.546875


def lists(ranks):
    found = []
    for rank in ranks:
        items = ["w", "x", "y", "z"]
        if rank:
            items[rank - 1] = "A"
        found.append(items)
    return found


def report(ranks, name, measures=("mrr@4",), **options):
    return rm.evaluate(lists(ranks), [{"A"}] * len(ranks), [*measures], name=name, **options)


def reports(times, **options):
    return report(NEW * times, "new", **options), report(OLD * times, "old", **options)


def interval_by_hand(copies, level, sign=1):
    n = 4 * copies
    variance = copies * SQUARES / (n - 1)
    freedom = min(n - 1, 2 * 3 * copies)
    half = stats.t.ppf(0.5 + level / 2, freedom) * math.sqrt((variance + MEAN**2 / n) / n)
    return sign * MEAN - half, sign * MEAN + half


def test_four_users_by_hand():
    new, old = reports(1)
    (check,) = gate(new, old, rules={"mrr@4": 0.3}).checks
    assert check.estimate == pytest.approx(np.mean(DIFFERENCES)) == pytest.approx(MEAN)
    assert check.standard_deviation == pytest.approx(0.42695628)
    # -0.0625 ± 3.182446 × sqrt((0.182292 + 0.0625² / 4) / 4)
    assert [*check.interval] == pytest.approx([-0.743700, 0.618700], abs=1e-6)
    assert [*check.interval] == pytest.approx(interval_by_hand(1, 0.95))
    assert (check.candidate, check.baseline) == (0.4375, 0.5)
    assert (check.n, check.margin, check.group, check.direction) == (4, 0.3, None, "higher")
    # Fewer than 20 users decide nothing, however large the margin.
    assert gate(new, old, rules={"mrr@4": 0.9}).outcome == "undecided"
    assert gate(new, old, rules={"mrr@4": 0.9}).checks[0].users_to_decide == 20


def test_24_users_by_hand():
    new, old = reports(6)
    # -0.0625 ± 2.068658 × sqrt((0.142663 + 0.0625² / 24) / 24)
    low, high = -0.222083, 0.097083
    for margin, outcome in (
        (-low + 1e-5, "pass"),
        (-low - 1e-5, "undecided"),
        (0.0625, "undecided"),
        (0.001, "undecided"),
    ):
        result = gate(new, old, rules={"mrr@4": margin})
        (check,) = result.checks
        assert [*check.interval] == pytest.approx([low, high], abs=1e-6)
        assert (result.outcome, check.outcome) == (outcome, outcome), margin


def test_the_candidate_fails_if_the_interval_lies_below_the_margin():
    # Every second user falls from rank 1 to rank 2: a loss of 0.25 on average.
    new, old = report((1, 2) * 20, "new"), report((1, 1) * 20, "old")
    result = gate(new, old, rules={"mrr@4": 0.05})
    (check,) = result.checks
    assert check.estimate == -0.25
    high = check.interval.high
    assert -0.25 < high < -0.15
    assert result.outcome == "fail"
    assert gate(new, old, rules={"mrr@4": -high - 1e-9}).outcome == "fail"
    assert gate(new, old, rules={"mrr@4": -high + 1e-9}).outcome == "undecided"
    # The reverse comparison gains as much, and passes with any margin.
    assert gate(old, new, rules={"mrr@4": 0.001}).outcome == "pass"


def test_the_same_lists_pass_when_enough_users_exclude_a_loss():
    old = report((1, 2) * 100, "old")
    (check,) = gate(old, old, rules={"mrr@4": 0.02}).checks
    # If none of 200 users changed, up to 1 - 0.025^(1/200) may be of a kind that loses everything.
    reach = 1 - 0.025 ** (1 / 200)
    assert [*check.interval] == pytest.approx([-reach, reach])
    assert (check.outcome, check.users_to_decide) == ("pass", 183)
    (check,) = gate(old, old, rules={"mrr@4": 0.01}).checks
    assert check.outcome == "undecided"
    assert 1 - 0.025 ** (1 / check.users_to_decide) < 0.01
    assert 1 - 0.025 ** (1 / (check.users_to_decide - 1)) >= 0.01


def users_by_definition(margin, sd, tail, power):
    def reached(n):
        critical = stats.t.ppf(1 - tail, n - 1)
        return stats.nct.sf(critical, n - 1, margin * math.sqrt(n) / sd) >= power

    return next(n for n in range(2, 10_000) if reached(n))


@pytest.mark.parametrize(("margin", "power"), [(0.1, 0.8), (0.05, 0.8), (0.07, 0.9)])
def test_users_to_decide_follow_from_the_margin_and_the_standard_deviation(margin, power):
    new, old = reports(6)
    (check,) = gate(new, old, rules={"mrr@4": margin}, power=power).checks
    sd = math.sqrt(6 * SQUARES / 23)
    assert check.standard_deviation == pytest.approx(sd)
    assert check.users_to_decide == users_by_definition(margin, sd, 0.025, power)


@pytest.mark.parametrize(("changed", "margin"), [(4, 0.02), (20, 0.05), (100, 0.1)])
def test_users_to_decide_hits_are_enough_for_their_exact_interval(changed, margin):
    # As many users gain as lose, and the others of 200 keep their hit.
    half = changed // 2
    old = report((1,) * (200 - half) + (2,) * half, "old", ["hit_rate@1"])
    new = report((2,) * half + (1,) * (200 - half), "new", ["hit_rate@1"])
    (check,) = gate(new, old, rules={"hit_rate@1": margin}).checks
    n = check.users_to_decide
    share = check.standard_deviation**2 / 2
    drawn = np.random.default_rng(0).multinomial(n, [share, share, 1 - 2 * share], 20_000)
    up, down, _ = drawn.T
    mean = (up - down) / n
    spread = np.sqrt((up + down - n * mean**2) / (n - 1))
    low, _ = confidence_intervals.of_gain(mean, spread, n, up, down, (0.0, 1.0), 0.95)
    # The interval is discrete, so that the power is not met to the digit.
    assert 0.77 < np.mean(low > -margin) < 0.88
    # By the t-test there would be too few.
    assert n > users_by_definition(margin, check.standard_deviation, 0.025, 0.8)


def written(values, name, **options):
    """Return a report whose per-user values are those given, by a metric that reads them."""
    codes = [[round(1_000 * (value + 10))] for value in values]
    measure = rm.Measure.of(read_code, name="own", **options)
    return rm.evaluate(codes, [{1}] * len(codes), [measure], name=name)


def read_code(recommended):
    return recommended[0] / 1_000 - 10


def test_users_to_decide_do_not_depend_on_the_observed_difference():
    spread = np.tile([-1.0, 1.0], 200)
    old, found = written(0 * spread, "old"), []
    for shift in (-0.4, -0.15, 0.0, 0.3):
        result = gate(written(spread + shift, "new"), old, rules={"own": 0.2})
        (check,) = result.checks
        assert check.estimate == pytest.approx(shift)
        found.append((check.outcome, check.users_to_decide))
        # 400 users would have decided at a true difference of 0, which this one is not close to.
        assert ("more users may be needed" in str(result)) == (check.outcome == "undecided")
    expected = users_by_definition(0.2, math.sqrt(400 / 399), 0.025, 0.8)
    assert expected < 400
    outcomes = ["fail", "undecided", "pass", "pass"]
    assert found == [(outcome, expected) for outcome in outcomes]


@pytest.mark.parametrize("measure", ["mrr@4", "hit_rate@1"])
def test_tiny_margins_are_undecided(measure):
    new, old = report((1, 2) * 20, "new", [measure]), report((2, 1) * 20, "old", [measure])
    # A standard deviation of 1 for hits, and of 0.5 for reciprocal ranks.
    scale = 1 if measure == "hit_rate@1" else 0.5
    for margin in (1e-2, 1e-4, 1e-200, 5e-324):
        result = gate(new, old, rules={measure: margin})
        users = result.checks[0].users_to_decide
        assert result.outcome == "undecided"
        assert str(result)
        if margin > 1e-5:
            assert users == pytest.approx((2.8016 * scale / margin) ** 2, rel=0.05)
        else:
            assert users is None
    # If nobody changed, the number is that of users who exclude another kind.
    found = [gate(old, old, rules={measure: m}).checks[0] for m in (1e-4, 5e-324)]
    assert [check.users_to_decide for check in found] == [36_887, None]
    assert 1 - 0.025 ** (1 / 36_887) < 1e-4 < 1 - 0.025 ** (1 / 36_886)


def test_a_metric_without_bounds_needs_a_changed_user():
    old = written([0.0] * 50, "old")
    result = gate(old, old, rules={"own": 0.2})
    (check,) = result.checks
    assert (check.interval, check.outcome, check.users_to_decide) == (None, "undecided", None)
    assert "own: there is no interval of the difference" in str(result)


# Directions


def test_a_lower_metric_is_reversed():
    low, high = (
        written([0.0, 0.2] * 20, "low", better="lower"),
        written([0.5, 0.9] * 20, "high", better="lower"),
    )
    (check,) = gate(low, high, rules={"own": 0.1}).checks
    assert (check.outcome, check.direction) == ("pass", "lower")
    assert check.estimate == pytest.approx(0.6)
    assert 0.5 < check.interval.low < 0.6 < check.interval.high < 0.7
    assert check.interval.estimate == check.estimate
    (check,) = gate(high, low, rules={"own": 0.1}).checks
    assert check.outcome == "fail"
    assert check.estimate == pytest.approx(-0.6)
    assert (check.candidate, check.baseline) == pytest.approx((0.7, 0.1))


def test_a_metric_with_no_better_side_needs_a_direction():
    low, high = (written(v * 20, n, better=None) for v, n in (([0.0, 0.2], "l"), ([0.5, 0.9], "h")))
    with pytest.raises(ValueError, match="neither a higher nor a lower own is better"):
        gate(low, high, rules={"own": 0.1})
    for direction, outcomes in (("higher", ["pass", "fail"]), ("lower", ["fail", "pass"])):
        rules = [GateRule("own", 0.1, direction=direction)]
        found = [gate(*pair, rules=rules).outcome for pair in ((high, low), (low, high))]
        assert found == outcomes


# Groups


GROUPS = ["light"] * 60 + ["heavy"] * 40


def grouped(**options):
    # Light users stay at rank 1; heavy users fall to rank 2, a loss of 0.5 each.
    old = report((1,) * 100, "old")
    new = report((1,) * 60 + (2,) * 40, "new", **options)
    return new, old


def test_a_group_that_loses_fails_the_gate():
    new, old = grouped()
    rules = [
        GateRule("mrr@4", 0.35),
        GateRule("mrr@4", 0.2, groups=["heavy"]),
        GateRule("mrr@4", 0.2, groups=["light"]),
    ]
    result = gate(new, old, rules=rules, groups=GROUPS)
    assert [(c.name, c.n, c.outcome) for c in result.checks] == [
        ("mrr@4", 100, "pass"),
        ("mrr@4, heavy", 40, "fail"),
        ("mrr@4, light", 60, "pass"),
    ]
    assert result.outcome == "fail"
    assert result.conclusion == (
        "Outcome: fail. The candidate lost more than the margin in 1 of 3 checks (mrr@4, heavy)."
    )
    assert gate(new, old, rules=rules[:1]).outcome == "pass"
    every = gate(new, old, rules=[GateRule("mrr@4", 0.2, groups="each")], groups=GROUPS)
    assert [(c.group, c.outcome) for c in every.checks] == [("heavy", "fail"), ("light", "pass")]


def test_groups_of_the_report_are_used():
    new, old = grouped(groups={"activity": GROUPS})
    rules = [GateRule("mrr@4", 0.2, groups=["heavy"])]
    assert gate(new, old, rules=rules).outcome == "fail"
    assert gate(new, old, rules=rules, groups="activity").outcome == "fail"
    with pytest.raises(ValueError, match="there is no grouping 'age'"):
        gate(new, old, rules=rules, groups="age")
    with pytest.raises(ValueError, match="the report of the candidate has no grouping"):
        gate(old, new, rules=rules)
    several, _ = grouped(groups={"activity": GROUPS, "age": GROUPS})
    with pytest.raises(ValueError, match=r"several groupings \(activity, age\)"):
        gate(several, old, rules=rules)


def test_a_group_may_be_written_as_text():
    new, old = grouped()
    ages = [18] * 60 + [35] * 40
    (check,) = gate(new, old, rules=[GateRule("mrr@4", 0.2, groups=["35"])], groups=ages).checks
    assert (check.group, check.n) == (35, 40)
    with pytest.raises(ValueError, match="mrr@4: there is no group '36'; there are 18, 35"):
        gate(new, old, rules=[GateRule("mrr@4", 0.2, groups=["36"])], groups=ages)


def test_groups_that_look_alike_raise():
    # All users who lose could be in "heavy ", which the rule does not name.
    new, old = grouped()
    rules = [GateRule("mrr@4", 0.2, groups=["heavy"])]
    with pytest.raises(ValueError, match=r"'heavy' and 'heavy ', which differ only in blanks"):
        gate(new, old, rules=rules, groups=["heavy"] * 60 + ["heavy "] * 40)
    message = "mrr@4: the rule and the users have the groups 'Heavy' and 'heavy', which differ"
    with pytest.raises(ValueError, match=message):
        gate(new, old, rules=rules, groups=["Heavy"] * 60 + ["light"] * 40)


# Corrections


@pytest.mark.parametrize(
    ("correction", "level"),
    [("bonferroni", 1 - 0.05 / 3), ("sidak", 0.95 ** (1 / 3)), ("none", 0.95)],
)
def test_intervals_are_corrected_for_the_number_of_checks(correction, level):
    measures = ("mrr@4", "mrr@3", "mrr@2")
    new, old = report(NEW * 6, "new", measures), report(OLD * 6, "old", measures)
    rules = dict.fromkeys(measures, 0.1)
    result = gate(new, old, rules=rules, correction=correction)
    check = result.checks[0]
    assert check.interval.level == pytest.approx(level)
    assert [*check.interval] == pytest.approx(interval_by_hand(6, level))
    sd = math.sqrt(6 * SQUARES / 23)
    assert check.users_to_decide == users_by_definition(0.1, sd, (1 - level) / 2, 0.8)
    words = {"bonferroni": "Bonferroni's", "sidak": "Šidák's", "none": "are not corrected"}
    for text in (str(result), result.to_markdown(), result.to_html()):
        text = " ".join(text.split()).replace("&#x27;", "'")
        assert words[correction] in text
        assert "98.3" in text or correction == "none"
    assert ("simultaneous 95% CI" in str(result)) == (correction != "none")


def test_groups_count_as_checks():
    new, old = grouped()
    rules = [GateRule("mrr@4", 0.4), GateRule("mrr@4", 0.2, groups="each")]
    result = gate(new, old, rules=rules, groups=GROUPS)
    assert [c.interval.level for c in result.checks] == pytest.approx([1 - 0.05 / 3] * 3)


def test_a_wider_interval_can_turn_an_outcome():
    measures = ("mrr@4", "mrr@3")
    new, old = report(NEW * 6, "new", measures), report(OLD * 6, "old", measures)
    margin = -interval_by_hand(6, 0.95)[0] + 1e-6
    assert gate(new, old, rules={"mrr@4": margin}).outcome == "pass"
    both = gate(new, old, rules={"mrr@4": margin, "mrr@3": 0.9})
    assert [c.outcome for c in both.checks] == ["undecided", "pass"]
    assert both.outcome == "undecided"
    assert (
        gate(new, old, rules={"mrr@4": margin, "mrr@3": 0.9}, correction="none").outcome == "pass"
    )


# What is shown


def test_the_text_names_every_number():
    new, old = reports(6)
    result = gate(new, old, rules={"mrr@4": 0.1})
    text = " ".join(str(result).split())
    for words in (
        "Gate: new against old",
        "Outcome: undecided. The data do not decide the only check (mrr@4).",
        "-0.062 [-0.222, 0.097] 0.1 24 undecided 114",
        "If the true difference were 0, 114 users would decide it with a probability of 80%.",
        "There is one check, so its level is not corrected.",
    ):
        assert words in text
    assert "| mrr@4 | 0.438 | 0.500 | -0.062 |" in result.to_markdown()
    assert r"\begin{tabular}" in result.to_latex()


def test_decimals_show_on_which_side_of_the_margin_an_end_is():
    spread = np.tile([-0.05, 0.05], 20_000)
    old, new = written(0 * spread, "old"), written(spread, "new")
    result = gate(new, old, rules={"own": 0.000495})
    assert result.outcome == "pass"
    low = float(re.search(r"\[(-[\d.]+), ", str(result))[1])
    assert -0.000495 < low < -0.00048


def test_the_frame_has_a_row_for_each_check():
    pl = pytest.importorskip("polars")
    new, old = grouped()
    rules = [GateRule("mrr@4", 0.4), GateRule("mrr@4", 0.2, groups="each")]
    frame = gate(new, old, rules=rules, groups=GROUPS).to_frame(backend="polars")
    assert isinstance(frame, pl.DataFrame)
    assert frame["group"].to_list() == [None, "heavy", "light"]
    assert frame["outcome"].to_list() == ["pass", "fail", "pass"]
    assert frame["users"].to_list() == [100, 40, 60]


@pytest.mark.slow
def test_the_plot_shows_the_margin():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    new, old = grouped()
    axes = gate(new, old, rules=[GateRule("mrr@4", 0.2, groups="each")], groups=GROUPS).plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "mrr@4, heavy: fail",
        "mrr@4, light: pass",
    ]
    dots = next(line for line in axes.lines if line.get_marker() == "o")
    np.testing.assert_allclose(dots.get_xdata(), [-2.5, 0])
    assert "Outcome: fail" in axes.get_label()


# Errors


def test_different_protocols_are_errors():
    new, _ = reports(6)
    with pytest.raises(ValueError, match="the reports are of 24 and 28 users"):
        gate(new, report(OLD * 7, "old"), rules={"mrr@4": 0.1})
    other = rm.evaluate(lists(OLD * 6), [{"A"}] * 23 + [{"w"}], ["mrr@4"], name="old")
    with pytest.raises(ValueError, match="do not agree on what is relevant to 1 of 24 users"):
        gate(new, other, rules={"mrr@4": 0.1})
    other = rm.evaluate(lists(OLD * 6), [{"A": 3}] * 24, ["mrr@4"], threshold=2, name="old")
    with pytest.raises(ValueError, match="evaluated with no threshold"):
        gate(new, other, rules={"mrr@4": 0.1})
    other = report(OLD * 6, "old", sampled=100)
    with pytest.raises(ValueError, match="evaluate both with the same sampled="):
        gate(new, other, rules={"mrr@4": 0.1})


def test_users_can_be_restricted_to_those_of_both():
    def keyed(ranks, first, name):
        users = range(first, first + len(ranks))
        shown = dict(zip(users, lists(ranks), strict=True))
        return rm.evaluate(shown, {user: {"A"} for user in users}, ["mrr@4"], name=name)

    new, old = keyed((1,) * 40, 0, "new"), keyed((1, 1) * 20, 10, "old")
    with pytest.raises(ValueError, match="users='shared'"):
        gate(new, old, rules={"mrr@4": 0.2})
    result = gate(new, old, rules={"mrr@4": 0.2}, users="shared")
    assert (result.outcome, result.checks[0].n) == ("pass", 30)
    assert "Compared on the 30 users that all reports have" in " ".join(str(result).split())


def test_a_metric_of_all_lists_is_refused():
    measures = ("mrr@4", "coverage@4")
    new, old = (report(r * 6, "r", measures, catalog=9) for r in (NEW, OLD))
    words = "coverage@4 is an aggregate over all lists and has no per-user values"
    with pytest.raises(ValueError, match=words):
        gate(new, old, rules={"mrr@4": 0.1, "coverage@4": 0.1})


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, "rules says how much each metric may lose"),
        ("mrr@4", "rules says how much each metric may lose"),
        ({"ndcg@4": 0.1}, "not all reports have ndcg@4; the reports share reciprocal_rank@4"),
        ({"mrr@4": 0}, "the margin of mrr@4 is a finite number above 0; got 0"),
        ({"mrr@4": 1}, "the margin of mrr@4 is 1, and its values lie between 0 and 1"),
        ({"mrr@4": 0.1, "reciprocal_rank@4": 0.2}, "there are two rules for mrr@4 of all users"),
    ],
)
def test_wrong_rules_are_reported(rules, words):
    new, old = reports(6)
    with pytest.raises(ValueError, match=words):
        gate(new, old, rules=rules)


def test_wrong_arguments_are_reported():
    new, old = reports(6)
    with pytest.raises(ValueError, match="direction of mrr@4 must be one of 'higher', 'lower'"):
        GateRule("mrr@4", 0.1, direction="up")
    with pytest.raises(ValueError, match="groups of mrr@4 are a list"):
        GateRule("mrr@4", 0.1, groups="heavy")
    with pytest.raises(ValueError, match="groups of mrr@4 are a list"):
        GateRule("mrr@4", 0.1, groups=[])
    with pytest.raises(ValueError, match="a higher mrr@4 is better"):
        gate(new, old, rules=[GateRule("mrr@4", 0.1, direction="lower")])
    with pytest.raises(ValueError, match="correction must be one of 'bonferroni'"):
        gate(new, old, rules={"mrr@4": 0.1}, correction="holm")
    with pytest.raises(ValueError, match=r"power 0\.01 is not above alpha"):
        gate(new, old, rules={"mrr@4": 0.1}, power=0.01)
    with pytest.raises(TypeError, match="candidate must be a report"):
        gate([1], old, rules={"mrr@4": 0.1})
    with pytest.raises(TypeError, match="list of GateRule; it holds 'mrr@4'"):
        gate(new, old, rules=["mrr@4"])


def test_reports_without_per_user_values_are_refused(tmp_path):
    new, old = reports(6)
    new.save(tmp_path / "new.json", per_user=False)
    with pytest.raises(ValueError, match="values of single users were not stored"):
        gate(rm.Report.load(tmp_path / "new.json"), old, rules={"mrr@4": 0.1})


def test_saved_reports_give_the_same_result(tmp_path):
    new, old = reports(6)
    new.save(tmp_path / "new.json")
    again = gate(rm.Report.load(tmp_path / "new.json"), old, rules={"mrr@4": 0.1})
    assert str(again) == str(gate(new, old, rules={"mrr@4": 0.1}))


def test_the_gate_is_public():
    assert rm.gate is gate
    assert "gate" in rm.__all__
