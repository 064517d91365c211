"""The preflight finds each fault, none in sound evaluations, and its tests keep their rate."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import recsys_metrics as rm
from recsys_metrics import evaluate, preflight
from recsys_metrics.evaluation._preflight._chance import (
    HitTable,
    _test_order,
    _test_random,
    p_of_pairing,
)
from recsys_metrics.evaluation._preflight._ids import find_two_writings
from recsys_metrics.evaluation._preflight._inputs import read_evaluation
from recsys_metrics.evaluation._preflight._times import check_times
from recsys_metrics.evaluation._preflight._truth_first import check_truth_first
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leave_last_n_out, leave_last_session_out, temporal_split
from tests.evaluation.simulated_evaluation import Simulated, simulate

SHOP = simulate(1)
TEXT = simulate(1, ids="text")


def check(evaluation: Simulated, **options):
    (lists, truth), given_ = evaluation.arguments
    return preflight(lists, truth, **given_, **options)


def faults(result) -> set[str]:
    return {each.check for each in result.faults}


def of_each(lists, change):
    return {user: change(row) for user, row in lists.items()}


def reading(lists, truth, **options):
    asked = {"history": None, "catalog": None, "threshold": None, "k": None, "columns": {}}
    return read_evaluation(lists, truth, **{**asked, **options})


# Hand-computed cases -----------------------------------------------------------------------------


def test_the_running_example_has_no_fault_and_known_references():
    result = preflight(
        {"ann": ["A", "B", "C", "D", "E"]},
        {"ann": {"B", "C", "E", "G"}},
        measure="recall@5",
        catalog=["A", "B", "C", "D", "E", "F", "G", "H"],
    )
    values = {each.name: each.value for each in result.references}
    assert result.faults == ()
    assert values["the recommender"] == 0.75
    assert values["oracle"] == 1.0


def test_counts_and_shares_by_hand():
    history = {"ann": {"A", "Z"}, "bob": {"B"}}
    result = preflight({"ann": ["A", "B"], "bob": ["C", "D"]}, {"ann": {"Z"}, "bob": {"C"}},
                       history=history, measure="recall@2")  # fmt: skip
    found = {each.check: (each.count, each.total) for each in result.faults}
    assert found == {"history": (1, 4), "leak": (1, 2)}
    assert {each.check: each.share for each in result.faults} == {"history": 0.25, "leak": 0.5}


def test_the_sum_of_a_random_pairing_has_the_moments_of_all_pairings():
    table = np.array([[2, 0, 1, 0], [0, 1, 0, 0], [1, 0, 3, 1], [0, 0, 0, 2]], dtype=float)
    sums = [sum(table[u, v] for u, v in enumerate(order)) for order in permutations(range(4))]
    n, whole = 4, table.sum()
    double = table - table.mean(0) - table.mean(1)[:, None] + whole / n**2
    assert np.mean(sums) == pytest.approx(whole / n)
    assert np.var(sums) == pytest.approx((double**2).sum() / (n - 1))
    from scipy.stats import norm, poisson

    mean, deviation = np.mean(sums), np.std(sums)
    wanted = max(norm.sf((7.5 - mean) / deviation), poisson.sf(7, mean))
    assert p_of_pairing(csr_array(table), 8) == pytest.approx(wanted)
    assert p_of_pairing(csr_array(table), mean) == 1.0


def test_the_rank_sum_of_hits_by_hand():
    # One hit at rank 4 of 4, one at rank 3 of 4: mean 2 * 2.5, variance 2 * 3 * 5 / 12.
    read = reading({1: ["a", "b", "c", "d"], 2: ["a", "b", "c", "d"]}, {1: {"d"}, 2: {"c"}})
    from scipy.stats import norm

    assert _test_order(read).p_value == pytest.approx(norm.sf((7 - 0.5 - 5) / np.sqrt(2.5)))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 6)), min_size=1, max_size=6), st.data())
def test_too_few_hits_have_at_least_their_exact_probability(shapes, data):
    """The sum of hypergeometric hits, by convolution."""
    from scipy.stats import hypergeom

    catalog, lists, truth, exact = list(range(12)), {}, {}, np.ones(1)
    for user, (k, relevant) in enumerate(shapes):
        hits = data.draw(st.integers(max(0, k + relevant - 12), min(k, relevant)))
        truth[user] = {*range(relevant)}
        lists[user] = [*range(hits), *range(relevant, relevant + k - hits)]
        exact = np.convolve(exact, hypergeom(12, relevant, k).pmf(range(k + 1)))
    tested = _test_random(reading(lists, truth, catalog=catalog), repeat_consumption=False)
    hits = sum(len({*row} & truth[user]) for user, row in lists.items())
    assert tested.p_value >= exact[: hits + 1].sum() - 1e-12


def starts_with_truth(n_perfect: int, n_near: int, n_poor: int, **options):
    """Users of 3 relevant items among 40: all of them first, all but one, or none."""
    starts = {"perfect": [0, 1, 2, 9, 8], "near": [0, 7, 2, 9, 8], "poor": [6, 7, 5, 9, 8]}
    kinds = ["perfect"] * n_perfect + ["near"] * n_near + ["poor"] * n_poor
    lists = {user: [3 * user + at for at in starts[kind]] for user, kind in enumerate(kinds)}
    truth = {user: {3 * user, 3 * user + 1, 3 * user + 2} for user in lists}
    read = reading(lists, truth, k=5)
    asked = {"repeat_consumption": False, "sampled": None, **options}
    return [each.p_value for each in check_truth_first(read, **asked)]


def test_perfect_starts_against_those_with_one_miss_by_hand():
    # 80 of 200 users hit 3 times and 10 twice: 260 of 600 hit, so q = 1 - (340 / 600) / 8.
    from scipy.stats import binom

    q = 1 - 340 / 600 / 8
    wanted = binom.sf(79, 90, q / (q + 3 * (1 - q)))
    assert starts_with_truth(80, 10, 110) == pytest.approx([wanted, wanted])
    assert starts_with_truth(60, 30, 110) == [1.0, 1.0]
    assert starts_with_truth(0, 0, 110) == [1.0, 1.0]
    assert starts_with_truth(80, 10, 110, sampled=2) == []


@pytest.mark.parametrize("chances", [(0.9,), (0.2, 0.9), (0.05, 0.4, 0.85)])
def test_users_of_any_quality_keep_the_rate_of_perfect_starts(chances):
    """Places are hit independently, with a chance that differs between users."""
    rng = np.random.default_rng(5)
    low = 0
    for _ in range(100):
        chance = rng.choice(chances, 150)
        truth = {user: {*range(10 * user, 10 * user + 4)} for user in range(150)}
        hit = rng.random((150, 4)) < chance[:, None]
        lists = {
            user: [10 * user + at + (0 if hit[user, at] else 5) for at in range(4)]
            for user in range(150)
        }
        read = reading(lists, truth, k=4)
        tested = check_truth_first(read, repeat_consumption=False, sampled=None)
        low += min(each.p_value for each in tested) <= 0.001
    assert low == 0


def test_one_popular_list_that_fits_many_counts_once():
    lists = {user: ["a", "b", "c", "d"] for user in range(200)}
    truth = {
        user: {"a", "b", "c"} if user < 90 else {f"x{user}", f"y{user}"} for user in range(200)
    }
    read = reading(lists, truth, k=4)
    tested = [*check_truth_first(read, repeat_consumption=False, sampled=None)]
    assert [each.p_value for each in tested] == [1.0, 1.0]


# Each fault is found -----------------------------------------------------------------------------


def unscored(shop: Simulated, change):
    return shop.having(lists=of_each(shop.lists, change))


def rotated(rows):
    *others, last = rows
    return [last, *others]


def with_truth_first(row, own):
    return [*own, *(item for item in row if item not in own)][:10]


def rounded(row):
    return {item: round(score / 3) for item, score in row.items()}


SCORED = simulate(1, scores=True)
LONG = simulate(1, k=300)
MANY = simulate(1, n_users=600)
ONE = simulate(1, n_users=600, n_relevant=1)
FAULTY = {
    "history recommended": ("history", simulate(1, exclude=False)),
    "trained on the test": (
        "leak",
        SHOP.having(history={u: {*own, *SHOP.truth[u]} for u, own in SHOP.history.items()}),
    ),
    "lowest scores first": ("worse-than-random", unscored(LONG, lambda row: row[::-1][:10])),
    "reversed lists": ("order", unscored(SHOP, lambda row: row[::-1])),
    "rows shifted by one": (
        "pairing",
        SHOP.having(lists=dict(zip(SHOP.lists, rotated(SHOP.lists.values()), strict=True))),
    ),
    "users sorted as text": (
        "pairing",
        TEXT.having(lists=dict(zip(sorted(TEXT.lists), TEXT.lists.values(), strict=True))),
    ),
    "users from 1": ("pairing", SHOP.having(lists={u + 1: row for u, row in SHOP.lists.items()})),
    "items from 1": ("shifted-items", unscored(SHOP, lambda row: [item + 1 for item in row])),
    "items as text": ("item-ids", unscored(SHOP, lambda row: [str(item) for item in row])),
    "items in capitals": ("item-ids", unscored(TEXT, lambda row: [item.upper() for item in row])),
    "items without a prefix": ("item-ids", unscored(TEXT, lambda row: [item[1:] for item in row])),
    "items with zeros": ("item-ids", unscored(SHOP, lambda row: [f"{item:05d}" for item in row])),
    "items as floats": ("item-ids", unscored(SHOP, lambda row: [f"{item}.0" for item in row])),
    "users as text": ("user-ids", SHOP.having(lists={str(u): x for u, x in SHOP.lists.items()})),
    "other users": ("user-ids", SHOP.having(lists={u + 900: x for u, x in SHOP.lists.items()})),
    "the truth in the lists": (
        "oracle-like",
        SHOP.having(
            lists={u: with_truth_first(row, SHOP.truth[u]) for u, row in SHOP.lists.items()}
        ),
    ),
    "the truth as lists of some users": (
        "truth-first",
        MANY.having(lists=MANY.lists | {u: [*MANY.truth[u]] for u in range(90)}),
    ),
    "the one relevant item as lists of some users": (
        "truth-first",
        ONE.having(lists=ONE.lists | {u: [*ONE.truth[u]] for u in range(90)}),
    ),
    "the truth first in the lists of some users": (
        "truth-first",
        MANY.having(
            lists={
                u: with_truth_first(row, MANY.truth[u]) if u < 90 else row
                for u, row in MANY.lists.items()
            }
        ),
    ),
    "the truth first in the lists of most users": (
        "truth-first",
        MANY.having(
            lists={
                u: with_truth_first(row, MANY.truth[u]) if u < 540 else row
                for u, row in MANY.lists.items()
            }
        ),
    ),
    "users without truth": (
        "users-without-truth",
        SHOP.having(truth={u: own if u % 5 else set() for u, own in SHOP.truth.items()}),
    ),
    "users without a list": (
        "users-without-list",
        SHOP.having(lists={u: row for u, row in SHOP.lists.items() if u % 5}),
    ),
    "a catalogue too small": ("catalog", SHOP.having(catalog=SHOP.catalog[:250])),
    "truth out of reach": ("unreachable", SHOP.having(catalog=SHOP.catalog[:250])),
    "repeats": ("repeats", unscored(SHOP, lambda row: [*row[:9], row[0]])),
    "gaps": ("gaps", unscored(SHOP, lambda row: [*row[:9], None])),
    "constant scores": ("equal-scores", unscored(SCORED, lambda row: dict.fromkeys(row, 1.0))),
    "scores of one digit": ("equal-scores", unscored(simulate(1, scores=True, k=40), rounded)),
    "scores that are not numbers": (
        "scores",
        unscored(SCORED, lambda row: {i: s if s < 5 else np.nan for i, s in row.items()}),
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_each_fault_is_found(name):
    wanted, evaluation = FAULTY[name]
    result = check(evaluation)
    assert wanted in faults(result)
    for finding in result.findings:
        assert finding.message.endswith(".")
        assert finding.cure.endswith(".")


def test_a_fault_that_is_accepted_is_a_note():
    evaluation = FAULTY["history recommended"][1]
    result = check(evaluation, accept=["history"])
    assert "history" in {each.check for each in result.notes}
    assert faults(result) == set()


def test_groceries_may_come_again():
    again = simulate(2, exclude=False)
    bought = {u: own | {*[*again.history[u]][:3]} for u, own in again.truth.items()}
    assert faults(check(again.having(truth=bought), repeat_consumption=True)) == set()
    assert {"history", "leak"} <= faults(check(again.having(truth=bought)))


def test_a_second_run_that_differs():
    result = check(SHOP, again=simulate(1, skill=0.9).lists)
    (found,) = [each for each in result.faults if each.check == "same-twice"]
    assert found.total == 200
    assert found.interval is not None
    assert faults(check(SHOP, again=SHOP.lists)) == set()


def test_an_evaluation_that_counts_wrongly():
    def hits_over_length(lists, truth):
        return [len({*row} & truth[u].keys()) / len(row) for u, row in lists.items()]

    assert faults(check(SHOP, measure="precision@10", score=hits_over_length)) == {"score"}

    def precision(lists, truth):
        return np.mean([len({*row} & truth[u].keys()) / 10 for u, row in lists.items()])

    assert faults(check(SHOP, measure="precision@10", score=precision)) == set()

    def twice(lists, truth):
        return 1 - precision(lists, truth)

    found = check(SHOP, measure="precision@10", score=twice).faults
    assert any("oracle, which nothing can exceed" in each.message for each in found)


def test_training_events_from_the_future():
    train = Interactions([0, 0, 1], [0, 1, 2], timestamp=[1, 9, 3], n_items=5)
    test = Interactions([0, 1], [3, 4], timestamp=[5, 6], n_users=2, n_items=5)
    found = preflight({0: [3, 2], 1: [1, 4]}, test, history=train, measure="recall@2")
    assert "future" in faults(found)
    last_of_each = Interactions([0, 1], [3, 4], timestamp=[10, 6], n_users=2, n_items=5)
    found = preflight({0: [3, 2], 1: [1, 4]}, last_of_each, history=train, measure="recall@2")
    assert {each.check for each in found.notes} >= {"future"}
    assert "future" not in faults(found)


DAY = 86_400


def events(seed: int, n_users: int = 150) -> Interactions:
    """Users with sessions of some minutes over 100 days."""
    rng = np.random.default_rng(seed)
    n_sessions = rng.integers(2, 10, n_users)
    users = np.repeat(np.arange(n_users), n_sessions)
    sizes = rng.integers(1, 8, len(users))
    start = np.repeat(rng.uniform(0, 100 * DAY, len(users)), sizes)
    pauses = rng.exponential(120, sizes.sum())
    elapsed = np.cumsum(pauses) - np.repeat(np.cumsum(pauses)[np.cumsum(sizes) - 1], sizes)
    time = (start + elapsed + 3600).astype(int)
    items = rng.integers(0, 5000, len(time))
    return Interactions(np.repeat(users, sizes), items, timestamp=time, n_items=5000)


def future(log: Interactions, tested) -> str | None:
    """Return what late training events are, if these events are tested."""
    found = check_times(log.take(np.flatnonzero(~tested)), log.take(np.flatnonzero(tested)))
    return next((each.severity for each in found if each.check == "future"), None)


def test_a_cut_that_is_later_for_some_users_leaks():
    train = Interactions(
        [*range(100), 0, 1, 2], range(103), timestamp=[*range(100), 101, 102, 103], n_items=200
    )
    test = Interactions(
        range(50, 110), range(110, 170), timestamp=range(100, 160), n_users=110, n_items=200
    )
    train = Interactions(
        train.user, train.item, timestamp=train.timestamp, n_users=110, n_items=200
    )
    (found,) = check_times(train, test)
    assert (found.severity, found.count, found.total) == ("fault", 3, 103)
    assert "between the first test event (100) and 103, which is 0.03 of the" in found.message
    assert "56 of 60 test events are later" in found.message
    log = events(0, 600)
    for hours in (8, 48):
        zone = np.random.default_rng(0).random(600) < 0.2
        assert future(log, log.timestamp > 80 * DAY + hours * 3600 * zone[log.user]) == "fault"


def test_late_events_by_design_are_no_fault():
    for seed in range(10):
        for n_users in (4, 25, 150):
            log = events(seed, n_users)
            cuts = np.random.default_rng(seed).uniform(60 * DAY, 90 * DAY, n_users)
            assert future(log, log.timestamp > cuts[log.user]) != "fault"
            assert future(log, log.timestamp > 80 * DAY) is None
            for train, test in (
                leave_last_n_out(log),
                leave_last_n_out(log, n=3),
                leave_last_n_out(log, share=0.2),
                leave_last_session_out(log, gap=1800),
                temporal_split(log, at=80 * DAY),
            ):
                assert "fault" not in {
                    each.severity for each in check_times(train, test) if each.check == "future"
                }


def test_a_busy_last_day_and_few_users_are_no_cut():
    for seed in range(20):
        rng, log = np.random.default_rng(seed), events(seed)
        last = 101 * DAY + rng.integers(0, DAY, 300)
        busy = Interactions(
            [*log.user, *np.repeat(range(150), 2)],
            [*log.item, *rng.integers(0, 5000, 300)],
            timestamp=[*log.timestamp, *last],
            n_items=5000,
        )
        (found,) = [each for each in check_times(*leave_last_n_out(busy)) if each.check != "leak"]
        assert found.severity == "note"
    for seed in range(200):
        log = events(seed, 8)
        cuts = np.random.default_rng(seed).uniform(75 * DAY, 90 * DAY, 8)
        assert future(log, log.timestamp > cuts[log.user]) != "fault"


def test_users_who_only_train_may_train_on_all():
    for seed in range(5):
        log = events(seed, 600)
        assert future(log, (log.timestamp > 60 * DAY) & (log.user >= 12)) == "note"


def test_sessions_that_are_kept_whole_reach_over_a_cut():
    reached = 0
    for seed in range(15):
        log = events(seed, 12_000)
        order = np.lexsort((log.timestamp, log.user))
        log = log.take(order)
        new = (np.diff(log.user, prepend=-1) != 0) | (np.diff(log.timestamp, prepend=0) > 1800)
        session = np.cumsum(new) - 1
        tested = log.timestamp[new][session] > 80 * DAY
        assert future(log, tested) != "fault"
        alone = Interactions(session, log.item, timestamp=log.timestamp, n_items=5000)
        found = future(alone, tested)
        assert found != "fault"
        reached += found == "note"
    assert reached >= 8


# Pipelines ---------------------------------------------------------------------------------------

TASTES = {
    user: {item: -at for at, item in enumerate(row)}
    for user, row in simulate(1, k=300, exclude=False).lists.items()
}


def ranked_among_candidates(truth, *, own_first=False):
    rng = np.random.default_rng(3)
    lists = {}
    for user, own in truth.items():
        others = [item for item in rng.permutation(300).tolist() if item not in own][:50]
        scores = {item: 0 if own_first else TASTES[user][item] for item in [*own, *others]}
        lists[user] = sorted(scores, key=lambda item: -scores[item])
    return lists


def test_a_pipeline_that_ranks_the_truth_first_is_found_with_the_truth_of_others():
    leaky = preflight(lambda truth: ranked_among_candidates(truth, own_first=True), SHOP.truth,
                      sampled=50, catalog=range(300))  # fmt: skip
    assert "shuffled-truth" in faults(leaky)
    sound = preflight(ranked_among_candidates, SHOP.truth, sampled=50, catalog=range(300))
    assert faults(sound) == set()
    values = {each.name: each.value for each in sound.references}
    assert values["other users' truth"] < values["the recommender"]


def test_lists_that_change_with_the_truth_know_it():
    result = preflight(ranked_among_candidates, SHOP.truth)
    assert "shuffled-truth" in faults(result)
    assert faults(preflight(lambda _: SHOP.lists, SHOP.truth)) == set()


def test_a_pipeline_without_a_seed_is_not_the_same_twice():
    rng = np.random.default_rng(0)

    def shuffled(_):
        return of_each(SHOP.lists, lambda row: rng.permutation(row).tolist())

    result = preflight(shuffled, SHOP.truth)
    assert {"same-twice", "shuffled-truth"} <= faults(result)


def test_candidates_that_are_not_what_was_stated():
    lists = ranked_among_candidates(SHOP.truth)
    assert "candidates" in faults(preflight(lists, SHOP.truth, sampled=40))
    without = {u: [i for i in row if i not in [*SHOP.truth[u]][:1]] for u, row in lists.items()}
    assert "candidates" in faults(preflight(without, SHOP.truth, sampled=49))
    undeclared = preflight(lists, SHOP.truth, catalog=range(300))
    assert "candidates" in {each.check for each in undeclared.notes}


# Sound evaluations have none ---------------------------------------------------------------------

SOUND = {
    "plain": {},
    "few users": {"n_users": 8},
    "two users": {"n_users": 2},
    "tiny catalogue": {"n_items": 12, "k": 5, "n_history": (1, 3), "n_relevant": (1, 3)},
    "catalogue shorter than K": {"n_items": 6, "n_history": 1, "n_relevant": 2},
    "very good": {"skill": 6.0},
    "random": {"skill": 0.0},
    "random, skewed": {"skill": 0.0, "popularity": 3.0},
    "one relevant item": {"n_relevant": 1},
    "short lists": {"k": 4},
    "text": {"ids": "text"},
    "hashes": {"ids": "hash"},
    "scores": {"scores": True},
    "cold users": {"n_history": (0, 3)},
    "no popularity": {"popularity": 0.0},
    "long lists": {"k": 100},
    "very good, tiny catalogue": {"n_users": 600, "n_items": 20, "k": 5, "skill": 20.0,
                                  "popularity": 6.0, "n_history": (1, 3), "n_relevant": (1, 5)},
    "many relevant items": {"n_relevant": (20, 60), "skill": 3.0},
}  # fmt: skip


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("name", SOUND)
def test_sound_evaluations_have_no_fault(name, bare):
    for seed in range(3):
        (lists, truth), options = simulate(seed, **SOUND[name]).arguments
        result = preflight(lists, truth, **({} if bare else options))
        assert result.faults == ()


def test_sound_evaluations_of_other_kinds_have_no_fault():
    graded = SHOP.having(
        truth={
            u: {item: 1 + at % 3 for at, item in enumerate(own)} for u, own in SHOP.truth.items()
        }
    )
    assert faults(check(graded)) == set()
    popular = [*range(300)]
    count = {item: sum(item in own for own in SHOP.history.values()) for item in popular}
    popular.sort(key=lambda item: -count[item])
    same = SHOP.having(lists=dict.fromkeys(SHOP.lists, popular[:10]), history={})
    result = check(same)
    assert faults(result) == set()
    assert "same-list" in {each.check for each in result.notes}


def test_groceries_that_loyal_users_buy_again_have_no_fault():
    """A fifth of the users buy the same 5 items nearly always."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        lists, truth, history = {}, {}, {}
        for user in range(400):
            own, favourite = rng.choice(200, 15, replace=False), np.arange(15) < 5
            loyal = user % 5 == 0
            chance = np.where(favourite, 0.97, 0.01) if loyal else rng.beta(0.5, 1.5, 15)
            past, now = rng.random((12, 15)) < chance, rng.random(15) < chance
            history[user] = {*own[past.any(0)].tolist()}
            truth[user] = {*own[now].tolist()} or {int(own[0])}
            lists[user] = own[np.argsort(-past.sum(0), kind="stable")][:10].tolist()
        result = preflight(lists, truth, history=history, repeat_consumption=True)
        assert result.faults == ()


