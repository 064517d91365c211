"""The file: a history of what happened, to which things are only ever added.

It is one JSON document, ``{"version": 2, "history": [event, …]}``, and the book's pages keep and
save the same. Two histories of one learner are merged by the ids of their events, in any order,
and lose nothing. A file of version 1, which held the last state of each exercise, is taken over;
the file as it was stays beside it.
"""

from __future__ import annotations

import codecs
import glob
import json
import secrets
import stat
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from recsys_metrics._core.package_names import DISTRIBUTION
from recsys_metrics.workbook.common.state_file import write_atomically
from recsys_metrics.workbook.exercises.base import format_key

VERSION = 2

# Another kernel holds the file for a few milliseconds, unless it was stopped while it did.
_PATIENCE = 5.0
# A learner's file has some hundred bytes an event; what is larger is none of ours.
_MOST_BYTES = 50_000_000
_MOST_TIMES = 1_000_000
_MOST_WORDS = 20_000

Answer = str | list[str] | dict[str, str]
KINDS = ("check", "hint", "solution", "goal", "guess")


class ProgressWarning(UserWarning):
    """Progress could not be read or written; the check itself is not affected."""


@dataclass(frozen=True)
class Event:
    """One thing that a learner did.

    Attributes
    ----------
    id : str
        No other event has it, on no machine.
    when : str
        In ISO 8601, with the learner's distance from UTC.
    exercise : str
        Id of an exercise, of a recall question of the book, or of an explorable.
    what : {"check", "hint", "solution", "goal", "guess"}
    seed : str or None
        Of the variant.
    content : str
        Hash of what was asked; empty where it is not known.
    outcome : str
        Of a check.
    mistake : str or None
        Id of the likely cause.
    answer : str, list of str or dict of str, optional
        As it was typed or picked.
    number : int
        Of a hint, or of a goal that was found, from 1.
    seconds : float or None
        From the moment the card was shown to the check.
    tries, passes : int
        How often, and on how many days it was passed: more than once only where a file of version
        1 had counted.
    """

    id: str
    when: str
    exercise: str
    what: str = "check"
    seed: str | None = None
    content: str = ""
    outcome: str = ""
    mistake: str | None = None
    answer: Answer | None = None
    number: int = 0
    seconds: float | None = None
    tries: int = 1
    passes: int = 1

    @property
    def key(self) -> str:
        """What it is about: the exercise's id, and the seed of a variant."""
        return format_key(self.exercise, self.seed)

    @property
    def moment(self) -> datetime:
        """When it was."""
        return datetime.fromisoformat(self.when)

    def to_dict(self) -> dict[str, Any]:
        """Return what is written: all that is not as usual."""
        return {
            one.name: value
            for one in fields(self)
            if (value := getattr(self, one.name)) != one.default
        }


_FIELDS = tuple(one.name for one in fields(Event))


def create_event(**known: Any) -> Event:
    """Return an event of this moment; an answer that no file can hold is left out."""
    if not _is_answer(known.get("answer")):
        known["answer"] = None
    known = _clean(known)
    when = datetime.now(UTC).astimezone().isoformat(timespec="milliseconds")
    # Of two events of one millisecond the later one has the larger id.
    return Event(id=f"{time.time_ns():016x}{secrets.token_hex(4)}", when=when, **known)


def append_events(file: Path, events: Iterable[Event]) -> int:
    """Add events that are not there yet, and return how many that were.

    If another program holds the file, the events are written to a file beside it, which every
    reader reads as well and the next who writes takes over: the other program may be asleep, and
    writes what it knows when it wakes. Of a link, as to a folder that is synchronised, the file
    that it points to is written.

    Raises
    ------
    OSError
        If the file cannot be read or written.
    """
    _refuse_device(file)
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    added = list(events)
    try:
        with _file_lock(file):
            return _append(file, added)
    except TimeoutError:
        beside = file.with_name(f"{_beside(file)}{secrets.token_hex(8)}.json")
        write_atomically(beside, format_history(added), mode=0o600)
        return len(added)


