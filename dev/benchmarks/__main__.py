"""Run the benchmarks, side by side and in turns, and print them.

python -m dev.benchmarks                      ours beside light libraries, a minute or two
python -m dev.benchmarks all                  every library that is there; make peers installs them
python -m dev.benchmarks auc platt            some tasks
python -m dev.benchmarks forms                from what people hold: lists, scores, frames, files
python -m dev.benchmarks metrics --users N    the ranking metrics, of so many users
python -m dev.benchmarks growth               the ranking metrics, of 1,000 to 1,000,000 users
python -m dev.benchmarks latency              one move of each explorable
python -m dev.benchmarks scale                arrays, Polars, DuckDB, Spark, to fifty million rows
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from dev.benchmarks import runner
from dev.benchmarks.runner import OURS, Task

# The part of the full size that the light set works on, by task; all of it by default.
LIGHT = {
    "top_k": 0.25,
    "full_ranks": 0.25,
    "auc": 0.25,
    "bootstrap": 0.1,
    "bootstrap_ties": 0.1,
    "randomization": 0.2,
    "isotonic": 0.2,
    "platt": 0.2,
    "off_policy": 0.2,
}


def main() -> int:
    """Run what was asked for and return how many tasks failed."""

    if sys.argv[1:2] == ["scale"]:
        from dev.benchmarks import scale

        scale.main(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = runner.tasks()
    special = ("light", "all", "forms", "metrics", "growth", "latency")
    parser.add_argument("what", nargs="*", help=f"{', '.join(special)}, or of {', '.join(known)}")
    parser.add_argument("--users", type=int, default=100_000, help="ranked lists in metrics")
    parser.add_argument("--runs", type=int, default=40, help="most timed runs of each way")
    parser.add_argument("--only", action="append", help="a library to ask beside ours")
    parser.add_argument("--keep", action="store_true", help="write the rows for the book")
    asked = parser.parse_args()
    what = asked.what or ["light"]
    unknown = [name for name in what if name not in (*special, *known)]
    if unknown:
        parser.error(f"unknown {unknown[0]!r}; there are {', '.join((*special, *known))}")
    if "latency" in what:
        from dev.benchmarks import latency

        latency.report()
        return 0
    if "growth" in what:
        measure_growth(known["ranking"])
        return 0
    started = time.perf_counter()
    if "metrics" in what:
        scale = asked.users / 100_000
        failed = measure({"ranking": known["ranking"]}, {"ranking": scale}, asked, everyone=False)
    elif "forms" in what:
        forms = {name: task for name, task in known.items() if name.startswith("read_")}
        failed = measure(forms, {}, asked, everyone=True)
    elif "light" in what:
        failed = measure(known, LIGHT, asked, everyone=False)
    else:
        chosen = known if "all" in what else {name: known[name] for name in what}
        failed = measure(chosen, {}, asked, everyone=True)
    print(f"\n{time.perf_counter() - started:.0f} s in all")
    return failed


def measure(
    tasks: dict[str, Task], scales: dict[str, float], asked: argparse.Namespace, *, everyone: bool
) -> int:
    """Measure tasks one after another and return how many failed."""
    where = runner.machine()
    print(where, flush=True)
    failed = 0
    for at, (name, task) in enumerate(tasks.items(), 1):
        scale = scales.get(name, 1.0)
        size = "" if scale == 1 else f" (at {scale:.0%} of that size)"
        print(f"\n[{at}/{len(tasks)}] {name}: {task.title}{size}", flush=True)
        timed: list[runner.Timed] = []
        try:
            for one in runner.compare(
                name, task, libraries(task, asked.only, everyone=everyone), scale, asked.runs
            ):
                if isinstance(one, str):
                    print(f"  {one}", file=sys.stderr, flush=True)
                else:
                    timed.append(one)
                    print(f"  … {one.library}", flush=True)
        except AssertionError as problem:
            print(f"  the answers differ: {problem}", file=sys.stderr, flush=True)
            failed += 1
            continue
        if not any(one.library == OURS for one in timed):
            print(f"  nothing was timed for {name}", file=sys.stderr, flush=True)
            failed += 1
            continue
        rows = runner.rows_of(name, task, timed, where)
        runner.show(rows)
        if asked.keep:
            runner.keep(rows)
    return failed


def measure_growth(task: Task, sizes: Sequence[int] = (1_000, 10_000, 100_000, 1_000_000)) -> None:
    """Measure the ranking metrics of each number of users and print a line."""
    print(f"{'users':>10}{'seconds':>10}{'per million':>13}{'peak MB':>9}{'x one pass':>12}")
    for size in sizes:
        one_pass, ours = (
            one
            for one in runner.compare("ranking", task, (), size / 100_000, 5)
            if isinstance(one, runner.Timed)
        )
        print(
            f"{size:>10,}{ours.seconds:>10.4f}{ours.seconds / size * 1e6:>13.3f}"
            f"{ours.megabytes:>9.0f}{ours.seconds / one_pass.seconds:>12.0f}",
            flush=True,
        )


def libraries(task: Task, only: Sequence[str] | None, *, everyone: bool) -> list[str]:
    """Return whom to ask beside ours: those of the project's own environment, or all."""
    return [
        library
        for library, way in task.ways.items()
        if library != OURS
        and (everyone or not way.environment)
        and (only is None or library in only)
    ]


if __name__ == "__main__":
    raise SystemExit(main())
