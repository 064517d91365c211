"""Whether somebody sits before the notebook whose cell runs."""

from __future__ import annotations

import sys
from typing import Any


def is_attended() -> bool:
    """Whether a cell is run by somebody who could be asked a question.

    A program that runs a notebook, to build the book, to test it or to grade it, says of each cell
    that there is nobody to ask.
    """
    request = _request()
    kind = request.get("header", {}).get("msg_type", "")
    return kind == "comm_msg" or bool(request.get("content", {}).get("allow_stdin"))


def this_run() -> str:
    """Return what tells the run of a cell from every other."""
    return str(_request().get("header", {}).get("msg_id", ""))


def _request() -> dict[str, Any]:
    # Only a kernel has one; nothing is imported to find out.
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None
    get_parent = getattr(shell, "get_parent", None)
    if get_parent is None:
        return {}
    try:
        request = dict(get_parent() or {})
        return request if isinstance(request.get("header"), dict) else {}
    except Exception:
        return {}  # a kernel of another make
