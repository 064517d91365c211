"""Public functions answer odd arguments with a TypeError or a ValueError, or with a result.

Every call of a doctest is repeated with one argument, or a part of it, replaced by something odd.
"""

from __future__ import annotations

import contextlib
import copy
import datetime
import doctest
import functools
import inspect
import io
import random
import traceback
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recsys_metrics
from tests.public import modules

HOME = str(Path(recsys_metrics.__file__).parent)
Calls = dict[str, list[tuple[Any, Any]]]
CALLS_EACH, ATTEMPTS = 6, 40


class Odd:
    """Nothing that any function knows."""


ODD: list[Any] = [
    *(None, "x", "", b"x", "\ud800", 1, 0, -1, 1.5, True, float("nan"), float("inf"), 10**400),
    *(2 + 1j, Decimal("sNaN"), Decimal(1), Fraction(1, 2), np.int8(3), np.uint64(2**63)),
    *([], [1, 2], [[1, 2], [3]], [[]], ["a", "b"], [None], [1, "a"], [[1, "a"]], [10**400]),
    *([float("nan")] * 3, ["\ud800"], [True, False], {}, {"a": 1}, {"a": ["b"]}, {"a": {"b": 1.0}}),
    *(set(), {1}, (), (1, 2), range(3), slice(1), memoryview(b"ab"), Odd(), Odd, len),
    *(datetime.date(2020, 1, 1), np.datetime64("2020-01-01"), np.array(1.0), np.zeros(0)),
    *(np.zeros((2, 2)), np.zeros((2, 2, 2)), np.array(["a"]), np.array([object()])),
    *(np.array([np.nan]), np.array([1 + 2j]), np.ma.array([1.0, 2.0], mask=[False, True])),
]
# What is drawn for a path writes or reads a file of that name: no path is among them.
PATHS = {"path", "source"}


def public() -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """Yield each public function with the module that has it and its name there."""
    for module in modules():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield module, name, value


FUNCTIONS = {f"{value.__module__}.{value.__name__}": value for _, _, value in public()}


@pytest.fixture(scope="module")
def calls() -> Calls:
    """The calls of each function in the doctests of all of them."""
    found: dict[str, list[tuple[Any, Any]]] = defaultdict(list)

    def recorded(value: Callable[..., Any]) -> Callable[..., Any]:
        key = f"{value.__module__}.{value.__name__}"

        @functools.wraps(value)
        def call(*arguments: Any, **named: Any) -> Any:
            if len(found[key]) < CALLS_EACH:
                found[key].append((arguments, named))
            return value(*arguments, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in public():
            patch.setattr(module, name, recorded(value))
        runner, parser = doctest.DocTestRunner(verbose=False), doctest.DocTestParser()
        for key, value in FUNCTIONS.items():
            examples = parser.get_doctest(inspect.getdoc(value) or "", {}, key, None, 0)
            with contextlib.redirect_stdout(io.StringIO()):
                # A function that was passed needs its names later.
                runner.run(examples, clear_globs=False)
    return found


def odd_calls(
    value: Callable[..., Any], known: list[tuple[Any, Any]], rng: random.Random
) -> Iterator[tuple[str, inspect.BoundArguments]]:
    """Yield calls with one argument that is odd, or has an odd part."""
    for _ in range(ATTEMPTS if known else 0):
        arguments, named = rng.choice(known)
        bound = inspect.signature(value).bind(*arguments, **named)
        names = [name for name in inspect.signature(value).parameters if name not in PATHS]
        if not names:
            return
        name, odd = rng.choice(names), rng.choice(ODD)
        with contextlib.suppress(TypeError):  # what was passed cannot be copied
            bound.arguments.update(copy.deepcopy(dict(bound.arguments)))
        old = bound.arguments.get(name)
        if isinstance(old, list) and old and rng.random() < 0.5:
            old[rng.randrange(len(old))] = odd
        elif isinstance(old, dict) and old and rng.random() < 0.5:
            old[rng.choice(list(old))] = odd
        elif inspect.signature(value).parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            bound.arguments[name] = {"odd": odd}
        elif inspect.signature(value).parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            bound.arguments[name] = (odd,)
        else:
            bound.arguments[name] = odd
        yield f"{name}: {odd!r:.60}", bound


def test_most_functions_have_calls(calls: Calls) -> None:
    # The others need data that no doctest makes.
    assert len(calls) >= 0.9 * len(FUNCTIONS)


@pytest.mark.parametrize("key", FUNCTIONS)
def test_odd_arguments_are_refused_in_words(key: str, calls: Calls, seed: int) -> None:
    value, wrong = FUNCTIONS[key], []
    for what, bound in odd_calls(value, calls.get(key, []), random.Random(f"{seed} {key}")):
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                value(*bound.args, **bound.kwargs)
        except FileNotFoundError:
            assert what.startswith("directory")
        except (TypeError, ValueError) as problem:
            file = traceback.extract_tb(problem.__traceback__)[-1].filename
            if not str(problem) or not file.startswith(HOME):
                wrong.append(f"{what}: {problem!r:.200} from {file}")
        except Exception as problem:
            wrong.append(f"{what}: {problem!r:.200}")
    assert wrong == []


def with_complex(given: Any) -> Any:
    """Return numbers with an imaginary part in the last of them; None if there is no number."""
    if isinstance(given, bool | np.bool_):
        return None
    if isinstance(given, int | float | np.number):
        return complex(given) + 1j
    if isinstance(given, np.ndarray) and given.dtype.kind in "iuf" and given.size:
        return with_complex(given.tolist())
    if isinstance(given, list | tuple) and given:
        last = with_complex(given[-1])
        return None if last is None else type(given)([*given[:-1], last])
    if isinstance(given, dict) and given:
        key = [*given][-1]
        last = with_complex(given[key])
        return None if last is None else {**given, key: last}
    return None


@pytest.mark.parametrize("key", FUNCTIONS)
def test_no_imaginary_part_is_dropped(key: str, calls: Calls) -> None:
    value = FUNCTIONS[key]
    for arguments, named in calls.get(key, []):
        bound = inspect.signature(value).bind(*arguments, **named)
        for name, given in bound.arguments.items():
            odd = with_complex(given)
            if odd is None or name in PATHS:
                continue
            changed = inspect.signature(value).bind(*arguments, **named)
            changed.arguments[name] = odd
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                # A function that a doctest wrote may lack the names it had there.
                with contextlib.suppress(TypeError, ValueError, NameError):
                    value(*changed.args, **changed.kwargs)


@pytest.fixture(scope="module")
def seed() -> int:
    return 0
