"""On Open Bandit and MovieLens: what one round does, and how much the tail is looked at."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import judge, recall
from recsys_metrics.bias.fairness import exposure_by_group, head_tail
from recsys_metrics.bias.off_policy import effective_sample_size, ips, snips
from recsys_metrics.datasets import OpenBandit, load_open_bandit
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.on_films import (
    NOTEBOOK,
    SETTING,
    Slip,
    as_they_are,
    popular,
    seen_again,
)
from recsys_metrics.workbook.experiments.movielens import movielens_experiment

_PER_THOUSAND = 1000.0

# One round -------------------------------------------------------------------------------------


@lru_cache(maxsize=3)
def _log(campaign: Any) -> OpenBandit:
    return load_open_bandit("bts", campaign)


def _rounds(inputs: Inputs) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return clicks and propensities of the rounds, and the target."""
    log = _log(inputs["campaign"])
    rows = np.flatnonzero(log.position == inputs["place"])[: inputs["n"]]
    return log.click[rows], log.propensity[rows], 1 / log.n_items


def _without(inputs: Inputs) -> tuple[NDArray[Any], NDArray[Any], float]:
    return _one_less(_rounds(inputs))


def _one_less(
    log: tuple[NDArray[Any], NDArray[Any], float],
) -> tuple[NDArray[Any], NDArray[Any], float]:
    click, chance, target = log
    kept = np.arange(len(chance)) != np.argmin(chance)
    return click[kept], chance[kept], target


def _worth(chance: NDArray[Any]) -> float:
    return float(effective_sample_size(1 / chance))


_Log = tuple[NDArray[Any], NDArray[Any], float]


def _round_of(all_of_them: _Log) -> dict[str, float]:
    without = _one_less(all_of_them)
    return {
        "worth": _worth(all_of_them[1]),
        "worth_without": _worth(without[1]),
        "snips": _PER_THOUSAND * float(snips(*all_of_them)),
        "snips_without": _PER_THOUSAND * float(snips(*without)),
    }


def _round(inputs: Inputs) -> dict[str, float]:
    return _round_of(_rounds(inputs))


def _first_of_all(inputs: Inputs) -> _Log:
    log, n = _log(inputs["campaign"]), inputs["n"]
    return log.click[:n], log.propensity[:n], 1 / log.n_items


def _as_rates(inputs: Inputs) -> dict[str, float]:
    right = _round(inputs)
    return {name: right[name] / _PER_THOUSAND for name in ("snips", "snips_without")}


def _by_ips(inputs: Inputs) -> dict[str, float]:
    found = [_PER_THOUSAND * float(ips(*log)) for log in (_rounds(inputs), _without(inputs))]
    return {"snips": found[0], "snips_without": found[1]}


def _clicks_as_logged(inputs: Inputs) -> dict[str, float]:
    found = [_PER_THOUSAND * float(log[0].mean()) for log in (_rounds(inputs), _without(inputs))]
    return {"snips": found[0], "snips_without": found[1]}


def _capped(inputs: Inputs) -> dict[str, float]:
    click, chance, target = _rounds(inputs)
    weights = target / chance
    # As heavy as the next.
    capped = np.minimum(weights, np.partition(weights, -2)[-2])
    return {
        "worth_without": float(effective_sample_size(capped)),
        "snips_without": _PER_THOUSAND * float(capped @ click / capped.sum()),
    }


def _all_places(inputs: Inputs) -> dict[str, float]:
    log = _log(inputs["campaign"])
    kept = np.arange(len(log.propensity)) != np.argmin(log.propensity)
    target = 1 / log.n_items
    return {
        "worth": _worth(log.propensity),
        "worth_without": _worth(log.propensity[kept]),
        "snips": _PER_THOUSAND * float(snips(log.click, log.propensity, target)),
        "snips_without": _PER_THOUSAND
        * float(snips(log.click[kept], log.propensity[kept], target)),
    }


def _rounds_for_worth(inputs: Inputs) -> dict[str, float]:
    n = float(len(_rounds(inputs)[1]))
    return {"worth": n, "worth_without": n - 1}


def _draw_round(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "campaign": str(rng.choice(["all", "men", "women"])),
        "place": int(rng.integers(1, 4)),
        "n": int(rng.integers(10, 32)) * 100,
    }


