"""`recsys-workbook evaluate`: files in, a report out."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from recsys_metrics._core import console
from recsys_metrics._core.checks import MOST_RANKS
from recsys_metrics._core.console import fail
from recsys_metrics._core.package_names import COMMAND

# The annotations are read by typer: hence no `from __future__ import annotations` in this file.
_NOT_IN_A_FILE = ("config", "save_config", "example")
_ROLES = ("user", "item", "rank", "score", "grade", "group")
_HISTORY = ("history", "--history FILE: the interactions of the training data")
_NEEDED = {
    "catalog": ("catalog", "--catalog N: how many items could have been recommended"),
    **dict.fromkeys(("item_counts", "history", "baseline"), _HISTORY),
}
"""Which option gives what a measure needs to know, and what it takes."""


_EXAMPLE = Path("recsys-example")
"""The folder of the example files, in the current one, where no other is named."""


def _write_example(folders: list[Path]) -> None:
    from recsys_metrics.frames._example import write_example

    if len(folders) > 1:
        fail("evaluate", f"--example writes to one folder, and {len(folders)} are named")
    (folder,) = folders or [_EXAMPLE]
    source, command = write_example(folder)
    console.say(f"{source} written to {folder}; try\n{command}")
    raise typer.Exit


@dataclass(frozen=True)
class EvaluateOptions:
    """Evaluate the lists in files against the relevant items in another.

    Columns are found by their usual names (user, user_id, item, rank, score, rating …). Only what
    the measures need is read, and only sums leave the engine. Several files of lists are put into
    one table, with marks where one is clearly better than another. The exit code is 0 if the
    lists could be evaluated, 1 or 2 if not; a comparison that says "do not ship" is no failure.
    """

    recommendations: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RECS",
            help="user, item, rank or score: CSV, Parquet, TREC, JSON, JSON Lines.",
            show_default=False,
        ),
    ] = None
    truth: Annotated[
        Path | None,
        typer.Option(
            "-t", "--truth", help="What is relevant: user, item, a grade if there is one."
        ),
    ] = None
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="May be given several times; by default ndcg@10, recall@10, hit_rate@10.",
        ),
    ] = None
    k: Annotated[
        list[int] | None,
        typer.Option("-k", min=1, max=MOST_RANKS, help="Cut-offs for measures without one."),
    ] = None
    history: Annotated[
        Path | None, typer.Option(help="user, item: earlier interactions, for novelty.")
    ] = None
    catalog: Annotated[
        int | None, typer.Option(min=1, help="How many items there are, for coverage and Gini.")
    ] = None
    compare: Annotated[
        Path | None,
        typer.Option(metavar="RECS", help="Lists to compare each of the others with, by user."),
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
    engine: Annotated[
        str | None, typer.Option(help="polars, duckdb or spark; by default polars.")
    ] = None
    memory: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="GB",
            help="What DuckDB or Spark may hold, by default 3; the rest on disk.",
        ),
    ] = None
    split: Annotated[
        str | None, typer.Option(help="How training and test were told apart; printed.")
    ] = None
    format: Annotated[
        str | None, typer.Option(help="text, markdown, latex, html or json; by default text.")
    ] = None
    per_user: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every user's values (.parquet, .csv); in CSV =1+1 becomes '=1+1.",
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="TOML",
            help="Take options from a file, by their names; those given here go before.",
        ),
    ] = None
    save_config: Annotated[
        Path | None,
        typer.Option(metavar="TOML", help="Write what was run to a new file for --config."),
    ] = None
    example: Annotated[
        bool | None,
        typer.Option(
            "--example",
            help=f"Write files to try this on into the folder RECS, by default {_EXAMPLE}.",
            show_default=False,
        ),
    ] = None

    @property
    def given(self) -> dict[str, Any]:
        """The options that have a value."""
        return {name: value for name, value in vars(self).items() if value not in (None, [], ())}

    def run(self) -> None:
        """Evaluate, and print what was found."""
        if self.example:
            _write_example(self.recommendations or [])
        from recsys_metrics import frames
        from recsys_metrics.cli._config import ConfigError, read_config, write_config
        from recsys_metrics.cli._output_formats import print_findings
        from recsys_metrics.frames import _text_files

        try:
            read = {}
            if self.config is not None:
                read = read_config(self.config, EvaluateOptions, without=_NOT_IN_A_FILE)
            chosen = replace(_DEFAULTS, **{**read, **self.given})
            columns = chosen._check_options()
            with _progress(chosen._steps) as begin:
                found = chosen._findings(columns, begin)
            if chosen.save_config is not None:
                # What a run writes is there already when it is run again.
                unwritten = (*_NOT_IN_A_FILE, "per_user")
                options = {n: value for n, value in chosen.given.items() if n not in unwritten}
                write_config(chosen.save_config, options, f"{COMMAND} evaluate")
        # Bad input is a ValueError of the library's. What is none of these is a fault in it, and
        # shows its traceback: to say "your file" would send the user on a search.
        except _text_files.FileError as problem:
            named = " ".join(f"--column {role}=NAME" for role in problem.roles)
            it = "it" if len(problem.roles) == 1 else "them"
            cure = f". Name {it}: {named}" if named else ""
            fail("evaluate", f"{problem}{cure}")
        except ConfigError as problem:
            fail("evaluate", f"--config {problem}")
        except frames.EngineError as problem:
            fail("evaluate", f"{', '.join(map(str, chosen._paths.values()))}: {problem}")
        except (OSError, ValueError) as problem:
            fail("evaluate", problem)
        print_findings(found, cast(str, chosen.format))

    def _check_options(self) -> dict[str, str]:
        """Return the columns by role, if all options can be run; raise by the option's name."""
        from recsys_metrics.cli._output_formats import FORMATS
        from recsys_metrics.evaluation._rendering import LETTERS
        from recsys_metrics.frames._files import Engine
        from recsys_metrics.ranking._grade_codes import check_threshold

        if not self.recommendations:
            raise typer.BadParameter("name the lists to evaluate", param_hint="'RECS'")
        if self.truth is None:
            raise typer.BadParameter("name the file of what is relevant", param_hint="'--truth'")
        _check_choice("--engine", self.engine, get_args(Engine))
        _check_choice("--format", self.format, FORMATS)
        for option, file in (("--per-user", self.per_user), ("--save-config", self.save_config)):
            if file is not None:
                _check_new(option, file)
        runs = self.recommendations
        twice = next((path for path in runs if runs.count(path) > 1), None)
        if twice is not None:
            fail("evaluate", f"RECS names {twice} twice; name each file once")
        if runs == [self.compare]:
            fail(
                "evaluate", f"--compare {self.compare}: these are the lists to compare; name others"
            )
        if len(runs) > 1 and self.per_user is not None:
            fail("evaluate", f"--per-user is of one file of lists, and RECS names {len(runs)}")
        if len(runs) > len(LETTERS) and self.compare is None:
            fail(
                "evaluate",
                f"RECS names {len(runs)} files, too many to compare each with each; name the one "
                "to compare all others with: --compare RECS",
            )
        try:
            check_threshold(self.threshold)
        except ValueError as problem:
            fail("evaluate", f"--{problem}")
        for text in self.measure or []:
            self._check_measure(text)
        return _columns(self.column or [])

    def _check_measure(self, text: str) -> None:
        from recsys_metrics.measures import measure

        try:
            wanted = measure(text)
        except ValueError as problem:
            fail("evaluate", f"-m {text}: {problem}")
        for need in wanted.metric.needs:
            if need == "features":
                fail(
                    "evaluate",
                    f"-m {text}: there is no option for what is known of the items; in Python it "
                    "is evaluate(…, features=…)",
                )
            option, words = _NEEDED.get(need, ("", ""))
            if option and option not in self.given:
                fail("evaluate", f"-m {text} needs {words}")

    @property
    def _lists(self) -> dict[str, Path]:
        """The files of recommendations, by the table that they are opened as."""
        assert self.recommendations is not None
        runs = self.recommendations
        lists = {f"recommended {number}": path for number, path in enumerate(runs, start=1)}
        if self.compare is not None and self.compare not in runs:
            lists["compare"] = self.compare
        return lists

    @property
    def _paths(self) -> dict[str, Path]:
        others = {"relevant": self.truth, "history": self.history, "groups": self.groups}
        return self._lists | {table: path for table, path in others.items() if path is not None}

    @property
    def _steps(self) -> int:
        comparisons = len(self._lists) > 1
        return 1 + len(self._lists) + comparisons + bool(self.groups) + bool(self.per_user)

    def _findings(self, columns: Mapping[str, str], begin: Callable[[str], None]) -> Any:
        """Return the reports, and what was asked for beside them."""
        from recsys_metrics import frames
        from recsys_metrics.cli._output_formats import Findings
        from recsys_metrics.evaluation import compare_many
        from recsys_metrics.frames import _files

        begin("looking into the files")
        paths, engine = self._paths, cast(_files.Engine, self.engine)
        with _files.open_files(paths, engine, columns, memory=cast(int, self.memory)) as opened:
            used = opened.select_columns(columns, paths)
            if unused := [role for role in columns if role not in used]:
                role = unused[0]
                fail(
                    "evaluate",
                    f"--column {role}={columns[role]}: no file has such a column for the {role}",
                )
            tables = opened.frames
            groups = {"group": tables["groups"]} if self.groups else {}

            def evaluated(table: str) -> Any:
                begin(f"judging {paths[table].name}")
                with opened.name_sources(table):
                    return frames.evaluate(
                        tables[table],
                        tables["relevant"],
                        self.measure or [],
                        ks=self.k,
                        threshold=self.threshold,
                        history=tables.get("history"),
                        catalog=self.catalog,
                        groups=groups,
                        columns=opened.select_columns(
                            columns, (table, "relevant", "history", "groups")
                        ),
                        split=self.split,
                        name=str(paths[table]),
                    )

            reports = {paths[table]: evaluated(table) for table in self._lists}
            first, *others = (reports[path] for path in self.recommendations or ())
            shown = [*reports.values()] if others else [first]
            by_group = []
            if groups:
                begin("group by group")
                with opened.name_sources():
                    by_group = [report.by("group") for report in shown]
            comparison = board = None
            if len(reports) > 1:
                begin("comparing user by user")
            if others:
                against = None if self.compare is None else str(self.compare)
                board = compare_many([*reports.values()], baseline=against)
            elif self.compare is not None:
                comparison = first.compare(reports[self.compare])
            if self.per_user is not None:
                from recsys_metrics.frames._writing import write_table

                begin(f"writing {self.per_user.name}")
                write_table(first.to_frame(per_user=True, backend="polars"), self.per_user)
        return Findings(shown, by_group, comparison, board)


