"""Save and load reports of predictions as `data/prediction_report.schema.json` describes."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.evaluation._prediction_metrics import find_prediction_metric
from recsys_metrics.evaluation._saved_json import (
    PREDICTIONS,
    faults_of_ids,
    id_to_data,
    read,
    write,
    written_with,
)
from recsys_metrics.measures import Measure

R = TypeVar("R", bound="PredictionData")


class PredictionData(Protocol):
    """What a file holds of a report of predictions."""

    @property
    def name(self) -> str:
        """Of what was evaluated."""

    @property
    def results(self) -> Mapping[Measure, Any]:
        """The result of each metric."""

    @property
    def actual(self) -> FloatArray:
        """What was observed, row by row."""

    @property
    def predicted(self) -> FloatArray:
        """What was predicted."""

    @property
    def users(self) -> NDArray[np.intp] | None:
        """The number of each row's user."""

    @property
    def user_ids(self) -> tuple[Hashable, ...]:
        """The user of each number."""

    @property
    def groups(self) -> Mapping[str, Any]:
        """Groups by the name of the grouping."""

    def rows_by_group(self, groups: Any) -> dict[Hashable, NDArray[np.intp]]:
        """Return the rows of each group."""


def save(report: PredictionData, path: str | PathLike[str], *, overwrite: bool) -> None:
    """Write a report of predictions to a file, whole or not at all."""

    def make_data() -> dict[str, Any]:
        data = _report_to_data(report)
        # What could not be loaded again is not written.
        if fault := next(_faults_of_names(data), None):
            raise ValueError(f"{fault}; give users and groups other ids, as text for example")
        return data

    write(path, make_data, overwrite=overwrite, indent=None)


def load(path: str | PathLike[str], build: Callable[..., R]) -> R:
    """Read a report that was saved; the rows are evaluated anew and have to give its values."""
    return read(path, PREDICTIONS, _contradictions, lambda data: _report_from_data(data, build))


def _report_to_data(report: PredictionData) -> dict[str, Any]:
    found = [(result, result.interval()) for result in report.results.values()]
    return {
        "format": PREDICTIONS.name,
        "version": PREDICTIONS.version,
        "written_with": written_with(),
        "name": report.name,
        "measures": [
            {
                "name": result.measure.name,
                "requested": result.measure.label,
                "value": result.value if math.isfinite(result.value) else None,
                "interval": None if interval is None else [interval.low, interval.high],
            }
            for result, interval in found
        ],
        "rows": {
            "actual": report.actual.tolist(),
            "predicted": report.predicted.tolist(),
            "user_ids": [id_to_data(user) for user in report.user_ids],
            "users": None if report.users is None else report.users.tolist(),
        },
        "groups": {
            name: _groups_to_data(report.rows_by_group(groups), len(report.actual))
            for name, groups in report.groups.items()
        },
    }


def _groups_to_data(members: Mapping[Any, Any], n_rows: int) -> dict[str, Any]:
    number = np.empty(n_rows, dtype=np.intp)
    for place, rows in enumerate(members.values()):
        number[rows] = place
    return {"names": [id_to_data(name) for name in members], "rows": number.tolist()}


def _report_from_data(data: dict[str, Any], build: Callable[..., R]) -> R:
    rows = data["rows"]
    report = build(
        rows["actual"],
        rows["predicted"],
        [each["requested"] for each in data["measures"]],
        users=None if rows["users"] is None else _place(rows["user_ids"], rows["users"]),
        groups={
            name: _place(groups["names"], groups["rows"]) for name, groups in data["groups"].items()
        },
        name=data["name"],
    )
    for each, result in zip(data["measures"], report.results.values(), strict=True):
        value, again = each["value"], result.value if math.isfinite(result.value) else None
        if (value is None) != (again is None) or (
            value is not None
            and again is not None
            and not math.isclose(value, again, rel_tol=1e-9, abs_tol=1e-12)
        ):
            raise ValueError(
                f"the file of {data['name']!r} has the value {value} of {each['requested']}, and "
                f"its rows give {again}; it was changed, or written by a version with another "
                "formula"
            )
    return report


def _place(names: Sequence[Any], numbers: Sequence[int]) -> Any:
    # Small whole numbers and such of 64 bits without a sign would become floats.
    is_unsigned = any(isinstance(each, int) and each >= 2**63 for each in names)
    labels = np.array(names, dtype=np.uint64 if is_unsigned else None)
    return labels[np.array(numbers, dtype=np.intp)]


def _contradictions(data: dict[str, Any]) -> Iterator[str]:
    """Yield what no schema can say: unknown metrics, other lengths, places that there are not."""
    for each in data["measures"]:
        metric = find_prediction_metric(each["requested"])
        if metric is None or metric.measure.name != each["name"]:
            yield f"{each['requested']!r} is not the name of the metric {each['name']!r}"
    rows = data["rows"]
    n, ids = len(rows["actual"]), rows["user_ids"]
    columns = {"rows.predicted": (rows["predicted"], None), "rows.users": (rows["users"], ids)}
    for name, groups in data["groups"].items():
        columns[f"groups.{name}.rows"] = groups["rows"], groups["names"]
    for name, (column, of) in columns.items():
        if column is None:
            continue
        if len(column) != n:
            yield f"{name} has {len(column)} entries, and rows.actual {n}"
        elif of is not None and max(column) >= len(of):
            yield f"{name} has the place {max(column)}, and there are {len(of)}"
    yield from _faults_of_names(data)


def _faults_of_names(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield which ids cannot be those of users or groups."""
    columns = {f"groups.{name}": groups["names"] for name, groups in data["groups"].items()}
    columns["rows.user_ids"] = data["rows"]["user_ids"]
    yield from faults_of_ids(columns, unsigned="rows.user_ids")
    for name, column in columns.items():
        if len({*column}) < len(column):
            yield f"{name} names one of them twice"
