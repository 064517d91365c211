"""`recsys-workbook course …`: the commands of an instructor."""

from recsys_metrics.workbook.course.commands import (
    assignments,
    capstone,
    kit,
    own,
    platforms,
    statistics,
    students,
)
from recsys_metrics.workbook.course.commands.grammar import app

__all__ = ["app", "assignments", "capstone", "kit", "own", "platforms", "statistics", "students"]
