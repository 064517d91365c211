"""Functions of the protocol with one line missing, each after the example that it repeats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.protocol.candidates import expected_sampled_metric
from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function, make_completer

# First in a sample -----------------------------------------------------------------------------


def _first(rank: int, n_items: int, n_drawn: int) -> float:
    return float(expected_sampled_metric(rank, n_items, n_drawn, "hit_rate", k=1))


def _sampled(rank: int, n_items: int, n_drawn: int, why: str = "") -> Case:
    return Case({"rank": rank, "n_items": n_items, "n_drawn": n_drawn}, why)


def _draw_samples(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(4):
        n_items = int(rng.integers(8, 30))
        rank = int(rng.integers(2, n_items // 2))
        drawn.append(_sampled(rank, n_items, int(rng.integers(2, n_items - rank))))
    n = int(rng.integers(8, 15))
    return (
        *drawn,
        _sampled(1, n, 3, "nothing stands above it"),
        _sampled(n, n, 2, "everything stands above it"),
        _sampled(n - 1, n, 2, "one item stands below it, and two are drawn"),
    )


_FIRST = """
below, others, chance = n_items - rank, n_items - 1, 1.0
for i in range(n_drawn):
    chance *= ...
return chance
""".strip()
_first_with = make_completer("rank, n_items, n_drawn", _FIRST)

complete_first = Function(
    id="protocol.complete_first",
    title="First in a sample, with one line missing",
    prompt="""
Complete the line with `...`: how likely is it that the hidden item comes out first?

- The hidden item stands at `rank` among `n_items` items.
- `n_drawn` of the others are drawn, one after the other, each at most once.
- It comes out first if none of those drawn stands above it. The loop multiplies the chances of the
  draws; `i` items are gone before each.
""",
    function="my_chance_first",
    solve=_first,
    template=_FIRST,
    template_answer="(below - i) / (others - i)",
    cases=(
        _sampled(3, 6, 2),
        _sampled(2, 10, 4),
        _sampled(5, 20, 3),
        _sampled(1, 9, 3, "nothing stands above it"),
        _sampled(9, 9, 2, "everything stands above it"),
        _sampled(8, 9, 2, "one item stands below it, and two are drawn"),
    ),
    draw=_draw_samples,
    misconceptions=(
        Misconception(
            id="with-replacement",
            name="drawn twice",
            wrong_answer=_first_with("below / others"),
            cause="Each draw has the same chance, as if an item could be drawn twice.",
            hint="After one item from below is drawn, how many are left below?",
        ),
        Misconception(
            id="others-stay",
            name="others not counted down",
            wrong_answer=_first_with("(below - i) / others"),
            cause="The items below become fewer with each draw, and those to draw from do not.",
            hint="From how many items is the second one drawn?",
        ),
        Misconception(
            id="drew-itself",
            name="ranked against itself",
            wrong_answer=_first_with("(below - i) / (others + 1 - i)"),
            cause="The hidden item is among those that can be drawn.",
            hint="How many items are there besides the hidden one?",
        ),
        Misconception(
            id="all-above",
            name="above for below",
            wrong_answer=_first_with("(rank - 1 - i) / (others - i)"),
            cause="That is the chance that everything drawn stands above the hidden item.",
            hint="Where must a drawn item stand for the hidden one to stay ahead of it?",
        ),
        Misconception(
            id="others-for-below",
            name="one minus",
            wrong_answer=_first_with("1 - (below - i) / (others - i)"),
            cause="Each draw's chance is taken from 1: these draws all hit an item above.",
            hint="Is the factor the chance of an item above, or of one below?",
        ),
    ),
    hints=(
        "For the first draw the chance is the items below over all others.",
        "For the second draw one item is gone, and it came from below.",
        "Take `i` from both: from the items below and from the others.",
    ),
    steps=(
        Step(
            "Each draw must hit an item below. After i such draws there are i fewer of them, and i "
            "fewer others."
        ),
        Step(
            "The third of six, with two drawn: three samples of ten.",
            "my_chance_first(3, 6, 2)",
        ),
    ),
    insight="What was drawn is gone. So chances of draws from a catalogue shrink from line to "
    "line.",
    minutes=2,
    points=2,
)


# A standard error ------------------------------------------------------------------------------


# With numpy alone: a page that checks functions has no more.
def _error(runs: Sequence[float]) -> float:
    return float(np.std(runs, ddof=1) / np.sqrt(len(runs)))


def _runs(*runs: float, why: str = "") -> Case:
    return Case({"runs": list(runs)}, why)


def _draw_runs(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for n in (3, 4, 5, 7, 10):
        start = int(rng.integers(10, 50))
        steps = rng.choice(24, size=n, replace=False)
        drawn.append(_runs(*((start + int(step)) / 100 for step in steps)))
    return (*drawn, _runs(0.3, 0.3, 0.3, why="the runs do not differ"))


_ERROR = """
mean = sum(runs) / len(runs)
squares = sum((run - mean) ** 2 for run in runs)
deviation = (squares / (len(runs) - 1)) ** 0.5
return ...
""".strip()
_error_with = make_completer("runs", _ERROR)

complete_error = Function(
    id="protocol.complete_error",
    title="A standard error with one line missing",
    prompt="""
