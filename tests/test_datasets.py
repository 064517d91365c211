"""The data that come with the workbook are the originals, small, and complete."""

from __future__ import annotations

import csv
import hashlib
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from recsys_metrics.datasets import (
    CONTENT_HASHES,
    _coat_yahoo_kuairec,
    _dataset_folders,
    _movielens,
    _packed,
    content_hash,
    fetch_movielens,
    load_coat,
    load_kuairec,
    load_movielens,
    load_open_bandit,
    load_yahoo_r3,
)

DATA = Path(__file__).parents[1] / "recsys_workbook_content"


@pytest.mark.parametrize("name", CONTENT_HASHES)
def test_data_files_match_their_hashes_and_are_small(name):
    assert content_hash(_packed.read_packed(name)) == CONTENT_HASHES[name]
    assert len(DATA.joinpath(f"{name}.npz.xz").read_bytes()) < 1_000_000


def test_each_third_party_file_has_its_licence():
    licence = (DATA / "LICENSE").read_text(encoding="utf-8")
    told = dict(re.findall(r"`([\w.]+\.xz)`.*?`(LICENSE-[\w-]+\.txt)`", licence, flags=re.DOTALL))
    theirs = {file.name for file in DATA.iterdir() if file.suffix == ".xz"}
    assert theirs == set(told)
    terms = {file.name for file in DATA.iterdir() if file.name.startswith("LICENSE-")}
    assert terms == set(told.values())
    for name in terms:
        assert "cite" in DATA.joinpath(name).read_text(encoding="utf-8")


def test_without_the_content_package_loading_raises(monkeypatch):
    monkeypatch.setattr(_packed, "content_folder", lambda: None)
    for load in (load_movielens, load_open_bandit):
        with pytest.raises(ImportError, match=r"pip install recsys-workbook-content$"):
            load()


def test_movielens_counts():
    films = load_movielens()
    log = films.interactions
    assert (len(log), log.n_users, log.n_items) == (100_004, 671, 9_066)
    assert len(films.titles) == len(films.genres) == len(films.years) == 9_066
    assert set(np.unique(log.rating)) == {half / 2 for half in range(1, 11)}
    assert np.bincount(log.user).min() == 20
    assert sum("title unknown" in title for title in films.titles) == (films.years == -1).sum() == 5
    toy_story = films.titles.index("Toy Story")
    assert films.years[toy_story] == 1995
    assert set(films.genres[toy_story]) == {
        "Adventure",
        "Animation",
        "Children",
        "Comedy",
        "Fantasy",
    }
    assert len(films.genres) == 9_066
    assert {name for names in films.genres for name in names} == set(films.genre_names)
    assert len(log.matrix().data) == 100_004  # nobody rates a film twice


def test_open_bandit_counts():
    total = 0
    for policy in ("random", "bts"):
        for campaign in ("all", "men", "women"):
            log = load_open_bandit(policy, campaign)
            total += len(log)
            assert set(np.unique(log.position)) == {1, 2, 3}
            assert (log.propensity > 0).all()
            assert (log.propensity <= 1).all()
            assert log.item.max() == log.n_items - 1
            if policy == "random":
                np.testing.assert_allclose(log.propensity, 1 / log.n_items, rtol=1e-12)
    assert total == 60_000
    assert load_open_bandit("random").click.sum() == 38
    assert load_open_bandit("bts").click.sum() == 42
    with pytest.raises(ValueError, match="policy must be one of 'random', 'bts'; got 'greedy'"):
        load_open_bandit("greedy")


