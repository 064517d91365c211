"""Between users: how different their lists are, and what a mix of genres is worth."""

from __future__ import annotations

import string
from itertools import combinations
from typing import Any

import numpy as np

from recsys_metrics.beyond_accuracy import genre_calibration, personalization
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers

_USERS = ("ann", "bob", "cem")


def _lists(inputs: Inputs) -> list[list[str]]:
    return [inputs[user] for user in _USERS]


def _personalization(inputs: Inputs) -> float:
    return float(personalization(_lists(inputs)))


def _unique(inputs: Inputs) -> float:
    lists = _lists(inputs)
    recommended = [item for each in lists for item in each]
    return sum(recommended.count(item) == 1 for item in recommended) / len(recommended)


def _jaccard(inputs: Inputs) -> float:
    pairs = list(combinations(map(set, _lists(inputs)), 2))
    return 1 - sum(len(one & two) / len(one | two) for one, two in pairs) / len(pairs)


def _with_self(inputs: Inputs) -> float:
    return _personalization(inputs) * 6 / 9


def _common_to_all(inputs: Inputs) -> float:
    lists = list(map(set, _lists(inputs)))
    return 1 - len(lists[0] & lists[1] & lists[2]) / len(lists[0])


def _draw_lists(rng: np.random.Generator) -> Inputs:
    """Return lists that have much or little in common: any overlap is as likely as another."""
    k = int(rng.integers(3, 8))
    letters = [str(letter) for letter in rng.permutation(list(string.ascii_uppercase))]
    lists: list[list[str]] = []
    for _ in _USERS:
        seen = sorted({item for each in lists for item in each})
        shared = rng.permutation(seen)[: int(rng.integers(0, k + 1))]
        fresh = [letter for letter in letters if letter not in seen]
        lists.append([*map(str, shared), *fresh][:k])
    return dict(
        zip(_USERS, ([str(i) for i in rng.permutation(each)] for each in lists), strict=True)
    )


three_lists = Numbers(
    id="beyond_accuracy.three_lists",
    title="Three lists",
    prompt="""
Ann is shown {ann}. Bob is shown {bob}. Cem is shown {cem}.

Compute the personalization of these lists.
""",
    asks={"personalization": "Personalization"},
    inputs={"ann": ["A", "B", "C"], "bob": ["B", "D", "A"], "cem": ["A", "E", "D"]},
    solve=_personalization,
    draw=_draw_lists,
    misconceptions=(
        Misconception(
            id="overlap",
            name="overlap for difference",
            wrong_answer=lambda inputs: 1 - _personalization(inputs),
            cause="That is how much two lists have in common. Personalization is 1 less that.",
            hint="What should three equal lists score?",
        ),
        Misconception(
            id="unique-items",
            name="unique items",
            wrong_answer=_unique,
            cause="The items were counted that stand in one list only. Two lists can differ "
            "although each of their items is in a third.",
            hint="Which two lists do you compare when you say that an item is shared?",
        ),
        Misconception(
            id="union-denominator",
            name="union denominator",
            wrong_answer=_jaccard,
            cause="What two lists have in common was divided by what either holds, not by K.",
            hint="How many items could two lists of this length share at most?",
        ),
        Misconception(
            id="with-itself",
            name="pairs with itself",
            wrong_answer=_with_self,
            cause="Each list was compared with itself as well.",
            hint="How many pairs of different users are there among three?",
        ),
        Misconception(
            id="common-to-all",
            name="common to all",
            wrong_answer=_common_to_all,
            cause="Only items that all three lists hold were counted as shared.",
            hint="Take two users at a time: how many items do Ann and Bob share?",
        ),
    ),
    hints=(
        "Take two users at a time: there are three pairs.",
        "For each pair count the items in common, and divide by the length of a list.",
        "Take the mean of the three shares, and that from 1.",
    ),
    steps=(
        Step(
            "What each pair of lists has in common.",
            "pairs = [(ann, bob), (ann, cem), (bob, cem)]\n"
            "shared = [len(set(one) & set(other)) for one, other in pairs]\nshared",
        ),
        Step(
            "As a share of the list, averaged over the pairs, and taken from 1.",
            "overlap = sum(shared) / len(shared) / len(ann)\n"
            "personalization = 1 - overlap\nround(personalization, 3)",
        ),
    ),
    insight="It compares lists with lists. Random lists score best, and know nobody.",
    minutes=3,
    points=2,
)


