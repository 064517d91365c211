"""Input that users of other projects reported, and other input with the same cause."""

from __future__ import annotations

import datetime
import io

import numpy as np
import pytest
import scipy.sparse as sp

import recsys_metrics as rm
from recsys_metrics import judge
from recsys_metrics._core.inputs.engines import engine_errors
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import online, significance, temporal_split

SECONDS = [1704067200, 1704067800, 1704075000]


def mentioned(report, words):
    return [sentence for sentence in report.warnings if words in sentence]


# Ids --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recommended", "relevant", "message"),
    [
        ({"u": ["1", "2"], "v": [1, 2]}, {"u": {1}, "v": {1}}, "1 at rank 1, an int, and .* '1'"),
        ([["a", 7]], [{"a"}], "7 at rank 2, an int, and another id is 'a', a str"),
        ([["a"], ["b"]], [{"a"}, {7}], "item 7, an int, and another id is 'a'"),
        ([["a", "b"]], [{"a", 2.5}], "2.5, a float, and another id is 'a'"),
    ],
)
def test_text_and_numbers_among_the_ids_of_one_side_are_an_error(recommended, relevant, message):
    for k in (None, 2):
        with pytest.raises(ValueError, match=message):
            judge(recommended, relevant, k=k)


@pytest.mark.parametrize("relevant", [{"a"}, {b"a"}])
def test_bytes_are_an_error_that_says_how_to_decode_them(relevant):
    with pytest.raises(TypeError, match=r"is bytes and never equals the text 'a'; decode the ids"):
        judge({"u": [b"a", b"b"]}, {"u": relevant}, k=1)


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan])
def test_a_missing_item_is_an_error_in_lists_and_truths(missing):
    for recommended, relevant in (([["a", missing]], [{"a"}]), ([["a"]], [{"a", missing}])):
        for k in (None, 2):
            with pytest.raises(ValueError, match="which is no id; leave missing items out"):
                judge(recommended, relevant, k=k)


def test_padding_is_an_empty_slot_of_an_array_and_an_error_in_a_list():
    assert judge(np.array([[3, -1]]), np.array([[3, -1]])).n_returned.tolist() == [1]
    padded = [([[3, -1]], [{3}]), ([[-1, 3]], [{3}]), ([[3, 4]], [{3, -1}]), ([[-1]], [{-1}])]
    for recommended, relevant in padded:
        for k in (None, 2):
            with pytest.raises(ValueError, match="is it padding, which in an array is an empty s"):
                judge(recommended, relevant, k=k)
    # Other numbers below 0 are ids, as hashes are.
    assert judge([[-7, 3]], [{-7}]).gains.tolist() == [[1.0, 0.0]]


def many(recommended, relevant, n=60):
    lists = {f"u{i}": [recommended(i), recommended(i + 1)] for i in range(n)}
    return lists, {f"u{i}": {relevant(i)} for i in range(n)}


@pytest.mark.parametrize(
    ("recommended", "relevant"),
    [
        (lambda i: f"{i}.0", str),
        (lambda i: f"m{i:06}", lambda i: f"m{i}"),
        (lambda i: f"a{i}", lambda i: f"A{i}"),
        (lambda i: i, lambda i: i + 1000),
    ],
)
@pytest.mark.parametrize("measures", [["recall@2"], ["recall@2", "coverage@2"]])
def test_items_that_hardly_ever_meet_are_mentioned(recommended, relevant, measures):
    report = rm.evaluate(*many(recommended, relevant), measures, catalog=2000)
    assert mentioned(report, "but only 0 are both: check that items have the same ids")
    alike = rm.evaluate(*many(recommended, recommended), measures, catalog=2000)
    assert not mentioned(alike, "are both")
    lists, truth = many(recommended, relevant)
    columns = {
        "user": [user for user, row in lists.items() for _ in row],
        "item": [item for row in lists.values() for item in row],
        "rank": [1, 2] * len(lists),
    }
    wanted = {"user": [*truth], "item": [item for items in truth.values() for item in items]}
    for retrieved, judged in zip(frames_of(columns), frames_of(wanted), strict=True):
        found = rm.evaluate(retrieved, judged, measures, catalog=2000)
        assert mentioned(found, "but only 0 are both: check that items have the same ids")
        found = rm.evaluate(retrieved, retrieved, ["recall@2"])
        assert not mentioned(found, "are both")


