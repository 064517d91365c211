"""Explorables: pictures with controls, each with a question to answer by moving it."""

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control
from recsys_metrics.workbook.explorables.ranking import verdicts

REGISTRY: dict[str, Explorable] = {explorable.id: explorable for explorable in (verdicts,)}

__all__ = ["REGISTRY", "Control", "Explorable", "verdicts"]
