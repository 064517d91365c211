"""A logging policy that was not recorded, estimated from its log."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import (
    LARGEST_SQUARED,
    MOST_ENTRIES,
    check_count,
    check_positive,
    generator,
    refuse,
)
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray
from recsys_metrics._core.inputs.columns import check_numbers, check_whole
from recsys_metrics._core.inputs.frames import refuse_other_labels


def fit_logging_policy(
    features: ArrayLike,
    actions: ArrayLike,
    *,
    n_actions: int | None = None,
    regularisation: float = 1.0,
    n_folds: int = 5,
    seed: int | np.random.Generator = 0,
) -> FloatArray:
    r"""With which propensity did the logging policy choose each action, given the features?

    Parameters
    ----------
    features : (n, d) array of float
        What the policy saw in each round, numbers of about the same size.
    actions : (n,) array of int
        What it did.
    n_actions : int, optional
        How many actions there are; by default those up to the largest that was taken.
    regularisation : float
        How strongly large coefficients are held down, above 0.
    n_folds : int
        In how many parts the rounds are cut; the propensities of each part come from the others, so
        that no round explains itself. 1 fits and asks the same rounds.
    seed : int or numpy.random.Generator
        Of the cut.

    Returns
    -------
    (n, n_actions) array of float
        Rows sum to 1. The column of what was done holds the propensities.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, an action is no whole number of 0 or more, or the regularisation is
        not above 0.

    Notes
    -----
    Multinomial logistic regression with a constant for each action:

    .. math:: \min_{W, b} \sum_i -\log p(a_i \mid x_i) + \frac{\lambda}{2} \lVert W \rVert^2

    Where the policy saw more than you logged, the propensities are wrong, and every estimate by
    them; check that the mean weight is near 1 (`off_policy.weight_diagnostics`) and that the
    propensities are calibrated (`calibration.reliability_curve` of one action).

    References
    ----------
    Hirano, Imbens and Ridder (2003), Efficient estimation of average treatment effects using the
    estimated propensity score, Econometrica 71(4). Chernozhukov et al. (2018), Double/debiased
    machine learning for treatment and structural parameters, Econometrics Journal 21(1).

    Examples
    --------
    Two user segments, and a policy that shows item 1 to the second one three times in four:

    >>> import numpy as np
    >>> from recsys_metrics.bias.propensity import fit_logging_policy
    >>> rng = np.random.default_rng(0)
    >>> kind = rng.integers(2, size=4_000)
    >>> shown = rng.random(4_000) < np.where(kind == 1, 0.75, 0.25)
    >>> propensities = fit_logging_policy(kind[:, None], shown.astype(int))
    >>> np.round([propensities[kind == of, 1].mean() for of in (1, 0)], 2)
    array([0.74, 0.25])
    """
    refuse_other_labels(features=features, actions=actions)
    seen = check_numbers("features", features, 2)
    words = ", too large to square; divide the features by one number first"
    refuse(np.abs(seen) > LARGEST_SQUARED, "features", seen, words)
    done = check_whole("actions", actions, 0, None)
    if len(seen) != len(done):
        raise ValueError(f"features has {len(seen)} rounds and actions {len(done)}")
    most = int(done.max()) + 1
    n = most if n_actions is None else check_count("n_actions", n_actions, most, most=MOST_ENTRIES)
    regularisation = check_positive("regularisation", regularisation)
    folds = check_count("n_folds", n_folds, 1, most=len(done))
    if folds == 1:
        return _action_probabilities(seen, _fit(seen, done, n, regularisation))
    part = generator(seed).permutation(len(done)) % folds
    found = np.empty((len(done), n))
    for each in range(folds):
        inside = part == each
        weights = _fit(seen[~inside], done[~inside], n, regularisation)
        found[inside] = _action_probabilities(seen[inside], weights)
    return found


def _fit(seen: FloatArray, done: IntArray, n_actions: int, regularisation: float) -> FloatArray:
    from scipy.optimize import minimize

    with_constant = np.column_stack([seen, np.ones(len(seen))])
    taken = np.eye(n_actions)[done]
    # The constants are free.
    held = np.append(np.full(seen.shape[1], regularisation), 0.0)[:, None]

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        weights = flat.reshape(-1, n_actions)
        logs = _log_probabilities(with_constant @ weights)
        gradient = with_constant.T @ (np.exp(logs) - taken) + held * weights
        return float((held * weights**2).sum() / 2 - (taken * logs).sum()), gradient.ravel()

    start = np.zeros(with_constant.shape[1] * n_actions)
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 1_000, "ftol": 1e-12}
    )
    weights: FloatArray = found.x.reshape(-1, n_actions)
    return weights


def _action_probabilities(seen: FloatArray, weights: FloatArray) -> FloatArray:
    chances: FloatArray = np.exp(_log_probabilities(seen @ weights[:-1] + weights[-1]))
    return chances


def _log_probabilities(scores: FloatArray) -> FloatArray:
    above = scores - scores.max(axis=1, keepdims=True)
    logs: FloatArray = above - np.log(np.exp(above).sum(axis=1, keepdims=True))
    return logs
