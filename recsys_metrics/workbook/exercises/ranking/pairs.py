"""Pairs of items: AUC, ties, and concordant pairs."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from recsys_metrics import fraction_of_concordant_pairs, roc_auc
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function, make_completer
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text


def _auc(inputs: Inputs) -> float:
    good, bad = inputs["relevant"], inputs["other"]
    return float(roc_auc([1] * len(good) + [0] * len(bad), [*good, *bad]))


def _won(good: Sequence[float], bad: Sequence[float]) -> int:
    return sum(g > b for g in good for b in bad)


def _tied(inputs: Inputs) -> int:
    return sum(g == b for g in inputs["relevant"] for b in inputs["other"])


def _n_pairs(inputs: Inputs) -> int:
    return len(inputs["relevant"]) * len(inputs["other"])


def _solve(inputs: Inputs) -> dict[str, float]:
    n_pairs = _n_pairs(inputs)
    return {
        "pairs": n_pairs,
        "correct": _won(inputs["relevant"], inputs["other"]),
        "auc": _auc(inputs),
    }


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    """Return two to four scores a side, all different."""
    n_good, n_bad = (int(n) for n in rng.integers(2, 5, size=2))
    scores = [int(s) / 100 for s in rng.permutation(np.arange(5, 100, 5))[: n_good + n_bad]]
    return {
        "relevant": sorted(scores[:n_good], reverse=True),
        "other": sorted(scores[n_good:], reverse=True),
    }


def _reversed(inputs: Inputs) -> dict[str, float]:
    lost = _won(inputs["other"], inputs["relevant"])
    return {"correct": lost, "auc": lost / _n_pairs(inputs)}


def _all_items(inputs: Inputs) -> dict[str, float]:
    n_items = len(inputs["relevant"]) + len(inputs["other"])
    n_pairs = n_items * (n_items - 1) // 2
    return {"pairs": n_pairs, "auc": _won(inputs["relevant"], inputs["other"]) / n_pairs}


def _side_by_side(inputs: Inputs) -> dict[str, float]:
    beside = list(zip(inputs["relevant"], inputs["other"], strict=False))
    won = sum(g > b for g, b in beside)
    return {"pairs": len(beside), "correct": won, "auc": won / len(beside)}


def _count(inputs: Inputs) -> dict[str, float]:
    return {"auc": _won(inputs["relevant"], inputs["other"])}


auc_by_pairs = Numbers(
    attribute="auc_by_pairs",
    id="ranking.e6",
    title="AUC by counting pairs",
    prompt="""
A model gives the relevant items the scores {relevant}, and the other items the scores {other}.

Pair each relevant item with each other item. How many pairs are there, how many does the model
order correctly, and what is the AUC?
""",
    asks={"pairs": "pairs", "correct": "pairs in the right order", "auc": "AUC"},
    inputs={"relevant": [0.8, 0.5], "other": [0.6, 0.3]},
    solve=_solve,
    draw=_draw,
    follows={"auc": lambda own: own["correct"] / own["pairs"]},
    misconceptions=(
        Misconception(
            id="reversed-pairs",
            name="reversed pairs",
            wrong_answer=_reversed,
            cause="The pairs were counted in which the other item scores higher.",
            hint="Which of the two items should stand above the other?",
        ),
        Misconception(
            id="all-pairs",
            name="pairs of a kind",
            wrong_answer=_all_items,
            cause="Pairs of two relevant items, or of two others, were counted in. No order of "
            "theirs is better than the other.",
            hint="How many pairs hold one relevant and one other item?",
        ),
        Misconception(
            id="side-by-side",
            name="side by side",
            wrong_answer=_side_by_side,
            cause="Each relevant item was compared with one other item only, the one at its side.",
            hint="With how many other items does the first relevant item make a pair?",
        ),
        Misconception(
            id="count-for-share",
            name="count for share",
            wrong_answer=_count,
            cause="That is the number of correct pairs. AUC is a share.",
            hint="Correct pairs out of how many?",
        ),
    ),
    hints=(
        "Write the pairs down: first relevant with first other, first relevant with second "
        "other, and so on.",
        "A pair is correct where the relevant item has the higher score.",
        "AUC is the share of correct pairs among all pairs.",
    ),
    steps=(
        Step(
            "Every relevant item meets every other item.",
            "met = [(r, o) for r in relevant for o in other]\nmet",
        ),
        Step(
            "A pair is in order where the relevant item scores higher.",
            "pairs, correct = len(met), sum(r > o for r, o in met)\npairs, correct",
        ),
        Step("AUC is the share of them.", "auc = correct / pairs\nround(auc, 3)"),
    ),
    insight="AUC is the chance that a relevant item, picked blindly, scores above another one; "
    "random scores get one half.",
    minutes=4,
    points=3,
)


# Ties ----------------------------------------------------------------------------------------


def _draw_tied(rng: np.random.Generator) -> dict[str, Any]:
    """Return scores of which some stand on both sides."""
    values = rng.permutation(np.arange(5, 100, 5)) / 100
    n_good, n_bad = int(rng.integers(3, 6)), int(rng.integers(3, 6))
    good, bad = values[:n_good], values[n_good : n_good + n_bad].copy()
    n_ties = int(rng.integers(1, 3))
    bad[:n_ties] = good[:n_ties]
    return {
        "relevant": sorted(good.tolist(), reverse=True),
        "other": sorted(bad.tolist(), reverse=True),
    }


def _ties_won(inputs: Inputs) -> float:
    return (_won(inputs["relevant"], inputs["other"]) + _tied(inputs)) / _n_pairs(inputs)


def _ties_lost(inputs: Inputs) -> float:
    return _won(inputs["relevant"], inputs["other"]) / _n_pairs(inputs)


def _ties_dropped(inputs: Inputs) -> float:
    return _won(inputs["relevant"], inputs["other"]) / (_n_pairs(inputs) - _tied(inputs))


tied_auc = Numbers(
    id="ranking.tied_auc",
    title="AUC with ties",
    prompt="""
