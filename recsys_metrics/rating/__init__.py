"""Rating prediction: errors and correlations of predicted ratings.

Each measure takes what was said and what was predicted, one pair per row, and gives one
number over all rows. With `users=` it gives one value per user instead: their mean counts
every user the same, the single number over all rows counts every rating the same.

=============================  ==================================================
file                           holds
=============================  ==================================================
`_errors`                      MAE, MSE, RMSE, median absolute error, RMSE / MAE
`_relative`                    MAPE, sMAPE: errors as shares
`_variance`                    R squared, explained variance
`_correlation`                 Pearson's, Spearman's, Kendall's
=============================  ==================================================

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.rating._correlation import correlation
from recsys_metrics.rating._errors import error_ratio, mae, median_absolute_error, mse, rmse
from recsys_metrics.rating._percentage_errors import mape, smape
from recsys_metrics.rating._variance import explained_variance, r2

__all__ = [
    "correlation",
    "error_ratio",
    "explained_variance",
    "mae",
    "mape",
    "median_absolute_error",
    "mse",
    "r2",
    "rmse",
    "smape",
]


def __dir__() -> list[str]:
    return __all__
