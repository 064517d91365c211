"""Write tables to new files, atomically and never through a link."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl

from recsys_metrics._core import csv_injection
from recsys_metrics._core.whole_files import begin_draft_name, naming


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as Parquet or, by any other suffix, as CSV that no spreadsheet runs.

    Parameters
    ----------
    table : polars.DataFrame
    path : Path
        A file or a link of this name is replaced; what a link leads to stays as it is.
    """
    prefix = begin_draft_name(path)
    with naming(path), tempfile.TemporaryDirectory(prefix=prefix, dir=path.parent) as folder:
        draft = Path(folder, path.name)
        if path.suffix.lower() in (".parquet", ".pq"):
            write_parquet(table, draft)
        else:
            # Ids are whatever stood in a file of somebody's.
            csv_injection.harmless_frame(table).write_csv(draft)
        draft.replace(path)


def write_parquet(table: pl.DataFrame, path: Path) -> None:
    """Write a table as Parquet.

    Raises
    ------
    OSError
        If the disk does not take it; Polars calls that a fault of its computation.
    """
    try:
        table.write_parquet(path)
    except pl.exceptions.PolarsError as problem:
        said = str(problem).partition("\n")[0].rpartition("IO error: ")[2]
        raise OSError(said) from None
