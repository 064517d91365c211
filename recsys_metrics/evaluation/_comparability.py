"""Whether a difference of two reports means anything: same users, truths, threshold, candidates."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, TypeVar

from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.inputs.users import check_same_users
from recsys_metrics.evaluation._aggregate import Aggregate
from recsys_metrics.evaluation._result import ReportData, Result
from recsys_metrics.evaluation._user_values import MemoryValues, names_its_users

R = TypeVar("R", bound=ReportData)
Users = Literal["same", "shared"]

# A difference in the share of items from the users' own histories that a reader should hear of.
_LARGE_SHARE = 0.05


def prepare_comparison(reports: Sequence[R], users: Users) -> tuple[list[R], list[str]]:
    """Return what is to be compared, and what a reader of the comparison should know.

    Parameters
    ----------
    reports : sequence of ReportData
    users : {"same", "shared"}
        Whether other users are an error, or left out.

    Raises
    ------
    ValueError
        If a difference says nothing, or no user is in all reports.
    """
    check_choice("users", users, Users)
    _check_comparable(reports)
    warnings = _protocol_differences(reports)
    if users == "same":
        return [*reports], warnings
    shared, left_out = _on_shared_users(reports)
    return shared, [*warnings, left_out]


def values_in_step(reports: Sequence[ReportData]) -> list[tuple[MemoryValues, Any]]:
    """Return the values of each report, and the order that puts its users in step with the first.

    Raises
    ------
    ValueError
        If a report is of other users.
    """
    first, *others = (report.user_values.in_memory for report in reports)
    return [(first, slice(None)), *((each, first.match_users(each)) for each in others)]


def _check_comparable(reports: Sequence[ReportData]) -> None:
    """Raise if reports were evaluated so differently that a difference says nothing.

    Users and what is relevant to them are compared where users are paired.

    Raises
    ------
    ValueError
        If thresholds or the number of sampled candidates differ.
    """
    for one, other in pairwise(reports):
        for name, words in (
            ("threshold", "any grade above 0 counts as relevant"),
            ("sampled", "items ranked against the whole catalogue"),
        ):
            ours, theirs = getattr(one.protocol, name), getattr(other.protocol, name)
            if ours != theirs:
                stated = " and ".join(
                    f"{name}={value:,g} ({report.name})"
                    if value is not None
                    else f"no {name}, {words} ({report.name})"
                    for value, report in ((ours, one), (theirs, other))
                )
                raise ValueError(
                    f"the reports were evaluated with {stated}, so that a difference says nothing "
                    f"about the recommenders; evaluate both with the same {name}="
                )


def _protocol_differences(reports: Sequence[ReportData]) -> list[str]:
    """Return what a reader of the comparison should know of how the evaluations differ."""
    found = []
    for attribute, words in (
        ("split", "splits of training and test data"),
        ("candidates", "candidate items"),
        ("ties", "orders of equal scores"),
        ("repeats", "ways to treat repeated items"),
    ):
        stated = [
            (report.name, getattr(report.protocol, attribute))
            for report in reports
            if report.protocol.states(attribute)
        ]
        if len({value for _, value in stated}) > 1:
            listed = ", ".join(f"{name}: {value}" for name, value in stated)
            found.append(f"The reports have different {words} ({listed}).")
    found += _context_differences(reports)
    shares = [
        (report.protocol.share_in_history, report.name)
        for report in reports
        if report.protocol.share_in_history is not None
    ]
    if shares and max(shares)[0] - min(shares)[0] > _LARGE_SHARE:
        listed = ", ".join(f"{name}: {share:.0%}" for share, name in shares)
        found.append(
            "The reports differ in how many recommended items the users already know from their "
            f"history ({listed}). If only one of them leaves known items out, the difference may "
            "come from that."
        )
    return found


def _context_differences(reports: Sequence[ReportData]) -> Iterator[str]:
    """Yield where the reports were given another catalogue or another history."""
    sizes = {report.name: report.protocol.n_catalog for report in reports}
    known = [size for size in sizes.values() if size is not None]
    what = ""
    if len({*known}) > 1:
        listed = ", ".join(f"{name}: {n:,} items" for name, n in sizes.items() if n is not None)
        what = f"The reports have different catalogues ({listed})"
    elif _differ(reports, "catalog_digest"):
        what = f"The catalogues of the reports have {known[0]:,} items each, but not the same ones"
    if what:
        measures = _name_measures(reports, {"catalog"})
        of_them = f"their values of {measures} and " if measures else ""
        yield (
            f"{what}, so {of_them}lists that were chosen from other items are not comparable. "
            "Evaluate all with the same catalog=."
        )
    measures = _name_measures(reports, {"item_counts", "n_users"})
    if measures and _differ(reports, "history_digest"):
        yield (
            f"The reports have different histories, so their values of {measures} are not "
            "comparable. Evaluate all with the same history=."
        )


def _differ(reports: Sequence[ReportData], attribute: str) -> bool:
    known = {getattr(report.protocol, attribute) for report in reports} - {None}
    return len(known) > 1


def _name_measures(reports: Sequence[ReportData], needs: set[str]) -> str:
    """Return the measures that need one of some arguments."""
    found = [
        measure.label
        for report in reports
        for measure in report.results
        if needs & {*measure.metric.needs}
    ]
    return ", ".join(dict.fromkeys(found))


def _on_shared_users(reports: Sequence[R]) -> tuple[list[R], str]:
    """Return reports of the users that all of them have, and how many were left out of each.

    Raises
    ------
    ValueError
        If lists are not keyed by user, or no user is in all reports.
    """
    values = [report.user_values.in_memory for report in reports]
    if any(each.users is None for each in values):
        raise ValueError(
            "users='shared' finds the users of both reports by their ids, so pass lists and "
            "relevant items as mappings from user"
        )
    first, *others = (each.users or () for each in values)
    for report, theirs in zip(reports[1:], others, strict=True):
        check_same_users(first, theirs, reports[0].name, report.name, must_meet=False)
    common = {*first}.intersection(*others)
    shared = [user for user in first if user in common]
    if not shared:
        raise ValueError("the reports share no user, so there is nothing to compare")
    left_out = [
        f"{len(each.users or ()) - len(shared):,} of {report.name}"
        for report, each in zip(reports, values, strict=True)
    ]
    kept = [each.of_users(shared) for each in values]
    groups = [_groups_of_users(*each, shared) for each in zip(reports, values, strict=True)]
    note = f"Compared on the {len(shared):,} users that all reports have; left out are " + (
        " and ".join(left_out) + "."
    )
    return [_of_values(*each) for each in zip(reports, kept, groups, strict=True)], note


def _groups_of_users(
    report: ReportData, values: MemoryValues, users: Sequence[Hashable]
) -> dict[str, Any]:
    """Return the group of each of some users; a table names its users and stays as it is."""
    place = {user: row for row, user in enumerate(values.users or ())}
    rows = [place[user] for user in users]
    return {
        name: groups if names_its_users(groups) else values.labels(groups, name)[rows]
        for name, groups in report.groups.items()
    }


def _of_values(report: R, values: MemoryValues, groups: Mapping[str, Any]) -> R:
    """Return a report of some of its users; a metric of all lists together keeps its value."""
    results = {
        measure: Result(measure, Aggregate.from_values(values.by_measure[measure]), values)
        if measure in values.by_measure
        else result
        for measure, result in report.results.items()
    }
    return replace(report, results=results, groups=groups, user_values=values)
