"""Explorables of chapter 06, bias.

=============  ==================================================================
file           holds
=============  ==================================================================
`clipping`     propensities, weights and a cap on them: bias against spread
`floor`        propensities from popularity, and a floor under them
`loop`         the feedback loop, round by round
`parity`       slots for two groups: equal shares or equal rates
`trust`        coverage of intervals, by overlap and length of the log
=============  ==================================================================
"""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.bias.clipping import clipping
from recsys_metrics.workbook.explorables.bias.floor import floor
from recsys_metrics.workbook.explorables.bias.loop import loop
from recsys_metrics.workbook.explorables.bias.parity import parity
from recsys_metrics.workbook.explorables.bias.trust import trust

EXPLORABLES: tuple[Explorable, ...] = (loop, clipping, floor, parity, trust)

__all__ = ["EXPLORABLES", "clipping", "floor", "loop", "parity", "trust"]
