"""Tests and designs with numbers at the edge of what a float or a machine holds."""

from __future__ import annotations

import pytest

from recsys_metrics.protocol import online, significance

OLD, NEW = {"u": 1, "v": 0, "w": 1, "x": 0}, {"x": 1, "w": 1, "v": 0, "u": 0}


@pytest.mark.parametrize(
    "test",
    [significance.gain_interval, significance.mcnemar, significance.paired_t_test,
     significance.randomization_test, significance.sign_test, significance.wilcoxon],
)  # fmt: skip
def test_values_by_user_are_paired_by_user(test):
    assert test(OLD, NEW) == test([1, 0, 1, 0], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="a and b have different keys"):
        test(OLD, {"u": 1, "v": 0, "w": 1, "y": 0})
    with pytest.raises(TypeError, match="a is a mapping and b is not"):
        test(OLD, [1, 0, 1, 0])


@pytest.mark.parametrize(("gain", "sd"), [(1e-200, 1), (1e-9, 1e9), (5e-324, 1e18)])
def test_a_gain_that_no_experiment_finds_is_refused(gain, sd):
    with pytest.raises(ValueError, match=r"than 10\*\*18 users. Are gain and sd in the same unit"):
        online.sample_size(gain, sd=sd)


def test_the_number_of_looks_has_a_limit():
    for looks in (501, 10**7, [i / 1000 for i in range(1, 1001)]):
        with pytest.raises(ValueError, match=r"at most 500; got"):
            online.group_sequential(looks)


@pytest.mark.parametrize("value", ["x", None, [1, 2]])
def test_a_statistic_that_is_no_number_is_named(value):
    with pytest.raises(TypeError, match=r"^the statistic of the values is "):
        significance.bootstrap_interval([1, 2, 3], statistic=lambda _: value)


@pytest.mark.parametrize("scale", [1e-300, 1e-310, 1e-160])
def test_gains_whose_squares_vanish_have_an_interval(scale):
    for gains in ([1, 2, 5], [1, 1, 1]):
        wide = significance.gain_interval([0, 0, 0], gains)
        narrow = significance.gain_interval([0, 0, 0], [scale * gain for gain in gains])
        assert narrow.low == pytest.approx(wide.low * scale, rel=1e-9, abs=0)
        assert narrow.high == pytest.approx(wide.high * scale, rel=1e-9, abs=0)
    test = significance.paired_t_test([0, 0, 0], [scale, 2 * scale, 5 * scale])
    exact = significance.paired_t_test([0, 0, 0], [1, 2, 5])
    assert test.p_value == pytest.approx(exact.p_value, rel=1e-9)
