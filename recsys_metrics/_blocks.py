"""Rows of a large table in blocks, so that intermediate arrays stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator


def row_blocks(n_rows: int, width: int, cells: int = 2**17) -> Iterator[slice]:
    """Yield slices over the rows so that a block has about `cells` cells."""
    step = max(1, cells // max(1, width))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
