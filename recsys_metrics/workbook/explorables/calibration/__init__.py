"""Explorables of chapter 05, calibration.

==========  ===================================================================
file        holds
==========  ===================================================================
`bins`      reliability bins: how many, cut how, over how many events
`curve`     Platt's slope and intercept, moved by hand
`isotonic`  isotonic regression, one pooled pair after another
==========  ===================================================================
"""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.calibration.bins import reliability_bins
from recsys_metrics.workbook.explorables.calibration.curve import platt_curve
from recsys_metrics.workbook.explorables.calibration.isotonic import pooling

EXPLORABLES: tuple[Explorable, ...] = (reliability_bins, platt_curve, pooling)

__all__ = ["EXPLORABLES", "platt_curve", "pooling", "reliability_bins"]
