"""Explorables of chapter 02, ranking.

===========  ==================================================================
file         holds
===========  ==================================================================
`verdicts`   seven verdicts on one list: its cut, its grades, the gain
`threshold`  a bar lowered through scores, and two curves
===========  ==================================================================
"""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.ranking.threshold import threshold
from recsys_metrics.workbook.explorables.ranking.verdicts import verdicts

EXPLORABLES: tuple[Explorable, ...] = (verdicts, threshold)

__all__ = ["EXPLORABLES", "threshold", "verdicts"]
