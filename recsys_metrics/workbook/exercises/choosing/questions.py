"""Exercises of chapter 00: three questions, four tasks, and why the first answer is not enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from recsys_metrics import judge, precision, recall
from recsys_metrics.beyond_accuracy import catalog_coverage
from recsys_metrics.rating import mae
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.prediction import Predict

how_useful = Predict(
    id="choosing.how_useful",
    title="Predictions that are nearly right",
    prompt="""
A system knows which films someone rated, and predicts ratings that are off by a tenth of a star.
It now recommends three films that this person has not seen.
How many of the three will be a pleasure?
""",
    options={
        "three": "All three, or nearly",
        "some": "One or two",
        "none": "None",
        "unknown": "Nothing said so far tells",
    },
    beliefs={
        "three": "You trust the small number. Watch which films it was computed on.",
        "some": "You expect the number to be worth something. Watch what it was computed on.",
        "none": "You suspect a trap. Watch whether it is the rule or only possible.",
        "unknown": "You ask what the number has to do with the list. Keep asking.",
    },
    observed="""
None, in the example of Alice, and nothing in the small number could have warned of it: it was
computed on other films than those in the list.
""",
)

# Which question ----------------------------------------------------------------------------------

_STATEMENTS = {
    "stars": ("close", "On average, the stars we show beside a film are off by {n} tenths."),
    "price": ("close", "Predicted ratings are half a star too high for {n} users in ten."),
    "minutes": ("close", "The predicted watching time is wrong by {n} minutes."),
    "first": ("ordered", "For {n} users in ten, nothing they like is among the first five films."),
    "rank": ("ordered", "The film a user picked next stood at rank {n} on average."),
    "missed": ("ordered", "Of what users came to love, {n} tenths never made the list of twenty."),
    "corner": ("good", "In the whole of last month, {n} in ten films were never shown to anybody."),
    "alike": ("good", "Everybody's list holds {n} films of the same series."),
    "known": ("good", "People say that they knew {n} of the ten films on their list already."),
}


def _statement(inputs: Inputs) -> str:
    return _STATEMENTS[inputs["statement"]][1].format(n=inputs["n"])


def _question(inputs: Inputs) -> str:
    return _STATEMENTS[inputs["statement"]][0]


def _unless_right(key: str, right: Callable[[Inputs], str]) -> Callable[[Inputs], str | None]:
    """Return a mistake that picks one option, and cannot be made where that option is right."""
    return lambda inputs: key if right(inputs) != key else None


which_question = Choice(
    id="choosing.which_question",
    title="Which question is that?",
    prompt=lambda inputs: (
        f"""
Someone in a meeting says:

> {_statement(inputs)}