def test_some_users_who_are_predicted_well_are_no_fault():
    for seed in range(3):
        same = {"n_users": 600, "n_items": 60, "popularity": 10.0, "n_relevant": (2, 6)}
        good, poor = simulate(seed, skill=50.0, **same), simulate(seed, skill=0.5, **same)
        some = {u: good.lists[u] for u in range(300)}
        assert faults(check(good.having(lists=poor.lists | some))) == set()


def test_a_number_of_items_says_nothing_of_their_ids():
    """The ids of a public data set are whole numbers, and not those from 0 up."""
    spread = {item: 7 * item + 100_000 for item in range(300)}
    lists = of_each(SHOP.lists, lambda row: [spread[item] for item in row])
    truth = of_each(SHOP.truth, lambda own: {spread[item] for item in own})
    result = preflight(lists, truth, catalog=300)
    assert result.faults == ()
    chance = {each.name: each.value for each in result.references}["random"]
    assert chance < 0.06
    assert "catalog" in faults(preflight(lists, truth, catalog=100))


def test_numbers_that_an_event_log_does_not_have():
    log = Interactions([0, 1], [0, 4], n_users=2, n_items=5)
    result = preflight({0: [1, 7], 1: [2, 3]}, {0: {1}, 1: {3}}, history=log, measure="recall@2")
    assert faults(result) == {"catalog"}


