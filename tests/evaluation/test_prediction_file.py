"""Reports of predictions in files: what was saved is loaded, and what contradicts itself is not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import recsys_metrics as rm
from recsys_metrics.evaluation import PredictionReport, evaluate_predictions

SCHEMA = json.loads(
    (Path(rm.__file__).parent / "data" / "prediction_report.schema.json").read_text()
)
RNG = np.random.default_rng(5)
USERS = np.array([f"user {n}" for n in RNG.integers(0, 40, 400)])
STARS = RNG.integers(1, 6, 400).astype(float)
GOOD, BAD = (STARS + RNG.normal(0, spread, 400) for spread in (0.5, 1.5))
PLAN = {user: ["free", "paid"][n % 2] for n, user in enumerate(np.unique(USERS).tolist())}
HOUR = RNG.integers(0, 3, 400)


def report_of(predicted=GOOD, metrics=("RMSE", "mae", "R2"), **options):
    options = {"users": USERS, "groups": {"plan": PLAN, "hour": HOUR}, "name": "good"} | options
    return evaluate_predictions(STARS, predicted, [*metrics], **options)


@pytest.fixture
def file(tmp_path):
    report_of().save(tmp_path / "good.json")
    return tmp_path / "good.json"


def test_a_loaded_report_is_the_one_that_was_saved(file):
    report, again = report_of(), PredictionReport.load(file)
    assert again.name == "good"
    assert [*again] == ["RMSE", "mae", "R2"]
    assert again.as_dict() == report.as_dict()
    assert str(again) == str(report)
    for grouping in ("plan", "hour"):
        assert str(again.by(grouping)) == str(report.by(grouping))
    other = report_of(BAD, name="bad")
    assert str(again.compare(other)) == str(report.compare(other))
    assert str(other.compare(again).by("plan")) == str(other.compare(report).by("plan"))
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(json.loads(file.read_text()), SCHEMA)


@pytest.mark.parametrize(
    "users", [None, np.arange(400) % 7, np.uint64(2**63 - 3) + np.arange(400, dtype=np.uint64) % 7]
)
def test_rows_without_users_and_numbered_users_are_kept(tmp_path, users):
    report = report_of(users=users, groups=None)
    report.save(tmp_path / "report.json")
    again = PredictionReport.load(tmp_path / "report.json")
    assert again.user_ids == report.user_ids
    assert again.as_dict() == report.as_dict()
    assert again.warnings == report.warnings


def test_probabilities_and_values_that_are_not_finite(tmp_path):
    happened, chances = [1, 0, 1, 0], [1.0, 1.0, 0.7, 0.2]
    report = evaluate_predictions(happened, chances, ["log_loss", "Brier"])
    assert report["log_loss"].value == np.inf
    report.save(tmp_path / "report.json")
    assert str(PredictionReport.load(tmp_path / "report.json")) == str(report)


def test_a_file_is_only_replaced_on_request(file):
    with pytest.raises(FileExistsError, match="pass overwrite=True to replace it"):
        report_of(BAD).save(file)
    report_of(BAD, name="bad").save(file, overwrite=True)
    assert PredictionReport.load(file).name == "bad"


def test_each_kind_of_report_names_the_other(tmp_path, file):
    with pytest.raises(
        ValueError, match=r"PredictionReport\.save wrote it, so Predict.*\.load rea"
    ):
        rm.Report.load(file)
    ranking = tmp_path / "ranking.json"
    rm.evaluate([["A"]], [{"A"}], ["recall@1"]).save(ranking)
    with pytest.raises(ValueError, match=r"Report\.save wrote it, so Report\.load reads it"):
        PredictionReport.load(ranking)


def change(data, *path, to):
    for key in path[:-1]:
        data = data[key]
    data[path[-1]] = to


@pytest.mark.parametrize(
    ("path", "to", "words"),
    [
        (("version",), 2, "is a report of version 2, and this library reads version 1"),
        (("name",), 3, "is no report as data/prediction_report.schema.json has it: name is 3"),
        (("rows", "actual"), [1.0], "rows.predicted has 400 entries, and rows.actual 1"),
        (("rows", "actual", 0), 500.0, "has the value 0.5.* of RMSE, and its rows give 24"),
        (("rows", "users", 0), 40, "rows.users has the place 40, and there are 40"),
        (("rows", "user_ids", 0), "user 39", "rows.user_ids names one of them twice"),
        (("rows", "user_ids", 0), 7, "rows.user_ids has "),
        (("groups", "plan", "rows", 0), 2, "groups.plan.rows has the place 2, and there are 2"),
        (("measures", 0, "name"), "mae", "'RMSE' is not the name of the metric 'mae'"),
        (("measures", 0, "requested"), "x", "'x' is not the name of the metric 'rmse'"),
        (("measures", 0, "value"), None, "has the value None of RMSE"),
    ],
)
def test_a_file_that_contradicts_itself_is_an_error(file, path, to, words):
    data = json.loads(file.read_text())
    change(data, *path, to=to)
    file.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=words):
        PredictionReport.load(file)


def test_groups_that_no_file_holds_are_an_error(tmp_path):
    ages = pd.cut(pd.Series(HOUR), [-1, 0, 2])
    with pytest.raises(TypeError, match="is no text and no whole number"):
        report_of(groups={"age": ages}).save(tmp_path / "report.json")
    assert not (tmp_path / "report.json").exists()


def test_a_logger_gets_plain_names():
    found = report_of(metrics=["RMSE"]).as_dict(plain=True)
    assert [*found] == ["RMSE", "RMSE_low", "RMSE_high"]
    assert [*report_of(metrics=["RMSE"]).as_dict()] == ["RMSE", "RMSE/low", "RMSE/high"]
    brier = evaluate_predictions([1, 0, 1], [0.9, 0.2, 0.6], ["Brier score"])
    assert [*brier.as_dict(plain=True)][:1] == ["Brier_score"]
