"""What a learner has tried and passed, kept in one file across updates of the workbook.

The file is `progress.json` in the user's data folder. The environment variable
`RECSYS_METRICS_PROGRESS` names another one, or says ``off``. Without it, only checks in a live
notebook are noted: those whose cell was run by somebody who could be asked a question (a program
that runs a notebook, to build the book, to test it or to grade it, says of each cell that there
is nobody to ask), and those from a button of a card.

An entry is keyed by the exercise's id and remembers a hash of what was asked, so that a pass
outlives an update and an exercise that has become another one is offered again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from recsys_metrics._distribution import DISTRIBUTION, USER_FOLDER
from recsys_metrics.workbook.attended import is_attended
from recsys_metrics.workbook.exercises import markup
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.result import Outcome, Result
from recsys_metrics.workbook.record import named_place, write_whole

VARIABLE = "RECSYS_METRICS_PROGRESS"
_VERSION = 1

# A pass is asked for again after so many days, the next one after so many more.
_REVIEW = (2, 7, 21, 60)
# Another kernel holds the file for a few milliseconds; a lock older than this was left behind.
_LEFT_BEHIND = 5.0
_PATIENCE = 15.0
# A learner's file has some hundred bytes an exercise; what is larger is none of ours.
_MOST_BYTES = 50_000_000
_MOST_TIMES = 1_000_000


class ProgressWarning(UserWarning):
    """Progress could not be read or written; the check itself is not affected."""


@dataclass(frozen=True)
class Entry:
    """What is known of one exercise.

    Attributes
    ----------
    content : str
        Hash of what was asked when it was last tried.
    outcome : str
        The last one.
    tries : int
    passes : int
        How often it was passed on different days.
    passed : bool
        Whether it ever was.
    when : str
        Of the last try, in UTC.
    misconception : str or None
        Id of the likely cause of the last try.
    """

    content: str
    outcome: str
    tries: int = 0
    passes: int = 0
    passed: bool = False
    when: str = ""
    misconception: str | None = None

    @property
    def due(self) -> datetime | None:
        """When a pass should be asked for again; None if it was never passed."""
        if not self.passed:
            return None
        days = _REVIEW[min(self.passes, len(_REVIEW)) - 1] if self.passes else _REVIEW[0]
        return datetime.fromisoformat(self.when) + timedelta(days=days)


def path() -> Path | None:
    """Return where progress is kept, or None if it is switched off."""

    def of_the_user() -> Path:
        from platformdirs import user_data_path

        return user_data_path(USER_FOLDER, appauthor=False) / "progress.json"

    return named_place(VARIABLE, of_the_user)


def is_noted_here() -> bool:
    """Whether a check made here and now is a learner's, and is to be noted."""
    if VARIABLE in os.environ:
        return path() is not None
    return is_attended()


def content_of(exercise: Exercise) -> str:
    """Return a hash of what an exercise asks: words, inputs, cases, the call."""
    cases = [markup.hand_over(case.arguments) for case in getattr(exercise, "cases", ())]
    asked = [exercise.statement, exercise.call, markup.hand_over(dict(exercise.facts)), *cases]
    return hashlib.sha256("\0".join(asked).encode()).hexdigest()[:16]


def key_of(exercise: Exercise) -> str:
    """Return what an exercise is kept under: its id, and its seed if it is a variant."""
    return exercise.id if exercise.seed is None else f"{exercise.id} {exercise.seed}"


def note(exercise: Exercise, result: Result) -> None:
    """Note the result of a check, if it is one to be noted; never fail.

    Parameters
    ----------
    exercise : Exercise
    result : Result
    """
    tried = result.outcome is not Outcome.NOT_ATTEMPTED or bool(result.noted)
    if not tried or not is_noted_here():
        return
    file = path()
    if file is None:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with _file_lock(file):
            kept = _read(file)
            if kept is None:
                return
            key = key_of(exercise)
            entries = kept["exercises"] = _readable(file, kept["exercises"])
            entries[key] = {**entries.get(key, {}), **_updated(entries.get(key), exercise, result)}
            _write(file, kept)
    except OSError as problem:
        warnings.warn(
            f"Your progress could not be written to {file}: {problem}. The check is not affected.",
            ProgressWarning,
            stacklevel=2,
        )


def load() -> dict[str, Entry]:
    """Return what is known, by exercise id, or id and seed of a variant.

    Returns
    -------
    dict
        Empty if nothing is known yet. A damaged file is put aside, with a warning.
    """
    file = path()
    if file is None or not file.is_file():
        return {}
    try:
        kept = _read(file) or {}
    except OSError as problem:
        warnings.warn(
            f"Your progress in {file} could not be read: {problem}. Nothing of it was changed.",
            ProgressWarning,
            stacklevel=2,
        )
        return {}
    found = {key: _entry(raw) for key, raw in kept.get("exercises", {}).items()}
    return {key: entry for key, entry in found.items() if entry is not None}


