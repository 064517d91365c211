"""ir-measures, whose names say their conventions."""

from __future__ import annotations

from importlib.metadata import version

import ir_measures

LIBRARY, VERSION = "ir-measures", version("ir-measures")


def asked(name):
    """Return a callable for a measure of the library."""

    def ask(lists, grades, k):
        run = {
            user: {item: float(-rank) for rank, item in enumerate(row)}
            for user, row in lists.items()
        }
        measure = ir_measures.parse_measure(f"{name}@{k}")
        return {one.query_id: one.value for one in ir_measures.iter_calc([measure], grades, run)}

    return ask


MEASURES = {name: asked(name) for name in ("AP", "nDCG", "P", "R", "RR", "Success")}
