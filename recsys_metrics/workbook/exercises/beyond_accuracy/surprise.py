"""Relevant and unexpected: against a baseline, and against what the user knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics import precision
from recsys_metrics.beyond_accuracy import serendipity
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step, cache_latest
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.ranking import running_list

# Against a baseline ---------------------------------------------------------------------------


@cache_latest
def _serendipity(inputs: Inputs) -> float:
    return float(
        serendipity(inputs["recommended"], inputs["relevant"], inputs["popular"], k=inputs["k"])
    )


def _precision(inputs: Inputs) -> float:
    return float(precision(running_list.judged(inputs), inputs["k"]))


def _both(inputs: Inputs) -> dict[str, float]:
    return {"serendipity": _serendipity(inputs), "lost": _precision(inputs) - _serendipity(inputs)}


def _instead(value: Any) -> Any:
    """Return answers of someone who takes this for serendipity."""

    def wrong(inputs: Inputs) -> dict[str, float]:
        found = value(inputs)
        return {"serendipity": found, "lost": _precision(inputs) - found}

    return wrong


def _by_hits(inputs: Inputs) -> float:
    return _serendipity(inputs) * int(inputs["k"]) / len(running_list.hit_ranks(inputs))


def _by_relevant(inputs: Inputs) -> float:
    return _serendipity(inputs) * int(inputs["k"]) / len(inputs["relevant"])


def _not_popular(inputs: Inputs) -> float:
    return sum(item not in inputs["popular"] for item in inputs["recommended"]) / int(inputs["k"])


def _popular_hits(inputs: Inputs) -> float:
    return _precision(inputs) - _serendipity(inputs)


def _all_wanted(inputs: Inputs) -> float:
    return len(inputs["relevant"] - set(inputs["popular"])) / len(inputs["relevant"])


def _draw_baseline(rng: np.random.Generator) -> Inputs:
    """Return another list, with a baseline that holds hits and perhaps more of the list."""
    inputs = running_list.draw(rng, longest=10)
    k, recommended = inputs["k"], inputs["recommended"]
    hits = [item for item in recommended if item in inputs["relevant"]]
    others = [item for item in recommended if item not in inputs["relevant"]]
    obvious = [str(item) for item in rng.permutation(hits)[: int(rng.integers(1, len(hits)))]]
    shared = [*obvious, *others[: int(rng.integers(0, 2))]]
    strangers = [str(item) for item in rng.permutation(list("PQRSTUVWXYZ"))]
    popular = [*shared, *strangers][:k]
    return {**inputs, "popular": [str(item) for item in rng.permutation(popular)]}


serendipity_of_list = Numbers(
    attribute="serendipity_of_list",
    id="beyond_accuracy.e8b",
    title="What popularity would not have found",
    prompt="""
The list holds {recommended}, best first. The user would have liked {relevant}.
A popularity baseline shows {popular}.

