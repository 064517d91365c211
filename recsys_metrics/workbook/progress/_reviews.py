"""When exercises and recall questions are worth asking again, by FSRS from the history of tries.

A review is a day on which an exercise was tried; its first variant that day is what counts. It
is graded *again* if nothing was right that day or the solution was opened first, *hard* if it came
right after a wrong try or with a hint, *good* if at the first try without one, and *easy* if that
was also quick for this learner. A recall question has no variants: the reader's mark of the day
grades it. Memory is modelled by days: each review stands at noon, so that
the hour of a try changes nothing. The state is worked out from the history each time; an event
that arrives late, from another machine, finds its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from statistics import quantiles
from typing import TYPE_CHECKING

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.progress._record import Event

if TYPE_CHECKING:
    from fsrs import Rating, Scheduler

# Quick is the fastest quarter of a learner's own answers, once there are as many as this; what
# takes longer than this many seconds is not quick for anybody.
ENOUGH = 8
SLOWEST_QUICK = 120.0
# A mark within this time after the first one says what that one should have said.
CORRECTED = timedelta(minutes=1)


@dataclass(frozen=True)
class Review:
    """When an exercise or a recall question is worth asking again.

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
        Of a variant that has not been tried yet; a recall question has none.
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


def schedule_reviews(events: Sequence[Event]) -> dict[str, Review]:
    """Return when each exercise that was ever passed is due, by its id.

    Parameters
    ----------
    events : sequence of Event
        In the order in which they happened. Variants count for their exercise.
    """
    scheduler = _scheduler()
    quick = _quick_seconds(events)
    days = _group_by_day(
        event
        for event in events
        if event.exercise in REGISTRY and REGISTRY[event.exercise].has_variants
    )
    found = {}
    for exercise, by_day in days.items():
        review = _review(exercise, by_day, quick, scheduler)
        if review is not None:
            found[exercise] = review
    return found


def schedule_question_reviews(
    events: Sequence[Event], questions: Collection[str]
) -> dict[str, Review]:
    """Return when each recall question that was ever marked is due, by its id.

    Parameters
    ----------
    events : sequence of Event
        In the order in which they happened.
    questions : collection of str
        Ids of the questions as they are asked today.
    """
    scheduler = _scheduler()
    days = _group_by_day(
        event for event in events if event.exercise in questions and event.outcome is not None
    )
    return {
        question: _schedule_next(
            question,
            [(day, _grade_question(marks)) for day, marks in sorted(by_day.items())],
            scheduler,
        )
        for question, by_day in days.items()
    }


def _group_by_day(events: Iterable[Event]) -> dict[str, dict[date, list[Event]]]:
    days: dict[str, dict[date, list[Event]]] = defaultdict(lambda: defaultdict(list))
    for event in events:
        days[event.exercise][event.moment.date()].append(event)
    return days


def _grade_question(marks: Sequence[Event]) -> Rating:
    """Return how well a question was known on a day: by the first mark, or what corrected it."""
    from fsrs import Rating

    corrected = [one for one in marks if one.moment - marks[0].moment <= CORRECTED]
    grades = {"PASS": Rating.Good, "PART": Rating.Hard}
    return grades.get(str(corrected[-1].outcome), Rating.Again)


def _scheduler() -> Scheduler:
    from fsrs import Scheduler

    # Days are the unit, so there are no steps of minutes; and equal histories give equal days.
    return Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


def _review(
    exercise: str, by_day: dict[date, list[Event]], quick: float, scheduler: Scheduler
) -> Review | None:
    graded: list[tuple[date, Rating]] = []
    seeds = set()
    for day, events in sorted(by_day.items()):
        seeds |= {event.seed for event in events}
        grade = _grade(events, quick)
        # What was never right is not forgotten, it is still to be learnt.
        if grade is not None and (graded or _is_passed(events)):
            graded.append((day, grade))
    if not graded:
        return None
    fresh = next(str(n) for n in range(1, len(seeds) + 2) if str(n) not in seeds)
    return replace(_schedule_next(exercise, graded, scheduler), seed=fresh)


def _schedule_next(key: str, graded: Sequence[tuple[date, Rating]], scheduler: Scheduler) -> Review:
    """Return when what was known so well on these days is due."""
    from fsrs import Card

    card = Card(card_id=1)
    for day, grade in graded:
        card, _ = scheduler.review_card(card, grade, datetime.combine(day, time(12), UTC))
    last = graded[-1][0]
    # A lapse is asked again on the next day at the earliest.
    due = max(card.due.date(), last + timedelta(days=1))
    return Review(key, last, due, len(graded), "")


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


def _quick_seconds(events: Iterable[Event]) -> float:
    """Return up to how many seconds an answer is quick for this learner."""
    taken = [
        event.seconds
        for event in events
        if event.seconds is not None and event.outcome == Outcome.PASS
    ]
    return min(quantiles(taken, n=4)[0], SLOWEST_QUICK) if len(taken) >= ENOUGH else -1.0
