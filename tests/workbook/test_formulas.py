"""Every formula that is printed has the value of its function.

The TeX of a docstring is read and evaluated (`tests/workbook/tex.py`), on an example by hand, on
the running example and on random cases. The values of the symbols stand here once per subject, and
a metric is called by the names of its parameters, so that a new one is tested without a line here
unless its parameters or symbols are its own.
"""

from __future__ import annotations

import inspect
import math
import re
import statistics
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics import beyond_accuracy as ba
from recsys_metrics import calibration, rating
from recsys_metrics.bias import fairness, off_policy
from recsys_metrics.workbook.cards import CARDS, symbol_table
from tests.examples import examples
from tests.workbook import tex
from tests.workbook.tex import Ranks

K = 5
# What a docstring shows and no value is compared with: a random variable, an infinite sum, an
# interval, a test.
UNREAD = {"expected_sampled_metric", "rank_biased_overlap", "t_interval", "paired_t_test"}
UNREAD |= {"mann_whitney", "click_through_rate", "interpolated_precision"}
# A mean with a hat, and a rank in another list.
UNREAD |= {"correlation", "least_item_promoted"}


FORMULAS = {name: each.formula for name, each in CARDS.items() if each.formula}


def read_metrics(*subjects: str) -> list[str]:
    """Return the metrics of subjects whose formula can be evaluated."""
    return [name for name in FORMULAS if CARDS[name].subject in subjects and name not in UNREAD]


def parameters(metric: str) -> list[str]:
    return list(inspect.signature(CARDS[metric].function).parameters)


def value(metric: str, letters: Mapping[str, Any]) -> Any:
    """Return the value of a card's formula, other metrics in it by their own formulas."""
    scope = dict(letters)
    for other, formula in FORMULAS.items():
        (name, meaning), *rest = tex.statements(formula)
        if CARDS[other].subject == CARDS[metric].subject and not rest and "mathrm" in name:
            read = tex.read(name)
            base = tex.base(read)
            scope.setdefault(base, tex.Explained(read, tex.read(meaning), scope))
    return tex.evaluate(FORMULAS[metric], scope)


def of_list(
    recommended: list[str], grades: dict[str, float], nonrelevant: set[str]
) -> dict[str, Any]:
    """Return what the letters of ranking are for one list."""
    best = sorted(grades.values(), reverse=True)
    return {
        "K": K,
        "L": Ranks(recommended),
        "R": set(grades),
        "N": nonrelevant,
        "I": set("ABCDEFGHIJ"),
        "g": lambda i: grades.get(recommended[i - 1], 0) if i <= len(recommended) else 0,
        "g^*": lambda i: best[i - 1] if i <= len(best) else 0,
        r"g_\max": 3,
        "p": 0.8,
        r"\beta": 2,
    }


# The values of parameters that are symbols of the formulas.
OPTIONS = {"beta": 2, "p": 0.8, "max_grade": 3, "n_items": 10}
OF_LISTS = [m for m in read_metrics("ranking") if parameters(m)[0] == "judged"]
items = st.sampled_from("ABCDEFGHIJ")


def test_the_evaluator_on_formulas_computed_by_hand():
    example = of_list(list("ABCDE"), dict.fromkeys("BCEG", 1), set("AD"))
    assert value("precision", example) == 3 / 5
    assert value("recall", example) == 3 / 4
    assert value("reciprocal_rank", example) == 1 / 2
    assert value("average_precision", example) == (1 / 2 + 2 / 3 + 3 / 5) / 4
    ideal = 1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    found = 1 / math.log2(3) + 1 / 2 + 1 / math.log2(6)
    assert value("ndcg", example) == pytest.approx(found / ideal, abs=1e-15)


