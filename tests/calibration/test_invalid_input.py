"""Bad input has its own error, or a documented value."""

from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pytest

from recsys_metrics.calibration import (
    BetaCalibration,
    IsotonicCalibration,
    PlattScaling,
    TemperatureScaling,
    brier_score,
    calibration_split,
    expected_calibration_error,
    log_loss,
    reliability_curve,
)
from recsys_metrics.calibration._split import (
    TestPart,
)

EVERY = [
    PlattScaling(),
    PlattScaling(on="log-odds"),
    PlattScaling(targets="smoothed"),
    TemperatureScaling(),
    TemperatureScaling(on="log-odds"),
    BetaCalibration(),
    IsotonicCalibration(),
]
MEASURES = [log_loss, brier_score, reliability_curve, expected_calibration_error]
MIXED = [0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)
@pytest.mark.parametrize(
    ("labels", "probabilities", "message"),
    [
        ([1, 2], [0.5, 0.5], r"labels\[1\] is 2; it must be 0 or 1"),
        ([1, np.nan], [0.5, 0.5], r"labels\[1\] is nan"),
        ([1, 0], [0.5, 1.2], r"probabilities\[1\] is 1.2; a probability lies between 0 and 1"),
        ([1, 0], [-0.1, 0.5], r"probabilities\[0\] is -0.1"),
        ([1, 0], [0.5, np.nan], r"probabilities\[1\] is nan"),
        ([1, 0], [0.5], "labels 2, probabilities 1"),
        ([], [], "labels is empty"),
        ([[1, 0]], [0.5, 0.5], r"labels must be one row of 0 and 1; got shape \(1, 2\)"),
        ([1, 0], [[0.5, 0.5]], r"probabilities must be one row of numbers; got shape \(1, 2\)"),
    ],
)
def test_invalid_events_raise(measure, labels, probabilities, message):
    with pytest.raises(ValueError, match=message):
        measure(labels, probabilities)


def test_text_as_probability_raises():
    with pytest.raises(TypeError, match="probabilities must be numbers"):
        log_loss([1, 0], ["high", "low"])


@pytest.mark.parametrize("clip", [-0.1, 0.5])
def test_invalid_clip_raises(clip):
    with pytest.raises(ValueError, match=r"clip must be at least 0 and below 0.5"):
        log_loss([1], [0.5], clip=clip)


def test_truth_value_as_clip_raises():
    with pytest.raises(TypeError, match="clip is a number; got True"):
        log_loss([1], [0.5], clip=True)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "2 events, 1"),
        ([1, -1], r"weights\[1\] is -1"),
        ([1, np.nan], r"weights\[1\] is nan"),
        ([np.inf, 1], r"weights\[0\] is inf"),
        ([0, 0], "all weights are 0"),
    ],
)
def test_invalid_weights_raise(weights, message):
    for measure in (log_loss, brier_score):
        with pytest.raises(ValueError, match=message):
            measure([1, 0], [0.5, 0.5], weights=weights)


def test_invalid_options_raise():
    with pytest.raises(ValueError, match="binning must be one of 'equal-width', 'equal-mass'"):
        reliability_curve([1], [0.5], binning="quantile")
    with pytest.raises(ValueError, match="norm must be one of"):
        expected_calibration_error([1], [0.5], norm="l3")
    with pytest.raises(ValueError, match="n_bins is a whole number of 1 or more; got 0"):
        reliability_curve([1], [0.5], n_bins=0)
    for n_bins in (2.0, True):
        with pytest.raises(TypeError, match="n_bins is a whole number"):
            reliability_curve([1], [0.5], n_bins=n_bins)
    for level in (0, 1, 95, True):
        with pytest.raises(ValueError, match="level is a confidence between 0 and 1"):
            reliability_curve([1], [0.5], level=level)
    for make in (PlattScaling, TemperatureScaling):
        with pytest.raises(ValueError, match="on must be one of 'scores', 'log-odds'"):
            make(on="logits")
    with pytest.raises(ValueError, match="targets must be one of"):
        PlattScaling(targets="soft")
    with pytest.raises(ValueError, match="interpolation must be one of"):
        IsotonicCalibration(interpolation="cubic")


