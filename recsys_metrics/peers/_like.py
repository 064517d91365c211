"""The measure that reproduces another library's metric."""

from __future__ import annotations

import functools
import re

from recsys_metrics._core.checks import MOST_RANKS, check_count
from recsys_metrics.measures import ALIASES, METRICS, Measure, measure
from recsys_metrics.measures._text import parse_cutoff, suggest_names
from recsys_metrics.peers._libraries import LIBRARIES, Equivalence, Library

# ndcg@10, ndcg(gain=rating)@10 and, as trec_eval writes it, ndcg_cut_10 or ndcg_cut.10.
_FORM = re.compile(r"\s*(?P<name>[^@]*?)\s*(?:@\s*(?P<at>\d+)|[_.](?P<tail>\d+))?\s*")


def like(library: str, name: str) -> Measure:
    """Return the metric that gives what another library gives under a name.

    Parameters
    ----------
    library : str
        As it is imported, installed or written: "scikit-learn", "sklearn".
    name : str
        As the library calls it, with options of the library in brackets and the cut-off after @:
        "ndcg@10", "map(divide_by_k=true)@5". trec_eval's "ndcg_cut_10" and "P_5" are read, too,
        and a name of ours where the library has another one. Without a cut-off it is what the
        library gives for the whole list, which may be another measure: LensKit divides by all
        relevant items in "recall", and by at most 10 in "recall@10".

    Returns
    -------
    Measure
        Which equals the library's value for each user, to the last digits. What it does with
        users without a list and with ties stands in `LIBRARIES`, and in which versions it gives
        other numbers.

    Raises
    ------
    ValueError
        If there is no such library or name, with the nearest one; if the library's measure has
        no cut-off and one was given; or if no measure gives its value. The message then says why,
        and names the call that gives it, or the test that shows the bug.

    Examples
    --------
    >>> from recsys_metrics.peers import like
    >>> like("RecTools", "NDCG@10")
    measure('ndcg(gain=binary, ideal=full)@10')
    >>> like("trec_eval", "ndcg_cut_10")
    measure('ndcg(no_relevant=zero)@10')
    >>> like("sklearn", "ndcg_score@10") == like("torchmetrics", "retrieval_normalized_dcg@10")
    True
    """
    peer = find_library(library)
    if not isinstance(name, str):
        raise TypeError(f"a metric of {peer.title} is a text such as 'ndcg@10'; got {name!r}")
    form = _FORM.fullmatch(name)
    words, cut = (form["name"], form["at"] or form["tail"]) if form else (name, None)
    k = parse_cutoff(name, cut)
    key = find_key(words, peer, cut=cut is not None)
    equivalence = peer.measures[key]
    if not equivalence.text:
        raise ValueError(f"{peer.title}'s {key} {explain_absence(equivalence)}")
    if cut is not None and not equivalence.takes_k:
        raise ValueError(f"{peer.title}'s {key} has no cut-off; ask for {key!r}")
    return _measure_of(equivalence, peer, k)


def interpretations(metric: str, k: int | None = None) -> dict[str, Measure]:
    """Return how every library reads a metric.

    Parameters
    ----------
    metric : str
        One of ours: "ndcg", "average_precision" or "map".
    k : int, optional
        The cut-off, for those that take one.

    Returns
    -------
    dict of str to Measure
        By the library and its own name of the metric; only what can be reproduced.

    Raises
    ------
    ValueError
        If no library has the metric.

    Examples
    --------
    >>> from recsys_metrics.peers import interpretations
    >>> of_map = interpretations("map", k=5)
    >>> of_map["RePlay map"]
    measure('average_precision(denominator=achievable, no_relevant=zero)@5')
    >>> len(of_map), len(set(of_map.values()))
    (26, 13)
    """
    name = measure(metric).name
    if k is not None:
        k = check_count("k", k, meaning="the cut-off", most=MOST_RANKS)
    by_name = {
        f"{library.title} {key}": _measure_of(
            equivalence, library, k if equivalence.takes_k else None
        )
        for library in LIBRARIES.values()
        for key, equivalence in library.measures.items()
        if equivalence.metric == name
    }
    if not by_name:
        raise ValueError(f"none of the {len(LIBRARIES)} libraries has {name}")
    return by_name


def _measure_of(equivalence: Equivalence, library: Library, k: int | None) -> Measure:
    """Return the measure with the library's way with users who have nothing relevant."""
    read = measure(equivalence.text_at(k)).at(k)
    if "no_relevant" in read.conventions or "no_relevant" not in read.metric.conventions:
        return read
    return read.with_options(no_relevant=library.no_relevant)


def explain_absence(equivalence: Equivalence) -> str:
    """Return why no measure is like a library's, and what to do instead."""
    if equivalence.known_bug:
        return f"cannot be reproduced: {equivalence.known_bug} ({equivalence.test})"
    if equivalence.call:
        return f"is no metric of a list: {equivalence.note}; call {equivalence.call}"
    return f"has no equivalent metric here: {equivalence.note}"


def find_library(name: str) -> Library:
    """Return a library by any of its names."""
    if not isinstance(name, str):
        raise TypeError(f"a library is named by a text such as 'ranx'; got {name!r}")
    names = {_normalize_name(key): key for key in LIBRARIES}
    names |= {
        _normalize_name(each): key for key, other in LIBRARIES.items() for each in other.other_names
    }
    plain = _normalize_name(name)
    if plain not in names:
        raise ValueError(f"unknown library {name!r}{suggest_names(plain, names, LIBRARIES)}")
    return LIBRARIES[names[plain]]


def find_key(name: str, library: Library, *, cut: bool = False) -> str:
    """Return the library's own name for a metric, however the name is spelled."""
    names = {_normalize_name(key): key for key in library.measures}
    plain = _normalize_name(name)
    # The names of functions and classes carry more words than the names of measures.
    candidates = [plain, plain.removesuffix("score"), plain.removeprefix("retrieval")]
    candidates += [plain.removesuffix("atk"), f"{plain}atk", f"{plain}k"]
    candidates += [plain.removesuffix("topk"), plain.removesuffix("metric")]
    for candidate in candidates:
        if candidate in names:
            return _find_key_with_cutoff(names[candidate], library) if cut else names[candidate]
    ours = {_normalize_name(name): name for name in METRICS} | {
        _normalize_name(a): n for a, n in ALIASES.items()
    }
    for key, equivalence in library.measures.items():
        if equivalence.metric == ours.get(plain, "nothing"):
            return _find_key_with_cutoff(key, library) if cut else key
    raise ValueError(
        f"{library.title} has no {name!r} here{suggest_names(plain, names, library.measures)}"
    )


def _find_key_with_cutoff(key: str, library: Library) -> str:
    """Return the library's name of the same measure with a cut-off, if it has a name of its own."""
    whole = library.measures[key]
    for other, same in library.measures.items():
        if not whole.takes_k and same.takes_k and same.text == whole.text:
            return other
    return key


@functools.cache
def _normalize_name(name: str) -> str:
    """Return a name without what people spell differently."""
    return re.sub(r"[^a-z0-9=()]", "", name.lower())
