"""What must hold for any lists: the plain definitions, all input forms alike, invariances."""

from __future__ import annotations

import math
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from recsys_metrics import beyond_accuracy as beyond
from recsys_metrics._core.inputs import membership
from recsys_metrics.interactions import Interactions
from tests.beyond_accuracy import reference
from tests.examples import examples

N_ITEMS, N_USERS = 12, 20
COUNTS = np.array([20, 15, 9, 9, 4, 3, 2, 1, 1, 1, 7, 12])
FEATURES = np.random.default_rng(5).normal(size=(N_ITEMS, 3)).round(2)
GENRES = {i: {"abcd"[i % 4], "xyz"[i % 3], "pq"[i % 2]} for i in range(N_ITEMS)}
SIMILARITY = np.clip(np.round(FEATURES @ FEATURES.T / 9, 3), -1, 1)

lists = st.lists(st.integers(0, N_ITEMS - 1), max_size=6, unique=True)
sets = st.frozensets(st.integers(0, N_ITEMS - 1), max_size=6)
users = st.lists(st.tuples(lists, sets, sets), min_size=1, max_size=6)
relaxed = examples(60)


def name(item):
    return f"item {item:02d}"


def table(rows):
    """Lists as an array, with an empty slot in front of each item but the first."""
    width = 2 * max(map(len, rows), default=0)
    filled = np.full((len(rows), width), -1)
    for i, row in enumerate(rows):
        filled[i, : 2 * len(row) : 2] = list(row)
    return filled


def csr(rows):
    pairs = [(i, item) for i, row in enumerate(rows) for item in row]
    i, j = zip(*pairs, strict=True) if pairs else ((), ())
    return sparse.csr_array((np.ones(len(pairs)), (i, j)), shape=(len(rows), N_ITEMS))


def per_list(recommended, wanted, met):
    """Every measure of a list, on ids that are whole numbers."""
    return {
        "information": beyond.self_information(recommended, COUNTS, N_USERS),
        "complement": beyond.popularity_complement(recommended, COUNTS, N_USERS),
        "popularity": beyond.average_popularity(recommended, COUNTS),
        "tail": beyond.long_tail_share(recommended, COUNTS),
        "cosine": beyond.intra_list_diversity(recommended, features=FEATURES),
        "jaccard": beyond.intra_list_diversity(recommended, features=GENRES, metric="jaccard"),
        "together": beyond.intra_list_diversity(
            recommended, features=GENRES, metric="co-occurrence"
        ),
        "given": beyond.intra_list_diversity(recommended, similarity=SIMILARITY),
        "serendipity": beyond.serendipity(recommended, wanted, [0, 1, 2], k=3),
        "distance": beyond.unexpectedness(recommended, met, FEATURES),
        "hits": beyond.unexpectedness(
            recommended, met, FEATURES, relevant=wanted, reading="relevant-only"
        ),
        "product": beyond.unexpectedness(
            recommended, met, FEATURES, relevant=wanted, reading="times-relevance"
        ),
        "lift": beyond.popularity_lift(recommended, met, COUNTS),
    }


def named(recommended, wanted, met):
    """The same measures on the same items under names."""
    counts = {name(i): count for i, count in enumerate(COUNTS.tolist())}
    features = {name(i): row for i, row in enumerate(FEATURES)}
    genres = {name(i): row for i, row in GENRES.items()}
    alike = {
        (name(i), name(j)): (SIMILARITY[i, j] + SIMILARITY[j, i]) / 2
        for i in range(N_ITEMS)
        for j in range(i)
    }
    popular = [name(0), name(1), name(2)]
    return {
        "information": beyond.self_information(recommended, counts, N_USERS),
        "complement": beyond.popularity_complement(recommended, counts, N_USERS),
        "popularity": beyond.average_popularity(recommended, counts),
        "tail": beyond.long_tail_share(recommended, counts),
        "cosine": beyond.intra_list_diversity(recommended, features=features),
        "jaccard": beyond.intra_list_diversity(recommended, features=genres, metric="jaccard"),
        "together": beyond.intra_list_diversity(
            recommended, features=genres, metric="co-occurrence"
        ),
        "given": beyond.intra_list_diversity(recommended, similarity=alike),
        "serendipity": beyond.serendipity(recommended, wanted, popular, k=3),
        "distance": beyond.unexpectedness(recommended, met, features),
        "hits": beyond.unexpectedness(
            recommended, met, features, relevant=wanted, reading="relevant-only"
        ),
        "product": beyond.unexpectedness(
            recommended, met, features, relevant=wanted, reading="times-relevance"
        ),
        "lift": beyond.popularity_lift(recommended, met, counts),
    }


