"""The card that says how the numbers of a report came about."""

from __future__ import annotations

from dataclasses import dataclass

NOT_STATED = "not stated"


@dataclass(frozen=True)
class Protocol:
    """How the numbers of a report came about; printed with them.

    Attributes
    ----------
    n_lists : int
        How many lists were judged.
    served : tuple of int
        Length of the shortest and of the longest list.
    n_short : int
        How many lists are shorter than the largest cut-off.
    n_nothing_relevant : int
        How many users have nothing relevant.
    relevance : str
        What counted as relevant.
    candidates : str
        Whether the lists were chosen from the whole catalogue or from a sample.
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

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> report = evaluate([["A"], ["B"]], [{"A"}, set()], ["ndcg@1"], split="last basket")
    >>> report.protocol.split, report.protocol.n_nothing_relevant
    ('last basket', 1)
    """

    n_lists: int
    served: tuple[int, int]
    n_short: int
    n_nothing_relevant: int
    relevance: str
    candidates: str
    split: str
    seed: str
    context: tuple[str, ...]
    measures: tuple[str, ...]
    version: str

    def lines(self) -> list[tuple[str, str]]:
        """Return the card as pairs of heading and text."""
        shortest, longest = self.served
        length = f"{longest:,}" if shortest == longest else f"{shortest:,} to {longest:,}"
        people = "nobody" if not self.n_nothing_relevant else _count(self.n_nothing_relevant)
        return [
            ("lists", f"{self.n_lists:,}, of {length} item{'s' if longest != 1 else ''}"),
            ("relevant", self.relevance),
            ("nothing relevant", people),
            ("candidates", self.candidates),
            ("split", self.split),
            ("seed", self.seed),
            *([("known", "; ".join(self.context))] if self.context else []),
            ("library", f"recsys_metrics {self.version}"),
        ]

    def __str__(self) -> str:
        rows = self.lines()
        wide = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{wide}}  {text}" for name, text in rows)


def _count(n: int) -> str:
    return f"{n:,} user{'s' if n != 1 else ''}, treated as each measure's no_relevant says"
