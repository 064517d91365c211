"""What other libraries compute under each name, written in our conventions.

Every entry was checked: by running the library on random cases (``"run"``), against values that
a run of it gave on a small example (``"values"``), or by reading its code (``"read"``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from recsys_metrics.peers._data import read_rows


@dataclass(frozen=True)
class Equivalence:
    """What a library computes under one of its names.

    At most one of `text`, `call` and `known_bug` is there, and none of them where the package
    has nothing like it.

    Attributes
    ----------
    text : str
        Our measure; its cut-off is added to it.
    whole_text : str
        Our measure where the library is given no cut-off, if that is another one.
    takes_k : bool
        Whether the library's measure takes a cut-off.
    note : str
        What must hold for the values to be equal, beyond what the measure says; for a call, or
        for nothing, why no measure says it.
    known_bug : str
        Why nothing can give the library's value, where that is so.
    test : str
        The test that shows the bug.
    call : str
        How to compute it where it needs more than lists and relevant items, or where it is
        another expression of a measure.
    metric_names : tuple of str
        What the field calls it, as in `read_metric_catalog`.

    Examples
    --------
    >>> from recsys_metrics.peers import LIBRARIES
    >>> LIBRARIES["rectools"].measures["ndcg"].text
    'ndcg(gain=binary, ideal=full)'
    >>> LIBRARIES["scikit-learn"].measures["roc_auc"].call
    'recsys_metrics.roc_auc(labels, scores)'
    """

    text: str = ""
    whole_text: str = ""
    takes_k: bool = True
    note: str = ""
    known_bug: str = ""
    test: str = ""
    call: str = ""
    metric_names: tuple[str, ...] = ()

    @property
    def metric(self) -> str:
        """The name of our metric."""
        return self.text.partition("(")[0]

    def text_at(self, k: int | None) -> str:
        """Return our measure, without its cut-off, for a cut-off of the library or for none."""
        return self.whole_text if k is None and self.whole_text else self.text


@dataclass(frozen=True)
class Library:
    """A library and what it computes.

    Attributes
    ----------
    title : str
        As it writes itself.
    version : str
        The version, or the commit, that was looked at.
    evidence : {"run", "values", "read", ""}
        How its metrics were checked; empty where only `read_metric_catalog` lists it.
    no_relevant : {"nan", "zero", "one", ""}
        What a user with nothing relevant counts, as `no_relevant` says it.
    missing_list : str
        What becomes of a user without a list.
    ties : str
        Which of two equal scores comes first.
    other_versions : str
        Which versions are known to give other numbers, and what they give.
    other_names : tuple of str
        Other names of the library.
    package : str
        What to install to run it beside ours; empty where it was not run.
    measures : mapping
        From the library's names, in lower case, to equivalences.

    Examples
    --------
    >>> from recsys_metrics.peers import LIBRARIES
    >>> LIBRARIES["ranx"].no_relevant, LIBRARIES["rectools"].no_relevant
    ('zero', 'nan')
    """

    title: str
    version: str
    evidence: str
    no_relevant: str
    missing_list: str
    ties: str
    other_versions: str
    other_names: tuple[str, ...]
    package: str
    measures: Mapping[str, Equivalence]


def _read_libraries() -> dict[str, Library]:
    measures: dict[str, dict[str, Equivalence]] = {}
    for row in read_rows("equivalences"):
        library, name = row.pop("library"), row.pop("name")
        takes_k, names = row.pop("takes_k") == "yes", _split_cell(row.pop("metric_names"))
        equivalence = Equivalence(takes_k=takes_k, metric_names=names, **row)
        measures.setdefault(library, {})[name] = equivalence
    libraries = {}
    for row in read_rows("libraries"):
        library, other_names = row.pop("library"), _split_cell(row.pop("other_names"))
        libraries[library] = Library(
            other_names=other_names, measures=measures.get(library, {}), **row
        )
    return libraries


def _split_cell(cell: str) -> tuple[str, ...]:
    """Return the entries of a cell that holds several."""
    return tuple(cell.split("; ")) if cell else ()


KNOWN_LIBRARIES: Mapping[str, Library] = MappingProxyType(_read_libraries())

LIBRARIES: Mapping[str, Library] = MappingProxyType(
    {key: library for key, library in KNOWN_LIBRARIES.items() if library.measures}
)
"""The libraries whose metrics are known, by name."""


def comparisons() -> list[dict[str, str]]:
    """Return what `make peers` compared, a row per metric of a library that was run.

    Returns
    -------
    list of dict
        With the library, its version and its measure, the measure of ours, how many values were
        compared, and a bound of the largest difference.

    Examples
    --------
    >>> from recsys_metrics.peers import comparisons
    >>> row = next(r for r in comparisons() if r["measure"] == "f1beta")
    >>> row["library"], row["ours"], row["difference"]
    ('rectools', 'f_beta', '1e-12')
    """
    return read_rows("peers")


def versions() -> dict[str, str]:
    """Return the version, or commit, of each library that was examined, by its title.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> from recsys_metrics.peers import versions
    >>> versions()["ranx"]
    '0.3.21'
    """
    return {library.title: library.version for library in KNOWN_LIBRARIES.values()}
