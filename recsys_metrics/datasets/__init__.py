"""Data sets that come with the workbook, and larger ones that are downloaded.

=============================  ==================================================
file                           holds
=============================  ==================================================
`_movielens`                   MovieLens: the small edition, and larger ones to fetch
`_open_bandit`                 the Open Bandit data: the sample, and the whole
`_shop_log`                    a simulated log of a shop, free for any use
`_random_slices`               Coat, Yahoo! R3, KuaiRec: ratings that nobody chose
=============================  ==================================================

Data that do not come with the workbook are looked for in the folder that `directory` names, or in
the user's cache folder; their terms are told when they are first used.

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.datasets._coat_yahoo_kuairec import (
    RandomSlice,
    load_coat,
    load_kuairec,
    load_yahoo_r3,
)
from recsys_metrics.datasets._dataset_folders import DatasetNotFoundError, data_folder
from recsys_metrics.datasets._movielens import MovieLens, fetch_movielens, load_movielens
from recsys_metrics.datasets._open_bandit import OpenBandit, load_open_bandit
from recsys_metrics.datasets._packed import CONTENT_HASHES, content_hash
from recsys_metrics.datasets._shop_log import ShopLog, simulate_shop_log

__all__ = [
    "CONTENT_HASHES",
    "DatasetNotFoundError",
    "MovieLens",
    "OpenBandit",
    "RandomSlice",
    "ShopLog",
    "content_hash",
    "data_folder",
    "fetch_movielens",
    "load_coat",
    "load_kuairec",
    "load_movielens",
    "load_open_bandit",
    "load_yahoo_r3",
    "simulate_shop_log",
]


def __dir__() -> list[str]:
    return __all__
