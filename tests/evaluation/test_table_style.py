"""Tables as people publish them: digits, other names, uncertainty, best and second."""

from __future__ import annotations

import re

import numpy as np
import pytest

import recsys_metrics as rm

TRUTH = [{"A"}] * 60
LISTS = {
    "popular": [["B", "C"]] * 50 + [["A", "B"]] * 10,
    "knn": [["A", "B"]] * 20 + [["B", "A"]] * 40,
    "ease": [["A", "B"]] * 50 + [["B", "A"]] * 10,
}
MEASURES = ["hit_rate@1", "MAP@2", "coverage@2"]
REPORTS = [rm.evaluate(rows, TRUTH, MEASURES, catalog=9, name=n) for n, rows in LISTS.items()]
BOARD = rm.compare_many(REPORTS)


def cells(markdown, name):
    (row,) = [line for line in markdown.splitlines() if re.match(rf"\| (. )?{name} \|", line)]
    return [cell.strip().replace("\\", "") for cell in row.strip("|").split("|")][1:]


def test_digits_are_those_that_were_requested():
    assert cells(BOARD.to_markdown(digits=1), "ease") == ["0.8 ᵇᶜ", "0.9 ᵇᶜ", "0.2"]
    assert cells(REPORTS[2].to_markdown(digits=4), "hit_rate") == ["0.8333 [0.7148, 0.9171]", ""]
    gains = REPORTS[2].compare(REPORTS[0]).to_markdown(digits=2)
    assert cells(gains, "hit_rate@1")[:3] == ["0.83", "0.17", "+0.67"]


def test_metrics_and_recommenders_get_other_names():
    text = BOARD.to_markdown(names={"hit_rate": "Hits", "MAP@2": "mean AP", "ease": "EASE (ours)"})
    assert "|  | Hits@1 | mean AP | coverage@2 |" in text
    assert "| a EASE (ours) |" in text
    # The library's own name finds a metric too.
    assert "| AP | " in REPORTS[0].to_markdown(names={"average_precision": "AP"})
    grouped = REPORTS[0].by(["x", "y"] * 30).to_latex(names={"hit_rate@1": "HR"})
    assert "\nHR & " in grouped
    compared = REPORTS[2].compare(REPORTS[0])
    by_group = compared.by(["x", "y"] * 30).to_markdown(names={"ease": "new", "popular": "old"})
    assert by_group.startswith("**new against old by group**")
    assert "| Metric | new | old | Gain |" in compared.to_markdown(
        names={"ease": "new", "popular": "old"}
    )


def test_means_have_intervals_standard_errors_or_nothing():
    # 50 hits of 60: the standard error is sqrt(50 / 60 * 10 / 60 / 59).
    assert cells(BOARD.to_markdown(uncertainty="standard error"), "ease")[0] == "0.833 ᵇᶜ (0.049)"
    assert cells(BOARD.to_markdown(uncertainty="interval"), "ease")[0] == "0.833 ᵇᶜ [0.715, 0.917]"
    assert cells(BOARD.to_markdown(uncertainty="interval"), "ease")[2] == "0.222"
    assert cells(REPORTS[2].to_markdown(uncertainty="none"), "hit_rate")[0] == "0.833"
    assert cells(REPORTS[2].to_markdown(uncertainty="standard error"), "coverage")[1] == "0.222"
    assert "standard error in parentheses" in BOARD.to_latex(uncertainty="standard error")
    assert r"0.833$^{bc}$ [0.715, 0.917]" in BOARD.to_latex(uncertainty="interval")


def test_the_best_value_is_bold_and_the_second_underlined():
    markdown = BOARD.to_markdown(emphasize=True)
    assert cells(markdown, "ease")[0] == "**0.833 ᵇᶜ**"
    assert (
        cells(markdown, "knn")[0] == "<u>0.333 ᶜ</u>" or cells(markdown, "knn")[0] == "<u>0.333</u>"
    )
    assert "whether or not a difference is detected" in markdown
    assert r"\textbf{0.833$^{bc}$}" in BOARD.to_latex(emphasize=True)
    assert r"\underline{0.333" in BOARD.to_latex(emphasize=True)
    assert "<strong>0.833 ᵇᶜ</strong>" in BOARD.to_html(emphasize=True)
    assert "<u>0.333" in BOARD.to_html(emphasize=True)
    assert "**0" not in BOARD.to_markdown()
    both = {"emphasize": True, "uncertainty": "interval"}
    assert cells(BOARD.to_markdown(**both), "ease")[0] == "**0.833 ᵇᶜ** [0.715, 0.917]"
    assert r"\textbf{0.833$^{bc}$} [0.715, 0.917]" in BOARD.to_latex(**both)
    assert "<strong>0.833 ᵇᶜ</strong><br><small" in BOARD.to_html(**both)


def test_a_minus_is_no_hyphen_in_latex():
    text = REPORTS[0].compare(REPORTS[2]).to_latex(names={"popular": "run-2"})
    assert "$-$0.667 & [$-$0." in text
    assert "& run-2 &" in text


