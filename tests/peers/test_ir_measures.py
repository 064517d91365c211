"""ir-measures, whose names say their conventions."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from recsys_metrics.peers import like
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


# Without a cut-off these are no measures of its own.
OF_A_CUT = {"p", "r", "success"}


def ask(name, cases, run, k):
    asked = ir.parse_measure(THEIRS[name] if k is None else f"{THEIRS[name]}@{k}")
    found = ir.iter_calc([asked], as_qrels(cases), run)
    return {int(of_user.query_id): of_user.value for of_user in found}


@pytest.mark.parametrize("name", THEIRS)
def test_every_metric_agrees(name):
    # Its program for the reciprocal rank has another rule for ties than that for all others.
    run, drawn = tied(draw(), higher_first=name != "rr")
    agree(
        "ir-measures",
        version("ir-measures"),
        name,
        drawn,
        lambda cases, k: ask(name, cases, run, k),
        whole=name not in OF_A_CUT | {"rr"},
        lacks={"no list"},
    )


def test_without_a_cut_off_the_reciprocal_rank_has_the_rule_for_ties_of_all_others():
    run, drawn = tied(draw())
    found = ask("rr", drawn, run, None)
    ours = dict(zip(drawn.lists, like("ir-measures", "rr")(drawn.judged), strict=True))
    assert found == pytest.approx(ours, abs=1e-9)


@pytest.mark.parametrize("name", sorted(OF_A_CUT))
def test_some_have_to_have_a_cut_off(name):
    run, drawn = tied(draw(3))
    with pytest.raises(AssertionError, match="invalid param cutoff"):
        ask(name, drawn, run, None)


@pytest.mark.parametrize("squared", [0.25, 0.5, 2.0])
def test_beta_is_squared_there(squared):
    run, drawn = tied(draw())
    found = ir.iter_calc([ir.SetF(beta=squared)], as_qrels(drawn), run)
    theirs = {int(of_user.query_id): of_user.value for of_user in found}
    made = like("ir-measures", "setf").with_options(beta=squared**0.5)
    ours = dict(zip(drawn.lists, made(drawn.judged), strict=True))
    assert theirs == pytest.approx(ours, abs=1e-9)


def test_uncompared_metrics_need_an_external_program():
    missing = set(compared("ir-measures")) - set(THEIRS)
    assert missing == {"ndcg(dcg=exp-log2)", "err", "rbp(p=0.8)"}


def test_public_names_are_in_the_table():
    # The registry holds a measure under each of its names.
    names = {found.NAME for found in map(ir.measures.registry.get, ir.measures.registry)}
    are_known("ir-measures", names | {"SetRelP", "NumRelRet"}, {})
