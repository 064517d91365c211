"""The guesses at the start of the parts."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.prediction import Predict

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
    beliefs={
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
    observed="Random has the best value of all five in the table here, but almost none of its "
    "films are relevant. None of the five metrics measures relevance. They describe a list, and "
    "they do not rate it unless an accuracy metric is reported with them.",
)

drawn_by_lot = Predict(
    id="beyond_accuracy.drawn_by_lot",
    title="Two lists drawn by lot",
    prompt="""
A recommender draws ten films for each user by lot, out of a thousand.

Of ten films, how many do two users have in common, on average?
""",
    options={
        "hardly": "Hardly any.",
        "some": "Some: one or two.",
        "half": "Half: about five.",
    },
    beliefs={
        "hardly": "You expect a thousand films to keep two lists of ten apart. Watch for what "
        "that says about how well they fit.",
        "some": "You expect chance to bring people together now and then. Watch for how many "
        "films there are for each of the ten.",
        "half": "You expect lists of one shelf to be much alike. Watch for how much of the shelf "
        "one list takes.",
    },
    observed="Hardly any: each of the ten films is in the other list one time in a hundred, so two "
    "lists share a tenth of one film. No two people get the same, and nobody's taste was asked.",
    ordered=True,
)

popular_films = Predict(
    id="beyond_accuracy.popular_films",
    title="Ten films for hundreds of people",
    prompt="""
Everybody is shown the ten most popular films that they have not seen. There are a few hundred
users and nine thousand films.

How many different films are shown in all?
""",
    options={
        "ten": "Ten: it is one list.",
        "dozens": "Dozens.",
        "hundreds": "Hundreds.",
    },
    beliefs={
        "ten": "You expect one list for all. Watch for what becomes of the films that somebody has "
        "seen already.",
        "dozens": "You expect the lists to move down the ranking a little. Watch for whose list "
        "moves furthest.",
        "hundreds": "You expect what people have seen to make their lists differ much. Watch for "
        "how alike two lists are.",
    },
    observed="Some dozens. A user who has seen many of the popular films gets the next ones, so "
    "the lists of these users differ a little, and most of the catalogue is not shown at all.",
    ordered=True,
)
