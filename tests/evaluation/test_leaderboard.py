"""Several reports of the same users: the table, its marks, the test before them, its exits."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics import compare_many
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import adjust, friedman

MEASURES = ["ndcg@3", "hit_rate@1", "coverage@3"]
N = 120
RNG = np.random.default_rng(8)
TARGET = RNG.integers(0, 40, N)


def lists(chance):
    """Draw lists that begin with the wanted item so often."""
    rows = []
    for target in TARGET:
        others = [int(i) for i in RNG.permutation(40)[:6] if i != target][:4]
        rows.append([int(target), *others] if RNG.random() < chance else others)
    return rows


def report(chance, name, **more):
    relevant = [{int(target)} for target in TARGET]
    return rm.evaluate(lists(chance), relevant, MEASURES, catalog=40, name=name, split="x", **more)


REPORTS = [
    report(c, name) for c, name in [(0.0, "pop"), (0.15, "knn"), (0.45, "ease"), (0.9, "als")]
]
BOARD = compare_many(REPORTS)


# The table --------------------------------------------------------------------------------------


def test_significance_marks_computed_by_hand():
    truth = [{"A"}] * 60
    rows = {"new": [["A"]] * 60, "old": [["B"]] * 60, "mid": [["A"]] * 30 + [["B"]] * 30}
    reports = {name: rm.evaluate(row, truth, ["hit_rate@1"]) for name, row in rows.items()}
    board = compare_many(reports)
    assert list(board.by_report) == ["new", "mid", "old"]
    assert board.better_than("new", "hit_rate@1") == ["mid", "old"]
    assert board.better_than("mid", "hit_rate@1") == ["old"]
    assert board.better_than("old", "hit_rate@1") == []
    # McNemar: 30 users up, none down.
    p_value = 2 * 0.5**30
    assert board["hit_rate@1"]["new", "mid"].p_value == pytest.approx(p_value)
    assert board["hit_rate@1"]["new", "mid"].p_adjusted == pytest.approx(2 * p_value)
    assert "1.000 ᵇᶜ" in str(board)


def test_pairs_equal_the_pairwise_comparisons():
    by_name = {each.name: each for each in REPORTS}
    for measure in MEASURES:
        assert len(BOARD[measure]) == 6
        for (new, old), found in BOARD[measure].items():
            two = by_name[new].compare(by_name[old])[measure]
            assert (found.gain, found.interval) == (two.gain, two.interval)
            assert found.p_value == pytest.approx(two.p_value, nan_ok=True)
    tested = [BOARD[m][pair] for pair in BOARD["ndcg@3"] for m in MEASURES[:2]]
    expected = adjust([each.p_value for each in tested])
    np.testing.assert_allclose([each.p_adjusted for each in tested], expected)


def test_a_baseline_needs_fewer_pairs():
    board = compare_many(REPORTS, baseline="pop", correction="bonferroni", measures=["ndcg@3"])
    assert list(board["ndcg@3"]) == [("als", "pop"), ("ease", "pop"), ("knn", "pop")]
    for found in board["ndcg@3"].values():
        assert found.p_adjusted == pytest.approx(min(1, 3 * found.p_value))
    assert "pop " in str(board)
    assert re.search(r"als +0\.\d+ ⁺", str(board))
    worse = compare_many(REPORTS, baseline="als", measures=["ndcg@3"])
    assert re.search(r"pop +0\.\d+ ⁻", str(worse))
    assert worse.better_than("als", "ndcg@3") == ["ease", "knn", "pop"]


def test_lower_is_better_metrics_are_ranked_in_reverse():
    mine = Measure.of(lambda recommended: len(recommended), name="length", better="lower")
    wanted = {u: {1} for u in range(60)}
    short = rm.evaluate({u: [1] for u in wanted}, wanted, [mine], name="short")
    long = rm.evaluate({u: [1, 2 + u % 2] for u in wanted}, wanted, [mine], name="long")
    varied = rm.evaluate({u: [*range(1 + u % 3)] for u in wanted}, wanted, [mine], name="varied")
    board = compare_many([long, short, varied])
    assert next(iter(board.by_report)) == "short"
    assert board.better_than("short", "length") == ["long", "varied"]
    assert board["length"]["short", "varied"].p_value < 0.001
    of_all = rm.evaluate({u: [1] for u in wanted}, wanted, ["coverage@1"], catalog=5, name="all")
    again = rm.evaluate({u: [2] for u in wanted}, wanted, ["coverage@1"], catalog=5, name="again")
    assert "Some pairs have no p-value for coverage@1" in str(compare_many([of_all, again]))


def test_reports_from_frames_arrays_and_batches_can_be_compared():
    pl = pytest.importorskip("polars")
    rows = [(u, i, r) for u, row in enumerate(lists(0.5)) for r, i in enumerate(row, 1)]
    shown = pl.DataFrame(rows, ["user", "item", "rank"], orient="row")
    truth = pl.DataFrame({"user": range(N), "item": TARGET})
    framed = rm.evaluate(shown, truth, MEASURES, catalog=40, name="framed")
    keyed = dict(enumerate(lists(0.2)))
    wanted = {u: {int(t)} for u, t in enumerate(TARGET)}
    arrays = rm.evaluate(keyed, wanted, MEASURES, catalog=40, name="arrays")
    evaluation = rm.Evaluation(MEASURES, catalog=40)
    for users in (range(60, N), range(60)):
        evaluation.update({u: keyed[u] for u in users}, {u: wanted[u] for u in users})
    batches = evaluation.report(name="batches")
    board = compare_many([framed, arrays, batches])
    assert board["ndcg@3"]["arrays", "batches"].gain == pytest.approx(0, abs=1e-12)
    assert board.better_than("framed", "ndcg@3") == ["arrays", "batches"]
    assert board.omnibus.keys() == {rm.measure("ndcg@3"), rm.measure("hit_rate@1")}


# Exits ------------------------------------------------------------------------------------------


def test_exports_to_data_frames_and_text():
    assert str(BOARD) in repr(BOARD)
    assert BOARD.to_html() == BOARD._repr_html_()
    assert "<sup>" not in BOARD.to_html()
    frame = BOARD.columns()
    assert frame["name"] == list(BOARD.by_report)
    assert frame["ndcg@3 is better than"][0] == ", ".join(BOARD.better_than("als", "ndcg@3"))
    assert BOARD.to_frame().shape == (4, 7)


@pytest.mark.parametrize(
    "shown", [BOARD, REPORTS[0], REPORTS[1].compare(REPORTS[0]), REPORTS[0].by([1, 2] * 60)]
)
def test_markdown_and_latex_are_tables(shown):
    markdown = shown.to_markdown()
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
    assert "| hit_rate" in markdown
    latex = shown.to_latex(label="tab:one")
    assert latex.count(r"\begin{") == latex.count(r"\end{") == 2
    assert r"\label{tab:one}" in latex
    body = latex[latex.index(r"\toprule") : latex.index(r"\bottomrule")]
    cells = {
        row.count(" & ") for row in body.splitlines() if row.endswith(r"\\") and "multi" not in row
    }
    assert len(cells) == 1
    assert r"hit\_rate" in body
    assert not re.search(r"(?<!\\)[_#]|[ᵃ-ᶻ⁺⁻]", body)


def test_names_are_escaped_in_markup():
    odd = r"a|b_{c}$%&#\x^~<i>[0](javascript:1)"
    board = compare_many({odd: REPORTS[0], "[x]": REPORTS[3]}, measures=["ndcg@3"])
    latex, markdown, page = board.to_latex(), board.to_markdown(), board.to_html()
    assert r"a|b\_\{c\}\$\%\&\#\textbackslash{}x\textasciicircum{}\textasciitilde{}$<$i$>$" in latex
    assert r"a\|b\_{c}\$%&#\\x^\~\<i\>\[0\](javascript:1)" in markdown
    assert "<i>" not in page
    # Jupyter typesets what stands between two dollars of one element.
    shown = re.sub(r'aria-label="[^"]*"', "", page)
    for sign in "$\\":
        assert 0 < shown.count(sign) == shown.count(f"<span>{sign}</span>")


def test_significance_marks_follow_their_number_in_latex():
    row = next(line for line in BOARD.to_latex().splitlines() if line.startswith("a als"))
    assert re.search(r"0\.\d{3}\$\^\{bcd\}\$", row)
    against = compare_many(REPORTS, baseline=REPORTS[0].name).to_latex()
    assert "$^{+}$ is better and $^{-}$ worse" in against


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reports", "more", "error", "message"),
    [
        (REPORTS[:1], {}, ValueError, "takes two reports or more; got 1"),
        ([REPORTS[0], REPORTS[0]], {}, ValueError, "two reports are called 'pop'; evaluate with"),
        ([REPORTS[0], 3], {}, TypeError, "reports are compared, as evaluate returns them; got 3"),
        (REPORTS, {"baseline": "bpr"}, ValueError, "baseline 'bpr' is no report; there are pop, k"),
        (REPORTS, {"measures": ["mrr@3"]}, ValueError, "not all reports have reciprocal_rank@3"),
        (REPORTS, {"correction": "none"}, ValueError, "method must be one of 'holm'"),
        (REPORTS, {"omnibus": "anova"}, ValueError, "omnibus must be one of 'F', 'chi-square'"),
        (REPORTS, {"level": 95}, ValueError, "level is a confidence between 0 and 1"),
        ({str(i): REPORTS[0] for i in range(26)}, {}, ValueError, "26 reports have 325 pairs; na"),
    ],
)
def test_invalid_reports_and_options_raise(reports, more, error, message):
    with pytest.raises(error, match=message):
        compare_many(reports, **more)


def test_reports_of_different_users_raise():
    other = rm.evaluate([["A"]], [{"A"}], MEASURES, catalog=4, name="other")
    with pytest.raises(ValueError, match="compare on the same users"):
        compare_many([REPORTS[0], other])


# Friedman's test --------------------------------------------------------------------------------

TABLES = st.integers(3, 5).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 4), min_size=m, max_size=m), min_size=2, max_size=12)
)


def columns(table):
    return dict(enumerate(np.array(table, dtype=float).T))


def test_friedman_test_computed_by_hand():
    # Ranks 1 2 3, 1 2 3, 2 1 3: sums 4, 5, 9 about 6.
    values = {"a": [1, 1, 2], "b": [2, 2, 1], "c": [3, 3, 3]}
    test = friedman(values, method="chi-square")
    assert test.statistic == pytest.approx((4 + 1 + 9) / 3)
    assert (test.gain, test.n) == (pytest.approx(5 / 3), 3)
    ratio = friedman(values).statistic
    assert ratio == pytest.approx(2 * (14 / 3) / (6 - 14 / 3))
    # All agree: one of 3! orders, by each of two further users.
    assert friedman({"a": [1, 1, 1], "b": [2, 2, 2], "c": [3, 3, 3]}).p_value == pytest.approx(
        1 / 36
    )
    assert friedman({"a": [1, 1], "b": [1, 1], "c": [1, 1]}).p_value == 1


@given(TABLES)
def test_friedman_test_equals_scipy(table):
    from scipy.stats import friedmanchisquare

    values = columns(table)
    if all(len(set(row)) == 1 for row in table):
        return
    found = friedman(values, method="chi-square")
    expected = friedmanchisquare(*values.values())
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


def test_sampled_friedman_p_value_approximates_all_permutations():
    from itertools import permutations, product

    values = {"a": [1, 1, 2], "b": [2, 2, 1], "c": [3, 3, 3]}
    statistic = friedman(values, method="chi-square").statistic
    orders = list(permutations([1, 2, 3]))
    sums = [np.sum(rows, axis=0) - 6 for rows in product(orders, repeat=3)]
    exact = np.mean([(each**2).sum() / 3 >= statistic - 1e-9 for each in sums])
    sampled = friedman(values, method="randomization", n_samples=4000, seed=1).p_value
    assert sampled == pytest.approx(exact, abs=0.02)
