"""The file: a history of what happened, to which things are only ever added.

It is one JSON document, ``{"version": 2, "history": [event, …]}``, and the book's pages keep and
save the same. Two histories of one learner are merged by the ids of their events, in any order,
and lose nothing. Their order is that of a hybrid logical clock (Kulkarni et al., 2014), because the
learner's clock alone may be wrong. A file of version 1, which held the last state of each exercise,
is taken over; the file as it was stays beside it.
"""

from __future__ import annotations

import codecs
import errno
import glob
import itertools
import json
import re
import secrets
import stat
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any

from recsys_metrics._core.inputs.compression import find_compression
from recsys_metrics._core.package_names import DISTRIBUTION
from recsys_metrics.workbook.common.state_file import is_draft, make_folder_of, write_atomically
from recsys_metrics.workbook.exercises.base import format_key

VERSION = 2

# Another kernel holds the file for a few milliseconds, unless it was stopped while it did.
_PATIENCE = 5.0
# A learner's file has some hundred bytes an event; what is larger is none of ours.
_MOST_BYTES = 50_000_000
_MOST_TIMES = 1_000_000
MOST_CHARACTERS = 20_000
_MOST_PARTS = 200
_MOST_SECONDS = 10**9
_MOST_DEEP = 100
# The book's pages take the same: the table tests/workbook/moments.json is run in both.
_MOMENT = re.compile(
    r"[1-8]\d{3}-\d\d-\d\dT([01]\d|2[0-3]):\d\d(:\d\d(\.\d{1,9})?)?"
    r"([+-]([01]\d|2[0-3]):[0-5]\d|Z)",
    re.ASCII,
)

# A clock may show any year; what is noted is a moment that every reader takes.
_FIRST, _LAST = datetime(1001, 1, 1, tzinfo=UTC), datetime(8999, 12, 30, tzinfo=UTC)
_STEP = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Far beyond the last moment, so that events can be noted after one of that moment.
_LAST_CLOCK = 10**15

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
    written : str
        What the file has instead of `when`, if that has not come yet; else empty.
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
    clock : int
        Hybrid logical clock, in milliseconds since 1970: not before the learner's clock, and after
        every event that was known when this one was noted. 0 where a file does not say it.
    unsaved : bool
        Whether an answer was given that is too long for any file.
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
    clock: int = 0
    unsaved: bool = False
    written: str = field(default="", compare=False, repr=False)

    @property
    def key(self) -> str:
        """What it is about: the exercise's id, and the seed of a variant."""
        return format_key(self.exercise, self.seed)

    @property
    def moment(self) -> datetime:
        """When it was."""
        return datetime.fromisoformat(self.when)

    @property
    def position(self) -> tuple[int, bytes]:
        """Its place among all events; `inOrder` of the book's pages has the same rule."""
        # A page compares texts by their units of UTF-16.
        return self.clock or _to_milliseconds(self.moment), self.id.encode("utf-16-be")

    def to_dict(self) -> dict[str, Any]:
        """Return what is written: all that is not as usual."""
        told = {
            name: value
            for name, usual in _FIELDS.items()
            if (value := getattr(self, name)) != usual
        }
        return {**told, "when": self.written or self.when}


_FIELDS = {one.name: one.default for one in fields(Event) if one.name != "written"}


_heard: ContextVar[list[str] | None] = ContextVar("heard", default=None)


def warn(message: str, *, stacklevel: int) -> None:
    """Warn the learner, and tell whoever listens; a card shows no warning of Python."""
    warnings.warn(message, ProgressWarning, stacklevel=stacklevel)
    if (heard := _heard.get()) is not None:
        heard.append(message)


@contextmanager
def listen_to_warnings() -> Iterator[list[str]]:
    """Collect what learners are warned of."""
    heard: list[str] = []
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)


