"""Exercises around a whole evaluation: its steps, and the decision at its end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics import judge, recall
from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.prediction import Predict

_STEPS = ("goal", "split", "tune", "fit", "rank", "interval", "decide")

which_ships = Predict(
    id="choosing.which_ships",
    title="Will it ship?",
    prompt="""
A film site shows everybody the most popular films of the last five years.
You have trained EASE, a recommender that learns from what each user has seen.
Will the evaluation at the end of this chapter say: ship it?
""",
    options={
        "ship": "Yes: it knows the user, and popularity knows nobody",
        "no_gain": "No: it will not be more accurate",
        "unsure": "No: it may well be better, but there will not be evidence enough",
    },
    beliefs={
        "ship": "Personal beats popular, most people expect. Watch the interval of the gain.",
        "no_gain": "Simple baselines are often underrated. Watch the sign of the gain.",
        "unsure": "You think of the number of users. Watch how large a gain they could show.",
    },
    # claim 125e: 07_choosing_capstone: EASE ? today (ndcg@10)
    # claim e566: 07_choosing_capstone: EASE > today (intra_list_diversity@10)
    # claim e566: 07_choosing_capstone: EASE > today (self_information(unseen=one)@10)
    # claim e566: 07_choosing_capstone: table: EASE > today (catalog_coverage@10)
    observed="""
