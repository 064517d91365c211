"""Full and sampled ranks, the closed form, and the way back from a sample."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol.candidates import (
    corrected_metric,
    correction_table,
    expected_sampled_metric,
    full_ranks,
    metric_at_rank,
    sampled_rank_distribution,
    sampled_ranks,
)
from tests.examples import examples

# Krichene and Rendle (2020), tables 1 and 2: five test cases, 10,000 items, 99 draws with
# replacement. Exact values, then the mean and deviation of 1,000 sampled evaluations.
TOY = {
    "A": [100, 100, 100, 100, 100],
    "B": [40, 40, 8437, 9266, 4482],
    "C": [212, 2, 743, 5342, 1548],
}
MEASURES = {"auc": None, "average_precision": None, "ndcg": None, "recall": 10}
EXACT = {
    "A": (0.990, 0.010, 0.150, 0.000),
    "B": (0.555, 0.010, 0.122, 0.000),
    "C": (0.843, 0.101, 0.208, 0.200),
}
SAMPLED = {
    "A": ((0.990, 0.004), (0.630, 0.129), (0.724, 0.097), (1.000, 0.000)),
    "B": ((0.555, 0.014), (0.336, 0.073), (0.444, 0.054), (0.400, 0.000)),
    "C": ((0.843, 0.014), (0.325, 0.050), (0.460, 0.039), (0.567, 0.092)),
}

tables = st.integers(2, 8).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 4), min_size=width, max_size=width), min_size=1, max_size=5
    )
)

MIXED = "bias-variance"


@pytest.mark.parametrize("model", TOY)
def test_toy_recommenders_exact_and_sampled(model):
    for at, (metric, k) in enumerate(MEASURES.items()):
        exact = metric_at_rank(TOY[model], metric, k=k, n_items=10_000).mean()
        assert exact == pytest.approx(EXACT[model][at], abs=5e-4)
        expected = expected_sampled_metric(
            TOY[model], 10_000, 99, metric, k=k, replacement=True
        ).mean()
        mean, deviation = SAMPLED[model][at]
        # Half a unit of the printed digit, and three standard errors of a mean of 1,000.
        assert abs(expected - mean) < 6e-4 + 3 * deviation / np.sqrt(1000)


def test_sampling_reverses_the_order_of_toy_recommenders_and_correction_restores_it():
    def order(values):
        return sorted(values, key=values.get, reverse=True)

    sampled = {
        model: expected_sampled_metric(
            ranks, 10_000, 99, "average_precision", replacement=True
        ).mean()
        for model, ranks in TOY.items()
    }
    assert order(sampled) == ["A", "B", "C"]

    def corrected(**how):
        table = correction_table(10_000, 99, "average_precision", replacement=True, **how)
        return {
            model: float(
                (sampled_rank_distribution(ranks, 10_000, 99, replacement=True) @ table).mean()
            )
            for model, ranks in TOY.items()
        }

    # C is best in truth. Without regard to variance the expectation puts it first again, and
    # comes near its 0.101; the plain posterior mean does not.
    least = corrected(method="least-squares")
    assert order(least)[0] == "C"
    assert least["C"] == pytest.approx(0.101, abs=0.03)
    assert order(corrected(method=MIXED, gamma=0.01))[0] == "C"
    assert order(corrected(method=MIXED, gamma=1))[0] == "A"


@pytest.mark.parametrize("replacement", [False, True])
def test_distribution_agrees_with_scipy(replacement):
    for n_items, n_samples in ((50, 20), (8, 7), (10_000, 99), (2, 1)):
        ranks = np.unique(np.linspace(1, n_items, 23).astype(int))
        found = sampled_rank_distribution(ranks, n_items, n_samples, replacement=replacement)
        above = np.arange(n_samples + 1)
        r = ranks[:, None] - 1
        right = (
            stats.binom.pmf(above, n_samples, r / (n_items - 1))
            if replacement
            else stats.hypergeom.pmf(above, n_items - 1, r, n_samples)
        )
        np.testing.assert_allclose(found, right, atol=1e-11)
        np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


def test_expected_metric_is_the_mean_over_all_samples():
    n_items, n_samples = 7, 3
    for rank, replacement in itertools.product(range(1, 8), (False, True)):
        others = [other < rank for other in range(1, 8) if other != rank]
        draw = itertools.product if replacement else itertools.combinations
        drawn = draw(others, **{"repeat": 3}) if replacement else draw(others, 3)
        values = [1 / np.log2(2 + sum(s)) if sum(s) < 2 else 0.0 for s in drawn]
        found = expected_sampled_metric(
            rank, n_items, n_samples, "ndcg", k=2, replacement=replacement
        )
        assert isinstance(found, float)
        assert found == pytest.approx(np.mean(values), abs=1e-12)


@examples(80)
@given(st.data())
def test_without_replacement_no_sampled_metric_is_below_the_full_one(data):
    n_items = data.draw(st.integers(2, 200))
    ranks = data.draw(st.lists(st.integers(1, n_items), min_size=1, max_size=10))
    n_samples = data.draw(st.integers(1, n_items - 1))
    k = data.draw(st.integers(1, 20))
    for metric in ("hit_rate", "precision", "reciprocal_rank", "ndcg"):
        sampled = expected_sampled_metric(ranks, n_items, n_samples, metric, k=k)
        assert (sampled >= metric_at_rank(ranks, metric, k=k) - 1e-12).all()
    auc = expected_sampled_metric(ranks, n_items, n_samples, "auc")
    np.testing.assert_allclose(auc, metric_at_rank(ranks, "auc", n_items=n_items), atol=1e-10)


def test_with_replacement_a_sampled_metric_can_be_below_the_full_one():
    # Rank 2 of 11: a hit at 5 in truth; ten draws among 10 can hold the one above five times.
    assert expected_sampled_metric(2, 11, 100, "hit_rate", k=5, replacement=True) < 0.05


def test_expected_metric_accepts_catalogue_sizes_per_user_and_functions():
    found = expected_sampled_metric([3, 3], [5, 9], 2, lambda r: 1.0 / r)
    for value, size in zip(found, (5, 9), strict=True):
        assert value == expected_sampled_metric(3, size, 2, "reciprocal_rank")
    assert expected_sampled_metric([[1], [2]], 5, 2, "ndcg").shape == (2, 1)
    assert expected_sampled_metric([], 5, 2, "ndcg").shape == (0,)


def test_correction_does_not_change_auc():
    # AUC is linear in the rank, so every unbiased table gives it back.
    ranks = np.arange(1, 301)
    for how in ({"method": "rank"}, {"method": "least-squares"}):
        table = correction_table(300, 20, "auc", replacement=True, **how)
        expected = sampled_rank_distribution(ranks, 300, 20, replacement=True) @ table
        np.testing.assert_allclose(expected, metric_at_rank(ranks, "auc", n_items=300), atol=1e-6)


@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 9), (4, 3)])
def test_samples_larger_than_the_catalogue_can_be_corrected(n, m):
    how = {"k": 2, "replacement": True}
    falling = correction_table(n, m, "ndcg", method="monotone", **how)
    assert falling.shape == (m + 1,)
    assert (np.diff(falling) <= 1e-9).all()
    # No other falling table is nearer to the metric, whatever the rank.
    ranks = np.arange(1, n + 1)
    chances = sampled_rank_distribution(ranks, n, m, replacement=True)
    wanted = metric_at_rank(ranks, "ndcg", k=2)
    loss = ((chances @ falling - wanted) ** 2).mean()
    rng = np.random.default_rng(0)
    for _ in range(50):
        other = np.sort(falling + rng.normal(size=m + 1) * 1e-3)[::-1]
        assert loss <= ((chances @ other - wanted) ** 2).mean() + 1e-12


def test_correction_minimises_its_objective():
    n, m, gamma = 60, 8, 0.1
    prior = np.linspace(2, 1, n)
    chances = sampled_rank_distribution(np.arange(1, n + 1), n, m)
    wanted = metric_at_rank(np.arange(1, n + 1), "ndcg", k=5)
    p = prior / prior.sum()

    def loss(table, gamma):
        mean = chances @ table
        variance = chances @ table**2 - mean**2
        return float(p @ ((mean - wanted) ** 2 + gamma * variance))

    best = correction_table(n, m, "ndcg", k=5, gamma=gamma, prior=prior, method=MIXED)
    exact = correction_table(n, m, "ndcg", k=5, method="least-squares", prior=prior)
    falling = correction_table(n, m, "ndcg", k=5, method="monotone", prior=prior)
    assert (np.diff(falling) <= 1e-9).all()
    rng = np.random.default_rng(0)
    for _ in range(50):
        push = rng.normal(size=m + 1) * 1e-3
        assert loss(best, gamma) <= loss(best + push, gamma)
        assert loss(exact, 0) <= loss(exact + push, 0) + 1e-12
        lower = np.sort(falling + push)[::-1]
        assert loss(falling, 0) <= loss(lower, 0) + 1e-12
    assert loss(exact, 0) <= loss(falling, 0) <= loss(np.zeros(m + 1), 0)
    np.testing.assert_allclose(
        correction_table(n, m, "ndcg", k=5, gamma=0, prior=prior, method=MIXED),
        exact,
        atol=1e-9,
    )
    # With gamma 1 it is the mean of the metric given the sampled rank.
    posterior = (p * wanted) @ chances / (p @ chances)
    np.testing.assert_allclose(
        correction_table(n, m, "ndcg", k=5, gamma=1, prior=prior, method=MIXED),
        posterior,
        atol=1e-9,
    )


def test_corrected_metric_uses_the_table():
    table = correction_table(50, 5, "hit_rate", k=3, method=MIXED)
    assert (
        corrected_metric([1, 6, 2], 50, 5, "hit_rate", k=3, method=MIXED).tolist()
        == table[[0, 5, 1]].tolist()
    )
    assert isinstance(corrected_metric(1, 50, 5, "hit_rate", k=3, method=MIXED), float)
    # A prior that puts everything on rank 1 leaves only the first sampled rank with a worth.
    sure = correction_table(50, 5, "hit_rate", k=3, prior=np.eye(1, 50)[0], method=MIXED)
    np.testing.assert_allclose(sure, [1, 0, 0, 0, 0, 0], atol=1e-12)
    rounded = correction_table(50, 5, lambda r: 1.0 * (r <= 3), method="rank")
    assert rounded.tolist() == [1, 0, 0, 0, 0, 0]


@examples(80)
@given(
    tables,
    st.sampled_from(["worst", "best", "id", "average"]),
    st.sampled_from(["include", "exclude"]),
    st.integers(0, 2**32 - 1),
)
def test_full_ranks_equal_a_sort(rows, ties, others, seed):
    scores = np.array(rows, dtype=float)
    held = np.random.default_rng(seed).random(scores.shape) < 0.4
    seen = ~held & (np.random.default_rng(seed + 1).random(scores.shape) < 0.3)
    found = full_ranks(
        scores, held, exclude=seen, ties=ties, other_held_out=others, block_bytes=200
    )
    assert (found.user.tolist(), found.item.tolist()) == tuple(
        part.tolist() for part in np.nonzero(held)
    )
    method = {"id": "ordinal", "best": "min", "worst": "max", "average": "average"}[ties]
    for user, item, rank, n_items in zip(
        found.user, found.item, found.rank, found.n_items, strict=True
    ):
        open_to = ~seen[user]
        if others == "exclude":
            open_to &= ~held[user]
            open_to[item] = True
        there = np.flatnonzero(open_to)
        by_rank = stats.rankdata(-scores[user, there], method=method)
        assert rank == by_rank[np.searchsorted(there, item)]
        assert n_items == len(there)


def test_full_ranks_by_hand_with_ties_and_others():
    scores = [[0.5, 0.9, 0.5, 0.5, 0.1]]
    for ties, rank in {"worst": 4, "best": 2, "id": 3, "average": 3.0}.items():
        assert full_ranks(scores, [[2]], ties=ties).rank.tolist() == [rank]
    both = full_ranks(scores, [[1, 4]])
    assert (both.rank.tolist(), both.n_items.tolist()) == ([1, 5], [5, 5])
    alone = full_ranks(scores, [[1, 4]], other_held_out="exclude")
    assert (alone.rank.tolist(), alone.n_items.tolist()) == ([1, 4], [4, 4])
    assert "the whole catalogue of up to 4 items" in repr(alone)


def test_zero_and_negative_scores_are_valid():
    assert full_ranks([[-1.0, -2.0, 0.0]], [[0]]).rank.tolist() == [2]


def test_every_form_of_items_and_scores_gives_the_same_ranks(tmp_path):
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(7, 30))
    item = rng.integers(0, 30, 7)
    seen = rng.random((7, 30)) < 0.2
    seen[np.arange(7), item] = False
    users, items = np.nonzero(seen)
    right = full_ranks(scores, item, exclude=seen).rank.tolist()
    held = np.zeros((7, 30), dtype=bool)
    held[np.arange(7), item] = True
    test = Interactions(np.arange(7), item, n_users=7, n_items=30)
    train = Interactions(users, items, n_users=7, n_items=30)
    lists = [np.flatnonzero(row).tolist() for row in seen]
    for wanted in (held, sparse.csr_array(held), [[i] for i in item], test):
        for exclude in (seen, sparse.coo_array(seen), lists, train):
            assert full_ranks(scores, wanted, exclude=exclude).rank.tolist() == right

    np.save(tmp_path / "scores.npy", scores)
    mapped = np.load(tmp_path / "scores.npy", mmap_mode="r")
    assert full_ranks(mapped, item, exclude=seen).rank.tolist() == right

    asked = []

    def model(users):
        asked.append(len(users))
        return scores[users]

    found = full_ranks(model, test, exclude=train, block_bytes=30 * 8 * 4 * 3)
    assert found.rank.tolist() == right
    assert max(asked) <= 3  # the whole table is never asked for
    # Users without a held-out item are not scored, and do not shift the others.
    some = test.take([1, 5])
    assert full_ranks(model, some, exclude=train).rank.tolist() == [right[1], right[5]]


def test_order_of_rows_does_not_matter():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(6, 20))
    users, items = np.repeat(np.arange(6), 2), rng.permutation(12)
    log = Interactions(users, items, n_users=6, n_items=20)
    shuffled = log.take(rng.permutation(12))
    assert full_ranks(scores, log).rank.tolist() == full_ranks(scores, shuffled).rank.tolist()
    a, b = (sampled_ranks(scores, part, n_samples=5, seed=1) for part in (log, shuffled))
    assert a.rank.tolist() == b.rank.tolist()


def test_progress_is_reported(capsys):
    seen = []
    scores = np.arange(40.0).reshape(4, 10)
    full_ranks(scores, [[0]] * 4, progress=lambda *at: seen.append(at), block_bytes=1)
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    full_ranks(scores, [[0]] * 4, progress=True)
    assert capsys.readouterr().err == "\rranked 4 of 4 users (100%)\n"


WAYS = {
    "uniform": {},
    "uniform, replaced": {"replacement": True},
    "popularity": {"weights": "popularity"},
    "popularity, replaced": {"weights": "popularity", "replacement": True},
}


@pytest.mark.parametrize("way", WAYS)
def test_sampled_ranks_have_the_right_distribution(way):
    # One user in 4,000 copies: items 0, 1 seen; 2 held out; 3, 4 above it, the rest below.
    scores = np.tile([9.0, 8, 5, 7, 6, 4, 3, 2, 1, 0], (4000, 1))
    counts = np.array([50, 40, 30, 8, 1, 1, 6, 1, 2, 1.0])
    how = WAYS[way] | ({"item_counts": counts} if "popularity" in way else {})
    found = sampled_ranks(
        scores, [[2]] * 4000, exclude=[[0, 1]] * 4000, n_samples=3, seed=11, **how
    )
    seen = np.bincount(found.rank - 1, minlength=4) / 4000
    weights = counts if "popularity" in way else np.ones(10)
    others = [3, 4, 5, 6, 7, 8, 9]
    right = np.zeros(4)
    draw = itertools.product(others, repeat=3)
    if not how.get("replacement"):
        draw = itertools.permutations(others, 3)
    for drawn in draw:
        left, chance = weights[others].sum(), 1.0
        for item in drawn:
            chance *= weights[item] / left
            left -= 0 if how.get("replacement") else weights[item]
        right[sum(item in (3, 4) for item in drawn)] += chance
    assert right.sum() == pytest.approx(1)
    assert np.abs(seen - right).max() < 0.03
    assert (found.n_items == 4).all()
    assert found.sampled == 3
    # Blocks do not change the draws, and a seed gives them again.
    again = sampled_ranks(
        scores,
        [[2]] * 4000,
        exclude=[[0, 1]] * 4000,
        n_samples=3,
        seed=11,
        block_bytes=10_000,
        **how,
    )
    assert again.rank.tolist() == found.rank.tolist()


@examples(60)
@given(tables, st.integers(0, 99), st.sampled_from([None, "weighted"]))
def test_a_sampled_rank_without_replacement_never_exceeds_the_full_one(rows, seed, weights):
    scores = np.array(rows, dtype=float)
    width = scores.shape[1]
    item = np.random.default_rng(seed).integers(0, width, len(scores))
    how = {} if weights is None else {"weights": np.arange(1.0, width + 1)}
    for n_samples in {1, width - 1}:
        found = sampled_ranks(scores, item, n_samples=n_samples, seed=seed, **how)
        full = full_ranks(scores, item, other_held_out="exclude").rank
        assert (found.rank <= full).all()
        assert (found.rank >= 1).all()
        if n_samples == width - 1:
            assert found.rank.tolist() == full.tolist()


def test_popularity_sampling_can_still_reverse_the_winner():
    # A puts rare items above the held-out one, B popular ones; B's full rank is the better.
    n = 2000
    popular = np.arange(n) < 200
    counts = np.where(popular, 100.0, 1.0)
    a, b = np.zeros((300, n)), np.zeros((300, n))
    a[:, 1000:1020] = 1.0  # 20 rare items above
    b[:, :9] = 1.0  # 9 popular items above
    a[:, -1] = b[:, -1] = 0.5
    held = np.full(300, n - 1)
    full = [metric_at_rank(full_ranks(s, held).rank, "ndcg", k=10).mean() for s in (a, b)]
    sampled = [
        metric_at_rank(
            sampled_ranks(
                s, held, n_samples=500, weights="popularity", item_counts=counts, seed=0
            ).rank,
            "ndcg",
            k=10,
        ).mean()
        for s in (a, b)
    ]
    assert full[0] == 0 < full[1]
    assert sampled[0] > sampled[1]


def test_ties_in_a_sample_follow_the_option():
    scores = [[1.0, 1.0, 1.0, 0.0]]
    assert sampled_ranks(scores, [[0]], n_samples=3).rank.tolist() == [3]
    assert sampled_ranks(scores, [[0]], n_samples=3, ties="best").rank.tolist() == [1]


SCORES = np.array([[0.1, 0.9, 0.4], [0.3, 0.2, 0.8]])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: full_ranks(0.1, [[0]]), ValueError, r"\(n_users, n_items\)"),
        (lambda: full_ranks([[np.nan, 1]], [[0]]), ValueError, "item 0 for user 0 is nan"),
        (lambda: full_ranks([[1, np.inf]], [[0]]), ValueError, "item 1 for user 0 is inf"),
        (lambda: full_ranks(SCORES, [[0]]), ValueError, "has 1 entries and scores 2 users"),
        (lambda: full_ranks(SCORES, [[0], [3]]), ValueError, "names item 3 for user 1"),
        (lambda: full_ranks(SCORES, [[0], [-1]]), ValueError, "names item -1 for user 1"),
        (
            lambda: full_ranks(SCORES, [[0.5], [1]]),
            TypeError,
            "must contain item numbers, got float64",
        ),
        (lambda: full_ranks(SCORES, [0, 1]), TypeError, "gives the item numbers of each user"),
        (lambda: full_ranks(SCORES, np.ones((2, 2), bool)), ValueError, r"shape \(2, 2\)"),
        (
            lambda: full_ranks(SCORES, [[], [2]], exclude=[[], [2]]),
            ValueError,
            "item 2 of user 1 is held out but is no candidate",
        ),
        (lambda: full_ranks([[-np.inf, 1]], [[0]]), ValueError, "scored -inf, so it has no rank"),
        (
            lambda: full_ranks(SCORES, [[0], [0]], ties="order"),
            ValueError,
            "whose order is that of their ids",
        ),
        (
            lambda: full_ranks(SCORES, [[0], [0]], other_held_out="x"),
            ValueError,
            "other_held_out must be one of",
        ),
        (lambda: full_ranks(SCORES, [[0], [0]], block_bytes=0), ValueError, "block_bytes"),
        (
            lambda: full_ranks(lambda users: SCORES, Interactions([0, 1], [0, 0])),
            ValueError,
            "returned 2 rows for 1 users",
        ),
        (
            lambda: full_ranks(lambda users: SCORES[users], Interactions([1], [7])),
            ValueError,
            "held_out names item 7 for user 1, but scores has 3 items",
        ),
        (
            lambda: sampled_ranks(SCORES, [[0], [0]], n_samples=3),
            ValueError,
            "user 0 has 2 items to draw from, and 3 are to be drawn",
        ),
        (
            lambda: sampled_ranks(SCORES, [[0], [0]], n_samples=2, weights=[1, 1, 0]),
            ValueError,
            "user 0 has 1 items to draw from",
        ),
        (
            lambda: sampled_ranks(
                SCORES, [[0], [0]], n_samples=2, weights=[1, 0, 0], replacement=True
            ),
            ValueError,
            "user 0 has no items to draw from",
        ),
        (
            lambda: sampled_ranks(SCORES, [[0], [0]], n_samples=1, weights="popularity"),
            ValueError,
            "in proportion to item_counts; give them",
        ),
        (
            lambda: sampled_ranks(SCORES, [[0], [0]], n_samples=1, weights="rare"),
            ValueError,
            "weights must be one of 'uniform', 'popularity'",
        ),
        (
            lambda: sampled_ranks(SCORES, [[0], [0]], n_samples=1, weights=[1, 2]),
            ValueError,
            "there are 3 items to draw",
        ),
        (
            lambda: sampled_ranks(SCORES, [[0], [0]], n_samples=1, weights=[1, 2, -1]),
            ValueError,
            r"weights\[2\] is -1",
        ),
        (lambda: sampled_ranks(SCORES, [[0], [0]], n_samples=0), ValueError, "n_samples is a"),
        (
            lambda: sampled_ranks(SCORES, [[0], [0]], n_samples=1, ties="order"),
            ValueError,
            "counts as above or as below. There are 'worst', 'best'",
        ),
        (lambda: metric_at_rank([0], "ndcg"), ValueError, r"ranks\[0\] is 0; ranks go from 1"),
        (lambda: metric_at_rank([1.5], "ndcg"), TypeError, "whole numbers from 1"),
        (lambda: metric_at_rank([np.nan], "ndcg"), TypeError, "whole numbers from 1"),
        (lambda: metric_at_rank([1], "ngcd"), ValueError, "metric must be one of"),
        (lambda: metric_at_rank([1], "precision"), ValueError, "k must be given"),
        (lambda: metric_at_rank([1], "auc"), ValueError, "give n_items"),
        (lambda: metric_at_rank([1], "auc", n_items=1), ValueError, "there is none"),
        (lambda: metric_at_rank([1], "auc", k=3, n_items=5), ValueError, "takes no k"),
        (lambda: metric_at_rank([1], "ndcg", k=0), ValueError, "k is a whole number of 1"),
        (
            lambda: metric_at_rank([1], np.sqrt, k=3),
            ValueError,
            "a function applies its own cut-off",
        ),
        (lambda: metric_at_rank([1], lambda r: [1, 2]), ValueError, "one finite number per rank"),
        (lambda: expected_sampled_metric(6, 5, 2, "ndcg"), ValueError, "ranks go from 1 to 5"),
        (lambda: expected_sampled_metric(1, 5, 5, "ndcg"), ValueError, "cannot be drawn from 4"),
        (lambda: expected_sampled_metric(1, 1, 1, "ndcg"), ValueError, "nothing to sample"),
        (lambda: expected_sampled_metric(1, 5.0, 1, "ndcg"), TypeError, "n_items counts"),
        (
            lambda: expected_sampled_metric([1, 2], [5, 5, 5], 1, "ndcg"),
            ValueError,
            "one size for all",
        ),
        (
            lambda: correction_table(5, 5, "ndcg", method=MIXED),
            ValueError,
            "cannot be drawn from 4",
        ),
        (
            lambda: correction_table(5, 2, "ndcg", gamma=2, method=MIXED),
            ValueError,
            "gamma lies between",
        ),
        (lambda: correction_table(5, 2, "ndcg", method="cls"), ValueError, "method must be one"),
        (
            lambda: correction_table(5, 2, "ndcg", prior=[1, 2], method=MIXED),
            ValueError,
            "each of the 5 ranks",
        ),
        (
            lambda: correction_table(2, 1, "ndcg", prior=[0, 0], method=MIXED),
            ValueError,
            "not all 0",
        ),
        (
            lambda: corrected_metric(4, 9, 2, "ndcg", method=MIXED),
            ValueError,
            "ranks go from 1 to 3",
        ),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_each_rank_is_checked_against_its_catalogue():
    with pytest.raises(ValueError, match=r"ranks\[1\] is 5; ranks go from 1 to 3"):
        expected_sampled_metric(5, [10, 3], 1, "ndcg")
