"""Explorables of chapter 04, protocol.

=============  ==================================================================
file           holds
=============  ==================================================================
`negatives`    three recommenders against more and more sampled negatives
`tuning`       settings that were tried: what the winner promises, and what it keeps
`seeds`        how many runs it takes to ship a gain
`users`        the bootstrap over few users, and over more
`peeking`      false alarms of a test that is looked at while it runs
`held_out`     which events are held out, when training ends, and what leaks
`denominator`  a longer page, per impression, per visit and per user
=============  ==================================================================
"""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.protocol.denominator import denominator
from recsys_metrics.workbook.explorables.protocol.held_out import held_out
from recsys_metrics.workbook.explorables.protocol.negatives import sampled_negatives
from recsys_metrics.workbook.explorables.protocol.peeking import peeking
from recsys_metrics.workbook.explorables.protocol.seeds import ship_or_not
from recsys_metrics.workbook.explorables.protocol.tuning import tuning
from recsys_metrics.workbook.explorables.protocol.users import resampled_users

EXPLORABLES: tuple[Explorable, ...] = (
    sampled_negatives,
    ship_or_not,
    resampled_users,
    tuning,
    held_out,
    denominator,
    peeking,
)

__all__ = [
    "EXPLORABLES",
    "denominator",
    "held_out",
    "peeking",
    "resampled_users",
    "sampled_negatives",
    "ship_or_not",
    "tuning",
]
