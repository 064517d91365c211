"""What the README shows is what happens."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_examples_print_what_it_says():
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


def test_its_links_and_pictures_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target


def test_its_map_of_the_house_is_the_house():
    listed = re.findall(r"^  ?(\w+/|\w+\.py)", TEXT, flags=re.MULTILINE)
    assert len(listed) >= 6
    for name in listed:
        assert (ROOT / "recsys_metrics" / name).exists(), name
    for folder in re.findall(r"^(\w+)/ ", TEXT, flags=re.MULTILINE):
        assert (ROOT / folder).is_dir(), folder


def test_its_commands_are_targets_of_make():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for command in re.findall(r"^make ([a-z]+)|`make ([a-z]+)`", TEXT, flags=re.MULTILINE):
        assert "".join(command) in targets, command
