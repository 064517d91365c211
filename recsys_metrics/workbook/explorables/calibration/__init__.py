"""Explorables of chapter 05, calibration.

==========  ===================================================================
file        holds
==========  ===================================================================
`badge`     a badge on films that are promised to be liked
`bins`      reliability bins: how many, cut how, over how many events
`curve`     Platt's slope and intercept, moved by hand
`isotonic`  isotonic regression, one pooled pair after another
==========  ===================================================================
"""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.calibration.badge import badge
from recsys_metrics.workbook.explorables.calibration.bins import reliability_bins
from recsys_metrics.workbook.explorables.calibration.curve import platt_curve
from recsys_metrics.workbook.explorables.calibration.isotonic import pooling

EXPLORABLES: tuple[Explorable, ...] = (reliability_bins, platt_curve, pooling, badge)

__all__ = ["EXPLORABLES", "badge", "platt_curve", "pooling", "reliability_bins"]
