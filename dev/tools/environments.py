"""Environments beside `.venv`, for tools that need other packages or other versions than it has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

_PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
EXTRAS: dict[str, list[str]] = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
TESTING = EXTRAS["test-core"]
"""What `tests/conftest.py` imports, and with it every test."""


def uv(*arguments: str) -> None:
    """Run uv with the mirror and the folder of wheels that pip was told of."""
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if found is None:
        raise SystemExit("uv makes the environments and is not installed: pip install uv")
    settings = dict(os.environ)
    for theirs, ours in (
        ("UV_DEFAULT_INDEX", "PIP_INDEX_URL"),
        ("UV_FIND_LINKS", "PIP_FIND_LINKS"),
    ):
        if ours in settings:
            settings.setdefault(theirs, settings[ours])
    subprocess.run([found, *arguments], env=settings, check=True)


def create(home: Path, python: str = sys.executable) -> str:
    """Make an empty environment, in place of one that is there, and return its Python."""
    uv("venv", "--quiet", "--clear", "--python", python, str(home))
    return program(home, "python")


def program(home: Path, name: str) -> str:
    """Return the path of a program in an environment."""
    return str(home / ("Scripts" if os.name == "nt" else "bin") / name)


def install(python: str, *requirements: str) -> None:
    """Install packages, after options of `uv pip install`, into the environment of a Python."""
    uv("pip", "install", "--quiet", "--python", python, *requirements)
