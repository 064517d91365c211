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
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.exercises import markup
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.result import Outcome, Result

VARIABLE = "RECSYS_METRICS_PROGRESS"
_VERSION = 1
_OFF = {"off", "0", "no", "none"}

# A pass is asked for again after so many days, the next one after so many more.
_REVIEW = (2, 7, 21, 60)
# Another kernel holds the file for a few milliseconds; a lock older than this was left behind.
_LEFT_BEHIND = 5.0


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
    named = os.environ.get(VARIABLE)
    if named is not None:
        return None if named.strip().lower() in {"", *_OFF} else Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("recsys-metrics", appauthor=False) / "progress.json"


def is_noted_here() -> bool:
    """Whether a check made here and now is a learner's, and is to be noted."""
    if VARIABLE in os.environ:
        return path() is not None
    # Only a kernel has one; nothing is imported to find out.
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None
    get_parent = getattr(shell, "get_parent", None)
    if get_parent is None:
        return False
    try:
        request = get_parent() or {}
        kind = request.get("header", {}).get("msg_type", "")
        return kind == "comm_msg" or bool(request.get("content", {}).get("allow_stdin"))
    except Exception:
        return False  # a kernel of another make: better nothing than somebody else's file


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
        with _alone(file):
            kept = _read(file)
            if kept is None:
                return
            key = key_of(exercise)
            entries = kept.setdefault("exercises", {})
            entries[key] = {**_more(entries.get(key)), **_after(entries.get(key), exercise, result)}
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
    kept = _read(file) or {}
    found = {key: _entry(raw) for key, raw in kept.get("exercises", {}).items()}
    return {key: entry for key, entry in found.items() if entry is not None}


def _entry(raw: Any) -> Entry | None:
    """Return an entry as it was written, or None if it cannot be read."""
    # A newer version may keep more.
    try:
        entry = Entry(**{name: raw[name] for name in Entry.__dataclass_fields__ if name in raw})
        _ = entry.due, entry.tries + entry.passes + 1
    except (TypeError, ValueError, AttributeError):
        return None
    return entry


def _more(raw: Any) -> dict[str, Any]:
    """Return what an entry holds, that of a newer version included."""
    return dict(raw) if isinstance(raw, Mapping) else {}


def _after(raw: Any, exercise: Exercise, result: Result) -> dict[str, Any]:
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
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {"version": _VERSION, "exercises": {}}
    except UnicodeDecodeError:
        text = ""
    try:
        kept = json.loads(text)
        version = kept["version"]
        sound = isinstance(version, int) and isinstance(kept["exercises"], dict)
    except (ValueError, TypeError, KeyError):
        sound = False
    if not sound:
        aside = file.with_name(f"{file.stem}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.json")
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
            f"{file} was written by a newer recsys-metrics. Your progress is not noted; "
            "upgrade to go on.",
            ProgressWarning,
            stacklevel=2,
        )
        return None
    return dict(kept)


def _write(file: Path, kept: Mapping[str, Any]) -> None:
    """Write a file so that at every moment it is either the old one or the new one."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.name, suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as new:
            json.dump(kept, new, ensure_ascii=False, indent=1)
            new.flush()
            os.fsync(new.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Keep other kernels from writing at the same time."""
    lock = file.with_name(f"{file.name}.lock")
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            with suppress(OSError):
                if time.time() - lock.stat().st_mtime > _LEFT_BEHIND:
                    lock.unlink()
            time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