A model gives the relevant items the scores {relevant}, and the other items the scores {other}.
Some scores are equal.

Compute the AUC.
""",
    asks={"auc": "AUC"},
    inputs={"relevant": [0.9, 0.6, 0.4], "other": [0.6, 0.4, 0.2]},
    solve=_auc,
    draw=_draw_tied,
    misconceptions=(
        Misconception(
            id="ties-won",
            name="ties won",
            wrong_answer=_ties_won,
            cause="A pair of equal scores was counted as correct.",
            hint="What AUC should a model have that gives every item the same score?",
        ),
        Misconception(
            id="ties-lost",
            name="ties lost",
            wrong_answer=_ties_lost,
            cause="A pair of equal scores was counted as wrong.",
            hint="What AUC should a model have that gives every item the same score?",
        ),
        Misconception(
            id="ties-dropped",
            name="ties dropped",
            wrong_answer=_ties_dropped,
            cause="Pairs of equal scores were left out, above and below the line.",
            hint="Should a model gain by giving its doubtful items one score?",
        ),
        Misconception(
            id="reversed-pairs",
            name="reversed pairs",
            wrong_answer=lambda inputs: 1 - _auc(inputs),
            cause="The pairs were counted in which the other item scores higher.",
            hint="Which of the two items should stand above the other?",
        ),
    ),
    hints=(
        "Pair each relevant item with each other item, as without ties.",
        "A tie is neither right nor wrong. A coin would order it correctly half of the time.",
        "Count 1 for each pair in order and one half for each tie; divide by all pairs.",
    ),
    steps=(
        Step(
            "Every relevant item meets every other item.",
            "met = [(r, o) for r in relevant for o in other]\nmet",
        ),
        Step(
            "Some pairs are in order, and some are tied.",
            "in_order = sum(r > o for r, o in met)\n"
            "tied = sum(r == o for r, o in met)\n"
            "in_order, tied",
        ),
        Step(
            "A tie counts one half, so that a model which gives everything the same score has "
            "AUC one half, like one that guesses.",
            "auc = (in_order + tied / 2) / len(met)\nround(auc, 3)",
        ),
    ),
    insight="Popularity models tie many items. What a tie counts is then no detail.",
    minutes=4,
    points=1,
)


# AUC with one line missing -------------------------------------------------------------------


def _auc_of(relevant: Sequence[float], other: Sequence[float]) -> float:
    return _auc({"relevant": relevant, "other": other})


_PAIRS = """
right = 0
for r in relevant:
    for o in other:
        right += ...
