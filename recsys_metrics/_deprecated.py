"""Names on their way out: they work for one more minor version, and say what to write instead.

A module lists what it renamed, with the version in which the old name goes:

    __getattr__ = renamed(__name__, {"hit_ratio": ("hit_rate", "0.3.0")})

and a function a parameter that has another name now:

    @parameter("cutoff", "k", "0.3.0")
    def precision(judged, k): ...

`tests/test_deprecated.py` fails once the version has come in which a name should be gone.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

LEAVING: list[tuple[str, str]] = []
"""What is deprecated and the version in which it goes, as modules are imported."""


def renamed(module: str, names: Mapping[str, tuple[str, str]]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module that has other names for some things now.

    Parameters
    ----------
    module : str
        Its name.
    names : mapping of str to (str, str)
        From each old name to the new one, in the same module, and the version in which the old
        one goes.
    """
    LEAVING.extend((f"{module}.{old}", until) for old, (_, until) in names.items())

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new, until = names[name]
        _warn(f"{module}.{name} is called {new} now; the old name goes in {until}", 3)
        return getattr(sys.modules[module], new)

    return find


def parameter(old: str, new: str, until: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take a parameter by its earlier name, too.

    Parameters
    ----------
    old, new : str
        The names.
    until : str
        The version in which the old one goes.

    Raises
    ------
    TypeError
        By the function, if it is given both.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        LEAVING.append((f"{function.__module__}.{function.__qualname__}({old}=)", until))

        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            if old in kwargs:
                if new in kwargs:
                    raise TypeError(
                        f"{function.__name__}() got {new!r} and {old!r}, its earlier name; "
                        f"give {new!r} alone"
                    )
                _warn(
                    f"{function.__name__}({old}=…) is {function.__name__}({new}=…) now; "
                    f"the old name goes in {until}",
                    3,
                )
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return wrapper

    return decorate


def _warn(message: str, above: int) -> None:
    """Warn at the line that used the old name, so that who wrote it is told where."""
    warnings.warn(message, DeprecationWarning, stacklevel=above)
