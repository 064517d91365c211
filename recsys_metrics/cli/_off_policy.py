"""`recsys-workbook off-policy`: a log of rounds in, estimates of another policy out."""

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from recsys_metrics._core.console import fail
from recsys_metrics._core.package_names import COMMAND

_NAME = "off-policy"
_EXAMPLE = (
    f"`{COMMAND} off-policy log.parquet -e ips -e snips -e clipped_ips --cap 20 "
    "--column reward=click`"
)


def off_policy(
    log: Annotated[
        Path,
        typer.Argument(
            metavar="LOG",
            help="reward, propensity, target, perhaps user, a row per round: CSV, TSV, Parquet, "
            "JSON Lines.",
            show_default=False,
        ),
    ],
    estimator: Annotated[
        list[str] | None,
        typer.Option(
            "-e",
            "--estimator",
            metavar="NAME",
            help="May be given several times; by default ips and snips.",
        ),
    ] = None,
    cap: Annotated[
        float | None, typer.Option(help="The largest weight of the clipped estimators.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="The largest weight that switch doubly robust corrects by."),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=NAME", help="A column by its name: reward=click, user=visitor_id."
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="text, markdown, latex, html or json.")
    ] = "text",
) -> None:
    """Estimate what another policy would have earned per round.

    A row is a logged round: its reward, the propensity with which the logging policy chose what it
    did, and the probability with which the target policy chooses that. Estimators with a model also
    need model, the reward that is predicted for what was chosen, and value, the reward that is
    predicted for the target policy. With a column user the intervals keep the rounds of a user
    together, because they are not independent.

    Estimators: ips, clipped_ips, snips, clipped_snips, direct_method, doubly_robust,
    self_normalized_doubly_robust and switch_doubly_robust.
    """
    from recsys_metrics._core.checks import check_level
    from recsys_metrics.bias.off_policy._formulas import limit_of
    from recsys_metrics.cli._options import check_choice, read_pairs, reporting
    from recsys_metrics.cli._printed_table import FORMATS, print_table
    from recsys_metrics.frames._files import PARQUET, check_exists, scan_parquet
    from recsys_metrics.frames._off_policy import ROLES, estimate_rounds
    from recsys_metrics.frames._text_files import refuse_row_column
    from recsys_metrics.frames._whole_tables import ROW, read_table

    check_choice(_NAME, "--format", form, FORMATS)
    columns = read_pairs(_NAME, "--column", column or [], "ROLE=NAME", ROLES)
    with reporting(_NAME, log):
        level = check_level(level)
        names = cast(Any, estimator or ["ips", "snips"])
        for option, limit in (("cap", cap), ("threshold", threshold)):
            if limit is not None and option not in {limit_of(name) for name in names}:
                fail(_NAME, f"--{option} {limit:g}: no estimator takes it; name one with -e")
        options: dict[str, Any] = {
            "cap": cap,
            "threshold": threshold,
            "columns": columns,
            "row": ROW,
        }
        if log.suffix.lower() in PARQUET:
            check_exists(log)
            rounds = scan_parquet(log)
            refuse_row_column(log, rounds.collect_schema().names())
            rounds = rounds.with_row_index(ROW, offset=1)
        else:
            table = read_table(log)
            numbers = (role for role in ROLES if role != "user")
            there = {columns.get(role, role) for role in numbers} & {*table.columns}
            rounds = table.frame.with_columns(table.numbers(name) for name in there).lazy()
            if ROW not in table.frame.columns:
                rounds = rounds.with_row_index(ROW, offset=1)
        found = estimate_rounds(rounds, names, **options)
        shown, data = _as_table(log, found, level)
    print_table(shown, data, form)


off_policy.__doc__ = f"{off_policy.__doc__}\n    Example: {_EXAMPLE}\n    "


def _as_table(log: Path, found: Any, level: float) -> tuple[Any, dict[str, Any]]:
    from recsys_metrics.cli._printed_table import PrintedTable
    from recsys_metrics.evaluation._rendering import View

    rows: dict[str, Any] = {}
    data = []
    for name, estimate in found.items():
        low, high = estimate.interval(level=level)
        rows[name] = (
            None,
            [
                f"{estimate.value:.4g} [{low:.4g}, {high:.4g}]",
                f"{estimate.standard_error:.2g}",
                f"{estimate.effective_sample_size:,.1f}",
            ],
        )
        data.append(
            {
                "estimator": name,
                "value": estimate.value,
                "interval": [low, high],
                "standard_error": estimate.standard_error,
                "effective_sample_size": estimate.effective_sample_size,
            }
        )
    first = next(iter(found.values()))
    rounds = f"From {first.n:,} rounds, with normal intervals"
    rounds += (
        " that take rounds for independent; name the column of users (--column user=NAME) if one "
        "user has several"
        if first.n_users is None
        else f" over the {first.n_users:,} users, whose rounds are kept together"
    )
    view = View(
        title=f"Off-policy estimates from {log}",
        headings=["Estimator", f"Reward per round, {100 * level:g}% CI", "Standard error", "ESS"],
        rows=rows,
        legend=f"{rounds}. ESS is the effective sample size: how "
        "many rounds of equal weight would give the same variance. Rewards that the logging policy "
        "never saw are not in an interval.",
        warnings=[f"{name}: {each}" for name, one in found.items() for each in one.warnings],
    )
    return PrintedTable(view), {
        "log": str(log),
        "rounds": first.n,
        "users": first.n_users,
        "level": level,
        "estimates": data,
    }
