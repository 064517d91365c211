"""Bins of events: the reliability curve, read and computed, and the error that sums it up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.calibration import expected_calibration_error, reliability_curve
from recsys_metrics.workbook.charts.calibration import reliability_diagram
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers

# One bin by hand ------------------------------------------------------------------------------


def _upper(inputs: Inputs) -> tuple[list[float], list[int]]:
    """Return what was said and what happened in the upper bin."""
    pairs = zip(inputs["said"], inputs["clicked"], strict=True)
    said, clicked = zip(*((p, y) for p, y in pairs if p > 0.5), strict=True)
    return list(said), list(clicked)


def _solve_upper(inputs: Inputs) -> dict[str, float]:
    curve = reliability_curve(inputs["clicked"], inputs["said"], n_bins=2)
    said, happened = float(curve.predicted[-1]), float(curve.observed[-1])
    return {"said": said, "happened": happened, "gap": said - happened}


def _with_gap(said: float, happened: float) -> dict[str, float]:
    return {"said": said, "happened": happened, "gap": said - happened}


def _middle(inputs: Inputs) -> dict[str, float]:
    return _with_gap(0.75, _solve_upper(inputs)["happened"])


def _share_of_clicks(inputs: Inputs) -> dict[str, float]:
    _, clicked = _upper(inputs)
    return _with_gap(_solve_upper(inputs)["said"], sum(clicked) / sum(inputs["clicked"]))


def _share_of_events(inputs: Inputs) -> dict[str, float]:
    _, clicked = _upper(inputs)
    return _with_gap(_solve_upper(inputs)["said"], sum(clicked) / len(inputs["clicked"]))


def _everything(inputs: Inputs) -> dict[str, float]:
    return _with_gap(float(np.mean(inputs["said"])), float(np.mean(inputs["clicked"])))


def _gap_turned(inputs: Inputs) -> dict[str, float]:
    return {"gap": -_solve_upper(inputs)["gap"]}


def _draw_events(rng: np.random.Generator) -> dict[str, Any]:
    low = rng.choice(np.arange(1, 10), int(rng.integers(3, 6)), replace=False) / 20
    high = rng.choice(np.arange(11, 20), int(rng.integers(4, 7)), replace=False) / 20
    while True:
        clicked = np.append(rng.random(len(low)) < 0.35, rng.random(len(high)) < 0.6)
        if clicked[: len(low)].sum() > 0 and 0 < clicked[len(low) :].sum() < len(high):
            said = sorted([*low.tolist(), *high.tolist()])
            return {"said": said, "clicked": clicked.astype(int).tolist()}


upper_bin = Numbers(
    id="calibration.upper_bin",
    title="One bin of a reliability curve",
    prompt="""
A model said {said}. What happened, 1 for a click: {clicked}.