Compute serendipity@{k}: of the {k} ranks, the share that is wanted and not on the baseline's list.
How far is it below Precision@{k}?
""",
    asks={"serendipity": "Serendipity@{k}", "lost": "Precision@{k} less that"},
    inputs={**running_list.STATED, "popular": ["P", "C", "Q", "R", "S"]},
    solve=_both,
    draw=_draw_baseline,
    follows={},
    picture=running_list.picture,
    misconceptions=(
        Misconception(
            id="hits-divisor",
            name="hits divisor",
            wrong_answer=_instead(_by_hits),
            cause="The surprising hits were divided by all hits, not by the ranks.",
            hint="What does precision divide by? Serendipity divides by the same.",
        ),
        Misconception(
            id="relevant-denominator",
            name="recall denominator",
            wrong_answer=_instead(_by_relevant),
            cause="The surprising hits were divided by all that the user would have liked.",
            hint="What does precision divide by? Serendipity divides by the same.",
        ),
        Misconception(
            id="not-relevant",
            name="surprise alone",
            wrong_answer=_instead(_not_popular),
            cause="Everything that the baseline does not show was counted, wanted or not.",
            hint="Which of these did the user want?",
        ),
        Misconception(
            id="obvious-hits",
            name="obvious hits",
            wrong_answer=_instead(_popular_hits),
            cause="The hits were counted that the baseline shows as well: the obvious ones.",
            hint="Which hits would the user not have met anyway?",
            ambiguous_with=("exchanged-answers",),
        ),
        Misconception(
            id="plain-precision",
            name="plain precision",
            wrong_answer=_instead(_precision),
            cause="All hits were counted. Those on the baseline's list surprise nobody.",
            hint="Which hit does the baseline show, too?",
        ),
        Misconception(
            id="not-recommended",
            name="wanted for recommended",
            wrong_answer=_instead(_all_wanted),
            cause="That is the share of all wanted items which the baseline misses, recommended "
            "or not.",
            hint="Which of them are on the list, and over how many ranks?",
        ),
    ),
    hints=(
        "Start from the hits: the items of the list that the user wanted.",
        "Strike out the hits that the baseline shows as well.",
        "Divide what is left by {k}. Precision divides all hits by the same {k}.",
    ),
    steps=(
        Step("The hits.", "hits = [item for item in recommended[:k] if item in relevant]\nhits"),
        Step(
            "Those the baseline does not show.",
            "surprising = [item for item in hits if item not in popular[:k]]\nsurprising",
        ),
        Step(
            "Over the ranks; and what precision has more.",
            "serendipity = len(surprising) / k\n"
            "lost = len(hits) / k - serendipity\nround(serendipity, 3), round(lost, 3)",
        ),
    ),
    insight="Serendipity is precision without the obvious hits. It can never be the higher one.",
    minutes=4,
    points=2,
)


# Against the history --------------------------------------------------------------------------


def _readings(inputs: Inputs) -> dict[str, float]:
    far, wanted = inputs["distances"], inputs["wanted"]
    hits = [distance for distance, liked in zip(far, wanted, strict=True) if liked]
    return {
        "all_items": sum(far) / len(far),
        "relevant_only": sum(hits) / len(hits),
        "times_relevance": sum(hits) / len(far),
    }


def _swapped(inputs: Inputs) -> dict[str, float]:
    right = _readings(inputs)
    return {
        "relevant_only": right["times_relevance"],
        "times_relevance": right["relevant_only"],
    }


def _sum_for_mean(inputs: Inputs) -> dict[str, float]:
    right, n = _readings(inputs), len(inputs["distances"])
    return {
        "all_items": right["all_items"] * n,
        "relevant_only": right["relevant_only"] * sum(inputs["wanted"]),
        "times_relevance": right["times_relevance"] * n,
    }


def _similarities(inputs: Inputs) -> dict[str, float]:
    far = [1 - distance for distance in inputs["distances"]]
    return _readings({**inputs, "distances": far})


def _not_wanted(inputs: Inputs) -> dict[str, float]:
    right = _readings({**inputs, "wanted": [1 - liked for liked in inputs["wanted"]]})
    return {name: right[name] for name in ("relevant_only", "times_relevance")}


def _draw_distances(rng: np.random.Generator) -> Inputs:
    n = int(rng.integers(4, 6))
    wanted = [1] * int(rng.integers(2, n)) + [0] * n
    return {
        "distances": [int(value) / 20 for value in rng.integers(1, 20, n)],
        "wanted": [int(liked) for liked in rng.permutation(wanted[:n])],
    }


three_surprises = Numbers(
    id="beyond_accuracy.three_surprises",
    title="One list, three surprises",
    prompt="""
How far are the films of a list from what the user knows? In the order of the list: {distances}.
Did the user want them (1) or not (0)? {wanted}.

