"""Lists that were made once and are kept for the next chapter, in the user's cache folder.

What a baseline recommends depends on its settings, on what it learned from, and on what is asked.
All of that is in the name of a file, with the version of this library and of numpy and the code
that makes the lists, so that a file is either the answer or not found. A folder that cannot be
written to, and a file that holds no lists, only cost the time to make them.

The environment variable `RECSYS_METRICS_CACHE` names another folder, or says ``off``.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics import baselines, interactions, rank_from_scores
from recsys_metrics._core import sorted_arrays
from recsys_metrics._core.package_names import USER_FOLDER
from recsys_metrics.interactions import Interactions
from recsys_metrics.workbook.common.interactive import get_run_id, is_attended
from recsys_metrics.workbook.common.state_file import resolve_place, write_atomically

VARIABLE = "RECSYS_METRICS_CACHE"
# Lists of a few hundred users take some ten kilobytes.
_MOST_FILES = 2_000


def recommended_lists(
    model: Any,
    train: Interactions,
    users: ArrayLike,
    *,
    history: Interactions,
    seen: Interactions,
    k: int = 10,
) -> NDArray[np.intp]:
    """Return each user's k best items, as a model fitted to `train` scores them.

    Parameters
    ----------
    model : baseline
        With its settings; it is fitted here if its lists are not kept. What is no baseline of
        `recsys_metrics.baselines` is fitted each time.
    train : Interactions
        What it learns from.
    users : (n,) array of int
    history : Interactions
        What is known of them when the lists are made.
    seen : Interactions
        What is not recommended to them again.
    k : int

    Returns
    -------
    (n, k) array of int

    Examples
    --------
    >>> from recsys_metrics.baselines import Popularity
    >>> from recsys_metrics.interactions import Interactions
    >>> train = Interactions(user=[0, 1, 1, 2], item=[0, 0, 1, 2], n_users=3, n_items=3)
    >>> recommended_lists(Popularity(), train, [0, 2], history=train, seen=train, k=1).tolist()
    [[1], [0]]
    """
    who = np.asarray(users)
    file = _file(model, train, who, history, seen, k)
    found = _read(file, len(who), k) if file else None
    if found is None:
        began = time.monotonic()
        scores = model.fit(train).scores(who, history)
        found = rank_from_scores(scores, k, exclude=seen.matrix()[who])
        if file:
            _write(file, found)
        _cache_note.add(model, time.monotonic() - began, kept=file is not None)
    return found


class _CacheNote:
    """One line below a cell that takes long: what was done, how often, and for how long."""

    def __init__(self) -> None:
        self._run, self._times, self._seconds = "", 0, 0.0
        self._line: Any = None

    def add(self, model: Any, seconds: float, *, kept: bool) -> None:
        """Tell the reader, if there is one, once a cell has taken half a second."""
        if not is_attended():
            return
        if get_run_id() != self._run:
            self._run, self._times, self._seconds, self._line = get_run_id(), 0, 0.0, None
        self._times, self._seconds = self._times + 1, self._seconds + seconds
        if self._seconds < 0.5:
            return
        from IPython.display import Pretty, display

        line = Pretty(
            f"Fitted and ranked {self._times} times in {self._seconds:.1f} s, last "
            f"{type(model).__name__}{'; the lists are cached for the next time' if kept else ''}."
        )
        if self._line is None:
            self._line = display(line, display_id=True)
        else:
            self._line.update(line)


_cache_note = _CacheNote()


def cache_folder() -> Path | None:
    """Return where lists are kept; None if they are not."""

    def of_the_user() -> Path:
        from platformdirs import user_cache_path

        return user_cache_path(USER_FOLDER, appauthor=False) / "lists"

    return resolve_place(VARIABLE, of_the_user)


def _file(model: Any, *asked: Any) -> Path | None:
    place = cache_folder()
    if place is None or type(model).__module__ != baselines.__name__:
        return None
    said = hashlib.sha256(_fingerprint_code().encode())
    settings = {name: value for name, value in vars(model).items() if not name.startswith("_")}
    said.update(f"{type(model).__name__}{sorted(settings.items())}".encode())
    for part in _parts(asked):
        said.update(f"{part.dtype.str}{part.shape}".encode())
        said.update(part.tobytes())
    return place / f"{said.hexdigest()}.npy"


def _parts(asked: Any) -> Iterator[NDArray[Any]]:
    for one in asked:
        if isinstance(one, Interactions):
            yield np.array([one.n_users, one.n_items])
            yield one.user
            yield one.item
        else:
            yield np.asarray(one)


@cache
def _fingerprint_code() -> str:
    """Return what the lists hang on besides what is asked: versions, and the code itself."""
    import scipy

    import recsys_metrics
    from recsys_metrics.ranking import _rank_scores

    code = "".join(map(inspect.getsource, (baselines, interactions, sorted_arrays, _rank_scores)))
    return f"{recsys_metrics.__version__} {np.__version__} {scipy.__version__} {code}"


def _read(file: Path, users: int, k: int) -> NDArray[np.intp] | None:
    with suppress(OSError, ValueError, EOFError):
        found = np.load(file, allow_pickle=False)
        if isinstance(found, np.ndarray) and found.shape == (users, k) and found.dtype.kind == "i":
            return found.astype(np.intp, copy=False)
    return None


def _write(file: Path, lists: NDArray[np.intp]) -> None:
    with suppress(OSError):
        _make_room(file.parent)
        content = io.BytesIO()
        np.save(content, lists)
        write_atomically(file, content.getvalue())


def _make_room(place: Path) -> None:
    """Delete what was made longest ago if there are too many files."""
    files = sorted(place.glob("*.npy"), key=lambda path: path.stat().st_mtime)
    for old in files[: max(0, len(files) - _MOST_FILES + 1)]:
        old.unlink(missing_ok=True)