return right / (len(relevant) * len(other))
""".strip()
_pair = make_completer("relevant, other", _PAIRS)


def _scores(relevant: Sequence[float], other: Sequence[float], why: str = "") -> Case:
    return Case({"relevant": [*relevant], "other": [*other]}, why)


def _draw_scores(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return scores of both kinds, most with ties between the kinds."""
    drawn = []
    for _ in range(6):
        values = rng.permutation(np.arange(5, 100, 5))[:6] / 100
        good = rng.choice(values, int(rng.integers(2, 6))).tolist()
        drawn.append(_scores(good, rng.choice(values, int(rng.integers(2, 6))).tolist()))
    return tuple(drawn)


complete_auc = Function(
    id="ranking.complete_auc",
    title="AUC with one line missing",
    prompt="""
`relevant` holds the scores of the relevant items, `other` those of the others.

Complete the line with `...`: a pair in the right order adds 1, a tie adds one half, and a pair the
wrong way round adds nothing.
""",
    function="my_auc",
    solve=_auc_of,
    template=_PAIRS,
    template_answer="(r > o) + (r == o) / 2",
    cases=(
        _scores([0.7, 0.2], [0.5, 0.2, 0.1], "two scores are equal"),
        _scores([0.9, 0.8, 0.3], [0.6, 0.4]),
        _scores([0.5, 0.5], [0.5, 0.5, 0.5], "all scores are equal"),
        _scores([0.1], [0.6, 0.9], "every pair is the wrong way round"),
        _scores([3, 1, 2], [2, 0, 2, 1], "the scores are counts"),
    ),
    draw=_draw_scores,
    misconceptions=(
        Misconception(
            id="ties-lost",
            name="ties lost",
            wrong_answer=_pair("r > o"),
            cause="A pair of equal scores was counted as wrong.",
            hint="What AUC should a model have that gives every item the same score?",
        ),
        Misconception(
            id="ties-won",
            name="ties won",
            wrong_answer=_pair("r >= o"),
            cause="A pair of equal scores was counted as correct.",
            hint="What AUC should a model have that gives every item the same score?",
        ),
        Misconception(
            id="reversed-pairs",
            name="reversed pairs",
            wrong_answer=_pair("(r < o) + (r == o) / 2"),
            variants=(_pair("r < o"), _pair("r <= o")),
            cause="The pairs were counted in which the other item scores higher.",
            hint="Which of the two items should stand above the other?",
        ),
        Misconception(
            id="difference",
            name="distance for order",
            wrong_answer=_pair("r - o"),
            variants=(_pair("o - r"), _pair("abs(r - o)"), _pair("max(r - o, 0)")),
            cause="How far apart the two scores are was added. AUC asks only which is higher.",
            hint="Would AUC change if all scores were multiplied by ten?",
        ),
        Misconception(
            id="wrong-pairs-charged",
            name="wrong pairs charged",
            wrong_answer=_pair("(r > o) - (r < o)"),
            variants=(_pair("1 if r > o else -1"),),
            cause="A pair the wrong way round takes 1 away. That number runs from -1 to 1, and "
            "random scores get 0.",
            hint="What does a pair the wrong way round add?",
        ),
    ),
    hints=(
        "There are three cases: `r` above `o`, `r` equal to `o`, `r` below `o`.",
        "In Python a comparison counts as 1 or 0 when it is added to a number.",
        "Add two parts: one for a higher score, and half of one for an equal score.",
    ),
    steps=(
        Step(
            "A comparison counts as 1 or 0. One of the two parts at most is there: a score cannot "
            "be higher and equal."
        ),
        Step(
            "Six pairs: four in the right order, one tie, one the wrong way round.",
            "my_auc([0.7, 0.2], [0.5, 0.2, 0.1])",
        ),
    ),
    insight="Popularity scores many films alike. A line that forgets the tie gives it another AUC.",
    minutes=3,
    points=1,
)


# In words ------------------------------------------------------------------------------------