Complete the line with `...`: the standard error of the mean of these runs.

- `runs` is a list of two or more values of NDCG, one for each seed.
- The deviation is there already, with one less than the number of runs below the line.
""",
    function="my_error",
    solve=_error,
    template=_ERROR,
    template_answer="deviation / len(runs) ** 0.5",
    cases=(
        _runs(0.40, 0.41, 0.42, 0.43, 0.44),
        _runs(0.31, 0.36, 0.29, 0.38),
        _runs(0.5, 0.1),
        _runs(0.22, 0.31, 0.28, 0.25, 0.36, 0.21, 0.33, 0.27),
        _runs(0.3, 0.3, 0.3, why="the runs do not differ"),
    ),
    draw=_draw_runs,
    misconceptions=(
        Misconception(
            id="no-root",
            name="no root",
            wrong_answer=_error_with("deviation / len(runs)"),
            cause="The deviation is divided by the number of runs and not by its root.",
            hint="How many times as many runs does it take to halve a standard error?",
        ),
        Misconception(
            id="deviation-for-error",
            name="spread for interval",
            wrong_answer=_error_with("deviation"),
            cause="That is how much one run varies. The mean of several runs varies less.",
            hint="By what is a deviation divided to get the standard error of a mean?",
        ),
        Misconception(
            id="root-of-fewer",
            name="one less, once more",
            wrong_answer=_error_with("deviation / (len(runs) - 1) ** 0.5"),
            cause="The root is that of one less than the number of runs. The one less has had its "
            "place, in the deviation.",
            hint="Of how many runs is the mean?",
        ),
        Misconception(
            id="multiplied",
            name="the wrong way round",
            wrong_answer=_error_with("deviation * len(runs) ** 0.5"),
            cause="The deviation is multiplied by the root. More runs would then make the mean "
            "less sure.",
            hint="Should the standard error grow with the number of runs?",
        ),
        Misconception(
            id="half-the-interval",
            name="half the interval",
            wrong_answer=_error_with("1.96 * deviation / len(runs) ** 0.5"),
            cause="That is how far the 95 % interval reaches: several standard errors, not one.",
            hint="How many standard errors stand in this number?",
        ),
    ),
    hints=(
        "The mean of many runs varies less than one run. By how much less?",
        "Four times the runs halve it.",
        "Divide by the root of the number of runs: `len(runs) ** 0.5`.",
    ),
    steps=(
        Step("The deviation of one run, over the root of how many runs the mean is of."),
        Step("The five runs of the text.", "round(my_error([0.40, 0.41, 0.42, 0.43, 0.44]), 4)"),
    ),
    insight="The deviation tells of runs, the standard error of their mean.",
    minutes=2,
)


# Users and films drawn again -------------------------------------------------------------------

_Rows = Sequence[Sequence[int]]
_Counts = Sequence[int]


def _lead(lead: _Rows, users: _Counts, films: _Counts) -> float:
    return float(np.asarray(users) @ np.asarray(lead) @ np.asarray(films)) / sum(users)


def _drawn_again(lead: list[list[int]], users: list[int], films: list[int], why: str = "") -> Case:
    return Case({"lead": lead, "users": users, "films": films}, why)


def _draw_again(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(5):
        n, m = (int(size) for size in rng.integers(2, 5, size=2))
        drawn.append(
            _drawn_again(
                rng.integers(-1, 2, size=(n, m)).tolist(),
                rng.multinomial(n, [1 / n] * n).tolist(),
                rng.multinomial(m, [1 / m] * m).tolist(),
            )
        )
    return (
        *drawn,
        _drawn_again([[1, 0, -1], [0, 1, 1]], [2, 0], [1, 2, 0]),
        _drawn_again([[1, -1], [1, 0]], [1, 1], [1, 1], "everybody was drawn once"),
    )


_LEAD = """
total = 0
for u, row in enumerate(lead):
    for i, hit in enumerate(row):
        total += ...
