"""`recsys-workbook evaluate`: files in, a report out."""

import inspect
import json
import sys
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
# What each engine, and what lies between it and us, raises for a file that it cannot evaluate.
_ENGINE_ERRORS = {
    "duckdb": "Error",
    "polars.exceptions": "PolarsError",
    "py4j.protocol": "Py4JError",
    "pyarrow": "ArrowException",
    "pyspark.errors": "PySparkException",
}


def _write_example(folder: Path | None) -> None:
    if folder is None:
        return
    from recsys_metrics.frames.example import write_example

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
        Path, typer.Argument(metavar="RECS", help="user, item, and rank or score: CSV or Parquet.")
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
        from recsys_metrics.frames import files

        if self.engine not in get_args(files.Engine):
            fail("evaluate", f"the engine is polars, duckdb or spark, not {self.engine!r}")
        if self.per_user is not None:
            _check_new(self.per_user)
        columns = _columns(self.column or [])
        steps = 2 + bool(self.groups) + 2 * bool(self.compare) + bool(self.per_user)
        try:
            with _progress(steps) as begin:
                report, comparison, strata = self._results(columns, begin)
        # Bad input is a ValueError of the library's. What is none of these is a fault in it, and
        # shows its traceback: to say "your file" would send the user on a search.
        except _of_files() as problem:
            fail("evaluate", _explained(problem, self._paths, columns))
        if self.as_json:
            print(json.dumps(_as_data(report, comparison, strata), indent=2))
        else:
            _print(report, comparison, strata)

    @property
    def _paths(self) -> list[Path]:
        named = (self.recommendations, self.truth, self.history, self.compare, self.groups)
        return [path for path in named if path is not None]

    def _results(
        self, columns: dict[str, str], begin: Callable[[str], None]
    ) -> tuple[Any, Any, dict[Any, Any]]:
        """Return the report, the comparison if there is one, and the results of each group."""
        from recsys_metrics import frames
        from recsys_metrics.frames import files

        begin("looking into the files")
        engine = cast(files.Engine, self.engine)
        tables = {path: files.scan(path, engine, memory=self.memory) for path in self._paths}
        measures = self.measure or _MEASURES
        options: dict[str, Any] = {
            "ks": self.k,
            "threshold": self.threshold,
            "history": tables[self.history] if self.history else None,
            "catalog": self.catalog,
            "columns": columns,
            "split": self.split,
        }

        def evaluated(path: Path) -> Any:
            begin(f"judging {path.name}")
            return frames.evaluate(
                tables[path],
                tables[self.truth],
                measures,
                name=str(path),
                **options,
            )

        new = evaluated(self.recommendations)
        strata: dict[Any, Any] = {}
        if self.groups:
            begin("group by group")
            strata = frames.by_group(new, tables[self.groups], columns=columns)
        comparison = None
        if self.compare is not None:
            old = evaluated(self.compare)
            begin("comparing user by user")
            comparison = frames.compare(new, old)
        if self.per_user is not None:
            from recsys_metrics.frames.writing import write

            begin(f"writing {self.per_user.name}")
            write(new.per_user, self.per_user)
        return new, comparison, strata


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


def _of_files() -> tuple[type[Exception], ...]:
    """Return the errors that a file may be the cause of, those of the engines in use included."""
    engines = (
        getattr(sys.modules[module], name)
        for module, name in _ENGINE_ERRORS.items()
        if module in sys.modules
    )
    return (ValueError, OSError, MemoryError, *engines)


def _print(report: Any, comparison: Any, strata: dict[Any, Any]) -> None:
    _text.say(report)
    for group, results in strata.items():
        _text.say(f"\n{group}")
        for result in results.values():
            _text.say(f"  {_line(result)}")
    if comparison is not None:
        _text.say(f"\n{comparison}")


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


def _explained(problem: Exception, paths: list[Path], columns: dict[str, str]) -> str:
    """Return what was wrong, with the file and the row where they can be found."""
    from recsys_metrics.frames import files

    text = str(problem).strip().partition("\n")[0] or type(problem).__name__
    if isinstance(problem, files.FileError):
        return text
    for path in paths:
        try:
            where = files.fault(path, columns)
        except _of_files():  # the search is a help; no more
            continue
        if where:
            return where
    return text


def _line(result: Any) -> str:
    from recsys_metrics.evaluation.views import say, with_interval
    from recsys_metrics.protocol.significance.intervals import why_none

    users = f"over {result.n:,} user{'s' if result.n != 1 else ''}"
    ends = result.interval()
    if ends is None:
        return f"{result.measure}: {say(result.value)} {users}; no interval: {why_none(result.n)}"
    return f"{result.measure}: {with_interval(result.value, [*ends])} {users}"


def _results_as_data(results: Any) -> dict[str, Any]:
    return {
        str(measure): {
            "value": result.value,
            "interval": None if result.interval() is None else [*result.interval()],
            "users": result.n,
            "left_out": result.left_out,
        }
        for measure, result in results.items()
    }


def _as_data(report: Any, comparison: Any, strata: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": report.name,
        "measures": _results_as_data(report.results),
        "protocol": dict(report.protocol.lines()),
        "warnings": list(report.warnings),
    }
    if strata:
        data["groups"] = {group: _results_as_data(each) for group, each in strata.items()}
    if comparison is not None:
        data["comparison"] = {
            "against": comparison.old,
            "decided_on": None if comparison.decided_on is None else str(comparison.decided_on),
            "verdict": None if comparison.verdict is None else str(comparison.verdict),
            "ship": None if comparison.verdict is None else comparison.verdict.ship,
            "gains": {
                str(measure): {
                    "gain": difference.gain,
                    "interval": None if difference.interval is None else [*difference.interval],
                    "p_holm": difference.adjusted,
                }
                for measure, difference in comparison.differences.items()
            },
        }
    return data
