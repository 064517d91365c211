"""What trains and what tests: counting leaks, choosing a split, reporting after tuning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leakage
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers


def _events(times: Sequence[int]) -> Interactions:
    """Return events of one user with one item each, at these times."""
    return Interactions([0] * len(times), range(len(times)), timestamp=times, n_items=100)


def _leaks(train: Sequence[int], test: Sequence[int]) -> int:
    later = leakage(_events(train), _events(test)).later
    assert later is not None
    return later


def _exposed(train: Sequence[int], test: Sequence[int]) -> int:
    return sum(tested < max(train) for tested in test)


def _pairs(train: Sequence[int], test: Sequence[int]) -> int:
    return sum(trained > tested for trained in train for tested in test)


def _same_time(train: Sequence[int], test: Sequence[int]) -> int:
    return sum(trained >= min(test) for trained in train)


def _after_all(train: Sequence[int], test: Sequence[int]) -> int:
    return sum(trained > max(test) for trained in train)


def _share(train: Sequence[int], test: Sequence[int]) -> float:
    return _leaks(train, test) / len(train)


def _earlier(train: Sequence[int], test: Sequence[int]) -> int:
    return sum(trained < min(test) for trained in train)


def _case(train: list[int], test: list[int], why: str = "") -> Case:
    return Case({"train": train, "test": test}, why)


_STATED = (
    _case([1, 2, 6, 5, 8], [3, 9, 10]),
    _case([1, 2, 3, 4], [5, 6], "nothing that trains is later than what is tested"),
    _case([3, 8, 9, 2], [4, 3, 7], "an event that trains and one that is tested share a time"),
    _case([12, 11, 1], [2, 20]),
    _case([9, 9, 9], [1, 8], "everything that trains is later"),
    _case([5, 1, 9, 4], [8, 3, 6], "the earliest of the tested events stands in the middle"),
)


def _draw(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return other times, some of them shared between the two parts."""
    drawn = []
    for _ in range(6):
        train = [int(t) for t in rng.integers(1, 21, size=int(rng.integers(3, 8)))]
        test = [int(t) for t in rng.integers(4, 24, size=int(rng.integers(2, 5)))]
        drawn.append(_case(train, test))
    later = int(rng.integers(0, 9))
    return (
        *drawn,
        _case([t + later for t in (5, 1, 9, 4)], [t + later for t in (8, 3, 6)]),
        _case([1, 2, 3], [4, 5], "nothing leaks"),
        _case([5, 2], [5], "a shared time"),
    )


write_leaks = Function(
    id="protocol.write_leaks",
    title="Count what leaks",
    prompt="""
Write `my_leaks(train, test)`: how many training events are later than some tested event?

- `train` and `test` are lists of times, in no order; neither is empty.
- An event at the same time is not later.
""",
    function="my_leaks",
    solve=_leaks,
    cases=_STATED,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="exposed-tests",
            name="tests for leaks",
            wrong_answer=_exposed,
            cause="The tested events that are exposed were counted, not the training events that "
            "expose them.",
            hint="Which of the two lists should you run through?",
        ),
        Misconception(
            id="pairs-of-events",
            name="pairs for events",
            wrong_answer=_pairs,
            cause="Each training event is counted once for every tested event it is later than.",
            hint="How often should one training event count?",
        ),
        Misconception(
            id="same-time",
            name="same time",
            wrong_answer=_same_time,
            cause="An event at the same time as a tested one is counted as later.",
            hint="Is 7 later than 7?",
        ),
        Misconception(
            id="after-all-tests",
            name="leak from the future",
            wrong_answer=_after_all,
            cause="Only what is later than every tested event is counted. What lies between two "
            "tested events knows the future of the first.",
            hint="Is it enough to be later than one tested event?",
        ),
        Misconception(
            id="share-for-count",
            name="share for count",
            wrong_answer=_share,
            cause="The count was divided by the number of training events.",
            hint="Is a number of events asked for, or a share?",
        ),
        Misconception(
            id="the-honest-ones",
            name="counted the others",
            wrong_answer=_earlier,
            cause="The events that are earlier than all tested ones were counted: the harmless "
            "ones.",
            hint="Which way round does the comparison stand?",
        ),
    ),
    hints=(
        "An event leaks if there is one tested event, any one, before it.",
        "It is enough to compare with a single tested event. Which one?",
        "Compare each training time with `min(test)`, and count those that are greater.",
    ),
    steps=(
        Step(
            "Later than some tested event means later than the earliest of them. One comparison "
            "for each training event is enough.",
            "def my_leaks(train, test):\n"
            "    first = min(test)\n"
            "    return sum(time > first for time in train)",
        ),
        Step(
            "The events at 6, 5 and 8 train, and each of them is later than the one tested at 3.",
            "my_leaks([1, 2, 6, 5, 8], [3, 9, 10])",
        ),
    ),
    insight="The earliest tested event decides. That is why one early tester makes almost all of "
    "a log leak.",
    minutes=5,
    points=2,
)


