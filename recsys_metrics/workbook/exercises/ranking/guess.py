"""The predictions at the start of each part."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.ranking import running_list as running_list
