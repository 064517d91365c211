"""Equal scores: one vocabulary, and each word means the same wherever it is taken."""

from __future__ import annotations

import inspect
import itertools
from importlib import import_module
from typing import get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics import convert, evaluation, ranking
from recsys_metrics._core.inputs.ties import Ties
from recsys_metrics.protocol import candidates
from tests.examples import examples


def functions_with_ties():
    for module in (
        ranking,
        candidates,
        convert,
        evaluation,
        import_module("recsys_metrics.frames"),
    ):
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function) and "ties" in inspect.signature(function).parameters:
                yield f"{module.__name__}.{name}", function


TAKE_TIES = dict(functions_with_ties())


def test_the_functions_with_a_ties_option_are_found():
    assert len(TAKE_TIES) >= 9


@pytest.mark.parametrize("name", TAKE_TIES)
def test_every_ties_option_uses_the_common_vocabulary(name):
    words = get_args(get_type_hints(TAKE_TIES[name])["ties"])
    assert set(words) <= set(get_args(Ties)), words
    assert inspect.signature(TAKE_TIES[name]).parameters["ties"].default in words


CALLS = {
    "judge": lambda ties: rm.judge({"u": {"a": 1}}, {"u": {"a"}}, ties=ties),
    "lists_from_scores": lambda ties: convert.lists_from_scores({"u": {"a": 1}}, ties=ties),
    "judge_scores": lambda ties: rm.judge_scores([1, 0], [1, 1], ties=ties),
    "rank_from_scores": lambda ties: rm.rank_from_scores([1.0, 1.0], 1, held_out=[0], ties=ties),
    "limited_auc": lambda ties: rm.limited_auc([1, 0], [1, 1], 1, ties=ties),
    "fraction_of_concordant_pairs": lambda ties: rm.fraction_of_concordant_pairs(
        [1, 2], [1, 1], ties=ties
    ),
    "full_ranks": lambda ties: candidates.full_ranks([1.0, 1.0], [0], ties=ties),
    "sampled_ranks": lambda ties: candidates.sampled_ranks(
        [[1.0, 1.0]], [[0]], n_samples=1, ties=ties
    ),
}


@pytest.mark.filterwarnings("ignore:.*equal scores for all items")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("word", get_args(Ties))
def test_each_ties_option_is_accepted_or_rejected_with_a_reason(call, word):
    taken = next(f for name, f in TAKE_TIES.items() if name.endswith(f".{call}"))
    if word in get_args(get_type_hints(taken)["ties"]):
        CALLS[call](word)
        return
    with pytest.raises(ValueError, match=f"ties='{word}' is not for this: ") as caught:
        CALLS[call](word)
    assert "it has no meaning here" not in str(caught.value)


def test_a_constant_model_has_an_auc_of_one_half():
    for labels in itertools.product([0, 1], repeat=4):
        if 0 < sum(labels) < 4:
            for k in range(1, 6):
                assert rm.limited_auc(labels, [7.0] * 4, k) == pytest.approx(0.5)
    # In the order given it gets what chance, or whoever sorted the table, gave it.
    same = [0.5, 0.5, 0.5]
    given_first = [rm.limited_auc([1, 0, 0], same, k, ties="order") for k in (1, 2, 3)]
    given_last = [rm.limited_auc([0, 0, 1], same, k, ties="order") for k in (1, 2, 3)]
    assert (given_first, given_last) == ([1.0, 0.75, 0.5], [0.25, 0.0, 0.5])


@given(
    rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=2, max_size=5),
    k=st.integers(1, 6),
)
@examples(60)
def test_limited_auc_with_ties_averages_all_orders(rows, k):
    labels, scores = (np.array(side) for side in zip(*rows, strict=True))
    orders = [list(order) for order in itertools.permutations(range(len(rows)))]
    each = [rm.limited_auc(labels[o], scores[o], k, ties="order") for o in orders]
    for ties, value in (("average", np.mean(each)), ("worst", min(each)), ("best", max(each))):
        np.testing.assert_allclose(rm.limited_auc(labels, scores, k, ties=ties), value)


