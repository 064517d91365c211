"""Checks of ids: users and items that are one and are written in two ways, or do not match."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping

from recsys_metrics.evaluation._preflight._finding import Finding
from recsys_metrics.evaluation._preflight._inputs import EvaluationInput

Form = Callable[[Hashable], Hashable]

# From here on it is a sign if hardly an item of one side is on the other.
_FEW_ITEMS = 20
_OVERLAP = 0.05
# An unusual writing counts from this many ids, and from this share of the ids without a partner.
_LEAST_IDS = 3
_LEAST_SHARE = 0.05


def _as_text(item: Hashable) -> Hashable:
    return item.decode(errors="replace") if isinstance(item, bytes) else str(item)


def _trimmed(item: Hashable) -> Hashable:
    return unicodedata.normalize("NFC", str(_as_text(item))).strip().strip("\ufeff").strip()


def _folded(item: Hashable) -> Hashable:
    return str(_trimmed(item)).casefold()


def _as_number(item: Hashable) -> Hashable:
    text = re.sub(r"\.0+$", "", str(_folded(item)))
    return re.sub(r"^0+(?=\d)", "", text)


def _without_prefix(item: Hashable) -> Hashable:
    found = re.fullmatch(r"\D*?(\d+)", str(_as_number(item)))
    return str(int(found[1])) if found else _as_number(item)


_FORMS: tuple[tuple[str, Form, bool], ...] = (
    ("in their type", _as_text, False),
    ("in blanks at an end or in their Unicode form", _trimmed, False),
    ("in upper and lower case", _folded, True),
    ("in leading zeros or a decimal point", _as_number, True),
    ("in a prefix", _without_prefix, True),
)
"""How two writings of one id may differ, and whether a few such pairs may be a coincidence."""


def find_two_writings(
    ours: Collection[Hashable], theirs: Collection[Hashable]
) -> tuple[str, list[tuple[Hashable, Hashable]]] | None:
    """Return how ids that only one side has equal ids that only the other has, and the pairs."""
    one, other = {*ours}.difference(theirs), {*theirs}.difference(ours)
    if not one or not other:
        return None
    for way, form, may_coincide in _FORMS:
        if may_coincide and not (_tells_apart(form, ours) and _tells_apart(form, theirs)):
            continue
        partners = {form(each): each for each in other}
        pairs = [(each, partners[form(each)]) for each in one if form(each) in partners]
        fewer = min(len(one), len(other))
        least = max(_LEAST_IDS, _LEAST_SHARE * fewer) if may_coincide else 1
        if len(pairs) >= min(least, fewer):
            return way, sorted(pairs, key=repr)
    return None


def _tells_apart(form: Form, ids: Collection[Hashable]) -> bool:
    return len({form(each) for each in ids}) == len({*ids})


def check_ids(given: EvaluationInput) -> Iterator[Finding]:
    """Yield what is wrong with the ids of users and items."""
    yield from _check_users(given)
    yield from _check_items(given)


def _check_users(given: EvaluationInput) -> Iterator[Finding]:
    listed = {user for user, there in zip(given.users, given.has_list, strict=True) if there}
    with_truth = {user for user, there in zip(given.users, given.has_truth, strict=True) if there}
    if not given.keyed:
        return
    sides = {"relevant": with_truth}
    if given.history is not None:
        sides["history"] = given.history_users
    found = [*_compare("user-ids", "users", listed, sides)]
    yield from found
    if found or not listed:
        return
    for name, users in sides.items():
        if users and not listed & users:
            yield Finding(
                "user-ids",
                "fault",
                f"None of the {len(listed):,} users with a list is among the {len(users):,} users "
                f"of {name}.",
                "Use the same user ids on both sides.",
                len(listed),
                len(listed),
            )


def _check_items(given: EvaluationInput) -> Iterator[Finding]:
    listed = {item for row in given.lists for item in row}
    sides: dict[str, Collection[Hashable]] = {
        "relevant": {item for own in given.truth for item in own},
        "history": {*given.history_counts},
        "catalog": given.catalog or (),
    }
    found = [*_compare("item-ids", "items", listed, sides)]
    yield from found or _check_vocabularies(given)


def _compare(
    check: str,
    what: str,
    ours: Collection[Hashable],
    sides: Mapping[str, Collection[Hashable]],
) -> Iterator[Finding]:
    """Yield which of the ids of the lists are written in another way on the other sides."""
    found = {name: find_two_writings(ours, theirs) for name, theirs in sides.items()}
    most = max(found.items(), key=lambda side: len(side[1][1]) if side[1] else 0)
    if most[1] is None:
        return
    name, (way, pairs) = most[0], most[1]
    others = [each for each, pair in found.items() if pair and each != name]
    one, two = pairs[0]
    yield Finding(
        check,
        "fault",
        f"{len(pairs):,} of {len(ours):,} {what} of the lists differ only {way} from {what} of "
        f"{' and '.join([name, *others])}, so that they never match: {one!r} and {two!r}, for "
        "example.",
        f"Write the ids of both alike, before you join or split anything; if {one!r} and {two!r} "
        f"are two {what}, give them ids that differ more.",
        len(pairs),
        len(ours),
    )


def _check_vocabularies(given: EvaluationInput) -> Iterator[Finding]:
    """Yield whether items of one source are numbered apart from those of the others."""
    known: Collection[Hashable] = given.history_counts
    listed = [item for row in given.top for item in row]
    relevant = [item for own in given.truth for item in own]
    if not listed or not relevant:
        return
    if known:
        outside = sum(item not in known for item in listed)
        cold = sum(item not in known for item in relevant)
        sides = (("recommended", outside, listed), ("relevant", cold, relevant))
        for (name, count, items), (_, others, rest) in (sides, sides[::-1]):
            if (
                count >= (1 - _OVERLAP) * len(items)
                and others <= len(rest) / 2
                and min(len({*items}), len({*rest})) >= _FEW_ITEMS
            ):
                yield Finding(
                    "item-ids",
                    "fault",
                    f"{count:,} of {len(items):,} entries of {name} are items that the history "
                    f"does not contain, which does contain {len(rest) - others:,} of the "
                    f"{len(rest):,} entries on the other side.",
                    "Check that items are numbered alike everywhere, and that no internal number "
                    "stands for an id.",
                    count,
                    len(items),
                )
    ours, theirs = {*listed}, {*relevant}
    both = len(ours & theirs)
    if min(len(ours), len(theirs)) >= _FEW_ITEMS and both < _OVERLAP * min(len(ours), len(theirs)):
        hits = any(
            item in own for row, own in zip(given.top, given.truth, strict=True) for item in row
        )
        yield Finding(
            "item-ids",
            "note" if hits else "fault",
            f"{len(ours):,} different items are recommended and {len(theirs):,} are relevant to "
            f"some user, but only {both:,} are both.",
            "Check that items have the same ids on both sides, written alike.",
            both,
            min(len(ours), len(theirs)),
        )
