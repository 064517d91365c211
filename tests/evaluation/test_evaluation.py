"""Lists in batches and in processes: the report is that of all lists at once."""

from __future__ import annotations

import multiprocessing
import pickle
import tracemalloc
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import recsys_metrics as rm
from recsys_metrics import Evaluation
from recsys_metrics.measures import METRICS, Measure
from tests.evaluation.many_lists import MANY, SOME, work
from tests.examples import examples
from tests.inputs.test_input_forms import Tensor

USERS = ["ann", "bob", "cem", "dee", "eve", "fay", "gus", "hal"]
ITEMS = list("ABCDEFGHIJ")
RNG = np.random.default_rng(4)
LISTS = {user: [ITEMS[i] for i in RNG.permutation(10)[:4]] for user in USERS}
WANTED = {
    user: {ITEMS[i]: int(RNG.integers(1, 4)) for i in RNG.permutation(10)[: n % 4]}
    for n, user in enumerate(USERS)
}
SEEN = {user: {ITEMS[i] for i in RNG.permutation(9)[:3]} for user in USERS[:7]}
SEEN |= {"old": {*ITEMS}, "older": {*ITEMS[:7]}, "oldest": {*ITEMS[:4]}}
KINDS = {item: {"war"} if n % 3 else {"war", "love"} for n, item in enumerate(ITEMS)}
KINDS["C"] = {"fun"}
CONTEXT = {"history": SEEN, "features": KINDS, "catalog": ITEMS}

TOLD = {"expected_reciprocal_rank": "max_grade=3", "self_information": "unseen=one"}
TEXTS = [
    f"{name}({TOLD[name]})@{k}" if name in TOLD else f"{name}@{k}"
    for name in METRICS
    for k in (1, 3)
]


def share_of_vowels(recommended, relevant, history):
    return len({"A", "E", "I"} & {*recommended} | relevant & history) / 10


def spread(recommended):
    return len({item for row in recommended for item in row})


def gain_of_all(judged, k):
    return judged.gains[:, :k].sum()


OWN = [
    Measure.of(share_of_vowels).at(2),
    Measure.of(spread, per="all").at(2),
    Measure.of(gain_of_all, per="all").at(2),
]
WHOLE = rm.evaluate(LISTS, WANTED, [*TEXTS, *OWN], **CONTEXT)


def splits(most=5):
    """Draw users in an order, each in a batch."""
    return st.tuples(st.permutations(USERS), st.lists(st.integers(0, most), min_size=8, max_size=8))


def batches_of(split):
    order, numbers = split
    batches = {}
    for user, number in zip(order, numbers, strict=True):
        batches.setdefault(number, []).append(user)
    return list(batches.values())


def of(users, table):
    return {user: table[user] for user in users}


def same(report, whole=WHOLE, *, users=True):
    assert list(report) == list(whole)
    for text in whole:
        one, other = report[text], whole[text]
        assert one.mean == pytest.approx(other.mean, abs=1e-12, nan_ok=True), text
        assert (one.n, one.n_skipped) == (other.n, other.n_skipped), text
        if not users:
            continue
        low_high = [i and (i.low, i.high) for i in (one.interval(), other.interval())]
        assert low_high[0] == pytest.approx(low_high[1], abs=1e-12), text
        if other.measure.metric.per_user:
            places = [report.users.index(user) for user in whole.users]
            np.testing.assert_allclose(one.per_user[places], other.per_user, rtol=0, atol=1e-12)


# By hand ----------------------------------------------------------------------------------------


def test_two_batches_computed_by_hand():
    evaluation = Evaluation(["hit_rate@1", "coverage@1", "gini@1"], catalog=["A", "B", "C", "D"])
    evaluation.update({"ann": ["A", "B"], "bob": ["B"]}, {"ann": {"A"}, "bob": {"A"}})
    assert repr(evaluation) == "Evaluation(hit_rate@1, catalog_coverage@1, gini@1; 2 lists)"
    first = evaluation.report()
    assert first["hit_rate@1"].per_user.tolist() == [1, 0]
    assert first["coverage@1"].mean == 0.5
    evaluation.update({"cem": ["A"]}, {"cem": {"A"}})
    report = evaluation.report(split="x", name="all")
    assert report["hit_rate@1"].per_user.tolist() == [1, 0, 1]
    assert report.users == ("ann", "bob", "cem")
    assert report["coverage@1"].mean == 0.5
    assert report["gini@1"].mean == rm.beyond_accuracy.gini([2, 1, 0, 0])
    assert (report.protocol.n_lists, report.protocol.lengths) == (3, (1, 2))
    assert first["hit_rate@1"].per_user.tolist() == [1, 0]


