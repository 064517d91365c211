"""The closed loop: what grows, what stays, and what is only chance."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics.bias.feedback import simulate_feedback_loop

ALIKE = np.full((300, 40), 0.3)


def test_an_early_lead_grows_although_all_items_are_equal():
    loop = simulate_feedback_loop(ALIKE, n_rounds=8, k=4, seed=0)
    assert len(loop) == 8
    assert loop.gini[0] < 0.15
    assert loop.gini[-1] > 0.85
    # Exposure goes to at most the four items that lead, which is nine tenths of a Gini.
    assert loop.coverage[0] == 1
    assert loop.coverage[-1] == 0.1
    assert (np.diff(loop.cumulative_gini) > 0).all()


def test_a_random_recommender_does_not_concentrate_exposure():
    loop = simulate_feedback_loop(ALIKE, n_rounds=8, k=4, model="random", seed=0)
    assert loop.gini.max() < 0.15
    assert (loop.coverage == 1).all()
    assert np.diff(loop.cumulative_gini).sum() < 0


def test_dividing_clicks_by_examinations_concentrates_less():
    popular, corrected = (
        simulate_feedback_loop(ALIKE, n_rounds=12, k=4, model=model, seed=1)
        for model in ("popularity", "click-rate")
    )
    assert corrected.cumulative_gini[-1] < popular.cumulative_gini[-1] - 0.1


def test_exploration_keeps_the_tail_alive():
    closed, open_ = (
        simulate_feedback_loop(ALIKE, n_rounds=8, k=4, exploration=share, seed=2)
        for share in (0.0, 0.3)
    )
    assert open_.gini[-1] < closed.gini[-1] - 0.1
    assert open_.coverage[-1] == 1
    every = simulate_feedback_loop(ALIKE, n_rounds=8, k=4, exploration=1.0, seed=2)
    assert every.gini.max() < 0.15


def test_groups_share_the_exposure_and_the_better_one_takes_it():
    affinity = np.tile(np.repeat([0.30, 0.35], 20), (300, 1))
    groups = np.repeat(["small", "big"], 20)
    loop = simulate_feedback_loop(affinity, n_rounds=6, k=4, groups=groups, seed=0)
    assert loop.groups == ("big", "small")
    np.testing.assert_allclose(loop.group_exposure.sum(axis=1), 1)
    assert loop.group_exposure[0] == pytest.approx([0.5, 0.5], abs=0.05)
    # A sixth more liking turns into four fifths of the attention, and rising.
    assert loop.group_exposure[-1, 0] > 0.8


def test_attention_and_click_rates_add_up():
    loop = simulate_feedback_loop(ALIKE, n_rounds=3, k=4, seed=0)
    look = 1 / np.log2([2, 3, 4, 5])
    np.testing.assert_allclose(loop.exposure.sum(axis=1), 300 * look.sum())
    assert loop.best_click_rate == pytest.approx(0.3 * look.mean())
    assert loop.click_rate == pytest.approx([0.3 * look.mean()] * 3, abs=0.04)
    flat = simulate_feedback_loop(ALIKE, n_rounds=3, k=4, attention="none", seed=0)
    assert (flat.exposure.sum(axis=1) == 1200).all()
    assert flat.best_click_rate == pytest.approx(0.3)


def test_click_probabilities_of_0_and_1():
    sure = simulate_feedback_loop(np.ones((5, 4)), n_rounds=2, k=2, attention="none")
    assert sure.click_rate.tolist() == [1, 1]
    never = simulate_feedback_loop(np.zeros((5, 4)), n_rounds=3, k=2)
    assert never.click_rate.tolist() == [0, 0, 0]


def test_a_custom_model_gets_clicks_and_examinations_only():
    seen = []

    def model(clicks, looks):
        seen.append((clicks.sum(), looks.sum()))
        clicks[:] = -1  # What it does to its copy is its own affair.
        return np.arange(40) if len(seen) == 1 else np.tile(np.arange(40), (300, 1))

    loop = simulate_feedback_loop(ALIKE, n_rounds=3, k=4, model=model, attention="none", seed=0)
    assert loop.exposure[1].nonzero()[0].tolist() == [36, 37, 38, 39]
    assert loop.exposure[2].nonzero()[0].tolist() == [36, 37, 38, 39]
    assert [looks for _, looks in seen] == [1200, 2400]
    assert seen[0][0] == loop.click_rate[0] * 1200
    assert seen[1][0] == pytest.approx((loop.click_rate[0] + loop.click_rate[1]) * 1200)


def test_a_seed_reproduces_the_simulation():
    one, two, other = (simulate_feedback_loop(ALIKE, n_rounds=4, k=4, seed=s) for s in (5, 5, 6))
    np.testing.assert_array_equal(one.exposure, two.exposure)
    assert (one.exposure != other.exposure).any()


@pytest.mark.slow
def test_large_tables_are_simulated_in_blocks():
    wide = simulate_feedback_loop(np.full((3000, 1000), 0.01), n_rounds=2, k=2, seed=0)
    assert wide.exposure.shape == (2, 1000)
    assert wide.gini[1] > 0.9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 41}, "k is 41, but there are only 40 items"),
        ({"k": 0}, "k is a whole number of 1 or more"),
        ({"n_rounds": 0}, "n_rounds is a whole number of 1 or more"),
        ({"model": "itemknn"}, "model must be one of 'popularity', 'click-rate', 'random'"),
        ({"attention": "linear"}, "attention must be one of"),
        ({"exploration": 1.1}, "exploration is a share between 0 and 1"),
        ({"groups": ["a"]}, "groups must name one group for each of 40 items"),
        ({"model": lambda *_: np.zeros(3)}, r"scores of shape \(3,\); give one per item, \(40,\)"),
        ({"model": lambda *_: np.full(40, np.nan)}, "the model returned NaN"),
    ],
)
def test_invalid_arguments_raise(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate_feedback_loop(ALIKE, **arguments)


def test_invalid_affinity_raises():
    with pytest.raises(ValueError, match=r"affinity\[0, 1\] is 1.5; it must be in \[0, 1\]"):
        simulate_feedback_loop([[0.5, 1.5]], k=1)
    with pytest.raises(ValueError, match=r"affinity\[0, 0\] is nan"):
        simulate_feedback_loop([[np.nan, 0.5]], k=1)
    with pytest.raises(ValueError, match="affinity must be a table"):
        simulate_feedback_loop([0.5], k=1)


@pytest.mark.parametrize(
    "groups", [[None] * 4, ["a", None, "b", "b"], ["a", float("nan"), "b", "b"]]
)
def test_an_item_without_a_group_is_refused(groups):
    with pytest.raises(ValueError, match=r"groups\[[01]\] is .*, which is no group"):
        simulate_feedback_loop(np.full((3, 4), 0.3), k=2, groups=groups)
