"""Times are compared to the microsecond in every form that they come in, and no finer."""

from __future__ import annotations

import datetime
import pickle

import numpy as np
import pytest
from typer.testing import CliRunner

from recsys_metrics.calibration import calibration_split
from recsys_metrics.cli._app import app
from recsys_metrics.interactions import Interactions, concatenate
from recsys_metrics.protocol import (
    leakage,
    leave_last_n_out,
    leave_last_session_out,
    rolling_splits,
    sessions,
    temporal_split,
)

LATE, EARLY = "2024-03-01T00:00:00.9", "2024-03-01T00:00:00.1"
SECOND = 1_709_251_200


def _forms(texts):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    moments = [datetime.datetime.fromisoformat(text) for text in texts]
    berlin = [text + "+01:00" for text in texts]
    return {
        "texts": texts,
        "array of texts": np.array(texts),
        "datetimes": moments,
        "datetimes with a zone": [each.replace(tzinfo=datetime.UTC) for each in moments],
        **{f"M8[{unit}]": np.array(texts, f"M8[{unit}]") for unit in ("ms", "us", "ns")},
        "list of datetime64": [*np.array(texts, "M8[ms]")],
        "pandas": pandas.Series(moments),
        "pandas index": pandas.DatetimeIndex(moments),
        "pandas in Berlin": pandas.Series(moments)
        .dt.tz_localize("UTC")
        .dt.tz_convert("Europe/Berlin"),
        "pandas objects": pandas.Series([*map(pandas.Timestamp, texts)], dtype=object),
        "pandas on pyarrow": pandas.Series(moments).astype("timestamp[ms][pyarrow]"),
        "polars": polars.Series(moments),
        "polars with a zone": polars.Series(moments).dt.replace_time_zone("UTC"),
        "polars ms": polars.Series(moments).dt.cast_time_unit("ms"),
        "pyarrow": arrow.array(moments, arrow.timestamp("us")),
        "floats": [each.replace(tzinfo=datetime.UTC).timestamp() for each in moments],
        "texts with an offset": [
            (datetime.datetime.fromisoformat(text) + datetime.timedelta(hours=1)).isoformat()
            for text in berlin
        ],
    }


def test_two_events_of_one_second_are_told_apart_in_every_form():
    for name, times in _forms([LATE, EARLY]).items():
        log = Interactions([0, 0], [0, 1], timestamp=times)
        assert log.timestamp.tolist() == [SECOND + 0.9, SECOND + 0.1], name
        assert leave_last_n_out(log).test.item.tolist() == [0], name
        train, test = log.take([0]), log.take([1])
        assert not leakage(train, test).leak_free, name
        assert leakage(test, train).leak_free, name


def test_whole_seconds_stay_whole_numbers():
    for name, times in _forms([LATE[:-2], "2024-03-01T00:00:01"]).items():
        log = Interactions([0, 0], [0, 1], timestamp=times)
        assert (log.timestamp.dtype, log.timestamp.tolist()) == (int, [SECOND, SECOND + 1]), name


@pytest.mark.parametrize(
    "times",
    [
        np.array(["2024-03-01T00:00:00.123456789"], "M8[ns]"),
        [np.datetime64("2024-03-01T00:00:00.123456789")],
        ["2024-03-01T00:00:00.1234567Z"],
        ["2024-03-01T00:00:00,1234567"],
    ],
)
def test_times_finer_than_a_microsecond_are_refused(times):
    with pytest.raises(ValueError, match=r"row 0 has .* finer than a microsecond.*round all times"):
        Interactions([0], [0], timestamp=times)


def test_pandas_nanoseconds_are_refused_as_an_object_and_as_a_column():
    pandas = pytest.importorskip("pandas")
    time = pandas.Timestamp("2024-03-01T00:00:00.000000001")
    for times in (pandas.Series([time]), [time], pandas.Series([time], dtype=object)):
        with pytest.raises(ValueError, match="finer than a microsecond"):
            Interactions([0], [0], timestamp=times)
    assert Interactions([0], [0], timestamp=[time.floor("us")]).timestamp.tolist() == [SECOND]


def test_a_fraction_that_no_float_has_digits_for_is_refused():
    with pytest.raises(ValueError, match="a float does not tell microseconds apart"):
        Interactions([0], [0], timestamp=["2300-01-01T00:00:00.5"])
    assert Interactions([0], [0], timestamp=["2300-01-01"]).timestamp.dtype == int
    with pytest.raises(TypeError, match=r"longdouble|float128"):
        Interactions([0], [0], timestamp=np.array([1.5], np.longdouble))


def test_all_microseconds_of_a_second_stay_apart():
    ticks = np.arange(10**6) + (2**33 - 1) * 10**6
    log = Interactions(np.zeros(10**6, int), np.zeros(10**6, int), timestamp=ticks.view("M8[us]"))
    assert (np.diff(log.timestamp) > 0).all()


def test_events_before_1970_are_in_order():
    log = Interactions([0, 0], [0, 1], timestamp=["1969-12-31T23:59:59.9", "1969-12-31T23:59:59.1"])
    assert np.allclose(log.timestamp, [-0.1, -0.9])
    assert leave_last_n_out(log).test.item.tolist() == [0]


