"""What real lists reach of what they could, and how much variety a little accuracy buys."""

from __future__ import annotations

from functools import cache

import numpy as np

from recsys_metrics import baselines, judge, ndcg, rank_from_scores
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.beyond_accuracy import catalog_coverage, intra_list_diversity
from recsys_metrics.protocol.significance import gain_interval, mean_interval
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.experiments.movielens import keep_liked

_SHARE = 1 / 5
_HOW = (
    "`data` is that of the chapter, `movielens_experiment()`. Compute in a notebook; the answer "
    "can be checked there and on the page."
)


@cache
def _best_of_ease() -> movielens.Whole:
    """Return EASE's fifty best films for each user; a shorter list is their beginning."""
    data = movielens.experiment(_SHARE)
    model = baselines.EASE().fit(data.past)
    scores = model.scores(data.users, keep_liked(data.known))
    return rank_from_scores(scores, 50, exclude=data.seen)


# Coverage, as a share of what there is room for ----------------------------------------------


def _coverage(inputs: Inputs, k: int) -> float:
    n_films = movielens.experiment(_SHARE).train.n_items
    return catalog_coverage(_best_of_ease()[: inputs["users"], :k], n_films)


def _limit(users: int, k: int) -> float:
    return min(1.0, users * k / movielens.experiment(_SHARE).train.n_items)


def _of_the_limit(inputs: Inputs) -> dict[str, float]:
    k, users = inputs["k"], inputs["users"]
    coverage = _coverage(inputs, k)
    return {"coverage": coverage, "share": coverage / _limit(users, k)}


def _everybody(inputs: Inputs) -> dict[str, float]:
    users = len(movielens.experiment(_SHARE).users)
    return {"share": _coverage(inputs, inputs["k"]) / _limit(users, inputs["k"])}


def _limit_of_ten(inputs: Inputs) -> dict[str, float]:
    return {"share": _coverage(inputs, inputs["k"]) / _limit(inputs["users"], 10)}


def _shelf_of_training(inputs: Inputs) -> dict[str, float]:
    train = movielens.experiment(_SHARE).train
    shrunk = len(distinct(train.item)) / train.n_items
    return {"coverage": _of_the_limit(inputs)["coverage"] / shrunk}


def _draw_lists(rng: np.random.Generator) -> Inputs:
    lengths = [k for k in range(4, 41) if k != 10]
    return {"users": int(rng.integers(30, 130)), "k": int(rng.choice(lengths))}


of_the_limit = Numbers(
    id="beyond_accuracy.of_the_limit",
    title="How much of what was possible?",
    prompt="""
Take the lists of EASE for the first {users} test users, {k} films each.

Which share of the catalogue do they cover? And which share is that of the highest coverage that so
many lists of this length can have?

"""
    + _HOW,
    asks={"coverage": "coverage@{k}", "share": "share of the highest coverage"},
    inputs={"users": 100, "k": 30},
    solve=_of_the_limit,
    draw=_draw_lists,
    misconceptions=(
        Misconception(
            id="coverage-for-share",
            name="coverage without its limit",
            wrong_answer=lambda inputs: {"share": _of_the_limit(inputs)["coverage"]},
            cause="That is the share of the catalogue once more. So few places cannot show all "
            "of it.",
            hint="How many films can {users} lists of {k} show at the most?",
        ),
        Misconception(
            id="crowd-coverage",
            name="crowd coverage",
            wrong_answer=_everybody,
            cause="The limit is that of all test users, and the coverage that of the first "
            "{users}. More users have more places.",
            hint="Whose places are to be filled?",
        ),
        Misconception(
            id="limit-of-ten",
            name="limit of another K",
            wrong_answer=_limit_of_ten,
            cause="The limit is that of lists of ten, as in the chapter. These hold {k} films.",
            hint="How many places has one list here?",
        ),
        Misconception(
            id="shelf-of-training",
            name="another catalogue",
            wrong_answer=_shelf_of_training,
            cause="The films were divided by those that somebody rated in the training time, and "
            "not by the whole catalogue.",
            hint="Which films are on the shelf, if also those count that nobody has rated yet?",
        ),
        Misconception(
            id="upside-down",
            name="upside down",
            wrong_answer=lambda inputs: {"share": 1 / _of_the_limit(inputs)["share"]},
            cause="The limit was divided by the coverage. A share of the limit is 1 at the most.",
            hint="Which of the two is the larger one?",
        ),
    ),
    hints=(
        "Coverage counts each film once, however many lists it is in.",
        "Every place of every list can show a film of its own, at best.",
        "The highest coverage is {users} times {k} over the number of films; divide by it.",
    ),
    steps=(
        Step(
            "The lists, and the share of the catalogue they show:",
            "from recsys_metrics.beyond_accuracy import catalog_coverage\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "data = movielens_experiment()\n"
            'films = data.lists(k)["EASE"][:users]\n'
            "coverage = catalog_coverage(films, data.train.n_items)\n"
            "round(coverage, 3)",
        ),
        Step(
            "The most that so many places can show:",
            "limit = min(1, films.size / data.train.n_items)\nround(limit, 3)",
        ),
        Step("One over the other:", "share = coverage / limit\nround(share, 3)"),
    ),
    insight="In this sample, longer lists have a higher coverage and a smaller share of the limit: "
    "most of the further places show films that another user was shown already.",
    minutes=6,
    points=2,
)

