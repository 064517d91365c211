"""What frameworks for recommender systems, and the libraries for judging them, compute."""

from __future__ import annotations

from recsys_metrics.measures.reading import (
    A_COUNT,
    FROM_SCORES,
    OF_AN_ITEM,
    Reading,
    hits,
    rating_errors,
)

_BEYOND = "recsys_metrics.beyond_accuracy"
_AUC = Reading(note=FROM_SCORES, call="recsys_metrics.roc_auc(labels, scores)")
_GROUP_AUC = Reading(
    note=f"{FROM_SCORES}; a user weighs as much as there are positives",
    call="recsys_metrics.group_auc(labels, scores, users, weights='positives')",
)
_LOG_LOSS = Reading(
    note="it is computed from probabilities, not from a list",
    call="recsys_metrics.calibration.log_loss(labels, probabilities)",
)
_ITEM_COUNT = Reading(
    note="it is a count of items, not a share",
    call=f"({_BEYOND}.times_recommended(recommended, catalog) > 0).sum()",
)
_SIMILARITY = Reading(
    note="it is a similarity, one less the diversity",
    call=f"1 - {_BEYOND}.intra_list_diversity(recommended, features=features)",
)

RECTOOLS = {
    **hits(),
    "precision(r_precision=true)": Reading("precision(divisor=achievable)"),
    "f1beta": Reading("f_beta"),
    "map": Reading("average_precision"),
    "map(divide_by_k=true)": Reading("average_precision(divisor=k)"),
    "mrr": Reading("reciprocal_rank"),
    "ndcg": Reading("ndcg(gain=binary, ideal=full)"),
    "ndcg(divide_by_achievable=true)": Reading("ndcg(gain=binary)"),
    "catalogcoverage": _ITEM_COUNT,
    "catalogcoverage(normalize=true)": Reading("catalog_coverage"),
    "meaninvuserfreq": Reading("self_information(unseen=one)"),
    "avgrecpopularity": Reading("average_popularity"),
    "avgrecpopularity(normalize=true)": Reading(
        note="it divides popularity by all interactions",
        call=f"{_BEYOND}.average_popularity(recommended, counts / counts.sum())",
    ),
    "intralistdiversity": Reading(
        "intra_list_diversity(single=zero)",
        note="With a distance of 1 - cosine; its own counts the features that differ.",
    ),
    "coveredusers": Reading(
        note="it is a share of the users who were asked about",
        call=f"{_BEYOND}.user_coverage(recommended, users)",
    ),
    "accuracy": Reading(note="it counts the items that are neither listed nor relevant, too"),
    "mcc": Reading(note="it counts the items that are neither listed nor relevant, too"),
    "partialauc": Reading(
        note="it compares all hits with the first k misses, however far down they are"
    ),
    "pap": Reading(note="it compares the first hits with the first k misses"),
    "serendipity": Reading(
        note="it weighs hits by how far they stand above their rank by popularity"
    ),
    "intersection": Reading(
        note="it compares with the lists of another model",
        call="recsys_metrics.recall(judge(recommended, lists_of_the_other), k)",
    ),
    "sufficientreco": Reading(note="it counts lists that are too short"),
    "unrepeatedreco": Reading(note="it counts items that a list holds twice, which judge refuses"),
}

LENSKIT = {
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
    "listgini": Reading("gini"),
    "exposuregini": Reading(
        "exposure_gini(attention=geometric, patience=0.85)", note="Computed in 32 bits."
    ),
    "meanpoprank": Reading(
        note="it replaces popularity by its quantile among the items that were met",
        call=f"{_BEYOND}.average_popularity(recommended, quantiles)",
    ),
    "rank_biased_overlap": Reading(
        note="it compares two lists",
        call="recsys_metrics.rank_biased_overlap(one, other, 10, p=0.85, rest='normalize')",
    ),
    "least_item_promoted": Reading(note="it compares a list with the list before a re-ranking"),
    "entropy": Reading(
        note="it adds a millionth to each category's count",
        call=f"{_BEYOND}.shannon_entropy(counts_of_categories)",
    ),
    "rank_biased_entropy": Reading(
        note="it adds a millionth to each category's weight",
        call=f"{_BEYOND}.rank_biased_entropy(recommended, features)",
    ),
    "listlength": Reading(note=A_COUNT, call="judged.n_returned"),
    "testitemcount": Reading(note=A_COUNT, call="judged.n_relevant"),
    **rating_errors(rmse="rmse", mae="mae"),
}