def test_a_cut_within_a_second():
    log = Interactions([0, 0, 1], [0, 1, 2], timestamp=[LATE, EARLY, "2024-03-02"])
    for at in ("2024-03-01T00:00:00.5Z", np.datetime64("2024-03-01T00:00:00.5"), SECOND + 0.5):
        split = temporal_split(log, at=at)
        assert (split.train.item.tolist(), split.cutoff_time) == ([1], SECOND + 0.5)
    assert temporal_split(log, test_share=0.7).cutoff_time == SECOND + 0.1
    parts = [*rolling_splits(log, at=[SECOND + 0.1, SECOND + 0.9], window=1)]
    assert [part.train.item.tolist() for part in parts] == [[1], [0, 1]]


def test_a_pause_of_exactly_the_gap_does_not_end_a_session():
    for start in (0, SECOND, 2**31 - 900):
        times = np.array([start * 1000 + 100, (start + 1800) * 1000 + 100]).view("M8[ms]")
        log = Interactions([0, 0], [0, 1], timestamp=times)
        assert sessions(log).tolist() == [0, 0]
        later = Interactions([0, 0], [0, 1], timestamp=times + np.array([0, 1], "m8[ms]"))
        assert sessions(later).tolist() == [0, 1]
        assert leave_last_session_out(later).test.item.tolist() == [1]


def test_parts_with_and_without_fractions_go_together():
    whole = Interactions([0], [0], timestamp=[SECOND], n_users=1, n_items=2)
    part = Interactions([0], [1], timestamp=[LATE], n_users=1, n_items=2)
    both = concatenate([part, whole])
    assert both.timestamp.tolist() == [SECOND + 0.9, SECOND]
    assert pickle.loads(pickle.dumps(both)).timestamp.tolist() == both.timestamp.tolist()
    again = Interactions(both.user, both.item, timestamp=both.timestamp)
    assert again.timestamp.tolist() == both.timestamp.tolist()


def test_a_calibration_split_compares_nanoseconds():
    times = np.array([3, 1, 2, 4]) + SECOND * 10**9
    for given in (times, times.view("M8[ns]")):
        _, test = calibration_split([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], timestamps=given)
        assert test.rows.tolist() == [0, 3]


@pytest.mark.parametrize("zone", ["", "+00:00"])
def test_a_calibration_split_reads_datetimes_of_any_library(zone):
    pandas = pytest.importorskip("pandas")
    moments = [datetime.datetime.fromisoformat(text + zone) for text in (LATE, EARLY)]
    for given in (moments, pandas.Series(moments), pandas.DatetimeIndex(moments)):
        assert calibration_split([0.1, 0.2], [0, 1], timestamps=given).test.rows.tolist() == [0]


def _write(folder, form, texts):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"user": ["u"] * len(texts), "item": ["a", "b", "c"][: len(texts)]})
    times = polars.Series("timestamp", texts)
    if form == "seconds.csv":
        times = polars.Series("timestamp", [f"{SECOND}{text[19:]}" for text in texts])
    elif form.endswith(".parquet"):
        times = times.str.to_datetime(time_unit=form.partition(".")[0])
    path = folder / f"log-{form}"
    table = table.with_columns(times)
    if path.suffix == ".parquet":
        table.write_parquet(path)
    elif path.suffix == ".jsonl":
        table.write_ndjson(path)
    else:
        table.write_csv(path)
    return path


@pytest.mark.parametrize("form", ["texts.csv", "seconds.csv", "texts.jsonl", "ms.parquet",
                                  "us.parquet", "ns.parquet"])  # fmt: skip
def test_commands_compare_fractions(tmp_path, form):
    polars, run = pytest.importorskip("polars"), CliRunner().invoke
    log = _write(tmp_path, form, [LATE, EARLY])
    train, test = tmp_path / "train.parquet", tmp_path / "test.parquet"
    parts = ["--train", str(train), "--test", str(test)]
    cut = ["--at", f"{SECOND}.5"] if "seconds" in form else ["--at", "2024-03-01T00:00:00.5Z"]
    done = run(app, ["split", str(log), *parts, *cut])
    assert done.exit_code == 0, done.output
    assert polars.read_parquet(train)["item"].to_list() == ["b"]
    assert "2024-03-01 00:00:00.5 UTC" in done.output
    leaking = run(app, ["leakage", str(test), str(train), "--format", "json"])
    assert '"later": 1' in leaking.output
    train.unlink()
    test.unlink()
    done = run(app, ["split", str(log), *parts, "--by", "last"])
    assert polars.read_parquet(test)["item"].to_list() == ["a"], done.output


@pytest.mark.parametrize("form", ["texts.csv", "seconds.csv", "ns.parquet"])
def test_commands_refuse_what_is_finer(tmp_path, form):
    pytest.importorskip("polars")
    log = _write(tmp_path, form, [LATE, EARLY + "000001", EARLY + "00000001"])
    parts = ["--train", str(tmp_path / "a.csv"), "--test", str(tmp_path / "b.csv")]
    done = CliRunner().invoke(app, ["split", str(log), *parts])
    assert done.exit_code != 0
    assert "finer than a microsecond" in done.output + done.stderr
    assert not (tmp_path / "a.csv").exists()
