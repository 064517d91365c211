"""What a submission may take, and the error of everything that grades."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class GradingError(Exception):
    """What went wrong with a course or a submission, in words for the instructor."""


class Refusal(StrEnum):
    """Why what a student handed in is not theirs; decides what the student is told."""

    OTHER = ""
    FILE_OF_ANSWERS = "no file that the page saved for the student"
    NOTEBOOK_OF_ANOTHER = "the notebook of another student"


class RefusedSubmissionError(GradingError):
    """Something that was handed in and is not graded.

    Parameters
    ----------
    says : str
        For the instructor; it may name other students.
    refusal : Refusal
    file : str
        What was handed in, where the refusal is about a file of answers.
    """

    def __init__(self, says: str, refusal: Refusal, file: str = "") -> None:
        super().__init__(says)
        self.refusal, self.file = refusal, file


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
