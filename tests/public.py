"""What a user may use: the modules and names that `__all__` lists, from the top down."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import recsys_metrics


def modules(top: ModuleType = recsys_metrics) -> Iterator[ModuleType]:
    """Yield a public module and all that are public within it."""
    yield top
    for name in top.__all__:
        if isinstance(value := getattr(top, name), ModuleType):
            yield from modules(value)


def path(module: ModuleType) -> str:
    """Return the name of a module as a user of `import recsys_metrics` writes the rest."""
    return module.__name__.partition(".")[2] or "recsys_metrics"
