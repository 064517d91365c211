"""Lists of popular films for real users: ties at their end, and one user behind a mean."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from recsys_metrics import judge, ndcg
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol.candidates import full_ranks
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function, make_completer
from recsys_metrics.workbook.exercises.numbers import Numbers

_LONGEST = 40
_YEAR = 365 * 24 * 60 * 60

# The rank in the whole catalogue, with one line missing -----------------------------------------


def _full_rank(scores: Mapping[int, float], seen: set[int], film: int) -> float:
    numbers = [*scores]
    grid = np.array([[scores[number] for number in numbers]])
    left_out = np.array([[number in seen for number in numbers]])
    ranks = full_ranks(grid, [[numbers.index(film)]], exclude=left_out, ties="worst")
    return float(ranks.rank[0])


_RIVALS = """
rivals = [scores[other] for other in scores if other not in seen and other != film]
above = 0
for score in rivals:
    above += ...
return above + 1
""".strip()
_above = make_completer("scores, seen, film", _RIVALS)


def _scored(scores: Mapping[int, float], seen: set[int], film: int, why: str = "") -> Case:
    return Case({"scores": dict(scores), "seen": seen, "film": film}, why)


def _draw_scores(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return films with counts as scores, so that some are equal, and some of them seen."""
    drawn = []
    for _ in range(6):
        films = [int(number) for number in rng.permutation(np.arange(1, 30))[: rng.integers(5, 12)]]
        scores = {number: int(rng.integers(0, 6)) for number in films}
        scores[films[1]] = scores[films[2]] = scores[films[0]]
        seen = {*films[3 : 3 + int(rng.integers(0, 3))]}
        drawn.append(_scored(scores, seen, films[0]))
    return tuple(drawn)


complete_full_rank = Function(
    id="ranking.complete_full_rank",
    title="The rank of one loved film",
    prompt="""
`scores` has the score of every film in the catalogue, by number. `seen` holds the films that the
person has rated; they are left out. `film` is a film that the person came to love.

Complete the line with `...`, so that the function returns the rank of that film. Of films with the
same score, the loved one is counted last.
""",
    function="my_rank",
    solve=_full_rank,
    template=_RIVALS,
    template_answer="score >= scores[film]",
    cases=(
        _scored({1: 9, 2: 7, 3: 7, 4: 5, 5: 2}, {1}, 3, "another film has the same score"),
        _scored({10: 4, 11: 6, 12: 1, 13: 3, 14: 8}, set(), 13),
        _scored({1: 5, 2: 5, 3: 5, 4: 5}, set(), 1, "all scores are equal"),
        _scored({7: 3, 8: 1, 9: 0}, {9}, 7, "the film has the highest score"),
        _scored({3: 2, 5: 2, 6: 9, 8: 2, 9: 1}, {8, 6}, 3, "films above it were seen"),
    ),
    draw=_draw_scores,
    misconceptions=(
        Misconception(
            id="best-of-ties",
            name="flattering tie rule",
            wrong_answer=_above("score > scores[film]"),
            cause="Of films with the same score the loved one is counted first. A model that "
            "scores everything alike would put every loved film at rank 1.",
            hint="What rank should the film have if all scores are equal?",
        ),
        Misconception(
            id="average-of-ties",
            name="another tie rule",
            wrong_answer=_above("(score > scores[film]) + (score == scores[film]) / 2"),
            cause="A film with the same score counts half. That is the mean over all orders; the "
            "question counts the loved film last.",
            hint="Which films stand above the loved one if it is counted last?",
        ),
        Misconception(
            id="upside-down",
            name="best score last",
            wrong_answer=_above("score <= scores[film]"),
            variants=(_above("score < scores[film]"),),
            cause="The films with lower scores are counted. The best film then stands last.",
            hint="Does a film with a higher score stand above or below?",
        ),
        Misconception(
            id="all-rivals",
            name="every film counted",
            wrong_answer=_above("1"),
            cause="Every film that was not seen is counted as above the loved one.",
            hint="Which of the rivals stand above it?",
        ),
        Misconception(
            id="score-for-count",
            name="score for count",
            wrong_answer=_above("score"),
            variants=(_above("score if score >= scores[film] else 0"),),
            cause="The scores were added up. A rank counts films.",
            hint="How many does one film add that stands above?",
        ),
    ),
    hints=(
        "The rank is 1, and 1 more for each film that stands above.",
        "A comparison counts as 1 or 0 when it is added to a number.",
        "Counted last means: a film with the same score stands above, too.",
    ),
    steps=(
        Step(
            "A rival stands above if its score is higher. It stands above as well if its score is "
            "the same, since the loved film is counted last."
        ),
        Step(
            "Film 1 was seen. Film 2 has the score of film 3, and is counted above it.",
            "my_rank({1: 9, 2: 7, 3: 7, 4: 5, 5: 2}, {1}, 3)",
        ),
    ),
    insight="A tie rule is one sign in one line. So a report says which rule it was.",
    minutes=3,
    points=1,
)