# The choice ----------------------------------------------------------------------------------

_STORIES = (
    "A news site retrains its recommender every night",
    "A shop retrains its recommender every Sunday",
    "A film service retrains its recommender once a day",
    "A music service retrains its recommender every hour",
)


def _story(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "story": _STORIES[int(rng.integers(len(_STORIES)))],
        "millions": int(rng.integers(2, 90)),
    }


def _always(key: str) -> Any:
    def picks(inputs: Inputs) -> str:
        return key

    return picks


choose_split = Choice(
    id="protocol.choose_split",
    title="Choose the split",
    same_for_all=True,
    prompt="""
{story} on all events so far, and shows it to everybody until the next time.
You have its log of {millions} million events, all with timestamps.

Which split tests what the live system would have been able to do?
""",
    options={
        "random": "Hide a fifth of all events, drawn at random.",
        "folds": "Deal the events out into five folds and test each of them once.",
        "last": "Hide the last event of each user and train on all others.",
        "moment": "Cut everybody's events at one moment and test what comes after it.",
    },
    solve=_always("moment"),
    inputs={"story": _STORIES[0], "millions": 3},
    draw=_story,
    reasons={"moment": "What trains was known at that moment, for every user."},
    misconceptions=(
        Misconception(
            id="random-holdout",
            name="leak from the future",
            wrong_answer=_always("random"),
            cause="Drawn at random, most tested events have later ones of the same user in "
            "training.",
            hint="Could the live system have trained on what came after the tested event?",
        ),
        Misconception(
            id="folds",
            name="every event tested",
            wrong_answer=_always("folds"),
            cause="Folds are random splits, five times over: each trains on the future of what "
            "it tests.",
            hint="In which fold do the latest events train?",
        ),
        Misconception(
            id="last-of-each",
            name="leak across users",
            wrong_answer=_always("last"),
            cause="Users have their last events at different times. Whoever left early is tested "
            "against what others did years later.",
            hint="If Alice left in spring and Bob stayed until autumn, what does Bob's summer "
            "tell about Alice's last event?",
        ),
    ),
    hints=(
        "Think of the moment at which the live system is trained. What exists then?",
        "Ask of each split: can an event that trains be later than one that is tested?",
        "Also across users: not only Alice's own later events know what came into fashion.",
    ),
    steps=(
        Step(
            "At the moment of training the live system knows everybody's past and nobody's "
            "future. A test must have such a moment, too."
        ),
        Step(
            "Random holdout and folds have none. The last event of each user has one for each "
            "user, and these moments differ. One cut for all has exactly one."
        ),
    ),
    insight="Use one moment for everyone wherever there are timestamps, and say which moment.",
    minutes=2,
)


# After tuning --------------------------------------------------------------------------------


def _chosen(inputs: Inputs) -> int:
    """Return which setting the validation part chooses."""
    return int(np.argmax(inputs["validation"]))


def _reported(inputs: Inputs) -> dict[str, float]:
    test = inputs["test"]
    report = test[_chosen(inputs)]
    return {"report": report, "overstated": max(test) - report}


