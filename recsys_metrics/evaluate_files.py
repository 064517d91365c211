"""`recsys-metrics evaluate`: files in, a report out."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast, get_args

import typer

# The annotations are read by typer: hence no `from __future__ import annotations` in this file.


def _write_example(folder: Path | None) -> None:
    if folder is None:
        return
    from recsys_metrics.frames.example import write_example

    print(f"written to {folder}; try\n{write_example(folder)}")
    raise typer.Exit


def evaluate(
    recommendations: Annotated[
        Path,
        typer.Argument(
            metavar="RECS", help="user, item, and rank or score: CSV, Parquet, TREC, JSON."
        ),
    ],
    truth: Annotated[
        Path, typer.Argument(metavar="TRUTH", help="user, item, and a grade if there is one.")
    ],
    measure: Annotated[
        list[str],
        typer.Option("-m", "--measure", help="Such as ndcg@10; may be given several times."),
    ] = ["ndcg@10", "recall@10", "hit_rate@10"],  # noqa: B006
    k: Annotated[
        list[int] | None, typer.Option("-k", help="Cut-offs for measures without one.")
    ] = None,
    history: Annotated[
        Path | None, typer.Option(help="user, item: what was met before, for novelty.")
    ] = None,
    catalog: Annotated[
        int | None, typer.Option(min=1, help="How many items there are, for coverage and Gini.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(metavar="RECS", help="Lists to compare with, user by user.")
    ] = None,
    groups: Annotated[
        Path | None, typer.Option(metavar="FILE", help="user, group: values for each group.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="The lowest grade that counts as relevant.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="A column by its name: user=who, score=points."),
    ] = None,
    engine: Annotated[str, typer.Option(help="polars, duckdb or spark.")] = "polars",
    memory: Annotated[
        int,
        typer.Option(min=1, metavar="GB", help="What DuckDB or Spark may hold; the rest on disk."),
    ] = 3,
    split: Annotated[
        str | None, typer.Option(help="How training and test were told apart; printed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    per_user: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every user's values (.parquet, .csv); in CSV =1+1 becomes '=1+1.",
        ),
    ] = None,
    example: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            callback=_write_example,
            is_eager=True,
            help="Write files of MovieLens to try this on, and say how.",
        ),
    ] = None,
) -> None:
    """Evaluate lists in a file against what was wanted in another.

    Columns are found by their usual names (user, user_id, item, rank, score, rating …). Only what
    the measures need is read, and only sums leave the engine. The exit code is 0 if the lists
    could be evaluated, 1 if not; a comparison that says "do not ship" is no failure.
    """
    from recsys_metrics import frames
    from recsys_metrics.frames import files
    from recsys_metrics.frames.text_files import FileError

    if engine not in get_args(files.Engine):
        sys.exit(f"recsys-metrics evaluate: the engine is polars, duckdb or spark, not {engine!r}")
    # A link that leads nowhere would be written through, to wherever it points.
    if per_user is not None and (per_user.exists() or per_user.is_symlink()):
        _leave(f"{per_user} is there already and stays as it is; give --per-user a new name")
    columns = _columns(column or [])
    given = {
        "recommended": recommendations,
        "relevant": truth,
        "history": history,
        "compare": compare,
        "groups": groups,
    }
    paths = {table: path for table, path in given.items() if path is not None}

    def answer(begin: Callable[[str], None]) -> Any:
        begin("looking into the files")
        with files.opened(paths, cast(files.Engine, engine), columns, memory=memory) as opened:
            tables = opened.frames

            def judged(table: str) -> Any:
                begin(f"judging {paths[table].name}")
                with opened.naming(table):
                    return frames.evaluate(
                        tables[table],
                        tables["relevant"],
                        measure,
                        ks=k,
                        threshold=threshold,
                        history=tables.get("history"),
                        catalog=catalog,
                        columns=columns,
                        split=split,
                        name=str(paths[table]),
                    )

            new = judged("recommended")
            by_group = comparison = None
            if groups:
                begin("group by group")
                with opened.naming():
                    by_group = new.by(tables["groups"])
            if compare is not None:
                old = judged("compare")
                begin("comparing user by user")
                comparison = new.compare(old)
            if per_user is not None:
                begin(f"writing {per_user.name}")
                _write(new.to_frame(per_user=True, backend="native"), per_user)
        return new, comparison, by_group

    steps = 2 + bool(groups) + 2 * bool(compare) + bool(per_user)
    try:
        with _progress(steps) as begin:
            report, comparison, by_group = answer(begin)
    except FileError as problem:
        cure = f". Name it: --column {problem.role}=NAME" if problem.role else ""
        _leave(f"{problem}{cure}")
    except frames.EngineError as problem:
        _leave(f"{', '.join(map(str, paths.values()))}: {problem}")
    except (TypeError, ValueError) as problem:
        _leave(str(problem))
    if as_json:
        print(json.dumps(_as_data(report, comparison, by_group), indent=2))
        return
    _say(report)
    if by_group is not None:
        _say(f"\n{by_group}")
    if comparison is not None:
        _say(f"\n{comparison}")


def _say(text: object) -> None:
    """Print what may hold names of files and groups, which are not for a terminal to obey."""
    from recsys_metrics import _text

    print(_text.for_terminal(str(text)))


def _leave(text: str) -> NoReturn:
    from recsys_metrics import _text

    sys.exit(_text.for_terminal(f"recsys-metrics evaluate: {text}"))


def _columns(given: list[str]) -> dict[str, str]:
    roles = ("user", "item", "rank", "score", "grade", "group")
    columns = {}
    for text in given:
        role, equals, name = text.partition("=")
        if not equals or role not in roles or not name:
            sys.exit(
                f"recsys-metrics evaluate: --column {text!r} is not ROLE=NAME with one of the "
                f"roles {', '.join(roles)}"
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

    from recsys_metrics import _text

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


def _write(per_user: Any, path: Path) -> None:
    import narwhals as nw

    frame = nw.from_native(per_user).lazy()
    if path.suffix.lower() in (".parquet", ".pq"):
        if frame.implementation.is_spark_like():
            frame.collect().write_parquet(path)
        else:
            frame.sink_parquet(path)
        return
    from recsys_metrics import _spreadsheet

    # Ids are whatever stood in a file of somebody's.
    _spreadsheet.harmless_frame(frame.collect("polars").to_native()).write_csv(path)


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
                str(made): {
                    "gain": _number(difference.gain),
                    "interval": _ends(difference.interval),
                    "p_holm": _number(difference.adjusted),
                }
                for made, difference in comparison.differences.items()
            },
        }
    return data
