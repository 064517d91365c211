"""Sensitivity: corrected intervals at each setting, and where the conclusion turns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys_metrics import Report, baselines, evaluate
from recsys_metrics.bias.off_policy import ips, snips
from recsys_metrics.evaluation import evaluate_ranks, sensitivity
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import candidates, temporal_split
from recsys_metrics.protocol.significance import gain_interval
from tests.evaluation.simulated_evaluation import simulate

# Mean 1, standard deviation 1: 100 users.
GAINS = np.tile([0.0, 2.0], 50)
SPREAD = GAINS.std(ddof=1) / 10


def shifted(shift):
    return GAINS - shift


def test_a_shift_by_hand():
    """The mean is 1 - shift; with 3 settings each interval has a level of 1 - 0.05/3."""
    from scipy.stats import t

    found = sensitivity(shifted, {"shift": [0, 1, 2]}, assumed={"shift": 0})
    half = t.ppf(1 - 0.05 / 6, 99) * SPREAD
    level = 1 - 0.05 / 3
    for each, mean in zip(found.settings, (1, 0, -1), strict=True):
        assert each.estimate == pytest.approx(mean)
        assert [*each.interval] == pytest.approx([mean - half, mean + half], abs=0.01)
        plain = gain_interval(np.zeros(100), GAINS - each.value, level=level)
        assert [*each.interval] == pytest.approx([*plain])
    assert [each.conclusion for each in found.settings] == [
        "better",
        "no difference detected",
        "worse",
    ]
    assert [str(turn) for turn in found.turning_points] == [
        "shift: better at 0, no difference detected at 1",
        "shift: no difference detected at 1, worse at 2",
    ]
    assert "holds at 1 of 3 settings" in found.conclusion


def test_the_sign_change_is_interpolated_or_found():
    curved = {"cap": [0.5, 3.0]}

    def compare(cap):
        return GAINS - cap**2

    rough = sensitivity(compare, curved, assumed={"cap": 0.5}).turning_points[0]
    # Means 0.75 and -8, so 0.5 + 2.5 * 0.75 / 8.75.
    assert rough.sign_change == pytest.approx(0.5 + 2.5 * 0.75 / 8.75)
    fine = sensitivity(compare, curved, assumed={"cap": 0.5}, halvings=40).turning_points[0]
    assert fine.sign_change == pytest.approx(1)


def test_one_setting_has_the_interval_of_the_plain_comparison():
    found = sensitivity(shifted, {"shift": [0.5]}, assumed={"shift": 0.5})
    assert [*found.base.interval] == pytest.approx([*gain_interval(np.zeros(100), GAINS - 0.5)])
    assert found.n_intervals == 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6, unique=True), st.randoms())
def test_neither_order_nor_other_assumptions_change_a_setting(values, random):
    mixed = [*values]
    random.shuffle(mixed)
    one = sensitivity(shifted, {"shift": values}, assumed={"shift": values[0]})
    two = sensitivity(shifted, {"shift": mixed}, assumed={"shift": values[0]})
    ours = {each.value: (each.estimate, each.interval) for each in one.settings}
    assert ours == {each.value: (each.estimate, each.interval) for each in two.settings}
    wide = sensitivity(shifted, {"shift": values}, assumed={"shift": values[0]}, level=0.99)
    for each, wider in zip(one.settings, wide.settings, strict=True):
        assert wider.interval.low <= each.interval.low
        assert wider.interval.high >= each.interval.high


def test_an_assumed_value_counts_once_and_is_put_in_its_place():
    found = sensitivity(
        lambda shift, scale: scale * (GAINS - shift),
        {"shift": [0, 2], "scale": [1, 3]},
        assumed={"shift": 1, "scale": 1},
    )
    assert [each.value for each in found.of("shift")] == [0, 1, 2]
    assert [each.assumed for each in found.settings] == [False, True, False, True, False]
    assert found.n_intervals == 4


def test_all_intervals_together_keep_their_level():
    """Of 300 samples, 95% of the families of 5 intervals contain all true means."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        users = rng.normal(size=(60, 5))

        def compare(column, users=users):
            return users[:, column]

        found = sensitivity(compare, {"column": [0, 1, 2, 3, 4]}, assumed={"column": 0})
        covered += all(0 in each.interval for each in found.settings)
    assert covered >= 275  # 285 are expected; fewer than 275 have a probability of 1%


