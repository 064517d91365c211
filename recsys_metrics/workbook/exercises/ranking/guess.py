"""The guess at the start of the chapter."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.predict import Predict
from recsys_metrics.workbook.exercises.ranking import running_list

first_guess = Predict(
    id="ranking.first_guess",
    title="One list, three numbers",
    prompt="Which of these numbers will be the highest for this list?",
    options={
        "precision": "Of the films shown, the share that is wanted.",
        "recall": "Of the films wanted, the share that is shown.",
        "ndcg": "What wanted films add, less the lower they stand, out of the most they could.",
        "alike": "They will be nearly the same.",
    },
    says={
        "precision": "You look at what is shown, and most of it is good. Look out for how many "
        "films stand below the line of the fraction.",
        "recall": "You ask what was missed, and little was. Look out for what happens when "
        "somebody wants more films than the list can hold.",
        "ndcg": "You expect the order to help: good films, high number. Look out for what stands "
        "at the first rank here.",
        "alike": "You expect one list to have one quality. Look out for what each number is a "
        "share of.",
    },
    came_out="Recall was the highest, and NDCG the lowest. All three count the same hits. They "
    "differ in what they divide by, and in whether they mind the order.",
    inputs=running_list.STATED,
    picture=running_list.picture,
)
