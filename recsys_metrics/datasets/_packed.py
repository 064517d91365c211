"""Data that come with the workbook, packed."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.package_names import CONTENT, content_folder

# Of the columns, not of the compressed bytes, which may differ with the compressor.
CONTENT_HASHES: Mapping[str, str] = {
    "movielens_latest_small": "6de8dbff8625f14de8069b67456ea6464477d5c1a4e1e13253e9372f4be8b334",
    "open_bandit_sample": "0e19bd1d9d730b8414c035dbfa79e7e072ef029f0e68d29876cdb9550ce04402",
}
"""SHA-256 of the columns of each data set that comes with the workbook, by its name."""


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


def read_packed(name: str) -> dict[str, NDArray[Any]]:
    """Return the columns of a data set by their names."""
    return unpack(packed_folder(name), name)


def packed_folder(name: str) -> Path:
    """Return the folder that holds a packed data set."""
    folder = content_folder()
    if folder is None:
        raise ImportError(
            f"{name} comes with the chapters, in a package of its own, since MovieLens is not for "
            f"commercial use; install it with pip install {CONTENT}"
        )
    return folder


def unpack(folder: Path, name: str) -> dict[str, NDArray[Any]]:
    """Return the columns of a data set that lies packed in a folder."""
    with np.load(io.BytesIO(_unpack_cached(folder, name)), allow_pickle=False) as columns:
        return {key: columns[key] for key in columns.files}


def _unpack_cached(folder: Path, name: str) -> bytes:
    # A page of the book gets them so.
    if (plain := folder / f"{name}.npz").exists():
        return plain.read_bytes()
    packed = folder / f"{name}.npz.xz"
    try:
        # Not every Python is built with it; those of a browser leave it out.
        import lzma
    except ImportError:
        raise ImportError(
            f"{name} is packed with xz, and this Python has no lzma module to unpack it; install "
            "Python's lzma (with Pyodide: await pyodide.loadPackage('lzma'))",
            name="lzma",
            path=str(packed),
        ) from None
    return lzma.decompress(packed.read_bytes())


def make_read_only(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column that nobody can change."""
    column.flags.writeable = False
    return column