Which of the three questions is that an answer to?
"""
    ),
    options={
        "close": "How close are the predicted numbers?",
        "ordered": "How well ordered is the list?",
        "good": "How good is it for the person and the catalogue, beyond being right?",
    },
    ordered=True,
    inputs={"statement": "alike", "n": 6},
    solve=_question,
    draw=lambda rng: {
        "statement": str(rng.choice(list(_STATEMENTS))),
        "n": int(rng.integers(3, 9)),
    },
    reasons={
        "close": "A predicted number is held against the true one, item by item.",
        "ordered": "It is about which relevant items stand where in the list, or are missing.",
        "good": "It is about what lists are like, or what they use of the catalogue, whether or "
        "not their items are relevant.",
    },
    misconceptions=(
        Misconception(
            id="number-for-prediction",
            name="any number for a prediction",
            wrong_answer=_unless_right("close", _question),
            cause="There is a number in the sentence, and no predicted number that is compared "
            "with a true one.",
            hint="Which prediction would have to be closer for the sentence to change?",
        ),
        Misconception(
            id="list-for-order",
            name="any list for an order",
            wrong_answer=_unless_right("ordered", _question),
            cause="Nothing in the sentence depends on where relevant items stand, or on whether "
            "they are found.",
            hint="Would the sentence change if relevant items moved up?",
        ),
        Misconception(
            id="people-for-beyond",
            name="people for beyond accuracy",
            wrong_answer=_unless_right("good", _question),
            cause="People occur in it, and what is counted is still whether the system was right.",
            hint="Could one who knows the future make the sentence better by being right alone?",
        ),
    ),
    hints=(
        "Ask what is compared with what.",
        "A predicted number with a true one? Relevant items with their places? Or lists with each "
        "other, with the catalogue, with what people knew?",
        "Imagine that all predictions become exact. Does the sentence have to change?",
    ),
    steps=(
        Step(lambda inputs: f'The sentence: "{_statement(inputs)}"'),
        Step(
            "Look for what is held against what: number and truth, place and relevance, or lists."
        ),
    ),
    insight="Most quarrels about a recommender are two people answering different questions.",
    minutes=2,
)

# Which task --------------------------------------------------------------------------------------

_TASKS = {
    "rating": "random or k folds over ratings; RMSE, MAE",
    "top_n": "by time, or the last of each user; Recall@K, NDCG@K, MRR",
    "next_item": "the last item of each sequence, by time; HR@10, NDCG@10, MRR",
    "ctr": "over single impressions; AUC, log loss",
}

_JOBS = {
    "shelf": ("rating", "A page shows beside each book how many stars you would give it."),
    "hotel": ("rating", "A form is filled in with the rating a guest will probably give a hotel."),
    "evening": ("top_n", "A start page shows ten films somebody might watch on some evening."),
    "gifts": (
        "top_n",
        "A shop sends a letter with the twenty articles it believes you would like.",
    ),
    "song": ("next_item", "A player has to know, song after song, what comes next."),
    "basket": ("next_item", "While a basket fills, the next article to be put in is guessed."),
    "banner": ("ctr", "An advertisement is paid for by the click, so the chance of one is needed."),
    "teaser": ("ctr", "A news page needs, for each teaser it may show, the chance of a click."),
}


def _task(inputs: Inputs) -> str:
    return _JOBS[inputs["job"]][0]


which_task = Choice(
    id="choosing.which_task",
    title="Split and measures for a job",
    prompt=lambda inputs: (
        f"""
{_JOBS[inputs["job"]][1]}
How would you cut the data, and which measures would you report first?
"""
    ),
    options=_TASKS,
    inputs={"job": "song"},
    solve=_task,
    draw=lambda rng: {"job": str(rng.choice(list(_JOBS)))},
    reasons={
        "rating": "A number is predicted for each item, and held against the number given.",
        "top_n": "A list is recommended, and its top is what people see.",
        "next_item": "One item follows a sequence, so the last one is hidden and its rank asked "
        "for.",
        "ctr": "A probability is predicted for each showing: does it sort, and can it be believed?",
    },
    misconceptions=(
        Misconception(
            id="number-for-list",
            name="rating error by habit",
            wrong_answer=_unless_right("rating", _task),
            cause="Nobody is shown a predicted rating here, so its error is nobody's concern.",
            hint="What does the user of this feature see?",
        ),
        Misconception(
            id="list-for-everything",
            name="a list for everything",
            wrong_answer=_unless_right("top_n", _task),
            cause="What counts here is not which of many items stand in a list of someone's "
            "general taste.",
            hint="Is the output a list for a person, one next thing, or a number?",
        ),
        Misconception(
            id="sequence-for-set",
            name="a sequence where there is none",
            wrong_answer=_unless_right("next_item", _task),
            cause="No single next item is waited for here.",
            hint="Would it matter in which order the person met the earlier items?",
        ),
        Misconception(
            id="click-for-taste",
            name="a probability nobody uses",
            wrong_answer=_unless_right("ctr", _task),
            cause="No price or threshold needs the chance of a click here.",
            hint="Would anything change if all scores were multiplied by two?",
        ),
    ),
    hints=(
        "What comes out of the system: a number, a list, one next thing, or a chance?",
        "The split should hide what the system has to find when it runs.",
        "A chance calls for measures that read probabilities; a next thing for the rank of one "
        "item.",
    ),
    steps=(
        Step(lambda inputs: f"The job: {_JOBS[inputs['job']][1]}"),
        Step("Name what comes out of the system. The row of the table follows."),
    ),
    insight="The task fixes the split and the measure together. Changing one of them alone makes "
    "numbers that answer nobody.",
    minutes=2,
)

# Why the first answer is not enough --------------------------------------------------------------

why_useless = Choice(
    id="choosing.why_useless",
    title="How both can be true",
    same_for_all=True,
    prompt="""
