"""The metrics of an A/B test, as texts name them, and their columns in a table of users."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.checks import (
    check_mapping,
    check_share,
    is_among,
    is_missing,
    missing_entries,
    parse_number,
)
from recsys_metrics._core.inputs.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    as_array,
    as_scores,
)
from recsys_metrics._core.inputs.encoded import number_ids
from recsys_metrics._core.inputs.frames import (
    ARM_NAMES,
    column_names,
    column_of,
    entries_of,
    in_memory,
    is_column,
    is_frame,
    refuse_other_labels,
    usual_columns,
)
from recsys_metrics._core.inputs.ids import find_ids_alike, kind, refuse_names_alike
from recsys_metrics._core.inputs.several import read_several

MetricKind = Literal["value", "mean", "rate", "ratio", "quantile"]
"""A value is a rate where all are 0 or 1, and a mean otherwise."""

_ARGUMENTS = {
    "mean": "mean(column)",
    "rate": "rate(column)",
    "ratio": "ratio(column, column)",
    "quantile": "quantile(column, 0.9)",
}
_FORM = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
_WRONG = (
    ". A user who did nothing has the value 0. If a value was not recorded, find out why before "
    "you leave users out: those who were assigned and are left out afterwards bias the comparison"
)


@dataclass(frozen=True)
class ExperimentMetric:
    """A metric of users, and the columns that it is computed from.

    Attributes
    ----------
    name : str
    kind : {"value", "mean", "rate", "ratio", "quantile"}
    columns : tuple of str
        One, or the numerator and the denominator of a ratio.
    quantile : float or None
    before : tuple of str
        What was known of each user before the experiment; for a ratio its numerator and
        denominator come first. A user without a past, who is new, has NaN.
    """

    name: str
    kind: MetricKind
    columns: tuple[str, ...]
    quantile: float | None = None
    before: tuple[str, ...] = ()


def read_metrics(
    given: Sequence[Any] | Mapping[str, Any],
    before: Mapping[str, Any] | None,
    there: Sequence[Any],
) -> list[ExperimentMetric]:
    """Return the metrics that texts or tuples name, with what was known before.

    Parameters
    ----------
    given : sequence of str or tuple, or mapping of name to one
    before : mapping of name to column or columns, or None
    there : sequence
        The names of the columns.
    """
    if not isinstance(given, Mapping):
        given = read_several("metrics", given, "metrics such as ['clicks']", alone=str)
    named = given if isinstance(given, Mapping) else {}
    if not isinstance(given, Mapping):
        texts = [each if isinstance(each, str) else _as_text(each) for each in given]
        twice = next((text for text in texts if texts.count(text) > 1), None)
        if twice is not None:
            raise ValueError(f"metrics has {twice!r:.80} twice; name each metric once")
        named = dict(zip(texts, given, strict=True))
    if not named:
        raise ValueError("metrics is empty; name at least one column of numbers")
    past = {} if before is None else before
    check_mapping("before", past, "from a metric to its columns of the time before")
    for name in past:
        if name not in named:
            raise ValueError(f"before has {name!r:.80}, which is no metric{suggest(name, named)}")
    return [_read_metric(str(name), each, past.get(name), there) for name, each in named.items()]


def _read_metric(name: str, given: Any, before: Any, there: Sequence[Any]) -> ExperimentMetric:
    kind_, *parts = _parts(given, there)
    quantile = None
    if kind_ == "quantile":
        quantile = check_share(f"the quantile of metric {name!r}", _number(parts.pop(), name))
    known = () if before is None else ((before,) if isinstance(before, str) else tuple(before))
    if known and kind_ == "quantile":
        raise ValueError(
            f"before has {name!r}, a quantile, and CUPED adjusts means, rates and ratios; leave "
            "it out"
        )
    if kind_ == "ratio" and len(known) == 1:
        raise ValueError(
            f"before[{name!r}] is one column, and the past of a ratio has two: its numerator and "
            "its denominator before the experiment"
        )
    if same := [each for each in known if each in parts]:
        raise ValueError(
            f"before[{name!r}] has the column {same[0]!r} of the metric itself, which explains all "
            "of it; name a column of the time before the experiment"
        )
    return ExperimentMetric(name, kind_, tuple(parts), quantile, known)


def _parts(given: Any, there: Sequence[Any]) -> list[Any]:
    """Return a kind of metric and its arguments."""
    if isinstance(given, str) and given not in there and (form := _FORM.fullmatch(given)):
        given = (form[1], *(part.strip() for part in form[2].split(",")))
    if isinstance(given, str):
        return ["value", given]
    forms = ", ".join(_ARGUMENTS.values())
    if not isinstance(given, tuple | list) or not given:
        raise TypeError(f"a metric is a column or one of {forms}; got {given!r:.60}")
    wanted = 2 if given[0] in ("ratio", "quantile") else 1
    if given[0] not in _ARGUMENTS or len(given) != 1 + wanted or "" in given:
        raise ValueError(
            f"the metric {_as_text(given):.80} is not a column of the table, and not one of {forms}"
        )
    return list(given)


def _as_text(given: Any) -> str:
    if isinstance(given, tuple | list) and given:
        return f"{given[0]}({', '.join(map(str, given[1:]))})"
    return str(given)


def _number(text: Any, name: str) -> Any:
    try:
        return parse_number(text) if isinstance(text, str) else text
    except ValueError:
        raise ValueError(
            f"the quantile of metric {name!r:.80} is {text!r:.80}; write a number from 0 to 1, "
            "such as quantile(column, 0.9)"
        ) from None


def suggest(name: str, names: Any) -> str:
    """Return, in words, what a name may have meant, or what there is."""
    listed = [str(each) for each in names]
    found = get_close_matches(str(name)[:100].lower(), [each.lower() for each in listed], n=1)
    close = next((each for each in listed if each.lower() in found), None)
    return f"; there are {', '.join(listed)}" if close is None else f"; did you mean {close!r}?"


@dataclass(frozen=True, eq=False)
class UserTable:
    """The columns of an experiment, one row per user, checked.

    Attributes
    ----------
    arms : tuple
        The control first.
    code : (n,) array of int
        The number of each user's arm.
    numbers : mapping from column to (n,) array of float
    user : str or None
        The column of user ids, in which no one occurs twice.
    """

    arms: tuple[Hashable, ...]
    code: IndexArray
    numbers: Mapping[str, FloatArray]
    user: str | None

    def of(self, column: str, arm: Hashable) -> FloatArray:
        """Return the numbers of a column of the users in an arm."""
        chosen: FloatArray = self.numbers[column][self.code == self.arms.index(arm)]
        return chosen

    @property
    def sizes(self) -> dict[Hashable, int]:
        """How many users each arm has."""
        counts = np.bincount(self.code, minlength=len(self.arms)).tolist()
        return dict(zip(self.arms, counts, strict=True))


def open_table(frame: Any) -> tuple[Any, list[Any]]:
    """Return a table in memory, and the names of its columns."""
    if not is_frame(frame) and not isinstance(frame, Mapping):
        raise TypeError(
            f"frame must be a data frame with a row per user, or a mapping from column to values; "
            f"got {kind(frame)}"
        )
    table = frame if isinstance(frame, Mapping) else in_memory(frame)
    return table, column_names(table)


def find_arm(there: Sequence[Any]) -> Any:
    """Return the column whose name says that it has the arms."""
    usual = usual_columns(there, "arm", ARM_NAMES)
    if len(usual) == 1:
        return usual[0]
    problem = (
        f"several columns could have the arms, {usual}" if usual else "no column looks like the arm"
    )
    raise ValueError(f"{problem}; there are {[*there]}. Say which it is with arm=…")


def read_users(
    table: Any,
    metrics: Sequence[ExperimentMetric],
    *,
    arm: str,
    control: Hashable,
    user: str | None,
    expected: Mapping[Any, float] | None,
) -> UserTable:
    """Return the columns that an experiment needs; raise for the first row that is wrong."""
    there = column_names(table)
    if user is None:
        usual = usual_columns(there, "user")
        # Where several columns look like it, the caller has to say which; none is checked then.
        user = usual[0] if len(usual) == 1 else None
    uses = {arm: "the arm"} | ({} if user is None else {user: "the user"})
    for metric in metrics:
        for column in (*metric.columns, *metric.before):
            uses.setdefault(column, f"metric {metric.name!r:.80}")
    _refuse_absent(uses, there)
    if isinstance(table, Mapping):
        refuse_other_labels(**{str(column): table[column] for column in uses})
    labels = column_of(table, arm)
    rows = len(entries_of(labels))
    if not rows:
        raise ValueError("the table has no row; there are no users to compare")
    arms, code = _read_arms(labels, arm, control, expected)
    whose = _row_namer(table, user, arms, code)
    if user is not None:
        _refuse_repeats(column_of(table, user), user, arms, code)
    numbers: dict[str, FloatArray] = {}
    measured = {column for metric in metrics for column in metric.columns}
    for metric in metrics:
        for column in (*metric.columns, *metric.before):
            if column not in numbers:
                place = f"column {column!r} (metric {metric.name!r})"
                gaps = column not in measured
                numbers[column] = _read_numbers(column_of(table, column), place, rows, whose, gaps)
        if metric.kind == "rate":
            _refuse_no_rate(metric, numbers[metric.columns[0]], whose)
    return UserTable(arms, code, numbers, user)


def _refuse_no_rate(metric: ExperimentMetric, values: FloatArray, whose: Any) -> None:
    """Raise if a rate is asked of a column with other values than 0 and 1."""
    odd = (values != 0) & (values != 1)
    if odd.any():
        row, column = int(odd.argmax()), metric.columns[0]
        raise ValueError(
            f"metric {metric.name!r} is a rate, which takes 0 or 1 of each user, and column "
            f"{column!r} is {values[row]:g} in {whose(row)}; use mean({column}), or the name of "
            "the column alone"
        )


def _refuse_absent(uses: Mapping[str, str], there: Sequence[Any]) -> None:
    for column, use in uses.items():
        if is_missing(column):
            raise TypeError(f"a column is named by a text; got {column!r} for {use}")
    absent = [column for column in uses if column not in there]
    if absent:
        listed = " and ".join(f"{column!r:.80} for {uses[column]}" for column in absent)
        raise ValueError(
            f"the table has no column {listed}"
            + (suggest(absent[0], there) if len(absent) == 1 else f"; there are {there}")
        )


def _read_arms(
    labels: Any, arm: str, control: Hashable, expected: Mapping[Any, float] | None
) -> tuple[tuple[Hashable, ...], IndexArray]:
    """Return the arms, the control first, and the number of each user's."""
    column = labels if is_column(labels) or isinstance(labels, np.ndarray) else list(labels)
    missing = missing_entries(np.array(entries_of(column), dtype=object))
    if missing.any():
        raise ValueError(
            f"column {arm!r} is empty in {missing.sum():,} rows, row {int(missing.argmax())} for "
            "one. Every user of an experiment was assigned to an arm: find out why this is not "
            "known, and leave out only users who were never assigned"
        )
    code, found = number_ids(column, (), "arm")

    def describe(name: str) -> str:
        return f"{name!a} ({np.count_nonzero(code == found.index(name)):,} users)"

    refuse_names_alike(found, f"column {arm!r} has the arms", describe)
    known = ", ".join(map(repr, found))
    # A column has no single answer to whether it is one of them, and neither has pandas' NA.
    if not isinstance(control, Hashable) or is_missing(control) or not is_among(control, found):
        raise ValueError(f"control={control!r:.60} is no arm in column {arm!r}; there are {known}")
    if expected is not None:
        absent = [each for each in expected if each not in found]
        if absent:
            raise ValueError(
                f"expected_shares has the arm {absent[0]!r:.80}, and no user is in it; column "
                f"{arm!r} has {known}. If users were assigned to it, find out why their rows are "
                "missing"
            )
        unexpected = [each for each in found if each not in expected]
        if unexpected:
            raise ValueError(
                f"column {arm!r} has the arm {unexpected[0]!r}, which expected_shares does not "
                "name; give the share of every arm"
            )
    if len(found) < 2:
        raise ValueError(
            f"column {arm!r} holds the arm {control!r} only, for all {len(code):,} users; an A/B "
            "test compares two arms or more"
        )
    others = [each for each in (found if expected is None else expected) if each != control]
    if expected is None:
        others = sorted(others, key=lambda each: (type(each).__name__, each))
    arms = (control, *others)
    place = np.array([arms.index(each) for each in found], dtype=np.intp)
    return arms, place[code]


