"""Two markers: their tables, and how far they agree, by hand and as scikit-learn has it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.workbook.course import inter_rater_agreement
from recsys_metrics.workbook.grading.limits import GradingError

COLUMNS = {"data": 3, "words": 2}


def test_weighted_kappa_computed_by_hand():
    """One step apart in one of two, where chance alone would be half a step apart."""
    assert inter_rater_agreement.weighted_kappa([0, 1], [0, 1], most=3) == 1
    assert inter_rater_agreement.weighted_kappa([0, 1], [1, 0], most=3) == -1
    assert inter_rater_agreement.weighted_kappa([0, 1], [0, 0], most=3) == 0
    assert math.isnan(inter_rater_agreement.weighted_kappa([2, 2], [2, 2], most=3))


def test_weighted_kappa_equals_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = np.random.default_rng(3)
    for _ in range(20):
        one, other = rng.integers(4, size=(2, 12))
        theirs = metrics.cohen_kappa_score(one, other, weights="quadratic", labels=range(4))
        assert inter_rater_agreement.weighted_kappa(one, other, most=3) == pytest.approx(theirs)


def test_a_sheet_is_written_once_and_missing_students_are_listed(tmp_path):
    sheet = tmp_path / "levels.csv"
    assert inter_rater_agreement.keep_sheet(sheet, ["abc"], COLUMNS) == []
    assert sheet.read_text() == "report,data,words,comment\nabc,,,\n"
    assert inter_rater_agreement.read_sheet(sheet, COLUMNS) == {}
    sheet.write_text("report,data,words,comment\nabc,2,0,well\n")
    assert inter_rater_agreement.keep_sheet(sheet, ["abc", "def"], COLUMNS) == ["def"]
    assert inter_rater_agreement.read_sheet(sheet, COLUMNS) == {"abc": {"data": 2, "words": 0}}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("abc,2,,", "line 2: words is ''; give a level from 0 to 2"),
        ("abc,2,3,", "line 2: words is '3'; give a level from 0 to 2"),
        ("abc,2.5,1,", "line 2: data is '2.5'; give a level from 0 to 3"),
    ],
)
def test_incomplete_or_invalid_levels_raise(row, says, tmp_path):
    sheet = tmp_path / "levels.csv"
    sheet.write_text(f"report,data,words,comment\n{row}\n")
    with pytest.raises(GradingError, match=says):
        inter_rater_agreement.read_sheet(sheet, COLUMNS)


def test_agreement_of_two_markers_is_reported():
    one = {"a": {"data": 3, "words": 1}, "b": {"data": 0, "words": 1}, "c": {"data": 1, "words": 1}}
    other = {"a": {"data": 3, "words": 1}, "b": {"data": 0, "words": 1}}
    said = list(
        inter_rater_agreement.told({"kim": one, "lee": other}, COLUMNS, {"data": "D", "words": "W"})
    )
    assert said == [
        "kim and lee: 2 in common, weighted kappa 1.00, 100% of levels equal",
        "   1.00  D",
        "      –  W",
    ]
    assert inter_rater_agreement.means({"kim": one, "lee": other}, COLUMNS, "c") == {
        "data": 1,
        "words": 1,
    }
    assert inter_rater_agreement.means({"kim": one}, COLUMNS, "z") is None
    with pytest.raises(GradingError, match="nobody has the levels of both"):
        inter_rater_agreement.agree(one, {}, COLUMNS)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'report,data,words\na,"3,1\nb,1,1\n', "a quote that is opened and not closed"),
        (b"report,data,words,data\na,3,1,2\n", "has two columns 'data'"),
        ("report,data,words,comment\nü,3,1,\n".encode("cp1252"), "not UTF-8"),
    ],
)
def test_a_sheet_that_would_be_misread_is_refused(content, says, tmp_path):
    sheet = tmp_path / "levels.csv"
    sheet.write_bytes(content)
    with pytest.raises(GradingError, match=says):
        inter_rater_agreement.read_sheet(sheet, COLUMNS)