def test_loaded_data_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        load_movielens().interactions.rating[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        load_open_bandit().click[0] = 1


@pytest.fixture
def archives(tmp_path, monkeypatch):
    """Two tiny archives in GroupLens' formats, and their hashes in place of the real ones."""
    with zipfile.ZipFile(tmp_path / "ml-1m.zip", "w") as archive:
        archive.writestr("ml-1m/ratings.dat", "1::20::5::978300760\n2::10::3::978302109\n")
        archive.writestr("ml-1m/users.dat", "2::M::56::16::70072\n1::F::1::10::48067\n")
        archive.writestr(
            "ml-1m/movies.dat",
            "20::Misérables, Les (1995)::Drama|Musical\n10::GoldenEye (1995)::Action\n".encode(
                "latin-1"
            ),
        )
    with zipfile.ZipFile(tmp_path / "ml-25m.zip", "w") as archive:
        archive.writestr("ml-25m/ratings.csv", "userId,movieId,rating,timestamp\n7,10,4.5,99\n")
        archive.writestr(
            "ml-25m/movies.csv",
            'movieId,title,genres\n10,"Misérables, Les (1995)",Drama\n'
            "11,Pilot,(no genres listed)\n",
        )
    hashes = {
        edition: (name, hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
        for edition, name in (("1m", "ml-1m.zip"), ("25m", "ml-25m.zip"))
    }
    monkeypatch.setattr(_movielens, "_EDITIONS", hashes)
    return tmp_path


def test_a_manually_placed_archive_is_verified_and_used(archives):
    pytest.importorskip("pooch", reason="pooch is not installed")
    one = fetch_movielens("1m", directory=archives)
    assert one.titles == ("GoldenEye", "Misérables, Les")
    assert one.film_ids.tolist() == [10, 20]
    assert one.interactions.matrix("rating").toarray().tolist() == [[0, 5], [3, 0]]
    assert one.interactions.timestamp.tolist() == [978300760, 978302109]
    assert (one.gender.tolist(), one.age.tolist()) == (["F", "M"], [1, 56])
    many = fetch_movielens("25m", directory=archives)
    assert (many.titles, many.years.tolist()) == (("Misérables, Les", "Pilot"), [1995, -1])
    assert many.genres == (("Drama",), ())
    assert many.interactions.rating.tolist() == [4.5]
    assert (many.gender, many.age) == (None, None)


def test_a_damaged_archive_raises(archives):
    pytest.importorskip("pooch", reason="pooch is not installed")
    with (archives / "ml-1m.zip").open("ab") as archive:
        archive.write(b"x")
    with pytest.raises(ValueError, match=r"ml-1m\.zip is not the archive GroupLens publishes"):
        fetch_movielens("1m", directory=archives)


def test_the_archive_that_was_checked_is_the_one_that_is_read(archives, tmp_path, monkeypatch):
    pytest.importorskip("pooch", reason="pooch is not installed")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("ml-1m/ratings.dat", "1::15::5::978300760\n")
        archive.writestr("ml-1m/movies.dat", "15::Other (1995)::Drama\n")

    def swap(*_):
        (tmp_path / "other.zip").replace(archives / "ml-1m.zip")

    expected = fetch_movielens("1m", directory=archives).titles
    monkeypatch.setattr(_movielens, "print_terms", swap)
    assert fetch_movielens("1m", directory=archives).titles == expected
    assert not (tmp_path / "other.zip").exists()


def test_a_rated_film_missing_from_the_film_list_raises(tmp_path):
    with zipfile.ZipFile(tmp_path / "ml-1m.zip", "w") as archive:
        archive.writestr("ml-1m/ratings.dat", "1::15::5::978300760\n")
        archive.writestr("ml-1m/movies.dat", "10::A (1995)::Drama\n20::B (1996)::Drama\n")
    with pytest.raises(ValueError, match="rates film 15 and does not list it"):
        _movielens._read_archive(tmp_path / "ml-1m.zip", "1m")


def test_downloads_work_with_and_without_tqdm(tmp_path, monkeypatch):
    pooch = pytest.importorskip("pooch", reason="pooch is not installed")
    asked = {}

    def record(url, **options):
        asked.update(options)
        raise OSError("no route to host")

    monkeypatch.setattr(pooch, "retrieve", record)
    with pytest.raises(ConnectionError):
        fetch_movielens("1m", directory=tmp_path)
    pooch.HTTPDownloader(progressbar=asked["progressbar"])  # refuses a bar without tqdm


def test_without_a_network_the_error_explains_the_manual_download(tmp_path, monkeypatch):
    pooch = pytest.importorskip("pooch", reason="pooch is not installed")

    def no_network(*args, **kwargs):
        raise OSError("no route to host")

    monkeypatch.setattr(pooch, "retrieve", no_network)
    with pytest.raises(ConnectionError) as problem:
        fetch_movielens("25m", directory=tmp_path)
    message = str(problem.value)
    assert "https://files.grouplens.org/datasets/movielens/ml-25m.zip" in message
    assert str(tmp_path) in message
    with pytest.raises(ValueError, match="edition must be one of '1m', '25m'; got '100k'"):
        fetch_movielens("100k")


def test_without_lzma_only_loading_data_raises():
    code = (
        "import sys; sys.modules['lzma'] = None\n"
        "from recsys_metrics import datasets\n"
        "try: datasets.load_movielens()\n"
        "except ImportError as problem: print(problem)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(
        "movielens_latest_small is packed with xz, and this Python has no"
    )


@pytest.mark.parametrize(
    ("people", "wrong"),
    [("1::F::1::10::48067\n", "no line for user 2"), ("1::X::1::1::1\n2::M::25::1::1\n", "user 1")],
)
def test_an_invalid_user_table_raises(tmp_path, people, wrong):
    with zipfile.ZipFile(tmp_path / "ml-1m.zip", "w") as archive:
        archive.writestr("ml-1m/ratings.dat", "1::10::5::9\n2::10::3::9\n")
        archive.writestr("ml-1m/movies.dat", "10::A (1995)::Drama\n")
        archive.writestr("ml-1m/users.dat", people)
    with pytest.raises(ValueError, match=wrong):
        _movielens._read_archive(tmp_path / "ml-1m.zip", "1m")


# The whole of the Open Bandit data ---------------------------------------------------------------


def as_published(log, *, n_affinities):
    """Return a log as the rows of its published table."""
    traits = [f"user_feature_{i}" for i in range(4)]
    affinities = [f"user-item_affinity_{i}" for i in range(n_affinities)]
    yield [
        "",
        "timestamp",
        "item_id",
        "position",
        "click",
        "propensity_score",
        *traits,
        *affinities,
    ]
    for row in range(len(log)):
        moment = datetime.fromtimestamp(log.timestamp[row] / 1000, tz=UTC)
        likes = [0.0] * n_affinities
        likes[log.item[row]] = log.affinity[row]
        # Hashes whose order is that of the numbers.
        hashed = [f"{trait:04x}e" for trait in log.user_features[row].tolist()]
        yield [
            row,
            moment.isoformat(timespec="microseconds"),
            *(log.item[row], log.position[row], log.click[row], float(log.propensity[row])),
            *hashed,
            *likes,
        ]


@pytest.fixture
def published(tmp_path):
    """The men's part of the sample as its tables were published."""
    pytest.importorskip("polars", reason="the extra `frames` is not installed")
    for policy in ("random", "bts"):
        file = tmp_path / policy / "men" / "men.csv"
        file.parent.mkdir(parents=True)
        log = load_open_bandit(policy, "men")
        with file.open("w", newline="") as out:
            csv.writer(out).writerows(as_published(log, n_affinities=log.n_items))
    return tmp_path


def test_the_full_log_is_read_like_the_sample(published, capsys):
    tell_terms = _dataset_folders.print_terms
    tell_terms.cache_clear()
    whole, sample = (
        load_open_bandit("bts", "men", directory=published),
        load_open_bandit("bts", "men"),
    )
    assert (
        capsys.readouterr().err == "Open Bandit: licence CC BY 4.0; cite Saito and others (2020).\n"
    )
    for name in ("timestamp", "item", "position", "click", "propensity", "affinity"):
        found, known = getattr(whole, name), getattr(sample, name)
        assert found.dtype == known.dtype
        np.testing.assert_array_equal(found, known)
    np.testing.assert_array_equal(whole.user_features, sample.user_features)
    assert (whole.n_items, whole.n_positions) == (sample.n_items, 3)
    assert repr(whole) == repr(sample).replace("sample", "data")
    load_open_bandit("bts", "men", directory=published)
    assert capsys.readouterr().err == ""  # terms are told once


def test_the_folder_of_the_full_log_may_have_the_signs_of_a_pattern(published, tmp_path):
    folder = tmp_path / "logs [new]*"
    folder.mkdir()
    (published / "random").rename(folder / "random")
    (published / "bts").rename(folder / "bts")
    assert load_open_bandit("bts", "men", directory=folder).n_items == 34


def test_files_that_differ_from_the_published_tables_raise(published):
    with pytest.raises(FileNotFoundError, match=r"has no random/all/all\.csv and no bts/all/all"):
        load_open_bandit("bts", "all", directory=published)
    file = published / "bts" / "men" / "men.csv"
    text = file.read_text()
    file.write_text(text.replace("propensity_score", "pscore", 1))
    with pytest.raises(ValueError, match=r"men\.csv lacks the column propensity_score; its"):
        load_open_bandit("bts", "men", directory=published)
    file.write_text(text.replace("2019-", "in 2019-", 1))
    with pytest.raises(ValueError, match=r"men\.csv is not of the published form"):
        load_open_bandit("bts", "men", directory=published)


def test_without_polars_the_full_log_raises(tmp_path, monkeypatch, published):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r'pip install "recsys-workbook\[frames\]"'):
        load_open_bandit("bts", "men", directory=published)
    # Who has no data needs no Polars either to be told so.
    with pytest.raises(FileNotFoundError, match="Download the data"):
        load_open_bandit("bts", "men", directory=tmp_path / "nowhere")


def test_the_default_data_folder_is_the_user_cache(tmp_path, monkeypatch):
    platformdirs = pytest.importorskip("platformdirs", reason="platformdirs is not installed")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / name)
    with pytest.raises(FileNotFoundError) as missing:
        load_coat()
    assert str(tmp_path / "recsys-workbook" / "coat") in str(missing.value)
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    with pytest.raises(ImportError, match="give directory="):
        load_kuairec()