def _row_namer(table: Any, user: str | None, arms: tuple[Hashable, ...], code: IndexArray) -> Any:
    """Return what names a row in an error: its number, its user and its arm."""

    def name(row: int) -> str:
        who = "" if user is None else f"user {entries_of(column_of(table, user))[row]!r}, "
        return f"row {row} ({who}arm {arms[code[row]]!r})"

    return name


def _count_users(number: int) -> str:
    return "there is 1 user" if number == 1 else f"there are {number:,} users"


def _refuse_repeats(ids: Any, user: str, arms: tuple[Hashable, ...], code: IndexArray) -> None:
    column = ids if is_column(ids) or isinstance(ids, np.ndarray) else list(ids)
    missing = missing_entries(np.array(entries_of(column), dtype=object))
    if missing.any():
        raise ValueError(
            f"column {user!r} is empty in {missing.sum():,} rows, row {int(missing.argmax())} for "
            "one. Every user of an experiment has an id: find out why these have none, since users "
            "who are left out after they were assigned bias the comparison"
        )
    numbers, labels = number_ids(column, (), "user")
    if alike := find_ids_alike(labels):
        raise ValueError(
            f"column {user!r} has the users {alike[0]!a} and {alike[1]!a}, which differ only in "
            "blanks at an end, characters that are not seen or their Unicode form. If they are one "
            "user, write the id alike and give each user one row; if they are two, give them ids "
            "that differ to the eye"
        )
    if len(labels) == len(numbers):
        return
    counts = np.bincount(numbers)
    several = np.flatnonzero(counts > 1)
    split = [one for one in several if len({*code[numbers == one].tolist()}) > 1]
    who = (split or several.tolist())[0]
    rows = np.flatnonzero(numbers == who)
    where = f"rows {rows[0]} and {rows[1]}, counted from 0"
    if split:
        met = " and ".join(sorted({repr(arms[each]) for each in code[rows].tolist()}))
        raise ValueError(
            f"{_count_users(len(split))} in several arms: {user} {labels[who]!r} is in {met} "
            f"({where}). Find out how a user came to be assigned twice; give each the arm of the "
            "first assignment"
        )
    raise ValueError(
        f"{_count_users(len(several))} with several rows: {user} {labels[who]!r} has {counts[who]} "
        f"({where}). Users were assigned, so each counts once: add up the values of each user "
        f"first, with a group-by on {user!r}"
    )