def test_one_user_is_enough_for_a_result():
    assert preflight([["A", "B"]], [{"B"}]).faults == ()
    assert preflight({"ann": ["A", "B"]}, {"ann": {"C"}}, history={"ann": {"D"}}).faults == ()


def test_the_tests_of_pairing_have_their_rate_under_chance():
    """p-values of random lists are at least uniform: few below 0.05 in 300."""
    rng = np.random.default_rng(4)
    low = 0
    for _ in range(300):
        weights = rng.dirichlet(np.ones(40) * 0.3) * 0.9 + 0.0025
        lists, truth = (
            {u: rng.choice(40, 5, replace=False, p=weights).tolist() for u in range(25)}
            for _ in range(2)
        )
        table = HitTable.of(reading(lists, truth))
        low += p_of_pairing(table.hits, table.own.sum()) <= 0.05
    assert low <= 24  # 15 are expected, 25 or more have a probability of 1%


# Forms, invariances and what is shown ------------------------------------------------------------


def test_all_forms_of_lists_give_the_same_result():
    pl = pytest.importorskip("polars")
    table = np.array([*SHOP.lists.values()])
    rows = [(u, item, rank) for u, row in SHOP.lists.items() for rank, item in enumerate(row)]
    frame = pl.DataFrame(rows, schema=["user", "item", "rank"], orient="row")
    pairs = [(u, item) for u, own in SHOP.truth.items() for item in own]
    truth = pl.DataFrame(pairs, schema=["user", "item"], orient="row")
    asked = {"measure": "recall@10", "catalog": 300}
    wanted = preflight(SHOP.lists, SHOP.truth, **asked)
    for lists, relevant in (
        (table, [*SHOP.truth.values()]),
        (table.tolist(), [*SHOP.truth.values()]),
        (frame, truth),
        (frame.to_pandas(), truth.to_pandas()),
    ):
        found = preflight(lists, relevant, **asked)
        assert [each.value for each in found.references] == [
            each.value for each in wanted.references
        ]
        assert found.findings == wanted.findings


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(12)), st.permutations(range(30)))
def test_neither_the_numbers_of_items_nor_the_order_of_keyed_users_matter(users, items):
    shop = simulate(3, n_users=12, n_items=30)
    lists = {f"u{u}": [f"x{items[i]}" for i in shop.lists[u]] for u in users}
    truth = {f"u{u}": {f"x{items[i]}" for i in shop.truth[u]} for u in shop.truth}
    history = {f"u{u}": {f"x{items[i]}" for i in shop.history[u]} for u in shop.history}
    result = preflight(lists, truth, history=history)
    plain = preflight(shop.lists, shop.truth, history=shop.history)
    assert faults(result) == faults(plain) == set()
    for one, other in zip(result.references, plain.references, strict=True):
        if one.name in ("the recommender", "oracle"):
            assert one.value == pytest.approx(other.value)


