"""Where a learner stands: each chapter's exercises, what to review, and what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from recsys_metrics.workbook.exercises import PARTS, REGISTRY, Exercise
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.progress import (
    Event,
    ExerciseProgress,
    schedule_question_reviews,
    schedule_reviews,
    summarize_history,
)

if TYPE_CHECKING:
    from recsys_metrics.workbook.progress._reviews import Review

_CHAPTERS = {
    "00": "00 Three questions",
    "01": "01 Rating",
    "02": "02 Ranking",
    "03": "03 Beyond accuracy",
    "04": "04 Protocol",
    "05": "05 Calibration",
    "06": "06 Bias",
    "07": "07 Choosing",
    "08": "08 Judges",
}
_NEXT = 5
_UNTRIED = "·"
# In the order in which they are read.
_READ = {exercise.id: exercise for held in PARTS.values() for exercise in held}


def render_overview(events: Sequence[Event], *, now: datetime | None = None) -> str:
    """Return where a learner stands, as text.

    Parameters
    ----------
    events : sequence of Event
        What `progress.history` returns.
    now : datetime, optional
        The moment to judge by what is due; this one by default.

    Returns
    -------
    str
    """
    known = summarize_history(events)
    width = max(map(len, _CHAPTERS.values()))
    rows = [f"{'Chapter':{width}}  passed  points  marks"]
    for number, title in _CHAPTERS.items():
        held = [exercise for part, of in PARTS.items() if part[:2] == number for exercise in of]
        rows.append(_row(title, width, held, known))
    rows += ["", "✓ passed  ✗ not yet  ! error  * changed since it was passed  · not attempted"]
    asked = list(suggest_exercises(events, now=now or datetime.now().astimezone()))
    if asked:
        rows += ["", "Next:"]
        rows += [f"  {key}  {why}" for key, why in asked[:_NEXT]]
    if often := find_common_mistakes(events):
        rows += ["", "Made most often:"]
        rows += [f"  {one.name}: {one.times} times, last in {one.exercise}" for one in often]
    return "\n".join(rows)


def suggest_exercises(events: Sequence[Event], *, now: datetime) -> Iterator[tuple[str, str]]:
    """Yield ids of exercises that are worth a look, the most urgent first, and why.

    What went wrong last comes before what has changed, that before what is due to be asked again,
    the longest due first, and that before the next one in reading order after the last that was
    tried.
    """
    known = summarize_history(events)
    for key, exercise in _READ.items():
        entry = known.get(key)
        if entry and not entry.passed:
            yield key, f"{exercise.title}: {_why(exercise, entry)}"
    for key, exercise in _READ.items():
        entry = known.get(key)
        if entry and entry.passed and not entry.matches(exercise):
            yield key, f"{exercise.title}: it has changed since you passed it"
    today = now.date()
    for review in list_due_reviews(events, now=now):
        days = (today - review.last).days
        yield (
            review.exercise,
            f"{REGISTRY[review.exercise].title}: last tried {days} days ago; "
            f'try `.variant("{review.seed}")`',
        )
    if untried := find_next_untried(events):
        yield untried, f"{_READ[untried].title}: not attempted yet"


def list_due_reviews(events: Sequence[Event], *, now: datetime) -> list[Review]:
    """Return the reviews that are due, the longest due first.

    What went wrong at its last variant but was passed before is among them; what was never passed,
    or asks something else since, is not.

    Parameters
    ----------
    events : sequence of Event
    now : datetime
        The moment to judge by.
    """
    known = summarize_history(events)
    waiting = [
        review
        for key, review in schedule_reviews(events).items()
        if review.due <= now.date() and key in known and known[key].passed
        if known[key].matches(REGISTRY[key])
    ]
    return sorted(waiting, key=lambda review: (review.due, review.exercise))


def count_due_questions(
    events: Sequence[Event], asked: Mapping[str, Sequence[str]], *, now: datetime
) -> dict[str, int]:
    """Return how many recall questions of each part are due, in the order of the parts.

    Parameters
    ----------
    events : sequence of Event
    asked : mapping of str to sequence of str
        Of each part the ids of its questions.
    now : datetime
        The moment to judge by.
    """
    planned = schedule_question_reviews(events, {one for ids in asked.values() for one in ids})
    due = {one for one, review in planned.items() if review.due <= now.date()}
    counts = {part: sum(one in due for one in ids) for part, ids in asked.items()}
    return {part: count for part, count in counts.items() if count}


def find_next_untried(events: Sequence[Event]) -> str | None:
    """Return the id of the next exercise in reading order after the last one that was tried."""
    known = summarize_history(events)
    order = list(_READ)
    tried = [event.exercise for event in events if event.exercise in _READ]
    at = order.index(tried[-1]) + 1 if tried else 0
    return next((key for key in [*order[at:], *order[:at]] if key not in known), None)


@dataclass(frozen=True)
class RepeatedMistake:
    """A mistake that came back.

    Attributes
    ----------
    name : str
        As the checker calls it.
    times : int
    exercise : str
        Id of the last one that it was made in.
    """

    name: str
    times: int
    exercise: str


def find_common_mistakes(events: Sequence[Event]) -> list[RepeatedMistake]:
    """Return the three mistakes that were made most often, of those made more than once."""
    last = {name: event.exercise for event in events if (name := _name(event))}
    counts = Counter(name for event in events if (name := _name(event)))
    return [RepeatedMistake(name, n, last[name]) for name, n in counts.most_common(3) if n > 1]


def _name(event: Event) -> str | None:
    """Return what a mistake is called; a file of another version may have ids unknown here."""
    if event.exercise not in REGISTRY:
        return None
    names = {m.id: m.name for m in REGISTRY[event.exercise].mistakes}
    return names.get(event.mistake or "")


def _row(
    title: str, width: int, exercises: Sequence[Exercise], known: Mapping[str, ExerciseProgress]
) -> str:
    passed = [e for e in exercises if e.id in known and known[e.id].passed]
    points = sum(exercise.points for exercise in passed)
    marks = "".join(_mark(exercise, known.get(exercise.id)) for exercise in exercises)
    count = f"{len(passed)}/{len(exercises)}"
    score = f"{points}/{sum(exercise.points for exercise in exercises)}"
    return f"{title:{width}}  {count:>6}  {score:>6}  {marks}"


def _mark(exercise: Exercise, entry: ExerciseProgress | None) -> str:
    if entry is None:
        return _UNTRIED
    if entry.passed:
        return Outcome.PASS.symbol if entry.matches(exercise) else "*"
    return Outcome.ERROR.symbol if entry.outcome == Outcome.ERROR else Outcome.WRONG.symbol


def _why(exercise: Exercise, entry: ExerciseProgress) -> str:
    names = {m.id: m.name for m in exercise.mistakes}
    tries = f"{entry.tries} {'try' if entry.tries == 1 else 'tries'}"
    pitfall = names.get(entry.mistake or "")
    return f"{pitfall}, {tries}" if pitfall else f"not yet, {tries}"
