"""The evaluation protocol of a report: how its numbers were computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsys_metrics._core.checks import check_count
from recsys_metrics._core.inputs.lists import Repeats
from recsys_metrics._core.inputs.ties import ListTies
from recsys_metrics.measures import Context, Measure

NOT_STATED = "not stated"
_ALL_CANDIDATES = "the whole catalogue, as far as stated"
_REPEATS = {"drop": "taken out, and what follows moves up", "blank": "an empty slot in their place"}
_FIRST = {
    "id": "the smaller item id",
    "id-descending": "the larger item id",
    "order": "the item that was given first",
}


@dataclass(frozen=True)
class Protocol:
    """How the numbers of a report came about; printed with them.

    Attributes
    ----------
    n_lists : int
        How many lists were judged.
    lengths : tuple of int
        Length of the shortest and of the longest list.
    n_short : int
        How many lists are shorter than the largest cut-off.
    n_without_relevant : int
        How many users have nothing relevant.
    relevance : str
        What counted as relevant.
    candidates : str
        What the lists were chosen from: the whole catalogue or a sample, and in the words of
        whoever evaluated which items could be recommended to whom.
    split : str
        How training and test were told apart, in the words of whoever evaluated.
    seed : str
        What the evaluated model's randomness started from, likewise.
    context : tuple of str
        What else the measures were told.
    measures : tuple of str
        Every measure with all its conventions.
    version : str
        Of the library.
    n_tied : int or None
        How many lists have equal scores on both sides of a cut-off; None where lists came ranked.
    ties : {"id", "id-descending", "order"}
        Which of two equal scores came first, where there were scores.
    digest : str or None
        A number made from the users and what is relevant to them, to see whether another report
        is of the same; None over frames, and where no digests were kept.
    repeats : {"raise", "drop", "blank"}
        What became of an item that stood in a list once more.
    n_repeats : int or None
        How many of them were taken out; None where one would have been an error.
    n_in_history : int or None
        How many items, down to the largest cut-off, stand in the history of the user whom they
        were recommended to; None without such a history.
    n_recommended : int or None
        How many items were recommended, down to the largest cut-off; None where that was not
        counted.
    threshold : float or None
        The lowest grade that counts as relevant, where one was given.
    sampled : int or None
        How many other items each relevant one was ranked against; None for the whole catalogue.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> report = evaluate([["A"], ["B"]], [{"A"}, set()], ["ndcg@1"], split="last basket")
    >>> report.protocol.split, report.protocol.n_without_relevant
    ('last basket', 1)
    """

    n_lists: int
    lengths: tuple[int, int]
    n_short: int
    n_without_relevant: int
    relevance: str
    candidates: str
    split: str
    seed: str
    context: tuple[str, ...]
    measures: tuple[str, ...]
    version: str
    n_tied: int | None = None
    ties: ListTies = "id"
    digest: str | None = None
    repeats: Repeats = "raise"
    n_repeats: int | None = None
    n_in_history: int | None = None
    n_recommended: int | None = None
    threshold: float | None = None
    sampled: int | None = None

    @property
    def share_in_history(self) -> float | None:
        """Which part of the recommended items the users already had in their history."""
        if self.n_in_history is None or not self.n_recommended:
            return None
        return self.n_in_history / self.n_recommended

    def states(self, attribute: str) -> bool:
        """Return whether the caller said something of an attribute, or it had an effect."""
        if attribute == "ties":
            return self.n_tied is not None
        return getattr(self, attribute) not in (NOT_STATED, _ALL_CANDIDATES)

    @classmethod
    def of(
        cls,
        measures: Sequence[Measure],
        *,
        grades: tuple[float | None, float],
        threshold: float | None,
        sampled: int | None,
        candidates: str | None,
        split: str | None,
        seed: int | str | None,
        context: Context,
        renamed: Sequence[str] = (),
        **counts: Any,
    ) -> Protocol:
        """Return the card of some measures, with what was not stated marked as such.

        Parameters
        ----------
        measures : sequence of Measure
        grades : tuple of float
            The lowest grade above 0, None where only the highest is known; and the highest.
        threshold, sampled, candidates, split, seed
            As in `evaluate`.
        context : Context
            What the measures were told besides the lists.
        renamed : sequence of str
            Which columns were taken for which, in words.
        counts
            The attributes that are numbers.
        """
        from recsys_metrics import __version__

        return cls(
            relevance=_describe_relevance(*grades, threshold),
            candidates=_describe_candidates(sampled, candidates),
            measures=tuple(measure.canonical for measure in measures),
            split=split or NOT_STATED,
            seed=NOT_STATED if seed is None else str(seed),
            context=(*describe_context(context), *renamed),
            version=__version__,
            threshold=threshold,
            sampled=sampled,
            **counts,
        )

    def lines(self) -> list[tuple[str, str]]:
        """Return the card as pairs of heading and text."""
        shortest, longest = self.lengths
        length = f"{longest:,}" if shortest == longest else f"{shortest:,} to {longest:,}"
        people = (
            "nobody" if not self.n_without_relevant else _format_user_count(self.n_without_relevant)
        )
        return [
            ("lists", f"{self.n_lists:,}, of {length} item{'s' if longest != 1 else ''}"),
            ("relevant", self.relevance),
            ("nothing relevant", people),
            *([] if self.n_tied is None else [("equal scores", self._ties())]),
            *([] if self.n_repeats is None else [("repeats", self._repeats())]),
            ("candidates", self.candidates),
            *([] if self.n_in_history is None else [("met before", self._describe_history())]),
            ("split", self.split),
            ("seed", self.seed),
            *([("known", "; ".join(self.context))] if self.context else []),
            ("library", f"recsys_metrics {self.version}"),
        ]

    def _ties(self) -> str:
        lists = (
            f"{self.n_tied:,} list{'s' if self.n_tied != 1 else ''}" if self.n_tied else "no list"
        )
        return f"{_FIRST[self.ties]} first; a cut-off falls between two of them in {lists}"

    def _repeats(self) -> str:
        return f"{self.n_repeats or 'none'}; {_REPEATS[self.repeats]}"

    def _describe_history(self) -> str:
        items = (
            f"{self.n_in_history:,} item{'s' if self.n_in_history != 1 else ''}"
            if self.n_in_history
            else "no item"
        )
        return f"{items} in the history of the user it was recommended to"

    def __str__(self) -> str:
        rows = self.lines()
        wide = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{wide}}  {text}" for name, text in rows)


def _format_user_count(n: int) -> str:
    return f"{n:,} user{'s' if n != 1 else ''}, treated as each measure's no_relevant says"


def _describe_relevance(lowest: float | None, highest: float, threshold: float | None) -> str:
    """Return what counted as relevant; without the lowest grade only the highest is named."""
    if highest == 1 and lowest in (None, 1):
        kind = "binary"
    elif lowest is None:
        kind = f"graded, up to {highest:g}"
    else:
        kind = "binary" if lowest == highest else f"graded, {lowest:g} to {highest:g}"
    rule = "any grade above 0" if threshold is None else f"a grade of {threshold:g} or more"
    return f"{kind}; {rule} counts for the measures that count"


def _describe_candidates(sampled: int | None, stated: str | None) -> str:
    """Return what the lists were chosen from."""
    if sampled is None:
        return stated or _ALL_CANDIDATES
    sample = f"a sample: the relevant items and {check_count('sampled', sampled):,} others"
    return f"{sample}; {stated}" if stated else sample


def describe_context(known: Context) -> Iterator[str]:
    """Yield what measures were told besides the lists."""
    if known.catalog is not None:
        n = known.catalog if isinstance(known.catalog, int | np.integer) else len(known.catalog)
        yield f"a catalogue of {n:,} items"
    if known.n_users is not None:
        yield f"the history of {known.n_users:,} users"
    if known.features is not None:
        yield "features of the items"
