"""The guess at the start of the chapter."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.predict import Predict

first_guess = Predict(
    id="beyond_accuracy.first_guess",
    title="Who wins beyond accuracy",
    prompt="""
Four recommenders show ten films to each of the same people. They are compared by five numbers
that do not ask whether anybody liked the films: how much of the catalogue is reached, how varied
a list is, how little known its films are, how evenly films are shown, and how different the lists
of two people are.

Which recommender wins all five?
""",
    options={
        "random": "Random: it knows nobody.",
        "popularity": "Popularity: it shows what most people liked.",
        "knn": "Item kNN: it follows what each person has seen.",
        "ease": "EASE: it is the most accurate of the four.",
        "none": "None of them: each is good at something.",
    },
    says={
        "random": "You expect numbers that do not ask for taste to reward those who have none. "
        "Look out for what has to stand beside them.",
        "popularity": "You expect what many liked to be many things. Look out for how many "
        "different films its lists hold.",
        "knn": "You expect lists that follow a person to be unlike each other. Look out for how "
        "far their films are from the best known ones.",
        "ease": "You expect a good model to be good all round. Look out for the films that its "
        "lists have in common.",
        "none": "You expect five numbers to disagree, as those of a list did. Look out for what "
        "all five have in common.",
    },
    came_out="Random won all five, and hardly anybody liked its films. None of the five asks for "
    "that. They describe a list; they do not grade it, unless accuracy stands beside them.",
)
