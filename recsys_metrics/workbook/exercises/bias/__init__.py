"""Exercises on bias and fairness, in the order of the chapter.

`from recsys_metrics.workbook.exercises import bias as ex`, then `ex.<name>` shows one.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.bias.by_round import complete_doubly_robust, complete_ips
from recsys_metrics.workbook.exercises.bias.chances import complete_weight
from recsys_metrics.workbook.exercises.bias.clicks import clicks_by_place
from recsys_metrics.workbook.exercises.bias.course import order_loop
from recsys_metrics.workbook.exercises.bias.deserved import attention_by_merit, odds_of_both
from recsys_metrics.workbook.exercises.bias.estimates import (
    clip_weights,
    ips_and_snips,
    write_clipped_ips,
)
from recsys_metrics.workbook.exercises.bias.groups import (
    shares_and_rates,
    which_parity,
)
from recsys_metrics.workbook.exercises.bias.guess import (
    first_guess,
    intervals_that_hold,
    liked_better,
    tail_attention,
    which_log,
)
from recsys_metrics.workbook.exercises.bias.heavy import heavy_round
from recsys_metrics.workbook.exercises.bias.lab import (
    harvest_looks,
    slate_weights,
    which_log_answers,
)
from recsys_metrics.workbook.exercises.bias.missing import (
    complete_repaired_mean,
    mean_that_lies,
    which_bias,
)
from recsys_metrics.workbook.exercises.bias.on_data import one_round, other_attention
from recsys_metrics.workbook.exercises.bias.opportunity import complete_opportunity_gap
from recsys_metrics.workbook.exercises.bias.places import swap_positions
from recsys_metrics.workbook.exercises.bias.price import price_of_fairness
from recsys_metrics.workbook.exercises.bias.slope import complete_slope
from recsys_metrics.workbook.exercises.bias.weights import (
    explain_the_weights,
    weight_of_a_click,
    why_b_counts_more,
)
from recsys_metrics.workbook.exercises.bias.words import explain_log, refuse_log

PARTS: dict[str, tuple[Exercise, ...]] = {
    "06_bias": (
        first_guess,
        complete_repaired_mean,
        mean_that_lies,
        clicks_by_place,
        which_bias,
        order_loop,
        explain_log,
    ),
    "06_bias_off_policy": (
        liked_better,
        weight_of_a_click,
        why_b_counts_more,
        explain_the_weights,
        complete_ips,
        ips_and_snips,
        clip_weights,
        write_clipped_ips,
        complete_doubly_robust,
    ),
    "06_bias_open_bandit": (
        which_log,
        complete_weight,
        swap_positions,
        harvest_looks,
        one_round,
    ),
    "06_bias_lab": (
        intervals_that_hold,
        heavy_round,
        which_log_answers,
        complete_slope,
        slate_weights,
        refuse_log,
    ),
    "06_bias_fairness": (
        tail_attention,
        shares_and_rates,
        complete_opportunity_gap,
        which_parity,
        odds_of_both,
        attention_by_merit,
        price_of_fairness,
        other_attention,
    ),
}
EXERCISES = tuple(chain.from_iterable(PARTS.values()))

__all__ = [
    "EXERCISES",
    "PARTS",
    "attention_by_merit",
    "clicks_by_place",
    "clip_weights",
    "complete_doubly_robust",
    "complete_ips",
    "complete_opportunity_gap",
    "complete_repaired_mean",
    "complete_slope",
    "complete_weight",
    "explain_log",
    "explain_the_weights",
    "first_guess",
    "harvest_looks",
    "heavy_round",
    "intervals_that_hold",
    "ips_and_snips",
    "liked_better",
    "mean_that_lies",
    "odds_of_both",
    "one_round",
    "order_loop",
    "other_attention",
    "price_of_fairness",
    "refuse_log",
    "shares_and_rates",
    "slate_weights",
    "swap_positions",
    "tail_attention",
    "weight_of_a_click",
    "which_bias",
    "which_log",
    "which_log_answers",
    "which_parity",
    "why_b_counts_more",
    "write_clipped_ips",
]
