"""Equal opportunity: one line of its gap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function, make_completer

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


_GIVEN = """
rates = []
for name in set(group):
    recommended = ...
    rates.append(sum(recommended) / len(recommended))
return max(rates) - min(rates)
""".strip()
_with = make_completer("would_like, shown, group", _GIVEN)


complete_opportunity_gap = Function(
    id="bias.complete_opportunity_gap",
    title="Equal opportunity with one line missing",
    prompt="""
`my_opportunity_gap(would_like, shown, group)` returns how far the true positive rates of the
groups lie apart. Each list has one entry per person: 1 if they would like the item, else 0; 1 if
they were shown it, else 0; and the name of their group.

Complete the line with `...`: of which people the rate of a group is taken.
""",
    function="my_opportunity_gap",
    solve=_gap,
    template=_GIVEN,
    template_answer="[s for w, s, own in zip(would_like, shown, group) if w and own == name]",
    cases=(
        _people({"town": (3, 1, 2, 2), "country": (1, 3, 1, 1)}),
        _people({"young": (2, 2, 0, 1), "old": (1, 1, 3, 2)}, "half of each is recommended"),
        _people({"few": (1, 2, 1, 1), "some": (2, 1, 1, 3), "many": (4, 1, 2, 1)}, "three groups"),
        _ALIKE,
    ),
    draw=_draw_people,
    misconceptions=(
        Misconception(
            id="parity-for-opportunity",
            name="parity for opportunity",
            wrong_answer=_with("[s for s, own in zip(shown, group) if own == name]"),
            cause="The rate was taken of all people of the group, whether they would like the item "
            "or not. That is the selection rate.",
            hint="Whom does equal opportunity ask about?",
        ),
        Misconception(
            id="precision-for-recall",
            name="precision for recall",
            wrong_answer=_with(
                "[w for w, s, own in zip(would_like, shown, group) if s and own == name]"
            ),
            cause="Of those who are shown the item, the share was taken that likes it. That is "
            "precision.",
            hint="Does somebody count who would like it and was not shown it?",
        ),
        Misconception(
            id="in-vain",
            name="the other side",
            wrong_answer=_with(
                "[s for w, s, own in zip(would_like, shown, group) if own == name and not w]"
            ),
            cause="The rate was taken of those who would not like the item: how many are shown it "
            "in vain.",
            hint="Who has a loss when the item is not shown?",
        ),
        Misconception(
            id="hits-over-all",
            name="hits over all",
            wrong_answer=_with(
                "[w * s for w, s, own in zip(would_like, shown, group) if own == name]"
            ),
            cause="The people who would like the item and get it were divided by the whole group. "
            "A group with fewer who would like it then looks recommended badly.",
            hint="By whom is a true positive rate divided?",
        ),
        Misconception(
            id="likes-for-recommended",
            name="wish for service",
            wrong_answer=_with("[w for w, own in zip(would_like, group) if own == name]"),
            cause="The share of a group that would like the item was taken. Nothing in it says who "
            "was shown it.",
            hint="Where in your line is `shown`?",
        ),
        Misconception(
            id="group-forgotten",
            name="group forgotten",
            wrong_answer=_with("[s for w, s in zip(would_like, shown) if w]"),
            cause="The rate was taken over everybody each time, so all groups have the same one.",
            hint="Where in your line is the name of the group?",
        ),
    ),
    hints=(
        "A true positive rate is a recall: of those who would like it.",
        "Two conditions choose the people: their group, and that they would like it.",
        "`[s for w, s, own in zip(would_like, shown, group) if ...]`",
    ),
    steps=(
        Step("Whether they were shown it, for those of the group who would like it."),
        Step(
            "One of two is recommended in the first group, one of one in the second.",
            'group = ["town", "town", "country", "country"]\n'
            "my_opportunity_gap([1, 1, 1, 0], [1, 0, 1, 1], group)",
        ),
    ),
    insight="One condition, `w`, is all that lies between parity and opportunity. And a log knows "
    "it only of what it has shown.",
    minutes=3,
    points=2,
)