@pytest.mark.parametrize(
    ("ours", "theirs", "way"),
    [
        ({1, 2}, {"1", "2"}, "in their type"),
        ({b"a"}, {"a"}, "in their type"),
        ({"a ", "b"}, {"a", "b"}, "in blanks at an end or in their Unicode form"),
        ({"\u00e9"}, {"e\u0301"}, "in blanks at an end or in their Unicode form"),
        ({"A1", "B2", "C3"}, {"a1", "b2", "c3"}, "in upper and lower case"),
        ({"01", "02", "03"}, {"1", "2", "3"}, "in leading zeros or a decimal point"),
        ({"u1", "u2", "u3"}, {"1", "2", "3"}, "in a prefix"),
    ],
)
def test_two_writings_of_one_id(ours, theirs, way):
    assert find_two_writings(ours, theirs)[0] == way


def test_ids_that_only_look_alike_are_two():
    assert find_two_writings({"a", "A", "x", "y"}, {"a", "X", "Y", "z", "Z"}) is None
    assert find_two_writings({1, 2, 3}, {1, 2, 3, 4}) is None


def test_the_result_names_its_checks_and_can_be_shown():
    result = check(FAULTY["reversed lists"][1])
    assert "fault: order" in result.conclusion
    assert "Fault, order" in str(result)
    assert result.columns()["p_value"][0] < 0.001
    assert "worse-than-random" in result.checks
    assert "same-twice" not in result.checks
    assert result.to_frame(backend="polars").height == len(result.findings)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"measure": "coverage@10"}, "not a metric of ranked lists"),
        ({"accept": ["tie"]}, "accept names 'tie'"),
        ({"false_alarm_rate": 2}, "false_alarm_rate"),
        ({"catalog": []}, "catalog is empty"),
        ({"catalog": 0}, "1 or more"),
        ({"sampled": 0.5}, "sampled"),
    ],
)
def test_options_that_cannot_be(options, says):
    with pytest.raises((ValueError, TypeError), match=says):
        preflight([["A"]], [{"A"}], **options)