# Every map gets the same scores, which are none of log-odds.
@pytest.mark.filterwarnings("ignore:all scores lie between 0 and 1")
@pytest.mark.parametrize("calibration", EVERY, ids=repr)
class TestEveryCalibration:
    def test_labels_of_one_class_raise(self, calibration):
        with pytest.raises(ValueError, match="all 3 labels are 1"):
            calibration.fit([0.2, 0.4, 0.6], [1, 1, 1])
        with pytest.raises(ValueError, match="all 3 labels are 0"):
            calibration.fit([0.2, 0.4, 0.6], [0, 0, 0])

    def test_invalid_scores_raise(self, calibration):
        with pytest.raises(ValueError, match=r"scores\[1\] is nan"):
            calibration.fit([0.2, np.nan], [1, 0])
        with pytest.raises(ValueError, match="scores 2, labels 3"):
            calibration.fit([0.2, 0.3], [1, 0, 1])
        with pytest.raises(ValueError, match=r"labels\[0\] is 3"):
            calibration.fit([0.2, 0.3], [3, 0])

    def test_predicting_before_fitting_raises(self, calibration):
        fresh = type(calibration)()
        with pytest.raises(RuntimeError, match="is not fitted yet; call fit"):
            fresh.predict([0.5])

    def test_predicting_invalid_scores_raises(self, calibration):
        calibration.fit(*MIXED)
        with pytest.raises(ValueError, match=r"scores\[0\] is inf"):
            calibration.predict([np.inf])

    def test_repr_shows_the_fitted_parameters(self, calibration):
        calibration.fit(*MIXED)
        assert type(calibration).__name__ in repr(calibration)
        assert ":" in repr(calibration)

    def test_fitting_on_the_test_part_raises(self, calibration):
        scores = np.tile(MIXED[0], 5)
        fit, test = calibration_split(scores, np.tile(MIXED[1], 5), seed=3)
        calibration.fit(fit.scores, fit.labels)
        for part in (test.scores, test.scores[2:], test.scores * 0.5):
            with pytest.raises(ValueError, match="set aside for testing"):
                calibration.fit(part, test.labels[: len(part)])
        assert type(calibration.predict(test.scores)) is np.ndarray
        # Whoever takes the mark off on purpose may.
        calibration.fit(np.asarray(test.scores), test.labels)


@pytest.mark.parametrize(
    "calibration", [c for c in EVERY if not isinstance(c, TemperatureScaling)], ids=repr
)
def test_constant_scores_give_the_base_rate(calibration):
    calibration.fit([0.3] * 4, [1, 0, 0, 0])
    rate = 0.25
    if getattr(calibration, "targets", "") == "smoothed":
        rate = (2 / 3 + 3 / 5) / 4
    assert calibration.predict([0.1, 0.3, 0.9]) == pytest.approx([rate] * 3)


def test_constant_log_odds_have_a_temperature_except_0():
    fitted = TemperatureScaling().fit([2.0] * 4, [1, 1, 1, 0])
    assert fitted.predict([2.0]) == pytest.approx([0.75])
    with pytest.raises(ValueError, match="point the wrong way on average"):
        TemperatureScaling().fit([0.0] * 4, [1, 1, 1, 0])


@pytest.mark.parametrize("calibration", [PlattScaling(on="log-odds"), BetaCalibration()], ids=repr)
@pytest.mark.parametrize("edge", [0.0, 1.0])
def test_probabilities_of_0_and_1_are_not_used_for_fitting(calibration, edge):
    with pytest.raises(ValueError, match="its log-odds are infinite; move such values inside"):
        calibration.fit([0.2, edge, 0.4, 0.9], [0, 1, 1, 0])


@pytest.mark.parametrize("calibration", [PlattScaling(), BetaCalibration()], ids=repr)
@pytest.mark.parametrize("scores", [[0.1, 0.2, 0.7, 0.8], [0.1, 0.5, 0.5, 0.8]])
def test_labels_separated_by_a_threshold_raise(calibration, scores):
    with pytest.raises(ValueError, match=r"a threshold at 0.[25] splits the labels"):
        calibration.fit(scores, [0, 0, 1, 1])


def test_labels_separated_in_reverse_order_raise():
    with pytest.raises(ValueError, match="every score above it has label 0"):
        PlattScaling().fit([0.1, 0.2, 0.7, 0.8], [1, 1, 0, 0])
    smooth = PlattScaling(targets="smoothed").fit([0.1, 0.2, 0.7, 0.8], [1, 1, 0, 0])
    assert np.isfinite(smooth.slope_)
    assert smooth.slope_ < 0


def test_data_without_an_optimal_temperature_raise():
    with pytest.raises(ValueError, match="point the wrong way on average"):
        TemperatureScaling().fit([-1, 1, 2], [1, 0, 0])
    with pytest.raises(ValueError, match="every score is on its label's side of 0"):
        TemperatureScaling().fit([-1, 1, 2], [0, 1, 1])


def test_scores_too_large_to_square_raise_without_a_warning():
    with np.errstate(all="raise"), pytest.raises(ValueError, match=r"from -1e.300 to 1e.300"):
        PlattScaling(on="scores").fit([1e300, -1e300, 1e300, -1e300], [1, 1, 0, 0])


def test_split_keeps_every_row_once_and_in_order():
    scores, labels = np.arange(20) / 20, np.arange(20) % 3 == 0
    fit, test = calibration_split(scores, labels, test_share=0.25, seed=7)
    assert (len(fit), len(test)) == (15, 5)
    assert sorted([*fit.rows, *test.rows]) == list(range(20))
    assert (np.diff(fit.rows) > 0).all()
    for part in (fit, test):
        np.testing.assert_array_equal(part.scores, scores[part.rows])
        np.testing.assert_array_equal(part.labels, labels[part.rows])
    again = calibration_split(scores, labels, test_share=0.25, seed=7)
    np.testing.assert_array_equal(again.test.rows, test.rows)
    other = calibration_split(scores, labels, test_share=0.25, seed=8)
    assert other.test.rows.tolist() != test.rows.tolist()