RECOMMENDERS = {
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
    "catalog_coverage": Reading(
        "catalog_coverage",
        cut=False,
        note="The catalogue is what training has seen; with other items in the lists it exceeds 1.",
    ),
    "distributional_coverage": Reading("shannon_entropy", cut=False),
    "diversity": Reading(
        "intra_list_diversity",
        cut=False,
        note="The features are the users who met each item, unless others are given.",
    ),
    "user_diversity": Reading(
        "intra_list_diversity",
        cut=False,
        note="The features are the users who met each item, unless others are given.",
    ),
    "serendipity": Reading(
        "unexpectedness(reading=times-relevance)",
        cut=False,
        note="The features are the users who met each item, unless others are given.",
    ),
    "user_serendipity": Reading(
        "unexpectedness(reading=times-relevance)",
        cut=False,
        note="The features are the users who met each item, unless others are given.",
    ),
    "user_item_serendipity": Reading(note=OF_AN_ITEM),
    "historical_item_novelty": Reading(note=OF_AN_ITEM),
    "novelty": Reading(
        note="it divides by the events of training, not by its users",
        call=f"{_BEYOND}.expected_free_discovery(recommended, item_counts, n_events, "
        "discount='none')",
    ),
    "auc": _AUC,
    "logloss": _LOG_LOSS,
    **rating_errors(rmse="rmse", mae="mae", rsquared="r2", exp_var="explained_variance"),
}

RECBOLE = {
    "hit": Reading("hit_rate"),
    "precision": Reading("precision"),
    "recall": Reading("recall"),
    "mrr": Reading("reciprocal_rank"),
    "map": Reading("average_precision(divisor=achievable)"),
    "ndcg": Reading("ndcg(gain=binary)"),
    "itemcoverage": Reading("catalog_coverage", note="Its catalogue holds a padding item, too."),
    "averagepopularity": Reading("average_popularity"),
    "giniindex": Reading("gini", note="Its catalogue holds a padding item, too."),
    "shannonentropy": Reading(
        note="it divides the entropy in nats by the number of items recommended",
        call=f"{_BEYOND}.shannon_entropy(counts, base=math.e) / (counts > 0).sum()",
    ),
    "tailpercentage": Reading(
        note="of items equally popular some are in its tail and some are not, by their ids",
        call=f"{_BEYOND}.long_tail_share(recommended, item_counts, head=0.9)",
    ),
    "auc": _AUC,
    "gauc": _GROUP_AUC,
    "logloss": _LOG_LOSS,
    **rating_errors(mae="mae", rmse="rmse"),
}

ELLIOT = {
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
    "itemcoverage": _ITEM_COUNT,
    "usercoverage": Reading(
        note="it is a count of users, not a share",
        call=f"{_BEYOND}.user_coverage(recommended, n_users) * n_users",
    ),
    "numretrieved": Reading(note=A_COUNT, call="judged.n_returned"),
    "gini": Reading(
        note="it is one less the normalised index, so that 1 is equality",
        call=f"1 - {_BEYOND}.gini(counts, normalized=True)",
    ),
    "epc": Reading(
        note="it looks at hits only, by their rank",
        call=f"{_BEYOND}.expected_popularity_complement(recommended, item_counts, n_users, "
        "relevant=relevant)",
    ),
    "efd": Reading(
        note="it looks at hits only, by their rank",
        call=f"{_BEYOND}.expected_free_discovery(recommended, item_counts, n_events, "
        "relevant=relevant)",
    ),
    "auc": _AUC,
    **rating_errors(mae="mae", mse="mse", rmse="rmse"),
}

CORNAC = {
    "hitratio": Reading("hit_rate"),
    "precision": Reading("precision"),
    "recall": Reading("recall"),
    "fmeasure": Reading("f_beta"),
    "mrr": Reading("reciprocal_rank", cut=False, note="Without a hit it is an error."),
    "map": Reading("average_precision", cut=False, note="Give whole rankings: it has no cut-off."),
    "ncrr": Reading(
        "reciprocal_hit_rate(reduce=ideal)", note="Of rankings of k items or more, as it makes."
    ),
    "ndcg": Reading("ndcg(gain=binary)"),
    "auc": Reading(
        note=f"{FROM_SCORES}; tied pairs count as lost",
        call="recsys_metrics.concordant_pairs(labels, scores, users=users, pooling='users')",
    ),
    **rating_errors(mae="mae", mse="mse", rmse="rmse"),
}

REPLAY = {
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
    "coverage": Reading(
        "catalog_coverage",
        note="The catalogue is what training has seen; other items are left out.",
    ),
    "surprisal": Reading(
        note="it is self-information in units of the rarest item, over k whatever was served",
        call=f"{_BEYOND}.self_information(recommended, item_counts, n_users, base=n_users, "
        "unseen='one')",
    ),
    "novelty": Reading(
        note="it is the share of the list that the user has not met in training",
        call="1 - recsys_metrics.precision(judge(recommended, history), k, divisor='served', "
        "no_relevant='zero')",
    ),
    "unexpectedness": Reading(
        note="it is the share of the list that a baseline's first k do not hold",
        call="1 - recsys_metrics.precision(judge(recommended, baseline), k)",
    ),
    "categoricaldiversity": Reading(note="it is the number of categories in the list, over k"),
}