def create_event(after: Iterable[Event] = (), **known: Any) -> Event:
    """Return an event of this moment, which comes after all that are known.

    An answer that no file can hold is left out, and the event says so.
    """
    if not _is_answer(known.get("answer")):
        known |= {"answer": None, "unsaved": True}
    known = _clean(known)
    now = _now()
    latest = max((event.position[0] for event in after), default=0)
    return Event(
        # Of two events of one millisecond the later one has the larger id.
        id=f"{max(time.time_ns(), 0):016x}{secrets.token_hex(4)}",
        when=now.isoformat(timespec="milliseconds"),
        clock=min(max(_to_milliseconds(now), latest + 1), _LAST_CLOCK),
        **known,
    )


def _to_milliseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _STEP


def _now() -> datetime:
    """Return this moment with the learner's distance from UTC, whatever the clock shows."""
    try:
        now = min(max(datetime.now(UTC), _FIRST), _LAST)
    except (OverflowError, ValueError, OSError):  # the clock is past the year 9999
        now = _LAST
    try:
        local = now.astimezone()
    except (OverflowError, ValueError, OSError):  # the system knows no time zones of such years
        return now
    # Before zones were made, clocks showed the sun's time, and no reader takes seconds of distance.
    minutes = round((local.utcoffset() or timedelta()).total_seconds() / 60)
    return now.astimezone(timezone(timedelta(minutes=minutes)))


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
    make_folder_of(file)
    # A seed may be as long as a learner likes, and what no reader takes would be damage later.
    added = [event for event in events if is_sound(event)]
    try:
        with _file_lock(file):
            return _append(file, added)
    except TimeoutError:
        beside = _waiting_file(file, secrets.token_hex(8))
        write_atomically(beside, format_history(added), mode=0o600)
        return len(added)


