"""Evaluate recommender systems with every convention in the open.

The ranking metrics, `judge`, `measure` and `evaluate` import from here; the other
subjects are used by their module's name: `rm.rating.mae`, `rm.protocol.temporal_split`.

Stable: names and meanings stay from now on, and the changelog announces any change. What a seed
draws, and what no module lists, may change.

>>> from recsys_metrics import judge, precision, ndcg
>>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
>>> precision(judged, k=5)
0.6
>>> round(ndcg(judged, k=5), 3)
0.593
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from recsys_metrics import ranking as ranking
from recsys_metrics.ranking import *  # noqa: F403
from recsys_metrics.ranking import __all__ as _ranking_names

__version__ = "0.1.0"

# Imported when first asked for: `import recsys_metrics` stays as quick as importing numpy.
_MODULES = (
    "baselines",
    "beyond_accuracy",
    "bias",
    "calibration",
    "convert",
    "datasets",
    "evaluation",
    "frames",
    "interactions",
    "measures",
    "peers",
    "protocol",
    "rating",
)
_NAMES = {
    "Evaluation": "evaluation",
    "Measure": "measures",
    "Report": "evaluation",
    "compare_goals": "evaluation",
    "compare_many": "evaluation",
    "evaluate": "_evaluate",
    "evaluate_predictions": "evaluation",
    "gate": "evaluation",
    "like": "peers",
    "measure": "measures",
    "preflight": "evaluation",
    "scorecard": "evaluation",
    "sensitivity": "evaluation",
    "set_threads": "_core.threads",
}

__all__ = ["ranking", *_MODULES, *_NAMES, *_ranking_names]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _NAMES:
        return getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    here = import_module(__name__)  # Python looks in it for the name that was meant
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=here)


def __dir__() -> list[str]:
    return __all__
