"""Print the result of `evaluate` in the requested format."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from recsys_metrics._core import console


@dataclass(frozen=True)
class Findings:
    """What `evaluate` found.

    Attributes
    ----------
    reports : sequence of Report
        One for each file of lists on the board, or for the one file.
    by_group : sequence of GroupedReport
        As many, if groups were given, else none.
    comparison : Comparison or None
        Of the one report with the lists to compare with.
    board : Leaderboard or None
        Of several reports.
    table_only : bool
        Whether only the leaderboard or the comparison is shown, where there is one.
    """

    reports: Sequence[Any]
    by_group: Sequence[Any]
    comparison: Any
    board: Any
    table_only: bool = False

    @property
    def parts(self) -> list[Any]:
        """What is shown, in this order."""
        table = self.comparison if self.board is None else self.board
        if self.table_only and table is not None:
            return [table]
        groups = self.by_group or [None] * len(self.reports)
        of_runs = [part for pair in zip(self.reports, groups, strict=True) for part in pair]
        parts = [self.board, *of_runs, self.comparison]
        return [part for part in parts if part is not None]


def _html_page(found: Findings) -> str:
    title = html.escape(found.reports[0].name if found.board is None else "Leaderboard")
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>',
            *(part.to_html() for part in found.parts),
            "</body></html>",
        ]
    )


FORMATS: dict[str, Callable[[Findings], str]] = {
    "text": lambda found: "\n\n".join(str(part) for part in found.parts),
    "markdown": lambda found: "\n".join(part.to_markdown() for part in found.parts).strip(),
    "latex": lambda found: "\n".join(part.to_latex() for part in found.parts).strip(),
    "html": _html_page,
    "json": lambda found: json.dumps(_as_data(found), indent=2, allow_nan=False),
}


def print_findings(found: Findings, form: str) -> None:
    """Print what was found, in one of `FORMATS`."""
    console.say(FORMATS[form](found))


def _as_data(found: Findings) -> dict[str, Any]:
    if found.table_only and found.board is not None:
        return {"leaderboard": _board_as_data(found.board)}
    if found.table_only and found.comparison is not None:
        return {"name": found.reports[0].name, "comparison": _comparison_as_data(found.comparison)}
    reports = [_report_as_data(report) for report in found.reports]
    for data, by_group in zip(reports, found.by_group, strict=False):
        data["groups"] = _groups_as_data(by_group)
    if found.board is not None:
        return {"reports": reports, "leaderboard": _board_as_data(found.board)}
    if found.comparison is not None:
        reports[0]["comparison"] = _comparison_as_data(found.comparison)
    return reports[0]


def _report_as_data(report: Any) -> dict[str, Any]:
    return {
        "name": report.name,
        "measures": {
            measure.label: {
                "value": _number(result.value),
                "interval": _interval_ends(result.interval()),
                "users": result.n,
                "n_skipped": result.n_skipped,
            }
            for measure, result in report.results.items()
        },
        "protocol": dict(report.protocol.lines()),
        "warnings": list(report.warnings),
    }


def _groups_as_data(by_group: Any) -> dict[str, Any]:
    return {
        str(group): {
            measure.label: {
                "value": _number(found.per_group[group]),
                "interval": _interval_ends(found.intervals[group]),
                "users": found.count[group],
                "n_skipped": size - found.count[group],
            }
            for measure, found in by_group.reports.items()
        }
        for group, size in by_group.sizes.items()
    }


def _comparison_as_data(comparison: Any) -> dict[str, Any]:
    return {
        "against": comparison.old,
        "decided_on": None if comparison.decided_on is None else comparison.decided_on.label,
        "outcome": None if comparison.conclusion is None else comparison.conclusion.outcome,
        "conclusion": None if comparison.conclusion is None else str(comparison.conclusion),
        "gains": {
            measure.label: _gain_as_data(difference)
            for measure, difference in comparison.differences.items()
        },
    }


def _board_as_data(board: Any) -> dict[str, Any]:
    return {
        "baseline": board.baseline,
        "correction": board.correction,
        "any_difference": {m.label: _number(test.p_value) for m, test in board.omnibus.items()},
        "order": [*board.by_report],
        "pairs": [
            {"measure": measure.label, "new": new, "old": old, **_gain_as_data(difference)}
            for measure, pairs in board.differences.items()
            for (new, old), difference in pairs.items()
        ],
        "better_than": {
            name: {measure.label: board.better_than(name, measure) for measure in board.differences}
            for name in board.by_report
        },
    }


def _gain_as_data(difference: Any) -> dict[str, Any]:
    return {
        "gain": _number(difference.gain),
        "interval": _interval_ends(difference.interval),
        "p_adjusted": _number(difference.p_adjusted),
    }


def _number(value: float) -> float | None:
    """Return a number as JSON has it: there is no NaN."""
    return None if math.isnan(value) else value


def _interval_ends(interval: Any) -> list[float | None] | None:
    ends = None if interval is None else [_number(end) for end in interval]
    return None if ends is None or None in ends else ends
