"""MAE and RMSE: computed, written, put in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.rating import mae, rmse
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.rating import stars

_E1: Inputs = {"predicted": [3, 5, 2, 4], "actual": [4, 5, 4, 3]}


def _solve(inputs: Inputs) -> dict[str, float]:
    actual, predicted = inputs["actual"], inputs["predicted"]
    return {
        "mae": mae(actual, predicted),
        "rmse": rmse(actual, predicted),
        "film": stars.largest(inputs),
    }


def _one_fewer(inputs: Inputs) -> dict[str, float]:
    found = stars.errors(inputs)
    return {
        "mae": sum(map(abs, found)) / (len(found) - 1),
        "rmse": stars.root(sum(stars.squares(found)) / (len(found) - 1)),
    }


def _sums(inputs: Inputs) -> dict[str, float]:
    found = stars.errors(inputs)
    return {"mae": sum(map(abs, found)), "rmse": stars.root(sum(stars.squares(found)))}


def _other_side(inputs: Inputs) -> float:
    """Return the film with the largest error of the other sign."""
    found = stars.errors(inputs)
    sign = 1 if found[stars.largest(inputs) - 1] > 0 else -1
    turned = [-sign * error for error in found]
    return 1 + turned.index(max(turned))


mae_and_rmse = Numbers(
    attribute="mae_and_rmse",
    id="rating.e1",
    title="MAE and RMSE of four films",
    prompt="""
A model predicts {predicted} for four films. Their ratings are {actual}.

Compute the MAE and the RMSE. Then name the film, from 1 to 4, whose prediction is most
responsible for the gap between the two.
""",
    asks={"mae": "MAE, in stars", "rmse": "RMSE, in stars", "film": "film, from 1"},
    inputs=_E1,
    solve=_solve,
    draw=stars.draw_stars,
    misconceptions=(
        Misconception(
            id="cancelled-errors",
            name="cancelled errors",
            wrong_answer=lambda inputs: {"mae": stars.mean(stars.errors(inputs))},
            cause="The errors kept their signs, so a star too many made up for a star too few.",
            hint="By how many stars is a prediction off that is two stars too low?",
        ),
        Misconception(
            id="cancelled-errors-turned",
            name="cancelled errors",
            wrong_answer=lambda inputs: {"mae": -stars.mean(stars.errors(inputs))},
            cause="The errors kept their signs, taken as rating minus prediction, so that one "
            "made up for another.",
            hint="By how many stars is a prediction off that is two stars too high?",
        ),
        Misconception(
            id="missing-root",
            name="missing root",
            wrong_answer=lambda inputs: {"rmse": stars.mean(stars.squares(stars.errors(inputs)))},
            cause="That is the mean of the squares, the MSE, in squared stars.",
            hint="Which of the four words of the name is still to be done?",
        ),
        Misconception(
            id="root-too-early",
            name="root too early",
            wrong_answer=lambda inputs: {"rmse": mae(inputs["actual"], inputs["predicted"])},
            cause="The root was taken of each square, which gives the errors back without their "
            "signs. Their mean is the MAE.",
            hint="Read the name from the inside out: what comes after squared?",
        ),
        Misconception(
            id="sum-for-mean",
            name="sum for mean",
            wrong_answer=_sums,
            cause="The errors were added up and not divided, so that four films look worse than "
            "one.",
            hint="How many films are there, and where does that number go?",
        ),
        Misconception(
            id="one-fewer",
            name="one fewer",
            wrong_answer=_one_fewer,
            cause="The sum was divided by one less than the number of films, as for the standard "
            "deviation of a sample. Nothing is estimated here.",
            hint="How many errors are averaged?",
        ),
        Misconception(
            id="counted-from-zero",
            name="counted from zero",
            wrong_answer=lambda inputs: {"film": stars.largest(inputs) - 1},
            cause="The films were counted from 0. The first one is film 1.",
            hint="Which number has the first film?",
        ),
        Misconception(
            id="one-side-only",
            name="one side only",
            wrong_answer=lambda inputs: {"film": _other_side(inputs)},
            cause="Only predictions that err to one side were looked at. An error to the other "
            "side counts as much.",
            hint="Which error is the largest when you leave its sign out?",
        ),
    ),
    hints=(
        "Write the four errors down first: prediction minus rating.",
        "For the MAE leave the signs out and take the mean. For the RMSE square them, take the "
        "mean, and then the root of it.",
        "The gap comes from squaring. Which error grows most when it is squared?",
    ),
    steps=(
        Step(
            "The errors, prediction minus rating:",
            "errors = [p - a for p, a in zip(predicted, actual)]\nerrors",
        ),
        Step(
            "Without their signs, on average:",
            "mae = sum(abs(error) for error in errors) / len(errors)\nround(mae, 3)",
        ),
        Step(
            "Squared, on average, and then the root:",
            "rmse = (sum(error**2 for error in errors) / len(errors)) ** 0.5\nround(rmse, 3)",
        ),
        Step(
            "Of all that was squared, what share does each film bring?",
            "shares = [error**2 / sum(e**2 for e in errors) for error in errors]\n"
            "[round(share, 3) for share in shares]",
        ),
        Step("The film with the largest share:", "film = shares.index(max(shares)) + 1\nfilm"),
    ),
    insight="The RMSE is the larger one whenever errors differ in size, and the largest of them "
    "is most of the reason.",
    minutes=5,
    points=3,
)

mae_or_rmse = Choice(
    attribute="mae_or_rmse",
    id="rating.e1b",
    title="Which is larger, and whose doing is it?",
    same_for_all=True,
    prompt="""
