"""The evaluation protocol of a report: how its numbers were computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsys_metrics._core.checks import check_count
from recsys_metrics._core.inputs.fingerprint import digest_of_ids
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
    """How the numbers of a report were computed; printed with them.

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
        How the data were split into training and test set, in the evaluator's words.
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
    n_relevant_repeats : int or None
        How many items were named again as relevant to the same user, and counted once; None where
        one would have been an error.
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
    n_catalog : int or None
        How many items the catalogue has; None without one.
    catalog_digest, history_digest : str or None
        A number made from the ids of the catalogue, and one from how often the history has each
        item, to see whether another report was given the same; None where none was given, or no
        digests were kept.

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
    n_relevant_repeats: int | None = None
    n_in_history: int | None = None
    n_recommended: int | None = None
    threshold: float | None = None
    sampled: int | None = None
    n_catalog: int | None = None
    catalog_digest: str | None = None
    history_digest: str | None = None

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

        check_words("candidates", candidates)
        check_words("split", split)
        if seed is not None and not (
            isinstance(seed, int | np.integer) and not isinstance(seed, bool | np.timedelta64)
        ):
            check_words("seed", seed, "a whole number or a text")
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
            n_catalog=count_catalog(context.catalog),
            **({} if counts.get("digest") is None else digest_context(context)),
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
            *([] if self.n_in_history is None else [("in the history", self._describe_history())]),
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
        text = f"{self.n_repeats or 'none'}; {_REPEATS[self.repeats]}"
        if self.n_relevant_repeats:
            text += f"; {self.n_relevant_repeats:,} among the relevant items, which count once"
        return text

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


def check_words(name: str, value: Any, what: str = "a text") -> None:
    """Raise if what was stated is no text that a report can show and a file can hold."""
    if value is None:
        return
    if not isinstance(value, str):
        raise TypeError(f"{name} is {what}; got {value!r:.60}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} is {value!a:.60}, in which half a character stands") from None


def _format_user_count(n: int) -> str:
    return f"{n:,} user{'s' if n != 1 else ''}, treated according to each metric's no_relevant"


def _describe_relevance(lowest: float | None, highest: float, threshold: float | None) -> str:
    """Return what counted as relevant; without the lowest grade only the highest is named."""
    if highest == 1 and lowest in (None, 1):
        kind = "binary"
    elif lowest is None:
        kind = f"graded, up to {highest:g}"
    else:
        kind = "binary" if lowest == highest else f"graded, {lowest:g} to {highest:g}"
    rule = "any grade above 0" if threshold is None else f"a grade of {threshold:g} or more"
    return f"{kind}; {rule} counts for the metrics that count"


def _describe_candidates(sampled: int | None, stated: str | None) -> str:
    """Return what the lists were chosen from."""
    if sampled is None:
        return stated or _ALL_CANDIDATES
    sample = f"a sample: the relevant items and {check_count('sampled', sampled):,} others"
    return f"{sample}; {stated}" if stated else sample


def describe_context(known: Context) -> Iterator[str]:
    """Yield what measures were told besides the lists."""
    if (n := count_catalog(known.catalog)) is not None:
        yield f"a catalogue of {n:,} items"
    if known.n_users is not None:
        yield f"the history of {known.n_users:,} users"
    if known.features is not None:
        yield "features of the items"


def count_catalog(catalog: Any) -> int | None:
    """Return how many items a catalogue has, of which the number or the ids are known."""
    if catalog is None:
        return None
    return int(catalog) if isinstance(catalog, int | np.integer) else len(catalog)


def digest_context(known: Context) -> dict[str, Any]:
    """Return what tells one catalogue, and one history, from another."""
    digests = {}
    if known.catalog is not None and not isinstance(known.catalog, int | np.integer):
        digests["catalog_digest"] = digest_of_ids([*dict.fromkeys(_plain_list(known.catalog))])
    if known.item_counts is not None:
        counts = known.item_counts
        if isinstance(counts, Mapping):
            met = {item: n for item, n in counts.items() if n}
            items, times = [*met], np.array([*met.values()], dtype=np.float64)
        else:
            there = np.flatnonzero(counts)
            items, times = there.tolist(), np.asarray(counts)[there]
        digests["history_digest"] = digest_of_ids(items, times)
    return {name: f"{digest:016x}" for name, digest in digests.items()}


def _plain_list(catalog: Any) -> list[Any]:
    return catalog.tolist() if isinstance(catalog, np.ndarray) else [*catalog]