The gain is above 0 and its interval holds 0: with so few users the evidence is missing.
What does differ is the lists: more of the catalogue, more varied, fewer of the popular films.
""",
)

evaluation_steps = Order(
    id="choosing.evaluation_steps",
    title="An evaluation from goal to decision",
    prompt="Put the steps of an offline evaluation into the order in which they keep each other "
    "honest.",
    code=False,
    lines={
        "goal": "Say what the list is for, and choose the one measure that will decide.",
        "split": "Cut the data in time: before the cut is known, after it is hidden.",
        "tune": "Choose settings for every model, the baseline too, on a part before the cut.",
        "fit": "Train the chosen models on all that lies before the cut.",
        "rank": "Rank the whole catalogue for each test user and judge the lists.",
        "interval": "Take the gain user by user, with its interval.",
        "decide": "Decide by the measure chosen, and write down everything else beside it.",
        "pick_best": "Look through all measures for one on which the new model wins.",
        "tune_on_test": "Choose settings by the values on the hidden part.",
    },
    solve=lambda _: _STEPS,
    misconceptions=(
        Misconception(
            id="trophy-metric",
            name="trophy measure",
            wrong_answer=lambda _: [
                ("split", "tune", "fit", "rank", "interval", "pick_best", "decide"),
                ("goal", "split", "tune", "fit", "rank", "interval", "pick_best", "decide"),
                ("split", "tune", "fit", "rank", "interval", "goal", "decide"),
            ],
            cause="The measure was chosen after the results were seen. Of many measures, some "
            "come out well by chance.",
            hint="Which step must be done before anyone has seen a number?",
        ),
        Misconception(
            id="tuned-on-test",
            name="tuned on the test part",
            wrong_answer=lambda _: [
                ("goal", "split", "fit", "rank", "tune_on_test", "interval", "decide"),
                ("goal", "split", "fit", "tune_on_test", "rank", "interval", "decide"),
                ("goal", "split", "tune_on_test", "fit", "rank", "interval", "decide"),
            ],
            cause="Settings were chosen by what they get on the hidden part, which then is no "
            "longer hidden.",
            hint="Which data may a setting be chosen on?",
        ),
        Misconception(
            id="leak-from-the-future",
            name="leak from the future",
            wrong_answer=lambda _: [
                ("goal", "tune", "split", "fit", "rank", "interval", "decide"),
                ("goal", "fit", "split", "tune", "rank", "interval", "decide"),
                ("goal", "tune", "fit", "split", "rank", "interval", "decide"),
            ],
            cause="Models learned, or were chosen, before the data were cut, so they have seen "
            "what is tested.",
            hint="What must be hidden before any model learns?",
        ),
        Misconception(
            id="untuned-baseline",
            name="weak opponent",
            wrong_answer=lambda _: ("goal", "split", "fit", "rank", "interval", "decide"),
            cause="Nobody chose settings, so at best the new model was cared for.",
            hint="Where does the baseline get the same care as the new model?",
        ),
    ),
    hints=(
        "Two of the lines are mistakes, and stay out.",
        "What must be decided before any number is seen comes first.",
        "Data are cut before anything learns, and settings are chosen before the last training.",
    ),
    steps=(
        Step(
            "The goal and the measure that decides come first, so that no result can choose them."
        ),
        Step(
            "Then the data are cut. All that learns or is chosen, settings included, uses the "
            "part before the cut."
        ),
        Step(
            "Only then are the hidden films looked at: lists, gains with their interval, decision."
        ),
    ),
    insight="Each step protects the next from what somebody would like to see.",
    minutes=4,
    points=2,
)

# For whom -----------------------------------------------------------------------------------------


def _recall_in(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return float(recall(judge(list(recommended), wanted & tail)))


def _found(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> int:
    return len(wanted & tail & set(recommended))


def _of_all_wanted(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return _found(recommended, wanted, tail) / len(wanted)


def _of_the_tail(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return _found(recommended, wanted, tail) / len(tail)


def _of_the_list(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return _found(recommended, wanted, tail) / len(recommended)


def _of_the_hits(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return _found(recommended, wanted, tail) / len(wanted & set(recommended))


def _of_the_hits_guarded(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return _found(recommended, wanted, tail) / max(1, len(wanted & set(recommended)))


def _of_either(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return _found(recommended, wanted, tail) / len(wanted | tail)


def _of_tail_shown(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return _found(recommended, wanted, tail) / len(tail & set(recommended))


def _of_tail_shown_guarded(recommended: Sequence[str], wanted: set[str], tail: set[str]) -> float:
    return _found(recommended, wanted, tail) / max(1, len(tail & set(recommended)))


def _page(recommended: str, wanted: str, tail: str, why: str = "") -> Case:
    """Return a list, what is wanted and what is rare, a letter a film."""
    return Case({"recommended": [*recommended], "wanted": {*wanted}, "tail": {*tail}}, why)


_PAGES = (
    _page("ABCD", "ABH", "HIJK", "no film of the tail is found"),
    _page("AHIB", "BHI", "HIJK", "all wanted films of the tail are found"),
    _page("ABHI", "CH", "HIJ", "the list shows another film of the tail"),
)


def _draw_pages(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lists with films of head and tail, and someone who wants some of the tail."""
    drawn = []
    for _ in range(5):
        head, tail = "ABCDEFG", "HIJKLM"
        films = [str(film) for film in rng.permutation([*head, *tail])]
        wanted = "".join(films[i] for i in rng.permutation(len(films))[: rng.integers(3, 7)])
        wanted += "" if set(wanted) & set(tail) else "H"
        drawn.append(_page("".join(films[: rng.integers(4, 7)]), wanted, tail))
    return (*drawn, *_PAGES)


