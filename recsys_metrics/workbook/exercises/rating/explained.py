"""Against a guess that knows nothing: the mean, R², explained variance."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

from recsys_metrics.rating import explained_variance, mae, mse, r2, rmse
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.rating import stars


def _always(inputs: Inputs, guess: float) -> dict[str, float]:
    actual = inputs["actual"]
    constant = [guess] * len(actual)
    return {"mae": mae(actual, constant), "rmse": rmse(actual, constant)}


def _solve_constant(inputs: Inputs) -> dict[str, float]:
    return _always(inputs, stars.mean(inputs["actual"]))


def _draw_constant(rng: np.random.Generator) -> Inputs:
    """Return stars whose mean and median differ."""
    while True:
        actual = [int(star) for star in rng.integers(1, 6, size=5)]
        if stars.mean(actual) != statistics.median(actual):
            return {"actual": actual}


own_mean = Numbers(
    id="rating.own_mean",
    title="Always the same guess",
    prompt="""
Someone gives five films {actual} stars. A model predicts the mean of these five, every time.

Compute its MAE and its RMSE.
""",
    asks={"mae": "MAE", "rmse": "RMSE"},
    inputs={"actual": [5, 4, 5, 3, 4]},
    solve=_solve_constant,
    draw=_draw_constant,
    misconceptions=(
        Misconception(
            id="perfect-constant",
            name="perfect constant",
            wrong_answer=lambda _: {"mae": 0.0, "rmse": 0.0},
            cause="The mean is right on average, and being right on average is not being exact: "
            "the errors cancel, their sizes do not.",
            hint="By how much is the mean off for the first film?",
        ),
        Misconception(
            id="cancelled-errors",
            name="cancelled errors",
            wrong_answer=lambda _: {"mae": 0.0},
            cause="The errors kept their signs. Around the mean they add up to 0 for anybody.",
            hint="By how many stars is a prediction off that is one star too high?",
        ),
        Misconception(
            id="missing-root",
            name="missing root",
            wrong_answer=lambda inputs: {
                "rmse": mse(inputs["actual"], [stars.mean(inputs["actual"])] * 5)
            },
            cause="That is the mean of the squares, the variance of the ratings.",
            hint="What turns squared stars into stars?",
        ),
        Misconception(
            id="one-fewer",
            name="one fewer",
            wrong_answer=lambda inputs: {"rmse": statistics.stdev(inputs["actual"])},
            cause="The squares were divided by four, as for the standard deviation of a sample. "
            "Here five errors are averaged.",
            hint="How many predictions were made?",
        ),
        Misconception(
            id="median-for-mean",
            name="median for mean",
            wrong_answer=lambda inputs: _always(inputs, statistics.median(inputs["actual"])),
            cause="The prediction was taken as the median of the ratings.",
            hint="What are five ratings on average?",
        ),
    ),
    hints=(
        "The mean is the prediction for each of the five films. Write down the five errors.",
        "Their sizes, averaged, are the MAE.",
        "Their squares, averaged, are the variance. What is left to do for the RMSE?",
    ),
    steps=(
        Step("The prediction, for every film:", "mean = sum(actual) / len(actual)\nmean"),
        Step(
            "The sizes of the errors, averaged:",
            "mae = sum(abs(mean - a) for a in actual) / len(actual)\nround(mae, 3)",
        ),
        Step(
            "The root of the mean of their squares:",
            "rmse = (sum((mean - a) ** 2 for a in actual) / len(actual)) ** 0.5\nround(rmse, 3)",
        ),
    ),
    insight="The RMSE of the mean is the standard deviation of the ratings. Nothing is perfect "
    "about it, and it puts all films level.",
    minutes=3,
    points=2,
)


def _solve(inputs: Inputs) -> dict[str, float]:
    actual, predicted = inputs["actual"], inputs["predicted"]
    return {"r2": r2(actual, predicted), "explained": explained_variance(actual, predicted)}


def _swapped(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"r2": right["explained"], "explained": right["r2"]}


def _left_over(inputs: Inputs) -> dict[str, float]:
    return {name: 1 - value for name, value in _solve(inputs).items()}


def _correlation(inputs: Inputs) -> dict[str, float]:
    both = np.corrcoef(inputs["actual"], inputs["predicted"])
    return {"r2": float(both[0, 1]) ** 2}


def _wrong_mean(inputs: Inputs) -> dict[str, float]:
    """Compare with the spread of the predictions, not with that of the ratings."""
    found = stars.errors(inputs)
    spread = np.var(inputs["predicted"])
    return {
        "r2": float(1 - np.mean(np.square(found)) / spread),
        "explained": float(1 - np.var(found) / spread),
    }


def _mixed_denominators(inputs: Inputs) -> dict[str, float]:
    found = stars.errors(inputs)
    spread = statistics.variance(inputs["actual"])
    return {
        "r2": float(1 - np.mean(np.square(found)) / spread),
        "explained": float(1 - np.var(found) / spread),
    }


def _draw(rng: np.random.Generator) -> Inputs:
    """Return five ratings and predictions that are off on average, and not by one amount."""
    while True:
        inputs = stars.draw_stars(rng, n=5)
        spread = len(set(inputs["actual"])) > 1 and len(set(inputs["predicted"])) > 1
        if spread and len(set(map(abs, stars.errors(inputs)))) > 1:
            return inputs


two_r2 = Numbers(
    id="rating.two_r2",
    title="Better than the mean?",
    prompt="""
