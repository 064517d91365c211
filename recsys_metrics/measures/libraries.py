"""What other libraries compute under each name, said in our conventions.

Every entry was checked: by running the library on random cases (``"run"``), against values that
a run of it gave on a small example (``"values"``), or by reading its code (``"read"``).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

Evidence = Literal["run", "values", "read"]


@dataclass(frozen=True)
class Reading:
    """What a library computes under one of its names.

    Attributes
    ----------
    text : str
        Our measure without a cut-off; empty where there is none.
    cut : bool
        Whether the library's measure takes a cut-off.
    note : str
        What must hold for the values to be equal, beyond what the measure says.
    fault : str
        Why no measure can give the library's value, where that is so.
    proof : str
        The test that shows the fault, or the function to call instead.

    Examples
    --------
    >>> from recsys_metrics.measures import LIBRARIES
    >>> LIBRARIES["rectools"].measures["ndcg"].text
    'ndcg(gain=binary, ideal=full)'
    """

    text: str = ""
    cut: bool = True
    note: str = ""
    fault: str = ""
    proof: str = ""


@dataclass(frozen=True)
class Library:
    """A library and what it computes.

    Attributes
    ----------
    title : str
        As it writes itself.
    version : str
        That was looked at.
    evidence : {"run", "values", "read"}
        How the entries were checked.
    measures : mapping
        Of the library's names, in lower case, to readings.
    nothing_relevant : str
        What a user with nothing relevant counts, as `no_relevant` says it.
    no_list : str
        What becomes of a user without a list.
    ties : str
        Which of two equal scores comes first.
    also : tuple of str
        Other names of the library.

    Examples
    --------
    >>> from recsys_metrics.measures import LIBRARIES
    >>> LIBRARIES["ranx"].nothing_relevant, LIBRARIES["rectools"].nothing_relevant
    ('zero', 'nan')
    """

    title: str
    version: str
    evidence: Evidence
    measures: Mapping[str, Reading]
    nothing_relevant: Literal["nan", "zero", "one"] = "nan"
    no_list: str = "counts 0"
    ties: str = "as given"
    also: tuple[str, ...] = ()


def _hits(recall: str = "recall", precision: str = "precision") -> dict[str, Reading]:
    return {
        "hit_rate": Reading("hit_rate"),
        "precision": Reading(precision),
        "recall": Reading(recall),
    }


_OF_A_ROW = "It is given one row of scored items and knows no other relevant item."
_SCORES = "it is computed from scores, not from a list"

_TREC = {
    "map": Reading("average_precision", cut=False),
    "map_cut": Reading("average_precision"),
    "ndcg": Reading("ndcg", cut=False),
    "ndcg_cut": Reading("ndcg"),
    "p": Reading("precision"),
    "recall": Reading("recall"),
    "success": Reading("hit_rate"),
    "recip_rank": Reading("reciprocal_rank", cut=False),
    "rprec": Reading("r_precision", cut=False),
    "bpref": Reading("bpref", cut=False),
    "set_p": Reading("precision", cut=False),
    "set_recall": Reading("recall", cut=False),
    "set_f": Reading("f_beta", cut=False),
}

_RANX = {
    **_hits(),
    "f1": Reading("f_beta"),
    "map": Reading("average_precision"),
    "mrr": Reading("reciprocal_rank"),
    "ndcg": Reading("ndcg"),
    "ndcg_burges": Reading("ndcg(gain=exponential)"),
    "dcg": Reading("dcg"),
    "dcg_burges": Reading("dcg(gain=exponential)"),
    "r-precision": Reading("r_precision", cut=False),
    "bpref": Reading(
        fault="it is not a number where no item was judged not relevant: 0 is divided by 0",
        proof="tests/peers/test_ranx.py::test_bpref_needs_a_rejected_item",
    ),
    "rbp": Reading(
        fault="it adds up grades, and exceeds 1, though its text says that relevance is 0 or 1; "
        "where it is, rank_biased_precision(p=…) is equal",
        proof="tests/peers/test_ranx.py::test_rank_biased_precision_adds_grades",
    ),
}

_SKLEARN = {
    "dcg": Reading("dcg", note=_OF_A_ROW),
    "ndcg": Reading("ndcg(ideal=listed)", note=_OF_A_ROW),
    "average_precision": Reading("average_precision(divisor=hits)", cut=False, note=_OF_A_ROW),
    "label_ranking_average_precision": Reading(
        "average_precision(divisor=hits, no_relevant=one)", cut=False, note=_OF_A_ROW
    ),
    "roc_auc": Reading(fault=_SCORES, proof="recsys_metrics.roc_auc(labels, scores)"),
}

_IR_MEASURES = {
    "ap": Reading("average_precision"),
    "ndcg": Reading("ndcg"),
    "ndcg(dcg=exp-log2)": Reading("ndcg(gain=exponential)"),
    "p": Reading("precision"),
    "r": Reading("recall"),
    "rr": Reading("reciprocal_rank"),
    "rprec": Reading("r_precision", cut=False),
    "bpref": Reading("bpref", cut=False),
    "success": Reading("hit_rate"),
    "setp": Reading("precision", cut=False),
    "setr": Reading("recall", cut=False),
    "setf": Reading("f_beta", cut=False),
}

_RECTOOLS = {
    **_hits(),
    "precision(r_precision=true)": Reading("precision(divisor=achievable)"),
    "f1beta": Reading("f_beta"),
    "map": Reading("average_precision"),
    "map(divide_by_k=true)": Reading("average_precision(divisor=k)"),
    "mrr": Reading("reciprocal_rank"),
    "ndcg": Reading("ndcg(gain=binary, ideal=full)"),
    "ndcg(divide_by_achievable=true)": Reading("ndcg(gain=binary)"),
}

_LENSKIT = {
    "hit": Reading("hit_rate"),
    "precision": Reading("precision(divisor=served)", note="NaN for an empty list."),
    "recall": Reading("recall(divisor=achievable)"),
    "averageprecision": Reading("average_precision(divisor=served)", note="NaN for an empty list."),
    "reciprank": Reading("reciprocal_rank"),
    "ndcg": Reading("ndcg(discount=log2-from-2, gain=binary)"),
    "ndcg(gain=rating)": Reading("ndcg(discount=log2-from-2)"),
    "dcg": Reading("dcg(discount=log2-from-2, gain=binary)"),
    "dcg(gain=rating)": Reading("dcg(discount=log2-from-2)"),
    "rbp": Reading("rank_biased_precision(p=0.85)"),
}

_RECOMMENDERS = {
    "precision_at_k": Reading("precision"),
    "recall_at_k": Reading("recall"),
    "map": Reading("average_precision"),
    "map_at_k": Reading("average_precision(divisor=achievable)"),
    "ndcg_at_k": Reading("ndcg(gain=binary)"),
    "ndcg_at_k(score_type=raw)": Reading("ndcg"),
    "ndcg_at_k(score_type=exp)": Reading("ndcg(gain=exponential)"),
    "r_precision_at_k": Reading(
        fault="users without a hit in their first R ranks fall out of the mean",
        proof="tests/peers/test_recommenders.py::test_r_precision_leaves_out_who_has_no_hit",
    ),
}

_TORCHMETRICS = {
    "hit_rate": Reading("hit_rate", note=_OF_A_ROW),
    "precision": Reading("precision", note=_OF_A_ROW),
    "precision(adaptive_k=true)": Reading("precision(divisor=served)", note=_OF_A_ROW),
    "recall": Reading("recall(divisor=listed)", note=_OF_A_ROW),
    "average_precision": Reading("average_precision(divisor=hits)", note=_OF_A_ROW),
    "reciprocal_rank": Reading("reciprocal_rank", note=_OF_A_ROW),
    "normalized_dcg": Reading("ndcg(ideal=listed)", note=_OF_A_ROW),
}

_EVIDENTLY = {
    **_hits(recall="recall(divisor=listed)", precision="precision(divisor=served)"),
    "mrr": Reading("reciprocal_rank", note=_OF_A_ROW),
    "ndcg": Reading("ndcg(ideal=listed)", note=_OF_A_ROW),
    "map": Reading(
        fault="it depends on the order of the rows of the table, and can exceed 1; on rows sorted "
        "by rank it is average_precision(divisor=listed)",
        proof="tests/peers/test_evidently.py::test_average_precision_depends_on_the_order_of_rows",
    ),
}

_RECBOLE = {
    "hit": Reading("hit_rate"),
    "precision": Reading("precision"),
    "recall": Reading("recall"),
    "mrr": Reading("reciprocal_rank"),
    "map": Reading("average_precision(divisor=achievable)"),
    "ndcg": Reading("ndcg(gain=binary)"),
}

_ELLIOT = {
    "hr": Reading("hit_rate"),
    "precision": Reading("precision"),
    "recall": Reading("recall"),
    "f1": Reading("f_beta"),
    "mrr": Reading("reciprocal_rank"),
    "map": Reading("average_precision(divisor=prefixes)"),
    "mar": Reading("average_recall(divisor=prefixes)"),
    "ndcg": Reading(
        "ndcg(gain=exponential-from-threshold)", note="Judge with the same threshold, 1 if none."
    ),
    "ndcgrendle2020": Reading("ndcg(gain=binary)"),
}

_CORNAC = {
    "hitratio": Reading("hit_rate"),
    "precision": Reading("precision"),
    "recall": Reading("recall"),
    "fmeasure": Reading("f_beta"),
    "mrr": Reading("reciprocal_rank", cut=False),
    "map": Reading("average_precision", cut=False, note="Give whole rankings: it has no cut-off."),
    "ncrr": Reading("reciprocal_hit_rate(reduce=ideal)"),
    "ndcg": Reading("ndcg(gain=binary)"),
    "auc": Reading(
        fault=f"{_SCORES}; tied pairs count as lost",
        proof="recsys_metrics.concordant_pairs(labels, scores, users=…, pooling='users')",
    ),
}

_REPLAY = {
    "hitrate": Reading("hit_rate"),
    "precision": Reading("precision"),
    "recall": Reading("recall"),
    "mrr": Reading("reciprocal_rank"),
    "map": Reading("average_precision(divisor=achievable)"),
    "ndcg": Reading("ndcg(gain=binary)"),
    "rocauc": Reading(
        fault="it compares only the items inside the first k, and is 1 where all of them are hits",
        proof="tests/peers/test_replay.py::test_area_inside_the_list",
    ),
}

_RECPACK = {
    **_hits(),
    "calibratedrecall": Reading("recall(divisor=achievable)"),
    "reciprocalrank": Reading("reciprocal_rank"),
    "dcg": Reading("dcg"),
    "ndcg": Reading("ndcg(gain=binary)", note="Of relevance that is 0 or 1."),
}

_REXMEX = {
    "hits": Reading("recall", note="Its hits at k are a share of the relevant items."),
    "mean_average_precision": Reading("average_precision(divisor=achievable)"),
    "mean_average_recall": Reading("average_precision", note="Named recall, it is precision."),
    "mean_reciprocal_rank": Reading("reciprocal_rank"),
}

_RECMETRICS = {
    "recommender_recall": Reading("recall", note="Averaged over users."),
    "recommender_precision": Reading("precision", cut=False, note="Rounded to 4 decimals."),
    "mark": Reading("average_precision", note="Named recall, it is precision."),
}

_JURITY = {
    "precision": Reading("precision(divisor=served)"),
    "recall": Reading("recall"),
    "map": Reading("average_precision(divisor=achievable)"),
    "ndcg": Reading("ndcg(gain=binary, ideal=uncut)"),
}

_TF_RANKING = {
    "precision": Reading("precision(divisor=served)", note=_OF_A_ROW),
    "recall": Reading("recall(divisor=listed)", note=_OF_A_ROW),
    "mrr": Reading("reciprocal_rank", note=_OF_A_ROW),
    "map": Reading("average_precision(divisor=listed)", note=_OF_A_ROW),
    "ndcg": Reading("ndcg(gain=exponential, ideal=listed)", note=_OF_A_ROW),
    "dcg": Reading("dcg(gain=exponential)", note=_OF_A_ROW),
}

_IMPLICIT = {
    "precision": Reading(
        "precision(divisor=achievable)",
        note="Pooled: weigh each user by min(k, relevant items) in the mean.",
    ),
    "map": Reading("average_precision(divisor=achievable)"),
    "ndcg": Reading("ndcg(gain=binary)"),
    "auc": Reading(
        fault="it needs all candidates, of which those that are not listed count as tied",
        proof="recsys_metrics.limited_auc(labels, scores, k)",
    ),
}

LIBRARIES: Mapping[str, Library] = MappingProxyType(
    {
        "cornac": Library(
            "Cornac", "3.0.1", "values", _CORNAC, no_list="has always one", ties="worst rank"
        ),
        "elliot": Library("Elliot", "fc27efe", "values", _ELLIOT, no_list="is left out"),
        "evidently": Library(
            "Evidently",
            "0.7.23",
            "run",
            _EVIDENTLY,
            no_list="is left out",
            ties="the mean of their ranks, rounded down",
        ),
        "implicit": Library(
            "implicit", "0.7", "read", _IMPLICIT, no_list="has always one", ties="the model's order"
        ),
        "ir-measures": Library(
            "ir-measures",
            "0.4.3",
            "run",
            _IR_MEASURES,
            "zero",
            ties="the higher id first",
            also=("ir_measures", "irmeasures"),
        ),
        "jurity": Library("jurity", "2.1.0", "values", _JURITY, no_list="is left out of MAP, P"),
        "lenskit": Library(
            "LensKit",
            "2025.8.1",
            "run",
            _LENSKIT,
            no_list="is NaN in P and AP, else 0",
            also=("lkpy",),
        ),
        "pytrec-eval": Library(
            "pytrec_eval",
            "0.5.11",
            "run",
            _TREC,
            "zero",
            no_list="is left out, unless its list is given and empty",
            ties="the higher id first",
            also=("trec_eval", "trec-eval", "pytrec_eval-terrier", "trec"),
        ),
        "ranx": Library(
            "ranx", "0.3.21", "run", _RANX, "zero", no_list="is an error", ties="unstable"
        ),
        "recbole": Library(
            "RecBole", "1.2.1", "values", _RECBOLE, no_list="has always one", ties="unstable"
        ),
        "recmetrics": Library("recmetrics", "0.1.5", "values", _RECMETRICS, "zero"),
        "recommenders": Library(
            "recommenders",
            "1.2.1",
            "run",
            _RECOMMENDERS,
            no_list="counts 0 in NDCG, else is left out",
            ties="the table's order",
            also=("microsoft-recommenders", "ms-recommenders"),
        ),
        "recpack": Library("recpack", "0.3.6", "values", _RECPACK),
        "rectools": Library("RecTools", "0.19.0", "run", _RECTOOLS),
        "replay": Library(
            "RePlay",
            "0.22.0",
            "run",
            _REPLAY,
            "zero",
            ties="the higher id first",
            also=("replay-rec",),
        ),
        "rexmex": Library("rexmex", "216e051", "values", _REXMEX),
        "scikit-learn": Library(
            "scikit-learn",
            "1.9.1",
            "run",
            _SKLEARN,
            "zero",
            no_list="has always one",
            ties="the mean over all orders (NDCG), worst rank (LRAP)",
            also=("sklearn",),
        ),
        "tensorflow-ranking": Library(
            "TensorFlow Ranking",
            "0.5.5",
            "read",
            _TF_RANKING,
            "zero",
            no_list="has always one",
            ties="at random",
            also=("tf-ranking", "tfr"),
        ),
        "torchmetrics": Library(
            "torchmetrics",
            "1.9.0",
            "run",
            _TORCHMETRICS,
            "zero",
            no_list="is left out",
            ties="the mean over all orders (NDCG), else unstable",
        ),
    }
)
"""The libraries by name."""


def comparisons() -> list[dict[str, str]]:
    """Return what `make peers` compared, a row per measure of a library that was run.

    Returns
    -------
    list of dict
        With the library, its version and its measure, the measure of ours, how many values were
        compared, and a bound of the largest difference.

    Examples
    --------
    >>> from recsys_metrics.measures import comparisons
    >>> row = next(r for r in comparisons() if r["library"] == "rectools")
    >>> row["measure"], row["ours"], row["difference"]
    ('f1beta', 'f_beta', '1e-12')
    """
    text = files("recsys_metrics").joinpath("data/peers.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