def _entry(raw: Any) -> Entry | None:
    """Return an entry as it was written, or None if it cannot be read."""
    if not isinstance(raw, Mapping):
        return None
    # A newer version may keep more.
    known = {name: raw[name] for name in Entry.__dataclass_fields__ if name in raw}
    try:
        entry = Entry(**known)
    except TypeError:  # one that must be there is not
        return None
    return entry if _is_sound(entry) else None


def _is_sound(entry: Entry) -> bool:
    """Whether an entry holds what its fields say: anything may stand in a file."""
    words = [entry.content, entry.outcome, entry.when, entry.misconception or ""]
    times = [entry.tries, entry.passes]
    return (
        all(isinstance(word, str) for word in words)
        and all(type(one) is int and 0 <= one <= _MOST_TIMES for one in times)
        and isinstance(entry.passed, bool)
        and (_moment(entry.when) is not None or not (entry.passed or entry.when))
    )


def _moment(when: str) -> datetime | None:
    """Return a time that can be compared with now and have days added, or None."""
    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        return None
    return moment if moment.tzinfo and 2000 <= moment.year < 9000 else None


def _readable(file: Path, entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that can be read; if others are lost by that, keep the file aside."""
    readable = {key: dict(raw) for key, raw in entries.items() if _entry(raw) is not None}
    if lost := [key for key in entries if key not in readable]:
        aside = _aside(file)
        aside.write_bytes(file.read_bytes())
        warnings.warn(
            f"{len(lost)} of {len(entries)} entries of {file} cannot be read, the first of "
            f"{lost[0][:40]!r}. The file as it was is kept as {aside.name}; the others stay.",
            ProgressWarning,
            stacklevel=3,
        )
    return readable


def _aside(file: Path) -> Path:
    """Return a name beside a file for what is kept of it."""
    return file.with_name(f"{file.stem}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.json")


def _updated(raw: Any, exercise: Exercise, result: Result) -> dict[str, Any]:
    """Return an entry after one more try."""
    old = _entry(raw) or Entry("", "")
    now = datetime.now(UTC)
    content = content_of(exercise)
    same = old.content == content
    first_today = not (same and old.passed and _day(old.when) == now.date())
    return {
        "content": content,
        "outcome": str(result.outcome),
        "tries": old.tries + 1,
        "passes": (old.passes if same else 0) + (result.passed and first_today),
        "passed": result.passed or (same and old.passed),
        "when": now.isoformat(timespec="seconds"),
        "misconception": result.misconception,
    }


def _day(when: str) -> date | None:
    try:
        return datetime.fromisoformat(when).date()
    except ValueError:
        return None


def _read(file: Path) -> dict[str, Any] | None:
    """Return what a file holds; put it aside if it is damaged; None if it is from the future."""
    try:
        large = file.stat().st_size > _MOST_BYTES
        text = "" if large else file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {"version": _VERSION, "exercises": {}}
    except UnicodeDecodeError:
        text = ""
    try:
        kept = json.loads(text)
        version = kept["version"]
        sound = isinstance(version, int) and version > 0 and isinstance(kept["exercises"], dict)
    except (ValueError, TypeError, KeyError, RecursionError):
        sound = False
    if not sound:
        aside = _aside(file)
        file.replace(aside)
        warnings.warn(
            f"The file with your progress, {file}, was damaged. It is kept as {aside.name}; "
            "a new one is begun.",
            ProgressWarning,
            stacklevel=2,
        )
        return {"version": _VERSION, "exercises": {}}
    if version > _VERSION:
        warnings.warn(
            f"{file} was written by a newer {DISTRIBUTION}. Your progress is not noted; "
            "upgrade to go on.",
            ProgressWarning,
            stacklevel=2,
        )
        return None
    return dict(kept)


def _write(file: Path, kept: Mapping[str, Any]) -> None:
    write_whole(file, json.dumps(kept, ensure_ascii=False, indent=1).encode(), mode=0o600)


@contextmanager
def _file_lock(file: Path) -> Iterator[None]:
    """Keep other kernels from writing at the same time."""
    lock = file.with_name(f"{file.name}.lock")
    latest = time.monotonic() + _PATIENCE
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            with suppress(OSError):
                if time.time() - lock.stat().st_mtime > _LEFT_BEHIND:
                    lock.unlink()
            if time.monotonic() > latest:
                raise TimeoutError(
                    f"another program holds {lock}; remove it if none does"
                ) from None
            time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
