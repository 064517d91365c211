"""Save and load reports as JSON files that `data/report.schema.json` describes."""

from __future__ import annotations

import json
import math
import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import as_read_only
from recsys_metrics._core.inputs.frames import is_frame
from recsys_metrics._core.inputs.ids import id_kinds
from recsys_metrics._core.inputs.ids import kind as kind_of
from recsys_metrics._core.inputs.json_schema import find_faults
from recsys_metrics._core.inputs.json_text import parse_json
from recsys_metrics.evaluation._aggregate import Aggregate
from recsys_metrics.evaluation._protocol import Protocol
from recsys_metrics.evaluation._result import ReportData, Result
from recsys_metrics.evaluation._user_values import MemoryValues, NoValues
from recsys_metrics.measures import METRICS, Measure, Metric
from recsys_metrics.measures._custom import NamedFunction, SavedMetric

R = TypeVar("R", bound=ReportData)

FORMAT, VERSION = "recsys_metrics report", 1


# A mean of values at a bound may be a rounding beyond it.
_SLACK = 1e-9


def save(report: ReportData, path: str | PathLike[str], *, per_user: bool) -> None:
    """Write a report to a new file."""
    file = _as_path(path)
    data = _report_to_data(report, per_user=per_user)
    # What could not be loaded again is not written.
    if data["users"] is not None and (fault := next(_faults_of_ids(data["users"]), None)):
        raise ValueError(f"{fault}; give users and groups other ids, or save per_user=False")
    text = json.dumps(data, indent=1, allow_nan=False)
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text + "\n")
    except FileExistsError:
        raise FileExistsError(
            f"{file} is there already and stays as it is; give the report a new name"
        ) from None


