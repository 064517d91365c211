"""What libraries of information retrieval, machine learning and monitoring compute."""

from __future__ import annotations

from recsys_metrics.measures.reading import (
    A_COUNT,
    A_CURVE,
    FROM_SCORES,
    OF_A_ROW,
    Reading,
    hits,
    rating_errors,
)

_AUC = Reading(note=FROM_SCORES, call="recsys_metrics.roc_auc(labels, scores)")
_LOG_LOSS = Reading(
    note="it is computed from probabilities, not from a list",
    call="recsys_metrics.calibration.log_loss(labels, probabilities)",
)

PYTREC_EVAL = {
    "map": Reading("average_precision", cut=False),
    "map_cut": Reading("average_precision"),
    "ndcg": Reading("ndcg", cut=False),
    "ndcg_cut": Reading("ndcg"),
    "p": Reading("precision"),
    "relative_p": Reading("precision(divisor=achievable)"),
    "recall": Reading("recall"),
    "success": Reading("hit_rate"),
    "recip_rank": Reading("reciprocal_rank", cut=False),
    "rprec": Reading("r_precision", cut=False),
    "bpref": Reading("bpref", cut=False),
    "set_p": Reading("precision", cut=False),
    "set_relative_p": Reading("precision(divisor=achievable)", cut=False),
    "set_recall": Reading("recall", cut=False),
    "set_f": Reading("f_beta", cut=False),
    "set_map": Reading(
        note="it is precision times recall of the whole list",
        call="recsys_metrics.precision(judged) * recsys_metrics.recall(judged)",
    ),
    "gm_map": Reading(
        note="it is the logarithm of map, at least 0.00001, for a geometric mean over users",
        call="numpy.log(numpy.maximum(recsys_metrics.average_precision(judged), 1e-5))",
    ),
    "gm_bpref": Reading(
        note="it is the logarithm of bpref, at least 0.00001, for a geometric mean over users",
        call="numpy.log(numpy.maximum(recsys_metrics.bpref(judged), 1e-5))",
    ),
    "11pt_avg": Reading(
        fault="2 of 3 relevant items count as a recall of 0.7, for 0.7 times 3 and 0.9 add up to "
        "less than 3 in its arithmetic; and it is not a number for an empty list",
        proof="tests/peers/test_pytrec_eval.py::test_two_of_three_are_seven_tenths",
    ),
    "iprec_at_recall": Reading(
        note="it is a curve of eleven interpolated precisions",
        call="recsys_metrics.interpolated_precision(judged, recall=0.5)",
    ),
    "rprec_mult": Reading(note="it is precision at eleven multiples of R"),
    "rndcg": Reading(note="it is ndcg with the ideal of the judged items that were returned"),
    "ndcg_rel": Reading(note="it is a mean of ndcg over the ranks of the relevant items"),
    "g": Reading(note="it weighs gains by a logarithm of their order"),
    "bing": Reading(note="it weighs hits by a logarithm of their order"),
    "infap": Reading(note="it estimates average precision where only a sample was judged"),
    "utility": Reading(note="it is a weighted sum of counts"),
    "relstring": Reading(note="it is a text, the grades down the list"),
    "runid": Reading(note="it is the name of the run"),
    "num_q": Reading(note=A_COUNT, call="len(judged)"),
    "num_ret": Reading(note=A_COUNT, call="judged.n_returned"),
    "num_rel": Reading(note=A_COUNT, call="judged.n_relevant"),
    "num_rel_ret": Reading(note=A_COUNT, call="recsys_metrics.recall(judged) * judged.n_relevant"),
    "num_nonrel_judged_ret": Reading(note=A_COUNT),
}

