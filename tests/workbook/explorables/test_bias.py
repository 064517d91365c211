"""The explorables on bias: numbers by plain definitions, and what the chapter says of them."""

from __future__ import annotations

import math

import pytest

from recsys_metrics.workbook.explorables import REGISTRY
from recsys_metrics.workbook.explorables.bias.floor import COUNTS, floor
from recsys_metrics.workbook.explorables.bias.floor import LIKED as LIKED_OF_EIGHT
from recsys_metrics.workbook.explorables.bias.loop import LIKED, course
from recsys_metrics.workbook.explorables.bias.parity import slots

clipping, loop, parity = (REGISTRY[f"bias.{name}"] for name in ("clipping", "loop", "parity"))


def every(explorable, step):
    for number, state in enumerate(explorable.states()):
        if number % step == 0:
            yield state, explorable.compute(state)


# Clipping: two items, in closed form -----------------------------------------------------------


def test_clipping_numbers_equal_the_expectation_over_two_items():
    for state, numbers in every(clipping, 1):
        chance = {"A": 1 - state["share"], "B": state["share"]}
        liked = {"A": 0.05, "B": 0.10}
        weight = {item: min(0.5 / chance[item], state["cap"]) for item in chance}
        mean = sum(chance[i] * weight[i] * liked[i] for i in chance)
        square = sum(chance[i] * weight[i] ** 2 * liked[i] for i in chance)
        deviation = math.sqrt((square - mean**2) / state["n"])
        assert numbers["plain"] == pytest.approx(sum(chance[i] * liked[i] for i in chance))
        assert numbers["clipped"] == pytest.approx(mean)
        assert numbers["bias"] == pytest.approx(mean - 0.075, abs=1e-12)
        assert numbers["bias"] <= 1e-12
        assert numbers["spread"] == pytest.approx(deviation)
        assert numbers["error"] == pytest.approx(math.hypot(mean - 0.075, deviation))
        first = sum(chance[i] * weight[i] for i in chance)
        second = sum(chance[i] * weight[i] ** 2 for i in chance)
        assert numbers["worth"] == pytest.approx(state["n"] * first**2 / second)


def test_without_clipping_there_is_no_bias():
    for state, numbers in every(clipping, 1):
        if state["cap"] * state["share"] >= 0.5:
            assert numbers["bias"] == pytest.approx(0, abs=1e-12)
            assert numbers["error"] == pytest.approx(numbers["unclipped"])


def test_the_best_clipping_threshold_grows_with_the_log():
    caps, lengths = (list(clipping.controls[i].values) for i in (1, 2))
    best = []
    for n in lengths:
        errors = {
            cap: clipping.compute({**clipping.start, "cap": cap, "n": n})["error"] for cap in caps
        }
        best.append(min(errors, key=errors.get))
    assert best == sorted(best)
    assert best[0] < 10
    assert best[-1] == caps[-1]


def test_the_title_states_whether_clipping_helps():
    cases = ((10, 1_000, "lowers"), (10, 25_000, "raises"), (1_000, 1_000, "clips no weight"))
    for cap, n, words in cases:
        state = {**clipping.start, "cap": cap, "n": n}
        numbers = clipping.compute(state)
        assert words in clipping.draw(state, numbers).alt
        assert (numbers["error"] < numbers["unclipped"]) == (words == "lowers")


# The loop ---------------------------------------------------------------------------------------


def plain_gini(amounts):
    n, total = len(amounts), sum(amounts)
    return sum(abs(a - b) for a in amounts for b in amounts) / (2 * n * total)


def test_feedback_loop_numbers_follow_from_the_exposure():
    for state, numbers in every(loop, 5):
        exposure = course(state["learner"], state["exploration"]).exposure[state["round"]].tolist()
        assert numbers["gini"] == pytest.approx(plain_gini(exposure))
        assert numbers["new"] == pytest.approx(sum(exposure[6:]) / sum(exposure))
        assert numbers["coverage"] == pytest.approx(sum(e > 0 for e in exposure) / 12)
        clicks = sum(e * c for e, c in zip(exposure, LIKED, strict=True)) / 600
        assert numbers["clicks"] == pytest.approx(clicks)
        assert numbers["clicks"] <= numbers["best"] + 1e-12


def test_showing_the_three_best_items_in_order_is_optimal():
    looks = [1, 1 / math.log2(3), 1 / 2]
    best = sum(look * c for look, c in zip(looks, sorted(LIKED)[::-1], strict=False)) / 3
    assert loop.compute(loop.start)["best"] == pytest.approx(best)


