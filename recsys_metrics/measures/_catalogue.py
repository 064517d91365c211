"""The catalogue of metrics that can be written as a measure, and their parameters."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from recsys_metrics import beyond_accuracy, ranking
from recsys_metrics._core.checks import check_choice, is_one_of
from recsys_metrics._core.parameter_domains import check_number
from recsys_metrics.measures import _adapters

Family = Literal["accuracy", "beyond accuracy"]
Better = Literal["higher", "lower"]


@dataclass(frozen=True, kw_only=True)
class Context:
    """What is known besides the lists; a metric takes what it needs.

    Attributes
    ----------
    relevant
        What is relevant to each user, one entry per list.
    catalog
        What could have been recommended: ids, or how many there are.
    item_counts
        How many users interacted with each item in the training data.
    n_users : int
        How many users the training data has.
    history
        The earlier items of each list's user.
    features
        What is known of the items.
    baseline
        What a baseline recommends, the most popular items for instance, best first.

    Examples
    --------
    >>> from recsys_metrics.measures import Context, measure
    >>> measure("coverage@2").of_lists([["A", "B"], ["B", "C"]], Context(catalog=6))
    0.5
    """

    relevant: Any = None
    catalog: Any = None
    item_counts: Any = None
    n_users: int | None = None
    history: Any = None
    features: Any = None
    baseline: Any = None


NEEDS = tuple(entry.name for entry in fields(Context))


@dataclass(frozen=True)
class Parts:
    """How a metric of all lists together adds up over parts of them.

    Attributes
    ----------
    accumulate : callable
        Of the lists of a part: what the tallies of parts are added with `+` to.
    finalize : callable
        Of that sum: the metric's value; for a metric of single lists its mean, and over how many.
    """

    accumulate: Callable[..., Any]
    finalize: Callable[..., Any]


@dataclass(frozen=True)
class Metric:
    """A metric and what has to be known of it.

    Attributes
    ----------
    function : callable
        Of judged lists, or of the lists themselves.
    family : {"accuracy", "beyond accuracy"}
        Whether it looks at what was relevant.
    better : {"higher", "lower"} or None
        What is an improvement by itself; None for a trade-off that has no better side.
    per_user : bool
        Whether every list has a value, or only all of them together.
    fixed : tuple of str
        Parameters that a measure leaves at their defaults.
    bounds : (float, float)
        Between which values a list's value lies, under every convention; infinite where there
        is no bound. Intervals rest on it.
    parts : Parts or None
        How it adds up, where a value depends on all lists; None where a list is enough.
    names : tuple of str
        Of a metric that `measure` does not read, such as one of predictions: under which names a
        report finds it, in small letters and with underscores.

    Examples
    --------
    >>> from recsys_metrics.measures import METRICS
    >>> gini = METRICS["gini"]
    >>> gini.needs, gini.conventions, gini.better, gini.per_user
    (('catalog',), {'normalized': False}, 'lower', False)
    """

    function: Callable[..., Any]
    family: Family = "beyond accuracy"
    better: Better | None = None
    per_user: bool = True
    fixed: tuple[str, ...] = field(default=(), repr=False)
    bounds: tuple[float, float] = (0.0, 1.0)
    parts: Parts | None = field(default=None, repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)

    def __reduce__(self) -> Any:
        # What was read from the function is read again.
        return Metric, tuple(getattr(self, each.name) for each in fields(self))

    @property
    def question(self) -> str:
        """What it answers, in a sentence."""
        first = (inspect.getdoc(self.function) or "").partition("\n\n")[0].replace("\n", " ")
        if not first and sys.flags.optimize > 1:
            return "Not known, because Python was started with -OO, which removes docstrings."
        return first or "Its function has no docstring."

    @cached_property
    def takes_judged(self) -> bool:
        """Whether the function takes judged lists, rather than the lists themselves."""
        return next(iter(self._parameters)) == "judged"

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """What must be known besides the lists."""
        if self.takes_judged:
            return ("relevant",)
        return tuple(name for name in self._parameters if name in NEEDS and name not in self.fixed)

    @cached_property
    def conventions(self) -> dict[str, Any]:
        """Each convention and its default; `inspect.Parameter.empty` where there is none."""
        taken = {*NEEDS, *self.fixed, "k"}
        return {
            name: parameter.default
            for name, parameter in self._parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY and name not in taken
        }

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The default of each convention that has one."""
        empty = inspect.Parameter.empty
        return {name: value for name, value in self.conventions.items() if value is not empty}

    def non_default_conventions(self, conventions: Mapping[str, Any]) -> dict[str, Any]:
        """Return the conventions that differ from their defaults, in alphabetical order."""
        nothing = object()
        return {
            name: conventions[name]
            for name in sorted(conventions)
            if conventions[name] != self.defaults.get(name, nothing)
        }

    def read(self, convention: str, word: str) -> Any:
        """Return the value that a word stands for, if the convention's annotation allows it.

        Parameters
        ----------
        convention : str
            One of `conventions`.
        word : str
            Its value as a measure's text has it.

        Returns
        -------
        str, bool, int, float, or a tuple of float for a table of gains or discounts

        Raises
        ------
        ValueError, TypeError
            If the convention cannot have the value.

        Examples
        --------
        >>> from recsys_metrics.measures import METRICS
        >>> METRICS["gini"].read("normalized", "true"), METRICS["f_beta"].read("beta", "2")
        (True, 2.0)
        """
        if not is_one_of(convention, self.conventions) or not isinstance(word, str):
            raise ValueError(
                f"convention is one of {', '.join(self.conventions) or 'none'}, and word a text; "
                f"got {convention!r:.60} and {word!r:.60}"
            )
        if word.startswith("[") and Sequence[float] in get_args(self._hints[convention]):
            return tuple(float(number) for number in word.strip("[]").split())
        annotation = self._annotations[convention]
        if get_origin(annotation) is Literal:
            check_choice(convention, word, annotation)
            return word
        if annotation is bool:
            if word.lower() not in _TRUTH_VALUES:
                raise ValueError(f"{convention} must be true or false; got {word!r}")
            return _TRUTH_VALUES[word.lower()]
        number = _parse_number(word, whole=isinstance(self.conventions[convention], int))
        check_number(convention, number, annotation)
        return number

    @cached_property
    def takes_k(self) -> bool:
        """Whether the metric cuts the lists itself."""
        return "k" in self._parameters

    @cached_property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters

    @cached_property
    def _annotations(self) -> dict[str, Any]:
        return {name: _written_annotation(self._hints[name]) for name in self.conventions}

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.function, include_extras=True)