# Any split, any order ---------------------------------------------------------------------------


@pytest.mark.slow
@examples(8)
@given(splits())
def test_batches_equal_one_evaluation_of_all_lists(split):
    evaluation = Evaluation([*TEXTS, *OWN], **CONTEXT)
    for users in batches_of(split):
        evaluation.update(of(users, LISTS), of(users, WANTED))
    report = evaluation.report()
    same(report)
    assert report.protocol == WHOLE.protocol
    assert report.warnings == WHOLE.warnings


@pytest.mark.slow
@examples(8)
@given(splits())
def test_sums_give_the_same_means(split):
    measures = [*TEXTS, OWN[0]]
    whole = rm.evaluate(LISTS, WANTED, measures, **CONTEXT)
    merged = Evaluation(measures, keep="sums", **CONTEXT)
    for users in batches_of(split):
        part = Evaluation(measures, keep="sums", **CONTEXT)
        merged.merge(part.update(of(users, LISTS), of(users, WANTED)))
    report = merged.report()
    same(report, whole, users=False)
    for text in whole:
        found, expected = report[text].interval(), whole[text].interval()
        if not text.startswith("exposure_novelty"):
            assert (found and found.low) == pytest.approx(expected and expected.low, abs=1e-12)
    assert report.protocol == whole.protocol


@pytest.mark.slow
@examples(5)
@given(splits(2), st.permutations(range(3)))
def test_processes_are_merged_in_any_order(split, order):
    parts = {}
    for number, users in enumerate(batches_of(split)):
        part = Evaluation([*TEXTS, *OWN], **CONTEXT)
        parts[number] = pickle.dumps(part.update(of(users, LISTS), of(users, WANTED)))
    merged = Evaluation([*TEXTS, *OWN], **CONTEXT)
    for number in order:
        if number in parts:
            merged.merge(pickle.loads(parts[number]))
    same(merged.report())


def test_items_without_interactions_count_equally_in_every_batch():
    history = {"old": {"A", "B", "C"}, "ann": {"A"}, "bob": {"B", "D"}}
    texts = [text for text in TEXTS if not text.startswith("expected_free")]
    for catalog in (None, ITEMS):
        context = {**CONTEXT, "history": history, "catalog": catalog}
        asked = [t for t in texts if catalog or "catalog" not in rm.measure(t).metric.needs]
        evaluation = Evaluation(asked, **context)
        for users in (["hal", "bob"], ["ann"], USERS[2:7]):
            evaluation.update(of(users, LISTS), of(users, WANTED))
        same(evaluation.report(), rm.evaluate(LISTS, WANTED, asked, **context))


NUMBERED = np.array([[ITEMS.index(item) for item in LISTS[user]] for user in USERS])
GRADES = np.array([[WANTED[user].get(item, 0) for item in ITEMS] for user in USERS])
TABLE = sparse.csr_array(
    np.array([[item in row for item in ITEMS] for row in SEEN.values()], dtype=float)
)
FEATURES = np.array([[kind in KINDS[item] for kind in ("war", "love", "fun")] for item in ITEMS])


@pytest.mark.slow
@examples(5)
@given(splits(3))
def test_arrays_with_user_keys_and_a_table(split):
    context = {"history": TABLE, "features": FEATURES.astype(float), "catalog": 10}
    texts = [text for text in TEXTS if not text.startswith(("genre", "rank_biased_overlap"))]
    whole = rm.evaluate(
        NUMBERED, sparse.csr_array(GRADES), texts, history_rows=range(len(USERS)), **context
    )
    evaluation = Evaluation(texts, **context)
    for users in batches_of(split):
        rows = [USERS.index(user) for user in users]
        evaluation.update(NUMBERED[rows], sparse.csr_array(GRADES[rows]), users=np.array(rows))
    report = evaluation.report()
    places = [report.users.index(row) for row in range(len(USERS))]
    for text in texts:
        assert report[text].mean == pytest.approx(whole[text].mean, abs=1e-12, nan_ok=True), text
        if whole[text].measure.metric.per_user:
            np.testing.assert_allclose(
                report[text].per_user[places], whole[text].per_user, rtol=0, atol=1e-12
            )


