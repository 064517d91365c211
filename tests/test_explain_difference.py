"""Why two libraries differ, for every pair of them and every metric that both have."""

from __future__ import annotations

import itertools

import pytest

from recsys_metrics import judge
from recsys_metrics.measures import METRICS, Measure, measure
from recsys_metrics.peers import LIBRARIES, explain_difference
from recsys_metrics.peers._like import find_key

RUNNING = judge([*"ABCDE"], {"B": 1, "C": 3, "E": 1, "G": 2})
PAIRS = [*itertools.combinations_with_replacement(sorted(LIBRARIES), 2)]
SHARED = [
    name
    for name, metric in METRICS.items()
    if metric.family == "accuracy"
    and sum(
        any(r.text and measure(r.text).name == name for r in found.measures.values())
        for found in LIBRARIES.values()
    )
    > 1
]


def has(library, metric):
    try:
        key = find_key(metric, LIBRARIES[library])
    except ValueError:
        return False
    text = LIBRARIES[library].measures[key].text
    return not text or measure(text).name == metric


def test_more_than_800_pairs_are_compared():
    assert len(PAIRS) == 22 * 23 / 2
    assert {"ndcg", "average_precision", "precision", "recall", "hit_rate"} < set(SHARED)
    pairs = [(m, a, b) for m in SHARED for a, b in PAIRS if has(a, m) and has(b, m)]
    assert len(pairs) > 800


@pytest.mark.slow
@pytest.mark.parametrize("metric", SHARED)
@pytest.mark.parametrize("k", [3, 10])
def test_every_pair_of_libraries_has_an_explanation(metric, k):
    for one, other in PAIRS:
        if not (has(one, metric) and has(other, metric)):
            continue
        found = explain_difference(metric, one, other, RUNNING, k=k)
        text = str(found)
        assert all(title in text for title in found.libraries) or found.refused
        assert text.endswith((".", ")."))
        if found.refused:
            assert found.measures == (None, None)
            continue
        first, second = found.measures
        assert isinstance(first, Measure)
        # With the differing conventions swapped, one is the other: no reason is left out.
        swapped = {**first.resolved}
        swapped |= {n: theirs for n, (_, theirs) in found.conventions.items() if n != "k"}
        assert swapped == second.resolved
        assert ("k" in found.conventions) == (first.k != second.k)
        a, b = found.values
        if not found.conventions:
            assert a == pytest.approx(b, nan_ok=True)
        if found.values == found.values and abs(a - b) > 1e-9:
            assert found.decisive or len(found.conventions) > 1, text
        assert set(found.decisive) <= set(found.conventions)


def test_both_values_and_the_reason_are_reported():
    found = explain_difference("ndcg", "RecTools", "LensKit", RUNNING, k=10)
    assert found.values == pytest.approx([measure(str(m))(RUNNING) for m in found.measures])
    assert str(found) == (
        f"RecTools gives {found.values[0]:.3f} and LensKit {found.values[1]:.3f}. They differ in "
        "the discount (RecTools: the logarithm of the rank plus 1; LensKit: the logarithm of the "
        "rank, no discount at ranks 1 and 2), and the ideal (RecTools: k relevant items; "
        "LensKit: all "
        "relevant items, cut off at k)."
    )


def test_irrelevant_conventions_are_reported_as_irrelevant():
    text = str(explain_difference("recall", "ranx", "RecTools", RUNNING, k=3))
    assert text == (
        "ranx and RecTools both give 0.500 for this list, and differ in the user with nothing "
        "relevant (ranx: counted as 0; RecTools: left out), which does not matter here."
    )
    assert "read it alike: both give 0.500" in str(
        explain_difference("recall", "LensKit", "lkpy", RUNNING, k=4)
    )
    assert "cut-off (ranx: 3; pytrec_eval: the whole list)" in str(
        explain_difference("mrr", "ranx", "trec", RUNNING, k=3)
    )


def test_known_bugs_are_reported_and_different_metrics_not_compared():
    text = str(explain_difference("map", "Evidently", "ranx", RUNNING, k=3))
    assert text.startswith("Evidently's map cannot be reproduced: it depends on the order")
    with pytest.raises(ValueError, match="'mar' is average_recall in Elliot and average_precision"):
        explain_difference("mar", "Elliot", "recmetrics", RUNNING)
    with pytest.raises(ValueError, match="unknown library 'renx'"):
        explain_difference("map", "renx", "ranx", RUNNING)


@pytest.mark.parametrize(
    "judged", [judge([["A"], ["B"]], [{"A"}, {"A"}]), judge([["A"]], [{"A"}]), 3]
)
def test_a_difference_is_explained_of_one_list(judged):
    with pytest.raises(TypeError, match="judged is one list that judge made of a list"):
        explain_difference("map", "RecBole", "RecTools", judged, k=1)
