"""MovieLens: the small edition that comes with the workbook, and larger ones to fetch."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import is_one_of
from recsys_metrics._core.package_names import how_to_install
from recsys_metrics._core.sorted_arrays import factorize, is_in
from recsys_metrics.datasets._dataset_folders import (
    DatasetNotFoundError,
    data_folder,
    print_terms,
    read_directory,
)
from recsys_metrics.datasets._packed import make_read_only, read_packed
from recsys_metrics.interactions import Interactions

Edition = Literal["1m", "25m"]
# Name and SHA-256. GroupLens publishes an MD5 only, which no longer tells a forged archive; these
# are of TensorFlow Datasets, tensorflow_datasets/url_checksums/movielens.txt, with the sizes
# 5,917,549 and 261,978,986 bytes.
_EDITIONS: dict[str, tuple[str, str]] = {
    "1m": ("ml-1m.zip", "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20"),
    "25m": ("ml-25m.zip", "8b21cfb7eb1706b4ec0aac894368d90acf26ebdfb6aced3ebd4ad5bd1eb9c6aa"),
}
_AGES = (1, 18, 25, 35, 45, 50, 56)
_TERMS = "not for commercial use unless GroupLens allows it; cite Harper and Konstan (2015)."
_GROUPLENS = "https://files.grouplens.org/datasets/movielens/"


@dataclass(frozen=True, eq=False, repr=False)
class MovieLens:
    """Ratings of films by the users of MovieLens.

    Attributes
    ----------
    interactions : Interactions
        Stars from half a star to five, with the time of the rating.
    titles : tuple of str
        Title of each film, by its number.
    years : (n_items,) array of int
        Year of release, -1 where it is not known.
    genres : tuple of tuple of str
        Genres of each film; empty where none is listed.
    user_ids, film_ids : arrays of int
        The ids of MovieLens for each number.
    edition : str
        Which edition this is.
    gender : (n_users,) array of str, optional
        "F" or "M", as each user said; only in the edition with a million ratings.
    age : (n_users,) array of int, optional
        Lowest age of each user's range: 1, 18, 25, 35, 45, 50 or 56; as `gender`.

    Examples
    --------
    >>> films = load_movielens()
    >>> films.titles[0], films.genres[0][:2]
    ('Toy Story', ('Adventure', 'Animation'))
    """

    interactions: Interactions
    titles: tuple[str, ...]
    years: NDArray[np.int16]
    genres: tuple[tuple[str, ...], ...]
    user_ids: NDArray[np.int32]
    film_ids: NDArray[np.int32]
    edition: str
    gender: NDArray[np.str_] | None = None
    age: NDArray[np.int16] | None = None

    @property
    def genre_names(self) -> tuple[str, ...]:
        """All genres, in alphabetical order."""
        return tuple(sorted({name for names in self.genres for name in names}))

    def __repr__(self) -> str:
        log = self.interactions
        return (
            f"MovieLens {self.edition}: {len(log):,} ratings of {log.n_items:,} films "
            f"by {log.n_users:,} users"
        )


def load_movielens(edition: Literal["latest-small"] | Edition = "latest-small") -> MovieLens:
    """Load MovieLens: the small edition, which comes with the workbook, or one that was fetched.

    Parameters
    ----------
    edition : {"latest-small", "1m", "25m"}
        The last two are looked for where `fetch_movielens` puts them; nothing is downloaded.

    Returns
    -------
    MovieLens
        The small edition has 100,004 ratings of 9,066 films by 671 users, from January 1995 to
        October 2016.

    Raises
    ------
    ImportError
        If only the library is installed.
    DatasetNotFoundError
        If the edition was not fetched.
    ValueError
        If there is no such edition, or its archive is damaged.

    Notes
    -----
    Five films have neither title nor year in the source; they are called "Film … (title
    unknown)". Users and films are numbered in the order of their MovieLens ids.

    The data are for non-commercial use; see `recsys_workbook_content/LICENSE-movielens.txt`.

    References
    ----------
    Harper and Konstan (2015), The MovieLens datasets: history and context, ACM TiiS 5(4).

    Examples
    --------
    >>> from recsys_metrics.datasets import load_movielens
    >>> load_movielens()
    MovieLens latest-small: 100,004 ratings of 9,066 films by 671 users
    """
    if not is_one_of(edition, ("latest-small",)):
        name, _ = _archive_of(edition)
        if not (data_folder() / name).exists():
            raise DatasetNotFoundError(
                f"MovieLens {edition}",
                f'fetch_movielens("{edition}") downloads it, once',
                f"{data_folder()} has no {name}",
            )
        return _read_verified_archive(data_folder() / name, edition)
    columns = read_packed("movielens_latest_small")
    titles = tuple(columns["titles"].tobytes().decode().split("\n"))
    genres = columns["genres"].tobytes().decode().split("\n")
    return MovieLens(
        interactions=Interactions(
            columns["user"],
            columns["item"],
            columns["half_stars"] / 2,
            columns["timestamp"],
            n_users=len(columns["user_ids"]),
            n_items=len(titles),
        ),
        titles=titles,
        years=make_read_only(columns["year"]),
        genres=tuple(tuple(names.split("|")) if names else () for names in genres),
        user_ids=make_read_only(columns["user_ids"]),
        film_ids=make_read_only(columns["film_ids"]),
        edition="latest-small",
    )


def fetch_movielens(edition: Edition, *, directory: str | Path | None = None) -> MovieLens:
    """Fetch a larger edition of MovieLens from GroupLens, once, and load it.

    Parameters
    ----------
    edition : {"1m", "25m"}
        One or twenty-five million ratings.
    directory : path, optional
        Where the archive is kept. By default the user's cache folder. An archive that already
        lies there is checked and used, so it can be put there by hand.

    Returns
    -------
    MovieLens

    Raises
    ------
    ValueError
        If there is no such edition, or the archive is damaged.
    ImportError
        If pooch, which does the fetching, is not installed.
    ConnectionError
        If the archive can neither be found nor fetched; the message says what to put where.

    Examples
    --------
    The first time needs a network.

    >>> films = fetch_movielens("1m")  # doctest: +SKIP
    """
    name, sha256 = _archive_of(edition)
    try:
        import pooch
    except ImportError:
        raise ImportError(
            "fetch_movielens needs pooch to download and check files; install it with "
            f"pip install pooch, or {how_to_install('workbook')}"
        ) from None
    there = data_folder() if directory is None else read_directory(directory)
    archive = there / name
    if not archive.exists():
        try:
            pooch.retrieve(
                _GROUPLENS + name,
                known_hash=f"sha256:{sha256}",
                fname=name,
                path=there,
                # pooch refuses to start where a bar is asked for and tqdm is not installed.
                progressbar=find_spec("tqdm") is not None,
            )
        except Exception as problem:
            raise ConnectionError(
                f"could not fetch MovieLens {edition} ({problem}). Without a network, download "
                f"{_GROUPLENS}{name} elsewhere and put it into {there}, then call this again"
            ) from problem
    return _read_verified_archive(archive, edition)


def _archive_of(edition: str) -> tuple[str, str]:
    """Return the name and the SHA-256 of an edition's archive."""
    if not is_one_of(edition, _EDITIONS):
        raise ValueError(
            f"edition must be one of {', '.join(map(repr, _EDITIONS))}; got {edition!r:.60}. "
            "The small edition comes with the workbook: load_movielens()"
        )
    return _EDITIONS[edition]


