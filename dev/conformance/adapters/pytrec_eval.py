"""trec_eval, through pytrec_eval."""

from __future__ import annotations

from importlib.metadata import version

import pytrec_eval

LIBRARY, VERSION = "pytrec-eval", version("pytrec_eval-terrier")


def asked(name):
    """Return a callable for a measure of the library."""

    def ask(lists, grades, k):
        run = {
            user: {item: float(-rank) for rank, item in enumerate(row)}
            for user, row in lists.items()
        }
        evaluator = pytrec_eval.RelevanceEvaluator(grades, {f"{name}.{k}"})
        return {user: row[f"{name}_{k}"] for user, row in evaluator.evaluate(run).items()}

    return ask


MEASURES = {
    name: asked(name) for name in ("map_cut", "ndcg_cut", "P", "recall", "relative_P", "success")
}
