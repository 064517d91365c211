"""Where a learner stands: each chapter's exercises, and what to review next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from recsys_metrics.workbook.exercises import REGISTRY, SUBJECTS, Exercise
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.progress import Entry, content_of

_CHAPTERS = {
    "rating": "01 Rating",
    "ranking": "02 Ranking",
    "beyond_accuracy": "03 Beyond accuracy",
    "protocol": "04 Protocol",
    "calibration": "05 Calibration",
    "bias": "06 Bias",
    "choosing": "07 Choosing",
}
_NEXT = 5
_UNTRIED = "·"


def overview(known: Mapping[str, Entry], *, now: datetime | None = None) -> str:
    """Return where a learner stands, as text.

    Parameters
    ----------
    known : mapping
        What `progress.load` returns.
    now : datetime, optional
        The moment to judge by what is due; this one by default.

    Returns
    -------
    str
    """
    width = max(map(len, _CHAPTERS.values()))
    rows = [f"{'Chapter':{width}}  passed  points  marks"]
    for subject, exercises in SUBJECTS.items():
        if exercises:
            rows.append(_row(_CHAPTERS[subject], width, exercises, known))
    rows += ["", "✓ passed  ✗ not yet  ! error  * changed since it was passed  · not attempted"]
    due = list(review(known, now=now or datetime.now(UTC)))
    if due:
        rows += ["", "Next:"]
        rows += [f"  {key}  {why}" for key, why in due[:_NEXT]]
    return "\n".join(rows)


def review(known: Mapping[str, Entry], *, now: datetime) -> Iterator[tuple[str, str]]:
    """Yield ids of exercises that are worth a look, the most urgent first, and why.

    What went wrong last comes before what has changed, that before what was passed long enough
    ago to be forgotten, and that before the first one that was never tried.
    """
    for key, exercise in REGISTRY.items():
        entry = known.get(key)
        if entry and not entry.passed:
            yield key, f"{exercise.title}: {_why(exercise, entry)}"
    for key, exercise in REGISTRY.items():
        entry = known.get(key)
        if entry and entry.passed and _is_changed(exercise, entry):
            yield key, f"{exercise.title}: it has changed since you passed it"
    late = [
        (entry.due, key)
        for key, entry in known.items()
        if key in REGISTRY
        and entry.due is not None
        and entry.due <= now
        and not _is_changed(REGISTRY[key], entry)
    ]
    for _, key in sorted(late):
        days = (now - datetime.fromisoformat(known[key].when)).days
        yield (
            key,
            f'{REGISTRY[key].title}: passed {days} days ago; try `.variant("{days}")`',
        )
    untried = [exercise for key, exercise in REGISTRY.items() if key not in known]
    if untried:
        yield untried[0].id, f"{untried[0].title}: not attempted yet"


def _row(
    title: str, width: int, exercises: tuple[Exercise, ...], known: Mapping[str, Entry]
) -> str:
    passed = [e for e in exercises if e.id in known and known[e.id].passed]
    points = sum(exercise.points for exercise in passed)
    marks = "".join(_mark(exercise, known.get(exercise.id)) for exercise in exercises)
    count = f"{len(passed)}/{len(exercises)}"
    score = f"{points}/{sum(exercise.points for exercise in exercises)}"
    return f"{title:{width}}  {count:>6}  {score:>6}  {marks}"


def _mark(exercise: Exercise, entry: Entry | None) -> str:
    if entry is None:
        return _UNTRIED
    if entry.passed:
        return "*" if _is_changed(exercise, entry) else Outcome.PASS.symbol
    return Outcome.ERROR.symbol if entry.outcome == Outcome.ERROR else Outcome.WRONG.symbol


def _is_changed(exercise: Exercise, entry: Entry) -> bool:
    return entry.content != content_of(exercise)


def _why(exercise: Exercise, entry: Entry) -> str:
    names = {m.id: m.name for m in exercise.misconceptions}
    tries = f"{entry.tries} {'try' if entry.tries == 1 else 'tries'}"
    pitfall = names.get(entry.misconception or "")
    return f"{pitfall}, {tries}" if pitfall else f"not yet, {tries}"
