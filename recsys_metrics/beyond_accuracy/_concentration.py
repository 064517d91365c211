"""Concentration: Gini index, Lorenz curve and entropy of exposure or of scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import UndefinedMetricError, check_flag, first_true
from recsys_metrics._core.colors import BLUE
from recsys_metrics._core.gini import inequality
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.scalar_or_batch import ManyRows, OneRow
from recsys_metrics._core.parameter_domains import check_number
from recsys_metrics._core.plotting import draw_on_square, finish, plots
from recsys_metrics.beyond_accuracy._arguments import Base, logarithm, read_numbers


@dataclass(frozen=True, eq=False)
class LorenzCurve:
    """The share of all exposure that the least shown items have together.

    Attributes
    ----------
    items : (n + 1,) array
        Share of the items, from 0 to 1, those shown least first.
    share : (n + 1,) array
        Share of all exposure that they hold, from 0 to 1.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import lorenz_curve
    >>> curve = lorenz_curve([6, 3, 1, 0, 0])
    >>> round(curve.area, 3), round(curve.gini, 3)
    (0.2, 0.6)
    """

    items: FloatArray
    share: FloatArray

    @property
    def area(self) -> float:
        """Area under the curve; 0.5 where all items are shown alike."""
        return float(((self.share[1:] + self.share[:-1]) / 2).sum() / (len(self.share) - 1))

    @property
    def gini(self) -> float:
        """The area between the curve and the line of equality, as a share of one half."""
        return max(0.0, 1.0 - 2.0 * self.area)

    @plots
    def plot(self, *, axes: Any = None) -> Any:
        """Draw the curve under the line of equality."""
        axes = draw_on_square(axes)
        axes.plot(self.items, self.share, color=BLUE, linewidth=2.5)
        half = float(np.interp(0.5, self.items, self.share))
        words = f"the less shown half of the items has {100 * half:.0f} % of the exposure"
        return finish(
            axes,
            title=f"Gini {self.gini:.3f}: {words}",
            x="share of the items, those shown least first",
            y="share of the exposure",
            alt=f"Lorenz curve below the line of equality; {words}, Gini {self.gini:.3f}",
        )


def gini(counts: ArrayLike | Mapping[Any, float], *, normalized: bool = False) -> float:
    r"""How unequally are the impressions distributed over the items?

    Parameters
    ----------
    counts : (n,) array of float, or mapping from item to count
        How often each item was recommended, 0 or more. It must cover the whole catalogue,
        zeros included: leaving out the items that nobody was shown hides the inequality that
        matters most. `recommendation_counts` makes such counts.
    normalized : bool
        Divide by (n - 1) / n, the most that n items can reach, so that everything on one item
        gives 1.

    Returns
    -------
    float
        0 if all items are shown equally often; (n - 1) / n, or 1 when normalized, if one item
        gets everything.

    Raises
    ------
    ValueError
        If there are no items, a count is negative or not finite, all are 0, or one item is to
        be normalized.

    Notes
    -----
    .. math:: G = \frac{\sum_{i=1}^{|I|} (2i - |I| - 1) \, x_{(i)}}{|I| \sum_i x_i},
              \qquad G_{\mathrm{norm}} = \frac{|I|}{|I| - 1} \, G

    where :math:`I` is the catalogue, the set of all items; :math:`x_i` is the number of times that
    item :math:`i` was recommended; :math:`x_{(i)}` is the :math:`i`-th smallest of the numbers of
    times that the items were recommended.

    The counts are in ascending order. LensKit and RecBole report the first, Evidently
    the second over the recommended items only, Elliot 1 minus the second. Some texts print
    the second with a leading "1 -", which turns the scale around: 1 for equality.

    References
    ----------
    Fleder and Hosanagar (2009), Blockbuster culture's next rise or fall, Management Science
    55(5).

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import gini
    >>> round(gini([8, 2, 0, 0, 0]), 3)
    0.72
    >>> round(gini([8, 2, 0, 0, 0], normalized=True), 3)
    0.9
    >>> gini([2, 2, 2, 2, 2])
    0.0
    """
    return gini_of_shown(counts, normalized=normalized)


def gini_of_shown(
    counts: ArrayLike | Mapping[Any, float], n_unseen: int = 0, *, normalized: bool = False
) -> float:
    """Return the Gini index of counts and of so many more items that were never shown."""
    check_flag("normalized", normalized)
    amounts = _read_counts(counts)
    n = len(amounts) + n_unseen
    if normalized and n == 1:
        raise ValueError(
            "one item alone cannot be shown unequally, so its Gini cannot be normalized; "
            "counts must cover the whole catalogue"
        )
    return inequality(amounts, n_unseen) / (n - 1 if normalized else n)


def lorenz_curve(counts: ArrayLike | Mapping[Any, float]) -> LorenzCurve:
    r"""How large a share of all exposure do the least shown items have?

    Parameters
    ----------
    counts : (n,) array of float, or mapping from item to count
        As in `gini`: the whole catalogue, zeros included.

    Returns
    -------
    LorenzCurve
        `.items` and `.share`, n + 1 points from (0, 0) to (1, 1), with `.area` and `.gini`.

    Raises
    ------
    ValueError
        As in `gini`.

    Notes
    -----
    .. math:: \lambda(j / |I|) = \frac{\sum_{i \le j} x_{(i)}}{\sum_i x_i}, \qquad
              G = 1 - 2 \int_0^1 \lambda

    References
    ----------
    Lorenz (1905), Methods of measuring the concentration of wealth, Publications of the
    American Statistical Association 9(70).

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import lorenz_curve
    >>> curve = lorenz_curve([8, 2, 0, 0, 0])
    >>> curve.share
    array([0. , 0. , 0. , 0. , 0.2, 1. ])
    >>> round(curve.area, 3), round(curve.gini, 3)
    (0.14, 0.72)
    """
    ordered = np.sort(_read_counts(counts))
    n = len(ordered)
    running = np.concatenate([[0.0], np.cumsum(ordered / ordered[-1])])
    return LorenzCurve(items=np.arange(n + 1) / n, share=running / running[-1])


def shannon_entropy(counts: ArrayLike | Mapping[Any, float], *, base: Base = 2) -> float:
    r"""How many bits does it take to say which item was shown?

    Parameters
    ----------
    counts : (n,) array of float, or mapping from item to count
        How often each item was recommended. Items with 0 change nothing.
    base : float
        Base of the logarithm: 2 for bits, `math.e` for nats.

    Returns
    -------
    float
        0 if one item gets everything, log(n) if n items share alike. The higher, the more
        even. Two to the power of it (for bits) is the number of items, equally shown, that
        would be as diverse.

    Raises
    ------
    ValueError
        As in `gini`; also if the base is not above 1.

    Notes
    -----
    .. math:: \mathrm{entropy} = -\sum_i p_i \log_2 p_i, \qquad p_i = \frac{x_i}{\sum_j x_j}

    where :math:`x_i` is the number of times that item :math:`i` was recommended.

    RecBole uses the natural logarithm and divides by the number of recommended items, Elliot
    takes bits.

    References
    ----------
    Shannon (1948), A mathematical theory of communication, Bell System Technical Journal 27.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import shannon_entropy
    >>> round(shannon_entropy([8, 2, 0, 0, 0]), 3), shannon_entropy([2, 2, 2, 2])
    (0.722, 2.0)
    """
    unit = check_number("base", base, Base)
    ordered = np.sort(_read_counts(counts))
    shares = ordered[ordered > 0] / ordered[-1]
    shares = shares / shares.sum()
    return float(entropies(shares[None, :], unit)[0])


@overload
def score_entropy(scores: OneRow, *, base: float) -> float: ...
@overload
def score_entropy(scores: ManyRows, *, base: float) -> FloatArray: ...
@overload
def score_entropy(scores: ArrayLike, *, base: float) -> Any: ...
def score_entropy(scores: ArrayLike, *, base: float) -> Any:
    r"""How uncertain are the model's scores over a list?

    Parameters
    ----------
    scores : (K,) or (n, K) array of float
        The model's scores of the items of one list, or of many. Negative infinity stands for
        an empty slot.
    base : float
        Base of the logarithm: 2 for bits, `math.e` for nats.

    Returns
    -------
    float or (n,) array
        0 if one item has all the probability, log(K) if all K scores are equal.

    Raises
    ------
    ValueError
        If a score is NaN or positive infinity, a list has no score at all, or the base is not
        above 1.

    Notes
    -----
    .. math:: \mathrm{entropy} = -\sum_i p_i \ln p_i,
              \qquad p_i = \frac{\exp(s_i)}{\sum_j \exp(s_j)}

    where :math:`s_i` is the score of item :math:`i`.

    This is the Shannon entropy of the scores after a softmax. It is sometimes described as a
    Kullback-Leibler divergence, which needs a second distribution; against the uniform one
    that would be log(K) - H. Adding a constant to all scores changes nothing, doubling them
    does: entropies of models with different score scales do not compare.

    References
    ----------
    Shannon (1948), A mathematical theory of communication, Bell System Technical Journal 27.

    Examples
    --------
    >>> import math
    >>> from recsys_metrics.beyond_accuracy import score_entropy
    >>> round(score_entropy([2, 1, 0], base=math.e), 3)
    0.832
    """
    unit = check_number("base", base, Base)
    given = as_numbers(scores, "scores")
    if given.ndim not in (1, 2) or given.shape[-1] == 0:
        raise ValueError(
            f"scores must be one list (K,) or many (n, K) with at least one score each; got "
            f"shape {given.shape}"
        )
    table = np.atleast_2d(given)
    if at := first_true(np.isnan(table) | (table == np.inf)):
        row, column = at
        raise ValueError(
            f"the score in list {row} at rank {column + 1} is {table[row, column]}; a score is a "
            "finite number, or -inf for an empty slot"
        )
    highest = table.max(axis=1, keepdims=True)
    if at := first_true(highest == -np.inf):
        raise ValueError(f"list {at[0]} has no score, only empty slots; leave it out")
    odds = np.exp(table - highest)
    values = entropies(odds / odds.sum(axis=1, keepdims=True), unit)
    return float(values[0]) if given.ndim == 1 else values


def entropies(shares: FloatArray, base: float) -> FloatArray:
    """Return the entropy of each row of shares."""
    logs = logarithm(np.where(shares > 0, shares, 1.0), base)
    # Adding 0 turns -0.0, where one share is all, into 0.0.
    return np.asarray(np.maximum(0.0, -(shares * logs).sum(axis=1)) + 0.0)


def _read_counts(counts: ArrayLike | Mapping[Any, float]) -> FloatArray:
    """Return how often each item was shown, checked."""
    labels = list(counts) if isinstance(counts, Mapping) else None
    given: Any = list(counts.values()) if isinstance(counts, Mapping) else counts
    what = (
        "one number per item of the catalogue, which recommendation_counts(recommended, catalog) "
        "makes from lists"
    )
    values = read_numbers(given, "counts", labels, what=what)
    if not values.size:
        raise ValueError("counts must be one number per item of the catalogue; got shape (0,)")
    if not values.any():
        raise UndefinedMetricError(
            "all counts are 0: no item was shown, so there is no distribution to describe"
        )
    return values
