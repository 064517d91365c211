"""What of the workbook runs in a browser: plain modules, each with its style, used as they are.

In a notebook `anywidget` loads them, in the book's pages they are scripts. A module gets from its
model the facts that never change, the state, and what is shown of it; it emits a new state, and
computes no number.
"""

from __future__ import annotations

from pathlib import Path

HOME = Path(__file__).parent
EXPLORABLE = HOME / "explorable.js"
STYLE = HOME / "explorable.css"

_EXPORT = "export default "


def as_script(module: Path = EXPLORABLE) -> str:
    """Return a module as a script that hands itself over to the page.

    A page that was opened from a folder may load scripts, and no modules.

    Parameters
    ----------
    module : Path

    Raises
    ------
    ValueError
        If it does not export just one thing, in its last statement.
    """
    text = module.read_text(encoding="utf-8")
    before, export, after = text.rpartition(_EXPORT)
    if _EXPORT in before or not export or after.count(";") != 1:
        raise ValueError(f"{module.name} must end with its one 'export default'")
    handed = f"recsysBook.front({module.stem!r}, {after.strip().rstrip(';')});"
    return f"(() => {{\n{before}{handed}\n}})();\n"
