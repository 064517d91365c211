"""What a submission may take, and the error of everything that grades."""

from __future__ import annotations

from dataclasses import dataclass


class GradingError(Exception):
    """What went wrong with a course or a submission, in words for the instructor."""


@dataclass(frozen=True)
class Limits:
    """What a submission may take.

    Attributes
    ----------
    seconds : int
        For the whole of it, by the clock.
    cell_seconds : int
        For one cell.
    memory_mb : int
        Address space of the process, and what all its processes hold together.
    processes : int
        How many processes may be there at a time.
    notebook_mb : int
        Size of the file that was handed in.
    """

    seconds: int = 120
    cell_seconds: int = 20
    memory_mb: int = 2048
    processes: int = 32
    notebook_mb: int = 10