The same four films: predicted {predicted}, rated {actual}.
Which of the two is larger, MAE or RMSE, and which prediction is most responsible?
""",
    options={
        "largest": "RMSE; the prediction that is furthest off, whichever way",
        "all": "RMSE; all predictions alike, because each of them is squared",
        "highest": "RMSE; the prediction for the film with the best rating",
        "mae": "MAE; the root makes every error smaller, the largest one most",
        "level": "Neither; the root undoes the squares",
    },
    solve=lambda inputs: "largest",
    inputs=_E1,
    draw=stars.draw_stars,
    reasons={
        "largest": "Squaring lets large errors weigh more than their size, and one root at the "
        "end does not take that back.",
    },
    misconceptions=(
        Misconception(
            id="all-alike",
            name="all alike",
            wrong_answer=lambda inputs: "all",
            cause="Each error is squared, and it does not grow by the same factor: one star stays "
            "one, two stars become four.",
            hint="If all four errors were one star, how far apart would MAE and RMSE be?",
        ),
        Misconception(
            id="stars-for-errors",
            name="stars for errors",
            wrong_answer=lambda inputs: "highest",
            cause="What is squared is the error. The rating itself does not matter.",
            hint="What does a film with five stars add if its prediction is exact?",
        ),
        Misconception(
            id="root-shrinks",
            name="root as a discount",
            wrong_answer=lambda inputs: "mae",
            cause="The root brings squared stars back to stars. It cannot end below the MAE.",
            hint="What are both numbers for two errors, 0 and 2?",
        ),
        Misconception(
            id="root-too-early",
            name="root too early",
            wrong_answer=lambda inputs: "level",
            cause="The root would undo the squares if it were taken of each. It is taken of their "
            "mean.",
            hint="Between the square and the root stands one more word. Which?",
        ),
    ),
    hints=(
        "Compute both, or take two errors only: 0 and 2.",
        "Ask what squaring does to an error of one star, and to one of two.",
        "If the root could undo everything, the two would have the same name.",
    ),
    steps=(
        Step(
            "The errors without their signs, and their squares:",
            "errors = [abs(p - a) for p, a in zip(predicted, actual)]\n"
            "errors, [error**2 for error in errors]",
        ),
        Step(
            "MAE, then RMSE, to three decimals:",
            "from recsys_metrics.rating import mae, rmse\n"
            "round(mae(actual, predicted), 3), round(rmse(actual, predicted), 3)",
        ),
        Step("The largest error grew most, and the mean of the squares is mostly its own."),
    ),
    insight="RMSE is never below MAE. The further one error stands out, the wider the gap.",
    minutes=2,
)

# What an error weighs -----------------------------------------------------------------------------


def _times(inputs: Inputs) -> float:
    return float(inputs["large"] / inputs["small"])


weighs = Numbers(
    id="rating.weighs",
    title="How many small ones make a large one?",
    prompt="""
One prediction is {large} stars off. Some others are {small} stars off each.

