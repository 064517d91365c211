"""Whose a row of an array is, and which items its numbers are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import recsys_metrics as rm
from recsys_metrics import convert

NUMBERS = np.array([[0, 1, 2], [1, 2, -1]])
TEXTS = np.array([["A", "B", "C"], ["B", "C", "D"]])
USERS, ITEMS = ["ann", "bob"], ["A", "B", "C", "D"]
TRUTH = {"bob": {"D"}, "ann": {"B": 2, "C": 1}, "cleo": {"A"}}
MEASURES = ["ndcg@2", "recall@3", "coverage@2"]


def values(report):
    return {name: report[name].value for name in report}, report.users


@pytest.mark.parametrize("rows", [TEXTS, TEXTS.tolist(), TEXTS.astype(object)])
@pytest.mark.parametrize("users", [USERS, tuple(USERS), np.array(USERS)])
def test_rows_with_users_equal_a_mapping(rows, users):
    expected = rm.evaluate(
        dict(zip(USERS, TEXTS.tolist(), strict=True)), TRUTH, MEASURES, catalog=4
    )
    found = rm.evaluate(rows, TRUTH, MEASURES, users=users, catalog=4)
    assert values(found) == values(expected)
    # A user without a list is not forgotten.
    assert found.users == ("ann", "bob", "cleo")
    assert found.compare(expected)["ndcg@2"].gain == 0
    batch = rm.Evaluation(MEASURES, catalog=4).update(rows, TRUTH, users=users)
    assert values(batch.report()) == values(expected)


def test_numbers_of_items_and_sparse_truths_with_users():
    truth = {"ann": {1}, "bob": {2}}
    found = rm.evaluate(NUMBERS, truth, ["mrr@3"], users=USERS)
    assert found["mrr@3"].per_user.tolist() == [0.5, 0.5]
    table = sparse.csr_array(np.eye(2, 4, k=1))
    again = rm.evaluate(NUMBERS, table, ["mrr@3"], users=USERS, groups={"g": {"ann": 0, "bob": 1}})
    assert again["mrr@3"].per_user.tolist() == [0.5, 0.5]
    assert again.by("g").sizes == {0: 1, 1: 1}
    assert again.compare(found)["mrr@3"].equal == 2


def test_lists_of_an_array_have_no_empty_slots():
    assert convert.lists_from_array(NUMBERS) == [[0, 1, 2], [1, 2]]
    assert convert.lists_from_array(NUMBERS, users=USERS) == {"ann": [0, 1, 2], "bob": [1, 2]}
    named = {"ann": ["A", "B", "C"], "bob": ["B", "C"]}
    assert convert.lists_from_array(NUMBERS, users=USERS, items=ITEMS) == named
    assert convert.lists_from_array(TEXTS, users=USERS)["bob"] == ["B", "C", "D"]
    report = rm.evaluate(
        convert.lists_from_array(NUMBERS, users=USERS, items=ITEMS), TRUTH, ["mrr"]
    )
    assert report["mrr"].per_user.tolist() == [0.5, 0.0, 0.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rm.evaluate(TEXTS, TRUTH, ["mrr"]), r"lists_from_array\(recommended, users=…\)"),
        (lambda: rm.evaluate(NUMBERS, TRUTH, ["mrr"], users=USERS), r"\(recommended, items=the id"),
        (lambda: rm.evaluate(TEXTS, TRUTH, ["mrr"], users=["ann"]), "names 1 users for 2 lists"),
        (lambda: rm.evaluate(TEXTS, TRUTH, ["mrr"], users=["a", "a"]), "users names 'a' twice"),
        (
            lambda: rm.evaluate({"ann": ["A"]}, TRUTH, ["mrr"], users=["ann"]),
            "are keyed by user al",
        ),
        (
            lambda: rm.evaluate(TEXTS, [{"A"}, {"B"}], ["mrr"], groups={"ann": "x", "bob": "y"}),
            "the grouping 'ann' is 'x', and not the groups .*: groups={'segment': groups}",
        ),
        (
            lambda: rm.evaluate(TEXTS, [{"A"}, {"B"}], ["mrr"], groups={"g": {"ann": "x"}}),
            "the lists must be too; with an array pass users=",
        ),
        (lambda: convert.lists_from_array(NUMBERS, items=["A"]), "number 1, and items has the ids"),
        (lambda: convert.lists_from_array(NUMBERS, items=list("AAB")), "items has 'A' twice"),
        (lambda: convert.lists_from_array(NUMBERS, users=["a", "a"]), "users has 'a' twice"),
        (lambda: convert.lists_from_array(NUMBERS, users=["a"]), "users 1, rows 2"),
        (lambda: convert.lists_from_array(TEXTS, items=ITEMS), "leave items= out if they are ids"),
        (lambda: convert.lists_from_array(NUMBERS[0]), "rows must be a table with a row per user"),
    ],
)
def test_errors_name_the_cure(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()
