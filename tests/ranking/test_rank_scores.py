"""Lists and exact ranks from scores, against a full sort."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics import rank_from_scores
from recsys_metrics.protocol.candidates import full_ranks
from tests.examples import examples


def ranks_of(*inputs, **options):
    return full_ranks(*inputs, **options).rank


tables = st.integers(1, 6).flatmap(
    lambda n: st.integers(1, 9).flatmap(
        lambda m: st.tuples(
            st.lists(st.lists(st.integers(-2, 2), min_size=m, max_size=m), min_size=n, max_size=n),
            st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=n, max_size=n),
        )
    )
)


@pytest.mark.filterwarnings("ignore:.*equal scores for all items")
@examples(200)
@given(tables, st.integers(1, 12))
def test_lists_equal_a_full_sort(case, k):
    scores, seen = (np.array(part) for part in case)
    lists = rank_from_scores(scores, k, exclude=seen.astype(bool))
    for row, (score, hidden) in enumerate(zip(scores, seen, strict=True)):
        best = sorted(
            (item for item in range(len(score)) if not hidden[item]),
            key=lambda item: (-score[item], item),
        )
        expected = (best + [-1] * k)[: min(k, len(score))]
        assert lists[row].tolist() == expected


@examples(200)
@given(tables, st.sampled_from(["best", "id", "worst", "average"]))
def test_full_ranks_equal_a_full_sort(case, ties):
    scores, held = (np.array(part) for part in case)
    ranks = ranks_of(scores, held.astype(bool), ties=ties)
    expected = []
    for score, wanted in zip(scores, held, strict=True):
        for item in np.flatnonzero(wanted):
            above = (score > score[item]).sum()
            tied = np.flatnonzero(score == score[item])
            expected.append(
                {
                    "best": above + 1,
                    "id": above + 1 + (tied < item).sum(),
                    "worst": above + len(tied),
                    "average": above + (len(tied) + 1) / 2,
                }[ties]
            )
    assert ranks.tolist() == expected


def test_worst_ties_put_held_out_items_last():
    scores = [[1.0, 1.0, 1.0, 0.0]]
    assert rank_from_scores(scores, 3, held_out=[[0]], ties="worst").tolist() == [[1, 2, 0]]
    assert ranks_of(scores, [[0]], ties="worst").tolist() == [3]


def test_all_forms_of_exclude_agree():
    rng = np.random.default_rng(3)
    scores = rng.random((5, 8))
    seen = rng.random((5, 8)) < 0.3
    expected = rank_from_scores(scores, 4, exclude=seen)
    for form in (
        sp.csr_array(seen),
        sp.coo_matrix(seen.astype(float)),
        [np.flatnonzero(row) for row in seen],
        [set(np.flatnonzero(row).tolist()) for row in seen],
    ):
        assert (rank_from_scores(scores, 4, exclude=form) == expected).all()
    held = ~seen
    np.testing.assert_array_equal(
        ranks_of(scores, held, exclude=seen),
        ranks_of(scores, sp.csr_array(held), exclude=[np.flatnonzero(row) for row in seen]),
    )


def test_several_blocks_of_single_precision_scores():
    rng = np.random.default_rng(4)
    scores = rng.random((300, 9000)).astype(np.float32)
    lists = rank_from_scores(scores, 10)
    assert (lists == np.argsort(-scores, axis=1, kind="stable")[:, :10]).all()
    held = [[int(items[3])] for items in lists]
    assert (ranks_of(scores, held, ties="id") == 4).all()


def test_items_scored_minus_infinity_are_not_listed():
    assert rank_from_scores([-np.inf, -5.0, 0.0], 3).tolist() == [2, 1, -1]
    with pytest.raises(ValueError, match="item 0 of user 0 is held out but is no candidate"):
        ranks_of([-np.inf, -5.0, 0.0], [0])


def test_scores_are_not_modified():
    scores = np.array([[0.3, 0.2, 0.1]])
    rank_from_scores(scores, 1, exclude=[[0]])
    assert scores.tolist() == [[0.3, 0.2, 0.1]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rank_from_scores([[0.1, np.nan]], 1), ValueError, "score of item 1 for user 0"),
        (lambda: rank_from_scores([[0.1, np.inf]], 1), ValueError, "is inf"),
        (lambda: rank_from_scores([[0.1]], 0), ValueError, "a whole number of 1 or more; got 0"),
        (lambda: rank_from_scores([[0.1]], None), TypeError, "length of the lists.*got None"),
        (lambda: rank_from_scores([[0.1]], 1, ties="expected"), ValueError, "expected_over_ties"),
        (lambda: rank_from_scores([[0.1]], 1, ties="worst"), ValueError, "needs held_out"),
        (lambda: rank_from_scores([[0.1]], 1, ties="order"), ValueError, "take 'id'"),
        (lambda: rank_from_scores([[0.1]], 1, ties="high"), ValueError, "ties must be one of"),
        (lambda: rank_from_scores([[0.1]], 1, exclude=[[4]]), ValueError, "names item 4 for user"),
        (lambda: rank_from_scores([[0.1]], 1, exclude=[[0], [0]]), ValueError, "has 2 entries"),
        (
            lambda: rank_from_scores([[0.1]], 1, exclude=np.zeros((2, 1), dtype=bool)),
            ValueError,
            r"exclude has shape \(2, 1\) and scores \(1, 1\)",
        ),
        (lambda: rank_from_scores([], 1), ValueError, "not empty"),
        (lambda: ranks_of([[0.1, 0.2]], [[0]], exclude=[[0]]), ValueError, "is excluded or"),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_held_out_and_excluded_items_work_in_every_block():
    # Rows of 9,000 make blocks of some hundred users; the last ones are as good as the first.
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 50, (300, 9000)).astype(float)
    seen = [rng.choice(9000, 40, replace=False) for _ in range(300)]
    held = [np.setdiff1d(rng.choice(9000, 5, replace=False), row) for row in seen]
    lists = rank_from_scores(scores, 12, exclude=seen)
    worst = rank_from_scores(scores, 12, exclude=seen, held_out=held, ties="worst")
    ranks = ranks_of(scores, held, exclude=seen, ties="average")
    starts = np.cumsum([0, *map(len, held)])
    for user in (0, 116, 117, 233, 299):
        alone = {"exclude": [seen[user]]}
        assert lists[user].tolist() == rank_from_scores(scores[user], 12, **alone).tolist()
        last = rank_from_scores(scores[user], 12, held_out=[held[user]], ties="worst", **alone)
        assert worst[user].tolist() == last.tolist()
        assert (
            ranks[starts[user] : starts[user + 1]].tolist()
            == ranks_of(scores[user], [held[user]], ties="average", **alone).tolist()
        )
    scores[250, 7] = np.nan
    with pytest.raises(ValueError, match="the score of item 7 for user 250 is nan"):
        rank_from_scores(scores, 3)


def test_many_held_out_items_of_one_user():
    # More comparisons than one chunk holds.
    scores = np.arange(9000.0)
    held = np.arange(0, 9000, 20)
    assert ranks_of(scores, held).tolist() == (9000 - held).tolist()


def test_ranks_are_whole_numbers_unless_expected():
    for ties, kind in (("worst", "i"), ("best", "i"), ("id", "i"), ("average", "f")):
        assert ranks_of([[0.5, 0.5]], [[0]], ties=ties).dtype.kind == kind
        assert ranks_of([[0.5, 0.5]], [[]], ties=ties).dtype.kind == kind
    assert rank_from_scores([[0.5, 0.1]], 1).dtype.kind == "i"


def test_empty_held_out_and_exclude():
    assert ranks_of([[0.5, 0.1]], [[]]).tolist() == []
    assert ranks_of([[0.5], [0.1]], np.zeros((2, 1), dtype=bool)).tolist() == []
    assert rank_from_scores([[0.5, 0.1]], 2, exclude=[[]]).tolist() == [[0, 1]]
    assert rank_from_scores([[0.5, 0.1]], 4, exclude=[[0, 1]]).tolist() == [[-1] * 2]


def test_a_single_user_is_accepted_in_every_form():
    scores = [0.1, 0.9, 0.4]
    for held in ([0], [[0]], np.array([True, False, False]), [np.array([0])], (0,)):
        assert ranks_of(scores, held).tolist() == [3]
    for exclude in ([1], [[1]], np.array([False, True, False]), [{1}]):
        assert rank_from_scores(scores, 3, exclude=exclude).tolist() == [2, 0, -1]
    for wrong in (np.array([True, False]), np.array([[True], [False], [False]])):
        with pytest.raises(ValueError, match="held_out has shape"):
            ranks_of(scores, wrong)


@pytest.mark.parametrize("item", [-1, 3])
@pytest.mark.parametrize("name", ["exclude", "held_out"])
def test_items_outside_the_score_table_raise(item, name):
    given = {"exclude": None, "held_out": [[0], [1]], name: [[0], [item]]}
    with pytest.raises(
        ValueError, match=f"^{name} names item {item} for user 1, but scores has 2 users and 3"
    ):
        ranks_of(np.zeros((2, 3)), given["held_out"], exclude=given["exclude"])
    with pytest.raises(ValueError, match=f"^{name} has 1 entries and scores 2 users"):
        ranks_of(
            np.zeros((2, 3)),
            **{"held_out": [[0], [1]], name: [[0]]},
        )


def test_nonzero_entries_of_a_table_mark_items():
    stored_zero = sp.csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 2])))
    assert rank_from_scores([[0.9, 0.5]], 2, exclude=stored_zero).tolist() == [[0, -1]]
