"""Whole numbers with more digits than a float stores are never taken for equal."""

from __future__ import annotations

import json

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.cli import main
from recsys_metrics.protocol.candidates import full_ranks
from recsys_metrics.protocol.online import mann_whitney
from recsys_metrics.rating import correlation

WIDE = [2**53, 2**53 + 1]
FORMS = [WIDE, np.array(WIDE), [float(2**53), 2**53 + 1], [0, 2**70 + 1], [float("nan"), 2**53 + 1]]
FUNCTIONS = {
    "roc_auc": lambda scores: rm.roc_auc([0, 1], scores),
    "group_auc": lambda scores: rm.group_auc([0, 1], scores, ["u", "u"]),
    "limited_auc": lambda scores: rm.limited_auc([0, 1], scores, 1),
    "lrap": lambda scores: rm.label_ranking_average_precision([0, 1], scores),
    "ranking_loss": lambda scores: rm.ranking_loss([0, 1], scores),
    "pairs": lambda scores: rm.fraction_of_concordant_pairs([1, 2], scores),
    "preference": lambda scores: rm.fraction_of_concordant_pairs(scores, [1, 2]),
    "judge_scores": lambda scores: rm.judge_scores([0, 1], scores),
    "rank_from_scores": lambda scores: rm.rank_from_scores(scores, 1),
    "full_ranks": lambda scores: full_ranks(scores, [1]),
    "mann_whitney": lambda scores: mann_whitney(scores, [1, 2]),
    "spearman": lambda scores: correlation(scores, [1, 2], kind="spearman"),
    "kendall": lambda scores: correlation([1, 2], scores, kind="kendall"),
}


@pytest.mark.parametrize("scores", FORMS, ids=repr)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_whole_numbers_that_a_float_takes_for_equal_are_refused(name, scores):
    with pytest.raises(ValueError, match="more digits than a float stores"):
        FUNCTIONS[name](scores)


@pytest.mark.parametrize("scores", [[2**53, 2**54], np.array([2**53, 2**60]), [1e300, 2e300]])
def test_large_numbers_that_floats_hold_are_taken(scores):
    assert rm.roc_auc([0, 1], scores) == 1.0
    assert correlation([1, 2], scores, kind="spearman") == pytest.approx(1.0)


RUN = "user,item,score\nu1,A,{}\nu1,B,{}\nu2,A,1\nu2,B,2\n"


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_scores_of_a_file_keep_their_digits(engine, tmp_path, monkeypatch, capsys):
    pytest.importorskip(engine)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.csv").write_text("user,item\nu1,B\nu2,B\n")
    asked = ["evaluate", "recs.csv", "-t", "truth.csv", "-m", "hit_rate@1", "--engine", engine]

    def value():
        with pytest.raises(SystemExit) as end:
            main([*asked, "--format", "json"])
        out = capsys.readouterr().out
        return out if end.value.code == 0 else str(end.value.code)

    (tmp_path / "recs.csv").write_text(RUN.format(2**53, 2**53 + 1))
    assert '"value": 1.0' in value()
    (tmp_path / "recs.csv").write_text(RUN.format(2**53 + 1, 2**53))
    assert '"value": 0.5' in value()
    (tmp_path / "recs.csv").write_text(RUN.format(2**53 + 1, "0.5"))
    assert "row 2: '9007199254740993' has more digits than a float stores" in value()
    (tmp_path / "recs.csv").write_text(RUN.format("9" * 30, "9" * 31))
    assert "has more digits than a float stores" in value()
    (tmp_path / "recs.csv").write_text(RUN.format("1e20", 2**60))
    assert '"value": 0.5' in value()
    asked[1] = "recs.json"
    other = {"u2": {"A": 1, "B": 2}}
    for scores, expected in (((2**53, 2**53 + 1), "1.0"), ((2**53 + 1, 2**53), "0.5")):
        (tmp_path / "recs.json").write_text(
            json.dumps({"u1": dict(zip("AB", scores, strict=True)), **other})
        )
        assert f'"value": {expected}' in value()
    (tmp_path / "recs.json").write_text(json.dumps({"u1": {"A": 0.5, "B": 2**53 + 1}, **other}))
    assert "recs.json contains whole numbers with more digits than a float stores" in value()


def test_a_large_beta_leaves_the_second_value():
    f = rm.beyond_accuracy.f_beta_score
    assert f(0.5, 0.25, beta=1e200) == pytest.approx(0.25)
    assert f(0.5, 0.25, beta=1e-200) == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["name", "split", "candidates"])
def test_what_is_no_text_is_refused_by_name(name):
    with pytest.raises(TypeError, match=rf"^{name} is a text; got 5$"):
        rm.evaluate([["A"]], [{"A"}], ["ndcg@1"], **{name: 5})
    if name == "name":
        with pytest.raises(TypeError, match=r"^name is a text; got 5$"):
            rm.evaluate_predictions([1, 2, 3], [1, 2, 3], ["mae"], name=5)
