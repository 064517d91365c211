"""Every number of the source documents beyond accuracy, by its entry in the ledger.

Where a document is wrong, the test holds the counterexample and the right value.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.beyond_accuracy import (
    average_popularity,
    catalog_coverage,
    exposure_novelty,
    gini,
    intra_list_diversity,
    lorenz_curve,
    personalization,
    recommendation_counts,
    score_entropy,
    self_information,
    serendipity,
    unexpectedness,
)


@pytest.mark.parametrize(
    ("entry", "distinct", "catalog", "value"),
    [("ch10-coverage", 4, 10, 0.4), ("ref-coverage-ends", 10, 10, 1.0)],
)
def test_coverage(entry, distinct, catalog, value):
    recommended = [[f"item {i}", f"item {(i + 1) % distinct}"] for i in range(distinct)]
    assert catalog_coverage(recommended, catalog) == value, entry


def test_ch10_diversity():
    alike = np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])
    assert intra_list_diversity([0, 1, 2], similarity=alike) == pytest.approx(2 / 3, abs=1e-15)
    pairs = {("A", "B"): 0.5, ("C", "A"): 0.0, ("B", "C"): 0.5}
    assert intra_list_diversity(["A", "B", "C"], similarity=pairs) == pytest.approx(2 / 3)
    pair = [intra_list_diversity(list(two), similarity=pairs) for two in ("AB", "AC", "BC")]
    assert pair == [0.5, 1.0, 0.5]


@pytest.mark.parametrize(
    ("entry", "shares", "bits"),
    [("ch10-novelty", [0.01, 0.5], [6.643856189774724, 1.0]), ("ref-novelty-zero", [1.0], [0.0])],
)
def test_novelty_in_bits(entry, shares, bits):
    counts = np.array(shares) * 100
    recommended = np.arange(len(shares))[:, None]
    got = self_information(recommended, counts, 100)
    assert got == pytest.approx(bits, abs=1e-12), entry
    assert not np.signbit(got).any()


def test_ref_novelty_bound_an_item_of_one_user_has_the_most_bits():
    assert self_information(["x"], {"x": 1}, 1000) == pytest.approx(9.965784284662087)


@pytest.mark.parametrize("entry", ["ch10-serendipity", "ch14-e8b"])
def test_serendipity_drops_the_obvious_hit(entry):
    recommended = ["A", "B", "C", "D", "E"]
    popular = ["B", "P", "Q", "S", "T"]
    wanted = {"B", "C", "E", "G"}
    assert serendipity(recommended, wanted, popular, k=5) == 0.4, entry
    # Against nothing obvious it is the precision, 0.6.
    assert serendipity(recommended, wanted, ["P", "Q"], k=5) == 0.6


@pytest.mark.parametrize(
    ("entry", "counts", "plain", "normalized"),
    [
        ("ch10-gini", [8, 2, 0, 0, 0], 0.72, 0.9),
        ("ch10-gini-one-item", [10, 0, 0, 0, 0], 0.8, 1.0),
        ("ch10-gini-even", [2, 2, 2, 2, 2], 0.0, 0.0),
        ("ch14-e8a", [6, 3, 1, 0, 0], 0.6, 0.75),
        ("ch14-e8a-reference", [8, 2, 0, 0, 0], 0.72, 0.9),
        ("ref-gini-equal", [2, 2, 2, 2, 2], 0.0, 0.0),
        ("ref-gini-single", [10, 0, 0, 0, 0], 0.8, 1.0),
        ("ref-gini-ch-example", [8, 2, 0, 0, 0], 0.72, 0.9),
        ("x-gini", [6, 3, 1, 0, 0], 0.6, 0.75),
    ],
)
def test_gini(entry, counts, plain, normalized):
    for order in (counts, counts[::-1]):
        assert gini(order) == pytest.approx(plain, abs=1e-15), entry
        assert gini(order, normalized=True) == pytest.approx(normalized, abs=1e-15), entry
    n = len(counts)
    assert gini(counts, normalized=True) == pytest.approx(gini(counts) * n / (n - 1))


@pytest.mark.parametrize(
    ("counts", "as_printed"),
    [
        ([2, 2, 2, 2, 2], 1.0),
        ([10, 0, 0, 0, 0], 0.0),
        ([8, 2, 0, 0, 0], 0.1),
        ([6, 3, 1, 0, 0], 0.25),
    ],
)
def test_the_gini_printed_with_a_leading_one_minus_is_reversed(counts, as_printed):
    """It gives 1 for perfect equality and 0 for a single item, against its own stated range."""
    assert 1 - gini(counts, normalized=True) == pytest.approx(as_printed, abs=1e-12)


def test_ref_gini_ch_example_unsorted_counts_break_the_printed_formula():
    counts = np.array([8, 2, 0, 0, 0])
    descending = 1 - ((2 * np.arange(1, 6) - 6) * counts / 10).sum() / 4
    assert descending == pytest.approx(1.9)
    assert 0 <= gini(counts) <= 1


@pytest.mark.parametrize(
    ("entry", "counts", "area"),
    [("ch10-gini-lorenz", [8, 2, 0, 0, 0], 0.14), ("ch14-e8a", [6, 3, 1, 0, 0], 0.2)],
)
def test_lorenz_areas(entry, counts, area):
    curve = lorenz_curve(counts)
    assert curve.area == pytest.approx(area, abs=1e-15), entry
    assert (0.5 - curve.area) / 0.5 == pytest.approx(gini(counts))
    assert curve.gini == pytest.approx(gini(counts))
    assert (curve.items[0], curve.share[0], curve.items[-1], curve.share[-1]) == (0, 0, 1, 1)


def test_gini_counts_items_that_are_never_recommended():
    """Evidently counts the recommended items only, and so misses 3 of 5: 0.60 for 0.72."""
    recommended = [["A"]] * 8 + [["B"]] * 2
    assert gini(recommendation_counts(recommended, [*"ABCDE"])) == pytest.approx(0.72)
    assert gini(recommendation_counts(recommended, [*"AB"]), normalized=True) == pytest.approx(0.6)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_ref_diversity_range_a_mean_distance_is_at_most_k_over_k_minus_1(k):
    """2 is said to be the end of the range; only two items can reach it."""
    simplex = np.eye(k) - 1 / k
    assert intra_list_diversity(np.arange(k), features=simplex) == pytest.approx(k / (k - 1))
    rng = np.random.default_rng(2)
    features = rng.normal(size=(2_000 * k, 3))
    lists = np.arange(2_000 * k).reshape(-1, k)
    assert intra_list_diversity(lists, features=features).max() <= k / (k - 1) + 1e-12
    assert intra_list_diversity(lists, features=abs(features)).max() <= 1


HISTORY, SERVED = ["h1", "h2"], ["r1", "r2", "r3"]
FEATURES = {"h1": [1, 0], "h2": [1, 1], "r1": [1, 0], "r2": [0, 1], "r3": [1, 1]}


@pytest.mark.parametrize(
    ("reading", "relevant", "value"),
    [
        ("relevant-only", {"r1", "r2"}, 0.39644660940672627),
        ("times-relevance", {"r1", "r2"}, 0.26429773960448416),
        ("distance", None, 0.313113276073393),
        ("relevant-only", {"r2"}, 0.6464466094067263),
    ],
)
def test_ref_serendipity_readings_are_three_numbers(reading, relevant, value):
    """One page defines serendipity in words, as a product and by a formula; they disagree."""
    got = unexpectedness(SERVED, HISTORY, FEATURES, relevant=relevant, reading=reading)
    assert got == pytest.approx(value, abs=1e-12)


def test_ref_serendipity_relevance_the_printed_formula_ignores_relevance():
    """It therefore is the reading "distance", which refuses to be told what was relevant."""
    with pytest.raises(ValueError, match="does not use relevance"):
        unexpectedness(SERVED, HISTORY, FEATURES, relevant={"r2"})


def test_a_blockbuster_unlike_the_history_is_as_unexpected_as_any_item():
    features = {"met": [1, 0], "blockbuster": [0, 1], "niche": [1, 0]}
    got = unexpectedness([["blockbuster"], ["niche"]], [["met"], ["met"]], features)
    assert got.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("entry", "lists", "value", "unique"),
    [
        ("ref-personalization-ends", ["ab", "cd", "ef"], 1.0, 1.0),
        ("ref-personalization-same", ["ab", "ab", "ab"], 0.0, 0.0),
        ("ref-personalization-unique", ["ab", "bc", "ca"], 0.5, 0.0),
    ],
)
def test_personalization_is_not_the_share_of_unique_items(entry, lists, value, unique):
    recommended = [list(letters) for letters in lists]
    assert personalization(recommended) == value, entry
    counts = dict(zip("abcdef", recommendation_counts(recommended, [*"abcdef"]), strict=True))
    assert np.mean([[counts[item] == 1 for item in row] for row in recommended]) == unique


def test_ref_arp():
    per_user = average_popularity([["a", "b"], ["a", "c"]], {"a": 10, "b": 4, "c": 1})
    assert per_user.tolist() == [7.0, 5.5]
    assert per_user.mean() == 6.25


def test_ref_entropy_of_scores_is_not_a_divergence():
    """The one-argument call that is said to be a KL divergence gives the Shannon entropy."""
    nats = score_entropy([2, 1, 0], base=math.e)
    assert nats == pytest.approx(0.8323955818399389, abs=1e-12)
    assert math.log(3) - nats == pytest.approx(0.2662167068281709, abs=1e-12)
    assert score_entropy([0, 0, 0], base=math.e) == pytest.approx(1.0986122886681098, abs=1e-12)


def test_notes_cosine_of_two_items_with_common_users():
    """Item i was met by 4 users, item j by 9, both by 2: the cosine is 2 / 6."""
    met = {"i": {1, 2, 3, 4}, "j": {3, 4, 5, 6, 7, 8, 9, 10, 11}}
    diversity = intra_list_diversity(["i", "j"], features=met, metric="co-occurrence")
    assert 1 - diversity == pytest.approx(1 / 3, abs=1e-12)
    # As typed, without its parentheses, the formula gives 3, which no similarity can be.
    with pytest.raises(ValueError, match="similarity of items 'i' and 'j' is 3"):
        intra_list_diversity(["i", "j"], similarity={("i", "j"): 2 / math.sqrt(4) * math.sqrt(9)})


def test_notes_novelty_range_it_can_be_negative():
    recommended = [["x"]] * 60
    assert exposure_novelty(recommended, {"x": 60}, 100).tolist() == pytest.approx([-0.5] * 60)


def test_notes_novelty_meaning_it_is_exposure_not_rarity():
    met = {"blockbuster": 50, "niche": 1}
    shown = {"blockbuster": 0, "niche": 99}
    recommended = [["blockbuster"], ["niche"]]
    assert exposure_novelty(recommended, met, 100, recommendation_counts=shown).tolist() == [
        1.0,
        0.0,
    ]
    assert self_information(recommended, met, 100) == pytest.approx([1.0, 6.643856189774724])
