"""Run the tests that a change touches, and print what was left out.

    python dev/tools/changed.py                 since the fork from main, uncommitted work included
    python dev/tools/changed.py --base HEAD~1   since another commit
    python dev/tools/changed.py --list          only print what would be run

Python files count by their imports (`imports.py`), other files by what they are. A test is run if
it imports a changed file directly. If few do so, because the file is deep in the library, the tests
are run that import it through one other file, unless they start a browser, a lab or Spark. Where a
test has a case for each exercise, figure or page, and only some of these were changed, only their
cases are run. The rest is for `make test`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path, PurePath

import build_notebooks
import jupytext
import yaml
from imports import Graph, module_name

ROOT = Path(__file__).resolve().parents[2]

# With fewer files of tests than this that import a change directly, those one import further away
# are run, too.
FEW = 3
# Tests that start a browser, a lab, a sandbox, Spark or an environment of their own.
SLOW = (
    "tests/book/*",
    "tests/course/*",
    "tests/frames/*",
    "tests/test_lab.py",
    "tests/test_lite.py",
    "tests/test_untrusted_workbooks.py",
    "tests/test_wheel.py",
    "tests/workbook/test_in_jupyterlab.py",
)
# What is run for files that are no Python, or that a page shows; all cases of a sweep if whole.
# A text is tested with its own cases alone.
WHOLE, SAMPLED = True, False
KINDS: tuple[tuple[str, tuple[str, ...], bool], ...] = (
    ("chapters/*.md", ("tests/chapters/test_*.py", "tests/book/test_every_page.py"), WHOLE),
    ("chapters/*.ipynb", ("tests/chapters/test_*.py", "tests/book/test_every_page.py"), WHOLE),
    ("solutions/*", ("tests/chapters/test_*.py", "tests/book/test_every_page.py"), WHOLE),
    ("book/*.css", ("tests/book/test_every_page.py", "tests/book/test_book.py"), WHOLE),
    ("book/*.js", ("tests/book/test_*.py",), SAMPLED),
    ("book/_templates/*", ("tests/book/test_*.py",), SAMPLED),
    ("book/*.svg", ("tests/book/test_front_page.py", "tests/book/test_site.py"), SAMPLED),
    (
        "book/editor/*",
        ("tests/book/test_code_in_book.py", "tests/book/test_upload_evaluation_in_book.py"),
        SAMPLED,
    ),
    ("book/licences/*", ("tests/book/test_licences.py",), SAMPLED),
    ("dev/benchmarks/*", ("tests/test_benchmarks.py",), WHOLE),
    ("dev/conformance/*", ("tests/test_conformance.py",), WHOLE),
    ("book/*.py", ("tests/book/test_*.py",), SAMPLED),
    ("recsys_metrics/workbook/common/frontend/*", ("tests/book/test_*.py",), SAMPLED),
    ("recsys_metrics/workbook/explorables/frontend/*", ("tests/book/test_*.py",), SAMPLED),
    ("recsys_metrics/workbook/lab/labextension/*", ("tests/test_lab.py",), WHOLE),
    ("recsys_metrics/workbook/*.css", ("tests/book/test_every_page.py",), WHOLE),
    ("recsys_metrics/_core/colors.py", ("tests/book/test_every_page.py",), WHOLE),
    ("recsys_metrics/workbook/common/svg.py", ("tests/book/test_every_page.py",), WHOLE),
    ("recsys_workbook_content/*", ("tests/test_wheel.py", "tests/test_datasets.py"), WHOLE),
    (
        "pyproject.toml",
        ("tests/test_repository.py", "tests/test_lock.py", "tests/test_wheel.py"),
        WHOLE,
    ),
    ("requirements*.lock", ("tests/test_lock.py",), WHOLE),
    (".github/*", ("tests/test_repository.py",), WHOLE),
    ("tests/conftest.py", ("tests/test_tiers.py",), WHOLE),
)


# What pytest ends with if there was no test.
NOTHING_COLLECTED = 5


@dataclass
class Selection:
    """A file of tests that is run, and why.

    Attributes
    ----------
    reasons : set of str
        The changed files that it is run for.
    whole : bool
        Whether all cases of its sweeps are run.
    """

    reasons: set[str] = field(default_factory=set)
    whole: bool = False


def git(*arguments: str) -> str:
    """Return what a command of git prints."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"git {' '.join(arguments)} failed: {done.stderr.strip()}")
    return done.stdout


def fork() -> str:
    """Return the commit that this work and main have in common."""
    branches = git(
        "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes"
    ).split()
    for name in ("origin/main", "main"):
        if name in branches:
            return git("merge-base", name, "HEAD").strip()
    sys.exit("There is no branch main to compare with. Name a commit: --base HEAD~1")


def changed_files(base: str) -> list[str]:
    """Return the files that differ from a commit, deleted and new ones included."""
    as_they_are = ("-c", "core.quotepath=off")
    differ = git(*as_they_are, "diff", "--name-only", "--no-renames", base).splitlines()
    new = git(*as_they_are, "ls-files", "--others", "--exclude-standard").splitlines()
    return sorted({*differ, *new})


