"""Real data that comes with the workbook, and larger editions to fetch.

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._checks import check_choice
from recsys_metrics._distribution import CONTENT, DISTRIBUTION, content_folder, how_to_install
from recsys_metrics._sorted import factorize, is_in
from recsys_metrics.interactions import Interactions

__all__ = [
    "CONTENT_HASHES",
    "MovieLens",
    "OpenBandit",
    "RandomSlice",
    "content_hash",
    "fetch_movielens",
    "load_coat",
    "load_kuairec",
    "load_movielens",
    "load_open_bandit",
    "load_yahoo_r3",
]


def __dir__() -> list[str]:
    return __all__


# Of the columns, not of the compressed bytes, which may differ with the compressor.
CONTENT_HASHES: Mapping[str, str] = {
    "movielens_latest_small": "6de8dbff8625f14de8069b67456ea6464477d5c1a4e1e13253e9372f4be8b334",
    "open_bandit_sample": "0e19bd1d9d730b8414c035dbfa79e7e072ef029f0e68d29876cdb9550ce04402",
}
"""SHA-256 of the columns of each data set that comes with the workbook, by its name."""

Policy = Literal["random", "bts"]
Campaign = Literal["all", "men", "women"]
Edition = Literal["1m", "25m"]
# Name and SHA-256. GroupLens publishes an MD5 only, which no longer tells a forged archive; these
# are of TensorFlow Datasets, tensorflow_datasets/url_checksums/movielens.txt, with the sizes
# 5,917,549 and 261,978,986 bytes.
_EDITIONS: dict[str, tuple[str, str]] = {
    "1m": ("ml-1m.zip", "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20"),
    "25m": ("ml-25m.zip", "8b21cfb7eb1706b4ec0aac894368d90acf26ebdfb6aced3ebd4ad5bd1eb9c6aa"),
}
_COAT = (290, 300)
_AGES = (1, 18, 25, 35, 45, 50, 56)
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

    def genre_matrix(self) -> NDArray[np.float64]:
        """Return films x genres, 1 where a film has the genre."""
        place = {name: column for column, name in enumerate(self.genre_names)}
        table = np.zeros((len(self.genres), len(place)))
        for film, names in enumerate(self.genres):
            table[film, [place[name] for name in names]] = 1.0
        return table

    def __repr__(self) -> str:
        log = self.interactions
        return (
            f"MovieLens {self.edition}: {len(log):,} ratings of {log.n_items:,} films "
            f"by {log.n_users:,} users"
        )


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

    def __len__(self) -> int:
        return len(self.click)

    def __repr__(self) -> str:
        return (
            f"OpenBandit sample, policy {self.policy!r}, campaign {self.campaign!r}: "
            f"{len(self):,} shown, {int(self.click.sum())} clicked, {self.n_items} items"
        )


def load_movielens() -> MovieLens:
    """Load MovieLens latest-small, which comes with the workbook.

    Returns
    -------
    MovieLens
        100,004 ratings of 9,066 films by 671 users, from January 1995 to October 2016.

    Raises
    ------
    ImportError
        If only the library is installed.

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
    columns = _read("movielens_latest_small")
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
        years=_frozen(columns["year"]),
        genres=tuple(tuple(names.split("|")) if names else () for names in genres),
        user_ids=_frozen(columns["user_ids"]),
        film_ids=_frozen(columns["film_ids"]),
        edition="latest-small",
    )