complete_tail_recall = Function(
    id="choosing.complete_tail_recall",
    title="Recall in the tail with one line missing",
    prompt="""
Complete the line with `...`: of the films that one person wants and that belong to the tail, the
share that the list holds.

- `recommended` is the list, `wanted` the set of films that this person wants.
- `tail` is the set of all rare films. At least one of them is wanted.
""",
    function="my_tail_recall",
    solve=_recall_in,
    template="""
found = set(recommended) & wanted & tail
return len(found) / len(...)
""".strip(),
    template_answer="wanted & tail",
    cases=(
        _page("ABHCI", "BCHJ", "HIJK"),
        _page("HABCDI", "AHIJKL", "HIJKLM", "most of what is wanted is rare"),
        *_PAGES,
    ),
    draw=_draw_pages,
    misconceptions=(
        Misconception(
            id="all-wanted",
            name="all that is wanted",
            wrong_answer=_of_all_wanted,
            cause="Below the line stands all that the person wants, popular films as well. Then a "
            "perfect list for the tail does not come out at 1.",
            hint="Which of the wanted films could be found in the tail at all?",
        ),
        Misconception(
            id="whole-tail",
            name="the whole tail",
            wrong_answer=_of_the_tail,
            cause="Below the line stands the whole tail, with the films that this person does not "
            "want.",
            hint="Is it a miss if a rare film is not shown that nobody wants?",
        ),
        Misconception(
            id="slots-for-items",
            name="slots for items",
            wrong_answer=_of_the_list,
            cause="That divides by the films that are shown, as precision does.",
            hint="Does recall ask about the places of the list or about what is wanted?",
        ),
        Misconception(
            id="share-of-hits",
            name="share of the hits",
            wrong_answer=_of_the_hits,
            variants=(_of_the_hits_guarded,),
            cause="That is the part of the hits that is rare. What was missed does not count.",
            hint="What happens to this number if a wanted rare film falls out of the list?",
        ),
        Misconception(
            id="either-for-both",
            name="or for and",
            wrong_answer=_of_either,
            cause="Below the line stands what is wanted or rare. What could have been found is "
            "both.",
            hint="Is a popular film that this person wants part of the tail?",
        ),
        Misconception(
            id="rare-and-shown",
            name="precision in the tail",
            wrong_answer=_of_tail_shown,
            variants=(_of_tail_shown_guarded,),
            cause="That divides by the rare films that are shown: how many of them were right, not "
            "how much was found.",
            hint="What should a list get that shows one rare film, a wanted one, and misses five?",
        ),
    ),
    hints=(
        "Above the line stands what was found. Below it stands what could have been found.",
        "A film could have been found in the tail if the person wants it and it is rare.",
        "`a & b` of two sets holds what is in both.",
    ),
    steps=(
        Step("What could have been found is wanted and rare at once."),
        Step(
            "H and J are wanted and rare, and the list holds H.",
            'my_tail_recall(["A", "B", "H", "C", "I"], {"B", "C", "H", "J"}, {"H", "I", "J", "K"})',
        ),
    ),
    insight="A part of the catalogue has its own recall: judged on what is wanted in that part.",
    minutes=2,
    points=1,
)

recommendation = Text(
    id="choosing.recommendation",
    title="Ship, or not?",
    prompt="""
Write your recommendation to the people who run the film site, in four or five sentences:
what you measured, what you found, how sure you are, and what they should do next.
""",
    # claim 19f4: 07_choosing_capstone: EASE ? today (ndcg@10)
    # claim 9c7f: 07_choosing_capstone: EASE > today (intra_list_diversity@10)
    # claim 9c7f: 07_choosing_capstone: EASE > today (self_information(unseen=one)@10)
    # claim 9c7f: 07_choosing_capstone: today > EASE (recall in the tail)
    model="""
We judged both systems on the same users, on films they liked after the cut, ranking the whole
catalogue. By NDCG@10, the metric chosen beforehand, no difference between EASE and the popular
films of the last five years is detected, because the interval of the gain includes 0: do not
replace the one by the other on this evidence. In this sample, with so few users, only a much
larger gain could have been detected. The lists do differ: those of EASE are less popular and more
diverse, and cover more of the catalogue, while the popular films reach a little more of the long
tail. Run an A/B test, with a sample size for the smallest gain that matters, and use the coverage
of the catalogue as a guardrail.
""",
    criteria=(
        "It says which measure decided, with its K, and that it was chosen beforehand.",
        "It gives the gain with its interval, not only the two means.",
        "It does not read a missing proof as a proof that there is no gain.",
        "It has something beyond accuracy, and for whom the lists are worse.",
        "It says what to do next.",
    ),
    hints=(
        "Begin with what was compared, on whom, and with which measure.",
        "The interval decides; the beyond-accuracy measures say what the decision would cost.",
        "End with one thing they can do on Monday.",
    ),
    insight="A recommendation that fits in five sentences will be read.",
    minutes=10,
    points=3,
)