RECPACK = {
    "precisionk": Reading("precision"),
    "recallk": Reading("recall"),
    "calibratedrecallk": Reading("recall(divisor=achievable)"),
    "reciprocalrankk": Reading("reciprocal_rank"),
    "dcgk": Reading("dcg"),
    "ndcgk": Reading("ndcg(gain=binary)", note="Of relevance that is 0 or 1."),
    "hitk": Reading(
        note="it is a count of hits, not whether there is one",
        call="k * recsys_metrics.precision(judged, k)",
    ),
    "discountedgaink": Reading(note=OF_AN_ITEM),
    "coveragek": Reading("catalog_coverage"),
    "intralistdiversityk": Reading(
        "intra_list_diversity(metric=jaccard, single=zero)", note="An empty list is 0, not NaN."
    ),
    "percentileranking": Reading(
        note="it is computed from ranks, not from lists",
        call="recsys_metrics.mean_percentile_rank(ranks, n_candidates)",
    ),
    "ipshitratek": Reading(
        note="it weighs hits by propensities",
        call="recsys_metrics.bias.off_policy.unbiased_recall(recommended, relevant, propensities)",
    ),
}

REXMEX = {
    "hits": Reading("precision(divisor=served)", note="NaN for an empty list."),
    "average_precision": Reading("average_precision(divisor=achievable)"),
    "mean_average_precision": Reading("average_precision(divisor=achievable)"),
    "average_recall": Reading("average_precision", note="Named recall, it is precision."),
    "mean_average_recall": Reading("average_precision", note="Named recall, it is precision."),
    "mean_reciprocal_rank": Reading(
        "reciprocal_hit_rate(reduce=mean)",
        cut=False,
        note="A relevant item that is not listed is an error.",
    ),
    "reciprocal_rank": Reading(note=OF_AN_ITEM),
    "rank": Reading(note=OF_AN_ITEM),
    "mean_rank": Reading(note="it is a mean of ranks"),
    "gmean_rank": Reading(note="it is a geometric mean of ranks"),
    "personalization": Reading("personalization", cut=False, note="Of lists of one length."),
    "novelty": Reading("self_information"),
    "intra_list_similarity": _SIMILARITY,
    "discounted_cumulative_gain": Reading("dcg", cut=False, note="scikit-learn's, of a row."),
    "normalized_discounted_cumulative_gain": Reading(
        "ndcg(ideal=listed)", cut=False, note="scikit-learn's, of a row."
    ),
    "user_coverage": Reading(
        note="it is rounded to 3 decimals", call=f"{_BEYOND}.user_coverage(recommended, users)"
    ),
    "item_coverage": Reading(
        note="it is rounded to 3 decimals",
        call=f"{_BEYOND}.catalog_coverage(recommended, catalog)",
    ),
    "spearmans_rho": Reading(note="it compares two rankings, as scipy.stats.spearmanr does"),
    "kendall_tau": Reading(note="it compares two rankings, as scipy.stats.kendalltau does"),
    "normalized_distance_based_performance_measure": Reading(note="it compares two rankings"),
}

RECMETRICS = {
    "recommender_recall": Reading("recall", cut=False, note="Rounded to 4 decimals."),
    "recommender_precision": Reading("precision", cut=False, note="Rounded to 4 decimals."),
    "mark": Reading("average_precision", note="Named recall, it is precision."),
    "personalization": Reading("personalization", cut=False, note="Of lists of one length."),
    "novelty": Reading("self_information", cut=False, note="Of lists of one length."),
    "prediction_coverage": Reading(
        note="it is a percentage, rounded to 2 decimals",
        call=f"{_BEYOND}.catalog_coverage(recommended, catalog)",
    ),
    "catalog_coverage": Reading(
        fault="it draws lists at random without a seed, so that two calls differ",
        proof="tests/peers/test_recmetrics.py::test_catalog_coverage_is_drawn_by_chance",
    ),
    "intra_list_similarity": _SIMILARITY,
    "make_confusion_matrix": Reading(note="it is a picture"),
    **rating_errors(mse="mse", rmse="rmse"),
}

JURITY = {
    "precision": Reading("precision(divisor=served)"),
    "recall": Reading("recall"),
    "map": Reading("average_precision(divisor=achievable)"),
    "ndcg": Reading("ndcg(gain=binary, ideal=uncut)"),
    "interlistdiversity": Reading(
        note="it is a mean distance of lists, over a sample of the users",
        call=f"{_BEYOND}.personalization(recommended)",
    ),
    "intralistdiversity": Reading(
        note="it is a mean over a sample of the users",
        call=f"{_BEYOND}.intra_list_diversity(recommended, features=features)",
    ),
    "auc": _AUC,
    "ctr": Reading(
        note="it is computed from a log of clicks",
        call="recsys_metrics.protocol.online.click_through_rate(clicks, impressions)",
    ),
}

IMPLICIT = {
    "precision": Reading(
        "precision(divisor=achievable)",
        note="Pooled: weigh each user by min(k, relevant items) in the mean.",
    ),
    "map": Reading("average_precision(divisor=achievable)"),
    "ndcg": Reading("ndcg(gain=binary)"),
    "auc": Reading(
        note="it needs all candidates, of which those that are not listed count as tied",
        call="recsys_metrics.limited_auc(labels, scores, k)",
    ),
}
