"""What other libraries compute under each name, said in our conventions.

Every entry was checked: by running the library on random cases (``"run"``), against values that
a run of it gave on a small example (``"values"``), or by reading its code (``"read"``).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from recsys_metrics.measures import frameworks, toolkits
from recsys_metrics.measures.reading import Library

LIBRARIES: Mapping[str, Library] = MappingProxyType(
    {
        "cornac": Library(
            "Cornac", "3.0.1", "run", frameworks.CORNAC, no_list="has always one", ties="worst rank"
        ),
        "elliot": Library("Elliot", "fc27efe", "values", frameworks.ELLIOT, no_list="is left out"),
        "evidently": Library(
            "Evidently",
            "0.7.23",
            "run",
            toolkits.EVIDENTLY,
            no_list="is left out",
            ties="the mean of their ranks, rounded down",
        ),
        "implicit": Library(
            "implicit",
            "0.7.3",
            "run",
            frameworks.IMPLICIT,
            no_list="has always one",
            ties="the model's order",
        ),
        "ir-measures": Library(
            "ir-measures",
            "0.4.3",
            "run",
            toolkits.IR_MEASURES,
            "zero",
            ties="the higher id first; the lower in RR",
            also=("ir_measures", "irmeasures"),
        ),
        "jurity": Library(
            "jurity", "2.1.0", "values", frameworks.JURITY, no_list="is left out of MAP, P"
        ),
        "lenskit": Library(
            "LensKit",
            "2025.8.1",
            "run",
            frameworks.LENSKIT,
            no_list="is NaN in P and AP, else 0",
            also=("lkpy",),
        ),
        "pytrec-eval": Library(
            "pytrec_eval",
            "0.5.11",
            "run",
            toolkits.PYTREC_EVAL,
            "zero",
            no_list="is left out, unless its list is given and empty",
            ties="the higher id first",
            also=("trec_eval", "trec-eval", "pytrec_eval-terrier", "trec"),
        ),
        "ranx": Library(
            "ranx", "0.3.21", "run", toolkits.RANX, "zero", no_list="is an error", ties="unstable"
        ),
        "recbole": Library(
            "RecBole", "1.2.1", "run", frameworks.RECBOLE, no_list="has always one", ties="unstable"
        ),
        "recmetrics": Library("recmetrics", "0.1.5", "run", frameworks.RECMETRICS, "zero"),
        "recommenders": Library(
            "recommenders",
            "1.2.1",
            "run",
            frameworks.RECOMMENDERS,
            no_list="counts 0 in NDCG, else is left out",
            ties="the table's order",
            also=("microsoft-recommenders", "ms-recommenders"),
        ),
        "recpack": Library("recpack", "0.3.6", "run", frameworks.RECPACK),
        "rectools": Library("RecTools", "0.19.0", "run", frameworks.RECTOOLS),
        "replay": Library(
            "RePlay",
            "0.22.0",
            "run",
            frameworks.REPLAY,
            "zero",
            ties="the higher id first",
            also=("replay-rec",),
        ),
        "rexmex": Library("rexmex", "0.1.3", "run", frameworks.REXMEX),
        "scikit-learn": Library(
            "scikit-learn",
            "1.9.1",
            "run",
            toolkits.SCIKIT_LEARN,
            "zero",
            no_list="has always one",
            ties="the mean over all orders (NDCG), worst rank (LRAP)",
            also=("sklearn",),
        ),
        "tensorflow-ranking": Library(
            "TensorFlow Ranking",
            "0.5.5",
            "read",
            toolkits.TENSORFLOW_RANKING,
            "zero",
            no_list="has always one",
            ties="at random",
            also=("tf-ranking", "tfr"),
        ),
        "torchmetrics": Library(
            "torchmetrics",
            "1.9.0",
            "run",
            toolkits.TORCHMETRICS,
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
    >>> row = next(r for r in comparisons() if r["measure"] == "f1beta")
    >>> row["library"], row["ours"], row["difference"]
    ('rectools', 'f_beta', '1e-12')
    """
    text = files("recsys_metrics").joinpath("data/peers.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
