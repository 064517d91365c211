"""What the capstone prints of its shop, recomputed from the log without the package."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest

from tests.independent import plain
from tests.independent.plain import mean
from tests.independent.shop import DAY, Data, Shop, read_tables
from tests.independent.test_movielens import fmt, format_row, read_printed

MODELS = ("production baseline", "random", "popularity", "item kNN", "EASE")
PAIR = ("EASE", "production baseline")


def is_printed(told, start, interval):
    """Say whether a line begins so, and the ends of its interval agree to the last digit but one.

    The library widens the interval of a bounded metric a little beyond Student's.
    """
    for line in told:
        ends = re.match(r" \[(\S+), (\S+)\]", line.removeprefix(start))
        if line.startswith(start) and ends:
            pairs = zip(map(float, ends.groups()), interval, strict=True)
            return all(abs(one - other) < 0.0021 for one, other in pairs)
    return False


def is_compared(told, start, new, old):
    """Say whether a line begins so, with the paired difference and its interval."""
    middle, low, high, _ = plain.paired(new, old)
    return is_printed(told, f"{start}{middle:.3f}", (low, high))


@pytest.fixture(scope="module")
def told():
    return read_printed("07_choosing_capstone")


@pytest.fixture(scope="module")
def data():
    return Data(read_tables())


@pytest.fixture(scope="module")
def shop(data):
    return Shop(data)


@pytest.fixture(scope="module")
def lists(shop):
    return {name: shop.lists(scores) for name, scores in shop.scores.items()}


@pytest.fixture(scope="module")
def values(shop, lists):
    """Return each customer's value of each metric, by metric and model."""
    return {
        name: {
            model: [metric(*both) for both in zip(recommended, shop.wanted, strict=True)]
            for model, recommended in lists.items()
        }
        for name, metric in plain.MEASURES.items()
    }


def test_the_split(shop, told):
    assert {
        format_row("training", len(shop.past)),
        format_row("test", len(shop.hidden)),
    } <= {*told}
    assert format_row("EASE", len(shop.users), 10) in told
    trained = {row[0] for row in shop.past}, {row[1] for row in shop.past}
    users = {row[0] for row in shop.hidden} - trained[0]
    items = {row[1] for row in shop.hidden} - trained[1]
    line = f"Tested but never trained on: users {len(users)}, items {len(items)};"
    assert any(each.startswith(line) for each in told)


def test_the_settings_on_the_validation_split(data, told):
    earlier = Shop(data, weeks_earlier=4)

    def validated(scores):
        rows = zip(earlier.lists(scores), earlier.wanted, strict=True)
        return mean(plain.ndcg(*both) for both in rows)

    for weeks in (1, 4, 8):
        line = format_row(f"popularity {7 * weeks} days", validated(earlier.popularity(weeks)))
        assert line in told
    assert format_row("popularity all time", validated(earlier.popularity())) in told
    for n in (5, 20, 100):
        line = format_row(f"item kNN {n} neighbours", validated(earlier.item_knn(neighbours=n)))
        assert line in told
    for weight in (1, 10, 100):
        assert format_row(f"EASE λ = {weight}", validated(earlier.ease(weight=weight))) in told
    old, new = (
        [plain.ndcg(*both) for both in zip(earlier.lists(scores), earlier.wanted, strict=True)]
        for scores in (earlier.popularity(1), earlier.ease(weight=10))
    )
    middle, low, high, _ = plain.paired(new, old)
    line = f"EASE - production baseline (ndcg@10, validation): {middle:.3f}"
    assert is_printed(told, line, (low, high)), line


def test_accuracy_of_five_models_and_the_paired_gain(values, told):
    for name in ("ndcg", "recall", "hit_rate"):
        means = {model: mean(values[name][model]) for model in MODELS}
        assert format_row(f"{name}@10", *means.values()) in told
        new, old = (values[name][model] for model in PAIR)
        test = plain.paired_hits if name == "hit_rate" else plain.paired
        middle, low, high, _ = test(new, old)
        line = f"{name}@10 {fmt(mean(new))} {fmt(mean(old))} {middle:+.3f}"
        assert is_printed(told, line, (low, high)), line


def test_metrics_beyond_accuracy(shop, lists, data, told):
    known = Counter(item for _, item in {row[:2] for row in shop.past})

    def bits(recommended):
        return mean(-math.log2(max(known[item], 1) / data.n_users) for item in recommended)

    beyond = {
        "coverage@10": lambda lists: len({i for one in lists for i in one}) / shop.n_films,
        "gini@10": lambda lists: plain.gini(plain.shown(lists, shop.n_films)),
        "personalization@10": plain.personalization,
        "diversity@10": lambda lists: mean(plain.diversity(one, data.genres) for one in lists),
        "novelty(unseen=one)@10": lambda lists: mean(map(bits, lists)),
    }
    for name, of in beyond.items():
        assert format_row(name, *(of(lists[model]) for model in MODELS)) in told
    new, old = ([plain.diversity(one, data.genres) for one in lists[model]] for model in PAIR)
    middle, low, high, _ = plain.paired(new, old)
    line = f"diversity@10 {fmt(mean(new))} {fmt(mean(old))} {middle:+.3f}"
    assert is_printed(told, line, (low, high)), line