A model predicts {predicted} for five films. Their ratings are {actual}.

Compute R², which compares with always predicting the mean of the ratings, and the explained
variance, which first forgives the mean error.
""",
    asks={"r2": "R²", "explained": "explained variance"},
    inputs={"predicted": [4, 4, 3, 1, 4], "actual": [5, 4, 2, 1, 3]},
    solve=_solve,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="swapped-r2",
            name="forgiven offset",
            wrong_answer=_swapped,
            cause="The two have changed places. R² charges for being off on average, the explained "
            "variance forgives it.",
            hint="Which of the two can never be below the other?",
        ),
        Misconception(
            id="left-over",
            name="left over for explained",
            wrong_answer=_left_over,
            cause="That is the share of the variation that is left over. What is explained is the "
            "rest.",
            hint="What should both be for exact predictions?",
        ),
        Misconception(
            id="squared-correlation",
            name="correlation squared",
            wrong_answer=_correlation,
            cause="That is the squared correlation, which also forgives predictions that are too "
            "high throughout or spread too far. R² is that only for a line fitted to these very "
            "ratings.",
            hint="What is the correlation if every prediction is one star too high?",
        ),
        Misconception(
            id="wrong-spread",
            name="spread of the predictions",
            wrong_answer=_wrong_mean,
            cause="Below the line stands how far the predictions are spread. It should be the "
            "ratings: they are what has to be explained.",
            hint="Whose mean would a model without any knowledge predict?",
        ),
        Misconception(
            id="one-fewer",
            name="one fewer",
            wrong_answer=_mixed_denominators,
            cause="Above the line five squares were averaged, below it the denominator was four.",
            hint="Do both lines of the fraction have one denominator?",
        ),
    ),
    hints=(
        "Two sums of squares: of the errors, and of how far each rating is from the mean rating.",
        "R² is 1 minus the first over the second.",
        "For the explained variance take the mean error away from each error first.",
    ),
    steps=(
        Step(
            "Errors, and what a constant guess would leave:",
            "import numpy as np\n"
            "errors = np.subtract(predicted, actual)\n"
            "around_mean = np.subtract(actual, np.mean(actual))\n"
            "errors.tolist(), [round(float(x), 3) for x in around_mean]",
        ),
        Step(
            "One minus the sum of the one's squares over that of the other's:",
            "r2 = 1 - (errors**2).sum() / (around_mean**2).sum()\nround(float(r2), 3)",
        ),
        Step(
            "The same once the mean error is taken away:",
            "forgiven = errors - errors.mean()\n"
            "explained = 1 - (forgiven**2).sum() / (around_mean**2).sum()\n"
            "round(float(explained), 3)",
        ),
    ),
    insight="R² is never above the explained variance. Where they part, the model is off on "
    "average, and one number added to every prediction would repair it.",
    minutes=5,
    points=2,
)


# R² with one line missing -------------------------------------------------------------------------


def _r2(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(r2(actual, predicted))


def _left(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return sum((a - p) ** 2 for a, p in zip(actual, predicted, strict=True))


def _around_predictions(actual: Sequence[float], predicted: Sequence[float]) -> float:
    middle = stars.mean(predicted)
    return 1 - _left(actual, predicted) / sum((p - middle) ** 2 for p in predicted)


def _predictions_around_mean(actual: Sequence[float], predicted: Sequence[float]) -> float:
    middle = stars.mean(actual)
    return 1 - _left(actual, predicted) / sum((p - middle) ** 2 for p in predicted)


def _signed_around(actual: Sequence[float], predicted: Sequence[float]) -> float:
    middle = sum(actual) / len(actual)
    return 1 - _left(actual, predicted) / sum(a - middle for a in actual)


def _sizes_around(actual: Sequence[float], predicted: Sequence[float]) -> float:
    middle = stars.mean(actual)
    return 1 - _left(actual, predicted) / sum(abs(a - middle) for a in actual)


def _around_nothing(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return 1 - _left(actual, predicted) / sum(stars.squares(actual))


def _mean_around(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return 1 - _left(actual, predicted) / float(np.var(actual))


def _sample_around(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return 1 - _left(actual, predicted) / statistics.variance(actual)


def _rated(actual: list[float], predicted: list[float], why: str = "") -> Case:
    return Case({"actual": actual, "predicted": predicted}, why)


_ENDS = (
    _rated([5, 3, 1], [5, 3, 1], "every prediction is exact"),
    _rated([5, 3, 2, 1], [1, 2, 3, 5], "the model is worse than the mean"),
)


def _draw_ratings(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return ratings in half stars that are not all alike, and predictions that are not either."""
    drawn: list[Case] = []
    while len(drawn) < 4:
        actual, predicted = (rng.integers(1, 11, size=len(drawn) + 3) / 2 for _ in range(2))
        # Around whole sums of halves the errors cancel to 0 exactly, or nearly.
        if len(set(actual)) > 1 and len(set(predicted)) > 1:
            drawn.append(_rated(actual.tolist(), predicted.tolist()))
    return (*drawn, *_ENDS)