Cut at one half into two bins. For the upper bin, compute the mean of what was said, the share
that happened, and the gap: said minus happened.
""",
    asks={"said": "said, mean", "happened": "happened, share", "gap": "said − happened"},
    inputs={
        "said": [0.1, 0.2, 0.35, 0.4, 0.55, 0.6, 0.75, 0.8, 0.95],
        "clicked": [0, 1, 0, 0, 0, 1, 0, 1, 1],
    },
    solve=_solve_upper,
    draw=_draw_events,
    follows={"gap": lambda own: own["said"] - own["happened"]},
    misconceptions=(
        Misconception(
            id="middle-for-mean",
            name="middle for mean",
            wrong_answer=_middle,
            cause="The middle of the bin was taken for what was said in it.",
            hint="Which numbers did the model say in this bin, and what is their mean?",
        ),
        Misconception(
            id="share-of-clicks",
            name="share for rate",
            wrong_answer=_share_of_clicks,
            cause="The clicks in the bin were divided by all clicks. That says where the clicks "
            "are, not how often a promise was kept.",
            hint="How many events does the bin hold?",
        ),
        Misconception(
            id="all-events",
            name="all events for the bin's",
            wrong_answer=_share_of_events,
            cause="The clicks in the bin were divided by the number of all events.",
            hint="How many events does the bin hold?",
        ),
        Misconception(
            id="no-bins",
            name="no bins",
            wrong_answer=_everything,
            cause="Both means are over all events, not over those of the upper bin.",
            hint="Which events were called more than one half?",
        ),
        Misconception(
            id="gap-turned",
            name="gap turned round",
            wrong_answer=_gap_turned,
            cause="The gap is happened minus said; its sign is turned.",
            hint="Is the gap to be above or below 0 where the model promises too much?",
        ),
    ),
    hints=(
        "First pick the events that were called more than one half. Everything is about these.",
        "Said is the mean of their probabilities. Happened is the number of their clicks divided "
        "by the number of these events.",
        "The gap is the first number minus the second: above 0 where too much was promised.",
    ),
    steps=(
        Step(
            "Put the events into two bins, each with what was said and what happened.",
            "events = list(zip(said, clicked))\n"
            "lower = [(p, y) for p, y in events if p <= 0.5]\n"
            "upper = [(p, y) for p, y in events if p > 0.5]\n"
            "lower, upper",
        ),
        Step(
            "What was said there on average, and how often a click came.",
            "said = sum(p for p, y in upper) / len(upper)\n"
            "happened = sum(y for p, y in upper) / len(upper)\n"
            "round(said, 3), round(happened, 3)",
        ),
        Step(
            "The gap is above 0 where the model promises too much.",
            "gap = said - happened\nround(gap, 3)",
        ),
    ),
    insight="A point of the reliability diagram is a pair of means over one set of events. With so "
    "few events its interval is long.",
    minutes=4,
    points=2,
)


# A diagram to read ----------------------------------------------------------------------------

_KINDS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "calibrated": lambda odds: odds,
    "overconfident": lambda odds: 0.4 * odds,
    "underconfident": lambda odds: 2.6 * odds,
    "too-high": lambda odds: odds - 1.1,
    "too-low": lambda odds: odds + 1.1,
}


def _events(inputs: Inputs) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    rng = np.random.default_rng(inputs["seed"])
    said = rng.uniform(0.02, 0.98, 3000)
    odds = _KINDS[inputs["kind"]](np.log(said) - np.log1p(-said))
    return rng.random(3000) < 1 / (1 + np.exp(-odds)), said


def _diagram(inputs: Inputs) -> Picture:
    curve = reliability_curve(*_events(inputs), n_bins=8)
    rows = [f"{p:.2f} and {y:.2f}" for p, y in zip(curve.predicted, curve.observed, strict=True)]
    return reliability_diagram(
        curve,
        title="",
        alt=f"Reliability diagram. Said and happened, bin by bin: {'; '.join(rows)}.",
    )


def _draw_kind(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(list(_KINDS)))
    while True:
        inputs = {"kind": kind, "seed": int(rng.integers(10_000))}
        if kind != "calibrated" or _follows_the_diagonal(inputs):
            return inputs


def _follows_the_diagonal(inputs: Inputs) -> bool:
    """Whether every interval holds the diagonal: an honest model can look otherwise by chance."""
    curve = reliability_curve(*_events(inputs), n_bins=8)
    return bool(((curve.lower <= curve.predicted) & (curve.predicted <= curve.upper)).all())


_SLOPES, _SHIFTS = ("overconfident", "underconfident"), ("too-high", "too-low")
_TURNED = dict(
    (*zip(_SLOPES, _SLOPES[::-1], strict=True), *zip(_SHIFTS, _SHIFTS[::-1], strict=True))
)


def _picks(kinds: tuple[str, ...], *picked: str) -> Callable[[Inputs], tuple[str, ...] | None]:
    """Return the mistake of picking these where the diagram is of one of the kinds."""
    return lambda inputs: picked if inputs["kind"] in kinds else None


read_diagram = Choice(
    id="calibration.read_diagram",
    title="Read a reliability diagram",
    prompt="""
