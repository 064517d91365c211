"""Another library's number by its name: spelled as people spell it, refused where it is a bug."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

import recsys_metrics as rm
from recsys_metrics.measures import METRICS, measure
from recsys_metrics.peers import (
    LIBRARIES,
    comparisons,
    interpretations,
    like,
    read_metric_catalog,
    versions,
)
from recsys_metrics.peers._data import read_rows

ROOT = Path(__file__).resolve().parents[1]
EQUIVALENCES = [
    (library, name, equivalence)
    for library, found in LIBRARIES.items()
    for name, equivalence in found.measures.items()
]


@pytest.mark.parametrize(
    ("library", "name", "text"),
    [
        ("scikit-learn", "ndcg@5", "ndcg(ideal=listed, no_relevant=zero)@5"),
        ("sklearn", "ndcg_score@5", "ndcg(ideal=listed, no_relevant=zero)@5"),
        ("RecTools", "MAP(divide_by_k=True)@3", "average_precision(denominator=k)@3"),
        ("trec_eval", "P_5", "precision(no_relevant=zero)@5"),
        ("pytrec_eval", "map_cut.30", "average_precision(no_relevant=zero)@30"),
        ("trec", "map", "average_precision(no_relevant=zero)"),
        ("IR Measures", "nDCG(dcg='exp-log2')@10", "ndcg(gain=exponential, no_relevant=zero)@10"),
        ("torchmetrics", "RetrievalRecall@2", "recall(denominator=listed, no_relevant=zero)@2"),
        ("recommenders", "map@10", "average_precision@10"),
        ("recommenders", "map_at_k@10", "average_precision(denominator=achievable)@10"),
        ("recommenders", "ndcg@10", "ndcg(gain=binary)@10"),
        ("torchmetrics", "ndcg@10", "ndcg(ideal=listed, no_relevant=zero)@10"),
        ("lenskit", "map@10", "average_precision(denominator=recommended)@10"),
        ("ir-measures", "precision@5", "precision(no_relevant=zero)@5"),
        ("trec_eval", "ndcg@10", "ndcg(no_relevant=zero)@10"),
        ("trec_eval", "precision", "precision(no_relevant=zero)"),
        ("lenskit", "recall@10", "recall(denominator=achievable)@10"),
        ("lenskit", "recall", "recall"),
        ("lkpy", "NDCG@10", "ndcg(discount=log2-from-2, gain=binary)@10"),
        ("jurity", "NDCG@3", "ndcg(gain=binary, ideal=uncut)@3"),
        ("Kaggle", "MAP@12", "average_precision(denominator=achievable, no_relevant=zero)@12"),
        ("elliot", "nDCG@3", "ndcg(gain=exponential-from-threshold)@3"),
        ("sklearn", "label_ranking_average_precision_score",
         "average_precision(denominator=hits, no_relevant=one)"),
    ],
)  # fmt: skip
def test_metric_names_are_parsed_in_common_spellings(library, name, text):
    assert rm.like(library, name) == measure(text)


@pytest.mark.parametrize(("library", "name", "equivalence"), EQUIVALENCES)
def test_every_equivalence_has_a_measure_or_a_reason(library, name, equivalence):
    if equivalence.text:
        assert not (equivalence.known_bug)
        assert not (equivalence.call)
        made = like(library, name + ("@10" if equivalence.takes_k else ""))
        assert made == measure(str(made))
        assert made.k == (10 if equivalence.takes_k else None)
        return
    with pytest.raises(
        ValueError, match=r"cannot be reproduced|no metric|no equivalent metric"
    ) as problem:
        like(library, name)
    message = str(problem.value)
    assert equivalence.test in message
    assert equivalence.call in message
    assert (equivalence.known_bug or equivalence.note) in message


@pytest.mark.parametrize("equivalence", [r for *_, r in EQUIVALENCES if r.known_bug])
def test_tests_that_demonstrate_a_bug_exist(equivalence):
    file, _, test = equivalence.test.partition("::")
    assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("call", sorted({r.call for *_, r in EQUIVALENCES if "recsys_" in r.call}))
def test_documented_calls_exist(call):
    for path in re.findall(r"recsys_metrics[.]([\w.]+)[(]", call):
        module, _, function = path.rpartition(".")
        there = importlib.import_module(f"recsys_metrics.{module}" if module else "recsys_metrics")
        parameters = inspect.signature(getattr(there, function)).parameters
        (inside,) = re.findall(rf"{function}[(](.*?)[)]", call)[:1]
        named = set(re.findall(r"(\w+)=", inside))
        assert not named - set(parameters), call


@pytest.mark.parametrize(
    ("library", "name", "message"),
    [
        ("renx", "map", "unknown library 'renx'; did you mean 'ranx'?"),
        ("spotlight", "map", "unknown library 'spotlight'; there are cornac, elliot"),
        ("ranx", "mapp@3", "ranx has no 'mapp' here; did you mean 'map'?"),
        ("ranx", "coverage", "ranx has no 'coverage' here"),
        ("sklearn", "mean_absolute_error", "call recsys_metrics.rating.mae(actual, predicted)"),
        ("trec_eval", "infAP", "call recsys_metrics.inferred_average_precision(lists, judged"),
        (
            "trec_eval",
            "recip_rank@10",
            "pytrec_eval's recip_rank has no cut-off; ask for 'recip_ra",
        ),
        ("ranx", "map@0", "the cut-off after @ is a whole number of 1 or more; got 0"),
        ("ranx", "", "ranx has no '' here"),
        ("surprise", "fcp", "Surprise's fcp cannot be reproduced: it divides the concordant pairs"),
        ("rectools", "mcc", "call recsys_metrics.matthews_correlation(judged, k, n_items=n_items)"),
        ("ranx", "rbp", "ranx's rbp cannot be reproduced: it adds up grades, and exceeds 1"),
    ],
)
def test_errors_suggest_valid_names(library, name, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        like(library, name)


def test_interpretations_cover_every_library_with_the_metric():
    found = interpretations("ndcg", k=3)
    assert found["RecTools ndcg"] == like("rectools", "ndcg@3")
    assert found["pytrec_eval ndcg"] == like("trec_eval", "ndcg")
    assert {made.name for made in found.values()} == {"ndcg"}
    assert not any("bpref" in who for who in interpretations("rbp"))
    assert interpretations("coverage", 3)["RePlay coverage"] == measure("coverage@3")
    with pytest.raises(ValueError, match="none of the 22 libraries has genre_calibration"):
        interpretations("genre_calibration")


def test_non_string_names_raise():
    with pytest.raises(TypeError, match="a library is named by a text such as 'ranx'; got None"):
        like(None, "map")
    with pytest.raises(TypeError, match="a metric of ranx is a text such as 'ndcg@10'; got 10"):
        like("ranx", 10)


def test_the_gain_of_elliot_uses_the_threshold_of_the_lists():
    stars = {"A": 5, "B": 4, "C": 3}
    worth = [2 ** (grade - 4 + 1) - 1 if grade >= 4 else 0 for grade in (3, 5, 4)]
    judged = rm.judge(["C", "A", "B"], stars, threshold=4)
    assert rm.dcg(judged, gain="exponential-from-threshold") == pytest.approx(
        rm.dcg(rm.Judged.from_gains(worth))
    )


IN_32_BITS = ("torchmetrics", "warprec")


def test_the_table_has_the_results_of_the_last_runs():
    """Made by `make peers`; a library's entry may not change without a new run."""
    rows = comparisons()
    assert len(rows) > 80
    for row in rows:
        library = LIBRARIES[row["library"]]
        assert row["version"] == library.version
        cut = "@1" if library.measures[row["measure"]].takes_k else ""
        assert row["ours"] == str(like(row["library"], row["measure"] + cut).at(None))
        assert int(row["comparisons"]) >= 1000
        assert float(row["difference"]) <= (1e-6 if row["library"] in IN_32_BITS else 1e-9)