# Ties at the cut --------------------------------------------------------------------------------


@cache
def _popularity(share: float, *, all_ratings: bool = False) -> movielens.Reals:
    """Return the likes of each user's best films, best first, one more than any list holds."""
    data = movielens.experiment(share)
    ratings: Interactions = data.films.interactions if all_ratings else data.train
    likes = movielens.likes(ratings)
    rows: movielens.Reals = likes[
        movielens.same_for_all(likes, _LONGEST + 1, movielens.seen(share))
    ]
    return rows


@cache
def _tied(share: float, k: int) -> dict[str, int]:
    rows, future = _popularity(share), _popularity(share, all_ratings=True)
    last, next_ = rows[:, k - 1], rows[:, k]
    of_all = np.sort(movielens.likes(movielens.experiment(share).train))[::-1]
    return {
        "cut": int((last == next_).sum()),
        "inside": int((rows[:, : k - 1] == rows[:, 1:k]).any(axis=1).sum()),
        "earlier": int((rows[:, k - 2] == last).sum()),
        "rated": len(rows) * int(of_all[k - 1] == of_all[k]),
        "future": int((future[:, k - 1] == future[:, k]).sum()),
    }


def _count(what: str) -> movielens.Count:
    return lambda inputs: _tied(inputs["share"], inputs["k"])[what]


