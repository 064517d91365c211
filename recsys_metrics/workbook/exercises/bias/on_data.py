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
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.on_films import (
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


def _one_round_first_of_all_places(inputs: Inputs) -> Any:
    return _round_of(_first_of_all(inputs))


_one_round_as_they_are = as_they_are("in clicks per thousand", _as_rates).wrong_answer


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


def _other_attention_discount_for_patience(inputs: Inputs) -> Any:
    return {"looks": _tail_share(inputs["years"], inputs["patience"], "log2")}


_other_attention_rate_for_share = _attention_of(per="rate")


def _other_attention_head_for_tail(inputs: Inputs) -> Any:
    return {n: 100 - v for n, v in _attention(inputs).items()}


_other_attention_as_they_are = as_they_are(
    "in per cent",
    lambda inputs: {n: v / 100 for n, v in _attention(inputs).items()},
).wrong_answer


def _other_attention_patience_unless_told(inputs: Inputs) -> Any:
    return {"looks": _tail_share(inputs["years"], 4 / 5)}


def _other_attention_all_time(inputs: Inputs) -> Any:
    return _attention({**inputs, "years": 0})


_other_attention_films_for_likes = _attention_of(by="items")

_other_attention_seen_again = seen_again(_attention_of(slip="seen")).wrong_answer


def _other_attention_recall_for_exposure(inputs: Inputs) -> Any:
    return {"slots": _tail_recall(inputs["years"])}
