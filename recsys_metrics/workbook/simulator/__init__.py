"""A shop whose truth is known: people, days, what they click, and experiments on them.

Whatever a method claims can be held against it: the true gain is known before anybody is counted.

==========  ==================================================
file        holds
==========  ==================================================
`_shop`     people and their days, and traffic under two recommenders
`_faults`   what goes wrong between the people and the log
`_audience` users of whom only time shows whether they stay
`_feed`     slates by policies whose chances are known, and what each policy is worth
`_judge`    a judge of lists whose biases are known, and lists that it and people labelled
`_writer`   a model that writes lists, with faults whose rates are known
==========  ==================================================
"""

from recsys_metrics.workbook.simulator._audience import Audience, AudienceLog, Change
from recsys_metrics.workbook.simulator._faults import (
    add_bots,
    duplicate_users,
    lose_users,
    start_late,
)
from recsys_metrics.workbook.simulator._feed import EVEN, Feed, Policy, SlateLog
from recsys_metrics.workbook.simulator._judge import (
    METRICS,
    JudgedCatalogue,
    JudgedLists,
    SimulatedJudge,
)
from recsys_metrics.workbook.simulator._shop import Effect, Shop, Traffic
from recsys_metrics.workbook.simulator._writer import Requests, Writer

__all__ = [
    "EVEN",
    "METRICS",
    "Audience",
    "AudienceLog",
    "Change",
    "Effect",
    "Feed",
    "JudgedCatalogue",
    "JudgedLists",
    "Policy",
    "Requests",
    "Shop",
    "SimulatedJudge",
    "SlateLog",
    "Traffic",
    "Writer",
    "add_bots",
    "duplicate_users",
    "lose_users",
    "start_late",
]


def __dir__() -> list[str]:
    return __all__
