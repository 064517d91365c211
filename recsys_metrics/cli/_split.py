"""`recsys-workbook split`: a file of events in, training and test files out."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from recsys_metrics._core.console import fail
from recsys_metrics._core.package_names import COMMAND

_NAME = "split"
_METHODS = ("time", "last", "session", "random")
_OPTIONS = {
    "at": ("time",),
    "validation-at": ("time",),
    "test-share": ("time", "random"),
    "validation-share": ("time", "random"),
    "n": ("last", "random"),
    "gap": ("session",),
    "per-user": ("random",),
    "seed": ("random",),
}
"""Which methods take an option."""
_EXAMPLE = (
    f"`{COMMAND} split log.csv --train train.parquet --validation validation.parquet "
    "--test test.parquet --at 2024-03-01 --validation-at 2024-02-01 --column user=customer`"
)


@dataclass(frozen=True)
class _Cut:
    """How one part is cut off; `part` is what its options are named after."""

    part: str
    by: str
    at: Any = None
    written: str | None = None
    share: float | None = None
    n: int | None = None
    gap: int | None = None
    per_user: bool = False
    seed: int = 0

    def __call__(self, events: Any, show: Callable[[float], str]) -> Any:
        from recsys_metrics.protocol._splits import EmptyPartError

        try:
            return self._split(events)
        except EmptyPartError as problem:
            at = "--at" if self.part == "test" else f"--{self.part}-at"
            problem.at = self.written
            raise ValueError(problem.describe(f"{at} ", f"--{self.part}-share", show)) from None

    def _split(self, events: Any) -> Any:
        from recsys_metrics import protocol

        if self.by == "time":
            return protocol.temporal_split(events, at=self.at, test_share=self.share)
        if self.by == "last":
            return protocol.leave_last_n_out(events, n=1 if self.n is None else self.n)
        if self.by == "session":
            gap = {} if self.gap is None else {"gap": self.gap}
            return protocol.leave_last_session_out(events, **gap)
        return protocol.random_split(
            events,
            test_share=self.share,
            n=self.n,
            within="user" if self.per_user else "all",
            seed=self.seed,
        )


def split(
    log: Annotated[
        Path,
        typer.Argument(
            metavar="LOG",
            help="user, item, timestamp, an event per row: CSV, TSV, Parquet, JSON Lines.",
            show_default=False,
        ),
    ],
    train: Annotated[Path, typer.Option(metavar="FILE", help="A new file (.parquet, .csv, .tsv).")],
    test: Annotated[Path, typer.Option(metavar="FILE", help="A new file.")],
    validation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A new file, cut off the training part in the same way."),
    ] = None,
    by: Annotated[
        str, typer.Option(help="time, last (events of each user), session or random.")
    ] = "time",
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="The last time that trains: 2024-03-01, or seconds."),
    ] = None,
    validation_at: Annotated[
        str | None, typer.Option(metavar="TIME", help="The same for the validation file.")
    ] = None,
    test_share: Annotated[
        float | None, typer.Option(help="What share is tested; by default 0.2.")
    ] = None,
    validation_share: Annotated[
        float | None, typer.Option(help="What share of the rest is for validation; by default 0.2.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="How many events of each user; by default 1.")
    ] = None,
    gap: Annotated[
        int | None, typer.Option(min=1, help="The longest pause in a session, in seconds.")
    ] = None,
    per_user: Annotated[
        bool, typer.Option("--per-user", help="Draw at random from each user's events.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of a random split; by default 0.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="A column by its name: user=who, timestamp=when."),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="text, markdown, latex, html or json.")
    ] = "text",
) -> None:
    """Split a log of events into training and test files, and say what leaks between them.

    The files have all columns of the log. No file is ever overwritten. Times are seconds since
    1970, or dates in ISO's form, converted to UTC where they have an offset and read as UTC where
    not.
    """
    import numpy as np

    from recsys_metrics.cli._event_files import ROLES, read_events
    from recsys_metrics.cli._options import (
        all_or_none,
        check_choice,
        check_new,
        read_pairs,
        refuse_same_output,
        reporting,
    )
    from recsys_metrics.cli._printed_table import FORMATS, print_table
    from recsys_metrics.frames._whole_tables import ROW, check_writable, read_table, write_new

    check_choice(_NAME, "--format", form, FORMATS)
    check_choice(_NAME, "--by", by, _METHODS)
    names = read_pairs(_NAME, "--column", column or [], "ROLE=NAME", ROLES)
    files = {"train": train, "validation": validation, "test": test}
    parts = {name: file for name, file in files.items() if file is not None}
    for name, file in parts.items():
        check_new(_NAME, f"--{name}", file)
        if file.suffix.lower() not in (".parquet", ".pq", ".csv", ".tsv"):
            fail(_NAME, f"--{name} {file}: let the name end in .parquet, .csv or .tsv")
    refuse_same_output(_NAME, {f"--{name}": file for name, file in parts.items()})
    given = {
        "at": at,
        "validation-at": validation_at,
        "test-share": test_share,
        "validation-share": validation_share,
        "n": n,
        "gap": gap,
        "per-user": per_user or None,
        "seed": seed,
    }
    for option, value in given.items():
        if value is not None and by not in _OPTIONS[option]:
            fail(_NAME, f"--{option} is for --by {' or '.join(_OPTIONS[option])}, not {by}")
        if value is not None and option.startswith("validation") and validation is None:
            fail(_NAME, f"--{option} needs --validation FILE, which is written then")
    common: dict[str, Any] = {"by": by, "n": n, "gap": gap, "per_user": per_user, "seed": seed or 0}
    cut = _Cut("test", at=_time("--at", at), written=at, share=test_share, **common)
    earlier = _Cut(
        "validation",
        at=_time("--validation-at", validation_at),
        written=validation_at,
        share=validation_share,
        **common,
    )
    with reporting(_NAME, log):
        table = read_table(log)
        events = read_events(table, names, timed=by != "random")
        show = _as_file_has(events.times)
        made, cutoffs = _cut_events(events, cut, earlier if validation is not None else None, show)
        shown, data = _as_table(log, by, made, cutoffs, parts)
        rows = table.frame.drop(ROW, strict=False)
        for file in parts.values():
            check_writable(rows, file)
        with all_or_none() as written:
            for name, file in parts.items():
                write_new(rows[np.sort(made[name].rating.astype(int))], file)
                written.append(file)
    print_table(shown, data, form)


split.__doc__ = f"{split.__doc__}\n    Example: {_EXAMPLE}\n    "


def _time(option: str, text: str | None) -> Any:
    from recsys_metrics._core.iso_times import AmbiguousTimeError
    from recsys_metrics.frames._whole_tables import parse_time

    if text is None:
        return None
    try:
        return parse_time(text)
    except AmbiguousTimeError as problem:
        fail(_NAME, f"{option} {problem}")
    except ValueError:
        fail(
            _NAME,
            f"{option} {text!r} is no time; write seconds since 1970, or a date with its "
            "dashes, such as 2024-01-31 or 2024-01-31T18:30:00+01:00",
        )


def _cut_events(
    events: Any, cut: _Cut, earlier: _Cut | None, show: Callable[[float], str]
) -> tuple[dict[str, Any], dict[str, float | None]]:
    """Return the parts, whose ratings are the numbers of their rows, and when they begin."""
    import numpy as np

    from recsys_metrics.interactions import Interactions

    # A split hands out events and not their rows: the rating carries the row's number.
    rows = np.arange(len(events.user), dtype=float)
    whole, *_ = Interactions.from_ids(events.user, events.item, rows, events.times)
    outer = cut(whole, show)
    made, cutoffs = {"train": outer.train, "test": outer.test}, {"test": outer.cutoff_time}
    if earlier is not None:
        inner = earlier(outer.train, show)
        made |= {"train": inner.train, "validation": inner.test}
        cutoffs["validation"] = inner.cutoff_time
    return made, cutoffs


def _as_table(
    log: Path,
    by: str,
    made: dict[str, Any],
    cutoffs: dict[str, float | None],
    files: dict[str, Path],
) -> tuple[Any, dict[str, Any]]:
    from recsys_metrics._core.sorted_arrays import distinct
    from recsys_metrics.cli._event_files import describe_leakage, leakage_data
    from recsys_metrics.cli._printed_table import PrintedTable
    from recsys_metrics.evaluation._rendering import View
    from recsys_metrics.interactions import concatenate
    from recsys_metrics.protocol import leakage

    rows, data = {}, []
    for name, file in files.items():
        part = made[name]
        counts = [len(part), len(distinct(part.user)), len(distinct(part.item))]
        times = [] if part.timestamp is None else [part.timestamp.min(), part.timestamp.max()]
        first, last = map(_as_date, times) if times else ("–", "–")
        rows[name] = (None, [*(f"{count:,}" for count in counts), first, last, str(file)])
        data.append(
            {
                "part": name,
                "file": str(file),
                **dict(zip(("events", "users", "items"), counts, strict=True)),
                **dict(zip(("first", "last"), (time.item() for time in times), strict=False)),
            }
        )
    known = [made[name] for name in ("train", "validation") if name in made]
    found = leakage(concatenate(known), made["test"])
    cuts = [
        (f"{name} begins after", f"{_as_date(moment)} UTC")
        for name, moment in cutoffs.items()
        if moment is not None
    ]
    view = View(
        title=f"{log}, split by {by}",
        headings=["Part", "Events", "Users", "Items", "First", "Last", "File"],
        rows=rows,
        legend="Times are in UTC.",
        protocol_rows=[*cuts, *describe_leakage(found)],
        conclusion=str(found).partition("\n")[0],
    )
    return PrintedTable(view), {
        "log": str(log),
        "by": by,
        "cutoffs": cutoffs,
        "parts": data,
        "leakage": leakage_data(found),
    }


def _as_file_has(times: Any) -> Callable[[float], str]:
    """Return how a message writes a time: as a date if the file has dates, else as its seconds."""
    if times is not None and times.dtype.is_temporal():
        return lambda seconds: _as_date(seconds).removesuffix(" 00:00:00")
    return str


def _as_date(seconds: float) -> str:
    # Of a whole number, because a float of this size is off by part of a microsecond.
    whole = math.floor(seconds)
    fraction = f"{seconds - whole:.6f}".removeprefix("0").rstrip("0").rstrip(".")
    try:
        return datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%d %H:%M:%S") + fraction
    except (ValueError, OverflowError, OSError):
        return f"{whole}{fraction}"
