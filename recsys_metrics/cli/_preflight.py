"""`recsys-workbook preflight`: find faults in an evaluation before its numbers are used."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from recsys_metrics._core import console
from recsys_metrics.cli._gate import ERROR
from recsys_metrics.cli._list_options import (
    ColumnOption,
    ThresholdOption,
    check_option,
    name_columns,
    read_columns,
    refuse_unused_columns,
)

# The annotations are read by typer: hence no `from __future__ import annotations` in this file.
_FORMATS = ("text", "markdown", "json")


@dataclass(frozen=True)
class PreflightOptions:
    """Check lists, truth and history for faults before you use the numbers.

    RECS is a file of lists, and --truth says what is relevant. Each finding has its number and a
    cure. A fault makes the numbers wrong or incomparable, such as items of the history among the
    recommendations, ids that do not match, or lists in another order than the truth; a note is
    something to state. If --history and --truth have timestamps, training events from the future
    are found, too.

    The exit code is 0 without a fault, 1 with one, and 3 for an error.
    """

    recommendations: Annotated[
        Path,
        typer.Argument(
            metavar="RECS",
            help="user, item, rank or score: CSV, Parquet, TREC, JSON, JSON Lines.",
            show_default=False,
        ),
    ]
    truth: Annotated[
        Path,
        typer.Option(
            "-t", "--truth", help="What is relevant: user, item, a grade if there is one."
        ),
    ]
    again: Annotated[
        Path | None,
        typer.Option(metavar="RECS", help="Lists of a second run, which should be the same."),
    ] = None
    history: Annotated[
        Path | None, typer.Option(help="user, item: earlier interactions, as in training.")
    ] = None
    catalog: Annotated[int | None, typer.Option(min=1, help="How many items there are.")] = None
    measure: Annotated[
        str,
        typer.Option("-m", "--measure", help="A metric of ranked lists, with its cut-off."),
    ] = "ndcg@10"
    threshold: ThresholdOption = None
    sampled: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many other items each user's relevant ones were ranked against."
        ),
    ] = None
    repeat_consumption: Annotated[
        bool,
        typer.Option(
            "--repeat-consumption",
            help="Users take items again, so the history may be recommended.",
            show_default=False,
        ),
    ] = False
    accept: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="A check whose finding is intended: a note."),
    ] = None
    column: ColumnOption = None
    seed: Annotated[int, typer.Option(help="Of the random lists.")] = 0
    format: Annotated[str, typer.Option(help="text, markdown or json.")] = "text"

    def run(self) -> NoReturn:
        """Check, print what was found, and end with the exit code."""
        from recsys_metrics._core.inputs.engines import EngineError
        from recsys_metrics.frames._text_files import FileError

        try:
            check_option("--format", self.format, _FORMATS)
            result = self._check()
        except FileError as problem:
            console.fail("preflight", name_columns(problem, problem.roles), code=ERROR)
        except (EngineError, OSError, ValueError, TypeError) as problem:
            console.fail("preflight", problem, code=ERROR)
        console.say(_WRITERS[self.format](result))
        raise typer.Exit(int(bool(result.faults)))

    def _check(self) -> Any:
        """Return what the preflight found."""
        from recsys_metrics.evaluation import preflight
        from recsys_metrics.frames import _files

        named = read_columns(self.column or [], "timestamp")
        columns = {role: name for role, name in named.items() if role != "timestamp"}
        given = {
            "recommended": self.recommendations,
            "relevant": self.truth,
            "again": self.again,
            "history": self.history,
        }
        paths = {name: path for name, path in given.items() if path is not None}
        with _files.open_files(paths, "polars", columns) as opened, opened.name_sources():
            refuse_unused_columns(columns, opened.select_columns(columns, paths))
            frames = {name: _read_frame(source) for name, source in opened.sources.items()}
        return preflight(
            frames["recommended"],
            frames["relevant"],
            measure=self.measure,
            again=frames.get("again"),
            history=frames.get("history"),
            events=self._read_events(named),
            catalog=self.catalog,
            threshold=self.threshold,
            sampled=self.sampled,
            repeat_consumption=self.repeat_consumption,
            accept=self.accept or (),
            seed=self.seed,
        )

    def _read_events(self, columns: Mapping[str, str]) -> Any:
        """Return training and test events, if both files have times."""
        from recsys_metrics.cli._event_files import number_parts, read_events
        from recsys_metrics.frames._files import PARQUET
        from recsys_metrics.frames._text_files import LINES, SEPARATED
        from recsys_metrics.frames._whole_tables import read_table

        paths = [path for path in (self.history, self.truth) if path is not None]
        with_columns = (*PARQUET, *SEPARATED, *LINES)
        is_read = len(paths) == 2 and all(path.suffix.lower() in with_columns for path in paths)
        tables = [read_table(path) for path in paths] if is_read else []
        if "timestamp" in columns:
            there = [name for table in tables for name in table.columns]
            refuse_unused_columns(
                {"timestamp": columns["timestamp"]},
                ["timestamp"] if columns["timestamp"] in there else [],
            )
        if not tables:
            return None
        parts = []
        for table in tables:
            roles = ("user", "item", "timestamp")
            here = {role: columns[role] for role in roles if role in columns}
            parts.append(
                read_events(
                    table, {r: n for r, n in here.items() if n in table.columns}, timed=False
                )
            )
        if any(part.times is None for part in parts):
            return None
        return number_parts(*parts)


def _read_frame(source: Any) -> Any:
    """Return a table in memory whose columns have the names of their roles."""
    import narwhals as nw

    from recsys_metrics.frames._queries import collect

    frame = nw.from_native(source.typed())
    roles = {role: nw.col(name) for role, name in source.columns.items()}
    return collect(frame.select(**roles)).to_native()


def _to_json(result: Any) -> str:
    rows = result.columns()
    findings = [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]
    for row, found in zip(findings, result.findings, strict=True):
        row["interval"] = None if found.interval is None else [*found.interval]
    return json.dumps(
        {
            "conclusion": result.conclusion,
            "measure": result.measure.label,
            "false_alarm_rate": result.false_alarm_rate,
            "checks": result.checks,
            "findings": findings,
            "references": [
                {
                    "name": each.name,
                    "value": None if each.value != each.value else each.value,
                    "interval": None if each.interval is None else [*each.interval],
                    "users": each.n,
                }
                for each in result.references
            ],
        },
        indent=2,
        allow_nan=False,
    )


_WRITERS: Mapping[str, Callable[[Any], str]] = {
    "text": str,
    "markdown": lambda result: result.to_markdown().strip(),
    "json": _to_json,
}


def preflight(**options: Any) -> None:
    """Check, as `PreflightOptions` says."""
    PreflightOptions(**options).run()


# So that typer sees the options where they are declared, and they are not listed twice.
preflight.__signature__ = inspect.signature(PreflightOptions)  # type: ignore[attr-defined]
preflight.__doc__ = PreflightOptions.__doc__
