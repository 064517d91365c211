"""A measure: a metric with its cut-off and conventions, read from its text and written as one."""

from __future__ import annotations

import difflib
import inspect
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from recsys_metrics import ranking
from recsys_metrics._core.checks import MOST_RANKS, UndefinedMetricError, check_choice, check_count
from recsys_metrics._core.inputs.ids import kind
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics.measures._catalogue import ALIASES, METRICS, Better, Context, Metric
from recsys_metrics.measures._custom import (
    CustomFunction,
    NamedFunction,
    Per,
    format_convention,
    normalize_convention,
)
from recsys_metrics.protocol._checks import Missing
from recsys_metrics.ranking._judged import Values

# Names that trec_eval, ir_measures and RecBole write, too short or too general to be taken from
# a metric of the caller's own.
_OTHER_NAMES = {
    "hit": "hit_rate",
    "hits": "hit_rate",
    "map_cut": "average_precision",
    "ndcg_cut": "ndcg",
    "p": "precision",
    "r": "recall",
    "recip_rank": "reciprocal_rank",
    "rr": "reciprocal_rank",
    "rprec": "r_precision",
    "success": "hit_rate",
}
# trec_eval's cut-off: ndcg_cut_10, P_5, recall.100.
# So much of a long text is shown in an error.
_SHOWN = 60
_TREC_CUT = re.compile(r"\s*(ndcg_cut|map_cut|recall|P|success)[_.](\d+)\s*")
_FORM = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\S+))?\s*")

_MISSING = {
    "relevant": "the relevant items of each user",
    "catalog": "what could have been recommended: ids, or how many items there are",
    "item_counts": "the training data, as history=",
    "n_users": "the training data, as history=",
    "history": "the items that each user interacted with before",
    "features": "what is known of each item, its categories or a vector",
    "baseline": "the recommendations of a popularity baseline, or history= to take the "
    "most popular items",
}


