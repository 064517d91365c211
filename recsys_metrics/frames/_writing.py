"""Write tables to new files, atomically and never through a link."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl

from recsys_metrics._core import csv_injection


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as Parquet or, by any other suffix, as CSV that no spreadsheet runs.

    Parameters
    ----------
    table : polars.DataFrame
    path : Path
        A file or a link of this name is replaced; what a link leads to stays as it is.
    """
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        draft = Path(folder, path.name)
        if path.suffix.lower() in (".parquet", ".pq"):
            table.write_parquet(draft)
        else:
            # Ids are whatever stood in a file of somebody's.
            csv_injection.harmless_frame(table).write_csv(draft)
        draft.replace(path)