How many of the small errors weigh as much as the one large error in an MAE? And how many in an MSE?
""",
    asks={"mae": "small errors, in the MAE", "mse": "small errors, in the MSE"},
    inputs={"large": 3.0, "small": 0.5},
    solve=lambda inputs: {"mae": _times(inputs), "mse": _times(inputs) ** 2},
    draw=lambda rng: {
        "large": float(rng.integers(12, 41)) / 10,
        "small": float(rng.choice([0.1, 0.2, 0.25, 0.4, 0.5])),
    },
    misconceptions=(
        Misconception(
            id="all-alike",
            name="all alike",
            wrong_answer=lambda _: {"mae": 1.0},
            cause="One error was counted as much as any other. The MAE adds up stars, and the "
            "large error has more of them.",
            hint="What do two errors add to the sum, one of half a star and one of three?",
        ),
        Misconception(
            id="swapped",
            name="squares for sizes",
            wrong_answer=lambda inputs: {"mae": _times(inputs) ** 2, "mse": _times(inputs)},
            cause="The two have changed places. The MAE takes the size of an error, the MSE its "
            "square.",
            hint="In which of the two does an error weigh more than its stars?",
        ),
        Misconception(
            id="one-square",
            name="one square",
            wrong_answer=lambda inputs: {"mse": inputs["large"] ** 2 / inputs["small"]},
            cause="Only the large error was squared. The small ones are squared, too, and become "
            "smaller still.",
            hint="What is the square of the small error?",
        ),
        Misconception(
            id="large-square",
            name="square alone",
            wrong_answer=lambda inputs: {"mse": inputs["large"] ** 2},
            cause="That is the square of the large error, in squared stars. How many small ones it "
            "takes is still to be asked.",
            hint="What does one small error bring when it is squared?",
        ),
        Misconception(
            id="difference-for-times",
            name="difference for times",
            wrong_answer=lambda inputs: {
                "mae": inputs["large"] - inputs["small"],
                "mse": inputs["large"] ** 2 - inputs["small"] ** 2,
            },
            cause="The small error was taken away from the large one. The question is how often it "
            "fits in.",
            hint="How many small errors, added up, are as much as the large one?",
        ),
        Misconception(
            id="upside-down",
            name="upside down",
            wrong_answer=lambda inputs: {"mae": 1 / _times(inputs), "mse": 1 / _times(inputs) ** 2},
            cause="The small one was divided by the large one.",
            hint="Should it take more than one small error, or less?",
        ),
    ),
    hints=(
        "In the MAE each error brings its size; in the MSE its square.",
        "Divide what the large error brings by what a small one brings.",
        "For the MSE, square both before you divide.",
    ),
    steps=(
        Step("Sizes, one over the other:", "mae = large / small\nround(mae, 3)"),
        Step("Squares, one over the other:", "mse = large**2 / small**2\nround(mse, 3)"),
    ),
    insight="An error that is three times as large counts nine times as much once it is squared.",
    minutes=2,
    points=1,
)

# Line by line ------------------------------------------------------------------------------------

_RMSE = ("def", "errors", "squares", "mean", "root")


def _swap(**others: str) -> tuple[str, ...]:
    return tuple(others.get(key, key) for key in _RMSE)


order_rmse = Order(
    id="rating.order_rmse",
    title="Inside out",
    prompt="""