def test_gain_in_each_segment(shop, values, data, told):
    for segment in ("new", "regular"):
        own = [n for n, user in enumerate(shop.users) if data.segments[user] == segment]
        new, old = ([values["ndcg"][model][n] for n in own] for model in PAIR)
        middle, low, high, _ = plain.paired(new, old)
        line = f"ndcg@10, {segment} {len(own)} {fmt(mean(new))} {fmt(mean(old))} {middle:+.3f}"
        assert is_printed(told, line, (low, high)), line
        wanted = [len(shop.wanted[n]) for n in own]
        most = mean(min(n, 10) / 10 for n in wanted)
        assert format_row(segment, mean(wanted), most) in told


def test_head_and_tail(shop, lists, told):
    clicks = Counter(row[1] for row in shop.past)
    held, head = 0, set()
    for count in sorted(set(clicks.values()), reverse=True):
        level = {item for item, n in clicks.items() if n == count}
        if held + count * len(level) > len(shop.past) / 2:
            break
        held, head = held + count * len(level), head | level
    assert {format_row("head", len(head)), format_row("tail", shop.n_films - len(head))} <= {*told}
    parts = {"head": head, "tail": set(range(shop.n_films)) - head}

    def recalls(recommended, part):
        rows = zip(recommended, shop.wanted, strict=True)
        return [plain.recall(one, wanted & part) for one, wanted in rows if wanted & part]

    for model in MODELS:
        found = [mean(recalls(lists[model], part)) for part in parts.values()]
        assert format_row(model, *found) in told
    for name, part in parts.items():
        new, old = (recalls(lists[model], part) for model in PAIR)
        middle, low, high, _ = plain.paired(old, new)
        line = f"production baseline - EASE (recall in the {name}): {middle:.3f}"
        assert is_printed(told, line, (low, high)), line


def test_what_the_shop_showed_of_each_list(shop, lists, data, told):
    late = {(row["user"], row["item"]) for row in data.impressions if row["time"] >= shop.cut}
    for model, recommended in lists.items():
        pairs = zip(shop.users, recommended, strict=True)
        shares = [mean(float((user, item) in late) for item in one) for user, one in pairs]
        assert format_row(model, mean(shares)) in told


def test_off_policy_estimate_of_the_production_list(shop, data, told):
    order = sorted(range(shop.n_films), key=shop.scores["production baseline"][0].__getitem__)
    weights, clicks, first = [], [], 0
    for row in data.impressions:
        if row["time"] < shop.cut or row["rank"] != 1:
            continue
        first += 1
        seen = shop.history.get(row["user"], ())
        # Of equal scores the lower number comes first.
        best = sorted(
            (item for item in order if item not in seen),
            key=lambda item: (-shop.scores["production baseline"][0][item], item),
        )
        weight = 0.1 / row["propensity"] if row["item"] in best[:10] else 0.0
        weights.append(weight)
        clicks.append(weight * row["clicked"])
    total = sum(weights)
    ess = total**2 / sum(weight**2 for weight in weights)
    start = format_row("production baseline", first, sum(clicks) / total)
    end = format_row("", ess, total / first)
    assert any(line.startswith(start) and line.endswith(end) for line in told)


def test_a_launch_by_click_rate(shop, data, told):
    shown, clicks = Counter(), Counter()
    for row in data.impressions:
        if row["time"] < shop.cut:
            shown[row["item"]] += 1
            clicks[row["item"]] += row["clicked"]
    rate = [clicks[item] / max(shown[item], 1) for item in range(shop.n_films)]
    rate = [value if sold else float("-inf") for value, sold in zip(rate, shop.sold, strict=True)]
    top = max(range(shop.n_films), key=rate.__getitem__)
    assert any(line.endswith(f" {shown[top]} {clicks[top]} {fmt(rate[top])}") for line in told)
    launch = shop.lists([rate] * len(shop.users))
    today = shop.lists(shop.scores["production baseline"])
    new, old = (
        [plain.ndcg(*both) for both in zip(each, shop.wanted, strict=True)]
        for each in (launch, today)
    )
    middle, low, high, _ = plain.paired(new, old)
    line = f"ndcg@10 {fmt(mean(new))} {fmt(mean(old))} {middle:+.3f}"
    assert is_printed(told, line, (low, high)), line


def test_the_test_period_is_four_weeks(shop, data):
    assert max(row["time"] for row in data.impressions) < shop.cut + 4 * 7 * DAY
