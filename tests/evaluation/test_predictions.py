"""Reports of predicted ratings and probabilities: values, intervals, groups, comparisons."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics import calibration, rating
from recsys_metrics.evaluation import evaluate_predictions
from recsys_metrics.evaluation._prediction_metrics import PREDICTION_METRICS

RATING = [name for name, metric in PREDICTION_METRICS.items() if metric.subject == "rating"]
EVENTS = [name for name in PREDICTION_METRICS if name not in RATING]
RNG = np.random.default_rng(3)
USERS = RNG.integers(0, 60, 900)
STARS = RNG.integers(1, 6, 900).astype(float)
GOOD, BAD = (STARS + RNG.normal(0.1, spread, 900) for spread in (0.7, 1.1))
HAPPENED = RNG.integers(0, 2, 900)
CHANCES = np.clip(0.4 * HAPPENED + RNG.uniform(0.05, 0.55, 900), 0, 1)


def function_of(name):
    return getattr(rating if name in RATING else calibration, name)


def columns_of(name):
    return (STARS, GOOD) if name in RATING else (HAPPENED, CHANCES)


def test_the_hand_computed_case():
    # Errors of 0.8, 0.8, 0.5 and 0.5; user a has the first two rows.
    report = evaluate_predictions([5, 2, 4, 1], [4.2, 2.8, 3.5, 1.5], ["mae"], users=list("aabb"))
    found = report["mae"]
    assert found.value == pytest.approx(0.65)
    # Without a user the value is that of the other: 0.5 and 0.8; the pseudo-values 0.8 and 0.5.
    assert found.aggregate.standard_deviation == pytest.approx(np.std([0.8, 0.5], ddof=1))
    assert found.standard_error == pytest.approx(0.15)
    assert (found.n, report.users.tolist()) == (2, [0, 0, 1, 1])


@pytest.mark.parametrize("name", [*PREDICTION_METRICS])
def test_the_value_is_that_of_the_function(name):
    actual, predicted = columns_of(name)
    report = evaluate_predictions(actual, predicted, [name], users=USERS)
    assert report[name].value == function_of(name)(actual, predicted)


@pytest.mark.parametrize("name", [*PREDICTION_METRICS])
def test_leaving_out_each_user_gives_what_the_function_gives_without_them(name):
    actual, predicted = columns_of(name)
    report = evaluate_predictions(actual, predicted, [name], users=USERS)
    everyone = np.unique(USERS)
    n, value = len(everyone), function_of(name)(actual, predicted)
    without = [function_of(name)(actual[u != USERS], predicted[u != USERS]) for u in everyone]
    pseudo = n * value - (n - 1) * np.array(without)
    assert report[name].aggregate.n == n
    assert report[name].aggregate.standard_deviation == pytest.approx(np.std(pseudo, ddof=1))


def test_rows_without_users_are_on_their_own():
    alone = evaluate_predictions(STARS, GOOD, ["mae"])
    assert alone["mae"].n == 900
    errors = np.abs(GOOD - STARS)
    assert alone["mae"].standard_error == pytest.approx(errors.std(ddof=1) / 30)
    assert "pass users= for intervals that generalise" in str(alone).replace("\n  ", " ")
    assert evaluate_predictions(STARS, GOOD, ["mae"], users=USERS).warnings == ()


def test_intervals_cover_the_true_value():
    covered = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        users = np.repeat(np.arange(40), rng.integers(1, 20, 40))
        # Each user has a spread of their own, so rows of one user are alike.
        spread = rng.uniform(0.3, 1.5, 40)[users]
        errors = rng.normal(0, 1, len(users)) * spread
        found = evaluate_predictions(np.zeros(len(users)), errors, ["rmse"], users=users)
        low, high = found["rmse"].interval()
        covered += low <= np.sqrt((1.5**3 - 0.3**3) / (3 * 1.2)) <= high
    # 95 % of 300 is 285; a t interval of 40 clusters is slightly too narrow.
    assert 268 <= covered <= 296


def test_a_comparison_is_paired_by_user():
    new, old = (
        evaluate_predictions(STARS, p, ["rmse", "mae"], users=USERS, name=n)
        for p, n in ((GOOD, "good"), (BAD, "bad"))
    )
    found = new.compare(old, margin=0.05)
    assert found["rmse"].gain == pytest.approx(rating.rmse(STARS, GOOD) - rating.rmse(STARS, BAD))
    assert found["rmse"].interval.high < 0
    # Lower is better, so the sentence turns the sign.
    assert str(found.conclusion).startswith("better: difference 0.")
    per_user = rating.mae(STARS, GOOD, users=USERS) - rating.mae(STARS, BAD, users=USERS)
    assert (found["mae"].better, found["mae"].worse) == ((per_user > 0).sum(), (per_user < 0).sum())
    turned = old.compare(new)
    assert turned["rmse"].gain == -found["rmse"].gain
    assert turned["rmse"].p_value == pytest.approx(found["rmse"].p_value)
    unpaired = np.hypot(new["rmse"].standard_error, old["rmse"].standard_error)
    width = found["rmse"].interval.high - found["rmse"].interval.low
    assert width < 2 * 2.1 * unpaired


def test_the_same_predictions_do_not_differ():
    report = evaluate_predictions(STARS, GOOD, ["rmse"], users=USERS)
    found = report.compare(report)["rmse"]
    assert (found.gain, found.better, found.worse, found.equal) == (0, 0, 0, 60)


def test_groups_of_users_and_of_rows():
    by_user = {u: "even" if u % 2 == 0 else "odd" for u in range(60)}
    of_rows = np.where(STARS > 3, "high", "low")
    report = evaluate_predictions(
        STARS, GOOD, ["rmse"], users=USERS, groups={"parity": by_user, "level": of_rows}
    )
    even = USERS % 2 == 0
    assert report.by("parity")["rmse"].per_group["even"] == pytest.approx(
        rating.rmse(STARS[even], GOOD[even])
    )
    assert report.by("parity").sizes == {"even": 30, "odd": 30}
    low = STARS <= 3
    assert report.by("level")["rmse"].per_group["low"] == pytest.approx(
        rating.rmse(STARS[low], GOOD[low])
    )
    grouped = report.compare(evaluate_predictions(STARS, BAD, ["rmse"], users=USERS)).by("parity")
    assert grouped["rmse"]["even"].gain == pytest.approx(
        rating.rmse(STARS[even], GOOD[even]) - rating.rmse(STARS[even], BAD[even])
    )
    assert grouped.better("rmse") == ["even", "odd"]


def test_tables_frames_and_names():
    report = evaluate_predictions(HAPPENED, CHANCES, ["ECE", "log_loss"], users=USERS, name="ctr")
    assert [*report] == ["ECE", "log_loss"]
    assert report["expected_calibration_error"] is report["ECE"]
    assert report.to_frame(backend="pandas")["measure"].tolist() == ["ECE", "log_loss"]
    assert set(report.as_dict()) == {
        f"{name}{end}" for name in ("ECE", "log_loss") for end in ("", "/low", "/high")
    }
    assert "| ECE | " in report.to_markdown(digits=2)
    assert r"\midrule" in report.to_latex(names={"ECE": "calibration error"})
    assert report.plot().get_title("left").startswith("ctr: ECE is 0.")


@given(st.integers(0, 2**31))
def test_the_order_of_rows_does_not_matter(seed):
    order = np.random.default_rng(seed).permutation(900)
    one = evaluate_predictions(STARS, GOOD, RATING, users=USERS)
    other = evaluate_predictions(STARS[order], GOOD[order], RATING, users=USERS[order])
    for name in RATING:
        assert other[name].value == pytest.approx(one[name].value)
        assert other[name].standard_error == pytest.approx(one[name].standard_error)


def test_a_certain_and_wrong_probability_has_no_interval():
    report = evaluate_predictions([1, 0, 1], [0.0, 0.2, 0.9], ["log_loss"])
    assert report["log_loss"].value == np.inf
    assert report["log_loss"].interval() is None
    assert report.to_markdown()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 2], [1, 2], ["rmsee"]), {}, "unknown metric of predictions 'rmsee'; did you mean"),
        (([1, 0], [1, 0], ["rmse", "ece"]), {}, "rmse is of ratings and expected_calibration_er"),
        (([1, 2], [1, 2], []), {}, "metrics names none"),
        (([1, 2, 3], [1, 2], ["mae"]), {}, "actual has 3 rows and predicted 2"),
        (([], [], ["mae"]), {}, "there are no rows"),
        (([1, np.nan], [1, 2], ["mae"]), {}, r"actual\[1\] is nan; every row needs a finite num"),
        (([1, 2], [1, 2], ["ece"]), {}, "actual"),
        (([1, 0], [1, 1.5], ["ece"]), {}, "a probability lies between 0 and 1"),
        (([1, 2], [1, 2], ["mae"]), {"users": ["a"]}, "users has shape"),
    ],
)
def test_what_cannot_be_evaluated_is_an_error(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        evaluate_predictions(*arguments, **options)


def test_other_rows_and_users_are_not_compared():
    report = evaluate_predictions(STARS, GOOD, ["mae"], users=USERS)
    with pytest.raises(ValueError, match="do not agree on what was observed in 900 of 900 rows"):
        report.compare(evaluate_predictions(STARS + 1, GOOD, ["mae"], users=USERS))
    with pytest.raises(ValueError, match="of 900 and 5 rows"):
        report.compare(evaluate_predictions(STARS[:5], GOOD[:5], ["mae"], users=USERS[:5]))
    with pytest.raises(ValueError, match="different users; give both the same users="):
        report.compare(evaluate_predictions(STARS, GOOD, ["mae"]))
    with pytest.raises(ValueError, match="share no metric: mae against mse"):
        report.compare(evaluate_predictions(STARS, GOOD, ["mse"], users=USERS))
    with pytest.raises(TypeError, match="groups is a mapping from user to group, so pass users"):
        evaluate_predictions(STARS, GOOD, ["mae"]).by({"a": "b"})
    with pytest.raises(ValueError, match="groups has no group for user 1"):
        report.by({0: "x"})


def test_series_with_other_labels_are_refused():
    actual = pd.Series(STARS[:5], index=list("abcde"))
    predicted = pd.Series(GOOD[:5], index=list("edcba"))
    with pytest.raises(ValueError, match="their indexes differ: row 0"):
        evaluate_predictions(actual, predicted, ["mae"])


def test_evaluate_names_the_function_for_predictions():
    with pytest.raises(ValueError, match=r"rmse is a metric of predicted ratings or probabilities"):
        rm.evaluate([["A"]], [{"A"}], ["ndcg@1", "rmse"])
    assert rm.evaluate_predictions is evaluate_predictions


def test_groups_may_be_a_table_of_users():
    pandas = pytest.importorskip("pandas")
    report = evaluate_predictions([5, 2, 4, 1], [4, 2, 3, 1], ["mae"], users=list("abab"))
    table = pandas.DataFrame({"customer": ["a", "b"], "segment": ["old", "new"]})
    assert report.by(table)["mae"].per_group == {"new": 0.0, "old": 1.0}
    with pytest.raises(
        ValueError, match=r"groups is a table and needs a column .* Rename the colu"
    ):
        report.by(table.rename(columns={"segment": "plan"}))


NAMES = ("brier", "Brier", "brier_score", "Brier score")


@pytest.mark.parametrize("asked", NAMES)
@pytest.mark.parametrize("key", NAMES)
def test_a_metric_is_found_by_each_of_its_names(asked, key):
    of = {"users": USERS}
    new = evaluate_predictions(HAPPENED, CHANCES, [asked], name="new", **of)
    old = evaluate_predictions(HAPPENED, 1 - CHANCES, [asked], name="old", **of)
    groups = {user: user % 2 for user in range(60)}
    compared, board = new.compare(old, decide_on=key), rm.compare_many([new, old], measures=[key])
    for table in (new, new.by(groups), compared, compared.by(groups, measures=[key]), board):
        assert [*table] == [asked]
        assert table[key] is table[asked]
        assert key in table
        assert "log_loss" not in table
        with pytest.raises(KeyError, match=f"nothing .* {asked}"):
            table["nothing"]
    assert board.better_than("new", key) == ["old"]
    with pytest.raises(ValueError, match="not all reports have nothing"):
        compared.by(groups, measures=["nothing"])


def test_several_models_are_on_a_leaderboard():
    reports = {
        name: evaluate_predictions(STARS, predicted, ["RMSE", "R2"], users=USERS, name=name)
        for name, predicted in (("good", GOOD), ("bad", BAD), ("worst", BAD + 3))
    }
    board = rm.compare_many(reports)
    assert [*board.by_report] == ["good", "bad", "worst"]
    assert board.front == ("good",)
    assert board.better_than("good", "rmse") == ["bad", "worst"]
    found = board["RMSE"]["good", "bad"]
    one = reports["good"].compare(reports["bad"])["RMSE"]
    assert (found.gain, found.interval, found.p_value) == (one.gain, one.interval, one.p_value)
    assert board.omnibus == {}
    text = board.to_markdown(uncertainty="interval", emphasize=True)
    assert "**3 models**" in text
    assert "A value over all rows has its 95% confidence interval. A letter stands for a model" in (
        text
    )
    assert board.to_frame(backend="pandas")["RMSE is better than"].tolist()[0] == "bad, worst"
    board.plot("r2")
    against = rm.compare_many(reports, baseline="bad", measures=["rmse"])
    assert against.better_than("worst", "RMSE") == []


def test_a_leaderboard_has_reports_of_one_kind_and_the_same_rows():
    of_stars = evaluate_predictions(STARS, GOOD, ["rmse"], name="stars")
    of_lists = rm.evaluate([["A"]], [{"A"}], ["recall@1"], name="lists")
    with pytest.raises(TypeError, match="some reports are of lists and others of predictions"):
        rm.compare_many([of_stars, of_lists])
    shorter = evaluate_predictions(STARS[1:], GOOD[1:], ["rmse"], name="shorter")
    with pytest.raises(ValueError, match="the reports are of 900 and 899 rows"):
        rm.compare_many([of_stars, shorter])
    with pytest.raises(ValueError, match="compared on the same rows; give no users="):
        rm.compare_many({"a": of_stars, "b": of_stars}, users="shared")
    with pytest.raises(TypeError, match="as evaluate returns them; got PredictionReport"):
        rm.compare_goals({"a": of_stars, "b": of_stars}, ["rmse"])


def test_groups_are_shown_as_values_over_rows():
    report = evaluate_predictions(STARS, GOOD, ["RMSE"], users=USERS)
    grouped = report.by({user: user % 2 for user in range(60)})
    assert "Values over the rows of each group with 95% confidence intervals" in str(grouped)
    assert grouped.plot().get_title("left").startswith("RMSE: the gap is 0.")


def test_a_column_of_pandas_has_groups_of_users_by_its_index():
    report = evaluate_predictions(STARS, GOOD, ["rmse"], users=USERS)
    groups = {user: ["even", "odd"][user % 2] for user in range(60)}
    shuffled = pd.Series(groups).sample(frac=1, random_state=0)
    assert str(report.by(shuffled)) == str(report.by(groups))
    rows = pd.Series([groups[user] for user in USERS], index=np.arange(900) + 7)
    assert str(report.by(rows)) == str(report.by(groups))


def test_groups_are_checked_when_they_are_given():
    with pytest.raises(ValueError, match="groups has no group for user 1"):
        evaluate_predictions(STARS, GOOD, ["rmse"], users=USERS, groups={"plan": {0: "free"}})


def test_groups_that_look_alike_raise():
    of_users = {user: ["free", "Free"][user % 2] for user in range(60)}
    of_rows = np.where(STARS > 3, "free", "free ")
    table = pd.DataFrame({"user": [*of_users], "group": [*of_users.values()]})
    for groups in (of_users, of_rows, table):
        with pytest.raises(ValueError, match=r"'.+' and '.+', which differ only in blanks, case"):
            evaluate_predictions(STARS, GOOD, ["rmse"], users=USERS, groups={"plan": groups})
        with pytest.raises(ValueError, match=r"'.+' and '.+', which differ only in blanks, case"):
            evaluate_predictions(STARS, GOOD, ["rmse"], users=USERS).by(groups)


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA])
def test_no_user_and_no_group_are_made_of_what_is_missing(nothing):
    actual, predicted = [1.0, 2.0, 3.0], [1.0, 2.0, 2.0]
    names = ["x", "y", nothing]
    for labels in (names, pd.Series(names, dtype=object), pd.Series(pd.Categorical(names))):
        with pytest.raises(ValueError, match=r"users\[2\] is NaN; every row needs its user"):
            evaluate_predictions(actual, predicted, ["mae"], users=labels)
        with pytest.raises(ValueError, match="for row 2; give rows of unknown group a name"):
            evaluate_predictions(actual, predicted, ["mae"]).by(labels)