def test_arrays_may_be_reused_between_batches():
    texts = ["exposure_novelty@2", "ndcg@2", "gini@2", OWN[1]]
    context = {"catalog": 10, "history": TABLE}
    grades = sparse.csr_array(GRADES.astype(float))
    whole = rm.evaluate(NUMBERED, grades, texts, history_rows=range(len(USERS)), **context)
    evaluation = Evaluation(texts, **context)
    lists, wanted = np.empty((1, 4), dtype=np.intp), np.empty((1, 3), dtype=np.intp)
    for row in range(len(USERS)):
        lists[:] = NUMBERED[row]
        wanted[:] = -1
        items = np.flatnonzero(GRADES[row])
        wanted[0, : len(items)] = items
        evaluation.update(lists, wanted, users=[row])
    for text in ("exposure_novelty@2", "gini@2", "spread@2"):
        assert evaluation.report()[text].mean == pytest.approx(whole[text].mean, abs=1e-12)


def test_reports_of_batches_are_grouped_and_compared():
    reports = []
    for lists in (LISTS, {user: row[::-1] for user, row in LISTS.items()}):
        evaluation = Evaluation(["ndcg@3", "hit_rate@1"])
        for users in (USERS[5:], USERS[:5]):
            evaluation.update(of(users, lists), of(users, WANTED))
        groups = {user: "new" if user > "d" else "old" for user in USERS}
        reports.append(evaluation.report(groups={"age": groups}))
    old = rm.evaluate(LISTS, WANTED, ["ndcg@3", "hit_rate@1"], groups={"age": groups})
    assert reports[0].by("age")["ndcg@3"].per_group == pytest.approx(
        old.by("age")["ndcg@3"].per_group
    )
    gains = [reports[1].compare(other)["ndcg@3"].gain for other in (reports[0], old)]
    assert gains[0] == pytest.approx(gains[1], abs=1e-12)


def test_the_protocol_counts_lists_with_ties():
    evaluation = Evaluation(["ndcg@1"])
    evaluation.update({"ann": {"A": 1.0, "B": 1.0}}, {"ann": {"A"}})
    evaluation.update({"bob": ["A"]}, {"bob": {"A"}})
    evaluation.update({"cem": {"A": 1.0, "B": 0.5}}, {"cem": {"A"}})
    assert evaluation.report().protocol.n_tied == 1


def test_tensors_are_accepted_for_users_lists_and_relevance():
    lists = RNG.permuted(np.tile(np.arange(40), (60, 1)), axis=1)
    top, held_out = lists[:, :10], lists[:, 9:14].copy()
    held_out[::3, 2:] = -1
    evaluation = Evaluation(["ndcg@10", "recall@10", "coverage@10"], catalog=40)
    for rows in np.array_split(RNG.permutation(60), 4):
        batch = (Tensor(each, learns=True, elsewhere=True) for each in (top[rows], held_out[rows]))
        evaluation.update(*batch, users=Tensor(rows, elsewhere=True))
    report = evaluation.report()
    whole = rm.evaluate(top, held_out, list(report), catalog=40)
    assert sorted(report.users) == list(range(60))
    for text in whole:
        np.testing.assert_allclose(report[text].mean, whole[text].mean, rtol=1e-12)


# Processes, memory ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 4])
def test_ten_thousand_lists_in_processes(processes):
    whole = rm.evaluate(MANY[:, :10], MANY[:, 8:], SOME, catalog=300)
    parts = np.array_split(np.random.default_rng(6).permutation(10_000), processes)
    merged = Evaluation(SOME, catalog=300)
    if processes == 1:
        merged.merge(work(parts[0]))
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            for part in pool.map(work, parts):
                merged.merge(part)
    report = merged.report()
    for text in whole:
        assert report[text].mean == pytest.approx(whole[text].mean, rel=1e-12)
        if found := whole[text].interval():
            assert report[text].interval().low == pytest.approx(found.low, rel=1e-12)


