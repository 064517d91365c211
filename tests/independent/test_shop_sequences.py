"""What the part on sequences prints of the shop, recomputed from the log without the package."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

from tests.independent import plain
from tests.independent.plain import mean
from tests.independent.shop import DAY, Data, Shop, read_tables
from tests.independent.test_movielens import format_row, read_printed
from tests.independent.test_shop import is_compared, is_printed

WEEK = 7 * DAY


@pytest.fixture(scope="module")
def told():
    return read_printed("04_protocol_sequences")


@pytest.fixture(scope="module")
def data():
    return Data(read_tables())


@pytest.fixture(scope="module")
def shop(data):
    return Shop(data)


@pytest.fixture(scope="module")
def log(data):
    """Return the first click of each customer on each product: user, item, time, in their order."""
    rows, seen = [], set()
    # Rows of the log are in the order of time and, within a visit, of the page.
    for row in sorted(data.impressions, key=lambda row: row["time"]):
        if row["clicked"] and (row["user"], row["item"]) not in seen:
            seen.add((row["user"], row["item"]))
            rows.append((row["user"], row["item"], row["time"]))
    return rows


def hold_out_last(log, *, lowest=True):
    """Return training and test rows: of the clicks at a customer's last time, one is held out."""
    by_user = defaultdict(list)
    for row in log:
        by_user[row[0]].append(row)
    test = {}
    for user, rows in by_user.items():
        tied = [row for row in rows if row[2] == rows[-1][2]]
        if len(rows) > 1:
            test[user] = tied[-1] if lowest else tied[0]
    tested = {*test.values()}
    return [row for row in log if row not in tested], test


class Weekly(plain.Experiment):
    """A model that is fitted on some rows, and scores customers by their history."""

    def __init__(self, n_films, past, history, users):
        self.n_films, self.past, self.users = n_films, past, users
        self.history = history
        self.seen = [history.get(user, set()) for user in users]


def histories(rows):
    found = defaultdict(set)
    for user, item, _ in rows:
        found[user].add(item)
    return found


def as_past(rows):
    return [(user, item, 5, time) for user, item, time in rows]


def test_three_targets(shop, told):
    order = sorted(shop.hidden, key=lambda row: row[3])
    items = defaultdict(list)
    for user, item, _, _ in order:
        if item not in items[user]:
            items[user].append(item)
    targets = {
        "next": [{items[user][0]} for user in shop.users],
        "all later": shop.wanted,
        "last": [{items[user][-1]} for user in shop.users],
    }
    lists = {model: shop.lists(shop.scores[model]) for model in ("EASE", "production baseline")}
    values = {
        (model, target): [plain.ndcg(*both) for both in zip(lists[model], wanted, strict=True)]
        for model in lists
        for target, wanted in targets.items()
    }
    for target in targets:
        new, old = (values[model, target] for model in lists)
        assert format_row(target, mean(new), mean(old)) in told
        assert is_compared(told, f"EASE - production baseline (NDCG@10, {target}): ", new, old)
    new, old = values["EASE", "next"], values["EASE", "last"]
    assert is_compared(told, "next item - last item (EASE): ", new, old)


def test_sessions_that_leave_one_out_cuts(log, told):
    train, test = hold_out_last(log)
    # Two clicks of a customer are in one session if each pause between them is short.
    begins = {}
    for user, _, time in log:
        before = [when for who, when in begins if who == user and time - when <= 1800]
        begins[user, time] = begins[user, max(before)] if before else (user, time)
    cut = {begins[user, time] for user, _, time in train} & {
        begins[user, time] for user, _, time in test.values()
    }
    assert format_row("last click", len(test), len(cut)) in told


