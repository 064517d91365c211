"""Recomputed entries on what lists are like besides being right."""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal

import numpy as np

import recsys_metrics as rm
from recsys_metrics import judge
from recsys_metrics.beyond_accuracy import (
    average_popularity,
    catalog_coverage,
    exposure_novelty,
    genre_calibration,
    gini,
    intra_list_diversity,
    lorenz_curve,
    personalization,
    recommendation_counts,
    score_entropy,
    self_information,
    serendipity,
    unexpectedness,
)

Values = dict[str, Any]


def coverage(distinct: int, catalog: int) -> Values:
    """Return the share of a catalogue that lists with so many distinct items reach."""
    lists = [[item, (item + 1) % distinct] for item in range(distinct)]
    return {"coverage": catalog_coverage(lists, catalog)}


def diversity(cosines: list[float]) -> Values:
    """Return the diversity of three items from the similarity of each pair."""
    alike = dict(zip(itertools.combinations("ABC", 2), cosines, strict=True))
    return {
        "distances": [intra_list_diversity(list(pair), similarity=alike) for pair in alike],
        "diversity": intra_list_diversity(["A", "B", "C"], similarity=alike),
    }


def highest_diversity(ks: list[int]) -> Values:
    """Return the diversity of k vectors that stand as far apart as k vectors can."""
    highest = [intra_list_diversity(list(range(k)), features=np.eye(k) - 1 / k) for k in ks]
    return {
        "maximum": highest,
        "closed_form": [k / (k - 1) for k in ks],
        "maximum_of_3": highest[ks.index(3)],
    }


def cosine_of_met_together(both: int, first: int, second: int) -> Values:
    """Return the co-occurrence cosine, and what its formula gives without parentheses."""
    met = {"i": set(range(first)), "j": set(range(first - both, first - both + second))}
    intended = 1 - intra_list_diversity(["i", "j"], features=met, metric="co-occurrence")
    typed = both / math.sqrt(first) * math.sqrt(second)
    return {"intended": intended, "as_typed": typed, "typed_is_a_cosine": typed <= 1}


def bits(shares: list[float]) -> Values:
    """Return the novelty of items that these shares of the users have met."""
    users = 100
    counts = {f"item {n}": round(share * users) for n, share in enumerate(shares)}
    return {"bits": [self_information([item], counts, users) for item in counts]}


def most_bits(users: int) -> Values:
    """Return the novelty of the least known item that training can hold."""
    return {"most_bits": self_information(["x"], {"x": 1}, users)}


def novelty_by_exposure(recommended: int, users: int, met: int) -> Values:
    """Return novelty as one less the share of new users an item is shown to."""
    counts = {"x": recommended}
    value = exposure_novelty([["x"]], {"x": met}, users, recommendation_counts=counts)[0]
    return {"novelty": float(value), "within_0_and_1": bool(0 <= value <= 1)}


def novelty_of_two(blockbuster: dict[str, int], niche: dict[str, int], users: int) -> Values:
    """Return novelty by exposure and by rarity of a blockbuster and of a niche item."""
    met = {"blockbuster": blockbuster["met"], "niche": niche["met"]}
    shown = {"blockbuster": blockbuster["recommended"], "niche": niche["recommended"]}
    by_exposure = exposure_novelty(
        [["blockbuster"], ["niche"]], met, users, recommendation_counts=shown
    )
    by_rarity = self_information([["blockbuster"], ["niche"]], met, users)
    return {
        "blockbuster": float(by_exposure[0]),
        "niche": float(by_exposure[1]),
        "niche_is_more_novel": bool(by_exposure[1] > by_exposure[0]),
        "bits_blockbuster": float(by_rarity[0]),
        "bits_niche": float(by_rarity[1]),
    }


def surprising_hits(
    recommended: list[str], relevant: list[str], baseline: list[str], k: int
) -> Values:
    """Return serendipity against a baseline, and the precision it is part of."""
    value = serendipity(recommended, relevant, baseline, k=k)
    judged = judge(recommended, relevant)
    return {
        "serendipity": value,
        "precision": rm.precision(judged, k),
        "over_hits": value / rm.precision(judged, k),
    }


def concentration(counts: list[int]) -> Values:
    """Return the Gini index in every form the documents give it."""
    gaps = int(np.abs(np.subtract.outer(counts, counts)).sum())
    n, mean = len(counts), float(np.mean(counts))
    curve = lorenz_curve(counts)
    plain, normalized = gini(counts), gini(counts, normalized=True)
    # The reference page's sum with the items in descending order changes its sign.
    descending = np.sort(counts)[::-1]
    weights = 2 * np.arange(1, n + 1) - n - 1
    return {
        "sum_of_gaps": gaps,
        "denominator": 2 * n * n * mean,
        "mean": mean,
        "gini": plain,
        "lorenz_b": curve.area,
        "lorenz_a": 0.5 - curve.area,
        "gini_from_lorenz": curve.gini,
        "gini_normalized": normalized,
        "maximum": gini([1, *[0] * (n - 1)]),
        "by_the_page": 1 - normalized,
        "by_the_page_descending": float(1 - (weights @ descending) / sum(counts) / (n - 1)),
    }


