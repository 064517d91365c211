"""`recsys-workbook gate`: fail a build if a recommender got worse."""

import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast, get_args

import typer

from recsys_metrics._core import console
from recsys_metrics._core.inputs.lists import Repeats
from recsys_metrics._core.whole_files import naming, replace_file
from recsys_metrics.cli._command import StrictCommand
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
EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 2}
ERROR = 3
"""The exit code of everything that is no outcome: no build may take a typo for a result."""

_SUMMARY = "GITHUB_STEP_SUMMARY"
_NOT_IN_A_FILE = ("config", "format", "junit", "summary")
_OF_LISTS = ("truth", "history", "features", "catalog", "threshold", "repeats", "sampled", "column")


@dataclass(frozen=True)
class GateOptions:
    """Fail a build if a recommender got worse than another, by rules in a TOML file.

    CANDIDATE and BASELINE are files of lists, judged by --truth, or reports that Report.save or
    evaluate --save-report wrote. Each rule, a table [[check]] of the file, has a metric and the
    margin that it may lose, for all users or for groups of them. A check fails if the confidence
    interval of the paired difference, corrected for the number of checks, lies below minus the
    margin; it passes if the interval lies above, and is undecided otherwise, with the number of
    users that would decide it.

    The exit code is 0 if all checks pass, 1 if any fails, 2 if none fails and some are undecided,
    and 3 for an error.
    """

    candidate: Annotated[
        Path | None,
        typer.Argument(
            metavar="CANDIDATE",
            help="Lists (CSV, Parquet, TREC, JSON, JSON Lines), or a saved report.",
            show_default=False,
        ),
    ] = None
    baseline: Annotated[
        Path | None,
        typer.Argument(metavar="BASELINE", help="What to compare with.", show_default=False),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(
            "-c",
            "--config",
            metavar="TOML",
            help="The rules; it may hold options, too, by their names.",
            show_default=False,
        ),
    ] = None
    truth: Annotated[
        Path | None,
        typer.Option(
            "-t", "--truth", help="What is relevant: user, item, a grade if there is one."
        ),
    ] = None
    groups: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="user, group: for rules that name groups."),
    ] = None
    history: Annotated[
        Path | None, typer.Option(help="user, item: earlier interactions, for novelty.")
    ] = None
    features: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="item, category (several joined by |): for diversity."),
    ] = None
    catalog: Annotated[int | None, typer.Option(min=1, help="How many items there are.")] = None
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
            help="What DuckDB or Spark may hold, by default 3; the rest on disk.",
        ),
    ] = None
    format: Annotated[
        str | None, typer.Option(help="text, markdown, json or junit; by default text.")
    ] = None
    junit: Annotated[
        Path | None,
        typer.Option(
            metavar="XML", help="Also write the result, or an error, as JUnit XML to this file."
        ),
    ] = None
    summary: Annotated[
        bool | None,
        typer.Option(
            "--summary",
            help="Also append the result, as Markdown, to the step summary of GitHub Actions.",
            show_default=False,
        ),
    ] = None

    @property
    def given(self) -> dict[str, Any]:
        """The options that have a value."""
        return {name: value for name, value in vars(self).items() if value not in (None, [], ())}

    def run(self) -> NoReturn:
        """Decide, print the result, and end with the exit code of the outcome."""
        from recsys_metrics._core.inputs.engines import EngineError
        from recsys_metrics.cli._gate_formats import FORMATS
        from recsys_metrics.frames._text_files import FileError

        try:
            self._check_outputs(FORMATS)
            result = self._decide()
            console.say(FORMATS[self.format or "text"](result))
            self._write(FORMATS["junit"](result), result.to_markdown())
        # What is none of these is a fault of the library, and shows its traceback.
        except FileError as problem:
            self._fail(name_columns(problem, problem.roles))
        except (EngineError, OSError, ValueError) as problem:
            self._fail(problem)
        raise typer.Exit(EXIT_CODES[result.outcome])

    def _check_outputs(self, formats: Mapping[str, Any]) -> None:
        """Raise if the result could not be written, before it is computed."""
        check_option("--format", self.format or "text", formats)
        if self.summary and not os.environ.get(_SUMMARY):
            raise ValueError(
                f"--summary: {_SUMMARY} is not set; GitHub Actions sets it in each step"
            )
        if self.junit is None:
            return
        if not self.junit.parent.is_dir():
            raise ValueError(f"--junit {self.junit}: {self.junit.parent} is no folder")
        if not _may_replace(self.junit):
            raise ValueError(
                f"--junit {self.junit} is there already and "
                "was not written by a gate; give another name"
            )

    def _write(self, junit: str, markdown: str) -> None:
        """Write JUnit XML and the step summary, where they are wanted."""
        if self.junit is not None:
            replace_file(self.junit, [junit, "\n"])
        if self.summary:
            summary = Path(os.environ[_SUMMARY])
            with naming(summary), summary.open("a", encoding="utf-8") as file:
                file.write(f"{markdown}\n")

    def _fail(self, problem: object) -> NoReturn:
        """End with an error, which takes the place of a result that an earlier run wrote."""
        from recsys_metrics.cli._gate_formats import junit_of_error

        message = console.one_line(str(problem))
        writable = self if os.environ.get(_SUMMARY) else replace(self, summary=None)
        try:
            if self.junit is not None and not _may_replace(self.junit):
                writable = replace(writable, junit=None)
            fence = "`" * (3 + message.count("```"))
            writable._write(
                junit_of_error(message), f"**Gate: error.**\n\n{fence}\n{message}\n{fence}\n"
            )
        except OSError as other:
            message = f"{message} ({other})"
        console.fail("gate", message, code=ERROR)

    def _decide(self) -> Any:
        """Return the result of the gate."""
        from recsys_metrics.cli._gate_config import read_gate_config
        from recsys_metrics.evaluation import gate

        if self.config is None:
            raise ValueError("name the file of rules: --config gate.toml")
        read = read_gate_config(self.config, GateOptions, without=_NOT_IN_A_FILE)
        chosen = replace(_DEFAULTS, **{**read.options, **self.given})
        for name in ("candidate", "baseline"):
            if getattr(chosen, name) is None:
                raise ValueError(f"name the {name}: {name.upper()}, or {name} in {self.config}")
        metrics = list(dict.fromkeys(str(rule.metric) for rule in read.rules))
        lists, saved = chosen._sort_files()
        chosen._check_lists(lists, metrics)
        with show_progress(2 + len(lists)) as begin:
            new, old, groups = chosen._read_reports(lists, saved, metrics, begin)
            if groups is None and not new.groups and any(rule.groups for rule in read.rules):
                raise ValueError(f"a rule in {self.config} names groups; give them: --groups FILE")
            begin("comparing user by user")
            return gate(new, old, rules=read.rules, groups=groups, **read.settings)

    def _sort_files(self) -> tuple[dict[str, Path], dict[str, Path]]:
        """Return which of the two are files of lists, and which are saved reports."""
        from recsys_metrics.evaluation._report_file import is_saved_report

        paths = {"candidate": cast(Path, self.candidate), "baseline": cast(Path, self.baseline)}
        saved = {name: path for name, path in paths.items() if is_saved_report(path)}
        return {name: path for name, path in paths.items() if name not in saved}, saved

    def _read_reports(
        self,
        lists: Mapping[str, Path],
        saved: Mapping[str, Path],
        metrics: list[str],
        begin: Callable[[str], None],
    ) -> tuple[Any, Any, Any]:
        """Return the two reports, and the table of groups if they are not in the candidate's."""
        from recsys_metrics.evaluation import Report

        begin("looking into the files")
        reports = {}
        for name, path in saved.items():
            # It is named by its file, as lists are, so that the two can be told apart.
            reports[name] = replace(Report.load(path), name=str(path))
        groups = None
        if lists or self.groups is not None:
            evaluated, groups = self._evaluate(lists, metrics, begin)
            reports |= evaluated
        if groups is not None:
            groups = _match_id_type(groups, reports["candidate"])
        return reports["candidate"], reports["baseline"], groups

    def _check_lists(self, lists: Mapping[str, Path], metrics: list[str]) -> None:
        """Raise if lists cannot be evaluated, or options were given that no list needs."""
        from recsys_metrics.frames._files import Engine
        from recsys_metrics.ranking._grade_codes import check_threshold

        check_option("--engine", self.engine, get_args(Engine))
        check_option("--repeats", self.repeats or "raise", get_args(Repeats))
        if lists and self.truth is None:
            (name, path), *_ = lists.items()
            raise ValueError(f"the {name}, {path}, is no saved report; name --truth to evaluate it")
        unused = [name for name in _OF_LISTS if name in self.given and not lists]
        if self.groups is not None:
            unused = [name for name in unused if name != "column"]
        if unused:
            raise ValueError(
                f"--{unused[0]} is for lists, and both {self.candidate} and {self.baseline} are "
                "saved reports; leave it out"
            )
        try:
            check_threshold(self.threshold)
        except ValueError as problem:
            raise ValueError(f"--{problem}") from None
        for text in metrics if lists else []:
            check_metric(text, self.given)

    def _evaluate(
        self,
        lists: Mapping[str, Path],
        metrics: list[str],
        begin: Callable[[str], None],
    ) -> tuple[dict[str, Any], Any]:
        """Return the reports of lists, and the groups if the candidate is none of them."""
        from recsys_metrics import frames
        from recsys_metrics.frames import _files
        from recsys_metrics.frames._evaluate import read_groups

        columns = read_columns(self.column or [])
        tables = {
            "relevant": self.truth,
            "history": self.history,
            "features": self.features,
            "groups": self.groups,
        }
        paths = {**lists} | {name: path for name, path in tables.items() if path is not None}
        engine, memory = cast(_files.Engine, self.engine), cast(int, self.memory)
        with _files.open_files(paths, engine, columns, memory=memory) as opened:
            refuse_unused_columns(columns, opened.select_columns(columns, paths))
            reports = {}
            for name, path in lists.items():
                begin(f"judging {path.name}")
                grouped = name == "candidate" and self.groups is not None
                # A column of the groups is none of the tables that the baseline is evaluated with.
                tables_read = (name, "relevant", "history", "features", *["groups"] * grouped)
                with opened.name_sources(name):
                    reports[name] = frames.evaluate(
                        opened.frames[name],
                        opened.frames["relevant"],
                        metrics,
                        threshold=self.threshold,
                        repeats=cast(Any, self.repeats or "raise"),
                        sampled=self.sampled,
                        history=opened.frames.get("history"),
                        features=opened.frames.get("features"),
                        catalog=self.catalog,
                        groups={"group": opened.frames["groups"]} if grouped else {},
                        columns=opened.select_columns(columns, tables_read),
                        name=str(path),
                    )
            if self.groups is None or "candidate" in lists:
                return reports, None
            with opened.name_sources("groups"):
                names = opened.select_columns(columns, ("groups",))
                return reports, read_groups(opened.frames["groups"], names)