# Variety for a little accuracy ----------------------------------------------------------------

_WEIGHTS = [weight / 10 for weight in range(1, 10)]


@cache
def _rerank(k: int, weight: float) -> movielens.Whole:
    """Return k of each user's fifty films, chosen as the chapter does, for all users at once."""
    fifty, genres = _best_of_ease(), movielens.experiment(_SHARE).features
    units = genres / np.linalg.norm(genres, axis=1, keepdims=True)
    rows = np.arange(len(fifty))
    place = np.linspace(1, 0, fifty.shape[1])
    nearest = np.zeros(fifty.shape)
    free = np.ones(fifty.shape, bool)
    chosen = []
    for _ in range(k):
        worth = np.where(free, (1 - weight) * place - weight * nearest, -np.inf)
        best = worth.argmax(axis=1)
        free[rows, best] = False
        chosen.append(fifty[rows, best])
        likeness = (units[fifty] @ units[chosen[-1]][:, :, None])[:, :, 0]
        nearest = np.maximum(nearest, likeness)
    return np.stack(chosen, axis=1)


@cache
def _values(k: int, weight: float) -> tuple[movielens.Reals, movielens.Reals]:
    """Return each user's NDCG and the diversity of each list."""
    data = movielens.experiment(_SHARE)
    films = _rerank(k, weight)
    diversity = intra_list_diversity(films, features=data.features)
    return ndcg(judge(films, data.truth), k=k), np.asarray(diversity)


@cache
def _losses(k: int, users: int, weight: float) -> dict[str, float]:
    """Return what the first users lose, in several ways to say it, as shares of their NDCG."""
    before, after = _values(k, 0.0)[0][:users], _values(k, weight)[0][:users]
    lost = gain_interval(after, before, bounds=(0, 1))
    apart = mean_interval(before, bounds=(0, 1)), mean_interval(after, bounds=(0, 1))
    mean = before.mean()
    return {
        "high": lost.high / mean,
        "mean": (before - after).mean() / mean,
        "low": lost.low / mean,
        "unpaired": (apart[0].high - apart[1].low) / mean,
        "in points": lost.high,
    }


def _variety(limit: str, *, at_most: float | None = None) -> movielens.Found:
    def solve(inputs: Inputs) -> dict[str, float]:
        k, users, percent = inputs["k"], inputs["users"], inputs["percent"]
        most = percent / 100 if at_most is None else at_most
        kept = [w for w in inputs["weights"] if _losses(k, users, w)[limit] <= most]
        weight = max(kept, default=0.0)
        return {
            "weight": weight,
            "diversity": float(_values(k, weight)[1][:users].mean()),
        }

    return solve


def _draw_budget(rng: np.random.Generator) -> Inputs:
    return {
        "weights": _WEIGHTS,
        "k": int(rng.choice([12, 16, 20, 24])),
        "users": int(rng.integers(90, 146)),
        "percent": int(rng.integers(3, 12)),
    }