Put the lines in order: a function that does what the name *root mean squared error* says, read
from its last word to its first.
""",
    lines={
        "def": "def rmse(actual, predicted):",
        "errors": "    errors = [p - a for p, a in zip(predicted, actual)]",
        "squares": "    squares = [error ** 2 for error in errors]",
        "mean": "    mean = sum(squares) / len(squares)",
        "root": "    return mean ** 0.5",
        "sum": "    mean = sum(squares)",
        "sizes": "    squares = [abs(error) for error in errors]",
        "early": "    squares = [(error ** 2) ** 0.5 for error in errors]",
        "no-root": "    return mean",
    },
    solve=lambda _: _RMSE,
    misconceptions=(
        Misconception(
            id="missing-root",
            name="missing root",
            wrong_answer=lambda _: [_swap(root="no-root"), ("def", "errors", "squares", "mean")],
            cause="It ends with the mean of the squares. That is the MSE.",
            hint="In which unit is the value that comes back?",
        ),
        Misconception(
            id="sum-for-mean",
            name="sum for mean",
            wrong_answer=lambda _: [_swap(mean="sum"), _swap(mean="sum", root="no-root")],
            cause="The squares are added up and not divided, so that a model looks worse the more "
            "films it is tried on.",
            hint="Where does the function use how many films there are?",
        ),
        Misconception(
            id="absolute-for-square",
            name="absolute for squared",
            wrong_answer=lambda _: [_swap(squares="sizes"), _swap(squares="sizes", root="no-root")],
            cause="Signs are left out where the name says *squared*.",
            hint="What should happen to an error of two stars, compared with one of one star?",
        ),
        Misconception(
            id="root-too-early",
            name="root too early",
            wrong_answer=lambda _: [
                _swap(squares="early", root="no-root"),
                _swap(squares="early"),
            ],
            cause="The root is taken of every square, so it gives the size of each error back.",
            hint="Which word of the name stands between *root* and *squared*?",
        ),
    ),
    hints=(
        "The name has four words, and the last one comes first.",
        "Error, squared, mean, root: each is one line, after the line with the name.",
        "Four lines are left over. Each of them differs from a needed one in a single place.",
    ),
    steps=(
        Step(
            "One line a word, from *error* to *root*:",
            "def rmse(actual, predicted):\n"
            "    errors = [p - a for p, a in zip(predicted, actual)]\n"
            "    squares = [error**2 for error in errors]\n"
            "    mean = sum(squares) / len(squares)\n"
            "    return mean**0.5",
        ),
        Step("Off by nothing and by two stars:", "round(rmse([3, 3], [3, 5]), 3)"),
    ),
    insight="The names are recipes, read from the inside out.",
    minutes=3,
    points=2,
)

# The function ------------------------------------------------------------------------------------


def _rmse(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(rmse(actual, predicted))


def _signed(actual: Sequence[float], predicted: Sequence[float]) -> list[float]:
    return [p - a for a, p in zip(actual, predicted, strict=True)]


def _mse(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean(stars.squares(_signed(actual, predicted)))


def _mae(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean([abs(error) for error in _signed(actual, predicted)])


def _root_of_sum(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.root(sum(stars.squares(_signed(actual, predicted))))


def _root_over_count(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return _root_of_sum(actual, predicted) / len(actual)


def _sample(actual: Sequence[float], predicted: Sequence[float]) -> float:
    found = stars.squares(_signed(actual, predicted))
    return stars.root(sum(found) / (len(found) - 1))


def _sample_numpy(actual: Sequence[float], predicted: Sequence[float]) -> float:
    if len(actual) == 1:
        return float("nan")
    return _sample(actual, predicted)


def _deviation(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(np.std(_signed(actual, predicted)))


def _squared_mean(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return abs(stars.mean(_signed(actual, predicted)))


def _signed_mean(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean(_signed(actual, predicted))


def _case(actual: list[float], predicted: list[float], why: str = "") -> Case:
    return Case({"actual": actual, "predicted": predicted}, why)


_EDGES = (
    _case([4], [2], "there is one rating"),
    _case([3, 5], [3, 5], "every prediction is exact"),
)


def _draw_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return ratings in half stars, and the edges."""
    drawn = []
    for n in (3, 4, 6, 9):
        actual, predicted = (rng.integers(1, 11, size=n) / 2 for _ in range(2))
        drawn.append(_case(actual.tolist(), predicted.tolist()))
    steady = (rng.integers(5, 11, size=4) / 2).tolist()
    return (
        *drawn,
        _case(steady, [stars_ - 1 for stars_ in steady], "every prediction is a star too low"),
        *_EDGES,
    )


