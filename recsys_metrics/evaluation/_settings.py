"""What an evaluation was asked to compute, and under which conventions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

from recsys_metrics._core.checks import check_choice, check_flag
from recsys_metrics._core.inputs.lists import Repeats
from recsys_metrics._core.inputs.ties import ListTies, check_list_ties
from recsys_metrics.measures import Measure, read_measures
from recsys_metrics.ranking._grade_codes import check_threshold

Keep = Literal["per_user", "sums"]


@dataclass(frozen=True)
class EvaluationSettings:
    """The measures and conventions of an evaluation, checked.

    Attributes
    ----------
    measures, threshold, ties, repeats
        As in `evaluate`.
    keep : {"per_user", "sums"}
        Whether the values of each user are kept, or their sums.
    digests : bool
        Whether a digest of what is relevant to each user is kept.
    """

    measures: tuple[Measure, ...]
    threshold: float | None = None
    ties: ListTies = "id"
    repeats: Repeats = "raise"
    keep: Keep = "per_user"
    digests: bool = True

    @classmethod
    def read(
        cls,
        measures: Iterable[str | Measure],
        ks: Sequence[int] | None,
        *,
        threshold: float | None = None,
        **conventions: Any,
    ) -> EvaluationSettings:
        """Return the settings that a caller's arguments say.

        Raises
        ------
        ValueError, TypeError
            If a measure cannot be read, or an argument has none of its values.
        """
        settings = cls(
            tuple(read_measures(measures, ks)), check_threshold(threshold), **conventions
        )
        check_choice("keep", settings.keep, Keep)
        check_list_ties(settings.ties)
        check_choice("repeats", settings.repeats, Repeats)
        check_flag("digests", settings.digests)
        return settings

    @property
    def cutoffs(self) -> list[int]:
        """The cut-offs of the measures."""
        return [measure.k for measure in self.measures if measure.k is not None]

    @cached_property
    def depth(self) -> int | None:
        """The deepest rank that a measure looks at; None if one looks at whole lists."""
        depths = [measure.depth for measure in self.measures]
        return None if None in depths else max(filter(None, depths))

    @property
    def cut(self) -> int | None:
        """The rank below which nothing is looked at; None if repeats above it may be taken out."""
        return self.depth if self.repeats == "raise" else None

    @cached_property
    def need_only_hits(self) -> bool:
        """Whether no measure asks which items were recommended, only whether they are relevant."""
        return self.cut is not None and all(
            m.metric.takes_judged and m.metric.per_user for m in self.measures
        )

    def find_difference(self, other: EvaluationSettings) -> tuple[Any, Any] | None:
        """Return the first setting that differs, as (ours, theirs), or None."""
        for field in fields(self):
            ours, theirs = getattr(self, field.name), getattr(other, field.name)
            if field.name == "measures":
                ours, theirs = ", ".join(map(str, ours)), ", ".join(map(str, theirs))
            if ours != theirs:
                return ours, theirs
        return None