A system's mean error on the {n} films someone rated is a tenth of a star.
Of the three films it recommends, the person likes none.
Which of these explain how both can be true? Each of them has to do it alone.
""",
    options={
        "other_films": "The error is taken over rated films, and the list holds others.",
        "chosen": "People rate what they chose to watch, so the rated films are not like the rest.",
        "top": "The list takes the highest of many predictions, and those are the most overrated.",
        "few": "Three films are fewer than {n}, so the list is less exact.",
        "mae": "The MAE was taken where the RMSE would have shown it.",
        "stars": "A tenth of a star is too much.",
    },
    solve=lambda _: frozenset({"other_films", "chosen", "top"}),
    inputs={"n": 5},
    draw=lambda rng: {"n": int(rng.integers(5, 13))},
    reasons={
        "other_films": "Nobody checked the predictions that the list was made from.",
        "chosen": "A model may know everything about the films people choose and nothing about "
        "the others.",
        "top": "Of many guesses, the best-looking ones have had the most luck.",
    },
    misconceptions=(
        Misconception(
            id="small-sample",
            name="too few to tell",
            wrong_answer=lambda _: "few",
            cause="Few films make a mean uncertain. They do not turn good predictions into films "
            "that nobody likes.",
            hint="Would a list of a hundred films chosen the same way be better?",
        ),
        Misconception(
            id="another-error",
            name="another error measure",
            wrong_answer=lambda _: "mae",
            cause="RMSE is computed on the same rated films. It sees no more of the list than MAE "
            "does.",
            hint="Which films would the RMSE be computed on?",
        ),
        Misconception(
            id="exact-enough",
            name="not exact enough",
            wrong_answer=lambda _: "stars",
            cause="With no error at all on the rated films, the list could be the same.",
            hint="What does an error of nothing on seen films say of unseen ones?",
        ),
        Misconception(
            id="one-reason",
            name="error for order",
            wrong_answer=lambda _: frozenset({"other_films"}),
            cause="That is one reason. Which films people rate, and which predictions make it to "
            "the top, are two more.",
            hint="Are the films on top of the list like an average film?",
        ),
    ),
    hints=(
        "Three of the six explain it.",
        "Think of which films the error saw, how they came to be rated, and how the list was "
        "picked.",
        "An explanation that would still hold with an error of nothing is one.",
    ),
    steps=(
        Step(
            "A model that has learned the rated films by heart, and guesses at the others: exact "
            "where it is checked, and its top is luck. The error on seen films; then the true "
            "stars, on average, of the three hundred unseen films it puts on top, and of all:",
            "import numpy as np\n\n"
            "rng = np.random.default_rng(0)\n"
            "true, guess = rng.uniform(1, 5, 1000), rng.uniform(1, 5, 1000)\n"
            "guess[:n] = true[:n]\n"
            "top = n + np.argsort(-guess[n:])[:300]\n"
            "[round(float(x), 1) for x in (abs(guess - true)[:n].mean(), true[top].mean(), "
            "true[n:].mean())]",
        ),
    ),
    insight="Ask of every number which items it was computed on, and whether the user ever "
    "meets those.",
    minutes=3,
    points=2,
)

# Coverage with one line missing ------------------------------------------------------------------


def _coverage(lists: Sequence[Sequence[str]], n_films: int) -> float:
    return catalog_coverage([list(films) for films in lists], n_films)


def _slots(lists: Sequence[Sequence[str]], n_films: int) -> float:
    return sum(map(len, lists)) / n_films


def _people(lists: Sequence[Sequence[str]], n_films: int) -> float:
    return len(lists) / n_films


def _first_list(lists: Sequence[Sequence[str]], n_films: int) -> float:
    return len(set(lists[0])) / n_films


def _last_list(lists: Sequence[Sequence[str]], n_films: int) -> float:
    return len(set(lists[-1])) / n_films


def _seen_once(lists: Sequence[Sequence[str]], n_films: int) -> float:
    shown = [film for films in lists for film in films]
    return sum(shown.count(film) == 1 for film in set(shown)) / n_films


def _seen_by_all(lists: Sequence[Sequence[str]], n_films: int) -> float:
    return len(set.intersection(*map(set, lists))) / n_films


def _lists(*lists: str, n_films: int, why: str = "") -> Case:
    """Return lists of films with one letter each."""
    return Case({"lists": [[*films] for films in lists], "n_films": n_films}, why)


def _draw_lists(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lists of three to five that share films, and the edges."""
    drawn = []
    for people in (2, 3, 4, 5):
        size, n_films = int(rng.integers(3, 6)), int(rng.choice([10, 16, 20, 25]))
        rows = ["".join(rng.permutation([*"ABCDEFGHIJ"])[:size]) for _ in range(people)]
        drawn.append(_lists(*rows, n_films=n_films))
    return (*drawn, *_EDGES)


