"""Writes hashes of drawn variants of each exercise in a file, for another process to compare.

Each variant is drawn twice, the second time in reverse order.
"""

import sys
from dataclasses import replace
from pathlib import Path

from recsys_metrics.workbook.grading import custom_exercises
from recsys_metrics.workbook.grading.exercise_rules.wording import ELSEWHERE
from recsys_metrics.workbook.progress import hash_content

if __name__ == "__main__":
    for exercise_id, exercise in custom_exercises.load_exercises(Path(sys.argv[1])).items():
        first = [hash_content(exercise.variant(seed)) for seed in range(ELSEWHERE)]
        # A copy remembers no variants, so it draws them again.
        copy = replace(exercise)
        second = [hash_content(copy.variant(seed)) for seed in reversed(range(ELSEWHERE))]
        print(exercise_id, "".join(first), "".join(reversed(second)), sep="\t")
