"""The source of a learner's function, with what it needs from the notebook it was written in."""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import FunctionType, ModuleType
from typing import Any

_MOST = 20


def read_source(function: Any, name: str) -> str | None:
    """Return the source of a function that runs by itself, under a name.

    Modules that it uses are imported, and functions of the same notebook that it calls come before
    it. Values of the notebook are left out.

    Parameters
    ----------
    function : callable
    name : str
        What the exercise calls it.

    Returns
    -------
    str or None
        None where the source is not known, as for a lambda.
    """
    imports: dict[str, str] = {}
    sources: dict[str, str] = {}
    if not isinstance(function, FunctionType) or not _gather(function, imports, sources):
        return None
    own = function.__name__
    lines = [*imports.values(), *([""] if imports else []), "\n\n".join(sources.values())]
    return "\n".join([*lines, *([f"\n{name} = {own}"] if own != name else [])])


def _gather(function: FunctionType, imports: dict[str, str], sources: dict[str, str]) -> bool:
    """Add a function after what it needs, and return whether its source is known."""
    try:
        source = textwrap.dedent(inspect.getsource(function)).rstrip()
        (tree,) = ast.parse(source).body
    except (OSError, TypeError, ValueError, SyntaxError):
        return False
    if not isinstance(tree, ast.FunctionDef) or len(sources) >= _MOST:
        return False
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    sources[function.__name__] = ""  # a function may call itself
    for name in sorted(names & function.__globals__.keys() - sources.keys()):
        needed = function.__globals__[name]
        if isinstance(needed, ModuleType):
            imports[name] = f"import {needed.__name__} as {name}"
            continue
        module = getattr(needed, "__module__", None)
        if isinstance(needed, FunctionType) and module == function.__module__:
            if needed.__name__ == name:
                _gather(needed, imports, sources)
        elif (
            callable(needed) and isinstance(module, str) and module not in ("builtins", "__main__")
        ):
            imports[name] = f"from {module} import {needed.__name__} as {name}"
    del sources[function.__name__]
    sources[function.__name__] = source
    return True
