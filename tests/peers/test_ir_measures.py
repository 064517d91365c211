"""ir-measures, whose names say their conventions."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from recsys_metrics.measures import LIBRARIES
from tests.peers.cases import agree, draw

ir = pytest.importorskip("ir_measures", reason="ir-measures is not installed")


THEIRS = {
    "ap": "AP",
    "bpref": "Bpref",
    "ndcg": "nDCG",
    "p": "P",
    "r": "R",
    "rprec": "Rprec",
    "rr": "RR",
    "setf": "SetF",
    "setp": "SetP",
    "setr": "SetR",
    "success": "Success",
}


@pytest.mark.parametrize("name", THEIRS)
def test_every_measure(name):
    drawn = draw()
    truths = {str(u): {f"{i:02d}": g for i, g in row.items()} for u, row in drawn.truths.items()}
    run = {
        str(user): {f"{item:02d}": -float(rank) for rank, item in enumerate(row)}
        for user, row in drawn.lists.items()
    }

    def theirs(cases, k):
        asked = getattr(ir, THEIRS[name])
        asked = asked if k is None else asked @ k
        return {int(found.query_id): found.value for found in ir.iter_calc([asked], truths, run)}

    agree("ir-measures", version("ir-measures"), name, drawn, theirs)


def test_what_is_not_compared_needs_a_program_of_its_own():
    assert set(LIBRARIES["ir-measures"].measures) - set(THEIRS) == {"ndcg(dcg=exp-log2)"}
