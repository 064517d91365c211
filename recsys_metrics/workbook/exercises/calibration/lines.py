"""One line to complete: the weighted gap, the step downhill, people kept whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp

import numpy as np

from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function

# The weighted gap -----------------------------------------------------------------------------

_Bins = Sequence[float]
_OfBins = Callable[[_Bins, _Bins, Sequence[int]], float]


def _adding(part: Callable[[float, int, Sequence[int]], float]) -> _OfBins:
    """Return what adds up this part of each bin, made of its gap and its events."""

    def of(said: _Bins, happened: _Bins, events: Sequence[int]) -> float:
        bins = zip(said, happened, events, strict=True)
        return float(sum(part(abs(p - share), n, events) for p, share, n in bins))

    return of


def _signed(said: _Bins, happened: _Bins, events: Sequence[int]) -> float:
    return float(np.average(np.subtract(said, happened), weights=events))


def _draw_bins(rng: np.random.Generator) -> tuple[Case, ...]:
    found = []
    for n_bins in (2, 3, 4, 5):
        said = (rng.choice(np.arange(1, 20), n_bins, replace=False) / 20).tolist()
        happened = (rng.choice(np.arange(1, 20), n_bins, replace=False) / 20).tolist()
        happened[0] = said[0] / 2
        events = [int(n) for n in rng.choice(np.arange(2, 60), n_bins, replace=False)]
        found.append(_bins(sorted(said), happened, events))
    return (*found, _ONE_BIN)


def _bins(said: list[float], happened: list[float], events: list[int], why: str = "") -> Case:
    return Case({"said": said, "happened": happened, "events": events}, why)


_ONE_BIN = _bins([0.5], [0.25], [8], "all events in one bin")

complete_ece = Function(
    id="calibration.complete_ece",
    title="ECE with one line missing",
    prompt="""
Complete the line with `...`: what one bin adds to the expected calibration error.

- `said` holds for each bin the mean of what was said, `happened` the share that happened, and
  `events` the number of events.
""",
    function="my_ece_of_bins",
    solve=_adding(lambda gap, n, events: gap * n / sum(events)),
    template="""
total = 0.0
for p, share, n in zip(said, happened, events):
    gap = abs(p - share)
    total += ...
return total
""".strip(),
    template_answer="gap * n / sum(events)",
    cases=(
        _bins([0.2, 0.8], [0.2, 0.6], [5, 5], "the bins of the chapter"),
        _bins([0.2, 0.5, 0.8], [0.2, 1.0, 0.6], [5, 1, 5]),
        _bins([0.1, 0.4, 0.9], [0.3, 0.35, 0.5], [60, 30, 10]),
        _ONE_BIN,
    ),
    draw=_draw_bins,
    misconceptions=(
        Misconception(
            id="unweighted-bins",
            name="unweighted bins",
            wrong_answer=_adding(lambda gap, _, events: gap / len(events)),
            cause="The gaps are averaged over the bins. A bin of one event then counts as much as "
            "one of sixty.",
            hint="How many of all events does the bin hold?",
        ),
        Misconception(
            id="not-weighted",
            name="sum of the gaps",
            wrong_answer=_adding(lambda gap, *_: gap),
            cause="The gaps are added up as they are. More bins then make a larger error.",
            hint="By how much of all events should a gap count?",
        ),
        Misconception(
            id="not-divided",
            name="not divided",
            wrong_answer=_adding(lambda gap, n, _: gap * n),
            cause="The gaps count by their events, and nothing divides by all events.",
            hint="What should come out if every event is off by a tenth?",
        ),
        Misconception(
            id="by-bins",
            name="bins for events",
            wrong_answer=_adding(lambda gap, n, events: gap * n / len(events)),
            cause="The gaps count by their events, and are divided by the number of bins.",
            hint="What do the weights add up to by your line?",
        ),
        Misconception(
            id="signed-gaps",
            name="signed gaps",
            wrong_answer=_signed,
            cause="The gaps keep their signs, so too high in one bin makes up for too low in "
            "another.",
            hint="What should come out if one bin is a tenth too high and another a tenth too low?",
        ),
        Misconception(
            id="squared-gaps",
            name="squared gaps",
            wrong_answer=_adding(lambda gap, n, events: gap**2 * n / sum(events)),
            cause="The gaps are squared. That is the way of L2.",
            hint="What should come out if every event is off by a tenth?",
        ),
    ),
    hints=(
        "A bin counts as much as it has events.",
        "Its weight is its events out of all events.",
        "`sum(events)` are all of them; the weights add up to 1.",
    ),
    steps=(
        Step("The weight of a bin is its share of all events; the gap stands above already."),
        Step("The two bins of the chapter:", "my_ece_of_bins([0.2, 0.8], [0.2, 0.6], [5, 5])"),
    ),
    insight="Weighted so, the ECE says by how much a promise is off for an event, on average.",
    minutes=2,
    points=1,
)

# The step downhill ----------------------------------------------------------------------------

_OfEvents = Callable[[Sequence[float], Sequence[int], float, float], float]


def _stepping(part: Callable[[float, float, int], float]) -> _OfEvents:
    """Return the slope after a step by the mean of this, made of shortfall, log-odds and label."""

    def of(x: Sequence[float], clicked: Sequence[int], a: float, b: float) -> float:
        total = 0.0
        for z, y in zip(x, clicked, strict=True):
            total += part(y - 1 / (1 + exp(-(a * z + b))), z, y)
        return a + total / len(x)

    return of


def _draw_steps(rng: np.random.Generator) -> tuple[Case, ...]:
    found = []
    for n in (4, 5, 6, 8):
        x = rng.choice(np.arange(-20, 21), n, replace=False) / 10
        clicked = (rng.random(n) < 1 / (1 + np.exp(-x / 2))).astype(int).tolist()
        clicked[0], x[0] = 1, -0.7
        a, b = int(rng.integers(2, 15)) / 10, int(rng.integers(-10, 10)) / 10
        found.append(_events(x.tolist(), clicked, a, b))
    return tuple(found)


def _events(x: list[float], clicked: list[int], a: float, b: float, why: str = "") -> Case:
    return Case({"x": x, "clicked": clicked, "a": a, "b": b}, why)


complete_step = Function(
    id="calibration.complete_step",
    title="A step downhill, with one line missing",
    prompt="""