def test_sums_take_no_more_memory_for_more_lists():
    def held(n_batches):
        evaluation = Evaluation(SOME, catalog=300, keep="sums")
        for _ in range(3):
            evaluation.update(MANY[:100, :10], MANY[:100, 8:])
        tracemalloc.start()
        for _ in range(n_batches):
            evaluation.update(MANY[:100, :10], MANY[:100, 8:])
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert evaluation.report().protocol.n_lists == 100 * (n_batches + 3)
        return size, len(pickle.dumps(evaluation))

    few, many = held(2), held(40)
    # The lists of the 38 batches more would be 304 kB.
    assert many[0] < few[0] + 20_000
    assert many[1] < few[1] + 200


# Errors -----------------------------------------------------------------------------------------


def test_a_user_in_two_batches_raises():
    evaluation = Evaluation(["ndcg@3"]).update(of(USERS[:3], LISTS), of(USERS[:3], WANTED))
    with pytest.raises(ValueError, match="user 'cem' comes in two batches, and would count twice"):
        evaluation.update(of(USERS[2:], LISTS), of(USERS[2:], WANTED))
    other = Evaluation(["ndcg@3"]).update(of(USERS[2:], LISTS), of(USERS[2:], WANTED))
    with pytest.raises(ValueError, match="user 'cem' comes in two batches"):
        evaluation.merge(other)
    # Nothing of what was refused is in.
    evaluation.update(of(USERS[3:], LISTS), of(USERS[3:], WANTED))
    assert evaluation.report().users == tuple(USERS)
    with pytest.raises(ValueError, match="users names 7 twice"):
        Evaluation(["ndcg@3"]).update([[1], [2]], [{1}, {2}], users=[7, 7])


def test_an_invalid_batch_leaves_no_trace():
    evaluation = Evaluation(["ndcg@2", "coverage@2"], catalog=["A", "B"])
    evaluation.update({"ann": ["A"]}, {"ann": {"A"}})
    with pytest.raises(ValueError, match="item 'C', which is not in the catalogue"):
        evaluation.update({"bob": ["C"]}, {"bob": {"A"}})
    assert evaluation.report().users == ("ann",)


def test_incompatible_batches_raise():
    evaluation = Evaluation(["ndcg@3"]).update({"ann": ["A"]}, {"ann": {"A"}})
    with pytest.raises(ValueError, match="one batch is keyed by user and another is not"):
        evaluation.update([["A"]], [{"A"}])
    with pytest.raises(TypeError, match="the lists are keyed by user already"):
        evaluation.update({"bob": ["A"]}, {"bob": {"A"}}, users=["bob"])
    with pytest.raises(ValueError, match="users names 1 users for 2 lists"):
        evaluation.update([["A"], ["B"]], [{"A"}, {"B"}], users=["bob"])
    with pytest.raises(TypeError, match="is merged with another, not with 3"):
        evaluation.merge(3)
    with pytest.raises(ValueError, match="merged with itself"):
        evaluation.merge(evaluation)
    for other in (
        Evaluation(["ndcg@4"]),
        Evaluation(["ndcg@3"], threshold=2),
        Evaluation(["ndcg@3"], keep="sums"),
        Evaluation(["ndcg@3"], catalog=7),
    ):
        with pytest.raises(ValueError, match="were created with different settings"):
            evaluation.merge(other)
    with pytest.raises(ValueError, match="there is no list to evaluate"):
        Evaluation(["ndcg@3"]).report()
    assert Evaluation(["ndcg@3"]).merge(evaluation).report()["ndcg@3"].mean == 1


@pytest.mark.parametrize("history", [[{"A"}], TABLE[:1]])
def test_a_history_without_user_keys_works_for_one_batch_only(history):
    evaluation = Evaluation(["popularity_lift@2"], history=history)
    lists, wanted = ([["A", "B"]], [{"A"}]) if isinstance(history, list) else ([[0, 1]], [{0}])
    evaluation.update(lists, wanted)
    with pytest.raises(ValueError, match="history is in the order of the lists"):
        evaluation.update(lists, wanted)


