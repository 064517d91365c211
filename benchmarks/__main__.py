"""Run the benchmarks: python -m benchmarks [metrics | latency] [--users N] [--runs N]."""

from __future__ import annotations

import argparse
import platform
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import recsys_metrics
from benchmarks import ranking
from benchmarks.workloads import ranked_lists


def timed(call: Callable[[], Any]) -> float:
    """Return the seconds of one call."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def peak(call: Callable[[], Any]) -> float:
    """Return the most megabytes a call held above its inputs."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def main() -> None:
    """Check that all ways agree, time them in turns, print a table."""
    parser = argparse.ArgumentParser(description="Speed, side by side in one run")
    parser.add_argument(
        "what",
        nargs="?",
        choices=("metrics", "latency"),
        default="metrics",
        help="the library beside numpy, or one move of each explorable",
    )
    parser.add_argument("--users", type=int, default=100_000, help="number of ranked lists")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each way")
    asked = parser.parse_args()
    if asked.what == "latency":
        from benchmarks import latency

        latency.report()
        return
    print(
        f"recsys-metrics {recsys_metrics.__version__}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, {platform.machine()}"
    )
    print(f"making {asked.users:,} lists of 100 from 50,000 items …", flush=True)
    lists = ranked_lists(asked.users)
    ways: dict[str, Callable[[], Any]] = {
        "one pass over the input": lambda: ranking.one_pass(lists),
        "recsys_metrics": lambda: ranking.library(lists),
        "numpy by hand": lambda: ranking.by_hand(lists),
    }
    ours, theirs = ranking.library(lists), ranking.by_hand(lists)
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], atol=1e-12, err_msg=name)
    print("the values agree to 1e-12; timing in turns …", flush=True)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(asked.runs):
        for name, call in ways.items():
            seconds[name].append(timed(call))
    best = {name: min(times) for name, times in seconds.items()}
    print(
        f"\nHR, precision, recall, RR, AP and NDCG at 10 of {asked.users:,} users, "
        f"best of {asked.runs} runs\n"
    )
    print(f"{'':26}{'seconds':>9}{'x by hand':>11}{'x one pass':>12}{'peak MB':>9}")
    for name, call in ways.items():
        by_hand, floor = best[name] / best["numpy by hand"], best[name] / best[next(iter(ways))]
        print(f"{name:26}{best[name]:9.4f}{by_hand:11.2f}{floor:12.0f}{peak(call):9.0f}")


if __name__ == "__main__":
    main()
