"""Rows of a large table in blocks, so that intermediate arrays stay in the cache.

Large inputs are shared out between threads: NumPy lets go of Python's lock while it computes.
Each takes neighbouring blocks, and what they return is put together in the order of the rows: a
result has the same last digit on one thread and on eight, and of two errors the one of the
earlier row is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.threads import n_threads

Result = TypeVar("Result")

# Cells from which on a thread of its own gains more than it takes to start it.
_CELLS_OF_A_THREAD = 2**19


def row_blocks(n_rows: int, width: int, cells: int = 2**17) -> Iterator[slice]:
    """Yield slices over the rows so that a block has about `cells` cells."""
    step = max(1, cells // max(1, width))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def over_blocks(
    work: Callable[[slice], Result], n_rows: int, width: int, cells: int = 2**17
) -> list[Result]:
    """Return what `work` returns for each block of rows, in their order.

    Blocks are worked on at the same time, so `work` may write to its own rows only.
    """
    if 0 < n_rows * max(1, width) <= cells:  # a list or two, mostly
        return [work(slice(0, n_rows))]
    done = on_threads(lambda blocks: [work(block) for block in blocks], n_rows, width, cells)
    return [*chain.from_iterable(done)]


def over_blocks_with_scratch(
    work: Callable[[slice, NDArray[np.float64]], Result],
    n_rows: int,
    width: int,
    cells: int,
    *,
    n_buffers: int,
) -> list[Result]:
    """Return what `work` returns for each block, which it calls with preallocated scratch rows.

    There are `n_buffers` of them, of the block's length. A thread uses them for all its blocks,
    since asking the system for memory in each is slow: so `work` must not return them.
    """

    def share(blocks: Sequence[slice]) -> list[Result]:
        scratch = np.empty((n_buffers, blocks[0].stop - blocks[0].start if blocks else 0))
        return [work(block, scratch[:, : block.stop - block.start]) for block in blocks]

    return [*chain.from_iterable(on_threads(share, n_rows, width, cells))]


def on_threads(
    work: Callable[[Sequence[slice]], Result], n_rows: int, width: int, cells: int = 2**17
) -> list[Result]:
    """Return what `work` returns for each thread's share of the blocks, in their order."""
    blocks = list(row_blocks(n_rows, width, cells))
    most = min(len(blocks), n_rows * max(1, width) // _CELLS_OF_A_THREAD)
    n = min(most, n_threads()) if most > 1 else 1
    if n < 2:
        return [work(blocks)]
    ends = [len(blocks) * part // n for part in range(n + 1)]
    shares = [blocks[start:stop] for start, stop in pairwise(ends)]
    # Imported late: it takes as long as a small evaluation.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n - 1) as pool:
        try:
            # In a copy of the caller's context, which holds numpy's treatment of errors.
            others = [pool.submit(copy_context().run, work, share) for share in shares[1:]]
        except RuntimeError:
            # No thread, or no further one, can be started here, in a browser say.
            pool.shutdown(cancel_futures=True)
            return [work(blocks)]
        return [work(shares[0]), *(other.result() for other in others)]
