"""What the part on stages prints of the shop, recomputed from the log without the package."""

from __future__ import annotations

import math

import pytest

from tests.independent import plain
from tests.independent.plain import mean
from tests.independent.shop import Data, Shop, read_tables
from tests.independent.test_movielens import fmt, format_row, read_printed
from tests.independent.test_shop import is_compared

NUMBERS = (10, 20, 50, 100, 200)


@pytest.fixture(scope="module")
def told():
    return read_printed("02_ranking_stages")


@pytest.fixture(scope="module")
def shop():
    return Shop(Data(read_tables()))


def best(scores, candidates, n):
    """Return the n candidates with the highest scores; of equal ones the lower number."""
    return sorted(candidates, key=lambda item: (-scores[item], item))[:n]


@pytest.fixture(scope="module")
def retrieved(shop):
    """Return the first 200 items of each customer, by model."""
    sold = [item for item in range(shop.n_films) if shop.sold[item]]
    return {
        model: [
            best(row, [item for item in sold if item not in seen], 200)
            for row, seen in zip(shop.scores[model], shop.seen, strict=True)
        ]
        for model in ("popularity", "item kNN", "random")
    }


def ranked(shop, retrieved, n, model="EASE"):
    rows = zip(shop.scores[model], retrieved, strict=True)
    return [best(row, items[:n], 10) for row, items in rows]


def recalls(shop, lists, n):
    pairs = zip(lists, shop.wanted, strict=True)
    return [len(wanted & {*items[:n]}) / len(wanted) for items, wanted in pairs]


def conditional_ndcg(shop, retrieved, shown, n):
    """Return each customer's value, None for one of whom nothing relevant was retrieved."""
    values = []
    for items, recommended, wanted in zip(retrieved, shown, shop.wanted, strict=True):
        reached = wanted & {*items[:n]}
        values.append(plain.ndcg(recommended, reached) if reached else None)
    return values


def whole_ndcg(shop, shown):
    return [plain.ndcg(*both) for both in zip(shown, shop.wanted, strict=True)]


def test_the_size_of_the_shop(shop, told):
    assert f"{sum(shop.sold)} products, {len(shop.users)} customers" in told


def test_recall_of_three_retrieval_stages(shop, retrieved, told):
    for n in NUMBERS:
        found = [mean(recalls(shop, lists, n)) for lists in retrieved.values()]
        assert format_row(str(n), *found) in told
    for n in (20, 200):
        new, old = (recalls(shop, retrieved[model], n) for model in ("item kNN", "popularity"))
        assert is_compared(told, f"item kNN - popularity (recall@{n}): ", new, old), n


def test_what_each_stage_loses(shop, retrieved, told):
    items = retrieved["popularity"]
    first, last = recalls(shop, items, 50), recalls(shop, ranked(shop, items, 50), 10)
    some = [after / before for after, before in zip(last, first, strict=True) if before]
    lines = [" ".join(line.split()) for line in told]
    one, two = mean(first), mean(last)
    assert f"retrieval 50.0 {fmt(one)} {fmt(one)} {fmt(1 - one)}" in lines
    assert f"ranking 10.0 {fmt(two)} {fmt(mean(some))} {fmt(one - two)}" in lines


def test_conditional_and_whole_ndcg(shop, retrieved, told):
    given, whole = {}, {}
    for n in NUMBERS:
        shown = ranked(shop, retrieved["popularity"], n)
        given[n] = conditional_ndcg(shop, retrieved["popularity"], shown, n)
        whole[n] = whole_ndcg(shop, shown)
        values = [value for value in given[n] if value is not None]
        assert format_row(str(n), len(values), mean(values), mean(whole[n])) in told
    both = [pair for pair in zip(given[10], given[100], strict=True) if None not in pair]
    few, many = zip(*both, strict=True)
    start = "10 retrieved - 100 retrieved "
    assert is_compared(told, f"{start}(conditional NDCG@10): ", few, many)
    assert is_compared(told, f"{start}(NDCG@10): ", whole[10], whole[100])
    better = whole_ndcg(shop, ranked(shop, retrieved["item kNN"], 20))
    assert is_compared(told, "item kNN - popularity (NDCG@10): ", better, whole[20])


def test_two_ranking_models_with_the_same_candidates(shop, retrieved, told):
    items = retrieved["popularity"]
    first = recalls(shop, items, 100)
    found = {}
    for model in ("EASE", "popularity"):
        last = recalls(shop, ranked(shop, items, 100, model), 10)
        found[model] = [b / a for a, b in zip(first, last, strict=True) if a]
        assert format_row(model, mean(first), mean(found[model])) in told
    assert is_compared(told, "EASE - popularity (conditional recall@10): ", *found.values())


def test_the_ideal_list_of_the_candidates_is_shorter():
    assert plain.ndcg([1, 2], {1}) == 1
    assert plain.ndcg([1, 2], {1, 3}) == pytest.approx(1 / (1 + 1 / math.log2(3)))