def expected(recommended, wanted, met):
    """The same by the plain definitions, for one list."""

    def mean(values):
        return reference.mean([values[i] for i in recommended])

    def together(a, b):
        return len(GENRES[a] & GENRES[b]) / math.sqrt(len(GENRES[a]) * len(GENRES[b]))

    lift = math.nan
    if recommended and met:
        own = reference.mean(COUNTS[i] for i in met)
        lift = mean(COUNTS) / own - 1
    # A fifth of twelve items is three of them, the third with a count of 12.
    tail = COUNTS < 12
    readings = {"distance": "distance", "hits": "relevant-only", "product": "times-relevance"}
    unexpected = {
        key: reference.unexpectedness(recommended, met, FEATURES, wanted, reading)
        if met
        else math.nan
        for key, reading in readings.items()
    }
    return unexpected | {
        "information": mean(-np.log2(COUNTS / N_USERS)),
        "complement": mean(1 - COUNTS / N_USERS),
        "popularity": mean(COUNTS),
        "tail": mean(tail),
        "cosine": reference.diversity(
            recommended, lambda a, b: reference.cosine(FEATURES[a], FEATURES[b])
        ),
        "jaccard": reference.diversity(
            recommended, lambda a, b: reference.jaccard(GENRES[a], GENRES[b])
        ),
        "together": reference.diversity(recommended, together),
        "given": reference.diversity(
            recommended, lambda a, b: (SIMILARITY[a, b] + SIMILARITY[b, a]) / 2
        ),
        "serendipity": reference.serendipity(recommended, wanted, [0, 1, 2], 3)
        if wanted
        else math.nan,
        "lift": lift,
    }


def close(got, want):
    return np.allclose(got, want, rtol=0, atol=1e-12, equal_nan=True)


def exact(got, want):
    return np.array_equal(np.asarray(got), np.asarray(want), equal_nan=True)


@relaxed
@given(users)
def test_measures_of_a_list_are_their_definitions(drawn):
    recommended, wanted, met = (list(column) for column in zip(*drawn, strict=True))
    got = per_list(recommended, wanted, met)
    for row, one in enumerate(drawn):
        for key, value in expected(*one).items():
            assert close(got[key][row], value), (key, one)


@relaxed
@given(users)
def test_every_form_of_input_gives_the_same(drawn):
    recommended, wanted, met = (list(column) for column in zip(*drawn, strict=True))
    got = per_list(recommended, wanted, met)
    by_user = [dict(enumerate(column)) for column in (recommended, wanted, met)]
    log = Interactions(
        [i for i, row in enumerate(met) for _ in row],
        [item for row in met for item in row],
        n_users=len(met),
        n_items=N_ITEMS,
    )
    gapped = [
        per_list(table(recommended), csr(wanted), csr(met)),
        per_list(table(recommended), wanted, log),
    ]
    forms = [
        per_list(recommended, table(wanted) if any(wanted) else wanted, met),
        per_list(*by_user),
    ]
    if any(recommended):
        columns = (recommended, wanted, met)
        forms.append(named(*([[name(i) for i in row] for row in column] for column in columns)))
    for form in gapped:
        # An empty slot uses a rank, so a hit can move behind the third.
        form["serendipity"] = got["serendipity"]
    for form in gapped + forms:
        for key, values in form.items():
            assert close(values, got[key]), key