@pytest.mark.parametrize("metric", OF_LISTS)
@examples(20)
@given(
    recommended=st.lists(items, max_size=7, unique=True),
    grades=st.dictionaries(items, st.integers(1, 3), min_size=1, max_size=6),
    judged=st.sets(items, max_size=4),
)
@example(recommended=list("ABCDEFG"), grades={"E": 2, "F": 1}, judged={"A", "G"})  # a hit at rank K
def test_formulas_of_lists(metric, recommended, grades, judged):
    nonrelevant = judged - set(grades)
    truth = {**dict.fromkeys(nonrelevant, 0), **grades}
    options = {name: OPTIONS[name] for name in parameters(metric) if name in OPTIONS}
    got = CARDS[metric].function(rm.judge(recommended, truth), K, **options)
    assert value(metric, of_list(recommended, grades, nonrelevant)) == pytest.approx(got, abs=1e-12)


@examples(20)
@given(
    recommended=st.lists(items, max_size=7, unique=True),
    grades=st.dictionaries(items, st.integers(0, 1), min_size=1, max_size=6),
    rest=st.sets(items, max_size=4),
)
def test_formulas_of_incomplete_judgments(recommended, grades, rest):
    wanted = {item for item, grade in grades.items() if grade}
    assume(wanted)
    letters = of_list(recommended, dict.fromkeys(wanted, 1), set(grades) - wanted)
    letters |= {"P": set(grades) | rest, r"\epsilon": 1e-5}
    letters["of i"] = range(1, len(recommended) + 1)
    got = rm.inferred_average_precision(recommended, grades, rest - set(grades))
    assert value("inferred_average_precision", letters) == pytest.approx(got, abs=1e-12)


# Labels and scores


def of_scores(labels: list[int], scores: list[float]) -> dict[str, Any]:
    cases = range(1, len(labels) + 1)
    return {
        "R": {i for i in cases if labels[i - 1]},
        "N": {i for i in cases if not labels[i - 1]},
        "y": Ranks(labels),
        "s": Ranks(scores),
        "of i": cases,
        "of j": cases,
    }


few = st.sampled_from([0.1, 0.2, 0.4, 0.4, 0.7, 0.9])
labelled = st.lists(st.tuples(st.integers(0, 1), few), min_size=2, max_size=9).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)
OF_SCORES = [m for m in read_metrics("ranking") if parameters(m)[1] == "scores"]


@pytest.mark.parametrize("metric", OF_SCORES)
@examples(20)
@given(rows=labelled)
def test_formulas_of_scores(metric, rows):
    labels, scores = map(list, zip(*rows, strict=True))
    got = CARDS[metric].function(labels, scores)
    assert value(metric, of_scores(labels, scores)) == pytest.approx(got, abs=1e-12)


@examples(20)
@given(rows=st.lists(st.tuples(st.integers(1, 6), few), min_size=1, max_size=6))
def test_formulas_of_ranks(rows):
    ranks, weights = map(list, zip(*rows, strict=True))
    letters = {r"\rho": Ranks(ranks), "I": range(6), "w": Ranks(weights)}
    letters["of i"] = range(1, len(ranks) + 1)
    got = rm.mean_percentile_rank(ranks, 6, weights=weights)
    assert value("mean_percentile_rank", letters) == pytest.approx(got, abs=1e-12)


# Ratings

stars = st.integers(1, 10).map(lambda half: half / 2)
rows_of_ratings = st.lists(st.tuples(stars, stars, few), min_size=2, max_size=8).filter(
    lambda rows: len({r[0] for r in rows}) > 1 and any(r[0] != r[1] for r in rows)
)


@pytest.mark.parametrize("metric", read_metrics("rating"))
@examples(15)
@given(rows=rows_of_ratings)
def test_formulas_of_ratings(metric, rows):
    actual, predicted, weights = map(list, zip(*rows, strict=True))
    if metric == "median_absolute_error":  # a median of weighted rows is no formula of these
        weights = [1.0] * len(rows)
    errors = np.subtract(predicted, actual)
    letters = {
        "y": Ranks(actual),
        r"\hat y": Ranks(predicted),
        "w": Ranks(weights),
        r"\bar y": float(np.average(actual, weights=weights)),
        r"\bar e": float(np.average(errors, weights=weights)),
        "of i": range(1, len(rows) + 1),
    }
    got = getattr(rating, metric)(actual, predicted, weights=weights)
    assert value(metric, letters) == pytest.approx(got, abs=1e-12)


