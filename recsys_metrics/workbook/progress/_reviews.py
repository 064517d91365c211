"""When each exercise is worth asking again, by FSRS from the history of tries.

A review is a day on which an exercise was tried; its first variant that day is what counts. It
is graded *again* if nothing was right that day or the solution was opened first, *hard* if it came
right after a wrong try or with a hint, *good* if at the first try without one, and *easy* if that
was also quick for this learner. Memory is modelled by days: each review stands at noon, so that
the hour of a try changes nothing. The state is worked out from the history each time; an event
that arrives late, from another machine, finds its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from statistics import quantiles
from typing import TYPE_CHECKING

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.progress._record import Event

if TYPE_CHECKING:
    from fsrs import Card, Rating, Scheduler

# Quick is the fastest quarter of a learner's own answers, once there are as many as this; what
# takes longer than this many seconds is not quick for anybody.
_ENOUGH = 8
_SLOWEST_QUICK = 120.0


@dataclass(frozen=True)
class Review:
    """When an exercise is worth asking again.

    Attributes
    ----------
    exercise : str
        Its id.
    last : date
        The day of the last review.
    due : date
    reviews : int
        On how many days it was tried.
    seed : str
        Of a variant that has not been tried yet.
    """

    exercise: str
    last: date
    due: date
    reviews: int
    seed: str

    @property
    def interval(self) -> int:
        """Days from the last review to the next."""
        return (self.due - self.last).days


def is_reviewed(exercise: Exercise) -> bool:
    """Whether an exercise is asked again: a variant must have another answer than the last.

    Guesses have no points, a text is marked by the learner, and where the answer is the same for
    all variants it is recalled and not worked out.
    """
    marked = any(asked.name == "marks" for asked in exercise.fields)
    return bool(exercise.points) and not exercise.same_for_all and not marked


def reviews(events: Sequence[Event]) -> dict[str, Review]:
    """Return when each exercise that was ever passed is due, by its id.

    Parameters
    ----------
    events : sequence of Event
        In the order in which they happened. Variants count for their exercise.
    """
    from fsrs import Scheduler

    # Days are the unit, so there are no steps of minutes; and equal histories give equal days.
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    quick = _quick(events)
    days: dict[str, dict[date, list[Event]]] = defaultdict(lambda: defaultdict(list))
    for event in events:
        if event.exercise in REGISTRY and is_reviewed(REGISTRY[event.exercise]):
            days[event.exercise][event.moment.date()].append(event)
    found = {}
    for exercise, by_day in days.items():
        review = _review(exercise, by_day, quick, scheduler)
        if review is not None:
            found[exercise] = review
    return found


def _review(
    exercise: str, by_day: dict[date, list[Event]], quick: float, scheduler: Scheduler
) -> Review | None:
    from fsrs import Card

    card: Card | None = None
    last, count, seeds = date.min, 0, set()
    for day, events in sorted(by_day.items()):
        seeds |= {event.seed for event in events}
        grade = _grade(events, quick)
        if grade is None or (card is None and not _is_passed(events)):
            continue  # what was never right is not forgotten, it is still to be learnt
        noon = datetime.combine(day, time(12), UTC)
        card, _ = scheduler.review_card(card or Card(card_id=1), grade, noon)
        last, count = day, count + 1
    if card is None:
        return None
    fresh = next(str(n) for n in range(1, len(seeds) + 2) if str(n) not in seeds)
    # A lapse is asked again on the next day at the earliest.
    due = max(card.due.date(), last + timedelta(days=1))
    return Review(exercise, last, due, count, fresh)


def _is_passed(events: Iterable[Event]) -> bool:
    return any(event.what == "check" and event.outcome == Outcome.PASS for event in events)


def _grade(events: Sequence[Event], quick: float) -> Rating | None:
    """Return how well an exercise was known on a day, or None if it was not tried."""
    from fsrs import Rating

    checks = [event for event in events if event.what == "check"]
    if not checks:
        return None
    first = [event for event in events if event.key == checks[0].key]
    helped = wrong = False
    for event in first:
        if event.what == "solution":
            return Rating.Again
        helped |= event.what == "hint"
        if event.what != "check":
            continue
        if event.outcome == Outcome.PASS:
            if helped or wrong or event.tries > 1:
                return Rating.Hard
            is_quick = event.seconds is not None and event.seconds <= quick
            return Rating.Easy if is_quick else Rating.Good
        wrong = True
    return Rating.Again


def _quick(events: Iterable[Event]) -> float:
    """Return up to how many seconds an answer is quick for this learner."""
    taken = [
        event.seconds
        for event in events
        if event.seconds is not None and event.outcome == Outcome.PASS
    ]
    return min(quantiles(taken, n=4)[0], _SLOWEST_QUICK) if len(taken) >= _ENOUGH else -1.0
