"""Bias in logged data, and fairness to groups of users and items.

=============================  ==================================================
module                         answers
=============================  ==================================================
`propensity`                   How likely was this to be shown, or looked at?
`off_policy`                   What would another policy have earned?
`feedback`                     What becomes of exposure when models learn from it?
`fairness`                     Exposure and quality by group: users, providers, head and tail.
=============================  ==================================================

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.bias import fairness, feedback, off_policy, propensity

__all__ = ["fairness", "feedback", "off_policy", "propensity"]


def __dir__() -> list[str]:
    return __all__