def test_the_overlap_of_arrays_is_counted_as_well():
    items = np.arange(120).reshape(60, 2)
    report = rm.evaluate(items, items[:, :1] + 1000, ["ndcg@2"])
    assert mentioned(report, "120 different items are recommended and 60 are relevant")


# Tables that were numbered apart ------------------------------------------------------------------


def test_a_history_and_a_truth_of_different_widths_are_an_error():
    train, users, items = Interactions.from_ids(["u", "v"], ["a", "b"])
    test, _, _ = Interactions.from_ids(["u", "v"], ["b", "b"])
    lists = np.array([[0], [1]])
    for relevant in (test, test.matrix()):
        with pytest.raises(ValueError, match="history has 2 items and relevant 1: were"):
            rm.evaluate(lists, relevant, ["ndcg@1", "novelty(unseen=one)@1"], history=train)
    alike, *_ = Interactions.from_ids(["u", "v"], ["b", "b"], user_ids=users, item_ids=items)
    assert (alike.item.tolist(), alike.n_items) == ([1, 1], 2)
    report = rm.evaluate(lists, alike, ["ndcg@1", "novelty(unseen=one)@1"], history=train)
    assert report["ndcg@1"].mean == 0.5


def test_new_ids_get_the_numbers_after_those_that_are_known():
    log, users, items = Interactions.from_ids(
        ["w", "u"], ["c", "a"], user_ids=["u"], item_ids=[*"ab"]
    )
    assert (log.user.tolist(), users) == ([1, 0], ("u", "w"))
    assert (log.item.tolist(), items) == ([2, 0], ("a", "b", "c"))


# Data frames ------------------------------------------------------------------------------------


def frames_of(columns):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    table = arrow.table(columns)
    relation = duckdb.from_arrow(table)  # Of the connection that all share, so that two meet.
    return [pandas.DataFrame(columns), polars.DataFrame(columns), table, relation,
            polars.LazyFrame(columns)]  # fmt: skip


def test_events_are_read_from_any_frame():
    columns = {"userId": ["ann", "bob", "ann"], "sku": ["x", "x", "y"], "stars": [4.0, 2.0, 5.0]}
    times = [datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 1, 1, 0, 10)]
    times.append(datetime.datetime(2024, 1, 1, 2, 10))
    for frame in frames_of({**columns, "when": times}):
        log, users, items = Interactions.from_frame(frame)
        assert (users, items) == (("ann", "bob"), ("x", "y"))
        assert log.user.tolist() == [0, 1, 0]
        assert log.rating.tolist() == [4, 2, 5]
        assert log.timestamp.tolist() == SECONDS
        given = Interactions.from_frame(frame, user="sku", item="userId", user_ids=("y",))
        assert (given[1], given[0].user.tolist()) == (("y", "x"), [1, 1, 0])


def test_a_column_that_is_missing_or_could_be_several_is_an_error():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"user": [1], "item": [2], "item_id": [3]})
    with pytest.raises(
        ValueError, match=r"several columns that could be the item, \['item', 'item"
    ):
        Interactions.from_frame(frame)
    with pytest.raises(ValueError, match="no column that looks like the item; there are"):
        Interactions.from_frame(frame[["user"]])
    with pytest.raises(ValueError, match="item='film' is no column of the frame"):
        Interactions.from_frame(frame, item="film")
    with pytest.raises(TypeError, match="reads a data frame, not a dict"):
        Interactions.from_frame({"user": [1], "item": [2]})
    both = r"no column that looks like the user or the item; .* Say which it is with user=…, item=…"
    with pytest.raises(ValueError, match=both):
        Interactions.from_frame(frame[["item_id"]].rename(columns={"item_id": "what"}))


