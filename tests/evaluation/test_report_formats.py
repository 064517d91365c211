"""Reports in other formats show names as they are."""

from __future__ import annotations

import recsys_metrics as rm


def test_markdown_and_latex_show_a_name_as_it_is():
    lists, wanted = {"a": ["x"], "b": ["y"]}, {"a": ["x"], "b": ["x"]}
    names = ["a~~b~~", "a&copy;b", "$x$", "__x__", "run--v2", "``x''", "?`x"]
    reports = [rm.evaluate(lists, wanted, ["ndcg@1"], name=name) for name in names]
    board = rm.compare_many(reports)
    for shown in (r"a\~\~b\~\~", r"a\&copy;b", r"\$x\$", r"\_\_x\_\_"):
        assert f"{shown} |" in board.to_markdown()
    for shown in ("run-{}-v2", "`{}`x'{}'", "?{}`x"):
        assert f"{shown} &" in board.to_latex()
