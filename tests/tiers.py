"""Which tests a run takes: all, a random sample of the large sweeps, or the rest of that sample.

A sweep is a parametrised test with many similar cases. It declares itself with a marker:

    @pytest.mark.sweep("page", keep=5, always=["chapters/index.html"])

`--sweeps sample --sweep-seed 7` keeps the cases in `always` and 5 others drawn with seed 7, and
`--sweeps rest --sweep-seed 7` runs exactly the cases that were left out. Tests without the marker
belong to the sample. All tests of a file that sweep over the same parameter keep the same cases,
so that a fixture that is slow to set up is set up for few of them.

Tests that wait for a whole program (a lab, Python in a page, an environment) belong to a pool of
their kind, from which so many are drawn, whichever file they are in. Marked by `pytestmark`, a
whole file is one case: what it starts is started once for all its tests.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import pytest

MARKER = (
    "sweep(parameter=None, *, keep, always=(), each=None, pool=None): many similar cases, of which "
    "`make test` runs those in `always` and `keep` others at random; with `each`, so many for each "
    "value of another parameter; with `pool` in place of a parameter, so many of all in the pool; "
    "with `pools`, tests with these values of a parameter belong to the pools of these markers"
)
# Opened in JupyterLab or JupyterLite.
in_a_lab = pytest.mark.sweep(pool="in a lab", keep=1)
# Python that runs in a page of the book.
python_in_a_page = pytest.mark.sweep(pool="Python in a page", keep=1)
# A course from its folder to the grades, each time with a grader in a sandbox.
of_a_course = pytest.mark.sweep(pool="of a course", keep=1)
# A single test that starts a program, or builds something, only to compare what comes of it.
another_program = pytest.mark.sweep(pool="another program", keep=3)
# A new environment, or a program that is submitted to Spark.
installed = pytest.mark.sweep(pool="installed", keep=1)
# Spark takes longer to start, and to plan a query, than the other engines to run all their tests.
on_spark = pytest.mark.sweep(pool="on Spark", keep=3)

# The parameter of the tests that a notebook has besides its cells.
NOTEBOOK = "notebook"
# Seeds are short enough to be typed.
N_SEEDS = 1_000_000


@dataclass
class Sweep:
    """The cases of one parameter in one file, in the order in which they were collected."""

    name: str
    keep: int
    always: frozenset[str]
    tests: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def sample(self, seed: int) -> set[str]:
        """Return the cases that belong to the sample.

        Each test of the sweep gets a case, even if its own are few among many, unless none of them
        is to be drawn.
        """
        rng = random.Random(f"{seed} {self.name}")
        cases = list(dict.fromkeys(case for own in self.tests.values() for case in own))
        others = [case for case in cases if case not in self.always]
        kept = (set(cases) & self.always) | set(rng.sample(others, min(self.keep, len(others))))
        for own in self.tests.values():
            if self.keep and kept.isdisjoint(own):
                kept.add(rng.choice(own))
        return kept


def case_of(value: Any) -> str:
    """Return the name of a parameter's value: its id, its name in the code, or its text."""
    return str(getattr(value, "id", None) or getattr(value, "__name__", value))