def test_rarer_names_count_where_there_is_no_usual_one():
    pandas = pytest.importorskip("pandas")
    when = pandas.to_datetime(["2024-01-01", "2024-01-02"], utc=True)
    log = {"listener_id": ["a", "b"], "track_uri": ["x", "y"], "played_at": when}
    read, users, items = Interactions.from_frame(pandas.DataFrame(log))
    assert (users, items) == (("a", "b"), ("x", "y"))
    assert read.timestamp.tolist() == [1704067200, 1704153600]
    usual = pandas.DataFrame(log | {"user_id": ["u", "v"], "item_id": [1, 2], "timestamp": [5, 6]})
    read, users, items = Interactions.from_frame(usual)
    assert (users, items, read.timestamp.tolist()) == (("u", "v"), (1, 2), [5, 6])
    lists = usual[["listener_id", "track_uri"]].assign(rank=1)
    truth = usual[["listener_id", "track_uri"]]
    assert rm.evaluate(lists, truth, ["hit_rate@1"])["hit_rate@1"].mean == 1


# Times ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factor", "reading"),
    [
        (10**3, r"2024-01-01 in milliseconds \(divide by 1,000\)"),
        (10**6, r"2024-01-01 in microseconds \(divide by 1,000,000\)"),
        (10**9, r"2024-01-01 in nanoseconds \(divide by 1,000,000,000\)"),
    ],
)
def test_times_in_other_units_than_seconds_are_an_error(factor, reading):
    times = [second * factor for second in SECONDS]
    for given in (times, np.array(times)):
        with pytest.raises(ValueError, match=rf"after the year 2200\. It would be {reading}"):
            Interactions([0, 0, 0], [0, 1, 2], timestamp=given)


def test_datetimes_are_read_with_and_without_a_time_zone():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    naive = pandas.to_datetime(pandas.Series(SECONDS), unit="s")
    berlin = naive.dt.tz_localize("Europe/Berlin")
    hour = datetime.timezone(datetime.timedelta(hours=1))
    forms = {
        0: [naive, naive.to_numpy(), pandas.DatetimeIndex(naive), polars.Series(naive.tolist()),
            arrow.array(naive), naive.dt.to_pydatetime().tolist()],
        3600: [berlin, pandas.DatetimeIndex(berlin), arrow.array(berlin),
               polars.Series(naive.tolist()).dt.replace_time_zone("Europe/Berlin"),
               [time.replace(tzinfo=hour) for time in naive.dt.to_pydatetime()]],
    }  # fmt: skip
    for earlier, given in forms.items():
        for times in given:
            log = Interactions([0, 0, 0], [0, 1, 2], timestamp=times)
            assert log.timestamp.tolist() == [second - earlier for second in SECONDS], times
    days = [datetime.date(1970, 1, 2), datetime.date(1970, 1, 3)]
    for given in (days, pandas.Series(days), np.array(days), pandas.Series(days).to_numpy()):
        log = Interactions([0, 0], [0, 1], timestamp=given)
        assert log.timestamp.tolist() == [86_400, 172_800]
    mixed = pandas.Series([naive[0], berlin[1]], dtype=object)
    log = Interactions([0, 0], [0, 1], timestamp=mixed)
    assert log.timestamp.tolist() == [SECONDS[0], SECONDS[1] - 3600]
    with pytest.raises(ValueError, match="row 0 has no timestamp; leave out events"):
        Interactions([0], [0], timestamp=pandas.Series([pandas.NaT]))
    for none in (None, pandas.NaT):
        with pytest.raises(ValueError, match="row 1 has no timestamp; leave out events"):
            Interactions([0, 0], [0, 1], timestamp=pandas.Series([days[0], none], dtype=object))
    with pytest.raises(TypeError, match="float32, which has too few digits; give seconds since"):
        Interactions([0], [0], timestamp=np.array([0.5], "f4"))