explain_auc = Text(
    id="ranking.explain_auc",
    title="A high AUC and a bad page",
    prompt="""
A model scores {films} films for each person. Its AUC is {auc}, and the first page of ten films
holds next to none that anybody wanted.
Mara, who runs the site, asks in two or three sentences: how can both be true, and which number
should she look at?
""",
    inputs={"films": 9000, "auc": 0.95},
    draw=lambda rng: {
        "films": int(rng.choice([5000, 9000, 20000])),
        "auc": float(rng.choice([0.92, 0.95, 0.97])),
    },
    model="AUC takes all pairs of a wanted film and another one, and nearly all of those others "
    "stand far down, where nobody looks. If a wanted film stands below a few hundred of thousands, "
    "almost all of its pairs are right, and it is still on no first page. Look at what the page "
    "shows: precision, recall or NDCG at ten.",
    criteria=(
        "It says that AUC weighs all pairs alike, also those far below the page.",
        "It says that a few hundred films above a wanted one are few pairs and many places.",
        "It names a measure that looks at the first ten.",
    ),
    misconceptions=(
        Misconception(
            id="auc-wrong",
            name="AUC to blame",
            wrong_answer=lambda inputs: None,
            cause="The AUC need not be wrong. It answers another question.",
            hint="Of which pairs is it the share?",
        ),
    ),
    hints=(
        "How many pairs does one wanted film make, and how many of them are about the first page?",
        "Think of one wanted film that stands at rank 400 of the catalogue.",
        "Say what AUC counts, where the page ends, and what to look at instead.",
    ),
    insight="A number is never wrong about its own question. Ask which question it was.",
    minutes=4,
    points=2,
)


# Concordant pairs ----------------------------------------------------------------------------


def _fcp(inputs: Inputs) -> dict[str, float]:
    liked, ranked = inputs["liked"], inputs["ranked"]
    preference = [-liked.index(item) for item in ranked]
    scores = [-rank for rank in range(len(ranked))]
    share = fraction_of_concordant_pairs(preference, scores)
    n_pairs = len(ranked) * (len(ranked) - 1) // 2
    concordant = round(share * n_pairs)
    return {"concordant": concordant, "discordant": n_pairs - concordant, "fcp": share}


def _counted(concordant: int, discordant: int) -> dict[str, float]:
    share = concordant / (concordant + discordant)
    return {"concordant": concordant, "discordant": discordant, "fcp": share}


def _items_in_place(inputs: Inputs) -> dict[str, float]:
    in_place = sum(a == b for a, b in zip(inputs["liked"], inputs["ranked"], strict=True))
    return _counted(in_place, len(inputs["liked"]) - in_place)


def _changed_places(inputs: Inputs) -> dict[str, float]:
    right = _fcp(inputs)
    return _counted(int(right["discordant"]), int(right["concordant"]))


def _neighbours(inputs: Inputs) -> dict[str, float]:
    liked = inputs["liked"]
    kept = [liked.index(a) < liked.index(b) for a, b in pairwise(inputs["ranked"])]
    return _counted(sum(kept), len(kept) - sum(kept))


def _odds(inputs: Inputs) -> dict[str, float]:
    right = _fcp(inputs)
    return {"fcp": right["concordant"] / right["discordant"]}