def split(items: Iterable[pytest.Item], seed: int) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests of the sample, and the rest.

    Parameters
    ----------
    items
        All tests of a run, in the same order whichever worker collects them.
    seed : int
        Decides which cases of each sweep belong to the sample.

    Returns
    -------
    sample, rest : list of pytest.Item
        Every test is in exactly one of them.
    """
    items = list(items)
    sweeps: dict[Hashable, Sweep] = {}
    cases: list[tuple[Hashable, str] | None] = []
    for item in items:
        mark = item.get_closest_marker("sweep")
        cases.append(None if mark is None else declare(sweeps, item, mark))
    kept = {key: sweep.sample(seed) for key, sweep in sweeps.items()}
    in_sample = [case is None or case[1] in kept[case[0]] for case in cases]
    return (
        [item for item, is_in in zip(items, in_sample, strict=True) if is_in],
        [item for item, is_in in zip(items, in_sample, strict=True) if not is_in],
    )


def declare(
    sweeps: dict[Hashable, Sweep], item: pytest.Item, mark: pytest.Mark
) -> tuple[Hashable, str]:
    """Add a test to the sweep that its marker declares; return the sweep's key and the case."""
    params = parameters(item)
    pools = {case_of(value): pool for value, pool in mark.kwargs.get("pools", {}).items()}
    cases = map(case_of, params.values()) if pools else ()
    pooled = next((pools[case].mark for case in cases if case in pools), mark)
    if pool := pooled.kwargs.get("pool"):
        sweep = sweeps.setdefault(pool, Sweep(pool, pooled.kwargs["keep"], frozenset()))
        case = item.nodeid if mark in item.own_markers else file_of(item)
        sweep.tests[pool].append(case)
        return pool, case
    (parameter,) = mark.args
    if parameter not in params:
        raise pytest.UsageError(
            f"{item.nodeid} is marked as a sweep over {parameter!r}, but its parameters are "
            f"{', '.join(params) or 'none'}. Name one of these in the marker."
        )
    each = mark.kwargs.get("each")
    group = case_of(params[each]) if each else ""
    # The notebooks are one sweep: each of them is a file of its own.
    file = "notebooks" if parameter == NOTEBOOK else file_of(item)
    key = (file, parameter, group)
    always = frozenset(map(case_of, mark.kwargs.get("always", ())))
    sweep = sweeps.setdefault(key, Sweep(" ".join(key), mark.kwargs["keep"], always))
    if (sweep.keep, sweep.always) != (mark.kwargs["keep"], always):
        raise pytest.UsageError(
            f"{item.nodeid} sweeps over {parameter!r} with another `keep` or `always` than a test "
            f"before it in {file}. Give both the same marker, so that they keep the same cases."
        )
    # The tests of all notebooks with one name are one test, as those of a function are.
    test = item.name if parameter == NOTEBOOK else item.nodeid.partition("[")[0]
    sweep.tests[test].append(case := case_of(params[parameter]))
    return key, case


def parameters(item: pytest.Item) -> dict[str, Any]:
    """Return the values of a test's parameters; a test of a notebook has one, its name."""
    if hasattr(item, "callspec"):
        return dict(item.callspec.params)
    return {NOTEBOOK: item.path.stem} if item.path.suffix == ".ipynb" else {}


@dataclass(frozen=True)
class Selection:
    """What `dev/tools/changed.py` has chosen.

    Attributes
    ----------
    whole : set of str
        Files that are run with all cases of their sweeps.
    only : dict
        Files that are run with some cases only, and which.
    cases : set of str
        All exercises, figures and pages: a parameter that is none of them restricts nothing.
    """

    whole: frozenset[str]
    only: dict[str, frozenset[str]]
    cases: frozenset[str]

    @classmethod
    def read(cls, path: Path) -> Selection:
        """Read what `dev/tools/changed.py` has written."""
        told = json.loads(path.read_text(encoding="utf-8"))
        only = {file: frozenset(cases) for file, cases in told["only"].items()}
        return cls(frozenset(told["whole"]), only, frozenset(told["cases"]))

    def takes(self, item: pytest.Item) -> bool:
        """Return whether a test belongs to the change, or is about another exercise or page."""
        only = self.only.get(file_of(item))
        values = {short_name(value) for value in parameters(item).values()} & self.cases
        return only is None or not values or not values.isdisjoint(only)


def file_of(item: pytest.Item) -> str:
    """Return the file of a test as its id names it."""
    return item.nodeid.partition("::")[0]


def short_name(value: Any) -> str:
    """Return the id of an exercise or a figure, or the name of a page without folder and ending."""
    name = getattr(value, "id", value)
    if not isinstance(name, str | PurePath):
        return ""
    path = PurePath(name)
    return path.stem if path.suffix in (".md", ".ipynb", ".html") else str(name)


def summary(config: pytest.Config, left_out: int) -> str:
    """Return what a run left out, and the commands that run it again or run the rest."""
    seed = config.option.sweep_seed
    if config.option.sweeps == "rest":
        return f"The sample of seed {seed} left these cases out; it has {left_out:,} tests."
    head = f"sweeps: a sample with seed {seed}; {left_out:,} cases were left out"
    if config.option.selection:
        again = f'make test-changed ARGS="--sweep-seed {seed}"'
        return f"{head}\n{again} draws the same sample again; make test-all runs all cases."
    return (
        f"{head}\nmake test SEED={seed} draws the same sample again, and "
        f"make test-rest SEED={seed} runs the cases that were left out."
    )


def draw_seed() -> int:
    """Return a seed that changes from run to run."""
    return random.SystemRandom().randrange(N_SEEDS)
