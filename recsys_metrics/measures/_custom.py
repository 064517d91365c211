"""A caller's own metrics, gains and discounts, identified by name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from recsys_metrics._core.checks import check_bounds, check_choice
from recsys_metrics._core.inputs.align import read_sets
from recsys_metrics._core.inputs.arrays import FloatArray, as_array, as_numbers, is_array
from recsys_metrics._core.inputs.item_sets import ItemSets
from recsys_metrics._core.inputs.lists import Lists, read_lists
from recsys_metrics.measures._catalogue import NEEDS, Family
from recsys_metrics.protocol._checks import Missing
from recsys_metrics.ranking import Judged
from recsys_metrics.ranking._dcg import Discount, Gain

Per = Literal["list", "all"]

_WORD = re.compile(r"[A-Za-z_]\w*")
_LOOKED_AT = 1000
_SETS = ("relevant", "history")
_NAMES = {"gain": Gain, "discount": Discount}


@dataclass(frozen=True)
class NamedFunction:
    """A caller's function; equal, as a measure is, by its name."""

    name: str
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False)

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *arguments: Any) -> Any:
        if self.function is None:
            raise ValueError(
                f"{self.name} was read from a file, which contains its name and not its "
                f"code; build "
                "the metric from the function again"
            )
        return self.function(*arguments)


class SavedMetric:
    """A metric of which a file holds name, question and conventions, and no code."""

    def __init__(self, name: str, question: str, conventions: Mapping[str, Any]) -> None:
        self.name, self.__doc__, self.conventions = name, question, conventions

    @property
    def __signature__(self) -> inspect.Signature:
        first = inspect.Parameter("recommended", inspect.Parameter.POSITIONAL_ONLY)
        others = (
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
            for name, value in self.conventions.items()
        )
        return inspect.Signature([first, *others])

    def __call__(self, *_: Any, **__: Any) -> Any:
        NamedFunction(self.name)()


def normalize_convention(convention: str, value: Any) -> Any:
    """Return a convention's value as a measure holds it: a key must not change."""
    if isinstance(value, NamedFunction) or convention not in _NAMES:
        return value
    if callable(value):
        named = NamedFunction(_function_name(value, f"{convention}="), value)
        if named.name in get_args(_NAMES[convention]):
            raise ValueError(
                f"{convention}={named.name} is a convention; give the function another name"
            )
        return named
    if is_array(value) or (isinstance(value, Sequence) and not isinstance(value, str)):
        return tuple(float(number) for number in (as_array(value) if is_array(value) else value))
    return value


def format_convention(value: Any) -> str:
    """Return a convention's value as a measure's text has it."""
    if isinstance(value, tuple):
        return f"[{' '.join(repr(number).removesuffix('.0') for number in value)}]"
    return value.name if isinstance(value, NamedFunction) else str(value)


def _function_name(function: Any, what: str) -> str:
    name = getattr(function, "__name__", "")
    if not _WORD.fullmatch(name):
        raise ValueError(
            f"{what} is a function without a name, {name or function!r}, and a metric is known by "
            "its text; write it with def"
        )
    return str(name)