def test_every_metric_of_a_compared_library_is_in_the_table():
    rows = {(row["library"], row["measure"]) for row in comparisons()}
    missing = {
        (library, name)
        for library, name, equivalence in EQUIVALENCES
        if LIBRARIES[library].evidence == "run" and equivalence.text
    } - rows
    # Programs of their own compute these.
    others = ("ndcg(dcg=exp-log2)", "err", "rbp(p=0.8)")
    assert missing == {("ir-measures", name) for name in others}


def test_reviewed_versions_are_version_numbers_or_commits():
    """Not a file name, nor a word for what was read."""
    form = re.compile(r"\d+(\.\d+)+([a-z]+\d+)?|[0-9a-f]{7,40}")
    assert {title: v for title, v in versions().items() if not form.fullmatch(v)} == {}


def test_recorded_versions_are_those_that_were_run():
    ran = {row["library"]: row["version"] for row in comparisons()}
    of_lists = {library for library, _, equivalence in EQUIVALENCES if equivalence.text}
    assert ran == {
        key: lib.version
        for key, lib in LIBRARIES.items()
        if lib.evidence == "run" and key in of_lists
    }
    # Neither has values of random lists: jurity's change from run to run, Surprise has no lists.
    assert {key for key, lib in LIBRARIES.items() if lib.package} == {*ran, "jurity", "surprise"}


