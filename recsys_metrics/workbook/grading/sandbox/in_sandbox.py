"""Runs a student's cells within the sandbox, and says what they left behind.

This file runs there on its own, beside code that may be hostile and can change anything here: so
it holds nothing worth knowing, and what it says is believed to be values and nothing more. It
knows no right answer; those are compared outside. It is no part of what the package imports.

``runner.py OUT IN [USER]``: the numbers of two pipes, and who to become first. What is said goes
out as lines of JSON. In comes the job, as another; after the cells, the arguments of the functions
as one pickle.
"""

from __future__ import annotations

import dis
import inspect
import json
import math
import os
import pickle
import resource
import signal
import site
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from types import CodeType
from typing import Any

_LONGEST = 4_000
_ITEMS = 500
_DEEP = 3
# Cells that begin with %% and one of these are written for another program.
_SCRIPTS = ("bash", "sh", "cmd", "perl", "pypy", "python", "python2", "python3", "ruby")
# All that the body of an unfinished function can consist of.
_IDLE = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}


class OutOfTime(BaseException):
    """A cell or a call has taken too long; no `except Exception` catches it."""


def main(out: int, into: int, user: int | None = None) -> None:
    """Run the job.

    Parameters
    ----------
    out, into : int
        The pipes.
    user : int, optional
        Who to become.
    """
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    say = _teller(out)
    # The job comes when it has been seen from outside who runs here.
    say(begun=True)
    with os.fdopen(into, "rb") as pipe:
        job = json.loads(pipe.readline())
        _limit(job["memory_mb"], job["seconds"])
        signal.signal(signal.SIGALRM, _ring)
        functions = _run_cells(job, say)
        say(ready=True)
        cases = pickle.load(pipe)
    for place, limit, calls in cases:
        if place in functions:
            _run_calls(functions[place], place, limit, calls, say)
    say(done=True)


def _limit(megabytes: int, seconds: int) -> None:
    """Ask the system to stop what goes too far; what it cannot count the parent watches."""
    most = {
        resource.RLIMIT_AS: megabytes * 2**20,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: 64 * 2**20,
        resource.RLIMIT_NOFILE: 128,
        resource.RLIMIT_SIGPENDING: 128,
        resource.RLIMIT_CORE: 0,
    }
    for what, limit in most.items():
        resource.setrlimit(what, (limit, limit))


def _teller(out: int) -> Callable[..., None]:
    def say(**what: Any) -> None:
        line = json.dumps(what).encode() + b"\n"
        while line:
            line = line[os.write(out, line) :]

    return say