def test_values_that_the_digits_do_not_tell_apart_are_marked_alike():
    # All three recommend two or three of nine items.
    first = rm.evaluate([["A"]] * 30, [{"A"}] * 30, ["ndcg@1", "coverage@1"], catalog=9, name="a")
    second = rm.evaluate(
        [["A"]] * 29 + [["B"]], [{"A"}] * 30, ["ndcg@1", "coverage@1"], catalog=9, name="b"
    )
    third = rm.evaluate([["B"]] * 30, [{"A"}] * 30, ["ndcg@1", "coverage@1"], catalog=9, name="c")
    board = rm.compare_many([first, second, third])
    assert [cells(board.to_markdown(emphasize=True, digits=0), n)[0][:5] for n in "abc"] == [
        "**1 ᶜ",
        "**1 ᶜ",
        "<u>0<",
    ]


def test_a_lower_is_better_metric_and_one_without_a_side():
    wanted = [{"A"}] * 30

    def length(recommended):
        return float(len(recommended))

    mine = rm.Measure.of(length, better="lower")
    neither = rm.Measure.of(length, name="size", better=None)
    short = rm.evaluate([["A"]] * 30, wanted, [mine, neither], name="short")
    long = rm.evaluate([["A", "B"]] * 30, wanted, [mine, neither], name="long")
    text = rm.compare_many([long, short]).to_markdown(emphasize=True)
    assert cells(text, "short") == ["**1.000 ᵇ**", "1.000"]
    assert cells(text, "long") == ["<u>2.000</u>", "2.000"]


def test_latex_has_a_caption_and_a_width():
    text = BOARD.to_latex(
        label="tab:x", caption="Results on \\emph{MovieLens}.", width=r"\textwidth"
    )
    assert "\\caption{Results on \\emph{MovieLens}.}\n\\label{tab:x}\n\\resizebox{" in text
    assert "\\end{tabular}}\n" in text
    assert "\\setlength{\\belowcaptionskip}{\\abovecaptionskip}\n\\caption" in text
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"digits": -1}, "digits is a whole number of 0 or more"),
        ({"digits": 40}, "digits is a whole number of at most 15; got 40"),
        ({"names": {"ndcg": "x"}}, "names has 'ndcg', which is not in the table; there are ease, "),
        ({"names": {"ease": "knn"}}, "is 'knn', which something else is called too"),
        ({"names": {"ease": "x", "knn": "x"}}, "is 'x', which something else is called too"),
        ({"uncertainty": "sd"}, "uncertainty must be one of"),
    ],
)
def test_what_cannot_be_done_is_an_error(options, message):
    for to in (BOARD.to_markdown, BOARD.to_html, BOARD.to_latex):
        with pytest.raises(ValueError, match=message):
            to(**options)


def test_names_must_be_text():
    with pytest.raises(TypeError, match=r"names\['ease'\] must be text; got 3"):
        BOARD.to_markdown(names={"ease": 3})


def test_other_names_are_in_every_line_of_a_table():
    names = {"ease": "EASE (ours)", "knn": "kNN", "hit_rate@1": "HR", "coverage": "Reach"}
    board = BOARD.to_markdown(names=names)
    (front,) = [line for line in board.splitlines() if "Pareto front" in line]
    assert "EASE (ours)" in front.replace("\\", "")
    goals = rm.compare_goals(REPORTS, ["hit_rate@1", "MAP@2"]).to_markdown(
        names={"ease": "EASE (ours)", "hit_rate@1": "HR"}, digits=1
    )
    compared = (
        REPORTS[2]
        .compare(REPORTS[0])
        .to_markdown(names={"ease": "EASE (ours)", "hit_rate@1": "HR"})
    )
    for text in (board, goals, compared):
        assert not re.search(r"\b(ease|hit_rate@1)\b", text), text
    assert cells(goals, r"EASE \(ours\)")[0] == "0.8 [0.7, 0.9]"


def test_the_sign_of_a_gain_is_explained_where_lower_is_better():
    rng = np.random.default_rng(0)
    users, actual = [f"u{n % 30}" for n in range(300)], rng.normal(size=300)
    bad, good = (
        rm.evaluate_predictions(
            actual, actual + spread * rng.normal(size=300), ["rmse"], users=users, name=name
        )
        for spread, name in ((1.0, "bad"), (0.3, "good"))
    )
    comparison = good.compare(bad)
    assert comparison["rmse"].gain < 0
    text = " ".join(str(comparison).split())
    words = "By rmse (lower is better; the difference is the old value minus the new): better: diff"
    assert words in text
    assert "Lower is better for rmse, so a negative gain is an improvement." in text
    grouped = " ".join(str(comparison.by({user: user > "u2" for user in users})).split())
    assert "Lower is better for rmse, so a negative gain is an improvement." in grouped
    assert "Lower is better" not in str(REPORTS[0].compare(REPORTS[1]))