_TRUTH_VALUES = {"true": True, "false": False}


def _written_annotation(annotation: Any) -> Any:
    """Return the part of an annotation that can be written: words, a number, true or false."""
    union = get_origin(annotation) in (Union, UnionType)
    parts = get_args(annotation) if union else (annotation,)
    return next(part for part in parts if part is bool or get_origin(part) in (Literal, Annotated))


def _parse_number(word: str, *, whole: bool) -> Any:
    """Return a word as a number if it is one, and as an int where the default is one."""
    # Python reads the digits of any script and 1_0 as 10, which other tools do not.
    if not word.isascii() or "_" in word:
        return word
    try:
        number = float(word)
    except ValueError:
        return word
    return int(number) if whole and number.is_integer() else number


# A measure's text cannot hold the size of a catalogue, which belongs to the data.
_OF_MORE = frozenset({"fall_out", "matthews_correlation"})

_UPWARDS = (0.0, math.inf)
_NOT_SHARES = {"dcg": _UPWARDS, "reciprocal_hit_rate": _UPWARDS}


def _index_metrics(*metrics: Metric) -> dict[str, Metric]:
    return {metric.function.__name__: metric for metric in metrics}


def _metrics_of_judged_lists() -> Iterator[Metric]:
    for name in ranking.__all__:
        function = getattr(ranking, name)
        if "judged" in inspect.signature(function).parameters and name not in _OF_MORE:
            yield Metric(function, "accuracy", "higher", bounds=_NOT_SHARES.get(name, (0.0, 1.0)))


