"""Rows of a large table in blocks, so that intermediate arrays stay in the cache.

Large inputs are shared out between the processor's cores. Numpy lets go of Python's lock while
it computes, so threads are enough. Each takes neighbouring blocks, and what they return is put
together in the order of the rows: a result has the same last digit on one core and on eight,
and of two errors the one of the earlier row is raised.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")

# Cells from which on a thread of its own gains more than it takes to start it.
_CELLS_OF_A_THREAD = 2**19
_MOST_THREADS = 8


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
    done = on_cores(lambda blocks: [work(block) for block in blocks], n_rows, width, cells)
    return [*chain.from_iterable(done)]


def in_rooms(
    work: Callable[[slice, NDArray[np.float64]], Result],
    n_rows: int,
    width: int,
    cells: int,
    *,
    rooms: int,
) -> list[Result]:
    """Return what `work` returns for each block, handed so many rows of a block's length to fill.

    A core hands its rows on from block to block: asking the system for memory in each is slow.
    So `work` must not return them.
    """

    def share(blocks: Sequence[slice]) -> list[Result]:
        room = np.empty((rooms, blocks[0].stop - blocks[0].start if blocks else 0))
        return [work(block, room[:, : block.stop - block.start]) for block in blocks]

    return [*chain.from_iterable(on_cores(share, n_rows, width, cells))]


def on_cores(
    work: Callable[[Sequence[slice]], Result], n_rows: int, width: int, cells: int = 2**17
) -> list[Result]:
    """Return what `work` returns for each core's share of the blocks, in their order."""
    blocks = list(row_blocks(n_rows, width, cells))
    n_threads = min(n_cores(), len(blocks), n_rows * max(1, width) // _CELLS_OF_A_THREAD)
    if n_threads < 2:
        return [work(blocks)]
    ends = [len(blocks) * part // n_threads for part in range(n_threads + 1)]
    shares = [blocks[start:stop] for start, stop in pairwise(ends)]
    # Imported late: it takes as long as a small evaluation.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads - 1) as pool:
        try:
            # In a copy of the caller's context, which holds numpy's treatment of errors.
            others = [pool.submit(copy_context().run, work, share) for share in shares[1:]]
        except RuntimeError:
            # No thread can be started here, in a browser say.
            return [work(blocks)]
        return [work(shares[0]), *(other.result() for other in others)]


def n_cores() -> int:
    """Return how many threads may work at once.

    `RECSYS_METRICS_THREADS`, or else `OMP_NUM_THREADS`, which other numerical libraries obey
    too, sets a number; by default it is the cores this process may use, at most eight.
    """
    for name in ("RECSYS_METRICS_THREADS", "OMP_NUM_THREADS"):
        given = os.environ.get(name, "")
        if given.isdecimal() and int(given) > 0:
            return int(given)
    if hasattr(os, "sched_getaffinity"):
        return min(_MOST_THREADS, len(os.sched_getaffinity(0)))
    return min(_MOST_THREADS, os.cpu_count() or 1)
