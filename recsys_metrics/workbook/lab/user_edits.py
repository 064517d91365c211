"""What a reader can edit in a file of the workbook, and what programs write into it by themselves.

JupyterLab and Jupytext write their version, the kernel's name and a count of runs into a notebook
that was only opened or run. None of that is an edit. All the rest is: cells, outputs, and what a
reader adds to the header of a text or to the metadata of a notebook.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from recsys_metrics.workbook.common.interactive import VIEW

_HEADER = re.compile(rb"\A---\r?\n(.*?)^---\r?\n", re.DOTALL | re.MULTILINE)
_KEY = re.compile(rb"( *)([A-Za-z_][\w-]*) *:")
# Written by Jupytext and JupyterLab: in the header of a text and in the metadata of a notebook.
_WRITTEN = {
    # Of a page that has no header of its own, Jupytext's stands one level lower.
    ("jupyter", "jupytext"),
    ("jupytext", "default_lexer"),
    ("jupytext", "text_representation"),
    ("kernelspec", "display_name"),
    ("kernelspec", "language"),
    ("language_info",),
    ("widgets",),
}
# How a cell is looked at, and when it ran.
_VIEW = {"collapsed", "editable", "execution", "jupyter", "scrolled", "trusted"}


def fingerprint(name: str, content: bytes) -> str:
    """Return a hash of what a reader can edit in a file.

    Two files of one fingerprint are one document to their reader. They may differ in what a
    browser runs, so a fingerprint is no reason to trust a file.

    Parameters
    ----------
    name : str
        Tells a notebook or a text by its suffix.
    content : bytes

    Returns
    -------
    str
    """
    if name.endswith(".md"):
        content = _own_text(content)
    elif name.endswith(".ipynb"):
        # What cannot be read as a notebook was edited by somebody, and stays as it is.
        with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
            notebook = json.loads(content)
            own = [_own_metadata(notebook["metadata"]), *map(_own_cell, notebook["cells"])]
            content = json.dumps(own, sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()


def _own_text(content: bytes) -> bytes:
    """Return a text without the lines of its header that programs write."""
    header = _HEADER.match(content)
    if header is None:
        return content.strip()
    path: list[tuple[int, str]] = []
    own = []
    for line in header[1].splitlines():
        if key := _KEY.match(line):
            indent = len(key[1])
            path = [*(outer for outer in path if outer[0] < indent), (indent, key[2].decode())]
        names = tuple(name for _, name in path)
        written = any(names[: len(one)] == one for one in _WRITTEN)
        # A comment is nobody's but the reader's, wherever it stands.
        if line.lstrip().startswith(b"#") or not written:
            own.append(line)
    body = content[header.end() :].strip()
    return body if own in ([], [b"jupyter:"]) else b"\n".join([*own, b"---", body])


def _own_metadata(metadata: Mapping[str, Any], path: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the metadata of a notebook without what programs write."""
    return {
        name: _own_metadata(value, (*path, name)) if isinstance(value, dict) else value
        for name, value in metadata.items()
        if (*path, name) not in _WRITTEN
    }


def _own_cell(cell: Mapping[str, Any]) -> list[Any]:
    outputs = [
        {key: value for key, value in output.items() if key != "execution_count"}
        for output in cell.get("outputs", [])
    ]
    for output in outputs:
        if "data" in output:
            # What names a widget of a kernel that has ended shows nothing.
            output["data"] = {k: v for k, v in output["data"].items() if k != VIEW}
    metadata = {k: v for k, v in cell["metadata"].items() if k not in _VIEW}
    source = "".join(cell["source"])
    return [cell["cell_type"], source, metadata, cell.get("attachments"), outputs]
