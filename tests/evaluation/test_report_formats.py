"""Reports in other formats show names as they are."""

from __future__ import annotations

import pytest

import recsys_metrics as rm
from recsys_metrics.bias import fairness


def test_markdown_and_latex_show_a_name_as_it_is():
    lists, wanted = {"a": ["x"], "b": ["y"]}, {"a": ["x"], "b": ["x"]}
    names = ["a~~b~~", "a&copy;b", "$x$", "__x__", "run--v2", "``x''", "?`x"]
    reports = [rm.evaluate(lists, wanted, ["ndcg@1"], name=name) for name in names]
    board = rm.compare_many(reports)
    for shown in (r"a\~\~b\~\~", r"a\&copy;b", r"\$x\$", r"\_\_x\_\_"):
        assert f"{shown} |" in board.to_markdown()
    for shown in ("run-{}-v2", "`{}`x'{}'", "?{}`x"):
        assert f"{shown} &" in board.to_latex()


@pytest.mark.parametrize("sign", ["\n", "\r", "\x0b", "\x85", "\u2028", "\x1b", "\0"])
def test_a_name_makes_no_line_of_its_own(sign):
    lists = {f"u{n}": ["x", "y"] for n in range(20)}
    wanted = {user: ["x"] for user in lists}
    odd = f"good{sign}ndcg  9.999"
    groups = {"kind": {user: odd if n % 2 else "b" for n, user in enumerate(lists)}}
    ours, plain = (
        [rm.evaluate(lists, wanted, ["ndcg@1"], name=name, groups=groups) for name in names]
        for names in ([odd, "b"], ["good", "b"])
    )
    written = sign.encode("unicode_escape").decode()
    tables = [
        *(rm.compare_many(ours), rm.compare_many(plain)),
        *(ours[0].by("kind"), ours[0], plain[0]),
    ]
    for table in tables:
        for text in (str(table), table.to_markdown(), table.to_latex()):
            assert not [line for line in text.splitlines() if line.lstrip().startswith("ndcg  9")]
    assert all(written in str(table) for table in (tables[0], tables[2], ours[0]))
    assert len(str(ours[0]).splitlines()) == len(str(plain[0]).splitlines())
    values, kinds = [1.0, 0.5] * 2, [odd, "b"] * 2
    report = repr(fairness.by_group(values, kinds))
    assert written in report
    assert len(report.splitlines()) == 4
    stages = rm.stage_recall({odd: [["x"]], "b": [["x"]]}, [["x"]])
    assert str(stages).count(written) == repr(stages).count(written) == 1
    assert (len(str(stages).splitlines()), len(repr(stages).splitlines())) == (3, 1)
