"""W5: are five million probabilities right, and how to make them so."""

from __future__ import annotations

import numpy as np

from dev.benchmarks.runner import OURS, Answers, Call, Inputs, Task, Way, plain
from dev.benchmarks.workloads import first_rows, predictions

BINS = 15


def ece_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics.calibration import expected_calibration_error

    given = inputs["happened"], inputs["said"]
    return plain(lambda: {"ece": expected_calibration_error(*given, n_bins=BINS)})


def ece_of_numpy(inputs: Inputs) -> Call:
    said, happened = inputs["said"], inputs["happened"]

    def run() -> Answers:
        which = np.clip(np.ceil(said * BINS).astype(int) - 1, 0, BINS - 1)
        total = np.bincount(which, said, BINS)
        hits = np.bincount(which, happened, BINS)
        return {"ece": np.abs(total - hits).sum() / len(said)}

    return plain(run)


def ece_of_torchmetrics(inputs: Inputs) -> Call:
    import torch
    from torchmetrics.functional.classification import binary_calibration_error

    said, happened = torch.from_numpy(inputs["said"]), torch.from_numpy(inputs["happened"])
    labels = happened.to(torch.int64)

    def run() -> Answers:
        return {"ece": float(binary_calibration_error(said, labels, n_bins=BINS))}

    return plain(run)


def ece_of_netcal(inputs: Inputs) -> Call:
    from netcal.metrics import ECE

    labels = inputs["happened"].astype(int)
    return plain(lambda: {"ece": ECE(BINS).measure(inputs["said"], labels)})


def brier_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics.calibration import brier_score

    return plain(lambda: {"brier": brier_score(inputs["happened"], inputs["said"])})


def brier_of_numpy(inputs: Inputs) -> Call:
    said, happened = inputs["said"], inputs["happened"]
    return plain(lambda: {"brier": ((said - happened) ** 2).mean()})


def brier_of_scikit_learn(inputs: Inputs) -> Call:
    from sklearn.metrics import brier_score_loss

    return plain(lambda: {"brier": brier_score_loss(inputs["happened"], inputs["said"])})


def platt_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics.calibration import PlattScaling

    def run() -> Answers:
        platt = PlattScaling().fit(inputs["said"], inputs["happened"])
        return {"slope": platt.slope_, "intercept": platt.intercept_}

    return plain(run)


def platt_of_scikit_learn(inputs: Inputs) -> Call:
    from sklearn.linear_model import LogisticRegression

    def run() -> Answers:
        model = LogisticRegression(C=np.inf, tol=1e-8)
        model.fit(inputs["said"][:, None], inputs["happened"])
        return {"slope": model.coef_[0, 0], "intercept": model.intercept_[0]}

    return plain(run)


def isotonic_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics.calibration import IsotonicCalibration

    points = np.linspace(0.05, 0.8, 50)

    def run() -> Answers:
        fitted = IsotonicCalibration().fit(inputs["said"], inputs["happened"])
        return {"curve": fitted.predict(points)}

    return plain(run)


def isotonic_of_scikit_learn(inputs: Inputs) -> Call:
    from sklearn.isotonic import IsotonicRegression

    points = np.linspace(0.05, 0.8, 50)

    def run() -> Answers:
        model = IsotonicRegression(out_of_bounds="clip")
        return {"curve": model.fit(inputs["said"], inputs["happened"]).predict(points)}

    return plain(run)


def _make(scale: float) -> Inputs:
    return predictions(round(5_000_000 * scale))


def _task(title: str, ways: dict[str, Way]) -> Task:
    return Task(title=f"{title}; 5,000,000 predictions", make=_make, head=first_rows, ways=ways)


TASKS: dict[str, Task] = {
    "ece": _task(
        "Expected calibration error, 15 bins",
        {
            OURS: Way(ece_of_ours),
            "numpy by hand": Way(ece_of_numpy, package="numpy"),
            "torchmetrics": Way(ece_of_torchmetrics, environment="torchmetrics", tolerance=1e-5),
            "netcal": Way(ece_of_netcal, environment="netcal", tolerance=1e-5),
        },
    ),
    "brier": _task(
        "Brier score",
        {
            OURS: Way(brier_of_ours),
            "numpy by hand": Way(brier_of_numpy, package="numpy"),
            "scikit-learn": Way(brier_of_scikit_learn),
        },
    ),
    "platt": _task(
        "Platt scaling",
        {
            OURS: Way(platt_of_ours),
            "scikit-learn": Way(platt_of_scikit_learn, tolerance=1e-3),
        },
    ),
    "isotonic": _task(
        "Isotonic calibration",
        {
            OURS: Way(isotonic_of_ours),
            "scikit-learn": Way(isotonic_of_scikit_learn, tolerance=1e-6),
        },
    ),
}