def _refuse_device(file: Path) -> None:
    """Raise OSError if a file is a pipe, a device or a folder: no such thing is ever replaced."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(file.stat().st_mode):
            raise OSError(f"{file} is no plain file, so no progress can be kept in it")


def _append(file: Path, events: Sequence[Event]) -> int:
    kept = _read_document(file)
    if kept is None:
        return 0
    told = _drop_unreadable(file, kept["history"])
    known = {raw["id"] for raw in told}
    beside = {each: _read_beside(each) for each in _files_beside(file)}
    from_beside = [event for read in beside.values() for event in read or ()]
    new = {event.id: event for event in [*from_beside, *events] if event.id not in known}
    if new or len(told) != len(kept["history"]):
        _keep_version_1(file)
        kept["history"] = [*told, *(event.to_dict() for event in new.values())]
        write_atomically(file, _encode_document(kept), mode=0o600)
    for each, read in beside.items():
        # What cannot be read stays: somebody may be able to.
        if read is not None:
            each.unlink(missing_ok=True)
    return len(new)


def _beside(file: Path) -> str:
    return f"{file.stem}.waiting-"


def _files_beside(file: Path) -> list[Path]:
    """Return the files of what was added while another program held the file."""
    return sorted(file.parent.glob(f"{glob.escape(_beside(file))}*.json"))


def _read_beside(file: Path) -> list[Event] | None:
    """Return the events of a file; None if it is damaged, or of a newer version."""
    try:
        _refuse_device(file)
        return parse_history(_decode(file.read_bytes()))[0]
    except (OSError, ValueError):
        return None  # taken over by another program in the meantime, or not written by this one


def format_history(events: Iterable[Event]) -> bytes:
    """Return events as a file holds them."""
    return _encode_document({"version": VERSION, "history": [event.to_dict() for event in events]})


def _encode_document(kept: Mapping[str, Any]) -> bytes:
    """Return a document with a line an event, for whoever looks into it."""
    rest = json.dumps({name: held for name, held in kept.items() if name != "history"})
    lines = ",\n".join(json.dumps(event, ensure_ascii=False) for event in kept["history"])
    return f'{rest[:-1]}, "history": [\n{lines}\n]}}\n'.encode(errors="replace")


def read_history(file: Path) -> list[Event]:
    """Return what a file holds, in the order in which it happened.

    Raises
    ------
    OSError
        If the file cannot be read. A damaged one is put aside, with a warning.
    """
    _refuse_device(file)
    file = file.resolve()
    beside = [event for each in _files_beside(file) for event in _read_beside(each) or ()]
    try:
        now = file.stat()
    except FileNotFoundError:
        return sort_events(beside)
    events = _collect_events(file, now.st_ino, now.st_mtime_ns, now.st_size)
    return sort_events([*events, *beside]) if beside else list(events)


# Every card of a chapter asks, and a year's history takes a tenth of a second to read.
@lru_cache(maxsize=2)
def _collect_events(file: Path, *_state: int) -> tuple[Event, ...]:
    kept = _read_document(file)
    return tuple(sort_events(map(parse_event, kept["history"]))) if kept else ()


def sort_events(events: Iterable[Event | None]) -> list[Event]:
    """Return events, each once, in the order in which they happened."""
    told = {event.id: event for event in events if event is not None}
    return sorted(told.values(), key=lambda event: (event.moment, event.id))


def parse_history(text: str) -> tuple[list[Event], int]:
    """Return the events of a saved file, and how many more it has that cannot be read.

    Raises
    ------
    ValueError
        If it is no such file; the message says why.
    """
    kept = _parse_document(text)
    if kept is None:
        raise ValueError("it holds no progress of this workbook")
    if kept["version"] > VERSION:
        raise ValueError(f"it was written by a newer {DISTRIBUTION}")
    told = _upgrade_document(kept)["history"]
    events = sort_events(map(parse_event, told))
    return events, len(told) - len(events)


def parse_event(raw: Any) -> Event | None:
    """Return an event as it was written, or None if it cannot be read."""
    if not isinstance(raw, Mapping):
        return None
    # A newer version may keep more.
    known = {name: raw[name] for name in _FIELDS if name in raw}
    try:
        event = Event(**known)
    except TypeError:  # one that must be there is not
        return None
    if not _is_sound(event):
        return None
    event = replace(event, **_clean(known))
    # A clock that was ahead, or a file that says so, must not settle for ever what is known.
    now = datetime.now(UTC).astimezone()
    if event.moment > now + timedelta(days=1):
        event = replace(event, when=now.isoformat(timespec="milliseconds"))
    return event


def _is_sound(event: Event) -> bool:
    """Whether an event holds what its fields say: anything may stand in a file."""
    words = [event.id, event.when, event.exercise, event.content, event.outcome]
    words += [event.mistake or "", event.seed or ""]
    times = [event.number, event.tries, event.passes]
    seconds = 0.0 if event.seconds is None else event.seconds
    return (
        all(isinstance(word, str) and len(word) <= _MOST_WORDS for word in words)
        and event.what in KINDS
        and all(type(one) is int and 0 <= one <= _MOST_TIMES for one in times)
        and type(seconds) in (int, float)
        and 0 <= seconds < float("inf")
        and _is_answer(event.answer)
        and is_moment(event.when)
    )


def _is_answer(answer: Any) -> bool:
    if isinstance(answer, dict):
        # No deeper, for what is nested without end cannot be read or written.
        words = all(isinstance(one, str) and _is_answer(one) for one in answer)
        return words and not any(
            isinstance(one, dict) or not _is_answer(one) for one in answer.values()
        )
    if isinstance(answer, list):
        return all(isinstance(one, str) and _is_answer(one) for one in answer)
    return answer is None or (isinstance(answer, str) and len(answer) <= _MOST_WORDS)


def _clean(value: Any) -> Any:
    """Return a value with a question mark for each half of a character, which no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_clean(key): _clean(one) for key, one in value.items()}
    return [*map(_clean, value)] if isinstance(value, list) else value


