"""One map for all: kept on average, and in each group?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice


def _gaps(inputs: Inputs) -> tuple[int, int, int]:
    """Return by how much too much is said in each group, and in all events together."""
    one, two = (s - y for s, y in zip(inputs["said"], inputs["liked"], strict=True))
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
    columns = inputs["events"], inputs["said"], inputs["liked"]
    rows = zip(("newcomers", "regulars"), *columns, strict=True)
    lines = "\n".join(f"| {who} | {n:,} | {s} | {y} |" for who, n, s, y in rows)
    return f"""
One map makes promises to newcomers and to regulars.

| People | Events | Said on average, per cent | Liked, per cent |
|---|---:|---:|---:|
{lines}

So many events leave little to chance. Where is the promise kept?
"""


def _unless(key: str) -> Callable[[Inputs], str | None]:
    """Return the mistake of choosing an option, wherever it is one."""
    return lambda inputs: None if _conclusion(inputs) == key else key


def _draw(rng: np.random.Generator) -> Inputs:
    wanted = str(rng.choice(["kept", "hidden", "one", "all"]))
    few = int(rng.choice([1_000, 2_000, 3_000]))
    times = int(rng.choice([2, 3]))
    liked = rng.choice([40, 45, 50, 55, 60, 65], 2, replace=False).tolist()
    more = int(rng.choice([2, 3]))
    gaps = {"kept": (0, 0), "hidden": (-times * more, more), "one": (0, more), "all": (more, more)}
    said = [y + gap for y, gap in zip(liked, gaps[wanted], strict=True)]
    return {"events": [few, times * few], "said": said, "liked": liked}


two_groups = Choice(
    id="calibration.two_groups",
    title="Kept for whom",
    prompt=_table,
    options={
        "kept": "In each group, and so on average.",
        "hidden": "On average over all events, and in neither group.",
        "one": "In one group, and not on average.",
        "all": "Neither on average nor in a group.",
    },
    ordered=True,
    inputs={"events": [1_000, 3_000], "said": [49, 52], "liked": [55, 50]},
    solve=_conclusion,
    draw=_draw,
    reasons={
        "kept": "In both groups as much was liked as was said.",
        "hidden": "One group is promised too little, the other too much, and over all events the "
        "two cancel.",
        "one": "One group's promise is kept; the other's gap remains in the average.",
        "all": "Both groups are promised too much, so all together are, too.",
    },
    misconceptions=(
        Misconception(
            id="not-kept",
            name="calibrated on average",
            wrong_answer=_unless("kept"),
            cause="At least one group was told another share than came.",
            hint="What was said to the newcomers, and how many of their events were liked?",
        ),
        Misconception(
            id="not-hidden",
            name="gaps that do not cancel",
            wrong_answer=_unless("hidden"),
            cause="Over all events the gaps of the two groups do not cancel to nought, or there is "
            "none.",
            hint="Multiply each gap by the events of its group. What is their sum?",
        ),
        Misconception(
            id="not-one",
            name="one group for both",
            wrong_answer=_unless("one"),
            cause="It is not so that exactly one of the two promises is kept.",
            hint="Is said equal to liked in the first group? In the second?",
        ),
        Misconception(
            id="not-all",
            name="groups counted alike",
            wrong_answer=lambda inputs: "all" if _conclusion(inputs) == "hidden" else None,
            cause="The average over all events is kept: the gaps cancel, because a large group "
            "counts more than a small one.",
            hint="How many events does each gap stand for?",
        ),
        Misconception(
            id="kept-overlooked",
            name="kept promise overlooked",
            wrong_answer=lambda inputs: "all" if _conclusion(inputs) in {"one", "kept"} else None,
            cause="At least one group was told the share that came.",
            hint="Is said equal to liked in the first group? In the second?",
        ),
    ),
    hints=(
        "Take said less liked in each group.",
        "For the average over all events, a gap counts as often as its group has events.",
        "Two gaps of opposite sign can cancel: multiply each by its events, and add.",
    ),
    steps=(
        Step(
            "By how much too much was said, in each group.",
            "gaps = [s - y for s, y in zip(said, liked)]\ngaps",
        ),
        Step(
            "The same over all events: each gap counts as often as its group has events.",
            "sum(n * gap for n, gap in zip(events, gaps)) / sum(events)",
        ),
    ),
    insight="An average can be kept by two broken promises. Split by the groups you speak to.",
    minutes=2,
    points=1,
)
