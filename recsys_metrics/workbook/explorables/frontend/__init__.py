"""What draws and moves an interactive figure in a browser: a module, with its style.

In a notebook `anywidget` loads it, in the book's pages it is a script. It gets from its model the
facts that never change, the state, and what is shown of it; it emits a new state, and computes no
number.
"""

from __future__ import annotations

from pathlib import Path

EXPLORABLE = Path(__file__).with_name("explorable.js")
STYLE = Path(__file__).with_name("explorable.css")