_EDGES = (
    _lists("ABC", "ABC", n_films=10, why="both are shown the same three films"),
    _lists("ABCD", n_films=8, why="there is one list"),
    _lists("AB", "CD", n_films=4, why="every film is shown"),
)

complete_coverage = Function(
    id="choosing.complete_coverage",
    title="Coverage with one line missing",
    prompt="""
Complete the line with `...`: of all films that a site has, the share that is shown to anybody.

- `lists` holds a list of films for each person.
- `n_films` is how many films the site has.
""",
    function="my_coverage",
    solve=_coverage,
    template="""
shown = [film for films in lists for film in films]
return len(...) / n_films
""".strip(),
    template_answer="set(shown)",
    cases=(
        _lists("CXY", "XYF", n_films=12),
        _lists("ABC", "ADE", "AFC", n_films=20),
        _lists("ABCDE", "BCDEF", "ABCDE", "GBCDE", n_films=10, why="most films are shared"),
        *_EDGES,
    ),
    draw=_draw_lists,
    misconceptions=(
        Misconception(
            id="counted-twice",
            name="counted twice",
            wrong_answer=_slots,
            cause="All slots are counted, so a film that two people are shown counts twice. Then "
            "coverage can come out above 1.",
            hint="What should come back if ten people are shown the same film?",
        ),
        Misconception(
            id="people-for-films",
            name="people for films",
            wrong_answer=_people,
            cause="That counts the lists, one a person, and not the films on them.",
            hint="What is the share a share of: people or films?",
        ),
        Misconception(
            id="one-list-for-all",
            name="one list for all",
            wrong_answer=_first_list,
            variants=(_last_list,),
            cause="That counts the films of one list. Coverage is about all lists together.",
            hint="Which films do the other people see?",
        ),
        Misconception(
            id="seen-once",
            name="once for at all",
            wrong_answer=_seen_once,
            cause="Only films that stand on a single list are counted. A film that two people are "
            "shown is shown, too.",
            hint="How many films are shown if all lists are the same?",
        ),
        Misconception(
            id="seen-by-all",
            name="all for anybody",
            wrong_answer=_seen_by_all,
            cause="Only films that everybody is shown are counted. One person is enough.",
            hint="Is a film shown if one person in a thousand sees it?",
        ),
    ),
    hints=(
        "`shown` holds a film once for each list that it stands on.",
        "A film counts once, however many people see it.",
        "`set(...)` keeps each thing once.",
    ),
    steps=(
        Step("Each film once, and then counted. Below the line stands all that the site has."),
        Step(
            "X and Y stand on both lists, so four films are shown, of twelve.",
            'my_coverage([["C", "X", "Y"], ["X", "Y", "F"]], 12)',
        ),
    ),
    insight="Coverage asks whether a film is shown at all. How often, it does not see.",
    minutes=2,
    points=1,
)

