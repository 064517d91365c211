"""Equal opportunity: one line of its gap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.workbook.exercises.function import Case

_Flags = Sequence[int]
_Names = Sequence[str]


def _gap(would_like: _Flags, shown: _Flags, group: _Names) -> float:
    # Without the intervals of the library, which bring SciPy into a page.
    like, got, own = np.array(would_like) == 1, np.array(shown), np.array(group)
    rates = [got[like & (own == name)].mean() for name in sorted(set(own.tolist()))]
    return float(max(rates) - min(rates))


def _people(groups: dict[str, tuple[int, int, int, int]], why: str = "") -> Case:
    """Return people of groups: how many like it and get it, miss it, get it in vain, neither."""
    rows = [
        (like, got, name)
        for name, counts in groups.items()
        for (like, got), n in zip(((1, 1), (1, 0), (0, 1), (0, 0)), counts, strict=True)
        for _ in range(n)
    ]
    # In no order of theirs, so that nothing depends on who stands beside whom.
    mixed = [rows[i] for i in np.random.default_rng(len(rows)).permutation(len(rows))]
    would_like, shown, group = (list(column) for column in zip(*mixed, strict=True))
    return Case({"would_like": would_like, "shown": shown, "group": group}, why)


_ALIKE = _people(
    {"town": (2, 1, 0, 3), "country": (4, 2, 2, 1)}, "both groups have the same opportunity"
)


def _draw_people(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for names in (("town", "country"), ("young", "old"), ("few", "some", "many")):
        counts = rng.integers(1, 5, (len(names), 4))
        drawn.append(
            _people({name: tuple(row) for name, row in zip(names, counts.tolist(), strict=True)})
        )
    return (*drawn, _ALIKE)


_complete_opportunity_gap_cases = (
    _people({"town": (3, 1, 2, 2), "country": (1, 3, 1, 1)}),
    _people({"young": (2, 2, 0, 1), "old": (1, 1, 3, 2)}, "half of each group is shown the item"),
    _people({"few": (1, 2, 1, 1), "some": (2, 1, 1, 3), "many": (4, 1, 2, 1)}, "three groups"),
    _ALIKE,
)
