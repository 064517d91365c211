"""What other libraries take, read and written: nothing is lost, and ties fall as theirs do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import recsys_metrics as rm
from recsys_metrics import convert
from tests.examples import examples

ids = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5)
lists = st.dictionaries(ids, st.lists(ids, min_size=1, max_size=6, unique=True), max_size=5)
truths = st.dictionaries(
    ids, st.dictionaries(ids, st.integers(0, 4), min_size=1, max_size=5), max_size=5
)


@examples(60)
@given(made=lists)
def test_a_written_run_can_be_read(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run.txt"
    convert.write_run(path, made)
    assert convert.read_run(path) == made
    assert convert.read_run(path, order="rank") == made
    assert convert.lists_from_scores(convert.scores_from_lists(made)) == made


@examples(60)
@given(made=truths)
def test_written_qrels_can_be_read(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("qrels") / "qrels.txt"
    convert.write_qrels(path, made)
    assert convert.read_qrels(str(path)) == made


def test_ties_are_broken_like_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    rng = np.random.default_rng(0)
    lines, qrels = [], []
    for user in range(200):
        for rank, item in enumerate(rng.permutation(12)[:8], 1):
            lines.append(f"u{user} Q0 i{item} {rank} {rng.integers(0, 3)} tag")
        qrels += [f"u{user} 0 i{item} {rng.integers(-1, 3)}" for item in range(0, 12, 2)]
    truth = convert.read_qrels(qrels)
    judged = rm.judge(convert.read_run(lines, ties="id-descending"), truth)
    run = pytrec_eval.parse_run(lines)
    whole = {user: {item: int(grade) for item, grade in row.items()} for user, row in truth.items()}
    found = pytrec_eval.RelevanceEvaluator(whole, {"ndcg", "map"}).evaluate(run)
    for name in ("ndcg", "map"):
        ours = rm.like("trec_eval", name)(judged)
        np.testing.assert_allclose(ours, [found[user][name] for user in judged.users], atol=1e-12)


def test_the_rank_column_is_used_on_request():
    lines = ["u Q0 a 2 0.9 t\n", "\n", "u\tQ0\tb\t1\t0.1\tt"]
    assert convert.read_run(lines) == {"u": ["a", "b"]}
    assert convert.read_run(lines, order="rank") == {"u": ["b", "a"]}


def test_items_with_negative_grades_were_not_judged():
    lines = ["u 0 a 1", "u 0 b -1", "u 0 c -2", "v 0 a -1"]
    assert convert.read_qrels(lines) == {"u": {"a": 1.0}, "v": {}}
    assert convert.read_unjudged(lines) == {"u": {"b", "c"}, "v": {"a"}}


def test_lines_of_comments_are_skipped(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("\ufeff# of six columns it seems\n#u 0 a 1\n  # b\nu 0 a 1\n", encoding="utf-8")
    assert convert.read_qrels(path) == {"u": {"a": 1.0}}
    assert convert.read_run(["# as of today", "#u Q0 b 1 2 t", "u Q0 a 1 2 t"]) == {"u": ["a"]}
    with pytest.raises(ValueError, match="line 2 has 3 columns"):
        convert.read_qrels(["# a", "u 0 a"])
    for write in (convert.write_run, convert.write_qrels):
        with pytest.raises(ValueError, match="user '#1' begins with #, which makes its lines com"):
            write(path, {"#1": ["a"]})


@pytest.mark.parametrize(
    ("read", "lines", "message"),
    [
        (convert.read_run, ["u Q0 a 1 0.5"], "line 1 has 5 columns; a run has user, Q0, item"),
        (convert.read_run, ["", "u Q0 a 1 x t"], "line 2 has the score 'x', not a finite number"),
        (convert.read_run, ["u Q0 a 1 nan t"], "line 1 has the score 'nan', not a finite number"),
        (convert.read_run, ["u Q0 a 1 \u0661 t"], "line 1 has the score .*, not a finite number"),
        (convert.read_run, ["u Q0 a 1 2 t"] * 2, "line 2 has item 'a' of user 'u' a second time"),
        (convert.read_qrels, ["u 0 a"], "line 1 has 3 columns; qrels have user, 0, item and grade"),
        (convert.read_qrels, ["u 0 a good"], "line 1 has the grade 'good', not a finite number"),
        (convert.read_qrels, ["u 0 a 1"] * 2, "line 2 has item 'a' of user 'u' a second time"),
    ],
)
def test_invalid_lines_raise(read, lines, message):
    with pytest.raises(ValueError, match=message):
        read(lines)


def test_errors_name_the_file_of_an_invalid_line(tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("u Q0 a 1 0.5 t\n\nu Q0 b 2 half t\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"run[.]txt, line 3 has the score 'half', not a finite number"
    ):
        convert.read_run(path)
    path.write_text("u 0 a\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"run[.]txt, line 1 has 3 columns"):
        convert.read_qrels(str(path))


def test_values_that_files_cannot_store_raise(tmp_path):
    path = tmp_path / "file.txt"
    with pytest.raises(ValueError, match="item 'a b' has a space in it"):
        convert.write_run(path, {"u": ["a b"]})
    with pytest.raises(ValueError, match="user '' has a space in it or is empty"):
        convert.write_qrels(path, {"": {"a"}})
    with pytest.raises(
        ValueError, match=r"item 'a' of user 'u' has the grade 0[.]5; qrels contain whole"
    ):
        convert.write_qrels(path, {"u": {"a": 0.5}})
    with pytest.raises(ValueError, match="there twice, as text"):
        convert.scores_from_lists({"u": [1, "1"]})
    with pytest.raises(ValueError, match="user 'u' gives item 'a' the score nan"):
        convert.lists_from_scores({"u": {"a": float("nan")}})
    with pytest.raises(ValueError, match="user 'u' gives item 'a' the score inf"):
        convert.lists_from_scores({"u": {"a": float("inf")}})
    with pytest.raises(TypeError, match="the items of user 'u' are of several types"):
        convert.lists_from_scores({"u": {"a": 1.0, 2: 1.0}})
    with pytest.raises(ValueError, match="the grade nan; qrels contain whole"):
        convert.write_qrels(path, {"u": {"a": float("nan")}})


def test_ties_are_broken_by_the_smaller_id_by_default():
    run = {"u": {10: 0.5, 9: 0.5, 11: 0.9}}
    assert convert.lists_from_scores(run) == {"u": [11, 9, 10]}
    assert convert.lists_from_scores(run, ties="id-descending") == {"u": [11, 10, 9]}
    assert convert.lists_from_scores(run, ties="order") == {"u": [11, 10, 9]}
    table = {"u": ["u"] * 3, "i": [10, 9, 11], "s": [0.5, 0.5, 0.9]}
    names = {"user": "u", "item": "i", "score": "s"}
    assert convert.lists_from_frame(table, **names) == {"u": [11, 9, 10]}
    assert convert.lists_from_frame(table, **names, ties="id-descending") == {"u": [11, 10, 9]}
    assert convert.lists_from_frame(table, **names, ties="order") == {"u": [11, 10, 9]}


def test_a_byte_order_mark_is_not_part_of_a_user(tmp_path):
    path = tmp_path / "run.txt"
    path.write_bytes(b"\xef\xbb\xbfu Q0 a 1 2 t\n")
    assert convert.read_run(path) == {"u": ["a"]}
    assert convert.read_scores(path) == {"u": {"a": 2.0}}


TABLE = {
    "user": ["ann", "bob", "ann", "ann"],
    "item": [5, 6, 7, 8],
    "score": [0.2, 0.1, 0.9, 0.2],
    "rank": [2, 1, 1, 3],
}


def frames():
    yield "mapping", TABLE
    for name in ("pandas", "polars"):
        module = pytest.importorskip(name, reason=f"{name} is not installed")
        yield name, module.DataFrame(TABLE)


@pytest.mark.parametrize("how", [{"score": "score"}, {"rank": "rank"}])
def test_frames_become_lists(how):
    for _, frame in frames():
        found = convert.lists_from_frame(frame, user="user", item="item", **how)
        assert found == {"ann": [7, 5, 8], "bob": [6]}
        assert list(found) == ["ann", "bob"]
        assert all(type(item) is int for row in found.values() for item in row)


def test_ordered_frames_and_relevant_items():
    for _, frame in frames():
        names = {"user": "user", "item": "item"}
        assert convert.lists_from_frame(frame, **names) == {"ann": [5, 7, 8], "bob": [6]}
        assert convert.relevant_from_frame(frame, **names)["bob"] == {6: 1.0}
        graded = convert.relevant_from_frame(frame, **names, grade="rank")
        assert graded == {"ann": {5: 2.0, 7: 1.0, 8: 3.0}, "bob": {6: 1.0}}


@pytest.mark.parametrize(
    ("change", "how", "message"),
    [
        ({}, {"score": "points"}, "there is no column 'points'; there are 'user', 'item'"),
        ({}, {"score": "score", "rank": "rank"}, "not by both"),
        ({"item": [1]}, {}, "the lengths differ"),
        (
            {"user": ["ann", "user", "bob", "bob"], "item": ["A", "item", "B", "C"]},
            {},
            "row 1 repeats the names of the columns, 'user', 'item', as where files were joined",
        ),
        (
            {"score": [1, 2, np.nan, 3]},
            {"score": "score"},
            "row 2 of 'score' is nan, not a finite number",
        ),
    ],
)
def test_invalid_tables_raise(change, how, message):
    with pytest.raises(ValueError, match=message):
        convert.lists_from_frame({**TABLE, **change}, user="user", item="item", **how)


def test_duplicate_items_raise():
    table = {"user": [1, 1], "item": [2, 2]}
    with pytest.raises(ValueError, match="row 1 has item 2 of user 1 a second time"):
        convert.relevant_from_frame(table, user="user", item="item")


class Tensor:
    """As little of a tensor as there can be."""

    def __init__(self, values):
        self.values = values

    def detach(self):
        return self

    def __array__(self, dtype=None, copy=None):
        return self.values


class OnlyDLPack:
    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **how):
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("wrap", [np.asarray, Tensor, OnlyDLPack])
def test_arrays_are_not_copied(wrap):
    values = np.arange(6.0).reshape(2, 3)
    found = convert.as_array(wrap(values))
    assert np.shares_memory(found, values)
    assert rm.rank_from_scores(found, 1).tolist() == [[2], [2]]


def test_runs_and_qrels_can_be_judged_directly():
    run = {"u": {"a": 0.5, "b": 0.5, "c": 0.9}, "v": {"d": 1.0}}
    qrels = {"u": {"b": 2, "c": 0}, "v": {"d": 1}}
    judged = rm.judge(run, qrels, ties="id-descending")
    assert rm.reciprocal_rank(judged).tolist() == [0.5, 1.0]
    assert rm.reciprocal_rank(rm.judge(run, qrels)).tolist() == [1 / 3, 1.0]


def test_a_sparse_relevance_table_can_be_judged_directly():
    wanted = sparse.csr_array(([2.0, 1.0], ([0, 1], [3, 0])), shape=(2, 5))
    judged = rm.judge(np.array([[3, 1], [2, 4]]), wanted)
    assert rm.hit_rate(judged).tolist() == [1.0, 0.0]


def test_sparse_tables_stay_sparse():
    table = sparse.csr_array(np.eye(3))
    assert convert.as_array(table) is table
    assert convert.as_array([[1, 2]]).tolist() == [[1, 2]]


def test_objects_without_an_array_raise():
    class Elsewhere:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("it is on another device")

    with pytest.raises(TypeError, match=r"Elsewhere cannot be read as an array \(it is on another"):
        convert.as_array(Elsewhere())
    with pytest.raises(TypeError, match="object is no array"):
        convert.as_array(object())


def test_the_utf_8_signature_is_not_part_of_the_first_user(tmp_path):
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_bytes(b"\xef\xbb\xbfu1 Q0 a 1 0.5 mine\nu2 Q0 b 1 0.5 mine\n")
    qrels.write_bytes(b"\xef\xbb\xbfu1 0 a 1\n")
    assert convert.read_run(run) == {"u1": ["a"], "u2": ["b"]}
    assert convert.read_qrels(qrels) == {"u1": {"a": 1.0}}
    with run.open(encoding="utf-8") as lines:
        assert convert.read_run(lines) == {"u1": ["a"], "u2": ["b"]}


def test_empty_lists_survive_writing_a_run(tmp_path):
    with pytest.raises(ValueError, match="user 'v' has an empty list, which a run file cannot"):
        convert.write_run(tmp_path / "run", {"u": ["a"], "v": []})
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("grade", [float("nan"), float("inf"), 0.5])
def test_a_grade_that_qrels_cannot_store_raises(tmp_path, grade):
    with pytest.raises(
        ValueError, match=f"item 'a' of user 'u' has the grade {grade}; qrels contain"
    ):
        convert.write_qrels(tmp_path / "qrels", {"u": {"a": grade}})


@pytest.mark.parametrize(
    ("lists", "says"),
    [
        ({"u": ["a"], "v": ["b c"]}, "'b c' has a space"),
        ({"u": ["a"], "v": ["b", "b"]}, "item 'b' of user 'v' is there twice"),
        ({1: ["a"], "1": ["b"]}, "user '1' is there twice, as text"),
        ({"u": ["a", "\ud800"]}, "half a character"),
        ({"u": ["a", "b\0"]}, "a NUL character"),
        ({"u": ["a", None]}, "None is no id"),
    ],
)
def test_a_file_that_is_there_stays_if_its_successor_cannot_be_written(lists, says, tmp_path):
    path = tmp_path / "run.txt"
    convert.write_run(path, {"u": ["old"]})
    before = path.read_bytes()
    with pytest.raises(ValueError, match=says):
        convert.write_run(path, lists)
    with pytest.raises(ValueError, match=says):
        convert.write_qrels(
            path,
            {user: dict.fromkeys(row, 1) for user, row in lists.items()}
            if says[:4] != "item"
            else {"u": ["old"], **lists},
        )
    assert (path.read_bytes(), [*tmp_path.iterdir()]) == (before, [path])


def test_a_file_is_written_through_a_link_and_to_a_device(tmp_path):
    target, link = tmp_path / "run.txt", tmp_path / "link.txt"
    convert.write_run(target, {"u": ["old"]})
    target.chmod(0o600)
    link.symlink_to(target)
    convert.write_run(link, {"u": ["new"]})
    assert link.is_symlink()
    assert convert.read_run(target) == {"u": ["new"]}
    assert target.stat().st_mode & 0o777 == 0o600
    convert.write_run("/dev/null", {"u": ["new"]})
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file in it"):
        convert.write_run(tmp_path, {"u": ["new"]})
    with pytest.raises(FileNotFoundError, match="is no folder; make it first"):
        convert.write_run(tmp_path / "no" / "run.txt", {"u": ["new"]})


@pytest.mark.parametrize(
    "score", ["9007199254740993", "-9007199254740993", "9007199254740993.0", "00009007199254740993"]
)
def test_a_whole_number_that_a_float_takes_for_another_is_refused(score):
    with pytest.raises(ValueError, match="more digits than a float stores"):
        convert.read_scores([f"u Q0 a 1 {score} t", "u Q0 b 1 9007199254740992 t"])
    assert convert.read_scores(["u Q0 a 1 9007199254740994.0 t"])["u"]["a"] == 2**53 + 2


def test_nul_characters_are_no_text():
    with pytest.raises(ValueError, match=r"^line 1 has a NUL character: .* UTF-16"):
        convert.read_qrels(["u 0 a\0 1"])


@pytest.mark.parametrize("users", [[1, "1"], [1, True], [1.5, 2**53 + 1]])
def test_a_column_of_several_kinds_is_refused(users):
    table = {"u": users, "i": ["a", "b"], "s": [1, 2]}
    for read in (convert.lists_from_frame, convert.relevant_from_frame):
        with pytest.raises(TypeError, match=r"u (must be of one kind|has the whole number)"):
            read(table, user="u", item="i")


ROWS = np.array([[0, 1], [1, 2]])


def test_ids_of_item_numbers_may_be_a_mapping_or_a_labelled_column():
    expected = [["a", "b"], ["b", "c"]]
    assert convert.lists_from_array(ROWS, items={2: "c", 0: "a", 1: "b"}) == expected
    pd = pytest.importorskip("pandas")
    column = pd.Series(["c", "a", "b"], index=[2, 0, 1])
    assert convert.lists_from_array(ROWS, items=column) == expected
    with pytest.raises(TypeError, match=r"items maps 'a' to 0; it goes from the number .* Turn it"):
        convert.lists_from_array(ROWS, items={"a": 0, "b": 1, "c": 2})
    with pytest.raises(ValueError, match="row 1 has the item number 2, and items has the ids of 0"):
        convert.lists_from_array(ROWS, items={0: "a", 1: "b"})
    with pytest.raises(ValueError, match="users is read by position, row 1 for list 1"):
        convert.lists_from_array(ROWS, users=column[:2])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("abc", "is the single id 'abc'. Pass a list with an id for each"),
        (b"abc", "is the single id b'abc'"),
        ({"a", "b"}, "is a set, which has no order"),
        (3, "must be a list of ids; got an int"),
        ([["a"], ["b"]], r"\[0\] is \['a'\], a list, which cannot be an id"),
        (np.array([["a", "b"]]), r"must be one row of ids; got shape \(1, 2\)"),
        ([True, False], "has True, and True and False are no ids"),
        ([b"a", "b"], "all text or all numbers; got b'a' and 'b'"),
        ({"a": 1, "b": 2}.items(), "is a dict_items, which has no order"),
    ],
)
def test_ids_in_the_order_of_rows_are_a_list(given, words):
    rows = np.array([[0, 1], [1, 0]])
    for name in ("users", "items"):
        with pytest.raises(TypeError, match=name + r".*" + words):
            convert.lists_from_array(rows, **{name: given})
    with pytest.raises((TypeError, ValueError)):
        rm.evaluate(rows, [{0}, {1}], ["hit_rate@1"], users=given)


def test_keys_of_a_mapping_have_an_order():
    users = {"u": 1, "v": 2}
    assert [*convert.lists_from_array(ROWS, users=users.keys())] == ["u", "v"]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0.5, 1.0]], "rows has float64 values; ids are whole numbers or text"),
        ([[np.nan, 1.0]], "Fill missing values with -1"),
        ([[True, False]], "rows has bool values"),
        ([[-2, 1]], "row 0 has -2; item numbers are 0 or more"),
        (np.array([["a", None]], dtype=object), "row 1 of 'row 0 of rows' is None"),
    ],
)
def test_rows_hold_numbers_or_ids(rows, words):
    with pytest.raises((TypeError, ValueError), match=words):
        convert.lists_from_array(np.asarray(rows))


def test_whole_numbers_may_have_become_floats():
    assert convert.lists_from_array(np.array([[0.0, -1.0]])) == [[0]]


@pytest.mark.parametrize("read", [convert.lists_from_frame, convert.relevant_from_frame])
def test_columns_of_a_frame_are_one_each(read):
    pd = pytest.importorskip("pandas")
    twice = pd.DataFrame([[1, 2, 3]], columns=["u", "i", "i"])
    with pytest.raises(ValueError, match="the frame has 2 columns 'i'; rename one"):
        read(twice, user="u", item="i")
    with pytest.raises(ValueError, match="user and item are both the column 'u'"):
        read(twice, user="u", item="u")
    with pytest.raises(ValueError, match=r"the column 'i' has the shape \(1, 2\)"):
        read({"u": [1], "i": [[2, 3]]}, user="u", item="i")
    labelled = {"u": pd.Series(["a", "b"], index=[0, 1]), "i": pd.Series([1, 2], index=[1, 0])}
    with pytest.raises(ValueError, match="u and i are read row by row, but their indexes differ"):
        read(labelled, user="u", item="i")
    for ids in ([True, False], [b"a", "b"]):
        with pytest.raises(TypeError, match=r"True and False are no ids|got b'a' and 'b'"):
            read({"u": [1, 1], "i": ids}, user="u", item="i")


def test_a_grade_is_a_finite_number():
    for grade in (np.nan, np.inf):
        table = {"u": [1, 1], "i": [2, 3], "g": [1.0, grade]}
        with pytest.raises(ValueError, match=r"row 1 of 'g' is (nan|inf), not a finite number"):
            convert.relevant_from_frame(table, user="u", item="i", grade="g")


@pytest.mark.parametrize("item", [b"a", True, 1.0, None, np.float64(2.0)])
def test_ids_whose_text_is_another_id_are_refused(item, tmp_path):
    for call in (
        lambda: convert.scores_from_lists({"u": [item]}),
        lambda: convert.scores_from_lists({item: ["a"]}),
        lambda: convert.write_run(tmp_path / "run", {"u": [item]}),
        lambda: convert.write_qrels(tmp_path / "qrels", {"u": {item: 1}}),
    ):
        with pytest.raises((TypeError, ValueError), match=r"(item|user) .* is (a|no) "):
            call()


@pytest.mark.parametrize("row", ["ab", b"ab", 3])
def test_a_row_is_a_list_of_ids(row, tmp_path):
    for call in (
        lambda: convert.scores_from_lists({"u": row}),
        lambda: convert.write_qrels(tmp_path / "qrels", {"u": row}),
    ):
        with pytest.raises(TypeError, match=r"user 'u' has (the single id|an int, and not ids)"):
            call()


def test_a_missing_id_is_no_text_in_any_form_of_a_table():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = {"user": ["u", None], "item": ["a", "b"]}
    tables = [
        {"user": ["u", float("nan")], "item": ["a", "b"]},
        pd.DataFrame(rows),
        pd.DataFrame(rows).convert_dtypes(),
        pl.DataFrame(rows),
    ]
    for table in tables:
        with pytest.raises(ValueError, match=r"row 1 of 'user' is .*, which is no id"):
            convert.relevant_from_frame(table, user="user", item="item")


def test_whole_numbers_of_128_bits_are_read_as_those_of_python():
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({"user": [2**64, 2**64 + 1], "item": ["a", "b"]})
    found = convert.relevant_from_frame(table, user="user", item="item")
    assert found == {2**64: {"a": 1.0}, 2**64 + 1: {"b": 1.0}}


def test_a_mark_within_a_run_is_no_part_of_a_user_and_errors_are_short():
    with pytest.raises(ValueError, match="line 2 has a byte-order mark within the text, as where"):
        convert.read_run(["q1 Q0 a 1 0.5 t", "\ufeffq2 Q0 a 1 0.5 t"])
    with pytest.raises(ValueError, match=r"has the grade 'x{50,59}, not a finite number"):
        convert.read_qrels([f"q1 0 a {'x' * 4000}"])


@pytest.mark.parametrize(
    ("ranks", "says"),
    [
        ([2, 1, 2], "user 'u' has two items at rank 2, 'A' and 'C'; rank each item once, and give"),
        ([1.5, 1, 2], r"row 0 of 'rank' is 1\.5; ranks are whole numbers from 1 to 2,147,483,647"),
        ([1, -2, 2], "row 1 of 'rank' is -2; ranks are whole numbers"),
        ([0, 1, 2], "row 0 of 'rank' is 0; ranks are whole numbers"),
        ([1, 2, 2**31], "row 2 of 'rank' is 2147483648; ranks are whole numbers"),
    ],
)
def test_ranks_that_are_no_places_in_a_list_are_refused(ranks, says):
    table = {"user": ["u", "u", "u"], "item": ["A", "B", "C"], "rank": ranks}
    with pytest.raises(ValueError, match=says):
        convert.lists_from_frame(table, user="user", item="item", rank="rank")


def test_two_users_may_have_an_item_at_one_rank():
    table = {"user": ["u", "v", "u"], "item": ["A", "B", "C"], "rank": [3, 3, 1.0]}
    found = convert.lists_from_frame(table, user="user", item="item", rank="rank")
    assert found == {"u": ["C", "A"], "v": ["B"]}
