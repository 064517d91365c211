"""The guess at the start of the chapter."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.predict import Predict

first_guess = Predict(
    id="bias.first_guess",
    title="Twenty items that everybody likes equally",
    prompt="""
Twenty items are liked equally by all of {users} users. Each user is shown three of them a day, at
random on the first day. From then on a recommender shows the three items with the most clicks so
far. After ten days, how many different items are still being shown?
""",
    options={
        "all": "All twenty: none is better than another.",
        "most": "Most of them; a few fall behind by chance.",
        "half": "About half of them.",
        "few": "Three or four.",
    },
    says={
        "all": "You expect equal items to be treated equally. Look out for what the recommender "
        "knows: clicks, and not what was liked.",
        "most": "You expect chance to average out as days go by. Look out for who gets the next "
        "click, and whether a lead can ever be caught up.",
        "half": "You expect some drift. Look out for how many days it takes.",
        "few": "You expect a small lead to feed on itself. Look out for what it costs, and for "
        "whether anybody would notice from the clicks.",
    },
    came_out="Three were left from the second day on. The items were equal; the log was not, and "
    "the recommender learned from the log.",
    inputs={"users": 100},
)
