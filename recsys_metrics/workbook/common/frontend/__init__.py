"""What runs in a browser: modules that share parts, each made into one text with what it imports.

A notebook loads one module for each widget, and a page of the book that was opened from a folder
may load scripts and no modules. Both get a module together with its parts.
"""

from __future__ import annotations

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "([^"]+)";\n', re.MULTILINE)
_STYLE_IMPORT = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)
_EXPORT = "export default "


def read_module(module: Path) -> str:
    """Return a module as one text, with the modules that it imports from in their places.

    Parameters
    ----------
    module : Path
        Its imports name what they take: ``import { createMenu } from "./menu.js";``.
    """

    def include(found: re.Match[str]) -> str:
        names, address = found.groups()
        part = read_module(module.parent / address)
        part = re.sub(r"^export (?=function |const )", "", part, flags=re.MULTILINE)
        return f"const {{ {names} }} = (() => {{\n{part}return {{ {names} }};\n}})();\n"

    return _IMPORT.sub(include, module.read_text(encoding="utf-8"))


def read_style(style: Path) -> str:
    """Return a style sheet as one text, with those that it imports in their places.

    Parameters
    ----------
    style : Path
    """
    return _STYLE_IMPORT.sub(
        lambda found: read_style(style.parent / found[1]), style.read_text(encoding="utf-8")
    )


def as_script(module: Path) -> str:
    """Return a module as a script that hands itself over to the page.

    Parameters
    ----------
    module : Path

    Raises
    ------
    ValueError
        If it does not export just one thing, in its last statement.
    """
    text = read_module(module)
    before, export, after = text.rpartition(_EXPORT)
    if _EXPORT in before or not export or after.count(";") != 1:
        raise ValueError(f"{module.name} must end with its one 'export default'")
    handed = f"recsysBook.front({module.stem!r}, {after.strip().rstrip(';')});"
    return f"(() => {{\n{before}{handed}\n}})();\n"