# The mix of genres ----------------------------------------------------------------------------


def _mixes(inputs: Inputs) -> tuple[list[float], list[float]]:
    share, recommended = inputs["share"], inputs["recommended"]
    return [share, 1 - share], [recommended, 1 - recommended]


def _calibration(inputs: Inputs, **how: Any) -> float:
    return float(genre_calibration(*_mixes(inputs), **{"alpha": inputs["alpha"], **how}))


def _swapped(inputs: Inputs) -> float:
    target, recommended = _mixes(inputs)
    return float(genre_calibration(recommended, target, alpha=inputs["alpha"]))


def _gap(inputs: Inputs) -> float:
    target, recommended = _mixes(inputs)
    return sum(abs(one - two) for one, two in zip(target, recommended, strict=True))


def _first_genre(inputs: Inputs) -> float:
    (share, _), (recommended, _) = _mixes(inputs)
    return share * float(
        np.log2(share / ((1 - inputs["alpha"]) * recommended + inputs["alpha"] * share))
    )


def _mixed_other_way(inputs: Inputs) -> float:
    return _calibration(inputs, alpha=1 - inputs["alpha"])


def _draw_mix(rng: np.random.Generator) -> Inputs:
    return {
        "share": int(rng.integers(5, 9)) / 10,
        "recommended": float(rng.choice([0.9, 0.95, 1.0])),
        "alpha": float(rng.choice([0.01, 0.02, 0.05])),
    }


mix_of_genres = Numbers(
    id="beyond_accuracy.mix_of_genres",
    title="A lost genre",
    prompt="""
Of the films somebody liked, the share {share} was romance and the rest action.
Of the list they are shown, the share {recommended} is romance and the rest action.

Compute how far the list is from their taste: the divergence of Steck, in bits, with {alpha} of the
taste mixed into the list.
""",
    asks={"divergence": "Divergence, bits"},
    inputs={"share": 0.6, "recommended": 1.0, "alpha": 0.01},
    solve=_calibration,
    draw=_draw_mix,
    misconceptions=(
        Misconception(
            id="swapped",
            name="wrong way round",
            wrong_answer=_swapped,
            cause="Taste and list have changed places. A divergence is not the same both ways.",
            hint="Whose genres must not be missing: those of the taste, or those of the list?",
        ),
        Misconception(
            id="natural-log",
            name="natural log",
            wrong_answer=lambda inputs: _calibration(inputs, base=np.e),
            cause="The natural logarithm was taken. A bit belongs to the base 2.",
            hint="Which logarithm makes a half worth one bit?",
        ),
        Misconception(
            id="one-genre",
            name="one genre only",
            wrong_answer=_first_genre,
            cause="Only romance was counted. The lost action is where the distance lies.",
            hint="How many terms has a sum over two genres?",
        ),
        Misconception(
            id="gap",
            name="gap for divergence",
            wrong_answer=_gap,
            cause="The gaps between the shares were added up. A divergence takes logarithms, "
            "so that a lost genre weighs more than a thinned one.",
            hint="Where does the logarithm of taste over list enter?",
        ),
        Misconception(
            id="mixed-other-way",
            name="mixed the other way",
            wrong_answer=_mixed_other_way,
            cause="Nearly all of the taste was mixed into the list, and hardly anything of the "
            "list is left.",
            hint="How much of the list should remain when {alpha} of the taste is mixed in?",
        ),
    ),
    hints=(
        "Mix first: the larger part of each share is the list's, the part {alpha} is the taste's.",
        "For each genre: the share in the taste times the logarithm of taste over mixed list.",
        "Add the two terms up. One of them is below 0, and the sum is not.",
    ),
    steps=(
        Step(
            "The taste, and the list with a little of it mixed in.",
            "taste, listed = [share, 1 - share], [recommended, 1 - recommended]\n"
            "mixed = [(1 - alpha) * q + alpha * p for p, q in zip(taste, listed)]\n"
            "[round(q, 4) for q in mixed]",
        ),
        Step(
            "Each genre's share of the taste, times the logarithm of taste over list.",
            "from math import log2\n\n"
            "terms = [p * log2(p / q) for p, q in zip(taste, mixed)]\n"
            "[round(term, 3) for term in terms]",
        ),
        Step("Their sum.", "divergence = sum(terms)\nround(divergence, 3)"),
    ),
    insight="What is shown too often costs little. What is lost costs most of it.",
    minutes=5,
    points=3,
)