def personal(lists: list[list[str]]) -> Values:
    """Return personalization, and the share of items that only one list holds."""
    catalog = sorted({item for items in lists for item in items})
    counts = dict(zip(catalog, recommendation_counts(lists, catalog), strict=True))
    alone = float(np.mean([[counts[item] == 1 for item in items] for items in lists]))
    value = personalization(lists)
    return {
        "personalization": value,
        "share_of_unique_items": alone,
        "is_share_of_unique": bool(np.isclose(value, alone)),
    }


def _readings(
    history: list[list[float]], recommended: list[list[float]], relevant: list[int]
) -> dict[str, float]:
    met = [f"met {n}" for n in range(len(history))]
    shown = [f"shown {n}" for n in range(len(recommended))]
    features = dict(zip([*met, *shown], [*history, *recommended], strict=True))
    wanted = {item for item, flag in zip(shown, relevant, strict=True) if flag}

    def reading(
        name: Literal["distance", "relevant-only", "times-relevance"], among: Any = None
    ) -> float:
        return float(unexpectedness(shown, met, features, relevant=among, reading=name))

    return {
        "over_the_relevant": reading("relevant-only", wanted),
        "times_relevance_over_k": reading("times-relevance", wanted),
        "printed_formula": reading("distance"),
    }


def readings_of_serendipity(
    history: list[list[float]], recommended: list[list[float]], relevant: list[int]
) -> Values:
    """Return the three readings of one page's serendipity."""
    values = _readings(history, recommended, relevant)
    return {
        **values,
        "readings_agree": bool(np.allclose(list(values.values()), values["printed_formula"])),
    }


def formula_and_relevance(
    history: list[list[float]],
    recommended: list[list[float]],
    relevant_a: list[int],
    relevant_b: list[int],
) -> Values:
    """Return formula and text with two different sets of relevant items."""
    a, b = (_readings(history, recommended, relevant) for relevant in (relevant_a, relevant_b))
    return {
        "formula_a": a["printed_formula"],
        "formula_b": b["printed_formula"],
        "text_a": a["over_the_relevant"],
        "text_b": b["over_the_relevant"],
        "formula_sees_relevance": not np.isclose(a["printed_formula"], b["printed_formula"]),
    }


def entropy_and_divergence(scores: list[float]) -> Values:
    """Return the entropy of scores after softmax, and their divergence from equal shares."""
    shares = np.exp(scores) / np.exp(scores).sum()
    entropy = float(score_entropy(scores, base=math.e))
    equal = np.full(len(scores), 1 / len(scores))
    divergence = float(genre_calibration(shares, equal, alpha=0, base=math.e))
    return {
        "softmax": shares.tolist(),
        "entropy": entropy,
        "divergence_from_equal": divergence,
        "entropy_of_equal": float(score_entropy([0.0] * len(scores), base=math.e)),
        "entropy_is_divergence": bool(np.isclose(entropy, divergence)),
    }


def popularity(counts: dict[str, int], lists: list[list[str]]) -> Values:
    """Return the average popularity of each list, and over users."""
    each = average_popularity(lists, counts)
    return {"per_user": each.tolist(), "mean": float(each.mean())}


WAYS = {
    coverage: "ch10-coverage ref-coverage-ends",
    diversity: "ch10-diversity",
    highest_diversity: "ref-diversity-range",
    cosine_of_met_together: "notes-cosine",
    bits: "ch10-novelty ref-novelty-zero",
    most_bits: "ref-novelty-bound",
    novelty_by_exposure: "notes-novelty-range",
    novelty_of_two: "notes-novelty-meaning",
    surprising_hits: "ch10-serendipity ch14-e8b",
    concentration: (
        "ch10-gini ch10-gini-lorenz ch10-gini-one-item ch10-gini-even ch14-e8a "
        "ch14-e8a-reference ref-gini-equal ref-gini-single ref-gini-ch-example x-gini"
    ),
    personal: "ref-personalization-ends ref-personalization-same ref-personalization-unique",
    readings_of_serendipity: "ref-serendipity-readings",
    formula_and_relevance: "ref-serendipity-relevance",
    entropy_and_divergence: "ref-entropy",
    popularity: "ref-arp",
}