ties_at_cut = Numbers(
    id="ranking.ties_at_cut",
    title="Who chose the last film?",
    prompt="""
Score every film by popularity, the number of four stars or more that it got in the training time,
and show each test user the {k} best films that the user has not rated.

For how many users does the cut fall inside a tie, so that the film at rank {k} has the same score
as the next one, which is not shown?

"""
    + movielens.HOW,
    asks={"lists": "lists whose cut falls inside a tie"},
    inputs={"share": 0.2, "k": 12},
    solve=_count("cut"),
    draw=lambda rng: {"share": movielens.draw_share(rng), "k": int(rng.integers(6, _LONGEST + 1))},
    misconceptions=(
        Misconception(
            id="tie-inside",
            name="a tie inside the list",
            wrong_answer=_count("inside"),
            cause="These are the lists with two equal scores anywhere. Two films that are both "
            "shown may change places; which films are shown does not depend on it.",
            hint="Between which two ranks does the cut lie?",
        ),
        Misconception(
            id="off-by-one",
            name="off-by-one rank",
            wrong_answer=_count("earlier"),
            cause="The last film shown was compared with the one before it. Both are shown.",
            hint="At which place, counted from 0, stands the first film that is not shown?",
        ),
        Misconception(
            id="rated-films-kept",
            name="rated films kept",
            wrong_answer=_count("rated"),
            cause="The films were ranked once for everybody, with those that a user has rated. "
            "Each user's list leaves out others, so its cut falls elsewhere.",
            hint="Do all users have the same film at rank {k}?",
        ),
        Misconception(
            id="leak-from-the-future",
            name="leak from the future",
            wrong_answer=_count("future"),
            cause="The likes were counted over all ratings, with those after the cut in time.",
            hint="Which likes are known when the lists are made?",
        ),
        Misconception(
            id="another-k",
            name="another K",
            wrong_answer=lambda inputs: _tied(inputs["share"], 10)["cut"],
            cause="Those are lists of ten, as in the chapter. Here they hold {k} films.",
            hint="How many places has one list here?",
        ),
    ),
    hints=(
        "A cut falls inside a tie if the film at rank {k} and the next one have equal scores.",
        "Rank one film more than is shown: `rm.rank_from_scores(scores, {k} + 1, "
        "exclude=data.seen)`.",
        "Look the scores of these films up, and compare the last two columns.",
    ),
    steps=(
        Step(
            "Popularity, the same for everybody:",
            "import numpy as np\n"
            "import recsys_metrics as rm\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "data = movielens_experiment(share)\n"
            "likes = np.bincount(data.past.item, minlength=data.train.n_items)\n"
            "scores = np.tile(likes, (len(data.users), 1))\n"
            "scores.shape",
        ),
        Step(
            "One film more than is shown, and what each scored:",
            "films = rm.rank_from_scores(scores, k + 1, exclude=data.seen)\n"
            "rows = likes[films]\n"
            "rows[0].tolist()",
        ),
        Step(
            "The last one shown against the first one left out:",
            "lists = int((rows[:, k - 1] == rows[:, k]).sum())\nlists",
        ),
    ),
    insight="Scores that are counts tie often. Say how many lists hang on the rule that breaks "
    "them; a report of the library does.",
    minutes=8,
    points=3,
)

# One user behind a mean -------------------------------------------------------------------------


@cache
def _of_each(share: float, years: int, k: int, *, all_ratings: bool = False) -> movielens.Reals:
    """Return each user's NDCG of the popular films of the last years; 0 means of all years."""
    data = movielens.experiment(share)
    ratings: Interactions = data.films.interactions if all_ratings else data.train
    if years:
        moment = movielens.when(ratings)
        ratings = ratings.take(moment > moment.max() - years * _YEAR)
    shown = movielens.same_for_all(movielens.likes(ratings), k, movielens.seen(share))
    values: movielens.Reals = ndcg(judge(shown, data.truth), k=k)
    return values


def _lists(inputs: Inputs, *, all_ratings: bool = False) -> tuple[movielens.Reals, movielens.Reals]:
    share, years, k = inputs["share"], inputs["years"], inputs["k"]
    return _of_each(share, 0, k), _of_each(share, years, k, all_ratings=all_ratings)


def _without(gains: movielens.Reals, row: int) -> dict[str, float]:
    return {
        "row": row,
        "gain": float(gains.mean()),
        "without": float(np.delete(gains, row).mean()),
    }


