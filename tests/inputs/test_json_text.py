"""Readers of JSON refuse what Python's reader would drop, or not survive."""

import gzip
import os
import threading

import pytest

import recsys_metrics as rm
from recsys_metrics._core.inputs.json_text import parse_json

pytest.importorskip("polars")
from recsys_metrics.frames._text_files import check_lines, read_json

BROKEN = {
    '{"a": ["x"], "b": ["y"], "a": ["z"]}': "the key 'a' occurs 2 times",
    '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}": "nested too deeply",
    '{"a": {"x": 1' + "0" * 4_000 + "}}": "a whole number of 4,001 digits",
    '{"a": {"x": NaN}}': "NaN is no number of JSON",
}


@pytest.mark.parametrize("text", BROKEN, ids=["twice", "deep", "huge", "nan"])
def test_what_cannot_be_kept_is_an_error_that_names_it(text, tmp_path):
    with pytest.raises(ValueError, match=BROKEN[text]):
        parse_json(text)
    lists = tmp_path / "lists.json"
    lists.write_text(text)
    if "NaN" not in text:  # there the table says which user has it
        with pytest.raises(ValueError, match=rf"lists\.json: not JSON: .*{BROKEN[text]}"):
            read_json(lists, "recommended")
    line = tmp_path / "lists.jsonl"
    line.write_text('{"user": "a", "item": "x", "score": 1}\n' + text + "\n")
    with pytest.raises(ValueError, match=rf"lists\.jsonl, line 2: .*{BROKEN[text]}"):
        check_lines(line)
    report = tmp_path / "report.json"
    report.write_text(text)
    with pytest.raises(ValueError, match=rf"report\.json is no JSON.*{BROKEN[text]}"):
        rm.Report.load(report)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (gzip.compress(b"{}"), r"is no JSON.*\(it is compressed with gzip; decompress it first\)"),
        (b"\x89PNG", "is not text in UTF-8, so it is no saved report; name the file that Report"),
    ],
)
def test_a_report_that_is_no_text_is_refused_with_what_to_do(content, says, tmp_path):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(ValueError, match=says):
        rm.Report.load(tmp_path / "a.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")
def test_a_report_is_not_read_from_a_pipe_or_a_device(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        problem = []

        def load(path=path, problem=problem):
            with pytest.raises(ValueError, match="is no file with an end"):
                rm.Report.load(path)
            problem.append("refused")

        thread = threading.Thread(target=load, daemon=True)
        thread.start()
        thread.join(10)
        assert problem == ["refused"]
