"""A report by groups of users: the mean hides who is served badly."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics.bias.fairness import GroupReport, by_group
from recsys_metrics.evaluation.report import Report
from recsys_metrics.measures import Measure, measure


@dataclass(frozen=True, eq=False, repr=False)
class GroupedReport(Mapping[str, GroupReport]):
    """Each measure's mean for every group, with intervals, the gap and the ratio.

    Made by `Report.by`. A mapping: ``grouped["ndcg@10"].gap``.

    Attributes
    ----------
    grouping : str
        What the groups are.
    sizes : mapping
        How many users each group has.
    reports : mapping from Measure to GroupReport

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> report = evaluate([["A"], ["B"], ["A"]], [{"A"}, {"A"}, {"A"}], ["hit_rate@1"])
    >>> by_age = report.by(["old", "young", "old"])
    >>> by_age["hit_rate@1"].per_group
    {'old': 1.0, 'young': 0.0}
    """

    grouping: str
    sizes: Mapping[Hashable, int]
    reports: Mapping[Measure, GroupReport]

    def __getitem__(self, asked: str | Measure) -> GroupReport:
        wanted = measure(asked) if isinstance(asked, str) else asked
        try:
            return self.reports[wanted]
        except KeyError:
            raise KeyError(
                f"{wanted} has no values by group; there are {', '.join(map(str, self.reports))}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(map(str, self.reports))

    def __len__(self) -> int:
        return len(self.reports)

    def __repr__(self) -> str:
        from recsys_metrics.evaluation.views import grouped_as_text

        return grouped_as_text(self)

    def _repr_html_(self) -> str:
        from recsys_metrics.evaluation.views import grouped_as_html

        return grouped_as_html(self)


def grouped(report: Report, groups: str | ArrayLike, *, level: float) -> GroupedReport:
    """Return a report by groups of users."""
    grouping = groups if isinstance(groups, str) else "group"
    if isinstance(groups, str):
        if groups not in report.groups:
            known = ", ".join(map(repr, report.groups)) or "none"
            raise ValueError(
                f"there is no grouping {groups!r}; evaluate was given {known}. Pass the group of "
                "each user instead"
            )
        labels: NDArray[Any] = report.groups[groups]
    else:
        labels = np.asarray(groups)
    n = report.protocol.n_lists
    if labels.shape != (n,):
        raise ValueError(f"groups has shape {labels.shape}; give one group for each of {n} lists")
    reports = {
        made: by_group(result.values, labels, level=level)
        for made, result in report.results.items()
        if result.values is not None
    }
    if not reports:
        raise ValueError("every measure looks at all lists together; none has values by group")
    names, counts = np.unique(labels, return_counts=True)
    sizes = dict(zip(names.tolist(), counts.tolist(), strict=True))
    return GroupedReport(grouping, sizes, reports)
