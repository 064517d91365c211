"""How a command that cannot go on ends."""

from __future__ import annotations

import sys
from typing import NoReturn

from recsys_metrics import _text
from recsys_metrics._distribution import COMMAND


def fail(command: str, problem: object) -> NoReturn:
    """End the program with what went wrong, in a sentence that no terminal obeys."""
    sys.exit(_text.for_terminal(f"{COMMAND} {command}: {problem}"))