# What is usually assumed -------------------------------------------------------------------------

SHOP = simulate(1, k=20)
OTHER = simulate(1, k=20, skill=0.6)
TRUTH = {
    user: {item: 1 + at % 5 for at, item in enumerate(sorted(own))}
    for user, own in SHOP.truth.items()
}


def by_lists(threshold=1, k=10, least_history=0):
    kept = [user for user, own in SHOP.history.items() if len(own) >= least_history]
    truth = {user: TRUTH[user] for user in kept}
    lists = [{user: each.lists[user] for user in kept} for each in (SHOP, OTHER)]
    return tuple(evaluate(rows, truth, [f"recall@{k}"], threshold=threshold) for rows in lists)


def test_relevance_threshold_cut_off_and_least_history():
    found = sensitivity(
        by_lists,
        {"threshold": [1, 2, 3], "k": [1, 5, 10, 20], "least_history": [0, 10, 20]},
        assumed={"threshold": 1, "k": 10, "least_history": 0},
    )
    assert len(found.settings) == 10
    assert found.n_intervals == 8
    new, old = by_lists()
    assert found.base.estimate == pytest.approx(new["recall@10"].mean - old["recall@10"].mean)
    assert found.of("least_history")[2].interval.n < 200


RNG = np.random.default_rng(5)
RANKS = RNG.integers(1, 6, 3000)
CLICKS = (RNG.random(3000) < 0.5 / RANKS).astype(float)
PROPENSITY = RNG.choice([0.05, 0.5], 3000)


def test_the_exponent_of_position_bias():
    """Ranks 4 and 5 against 1 and 2: the same attractiveness at an exponent of 1."""

    def gains(exponent):
        attraction = CLICKS * RANKS**exponent
        return np.where(RANKS >= 4, attraction / (RANKS >= 4).mean(),
                        -attraction * (RANKS <= 2) / (RANKS <= 2).mean())  # fmt: skip

    found = sensitivity(
        gains, {"exponent": [0.0, 1.0, 2.0]}, assumed={"exponent": 1.0}, halvings=30
    )
    assert [each.conclusion for each in found.settings] == [
        "worse",
        "no difference detected",
        "better",
    ]


def test_clipping_and_the_floor_of_propensities():
    target = np.full(3000, 0.275)

    def value(clip=100.0, floor=0.01):
        propensity = np.maximum(PROPENSITY, floor)
        return ips(CLICKS, propensity, target, weights="clipped", cap=clip)

    found = sensitivity(
        value,
        {"clip": [1.0, 5.0], "floor": [0.1, 0.3]},
        assumed={"clip": 100.0, "floor": 0.01},
        null=CLICKS.mean(),
    )
    assert found.n_intervals == 5
    assert found.base.estimate == pytest.approx(value(100.0).value - CLICKS.mean())
    normal = sensitivity(
        lambda floor: snips(CLICKS, np.maximum(PROPENSITY, floor), target),
        {"floor": [0.1]},
        assumed={"floor": 0.01},
    )
    assert all(each.interval is not None for each in normal.settings)


LOG = Interactions(
    RNG.integers(0, 80, 2500), RNG.zipf(1.6, 2500) % 60, timestamp=RNG.integers(0, 1000, 2500),
    n_users=80, n_items=60,
)  # fmt: skip


def by_split(at=800, n_samples=20):
    past, later = temporal_split(LOG, at=at)
    users = np.unique(later.user)
    held_out = later.matrix()[users]
    made = []
    for model in (baselines.Popularity(), baselines.RandomScores(seed=0)):
        scores = model.fit(past).scores(users, past)
        ranks = candidates.sampled_ranks(scores, held_out, n_samples=n_samples, seed=0)
        made.append(evaluate_ranks(ranks, ["mrr"]))
    return tuple(made)


