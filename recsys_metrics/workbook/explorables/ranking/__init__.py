"""Explorables of chapter 02, ranking.

===========  ==================================================================
file         holds
===========  ==================================================================
`hits`       the hits of a list, counted four ways, and the first of them
`stairs`     average precision as the area of stairs
`metric_values`   Seven metrics of one list: its cut, its grades, the gain
`threshold`  a threshold lowered through scores, and two curves
`two_stages` items that are retrieved, those that are shown, and what each stage loses
`ties`       films that share a score, and whoever sorts them
`row`        a list of films that are pressed, and its cut, which is dragged
===========  ==================================================================
"""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.ranking.hits import hits
from recsys_metrics.workbook.explorables.ranking.metric_values import metric_values
from recsys_metrics.workbook.explorables.ranking.stairs import stairs
from recsys_metrics.workbook.explorables.ranking.threshold import threshold
from recsys_metrics.workbook.explorables.ranking.ties import ties
from recsys_metrics.workbook.explorables.ranking.two_stages import two_stages

EXPLORABLES: tuple[Explorable, ...] = (hits, stairs, metric_values, threshold, ties, two_stages)

__all__ = ["EXPLORABLES", "hits", "metric_values", "stairs", "threshold", "ties", "two_stages"]