Three thousand events in eight bins. The dashed line is where happened equals said.
What is wrong with this model's probabilities, if anything?
""",
    options={
        "overconfident": "They are too far from the middle: over-confident.",
        "underconfident": "They are too close to the middle: under-confident.",
        "too-high": "They are too high throughout.",
        "too-low": "They are too low throughout.",
        "calibrated": "Nothing: they are calibrated.",
    },
    inputs={"kind": "overconfident", "seed": 1},
    solve=lambda inputs: str(inputs["kind"]),
    draw=_draw_kind,
    picture=_diagram,
    reasons={
        "overconfident": "Low promises happen more often than said and high ones less often: the "
        "points are flatter than the diagonal.",
        "underconfident": "Low promises happen less often than said and high ones more often: the "
        "points are steeper than the diagonal.",
        "too-high": "All points lie below the diagonal: less happens than was said.",
        "too-low": "All points lie above the diagonal: more happens than was said.",
        "calibrated": "The points follow the diagonal, and every interval holds it.",
    },
    misconceptions=(
        Misconception(
            id="axes-swapped",
            name="axes swapped",
            wrong_answer=lambda inputs: _TURNED.get(inputs["kind"]),
            cause="That is what the diagram would show with its axes swapped. What was said runs "
            "to the right, what happened upwards.",
            hint="Take the rightmost point. What was said there, and what happened?",
        ),
        Misconception(
            id="shift-for-slope",
            name="shift for slope",
            wrong_answer=_picks(_SLOPES, *_SHIFTS),
            cause="A shift would move all points to one side of the diagonal, the low ones and "
            "the high ones.",
            hint="On which side of the diagonal are the leftmost points, and where the rightmost?",
        ),
        Misconception(
            id="slope-for-shift",
            name="slope for shift",
            wrong_answer=_picks(_SHIFTS, *_SLOPES),
            cause="Too bold or too shy would put the low points on one side of the diagonal and "
            "the high ones on the other.",
            hint="Is there a point on the other side of the diagonal?",
        ),
        Misconception(
            id="bias-for-noise",
            name="bias for noise",
            wrong_answer=_picks((*_SLOPES, *_SHIFTS), "calibrated"),
            cause="With so many events the intervals are short, and most do not reach the "
            "diagonal. That is no noise.",
            hint="How many of the intervals hold the diagonal?",
        ),
        Misconception(
            id="noise-for-bias",
            name="noise for bias",
            wrong_answer=_picks(("calibrated",), *_SLOPES),
            cause="The points lean a little, but every interval holds the diagonal. That much is "
            "noise.",
            hint="How many of the intervals miss the diagonal?",
        ),
        Misconception(
            id="few-below-for-all",
            name="few points for all",
            wrong_answer=_picks(("calibrated",), "too-high"),
            cause="Some points lie a little below the diagonal. A model that is too high has all "
            "of them there, by more than their intervals.",
            hint="Where are the other points?",
        ),
        Misconception(
            id="few-above-for-all",
            name="few points for all",
            wrong_answer=_picks(("calibrated",), "too-low"),
            cause="Some points lie a little above the diagonal. A model that is too low has all "
            "of them there, by more than their intervals.",
            hint="Where are the other points?",
        ),
    ),
    hints=(
        "Start at the right end. Where the model says much, does as much happen?",
        "Then look at the left end. Are the points there on the same side of the diagonal?",
        "Same side at both ends: a shift. Different sides: flatter than the diagonal is too bold, "
        "steeper is too shy.",
    ),
    steps=(
        Step("At the right end, compare what was said with what happened; then at the left end."),
        Step(
            "Below the diagonal less happens than was said, above it more. The same side at both "
            "ends is a shift; two different sides are a slope."
        ),
    ),
    insight="A shift is repaired by an intercept, a slope by a slope: that is why Platt scaling "
    "has two parameters.",
    minutes=2,
    points=1,
)


# The error ------------------------------------------------------------------------------------


def _gaps(inputs: Inputs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return events and signed gaps of the bins."""
    events = np.array(inputs["events"], dtype=float)
    return events, np.array(inputs["said"]) - np.array(inputs["clicks"]) / events


def _expand(inputs: Inputs) -> tuple[list[int], list[float]]:
    """Return the single events behind the bins."""
    labels: list[int] = []
    said: list[float] = []
    for n, p, hits in zip(inputs["events"], inputs["said"], inputs["clicks"], strict=True):
        labels += [1] * hits + [0] * (n - hits)
        said += [p] * n
    return labels, said


def _solve_ece(inputs: Inputs) -> dict[str, float]:
    labels, said = _expand(inputs)
    return {
        "ece": expected_calibration_error(labels, said, n_bins=100),
        "largest": expected_calibration_error(labels, said, n_bins=100, norm="max"),
    }