OFFSETS = ["2026-01-01T00:00:00+01:00", "2025-12-31 23:30:00Z", "2026-01-01 00:00:00.5 UTC"]
AT_UTC = [1_767_222_000, 1_767_223_800, 1_767_225_600.5]

MIDNIGHT = 1_767_225_600


def test_texts_of_times_are_converted_by_their_offsets():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    table = {"user": [0, 0, 1], "item": [0, 1, 2], "timestamp": OFFSETS}
    text = pandas.DataFrame(table).to_csv(index=False)
    for frame in (pandas.read_csv(io.StringIO(text)), polars.read_csv(io.StringIO(text)),
                  arrow.table(table),
                  pandas.read_csv(io.StringIO(text), parse_dates=["timestamp"])):  # fmt: skip
        log, *_ = Interactions.from_frame(frame)
        assert log.timestamp.tolist() == AT_UTC
    for column in (OFFSETS, np.array(OFFSETS), np.array(OFFSETS, dtype=object)):
        assert Interactions([0, 0, 1], [0, 1, 2], timestamp=column).timestamp.tolist() == AT_UTC
    for text, row in (("31/01/2024", 1), ("20240131", 1), ("", 1)):
        with pytest.raises(ValueError, match=f"row {row} has the timestamp '{text}', a text that"):
            Interactions([0, 0], [0, 1], timestamp=[OFFSETS[0], text])
    missing = pandas.Series([OFFSETS[0], None], dtype=object)
    for column in (missing, polars.Series([OFFSETS[0], None]), [OFFSETS[0], float("nan")]):
        with pytest.raises(ValueError, match="row 1 has no timestamp; leave out events"):
            Interactions([0, 0], [0, 1], timestamp=column)


def test_a_cut_off_time_may_be_a_date_or_a_text():
    log = Interactions([0, 0, 0], [0, 1, 2], timestamp=AT_UTC)
    for at in ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00"):
        assert temporal_split(log, at=at).cutoff_time == AT_UTC[1]
    log = Interactions([0, 0, 0], [0, 1, 2], timestamp=[AT_UTC[0], MIDNIGHT, MIDNIGHT + 1])
    assert temporal_split(log, at=datetime.date(2026, 1, 1)).cutoff_time == MIDNIGHT
    assert temporal_split(log, at="2026-01-01").cutoff_time == MIDNIGHT
    for at in ("March", "20260101"):
        with pytest.raises(ValueError, match=f"at='{at}' is no time in ISO's form, such as"):
            temporal_split(log, at=at)


@pytest.mark.parametrize("text", ["2026-01-01+01:00", "2026-01-01-0500", "20260101Z05:00"])
def test_a_date_with_a_distance_from_utc_is_no_time_of_day(text):
    readings = "is a date, and 0.:00 may be its distance from UTC or the time of day; write the"
    with pytest.raises(ValueError, match=f"row 0 has the timestamp .* {readings}"):
        Interactions([0], [0], timestamp=[text])
    log = Interactions([0, 0, 0], [0, 1, 2], timestamp=AT_UTC)
    with pytest.raises(ValueError, match=f"at=.* {readings}"):
        temporal_split(log, at=text)


def test_a_cut_off_time_may_be_a_datetime():
    log = Interactions([0, 0, 0], [0, 1, 2], timestamp=SECONDS)
    naive = datetime.datetime(2024, 1, 1, 0, 10)
    berlin = datetime.datetime(
        2024, 1, 1, 1, 10, tzinfo=datetime.timezone(datetime.timedelta(hours=1))
    )
    for at in (SECONDS[1], naive, berlin, np.datetime64("2024-01-01T00:10")):
        split = temporal_split(log, at=at)
        assert (split.cutoff_time, split.train.item.tolist()) == (SECONDS[1], [0, 1]), at
    with pytest.raises(TypeError, match="at is a date, a datetime, or a number of seconds since"):
        temporal_split(log, at=float("nan"))


# Labels -----------------------------------------------------------------------------------------


