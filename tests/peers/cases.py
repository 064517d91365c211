"""Random lists for the comparison with other libraries, and the comparison itself."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import recsys_metrics as rm
from recsys_metrics.measures import LIBRARIES

N_CASES = 1000
CUTS = (1, 3, 10, 40)
N_ITEMS = 30

# Where the differences are written down, as JSON lines, when `make peers` runs the tests.
RESULTS = "RECSYS_METRICS_PEERS"


@dataclass(frozen=True)
class Cases:
    """Lists, best first, and grades, by user."""

    lists: dict[int, list[int]]
    truths: dict[int, dict[int, int]]

    @property
    def relevant(self) -> dict[int, dict[int, int]]:
        """Grades above 0 only."""
        return {u: {i: g for i, g in row.items() if g} for u, row in self.truths.items()}

    @property
    def with_something(self) -> set[int]:
        """Users who have something relevant."""
        return {user for user, row in self.relevant.items() if row}

    @property
    def rows(self) -> dict[int, list[int]]:
        """Grades of the listed items, in the order of the list."""
        return {u: [self.truths[u].get(i, 0) for i in row] for u, row in self.lists.items()}

    @property
    def judged(self) -> rm.Judged:
        return rm.judge(self.lists, self.truths)

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


Theirs = Callable[[Cases, int | None], Mapping[int, float]]


def agree(
    library: str,
    version: str,
    name: str,
    cases: Cases,
    theirs: Theirs,
    *,
    spread: bool = False,
    tolerance: float = 1e-9,
    leaves_out: set[int] = frozenset(),
) -> None:
    """Hold `like(library, name)` equal to what the library says, user by user.

    `leaves_out` are the users that the library is known to say nothing about. With `spread` each
    user is asked for at one cut only, because the library takes its time.
    """
    cut = LIBRARIES[library].measures[name].cut
    cuts: tuple[int | None, ...] = CUTS if cut else (None,)
    users, largest, n = sorted(cases.lists), 0.0, 0
    for part, k in enumerate(cuts):
        some = cases.only(set(users[part :: len(cuts)])) if spread else cases
        made = rm.like(library, name if k is None else f"{name}@{k}")
        ours = dict(zip(some.lists, made(some.judged), strict=True))
        found = {user: float(value) for user, value in theirs(some, k).items()}
        assert set(ours) - set(found) == leaves_out & set(ours), f"{made}: users are missing"
        mine = np.array([ours[user] for user in found])
        other = np.array(list(found.values()))
        np.testing.assert_allclose(mine, other, rtol=0, atol=tolerance, err_msg=str(made))
        both = ~np.isnan(mine)
        largest = max(largest, float(np.abs(mine - other)[both].max(initial=0.0)))
        n += len(found)
    assert n >= N_CASES
    write_down(library, version, name, n, largest)


def write_down(library: str, version: str, name: str, n: int, largest: float) -> None:
    """Append a comparison to the file that `make peers` reads, if it runs the test."""
    if os.environ.get(RESULTS):
        line = {"library": library, "version": version, "name": name, "n": n, "largest": largest}
        with Path(os.environ[RESULTS]).open("a", encoding="utf-8") as results:
            results.write(json.dumps(line) + "\n")
