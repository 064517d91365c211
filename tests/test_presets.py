"""Another library's number by its name: spelled as people spell it, refused where it is a fault."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

import recsys_metrics as rm
from recsys_metrics.measures import LIBRARIES, comparisons, like, measure

ROOT = Path(__file__).resolve().parents[1]
READINGS = [
    (library, name, reading)
    for library, found in LIBRARIES.items()
    for name, reading in found.measures.items()
]


@pytest.mark.parametrize(
    ("library", "name", "text"),
    [
        ("scikit-learn", "ndcg@5", "ndcg(ideal=listed, no_relevant=zero)@5"),
        ("sklearn", "ndcg_score@5", "ndcg(ideal=listed, no_relevant=zero)@5"),
        ("RecTools", "MAP(divide_by_k=True)@3", "average_precision(divisor=k)@3"),
        ("trec_eval", "P_5", "precision(no_relevant=zero)@5"),
        ("pytrec_eval", "map_cut.30", "average_precision(no_relevant=zero)@30"),
        ("trec", "map", "average_precision(no_relevant=zero)"),
        ("IR Measures", "nDCG(dcg='exp-log2')@10", "ndcg(gain=exponential, no_relevant=zero)@10"),
        ("torchmetrics", "RetrievalRecall@2", "recall(divisor=listed, no_relevant=zero)@2"),
        ("recommenders", "map@10", "average_precision@10"),
        ("recommenders", "map_at_k@10", "average_precision(divisor=achievable)@10"),
        ("recommenders", "ndcg@10", "ndcg(gain=binary)@10"),
        ("torchmetrics", "ndcg@10", "ndcg(ideal=listed, no_relevant=zero)@10"),
        ("lenskit", "map@10", "average_precision(divisor=served)@10"),
        ("ir-measures", "precision@5", "precision(no_relevant=zero)@5"),
        ("trec_eval", "ndcg@10", "ndcg(no_relevant=zero)@10"),
        ("trec_eval", "precision", "precision(no_relevant=zero)"),
        ("lkpy", "NDCG@10", "ndcg(discount=log2-from-2, gain=binary)@10"),
        ("jurity", "NDCG@3", "ndcg(gain=binary, ideal=uncut)@3"),
        ("elliot", "nDCG@3", "ndcg(gain=exponential-from-threshold)@3"),
        ("sklearn", "label_ranking_average_precision_score",
         "average_precision(divisor=hits, no_relevant=one)"),
    ],
)  # fmt: skip
def test_names_are_read_as_people_write_them(library, name, text):
    assert rm.like(library, name) == measure(text)


@pytest.mark.parametrize(("library", "name", "reading"), READINGS)
def test_every_reading_is_a_measure_or_says_why_not(library, name, reading):
    if reading.text:
        assert not (reading.fault)
        assert not (reading.call)
        made = like(library, name + ("@10" if reading.cut else ""))
        assert made == measure(str(made))
        assert made.k == (10 if reading.cut else None)
        return
    with pytest.raises(ValueError, match=r"cannot be reproduced|no measure") as problem:
        like(library, name)
    message = str(problem.value)
    assert reading.proof in message
    assert reading.call in message
    assert (reading.fault or reading.note) in message


@pytest.mark.parametrize("reading", [r for *_, r in READINGS if r.fault])
def test_every_proof_is_there(reading):
    file, _, test = reading.proof.partition("::")
    assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("call", sorted({r.call for *_, r in READINGS if "recsys_" in r.call}))
def test_every_call_is_of_something_that_is_there(call):
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
        ("trec_eval", "infAP", "has no measure like it here: it estimates average precision"),
        (
            "trec_eval",
            "recip_rank@10",
            "pytrec_eval's recip_rank has no cut-off; ask for 'recip_ra",
        ),
        ("ranx", "map@0", "the cut-off is a whole number of 1 or more; got 0"),
        ("ranx", "", "ranx has no '' here"),
        ("ranx", "rbp", "ranx's rbp cannot be reproduced: it adds up grades, and exceeds 1"),
    ],
)
def test_errors_offer_what_to_write(library, name, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        like(library, name)


def test_opinions_are_those_of_every_library_that_has_the_metric():
    found = rm.measures.opinions("ndcg", k=3)
    assert found["RecTools ndcg"] == like("rectools", "ndcg@3")
    assert found["pytrec_eval ndcg"] == like("trec_eval", "ndcg")
    assert {made.name for made in found.values()} == {"ndcg"}
    assert not any("bpref" in who for who in rm.measures.opinions("rbp"))
    assert rm.measures.opinions("coverage", 3)["RePlay coverage"] == measure("coverage@3")
    with pytest.raises(ValueError, match="none of the 19 libraries has genre_calibration"):
        rm.measures.opinions("genre_calibration")


def test_names_are_texts():
    with pytest.raises(TypeError, match="a library is named by a text such as 'ranx'; got None"):
        like(None, "map")
    with pytest.raises(TypeError, match="a measure of ranx is a text such as 'ndcg@10'; got 10"):
        like("ranx", 10)


def test_the_threshold_of_elliots_gain_is_that_of_the_lists():
    stars = {"A": 5, "B": 4, "C": 3}
    worth = [2 ** (grade - 4 + 1) - 1 if grade >= 4 else 0 for grade in (3, 5, 4)]
    judged = rm.judge(["C", "A", "B"], stars, threshold=4)
    assert rm.dcg(judged, gain="exponential-from-threshold") == pytest.approx(
        rm.dcg(rm.Judged.from_gains(worth))
    )


def in_32_bits(row):
    return row["library"] == "torchmetrics" or row["measure"] == "exposuregini"


def test_the_table_holds_what_was_run():
    """Made by `make peers`; a library's entry may not change without a new run."""
    rows = comparisons()
    assert len(rows) > 80
    for row in rows:
        library = LIBRARIES[row["library"]]
        assert row["version"] == library.version
        assert row["ours"] == str(like(row["library"], row["measure"]))
        assert int(row["comparisons"]) >= 1000
        assert float(row["difference"]) <= (1e-6 if in_32_bits(row) else 1e-9)


def test_every_measure_of_a_library_that_was_run_is_in_the_table():
    rows = {(row["library"], row["measure"]) for row in comparisons()}
    missing = {
        (library, name)
        for library, name, reading in READINGS
        if LIBRARIES[library].evidence == "run" and reading.text
    } - rows
    # Programs of their own compute these.
    others = ("ndcg(dcg=exp-log2)", "err", "rbp(p=0.8)")
    assert missing == {("ir-measures", name) for name in others}
