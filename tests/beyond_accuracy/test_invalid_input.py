"""Every error says what was wrong, with which value, where; every odd case has its value."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from recsys_metrics.beyond_accuracy import (
    average_popularity,
    catalog_coverage,
    category_shares,
    exposure_novelty,
    genre_calibration,
    gini,
    intra_list_diversity,
    long_tail_share,
    lorenz_curve,
    personalization,
    popularity_complement,
    popularity_lift,
    recommendation_counts,
    score_entropy,
    self_information,
    serendipity,
    shannon_entropy,
    unexpectedness,
    unseen_share,
    user_coverage,
)
from recsys_metrics.interactions import Interactions

COUNTS = {"A": 3, "B": 2, "C": 1, "D": 0}
VECTORS = {"A": [1, 0], "B": [1, 1], "C": [0, 1]}
GENRES = {"A": {"x"}, "B": {"x", "y"}, "C": {"y"}}


@pytest.mark.parametrize(
    ("recommended", "error", "message"),
    [
        ("ABC", TypeError, r"single id 'ABC'.*write \['ABC'\]"),
        ({"A", "B"}, TypeError, "is a set, which has no order"),
        (("A", "B"), TypeError, "not a tuple"),
        (7, TypeError, r"not an int \(7\)"),
        (None, TypeError, "not a NoneType"),
        ([["A"], "B"], TypeError, r"entry 0 is a list .* entry 1 is a str \('B'\)"),
        (["A", ["B"]], TypeError, r"entry 0 is a str \('A'\), entry 1 is a list"),
        ({"u": "AB"}, TypeError, r"user 'u' has a str \('AB'\)"),
        (np.array([0.5, 1.0]), TypeError, "array of floats"),
        (np.zeros((1, 1, 1), int), TypeError, "3 dimensions"),
        (
            [["A"], ["B", "C", "B"]],
            ValueError,
            "list 1 recommends item 'B' twice, at ranks 1 and 3",
        ),
        (["A", "A"], ValueError, "the list recommends item 'A' twice, at ranks 1 and 2"),
        (
            {"u": ["A"], "v": ["C", "C"]},
            ValueError,
            r"list 1 \(user 'v'\) recommends item 'C' twice",
        ),
        (np.array([[0, 1], [2, 2]]), ValueError, "list 1 recommends item 2 twice"),
        (np.array([[0, 1], [2, -3]]), ValueError, "list 1 recommends the id -3 at rank 2"),
        ([["A", None]], ValueError, "list 0 recommends None at rank 2"),
        ([["A"], ["B", math.nan]], ValueError, "list 1 recommends nan at rank 2"),
        (
            [["A", {"B"}]],
            TypeError,
            "mixes lists and ids|{'B'} at rank 2, a set, which cannot be an id",
        ),
    ],
)
@pytest.mark.parametrize(
    "measure",
    [
        lambda recommended: average_popularity(recommended, COUNTS),
        lambda recommended: catalog_coverage(recommended, 10),
        lambda recommended: intra_list_diversity(recommended, features=VECTORS),
        lambda recommended: serendipity(recommended, [], [], k=1),
        lambda recommended: personalization(recommended),
    ],
)
def test_lists(measure, recommended, error, message):
    with pytest.raises(error, match=message):
        measure(recommended)


def test_ids_may_be_any_hashable_value():
    counts = {("tuple", 1): 2, 7: 6, 2.5: 8, -1: 10}
    assert average_popularity([list(counts)], counts).tolist() == [6.5]
    mixed = np.array(["text", ("tuple", 1)], dtype=object)
    assert average_popularity(mixed, {("tuple", 1): 2, "text": 4}) == 3.0
    assert average_popularity(np.array([["x", "y"]]), {"x": 1, "y": 2}).tolist() == [1.5]
    assert average_popularity(range(3), [1, 2, 6]) == 3.0
    assert average_popularity([2**70], {2**70: 3}) == 3.0
    assert average_popularity([np.arange(2), np.array([2])], [1, 2, 6]).tolist() == [1.5, 6.0]


def test_an_empty_list_has_nan_as_its_mean():
    for value in (
        average_popularity([], COUNTS),
        popularity_complement([], COUNTS, 3),
        self_information([], COUNTS, 3),
        exposure_novelty([], COUNTS, 3),
        long_tail_share([], COUNTS),
        intra_list_diversity([], features=VECTORS),
        intra_list_diversity([], similarity={}),
        intra_list_diversity(["A"], features=VECTORS),
        intra_list_diversity(["A"], features=GENRES, metric="jaccard"),
        unexpectedness([], ["A"], VECTORS),
        unexpectedness(["A"], [], VECTORS),
        popularity_lift([], ["A"], COUNTS),
        popularity_lift(["A"], [], COUNTS),
        popularity_lift(["A"], ["D"], COUNTS),
        popularity_lift([], [], COUNTS, pooling="groups"),
        unexpectedness(["A"], ["B"], VECTORS, relevant=["C"], reading="relevant-only"),
        serendipity(["A"], [], ["B"], k=1),
        self_information(["D"], COUNTS, 3, unseen="drop"),
        exposure_novelty(["A"], COUNTS, 3),
    ):
        assert isinstance(value, float)
        assert math.isnan(value)
    assert serendipity([], ["A"], ["B"], k=1) == 0.0
    assert serendipity(["A"], [], ["B"], k=1, no_relevant="zero") == 0.0
    assert unexpectedness(["A"], ["B"], VECTORS, relevant=["C"], reading="times-relevance") == 0.0
    assert intra_list_diversity(["A"], features=VECTORS, single="zero") == 0.0
    assert catalog_coverage([], 5) == 0.0
    assert np.isnan(average_popularity([["A"], []], COUNTS)).tolist() == [False, True]
    empty = np.full((2, 3), -1)
    assert np.isnan(average_popularity(empty, [1.0])).all()
    assert np.isnan(unexpectedness(empty, empty, np.eye(2))).all()
    assert np.isnan(intra_list_diversity(empty, features=np.eye(2), metric="jaccard")).all()
    assert average_popularity(np.zeros((0, 4), int), [1.0]).shape == (0,)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: catalog_coverage(["A"], 0), ValueError, "1 or more; got 0"),
        (lambda: catalog_coverage(["A"], []), ValueError, "the catalogue is empty"),
        (lambda: catalog_coverage([1], np.array([], int)), ValueError, "the catalogue is empty"),
        (lambda: catalog_coverage(["A"], None), TypeError, "got None"),
        (lambda: catalog_coverage(["A"], 2.5), TypeError, "got 2.5"),
        (lambda: catalog_coverage(["A"], True), TypeError, "got True"),
        (lambda: catalog_coverage(["A", "B", "C"], 2), ValueError, "3 distinct items .* of 2"),
        (
            lambda: recommendation_counts([[0, 1], [5]], 5),
            TypeError,
            "item 5 is outside .* 0 to 4",
        ),
        (
            lambda: catalog_coverage({"u": ["A"], "v": ["Z"]}, [*"AB"]),
            ValueError,
            r"list 1 \(user 'v'\) contains item 'Z', which is not in the catalogue of 2",
        ),
        (lambda: catalog_coverage([3], np.array([1, 2])), ValueError, "item 3 is recommended"),
        (lambda: recommendation_counts(["A"], 5), TypeError, "needs to know which item 'A' is"),
        (lambda: user_coverage([["A"], ["B"]], 1), ValueError, "has 2 lists for 1 users"),
        (lambda: user_coverage([["A"]], 0), ValueError, "1 or more; got 0"),
        (lambda: user_coverage([["A"]], ["u"]), TypeError, "not keyed by user"),
        (lambda: user_coverage({"x": ["A"]}, ["u", "v"]), ValueError, "'x' for one"),
        (lambda: user_coverage([["A"]], at_least=0), ValueError, "1 or more; got 0"),
        (lambda: user_coverage({}), ValueError, "0 lists for 0 users"),
    ],
)
def test_coverage(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_catalogue_may_repeat_and_may_be_a_table_of_counts():
    assert catalog_coverage(["A"], ["A", "B", "A"]) == 0.5
    assert catalog_coverage([4], np.array([9, 4, 9, 4])) == 0.5
    assert recommendation_counts([[4], [4]], np.array([9, 4, 9, 4])).tolist() == [0, 2]
    assert catalog_coverage(["A"], COUNTS) == 0.25


@pytest.mark.parametrize(
    "measure",
    [
        average_popularity,
        long_tail_share,
        lambda recommended, counts: popularity_complement(recommended, counts, 9),
        lambda recommended, counts: self_information(recommended, counts, 9),
        lambda recommended, counts: exposure_novelty(recommended, counts, 9),
        lambda recommended, counts: popularity_lift(
            recommended, [0] if recommended == [5] else ["A"], counts
        ),
    ],
)
@pytest.mark.parametrize(
    ("recommended", "counts", "error", "message"),
    [
        (["A", "Z"], COUNTS, ValueError, "item 'Z' is not in item_counts; give it a count of 0"),
        (["A"], {"A": -1}, ValueError, "item 'A' the count -1"),
        (["A"], {"A": math.nan}, ValueError, "item 'A' the count nan"),
        (["A"], {"A": "many"}, TypeError, "item_counts must be one number per item"),
        (["A"], [3, 2], TypeError, "ids such as 'A', so item_counts must be a mapping"),
        ([5], [3, 2], ValueError, "item 5 is beyond the 2 entries of item_counts"),
        ([5], [[3, 2]], ValueError, r"one dimension, the items; got shape \(1, 2\)"),
        ([5], [3, 2, 1, 1, 1, math.inf], ValueError, "item 5 the count inf"),
    ],
)
def test_counts(measure, recommended, counts, error, message):
    with pytest.raises(error, match=message):
        measure(recommended, counts)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: self_information(["D"], COUNTS, 3),
            ValueError,
            "'D', which no user interacted with.*'drop'",
        ),
        (
            lambda: self_information([["A"], [0]], COUNTS, 3),
            ValueError,
            "an int, and another id is 'A'",
        ),
        (
            lambda: self_information([3], [1, 1, 1, 0], 3),
            ValueError,
            "list contains item 3, which no u",
        ),
        (
            lambda: self_information(["A"], COUNTS, 2),
            ValueError,
            "contains 3, more than the 2 users",
        ),
        (lambda: self_information(["A"], COUNTS, 0), ValueError, "1 or more; got 0"),
        (lambda: self_information(["A"], COUNTS, 2.5), TypeError, "n_users .* got 2.5"),
        (lambda: self_information(["A"], COUNTS, 3, base=1), ValueError, "base .* above 1"),
        (lambda: self_information(["A"], COUNTS, 3, base="e"), TypeError, "base .* got 'e'"),
        (lambda: self_information(["A"], COUNTS, 3, base=True), TypeError, "base .* got True"),
        (lambda: self_information(["A"], COUNTS, 3, unseen="skip"), ValueError, "unseen must be"),
        (lambda: popularity_complement(["A"], COUNTS, 2), ValueError, "more than the 2 users"),
        (lambda: exposure_novelty(["A"], COUNTS, 2), ValueError, "more than the 2 users"),
        (
            lambda: exposure_novelty(["A"], COUNTS, 9, recommendation_counts={}),
            ValueError,
            "'A' is not in",
        ),
        (lambda: long_tail_share(["A"], COUNTS, head=0), ValueError, "head .* got 0"),
        (lambda: long_tail_share(["A"], COUNTS, head=1), ValueError, "head .* got 1"),
        (lambda: long_tail_share(["A"], COUNTS, head=True), TypeError, "head .* got True"),
        (lambda: long_tail_share(["A"], COUNTS, of="users"), ValueError, "of must be one of"),
        (lambda: long_tail_share(["A"], {"A": 0}), ValueError, "all item_counts are 0"),
        (lambda: long_tail_share(["A"], {"A": 1, "B": -1}), ValueError, "item 'B' the count -1"),
        (lambda: popularity_lift(["A"], ["B"], COUNTS, pooling="all"), ValueError, "pooling must"),
        (lambda: popularity_lift(["A"], ["Z"], COUNTS), ValueError, "item 'Z' is not in item_cou"),
    ],
)
def test_novelty_and_popularity(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_unseen_items_beyond_an_array_of_counts():
    recommended = np.array([[0, 7]])
    assert self_information(recommended, [1], 2, unseen="drop").tolist() == [1.0]
    assert self_information(recommended, [1], 4, unseen="one").tolist() == [2.0]


def test_an_item_every_user_interacted_with_has_no_exposure_novelty():
    met = {"known": 10, "new": 4}
    got = exposure_novelty(["known", "new"], met, 10, recommendation_counts={"known": 2, "new": 3})
    assert got == 0.5


@pytest.mark.parametrize(
    ("head", "of", "tail"),
    [
        (0.2, "items", "BCDEFGHIJ"),
        (0.1, "items", "BCDEFGHIJ"),
        (0.3, "items", "DEFGHIJ"),
        (0.7, "items", ""),
        (0.5, "interactions", "BCDEFGHIJ"),
        (0.51, "interactions", "DEFGHIJ"),
        (0.9, "interactions", "DEFGHIJ"),
        (0.95, "interactions", ""),
    ],
)
def test_items_tied_at_the_head_border_are_all_head_or_all_tail(head, of, tail):
    """One item with 50 of 100, two with 20 each, seven that share the rest alike."""
    counts = dict(zip("ABCDEFGHIJ", [50, 20, 20] + [10 / 7] * 7, strict=True))
    if (head, of) == (0.2, "items"):
        # The second item of the head ties with the third, which then is head as well.
        tail = "DEFGHIJ"
    for item in counts:
        assert long_tail_share([item], counts, head=head, of=of) == float(item in tail), item


def test_a_head_share_of_an_integer_count_survives_float_rounding():
    counts = np.arange(100, 0, -1)
    assert 0.07 * 100 > 7
    got = long_tail_share(np.arange(100)[:, None], counts, head=0.07)
    assert got.sum() == 93


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "neither was given"),
        ({"features": VECTORS, "similarity": {}}, ValueError, "both were given"),
        ({"features": VECTORS, "metric": "euclid"}, ValueError, "metric must be one of 'cosine'"),
        ({"features": VECTORS, "single": "one"}, ValueError, "single must be one of 'nan'"),
        ({"features": {"A": [1, 0]}}, ValueError, "item 'B' is not in features"),
        ({"features": {"A": [1, 0], "B": [1]}}, ValueError, "item 'A' has 2 .* item 'B' 1"),
        ({"features": {"A": [1, 0], "B": [0, 0]}}, ValueError, "item 'B' has no feature other"),
        ({"features": {"A": {"x"}, "B": set()}}, ValueError, "item 'B' has no feature other"),
        ({"features": {"A": ["x"], "B": []}}, ValueError, "item 'B' has no feature other"),
        ({"features": {"A": [1, 0], "B": []}}, ValueError, "item 'A' has 2 features, item 'B' 0"),
        ({"features": {"A": {"x"}, "B": [1]}}, TypeError, "mixes sets and vectors: item 'A'"),
        ({"features": {"A": [1, math.nan], "B": [1, 1]}}, ValueError, "'A' has the feature nan"),
        ({"features": np.eye(2)}, TypeError, "features must be a mapping from id to features"),
        ({"similarity": np.eye(2)}, TypeError, "similarity must be a mapping from pairs"),
        ({"similarity": {("A", "C"): 0.1}}, ValueError, r"no entry for the pair \('A', 'B'\)"),
        ({"similarity": {("A", "B"): 1.5}}, ValueError, "of items 'A' and 'B' is 1.5"),
        ({"similarity": {("A", "B"): math.nan}}, ValueError, "of items 'A' and 'B' is nan"),
    ],
)
def test_diversity(options, error, message):
    with pytest.raises(error, match=message):
        intra_list_diversity(["A", "B"], **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"features": np.eye(2)}, ValueError, "item 5 has no features: there are 2 rows"),
        ({"features": np.ones(3)}, ValueError, r"one row per item .* got shape \(3,\)"),
        ({"features": np.full((6, 1), "x")}, TypeError, "features must be numbers"),
        ({"features": sparse.csr_array((6, 2))}, ValueError, "item 0 has no feature other than 0"),
        (
            {"features": sparse.csr_array(np.full((6, 2), math.nan)), "metric": "jaccard"},
            ValueError,
            "item 0 has the feature nan in column 0",
        ),
        ({"similarity": np.ones((2, 3))}, ValueError, r"a row and a column per item; got \(2, 3\)"),
        ({"similarity": np.eye(2)}, ValueError, "item 5 has no similarities: there are 2 rows"),
        ({"similarity": np.full((6, 6), -1.5)}, ValueError, "items 0 and 5 is -1.5"),
    ],
)
def test_diversity_of_numbered_items(options, error, message):
    with pytest.raises(error, match=message):
        intra_list_diversity(np.array([0, 5]), **options)


def test_an_asymmetric_similarity_counts_by_the_mean_of_both_directions():
    alike = {("A", "B"): 0.2, ("B", "A"): 0.6}
    assert intra_list_diversity(["A", "B"], similarity=alike) == pytest.approx(0.6)
    table = np.array([[1, 0.2], [0.6, 1]])
    assert intra_list_diversity([1, 0], similarity=table) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("recommended", "message"),
    [
        (["A", "B"], "give two or more; got 1"),
        ([["A", "B"]], "give two or more; got 1"),
        ([[], []], "all lists are empty"),
        (
            {"u": ["A", "B"], "v": ["A"]},
            r"list 0 \(user 'u'\) has 2 items, list 1 .* 1; 1 of 2 lists have fewer "
            r"than 2 items\. Short",
        ),
        (np.array([[0, 1], [2, -1]]), "list 0 has 2 items, list 1 1"),
    ],
)
def test_personalization(recommended, message):
    with pytest.raises(ValueError, match=message):
        personalization(recommended)


def test_personalization_ignores_empty_slots():
    assert personalization(np.array([[0, -1, 1], [1, 2, -1]])) == 0.5


BY_USER = {"u": ["A"], "v": ["B"]}


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (
            (["A"], ["A"], ["B"]),
            {"k": 0},
            ValueError,
            "k is how many ranks count, a whole number of 1",
        ),
        ((["A"], ["A"], ["B"]), {"k": 1.0}, TypeError, "k is how many ranks count.*got 1.0"),
        ((["A"], ["A"], ["B"]), {"no_relevant": "one"}, ValueError, "no_relevant must be one of"),
        ((["A"], [], ["B"]), {"no_relevant": "raise"}, ValueError, "the list has no relevant"),
        (
            (BY_USER, {"u": "A"}, ["B"]),
            {},
            TypeError,
            r"\(user 'u'\) has the relevant items 'A', which is one id",
        ),
        ((BY_USER, [["A"], []], ["B"]), {}, TypeError, "relevant must be too: a mapping"),
        ((BY_USER, {}, {"u": ["A"]}), {}, ValueError, "1 users have no baseline, 'v' for one"),
        ((BY_USER, {}, [["A"], ["B"]]), {}, TypeError, "baseline must be one list for all users"),
        (([["A"]], [[]], {"u": ["A"]}), {}, TypeError, "baseline must be one list for all users"),
        ((["A"], ["A"], [["B"]]), {}, TypeError, "baseline must be one list for all users"),
        (([["A"], ["B"]], [["A"]], ["B"]), {}, ValueError, "2 lists and relevant 1 entries"),
        (([["A"], ["B"]], {"A"}, ["B"]), {}, TypeError, "relevant must be a sequence with"),
        (
            ([["A"], ["B"]], [1, 2], ["B"]),
            {},
            TypeError,
            "list 0 has the relevant items 1, which is one id",
        ),
        (([["A"]], [["A"]], [["B"], ["C"]]), {}, ValueError, "1 lists and baseline 2"),
        ((["A"], {"A": -1}, ["B"]), {}, ValueError, "the list has grade -1.0 for item 'A'"),
        ((["A"], {"A": math.nan}, ["B"]), {}, ValueError, "the list has grade nan for item 'A'"),
        ((["A"], {"A": "x"}, ["B"]), {}, TypeError, "the list has grade 'x' for item 'A'"),
        (
            ([1], ["A"], [2]),
            {},
            ValueError,
            "contain numbers, 1 for one, and the relevant items text, 'A'",
        ),
        (([1], [1], ["B"]), {}, ValueError, "whole numbers but the list of baseline contains 'B'"),
        ((["A"], ["A"], np.array([1])), {}, ValueError, "ids such as 'A', but baseline came as"),
        ((["A"], np.array([1]), ["B"]), {}, ValueError, "ids such as 'A', but relevant came as"),
        (([[1]], np.array([[1], [2]]), [1]), {}, ValueError, "1 lists and relevant 2"),
        (
            ([[1]], sparse.csr_array([[0.0, -2.0]]), [1]),
            {},
            ValueError,
            "list 0 has grade -2.0 for item 1",
        ),
        (
            (["A"], ["A"], ["B", "B"]),
            {},
            ValueError,
            "the list of baseline contains item 'B' twice",
        ),
    ],
)
def test_serendipity(arguments, options, error, message):
    with pytest.raises(error, match=message):
        serendipity(*arguments, **{"k": 2} | options)


def test_serendipity_reads_grades_cuts_and_baselines():
    recommended = {"u": ["A", "B", "C"], "v": ["B", "A", "C"]}
    wanted = {"u": {"A": 3, "B": 0, "C": 1}, "v": {"A"}, "w": {"A"}}
    assert serendipity(recommended, wanted, ["Z"], k=2).tolist() == [0.5, 0.5, 0.0]
    own = {"v": ["A"], "u": ["Z", "A"], "w": [], "x": ["B"]}
    assert serendipity(recommended, wanted, own, k=1).tolist() == [1.0, 0.0, 0.0]
    assert serendipity(recommended, wanted, own, k=2).tolist() == [0.0, 0.0, 0.0]
    # A list shorter than k pays for its missing ranks.
    assert serendipity(["A"], {"A"}, ["Z"], k=4) == 0.25
    triple = (np.array([0, 2, 3]), np.array([0, 1, 2]), np.array([1.0, 0.0, 2.0]))
    assert serendipity(np.array([[0, 1], [1, 2]]), triple, [5], k=2).tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match=r"list 2 \(user 'w'\) has no relevant item"):
        serendipity(recommended, wanted | {"w": {}}, ["Z"], k=1, no_relevant="raise")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["A"], ["B"], VECTORS), {"reading": "relevant-only"}, "needs to know what was relevant"),
        ((["A"], ["B"], VECTORS), {"relevant": ["A"]}, "relevant would have no effect"),
        ((["A"], ["B"], VECTORS), {"reading": "mean"}, "reading must be one of 'distance'"),
        ((["A"], ["Z"], VECTORS), {}, "item 'Z' is not in features"),
        (([["A"]], [["B"], ["C"]], VECTORS), {}, "1 lists and history 2 entries"),
        (([[0]], Interactions([0, 1], [0, 1]), np.eye(2)), {}, "1 lists and history 2"),
    ],
)
def test_unexpectedness(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        unexpectedness(*arguments, **options)


def test_an_item_of_the_history_counts_once():
    for met in (["B", "B", "C"], ["B", "C"], {"B": 5, "C": 0}):
        assert unexpectedness(["A"], met, VECTORS) == unexpectedness(["A"], ["C", "B"], VECTORS)
        assert popularity_lift(["A"], met, COUNTS) == 1.0
    log = Interactions([0, 0, 0], [1, 2, 1], rating=[5, 1, 4])
    assert popularity_lift([[0]], log, [3, 2, 1]).tolist() == [1.0]


@pytest.mark.parametrize("measure", [gini, lorenz_curve, shannon_entropy])
@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        ([], ValueError, r"one number per item of the catalogue; got shape \(0,\)"),
        ([[1, 2]], ValueError, r"got shape \(1, 2\)"),
        (3, ValueError, r"got shape \(\)"),
        ([1, -1], ValueError, "counts gives item 1 the count -1"),
        ([1, math.nan], ValueError, "counts gives item 1 the count nan"),
        ({"A": 1, "B": math.inf}, ValueError, "counts gives item 'B' the count inf"),
        ([0, 0], ValueError, "all counts are 0"),
        ([["A"], ["B", "C"]], TypeError, "recommendation_counts"),
    ],
)
def test_concentration(measure, counts, error, message):
    with pytest.raises(error, match=message):
        measure(counts)


def test_gini_and_entropy_at_their_bounds():
    assert gini([5]) == 0.0
    with pytest.raises(ValueError, match="one item alone"):
        gini([5], normalized=True)
    assert gini({"A": 8, "B": 2, "C": 0, "D": 0, "E": 0}) == pytest.approx(0.72)
    assert gini([1e308, 1e308, 0, 0]) == pytest.approx(0.5)
    assert shannon_entropy([0, 7, 0]) == 0.0
    assert shannon_entropy([1] * 100, base=10) == pytest.approx(2.0)
    assert lorenz_curve([4, 4]).share.tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(ValueError, match="base is that of the logarithm"):
        shannon_entropy([1, 2], base=0.5)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([], r"at least one score each; got shape \(0,\)"),
        (3.0, r"got shape \(\)"),
        ([[1, math.nan]], "score in list 0 at rank 2 is nan"),
        ([[1, 2], [math.inf, 0]], "score in list 1 at rank 1 is inf"),
        ([[1, 2], [-math.inf, -math.inf]], "list 1 has no score"),
    ],
)
def test_score_entropy(scores, message):
    with pytest.raises(ValueError, match=message):
        score_entropy(scores, base=2)


def test_zero_and_negative_scores_are_valid():
    assert score_entropy([-1, -1, -1, -1], base=2) == 2.0
    assert score_entropy([[0, 0], [-5, -5]], base=2).tolist() == [1.0, 1.0]
    assert score_entropy([1000, 0], base=2) == 0.0


@pytest.mark.parametrize(
    ("target", "recommended", "options", "error", "message"),
    [
        ([0.5, 0.5], [1.0], {}, ValueError, r"got shapes \(2,\) and \(1,\)"),
        ([], [], {}, ValueError, "one share per genre"),
        ([0.5, 0.6], [0.5, 0.5], {}, ValueError, "target in row 0 add up to 1.1, not 1"),
        ([0.5, 0.5], [3, 4], {}, ValueError, "recommended has the share 3 in row 0, genre 0"),
        ([1.5, -0.5], [0.5, 0.5], {}, ValueError, "target has the share 1.5"),
        ([0.5, 0.5], [-0.1, 1.0], {}, ValueError, "recommended has the share -0.1"),
        ([0.5, 0.5], [math.nan, 1.0], {}, ValueError, "recommended has the share nan"),
        ([0.5, 0.5], [0.5, 0.5], {"alpha": 1}, ValueError, "alpha .* got 1"),
        ([0.5, 0.5], [0.5, 0.5], {"alpha": -0.1}, ValueError, "alpha .* got -0.1"),
        ([0.5, 0.5], [0.5, 0.5], {"alpha": True}, TypeError, "alpha .* got True"),
        ([0.5, 0.5], [0.5, 0.5], {"base": 1}, ValueError, "base"),
        ({"x": 1.0}, [1.0], {}, TypeError, "must both be mappings"),
    ],
)
def test_genre_calibration(target, recommended, options, error, message):
    with pytest.raises(error, match=message):
        genre_calibration(target, recommended, **options)


def test_genre_calibration_of_a_user_without_a_list_is_nan():
    nothing = [math.nan, math.nan]
    got = genre_calibration([[0.5, 0.5], [1.0, 0.0]], [nothing, [1.0, 0.0]])
    assert math.isnan(got[0])
    assert got[1] == 0.0
    assert genre_calibration({"x": 1.0}, {"y": 1.0}, alpha=0.5) == 1.0


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((["A"], ["B"], {"A": "x"}), {}, ValueError, "'B' has no category"),
        ((["A"], ["A"], {"A": []}), {}, ValueError, "'A' has no category"),
        ((["A"], ["A"], {"A": math.nan}), {}, ValueError, "'A' has no category"),
        ((["A"], ["A"], ["x"]), {}, TypeError, "categories must be a mapping from id"),
        (([5], [0], ["x"]), {}, ValueError, "item 5 has no category: there are 1"),
        ((["A"], [], {"A": "x"}), {}, ValueError, "training contains no item"),
        (([], ["A"], {"A": "x"}), {}, ValueError, "recommended contains no item"),
        (([], np.array([0]), ["x"]), {}, ValueError, "recommended contains no item"),
        ((["A"], ["A"], {"A": "x"}), {"per": "user"}, ValueError, "per must be one of"),
        (([["A"]], ["A"], {"A": "x"}), {"per": "list"}, ValueError, None),
        (([["A"]], [["A"], ["A"]], {"A": "x"}), {"per": "list"}, ValueError, "1 lists and tr"),
    ],
)
def test_category_shares(arguments, options, error, message):
    if message is None:
        assert category_shares(*arguments, **options).training.tolist() == [[1.0]]
        return
    with pytest.raises(error, match=message):
        category_shares(*arguments, **options)


def test_user_bias_counts_events_of_users():
    country = {"ann": "DE", "bob": "FR", "cy": "FR"}
    shares = category_shares(["ann", "ann", "bob"], ["ann", "bob", "cy", "cy"], country)
    assert shares.categories == ("DE", "FR")
    assert shares.recommended == pytest.approx([2 / 3, 1 / 3])
    assert shares.training.tolist() == [0.25, 0.75]
    assert shares.difference == pytest.approx([5 / 12, -5 / 12])
    assert shares.ratio == pytest.approx([8 / 3, 4 / 9])


def test_item_bias_over_interactions_and_per_user():
    log = Interactions([0, 0, 1, 1, 1], [0, 1, 1, 2, 2], n_users=3, n_items=3)
    decade = np.array([1980, 1990, 1990])
    recommended = np.array([[0, 2], [1, -1], [-1, -1]])
    whole = category_shares(recommended, log, decade)
    assert whole.recommended == pytest.approx([1 / 3, 2 / 3])
    assert whole.training == pytest.approx([0.2, 0.8])
    each = category_shares(recommended, log, decade, per="list")
    assert each.recommended[:2].tolist() == [[0.5, 0.5], [0.0, 1.0]]
    assert each.training[:2].tolist() == [[0.5, 0.5], [0.0, 1.0]]
    assert np.isnan(each.recommended[2]).all()
    assert np.isnan(each.training[2]).all()
    by_user = category_shares(
        {"u": ["A"], "v": ["B"]}, {"v": ["A"], "w": ["A"]}, {"A": 1, "B": "b"}, per="list"
    )
    assert by_user.categories == (1, "b")
    assert by_user.training[1].tolist() == [1.0, 0.0]
    assert np.isnan(by_user.training[0]).all()
    assert np.isinf(category_shares(["A"], ["B"], {"A": 1, "B": 2}).ratio[0])


def test_ids_and_categories_that_cannot_be_sorted():
    features = {"A": {1, "x"}, (2,): {"x"}, (3, "B"): {1}}
    got = intra_list_diversity(["A", (2,), (3, "B")], features=features, metric="jaccard")
    assert got == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_pandas_columns_are_arrays():
    pandas = pytest.importorskip("pandas")
    assert average_popularity(pandas.Series([0, 1]), [1, 3]) == 2.0
    assert average_popularity(pandas.Series(["A", "B"], dtype=object), COUNTS) == 2.5
    assert average_popularity([0, 1], pandas.Series([1, 3])) == 2.0


def test_user_coverage_accepts_a_list_of_users():
    assert user_coverage({"ann": ["A"], "bob": []}, ["ann", "bob", "cy", "di"]) == 0.25
    assert user_coverage({"ann": ["A"], "bob": []}) == 0.5


def test_relevance_in_interactions_is_a_rating_above_0():
    log = Interactions([0, 1, 1], [0, 1, 2], rating=[0, 3, 0], n_users=2)
    assert serendipity([[0], [1]], log, [9], k=1, no_relevant="zero").tolist() == [0.0, 1.0]
    seen = Interactions([0, 1], [0, 1])
    assert serendipity([[0], [1]], seen, [9], k=1).tolist() == [1.0, 1.0]


def test_item_0_next_to_a_very_large_item_number():
    assert catalog_coverage([[0, 10**12]], [0, 10**12, 5, 6]) == 0.5
    recommended = np.array([[0, 10**12, -1], [10**12, -1, -1]])
    assert average_popularity(recommended, {0: 1, 10**12: 5}).tolist() == [3.0, 5.0]
    assert personalization(np.array([[0, 10**12], [10**12, 3]])) == 0.5


def test_a_zero_dimensional_array_is_an_id_and_an_array_a_list():
    counts = [1, 3, 8]
    assert average_popularity([np.int64(0), np.int64(1)], counts) == 2.0
    assert average_popularity([np.array([0, 1]), np.array([2])], counts).tolist() == [2.0, 8.0]


@pytest.mark.parametrize("grade", [0.5, 1, 1.0, 5])
def test_any_grade_above_0_is_relevant(grade):
    assert serendipity(["A"], {"A": grade}, ["B"], k=1) == 1.0
    assert serendipity([[0]], sparse.csr_array([[grade]]), [1], k=1).tolist() == [1.0]


ANN = {"ann": ["A", "B"], "bob": ["C"]}
CY = {"cy": {"A"}, "di": {"B"}}


@pytest.mark.parametrize(
    ("other", "compute"),
    [
        ("history", lambda: unseen_share(ANN, CY)),
        ("history", lambda: popularity_lift(ANN, CY, COUNTS)),
        ("history", lambda: popularity_lift(ANN, CY, COUNTS, pooling="users")),
        ("history", lambda: unexpectedness(ANN, CY, VECTORS)),
        ("relevant", lambda: serendipity(ANN, CY, ["A"], k=1)),
        ("training", lambda: category_shares(ANN, CY, GENRES, per="list")),
    ],
)
def test_two_sides_without_a_user_in_common_raise(other, compute):
    message = f"no user of recommended is in {other}: 'ann' for one against 'cy'. Use the same ids"
    with pytest.raises(ValueError, match=message):
        compute()
