"""The instructor's guide, followed to the letter in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from tests import forked_command
from tests.tiers import of_a_course

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "chapters" / "instructors_guide.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(sh|text)\n(.*?)```", TEXT, flags=re.DOTALL)


def normalise_output(text):
    """Return text without what a terminal makes of it: columns, and how long something took."""
    return " ".join(re.sub(r"\b\d+\.\d\b", "", text).split())


@pytest.fixture
def programs(tmp_path):
    """A folder with the command as an installation has it, whatever ran these tests."""
    place = tmp_path / "bin"
    place.mkdir()
    with forked_command.program(place / "recsys-workbook"):
        yield place


@of_a_course
def test_the_commands_of_the_guide_lead_to_a_gradebook(sandbox, programs, tmp_path, capsys):
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "160",
    }
    begun = time.monotonic()
    said, here, compared = "", empty, 0
    for kind, text in BLOCKS:
        if kind == "sh":
            done = subprocess.run(
                ["bash", "-euc", f"{text}\npwd"],
                cwd=here,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            *rows, place = done.stdout.splitlines()
            said, here = normalise_output("\n".join(rows)), Path(place)
        else:
            for line in text.splitlines():
                assert normalise_output(line) in said, f"{line!r} is not in {said!r}"
                compared += 1
    with capsys.disabled():
        print(f"\nthe guide's commands took {time.monotonic() - begun:.0f} s")
    assert compared >= 12
    assert here == empty / "recsys-2026"
    assert "recsys-2026" in (here / "feedback" / "ann" / "ps1.html").read_text()


def test_messages_quoted_in_the_guide_exist():
    source = "".join(
        file.read_text(encoding="utf-8")
        for package in ("course", "grading")
        for file in (ROOT / "recsys_metrics" / "workbook" / package).rglob("*.py")
    )
    source = re.sub(r'"\s*\n\s*f?"', "", source)
    quoted = re.findall(r"^\| \*(.+?)\* \|", TEXT, flags=re.MULTILINE)
    assert len(quoted) == 10
    for message in quoted:
        for piece in re.split(r"[0-9…]+|\*, \*", message):
            assert piece.strip() in source, message
