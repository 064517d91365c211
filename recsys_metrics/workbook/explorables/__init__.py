"""Explorables: pictures with controls, each with a question to answer by moving it."""

from recsys_metrics.workbook.explorables import (
    beyond_accuracy,
    bias,
    calibration,
    choosing,
    conventions,
    judges,
    protocol,
    ranking,
    rating,
)
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Quantity
from recsys_metrics.workbook.explorables.ranking import metric_values

REGISTRY: dict[str, Explorable] = {
    explorable.id: explorable
    for subject in (
        rating,
        ranking,
        beyond_accuracy,
        protocol,
        calibration,
        bias,
        choosing,
        judges,
        conventions,
    )
    for explorable in subject.EXPLORABLES
}

__all__ = ["REGISTRY", "Control", "Explorable", "Quantity", "metric_values"]