def load(path: str | PathLike[str], kind: type[R]) -> R:
    """Read a report that was saved."""
    file = _as_path(path)
    if file.exists() and not file.is_file():
        # A pipe would be waited for, and a device has no end.
        raise ValueError(f"{path} is no file with an end; name the file that Report.save wrote")
    try:
        data = parse_json(file.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise ValueError(f"{path} is no JSON, so it is no saved report ({problem})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"{path} is no report that Report.save wrote")
    if data.get("version") != VERSION:
        raise ValueError(
            f"{path} is a report of version {data.get('version')!r}, and this library reads "
            f"version {VERSION}; read it with the library that wrote it, or a later one"
        )
    fault = next(find_faults(data, _schema()), None)
    try:
        fault = fault or next(_contradictions(data), None)
        if fault is None:
            return _report_from_data(data, kind)
    except (KeyError, IndexError, TypeError, AttributeError, OverflowError) as problem:
        raise ValueError(
            f"{path} is no report as data/report.schema.json has it: "
            f"{type(problem).__name__} {problem}"
        ) from problem
    raise ValueError(f"{path} is no report as data/report.schema.json has it: {fault}")


def _as_path(path: str | PathLike[str]) -> Path:
    if not isinstance(path, str | PathLike):
        raise TypeError(f"path must be that of a file, not {kind_of(path)}")
    return Path(path)


@cache
def _schema() -> dict[str, Any]:
    text = files("recsys_metrics").joinpath("data/report.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _contradictions(data: dict[str, Any]) -> Iterator[str]:
    """Yield what no schema can say: numbers of users that differ, and values out of bounds."""
    n_lists, users = data["protocol"]["n_lists"], data["users"]
    texts = [each["text"] for each in data["measures"]]
    if len({*texts}) < len(texts):
        yield "two of its measures have the same text"
    for each in data["measures"]:
        text: str = each["text"]
        low, high = each["bounds"]
        if each["users"] + each["n_skipped"] > n_lists:
            yield (
                f"{text} is over {each['users']} users and {each['n_skipped']} left out, of "
                f"{n_lists} lists"
            )
        column = (users or {"values": {}})["values"].get(text, [])
        for value in (each["value"], *column) if each["per_user"] else ():
            if value is not None and not (
                (low is None or value >= low - _SLACK) and (high is None or value <= high + _SLACK)
            ):
                yield f"{text} has the value {value!r}, outside of its bounds {each['bounds']}"
        deviation = each["standard_deviation"]
        if deviation is not None and deviation < 0:
            yield f"{text} has the standard deviation {deviation!r}, below 0"
        yield from _faults_of_column(each, column)
        known = _measure_from_data(each).metric.bounds
        if [*map(_number_to_data, known)] != [low, high]:
            yield f"{text} has the bounds {each['bounds']}, and the measure has {[*known]}"
    if users is None:
        return
    yield from _faults_of_ids(users)
    if unknown := sorted({*users["values"]} - {*texts}):
        yield f"users.values has {unknown[0]!r}, which is none of its measures"
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
    for name, column in columns.items():
        if len(kinds := id_kinds(column)) > 1:
            yield f"{name} has {' and '.join(sorted(kinds))}"
        for each in column:
            if isinstance(each, str) and not each.isascii() and _has_half_a_character(each):
                yield f"{name} has {each!a:.80}, in which half a character stands"
            elif isinstance(each, int) and not -(2**63) <= each < 2**63:
                yield f"{name} has a number of more than 64 bits, {each!r:.40}"
    ids = users["ids"] or []
    if len({*ids}) < len(ids):
        user, times = Counter(ids).most_common(1)[0]
        yield f"users.ids has {user!r:.80} {times} times"


def _has_half_a_character(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _faults_of_column(each: Mapping[str, Any], column: Sequence[float | None]) -> Iterator[str]:
    """Yield where the values of the users are not those that a mean is over."""
    if not column or not each["per_user"]:
        return
    values = [value for value in column if value is not None]
    if len(values) != each["users"]:
        yield f"{each['text']} is over {each['users']} users, and {len(values)} have a value"
        return
    mean = math.fsum(values) / len(values) if values else None
    if mean is not None and (
        each["value"] is None or not math.isclose(mean, each["value"], rel_tol=1e-9, abs_tol=1e-12)
    ):
        yield f"{each['text']} has the value {each['value']!r}, and its users' mean is {mean!r}"


def _report_to_data(report: ReportData, *, per_user: bool) -> dict[str, Any]:
    protocol = {each.name: getattr(report.protocol, each.name) for each in fields(Protocol)}
    users = None
    if per_user and not isinstance(report.user_values, NoValues):
        values = report.user_values.in_memory
        users = {
            "ids": None if values.users is None else [_id_to_data(user) for user in values.users],
            "n_relevant": np.asarray(values.n_relevant).tolist(),
            "digests": _digests_to_data(values),
            "values": {
                str(measure): [_number_to_data(value) for value in column.tolist()]
                for measure, column in values.by_measure.items()
            },
            "groups": {
                name: [_id_to_data(label) for label in values.labels(groups, name).tolist()]
                for name, groups in report.groups.items()
                if not is_frame(groups)
            },
        }
    return {
        "format": FORMAT,
        "version": VERSION,
        "written_with": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": version("scipy"),
        },
        "name": report.name,
        "protocol": protocol,
        "warnings": list(report.warnings),
        "measures": [_result_to_data(result) for result in report.results.values()],
        "users": users,
    }


def _result_to_data(result: Any) -> dict[str, Any]:
    measure, aggregate, interval = result.measure, result.aggregate, result.interval()
    metric = measure.metric
    return {
        "text": str(measure),
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
        groups = {name: values.labels(labels, name) for name, labels in users["groups"].items()}
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


def _measure_from_data(data: dict[str, Any]) -> Measure:
    """Return a measure that was saved, which another version may not know."""
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


def _id_to_data(value: Any) -> str | int:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str | int) and not isinstance(plain, bool):
        return plain
    raise TypeError(
        f"{value!r:.60} is no text and no whole number, and a file holds no other ids of users "
        "and groups; evaluate with such ids, or save with per_user=False"
    )


def _number_to_data(value: float) -> float | None:
    """Return a number as JSON has it, which knows neither NaN nor infinity."""
    return float(value) if math.isfinite(value) else None


def _float_from_data(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _array_from_data(column: list[float | None]) -> Any:
    return as_read_only([_float_from_data(value) for value in column])
