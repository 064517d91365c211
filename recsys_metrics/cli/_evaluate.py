"""`recsys-workbook evaluate`: files in, a report out."""

import inspect
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from recsys_metrics import _text
from recsys_metrics.cli._terminal import fail

# The annotations are read by typer: hence no `from __future__ import annotations` in this file.
_MEASURES = ["ndcg@10", "recall@10", "hit_rate@10"]


def _write_example(folder: Path | None) -> None:
    if folder is None:
        return
    from recsys_metrics.frames._example import write_example

    _text.say(f"written to {folder}; try\n{write_example(folder)}")
    raise typer.Exit


@dataclass(frozen=True)
class Evaluation:
    """Evaluate the lists in a file against the relevant items in another.

    Columns are found by their usual names (user, user_id, item, rank, score, rating …). Only what
    the measures need is read, and only sums leave the engine. The exit code is 0 if the lists
    could be evaluated, 1 if not; a comparison that says "do not ship" is no failure.
    """

    recommendations: Annotated[
        Path,
        typer.Argument(metavar="RECS", help="user, item, rank or score: CSV, Parquet, TREC, JSON."),
    ]
    truth: Annotated[
        Path, typer.Argument(metavar="TRUTH", help="user, item, and a grade if there is one.")
    ]
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help=f"May be given several times; by default {', '.join(_MEASURES)}.",
        ),
    ] = None
    k: Annotated[
        list[int] | None, typer.Option("-k", help="Cut-offs for measures without one.")
    ] = None
    history: Annotated[
        Path | None, typer.Option(help="user, item: earlier interactions, for novelty.")
    ] = None
    catalog: Annotated[
        int | None, typer.Option(min=1, help="How many items there are, for coverage and Gini.")
    ] = None
    compare: Annotated[
        Path | None, typer.Option(metavar="RECS", help="Lists to compare with, user by user.")
    ] = None
    groups: Annotated[
        Path | None, typer.Option(metavar="FILE", help="user, group: values for each group.")
    ] = None
    threshold: Annotated[
        float | None, typer.Option(help="The lowest grade that counts as relevant.")
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="A column by its name: user=who, score=points."),
    ] = None
    engine: Annotated[str, typer.Option(help="polars, duckdb or spark.")] = "polars"
    memory: Annotated[
        int,
        typer.Option(min=1, metavar="GB", help="What DuckDB or Spark may hold; the rest on disk."),
    ] = 3
    split: Annotated[
        str | None, typer.Option(help="How training and test were told apart; printed.")
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
    per_user: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every user's values (.parquet, .csv); in CSV =1+1 becomes '=1+1.",
        ),
    ] = None
    example: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            callback=_write_example,
            is_eager=True,
            help="Write files of MovieLens to try this on, and say how.",
        ),
    ] = None

    def run(self) -> None:
        """Evaluate, and print the report."""
        from recsys_metrics import frames
        from recsys_metrics.frames import _files, _text_files

        if self.engine not in get_args(_files.Engine):
            fail("evaluate", f"the engine is polars, duckdb or spark, not {self.engine!r}")
        if self.per_user is not None:
            _check_new(self.per_user)
        columns = _columns(self.column or [])
        steps = 2 + bool(self.groups) + 2 * bool(self.compare) + bool(self.per_user)
        try:
            with _progress(steps) as begin:
                report, comparison, by_group = self._results(columns, begin)
        # Bad input is a ValueError of the library's. What is none of these is a fault in it, and
        # shows its traceback: to say "your file" would send the user on a search.
        except _text_files.FileError as problem:
            cure = f". Name it: --column {problem.role}=NAME" if problem.role else ""
            fail("evaluate", f"{problem}{cure}")
        except frames.EngineError as problem:
            fail("evaluate", f"{', '.join(map(str, self._paths.values()))}: {problem}")
        except (OSError, ValueError) as problem:
            fail("evaluate", problem)
        if self.as_json:
            print(json.dumps(_as_data(report, comparison, by_group), indent=2))
            return
        _text.say(report)
        for part in (by_group, comparison):
            if part is not None:
                _text.say(f"\n{part}")

    @property
    def _paths(self) -> dict[str, Path]:
        given = {
            "recommended": self.recommendations,
            "relevant": self.truth,
            "history": self.history,
            "compare": self.compare,
            "groups": self.groups,
        }
        return {table: path for table, path in given.items() if path is not None}

    def _results(
        self, columns: dict[str, str], begin: Callable[[str], None]
    ) -> tuple[Any, Any, Any]:
        """Return the report, and the comparison and the report by groups if they are asked for."""
        from recsys_metrics import frames
        from recsys_metrics.frames import _files

        begin("looking into the files")
        paths, engine = self._paths, cast(_files.Engine, self.engine)
        with _files.opened(paths, engine, columns, memory=self.memory) as opened:
            tables = opened.frames

            def evaluated(table: str) -> Any:
                begin(f"judging {paths[table].name}")
                with opened.naming(table):
                    return frames.evaluate(
                        tables[table],
                        tables["relevant"],
                        self.measure or _MEASURES,
                        ks=self.k,
                        threshold=self.threshold,
                        history=tables.get("history"),
                        catalog=self.catalog,
                        columns=columns,
                        split=self.split,
                        name=str(paths[table]),
                    )

            new = evaluated("recommended")
            by_group = comparison = None
            if self.groups:
                begin("group by group")
                with opened.naming():
                    by_group = new.by(tables["groups"])
            if self.compare is not None:
                old = evaluated("compare")
                begin("comparing user by user")
                comparison = new.compare(old)
            if self.per_user is not None:
                from recsys_metrics.frames._writing import write

                begin(f"writing {self.per_user.name}")
                write(new.to_frame(per_user=True, backend="native"), self.per_user)
        return new, comparison, by_group


