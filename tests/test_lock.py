"""requirements.lock: every package pinned, and nothing in it of the machine that made it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PINNED = re.compile(r"(?P<name>[a-z0-9]+(-[a-z0-9]+)*)==(?P<version>[0-9][0-9a-z.]*)( ; .+)?")


def normal(requirement: str) -> str:
    """Return the name of a requirement as PyPI writes it."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name is not None
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def pins() -> dict[str, str]:
    lines = [line for line in TEXT.splitlines() if line and not line.startswith("#")]
    found = [PINNED.fullmatch(line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if not match]
    return {match["name"]: match["version"] for match in found if match}


def needed(extra: str, project: dict) -> set[str]:
    """Return the packages an extra asks for, those of the extras it names included."""
    names: set[str] = set()
    for requirement in project["optional-dependencies"][extra]:
        if inner := re.match(r"recsys-metrics\[(.+)\]", requirement):
            for part in inner[1].split(","):
                names |= needed(part.strip(), project)
        else:
            names.add(normal(requirement))
    return names


@pytest.mark.parametrize("sign", ["://", "file:", " @ ", "--", "/", "\\"])
def test_it_holds_no_address_and_no_path(sign):
    assert [line for line in TEXT.splitlines() if sign in line] == []


def test_every_line_pins_a_version():
    assert len(pins()) > 100


def test_what_the_project_asks_for_is_in_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = needed("dev", project) | {normal(name) for name in project["dependencies"]}
    assert {"numpy", "jupyterlab", "sphinx", "pytest", "hatchling"} <= asked
    assert asked - set(pins()) == set()