# Data with a slice that nobody chose -----------------------------------------------------------


def test_coat_is_read_from_two_dense_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(_coat_yahoo_kuairec, "_COAT", (2, 3))
    (tmp_path / "train.ascii").write_text("0 5 0\n3 0 0\n")
    with pytest.raises(FileNotFoundError, match=r"has no test\.ascii\. Download https://www\.cs"):
        load_coat(tmp_path)
    (tmp_path / "test.ascii").write_text("1 0 0\n0 0 2\n")
    coats = load_coat(tmp_path)
    assert coats.self_selected.matrix("rating").toarray().tolist() == [[0, 5, 0], [3, 0, 0]]
    assert coats.random.matrix("rating").toarray().tolist() == [[1, 0, 0], [0, 0, 2]]
    assert repr(coats).startswith("Coat: 2 self-selected ratings and 2 of randomly")
    assert coats.licence in repr(coats)
    (tmp_path / "test.ascii").write_text("1 0 0\n0 0 6\n")
    with pytest.raises(ValueError, match=r"test\.ascii is not Coat's table.*values go from 0 to 6"):
        load_coat(tmp_path)
    (tmp_path / "test.ascii").write_text("1 0\n0 0\n")
    with pytest.raises(ValueError, match=r"its shape is \(2, 2\)"):
        load_coat(tmp_path)


