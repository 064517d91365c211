"""Write tables to new files, atomically and never through a link."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import narwhals as nw

from recsys_metrics._core import csv_injection


def write_table(table: Any, path: Path) -> None:
    """Write a table as Parquet or, by any other suffix, as CSV that no spreadsheet runs.

    Parameters
    ----------
    table : frame of any engine
    path : Path
        A file or a link of this name is replaced; what a link leads to stays as it is.
    """
    frame = nw.from_native(table).lazy()
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        draft = Path(folder, path.name)
        if path.suffix.lower() not in (".parquet", ".pq"):
            # Ids are whatever stood in a file of somebody's.
            csv_injection.harmless_frame(frame.collect("polars").to_native()).write_csv(draft)
        elif frame.implementation.is_spark_like():
            frame.collect().write_parquet(draft)
        else:
            frame.sink_parquet(draft)
        draft.replace(path)
