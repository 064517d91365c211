"""On MovieLens: may a list go live because it does no harm, and which row decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.protocol.significance import t_interval
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.on_films import (
    NOTEBOOK,
    SETTING,
    Slip,
    as_they_are,
    by_user,
    leak_from_the_future,
    old_less_new,
    paired,
    seen_again,
    ten_films,
    turned,
    unpaired,
    unpaired_users,
)

_TODAY = 5

# No harm ---------------------------------------------------------------------------------------


def _lists(inputs: Inputs, slip: Slip = "") -> tuple[Any, Any]:
    name = f"ndcg@{inputs['k']}"
    return by_user(_TODAY, name, slip), by_user(inputs["years"], name, slip)


def _loss(inputs: Inputs, slip: Slip = "", *, by_new: bool = False) -> dict[str, float]:
    old, new = _lists(inputs, slip)
    found = paired(old, new, scale=100 / float((new if by_new else old).mean()))
    return {"gain": found["gain"], "low": found["low"]}


def _loss_in_points(inputs: Inputs) -> dict[str, float]:
    found = paired(*_lists(inputs), scale=100.0)
    return {"gain": found["gain"], "low": found["low"]}


def _loss_unpaired(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return {"low": unpaired(old, new, scale=100 / float(old.mean()))["low"]}


def _upper_end(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return {"low": 100 * t_interval(new - old).high / float(old.mean())}


def _loss_turned(inputs: Inputs) -> dict[str, float]:
    return {"gain": -_loss(inputs)["gain"], "low": -_upper_end(inputs)["low"]}


def _draw_harmless(rng: np.random.Generator) -> dict[str, Any]:
    years = [years for years in range(1, 13) if years != _TODAY]
    return {"years": int(rng.choice(years)), "k": int(rng.choice([5, 8, 15, 20]))}


harmless = Numbers(
    id="choosing.harmless",
    title="May it go live if it does no harm?",
    prompt=f"""
Today's list, the most liked films of the last five years, is to be replaced by those of the last
{{years}} years, because other pages of the site use that window. Nobody claims that it is better;
the question is how much worse it could be.

`movielens_experiment()` of `recsys_metrics.workbook` is the cut of this chapter.
{SETTING}

By NDCG@{{k}}, what is the mean gain of {{years}} over five years, and the lower end of its 95 % t
interval over users? Give both in per cent of the mean NDCG@{{k}} of today's list. {NOTEBOOK}
""",
    asks={
        "gain": "mean gain, in per cent of today's NDCG@{k}",
        "low": "lower end, in per cent of today's NDCG@{k}",
    },
    inputs={"years": 7, "k": 20},
    solve=_loss,
    draw=_draw_harmless,
    misconceptions=(
        Misconception(
            id="points-for-percent",
            name="points for per cent",
            wrong_answer=_loss_in_points,
            cause="The gain is in hundredths of NDCG. A loss that sounds small then may be a large "
            "part of so small a value.",
            hint="By which mean is it divided to become a share of what there is today?",
        ),
        Misconception(
            id="share-of-the-new",
            name="share of the new",
            wrong_answer=lambda inputs: _loss(inputs, by_new=True),
            cause="The gain was divided by the mean of the new list.",
            hint="Of which list are the per cent that may be lost?",
        ),
        unpaired_users(_loss_unpaired),
        Misconception(
            id="upper-end",
            name="upper end for lower",
            wrong_answer=_upper_end,
            cause="That is the upper end: how much could be won, at best.",
            hint="Which end says how much could be lost?",
        ),
        old_less_new(_loss_turned),
        ten_films(lambda inputs: _loss({**inputs, "k": 10})),
        as_they_are("in per cent", lambda inputs: {n: v / 100 for n, v in _loss(inputs).items()}),
        leak_from_the_future(lambda inputs: _loss(inputs, "leak")),
        seen_again(lambda inputs: _loss(inputs, "seen")),
    ),
    hints=(
        "Two lists for each user, one NDCG for each, and the difference: new less today's.",
        "`t_interval(gains)` has the mean and the lower end.",
        "Divide both by the mean NDCG of today's list, and multiply by a hundred.",
    ),
    steps=(
        Step(
            "The likes of either number of years, and a list for every user.",
            "import recsys_metrics as rm\nfrom recsys_metrics import baselines\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "cut, values = movielens_experiment(), []\n"
            "for window in (5, years):\n"
            "    start = cut.past.timestamp.max() - window * 365 * 24 * 60 * 60\n"
            "    likes = cut.past.take(cut.past.timestamp > start)\n"
            "    scores = baselines.Popularity().fit(likes).scores(cut.users)\n"
            "    lists = rm.rank_from_scores(scores, k, exclude=cut.seen)\n"
            "    values.append(rm.ndcg(rm.judge(lists, cut.truth), k=k))\n"
            "today, new = values\n"
            "round(float(today.mean()), 4), round(float(new.mean()), 4)",
        ),
        Step(
            "The gain of each user, and its interval as a share of what there is today.",
            "from recsys_metrics.protocol.significance import t_interval\n\n"
            "found = t_interval(new - today)\n"
            "gain, low = (100 * x / float(today.mean()) for x in (found.estimate, found.low))\n"
            "round(gain, 2), round(low, 2)",
        ),
    ),
    insight="If a loss up to this lower end was called harmless beforehand, the change may go "
    "live. Whoever looks first and then says so has tested nothing.",
    minutes=10,
    points=3,
)


# Another goal ----------------------------------------------------------------------------------

_GOALS = {
    "find one good film fast: people leave with the first one they like, and look at ten": "mrr@10",
    "help people plan a season: they look at all twenty films, in no order, and want to find as "
    "much of what they would like as they can": "recall@20",
    "fill the five places of a small screen, all seen at once, and waste none": "precision@5",
}

_AT_ANOTHER_K = {"mrr@10": "mrr@20", "recall@20": "recall@10", "precision@5": "precision@10"}


def _decides(inputs: Inputs) -> str:
    return _GOALS[inputs["goal"]]


def _goal_with(inputs: Inputs, name: str, slip: Slip = "") -> dict[str, float]:
    return paired(by_user(0, name, slip), by_user(inputs["years"], name, slip), scale=1000.0)


def _goal(inputs: Inputs) -> dict[str, float]:
    return _goal_with(inputs, _decides(inputs))


def _draw_goal(rng: np.random.Generator) -> dict[str, Any]:
    return {"goal": str(rng.choice(list(_GOALS))), "years": int(rng.integers(1, 13))}


another_goal = Numbers(
    id="choosing.another_goal",
    title="The row that decides for another goal",
    prompt=f"""