def test_keep_sums_refuses_per_user_operations():
    with pytest.raises(
        ValueError, match="spread@2 is an aggregate over all lists, and keep='sums'"
    ):
        Evaluation([OWN[1]], keep="sums")
    with pytest.raises(ValueError, match="keep must be one of 'per_user', 'sums'"):
        Evaluation(["ndcg@3"], keep="all")
    evaluation = Evaluation(["ndcg@3", "exposure_novelty@3"], keep="sums", **CONTEXT)
    report = evaluation.update(LISTS, WANTED).report()
    assert report["ndcg@3"].interval() is not None
    assert report["exposure_novelty@3"].interval() is None
    said = " ".join(report.warnings)
    assert (
        "No confidence interval for exposure_novelty@3: sums do not show how the users vary" in said
    )
    assert "Only sums were stored, not users' values" in said
    for refused in (
        lambda: report["ndcg@3"].per_user,
        lambda: report["ndcg@3"].interval(method="bootstrap"),
        lambda: report.by(dict.fromkeys(USERS, "all")),
        lambda: report.compare(WHOLE),
        lambda: WHOLE.compare(report),
        lambda: evaluation.report(groups={"age": {}}),
        lambda: report.to_frame(per_user=True),
    ):
        with pytest.raises(ValueError, match="values of single users were not stored"):
            refused()


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("n_items", [8, 10**9, 2**62])
def test_a_catalogue_that_is_only_counted_takes_no_memory(n_items, normalized):
    measures = [f"gini(normalized={normalized})@2", "shannon_entropy@2", "coverage@2"]
    evaluation = Evaluation(measures, catalog=n_items)
    evaluation.update([[0, 1], [1, 2]], [{1}, {2}])
    # Numbers beyond the catalogue are ids like any other, also after others that were not.
    evaluation.update([[3, 10**15]], [{3}])
    gini, entropy, coverage = (found.value for found in evaluation.report().values())
    # Shown 1, 1, 1, 1 and 2 times: 6 in all.
    places = [n_items - 4 + at for at in range(5)]
    top = sum(
        (2 * place - n_items - 1) * x for place, x in zip(places, [1, 1, 1, 1, 2], strict=True)
    )
    assert gini == pytest.approx(top / 6 / (n_items - normalized), rel=1e-12)
    assert entropy == pytest.approx(4 / 6 * np.log2(6) + 2 / 6 * np.log2(3), rel=1e-12)
    assert coverage == 5 / n_items


@pytest.mark.parametrize(
    "groups",
    [[1, "1", 2], [1, True, 2], [b"a", "a", "b"], [2**53 + 1, 2**53, 1.0], ["a", 1, None]],
    ids=str,
)
def test_groups_of_several_types_are_not_merged(groups):
    lists, wanted = {u: ["A"] for u in "abc"}, {u: {"A"} for u in "abc"}
    for of_users in (groups, dict(zip("abc", groups, strict=True))):
        with pytest.raises(TypeError, match=r"must be of one kind|no float tells from the next"):
            rm.evaluate(lists, wanted, ["recall@1"], groups={"g": of_users})
        if isinstance(of_users, list):
            with pytest.raises(TypeError, match=r"must be of one kind|no float tells from the nex"):
                rm.evaluate(lists, wanted, ["recall@1"]).by(of_users)


@pytest.mark.parametrize("what", ["name", "split", "candidates", "seed"])
@pytest.mark.parametrize("value", [True, b"x", ["a"], 1.5, float("nan"), "half \ud83d"], ids=repr)
def test_what_is_stated_in_words_is_text(what, value):
    error = ValueError if isinstance(value, str) else TypeError
    with pytest.raises(error, match=rf"{what} is (a (whole number or a )?text; got|'half)"):
        rm.evaluate([["A"]], [{"A"}], ["recall@1"], **{what: value})


@pytest.mark.parametrize(
    ("ks", "says"),
    [
        (2, r"ks must be cut-offs such as \[5, 10\], not an int \(2\)"),
        ("12", r"ks must be cut-offs such as \[5, 10\], not a str \('12'\)"),
        (np.array(3), "ks must be cut-offs such as .*, not a ndarray"),
        ([], "ks names no cut-off; give some"),
    ],
)
def test_cutoffs_that_are_none_raise(ks, says):
    with pytest.raises((TypeError, ValueError), match=says):
        rm.evaluate([["A"]], [{"A"}], ["recall"], ks=ks)


def test_a_catalogue_that_is_an_array_of_one_number_raises():
    with pytest.raises(TypeError, match=r"catalog is an array of one number, array.3.; pass the i"):
        rm.evaluate([["A"]], [{"A"}], ["coverage@1"], catalog=np.array(3))
