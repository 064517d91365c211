"""One map for all: kept on average, and in each group?"""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs


def _gaps(inputs: Inputs) -> tuple[int, int, int]:
    """Return by how much too much is said in each group, and in all events together."""
    one, two = (s - y for s, y in zip(inputs["predicted"], inputs["liked"], strict=True))
    first, second = inputs["events"]
    return one, two, first * one + second * two


def _conclusion(inputs: Inputs) -> str:
    one, two, of_all = _gaps(inputs)
    if one == two == 0:
        return "kept"
    if of_all == 0:
        return "hidden"
    return "one" if one * two == 0 else "all"


def _table(inputs: Inputs) -> str:
    columns = inputs["events"], inputs["predicted"], inputs["liked"]
    rows = zip(("newcomers", "regular users"), *columns, strict=True)
    lines = "\n".join(f"| {who} | {n:,} | {s} | {y} |" for who, n, s, y in rows)
    return f"""
The same calibration map is used for newcomers and for regular users.

| Users | Events | Mean prediction, per cent | Share of likes, per cent |
|---|---:|---:|---:|
{lines}

With so many events, random variation is negligible. Where is the model calibrated?
"""


def _draw(rng: np.random.Generator) -> Inputs:
    wanted = str(rng.choice(["kept", "hidden", "one", "all"]))
    # With so many events every gap that is drawn is at least four standard errors wide.
    few = int(rng.choice([10_000, 20_000, 30_000]))
    times = int(rng.choice([2, 3]))
    liked = rng.choice([40, 45, 50, 55, 60, 65], 2, replace=False).tolist()
    more = int(rng.choice([2, 3]))
    gaps = {"kept": (0, 0), "hidden": (-times * more, more), "one": (0, more), "all": (more, more)}
    predicted = [y + gap for y, gap in zip(liked, gaps[wanted], strict=True)]
    return {"events": [few, times * few], "predicted": predicted, "liked": liked}


def _two_groups_not_all(inputs: Inputs) -> Any:
    return "all" if _conclusion(inputs) == "hidden" else None


def _two_groups_not_hidden_cause(inputs: Inputs) -> str:
    if _conclusion(inputs) == "kept":
        return "There is no gap in either group."
    return "The gaps of the two groups do not cancel over all events."


def _two_groups_not_hidden_hint(inputs: Inputs) -> str:
    if _conclusion(inputs) == "kept":
        return "What is the mean prediction of each group minus its share of likes?"
    return "Multiply each gap by the number of events in its group. What is the sum?"


def _two_groups_kept_overlooked(inputs: Inputs) -> Any:
    return "all" if _conclusion(inputs) in {"one", "kept"} else None
