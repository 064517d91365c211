"""ir-measures, whose names say their conventions."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.peers.cases import agree, are_known, as_qrels, compared, draw, tied

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
    "setp(relative=true)": "SetP(relative=True)",
    "setr": "SetR",
    "success": "Success",
}


@pytest.mark.parametrize("name", THEIRS)
def test_every_metric_agrees(name):
    # Its program for the reciprocal rank has another rule for ties than that for all others.
    run, drawn = tied(draw(), higher_first=name != "rr")

    def theirs(cases, k):
        asked = ir.parse_measure(THEIRS[name] if k is None else f"{THEIRS[name]}@{k}")
        found = ir.iter_calc([asked], as_qrels(cases), run)
        return {int(of_user.query_id): of_user.value for of_user in found}

    agree("ir-measures", version("ir-measures"), name, drawn, theirs, lacks={"no list"})


def test_uncompared_metrics_need_an_external_program():
    missing = set(compared("ir-measures")) - set(THEIRS)
    assert missing == {"ndcg(dcg=exp-log2)", "err", "rbp(p=0.8)"}


def test_public_names_are_in_the_table():
    # The registry holds a measure under each of its names.
    names = {found.NAME for found in map(ir.measures.registry.get, ir.measures.registry)}
    are_known("ir-measures", names | {"SetRelP", "NumRelRet"}, {})
