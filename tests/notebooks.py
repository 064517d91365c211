"""Notebooks under test: nbval runs them, and each cell of a chapter is run once more at the end."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from tests.chapters import rerun
from tests.chapters.claim_guard import read_cells, read_places

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = sorted((ROOT / "chapters").glob("[0-9]*.ipynb"))
# What is not run, and what ends in an error, has nothing to show a second time.
NOT_AGAIN = {"nbval-skip", "skip-execution", "raises-exception"}
TIE = re.compile(r"\b(?:tied?|ties|equal scores|by lot|draw lots|drawn by lot)\b", re.IGNORECASE)
IN_KERNEL = f"__import__('importlib').import_module({rerun.__name__!r})"


class Notebook(IPyNbFile):
    """A notebook whose kernel, once it has run every cell, runs each of them once more.

    A process of its own would have to run the whole notebook before.
    """

    def collect(self) -> Iterator[pytest.Item]:
        self.cells: list[IPyNbCell] = list(super().collect())
        yield from self.cells
        if self.path in CHAPTERS:
            for name, test in AT_THE_END.items():
                yield AtTheEnd.from_parent(self, name=name, test=test)

    def setup(self) -> None:
        super().setup()
        self.ask("begin")

    def ask(self, function: str, *arguments: Any) -> None:
        """Call a function of `again` in the kernel."""
        call = f"{IN_KERNEL}.{function}({', '.join(map(repr, arguments))})"
        asked = self.kernel.execute_cell_input(call, allow_stdin=False)
        self.kernel.await_reply(asked, timeout=self.config.option.nbval_cell_timeout)

    @cached_property
    def twice(self) -> list[IPyNbCell]:
        """The cells that are run twice; those that were not selected are run first."""
        for cell in self.cells:
            if cell.test_outputs is None and not cell.options["skip"]:
                cell.runtest()
        return [c for c in self.cells if not NOT_AGAIN & set(c.cell.metadata.get("tags", []))]

    @cached_property
    def second_run(self) -> dict[str, Any]:
        """What the kernel has to say at the end."""
        sources = [cell.cell.source for cell in self.twice]
        with tempfile.TemporaryDirectory() as folder:
            answer = Path(folder) / "answer.json"
            self.ask("end", sources, str(answer))
            if not answer.exists():
                raise AssertionError(f"the kernel of {self.path.name} did not run a cell again")
            found: dict[str, Any] = json.loads(answer.read_text())
        assert "problem" not in found, found.get("problem")
        return found

    def differences(self) -> list[tuple[int, str, str]]:
        """Return the number and the source of each cell that shows something else, and what."""
        differ = []
        runs = zip(self.twice, self.second_run["shown"], strict=True)
        for number, (cell, after) in enumerate(runs):
            before = rerun.read_first_output(cell.test_outputs)
            if said := before["error"] or (after and rerun.first_difference(before, after)):
                differ.append((number, cell.cell.source, said))
        return differ

    def cut_in_a_tie(self) -> list[tuple[str, int, int]]:
        """Return cell, lists cut between equal scores and lists, where there are such."""
        return [(cell, cut, of) for cell, cut, of in self.second_run["ties"] if cut]


def every_cell_may_be_run_once_more(notebook: Notebook) -> None:
    differ = [f"cell {n}: {said}\n{source}" for n, source, said in notebook.differences()]
    assert differ == [], "\n\n".join(differ)


def lists_that_are_cut_in_a_tie_are_said(notebook: Notebook) -> None:
    cut, path = notebook.cut_in_a_tie(), notebook.path
    said = [
        words
        for place in read_places(read_cells(path))
        if place.is_real
        for words in place.sentences
    ]
    assert not cut or any(map(TIE.search, said)), (
        f"{path.name} shows lists that end between equal scores (cell, lists cut so, lists): "
        f"{cut}; say in the text who sorted"
    )


class InPlaceOfNbval:
    """Collects each notebook as one of ours; no file of hooks is asked beside the chapters."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Any:
        return [
            Notebook.from_parent(parent, path=file_path) if isinstance(one, IPyNbFile) else one
            for one in (yield)
        ]


AT_THE_END: dict[str, Callable[[Notebook], None]] = {
    test.__name__.replace("_", " "): test
    for test in (every_cell_may_be_run_once_more, lists_that_are_cut_in_a_tie_are_said)
}


class AtTheEnd(pytest.Item):
    """A test of a notebook whose cells have all been run."""

    parent: Notebook

    def __init__(self, *, test: Callable[[Notebook], None], **options: Any) -> None:
        super().__init__(**options)
        self.test = test
        # The numbers that a notebook prints are compared in every run; its second run is not.
        self.add_marker(pytest.mark.sweep("notebook", keep=3))

    def runtest(self) -> None:
        self.test(self.parent)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if excinfo.errisinstance(AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str], None, str]:
        return self.path, None, f"{self.path.name}: {self.name}"