class CustomFunction:
    """A caller's metric, called as those of the library are, and held to what they return."""

    def __init__(
        self,
        function: Callable[..., Any] | None,
        name: str | None = None,
        *,
        per: Per = "list",
        bounds: tuple[float, float],
        missing: Missing = "raise",
    ) -> None:
        if not callable(function):
            raise TypeError(f"a metric is a function; got {function!r:.60}")
        check_choice("per", per, Per)
        check_choice("missing", missing, Missing)
        self.name = _function_name(function, "the metric") if name is None else name
        if not isinstance(name, str | None) or not _WORD.fullmatch(self.name):
            raise ValueError(f"name is one word of letters, digits and _; got {name!r}")
        self.function, self.per, self.missing = function, per, missing
        self.bounds = check_bounds(bounds)
        self.__doc__ = inspect.getdoc(function)
        self._check_signature()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CustomFunction):
            return NotImplemented
        return (self.function, self.name, self.per) == (other.function, other.name, other.per)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.Signature(list(self._parameters.values()))

    @property
    def takes_uncut_lists(self) -> bool:
        """Whether it gets lists that are not cut, and the cut-off beside them."""
        return self._takes_judged and "k" in self._parameters

    @property
    def _takes_judged(self) -> bool:
        return next(iter(self._parameters)) == "judged"

    @property
    def family(self) -> Family:
        """Accuracy, if it looks at what was relevant."""
        of_relevance = self._takes_judged or "relevant" in self._parameters
        return "accuracy" if of_relevance else "beyond accuracy"

    def _check_signature(self) -> None:
        parameters = list(self._parameters.values())
        if not parameters or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
            raise TypeError(
                f"{self.name} takes nothing; its first parameter is the list, or judged"
            )
        first, *others = parameters
        known = ("k",) if first.name == "judged" else ("k", *NEEDS)
        for each in others:
            if each.kind is each.KEYWORD_ONLY or each.name in known:
                continue
            if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD:
                raise TypeError(
                    f"{self.name} takes {each.name}, which evaluate does not have; it has "
                    f"{', '.join(known)}. Give it a default, or bind it with a def around it"
                )

    def __call__(self, lists: Any, k: int | None = None, **arguments: Any) -> Any:
        """Return one number per list, or one for all."""
        arguments = {
            name: value if name in _SETS else _protect(value) for name, value in arguments.items()
        }
        if "k" in self._parameters:
            arguments["k"] = k
        if self._takes_judged:
            return self._call_on_judged(lists, k, arguments)
        return self._call_on_items(read_lists(lists), arguments)

    def _call_on_judged(self, judged: Judged[Any], k: int | None, arguments: dict[str, Any]) -> Any:
        whole = replace(judged, single=False)
        if k is not None and "k" not in arguments:
            lengths = np.minimum(whole._lengths, k)
            whole = replace(whole, _codes=whole._codes[:, :k], _lengths=lengths, _cut=None)

        def name(row: int) -> str:
            return f"list {row}" + (f" (user {judged.users[row]!r})" if judged.users else "")

        if self.per == "all":
            return self._check_scalar(self._call("all lists together", whole, arguments))
        try:
            values = self._call("all lists at once", whole, arguments)
        except ValueError:
            # Slower, and only to name the list.
            for row in range(min(len(whole), _LOOKED_AT)):
                self._call(name(row), _select_row(whole, row), arguments)
            raise
        nothing = judged._n_relevant == 0
        checked = self._check_values(values, len(judged), name, nothing)
        return float(checked[0]) if judged.single else checked

    def _call_on_items(self, lists: Lists, arguments: dict[str, Any]) -> Any:
        for each in _SETS:
            if each in arguments:
                arguments[each] = _id_sets(read_sets(arguments[each], lists, each), lists)
        rows = [[lists.ids.label(i) for i in row[row >= 0].tolist()] for row in lists.items]
        if self.per == "all":
            return self._check_scalar(self._call("all lists together", rows, arguments))
        values = []
        for i, row in enumerate(rows):
            own = {each: arguments[each][i] for each in _SETS if each in arguments}
            value = self._call(lists.name(i), row, {**arguments, **own})
            if not isinstance(value, Real | np.number | np.bool_):
                raise TypeError(
                    f"{self.name} returned {value!r:.60} for {lists.name(i)}; return a number"
                )
            values.append(float(value))
        return lists.finish(
            self._check_values(values, len(rows), lists.name, np.zeros(len(rows), bool))
        )

    def _call(self, whom: str, lists: Any, arguments: Mapping[str, Any]) -> Any:
        try:
            return self.function(lists, **arguments)
        except Exception as problem:
            raise ValueError(
                f"{self.name} raised {type(problem).__name__} for {whom}: {problem}. The "
                "exception above this one says where; return a number for every list"
            ) from problem

    def _check_scalar(self, value: Any) -> float:
        if not isinstance(value, Real | np.number) and np.shape(value) != ():
            value = None
        number = self._check_values([value], 1, lambda row: "all lists together", np.zeros(1, bool))
        return float(number[0])

    def _check_values(
        self, values: Any, n: int, name: Callable[[int], str], nothing: Any
    ) -> FloatArray:
        """Return the values as floats, all of which are numbers within the bounds."""
        wanted = f"an array of {n} numbers, one for each list" if self.per == "list" else "a number"
        try:
            # A copy: what the function returned stays its own.
            found: FloatArray = np.array(as_numbers(values, self.name))
            fits = found.shape == (n,) and not any(value is None for value in np.ravel(values))
        except (TypeError, ValueError):
            fits = False
        if not fits:
            what = f"one of shape {np.shape(values)}" if is_array(values) else f"{values!r:.60}"
            raise TypeError(f"{self.name} must return {wanted}; it returned {what}")
        missing = np.isnan(found)
        wrong = np.isinf(found) | (missing & ~nothing & (self.missing == "raise"))
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(
                f"{self.name} is {found[row]} for {name(row)}; return a finite number, or pass "
                "missing='omit' to leave users without a value out"
            )
        outside = (found < self.bounds[0]) | (found > self.bounds[1])
        if outside.any():
            row = int(outside.argmax())
            raise ValueError(
                f"{self.name} is {found[row]:g} for {name(row)}, outside its bounds {self.bounds}; "
                "confidence intervals depend on them"
            )
        return found


def _select_row(judged: Judged[Any], row: int) -> Judged[Any]:
    """Return one of many judged lists, as many with one among them."""
    here = slice(row, row + 1)
    judgements = slice(*judged._truth_indptr[row : row + 2])
    return replace(
        judged,
        _codes=judged._codes[here],
        _lengths=judged._lengths[here],
        _truth_indptr=judged._truth_indptr[row : row + 2] - judgements.start,
        _truth_codes=judged._truth_codes[judgements],
        users=None if judged.users is None else judged.users[here],
    )


def _id_sets(sets: ItemSets, lists: Lists) -> list[set[Any]]:
    """Return sets of item numbers as sets of ids."""
    ids = [lists.ids.label(number) for number in sets.items.tolist()]
    bounds = sets.indptr.tolist()
    return [set(ids[first:last]) for first, last in pairwise(bounds)]


def _protect(value: Any) -> Any:
    """Return what a function may change without changing what other metrics get.

    An array comes as a view that is only read, and everything else as a copy.
    """
    if isinstance(value, np.ndarray) and value.dtype != object:
        view = value.view()
        view.flags.writeable = False
        return view
    return deepcopy(value)