def test_table_cells_have_valid_values():
    assert {lib.evidence for lib in LIBRARIES.values()} == {"run", "values", "read"}
    assert {lib.no_relevant for lib in LIBRARIES.values()} <= {"nan", "zero", "one"}
    assert {row["takes_k"] for row in read_rows("equivalences")} == {"yes", "no"}
    named = [(row["library"], row["name"]) for row in read_rows("equivalences")]
    assert len(set(named)) == len(named) == len(EQUIVALENCES)
    for library, name, equivalence in EQUIVALENCES:
        outcomes = (equivalence.text, equivalence.call, equivalence.known_bug)
        assert sum(map(bool, outcomes)) <= 1, (library, name)
        assert any(outcomes) or equivalence.note, (library, name)
        assert not equivalence.text or equivalence.metric in METRICS, (library, name)
        whole = equivalence.whole_text
        assert not whole or measure(whole).name == equivalence.metric, (library, name)
        assert whole != equivalence.text or not whole, (library, name)


def test_each_metric_of_a_library_is_in_only_one_table():
    """What an equivalence says is not said again where a metric was only seen."""
    metrics = {row["names"] for row in read_rows("metrics")}
    assert {metric for *_, same in EQUIVALENCES for metric in same.metric_names} <= metrics
    titles = {row["title"] for row in read_rows("libraries")}
    for row in read_rows("metrics"):
        seen = set(filter(None, row["seen_in"].split(", ")))
        assert seen <= titles, row["names"]
        compared = {
            LIBRARIES[key].title for key, _, e in EQUIVALENCES if row["names"] in e.metric_names
        }
        assert not seen & compared, row["names"]


def test_every_library_is_in_the_metric_catalog():
    entries = read_metric_catalog()
    assert {title for entry in entries for title in entry.libraries} == set(versions())
    by_metric = {entry.metric: entry.libraries for entry in entries}
    assert "recmetrics" in by_metric["average precision, MAP"]
    assert "recmetrics" not in by_metric["average recall, MAR"]


def test_equivalences_use_the_functions_of_their_catalog_metric():
    ours = {
        row["names"]: {path.rpartition(".")[2] for path in row["functions"].split()}
        for row in read_rows("metrics")
        if row["names"]
    }
    for library, name, equivalence in EQUIVALENCES:
        if equivalence.text and equivalence.metric != "exposure_gini":
            names = equivalence.metric_names
            assert any(equivalence.metric in ours[m] for m in names), (library, name)