# Three answers to one system ---------------------------------------------------------------------


def _judged(inputs: Inputs) -> list[tuple[float, float]]:
    """Return precision and recall of both people's lists."""
    found = []
    for name in ("ann", "ben"):
        judged = judge(inputs[name], set(inputs[f"{name}_likes"]))
        found.append((precision(judged, 3), recall(judged, 3)))
    return found


def _solve(inputs: Inputs) -> dict[str, float]:
    return {
        "mae": mae(inputs["actual"], inputs["predicted"]),
        "precision": sum(p for p, _ in _judged(inputs)) / 2,
        "coverage": catalog_coverage([inputs["ann"], inputs["ben"]], inputs["films"]),
    }


def _cancelled(inputs: Inputs) -> dict[str, float]:
    off = np.subtract(inputs["predicted"], inputs["actual"])
    return {"mae": abs(float(off.mean()))}


def _with_repeats(inputs: Inputs) -> dict[str, float]:
    return {"coverage": 6 / inputs["films"]}


def _only_hits(inputs: Inputs) -> dict[str, float]:
    liked = {
        film for name in ("ann", "ben") for film in set(inputs[name]) & set(inputs[f"{name}_likes"])
    }
    return {"coverage": len(liked) / inputs["films"]}


def _recall(inputs: Inputs) -> dict[str, float]:
    return {"precision": sum(r for _, r in _judged(inputs)) / 2}


def _draw(rng: np.random.Generator) -> Inputs:
    """Return two lists of three that share a film, with a hit or two, and half-star errors."""
    while True:
        actual = [int(star) for star in rng.integers(2, 6, size=4)]
        off = rng.choice([-0.5, -0.2, 0.1, 0.2, 0.5], size=4)
        letters = [str(letter) for letter in rng.permutation(list("ABCDEFGHIJ"))]
        ann, ben = letters[:3], [letters[2], *letters[3:5]]
        likes = [
            sorted(str(x) for x in rng.choice(letters[:8], size=rng.integers(2, 5), replace=False))
            for _ in range(2)
        ]
        inputs = {
            "actual": actual,
            "predicted": [round(star + float(o), 1) for star, o in zip(actual, off, strict=True)],
            "ann": ann,
            "ben": [str(x) for x in rng.permutation(ben)],
            "ann_likes": likes[0],
            "ben_likes": likes[1],
            "films": int(rng.choice([10, 16, 20])),
        }
        if 0 < sum(p for p, _ in _judged(inputs)) < 2:
            return inputs


