"""A mapping that is asked by a measure's text, however it is written."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TypeVar

from recsys_metrics.measures.text import Measure, measure

T = TypeVar("T")


class ByMeasure(Mapping[str, T]):
    """A mapping from the texts of measures; whatever means the same finds the same."""

    @property
    @abstractmethod
    def _entries(self) -> Mapping[Measure, T]:
        """What is held, by measure."""

    @property
    @abstractmethod
    def _absent(self) -> str:
        """What is said of a measure that is not held, and before those that are."""

    def __getitem__(self, asked: str | Measure) -> T:
        wanted = measure(asked) if isinstance(asked, str) else asked
        try:
            return self._entries[wanted]
        except KeyError:
            raise KeyError(
                f"{wanted} {self._absent} {', '.join(map(str, self._entries))}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(map(str, self._entries))

    def __len__(self) -> int:
        return len(self._entries)
