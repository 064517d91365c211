"""The guess at the start of the chapter."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.predict import Predict

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
    says={
        "steady": "You mind the one large miss. Watch for the number that minds it, too.",
        "exact": "You count how often a prediction is right. Watch for the number that looks at "
        "the better half alone.",
        "same": "You add the stars up. Watch for the number that does the same.",
        "depends": "You expect several numbers to disagree. Watch which one says what.",
    },
    came_out="""
Mean absolute error calls them level, root mean squared error prefers the first, and the median
error prefers the second. All three average the same four errors.
""",
)
