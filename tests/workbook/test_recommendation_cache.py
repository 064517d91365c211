"""Lists that are kept: the answer or nothing, whoever else writes, whatever a file holds."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import numpy as np
import pytest

from recsys_metrics import rank_from_scores
from recsys_metrics._core.package_names import USER_FOLDER
from recsys_metrics.baselines import EASE, ItemKNN, Popularity, RandomScores
from recsys_metrics.interactions import Interactions
from recsys_metrics.workbook.experiments import recommendation_cache
from recsys_metrics.workbook.experiments.movielens import keep_liked, movielens_experiment

RNG = np.random.default_rng(0)
TRAIN = Interactions(
    user=RNG.integers(12, size=60), item=RNG.integers(9, size=60), n_users=12, n_items=9
)
OTHER = Interactions(user=TRAIN.user[1:], item=TRAIN.item[1:], n_users=12, n_items=9)
USERS = np.array([0, 3, 7])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(recommendation_cache.VARIABLE, str(tmp_path / "lists"))
    return tmp_path / "lists"


def lists(model=None, train=TRAIN, users=USERS, history=TRAIN, seen=TRAIN, k=3):
    return recommendation_cache.recommended_lists(
        model or EASE(5), train, users, history=history, seen=seen, k=k
    )


def fits(monkeypatch, model=EASE):
    """Count how often a model is fitted."""
    times, fit = [], model.fit
    monkeypatch.setattr(model, "fit", lambda self, train: times.append(1) or fit(self, train))
    return times


@pytest.mark.parametrize("model", [EASE(5), ItemKNN(2, 1), Popularity(), RandomScores(3)])
def test_cached_lists_equal_computed_lists(folder, model):
    scores = model.fit(TRAIN).scores(USERS, OTHER)
    wanted = rank_from_scores(scores, 3, exclude=TRAIN.matrix()[USERS])
    for _ in range(2):
        found = lists(model, history=OTHER)
        assert found.tolist() == wanted.tolist()
        assert found.dtype == wanted.dtype
    assert len(list(folder.iterdir())) == 1


def test_the_second_call_fits_nothing(folder, monkeypatch):
    times = fits(monkeypatch)
    lists()
    lists(EASE(5))
    assert len(times) == 1


@pytest.mark.parametrize(
    "asked",
    [
        {"model": EASE(6)},
        {"model": EASE(5.0000001)},
        {"train": OTHER},
        {"users": USERS[::-1]},
        {"history": OTHER},
        {"seen": OTHER},
        {"k": 2},
    ],
    ids=lambda asked: "".join(asked),
)
def test_other_arguments_use_other_cache_entries(folder, asked):
    lists()
    lists(**asked)
    assert len(list(folder.iterdir())) == 2


def test_the_cache_key_includes_the_code_version(folder, monkeypatch):
    lists()
    monkeypatch.setattr(recommendation_cache, "_fingerprint_code", lambda: "another version")
    lists()
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"no lists at all", None, "other"])
def test_an_invalid_cache_file_is_recomputed(folder, monkeypatch, content):
    wanted = lists().tolist()
    (file,) = folder.iterdir()
    if content is None:
        np.save(file, np.array([{"a": 1}], dtype=object))
    elif content == "other":
        np.save(file, np.zeros((3, 2), int))
    else:
        file.write_bytes(content)
    times = fits(monkeypatch)
    assert lists().tolist() == wanted == lists().tolist()
    assert len(times) == 1


@pytest.mark.parametrize("word", ["off", "0", ""])
def test_the_cache_can_be_switched_off(tmp_path, monkeypatch, word):
    monkeypatch.setenv(recommendation_cache.VARIABLE, word)
    monkeypatch.chdir(tmp_path)
    times = fits(monkeypatch)
    lists()
    lists()
    assert len(times) == 2
    assert not list(tmp_path.iterdir())


def test_custom_models_are_not_cached(folder, monkeypatch):
    class Mine(EASE):
        pass

    times = fits(monkeypatch)
    lists(Mine(5))
    lists(Mine(5))
    assert len(times) == 2
    assert not folder.exists()


def test_an_unwritable_folder_disables_the_cache(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(recommendation_cache.VARIABLE, str(tmp_path / "file" / "lists"))
    assert lists().tolist() == lists().tolist()


def test_the_oldest_entries_are_removed(folder, monkeypatch):
    monkeypatch.setattr(recommendation_cache, "_MOST_FILES", 3)
    made = []
    for k in range(1, 6):
        lists(k=k)
        (new,) = set(folder.iterdir()) - set(made)
        os.utime(new, (k, k))
        made.append(new)
    assert sorted(folder.iterdir()) == sorted(made[2:])


def test_the_default_folder_is_the_user_cache(monkeypatch):
    monkeypatch.delenv(recommendation_cache.VARIABLE, raising=False)
    place = recommendation_cache.cache_folder()
    assert place.parts[-2:] == (USER_FOLDER, "lists")
    if sys.platform == "linux":
        assert place.is_relative_to(os.environ["HOME"])


class Told:
    """What a notebook shows."""

    def __init__(self):
        self.lines = []

    def display(self, line, display_id):
        self.lines.append(line.data)
        return self

    def update(self, line):
        self.lines[-1] = line.data


@pytest.mark.parametrize("attended", [True, False])
def test_long_computations_show_one_line_of_progress(folder, monkeypatch, attended):
    told, clock = Told(), iter(np.arange(0.0, 99.0, 0.4))
    monkeypatch.setattr("IPython.display.display", told.display)
    monkeypatch.setattr(recommendation_cache, "is_attended", lambda: attended)
    monkeypatch.setattr(recommendation_cache, "get_run_id", lambda: "a run")
    monkeypatch.setattr(recommendation_cache.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(recommendation_cache, "_cache_note", recommendation_cache._CacheNote())
    for penalty in (1, 2, 3):
        lists(EASE(penalty))
    assert told.lines == (
        ["Fitted and ranked 3 times in 1.2 s, last EASE; the lists are cached for the next time."]
        if attended
        else []
    )
    told.lines.clear()
    for penalty in (1, 2, 3):
        lists(EASE(penalty))
    assert told.lines == []


def test_lists_of_different_lengths_share_one_fit(folder, monkeypatch):
    data = replace(movielens_experiment())
    times = fits(monkeypatch)
    found = {k: data.lists(k)["EASE"] for k in (7, 50, 23)}
    assert len(times) == 1
    alone = recommendation_cache.recommended_lists(
        EASE(), data.past, data.users, history=keep_liked(data.known), seen=data.known, k=23
    )
    np.testing.assert_array_equal(found[23], alone)
    np.testing.assert_array_equal(found[7], alone[:, :7])
    assert found[50].shape == (len(data.users), 50)
    with pytest.raises(ValueError, match="k"):
        data.lists(0)
