"""Checks by counting: gaps and repeats, history, catalogue, ties, users on one side only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.evaluation._preflight._finding import Finding
from recsys_metrics.evaluation._preflight._inputs import EvaluationInput, is_gap

# A share of users or items below this is stated and does not make the values wrong.
SMALL = 0.01


def check_lists(given: EvaluationInput) -> Iterator[Finding]:
    """Yield gaps and repeats in lists, and lists that are short or all the same."""
    gaps = sum(any(map(is_gap, row)) for row in given.rows)
    repeats = sum(
        len(row) - sum(map(is_gap, row)) > len(own)
        for row, own in zip(given.rows, given.lists, strict=True)
    )
    n = int(given.has_list.sum())
    if gaps:
        yield Finding(
            "gaps",
            "fault",
            f"{gaps:,} of {n:,} lists contain a missing item (None, NaN or an empty text).",
            "Leave missing items out; padding belongs at the end of an array, as -1.",
            gaps,
            n,
        )
    if repeats:
        yield Finding(
            "repeats",
            "fault",
            f"{repeats:,} of {n:,} lists contain an item more than once, which a metric would "
            "count more than once.",
            'Recommend each item once, or say repeats="drop".',
            repeats,
            n,
        )
    short = sum(0 < len(row) < given.k for row in given.lists)
    if short:
        yield Finding(
            "short-lists",
            "note",
            f"{short:,} of {n:,} lists have fewer than {given.k} items; their missing ranks count "
            "as misses.",
            "State it, or choose a smaller cut-off.",
            short,
            n,
        )
    different = {tuple(row) for row, there in zip(given.top, given.has_list, strict=True) if there}
    if n > 1 and len(different) == 1:
        yield Finding(
            "same-list",
            "note",
            f"All {n:,} users get the same list.",
            "If the recommender should be personalised, check which user it was asked for.",
            n,
            n,
        )


def check_users(given: EvaluationInput) -> Iterator[Finding]:
    """Yield users with a list or something relevant only."""
    silent = int((given.has_list & ~given.has_truth).sum())
    listed, wanted = int(given.has_list.sum()), int(given.has_truth.sum())
    if not wanted:
        yield Finding(
            "users-without-truth",
            "fault",
            "No user has anything relevant.",
            "Check the file of what is relevant, the grades, and the threshold.",
            silent,
            len(given.users),
        )
    elif silent:
        yield Finding(
            "users-without-truth",
            "fault" if silent > SMALL * listed else "note",
            f"{silent:,} of {listed:,} users with a list have nothing relevant. Each metric leaves "
            "them out or gives them a value, and two programs may differ in it.",
            "Leave these users out of both files, or state no_relevant= of each metric.",
            silent,
            listed,
        )
    missing = given.has_truth & ~given.has_list
    count = int(missing.sum())
    if count and listed:
        cold = given.history is not None and all(
            not own for own, lacks in zip(given.history, missing, strict=True) if lacks
        )
        yield Finding(
            "users-without-list",
            "note" if cold or count <= SMALL * wanted else "fault",
            f"{count:,} of {wanted:,} users with something relevant have no list"
            f"{', all of them without history' if cold else ''}. They count as 0.",
            "Recommend something to every user of the test, or state which users are left out.",
            count,
            wanted,
        )


def check_history(given: EvaluationInput, *, repeat_consumption: bool) -> Iterator[Finding]:
    """Yield items of the history in lists and in the truth, unless users take items again."""
    if given.history is None or repeat_consumption:
        return
    again = "If users take items again, as groceries, say repeat_consumption=True."
    rows = [*zip(given.top, given.history, strict=True)]
    seen = sum(item in own for row, own in rows for item in row)
    total = sum(map(len, given.top))
    users = sum(any(item in own for item in row) for row, own in rows)
    if seen:
        yield Finding(
            "history",
            "fault",
            f"{seen:,} of {total:,} recommended items are in the history of the user they were "
            f"recommended to ({users:,} users).",
            f"Exclude the history before you rank: rank_from_scores(scores, k, exclude=history). "
            f"{again}",
            seen,
            total,
        )
    leaked = sum(
        item in own for true, own in zip(given.truth, given.history, strict=True) for item in true
    )
    relevant = sum(map(len, given.truth))
    if leaked:
        yield Finding(
            "leak",
            "fault",
            f"{leaked:,} of {relevant:,} relevant items are in the history of the same user, so "
            "the recommender was trained on what it is tested on.",
            f"Split once, and take the history from the training part alone. {again}",
            leaked,
            relevant,
        )


def check_catalog(given: EvaluationInput) -> Iterator[Finding]:
    """Yield items that are recommended or relevant and are not in the catalogue."""
    if given.catalog is None and given.catalog_size is None:
        return
    if given.catalog is None:
        yield from _check_catalog_size(given)
        return
    sides = (
        ("recommended", [item for row in given.top for item in row], 0.0),
        ("relevant", [item for own in given.truth for item in own], SMALL),
    )
    for what, items, allowed in sides:
        outside = [item for item in items if item not in given.catalog]
        if not outside:
            continue
        examples = ", ".join(map(repr, sorted({*outside}, key=str)[:3]))
        yield Finding(
            "catalog" if what == "recommended" else "unreachable",
            "fault" if len(outside) > allowed * len(items) else "note",
            f"{len(outside):,} of {len(items):,} {what} items are not in the catalogue "
            f"({examples}).",
            "Pass the catalogue that the recommender chooses from."
            if what == "recommended"
            else "No recommender can find them: take the catalogue from all items that could be "
            "recommended, or leave them out and state it.",
            len(outside),
            len(items),
        )


def _check_catalog_size(given: EvaluationInput) -> Iterator[Finding]:
    size = given.catalog_size or 0
    listed = {item for row in given.lists for item in row}
    if len(listed) > size:
        yield Finding(
            "catalog",
            "fault",
            f"{len(listed):,} different items are recommended, and the catalogue has {size:,}.",
            "Pass the catalogue that the recommender chooses from.",
            len(listed) - size,
            len(listed),
        )
        return
    # The items of an event log are numbered from 0 up to its width, and no other id can match.
    width = given.width
    outside = [
        item for item in listed if width is not None and not (type(item) is int and item < width)
    ]
    if outside:
        yield Finding(
            "catalog",
            "fault",
            f"{len(outside):,} of {len(listed):,} recommended items are not among the items of the "
            f"history, which are numbered from 0 to {size - 1:,} ({outside[0]!r}, for example).",
            "Number the items of lists and history alike, from 0, or pass catalog=.",
            len(outside),
            len(listed),
        )


def check_grades(given: EvaluationInput, *, threshold: float | None) -> Iterator[Finding]:
    """Yield grades that may be stars, of which not all are meant to be relevant."""
    grades = {grade for own in given.graded for grade in own.values()}
    positive = {grade for grade in grades if grade > 0}
    if threshold is None and positive and max(positive) >= 4 and min(positive) < 4:
        yield Finding(
            "grades",
            "note",
            f"Grades from {min(positive):g} to {max(positive):g} came without threshold=, so an "
            f"item with {min(positive):g} counts as relevant.",
            "If these are stars, say which are enough: threshold=4.",
        )
    if any(not np.isfinite(grade) or grade < 0 for grade in grades):
        count = sum(not np.isfinite(g) or g < 0 for own in given.graded for g in own.values())
        yield Finding(
            "grades",
            "fault",
            f"{count:,} grades are negative or not finite.",
            "Give grades of 0 or more; leave out items without a grade.",
            count,
            sum(map(len, given.graded)),
        )


def check_ties(
    given: EvaluationInput, best: FloatArray | None, worst: FloatArray | None, error: float
) -> Iterator[Finding]:
    """Yield equal scores across the cut-off, and by how much the order of ties moves the value.

    Parameters
    ----------
    best, worst : (n,) array or None
        Values of the users if relevant items come first, or last, among equal scores.
    error : float
        The standard error of the mean over users.
    """
    if given.scores is None:
        return
    listed = [own for own in given.scores if own]
    bad = sum(any(not np.isfinite(score) for score in own.values()) for own in listed)
    if bad:
        yield Finding(
            "scores",
            "fault",
            f"{bad:,} of {len(listed):,} lists have scores that are not finite.",
            "Find out where the recommender divides by 0 or lacks an item, and score all items.",
            bad,
            len(listed),
        )
    constant = sum(len(own) > 1 and len({*own.values()}) == 1 for own in listed)
    moved = 0.0
    if best is not None and worst is not None:
        moved = float(np.nanmean(best) - np.nanmean(worst))
        tied = int(np.count_nonzero(best > worst))
    if constant > SMALL * len(listed):
        yield Finding(
            "equal-scores",
            "fault",
            f"In {constant:,} of {len(listed):,} lists all scores are equal, so that their order "
            "says nothing about the recommender.",
            "Check what the recommender does for these users, and recommend by another rule there.",
            constant,
            len(listed),
        )
    elif moved > 0:
        yield Finding(
            "equal-scores",
            "fault" if moved > error else "note",
            f"Equal scores in {tied:,} of {len(listed):,} lists let the order of ties move the "
            "value "
            f"by {moved:.3f}, from the worst case to the best; the standard error over users is "
            f"{error:.3f}.",
            "Score with more digits, or break ties at random and not by the order of the file.",
            tied,
            len(listed),
        )
