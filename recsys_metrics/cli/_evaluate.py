"""`recsys-workbook evaluate`: files in, a report out."""

import inspect
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from recsys_metrics._core import console
from recsys_metrics._core.checks import MOST_RANKS
from recsys_metrics._core.console import fail
from recsys_metrics._core.inputs.lists import Repeats
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.cli._list_options import (
    ColumnOption,
    EngineOption,
    RepeatsOption,
    SampledOption,
    ThresholdOption,
    check_metric,
    check_option,
    name_columns,
    read_columns,
    refuse_unused_columns,
)
from recsys_metrics.cli._progress import show_progress

# The annotations are read by typer: hence no `from __future__ import annotations` in this file.
_NOT_IN_A_FILE = ("config", "save_config", "example")
_EXAMPLE = Path("recsys-example")
"""The folder of the example files, in the current one, where no other is named."""


def _write_example(folders: list[Path]) -> None:
    from recsys_metrics.frames._example import write_example

    if len(folders) > 1:
        fail("evaluate", f"--example writes to one folder, and {len(folders)} are named")
    (folder,) = folders or [_EXAMPLE]
    try:
        if folder.exists() and not folder.is_dir():
            fail("evaluate", f"--example {folder}: a file is there; name a folder")
        source, command = write_example(folder)
    except OSError as problem:
        fail("evaluate", f"--example {folder}: {problem}")
    console.say(f"{source} written to {folder}; try\n{command}")
    raise typer.Exit


