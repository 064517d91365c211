"""How time and memory of the ranking metrics grow with the number of users."""

from __future__ import annotations

from dev.benchmarks.runner import compare
from dev.benchmarks.task import OURS
from dev.benchmarks.tasks import TASKS


def report(sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)) -> None:
    """Measure each size and print a line."""
    print(f"{'users':>10}{'seconds':>10}{'per million':>13}{'peak MB':>9}{'x one pass':>12}")
    for size in sizes:
        one_pass, ours = (
            one
            for one in compare("ranking", TASKS["ranking"], (), size / 100_000, 5)
            if not isinstance(one, str)
        )
        assert ours.library == OURS
        print(
            f"{size:>10,}{ours.seconds:>10.4f}{ours.seconds / size * 1e6:>13.3f}"
            f"{ours.megabytes:>9.0f}{ours.seconds / one_pass.seconds:>12.0f}",
            flush=True,
        )