Complete the line with `...`: what one event adds to the direction of the slope a.

- `x` holds the log-odds of what the model said, `clicked` what happened, and `a` and `b` are the
  slope and the intercept so far.
- `short` is what the probability of an event is short of, `z` its log-odds, `y` what happened.
- The function returns the slope after one step downhill.
""",
    function="my_slope",
    solve=_stepping(lambda short, z, _: short * z),
    template="""
from math import exp

shorts = [y - 1 / (1 + exp(-(a * z + b))) for z, y in zip(x, clicked)]
return a + sum(... for z, y, short in zip(x, clicked, shorts)) / len(x)
""".strip(),
    template_answer="short * z",
    cases=(
        _events([1.4] * 5 + [-1.4] * 5, [1, 1, 1, 0, 0, 1, 0, 0, 0, 0], 1.0, 0.0, "as above"),
        _events([-2.0, -0.5, 0.3, 1.2], [0, 1, 0, 1], 1.0, 0.0),
        _events([-1.5, 0.4, 0.8, 2.5, -0.6], [0, 0, 1, 1, 1], 0.5, -0.3),
    ),
    draw=_draw_steps,
    misconceptions=(
        Misconception(
            id="slope-for-intercept",
            name="intercept for slope",
            wrong_answer=_stepping(lambda short, *_: short),
            cause="By the mean of what the events are short of moves the intercept b.",
            hint="Which number makes an event far from one half count more for the slope?",
        ),
        Misconception(
            id="uphill",
            name="uphill",
            wrong_answer=_stepping(lambda short, z, _: -short * z),
            cause="The sign is turned: the step leads uphill, and the log loss grows.",
            hint="A click was called too low at positive log-odds. Should the slope rise or fall?",
        ),
        Misconception(
            id="label-for-shortfall",
            name="label for shortfall",
            wrong_answer=_stepping(lambda _, z, y: y * z),
            cause="The labels stand where the shortfalls belong. Then the slope grows although "
            "the promises are kept.",
            hint="By how much should the slope move if nothing is short?",
        ),
        Misconception(
            id="without-sign",
            name="without the sign",
            wrong_answer=_stepping(lambda short, z, _: short * abs(z)),
            cause="The log-odds have lost their signs, so low promises pull the wrong way.",
            hint="A low promise was too high. Should the slope rise or fall?",
        ),
        Misconception(
            id="squared",
            name="squared shortfall",
            wrong_answer=_stepping(lambda short, *_: short**2),
            cause="The shortfalls are squared, so that too much and too little look alike.",
            hint="What should an event add whose probability was too high?",
        ),
    ),
    hints=(
        "The text says by what b moves, and by what a moves.",
        "b moves by the mean of what is short; a by the mean of that times something.",
        "`z` are the log-odds of the event.",
    ),
    steps=(
        Step("The slope moves by the mean of what is short, times the log-odds."),
        Step("Two events, of which the lower was clicked:", "my_slope([-1, 1], [1, 0], 1, 0)"),
    ),
    insight="Far from one half a change of the slope moves a probability more, so such an event "
    "counts more for it.",
    minutes=2,
    points=1,
)

# People kept whole ----------------------------------------------------------------------------

_Rows = Sequence[Sequence[float]]
_OfPeople = Callable[[_Rows, Sequence[int], Sequence[int]], float]


def _gap_by(gap: Callable[[_Rows, Sequence[int], int], float]) -> _OfPeople:
    """Return the ECE whose gap of a bin is made so, of everybody's rows and those drawn."""

    def of(excess: _Rows, ratings: Sequence[int], drawn: Sequence[int]) -> float:
        total = sum(abs(gap(excess, drawn, b)) for b in range(len(excess[0])))
        return float(total / sum(ratings[who] for who in drawn))

    return of