@relaxed
@given(users)
def test_a_single_list_equals_its_row_in_a_batch(drawn):
    recommended, wanted, met = (list(column) for column in zip(*drawn, strict=True))
    many = per_list(recommended, wanted, met)
    for row, one in enumerate(drawn):
        for key, value in per_list(*one).items():
            assert isinstance(value, float)
            assert close(value, many[key][row]), key


@relaxed
@given(users, st.randoms(use_true_random=False))
def test_permuting_users_permutes_results_to_the_last_digit(drawn, random):
    drawn = [user for user in drawn if user[0]]
    if not drawn:
        return
    order = list(range(len(drawn)))
    random.shuffle(order)

    def columns(rows):
        return [[[name(i) for i in cell] for cell in column] for column in zip(*rows, strict=True)]

    before, after = named(*columns(drawn)), named(*columns([drawn[i] for i in order]))
    for key in before:
        assert exact(before[key][order], after[key]), key


@relaxed
@given(st.lists(lists.filter(len), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_aggregate_metrics_do_not_depend_on_the_order_of_users(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    genres = {name(i): sorted(g)[: 1 + i % 3] for i, g in GENRES.items()}
    counts = {name(i): float(count) for i, count in enumerate(COUNTS)}
    results = []
    for part in (rows, shuffled):
        recommended = [[name(i) for i in row] for row in part]
        shares = beyond.category_shares(recommended, recommended[0], genres)
        whole = beyond.category_shares(["item 01"], recommended, genres)
        history = [[name(i + 1) for i in row if i < 11] or ["item 03"] for row in part]
        results.append(
            [
                beyond.catalog_coverage(recommended, N_ITEMS),
                beyond.recommendation_counts(
                    recommended, [name(i) for i in range(N_ITEMS)]
                ).tolist(),
                shares.recommended.tolist(),
                whole.training.tolist(),
                beyond.popularity_lift(recommended, history, counts, pooling="groups"),
            ]
        )
    assert results[0][0] == results[1][0]
    assert results[0][1:] == results[1][1:]


@relaxed
@given(st.integers(1, 5), st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_personalization_is_the_mean_over_all_pairs(k, n, seed):
    rng = np.random.default_rng(seed)
    rows = np.argsort(rng.random((n, N_ITEMS)), axis=1)[:, :k]
    value = beyond.personalization(rows)
    assert value == pytest.approx(reference.personalization(rows.tolist()), abs=1e-12)
    assert 0 <= value <= 1
    assert value == beyond.personalization(rows[::-1])
    assert value == beyond.personalization([[name(i) for i in row[::-1]] for row in rows])


@relaxed
@given(st.lists(st.integers(0, 50), min_size=2, max_size=12).filter(any))
def test_gini_and_lorenz(counts):
    value = beyond.gini(counts)
    n = len(counts)
    assert value == pytest.approx(reference.gini(counts), abs=1e-12)
    assert value == beyond.gini(counts[::-1])
    assert beyond.lorenz_curve(counts).gini == pytest.approx(value, abs=1e-12)
    assert beyond.gini([7 * c for c in counts]) == pytest.approx(value, abs=1e-12)
    assert 0 <= value <= (n - 1) / n
    # Items nobody was shown make it more unequal.
    assert beyond.gini([*counts, 0]) > value - 1e-12
    curve = beyond.lorenz_curve(counts)
    assert (np.diff(curve.share, n=2) >= -1e-12).all()
    assert beyond.shannon_entropy(counts) <= math.log2(n) + 1e-12


@relaxed
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(-100, 100))
def test_score_entropy_does_not_change_when_a_constant_is_added(scores, shift):
    value = beyond.score_entropy(scores, base=2)
    assert 0 <= value <= math.log2(len(scores)) + 1e-12
    assert beyond.score_entropy(np.add(scores, shift), base=2) == pytest.approx(value, abs=1e-9)
    padded = [*scores, -np.inf, -np.inf]
    assert beyond.score_entropy(padded, base=2) == pytest.approx(value, abs=1e-12)


@relaxed
@given(
    st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any),
    st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any),
    st.floats(0.001, 0.9),
)
def test_genre_calibration_is_a_divergence(target, recommended, alpha):
    p, q = np.array(target) / sum(target), np.array(recommended) / sum(recommended)
    value = beyond.genre_calibration(p, q, alpha=alpha)
    assert value == pytest.approx(reference.divergence(p, q, alpha), abs=1e-12)
    assert 0 <= value <= math.log2(1 / alpha) + 1e-9
    assert beyond.genre_calibration(p, p, alpha=alpha) == pytest.approx(0, abs=1e-12)
    nats = beyond.genre_calibration(p, q, alpha=alpha, base=math.e)
    assert nats == pytest.approx(value * math.log(2), abs=1e-12)


@relaxed
@given(st.lists(st.tuples(lists.filter(len), lists.filter(len)), min_size=1, max_size=5))
def test_category_shares_per_list_and_over_everything(drawn):
    recommended, met = ([list(row) for row in column] for column in zip(*drawn, strict=True))
    each = beyond.category_shares(recommended, met, GENRES, per="list")
    assert each.recommended.sum(axis=1) == pytest.approx(np.ones(len(recommended)))
    assert each.training.sum(axis=1) == pytest.approx(np.ones(len(recommended)))
    sizes = np.array([len(row) for row in recommended])
    everything = beyond.category_shares(recommended, met, GENRES)
    assert everything.categories == each.categories
    assert everything.recommended == pytest.approx(sizes @ each.recommended / sizes.sum())
    assert everything.difference == pytest.approx(everything.recommended - everything.training)
    alone = beyond.category_shares(recommended[0], met[0], GENRES, per="list")
    kept = [each.categories.index(category) for category in alone.categories]
    assert alone.recommended == pytest.approx(each.recommended[0, kept])
    assert np.isfinite(beyond.genre_calibration(each.training, each.recommended)).all()


@relaxed
@given(users)
def test_coverage_counts_distinct_items(drawn):
    recommended = [row for row, _, _ in drawn]
    distinct = {item for row in recommended for item in row}
    for catalog in (N_ITEMS, range(N_ITEMS), list(range(N_ITEMS)), np.arange(N_ITEMS)):
        assert beyond.catalog_coverage(recommended, catalog) == len(distinct) / N_ITEMS
        counts = beyond.recommendation_counts(recommended, catalog)
        assert counts.tolist() == [sum(i in row for row in recommended) for i in range(N_ITEMS)]
    backwards = beyond.recommendation_counts(recommended, np.arange(N_ITEMS)[::-1])
    assert backwards.tolist() == counts.tolist()[::-1]
    some = sum(len(row) >= 2 for row in recommended)
    assert beyond.user_coverage(recommended, at_least=2) == some / len(recommended)
    assert beyond.user_coverage(recommended, len(recommended) + 3) <= len(recommended) / (
        len(recommended) + 3
    )


@relaxed
@given(st.lists(st.integers(0, N_ITEMS - 1), min_size=1, max_size=6, unique=True))
def test_large_item_numbers_do_not_change_the_values(row):
    far = 10**9
    met = [[item + far for item in row[:2]]]
    counts = {i + far: int(count) for i, count in enumerate(COUNTS)}
    recommended = [[item + far for item in row]]
    assert beyond.average_popularity(recommended, counts) == beyond.average_popularity(
        [row], COUNTS
    )
    wanted = np.array([[item + far for item in row[::2]]])
    small = beyond.serendipity([row], [row[::2]], [0, 1], k=3)
    assert beyond.serendipity(recommended, wanted, [far, far + 1], k=3) == small
    assert beyond.popularity_lift(recommended, met, counts) == beyond.popularity_lift(
        [row], [row[:2]], COUNTS
    )
    assert (
        beyond.catalog_coverage(recommended, [i + far for i in range(N_ITEMS)])
        == len(row) / N_ITEMS
    )


def test_results_do_not_depend_on_the_block_size(monkeypatch):
    rng = np.random.default_rng(0)
    recommended = np.argsort(rng.random((300, N_ITEMS)), axis=1)[:, :4]
    met = np.argsort(rng.random((300, N_ITEMS)), axis=1)[:, :5]
    whole = per_list(recommended, met, met)

    def rows(n_rows, width, cells=0):
        for start in range(0, n_rows, 7):
            yield slice(start, min(start + 7, n_rows))

    modules = ["_core.blocks"]
    modules += [
        f"beyond_accuracy.{x}" for x in ("_item_counts", "_features", "_diversity", "_serendipity")
    ]
    for module in modules:
        found = import_module(f"recsys_metrics.{module}")
        monkeypatch.setattr(found, "row_blocks", rows)
    monkeypatch.setattr(membership, "_TABLE_BYTES", 40)
    for key, values in per_list(recommended, met, met).items():
        assert exact(values, whole[key]), key


def test_sparse_and_dense_features_agree():
    rng = np.random.default_rng(4)
    features = (rng.random((N_ITEMS, 9)) < 0.4) * rng.normal(size=(N_ITEMS, 9))
    features[:, 0] += 1
    recommended = np.argsort(rng.random((50, N_ITEMS)), axis=1)[:, :5]
    met = np.argsort(rng.random((50, N_ITEMS)), axis=1)[:, :3]
    as_sparse = [sparse.csr_array(features), sparse.coo_matrix(features)]
    for metric in ("cosine", "jaccard", "co-occurrence"):
        dense = beyond.intra_list_diversity(recommended, features=features, metric=metric)
        for rows in as_sparse:
            got = beyond.intra_list_diversity(recommended, features=rows, metric=metric)
            assert close(got, dense), metric
    dense = beyond.unexpectedness(recommended, met, features)
    for rows in as_sparse:
        assert close(beyond.unexpectedness(recommended, met, rows), dense)
    alike = np.clip(features @ features.T / 30, -1, 1)
    assert close(
        beyond.intra_list_diversity(recommended, similarity=sparse.csr_array(alike)),
        beyond.intra_list_diversity(recommended, similarity=alike),
    )


def test_interactions_can_be_passed_as_features_and_history():
    log = Interactions([0, 1, 2, 3, 2, 3, 4, 4], [0, 0, 0, 0, 1, 1, 1, 1], n_users=5)
    value = beyond.intra_list_diversity([0, 1], features=log, metric="co-occurrence")
    # Four users met item 0, three met item 1 (one of them twice), two met both.
    assert value == pytest.approx(1 - 2 / math.sqrt(12))


def test_features_of_extreme_magnitude_can_be_compared():
    tiny, huge = [[1e-200, 0], [1e-200, 1e-200]], [[1e200, 0], [1e200, 1e200]]
    for features in (tiny, huge):
        value = beyond.intra_list_diversity([0, 1], features=features)
        assert value == pytest.approx(1 - math.sqrt(0.5))


def test_permuting_a_list_changes_only_rank_dependent_metrics():
    recommended, met = [3, 1, 4, 0], [2, 5]
    forth, back = per_list(recommended, {3, 0}, met), per_list(recommended[::-1], {3, 0}, met)
    for key in forth:
        same = forth[key] == pytest.approx(back[key], abs=1e-12)
        assert same == (key != "serendipity")


def test_a_history_may_be_a_set():
    genre = {"A": "comedy", "B": ["drama", "war"], "C": "war"}
    lists = {"ann": ["A", "B"], "bob": ["C"]}
    in_sets = beyond.category_shares(lists, {"ann": {"B", "C"}, "bob": {"A"}}, genre, per="list")
    in_lists = beyond.category_shares(lists, {"ann": ["B", "C"], "bob": ["A"]}, genre, per="list")
    assert in_sets.training.tolist() == in_lists.training.tolist()
    rows = beyond.category_shares([["A"]], [{"A", "C"}], genre)
    assert rows.training.tolist() == [0.5, 0.5]
