"""A mapping that takes the text of a measure as key, however it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from recsys_metrics.measures._text import Measure, measure

T = TypeVar("T")


def find_measure(text: str | Measure, entries: Iterable[Measure]) -> Measure:
    """Return the measure that a text means; a text alone does not tell what the caller's own is."""
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        return measure(text)
    every = [*entries]
    written = {str(entry): entry for entry in every} | {entry.label: entry for entry in every}
    if text in written:
        return written[text]
    named = {name: entry for entry in every for name in entry.metric.names}
    if named:
        return named.get(plain_name(text), Measure(text, own=every[0].metric))
    return measure(text)


def plain_name(text: str) -> str:
    """Return the name of a metric in small letters and with underscores.

    Examples
    --------
    >>> from recsys_metrics.measures._measure_mapping import plain_name
    >>> plain_name("Brier score")
    'brier_score'
    """
    return text.strip().lower().replace(" ", "_").replace("-", "_")


class MeasureMapping(Mapping[str, T]):
    """A mapping from the texts of measures; whatever means the same finds the same.

    A class that is one names, where it is defined, its attribute that holds the entries by
    measure, and what an error says between a measure that it does not hold and those that it
    does.

    Examples
    --------
    >>> from recsys_metrics.measures import MeasureMapping, measure
    >>> class Times(MeasureMapping[float], entries="seconds", absent="was not timed; there are"):
    ...     seconds = {measure("ndcg@10"): 0.2}
    >>> Times()["ndcg(ideal=all)@10"]
    0.2
    """

    _held: str
    _absent: str

    def __init_subclass__(cls, *, entries: str, absent: str, **others: Any) -> None:
        super().__init_subclass__(**others)
        cls._held, cls._absent = entries, absent

    @property
    def _entries(self) -> Mapping[Measure, T]:
        entries: Mapping[Measure, T] = getattr(self, self._held)
        return entries

    def __getitem__(self, text: str | Measure) -> T:
        key = find_measure(text, self._entries)
        try:
            return self._entries[key]
        except KeyError:
            held = ", ".join(self)
            raise KeyError(f"{key} {self._absent} {held}") from None

    def _find_or_first(self, text: str | Measure | None) -> Measure:
        """Return the measure that a text means, by default the first of the entries."""
        return next(iter(self._entries)) if text is None else find_measure(text, self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter([entry.label for entry in self._entries])

    def __len__(self) -> int:
        return len(self._entries)
