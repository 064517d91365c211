"""Whose errors: every rating counts, or every user; and which number answers which question."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from recsys_metrics.rating import mae, rmse
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.rating import stars


def _rows(inputs: Inputs) -> tuple[list[float], list[str]]:
    """Return all errors, and whose they are."""
    found = [*inputs["ann"], *inputs["ben"]]
    return found, ["ann"] * len(inputs["ann"]) + ["ben"] * len(inputs["ben"])


def _solve(inputs: Inputs) -> dict[str, float]:
    found, users = _rows(inputs)
    nothing = [0.0] * len(found)
    return {
        "macro": float(rmse(nothing, found, users=users).mean()),
        "pooled": rmse(nothing, found),
    }


def _each(inputs: Inputs) -> list[float]:
    return [rmse([0.0] * len(found), found) for found in (inputs["ann"], inputs["ben"])]


def _swapped(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"macro": right["pooled"], "pooled": right["macro"]}


def _root_last(inputs: Inputs) -> dict[str, float]:
    return {"macro": stars.root(stars.mean(stars.squares(_each(inputs))))}


def _root_first(inputs: Inputs) -> dict[str, float]:
    counts = [len(inputs["ann"]), len(inputs["ben"])]
    return {"pooled": float(np.average(_each(inputs), weights=counts))}


def _absolute(inputs: Inputs) -> dict[str, float]:
    found, users = _rows(inputs)
    nothing = [0.0] * len(found)
    return {
        "macro": float(mae(nothing, found, users=users).mean()),
        "pooled": mae(nothing, found),
    }


def _draw(rng: np.random.Generator) -> Inputs:
    """Return few errors of one user and many of another, large ones of the first."""
    few, many = int(rng.integers(2, 4)), int(rng.integers(5, 8))
    ann = rng.choice([1.0, 2.0, 3.0], size=few) * rng.choice([-1, 1], size=few)
    ben = rng.choice([0.5, 1.0, 1.5], size=many) * rng.choice([-1, 1], size=many)
    return {"ann": ann.tolist(), "ben": ben.tolist()}


macro_pooled = Numbers(
    id="rating.macro_pooled",
    title="Ann has two ratings, Ben has six",
    prompt=lambda inputs: (
        f"Ann's predictions are off by {_stars(inputs['ann'])} stars, Ben's by "
        f"{_stars(inputs['ben'])}.\n\n"
        "Compute the RMSE averaged over the two users, and the RMSE of all errors pooled."
    ),
    asks={"macro": "mean of the users' RMSE", "pooled": "RMSE of all errors"},
    inputs={"ann": [2.0, -1.0], "ben": [0.5, -0.5, 0.5, 1.0, 0.5, -0.5]},
    solve=_solve,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="swapped-weights",
            name="users for ratings",
            wrong_answer=_swapped,
            cause="The two have changed places. Pooled, every rating counts the same; averaged "
            "over users, every person does.",
            hint="In which of the two does Ben weigh more than Ann?",
        ),
        Misconception(
            id="root-too-late",
            name="root too late",
            wrong_answer=_root_last,
            cause="The users' mean squared errors were averaged before the root was taken. Each "
            "user has a root of their own.",
            hint="What is the RMSE of Ann alone?",
        ),
        Misconception(
            id="root-too-early",
            name="root too early",
            wrong_answer=_root_first,
            cause="For the pooled value the users' roots were averaged, by how many ratings each "
            "has. The squares are to be pooled before any root.",
            hint="How would you compute it if nobody had told you whose errors these are?",
        ),
        Misconception(
            id="absolute-for-square",
            name="absolute for squared",
            wrong_answer=_absolute,
            cause="These are the MAE, over users and pooled.",
            hint="Which word of the name comes after *error*, read from the inside?",
        ),
    ),
    hints=(
        "Three numbers are needed: the RMSE of Ann, of Ben, and of all errors in one list.",
        "Averaged over users means: one number a person, then their plain mean.",
        "Pooled means: forget whose errors they are.",
    ),
    steps=(
        Step(
            "The recipe, once:",
            "def rmse(errors):\n    return (sum(e**2 for e in errors) / len(errors)) ** 0.5",
        ),
        Step(
            "One number a person, then the mean:",
            "macro = (rmse(ann) + rmse(ben)) / 2\nround(macro, 3)",
        ),
        Step("All errors in one list:", "pooled = rmse([*ann, *ben])\nround(pooled, 3)"),
    ),
    insight="Pooling asks how a rating fares, the mean over users how a person fares. People with "
    "many ratings decide the first.",
    minutes=4,
    points=2,
)


def _stars(found: list[float]) -> str:
    return ", ".join(f"{error:g}" for error in found)


# The function -----------------------------------------------------------------------------------

_Errors = Mapping[str, list[float]]


def _macro(errors: _Errors) -> float:
    found = [(error, name) for name, of in errors.items() for error in of]
    values, users = zip(*found, strict=True)
    return float(np.mean(rmse(np.zeros(len(values)), values, users=users)))


def _roots(errors: _Errors) -> list[float]:
    return [stars.root(stars.mean(stars.squares(of))) for of in errors.values()]


def _pooled_of(errors: _Errors) -> float:
    return stars.root(stars.mean([error**2 for of in errors.values() for error in of]))


def _root_of_means(errors: _Errors) -> float:
    return stars.root(stars.mean([stars.mean(stars.squares(of)) for of in errors.values()]))


def _mean_of_mse(errors: _Errors) -> float:
    return stars.mean([stars.mean(stars.squares(of)) for of in errors.values()])


def _macro_mae(errors: _Errors) -> float:
    return stars.mean([stars.mean([abs(error) for error in of]) for of in errors.values()])


def _sum_of_roots(errors: _Errors) -> float:
    return sum(_roots(errors))


def _over_ratings(errors: _Errors) -> float:
    return sum(_roots(errors)) / sum(map(len, errors.values()))


def _by_ratings(errors: _Errors) -> float:
    return float(np.average(_roots(errors), weights=[len(of) for of in errors.values()]))


def _roots_of_sums(errors: _Errors) -> float:
    return stars.mean([stars.root(sum(stars.squares(of))) for of in errors.values()])


def _people(why: str = "", **errors: list[float]) -> Case:
    return Case({"errors": errors}, why)


_ALONE = (
    _people("there is one person", Ann=[1.0, -2.0]),
    _people("one person's predictions are exact", Ann=[0.0, 0.0], Ben=[1.5, -0.5, 1.0]),
)


def _draw_people(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return two to four people with errors in half stars, of several numbers of ratings."""
    drawn = []
    for n in (2, 3, 4):
        of = {
            name: (rng.integers(1, 7, size=size) / 2 * rng.choice([-1, 1], size=size)).tolist()
            for name, size in zip(
                ["Ann", "Ben", "Cem", "Dee"][:n], rng.permutation(np.arange(1, 7)), strict=False
            )
        }
        drawn.append(_people(**of))
    return (*drawn, *_ALONE)


