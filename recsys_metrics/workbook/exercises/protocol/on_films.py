"""On MovieLens: a sample of one's own, two lists user by user, who is tested when."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.sorted_arrays import distinct, is_in
from recsys_metrics.protocol import candidates
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.on_films import (
    NOTEBOOK,
    SETTING,
    Slip,
    as_they_are,
    by_user,
    ends_apart,
    leak_from_the_future,
    old_less_new,
    paired,
    seen_again,
    ten_films,
    tie_rule,
    turned,
    unpaired,
    unpaired_users,
)
from recsys_metrics.workbook.experiments.movielens import keep_liked, movielens_experiment

_THOUSANDTHS = 1000.0

# A sample of one's own -------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _ranks(
    model: str, *, seen: bool = False, other_held_out: Literal["include", "exclude"] = "exclude"
) -> Any:
    cut = movielens_experiment()
    exclude = None if seen else cut.seen
    return candidates.full_ranks(
        cut.scores[model], cut.truth, exclude=exclude, other_held_out=other_held_out
    )


def _sample_of(inputs: Inputs, *, pooled: bool = False, k: int = 0, **how: Any) -> dict[str, float]:
    return dict(_sampled(inputs["model"], k or inputs["k"], inputs["drawn"], pooled, **how))


# What can be drawn is little, and a variant asks for all of it by every mistake.
@lru_cache(maxsize=512)
def _sampled(model: str, k: int, drawn: int, pooled: bool, **how: Any) -> dict[str, float]:
    ranks = _ranks(model, **how)
    full = candidates.metric_at_rank(ranks.rank, "hit_rate", k=k)
    sampled = candidates.expected_sampled_metric(ranks.rank, ranks.n_items, drawn, "hit_rate", k=k)
    found = {"full": np.asarray(full), "sampled": np.asarray(sampled)}
    if pooled:
        return {name: 100 * float(values.mean()) for name, values in found.items()}
    n_films = np.bincount(ranks.user)
    own = {name: np.bincount(ranks.user, values) / n_films for name, values in found.items()}
    return {name: 100 * float(values.mean()) for name, values in own.items()}


def _any_hit(inputs: Inputs) -> dict[str, float]:
    ranks = _ranks(inputs["model"])
    hits = np.bincount(ranks.user, ranks.rank <= inputs["k"])
    return {"full": 100 * float(np.mean(hits > 0))}


def _draw_sample(rng: np.random.Generator) -> dict[str, Any]:
    # The chapter has the first ten of EASE and item kNN.
    return {
        "model": str(rng.choice(["popularity", "item kNN", "EASE"])),
        "k": int(rng.choice([5, 15, 20, 30])),
        "drawn": int(rng.choice([40, 80, 150, 300, 700])),
    }


your_sample = Numbers(
    id="protocol.your_sample",
    title="A sample of your own",
    prompt=f"""
Rank each film that a user came to like, with the scores of {{model}}: once among all films, once
among {{drawn}} drawn at random.

What `movielens_experiment()` of `recsys_metrics.workbook` returns has `scores`,
`truth`, and in `seen` what is no candidate any more. Leave a user's other liked films out:
`other_held_out="exclude"`.