@dataclass(frozen=True)
class EvaluateOptions:
    """Evaluate the lists in files against the relevant items in another.

    Columns are found by their usual names (user, user_id, item, rank, score, rating …). In a file
    with ranks and scores the ranks count, unless --column score=NAME names the scores. Only what
    the measures need is read, and only sums leave the engine. Several files of lists are put into
    one table, which is printed first, with marks where one is better than another. The exit code is
    0 if the lists could be evaluated, 1 or 2 if not; a comparison that says "do not ship" is no
    failure.
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
        typer.Option(
            "-k",
            min=1,
            max=MOST_RANKS,
            help="Cut-offs for metrics without one, or for the default ones.",
        ),
    ] = None
    history: Annotated[
        Path | None, typer.Option(help="user, item: earlier interactions, for novelty.")
    ] = None
    features: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="item, category (several joined by |): for diversity and genre calibration.",
        ),
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
    threshold: ThresholdOption = None
    repeats: RepeatsOption = None
    sampled: SampledOption = None
    column: ColumnOption = None
    engine: EngineOption = None
    memory: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="GB",
            help="Memory of DuckDB or Spark, by default 3; the rest goes to disk.",
        ),
    ] = None
    split: Annotated[
        str | None, typer.Option(help="How training and test data were split; printed.")
    ] = None
    candidates: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Which items could be recommended to whom, in your words; printed.",
        ),
    ] = None
    seed: Annotated[
        str | None, typer.Option(help="The seed of the recommender's randomness; printed.")
    ] = None
    format: Annotated[
        str | None, typer.Option(help="text, markdown, latex, html or json; by default text.")
    ] = None
    table_only: Annotated[
        bool | None,
        typer.Option(
            "--table-only",
            help="Print the leaderboard of several files, or the comparison, without the reports.",
            show_default=False,
        ),
    ] = None
    per_user: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every user's values (.parquet, .csv); in CSV =1+1 becomes '=1+1.",
        ),
    ] = None
    save_report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the report to a new file, as Report.save does, for the command gate.",
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
            if chosen.k and "measure" not in {*read, *self.given}:
                chosen = replace(chosen, measure=_WITHOUT_CUTOFF)
            columns = chosen._check_options()
            with show_progress(chosen._steps) as begin:
                found = chosen._findings(columns, begin)
            if chosen.save_config is not None:
                # What a run writes is there already when it is run again.
                unwritten = (*_NOT_IN_A_FILE, "per_user", "save_report")
                options = {n: value for n, value in chosen.given.items() if n not in unwritten}
                write_config(chosen.save_config, options, f"{COMMAND} evaluate")
        # Bad input is a ValueError of the library's. What is none of these is a fault in it, and
        # shows its traceback: to say "your file" would send the user on a search.
        except _text_files.FileError as problem:
            fail("evaluate", name_columns(problem, problem.roles))
        except ConfigError as problem:
            fail("evaluate", f"--config {problem}")
        except frames.EngineError as problem:
            fail("evaluate", f"{', '.join(map(str, chosen._paths.values()))}: {problem}")
        except (OSError, ValueError) as problem:
            fail("evaluate", problem)
        print_findings(found, cast(str, chosen.format))

    def _check_options(self) -> dict[str, str]:
        """Return the columns by role, if all options can be run; raise by the option's name."""
        from recsys_metrics.cli._options import check_new, refuse_same_output
        from recsys_metrics.cli._output_formats import FORMATS
        from recsys_metrics.evaluation._rendering import LETTERS
        from recsys_metrics.frames._files import Engine
        from recsys_metrics.measures import measure
        from recsys_metrics.ranking._grade_codes import check_threshold

        if not self.recommendations:
            raise typer.BadParameter("name the lists to evaluate", param_hint="'RECS'")
        if self.truth is None:
            raise typer.BadParameter("name the file of what is relevant", param_hint="'--truth'")
        check_option("--engine", self.engine, get_args(Engine))
        check_option("--format", self.format, FORMATS)
        check_option("--repeats", self.repeats or "raise", get_args(Repeats))
        outputs = {
            "--per-user": self.per_user,
            "--save-report": self.save_report,
            "--save-config": self.save_config,
        }
        for option, file in outputs.items():
            if file is not None:
                check_new("evaluate", option, file)
        if self.per_user is not None:
            _check_writable(self.per_user)
        refuse_same_output("evaluate", outputs)
        runs = self.recommendations
        if os.path.realpath(self.truth) in map(os.path.realpath, runs):
            fail("evaluate", f"RECS and --truth both name {self.truth}; lists match themselves")
        real = [*map(os.path.realpath, runs)]
        twice = next((path for at, path in enumerate(runs) if real[at] in real[:at]), None)
        if twice is not None:
            fail("evaluate", f"RECS names {twice} twice; name each file once")
        if self.compare is not None and real == [os.path.realpath(self.compare)]:
            fail(
                "evaluate", f"--compare {self.compare}: these are the lists to compare; name others"
            )
        for option, file in (("--per-user", self.per_user), ("--save-report", self.save_report)):
            if len(runs) > 1 and file is not None:
                fail(
                    "evaluate",
                    f"{option} is of one file of lists, and RECS names {len(runs)}; run evaluate "
                    "for each",
                )
        if len(runs) > len(LETTERS) and self.compare is None:
            fail(
                "evaluate",
                f"RECS names {len(runs)} files, too many to compare each with each; name the one "
                "to compare all others with: --compare RECS",
            )
        if self.table_only and len(runs) < 2 and self.compare is None:
            fail(
                "evaluate",
                "--table-only prints the leaderboard of several files, and RECS names one; name "
                "others, or lists to compare with: --compare RECS",
            )
        try:
            check_threshold(self.threshold)
        except ValueError as problem:
            fail("evaluate", f"--{problem}")
        for text in self.measure or []:
            try:
                check_metric(text, self.given)
            except ValueError as problem:
                fail("evaluate", f"-m {problem}")
        if self.k and all(measure(text).k for text in self.measure or []):
            fail("evaluate", f"-k {self.k[0]}: every metric has a cut-off; write -m without one")
        return read_columns(self.column or [])

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
        others = {
            "relevant": self.truth,
            "history": self.history,
            "features": self.features,
            "groups": self.groups,
        }
        return self._lists | {table: path for table, path in others.items() if path is not None}

    @property
    def _steps(self) -> int:
        comparisons = len(self._lists) > 1
        written = (self.groups, self.per_user, self.save_report)
        return 1 + len(self._lists) + comparisons + sum(map(bool, written))

    def _findings(self, columns: Mapping[str, str], begin: Callable[[str], None]) -> Any:
        """Return the reports, and what was asked for beside them."""
        from recsys_metrics import frames
        from recsys_metrics.cli._options import all_or_none
        from recsys_metrics.cli._output_formats import Findings
        from recsys_metrics.evaluation import compare_many
        from recsys_metrics.frames import _files

        begin("reading the files")
        paths, engine = self._paths, cast(_files.Engine, self.engine)
        with _files.open_files(paths, engine, columns, memory=cast(int, self.memory)) as opened:
            refuse_unused_columns(columns, opened.select_columns(columns, paths))
            tables = opened.frames
            groups = {"group": tables["groups"]} if self.groups else {}

            def evaluated(table: str) -> Any:
                begin(f"evaluating {paths[table].name}")
                with opened.name_sources(table):
                    return frames.evaluate(
                        tables[table],
                        tables["relevant"],
                        self.measure or [],
                        ks=self.k,
                        threshold=self.threshold,
                        history=tables.get("history"),
                        features=tables.get("features"),
                        catalog=self.catalog,
                        groups=groups,
                        columns=opened.select_columns(
                            columns, (table, "relevant", "history", "features", "groups")
                        ),
                        repeats=cast(Any, self.repeats or "raise"),
                        sampled=self.sampled,
                        candidates=self.candidates,
                        split=self.split,
                        seed=self.seed,
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
                _say_ungrouped(shown[0], by_group[0], cast(Path, self.groups))
            comparison = board = None
            if len(reports) > 1:
                begin("comparing user by user")
            if others:
                against = None if self.compare is None else str(self.compare)
                board = compare_many([*reports.values()], baseline=against)
            elif self.compare is not None:
                comparison = first.compare(reports[self.compare])
            with all_or_none() as written:
                if self.per_user is not None:
                    from recsys_metrics.frames._writing import write_table

                    begin(f"writing {self.per_user.name}")
                    write_table(first.to_frame(per_user=True, backend="polars"), self.per_user)
                    written.append(self.per_user)
                if self.save_report is not None:
                    begin(f"writing {self.save_report.name}")
                    first.save(self.save_report)
        return Findings(shown, by_group, comparison, board, table_only=bool(self.table_only))


_WITHOUT_CUTOFF = ["ndcg", "recall", "hit_rate"]
_DEFAULTS = EvaluateOptions(
    measure=[f"{name}@10" for name in _WITHOUT_CUTOFF], engine="polars", memory=3, format="text"
)


def evaluate(**options: Any) -> None:
    """Evaluate, as `Evaluation` says."""
    EvaluateOptions(**options).run()


# So that typer sees the options where they are declared, and they are not listed twice.
evaluate.__signature__ = inspect.signature(EvaluateOptions)  # type: ignore[attr-defined]
evaluate.__doc__ = EvaluateOptions.__doc__


def _check_writable(file: Path) -> None:
    if file.suffix.lower() not in (".csv", ".parquet", ".pq"):
        fail(
            "evaluate",
            f"--per-user {file}: values are written as CSV or Parquet; let the name end in .csv, "
            ".parquet or .pq",
        )


def _say_ungrouped(report: Any, by_group: Any, file: Path) -> None:
    """Say how many users are in no group: the file has no row of theirs."""
    n_users = len(report.user_values.n_relevant)
    n_without = n_users - sum(by_group.sizes.values())
    if n_without:
        says = f"{n_without:,} of {n_users:,} users have no row in {file} and are in no group"
        console.say(says, file=sys.stderr)
