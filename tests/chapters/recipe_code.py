"""The lines of a recipe, to be run with the package that it is about."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "chapters" / "recipes.md"
_CODE = re.compile(r"^```(?:\{code-cell\} ipython3|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_recipe(words: str) -> str:
    """Return the code that is shown under the heading with these words."""
    parts = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    (part,) = [part for part in parts if words in part.partition("\n")[0]]
    (code,) = [code for code in _CODE.findall(part) if ":tags:" not in code]
    return code


def run_recipe(words: str, known: dict[str, Any]) -> Any:
    """Run the code and return what its last line is, as a notebook shows it."""
    tree = ast.parse(read_recipe(words))
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(tree, words, "exec"), known)
    return eval(compile(ast.Expression(last.value), words, "eval"), known)