How many per cent of a user's films are in the first {{k}}, as a mean over users: among all, and in
expectation over all samples? {NOTEBOOK}
""",
    asks={
        "full": "per cent in the first {k}, among all",
        "sampled": "per cent in the first {k}, among {drawn} sampled",
    },
    inputs={"model": "popularity", "k": 20, "drawn": 150},
    solve=_sample_of,
    draw=_draw_sample,
    misconceptions=(
        Misconception(
            id="films-for-users",
            name="ratings for users",
            wrong_answer=lambda inputs: _sample_of(inputs, pooled=True),
            cause="The mean was taken over all films. A user with hundreds of them then counts "
            "hundreds of times.",
            hint="What is each user's own share?",
        ),
        Misconception(
            id="others-compete",
            name="liked films as opponents",
            wrong_answer=lambda inputs: _sample_of(inputs, other_held_out="include"),
            cause="A user's other liked films were ranked against the one that is looked for.",
            hint="What does `other_held_out=` do with the other films that the user came to like?",
        ),
        Misconception(
            id="seen-compete",
            name="seen films shown again",
            wrong_answer=lambda inputs: _sample_of(inputs, seen=True),
            cause="Films that the user had rated before were ranked, too.",
            hint="What does `exclude=` of `full_ranks` leave out?",
        ),
        Misconception(
            id="any-film",
            name="any film for all films",
            wrong_answer=_any_hit,
            cause="That is the share of users with at least one of their films in front.",
            hint="What share of *their* films does a user with one hit of fifty have?",
        ),
        ten_films(lambda inputs: _sample_of(inputs, k=10)),
        as_they_are(
            "in per cent",
            lambda inputs: {name: value / 100 for name, value in _sample_of(inputs).items()},
        ),
    ),
    hints=(
        '`candidates.full_ranks(scores, cut.truth, exclude=cut.seen, other_held_out="exclude")` '
        "has one rank for each film, `.rank`, and whose it is, `.user`.",
        '`candidates.metric_at_rank(rank, "hit_rate", k=k)` says whether it is in front, '
        '`expected_sampled_metric(rank, n_items, drawn, "hit_rate", k=k)` how often it is.',
        "For each user sum and count with `np.bincount(ranks.user, ...)`, divide, and take the "
        "mean times a hundred.",
    ),
    steps=(
        Step(
            "One rank for each film that somebody came to like.",
            "import numpy as np\n"
            "from recsys_metrics.protocol import candidates\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "cut = movielens_experiment()\n"
            "ranks = candidates.full_ranks(\n"
            '    cut.scores[model], cut.truth, exclude=cut.seen, other_held_out="exclude"\n'
            ")\nranks",
        ),
        Step(
            "Each user's own share, then the mean over users.",
            "def mean_share(values):\n"
            "    own = np.bincount(ranks.user, values) / np.bincount(ranks.user)\n"
            "    return 100 * own.mean()\n\n"
            'full = mean_share(candidates.metric_at_rank(ranks.rank, "hit_rate", k=k))\n'
            "round(float(full), 3)",
        ),
        Step(
            "And in expectation over all samples.",
            "sampled = mean_share(\n"
            "    candidates.expected_sampled_metric(\n"
            '        ranks.rank, ranks.n_items, drawn, "hit_rate", k=k\n'
            "    )\n)\nround(float(sampled), 3)",
        ),
    ),
    insight="The same list and the same films: the size of the sample alone makes the number.",
    minutes=5,
    points=2,
)


# Two windows -----------------------------------------------------------------------------------


def _both(inputs: Inputs, slip: Slip = "") -> tuple[Any, Any]:
    name = f"ndcg@{inputs['k']}"
    return by_user(0, name, slip), by_user(inputs["years"], name, slip)


def _windows(inputs: Inputs) -> dict[str, float]:
    return paired(*_both(inputs), scale=_THOUSANDTHS)


def _windows_with(slip: Slip) -> Any:
    return lambda inputs: paired(*_both(inputs, slip), scale=_THOUSANDTHS)


def _draw_windows(rng: np.random.Generator) -> dict[str, Any]:
    # One year to twelve; the text of the chapters has lists of ten, of two and of five years.
    return {"years": int(rng.integers(1, 13)), "k": int(rng.choice([5, 8, 15, 20]))}


two_windows = Numbers(
    id="protocol.two_windows",
    title="Two windows, the same users",
    prompt=f"""
Is it better to show the most liked films of the last {{years}} years, or of all time?

`movielens_experiment()` of `recsys_metrics.workbook` is the cut of this chapter.
{SETTING}