def load_open_bandit(
    policy: Policy = "random",
    campaign: Campaign = "all",
) -> OpenBandit:
    """Load a part of the Open Bandit sample, which comes with the workbook.

    Parameters
    ----------
    policy : {"random", "bts"}
        Who chose what to show: chance, or Bernoulli Thompson sampling.
    campaign : {"all", "men", "women"}
        The part of the shop.

    Returns
    -------
    OpenBandit
        10,000 items shown.

    Raises
    ------
    ValueError
        If there is no such policy or campaign.
    ImportError
        If only the library is installed.

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
    every = _read("open_bandit_sample")
    key = f"{policy}_{campaign}_"
    columns: dict[str, Any] = {
        name[len(key) :]: _frozen(c) for name, c in every.items() if name.startswith(key)
    }
    features = np.column_stack([columns.pop(f"user_feature_{i}") for i in range(4)])
    item = columns.pop("item_id")
    return OpenBandit(
        policy=policy,
        campaign=campaign,
        item=item,
        user_features=_frozen(features),
        n_items=int(item.max()) + 1,
        **columns,
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
    if edition not in _EDITIONS:
        raise ValueError(
            f"edition must be one of {', '.join(map(repr, _EDITIONS))}; got {edition!r}. "
            "The small edition comes with the workbook: load_movielens()"
        )
    name, sha256 = _EDITIONS[edition]
    try:
        import pooch
    except ImportError:
        raise ImportError(
            "fetch_movielens needs pooch to download and check files; install it with "
            f"{how_to_install('workbook')} or pip install pooch"
        ) from None
    folder = Path(directory) if directory is not None else Path(pooch.os_cache(DISTRIBUTION))
    archive = folder / name
    if archive.exists() and pooch.file_hash(str(archive), alg="sha256") != sha256:
        raise ValueError(
            f"{archive} is not the archive GroupLens publishes (its SHA-256 is not {sha256}); "
            "it may have been cut short. Delete it and fetch again"
        )
    if not archive.exists():
        try:
            pooch.retrieve(
                _GROUPLENS + name,
                known_hash=f"sha256:{sha256}",
                fname=name,
                path=folder,
                # pooch refuses to start where a bar is asked for and tqdm is not installed.
                progressbar=find_spec("tqdm") is not None,
            )
        except Exception as problem:
            raise ConnectionError(
                f"could not fetch MovieLens {edition} ({problem}). Without a network, download "
                f"{_GROUPLENS}{name} elsewhere and put it into {folder}, then call this again"
            ) from problem
    return _read_archive(archive, edition)


@dataclass(frozen=True, eq=False, repr=False)
class RandomSlice:
    """Ratings that people or a recommender chose, and others of items that nobody chose.

    What a method learns or claims from the first can be held against the second, in which no
    rating is missing for the sake of its value.

    Attributes
    ----------
    name : str
    chosen : Interactions
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
    >>> float(invented.chosen.rating.mean()), float(invented.random.rating.mean())
    (4.5, 1.5)
    """

    name: str
    chosen: Interactions
    random: Interactions
    licence: str

    def __repr__(self) -> str:
        return (
            f"{self.name}: {len(self.chosen):,} ratings as they came about and "
            f"{len(self.random):,} of items nobody chose, {self.chosen.n_users:,} users, "
            f"{self.chosen.n_items:,} items. {self.licence}"
        )


def load_coat(directory: str | Path) -> RandomSlice:
    """Load Coat: coats that people rated by choice, and sixteen each at random.

    Parameters
    ----------
    directory : path
        Where ``train.ascii`` and ``test.ascii`` lie.

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

    References
    ----------
    Schnabel, Swaminathan, Singh, Chandak and Joachims (2016), Recommendations as treatments:
    debiasing learning and evaluation, ICML.

    Examples
    --------
    >>> coats = load_coat("coat")  # doctest: +SKIP
    """
    paths = _files(
        directory,
        ("train.ascii", "test.ascii"),
        "Download https://www.cs.cornell.edu/~schnabts/mnar/coat.zip and unpack it there",
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
    return _slice("Coat", parts, _COAT, "Its description names no licence; ask before sharing.")


def load_yahoo_r3(directory: str | Path) -> RandomSlice:
    """Load Yahoo! R3: songs that people rated by choice, and ten each at random.

    Parameters
    ----------
    directory : path
        Where ``ydata-ymusic-rating-study-v1_0-train.txt`` and ``…-test.txt`` lie.

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
    paths = _files(
        directory,
        (f"{start}train.txt", f"{start}test.txt"),
        "Ask Yahoo's Webscope programme for the data set R3 (it asks for an agreement) and put "
        "both files there",
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
    return _slice(
        "Yahoo! R3", parts, sizes, "The agreement that comes with the files says what is allowed."
    )


def load_kuairec(directory: str | Path) -> RandomSlice:
    """Load KuaiRec: videos as they were recommended, and a table in which nearly all was watched.

    Parameters
    ----------
    directory : path
        Where ``big_matrix.csv`` and ``small_matrix.csv`` lie.

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
    paths = _files(
        directory,
        ("big_matrix.csv", "small_matrix.csv"),
        "Download KuaiRec as https://kuairec.com says and give the folder data of it",
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
    return _slice("KuaiRec", parts, (len(users), len(items)), "Licence: CC BY-SA 4.0.")


def _files(directory: str | Path, names: tuple[str, ...], cure: str) -> list[Path]:
    """Return the paths of files that somebody put into a folder."""
    folder = Path(directory)
    lacking = [name for name in names if not (folder / name).is_file()]
    if lacking:
        raise FileNotFoundError(f"{folder} has no {' and no '.join(lacking)}. {cure}")
    return [folder / name for name in names]


def _slice(
    name: str, parts: list[tuple[Any, ...]], sizes: tuple[int, ...], licence: str
) -> RandomSlice:
    chosen, drawn = (
        Interactions(*columns, n_users=sizes[0], n_items=sizes[1]) for columns in parts
    )
    return RandomSlice(name, chosen, drawn, licence)


def content_hash(columns: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of named columns: names, types and values.

    Examples
    --------
    >>> content_hash({"user": np.array([0, 1], dtype=np.int32)})[:8]
    'f1d9ac2d'
    """
    digest = hashlib.sha256()
    for name in sorted(columns):
        column = np.ascontiguousarray(columns[name])
        digest.update(f"{name} {column.dtype.str} {column.shape}\n".encode())
        digest.update(column.tobytes())
    return digest.hexdigest()


def _read(name: str) -> dict[str, NDArray[Any]]:
    folder = content_folder()
    if folder is None:
        raise ImportError(
            f"{name} comes with the chapters, in a package of its own, since MovieLens is not for "
            f"commercial use; install it with pip install {CONTENT}"
        )
    try:
        # Not every Python is built with it; those of a browser leave it out.
        import lzma
    except ImportError:
        raise ImportError(
            f"{name} is packed with xz, and this Python has no lzma module to unpack it; install "
            "Python's lzma (with Pyodide: await pyodide.loadPackage('lzma'))"
        ) from None
    packed = (folder / f"{name}.npz.xz").read_bytes()
    with np.load(io.BytesIO(lzma.decompress(packed)), allow_pickle=False) as columns:
        return {key: columns[key] for key in columns.files}


def _frozen(column: NDArray[Any]) -> NDArray[Any]:
    column.flags.writeable = False
    return column


def _read_archive(archive: Path, edition: str) -> MovieLens:
    """Read one of GroupLens' archives: ml-1m's :: tables or ml-25m's CSV."""
    with zipfile.ZipFile(archive) as files:
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
    titles, years = zip(*(_title_and_year(film[1]) for film in listed), strict=True)
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
        years=_frozen(np.array(years, dtype=np.int16)),
        genres=tuple(
            () if film[2] == "(no genres listed)" else tuple(film[2].split("|")) for film in listed
        ),
        user_ids=_frozen(user_ids),
        film_ids=_frozen(film_ids),
        edition=edition,
        **({} if people is None else _who(people.decode("latin-1"), user_ids, archive)),
    )


def _who(text: str, user_ids: NDArray[np.int32], archive: Path) -> dict[str, Any]:
    """Return gender and age of the users, from UserID::Gender::Age::Occupation::Zip-code."""
    rows = [line.split("::") for line in text.splitlines() if line]
    said = {int(row[0]): (row[1], int(row[2])) for row in rows}
    strange = [one for one, (sex, age) in said.items() if sex not in "FM" or age not in _AGES]
    absent = [one for one in user_ids.tolist() if one not in said]
    if strange or absent:
        wrong = f"no line for user {absent[0]}" if absent else f"what user {strange[0]} said"
        raise ValueError(
            f"users.dat of {archive} is not of MovieLens' form: {wrong}; delete it and fetch again"
        )
    gender, age = zip(*(said[one] for one in user_ids.tolist()), strict=True)
    return {"gender": _frozen(np.array(gender)), "age": _frozen(np.array(age, dtype=np.int16))}


def _title_and_year(text: str) -> tuple[str, int]:
    """Split "Heat (1995)" into title and year; -1 where there is none."""
    found = re.fullmatch(r"(.*\S)\s*\((\d{4})\)\s*", text)
    return (found[1], int(found[2])) if found else (text.strip(), -1)
