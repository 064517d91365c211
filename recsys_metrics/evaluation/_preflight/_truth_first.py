"""Statistical check: lists that are the truth itself, for a part of the users."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from recsys_metrics.evaluation._preflight._chance import TestedFinding
from recsys_metrics.evaluation._preflight._finding import Finding
from recsys_metrics.evaluation._preflight._inputs import EvaluationInput

# No user is missed less often than this share of the average.
_LEAST_MISSES = 1 / 8
_LEAST_RELEVANT = (2, 3, 5)
"""Smallest numbers of relevant items to test with: one miss among two places is common."""


@dataclass(frozen=True)
class _Start:
    """How many of the first `places` items of a list are relevant, `places` being all that can."""

    relevant: frozenset[Hashable]
    places: int
    hits: int
    alone: bool
    """Whether the list is as long as the truth, and shorter than K."""


def check_truth_first(
    given: EvaluationInput, *, repeat_consumption: bool, sampled: int | None
) -> Iterator[TestedFinding]:
    r"""Yield tests of lists that begin with exactly what is relevant.

    Let :math:`m` be the smaller of K and the number of a user's relevant items, and :math:`q` a
    bound on the chance that one of the first :math:`m` places is relevant, given that all others
    are. Then of the lists with at most one miss there, the share without one is expected to be at
    most :math:`q / (q + m(1 - q))`: the perfect list has the probability :math:`P \le q(P + P_j)`,
    where :math:`P_j` is that of a miss at place :math:`j` alone, and the sum over :math:`j` gives
    the bound. It holds for any mixture of users that are easy and hard to predict. The misses
    :math:`1 - q` are a share of the average user's.
    """
    starts = [*_starts(given, repeat_consumption=repeat_consumption, sampled=sampled)]
    if not starts:
        return
    for least in _LEAST_RELEVANT:
        chosen = [each for each in starts if each.places >= least]
        if chosen:
            words = f"begin with all of what is relevant (of users with {least} items or more)"
            # One popular list may fit many users to whom the same is relevant: they count once.
            perfect = {each.relevant: each for each in chosen if each.hits == each.places}
            rest = [each for each in chosen if each.hits < each.places]
            misses = _LEAST_MISSES * _share_of_misses(chosen)
            yield _test([*perfect.values(), *rest], misses, words)
    alone = [each for each in starts if each.alone]
    if alone:
        words = "that are as long as the truth contain it and nothing else"
        yield _test(alone, _LEAST_MISSES * _share_of_misses(starts), words)


def _starts(
    given: EvaluationInput, *, repeat_consumption: bool, sampled: int | None
) -> Iterator[_Start]:
    """Yield the start of each list that could be wrong: half of its candidates or more are not."""
    pool = {*given.pool}
    for at in np.flatnonzero(given.has_list & given.has_truth).tolist():
        row, true = given.lists[at], given.truth[at]
        places = min(len(true), given.k)
        seen = given.history[at] if given.history and not repeat_consumption else set()
        candidates = len(pool) - len(pool & seen) if sampled is None else sampled + len(true)
        if 2 * len(true) <= candidates:
            hits = sum(item in true for item in row[:places])
            yield _Start(frozenset(true), places, hits, len(row) == len(true) < given.k)


def _share_of_misses(starts: list[_Start]) -> float:
    return 1 - sum(each.hits for each in starts) / sum(each.places for each in starts)


def _test(starts: list[_Start], misses: float, words: str) -> TestedFinding:
    """Return the test of perfect starts against those with one miss."""
    from scipy.special import bdtrc

    near = [each for each in starts if each.hits >= each.places - 1]
    perfect = sum(each.hits == each.places for each in near)
    mean = sum((1 - misses) / (1 - misses + each.places * misses) for each in near)
    p_value = 1.0
    # Hoeffding (1956): a binomial tail bounds that of unequal chances from its mean + 1 on.
    if perfect >= mean + 1:
        p_value = float(bdtrc(perfect - 1, len(near), mean / len(near)))
    return TestedFinding(
        Finding(
            "truth-first",
            "fault",
            f"{perfect:,} of {len(starts):,} lists {words}, and only {len(near) - perfect:,} have "
            f"one miss there. A recommender that misses in {misses:.1%} of these places "
            f"would have at most {mean:.1f} of the former among {len(near):,}.",
            "Look for lists that were written from the truth, and for test data in training or in "
            "the order of the candidates.",
            perfect,
            len(starts),
        ),
        p_value,
    )
