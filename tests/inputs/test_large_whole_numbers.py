"""Whole numbers that no float holds keep their digits, or are refused."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import convert, ranking

LARGE = 2**53


@pytest.mark.parametrize(("wanted", "expected"), [(LARGE, [0, 1]), (LARGE + 1, [1, 1])])
def test_ids_in_arrays_of_several_types_stay_apart(wanted, expected):
    lists = [np.array([LARGE + 1], "u8"), np.array([7], "i8")]
    assert rm.recall(rm.judge(lists, [{wanted}, {7}]), k=1).tolist() == expected


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "u8"])
def test_unsigned_ids_may_stand_in_one_array_per_list(kind):
    lists = [np.array([5, 6], kind), np.array([5], kind)]
    assert rm.recall(rm.judge(lists, [{5}, {6}]), k=2).tolist() == [1, 0]


def test_ids_beyond_64_signed_bits_stay_apart():
    lists = [np.array([2**64 - 1, 2**64 - 2], "u8"), np.array([2**64 - 2], "u8")]
    assert rm.recall(rm.judge(lists, [{2**64 - 1}, {2**64 - 1}]), k=2).tolist() == [1, 0]


def test_scores_of_many_digits_are_ranked_by_all_of_them():
    frames = pytest.importorskip("polars")
    first = 1_700_000_000_000_000_000
    for kind in (frames.Int64, frames.UInt64):
        scored = frames.DataFrame(
            {"user": ["u", "u"], "item": ["a", "b"], "score": [first, first + 1]},
            schema_overrides={"score": kind},
        )
        truth = frames.DataFrame({"user": ["u"], "item": ["b"]})
        assert rm.evaluate(scored, truth, ["recall@1"])["recall@1"].mean == 1
    scores = {"u": {"a": first, "b": first + 1}}
    assert rm.evaluate(scores, {"u": {"b"}}, ["recall@1"])["recall@1"].mean == 1


def test_scores_that_a_float_cannot_hold_are_refused():
    with pytest.raises(ValueError, match="more digits than a float stores"):
        rm.rank_from_scores(np.array([LARGE, LARGE + 1]), 1)
    lines = ["u Q0 a 1 1700000000000000001 x\n", "u Q0 b 2 1700000000000000000 x\n"]
    with pytest.raises(ValueError, match=r"line 1 has the score 1700000000000000001, a whole"):
        convert.read_run(lines)
    assert [*convert.read_run(["u Q0 a 1 1700000000000000000 x\n"])] == ["u"]


def test_an_underscore_is_no_part_of_a_number():
    with pytest.raises(ValueError, match="line 1 has the grade '1_0', not a finite number"):
        convert.read_qrels(["1 0 d1 1_0\n"])


def test_a_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "u.qrels"
    path.write_bytes("1 0 d1 1\n".encode("utf-16"))
    with pytest.raises(ValueError, match=r"u\.qrels is not text in UTF-8"):
        convert.read_qrels(path)


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("first", [0, 100])
def test_lists_and_relevant_items_may_both_be_unsigned_arrays(kind, first):
    items = np.array([first, first + 1], kind)
    assert rm.recall(rm.judge(items, items[1:]), k=1) == 0
    assert rm.recall(rm.judge(items, items[:1]), k=1) == 1


def test_an_id_beyond_63_bits_beside_smaller_ones_is_named():
    with pytest.raises(ValueError, match="a whole number of more than 63 bits"):
        ranking.rank_biased_overlap([[1], [1, 2]], np.array([2**63], dtype=np.uint64))
