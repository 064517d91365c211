"""A measure as a value: a metric, its cut-off and its conventions, written as one text.

``ndcg(gain=exponential, ideal=list)@10`` says all that two people must agree on. Measures are
equal, and hash, by that text, so they can be keys; called with judged lists they give values.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from recsys_metrics import ranking

_METRICS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        name: getattr(ranking, name)
        for name in ranking.__all__
        if "judged" in inspect.signature(getattr(ranking, name)).parameters
    }
)
_FORM = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\S+))?\s*")


@dataclass(frozen=True)
class Measure:
    """A ranking metric with everything settled but the lists; made by `measure`.

    Attributes
    ----------
    name : str
        Of the metric, as it is imported.
    k : int or None
        The cut-off; None for the whole list.
    conventions : mapping
        Those that differ from the metric's defaults, in alphabetical order.

    Examples
    --------
    >>> from recsys_metrics import judge
    >>> from recsys_metrics.measures import measure
    >>> ndcg = measure("ndcg(ideal=list)@5")
    >>> round(ndcg(judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})), 3)
    0.712
    """

    name: str
    k: int | None = None
    conventions: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __call__(self, judged: ranking.Judged) -> Any:
        """Return the values of judged lists, as the metric itself does."""
        return _METRICS[self.name](judged, self.k, **self.conventions)

    @property
    def everything(self) -> str:
        """The text with every convention spelled out, the defaults included."""
        return _text(self.name, {**_defaults(self.name), **self.conventions}, self.k)

    def __str__(self) -> str:
        return _text(self.name, self.conventions, self.k)

    def __repr__(self) -> str:
        return f"measure({str(self)!r})"


def measure(text: str) -> Measure:
    """Read a measure from its text.

    Parameters
    ----------
    text : str
        A metric, its conventions in brackets, and @ with the cut-off:
        ``average_precision(divisor=hits)@10``. Conventions left out have the metric's defaults;
        without @ the whole list counts.

    Returns
    -------
    Measure
        Equal to any other that means the same, however it was written.

    Raises
    ------
    ValueError
        If the text has another form, names an unknown metric, convention or value, misses a
        convention without default, or the cut-off is no whole number of 1 or more. The message
        offers the nearest name.

    Examples
    --------
    >>> from recsys_metrics.measures import measure
    >>> measure("ndcg( ideal = list, gain=linear )@10")
    measure('ndcg(ideal=list)@10')
    >>> measure("ndcg@10").everything
    'ndcg(discount=log2, gain=linear, ideal=all, no_relevant=nan)@10'
    """
    if not isinstance(text, str):
        raise TypeError(f"a measure is read from a text such as 'ndcg@10'; got {text!r}")
    form = _FORM.fullmatch(text)
    if form is None:
        raise ValueError(
            f"{text!r} is no measure; write it like ndcg@10 or ndcg(gain=exponential)@10"
        )
    name, inside, cut = form.groups()
    if name not in _METRICS:
        raise ValueError(f"unknown measure {name!r}{_nearest(name, _METRICS)}")
    given = _read_conventions(text, inside or "")
    known = _conventions(name)
    for convention in given:
        if convention not in known:
            raise ValueError(
                f"{name} has no convention {convention!r}{_nearest(convention, known)}"
            )
    missing = [c for c, p in known.items() if p.default is p.empty and c not in given]
    if missing:
        raise ValueError(f"{name} needs {missing[0]}; write {name}({missing[0]}=…)")
    defaults = _defaults(name)
    settled = {c: _as_default(given[c], defaults.get(c)) for c in sorted(given)}
    made = Measure(
        name,
        _read_cut(text, cut),
        {c: value for c, value in settled.items() if c not in defaults or value != defaults[c]},
    )
    # The metric itself judges the values of its conventions, on an empty list.
    try:
        made(ranking.judge([], {0: 0}))
    except (TypeError, ValueError) as problem:
        if "no relevant item" not in str(problem):
            raise ValueError(f"{text!r}: {problem}") from None
    return made


def _text(name: str, conventions: Mapping[str, Any], k: int | None) -> str:
    inside = ", ".join(f"{c}={conventions[c]}" for c in sorted(conventions))
    return name + (f"({inside})" if inside else "") + (f"@{k}" if k is not None else "")


def _conventions(name: str) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(_METRICS[name]).parameters
    return {n: p for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}


def _defaults(name: str) -> dict[str, Any]:
    return {n: p.default for n, p in _conventions(name).items() if p.default is not p.empty}


def _read_conventions(text: str, inside: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in filter(str.strip, inside.split(",")):
        convention, equals, value = (piece.strip() for piece in part.partition("="))
        if not (convention and equals and value):
            raise ValueError(f"{text!r}: {part.strip()!r} is no convention; write name=value")
        if convention in given:
            raise ValueError(f"{text!r} names {convention!r} twice")
        given[convention] = value
    return given


def _as_default(value: str, default: Any) -> Any:
    """Return a number where the metric has one, and the word where it has words."""
    if isinstance(default, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value


def _read_cut(text: str, cut: str | None) -> int | None:
    if cut is None:
        return None
    if not cut.isdecimal() or int(cut) < 1:
        raise ValueError(f"{text!r}: the cut-off after @ is a whole number of 1 or more; got {cut}")
    return int(cut)


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    swapped = [other for other in known if sorted(other) == sorted(name.lower())]
    close = swapped or difflib.get_close_matches(name.lower(), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(sorted(known))}"