def is_moment(when: Any) -> bool:
    """Whether a text is a time that can be compared with now and have days added."""
    try:
        moment = datetime.fromisoformat(when)
    except (TypeError, ValueError):
        return False
    return moment.tzinfo is not None and 2000 <= moment.year < 9000


def _drop_unreadable(file: Path, told: Sequence[Any]) -> list[Any]:
    """Return what can be read of a history; if the rest is lost by that, keep the file aside."""
    readable = [raw for raw in told if parse_event(raw)]
    if lost := len(told) - len(readable):
        aside = _backup_path(file, "damaged")
        aside.write_bytes(file.read_bytes())
        warnings.warn(
            f"{lost} of {len(told)} entries of {file} cannot be read. The file as it was is kept "
            f"as {aside.name}; the others stay.",
            ProgressWarning,
            stacklevel=4,
        )
    return readable


def _keep_version_1(file: Path) -> None:
    """Keep a file of the first version beside the one that takes its place."""
    with suppress(FileNotFoundError):
        before = file.read_bytes()
        kept = _parse_document(_decode(before))
        if kept and kept["version"] < VERSION:
            _backup_path(file, "version-1").write_bytes(before)


def _backup_path(file: Path, why: str) -> Path:
    """Return a name beside a file for what is kept of it."""
    return file.with_name(f"{file.stem}.{why}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.json")


def _decode(content: bytes) -> str:
    """Return the text of a file; an editor may have saved it with a mark, or in UTF-16."""
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if marked else "utf-8-sig")