def _draw_order(rng: np.random.Generator) -> dict[str, Any]:
    """Return an order of four to six items that keeps some pairs and breaks some."""
    liked = list(string.ascii_uppercase[: int(rng.integers(4, 7))])
    # Every count is as likely as another: of orders drawn blindly most keep half of the pairs.
    wanted = int(rng.integers(1, len(liked) * (len(liked) - 1) // 2))
    while True:
        ranked = [str(item) for item in rng.permutation(liked)]
        if sum(a < b for a, b in combinations(ranked, 2)) == wanted:
            return {"liked": liked, "ranked": ranked}


fcp = Numbers(
    id="ranking.fcp",
    title="Concordant pairs",
    prompt="""
Someone likes the items in this order, best first: {liked}. The system ranks them {ranked}.

Take every pair of items. How many pairs does the system order as the person does (concordant),
how many the other way round (discordant), and what is the fraction of concordant pairs, FCP?
""",
    asks={"concordant": "concordant pairs", "discordant": "discordant pairs", "fcp": "FCP"},
    inputs={"liked": ["A", "B", "C"], "ranked": ["B", "A", "C"]},
    solve=_fcp,
    draw=_draw_order,
    follows={"fcp": lambda own: own["concordant"] / (own["concordant"] + own["discordant"])},
    misconceptions=(
        Misconception(
            id="items-not-pairs",
            name="items for pairs",
            wrong_answer=_items_in_place,
            cause="Items that stand at their own rank were counted, and items that do not.",
            hint="Take two items. Which does the person like better, and which is ranked higher?",
            ambiguous_with=("counts-swapped",),
        ),
        Misconception(
            id="counts-swapped",
            name="swapped counts",
            wrong_answer=_changed_places,
            cause="The concordant and the discordant pairs have changed places.",
            hint="Is a pair concordant where both orders agree, or where they differ?",
        ),
        Misconception(
            id="neighbours-only",
            name="neighbours only",
            wrong_answer=_neighbours,
            cause="Only items that stand next to each other were compared.",
            hint="How many pairs can be made of these items?",
        ),
        Misconception(
            id="odds",
            name="ratio for share",
            wrong_answer=_odds,
            cause="Concordant pairs were divided by discordant ones.",
            hint="What should FCP be where every pair is concordant?",
        ),
    ),
    hints=(
        "List every pair of two items, not only neighbours.",
        "For each pair ask: does the item that is liked better also stand higher?",
        "FCP is the number of concordant pairs divided by the number of all pairs.",
    ),
    steps=(
        Step(
            "Every pair of items, the one liked better first.",
            "from itertools import combinations\n\nevery = list(combinations(liked, 2))\nevery",
        ),
        Step(
            "A pair is concordant where the system, too, ranks the first one higher.",
            "kept = [ranked.index(better) < ranked.index(worse) for better, worse in every]\nkept",
        ),
        Step(
            "The rest is discordant, and FCP is the share of the concordant ones.",
            "concordant = sum(kept)\n"
            "discordant = len(kept) - concordant\n"
            "fcp = concordant / len(kept)\n"
            "round(fcp, 3)",
        ),
    ),
    insight="One of the texts this workbook follows has the two counts of this list the other way "
    "round; see the errata.",
    minutes=4,
    points=3,
)


# FCP from its first line ---------------------------------------------------------------------


def _share(liking: Sequence[float], scores: Sequence[float]) -> float:
    return float(fraction_of_concordant_pairs(liking, scores, ties="average"))


def _each_pair(
    liking: Sequence[float], scores: Sequence[float]
) -> Iterator[tuple[float, float, float]]:
    """Yield by how much each pair differs in liking, and the scores of the two."""
    for (a, s), (b, t) in combinations(zip(liking, scores, strict=True), 2):
        yield (a - b, s, t) if a >= b else (b - a, t, s)


def _mean(worth: Iterable[float]) -> float:
    values = list(worth)
    return sum(values) / len(values) if values else 0.0


def _pair_by(value: Callable[[float, float], float]) -> Callable[..., float]:
    """Return the mistake of giving each pair of the better one's score and the other's a value."""
    return lambda liking, scores: _mean(
        value(better, worse) for apart, better, worse in _each_pair(liking, scores) if apart
    )


def _equals_kept(liking: Sequence[float], scores: Sequence[float]) -> float:
    return _mean(
        (better > worse) + (better == worse) / 2 if apart else 0.0
        for apart, better, worse in _each_pair(liking, scores)
    )


def _equals_kept_as_order(liking: Sequence[float], scores: Sequence[float]) -> float:
    return _mean(
        (better > worse) + (better == worse) / 2
        for apart, better, worse in _each_pair(liking, scores)
    )


def _neighbours_alone(liking: Sequence[float], scores: Sequence[float]) -> float:
    both = list(zip(liking, scores, strict=True))
    return _mean(
        ((a > b) == (s > t)) if s != t else 0.5 for (a, s), (b, t) in pairwise(both) if a != b
    )


def _tied_left_out(liking: Sequence[float], scores: Sequence[float]) -> float:
    apart = [(s, t) for liked, s, t in _each_pair(liking, scores) if liked and s != t]
    return _mean(float(better > worse) for better, worse in apart)


def _not_shared(liking: Sequence[float], scores: Sequence[float]) -> float:
    return sum(
        (better > worse) + (better == worse) / 2
        for apart, better, worse in _each_pair(liking, scores)
        if apart
    )


def _liking(liking: Sequence[float], scores: Sequence[float], why: str = "") -> Case:
    return Case({"liking": [*liking], "scores": [*scores]}, why)


def _draw_liking(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return stars of five to eight films, some alike, and scores of which some tie."""
    drawn: list[Case] = []
    while len(drawn) < 6:
        n = int(rng.integers(5, 9))
        stars = [int(star) for star in rng.integers(1, 6, n)]
        scores = [int(score) / 10 for score in rng.integers(1, 10, n)]
        if len(set(stars)) > 1 and len(set(scores)) < n and len(set(stars)) < n:
            drawn.append(_liking(stars, scores))
    return tuple(drawn)


write_fcp = Function(
    id="ranking.write_fcp",
    title="Write FCP",
    prompt="""
Write `my_fcp(liking, scores)`: of all pairs of films that the person likes differently, the share
that the scores order in the same way.

- `liking` and `scores` are two lists of numbers, one of each for every film; higher is better.
- Two films that are liked alike are no pair. At least two films are liked differently.
- A pair of equal scores counts one half, as in AUC. (The library counts it as wrong unless it is
  asked for `ties="average"`.)
""",
    function="my_fcp",
    solve=_share,
    cases=(
        _liking([5, 4, 2, 1], [4, 2, 3, 1], "only one pair is turned round"),
        _liking([5, 3, 3, 1], [0.9, 0.4, 0.7, 0.5], "two films are liked alike"),
        _liking([4, 2, 5, 1], [0.5, 0.5, 0.8, 0.2], "two scores are equal"),
        _liking([1, 2, 3], [0.9, 0.5, 0.1], "every pair is the wrong way round"),
        _liking([2, 5, 3, 3, 1], [3, 3, 3, 3, 3], "all scores are equal"),
        _liking([5, 1, 4, 2, 3], [0.3, 0.2, 0.9, 0.2, 0.6], "the best film is not the first"),
    ),
    draw=_draw_liking,
    misconceptions=(
        Misconception(
            id="ties-lost",
            name="ties lost",
            wrong_answer=_pair_by(lambda better, worse: float(better > worse)),
            cause="A pair of equal scores was counted as wrong.",
            hint="What share should a model have that gives every film the same score?",
        ),
        Misconception(
            id="ties-won",
            name="ties won",
            wrong_answer=_pair_by(lambda better, worse: float(better >= worse)),
            cause="A pair of equal scores was counted as correct.",
            hint="What share should a model have that gives every film the same score?",
        ),
        Misconception(
            id="ties-dropped",
            name="ties dropped",
            wrong_answer=_tied_left_out,
            cause="Pairs of equal scores were left out, above and below the line.",
            hint="Should a model gain by giving its doubtful films one score?",
        ),
        Misconception(
            id="equals-kept",
            name="liked alike",
            wrong_answer=_equals_kept,
            variants=(_equals_kept_as_order,),
            cause="Two films that are liked alike were counted among the pairs.",
            hint="Which of two films with the same stars should stand above the other?",
        ),
        Misconception(
            id="neighbours-only",
            name="neighbours only",
            wrong_answer=_neighbours_alone,
            cause="Only films that stand next to each other in the two lists were compared.",
            hint="With how many other films does the first one make a pair?",
        ),
        Misconception(
            id="reversed-pairs",
            name="reversed pairs",
            wrong_answer=lambda liking, scores: 1 - _share(liking, scores),
            variants=(_pair_by(lambda better, worse: float(better < worse)),),
            cause="The pairs were counted that the scores turn round.",
            hint="Should a model that agrees with the person get 1 or 0?",
        ),
        Misconception(
            id="wrong-pairs-charged",
            name="wrong pairs charged",
            wrong_answer=lambda liking, scores: 2 * _share(liking, scores) - 1,
            cause="A pair the wrong way round takes 1 away. That number runs from -1 to 1, and "
            "random scores get 0.",
            hint="What does a pair the wrong way round add?",
        ),
        Misconception(
            id="count-for-share",
            name="count for share",
            wrong_answer=_not_shared,
            cause="That is the number of pairs in the right order. FCP is a share.",
            hint="Correct pairs out of how many?",
        ),
    ),
    hints=(
        "Two loops, or `itertools.combinations`, make every pair of films once.",
        "Leave a pair out where the two are liked alike. Of the others, ask which film is liked "
        "better, and whether its score is higher.",
        "Count two things: the pairs, and what is right of them, with one half for equal scores.",
    ),
    steps=(
        Step(
            "Let every film meet every other one, both ways. Each pair is then met once with the "
            "better film first, and only there anything is counted.",
            "def my_fcp(liking, scores):\n"
            "    films, pairs, right = range(len(liking)), 0, 0.0\n"
            "    for a in films:\n"
            "        for b in films:\n"
            "            if liking[a] > liking[b]:\n"
            "                pairs += 1\n"
            "                right += (scores[a] > scores[b]) + (scores[a] == scores[b]) / 2\n"
            "    return right / pairs",
        ),
        Step(
            "The four films of the text, of whose six pairs one is turned round:",
            "round(my_fcp([5, 4, 2, 1], [4, 2, 3, 1]), 3)",
        ),
    ),
    insight="AUC is the same share where liking has two degrees. One function answers both.",
    minutes=7,
    points=3,
)