return total / sum(users)
""".strip()
_lead_with = make_completer("lead, users, films", _LEAD)

complete_lead = Function(
    id="protocol.complete_lead",
    title="Users and films drawn again, with one line missing",
    prompt="""
Complete the line with `...`: the lead in hits a list, after users *and* films were drawn again.

- `lead[u][i]` is 1 if EASE hits film `i` for user `u` and item kNN does not, −1 the other way
  round, else 0.
- `users[u]` says how often user `u` was drawn, `films[i]` how often film `i`: 0, 1, 2 or more.
- A user who was drawn twice counts twice, and so does a film.
""",
    function="my_lead",
    solve=_lead,
    template=_LEAD,
    template_answer="hit * users[u] * films[i]",
    cases=(
        _drawn_again([[1, 0, -1], [0, 1, 1]], [2, 0], [1, 2, 0]),
        _drawn_again([[1, 1], [0, -1], [1, 0]], [0, 1, 2], [2, 0]),
        _drawn_again([[0, 1, 0, 1], [-1, 0, 0, 1]], [1, 1], [0, 3, 1, 0]),
        _drawn_again([[1, -1], [1, 0]], [1, 1], [1, 1], "everybody was drawn once"),
    ),
    draw=_draw_again,
    misconceptions=(
        Misconception(
            id="nothing-drawn",
            name="nothing drawn",
            wrong_answer=_lead_with("hit"),
            cause="Every hit counts once, drawn or not: that is the lead as it was.",
            hint="How often does a hit count whose user was drawn twice?",
        ),
        Misconception(
            id="other-users-same-films",
            name="other users for other films",
            wrong_answer=_lead_with("hit * users[u]"),
            cause="Users are drawn again, and the films stay the same.",
            hint="What becomes of a hit whose film was not drawn?",
        ),
        Misconception(
            id="films-alone",
            name="other films, same users",
            wrong_answer=_lead_with("hit * films[i]"),
            cause="Films are drawn again, and the users stay the same.",
            hint="What becomes of a hit whose user was not drawn?",
        ),
        Misconception(
            id="counts-added",
            name="added for multiplied",
            wrong_answer=_lead_with("hit * (users[u] + films[i])"),
            cause="The two counts are added, so that a hit of a user who was not drawn still "
            "counts.",
            hint="User drawn twice, film drawn three times: how many such pairs are there?",
        ),
        Misconception(
            id="drawn-or-not",
            name="drawn or not",
            wrong_answer=_lead_with("hit * (users[u] > 0) * (films[i] > 0)"),
            cause="A user or film that was drawn twice counts once.",
            hint="Twenty draws of twenty users: what becomes of those who came twice?",
        ),
    ),
    hints=(
        "A hit belongs to one user and one film. How many copies of each were drawn?",
        "Two copies of the user and three of the film make six pairs.",
        "Multiply the hit by both counts: `users[u]` and `films[i]`.",
    ),
    steps=(
        Step("Each copy of the user meets each copy of the film, so the counts multiply."),
        Step(
            "The first user was drawn twice, the second film twice, the third film not at all.",
            "my_lead([[1, 0, -1], [0, 1, 1]], [2, 0], [1, 2, 0])",
        ),
    ),
    insight="A hit has two owners. Who asks about other users and other films draws both.",
    minutes=3,
    points=2,
)


# Who is ahead of whom --------------------------------------------------------------------------


def _ahead(old: Sequence[int], new: Sequence[int]) -> float:
    lead = np.sign(np.subtract.outer(np.asarray(new), np.asarray(old)))
    return float((lead.mean() + 1) / 2)


def _watched(old: list[int], new: list[int], why: str = "") -> Case:
    return Case({"old": old, "new": new}, why)


def _draw_watched(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(5):
        n, m = (int(size) for size in rng.integers(2, 6, size=2))
        drawn.append(
            _watched(rng.integers(1, 12, size=n).tolist(), rng.integers(1, 12, size=m).tolist())
        )
    return (
        *drawn,
        _watched([3, 7], [7, 9, 7], "some pairs are level"),
        _watched([1, 2], [90], "the new user is ahead of everybody"),
    )


_PAIRS = """
points = 0
for a in old:
    for b in new:
        points += ...