@dataclass(frozen=True)
class Measure:
    """A metric with its cut-off and conventions; read from a text by `measure`.

    Attributes
    ----------
    name : str
        Of the metric, as it is imported.
    k : int or None
        The cut-off; None for the whole list.
    conventions : mapping
        Those that differ from the metric's defaults, in alphabetical order.
    own : Metric or None
        The metric, where it is the caller's and of no catalogue.
    requested : str or None
        How the text was written, with ``{k}`` in the place of the cut-off, where that is another
        way than the library's own.

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
    own: Metric | None = field(default=None, compare=False, repr=False)
    requested: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._check_metric()
        if self.k is not None:
            k = check_count("k", self.k, meaning="the cut-off (None for none)", most=MOST_RANKS)
            object.__setattr__(self, "k", k)
        if not isinstance(self.conventions, Mapping):
            raise TypeError(
                f"conventions must be a mapping by name; got {type(self.conventions).__name__}"
            )
        known = self.metric.conventions if self.own is None else self.conventions
        for convention in self.conventions:
            self._check_convention(convention, known)
        # A key must not change.
        values = {
            name: normalize_convention(name, value) for name, value in self.conventions.items()
        }
        object.__setattr__(self, "conventions", MappingProxyType(values))

    def _check_metric(self) -> None:
        """Raise if nothing is known of a metric of this name."""
        if not isinstance(self.name, str):
            raise TypeError(
                "name is that of a metric, such as 'ndcg'; measure('ndcg@10') reads a text with a "
                f"cut-off; got {_quote(self.name)}"
            )
        if self.own is not None:
            if not isinstance(self.own, Metric):
                cure = "; Measure.of makes a measure of a function" if callable(self.own) else ""
                raise TypeError(f"own is a Metric; got {_quote(self.own)}{cure}")
        elif self.name not in METRICS:
            raise ValueError(
                f"unknown metric {_quote(self.name)}"
                f"{suggest_names(self.name, METRICS, METRICS)}. Measure takes the name alone; "
                "measure('ndcg@10') reads a text"
            )

    def _check_convention(self, convention: Any, known: Collection[str]) -> None:
        """Raise if the metric has no convention of this name."""
        if convention not in known:
            raise ValueError(
                f"{self.name} has no convention {_quote(convention)}"
                f"{suggest_names(str(convention), known, known)}"
            )

    def __reduce__(self) -> Any:
        return Measure, (self.name, self.k, dict(self.conventions), self.own, self.requested)

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        better: Better | None = "higher",
        per: Per = "list",
        bounds: tuple[float, float] = (-math.inf, math.inf),
        missing: Missing = "raise",
    ) -> Measure:
        """How is a metric of my own evaluated with the others?

        The measure goes into the list of measures that `evaluate` takes, and nothing else knows
        it. It is of the whole list; ``.at(10)`` cuts it, or ``ks=``.

        Parameters
        ----------
        function : callable
            The names of its parameters say what it gets. If the first is ``judged``: all lists at
            once, judged (`judge`), and the cut-off where it takes ``k``; it returns an array, one
            number per list. Otherwise one list at a time, the ids in their order; and, by their
            names, ``relevant`` and ``history``, the user's sets of ids, ``k``, and ``catalog``,
            ``features``, ``baseline``, ``item_counts``, ``n_users`` as `evaluate` has them; it
            returns a number. Lists come cut where it takes no ``k``. Keyword-only parameters of
            other names are conventions, for `with_options`.
        name : str, optional
            What the measure's text begins with; by default the function's name.
        better : {"higher", "lower"} or None
            Which side is better; None for a trade-off, which no conclusion is about.
        per : {"list", "all"}
            Whether every list has a value, or all of them together have one. For "all" a function
            that does not take ``judged`` gets a list of lists, and a list of sets for each set.
        bounds : (float, float)
            Between which values a list's value lies. Without two bounds it takes 50 users to say
            how sure a mean is.
        missing : {"raise", "omit"}
            What to do with NaN: an error, or to leave the user out of the mean. A function of
            judged lists may always return it for a user with nothing relevant.

        Returns
        -------
        Measure

        Raises
        ------
        ValueError, TypeError
            If there is no name, it belongs to a measure of the library, or the function takes
            something that nobody could pass.

        Examples
        --------
        >>> from recsys_metrics import Measure, evaluate
        >>> def first_hit(recommended, relevant):
        ...     return float(recommended[0] in relevant)
        >>> mine = Measure.of(first_hit, bounds=(0, 1))
        >>> report = evaluate([["A", "B"], ["B", "A"]], [{"A"}, {"A"}], [mine.at(2)], split="x")
        >>> report["first_hit@2"]
        first_hit@2: 0.500 [0.013, 0.987] over 2 users
        """
        if better is not None:
            check_choice("better", better, Better)
        wrapped = CustomFunction(function, name, per=per, bounds=bounds, missing=missing)
        if wrapped.name in METRICS or wrapped.name in ALIASES:
            raise ValueError(
                f"name={wrapped.name!r} is a metric of the library; give yours another"
            )
        metric = Metric(
            wrapped,
            wrapped.family,
            better,
            per_user=per == "list",
            bounds=wrapped.bounds,
        )
        return cls(wrapped.name, own=metric)

    def __call__(self, judged: ranking.Judged[Values]) -> Values:
        """Return the values of judged lists, as the metric itself does."""
        if not self.metric.takes_judged:
            raise TypeError(
                f"{self.name} uses the items of the lists, which judged lists do not contain; "
                f'use evaluate(recommended, relevant, ["{self}"], …)'
            )
        values: Values = self.metric.function(judged, self.k, **self.conventions)
        return values

    def of_lists(self, recommended: Any, context: Context) -> Any:
        """Return the values of lists that are cut at k already.

        Parameters
        ----------
        recommended
            Many lists, in any form that the metric takes.
        context : Context
            What else is known of users and items.

        Returns
        -------
        (n,) array or float
            One value per list, or one for all of them.

        Raises
        ------
        ValueError, TypeError
            If something is not known that the metric needs, or the metric refuses its
            arguments; the message names the measure.
        """
        if not isinstance(context, Context):
            raise TypeError(f"context is a Context; got {context!r:.60}")
        arguments = self._required_context(context)
        if self.metric.takes_k:
            if self.k is None:
                raise ValueError(f"{self.name} needs a cut-off; write {self.name}@10")
            arguments["k"] = self.k
        return self._call(self.metric.function, recommended, {**arguments, **self.conventions})

    def accumulate(self, recommended: Any, context: Context) -> Any:
        """Return what the lists add to a measure of all lists; they are cut at k already."""
        assert self.metric.parts is not None
        return self._call_with_context(self.metric.parts.accumulate, recommended, context)

    def finalize(self, tallies: Any, context: Context) -> Any:
        """Return the value of a measure of all lists, from the sum of the tallies."""
        assert self.metric.parts is not None
        return self._call_with_context(self.metric.parts.finalize, tallies, context)

    def _required_context(self, context: Context) -> dict[str, Any]:
        arguments: dict[str, Any] = {name: getattr(context, name) for name in self.metric.needs}
        for name, value in arguments.items():
            if value is None:
                raise ValueError(f"{self} needs {name}: {_MISSING[name]}")
        return arguments

    def _call_with_context(self, function: Callable[..., Any], first: Any, context: Context) -> Any:
        told = {**self._required_context(context), **self.resolved}
        wanted = inspect.signature(function).parameters
        return self._call(function, first, {name: told[name] for name in wanted if name in told})

    def _call(self, function: Callable[..., Any], first: Any, arguments: dict[str, Any]) -> Any:
        try:
            return function(first, **arguments)
        except UndefinedMetricError as problem:
            raise UndefinedMetricError(f"{self}: {self._in_own_words(problem)}") from problem
        except TypeError as problem:
            raise TypeError(f"{self}: {self._in_own_words(problem)}") from problem
        except ValueError as problem:
            raise ValueError(f"{self}: {self._in_own_words(problem)}") from problem

    def _in_own_words(self, problem: Exception) -> str:
        """Return what a function says, with its arguments as they are written in a measure."""

        def as_measure(found: re.Match[str]) -> str:
            name, value = found.groups()
            if name not in self.metric.conventions:
                return found.group()
            cut = "" if self.k is None else f"@{self.k}"
            return f"Write {self.name}({name}={value}){cut}"

        return re.sub(r"""[Pp]ass (\w+)=["'](\w+)["']""", as_measure, str(problem))

    @property
    def metric(self) -> Metric:
        """What is known of the metric: its family, what it needs, which side is better."""
        return self.own or METRICS[self.name]

    @property
    def depth(self) -> int | None:
        """The last rank that it looks at; None where that is the end of the list."""
        function = self.metric.function
        whole = isinstance(function, CustomFunction) and function.takes_uncut_lists
        return None if whole or "listed" in self.resolved.values() else self.k

    @property
    def functions(self) -> list[Any]:
        """The caller's functions among the conventions."""
        return [
            each.function for each in self.conventions.values() if isinstance(each, NamedFunction)
        ]

    @property
    def label(self) -> str:
        """The text as it was requested, which is what reports and tables show.

        Examples
        --------
        >>> from recsys_metrics.measures import measure
        >>> measure("MAP@10").label, str(measure("MAP@10"))
        ('MAP@10', 'average_precision@10')
        """
        requested = self.requested
        if requested is None or (self.k is None and "@" not in requested):
            return str(self)
        return requested.replace("{k}", "" if self.k is None else str(self.k)).removesuffix("@")

    def at(self, k: int | None) -> Measure:
        """Return the same measure with another cut-off, a whole number of 1 or more, or None."""
        return Measure(self.name, k, self.conventions, self.own, self.requested)

    def with_options(self, **conventions: Any) -> Measure:
        """Return the same measure with other values of some conventions.

        A gain or a discount may be a function, which the text names, or an array.

        Examples
        --------
        >>> from recsys_metrics.measures import measure
        >>> measure("ndcg(ideal=list)@10").with_options(gain="binary", ideal="all")
        measure('ndcg(gain=binary)@10')
        >>> measure("dcg@3").with_options(discount=[1, 2, 2.5])
        measure('dcg(discount=[1 2 2.5])@3')
        """
        known = self.metric.conventions
        for convention in conventions:
            self._check_convention(convention, known)
        values = {**self.conventions, **conventions}
        values = {name: normalize_convention(name, value) for name, value in values.items()}
        return Measure(self.name, self.k, self.metric.non_default_conventions(values), self.own)

    @property
    def resolved(self) -> dict[str, Any]:
        """Every convention and its value, the defaults included."""
        return {**self.metric.defaults, **self.conventions}

    @cached_property
    def canonical(self) -> str:
        """The text with every convention spelled out, the defaults included."""
        return _format_measure(self.name, self.resolved, self.k)

    def __str__(self) -> str:
        return _format_measure(self.name, self.conventions, self.k)

    def __repr__(self) -> str:
        return f"measure({str(self)!r})"


def measure(text: str) -> Measure:
    """Read a measure from its text.

    Parameters
    ----------
    text : str
        A metric, its conventions in brackets, and @ with the cut-off:
        ``average_precision(denominator=hits)@10``. Conventions left out have the metric's defaults;
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

    Notes
    -----
    Names are read in any case, and as other tools write them: ``P@5``, ``nDCG@10``, ``Hit@10``,
    trec_eval's ``ndcg_cut_10`` and ``recip_rank``.
    `read_measures` reads several texts at once.

    Examples
    --------
    >>> from recsys_metrics.measures import measure
    >>> measure("ndcg( ideal = list, gain=linear )@10")
    measure('ndcg(ideal=list)@10')
    >>> measure("ndcg@10").canonical
    'ndcg(discount=log2, gain=linear, ideal=all, no_relevant=nan)@10'
    """
    if not isinstance(text, str):
        raise TypeError(f"a metric is read from a text such as 'ndcg@10'; got {_quote(text)}")
    return _parse_measure(text)


@lru_cache(maxsize=1024)
def _parse_measure(text: str) -> Measure:
    """Read a measure once: the same texts come with every evaluation."""
    trec_cut = _TREC_CUT.fullmatch(text)
    form = _FORM.fullmatch(f"{trec_cut[1]}@{trec_cut[2]}" if trec_cut else text)
    if form is None:
        raise ValueError(
            f"{_quote(text)} is no metric; write it like ndcg@10 or ndcg(gain=exponential)@10"
        )
    name, inside, cut = form.groups()
    lower = name.lower()
    name = lower if lower in METRICS else ALIASES.get(lower) or _OTHER_NAMES.get(lower, name)
    if name not in METRICS:
        raise ValueError(
            f"unknown metric {_quote(name)}{suggest_names(name, [*METRICS, *ALIASES], METRICS)}"
        )
    metric = METRICS[name]
    words = _split_conventions(text, inside or "")
    known = metric.conventions
    for convention in words:
        if convention not in known:
            raise ValueError(
                f"{name} has no convention {_quote(convention)}"
                f"{suggest_names(convention, known, known)}"
            )
    for convention in known:
        if convention not in words and convention not in metric.defaults:
            raise ValueError(f"{name} needs {convention}; write {name}({convention}=…)")
    try:
        values = {convention: metric.read(convention, words[convention]) for convention in words}
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{_quote(text)}: {problem}") from None
    found = Measure(name, parse_cutoff(text, cut), metric.non_default_conventions(values))
    written = text.strip()
    template = (
        written.removesuffix(trec_cut[2]) + "{k}"
        if trec_cut
        else written.partition("@")[0].strip() + "@{k}"
    )
    return replace(found, requested=None if template == f"{found.at(None)}@{{k}}" else template)


def list_measures(measures: Any) -> list[Any]:
    """Return the entries of a list of metrics, or of one metric alone."""
    words = "metrics such as ['ndcg@10', 'recall@10']"
    return read_several("measures", measures, words, alone=(str, Measure))


def read_measures(
    measures: Iterable[str | Measure], ks: Sequence[int] | None
) -> tuple[Measure, ...]:
    """Read measures from their texts, those without a cut-off once for every k.

    Parameters
    ----------
    measures : iterable of str or Measure
        In the order they are to be answered; what means the same is taken once.
    ks : sequence of int, optional
        Cut-offs for every measure that is written without one.

    Returns
    -------
    tuple of Measure

    Raises
    ------
    ValueError, TypeError
        If there is none, one cannot be read, or a cut-off is no whole number of 1 or more.

    Examples
    --------
    >>> from recsys_metrics.measures import read_measures
    >>> [str(each) for each in read_measures(["ndcg", "mrr@5"], ks=[5, 10])]
    ['ndcg@5', 'ndcg@10', 'reciprocal_rank@5']
    """
    measures = list_measures(measures)
    is_one = isinstance(ks, str | bytes) or getattr(ks, "ndim", 1) == 0
    if ks is not None and (is_one or not isinstance(ks, Iterable)):
        raise TypeError(f"ks must be cut-offs such as [5, 10], not {kind(ks)} ({ks!r:.40})")
    cuts = [check_count("a k of ks", k) for k in ks] if ks is not None else [None]
    distinct: dict[Measure, Measure] = {}
    for entry in measures:
        parsed = measure(entry) if isinstance(entry, str) else entry
        if not isinstance(parsed, Measure):
            cure = "; Measure.of makes one from a function" if callable(entry) else ""
            raise TypeError(f"a metric is a text such as 'ndcg@10'; got {_quote(entry)}{cure}")
        for each in [parsed] if parsed.k else [parsed.at(k) for k in cuts]:
            first = distinct.setdefault(each, each)
            if (first.own, first.functions) != (each.own, each.functions):
                raise ValueError(f"two different metrics are called {each}; name them differently")
    if not distinct and not cuts:
        raise ValueError("ks names no cut-off; give some, such as [5, 10], or leave ks out")
    if not distinct:
        raise ValueError("measures is empty; pass 'ndcg@10', for instance")
    return tuple(distinct)


def _format_measure(name: str, conventions: Mapping[str, Any], k: int | None) -> str:
    inside = ", ".join(f"{c}={format_convention(conventions[c])}" for c in sorted(conventions))
    return name + (f"({inside})" if inside else "") + (f"@{k}" if k is not None else "")


def _split_conventions(text: str, inside: str) -> dict[str, str]:
    """Return the conventions in the brackets and the words behind them."""
    words: dict[str, str] = {}
    for part in filter(str.strip, inside.split(",")):
        convention, equals, value = (piece.strip() for piece in part.partition("="))
        if not (convention and equals and value):
            raise ValueError(
                f"{_quote(text)}: {_quote(part.strip())} is no convention; write name=value"
            )
        if convention in words:
            raise ValueError(f"{_quote(text)} names {_quote(convention)} twice")
        words[convention] = value
    return words


def parse_cutoff(text: str, cut: str | None) -> int | None:
    """Return the cut-off of a metric's text, from its digits."""
    if cut is None:
        return None
    digits = cut.lstrip("0")
    if not (cut.isascii() and cut.isdecimal()) or not digits:
        raise ValueError(
            f"{_quote(text)}: the cut-off after @ is a whole number of 1 or more; got {cut:.60}"
        )
    if len(digits) > len(str(MOST_RANKS)) or int(digits) > MOST_RANKS:
        raise ValueError(f"{_quote(text)}: the cut-off after @ is at most {MOST_RANKS:,}")
    return int(digits)


def suggest_names(name: str, names: Collection[str], listed: Iterable[str]) -> str:
    """Return, in words, which of the names may have been meant, or else some that there are."""
    lower = name.lower()
    if re.search(r"(^|_|g)auc(_|$)", lower):
        return (
            "; AUC compares the scores of pairs of items or rows, which a list does not have: call "
            "ranking.roc_auc(labels, scores), or ranking.group_auc for the mean over users"
        )
    swapped = [other for other in names if sorted(other) == sorted(lower)]
    close = swapped or difflib.get_close_matches(lower, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(sorted(listed))}"


def _quote(given: Any) -> str:
    """Return what was given as an error shows it, with the beginning of what is long."""
    if isinstance(given, str) and len(given) > _SHOWN:
        return f"{given[:_SHOWN]!r}…"
    return f"{given!r:.80}"