# Lists of several users


class _Sets(set[Any]):
    """A set, and with an index the set of one user, item or group."""

    def __init__(self, whole: set[Any], each: Any) -> None:
        super().__init__(whole)
        self.each = each

    def __call__(self, index: Any) -> Any:
        return self.each[index]


class _Lists(Ranks):
    """The list of the first user, and with an index a rank of it or the list of a user."""

    each: dict[str, Ranks]

    def at(self, *index: Any) -> Any:
        if isinstance(index[0], str):
            return self.each[index[0]].at(*index[1:]) if index[1:] else self.each[index[0]]
        return super().at(*index)


class World:
    """Four users with three items each of a catalogue of eight, with kinds and groups."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.lists = [rng.permutation(8)[:3].tolist() for _ in range(4)]
        self.obvious = rng.permutation(8)[:3].tolist()
        self.wanted = [set(rng.permutation(8)[: rng.integers(1, 5)].tolist()) for _ in range(4)]
        self.met = [{int(rng.choice(list(set(range(8)) - set(one))))} for one in self.lists]
        self.counts = rng.integers(1, 9, size=8)
        self.kinds = rng.integers(0, 2, size=(8, 3))
        self.kinds[np.arange(8), rng.integers(0, 3, size=8)] = 1
        self.groups = np.array([*"xxyy", *rng.choice(["x", "y"], size=4)])
        self.relevance = rng.integers(0, 4, size=(4, 8)) + (np.arange(8) == 0)

    @property
    def letters(self) -> dict[str, Any]:
        names = [f"user {n}" for n in range(4)]
        lists = _Lists(self.lists[0])
        lists.each = dict(zip(names, map(Ranks, self.lists), strict=True))
        kinds = [set(np.flatnonzero(row).tolist()) for row in self.kinds]
        shares = self.kinds / self.kinds.sum(axis=1, keepdims=True)
        sizes = np.linalg.norm(self.kinds, axis=1)
        wanted, recommended = self.wanted[0], self.lists[0]

        def above(kind: int, rank: int) -> int:
            return sum(kind in kinds[item] for item in recommended[: rank - 1] if item in wanted)

        return {
            "K": 3,
            "L": lists,
            "R": _Sets(wanted, dict(zip(names, self.wanted, strict=True))),
            "H": _Sets(self.met[0], dict(zip(names, self.met, strict=True))),
            "B": Ranks(self.obvious),
            "C": _Sets(set().union(*(kinds[item] for item in wanted)), kinds),
            "I": _Sets(
                set(range(8)), {c: set(np.flatnonzero(self.groups == c).tolist()) for c in "xy"}
            ),
            "U": range(10),
            "E": range(60),
            "n": dict(enumerate(self.counts.tolist())),
            r"\rho": {
                i: 1 + len({c for c in self.counts if c > n}) for i, n in enumerate(self.counts)
            },
            # The most popular fifth of eight are two.
            r"n_\text{head}": sorted(self.counts.tolist())[-2],
            "a": lambda rank: 1 / math.log2(rank + 1),
            "m": above,
            "p": {
                **{
                    (c, i): float(shares[recommended[i - 1], c])
                    for c in range(3)
                    for i in (1, 2, 3)
                },
                **{c: float(np.mean(self.groups == c)) for c in "xy"},
            },
            "x": Ranks(self.counts.tolist()),
            "s": Ranks((self.counts / 4).tolist()),
            r"\alpha": 0.5,
            r"\text{sim}": lambda i, j: float(self.kinds[i] @ self.kinds[j] / sizes[i] / sizes[j]),
            "of i": range(8),
            "of j": range(8),
            "of u": names,
            "of c": "xy",
        }

    @property
    def of_items(self) -> dict[str, Any]:
        """The letters of what counts how often each item was shown, from the first on."""
        return {"of i": range(1, 9), "of j": range(1, 9)}

    @property
    def of_ranks(self) -> dict[str, Any]:
        return {"of i": (1, 2, 3), "of j": (1, 2, 3), "of c": range(3)}


ONE_OR_MANY = re.compile(r"Returns\n-+\nfloat or \(\w+,\) array\n")


def call_by_names(metric: str, world: World) -> Any:
    """Return a metric of a world, each argument by the name of its parameter."""
    one = ONE_OR_MANY.search(inspect.getdoc(CARDS[metric].function) or "")
    arguments = {
        "recommended": world.lists[0] if one else world.lists,
        "relevant": world.wanted[0] if one else world.wanted,
        "history": world.met[0] if one else world.met,
        "baseline": world.obvious,
        "item_counts": world.counts,
        "counts": world.counts,
        "features": world.kinds,
        "categories": {i: np.flatnonzero(row).tolist() for i, row in enumerate(world.kinds)},
        "groups": world.groups,
        "catalog": 8,
        "n_users": 10,
        "n_events": 60,
        "k": 3,
    }
    function = CARDS[metric].function
    return function(**{name: arguments[name] for name in parameters(metric) if name in arguments})


def symbols_of(metric: str, world: World) -> dict[str, Any]:
    """Return what the symbols of a metric are in a world, as its docstring defines them."""
    defined = {symbol for symbol, _ in CARDS[metric].symbols}
    if defined & {"L_i", "L_{u,i}", "p_{c,i}"}:
        return world.letters | world.of_ranks
    if "x_i" in defined:
        return world.letters | world.of_items
    return world.letters | ({"U": range(4)} if "L_v" in defined else {})


# Calls whose value is a part of what the function returns, or that need an argument of their own;
# and symbols with a value of their own.
CALLS: dict[str, Callable[[World], Any]] = {
    "user_coverage": lambda w: ba.user_coverage(w.lists, 4, at_least=3),
    "unexpectedness": lambda w: ba.unexpectedness(w.lists[0], w.met[0], w.kinds),
    "exposure_novelty": lambda w: ba.exposure_novelty(w.lists, w.counts, 10)[0],
    "score_entropy": lambda w: ba.score_entropy(w.counts / 4, base=math.e),
    "intent_aware_expected_reciprocal_rank": lambda w: ba.intent_aware_expected_reciprocal_rank(
        w.lists[0], w.wanted[0], w.kinds, scale="none"
    ),
    "exposure_by_group": lambda w: fairness.exposure_by_group(w.lists, w.groups).per_group["x"],
    "ranking_statistical_parity": lambda w: (
        fairness.ranking_statistical_parity(w.lists, w.groups, history=w.met).relative_deviation
    ),
    "ranking_equal_opportunity": lambda w: (
        fairness.ranking_equal_opportunity(w.lists, w.wanted, w.groups).relative_deviation
    ),
}
SYMBOLS: dict[str, Callable[[World], dict[str, Any]]] = {
    "user_coverage": lambda w: {"U": range(4)},
    "score_entropy": lambda w: w.of_items,
    "shannon_entropy": lambda w: w.of_items,
    "rank_biased_entropy": lambda w: {**w.of_ranks, "a": lambda rank: 0.85 ** (rank - 1)},
    "exposure_by_group": lambda w: {"c": "x"},
    "attention_weighted_rank_fairness": lambda w: {"of c": "xy"},
    "ndkl": lambda w: {**w.of_ranks, "of c": "xy"},
}
# Tested on data of their own below.
ALONE = {"alpha_ndcg", "genre_calibration", "amortized_attention"}
ALONE |= {"demographic_parity", "equal_opportunity", "equalized_odds"}
OF_LOGS = {"ips", "snips", "effective_sample_size"}
OF_WORLD = [m for m in read_metrics("beyond_accuracy", "bias") if m not in ALONE | OF_LOGS]


@pytest.mark.parametrize("metric", OF_WORLD)
@examples(8)
@given(seed=st.integers(0, 10**6))
def test_formulas_of_many_users(metric, seed):
    world = World(seed)
    got = CALLS[metric](world) if metric in CALLS else call_by_names(metric, world)
    assume(not math.isnan(got))  # where a function leaves a case out, a formula divides by 0
    letters = symbols_of(metric, world) | SYMBOLS.get(metric, lambda w: {})(world)
    assert value(metric, letters) == pytest.approx(got, abs=1e-12)


@examples(8)
@given(seed=st.integers(0, 10**6))
def test_formula_of_alpha_ndcg(seed):
    # The formula is that of the list; the function divides it by that of an ideal list.
    world = World(seed)
    one = value("alpha_ndcg", world.letters)
    recommended = world.lists[0]
    got = ba.alpha_ndcg([recommended, recommended[::-1]], [world.wanted[0]] * 2, world.kinds, k=3)
    world.lists[0] = recommended[::-1]
    other = value("alpha_ndcg", world.letters)
    assume(one and other)
    assert one / other == pytest.approx(got[0] / got[1], abs=1e-12)


@examples(20)
@given(target=st.lists(few, min_size=3, max_size=3), mix=st.lists(few, min_size=3, max_size=3))
def test_formula_of_genre_calibration(target, mix):
    p, q = (np.array(each) / sum(each) for each in (target, mix))
    letters = {"p": Ranks(p), "q": Ranks(q), r"\alpha": 0.01, "of c": (1, 2, 3)}
    got = ba.genre_calibration(p, q)
    assert value("genre_calibration", letters) == pytest.approx(got, abs=1e-12)


# Probabilities


@pytest.mark.parametrize("metric", read_metrics("calibration"))
@examples(15)
@given(rows=labelled)
def test_formulas_of_probabilities(metric, rows):
    labels, said = map(list, zip(*rows, strict=True))
    bins: dict[int, list[int]] = {}
    for case, probability in enumerate(said):
        bins.setdefault(math.ceil(probability * 5 - 1e-9), []).append(case)
    letters = {
        "y": Ranks(labels),
        "p": Ranks(said),
        "n": {None: len(rows), **{b: len(cases) for b, cases in bins.items()}},
        "of i": range(1, len(rows) + 1),
        "of b": list(bins),
        r"\bar p": {b: statistics.fmean(said[i] for i in cases) for b, cases in bins.items()},
        r"\bar y": {b: statistics.fmean(labels[i] for i in cases) for b, cases in bins.items()},
    }
    in_bins = {"expected_calibration_error", "average_calibration_error"}
    if metric not in in_bins:
        letters |= {"n": len(rows), r"\bar y": statistics.fmean(labels)}
    options = {"n_bins": 5} if metric in in_bins else {}
    got = getattr(calibration, metric)(labels, said, **options)
    assert value(metric, letters) == pytest.approx(got, abs=1e-12)


# Weights and groups

shown = st.tuples(st.sampled_from([0, 1, 3]), st.sampled_from([0.1, 0.25, 0.8]), few)


@pytest.mark.parametrize("metric", sorted(OF_LOGS))
@examples(15)
@given(rows=st.lists(shown, min_size=2, max_size=8))
def test_formulas_of_logs(metric, rows):
    rewards, propensities, target = map(list, zip(*rows, strict=True))
    weights = off_policy.importance_weights(propensities, target)
    letters = {
        "r": Ranks(rewards),
        "p": Ranks(propensities),
        r"\pi": Ranks(target),
        "n": len(rows),
        "of i": range(1, len(rows) + 1),
    }
    if metric == "effective_sample_size":
        letters["w"] = Ranks(weights.tolist())
        got = off_policy.effective_sample_size(weights)
    else:
        got = getattr(off_policy, metric)(rewards, propensities, target).value
    assert value(metric, letters) == pytest.approx(got, abs=1e-12)


cases = st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from("xy"))


@examples(15)
@given(rows=st.lists(cases, max_size=8), label=st.integers(0, 1))
def test_formulas_of_groups(rows, label):
    some = [(1, 1, "x"), (0, 1, "x"), (1, 0, "y"), (0, 0, "y")]
    labels, selected, groups = map(list, zip(*some, *rows, strict=True))
    letters = {
        "y": Ranks(labels),
        "z": Ranks(selected),
        "c": {None: "x", **dict(enumerate(groups, 1))},
        "v": label,
        "of i": range(1, len(labels) + 1),
    }
    selection = fairness.demographic_parity(selected, groups)
    found = fairness.equal_opportunity(labels, selected, groups)
    odds = fairness.equalized_odds(labels, selected, groups)
    assert value("demographic_parity", letters) == pytest.approx(selection.per_group["x"])
    assert value("equal_opportunity", letters) == pytest.approx(found.per_group["x"])
    got = (odds.true_positive if label else odds.false_positive).per_group["x"]
    assert value("equalized_odds", letters) == pytest.approx(got)


@examples(8)
@given(seed=st.integers(0, 10**6))
def test_formula_of_amortized_attention(seed):
    world = World(seed)
    attention = np.zeros((4, 8))
    for row, recommended in zip(attention, world.lists, strict=True):
        row[recommended] = 1 / np.log2([2, 3, 4])
    attention /= attention.sum(axis=1, keepdims=True)
    deserved = world.relevance / world.relevance.sum(axis=1, keepdims=True)
    letters = {
        "a": lambda u, i: float(attention[u, i]),
        r"\rho": lambda u, i: float(deserved[u, i]),
        "U": range(4),
        "of u": range(4),
        "of i": range(8),
    }
    got = fairness.amortized_attention(world.lists, world.relevance).unfairness
    assert value("amortized_attention", letters) == pytest.approx(got, abs=1e-12)


# All of them


def test_every_formula_is_compared():
    of_subjects = {*read_metrics("rating", "calibration"), *OF_LISTS, *OF_SCORES, *OF_WORLD}
    on_their_own = ALONE | OF_LOGS | {"mean_percentile_rank", "inferred_average_precision"}
    assert set(FORMULAS) == of_subjects | on_their_own | UNREAD


# Without a formula: said in words, or another metric averaged or at another cut.
WITHOUT = {"group_auc", "limited_auc", "expected_over_ties", "intent_aware_average_precision"}


def test_every_metric_of_a_chapter_has_a_formula():
    others = {c.key for c in CARDS.values() if c.subject != "protocol"} - set(FORMULAS)
    assert others == WITHOUT


def test_every_symbol_is_explained_below_its_formula():
    for metric in set(FORMULAS) - UNREAD:
        explained = [tex.base(tex.read(symbol)) for symbol, _ in CARDS[metric].symbols]
        assert set(tex.letters(FORMULAS[metric])) <= set(explained), metric
        names = [symbol for symbol, _ in CARDS[metric].symbols]
        assert len(names) == len(set(names)), metric


def test_no_symbol_is_explained_that_the_formula_does_not_use():
    for metric in set(FORMULAS) - UNREAD:
        for symbol, _ in CARDS[metric].symbols:
            base = tex.base(tex.read(symbol))
            assert base in FORMULAS[metric], (metric, symbol)


def test_the_table_has_every_symbol_of_every_card():
    rows = {(row.symbol, row.meaning) for row in symbol_table()}
    assert rows == {explained for each in CARDS.values() for explained in each.symbols}
    # Within a subject a symbol has one meaning, except for alpha, a parameter of three metrics, and
    # for the tests of the protocol, which are of different designs.
    by_symbol = [
        (row.symbol, subject)
        for row in symbol_table()
        for subject in row.subjects
        if subject != "protocol"
    ]
    twice = {one for one in by_symbol if by_symbol.count(one) > 1}
    assert twice == {(r"\alpha", "beyond_accuracy")}