def _refuse_device(file: Path) -> None:
    """Raise OSError if a file is a pipe, a device or a folder: no such thing is ever replaced."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(file.stat().st_mode):
            raise OSError(f"{file} is no plain file, so no progress can be kept in it")


def read_saved_file(file: Path) -> tuple[list[Event], int]:
    """Return the events of a file that a learner names, and how many more cannot be read.

    A clock beyond the last moment becomes that moment, so that what is noted next comes after it.

    Raises
    ------
    ValueError
        If it is no such file; the message says why.
    OSError
        If it cannot be read, as a pipe, which would be waited for, or a device without an end.
    """
    _refuse_device(file)
    if file.stat().st_size > _MOST_BYTES:
        raise ValueError(f"it is larger than {_MOST_BYTES // 10**6} MB")
    content = file.read_bytes()
    if packed := find_compression(content):
        raise ValueError(f"it is compressed with {packed}; decompress it, and give the file in it")
    try:
        events, n_unread = parse_history(decode(content))
    except UnicodeDecodeError:
        raise ValueError(
            "it is not text in UTF-8, as progress is saved; give a file that `check --save` or the "
            "book's page saved"
        ) from None
    latest = _to_milliseconds(_LAST)
    return [replace(one, clock=min(one.clock, latest)) for one in events], n_unread


def is_own_name(file: Path, own: Path) -> bool:
    """Whether a file has a name in the folder of the progress file that is removed there."""
    name = file.name
    is_removed = bool(_waiting_name(own).fullmatch(name)) or is_draft(name, own.name)
    return file.parent.resolve() == own.parent.resolve() and is_removed


def _append(file: Path, events: Sequence[Event]) -> int:
    kept = _read_document(file)
    if kept is None:
        return _append_beside(file, events)
    _put_damaged_aside(file)
    told = _drop_unreadable(file, kept["history"])
    known = {raw["id"] for raw in told}
    beside = {each: read for each in _files_beside(file) if (read := _read_beside(each))}
    from_beside = [event for read, _ in beside.values() for event in read]
    new = {event.id: event for event in [*from_beside, *events] if event.id not in known}
    if new or told != kept["history"]:
        _keep_version_1(file)
        kept["history"] = [*told, *(event.to_dict() for event in new.values())]
        content = _encode_document(kept)
        if len(content) > _MOST_BYTES:
            # It would be too large to be read again.
            raise OSError(
                errno.EFBIG, f"it would be larger than {_MOST_BYTES // 10**6} MB", str(file)
            )
        write_atomically(file, content, mode=0o600)
        _remove_drafts(file)
    for each, (readable, unread) in beside.items():
        if unread:
            _keep_aside(file, each.read_bytes(), each, unread, len(readable) + unread)
        each.unlink(missing_ok=True)
    return len(new)


def _append_beside(file: Path, events: Sequence[Event]) -> int:
    """Add events beside a file that a newer version wrote, which takes them over.

    The caller has the lock.
    """
    _put_damaged_aside(file)
    beside = _file_for_newer(file)
    before = beside.read_bytes() if beside.exists() else format_history([])
    known, _ = parse_history(decode(before))
    new = sort_events([*known, *events])
    if len(new) > len(known):
        write_atomically(beside, format_history(new), mode=0o600)
    return len(new) - len(known)


def _file_for_newer(file: Path) -> Path:
    """Return where events wait for the newer version that wrote a file."""
    usual = _waiting_file(file, "newer")
    if not usual.exists() or _read_beside(usual):
        return usual
    return _waiting_file(file, secrets.token_hex(8))


def _remove_drafts(file: Path) -> None:
    """Remove what kernels that were killed while they wrote have left; the caller has the lock."""
    for each in file.parent.glob(f".{glob.escape(file.name)}.*.new"):
        if is_draft(each.name, file.name):
            with suppress(OSError):
                each.unlink()


def _waiting_file(file: Path, which: str) -> Path:
    # The full name, since two files of one folder may differ in their endings alone.
    return file.with_name(f"{file.name}.waiting-{which}.json")


def _files_beside(file: Path) -> list[Path]:
    """Return the files of what was added while another program held the file.

    They are removed when they are taken over, so a learner's own file whose name begins alike is
    none of them.
    """
    there = file.parent.glob(f"{glob.escape(file.name)}.waiting-*.json")
    return sorted(each for each in there if _waiting_name(file).fullmatch(each.name))


def _waiting_name(file: Path) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(file.name)}\.waiting-([0-9a-f]{{16}}|newer)\.json")


def _find_damaged(file: Path) -> list[Path]:
    """Return which files of what was added beside a file are damaged."""
    damaged = []
    for each in _files_beside(file):
        with suppress(OSError):  # no plain file, or not this user's: it stays
            if _parse_file(each) is None:
                damaged.append(each)
    return damaged


def _put_damaged_aside(file: Path) -> None:
    """Put aside what was added beside a file and is damaged; the caller has locked the file."""
    for each in _find_damaged(file):
        _put_aside(each, file, "what is in the others stays.")


def _put_aside(damaged: Path, file: Path, then: str) -> None:
    """Give a damaged file a name beside the progress under which it is not read, and say so."""
    aside = _backup_path(file, "damaged")
    damaged.replace(aside)
    warn(
        f"The file with your progress, {damaged}, was damaged. It is kept as {aside.name}; {then}",
        stacklevel=6,
    )


def _read_beside(file: Path) -> tuple[list[Event], int] | None:
    """Return the events of a file, and how many more it has that cannot be read.

    A file that is damaged or of a newer version gives None.
    """
    try:
        _refuse_device(file)
        return parse_history(decode(file.read_bytes()))
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
    if _find_damaged(file):
        # Who may not write here reads the rest all the same.
        with suppress(OSError), _file_lock(file):
            _put_damaged_aside(file)
    reads = filter(None, map(_read_beside, _files_beside(file)))
    beside = [event for events, _ in reads for event in events]
    try:
        now = file.stat()
    except FileNotFoundError:
        return sort_events(beside)
    # What is in the future is not when the clock is set right.
    events = _collect_events(file, now.st_ino, now.st_mtime_ns, now.st_size, _now().toordinal())
    return sort_events([*events, *beside]) if beside else list(events)


# Every card of a chapter asks, and a year's history takes a tenth of a second to read.
@lru_cache(maxsize=2)
def _collect_events(file: Path, *_state: int) -> tuple[Event, ...]:
    kept = _read_document_quietly(file) or _read_document_locked(file)
    return tuple(sort_events(_read_events(kept["history"]))) if kept else ()


def _read_events(told: Iterable[Any]) -> list[Event]:
    """Return the events of a history that can be read, with moments that have come.

    A clock that was ahead, or a file that says so, must not settle for ever what is known: such an
    event was after what stands before it, and before what was noted next. What is written stays,
    for it may be the clock of today that is wrong.
    """
    events = [event for raw in told if (event := parse_event(raw)) is not None]
    now = _now()
    if all(event.moment <= now + timedelta(days=1) for event in events):
        return events
    # It was before what is noted now, which may have waited for the lock.
    latest = now - timedelta(seconds=2 * _PATIENCE)
    placed = []
    for event in reversed(events):
        moment = event.moment
        if moment > now + timedelta(days=1):
            latest -= _STEP
            when = latest.isoformat(timespec="milliseconds")
            event = replace(event, when=when, written=event.when)
        else:
            latest = moment
        placed.append(event)
    return placed[::-1]


def sort_events(events: Iterable[Event]) -> list[Event]:
    """Return events, each once, in the order in which they happened."""
    told: dict[str, Event] = {}
    for event in events:
        # Of two events of one id the first is meant, as the book's pages have it.
        told.setdefault(event.id, event)
    return sorted(told.values(), key=lambda event: event.position)


def parse_history(text: str) -> tuple[list[Event], int]:
    """Return the events of a saved file, and how many more it has that cannot be read.

    Raises
    ------
    ValueError
        If it is no such file; the message says why.
    """
    kept = _parse_document(text)
    if kept is None:
        raise ValueError("it contains no progress of this workbook")
    if kept["version"] > VERSION:
        raise ValueError(f"it was written by a newer {DISTRIBUTION}")
    told = _upgrade_document(kept)["history"]
    events = _read_events(told)
    return sort_events(events), len(told) - len(events)


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
    if not is_sound(event):
        return None
    return replace(event, **_clean(known))


def is_sound(event: Event) -> bool:
    """Whether an event holds what its fields say: anything may stand in a file."""
    words = [event.id, event.when, event.exercise, event.content, event.outcome]
    words += [word for word in (event.mistake, event.seed) if word is not None]
    times = [event.number, event.tries, event.passes]
    seconds = 0.0 if event.seconds is None else event.seconds
    return (
        all(map(_is_text, words))
        and event.what in KINDS
        and all(type(one) is int and 0 <= one <= _MOST_TIMES for one in times)
        and type(seconds) in (int, float)
        and 0 <= seconds <= _MOST_SECONDS
        and _is_answer(event.answer)
        and type(event.clock) is int
        and 0 <= event.clock <= _LAST_CLOCK
        and type(event.unsaved) is bool
        and is_moment(event.when)
    )


def _is_answer(answer: Any) -> bool:
    """Whether this is an answer that the book's pages take, too."""
    if isinstance(answer, dict):
        # No deeper, for what is nested without end cannot be read or written.
        return all(map(_is_text, answer)) and _is_list([*answer.values()])
    return answer is None or _is_text(answer) or _is_list(answer)


