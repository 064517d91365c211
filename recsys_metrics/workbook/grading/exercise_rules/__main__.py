"""Writes a hash of drawn variants of each exercise in a file, for another process to compare."""

import sys
from pathlib import Path

from recsys_metrics.workbook.grading import custom_exercises
from recsys_metrics.workbook.grading.exercise_rules.wording import ELSEWHERE
from recsys_metrics.workbook.progress import hash_content

if __name__ == "__main__":
    for exercise_id, exercise in custom_exercises.load_exercises(Path(sys.argv[1])).items():
        drawn = [hash_content(exercise.variant(seed)) for seed in range(ELSEWHERE)]
        print(exercise_id, "".join(drawn), sep="\t")
