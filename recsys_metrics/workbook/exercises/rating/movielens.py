"""Film values on real ratings: how much to add, for whom they are worse, what the list says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from recsys_metrics.interactions import Interactions, concatenate
from recsys_metrics.protocol import leave_last_n_out, temporal_split
from recsys_metrics.rating import rmse
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.prediction import Predict


def _film_values(ratings: Interactions, added: int) -> movielens.Reals:
    """Return each film's mean, with some ratings added that say average."""
    overall = movielens.stars(ratings).mean()
    count = np.bincount(ratings.item, minlength=ratings.n_items)
    above = np.bincount(ratings.item, movielens.stars(ratings) - overall, ratings.n_items)
    values: movielens.Reals = overall + above / np.maximum(count + added, 1)
    return values


# One film -----------------------------------------------------------------------------------------


def _value(ratings: Sequence[float], overall: float, added: int) -> float:
    return (sum(ratings) + added * overall) / (len(ratings) + added)


def _plain_mean(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(r - overall for r in ratings) / len(ratings)


def _plain_mean_guarded(ratings: Sequence[float], overall: float, added: int) -> float:
    return _plain_mean(ratings, overall, added) if ratings else overall


def _not_divided(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(r - overall for r in ratings)


def _over_added(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(r - overall for r in ratings) / added


def _zeros_added(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(ratings) / (len(ratings) + added)


def _one_added(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(r - overall for r in ratings) / (len(ratings) + 1)


def _average_above(ratings: Sequence[float], overall: float, added: int) -> float:
    above = sum(r - overall for r in ratings)
    return overall + (above + added * overall) / (len(ratings) + added)


def _weights_swapped(ratings: Sequence[float], overall: float, added: int) -> float:
    above = sum(r - overall for r in ratings)
    return overall + above * added / (len(ratings) + added)


def _film(ratings: list[float], overall: float, added: int, why: str = "") -> Case:
    return Case({"ratings": ratings, "overall": overall, "added": added}, why)


_FEW = (
    _film([5.0], 3.5, 4, "there is one rating"),
    _film([], 3.6, 3, "nobody has rated the film"),
    _film([3.5, 3.5], 3.5, 2, "the film is as good as the average"),
)


def _draw_films(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return films with two to eight ratings, and the edges."""
    drawn = []
    for size in (2, 3, 5, 8):
        ratings = (rng.integers(1, 11, size=size) / 2).tolist()
        overall = float(rng.choice([3.2, 3.4, 3.6]))
        drawn.append(_film(ratings, overall, int(rng.integers(2, 9))))
    return (*drawn, *_FEW)


complete_film_value = Function(
    id="rating.complete_film_value",
    title="The value of a film, with one line missing",
    prompt="""
A few ratings that say *average* are added to those of a film, so that one rating of five stars does
not make the best film of all. Complete the line with `...`: by how much the film is better or worse
than average once they are added.

- `ratings` is a list of the film's ratings, and may be empty; `overall` is the mean of all ratings.
- `added` is how many ratings that say `overall` are added, at least one.
""",
    function="my_value",
    solve=_value,
    template="""
above = sum(rating - overall for rating in ratings)
return overall + ...
""".strip(),
    template_answer="above / (len(ratings) + added)",
    cases=(
        _film([5.0, 4.0, 4.5], 3.5, 5),
        _film([2.0, 1.0, 3.0, 2.5, 1.5, 2.0], 3.4, 2),
        _film([4.0, 5.0], 3.6, 10, "far more is added than there is"),
        *_FEW,
    ),
    draw=_draw_films,
    misconceptions=(
        Misconception(
            id="nothing-added",
            name="nothing added",
            wrong_answer=_plain_mean,
            variants=(_plain_mean_guarded,),
            cause="That is the plain mean of the film's ratings. Nothing was added, so one rating "
            "of five stars still makes the best film.",
            hint="By how many ratings should the sum be divided, the added ones included?",
        ),
        Misconception(
            id="sum-for-mean",
            name="sum for mean",
            wrong_answer=_not_divided,
            cause="The sum is not divided, so a film gets better the more it is rated.",
            hint="What is the value of a film with ten ratings of four stars?",
        ),
        Misconception(
            id="only-the-added",
            name="only the added ones",
            wrong_answer=_over_added,
            cause="The sum is divided by the added ratings alone. The film's own count as well.",
            hint="How many ratings are there in all?",
        ),
        Misconception(
            id="average-twice",
            name="average counted twice",
            wrong_answer=_zeros_added,
            cause="The plain stars stand above the line, and the average is added to them once "
            "more.",
            hint="What should come back for a film whose ratings all say average?",
        ),
        Misconception(
            id="average-above-twice",
            name="average added to what lies above it",
            wrong_answer=_average_above,
            cause="An added rating lies above the average by nothing, and here it brings the whole "
            "average.",
            hint="By how many stars is an average rating above average?",
        ),
        Misconception(
            id="one-added",
            name="one for all",
            wrong_answer=_one_added,
            cause="One rating was added, whatever `added` says.",
            hint="Which of the three arguments does the line not use?",
        ),
        Misconception(
            id="weights-swapped",
            name="weights swapped",
            wrong_answer=_weights_swapped,
            cause="What lies above the average is made larger by what is added. It should pull "
            "towards the average.",
            hint="What happens to the value of a film when a thousand are added?",
        ),
    ),
    hints=(
        "An added rating says *average*, so it lies above the average by nothing.",
        "The sum of what lies above stays as it is. How many ratings share it?",
        "The film's own ratings and the added ones: `len(ratings) + added`.",
    ),
    steps=(
        Step(
            "An added rating brings nothing above the average, so the sum stays; it is divided by "
            "more ratings."
        ),
        Step(
            "One rating of five stars, then twenty of them, and five that say average:",
            "my_value([5.0], 3.5, 5), my_value([5.0] * 20, 3.5, 5)",
        ),
    ),
    insight="A film with many ratings is hardly held back by the added ones.",
    minutes=2,
    points=1,
)

# How much to add --------------------------------------------------------------------------------


@cache
def _inside(share: float) -> tuple[Interactions, Interactions]:
    """Return the training time cut once more: what is learned from, and what is hidden."""
    train, later = temporal_split(movielens.experiment(share).train, test_share=share)
    _, judges = leave_last_n_out(later, share=1 / 2)
    return train, judges


@cache
def _rmse(share: float, added: int, where: str) -> float:
    data = movielens.experiment(share)
    learned, judged = {
        "inside": _inside(share),
        "test": (data.train, data.hidden),
        "training": (data.train, data.train),
        "future": (data.films.interactions, data.hidden),
    }[where]
    return rmse(movielens.stars(judged), _film_values(learned, added)[judged.item])


def _best(inputs: Inputs, where: str) -> int:
    return int(min(inputs["offered"], key=lambda added: _rmse(inputs["share"], added, where)))


def _chosen(inputs: Inputs, *, by: str = "inside", told: str = "test") -> dict[str, float]:
    added = _best(inputs, by)
    return {"added": added, "rmse": _rmse(inputs["share"], added, told)}


def _draw_offered(rng: np.random.Generator) -> Inputs:
    others = rng.choice([*range(1, 11), 12, 14, 16, 20, 25, 30, 40, 50], 5, replace=False)
    return {"share": movielens.draw_share(rng), "offered": [0, *sorted(others.tolist())]}


choose_added = Numbers(
    id="rating.choose_added",
    title="How many average ratings to add?",
    prompt="""
Five ratings that say *average* were added to each film, and nobody said why five.
Choose from {offered}, by the RMSE of the film values alone, and by the rules: cut the training
ratings once more as the experiment does (`temporal_split` with `test_share={share}`, then
`leave_last_n_out` with `share=1/2`), learn before that cut, and judge on what it hides.

How many do you add? And which RMSE do you then report, with the film values of the whole training
time, on `data.hidden`?

"""
    + movielens.HOW,
    asks={"added": "ratings added to each film", "rmse": "RMSE to report, in stars"},
    inputs={"share": 0.2, "offered": [0, 1, 3, 8, 25]},
    solve=_chosen,
    draw=_draw_offered,
    misconceptions=(
        Misconception(
            id="tuned-on-test",
            name="tuned on the test",
            wrong_answer=lambda inputs: _chosen(inputs, by="test"),
            cause="That is the number with the lowest RMSE on the hidden ratings themselves. They "
            "were to judge the choice, and have made it.",
            hint="Which ratings may choose, if the hidden ones are to be new?",
        ),
        Misconception(
            id="judged-where-learned",
            name="judged where learned",
            wrong_answer=lambda inputs: _chosen(inputs, by="training"),
            cause="The choice was made on the ratings the film values were learned from. There, "
            "a film with one rating is predicted exactly, and nothing added is always best.",
            hint="Which ratings of the training time has an earlier film value not seen?",
        ),
        Misconception(
            id="value-of-the-choice",
            name="value of the choice",
            wrong_answer=lambda inputs: {
                "rmse": _rmse(inputs["share"], _best(inputs, "inside"), "inside")
            },
            cause="That is the RMSE inside the training time, where the number was chosen: the "
            "best of several, on other ratings.",
            hint="On which ratings is the chosen number reported?",
        ),
        Misconception(
            id="leak-from-the-future",
            name="leak from the future",
            wrong_answer=lambda inputs: {
                "rmse": _rmse(inputs["share"], _best(inputs, "inside"), "future")
            },
            cause="The film values were learned from all ratings, those included on which they "
            "are judged.",
            hint="Up to which moment may the film values learn?",
        ),
        Misconception(
            id="missing-root",
            name="missing root",
            wrong_answer=lambda inputs: {"rmse": _chosen(inputs)["rmse"] ** 2},
            cause="That is the MSE, in squared stars.",
            hint="Which of the four words of the name is still to be done?",
        ),
    ),
    hints=(
        "Three parts of the ratings are in play: what the film values learn from, what chooses, "
        "and what the choice is reported on.",
        "Write a function of a table of ratings and a number that returns the film values. Call it "
        "with the earlier part of the training time for each number on offer.",
        "Take the number with the lowest RMSE on what the inner cut hides. Learn the film values "
        "anew from all of `data.train`, and look at `data.hidden` once.",
    ),
    steps=(
        Step(
            "Film values with so many average ratings added:",
            "import numpy as np\n"
            "from recsys_metrics.protocol import leave_last_n_out, temporal_split\n"
            "from recsys_metrics.rating import rmse as error\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n\n"
            "def film_values(ratings, added):\n"
            "    overall = ratings.rating.mean()\n"
            "    count = np.bincount(ratings.item, minlength=ratings.n_items)\n"
            "    above = np.bincount(ratings.item, ratings.rating - overall, ratings.n_items)\n"
            "    return overall + above / np.maximum(count + added, 1)",
        ),
        Step(
            "The training time, cut once more:",
            "data = movielens_experiment(share)\n"
            "earlier, later = temporal_split(data.train, test_share=share)\n"
            "_, judges = leave_last_n_out(later, share=1 / 2)\n"
            "len(earlier), len(judges)",
        ),
        Step(
            "The RMSE of each number there:",
            "inside = {\n"
            "    n: error(judges.rating, film_values(earlier, n)[judges.item]) for n in offered\n"
            "}\n"
            "{n: round(value, 4) for n, value in inside.items()}",
        ),
        Step("The lowest decides:", "added = min(inside, key=inside.get)\nadded"),
        Step(
            "Only now the hidden ratings, once:",
            "hidden = data.hidden\n"
            "rmse = error(hidden.rating, film_values(data.train, added)[hidden.item])\n"
            "round(rmse, 3)",
        ),
    ),
    insight="Whatever is chosen, is chosen inside the training time. The hidden ratings are for "
    "one look, at one model.",
    minutes=12,
    points=4,
)

# For whom it is worse ---------------------------------------------------------------------------


@cache
def _by_person(share: float, added: int, habit: str = "known") -> dict[str, float]:
    data = movielens.experiment(share)
    hidden, overall = data.hidden, movielens.stars(data.train).mean()
    film = _film_values(data.train, added)
    source = {"known": data.known, "future": concatenate([data.known, data.hidden])}.get(habit)
    guess = film[hidden.item]
    if source is not None:
        left = movielens.stars(source) - film[source.item]
        count = np.bincount(source.user, minlength=source.n_users)
        person = np.bincount(source.user, left, source.n_users) / (count + added)
        guess = guess + person[hidden.user]
    actual, one = movielens.stars(hidden), np.full(len(hidden), overall)
    before = np.asarray(rmse(actual, one, users=hidden.user))
    after = np.asarray(rmse(actual, guess, users=hidden.user))
    further = np.abs(guess - actual) > np.abs(one - actual)
    return {
        "people": float((after > before).mean()),
        "worst": float((after - before).max()),
        "ratings": float(further.mean()),
        "gain": float((before - after).mean()),
    }


def _worse(inputs: Inputs, habit: str = "known") -> dict[str, float]:
    found = _by_person(inputs["share"], inputs["added"], habit)
    return {name: found[name] for name in ("people", "worst")}


worse_off = Numbers(
    id="rating.worse_off",
    title="For whom it got worse",
    prompt="""
Knowing film and person lowers the error on average. Averages hide people, so look at each.
Predict with the film values ({added} average ratings added to each film) and the person's habit
({added} added to each person's count), not clipped, and with the one number for everybody.

For which share of the users in `data.hidden` is the own RMSE *higher* with film and person than
with the one number? And by how many stars does the RMSE rise of whoever fares worst?

"""
    + movielens.HOW,
    asks={"people": "share of users who are worse off", "worst": "largest rise, in stars"},
    inputs={"share": 0.2, "added": 5},
    solve=_worse,
    draw=lambda rng: {
        "share": movielens.draw_share(rng),
        "added": int(rng.choice([2, 3, 4, 5, 8, 10, 15])),
    },
    misconceptions=(
        Misconception(
            id="ratings-for-users",
            name="users for ratings",
            wrong_answer=lambda inputs: {
                "people": _by_person(inputs["share"], inputs["added"])["ratings"]
            },
            cause="That is the share of *ratings* whose prediction is further off. People who "
            "rate much decide it.",
            hint="How many numbers are compared for one person?",
        ),
        Misconception(
            id="film-alone",
            name="film alone",
            wrong_answer=lambda inputs: _worse(inputs, "none"),
            cause="Only the film values were compared with the one number; the person's habit was "
            "left out.",
            hint="What does the third predictor know that the second does not?",
        ),
        Misconception(
            id="leak-from-the-future",
            name="leak from the future",
            wrong_answer=lambda inputs: _worse(inputs, "future"),
            cause="The habits were learned from the hidden ratings, too: each person was known by "
            "what was to be predicted.",
            hint="Which ratings of a person are known when the prediction is made?",
        ),
        Misconception(
            id="better-for-worse",
            name="better for worse",
            wrong_answer=lambda inputs: {"people": 1 - _worse(inputs)["people"]},
            cause="That is the share of those who are better off.",
            hint="Which of the two RMSEs is the higher one for somebody who is worse off?",
        ),
        Misconception(
            id="mean-for-worst",
            name="mean for worst",
            wrong_answer=lambda inputs: {
                "worst": _by_person(inputs["share"], inputs["added"])["gain"]
            },
            cause="That is what the users gain on average. Asked for is the one who loses most.",
            hint="What is the largest of all the differences?",
        ),
    ),
    hints=(
        "`rating.rmse(..., users=data.hidden.user)` gives one value a person, in the same order "
        "for every predictor.",
        "Subtract the RMSE with the one number from the RMSE with film and person, person by "
        "person.",
        "The share of differences above 0 is the first answer, the largest of them the second.",
    ),
    steps=(
        Step(
            "The film values, and each person's habit:",
            "import numpy as np\n"
            "from recsys_metrics import rating\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "data = movielens_experiment(share)\n"
            "train, known, hidden = data.train, data.known, data.hidden\n"
            "overall = train.rating.mean()\n"
            "count = np.bincount(train.item, minlength=train.n_items)\n"
            "above = np.bincount(train.item, train.rating - overall, train.n_items)\n"
            "film = overall + above / (count + added)\n"
            "left = known.rating - film[known.item]\n"
            "given = np.bincount(known.user, minlength=known.n_users)\n"
            "person = np.bincount(known.user, left, known.n_users) / (given + added)\n"
            "film.shape, person.shape",
        ),
        Step(
            "One RMSE a person, with the one number and with both:",
            "one = np.full(len(hidden), overall)\n"
            "both = film[hidden.item] + person[hidden.user]\n"
            "before = rating.rmse(hidden.rating, one, users=hidden.user)\n"
            "after = rating.rmse(hidden.rating, both, users=hidden.user)\n"
            "round(float(before.mean()), 3), round(float(after.mean()), 3)",
        ),
        Step(
            "Whose RMSE rose, and how far at most?",
            "people, worst = (after > before).mean(), (after - before).max()\n"
            "round(float(people), 3), round(float(worst), 3)",
        ),
    ),
    insight="In this sample the mean is better, and many people are worse off. Whoever reports the "
    "mean should know how many.",
    minutes=8,
    points=3,
)

# What the list says -----------------------------------------------------------------------------

best_for_lists = Predict(
    id="rating.best_for_lists",
    title="Good for stars, good for lists?",
    prompt="""
Sort all films by their value and show each user the first ten that the user has not rated.
Nothing, one, five, twenty-five or a hundred average ratings can be added to each film.
On the hidden ratings five gave a lower RMSE than nothing, and also than a hundred.
Which makes the list with the highest NDCG@10?
""",
    options={
        "nothing": "Nothing added: the plain means are what people gave",
        "few": "One or five: what predicts the stars best sorts best",
        "many": "Twenty-five or a hundred, although the stars are further off",
        "alike": "All alike: the films are the same",
    },
    beliefs={
        "nothing": "You trust the data as they are. Watch how many ratings stand behind the films "
        "on top.",
        "few": "You expect one thing to be good for both. Watch whether the two columns agree.",
        "many": "You expect the top of a list to need more certainty than a prediction. Watch how "
        "far that goes.",
        "alike": "You expect a small change of the values to change little. Watch who comes first.",
    },
    # claim 7504: 01_rating_movielens: 100 added > 5 added (NDCG@10)
    # claim 7504: 01_rating_movielens: 100 added > 5 added (MSE)
    observed="""
The most: with a hundred average ratings added the lists were far better than with five, and the
stars further off.
A list shows the films that stand out, and without many ratings a film stands out by chance.
""",
)