def _abs_of_sum(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return abs(_signed_mean(actual, predicted))


def _mae_or_library(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(mae(actual, predicted))


def _too_high(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean([max(error, 0) for error in _signed(actual, predicted)])


def _too_low(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean([max(-error, 0) for error in _signed(actual, predicted)])


def _largest(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return max(map(abs, _signed(actual, predicted)))


def _largest_over_count(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return _largest(actual, predicted) / len(actual)


complete_mae = Function(
    id="rating.complete_mae",
    title="MAE with one line missing",
    prompt="""
Complete the line with `...`: the mean absolute error.

- Both are lists of numbers of the same length, with at least one rating.
- The first line has the errors already, with their signs.
""",
    function="my_mae",
    solve=_mae_or_library,
    template="""
errors = [p - a for a, p in zip(actual, predicted, strict=True)]
return ... / len(errors)
""".strip(),
    template_answer="sum(abs(error) for error in errors)",
    cases=(
        _case([4, 1, 3, 5], [3, 3, 3, 2]),
        _case([2, 4, 3], [4, 3.5, 5], "more is predicted too high than too low"),
        _case([2, 4.5, 3], [3.5, 4, 1]),
        _case([5, 4, 3], [3, 2, 1], "every prediction is two stars too low"),
        *_EDGES,
    ),
    draw=_draw_cases,
    misconceptions=(
        Misconception(
            id="cancelled-errors",
            name="cancelled errors",
            wrong_answer=_signed_mean,
            cause="The errors keep their signs, so that one upwards makes up for one downwards.",
            hint="What comes back for two predictions, one a star too high and one a star too low?",
        ),
        Misconception(
            id="sign-too-late",
            name="sign left out too late",
            wrong_answer=_abs_of_sum,
            cause="The sign is left out of the sum. By then the errors have cancelled already.",
            hint="Of what should the sign be left out: of each error, or of their sum?",
        ),
        Misconception(
            id="absolute-for-square",
            name="squared for absolute",
            wrong_answer=_mse,
            cause="The errors are squared, so this is the MSE, in squared stars.",
            hint="Which word of the name comes before *error*?",
        ),
        Misconception(
            id="one-side-only",
            name="one side only",
            wrong_answer=_too_high,
            variants=(_too_low,),
            cause="Only errors to one side are added up. The others are errors, too.",
            hint="By how many stars is a prediction off that is two stars too low?",
        ),
        Misconception(
            id="worst-for-all",
            name="worst for all",
            wrong_answer=_largest_over_count,
            cause="Only the largest error stands above the line.",
            hint="What do the other errors add?",
        ),
    ),
    hints=(
        "Each error should count by its size, whichever way it points.",
        "`abs(...)` leaves the sign out. It has to come before the sum.",
        "A sum of `abs(error)`, over all `errors`.",
    ),
    steps=(
        Step("Each error without its sign, then their sum; the line divides it by their number."),
        Step("One star too low, and two too high:", "my_mae([4, 3], [3, 5])"),
    ),
    insight="The order decides: sign off first, then the sum.",
    minutes=2,
    points=1,
)

write_rmse = Function(
    id="rating.write_rmse",
    title="Write RMSE",
    prompt="""
Write `my_rmse(actual, predicted)`: the root of the mean squared error.

- Both are lists of numbers of the same length, with at least one rating.
- The result is one number, in stars.
""",
    function="my_rmse",
    solve=_rmse,
    cases=(
        _case([5, 2, 3, 3], [4, 2, 5, 3]),
        _case([5, 2, 4, 1, 5], [4.2, 2.8, 3.5, 1.5, 4.7]),
        _case([5, 4, 3, 2, 1], [1, 4.1, 3.1, 1.9, 1.1], "one prediction is far off"),
        _case([5, 4, 3], [3, 2, 1], "every prediction is two stars too low"),
        *_EDGES,
    ),
    draw=_draw_cases,
    misconceptions=(
        Misconception(
            id="missing-root",
            name="missing root",
            wrong_answer=_mse,
            cause="It returns the mean of the squares, which is the MSE.",
            hint="In which unit is a squared star?",
        ),
        Misconception(
            id="root-too-early",
            name="root too early",
            wrong_answer=_mae,
            cause="It averages the sizes of the errors. The root of a square is the size itself, "
            "so the root has to wait until after the mean. This is the MAE.",
            hint="Off by nothing and by two stars: what should come back, and what does?",
        ),
        Misconception(
            id="sum-for-mean",
            name="sum for mean",
            wrong_answer=_root_of_sum,
            cause="The squares are added up and never divided by how many there are.",
            hint="Does the value double if you write every rating down four times?",
        ),
        Misconception(
            id="divided-after-root",
            name="divided after the root",
            wrong_answer=_root_over_count,
            cause="The division by the number of ratings comes after the root. The mean is inside.",
            hint="What comes back if every prediction is two stars too low?",
        ),
        Misconception(
            id="one-fewer",
            name="one fewer",
            wrong_answer=_sample,
            variants=(_sample_numpy,),
            cause="The denominator is one less than the number of ratings, as for a sample's "
            "standard deviation. With one rating nothing is left to divide by.",
            hint="How many squares are averaged?",
        ),
        Misconception(
            id="forgiven-offset",
            name="forgiven offset",
            wrong_answer=_deviation,
            cause="It returns the standard deviation of the errors, which takes their mean away "
            "first. A model that is always two stars too low then has no error.",
            hint="What should come back if every prediction is two stars too low?",
        ),
        Misconception(
            id="cancelled-errors",
            name="cancelled errors",
            wrong_answer=_squared_mean,
            variants=(_signed_mean,),
            cause="The errors are averaged with their signs, so that one makes up for another.",
            hint="Which comes first in the name, read from its end: the square or the mean?",
        ),
    ),
    hints=(
        "Read the name from its last word: error, squared, mean, root.",
        "`zip(predicted, actual)` gives the pairs; the mean is a sum divided by `len(actual)`.",
        "The root is the last thing that happens: `** 0.5` on one number.",
    ),
    steps=(
        Step(
            "One step a word:",
            "def my_rmse(actual, predicted):\n"
            "    squares = [(p - a) ** 2 for p, a in zip(predicted, actual)]\n"
            "    return (sum(squares) / len(squares)) ** 0.5",
        ),
        Step(
            "Two stars too low each time:",
            "my_rmse([5, 4, 3], [3, 2, 1])",
        ),
    ),
    insight="`zip` stops at the shorter list without a word; the library refuses lists of "
    "different lengths.",
    minutes=5,
    points=2,
)
