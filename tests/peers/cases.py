"""Random lists for the comparison with other libraries, and the comparison itself."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import recsys_metrics as rm
from recsys_metrics import convert
from recsys_metrics.peers import LIBRARIES, _like

N_CASES = 1000
CUTS = (1, 3, 10, 40)
N_ITEMS = 30

# What only a measure with a cut-off can meet.
OF_A_CUT = {
    "a list shorter than k",
    "a list longer than k",
    "k beyond everything",
    "more relevant than k",
}

# Where the differences are written down, as JSON lines, when `make peers` runs the tests.
RESULTS = "RECSYS_METRICS_PEERS"


@dataclass(frozen=True)
class Cases:
    """Lists, best first, and grades, by user."""

    lists: dict[int, list[int]]
    truths: dict[int, dict[int, int]]

    @cached_property
    def relevant(self) -> dict[int, dict[int, int]]:
        """Grades above 0 only."""
        return {u: {i: g for i, g in row.items() if g} for u, row in self.truths.items()}

    @cached_property
    def with_something(self) -> set[int]:
        """Users who have something relevant."""
        return {user for user, row in self.relevant.items() if row}

    @cached_property
    def rows(self) -> dict[int, list[int]]:
        """Grades of the listed items, in the order of the list."""
        return {u: [self.truths[u].get(i, 0) for i in row] for u, row in self.lists.items()}

    @cached_property
    def judged(self) -> rm.Judged:
        return rm.judge(self.lists, self.truths)

    @cached_property
    def of_rows(self) -> rm.Judged:
        """The lists judged as a library does that knows nothing outside of them."""
        return rm.judge(
            self.lists, {u: {i: self.truths[u].get(i, 0) for i in r} for u, r in self.lists.items()}
        )

    def only(self, users: set[int]) -> Cases:
        """Return the cases of some users."""
        return Cases(
            {user: row for user, row in self.lists.items() if user in users},
            {user: row for user, row in self.truths.items() if user in users},
        )


def draw(n: int = N_CASES, *, empty_lists: bool = False, seed: int = 20261121) -> Cases:
    """Return lists shorter and longer than every cut; some users have nothing relevant."""
    rng = np.random.default_rng(seed)
    lists, truths = {}, {}
    for user in range(n):
        n_listed = int(rng.integers(0 if empty_lists else 1, 26))
        items = rng.permutation(N_ITEMS)[: int(rng.integers(1, 21))]
        grades = rng.integers(0, 4, len(items)) * (rng.random() > 0.07)
        lists[user] = rng.permutation(N_ITEMS)[:n_listed].tolist()
        truths[user] = dict(zip(items.tolist(), grades.tolist(), strict=True))
    return Cases(lists, truths)


def tied(
    cases: Cases, *, higher_first: bool = True, seed: int = 1
) -> tuple[dict[str, dict[str, float]], Cases]:
    """Return scores of which many are equal, and the lists that they make by score and id."""
    rng = np.random.default_rng(seed)
    scored = {
        str(user): {f"{item:02d}": int(rng.integers(0, 6)) / 4 for item in row}
        for user, row in cases.lists.items()
    }
    by_id = {user: dict(sorted(row.items())) for user, row in scored.items()}
    lists = convert.lists_from_scores(by_id, ties="id-descending" if higher_first else "id")
    return scored, Cases(
        {int(user): [int(item) for item in row] for user, row in lists.items()}, cases.truths
    )


def as_qrels(cases: Cases) -> dict[str, dict[str, int]]:
    """Return what was wanted in the shape of trec_eval."""
    return {str(u): {f"{i:02d}": g for i, g in row.items()} for u, row in cases.truths.items()}


def kinds(cases: Cases, k: int | None) -> dict[str, int]:
    """Count the users of each kind that libraries are known to disagree about."""
    lengths = np.array([len(row) for row in cases.lists.values()])
    wanted = np.array([len(cases.relevant[user]) for user in cases.lists])
    best = np.array([max(cases.truths[user].values(), default=0) for user in cases.lists])
    whole = k is None
    return {
        "a list shorter than k": 0 if whole else int(((lengths < k) & (lengths > 0)).sum()),
        "a list longer than k": 0 if whole else int((lengths > k).sum()),
        "k beyond everything": 0 if whole else len(lengths) * (k > N_ITEMS),
        "more relevant than k": 0 if whole else int((wanted > k).sum()),
        "nothing relevant": int((wanted == 0).sum()),
        "no list": int((lengths == 0).sum()),
        "grades above 1": int((best > 1).sum()),
        "relevant, and not listed": sum(
            not set(cases.relevant[user]) <= set(row) for user, row in cases.lists.items()
        ),
    }


Theirs = Callable[[Cases, int | None], Mapping[int, float]]


def agree(
    library: str,
    version: str,
    name: str,
    cases: Cases,
    theirs: Theirs,
    *,
    whole: bool = False,
    spread: bool = False,
    tolerance: float = 1e-9,
    leaves_out: set[int] = frozenset(),
    lacks: set[str] = frozenset(),
    of_rows: bool = False,
    decimals: int | None = None,
) -> None:
    """Hold `like(library, name)` equal to what the library says, user by user.

    `whole` asks for whole lists, too, where the library takes a cut-off without asking for one.
    `leaves_out` are the users that the library is known to say nothing about, and `lacks` the
    kinds of cases that it cannot be given. With `spread` each user is asked for at one cut only,
    because the library takes its time; `of_rows` lets ours know no more than the list; `decimals`
    rounds ours as the library does.
    """
    cut = LIBRARIES[library].measures[name].takes_k
    cuts: tuple[int | None, ...] = (*CUTS, *[None] * whole) if cut else (None,)
    users, largest, n = sorted(cases.lists), 0.0, 0
    seen: Counter[str] = Counter()
    for part, k in enumerate(cuts):
        some = cases.only(set(users[part :: len(cuts)])) if spread else cases
        made = rm.like(library, name if k is None else f"{name}@{k}")
        values = made(some.of_rows if of_rows else some.judged)
        values = values if decimals is None else np.round(values, decimals)
        ours = dict(zip(some.lists, values, strict=True))
        found = {user: float(value) for user, value in theirs(some, k).items()}
        assert set(ours) - set(found) == leaves_out & set(ours), f"{made}: users are missing"
        mine = np.array([ours[user] for user in found])
        other = np.array(list(found.values()))
        np.testing.assert_allclose(mine, other, rtol=0, atol=tolerance, err_msg=str(made))
        both = ~np.isnan(mine)
        largest = max(largest, float(np.abs(mine - other)[both].max(initial=0.0)))
        n += len(found)
        seen.update(kinds(some.only(set(found)), k))
    assert n >= N_CASES
    expected = {kind for kind in seen if cut or kind not in OF_A_CUT} - lacks
    assert {kind for kind in expected if seen[kind] < 15} == set(), seen
    write_down(library, version, name, n, largest)


def write_down(library: str, version: str, name: str, n: int, largest: float) -> None:
    """Append a comparison to the file that `make peers` reads, if it runs the test."""
    if os.environ.get(RESULTS):
        line = {"library": library, "version": version, "name": name, "n": n, "largest": largest}
        with Path(os.environ[RESULTS]).open("a", encoding="utf-8") as results:
            results.write(json.dumps(line) + "\n")


def compared(library: str) -> list[str]:
    """Return the names that a measure of ours stands for."""
    return [name for name, reading in LIBRARIES[library].measures.items() if reading.text]


def are_known(library: str, names: Iterable[str], left_out: Mapping[str, str]) -> None:
    """Hold that `like` answers for every public name of a library that is not left out.

    And that it answers for no other: an entry whose name the library does not have is a mistake.
    """
    found, reached, known = set(names), set(), LIBRARIES[library]
    for name in found - set(left_out):
        reached.add(_like.find_key(name, known).partition("(")[0])
    assert set(left_out) <= found, f"no such name: {set(left_out) - found}"
    assert reached == {key.partition("(")[0] for key in known.measures}
