"""Coat, Yahoo! R3 and KuaiRec: self-selected ratings, and ratings of random items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics.datasets._dataset_folders import (
    data_folder,
    find_files,
    print_terms,
    read_directory,
)
from recsys_metrics.interactions import Interactions

_COAT = (290, 300)


@dataclass(frozen=True, eq=False, repr=False)
class RandomSlice:
    """Self-selected ratings, and ratings of items that were chosen at random.

    What a method learns or claims from the first can be held against the second, in which no
    rating is missing for the sake of its value.

    Attributes
    ----------
    name : str
    self_selected : Interactions
        Ratings as they came about.
    random : Interactions
        Ratings of the same kind, of items drawn at random or of all; users and items have the
        same numbers in both.
    licence : str
        On which terms the data is published, as far as its description says.

    Examples
    --------
    >>> from recsys_metrics.datasets import RandomSlice
    >>> from recsys_metrics.interactions import Interactions
    >>> chosen, drawn = Interactions([0, 1], [0, 1], [5, 4]), Interactions([0, 1], [1, 0], [2, 1])
    >>> invented = RandomSlice("Invented", chosen, drawn, "Free.")
    >>> float(invented.self_selected.rating.mean()), float(invented.random.rating.mean())
    (4.5, 1.5)
    """

    name: str
    self_selected: Interactions
    random: Interactions
    licence: str

    def __repr__(self) -> str:
        return (
            f"{self.name}: {len(self.self_selected):,} self-selected ratings and "
            f"{len(self.random):,} of randomly chosen items, {self.self_selected.n_users:,} users, "
            f"{self.self_selected.n_items:,} items. {self.licence}"
        )


def load_coat(directory: str | Path | None = None) -> RandomSlice:
    """Load Coat: coats that people rated by choice, and sixteen each at random.

    Parameters
    ----------
    directory : path, optional
        Where ``train.ascii`` and ``test.ascii`` lie. By default
        ``coat`` in the user's cache folder.

    Returns
    -------
    RandomSlice

    Raises
    ------
    FileNotFoundError
        If a file is missing; the message says where it is published.
    ValueError
        If a file is not 290 users x 300 coats with ratings from 1 to 5 and 0 for none.

    Notes
    -----
    Written from public descriptions of the two tables and tested on small ones of the same form;
    the published files were not at hand, and no hash of them is published.
    `load_yahoo_r3` and `load_kuairec` read data of the same kind.

    References
    ----------
    Schnabel, Swaminathan, Singh, Chandak and Joachims (2016), Recommendations as treatments:
    debiasing learning and evaluation, ICML.

    Examples
    --------
    >>> coats = load_coat("coat")  # doctest: +SKIP
    """
    paths = find_files(
        data_folder() / "coat" if directory is None else read_directory(directory),
        ("train.ascii", "test.ascii"),
        of="Coat",
        remedy="Download https://www.cs.cornell.edu/~schnabts/mnar/coat.zip and unpack it there",
    )
    parts = []
    for path in paths:
        table = np.loadtxt(path, ndmin=2)
        is_rating = (table >= 0) & (table <= 5) & (table == np.round(table))
        if table.shape != _COAT or not is_rating.all():
            raise ValueError(
                f"{path} is not Coat's table of {_COAT[0]} x {_COAT[1]} whole numbers from 0 to 5: "
                f"its shape is {table.shape}, its values go from {table.min():g} to "
                f"{table.max():g}"
            )
        user, item = np.nonzero(table)
        parts.append((user, item, table[user, item]))
    return _load_slice(
        "Coat", parts, _COAT, "Its description names no licence; ask before sharing."
    )


def load_yahoo_r3(directory: str | Path | None = None) -> RandomSlice:
    """Load Yahoo! R3: songs that people rated by choice, and ten each at random.

    Parameters
    ----------
    directory : path, optional
        Where ``ydata-ymusic-rating-study-v1_0-train.txt`` and ``…-test.txt`` lie. By default
        ``yahoo_r3`` in the user's cache folder.

    Returns
    -------
    RandomSlice

    Raises
    ------
    FileNotFoundError
        If a file is missing; the message says who hands it out.
    ValueError
        If a row is not user, song and a rating from 1 to 5, numbered from 1.

    Notes
    -----
    Written from public descriptions of the two tables and tested on small ones of the same form;
    the files are handed out to research on request and were not at hand.

    References
    ----------
    Marlin and Zemel (2009), Collaborative prediction and ranking with non-random missing data,
    RecSys.

    Examples
    --------
    >>> songs = load_yahoo_r3("yahoo_r3")  # doctest: +SKIP
    """
    start = "ydata-ymusic-rating-study-v1_0-"
    paths = find_files(
        data_folder() / "yahoo_r3" if directory is None else read_directory(directory),
        (f"{start}train.txt", f"{start}test.txt"),
        of="Yahoo! R3",
        remedy="Ask Yahoo's Webscope programme for the data set R3 (it asks for an agreement) and "
        "put both files there",
    )
    parts = []
    for path in paths:
        rows = np.loadtxt(path, ndmin=2)
        if rows.shape[1] != 3 or rows.min() < 1 or rows[:, 2].max() > 5 or (rows % 1).any():
            raise ValueError(
                f"{path} is not R3's table: a row is user, song and rating, whole numbers from 1, "
                "the rating at most 5"
            )
        user, item = rows[:, :2].astype(np.int64).T - 1
        parts.append((user, item, rows[:, 2]))
    sizes = tuple(1 + max(int(part[axis].max()) for part in parts) for axis in (0, 1))
    return _load_slice(
        "Yahoo! R3", parts, sizes, "The agreement that comes with the files says what is allowed."
    )


def load_kuairec(directory: str | Path | None = None) -> RandomSlice:
    """Load KuaiRec: videos as they were recommended, and a table in which nearly all was watched.

    Parameters
    ----------
    directory : path, optional
        Where ``big_matrix.csv`` and ``small_matrix.csv`` lie. By default
        ``KuaiRec/data`` in the user's cache folder.

    Returns
    -------
    RandomSlice
        A rating is a watch ratio: for how much of a video's length it was played.

    Raises
    ------
    FileNotFoundError
        If a file is missing; the message says where it is published.
    ValueError
        If a table lacks a column, or a watch ratio is below 0.

    Notes
    -----
    Written from the authors' description of the columns and tested on small tables of the same
    form; the published files, 17 million rows, were not at hand. A pair may be watched twice.

    References
    ----------
    Gao and others (2022), KuaiRec: a fully-observed dataset and insights for evaluating
    recommender systems, CIKM.

    Examples
    --------
    >>> videos = load_kuairec("KuaiRec/data")  # doctest: +SKIP
    """
    paths = find_files(
        data_folder() / "KuaiRec/data" if directory is None else read_directory(directory),
        ("big_matrix.csv", "small_matrix.csv"),
        of="KuaiRec",
        remedy="Download KuaiRec as described at https://kuairec.com; both tables are in "
        "its folder data",
    )
    tables = []
    for path in paths:
        with path.open(encoding="utf-8") as lines:
            header = next(lines, "").strip().split(",")
            lacking = {"user_id", "video_id", "watch_ratio"} - set(header)
            if lacking:
                raise ValueError(
                    f"{path} lacks the column {min(lacking)}; its columns are {header}"
                )
            wanted = [header.index(name) for name in ("user_id", "video_id", "watch_ratio")]
            tables.append(np.loadtxt(lines, delimiter=",", usecols=wanted, ndmin=2))
        if tables[-1][:, 2].min(initial=0) < 0:
            raise ValueError(f"{path} has a watch ratio below 0: {tables[-1][:, 2].min():g}")
    every = np.concatenate(tables)
    (users, user), (items, item) = (factorize(every[:, axis].astype(np.int64)) for axis in (0, 1))
    cut = len(tables[0])
    parts = [(user[rows], item[rows], every[rows, 2]) for rows in (slice(cut), slice(cut, None))]
    return _load_slice("KuaiRec", parts, (len(users), len(items)), "Licence: CC BY-SA 4.0.")


def _load_slice(
    name: str, parts: list[tuple[Any, ...]], sizes: tuple[int, ...], licence: str
) -> RandomSlice:
    chosen, drawn = (
        Interactions(*columns, n_users=sizes[0], n_items=sizes[1]) for columns in parts
    )
    print_terms(name, licence)
    return RandomSlice(name, chosen, drawn, licence)