def _over_ratings(excess: _Rows, ratings: Sequence[int], drawn: Sequence[int]) -> float:
    shares = [[value / n for value in row] for row, n in zip(excess, ratings, strict=True)]
    return _gap_by(lambda rows, who, b: sum(rows[one][b] for one in who))(shares, ratings, drawn)


def _draw_people(rng: np.random.Generator) -> tuple[Case, ...]:
    found = []
    for n_people, n_bins in ((3, 2), (4, 2), (5, 3)):
        excess = (rng.integers(-30, 31, (n_people, n_bins)) / 10).tolist()
        excess[0], excess[1] = [1.5] * n_bins, [-0.7, *excess[1][1:]]
        ratings = [int(n) for n in rng.integers(3, 30, n_people)]
        drawn = [int(who) for who in rng.integers(0, n_people, n_people - 3)]
        # One twice and another left out, as it goes in a resample.
        found.append(_people(excess, ratings, [1, 0, 0, *drawn]))
    return tuple(found)


def _people(excess: list[list[float]], ratings: list[int], drawn: list[int], why: str = "") -> Case:
    return Case({"excess": excess, "ratings": ratings, "drawn": drawn}, why)


complete_resample = Function(
    id="calibration.complete_resample",
    title="An ECE of resampled people, with one line missing",
    prompt="""
Complete the line with `...`: the gap of one bin, for people that were drawn by lot.

- `excess[who][b]` says by how much the promises to this person in bin b exceed what came, added
  up; `ratings[who]` is how many ratings the person has.
- `drawn` holds the people of one resample. Somebody may be in it twice, and somebody else not at
  all.
""",
    function="my_ece_of_people",
    solve=_gap_by(lambda excess, drawn, b: sum(excess[who][b] for who in drawn)),
    template="""
total = 0.0
for b in range(len(excess[0])):
    gap = ...
    total += abs(gap)
return total / sum(ratings[who] for who in drawn)
""".strip(),
    template_answer="sum(excess[who][b] for who in drawn)",
    cases=(
        _people([[1.5, -0.5], [-0.7, 0.4], [0.4, 2.0]], [10, 4, 6], [1, 0, 0]),
        _people([[2.0, 1.0], [-1.0, -0.5], [0.3, -2.0], [0.8, 0.1]], [8, 9, 5, 3], [0, 1, 1, 3]),
        _people([[1.0], [-3.0]], [5, 5], [0, 0], "one person twice, the other not at all"),
    ),
    draw=_draw_people,
    misconceptions=(
        Misconception(
            id="gap-of-each-person",
            name="gap of each person",
            wrong_answer=_gap_by(
                lambda excess, drawn, b: sum(abs(excess[who][b]) for who in drawn)
            ),
            cause="The sign is taken off person by person. Too high for one and too low for "
            "another make no gap of the bin.",
            hint="Two people in one bin, one a rating above and one a rating below. What is the "
            "gap of the bin?",
        ),
        Misconception(
            id="each-once",
            name="each person once",
            wrong_answer=_gap_by(
                lambda excess, drawn, b: sum(excess[who][b] for who in set(drawn))
            ),
            cause="Whoever was drawn twice counts once here, and below the line twice.",
            hint="What makes one resample differ from another?",
        ),
        Misconception(
            id="everybody",
            name="everybody",
            wrong_answer=_gap_by(lambda excess, _, b: sum(row[b] for row in excess)),
            cause="All people are added up, whoever was drawn. Then nothing varies from resample "
            "to resample but the denominator.",
            hint="Who is in `drawn`?",
        ),
        Misconception(
            id="mean-for-sum",
            name="mean for sum",
            wrong_answer=_gap_by(
                lambda excess, drawn, b: sum(excess[who][b] for who in drawn) / len(drawn)
            ),
            cause="The gap is divided by the people, and the last line divides by their ratings "
            "once more.",
            hint="By what does the last line divide already?",
        ),
        Misconception(
            id="mean-of-each",
            name="mean of each person",
            wrong_answer=_over_ratings,
            cause="The excess is divided by the ratings of each person, and the last line divides "
            "by all ratings once more.",
            hint="By what does the last line divide already?",
        ),
        Misconception(
            id="one-person",
            name="one person for all",
            wrong_answer=_gap_by(lambda excess, drawn, b: excess[drawn[0]][b]),
            cause="That is the row of the first person alone.",
            hint="Whose promises are in the bin?",
        ),
    ),
    hints=(
        "Go through the people who were drawn, not through all of them.",
        "Each brings what stands in `excess[who][b]`, with its sign.",
        "Add these up; who was drawn twice is added twice.",
    ),
    steps=(
        Step("Each time somebody was drawn, their excess in this bin is added, with its sign."),
        Step(
            "The first person twice, and the second:",
            "my_ece_of_people([[1.5, -0.5], [-0.7, 0.4]], [10, 4], [1, 0, 0])",
        ),
    ),
    insight="A person comes with all ratings or with none: what is alike in them stays together.",
    minutes=3,
    points=1,
)