def test_columns_whose_labels_are_in_another_order_are_an_error():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    past = pandas.Series(rng.normal(size=40), index=[f"u{n}" for n in range(40)])
    now = past + rng.normal(scale=0.1, size=40)
    a, b, before, after = now[:20], now[20:], past[:20], past[20:]
    fits = online.cuped(a, b, control_before=before, treatment_before=after)
    assert fits.variance_ratio < 0.1
    message = r"control and control_before are read row by row.*control_before\.reindex\(control"
    with pytest.raises(ValueError, match=message):
        online.cuped(a, b, control_before=before[::-1], treatment_before=after)
    with pytest.raises(ValueError, match=r"treatment_per\.reindex"):
        online.ab_test(a, b, control_per=before**2, treatment_per=(after**2)[::-1])
    with pytest.raises(ValueError, match="a and b are read row by row"):
        significance.paired_t_test(a, a[::-1])
    # Rows in an order of their own have no labels to compare.
    assert significance.paired_t_test(a.reset_index(drop=True), a.to_numpy() + rng.random(20))


# Grades, thresholds, catalogues -----------------------------------------------------------------


STARS = [{1: 5.0, 2: 0.5, 3: 3.0}, {2: 4.5, 3: 1.0}]


def test_a_threshold_above_every_grade_is_mentioned():
    report = rm.evaluate([[1, 2], [2, 3]], [{1}, {2}], ["recall@2"], threshold=4)
    assert mentioned(report, "No grade reaches threshold=4, since the highest is 1")
    assert not mentioned(
        rm.evaluate([[1]], [{1: 4}], ["recall@1"], threshold=4), "No grade reaches"
    )


def test_stars_without_a_threshold_are_mentioned():
    report = rm.evaluate([[1, 2], [2, 3]], STARS, ["recall@2"])
    assert mentioned(report, "Grades from 0.5 to 5 came without threshold=")
    liked = [{1: 5.0, 2: 4.0}, {2: 4.5}]
    quiet = ((STARS, 4), ([{1}, {2}], None), ([{1: 1, 2: 3}, {2: 1}], None), (liked, None))
    for truth, threshold in quiet:
        report = rm.evaluate([[1, 2], [2, 3]], truth, ["recall@2"], threshold=threshold)
        assert not mentioned(report, "came without threshold=")


def test_grades_and_thresholds_of_frames_are_mentioned_as_those_of_lists():
    columns = {"user": [0, 0, 1, 1], "item": [1, 2, 2, 3], "rank": [1, 2, 1, 2]}
    rows = [(user, item, grade) for user, row in enumerate(STARS) for item, grade in row.items()]
    stars = dict(zip(("user", "item", "grade"), map(list, zip(*rows, strict=True)), strict=True))
    for threshold in (None, 4, 9):
        lists = rm.evaluate([[1, 2], [2, 3]], STARS, ["ndcg@2", "recall@2"], threshold=threshold)
        for retrieved, truth in zip(frames_of(columns), frames_of(stars), strict=True):
            frame = rm.evaluate(retrieved, truth, ["ndcg@2", "recall@2"], threshold=threshold)
            for words in ("threshold=", "stars"):
                assert mentioned(frame, words) == mentioned(lists, words)


def test_a_graded_measure_beside_a_threshold_is_mentioned():
    measures = ["ndcg@2", "dcg(gain=binary)@2", "recall@2"]
    report = rm.evaluate([[1, 2], [2, 3]], STARS, measures, threshold=4)
    assert mentioned(report, "ndcg@2 counts grades below threshold=4 as smaller gains")
    binary = rm.evaluate([[1, 2], [2, 3]], STARS, measures[1:], threshold=4)
    assert not mentioned(binary, "smaller gains")


