"""What the README shows is what happens."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

import pytest

from recsys_metrics import evaluate
from recsys_metrics.workbook.exercises import PARTS, REGISTRY
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.prediction import Predict

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "dev" / "tools"), str(ROOT / "book")]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_examples_print_the_shown_output():
    result = doctest.testfile(
        str(ROOT / "README.md"),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE,
        encoding="utf-8",
        parser=_Blocks(),
    )
    assert result.attempted >= 8
    assert result.failed == 0


class _Blocks(doctest.DocTestParser):
    """Read the Python blocks only, so that the closing fence is no output."""

    def get_examples(self, string, name="<string>"):
        blocks = re.findall(r"```python\n(.*?)```", string, flags=re.DOTALL)
        return [ex for block in blocks for ex in super(_Blocks, self).get_examples(block, name)]

    def get_doctest(self, string, globs, name, filename, lineno):
        examples = self.get_examples(string, name)
        return doctest.DocTest(examples, globs, name, filename, lineno, string)


def test_counts_match_the_registry():
    kinds = [type(exercise) for exercise in REGISTRY.values()]
    checked = sum(kind not in (Predict, Text) for kind in kinds)
    for said in (
        f"\n{checked} checked exercises recognise common mistakes",
        f"**Learners**: {len(PARTS)} parts of about an hour each",
        f"solve {len(kinds)} exercises: {checked} are checked, {kinds.count(Predict)} ask for a "
        f"prediction, and {kinds.count(Text)} for a text",
    ):
        assert said in TEXT


def test_the_short_path_takes_the_stated_hours():
    pytest.importorskip("jupytext", reason="jupytext is not installed")
    import front
    import minutes

    takes = sum(minutes.of_part(stem) for stem in front.SHORT_PATH)
    hours = f"takes about {takes / 60:.0f} hours"
    assert f"The short path has {front._NUMBERS[len(front.SHORT_PATH)]} parts and {hours}" in TEXT


def test_the_first_example_runs():
    (call,) = re.findall(r"\*\*Practitioners\*\*: `(.*)`", TEXT)
    given = {"recommended": {"ann": ["A", "B"]}, "relevant": {"ann": {"B"}}}
    report = eval(call, {"evaluate": evaluate, **given, "items": list("ABCD")})
    assert [*map(str, report)] == ["ndcg@10", "coverage@10"]


def test_links_and_pictures_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target


def test_listed_folders_exist():
    listed = re.findall(r"^(  )?(\w+/|\w+\.py)", TEXT, flags=re.MULTILINE)
    assert sum(bool(indent) for indent, _ in listed) >= 10
    folder = ROOT
    for indent, name in listed:
        if not indent:
            folder = ROOT / name
        assert (folder / name if indent else folder).exists(), name


def test_commands_are_make_targets():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for command in re.findall(r"^make ([a-z]+)|`make ([a-z]+)`", TEXT, flags=re.MULTILINE):
        assert "".join(command) in targets, command


@pytest.fixture
def standalone():
    """What makes the package's page of a text."""
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    from metadata_hook import standalone

    return standalone


PAGE = """\
# Name

![A picture](book/a.png)

See [the guide](chapters/guide.md), [PyPI](https://pypi.org) and [below](#below).
`[a](b)` is code.

```python
x = [1](2)
```
"""


def test_without_an_address_links_become_text(standalone):
    said = standalone(PAGE, None)
    assert said.splitlines()[:4] == [
        "# Name",
        "",
        "See the guide, [PyPI](https://pypi.org) and [below](#below).",
        "`[a](b)` is code.",
    ]
    assert "x = [1](2)\n" in said


def test_with_an_address_links_are_absolute(standalone):
    said = standalone(PAGE, "https://example.org/p")
    assert "![A picture](https://example.org/p/raw/HEAD/book/a.png)" in said
    assert "[the guide](https://example.org/p/blob/HEAD/chapters/guide.md)," in said
    assert "[below](#below)" in said
    assert "`[a](b)` is code." in said