def values_of(n_films, train, test, known):
    """Return each tested customer's NDCG, by item kNN that is fitted for each week."""
    history, found = histories(train), {}
    by_week = defaultdict(list)
    for user, _, time in test.values():
        by_week[time // WEEK * WEEK].append(user)
    for monday, users in by_week.items():
        fitted = Weekly(n_films, as_past(known(monday)), history, users)
        for user, row in zip(users, fitted.item_knn(neighbours=20), strict=True):
            left = [item for item in range(n_films) if item not in history[user]]
            best = sorted(left, key=lambda item, row=row: (-row[item], item))[:10]
            found[user] = plain.ndcg(best, {test[user][1]})
    return [found[user] for user in sorted(found)]


@pytest.fixture(scope="module")
def on_the_past(data, log):
    train, test = hold_out_last(log)
    return values_of(
        data.n_films, train, test, lambda monday: [row for row in train if row[2] < monday]
    )


def test_the_future_of_other_customers(data, log, on_the_past, told):
    train, test = hold_out_last(log)
    future = values_of(data.n_films, train, test, lambda _: train)
    assert is_compared(told, "all other clicks - the past (item kNN): ", future, on_the_past)


def test_ties_of_the_last_time(data, log, on_the_past, told):
    train, test = hold_out_last(log, lowest=False)
    highest = values_of(
        data.n_films, train, test, lambda monday: [row for row in train if row[2] < monday]
    )
    assert is_compared(told, "highest - lowest (NDCG@10): ", highest, on_the_past)


def test_repeated_and_new_products(data, shop, told):
    clicks = [row for row in data.impressions if row["clicked"]]
    later = {(row["user"], row["item"]) for row in clicks if row["time"] >= shop.cut}
    again = [pair for pair in later if pair[1] in shop.history.get(pair[0], ())]
    assert f"({len(again)}, {len(later) - len(again)})" in told


# Filters and cold start ------------------------------------------------------------------------


def k_core(rows, k):
    """Remove users and items with fewer than k rows until none is left."""
    while True:
        users, items = Counter(row[0] for row in rows), Counter(row[1] for row in rows)
        left = [row for row in rows if users[row[0]] >= k and items[row[1]] >= k]
        if left == rows:
            return rows
        rows = left


def gains_in(data, cut, rows):
    """Return what each customer tested in a log gains by item kNN over popularity, two lists."""
    train, test = ([row for row in rows if (row[2] < cut) is early] for early in (True, False))
    last, wanted, history = max(row[2] for row in train), histories(test), histories(train)
    fitted = Weekly(data.n_films, as_past(train), history, sorted(wanted))
    clicks = Counter(item for _, item, _ in train)
    popular = [[float(clicks[item]) for item in range(data.n_films)]] * len(fitted.users)
    found = []
    for scores in (fitted.item_knn(neighbours=20), popular):
        values = {}
        for user, row in zip(fitted.users, scores, strict=True):
            left = [
                item
                for item, when in enumerate(data.available)
                if when <= last and item not in history[user]
            ]
            best = sorted(left, key=lambda item, row=row: (-row[item], item))[:10]
            values[user] = plain.ndcg(best, wanted[user])
        found.append(values)
    return found


@pytest.fixture(scope="module")
def cores(log):
    return {k: k_core(log, k) for k in (1, 3, 5, 7)}


@pytest.fixture(scope="module")
def in_cores(data, shop, cores):
    return {k: gains_in(data, shop.cut, rows) for k, rows in cores.items()}


def test_what_a_k_core_leaves(log, cores, told):
    for k, rows in cores.items():
        n_users, n_items = (len({row[side] for row in rows}) for side in (0, 1))
        sizes = n_users, n_items, len(rows), len(rows) / n_users / n_items
        assert format_row(f"{k}-core", *sizes) in told
    assert k_core(log, 10) == []


def test_two_models_within_each_core(in_cores, told):
    for k, (new, old) in in_cores.items():
        pair = [[values[user] for user in sorted(new)] for values in (new, old)]
        assert is_compared(told, f"item kNN - popularity ({k}-core): ", *pair)
    for k in (3, 5, 7):
        users = sorted(in_cores[k][0])
        gains = [
            [new[user] - old[user] for user in users] for new, old in (in_cores[k], in_cores[1])
        ]
        assert is_compared(told, f"{k}-core - whole log (gain, {k}-core): ", *gains)


@pytest.fixture(scope="module")
def of_two_models(shop):
    """Return the lists of two models, fitted on all clicks before the cut-off time."""
    return [shop.lists(shop.scores[model]) for model in ("item kNN", "popularity")]


def test_gains_by_the_length_of_the_history(shop, log, of_two_models, told):
    known = Counter(user for user, _, time in log if time < shop.cut)
    values = [
        [plain.ndcg(*both) for both in zip(lists, shop.wanted, strict=True)]
        for lists in of_two_models
    ]
    gains = {}
    for name, least, most in (("01–05", 1, 5), ("06–10", 6, 10), ("11–24", 11, 24)):
        own = [n for n, user in enumerate(shop.users) if least <= known[user] <= most]
        new, old = ([of_model[n] for n in own] for of_model in values)
        middle, low, high, _ = plain.paired(new, old)
        line = f"ndcg@10, {name} {len(own)} {mean(new):.3f} {mean(old):.3f} {middle:+.3f}"
        assert is_printed(told, line, (low, high)), line
        gains[name] = [a - b for a, b in zip(new, old, strict=True)]
    long, short = gains["11–24"], gains["01–05"]
    parts = [sum((x - mean(g)) ** 2 for x in g) / (len(g) - 1) / len(g) for g in (long, short)]
    freedom = sum(parts) ** 2 / sum(
        p**2 / (len(g) - 1) for p, g in zip(parts, (long, short), strict=True)
    )
    reach = plain.root(lambda t: 0.025 - plain.t_tail(t, freedom), 0.0, 10.0) * sum(parts) ** 0.5
    middle = mean(long) - mean(short)
    line = f"long history - short history (gain): {middle:.3f}"
    assert is_printed(told, line, (middle - reach, middle + reach))


def test_recall_by_the_clicks_of_a_product(shop, log, of_two_models, told):
    clicks = Counter(item for _, item, time in log if time < shop.cut)
    for name, least, most in (("0", 0, 0), ("1–9", 1, 9), ("10–49", 10, 49), ("50+", 50, 999)):
        part = [{i for i in wanted if least <= clicks[i] <= most} for wanted in shop.wanted]
        recalls = [
            [plain.recall(*both) for both in zip(lists, part, strict=True) if both[1]]
            for lists in of_two_models
        ]
        assert format_row(name, sum(map(len, part)), *map(mean, recalls)) in told
        if least:
            middle, low, high, _ = plain.paired(*recalls)
            line = next(one for one in told if one.startswith(f"item kNN - popularity ({name}): "))
            value, least_end, most_end = re.search(r"(\S+) \[(\S+), (\S+)\]", line).groups()
            assert value == f"{middle:.3f}"
            # Where few recalls differ, the library's interval is wider than Student's.
            assert low - 0.01 < float(least_end) < low + 0.001
            assert high - 0.001 < float(most_end) < high + 0.01