def test_split_keeps_users_together():
    users = np.repeat(["a", "b", "c", "d"], [1, 5, 2, 4])
    fit, test = calibration_split(np.arange(12), np.arange(12) % 2, users=users, seed=0)
    assert not {*users[fit.rows]} & {*users[test.rows]}
    assert len({*users[test.rows]}) == 2


def test_split_by_time_tests_on_the_newest():
    when = np.array([5, 1, 4, 8, 2, 3, 7, 6])
    scores, labels = np.arange(8) / 8, np.arange(8) % 2
    fit, test = calibration_split(scores, labels, timestamps=when, test_share=0.25)
    assert test.rows.tolist() == [3, 6]
    assert when[fit.rows].max() < when[test.rows].min()
    days = when.astype("datetime64[D]")
    _, same = calibration_split(scores, labels, timestamps=days, test_share=0.25)
    assert same.rows.tolist() == [3, 6]
    with pytest.raises(ValueError, match="set aside for testing"):
        PlattScaling().fit(test.scores, test.labels)


def test_split_by_time_keeps_equal_timestamps_together():
    when = [1, 2, 2, 2, 3]
    fit, test = calibration_split(np.arange(5), [0, 1, 0, 1, 0], timestamps=when, test_share=0.4)
    assert fit.rows.tolist() == [0]
    assert test.rows.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"timestamps": [1, 1]}, "2 events at 1 times leaves a part empty"),
        ({"timestamps": [1, 2], "test_share": 0.1}, "leaves a part empty"),
        ({"timestamps": [1]}, "scores 2, labels 2, timestamps 1"),
        ({"timestamps": [1, np.nan]}, r"timestamps\[1\] is nan; every event needs its time"),
        ({"timestamps": np.array(["2026", "NaT"], "M8[Y]")}, r"timestamps\[1\] is nan"),
        ({"timestamps": [1, 2], "users": [1, 2]}, "one split cannot do both"),
    ],
)
def test_invalid_time_splits_raise(more, says):
    with pytest.raises(ValueError, match=says):
        calibration_split([0.1, 0.2], [0, 1], **more)


def test_invalid_splits_raise():
    with pytest.raises(
        ValueError, match="test_share is a share between 0 and 1, both excluded; got 1"
    ):
        calibration_split([0.1, 0.2], [0, 1], test_share=1)
    with pytest.raises(ValueError, match=r"a test share of 0.1 of 2 events leaves a part empty"):
        calibration_split([0.1, 0.2], [0, 1], test_share=0.1)
    with pytest.raises(ValueError, match="of 1 users leaves a part empty"):
        calibration_split([0.1, 0.2], [0, 1], users=["a", "a"])
    with pytest.raises(ValueError, match="scores 2, labels 2, users 1"):
        calibration_split([0.1, 0.2], [0, 1], users=["a"])
    with pytest.raises(ValueError, match=r"scores\[0\] is nan"):
        calibration_split([np.nan, 0.2], [0, 1])


KEEP_THE_MARK = {
    "part + 0": lambda part: part + 0,
    "slices": lambda part: part[:],
    "numpy.sort": np.sort,
    "astype": lambda part: part.astype(np.float32),
    "copies": lambda part: part.copy(),
    "pickling": lambda part: pickle.loads(pickle.dumps(part)),
}
LOSE_THE_MARK = {
    "list": list,
    "tolist": lambda part: part.tolist(),
    "numpy.array": np.array,
    "numpy.asarray": np.asarray,
    "numpy.concatenate": lambda part: np.concatenate([part]),
}


def make_test_part():
    scores = np.linspace(0.1, 0.9, 40)
    return calibration_split(scores, np.arange(40) % 3 == 0, seed=1).test


@pytest.mark.parametrize("name", KEEP_THE_MARK)
def test_documented_operations_keep_the_test_part_protected(name):
    test = make_test_part()
    with pytest.raises(ValueError, match="set aside for testing"):
        PlattScaling().fit(KEEP_THE_MARK[name](test.scores), test.labels)
    assert name in TestPart.__doc__


@pytest.mark.parametrize("name", LOSE_THE_MARK)
def test_documented_operations_lose_the_test_part_protection(name):
    test = make_test_part()
    PlattScaling().fit(LOSE_THE_MARK[name](test.scores), test.labels)
    for doc in (TestPart.__doc__, calibration_split.__doc__):
        assert re.search(rf"`{re.escape(name)}`", doc)


def test_probabilities_given_to_temperature_scaling_as_log_odds_warn():
    probabilities, labels = [0.1, 0.9, 0.4, 0.6, 0.8, 0.3], [0, 1, 0, 1, 0, 1]
    with pytest.warns(UserWarning, match=r'use TemperatureScaling\(on="log-odds"\)'):
        TemperatureScaling().fit(probabilities, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TemperatureScaling(on="log-odds").fit(probabilities, labels)
        TemperatureScaling().fit([-2.0, 2.0, -0.5, 0.5, 1.5, -1.0], labels)
