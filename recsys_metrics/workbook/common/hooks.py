"""Functions that exercises call, so that they do not have to know the record of progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

on_check: list[Callable[[Any, Any], str | None]] = []
"""Called after each check with the exercise and its result; each returns what could not be saved as
usual, in words, or nothing."""

on_help: list[Callable[[Any, str, int], None]] = []
"""Called when a hint or the solution is first opened, with the exercise, which, and its number."""

load_previous_answer: list[Callable[[Any], Any]] = []
"""Called for what a learner answered in an earlier kernel; the first that is not None counts."""