variety_budget = Numbers(
    id="beyond_accuracy.variety_budget",
    title="Variety on a budget",
    prompt="""
Choose {k} of EASE's fifty films for each of the first {users} test users, with `rerank` and the
scores `place` of the chapter, and the weights {weights}.
You may give up {percent} % of the NDCG@{k} that the lists have with weight 0: the *upper end* of
the 95 % interval of the mean loss (`compared`, user by user) must not be above that.

Which is the highest weight that keeps to it? And how diverse are the lists then, on average?

"""
    + _HOW,
    asks={"weight": "highest weight", "diversity": "mean diversity of genres"},
    inputs={"weights": _WEIGHTS, "k": 12, "users": 145, "percent": 5},
    solve=_variety("high"),
    draw=_draw_budget,
    misconceptions=(
        Misconception(
            id="mean-for-limit",
            name="mean for limit",
            wrong_answer=_variety("mean"),
            cause="Only the mean loss keeps to the budget. With so few users the true loss may be "
            "a good deal larger.",
            hint="Which end of the interval says how much may have been lost?",
        ),
        Misconception(
            id="no-proof-no-loss",
            name="no proof for no loss",
            wrong_answer=_variety("low", at_most=0.0),
            cause="That is the highest weight whose interval includes 0. Such an interval does not "
            "show that there is no loss.",
            hint="How large may the loss still be, if the interval includes 0?",
        ),
        Misconception(
            id="unpaired",
            name="unpaired intervals",
            wrong_answer=_variety("unpaired"),
            cause="The intervals of the two means were held against each other. The lists are of "
            "the same users, and user by user the loss is known much better.",
            hint="What did each single user lose?",
        ),
        Misconception(
            id="points-for-percent",
            name="points for percent",
            wrong_answer=_variety("in points"),
            cause="The loss was compared with {percent} hundredths, and not with {percent} % of "
            "the NDCG there was.",
            hint="How much is {percent} % of the mean NDCG@{k} with weight 0?",
        ),
    ),
    hints=(
        "Make the lists for each weight, and one value of NDCG@{k} for each user and weight.",
        "`compare_values(with_0, with_weight, bounds=(0, 1)).interval.high` is the most that may "
        "have been lost on average, in NDCG.",
        "Divide it by the mean NDCG@{k} with weight 0, and take the highest weight at which this "
        "is not above {percent} %.",
    ),
    steps=(
        Step(
            "EASE's fifty films for each user, and their genres as unit arrows:",
            "import numpy as np\n"
            "import recsys_metrics as rm\n"
            "from recsys_metrics.beyond_accuracy import intra_list_diversity\n"
            "from recsys_metrics.workbook import compare_values, movielens_experiment\n\n"
            "data = movielens_experiment()\n"
            'scores, truth = data.scores["EASE"][:users], data.truth[:users]\n'
            "fifty = rm.rank_from_scores(scores, 50, exclude=data.seen[:users])\n"
            "units = data.features / np.linalg.norm(data.features, axis=1, keepdims=True)\n"
            "arrows = units[fifty]\n"
            "arrows.shape",
        ),
        Step(
            "The rule of the chapter, for all users at once:",
            "place, rows = np.linspace(1, 0, 50), np.arange(users)\n\n\n"
            "def rerank(variety):\n"
            "    nearest, chosen = np.zeros(fifty.shape), []\n"
            "    for _ in range(k):\n"
            "        worth = (1 - variety) * place - variety * nearest\n"
            "        for column in chosen:\n"
            "            worth[rows, column] = -np.inf\n"
            "        chosen.append(worth.argmax(axis=1))\n"
            "        latest = arrows[rows, chosen[-1]]\n"
            "        likeness = (arrows @ latest[:, :, None])[:, :, 0]\n"
            "        nearest = np.maximum(nearest, likeness)\n"
            "    return fifty[rows[:, None], np.array(chosen).T]",
        ),
        Step(
            "Lists and NDCG for each weight, and the most that each may lose:",
            "films = {w: rerank(w) for w in [0, *weights]}\n"
            "values = {w: rm.ndcg(rm.judge(films[w], truth), k=k) for w in films}\n"
            "losses = {w: compare_values(values[0], values[w], bounds=(0, 1)) for w in weights}\n"
            "most = {w: loss.interval.high / values[0].mean() for w, loss in losses.items()}\n"
            "{w: round(float(share), 3) for w, share in most.items()}",
        ),
        Step(
            "The highest weight within the budget, and the lists it gives:",
            "weight = max([w for w in most if most[w] <= percent / 100], default=0)\n"
            "diversity = intra_list_diversity(films[weight], features=data.features).mean()\n"
            "weight, round(float(diversity), 3)",
        ),
    ),
    insight="A budget is kept by the upper end of the interval. With fewer of these users "
    "it would be wider, and so allow less variety.",
    minutes=15,
    points=4,
)