def _decides(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return _without(new - old, int(np.abs(new - old).argmax()))


def _highest_value(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return _without(new - old, int(new.argmax()))


def _one_side(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    gains = new - old
    rows = int(gains.argmax()), int(gains.argmin())
    return _without(gains, min(rows, key=lambda row: abs(gains[row])))


def _unpaired(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    without = np.delete(new, new.argmax()).mean() - np.delete(old, old.argmax()).mean()
    return {"without": float(without)}


def _leak(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs, all_ratings=True)
    return _without(new - old, int(np.abs(new - old).argmax()))


def _draw_window(rng: np.random.Generator) -> Inputs:
    """Return a window and a K for which one user stands out from the others."""
    while True:
        inputs = {
            "share": float(rng.choice(movielens.SHARES[1::2])),
            "years": int(rng.integers(1, 6)),
            "k": int(rng.choice([5, 6, 7, 8, 12])),
        }
        old, new = _lists(inputs)
        largest, second = np.sort(np.abs(new - old))[:-3:-1]
        if largest - second > 0.005:
            return inputs


who_decides = Numbers(
    id="ranking.who_decides",
    title="One user out of all",
    prompt="""
Two recommenders by popularity: one counts the likes of the whole training time, the other those of
its last {years} years (of 365 days, up to the last rating in `data.train`). Each shows {k} films
that the user has not rated.

Take what each test user gains in NDCG@{k} from the second. Whose list changes most, whichever way?
And what is the mean gain, with that user and without?

"""
    + movielens.HOW,
    asks={
        "row": "the user's row, from 0",
        "gain": "mean gain of all users",
        "without": "mean gain without that user",
    },
    inputs={"share": 0.2, "years": 2, "k": 5},
    solve=_decides,
    draw=_draw_window,
    misconceptions=(
        Misconception(
            id="highest-value",
            name="highest value",
            wrong_answer=_highest_value,
            cause="That is the user with the best list. Both recommenders may have pleased the "
            "same user; a difference is decided by those whose lists differ.",
            hint="Of which number, one for each user, is the mean gain the mean?",
        ),
        Misconception(
            id="one-side-only",
            name="one side only",
            wrong_answer=_one_side,
            cause="Only gains or only losses were looked at, and the largest change goes the "
            "other way.",
            hint="Whose gain is furthest from 0?",
        ),
        Misconception(
            id="unpaired",
            name="unpaired users",
            wrong_answer=_unpaired,
            cause="The best user was left out of each list for itself. Then two means are "
            "compared that are not of the same users.",
            hint="If a user leaves, from how many lists does that user leave?",
        ),
        Misconception(
            id="leak-from-the-future",
            name="leak from the future",
            wrong_answer=_leak,
            cause="The last years were taken from all ratings, so the second recommender counts "
            "likes that come after the cut.",
            hint="On which day do the years of the training time end?",
        ),
        Misconception(
            id="another-k",
            name="another K",
            wrong_answer=lambda inputs: _decides({**inputs, "k": 10}),
            cause="Those are lists of ten, as in the chapter. Here they hold {k} films.",
            hint="How many places has one list here?",
        ),
    ),
    hints=(
        "Make two arrays of NDCG@{k}, one value for each user, in the same order, and subtract.",
        "The largest change is the largest absolute value: `np.abs(gains).argmax()`.",
        "Leave the user out with `np.delete(gains, row)`, and take the mean again.",
    ),
    steps=(
        Step(
            "A recommender by popularity, from whatever was liked:",
            "import numpy as np\n"
            "import recsys_metrics as rm\n"
            "from recsys_metrics import baselines\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "data = movielens_experiment(share)\n\n\n"
            "def ndcg_of(past):\n"
            "    scores = baselines.Popularity().fit(past).scores(data.users)\n"
            "    films = rm.rank_from_scores(scores, k, exclude=data.seen)\n"
            "    return rm.ndcg(rm.judge(films, data.truth), k=k)",
        ),
        Step(
            "The likes of the last years, and what each user gains:",
            "first_day = data.train.timestamp.max() - years * 365 * 24 * 60 * 60\n"
            "recent = data.past.take(data.past.timestamp > first_day)\n"
            "gains = ndcg_of(recent) - ndcg_of(data.past)\n"
            "gain = gains.mean()\n"
            "round(float(gain), 4)",
        ),
        Step(
            "The largest change, whichever way:",
            "row = int(np.abs(gains).argmax())\nrow, round(float(gains[row]), 3)",
        ),
        Step(
            "And everybody else:",
            "without = np.delete(gains, row).mean()\nround(float(without), 4)",
        ),
    ),
    insight="If one user can move a mean gain by as much as the gain itself, the gain is no "
    "finding yet. Its interval says the same.",
    minutes=10,
    points=4,
)
