"""Two markers: their tables, and how far they agree."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook.course import inter_rater_agreement
from recsys_metrics.workbook.grading.limits import GradingError

COLUMNS = {"data": 3, "words": 2}


def test_a_sheet_is_written_once_and_missing_students_get_rows(tmp_path):
    sheet = tmp_path / "levels.csv"
    assert inter_rater_agreement.complete_sheet(sheet, ["abc"], COLUMNS) == []
    assert sheet.read_text() == "report,data,words,comment\nabc,,,\n"
    assert inter_rater_agreement.read_sheet(sheet, COLUMNS) == {}
    sheet.write_text("report,data,words,comment\nabc,2,0,well\n")
    assert inter_rater_agreement.complete_sheet(sheet, ["abc", "def"], COLUMNS) == ["def"]
    assert sheet.read_text() == "report,data,words,comment\nabc,2,0,well\ndef,,,\n"
    assert inter_rater_agreement.read_sheet(sheet, COLUMNS) == {"abc": {"data": 2, "words": 0}}
    # Columns in another order, other line ends, and none at the end.
    sheet.write_bytes(b"words,comment,report,data\r\n0,well,abc,2")
    known = {"def": {"data": 3}}
    assert inter_rater_agreement.complete_sheet(sheet, ["def", "abc"], COLUMNS, known) == ["def"]
    assert sheet.read_bytes() == b"words,comment,report,data\r\n0,well,abc,2\r\n,,def,3\r\n"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("abc,2,,", "line 2: words is ''; give a level from 0 to 2"),
        ("abc,2,3,", "line 2: words is '3'; give a level from 0 to 2"),
        ("abc,2,1,\nabc,0,0,", "line 3: .abc. has levels a second time; keep one row for it"),
        ("abc,2.5,1,", "line 2: data is '2.5'; give a level from 0 to 3"),
    ],
)
def test_incomplete_or_invalid_levels_raise(row, says, tmp_path):
    sheet = tmp_path / "levels.csv"
    sheet.write_text(f"report,data,words,comment\n{row}\n")
    with pytest.raises(GradingError, match=says):
        inter_rater_agreement.read_sheet(sheet, COLUMNS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_sheet_is_read_as_spreadsheets_save_it(encoding, separator, tmp_path):
    sheet = tmp_path / "levels.csv"
    text = "report,data,words,comment\nabc,2,1,\n".replace(",", separator)
    sheet.write_text(text, encoding=encoding)
    assert inter_rater_agreement.complete_sheet(sheet, ["abc", "def"], COLUMNS) == ["def"]
    assert inter_rater_agreement.read_sheet(sheet, COLUMNS) == {"abc": {"data": 2, "words": 1}}
    row = separator.join(["def", "", "", ""])
    assert sheet.read_text(encoding=encoding) == f"{text}{row}\n"


@pytest.mark.parametrize("head", ["report,data", "name,data,words", "report|data|words", ""])
def test_a_sheet_without_a_column_raises(head, tmp_path):
    sheet = tmp_path / "levels.csv"
    sheet.write_text(f"{head}\nabc,2\n")
    with pytest.raises(GradingError, match=r"has no column|line 1: the line is blank"):
        inter_rater_agreement.read_sheet(sheet, {"data": 3, "words": 2})


def test_a_report_twice_or_unknown_raises(tmp_path):
    sheet = tmp_path / "levels.csv"
    sheet.write_text("report,data,words,comment\nabc,2,1,\ndef,,,\nabc,3,1,\n")
    with pytest.raises(GradingError, match=r"line 4: 'abc' has levels a second time"):
        inter_rater_agreement.read_sheet(sheet, COLUMNS)
    sheet.write_text("report,data,words,comment\nabc,2,1,\nzzz,3,1,\n")
    with pytest.raises(GradingError, match=r"line 3: there is no report 'zzz'"):
        inter_rater_agreement.read_sheets([sheet], COLUMNS, {"abc", "def"})


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
    assert list(inter_rater_agreement.told({"kim": one, "lee": {"z": one["a"]}}, COLUMNS, {})) == [
        "kim and lee: none in common"
    ]
    with pytest.raises(GradingError, match="nobody has the levels of both"):
        inter_rater_agreement.agree(one, {}, COLUMNS)


def test_one_report_has_no_kappa():
    sheets = {"kim": {"a": {"data": 3, "words": 1}}, "lee": {"a": {"data": 2, "words": 1}}}
    said = list(inter_rater_agreement.told(sheets, COLUMNS, {"data": "D", "words": "W"}))
    assert said == [
        "kim and lee: 1 in common, 50% of levels equal; one is too few for a weighted kappa"
    ]


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
