"""W1: all ranking metrics at 10, per user, from lists of 100 and graded relevant sets."""

from __future__ import annotations

from dev.benchmarks import ranking_by_hand, ranking_peers
from dev.benchmarks.runner import OURS, Answers, Call, Inputs, Task, Way, plain
from dev.benchmarks.workloads import first_lists, ranked_lists

K = 10


def library(inputs: Inputs) -> Call:
    """Judge the ranks that are asked about once, as all others do, then ask."""
    return _judged(inputs, K)


def whole_lists(inputs: Inputs) -> Call:
    """Judge all hundred ranks, so that any cut-off may be asked for later."""
    return _judged(inputs, None)


def _judged(inputs: Inputs, cut: int | None) -> Call:
    import recsys_metrics as rm

    triple = inputs["indptr"], inputs["relevant"], inputs["grades"]

    def run() -> Answers:
        judged = rm.judge(inputs["items"], triple, k=cut)
        return {
            "ndcg": rm.ndcg(judged, K),
            "ndcg_binary": rm.ndcg(judged, K, gain="binary"),
            "recall": rm.recall(judged, K),
            "precision": rm.precision(judged, K),
            "rr": rm.reciprocal_rank(judged, K),
            "ap": rm.average_precision(judged, K),
            "ap_achievable": rm.average_precision(judged, K, denominator="achievable"),
            "hit_rate": rm.hit_rate(judged, K),
        }

    return plain(run)


def ndcg_alone(inputs: Inputs) -> Call:
    """Judge, then ask for one measure."""
    import recsys_metrics as rm

    triple = inputs["indptr"], inputs["relevant"], inputs["grades"]
    return plain(lambda: {"ndcg": rm.ndcg(rm.judge(inputs["items"], triple, k=K), K)})


def _make(scale: float) -> Inputs:
    return ranked_lists(round(100_000 * scale)).arrays


TASKS: dict[str, Task] = {
    "ranking": Task(
        title="NDCG (two gains), recall, precision, RR, AP (two denominators) and hit rate at 10; "
        "100,000 users, 100 items each",
        make=_make,
        head=first_lists,
        ways={
            OURS: Way(library),
            "recsys-workbook, whole lists": Way(whole_lists, package="recsys-workbook"),
            "numpy by hand": Way(ranking_by_hand.with_numpy, package="numpy"),
            "DuckDB by hand": Way(ranking_by_hand.with_duckdb, package="duckdb"),
            "Polars by hand": Way(ranking_by_hand.with_polars, package="polars"),
            "pytrec_eval": Way(ranking_peers.pytrec_eval, package="pytrec-eval-terrier"),
            "ir-measures": Way(ranking_peers.ir_measures, environment="ir_measures", share=0.1),
            "ranx": Way(ranking_peers.ranx, environment="ranx", tolerance=1e-6),
            "RecTools": Way(ranking_peers.rectools, environment="rectools", share=0.2),
            "RePlay": Way(
                ranking_peers.replay, environment="replay", share=0.1, package="replay-rec"
            ),
            "recommenders": Way(ranking_peers.recommenders, environment="recommenders", share=0.1),
            "LensKit": Way(ranking_peers.lenskit, environment="lenskit", share=0.02),
            "torchmetrics": Way(
                ranking_peers.torchmetrics,
                environment="torchmetrics",
                share=0.02,
                tolerance=1e-5,
            ),
            "Evidently": Way(ranking_peers.evidently, environment="evidently", share=0.02),
        },
    ),
    "ndcg": Task(
        title="NDCG at 10 alone; 100,000 users, 100 items each",
        make=_make,
        head=first_lists,
        ways={
            OURS: Way(ndcg_alone),
            "scikit-learn": Way(
                ranking_by_hand.with_scikit_learn, share=0.0005, package="scikit-learn"
            ),
        },
    ),
}