write_macro = Function(
    id="rating.write_macro",
    title="Write the RMSE of people",
    prompt="""
Write `my_macro_rmse(errors)`: the mean over people of each person's RMSE.

- `errors` is a dictionary: a name, and the list of that person's errors in stars, with their signs.
- Each person has at least one error. The result is one number, in stars.
""",
    function="my_macro_rmse",
    solve=_macro,
    cases=(
        _people(Ann=[2.0, -1.0], Ben=[0.5, -0.5, 1.0, 0.5]),
        _people("all have as many ratings", Ann=[1.0, 3.0], Ben=[-0.5, 0.5], Cem=[2.0, -2.5]),
        _people("one person has most of the ratings", Ann=[3.0], Ben=[0.5, 1.0, -1.5, 0.5, 0.5]),
        *_ALONE,
    ),
    draw=_draw_people,
    misconceptions=(
        Misconception(
            id="pooled-for-macro",
            name="users for ratings",
            wrong_answer=_pooled_of,
            cause="All errors go into one list, so each rating counts the same. That is the pooled "
            "RMSE.",
            hint="By how much should the result change if Ben had rated twice as much, as well?",
        ),
        Misconception(
            id="root-too-late",
            name="root too late",
            wrong_answer=_root_of_means,
            cause="The root is taken at the end, of the mean of the people's MSE. Each person has "
            "a root of their own.",
            hint="What is the RMSE of the first person alone?",
        ),
        Misconception(
            id="missing-root",
            name="missing root",
            wrong_answer=_mean_of_mse,
            cause="No root is taken, so the result is in squared stars.",
            hint="Which word of the name is still to be done for each person?",
        ),
        Misconception(
            id="absolute-for-square",
            name="absolute for squared",
            wrong_answer=_macro_mae,
            cause="That is each person's MAE, averaged.",
            hint="What happens to an error before it is averaged, in an RMSE?",
        ),
        Misconception(
            id="sum-for-mean",
            name="sum for mean",
            wrong_answer=_sum_of_roots,
            variants=(_over_ratings,),
            cause="The people's values are added up, and not divided by how many people there are.",
            hint="What should come back for two people with the same RMSE?",
        ),
        Misconception(
            id="weighted-by-ratings",
            name="weighted by ratings",
            wrong_answer=_by_ratings,
            cause="Each person's RMSE counts by how much the person rated. In a mean over people "
            "each of them counts once.",
            hint="How much does a person with one rating count beside one with a hundred?",
        ),
        Misconception(
            id="undivided-squares",
            name="sum for mean of squares",
            wrong_answer=_roots_of_sums,
            cause="A person's squares are added up and not divided, so who rates more looks worse.",
            hint="What is the RMSE of four errors of one star each?",
        ),
    ),
    hints=(
        "One number for each person first; the mean comes last.",
        "For one person: square the errors, take their mean, take the root.",
        "`errors.values()` gives the lists. The denominator at the end is `len(errors)`.",
    ),
    steps=(
        Step(
            "One RMSE for each person, then their plain mean:",
            "def my_macro_rmse(errors):\n"
            "    of_each = [\n"
            "        (sum(e**2 for e in of) / len(of)) ** 0.5 for of in errors.values()\n"
            "    ]\n"
            "    return sum(of_each) / len(of_each)",
        ),
        Step(
            "Two people, one off by two stars, the other by one, however often:",
            'my_macro_rmse({"Ann": [2.0], "Ben": [1.0, -1.0, 1.0]})',
        ),
    ),
    insight="Where the mean is taken decides who is counted: over ratings, or over people.",
    minutes=6,
    points=3,
)