three_answers = Numbers(
    id="choosing.three_answers",
    title="One system, three answers",
    prompt="""
For four rated films a system predicted {predicted} stars; the ratings were {actual}.

Ann is shown {ann} and likes {ann_likes}. Ben is shown {ben} and likes {ben_likes}.
There are {films} films in all.

How close: the MAE. How well picked: precision@3, as the mean over the two.
How good for the catalogue: the share of all films that anybody is shown.
""",
    asks={"mae": "MAE", "precision": "mean precision@3", "coverage": "coverage"},
    inputs={
        "actual": [5, 3, 4, 2],
        "predicted": [4.8, 3.2, 4.1, 1.9],
        "ann": ["A", "B", "C"],
        "ben": ["C", "A", "D"],
        "ann_likes": ["E", "F"],
        "ben_likes": ["D", "E", "G", "H"],
        "films": 16,
    },
    solve=_solve,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="cancelled-errors",
            name="cancelled errors",
            wrong_answer=_cancelled,
            cause="The errors kept their signs, so that one made up for another.",
            hint="By how many stars is the first prediction off?",
        ),
        Misconception(
            id="swapped-denominators",
            name="swapped denominators",
            wrong_answer=_recall,
            cause="The hits were divided by what each person likes. That is recall. Precision "
            "divides by the films shown.",
            hint="How many films does each of them see?",
        ),
        Misconception(
            id="counted-twice",
            name="counted twice",
            wrong_answer=_with_repeats,
            cause="All slots were counted. A film that both are shown is one film.",
            hint="How many different films are on the two lists?",
        ),
        Misconception(
            id="hits-for-shown",
            name="hits for shown",
            wrong_answer=_only_hits,
            cause="Only films that were liked were counted. Coverage asks what was shown, liked "
            "or not.",
            hint="Was a film that nobody liked shown to anybody?",
        ),
    ),
    hints=(
        "Three separate sums: the four ratings, the two lists with what is liked, the two lists "
        "alone.",
        "Precision: hits over the three films shown, for each person, then the mean.",
        "Coverage: different films on both lists together, over all films.",
    ),
    steps=(
        Step("Predicted and rated, side by side:", "list(zip(predicted, actual))"),
        Step(
            "How close, in stars:",
            "errors = [abs(p - a) for p, a in zip(predicted, actual)]\n"
            "mae = sum(errors) / len(errors)\nround(mae, 3)",
        ),
        Step(
            "How well picked: hits over the films shown, each person on their own.",
            "hits = [len(set(ann) & set(ann_likes)), len(set(ben) & set(ben_likes))]\n"
            "precision = (hits[0] / 3 + hits[1] / 3) / 2\nhits, round(precision, 3)",
        ),
        Step(
            "How much of the catalogue: different films over all films.",
            "coverage = len({*ann, *ben}) / films\nround(coverage, 3)",
        ),
    ),
    insight="Three numbers about one system, and none of them can be computed from the others.",
    minutes=5,
    points=3,
)

# In words ----------------------------------------------------------------------------------------

tell_mara = Text(
    id="choosing.tell_mara",
    title="Accurate, and they call it boring",
    prompt="""
A film site launched a recommender {n} days ago, because it was off by only {tenths} of a star on
the ratings that people gave. Now they call its lists boring, and the one who runs the site asks you
how both can be.

Answer her in three or four sentences: what the number says, what it leaves open, and which two
numbers you would have looked at as well.
""",
    inputs={"tenths": "a tenth", "n": 7},
    draw=lambda rng: {
        "tenths": str(rng.choice(["a tenth", "two tenths", "three tenths"])),
        "n": int(rng.integers(3, 15)),
    },
    model="The number says how close predicted stars are on films that people had chosen and "
    "rated. The lists hold other films, and the ones with the most flattering predictions of all, "
    "which nobody has checked. So before the launch I would have looked at the lists themselves: "
    "how high the films stand that people came to love, NDCG@10 for instance, and how much of the "
    "catalogue the lists of all people show together, which is coverage. Either of them could "
    "have been bad with this small error.",
    criteria=(
        "It says on which films the error was computed: those that people chose and rated.",
        "It says that the lists hold other films, or that nobody checked those predictions.",
        "It names a number about the order or the hits of the lists.",
        "It names a number beyond being right: coverage, diversity, novelty.",
    ),
    misconceptions=(
        Misconception(
            id="error-for-order",
            name="error for order",
            wrong_answer=lambda _: None,
            cause="A still lower error is asked for. An error of nothing on rated films would "
            "leave the list as it is.",
            hint="Which films would change places?",
        ),
        Misconception(
            id="people-are-wrong",
            name="number before people",
            wrong_answer=lambda _: None,
            cause="The number is taken for the truth and the complaints for a matter of taste. "
            "They are about the lists, which the number never saw.",
            hint="Which of the two has seen the lists?",
        ),
        Misconception(
            id="one-for-all",
            name="one number for all",
            wrong_answer=lambda _: None,
            cause="One measure is replaced by another one. Each of the three questions needs its "
            "own.",
            hint="Could the new number be good, and the lists the same for everybody?",
        ),
    ),
    hints=(
        "Which films did the number see, and which films do people see?",
        "Name the question that the number answers, then the two that it does not.",
        "One number about where good films stand, and one about all lists together.",
    ),
    insight="Keep your answer: at the end of the workbook the launch is measured by these numbers.",
    minutes=4,
    points=2,
)
