"""Another library's number, by its name: the measure of ours that gives it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from recsys_metrics.measures.catalogue import ALIASES, METRICS
from recsys_metrics.measures.libraries import LIBRARIES
from recsys_metrics.measures.reading import Library, Reading
from recsys_metrics.measures.text import Measure, measure

# ndcg@10, ndcg(gain=rating)@10 and, as trec_eval writes it, ndcg_cut_10 or ndcg_cut.10.
_FORM = re.compile(r"\s*(?P<name>[^@]*?)\s*(?:@\s*(?P<at>\d+)|[_.](?P<tail>\d+))?\s*")


def like(library: str, name: str) -> Measure:
    """Return the measure that gives what another library gives under a name.

    Parameters
    ----------
    library : str
        As it is imported, installed or written: "scikit-learn", "sklearn".
    name : str
        As the library calls it, with options of the library in brackets and the cut-off after @:
        "ndcg@10", "map(divide_by_k=true)@5". trec_eval's "ndcg_cut_10" and "P_5" are read, too,
        and a name of ours where the library has another one.

    Returns
    -------
    Measure
        Which equals the library's value for each user, to the last digits. What it does with
        users without a list and with ties is said by `LIBRARIES`.

    Raises
    ------
    ValueError
        If there is no such library or name, with the nearest one; if the library's measure has
        no cut-off and one was given; or if no measure gives its value. The message then says why,
        and names the call that gives it, or the test that shows it to be a fault.

    Examples
    --------
    >>> from recsys_metrics.measures import like
    >>> like("RecTools", "NDCG@10")
    measure('ndcg(gain=binary, ideal=full)@10')
    >>> like("trec_eval", "ndcg_cut_10")
    measure('ndcg(no_relevant=zero)@10')
    >>> like("sklearn", "ndcg_score@10") == like("torchmetrics", "retrieval_normalized_dcg@10")
    True
    """
    known = library_of(library)
    if not isinstance(name, str):
        raise TypeError(f"a measure of {known.title} is a text such as 'ndcg@10'; got {name!r}")
    form = _FORM.fullmatch(name)
    asked, cut = (form["name"], form["at"] or form["tail"]) if form else (name, None)
    if cut is not None and int(cut) < 1:
        raise ValueError(f"{name!r}: the cut-off is a whole number of 1 or more; got {cut}")
    key = key_of(asked, known, cut=cut is not None)
    reading = known.measures[key]
    if not reading.text:
        raise ValueError(f"{known.title}'s {key} {why_not(reading)}")
    if cut is not None and not reading.cut:
        raise ValueError(f"{known.title}'s {key} has no cut-off; ask for {key!r}")
    return _settled(reading, known).at(None if cut is None else int(cut))


def opinions(metric: str, k: int | None = None) -> dict[str, Measure]:
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
    >>> from recsys_metrics.measures import opinions
    >>> found = opinions("map", k=5)
    >>> found["RePlay map"]
    measure('average_precision(divisor=achievable, no_relevant=zero)@5')
    >>> len(found), len(set(found.values()))
    (24, 13)
    """
    name = measure(metric).name
    found = {
        f"{library.title} {key}": _settled(reading, library).at(k if reading.cut else None)
        for library in LIBRARIES.values()
        for key, reading in library.measures.items()
        if reading.text and measure(reading.text).name == name
    }
    if not found:
        raise ValueError(f"none of the {len(LIBRARIES)} libraries has {name}")
    return found


def _settled(reading: Reading, library: Library) -> Measure:
    """Return the measure with the library's way with users who have nothing relevant."""
    made = measure(reading.text)
    conventions = dict(made.conventions)
    if "no_relevant" in made.metric.conventions:
        conventions.setdefault("no_relevant", library.nothing_relevant)
    inside = ", ".join(f"{name}={value}" for name, value in conventions.items())
    return measure(f"{made.name}({inside})")


def why_not(reading: Reading) -> str:
    """Return why no measure is like a library's, and what to do instead."""
    if reading.fault:
        return f"cannot be reproduced: {reading.fault} ({reading.proof})"
    if reading.call:
        return f"is no measure of a list: {reading.note}; call {reading.call}"
    return f"has no measure like it here: {reading.note}"


def library_of(name: str) -> Library:
    """Return a library by any of its names."""
    if not isinstance(name, str):
        raise TypeError(f"a library is named by a text such as 'ranx'; got {name!r}")
    names = {_plain(key): key for key in LIBRARIES}
    names |= {_plain(also): key for key, found in LIBRARIES.items() for also in found.also}
    plain = _plain(name)
    if plain not in names:
        raise ValueError(f"unknown library {name!r}{_nearest(plain, names, LIBRARIES)}")
    return LIBRARIES[names[plain]]


def key_of(asked: str, library: Library, *, cut: bool = False) -> str:
    """Return the library's own name of what was asked for, however it is spelled."""
    names = {_plain(key): key for key in library.measures}
    plain = _plain(asked)
    # The names of functions and classes carry more words than the names of measures.
    candidates = [plain, plain.removesuffix("score"), plain.removeprefix("retrieval")]
    candidates += [plain.removesuffix("atk"), f"{plain}atk", f"{plain}k"]
    candidates += [plain.removesuffix("topk"), plain.removesuffix("metric")]
    for candidate in candidates:
        if candidate in names:
            return _with_cut(names[candidate], library) if cut else names[candidate]
    ours = {_plain(name): name for name in METRICS} | {_plain(a): n for a, n in ALIASES.items()}
    for key, reading in library.measures.items():
        if reading.text.partition("(")[0] == ours.get(plain, "nothing"):
            return _with_cut(key, library) if cut else key
    raise ValueError(
        f"{library.title} has no {asked!r} here{_nearest(plain, names, library.measures)}"
    )


def _with_cut(key: str, library: Library) -> str:
    """Return the library's name of the same measure with a cut-off, if it has a name of its own."""
    reading = library.measures[key]
    for other, same in library.measures.items():
        if not reading.cut and same.cut and same.text == reading.text:
            return other
    return key


def _plain(name: str) -> str:
    """Return a name without what people spell differently."""
    return re.sub(r"[^a-z0-9=()]", "", name.lower())


def _nearest(plain: str, names: Iterable[str], listed: Iterable[str]) -> str:
    close = difflib.get_close_matches(plain, list(names), n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(sorted(listed))}"