def _unweighted(inputs: Inputs) -> dict[str, float]:
    return {"ece": float(np.abs(_gaps(inputs)[1]).mean())}


def _signed(inputs: Inputs) -> dict[str, float]:
    events, gaps = _gaps(inputs)
    return {"ece": abs(float(np.average(gaps, weights=events)))}


def _root_mean_square(inputs: Inputs) -> dict[str, float]:
    events, gaps = _gaps(inputs)
    return {"ece": math.sqrt(float(np.average(gaps**2, weights=events)))}


def _by_clicks(inputs: Inputs) -> dict[str, float]:
    _, gaps = _gaps(inputs)
    return {"ece": float(np.average(np.abs(gaps), weights=inputs["clicks"]))}


def _weighted_largest(inputs: Inputs) -> dict[str, float]:
    events, gaps = _gaps(inputs)
    return {"largest": float((np.abs(gaps) * events / events.sum()).max())}


def _draw_bins(rng: np.random.Generator) -> dict[str, Any]:
    said = np.sort(rng.choice(np.arange(2, 19), 3, replace=False)) / 20
    events = rng.choice([4, 5, 8, 10, 20, 25, 40], 3, replace=False)
    clicks = [int(rng.integers(1, n)) for n in events]
    return {"said": said.tolist(), "events": [int(n) for n in events], "clicks": clicks}


ece = Numbers(
    id="calibration.ece",
    title="Expected calibration error",
    prompt="""
Three bins. Said in them, on average: {said}. Events they hold: {events}. Clicks among these:
{clicks}.

Compute the expected calibration error (L1), and the largest gap.
""",
    asks={"ece": "ECE", "largest": "largest gap"},
    inputs={"said": [0.1, 0.4, 0.85], "events": [40, 10, 5], "clicks": [6, 3, 3]},
    solve=_solve_ece,
    draw=_draw_bins,
    misconceptions=(
        Misconception(
            id="unweighted-bins",
            name="unweighted bins",
            wrong_answer=_unweighted,
            cause="The gaps were averaged over the bins. A bin of few events then counts as much "
            "as one of many.",
            hint="How many of all events does each bin hold?",
        ),
        Misconception(
            id="signed-gaps",
            name="signed gaps",
            wrong_answer=_signed,
            cause="The gaps kept their signs, so too high in one bin made up for too low in "
            "another.",
            hint="What would a model get that is a tenth too high in one half and a tenth too low "
            "in the other?",
        ),
        Misconception(
            id="root-mean-square",
            name="L2 for L1",
            wrong_answer=_root_mean_square,
            cause="The gaps were squared, averaged, and the root was taken. That is the L2 norm.",
            hint="What is the weighted mean of the gaps themselves?",
        ),
        Misconception(
            id="weighted-by-clicks",
            name="clicks for events",
            wrong_answer=_by_clicks,
            cause="The gaps were weighted by the clicks in each bin.",
            hint="A bin of a thousand events without a click: should it count?",
        ),
        Misconception(
            id="weighted-largest",
            name="weighted largest gap",
            wrong_answer=_weighted_largest,
            cause="The largest term of the sum was taken. The largest gap has no weight.",
            hint="In which bin are said and happened furthest apart?",
        ),
    ),
    hints=(
        "For each bin, divide clicks by events, and take the distance to what was said.",
        "Each gap counts by the bin's share of all events.",
        "ECE is the sum of share times gap. The largest gap is the largest distance, unweighted.",
    ),
    steps=(
        Step(
            "The share that happened in each bin, and how far it is from what was said.",
            "gaps = [abs(p - c / n) for p, n, c in zip(said, events, clicks)]\n"
            "[round(gap, 3) for gap in gaps]",
        ),
        Step(
            "Each bin counts by its share of all events.",
            "shares = [n / sum(events) for n in events]\n[round(share, 3) for share in shares]",
        ),
        Step(
            "Add up share times gap; and take the largest gap as it is.",
            "ece = sum(share * gap for share, gap in zip(shares, gaps))\n"
            "largest = max(gaps)\n"
            "round(ece, 3), round(largest, 3)",
        ),
    ),
    insight="ECE is about the typical event, the largest gap about the worst bin, which is often "
    "the one with the fewest events.",
    minutes=4,
    points=2,
)