RANX = {
    **hits(),
    "hits": Reading(note=A_COUNT, call="k * recsys_metrics.precision(judged, k)"),
    "f1": Reading("f_beta"),
    "map": Reading("average_precision"),
    "mrr": Reading("reciprocal_rank"),
    "ndcg": Reading("ndcg"),
    "ndcg_burges": Reading("ndcg(gain=exponential)"),
    "dcg": Reading("dcg"),
    "dcg_burges": Reading("dcg(gain=exponential)"),
    "r-precision": Reading("r_precision", cut=False),
    "interpolated_precision_at_recall": Reading(
        note=A_CURVE, call="recsys_metrics.interpolated_precision(judged, recall=0.5)"
    ),
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

SCIKIT_LEARN = {
    "dcg": Reading("dcg", note=OF_A_ROW),
    "ndcg": Reading("ndcg(ideal=listed)", note=OF_A_ROW),
    "average_precision": Reading("average_precision(divisor=hits)", cut=False, note=OF_A_ROW),
    "label_ranking_average_precision": Reading(
        "average_precision(divisor=hits, no_relevant=one)", cut=False, note=OF_A_ROW
    ),
    "top_k_accuracy": Reading("hit_rate", note="Of one relevant class a row."),
    "coverage_error": Reading(
        note=FROM_SCORES, call="recsys_metrics.coverage_error(labels, scores)"
    ),
    "label_ranking_loss": Reading(
        note=FROM_SCORES, call="recsys_metrics.ranking_loss(labels, scores)"
    ),
    "roc_auc": _AUC,
    "auc": Reading(note="it is the area under any curve"),
    "roc_curve": Reading(note=A_CURVE),
    "det_curve": Reading(note=A_CURVE),
    "precision_recall_curve": Reading(note=A_CURVE),
    **rating_errors(
        mean_absolute_error="mae",
        mean_squared_error="mse",
        root_mean_squared_error="rmse",
        r2="r2",
        explained_variance="explained_variance",
        median_absolute_error="median_absolute_error",
    ),
    "log_loss": _LOG_LOSS,
    "brier_score_loss": Reading(
        note="it is computed from probabilities, not from a list",
        call="recsys_metrics.calibration.brier_score(labels, probabilities)",
    ),
}

_OF_SUBTOPICS = "it asks which subtopics of the query an item covers"
_SUBTOPICS = Reading(note=_OF_SUBTOPICS)
_CONTINUES = Reading(note="it models a searcher who stops after an expected number of items")


def _subtopics(function: str) -> Reading:
    return Reading(
        note=_OF_SUBTOPICS,
        call=f"recsys_metrics.beyond_accuracy.{function}(recommended, relevant, features, k=k)",
    )


IR_MEASURES = {
    "ap": Reading("average_precision"),
    "ndcg": Reading("ndcg"),
    "ndcg(dcg=exp-log2)": Reading("ndcg(gain=exponential)"),
    "p": Reading("precision"),
    "r": Reading("recall"),
    "rr": Reading("reciprocal_rank", note="Of equal scores the lower id comes first."),
    "rprec": Reading("r_precision", cut=False),
    "bpref": Reading("bpref", cut=False),
    "success": Reading("hit_rate"),
    "setp": Reading("precision", cut=False),
    "setp(relative=true)": Reading("precision(divisor=achievable)", cut=False),
    "setr": Reading("recall", cut=False),
    "setf": Reading("f_beta", cut=False),
    "err": Reading("expected_reciprocal_rank(max_grade=4)", note="Of grades from 0 to 4."),
    "rbp(p=0.8)": Reading("rank_biased_precision", note="Any p is written as here."),
    "setap": Reading(
        note="it is precision times recall of the whole list",
        call="recsys_metrics.precision(judged) * recsys_metrics.recall(judged)",
    ),
    "setrelp": Reading(note="its present name is setp(relative=true)"),
    "accuracy": Reading(
        note="it is the share of pairs in the right order, inside the list",
        call="recsys_metrics.concordant_pairs(grades, -ranks)",
    ),
    "judged": Reading(note="it is the share of the first k that anyone judged"),
    "numq": Reading(note=A_COUNT, call="len(judged)"),
    "numret": Reading(note=A_COUNT, call="judged.n_returned"),
    "numrel": Reading(note=A_COUNT, call="judged.n_relevant"),
    "numrelret": Reading(
        note="its present name is numret(rel=1)",
        call="recsys_metrics.recall(judged) * judged.n_relevant",
    ),
    "iprec": Reading(
        note="it is one point of a curve",
        call="recsys_metrics.interpolated_precision(judged, recall=0.5)",
    ),
    "infap": Reading(note="it estimates average precision where only a sample was judged"),
    "compat": Reading(
        note="it is the overlap with the best of all ideal rankings",
        call="recsys_metrics.rank_biased_overlap(one, other, p=0.95)",
    ),
    "sdcg": Reading(note="it is a dcg scaled by the largest that any grades could give"),
    **dict.fromkeys(("bpm", "insq", "inst"), _CONTINUES),
    **dict.fromkeys(("nerr8", "nerr9", "nerr10", "nerr11"), _CONTINUES),
    **dict.fromkeys(("alpha_dcg", "nrbp", "nnrbp"), _SUBTOPICS),
    "alpha_ndcg": _subtopics("alpha_ndcg"),
    "ap_ia": _subtopics("intent_aware_average_precision"),
    "p_ia": _subtopics("intent_aware_precision"),
    "err_ia": _subtopics("intent_aware_reciprocal_rank"),
    "nerr_ia": _subtopics("intent_aware_reciprocal_rank"),
    "strecall": _subtopics("subtopic_recall"),
}

_JUDGE_THE_ROW = f"{OF_A_ROW} Judge the row: Judged.from_gains(grades)."

TORCHMETRICS = {
    "hit_rate": Reading("hit_rate", note=OF_A_ROW),
    "precision": Reading("precision", note=OF_A_ROW),
    "precision(adaptive_k=true)": Reading("precision(divisor=served)", note=OF_A_ROW),
    "recall": Reading("recall(divisor=listed)", note=OF_A_ROW),
    "r_precision": Reading("r_precision", cut=False, note=_JUDGE_THE_ROW),
    "average_precision": Reading("average_precision(divisor=hits)", note=OF_A_ROW),
    "reciprocal_rank": Reading("reciprocal_rank", note=OF_A_ROW),
    "normalized_dcg": Reading("ndcg(ideal=listed)", note=OF_A_ROW),
    "auroc": Reading(
        note="it is computed from the scores of the first k, 0 where they are all alike",
        call="recsys_metrics.roc_auc(labels, scores)",
    ),
    "fall_out": Reading(
        note="it is the recall of the items that are not relevant",
        call="recsys_metrics.fall_out(judged, k, n_items=n_items)",
    ),
    "precision_recall_curve": Reading(note=A_CURVE),
    "recall_at_fixed_precision": Reading(note="it is a point of the precision-recall curve"),
}

EVIDENTLY = {
    **hits(recall="recall(divisor=listed)", precision="precision(divisor=served)"),
    "fbeta": Reading(
        note="it is the F of the mean precision and the mean recall, not the mean of each user's; "
        "of one user with a hit both are equal",
        call="recsys_metrics.f_beta(judged, k, precision_divisor='served', "
        "recall_divisor='listed')",
    ),
    "mrr": Reading("reciprocal_rank", note=OF_A_ROW),
    "ndcg": Reading("ndcg(ideal=listed)", note=OF_A_ROW),
    "map": Reading(
        fault="it depends on the order of the rows of the table, and can exceed 1; on rows sorted "
        "by rank it is average_precision(divisor=listed)",
        proof="tests/peers/test_evidently.py::test_average_precision_depends_on_the_order_of_rows",
    ),
    "novelty": Reading("self_information(unseen=drop)"),
    "personalization": Reading("personalization", note="Of lists of k items."),
    "popularitybias(metric=arp)": Reading(
        "average_popularity", note="Items that training has not seen are left out of its mean."
    ),
    "popularitybias(metric=coverage)": Reading(
        "catalog_coverage",
        note="The catalogue is what training has seen; other items are left out.",
    ),
    "popularitybias(metric=gini)": Reading(
        note="it knows the recommended items only, and no other",
        call="recsys_metrics.beyond_accuracy.gini(counts[counts > 0], normalized=True)",
    ),
    "diversity": Reading(
        fault="it divides the sum over pairs by the items, not by the pairs, and exceeds 1",
        proof="tests/peers/test_evidently.py::test_diversity_exceeds_1",
    ),
    "serendipity": Reading(
        fault="it adds up over the hits what it averages over the history, and falls below 0",
        proof="tests/peers/test_evidently.py::test_serendipity_falls_below_0",
    ),
    "itembias": Reading(
        note="it is a distribution",
        call="recsys_metrics.beyond_accuracy.category_shares(recommended, training, categories)",
    ),
    "userbias": Reading(
        note="it is a distribution",
        call="recsys_metrics.beyond_accuracy.category_shares(recommended, training, categories)",
    ),
    "scoredistribution": Reading(
        note=FROM_SCORES,
        call="recsys_metrics.beyond_accuracy.score_entropy(scores, base=2)",
    ),
    "reccasestable": Reading(note="it is a table of examples"),
}

TENSORFLOW_RANKING = {
    "precision": Reading("precision(divisor=served)", note=OF_A_ROW),
    "recall": Reading("recall(divisor=listed)", note=OF_A_ROW),
    "hits": Reading("hit_rate", note=OF_A_ROW),
    "mrr": Reading("reciprocal_rank", note=OF_A_ROW),
    "map": Reading("average_precision(divisor=listed)", note=OF_A_ROW),
    "ndcg": Reading("ndcg(gain=exponential, ideal=listed)", note=OF_A_ROW),
    "dcg": Reading("dcg(gain=exponential)", note=OF_A_ROW),
    "ordered_pair_accuracy": Reading(
        note=FROM_SCORES, call="recsys_metrics.concordant_pairs(labels, scores)"
    ),
    "arp": Reading(note="it is the mean rank of the relevant items"),
    "precision_ia": _subtopics("intent_aware_precision"),
    "alpha_dcg": _SUBTOPICS,
}
