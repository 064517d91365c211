"""Users that come on two sides, and must be the same ones there."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable

from recsys_metrics._core.inputs.ids import (
    explain_lookalikes,
    find_misspelt,
    id_kinds,
    is_missing,
    may_look_alike,
    refuse_arrays,
    refuse_types_alike,
)


def refuse_no_user(users: Iterable[Hashable], name: str) -> None:
    """Raise if a user is None, NaN or the like."""
    users = [*users]
    if {*map(type, users)} <= {str, int}:
        return
    refuse_arrays(users, f"a user of {name}")
    for at, user in enumerate(users):
        if is_missing(user):
            raise ValueError(
                f"{name} has the user {user!r}, entry {at}: a missing value is no user. Leave out "
                "events without a user, or give each such visitor an id of their own"
            )


def check_same_users(
    ours: Collection[Hashable],
    theirs: Collection[Hashable],
    name: str,
    other: str,
    *,
    must_meet: bool = True,
) -> None:
    """Raise if users of two sides differ only in type or writing, or if none is on both."""
    if not ours or not theirs:
        return
    known = {*ours}
    alone = known.difference(theirs)
    unmatched = [user for user in theirs if user not in known]
    if not alone and not unmatched:
        return
    refuse_types_alike(alone, unmatched, name, other, "user")
    # A user of one side alone is a misspelt one of the other, whether or not that one has a twin.
    found = None
    if may_look_alike(known, theirs):
        found = find_misspelt(known, theirs)
    if found is not None:
        raise ValueError(
            f"{name} has the user {found[0]!a} and {other} the user {found[1]!a}: "
            f"{explain_lookalikes(*found)}"
        )
    if must_meet and len(alone) == len(ours):
        kinds = [" and ".join(sorted(id_kinds(side))) for side in (ours, theirs)]
        what = f" ({kinds[0]} and {kinds[1]})" if kinds[0] != kinds[1] else ""
        raise ValueError(
            f"no user of {name} is in {other}: {next(iter(ours))!r} for one against "
            f"{unmatched[0]!r}{what}. "
            "Use the same ids for users on both sides"
        )
