"""`recsys-workbook ab-test`: a file of users in, the scorecard of an experiment out."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from recsys_metrics._core.console import fail
from recsys_metrics._core.package_names import COMMAND

_NAME = "ab-test"
_EXAMPLE = (
    f'`{COMMAND} ab-test users.csv --control old -m revenue -m "CTR=ratio(clicks, views)" '
    '-m "load=quantile(seconds, 0.9)" --before revenue=revenue_before '
    "--lower-is-better load --guardrail load=0.2`"
)

_CURE = (
    ". A user who did nothing has the value 0; if a value was not recorded, find out why "
    "before you leave users out of an A/B test"
)


def ab_test(
    users: Annotated[
        Path,
        typer.Argument(
            metavar="USERS",
            help="One row per user, with the arm: CSV, TSV, Parquet, JSON Lines.",
            show_default=False,
        ),
    ],
    control: Annotated[
        str,
        typer.Option(metavar="ARM", help="The arm that others are compared with."),
    ],
    metric: Annotated[
        list[str],
        typer.Option(
            "-m",
            "--metric",
            metavar="[NAME=]METRIC",
            help="A column, mean(x), rate(x), ratio(x, y) or quantile(x, 0.9); several times.",
        ),
    ],
    before: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COLUMN",
            help="A metric's column of the time before, for CUPED; of a ratio two: CTR=x,y. It "
            "may be empty for new users.",
        ),
    ] = None,
    guardrail: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=MARGIN", help="A metric that must not become worse by so much."),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A metric of which less is better.")
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ARM=SHARE",
            help="What an arm was meant to get, 0.5 or 1 for 1:1; by default the same.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="A column by its name: arm=variant, user=customer."),
    ] = None,
    correction: Annotated[
        str, typer.Option(help="Of p-values, for all metrics and arms: holm, bonferroni, …")
    ] = "holm",
    level: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    form: Annotated[
        str, typer.Option("--format", help="text, markdown, latex, html or json.")
    ] = "text",
) -> None:
    """Compare the arms of an A/B test, metric by metric.

    The file has one row for every user who was assigned. The sizes of the arms are checked first,
    and a sample ratio mismatch refuses every conclusion. p-values are corrected for all metrics
    and arms together.
    """
    from recsys_metrics import scorecard
    from recsys_metrics.cli._options import check_choice, read_pairs, reporting
    from recsys_metrics.cli._printed_table import FORMATS, print_table
    from recsys_metrics.evaluation._arm_comparison import check_sum_of_shares
    from recsys_metrics.evaluation._experiment_metrics import read_metrics
    from recsys_metrics.frames._whole_tables import read_table
    from recsys_metrics.protocol.significance._multiple import Adjustment

    check_choice(_NAME, "--format", form, FORMATS)
    check_choice(_NAME, "--correction", correction, get_args(Adjustment))
    roles = read_pairs(_NAME, "--column", column or [], "ROLE=NAME", ("user", "arm"))
    past = read_pairs(_NAME, "--before", before or [], "NAME=COLUMN")
    margins = _numbers("--guardrail", guardrail or [], "NAME=MARGIN")
    shares = _numbers("--share", share or [], "ARM=SHARE")
    with reporting(_NAME, users):
        table = read_table(users)
        named = _name_metrics(metric, table.columns)
        for option, names in (
            ("--before", past),
            ("--guardrail", margins),
            ("--lower-is-better", lower_is_better or []),
        ):
            _check_names(option, names, named, "metric")
        pre = {name: _columns(text, table.columns) for name, text in past.items()}
        wanted = read_metrics(named, pre, table.columns)
        used = [name for each in wanted for name in (*each.columns, *each.before)]
        found = table.find(("arm",), ("user",), roles, also=used)
        columns: dict[str, Any] = {
            found[role]: table.ids(found[role], role) for role in ("arm", "user") if role in found
        }
        arms = columns[found["arm"]].unique().sort().to_list()
        _check_names("--control", [control], arms, "arm")
        _check_names("--share", shares, arms, "arm")
        if shares and len(shares) < len(arms):
            absent = next(each for each in arms if each not in shares)
            fail(_NAME, f"--share names no share of the arm {absent!r}; give one for every arm")
        check_sum_of_shares("the values of --share", shares)
        measured = {name for each in wanted for name in each.columns}
        for name in used:
            columns[name] = table.numbers(name, _CURE, gaps=name not in measured)
        card = scorecard(
            columns,
            arm=found["arm"],
            control=control,
            metrics=named,
            user=found.get("user"),
            before=pre,
            guardrails=margins,
            lower_is_better=lower_is_better or [],
            expected_shares=shares or None,
            correction=cast(Any, correction),
            level=level,
        )
    rows = card.columns()
    data = {
        "control": card.control,
        "users": card.sizes,
        "sample_ratio": {"p_value": card.ratio.p_value, "mismatch": card.mismatch is not None},
        "correction": card.correction,
        "level": card.level,
        "conclusion": card.conclusion,
        "rows": [
            dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)
        ],
        "warnings": card.warnings,
    }
    print_table(card, data, form)


ab_test.__doc__ = f"{ab_test.__doc__}\n    Example: {_EXAMPLE}\n    "


def _name_metrics(given: Sequence[str], there: tuple[str, ...]) -> dict[str, str]:
    """Return the metrics by their names, each of which is given once."""
    named: dict[str, str] = {}
    for text in given:
        name, wanted = _named(text, there)
        if not name:
            fail(_NAME, f"-m {text}: there is no name before the equals sign; write NAME=METRIC")
        if name in named:
            fail(_NAME, f"-m names {name} twice: {named[name]} and {wanted}; give each a name")
        named[name] = wanted
    return named


def _named(text: str, there: tuple[str, ...]) -> tuple[str, str]:
    """Return the name of a metric and what it is, from NAME=METRIC or the metric alone."""
    name, equals, rest = text.partition("=")
    if text in there or not equals or "(" in name:
        return text, text
    return name.strip(), rest.strip()


def _check_names(option: str, names: Iterable[str], there: Iterable[str], what: str) -> None:
    """End the command if an option names a metric or an arm that is not there."""
    for name in names:
        if name not in there:
            fail(_NAME, f"{option} {name}: there is no such {what}; there are {', '.join(there)}")


def _columns(text: str, there: tuple[str, ...]) -> list[str]:
    return [text] if text in there else [part.strip() for part in text.split(",")]


def _numbers(option: str, given: list[str], form: str) -> dict[str, float]:
    from recsys_metrics._core.checks import parse_number
    from recsys_metrics.cli._options import read_pairs

    numbers = {}
    for name, text in read_pairs(_NAME, option, given, form).items():
        try:
            numbers[name] = parse_number(text)
        except ValueError:
            fail(_NAME, f"{option} {name}={text}: {text!r} is no number")
    return numbers