def _read_numbers(given: Any, place: str, rows: int, whose: Any, may_have_gaps: bool) -> FloatArray:
    values = as_array(given, place)
    if values.dtype.kind not in "biuf":
        # None, and what pandas has for it, are NaN; numbers as text are not read.
        entries = entries_of(given)
        text = next((i for i, each in enumerate(entries) if isinstance(each, str | bytes)), None)
        if text is not None:
            raise TypeError(
                f"{place} holds text, {entries[text]!r:.40} in row {text}; a metric is computed "
                "from numbers. Convert the column, or name another"
            )
        gaps: BoolArray = missing_entries(np.array(entries, dtype=object))
        if gaps.any():
            values = [np.nan if gap else each for each, gap in zip(entries, gaps, strict=True)]
    numbers: FloatArray = as_scores(values, place)
    if numbers.shape != (rows,):
        raise ValueError(f"{place} has the shape {numbers.shape}, where there are {rows:,} users")
    odd = np.isinf(numbers) if may_have_gaps else ~np.isfinite(numbers)
    if odd.any():
        row = int(odd.argmax())
        said = "missing" if np.isnan(numbers[row]) else f"{numbers[row]:g}, no finite number,"
        raise ValueError(
            f"{place} is {said} in {int(odd.sum()):,} rows, {whose(row)} first{_WRONG}"
        )
    return numbers
