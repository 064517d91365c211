"""What the book's pages pick from without a kernel, written ahead and kept between builds."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

import cards

import recsys_metrics
from recsys_metrics.workbook.exercises import REGISTRY as EXERCISES
from recsys_metrics.workbook.exercises.base import BOOK_SEEDS
from recsys_metrics.workbook.explorables import REGISTRY as EXPLORABLES
from recsys_metrics.workbook.explorables import precomputed

# What the numbers and pictures are computed with.
_STANDS_ON = ("numpy", "scipy", "markdown-it-py")
# Folders that a build has not completed, and the seconds after which it never will.
_HALF, _LONG = "half-", 3600


@cache
def digest() -> str:
    """Return a name for all that decides what is written: the library, its data, what it uses."""
    found = hashlib.sha256(platform.python_version().encode())
    for package in _STANDS_ON:
        found.update(f"{package}=={version(package)}".encode())
    for home in (Path(recsys_metrics.__file__).parent, Path(__file__).parent):
        for path in sorted(home.rglob("*.py" if home.name == "book" else "*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(path.relative_to(home).as_posix().encode())
                found.update(path.read_bytes())
    return found.hexdigest()[:16]


def scripts() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the name of each file below `_static`, and what makes its text."""
    for name, explorable in EXPLORABLES.items():
        yield f"explorables/{name}.js", partial(precomputed.as_script, explorable)
    for name, exercise in EXERCISES.items():
        yield f"exercises/{name}.js", partial(cards.as_script, exercise)
        for seed in BOOK_SEEDS if exercise.has_variants else ():
            file = cards.review_file(exercise, seed)
            yield f"{file}.js", partial(cards.review_as_script, exercise, seed)
        if exercise.points and not exercise.varies_in_page:
            yield f"{cards.review_file(exercise)}.js", partial(cards.review_as_script, exercise)


def write(kept: Path, static: Path, key: str) -> None:
    """Write the files into a site, from those that are kept if nothing has changed.

    Parameters
    ----------
    kept : Path
        Folder of earlier files, by key.
    static : Path
        The site's folder of static files.
    key : str
        What the files were made with.
    """
    folder = kept / key
    if not folder.exists():
        kept.mkdir(parents=True, exist_ok=True)
        for other in kept.iterdir():
            if not other.name.startswith(_HALF) or time.time() - other.stat().st_mtime > _LONG:
                shutil.rmtree(other, ignore_errors=True)
        # Complete or not there: a build that is broken off leaves nothing that is believed, and
        # two at a time do not meet.
        half = kept / f"{_HALF}{os.getpid()}"
        for name, make in scripts():
            (half / name).parent.mkdir(parents=True, exist_ok=True)
            (half / name).write_text(make(), encoding="ascii")
        try:
            half.rename(folder)
        except OSError:  # another build was faster
            shutil.rmtree(half)
    shutil.copytree(folder, static, dirs_exist_ok=True)
