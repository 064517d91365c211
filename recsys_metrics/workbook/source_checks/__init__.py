"""The ledger: every number the source documents print, recomputed with the library.

`entries.json` holds what each document prints, from which inputs, and the value we state; the
files below hold, by subject, how each entry is recomputed from its inputs with public functions.

=============================  ==================================================
file                           holds
=============================  ==================================================
`entry`                        `Entry`, `ENTRIES`, when a printed text agrees with a value
`registry`                     `recompute`: from an entry to its values
`pages`                        tables and counts for the pages of the book
`rating`                       the recomputations, by subject
`ranking`, `gain`, `pairs`
`beyond_accuracy`
`protocol`, `online`
`calibration`, `bias`
=============================  ==================================================
"""

from recsys_metrics.workbook.source_checks.entry import DOCUMENTS, ENTRIES, Entry, agrees
from recsys_metrics.workbook.source_checks.pages import (
    compare_printed_values,
    count_by_status,
    count_entries,
    list_entries,
    summarize_counts,
)
from recsys_metrics.workbook.source_checks.registry import recompute

__all__ = [
    "DOCUMENTS",
    "ENTRIES",
    "Entry",
    "agrees",
    "compare_printed_values",
    "count_by_status",
    "count_entries",
    "list_entries",
    "recompute",
    "summarize_counts",
]