def test_yahoo_ids_start_at_1(tmp_path):
    start = "ydata-ymusic-rating-study-v1_0-"
    with pytest.raises(FileNotFoundError, match=r"train\.txt and no .*test\.txt\. Ask Yahoo's"):
        load_yahoo_r3(tmp_path)
    (tmp_path / f"{start}train.txt").write_text("1\t14\t5\n3\t2\t1\n")
    (tmp_path / f"{start}test.txt").write_text("1\t4\t2\n")
    songs = load_yahoo_r3(tmp_path)
    assert songs.self_selected.user.tolist() == [0, 2]
    assert songs.self_selected.item.tolist() == [13, 1]
    assert songs.random.rating.tolist() == [2]
    assert (songs.random.n_users, songs.random.n_items) == (3, 14)
    for wrong in ("0\t1\t5\n", "1\t1\t6\n", "1\t1\n", "1\t1\t2.5\n"):
        (tmp_path / f"{start}test.txt").write_text(wrong)
        with pytest.raises(ValueError, match="a row is user, song and rating"):
            load_yahoo_r3(tmp_path)


def test_kuairec_tables_share_their_numbering(tmp_path):
    header = "user_id,video_id,play_duration,video_duration,time,date,timestamp,watch_ratio\n"
    with pytest.raises(
        FileNotFoundError, match=r"big_matrix\.csv.* as described at https://kuairec\.com"
    ):
        load_kuairec(tmp_path)
    (tmp_path / "big_matrix.csv").write_text(
        header + "0,3649,13838,10867,2020-07-05 00:08:23.438,20200705,1593878903.438,1.273397\n"
        "7,5,100,200,2020-07-05 00:08:24.1,20200705,1593878904.1,0.5\n"
    )
    # A row of the small table may lack its times.
    (tmp_path / "small_matrix.csv").write_text(header + "7,3649,300,200,,,,1.5\n")
    videos = load_kuairec(tmp_path)
    assert videos.self_selected.matrix("rating").toarray().tolist() == [[0, 1.273397], [0.5, 0]]
    assert videos.random.matrix("rating").toarray().tolist() == [[0, 0], [0, 1.5]]
    assert "CC BY-SA 4.0" in repr(videos)
    (tmp_path / "small_matrix.csv").write_text("user_id,video_id\n7,3649\n")
    with pytest.raises(ValueError, match="lacks the column watch_ratio"):
        load_kuairec(tmp_path)
    (tmp_path / "small_matrix.csv").write_text(header + "7,3649,300,200,,,,-1\n")
    with pytest.raises(ValueError, match="a watch ratio below 0: -1"):
        load_kuairec(tmp_path)
