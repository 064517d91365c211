"""How a command that cannot go on ends."""

from __future__ import annotations

import sys
from typing import NoReturn

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND


def fail(command: str, problem: object) -> NoReturn:
    """End the program with what went wrong, in a sentence that no terminal obeys."""
    sys.exit(console.for_terminal(f"{COMMAND} {command}: {problem}"))
