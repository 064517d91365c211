"""Save and load reports as JSON files that `data/report.schema.json` describes."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.arithmetic import scale_exponent
from recsys_metrics._core.checks import check_flag
from recsys_metrics._core.inputs.arrays import as_read_only
from recsys_metrics._core.inputs.fingerprint import digest_of
from recsys_metrics._core.inputs.ids import refuse_names_alike
from recsys_metrics.evaluation._aggregate import Aggregate
from recsys_metrics.evaluation._protocol import Protocol
from recsys_metrics.evaluation._result import ReportData, Result
from recsys_metrics.evaluation._saved_json import (
    RANKING,
    faults_of_ids,
    id_to_data,
    read,
    write,
    written_with,
)
from recsys_metrics.evaluation._user_values import GroupsByUser, MemoryValues, NoValues
from recsys_metrics.measures import METRICS, Measure, Metric
from recsys_metrics.measures import measure as read_measure
from recsys_metrics.measures._custom import NamedFunction, SavedMetric

R = TypeVar("R", bound=ReportData)

# How many bytes of a file say what it is: a program that sorts the keys puts few before this one.
_START = 2**20

# A mean of values at a bound may be a rounding beyond it.
_SLACK = 1e-9


def save(report: ReportData, path: str | PathLike[str], *, per_user: bool, overwrite: bool) -> None:
    """Write a report to a file, whole or not at all."""
    check_flag("per_user", per_user)

    def make_data() -> dict[str, Any]:
        data = _report_to_data(report, per_user=per_user)
        # What could not be loaded again is not written.
        if data["users"] is not None and (fault := next(_faults_of_ids(data["users"]), None)):
            raise ValueError(
                f"{fault}; give users and groups other ids, as text for example, or leave them "
                "out in Python: Report.save(path, per_user=False)"
            )
        return data

    write(path, make_data, overwrite=overwrite, indent=1)


def is_saved_report(path: Path) -> bool:
    """Return whether a file looks like one that `save` wrote, by its beginning."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(_START)
    try:
        text = start.decode(json.detect_encoding(start), errors="ignore")
    except LookupError:
        return False
    return text.lstrip("\ufeff \t\r\n").startswith("{") and f'"{RANKING.name}"' in text


def load(path: str | PathLike[str], kind: type[R]) -> R:
    """Read a report that was saved."""
    return read(path, RANKING, _contradictions, lambda data: _report_from_data(data, kind))


def _contradictions(data: dict[str, Any]) -> Iterator[str]:
    """Yield what no schema can say: numbers of users that differ, and values out of bounds."""
    n_lists, users = data["protocol"]["n_lists"], data["users"]
    yield from _faults_of_counts(data["protocol"])
    texts = [each["text"] for each in data["measures"]]
    if len({*texts}) < len(texts):
        yield "two of its metrics have the same text"
    for each in data["measures"]:
        yield from _faults_of_measure(each)
        column = (users or {"values": {}})["values"].get(each["text"], [])
        yield from _faults_of_values(each, column)
        yield from _faults_of_column(each, column)
        yield from _faults_of_users(each, n_lists)
        yield from _faults_of_spread(each)
        yield from _faults_of_interval(each)
    yield from _faults_of_names(data["protocol"]["measures"], data["measures"])
    if users is not None:
        yield from _faults_of_ids(users)
        yield from _faults_of_columns(users, data["measures"])
        yield from _faults_of_truths(users, data["protocol"])


def _faults_of_counts(protocol: Mapping[str, Any]) -> Iterator[str]:
    """Yield which counts of a protocol contradict each other."""
    # Reports of earlier releases have neither.
    repeats = protocol.get("repeats")
    for name in ("n_repeats", "n_relevant_repeats"):
        number = protocol.get(name)
        if number is not None and (number < 0 or repeats in (None, "raise")):
            yield f"protocol.{name} is {number}, and protocol.repeats {repeats!r}"
    shortest, longest = protocol["lengths"]
    if shortest > longest:
        yield f"protocol.lengths has a shortest list of {shortest} and a longest of {longest}"
    pairs = [(name, "n_lists") for name in ("n_short", "n_without_relevant", "n_tied")]
    for part, whole in [*pairs, ("n_in_history", "n_recommended")]:
        less, more = protocol.get(part), protocol.get(whole)
        if less is not None and more is not None and less > more:
            yield f"protocol.{part} is {less}, and protocol.{whole} {more}"
    items, most = protocol.get("n_recommended"), protocol["n_lists"] * longest
    if items is not None and items > most:
        yield (
            f"protocol.n_recommended is {items}, and {protocol['n_lists']} lists of at most "
            f"{longest} items have {most}"
        )


