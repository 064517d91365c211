"""The lines of a recipe, to be run with the package that it is about."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "chapters" / "recipes.md"
_CODE = re.compile(r"^```(?:\{code-cell\} ipython3|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_recipe(words: str) -> str:
    """Return the code that is shown under the heading with these words."""
    parts = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    (part,) = [part for part in parts if words in part.partition("\n")[0]]
    (code,) = [code for code in _CODE.findall(part) if ":tags:" not in code]
    return code
