"""Write `recsys_metrics/data/coverage.csv`: coverage by effective sample size (a minute)."""

from __future__ import annotations

import csv
from dataclasses import astuple
from pathlib import Path

from recsys_metrics.workbook.experiments import interval_coverage

DATA = Path(__file__).parents[2] / "recsys_metrics" / "data" / "coverage.csv"


def main() -> None:
    """Write the rows of every setting."""
    with DATA.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(interval_coverage.COLUMNS)
        for n_rounds in interval_coverage.ROUNDS:
            for sharpness in interval_coverage.SHARPNESS:
                writer.writerows(map(astuple, interval_coverage.compute_rows(sharpness, n_rounds)))


if __name__ == "__main__":
    main()