def _parse_document(text: str) -> dict[str, Any] | None:
    """Return the document of a text, of whatever version, or None if it is none."""
    try:
        kept = json.loads(text)
        version = kept["version"]
        held = kept["history"] if version == VERSION else kept.get("exercises", {})
        shape = list if version == VERSION else dict
        sound = type(version) is int and version > 0 and isinstance(held, shape)
        sound = sound and (version > 1 or "exercises" in kept)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return dict(kept) if sound else None


def _read_document(file: Path) -> dict[str, Any] | None:
    """Return what a file holds; put it aside if it is damaged; None if it is from the future."""
    empty = {"version": VERSION, "history": []}
    _refuse_device(file)
    try:
        large = file.stat().st_size > _MOST_BYTES
        text = "" if large else _decode(file.read_bytes())
    except FileNotFoundError:
        return empty
    except UnicodeDecodeError:
        text = ""
    kept = _parse_document(text)
    if kept is None:
        aside = _backup_path(file, "damaged")
        file.replace(aside)
        warnings.warn(
            f"The file with your progress, {file}, was damaged. It is kept as {aside.name}; "
            "a new one is begun.",
            ProgressWarning,
            stacklevel=3,
        )
        return empty
    if kept["version"] > VERSION:
        warnings.warn(
            f"{file} was written by a newer {DISTRIBUTION}. Your progress is not noted; "
            "upgrade to go on.",
            ProgressWarning,
            stacklevel=3,
        )
        return None
    return _upgrade_document(kept)


def _upgrade_document(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as one of this version."""
    if kept["version"] == VERSION:
        return dict(kept)
    rest = {name: held for name, held in kept.items() if name not in ("version", "exercises")}
    told = [
        event for key, raw in kept["exercises"].items() for event in _upgrade_exercise(key, raw)
    ]
    return {**rest, "version": VERSION, "history": told}


def _upgrade_exercise(key: str, raw: Any) -> list[Any]:
    """Return the last state of an exercise as the events that it is known to come from.

    Their ids come from what they hold, so that a file that is taken over twice, here and on
    another machine, is one history when both are merged.
    """
    if not isinstance(raw, dict) or not isinstance(raw.get("outcome"), str):
        return [raw]
    exercise, _, seed = key.partition(" ")
    # The pages of the book noted no time (it was now at the latest) and spelled one outcome
    # otherwise.
    when = raw.get("when") or datetime.now(UTC).isoformat(timespec="seconds")
    outcome = raw["outcome"].replace("_", " ")
    event = {
        "id": f"1/{key}/{raw.get('when', '')}/{raw.get('tries', 1)}",
        "when": when,
        "exercise": exercise,
        **({"seed": seed} if seed else {}),
        # What is a mistake now was called so then.
        **({"mistake": raw["misconception"]} if raw.get("misconception") else {}),
        **{name: raw[name] for name in ("content", "answer") if raw.get(name)},
        "outcome": outcome,
        "tries": raw.get("tries", 1),
        "passes": raw.get("passes", 1),
    }
    passed = raw.get("passed", outcome == "PASS")
    if not isinstance(passed, bool):
        return [raw]
    if passed and outcome != "PASS":
        # It was passed at some time before the last try.
        earlier = {**event, "id": f"{event['id']}/passed", "outcome": "PASS", "tries": 0}
        return [earlier, {**event, "id": f"{event['id']}/then"}]
    return [event]


@contextmanager
def _file_lock(file: Path) -> Iterator[None]:
    """Keep other kernels from writing at the same time.

    The system releases the lock when its holder ends, however it ends.

    Raises
    ------
    TimeoutError
        If another program keeps the lock.
    OSError
        If the file of the lock cannot be opened.
    """
    if sys.platform == "emscripten":  # a page has one process
        yield
        return
    from filelock import FileLock, Timeout

    lock = FileLock(f"{file}.lock", timeout=_PATIENCE)
    try:
        lock.acquire()
    except Timeout:
        raise TimeoutError(f"another program holds {lock.lock_file}") from None
    except NotImplementedError as problem:  # a file system that has no locks
        raise OSError(str(problem)) from None
    try:
        yield
    finally:
        lock.release()