def _read_verified_archive(archive: Path, edition: str) -> MovieLens:
    """Read an archive if it is the published one."""
    _, sha256 = _archive_of(edition)
    with archive.open("rb") as packed:
        found = hashlib.file_digest(packed, "sha256").hexdigest()
        if found != sha256:
            raise ValueError(
                f"{archive} is not the archive GroupLens publishes (its SHA-256 is not {sha256}); "
                "it may be incomplete. Delete it and fetch again"
            )
        print_terms(f"MovieLens {edition}", _TERMS)
        # What was checked is read, and not what has that name by now.
        return _read_archive(archive, edition, packed)


def _read_archive(archive: Path, edition: str, packed: Any = None) -> MovieLens:
    """Read one of GroupLens' archives: ml-1m's :: tables or ml-25m's CSV."""
    with zipfile.ZipFile(archive if packed is None else packed) as files:
        inside = {Path(name).name: name for name in files.namelist()}
        dat = "ratings.dat" in inside
        ratings = files.read(inside["ratings.dat" if dat else "ratings.csv"])
        films = files.read(inside["movies.dat" if dat else "movies.csv"])
        people = files.read(inside["users.dat"]) if "users.dat" in inside else None
    rows = np.loadtxt(
        io.BytesIO(ratings.replace(b"::", b",")), delimiter=",", skiprows=0 if dat else 1, ndmin=2
    )
    if dat:
        listed = [line.split("::") for line in films.decode("latin-1").splitlines() if line]
    else:
        listed = list(csv.reader(io.StringIO(films.decode("utf-8"))))[1:]
    film_ids = np.array([int(film[0]) for film in listed], dtype=np.int32)
    order = np.argsort(film_ids)
    film_ids = film_ids[order]
    rated = rows[:, 1].astype(np.int32)
    unlisted = rated[~is_in(rated, film_ids)]
    if len(unlisted):
        raise ValueError(
            f"{archive} rates film {unlisted.min()} and does not list it; delete it and fetch again"
        )
    listed = [listed[i] for i in order]
    user_ids, user = factorize(rows[:, 0].astype(np.int32))
    titles, years = zip(*(_split_title(film[1]) for film in listed), strict=True)
    return MovieLens(
        interactions=Interactions(
            user,
            np.searchsorted(film_ids, rated),
            rows[:, 2],
            rows[:, 3].astype(np.int64),
            n_users=len(user_ids),
            n_items=len(film_ids),
        ),
        titles=titles,
        years=make_read_only(np.array(years, dtype=np.int16)),
        genres=tuple(
            () if film[2] == "(no genres listed)" else tuple(film[2].split("|")) for film in listed
        ),
        user_ids=make_read_only(user_ids),
        film_ids=make_read_only(film_ids),
        edition=edition,
        **({} if people is None else _read_users(people.decode("latin-1"), user_ids, archive)),
    )


def _read_users(text: str, user_ids: NDArray[np.int32], archive: Path) -> dict[str, Any]:
    """Return gender and age of the users, from UserID::Gender::Age::Occupation::Zip-code."""
    rows = [line.split("::") for line in text.splitlines() if line]
    said = {int(row[0]): (row[1], int(row[2])) for row in rows}
    strange = [one for one, (sex, age) in said.items() if sex not in "FM" or age not in _AGES]
    absent = [one for one in user_ids.tolist() if one not in said]
    if strange or absent:
        wrong = f"no line for user {absent[0]}" if absent else f"the line of user {strange[0]}"
        raise ValueError(
            f"users.dat of {archive} is not of MovieLens' form: {wrong}; delete it and fetch again"
        )
    gender, age = zip(*(said[one] for one in user_ids.tolist()), strict=True)
    return {
        "gender": make_read_only(np.array(gender)),
        "age": make_read_only(np.array(age, dtype=np.int16)),
    }


def _split_title(text: str) -> tuple[str, int]:
    """Split "Heat (1995)" into title and year; -1 where there is none."""
    found = re.fullmatch(r"(.*\S)\s*\((\d{4})\)\s*", text)
    return (found[1], int(found[2])) if found else (text.strip(), -1)
