"""Values and intervals of a report as one flat mapping, for an experiment logger."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from recsys_metrics._core.checks import check_flag


def flatten_values(results: Iterable[Any], *, plain: bool) -> dict[str, float]:
    """Return values and ends of intervals by name.

    Parameters
    ----------
    results : iterable of Result or PredictionResult
    plain : bool
        Whether names are of letters, digits and underscores alone.

    Raises
    ------
    ValueError
        If two measures get the same plain name.
    """
    check_flag("plain", plain)
    found: dict[str, float] = {}
    results = [*results]
    for result in results:
        name, sign = result.measure.label, "/"
        if plain:
            name, sign = _plain_name(name), "_"
        values = {name: result.value}
        if interval := result.interval():
            values |= {f"{name}{sign}low": interval.low, f"{name}{sign}high": interval.high}
        if twice := sorted(values.keys() & found):
            listed = ", ".join(each.measure.label for each in results)
            raise ValueError(
                f"the plain name {twice[0]!r} of {result.measure} is that of another value, too; "
                f"there are {listed}. Give your own metrics other names"
            )
        found |= values
    return found


def _plain_name(measure: str) -> str:
    """Return the text of a measure as a name; no value of ours loses a sign that tells it apart."""
    named = re.sub(r"@(\d+)$", r"_at_\1", measure).replace(")", "", 1)
    return re.sub(r"[^A-Za-z0-9_]+", "_", re.sub(r"[(=]|, ", "__", named))