def _is_list(parts: Any) -> bool:
    return isinstance(parts, list) and len(parts) <= _MOST_PARTS and all(map(_is_text, parts))


def _is_text(word: Any) -> bool:
    """Whether this is a text of a length that the pages take; they count in units of UTF-16."""
    if not isinstance(word, str) or len(word) > MOST_CHARACTERS:
        return False
    return len(word) + sum(sign > "\uffff" for sign in word) <= MOST_CHARACTERS


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
        datetime.fromisoformat(when)
    except (TypeError, ValueError):
        return False
    return _MOMENT.fullmatch(when) is not None


def _drop_unreadable(file: Path, told: Sequence[Any]) -> list[Any]:
    """Return what can be read of a history; if the rest is lost by that, keep the file aside."""
    readable = [raw for raw in told if parse_event(raw) is not None]
    if lost := len(told) - len(readable):
        _keep_aside(file, file.read_bytes(), file, lost, len(told))
    return readable


def _keep_aside(file: Path, content: bytes, read: Path, lost: int, of: int) -> None:
    """Keep a file as it was beside the progress, with a warning of what cannot be read in it."""
    aside = _backup_path(file, "damaged")
    write_atomically(aside, content, mode=0o600)
    warn(
        f"{lost} of {of} entries of {read} cannot be read. The file as it was is kept "
        f"as {aside.name}; the others stay.",
        stacklevel=6,
    )