return points / (len(old) * len(new))
""".strip()
_pairs_with = make_completer("old, new", _PAIRS)

complete_superiority = Function(
    id="protocol.complete_superiority",
    title="Who is ahead of whom, with one line missing",
    prompt="""
Complete the line with `...`: how likely is it that a user of the new group, drawn at random,
watched longer than a user of the old group, drawn at random?

- `old` and `new` are lists of minutes, one for each user.
- A pair with equal minutes counts one half.
""",
    function="my_superiority",
    solve=_ahead,
    template=_PAIRS,
    template_answer="1 if b > a else 0.5 if b == a else 0",
    cases=(
        _watched([4, 9, 12], [5, 20]),
        _watched([3, 7], [7, 9, 7], "some pairs are level"),
        _watched([10, 30, 50, 5], [8, 12, 300]),
        _watched([6, 6], [6], "all pairs are level"),
        _watched([1, 2], [90], "the new user is ahead of everybody"),
    ),
    draw=_draw_watched,
    misconceptions=(
        Misconception(
            id="ties-lost",
            name="tie rule",
            wrong_answer=_pairs_with("b > a"),
            cause="A pair with equal minutes counts nothing for the new group.",
            hint="What should come out if all users watch the same?",
        ),
        Misconception(
            id="ties-won",
            name="ties won",
            wrong_answer=_pairs_with("b >= a"),
            cause="A pair with equal minutes counts as if the new user had watched longer.",
            hint="What should come out if all users watch the same?",
        ),
        Misconception(
            id="old-ahead",
            name="groups exchanged",
            wrong_answer=_pairs_with("1 if a > b else 0.5 if a == b else 0"),
            cause="The old group's users are counted as being ahead.",
            hint="Which of the two minutes has to be the larger one, `a` or `b`?",
        ),
        Misconception(
            id="wins-less-losses",
            name="wins less losses",
            wrong_answer=_pairs_with("(b > a) - (b < a)"),
            cause="Pairs that the old user wins were taken off. That runs from −1 to 1 and is no "
            "chance.",
            hint="Can a chance lie below 0?",
        ),
        Misconception(
            id="minutes-for-pairs",
            name="mean for rank",
            wrong_answer=_pairs_with("b - a"),
            cause="The minutes themselves were added up, so that one marathon outweighs many "
            "pairs. That is the difference of the means.",
            hint="By how much does it count that one user was ahead by an hour?",
        ),
    ),
    hints=(
        "There are three cases for a pair: the new user is ahead, behind, or level.",
        "Ahead counts 1, behind 0, level one half.",
        "`1 if b > a else 0.5 if b == a else 0`, or `(b > a) + 0.5 * (b == a)`.",
    ),
    steps=(
        Step("Each pair gives 1, one half or 0 to the new group; the mean over all pairs is it."),
        Step("Two pairs of six are level.", "my_superiority([3, 7], [7, 9, 7])"),
    ),
    insight="Mann and Whitney's test counts who is ahead, never by how much.",
    minutes=3,
    points=2,
)


# The error of a ratio --------------------------------------------------------------------------


def _ratio_error(clicks: Sequence[int], shown: Sequence[int]) -> float:
    y, x = np.asarray(clicks), np.asarray(shown)
    moves = (y - y.sum() / x.sum() * x) / x.mean()
    return float(moves.std(ddof=1) / np.sqrt(len(moves)))


def _people(clicks: list[int], shown: list[int], why: str = "") -> Case:
    return Case({"clicks": clicks, "shown": shown}, why)


def _draw_people(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for n in (3, 4, 5, 6):
        shown = rng.choice(np.arange(4, 25), size=n, replace=False).tolist()
        drawn.append(_people([int(rng.integers(1, 4)) for _ in shown], shown))
    return (*drawn, _people([0, 0, 3], [5, 5, 30], "two people did not click"))


_MOVES = """
n, ratio = len(clicks), sum(clicks) / sum(shown)
moves = [... for c, s in zip(clicks, shown)]
return (sum(m**2 for m in moves) / (n - 1) / n) ** 0.5
""".strip()
_moves_with = make_completer("clicks, shown", _MOVES)

complete_moves = Function(
    id="protocol.complete_moves",
    title="The delta method with one line missing",
    prompt="""
