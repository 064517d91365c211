"""What an experiment logger is given, with the client of MLflow itself."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import Measure, measure
from recsys_metrics.evaluation._flat_values import _plain_name
from tests.chapters.recipe_code import run_recipe

HERE = Path(__file__).resolve().parents[1]
TEXTS = [row["text"] for row in csv.DictReader((HERE / "measure_texts.csv").open(encoding="utf-8"))]
STORES = {"files": "file:{}/runs", "database": "sqlite:///{}/runs.db"}
# Sorting and filtering in the pages of Weights & Biases take these names alone.
EVERYWHERE = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")


@pytest.fixture
def mlflow():
    return pytest.importorskip("mlflow", reason="MLflow is not installed")


def evaluate():
    rng = np.random.default_rng(0)
    lists = {user: rng.permutation(20)[:10].tolist() for user in range(40)}
    truths = {user: dict.fromkeys(rng.permutation(20)[:4].tolist(), 2) for user in range(40)}
    measures = ["ndcg@10", "ndcg@1", "ndcg(gain=exponential, discount=log2-from-2)@10"]
    measures += ["rank_biased_precision(p=0.75)@10", "f_beta(beta=0.5)@5", "catalog_coverage@10"]
    return rm.evaluate(lists, truths, measures, catalog=20)


@pytest.mark.slow
# Of what it imports, and of its file store, which has to be allowed.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("store", STORES)
def test_every_store_of_mlflow_keeps_every_value(mlflow, store, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    report, before = evaluate(), mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(STORES[store].format(tmp_path))
    known = {"mlflow": mlflow, "report": report}
    try:
        shown = run_recipe("experiment logger", known)
        found = mlflow.get_run(known["run"].info.run_id).data.metrics
    finally:
        mlflow.set_tracking_uri(before)
    values = report.as_dict(plain=True)
    assert found == pytest.approx(values)
    assert shown == pytest.approx(report["ndcg@10"].value)
    assert len(values) == 6 * 3 - 2  # coverage has no interval


@pytest.mark.filterwarnings("ignore")
def test_every_measure_has_a_name_that_loggers_take(mlflow):
    validation = pytest.importorskip("mlflow.utils.validation")
    for text in TEXTS:
        name = f"{_plain_name(text)}_high"
        # What a server of MLflow asks of a metric that comes by REST.
        validation._validate_metric(name, 0.5, 0, 0)
        assert EVERYWHERE.fullmatch(name)


def read_back(name):
    """Return the text of a measure from its plain name."""
    body, k = re.fullmatch(r"(.*?)(?:_at_(\d+))?", name).groups()
    words, *options = body.split("__")
    values = [re.sub(r"(?<=\d)_(?=\d)", ".", each).replace("_", "-") for each in options[1::2]]
    inside = ", ".join(map("=".join, zip(options[::2], values, strict=True)))
    return words + f"({inside})" * bool(inside) + (f"@{k}" if k else "")


def test_plain_names_can_be_read_back():
    assert len({_plain_name(text) for text in TEXTS}) == len(TEXTS) > 200
    for text in [*TEXTS, "ndcg(discount=log2-from-2, gain=exponential)", "mrr@7"]:
        assert read_back(_plain_name(text)) == text
    assert _plain_name(str(measure("rbp(p=0.25)@5"))) == "rank_biased_precision__p__0_25_at_5"


def test_two_measures_with_one_plain_name_raise():
    def hits(recommended, relevant):
        return 1.0

    twice = [Measure.of(hits).at(1), Measure.of(hits, name="hits_at_1")]
    found = rm.evaluate([["A"], ["B"]], [{"A"}, {"A"}], twice)
    assert {"hits@1", "hits_at_1"} <= found.as_dict().keys()
    with pytest.raises(ValueError, match="the plain name 'hits_at_1' of hits_at_1 is that of anot"):
        found.as_dict(plain=True)
