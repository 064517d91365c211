"""Whether somebody sits before the notebook whose cell runs, and what is alive there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"


def is_attended() -> bool:
    """Whether a cell is run by somebody who could be asked a question.

    A program that runs a notebook, to build the book, to test it or to grade it, says of each cell
    that there is nobody to ask.
    """
    return is_widget_event() or bool(_request().get("content", {}).get("allow_stdin"))


def is_widget_event() -> bool:
    """Whether what runs was asked for in a page, by a widget there, and by no cell."""
    return bool(_request().get("header", {}).get("msg_type", "") == "comm_msg")


def create_bundle(shown: Any, widget: Callable[[], Any]) -> dict[str, Any]:
    """Return what a notebook shows: words, a still picture, and where somebody sits what is alive.

    A program that runs a notebook keeps what it shows for a page or a file, where nothing is alive
    any more: nbconvert would write scripts there that ask another host for what draws a widget.

    Parameters
    ----------
    shown : object
        Has a text and HTML of its own.
    widget : callable
        Makes the widget; raises ImportError where there is nothing to make it with.
    """
    still = {"text/plain": repr(shown), "text/html": shown._repr_html_()}
    if _request() and not is_attended() and not _is_voila():
        return still
    try:
        live = widget()
    except ImportError:
        return still
    # As ipywidgets 8 says it by itself; 7, which Colab has, can be asked for no bundle.
    view = {"version_major": 2, "version_minor": 0, "model_id": live.model_id}
    return {**still, VIEW: view}


def _is_voila() -> bool:
    """Whether Voilà runs the notebook: as programs do, and its page is alive."""
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila/") or any(
        name.startswith("VOILA_") for name in os.environ
    )


def get_run_id() -> str:
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