Complete the line with `...`: the standard error of clicks per impression, with people as units.

- `clicks` and `shown` are lists, one number for each person; everybody was shown something.
- `moves` has one number for each person: by how much the ratio moves with this person. Their mean
  is 0, and the last line takes the standard error of it.
""",
    function="my_ratio_error",
    solve=_ratio_error,
    template=_MOVES,
    template_answer="(c - ratio * s) / (sum(shown) / n)",
    cases=(
        _people([1, 0, 3, 4], [10, 10, 20, 40]),
        _people([2, 5, 1], [10, 12, 20]),
        _people([1, 1, 2, 6, 3], [8, 4, 9, 20, 5]),
        _people([0, 0, 3], [5, 5, 30], "two people did not click"),
    ),
    draw=_draw_people,
    misconceptions=(
        Misconception(
            id="not-scaled",
            name="impressions left out",
            wrong_answer=_moves_with("c - ratio * s"),
            cause="The moves are in clicks. They have to be in clicks per impression.",
            hint="By how many impressions, on average, is a person's surplus of clicks divided?",
        ),
        Misconception(
            id="over-all-impressions",
            name="all impressions for one person's",
            wrong_answer=_moves_with("(c - ratio * s) / sum(shown)"),
            cause="Each move is divided by all impressions together, and the last line divides by "
            "the number of people once more.",
            hint="How many impressions does one person have, on average?",
        ),
        Misconception(
            id="own-rate",
            name="mean of ratios",
            wrong_answer=_moves_with("c / s - ratio"),
            cause="Each person's own rate is taken, so that one with few impressions counts as "
            "much as one with many.",
            hint="Which impressions are below the line: the person's own, or the mean?",
        ),
        Misconception(
            id="denominator-fixed",
            name="fixed denominator",
            wrong_answer=_moves_with("(c - sum(clicks) / n) / (sum(shown) / n)"),
            cause="Only the clicks vary here. The impressions differ by person as well.",
            hint="How many clicks would this person have at the common ratio?",
        ),
        Misconception(
            id="not-centred",
            name="nothing taken off",
            wrong_answer=_moves_with("c / (sum(shown) / n)"),
            cause="The clicks stand there as they are, so everybody moves the ratio up.",
            hint="How many clicks does the ratio foretell for this person?",
        ),
    ),
    hints=(
        "At the common ratio this person would have `ratio * s` clicks.",
        "The surplus of clicks, `c - ratio * s`, is divided by a mean number of impressions.",
        "The mean is `sum(shown) / n`.",
    ),
    steps=(
        Step(
            "The surplus of each person's clicks over what the ratio foretells, by the mean number "
            "of impressions."
        ),
        Step(
            "The four people of the text.",
            "round(my_ratio_error([1, 0, 3, 4], [10, 10, 20, 40]), 4)",
        ),
    ),
    insight="A ratio has a numerator that varies and a denominator that varies; one number for "
    "each person holds both.",
    minutes=2,
    points=2,
)

__all__ = [
    "complete_error",
    "complete_first",
    "complete_lead",
    "complete_moves",
    "complete_superiority",
]
