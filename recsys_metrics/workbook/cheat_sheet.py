"""The cheat sheet: every metric in one row, its value made by the call that the row shows."""

from __future__ import annotations

import html
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from recsys_metrics.workbook.tables import Table, say


class Row(NamedTuple):
    """A metric in words, and the call that gives its value."""

    name: str
    question: str
    words: str
    range: str
    open: str
    call: str


SHEETS: Mapping[str, tuple[Row, ...]] = MappingProxyType(
    {
        "rating": (
            Row("MAE", "how far off?", "mean of |error|", "0 up", "per user", "mae(said, guess)"),
            Row("MSE", "the same, squared?", "mean of error²", "0 up", "–", "mse(said, guess)"),
            Row("RMSE", "do large errors hurt?", "√MSE", "MAE up", "–", "rmse(said, guess)"),
            Row(
                "median error",
                "within what is half?",
                "median of |error|",
                "0 up",
                "–",
                "median_absolute_error(said, guess)",
            ),
            Row(
                "error ratio",
                "how uneven are errors?",
                "RMSE / MAE",
                "1 to √n",
                "–",
                "error_ratio(said, guess)",
            ),
            Row(
                "R²",
                "better than the mean?",
                "1 − MSE / variance",
                "up to 1",
                "–",
                "r2(said, guess)",
            ),
            Row(
                "explained variance",
                "better, bias forgiven?",
                "1 − variance of errors / variance",
                "up to 1",
                "–",
                "explained_variance(said, guess)",
            ),
            Row(
                "MAPE",
                "by which share off?",
                "mean of |error| / |rating|",
                "0 up",
                "no zeros",
                "mape(said, guess)",
            ),
            Row(
                "sMAPE",
                "the same, of both?",
                "mean of |error| / mean of both",
                "0 to 2",
                "–",
                "smape(said, guess)",
            ),
        ),
        "ranking": (
            Row(
                "hit rate", "anything found?", "1 if a hit", "0 to 1", "K", "hit_rate(judged, k=5)"
            ),
            Row(
                "precision",
                "slots well used?",
                "hits / K",
                "0 to 1",
                "divisor",
                "precision(judged, k=5)",
            ),
            Row(
                "recall",
                "anything missed?",
                "hits / relevant",
                "0 to min(1, K/R)",
                "divisor",
                "recall(judged, k=5)",
            ),
            Row("F1", "both good?", "2PR / (P + R)", "0 to 1", "beta", "f_beta(judged, k=5)"),
            Row(
                "R-precision",
                "as long as the truth?",
                "hits in R ranks / R",
                "0 to 1",
                "–",
                "r_precision(judged, k=5)",
            ),
            Row(
                "RR (mean: MRR)",
                "how soon the first?",
                "1 / first hit rank",
                "0 to 1",
                "K",
                "reciprocal_rank(judged, k=5)",
            ),
            Row(
                "RHR (mean: ARHR)",
                "how high are hits?",
                "sum of 1 / hit rank",
                "0 up",
                "sum, mean",
                "reciprocal_hit_rate(judged, k=5)",
            ),
            Row(
                "AP (mean: MAP)",
                "all hits high?",
                "sum of P at hits / R",
                "0 to 1",
                "divisor",
                "average_precision(judged, k=5)",
            ),
            Row(
                "AR (mean: MAR)",
                "how many hits?",
                "mean of recall at hits",
                "0 to (R+1)/2R",
                "divisor",
                "average_recall(judged, k=5)",
            ),
            Row(
                "DCG",
                "gain, high up?",
                "sum of gain / log₂(i+1)",
                "0 up",
                "gain, discount",
                "dcg(judged, k=5)",
            ),
            Row(
                "NDCG",
                "near the best order?",
                "DCG / ideal DCG",
                "0 to 1",
                "gain, ideal",
                "ndcg(judged, k=5)",
            ),
            Row(
                "RBP",
                "what does a reader find?",
                "(1−p) Σ pⁱ⁻¹ hit",
                "0 to 1",
                "p",
                "rank_biased_precision(judged, k=5)",
            ),
            Row(
                "ERR",
                "where do they stop?",
                "expected 1 / stop rank",
                "0 to 1",
                "top grade",
                "expected_reciprocal_rank(judged, k=5, max_grade=1)",
            ),
            Row(
                "bpref",
                "bad above good?",
                "1 − bad above / possible",
                "0 to 1",
                "what was judged",
                "bpref(judged, k=5)",
            ),
            Row(
                "AUC",
                "good scores higher?",
                "pairs in order / pairs",
                "0 to 1",
                "ties: half",
                "roc_auc(labels, scores)",
            ),
            Row(
                "group AUC",
                "the same, per user?",
                "mean of users' AUC",
                "0 to 1",
                "weights",
                "group_auc(labels, scores, users)",
            ),
            Row(
                "limited AUC",
                "the same, of what is shown?",
                "AUC, the rest tied",
                "0 to 1",
                "K",
                "limited_auc(labels, scores, 2)",
            ),
            Row(
                "expected over ties",
                "and if scores tie?",
                "mean over orders of ties",
                "the metric's",
                "the metric",
                'expected_over_ties("ndcg", labels, scores, k=2)',
            ),
            Row(
                "MPR",
                "how far down are they?",
                "mean of (rank−1) / (items−1)",
                "0 to 1, low",
                "weights",
                "mean_percentile_rank([1, 3], 5)",
            ),
            Row(
                "RBO",
                "do two lists agree?",
                "overlap by depth, discounted",
                "0 to 1",
                "p, the rest",
                'rank_biased_overlap(list("ABC"), list("BAD"))',
            ),
            Row(
                "FCP",
                "likes in order?",
                "pairs in order / pairs",
                "0 to 1",
                "ties",
                "concordant_pairs(stars, scores)",
            ),
            Row(
                "11-point precision",
                "how precise at each recall?",
                "mean of best P at recall or more",
                "0 to 1",
                "recall",
                "interpolated_precision(judged)",
            ),
            Row(
                "fall-out",
                "how many false alarms?",
                "wrong served / all unwanted",
                "0 to 1, low",
                "items",
                "fall_out(judged, n_items=14)",
            ),
            Row(
                "LRAP",
                "good above each good?",
                "mean of good above / above",
                "0 to 1",
                "no positives",
                "label_ranking_average_precision(labels, scores)",
            ),
            Row(
                "coverage error",
                "how far to see all?",
                "rank of the last relevant",
                "R to items",
                "ties: worst",
                "coverage_error(labels, scores)",
            ),
            Row(
                "ranking loss",
                "pairs the wrong way?",
                "pairs not in order / pairs",
                "0 to 1, low",
                "ties: lost",
                "ranking_loss(labels, scores)",
            ),
        ),
        "beyond_accuracy": (
            Row(
                "coverage",
                "is the catalogue used?",
                "items shown / items",
                "0 to 1",
                "which catalogue",
                "catalog_coverage(lists, 10)",
            ),
            Row(
                "user coverage",
                "who gets a list?",
                "users with a list / users",
                "0 to 1",
                "how long a list",
                "user_coverage(lists, 3)",
            ),
            Row(
                "diversity",
                "is the list varied?",
                "mean of 1 − similarity",
                "0 to K/(K−1)",
                "similarity",
                "intra_list_diversity(served, features=kinds)",
            ),
            Row(
                "novelty",
                "little known?",
                "mean of −log₂ share",
                "0 to log₂ users",
                "unseen items",
                "self_information(served, counts, 100)",
            ),
            Row(
                "exposure novelty",
                "shown to few of the new?",
                "1 − shown / not met",
                "below 1",
                "who was shown",
                "exposure_novelty(served, counts, 100, shown=shown)",
            ),
            Row(
                "popularity complement",
                "met by few?",
                "mean of 1 − share",
                "0 to 1",
                "–",
                "popularity_complement(served, counts, 100)",
            ),
            Row(
                "EPC",
                "met by few, and met first?",
                "complement, discounted",
                "0 to 1",
                "discount, liked",
                "expected_popularity_complement(served, counts, 100)",
            ),
            Row(
                "EFD",
                "surprising, and met first?",
                "bits, discounted",
                "0 up",
                "discount, liked",
                "expected_free_discovery(served, counts, 100)",
            ),
            Row(
                "ARP",
                "how popular?",
                "mean of counts",
                "0 up",
                "–",
                "average_popularity(served, counts)",
            ),
            Row(
                "popularity lift",
                "pushed to the head?",
                "recommended / met before, less 1",
                "−1 up",
                "users or pooled",
                "popularity_lift(served, history, counts)",
            ),
            Row(
                "long-tail share",
                "is the tail shown?",
                "tail items / K",
                "0 to 1",
                "where the head ends",
                "long_tail_share(served, counts)",
            ),
            Row(
                "serendipity",
                "surprising hits?",
                "hits not obvious / K",
                "0 to P",
                "baseline",
                "serendipity(served, wanted, popular, k=5)",
            ),
            Row(
                "unexpectedness",
                "far from the known?",
                "mean distance to history",
                "0 to 2",
                "reading",
                "unexpectedness(served, ['G'], kinds)",
            ),
            Row(
                "personalization",
                "do lists differ?",
                "1 − mean overlap",
                "0 to 1",
                "–",
                "personalization(lists)",
            ),
            Row(
                "Gini index",
                "shown unequally?",
                "mean gap / 2 means",
                "0 to (n−1)/n",
                "normalized",
                "gini([8, 2, 0, 0, 0])",
            ),
            Row(
                "entropy",
                "spread, in bits?",
                "−Σ share log₂ share",
                "0 to log₂ n",
                "base",
                "shannon_entropy([8, 2, 0, 0, 0])",
            ),
            Row(
                "score entropy",
                "how undecided?",
                "entropy of softmax",
                "0 to log K",
                "base",
                "score_entropy([2, 1, 0], base=2)",
            ),
            Row(
                "genre calibration",
                "the user's mix?",
                "KL of two mixes",
                "0 up",
                "alpha, base",
                "genre_calibration([0.7, 0.3], [0.9, 0.1])",
            ),
            Row(
                "α-NDCG",
                "relevant, and varied?",
                "DCG, repeats of a kind fade",
                "0 to 1",
                "alpha",
                "alpha_ndcg(served, wanted, kinds)",
            ),
            Row(
                "ERR-IA",
                "soon, for every taste?",
                "ERR of each kind, averaged",
                "0 to 1",
                "alpha, scale",
                "intent_aware_reciprocal_rank(served, wanted, kinds)",
            ),
            Row(
                "P-IA",
                "ranks used, for all tastes?",
                "P of each kind, averaged",
                "0 to 1",
                "K",
                "intent_aware_precision(served, wanted, kinds)",
            ),
            Row(
                "AP-IA",
                "hits high, for all tastes?",
                "AP of each kind, averaged",
                "0 to 1",
                "K",
                "intent_aware_average_precision(served, wanted, kinds)",
            ),
            Row(
                "subtopic recall",
                "every taste served?",
                "kinds served / kinds wanted",
                "0 to 1",
                "K",
                "subtopic_recall(served, wanted, kinds)",
            ),
            Row(
                "rank-biased entropy",
                "varied where one looks?",
                "entropy of kinds, discounted",
                "0 to log₂ kinds",
                "patience",
                "rank_biased_entropy(served, kinds)",
            ),
        ),
        "protocol": (
            Row(
                "t interval, half",
                "how sure is the mean?",
                "t* s / √n",
                "0 up",
                "seeds or users",
                "t_interval(gains).half_width",
            ),
            Row(
                "paired t-test, p",
                "could it be chance?",
                "mean gain / its error",
                "0 to 1",
                "sides",
                "paired_t_test(a, b).p_value",
            ),
            Row(
                "bootstrap, low end",
                "other users?",
                "2.5 % of resamples",
                "–",
                "method, seed",
                "bootstrap_interval(hits).low",
            ),
            Row(
                "sampled hit rate",
                "how much too high?",
                "P(few sampled above)",
                "full to 1",
                "sample size",
                "expected_sampled_metric(500, 10_000, 100, 'hit_rate', k=10)",
            ),
            Row(
                "click-through rate",
                "do they click?",
                "clicks / impressions",
                "0 to 1",
                "–",
                "click_through_rate(50, 1000)",
            ),
            Row(
                "clicks per user",
                "how often?",
                "clicks / users",
                "0 up",
                "–",
                "clicks_per_user(50, 100)",
            ),
            Row(
                "conversion rate",
                "do they act?",
                "actions / clicks",
                "0 to 1",
                "clicks or users",
                "conversion_rate(5, clicks=50)",
            ),
            Row(
                "bounce rate",
                "do they leave at once?",
                "one-page sessions / all",
                "0 to 1",
                "sessions or users",
                "bounce_rate([1, 4, 3, 2])",
            ),
            Row(
                "window hit rate",
                "did the window serve?",
                "users who clicked / shown",
                "0 to 1",
                "which window",
                "window_hit_rate(30, 100)",
            ),
            Row(
                "dwell time",
                "how long with it?",
                "end − start",
                "0 up",
                "mean or median",
                "dwell_time(10, 25)",
            ),
            Row(
                "trimmed mean",
                "without extremes?",
                "mean of the middle",
                "–",
                "how much",
                "trimmed_mean(stays, trim=0.2)",
            ),
            Row(
                "superiority",
                "longer in which group?",
                "P(b above a), ties half",
                "0 to 1",
                "not a mean",
                "mann_whitney(stays, others).superiority",
            ),
        ),
        "calibration": (
            Row(
                "log loss",
                "how surprised?",
                "mean of −log p(label)",
                "0 up",
                "clip",
                "log_loss(clicked, called)",
            ),
            Row(
                "Brier score",
                "how far off?",
                "mean of (p − label)²",
                "0 to 1",
                "–",
                "brier_score(clicked, called)",
            ),
            Row(
                "ECE",
                "promise and fact apart?",
                "mean gap of bins, by size",
                "0 to 1",
                "bins, norm",
                "expected_calibration_error(clicked, called)",
            ),
            Row(
                "ACE",
                "the same, bins alike?",
                "mean gap of bins",
                "0 to 1",
                "bins",
                "average_calibration_error(clicked, called)",
            ),
            Row(
                "calibration ratio",
                "too much promised?",
                "Σ p / Σ labels",
                "0 up, 1 is best",
                "–",
                "calibration_ratio(clicked, called)",
            ),
            Row(
                "NE",
                "better than the base rate?",
                "log loss / base rate's",
                "0 up",
                "–",
                "normalized_entropy(clicked, called)",
            ),
        ),
        "bias": (
            Row(
                "IPS",
                "another policy's worth?",
                "Σ weight × reward / n",
                "–",
                "clipping",
                "ips(reward, shown, policy).value",
            ),
            Row(
                "SNIPS",
                "the same, steadier?",
                "Σ weight × reward / Σ weight",
                "–",
                "–",
                "snips(reward, shown, policy).value",
            ),
            Row(
                "effective sample",
                "rounds it is worth?",
                "(Σ w)² / Σ w²",
                "1 to n",
                "–",
                "effective_sample_size(importance_weights(shown, policy))",
            ),
            Row(
                "parity gap",
                "selected alike?",
                "highest − lowest rate",
                "0 to 1",
                "rate or share",
                "demographic_parity(picked, group).gap",
            ),
            Row(
                "opportunity gap",
                "found alike?",
                "highest − lowest recall",
                "0 to 1",
                "–",
                "equal_opportunity(liked, picked, group).gap",
            ),
            Row(
                "exposure ratio",
                "seen alike?",
                "lowest / highest rate",
                "0 to 1",
                "attention",
                "exposure_by_group(lists, side).ratio",
            ),
            Row(
                "AWRF",
                "attention as it should be?",
                "1 − distance of shares",
                "0 to 1",
                "target, attention",
                "attention_weighted_rank_fairness(lists, side)[0]",
            ),
            Row(
                "NDKL",
                "first ranks as they should be?",
                "KL at every cut, discounted",
                "0 up",
                "target",
                "ndkl(lists, side)[0]",
            ),
            Row(
                "odds gap",
                "right and wrong alike?",
                "larger gap of the two rates",
                "0 to 1",
                "worst or mean",
                "equalized_odds(liked, picked, group).gap",
            ),
            Row(
                "RSP",
                "recommended alike?",
                "deviation of rates / mean",
                "0 up, low",
                "history",
                "ranking_statistical_parity(lists, side).relative_deviation",
            ),
            Row(
                "REO",
                "found alike, by items?",
                "deviation of recalls / mean",
                "0 up, low",
                "–",
                "ranking_equal_opportunity(lists, own, side).relative_deviation",
            ),
            Row(
                "amortized attention",
                "attention as deserved?",
                "Σ |attention − relevance|",
                "0 to 2, low",
                "attention",
                "amortized_attention([[0, 1]], [[1, 1]]).unfairness",
            ),
        ),
    }
)