def _ring(*_: Any) -> None:
    raise OutOfTime("it took too long")


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` when time is up, and again until it has been heard."""
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


# The cells ----------------------------------------------------------------------------------


def _run_cells(job: dict[str, Any], say: Callable[..., None]) -> dict[int, Any]:
    """Run all cells whatever becomes of each; return the functions that were asked for."""
    shell = _create_shell()
    names, asked, functions = shell.user_ns, job["questions"], {}
    entered = set()
    for number, (source, place) in enumerate(job["cells"]):
        say(at=number)
        if place >= 0 and place not in entered:
            # What another question left under the same name is no answer to this one.
            entered.add(place)
            for name in (*asked[place]["names"], asked[place]["function"]):
                names.pop(name, None)
        error = _run_cell(shell, source, job["cell_seconds"])
        if error is not None:
            say(cell=number, error=type(error).__name__[:60], says=_in_words(error))
        if place >= 0:
            wanted = asked[place]
            values = {name: encode_value(names[name]) for name in wanted["names"] if name in names}
            if values:
                say(question=place, values=values)
            if wanted["function"] in names:
                functions[place] = names[wanted["function"]]
                say(question=place, function=_described(functions[place], wanted["arity"]))
    return functions


def _create_shell() -> Any:
    """Return a shell in which a cell goes on where it would start a program or open a window.

    Neither is there, and the answers below are worth no less for it.
    """
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.text import LSString, SList
    from traitlets.config import Config

    site.sethelper()
    # A history would be a file, and a thread that writes it.
    config = Config({"HistoryManager": {"enabled": False}})
    shell = InteractiveShell.instance(colors="NoColor", config=config)
    shell.ask_exit = lambda: None
    shell.enable_gui = lambda gui=None: None
    shell.enable_matplotlib = lambda gui=None: (None, "agg")
    shell.system = shell.system_piped = shell.system_raw = lambda command: None
    shell.getoutput = lambda command, split=True, depth=0: SList() if split else LSString()
    for name in ("conda", "mamba", "micromamba", "store"):
        shell.register_magic_function(lambda line: None, "line", name)
    for name in ("script", "system", "sx", "!", *_SCRIPTS):
        shell.register_magic_function(lambda line, cell="": None, "cell", name)
    return shell


def _run_cell(shell: Any, source: str, seconds: float) -> BaseException | None:
    try:
        with _at_most(seconds):
            ended = shell.run_cell(source, store_history=False, silent=True)
        error: BaseException | None = ended.error_before_exec or ended.error_in_exec
    except BaseException as problem:
        return problem
    return error


def _in_words(error: BaseException) -> str:
    try:
        return str(error)[:300]
    except BaseException:
        return ""


# The functions ------------------------------------------------------------------------------


def _described(function: Any, arity: int) -> dict[str, Any]:
    """Return whether a function can be called with so many arguments, and does anything."""
    if not callable(function):
        return encode_value(function)
    try:
        if _is_idle(function):
            return {"kind": "idle"}
        if inspect.iscoroutinefunction(function):
            return {"kind": "function", "problem": "it is an async function"}
        if _has_gap(getattr(function, "__code__", None)):
            return {"kind": "function", "gap": True}
        inspect.signature(function).bind(*[None] * arity)
    except TypeError as problem:
        return {"kind": "function", "problem": _in_words(problem)}
    except BaseException:
        pass  # some have no signature to ask
    return {"kind": "function"}


def _is_idle(function: Any) -> bool:
    """Whether the body was not written yet: `...`, `pass`, words, nothing but `return`."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return False
    steps = list(dis.get_instructions(code))
    loaded = [step.argval for step in steps if step.opname in {"LOAD_CONST", "RETURN_CONST"}]
    return {step.opname for step in steps} <= _IDLE and all(
        value is None or value is Ellipsis for value in loaded
    )


def _has_gap(code: Any) -> bool:
    """Whether a function, or one within it, loads a `...`: the line that it was given to fill."""
    if not isinstance(code, CodeType):
        return False
    return any(map(_has_gap, code.co_consts)) or any(
        "CONST" in step.opname and step.argval is Ellipsis for step in dis.get_instructions(code)
    )


def _run_calls(
    function: Any, place: int, limit: float, calls: list[bytes], say: Callable[..., None]
) -> None:
    """Call a function on its cases, until one takes too long."""
    for case, pickled in enumerate(calls):
        arguments, before = pickle.loads(pickled), pickle.loads(pickled)
        found: dict[str, Any] = {}
        try:
            with _at_most(limit):
                value = function(*arguments)
            found["value"] = encode_value(value)
        except OutOfTime:
            say(question=place, case=case, late=True)
            return
        except BaseException as error:
            missing = isinstance(error, TypeError) and "ellipsis" in _in_words(error)
            found |= {"error": type(error).__name__[:60], "ellipsis": missing}
        changed = [i for i, now in enumerate(arguments) if not _equal(before[i], now)]
        say(question=place, case=case, changed=changed, **found)


def _equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    try:
        if hasattr(one, "tobytes"):
            return bool(one.tobytes() == other.tobytes() and one.shape == other.shape)
        return bool(one == other)
    except BaseException:
        return False


# Values -------------------------------------------------------------------------------------


def encode_value(value: Any, depth: int = 0) -> dict[str, Any]:
    """Return a value as JSON can hold it; of what is no value, the name of its type."""
    try:
        return _written(value, depth)
    except BaseException:
        # What a student's own object does when it is looked at is its own affair.
        return {"kind": "other", "type": type(value).__name__[:60]}


def _written(value: Any, depth: int) -> dict[str, Any]:
    if value is None:
        return {"kind": "none"}
    if value is Ellipsis:
        return {"kind": "ellipsis"}
    kind = type(value)
    if kind is bool:
        return {"kind": "bool", "value": value}
    if kind is int and abs(value) < 10**400:
        return {"kind": "int", "value": str(value)}
    if kind is float:
        return {"kind": "float", "value": repr(value)}
    if kind is str:
        return {"kind": "str", "value": value[:_LONGEST]}
    if kind is Fraction and max(abs(value.numerator), value.denominator) < 10**400:
        return {"kind": "fraction", "value": f"{value.numerator}/{value.denominator}"}
    if kind is Decimal and len(str(value)) < 400:
        return {"kind": "decimal", "value": str(value)}
    if kind in {list, tuple, set, frozenset} and depth < _DEEP and len(value) <= _ITEMS:
        items = [encode_value(item, depth + 1) for item in value]
        return {"kind": kind.__name__, "items": items}
    return _written_array(value)


def _written_array(value: Any) -> dict[str, Any]:
    import numpy as np

    other = {"kind": "other", "type": type(value).__name__[:60]}
    if isinstance(value, np.str_):
        return {"kind": "str", "value": str(value)[:_LONGEST]}
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        # The item of a longdouble is a longdouble, whose repr is no number.
        plain = _nearest_float(value) if value.dtype.kind == "f" else value.item()
        if plain is None:
            return {**other, "too_large": True}
        return {"kind": "scalar", "dtype": value.dtype.name, "value": repr(plain)}
    if hasattr(value, "__array__") and not callable(value):
        array = np.asarray(value)
        if array.size == 1 and array.dtype.kind in "biuf":
            return _written_array(array.reshape(-1)[0])
        return {"kind": "array", "size": int(array.size)}
    if callable(value):
        return {**other, "callable": True}
    if isinstance(value, int | float) or hasattr(type(value), "__float__"):
        plain = _nearest_float(value)
        return {**other, **({"too_large": True} if plain is None else {"float": repr(plain)})}
    return other


def _nearest_float(value: Any) -> float | None:
    """Return the nearest float of a number; None if it is finite, and larger than any float."""
    try:
        plain = float(value)
    except OverflowError:
        return None
    return None if math.isinf(plain) and value != plain else plain


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