By NDCG@{{k}}, what does a user gain on average from the {{years}} years over all time, and where
does the 95 % t interval of that gain end? Give all three in thousandths. {NOTEBOOK}
""",
    asks={
        "gain": "mean gain, in thousandths",
        "low": "lower end, in thousandths",
        "high": "upper end, in thousandths",
    },
    inputs={"years": 3, "k": 20},
    solve=_windows,
    draw=_draw_windows,
    misconceptions=(
        unpaired_users(lambda inputs: unpaired(*_both(inputs), scale=_THOUSANDTHS)),
        Misconception(
            id="ends-of-two-intervals",
            name="ends of two intervals",
            wrong_answer=lambda inputs: ends_apart(*_both(inputs), scale=_THOUSANDTHS),
            cause="Each mean got its own interval, and their ends were held against each other. "
            "Two intervals over the same users may overlap, and the gain still be clear.",
            hint="What is the interval of the one row of gains?",
        ),
        leak_from_the_future(_windows_with("leak")),
        seen_again(_windows_with("seen")),
        tie_rule(_windows_with("ties")),
        old_less_new(lambda inputs: turned(_windows(inputs))),
        ten_films(lambda inputs: _windows({**inputs, "k": 10})),
        as_they_are("in thousandths", lambda inputs: paired(*_both(inputs), scale=1.0)),
    ),
    hints=(
        "Cut the likes of `past` by their time, fit `baselines.Popularity()` on what is left and "
        "on all, and rank with `rank_from_scores(scores, k, exclude=cut.seen)`.",
        "`rm.ndcg(judge(lists, cut.truth), k=k)` has one value for each user. Subtract the two "
        "rows.",
        "`significance.t_interval(gains)` has the mean and both ends; multiply by a thousand.",
    ),
    steps=(
        Step(
            "The likes of the training time, and those of the last years of it.",
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "cut = movielens_experiment()\n"
            "start = cut.past.timestamp.max() - years * 365 * 24 * 60 * 60\n"
            "recent = cut.past.take(cut.past.timestamp > start)\n"
            "len(recent), len(cut.past)",
        ),
        Step(
            "Two lists for every user, and one NDCG for each list.",
            "import recsys_metrics as rm\nfrom recsys_metrics import baselines\n\n"
            "values = []\n"
            "for likes in (cut.past, recent):\n"
            "    scores = baselines.Popularity().fit(likes).scores(cut.users)\n"
            "    lists = rm.rank_from_scores(scores, k, exclude=cut.seen)\n"
            "    values.append(rm.ndcg(rm.judge(lists, cut.truth), k=k))\n"
            "[round(float(value.mean()), 4) for value in values]",
        ),
        Step(
            "One gain for each user, and its interval.",
            "from recsys_metrics.protocol.significance import t_interval\n\n"
            "found = t_interval(1000 * (values[1] - values[0]))\n"
            "gain, (low, high) = found.estimate, found\n"
            "round(gain, 2), round(low, 2), round(high, 2)",
        ),
    ),
    insight="The same users, one difference for each: that is a comparison. This interval "
    "speaks of this cut alone; the next section asks about others.",
    minutes=10,
    points=3,
)


# Another moment --------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _who_at(
    later: int,
    *,
    everybody: bool = False,
    known: bool = False,
    films: bool = False,
    rated: bool = False,
    events: bool = False,
) -> dict[str, float]:
    cut = movielens_experiment(later / 100)
    hidden = cut.hidden if everybody else keep_liked(cut.hidden)
    users = hidden.user if events else distinct(hidden.user)
    before = cut.known if known else cut.train
    wanted = distinct(keep_liked(cut.hidden).item) if films else keep_liked(cut.hidden).item
    met = cut.train if rated else cut.past
    return {
        "users": len(users),
        "new": int(np.sum(~is_in(users, before.user))),
        "cold": 100 * float(np.mean(~is_in(wanted, met.item))),
    }


def _the_others(inputs: Inputs) -> dict[str, float]:
    right = _who_at(inputs["later"])
    return {"new": right["users"] - right["new"], "cold": 100 - right["cold"]}


def _draw_moment(rng: np.random.Generator) -> dict[str, Any]:
    # The chapter cuts at full tenths.
    return {"later": int(rng.choice([later for later in range(11, 70, 2) if later % 10]))}


another_moment = Numbers(
    id="protocol.another_moment",
    title="Who is tested at another moment",
    prompt=f"""