_DEFAULTS = GateOptions(engine="polars", memory=3)


def _match_id_type(groups: Any, report: Any) -> Any:
    """Return groups whose users are text if those of the report are."""
    if report.users is None:
        raise ValueError(
            f"--groups is a table of users, and the saved report {report.name} has no user ids; "
            "evaluate lists that are keyed by user"
        )
    if all(isinstance(user, str) for user in report.users):
        import polars as pl

        return groups.with_columns(pl.col("user").cast(pl.String))
    return groups


def _may_replace(path: Path) -> bool:
    """Whether nothing is there, an empty file, or the JUnit XML of an earlier gate."""
    from recsys_metrics.cli._gate_formats import SUITE

    if not path.is_file():
        # A folder is there, and so is a link that leads nowhere.
        return not (path.exists() or path.is_symlink())
    with path.open("rb") as file:
        start = file.read(400)
    return not start or (start.lstrip().startswith(b"<") and f'name="{SUITE}"'.encode() in start)


class GateCommand(StrictCommand):
    """A command whose errors have an exit code of their own, which is none of an outcome."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Parse the arguments."""
        with _end_errors_with_their_code():
            return super().make_context(*arguments, **options)

    def invoke(self, context: Any) -> Any:
        """Run the command."""
        with _end_errors_with_their_code():
            return super().invoke(context)


@contextmanager
def _end_errors_with_their_code() -> Iterator[None]:
    try:
        yield
    except (typer.Exit, ModuleNotFoundError):
        raise
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except Exception as problem:
        if hasattr(problem, "exit_code"):  # an argument that typer refuses, and explains
            problem.exit_code = ERROR
            raise
        traceback.print_exc(file=sys.stderr)
        raise typer.Exit(ERROR) from None


def gate(**options: Any) -> None:
    """Decide, as `GateOptions` says."""
    GateOptions(**options).run()


# So that typer sees the options where they are declared, and they are not listed twice.
gate.__signature__ = inspect.signature(GateOptions)  # type: ignore[attr-defined]
gate.__doc__ = GateOptions.__doc__