def test_the_split_date_and_the_number_of_sampled_negatives():
    def compare(at, n_samples):
        new, old = by_split(at, n_samples)
        return new["mrr"].per_user - old["mrr"].per_user

    found = sensitivity(
        compare,
        {"at": [600, 800, 900], "n_samples": [10, 20, 40]},
        assumed={"at": 800, "n_samples": 20},
    )
    assert len(found.settings) == 6
    assert {each.conclusion for each in found.settings} == {"better"}


# Errors and what is shown ------------------------------------------------------------------------


def test_lower_is_better_for_some_metrics():
    def compare(k):
        lists = {"new": [["A", "B"]] * 40, "old": [["B", "A"]] * 39 + [["A", "B"]]}
        from recsys_metrics import Measure

        mine = Measure.of(place_of_a, better="lower", bounds=(1, 9)).at(k)
        return tuple(evaluate(rows, [{"A"}] * 40, [mine]) for rows in lists.values())

    found = sensitivity(compare, {"k": [2]}, assumed={"k": 2})
    assert found.base.estimate == pytest.approx(39 / 40)
    assert found.base.conclusion == "better"


def place_of_a(recommended):
    """The rank of A."""
    return float(recommended.index("A") + 1)


def test_the_result_is_shown():
    pytest.importorskip("matplotlib")
    found = sensitivity(shifted, {"shift": [0, 1, 2]}, assumed={"shift": 0})
    assert "shift = 0 (assumed)" in str(found)
    axes = found.plot()
    assert axes.get_title(loc="left") == (
        "The conclusion turns with shift: between 0 and 1, between 1 and 2"
    )
    assert "2: -1.000 [" in axes.get_label()
    still = sensitivity(shifted, {"shift": [0, 0.1]}, assumed={"shift": 0}).plot()
    assert still.get_title(loc="left") == "At every value of shift: better"
    assert found.columns()["conclusion"][2] == "worse"


@pytest.mark.parametrize(
    ("compare", "varied", "assumed", "says"),
    [
        (shifted, {"shift": []}, {"shift": 0}, "nothing to vary"),
        (shifted, {"shift": [1]}, {}, "has no assumed value"),
        (lambda shift: 3.0, {"shift": [1]}, {"shift": 0}, "compare with shift=0.*neither two"),
        (lambda shift: [1.0], {"shift": [1]}, {"shift": 0}, "neither two reports"),
        (
            lambda shift: (ips([1, 0], [0.5, 0.5], [shift, 1 - shift]),) * 2,
            {"shift": [0.5]},
            {"shift": 0.2},
            "several estimates",
        ),
    ],
)
def test_what_cannot_be_varied(compare, varied, assumed, says):
    with pytest.raises(ValueError, match=says):
        sensitivity(compare, varied, assumed=assumed)


def test_reports_of_several_metrics_are_refused():
    def compare(k):
        report = evaluate([["A"]] * 30, [{"A"}] * 30, ["mrr@1", f"recall@{k}"])
        assert isinstance(report, Report)
        return report, report

    with pytest.raises(ValueError, match="share 2 metrics"):
        sensitivity(compare, {"k": [2]}, assumed={"k": 1})
    with pytest.raises(ValueError, match="'threshold' was not varied; there are shift"):
        sensitivity(shifted, {"shift": [1]}, assumed={"shift": 0}).of("threshold")


def test_users_who_do_not_change_leave_no_interval():
    found = sensitivity(lambda k: np.zeros(30), {"k": [1, 2]}, assumed={"k": 1})
    assert {each.conclusion for each in found.settings} == {"no difference detected"}
    assert "all 2 settings" in found.conclusion


def test_the_title_counts_assumptions_and_digits_are_those_that_were_requested():
    def compare(k, least=0):
        lists = [["a"]] * 40 + [["b"]] * 10, [["b"]] * 40 + [["a"]] * 10
        return tuple(evaluate(rows, [{"a"}] * 50, [f"recall@{k}"]) for rows in lists)

    one = sensitivity(compare, {"k": [1, 2]}, assumed={"k": 1})
    assert "Sensitivity to 1 assumption\n" in str(one)
    two = sensitivity(compare, {"k": [1, 2], "least": [0, 1]}, assumed={"k": 1, "least": 0})
    assert "Sensitivity to 2 assumptions\n" in str(two)
    assert "| 0.6 | \\[" in one.to_markdown(digits=1)
