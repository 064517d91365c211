"""What a benchmark is made of: a task, and the libraries that can do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Inputs = dict[str, NDArray[Any]]
Answers = dict[str, Any]

OURS = "recsys-workbook"
ONE_PASS = "one pass over the input"


@dataclass(frozen=True)
class Call:
    """One library set to work on some inputs.

    Attributes
    ----------
    convert : callable
        Turns plain arrays into what the library takes.
    run : callable
        Takes that and returns the answers: by name, one value or one per row.
    """

    convert: Callable[[], Any]
    run: Callable[[Any], Answers]


@dataclass(frozen=True)
class Way:
    """One library's way of doing a task.

    Attributes
    ----------
    build : callable
        Imports the library and returns the `Call` on some inputs.
    environment : str
        Folder below build/peers whose Python has the library; "" for the project's own.
    share : float
        Part of the rows that it is given, where all of them would take minutes.
    package : str
        Whose version to report, where it is not called like the library.
    tolerance : float
        How far its answers may be from ours.
    """

    build: Callable[[Inputs], Call]
    environment: str = ""
    share: float = 1.0
    package: str = ""
    tolerance: float = 1e-9


@dataclass(frozen=True)
class Task:
    """One thing to compute, in several ways.

    Attributes
    ----------
    title : str
        What is computed, of how much.
    make : callable
        Returns the inputs for a scale; 1 is the full size.
    head : callable
        Returns the inputs' first part, for a way that gets a share.
    ways : dict
        By library; ours is the first.
    """

    title: str
    make: Callable[[float], Inputs]
    head: Callable[[Inputs, float], Inputs]
    ways: dict[str, Way]


def plain(run: Callable[[], Answers]) -> Call:
    """Return a call that takes plain arrays as they are."""
    return Call(lambda: None, lambda _: run())


def one_pass(inputs: Inputs) -> Call:
    """Read every byte of the input once: the floor of any implementation."""
    words = [_as_words(array) for array in inputs.values()]

    def run() -> Answers:
        for array in words:
            np.bitwise_or.reduce(array)
        return {}

    return plain(run)


def _as_words(array: NDArray[Any]) -> NDArray[np.uint64]:
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return flat[: flat.size // 8 * 8].view(np.uint64)
