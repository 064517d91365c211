"""Columns as a data frame of whichever library is installed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, get_args

import numpy as np

from recsys_metrics._core.checks import check_choice

Backend = Literal["polars", "pandas", "pyarrow"]


def build_frame(columns: Mapping[str, Any], backend: str | None) -> Any:
    """Return columns as a data frame of a library, by default of the first that is installed."""
    libraries = get_args(Backend)
    if backend is None:
        backend = next((name for name in libraries if find_spec(name)), "polars")
    check_choice("backend", backend, Backend)
    try:
        library = import_module(backend)
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"a frame needs one of {', '.join(libraries)}, and {backend} is not installed: "
            f"pip install {backend}. Report.columns() gives the same columns without it"
        ) from None
    if backend == "polars":
        # It reads no datetimes in seconds.
        columns = {name: _in_milliseconds(values) for name, values in columns.items()}
    frame = library.table if backend == "pyarrow" else library.DataFrame
    return frame(dict(columns))


def _in_milliseconds(values: Any) -> Any:
    in_seconds = getattr(values, "dtype", None) == np.dtype("datetime64[s]")
    return values.astype("datetime64[ms]") if in_seconds else values