Another site with the same films wants to {{goal}}. It can show the most liked films of all time, or
those of the last {{years}} years.

`movielens_experiment()` of `recsys_metrics.workbook` is the cut of this chapter.
{SETTING}

Choose the measure and its K by the goal, out of NDCG, reciprocal rank, precision and recall (over
all relevant films). What do users gain by it from the {{years}} years over all time, and where
does the 95 % t interval end? Give all three in thousandths. {NOTEBOOK}
""",
    asks={
        "gain": "mean gain, in thousandths",
        "low": "lower end, in thousandths",
        "high": "upper end, in thousandths",
    },
    inputs={"goal": list(_GOALS)[1], "years": 4},
    solve=_goal,
    draw=_draw_goal,
    misconceptions=(
        Misconception(
            id="always-ndcg",
            name="one measure for all goals",
            wrong_answer=lambda inputs: _goal_with(
                inputs, f"ndcg@{_decides(inputs).partition('@')[2]}"
            ),
            cause="NDCG was taken. It pays for many good films that stand high, which is not what "
            "this site asks for.",
            hint="Does this goal see the order, and does it see more than the first hit?",
        ),
        Misconception(
            id="another-k",
            name="another K",
            wrong_answer=lambda inputs: _goal_with(inputs, _AT_ANOTHER_K[_decides(inputs)]),
            cause="The measure fits, and it was taken at a K that is not the number of films "
            "people look at.",
            hint="How many films do people look at here?",
        ),
        unpaired_users(
            lambda inputs: unpaired(
                by_user(0, _decides(inputs)),
                by_user(inputs["years"], _decides(inputs)),
                scale=1000.0,
            )
        ),
        leak_from_the_future(lambda inputs: _goal_with(inputs, _decides(inputs), "leak")),
        seen_again(lambda inputs: _goal_with(inputs, _decides(inputs), "seen")),
        old_less_new(lambda inputs: turned(_goal(inputs))),
        as_they_are(
            "in thousandths", lambda inputs: {n: v / 1000 for n, v in _goal(inputs).items()}
        ),
    ),
    hints=(
        "Ask of the goal: does the order count, does more than the first hit count, and is it bad "
        "to miss a film or to waste a slot?",
        "K is the number of films that people look at.",
        "`rm.measure(text)(rm.judge(lists, cut.truth))` has one value for each user; then "
        "`t_interval` of the differences.",
    ),
    steps=(
        Step(
            "The goal decides, before any number is seen: first hit only, reciprocal rank; find "
            "all, recall; waste none, precision. K is what people look at.",
            "rows = {\n"
            '    "first": ("mrr", 10), "season": ("recall", 20), "waste": ("precision", 5)\n'
            "}\n"
            "name, k = next(row for word, row in rows.items() if word in goal)\n"
            "name, k",
        ),
        Step(
            "Two lists for every user, judged by that measure.",
            "import recsys_metrics as rm\nfrom recsys_metrics import baselines\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "cut, values = movielens_experiment(), []\n"
            "start = cut.past.timestamp.max() - years * 365 * 24 * 60 * 60\n"
            "for likes in (cut.past, cut.past.take(cut.past.timestamp > start)):\n"
            "    scores = baselines.Popularity().fit(likes).scores(cut.users)\n"
            "    lists = rm.rank_from_scores(scores, k, exclude=cut.seen)\n"
            '    values.append(rm.measure(f"{name}@{k}")(rm.judge(lists, cut.truth)))\n'
            "[round(float(value.mean()), 4) for value in values]",
        ),
        Step(
            "The gain of each user, and its interval.",
            "from recsys_metrics.protocol.significance import t_interval\n\n"
            "found = t_interval(1000 * (values[1] - values[0]))\n"
            "gain, (low, high) = found.estimate, found\n"
            "round(gain, 2), round(low, 2), round(high, 2)",
        ),
    ),
    insight="The goal chose the row before a number was seen. Had you looked at all rows first, "
    "their p-values would have to be adjusted for the choice.",
    minutes=10,
    points=3,
)