# The function ---------------------------------------------------------------------------------


def _ece(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return expected_calibration_error(labels, probabilities, n_bins=n_bins)


def _filled(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> list[list[tuple[float, int]]]:
    """Return the events of each bin that holds one."""
    bins: dict[int, list[tuple[float, int]]] = {}
    for p, y in zip(probabilities, labels, strict=True):
        bins.setdefault(min(int(p * n_bins), n_bins - 1), []).append((p, y))
    return [bins[key] for key in sorted(bins)]


def _gap(events: Sequence[tuple[float, int]]) -> float:
    return sum(p - y for p, y in events) / len(events)


def _w_unweighted(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    bins = _filled(labels, probabilities, n_bins)
    return sum(abs(_gap(events)) for events in bins) / len(bins)


def _w_over_all_bins(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return sum(abs(_gap(events)) for events in _filled(labels, probabilities, n_bins)) / n_bins


def _w_signed(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return float(np.mean(probabilities) - np.mean(labels))


def _w_signed_then_positive(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> float:
    return abs(_w_signed(labels, probabilities, n_bins))


def _w_middle(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    total = 0.0
    for events in _filled(labels, probabilities, n_bins):
        middle = (min(int(events[0][0] * n_bins), n_bins - 1) + 0.5) / n_bins
        total += abs(middle * len(events) - sum(y for _, y in events))
    return total / len(labels)


def _w_squared(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    bins = _filled(labels, probabilities, n_bins)
    return math.sqrt(sum(len(events) * _gap(events) ** 2 for events in bins) / len(labels))


def _w_largest(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return max(abs(_gap(events)) for events in _filled(labels, probabilities, n_bins))


def _w_each_event(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return float(np.abs(np.array(probabilities) - np.array(labels)).mean())


def _w_last_bin_open(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    inside = [(p, y) for p, y in zip(probabilities, labels, strict=True) if p < 1]
    if not inside:
        return 0.0
    bins = _filled([y for _, y in inside], [p for p, _ in inside], n_bins)
    return sum(len(events) * abs(_gap(events)) for events in bins) / len(labels)


def _w_one_bin_too_many(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> float:
    bins: list[list[tuple[float, int]]] = [[] for _ in range(n_bins)]
    for p, y in zip(probabilities, labels, strict=True):
        bins[int(p * n_bins)].append((p, y))
    return sum(len(events) * abs(_gap(events)) for events in bins if events) / len(labels)


def _case(labels: list[int], probabilities: list[float], n_bins: int, why: str = "") -> Case:
    return Case({"labels": labels, "probabilities": probabilities, "n_bins": n_bins}, why)


_CASES = (
    _case(
        [1, 1, 1, 0, 0, 1, 0, 0, 0, 0],
        [0.85, 0.85, 0.85, 0.85, 0.85, 0.15, 0.15, 0.15, 0.15, 0.15],
        10,
        "two bins of five events",
    ),
    _case([0, 1, 1, 0, 1], [0.05, 0.15, 0.17, 0.62, 0.64], 4, "bins of different sizes"),
    _case([0, 0, 1, 1, 1, 1], [0.31, 0.33, 0.37, 0.81, 0.83, 0.97], 3, "an empty bin"),
    _case([1, 0, 1, 1], [1.0, 1.0, 0.93, 0.22], 5, "a probability of exactly 1"),
    _case([1, 1, 0, 0, 0], [0.31, 0.72, 0.42, 0.61, 0.93], 2, "the gaps have opposite signs"),
    _case([0, 1, 0], [0.12, 0.47, 0.72], 1, "one bin"),
)


def _draw_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(4):
        n, n_bins = int(rng.integers(6, 14)), int(rng.integers(2, 8))
        # No probability on an edge between bins: either of them would be right.
        place = rng.integers(0, n_bins, n) + rng.uniform(0.1, 0.9, n)
        labels = [int(y) for y in rng.random(n) < 0.5]
        drawn.append(_case(labels, [round(float(p), 4) for p in place / n_bins], n_bins))
    said = [round(float(p), 3) for p in rng.uniform(0.81, 0.99, 3)]
    drawn.append(_case([0, 1, 1, 0], [1.0, *said], 5, "a probability of exactly 1"))
    return tuple(drawn)


write_ece = Function(
    id="calibration.write_ece",
    title="Write the expected calibration error",
    function="my_ece",
    prompt="""
Write `my_ece(labels, probabilities, n_bins)`. `labels` holds 0 and 1, `probabilities` what was
said, and `n_bins` bins of equal width cut the way from 0 to 1.

It returns the mean absolute gap of the bins, weighted by their events. Bins without an event do
not count. No probability lies on an edge between two bins; but one may be exactly 1, and belongs
to the last bin.
""",
    solve=_ece,
    cases=_CASES,
    draw=_draw_cases,
    misconceptions=(
        Misconception(
            id="unweighted-bins",
            name="unweighted bins",
            wrong_answer=_w_unweighted,
            variants=(_w_over_all_bins,),
            cause="The gaps are averaged over bins. A bin of one event counts as much as one of "
            "many.",
            hint="Where does the number of events in a bin enter?",
        ),
        Misconception(
            id="signed-gaps",
            name="signed gaps",
            wrong_answer=_w_signed,
            variants=(_w_signed_then_positive,),
            cause="The gaps keep their signs until they are added, so they cancel. What is left "
            "is the difference of two overall means.",
            hint="When is the absolute value taken: in each bin, or at the end?",
        ),
        Misconception(
            id="middle-for-mean",
            name="middle for mean",
            wrong_answer=_w_middle,
            cause="The middle of the bin stands for what was said in it.",
            hint="What is the mean probability of the events in the bin?",
        ),
        Misconception(
            id="root-mean-square",
            name="L2 for L1",
            wrong_answer=_w_squared,
            cause="The gaps are squared, and the root is taken at the end. That is the L2 norm.",
            hint="What happens if you leave out the square and the root?",
        ),
        Misconception(
            id="largest-gap",
            name="largest for mean",
            wrong_answer=_w_largest,
            cause="That is the largest gap, the max norm.",
            hint="What do the other bins contribute?",
        ),
        Misconception(
            id="gap-of-each-event",
            name="no bins",
            wrong_answer=_w_each_event,
            cause="The gap is taken for each event and not for each bin. An honest one half would "
            "then be off by one half every time.",
            hint="What happened on average in a bin, and what was said there on average?",
        ),
        Misconception(
            id="last-bin-open",
            name="last bin open",
            wrong_answer=_w_last_bin_open,
            variants=(_w_one_bin_too_many,),
            cause="A probability of exactly 1 falls into no bin.",
            hint="Which bin does `int(p * n_bins)` give for p = 1, and how many bins are there?",
        ),
    ),
    hints=(
        "The bin of a probability p is `int(p * n_bins)`, but no more than `n_bins - 1`.",
        "For each bin that holds an event, take the mean of the labels and the mean of the "
        "probabilities. Their distance is the gap.",
        "Multiply each gap by the bin's number of events, add up, and divide by the number of all "
        "events.",
    ),
    steps=(
        Step(
            "Put the places of the events into bins; a dictionary leaves the empty ones out.",
            "def bins_of(probabilities, n_bins):\n"
            "    bins = {}\n"
            "    for place, p in enumerate(probabilities):\n"
            "        bins.setdefault(min(int(p * n_bins), n_bins - 1), []).append(place)\n"
            "    return bins.values()\n\n\n"
            "list(bins_of([0.1, 0.9, 1.0], 5))",
        ),
        Step(
            "Events in the bin times the distance of two means is the distance of two sums, so "
            "nothing needs to be divided before the end.",
            "def my_ece(labels, probabilities, n_bins):\n"
            "    total = 0\n"
            "    for places in bins_of(probabilities, n_bins):\n"
            "        said = sum(probabilities[place] for place in places)\n"
            "        happened = sum(labels[place] for place in places)\n"
            "        total += abs(said - happened)\n"
            "    return total / len(labels)",
        ),
    ),
    insight="The weighted mean of gaps is the distance of two sums, bin by bin, over the number of "
    "events: that is why empty bins need no special care.",
    minutes=8,
    points=3,
)