def exercises_by_file() -> dict[str, set[str]]:
    """Return the ids of the exercises that a file declares, or has code for."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "recsys_metrics/workbook/exercises").glob("*/*.yaml"):
        try:
            entries = yaml.safe_load(path.read_text(encoding="utf-8"))
            own = {f"{path.parent.name}.{one.get('id', name)}" for name, one in entries.items()}
        except (yaml.YAMLError, AttributeError):
            continue  # nothing is restricted to the cases of a file that cannot be read
        for file in (path, path.with_suffix(".py")):
            found[file.relative_to(ROOT).as_posix()] = own
    return found


class Change:
    """A change of the checkout and the tests that it touches.

    Parameters
    ----------
    files : iterable of str
        Changed files, relative to the checkout.
    """

    def __init__(self, files: Iterable[str]) -> None:
        self.files = list(files)
        self.graph = graph()

    @cached_property
    def module_of(self) -> dict[str, str]:
        """The module of each Python file and each text notebook."""
        return {
            source.path.relative_to(ROOT).as_posix(): name
            for name, source in self.graph.sources.items()
        }

    @cached_property
    def cases(self) -> dict[str, set[str]]:
        """The exercises or figures that a file declares, or the page that it is; by file."""
        found: dict[str, set[str]] = {}
        for folder in ("exercises", "explorables"):
            try:
                registry = import_module(f"recsys_metrics.workbook.{folder}").REGISTRY
            except Exception:
                continue  # a change that cannot be imported: nothing is restricted to its cases
            for file, module in self.module_of.items():
                own = self.graph.sources[module].texts & set(registry)
                within = fnmatch(file, f"recsys_metrics/workbook/{folder}/*.py")
                if own and within and not file.endswith("__init__.py"):
                    found[file] = own
            if folder == "exercises":
                found |= exercises_by_file()
        for path in build_notebooks.texts([]):
            for suffix in (".md", ".ipynb"):
                found[path.with_suffix(suffix).relative_to(ROOT).as_posix()] = {path.stem}
        return found

    @cached_property
    def every_case(self) -> set[str]:
        """All exercises, figures and pages."""
        return set().union(*self.cases.values())

    def readers(self, file: str) -> set[str]:
        """Return the modules that name a file that is no Python, such as a table of data."""
        path = PurePath(file)
        names = {file, path.name} if path.suffix else {file}
        # The library's own tables are read by their names without an ending.
        names |= {path.stem} if file.startswith("recsys_metrics/data/") else set()
        return {
            module
            for module, source in self.graph.sources.items()
            if any(text in names or text.endswith(f"/{path.name}") for text in source.texts)
        }

    def distances(self, file: str) -> dict[str, int]:
        """Return the files that depend on a changed one, and how many imports lie between."""
        if file in self.module_of:
            start = {self.module_of[file]}
        else:
            start = {module_name(file)} if file.endswith(".py") else self.readers(file)
        found = self.graph.affected(start)
        return {
            self.graph.sources[name].path.relative_to(ROOT).as_posix(): distance
            for name, distance in found.items()
            if name in self.graph.sources
        }

    @cached_property
    def selected(self) -> dict[str, Selection]:
        """The files of tests, modules with doctests and notebooks to run, each with its reasons."""
        found: dict[str, Selection] = defaultdict(Selection)
        for file in self.files:
            for pattern, tests, whole in KINDS:
                if fnmatch(file, pattern):
                    for test in self._matching(tests):
                        self._select(found, test, file, whole=whole)
            if file.startswith(("chapters/", "solutions/")):
                self._select(found, str(Path(file).with_suffix(".ipynb")), file, whole=False)
            path = PurePath(file)
            if path.parent.parent.as_posix() == "recsys_metrics/workbook/exercises":
                # Read as data, or named in data, so no import leads from them to their tests.
                subject = path.parent.name
                for test in self._matching(
                    ("tests/exercises/test_*.py", f"solutions/*{subject}.ipynb")
                ):
                    self._select(found, test, file, whole=False)
            for test in self._matching(namesakes(file)):
                self._select(found, test, file, whole=True)
            distances = self.distances(file)
            direct = sum(is_test(other) and distance <= 1 for other, distance in distances.items())
            for other, distance in distances.items():
                near = 1 if is_slow(other) or not is_test(other) or direct >= FEW else 2
                if distance <= near:
                    self._select(found, runnable(other), file, whole=distance == 0)
        found.pop("", None)
        return {test: one for test, one in sorted(found.items()) if (ROOT / test).exists()}

    def _matching(self, patterns: Iterable[str]) -> list[str]:
        paths = [path for pattern in patterns for path in ROOT.glob(pattern)]
        return [path.relative_to(ROOT).as_posix() for path in paths]

    def _select(self, found: dict[str, Selection], test: str, file: str, *, whole: bool) -> None:
        found[test].reasons.add(file)
        found[test].whole |= whole

    @cached_property
    def left_out(self) -> dict[str, int]:
        """Tests that depend on the change from further away, and through how many imports."""
        found: dict[str, int] = {}
        for file in self.files:
            for other, distance in self.distances(file).items():
                test = runnable(other)
                if is_test(test) and test not in self.selected:
                    found[test] = min(distance, found.get(test, distance))
        return found

    def only(self) -> dict[str, list[str]]:
        """Return the cases that a file of tests is restricted to, where there are such."""
        found = {}
        for test, one in self.selected.items():
            if all(file in self.cases for file in one.reasons):
                found[test] = sorted(set().union(*(self.cases[file] for file in one.reasons)))
        return found

    def as_json(self) -> str:
        """Return what `tests/conftest.py` needs to know of the selection."""
        return json.dumps(
            {
                "whole": [test for test, one in self.selected.items() if one.whole],
                "only": self.only(),
                "cases": sorted(self.every_case),
            }
        )


@cache
def graph() -> Graph:
    """Return what imports what, cells of notebooks included."""
    return Graph(ROOT, {path: code(path) for path in build_notebooks.texts([])})


def code(path: Path) -> str:
    """Return the Python of a text notebook, without what only IPython understands."""
    cells = [cell.source for cell in jupytext.read(path).cells if cell.cell_type == "code"]
    lines = [line for cell in cells if cell[:2] != "%%" for line in cell.splitlines()]
    return "\n".join(line for line in lines if not line.startswith(("%", "!")))


def namesakes(file: str) -> list[str]:
    """Return patterns of the tests that have the name of a changed file or of its folder.

    >>> namesakes("recsys_metrics/frames/_nulls.py")
    ['tests/frames/test_*.py', 'tests/**/test_nulls.py']
    """
    parts = Path(file).with_suffix("").parts
    is_fixture = parts[0] == "tests" and len(parts) > 2 and not parts[-1].startswith("test_")
    if is_fixture and (not file.endswith(".py") or parts[-1] == "conftest"):
        return [f"{Path(file).parent.as_posix()}/test_*.py"]
    if parts[0] not in ("recsys_metrics", "dev"):
        return []
    folders = [part for part in parts[1:-1] if part != "workbook"]
    own = [f"tests/{'/'.join(folders[:1])}/test_*.py"] if folders else []
    return [*own, f"tests/**/test_{parts[-1].strip('_')}.py"]


def is_slow(file: str) -> bool:
    """Return whether a file of tests starts a browser, a lab, a sandbox, Spark or the like."""
    return any(fnmatch(file, pattern) for pattern in SLOW)


def runnable(file: str) -> str:
    """Return what pytest runs for a file: itself, or the notebook of a text; or nothing."""
    path = Path(file)
    if path.parts[0] in ("chapters", "solutions"):
        return str(path.with_suffix(".ipynb"))
    if is_test(file) or path.parts[0] == "recsys_metrics":
        return file
    return ""


def is_test(file: str) -> bool:
    """Return whether a file holds tests and nothing else."""
    return Path(file).name.startswith("test_") or file.endswith(".ipynb")


def describe(change: Change, write: Callable[[str], object] = print) -> None:
    """Print what is run, for which changed files, and what is left out."""
    for file in change.files:
        write(f"changed: {file}")
    only = change.only()
    for test in change.selected:
        cases = f" ({', '.join(only[test])})" if test in only else ""
        write(f"run: {test}{cases}")
    far: dict[int, list[str]] = defaultdict(list)
    for test, distance in change.left_out.items():
        far[distance].append(test)
    for distance, tests in sorted(far.items()):
        away = f"{distance} import{'s' * (distance > 1)} away"
        files = f"{len(tests)} file{'s' * (len(tests) > 1)}"
        write(f"left out, {away}: {files}, such as {', '.join(sorted(tests)[:3])}")
    if change.selected:
        write("left out: cases of sweeps that are not drawn, and what no import leads to.")
    else:
        write("No test is selected: nothing is known to depend on these files.")
    write("make test runs every kind of check, make test-all everything.")


def main() -> int:
    """Select the tests, print them and run them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--base", help="the commit to compare with; the fork from main by default")
    parser.add_argument("--list", action="store_true", help="print the selection and run nothing")
    options, for_pytest = parser.parse_known_args()
    base = options.base or fork()
    change = Change(changed_files(base))
    if not change.files:
        print(f"Nothing has changed since {base}.")
        return 0
    describe(change)
    if options.list or not change.selected:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        selection = Path(folder) / "selection.json"
        selection.write_text(change.as_json(), encoding="utf-8")
        command = [
            *(sys.executable, "-m", "pytest", "--nbval", "--sweeps", "sample"),
            # The second declares these options, also where no test is below its folder.
            *("--selection", str(selection), "tests/conftest.py", *for_pytest, *change.selected),
        ]
        ended = subprocess.run(command, cwd=ROOT, check=False).returncode
        if ended == NOTHING_COLLECTED:
            print("The selected files hold no test of what has changed; run make test.")
            return 0
        return ended


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