def test_limited_auc_of_many_users():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (20, 9)), rng.integers(0, 4, (20, 9))
    each = [rm.limited_auc(*row, 4) for row in zip(labels, scores, strict=True)]
    np.testing.assert_allclose(rm.limited_auc(labels, scores, 4), each)


def test_random_tie_breaking_is_reproducible():
    scores = np.zeros((2_000, 3))
    drawn = rm.rank_from_scores(scores, 3, ties="random", seed=4)
    orders, times = np.unique(drawn, axis=0, return_counts=True)
    assert len(orders) == 6
    assert times.min() > 250
    assert (rm.rank_from_scores(scores, 3, ties="random", seed=4) == drawn).all()
    assert (rm.rank_from_scores(scores, 3, ties="random", seed=5) != drawn).any()
    # What is not tied stays where it is.
    assert rm.rank_from_scores([2.0, 1.0, 1.0], 1, ties="random").tolist() == [0]


def test_ties_in_mappings_and_tables_are_broken_equally():
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 3, (30, 8)).astype(float)
    lists = rm.rank_from_scores(scores, 8)
    run = {user: dict(enumerate(row.tolist())) for user, row in enumerate(scores)}
    assert list(convert.lists_from_scores(run).values()) == lists.tolist()
    truth = {user: {0, 3} for user in run}
    by_scores = rm.judge(run, truth).gains
    assert (by_scores == rm.judge(lists, list(truth.values())).gains).all()


def test_ties_like_trec_eval_put_the_last_id_first():
    run = ["u Q0 a 1 0.5 me", "u Q0 b 2 0.5 me", "u Q0 c 3 0.9 me"]
    assert convert.read_run(run) == {"u": ["c", "a", "b"]}
    assert convert.read_run(run, ties="id-descending") == {"u": ["c", "b", "a"]}
    assert convert.lists_from_scores({"u": {"b": 0.5, "a": 0.5}}) == {"u": ["a", "b"]}


def test_the_report_counts_lists_with_ties_at_a_cutoff():
    run = {
        "at both": {"a": 2, "b": 1, "c": 1, "d": 1, "e": 0},
        "above": {"a": 3, "b": 3, "c": 1, "d": 0.5},
        "behind": {"a": 3, "b": 2, "c": 1, "d": 0, "e": -0.0},
        "at the end": {"a": 1, "b": 0, "c": 0},
        "short": {"a": 1, "b": 1},
        "nothing": {},
    }
    wanted = {user: {"a"} for user in run}
    # Between ranks 2 and 3 two lists, between 3 and 4 one of them, between 4 and 5 another.
    expected = {2: 2, 3: 1, 4: 1, 1: 2, 5: 0}
    for k, n_tied in expected.items():
        assert rm.evaluate(run, wanted, [f"mrr@{k}"]).protocol.n_tied == n_tied
    several = rm.evaluate(run, wanted, ["mrr@2", "recall@3", "mrr@4", "map"])
    assert several.protocol.n_tied == 3
    assert rm.evaluate([*run.values()], [{"a"}] * 6, ["mrr@2"]).protocol.n_tied == 2
    assert rm.evaluate(run, wanted, ["map"]).protocol.n_tied == 0


def test_the_report_of_lists_does_not_mention_ties():
    for lists in ([["a", "b"], ["b"]], {"u": ["a"], "v": ["b"]}, np.array([[0, 1], [1, 0]])):
        relevant = {user: set() for user in lists} if isinstance(lists, dict) else [set(), set()]
        report = rm.evaluate(lists, relevant, ["mrr@1"])
        assert report.protocol.n_tied is None
        assert "equal scores" not in dict(report.protocol.lines())


@pytest.mark.parametrize(
    ("ties", "first"),
    [
        ("id", "the smaller item id"),
        ("id-descending", "the larger item id"),
        ("order", "the item that was given first"),
    ],
)
def test_the_report_states_how_ties_are_broken(ties, first):
    run = {"u": {"b": 1, "a": 1}, "v": {"a": 2, "b": 1}}
    report = rm.evaluate(run, {"u": {"a"}, "v": {"a"}}, ["mrr@1"], ties=ties)
    said = f"{first} first; a cut-off falls between two of them in 1 list"
    assert dict(report.protocol.lines())["equal scores"] == said
    assert said in str(report)