Let the latest {{later}} % of the ratings be cut off: `movielens_experiment({{later}} / 100)`
of `recsys_metrics.workbook`.

How many users are tested, that is, liked at least one hidden film? How many of them had no rating
before the cut (`train`)? And what percentage of all hidden likes are of films that nobody had liked
before the cut (`past`), so that no model can know them? {NOTEBOOK}
""",
    asks={
        "users": "users tested",
        "new": "of them without a rating before the cut",
        "cold": "hidden likes of films without a like before, in per cent",
    },
    inputs={"later": 35},
    solve=lambda inputs: _who_at(inputs["later"]),
    draw=_draw_moment,
    misconceptions=(
        Misconception(
            id="ratings-for-users",
            name="ratings for users",
            wrong_answer=lambda inputs: _who_at(inputs["later"], events=True),
            cause="Hidden likes were counted, not the users who gave them. A few users give most "
            "of them.",
            hint="How many different users stand in the column?",
        ),
        Misconception(
            id="nothing-relevant-counted",
            name="nothing relevant counted",
            wrong_answer=lambda inputs: {
                "users": _who_at(inputs["later"], everybody=True)["users"]
            },
            cause="Users were counted whose hidden films they all disliked. There is nothing that "
            "a list could find for them.",
            hint="From how many stars on is a film liked?",
        ),
        Misconception(
            id="known-for-trained",
            name="known for trained",
            wrong_answer=lambda inputs: {"new": _who_at(inputs["later"], known=True)["new"]},
            cause="The users were looked for in `known`, which holds the first half of what each "
            "of them rated after the cut. There everybody is known.",
            hint="What did the models learn from: `train` or `known`?",
        ),
        Misconception(
            id="films-for-likes",
            name="films for likes",
            wrong_answer=lambda inputs: {"cold": _who_at(inputs["later"], films=True)["cold"]},
            cause="Each film was counted once, however often it was liked.",
            hint="Of what is the percentage: of the films, or of the likes?",
        ),
        Misconception(
            id="ratings-for-likes",
            name="ratings for likes",
            wrong_answer=lambda inputs: {"cold": _who_at(inputs["later"], rated=True)["cold"]},
            cause="A film counted as known as soon as anybody had rated it, however badly. These "
            "models learn from likes.",
            hint="Which table do the models learn from: `train` or `past`?",
        ),
        Misconception(
            id="known-for-new",
            name="known for new",
            wrong_answer=lambda inputs: {"new": _the_others(inputs)["new"]},
            cause="Those were counted who had a rating before the cut.",
            hint="Are those asked for whom the training part knows, or the others?",
        ),
        Misconception(
            id="known-for-cold",
            name="known for cold",
            wrong_answer=lambda inputs: {"cold": _the_others(inputs)["cold"]},
            cause="That is the share of likes of films that somebody had liked before.",
            hint="Which films can no model know?",
        ),
        as_they_are(
            "in per cent",
            lambda inputs: {"cold": _who_at(inputs["later"])["cold"] / 100},
        ),
    ),
    hints=(
        "`cut.users` are those who liked a hidden film.",
        "`np.isin(cut.users, cut.train.user)` says who was there before.",
        "The hidden likes are `keep_liked(cut.hidden)`, one row each; ask of each film whether it "
        "stands in `cut.past.item`.",
    ),
    steps=(
        Step(
            "Cut, and count those with something to find.",
            "from recsys_metrics.workbook import keep_liked, movielens_experiment\n\n"
            "cut = movielens_experiment(later / 100)\n"
            "users = len(cut.users)\nusers",
        ),
        Step(
            "Who of them was there before?",
            "import numpy as np\n\nnew = int((~np.isin(cut.users, cut.train.user)).sum())\nnew",
        ),
        Step(
            "And which hidden likes are of films that no model has met?",
            "wanted = keep_liked(cut.hidden).item\n"
            "cold = 100 * float((~np.isin(wanted, cut.past.item)).mean())\nround(cold, 2)",
        ),
    ),
    insight="Another moment, other people: most of them new. A conclusion from one "
    "cut-off time is about those who came after it.",
    minutes=6,
    points=2,
)
