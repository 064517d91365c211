"""Explorables of chapter 03, beyond accuracy.

=============  ==================================================================
file           holds
=============  ==================================================================
`counts`       five counts, their Lorenz curve and what is made of it
`arrows`       three films as arrows: similarity in pairs, diversity of the list
`reranking`    eight films put in another order, for variety and at a price
=============  ==================================================================
"""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.beyond_accuracy.arrows import arrows
from recsys_metrics.workbook.explorables.beyond_accuracy.counts import counts
from recsys_metrics.workbook.explorables.beyond_accuracy.reranking import reranking

EXPLORABLES: tuple[Explorable, ...] = (counts, arrows, reranking)

__all__ = ["EXPLORABLES", "arrows", "counts", "reranking"]
