"""The guesses at the start of each part."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.prediction import Predict

first_guess = Predict(
    id="rating.first_guess",
    title="Two ways to be off by four stars",
    prompt="""
Two models predict the same four ratings.
The first is off by one star each time.
The second is exact three times, and off by four stars once.
Which of them will be called the better one?
""",
    options={
        "steady": "The first: it never misses by much",
        "exact": "The second: it is right three times out of four",
        "same": "Neither: both are off by four stars in all",
        "depends": "It depends on who does the calling",
    },
    beliefs={
        "steady": "You mind the one large miss. Watch for the number that minds it, too.",
        "exact": "You count how often a prediction is right. Watch for the number that looks at "
        "the better half alone.",
        "same": "You add the stars up. Watch for the number that does the same.",
        "depends": "You expect several numbers to disagree. Watch which one says what.",
    },
    observed="""
For these ratings the mean absolute error calls them level, the root mean squared error prefers the
first, and the median error prefers the second. All three average the same four errors.
""",
)

mean_or_median = Predict(
    id="rating.mean_or_median",
    title="One number for five films",
    prompt="""
You may say one number of stars for five films, which got five, five, four, four and one.
Which number has the lowest MAE?
""",
    options={
        "mean": "Their mean",
        "median": "Their median",
        "alike": "Both are equally good",
    },
    beliefs={
        "mean": "You take the middle of all the stars. Watch what the one star does to it.",
        "median": "You take the film in the middle. Watch whether MAE or RMSE agrees with you.",
        "alike": "You expect one middle to be as good as another. Watch the two rows of MAE.",
    },
    observed="""
The median: no number has a lower MAE. The mean has the lowest RMSE instead.
""",
)

how_many_change = Predict(
    id="rating.how_many_change",
    title="Closer stars, another list?",
    prompt="""
A predictor learns each person's habit: how many stars they give more or less than others.
Its error falls.
How many films of their list of ten does a person see change?
""",
    options={
        "most": "Most of them",
        "few": "One or two",
        "none": "None",
    },
    beliefs={
        "most": "You expect a better prediction to make another list. Watch what the habit is "
        "added to.",
        "few": "You expect some films to change places. Watch which two a habit could turn round.",
        "none": "You expect the order to stay. Watch whether it does so for everybody.",
    },
    observed="""
None, for anybody: a habit is one number for all films of a person, and one number changes no
order.
""",
    ordered=True,
)