class Sheet(Table):
    """A table of metrics that prints: two short lines a metric, the call under the formula."""

    def _repr_html_(self) -> str:
        cell = "text-align:left;vertical-align:top;padding:0.15em 0.4em;line-height:1.25"
        code = "font-size:0.9em;padding:0;background:none;overflow-wrap:anywhere"
        widths = {"Metric": 24, "In words, and the call": 40, "Range": 12, "Say": 14, "Value": 10}
        head = "".join(
            f'<th scope="col" style="{cell};width:{width}%">{text}</th>'
            for text, width in widths.items()
        )
        body = ""
        for row in self.rows:
            name, question, words, span, what, call = (html.escape(text) for text in row[:-1])
            # A long call breaks behind these, not within a word.
            call = call.replace("(", "(<wbr>").replace("_", "_<wbr>")
            body += (
                f'<tr><th scope="row" style="{cell}"><strong>{name}</strong><br>'
                f'<span style="font-weight:normal">{question}</span></th>'
                f'<td style="{cell}">{words}<br><code style="{code}">{call}</code></td>'
                f'<td style="{cell}">{span}</td><td style="{cell}">{what}</td>'
                f'<td style="{cell};text-align:right">{say(row[-1])}</td></tr>'
            )
        return (
            # On paper the code that makes the tables would take more room than they do.
            "<style>.sheet{font-size:0.85em;width:100%;table-layout:fixed}"
            "@media print{.cell_input,.cell details{display:none!important}"
            ".sheet{font-size:7pt!important}}</style>"
            '<table class="sheet">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


_MODULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "protocol": ("protocol.significance", "protocol.candidates", "protocol.online"),
        "bias": ("bias.off_policy", "bias.fairness"),
    }
)


def sheet(subject: str, **names: Any) -> Sheet:
    """Return the rows of a subject, each with the value of its call.

    Parameters
    ----------
    subject : str
        One of the six subjects; its functions are known to the calls.
    **names
        The data of the example, as the calls name them.

    Raises
    ------
    KeyError
        If there is no such subject.
    NameError
        If a call names something that was not given.

    Examples
    --------
    >>> from recsys_metrics.workbook.cheat_sheet import sheet
    >>> sheet("rating", said=[5, 2], guess=[4, 2]).rows[0]
    ('MAE', 'how far off?', 'mean of |error|', '0 up', 'per user', 'mae(said, guess)', 0.5)
    """
    known: dict[str, Any] = {}
    for module in _MODULES.get(subject, (subject,)):
        known |= vars(import_module(f"recsys_metrics.{module}"))
    # The calls are this file's own; that they are text is what keeps the value in step with
    # what is shown of how to get it.
    rows = [(*row, eval(row.call, {**known, **names})) for row in SHEETS[subject]]
    headings = ["Metric", "Question", "In words", "Range", "Say", "Call", "Value"]
    return Sheet(headings, rows)