def test_a_count_of_the_catalogue_is_enough_for_measures_of_counts():
    lists = {"u": ["a", "b"], "v": ["a", "c"]}
    truth = {"u": {"a"}, "v": {"c"}}
    measures = ["gini@2", "shannon_entropy@2", "coverage@2"]
    counted = rm.evaluate(lists, truth, measures, catalog=5)
    named = rm.evaluate(lists, truth, measures, catalog=list("abcde"))
    evaluation = rm.Evaluation(measures, catalog=5)
    for user in lists:
        evaluation.update({user: lists[user]}, {user: truth[user]})
    for measure in measures:
        assert counted[measure].mean == named[measure].mean
        assert evaluation.report()[measure].mean == named[measure].mean
    with pytest.raises(ValueError, match="3 distinct items were recommended from a catalogue of 2"):
        rm.evaluate(lists, truth, ["gini@2"], catalog=2)


def test_a_count_is_enough_for_ids_of_any_kind_in_every_form():
    lists, truth = {1: [1001, 2002], 2: [1001, 7]}, {1: {1001}, 2: {7}}
    measures = ["coverage@2", "gini@2"]
    named = rm.evaluate(lists, truth, measures, catalog=[1001, 2002, 7, 4, 5])
    array = rm.evaluate(np.array([*lists.values()]), [*truth.values()], measures, catalog=5)
    forms = [rm.evaluate(lists, truth, measures, catalog=5), array]
    columns = {"user": [1, 1, 2, 2], "item": [1001, 2002, 1001, 7], "rank": [1, 2, 1, 2]}
    wanted = {"user": [1, 2], "item": [1001, 7]}
    for retrieved, relevant in zip(frames_of(columns), frames_of(wanted), strict=True):
        forms.append(rm.evaluate(retrieved, relevant, measures, catalog=5))
    for report in forms:
        assert [report[m].mean for m in measures] == [named[m].mean for m in measures]
    # What each item got needs to know which it is.
    for lists in ([[0, 1], [5]], [["A"], ["A"]]):
        with pytest.raises(TypeError, match=r"Pass the item ids: catalog=\["):
            rm.beyond_accuracy.exposure_of_items(lists, 5)


# Repeats ----------------------------------------------------------------------------------------


def test_what_was_bought_twice_is_an_error_or_counts_once():
    with pytest.raises(ValueError, match="has the relevant item 7 twice; name each relevant item"):
        judge([7, 8, 9], [7, 7])
    for repeats in ("drop", "blank"):
        assert rm.precision(judge([7, 8, 9], [7, 7], repeats=repeats), k=3) == 1 / 3
    events = Interactions([0, 0, 1], [7, 7, 8], rating=[3, 3, 1])
    judged = judge(np.array([[7, 8], [8, 7]]), events, repeats="drop")
    assert judged.gains.tolist() == [[3.0, 0.0], [1.0, 0.0]]
    assert judged.n_relevant.tolist() == [1, 1]


def test_a_table_with_a_repeat_names_the_user_and_the_item():
    lists = {"user": [1, 1], "item": [7, 8], "rank": [1, 2]}
    bought = {"user": [1, 1, 2, 2], "item": [8, 8, 9, 9]}
    message = r"has 2 users with an item twice; .* \(user 1 has item 8 a second time\)"
    for retrieved, truth in zip(frames_of(lists), frames_of(bought), strict=True):
        with pytest.raises(ValueError, match=message):
            rm.evaluate(retrieved, truth, ["recall@2"])


@pytest.mark.parametrize("repeats", ["drop", "blank"])
@pytest.mark.parametrize("order", ["rank", "score"])
def test_repeats_are_taken_out_of_tables_as_out_of_lists(repeats, order):
    lists = {1: [7, 8, 7, 9], 2: [5, 5, 6, 4]}
    graded = {"user": [1, 1, 1, 2], "item": [8, 8, 9, 6], "grade": [3.0, 3.0, 2.0, 1.0]}
    columns = {
        "user": [user for user, row in lists.items() for _ in row],
        "item": [item for row in lists.values() for item in row],
        order: [1, 2, 3, 4, 1, 2, 3, 4] if order == "rank" else [9.0, 7.0, 6.0, 5.0] * 2,
    }
    measures = ["recall@2", "ndcg@3", "mrr@4", "precision(denominator=recommended)@3"]
    truth = {1: {8: 3, 9: 2}, 2: {6: 1}}
    expected = rm.evaluate(lists, truth, measures, repeats=repeats)
    for retrieved, relevant in zip(frames_of(columns), frames_of(graded), strict=True):
        report = rm.evaluate(retrieved, relevant, measures, repeats=repeats)
        for measure in measures:
            assert report[measure].mean == pytest.approx(expected[measure].mean), measure
        assert (report.protocol.repeats, report.protocol.n_repeats) == (repeats, 2)
        assert report.protocol.n_relevant_repeats == 1
        assert "; 1 among the relevant items, which count once" in str(report.protocol)
        assert report.protocol.lengths == expected.protocol.lengths