def test_evaluate_reports_what_it_counts():
    lists, truth = {"ann": ["A", "B"], "bob": ["C", "D"]}, {"ann": {"Z"}, "bob": {"C"}}
    report = evaluate(lists, truth, ["recall@2"], history={"ann": {"A", "Z"}, "bob": {"B"}})
    said = " ".join(report.warnings)
    assert "1 of 4 recommended items are in the history" in said
    assert "1 relevant items are in the history of the same user" in said
    report = evaluate({"ann": ["A"], "bob": ["C"]}, {"ann": {"A"}, "cem": {"A"}}, ["recall@2"])
    said = " ".join(report.warnings)
    assert "1 of 3 users have nothing relevant" in said
    assert "1 of 3 users have something relevant and no list" in said
    assert rm.preflight is preflight


@pytest.mark.parametrize("value", ["x", ["x"], {"u1": "x"}])
def test_a_score_that_returns_no_numbers_is_named(value):
    with pytest.raises(TypeError, match=r"^what score= returns must be the mean of the metric, or"):
        check(SHOP, measure="precision@10", score=lambda lists, truth: value)


@pytest.mark.parametrize("value", [None, []])
def test_a_score_that_returns_nothing_is_named(value):
    with pytest.raises(ValueError, match=r"^score= returned no value"):
        check(SHOP, measure="precision@10", score=lambda lists, truth: value)
