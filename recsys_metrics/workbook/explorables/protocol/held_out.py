"""Events of three users: which are held out, when training ends, and what leaks."""

from __future__ import annotations

from recsys_metrics._core.colors import GREY, ORANGE
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import (
    Split,
    leakage,
    leave_last_n_out,
    leave_last_session_out,
)
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, upright
from recsys_metrics.workbook.charts.protocol import Scale, draw_event, line
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

NAMES = ("Alice", "Bob", "Cem")
EVENTS = {"Alice": (1, 2, 5, 6), "Bob": (3, 4, 9, 10), "Cem": (2, 7, 8, 11, 12)}
"""Days of the events; a pause of more than a day ends a session."""

_LAST_DAY = 12
LOG = Interactions(
    user=[row for row, name in enumerate(NAMES) for _ in EVENTS[name]],
    item=[n for name in NAMES for n, _ in enumerate(EVENTS[name])],
    timestamp=[day for name in NAMES for day in EVENTS[name]],
)


def split_log(state: State) -> Split:
    """Return the split, whose training part ends at the state's day."""
    times, end = LOG.timestamp, state["end"]
    assert times is not None
    if state["split"] == "time":
        return Split(LOG.take(times <= end), LOG.take(times > end))
    whole = leave_last_n_out(LOG)
    if state["split"] == "session":
        whole = leave_last_session_out(LOG, gap=1)
    before = whole.train.timestamp
    assert before is not None
    return Split(whole.train.take(before <= end), whole.test)


def _compute(state: State) -> Numbers:
    train, test = split_log(state)
    leaks = leakage(train, test).later if len(train) and len(test) else 0
    return {
        "train": len(train),
        "test": len(test),
        "users": len(set(test.user.tolist())),
        "leaks": float(leaks or 0),
    }


_SPLITS = {"event": "last event", "session": "last session", "time": "after that day"}
_X = Scale(1, _LAST_DAY, 92, 456)
_ROWS = [20 + 34 * row for row in range(len(NAMES))]
_FLOOR = _ROWS[-1] + 30


def _draw(state: State, numbers: Numbers) -> Picture:
    train, test = split_log(state)
    parts = [
        part
        for y, name in zip(_ROWS, NAMES, strict=True)
        for part in (
            svg.text(0, y + 6, name),
            line(_X.start - 12, y, _X.end + 12, y, colour=GREY),
        )
    ]
    # No two events of a user are on one day.
    known, tested = {*_events(train)}, {*_events(test)}
    first = min((day for _, day in _events(test)), default=_LAST_DAY + 1)
    for event in _events(LOG):
        row, day = event
        leaks = event in known and day > first
        mark = draw_event(0, 0, tested=event in tested, leaks=leaks)
        used = event in known | tested
        parts.append(group([mark], x=_X(day), y=_ROWS[row], opacity=1 if used else 0.2))
    stops = [_X(day) + 14 for day in range(1, _LAST_DAY + 1)]
    x = stops[state["end"] - 1]
    parts.append(
        handles.drag(
            *("end", stops, (x, _FLOOR + handles.TALL / 2)),
            along="x",
            parts=[upright(x, 2, _FLOOR, ORANGE)],
            words=f"day {state['end']}",
            wide=110,
        )
    )
    below = _FLOOR + handles.TALL + 22
    for left, words, is_test, leaks in (
        (10, "training", False, False),
        (122, "test", True, False),
        (200, "training after a test event", False, True),
    ):
        parts.append(draw_event(left, below, tested=is_test, leaks=leaks))
        parts.append(svg.text(left + 15, below + 6, words))
    held = handles.button(
        "split", _SPLITS[state["split"]], (0, below + 20, 230, 30), name="held out:"
    )
    title = (
        f"{numbers['train']:g} training events, {numbers['test']:g} test events of "
        f"{numbers['users']:g} users: {numbers['leaks']:g} leaks"
    )
    return board(title, below + 56, [*parts, held], _alt(state, numbers))


def _events(part: Interactions) -> list[tuple[int, int]]:
    times = part.timestamp
    assert times is not None
    return list(zip(part.user.tolist(), times.tolist(), strict=True))


def _alt(state: State, numbers: Numbers) -> str:
    return (
        f"Events of three users over twelve days. {numbers['train']:g} events until day "
        f"{state['end']} are for training and {numbers['test']:g} events of {numbers['users']:g} "
        f"users are held out; {numbers['leaks']:g} training events are later than a test event."
    )


held_out = Explorable(
    id="protocol.held_out",
    question="Which events may be used for training?",
    goals=(
        Goal(
            "Last event: train on no event that is later than a test event.",
            lambda s, n: s["split"] == "event" and n["leaks"] == 0 and n["train"] > 0,
            "Training has to end with the earliest test event, and most events are not used.",
        ),
        Goal(
            "After a day: test all three users, with 6 training events or more.",
            lambda s, n: s["split"] == "time" and n["users"] == 3 and n["train"] >= 6,
            "With one cut-off time no training event is later than a test event.",
        ),
    ),
    guess=Guess(
        "Training ends on day 6 instead of day 12. The number of leaks will …",
        {"end": 6},
        "leaks",
        "The earliest test event is on day 6, and no training event is later.",
    ),
    controls=(
        Control(
            "end",
            "Last day of training",
            {day: str(day) for day in range(1, _LAST_DAY + 1)},
            _LAST_DAY,
            "slider",
        ),
        Control("split", "Held out", _SPLITS, "event", "press"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "train": Quantity("Training events", high=13, places=0),
        "test": Quantity("Test events", high=13, places=0),
        "users": Quantity("Tested users", high=3, places=0),
        "leaks": Quantity("Leaks", high=13, places=0),
    },
    in_picture=("train", "test", "users", "leaks"),
)