METRICS: Mapping[str, Metric] = MappingProxyType(
    _index_metrics(
        *_metrics_of_judged_lists(),
        Metric(beyond_accuracy.alpha_ndcg, better="higher"),
        Metric(beyond_accuracy.average_popularity, bounds=_UPWARDS),
        Metric(
            beyond_accuracy.catalog_coverage,
            better="higher",
            per_user=False,
            parts=Parts(_adapters.distinct_items, _adapters.catalog_share),
        ),
        Metric(_adapters.expected_free_discovery, bounds=_UPWARDS),
        Metric(beyond_accuracy.expected_popularity_complement, fixed=("relevant",)),
        Metric(
            _adapters.exposure_gini,
            better="lower",
            per_user=False,
            parts=Parts(beyond_accuracy.exposure_of_items, beyond_accuracy.gini),
        ),
        Metric(
            beyond_accuracy.exposure_novelty,
            fixed=("recommendation_counts",),
            bounds=(-math.inf, 1.0),
            parts=Parts(_adapters.exposure_and_weight, _adapters.mean_exposure_novelty),
        ),
        Metric(_adapters.genre_calibration, better="lower", bounds=_UPWARDS),
        Metric(
            _adapters.gini,
            better="lower",
            per_user=False,
            parts=Parts(_adapters.count_recommendations, _adapters.gini_of_counts),
        ),
        Metric(beyond_accuracy.intent_aware_average_precision, better="higher"),
        Metric(beyond_accuracy.intent_aware_precision, better="higher"),
        Metric(beyond_accuracy.intent_aware_expected_reciprocal_rank, better="higher"),
        # Two items apart in every direction are two away from each other, by their cosine.
        Metric(beyond_accuracy.intra_list_diversity, fixed=("similarity",), bounds=(0.0, 2.0)),
        Metric(beyond_accuracy.long_tail_share),
        Metric(
            beyond_accuracy.personalization,
            per_user=False,
            parts=Parts(_adapters.items_and_lengths, _adapters.mean_distance_of_lists),
        ),
        Metric(beyond_accuracy.popularity_complement),
        Metric(beyond_accuracy.popularity_lift, fixed=("pooling",), bounds=(-1.0, math.inf)),
        Metric(beyond_accuracy.popularity_serendipity, better="higher"),
        Metric(beyond_accuracy.rank_biased_entropy, bounds=_UPWARDS),
        Metric(_adapters.rank_biased_overlap),
        Metric(beyond_accuracy.self_information, bounds=_UPWARDS),
        Metric(beyond_accuracy.serendipity, better="higher"),
        Metric(
            _adapters.shannon_entropy,
            per_user=False,
            bounds=_UPWARDS,
            parts=Parts(_adapters.count_recommendations, _adapters.entropy_of_counts),
        ),
        Metric(beyond_accuracy.subtopic_recall, better="higher"),
        Metric(_adapters.unexpectedness, bounds=(0.0, 2.0)),
        Metric(
            beyond_accuracy.user_coverage,
            better="higher",
            per_user=False,
            fixed=("users",),
            parts=Parts(_adapters.count_full_lists, _adapters.share_of_full_lists),
        ),
    )
)
"""What can be written as the text of a metric, by name: the metric, and what it needs."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "ap": "average_precision",
        "arhr": "reciprocal_hit_rate",
        "arp": "average_popularity",
        "coverage": "catalog_coverage",
        "diversity": "intra_list_diversity",
        "efd": "expected_free_discovery",
        "epc": "expected_popularity_complement",
        "err": "expected_reciprocal_rank",
        "err_ia": "intent_aware_expected_reciprocal_rank",
        "f1": "f_beta",
        "hr": "hit_rate",
        "ild": "intra_list_diversity",
        "map": "average_precision",
        "mar": "average_recall",
        "map_ia": "intent_aware_average_precision",
        "mrr": "reciprocal_rank",
        "novelty": "self_information",
        "precision_ia": "intent_aware_precision",
        "rbo": "rank_biased_overlap",
        "rbp": "rank_biased_precision",
    }
)
"""Other names of the field; a metric is always shown by the library's."""