one_round = Numbers(
    id="bias.one_round",
    title="With one round and without",
    prompt=f"""
How much hangs on a single round? Take the log `load_open_bandit("bts", "{{campaign}}")`, of it the
displays at place {{place}}, and of these the first {{n}} as they stand.

They are asked about the policy that shows every item of the campaign alike. How many even rounds
are they worth, and what is the SNIPS estimate in clicks per thousand? And both again without the
one round whose propensity is smallest. {NOTEBOOK}
""",
    asks={
        "worth": "effective sample size",
        "worth_without": "effective sample size without the round",
        "snips": "SNIPS, clicks per thousand",
        "snips_without": "SNIPS without the round, clicks per thousand",
    },
    inputs={"campaign": "all", "place": 1, "n": 3000},
    solve=_round,
    draw=_draw_round,
    misconceptions=(
        Misconception(
            id="rounds-for-worth",
            name="one heavy round",
            wrong_answer=_rounds_for_worth,
            cause="The rounds were counted, as if each had the same weight.",
            hint="What is the square of the sum of the weights over the sum of their squares?",
        ),
        Misconception(
            id="ips-for-snips",
            name="rounds for weights",
            wrong_answer=_by_ips,
            cause="The weighted clicks were divided by the number of rounds. That is IPS.",
            hint="By what does the self-normalised estimate divide?",
        ),
        Misconception(
            id="clicks-as-logged",
            name="clicks as logged",
            wrong_answer=_clicks_as_logged,
            cause="That is the click rate of the log's own policy. No click was weighed.",
            hint="How much more often would the other policy have shown each item?",
        ),
        Misconception(
            id="capped-for-dropped",
            name="lowered for dropped",
            wrong_answer=_capped,
            cause="The weight was lowered to that of the next round, and the round kept. That is "
            "clipping, and answers another question: here the round itself is in doubt.",
            hint="How many rounds are left when one is taken out?",
        ),
        Misconception(
            id="all-places",
            name="places pooled",
            wrong_answer=_all_places,
            cause="All places of the log were taken, not the one that is asked about.",
            hint="Which rounds stand at this place, and which of them are the first?",
        ),
        Misconception(
            id="first-of-all-places",
            name="first, then place",
            wrong_answer=lambda inputs: _round_of(_first_of_all(inputs)),
            cause="The first rounds of the log were taken, whatever their place.",
            hint="Which comes first here: to choose the place, or to count rounds?",
        ),
        as_they_are("in clicks per thousand", _as_rates),
    ),
    hints=(
        "`np.flatnonzero(log.position == place)[:n]` numbers the rounds.",
        "`off_policy.snips(click, propensity, 1 / log.n_items)` has `.value` and "
        "`.effective_sample_size`.",
        "`np.argmin` of the propensities is the round to leave out; `np.delete` leaves it out.",
    ),
    steps=(
        Step(
            "The rounds, and how many they are worth.",
            "import numpy as np\n"
            "from recsys_metrics.bias import off_policy\n"
            "from recsys_metrics.datasets import load_open_bandit\n\n"
            'log = load_open_bandit("bts", campaign)\n'
            "rows = np.flatnonzero(log.position == place)[:n]\n"
            "target = 1 / log.n_items\n"
            "found = off_policy.snips(log.click[rows], log.propensity[rows], target)\n"
            "snips, worth = 1000 * found.value, found.effective_sample_size\n"
            "round(worth, 1), round(snips, 2)",
        ),
        Step(
            "The round with the smallest propensity has the largest weight.",
            "rarest = np.argmin(log.propensity[rows])\n"
            "float(log.propensity[rows][rarest]), bool(log.click[rows][rarest])",
        ),
        Step(
            "Both again without it.",
            "kept = np.delete(rows, rarest)\n"
            "found = off_policy.snips(log.click[kept], log.propensity[kept], target)\n"
            "snips_without, worth_without = 1000 * found.value, found.effective_sample_size\n"
            "round(worth_without, 1), round(snips_without, 2)",
        ),
    ),
    insight="One round of thousands. If an estimate moves with it, say so, and look whether its "
    "propensity can be right before you drop it.",
    minutes=8,
    points=3,
)


# Another attention -----------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _liked_before() -> NDArray[np.int64]:
    cut = movielens_experiment()
    return np.bincount(cut.past.item, minlength=cut.past.n_items)


@lru_cache(maxsize=2)
def _strata(by: Any = "interactions") -> NDArray[np.str_]:
    return head_tail(_liked_before(), head=1 / 2, by=by)


@lru_cache(maxsize=1024)
def _tail_share(
    years: int,
    patience: float,
    attention: Any = "geometric",
    per: Any = "share",
    by: str = "interactions",
    slip: Slip = "",
) -> float:
    lists = popular(years, slip)[:, :10]
    found = exposure_by_group(lists, _strata(by), attention=attention, per=per, patience=patience)
    return 100 * found.per_group["tail"]


def _tail_recall(years: int) -> float:
    cut, tail = movielens_experiment(), _strata() == "tail"
    found = recall(judge(popular(years)[:, :10], cut.truth.multiply(tail).tocsr()), k=10)
    return 100 * float(np.nanmean(found))


def _attention(inputs: Inputs) -> dict[str, float]:
    years, patience = inputs["years"], inputs["patience"]
    return {
        "slots": _tail_share(years, patience, "none"),
        "looks": _tail_share(years, patience),
    }


def _attention_of(**other: Any) -> Any:
    def wrong(inputs: Inputs) -> dict[str, float]:
        years, patience = inputs["years"], inputs["patience"]
        return {
            "slots": _tail_share(years, patience, "none", **other),
            "looks": _tail_share(years, patience, **other),
        }

    return wrong


# Not four fifths, which the function takes unless told.
_PATIENCES = [patience / 20 for patience in range(10, 20) if patience != 16]


def _draw_attention(rng: np.random.Generator) -> dict[str, Any]:
    return {"years": int(rng.integers(1, 7)), "patience": float(rng.choice(_PATIENCES))}