# Which number -----------------------------------------------------------------------------------

which_error = Choice(
    id="rating.which_error",
    title="A bottle that loses a customer",
    same_for_all=True,
    prompt="""
A shop sends its customers wine by predicted stars.
A bottle half a star off goes unnoticed; one that is {large} stars off loses the customer.
Two models are tried on {n} past ratings. By which number do you choose?
""",
    options={
        "rmse": "RMSE",
        "mae": "MAE",
        "median": "the median absolute error",
        "ratio": "the error ratio, RMSE over MAE",
        "explained": "the explained variance",
    },
    solve=lambda _: "rmse",
    inputs={"large": 3, "n": 500},
    draw=lambda rng: {
        "large": int(rng.choice([2, 3, 4])),
        "n": int(rng.choice([200, 500, 1000, 2000])),
    },
    reasons={
        "rmse": "One large error costs more than many small ones, and squaring says so. Better "
        "still, count the bottles that are that far off.",
    },
    misconceptions=(
        Misconception(
            id="every-star-alike",
            name="every star alike",
            wrong_answer=lambda _: "mae",
            cause="For the MAE, one error of three stars costs what six of half a star cost. Here "
            "the six cost nothing.",
            hint="Would you swap one lost customer for six who notice nothing?",
        ),
        Misconception(
            id="better-half",
            name="the better half",
            wrong_answer=lambda _: "median",
            cause="The median looks at the better half of the bottles. However bad the others "
            "are, it does not move.",
            hint="What does the median say when four in ten bottles are five stars off?",
        ),
        Misconception(
            id="large-for-uneven",
            name="large for uneven",
            wrong_answer=lambda _: "ratio",
            cause="The ratio says how uneven errors are. Send every customer a bottle that is "
            "equally far off, and it is at its best value.",
            hint="What is the ratio if all bottles are three stars off?",
        ),
        Misconception(
            id="forgiven-offset",
            name="forgiven offset",
            wrong_answer=lambda _: "explained",
            cause="The explained variance forgives an error that all predictions share. The "
            "customers do not.",
            hint="What does it say of a model that is three stars too high each time?",
        ),
    ),
    hints=(
        "What is it that costs the shop money?",
        "Write down what each number says of one error of three stars beside six of half a star.",
        "You need a number in which a large error weighs more than its stars.",
    ),
    steps=(
        Step(
            "Two models, ten bottles. One is half a star off throughout; the other is exact but "
            "for one bottle. MAE, then RMSE:",
            "from recsys_metrics.rating import mae, rmse\n"
            "steady, rare = [0.5] * 10, [0] * 9 + [large]\n"
            "[[round(f([0] * 10, e), 3) for f in (mae, rmse)] for e in (steady, rare)]",
        ),
        Step("Only squaring puts the lost customer clearly behind the ten who notice nothing."),
    ),
    insight="Ask what an error costs as it grows. If twice the error costs more than twice as "
    "much, square it.",
    minutes=2,
)

# In words ----------------------------------------------------------------------------------------


explain_drop = Text(
    id="rating.explain_drop",
    title="The RMSE went down",
    prompt="""
On {n} thousand ratings of last month, a colleague reports, the RMSE fell by {percent} percent,
"so people get better recommendations".
Tell her in two or three sentences what the number says, what it does not, and what you would look
at next.
""",
    inputs={"percent": 4, "n": 20},
    draw=lambda rng: {
        "percent": int(rng.integers(3, 15)),
        "n": int(rng.integers(5, 60)),
    },
    model="Predicted ratings are closer to the ratings that people gave. It says nothing about "
    "films they have not rated, and nothing about the order: a correction that is the same for "
    "all films of a user lowers the RMSE and leaves the list as it was. I would look at the lists "
    "themselves, with a measure of their top such as NDCG@10, and at who gained: the mean over "
    "users, not only over ratings.",
    criteria=(
        "It says that the number is about ratings people gave, not about what is shown.",
        "It says that the order of a list can stay the same while the RMSE falls.",
        "It names something to look at next: a ranking measure, the lists, users one by one.",
    ),
    misconceptions=(
        Misconception(
            id="error-for-order",
            name="error for order",
            wrong_answer=lambda inputs: None,
            cause="A lower error is taken for a better list.",
            hint="Which films changed places?",
        ),
    ),
    hints=(
        "Which films is the RMSE computed on?",
        "Think of a change that moves all predictions of one user by the same amount.",
        "Say what you would measure if you could see the ten films that are shown.",
    ),
    insight="An error measure grades numbers. Whoever reads a list never sees them.",
    minutes=4,
    points=2,
)