def _faults_of_names(
    canonical: Sequence[str], measures: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield where the protocol names other measures than there are values of."""
    # Not the whole texts: a later version may know conventions that an earlier one did not.
    for text, each in zip_longest(canonical, measures):
        cut = "" if each is None or each["k"] is None else str(each["k"])
        if text is None or each is None or _name_and_cut(text) != (each["name"], cut):
            name = "no further measure" if text is None else text
            value = "no further measure" if each is None else each["text"]
            yield f"protocol.measures has {name}, where the values are of {value}"


def _name_and_cut(text: str) -> tuple[str, str]:
    """Return the name and the cut-off of a measure's text; what is in brackets may hold an @."""
    head, inside, tail = text.partition("(")
    name, _, cut = (head + tail.rpartition(")")[2] if inside else head).partition("@")
    return name, cut


def _faults_of_users(each: Mapping[str, Any], n_lists: int) -> Iterator[str]:
    """Yield where the users that a value is over are not those of the lists."""
    users, skipped = each["users"], each["n_skipped"]
    if each["per_user"] and users + skipped != n_lists:
        yield (
            f"{each['text']} is over {users} users and {skipped} left out, of {n_lists} lists: "
            "each list has a value or is left out"
        )
    if not each["per_user"] and users + skipped:
        yield (
            f"{each['text']} is over {users} users and {skipped} left out, and it has one value "
            "of all lists together"
        )
    if each["per_user"] and (users == 0) != (each["value"] is None):
        yield f"{each['text']} has the value {each['value']!r} over {users} users"


def _faults_of_measure(each: Mapping[str, Any]) -> Iterator[str]:
    """Yield where a measure is not the one that its text names, or that this library knows."""
    text = each["text"]
    try:
        measure = _measure_from_data(each)
    except ValueError as problem:
        yield str(problem)
        return
    if str(measure) != text:
        yield f"the text {text!r} has the name, cut-off and conventions of {str(measure)!r}"
    known = _metric_of(each)
    for field in ("per_user", "better", "family"):
        if each[field] != getattr(known, field):
            yield f"{text} has {field} {each[field]}, and the metric has {getattr(known, field)}"
    # Earlier releases wrote other bounds for some aggregates.
    if known.per_user and [*map(_number_to_data, known.bounds)] != each["bounds"]:
        yield f"{text} has the bounds {each['bounds']}, and the metric has {[*known.bounds]}"


def _metric_of(each: Mapping[str, Any]) -> Metric:
    return METRICS.get(each["name"]) or _known_or_saved_measure(each).metric


def _faults_of_values(each: Mapping[str, Any], column: Sequence[float | None]) -> Iterator[str]:
    """Yield which values lie outside of a measure's bounds, and a spread below 0."""
    low, high = _metric_of(each).bounds
    for value in (each["value"], *column):
        if value is not None and not low - _SLACK <= value <= high + _SLACK:
            yield f"{each['text']} has the value {value!r}, outside of its bounds {[low, high]}"
    deviation = each["standard_deviation"]
    if deviation is not None and deviation < 0:
        yield f"{each['text']} has the standard deviation {deviation!r}, below 0"


def _faults_of_spread(each: Mapping[str, Any]) -> Iterator[str]:
    """Yield a standard deviation that no values within the bounds have around such a mean."""
    n, mean, deviation = each["users"], each["value"], each["standard_deviation"]
    if deviation is None:
        return
    if n < 2 or mean is None:
        yield f"{each['text']} has the standard deviation {deviation!r} over {n} users"
        return
    low, high = _metric_of(each).bounds
    if not (math.isfinite(low) and math.isfinite(high)):
        return
    # Bhatia and Davis (2000): the values that vary most around a mean are all at the bounds.
    most = math.sqrt(max(0.0, (high - mean) * (mean - low)) * n / (n - 1))
    if deviation > most + math.sqrt(_SLACK) * (high - low):
        yield (
            f"{each['text']} has the standard deviation {deviation!r}, and {n} values between "
            f"{low:g} and {high:g} with the mean {mean!r} have {most!r} at most"
        )


def _faults_of_interval(each: Mapping[str, Any]) -> Iterator[str]:
    """Yield an interval that is none: another version may draw it, but around its value."""
    interval, level, value = each["interval"], each["level"], each["value"]
    if (interval is None) != (level is None):
        yield f"{each['text']} has the interval {interval} and the level {level}"
    if interval is None or level is None:
        return
    if not 0 < level < 1:
        yield f"{each['text']} has the level {level!r}, which is between 0 and 1"
    low, high = interval
    if value is None or not low - _SLACK <= value <= high + _SLACK:
        yield f"{each['text']} has the value {value!r}, outside of its interval {interval}"


def _faults_of_truths(users: Mapping[str, Any], protocol: Mapping[str, Any]) -> Iterator[str]:
    """Yield where what is said of all lists is not what is said of each user."""
    n_relevant = users["n_relevant"]
    if len(n_relevant) != protocol["n_lists"]:
        yield f"users has {len(n_relevant)} users, and protocol.n_lists is {protocol['n_lists']}"
    without = n_relevant.count(0)
    if without != protocol["n_without_relevant"]:
        yield (
            f"protocol.n_without_relevant is {protocol['n_without_relevant']}, and "
            f"users.n_relevant has {without} zeros"
        )
    digests = _digests_from_data(users["digests"])
    if digests is not None and protocol["digest"] is not None and len(digests) == len(n_relevant):
        digest = f"{digest_of(users['ids'], digests):016x}"
        if digest != protocol["digest"]:
            yield f"protocol.digest is {protocol['digest']}, and that of the users is {digest}"


def _faults_of_columns(
    users: Mapping[str, Any], measures: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield which columns of the users are missing, unknown or of another length."""
    of_users = {each["text"] for each in measures if each["per_user"]}
    if missing := sorted(of_users - {*users["values"]}):
        yield f"users.values has nothing of {missing[0]!r}, which has a value of each user"
    if unknown := sorted({*users["values"]} - {each["text"] for each in measures}):
        yield f"users.values has {unknown[0]!r}, which is none of its metrics"
    columns = {"users.ids": users["ids"], "users.digests": users["digests"] or None}
    columns |= {f"users.values.{name}": column for name, column in users["values"].items()}
    columns |= {f"users.groups.{name}": column for name, column in users["groups"].items()}
    for name, column in columns.items():
        if column is not None and len(column) != len(users["n_relevant"]):
            yield (
                f"{name} has {len(column)} entries, and users.n_relevant {len(users['n_relevant'])}"
            )


def _faults_of_ids(users: Mapping[str, Any]) -> Iterator[str]:
    """Yield which ids cannot be those of users, and which labels no frame holds."""
    columns = {f"users.groups.{name}": column for name, column in users["groups"].items()}
    columns |= {} if users["ids"] is None else {"users.ids": users["ids"]}
    yield from faults_of_ids(columns, unsigned="users.ids")
    ids = users["ids"] or []
    if len({*ids}) < len(ids):
        user, times = Counter(ids).most_common(1)[0]
        yield f"users.ids has {user!r:.80} {times} times"


def _faults_of_column(each: Mapping[str, Any], column: Sequence[float | None]) -> Iterator[str]:
    """Yield where the values of the users are not those that a mean is over."""
    if not column or not each["per_user"]:
        return
    values = [value for value in column if value is not None]
    if len(values) != each["users"]:
        yield f"{each['text']} is over {each['users']} users, and {len(values)} have a value"
        return
    mean = None
    if values:
        exponent = scale_exponent(np.array(values))
        total = math.fsum(np.ldexp(values, -exponent).tolist())
        mean = math.ldexp(total / len(values), exponent)
    if mean is not None and (
        each["value"] is None or not math.isclose(mean, each["value"], rel_tol=1e-9, abs_tol=1e-12)
    ):
        yield f"{each['text']} has the value {each['value']!r}, and its users' mean is {mean!r}"
    spread, said = (
        Aggregate.from_values(np.array(values)).standard_deviation,
        each["standard_deviation"],
    )
    near = _SLACK * max(map(abs, values), default=0.0)
    if (said is None) != (not math.isfinite(spread)) or (
        said is not None and not math.isclose(said, spread, rel_tol=1e-9, abs_tol=near)
    ):
        yield f"{each['text']} has the standard deviation {said!r}, and its users' is {spread!r}"


def _report_to_data(report: ReportData, *, per_user: bool) -> dict[str, Any]:
    protocol = {each.name: getattr(report.protocol, each.name) for each in fields(Protocol)}
    users = None
    if per_user and not isinstance(report.user_values, NoValues):
        values = report.user_values.in_memory
        users = {
            "ids": None if values.users is None else [id_to_data(user) for user in values.users],
            "n_relevant": np.asarray(values.n_relevant).tolist(),
            "digests": _digests_to_data(values),
            "values": {
                str(measure): [_number_to_data(value) for value in column.tolist()]
                for measure, column in values.by_measure.items()
            },
            "groups": {
                name: _groups_to_data(values, groups) for name, groups in report.groups.items()
            },
        }
    return {
        "format": RANKING.name,
        "version": RANKING.version,
        "written_with": written_with(),
        "name": report.name,
        "protocol": protocol,
        "warnings": list(report.warnings),
        "measures": [_result_to_data(result) for result in report.results.values()],
        "users": users,
    }


def _groups_to_data(values: MemoryValues, groups: Any) -> list[str | int | None]:
    """Return the group of each user; None for those who are in none, because a table lacks them."""
    column: list[str | int | None] = [None] * len(values.n_relevant)
    rows, labels = values.find_members(groups)
    for row, label in zip(rows.tolist(), labels.tolist(), strict=True):
        column[row] = id_to_data(label)
    return column


def _groups_from_data(values: MemoryValues, name: str, column: list[str | int | None]) -> Any:
    if None not in column:
        return values.labels(column, name)
    refuse_names_alike(column, f"the grouping {name!r} has the groups")
    pairs = zip(values.users or (), column, strict=True)
    return GroupsByUser({user: group for user, group in pairs if group is not None})


def _result_to_data(result: Any) -> dict[str, Any]:
    measure, aggregate, interval = result.measure, result.aggregate, result.interval()
    metric = measure.metric
    return {
        "text": str(measure),
        "requested": None if measure.requested is None else measure.label,
        "name": measure.name,
        "k": measure.k,
        "conventions": {
            name: _convention_to_data(value) for name, value in measure.resolved.items()
        },
        "stated": sorted(measure.conventions),
        "question": metric.question,
        "family": metric.family,
        "better": metric.better,
        "per_user": metric.per_user,
        "bounds": [_number_to_data(bound) for bound in metric.bounds],
        "value": _number_to_data(aggregate.mean),
        "users": aggregate.n,
        "n_skipped": aggregate.n_skipped,
        "standard_deviation": _number_to_data(aggregate.standard_deviation),
        "interval": None if interval is None else [interval.low, interval.high],
        "level": None if interval is None else interval.level,
    }


def _report_from_data(data: dict[str, Any], kind: type[R]) -> R:
    measures = {each["text"]: _measure_from_data(each) for each in data["measures"]}
    users = data["users"]
    values: MemoryValues | NoValues = NoValues()
    groups = {}
    if users is not None:
        ids = users["ids"]
        values = MemoryValues(
            {measures[text]: _array_from_data(column) for text, column in users["values"].items()},
            None if ids is None else tuple(ids),
            np.array(users["n_relevant"], dtype=np.intp),
            _digests_from_data(users["digests"]),
            may_compare=users["digests"] != [],
        )
        groups = {
            name: _groups_from_data(values, name, column)
            for name, column in users["groups"].items()
        }
    results = {}
    for each in data["measures"]:
        numbers = _float_from_data(each["value"]), each["users"], each["n_skipped"]
        aggregate = Aggregate(*numbers, _float_from_data(each["standard_deviation"]))
        measure = measures[each["text"]]
        results[measure] = Result(measure, aggregate, values)
    protocol: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in data["protocol"].items()
    }
    return kind(
        data["name"], results, groups, Protocol(**protocol), tuple(data["warnings"]), values
    )


def _measure_from_data(data: Mapping[str, Any]) -> Measure:
    """Return a measure that was saved, which another version may not know.

    Raises
    ------
    ValueError
        If it was requested by a text that means another measure.
    """
    found = _known_or_saved_measure(data)
    requested = data.get("requested")
    if requested is None:
        return found
    named = read_measure(requested)
    if named != found:
        raise ValueError(f"{found} was requested as {requested!r}, which means {named}")
    return replace(found, requested=named.requested)


def _known_or_saved_measure(data: Mapping[str, Any]) -> Measure:
    conventions = {
        name: _convention_from_data(value) for name, value in data["conventions"].items()
    }
    if data["name"] in METRICS:
        known = Measure(data["name"], data["k"])
        if conventions.keys() <= known.metric.conventions.keys():
            return known.with_options(**conventions)
    stated = {name: conventions[name] for name in data["stated"]}
    low, high = (math.inf if bound is None else bound for bound in data["bounds"])
    metric = Metric(
        SavedMetric(data["name"], data["question"], conventions),
        data["family"],
        data["better"],
        data["per_user"],
        bounds=(-low if low == math.inf else low, high),
    )
    return Measure(data["name"], data["k"], stated, metric)


def _convention_to_data(value: Any) -> Any:
    if isinstance(value, NamedFunction):
        return {"function": value.name}
    return list(value) if isinstance(value, tuple) else value


def _convention_from_data(value: Any) -> Any:
    if isinstance(value, dict):
        return NamedFunction(value["function"])
    return tuple(value) if isinstance(value, list) else value


def _digests_to_data(values: MemoryValues) -> list[str] | None:
    """Return the digests of users in hexadecimal; None over frames, nothing on request."""
    if not values.may_compare:
        return []
    return None if values.digests is None else [f"{each:016x}" for each in values.digests.tolist()]


def _digests_from_data(digests: list[str] | None) -> NDArray[np.uint64] | None:
    return np.array([int(each, 16) for each in digests], dtype=np.uint64) if digests else None


def _number_to_data(value: float) -> float | None:
    """Return a number as JSON has it, which knows neither NaN nor infinity."""
    return float(value) if math.isfinite(value) else None


def _float_from_data(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _array_from_data(column: list[float | None]) -> Any:
    return as_read_only([_float_from_data(value) for value in column])