_DEFAULTS = EvaluateOptions(
    measure=["ndcg@10", "recall@10", "hit_rate@10"], engine="polars", memory=3, format="text"
)


def evaluate(**options: Any) -> None:
    """Evaluate, as `Evaluation` says."""
    EvaluateOptions(**options).run()


# So that typer sees the options where they are declared, and they are not listed twice.
evaluate.__signature__ = inspect.signature(EvaluateOptions)  # type: ignore[attr-defined]
evaluate.__doc__ = EvaluateOptions.__doc__


def _check_choice(option: str, value: str | None, choices: Iterable[str]) -> None:
    *others, last = choices
    if value not in (*others, last):
        fail("evaluate", f"{option} is {', '.join(others)} or {last}, not {value!r}")


def _check_new(option: str, file: Path) -> None:
    # A link that leads nowhere is no file, and yet something is there.
    if file.exists() or file.is_symlink():
        fail("evaluate", f"{file} is there already and stays as it is; give {option} a new name")
    if not file.parent.is_dir():
        fail("evaluate", f"{option} {file}: {file.parent} is no folder; make it first")


def _columns(given: list[str]) -> dict[str, str]:
    columns = {}
    for text in given:
        role, equals, name = text.partition("=")
        if not equals or role not in _ROLES or not name:
            fail(
                "evaluate",
                f"--column {text!r} is not ROLE=NAME with one of the roles {', '.join(_ROLES)}",
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

    # Not what rich says: it believes FORCE_COLOR, which notebooks and build servers set.
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=steps, completed=-1)
        yield lambda step: bar.update(
            task, description=console.printable(step), advance=1, refresh=True
        )
