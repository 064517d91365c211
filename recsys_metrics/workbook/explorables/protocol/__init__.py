"""Explorables of chapter 04, protocol.

=============  ==================================================================
file           holds
=============  ==================================================================
`negatives`    three recommenders against more and more sampled negatives
`seeds`        how many runs it takes to ship a gain
`users`        the bootstrap over few users, and over more
`looks`        false alarms of a test that is looked at while it runs
=============  ==================================================================
"""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.protocol.looks import looks
from recsys_metrics.workbook.explorables.protocol.negatives import sampled_negatives
from recsys_metrics.workbook.explorables.protocol.seeds import ship_or_not
from recsys_metrics.workbook.explorables.protocol.users import resampled_users

EXPLORABLES: tuple[Explorable, ...] = (
    sampled_negatives,
    ship_or_not,
    resampled_users,
    looks,
)

__all__ = ["EXPLORABLES", "looks", "resampled_users", "sampled_negatives", "ship_or_not"]