complete_r2 = Function(
    id="rating.complete_r2",
    title="R² with one line missing",
    prompt="""
R² compares a model with a guess that says the mean of the ratings for every film. Complete the line
with `...`: the sum of the squares that this guess leaves.

- Both are lists of numbers of the same length; the ratings are not all equal.
- `left` is the sum of the squares that the model leaves.
""",
    function="my_r2",
    solve=_r2,
    template="""
mean = sum(actual) / len(actual)
left = sum((a - p) ** 2 for a, p in zip(actual, predicted, strict=True))
around = ...
return 1 - left / around
""".strip(),
    template_answer="sum((a - mean) ** 2 for a in actual)",
    cases=(
        _rated([4, 1, 3, 5], [3, 2, 4, 4]),
        _rated([2, 5, 4], [2.5, 3, 4.5]),
        _rated([1, 2, 5, 4], [3.5, 3, 3.5, 3], "the predictions stay near the middle"),
        *_ENDS,
    ),
    draw=_draw_ratings,
    misconceptions=(
        Misconception(
            id="wrong-spread",
            name="spread of the predictions",
            wrong_answer=_around_predictions,
            variants=(_predictions_around_mean,),
            cause="That is how far the predictions are spread. What has to be explained is the "
            "ratings.",
            hint="Which list does the guess that says the mean have to come close to?",
        ),
        Misconception(
            id="cancelled-errors",
            name="cancelled errors",
            wrong_answer=_signed_around,
            cause="Around their mean the ratings lie as far above as below, so without squares "
            "they add up to 0, or to the dust of rounding.",
            hint="What do the two lines have to do alike, if one is divided by the other?",
        ),
        Misconception(
            id="absolute-for-square",
            name="absolute for squared",
            wrong_answer=_sizes_around,
            cause="Above the line stand squares, below it sizes.",
            hint="In which unit is each of the two lines?",
        ),
        Misconception(
            id="around-nothing",
            name="a guess of nothing",
            wrong_answer=_around_nothing,
            cause="These are the squares that a guess of no stars at all would leave.",
            hint="Which number does the guess say that knows nothing of these films?",
        ),
        Misconception(
            id="mixed-denominators",
            name="mean below a sum",
            wrong_answer=_mean_around,
            variants=(_sample_around,),
            cause="Above the line stands a sum of squares, below it a mean. They differ by the "
            "number of films.",
            hint="What should the result be for a model that always says the mean?",
        ),
    ),
    hints=(
        "The line above does the same for the model: each rating less its prediction, squared, "
        "added up.",
        "Put the mean in the place of the prediction.",
        "A sum of `(a - mean) ** 2`, over all ratings.",
    ),
    steps=(
        Step("The same sum as for the model, with the mean for each prediction."),
        Step(
            "A model that always says the mean gets 0:",
            "my_r2([5, 3, 1], [3, 3, 3])",
        ),
    ),
    insight="R² compares two guesses on the same films: the model's, and always the mean.",
    minutes=3,
    points=1,
)