@pytest.mark.parametrize("repeats", ["drop", "blank"])
def test_two_grades_of_one_item_are_refused_in_every_form(repeats):
    message = (
        r"item 7 .*with the grades 2(\.0)? and 3(\.0)?.*; keep the grade that counts, once for"
    )
    events = Interactions([0, 0, 1], [7, 7, 8], rating=[3, 2, 1])
    with pytest.raises(ValueError, match=message):
        judge(np.array([[7, 8], [8, 7]]), events, repeats=repeats)
    lists = {"user": [1, 1, 2], "item": [7, 8, 9], "rank": [1, 2, 1]}
    graded = {"user": [1, 2, 2, 2], "item": [8, 7, 9, 7], "grade": [1.0, 2.0, 2.0, 3.0]}
    of_user = "user 2.*item 7 .*" + message.partition(".*")[2]
    for retrieved, truth in zip(frames_of(lists), frames_of(graded), strict=True):
        with pytest.raises(ValueError, match=r"1 pair of a user and an item with two.*" + of_user):
            rm.evaluate(retrieved, truth, ["ndcg@2"], repeats=repeats)
        with pytest.raises(ValueError, match=message):
            rm.evaluate({1: [7, 8], 2: [9]}, truth, ["ndcg@2"], repeats=repeats)


# Tensors ----------------------------------------------------------------------------------------


class Tensor:
    """What numpy cannot hold, as torch has it."""

    def __init__(self, dtype, layout="torch.strided"):
        self.dtype, self.layout, self.shape = dtype, layout, (1, 2)

    def __array__(self, *_, **__):
        raise TypeError("Got unsupported ScalarType")


@pytest.mark.parametrize(
    ("tensor", "cure"),
    [
        (Tensor("torch.bfloat16"), r"numpy has no bfloat16, so pass .float\(\) of it"),
        (Tensor("torch.float32", "torch.sparse_coo"), r"it is sparse: pass .to_dense\(\) of it"),
    ],
)
def test_a_tensor_that_numpy_cannot_hold_names_the_cure(tensor, cure):
    with pytest.raises(TypeError, match=cure):
        rm.rank_from_scores(tensor, 1)
    with pytest.raises(TypeError, match=cure):
        rm.calibration.brier_score([1, 0], tensor)


def test_rows_of_different_lengths_name_the_cure():
    with pytest.raises(TypeError, match="rows differ in length: pad them"):
        rm.rank_from_scores([[0.1, 0.2], [0.3]], 1)


def test_a_sparse_truth_is_read_as_it_is():
    truth = sp.csr_array(np.array([[0, 0, 1.0, 1.0]]))
    assert rm.recall(judge([[1, 2]], truth), k=2).tolist() == [0.5]


# Equal scores ------------------------------------------------------------------------------------


