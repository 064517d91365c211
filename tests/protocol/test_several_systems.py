"""Wins, ties and losses; all pairs of several recommenders at once."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from recsys_metrics.protocol.significance import paired_t_test, tukey_hsd, win_tie_loss


def test_wins_ties_and_losses():
    found = win_tie_loss([0.1, 0.2, 0.3, 0.3, 0.1 + 0.2], [0.2, 0.1, 0.3, 0.5, 0.3])
    assert (found.wins, found.ties, found.losses, found.n) == (2, 2, 1, 5)
    assert found.share == 0.6
    assert str(found) == "2 wins, 2 ties, 1 loss of 5"
    assert win_tie_loss([0.0, 0.0], [0.1, 0.3], within=0.1).ties == 1
    assert win_tie_loss([0.0, np.nan], [0.1, 0.3], missing="omit").n == 1


@pytest.mark.parametrize("within", [-0.1, np.nan, True])
def test_a_margin_is_a_number(within):
    with pytest.raises(ValueError, match="within is a finite number, 0 or more"):
        win_tie_loss([1], [2], within=within)


def drawn(m, n=30, seed=0):
    rng = np.random.default_rng(seed)
    users = rng.random((n, 1))
    return {f"r{i}": (users[:, 0] + rng.normal(i / 20, 0.1, n)) for i in range(m)}


def test_tukey_hsd_of_two_recommenders_is_the_paired_t_test():
    values = drawn(2)
    (pair,) = tukey_hsd(values)
    test = paired_t_test(values["r0"], values["r1"])
    assert pair.p_value == pytest.approx(test.p_value, abs=1e-9)
    assert [*pair.interval] == pytest.approx([*test.interval], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("m", [3, 4])
def test_tukey_hsd_equals_its_definition_and_the_anova_residual(m):
    anova = pytest.importorskip("statsmodels.stats.anova", reason="statsmodels is not installed")
    pandas = pytest.importorskip("pandas")
    values = drawn(m, seed=m)
    rows = [(u, name, v) for name, column in values.items() for u, v in enumerate(column)]
    frame = pandas.DataFrame(rows, columns=["user", "system", "value"])
    line = anova.AnovaRM(frame, "value", "user", within=["system"]).fit().anova_table.iloc[0]
    table = np.column_stack(list(values.values()))
    between = len(table) * table.mean(axis=0).var(ddof=0) * m / (m - 1)
    residual = between / line["F Value"]
    freedom = int(line["Den DF"])
    pairs = {(p.a, p.b): p for p in tukey_hsd(values, level=0.9)}
    assert len(pairs) == m * (m - 1) // 2
    for (a, b), pair in pairs.items():
        gain = values[b].mean() - values[a].mean()
        scale = np.sqrt(residual / len(table))
        assert pair.p_value == pytest.approx(
            stats.studentized_range.sf(abs(gain) / scale, m, freedom), abs=1e-6
        )
        reach = stats.studentized_range.ppf(0.9, m, freedom) * scale
        assert [*pair.interval] == pytest.approx([gain - reach, gain + reach], abs=1e-6)
        assert (pair.interval.level, pair.interval.n) == (0.9, 30)


def test_users_without_a_value():
    values = {"a": [1, 2, np.nan, 4], "b": [2, 2, 2, 9]}
    with pytest.raises(ValueError, match="value 2 of 'a' is nan, not a finite number"):
        tukey_hsd(values)
    assert tukey_hsd(values, missing="omit")[0].interval.n == 3


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a": [1, 2]}, "two recommenders or more"),
        ([[1, 2], [3, 4]], "two recommenders or more"),
        ({"a": [1, 2], "b": [1]}, r"one value per user; got shapes 'a' \(2,\), 'b' \(1,\)"),
        ({"a": 1, "b": 2}, "one value per user"),
        ({"a": [1], "b": [2]}, "1 users are too few"),
        ({"a": [1, 2], "b": [2, 3]}, "the same for every user"),
    ],
)
def test_invalid_values_raise(values, message):
    with pytest.raises(ValueError, match=message):
        tukey_hsd(values)