def test_statements_of_the_chapter_on_the_feedback_loop_hold():
    def last(learner, exploration):
        return loop.compute({"round": 12, "learner": learner, "exploration": exploration})

    assert last("clicks", 0.0)["new"] == 0
    # Half of the random lists, and hardly more.
    for share in (0.05, 0.1, 0.2, 0.4):
        assert last("clicks", share)["new"] == pytest.approx(share / 2, abs=0.05)
    assert last("clicks", 1.0)["new"] == pytest.approx(0.5, abs=0.05)
    assert last("rate", 0.0)["new"] > 0.5
    assert last("rate", 0.0)["clicks"] > last("clicks", 0.0)["clicks"]
    assert last("rate", 0.0)["gini"] == pytest.approx(last("clicks", 0.0)["gini"], abs=0.01)


def test_after_one_round_new_items_are_not_shown():
    first = loop.compute({"round": 1, "learner": "clicks", "exploration": 0.0})
    assert first["new"] < 0.01


# Parity -----------------------------------------------------------------------------------------


def test_parity_equals_a_count():
    for state, numbers in every(parity, 1):
        feed = slots(state)
        owned = state["owned"] / 100
        assert len(feed) == 20
        assert feed.count("A") == state["slots"]
        share = feed.count("A") / 20
        assert numbers["share"] == pytest.approx(share)
        assert numbers["gap"] == pytest.approx(abs(2 * share - 1))
        rates = share / owned, (1 - share) / (1 - owned)
        assert (numbers["rate_a"], numbers["rate_b"]) == pytest.approx(rates)
        assert numbers["ratio"] == pytest.approx(min(rates) / max(rates))
        looks = [1 / math.log2(rank + 1) for rank in range(1, 21)]
        of_a = sum(look for look, group in zip(looks, feed, strict=True) if group == "A")
        seen = of_a / sum(looks)
        rates = seen / owned, (1 - seen) / (1 - owned)
        assert numbers["looks"] == pytest.approx(min(rates) / max(rates), abs=1e-12)
        assert numbers["clicks"] == pytest.approx(0.3 * seen + 0.2 * (1 - seen))


@pytest.mark.parametrize(
    ("owned", "n", "finding"),
    [
        (80, 16, "Equal rates, unequal shares"),
        (80, 10, "Equal shares, unequal rates"),
        (50, 10, "Equal shares and equal rates"),
        (50, 17, "Neither shares nor rates are equal"),
    ],
)
def test_the_title_states_which_parity_holds(owned, n, finding):
    state = {**parity.start, "owned": owned, "slots": n}
    assert finding in parity.draw(state, parity.compute(state)).alt


def test_even_mixing_gives_equal_exposure():
    for n in range(21):
        feed = slots({**parity.start, "slots": n})
        halves = feed[:10].count("A"), feed[10:].count("A")
        assert abs(halves[0] - halves[1]) <= 1


@pytest.mark.parametrize("explorable", [clipping, loop, parity], ids=lambda e: e.id)
def test_pictures_are_small_and_follow_the_theme(explorable):
    for state, numbers in every(explorable, 17):
        svg = explorable.draw(state, numbers).svg
        assert len(svg) < 12_000
        assert "currentColor" in svg
        assert "nan" not in svg


# A floor: eight items, by hand ------------------------------------------------------------------


def test_propensity_floor_equals_the_computation_for_eight_items():
    seen = [math.sqrt(count / 400) for count in COUNTS]
    for state, numbers in every(floor, 1):
        used = [max((count / 400) ** state["power"], state["floor"]) for count in COUNTS]
        weights = [s / u for s, u in zip(seen, used, strict=True)]
        ips = sum(w * r for w, r in zip(weights, LIKED_OF_EIGHT, strict=True)) / 8
        assert numbers["ips"] == pytest.approx(ips)
        assert numbers["mean_weight"] == pytest.approx(sum(weights) / 8)
        assert numbers["largest"] == pytest.approx(1 / min(used))
        below = [count for count in COUNTS if (count / 400) ** state["power"] < state["floor"]]
        assert numbers["floored"] == len(below)


def test_with_true_propensities_and_no_floor_the_estimate_is_exact():
    numbers = floor.compute(floor.start)
    assert numbers["ips"] == pytest.approx(numbers["truth"])
    assert numbers["mean_weight"] == pytest.approx(1)


def test_a_floor_writes_the_largest_weight_in_full():
    svg = floor.render_state({**floor.start, "power": 1.0})["svg"]
    assert ">400<" in svg
    assert "e+" not in svg