def _keep_version_1(file: Path) -> None:
    """Keep a file of the first version beside the one that takes its place."""
    with suppress(FileNotFoundError):
        before = file.read_bytes()
        kept = _parse_document(decode(before))
        if kept and kept["version"] < VERSION:
            write_atomically(_backup_path(file, "version-1"), before, mode=0o600)


def _backup_path(file: Path, why: str) -> Path:
    """Return a new name beside a file for what is kept of it."""
    name = f"{file.name}.{why}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    # A clock that was set back, or stands still, gives a name twice.
    names = (f"{name}{f'-{more}' if more else ''}.json" for more in itertools.count())
    return next(path for path in map(file.with_name, names) if not path.exists())


def decode(content: bytes) -> str:
    """Return the text of a file; an editor may have saved it with a mark, or in UTF-16."""
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if marked else "utf-8-sig")


def _parse_document(text: str) -> dict[str, Any] | None:
    """Return the document of a text, of whatever version, or None if it is none."""
    try:
        # NaN and infinities are no JSON: the book's pages could not read the file again.
        kept = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=lambda _: None)
        version = kept["version"]
        held = kept["history"] if version == VERSION else kept.get("exercises", {})
        shape = list if version == VERSION else dict
        sound = type(version) is int and version > 0 and isinstance(held, shape)
        sound = sound and (version > 1 or "exercises" in kept) and not _is_deep(kept)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return dict(kept) if sound else None


def _is_deep(kept: Any) -> bool:
    """Whether something is nested so deeply that it might be read once and not be written."""
    level = [kept]
    for _ in range(_MOST_DEEP):
        inner = [one for one in level if isinstance(one, dict | list)]
        level = [part for one in inner for part in (one.values() if isinstance(one, dict) else one)]
    return any(isinstance(one, dict | list) for one in level)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which no key stands twice: which of the two is meant, nobody knows."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _parse_file(file: Path) -> dict[str, Any] | None:
    """Return the document in a file, of whatever version, or None if it is damaged."""
    _refuse_device(file)
    try:
        large = file.stat().st_size > _MOST_BYTES
        return None if large else _parse_document(decode(file.read_bytes()))
    except FileNotFoundError:
        return {"version": VERSION, "history": []}
    except UnicodeDecodeError:
        return None


def _read_document_quietly(file: Path) -> dict[str, Any] | None:
    """Return what a file holds, or None if there is something to say or to do about it."""
    kept = _parse_file(file)
    return _upgrade_document(kept) if kept and kept["version"] <= VERSION else None


def _read_document_locked(file: Path) -> dict[str, Any] | None:
    """Return what a file holds, as `_read_document` does, for one who does not write it.

    Without the lock, what another program has written in place of a damaged file would be put
    aside.
    """
    try:
        with _file_lock(file):
            return _read_document(file)
    except TimeoutError:
        return None  # the program that uses the file says what is to be said


def _read_document(file: Path) -> dict[str, Any] | None:
    """Return what a file holds; put it aside if it is damaged; None if it is from the future.

    The caller has locked it.
    """
    empty = {"version": VERSION, "history": []}
    kept = _parse_file(file)
    if kept is None:
        _put_aside(file, file, "a new one is begun.")
        return empty
    if kept["version"] > VERSION:
        warn(
            f"{file} was written by a newer {DISTRIBUTION}. It is not changed, and what you do now "
            f"is saved in {_file_for_newer(file).name} beside it. Upgrade to have both.",
            stacklevel=4,
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
    when = raw.get("when") or _now().isoformat(timespec="seconds")
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
        raise TimeoutError(f"another program uses {lock.lock_file}") from None
    except NotImplementedError as problem:  # a file system that has no locks
        raise OSError(str(problem)) from None
    try:
        yield
    finally:
        lock.release()