def test_a_report_mentions_lists_whose_scores_are_all_equal():
    runs = {1: {1: 0.5, 2: 0.5, 3: 0.5}, 2: {1: 0.1, 2: 0.9, 3: 0.1}, 3: {4: 1.0}}
    truth = {1: {1}, 2: {2}, 3: {4}}
    words = "In 1 of 3 lists all scores are equal"
    for measures in (["hit_rate@1"], ["hit_rate@1", "coverage@1"], ["mrr"]):
        assert mentioned(rm.evaluate(runs, truth, measures, catalog=9), words)
    odd = {
        user: {item: np.float32(score) for item, score in row.items()} for user, row in runs.items()
    }
    assert mentioned(rm.evaluate(odd, truth, ["mrr"]), words)
    columns = {
        "user": [user for user, row in runs.items() for _ in row],
        "item": [item for row in runs.values() for item in row],
        "score": [score for row in runs.values() for score in row.values()],
    }
    wanted = {"user": [1, 2, 3], "item": [1, 2, 4]}
    for retrieved, relevant in zip(frames_of(columns), frames_of(wanted), strict=True):
        assert mentioned(rm.evaluate(retrieved, relevant, ["hit_rate@1"]), words)
    evaluation = rm.Evaluation(["hit_rate@1"])
    for user in runs:
        evaluation.update({user: runs[user]}, {user: truth[user]})
    assert mentioned(evaluation.report(), words)


# Messages ---------------------------------------------------------------------------------------


def test_an_error_of_a_measure_says_what_can_be_written_in_evaluate():
    history = {"u": {"a"}}
    message = r"Write self_information\(unseen=drop\)@2 to leave such items out, or"
    with pytest.raises(ValueError, match=message):
        rm.evaluate({"u": ["a", "cold"]}, {"u": {"a"}}, ["novelty@2"], history=history)
    report = rm.evaluate(
        {"u": ["a", "cold"]}, {"u": {"a"}}, ["self_information(unseen=drop)@2"], history=history
    )
    assert report["novelty(unseen=drop)@2"].mean == 0
    with pytest.raises(ValueError, match="Pass unseen='drop'"):
        rm.beyond_accuracy.self_information([["cold"]], {"a": 1, "cold": 0}, 1)


# Metrics without a value ------------------------------------------------------------------------


def test_a_metric_without_a_value_does_not_end_the_report():
    lists, truth = {1: ["a", "b"], 2: ["c"], 3: ["d"]}, {1: {"a"}, 2: {"c"}, 3: {"x"}}
    measures = ["ndcg@2", "personalization@2", "coverage@2"]
    reports = [rm.evaluate(lists, truth, measures, catalog=9)]
    evaluation = rm.Evaluation(measures, catalog=9)
    for user in lists:
        evaluation.update({user: lists[user]}, {user: truth[user]})
    reports.append(evaluation.report())
    columns = {"user": [1, 1, 2, 3], "item": ["a", "b", "c", "d"], "rank": [1, 2, 1, 1]}
    wanted = {"user": [1, 2, 3], "item": ["a", "c", "x"]}
    for retrieved, relevant in zip(frames_of(columns), frames_of(wanted), strict=True):
        reports.append(rm.evaluate(retrieved, relevant, measures, catalog=9))
    for report in reports:
        assert np.isnan(report["personalization@2"].mean)
        assert report["coverage@2"].mean == 4 / 9
        assert report["ndcg@2"].mean == pytest.approx(reports[0]["ndcg@2"].mean)
        (warning,) = mentioned(report, "No value for personalization@2")
        assert "2 of 3 lists have fewer than 2 items" in warning or "2 of them shorter" in warning
        assert "nan" in repr(report).lower() or "personalization" in repr(report)
    with pytest.raises(ValueError, match="2 of 3 lists have fewer than 2 items"):
        rm.beyond_accuracy.personalization(list(lists.values()))


def test_a_model_that_recommends_nothing_has_a_report():
    lists, truth = {"u": [], "v": []}, {"u": {"a"}, "v": {"b"}}
    report = rm.evaluate(lists, truth, ["recall@2", "gini@2", "personalization@2"], catalog=5)
    assert report["recall@2"].mean == 0
    assert np.isnan(report["gini@2"].mean)
    assert mentioned(report, "No value for gini@2: all counts are 0")
    assert mentioned(report, "No value for personalization@2: all lists are empty")


def test_an_interrupted_query_of_an_engine_is_an_interrupt():
    duckdb = pytest.importorskip("duckdb")
    with pytest.raises(KeyboardInterrupt), engine_errors("duckdb"):
        raise duckdb.InterruptException("Query interrupted")
