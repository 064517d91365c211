"""What a careful reading of a case's files finds; no case is given out that shows anything else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recsys_metrics.workbook.course.capstone.expected_numbers import (
    NUMBERS,
    Tables,
    rate_by_impressions,
    rate_by_people,
)

Claim = tuple[float, float, float]


def found(tables: Tables, claim: Claim) -> set[str]:
    """Return the faults that the files show.

    Parameters
    ----------
    tables : mapping of str to Table
    claim : (float, float, float)
        The analyst's gain in clicks per impression, and its interval, as the brief says them.
    """
    return {name for name, shows in _SIGNS.items() if shows(tables, claim)}


def _number(tables: Tables, name: str) -> float:
    return NUMBERS[name].of(tables)


def _is_floored(tables: Tables, claim: Claim) -> bool:
    """Whether the weights' mean is not 1, which it is expected to be."""
    weights = tables["feed"]["chance_b"] / tables["feed"]["chance"]
    error = weights.std() / np.sqrt(len(weights))
    return bool(abs(weights.mean() - 1) > 4 * error)


def _is_pooled(tables: Tables, claim: Claim) -> bool:
    right, wrong = (of(tables["experiment"])[1] for of in (rate_by_people, rate_by_impressions))
    return abs(claim[1] - wrong) < abs(claim[1] - right)


def _is_reused(tables: Tables, claim: Claim) -> bool:
    best = float(tables["trials"]["recall_at_10"].max())
    tune, compare = (_number(tables, f"recall_b_{part}") for part in ("tune", "compare"))
    return abs(best - compare) < abs(best - tune)


_SIGNS: dict[str, Callable[[Tables, Claim], bool]] = {
    "time_leak": lambda tables, claim: _number(tables, "rows_after_cut") > 0,
    "doubled_users": lambda tables, claim: _number(tables, "doubled_users") > 0,
    "floored_chances": _is_floored,
    "sample_ratio": lambda tables, claim: _number(tables, "split_p") < 0.001,
    "harmed_group": lambda tables, claim: _number(tables, "lift_light_high") < 0,
    # Scores of four digits are equal by chance now and then.
    "tied_scores": lambda tables, claim: (
        _number(tables, "tied_lists_b") > 10 * (1 + _number(tables, "tied_lists_a"))
    ),
    "wrong_unit": _is_pooled,
    "reused_test": _is_reused,
}
