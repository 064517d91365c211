"""trec_eval, through pytrec_eval: runs with tied scores, which it orders by id, descending."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import convert
from tests.peers.cases import agree, are_known, as_qrels, compared, draw, tied

pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")

VERSION = version("pytrec_eval-terrier")
SPELLED = {
    "p": "P",
    "relative_p": "relative_P",
    "rprec": "Rprec",
    "set_p": "set_P",
    "set_relative_p": "set_relative_P",
    "set_f": "set_F",
}


@pytest.fixture(scope="module")
def runs():
    """Scores with many ties, and the lists that trec_eval makes of them."""
    return tied(draw(empty_lists=True))


@pytest.mark.parametrize("name", compared("pytrec-eval"))
def test_every_metric_agrees_on_lists_with_ties(runs, name):
    run, cases = runs
    asks = SPELLED.get(name, name)

    def theirs(cases, k):
        asked = asks if k is None else f"{asks}.{k}"
        found = pytrec_eval.RelevanceEvaluator(as_qrels(cases), {asked}).evaluate(run)
        answer = asks if k is None else f"{asks}_{k}"
        return {int(user): values[answer] for user, values in found.items()}

    agree("pytrec-eval", VERSION, name, cases, theirs)


def test_run_and_qrels_files_with_ties_are_read_alike(runs, tmp_path):
    """From a run file to a number of each user, ties and all, through `convert` alone."""
    run, cases = runs
    path, truths = tmp_path / "run.txt", tmp_path / "qrels.txt"
    lines = [
        f"{user} Q0 {item} {rank} {score} ours\n"
        for user, row in run.items()
        for rank, (item, score) in enumerate(row.items(), start=1)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    convert.write_qrels(truths, as_qrels(cases))
    judged = rm.judge(convert.read_run(path, ties="id-descending"), convert.read_qrels(truths))
    asked = ("map", "ndcg", "recip_rank", "Rprec", "bpref", "set_F", "P_5", "recall_5")
    asked += ("ndcg_cut_5", "success_5")
    evaluator = pytrec_eval.RelevanceEvaluator(
        as_qrels(cases), {name.replace("_5", ".5") for name in asked}
    )
    found = evaluator.evaluate(run)
    assert len(found) > 900
    for name in asked:
        ours = dict(zip(judged.users, rm.like("trec_eval", name)(judged), strict=True))
        for user, values in found.items():
            assert ours[user] == pytest.approx(values[name], abs=1e-9)


def test_grades_below_0_are_read_alike():
    """Each is an item of the pool that was not judged."""
    rng = np.random.default_rng(0)
    lines, truths, run = [], {}, {}
    for user in map(str, range(300)):
        grades = rng.integers(-2, 3, 12).tolist()
        truths[user] = {f"i{item}": grade for item, grade in enumerate(grades)}
        lines += [f"{user} 0 {item} {grade}" for item, grade in truths[user].items()]
        run[user] = {f"i{item}": float(-rank) for rank, item in enumerate(rng.permutation(14)[:9])}
    names = ("bpref", "map", "ndcg", "Rprec", "P_5", "recall_5", "recip_rank", "infAP")
    asked = {name.replace("_5", ".5") for name in names}
    found = pytrec_eval.RelevanceEvaluator(truths, asked).evaluate(run)
    lists, judgments = convert.lists_from_scores(run), convert.read_qrels(lines)
    judged = rm.judge(lists, judgments)
    for name in names[:-1]:
        ours = rm.like("trec_eval", name)(judged)
        np.testing.assert_allclose(ours, [found[u][name] for u in run], atol=1e-9, err_msg=name)
    unjudged = convert.read_unjudged(lines)
    ours = rm.inferred_average_precision(lists, judgments, unjudged, no_relevant="zero")
    np.testing.assert_allclose(ours, [found[user]["infAP"] for user in run], atol=1e-9)


def test_the_documented_calls_work(runs):
    run, cases = runs
    evaluator = pytrec_eval.RelevanceEvaluator(
        as_qrels(cases),
        {"set_map", "gm_map", "gm_bpref", "num_ret", "num_rel", "num_rel_ret"},
    )
    found = {int(user): row for user, row in evaluator.evaluate(run).items()}
    judged = cases.judged
    precision, recall, average, preferred = (
        metric(judged, no_relevant="zero")
        for metric in (rm.precision, rm.recall, rm.average_precision, rm.bpref)
    )
    ours = {
        "set_map": precision * recall,
        "gm_map": np.log(np.maximum(average, 1e-5)),
        "gm_bpref": np.log(np.maximum(preferred, 1e-5)),
        "num_ret": judged.n_returned,
        "num_rel": judged.n_relevant,
        "num_rel_ret": recall * judged.n_relevant,
    }
    for name, values in ours.items():
        mine = dict(zip(cases.lists, values, strict=True))
        for user, row in found.items():
            assert mine[user] == pytest.approx(row[name], abs=1e-9), name


def test_two_of_three_are_seven_tenths():
    truths, run = {"u": {"a": 1, "b": 1, "c": 1}}, {"u": {"a": 3.0, "x": 2.0, "b": 1.0}}
    asked = {"iprec_at_recall", "11pt_avg"}
    found = pytrec_eval.RelevanceEvaluator(truths, asked).evaluate(run)["u"]
    judged = rm.judge(["a", "x", "b"], truths["u"])
    assert found["iprec_at_recall_0.70"] == pytest.approx(2 / 3)
    assert rm.interpolated_precision(judged, recall=0.7) == 0
    for tenths in (0, 1, 2, 3, 4, 5, 6, 8, 9, 10):
        ours = rm.interpolated_precision(judged, recall=tenths / 10)
        assert ours == pytest.approx(found[f"iprec_at_recall_{tenths / 10:.2f}"])
    ours = rm.interpolated_precision(judged)
    assert found["11pt_avg"] == pytest.approx(ours + 2 / 3 / 11)


def test_public_names_are_in_the_table():
    are_known("pytrec-eval", pytrec_eval.supported_measures, {})


def test_a_user_missing_from_the_run_is_excluded_from_the_mean():
    truths = {"a": {"x": 1}, "b": {"y": 1}}
    evaluator = pytrec_eval.RelevanceEvaluator(truths, {"map"})
    found = evaluator.evaluate({"a": {"x": 1.0}})
    assert np.mean([row["map"] for row in found.values()]) == 1
    ours = rm.like("trec_eval", "map")(rm.judge({"a": ["x"]}, truths))
    assert ours.tolist() == [1, 0]
