"""On Open Bandit and MovieLens: what one round does, and how much the tail is looked at."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import judge, recall
from recsys_metrics.bias.fairness import exposure_by_group, head_tail
from recsys_metrics.bias.off_policy import effective_sample_size, snips
from recsys_metrics.datasets import load_open_bandit
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.on_films import ListMistake, popular
from recsys_metrics.workbook.experiments.movielens import movielens_experiment

_PER_THOUSAND = 1000.0

# One round -------------------------------------------------------------------------------------


def _round(inputs: Inputs) -> dict[str, float]:
    log = load_open_bandit("bts", inputs["campaign"])
    rows = np.flatnonzero(log.position == inputs["place"])[: inputs["n"]]
    kept = np.delete(rows, np.argmin(log.propensity[rows]))
    both = [(log.click[each], log.propensity[each], 1 / log.n_items) for each in (rows, kept)]
    ess, ess_without = (float(effective_sample_size(1 / chance)) for _, chance, _ in both)
    estimate, without = (_PER_THOUSAND * snips(*each).value for each in both)
    return {
        "ess": ess,
        "ess_without": ess_without,
        "snips": estimate,
        "snips_without": without,
    }


def _draw_round(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "campaign": str(rng.choice(["all", "men", "women"])),
        "place": int(rng.integers(1, 4)),
        "n": int(rng.integers(10, 32)) * 100,
    }


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
    mistake: ListMistake = "",
) -> float:
    lists = popular(years, mistake)[:, :10]
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
        "attention_share": _tail_share(years, patience),
    }


def _attention_of(**other: Any) -> Any:
    def wrong(inputs: Inputs) -> dict[str, float]:
        years, patience = inputs["years"], inputs["patience"]
        return {
            "slots": _tail_share(years, patience, "none", **other),
            "attention_share": _tail_share(years, patience, **other),
        }

    return wrong


# Not four fifths, which the function takes unless told.
_PATIENCES = [patience / 50 for patience in range(26, 48) if patience != 40]


def _draw_attention(rng: np.random.Generator) -> dict[str, Any]:
    # Of longer windows the lists are those of all time, if seen films are shown again.
    return {"years": int(rng.integers(2, 4)), "patience": float(rng.choice(_PATIENCES))}


def _other_attention_discount_for_patience(inputs: Inputs) -> Any:
    return {"attention_share": _tail_share(inputs["years"], inputs["patience"], "log2")}


def _other_attention_stop_for_go_on(inputs: Inputs) -> Any:
    return {"attention_share": _tail_share(inputs["years"], 1 - inputs["patience"])}


_other_attention_rate_for_share = _attention_of(per="rate")


def _other_attention_head_for_tail(inputs: Inputs) -> Any:
    return {n: 100 - v for n, v in _attention(inputs).items()}


def _other_attention_as_they_are(inputs: Inputs) -> Any:
    return {n: v / 100 for n, v in _attention(inputs).items()}


def _other_attention_patience_unless_told(inputs: Inputs) -> Any:
    return {"attention_share": _tail_share(inputs["years"], 4 / 5)}


def _other_attention_all_time(inputs: Inputs) -> Any:
    return _attention({**inputs, "years": 0})


_other_attention_films_for_likes = _attention_of(by="items")

_other_attention_seen_again = _attention_of(mistake="seen")


def _other_attention_recall_for_exposure(inputs: Inputs) -> Any:
    return {"slots": _tail_recall(inputs["years"])}