def _best_of_test(inputs: Inputs) -> dict[str, float]:
    return {"report": max(inputs["test"])}


def _best_of_validation(inputs: Inputs) -> dict[str, float]:
    return {"report": max(inputs["validation"])}


def _mean_of_tries(inputs: Inputs) -> dict[str, float]:
    return {"report": float(np.mean(inputs["test"]))}


def _between_parts(inputs: Inputs) -> dict[str, float]:
    return {"overstated": max(inputs["validation"]) - inputs["test"][_chosen(inputs)]}


def _understated(inputs: Inputs) -> dict[str, float]:
    return {"overstated": -_reported(inputs)["overstated"]}


def _best_to_worst(inputs: Inputs) -> dict[str, float]:
    return {"overstated": max(inputs["test"]) - min(inputs["test"])}


def _draw_settings(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        start = int(rng.integers(90, 300))
        test = start + rng.choice(40, size=4, replace=False)
        validation = test + rng.integers(-9, 14, size=4)
        drawn = {"validation": validation.tolist(), "test": test.tolist()}
        # The two parts prefer different settings, and one of them alone.
        if len(set(drawn["validation"])) == 4 and _reported(drawn)["overstated"] > 0:
            return drawn


report_number = Numbers(
    id="protocol.report_number",
    title="Four settings, one report",
    prompt="""
Four settings of one model were tried. This is their NDCG@10, in thousandths:

- on the validation part: {validation}
- on the test: {test}

You choose a setting as this part does, and open the test for that one. Which NDCG do you report?
Somebody else opens the test for all four, and reports the highest. By how much is that above
yours?
""",
    asks={
        "report": "NDCG you report, in thousandths",
        "overstated": "what the other report is above it, in thousandths",
    },
    inputs={"validation": [131, 148, 152, 139], "test": [127, 146, 141, 133]},
    solve=_reported,
    draw=_draw_settings,
    misconceptions=(
        Misconception(
            id="tuned-on-test",
            name="tuned on the test",
            wrong_answer=_best_of_test,
            cause="The setting was chosen by the test. Its value has the luck of a choice among "
            "four in it.",
            hint="Which setting is the best one on the validation part?",
        ),
        Misconception(
            id="validation-reported",
            name="validation reported",
            wrong_answer=_best_of_validation,
            cause="The highest value on the validation part was reported. It was picked from four, "
            "so it flatters.",
            hint="What does the setting that was chosen reach where nothing was chosen?",
        ),
        Misconception(
            id="mean-of-tries",
            name="mean of the tries",
            wrong_answer=_mean_of_tries,
            cause="That is the mean over all four settings. Three of them are not in use.",
            hint="With which one setting would the model go live?",
        ),
        Misconception(
            id="validation-less-test",
            name="validation for test",
            wrong_answer=_between_parts,
            cause="The validation value was compared with the test value of the same setting.",
            hint="Which of the four test values is the highest?",
        ),
        Misconception(
            id="turned-round",
            name="difference turned round",
            wrong_answer=_understated,
            cause="The higher report was taken from the lower one.",
            hint="Is the other report above yours, or below it?",
        ),
        Misconception(
            id="best-to-worst",
            name="best to worst",
            wrong_answer=_best_to_worst,
            cause="The highest test value was compared with the lowest one, not with the one that "
            "you report.",
            hint="Which of the four test values is yours?",
        ),
    ),
    hints=(
        "The validation part chooses the setting, and the test says what that setting is worth.",
        "Find the highest validation value; what stands below it in the row of the test?",
        "The other report is the highest value of the test. Take yours from it.",
    ),
    steps=(
        Step(
            "The validation part chooses.",
            "chosen = validation.index(max(validation))\nchosen, validation[chosen]",
        ),
        Step("The test says what that setting is worth.", "report = test[chosen]\nreport"),
        Step(
            "Who looks for the highest test value finds at least as much.",
            "overstated = max(test) - report\noverstated",
        ),
    ),
    insight="A test that chooses is a validation part. Then there is no test left.",
    minutes=3,
    points=2,
)
