"""The cases of every exercise that asks for a function leave no wrong function through."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.time_limit import run_with_limit
from recsys_metrics.workbook.grading.exercise_rules import passes
from recsys_metrics.workbook.grading.mutants import create_mutants
from tests.exercises.right_ways import RIGHT_WAYS
from tests.exercises.simulated_learners import every_function

# Mutants that do the same as what they were made from, and why. A pattern that no survivor
# matches any more fails the test, as does a survivor without a pattern.
SAME = {
    # Of every exercise.
    r".*_rounded: .*|rounded: .*|.* 4\) -> round left out|ece_by_sorting: (round|5 )|.*: 4 -> "
    r"constant [35]": "it rounds to other places, three at least",
    r".*: True -> not": "it is strict of two rows that have one length, or the loop ends so",
    r".*(in zip|for item in truth|for [ro] in|for score in rivals|for rank, grade|"
    r"for place in range|for i in range\(1|for x in|for y in|for trained|for pattern|"
    r"for b in range\(len|for likeness|for place, gain|for gain|for low|"
    r"for i in range\(n_drawn|for u, row|for i, hit|for a in old|for b in new|"
    r"for events|for i in range\(len\(rewards).*-> backwards": (
        "a sum, a count or a set of sums has no order"
    ),
    r".*_of_the_library: (10|5) -> .*|of_the_library: 5 -> .*": "a default that no case leaves out",
    # Precision, average precision, NDCG.
    r"ap_in_numpy: 0 -> constant -1": "the sum of an empty array is 0 without a guard",
    r"ap_by_recall_steps: found .*Sub=": "two signs turn, and their product is what it was",
    r"ap_by_recall_steps: 0 -> .*": "nothing is found where nothing is relevant",
    r"ndcg_with_natural_logs: 0 -> constant 1": "an ideal in natural logarithms is at least 1.44",
    r"ndcg_in_numpy: .*-> always|ndcg_in_numpy: 0 -> constant -?1": "nothing is set where the list "
    "is empty",
    r"ndcg_.*-> log$": "the base of the logarithm cancels",
    # Leaks, randomization.
    r"p_by_bits: total .*Sub=": "all patterns turned round are the same patterns",
    r"p_by_bits: 1 -> constant 2": "one sign is fixed, and every pattern has its mirror image",
    r"p_by_means_in_numpy: .*-> Gt": "the tolerance decides, not the sign",
    r"p_by_who_is_turned: 1 -> constant 2": "every set of places comes with what is not in it",
    r"p_by_who_is_turned: .*place Sub 1": "the places are the same ones, in another order",
    # Rating and choosing.
    r"(macro|value|coverage|tail|evening)_by_loop: for .*-> backwards": "a sum has no order",
    r"tail_in_numpy: sorted.*": "a mean has no order",
    r"evening_of_the_library: .*-> GtE": "hits are whole numbers",
    # Calibration.
    r"ece_by_dictionary: bins.*place (Sub|Add) 1": "every bin has another name",
    r"ece_by_edges: p > low -> GtE": "no probability lies on an edge",
    r"ece_by_sorting: sorted.*-> sorted the other way": "bins are joined in the other order",
    r"isotonic_by_(stack|repeating): .*-> GtE": "pools with one mean are one pool or two alike",
    r"isotonic_by_repeating: .*-> backwards": "pools may be joined in any order",
    r"isotonic_by_slope: .*": "of two ends with one slope either does; the start is set anew",
    r"isotonic_of_the_library: (labels\[0\]|0) -> .*": "all labels are the same there",
    r"isotonic_of_the_library: set.*": "the library takes labels that are all the same",
    r"people_completed: (excess|0 -> ).*": "any order of the bins has one sum",
    # Pairs of a list, what a film is worth.
    r"diversity_completed: .*-> FloorDiv": "of two numbers in a row one is even",
    r"worth_by_loop: likeness > nearest -> GtE": "what is as near is as near",
    # Off-policy.
    r"by_loop: weight > cap -> GtE": "a weight at the cap is the cap",
    r"only_what_was_earned: for -> filter left out": "what earned nothing adds nothing",
    r"robust_by_loop: expected.*place Sub 1": "they are summed by themselves, in any order",
    r"weight_by_steps: p < floor -> LtE": "a propensity at the floor is the floor",
    r"slope_by_pairs: for j .*-> backwards": "one pair that misses is enough, whichever it is",
    r"slope_by_shrinking: 0 -> constant -?1": "the first interval always meets itself",
    # Equal opportunity.
    r"opportunity_by_counting: (wanted|reached).*Sub=": "both signs, or the order, turn the gap",
    r"opportunity_by_sets: (for name|set).*": "a set has no order, and holds a rate once",
    # Validity of a simulator.
    r"agreement_(completed|of_signs): for .*-> backwards": "a sum over pairs has no order",
    r"agreement_of_signs: a [<>] b -> .*": "a detected pair has two values",
    r"agreement_by_better_one: 1 -> constant 0": "a recommender does not differ from itself",
    # Judges.
    r"kappa_in_numpy: [01]\.5 -> constant [12]\.5": "no label is near an edge of its bin",
    r"mean_by_loop: for m in machine_only: -> backwards": "a sum has no order",
    r"valid_completed: for item in recommended: -> backwards": "a count has no order",
    r"valid_of_the_library: 2 -> constant 3": "the mean of equal lists is that of one",
    r"strict_in_numpy: sorted.*": "a sum has no order",
    r"strict_by_loop: for item in recommended\[:k\]: -> backwards": "a count has no order",
    r".*exactly: 100 -> constant .*": "the fractions of the cases have smaller denominators",
}


@pytest.fixture(scope="module")
def survivors():
    """Return the wrong functions that pass, by exercise; and how many there were."""
    found, tried = {}, 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name, ways in RIGHT_WAYS.items():
            exercise, found[name] = REGISTRY[name], []
            for way in ways:
                for label, mutant in create_mutants(way):
                    tried += 1
                    # One that ends does so within milliseconds.
                    if run_with_limit(passes, (exercise, mutant), seconds=0.5).value:
                        found[name].append(label)
    return found, tried


def test_more_than_700_mutants_are_tried(survivors):
    assert survivors[1] > 700


@every_function
def test_no_mutant_passes(survivors, exercise):
    left = [
        label
        for label in survivors[0][exercise.id]
        if not any(re.fullmatch(f"(?:{pattern}).*", label) for pattern in SAME)
    ]
    assert left == []


def test_every_exception_for_a_mutant_is_needed(survivors):
    labels = [label for found in survivors[0].values() for label in found]
    for pattern, reason in SAME.items():
        assert any(re.fullmatch(f"(?:{pattern}).*", label) for label in labels), reason


def from_the_end(recommended, relevant, k):
    return sum(item in relevant for item in recommended[-k:]) / k


def turned_round(recommended, relevant, k):
    return sum(item in relevant for item in recommended[::-1][:k]) / k


def later_than_the_first(train, test):
    return sum(t > test[0] for t in train)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("ranking.write_precision", from_the_end),
        ("ranking.write_precision", turned_round),
        ("protocol.write_leaks", later_than_the_first),
    ],
)
def test_functions_that_are_wrong_only_on_unusual_lists_fail(name, wrong):
    for one in (REGISTRY[name], *map(REGISTRY[name].variant, range(5))):
        assert one.check(wrong).outcome == "WRONG"