other_attention = Numbers(
    id="bias.other_attention",
    title="Slots, looks, and the tail",
    prompt=f"""
A site shows everybody the ten most liked films of the last {{years}} years of the training time.
`movielens_experiment()` of `recsys_metrics.workbook` is the cut of this chapter's films.
{SETTING}

Head and tail are those of this chapter: half of all likes of the training time are the head's. What
share of the slots does the tail get? And what share of the looks, if a user goes on to the next
rank with a chance of {{patience}}? Give both in per cent. {NOTEBOOK}
""",
    asks={"slots": "slots of the tail, in per cent", "looks": "looks at the tail, in per cent"},
    inputs={"years": 3, "patience": 0.7},
    solve=_attention,
    draw=_draw_attention,
    misconceptions=(
        Misconception(
            id="discount-for-patience",
            name="another attention",
            wrong_answer=lambda inputs: {
                "looks": _tail_share(inputs["years"], inputs["patience"], "log2")
            },
            cause="The looks fall with the logarithm of the rank, as in NDCG. Here a chance to go "
            "on was given.",
            hint="With which chance does a user reach rank 3?",
        ),
        Misconception(
            id="rate-for-share",
            name="share for rate",
            wrong_answer=_attention_of(per="rate"),
            cause="The shares were divided by the tail's share of the catalogue, so 100 would be "
            "what its size is worth.",
            hint="A share of what was asked for: of the slots, or of the slots per film?",
        ),
        Misconception(
            id="head-for-tail",
            name="head for tail",
            wrong_answer=lambda inputs: {n: 100 - v for n, v in _attention(inputs).items()},
            cause="That is what the head gets.",
            hint="Which films are asked about: those with half of the likes, or all others?",
        ),
        as_they_are(
            "in per cent",
            lambda inputs: {n: v / 100 for n, v in _attention(inputs).items()},
        ),
        Misconception(
            id="patience-unless-told",
            name="another attention",
            wrong_answer=lambda inputs: {"looks": _tail_share(inputs["years"], 4 / 5)},
            cause="The patience is that which the function takes unless it is told.",
            hint="With which chance does a user go on to the next rank here?",
        ),
        Misconception(
            id="all-time",
            name="window forgotten",
            wrong_answer=lambda inputs: _attention({**inputs, "years": 0}),
            ambiguous_with=("films-for-likes",),
            cause="The lists are those of all time.",
            hint="From which moment on do likes count here?",
        ),
        Misconception(
            id="films-for-likes",
            name="films for likes",
            wrong_answer=_attention_of(by="items"),
            ambiguous_with=("all-time",),
            cause="The head was made of half of the films, not of the films that hold half of the "
            "likes.",
            hint="What does `by=` of `head_tail` decide?",
        ),
        seen_again(_attention_of(slip="seen")),
        Misconception(
            id="recall-for-exposure",
            name="found for shown",
            wrong_answer=lambda inputs: {"slots": _tail_recall(inputs["years"])},
            cause="That is the recall on tail films: how many of those that were liked were "
            "found, not how many slots the tail has.",
            hint="Does exposure ask whether a film was liked?",
        ),
    ),
    hints=(
        '`fairness.head_tail(likes, head=1 / 2, by="interactions")`, with the likes of each film '
        "in `past`.",
        '`fairness.exposure_by_group(lists, strata, per="share", attention="none")` counts slots.',
        '`attention="geometric"` with `patience=` counts looks.',
    ),
    steps=(
        Step(
            "The lists of the last years.",
            "import numpy as np\nimport recsys_metrics as rm\n"
            "from recsys_metrics import baselines\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "cut = movielens_experiment()\n"
            "start = cut.past.timestamp.max() - years * 365 * 24 * 60 * 60\n"
            "recent = cut.past.take(cut.past.timestamp > start)\n"
            "scores = baselines.Popularity().fit(recent).scores(cut.users)\n"
            "lists = rm.rank_from_scores(scores, 10, exclude=cut.seen)\nlists.shape",
        ),
        Step(
            "Head and tail, by the likes of the whole training time.",
            "from recsys_metrics.bias import fairness\n\n"
            "likes = np.bincount(cut.past.item, minlength=cut.past.n_items)\n"
            'strata = fairness.head_tail(likes, head=1 / 2, by="interactions")\n'
            '{part: int((strata == part).sum()) for part in ("head", "tail")}',
        ),
        Step(
            "Count slots, then looks.",
            'shares = {"per": "share"}\n'
            'by_slots = fairness.exposure_by_group(lists, strata, attention="none", **shares)\n'
            "by_looks = fairness.exposure_by_group(\n"
            '    lists, strata, attention="geometric", patience=patience, **shares\n'
            ")\n"
            'slots, looks = (100 * found.per_group["tail"] for found in (by_slots, by_looks))\n'
            "round(slots, 2), round(looks, 2)",
        ),
    ),
    insight="The same lists, two shares. Which one is fair to quote depends on how people read the "
    "page, so name the attention beside the share.",
    minutes=8,
    points=2,
)
