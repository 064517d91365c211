"""The Open Bandit data: items shown by a shop, with propensities and clicks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.package_names import how_to_install
from recsys_metrics.datasets._dataset_folders import find_files, print_terms, read_directory
from recsys_metrics.datasets._packed import make_read_only, packed_folder, unpack

Policy = Literal["random", "bts"]
Campaign = Literal["all", "men", "women"]

_SAMPLE = "open_bandit_sample"
_TRAITS = [f"user_feature_{i}" for i in range(4)]
_AFFINITY = "user-item_affinity_"
_COLUMNS = ("timestamp", "item_id", "position", "click", "propensity_score", *_TRAITS)


@dataclass(frozen=True, eq=False, repr=False)
class OpenBandit:
    """What a fashion shop's recommender showed, with which probability, and what was clicked.

    One row is one item shown at one of three positions.

    Attributes
    ----------
    policy : str
        "random" (every item with the same probability) or "bts" (Bernoulli Thompson sampling).
    campaign : str
        "all", "men" or "women".
    timestamp : (n,) array of int
        Milliseconds since 1970.
    item : (n,) array of int
        Number of the item shown.
    position : (n,) array of int
        Place on the page: 1, 2 or 3.
    click : (n,) array of int
        1 if it was clicked.
    propensity : (n,) array of float
        Probability with which the policy showed this item at this position, as it was logged.
    affinity : (n,) array of float
        How often the user had clicked this item before.
    user_features : (n, 4) array of int
        Anonymous traits of the user, numbered.
    n_items : int
        How many items the campaign has.
    n_positions : int
        Always 3.
    is_complete : bool
        Whether this is read from the published data, and not the sample of them.
    """

    policy: str
    campaign: str
    timestamp: NDArray[np.int64]
    item: NDArray[np.uint8]
    position: NDArray[np.uint8]
    click: NDArray[np.uint8]
    propensity: NDArray[np.float64]
    affinity: NDArray[np.float32]
    user_features: NDArray[np.uint8]
    n_items: int
    n_positions: int = 3
    is_complete: bool = False

    def __len__(self) -> int:
        return len(self.click)

    def __repr__(self) -> str:
        return (
            f"OpenBandit {'data' if self.is_complete else 'sample'}, "
            f"policy {self.policy!r}, campaign {self.campaign!r}: "
            f"{len(self):,} shown, {int(self.click.sum())} clicked, {self.n_items} items"
        )


def load_open_bandit(
    policy: Policy = "random",
    campaign: Campaign = "all",
    *,
    directory: str | Path | None = None,
) -> OpenBandit:
    """Load a part of the Open Bandit data: of the sample that comes with the workbook, or of all.

    Parameters
    ----------
    policy : {"random", "bts"}
        Who chose what to show: chance, or Bernoulli Thompson sampling.
    campaign : {"all", "men", "women"}
        The part of the shop.
    directory : path, optional
        Where the published data lie unpacked, with the folders ``random`` and ``bts``. Without it,
        the sample is loaded.

    Returns
    -------
    OpenBandit
        10,000 items shown in the sample; in the whole, from half a million to twelve million.

    Raises
    ------
    ValueError
        If there is no such policy or campaign, or a column is missing or no number.
    FileNotFoundError
        If the folder lacks a file; the message says where the data are published.
    ImportError
        If only the library is installed; of the whole, if Polars is not.

    Notes
    -----
    Users' traits are numbered in the order of their hashes over both policies, so that a number
    means the same in both logs, but not in the sample and in the whole. The reader of the whole
    was tested on the sample as it was published, and on small files of the same form.

    References
    ----------
    Saito, Aihara, Matsutani and Narita (2020), Open Bandit Dataset and Pipeline: towards
    realistic and reproducible off-policy evaluation, arXiv:2008.07146.

    Examples
    --------
    >>> from recsys_metrics.datasets import load_open_bandit
    >>> load_open_bandit("bts", "men")
    OpenBandit sample, policy 'bts', campaign 'men': 10,000 shown, 69 clicked, 34 items
    """
    check_choice("policy", policy, Policy)
    check_choice("campaign", campaign, Campaign)
    if directory is not None:
        columns = read_open_bandit(read_directory(directory), policy, campaign)
        print_terms("Open Bandit", "licence CC BY 4.0; cite Saito and others (2020).")
        return OpenBandit(policy, campaign, **columns, is_complete=True)
    return _sample(packed_folder(_SAMPLE), policy, campaign)


@cache
def _sample(folder: Path, policy: Policy, campaign: Campaign) -> OpenBandit:
    """Return a part of the sample: small, nobody can change it, and unpacking takes longest."""
    every = unpack(folder, _SAMPLE)
    key = f"{policy}_{campaign}_"
    columns: dict[str, Any] = {
        name[len(key) :]: make_read_only(c) for name, c in every.items() if name.startswith(key)
    }
    features = np.column_stack([columns.pop(f"user_feature_{i}") for i in range(4)])
    item = columns.pop("item_id")
    return OpenBandit(
        policy=policy,
        campaign=campaign,
        item=item,
        user_features=make_read_only(features),
        n_items=int(item.max()) + 1,
        **columns,
    )


def read_open_bandit(there: Path, policy: Policy, campaign: Campaign) -> dict[str, Any]:
    """Read a part of the data as they are published.

    Parameters
    ----------
    there : Path
        With the folders of both policies.
    policy, campaign
        As in `load_open_bandit`.

    Returns
    -------
    dict
        What an `OpenBandit` holds, by the names of its attributes.
    """
    names = tuple(f"{each}/{campaign}/{campaign}.csv" for each in get_args(Policy))
    paths = find_files(
        there,
        names,
        of="Open Bandit",
        remedy="Download the data from https://research.zozo.com/data.html, unpack them, and pass "
        "the folder that holds random and bts",
    )
    try:
        import polars as pl
    except ImportError:
        raise ImportError(
            "the whole Open Bandit data are read by Polars; install it with "
            f"{how_to_install('frames')}"
        ) from None
    tables = {
        each: pl.scan_csv(path, schema_overrides=dict.fromkeys(_TRAITS, pl.String), glob=False)
        for each, path in zip(get_args(Policy), paths, strict=True)
    }
    path, table = paths[get_args(Policy).index(policy)], tables[policy]
    columns = table.collect_schema().names()
    affinities = [name for name in columns if name.startswith(_AFFINITY)]
    lacking = [name for name in _COLUMNS if name not in columns] + [_AFFINITY] * (not affinities)
    if lacking:
        raise ValueError(f"{path} lacks the column {lacking[0]}; its columns are {columns[:12]} …")
    of_its_item = [
        pl.when(pl.col("item_id") == int(name[len(_AFFINITY) :])).then(pl.col(name)).otherwise(0)
        for name in affinities
    ]
    traits = [
        pl.concat([each.select(name) for each in tables.values()]).unique().sort(name).collect()
        for name in _TRAITS
    ]
    try:
        rows = table.select(
            pl.col("timestamp").str.to_datetime(time_unit="us", time_zone="UTC"),
            pl.col("item_id", "position", "click").cast(pl.UInt8),
            pl.col("propensity_score").cast(pl.Float64),
            pl.sum_horizontal(of_its_item).cast(pl.Float32).alias("affinity"),
            *[
                pl.col(name).replace_strict(known[name], range(len(known))).cast(pl.UInt8)
                for name, known in zip(_TRAITS, traits, strict=True)
            ],
        ).collect()
    except pl.exceptions.PolarsError as problem:
        raise ValueError(f"{path} is not of the published form: {problem}") from problem
    item = rows["item_id"].to_numpy()
    microseconds = rows["timestamp"].dt.timestamp("us").to_numpy()
    return {
        "timestamp": make_read_only(np.rint(microseconds / 1000).astype(np.int64)),
        "item": make_read_only(item),
        "position": make_read_only(rows["position"].to_numpy()),
        "click": make_read_only(rows["click"].to_numpy()),
        "propensity": make_read_only(rows["propensity_score"].to_numpy()),
        "affinity": make_read_only(rows["affinity"].to_numpy()),
        "user_features": make_read_only(rows.select(_TRAITS).to_numpy()),
        "n_items": int(item.max()) + 1,
    }