A page defines serendipity three times: the mean distance of all films of the list; that of the
wanted films only; and distance times relevance, averaged over the list. Compute the three.
""",
    asks={
        "all_items": "all films",
        "relevant_only": "wanted films only",
        "times_relevance": "distance times relevance",
    },
    inputs={"distances": [0.2, 0.9, 0.4, 0.6], "wanted": [1, 1, 0, 0]},
    solve=_readings,
    draw=_draw_distances,
    misconceptions=(
        Misconception(
            id="swapped-readings",
            name="borrowed reading",
            wrong_answer=_swapped,
            cause="The last two have changed places: one divides by the wanted films, the other "
            "by the whole list.",
            hint="A film that is not wanted adds 0 to the product. Is it still counted?",
        ),
        Misconception(
            id="sums",
            name="sum for mean",
            wrong_answer=_sum_for_mean,
            cause="The distances were added up and not divided.",
            hint="How many films does each of the three means run over?",
        ),
        Misconception(
            id="similarity",
            name="similarity for distance",
            wrong_answer=_similarities,
            cause="The distances were turned into similarities first. They are distances already.",
            hint="Should a film far from the history count more or less?",
        ),
        Misconception(
            id="not-wanted",
            name="surprise without relevance",
            wrong_answer=_not_wanted,
            cause="The films that were not wanted were counted as the wanted ones.",
            hint="Which mark stands for a film the user wanted?",
        ),
    ),
    hints=(
        "All three are means of the same distances. They differ in which films count.",
        "For the second, strike out the films that were not wanted, and count what is left.",
        "For the third, a film that was not wanted adds 0 and is still counted.",
    ),
    steps=(
        Step(
            "All films, and the wanted ones.",
            "all_items = sum(distances) / len(distances)\n"
            "hits = [far for far, liked in zip(distances, wanted) if liked]\n"
            "relevant_only = sum(hits) / len(hits)\n"
            "round(all_items, 3), round(relevant_only, 3)",
        ),
        Step(
            "Distance times relevance: a film that was not wanted adds 0.",
            "products = [far * liked for far, liked in zip(distances, wanted)]\n"
            "times_relevance = sum(products) / len(products)\nround(times_relevance, 3)",
        ),
    ),
    insight="The third is the second times precision: it also falls when hits are few.",
    minutes=4,
    points=2,
)


_STORIES = {
    "blockbuster": "A thriller that everybody knows is shown to somebody who has only watched "
    "comedies, and is liked. The popularity baseline shows it, too.",
    "niche": "A comedy that hardly anybody knows is shown to somebody who has only watched "
    "comedies, and is liked. The popularity baseline does not show it.",
    "find": "A thriller that hardly anybody knows is shown to somebody who has only watched "
    "comedies, and is liked. The popularity baseline does not show it.",
    "hit": "A comedy that everybody knows is shown to somebody who has only watched comedies, and "
    "is liked. The popularity baseline shows it, too.",
}
_CREDIT = {"blockbuster": "history", "niche": "baseline", "find": "both", "hit": "neither"}


def _right_reading(inputs: Inputs) -> str:
    return _CREDIT[inputs["case"]]


def _other_reading(inputs: Inputs) -> str | None:
    return {"blockbuster": "baseline", "niche": "history"}.get(inputs["case"])


def _unless_right(key: str) -> Any:
    """Return a mistake that picks this wherever it is wrong."""
    return lambda inputs: None if _right_reading(inputs) == key else key


def _alone(key: str) -> Any:
    """Return a mistake that picks one kind where both give credit, or none does."""
    return lambda inputs: key if _right_reading(inputs) in {"both", "neither"} else None


def _draw_story(rng: np.random.Generator) -> Inputs:
    case = str(rng.choice(list(_STORIES)))
    return {"case": case, "story": _STORIES[case]}


who_is_surprised = Choice(
    id="beyond_accuracy.who_is_surprised",
    title="Surprised by what",
    prompt="{story}\n\nWhich kind of serendipity gives this film credit?",
    options={
        "baseline": "The one with a baseline: wanted, and not among the popular items.",
        "history": "The one with the history: wanted, and unlike what the user has watched.",
        "both": "Both of them.",
        "neither": "Neither of them.",
    },
    solve=_right_reading,
    inputs={"case": "blockbuster", "story": _STORIES["blockbuster"]},
    draw=_draw_story,
    reasons={
        "history": "It is unlike the comedies, however many people know it.",
        "baseline": "The popular items would not have brought it, however like the others it is.",
        "both": "Hardly anybody knows it, and it is unlike the comedies.",
        "neither": "Everybody is shown it, and it is one comedy more.",
    },
    misconceptions=(
        Misconception(
            id="borrowed-reading",
            name="borrowed reading",
            wrong_answer=_other_reading,
            cause="The two kinds have changed places: one asks how well known the film is, the "
            "other how unlike the user's own films.",
            hint="Is the film surprising because few know it, or because it is unlike the rest?",
        ),
        Misconception(
            id="relevance-alone",
            name="plain precision",
            wrong_answer=_unless_right("both"),
            cause="That it was liked is half of it. Each kind also asks for a surprise, and not "
            "for the same one.",
            hint="Who would have expected this film: the crowd, or the user's own history?",
        ),
        Misconception(
            id="no-credit",
            name="no surprise at all",
            wrong_answer=_unless_right("neither"),
            cause="The film was liked, and in one sense at least it was not to be expected.",
            hint="Take the crowd first, then the history: which of them did not announce it?",
        ),
        Misconception(
            id="history-alone",
            name="the history alone",
            wrong_answer=_alone("history"),
            cause=lambda inputs: (
                "A comedy is like the user's own films: the history announces it."
                if inputs["case"] == "hit"
                else "That the film is unlike the user's own is one surprise. The crowd did not "
                "announce it either."
            ),
            hint="Is the film on the popular list? And is it like the comedies?",
        ),
        Misconception(
            id="crowd-alone",
            name="the crowd alone",
            wrong_answer=_alone("baseline"),
            cause=lambda inputs: (
                "Everybody knows the film, and the popular items hold it: the crowd announces it."
                if inputs["case"] == "hit"
                else "That the crowd does not know the film is one surprise. It is also unlike the "
                "user's own."
            ),
            hint="Is the film on the popular list? And is it like the comedies?",
        ),
    ),
    hints=(
        "Both kinds ask whether the film was wanted. It was.",
        "One kind looks at what everybody is shown, the other at what this user has watched.",
        "Ask twice: is it on the popular list? Is it like the comedies?",
    ),
    steps=(
        Step(
            "The kind with a baseline asks whether the popular items hold the film. The kind with "
            "the history asks how unlike the user's own films it is. Popularity does not enter "
            "the second, and genre does not enter the first."
        ),
    ),
    insight="Say whose expectation was exceeded: that of the crowd, or that of the user.",
    minutes=2,
)
