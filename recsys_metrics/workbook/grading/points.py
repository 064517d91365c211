"""An exercise with its points: what a learner's own check and a course's grade have in common."""

from __future__ import annotations

from dataclasses import dataclass

from recsys_metrics.workbook.exercises.result import Outcome


@dataclass(frozen=True)
class Scored:
    """What became of one exercise.

    Attributes
    ----------
    exercise : str
        Its id, with the seed of a variant.
    title : str
    outcome : Outcome
    points : float or None
        None where a person has to read the answer.
    out_of : int
    mistake : str or None
        Id of the likely cause.
    """

    exercise: str
    title: str
    outcome: Outcome
    points: float | None
    out_of: int
    mistake: str | None = None

    @property
    def needs_marking(self) -> bool:
        """Whether a person has to read the answer."""
        return self.points is None


def format_points(points: float) -> str:
    """Return points for a person to read, never with an exponent, and with two decimals at most.

    Examples
    --------
    >>> format_points(7.25), format_points(1234567), format_points(10 / 3)
    ('7.25', '1234567', '3.33')
    """
    return _write(points, 2)


def write_points(points: float) -> str:
    """Return points for a file that a program reads, with six decimals at most.

    Another maximum there would enlarge what two decimals take away.

    Examples
    --------
    >>> write_points(7.25), write_points(10 / 3)
    ('7.25', '3.333333')
    """
    return _write(points, 6)


def _write(points: float, decimals: int) -> str:
    text = f"{points:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