def evaluate(**options: Any) -> None:
    """Evaluate, as `Evaluation` says."""
    Evaluation(**options).run()


# So that typer sees the options where they are declared, and they are not listed twice.
evaluate.__signature__ = inspect.signature(Evaluation)  # type: ignore[attr-defined]
evaluate.__doc__ = Evaluation.__doc__


def _check_new(file: Path) -> None:
    # A link that leads nowhere is no file, and yet something is there.
    if file.exists() or file.is_symlink():
        fail("evaluate", f"{file} is there already and stays as it is; give --per-user a new name")
    if not file.parent.is_dir():
        fail("evaluate", f"--per-user {file}: {file.parent} is no folder; make it first")


def _columns(given: list[str]) -> dict[str, str]:
    roles = ("user", "item", "rank", "score", "grade", "group")
    columns = {}
    for text in given:
        role, equals, name = text.partition("=")
        if not equals or role not in roles or not name:
            fail(
                "evaluate",
                f"--column {text!r} is not ROLE=NAME with one of the roles {', '.join(roles)}",
            )
        columns[role] = name
    return columns


@contextmanager
def _progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Show, on a terminal, which step is under way, how many there are and for how long.

    An engine computes a step in one query and does not say how far it is.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=steps, completed=-1)
        yield lambda step: bar.update(task, description=_text.shown(step), advance=1, refresh=True)


def _number(value: float) -> float | None:
    """Return a number as JSON has it: there is no NaN."""
    return None if math.isnan(value) else value


def _ends(interval: Any) -> list[float | None] | None:
    ends = None if interval is None else [_number(end) for end in interval]
    return None if ends is None or None in ends else ends


def _results_as_data(results: Any) -> dict[str, Any]:
    return {
        str(measure): {
            "value": _number(result.value),
            "interval": _ends(result.interval()),
            "users": result.n,
            "left_out": result.left_out,
        }
        for measure, result in results.items()
    }


def _groups_as_data(by_group: Any) -> dict[str, Any]:
    return {
        str(group): {
            str(measure): {
                "value": _number(found.per_group[group]),
                "interval": _ends(found.intervals[group]),
                "users": found.count[group],
                "left_out": size - found.count[group],
            }
            for measure, found in by_group.reports.items()
        }
        for group, size in by_group.sizes.items()
    }


def _as_data(report: Any, comparison: Any, by_group: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": report.name,
        "measures": _results_as_data(report.results),
        "protocol": dict(report.protocol.lines()),
        "warnings": list(report.warnings),
    }
    if by_group is not None:
        data["groups"] = _groups_as_data(by_group)
    if comparison is not None:
        data["comparison"] = {
            "against": comparison.old,
            "decided_on": None if comparison.decided_on is None else str(comparison.decided_on),
            "verdict": None if comparison.verdict is None else str(comparison.verdict),
            "ship": None if comparison.verdict is None else comparison.verdict.ship,
            "gains": {
                str(measure): {
                    "gain": _number(difference.gain),
                    "interval": _ends(difference.interval),
                    "p_holm": _number(difference.adjusted),
                }
                for measure, difference in comparison.differences.items()
            },
        }
    return data
