"""Tables of a chapter: a p-value that three decimals would call 0."""

from __future__ import annotations

from recsys_metrics.workbook.common.tables import table


def test_p_values_below_three_decimals_are_not_printed_as_zero():
    shown = table(["Visitors", "Gain", "p"], [("light", 0.0, 1e-12), ("heavy", 0.2, 0.0501)])
    assert "0.000  < 0.001" in repr(shown)
    assert "0.200    0.050" in repr(shown)
    html = shown._repr_html_()
    assert '<td style="text-align:right">&lt; 0.001</td>' in html
    assert '<td style="text-align:right">0.000</td>' in html


def test_other_columns_and_non_numbers_are_not_changed():
    shown = table(["Test", "p", "Share"], [("one", "–", 1e-12), ("two", float("nan"), 0.5)])
    assert "<" not in repr(shown)
